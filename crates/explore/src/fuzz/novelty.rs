//! What is new about the edges of a run.

use program::{EdgeId, Program, SecondaryMap};

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

/// Which edges were taken how often: for each edge the set of AFL's classes (1, 2, 3, 4–7, 8–15, 16–31, 32–127, more).
#[derive(Debug)]
pub(crate) struct Novelty {
    classes: SecondaryMap<EdgeId, u8>,
    /// Of the run that is looked at; all 0 in between.
    counts: SecondaryMap<EdgeId, u32>,
}

impl Novelty {
    pub(crate) fn new(program: &Program) -> Novelty {
        Novelty {
            classes: SecondaryMap::for_map(&program.edges, 0),
            counts: SecondaryMap::for_map(&program.edges, 0),
        }
    }

    /// Compares a run with those before, and remembers it.
    pub(crate) fn look(&mut self, edges: &[EdgeId]) -> Seen {
        for &edge in edges {
            self.counts[edge] += 1;
        }
        let mut seen = Seen::default();
        for &edge in edges {
            let count = std::mem::take(&mut self.counts[edge]);
            let (known, class) = (&mut self.classes[edge], class(count));
            if *known == 0 {
                seen.edges.push(edge);
            }
            seen.count |= class & !*known != 0;
            *known |= class;
        }
        seen
    }
}

fn class(count: u32) -> u8 {
    match count {
        0 => 0,
        1 => 1,
        2 => 1 << 1,
        3 => 1 << 2,
        4..=7 => 1 << 3,
        8..=15 => 1 << 4,
        16..=31 => 1 << 5,
        32..=127 => 1 << 6,
        _ => 1 << 7,
    }
}
