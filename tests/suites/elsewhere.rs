//! Code that is not in the model (a library that is loaded, an object that is not instrumented) finds what it can name, and nothing else.

use std::fs;
use std::process::Command;

use e2e::{run, shown};
use serde_json::Value;

/// Writes a variable of the program that it is loaded into, or linked with.
const OTHER: &str = "extern int mode;\nvoid set(int by) { if (by) mode = 5; }\n";

/// Builds a program from its text with some flags, and tests it: what is infeasible, each with the text of its line.
fn infeasible(text: &str, flags: &[&str]) -> Vec<String> {
    let dir = tempfile::tempdir().expect("a folder");
    let at = dir.path();
    fs::write(at.join("other.c"), OTHER).expect("a file");
    let plugin = at.join("libother.so").display().to_string();
    let text = text.replace("PLUGIN", &format!("\"{plugin}\""));
    fs::write(at.join("program.c"), &text).expect("a file");
    for args in [
        &["-c", "other.c", "-o", "other.o"][..],
        &["-shared", "-fPIC", "other.c", "-o", &plugin],
    ] {
        let built = Command::new("clang-19").args(args).current_dir(at).output();
        assert!(built.expect("a compiler").status.success(), "{args:?}");
    }
    let built = run(at, &[&["cc", "program.c", "-o", "program"], flags].concat());
    assert_eq!(built.status.code(), Some(0), "{}", shown(&built));
    let test = [
        "test",
        "./program",
        "--stdin",
        "1",
        "--json",
        "-q",
        "--time",
        "10",
    ];
    let output = run(at, &test);
    assert_eq!(output.status.code(), Some(0), "{}", shown(&output));
    let report: Value = serde_json::from_slice(&output.stdout).expect("JSON");
    assert_eq!(report["judge"]["differences"], serde_json::json!([]));
    let checked = run(at, &["check", "bothways-out"]);
    let said = String::from_utf8_lossy(&checked.stdout).into_owned();
    assert!(
        said.contains(" 0 cannot be checked, 0 are refused"),
        "{said}"
    );
    let lines: Vec<&str> = text.lines().collect();
    let rows = report["infeasible"].as_array().expect("an array").iter();
    rows.map(|row| {
        let line = row["line"].as_u64().expect("a line") as usize;
        format!(
            "{} {}",
            lines[line - 1].trim(),
            row["side"].as_str().unwrap_or("")
        )
    })
    .collect()
}

/// A program that has other code write its variables; `act` lets it, in `main`.
fn program(heads: &str, act: &str) -> String {
    format!(
        "#include <stdio.h>
        {heads}
        int mode;
        static int own;
        int main(void)
        {{
            {act}
            if (mode == 5)
                puts(\"five\");
            if (own == 5)
                puts(\"own\");
            return 0;
        }}"
    )
}

/// Found while certificates of programs with `dlopen` were looked at: `mode == 5` was "never true: mode is 0 there".
#[test]
fn what_is_loaded_writes_what_it_can_name() {
    let text = program(
        "#include <dlfcn.h>",
        "void *other = dlopen(PLUGIN, RTLD_NOW);
            void (*set)(int) = other ? (void (*)(int))dlsym(other, \"set\") : NULL;
            if (set)
                set(getchar() == 'x');",
    );
    let found = infeasible(&text, &["-rdynamic"]);
    assert_eq!(found, ["if (own == 5) true"]);
}

#[test]
fn what_is_linked_writes_what_it_can_name() {
    let text = program("void set(int);", "set(getchar() == 'x');");
    let found = infeasible(&text, &["other.o"]);
    assert_eq!(found, ["if (own == 5) true"]);
}
