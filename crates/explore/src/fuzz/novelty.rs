//! What is new about the edges of a run.

use program::{EdgeId, Program};

use crate::counts::{Counts, New};

/// What a run showed, compared with all before it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Seen {
    /// Edges taken for the first time.
    pub(crate) edges: Vec<EdgeId>,
    /// An edge was taken more or less often than ever.
    pub(crate) count: bool,
}

impl Seen {
    /// Whether there is anything new.
    pub(crate) fn is_new(&self) -> bool {
        self.count || !self.edges.is_empty()
    }
}

/// Times in a run above which an edge's count is not looked at.
const MOST: u32 = 128;

/// Which edges were taken how often, as far as [`MOST`].
#[derive(Debug)]
pub(crate) struct Novelty(Counts);

impl Novelty {
    pub(crate) fn new(program: &Program) -> Novelty {
        Novelty(Counts::new(program))
    }

    /// Compares a run with those before, and remembers it.
    pub(crate) fn look(&mut self, edges: impl Iterator<Item = (EdgeId, u32)>) -> Seen {
        let mut seen = Seen::default();
        for (edge, times) in edges {
            match self.0.note(edge, u64::from(times.min(MOST))) {
                New::Edge => seen.edges.push(edge),
                New::Count => seen.count = true,
                New::Nothing => {}
            }
        }
        seen
    }
}
