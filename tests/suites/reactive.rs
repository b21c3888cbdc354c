//! Programs that never end (`bench::reactive`), with all of their states gone through on a plain clang build: nothing that a state
//! takes may be called infeasible, and few of the others may stay open.
//!
//! Programs of `bench::kinds` say themselves which sides no input takes: all others are covered, and these are proved, by certificates
//! that are checked.
//!
//! One program, or 300 with `BOTHWAYS_LONG`; `BOTHWAYS_SEEDS=FIRST..END` names others. A failing seed is reproduced by its number:
//! `cargo run -p bench --example program reactive SEED`.

use std::fs;
use std::process::ExitCode;

use e2e::truth::{places, truth};
use e2e::{long, no_wrong_proof, run, seeds, shown};
use libtest_mimic::{Arguments, Failed, Trial};
use serde_json::Value;

/// Of the branches that no state takes, in each program.
const PROVED_PERCENT: u64 = 60;
/// Runs of one search.
const RUNS: u32 = 150;
/// Far more than a search takes: the speed of the machine must not decide.
const TIME: &str = "900s";

fn main() -> ExitCode {
    let seeds = seeds(if long() { 300 } else { 1 });
    let trials = seeds.map(|seed| Trial::test(format!("seed_{seed:04}"), move || check(seed)));
    let kinds = KINDS
        .iter()
        .map(|(name, size)| Trial::test(format!("kind_{name}"), move || check_kind(name, *size)));
    libtest_mimic::run(&Arguments::from_args(), trials.chain(kinds).collect()).exit_code()
}

/// Kinds of programs, and their sizes.
const KINDS: &[(&str, u64)] = &[("driver", 4), ("client", 8), ("server", 6)];

/// Every side that is not marked is covered, every other one proved.
fn check_kind(name: &str, size: u64) -> Result<(), Failed> {
    let kind = bench::Kind::ALL.iter().find(|(own, _)| *own == name);
    let (_, kind) = kind.ok_or("no such kind")?;
    let source = bench::of_kind(*kind, size, 1);
    let dir = tempfile::tempdir()?;
    fs::write(dir.path().join("a.c"), &source)?;
    let output = run(
        dir.path(),
        &["test", "a.c", "--json", "--quiet", "--time", TIME],
    );
    if output.status.code() != Some(0) {
        return Err(shown(&output).into());
    }
    let answer: Value = serde_json::from_slice(&output.stdout)?;
    no_wrong_proof(&answer)?;
    let lines: Vec<&str> = source.lines().collect();
    let infeasible = answer["infeasible"].as_array().ok_or("no list")?;
    for side in infeasible {
        let line = side["line"].as_u64().ok_or("no line")? as usize;
        if !lines[line - 1].contains("/* never") {
            return Err(format!("called infeasible, and not marked: {side}").into());
        }
    }
    let open = &answer["open"];
    if open.as_array().is_none_or(|open| !open.is_empty()) {
        return Err(format!("open: {open}").into());
    }
    let suite = answer["suite"].as_str().ok_or("no suite")?;
    let checked = run(dir.path(), &["check", suite]);
    let all = format!("{0} of {0} certificates hold", infeasible.len());
    match String::from_utf8_lossy(&checked.stdout).contains(&all) {
        true => Ok(()),
        false => Err(shown(&checked).into()),
    }
}

fn check(seed: u64) -> Result<(), Failed> {
    let dir = tempfile::tempdir()?;
    fs::write(dir.path().join("a.c"), bench::reactive(seed).source)?;
    fs::write(dir.path().join("driver.c"), bench::Reactive::driver())?;
    // Of one with too many states nothing is known but what was seen.
    let Ok(truth) = truth(dir.path()) else {
        return Ok(());
    };
    let args = format!(
        "test a.c --strategy bidirectional --json --quiet --time {TIME} --iterations {RUNS}"
    );
    let args: Vec<&str> = args.split(' ').collect();
    let output = run(dir.path(), &args);
    if output.status.code() != Some(0) {
        return Err(shown(&output).into());
    }
    let answer: Value = serde_json::from_slice(&output.stdout)?;
    no_wrong_proof(&answer)?;
    let proved = places(&answer["infeasible"]);
    let wrong: Vec<_> = proved
        .iter()
        .filter(|place| truth.get(place).is_some_and(|count| *count > 0))
        .collect();
    if !wrong.is_empty() {
        return Err(format!("called infeasible, and taken: {wrong:?}").into());
    }
    let infeasible = truth.values().filter(|count| **count == 0).count() as u64;
    let found = proved.iter().filter(|place| truth.get(place) == Some(&0));
    let found = found.count() as u64;
    println!("{found} of {infeasible} proved");
    if 100 * found < PROVED_PERCENT * infeasible {
        return Err(format!("{found} of {infeasible} infeasible sides proved").into());
    }
    Ok(())
}
