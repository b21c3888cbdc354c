//! Options of `bothways test --function`, and what a user may get wrong about them.

use std::fs;
use std::process::Output;

use e2e::{json, run, shown};

const UNIT: &str = "struct secret;
struct pair { int count; struct secret *hidden; };
int level;
static int visit(int n) { if (level > 3) return n > 3 ? 2 : 1; return 0; }
/* bothways: assume n < 100 */
int limited(int n) { if (n > 200) return 1; return visit(n); }
int hidden(struct pair *p) { if (p->hidden && p->count == 7) return 1; return 0; }
";

/// Runs `bothways test unit.c` with these arguments in a folder of its own.
fn test(args: &[&str]) -> (tempfile::TempDir, Output) {
    let dir = tempfile::tempdir().expect("a folder");
    fs::write(dir.path().join("unit.c"), UNIT).expect("a file");
    let mut all = vec!["test", "unit.c", "--time", "120"];
    all.extend(args);
    let output = run(dir.path(), &all);
    (dir, output)
}

/// The exit code is 2 and the message has these words.
fn refused(args: &[&str], words: &str) {
    let (_dir, output) = test(args);
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(
        output.status.code() == Some(2) && said.contains(words),
        "{args:?}: {}",
        shown(&output)
    );
}

#[test]
fn a_function_that_does_not_exist() {
    refused(
        &["--function", "vist"],
        "unit.c has no function `vist`; did you mean visit?",
    );
    refused(&["--function", "zzz"], "it has visit, limited, hidden");
    // What headers define is not what the user looks for.
    let dir = tempfile::tempdir().expect("a folder");
    let text = "#include <arpa/inet.h>\nint own(int n) { return n > 3; }\n";
    fs::write(dir.path().join("unit.c"), text).expect("a file");
    let output = run(dir.path(), &["test", "unit.c", "--function", "zzz"]);
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(said.contains("`zzz`; it has own\n"), "{said}");
}

#[test]
fn a_unit_that_the_preprocessor_leaves_empty() {
    let dir = tempfile::tempdir().expect("a folder");
    let text = "#ifdef ELSEWHERE\nint f(int n) { return n > 3; }\n#endif\n";
    fs::write(dir.path().join("unit.c"), text).expect("a file");
    for which in [&["--function", "f"][..], &["--all-functions"]] {
        let output = run(dir.path(), &[&["test", "unit.c"], which].concat());
        let said = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{said}");
        assert!(
            said.contains("unit.c defines nothing: no function"),
            "{said}"
        );
    }
}

#[test]
fn an_assumption_that_is_no_c() {
    refused(
        &["--function", "visit", "--assume", "n >"],
        "--assume 'n >': expected expression",
    );
    refused(
        &["--function", "visit", "--assume", "m > 1"],
        "use of undeclared identifier 'm'",
    );
}

#[test]
fn an_assumption_that_never_holds() {
    refused(
        &["--function", "visit", "--assume", "n > 5 && n < 3"],
        "visit: no input meets --assume 'n > 5 && n < 3': it can never hold",
    );
}

#[test]
fn formats_of_functions() {
    refused(&["--emit", "c-test"], "add --function NAME");
    refused(
        &["--function", "visit", "--emit", "c-test=junit"],
        "c-test has no flavour `junit`; flavours: assert, cmocka, gtest, unity",
    );
}

#[test]
fn functions_need_sources() {
    let dir = tempfile::tempdir().expect("a folder");
    fs::write(dir.path().join("unit.o"), "").expect("a file");
    let output = run(dir.path(), &["test", "unit.o", "--function", "f"]);
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(
        output.status.code() == Some(2) && said.contains("is tested from its C source"),
        "{}",
        shown(&output)
    );
}

#[test]
fn what_cannot_be_built_is_said_and_the_rest_is_built() {
    let (_dir, output) = test(&["--function", "hidden", "--json", "-q"]);
    let report = json(&output);
    let notes = report["notes"].to_string();
    assert!(
        notes.contains("p->hidden: struct secret cannot be built; 256 zero bytes stand for it"),
        "{notes}"
    );
    assert_eq!(report["goals"]["covered"], 4, "{}", shown(&output));
}

/// The callee is a goal as well; what the comment in front of the function assumes holds, and is said.
#[test]
fn contracts_in_comments() {
    let (_dir, output) = test(&["--function", "limited", "--json", "-q"]);
    let report = json(&output);
    assert_eq!(report["functions"][0]["name"], "limited");
    let goals = &report["goals"];
    assert_eq!(
        (&goals["total"], &goals["covered"], &goals["infeasible"]),
        (&6.into(), &5.into(), &1.into()),
        "{}",
        shown(&output)
    );
    assert!(
        report["notes"]
            .to_string()
            .contains("only inputs with n < 100")
    );
}

#[test]
fn globals_keep_their_values_when_they_are_no_inputs() {
    for (which, covered) in [("none", 1), ("read", 4), ("all", 4)] {
        let (_dir, output) = test(&["--function", "visit", "--globals", which, "--json", "-q"]);
        assert_eq!(
            json(&output)["goals"]["covered"],
            covered,
            "{which}: {}",
            shown(&output)
        );
    }
}

#[test]
fn every_function_of_a_file() {
    let (dir, output) = test(&["--all-functions", "--json", "-q", "--require", "80%"]);
    assert_eq!(output.status.code(), Some(0), "{}", shown(&output));
    let reports = json(&output);
    assert_eq!(
        reports.as_array().map(Vec::len),
        Some(3),
        "{}",
        shown(&output)
    );
    let replayed = run(dir.path(), &["replay", "bothways-out"]);
    assert_eq!(replayed.status.code(), Some(0), "{}", shown(&replayed));
    let said = String::from_utf8_lossy(&replayed.stdout);
    assert!(
        said.contains("visit:") && said.contains("hidden:"),
        "{said}"
    );
    // The folder is a suite's: it is used again.
    let again = run(dir.path(), &["test", "unit.c", "--all-functions", "-q"]);
    assert_eq!(again.status.code(), Some(0), "{}", shown(&again));
}

#[test]
fn flags_come_from_the_compilation_database() {
    let dir = tempfile::tempdir().expect("a folder");
    fs::create_dir_all(dir.path().join("include")).expect("a folder");
    fs::write(
        dir.path().join("include/limits-of.h"),
        "#define LIMIT FACTOR\n",
    )
    .expect("a file");
    fs::write(
        dir.path().join("unit.c"),
        "#include <limits-of.h>\nint f(int n) { if (n > LIMIT) return 1; return 0; }\n",
    )
    .expect("a file");
    fs::create_dir_all(dir.path().join("build")).expect("a folder");
    let database = serde_json::json!([{
        "directory": "..",
        "file": "unit.c",
        "command": "cc -Iinclude '-DFACTOR=(40 + 2)' -O2 -c -o build/unit.o unit.c",
    }]);
    fs::write(
        dir.path().join("build/compile_commands.json"),
        database.to_string(),
    )
    .expect("a file");
    let output = run(
        dir.path(),
        &["test", "unit.c", "--function", "f", "--json", "-q"],
    );
    let report = json(&output);
    assert_eq!(report["goals"]["covered"], 2, "{}", shown(&output));
    let notes = report["notes"].to_string();
    assert!(notes.contains("compiler flags from"), "{notes}");
}

/// A build folder elsewhere, as `-p` names it; a database without the file is refused.
#[test]
fn the_compilation_database_may_be_named() {
    let dir = tempfile::tempdir().expect("a folder");
    let write = |name: &str, text: &str| fs::write(dir.path().join(name), text).expect("a file");
    fs::create_dir_all(dir.path().join("src")).expect("a folder");
    fs::create_dir_all(dir.path().join("made")).expect("a folder");
    write(
        "src/unit.c",
        "int f(int n) { if (n > LIMIT) return 1; return 0; }\n",
    );
    write("src/other.c", "int g(int n) { return n; }\n");
    let database = serde_json::json!([{
        "directory": ".",
        "file": "../src/unit.c",
        "arguments": ["cc", "-DLIMIT=42", "-c", "../src/unit.c"],
    }]);
    write("made/compile_commands.json", &database.to_string());
    for (name, code, wanted) in [
        ("made", 0, "\"covered\":2"),
        ("made/compile_commands.json", 0, "\"covered\":2"),
        ("nowhere", 2, "cannot read nowhere"),
    ] {
        let words = [
            "test",
            "src/unit.c",
            "--function",
            "f",
            "--json",
            "-q",
            "-p",
            name,
        ];
        let output = run(dir.path(), &words);
        assert_eq!(output.status.code(), Some(code), "{}", shown(&output));
        assert!(shown(&output).contains(wanted), "{}", shown(&output));
    }
    let words = ["test", "src/other.c", "--function", "g", "-p", "made"];
    let output = run(dir.path(), &words);
    assert_eq!(output.status.code(), Some(2), "{}", shown(&output));
    for wanted in ["made/compile_commands.json has no entry for", "src/other.c"] {
        assert!(shown(&output).contains(wanted), "{}", shown(&output));
    }
}

/// Several sources: the function is found in the second, and calls into the first, which has a `main`.
#[test]
fn the_other_sources_are_the_rest_of_the_program() {
    let dir = tempfile::tempdir().expect("a folder");
    fs::write(
        dir.path().join("a.c"),
        "int twice(int n) { return 2 * n; }\nint main(void) { return 0; }\n",
    )
    .expect("a file");
    fs::write(
        dir.path().join("b.c"),
        "int twice(int);\nstatic int odd(int n) { if (twice(n) == 84) return 1; return 0; }\n",
    )
    .expect("a file");
    let output = run(
        dir.path(),
        &["test", "a.c", "b.c", "--function", "odd", "--json", "-q"],
    );
    assert_eq!(json(&output)["goals"]["covered"], 2, "{}", shown(&output));
}

/// The same for streams of a whole program.
#[test]
fn inputs_of_programs_are_minimised_on_demand() {
    let dir = tempfile::tempdir().expect("a folder");
    let source = "#include <stdio.h>
int main(void) { int c, n = 0, q = 0; while ((c = getchar()) != EOF) { n++; if (c == 'q') q++; } if (q == 2) return 7; return n > 40; }
";
    fs::write(dir.path().join("p.c"), source).expect("a file");
    let output = run(
        dir.path(),
        &[
            "test",
            "p.c",
            "--stdin",
            "64",
            "-n",
            "300",
            "-q",
            "--minimise-inputs",
        ],
    );
    assert_eq!(output.status.code(), Some(0), "{}", shown(&output));
    let folder = fs::read_dir(dir.path().join("bothways-out/tests")).expect("tests");
    let texts: Vec<String> = folder
        .flatten()
        .map(|entry| fs::read_to_string(entry.path()).expect("a test"))
        .collect();
    let two = texts
        .iter()
        .find(|text| text.contains("exited 7"))
        .unwrap_or_else(|| panic!("{texts:?}"));
    // It also shows that a byte may be no `q`.
    assert!(two.contains("# \"qq0\""), "{two}");
}

/// Functions that the one under test does not reach are not compiled, and clang's mapping of decisions stays readable.
#[test]
fn what_is_not_reached_is_left_out() {
    let dir = tempfile::tempdir().expect("a folder");
    fs::write(
        dir.path().join("unit.c"),
        "static int alone(int n) { if (n > 3 && n < 9) return 1; return 0; }\n\
         int (*table[])(int) = { alone };\n\
         static int twice(int n) { if (n > 3 || n < -3) return 2 * n; return n; }\n\
         static int (*const chosen[])(int) = { twice };\n\
         int under(int n) { return chosen[0](n) == 8; }\n",
    )
    .expect("a file");
    for criterion in ["branch", "mcdc"] {
        let output = run(
            dir.path(),
            &[
                "test",
                "unit.c",
                "--function",
                "under",
                "--json",
                "-q",
                "--criterion",
                criterion,
            ],
        );
        let report = json(&output);
        let functions = report["functions"].as_array().expect("functions");
        let names: Vec<&str> = functions
            .iter()
            .filter_map(|function| function["name"].as_str())
            .collect();
        assert!(
            !names.iter().any(|name| name.ends_with("alone")),
            "{names:?}"
        );
        assert_eq!(report["goals"]["open"], 0, "{}", shown(&output));
        assert_eq!(report["judge"]["differences"], serde_json::json!([]));
    }
}

/// A member was an array by the names beside it: `item` of three, because of `count`, and every pointer to a number one of eight.
#[test]
fn pointer_members_are_arrays_where_the_code_indexes_them() {
    let source = "struct item { int kind; int *weights; };
struct gen { struct { struct item *item; int count; } in; int *one; int *many; };
int f(struct gen *g, int n) {
    if (!g || !g->in.item || !g->one || !g->many) return 0;
    if (g->in.count == 3 && g->in.item->kind == 5) return 1;
    if (*g->one == 77) return 2;
    if (n > 0 && n < 4 && g->many[n] == 78) return 3;
    return 4;
}
";
    let dir = tempfile::tempdir().expect("a folder");
    fs::write(dir.path().join("a.c"), source).expect("a file");
    let test = |more: &str, said: &[&str]| {
        let args = format!("test a.c --function f -s cgs --json -q -o suite {more}");
        let output = run(dir.path(), &args.split(' ').collect::<Vec<_>>());
        assert_eq!(output.status.code(), Some(0), "{}", shown(&output));
        let tests = fs::read_dir(dir.path().join("suite/tests")).expect("tests");
        let text: String = tests
            .map(|test| fs::read_to_string(test.expect("an entry").path()).expect("text"))
            .collect();
        for said in said {
            assert!(text.contains(said), "{said}: {text}");
        }
        json(&output)
    };
    let said = [
        "g->in.item u8 0 # a new struct item",
        "g->one u8 0 # a new int",
        "g->many u8 0 # 8 new int",
    ];
    let report = test("-n 200", &said);
    assert_eq!(report["goals"]["open"], 0, "{report}");
    let differences = &report["judge"]["differences"];
    assert_eq!(*differences, serde_json::json!([]), "{report}");
    test(
        "-n 5 --assume !g||!g->in.item||g->in.item[2].kind==0",
        &["g->in.item u8 0 # 3 new struct item"],
    );
}

/// A function that is passed in may write a whole buffer, of which its stub writes eight bytes, or one whose length nobody tells it. That what
/// is behind stays 0 is no proof. (It was one, by exhaustion and by values.)
#[test]
fn what_a_stub_does_not_write_is_no_proof() {
    let dir = tempfile::tempdir().expect("a folder");
    let text = "#include <stddef.h>
int whole(int (*get)(void *self, void *data, size_t n)) {
    unsigned char b[16] = {0};
    if (!get) return -2;
    if (get(NULL, b, sizeof b)) return -1;
    if (b[12] == 'x') return 1;
    return 0;
}
int open_ended(int (*get)(char *text)) {
    char b[16] = {0};
    if (!get) return -2;
    if (get(b)) return -1;
    if (b[2] == 'x') return 1;
    return 0;
}
int event(int (*get)(void *self, int code)) {
    static char own;
    if (!get) return -2;
    if (get(&own, 3)) return -1;
    return 0;
}\n";
    fs::write(dir.path().join("a.c"), text).expect("a file");
    for (function, open) in [("whole", 1), ("open_ended", 1), ("event", 0)] {
        let options = format!("test a.c --function {function} -n 40 --fresh --json -q");
        let output = run(dir.path(), &options.split(' ').collect::<Vec<_>>());
        let goals = &json(&output)["goals"];
        assert_eq!(goals["infeasible"], 0, "{}", shown(&output));
        assert_eq!(goals["open"], open, "{}", shown(&output));
    }
}
