//! What earlier queries found: models, and slices that have none.
//!
//! Everything is bounded and dropped in the order of insertion or all at once, so the same queries meet the same
//! caches. Keys are terms: a compaction of the pool empties the caches.

use std::collections::{HashMap, VecDeque};

use super::Effort;
use crate::pool::hash::MixBuild;
use crate::{Assignment, Term};

/// Assignments tried on every query.
const RECENT: usize = 24;
/// Answers kept.
const ANSWERS: usize = 1 << 15;
/// Unsatisfiable slices kept for one goal.
const SLICES: usize = 12;
/// A goal is hard for an effort when the backend gave it up so often.
const HARD: u32 = 2;

/// A sorted set of terms, and a summary of it for quick tests.
#[derive(Debug)]
struct Set {
    summary: u64,
    terms: Box<[Term]>,
}

impl Set {
    fn new(terms: &[Term]) -> Self {
        Self {
            summary: summary(terms),
            terms: terms.into(),
        }
    }

    /// Whether all of it is in `other`, whose summary is `other_summary`.
    fn is_within(&self, other: &[Term], other_summary: u64) -> bool {
        if self.summary & !other_summary != 0 || self.terms.len() > other.len() {
            return false;
        }
        let mut rest = other.iter();
        self.terms.iter().all(|t| rest.any(|o| o == t))
    }
}

fn summary(terms: &[Term]) -> u64 {
    terms
        .iter()
        .fold(0, |s, t| s | 1 << (t.0.wrapping_mul(0x9e37_79b1) >> 26))
}

/// All caches.
#[derive(Debug, Default)]
pub(crate) struct Cache {
    recent: VecDeque<Assignment>,
    sat: HashMap<(Term, Box<[Term]>), Assignment, MixBuild>,
    unsat: HashMap<Term, Vec<Set>, MixBuild>,
    unsat_count: usize,
    /// How often the backend gave up a goal.
    given_up: HashMap<(Term, Effort), u32, MixBuild>,
}

impl Cache {
    /// Whether an unsatisfiable slice of this goal is part of `slice`.
    pub(crate) fn is_unsat(&self, goal: Term, slice: &[Term]) -> bool {
        let Some(known) = self.unsat.get(&goal) else {
            return false;
        };
        let summary = summary(slice);
        known.iter().any(|set| set.is_within(slice, summary))
    }

    pub(crate) fn add_unsat(&mut self, goal: Term, slice: &[Term]) {
        if self.unsat_count >= ANSWERS {
            self.unsat.clear();
            self.unsat_count = 0;
        }
        let known = self.unsat.entry(goal).or_default();
        if known.len() >= SLICES {
            known.remove(0);
            self.unsat_count -= 1;
        }
        known.push(Set::new(slice));
        self.unsat_count += 1;
    }

    /// The values that answered the same question before.
    pub(crate) fn model(&self, goal: Term, slice: &[Term]) -> Option<&Assignment> {
        self.sat.get(&(goal, slice.into()))
    }

    /// Remembers values of the slice's variables.
    pub(crate) fn add_model(&mut self, goal: Term, slice: &[Term], model: Assignment) {
        if self.sat.len() >= ANSWERS {
            self.sat.clear();
        }
        self.sat.insert((goal, slice.into()), model.clone());
        if self.recent.contains(&model) {
            return;
        }
        if self.recent.len() >= RECENT {
            self.recent.pop_front();
        }
        self.recent.push_back(model);
    }

    /// The backend gave up a goal, whatever stood before it.
    pub(crate) fn add_given_up(&mut self, goal: Term, effort: Effort) {
        if self.given_up.len() >= ANSWERS {
            self.given_up.clear();
        }
        *self.given_up.entry((goal, effort)).or_default() += 1;
    }

    /// Whether the backend would most likely give up a goal again. What stands before a goal differs from path to path, but it is the
    /// goal's own arithmetic that is hard. With all of the effort it is always asked.
    pub(crate) fn is_hard(&self, goal: Term, effort: Effort) -> bool {
        effort < Effort::Full
            && self
                .given_up
                .get(&(goal, effort))
                .is_some_and(|&times| times >= HARD)
    }

    /// Assignments that satisfied other queries, the newest first.
    pub(crate) fn recent(&self) -> impl Iterator<Item = &Assignment> {
        self.recent.iter().rev()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_goal_is_hard_for_an_effort_that_was_not_enough_twice() {
        let (goal, mut cache) = (Term(9), Cache::default());
        for is_hard in [false, false, true] {
            assert_eq!(cache.is_hard(goal, Effort::Quick), is_hard);
            cache.add_given_up(goal, Effort::Quick);
            cache.add_given_up(goal, Effort::Full);
        }
        for effort in [Effort::Longer, Effort::Full] {
            assert!(!cache.is_hard(goal, effort));
        }
        assert!(!cache.is_hard(Term(8), Effort::Quick));
    }

    #[test]
    fn a_larger_slice_of_the_same_goal_is_unsat_too() {
        let t = |ids: &[u32]| ids.iter().map(|&i| Term(i)).collect::<Vec<_>>();
        let mut cache = Cache::default();
        cache.add_unsat(Term(9), &t(&[2, 5]));
        assert!(cache.is_unsat(Term(9), &t(&[1, 2, 3, 5])));
        assert!(!cache.is_unsat(Term(9), &t(&[1, 2, 3])));
        assert!(!cache.is_unsat(Term(8), &t(&[2, 5])));
        for i in 0..100 {
            cache.add_unsat(Term(9), &t(&[i + 100]));
        }
        assert!(!cache.is_unsat(Term(9), &t(&[2, 5])));
        assert_eq!(cache.unsat_count, SLICES);
    }
}
