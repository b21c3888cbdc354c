//! Units of random types, signatures and linkage ([`e2e::signatures`]): each gets a harness, which runs; the C tests made
//! of its suite compile, and pass.
//!
//! 10 units, 3,000 with `BOTHWAYS_LONG`. `BOTHWAYS_SEED` starts with another unit, `BOTHWAYS_COUNT` makes as many.

use std::fs;
use std::path::Path;
use std::process::{Command, ExitCode};

use e2e::{long, run, shown, signatures};
use libtest_mimic::{Arguments, Failed, Trial};

/// Units of one trial.
const BATCH: u64 = 10;

fn main() -> ExitCode {
    let number = |name: &str| std::env::var(name).ok()?.parse::<u64>().ok();
    let count = number("BOTHWAYS_COUNT").unwrap_or(if long() { 3000 } else { 10 });
    let first = number("BOTHWAYS_SEED").unwrap_or(0);
    let starts = (first..first + count).step_by(BATCH as usize);
    let trials = starts.map(|start| {
        let end = (start + BATCH).min(first + count);
        Trial::test(format!("units_{start:05}"), move || check(start..end))
    });
    libtest_mimic::run(&Arguments::from_args(), trials.collect()).exit_code()
}

fn check(seeds: std::ops::Range<u64>) -> Result<(), Failed> {
    let wrong: Vec<String> = seeds
        .filter_map(|seed| Some(format!("seed {seed}: {}", one(seed).err()?)))
        .collect();
    if wrong.is_empty() {
        return Ok(());
    }
    Err(wrong.join("\n\n").into())
}

fn one(seed: u64) -> Result<(), String> {
    let dir = tempfile::tempdir().map_err(|error| error.to_string())?;
    let text = signatures::unit(seed);
    fs::write(dir.path().join("unit.c"), text).map_err(|error| error.to_string())?;
    // A few units in a thousand are not C: they write to what is `const`, or `restrict` what is no pointer.
    let compiler = std::process::Command::new("clang-19")
        .args(["-fsyntax-only", "-w", "unit.c"])
        .current_dir(dir.path())
        .output();
    if !compiler.is_ok_and(|output| output.status.success()) {
        return Ok(());
    }
    let output = run(
        dir.path(),
        &[
            "test",
            "unit.c",
            "--function",
            "target",
            "--iterations",
            "12",
            "--emit",
            "c-test",
            "--json",
            "-q",
        ],
    );
    if output.status.code() != Some(0) {
        return Err(shown(&output));
    }
    let report: serde_json::Value =
        serde_json::from_slice(&output.stdout).map_err(|error| error.to_string())?;
    if report["judge"]["differences"] != serde_json::json!([]) {
        return Err(format!("the judge differs: {}", shown(&output)));
    }
    c_tests(dir.path(), &report)
}

fn c_tests(dir: &Path, report: &serde_json::Value) -> Result<(), String> {
    let program = dir.join("c-tests");
    let compiled = Command::new("clang-19")
        .args(["-w", "-o"])
        .arg(&program)
        .arg(dir.join("bothways-out/c-test/test_target.c"))
        .output()
        .map_err(|error| error.to_string())?;
    if !compiled.status.success() {
        return Err(format!("{}\n{report}", shown(&compiled)));
    }
    let passed = Command::new(&program)
        .output()
        .map_err(|error| error.to_string())?;
    if !passed.status.success() {
        return Err(format!("{}\n{report}", shown(&passed)));
    }
    Ok(())
}
