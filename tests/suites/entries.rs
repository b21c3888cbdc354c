//! Functions that are entered, exits, and programs that end before their first input: goals beside the criterion's own.

use std::fs;

use e2e::{run, shown};
use serde_json::{Value, json};

/// The report on a source, with these further arguments.
fn report(source: &str, args: &str) -> Value {
    let dir = tempfile::tempdir().expect("a temporary folder");
    fs::write(dir.path().join("a.c"), source).expect("writes");
    let fixed = "test a.c --json -q --no-fuzz --time 120s";
    let args: Vec<&str> = fixed.split(' ').chain(args.split_whitespace()).collect();
    let output = run(dir.path(), &args);
    assert_eq!(output.status.code(), Some(0), "{}", shown(&output));
    let report: Value = serde_json::from_slice(&output.stdout).expect("JSON");
    assert_eq!(report["judge"]["differences"], json!([]), "{report}");
    report
}

/// Covered, infeasible, open.
fn figures(totals: &Value) -> [u64; 3] {
    ["covered", "infeasible", "open"].map(|name| totals[name].as_u64().expect("a number"))
}

/// What is not covered: function and side, with the reason.
fn missing(report: &Value, list: &str) -> Vec<String> {
    let rows = report[list].as_array().expect("a list");
    let word = |row: &Value, key: &str| row[key].as_str().expect("a word").to_owned();
    rows.iter()
        .map(|row| format!("{} {}", word(row, "function"), word(row, "side")))
        .collect()
}

const TABLE: &str = r#"
#include <stdlib.h>
#include "bothways.h"
typedef void handler(void);
static handler *next;
static void last(void) { abort(); }
static void third(void) { next = last; }
static void second(void) { next = third; }
static void first(void) { next = second; }
int main(void) {
    unsigned char rounds;
    bw_bytes(&rounds, 1, "rounds");
    next = first;
    for (unsigned i = 0; i < rounds % 8; i++)
        next();
    return 0;
}
"#;

#[test]
fn the_search_goes_on_until_every_function_is_entered() {
    for criterion in ["branch", "statement", "condition", "decision", "mcdc"] {
        let report = report(TABLE, &format!("--criterion {criterion}"));
        assert_eq!(report["stopped_by"], "all-covered", "{criterion}: {report}");
        assert_eq!(figures(&report["entries"]), [5, 0, 0], "{criterion}");
        assert_eq!(report["failures"][0]["stack"][0], "last", "{criterion}");
    }
    // The judge's figure is what it was.
    let report = report(TABLE, "");
    assert_eq!(figures(&report["goals"]), [2, 0, 0]);
    assert_eq!(report["judge"]["total"], 2);
}

/// The end of the loop is counted as a difference, so that the first run, which `stop` ends within it, covers it. `KEY` ends it.
const BETWEEN: &str = r#"
#include <stdio.h>
#include <stdlib.h>
static void stop(int status) { exit(status); }
int main(void) {
    int c, sum = 0;
    while ((c = getchar()) != KEY) {
        if (c < 'a')
            stop(1);
        sum += c;
    }
    return sum == 'b' ? abort(), 1 : 0;
}
"#;

/// The search ended `all-covered` after two runs that `stop` ended: nothing behind the loop was ever executed.
#[test]
fn the_search_goes_on_until_a_counted_side_is_taken() {
    let untaken = |report: &Value| {
        let notes = report["notes"].as_array().expect("notes").iter();
        let said = notes.filter(|note| note.to_string().contains("no test takes what"));
        said.map(ToString::to_string).collect::<String>()
    };
    for more in ["", " --minimise-suite", " --no-proofs", " -s mix"] {
        let report = report(
            &BETWEEN.replace("KEY", "'z'"),
            &format!("--stdin 2 -n 500{more}"),
        );
        assert_eq!(report["stopped_by"], "all-covered", "{more}: {report}");
        assert_eq!(figures(&report["goals"]), [6, 0, 0], "{more}: {report}");
        assert_eq!(untaken(&report), "", "{more}: {report}");
        assert_eq!(report["failures"][0]["stack"][0], "main", "{more}");
    }
    // What nothing can take is counted, as before, and said to be only that.
    let report = report(&BETWEEN.replace("KEY", "1000"), "--stdin 2 -n 500");
    let said = untaken(&report);
    assert!(said.contains("a.c:7:12 false"), "{report}");
    assert_eq!(figures(&report["goals"]), [5, 1, 0], "{report}");
}

#[test]
fn a_function_that_nothing_can_enter_is_infeasible() {
    let source = r#"
#include "bothways.h"
int lonely(void) { return 1; }
static int behind(void) { return 2; }
int main(void) {
    int x;
    bw_int(&x, "x");
    if (x == 3 && x == 4) return behind();
    return 0;
}
"#;
    let report = report(source, "");
    assert_eq!(figures(&report["entries"]), [1, 2, 0], "{report}");
    let infeasible = missing(&report, "infeasible");
    assert!(infeasible.contains(&"lonely entry".to_owned()), "{report}");
    assert!(infeasible.contains(&"behind entry".to_owned()), "{report}");
}

#[test]
fn a_function_that_another_thread_enters_is_entered() {
    let source = r#"
#include <pthread.h>
#include "bothways.h"
static int seen;
static void note(void) { seen = 1; }
static void *thread(void *unused) { note(); return unused; }
int main(void) {
    pthread_t other;
    int x;
    bw_int(&x, "x");
    pthread_create(&other, 0, thread, 0);
    pthread_join(other, 0);
    return x == 3;
}
"#;
    let report = report(source, "--cflags -pthread");
    assert_eq!(figures(&report["entries"]), [3, 0, 0], "{report}");
}

#[test]
fn a_function_that_is_entered_on_a_folded_stretch_is_entered() {
    let source = r#"
#include "bothways.h"
static volatile int sum;
static void add(int i) { sum += i; }
int main(void) {
    for (int i = 0; i < 100000; i++) add(i);
    int x;
    bw_int(&x, "x");
    return x == 3;
}
"#;
    let report = report(source, "");
    assert_eq!(figures(&report["entries"]), [2, 0, 0], "{report}");
    assert_eq!(report["stopped_by"], "all-covered", "{report}");
}

#[test]
fn require_and_until_want_entries_as_well() {
    let source = r#"
#include "bothways.h"
int lonely(void) { return 1; }
int main(void) { int x; bw_int(&x, "x"); return x == 3; }
"#;
    let dir = tempfile::tempdir().expect("a temporary folder");
    fs::write(dir.path().join("a.c"), source).expect("writes");
    let output = run(dir.path(), &["test", "a.c", "--require", "100%"]);
    assert_eq!(output.status.code(), Some(1), "{}", shown(&output));
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert!(stderr.contains("1 of 2 functions entered"), "{stderr}");
    assert!(stderr.contains("lonely"), "{stderr}");
}

/// A program that does this, then asks for its only input.
fn before(first: &str) -> String {
    format!(
        r#"
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
#include "bothways.h"
int main(int argc, char **argv) {{
    (void)argv;
    if (argc < 2) {{ {first} }}
    int x;
    bw_int(&x, "x");
    if (x == 3) return 1;
    return 0;
}}
"#
    )
}

#[test]
fn a_program_that_ends_before_its_first_input_is_one_test() {
    let usage = before("fprintf(stderr, \"usage: a FILE\\n\"); exit(2);");
    let report = report(&usage, "--emit test-comp --emit corpus");
    assert_eq!(report["tests"], 1, "{report}");
    assert_eq!(figures(&report["goals"]), [1, 3, 0], "{report}");
    let notes = report["notes"].to_string();
    assert!(
        notes.contains("(exited 2); it said: usage: a FILE"),
        "{notes}"
    );
}

#[test]
fn a_crash_before_the_first_input_is_a_finding() {
    let report = report(&before("abort();"), "");
    assert_eq!(report["tests"], 1, "{report}");
    assert_eq!(report["failures"][0]["outcome"], "signal 6 (SIGABRT)");
    assert_eq!(figures(&report["goals"]), [1, 3, 0], "{report}");
}

#[test]
fn a_hang_before_the_first_input_leaves_goals_open() {
    let hang = before("pause();");
    // That there are no arguments is a proof of its own.
    let report = report(&hang, "--no-proofs --timeout 300ms");
    assert_eq!(report["failures"][0]["outcome"], "timeout", "{report}");
    assert_eq!(report["goals"]["infeasible"], 0, "{report}");
    assert_eq!(report["goals"]["open"], 2, "{report}");
    // No input has a say in the first; the other lies behind the hang.
    let open = report["open"].as_array().expect("a list");
    let reasons: Vec<_> = open.iter().map(|goal| &goal["detail"]).collect();
    assert_eq!(
        reasons,
        ["nothing symbolic decides it", "1 run cut short"],
        "{report}"
    );
}
