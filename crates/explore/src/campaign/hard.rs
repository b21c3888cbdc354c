//! Sides that the solver gave up on at the first, cheap try: they are tried again with its whole budget, now and then and
//! when there is nothing else, so that a few hard conditions do not take the time of many easy ones.
//!
//! Now and then, only those are tried whose edge no run has taken; and each that the solver gives up on again doubles the
//! number of picks until the next, since one of these takes as long as hundreds of others.

use std::collections::VecDeque;

use program::{EdgeId, SecondaryMap};

use crate::strategy::Verdict;
use path::tree::Side;
use path::{Candidate, Tree};

/// Picks between two second tries, at first and after one that was answered.
const EVERY: u64 = 16;
/// Picks between two second tries at most.
const SELDOM: u64 = 1024;

/// Candidates that wait for their second try, in the order of the first.
#[derive(Debug)]
pub(super) struct Hard {
    waiting: VecDeque<Candidate>,
    /// Those whose edge a run took while they waited.
    late: VecDeque<Candidate>,
    /// Picks since the last second try, and those to be between two.
    picks: u64,
    every: u64,
}

impl Hard {
    pub(super) fn new() -> Hard {
        Hard {
            waiting: VecDeque::new(),
            late: VecDeque::new(),
            picks: 0,
            every: EVERY,
        }
    }

    /// Takes note of a candidate.
    pub(super) fn push(&mut self, candidate: Candidate) {
        self.waiting.push_back(candidate);
    }

    /// Is it the turn of one? To be asked once for each pick.
    pub(super) fn is_due(&mut self) -> bool {
        self.picks += 1;
        self.picks >= self.every
    }

    /// The candidate that has waited longest, of those that no run has taken meanwhile, nor their edge.
    pub(super) fn next_new(
        &mut self,
        tree: &Tree,
        edge_hits: &SecondaryMap<EdgeId, u64>,
    ) -> Option<Candidate> {
        while let Some(candidate) = self.waiting.pop_front() {
            if tree.side(candidate) != Side::Unknown {
                continue;
            }
            if tree.edge(candidate).is_none_or(|edge| edge_hits[edge] == 0) {
                self.picks = 0;
                return Some(candidate);
            }
            self.late.push_back(candidate);
        }
        None
    }

    /// The candidate that has waited longest, new or not, of those that no run has taken meanwhile.
    pub(super) fn next(&mut self, tree: &Tree) -> Option<Candidate> {
        std::iter::from_fn(|| self.waiting.pop_front().or_else(|| self.late.pop_front()))
            .find(|&candidate| tree.side(candidate) == Side::Unknown)
    }

    /// What became of a second try.
    pub(super) fn tell(&mut self, verdict: Verdict) {
        self.every = match verdict {
            Verdict::Unknown => (self.every * 2).min(SELDOM),
            _ => EVERY,
        };
    }

    pub(super) fn bytes(&self) -> usize {
        (self.waiting.capacity() + self.late.capacity()) * size_of::<Candidate>()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_stays_unknown_is_asked_for_less_often() {
        let mut hard = Hard::new();
        let picks = |hard: &mut Hard| {
            hard.picks = 0;
            (1..).find(|_| hard.is_due())
        };
        assert_eq!(picks(&mut hard), Some(16));
        hard.tell(Verdict::Unknown);
        assert_eq!(picks(&mut hard), Some(32));
        (0..10).for_each(|_| hard.tell(Verdict::Unknown));
        assert_eq!(picks(&mut hard), Some(1024));
        hard.tell(Verdict::Taken);
        assert_eq!(picks(&mut hard), Some(16));
    }
}
