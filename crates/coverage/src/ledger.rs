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
mod tests {
    use super::*;
    use program::EdgeId;

    use crate::HitCounter;
    use crate::criterion::branch::Branch;
    use crate::sample::{Builder, Own, PairsOf, simple};

    #[test]
    fn the_first_test_that_covers_a_goal_is_kept() {
        let mut builder = Builder::new();
        let (main, no, yes) = simple(&mut builder, "main", 1, "a.c");
        let program = builder.program;
        let goals = Goals::new(&program, &Own(Branch));
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
        assert_eq!(ledger.status(is_true), Status::Covered { test: Some(7) });
        assert!(ledger.status(is_false).is_open());
        assert_eq!(ledger.totals(&goals).to_string(), "1 of 2");

        ledger.mark_infeasible(is_false, Ground::Code);
        assert_eq!(
            (ledger.status(is_false), ledger.totals(&goals).open()),
            (Status::Infeasible(Ground::Code), 0)
        );
        assert_eq!(ledger.contradictions().count(), 0);
        assert_eq!(
            run(&[no, yes], 9, &mut ledger),
            [is_false],
            "a test beats a proof"
        );
        assert_eq!(ledger.status(is_false), Status::Covered { test: Some(9) });
        assert_eq!(ledger.contradictions().collect::<Vec<_>>(), [is_false]);
        assert_eq!(
            (
                ledger.totals(&goals).covered,
                ledger.totals(&goals).infeasible
            ),
            (2, 0)
        );
    }

    /// A run that ends in front of the branch leaves the difference for its false side; one that takes it comes later.
    #[test]
    fn what_is_only_counted_is_wanted_until_a_run_takes_it() {
        let mut builder = Builder::new();
        let (main, no, yes) = simple(&mut builder, "main", 1, "a.c");
        let program = builder.program;
        let goals = Goals::new(&program, &Own(Branch));
        let mut ledger = Ledger::new(&goals);
        let mut counter = HitCounter::new(&program);
        let [is_true, is_false] = [0, 1].map(GoalId::from_u32);
        let runs: [(&[EdgeId], &[GoalId], u32, bool); 5] = [
            (&[], &[is_false], 0, true),
            (&[], &[], 0, true),
            (&[yes], &[is_true], 0, true),
            (&[no], &[is_false], 3, false),
            (&[no], &[], 3, false),
        ];
        for (test, (edges, fresh, by, wanted)) in (0..).zip(runs) {
            edges.iter().for_each(|edge| counter.edge(*edge));
            counter.enter(main);
            let hits = counter.take();
            let shows = ledger.shows(&goals, &hits);
            assert_eq!(shows.untaken.is_empty(), !edges.is_empty(), "run {test}");
            assert_eq!(ledger.record(&goals, &hits, test), fresh, "run {test}");
            let covered = Status::Covered { test: Some(by) };
            assert_eq!(ledger.status(is_false), covered, "run {test}");
            assert_eq!(ledger.is_wanted(&goals, is_false), wanted, "run {test}");
            assert_eq!(ledger.untaken().contains(is_false), wanted, "run {test}");
            // One is open, then none but one that no run took.
            assert_eq!(ledger.is_complete(&goals), test >= 3, "run {test}");
        }
        assert!(ledger.is_complete(&goals));
    }

    #[test]
    fn figures_are_sums_and_shares() {
        let totals = |total, covered, infeasible| Totals {
            total,
            covered,
            infeasible,
        };
        for (of, percent, open) in [
            (totals(0, 0, 0), 100.0, 0),
            (totals(8, 2, 1), 25.0, 5),
            (totals(8, 8, 0), 100.0, 0),
            (totals(8, 0, 8), 0.0, 0),
        ] {
            assert_eq!((of.percent(), of.open()), (percent, open), "{of:?}");
        }
        let mut sum = totals(8, 2, 1);
        sum += totals(4, 3, 1);
        assert_eq!(sum, totals(12, 5, 2));
        let figures = |own, entries, exits| Figures {
            own,
            entries,
            exits,
            ..Figures::default()
        };
        let (half, all) = (totals(2, 1, 0), totals(1, 1, 0));
        for (of, percent) in [
            (figures(half, all, all), 50.0),
            (figures(all, half, all), 50.0),
            (figures(all, all, half), 50.0),
            (figures(all, all, all), 100.0),
        ] {
            assert_eq!(of.percent(), percent, "{of:?}");
        }
        let mut both = figures(half, all, all);
        both += figures(all, half, all);
        assert_eq!(
            both,
            figures(totals(3, 2, 0), totals(3, 2, 0), totals(2, 2, 0))
        );
    }

    #[test]
    fn other_instantiations_of_a_covered_function_are_not_wanted() {
        let mut builder = Builder::new();
        let (f, f_no, f_yes) = simple(&mut builder, "a.c:min", 1, "min.h");
        simple(&mut builder, "b.c:min", 1, "min.h");
        let program = builder.program;
        let goals = Goals::new(&program, &Own(Branch));
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

    /// Runs of `sample::decisions` one after the other: what each covers, and whether it has to be kept for what it shows.
    fn pairs(criterion: &'static dyn crate::Criterion, runs: &[(&[(usize, usize)], &str)]) {
        let (program, edges) = crate::sample::decisions();
        let goals = Goals::new(&program, criterion);
        let main = program.function_named("main").expect("main");
        let mut ledger = Ledger::new(&goals);
        let mut counter = HitCounter::of(&program, &goals);
        for (test, (path, expected)) in (0..).zip(runs) {
            counter.enter(main);
            for &(line, side) in *path {
                counter.edge(edges[line - 2][side]);
            }
            counter.leave(main);
            let hits = counter.take();
            let shows = ledger.adds_evidence(&goals, &hits);
            let fresh = ledger.record(&goals, &hits, test);
            let lines: Vec<String> = fresh
                .iter()
                .map(|goal| goals.place(*goal).range.line.to_string())
                .collect();
            let said = format!("{} {}", lines.join(" "), if shows { "kept" } else { "" });
            assert_eq!(said.trim(), *expected, "run {test}");
        }
    }

    #[test]
    fn pairs_are_covered_by_two_runs() {
        pairs(
            &PairsOf(crate::criterion::mcdc::UNIQUE_CAUSE),
            &[
                (&[(2, 0), (3, 0)], "kept"),
                (&[(2, 0), (3, 0)], ""),
                (&[(2, 1), (3, 1), (4, 0)], "kept"),
                (&[(2, 1), (3, 1), (4, 1)], "3 4 kept"),
                (&[(2, 1), (3, 0)], ""),
            ],
        );
    }

    /// `if (b && c)`: each condition and the decision were both ways, and yet no pair was shown for `b`.
    #[test]
    fn outcomes_are_no_pairs() {
        pairs(
            &Own(crate::criterion::mcdc::UNIQUE_CAUSE),
            &[
                (&[(2, 0), (3, 1), (4, 0)], "2 3 4 6 3 kept"),
                (&[(2, 1), (3, 1), (4, 1)], "2 4 3 4 kept"),
                (&[(2, 1), (3, 0)], "3 3 kept"),
            ],
        );
    }

    #[test]
    fn one_run_may_hold_both_halves() {
        pairs(
            &PairsOf(crate::criterion::mcdc::MASKING),
            &[(
                &[(2, 0), (3, 0), (3, 1), (4, 1), (3, 1), (4, 0)],
                "3 4 kept",
            )],
        );
    }

    #[test]
    fn a_decision_is_covered_by_any_of_its_ways() {
        pairs(
            &Own(crate::criterion::decision::Decision),
            &[
                (&[(2, 0), (3, 1), (4, 0)], "2 3"),
                (&[(2, 0), (3, 0)], ""),
                (&[(2, 1), (3, 1), (4, 1)], "2 3"),
            ],
        );
    }
}
