//! Shared samples and helpers of the tests.

use std::collections::BTreeSet;
use std::path::Path;

use coverage::{GoalId, Totals};

use crate::annex::{FunctionCount, SourceFile, Span, TestRow};
use crate::format::Artifact;
use crate::suite::{GoalLabel, Manifest, Outcome, Source, Stream, Suite, Test, Value, ValueType};
use crate::table::{ConditionRow, DecisionRow, VectorRow};
use crate::{Concretised, Facts, FunctionRow, GoalRow, Reason, Report, Verdict};

/// Checks that a registry has exactly the plug-ins of its folder.
pub fn check_folder<'a>(folder: &str, registered: impl Iterator<Item = &'a str>) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(folder);
    let files: BTreeSet<String> = std::fs::read_dir(path)
        .expect("the folder of plug-ins")
        .map(|entry| {
            entry
                .expect("an entry")
                .file_name()
                .into_string()
                .expect("a name")
        })
        .filter(|name| name != "mod.rs")
        .map(|name| name.trim_end_matches(".rs").replace('_', "-"))
        .collect();
    let registered: BTreeSet<String> = registered.map(str::to_owned).collect();
    assert_eq!(registered, files, "registry and folder {folder} differ");
}

/// A source of forty lines, with what makes markup go wrong.
fn source() -> String {
    let line = |number: u32| match number {
        2 => "// <script>alert('&\"]]>')</script> \u{fffd}".to_owned(),
        12 => "int insert(struct list *list, const char *key, int n) {".to_owned(),
        14 => "    if (!list || n < 2)".to_owned(),
        18 => "    while (n && list->size == 0)".to_owned(),
        22 => "    char c = key[n] == '<' ? '>' : \"&amp;\"[0];".to_owned(),
        31 => "    CHECK(list);".to_owned(),
        _ => String::new(),
    };
    (1..=40).map(|number| line(number) + "\n").collect()
}

/// A report with one of everything.
pub fn report() -> Report {
    let label = |line, col, side: &str| GoalLabel {
        file: "src/list.c".to_owned(),
        line,
        col,
        side: side.to_owned(),
    };
    let row = |number, line, col, side, name: &str, detail: &str| GoalRow {
        goal: GoalId::from_u32(number),
        function: "insert".to_owned(),
        label: label(line, col, side),
        expanded_at: Vec::new(),
        at: Span {
            file: "src/list.c".to_owned(),
            line,
            col,
            end_line: line,
            end_col: col + 5,
        },
        reason: Reason {
            name: name.to_owned(),
            detail: detail.to_owned(),
        },
        further: Vec::new(),
        tests: Vec::new(),
        more_tests: 0,
        times: Some(0),
    };
    let function = |name: &str, line, total, covered, infeasible, instantiations| FunctionRow {
        name: name.to_owned(),
        file: "src/list.c".to_owned(),
        line,
        totals: Totals {
            total,
            covered,
            infeasible,
        },
        entries: Totals {
            total: 1,
            covered: 1,
            infeasible: 0,
        },
        pairs: None,
        instantiations,
    };
    let mut macro_row = row(7, 3, 25, "false", "solver gave up", "resource limit");
    macro_row.expanded_at = vec![
        ("src/list.h".to_owned(), 4, 18),
        ("src/list.c".to_owned(), 31, 3),
    ];
    macro_row.at.line = 31;
    macro_row.at.end_line = 31;
    macro_row.at.col = 3;
    macro_row.at.end_col = 9;
    let mut covered_row = row(1, 14, 7, "false", "", "");
    covered_row.tests = vec![1, 2];
    covered_row.times = Some(3);
    Report {
        version: "0.1.0".to_owned(),
        program: "list".to_owned(),
        criterion: "branch".to_owned(),
        unit: "branches".to_owned(),
        totals: Totals {
            total: 26,
            covered: 22,
            infeasible: 1,
        },
        entries: Some(Totals {
            total: 4,
            covered: 3,
            infeasible: 0,
        }),
        exits: None,
        pairs: None,
        functions: vec![
            function("insert", 12, 20, 16, 1, 1),
            function("is_empty", 4, 2, 2, 0, 3),
            function("main", 40, 4, 4, 0, 1),
        ],
        open: vec![
            row(2, 14, 7, "true", "budget spent", ""),
            row(5, 22, 9, "false", "budget spent", ""),
            macro_row,
        ],
        infeasible: vec![row(3, 18, 11, "true", "search tree exhausted", "")],
        covered: vec![covered_row],
        sources: vec![SourceFile {
            name: "src/list.c".to_owned(),
            text: Some(source()),
            lines: vec![(12, 5), (13, 5), (14, 5), (18, 2), (22, 0), (31, 1)],
            functions: [("is_empty", 4, 1), ("insert", 12, 5), ("main", 40, 1)]
                .map(|(name, line, times)| FunctionCount {
                    name: name.to_owned(),
                    line,
                    times,
                })
                .to_vec(),
        }],
        tests: suite().tests.iter().map(TestRow::of).collect(),
        folder: String::new(),
        campaign: Facts {
            strategy: "cgs".to_owned(),
            seed: 1,
            tests: 5,
            iterations: 120,
            seconds: 2.5,
            judge_seconds: 0.0,
            solver_seconds: 0.75,
            times: crate::Times::default(),
            work: crate::Work::default(),
            solver: crate::Solving::default(),
            stopped_by: "iterations".to_owned(),
            suite: Some("bothways-out".to_owned()),
            minimised: None,
            failures: vec![crate::Failure {
                test: "test-0004.test".to_owned(),
                outcome: "signal 11 (SIGSEGV)".to_owned(),
                cause: "address: heap-buffer-overflow".to_owned(),
                place: Some("src/list.c:14:9".to_owned()),
                stack: vec!["insert".to_owned(), "main".to_owned()],
                hash: "00c0ffee".to_owned(),
                also: vec!["test-0005.test".to_owned()],
            }],
        },
        judge: Some(Verdict {
            tool: "llvm-cov 19".to_owned(),
            total: 26,
            covered: 22,
            pairs: None,
            differences: Vec::new(),
        }),
        decisions: vec![DecisionRow {
            function: "insert".to_owned(),
            file: "src/list.c".to_owned(),
            line: 14,
            col: 7,
            end_line: 14,
            end_col: 21,
            origin: "clang".into(),
            problem: String::new(),
            conditions: [
                ("covered", Some([0, 1]), ""),
                (
                    "open",
                    None,
                    "a test with TT = T would be a pair with TF = F",
                ),
            ]
            .into_iter()
            .zip([7, 15])
            .map(|((status, pair, missing), col)| ConditionRow {
                line: 14,
                col,
                status: status.into(),
                pair,
                missing: missing.to_owned(),
            })
            .collect(),
            vectors: [("F-", 1), ("TT", 2)]
                .map(|(values, test)| VectorRow {
                    values: values.to_owned(),
                    outcome: test == 2,
                    tests: vec![test],
                })
                .to_vec(),
        }],
        concretised: vec![Concretised {
            function: "scan".to_owned(),
            file: "src/lexer.c".to_owned(),
            line: 12,
            col: 9,
            what: "call strtod".to_owned(),
            reason: "external call".to_owned(),
            count: 3,
            pinned: false,
            open_behind: Some(2),
        }],
        notes: vec!["3 runs were cut short by the event buffer".to_owned()],
    }
}

/// A value without C type.
pub fn value(name: &str, kind: ValueType, bits: u128) -> Value {
    Value {
        name: name.to_owned(),
        kind,
        element: None,
        c_type: String::new(),
        meaning: String::new(),
        bits,
    }
}

/// The bytes of an array, as values.
pub fn bytes(name: &str, bytes: &[u8]) -> Vec<Value> {
    (0u32..)
        .zip(bytes)
        .map(|(index, byte)| Value {
            element: Some(index),
            ..value(name, ValueType::U8, u128::from(*byte))
        })
        .collect()
}

/// A value of a `__VERIFIER_nondet_*` call.
pub fn nondet(kind: ValueType, c_type: &str, bits: u128) -> Value {
    Value {
        c_type: c_type.to_owned(),
        meaning: String::new(),
        ..value("", kind, bits)
    }
}

/// A suite of two tests.
pub fn suite() -> Suite {
    let mut first = Test::new(1, bytes("key", b"k\0\"\n"), Vec::new());
    first.values.push(value("n", ValueType::I32, 0xffff_fffb));
    first.values.push(nondet(ValueType::I8, "char", 0x41));
    first
        .values
        .push(nondet(ValueType::F64, "double", 0x4009_21fb_5444_2d18));
    first.values.push(nondet(
        ValueType::U64,
        "unsigned long",
        u128::from(u64::MAX),
    ));
    first.values.push(nondet(ValueType::Bool, "_Bool", 1));
    first.iteration = 1;
    first.covers = vec![GoalLabel {
        file: "src/list.c".to_owned(),
        line: 14,
        col: 7,
        side: "false".to_owned(),
    }];
    let stdin = Stream {
        name: "stdin".to_owned(),
        bytes: b"A\n\xff".to_vec(),
    };
    let mut second = Test::new(2, Vec::new(), vec![stdin]);
    second.values.push(Value {
        element: Some(1),
        ..value("points of view", ValueType::U16, 700)
    });
    second.iteration = 17;
    second.seconds = 0.25;
    second.outcome = Outcome::Signalled(11);
    second.covers_error = true;
    let manifest = Manifest {
        format: 1,
        tool: "bothways 0.1.0".to_owned(),
        created: "2026-01-02T03:04:05Z".to_owned(),
        sources: vec![Source::new("src/list.c", b"int main(void) { return 0; }\n")],
        flags: vec!["-DN=4".to_owned()],
        entry: "main".to_owned(),
        criterion: "branch".to_owned(),
        strategy: "cgs".to_owned(),
        seed: 1,
        ..Manifest::default()
    };
    Suite::new(manifest, vec![first, second], "list")
}

/// Files as one text.
pub fn show(files: &[Artifact]) -> String {
    files
        .iter()
        .map(|file| {
            format!(
                "=== {}\n{}",
                file.path,
                String::from_utf8_lossy(&file.bytes)
            )
        })
        .collect()
}

/// A real export of `llvm-cov-19`, of the run of [`coverage::sample::exported`]: `main` and `other` in two files with a `static inline` function of a header.
pub const EXPORT: &str = include_str!("../testdata/export.json");
