//! Sides that may be forbidden by pinned values only.
//!
//! A pin says that an address or a length is what it was in the run: without it nobody knows what the run does from there on.
//! It also ties inputs to each other that have little to do with each other (the bucket of a hash table holds all bytes of a
//! key), so that what comes behind has no solution, or none that the solver finds. Such a side is asked for once more with every
//! branch of its path but without the pins, if no run has taken its edge. The run may go elsewhere at a pin, and often
//! comes to the side all the same. [`optimistic`](super::optimistic) goes further.
//!
//! Must hold: what comes of it is no verdict on the side; an edge is tried [`TRIES`] times at most.

use std::collections::VecDeque;

use path::Candidate;
use program::{EdgeId, Program, SecondaryMap};
use smt::Effort;

use super::{Entry, Flip, Prefix, Proposal, Scene, Source, Told, Turn};
use crate::view::{Verdict, View};

/// The source's entry in the registry.
pub(crate) const ENTRY: Entry = Entry {
    name: "unpinned",
    summary: "sides that may be forbidden by pinned values only",
    watches: false,
    is_random: false,
    slices: false,
    looks_back: false,
    make: |setup| Box::new(Unpinned::new(setup.program)),
};

/// Most tries for one edge.
const TRIES: u8 = 8;

/// Sides that wait for their try.
#[derive(Debug)]
struct Unpinned {
    waiting: VecDeque<Candidate>,
    tries: SecondaryMap<EdgeId, u8>,
}

impl Unpinned {
    fn new(program: &Program) -> Unpinned {
        Unpinned {
            waiting: VecDeque::new(),
            tries: SecondaryMap::for_map(&program.edges, 0),
        }
    }
}

impl Source for Unpinned {
    /// The next side whose edge no run has taken, and that has pins before it.
    fn propose(&mut self, scene: &mut Scene<'_>, turn: Turn) -> Option<Proposal> {
        if turn != Turn::Regular {
            return None;
        }
        loop {
            let side = self.waiting.pop_front()?;
            let Some(edge) = scene.tree.edge(side) else {
                continue;
            };
            let wanted = scene.edge_hits[edge] == 0 && self.tries[edge] < TRIES;
            if wanted && scene.is_pinned(side) {
                self.tries[edge] += 1;
                return Some(Proposal::Flip(Flip {
                    prefix: Prefix::WithoutPins,
                    ..Flip::plain(side, Effort::Quick, "Unpinned")
                }));
            }
        }
    }

    /// The side has no solution, or none was found.
    fn on_result(&mut self, _view: &View<'_>, told: &Told<'_>) {
        if let Some((side, _, Verdict::Unsat | Verdict::Unknown)) = told.side {
            self.waiting.push_back(side);
        }
    }

    fn bytes(&self) -> usize {
        self.waiting.capacity() * size_of::<Candidate>()
    }
}
