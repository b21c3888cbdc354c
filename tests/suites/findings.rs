//! Bugs found on the way: one finding for each cause, with a small test; sanitizers as a further oracle.

use std::fs;
use std::path::Path;

use e2e::{run, shown};
use serde_json::Value;

const BUGS: &str = r#"
#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
static void first(const char *text) {
    assert(text[2] != 'A');
}
static int over(const char *text, size_t n) {
    char *copy = malloc(n);
    memcpy(copy, text, n);
    int last = n > 3 && copy[0] == 'h' ? copy[n] : 0;
    free(copy);
    return last;
}
int main(void) {
    char line[16];
    int n = 100;
    while (fgets(line, sizeof line, stdin)) {
        if (line[0] == 'n')
            n += 2147483600;
        if (line[1] == 'a')
            first(line);
        if (line[1] == 'b')
            first(line + 1);
        if (line[0] == 'z')
            n += 10 / (line[1] - '0');
        if (line[0] == 'w')
            for (;;)
                pause();
        n ^= over(line, strlen(line));
    }
    return 0;
}
"#;

/// Runs `bothways test` on the program; the JSON object.
fn test(dir: &Path, more: &[&str]) -> Value {
    fs::write(dir.join("bugs.c"), BUGS).expect("writes");
    let args = [
        "test",
        "bugs.c",
        "--stdin",
        "12",
        "--iterations",
        "150",
        "--timeout",
        "200ms",
        "--time",
        "60s",
        "--quiet",
        "--json",
        "--out",
        "suite",
    ];
    let output = run(dir, &[&args, more].concat());
    assert_eq!(output.status.code(), Some(0), "{}", shown(&output));
    serde_json::from_slice(&output.stdout).expect("it is JSON")
}

/// The findings whose outcome and cause begin so, with the text of their tests.
fn findings(dir: &Path, report: &Value, outcome: &str, cause: &str) -> Vec<(Value, String)> {
    let failures = report["failures"].as_array().expect("an array").iter();
    let begins = |failure: &Value, field: &str, with: &str| {
        failure[field]
            .as_str()
            .is_some_and(|text| text.starts_with(with))
    };
    failures
        .filter(|failure| begins(failure, "outcome", outcome) && begins(failure, "cause", cause))
        .map(|failure| {
            let name = failure["test"].as_str().expect("a name");
            let path = dir.join("suite/tests").join(name);
            (
                failure.clone(),
                fs::read_to_string(path).expect("it is there"),
            )
        })
        .collect()
}

/// Bytes of standard input that a test has.
fn stdin_bytes(test: &str) -> usize {
    let line = test
        .lines()
        .find_map(|line| line.strip_prefix("stdin stream "));
    line.map_or(0, |line| {
        line.split(' ').next().unwrap_or_default().len() / 2
    })
}

#[test]
fn one_finding_for_each_cause_with_a_small_test() {
    let dir = tempfile::tempdir().expect("a temporary folder");
    let report = test(dir.path(), &[]);
    let aborts = findings(dir.path(), &report, "signal 6", "assertion: text[2] != 'A'");
    // The assertion fails in two ways from one place: the calls are told apart.
    assert_eq!(aborts.len(), 1, "{report}");
    let (abort, text) = &aborts[0];
    assert!(stdin_bytes(text) <= 4, "{text}");
    assert_eq!(abort["place"], "bugs.c:8");
    assert_eq!(abort["stack"], serde_json::json!(["first", "main"]));
    assert_eq!(abort["hash"].as_str().map(str::len), Some(8));
    let divisions = findings(dir.path(), &report, "signal 8", "");
    assert_eq!(divisions.len(), 1, "{report}");
    assert_eq!(stdin_bytes(&divisions[0].1), 2, "{}", divisions[0].1);
    assert!(
        divisions[0].1.contains("# minimised from test-"),
        "{}",
        divisions[0].1
    );
    assert_eq!(
        findings(dir.path(), &report, "timeout", "").len(),
        1,
        "{report}"
    );
    let replayed = run(dir.path(), &["replay", "suite"]);
    assert_eq!(replayed.status.code(), Some(0), "{}", shown(&replayed));
}

#[test]
fn sanitizers_find_what_the_plain_program_hides() {
    let dir = tempfile::tempdir().expect("a temporary folder");
    let report = test(dir.path(), &["--sanitize", "address,undefined"]);
    let overflows = findings(
        dir.path(),
        &report,
        "exited 0",
        "address: heap-buffer-overflow",
    );
    assert_eq!(overflows.len(), 1, "{report}");
    let (overflow, text) = &overflows[0];
    assert_eq!(overflow["stack"], serde_json::json!(["over", "main"]));
    assert!(
        stdin_bytes(text) == 4 && text.contains("stdin stream 68"),
        "{text}"
    );
    let sums = findings(
        dir.path(),
        &report,
        "exited 0",
        "undefined: signed integer overflow",
    );
    assert_eq!(sums.len(), 1, "{report}");
    assert!(
        sums[0].0["place"]
            .as_str()
            .is_some_and(|place| place.contains("bugs.c:22:"))
    );
    assert!(dir.path().join("suite/judge-sanitized").is_file());
    let replayed = run(dir.path(), &["replay", "suite"]);
    assert_eq!(replayed.status.code(), Some(0), "{}", shown(&replayed));
}

#[test]
fn what_cannot_be_sanitized_is_named() {
    let dir = tempfile::tempdir().expect("a temporary folder");
    fs::write(dir.path().join("a.c"), BUGS).expect("writes");
    let check = |args: &[&str], says: &[&str]| {
        let output = run(dir.path(), args);
        let text = shown(&output);
        assert_eq!(output.status.code(), Some(2), "{text}");
        assert!(says.iter().all(|words| text.contains(words)), "{text}");
    };
    check(
        &["test", "a.c", "--sanitize", "thread"],
        &["`thread`", "address,undefined"],
    );
    let built = run(dir.path(), &["cc", "a.c", "-o", "a"]);
    assert_eq!(built.status.code(), Some(0), "{}", shown(&built));
    fs::remove_file(dir.path().join("a.c")).expect("it was there");
    check(
        &["test", "./a", "--stdin", "3", "--sanitize", "address"],
        &["--sanitize", "a.c is gone"],
    );
}

/// Crashes of each kind, with the line on which each must be found.
const CRASHES: &str = r#"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
static void trap(int *p) {
    *p = 7;                            /* b */
}
int main(void) {
    char line[4];
    if (!fgets(line, sizeof line, stdin)) return 0;
    if (line[0] == 'a')
        return atoi((char *)8);        /* a */
    if (line[0] == 'b')
        trap(0);
    if (line[0] == 'c')
        abort();                       /* c */
    if (line[0] == 'd')
        return (int)strlen((char *)8); /* d */
    return 0;
}
"#;

#[test]
fn crash_places_are_the_programs_own_and_exact() {
    let dir = tempfile::tempdir().expect("a temporary folder");
    fs::write(dir.path().join("crash.c"), CRASHES).expect("writes");
    let args = "test crash.c --stdin 3 --iterations 60 --quiet --json";
    let output = run(dir.path(), &args.split(' ').collect::<Vec<_>>());
    let report: Value = serde_json::from_slice(&output.stdout).expect("it is JSON");
    let place = |failure: &Value| failure["place"].as_str().unwrap_or_default().to_owned();
    let failures = report["failures"].as_array().expect("an array");
    let mut places: Vec<String> = failures.iter().map(place).collect();
    places.sort();
    let line = |which: &str| {
        let mark = format!("/* {which} */");
        let found = CRASHES.lines().position(|line| line.contains(&mark));
        found.expect("a line with that mark") + 1
    };
    let path = dir.path().join("crash.c");
    let mut expected: Vec<String> = ["a", "b", "c", "d"]
        .map(|which| format!("{}:{}:", path.display(), line(which)))
        .to_vec();
    expected.sort();
    assert_eq!(places.len(), expected.len(), "{report}");
    for (place, expected) in places.iter().zip(&expected) {
        let col = place.strip_prefix(expected.as_str());
        assert!(
            col.is_some_and(|col| col.parse::<u32>().is_ok()),
            "{report}"
        );
    }
}

#[test]
fn crash_places_of_a_function_are_not_in_its_harness() {
    let dir = tempfile::tempdir().expect("a temporary folder");
    let source = "int pick(const int *p, int i) {\n    if (i == 5)\n        return p[i + 10000000];\n    return 0;\n}\n";
    fs::write(dir.path().join("pick.c"), source).expect("writes");
    let args = "test pick.c --function pick --iterations 60 --quiet --json";
    let output = run(dir.path(), &args.split(' ').collect::<Vec<_>>());
    let report: Value = serde_json::from_slice(&output.stdout).expect("it is JSON");
    let place = report["failures"][0]["place"].as_str().unwrap_or_default();
    assert!(place.contains("pick.c:3:"), "{report}");
    assert_eq!(
        report["failures"][0]["stack"],
        serde_json::json!(["pick"]),
        "{report}"
    );
}

/// What a run on a program with symbolic standard input says of that.
fn said_of_stdin(name: &str, source: &str) -> Option<String> {
    let dir = tempfile::tempdir().expect("a temporary folder");
    fs::write(dir.path().join(name), source).expect("writes");
    let args = [
        "test",
        name,
        "--stdin",
        "4",
        "--iterations",
        "30",
        "-q",
        "--json",
    ];
    let output = run(dir.path(), &args);
    let report: Value = serde_json::from_slice(&output.stdout)
        .unwrap_or_else(|_| panic!("{name}: {}", shown(&output)));
    let notes = report["notes"].as_array().expect("an array").iter();
    let mut notes = notes.filter_map(Value::as_str);
    let note = notes.find(|note| note.contains("standard input"));
    note.map(|note| note.split(" by ").next().unwrap_or(note).to_owned())
}

#[test]
fn standard_input_is_said_to_be_unread_only_when_it_is() {
    let c = |body: &str| {
        format!(
            "#define _GNU_SOURCE\n#include <stdio.h>\n#include <stdlib.h>\n#include <unistd.h>\n#include <sys/mman.h>\n\
             int main(int count, char **words) {{ char b[8] = {{0}}; {body} if (b[0] == 'x') return 1; return count > 5; }}\n"
        )
    };
    let line = "#include <iostream>\n#include <string>\nint main() { std::string s; std::getline(std::cin, s); \
                if (s == \"hi\") return 1; return 0; }\n";
    let unread = Some("no test reads standard input".to_owned());
    let foreign = Some("standard input is read".to_owned());
    for (name, source, expected) in [
        ("getline.cc", line.to_owned(), foreign.clone()),
        ("child.c", c("b[0] = system(\"read x\");"), foreign),
        ("fread.c", c("b[7] = fread(b, 1, 4, stdin);"), None),
        ("read.c", c("b[7] = read(0, b, 4);"), None),
        ("pread.c", c("b[7] = pread(0, b, 2, 1);"), None),
        ("unlocked.c", c("b[0] = getc_unlocked(stdin);"), None),
        (
            "map.c",
            c(
                "char *m = mmap(0, 1, PROT_READ, MAP_PRIVATE, 0, 0); if (m != MAP_FAILED) b[7] = m == b;",
            ),
            None,
        ),
        ("none.c", c(""), unread),
    ] {
        assert_eq!(said_of_stdin(name, &source), expected, "{name}");
    }
}

/// The program tells the two builds apart, as a clock would. What a run does until its time is up differs from build to build.
#[test]
fn what_a_run_does_until_time_ends_it_is_no_difference() {
    let source = "#include <stdio.h>
#include <stdlib.h>
int main(void) {
    volatile int x = getchar();
    if (getenv(\"LLVM_PROFILE_FILE\"))
        x = 1;
    while (ENDLESS)
        x++;
    return 0;
}
";
    for (endless, differences) in [("1", 0), ("0", 2)] {
        let dir = tempfile::tempdir().expect("a folder");
        let source = source.replace("ENDLESS", endless);
        fs::write(dir.path().join("a.c"), source).expect("written");
        let args = ["--timeout", "1s", "-n", "2", "--json", "-q"];
        let words = ["test", "a.c", "--stdin", "1"];
        let output = run(dir.path(), &[&words[..], &args].concat());
        let report: Value = serde_json::from_slice(&output.stdout).expect("JSON");
        let found = report["judge"]["differences"].as_array().map(Vec::len);
        assert_eq!(found, Some(differences), "{endless}: {report}");
        let notes = report["notes"].to_string();
        assert_eq!(
            notes.contains("more in one build than in the other"),
            differences == 0
        );
    }
}
