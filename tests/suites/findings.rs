//! Bugs found on the way: one finding for each cause, with a small test; sanitizers as a further oracle.

use std::fs;
use std::path::Path;

use e2e::{run, shown};
use serde_json::Value;

const BUGS: &str = r#"
#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
static void first(const char *text) {
    assert(text[2] != 'A');
}
static int over(const char *text, size_t n) {
    char *copy = malloc(n);
    memcpy(copy, text, n);
    int last = n > 3 && copy[0] == 'h' ? copy[n] : 0;
    free(copy);
    return last;
}
int main(void) {
    char line[16];
    int n = 100;
    while (fgets(line, sizeof line, stdin)) {
        if (line[0] == 'n')
            n += 2147483600;
        if (line[1] == 'a')
            first(line);
        if (line[1] == 'b')
            first(line + 1);
        if (line[0] == 'z')
            n += 10 / (line[1] - '0');
        if (line[0] == 'w')
            for (;;)
                pause();
        n ^= over(line, strlen(line));
    }
    return 0;
}
"#;

/// Runs `bothways test` on the program; the JSON object.
fn test(dir: &Path, more: &[&str]) -> Value {
    fs::write(dir.join("bugs.c"), BUGS).expect("writes");
    let args = [
        "test",
        "bugs.c",
        "--stdin",
        "12",
        "--iterations",
        "150",
        "--timeout",
        "200ms",
        "--time",
        "60s",
        "--quiet",
        "--json",
        "--out",
        "suite",
    ];
    let output = run(dir, &[&args, more].concat());
    assert_eq!(output.status.code(), Some(0), "{}", shown(&output));
    serde_json::from_slice(&output.stdout).expect("it is JSON")
}

/// The findings whose outcome and cause begin so, with the text of their tests.
fn findings(dir: &Path, report: &Value, outcome: &str, cause: &str) -> Vec<(Value, String)> {
    let failures = report["failures"].as_array().expect("an array").iter();
    let begins = |failure: &Value, field: &str, with: &str| {
        failure[field]
            .as_str()
            .is_some_and(|text| text.starts_with(with))
    };
    failures
        .filter(|failure| begins(failure, "outcome", outcome) && begins(failure, "cause", cause))
        .map(|failure| {
            let name = failure["test"].as_str().expect("a name");
            let path = dir.join("suite/tests").join(name);
            (
                failure.clone(),
                fs::read_to_string(path).expect("it is there"),
            )
        })
        .collect()
}

/// Bytes of standard input that a test has.
fn stdin_bytes(test: &str) -> usize {
    let line = test
        .lines()
        .find_map(|line| line.strip_prefix("stdin stream "));
    line.map_or(0, |line| {
        line.split(' ').next().unwrap_or_default().len() / 2
    })
}

#[test]
fn one_finding_for_each_cause_with_a_small_test() {
    let dir = tempfile::tempdir().expect("a temporary folder");
    let report = test(dir.path(), &[]);
    let aborts = findings(dir.path(), &report, "signal 6", "assertion: text[2] != 'A'");
    // The assertion fails in two ways from one place: the calls are told apart.
    assert_eq!(aborts.len(), 1, "{report}");
    let (abort, text) = &aborts[0];
    assert!(stdin_bytes(text) <= 4, "{text}");
    assert_eq!(abort["place"], "bugs.c:8");
    assert_eq!(abort["stack"], serde_json::json!(["first", "main"]));
    assert_eq!(abort["hash"].as_str().map(str::len), Some(8));
    let divisions = findings(dir.path(), &report, "signal 8", "");
    assert_eq!(divisions.len(), 1, "{report}");
    assert_eq!(stdin_bytes(&divisions[0].1), 2, "{}", divisions[0].1);
    assert!(
        divisions[0].1.contains("# minimised from test-"),
        "{}",
        divisions[0].1
    );
    assert_eq!(
        findings(dir.path(), &report, "timeout", "").len(),
        1,
        "{report}"
    );
    let replayed = run(dir.path(), &["replay", "suite"]);
    assert_eq!(replayed.status.code(), Some(0), "{}", shown(&replayed));
}

#[test]
fn sanitizers_find_what_the_plain_program_hides() {
    let dir = tempfile::tempdir().expect("a temporary folder");
    let report = test(dir.path(), &["--sanitize", "address,undefined"]);
    let overflows = findings(
        dir.path(),
        &report,
        "exited 0",
        "address: heap-buffer-overflow",
    );
    assert_eq!(overflows.len(), 1, "{report}");
    let (overflow, text) = &overflows[0];
    assert_eq!(overflow["stack"], serde_json::json!(["over", "main"]));
    assert!(
        stdin_bytes(text) == 4 && text.contains("stdin stream 68"),
        "{text}"
    );
    let sums = findings(
        dir.path(),
        &report,
        "exited 0",
        "undefined: signed integer overflow",
    );
    assert_eq!(sums.len(), 1, "{report}");
    assert!(
        sums[0].0["place"]
            .as_str()
            .is_some_and(|place| place.contains("bugs.c:22:"))
    );
    assert!(dir.path().join("suite/judge-sanitized").is_file());
    let replayed = run(dir.path(), &["replay", "suite"]);
    assert_eq!(replayed.status.code(), Some(0), "{}", shown(&replayed));
}

#[test]
fn what_cannot_be_sanitized_is_named() {
    let dir = tempfile::tempdir().expect("a temporary folder");
    fs::write(dir.path().join("a.c"), BUGS).expect("writes");
    let check = |args: &[&str], says: &[&str]| {
        let output = run(dir.path(), args);
        let text = shown(&output);
        assert_eq!(output.status.code(), Some(2), "{text}");
        assert!(says.iter().all(|words| text.contains(words)), "{text}");
    };
    check(
        &["test", "a.c", "--sanitize", "thread"],
        &["`thread`", "address,undefined"],
    );
    let built = run(dir.path(), &["cc", "a.c", "-o", "a"]);
    assert_eq!(built.status.code(), Some(0), "{}", shown(&built));
    fs::remove_file(dir.path().join("a.c")).expect("it was there");
    check(
        &["test", "./a", "--stdin", "3", "--sanitize", "address"],
        &["--sanitize", "a.c is gone"],
    );
}
