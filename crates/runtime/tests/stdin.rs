//! Symbolic standard input: what each function reads has the label of its position, and what the length decided is recorded.

mod harness;

use harness::{Engine, Options, driver};
use std::path::Path;
use wire::segment::exit;

/// One run with an input of up to 64 bytes: the recorded events, then the exit status and the positions used.
fn check(program: &Path, mode: &str, stdin: &str, want: &[&str], status: u32, used: u32) {
    let engine = Engine::start(
        program,
        &[mode],
        Options {
            stdin: Some((0, 64)),
            ..Options::default()
        },
    );
    let report = engine.run(&[], stdin.as_bytes());
    assert_eq!(report.text(), want, "mode {mode} {stdin:?}");
    assert_eq!(report.exit, (exit::EXITED, status), "mode {mode} {stdin:?}");
    assert_eq!(report.stream_used, used, "mode {mode} {stdin:?}");
}

#[test]
fn each_reading_function() {
    let program = driver("reading");
    let short = ["constraint 2: not(ult(0x0, length))"];
    check(
        &program,
        "r",
        "",
        &[
            "constraint 2: not(ult(0x3, length))",
            "constraint 2: not(ult(0x1, length))",
            "constraint 2: not(ult(0x0, length))",
        ],
        1,
        1,
    );
    check(
        &program,
        "r",
        "ab",
        &[
            "constraint 2: not(ult(0x3, length))",
            "constraint 2: ult(0x1, length)",
            "constraint 2: not(ult(0x2, length))",
            "edge 120 if eq(s0, 0x78)",
        ],
        1,
        3,
    );
    check(
        &program,
        "r",
        "xbcde",
        &[
            "constraint 2: ult(0x3, length)",
            "edge 121 if eq(s0, 0x78)",
            "constraint 2: not(ult(0x7, length))",
            "constraint 2: not(ult(0x5, length))",
            "constraint 2: ult(0x4, length)",
        ],
        0,
        6,
    );
    check(
        &program,
        "f",
        "abcdefg",
        &["constraint 2: ult(0x5, length)"],
        3,
        6,
    );
    check(&program, "g", "", &short, 1, 1);
    check(
        &program,
        "g",
        "ay",
        &[
            "constraint 2: ult(0x0, length)",
            "constraint 2: not(eq(s0, 0xa))",
            "constraint 2: ult(0x1, length)",
            "constraint 2: not(eq(s1, 0xa))",
            "constraint 2: not(ult(0x2, length))",
            "edge 122 if eq(s1, 0x79)",
        ],
        1,
        3,
    );
    check(
        &program,
        "c",
        "ab",
        &[
            "constraint 2: ult(0x0, length)",
            "edge 98 if eq(s0, 0x61)",
            "constraint 2: ult(0x1, length)",
            "edge 99 if eq(s1, 0x62)",
            "edge 99 if eq(s1, 0x63)",
        ],
        0,
        2,
    );
}

#[test]
fn lines_of_any_length() {
    let program = driver("reading");
    check(
        &program,
        "l",
        "z\nq",
        &[
            "constraint 2: ult(0x0, length)",
            "constraint 2: not(eq(s0, 0xa))",
            "constraint 2: ult(0x1, length)",
            "constraint 2: eq(s1, 0xa)",
            "edge 123 if eq(s0, 0x7a)",
        ],
        2,
        2,
    );
    check(
        &program,
        "l",
        "",
        &["constraint 2: not(ult(0x0, length))"],
        255,
        1,
    );
}

#[test]
fn what_other_functions_read_is_a_loss() {
    let program = driver("reading");
    let engine = Engine::start(
        &program,
        &["s"],
        Options {
            stdin: Some((0, 64)),
            ..Options::default()
        },
    );
    let report = engine.run(&[], b"17d");
    assert_eq!(
        report.text(),
        ["constraint 2: ult(0x2, length)", "edge 101 if eq(s2, 0x64)"]
    );
    assert_eq!(report.exit, (exit::EXITED, 17));
    assert_eq!(report.losses, [(u32::MAX, 1, 1)]);
}
