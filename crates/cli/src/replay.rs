//! `bothways replay SUITE`: every test again, on the plain build that the judge used.

use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Duration;

use anyhow::{Context, Result, bail};
use clap::Args;
use coverage::suite::{Manifest, ManifestTest, manifest, text};
use native::judge::{Judge, JudgeConfig};

use crate::errors::{DONE, NOT_MET};
use crate::say;
use crate::test::all::FUNCTIONS;
use crate::test::convert::judged;
use crate::test::finish::JUDGE;
use crate::test::search::calls_variable;
use crate::units;

/// Runs every test of a suite again, on a plain build
#[derive(Args, Clone, Debug)]
pub struct Options {
    /// Folder of the suite
    #[arg(value_name = "SUITE")]
    pub suite: PathBuf,

    /// Print the command that runs test N under gdb
    #[arg(long, value_name = "N")]
    pub gdb: Option<u32>,

    /// Limit on one test; the default is what `bothways test` used
    #[arg(long, value_name = "DURATION", value_parser = units::duration)]
    pub timeout: Option<Duration>,

    /// Limit on the resident memory of one test; the default is what `bothways test` used
    #[arg(long, value_name = "SIZE", value_parser = units::memory)]
    pub memory: Option<u64>,
}

/// Runs the command.
///
/// # Errors
/// No suite there, or one for another version of the sources.
pub fn run(options: &Options) -> Result<ExitCode> {
    let folder = std::path::absolute(&options.suite)?;
    if let Some(functions) = functions(&folder) {
        return each(&folder, &functions, options);
    }
    let manifest = read(&folder)?;
    let changes = manifest.check(|path| std::fs::read(path).ok());
    if !changes.is_empty() {
        let all: Vec<String> = changes.iter().map(ToString::to_string).collect();
        bail!(
            "{}: the suite belongs to another version of the program: {}",
            folder.display(),
            all.join("; ")
        );
    }
    let judge = folder.join(JUDGE);
    if !judge.is_file() {
        bail!(
            "{}: its plain build `{JUDGE}` is missing; make the suite again with `bothways test`",
            folder.display()
        );
    }
    match options.gdb {
        Some(number) => gdb(&folder, &manifest, number),
        None => replay(&folder, &manifest, options),
    }
}

/// The suites in a folder of `--all-functions`.
fn functions(folder: &Path) -> Option<Vec<String>> {
    let text = std::fs::read_to_string(folder.join(manifest::FILE_NAME)).ok()?;
    let value: serde_json::Value = serde_json::from_str(&text).ok()?;
    let names = value.get(FUNCTIONS)?.as_array()?;
    let names = names.iter().filter_map(serde_json::Value::as_str);
    Some(names.map(str::to_owned).collect())
}

fn each(folder: &Path, functions: &[String], options: &Options) -> Result<ExitCode> {
    if options.gdb.is_some() {
        bail!(
            "{} holds suites: name one, as {}/{}",
            folder.display(),
            folder.display(),
            functions.join(", ")
        );
    }
    let mut all = DONE;
    for name in functions {
        let suite = folder.join(name);
        say::out(&format!("{name}:\n"))?;
        let manifest = read(&suite)?;
        if replay(&suite, &manifest, options)? != ExitCode::from(DONE) {
            all = NOT_MET;
        }
    }
    Ok(ExitCode::from(all))
}

fn read(folder: &Path) -> Result<Manifest> {
    let path = folder.join(manifest::FILE_NAME);
    let text = std::fs::read_to_string(&path)
        .with_context(|| format!("{} is no suite: {}", folder.display(), path.display()))?;
    Manifest::parse(&text).with_context(|| format!("{}", path.display()))
}

fn gdb(folder: &Path, manifest: &Manifest, number: u32) -> Result<ExitCode> {
    let Some(test) = manifest.tests.iter().find(|test| test.number == number) else {
        bail!(
            "{} has no test {number}; it has 1 to {}",
            folder.display(),
            manifest.tests.len()
        );
    };
    let args: String = manifest
        .args
        .iter()
        .map(|arg| format!(" {}", quoted(arg)))
        .collect();
    let environment = format!(
        "set environment BOTHWAYS_TEST {}",
        folder.join(&test.file).display()
    );
    let line = format!(
        "gdb -ex {} -ex 'set environment LLVM_PROFILE_FILE /dev/null' --args {}{args}",
        quoted(&environment),
        quoted(&folder.join(JUDGE).display().to_string()),
    );
    say::out(&format!("{line}\n"))?;
    Ok(ExitCode::from(DONE))
}

/// A word as a shell takes it.
fn quoted(word: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "/._-+=:,@%".contains(c);
    if !word.is_empty() && word.chars().all(plain) {
        word.to_owned()
    } else {
        format!("'{}'", word.replace('\'', r"'\''"))
    }
}

fn replay(folder: &Path, manifest: &Manifest, options: &Options) -> Result<ExitCode> {
    let mut config = JudgeConfig::new(folder.join(JUDGE));
    config.args = manifest.args.iter().map(Into::into).collect();
    let timeout = manifest.limits.timeout_ms.map(Duration::from_millis);
    config.timeout = options.timeout.or(timeout).unwrap_or(config.timeout);
    let memory = options.memory.or(manifest.limits.memory_bytes);
    config.memory_bytes = memory.unwrap_or(config.memory_bytes);
    config.env.extend(manifest.limits.calls.map(calls_variable));
    config.jobs = std::thread::available_parallelism().map_or(1, usize::from);
    let judge = Judge::new(config)?;
    let files: Vec<PathBuf> = manifest
        .tests
        .iter()
        .map(|test| folder.join(&test.file))
        .collect();
    for file in &files {
        let text = std::fs::read_to_string(file)
            .with_context(|| format!("test {} cannot be read", file.display()))?;
        text::parse(&text).with_context(|| format!("{}", file.display()))?;
    }
    let runs = judge.run_all(&files)?;
    let mut differ = 0;
    for (test, run) in manifest.tests.iter().zip(&runs) {
        let outcome = judged(run);
        let same = outcome == test.outcome;
        differ += usize::from(!same);
        say::out(&line(test, &outcome.in_words(), same))?;
    }
    if runs.iter().any(|run| !run.profiles.is_empty()) {
        let totals = judge.report(&runs)?.totals.branches;
        say::out(&format!(
            "{} of {} branches covered (llvm-cov)\n",
            totals.covered, totals.count
        ))?;
    }
    if differ > 0 {
        say::out(&format!(
            "{differ} of {} tests ended differently than when they were made\n",
            runs.len()
        ))?;
    }
    Ok(ExitCode::from(if differ == 0 { DONE } else { NOT_MET }))
}

fn line(test: &ManifestTest, outcome: &str, same: bool) -> String {
    let was = if same {
        String::new()
    } else {
        format!(" (was {})", test.outcome.in_words())
    };
    format!("{:<16} {outcome}{was}\n", test.file)
}
