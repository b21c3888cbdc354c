//! The random generator that strategies draw from: xoshiro256** seeded by splitmix64 (Blackman and Vigna).
//!
//! Must hold: the same seed gives the same numbers on every machine and in every version, for seeds are written
//! into suites.

/// A seeded generator.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rng {
    state: [u64; 4],
}

impl Rng {
    /// The generator of this seed.
    #[must_use]
    pub fn new(seed: u64) -> Rng {
        let mut splitmix = seed;
        let state = std::array::from_fn(|_| {
            splitmix = splitmix.wrapping_add(0x9e37_79b9_7f4a_7c15);
            let z = (splitmix ^ (splitmix >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
            let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
            z ^ (z >> 31)
        });
        Rng { state }
    }

    /// 64 random bits.
    pub fn bits(&mut self) -> u64 {
        let result = self.state[1].wrapping_mul(5).rotate_left(7).wrapping_mul(9);
        let shifted = self.state[1] << 17;
        self.state[2] ^= self.state[0];
        self.state[3] ^= self.state[1];
        self.state[1] ^= self.state[2];
        self.state[0] ^= self.state[3];
        self.state[2] ^= shifted;
        self.state[3] = self.state[3].rotate_left(45);
        result
    }

    /// A number below `bound`, each as likely as the other.
    ///
    /// # Panics
    /// When `bound` is 0.
    pub fn below(&mut self, bound: usize) -> usize {
        assert!(bound > 0, "there is no number below 0");
        let bound = bound as u64;
        // Lemire's method: the high word of a product, with the few biased low words rejected.
        let reject = bound.wrapping_neg() % bound;
        loop {
            let product = u128::from(self.bits()) * u128::from(bound);
            if product as u64 >= reject {
                return (product >> 64) as usize;
            }
        }
    }

    /// An index of `weights`, each as likely as its weight is large; the last if none has any.
    pub fn weighted(&mut self, weights: impl Iterator<Item = f64> + Clone) -> usize {
        const GRAIN: u32 = 1 << 30;
        let sum: f64 = weights.clone().sum();
        let mut luck = self.below(GRAIN as usize) as f64 / f64::from(GRAIN) * sum;
        let mut last = 0;
        for (index, weight) in weights.enumerate() {
            last = index;
            luck -= weight;
            if luck < 0.0 {
                break;
            }
        }
        last
    }

    /// Puts a slice into random order.
    pub fn shuffle<T>(&mut self, items: &mut [T]) {
        for last in (1..items.len()).rev() {
            items.swap(last, self.below(last + 1));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn known_numbers() {
        let mut rng = Rng::new(0);
        // The reference implementation, seeded by splitmix64 from 0.
        assert_eq!(rng.bits(), 0x99ec_5f36_cb75_f2b4);
        assert_eq!(rng.bits(), 0xbf6e_1f78_4956_452a);
        assert_ne!(Rng::new(1).bits(), Rng::new(2).bits());
    }

    #[test]
    fn below_is_below_and_reaches_all() {
        let mut rng = Rng::new(7);
        let mut seen = [0; 5];
        for _ in 0..1000 {
            seen[rng.below(5)] += 1;
        }
        assert!(seen.iter().all(|&count| count > 150), "{seen:?}");
    }

    #[test]
    fn weights_are_chances() {
        let mut rng = Rng::new(7);
        let mut seen = [0; 3];
        for _ in 0..1000 {
            seen[rng.weighted([6.0, 0.0, 2.0].into_iter())] += 1;
        }
        assert!(seen[0] > 700 && seen[1] == 0 && seen[2] > 200, "{seen:?}");
        assert_eq!(rng.weighted([0.0, 0.0].into_iter()), 1);
    }

    #[test]
    fn shuffle_keeps_every_item() {
        let mut items: Vec<u32> = (0..50).collect();
        Rng::new(3).shuffle(&mut items);
        assert_ne!(items, (0..50).collect::<Vec<_>>());
        items.sort_unstable();
        assert_eq!(items, (0..50).collect::<Vec<_>>());
    }
}
