//! Sides that the solver gave up on at the first, cheap try: they are tried again with its whole budget, now and then and
//! when there is nothing else, so that a few hard conditions do not take the time of many easy ones.

use std::collections::VecDeque;

use crate::tree::{Candidate, Side, Tree};

/// Picks between two second tries.
const EVERY: u64 = 16;

/// Candidates that wait for their second try, in the order of the first.
#[derive(Debug, Default)]
pub(super) struct Hard {
    waiting: VecDeque<Candidate>,
    picks: u64,
}

impl Hard {
    /// Takes note of a candidate.
    pub(super) fn push(&mut self, candidate: Candidate) {
        self.waiting.push_back(candidate);
    }

    /// Is it the turn of one? To be asked once for each pick.
    pub(super) fn is_due(&mut self) -> bool {
        self.picks += 1;
        self.picks.is_multiple_of(EVERY)
    }

    /// The candidate that has waited longest and that no run has taken meanwhile.
    pub(super) fn next(&mut self, tree: &Tree) -> Option<Candidate> {
        std::iter::from_fn(|| self.waiting.pop_front())
            .find(|&candidate| tree.side(candidate) == Side::Unknown)
    }

    pub(super) fn bytes(&self) -> usize {
        self.waiting.capacity() * size_of::<Candidate>()
    }
}
