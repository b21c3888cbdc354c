//! A fast hash for small fixed-size keys; no attacker chooses them, and order never shows.

use std::hash::{BuildHasherDefault, Hasher};

/// Builder for [`Mix`].
pub(crate) type MixBuild = BuildHasherDefault<Mix>;

/// Multiply and rotate, then one avalanche at the end.
#[derive(Default)]
pub(crate) struct Mix(u64);

const K: u64 = 0xf135_7aea_2e62_a9c5;

/// One step of the hash: the next state. States are of no use outside of this process.
#[inline]
pub fn mix(state: u64, word: u64) -> u64 {
    (state ^ word).wrapping_mul(K).rotate_left(26)
}

/// The last step.
pub(crate) fn finish(state: u64) -> u64 {
    let x = (state ^ (state >> 32)).wrapping_mul(K);
    x ^ (x >> 29)
}

impl Hasher for Mix {
    fn write(&mut self, bytes: &[u8]) {
        for chunk in bytes.chunks(8) {
            let mut word = [0; 8];
            word[..chunk.len()].copy_from_slice(chunk);
            self.write_u64(u64::from_le_bytes(word));
        }
    }

    fn write_u8(&mut self, n: u8) {
        self.write_u64(u64::from(n));
    }

    fn write_u32(&mut self, n: u32) {
        self.write_u64(u64::from(n));
    }

    fn write_u64(&mut self, n: u64) {
        self.0 = mix(self.0, n);
    }

    fn write_usize(&mut self, n: usize) {
        self.write_u64(n as u64);
    }

    fn finish(&self) -> u64 {
        finish(self.0)
    }
}
