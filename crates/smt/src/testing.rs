//! Random terms and assignments for tests.

use crate::eval::{eval, mask};
use crate::{Assignment, Op, Pool, Term, Var, pool::Tag};

/// A small generator: the same seed gives the same numbers.
pub(crate) struct Random(u64);

impl Random {
    pub(crate) fn new(seed: u64) -> Self {
        Self(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1)
    }

    pub(crate) fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0.wrapping_mul(0x2545_f491_4f6c_dd1d)
    }

    pub(crate) fn below(&mut self, n: usize) -> usize {
        ((self.next() >> 32) % n as u64) as usize
    }

    pub(crate) fn pick<T: Copy>(&mut self, from: &[T]) -> T {
        from[self.below(from.len())]
    }

    /// A value of `bits` bits; special ones are common.
    pub(crate) fn value(&mut self, bits: u16) -> u128 {
        let any = u128::from(self.next()) << 64 | u128::from(self.next());
        let special = match self.below(9) {
            0 => 0,
            1 => 1,
            2 => u128::MAX,
            3 => 1 << (bits - 1),
            4 => (1 << (bits - 1)) - 1,
            5 => u128::from(self.next() % 256),
            6 => 1 << self.below(usize::from(bits)),
            7 if matches!(bits, 32 | 64 | 80) => crate::eval::number(bits, self.float()),
            _ => any,
        };
        special & mask(bits)
    }

    fn float(&mut self) -> f64 {
        let small = self.next() as i8;
        let scale = self.pick(&[1.0, 0.5, 1e9, 1e-9, 3e18, 1e300]);
        self.pick(&[
            f64::from(small) * scale,
            f64::NAN,
            f64::INFINITY,
            -0.0,
            f64::from(small) / 3.0,
        ])
    }
}

/// Widths that tests use.
const WIDTHS: [u16; 9] = [1, 1, 3, 8, 16, 32, 64, 8, 128];

/// Makes terms over a few variables; later terms use earlier ones.
pub(crate) struct TermMaker {
    vars: Vec<(Var, u16)>,
    pub(crate) terms: Vec<Term>,
}

impl TermMaker {
    pub(crate) fn new(pool: &mut Pool, random: &mut Random) -> Self {
        let vars: Vec<(Var, u16)> = [1, 3, 8, 8, 16, 32, 32, 64, 64, 80, 128]
            .into_iter()
            .enumerate()
            .map(|(i, bits)| (Var(i as u32), bits))
            .collect();
        let mut terms: Vec<Term> = vars
            .iter()
            .map(|&(var, bits)| pool.var(var, bits))
            .collect();
        for _ in 0..8 {
            let bits = random.pick(&WIDTHS);
            let value = random.value(bits);
            terms.push(pool.constant(bits, value));
        }
        Self { vars, terms }
    }

    pub(crate) fn assignment(&self, random: &mut Random) -> Assignment {
        self.vars
            .iter()
            .map(|&(var, bits)| (var, random.value(bits)))
            .collect()
    }

    /// A term of `bits` bits: an old one, a cut one, or a constant.
    pub(crate) fn operand(&mut self, pool: &mut Pool, random: &mut Random, bits: u16) -> Term {
        let fitting: Vec<Term> = self
            .terms
            .iter()
            .copied()
            .filter(|&t| pool.width(t) == bits)
            .collect();
        match random.below(10) {
            0..7 if !fitting.is_empty() => random.pick(&fitting),
            7 => {
                let value = random.value(bits);
                pool.constant(bits, value)
            }
            _ => {
                let t = random.pick(&self.terms);
                let width = pool.width(t);
                match (width >= bits, random.below(2)) {
                    (true, _) => {
                        pool.extract(t, random.below(usize::from(width - bits) + 1) as u16, bits)
                    }
                    (_, 0) => pool.zext(t, bits),
                    _ => pool.sext(t, bits),
                }
            }
        }
    }

    /// A new term with this operation on top.
    pub(crate) fn operation(&mut self, pool: &mut Pool, random: &mut Random, op: Op) -> Term {
        let (bits, aux, widths) = shape(random, op);
        let operands: Vec<Term> = widths
            .iter()
            .take(op.arity())
            .map(|&w| self.operand(pool, random, w))
            .collect();
        let term = pool.apply(op, bits, aux, &operands);
        self.terms.push(term);
        term
    }

    /// A new table read.
    pub(crate) fn table(&mut self, pool: &mut Pool, random: &mut Random) -> Term {
        let (bits, index) = (random.pick(&WIDTHS), random.pick(&[1, 3, 8, 32]));
        let index = self.operand(pool, random, index);
        let entries = (0..=random.below(6))
            .map(|_| self.operand(pool, random, bits))
            .collect();
        let term = pool.table(index, entries);
        self.terms.push(term);
        term
    }
}

/// Width of the result, extra operand, widths of the operands.
fn shape(random: &mut Random, op: Op) -> (u16, u32, [u16; 3]) {
    let w = random.pick(&WIDTHS);
    let float = random.pick(&[32, 64]);
    match op {
        Op::Ite => (w, 0, [1, w, w]),
        Op::Concat => {
            let (a, b) = (
                random.pick(&[1, 3, 8, 16, 32, 64]),
                random.pick(&[1, 8, 16, 32, 64]),
            );
            (a + b, 0, [a, b, 0])
        }
        Op::ZExt | Op::SExt => {
            let to = random.pick(&WIDTHS);
            (w.max(to), 0, [w.min(to), 0, 0])
        }
        Op::Extract => {
            let bits = 1 + random.below(usize::from(w)) as u16;
            (
                bits,
                random.below(usize::from(w - bits) + 1) as u32,
                [w, 0, 0],
            )
        }
        Op::Bswap => {
            let w = random.pick(&[8, 16, 32, 64, 128]);
            (w, 0, [w, 0, 0])
        }
        Op::FToS | Op::FToU => (random.pick(&[1, 8, 16, 32, 64]), 0, [float, 0, 0]),
        Op::SToF | Op::UToF => (float, 0, [w, 0, 0]),
        Op::FToF => (random.pick(&[32, 64, 80]), 0, [float, 0, 0]),
        Op::FRound => (float, random.below(5) as u32, [float, 0, 0]),
        _ if op.takes_floats() => (if op.is_predicate() { 1 } else { float }, 0, [float; 3]),
        _ if op.is_predicate() => (1, 0, [w, w, 0]),
        _ => (w, 0, [w, w, 0]),
    }
}

/// Constraints that fix the variables of `term` to their values.
pub(crate) fn fix(pool: &mut Pool, term: Term, assignment: &Assignment) -> Vec<Term> {
    let mut scratch = crate::eval::Scratch::default();
    let order = scratch.topological(pool, &[term]);
    let vars: Vec<Term> = order
        .into_iter()
        .filter(|&t| pool.node(t).tag == Tag::Var)
        .collect();
    vars.into_iter()
        .map(|var| {
            let value = eval(pool, var, assignment);
            let value = pool.constant(pool.width(var), value);
            pool.eq(var, value)
        })
        .collect()
}

/// Whether a float operation below `term` computes a NaN, whose bits are not determined.
pub(crate) fn computes_nan(pool: &Pool, term: Term, assignment: &Assignment) -> bool {
    let mut scratch = crate::eval::Scratch::default();
    scratch.topological(pool, &[term]).into_iter().any(|t| {
        let node = pool.node(t);
        let yields_float =
            matches!(node.tag, Tag::Op(op) if op.takes_floats() && !op.is_predicate() && op != Op::FToS && op != Op::FToU);
        let value = eval(pool, t, assignment);
        yields_float
            && match node.bits {
                32 => f32::from_bits(value as u32).is_nan(),
                _ => f64::from_bits(value as u64).is_nan(),
            }
    })
}

/// The term written out, with its variables' values, for messages.
pub(crate) fn show(pool: &Pool, term: Term, assignment: &Assignment) -> String {
    use std::fmt::Write;
    let mut out = String::new();
    for t in crate::eval::Scratch::default().topological(pool, &[term]) {
        let node = pool.node(t);
        let value = eval(pool, t, assignment);
        let _ = match node.tag {
            Tag::Op(op) => {
                let operands: Vec<String> = [node.a, node.b, node.c]
                    .iter()
                    .take(op.arity())
                    .map(|o| format!("t{o}"))
                    .collect();
                writeln!(
                    out,
                    "{t}: i{} = {op:?}.{} {} → {value:#x}",
                    node.bits,
                    node.aux,
                    operands.join(" ")
                )
            }
            tag => writeln!(out, "{t}: i{} = {tag:?} {} → {value:#x}", node.bits, node.a),
        };
    }
    out
}
