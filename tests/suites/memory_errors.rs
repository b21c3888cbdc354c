//! Memory errors on the machine: each program of `tests/memory_errors` has one error, its first comment says which; its repaired
//! twin (`-DREPAIRED`) has none. The report names the error and its place; nothing is found in the twins.
//!
//! A third of the programs, all with `BOTHWAYS_LONG`.

use std::fs;
use std::path::Path;
use std::process::ExitCode;

use e2e::{comment, long, one_in, run, shown, sources_in};
use libtest_mimic::{Arguments, Failed, Trial};

/// Of the programs, one in so many is a trial of the fast variant.
const ONE_IN: u32 = 3;

fn main() -> ExitCode {
    let sources = sources_in("tests/memory_errors");
    let all = long();
    let wanted = sources
        .into_iter()
        .filter(|(name, _)| all || one_in(ONE_IN, name));
    let trials = wanted.map(|(name, path)| Trial::test(name, move || check(&path)));
    libtest_mimic::run(&Arguments::from_args(), trials.collect()).exit_code()
}

fn check(path: &Path) -> Result<(), Failed> {
    let text = fs::read_to_string(path)?;
    let expected = comment(&text, "error").ok_or("no `// error:` line")?;
    let place = text
        .lines()
        .position(|line| line == "#else")
        .ok_or("no `#else`: the line of the error is the one behind it")?;
    // Counted from 1, and the line behind; an error in a function that is called has another place.
    let line = comment(&text, "line").map_or(Ok(place + 2), str::parse)?;
    let found = failures(path, "-w")?;
    // An assertion says no column.
    let wanted = format!(":{line}:");
    let is_it =
        |(cause, at): &(String, String)| cause == expected && format!("{at}:").contains(&wanted);
    if found.len() != 1 || !found.iter().all(is_it) {
        return Err(format!("expected {expected} in line {line}, found {found:?}").into());
    }
    let repaired = failures(path, "-w -DREPAIRED")?;
    if repaired.is_empty() {
        return Ok(());
    }
    Err(format!("the repaired twin has {repaired:?}").into())
}

/// Cause and place of each failure that a search on the machine finds.
fn failures(path: &Path, flags: &str) -> Result<Vec<(String, String)>, Failed> {
    let dir = tempfile::tempdir()?;
    let source = path.display().to_string();
    let args = [
        "test",
        &source,
        "--target",
        "machine",
        "-s",
        "cgs",
        "--no-proofs",
        "-n",
        "60",
        "-t",
        "30",
        "--timeout",
        "500ms",
        "--json",
        "--quiet",
        "--cflags",
        flags,
    ];
    let output = run(dir.path(), &args);
    if output.status.code() != Some(0) {
        return Err(shown(&output).into());
    }
    let report: serde_json::Value = serde_json::from_slice(&output.stdout)?;
    let failures = report["failures"].as_array().into_iter().flatten();
    let text = |value: &serde_json::Value| value.as_str().unwrap_or_default().to_owned();
    Ok(failures
        .map(|failure| {
            let cause = text(&failure["cause"]);
            let cause = cause.strip_prefix("machine: ").unwrap_or(&cause);
            let cause = match cause {
                "" => text(&failure["outcome"]),
                cause => cause.to_owned(),
            };
            (cause, text(&failure["place"]))
        })
        .collect())
}
