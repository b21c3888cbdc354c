//! Repeatable numbers, for tests and for generated programs.
//!
//! Charter: one generator for all test modules, so that none brings its own. The search draws from a generator of its own
//! (`explore::Rng`), whose numbers decide which tests a seed gives.
//!
//! Invariants:
//! - the same seed gives the same numbers on every machine and in every version;
//! - `no_std`, no dependency, no clock: a seed is an argument.
#![no_std]

/// A generator: SplitMix64 (Steele, Lea, Flood, *Fast Splittable Pseudorandom Number Generators*, OOPSLA 2014).
#[derive(Clone, Debug)]
pub struct Random(u64);

impl Random {
    /// The generator of this seed.
    #[must_use]
    pub const fn new(seed: u64) -> Random {
        Random(seed)
    }

    /// The next number; all are equally likely.
    #[allow(clippy::should_implement_trait, reason = "it never ends")]
    pub const fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let z = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// A number below `bound`.
    ///
    /// # Panics
    /// When `bound` is 0.
    pub const fn below(&mut self, bound: usize) -> usize {
        (self.next() % bound as u64) as usize
    }

    /// A 64-bit number below `bound`.
    ///
    /// # Panics
    /// When `bound` is 0.
    pub const fn below_u64(&mut self, bound: u64) -> u64 {
        self.next() % bound
    }

    /// One element of `from`; all are equally likely.
    ///
    /// # Panics
    /// When there is none.
    pub const fn pick<T: Copy>(&mut self, from: &[T]) -> T {
        from[self.below(from.len())]
    }

    /// A number of 128 bits with a pattern that operations stumble over: 0, 1, all ones, a single bit, a mask, a small
    /// number, or any.
    pub const fn pattern(&mut self) -> u128 {
        let wide = self.next() as u128 | (self.next() as u128) << 64;
        match self.below(8) {
            0 => 0,
            1 => 1,
            2 => u128::MAX,
            3 => 1 << self.below(128),
            4 => (1_u128 << self.below(127)) - 1,
            5 => (self.next() % 200) as u128,
            _ => wide,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_those_of_the_reference_implementation() {
        let mut random = Random::new(1_234_567);
        let numbers = [random.next(), random.next(), random.next()];
        assert_eq!(
            numbers,
            [
                6_457_827_717_110_365_317,
                3_203_168_211_198_807_973,
                9_817_491_932_198_370_423
            ]
        );
    }
}
