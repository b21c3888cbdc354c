//! Where the shadow of a byte is: four bytes of shadow for each byte of the program, direct-mapped.
//!
//! 64-bit Linux puts a position-independent program and its heap at 0x55…–0x56…, libraries, `mmap` and the stack at
//! 0x7e…–0x7f…, and a position-dependent program at the bottom: in the low 42 bits these do not meet, whatever
//! address randomisation does. So `shadow(a) = BASE | (a & MASK) << 2`, 16 TB of lazily mapped memory.

/// Low bits of an address that choose its shadow.
pub const MASK: u64 = (1 << 42) - 1;
/// First address of the shadow region, a multiple of its size. No power of two is in the region: programs are tried with such numbers,
/// and one that takes one for a pointer must crash as it does without shadow.
pub const BASE: u64 = 3 << 44;
/// Bytes of the shadow region.
pub const BYTES: u64 = 1 << 44;
/// log2 of shadow bytes for each byte.
pub const SHIFT: u32 = 2;

/// Address of the shadow word of the byte at `address`.
#[must_use]
pub const fn of(address: u64) -> u64 {
    BASE | ((address & MASK) << SHIFT)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_power_of_two_is_an_address_of_shadow() {
        assert!(BASE.is_multiple_of(BYTES) && BYTES == (MASK + 1) << SHIFT);
        for bit in 0..64 {
            let number = 1_u64 << bit;
            assert!(!(BASE..BASE + BYTES).contains(&number), "{number:#x}");
        }
    }
}
