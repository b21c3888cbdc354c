//! Branches that hang on how often a loop went round: no expression says how, so parts of inputs are repeated.

use std::fs;

use e2e::{run, shown};
use serde_json::Value;

/// A word between quotes, counted first and read then: an escape needs six bytes before the end, a list of words is long with
/// five of them. Nothing symbolic decides the three last branches.
const WORDS: &str = r#"
#include "bothways.h"
static int hex(const char *text) {
    int value = 0;
    for (int i = 0; i < 4; i++) {
        if (text[i] < '0' || text[i] > '9')
            return -1;
        value = value * 10 + text[i] - '0';
    }
    return value;
}
static const char *word(const char *at, int *count) {
    const char *end = at;
    while (*end != '\'' && *end)
        end++;
    if (!*end)
        return 0;
    for (; at < end; at++)
        if (*at == '\\' && at[1] == 'u') {
            if (end - at < 6)
                return 0;
            if (hex(at + 2) < 0)
                return 0;
            at += 5;
        }
    if (++*count >= 5)
        return 0;
    return end + 1;
}
int main(void) {
    char text[25];
    bw_bytes(text, sizeof text - 1, "text");
    text[24] = 0;
    int count = 0;
    const char *at = text;
    while (at && *at == '\'')
        at = word(at + 1, &count);
    return count >= 5 ? 2 : at == 0;
}
"#;

fn covered(args: &str) -> (u64, u64) {
    let dir = tempfile::tempdir().expect("a temporary folder");
    fs::write(dir.path().join("a.c"), WORDS).expect("writes");
    let args: Vec<&str> = args.split_whitespace().collect();
    let output = run(dir.path(), &args);
    assert_eq!(output.status.code(), Some(0), "{}", shown(&output));
    let report: Value = serde_json::from_slice(&output.stdout).expect("JSON");
    let differences = &report["judge"]["differences"];
    assert_eq!(*differences, serde_json::json!([]), "{report}");
    let goals = &report["goals"];
    let number = |name: &str| goals[name].as_u64().expect("a number");
    (number("covered"), number("total"))
}

#[test]
fn loops_go_round_as_often_as_it_takes() {
    for seed in 0..3 {
        let args = format!("test a.c --iterations 300 --seed {seed} --json -q");
        let (covered, total) = covered(&args);
        assert_eq!(covered, total, "seed {seed}");
    }
}

/// With the fuzzer these inputs are run without expressions first.
#[test]
fn loops_beside_the_fuzzer() {
    let args = "test a.c --time 120s --until 100% --json -q";
    let (covered, total) = covered(args);
    assert_eq!(covered, total);
}
