//! Campaigns in folders, seen from outside: how far one is, what it was asked to do, and several made one.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::Duration;

use serde::Serialize;
use store::{Figures, Reader, State, Verdict};

use crate::all::FUNCTIONS;
use crate::error::{Context, Result, bail, ensure};
use crate::options::Start;
use crate::output::Folder;
use report::suite::manifest::FILE_NAME;

/// What a campaign was asked to do.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Asked {
    /// The words of the command, behind its name.
    pub command: Vec<String>,
    /// Where it was typed.
    pub folder: PathBuf,
    /// Why it ended, if it did.
    pub stop: Option<String>,
}

/// How far a campaign is.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Status {
    /// The words of the command.
    pub command: Vec<String>,
    /// The process that is at it; 0 if its number is not known.
    pub process: Option<u32>,
    /// Why it ended; nothing while it runs and where it was killed.
    pub stopped_by: Option<String>,
    pub runs: u64,
    /// Most runs, for each function if there are several.
    pub iterations: Option<u64>,
    pub seconds: f64,
    /// Most time.
    pub time: f64,
    /// Seconds from the start to the last test that covered something new.
    pub last_find: Option<f64>,
    pub goals: Goals,
    pub tests: u64,
    /// Tests that show a failure.
    pub failing: u64,
}

/// Goals, each instantiation counted by itself.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Goals {
    pub total: u64,
    pub covered: u64,
    pub infeasible: u64,
    pub open: u64,
}

/// What the last campaign in a folder was asked to do.
///
/// # Errors
/// There is none, or its store cannot be read.
pub fn asked(folder: &Path) -> Result<Asked> {
    let state = last(folder)?;
    ensure!(
        !state.settings.command.is_empty(),
        "{}: no command is known for this campaign",
        folder.display()
    );
    Ok(Asked {
        command: state.settings.command,
        folder: state.settings.folder,
        stop: state.stop,
    })
}

fn last(folder: &Path) -> Result<State> {
    let state = Reader::open(folder)?.last()?;
    state.with_context(|| format!("{}: no campaign has begun here", folder.display()))
}

/// How far the campaign in a folder is; it may be running.
///
/// # Errors
/// There is none, or its store cannot be read.
pub fn status(folder: &Path) -> Result<Status> {
    let state = last(folder)?;
    let mut status = Status {
        process: store::Lock::holder(folder).map(Option::unwrap_or_default),
        command: state.settings.command,
        stopped_by: state.stop,
        runs: state.figures.runs,
        iterations: state.settings.iterations,
        seconds: state.figures.spent.as_secs_f64(),
        time: state.settings.time.as_secs_f64(),
        last_find: state.last_find.map(|time| time.as_secs_f64()),
        ..Status::default()
    };
    for part in parts(folder) {
        let reader = Reader::open(&part)?;
        for goal in reader.goals()? {
            let goals = &mut status.goals;
            goals.total += 1;
            *match goal.verdict {
                Verdict::Covered => &mut goals.covered,
                Verdict::Infeasible { .. } => &mut goals.infeasible,
                Verdict::Open { .. } => &mut goals.open,
            } += 1;
        }
        let tests = reader.tests()?;
        status.tests += tests.len() as u64;
        status.failing += tests.iter().filter(|test| test.fails).count() as u64;
    }
    Ok(status)
}

/// A goal, as the store has it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Known {
    pub name: String,
    /// `covered`, `infeasible` or `open`.
    pub verdict: &'static str,
    /// Why, where that is known.
    pub reason: String,
}

/// What is known of the goals of the campaign in a folder; it may be running.
///
/// # Errors
/// There is none, or its store cannot be read.
pub fn goals(folder: &Path) -> Result<Vec<Known>> {
    let goals = Reader::open(folder)?.goals()?;
    let known = goals.into_iter().map(|goal| {
        let (verdict, reason) = match goal.verdict {
            Verdict::Covered => ("covered", String::new()),
            Verdict::Infeasible { reason, .. } => ("infeasible", reason),
            Verdict::Open { reason } => ("open", reason),
        };
        Known {
            name: goal.name,
            verdict,
            reason,
        }
    });
    Ok(known.collect())
}

/// The folders with stores of a suite: its own, and those of its functions.
fn parts(folder: &Path) -> Vec<PathBuf> {
    let mut all = vec![folder.to_owned()];
    let text = std::fs::read_to_string(folder.join(FILE_NAME)).unwrap_or_default();
    let manifest: serde_json::Value = serde_json::from_str(&text).unwrap_or_default();
    let is_of_functions = manifest.get(FUNCTIONS).is_some();
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    let mut inside: Vec<PathBuf> = entries.map(|entry| entry.path()).collect();
    inside.retain(|path| is_of_functions && path.join(store::FILE_NAME).is_file());
    inside.sort();
    all.extend(inside);
    all
}

/// Makes one campaign of several of the same program in a new folder: all their tests, in the order of the folders. Nothing is run.
///
/// # Errors
/// They are of different programs, one cannot be read, or the folder holds something else.
pub fn merge(from: &[PathBuf], out: &Path) -> Result<()> {
    let mut merged: BTreeMap<PathBuf, Vec<PathBuf>> = BTreeMap::new();
    for folder in from {
        ensure!(
            !same_folder(folder, out),
            "{} is one of the folders that are merged: choose another with --out",
            out.display()
        );
        for part in parts(folder) {
            let inside = part.strip_prefix(folder).unwrap_or(&part).to_owned();
            merged.entry(inside).or_default().push(part);
        }
    }
    let mut states = BTreeMap::new();
    for (inside, parts) in &merged {
        states.insert(inside, of_one_program(parts)?);
    }
    for (inside, parts) in &merged {
        let (state, figures) = &states[inside];
        let mut folder = Folder::create(&out.join(inside), Start::Fresh, false)?;
        folder
            .store()
            .begin(&state.settings, *figures, &mut std::iter::empty())?;
        for part in parts {
            for test in Reader::open(part)?.tests()? {
                folder.store().add(&store::Test {
                    key: &test.key,
                    text: &test.text,
                    outcome: &test.outcome,
                    fails: test.fails,
                    run: test.run,
                    seconds: test.seconds,
                    covers: &[],
                })?;
            }
        }
    }
    Ok(())
}

fn same_folder(one: &Path, other: &Path) -> bool {
    match (one.canonicalize(), other.canonicalize()) {
        (Ok(one), Ok(other)) => one == other,
        _ => false,
    }
}

/// The last campaign of the first of these, and the figures of all: they must be of the same program.
fn of_one_program(parts: &[PathBuf]) -> Result<(State, Figures)> {
    let states: Vec<State> = parts.iter().map(|part| last(part)).collect::<Result<_>>()?;
    let (first, others) = states.split_first().fault()?;
    for (part, other) in parts[1..].iter().zip(others) {
        if other.settings.subject != first.settings.subject {
            bail!(
                "{} and {} hold campaigns of different programs: {} and {}",
                parts[0].display(),
                part.display(),
                first.settings.subject,
                other.settings.subject
            );
        }
    }
    let spent: Duration = states.iter().map(|state| state.figures.spent).sum();
    let runs = states.iter().map(|state| state.figures.runs).sum();
    Ok((first.clone(), Figures { runs, spent }))
}
