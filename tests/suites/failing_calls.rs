//! `--sym-fail`: each call of a C library function that may fail is an input. What only a failing call reaches is covered, the judge
//! replays it and counts the same, and both targets make the same runs.

use std::fs;
use std::path::Path;

use e2e::{run, shown};
use serde_json::Value;

/// Every failure has branches of its own; what is asked for by name stands between the calls.
const MEMORY: &str = r#"
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "bothways.h"
struct hooks { void *(*allocate)(size_t); };
int main(void) {
    struct hooks hooks = {malloc};
    char *first = hooks.allocate(16), *second, *third;
    int n;
    if (!first)
        return errno == ENOMEM ? 1 : 2; /* never false */
    bw_int(&n, "n");
    second = calloc(2, 8);
    if (!second) {
        free(first);
        return n == 7 ? 3 : 4;
    }
    strcpy(first, "abc");
    third = realloc(first, 64);
    if (!third) {
        int kept = first[0] == 'a'; /* never false */
        free(first);
        return kept ? 5 : 6; /* never false */
    }
    return n == 11 ? 7 : 8;
}
"#;

/// Errors, short transfers, error indicators, and calls that are made although they fail.
const STREAMS: &str = r#"
#include <errno.h>
#include <stdio.h>
#include <unistd.h>
int main(void) {
    char block[8];
    ssize_t got = read(0, block, 4);
    if (got < 0)
        return errno == EIO ? 1 : 2; /* never false */
    if (got < 4)
        return got == 2 ? 3 : 4; /* never false: 4 bytes are there */
    if (block[0] == 'a' && write(1, block, 4) != 4)
        return 5;
    size_t count = fread(block, 1, 4, stdin);
    if (count == 0)
        return ferror(stdin) ? 6 : 7; /* never false: 4 bytes more are there */
    if (fputs("x", stdout) == EOF)
        return 8;
    if (fclose(stdin) == EOF)
        return 9;
    return count < 4 ? 10 : 11;
}
"#;

/// More calls than are decided, and a limit that only more failures would reach.
const MANY: &str = r#"
#include <stdlib.h>
int main(void) {
    int failed = 0;
    for (int i = 0; i < 66; i++) {
        char *p = malloc(1);
        if (!p)
            failed++;
        free(p);
    }
    return failed > 64 ? 1 : 0;
}
"#;

/// The program's own `listen`, in another file, is not the C library's.
const OWN: [&str; 2] = [
    "#include <stdlib.h>\nint listen(int, int);\n\
     int main(void) { char *p = calloc(1, 1); return listen(3, 3) < 0 ? 1 : !p ? 2 : 0; }\n",
    "int listen(int socket, int most) { return socket - most; }\n",
];

const FUNCTION: &str = r#"
#include <stdlib.h>
struct list { int length; int *items; };
char *copy(const struct list *list) {
    char *text = malloc(8);
    if (!text)
        return NULL;
    text[0] = list->length > 3 ? 'x' : 'y';
    text[1] = 0;
    return text;
}
"#;

struct Case<'a> {
    name: &'a str,
    source: &'a str,
    fail: &'a str,
    more: &'a [&'a str],
    /// Branches that are covered with it, and without; all of them.
    branches: (u64, u64, u64),
    machine: bool,
}

/// Searches; the JSON object.
fn search(dir: &Path, args: &[&str]) -> Value {
    let all = [
        &[
            "test", "--quiet", "--json", "--out", "suite", "-n", "60", "-t", "60s", "-s", "cgs",
        ],
        args,
    ]
    .concat();
    let output = run(dir, &all);
    assert_eq!(output.status.code(), Some(0), "{}", shown(&output));
    serde_json::from_slice(&output.stdout).expect("it is JSON")
}

fn branches(report: &Value) -> (u64, u64) {
    assert_eq!(report["judge"]["differences"], serde_json::json!([]));
    let number = |name: &str| report["goals"][name].as_u64().expect("a number");
    (number("covered"), number("total"))
}

fn replays(dir: &Path) {
    let output = run(dir, &["replay", "suite"]);
    assert_eq!(output.status.code(), Some(0), "{}", shown(&output));
}

fn check(case: &Case<'_>) {
    let dir = tempfile::tempdir().expect("a folder");
    fs::write(dir.path().join("a.c"), case.source).expect("writes");
    let (with, without, all) = case.branches;
    let args = [&["a.c"], case.more].concat();
    assert_eq!(
        branches(&search(dir.path(), &args)),
        (without, all),
        "{}",
        case.name
    );
    let args = [&args[..], &["--sym-fail", case.fail]].concat();
    assert_eq!(
        branches(&search(dir.path(), &args)),
        (with, all),
        "{}: native",
        case.name
    );
    replays(dir.path());
    if case.machine {
        let args = [&args[..], &["--target", "machine", "--check"]].concat();
        assert_eq!(
            branches(&search(dir.path(), &args)),
            (with, all),
            "{}: machine",
            case.name
        );
        replays(dir.path());
    }
}

#[test]
fn allocations_fail() {
    check(&Case {
        name: "memory",
        source: MEMORY,
        fail: "malloc,calloc,realloc",
        more: &[],
        branches: (12, 5, 14),
        machine: true,
    });
}

#[test]
fn transfers_fail_or_are_short() {
    check(&Case {
        name: "streams",
        source: STREAMS,
        fail: "read,write,fread,fputs,fclose",
        more: &["--stdin", "8..8"],
        branches: (19, 9, 22),
        machine: true,
    });
}

/// Nothing is proved about runs with calls that are not decided.
#[test]
fn later_calls_are_not_decided() {
    let dir = tempfile::tempdir().expect("a folder");
    fs::write(dir.path().join("a.c"), MANY).expect("writes");
    let report = search(dir.path(), &["a.c", "--sym-fail", "malloc"]);
    let (covered, all) = branches(&report);
    assert_eq!((covered, all), (5, 6));
    assert_eq!(report["goals"]["infeasible"], 0);
}

#[test]
fn functions_of_the_program_do_not_fail() {
    let dir = tempfile::tempdir().expect("a folder");
    fs::write(dir.path().join("a.c"), OWN[0]).expect("writes");
    fs::write(dir.path().join("b.c"), OWN[1]).expect("writes");
    for target in ["native", "machine"] {
        let args = [
            "a.c",
            "b.c",
            "--sym-fail",
            "malloc,calloc",
            "--target",
            target,
        ];
        // Not that of a `listen` that fails.
        assert_eq!(branches(&search(dir.path(), &args)), (3, 4), "{target}");
        replays(dir.path());
    }
}

/// The harness allocates as well, and its calls do not fail; C tests without a failing call are written.
#[test]
fn a_function_under_test() {
    let dir = tempfile::tempdir().expect("a folder");
    fs::write(dir.path().join("a.c"), FUNCTION).expect("writes");
    let args = [
        "a.c",
        "--function",
        "copy",
        "--sym-fail",
        "malloc,calloc",
        "--emit",
        "c-test",
    ];
    let report = search(dir.path(), &args);
    assert_eq!(branches(&report), (4, 4));
    replays(dir.path());
    let notes = report["notes"].to_string();
    assert!(
        notes.contains("makes a call of the C library fail"),
        "{notes}"
    );
    let tests =
        fs::read_to_string(dir.path().join("suite/c-test/test_copy.c")).expect("is written");
    assert!(!tests.contains("fail malloc"), "{tests}");
}

/// The suite says which call fails; other formats leave such tests out and say so.
#[test]
fn tests_name_the_call() {
    let dir = tempfile::tempdir().expect("a folder");
    fs::write(dir.path().join("a.c"), MEMORY).expect("writes");
    let report = search(
        dir.path(),
        &["a.c", "--sym-fail", "calloc", "--emit", "test-comp"],
    );
    let mut texts = String::new();
    for entry in fs::read_dir(dir.path().join("suite/tests")).expect("tests") {
        texts += &fs::read_to_string(entry.expect("an entry").path()).expect("text");
    }
    assert!(texts.contains("fail%20calloc%201 bool 1"), "{texts}");
    let notes = report["notes"].to_string();
    assert!(notes.contains("test-comp: 2 of "), "{notes}");
}

#[test]
fn programs_are_built_for_it() {
    let dir = tempfile::tempdir().expect("a folder");
    fs::write(dir.path().join("a.c"), MEMORY).expect("writes");
    let build = |flags: &[&str]| {
        let output = run(dir.path(), &[&["cc", "a.c", "-o", "a"], flags].concat());
        assert!(output.status.success(), "{}", shown(&output));
    };
    build(&[]);
    let output = run(dir.path(), &["test", "./a", "--sym-fail", "malloc"]);
    assert_eq!(output.status.code(), Some(2), "{}", shown(&output));
    assert!(
        shown(&output).contains("-fbothways-sym-fail"),
        "{}",
        shown(&output)
    );
    build(&["-fbothways-sym-fail"]);
    let report = search(dir.path(), &["./a", "--sym-fail", "malloc,calloc,realloc"]);
    assert_eq!(branches(&report), (12, 14));
    // Built for it, and not asked to.
    assert_eq!(branches(&search(dir.path(), &["./a"])), (5, 14));
}

#[test]
fn unknown_names_are_refused() {
    let dir = tempfile::tempdir().expect("a folder");
    fs::write(dir.path().join("a.c"), MEMORY).expect("writes");
    let output = run(dir.path(), &["test", "a.c", "--sym-fail", "mallok"]);
    assert_eq!(output.status.code(), Some(2), "{}", shown(&output));
    assert!(
        shown(&output).contains("did you mean malloc"),
        "{}",
        shown(&output)
    );
}
