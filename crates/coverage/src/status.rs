//! What is known of a goal: one type, from the ledger of a search to the report and the certificates.
//!
//! Must hold: a goal has exactly one status; what a figure, a list or an exit code says of goals follows from it.

use crate::goal::GoalId;
use crate::goals::{GoalSet, Goals};

/// What is known of a goal. `C`: why no input covers it. `R`: why it is open.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Status<C = Ground, R = ()> {
    /// By this test first; `None`: the judge counts it, the search does not.
    Covered { test: Option<u32> },
    /// No input covers it.
    Infeasible(C),
    /// Neither is known.
    Open(R),
}

/// What a search has for it that no input covers a goal.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Ground {
    /// The code alone forbids it: this was proved before the first run.
    Code,
    /// The words of the command line exclude it: this was proved before the first run.
    Words,
    /// Going backward from it, each way ends in conditions that exclude each other.
    Backward,
    /// Every path was explored, and none covers it.
    Exhausted,
}

impl<C, R> Status<C, R> {
    /// Some test covers it.
    #[must_use]
    pub const fn is_covered(&self) -> bool {
        matches!(self, Status::Covered { .. })
    }

    /// No input covers it.
    #[must_use]
    pub const fn is_infeasible(&self) -> bool {
        matches!(self, Status::Infeasible(_))
    }

    /// Neither is known.
    #[must_use]
    pub const fn is_open(&self) -> bool {
        matches!(self, Status::Open(_))
    }
}

/// What is known of all goals of a set.
#[derive(Clone, Debug)]
pub struct Statuses<C, R> {
    of: Vec<Status<C, R>>,
    covered: GoalSet,
    infeasible: GoalSet,
}

impl<C, R> Statuses<C, R> {
    /// Asks for the status of each goal, in order.
    pub fn new(goals: &Goals, mut of: impl FnMut(GoalId) -> Status<C, R>) -> Statuses<C, R> {
        let mut all = Statuses {
            of: Vec::with_capacity(goals.len()),
            covered: GoalSet::new(goals),
            infeasible: GoalSet::new(goals),
        };
        for (goal, _) in goals.iter() {
            let status = of(goal);
            if status.is_covered() {
                all.covered.insert(goal);
            }
            if status.is_infeasible() {
                all.infeasible.insert(goal);
            }
            all.of.push(status);
        }
        all
    }

    /// What is known of a goal.
    ///
    /// # Panics
    /// When the goal is of another set.
    #[must_use]
    pub fn get(&self, goal: GoalId) -> &Status<C, R> {
        &self.of[goal.index()]
    }

    /// The goals that are covered.
    #[must_use]
    pub const fn covered(&self) -> &GoalSet {
        &self.covered
    }

    /// The goals that no input covers.
    #[must_use]
    pub const fn infeasible(&self) -> &GoalSet {
        &self.infeasible
    }

    /// Why no input covers them: one for each infeasible goal, in order.
    pub fn grounds(&self) -> impl Iterator<Item = &C> {
        self.of.iter().filter_map(|status| match status {
            Status::Infeasible(why) => Some(why),
            _ => None,
        })
    }
}
