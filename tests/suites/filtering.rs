//! Path filtering loses no goal, and predictive path search needs few runs: exhaustive search with and without the filter
//! over programs that hide goals, over synthetic programs, and the examples of the paper (`papers/caut-pps.txt`).

use std::fs;
use std::path::Path;
use std::process::ExitCode;

use e2e::{comment, long, no_wrong_proof, root, run, shown, sources_in};
use libtest_mimic::{Arguments, Failed, Trial};
use serde_json::Value;

/// One whose goals are counts of a run, one whose goals want several runs.
const CRITERIA: [&str; 2] = ["branch", "mcdc"];

fn main() -> ExitCode {
    let mut trials: Vec<Trial> = sources_in("tests/filtering")
        .into_iter()
        .map(|(name, path)| Trial::test(name, move || hidden(&path)))
        .collect();
    let count = if long() { 200 } else { 4 };
    trials.extend(
        (0..count).map(|seed| Trial::test(format!("synthetic_{seed:03}"), move || synthetic(seed))),
    );
    trials.push(Trial::test("bubble_in_four_runs", bubble));
    trials.push(Trial::test("sums_want_fitness", sums));
    libtest_mimic::run(&Arguments::from_args(), trials).exit_code()
}

/// Runs `bothways test` and gives its answer.
fn answer(dir: &Path, args: &[&str]) -> Result<Value, Failed> {
    // Searches are compared: none starts from the tests of the one before.
    let mut all = vec!["test", "--fresh", "--json", "--quiet"];
    all.extend(args);
    let output = run(dir, &all);
    if output.status.code() != Some(0) {
        return Err(shown(&output).into());
    }
    let answer = serde_json::from_slice(&output.stdout)?;
    no_wrong_proof(&answer)?;
    Ok(answer)
}

fn number(answer: &Value, pointer: &str) -> u64 {
    let found = answer.pointer(pointer).and_then(Value::as_u64);
    found.unwrap_or_else(|| panic!("no {pointer}: {answer}"))
}

/// What must not hang on the filter: goals covered and infeasible, and which.
fn found(answer: &Value) -> String {
    format!(
        "{} {} {}",
        answer["goals"], answer["open"], answer["infeasible"]
    )
}

/// Exhausts a program with and without the filter. How many runs it saves, and how many candidates it drops.
fn compare(dir: &Path, strategy: &str, more: &[&str]) -> Result<(i64, u64), Failed> {
    let mut args = vec!["program", "--strategy", strategy, "--time", "120"];
    args.extend(more);
    let filtered = answer(dir, &args)?;
    args.push("--no-path-filter");
    let all = answer(dir, &args)?;
    for answer in [&filtered, &all] {
        let stopped = answer["stopped_by"].as_str().unwrap_or_default();
        let spent = stopped.contains("budget") && !more.contains(&"--iterations");
        if spent || answer["judge"]["differences"] != Value::Array(Vec::new()) {
            return Err(format!("{strategy}: {answer}").into());
        }
    }
    if found(&filtered) != found(&all) {
        return Err(format!("{strategy}: with the filter\n{filtered}\nwithout\n{all}").into());
    }
    let saved = number(&all, "/iterations") as i64 - number(&filtered, "/iterations") as i64;
    Ok((saved, number(&filtered, "/work/dropped")))
}

fn build(dir: &Path, source: &Path) -> Result<(), Failed> {
    let source = source.display().to_string();
    let built = run(dir, &["cc", &source, "-lpthread", "-o", "program"]);
    if built.status.success() {
        Ok(())
    } else {
        Err(shown(&built).into())
    }
}

fn hidden(path: &Path) -> Result<(), Failed> {
    let text = fs::read_to_string(path)?;
    let dir = tempfile::tempdir()?;
    build(dir.path(), path)?;
    let more: Vec<&str> = comment(&text, "args")
        .unwrap_or("")
        .split_whitespace()
        .collect();
    let mut dropped = 0;
    let more_criteria = comment(&text, "criterion");
    for criterion in CRITERIA.into_iter().chain(more_criteria) {
        for strategy in ["dfs", "pps", "cgs"] {
            let more = [more.as_slice(), &["--criterion", criterion]].concat();
            dropped += compare(dir.path(), strategy, &more)?.1;
        }
    }
    match comment(&text, "drops") {
        Some("no") if dropped > 0 => Err(format!("{dropped} candidates dropped").into()),
        _ => Ok(()),
    }
}

fn synthetic(seed: u32) -> Result<(), Failed> {
    let dir = tempfile::tempdir()?;
    let seed = seed.to_string();
    let made = run(
        dir.path(),
        &["synthesize", "--branches", "40", "--seed", &seed],
    );
    if !made.status.success() {
        return Err(shown(&made).into());
    }
    let source = dir.path().join("made.c");
    fs::write(&source, &made.stdout)?;
    build(dir.path(), &source)?;
    for criterion in CRITERIA {
        let (saved, _) = compare(dir.path(), "dfs", &["--criterion", criterion])?;
        if saved < 0 {
            return Err(format!("{criterion}: {} runs more with the filter", -saved).into());
        }
    }
    Ok(())
}

/// The command line of a test of one function under `tests/functions`.
fn function_test<'a>(source: &'a str, function: &'a str, strategy: &'a str) -> Vec<&'a str> {
    vec![source, "--function", function, "--strategy", strategy]
}

fn function_source(name: &str) -> String {
    root()
        .join("tests/functions")
        .join(name)
        .display()
        .to_string()
}

/// Section II: four tests reach all eight branches; breadth-first search needs more.
fn bubble() -> Result<(), Failed> {
    let dir = tempfile::tempdir()?;
    let source = function_source("bubble.c");
    let runs = |strategy: &str, more: &[&str]| -> Result<(u64, u64, u64), Failed> {
        let mut args = function_test(&source, "bubble", strategy);
        args.extend(more);
        let answer = answer(dir.path(), &args)?;
        let figure = |pointer| number(&answer, pointer);
        Ok((
            figure("/goals/covered"),
            figure("/tests"),
            figure("/iterations"),
        ))
    };
    assert_eq!(runs("pps", &[])?, (8, 4, 4));
    let (covered, _, breadth_first) = runs("bfs", &["--no-path-filter"])?;
    assert!(covered == 8 && breadth_first >= 5, "{breadth_first} runs");
    let (covered, _, filtered) = runs("bfs", &[])?;
    assert!(covered == 8 && filtered < breadth_first, "{filtered} runs");
    Ok(())
}

/// The end of section V-D: `pps` needs long where a goal hangs on many decisions, less in turns with `fitness`.
fn sums() -> Result<(), Failed> {
    let dir = tempfile::tempdir()?;
    let source = function_source("loop_count.c");
    let mut totals = [0, 0, 0];
    let strategies = ["pps:tries=ignored", "pps", "pps+fitness"];
    for (total, strategy) in totals.iter_mut().zip(strategies) {
        for seed in ["0", "1", "2", "3"] {
            let mut args = function_test(&source, "loop", strategy);
            args.extend(["--seed", seed]);
            let answer = answer(dir.path(), &args)?;
            assert_eq!(number(&answer, "/goals/covered"), 8, "{answer}");
            *total += number(&answer, "/iterations");
        }
    }
    assert!(
        totals.is_sorted_by(|a, b| a > b),
        "as published, with tries counted, with fitness: {totals:?} runs"
    );
    Ok(())
}
