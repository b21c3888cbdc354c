//! The report of a campaign: what every report format renders.
//!
//! Must hold: `total = covered + infeasible + open` in every row and in the totals; the rows add up to the totals; a
//! function with several instantiations is one row, counted as `llvm-cov` counts it.

use program::{Program, SourceRange};
use serde::{Deserialize, Serialize};

use crate::annex::{SourceFile, Span, TestRow};
use crate::judge::Tally;
use crate::names::{file_name, function_name};
use crate::suite::GoalLabel;
use crate::table::DecisionRow;
use coverage::goal::GoalId;
use coverage::goals::{Goals, Place};
use coverage::ledger::{Figures, Totals};
use coverage::status::{Status, Statuses};

/// What is known of a goal.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Known {
    Covered,
    Infeasible,
    Open,
}

impl Known {
    /// Its name.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Known::Covered => "covered",
            Known::Infeasible => "infeasible",
            Known::Open => "open",
        }
    }
}

/// Everything that the formats say of a campaign.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Report {
    /// Version of bothways.
    pub version: String,
    /// Name of the program.
    pub program: String,
    pub criterion: String,
    /// What goals are called, in the plural.
    pub unit: String,
    /// The criterion's own figure.
    pub totals: Totals,
    /// Entries of functions, unless the criterion counts them itself.
    pub entries: Option<Totals>,
    /// Exits of functions, if the criterion asks for them.
    pub exits: Option<Totals>,
    /// Those of the goals that want pairs of tests, if the criterion asks for them.
    pub pairs: Option<Totals>,
    /// By file and line.
    pub functions: Vec<FunctionRow>,
    /// By file and line.
    pub open: Vec<GoalRow>,
    /// By file and line.
    pub infeasible: Vec<GoalRow>,
    /// Covered goals, by file and line.
    pub covered: Vec<GoalRow>,
    /// Sources with goals, by name.
    pub sources: Vec<SourceFile>,
    /// The tests of the suite, by number.
    pub tests: Vec<TestRow>,
    /// Where bothways was called: paths below it are shown without it. Empty, or with a `/` at its end.
    pub folder: String,
    pub campaign: Facts,
    /// What the judge says, if it was asked.
    pub judge: Option<Verdict>,
    /// For the criterion `mcdc`: decisions with several conditions, by file and line.
    pub decisions: Vec<DecisionRow>,
    /// Where symbolism was lost: the places with most open goals behind them first.
    pub concretised: Vec<Concretised>,
    /// Whatever else the user should know; one line each.
    pub notes: Vec<String>,
}

/// A place where symbolic values became concrete.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Concretised {
    pub function: String,
    /// Empty where the place is not known.
    pub file: String,
    /// 0 where the place is not known.
    pub line: u32,
    pub col: u32,
    /// The instruction, or the call with the name of what is called.
    pub what: String,
    /// One of a few names.
    pub reason: String,
    /// Times, in all runs.
    pub count: u64,
    /// The value was fixed by a constraint that the search flips: nothing is lost for good.
    pub pinned: bool,
    /// Open goals that only concrete decisions hold up, one of which can be reached from here; `None` if that was not
    /// looked for.
    pub open_behind: Option<u32>,
}

impl std::fmt::Display for Concretised {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        if !self.file.is_empty() {
            write!(f, "{}:{}:{}: ", self.file, self.line, self.col)?;
        }
        let times = if self.count == 1 {
            "once".to_owned()
        } else {
            format!("{} times", self.count)
        };
        write!(
            f,
            "symbolism lost {times} in {} ({})",
            self.what, self.reason
        )?;
        match self.open_behind {
            None | Some(0) => Ok(()),
            Some(1) => write!(f, ", 1 open goal behind it"),
            Some(goals) => write!(f, ", {goals} open goals behind it"),
        }
    }
}

/// One function.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct FunctionRow {
    pub name: String,
    pub file: String,
    pub line: u32,
    pub totals: Totals,
    /// Its entry: one goal, or none.
    pub entries: Totals,
    /// Those of its goals that want a pair of tests, if the criterion asks for them.
    pub pairs: Option<Totals>,
    /// How often the function is in the program (a `static inline` of a header).
    pub instantiations: u32,
}

/// One goal.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct GoalRow {
    #[serde(with = "goal_number")]
    pub goal: GoalId,
    pub function: String,
    pub label: GoalLabel,
    /// Where a macro or an include is expanded, innermost first: file, line, column.
    pub expanded_at: Vec<(String, u32, u32)>,
    /// Where it stands in the file that is being compiled: of a condition in a macro, where the macro is used.
    pub at: Span,
    /// Why it is not covered; empty where it is.
    pub reason: Reason,
    /// What else keeps it open, for people.
    #[serde(default)]
    pub further: Vec<String>,
    /// The first tests that cover it.
    #[serde(default)]
    pub tests: Vec<u32>,
    /// How many more do.
    #[serde(default)]
    pub more_tests: u32,
    /// How often the judge saw it, if it counts that.
    #[serde(default)]
    pub times: Option<u64>,
}

/// A goal as its number.
mod goal_number {
    use coverage::goal::GoalId;
    use serde::{Deserialize, Deserializer, Serialize, Serializer};

    pub fn serialize<S: Serializer>(goal: &GoalId, to: S) -> Result<S::Ok, S::Error> {
        goal.as_u32().serialize(to)
    }

    pub fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<GoalId, D::Error> {
        u32::deserialize(from).map(GoalId::from_u32)
    }
}

/// Why a goal is open or infeasible.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Reason {
    /// One of a few words: goals are grouped by it ("budget spent").
    pub name: String,
    /// What is special about this goal; may be empty.
    pub detail: String,
}

impl Reason {
    /// A reason without detail.
    #[must_use]
    pub fn new(name: impl Into<String>) -> Reason {
        Reason {
            name: name.into(),
            detail: String::new(),
        }
    }
}

/// What minimising a suite did.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Minimised {
    /// Tests before.
    pub from: u32,
    /// No suite with fewer of these tests covers the same.
    pub at_least: u32,
}

/// Figures of the campaign.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Facts {
    pub strategy: String,
    pub seed: u64,
    /// Tests kept.
    pub tests: u32,
    pub iterations: u64,
    pub seconds: f64,
    /// Wall time of judging.
    pub judge_seconds: f64,
    /// Time spent in the solver.
    pub solver_seconds: f64,
    /// Where the time went.
    pub times: Times,
    /// How much was done.
    pub work: Work,
    /// Who answered the queries.
    #[serde(default)]
    pub solver: Solving,
    /// Why it stopped: `all covered`, `exhausted`, `iterations`, `time`, `coverage`, `interrupted`.
    pub stopped_by: String,
    /// Folder of the suite, if one was written.
    pub suite: Option<String>,
    /// If the suite was minimised.
    pub minimised: Option<Minimised>,
    /// Faults that the tests show, one for each cause.
    pub failures: Vec<Failure>,
}

/// A fault: a crash, a time-out, a limit, a failed assertion, a report of a sanitizer.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Failure {
    /// File of the smallest test that shows it.
    pub test: String,
    /// How that test ended, in words.
    pub outcome: String,
    /// What the program said of it (`assertion: x > 0`, `address: heap-buffer-overflow`); empty when it said nothing.
    pub cause: String,
    /// `file:line:col` or `file:line`, where that is known.
    pub place: Option<String>,
    /// Functions that were active, innermost first.
    pub stack: Vec<String>,
    /// Hash of the cause and the stack: what tells it from others, in this campaign and the next.
    pub hash: String,
    /// Further tests that show it.
    pub also: Vec<String>,
}

impl Failure {
    /// The functions that were active, innermost first. Of a recursion each round is named once: `f × 46 < main`, `(f < g) × 23 < main`.
    #[must_use]
    pub fn calls(&self) -> String {
        const PERIODS: std::ops::RangeInclusive<usize> = 1..=4;
        let times = |stack: &[String], period: usize| {
            let round = &stack[..period.min(stack.len())];
            let rounds = stack.chunks_exact(period);
            rounds.take_while(|other| *other == round).count()
        };
        let mut words = Vec::new();
        let mut left = self.stack.as_slice();
        while let Some(first) = left.first() {
            let rounds = PERIODS.map(|period| (period, times(left, period)));
            let most = rounds
                .filter(|(_, times)| *times > 2)
                .max_by_key(|(period, times)| (period * times, std::cmp::Reverse(*period)));
            let (word, length) = match most {
                None => (first.clone(), 1),
                Some((1, times)) => (format!("{first} × {times}"), times),
                Some((period, times)) => {
                    let round = left[..period].join(" < ");
                    (format!("({round}) × {times}"), period * times)
                }
            };
            words.push(word);
            left = &left[length..];
        }
        words.join(" < ")
    }
}

impl std::fmt::Display for Failure {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}  {}", self.test, self.outcome)?;
        if !self.cause.is_empty() {
            write!(f, "  {}", self.cause)?;
        }
        if let Some(place) = &self.place {
            write!(f, " at {place}")?;
        }
        if !self.stack.is_empty() {
            write!(f, " in {}", self.calls())?;
        }
        if !self.also.is_empty() {
            write!(f, " (also {})", self.also.join(", "))?;
        }
        Ok(())
    }
}

/// Where the time of the search went, in seconds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Times {
    /// Choosing what to try, and writing its query.
    pub pick: f64,
    /// Solver and what stands in front of it.
    pub solve: f64,
    /// Waiting for the program.
    pub run: f64,
    /// Reading what the program wrote, and making terms of it.
    pub read: f64,
    /// Adding paths to the tree, counting coverage.
    pub learn: f64,
    /// Fuzzing.
    pub fuzz: f64,
}

/// What the search had to do.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Work {
    /// Queries to the solver, answered or given up.
    pub queries: u64,
    /// Runs of the fuzzer, without expressions.
    pub fuzzed: u64,
    /// Candidates that were not tried because they could cover nothing new.
    pub dropped: u64,
    /// Times that the search started over from its tests, because the engine's memory was full.
    #[serde(default)]
    pub started_over: u64,
    /// Words of the event streams: branches taken, calls, returns, constraints.
    pub events: u64,
    /// Expressions that the program built.
    pub expressions: u64,
    /// Seconds in the program, from the fork to the end of each run.
    pub program_seconds: f64,
    /// Starts of the program; all other runs were forked.
    pub starts: u64,
    /// Most memory that the engine held, in bytes.
    pub peak_memory: u64,
}

/// How long queries to the solver took, in seconds; quantiles are an eighth too large at most.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Solving {
    /// All queries.
    #[serde(flatten)]
    pub all: Latency,
    /// Those that each layer answered, in the order in which the layers are asked; layers without queries are left out.
    pub layers: Vec<SolverLayer>,
}

/// The queries that a layer answered, with their time in the layers before it.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct SolverLayer {
    pub name: String,
    #[serde(flatten)]
    pub latency: Latency,
}

/// How long some queries took.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Latency {
    pub queries: u64,
    /// All of them together.
    pub seconds: f64,
    pub median: f64,
    /// What nine of ten took at most.
    pub p90: f64,
    pub longest: f64,
}

/// What the judge says about the suite.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Verdict {
    /// The tool ("llvm-cov 19").
    pub tool: String,
    pub total: u32,
    pub covered: u32,
    /// Its own figure for pairs, if the criterion asks for them.
    pub pairs: Option<Tally>,
    /// Where it differs from the engine; none is what we want.
    pub differences: Vec<String>,
}

impl Report {
    /// The lowest of the percentages of goals: what is asked for has to be met by all.
    #[must_use]
    pub fn percent(&self) -> f64 {
        let apart = self.entries.into_iter().chain(self.exits);
        let percent = apart.map(Totals::percent);
        percent.fold(self.totals.percent(), f64::min)
    }

    /// A path as it is shown: without the folder in which bothways was called.
    #[must_use]
    pub fn shown<'a>(&self, path: &'a str) -> &'a str {
        let below = path.strip_prefix(&self.folder);
        below.filter(|rest| !rest.is_empty()).unwrap_or(path)
    }

    /// All goals with what is known of them, by place.
    #[must_use]
    pub fn goals(&self) -> Vec<(Known, &GoalRow)> {
        let covered = self.covered.iter().map(|row| (Known::Covered, row));
        let infeasible = self.infeasible.iter().map(|row| (Known::Infeasible, row));
        let open = self.open.iter().map(|row| (Known::Open, row));
        let mut all: Vec<_> = covered.chain(infeasible).chain(open).collect();
        all.sort_by(|(_, a), (_, b)| {
            let key = |row: &GoalRow| (row.at.line, row.at.col, row.goal);
            a.at.file.cmp(&b.at.file).then(key(a).cmp(&key(b)))
        });
        all
    }

    /// A report on what is known of the goals: tests of covered ones count from 1. `never`: how it was proved that no input covers one.
    pub fn new<C>(
        program: &Program,
        goals: &Goals,
        evidence: &Statuses<C, Reason>,
        never: impl Fn(&C) -> Reason,
    ) -> Report {
        let mut report = Report {
            criterion: goals.criterion().name().to_owned(),
            unit: goals.criterion().unit().to_owned(),
            ..Report::default()
        };
        let mut all = Figures::default();
        for group in goals.groups() {
            let (record, figures) =
                goals.group_figures(group, evidence.covered(), evidence.infeasible());
            all += figures;
            let name = function_name(program, record);
            report.functions.push(function_row(
                program,
                goals,
                record,
                &name,
                figures,
                group.len(),
            ));
            for goal in goals.of_record(record) {
                let row = |reason| goal_row(program, goals, goal, &name, reason);
                match evidence.get(goal) {
                    Status::Covered { test } => {
                        let mut covered = row(Reason::default());
                        covered.tests.extend(test.map(|number| number + 1));
                        report.covered.push(covered);
                    }
                    Status::Infeasible(why) => report.infeasible.push(row(never(why))),
                    Status::Open(reason) => report.open.push(row(reason.clone())),
                }
            }
        }
        let criterion = goals.criterion();
        report.totals = all.own;
        report.entries = criterion.wants_entries().then_some(all.entries);
        report.exits = criterion.wants_exits().then_some(all.exits);
        report.pairs = criterion.pairing().map(|_| all.pairs);
        let key = |row: &FunctionRow| (row.file.clone(), row.line, row.name.clone());
        report.functions.sort_by_cached_key(key);
        report.open.sort_by_cached_key(GoalRow::order);
        report.infeasible.sort_by_cached_key(GoalRow::order);
        report.covered.sort_by_cached_key(GoalRow::order);
        report
    }
}

impl GoalRow {
    /// Outermost place first: a condition of a macro stands where the macro is used.
    fn order(&self) -> (String, u32, u32, GoalId) {
        let (file, line, col) = self
            .expanded_at
            .last()
            .cloned()
            .unwrap_or_else(|| (self.label.file.clone(), self.label.line, self.label.col));
        (file, line, col, self.goal)
    }
}

/// The label of a goal.
#[must_use]
pub fn label(program: &Program, goals: &Goals, goal: GoalId) -> GoalLabel {
    let Place { file, range, .. } = goals.place(goal);
    GoalLabel {
        file: file_name(program, file),
        line: range.line,
        col: range.col,
        side: goals.get(goal).kind.to_string(),
    }
}

fn function_row(
    program: &Program,
    goals: &Goals,
    record: u32,
    name: &str,
    figures: Figures,
    instantiations: usize,
) -> FunctionRow {
    let (file, line) = goals.start_of_record(record).unwrap_or((0, 0));
    FunctionRow {
        name: name.to_owned(),
        file: file_name(program, file),
        line,
        totals: figures.own,
        entries: figures.entries,
        pairs: goals.criterion().pairing().map(|_| figures.pairs),
        instantiations: u32::try_from(instantiations).unwrap_or(u32::MAX),
    }
}

fn goal_row(program: &Program, goals: &Goals, goal: GoalId, name: &str, reason: Reason) -> GoalRow {
    let place = goals.place(goal);
    let at =
        |(file, range): &(u32, SourceRange)| (file_name(program, *file), range.line, range.col);
    GoalRow {
        goal,
        function: name.to_owned(),
        label: label(program, goals, goal),
        expanded_at: place.expanded_at.iter().map(at).collect(),
        at: outermost(program, &place),
        reason,
        further: Vec::new(),
        tests: Vec::new(),
        more_tests: 0,
        times: None,
    }
}

fn outermost(program: &Program, place: &Place) -> Span {
    let (file, range) = match place.expanded_at.last() {
        Some((file, range)) => (*file, range),
        None => (place.file, &place.range),
    };
    Span {
        file: file_name(program, file),
        line: range.line,
        col: range.col,
        end_line: range.end_line,
        end_col: range.end_col,
    }
}

#[cfg(test)]
mod tests {
    use expect_test::expect;
    use program::{Counter, RegionKind};

    use super::*;
    use crate::format::ReportFormat;
    use crate::format::text::Text;
    use coverage::criterion::branch::Branch;
    use coverage::sample::{Builder, exported, simple};

    #[test]
    fn rows_add_up_and_instantiations_are_one_row() {
        let (program, hits) = exported();
        let goals = Goals::new(&program, &Branch);
        let covered = goals.covered_by(&hits);
        let report = |refuted: bool| {
            let evidence = Statuses::new(&goals, |goal| {
                let reason = Reason {
                    name: "not reached".to_owned(),
                    detail: goal.to_string(),
                };
                match (covered.contains(goal), refuted) {
                    (true, _) => Status::Covered { test: None },
                    (false, true) => Status::Infeasible(reason),
                    (false, false) => Status::Open(reason),
                }
            });
            Report::new(&program, &goals, &evidence, Reason::clone)
        };
        expect![[r#"
            function                          branches  covered  open      %
            main      /src/a.c:3                     2        1     1   50.0
            min       /src/min.h:1 (2 times)         2        2     0  100.0
            total                                    4        3     1   75.0

            open: not reached
              /src/a.c:4:7 true in main: goal0
        "#]]
        .assert_eq(&Text::whole().render(&report(false)));
        let totals = report(true).totals;
        assert_eq!(
            (totals.covered, totals.infeasible, totals.open()),
            (3, 1, 0)
        );
    }

    #[test]
    fn goals_stand_where_their_macros_are_expanded() {
        let mut builder = Builder::new();
        simple(&mut builder, "first", 1, "b.c");
        builder.function("a.c:second", 2, &["a.c", "m.h"]);
        builder.region(0, (7, 1), RegionKind::Code, Counter::Counter(0));
        builder.region(
            0,
            (9, 3),
            RegionKind::Expansion { file: 1 },
            Counter::Counter(0),
        );
        builder.condition(1, (1, 1), Counter::Counter(0));
        builder.condition(0, (8, 5), Counter::Counter(0));
        let goals = Goals::new(&builder.program, &Branch);
        let open = |_| Status::<Reason, Reason>::Open(Reason::new("later"));
        let evidence = Statuses::new(&goals, open);
        let report = Report::new(&builder.program, &goals, &evidence, Reason::clone);
        expect![[r#"
            function         branches  covered  open    %
            second    a.c:7         4        0     4  0.0
            first     b.c:1         2        0     2  0.0
            total                   6        0     6  0.0
            0 of 2 functions entered, 2 open

            open: later
              a.c:7:1 entry in second
              a.c:8:5 true in second
              a.c:8:5 false in second
              m.h:1:1 true in second, expanded at a.c:9:3
              m.h:1:1 false in second, expanded at a.c:9:3
              b.c:1:1 entry in first
              b.c:2:7 true in first
              b.c:2:7 false in first
        "#]]
        .assert_eq(&Text::whole().render(&report));
    }

    #[test]
    fn rounds_of_a_recursion_are_named_once() {
        for (stack, wanted) in [
            ("", ""),
            ("f main", "f < main"),
            ("f f main", "f < f < main"),
            ("e f f f f main", "e < f × 4 < main"),
            ("f g f g f g f", "(f < g) × 3 < f"),
            ("f f g f f g f f g", "(f < f < g) × 3"),
        ] {
            let stack = stack.split_whitespace().map(str::to_owned).collect();
            let failure = Failure {
                stack,
                ..Failure::default()
            };
            assert_eq!(failure.calls(), wanted);
        }
    }
}
