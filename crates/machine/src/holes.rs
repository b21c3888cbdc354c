//! Which bits of memory nothing has written: a mask for each byte, of objects that begin without a value.
//!
//! Must hold: an object whose bits were all written has no masks, so that nothing looks for them any more.

use std::ops::Range;

/// Unwritten bits of an object's bytes.
#[derive(Clone, Debug, Default)]
pub(crate) struct Holes {
    /// By byte; empty where everything is written.
    masks: Vec<u8>,
    /// Bytes with a mask that is not 0.
    left: usize,
}

impl Holes {
    /// Nothing of so many bytes is written.
    pub fn new(bytes: usize) -> Holes {
        Holes {
            masks: vec![u8::MAX; bytes],
            left: bytes,
        }
    }

    #[inline(always)]
    pub fn is_empty(&self) -> bool {
        self.masks.is_empty()
    }

    /// The unwritten bits of up to 8 bytes, as the bytes of a number.
    pub fn word(&self, at: usize, bytes: usize) -> u64 {
        let mut word = [0; 8];
        if let Some(masks) = self.masks.get(at..at + bytes) {
            word[..bytes].copy_from_slice(masks);
        }
        u64::from_le_bytes(word)
    }

    /// All of these bytes is written.
    pub fn clear(&mut self, bytes: Range<usize>) {
        let Some(masks) = self.masks.get_mut(bytes) else {
            return;
        };
        let filled = masks.iter().filter(|mask| **mask != 0).count();
        masks.fill(0);
        self.left -= filled;
        if self.left == 0 {
            self.masks = Vec::new();
        }
    }

    /// The masks of some bytes; `None` where all is written.
    pub fn copied(&self, bytes: Range<usize>) -> Option<Vec<u8>> {
        let masks = self.masks.get(bytes)?;
        masks.iter().any(|mask| *mask != 0).then(|| masks.to_vec())
    }

    /// Sets the masks of some bytes of an object of this size.
    pub fn set(&mut self, at: usize, masks: &[u8], size: usize) {
        if self.masks.is_empty() && masks.iter().any(|mask| *mask != 0) {
            self.masks = vec![0; size];
        }
        let Some(place) = self.masks.get_mut(at..at + masks.len()) else {
            return;
        };
        let count = |masks: &[u8]| masks.iter().filter(|mask| **mask != 0).count();
        self.left = self.left + count(masks) - count(place);
        place.copy_from_slice(masks);
        if self.left == 0 {
            self.masks = Vec::new();
        }
    }
}
