//! What `--criterion mcdc` asks for: entries and exits, outcomes of conditions, decisions and labels, and pairs, each counted by
//! itself; the pairs as `llvm-cov` counts them.

use std::fs;

use e2e::{run, shown};
use serde_json::{Value, json};

/// A program with this body of a function of `int a, b, c`, and other functions.
fn program(others: &str, body: &str) -> String {
    format!(
        "#include \"bothways.h\"\nvoid exit(int);\n{others}\nstatic int f(int a, int b, int c) {{ (void)b; (void)c;\n{body}\n}}\n\
         int main(void) {{ int a, b, c; bw_int(&a, \"a\"); bw_int(&b, \"b\"); bw_int(&c, \"c\"); return f(a, b, c); }}\n"
    )
}

/// The report on a body with these further arguments.
fn report(others: &str, body: &str, args: &str) -> Value {
    let dir = tempfile::tempdir().expect("a temporary folder");
    fs::write(dir.path().join("a.c"), program(others, body)).expect("writes");
    let fixed = "test a.c --json -q --no-fuzz --time 120s";
    let args: Vec<&str> = fixed.split(' ').chain(args.split_whitespace()).collect();
    let output = run(dir.path(), &args);
    assert_eq!(output.status.code(), Some(0), "{}", shown(&output));
    let report: Value = serde_json::from_slice(&output.stdout).expect("JSON");
    assert_eq!(report["judge"]["differences"], json!([]), "{report}");
    report
}

/// Of goals, pairs, entries and exits: covered, infeasible, open.
fn check(others: &str, body: &str, expected: &str) {
    let report = report(others, body, "--criterion mcdc");
    let figures = ["goals", "pairs", "entries", "exits"].map(|name| {
        let of = |key: &str| report[name][key].to_string();
        format!(
            "{name} {} {} {}",
            of("covered"),
            of("infeasible"),
            of("open")
        )
    });
    assert_eq!(figures.join(", "), expected, "{body}: {report}");
    let (ours, theirs) = (&report["pairs"], &report["judge"]["pairs"]);
    assert_eq!(
        (&ours["total"], &ours["covered"]),
        (&theirs["count"], &theirs["covered"]),
        "{body}: {report}"
    );
}

#[test]
fn conditions_that_exclude_each_other_still_have_outcomes() {
    check(
        "",
        "if (a == 12345 || a != 12345) return 1; return 0;",
        "goals 4 4 0, pairs 0 2 0, entries 2 0 0, exits 2 1 0",
    );
}

#[test]
fn labels_of_a_switch_are_outcomes() {
    check(
        "",
        "switch (a) { case 7: return 1; case 9: b = 2; break; default: return 3; } return b;",
        "goals 6 0 0, pairs 0 0 0, entries 2 0 0, exits 4 0 0",
    );
}

#[test]
fn each_return_is_an_exit() {
    let check = |body: &str, goals: &str, exits: &str| {
        let others = "static int g(int x) { return x; }\n#define CHECK(x) do { if (!(x)) return -1; } while (0)";
        check(
            others,
            body,
            &format!("goals {goals} 0 0, pairs 0 0 0, entries 3 0 0, exits {exits}"),
        );
    };
    check("if (a) return g(1); return 2;", "2", "4 0 0");
    check("if (a) { return g(1); } else { return 2; }", "2", "4 0 0");
    check("if (a) b = g(1); return b;", "2", "3 0 0");
    check("CHECK(a > g(3)); CHECK(b > 4); return 1;", "4", "5 0 0");
    check(
        "for (;;) { if (g(a) == b) break; if (a < b) return 1; a--; } return 0;",
        "4",
        "4 0 0",
    );
    check(
        "if (a) goto out; b = g(2); if (c) { b = 4; goto out; } b = 3;\nout: return b;",
        "4",
        "3 0 0",
    );
}

#[test]
fn what_ends_the_program_is_no_exit() {
    check(
        "static void stop(int x) { exit(x); }\nstatic void fall(int x) { if (x == 3) return; if (x == 4) exit(1); }",
        "fall(a); if (b == 5) { stop(1); } return 0;",
        // `stop` has no way back; `fall` has a `return` and its end.
        "goals 6 0 0, pairs 0 0 0, entries 4 0 0, exits 4 0 0",
    );
}

#[test]
fn pairs_are_asked_for_beside_outcomes() {
    // Outcomes are covered by `TT` and `FF`; pairs want more.
    check(
        "",
        "if (a == 3 && b == 4) return 1; return 0;",
        "goals 8 0 0, pairs 2 0 0, entries 2 0 0, exits 3 0 0",
    );
}

#[test]
fn other_criteria_ask_for_no_exits() {
    let report = report("", "if (a == 3) return 1; return 0;", "--criterion branch");
    assert_eq!(
        (&report["exits"], &report["pairs"]),
        (&json!(null), &json!(null))
    );
}

/// With its mapping of decisions clang keeps what a constant rules out: a program that calls there what is nowhere was refused
/// (GNU make: `xnmalloc` of gnulib's `XNMALLOC`).
#[test]
fn what_a_constant_rules_out_need_not_exist() {
    check(
        "int elsewhere(int n);",
        "int wide = sizeof(char) == 1 ? a : elsewhere(a); if (wide > 3 && b < 7) return 1; return c;",
        "goals 8 0 0, pairs 2 0 0, entries 2 0 0, exits 3 0 0",
    );
}

/// The judge is not optimised: it keeps calls that an optimiser rules out, of functions that are nowhere (`id` of coreutils:
/// `getcon` where there is no SELinux).
#[test]
fn what_an_optimiser_rules_out_need_not_exist() {
    let report = report(
        "int elsewhere(int n);",
        "int enabled = 0; if (a == 3 && enabled && elsewhere(b)) return 1; return c;",
        "--criterion branch",
    );
    assert_eq!(report["judge"]["differences"], json!([]));
    assert_eq!(report["goals"]["open"], json!(0));
}
