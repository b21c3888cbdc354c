//! The engine's coverage against the judge's, goal by goal.
//!
//! Function records are joined by name and files, then their conditions and regions by their order: see [`super::counts`].
//! Must hold: every difference is reported, also those of shape, and an empty list means that both agree on every goal that
//! the judge has a figure for, and on the totals.

use std::collections::HashMap;
use std::fmt;

use program::{Program, SourceRange};

use crate::judge::counts::{Judged, RecordCounts};
use crate::judge::llvm_cov::{JudgeFunction, JudgeReport, Tally};
use crate::judge::problem::Problem;
use coverage::goal::{Evidence, GoalId};
use coverage::goals::{GoalSet, Goals};

/// A disagreement.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Difference {
    /// Name of the function record, as the judge prints it; empty for totals.
    pub function: String,
    pub problem: Problem,
}

impl fmt::Display for Difference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = &self.function;
        match &self.problem {
            Problem::Covered {
                file,
                file_index,
                range,
                kind,
                engine,
                judge,
                ..
            } => {
                let engine = if *engine { "covered" } else { "not covered" };
                let (line, col) = (range.line, range.col);
                write!(
                    f,
                    "{file}:{line}:{col}: {name}: {kind} (file {file_index} of the record): \
                     engine {engine}, judge {judge} times"
                )
            }
            Problem::Conditions { engine, judge } => {
                let same = engine.iter().zip(judge).take_while(|(a, b)| a == b).count();
                let at = |list: &[(u32, SourceRange)]| match list.get(same) {
                    Some((file, range)) => {
                        let (start, end) =
                            ((range.line, range.col), (range.end_line, range.end_col));
                        format!("{}:{}-{}:{} of file {file}", start.0, start.1, end.0, end.1)
                    }
                    None => "none".to_owned(),
                };
                let (ours, theirs) = (at(engine), at(judge));
                write!(f, "{name}: condition {same}: engine {ours}, judge {theirs}")
            }
            Problem::NotInJudge => write!(f, "{name}: the judge does not have it"),
            Problem::NotInEngine => write!(f, "{name}: the engine does not have it"),
            Problem::Totals { engine, judge } => write!(
                f,
                "totals: engine {engine}, judge {} of {}",
                judge.covered, judge.count
            ),
        }
    }
}

/// What the engine says is covered beside what the judge says, joined goal by goal.
pub struct Comparison<'a> {
    program: &'a Program,
    goals: &'a Goals,
    engine: &'a GoalSet,
    report: &'a JudgeReport,
    joined: Joined,
}

impl<'a> Comparison<'a> {
    /// Joins the two. `engine`: what the engine says is covered.
    #[must_use]
    pub fn new(
        program: &'a Program,
        goals: &'a Goals,
        engine: &'a GoalSet,
        report: &'a JudgeReport,
    ) -> Comparison<'a> {
        Comparison {
            program,
            goals,
            engine,
            report,
            joined: join(program, goals, report),
        }
    }

    /// Where they differ, in the order of the engine's records.
    #[must_use]
    pub fn differences(&self) -> Vec<Difference> {
        self.differences_but(&|_, _| false).0
    }

    /// The differences that are not excused, and in how many goals one is: `is_excused` is asked with a goal and what the engine says
    /// of it. Where any is, the totals say nothing.
    #[must_use]
    pub fn differences_but(
        &self,
        is_excused: &dyn Fn(GoalId, bool) -> bool,
    ) -> (Vec<Difference>, usize) {
        let mut excused = 0;
        let mut differences = self.joined.differences.clone();
        for Outcome { goal, judge, name } in &self.joined.outcomes {
            let engine = self.engine.contains(*goal);
            let differs = match judge {
                Judged::Times(times) => engine != (*times > 0),
                Judged::AtLeast(shown) => *shown && !engine,
                Judged::Nothing => false,
            };
            if differs && is_excused(*goal, engine) {
                excused += 1;
            } else if differs {
                let (program, goals) = (self.program, self.goals);
                differences.push(Difference {
                    function: name.clone(),
                    problem: covered_problem(program, goals, *goal, engine, judge.times()),
                });
            }
        }
        let engine = self.goals.totals(self.engine, &GoalSet::new(self.goals));
        let judge = self.totals();
        let same =
            (u64::from(engine.total), u64::from(engine.covered)) == (judge.count, judge.covered);
        if !same && excused == 0 {
            differences.push(Difference {
                function: String::new(),
                problem: Problem::Totals { engine, judge },
            });
        }
        (differences, excused)
    }

    /// What the judge says is covered, as goals of the engine. Records that do not join are not covered;
    /// [`differences`](Comparison::differences) names them. Of what the judge has no figure for, the engine is believed:
    /// pairs of decisions that clang does not instrument, and pairs by the masking rule.
    #[must_use]
    pub fn covered(&self) -> GoalSet {
        let mut set = GoalSet::new(self.goals);
        let covered = |outcome: &&Outcome| match outcome.judge {
            Judged::Times(times) => times > 0,
            Judged::AtLeast(shown) => shown || self.engine.contains(outcome.goal),
            Judged::Nothing => self.engine.contains(outcome.goal),
        };
        let outcomes = self.joined.outcomes.iter();
        set.extend(outcomes.filter(covered).map(|outcome| outcome.goal));
        set
    }

    /// How often the judge saw each goal that it counts.
    #[must_use]
    pub fn times(&self) -> HashMap<GoalId, u64> {
        let counted = |outcome: &Outcome| match outcome.judge {
            Judged::Times(times) => Some((outcome.goal, times)),
            Judged::AtLeast(_) | Judged::Nothing => None,
        };
        self.joined.outcomes.iter().filter_map(counted).collect()
    }

    /// How many goals the judge has no figure for.
    #[must_use]
    pub fn not_judged(&self) -> usize {
        let none = |outcome: &&Outcome| {
            let kept = !matches!(self.goals.get(outcome.goal).evidence, Evidence::Nothing);
            kept && matches!(outcome.judge, Judged::Nothing)
        };
        self.joined.outcomes.iter().filter(none).count()
    }

    /// The judge's own figure for pairs, if it was asked for them: of the decisions that clang maps, whatever the scope.
    #[must_use]
    pub fn pairs(&self) -> Option<Tally> {
        let asked = self.goals.criterion().pairing();
        asked.map(|_| self.report.totals.mcdc)
    }

    /// The judge's totals: its own for a whole program where it has a figure, else the sum over the goals.
    #[must_use]
    pub fn totals(&self) -> Tally {
        if !self.goals.is_scoped()
            && let Some(column) = self.goals.criterion().column()
        {
            return self.report.totals.of(column);
        }
        let totals = self
            .goals
            .totals(&self.covered(), &GoalSet::new(self.goals));
        Tally {
            count: totals.total.into(),
            covered: totals.covered.into(),
        }
    }
}

fn covered_problem(
    program: &Program,
    goals: &Goals,
    goal: GoalId,
    engine: bool,
    judge: u64,
) -> Problem {
    let (file_index, range) = goals.local_place(goal);
    let file = goals.place(goal).file as usize;
    Problem::Covered {
        goal,
        file: program.files.get(file).cloned().unwrap_or_default(),
        file_index,
        range,
        kind: goals.get(goal).kind,
        engine,
        judge,
    }
}

/// Engine and judge joined.
#[derive(Default)]
struct Joined {
    outcomes: Vec<Outcome>,
    /// Where they do not join.
    differences: Vec<Difference>,
}

/// A goal that both have.
struct Outcome {
    goal: GoalId,
    judge: Judged,
    /// Of the function, as the judge prints it.
    name: String,
}

fn join(program: &Program, goals: &Goals, report: &JudgeReport) -> Joined {
    let mut joined = Joined::default();
    let mut index = Index::new(report);
    for (number, record) in (0u32..).zip(&program.coverage) {
        let ours: Vec<GoalId> = goals.of_record(number).collect();
        if ours.is_empty() {
            continue;
        }
        let file = |file: &u32| program.files.get(*file as usize).map_or("", String::as_str);
        let files: Vec<&str> = record.files.iter().map(file).collect();
        let name = printed_name(&record.name, files.first().copied().unwrap_or(""));
        let counts = match index.take(name, &files) {
            None => Err(Problem::NotInJudge),
            Some(function) => RecordCounts::join(record, goals, number, function),
        };
        match counts {
            Ok(counts) => joined.outcomes.extend(ours.iter().map(|goal| Outcome {
                goal: *goal,
                judge: counts.of(goals, *goal),
                name: name.to_owned(),
            })),
            Err(problem) => joined.differences.push(Difference {
                function: name.to_owned(),
                problem,
            }),
        }
    }
    if goals.is_scoped() || goals.criterion().column().is_none() {
        // The judge counts every function and every label, whether it has goals or not.
        return joined;
    }
    joined
        .differences
        .extend(index.rest().map(|function| Difference {
            function: function.name.clone(),
            problem: Problem::NotInEngine,
        }));
    joined
}

/// A record's name as the judge prints it: without the file before it, if that is the first of the record's files.
fn printed_name<'a>(name: &'a str, first_file: &str) -> &'a str {
    match name.strip_prefix(first_file) {
        Some(rest) if !first_file.is_empty() => rest.get(1..).unwrap_or(rest),
        _ => name,
    }
}

/// The judge's records by name, each to be taken once.
struct Index<'a> {
    functions: &'a [JudgeFunction],
    by_name: HashMap<&'a str, Vec<usize>>,
    taken: Vec<bool>,
}

impl<'a> Index<'a> {
    fn new(report: &'a JudgeReport) -> Index<'a> {
        let mut by_name: HashMap<&str, Vec<usize>> = HashMap::new();
        for (number, function) in report.functions.iter().enumerate() {
            by_name.entry(&function.name).or_default().push(number);
        }
        Index {
            taken: vec![false; report.functions.len()],
            functions: &report.functions,
            by_name,
        }
    }

    /// The record of this name with the same files, else with the same first file, else the only one.
    fn take(&mut self, name: &str, files: &[&str]) -> Option<&'a JudgeFunction> {
        let functions = self.functions;
        let candidates = self.by_name.get(name)?.iter().copied();
        let free: Vec<usize> = candidates.filter(|number| !self.taken[*number]).collect();
        let same = |number: &&usize| functions[**number].filenames == files;
        let same_first = |number: &&usize| {
            functions[**number].filenames.first().map(String::as_str) == files.first().copied()
        };
        let only = if free.len() == 1 { free.first() } else { None };
        let found = free
            .iter()
            .find(same)
            .or_else(|| free.iter().find(same_first))
            .or(only)?;
        self.taken[*found] = true;
        Some(&functions[*found])
    }

    /// Records with conditions that were not taken.
    fn rest(&self) -> impl Iterator<Item = &'a JudgeFunction> {
        let functions = self.functions.iter().zip(&self.taken);
        functions
            .filter(|(function, taken)| !**taken && !function.branches.is_empty())
            .map(|(function, _)| function)
    }
}

#[cfg(test)]
mod tests {
    use expect_test::{Expect, expect};

    use super::*;
    use crate::judge::llvm_cov;
    use crate::sample::EXPORT;
    use coverage::HitCounter;
    use coverage::criterion::branch::Branch;
    use coverage::sample::{Builder, exported};

    /// Compares the engine's view of the exported run with the export, after a change to the text.
    fn check(from: &str, to: &str, expect: Expect) {
        assert!(from.is_empty() || EXPORT.contains(from));
        let report = llvm_cov::parse(&EXPORT.replace(from, to)).expect("an export");
        let (program, hits) = exported();
        let goals = Goals::new(&program, &Branch);
        let covered = goals.covered_by(&hits);
        let differences = Comparison::new(&program, &goals, &covered, &report).differences();
        let lines = differences
            .iter()
            .map(|difference| format!("{difference}\n"));
        expect.assert_eq(&lines.collect::<String>());
    }

    #[test]
    fn the_engine_agrees_with_a_real_export() {
        check("", "", expect![[r""]]);
    }

    #[test]
    fn what_is_excused_is_counted_and_takes_the_totals_with_it() {
        let (program, _) = exported();
        let goals = Goals::new(&program, &Branch);
        let nothing = GoalSet::new(&goals);
        let report = llvm_cov::parse(EXPORT).expect("an export");
        let comparison = Comparison::new(&program, &goals, &nothing, &report);
        let all = comparison.differences();
        let (rest, excused) = comparison.differences_but(&|_, engine| !engine);
        assert_eq!((rest.len(), excused), (0, all.len() - 1));
        let first = comparison.covered().iter().next().expect("one is covered");
        let (rest, excused) = comparison.differences_but(&|goal, _| goal == first);
        assert_eq!((rest.len(), excused), (all.len() - 2, 1));
    }

    #[test]
    fn an_outcome_that_differs_is_named() {
        check(
            "[4, 7, 4, 12, 0, 1,",
            "[4, 7, 4, 12, 2, 1,",
            expect![[r#"
            /src/a.c:4:7: main: true (file 0 of the record): engine not covered, judge 2 times
        "#]],
        );
        check(
            "[4, 7, 4, 12, 0, 1,",
            "[4, 7, 4, 12, 0, 0,",
            expect![[r#"
            /src/a.c:4:7: main: false (file 0 of the record): engine covered, judge 0 times
        "#]],
        );
    }

    #[test]
    fn shapes_that_differ_are_named() {
        check(
            "[4, 7, 4, 12,",
            "[4, 7, 5, 12,",
            expect![[r#"
                main: condition 0: engine 4:7-4:12 of file 0, judge 4:7-5:12 of file 0
            "#]],
        );
        check(
            "\"name\": \"main\"",
            "\"name\": \"start\"",
            expect![[r#"
            main: the judge does not have it
            start: the engine does not have it
        "#]],
        );
        check(
            "\"name\": \"a.c:min\"",
            "\"name\": \"c.c:min\"",
            expect![[r#"
                a.c:min: the judge does not have it
                c.c:min: the engine does not have it
            "#]],
        );
    }

    #[test]
    fn totals_are_compared_too() {
        check(
            "{\"branches\": {\"count\": 4,",
            "{\"branches\": {\"count\": 6,",
            expect![[r#"
                totals: engine 3 of 4, judge 3 of 6
            "#]],
        );
    }

    #[test]
    fn what_the_judge_covers_can_be_reported() {
        let report = llvm_cov::parse(EXPORT).expect("an export");
        let (program, hits) = exported();
        let goals = Goals::new(&program, &Branch);
        let nothing = GoalSet::new(&goals);
        assert_eq!(
            Comparison::new(&program, &goals, &nothing, &report).covered(),
            goals.covered_by(&hits)
        );
    }

    #[test]
    fn a_file_before_a_name_is_dropped_as_the_judge_does() {
        assert_eq!(printed_name("/x/a.c:f", "/x/a.c"), "f");
        assert_eq!(printed_name("a.c:f", "/x/a.c"), "a.c:f");
        assert_eq!(printed_name("f", ""), "f");
    }

    #[test]
    fn functions_without_conditions_need_no_partner() {
        let mut builder = Builder::new();
        builder.function("quiet", 1, &["a.c"]);
        let goals = Goals::new(&builder.program, &Branch);
        let hits = HitCounter::new(&builder.program).take();
        let covered = goals.covered_by(&hits);
        let report = JudgeReport::default();
        let comparison = Comparison::new(&builder.program, &goals, &covered, &report);
        assert_eq!(comparison.differences(), []);
    }
}
