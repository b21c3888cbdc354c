//! Sides that what comes before them on the path forbids.
//!
//! A path often decides a condition before it comes to it: a program looks up a tag in a table, to print its name, and then has a `switch`
//! over the same tag. Behind the loop over the table each case but one is forbidden, on every path. The flip that leads to the case is
//! one of the loop's, and nothing tells which. So a side without a solution, or with none that the solver finds, is asked for by its own
//! condition alone, if no run has taken its edge. The run goes elsewhere before it comes to the side, and often comes to it all the
//! same. Yun et al. call this optimistic solving (*QSYM*, USENIX Security 2018, III-C).
//!
//! Must hold: what comes of it is no verdict on the side; an edge is tried [`TRIES`] times at most.

use std::collections::VecDeque;

use path::Candidate;
use program::{EdgeId, Program, SecondaryMap};
use smt::Effort;

use super::{Entry, Flip, Prefix, Proposal, Scene, Source, Told, Turn};
use crate::pace::{Pace, Rule};
use crate::view::{Verdict, View};

/// The source's entry in the registry.
pub(crate) const ENTRY: Entry = Entry {
    name: "optimistic",
    summary: "sides that the path before them forbids",
    watches: false,
    is_random: false,
    slices: false,
    looks_back: false,
    make: |setup| Box::new(Optimistic::new(setup.program)),
};

/// Most tries for one edge.
const TRIES: u8 = 8;
/// Turns for one try while these lead on.
const EVERY: f64 = 2.0;

/// Sides that wait for their try.
#[derive(Debug)]
struct Optimistic {
    waiting: VecDeque<(Candidate, EdgeId)>,
    /// Sides of each edge that waited or wait.
    tries: SecondaryMap<EdgeId, u8>,
    pace: Pace,
    /// The edge that was tried last.
    last: Option<EdgeId>,
}

impl Optimistic {
    fn new(program: &Program) -> Optimistic {
        Optimistic {
            waiting: VecDeque::new(),
            tries: SecondaryMap::for_map(&program.edges, 0),
            pace: Pace::new(Rule::USUAL),
            last: None,
        }
    }
}

impl Source for Optimistic {
    fn propose(&mut self, scene: &mut Scene<'_>, turn: Turn) -> Option<Proposal> {
        if turn != Turn::Regular {
            return None;
        }
        if let Some(last) = self.last.take() {
            self.pace.credit(true, scene.edge_hits[last] > 0);
        }
        while self
            .waiting
            .front()
            .is_some_and(|&(_, edge)| scene.edge_hits[edge] > 0)
        {
            self.waiting.pop_front();
        }
        if !self.pace.is_due(EVERY, !self.waiting.is_empty()) {
            return None;
        }
        let (side, edge) = self.waiting.pop_front()?;
        self.last = Some(edge);
        Some(Proposal::Flip(Flip {
            prefix: Prefix::Nothing,
            ..Flip::plain(side, Effort::Quick, "Optimistic")
        }))
    }

    /// The side has no solution, or none was found.
    fn on_result(&mut self, view: &View<'_>, told: &Told<'_>) {
        self.pace.credit(false, told.is_new);
        if let Some((side, _, Verdict::Unsat | Verdict::Unknown)) = told.side
            && let Some(edge) = view.tree.edge(side)
            && view.edge_hits[edge] == 0
            && self.tries[edge] < TRIES
        {
            self.tries[edge] += 1;
            self.waiting.push_back((side, edge));
        }
    }

    fn bytes(&self) -> usize {
        self.waiting.capacity() * size_of::<(Candidate, EdgeId)>()
    }
}
