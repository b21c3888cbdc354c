//! The ledger of a campaign: which goals are covered and by which test first, which are infeasible, which are open.
//!
//! Must hold: once covered, always covered; what one run costs depends on the edges that it took and the functions in
//! which goals are open, not on the size of the program.

use std::fmt;
use std::ops::AddAssign;

use crate::counts::{Counts, Hits};
use crate::goal::Evidence;
use crate::goal::GoalId;
use crate::goals::{GoalSet, Goals};
use crate::wiring;

/// What is known about a goal.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Status {
    /// By this test first.
    Covered {
        test: u32,
    },
    /// There is a proof that no test can.
    Infeasible,
    Open,
}

/// Numbers of goals, several instantiations of a function counted as one.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Serialize)]
pub struct Totals {
    pub total: u32,
    pub covered: u32,
    pub infeasible: u32,
}

impl Totals {
    /// Neither covered nor infeasible.
    #[must_use]
    pub const fn open(self) -> u32 {
        self.total.saturating_sub(self.covered + self.infeasible)
    }

    /// Covered of 100; 100 when there is nothing to cover.
    #[must_use]
    pub fn percent(self) -> f64 {
        if self.total == 0 {
            100.0
        } else {
            f64::from(self.covered) * 100.0 / f64::from(self.total)
        }
    }
}

impl AddAssign for Totals {
    fn add_assign(&mut self, other: Totals) {
        self.total += other.total;
        self.covered += other.covered;
        self.infeasible += other.infeasible;
    }
}

impl fmt::Display for Totals {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} of {}", self.covered, self.total)
    }
}

/// See the module.
#[derive(Clone, Debug)]
pub struct Ledger {
    /// For each goal, the test that covered it first.
    first: Vec<Option<u32>>,
    covered: GoalSet,
    infeasible: GoalSet,
    /// For each record, the goals that are not covered yet, in no order.
    pending: Vec<Vec<GoalId>>,
    counts: Counts,
    values: Vec<u64>,
}

impl Ledger {
    /// Everything is open.
    #[must_use]
    pub fn new(goals: &Goals) -> Ledger {
        let records = goals.wiring.profile_of_record.len() as u32;
        Ledger {
            first: vec![None; goals.len()],
            covered: GoalSet::new(goals),
            infeasible: GoalSet::new(goals),
            pending: (0..records)
                .map(|record| goals.of_record(record).collect())
                .collect(),
            counts: Counts::new(goals),
            values: Vec::new(),
        }
    }

    /// The goals that a run covers and no run before it did, in order. Marks nothing.
    pub fn fresh(&mut self, goals: &Goals, hits: &Hits) -> Vec<GoalId> {
        if !hits.is_exact() {
            let mut fresh = goals.covered_at_least(hits);
            fresh.retain(|goal| !self.covered.contains(*goal));
            return fresh;
        }
        self.counts.clear(goals);
        self.counts.add(goals, hits);
        let mut fresh = Vec::new();
        for &profile in &self.counts.touched {
            let profile = &goals.wiring.profiles[profile as usize];
            let counters = &self.counts.slots[profile.slots()];
            for &record in &profile.records {
                let pending = &self.pending[record as usize];
                if pending.is_empty() {
                    continue;
                }
                goals.evaluate(record, counters, &mut self.values);
                fresh.extend(pending.iter().copied().filter(|goal| {
                    let Evidence::Count(counter) = goals.get(*goal).evidence;
                    wiring::value(counter, counters, &self.values) > 0
                }));
            }
        }
        fresh.sort_unstable();
        fresh
    }

    /// Marks what a run covers as covered by this test; returns what is new, in order.
    pub fn record(&mut self, goals: &Goals, hits: &Hits, test: u32) -> Vec<GoalId> {
        let fresh = self.fresh(goals, hits);
        self.mark(goals, &fresh, test);
        fresh
    }

    /// Marks these goals as covered by this test, where they are not covered yet.
    pub fn mark(&mut self, goals: &Goals, covered: &[GoalId], test: u32) {
        for &goal in covered {
            if self.covered.insert(goal) {
                self.first[goal.index()] = Some(test);
                self.pending[goals.get(goal).record as usize].retain(|other| *other != goal);
            }
        }
    }

    /// A proof was found that no test covers this goal.
    pub fn mark_infeasible(&mut self, goal: GoalId) {
        self.infeasible.insert(goal);
    }

    /// What is known about a goal. A test beats a proof.
    #[must_use]
    pub fn status(&self, goal: GoalId) -> Status {
        match self.first[goal.index()] {
            Some(test) => Status::Covered { test },
            None if self.infeasible.contains(goal) => Status::Infeasible,
            None => Status::Open,
        }
    }

    /// Goals that were proved infeasible and then covered by a test: a proof was wrong.
    pub fn contradictions(&self) -> impl Iterator<Item = GoalId> {
        self.infeasible
            .iter()
            .filter(|goal| self.covered.contains(*goal))
    }

    /// Would covering this goal bring the totals forward? Not when it is covered or infeasible, nor when another
    /// instantiation of its function is completely covered.
    #[must_use]
    pub fn is_wanted(&self, goals: &Goals, goal: GoalId) -> bool {
        let done = |goal: GoalId| self.covered.contains(goal) || self.infeasible.contains(goal);
        let complete = |record: &u32| self.pending[*record as usize].is_empty();
        !done(goal)
            && !goals.groups()[goals.group_of(goal) as usize]
                .iter()
                .any(complete)
    }

    /// Every goal that is covered.
    #[must_use]
    pub const fn covered(&self) -> &GoalSet {
        &self.covered
    }

    /// Every goal with a proof, whether covered or not.
    #[must_use]
    pub const fn infeasible(&self) -> &GoalSet {
        &self.infeasible
    }

    /// Totals as `llvm-cov` makes them.
    #[must_use]
    pub fn totals(&self, goals: &Goals) -> Totals {
        goals.totals(&self.covered, &self.infeasible)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::HitCounter;
    use crate::criterion::branch::Branch;
    use crate::sample::{Builder, simple};

    #[test]
    fn the_first_test_that_covers_a_goal_is_kept() {
        let mut builder = Builder::new();
        let (main, no, yes) = simple(&mut builder, "main", 1, "a.c");
        let program = builder.program;
        let goals = Goals::new(&program, &Branch);
        let mut ledger = Ledger::new(&goals);
        let mut counter = HitCounter::new(&program);
        let mut run = |edges: &[program::EdgeId], test, ledger: &mut Ledger| {
            edges.iter().for_each(|edge| counter.edge(*edge));
            edges.iter().for_each(|_| counter.enter(main));
            ledger.record(&goals, &counter.take(), test)
        };
        let [is_true, is_false] = [0, 1].map(GoalId::from_u32);
        assert_eq!(run(&[yes], 7, &mut ledger), [is_true]);
        assert_eq!(run(&[yes, yes], 8, &mut ledger), []);
        assert_eq!(ledger.status(is_true), Status::Covered { test: 7 });
        assert_eq!(ledger.status(is_false), Status::Open);
        assert_eq!(ledger.totals(&goals).to_string(), "1 of 2");

        ledger.mark_infeasible(is_false);
        assert_eq!(
            (ledger.status(is_false), ledger.totals(&goals).open()),
            (Status::Infeasible, 0)
        );
        assert_eq!(ledger.contradictions().count(), 0);
        assert_eq!(
            run(&[no, yes], 9, &mut ledger),
            [is_false],
            "a test beats a proof"
        );
        assert_eq!(ledger.status(is_false), Status::Covered { test: 9 });
        assert_eq!(ledger.contradictions().collect::<Vec<_>>(), [is_false]);
        assert_eq!(
            (
                ledger.totals(&goals).covered,
                ledger.totals(&goals).infeasible
            ),
            (2, 0)
        );
    }

    #[test]
    fn other_instantiations_of_a_covered_function_are_not_wanted() {
        let mut builder = Builder::new();
        let (f, f_no, f_yes) = simple(&mut builder, "a.c:min", 1, "min.h");
        simple(&mut builder, "b.c:min", 1, "min.h");
        let program = builder.program;
        let goals = Goals::new(&program, &Branch);
        let mut ledger = Ledger::new(&goals);
        let wanted = |ledger: &Ledger| {
            goals
                .iter()
                .filter(|(goal, _)| ledger.is_wanted(&goals, *goal))
                .count()
        };
        assert_eq!(wanted(&ledger), 4);
        let mut counter = HitCounter::new(&program);
        counter.enter(f);
        counter.edge(f_no);
        ledger.record(&goals, &counter.take(), 1);
        assert_eq!(wanted(&ledger), 3);
        counter.enter(f);
        counter.edge(f_yes);
        ledger.record(&goals, &counter.take(), 2);
        assert_eq!(wanted(&ledger), 0);
        assert_eq!(ledger.totals(&goals).open(), 0);
    }
}
