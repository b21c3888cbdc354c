//! `bothways bench` and `bothways synthesize`, end to end.

use std::fs;
use std::path::Path;

use e2e::{run, shown};

const PROGRAM: &str = r#"
#include "bothways.h"
int main(void) {
    int x, y;
    bw_int(&x, "x");
    bw_int(&y, "y");
    if (x == 7 && y > x) return 1;
    return y == 3;
}
"#;

const SUITE: &str = r#"
name = "two subjects, one of them broken"
strategies = ["mix", "dfs+bfs"]
seeds = 2
iterations = 40
marks = [1, 40]

[[subject]]
name = "good one"
sources = ["good.c"]

[[subject]]
name = "broken"
sources = ["broken.c"]
"#;

fn folder() -> tempfile::TempDir {
    let dir = tempfile::tempdir().expect("a temporary folder");
    fs::write(dir.path().join("good.c"), PROGRAM).expect("writes");
    fs::write(dir.path().join("broken.c"), "int main(void) { return }").expect("writes");
    fs::write(dir.path().join("suite.toml"), SUITE).expect("writes");
    dir
}

fn lines(dir: &Path) -> Vec<String> {
    let text = fs::read_to_string(dir.join("out/results.csv")).expect("results");
    text.lines().map(str::to_owned).collect()
}

/// The papers' first inputs are random: seeds differ in their first test, and without a flag they do not. Strategy `random` solves
/// nothing, and covers what nearly all inputs cover, but not one in four billion.
#[test]
fn first_inputs_are_drawn_by_seed() {
    let dir = folder();
    let first = |flags: &str, seed: &str| {
        let args = format!(
            "test good.c -q --json --fresh -n 1 --no-proofs --no-chance {flags} --seed {seed}"
        );
        let args: Vec<&str> = args.split_whitespace().collect();
        let output = run(dir.path(), &args);
        assert_eq!(output.status.code(), Some(0), "{}", shown(&output));
        let test = dir.path().join("bothways-out/tests/test-0001.test");
        let test = fs::read_to_string(test).expect("the first test");
        let lines: Vec<&str> = test.lines().filter(|line| !line.starts_with('#')).collect();
        lines.join("\n")
    };
    assert_eq!(first("", "1"), first("", "2"));
    assert_ne!(first("--first random", "1"), first("--first random", "2"));
    assert_eq!(first("--first random", "1"), first("--first random", "1"));
    let args = "test good.c -q --json --fresh -s random -n 200 --no-proofs --first random";
    let args: Vec<&str> = args.split(' ').collect();
    let output = run(dir.path(), &args);
    let report: serde_json::Value = serde_json::from_slice(&output.stdout).expect("JSON");
    assert_eq!(report["iterations"], 200, "{report}");
    assert_eq!(report["goals"]["infeasible"], 0, "{report}");
    // `x != 7`, and nothing behind `x == 7`.
    assert_eq!(report["goals"]["covered"], 1, "{report}");
}

/// A subject that is a function, with its flags beside the bench file.
#[test]
fn functions_are_subjects() {
    const FUNCTION: &str = r#"
name = "a function"
strategies = ["dfs"]
seeds = 1
iterations = 20
[[subject]]
name = "between"
sources = ["between.c"]
function = "between"
cflags = ["-I{here}/include"]
"#;
    let dir = folder();
    fs::create_dir(dir.path().join("include")).expect("a folder");
    fs::write(dir.path().join("include/limit.h"), "enum { LIMIT = 40 };").expect("writes");
    let source = "#include \"limit.h\"\nint between(int x) { return x > 3 && x < LIMIT; }";
    fs::write(dir.path().join("between.c"), source).expect("writes");
    fs::write(dir.path().join("suite.toml"), FUNCTION).expect("writes");
    let output = run(dir.path(), &["bench", "suite.toml", "--out", "out"]);
    assert_eq!(output.status.code(), Some(0), "{}", shown(&output));
    let lines = lines(dir.path());
    assert!(lines[2].starts_with("between,dfs,0,4,4,"), "{lines:?}");
}

#[test]
fn an_experiment_with_a_broken_subject_goes_on_where_it_was() {
    let dir = folder();
    let args = ["bench", "suite.toml", "--out", "out"];
    let output = run(dir.path(), &args);
    // A subject that failed: exit code 1, and the tables say so.
    assert_eq!(output.status.code(), Some(1), "{}", shown(&output));
    let first = lines(dir.path());
    assert_eq!(first.len(), 2 + 4, "{first:?}");
    let tables = fs::read_to_string(dir.path().join("out/tables.md")).expect("tables");
    for word in [
        "- broken: does not build",
        "| good one (4) | mix | ",
        "| good one | 4 |",
        "µs a pick",
    ] {
        assert!(tables.contains(word), "no `{word}` in {tables}");
    }
    for plot in ["good_one-iterations.svg", "good_one-time.svg"] {
        let plot = fs::read_to_string(dir.path().join("out").join(plot)).expect("a plot");
        assert!(plot.contains("dfs+bfs"));
    }

    // Interrupted in the middle of a line: that run and those that are missing are measured again, no others.
    let results = dir.path().join("out/results.csv");
    let text = fs::read_to_string(&results).expect("results");
    fs::write(&results, &text[..text.len() - 20]).expect("writes");
    let output = run(dir.path(), &args);
    assert!(
        String::from_utf8_lossy(&output.stderr).contains("[1/1] good one, dfs+bfs, seed 1"),
        "{}",
        shown(&output)
    );
    let second = lines(dir.path());
    assert_eq!(second[..5], first[..5]);
    assert_eq!(second.len(), first.len());

    // Another budget does not mix with these results.
    let other = SUITE.replace("iterations = 40", "iterations = 30");
    fs::write(dir.path().join("suite.toml"), other).expect("writes");
    let output = run(dir.path(), &args);
    assert_eq!(output.status.code(), Some(2), "{}", shown(&output));
    assert!(
        String::from_utf8_lossy(&output.stderr).contains("another budget"),
        "{}",
        shown(&output)
    );
}

fn refused(from: &str, to: &str, words: &[&str]) {
    let dir = folder();
    fs::write(dir.path().join("suite.toml"), SUITE.replace(from, to)).expect("writes");
    let output = run(dir.path(), &["bench", "suite.toml", "--out", "out"]);
    assert_eq!(output.status.code(), Some(2), "{}", shown(&output));
    let stderr = String::from_utf8_lossy(&output.stderr);
    for word in words {
        assert!(stderr.contains(word), "no `{word}`: {}", shown(&output));
    }
    assert!(
        !dir.path().join("out").exists(),
        "something was left behind"
    );
}

#[test]
fn bad_bench_files() {
    refused(
        "sources = [\"good.c\"]",
        "source = [\"good.c\"]",
        &["suite.toml: line 10, column 1: ", "unknown field `source`"],
    );
    refused(
        "\"dfs+bfs\"",
        "\"dsf\"",
        &["suite.toml: ", "did you mean `dfs`?"],
    );
    refused(
        "iterations = 40",
        "time = \"soon\"",
        &["suite.toml: ", "unknown unit 'soon'"],
    );
}

#[test]
fn what_is_known_of_synthetic_programs_is_right() {
    for seed in ["1", "2"] {
        let dir = tempfile::tempdir().expect("a temporary folder");
        let made = run(
            dir.path(),
            &["synthesize", "--branches", "150", "--seed", seed],
        );
        assert!(made.status.success(), "{}", shown(&made));
        let source = String::from_utf8(made.stdout).expect("C");
        let infeasible = source.matches("true: infeasible").count();
        let said = format!(
            "150 branch outcomes, {} of them reachable, {infeasible} infeasible",
            150 - infeasible
        );
        assert!(source.contains(&said), "{source}");
        fs::write(dir.path().join("made.c"), &source).expect("writes");
        let output = run(
            dir.path(),
            &[
                "test",
                "made.c",
                "--strategy",
                "md2u",
                "--iterations",
                "1500",
                "--time",
                "60",
                "--quiet",
                "--json",
            ],
        );
        assert!(output.status.success(), "{}", shown(&output));
        let covered = format!("\"covered\":{}", 150 - infeasible);
        let report = String::from_utf8_lossy(&output.stdout);
        assert!(report.contains(&covered), "not {covered}: {report}");
    }
}
