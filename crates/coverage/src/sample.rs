//! Sample programs for the tests of this crate and of `report`: small records built by hand, no texts to parse.

use std::fmt::Write;

use program::decision::Next;
use program::{
    Counter, EdgeId, Expr, ExprOp, FuncId, Function, FunctionCoverage, Op, Operand, Program,
    Region, RegionKind, SiteKind, SourceRange, Terminator, Type,
};

use crate::counts::{HitCounter, Hits};
use crate::criterion::{self, Criterion};
use crate::goal::{Evidence, Figure, Goal, GoalId, GoalKind};
use crate::goals::Goals;
use crate::scope::{LineRange, Lines, Scope};
use crate::vector::Pairing;

/// A small generator of random numbers (xorshift).
pub struct Random(u64);

impl Random {
    pub fn new(seed: u64) -> Random {
        Random(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1)
    }

    pub fn draw(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0.wrapping_mul(0x2545_f491_4f6c_dd1d)
    }

    pub fn below(&mut self, bound: usize) -> usize {
        ((self.draw() >> 33) % bound as u64) as usize
    }
}

/// Builds programs with a coverage mapping, without code.
pub struct Builder {
    pub program: Program,
}

impl Default for Builder {
    fn default() -> Builder {
        Builder::new()
    }
}

impl Builder {
    #[must_use]
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
    let end = |value| Next::End(value);
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
        conditions: vec![condition(2, Next::Condition(1)), condition(3, end(true))],
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

/// A function with decisions one after the other, whatever they come to: for each condition, what follows when it is false, when it is
/// true. Conditions stand in a line each, from line 2 on. Its edges, by condition: false and true; each increments a counter.
///
/// # Panics
/// What follows is no decision.
#[must_use]
pub fn of_next(decisions: &[&[[Next; 2]]]) -> (Program, Vec<[EdgeId; 2]>) {
    let count: usize = decisions.iter().map(|next| next.len()).sum();
    let params: Vec<String> = (0..count).map(|at| format!("v{at}: i1")).collect();
    let (mut blocks, mut regions) = (String::new(), String::new());
    let (mut decides, mut first) = (String::new(), 0);
    for next in decisions {
        let last = first + next.len();
        let block = |to: Next| match to {
            Next::Condition(to) => 3 * (first + usize::from(to)),
            Next::End(_) => 3 * last,
        };
        for (at, next) in (first..).zip(*next) {
            let (then, els, line) = (3 * at + 1, 3 * at + 2, at + 2);
            let entry = if at == 0 { "count 0" } else { "" };
            let site = format!("site{at} in {line}:1..{line}:6");
            let [no, yes] = [2 * at, 2 * at + 1].map(|edge| format!("edge{edge}"));
            let _ = writeln!(
                blocks,
                "block{}: {entry} br v{at}, block{then}, block{els} [{site}: {no} false {{{els}}}, {yes} true {{{then}}}]
                block{then}: count {then} br block{} block{els}: count {els} br block{}",
                3 * at,
                block(next[1]),
                block(next[0])
            );
            let _ = writeln!(regions, "branch c{then}, c{els} in 0 {line}:1..{line}:6");
        }
        if next.len() > 1 {
            let word = |to: Next| match to {
                Next::Condition(to) => to.to_string(),
                Next::End(true) => "yes".to_owned(),
                Next::End(false) => "no".to_owned(),
            };
            // The region of the whole function comes first.
            let conditions = (first + 1..).zip(*next).map(|(region, next)| {
                format!("{region} true {} false {}", word(next[1]), word(next[0]))
            });
            let conditions: Vec<String> = conditions.collect();
            let (from, to) = (first + 2, last + 1);
            let conditions = conditions.join(", ");
            let _ = writeln!(
                decides,
                "decides clang in 0 {from}:1..{to}:6 {{{conditions}}}"
            );
        }
        first = last;
    }
    let text = format!(
        "file0 \"a.c\" fn0 @main({}) counters {{0}} {{ {blocks} block{}: ret }}
        coverage fn0 \"main\" hash 1 counters {} files {{0}} {{ code c0 in 0 1:1..99:2 {regions} {decides} }}",
        params.join(", "),
        3 * count,
        3 * count + 1,
    );
    let program = program::text::sample(&text);
    let edges = (0..count as u32).map(|at| [2 * at, 2 * at + 1].map(EdgeId::from_u32));
    (program, edges.collect())
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

/// The goals of [`decisions`] in some lines under a criterion: place and kind.
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

/// The program whose real export by `llvm-cov` is in `report/testdata/export.json`, and the hits of its run.
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
