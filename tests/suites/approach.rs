//! Branches on counts and states: runs that come nearer to a side that nothing symbolic decides are kept and changed further.

use e2e::{covered, run, shown};

/// Two counters, of which each text counts in another pass.
const COUNTERS: &str = r#"
#include <string.h>
#include "bothways.h"
int main(void) {
    char p[96];
    int n = sizeof p, m1 = 0, m2 = 0;
    bw_bytes(p, sizeof p, "p");
    for (int i = 0; i + 2 < n; i += 3)
        if (!memcmp(p + i, "foo", 3))
            m1++;
    for (int i = 0; i + 2 < n; i += 3)
        if (!memcmp(p + i, "bar", 3))
            m2++;
    return m1 > 10 && m2 > 10 ? 2 : 0;
}
"#;

/// Numbers until one is not positive, then a stack of which only pushes of large numbers count.
const VALUES: &str = r"
extern int __VERIFIER_nondet_int(void);
extern unsigned char __VERIFIER_nondet_uchar(void);
int main(void) {
    int k, length = 0, pushed = 0;
    while ((k = __VERIFIER_nondet_int()) > 0)
        if (++length > 64)
            break;
    for (;;) {
        unsigned char command = __VERIFIER_nondet_uchar();
        if (command == 'p') {
            if (__VERIFIER_nondet_int() > 7)
                pushed++;
        } else if (command != 'n')
            break;
        if (pushed == 20)
            return 2;
    }
    return length > 64;
}
";

#[test]
fn counts_are_approached() {
    for (source, seed) in [(COUNTERS, 0), (COUNTERS, 1), (VALUES, 0), (VALUES, 1)] {
        let args = format!("test a.c --iterations 3000 --until 100% --seed {seed} --json -q");
        let (covered, total) = covered(source, &args);
        assert_eq!(covered, total, "seed {seed}");
    }
}

/// A server that ends at a wrong input only: its state moves, but the states 90 to 92 are dead, and `version` never changes.
const SERVER: &str = r"
extern int __VERIFIER_nondet_int(void);
static int state = 1, version = 3;
static int step(int input) {
    if (version == 7)
        return 9;
    if (state == 1 && input == 4) { state = 2; return 1; }
    if (state == 2 && input == 5) { state = 3; return 2; }
    if (state == 3 && input == 1) { state = 1; return 3; }
    if (state == 90 && input == 2) { state = 91; return 4; }
    if (state == 91 && input == 3) { state = 92; return 5; }
    return 0;
}
int main(void) {
    int done = 0;
    for (;;) {
        int input = __VERIFIER_nondet_int();
        if (input < 1 || input > 5)
            return done;
        done += step(input);
    }
}
";

#[test]
fn a_server_with_dead_states_is_said_to_be_stuck() {
    let dir = tempfile::tempdir().expect("a temporary folder");
    std::fs::write(dir.path().join("a.c"), SERVER).expect("writes");
    // Proofs would leave nothing open.
    let args = "test a.c --iterations 1200 --no-proofs --json";
    let args: Vec<&str> = args.split_whitespace().collect();
    let output = run(dir.path(), &args);
    assert_eq!(output.status.code(), Some(0), "{}", shown(&output));
    let report: serde_json::Value = serde_json::from_slice(&output.stdout).expect("JSON");
    let open = report["open"].as_array().expect("open goals");
    let detail = |line: u64| {
        let goal = open.iter().find(|goal| goal["line"] == line);
        goal.expect("an open goal")["detail"]
            .as_str()
            .expect("text")
    };
    assert!(
        detail(5).ends_with("no run changes what it compares"),
        "{report}"
    );
    assert!(
        detail(10).ends_with("the nearest run was 87 away"),
        "{report}"
    );
    // Nothing is claimed to be infeasible that only nobody found.
    assert_eq!(report["goals"]["infeasible"], 0, "{report}");
    let notes = report["notes"].to_string();
    assert!(
        notes.contains("hang on values that no run made symbolic"),
        "{notes}"
    );
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(
        said.contains("nothing new for long: runs come to 3 branch sides"),
        "{said}"
    );
}
