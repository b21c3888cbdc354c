//! `bothways graph FILE...`: the generalised control-flow graph as text, for Graphviz and drawn, and programs that have none.

use std::fs;

use e2e::run;

const SOURCE: &str = "\
#include <stdio.h>
static int locked;
int main(void) {
    int c;
    while ((c = getchar()) != EOF) {
        if (c == 'l')
            locked = 1;
        if (locked > 1)
            return 1;
    }
    return 0;
}
";

/// The exit code, standard output, and standard error.
fn said(source: &str, args: &[&str]) -> (Option<i32>, String, String) {
    let dir = tempfile::tempdir().expect("a folder");
    fs::write(dir.path().join("a.c"), source).expect("it is written");
    let output = run(
        dir.path(),
        &[&["graph", "a.c", "--stdin", "2"], args].concat(),
    );
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    (
        output.status.code(),
        text(&output.stdout),
        text(&output.stderr),
    )
}

#[test]
fn turns_cover_what_can_be_covered_and_refute_the_rest() {
    let (code, before, says) = said(SOURCE, &["--turns", "0"]);
    assert_eq!(code, Some(0), "{says}");
    assert!(says.contains("0 turns, 1 runs"), "{says}");
    assert!(says.contains("6t"), "open at first: {says}");
    assert!(before.contains("conditions\n  R6ta"), "{before}");
    let (code, after, says) = said(SOURCE, &[]);
    assert_eq!(code, Some(0), "{says}");
    assert!(says.contains("1 infeasible (8t), 0 open"), "{says}");
    assert!(after.contains("T2: \"l"), "a run more: {after}");
}

#[test]
fn the_same_is_drawn() {
    let (code, dot, _) = said(SOURCE, &["--turns", "1", "--format", "dot", "--quiet"]);
    assert_eq!(code, Some(0));
    assert!(dot.starts_with("digraph gcfg {"), "{dot}");
    let states = dot.matches("[shape=circle]").count();
    let conditions = dot.matches("[shape=box").count();
    let (code, svg, says) = said(SOURCE, &["--turns", "1", "--format", "svg", "--quiet"]);
    assert_eq!((code, says.as_str()), (Some(0), ""));
    assert_eq!(svg.matches("<ellipse").count(), states, "{svg}");
    assert!(svg.matches("<rect").count() >= conditions, "{svg}");
}

#[test]
fn a_program_whose_states_are_not_known_has_none() {
    let source = "#include <unistd.h>\nint main(void) { return fork() ? 1 : 0; }\n";
    let (code, _, says) = said(source, &[]);
    assert_eq!(code, Some(2), "{says}");
    assert!(says.contains("there is no graph of this program"), "{says}");
    assert!(says.contains("fork"), "{says}");
    let (code, _, says) = said(SOURCE, &["--json"]);
    assert_eq!(code, Some(2), "{says}");
    assert!(says.contains("--format dot"), "{says}");
}
