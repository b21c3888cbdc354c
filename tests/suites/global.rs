//! Contradictions that are global: programs (`bench::global`) in which the reason why no input takes a side lies in another function,
//! in memory under another name, in a loop or in an earlier round, with all of their inputs run on a plain clang build.
//!
//! No side that an input takes may be called infeasible, none that no input takes may be covered, judge and engine must agree, and
//! `bothways check` may refuse no certificate. Even seeds are searched with `--strategy bidirectional`, odd ones as by default.
//!
//! 8 programs, or 1,000 with `BOTHWAYS_LONG`; `BOTHWAYS_SEEDS=FIRST..END` names others. Where all trials run in one process
//! (`cargo test -p e2e --test global`), what was proved, by what, and why the rest is open, stands at the end. A failing seed is
//! reproduced by its number: `cargo run -p bench --example program global SEED`.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::process::ExitCode;
use std::sync::Mutex;

use bench::{SCENES, global};
use e2e::truth::{Place, places, truth};
use e2e::{json, long, no_wrong_proof, run, seeds, shown};
use libtest_mimic::{Arguments, Failed, Trial};
use serde_json::Value;

/// Programs of which something that an input does was called infeasible: a byte of a local word, written at a place that is computed (0333).
const WRONG_ONCE: [u64; 3] = [272, 326, 368];
/// Runs of one search, and its time: whatever it comes to, nothing that it says may be false.
const RUNS: &str = "60";
const TIME: &str = "8s";

fn main() -> ExitCode {
    let seeds = seeds(if long() { 1000 } else { 8 });
    let wrong_once = WRONG_ONCE.into_iter().filter(|seed| !seeds.contains(seed));
    let all: Vec<u64> = seeds.clone().chain(wrong_once).collect();
    let trials = all
        .into_iter()
        .map(|seed| Trial::test(format!("seed_{seed:04}"), move || check(seed)));
    let done = libtest_mimic::run(&Arguments::from_args(), trials.collect());
    for ((strategy, what), count) in COUNTS.lock().expect("nobody panics with it").iter() {
        println!("{strategy:14} {count:6} {what}");
    }
    done.exit_code()
}

/// Of this process: how often, by strategy and what was counted.
static COUNTS: Mutex<BTreeMap<(&str, String), u64>> = Mutex::new(BTreeMap::new());

fn count(strategy: &'static str, what: impl Into<String>, more: u64) {
    let mut counts = COUNTS.lock().expect("nobody panics with it");
    *counts.entry((strategy, what.into())).or_default() += more;
}

fn check(seed: u64) -> Result<(), Failed> {
    let dir = tempfile::tempdir()?;
    let made = global(seed, SCENES);
    fs::write(dir.path().join("a.c"), &made.source)?;
    fs::write(dir.path().join("driver.c"), made.driver())?;
    let truth = truth(dir.path())?;
    let strategy = ["bidirectional", "mix"][(seed % 2) as usize];
    let args = ["test", "a.c", "--json", "--quiet", "--time", TIME];
    let budget = ["--iterations", RUNS, "--strategy", strategy];
    let output = run(dir.path(), &[&args[..], &budget].concat());
    if output.status.code() != Some(0) {
        return Err(format!("seed {seed}: {}", shown(&output)).into());
    }
    let answer = json(&output);
    no_wrong_proof(&answer)?;
    if answer["judge"]["differences"] != serde_json::json!([]) {
        return Err(format!("seed {seed}: {}", answer["judge"]).into());
    }
    let wrong = wrong(&truth, &answer, strategy)?;
    if !wrong.is_empty() {
        return Err(format!("seed {seed}: {}", wrong.join("\n")).into());
    }
    certificates(dir.path(), strategy)
}

/// What an answer says that is not so.
fn wrong(
    truth: &BTreeMap<Place, u64>,
    answer: &Value,
    strategy: &'static str,
) -> Result<Vec<String>, Failed> {
    let (open, proved) = (reasons(answer, "open")?, reasons(answer, "infeasible")?);
    let mut wrong = Vec::new();
    for place in open.keys().chain(proved.keys()) {
        if !truth.contains_key(place) {
            wrong.push(format!("{place:?} is no branch of a plain build"));
        }
    }
    for (place, taken) in truth {
        let is_taken = *taken > 0;
        let kind = if is_taken { "feasible" } else { "infeasible" };
        let said = match (open.get(place), proved.get(place)) {
            (Some(why), _) => format!("open: {why}"),
            (_, Some(why)) => format!("proved: {why}"),
            _ => "covered".to_owned(),
        };
        count(strategy, format!("{kind}, {said}"), 1);
        let is_wrong = match is_taken {
            true => proved.contains_key(place),
            false => said == "covered",
        };
        if is_wrong {
            wrong.push(format!("{place:?} is {said}, {taken} inputs take it"));
        }
    }
    Ok(wrong)
}

/// The sides of a list of the JSON object, and the reasons that it gives without what follows a colon.
fn reasons(answer: &Value, list: &str) -> Result<BTreeMap<Place, String>, Failed> {
    let goals = answer[list].as_array().ok_or("no list")?;
    let reason = |goal: &Value| {
        let reason = goal["reason"].as_str().unwrap_or("no reason");
        reason.split(':').next().unwrap_or(reason).to_owned()
    };
    let one = |goal: &Value| {
        let place = places(&serde_json::json!([goal])).pop_first();
        place.map(|place| (place, reason(goal))).ok_or("no side")
    };
    // Functions that were not entered are goals, too.
    let sides = goals.iter().filter(|goal| goal["side"] != "entry");
    Ok(sides.map(one).collect::<Result<_, _>>()?)
}

/// The checker refuses none.
fn certificates(dir: &Path, strategy: &'static str) -> Result<(), Failed> {
    let output = run(dir, &["check", "bothways-out"]);
    if output.status.code() != Some(0) {
        return Err(shown(&output).into());
    }
    let text = String::from_utf8_lossy(&output.stdout);
    // `5 of 8 certificates hold, 3 cannot be checked, 0 are refused (1585 queries)`
    let last = text.lines().last().unwrap_or_default();
    let numbers: Vec<u64> = last.split(' ').filter_map(|it| it.parse().ok()).collect();
    let [hold, all, unchecked, 0] = numbers[..] else {
        return Err(format!("not as documented: {text}").into());
    };
    count(strategy, "certificates", all);
    count(strategy, "certificates that hold", hold);
    count(strategy, "certificates that cannot be checked", unchecked);
    let whys = text
        .lines()
        .filter_map(|line| line.split_once(": not checked: "));
    for (_, why) in whys {
        count(strategy, format!("not checked: {why}"), 1);
    }
    Ok(())
}
