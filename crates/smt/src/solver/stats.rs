//! Who answered, and how long it took.

use std::time::Duration;

/// What answers a query, in the order in which it is asked.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Layer {
    /// The goal is constant, or true under the hint, or the prefix is false.
    Trivial,
    /// Part of the slice was refuted before.
    KnownUnsat,
    /// The same slice was solved before.
    KnownSat,
    /// The model of another query fits.
    Reused,
    /// Domains of values contradict.
    Domains,
    /// All assignments tried.
    Enumerated,
    /// Comparisons with constants leave a value, or none.
    Ranges,
    /// All values of the goal's few bytes tried.
    Few,
    /// Found near the hint.
    Searched,
    /// By a circuit of the slice, or of a part of it.
    Circuit,
    /// Found near the hint, with another byte mended.
    Swept,
    /// Not asked, because the backend gave up the same goal before.
    GivenUp,
    /// A part of the slice asked of the backend.
    Part,
    /// Asked of the backend.
    Backend,
    /// Not answered, because stopped.
    Interrupted,
}

impl Layer {
    /// All of them, in their order.
    pub const ALL: [Layer; 15] = [
        Layer::Trivial,
        Layer::KnownUnsat,
        Layer::KnownSat,
        Layer::Reused,
        Layer::Domains,
        Layer::Enumerated,
        Layer::Ranges,
        Layer::Few,
        Layer::Searched,
        Layer::Circuit,
        Layer::Swept,
        Layer::GivenUp,
        Layer::Part,
        Layer::Backend,
        Layer::Interrupted,
    ];

    /// Its name in reports.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Layer::Trivial => "trivial",
            Layer::KnownUnsat => "known-unsat",
            Layer::KnownSat => "known-sat",
            Layer::Reused => "reused",
            Layer::Domains => "domains",
            Layer::Enumerated => "enumerated",
            Layer::Ranges => "ranges",
            Layer::Few => "few",
            Layer::Searched => "searched",
            Layer::Circuit => "circuit",
            Layer::Swept => "swept",
            Layer::GivenUp => "given-up",
            Layer::Part => "part",
            Layer::Backend => "backend",
            Layer::Interrupted => "interrupted",
        }
    }
}

/// Parts of each doubling of the time, and of the whole scale: from a microsecond to 2^32 of them.
const PARTS: u32 = 8;
const BUCKETS: usize = 32 * PARTS as usize;

/// How long queries took: their number, their sum, and where the least so many of them end, to an eighth.
#[derive(Clone, Debug)]
pub struct Spread {
    count: u64,
    sum: Duration,
    most: Duration,
    buckets: Box<[u32; BUCKETS]>,
}

impl Default for Spread {
    fn default() -> Self {
        Spread {
            count: 0,
            sum: Duration::ZERO,
            most: Duration::ZERO,
            buckets: Box::new([0; BUCKETS]),
        }
    }
}

impl Spread {
    /// One more.
    pub fn add(&mut self, took: Duration) {
        self.count += 1;
        self.sum += took;
        self.most = self.most.max(took);
        self.buckets[bucket(took)] += 1;
    }

    /// Those of another one.
    pub fn merge(&mut self, other: &Spread) {
        self.count += other.count;
        self.sum += other.sum;
        self.most = self.most.max(other.most);
        for (mine, theirs) in self.buckets.iter_mut().zip(&*other.buckets) {
            *mine += theirs;
        }
    }

    /// How many.
    #[must_use]
    pub fn count(&self) -> u64 {
        self.count
    }

    /// All of their time.
    #[must_use]
    pub fn sum(&self) -> Duration {
        self.sum
    }

    /// The longest.
    #[must_use]
    pub fn most(&self) -> Duration {
        self.most
    }

    /// What at least `percent` of them took at most, an eighth too much at the most; nothing of none.
    #[must_use]
    pub fn quantile(&self, percent: u32) -> Duration {
        let wanted = (self.count * u64::from(percent)).div_ceil(100).max(1);
        let mut seen = 0;
        for (index, &many) in self.buckets.iter().enumerate() {
            seen += u64::from(many);
            if seen >= wanted {
                return end_of(index).min(self.most);
            }
        }
        self.most
    }
}

/// Buckets are a microsecond wide below [`PARTS`] of them, and [`PARTS`] for each doubling above.
fn bucket(took: Duration) -> usize {
    let micros = took.as_micros() as u64;
    let shift = (64 - micros.leading_zeros()).saturating_sub(PARTS.ilog2() + 1);
    let place = u64::from(shift * PARTS) + (micros >> shift);
    (place as usize).min(BUCKETS - 1)
}

/// Where a bucket ends.
fn end_of(index: usize) -> Duration {
    let (index, parts) = (index as u64, u64::from(PARTS));
    let shift = (index / parts).saturating_sub(1);
    Duration::from_micros((index - shift * parts + 1) << shift)
}

/// What a solver answered. The times of a query are those of all layers that it went through, under the one that answered.
#[derive(Clone, Debug, Default)]
pub struct Stats {
    layers: [Spread; Layer::ALL.len()],
    /// Answers.
    pub sat: u64,
    /// Answers.
    pub unsat: u64,
    /// Answers.
    pub unknown: u64,
    /// Models of the backend that did not satisfy their query: bugs (answered as unknown).
    pub bad_models: u64,
    /// Constraints in prefixes.
    pub prefix_constraints: u64,
    /// Constraints in slices.
    pub slice_constraints: u64,
}

impl Stats {
    /// One more query.
    pub(super) fn add(&mut self, layer: Layer, took: Duration) {
        self.layers[layer as usize].add(took);
    }

    /// Those of another solver.
    pub fn merge(&mut self, other: &Stats) {
        for (mine, theirs) in self.layers.iter_mut().zip(&other.layers) {
            mine.merge(theirs);
        }
        self.sat += other.sat;
        self.unsat += other.unsat;
        self.unknown += other.unknown;
        self.bad_models += other.bad_models;
        self.prefix_constraints += other.prefix_constraints;
        self.slice_constraints += other.slice_constraints;
    }

    /// The queries that a layer answered.
    #[must_use]
    pub fn layer(&self, layer: Layer) -> &Spread {
        &self.layers[layer as usize]
    }

    /// How many queries a layer answered.
    #[must_use]
    pub fn count(&self, layer: Layer) -> u64 {
        self.layer(layer).count()
    }

    /// All queries.
    #[must_use]
    pub fn all(&self) -> Spread {
        let mut all = Spread::default();
        self.layers.iter().for_each(|layer| all.merge(layer));
        all
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_time_is_in_the_bucket_that_ends_behind_it_by_an_eighth_at_most() {
        for exponent in 0..32 {
            for offset in 0..=PARTS {
                let micros = (1_u64 << exponent) + (u64::from(offset) << exponent) / 9;
                let end = end_of(bucket(Duration::from_micros(micros))).as_micros() as u64;
                assert!(end > micros || exponent > 30, "{micros}: {end}");
                assert!(end <= micros + micros / 8 + 1, "{micros}: {end}");
            }
        }
        assert_eq!(bucket(Duration::from_secs(1 << 40)), BUCKETS - 1);
    }

    #[test]
    fn quantiles_are_of_all_that_was_added() {
        let mut low = Spread::default();
        assert_eq!(low.quantile(50), Duration::ZERO);
        let mut high = Spread::default();
        (1..=50).for_each(|n| low.add(Duration::from_micros(n)));
        (51..=100).for_each(|n| high.add(Duration::from_micros(n)));
        low.merge(&high);
        assert_eq!((low.count(), low.sum()), (100, Duration::from_micros(5050)));
        for (percent, least, most) in [(1, 1, 2), (50, 50, 56), (90, 90, 100), (100, 100, 100)] {
            let micros = low.quantile(percent).as_micros() as u64;
            assert!((least..=most).contains(&micros), "{percent}: {micros}");
        }
    }

    #[test]
    fn layers_are_in_their_places() {
        for (index, layer) in Layer::ALL.into_iter().enumerate() {
            assert_eq!(layer as usize, index, "{}", layer.name());
        }
    }
}
