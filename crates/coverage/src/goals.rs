//! The goals of a program under a criterion, and how they are counted.
//!
//! Must hold: [`Goals::totals`] of what a profile covers equals `totals.branches` of `llvm-cov export` on it, for the
//! criterion `branch`. In particular: of several records with the same name only the first counts (the linker keeps
//! one), and several instantiations of one function (a `static inline` of a header in several files) count as one,
//! the one that covers most.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::ops::Range;

use program::decision::Problem;
use program::outcome_edges::ConditionOutcomes;
use program::{
    Counter, EdgeId, FuncId, FunctionCoverage, PrimaryMap, Program, RegionKind, SourceRange,
};

use crate::counts::{Counts, Hits};
use crate::criterion::{Criterion, Source};
use crate::decisions::{self, DecisionId, Decisions};
use crate::exits;
use crate::goal::{Evidence, Goal, GoalId, GoalKind};
use crate::goals_by_edge::GoalsByEdge;
use crate::ledger::{Figures, Ledger, Totals};
use crate::record::Shape;
use crate::scope::Scope;
use crate::target::passage::{PassageId, Passages};
use crate::target::{self, Pick};
use crate::vector::{self, Vector};
use crate::wiring::{self, Formulas, Wiring};

/// All goals of a program under one criterion.
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
    decisions: Decisions,
    /// For each decision, the goals that want pairs of its vectors.
    of_decision: Vec<Vec<GoalId>>,
    /// Covering one goal of a set is enough; empty: every goal is wanted for itself.
    alternatives: Vec<Vec<GoalId>>,
    passages: Passages,
    passage_of: BTreeMap<GoalId, PassageId>,
}

/// What is known about one function record.
#[derive(Debug)]
struct Record {
    goals: Range<u32>,
    /// The entry of its function, where that is a goal beside the others.
    entry: Option<GoalId>,
    /// Its exits, where they are goals.
    exits: Range<u32>,
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
        Goals::within(program, criterion, &Scope::default())
    }

    /// The goals of some functions: all others have none, and count for nothing.
    #[must_use]
    pub fn of(program: &Program, criterion: &'static dyn Criterion, functions: &[FuncId]) -> Goals {
        let scope = Scope {
            functions: Some(functions),
            ..Scope::default()
        };
        Goals::within(program, criterion, &scope)
    }

    /// These goals, and no others.
    #[must_use]
    pub fn picked(program: &Program, picks: &[Pick]) -> Goals {
        let scope = Scope {
            picks: Some(picks),
            ..Scope::default()
        };
        Goals::within(program, &target::Targets, &scope)
    }

    /// Sets of goals of which one is enough; each goal is in some.
    pub(crate) fn set_alternatives(&mut self, sets: Vec<Vec<GoalId>>) {
        self.alternatives = sets;
    }

    /// Places that control has to come to, for goals that are counted in front of them as well.
    pub(crate) fn set_passages(
        &mut self,
        passages: Passages,
        passage_of: BTreeMap<GoalId, PassageId>,
    ) {
        self.passages = passages;
        self.passage_of = passage_of;
    }

    /// What paths are asked for, if they are asked for anything.
    pub(crate) fn passages(&self) -> Option<&Passages> {
        (!self.passages.is_empty()).then_some(&self.passages)
    }

    /// The function whose calls need not come back, for a goal that stands behind some.
    pub(crate) fn calls_in_front(&self, goal: GoalId) -> Option<FuncId> {
        let passage = self.passage_of.get(&goal)?;
        Some(self.passages.function(*passage))
    }

    /// Whether counts do not show that a goal was taken: it stands behind calls that need not come back.
    #[must_use]
    pub fn is_behind_calls(&self, goal: GoalId) -> bool {
        self.passage_of.contains_key(&goal)
    }

    /// Sets of goals of which one is enough; empty: every goal is wanted for itself.
    #[must_use]
    pub fn alternatives(&self) -> &[Vec<GoalId>] {
        &self.alternatives
    }

    /// The goals of a part of a program: all others have none, and count for nothing.
    #[must_use]
    pub fn within(
        program: &Program,
        criterion: &'static dyn Criterion,
        scope: &Scope<'_>,
    ) -> Goals {
        let in_scope = |coverage: &FunctionCoverage| {
            scope.functions.is_none_or(|scope| {
                coverage
                    .function
                    .is_some_and(|function| scope.contains(&function))
            })
        };
        let outcomes = ConditionOutcomes::new(program);
        let mut goals = Goals {
            criterion,
            scoped: scope.functions.is_some() || scope.lines.is_some() || scope.picks.is_some(),
            goals: PrimaryMap::new(),
            records: Vec::new(),
            groups: Vec::new(),
            wiring: Wiring::new(program),
            by_edge: GoalsByEdge::default(),
            decisions: Decisions::new(program, &outcomes),
            of_decision: Vec::new(),
            alternatives: Vec::new(),
            passages: Passages::default(),
            passage_of: BTreeMap::new(),
        };
        let linked = linked_records(program);
        let counts = |number: u32, coverage: &FunctionCoverage| {
            linked.contains(&number) && !is_library(program, coverage) && in_scope(coverage)
        };
        for (number, coverage) in (0u32..).zip(&program.coverage) {
            let shape = Shape::new(coverage);
            let range = if counts(number, coverage) {
                let source = Source {
                    program,
                    number,
                    record: coverage,
                    shape: &shape,
                    decisions: &Decisions::default(),
                    lines: scope.lines,
                    picks: scope.picks,
                };
                goals.add_goals(source)
            } else {
                0..0
            };
            goals.records.push(Record {
                formulas: Formulas::default(),
                goals: range,
                entry: None,
                exits: 0..0,
                group: None,
                shape,
                coverage: coverage.clone(),
            });
        }
        for (number, coverage) in (0u32..).zip(&program.coverage) {
            if criterion.wants_entries() && counts(number, coverage) {
                goals.add_entry(number, coverage);
            }
            if criterion.wants_exits() && counts(number, coverage) {
                goals.add_exits(program, number, coverage);
            }
        }
        goals.add_groups();
        goals.by_edge = GoalsByEdge::new(program, &goals.goals, &goals.decisions, &outcomes);
        goals.of_decision = vec![Vec::new(); goals.decisions.len()];
        for (id, goal) in goals.goals.iter() {
            if let Evidence::Pair { decision, .. } = goal.evidence {
                goals.of_decision[decision.index()].push(id);
            }
        }
        goals
    }

    /// The entry of a record's function is a goal, if the program has that function: of what is never called where nobody
    /// else can call it, clang leaves nothing but the record.
    fn add_entry(&mut self, number: u32, coverage: &FunctionCoverage) {
        let Some(first) = coverage.regions.first() else {
            return;
        };
        let starts = matches!(first.kind, RegionKind::Code | RegionKind::Expansion { .. });
        if !starts || is_dummy(coverage) || coverage.function.is_none() {
            return;
        }
        let entry = self.goals.push(Goal {
            record: number,
            region: 0,
            kind: GoalKind::Entry,
            evidence: Evidence::Count(first.count),
        });
        self.records[number as usize].entry = Some(entry);
    }

    /// The exits of a record's function are goals.
    fn add_exits(&mut self, program: &Program, number: u32, coverage: &FunctionCoverage) {
        let first = self.goals.next_key().as_u32();
        let shape = &self.records[number as usize].shape;
        for region in exits::of(program, coverage, shape) {
            self.goals.push(Goal {
                record: number,
                region,
                kind: GoalKind::Exit,
                evidence: Evidence::Count(coverage.regions[region as usize].count),
            });
        }
        self.records[number as usize].exits = first..self.goals.next_key().as_u32();
    }

    /// Joins records that are instantiations of one function, and notes what the goals of each hang on.
    fn add_groups(&mut self) {
        let mut groups = HashMap::new();
        for number in 0..self.records.len() as u32 {
            let own: Vec<GoalId> = self.of_record(number).collect();
            if own.is_empty() {
                continue;
            }
            let counters: Vec<Counter> = own.iter().flat_map(|goal| self.counters(*goal)).collect();
            let record = &mut self.records[number as usize];
            let (shape, coverage) = (&record.shape, &record.coverage);
            record.formulas = Formulas::new(coverage, counters);
            let main = shape
                .main()
                .and_then(|main| coverage.files.get(main as usize));
            let key = (main.copied(), shape.start(coverage));
            let next = self.groups.len() as u32;
            let group = *groups.entry(key).or_insert(next);
            if group == next {
                self.groups.push(Vec::new());
            }
            self.groups[group as usize].push(number);
            record.group = Some(group);
        }
    }

    fn add_goals(&mut self, source: Source<'_>) -> Range<u32> {
        let first = self.goals.next_key().as_u32();
        let goals = &mut self.goals;
        let record = source.number;
        let source = Source {
            decisions: &self.decisions,
            ..source
        };
        self.criterion
            .goals(&source, &mut |region, kind, evidence| {
                goals.push(Goal {
                    record,
                    region,
                    kind,
                    evidence,
                });
            });
        first..self.goals.next_key().as_u32()
    }

    /// The counts that a goal hangs on.
    pub(crate) fn counters(&self, goal: GoalId) -> Vec<Counter> {
        match self.goals[goal].evidence {
            Evidence::Count(counter) => vec![counter],
            Evidence::Decided { decision, side } => {
                self.decisions.get(decision).counts_of(side).collect()
            }
            Evidence::Pair { .. } | Evidence::Nothing => Vec::new(),
        }
    }

    /// The decisions of the program.
    #[must_use]
    pub const fn decisions(&self) -> &Decisions {
        &self.decisions
    }

    /// The goals that want pairs of a decision's vectors.
    pub fn of_decision(&self, decision: DecisionId) -> impl Iterator<Item = GoalId> {
        let goals = self.of_decision.get(decision.index());
        goals.into_iter().flatten().copied()
    }

    /// Why nothing can show a goal: its decision cannot be followed.
    #[must_use]
    pub fn problem(&self, goal: GoalId) -> Option<Problem> {
        let known = self.goals[goal];
        if known.evidence != Evidence::Nothing {
            return None;
        }
        let mut decisions = self.decisions.of_record(known.record);
        decisions.find_map(|id| {
            let decision = self.decisions.get(id);
            let own = |condition: &decisions::Condition| condition.region == known.region;
            decision
                .problem
                .filter(|_| decision.conditions.iter().any(own))
        })
    }

    /// Is there a goal that wants pairs of vectors, so that a single run may not cover it?
    #[must_use]
    pub fn want_vectors(&self) -> bool {
        self.of_decision.iter().any(|goals| !goals.is_empty())
    }

    /// Do two vectors show that a condition affects its decision, by the criterion's rule?
    #[must_use]
    pub fn is_pair(&self, decision: DecisionId, condition: u16, pair: (&Vector, &Vector)) -> bool {
        let pairing = self.criterion.pairing().unwrap_or_default();
        vector::is_pair(pairing, &self.decisions.get(decision).next, condition, pair)
    }

    /// Whether something was left out on purpose.
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
    pub fn of_record(&self, record: u32) -> impl DoubleEndedIterator<Item = GoalId> + use<> {
        let record = &self.records[record as usize];
        let own = record.goals.clone().map(GoalId::from_u32);
        let exits = record.exits.clone().map(GoalId::from_u32);
        own.chain(record.entry).chain(exits)
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
        let (local, range) = self.text_of(&goal, coverage);
        let file = |local: u32| coverage.files[local as usize];
        Place {
            file: file(local),
            range,
            expanded_at: shape
                .expansions(local)
                .map(|(outer, range)| (file(outer), range))
                .collect(),
        }
    }

    /// File (an index into the files of its record) and range of a goal's region.
    #[must_use]
    pub fn local_place(&self, goal: GoalId) -> (u32, SourceRange) {
        let goal = self.goals[goal];
        self.text_of(&goal, &self.records[goal.record as usize].coverage)
    }

    /// File (an index into the files of the record) and range of what a goal is about.
    fn text_of(&self, goal: &Goal, coverage: &FunctionCoverage) -> (u32, SourceRange) {
        if let Evidence::Decided { decision, .. } = goal.evidence {
            let decision = self.decisions.get(decision);
            return (decision.file, decision.range);
        }
        let region = coverage.regions[goal.region as usize];
        (region.file, region.range)
    }

    /// Regions of a record's conditions and labels, in the order in which `llvm-cov` lists those of a function: with them
    /// some that it counts in no total, because their macro is expanded in no file that it shows.
    pub fn listed_branches(&self, record: u32) -> impl Iterator<Item = u32> {
        let coverage = &self.records[record as usize].coverage;
        let regions = 0..coverage.regions.len() as u32;
        regions.filter(|number| coverage.is_condition(*number))
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

    /// The goals of a record that counts of a run, or of several, cover.
    pub(crate) fn met_in_record<'a>(
        &'a self,
        record: u32,
        counts: &'a Counts,
        scratch: &'a mut Vec<u64>,
    ) -> impl Iterator<Item = GoalId> + 'a {
        let profile = self.wiring.profile_of_record[record as usize];
        let counters = &counts.slots[self.wiring.profiles[profile as usize].slots()];
        self.evaluate(record, counters, scratch);
        self.of_record(record)
            .filter(move |goal| self.is_met(*goal, counters, scratch))
    }

    /// Do counts cover a goal? `values` are those of the expressions of its record.
    pub(crate) fn is_met(&self, goal: GoalId, counters: &[u64], values: &[u64]) -> bool {
        let value = |counter| wiring::value(counter, counters, values) > 0;
        match self.goals[goal].evidence {
            Evidence::Count(counter) => value(counter),
            Evidence::Decided { decision, side } => {
                self.decisions.get(decision).counts_of(side).any(value)
            }
            Evidence::Pair { .. } | Evidence::Nothing => false,
        }
    }

    /// Evaluates the expressions of a record that its goals need.
    pub(crate) fn evaluate(&self, record: u32, counters: &[u64], values: &mut Vec<u64>) {
        let Record {
            formulas, coverage, ..
        } = &self.records[record as usize];
        formulas.evaluate(coverage, counters, values);
    }

    /// What these counts cover; vectors of decisions are no counts.
    #[must_use]
    pub fn covered(&self, counts: &Counts) -> GoalSet {
        let mut set = GoalSet::new(self);
        let mut scratch = Vec::new();
        for &profile in &counts.touched {
            for &record in &self.wiring.profiles[profile as usize].records {
                set.extend(self.met_in_record(record, counts, &mut scratch));
            }
        }
        set
    }

    /// What one run covers by itself. Of a run whose counts are not complete, what it covers at least.
    #[must_use]
    pub fn covered_by(&self, hits: &Hits) -> GoalSet {
        let mut ledger = Ledger::new(self);
        ledger.record(self, hits, 0);
        ledger.covered().clone()
    }

    /// What a run covers, judged by its edges alone, in order.
    pub(crate) fn covered_at_least(&self, hits: &Hits) -> Vec<GoalId> {
        self.by_edge.covered(hits)
    }

    /// Did a run that covers a goal take it, or did it only end between the two counters whose difference says so?
    pub(crate) fn is_taken(&self, goal: GoalId, hits: &Hits) -> bool {
        let passage = self.passage_of.get(&goal);
        let passed = |passage| hits.rough || hits.passed.binary_search(passage).is_ok();
        passage.is_none_or(passed) && self.by_edge.is_taken(goal, hits)
    }

    /// All edges that take a goal; none where they are not known.
    pub(crate) fn taking(&self, goal: GoalId) -> &[EdgeId] {
        self.by_edge.taking(goal)
    }

    /// The goals that are covered as soon as an edge is taken, as far as its edges tell.
    pub(crate) fn met_by(&self, edge: EdgeId) -> impl Iterator<Item = GoalId> {
        self.by_edge.of_edge(edge)
    }

    /// Totals as `llvm-cov` makes them.
    #[must_use]
    pub fn totals(&self, covered: &GoalSet, infeasible: &GoalSet) -> Totals {
        self.figures(covered, infeasible).own
    }

    /// The totals, and beside them the figures of goals that are counted apart.
    #[must_use]
    pub fn figures(&self, covered: &GoalSet, infeasible: &GoalSet) -> Figures {
        let mut figures = Figures::default();
        for group in &self.groups {
            figures += self.group_figures(group, covered, infeasible).1;
        }
        figures
    }

    /// The instantiation of a group that counts (the first of those that cover most), and the group's figures.
    #[must_use]
    pub fn group_figures(
        &self,
        group: &[u32],
        covered: &GoalSet,
        infeasible: &GoalSet,
    ) -> (u32, Figures) {
        let mut best = (group[0], Figures::default());
        let mut all = Figures::default();
        for &record in group {
            let mut here = Figures::default();
            for goal in self.of_record(record) {
                let figure = self.goals[goal].kind.figure();
                here.add(figure, covered.contains(goal), infeasible.contains(goal));
            }
            all = all.or_more(here);
            let rank = |it: Figures| (it.own.covered, it.entries.covered, it.exits.covered);
            if rank(here) > rank(best.1) || record == group[0] {
                best = (record, here);
            }
        }
        (best.0, best.1.or_more(all))
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

    /// Takes a goal out; says whether it was in.
    pub fn remove(&mut self, goal: GoalId) -> bool {
        let bit = self.bits.get_mut(goal.index());
        let was_in = bit.is_some_and(std::mem::take);
        self.len -= usize::from(was_in);
        was_in
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

/// The records whose goals count, in order.
pub(crate) fn counting_records(program: &Program) -> impl Iterator<Item = u32> + '_ {
    let linked = linked_records(program);
    let records = (0u32..).zip(&program.coverage);
    records
        .filter(move |(number, record)| linked.contains(number) && !is_library(program, record))
        .map(|(number, _)| number)
}

/// The records that are left in a linked program: records of used functions are named by the hash of the function's
/// name, and of several with the same name the linker keeps the first.
fn linked_records(program: &Program) -> HashSet<u32> {
    let mut names = HashSet::new();
    let records = (0u32..).zip(&program.coverage);
    records
        .filter(|(_, record)| is_dummy(record) || names.insert(&record.name))
        .map(|(number, _)| number)
        .collect()
}

/// A record that stands for a function of which clang made no code (`isCoverageMappingDummy` in LLVM 19).
fn is_dummy(record: &FunctionCoverage) -> bool {
    let never = |region: &program::Region| region.count == Counter::Zero;
    record.hash == 0 && record.regions.first().is_none_or(never)
}

fn is_library(program: &Program, record: &FunctionCoverage) -> bool {
    record
        .function
        .and_then(|function| program.functions.get(function))
        .is_some_and(|function| function.library)
}

#[cfg(test)]
mod tests;
