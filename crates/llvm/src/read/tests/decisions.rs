//! Decisions read off the control flow, against clang's own.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use expect_test::{Expect, expect};
use program::decision::{Decision, Next, Origin};
use program::{Program, SourceRange};

use super::clang;
use crate::read::{Meta, read};

/// Decisions by function: ranges of the conditions, and what follows each.
type Shapes = BTreeMap<(String, Vec<(u32, SourceRange)>), Vec<[Next; 2]>>;

pub(super) fn compiled(source: &Path, flags: &[&str]) -> Program {
    let folder = tempfile::tempdir().expect("a folder");
    let prepared = clang::prepared(source, flags, &folder.path().join("out.bc"));
    let meta = Meta {
        name: source.display().to_string(),
        library: false,
    };
    read(&prepared.bitcode, prepared.uid, meta).expect("it is bitcode")
}

fn shapes(program: &Program, wanted: impl Fn(&Decision) -> bool) -> Shapes {
    let mut shapes = Shapes::new();
    for record in &program.coverage {
        for decision in record.decisions.iter().filter(|decision| wanted(decision)) {
            let place = |region: u32| {
                let region = &record.regions[region as usize];
                (region.file, region.range)
            };
            let key = decision.regions().map(place).collect();
            let next = decision.conditions.iter().map(|condition| condition.next);
            shapes.insert((record.name.clone(), key), next.collect());
        }
    }
    shapes
}

/// C files of a folder.
pub(super) fn sources(folder: &str) -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join(folder);
    let entries = std::fs::read_dir(folder).expect("a folder");
    let mut list: Vec<PathBuf> = entries
        .map(|entry| entry.expect("an entry").path())
        .collect();
    list.retain(|path| path.extension().is_some_and(|end| end == "c"));
    list.sort();
    list
}

#[test]
fn the_control_flow_shows_what_clang_says() {
    let (mut same, mut more, mut unreadable) = (0, 0, 0);
    for path in [sources("tests/snippets"), sources("../../tests/programs")].concat() {
        let include = concat!("-I", env!("CARGO_MANIFEST_DIR"), "/../runtime/include");
        let theirs = compiled(&path, &["-fcoverage-mcdc", include]);
        let ours = compiled(&path, &[include]);
        let theirs = shapes(&theirs, |decision| decision.origin == Origin::Clang);
        unreadable += shapes(&ours, |decision| decision.problem.is_some()).len();
        for (key, next) in shapes(&ours, |decision| decision.problem.is_none()) {
            match theirs.get(&key) {
                Some(theirs) => {
                    assert_eq!(&next, theirs, "{}: {key:?}", path.display());
                    same += 1;
                }
                None => more += 1,
            }
        }
        let ours = shapes(&ours, |_| true);
        for key in theirs.keys().filter(|key| !ours.contains_key(key)) {
            eprintln!("{}: only clang has {key:?}", path.display());
        }
    }
    eprintln!("{same} the same, {more} that clang refuses, {unreadable} unreadable");
    assert!(same > 100 && more > 0, "{same} {more}");
}

/// The decisions of a text, as the control flow shows them.
fn check(body: &str, expected: Expect) {
    let folder = tempfile::tempdir().expect("a folder");
    let source = folder.path().join("a.c");
    let text = format!(
        "int f(int);\nint t(int a, int b, int c, int d, int e) {{\n  int r = 0;\n{body}\n  return r;\n}}\n"
    );
    std::fs::write(&source, text).expect("a file");
    let program = compiled(&source, &[]);
    let text = program::text::print(&program);
    let lines = text.lines().filter(|line| line.starts_with("  decides"));
    let lines: Vec<&str> = lines.map(str::trim).collect();
    expected.assert_eq(&lines.join("\n"));
}

#[test]
fn what_clang_refuses_is_read_off_the_control_flow() {
    check(
        "  if (a && f(b || c)) r++;",
        expect![[r#"
        decides shape in 0 4:7..4:21 {3 true 1 false no, 5 true yes false no}
        decides shape in 0 4:14..4:20 {7 true yes false 1, 9 true yes false no}"#]],
    );
    check(
        "  if (!(a && b) || c) r++;",
        expect![
            "decides shape in 0 4:9..4:21 {4 true 1 false yes, 6 true 2 false yes, 8 true yes false no}"
        ],
    );
    check(
        "  if (a && !(b && c)) r++;",
        expect![
            "decides shape in 0 4:7..4:20 {3 true 1 false no, 6 true 2 false yes, 8 true no false yes}"
        ],
    );
    check(
        "  if (!(a || b) && !(c || d)) r++;",
        expect![
            "decides shape in 0 4:9..4:28 {4 true yes false 1, 6 true yes false 2, 9 true yes false 3, 11 true yes false no}"
        ],
    );
    check(
        "  r = a && !(b && c);",
        expect![
            "decides shape in 0 4:7..4:20 {2 true 1 false no, 5 true 2 false yes, 7 true no false yes}"
        ],
    );
    check(
        "  r = !(a && b) || !(c && d);",
        expect![
            "decides shape in 0 4:9..4:28 {3 true 1 false yes, 5 true 2 false yes, 8 true 3 false yes, 10 true no false yes}"
        ],
    );
    check(
        "  while (a && !(b || c)) a--;",
        expect![
            "decides shape in 0 4:10..4:23 {3 true 1 false no, 6 true no false 2, 8 true no false yes}"
        ],
    );
    check(
        "  do a--; while (!(a && b) && c);",
        expect![
            "decides shape in 0 4:20..4:32 {5 true 1 false 2, 7 true no false 2, 9 true yes false no}"
        ],
    );
    check(
        "  return ((a && b) == c) && d;",
        expect![[r#"
        decides shape in 0 4:10..4:30 {2 true 1 false no, 8 true yes false no}
        decides shape in 0 4:12..4:18 {4 true 1 false no, 6 true yes false no}"#]],
    );
    check(
        "  if (a) r = b && c;",
        expect!["decides shape in 0 4:14..4:20 {6 true 1 false no, 8 true yes false no}"],
    );
    check("  if (a) if (b) r++;", expect![[""]]);
    check(
        "  if (f(a && b) && f(c || (d && f(a || e)))) r++;",
        expect![[r#"
        decides shape in 0 4:7..4:44 {3 true 1 false no, 9 true yes false no}
        decides shape in 0 4:9..4:15 {5 true 1 false no, 7 true yes false no}
        decides shape in 0 4:22..4:42 {11 true yes false 1, 14 true 2 false no, 16 true yes false no}
        decides shape in 0 4:35..4:41 {18 true yes false 1, 20 true yes false no}"#]],
    );
}
