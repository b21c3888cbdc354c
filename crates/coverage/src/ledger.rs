//! The ledger of a campaign: which goals are covered and by which test first, which are infeasible, which are open.
//!
//! A goal can count as covered though no run took it: its count is a difference of two counters, and a run ended between them (a
//! signal, a time limit, `exit` in a callee). `llvm-cov` counts it, so it stands in the figures; it is *untaken* and goes on being
//! wanted until a run takes it.
//!
//! Must hold: once covered, always covered; what one run costs depends on the edges that it took and the functions in
//! which goals are open, not on the size of the program.

use std::fmt;
use std::ops::AddAssign;

use crate::counts::{Counts, Hits};
use crate::decisions::DecisionId;
use crate::eval::{Eval, News};
use crate::goal::{Figure, GoalId};
use crate::goals::{GoalSet, Goals};
use crate::minimal::Shows;
use crate::status::{Ground, Status};
use crate::vector::Vector;

/// Numbers of goals, several instantiations of a function counted as one.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
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

/// Numbers of goals: the criterion's own, and what is counted apart from them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Figures {
    /// The criterion's own: where `llvm-cov` has a figure for it, that one.
    pub own: Totals,
    /// Those of them that want a pair of tests.
    pub pairs: Totals,
    /// Entries of functions.
    pub entries: Totals,
    /// Exits of functions.
    pub exits: Totals,
}

impl Figures {
    /// Neither covered nor infeasible, of all.
    #[must_use]
    pub const fn open(self) -> u32 {
        self.own.open() + self.entries.open() + self.exits.open()
    }

    /// The lowest of the percentages: all goals are wanted.
    #[must_use]
    pub fn percent(self) -> f64 {
        self.own
            .percent()
            .min(self.entries.percent())
            .min(self.exits.percent())
    }

    /// Takes one goal into account.
    pub(crate) fn add(&mut self, figure: Figure, covered: bool, infeasible: bool) {
        let one = Totals {
            total: 1,
            covered: u32::from(covered),
            infeasible: u32::from(infeasible && !covered),
        };
        match figure {
            Figure::Own => self.own += one,
            Figure::Pairs => {
                self.own += one;
                self.pairs += one;
            }
            Figure::Entries => self.entries += one,
            Figure::Exits => self.exits += one,
        }
    }

    /// The same, with as many goals in each figure as there are in the larger one.
    pub(crate) fn or_more(mut self, other: Figures) -> Figures {
        self.own.total = self.own.total.max(other.own.total);
        self.pairs.total = self.pairs.total.max(other.pairs.total);
        self.entries.total = self.entries.total.max(other.entries.total);
        self.exits.total = self.exits.total.max(other.exits.total);
        self
    }
}

impl AddAssign for Figures {
    fn add_assign(&mut self, other: Figures) {
        self.own += other.own;
        self.pairs += other.pairs;
        self.entries += other.entries;
        self.exits += other.exits;
    }
}

impl fmt::Display for Totals {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} of {}", self.covered, self.total)
    }
}

/// The status of each goal, and the test that covered it first.
#[derive(Clone, Debug)]
pub struct Ledger {
    /// Of each goal.
    status: Vec<Status>,
    /// Those that are covered, for sums.
    covered: GoalSet,
    /// Those of them that no run took.
    untaken: GoalSet,
    /// Those that were refuted, for sums; a test may have covered one since.
    infeasible: GoalSet,
    /// For each record, the goals that no run has taken yet, in no order.
    pending: Vec<Vec<GoalId>>,
    counts: Counts,
    values: Vec<u64>,
    eval: Eval,
}

impl Ledger {
    /// Everything is open.
    #[must_use]
    pub fn new(goals: &Goals) -> Ledger {
        let records = goals.wiring.profile_of_record.len() as u32;
        Ledger {
            status: vec![Status::Open(()); goals.len()],
            covered: GoalSet::new(goals),
            untaken: GoalSet::new(goals),
            infeasible: GoalSet::new(goals),
            pending: (0..records)
                .map(|record| goals.of_record(record).collect())
                .collect(),
            counts: Counts::new(goals),
            values: Vec::new(),
            eval: Eval::default(),
        }
    }

    /// The goals that a run covers, by itself or together with the tests so far, and nothing did before, in order; and those
    /// that it is the first to take. Marks nothing.
    pub fn fresh(&mut self, goals: &Goals, hits: &Hits) -> Vec<GoalId> {
        self.look(goals, hits).0
    }

    /// The same, and what the run evaluated that open goals ask for.
    fn look(&mut self, goals: &Goals, hits: &Hits) -> (Vec<GoalId>, News) {
        let news = News {
            vectors: self.new_vectors(goals, hits),
        };
        let mut fresh = if hits.is_exact() {
            self.counted(goals, hits)
        } else {
            goals.covered_at_least(hits)
        };
        let open = |goal| !self.covered.contains(goal);
        fresh.retain(|&goal| {
            open(goal) || self.untaken.contains(goal) && goals.is_taken(goal, hits)
        });
        fresh.extend(self.eval.cov(goals, &news, &open));
        fresh.sort_unstable();
        fresh.dedup();
        (fresh, news)
    }

    /// Goals that the counts of a run cover.
    fn counted(&mut self, goals: &Goals, hits: &Hits) -> Vec<GoalId> {
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
                let met = |goal: &&GoalId| goals.is_met(**goal, counters, &self.values);
                fresh.extend(pending.iter().filter(met));
            }
        }
        fresh
    }

    /// Vectors that no test showed, of decisions with open goals.
    fn new_vectors(&self, goals: &Goals, hits: &Hits) -> Vec<(DecisionId, Vector)> {
        let wanted = |decision| {
            goals
                .of_decision(decision)
                .any(|goal| !self.covered.contains(goal))
        };
        let new = hits
            .vectors
            .iter()
            .filter(|(decision, vector)| !self.eval.knows(*decision, vector) && wanted(*decision));
        new.copied().collect()
    }

    /// Marks what a run covers as covered by this test; returns what is new, in order. The run has to be kept as this test
    /// when something is new, or when [`adds_evidence`](Ledger::adds_evidence) said so before.
    pub fn record(&mut self, goals: &Goals, hits: &Hits, test: u32) -> Vec<GoalId> {
        let (fresh, news) = self.look(goals, hits);
        self.eval.add(&news, test);
        let (taken, untaken): (Vec<GoalId>, Vec<GoalId>) =
            fresh.iter().partition(|goal| goals.is_taken(**goal, hits));
        self.mark(goals, &taken, test);
        self.mark_untaken(&untaken, test);
        fresh
    }

    /// Does a run show what may cover an open goal together with another run: a new vector?
    pub fn adds_evidence(&mut self, goals: &Goals, hits: &Hits) -> bool {
        !self.look(goals, hits).1.is_empty()
    }

    /// All that a run shows, whether it is new or not.
    #[must_use]
    pub fn shows(&mut self, goals: &Goals, hits: &Hits) -> Shows {
        let mut shows = Shows {
            vectors: hits.vectors.clone(),
            ..Shows::default()
        };
        if !hits.is_exact() {
            shows.goals = goals.covered_at_least(hits);
            return shows;
        }
        self.counts.clear(goals);
        self.counts.add(goals, hits);
        for &profile in &self.counts.touched {
            let profile = &goals.wiring.profiles[profile as usize];
            let counters = &self.counts.slots[profile.slots()];
            for &record in &profile.records {
                goals.evaluate(record, counters, &mut self.values);
                let met = |goal: &GoalId| goals.is_met(*goal, counters, &self.values);
                for goal in goals.of_record(record).filter(met) {
                    match goals.is_taken(goal, hits) {
                        true => shows.goals.push(goal),
                        false => shows.untaken.push(goal),
                    }
                }
            }
        }
        shows
    }

    /// What the tests evaluated.
    #[must_use]
    pub const fn eval(&self) -> &Eval {
        &self.eval
    }

    /// Marks these goals as covered by this test, which takes them, where no test before it does.
    pub fn mark(&mut self, goals: &Goals, covered: &[GoalId], test: u32) {
        for &goal in covered {
            if self.covered.insert(goal) | self.untaken.remove(goal) {
                self.status[goal.index()] = Status::Covered { test: Some(test) };
                self.pending[goals.get(goal).record as usize].retain(|other| *other != goal);
            }
        }
    }

    /// Marks these goals as covered by the counts of this test, which does not take them, where nothing covers them yet.
    pub fn mark_untaken(&mut self, covered: &[GoalId], test: u32) {
        for &goal in covered {
            if self.covered.insert(goal) {
                self.untaken.insert(goal);
                self.status[goal.index()] = Status::Covered { test: Some(test) };
            }
        }
    }

    /// A proof was found that no test covers this goal.
    pub fn mark_infeasible(&mut self, goal: GoalId, ground: Ground) {
        self.infeasible.insert(goal);
        if let open @ Status::Open(()) = &mut self.status[goal.index()] {
            *open = Status::Infeasible(ground);
        }
    }

    /// What is known about a goal. A test beats a proof.
    #[must_use]
    pub fn status(&self, goal: GoalId) -> Status {
        self.status[goal.index()]
    }

    /// Goals that were proved infeasible and then covered by a test: a proof was wrong.
    pub fn contradictions(&self) -> impl Iterator<Item = GoalId> {
        self.infeasible
            .iter()
            .filter(|goal| self.covered.contains(*goal))
    }

    /// Did a run take it?
    fn is_taken(&self, goal: GoalId) -> bool {
        self.covered.contains(goal) && !self.untaken.contains(goal)
    }

    /// Would taking this goal bring the campaign forward? Not when it was taken or is infeasible, nor when another
    /// instantiation of its function is completely covered, nor when others were taken of which one is enough.
    #[must_use]
    pub fn is_wanted(&self, goals: &Goals, goal: GoalId) -> bool {
        let done = |goal: GoalId| self.is_taken(goal) || self.infeasible.contains(goal);
        let sets = goals.alternatives();
        if !sets.is_empty() {
            let reached = |set: &&Vec<GoalId>| set.iter().any(|other| self.is_taken(*other));
            let mut own = sets.iter().filter(|set| set.contains(&goal));
            return !done(goal) && own.any(|set| !reached(&set));
        }
        let complete = |record: &u32| self.pending[*record as usize].is_empty();
        !done(goal)
            && !goals.groups()[goals.group_of(goal) as usize]
                .iter()
                .any(complete)
    }

    /// Is something known of each set of goals of which one is enough? Only where there are such sets.
    #[must_use]
    pub fn settles_alternatives(&self, goals: &Goals) -> bool {
        let sets = goals.alternatives();
        let settled = |set: &Vec<GoalId>| {
            set.iter().any(|goal| self.is_taken(*goal))
                || set.iter().all(|goal| self.infeasible.contains(*goal))
        };
        !sets.is_empty() && sets.iter().all(settled)
    }

    /// Every goal that is covered.
    #[must_use]
    pub const fn covered(&self) -> &GoalSet {
        &self.covered
    }

    /// Those of them that no run took: a run only ended between the two counters whose difference covers the goal.
    #[must_use]
    pub const fn untaken(&self) -> &GoalSet {
        &self.untaken
    }

    /// Is everything covered or infeasible, and nothing left that some run still has to take?
    #[must_use]
    pub fn is_complete(&self, goals: &Goals) -> bool {
        self.figures(goals).open() == 0
            && !self.untaken.iter().any(|goal| self.is_wanted(goals, goal))
    }

    /// Every goal with a proof, whether covered or not.
    #[must_use]
    pub const fn infeasible(&self) -> &GoalSet {
        &self.infeasible
    }

    /// Totals as `llvm-cov` makes them.
    #[must_use]
    pub fn totals(&self, goals: &Goals) -> Totals {
        self.figures(goals).own
    }

    /// The totals, and beside them the figures of goals that are counted apart.
    #[must_use]
    pub fn figures(&self, goals: &Goals) -> Figures {
        goals.figures(&self.covered, &self.infeasible)
    }
}

#[cfg(test)]
mod tests;
