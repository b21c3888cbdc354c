//! `bothways reach`: each form of target, each verdict, what a change reads like, and what is no target.

use std::fs;
use std::path::Path;
use std::process::{Command, Output};

use e2e::{comment, root, run, shown, sources_in};
use serde_json::Value;

const SOURCE: &str = r#"#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
static int never(int x) { return x + 1; }
static int twice(int x) {
    if (x > 3 && x < 9)
        return x * 2;
    return x;
}
int open_one(int y) { return y - 1; }
int main(void) {
    int c = getchar();
    int d = 0;
    if (0) {
        d = 5;
        puts("x");
    }
    if (c == 'a') {
        d = 1;
    } else {
        d = 2;
    }
#if 0
    puts("never");
#endif
    assert(c != 'z');
    d = twice(d + c);
    if (c > 10 && c < 5)
        abort();
    return d;
}
"#;

/// Runs `bothways reach a.c` in a folder with these files.
fn reach_in(dir: &Path, args: &[&str]) -> Output {
    let words = ["reach", "a.c", "--stdin", "4", "-q", "-n", "50"];
    run(dir, &[&words, args].concat())
}

fn folder(source: &str) -> tempfile::TempDir {
    let dir = tempfile::tempdir().expect("a folder");
    fs::write(dir.path().join("a.c"), source).expect("writes");
    dir
}

/// The exit code, and what was said on both streams.
fn said(output: &Output) -> (Option<i32>, String) {
    let text = [&*output.stdout, &*output.stderr].concat();
    (
        output.status.code(),
        String::from_utf8_lossy(&text).into_owned(),
    )
}

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

/// What the linker may leave out is missing, and a pointer may lead out of the program: neither is unreachable. The assembly keeps the
/// machine away, whose runs would find an input before the proof.
#[test]
fn nothing_is_unreachable_for_what_is_outside_of_the_program() {
    const WEAK: &str = r"#include <stdio.h>
extern int missing(void) __attribute__((weak));
int main(void) {
    if (getchar() == 'x' && !missing)
        return 5;
    return 0;
}
";
    const POINTER: &str = r#"#include <stdio.h>
static int none(void) { return 0; }
static int (*get)(void) = none;
int main(int argc, char **argv) {
    (void)argv;
    if (argc > 3)
        __asm__ volatile("nop");
    if (argc < 5)
        get = getchar;
    int c = get();
    if (c == 'x')
        return 5;
    return 0;
}
"#;
    for (source, target) in [(WEAK, "a.c:5"), (POINTER, "a.c:12")] {
        for proofs in [&[][..], &["--no-proofs"]] {
            let dir = folder(source);
            let output = reach_in(dir.path(), &[&["--at", target, "--json"], proofs].concat());
            let answers: Value = serde_json::from_slice(&output.stdout).expect("JSON");
            let verdict = &answers["targets"][0]["verdict"];
            assert_eq!(verdict, "reached", "{answers}");
            assert!(!answers.to_string().contains("wrong proof"), "{answers}");
        }
    }
}

/// The verdict of one target backward, without the proofs before, and whether it holds for all inputs.
fn backward_says(source: &str, target: &str, more: &[&str]) -> (String, Value) {
    backward_within("20", source, target, more)
}

fn backward_within(seconds: &str, source: &str, target: &str, more: &[&str]) -> (String, Value) {
    let dir = folder(source);
    let mut args = vec![
        "--at",
        target,
        "--only",
        "backward",
        "--json",
        "--no-proofs",
    ];
    args.extend(["--time", seconds]);
    args.extend(more);
    let output = reach_in(dir.path(), &args);
    let answers: Value =
        serde_json::from_slice(&output.stdout).unwrap_or_else(|_| panic!("{}", shown(&output)));
    let target = &answers["targets"][0];
    let verdict = target["verdict"].as_str().unwrap_or("").to_owned();
    (verdict, target["certificate"].clone())
}

/// A handler may run at any time, but it writes what it writes: what no handler writes is followed as in other programs.
#[test]
fn what_no_handler_writes_is_known_in_a_program_with_handlers() {
    const SOURCE: &str = r#"#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
static volatile sig_atomic_t rung;
static int mode, told;
static void ring(int signal) {
    (void)signal;
    rung = 1;
    told = 7;
}
static void last(void) { puts("end"); }
int main(void) {
    signal(SIGALRM, ring);
    atexit(last);
    alarm(1);
    int c = getchar();
    if (c == 'm')
        mode = 1;
    told = 0;
    if (mode == 2)
        puts("no mode is 2");
    if (told == 7)
        puts("the bell rang just now");
    if (told == 8)
        puts("nobody tells 8");
    return 0;
}
"#;
    // The handler may stand in an object of the function, or come from elsewhere.
    let local = "struct sigaction act; act.sa_handler = ring; sigemptyset(&act.sa_mask); act.sa_flags = 0; sigaction(SIGALRM, &act, 0);";
    let copied = "static struct sigaction from = {.sa_handler = ring}; struct sigaction act = from; sigaction(SIGALRM, &act, 0);";
    for how in ["signal(SIGALRM, ring);", local, copied] {
        let source = SOURCE.replace("signal(SIGALRM, ring);", how);
        for (line, expected) in [(22, "unreachable"), (24, "unknown")] {
            let (verdict, certificate) = backward_says(&source, &format!("a.c:{line}"), &[]);
            assert_eq!(verdict, expected, "line {line}, {how}");
            if verdict == "unreachable" {
                assert_eq!(certificate["checked"], "yes", "{certificate}");
            }
        }
    }
    // A constructor has written before the start.
    let early = SOURCE.replace(
        "static void last(void)",
        "__attribute__((constructor)) static void first(void) { mode = 2; }\nstatic void last(void)",
    );
    let (verdict, _) = backward_says(&early, "a.c:23", &[]);
    assert_ne!(verdict, "unreachable");
    // A thread reads what others write between.
    let thread = r#"#include <pthread.h>
#include <stdio.h>
static int shared;
static void *other(void *given) {
    shared = 1;
    if (shared == 2)
        puts("the first wrote it");
    return given;
}
int main(void) {
    pthread_t thread;
    pthread_create(&thread, 0, other, 0);
    shared = 2;
    pthread_join(thread, 0);
    return 0;
}
"#;
    let (verdict, _) = backward_says(thread, "a.c:7", &["--cflags", "-pthread"]);
    assert_ne!(verdict, "unreachable");
}

/// The words that a program is called with say which options there are; where an input may be an option, any may be.
#[test]
fn options_that_nobody_gives_are_not_found() {
    const SOURCE: &str = r#"#include <getopt.h>
#include <stdio.h>
#include <string.h>
static const struct option names[] = {{"quiet", no_argument, NULL, 'q'}, {"mode", required_argument, NULL, 300}, {0, 0, 0, 0}};
static int quiet, mode;
static int next(int argc, char **argv) {
    return getopt_long(argc, argv, "ae:q", names, NULL);
}
int main(int argc, char **argv) {
    int c, all = 0;
    const char *text = "";
    while ((c = next(argc, argv)) != -1) {
        switch (c) {
        case 'a': all = 1; break;
        case 'e': text = optarg; break;
        case 'q': quiet = 1; break;
        case 300: mode = 1; break;
        default: return 2;
        }
    }
    if (optind < argc)
        text = argv[optind++];
    if (all)
        puts("all");
    if (quiet)
        puts("quiet");
    if (mode)
        puts("mode");
    return strcmp(text, "x") == 0;
}
"#;
    let fixed = ["--sym-arg", "3", "--", "-e", "@arg", "--qui"];
    for (line, unreachable) in [(24, true), (26, false), (28, true)] {
        let (verdict, certificate) = backward_says(SOURCE, &format!("a.c:{line}"), &fixed);
        assert_eq!(verdict == "unreachable", unreachable, "line {line}");
        if unreachable && certificate["checked"] != "yes" {
            assert_eq!(certificate["all_inputs"], false, "{certificate}");
        }
    }
    let open = ["--sym-arg", "3", "--", "@arg", "-e", "x"];
    for (source, args) in [
        (SOURCE.to_owned(), &open[..]),
        // The word is written to, or read again.
        (
            SOURCE.replace("int c, all = 0;", "int c, all = 0; argv[1][1] = 'a';"),
            &fixed,
        ),
        (
            SOURCE.replace("int c, all = 0;", "int c, all = 0; argv[1] = \"-a\";"),
            &fixed,
        ),
        (
            SOURCE.replace("int c, all = 0;", "int c, all = 0; optind = 2;"),
            &fixed,
        ),
    ] {
        // A proof takes less than a second where there is one.
        let (verdict, _) = backward_within("6", &source, "a.c:24", args);
        assert_ne!(verdict, "unreachable", "{source}");
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

#[test]
fn what_keeps_a_target_away_is_named() {
    let source = r"#include <stdio.h>
static unsigned mix(unsigned x) {
    for (int i = 0; i < 9; i++)
        x = (x ^ x >> 7) * 0x9e3779b1u;
    return x;
}
int main(void) {
    unsigned x = 0;
    if (fread(&x, 1, 4, stdin) != 4)
        return 1;
    if (mix(x) == 0x1234abcdu)
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
        (Some(11), Some("mix(x) == 0x1234abcdu")),
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

const BEFORE: &str = r"#include <stdio.h>
int main(void) {
    int c = getchar();
    if (c == 'x')
        return 1;
    return 0;
}
";

const AFTER: &str = r"#include <stdio.h>
int main(void) {
    int c = getchar();
    // Letters and digits
    if (c == 'x')
        return 3;
    if (c > 90 && c < 40)
        return 2;
    return 0;
}
";

const DIFF: &str = "\
--- a/a.c
+++ b/a.c
@@ -1,7 +1,10 @@
 #include <stdio.h>
 int main(void) {
     int c = getchar();
+    // Letters and digits
     if (c == 'x')
-        return 1;
+        return 3;
+    if (c > 90 && c < 40)
+        return 2;
     return 0;
 }
--- a/NEWS
+++ b/NEWS
@@ -0,0 +1 @@
+x
";

#[test]
fn a_change_reads_as_a_review() {
    let dir = folder(AFTER);
    let path = dir.path();
    fs::write(path.join("fix.diff"), DIFF).expect("writes");
    let (code, text) = said(&reach_in(path, &["--diff", "fix.diff"]));
    assert_eq!(code, Some(0), "{text}");
    let summary = "2 of 3 changed lines covered, 1 proved unreachable";
    let rest = "left out: 1 changed line without code, and NEWS, which is no source of the program";
    assert!(text.contains(summary) && text.contains(rest), "{text}");
    assert!(
        text.contains("a.c:8  unreachable  7:19 is never true"),
        "{text}"
    );

    for (source, expected) in [
        (BEFORE, "it is not applied yet"),
        (SOURCE, "the hunk in line 3 of the diff does not apply"),
    ] {
        fs::write(path.join("a.c"), source).expect("writes");
        let (code, text) = said(&reach_in(path, &["--diff", "fix.diff"]));
        assert_eq!(code, Some(2), "{text}");
        assert!(text.contains(expected), "{text}");
    }
}

/// Packages write their own name in front, and a file of the same name may stand in another folder.
#[test]
fn leading_folders_of_a_change_are_taken_off() {
    let dir = folder(AFTER);
    let path = dir.path();
    let other = "--- pkg.orig/tests/a.c\n+++ pkg/tests/a.c\n@@ -1 +1 @@\n-old\n+new\n";
    let own = DIFF.replace("a/a.c", "pkg.orig/src/a.c");
    let own = own.replace("b/a.c", "pkg/src/a.c");
    fs::write(path.join("fix.diff"), other.to_owned() + &own).expect("writes");
    let (code, text) = said(&reach_in(path, &["--diff", "fix.diff"]));
    assert_eq!(code, Some(0), "{text}");
    let summary = "2 of 3 changed lines covered, 1 proved unreachable";
    let rest = "pkg/tests/a.c, NEWS, which are no sources of the program";
    assert!(text.contains(summary) && text.contains(rest), "{text}");
    assert!(
        text.contains("a.c:8  unreachable  7:19 is never true"),
        "{text}"
    );
}

#[test]
fn a_change_may_be_a_git_revision() {
    let dir = folder(BEFORE);
    let git = |args: &[&str]| {
        let mut git = Command::new("git");
        git.current_dir(dir.path()).args(args);
        for who in ["AUTHOR", "COMMITTER"] {
            git.env(format!("GIT_{who}_NAME"), "a");
            git.env(format!("GIT_{who}_EMAIL"), "a@b");
        }
        git.output().is_ok_and(|output| output.status.success())
    };
    for args in [
        &["init", "-q"][..],
        &["add", "a.c"],
        &["commit", "-q", "-m", "a"],
    ] {
        assert!(git(args), "git {args:?}");
    }
    fs::write(dir.path().join("a.c"), AFTER).expect("writes");
    let output = reach_in(dir.path(), &["--diff", "HEAD", "--json"]);
    assert_eq!(output.status.code(), Some(0), "{}", shown(&output));
    let answers: Value = serde_json::from_slice(&output.stdout).expect("JSON");
    assert_eq!(answers["counts"]["reached"], 2, "{answers}");
    assert_eq!(answers["change"]["without_code"], 1, "{answers}");
}

/// The programs of `bench/results/reach.md`: no target that can be reached is called unreachable, and no test reaches one that
/// cannot.
#[test]
fn no_verdict_is_wrong() {
    if !e2e::long() {
        return;
    }
    let programs = sources_in("tests/reach");
    assert!(programs.len() > 30);
    for (name, path) in programs {
        let text = fs::read_to_string(&path).expect("reads");
        let targets = marked(&text);
        assert!(!targets.is_empty(), "{name}");
        let dir = tempfile::tempdir().expect("a folder");
        let source = path.display().to_string();
        let mut args = vec!["reach", &source, "-q", "--json", "-n", "200"];
        args.extend(comment(&text, "args").unwrap_or("").split_whitespace());
        let at: Vec<String> = targets
            .iter()
            .map(|(line, _)| format!("{name}.c:{line}"))
            .collect();
        args.extend(at.iter().flat_map(|at| ["--at", at]));
        let output = run(dir.path(), &args);
        let answers: Value = serde_json::from_slice(&output.stdout)
            .unwrap_or_else(|_| panic!("{name}: {}", shown(&output)));
        for (at, (line, truth)) in targets.iter().enumerate() {
            let verdict = answers["targets"][at]["verdict"].as_str();
            let wrong = if *truth { "unreachable" } else { "reached" };
            assert_ne!(verdict, Some(wrong), "{name}:{line}");
        }
    }
}

/// Lines with `// target:`, and whether an input reaches them.
fn marked(text: &str) -> Vec<(usize, bool)> {
    let lines = (1..).zip(text.lines());
    let marked = lines.filter_map(|(number, line)| {
        let truth = line.split_once("// target: ")?.1;
        Some((number, truth == "reachable"))
    });
    marked.collect()
}

#[test]
fn the_programs_of_the_figures_say_what_is_true_of_them() {
    for (name, path) in sources_in("tests/reach") {
        let text = fs::read_to_string(root().join(path)).expect("reads");
        assert!(!marked(&text).is_empty(), "{name}");
        for line in text.lines().filter(|line| line.contains("// target")) {
            let known = ["// target: reachable", "// target: unreachable"];
            assert!(
                known.iter().any(|known| line.ends_with(known)),
                "{name}: {line}"
            );
        }
    }
}

/// The programs that the paper's Table 1 is re-made with: backward alone, without the proofs before it, each target has its verdict.
#[test]
fn backward_alone_decides_the_papers_targets() {
    let programs = sources_in("tests/reach");
    let programs = programs.iter().filter(|(name, _)| name.starts_with("t1_"));
    for (name, path) in programs {
        let text = fs::read_to_string(path).expect("reads");
        let dir = tempfile::tempdir().expect("a folder");
        let source = path.display().to_string();
        let mut args = vec![
            "reach",
            &source,
            "-q",
            "--json",
            "--only",
            "backward",
            "--no-proofs",
        ];
        let at: Vec<String> = marked(&text)
            .iter()
            .map(|(line, _)| format!("{name}.c:{line}"))
            .collect();
        args.extend(at.iter().flat_map(|at| ["--at", at]));
        args.extend(comment(&text, "args").unwrap_or("").split_whitespace());
        let output = run(dir.path(), &args);
        assert_eq!(output.status.code(), Some(0), "{name}: {}", shown(&output));
        let answers: Value = serde_json::from_slice(&output.stdout).expect("JSON");
        for (at, (line, truth)) in marked(&text).iter().enumerate() {
            let target = &answers["targets"][at];
            let expected = match truth {
                true => ("reached", Value::Null),
                false => ("unreachable", Value::from("backward")),
            };
            let found = (
                target["verdict"].as_str().unwrap_or(""),
                target["certificate"]["kind"].clone(),
            );
            assert_eq!(found, expected, "{name}:{line}");
        }
    }
}

/// Every line of programs that none of it was written for is a target: what is called unreachable backward is reached by no test.
#[test]
fn nothing_that_a_test_reaches_is_unreachable_backward() {
    for (name, path) in sources_in("tests/programs") {
        if !e2e::long() && !e2e::one_in(16, &name) {
            continue;
        }
        let text = fs::read_to_string(&path).expect("reads");
        let dir = tempfile::tempdir().expect("a folder");
        let lines: Vec<&str> = text.lines().collect();
        let mut diff = format!(
            "--- /dev/null\n+++ b/{name}.c\n@@ -0,0 +1,{} @@\n",
            lines.len()
        );
        for line in lines {
            diff.push_str(&format!("+{line}\n"));
        }
        fs::write(dir.path().join("all.diff"), diff).expect("writes");
        let source = path.display().to_string();
        let mut args = vec![
            "reach",
            &source,
            "-q",
            "--json",
            "--no-proofs",
            "-t",
            "4s",
            "-n",
            "100",
            "--diff",
            "all.diff",
        ];
        args.extend(comment(&text, "args").unwrap_or("").split_whitespace());
        let output = run(dir.path(), &args);
        assert!(
            matches!(output.status.code(), Some(0 | 1)),
            "{name}: {}",
            shown(&output)
        );
        let said = String::from_utf8_lossy(&output.stdout);
        assert!(!said.contains("wrong proof"), "{name}: {said}");
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

/// The words of the command line are part of a certificate that rests on them, and the checker reads them.
#[test]
fn a_proof_by_the_words_of_the_command_line_is_checked() {
    let source = "#include <stdio.h>
#include <unistd.h>
int main(int argc, char **argv) {
    int option;
    while ((option = getopt(argc, argv, \"ae:\")) != -1)
        if (option == 'a')
            puts(\"all\");
    return 0;
}
";
    let dir = folder(source);
    let args = "--only backward --no-proofs --at a.c:7 --sym-arg 4 --json -o out -- -e @arg";
    let args: Vec<&str> = args.split(' ').collect();
    let output = reach_in(dir.path(), &args);
    let answer: Value = serde_json::from_slice(&output.stdout).expect("JSON");
    let target = &answer["targets"][0];
    assert_eq!(target["verdict"], "unreachable", "{answer}");
    assert_eq!(target["certificate"]["checked"], "yes", "{answer}");
    assert_eq!(target["certificate"]["all_inputs"], false, "{answer}");
    let output = run(dir.path(), &["check", "out"]);
    assert!(output.status.success(), "{}", shown(&output));
    let path = dir.path().join("out/certificates/certificates.json");
    let text = fs::read_to_string(&path).expect("the certificates");
    assert!(text.contains("\"-e\""), "{text}");
}
