//! Campaigns in folders: killed and resumed, started from earlier tests, seen while they run, merged; and stores that cannot be used.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;
use std::process::{Child, Command, Output, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

use e2e::{bothways, long, run, shown};
use serde_json::Value;
use store::{Reader, StoredTest};

/// At most 257 paths; one side is infeasible, one input crashes.
const WORDS: &str = r#"
#include <unistd.h>
static char text[8];
int main(void) {
    long size = read(0, text, sizeof text);
    if (size < 8) return 9;
    int words = 0;
    for (int i = 0; i < 8; i++)
        if (text[i] == "bothways"[i]) words++;
    switch (words) {
    case 0: return 0;
    case 2: return 2;
    case 4: return 4;
    case 6: return 6;
    case 7: return 7;
    case 8: __builtin_trap();
    }
    if (words > 8) return 8;
    return 10;
}
"#;

/// It never comes to an end.
const ENDLESS: &str = "#include <unistd.h>\nint main(void) { char c; unsigned n = 0;\n\
     while (read(0, &c, 1) == 1) { n = n * 31 + c; if (c == 'a') n++; }\n\
     return n * n == 7 ? 1 : 0; }\n";

/// Whether its last side can be taken is found out by nobody in a minute.
const HASHED: &str = r#"
#include <stdint.h>
#include <unistd.h>
int main(void) {
    char text[8];
    uint64_t hash = 0xcbf29ce484222325;
    long size = read(0, text, sizeof text);
    for (int round = 0; round < 9; round++)
        for (long i = 0; i < size; i++) hash = (hash ^ text[i]) * 0x100000001b3, hash ^= hash >> 29;
    if (hash == 0x0123456789abcdef) return 1;
    return 0;
}
"#;

const BUDGET: &str = "1000";

fn folder(source: &str) -> tempfile::TempDir {
    let dir = tempfile::tempdir().expect("a folder");
    fs::write(dir.path().join("a.c"), source).expect("written");
    dir
}

/// Runs a command that must come to a good end, with `--json`; its object.
fn object(dir: &Path, args: &[&str]) -> Value {
    let output = run(dir, &[args, &["--json"]].concat());
    assert_eq!(output.status.code(), Some(0), "{}", shown(&output));
    serde_json::from_slice(&output.stdout).unwrap_or_default()
}

/// The words of a command that must fail with exit code 2.
fn refused(dir: &Path, args: &[&str]) -> String {
    let output = run(dir, args);
    assert_eq!(output.status.code(), Some(2), "{}", shown(&output));
    String::from_utf8_lossy(&output.stderr).into_owned()
}

fn stored(suite: &Path) -> Vec<StoredTest> {
    Reader::open(suite)
        .and_then(|reader| reader.tests())
        .expect("a store that can be read")
}

fn keys(suite: &Path) -> BTreeSet<String> {
    stored(suite).into_iter().map(|test| test.key).collect()
}

/// A test without what is said of it.
fn inputs(text: &str) -> Vec<&str> {
    text.lines().filter(|line| !line.starts_with('#')).collect()
}

/// What a report says is covered and infeasible.
fn counts(report: &Value) -> [u64; 3] {
    let number = |name: &str| report["goals"][name].as_u64().expect("a number");
    assert_eq!(
        report["judge"]["differences"],
        serde_json::json!([]),
        "{report}"
    );
    [number("total"), number("covered"), number("infeasible")]
}

fn started(dir: &Path, args: &[&str]) -> Child {
    let command = Command::new(bothways())
        .args(args)
        .current_dir(dir)
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn();
    command.expect("it starts")
}

/// Waits until something holds; a guard against waiting for ever.
fn until(mut holds: impl FnMut() -> bool) {
    let began = Instant::now();
    while !holds() {
        assert!(began.elapsed() < Duration::from_secs(900), "in vain");
        sleep(Duration::from_millis(5));
    }
}

/// Kills a campaign. What it was about to start may hold its lock for some moments.
fn killed(mut child: Child, suite: &Path) {
    child.kill().expect("killed, or over");
    child.wait().expect("it ends");
    until(|| store::Lock::holder(suite).is_none());
}

/// The program of [`WORDS`] and the command that searches it, in `suite`.
const TEST: &[&str] = &[
    "test", "program", "--stdin", "8", "-n", BUDGET, "-t", "1h", "-q",
];

/// Sends a signal of a fault.
fn provoke(child: &Child, signal: &str) {
    // The shell's own `kill`: a small Debian has no other.
    let kill = format!("kill -{signal} {}", child.id());
    let sent = Command::new("sh").args(["-c", &kill]).status();
    assert!(sent.expect("there is a shell").success());
}

/// Runs that the campaign in a folder says it has made, if there is one.
fn runs(suite: &Path) -> Option<u64> {
    Some(Reader::open(suite).ok()?.last().ok()??.figures.runs)
}

/// A campaign with faults, each so long after it has made runs since the last: what it said, and its exit code.
fn with_faults(dir: &Path, args: &[&str], (signals, late): (&[&str], Duration)) -> Output {
    let temporary = dir.join("temporary");
    fs::create_dir(&temporary).expect("made");
    let mut child = Command::new(bothways())
        .args([args, &["-o", "suite", "--json"]].concat())
        .current_dir(dir)
        .env("TMPDIR", &temporary)
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("it starts");
    let mut made = 0;
    for signal in signals {
        until(|| {
            let now = runs(&dir.join("suite"));
            let is_over = child.try_wait().is_ok_and(|end| end.is_some());
            is_over || now.is_some_and(|now| now > made)
        });
        let Some(now) = runs(&dir.join("suite")) else {
            break;
        };
        made = now;
        sleep(late);
        provoke(&child, signal);
    }
    let output = child.wait_with_output().expect("it ends");
    let left = fs::read_dir(&temporary).expect("a folder").count();
    assert_eq!(left, 0, "{}", shown(&output));
    output
}

#[test]
fn a_fault_of_ours_does_not_end_a_campaign() {
    let dir = folder(HASHED);
    let test = ["test", "a.c", "--stdin", "8", "-t", "8s", "-q"];
    // What is left of its budget is less than that by more than a hard query takes to end.
    let late = Duration::from_secs(3);
    let output = with_faults(dir.path(), &test, (&["ABRT"], late));
    assert_eq!(output.status.code(), Some(0), "{}", shown(&output));
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(said.contains("this is a fault of bothways"), "{said}");
    assert!(said.contains("SIGABRT"), "{said}");
    assert!(said.contains("fault 1 of at most 3"), "{said}");
    let report = e2e::json(&output);
    counts(&report);
    assert_eq!(report["stopped_by"], "time", "{report}");
    let seconds = report["seconds"].as_f64().expect("a number");
    assert!(seconds < 8.0, "the rest of its budget: {seconds}");
}

#[test]
fn after_three_faults_what_was_found_is_reported() {
    let dir = folder(HASHED);
    let test = ["test", "a.c", "--stdin", "8", "-t", "1h", "-q"];
    let output = with_faults(
        dir.path(),
        &test,
        (&["SEGV", "ABRT", "BUS"], Duration::ZERO),
    );
    assert_eq!(output.status.code(), Some(0), "{}", shown(&output));
    let report = e2e::json(&output);
    let [_, covered, _] = counts(&report);
    assert!(covered >= 5, "{report}");
    assert_eq!(report["stopped_by"], "iterations", "{report}");
}

#[test]
fn a_fault_before_anything_is_stored_ends_the_command() {
    let dir = folder(WORDS);
    // It builds for longer than it takes to send a signal.
    let child = Command::new(bothways())
        .args(["test", "a.c", "-q"])
        .current_dir(dir.path())
        .stderr(Stdio::piped())
        .spawn()
        .expect("it starts");
    until(|| has_handlers(&child));
    provoke(&child, "SEGV");
    let output = child.wait_with_output().expect("it ends");
    assert_eq!(output.status.code(), Some(3), "{}", shown(&output));
    assert!(shown(&output).contains("SIGSEGV"), "{}", shown(&output));
}

/// The number of SIGABRT.
const ABORT: u32 = 6;

/// Does it catch SIGABRT? Until it does, the system's default would end it.
fn has_handlers(child: &Child) -> bool {
    let status = fs::read_to_string(format!("/proc/{}/status", child.id())).expect("it runs");
    let caught = status.lines().find_map(|line| line.strip_prefix("SigCgt:"));
    let caught = caught.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok());
    caught.is_some_and(|mask| mask >> (ABORT - 1) & 1 == 1)
}

#[test]
fn killed_at_any_moment_nothing_found_is_lost() {
    let dir = folder(WORDS);
    let built = run(dir.path(), &["cc", "a.c", "-o", "program"]);
    assert!(built.status.success(), "{}", shown(&built));
    let whole = counts(&object(
        dir.path(),
        &[TEST, &["-o", "undisturbed"]].concat(),
    ));
    let suite = dir.path().join("suite");
    let mut before = BTreeSet::new();
    let mut pause = 1u64;
    let first = [TEST, &["-o", "suite"]].concat();
    for kill in 0..if long() { 200 } else { 5 } {
        let args = if suite.join(store::FILE_NAME).exists() {
            &["resume", "suite", "-q"][..]
        } else {
            &first
        };
        let mut child = started(dir.path(), args);
        until(|| {
            suite.join(store::FILE_NAME).exists() || child.try_wait().is_ok_and(|end| end.is_some())
        });
        // Any moment will do: the next number of a simple sequence.
        pause = pause
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1);
        sleep(Duration::from_millis((pause >> 33) % 700));
        killed(child, &suite);
        let now = keys(&suite);
        assert!(before.is_subset(&now), "kill {kill}: {before:?} {now:?}");
        for file in fs::read_dir(suite.join("tests")).into_iter().flatten() {
            let text = fs::read_to_string(file.expect("a file").path()).expect("whole");
            let is_stored = |test: &StoredTest| inputs(&test.text) == inputs(&text);
            assert!(stored(&suite).iter().any(is_stored), "kill {kill}: {text}");
        }
        before = now;
    }
    let status = object(dir.path(), &["status", "suite"]);
    assert_eq!(status["process"], Value::Null, "{status}");
    object(dir.path(), &["resume", "suite", "-q", "-n", BUDGET]);
    assert!(before.is_subset(&keys(&suite)));
    let report = object(dir.path(), &["resume", "suite", "-q", "-n", BUDGET]);
    assert_eq!(counts(&report), whole);
    let replayed = run(dir.path(), &["replay", "suite"]);
    assert_eq!(replayed.status.code(), Some(0), "{}", shown(&replayed));
    let status = object(dir.path(), &["status", "suite"]);
    assert_eq!(status["goals"]["open"], 0, "{status}");
    assert_eq!(status["failing"].as_u64().map(|all| all > 0), Some(true));
}

#[test]
fn a_campaign_goes_on_with_the_rest_of_its_runs() {
    let dir = folder(WORDS);
    let test = ["test", "a.c", "--stdin", "8", "-n", "9", "-q"];
    let first = object(dir.path(), &test);
    assert_eq!(first["iterations"], 9, "{first}");
    let covered = counts(&first)[1];
    let again = run(dir.path(), &["resume"]);
    assert_eq!(again.status.code(), Some(0), "{}", shown(&again));
    assert!(shown(&again).contains("is over (stopped by: iterations)"));
    let more = object(dir.path(), &["resume", "-n", "600"]);
    assert!(counts(&more)[1] > covered, "{more}");
    let tests = keys(&dir.path().join("bothways-out"));
    // Another command on the same program starts from them; one that starts anew, and one of another program, do not.
    let other = object(dir.path(), &[&test[..], &["--seed", "7"]].concat());
    assert!(counts(&other)[1] > covered, "{other}");
    assert!(tests.is_subset(&keys(&dir.path().join("bothways-out"))));
    let fresh = object(dir.path(), &[&test[..], &["--fresh"]].concat());
    assert_eq!(counts(&fresh), counts(&first));
    let suite = |report: &Value| report["tests"].clone();
    assert_eq!(suite(&fresh), suite(&first));
}

#[test]
fn after_an_edit_tests_are_run_again_and_proofs_are_made_anew() {
    let dir = folder(WORDS);
    let test = ["test", "a.c", "--stdin", "8", "-n", "600", "-q"];
    let first = counts(&object(dir.path(), &test));
    assert_eq!((first[0], first[1] + first[2]), (first[0], first[0]));
    // What was infeasible is not any more; only that is new.
    let edited = WORDS.replace("if (words > 8)", "if (words > 2)");
    fs::write(dir.path().join("a.c"), edited).expect("written");
    let again = object(dir.path(), &test);
    assert_eq!(counts(&again), [first[0], first[0], 0], "{again}");
}

/// After an edit of one function, another whose search had its whole budget is not searched again: its tests are run, and its goals
/// stay open. A command that is given once more without an edit goes on everywhere.
#[test]
fn after_an_edit_only_functions_that_changed_are_searched() {
    const HARD: &str = "unsigned mix(unsigned n) { for (int i = 0; i < 40; i++) n = (n ^ n >> 7) * (n | 1) + i; return n; }\n\
         int hard(unsigned n) { if (mix(n) == 77u) return 1; if (n == 5) return 2; return 0; }\n";
    const EASY: &str = "int easy(int n) { if (n == 1234) return 1; return 0; }\n";
    let dir = folder(&format!("{HARD}{EASY}"));
    let few = "100"; // the hash is no question that the solver answers
    let test = [
        "test",
        "a.c",
        "--all-functions",
        "-n",
        "40",
        "--solver-budget",
        few,
        "-q",
    ];
    let runs = |report: &Value, name: &str| {
        let one = report.as_array().expect("a list").iter();
        let one = one.filter(|one| one["functions"][0]["name"] == name);
        let runs: Vec<u64> = one.filter_map(|one| one["iterations"].as_u64()).collect();
        assert_eq!(runs.len(), 1, "{name}: {report}");
        runs[0]
    };
    let first = object(dir.path(), &test);
    assert_eq!(runs(&first, "hard"), 40, "{first}");
    let again = object(dir.path(), &test);
    assert_eq!(runs(&again, "hard"), 40, "{again}");
    // In front of it, so that all its lines move, and its calls stay.
    let edited = format!("{}{HARD}", EASY.replace("1234", "5678"));
    fs::write(dir.path().join("a.c"), edited).expect("written");
    let after = object(dir.path(), &test);
    assert!(runs(&after, "hard") < 12, "{after}");
    let of_hard = |report: &Value| {
        let all = report.as_array().expect("a list").iter();
        let own = all.filter(|one| one["functions"][0]["name"] == "hard");
        own.map(counts).next()
    };
    assert_eq!(of_hard(&after), of_hard(&again), "{after}");
    // What it calls has changed.
    let edited = format!("{}{}", EASY, HARD.replace("i < 40", "i < 39"));
    fs::write(dir.path().join("a.c"), edited).expect("written");
    let last = object(dir.path(), &test);
    assert_eq!(runs(&last, "hard"), 40, "{last}");
}

/// The search runs what is left of a test that has a file by another name, and the judge would run another test.
#[test]
fn tests_with_other_inputs_are_not_taken_over_as_they_are() {
    let source = "#include <stdio.h>
int main(int c, char **v) {
    FILE *f = fopen(v[1], \"r\");
    if (!f)
        return 2;
    return getc(f) == 'x' ? 1 : c - 2;
}
";
    let dir = folder(source);
    for file in ["one:2", "two:2"] {
        let words = ["test", "a.c", "--json", "-q", "-n", "20", "-o", "out"];
        let args = ["--sym-file", file, "--", "@file"];
        let output = run(dir.path(), &[&words[..], &args].concat());
        let report: Value = serde_json::from_slice(&output.stdout).expect("JSON");
        let differences = &report["judge"]["differences"];
        assert_eq!(differences, &Value::Array(Vec::new()), "{file}");
    }
}

#[test]
fn suites_of_one_program_are_merged() {
    let dir = folder(WORDS);
    let covered = |seed: &str, out: &str| {
        let args = [
            "test", "a.c", "--stdin", "8", "-n", "20", "-q", "--seed", seed, "-s", "pps", "-o", out,
        ];
        counts(&object(dir.path(), &args))[1]
    };
    let (one, two) = (covered("1", "one"), covered("2", "two"));
    let merged = object(dir.path(), &["merge", "one", "two", "-o", "both", "-q"]);
    assert!(counts(&merged)[1] >= one.max(two), "{merged}");
    let both = keys(&dir.path().join("both"));
    for part in ["one", "two"] {
        assert!(keys(&dir.path().join(part)).is_subset(&both), "{part}");
    }
    fs::write(dir.path().join("b.c"), WORDS).expect("written");
    object(
        dir.path(),
        &[
            "test", "b.c", "--stdin", "8", "-q", "-n", "5", "-o", "three",
        ],
    );
    let words = refused(dir.path(), &["merge", "one", "three", "-o", "none"]);
    assert!(
        words.contains("hold campaigns of different programs"),
        "{words}"
    );
    assert!(!dir.path().join("none").exists());
    let words = refused(dir.path(), &["merge", "one", "two", "-o", "two"]);
    assert!(words.contains("choose another with --out"), "{words}");
}

/// A text of functions that have different numbers of branches.
fn functions(count: usize) -> String {
    let one = |index: usize| {
        let tests: String = (0..=index)
            .map(|at| format!("if (n == {at}) return {at};"))
            .collect();
        format!("int f{index}(int n) {{ {tests} return -1; }}\n")
    };
    (0..count).map(one).collect()
}

#[test]
fn parts_of_functions_make_the_whole() {
    let dir = folder(&functions(2));
    let test = |more: &[&str]| {
        let args = ["test", "a.c", "--all-functions", "-n", "60", "-q"];
        object(dir.path(), &[&args, more].concat())
    };
    let whole = test(&["-o", "whole"]);
    let names = |report: &serde_json::Value| {
        let mut names: Vec<String> = { report.as_array().expect("a list") }
            .iter()
            .map(|one| one["functions"][0]["name"].to_string())
            .collect();
        names.sort();
        names
    };
    let mut parts = Vec::new();
    for (part, out) in [("1/3", "p1"), ("2/3", "p2"), ("3/3", "p3")] {
        let report = test(&["--shard", part, "-o", out]);
        let has_one = usize::from(part != "3/3");
        assert_eq!(names(&report).len(), has_one, "{report}");
        parts.extend(names(&report));
    }
    parts.sort();
    assert_eq!(parts, ["\"f0\"", "\"f1\""]);
    assert_eq!(parts, names(&whole));
    let merge = ["merge", "p3", "p2", "p1", "-o", "all", "-q"];
    let merged = object(dir.path(), &merge);
    assert_eq!(names(&merged), parts);
    let covered = |report: &serde_json::Value| {
        let counts = report.as_array().expect("a list").iter().map(|one| {
            let [_, covered, _] = counts(one);
            (one["functions"][0]["name"].to_string(), covered)
        });
        let mut counts: Vec<_> = counts.collect();
        counts.sort();
        counts
    };
    assert_eq!(covered(&merged), covered(&whole));
    // What goes on goes on with all.
    let status = run(dir.path(), &["status", "all"]);
    assert!(!shown(&status).contains("--shard"), "{}", shown(&status));
    let words = refused(
        dir.path(),
        &["test", "a.c", "--function", "f0", "--shard", "1/2"],
    );
    assert!(words.contains("--shard splits"), "{words}");
}

/// The lines of `docs/scaling.md`, with two parts.
#[test]
fn the_line_for_gnu_parallel_makes_the_whole() {
    if !e2e::long() {
        return;
    }
    if Command::new("parallel").arg("--version").output().is_err() {
        println!("parallel is not installed: its line is not tested");
        return;
    }
    let page = fs::read_to_string(e2e::root().join("docs/scaling.md")).expect("the page");
    let (_, rest) = page.split_once("## GNU parallel").expect("its section");
    let (_, rest) = rest.split_once("```sh\n").expect("its lines");
    let (lines, _) = rest.split_once("```").expect("their end");
    let others: String = (3..=8).map(|part| format!(" part{part}")).collect();
    let lines = lines
        .replace(&others, "")
        .replace("seq 8", "seq 2")
        .replace("{}/8", "{}/2");
    let dir = tempfile::tempdir().expect("a folder");
    fs::write(dir.path().join("parser.c"), functions(2)).expect("written");
    let path = std::env::var("PATH").unwrap_or_default();
    let own = bothways()
        .parent()
        .expect("its folder")
        .display()
        .to_string();
    let mut shell = Command::new("sh");
    shell.args(["-e", "-c", &lines]).current_dir(dir.path());
    let output = shell
        .env("PATH", format!("{own}:{path}"))
        .output()
        .expect("sh");
    assert!(output.status.success(), "{}", shown(&output));
    for function in ["f0", "f1"] {
        assert!(
            dir.path().join("whole").join(function).is_dir(),
            "{function}"
        );
    }
}

#[test]
fn parts_of_targets_make_the_whole() {
    let dir = folder(
        "#include <stdio.h>\nint main(void) {\nint c = getchar();\nif (c == 'x')\nputs(\"x\");\nif (c == 'y')\nputs(\"y\");\n\
                      if (c == 700)\nputs(\"never\");\nreturn 0; }\n",
    );
    let reach = |more: &[&str]| {
        let targets = ["--at", "a.c:5", "--at", "a.c:7", "--at", "a.c:9"];
        let args = [
            &["reach", "a.c", "--stdin", "1", "-n", "60"],
            &targets[..],
            more,
        ]
        .concat();
        object(dir.path(), &args)
    };
    let verdicts = |answers: &serde_json::Value| {
        let mut verdicts: Vec<String> = { answers["targets"].as_array().expect("a list") }
            .iter()
            .map(|one| format!("{} {}", one["target"], one["verdict"]))
            .collect();
        verdicts.sort();
        verdicts
    };
    let whole = verdicts(&reach(&["-o", "whole"]));
    let first = verdicts(&reach(&["--shard", "1/2", "-o", "p1"]));
    let second = verdicts(&reach(&["--shard", "2/2", "-o", "p2"]));
    assert_eq!((first.len(), second.len()), (2, 1));
    let mut both = [first, second].concat();
    both.sort();
    assert_eq!(both, whole);
    let merged = object(dir.path(), &["merge", "p1", "p2", "-o", "all"]);
    assert_eq!(verdicts(&merged), whole);
}

#[test]
fn every_function_goes_on_where_it_was() {
    let dir = folder(
        "int sign(int n) { if (n > 0) return 1; if (n < 0) return -1; return 0; }\n\
         int is_word(int n) { if (n == 123456) return 1; return 0; }\n",
    );
    let test = [
        "test",
        "a.c",
        "--all-functions",
        "-n",
        "50",
        "-q",
        "-o",
        "suite",
    ];
    let first = object(dir.path(), &test);
    assert_eq!(first.as_array().map(Vec::len), Some(2), "{first}");
    let status = object(dir.path(), &["status", "suite"]);
    assert_eq!(status["goals"]["open"], 0, "{status}");
    let again = object(dir.path(), &["resume", "suite", "-n", "50"]);
    for (one, other) in first
        .as_array()
        .into_iter()
        .flatten()
        .zip(again.as_array().expect("two"))
    {
        assert_eq!(counts(one), counts(other));
    }
}

/// Functions that were not begun are searched, and those that were keep what was found.
#[test]
fn a_killed_search_of_all_functions_goes_on() {
    let dir = folder(&format!("{}{HARD_MIX}", functions(3)));
    let test = [
        "test",
        "a.c",
        "--all-functions",
        "-t",
        "12",
        "-q",
        "-o",
        "suite",
    ];
    let suite = dir.path().join("suite");
    let child = started(dir.path(), &test);
    // `hard` is the one that does not end by itself; it has most branches, and comes last.
    until(|| {
        let stored = Reader::open(&suite.join("f2")).and_then(|reader| reader.tests());
        stored.is_ok_and(|tests| !tests.is_empty())
    });
    killed(child, &suite);
    let found = keys(&suite.join("f2"));
    let status = object(dir.path(), &["status", "suite"]);
    assert_eq!(status["stopped_by"], Value::Null, "{status}");
    let report = object(dir.path(), &["resume", "suite", "-q"]);
    let mut names: Vec<&str> = { report.as_array().into_iter().flatten() }
        .filter_map(|one| one["functions"][0]["name"].as_str())
        .collect();
    names.sort_unstable();
    assert_eq!(names, ["f0", "f1", "f2", "hard", "mix"]);
    let is_easy = |one: &&Value| one["functions"][0]["name"] != "hard";
    for one in report.as_array().into_iter().flatten().filter(is_easy) {
        let [total, covered, infeasible] = counts(one);
        assert_eq!(covered + infeasible, total, "{one}");
    }
    assert!(found.is_subset(&keys(&suite.join("f2"))));
    let status = object(dir.path(), &["status", "suite"]);
    assert!(status["stopped_by"].is_string(), "{status}");
}

const HARD_MIX: &str = "unsigned mix(unsigned n) { for (int i = 0; i < 40; i++) n = (n ^ n >> 7) * 2654435761u + i; return n; }\n\
     int hard(unsigned n) { if (mix(n) == 77u) return 1; if (n == 5) return 2; if (mix(n) == 78u) return 3; if (n == 9) return 4; return 0; }\n";

/// What was reached stays reached, and the rest of the time is for the others.
#[test]
fn a_killed_search_for_targets_goes_on() {
    let dir = folder(&format!(
        "#include <stdio.h>\n{HARD_MIX}int main(void) {{\nint c = getchar();\nif (c == 'x')\nputs(\"x\");\n\
         if (mix(c * 977u) == 77u)\nputs(\"hard\");\nreturn 0; }}\n"
    ));
    let reach = [
        "reach", "a.c", "--stdin", "1", "--at", "a.c:7", "--at", "a.c:9", "-t", "20", "-q", "-o",
        "suite",
    ];
    let suite = dir.path().join("suite");
    let child = started(dir.path(), &reach);
    until(|| {
        Reader::open(&suite).is_ok_and(|reader| reader.tests().is_ok_and(|all| !all.is_empty()))
    });
    killed(child, &suite);
    let found = keys(&suite);
    let output = run(dir.path(), &["resume", "suite", "--json"]);
    // The second target is not reached: 1, or 0 where it is proved that no input does.
    assert!(
        matches!(output.status.code(), Some(0 | 1)),
        "{}",
        shown(&output)
    );
    let answers: Value = serde_json::from_slice(&output.stdout).expect("JSON");
    assert_eq!(answers["targets"][0]["verdict"], "reached", "{answers}");
    assert_eq!(answers["targets"].as_array().map(Vec::len), Some(2));
    assert!(found.is_subset(&keys(&suite)));
}

#[test]
fn one_folder_has_one_campaign() {
    let dir = folder(ENDLESS);
    let test = ["test", "a.c", "--stdin", "4000", "-t", "1h", "-q"];
    let child = started(dir.path(), &test);
    let suite = dir.path().join("bothways-out");
    until(|| {
        Reader::open(&suite).is_ok_and(|reader| reader.last().is_ok_and(|last| last.is_some()))
    });
    let status = object(dir.path(), &["status"]);
    assert_eq!(status["process"], child.id(), "{status}");
    let use_of = format!(
        "bothways-out is in use by another bothways (process {})",
        child.id()
    );
    for args in [&test[..], &["resume"], &["test", "a.c", "--fresh"]] {
        let words = refused(dir.path(), args);
        assert!(words.contains(&use_of), "{words}");
    }
    killed(child, &suite);
    let status = run(dir.path(), &["status"]);
    assert!(shown(&status).contains("killed; `bothways resume bothways-out` goes on"));
}

#[test]
fn a_store_that_cannot_be_used_is_refused_and_left_as_it_is() {
    let dir = folder(WORDS);
    let test = ["test", "a.c", "--stdin", "8", "-n", "5", "-q"];
    object(dir.path(), &test);
    let file = dir.path().join("bothways-out").join(store::FILE_NAME);
    let whole = fs::read(&file).expect("a store");
    // In the file's header, where SQLite keeps the number that its user gives it.
    let mut newer = whole.clone();
    newer[60..64].copy_from_slice(&9u32.to_be_bytes());
    let bad = [
        (newer, "is a campaign store of version 9"),
        (whole[..whole.len() / 2].to_vec(), "is damaged ("),
        (Vec::new(), "is damaged ("),
    ];
    for (content, expected) in bad {
        fs::write(&file, &content).expect("written");
        for args in [&test[..], &["resume"], &["status"]] {
            let words = refused(dir.path(), args);
            assert!(words.contains(expected), "{args:?}: {words}");
        }
        assert_eq!(fs::read(&file).expect("it is there"), content);
    }
    assert!(
        dir.path()
            .join("bothways-out/tests/test-0001.test")
            .is_file()
    );
    object(dir.path(), &[&test[..], &["--fresh"]].concat());
    object(dir.path(), &["status"]);
    let words = refused(dir.path(), &["status", "nowhere"]);
    assert!(words.contains("nowhere holds no campaign"), "{words}");
}

/// make's `child_error`: every run ends where one side of a branch begins, which counts as covered all the same. A search that had all
/// else went on for all of its time.
#[test]
fn a_side_on_which_every_run_ends_is_not_waited_for() {
    const TEXT: &str = r#"
#include "bothways.h"
int main(void) {
    int x, sum = 0;
    bw_int(&x, "x");
    for (int n = 0; n < 40; n++) {
        int c;
        bw_int(&c, "c");
        if (c == 3) sum++;
    }
    int *at = x > 3 ? &x : 0;
    if (*at > 3) return sum;
    return 1;
}
"#;
    let dir = tempfile::tempdir().expect("a temporary folder");
    fs::write(dir.path().join("a.c"), TEXT).expect("writes");
    let args = "test a.c --iterations 20000 --no-proofs --quiet --json";
    let args: Vec<&str> = args.split(' ').collect();
    let output = run(dir.path(), &args);
    let report: Value = serde_json::from_slice(&output.stdout).expect("an object");
    assert_eq!(report["stopped_by"], "all-covered", "{report}");
    assert!(report["iterations"].as_u64() < Some(4000), "{report}");
    assert!(
        report["notes"].to_string().contains("a.c:12:9 false"),
        "{report}"
    );
}
