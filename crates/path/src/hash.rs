//! Hashing for tables and contexts: fast, the same on every run, and good enough to stand for what was hashed.
//!
//! Must hold: nothing iterates over a table made here, so that no order depends on a hash.

use std::collections::{HashMap, HashSet};
use std::hash::{BuildHasherDefault, Hasher};

/// A table whose keys are hashes already.
pub type HashTable<V> = HashMap<u64, V, BuildHasherDefault<AlreadyHashed>>;
/// A set of hashes.
pub type HashedSet = HashSet<u64, BuildHasherDefault<AlreadyHashed>>;

/// Adds a word to a running hash.
#[must_use]
pub fn mix(state: u64, word: u64) -> u64 {
    let product =
        u128::from(state ^ 0x9e37_79b9_7f4a_7c15) * u128::from(word ^ 0xd6e8_feb8_6659_fd93);
    (product as u64) ^ ((product >> 64) as u64).rotate_left(23) ^ state.rotate_left(41)
}

/// Hash of a sequence of words.
#[must_use]
pub fn hash_words(words: &[u32]) -> u64 {
    let seed = words.len() as u64;
    let pairs = words.chunks(2).map(|pair| match pair {
        [low, high] => u64::from(*low) | (u64::from(*high) << 32),
        _ => u64::from(pair[0]),
    });
    pairs.fold(seed, mix)
}

/// Hash of a sequence of bytes.
#[must_use]
pub fn hash_bytes(seed: u64, bytes: &[u8]) -> u64 {
    let mut state = mix(seed, bytes.len() as u64);
    for chunk in bytes.chunks(8) {
        let mut word = [0; 8];
        word[..chunk.len()].copy_from_slice(chunk);
        state = mix(state, u64::from_le_bytes(word));
    }
    state
}

/// Passes a hash through.
#[derive(Clone, Copy, Debug, Default)]
pub struct AlreadyHashed(u64);

impl Hasher for AlreadyHashed {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, bytes: &[u8]) {
        self.0 = hash_bytes(self.0, bytes);
    }

    fn write_u64(&mut self, value: u64) {
        self.0 = value;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn order_and_length_count() {
        assert_ne!(hash_words(&[1, 2, 3]), hash_words(&[1, 3, 2]));
        assert_ne!(hash_words(&[0]), hash_words(&[0, 0]));
        assert_ne!(hash_bytes(0, b"a"), hash_bytes(0, b"a\0"));
        assert_ne!(mix(mix(0, 1), 2), mix(mix(0, 2), 1));
    }
}
