//! The command itself: each form of target, each verdict, mistakes.

use std::path::Path;

use e2e::{run, shown};
use serde_json::Value;

use super::{SOURCE, folder, reach_in, said};

#[test]
fn each_form_of_target_has_its_verdict() {
    let dir = folder(SOURCE);
    let expected = [
        ("a.c:19", "reached"),
        ("a.c:13", "reached"),
        ("a.c:29", "28:19 is never true where 28:9 is true"),
        ("a.c:4", "no caller: never is static and nothing names it"),
        ("a.c:10", "nothing calls open_one"),
        (
            "function:never",
            "no caller: never is static and nothing names it",
        ),
        ("function:open_one", "nothing calls open_one"),
        ("function:twice", "reached"),
        ("call:twice", "reached"),
        (
            "call:never",
            "no caller: nothing in the program calls never",
        ),
        ("call:abort", "28:19 is never true where 28:9 is true"),
        ("abort", "28:19 is never true where 28:9 is true"),
        ("assert", "reached"),
        ("a.c:6:18:true", "reached"),
        ("a.c:28:19:true", "28:19 is never true where 28:9 is true"),
        ("branch:a.c:6:true", "reached"),
        ("branch:a.c:6:false", "reached"),
        ("branch:a.c:18:true", "reached"),
    ];
    let mut args = vec!["--json"];
    args.extend(expected.iter().flat_map(|(target, _)| ["--at", target]));
    let output = reach_in(dir.path(), &args);
    assert_eq!(output.status.code(), Some(0), "{}", shown(&output));
    let answers: Value = serde_json::from_slice(&output.stdout).expect("JSON");
    let targets = answers["targets"].as_array().expect("an array");
    let found: Vec<(String, String)> = targets
        .iter()
        .map(|target| {
            let word = |key: &str| target[key].as_str().unwrap_or_default().to_owned();
            let why = target["why"][0].as_str().unwrap_or("");
            match target["verdict"].as_str() {
                Some("unreachable") => (word("target"), why.to_owned()),
                _ => (word("target"), word("verdict")),
            }
        })
        .collect();
    let wanted = expected.iter();
    let wanted: Vec<_> = wanted
        .map(|(target, verdict)| ((*target).to_owned(), (*verdict).to_owned()))
        .collect();
    assert_eq!(found, wanted);
    is_replayable(dir.path(), targets);
    let output = run(dir.path(), &["check", "bothways-out"]);
    let (code, text) = said(&output);
    assert_eq!(code, Some(0), "{text}");
    assert!(
        text.contains(" 0 cannot be checked, 0 are refused"),
        "{text}"
    );
}

/// Each test that is named is in the suite, which can be replayed.
fn is_replayable(dir: &Path, targets: &[Value]) {
    let tests = targets.iter().filter_map(|target| target["test"].as_str());
    let mut tests: Vec<&str> = tests.collect();
    tests.sort_unstable();
    tests.dedup();
    assert!(tests.len() > 1, "{targets:?}");
    for test in tests {
        assert!(dir.join("bothways-out/tests").join(test).is_file());
    }
    let output = run(dir, &["replay", "bothways-out"]);
    assert_eq!(output.status.code(), Some(0), "{}", shown(&output));
}

#[test]
fn what_keeps_a_target_away_is_named() {
    let source = r"#include <stdio.h>
static unsigned mix(unsigned x) {
    for (int i = 0; i < 9; i++)
        x = (x ^ x >> 7) * (x | 1);
    return x;
}
int main(void) {
    unsigned x = 0;
    if (fread(&x, 1, 4, stdin) != 4)
        return 1;
    if (mix(x) == 0x1786104fu)
        if (x % 3 == 1)
            return 2;
    return 0;
}
";
    let dir = folder(source);
    let args = ["--at", "a.c:13", "--at", "a.c:14", "-n", "2", "--json"];
    let words = ["reach", "a.c", "--stdin", "4..4", "-q"];
    let output = run(dir.path(), &[&words[..], &args].concat());
    assert_eq!(output.status.code(), Some(1), "{}", shown(&output));
    let answers: Value = serde_json::from_slice(&output.stdout).expect("JSON");
    let open = &answers["targets"][0];
    assert_eq!(open["verdict"], "unknown", "{answers}");
    let blocker = &open["blocked_by"];
    let place = (blocker["line"].as_u64(), blocker["condition"].as_str());
    assert_eq!(
        place,
        (Some(11), Some("mix(x) == 0x1786104fu")),
        "{answers}"
    );
    assert_eq!(blocker["wanted"], "true");
    assert!(blocker["evaluated"].as_u64() >= Some(1), "{answers}");
    assert!(!open["why"].as_array().expect("reasons").is_empty());
    assert_eq!(answers["targets"][1]["verdict"], "reached");
    assert_eq!(answers["counts"]["unknown"], 1);
}

#[test]
fn a_function_is_searched_from_its_own_entry() {
    let dir = folder(SOURCE);
    let args = [
        "--function",
        "twice",
        "--at",
        "a.c:7",
        "--at",
        "a.c:19",
        "--at",
        "abort",
    ];
    let words = ["reach", "a.c", "-q", "-n", "50"];
    let output = run(dir.path(), &[&words[..], &args].concat());
    let (code, text) = said(&output);
    assert_eq!(code, Some(0), "{text}");
    for (line, verdict) in text.lines().zip(["reached", "unreachable", "unreachable"]) {
        assert!(line.contains(verdict), "{text}");
    }
}

#[test]
fn the_answer_to_a_mistake_says_what_would_be_right() {
    let dir = folder(SOURCE);
    // Built once.
    let output = run(dir.path(), &["cc", "-g", "a.c", "-o", "a"]);
    assert_eq!(output.status.code(), Some(0), "{}", shown(&output));
    for (args, expected) in [
        (&["--at", "a.c:3"][..], "no code in line 3 of"),
        (&["--at", "a.c:3"], "the nearest line that has: 4"),
        (&["--at", "a.c:20"], "the nearest lines that have: 19, 21"),
        (
            &["--at", "a.c:16"],
            "the compiler removed the code in line 16",
        ),
        (&["--at", "a.c:24"], "the preprocessor leaves line 24"),
        (&["--at", "a.c:99"], "a.c has 31 lines, no line 99"),
        (&["--at", "b.c:3"], "no source file `b.c`; its files: "),
        (&["--at", "function:twise"], "did you mean twice?"),
        (&["--at", "call:xyz"], "the program has no function `xyz`"),
        (
            &["--at", "a.c:6:10:true"],
            "in that line they start in columns 9, 18",
        ),
        (
            &["--at", "branch:a.c:7:true"],
            "the nearest lines that have: 6, 18",
        ),
        (&["--at", "a.c:6:9"], "add :true or :false"),
        (&["--at", "a.c:0"], "lines and columns count from 1"),
        (&["--at", "twice"], "is no target: write FILE:LINE, "),
        (&[], "add --at TARGET or --diff REV"),
        (&["--at", "assert", "--time", "0"], "out of range"),
        (&["--at", "assert", "--iterations", "0"], "a budget of zero"),
        (&["--at", "assert", "-s", "zigzag"], "zigzag"),
        (
            &["--diff", "no-such-revision"],
            "there is no such file, and git",
        ),
        (&["--diff", "a.c"], "no unified diff"),
    ] {
        let output = run(dir.path(), &[&["reach", "./a", "-q"][..], args].concat());
        let (code, text) = said(&output);
        assert_eq!(code, Some(2), "{args:?}: {text}");
        assert!(text.contains(expected), "{args:?}: {text}");
        assert!(!dir.path().join("bothways-out").exists(), "{args:?}");
    }
}
