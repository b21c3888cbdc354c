//! Shared samples and helpers of the tests.

use std::collections::BTreeSet;
use std::path::Path;

use program::{
    Counter, EdgeId, Expr, ExprOp, FuncId, Function, FunctionCoverage, Op, Operand, Program,
    Region, RegionKind, SiteKind, SourceRange, Terminator, Type,
};

use crate::counts::{HitCounter, Hits};
use crate::criterion::{self, Criterion};
use crate::format::Artifact;
use crate::goal::{Evidence, Figure, Goal, GoalId, GoalKind};
use crate::goals::Goals;
use crate::ledger::Totals;
use crate::report::{Concretised, Facts, FunctionRow, GoalRow, Reason, Report, Verdict};
use crate::scope::{LineRange, Lines, Scope};
use crate::suite::{GoalLabel, Manifest, Outcome, Source, Stream, Suite, Test, Value, ValueType};
use crate::table::{ConditionRow, DecisionRow, VectorRow};
use crate::vector::Pairing;

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
        campaign: Facts {
            strategy: "cgs".to_owned(),
            seed: 1,
            tests: 5,
            iterations: 120,
            seconds: 2.5,
            judge_seconds: 0.0,
            solver_seconds: 0.75,
            times: crate::report::Times::default(),
            work: crate::report::Work::default(),
            stopped_by: "iterations".to_owned(),
            suite: Some("bothways-out".to_owned()),
            minimised: None,
            failures: vec![crate::report::Failure {
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
            pairs: None,
            tool: "llvm-cov 19".to_owned(),
            total: 26,
            covered: 22,
            differences: Vec::new(),
        }),
        decisions: vec![DecisionRow {
            function: "insert".to_owned(),
            file: "src/list.c".to_owned(),
            line: 14,
            col: 7,
            end_line: 14,
            end_col: 21,
            origin: "clang",
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
                status,
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

/// Builds programs with a coverage mapping, without code.
pub struct Builder {
    pub program: Program,
}

impl Builder {
    pub fn new() -> Builder {
        let mut program = Program::new();
        program.add_module(1, "sample.c");
        Builder { program }
    }

    /// A function whose entry increments counter 0, and an empty record for it.
    pub fn function(&mut self, name: &str, hash: u64, files: &[&str]) -> FuncId {
        let mut function = Function::new(name.rsplit(':').next().unwrap_or(name));
        function.entry_counters = vec![0];
        function.add_block();
        let function = self.program.add_function(function);
        let files = files.iter().map(|file| self.program.file(file)).collect();
        self.program.coverage.push(FunctionCoverage {
            function: Some(function),
            name: name.to_owned(),
            hash,
            counters: 1,
            files,
            ..FunctionCoverage::default()
        });
        function
    }

    /// A region of the last record.
    pub fn region(&mut self, file: u32, place: (u32, u32), kind: RegionKind, count: Counter) {
        let (line, col) = place;
        self.last().regions.push(Region {
            kind,
            count,
            file,
            range: SourceRange {
                line,
                col,
                end_line: line,
                end_col: col + 5,
            },
        });
    }

    /// A condition in the last record. Its true edge increments a new counter; its false count is the difference to
    /// `parent`. Returns the site's false edge and true edge, and the new counter.
    pub fn condition(
        &mut self,
        file: u32,
        place: (u32, u32),
        parent: Counter,
    ) -> (EdgeId, EdgeId, Counter) {
        let record = self.last();
        let function = record.function.expect("a function");
        let counter = record.counters;
        record.counters += 1;
        let difference = self.expr(ExprOp::Sub, parent, Counter::Counter(counter));
        let kind = RegionKind::Branch {
            false_count: difference,
        };
        self.region(file, place, kind, Counter::Counter(counter));
        let edges = [(None, Vec::new()), (None, vec![counter])];
        let site = self
            .program
            .add_site(SiteKind::Branch, function, Function::ENTRY, None, edges);
        let edge = |side| self.program.edge(site, side);
        (edge(0), edge(1), Counter::Counter(counter))
    }

    /// An expression of the last record.
    pub fn expr(&mut self, op: ExprOp, lhs: Counter, rhs: Counter) -> Counter {
        let expressions = &mut self.last().expressions;
        expressions.push(Expr { op, lhs, rhs });
        Counter::Expr(expressions.len() as u32 - 1)
    }

    pub fn last(&mut self) -> &mut FunctionCoverage {
        self.program.coverage.last_mut().expect("a record")
    }
}

/// `if (c)` in a function that stands in `file`, as `clang` writes it. Returns false edge and true edge.
pub fn simple(
    builder: &mut Builder,
    name: &str,
    hash: u64,
    file: &str,
) -> (FuncId, EdgeId, EdgeId) {
    let function = builder.function(name, hash, &[file]);
    builder.region(0, (1, 1), RegionKind::Code, Counter::Counter(0));
    let (no, yes, _) = builder.condition(0, (2, 7), Counter::Counter(0));
    let program = &mut builder.program;
    let site = program.edges[no].site;
    let body = &mut program.functions[function];
    let cond = Operand::Value(body.add_param(Type::Int(1)));
    let [then, els] = [(); 2].map(|()| body.add_block());
    for (block, counter) in [(Function::ENTRY, 0), (then, 1)] {
        let op = Op::Count {
            counter,
            step: None,
            site: None,
        };
        body.append(block, Type::Void, op, None, None);
    }
    for (block, edge) in [(then, yes), (els, no)] {
        body.blocks[block].terminator = Terminator::Ret { value: None };
        program.edges[edge].target = Some(block);
    }
    body.blocks[Function::ENTRY].terminator = Terminator::CondBr {
        cond,
        then,
        els,
        site,
    };
    (function, no, yes)
}

/// The values of conditions in [`decisions`].
pub const CONDITIONS: &[&str] = &[
    "2:1 true",
    "2:1 false",
    "3:1 true",
    "3:1 false",
    "4:1 true",
    "4:1 false",
];

/// The outcomes of its decisions.
pub const DECISIONS: &[&str] = &[
    "2:1 decision true",
    "2:1 decision false",
    "3:1 decision true",
    "3:1 decision false",
];

/// `if (a) …; if (b && c) …; switch (d) { case 1: … }`: conditions in lines 2 to 4, code behind the second `if` in line 5, the
/// label in line 6. Its edges, by line: false and true.
pub fn decisions() -> (Program, [[EdgeId; 2]; 5]) {
    use Counter::Counter as C;
    let mut builder = Builder::new();
    let main = builder.function("main", 1, &["a.c"]);
    let record = builder.last();
    record.counters = 5;
    for (lhs, rhs) in [(0, 1), (0, 2), (2, 3), (0, 4)] {
        builder.expr(ExprOp::Sub, C(lhs), C(rhs));
    }
    builder.region(0, (1, 1), RegionKind::Code, C(0));
    for (line, counter, other) in [(2, 1, 0), (3, 2, 1), (4, 3, 2)] {
        let false_count = Counter::Expr(other);
        builder.region(0, (line, 1), RegionKind::Branch { false_count }, C(counter));
    }
    builder.region(0, (5, 1), RegionKind::Code, C(3));
    let false_count = Counter::Expr(3);
    builder.region(0, (6, 1), RegionKind::Branch { false_count }, C(4));
    let end = |value| program::decision::Next::End(value);
    let condition = |region, on_true| program::decision::Condition {
        region,
        next: [end(false), on_true],
    };
    builder.last().decisions.push(program::Decision {
        origin: program::decision::Origin::Clang,
        problem: None,
        file: 0,
        range: SourceRange {
            line: 3,
            col: 1,
            end_line: 4,
            end_col: 6,
        },
        conditions: vec![
            condition(2, program::decision::Next::Condition(1)),
            condition(3, end(true)),
        ],
    });
    let program = &mut builder.program;
    let body = &mut program.functions[main];
    let params: Vec<_> = (0..4).map(|_| body.add_param(Type::Int(1))).collect();
    let blocks: Vec<_> = [Function::ENTRY]
        .into_iter()
        .chain((1..8).map(|_| body.add_block()))
        .collect();
    for (block, counter) in [(0, 0), (1, 1), (3, 2), (4, 3), (6, 4)] {
        let op = Op::Count {
            counter,
            step: None,
            site: None,
        };
        body.append(blocks[block], Type::Void, op, None, None);
    }
    let mut edges = Vec::new();
    let branches = [(0, 0, 1, 2, 1), (2, 1, 3, 5, 2), (3, 2, 4, 5, 3)];
    for (block, param, then, els, counter) in branches {
        let to = [
            (Some(blocks[els]), Vec::new()),
            (Some(blocks[then]), vec![counter]),
        ];
        let site = program.add_site(SiteKind::Branch, main, blocks[block], None, to);
        edges.push([0, 1].map(|side| program.edge(site, side)));
        program.functions[main].blocks[blocks[block]].terminator = Terminator::CondBr {
            cond: Operand::Value(params[param]),
            then: blocks[then],
            els: blocks[els],
            site,
        };
    }
    let kind = SiteKind::Switch {
        bits: 1,
        cases: vec![1],
    };
    let to = [(Some(blocks[6]), vec![4]), (Some(blocks[7]), Vec::new())];
    let site = program.add_site(kind, main, blocks[5], None, to);
    edges.push([1, 0].map(|side| program.edge(site, side)));
    let body = &mut program.functions[main];
    body.blocks[blocks[5]].terminator = Terminator::Switch {
        value: Operand::Value(params[3]),
        cases: vec![(1, blocks[6])],
        default: blocks[7],
        site,
    };
    for (block, target) in [(1, 2), (4, 5)] {
        body.blocks[blocks[block]].terminator = Terminator::Br {
            target: blocks[target],
        };
    }
    for block in [6, 7] {
        body.blocks[blocks[block]].terminator = Terminator::Ret { value: None };
    }
    let edges = [edges[0], edges[1], edges[2], edges[2], edges[3]];
    (builder.program, edges)
}

/// A criterion without the entries of functions: its own goals alone.
pub struct Own<C>(pub C);

impl<C: Criterion> Criterion for Own<C> {
    fn name(&self) -> &'static str {
        self.0.name()
    }

    fn summary(&self) -> &'static str {
        self.0.summary()
    }

    fn unit(&self) -> &'static str {
        self.0.unit()
    }

    fn goals(&self, source: &criterion::Source<'_>, add: &mut dyn FnMut(u32, GoalKind, Evidence)) {
        self.0.goals(source, add);
    }

    fn pairing(&self) -> Option<Pairing> {
        self.0.pairing()
    }

    fn wants_entries(&self) -> bool {
        false
    }
}

/// Those of a criterion's own goals that want a pair.
pub struct PairsOf<C>(pub C);

impl<C: Criterion> Criterion for PairsOf<C> {
    fn name(&self) -> &'static str {
        self.0.name()
    }

    fn summary(&self) -> &'static str {
        self.0.summary()
    }

    fn unit(&self) -> &'static str {
        self.0.unit()
    }

    fn goals(&self, source: &criterion::Source<'_>, add: &mut dyn FnMut(u32, GoalKind, Evidence)) {
        self.0.goals(source, &mut |region, kind, evidence| {
            if kind.figure() == Figure::Pairs {
                add(region, kind, evidence);
            }
        });
    }

    fn pairing(&self) -> Option<Pairing> {
        self.0.pairing()
    }

    fn wants_entries(&self) -> bool {
        false
    }
}

/// The goals of [`decisions`] under a criterion: place and kind.
pub fn goals_of(criterion: &'static dyn Criterion) -> Vec<String> {
    places(&Goals::new(&decisions().0, criterion))
}

/// The same, of some lines.
pub fn goals_in(criterion: &'static dyn Criterion, from: u32, to: u32) -> Vec<String> {
    let (program, _) = decisions();
    let range = LineRange {
        file: "a.c".to_owned(),
        from,
        to,
    };
    let lines = Lines::find(&program, &range).expect("the file is there");
    let scope = Scope {
        lines: Some(&lines),
        ..Scope::default()
    };
    places(&Goals::within(&program, criterion, &scope))
}

fn places(goals: &Goals) -> Vec<String> {
    let place = |(goal, known): (GoalId, &Goal)| {
        let range = goals.place(goal).range;
        format!("{}:{} {}", range.line, range.col, known.kind)
    };
    let own = goals
        .iter()
        .filter(|(_, known)| !matches!(known.kind.figure(), Figure::Entries | Figure::Exits));
    own.map(place).collect()
}

/// A real export of `llvm-cov-19`: `main` and `other` in two files with a `static inline` function of a header.
pub const EXPORT: &str = include_str!("../testdata/export.json");

/// The program of [`EXPORT`], and the hits of its run.
pub fn exported() -> (Program, Hits) {
    let mut builder = Builder::new();
    let main = builder.function("main", 1, &["/src/a.c"]);
    builder.region(0, (3, 30), RegionKind::Code, Counter::Counter(0));
    let (main_no, ..) = builder.condition(0, (4, 7), Counter::Counter(0));
    let mut min = |name| {
        let function = builder.function(name, 2, &["/src/min.h"]);
        builder.region(0, (1, 37), RegionKind::Code, Counter::Counter(0));
        let (no, yes, _) = builder.condition(0, (2, 7), Counter::Counter(0));
        (function, no, yes)
    };
    let (min_a, _, min_a_yes) = min("a.c:min");
    let (min_b, min_b_no, min_b_yes) = min("b.c:min");
    let program = builder.program;
    let mut counter = HitCounter::new(&program);
    for function in [main, min_a, min_b, min_b] {
        counter.enter(function);
    }
    for edge in [main_no, min_a_yes, min_b_no, min_b_yes] {
        counter.edge(edge);
    }
    (program, counter.take())
}
