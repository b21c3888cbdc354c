//! What more runs would bring: an estimate from how many branch sides were seen in one run only, and how many in two.
//!
//! The estimators are those of species that are found by sampling: Chao2 for how many were not seen, and the extrapolation of
//! Chao et al. (2009), as Böhme takes them for testing (STADS: Software Testing as Species Discovery, TOSEM 2018). A branch side is a
//! species, a run is a sample.
//!
//! Must hold: it decides nothing. Runs of a search are no random samples: what the estimate says is rough, and what nobody can
//! reach without an idea that the search does not have is not in it.

use program::{EdgeId, Program, SecondaryMap};

/// How often branch sides were seen.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Discovery {
    /// Runs.
    pub runs: u64,
    /// Sides that one run took.
    pub once: u64,
    /// Sides that two runs took.
    pub twice: u64,
}

impl Discovery {
    /// Sides that can be taken and were not: Chao2, in its form without bias where nothing was seen twice.
    #[must_use]
    pub fn unseen(&self) -> f64 {
        if self.runs == 0 {
            return 0.0;
        }
        let (runs, once, twice) = (self.runs as f64, self.once as f64, self.twice as f64);
        let sides = match self.twice {
            0 => once * (once - 1.0).max(0.0) / 2.0,
            _ => once * once / (2.0 * twice),
        };
        (runs - 1.0) / runs * sides
    }

    /// Sides that so many more runs are expected to take for the first time.
    #[must_use]
    pub fn expected(&self, more: u64) -> f64 {
        let unseen = self.unseen();
        if unseen <= 0.0 {
            return 0.0;
        }
        let (runs, once) = (self.runs as f64, self.once as f64);
        let each = once / (runs * unseen + once);
        unseen * (1.0 - (1.0 - each).powf(more as f64))
    }
}

/// Counts in how many runs each side was seen, up to three.
#[derive(Clone, Debug)]
pub(crate) struct Incidence {
    seen: SecondaryMap<EdgeId, u8>,
    figures: Discovery,
}

impl Incidence {
    pub(crate) fn new(program: &Program) -> Incidence {
        Incidence {
            seen: SecondaryMap::for_map(&program.edges, 0),
            figures: Discovery::default(),
        }
    }

    /// A run took these sides, each named once.
    pub(crate) fn add(&mut self, edges: impl Iterator<Item = EdgeId>) {
        let Discovery { runs, once, twice } = &mut self.figures;
        *runs += 1;
        for edge in edges {
            let seen = &mut self.seen[edge];
            match *seen {
                0 => *once += 1,
                1 => {
                    *once -= 1;
                    *twice += 1;
                }
                2 => *twice -= 1,
                _ => continue,
            }
            *seen += 1;
        }
    }

    pub(crate) const fn figures(&self) -> Discovery {
        self.figures
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{Block, Model, below};

    /// Counted by hand, from the formulas.
    #[test]
    fn the_estimate_is_that_of_the_formulas() {
        let check = |(runs, once, twice): (u64, u64, u64), unseen: f64, as_long: f64| {
            let found = Discovery { runs, once, twice };
            assert!(
                (found.unseen() - unseen).abs() < 0.01,
                "{found:?}: {}",
                found.unseen()
            );
            let expected = found.expected(runs);
            assert!((expected - as_long).abs() < 0.01, "{found:?}: {expected}");
        };
        check((0, 0, 0), 0.0, 0.0);
        // 9/10 * 16/4 = 3.6; 4 / (36 + 4) = 0.1; 3.6 * (1 - 0.9^10).
        check((10, 4, 2), 3.6, 2.3447);
        // 9/10 * 3 * 2 / 2 = 2.7; 3 / (27 + 3) = 0.1; 2.7 * (1 - 0.9^10).
        check((10, 3, 0), 2.7, 1.7586);
        check((1000, 0, 5), 0.0, 0.0);
        check((10, 1, 0), 0.0, 0.0);
    }

    #[test]
    fn more_runs_bring_more_and_never_more_than_there_is() {
        let found = Discovery {
            runs: 500,
            once: 20,
            twice: 7,
        };
        let mut last = 0.0;
        for more in [1, 10, 100, 1000, 1_000_000] {
            let expected = found.expected(more);
            assert!(last < expected && expected <= found.unseen(), "{more}");
            last = expected;
        }
        // The first is that of Good and Turing: so many sides of those seen once for each run.
        assert!((found.expected(1) - 20.0 / 500.0).abs() < 0.001);
    }

    #[test]
    fn sides_are_counted_by_runs() {
        let model = Model::new(1, vec![Block::Branch(below(0, 10), 1, 1), Block::Exit]);
        let edges: Vec<EdgeId> = model.program.edges.keys().collect();
        let mut incidence = Incidence::new(&model.program);
        let mut check = |run: &[EdgeId], once: u64, twice: u64| {
            incidence.add(run.iter().copied());
            let Discovery {
                once: one,
                twice: two,
                ..
            } = incidence.figures();
            assert_eq!((one, two), (once, twice), "{run:?}");
        };
        check(&edges[..1], 1, 0);
        check(&edges, edges.len() as u64 - 1, 1);
        check(&edges[..1], edges.len() as u64 - 1, 0);
        check(&edges[..1], edges.len() as u64 - 1, 0);
        assert_eq!(incidence.figures().runs, 4);
    }
}
