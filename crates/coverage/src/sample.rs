//! Shared samples and helpers of the tests.

use std::collections::BTreeSet;
use std::path::Path;

use crate::format::Artifact;
use crate::goal::GoalId;
use crate::ledger::Totals;
use crate::report::{Facts, FunctionRow, GoalRow, Reason, Report, Verdict};
use crate::suite::{GoalLabel, Manifest, Outcome, Source, Stream, Suite, Test, Value, ValueType};

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
        reason: Reason {
            name: name.to_owned(),
            detail: detail.to_owned(),
        },
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
        instantiations,
    };
    let mut macro_row = row(7, 3, 25, "false", "solver gave up", "resource limit");
    macro_row.expanded_at = vec![
        ("src/list.h".to_owned(), 4, 18),
        ("src/list.c".to_owned(), 31, 3),
    ];
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
        campaign: Facts {
            strategy: "cgs".to_owned(),
            seed: 1,
            tests: 5,
            iterations: 120,
            seconds: 2.5,
            solver_seconds: 0.75,
            stopped_by: "iterations".to_owned(),
            suite: Some("bothways-out".to_owned()),
            failures: vec![(
                "test-0004.test".to_owned(),
                "signal 11 (SIGSEGV)".to_owned(),
            )],
        },
        judge: Some(Verdict {
            tool: "llvm-cov 19".to_owned(),
            total: 26,
            covered: 22,
            differences: Vec::new(),
        }),
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

/// A small generator of random numbers (xorshift).
pub struct Random(u64);

impl Random {
    pub fn new(seed: u64) -> Random {
        Random(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1)
    }

    pub fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0.wrapping_mul(0x2545_f491_4f6c_dd1d)
    }

    pub fn below(&mut self, bound: usize) -> usize {
        ((self.next() >> 33) % bound as u64) as usize
    }
}
