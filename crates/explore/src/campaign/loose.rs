//! Sides that may be forbidden by pinned values only.
//!
//! A pin says that an address or a length is what it was in the run: without it nobody knows what the run does from there on.
//! It also ties inputs to each other that have little to do with each other (the bucket of a hash table holds all bytes of a
//! key), so that what comes behind has no solution, or none that the solver finds. Such a side is asked for once more with every
//! branch of its path but without the pins, if no run has taken its edge. The run may go elsewhere at a pin, and often
//! comes to the side all the same. Yun et al. go further when they solve optimistically (*QSYM*, USENIX Security 2018, III-C: the
//! last condition alone).
//!
//! Must hold: what comes of it is no verdict on the side; an edge is tried [`TRIES`] times at most.

use std::collections::VecDeque;

use program::{EdgeId, Program, SecondaryMap};

use path::{Candidate, Tree};

/// Most tries for one edge.
const TRIES: u8 = 8;

/// Sides that wait for their try.
#[derive(Debug)]
pub(super) struct Loose {
    waiting: VecDeque<Candidate>,
    tries: SecondaryMap<EdgeId, u8>,
}

impl Loose {
    pub(super) fn new(program: &Program) -> Loose {
        Loose {
            waiting: VecDeque::new(),
            tries: SecondaryMap::for_map(&program.edges, 0),
        }
    }

    /// The side has no solution, or none was found.
    pub(super) fn push(&mut self, candidate: Candidate) {
        self.waiting.push_back(candidate);
    }

    /// The next side whose edge no run has taken.
    pub(super) fn next(
        &mut self,
        tree: &Tree,
        edge_hits: &SecondaryMap<EdgeId, u64>,
    ) -> Option<Candidate> {
        std::iter::from_fn(|| self.waiting.pop_front()).find(|&candidate| {
            tree.edge(candidate)
                .is_some_and(|edge| edge_hits[edge] == 0 && self.tries[edge] < TRIES)
        })
    }

    /// There were pins, so the side is tried.
    pub(super) fn tried(&mut self, edge: EdgeId) {
        self.tries[edge] += 1;
    }

    pub(super) fn bytes(&self) -> usize {
        self.waiting.capacity() * size_of::<Candidate>()
    }
}
