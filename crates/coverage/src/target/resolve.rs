//! From targets as typed to goals and places.
//!
//! Must hold: a goal of a target is taken only by runs that come to it, as far as `llvm-cov` tells code apart and a path has the calls
//! in front: what else stands in the middle of a region counts as the region does.

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet, HashMap};

use program::outcome_edges::ConditionOutcomes;
use program::{
    BlockId, Callee, Counter, FuncId, FunctionCoverage, Inst, Intrinsic, Op, Program, Region,
    RegionKind, Terminator, ValueId,
};

use super::behind::behind_loops;
use super::place::{counted, goal_at, taken};
use super::text::code_columns;
use super::{Found, Never, Pick, Place, Spec, Target, function_of, number};
use crate::decisions::Decisions;
use crate::goal::{GoalKind, Side};
use crate::goals::{self, Goals};
use crate::record::Shape;
use crate::scope::{LineRange, Lines, LinesError};

/// A target does not fit the program.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum TargetError {
    /// Its file is none of the program's, or may be several.
    #[error("{0}")]
    File(#[from] LinesError),
    /// There is no such line.
    #[error("{file} has {lines} lines, no line {line}")]
    NoLine { file: String, line: u32, lines: u32 },
    /// The line has no code.
    #[error("there is no code in line {line} of {file}{}", nearest(.near))]
    NoCode {
        file: String,
        line: u32,
        near: Vec<u32>,
    },
    /// The preprocessor left the line out.
    #[error("the preprocessor leaves line {line} of {file} out{}", nearest(.near))]
    Skipped {
        file: String,
        line: u32,
        near: Vec<u32>,
    },
    /// The compiler made no code of it.
    #[error(
        "the compiler removed the code in line {line} of {file}: it stands behind a constant condition or an unconditional jump{}",
        nearest(.near)
    )]
    Removed {
        file: String,
        line: u32,
        near: Vec<u32>,
    },
    /// No condition starts there.
    #[error("no condition starts in line {line}, column {col} of {file}{}", starts(.known))]
    NoCondition {
        file: String,
        line: u32,
        col: u32,
        /// Columns of those that start in the line.
        known: Vec<u32>,
    },
    /// No decision starts in the line.
    #[error("no decision starts in line {line} of {file}{}", nearest(.near))]
    NoDecision {
        file: String,
        line: u32,
        /// Lines that have some.
        near: Vec<u32>,
    },
    /// The conditions of the decision are not told apart.
    #[error("{0}; name one of its conditions: FILE:LINE:COL:true")]
    Unfollowed(program::decision::Problem),
    /// No function has the name.
    #[error("the program has no function `{name}`")]
    NoFunction {
        name: String,
        /// The names that there are.
        known: Vec<String>,
    },
    /// Nothing that is counted tells whether it was reached.
    #[error("`{0}`: no goal tells whether it was reached; name a line near it")]
    NoGoal(String),
    /// A function is called through pointers only.
    #[error("`{0}` is called through pointers only: function:{0} asks for its entry")]
    OnlyIndirect(String),
}

fn nearest(near: &[u32]) -> String {
    match near {
        [] => String::new(),
        [one] => format!("; the nearest line that has: {one}"),
        several => format!("; the nearest lines that have: {}", list(several)),
    }
}

fn starts(known: &[u32]) -> String {
    match known {
        [] => "; none starts in that line".to_owned(),
        several => format!("; in that line they start in columns {}", list(several)),
    }
}

fn list(numbers: &[u32]) -> String {
    let words: Vec<String> = numbers.iter().map(u32::to_string).collect();
    words.join(", ")
}

/// A region of code, or the first of the macro that stands in its place.
fn expanded(coverage: &FunctionCoverage, region: u32) -> Option<u32> {
    let mut region = region;
    for _ in 0..coverage.files.len() {
        let RegionKind::Expansion { file } = coverage.regions[region as usize].kind else {
            break;
        };
        let mut inner = (0u32..).zip(&coverage.regions);
        let is_code = |kind| matches!(kind, RegionKind::Code | RegionKind::Expansion { .. });
        region = inner
            .find(|(_, region)| region.file == file && is_code(region.kind))?
            .0;
    }
    (coverage.regions[region as usize].kind == RegionKind::Code).then_some(region)
}

/// Names of the functions that a failed `assert` calls.
const ASSERT: &[&str] = &[
    "__assert_fail",
    "__assert",
    "__assert_perror_fail",
    "__assert_rtn",
];

/// Reads a source file, as far as it can be read.
pub type ReadSource<'a> = &'a dyn Fn(&str) -> Option<String>;

/// Finds targets in a program.
pub struct Resolver<'a> {
    program: &'a Program,
    outcomes: ConditionOutcomes,
    decisions: Decisions,
    /// The records that count, in order.
    records: Vec<(u32, Shape)>,
    read: ReadSource<'a>,
    columns: RefCell<HashMap<u32, Option<Vec<Option<u32>>>>>,
}

/// What a line has.
#[derive(Default)]
struct Here {
    picks: Vec<Pick>,
    skipped: bool,
    removed: bool,
}

impl<'a> Resolver<'a> {
    /// For a program, whose sources `read` reads.
    #[must_use]
    pub fn new(program: &'a Program, read: ReadSource<'a>) -> Resolver<'a> {
        let outcomes = ConditionOutcomes::new(program);
        let decisions = Decisions::new(program, &outcomes);
        let numbers = goals::counting_records(program);
        let shape = |number: u32| Shape::new(&program.coverage[number as usize]);
        let records: Vec<_> = numbers.map(|number| (number, shape(number))).collect();
        Resolver {
            program,
            outcomes,
            decisions,
            records,
            read,
            columns: RefCell::default(),
        }
    }

    /// The goals of some targets, and the targets.
    ///
    /// # Errors
    /// One does not fit the program.
    pub fn resolve(&self, specs: &[Spec]) -> Result<(Goals, Vec<Target>), TargetError> {
        let found = specs.iter().map(|spec| {
            let mut found = self.find(spec)?;
            found.picks.sort_unstable();
            found.picks.dedup();
            found.places.sort_unstable();
            found.places.dedup();
            Ok((spec.to_string(), found))
        });
        let found = found.collect::<Result<Vec<_>, TargetError>>()?;
        Ok(number(self.program, found))
    }

    /// Whether a line has code that can be a target.
    ///
    /// # Errors
    /// The file is none of the program's, or may be several.
    pub fn has_code(&self, file: &str, line: u32) -> Result<bool, LinesError> {
        let lines = self.lines(file, line)?;
        Ok(!self.here(&lines, line).picks.is_empty())
    }

    fn find(&self, spec: &Spec) -> Result<Found, TargetError> {
        match spec {
            Spec::Line { file, line } => self.line(file, *line),
            Spec::Outcome {
                file,
                line,
                col,
                side,
            } => self.outcome(file, (*line, *col), *side),
            Spec::Branch { file, line, side } => self.branch(file, *line, *side),
            Spec::Function(name) => self.function(name),
            Spec::Call(name) => self.call(name),
            Spec::Assert => self.calls_of(&|name| ASSERT.contains(&name), Never::NoAssertion, spec),
            Spec::Abort => self.calls_of(&|name| name == "abort", Never::NoAbort, spec),
        }
    }

    fn lines(&self, file: &str, line: u32) -> Result<Lines, LinesError> {
        let range = LineRange {
            file: file.to_owned(),
            from: line,
            to: line,
        };
        Lines::find(self.program, &range)
    }

    fn line(&self, file: &str, line: u32) -> Result<Found, TargetError> {
        let lines = self.lines(file, line)?;
        self.is_within(&lines, line)?;
        let here = self.here(&lines, line);
        if here.picks.is_empty() {
            let has = |line| !self.here(&lines.at(line), line).picks.is_empty();
            let near = self.near(&lines, line, &has);
            let file = lines.path(self.program).to_owned();
            return Err(match (here.skipped, here.removed) {
                (true, _) => TargetError::Skipped { file, line, near },
                (_, true) => TargetError::Removed { file, line, near },
                _ => TargetError::NoCode { file, line, near },
            });
        }
        let never = self.not_compiled(&here.picks);
        if never.is_some() {
            return Ok(Found {
                never,
                ..Found::default()
            });
        }
        let mut places = self.places_in(&lines, line, &here.picks);
        if places.is_empty() {
            places = here
                .picks
                .iter()
                .flat_map(|pick| self.places(pick))
                .collect();
        }
        Ok(Found {
            picks: self.told_apart(here.picks, &places),
            places,
            never: None,
        })
    }

    /// The goals of a line: those it has, but the ways out of loops that stand in front of it instead of what counts with the code
    /// in front of the loops.
    fn told_apart(&self, picks: Vec<Pick>, places: &[Place]) -> Vec<Pick> {
        let records: BTreeSet<u32> = picks.iter().map(|pick| pick.record).collect();
        let ways: BTreeMap<u32, Vec<Pick>> = records
            .into_iter()
            .filter_map(|record| Some((record, self.ways_to(record, places)?)))
            .collect();
        let is_kept = |pick: &Pick| {
            let record = &self.program.coverage[pick.record as usize];
            let region = &record.regions[pick.region as usize];
            let same =
                |other: &&Region| other.kind == RegionKind::Code && other.count == region.count;
            // A count of its own, of a region that nothing shares it with.
            matches!(region.count, Counter::Counter(_))
                && record.regions.iter().filter(same).count() == 1
        };
        let kept = picks
            .into_iter()
            .filter(|pick| !ways.contains_key(&pick.record) || is_kept(pick));
        let kept: Vec<Pick> = kept.collect();
        kept.into_iter()
            .chain(ways.into_values().flatten())
            .collect()
    }

    /// The ways out of loops that lead to the first code of a line in the function of a record.
    fn ways_to(&self, record: u32, places: &[Place]) -> Option<Vec<Pick>> {
        let function = function_of(self.program, record)?;
        let blocks = places.iter().map(|place| place.block(self.program));
        let blocks = blocks.filter(|(own, _)| *own == function);
        let blocks: BTreeSet<BlockId> = blocks.map(|(_, block)| block).collect();
        behind_loops(self.program, &self.outcomes, (record, function), &blocks)
    }

    /// What a line has: regions that start in it, and the one that its first code stands in.
    fn here(&self, lines: &Lines, line: u32) -> Here {
        let mut here = Here::default();
        let column = self.first_code(lines, line);
        if column == Some(None) {
            here.skipped = self.is_skipped(lines, line);
            return here;
        }
        if self.is_skipped(lines, line) {
            here.skipped = true;
            return here;
        }
        for (number, shape) in &self.records {
            let record = &self.program.coverage[*number as usize];
            let code = (0u32..).zip(&record.regions);
            let code = code.filter(|(_, region)| region.kind == RegionKind::Code);
            let innermost = match column.flatten() {
                Some(col) => lines.innermost(record, (line, col)),
                None => None,
            };
            for (region, known) in code {
                let wanted = match column {
                    Some(_) => innermost == Some(region) || lines.has_start(record, shape, region),
                    None => lines.has_code(record, shape, region),
                };
                if !wanted {
                    continue;
                }
                if self.is_removed(*number, known) {
                    here.removed = true;
                    continue;
                }
                here.picks
                    .push(Pick::new(*number, region, GoalKind::Reached));
            }
        }
        here
    }

    /// The column of the first code of a line; `None`: the text is not known.
    fn first_code(&self, lines: &Lines, line: u32) -> Option<Option<u32>> {
        let file = lines.file();
        let mut columns = self.columns.borrow_mut();
        let known = columns.entry(file).or_insert_with(|| {
            let path = self.program.files.get(file as usize)?;
            (self.read)(path).map(|text| code_columns(&text))
        });
        let known = known.as_ref()?;
        Some(known.get(line as usize - 1).copied().flatten())
    }

    fn is_within(&self, lines: &Lines, line: u32) -> Result<(), TargetError> {
        self.first_code(lines, line);
        let columns = self.columns.borrow();
        match columns.get(&lines.file()) {
            Some(Some(known)) if (known.len() as u32) < line => Err(TargetError::NoLine {
                file: lines.path(self.program).to_owned(),
                line,
                lines: known.len() as u32,
            }),
            _ => Ok(()),
        }
    }

    fn is_skipped(&self, lines: &Lines, line: u32) -> bool {
        self.records.iter().any(|(number, _)| {
            let record = &self.program.coverage[*number as usize];
            record.regions.iter().any(|region| {
                region.kind == RegionKind::Skipped
                    && lines.is_file(record, region.file)
                    && (region.range.line..=region.range.end_line).contains(&line)
            })
        })
    }

    /// Does nothing in the code of its function count this region, so that no run can?
    fn is_removed(&self, record: u32, region: &Region) -> bool {
        let Some(function) = function_of(self.program, record) else {
            return false;
        };
        // What a function under test cannot call has no body left: nobody calls it, which is an answer.
        let mut blocks = self.program.functions[function].blocks.values();
        if let (Some(only), None) = (blocks.next(), blocks.next())
            && only.terminator == Terminator::Unreachable
        {
            return false;
        }
        match region.count {
            Counter::Zero => true,
            Counter::Counter(_) => counted(self.program, function, region.count).is_empty(),
            Counter::Expr(_) => false,
        }
    }

    /// Up to two lines nearest to one that fit.
    fn near(&self, lines: &Lines, line: u32, fits: &dyn Fn(u32) -> bool) -> Vec<u32> {
        let all = self.records.iter().flat_map(|(number, _)| {
            let record = &self.program.coverage[*number as usize];
            let own = record.regions.iter();
            own.filter(|region| lines.is_file(record, region.file))
                .map(|region| (region.range.line, region.range.end_line))
        });
        let all: Vec<(u32, u32)> = all.collect();
        let first = all.iter().map(|(first, _)| *first).min().unwrap_or(line);
        let last = all.iter().map(|(_, last)| *last).max().unwrap_or(0);
        let above = (first..line).rev().find(|line| fits(*line));
        let below = (line + 1..=last).find(|line| fits(*line));
        above.into_iter().chain(below).collect()
    }

    fn outcome(
        &self,
        file: &str,
        (line, col): (u32, u32),
        side: Side,
    ) -> Result<Found, TargetError> {
        let lines = self.lines(file, line)?;
        self.is_within(&lines, line)?;
        let mut found = Found::default();
        let mut known = Vec::new();
        // A condition of a macro is in the line that uses the macro; in the macro's own text it stands for all its uses.
        for starts in [outermost, spelled] {
            for (number, region, at) in self.conditions(&lines, line, starts) {
                known.push(at);
                if at == col {
                    let pick = Pick::new(number, region, GoalKind::Outcome(side));
                    found.picks.push(pick);
                }
            }
            if !found.picks.is_empty() {
                break;
            }
        }
        if found.picks.is_empty() {
            known.sort_unstable();
            known.dedup();
            return Err(TargetError::NoCondition {
                file: lines.path(self.program).to_owned(),
                line,
                col,
                known,
            });
        }
        found.places = found
            .picks
            .iter()
            .flat_map(|pick| self.places(pick))
            .collect();
        Ok(found)
    }

    /// The conditions that start in a line: record, region, column.
    fn conditions(&self, lines: &Lines, line: u32, starts: Starts) -> Vec<(u32, u32, u32)> {
        let mut found = Vec::new();
        for (number, shape) in &self.records {
            let record = &self.program.coverage[*number as usize];
            for region in 0..record.regions.len() as u32 {
                if record.is_condition(region)
                    && let Some((file, at, col)) = starts(shape, record, region)
                    && at == line
                    && lines.is_file(record, file)
                {
                    found.push((*number, region, col));
                }
            }
        }
        found
    }

    fn branch(&self, file: &str, line: u32, side: Side) -> Result<Found, TargetError> {
        let lines = self.lines(file, line)?;
        self.is_within(&lines, line)?;
        let conditions = self.conditions(&lines, line, outermost);
        let Some(first) = conditions.iter().map(|(_, _, col)| *col).min() else {
            let has = |line| !self.conditions(&lines.at(line), line, outermost).is_empty();
            return Err(TargetError::NoDecision {
                file: lines.path(self.program).to_owned(),
                line,
                near: self.near(&lines, line, &has),
            });
        };
        let mut found = Found::default();
        for &(record, region, _) in conditions.iter().filter(|(.., col)| *col == first) {
            let mut decisions = self.decisions.of_record(record);
            let own = decisions.find_map(|id| {
                let decision = self.decisions.get(id);
                let mut conditions = decision.conditions.iter();
                conditions
                    .any(|condition| condition.region == region)
                    .then_some(decision)
            });
            let Some(decision) = own else {
                let pick = Pick::new(record, region, GoalKind::Outcome(side));
                found.places.extend(self.places(&pick));
                found.picks.push(pick);
                continue;
            };
            if let Some(problem) = decision.problem {
                return Err(TargetError::Unfollowed(problem));
            }
            let first = decision.conditions[usize::from(decision.first)].region;
            found
                .picks
                .push(Pick::new(record, first, GoalKind::Decision(side)));
            for (condition, value) in decision.ends(side) {
                let side = if value { Side::True } else { Side::False };
                let region = decision.conditions[condition].region;
                let kind = GoalKind::Outcome(side);
                found
                    .places
                    .extend(self.places(&Pick::new(record, region, kind)));
            }
        }
        Ok(found)
    }

    fn function(&self, name: &str) -> Result<Found, TargetError> {
        let picks: Vec<Pick> = self
            .named(name)
            .into_iter()
            .filter(|record| !self.program.coverage[*record as usize].regions.is_empty())
            .map(|record| Pick::new(record, 0, GoalKind::Reached))
            .collect();
        if picks.is_empty() {
            return Err(self.no_function(name));
        }
        if let Some(never) = self.not_compiled(&picks) {
            return Ok(Found {
                never: Some(never),
                ..Found::default()
            });
        }
        let functions = picks
            .iter()
            .filter_map(|pick| function_of(self.program, pick.record));
        Ok(Found {
            places: functions.map(Place::Entry).collect(),
            picks,
            never: None,
        })
    }

    /// The records of the functions of this name.
    fn named(&self, name: &str) -> Vec<u32> {
        let numbers = self.records.iter().map(|(number, _)| *number);
        numbers
            .filter(|number| self.name_of(*number) == name)
            .collect()
    }

    /// The name of the function of a record.
    fn name_of(&self, number: u32) -> &str {
        let record = &self.program.coverage[number as usize];
        match record.function {
            Some(function) => &self.program.functions[function].name,
            None => record.name.rsplit(':').next().unwrap_or(&record.name),
        }
    }

    fn no_function(&self, name: &str) -> TargetError {
        let names = self.records.iter().map(|(number, _)| self.name_of(*number));
        let mut known: Vec<String> = names.map(str::to_owned).collect();
        known.extend(self.program.externs.values().map(|it| it.name.clone()));
        known.sort_unstable();
        known.dedup();
        TargetError::NoFunction {
            name: name.to_owned(),
            known,
        }
    }

    /// If the compiler made no code of any of these functions.
    fn not_compiled(&self, picks: &[Pick]) -> Option<Never> {
        let first = picks.first()?;
        let none = |pick: &Pick| function_of(self.program, pick.record).is_none();
        let name = || self.name_of(first.record).to_owned();
        picks.iter().all(none).then(|| Never::NotCompiled(name()))
    }

    fn call(&self, name: &str) -> Result<Found, TargetError> {
        let own = !self.named(name).is_empty();
        let mut externs = self.program.externs.values();
        let outside = externs.any(|known| known.name == name);
        let functions = self.program.functions.iter();
        let mut model = functions.filter(|(_, it)| it.library && it.name == name);
        if !own && !outside && model.next().is_none() {
            return Err(self.no_function(name));
        }
        let never = Never::NoCall(name.to_owned());
        let found = self.calls_of(
            &|callee| callee == name,
            never,
            &Spec::Call(name.to_owned()),
        )?;
        let taken = program::callgraph::CallGraph::new(self.program);
        let by_pointer = |id: &FuncId| self.program.functions[*id].name == name;
        if found.never.is_some() && taken.address_taken().iter().any(by_pointer) {
            return Err(TargetError::OnlyIndirect(name.to_owned()));
        }
        Ok(found)
    }

    /// The calls of functions by these names, in code of the program's own.
    fn calls_of(
        &self,
        fits: &dyn Fn(&str) -> bool,
        never: Never,
        spec: &Spec,
    ) -> Result<Found, TargetError> {
        let mut found = Found::default();
        for (number, _) in &self.records {
            let Some(function) = function_of(self.program, *number) else {
                continue;
            };
            let body = &self.program.functions[function];
            for block in body.blocks.keys() {
                for (inst, known) in body.insts(block) {
                    if !self.calls(known, fits) {
                        continue;
                    }
                    found.places.push(Place::Inst { function, inst });
                    found
                        .picks
                        .extend(self.goal_of(*number, (function, block), known));
                }
            }
        }
        if found.places.is_empty() {
            found.never = Some(never);
        } else if found.picks.is_empty() {
            return Err(TargetError::NoGoal(spec.to_string()));
        }
        Ok(found)
    }

    fn calls(&self, inst: &Inst, fits: &dyn Fn(&str) -> bool) -> bool {
        match &inst.op {
            Op::Call { callee, .. } => match callee {
                Callee::Direct(function) => fits(&self.program.functions[*function].name),
                Callee::Extern(callee) => fits(&self.program.externs[*callee].name),
                Callee::Indirect(_) | Callee::Asm(_) => false,
            },
            Op::Intrinsic { op, .. } => *op == Intrinsic::Trap && fits("abort"),
            _ => false,
        }
    }

    /// The goal that counts an instruction: by the control flow, else the innermost region around it.
    fn goal_of(&self, record: u32, at: (FuncId, BlockId), inst: &Inst) -> Option<Pick> {
        goal_at(self.program, &self.outcomes, record, at).or_else(|| {
            let loc = inst.loc?;
            let path = self.program.files.get(loc.file as usize)?;
            let lines = self.lines(path, loc.line).ok()?;
            let coverage = &self.program.coverage[record as usize];
            let region = lines.innermost(coverage, (loc.line, loc.col))?;
            let region = expanded(coverage, region)?;
            Some(Pick::new(record, region, GoalKind::Reached))
        })
    }

    /// The instructions of a line, the first of each block.
    fn places_in(&self, lines: &Lines, line: u32, picks: &[Pick]) -> Vec<Place> {
        let functions = picks
            .iter()
            .filter_map(|pick| function_of(self.program, pick.record));
        let mut functions: Vec<FuncId> = functions.collect();
        functions.sort_unstable();
        functions.dedup();
        let mut places = Vec::new();
        for function in functions {
            let body = &self.program.functions[function];
            for block in body.blocks.keys() {
                let is_here = |(_, inst): &(ValueId, &Inst)| {
                    inst.loc
                        .is_some_and(|loc| loc.line == line && lines.is_path(loc.file))
                };
                let first = body.insts(block).find(is_here);
                places.extend(first.map(|(inst, _)| Place::Inst { function, inst }));
            }
        }
        places
    }

    /// Where a goal is in the model.
    fn places(&self, pick: &Pick) -> Vec<Place> {
        let Some(function) = function_of(self.program, pick.record) else {
            return Vec::new();
        };
        let region = &self.program.coverage[pick.record as usize].regions[pick.region as usize];
        match pick.kind {
            GoalKind::Outcome(side) => {
                let known = taken(&self.outcomes, pick.record, (pick.region, side), function);
                if !known.is_empty() {
                    return known;
                }
                let count = match side {
                    Side::True => Some(region.count),
                    Side::False => region.false_count(),
                };
                count.map_or_else(Vec::new, |count| counted(self.program, function, count))
            }
            _ => counted(self.program, function, region.count),
        }
    }
}

/// Where a region of a record starts: file (of its record), line, column.
type Starts = fn(&Shape, &program::FunctionCoverage, u32) -> Option<(u32, u32, u32)>;

/// Where a region starts in the source: what a macro is expanded to stands where it is used. File (of its record), line, column.
fn outermost(
    shape: &Shape,
    record: &program::FunctionCoverage,
    region: u32,
) -> Option<(u32, u32, u32)> {
    let region = record.regions.get(region as usize)?;
    let (file, range) = shape
        .expansions(region.file)
        .last()
        .unwrap_or((region.file, region.range));
    Some((file, range.line, range.col))
}

/// Where a region starts in the text that it is written in.
fn spelled(_: &Shape, record: &program::FunctionCoverage, region: u32) -> Option<(u32, u32, u32)> {
    let region = record.regions.get(region as usize)?;
    Some((region.file, region.range.line, region.range.col))
}

#[cfg(test)]
mod tests;
