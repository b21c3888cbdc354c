//! Where objects stand: each in slots of its own, so that an address names its object at once, and what is beyond an object's
//! end is no other object.
//!
//! Must hold: an address below the first slot is null's; a slot belongs to one object or none.

use program::DataLayout;

use crate::memory::ObjectId;

/// Which object each slot of the address space belongs to.
#[derive(Debug)]
pub(crate) struct Slots {
    /// Bits of an address within its slot.
    shift: u32,
    /// Slots that there can be.
    most: u64,
    owners: Vec<Option<ObjectId>>,
    /// Single slots to be used again, oldest first.
    free: std::collections::VecDeque<u32>,
}

impl Clone for Slots {
    fn clone(&self) -> Slots {
        Slots {
            shift: self.shift,
            most: self.most,
            owners: self.owners.clone(),
            free: self.free.clone(),
        }
    }

    /// In the room that is there.
    fn clone_from(&mut self, other: &Slots) {
        (self.shift, self.most) = (other.shift, other.most);
        self.owners.clone_from(&other.owners);
        self.free.clone_from(&other.free);
    }
}

/// Single slots that stay unused after their object is gone, so that accesses through old pointers are seen.
const QUARANTINE: usize = 4096;

impl Slots {
    /// Slots of 4 GiB where addresses have 64 bits, of 4 KiB where they have 32.
    pub fn new(layout: DataLayout) -> Slots {
        let (shift, most) = if layout.pointer_bits == 64 {
            (32, 1 << 31)
        } else {
            (12, 1 << 20)
        };
        Slots {
            shift,
            most,
            owners: vec![None],
            free: std::collections::VecDeque::new(),
        }
    }

    /// Slots that an object of this size takes: always one byte more than it has, for the pointer behind its end.
    fn wanted(&self, size: u64) -> u64 {
        (size >> self.shift) + 1
    }

    /// Gives an object its place, and its number: `fresh` or that of a dead object, whose place it gets. `None` when the address
    /// space is full.
    pub fn place(&mut self, object: ObjectId, size: u64) -> Option<(ObjectId, u64)> {
        let wanted = self.wanted(size);
        let fresh = self.owners.len() as u64 + wanted <= self.most;
        if wanted == 1 && (self.free.len() > QUARANTINE || !fresh) {
            let slot = self.free.pop_front()?;
            return Some((self.owners[slot as usize]?, u64::from(slot) << self.shift));
        }
        if !fresh || wanted > 1 << 20 {
            return None;
        }
        let first = self.owners.len() as u64;
        self.owners
            .extend(std::iter::repeat_n(Some(object), wanted as usize));
        Some((object, first << self.shift))
    }

    /// The object's life ended; its slots stay its own until another one gets them.
    pub fn release(&mut self, base: u64, size: u64) {
        if self.wanted(size) == 1 {
            self.free.push_back((base >> self.shift) as u32);
        }
    }

    /// The object that an address may point into.
    #[inline]
    pub fn owner(&self, address: u64) -> Option<ObjectId> {
        let slot = usize::try_from(address >> self.shift).ok()?;
        self.owners.get(slot).copied().flatten()
    }
}
