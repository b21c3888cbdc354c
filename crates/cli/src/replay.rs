//! `bothways replay SUITE`: every test again, on the plain build that the judge used.

use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Duration;

use anyhow::{Context, Result, bail};
use clap::Args;
use native::judge::{Judge, JudgeConfig, TestCase, write_files};
use report::suite::{Change, Manifest, ManifestTest, manifest, text};
use session::all::FUNCTIONS;
use session::calls::calls_variable;
use session::convert::{self, judged};
use session::output::JUDGE;
use session::sources;

use crate::exit::{DONE, NOT_MET};
use crate::say;
use crate::units;

/// Runs every test of a suite again, on a plain build
#[derive(Args, Clone, Debug)]
pub struct Options {
    /// Folder of the suite
    #[arg(value_name = "SUITE")]
    pub suite: PathBuf,

    /// Folder below which sources are looked for, by their content, that are not where they were beside the suite; again for
    /// more folders
    #[arg(long, value_name = "DIR")]
    pub source_dir: Vec<PathBuf>,

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
    check_sources(&folder, &manifest, options)?;
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

/// The suite must belong to the sources as they are. Those that are gone cannot differ: the suite has its own build.
fn check_sources(folder: &Path, manifest: &Manifest, options: &Options) -> Result<()> {
    let read = |path: &str| {
        let source = manifest.sources.iter().find(|source| source.path == path)?;
        sources::content(source, folder, &options.source_dir)
    };
    // As a path from here, not from the suite.
    let shown = |change: Change| {
        let whole = |path: String| sources::whole(&folder.join(path)).display().to_string();
        let change = match change {
            Change::Changed { path } => Change::Changed { path: whole(path) },
            Change::Missing { path } => Change::Missing { path: whole(path) },
        };
        change.to_string()
    };
    let (missing, changed): (Vec<Change>, Vec<Change>) = manifest
        .check(read)
        .into_iter()
        .partition(|change| matches!(change, Change::Missing { .. }));
    if !changed.is_empty() {
        let all: Vec<String> = changed.into_iter().map(shown).collect();
        bail!(
            "{}: the suite belongs to another version of the program: {}",
            folder.display(),
            all.join("; ")
        );
    }
    for change in missing.into_iter().map(shown) {
        say::err(format_args!(
            "bothways: {change}, so it is not compared with the version that the suite was made for; --source-dir DIR says where \
             to look"
        ));
    }
    Ok(())
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
        check_sources(&suite, &manifest, options)?;
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
    let case = case(folder, test)?;
    let common = manifest.args.iter().map(OsString::from);
    let args: String = common
        .chain(case.args.iter().cloned())
        .map(|arg| format!(" {}", quoted(&arg)))
        .collect();
    let environment = format!("set environment BOTHWAYS_TEST {}", case.path.display());
    let line = format!(
        "{}gdb {}-ex {} -ex 'set environment LLVM_PROFILE_FILE /dev/null' --args {}{args}",
        variables(&case.env),
        working_folder(&case)?,
        quoted(OsStr::new(&environment)),
        quoted(folder.join(JUDGE).as_os_str()),
    );
    say::out(&format!("{line}\n"))?;
    Ok(ExitCode::from(DONE))
}

/// `env` with the test's variables, in front of a command.
fn variables(env: &[(OsString, Option<OsString>)]) -> String {
    let word = |(name, value): &(OsString, Option<OsString>)| match value {
        None => format!("-u {} ", quoted(name)),
        Some(value) => {
            let mut word = name.clone();
            word.push("=");
            word.push(value);
            format!("{} ", quoted(&word))
        }
    };
    // `env` wants those that are taken out first.
    let (set, unset): (Vec<_>, Vec<_>) = env.iter().partition(|(_, value)| value.is_some());
    let words: String = unset.into_iter().chain(set).map(word).collect();
    if words.is_empty() {
        words
    } else {
        format!("env {words}")
    }
}

/// Where the test finds its files: a folder that stays, since the command runs later.
fn working_folder(case: &TestCase) -> Result<String> {
    if case.files.is_empty() {
        return Ok(String::new());
    }
    let folder = tempfile::Builder::new()
        .prefix("bothways-gdb-")
        .tempdir()
        .context("cannot make a folder for the test's files")?
        .keep();
    write_files(&case.files, &folder)?;
    Ok(format!("-cd {} ", quoted(folder.as_os_str())))
}

/// A word as a shell (bash, zsh, ksh) takes it.
pub fn quoted(word: &OsStr) -> String {
    let plain = |c: u8| c.is_ascii_alphanumeric() || b"/._-+=:,@%".contains(&c);
    let bytes = word.as_bytes();
    if !bytes.is_empty() && bytes.iter().all(|byte| plain(*byte)) {
        return word.to_string_lossy().into_owned();
    }
    if let Some(text) = word
        .to_str()
        .filter(|text| !text.contains(char::is_control))
    {
        return format!("'{}'", text.replace('\'', r"'\''"));
    }
    let escaped: String = bytes
        .iter()
        .map(|byte| match byte {
            b'\'' | b'\\' => format!("\\{}", char::from(*byte)),
            b' '..=b'~' => char::from(*byte).to_string(),
            _ => format!("\\{byte:03o}"),
        })
        .collect();
    format!("$'{escaped}'")
}

fn replay(folder: &Path, manifest: &Manifest, options: &Options) -> Result<ExitCode> {
    let mut config = JudgeConfig::new(folder.join(JUDGE));
    config.called = manifest.called.as_ref().map(Into::into);
    config.args = manifest.args.iter().map(Into::into).collect();
    let timeout = manifest.limits.timeout_ms.map(Duration::from_millis);
    config.timeout = options.timeout.or(timeout).unwrap_or(config.timeout);
    let memory = options.memory.or(manifest.limits.memory_bytes);
    config.memory_bytes = memory.unwrap_or(config.memory_bytes);
    config.env.extend(manifest.limits.calls.map(calls_variable));
    config.jobs = std::thread::available_parallelism().map_or(1, usize::from);
    let judge = Judge::new(config)?;
    let cases = manifest.tests.iter().map(|test| case(folder, test));
    let runs = judge.run_all(&cases.collect::<Result<Vec<_>>>()?)?;
    let mut differ = 0;
    for (test, run) in manifest.tests.iter().zip(&runs) {
        // Nobody loses patience here.
        let outcome = judged(run).unwrap_or(test.outcome);
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

/// A test of the suite, and how it is started.
fn case(folder: &Path, test: &ManifestTest) -> Result<TestCase> {
    let file = folder.join(&test.file);
    let name = file.display().to_string();
    let text =
        std::fs::read_to_string(&file).with_context(|| format!("test {name} cannot be read"))?;
    let parsed = text::parse(&text).with_context(|| name.clone())?;
    convert::case(file, &parsed).with_context(|| name)
}

fn line(test: &ManifestTest, outcome: &str, same: bool) -> String {
    let was = if same {
        String::new()
    } else {
        format!(" (was {})", test.outcome.in_words())
    };
    format!("{:<16} {outcome}{was}\n", test.file)
}
