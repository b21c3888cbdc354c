//! One cell of an experiment: `bothways test` as a process of its own, so that its memory and its crashes are its own.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use ::bench::{Cell, Point, Record, Subject, Suite};
use anyhow::{Context, Result, ensure};
use serde::Deserialize;

/// A subject that was built.
pub struct Program {
    /// The program; of a subject with a function, its source.
    path: PathBuf,
    subject: Subject,
    /// The bench file's folder.
    here: String,
}

/// Flags in which `{here}` stands for a folder.
fn at(here: &str, flags: &[String]) -> impl Iterator<Item = String> {
    flags.iter().map(move |flag| flag.replace("{here}", here))
}

/// Builds a subject, or finds it built.
///
/// # Errors
/// What the compiler says; the program is not there.
pub fn build(subject: &Subject, here: &Path, folder: &Path) -> Result<Program> {
    let built = |path| Program {
        path,
        subject: subject.clone(),
        here: here.display().to_string(),
    };
    let there = |name: &String| {
        let path = here.join(name);
        std::fs::metadata(&path).with_context(|| format!("{}", path.display()))?;
        Ok::<_, anyhow::Error>(path)
    };
    if let Some(program) = &subject.program {
        let path = there(program).context("build the program with `bothways cc` first")?;
        return Ok(built(path));
    }
    let sources: Vec<PathBuf> = subject.sources.iter().map(there).collect::<Result<_>>()?;
    if subject.function.is_some() {
        // Every run builds its harness.
        return Ok(built(sources[0].clone()));
    }
    let path = folder.join(format!("{}.program", super::file_name(&subject.name)));
    let mut command = bothways()?;
    command.arg("cc");
    command.args(at(&here.display().to_string(), &subject.cflags));
    let output = command
        .args(sources)
        .arg("-o")
        .arg(&path)
        .output()
        .context("cannot start the compiler")?;
    ensure!(output.status.success(), "does not build: {}", said(&output));
    Ok(built(path))
}

/// Runs a cell.
///
/// # Errors
/// `bothways test` fails, with what it says.
pub fn run(suite: &Suite, cell: &Cell, program: &Program, folder: &Path) -> Result<Record> {
    let mut command = bothways()?;
    command.args([
        "test",
        "--quiet",
        "--json",
        "--fresh",
        "--strategy",
        &cell.strategy,
    ]);
    command
        .args(["--seed", &cell.seed.to_string(), "--out"])
        .arg(folder);
    if let Some(iterations) = suite.iterations {
        command.args(["--iterations", &iterations.to_string()]);
    }
    // Without a time budget only iterations end a run.
    command.args(["--time", suite.time.as_deref().unwrap_or("24h")]);
    let subject = &program.subject;
    if let Some(stdin) = &subject.stdin {
        command.args(["--stdin", stdin]);
    }
    if let Some(timeout) = &subject.timeout {
        command.args(["--timeout", timeout]);
    }
    command.args(at(&program.here, &suite.flags));
    command.args(at(&program.here, &subject.flags));
    command.arg(&program.path);
    if let Some(function) = &subject.function {
        command.args(["--function", function]);
        if !subject.cflags.is_empty() {
            command.arg("--cflags");
            command.args(at(&program.here, &subject.cflags));
        }
    }
    if !subject.args.is_empty() {
        command.arg("--").args(&subject.args);
    }
    let output = command.output().context("cannot start")?;
    ensure!(
        output.status.success(),
        "{}: {}",
        output.status,
        said(&output)
    );
    let report: Report = serde_json::from_slice(&output.stdout).context("its report")?;
    let manifest = folder.join("manifest.json");
    let manifest = std::fs::read(&manifest).with_context(|| format!("{}", manifest.display()))?;
    let manifest: Manifest = serde_json::from_slice(&manifest).context("its manifest")?;
    Ok(record(cell, &report, &manifest))
}

fn record(cell: &Cell, report: &Report, manifest: &Manifest) -> Record {
    let mut curve: Vec<Point> = Vec::new();
    for test in &manifest.tests {
        // What the judge does not confirm is not covered.
        let covered = test.covered.min(report.goals.covered);
        if curve.last().is_none_or(|last| last.covered < covered) {
            curve.push(Point {
                iteration: test.iteration,
                seconds: test.seconds,
                covered,
            });
        }
    }
    let name = |goal: &Goal| {
        let file = goal.file.replace(char::is_whitespace, "_");
        let at: Vec<String> = goal
            .expanded_at
            .iter()
            .map(|at| format!("@{}:{}", at.line, at.col))
            .collect();
        format!(
            "{file}:{}:{}:{}{}",
            goal.line,
            goal.col,
            goal.side,
            at.concat()
        )
    };
    Record {
        subject: cell.subject.clone(),
        strategy: cell.strategy.clone(),
        seed: cell.seed,
        total: report.goals.total,
        covered: report.goals.covered,
        iterations: report.iterations,
        seconds: report.seconds,
        memory: report.work.peak_memory,
        picking: report.times.pick,
        stopped_by: report.stopped_by.clone(),
        open: report
            .open
            .iter()
            .chain(&report.infeasible)
            .map(name)
            .collect(),
        curve,
    }
}

/// This command.
fn bothways() -> Result<Command> {
    Ok(Command::new(
        std::env::current_exe().context("cannot find this program")?,
    ))
}

/// The last of what a process printed as errors.
fn said(output: &Output) -> String {
    let text = String::from_utf8_lossy(&output.stderr);
    let lines: Vec<&str> = text.trim().lines().collect();
    lines[lines.len().saturating_sub(5)..].join("\n")
}

/// What is needed of the JSON report.
#[derive(Deserialize)]
struct Report {
    goals: Goals,
    iterations: u64,
    seconds: f64,
    times: Times,
    work: Work,
    stopped_by: String,
    open: Vec<Goal>,
    infeasible: Vec<Goal>,
}

#[derive(Deserialize)]
struct Goals {
    total: u32,
    covered: u32,
}

#[derive(Deserialize)]
struct Times {
    pick: f64,
}

#[derive(Deserialize)]
struct Work {
    peak_memory: u64,
}

#[derive(Deserialize)]
struct Goal {
    file: String,
    line: u32,
    col: u32,
    side: String,
    expanded_at: Vec<At>,
}

#[derive(Deserialize)]
struct At {
    line: u32,
    col: u32,
}

/// What is needed of a suite's manifest.
#[derive(Deserialize)]
struct Manifest {
    tests: Vec<Test>,
}

#[derive(Deserialize)]
struct Test {
    iteration: u64,
    seconds: f64,
    covered: u32,
}
