//! How often edges are taken in a run, in classes: the sign of progress while no edge is new. AFL's idea, and nearly its
//! classes: 1, 2, 3, 4 to 7, 8 to 15 and so on, each twice as wide as the last.

use program::{EdgeId, Program, SecondaryMap};

/// What is new about an edge of a run, compared with all runs before it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum New {
    Nothing,
    /// It was never taken about as often.
    Count,
    /// It was never taken.
    Edge,
}

/// For each edge the set of its classes, one bit each.
#[derive(Debug, Default)]
pub(crate) struct Counts(SecondaryMap<EdgeId, u16>);

impl Counts {
    pub(crate) fn new(program: &Program) -> Counts {
        Counts(SecondaryMap::for_map(&program.edges, 0))
    }

    /// Remembers that a run took an edge so often, at least once.
    pub(crate) fn note(&mut self, edge: EdgeId, count: u64) -> New {
        let class = 1 << class(count);
        let known = &mut self.0[edge];
        let new = match *known {
            0 => New::Edge,
            seen if seen & class == 0 => New::Count,
            _ => New::Nothing,
        };
        *known |= class;
        new
    }
}

fn class(count: u64) -> u32 {
    match count {
        0..=3 => count as u32,
        _ => (2 + count.ilog2()).min(15),
    }
}
