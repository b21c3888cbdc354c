//! The goals of a program under a criterion, and how they are counted.
//!
//! Must hold: [`Goals::totals`] of what a profile covers equals `totals.branches` of `llvm-cov export` on it, for the
//! criterion `branch`. In particular: of several records with the same name only the first counts (the linker keeps
//! one), and several instantiations of one function (a `static inline` of a header in several files) count as one,
//! the one that covers most.

use std::collections::{HashMap, HashSet};
use std::ops::Range;

use program::{EdgeId, FuncId, FunctionCoverage, PrimaryMap, Program, SourceRange};

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
    /// Not the whole program's.
    scoped: bool,
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
        Goals::build(program, criterion, None)
    }

    /// The goals of some functions: all others have none, and count for nothing.
    #[must_use]
    pub fn of(program: &Program, criterion: &'static dyn Criterion, functions: &[FuncId]) -> Goals {
        Goals::build(program, criterion, Some(functions))
    }

    fn build(
        program: &Program,
        criterion: &'static dyn Criterion,
        scope: Option<&[FuncId]>,
    ) -> Goals {
        let in_scope = |coverage: &FunctionCoverage| {
            scope.is_none_or(|scope| {
                coverage
                    .function
                    .is_some_and(|function| scope.contains(&function))
            })
        };
        let mut goals = Goals {
            criterion,
            scoped: scope.is_some(),
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
            let counts = linked.contains(&number) && !is_library(program, coverage);
            let range = if counts && in_scope(coverage) {
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

    /// Whether functions were left out on purpose.
    #[must_use]
    pub fn is_scoped(&self) -> bool {
        self.scoped
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

    /// The goals that are covered as soon as an edge is taken, as far as its edges tell.
    pub(crate) fn met_by(&self, edge: EdgeId) -> impl Iterator<Item = GoalId> {
        self.by_edge.of_edge(edge)
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
mod tests;
