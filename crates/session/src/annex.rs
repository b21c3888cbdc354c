//! What pages and coverage formats need beyond the report's table: sources with the judge's counts, tests with their inputs, and
//! the tests that cover each goal.
//!
//! Must hold: a goal names a test only if the judge counts the goal and the test is in the suite; a source that cannot be read is
//! left without text, never an error.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use coverage::{GoalId, Goals};
use report::judge::{JudgeReport, lines};
use report::{FunctionCount, GoalRow, Report, SourceFile, TestRow};

use crate::found::Found;

/// Tests that a goal names; of others it has the number.
const TESTS: usize = 20;
/// Further reasons that an open goal has.
const REASONS: usize = 4;

/// What the judge counted.
#[derive(Default)]
pub struct Counted {
    /// How often it saw each goal.
    pub times: HashMap<GoalId, u64>,
    /// For each file, lines with code and how often it saw them.
    pub lines: BTreeMap<String, Vec<(u32, u64)>>,
    /// For each file, its functions.
    pub functions: BTreeMap<String, Vec<FunctionCount>>,
}

impl Counted {
    /// Of the goals and of all files.
    #[must_use]
    pub fn new(times: HashMap<GoalId, u64>, report: &JudgeReport) -> Counted {
        let lines = report.files.iter().map(|file| {
            let counts = lines::counts(&file.segments);
            (file.filename.clone(), counts)
        });
        Counted {
            times,
            lines: lines.collect(),
            functions: FunctionCount::by_file(report),
        }
    }
}

/// Completes a report.
pub fn complete(
    report: &mut Report,
    found: &Found,
    (model, goals): (&program::Program, &Goals),
    counted: &Counted,
) {
    let tests = tests_of(found);
    for row in &mut report.covered {
        if let Some(all) = tests.get(&row.goal) {
            row.tests = all.iter().copied().take(TESTS).collect();
            row.more_tests = u32::try_from(all.len() - row.tests.len()).unwrap_or(u32::MAX);
        } else {
            row.tests
                .retain(|number| found.tests.iter().any(|test| test.number == *number));
        }
    }
    let verdicts = found.findings.verdicts(model, goals);
    for row in &mut report.open {
        let further = verdicts.reasons(row.goal).iter().skip(1).take(REASONS);
        row.further = further.map(ToString::to_string).collect();
    }
    for row in rows(report) {
        row.times = counted.times.get(&row.goal).copied();
    }
    report.tests = found.tests.iter().map(TestRow::of).collect();
    report.folder = match std::env::current_dir() {
        Ok(folder) => format!("{}/", folder.display().to_string().trim_end_matches('/')),
        Err(_) => String::new(),
    };
    report.sources = sources(report, counted);
}

fn rows(report: &mut Report) -> impl Iterator<Item = &mut GoalRow> {
    let open = report.open.iter_mut().chain(&mut report.infeasible);
    open.chain(&mut report.covered)
}

/// For each goal the tests of the suite that cover it, by number.
fn tests_of(found: &Found) -> HashMap<GoalId, Vec<u32>> {
    let in_suite: BTreeSet<u32> = found.tests.iter().map(|test| test.number).collect();
    let mut tests: HashMap<GoalId, Vec<u32>> = HashMap::new();
    for kept in &found.kept {
        let number = kept.number + 1;
        let shows = kept
            .shows
            .as_ref()
            .map_or(&kept.goals, |shows| &shows.goals);
        // A pair needs two tests: the one that completes it is among its own goals only.
        let both: BTreeSet<GoalId> = shows.iter().chain(&kept.goals).copied().collect();
        for goal in both.into_iter().filter(|_| in_suite.contains(&number)) {
            tests.entry(goal).or_default().push(number);
        }
    }
    tests
}

/// The files that goals, functions and decisions stand in.
fn sources(report: &Report, counted: &Counted) -> Vec<SourceFile> {
    let of_functions = report.functions.iter().map(|row| &row.file);
    let goals = report.open.iter().chain(&report.infeasible);
    let of_goals = goals.chain(&report.covered).map(|row| &row.at.file);
    let of_decisions = report.decisions.iter().map(|row| &row.file);
    let names: BTreeSet<&String> = of_functions.chain(of_goals).chain(of_decisions).collect();
    let source = |name: &String| SourceFile {
        name: name.clone(),
        text: std::fs::read(name)
            .ok()
            .map(|bytes| String::from_utf8_lossy(&bytes).into_owned()),
        lines: counted.lines.get(name).cloned().unwrap_or_default(),
        functions: counted.functions.get(name).cloned().unwrap_or_default(),
    };
    let names = names.into_iter().filter(|name| !name.is_empty());
    names.map(source).collect()
}
