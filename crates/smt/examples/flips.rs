//! Measures the solver on synthetic path conditions over a 200-byte input: how many flips a second, and which layer
//! answers them. `cargo run --release -p smt --example flips [layers|backend] [tactics|fresh|incremental] [path] [units]`.

use std::time::Instant;

use smt::backend::z3::{Mode, Z3};
use smt::{
    Answer, Assignment, Config, Effort, Layer, Op, Pool, Query, SearchLimits, Solver, Stats, Term,
    Var, eval,
};

const BYTES: u32 = 200;

/// A pseudo-random sequence.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        self.0 >> 33
    }
}

/// Collects conditions in the direction in which they hold.
struct Path<'a> {
    pool: &'a mut Pool,
    hint: &'a Assignment,
    conditions: Vec<Term>,
}

impl Path<'_> {
    fn byte(&mut self, i: u32) -> Term {
        self.pool.var(Var(i % BYTES), 8)
    }

    fn wide(&mut self, i: u32) -> Term {
        let byte = self.byte(i);
        self.pool.zext(byte, 32)
    }

    fn number(&mut self, value: u128) -> Term {
        self.pool.constant(32, value)
    }

    fn branch(&mut self, condition: Term) {
        if !self.pool.is_symbolic(condition) {
            return;
        }
        let holds = eval(self.pool, condition, self.hint) == 1;
        let taken = if holds {
            condition
        } else {
            self.pool.not(condition)
        };
        self.conditions.push(taken);
    }
}

/// A tokenizer: class tests on each byte, then keywords.
fn keywords(path: &mut Path<'_>) {
    for i in 0..BYTES {
        let c = path.wide(i);
        for (low, high) in [(9, 13), (48, 57), (65, 90), (97, 122)] {
            let (low, span) = (path.number(low), path.number(high - low));
            let offset = path.pool.bin(Op::Sub, c, low);
            let inside = path.pool.cmp(Op::Ule, offset, span);
            path.branch(inside);
        }
        if i % 20 == 0 {
            for (j, letter) in b"while".iter().enumerate() {
                let (c, letter) = (path.wide(i + j as u32), path.number(u128::from(*letter)));
                let equal = path.pool.eq(c, letter);
                path.branch(equal);
            }
        }
    }
}

/// A running checksum over all bytes that is compared now and then, and byte tests between.
fn checksum(path: &mut Path<'_>) {
    let mut sum = path.number(1);
    for i in 0..BYTES {
        let (c, k) = (path.wide(i), path.number(31));
        let product = path.pool.bin(Op::Mul, sum, k);
        sum = path.pool.bin(Op::Add, product, c);
        let limit = path.number(100 + u128::from(i % 100));
        let less = path.pool.cmp(Op::Ult, c, limit);
        path.branch(less);
        if i % 8 == 7 {
            let mask = path.number(0xff);
            let (low, value) = (
                path.pool.bin(Op::And, sum, mask),
                path.number(u128::from(i)),
            );
            let equal = path.pool.eq(low, value);
            path.branch(equal);
        }
    }
}

/// Words of four bytes in nested arithmetic comparisons that share variables.
fn arithmetic(path: &mut Path<'_>) {
    let mut random = Random(3);
    let words: Vec<Term> = (0..BYTES / 4)
        .map(|w| {
            let bytes: Vec<Term> = (0..4).map(|i| path.byte(4 * w + i)).collect();
            bytes
                .into_iter()
                .reduce(|low, high| path.pool.concat(high, low))
                .expect("four bytes")
        })
        .collect();
    for w in 0..words.len() {
        let (x, y, z) = (
            words[w],
            words[(w + 1) % words.len()],
            words[(w + 7) % words.len()],
        );
        let k = path.number(u128::from(random.next() | 1));
        let scaled = path.pool.bin(Op::Mul, x, k);
        let sum = path.pool.bin(Op::Add, scaled, y);
        let less = path.pool.cmp(Op::Slt, sum, z);
        path.branch(less);
        let (d, r) = (path.number(17), path.number(5));
        let rest = path.pool.bin(Op::URem, x, d);
        let equal = path.pool.eq(rest, r);
        path.branch(equal);
        let difference = path.pool.bin(Op::Sub, y, z);
        let below = path.pool.cmp(Op::Ult, difference, x);
        path.branch(below);
        let both = path.pool.bin(Op::Xor, x, y);
        let c = path.number(u128::from(random.next()));
        let equal = path.pool.eq(both, c);
        path.branch(equal);
    }
}

/// Table look-ups, as of `isalpha` and of a state machine.
fn tables(path: &mut Path<'_>) {
    let class: Box<[Term]> = (0..256u128)
        .map(|i| path.pool.constant(8, i * i % 7))
        .collect();
    let next: Box<[Term]> = (0..49u128)
        .map(|i| path.pool.constant(8, (i * 5 + 3) % 7))
        .collect();
    let mut state = path.pool.constant(8, 0);
    for i in 0..BYTES {
        let c = path.byte(i);
        let kind = path.pool.table(c, class.clone());
        if i % 10 == 0 {
            state = path.pool.constant(8, 0);
        }
        let seven = path.pool.constant(8, 7);
        let row = path.pool.bin(Op::Mul, state, seven);
        let index = path.pool.bin(Op::Add, row, kind);
        state = path.pool.table(index, next.clone());
        let three = path.pool.constant(8, 3);
        let equal = path.pool.eq(state, three);
        path.branch(equal);
    }
}

/// Adds the flips of one kind of program to a path.
type Build = fn(&mut Path<'_>);

fn measure(name: &str, build: Build, config: Config) {
    let mut pool = Pool::new();
    let mut random = Random(1);
    let mode = match std::env::args().nth(2).as_deref() {
        Some("fresh") => Mode::Fresh,
        Some("incremental") => Mode::Incremental,
        _ => Mode::Tactics,
    };
    let backend = Z3::with_mode(mode).expect("Z3 is installed");
    let mut solver = Solver::new(Box::new(backend), config);
    let mut hint: Assignment = (0..BYTES)
        .map(|i| (Var(i), u128::from(random.next() % 128)))
        .collect();
    let (mut queries, mut nanos, mut worst) = (0u64, 0u128, 0u128);
    for _ in 0..3 {
        let mut path = Path {
            pool: &mut pool,
            hint: &hint,
            conditions: Vec::new(),
        };
        build(&mut path);
        let conditions = path.conditions;
        let mut last = None;
        for depth in 0..conditions.len() {
            let goal = pool.not(conditions[depth]);
            let query = Query {
                prefix: &conditions[..depth],
                goal,
                hint: &hint,
                effort: Effort::Full,
            };
            let start = Instant::now();
            let answer = solver.solve(&mut pool, &query);
            let took = start.elapsed().as_nanos();
            queries += 1;
            nanos += took;
            worst = worst.max(took);
            if let Answer::Sat(model) = answer {
                last = Some(model);
            }
        }
        hint = last.unwrap_or(hint);
    }
    let seconds = nanos as f64 / 1e9;
    println!(
        "{name:<11} {queries:>5} flips {:>9.0}/s  mean {:>8.1} us  worst {:>8.1} ms  pool {} terms {:.1} MB",
        queries as f64 / seconds,
        seconds * 1e6 / queries as f64,
        worst as f64 / 1e6,
        pool.len(),
        pool.memory().total() as f64 / 1e6
    );
    show(solver.stats());
}

fn show(s: &Stats) {
    let layers = Layer::ALL.into_iter().filter(|&layer| s.count(layer) > 0);
    let layers: Vec<String> = layers
        .map(|layer| format!("{} {}", layer.name(), s.count(layer)))
        .collect();
    println!(
        "            sat {} unsat {} unknown {} | {} bad {} | prefix {} slice {}",
        s.sat,
        s.unsat,
        s.unknown,
        layers.join(" "),
        s.bad_models,
        s.prefix_constraints,
        s.slice_constraints
    );
}

fn main() {
    let mut config = Config::default();
    if std::env::args().nth(1).as_deref() == Some("backend") {
        config.caches = false;
        config.domains = false;
        config.circuits = false;
        config.enumeration_steps = 0;
        config.search = SearchLimits {
            steps: 0,
            ..SearchLimits::default()
        };
    }
    let paths: [(&str, Build); 4] = [
        ("keywords", keywords),
        ("checksum", checksum),
        ("arithmetic", arithmetic),
        ("tables", tables),
    ];
    if let Some(units) = std::env::args().nth(4) {
        config.budget.units = units.parse().expect("a number");
    }
    config.budget.millis = if std::env::args().nth(5).is_some() {
        0
    } else {
        30_000
    };
    let wanted = std::env::args().nth(3);
    for (name, build) in paths {
        if wanted.as_ref().is_none_or(|w| w == name) {
            measure(name, build, config);
        }
    }
}
