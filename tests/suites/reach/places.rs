//! What it means that a run reaches a place.

use std::path::Path;

use serde_json::Value;

use super::{folder, reach_in, said};

/// The end of the loop counts as often as the function is entered, so that a run that `stop` ended within it "reached" it.
#[test]
fn what_only_counts_is_not_reached() {
    let source = r"#include <stdio.h>
#include <stdlib.h>
static void stop(int status) { exit(status); }
int main(void) {
    int c, sum = 0;
    while ((c = getchar()) != KEY) {
        if (c < 'a')
            stop(1);
        sum += c;
    }
    return sum == 'b' ? 1 : 0;
}
";
    for target in ["branch:a.c:6:false", "a.c:11"] {
        for (key, reached, run) in [("'z'", true, 2), ("1000", false, 0)] {
            let dir = folder(&source.replace("KEY", key));
            is_reached_from(dir.path(), target, reached, run);
        }
    }
}

/// Code behind a call counts with what stands in front of it: a run that ends in the call, or jumps out of it, "reached" both.
#[test]
fn what_stands_behind_a_call_that_does_not_come_back_is_not_reached() {
    const HEAD: &str = r"#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
static jmp_buf env;
static void stop(int status) { exit(status); }
static void stop_if(int bad) { if (bad) stop(1); }
static void jump_if(int bad) { if (bad) longjmp(env, 1); }
static void (*volatile handler)(int) = stop_if;
static int look(int c) {
    CALL;
    puts(TARGET);
    return 1;
}
int main(void) {
    int c = getchar();
    if (setjmp(env))
        return 2;
    return look(c);
}
";
    let calls = [
        "stop_if(BAD)",
        "if (BAD) stop(1)",
        "jump_if(BAD)",
        "handler(BAD)",
        "stop_if(0); handler(BAD)",
        "for (int i = 0; i < 2; i++) c += i; stop_if(BAD)",
    ];
    for call in calls {
        for (bad, reached, run) in [("c < 'a'", true, 2), ("c < 1000", false, 0)] {
            let source = HEAD.replace("CALL", &call.replace("BAD", bad));
            for (line, target) in [("a.c:11", "\"\""), ("call:abort", "(abort(), \"\")")] {
                let dir = folder(&source.replace("TARGET", target));
                is_reached_from(dir.path(), line, reached, run);
            }
            // The call itself is reached by any run.
            let dir = folder(&source.replace("TARGET", "\"\""));
            is_reached_from(dir.path(), "a.c:10", true, 1);
        }
    }
}

/// A signal that the program raises calls its handler there: where that ends the run, what stands behind is not reached.
#[test]
fn what_stands_behind_a_signal_that_ends_the_run_is_not_reached() {
    const HEAD: &str = r"#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
static volatile int bad;
static void stop(int number) { (void)number; if (bad) exit(1); }
int main(void) {
    int c = getchar();
    signal(SIGUSR1, stop);
    bad = BAD;
    raise(SIGUSR1);
    puts(TARGET);
    return 1;
}
";
    for (bad, reached, run) in [("c < 'a'", true, 2), ("1", false, 0)] {
        let dir = folder(&HEAD.replace("BAD", bad).replace("TARGET", "\"\""));
        is_reached_from(dir.path(), "a.c:11", reached, run);
        // The signal itself is reached by any run.
        is_reached_from(dir.path(), "a.c:10", true, 1);
    }
}

/// A crash in front of a place in the same block counts for both: it is not reached. A crash at the place is.
#[test]
fn what_stands_behind_a_crash_is_not_reached() {
    const HEAD: &str = r"#include <stdio.h>
static int cell = 1;
static int *look(int c) { return BAD ? 0 : &cell; }
int main(void) {
    int c = getchar();
    int *p = look(c);
    int q = *p;
    cell = q / (c - 'x');
    putchar(cell);
    return 1;
}
";
    for (bad, target, reached, run) in [
        ("c < 'a'", "a.c:8", true, 2),
        ("c < 1000", "a.c:8", false, 0),
        ("c < 1000", "a.c:9", false, 0),
        ("c < 'a'", "a.c:9", true, 2),
        // The read itself is what any run comes to.
        ("c < 1000", "a.c:7", true, 1),
        // Where no run comes past the division, the one that crashes there came to it.
        ("c != 'x'", "a.c:8", true, 2),
        ("c != 'x'", "a.c:9", false, 0),
    ] {
        let dir = folder(&HEAD.replace("BAD", bad));
        is_reached_from(dir.path(), target, reached, run);
    }
}

/// Searches forward for a target: whether it is reached, and in which run at the earliest.
fn is_reached_from(dir: &Path, target: &str, reached: bool, run: u64) {
    let args = ["--at", target, "--only", "forward", "--json"];
    let output = reach_in(dir, &args);
    let answers: Value = serde_json::from_slice(&output.stdout).expect("JSON");
    let target = &answers["targets"][0];
    let found = target["run"].as_u64().unwrap_or(0);
    assert_eq!(target["verdict"] == "reached", reached, "{answers}");
    assert!(found >= run, "{answers}");
}

/// A macro that is a whole line is code of its own, and not of what stands around it (gcc's 20141022-1.c).
#[test]
fn a_line_of_a_macro_is_what_the_macro_is() {
    const SOURCE: &str = r#"#include <stdio.h>
#include <stdlib.h>
#define SAY(text) puts(text)
#define FAIL() do { SAY("no"); abort(); } while (0)
#define STOP() abort()
#define NEST(x) do { if (x) FAIL(); } while (0)
int main(void) {
    int c = getchar();
    if (COND)
        MACRO;
    return 0;
}
"#;
    for text in ["FAIL()", "STOP()", "NEST(c)"] {
        for (cond, reached, run) in [("c == 'q'", true, 2), ("c == 1000", false, 0)] {
            let dir = folder(&SOURCE.replace("COND", cond).replace("MACRO", text));
            for target in ["a.c:10", "abort", "call:abort"] {
                is_reached_from(dir.path(), target, reached, run);
            }
        }
    }
}

/// A report names a condition of a macro by its place in the macro's text: that stands for all the macro's uses.
#[test]
fn a_condition_of_a_macro_is_asked_in_the_text_of_the_macro() {
    let source = r"#include <stdio.h>
#define IS_SIGN(c) ((c) == '+' || (c) == '-')
int main(void) {
    int a = getchar(), b = getchar() & 1;
    if (IS_SIGN(a))
        return 1;
    if (IS_SIGN(b))
        return 2;
    return 0;
}
";
    let dir = folder(source);
    is_reached_from(dir.path(), "a.c:2:35:true", true, 2);
    is_reached_from(dir.path(), "a.c:5:9:true", true, 2);
    let output = reach_in(dir.path(), &["--at", "a.c:7:9:true", "--json"]);
    let answers: Value = serde_json::from_slice(&output.stdout).expect("JSON");
    assert_eq!(answers["targets"][0]["verdict"], "unreachable", "{answers}");
    let output = reach_in(dir.path(), &["--at", "a.c:2:30:true"]);
    assert_eq!(output.status.code(), Some(2), "{output:?}");
    assert!(
        String::from_utf8_lossy(&output.stderr).contains("columns 21, 35"),
        "{output:?}"
    );
}

/// Code behind a loop counts with what stands in front of the loop.
#[test]
fn a_line_behind_a_loop_is_told_by_the_ways_out() {
    let source = r"#include <stdio.h>
#include <stdlib.h>
static void stop(int status) { exit(status); }
int main(void) {
    int c, sum = 0, seen = 0;
    LOOP
    if (sum > 200)
        seen = 1;
    putchar(seen);
    return 0;
}
";
    let loops = [
        "while ((c = getchar()) != KEY) { if (c < 'a') stop(1); sum += c; }",
        "do { c = getchar(); if (c < 'a') stop(1); sum += c; } while (c != KEY);",
        "for (;;) { c = getchar(); if (c == KEY) break; if (c < 'a') stop(1); sum += c; }",
        "for (int i = 0; i < 2; i++) { c = getchar(); while (c != KEY) { if (c < 'a') stop(1); c = getchar(); } }",
    ];
    for body in loops {
        let source = source.replace("LOOP", body);
        for (key, reached, run) in [("'z'", true, 2), ("1000", false, 0)] {
            let dir = folder(&source.replace("KEY", key));
            is_reached_from(dir.path(), "a.c:9", reached, run);
        }
    }
}

/// The condition of an expression that has no branch is not that of the branch behind it.
#[test]
fn an_expression_without_a_branch_is_no_branch() {
    let source = "#include <stdio.h>
int main(void) {
    int c = getchar();
    int kind = c == 'k' ? 3 : 2;
    if ((c & 1) > 1)
        puts(\"never\");
    return kind;
}
";
    let dir = folder(source);
    let args = "--only backward --no-proofs --at a.c:4:16:true --at a.c:4:16:false --check";
    let args: Vec<&str> = args.split(' ').collect();
    let (code, text) = said(&reach_in(dir.path(), &args));
    assert!(!text.contains("wrong proof"), "{text}");
    assert!(text.contains("2 of 2 targets reached"), "{text}");
    assert_eq!(code, Some(0), "{text}");
}
