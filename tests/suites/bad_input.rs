//! A user's mistake gets a message that names what is wrong, exit code 2, and leaves nothing half-written.

use std::fs;
use std::path::Path;

use e2e::{run, shown};
use serde_json::Value;

/// Runs `bothways` in a folder that has `files`; checks exit code 2 and that stderr says each of `words`.
fn check(files: &[(&str, &str)], args: &[&str], words: &[&str]) {
    let dir = tempfile::tempdir().expect("a temporary folder");
    for (name, text) in files {
        fs::write(dir.path().join(name), text).expect("writes");
    }
    let output = run(dir.path(), args);
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(2), "{}", shown(&output));
    for word in words {
        assert!(
            stderr.contains(word),
            "stderr does not say '{word}': {}",
            shown(&output)
        );
    }
    assert!(
        !dir.path().join("bothways-out").exists(),
        "something was left behind: {}",
        shown(&output)
    );
}

const PLAIN: &str = "int main(void) { return 0; }\n";
const SYMBOLIC: &str = r#"
#include "bothways.h"
int main(void) { int x; bw_int(&x, "x"); return x == 3; }
"#;

#[test]
fn nothing_to_check() {
    let words = ["neither certificates nor a suite"];
    check(&[("notes.txt", "")], &["check", "."], &words);
    check(&[], &["check", "missing"], &["missing", "No such file"]);
}

#[test]
fn no_such_file() {
    check(&[], &["test", "missing.c"], &["missing.c", "No such file"]);
}

#[test]
fn no_arguments() {
    check(&[], &["test"], &["<FILE>"]);
}

#[test]
fn syntax_error_is_clangs_own() {
    check(
        &[("a.c", "int main(void) { return }\n")],
        &["test", "a.c"],
        &["a.c:1:25", "error: expected expression"],
    );
}

#[test]
fn no_main() {
    check(
        &[("a.c", "int f(void) { return 0; }\n")],
        &["test", "a.c"],
        &["main"],
    );
}

#[test]
fn no_main_names_the_way_to_test_a_function() {
    check(
        &[("a.c", "int f(void) { return 0; }\n")],
        &["test", "a.c"],
        &["no source has a `main`", "--function NAME"],
    );
}

/// A library that speaks of what is "remaining" got the linker's words alone, and one that does not got them first.
#[test]
fn no_main_is_said_without_the_linkers_words() {
    let remaining = "int f(int n) { int remaining = n; return remaining > 3; }\n";
    for (source, others) in [
        ("int f(void) { return 0; }\n", false),
        (remaining, false),
        (
            "int elsewhere(int n);\nint f(int n) { return elsewhere(n) > 3; }\n",
            true,
        ),
    ] {
        let dir = tempfile::tempdir().expect("a folder");
        std::fs::write(dir.path().join("a.c"), source).expect("a file");
        let output = e2e::run(dir.path(), &["test", "a.c"]);
        assert_eq!(output.status.code(), Some(2), "{}", e2e::shown(&output));
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(said.contains("no source has a `main`"), "{said}");
        assert_eq!(said.contains("undefined symbol"), others, "{said}");
    }
}

#[test]
fn short_option_behind_cflags() {
    let test = |args: &[&str], words: &[&str]| check(&[("a.c", SYMBOLIC)], args, words);
    let args = ["test", "a.c", "--cflags", "-DX", "-o", "results"];
    test(&args, &["`-o`", "--cflags", "--out"]);
    test(
        &["test", "a.c", "--cflags", "-t", "5m"],
        &["`-t`", "--time"],
    );
}

#[test]
fn programs_of_32_bits() {
    check(
        &[("a.c", SYMBOLIC)],
        &["cc", "-m32", "a.c", "-o", "a"],
        &["-m32", "give the C sources to `bothways test`"],
    );
    let test = |more: &[&str], words: &[&str]| {
        let args = [&["test", "a.c", "--cflags", "-m32"], more].concat();
        check(&[("a.c", SYMBOLIC)], &args, words);
    };
    test(&["--check"], &["--check", "-m32"]);
    test(&["--function", "main"], &["-m32", "a function by itself"]);
    let args = ["test", "a.c", "--cflags", "-m32"];
    check(
        &[("a.c", "int f(int x) { return x == 3; }")],
        &args,
        &["-m32", "`main`"],
    );
}

#[test]
fn required_coverage_that_is_missed_is_named() {
    let dir = tempfile::tempdir().expect("a temporary folder");
    fs::write(
        dir.path().join("a.c"),
        SYMBOLIC.replace("x == 3", "x == 3 && x == 4"),
    )
    .expect("writes");
    let output = run(dir.path(), &["test", "a.c", "--require", "90%", "-q"]);
    assert_eq!(output.status.code(), Some(1), "{}", shown(&output));
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert!(
        stderr.contains("--require 90% is not met: 3 of 4 branches covered, 75.0%"),
        "{stderr}"
    );
}

#[test]
fn no_symbolic_input() {
    check(
        &[("a.c", PLAIN)],
        &["test", "a.c"],
        &["no symbolic input", "--stdin"],
    );
}

#[test]
fn crash_before_the_first_input() {
    let text = "#include <stdlib.h>\nint main(void) { abort(); }\n";
    check(
        &[("a.c", text)],
        &["test", "a.c"],
        &["before its first", "SIGABRT"],
    );
}

#[test]
fn hang_before_the_first_input() {
    let text = "int main(void) { for (volatile int i = 0;; i++) { } }\n";
    check(
        &[("a.c", text)],
        &["test", "a.c", "--timeout", "300ms"],
        &["before its first", "0.3 s"],
    );
}

#[test]
fn not_built_by_us() {
    check(&[], &["test", "/bin/true"], &["/bin/true", "bothways cc"]);
}

#[test]
fn neither_source_nor_program() {
    check(
        &[("notes.txt", "hello\n")],
        &["test", "notes.txt"],
        &["notes.txt"],
    );
}

#[test]
fn what_only_clang_19_refuses_says_by_which_flag_it_compiles() {
    let source = "int main(void) { return put(3); }\nint f(int a) { return put(a); }\n";
    let flag = "add -Wno-error=implicit-function-declaration";
    for more in [&[][..], &["--function", "f"]] {
        let args = [&["test", "a.c"], more].concat();
        check(
            &[("a.c", source)],
            &args,
            &["undeclared function 'put'", flag],
        );
    }
    check(
        &[("a.c", "int main(void) { return 0 }\n")],
        &["test", "a.c"],
        &["expected ';'"],
    );
}

#[test]
fn only_near_names_are_suggested() {
    let dir = tempfile::tempdir().expect("a temporary folder");
    fs::write(
        dir.path().join("a.c"),
        "int parse_header(int a) { return a; }\n",
    )
    .expect("writes");
    for args in [
        ["test", "a.c", "--function", "parse_body"],
        ["test", "a.c", "--criterion", "vibration"],
        ["test", "a.c", "--strategy", "genetic"],
    ] {
        let output = run(dir.path(), &args);
        let said = shown(&output);
        assert_eq!(output.status.code(), Some(2), "{said}");
        assert!(!said.contains("did you mean"), "{said}");
    }
}

#[test]
fn unknown_strategy_names_the_nearest() {
    check(
        &[("a.c", SYMBOLIC)],
        &["test", "a.c", "--strategy", "csg"],
        &["csg", "cgs"],
    );
}

#[test]
fn unknown_criterion() {
    check(
        &[("a.c", SYMBOLIC)],
        &["test", "a.c", "--criterion", "vibes"],
        &["there is no criterion `vibes`; criteria: branch,"],
    );
    check(
        &[("a.c", SYMBOLIC)],
        &["test", "a.c", "--criterion", "brnch"],
        &["did you mean branch?", "mcdc"],
    );
    check(
        &[("a.c", SYMBOLIC)],
        &["test", "a.c", "--criterion", "mcdc", "--mcdc", "best"],
        &["`best`", "unique-cause, masking"],
    );
}

#[test]
fn lines_that_are_not_there() {
    let lines = |range: &str, words: &[&str]| {
        let criterion = format!("lines:{range}");
        check(
            &[("a.c", SYMBOLIC)],
            &["test", "a.c", "--criterion", &criterion],
            words,
        );
    };
    lines("a.c:3-40", &["a.c has 3 lines", "3-40"]);
    lines("a.c:3-2", &["3 to 2", "no range"]);
    lines("a.c:0-2", &["0 to 2", "lines count from 1"]);
    lines("b.c:1-2", &["no source file `b.c`", "a.c"]);
    lines("a.c:first", &["`a.c:first`", "FILE:A-B"]);
    lines("a.c:1-1", &["1 to 1", "no code"]);
}

#[test]
fn unknown_format() {
    check(
        &[("a.c", SYMBOLIC)],
        &["test", "a.c", "--emit", "punchcards"],
        &["punchcards", "test-comp"],
    );
}

#[test]
fn numbers_out_of_range() {
    check(
        &[("a.c", SYMBOLIC)],
        &["test", "a.c", "--time", "soon"],
        &["soon"],
    );
    check(
        &[("a.c", SYMBOLIC)],
        &["test", "a.c", "--require", "150%"],
        &["150"],
    );
    check(
        &[("a.c", SYMBOLIC)],
        &["test", "a.c", "--jobs", "0"],
        &["0"],
    );
}

#[test]
fn unwritable_output_folder() {
    check(
        &[("a.c", SYMBOLIC)],
        &["test", "a.c", "--out", "/proc/nowhere"],
        &["/proc/nowhere"],
    );
}

#[test]
fn output_folder_that_is_somebody_elses() {
    let dir = tempfile::tempdir().expect("a temporary folder");
    fs::write(dir.path().join("a.c"), SYMBOLIC).expect("writes");
    fs::create_dir(dir.path().join("precious")).expect("makes");
    fs::write(dir.path().join("precious/thesis.tex"), "years of work").expect("writes");
    let output = run(dir.path(), &["test", "a.c", "--out", "precious"]);
    assert_eq!(output.status.code(), Some(2), "{}", shown(&output));
    assert!(Path::new(&dir.path().join("precious/thesis.tex")).is_file());
}

#[test]
fn replay_of_a_changed_source_names_it() {
    let dir = tempfile::tempdir().expect("a temporary folder");
    fs::write(dir.path().join("a.c"), SYMBOLIC).expect("writes");
    let made = run(dir.path(), &["test", "a.c", "--quiet"]);
    assert_eq!(made.status.code(), Some(0), "{}", shown(&made));
    fs::write(
        dir.path().join("a.c"),
        format!("{SYMBOLIC}\n/* changed */\n"),
    )
    .expect("writes");
    let output = run(dir.path(), &["replay", "bothways-out"]);
    assert_eq!(output.status.code(), Some(2), "{}", shown(&output));
    assert!(
        String::from_utf8_lossy(&output.stderr).contains("a.c"),
        "{}",
        shown(&output)
    );
}

#[test]
fn replay_of_no_suite() {
    check(&[], &["replay", "nowhere"], &["nowhere"]);
}

#[test]
fn missing_clang_names_the_package() {
    let dir = tempfile::tempdir().expect("a temporary folder");
    fs::write(dir.path().join("a.c"), SYMBOLIC).expect("writes");
    let output = std::process::Command::new(e2e::bothways())
        .args(["test", "a.c"])
        .current_dir(dir.path())
        .env("BOTHWAYS_CLANG", "/nonexistent/clang")
        .output()
        .expect("starts");
    assert_eq!(output.status.code(), Some(2), "{}", shown(&output));
    assert!(
        String::from_utf8_lossy(&output.stderr).contains("clang"),
        "{}",
        shown(&output)
    );
}

#[test]
fn symbolic_inputs_that_do_not_fit_each_other() {
    let files = [("a.c", SYMBOLIC)];
    let test = |args: &[&str], words: &[&str]| {
        let mut all = vec!["test", "a.c"];
        all.extend(args);
        check(&files, &all, words);
    };
    test(&["--sym-arg", "0"], &["--sym-arg", "1 to 65536"]);
    test(&["--sym-arg", "x"], &["--sym-arg", "'x'"]);
    test(&["--sym-args", "3..1:8"], &["no argument at all"]);
    test(&["--sym-args", "3"], &["MIN..MAX:N", "0..3:8"]);
    test(&["--sym-file", "input"], &["NAME:LENGTH", "input:64"]);
    test(&["--sym-file", "../x:3"], &["'../x'", "relative path"]);
    test(&["--sym-file", "/etc/x:3"], &["'/etc/x'", "relative path"]);
    test(&["--sym-env", "A=B:3"], &["'A=B'", "environment variable"]);
    test(&["--sym-env", "TZ"], &["NAME:N"]);
    test(&["--", "@arg"], &["more `@arg`", "--sym-arg N"]);
    test(
        &["--sym-arg", "3", "--sym-arg", "4", "--", "@arg"],
        &["more `--sym-arg N` than `@arg`"],
    );
    test(&["--", "@args"], &["more `@args`"]);
    test(&["--", "@file"], &["`@file`", "--sym-file input:64"]);
    test(&["--", "--in=@@"], &["`@@`", "--sym-file input:64"]);
    test(
        &["--sym-file", "a:3", "--", "@file:b"],
        &["`@file:b`", "--sym-file b:LENGTH"],
    );
    test(
        &["--sym-file", "a:3", "--sym-file", "a:4"],
        &["`a` is declared symbolic twice"],
    );
    test(
        &["--fuzz-input", "3"],
        &["LLVMFuzzerTestOneInput", "a.c is none"],
    );
    let groups = ["--sym-args", "0..64:1"].repeat(4);
    test(&groups, &["at most 255"]);
    let big = ["--stdin", "1M"];
    test(&big, &["'1M'"]);
    let files = (0..9).flat_map(|number| ["--sym-file".to_owned(), format!("f{number}:1048576")]);
    let files: Vec<String> = files.collect();
    test(
        &files.iter().map(String::as_str).collect::<Vec<_>>(),
        &["symbolic bytes in all"],
    );
}

#[test]
fn root_that_no_unit_defines() {
    let flag = "-fbothways-root=begin";
    check(
        &[("a.c", PLAIN)],
        &["cc", flag, "a.c", "-o", "a"],
        &["a.c", "`begin`"],
    );
}

/// The program that Debian's makefile for bzip2 makes found the system's library in place of the one that was made beside it: nothing
/// that its model has of the library ever ran, and what was refuted rested on it. Now its own is found, if that is still there.
#[test]
fn another_library_than_the_one_that_was_linked() {
    let files = [
        ("lib.c", "int judged(int c) { return c == 'j'; }\n"),
        (
            "a.c",
            "#include <stdio.h>\nint judged(int);\nint main(void) { return judged(getchar()) ? 1 : 0; }\n",
        ),
    ];
    let dir = tempfile::tempdir().expect("a temporary folder");
    for (name, text) in files {
        fs::write(dir.path().join(name), text).expect("writes");
    }
    let ran = |args: &[&str]| {
        let output = e2e::run(dir.path(), args);
        assert_eq!(output.status.code(), Some(0), "{}", shown(&output));
        output
    };
    fs::create_dir(dir.path().join("own")).expect("a folder");
    ran(&["cc", "-shared", "-fPIC", "lib.c", "-o", "own/libj.so"]);
    ran(&["cc", "a.c", "-Lown", "-lj", "-o", "prog"]);
    let test = ["test", "./prog", "--stdin", "1", "-q", "--json"];
    let report: Value = serde_json::from_slice(&ran(&test).stdout).expect("an object");
    assert_eq!(report["goals"]["open"], 0, "{report}");
    let foreign = ["-shared", "-fPIC", "lib.c", "-o", "libj.so"];
    let made = std::process::Command::new("clang-19")
        .args(foreign)
        .current_dir(dir.path())
        .status();
    assert!(made.is_ok_and(|status| status.success()));
    let first = format!("-Wl,-rpath,{}", dir.path().display());
    ran(&["cc", "a.c", "-Lown", "-lj", &first, "-o", "prog"]);
    let output = e2e::run(dir.path(), &test);
    let said = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(2), "{said}");
    assert!(
        said.contains("lib.c") && said.contains("LD_LIBRARY_PATH"),
        "{said}"
    );
}
