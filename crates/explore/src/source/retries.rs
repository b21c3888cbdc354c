//! Sides that the solver gave up on at the first, cheap try: they are tried again now and then with more of its budget, and
//! with all of it when there is nothing else, so that a few hard conditions do not take the time of many easy ones.
//!
//! Now and then, only those are tried whose edge no run has taken; and each that the solver gives up on again doubles the
//! number of picks until the next, since one of these takes as long as dozens of others.

use std::collections::VecDeque;

use program::{EdgeId, SecondaryMap};

use path::tree::Side;
use path::{Candidate, Tree};
use smt::Effort;

use super::{Entry, Flip, Proposal, Scene, Source, Told, Turn};
use crate::view::{Verdict, View};

/// The source's entry in the registry.
pub(crate) const ENTRY: Entry = Entry {
    name: "retries",
    summary: "sides that the solver gave up on, with more of its budget",
    watches: false,
    is_random: false,
    slices: false,
    looks_back: false,
    make: |_| Box::new(Retries::new()),
};

/// Picks between two second tries, at first and after one that was answered.
const EVERY: u64 = 16;
/// Picks between two second tries at most.
const SELDOM: u64 = 1024;

/// Candidates that wait for another try, in the order of the last.
#[derive(Debug)]
struct Retries {
    /// Those that were tried once.
    waiting: VecDeque<Candidate>,
    /// Those that were tried twice, or whose edge a run took while they waited.
    late: VecDeque<Candidate>,
    /// Picks since the last second try, and those to be between two.
    picks: u64,
    every: u64,
}

impl Retries {
    fn new() -> Retries {
        Retries {
            waiting: VecDeque::new(),
            late: VecDeque::new(),
            picks: 0,
            every: EVERY,
        }
    }

    /// Takes note of a candidate that the solver gave up on.
    fn push(&mut self, candidate: Candidate, effort: Effort) {
        match effort {
            Effort::Quick => self.waiting.push_back(candidate),
            Effort::Longer => self.late.push_back(candidate),
            Effort::Full => {}
        }
    }

    /// Is it the turn of one? To be asked once for each pick.
    fn is_due(&mut self) -> bool {
        self.picks += 1;
        self.picks >= self.every
    }

    /// The candidate that has waited longest, of those that no run has taken meanwhile, nor their edge.
    fn next_new(
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
    fn next(&mut self, tree: &Tree) -> Option<Candidate> {
        std::iter::from_fn(|| self.waiting.pop_front().or_else(|| self.late.pop_front()))
            .find(|&candidate| tree.side(candidate) == Side::Unknown)
    }

    /// What became of a second try.
    fn tell(&mut self, verdict: Verdict) {
        self.every = match verdict {
            Verdict::Unknown => (self.every * 2).min(SELDOM),
            _ => EVERY,
        };
    }
}

impl Source for Retries {
    fn propose(&mut self, scene: &mut Scene<'_>, turn: Turn) -> Option<Proposal> {
        let wanted = match turn {
            Turn::Regular => self.is_due(),
            Turn::Spare => true,
            Turn::First | Turn::Stuck | Turn::Last => false,
        };
        if !wanted {
            return None;
        }
        loop {
            let (side, effort) = match turn {
                Turn::Regular => {
                    let side = self.next_new(scene.tree, scene.edge_hits)?;
                    (side, Effort::Longer)
                }
                _ => (self.next(scene.tree)?, Effort::Full),
            };
            if scene.admits(side) {
                return Some(Proposal::Flip(Flip::plain(side, effort, "Retry")));
            }
        }
    }

    fn on_result(&mut self, _view: &View<'_>, told: &Told<'_>) {
        let Some((side, effort, verdict)) = told.side else {
            return;
        };
        if told.own {
            self.tell(verdict);
        }
        if verdict == Verdict::Unknown {
            self.push(side, effort);
        }
    }

    fn bytes(&self) -> usize {
        (self.waiting.capacity() + self.late.capacity()) * size_of::<Candidate>()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_stays_unknown_with_more_waits_for_all_of_it() {
        let mut retries = Retries::new();
        let side = |node| Candidate {
            node: path::NodeId::from_u32(node),
            side: 0,
        };
        retries.push(side(1), Effort::Longer);
        retries.push(side(2), Effort::Quick);
        retries.push(side(3), Effort::Full);
        assert_eq!((retries.waiting.len(), retries.late.len()), (1, 1));
    }

    #[test]
    fn what_stays_unknown_is_asked_for_less_often() {
        let mut retries = Retries::new();
        let picks = |retries: &mut Retries| {
            retries.picks = 0;
            (1..).find(|_| retries.is_due())
        };
        assert_eq!(picks(&mut retries), Some(16));
        retries.tell(Verdict::Unknown);
        assert_eq!(picks(&mut retries), Some(32));
        (0..10).for_each(|_| retries.tell(Verdict::Unknown));
        assert_eq!(picks(&mut retries), Some(1024));
        retries.tell(Verdict::Taken);
        assert_eq!(picks(&mut retries), Some(16));
    }
}
