//! Compiler flags that rewrite paths (`-ffile-prefix-map=$PWD=.` is among Debian's): engine and judge name functions and files
//! alike.

use std::fs;

use e2e::{bothways, run, shown};
use serde_json::{Value, json};

const UNIT: &str = r#"
#include "bothways.h"
#include "twice.h"
static int own(int a) { if (a == 77) return 1; return twice(a) > 20; }
int main(void) { int a; bw_int(&a, "a"); if (own(a) && a < 100) return 3; return 0; }
"#;
const HEADER: &str = "static inline int twice(int x) { return x > 5 ? 2 * x : x; }\n";

/// All goals of the unit are covered, and the judge agrees. `flag`: `{}` is the folder.
fn check(source: &str, flag: &str, criterion: &str) {
    let dir = tempfile::tempdir().expect("a temporary folder");
    let folder = dir.path().canonicalize().expect("it is there");
    fs::create_dir(folder.join("src")).expect("made");
    for (name, text) in [("a.c", UNIT), ("twice.h", HEADER)] {
        fs::write(folder.join(name), text).expect("writes");
        fs::write(folder.join("src").join(name), text).expect("writes");
    }
    let folder = folder.to_str().expect("text");
    let (source, flag) = (source.replace("{}", folder), flag.replace("{}", folder));
    let built = std::process::Command::new(bothways())
        .args(["cc", &flag, "-o", "p", &source])
        .current_dir(folder)
        .output()
        .expect("bothways starts");
    assert!(built.status.success(), "{}", shown(&built));
    let args = [
        "test",
        "./p",
        "--iterations",
        "40",
        "-q",
        "--json",
        "--criterion",
        criterion,
    ];
    let output = run(dir.path(), &args);
    let report: Value = serde_json::from_slice(&output.stdout)
        .unwrap_or_else(|_| panic!("{source} {flag}: {}", shown(&output)));
    let case = format!("{source} {flag} {criterion}: {report}");
    assert_eq!(report["judge"]["differences"], json!([]), "{case}");
    assert_eq!(
        report["goals"]["covered"], report["goals"]["total"],
        "{case}"
    );
}

#[test]
fn static_functions_are_matched_under_every_prefix_map() {
    for flag in [
        "-ffile-prefix-map={}=.",
        "-ffile-prefix-map={}=",
        "-ffile-prefix-map={}=/usr/src/x",
        "-ffile-prefix-map={}=../up",
        "-fcoverage-prefix-map={}=.",
        "-fdebug-prefix-map={}=.",
        "-fmacro-prefix-map={}=.",
        "-fprofile-prefix-map={}=.",
    ] {
        check("a.c", flag, "branch");
    }
    for source in ["{}/a.c", "src/a.c", "{}/src/a.c", "src/../a.c"] {
        check(source, "-ffile-prefix-map={}=.", "branch");
    }
}

#[test]
fn decisions_are_found_under_prefix_maps() {
    for flag in [
        "-ffile-prefix-map={}=.",
        "-fdebug-prefix-map={}=.",
        "-fcoverage-prefix-map={}=.",
    ] {
        check("a.c", flag, "mcdc");
    }
}
