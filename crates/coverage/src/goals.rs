//! The goals of a program under a criterion, and how they are counted.
//!
//! Must hold: [`Goals::totals`] of what a profile covers equals `totals.branches` of `llvm-cov export` on it, for the
//! criterion `branch`. In particular: of several records with the same name only the first counts (the linker keeps
//! one), and several instantiations of one function (a `static inline` of a header in several files) count as one,
//! the one that covers most.

use std::collections::{HashMap, HashSet};
use std::ops::Range;

use program::{FunctionCoverage, PrimaryMap, Program, SourceRange};

use crate::aims::GoalsByEdge;
use crate::counts::{Counts, Hits};
use crate::criterion::Criterion;
use crate::goal::{Evidence, Goal, GoalId};
use crate::ledger::Totals;
use crate::record::Shape;
use crate::wiring::{self, Formulas, Wiring};

/// See the module.
pub struct Goals {
    criterion: &'static dyn Criterion,
    goals: PrimaryMap<GoalId, Goal>,
    /// One for each of [`Program::coverage`].
    records: Vec<Record>,
    /// Instantiations of one function: records, in order. Only those with goals.
    groups: Vec<Vec<u32>>,
    pub(crate) wiring: Wiring,
    by_edge: GoalsByEdge,
}

/// What is known about one function record.
#[derive(Debug)]
struct Record {
    goals: Range<u32>,
    group: Option<u32>,
    shape: Shape,
    formulas: Formulas,
    /// Its own copy: evaluation needs no program.
    coverage: FunctionCoverage,
}

/// Where a goal stands in the source. Files index [`Program::files`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Place {
    pub file: u32,
    pub range: SourceRange,
    /// For a condition inside a macro or an include: where it is expanded, innermost first.
    pub expanded_at: Vec<(u32, SourceRange)>,
}

impl Goals {
    /// The goals of a program.
    #[must_use]
    pub fn new(program: &Program, criterion: &'static dyn Criterion) -> Goals {
        let mut goals = Goals {
            criterion,
            goals: PrimaryMap::new(),
            records: Vec::new(),
            groups: Vec::new(),
            wiring: Wiring::new(program),
            by_edge: GoalsByEdge::default(),
        };
        let linked = linked_records(program);
        let mut groups = HashMap::new();
        for (number, coverage) in (0u32..).zip(&program.coverage) {
            let shape = Shape::new(coverage);
            let range = if linked.contains(&number) && !is_library(program, coverage) {
                goals.add_goals(program, number, coverage, &shape)
            } else {
                0..0
            };
            let group = if range.is_empty() {
                None
            } else {
                let main = shape
                    .main()
                    .and_then(|main| coverage.files.get(main as usize));
                let key = (main.copied(), shape.start(coverage));
                let next = goals.groups.len() as u32;
                let group = *groups.entry(key).or_insert(next);
                if group == next {
                    goals.groups.push(Vec::new());
                }
                goals.groups[group as usize].push(number);
                Some(group)
            };
            let counters = range.clone().map(|goal| {
                let Evidence::Count(counter) = goals.goals[GoalId::from_u32(goal)].evidence;
                counter
            });
            goals.records.push(Record {
                formulas: Formulas::new(coverage, counters),
                goals: range,
                group,
                shape,
                coverage: coverage.clone(),
            });
        }
        goals.by_edge = GoalsByEdge::new(program, &goals.goals);
        goals
    }

    fn add_goals(
        &mut self,
        program: &Program,
        number: u32,
        coverage: &FunctionCoverage,
        shape: &Shape,
    ) -> Range<u32> {
        let first = self.goals.next_key().as_u32();
        let goals = &mut self.goals;
        self.criterion
            .goals(program, coverage, shape, &mut |region, kind, evidence| {
                goals.push(Goal {
                    record: number,
                    region,
                    kind,
                    evidence,
                });
            });
        first..self.goals.next_key().as_u32()
    }

    /// The criterion that they come from.
    #[must_use]
    pub fn criterion(&self) -> &'static dyn Criterion {
        self.criterion
    }

    /// Number of goals, each instantiation of a function counted. [`totals`](Goals::totals) has the number for users.
    #[must_use]
    pub fn len(&self) -> usize {
        self.goals.len()
    }

    /// Is there nothing to cover?
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.goals.is_empty()
    }

    /// All goals, in the order of records and regions.
    pub fn iter(&self) -> impl DoubleEndedIterator<Item = (GoalId, &Goal)> + ExactSizeIterator {
        self.goals.iter()
    }

    /// One goal.
    ///
    /// # Panics
    /// When the goal belongs to another program.
    #[must_use]
    pub fn get(&self, goal: GoalId) -> &Goal {
        &self.goals[goal]
    }

    /// The goals of a record of [`Program::coverage`].
    pub fn of_record(
        &self,
        record: u32,
    ) -> impl DoubleEndedIterator<Item = GoalId> + ExactSizeIterator + use<> {
        self.records[record as usize]
            .goals
            .clone()
            .map(GoalId::from_u32)
    }

    /// Groups of records that are instantiations of one function; most groups have one. Only those with goals.
    #[must_use]
    pub fn groups(&self) -> &[Vec<u32>] {
        &self.groups
    }

    /// The group of a goal's function: an index into [`groups`](Goals::groups).
    #[must_use]
    pub fn group_of(&self, goal: GoalId) -> u32 {
        let record = self.goals[goal].record as usize;
        self.records[record]
            .group
            .expect("a record with goals has a group")
    }

    /// Where a goal stands in the source.
    #[must_use]
    pub fn place(&self, goal: GoalId) -> Place {
        let goal = self.goals[goal];
        let Record {
            shape, coverage, ..
        } = &self.records[goal.record as usize];
        let region = coverage.regions[goal.region as usize];
        let file = |local: u32| coverage.files[local as usize];
        Place {
            file: file(region.file),
            range: region.range,
            expanded_at: shape
                .expansions(region.file)
                .map(|(outer, range)| (file(outer), range))
                .collect(),
        }
    }

    /// File (an index into the files of its record) and range of a goal's region.
    #[must_use]
    pub fn local_place(&self, goal: GoalId) -> (u32, SourceRange) {
        let goal = self.goals[goal];
        let region = self.records[goal.record as usize].coverage.regions[goal.region as usize];
        (region.file, region.range)
    }

    /// Where the function of a record starts: an index into [`Program::files`], and the line.
    #[must_use]
    pub fn start_of_record(&self, record: u32) -> Option<(u32, u32)> {
        let Record {
            shape, coverage, ..
        } = &self.records[record as usize];
        let file = coverage.files.get(shape.main()? as usize)?;
        Some((*file, shape.start(coverage)?.0))
    }

    /// How often each goal of a record was met, in the order of [`of_record`](Goals::of_record), with the counts of a
    /// run or of several. As `llvm-cov` prints it, but for a clamp at 2^63 - 1.
    pub fn counts_of_record<'a>(
        &'a self,
        record: u32,
        counts: &'a Counts,
        scratch: &'a mut Vec<u64>,
    ) -> impl Iterator<Item = (GoalId, u64)> + 'a {
        let profile = self.wiring.profile_of_record[record as usize];
        let counters = &counts.slots[self.wiring.profiles[profile as usize].slots()];
        self.evaluate(record, counters, scratch);
        let goals = &self.records[record as usize].goals;
        goals.clone().map(GoalId::from_u32).map(move |goal| {
            let Evidence::Count(counter) = self.goals[goal].evidence;
            (goal, wiring::value(counter, counters, scratch))
        })
    }

    /// Evaluates the expressions of a record that its goals need.
    pub(crate) fn evaluate(&self, record: u32, counters: &[u64], values: &mut Vec<u64>) {
        let Record {
            formulas, coverage, ..
        } = &self.records[record as usize];
        formulas.evaluate(coverage, counters, values);
    }

    /// What these counts cover.
    #[must_use]
    pub fn covered(&self, counts: &Counts) -> GoalSet {
        let mut set = GoalSet::new(self);
        let mut scratch = Vec::new();
        for &profile in &counts.touched {
            for &record in &self.wiring.profiles[profile as usize].records {
                for (goal, count) in self.counts_of_record(record, counts, &mut scratch) {
                    if count > 0 {
                        set.insert(goal);
                    }
                }
            }
        }
        set
    }

    /// What one run covers. Of a run whose counts are not complete, what it covers at least.
    #[must_use]
    pub fn covered_by(&self, hits: &Hits) -> GoalSet {
        if !hits.is_exact() {
            let mut set = GoalSet::new(self);
            set.extend(self.covered_at_least(hits));
            return set;
        }
        let mut counts = Counts::new(self);
        counts.add(self, hits);
        self.covered(&counts)
    }

    /// What a run covers, judged by its edges alone, in order.
    pub(crate) fn covered_at_least(&self, hits: &Hits) -> Vec<GoalId> {
        self.by_edge.covered(hits)
    }

    /// Totals as `llvm-cov` makes them.
    #[must_use]
    pub fn totals(&self, covered: &GoalSet, infeasible: &GoalSet) -> Totals {
        let mut totals = Totals::default();
        for group in &self.groups {
            totals += self.group_totals(group, covered, infeasible).1;
        }
        totals
    }

    /// The instantiation of a group that counts (the first of those that cover most), and the group's totals.
    #[must_use]
    pub fn group_totals(
        &self,
        group: &[u32],
        covered: &GoalSet,
        infeasible: &GoalSet,
    ) -> (u32, Totals) {
        let mut best = (group[0], Totals::default());
        let mut total = 0;
        for &record in group {
            let mut here = Totals::default();
            for goal in self.of_record(record) {
                here.total += 1;
                here.covered += u32::from(covered.contains(goal));
                here.infeasible += u32::from(infeasible.contains(goal) && !covered.contains(goal));
            }
            total = here.total.max(total);
            if here.covered > best.1.covered || record == group[0] {
                best = (record, here);
            }
        }
        best.1.total = total;
        best
    }
}

/// A set of goals.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct GoalSet {
    bits: Vec<bool>,
    len: usize,
}

impl GoalSet {
    /// The empty set.
    #[must_use]
    pub fn new(goals: &Goals) -> GoalSet {
        GoalSet {
            bits: vec![false; goals.len()],
            len: 0,
        }
    }

    /// Adds a goal; says whether it is new.
    pub fn insert(&mut self, goal: GoalId) -> bool {
        if goal.index() >= self.bits.len() {
            self.bits.resize(goal.index() + 1, false);
        }
        let new = !std::mem::replace(&mut self.bits[goal.index()], true);
        self.len += usize::from(new);
        new
    }

    /// Is the goal in the set?
    #[must_use]
    pub fn contains(&self, goal: GoalId) -> bool {
        self.bits.get(goal.index()).copied().unwrap_or(false)
    }

    /// How many goals are in it.
    #[must_use]
    pub const fn len(&self) -> usize {
        self.len
    }

    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// The goals, in order.
    pub fn iter(&self) -> impl Iterator<Item = GoalId> {
        (0u32..)
            .zip(&self.bits)
            .filter(|(_, set)| **set)
            .map(|(goal, _)| GoalId::from_u32(goal))
    }
}

impl Extend<GoalId> for GoalSet {
    fn extend<T: IntoIterator<Item = GoalId>>(&mut self, goals: T) {
        for goal in goals {
            self.insert(goal);
        }
    }
}

/// The records that are left in a linked program: records of used functions are named by the hash of the function's
/// name, and of several with the same name the linker keeps the first.
fn linked_records(program: &Program) -> HashSet<u32> {
    let mut names = HashSet::new();
    let records = (0u32..).zip(&program.coverage);
    records
        .filter(|(_, record)| record.hash == 0 || names.insert(&record.name))
        .map(|(number, _)| number)
        .collect()
}

fn is_library(program: &Program, record: &FunctionCoverage) -> bool {
    record
        .function
        .and_then(|function| program.functions.get(function))
        .is_some_and(|function| function.library)
}

#[cfg(test)]
mod tests {
    use program::{Counter, ExprOp, FuncId, RegionKind};

    use super::*;
    use crate::HitCounter;
    use crate::criterion::branch::Branch;
    use crate::sample::{Builder, simple};

    fn hits(program: &Program, functions: &[FuncId], edges: &[program::EdgeId]) -> Hits {
        let mut counter = HitCounter::new(program);
        functions
            .iter()
            .for_each(|function| counter.enter(*function));
        edges.iter().for_each(|edge| counter.edge(*edge));
        counter.take()
    }

    fn covered(goals: &Goals, hits: &Hits) -> Vec<String> {
        goals
            .covered_by(hits)
            .iter()
            .map(|goal| goal.to_string())
            .collect()
    }

    #[test]
    fn outcomes_are_sums_and_differences_of_counts() {
        let mut builder = Builder::new();
        let (main, no, yes) = simple(&mut builder, "main", 1, "a.c");
        let program = builder.program;
        let goals = Goals::new(&program, &Branch);
        let both =
            |functions: &[FuncId], edges: &[_]| covered(&goals, &hits(&program, functions, edges));
        assert_eq!(both(&[main], &[yes]), ["goal0"], "true comes first");
        assert_eq!(both(&[main], &[no]), ["goal1"]);
        assert_eq!(both(&[main, main], &[no, yes]), ["goal0", "goal1"]);
        assert_eq!(both(&[main, main], &[yes, yes]), ["goal0"]);
        assert_eq!(both(&[], &[]), [""; 0]);
    }

    #[test]
    fn a_count_below_zero_counts() {
        let mut builder = Builder::new();
        let (main, _, yes) = simple(&mut builder, "main", 1, "a.c");
        let program = builder.program;
        let goals = Goals::new(&program, &Branch);
        // After `longjmp`: entered once, true twice, so false was -1 times: `llvm-cov` shows 2^63 - 1.
        assert_eq!(
            covered(&goals, &hits(&program, &[main], &[yes, yes])),
            ["goal0", "goal1"]
        );
    }

    #[test]
    fn a_cut_run_covers_what_its_edges_say() {
        let mut builder = Builder::new();
        let (main, no, yes) = simple(&mut builder, "main", 1, "a.c");
        let program = builder.program;
        let goals = Goals::new(&program, &Branch);
        let cut = |late: program::EdgeId| {
            let mut counter = HitCounter::new(&program);
            counter.enter(main);
            counter.late(late);
            covered(&goals, &counter.take())
        };
        assert_eq!(cut(yes), ["goal0"], "the counts alone would say false");
        assert_eq!(cut(no), ["goal1"]);
    }

    #[test]
    fn folded_conditions_and_library_models_have_no_goals() {
        let mut builder = Builder::new();
        builder.function("main", 1, &["a.c"]);
        builder.region(0, (1, 1), RegionKind::Code, Counter::Counter(0));
        let zero = RegionKind::Branch {
            false_count: Counter::Zero,
        };
        builder.region(0, (2, 1), zero, Counter::Zero);
        builder.region(0, (3, 1), zero, Counter::Counter(0));
        let (strlen, ..) = simple(&mut builder, "strlen", 2, "model.c");
        builder.program.functions[strlen].library = true;
        let goals = Goals::new(&builder.program, &Branch);
        let lines: Vec<u32> = goals
            .iter()
            .map(|(goal, _)| goals.place(goal).range.line)
            .collect();
        assert_eq!(lines, [3, 3]);
    }

    #[test]
    fn macros_count_where_they_are_expanded() {
        let mut builder = Builder::new();
        let function = builder.function("main", 1, &["a.c", "m.h", "n.h", "lost.h"]);
        builder.region(0, (1, 1), RegionKind::Code, Counter::Counter(0));
        builder.region(
            0,
            (5, 3),
            RegionKind::Expansion { file: 1 },
            Counter::Counter(0),
        );
        builder.region(
            1,
            (9, 2),
            RegionKind::Expansion { file: 2 },
            Counter::Counter(0),
        );
        let (_, yes, _) = builder.condition(2, (7, 7), Counter::Counter(0));
        builder.condition(3, (8, 8), Counter::Counter(0));
        let program = builder.program;
        let goals = Goals::new(&program, &Branch);
        assert_eq!(goals.len(), 2, "a file that nothing expands does not count");
        assert_eq!(
            covered(&goals, &hits(&program, &[function], &[yes])),
            ["goal0"]
        );
        let place = goals.place(GoalId::from_u32(0));
        let name = |file: u32| program.files[file as usize].as_str();
        let at: Vec<_> = place
            .expanded_at
            .iter()
            .map(|(file, range)| (name(*file), range.line))
            .collect();
        assert_eq!(
            (name(place.file), at),
            ("n.h", vec![("m.h", 9), ("a.c", 5)])
        );
    }

    #[test]
    fn instantiations_of_a_header_function_count_once() {
        let mut builder = Builder::new();
        let (f, f_no, f_yes) = simple(&mut builder, "a.c:min", 1, "min.h");
        let (g, g_no, g_yes) = simple(&mut builder, "b.c:min", 1, "min.h");
        let program = builder.program;
        let goals = Goals::new(&program, &Branch);
        let totals = |hits: &Hits| {
            let totals = goals.totals(&goals.covered_by(hits), &GoalSet::default());
            (totals.total, totals.covered)
        };
        assert_eq!((goals.len(), goals.groups().len()), (4, 1));
        assert_eq!(
            totals(&hits(&program, &[f, g], &[f_yes, g_no])),
            (2, 1),
            "the best, not the union"
        );
        assert_eq!(
            totals(&hits(&program, &[f, g, g], &[f_no, g_no, g_yes])),
            (2, 2)
        );
    }

    #[test]
    fn of_records_with_one_name_the_linker_keeps_one() {
        let mut builder = Builder::new();
        let (f, _, f_yes) = simple(&mut builder, "u.c:f", 1, "x/u.c");
        let (g, _, g_yes) = simple(&mut builder, "u.c:f", 2, "y/u.c");
        let (h, _, h_yes) = simple(&mut builder, "u.c:f", 1, "z/u.c");
        let program = builder.program;
        let goals = Goals::new(&program, &Branch);
        assert_eq!(goals.len(), 2);
        assert_eq!(covered(&goals, &hits(&program, &[f], &[f_yes])), ["goal0"]);
        assert_eq!(covered(&goals, &hits(&program, &[g], &[g_yes])), [""; 0]);
        // The same name and hash: the profile cannot tell them apart.
        assert_eq!(covered(&goals, &hits(&program, &[h], &[h_yes])), ["goal0"]);
    }

    #[test]
    fn shared_expressions_are_evaluated_after_their_operands() {
        let mut builder = Builder::new();
        let function = builder.function("main", 1, &["a.c"]);
        builder.region(0, (1, 1), RegionKind::Code, Counter::Counter(0));
        let b = builder.expr(ExprOp::Add, Counter::Counter(0), Counter::Counter(0));
        let c = builder.expr(ExprOp::Add, b, Counter::Zero);
        let a = builder.expr(ExprOp::Sub, b, c);
        let odd = builder.expr(ExprOp::Sub, c, Counter::Counter(0));
        builder.region(0, (2, 1), RegionKind::Branch { false_count: odd }, a);
        let program = builder.program;
        let goals = Goals::new(&program, &Branch);
        assert_eq!(
            covered(&goals, &hits(&program, &[function], &[])),
            ["goal1"]
        );
    }

    #[test]
    fn goals_are_evaluated_alike_alone_and_in_a_ledger() {
        let mut random = crate::sample::Random::new(3);
        for _ in 0..50 {
            let mut builder = Builder::new();
            let mut edges = Vec::new();
            let mut functions = Vec::new();
            for number in 0..4 {
                functions.push(builder.function(&format!("f{number}"), 1, &["a.c"]));
                builder.region(0, (number + 1, 1), RegionKind::Code, Counter::Counter(0));
                let mut parent = Counter::Counter(0);
                for line in 0..random.below(4) as u32 {
                    let (no, yes, inner) = builder.condition(0, (line, 3), parent);
                    edges.extend([no, yes]);
                    parent = [parent, inner][random.below(2)];
                }
            }
            let program = builder.program;
            let goals = Goals::new(&program, &Branch);
            let mut ledger = crate::Ledger::new(&goals);
            let mut all = GoalSet::new(&goals);
            for test in 0..10 {
                let mut counter = HitCounter::new(&program);
                for _ in 0..random.below(6) {
                    counter.enter(functions[random.below(4)]);
                    if !edges.is_empty() {
                        counter.edge(edges[random.below(edges.len())]);
                    }
                }
                let hits = counter.take();
                let alone = goals.covered_by(&hits);
                let fresh: Vec<_> = alone.iter().filter(|goal| !all.contains(*goal)).collect();
                assert_eq!(ledger.record(&goals, &hits, test), fresh);
                all.extend(alone.iter());
                assert_eq!(ledger.covered(), &all);
            }
        }
    }
}
