//! Rules for comparisons of floats computed from one integer: `(double)n / 10 < 2.5`, what a decimal number is compared with.
//!
//! The integer's conversion and each operation with a constant is monotone, because rounding is (IEEE 754-2019, 4.3). So the
//! integers for which the comparison holds are those below, or from, one threshold, which bisection finds. What is left is
//! a comparison of integers, where a solver would have taken a division of floats apart into bits.
//!
//! What must hold: no step yields a NaN: integers are finite, factors and divisors are finite and not 0, summands finite.

use super::Pool;
use crate::eval::{compute, is_finite, is_nan, mask, sign_bit};
use crate::{Op, Term};

/// One operation, with its constant if it has one.
#[derive(Clone, Copy, Debug)]
struct Step {
    op: Op,
    bits: u16,
    aux: u8,
    /// Of the operand.
    width: u16,
    constant: Option<u128>,
    /// The constant stands left.
    swapped: bool,
}

impl Step {
    fn apply(self, value: u128) -> u128 {
        let x = match (self.constant, self.swapped) {
            (Some(constant), false) => [value, constant, 0],
            (Some(constant), true) => [constant, value, 0],
            (None, _) => [value, 0, 0],
        };
        compute(self.op, self.bits, self.aux, self.width, x)
    }
}

/// A float as a monotone function of an integer.
#[derive(Debug)]
struct Chain {
    integer: Term,
    is_signed: bool,
    /// Falls as the integer rises.
    falls: bool,
    /// Innermost first.
    steps: Vec<Step>,
}

/// Operations that a chain may have: bounds the work of a rule.
const LONGEST: usize = 8;

impl Pool {
    /// `op` is `FEq`, `FLt` or `FLe`.
    pub(super) fn rewrite_monotone(&mut self, op: Op, a: Term, b: Term) -> Option<Term> {
        let width = self.width(a);
        if let Some(bound) = self.as_const(b).filter(|&c| !is_nan(c, width)) {
            let chain = self.chain(a)?;
            return Some(match op {
                Op::FEq => {
                    let below = self.below(&chain, Op::FLt, width, bound);
                    let up_to = self.below(&chain, Op::FLe, width, bound);
                    let from = self.not(below);
                    self.and(from, up_to)
                }
                _ => self.below(&chain, op, width, bound),
            });
        }
        let bound = self.as_const(a).filter(|&c| !is_nan(c, width))?;
        let chain = self.chain(b)?;
        let reverse = match op {
            Op::FEq => return self.rewrite_monotone(op, b, a),
            Op::FLt => Op::FLe,
            _ => Op::FLt,
        };
        let other = self.below(&chain, reverse, width, bound);
        Some(self.not(other))
    }

    fn chain(&self, term: Term) -> Option<Chain> {
        let mut chain = Chain {
            integer: term,
            is_signed: false,
            falls: false,
            steps: Vec::new(),
        };
        let mut at = term;
        while chain.steps.len() < LONGEST {
            let op = self.op(at)?;
            let node = self.node(at);
            let (x, y) = (Term(node.a), Term(node.b));
            let mut step = Step {
                op,
                bits: node.bits,
                aux: node.aux,
                width: self.width(x),
                constant: None,
                swapped: false,
            };
            match op {
                Op::SToF | Op::UToF => {
                    chain.steps.push(step);
                    chain.steps.reverse();
                    chain.integer = x;
                    chain.is_signed = op == Op::SToF;
                    return (step.width <= 64).then_some(chain);
                }
                Op::FNeg => chain.falls ^= true,
                Op::FToF | Op::FRound => {}
                Op::FAdd | Op::FSub | Op::FMul | Op::FDiv => {
                    step.swapped = self.as_const(x).is_some();
                    let (rest, constant) = if step.swapped { (y, x) } else { (x, y) };
                    let constant = self.as_const(constant)?;
                    let factor = matches!(op, Op::FMul | Op::FDiv);
                    let size = constant & mask(step.width - 1);
                    if !is_finite(constant, step.width)
                        || factor && size == 0
                        || op == Op::FDiv && step.swapped
                    {
                        return None;
                    }
                    let is_negative = constant & sign_bit(step.width) != 0;
                    chain.falls ^= factor && is_negative || op == Op::FSub && step.swapped;
                    step.constant = Some(constant);
                    chain.steps.push(step);
                    at = rest;
                    continue;
                }
                _ => return None,
            }
            chain.steps.push(step);
            at = x;
        }
        None
    }

    /// `chain op bound`, for `op` an order.
    fn below(&mut self, chain: &Chain, op: Op, width: u16, bound: u128) -> Term {
        let bits = self.width(chain.integer);
        // Integers in their order: the rank of the smallest is 0.
        let offset = if chain.is_signed { sign_bit(bits) } else { 0 };
        let holds = |rank: u128| {
            let integer = rank ^ offset;
            let float = chain
                .steps
                .iter()
                .fold(integer, |value, step| step.apply(value));
            compute(op, 1, 0, width, [float, bound, 0]) == 1
        };
        // The first rank at which the answer is not that of a very small (or, falling, a very large) value.
        let (mut low, mut high) = (0, 1 << bits);
        while low < high {
            let middle = low + (high - low) / 2;
            if holds(middle) == chain.falls {
                high = middle;
            } else {
                low = middle + 1;
            }
        }
        let below = if low == 0 {
            self.bool(false)
        } else if low > mask(bits) {
            self.bool(true)
        } else {
            let threshold = self.constant(bits, low ^ offset);
            let order = if chain.is_signed { Op::Slt } else { Op::Ult };
            self.cmp(order, chain.integer, threshold)
        };
        if chain.falls { self.not(below) } else { below }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::Random;
    use crate::{Assignment, Var, eval};

    fn constant(pool: &mut Pool, random: &mut Random, width: u16) -> Term {
        let value = match random.below(6) {
            0 => 0.0,
            1 => 10.0,
            2 => -2.5,
            3 => 1e300,
            4 => f64::from_bits(random.next()),
            _ => random.below(2000) as f64 / 8.0 - 100.0,
        };
        pool.constant(width, crate::eval::number(width, value))
    }

    /// A comparison of a chain with a constant, the same in every pool that starts from the same random numbers.
    fn comparison(pool: &mut Pool, random: &mut Random, bits: u16) -> Term {
        let mut width = [32, 64, 80][random.below(3)];
        let x = pool.var(Var(0), bits);
        let convert = [Op::SToF, Op::UToF][random.below(2)];
        let mut at = pool.apply(convert, width, 0, &[x]);
        for _ in 0..random.below(4) {
            match random.below(8) {
                0 => at = pool.un(Op::FNeg, at),
                1 => at = pool.apply(Op::FRound, width, random.below(5) as u32, &[at]),
                2 => {
                    width = [32, 64, 80][random.below(3)];
                    at = pool.apply(Op::FToF, width, 0, &[at]);
                }
                _ => {
                    let c = constant(pool, random, width);
                    let op = [Op::FAdd, Op::FSub, Op::FMul, Op::FDiv][random.below(4)];
                    at = if random.below(3) == 0 {
                        pool.bin(op, c, at)
                    } else {
                        pool.bin(op, at, c)
                    };
                }
            }
        }
        let c = constant(pool, random, width);
        let op = [Op::FEq, Op::FLt, Op::FLe][random.below(3)];
        if random.below(2) == 0 {
            pool.cmp(op, at, c)
        } else {
            pool.cmp(op, c, at)
        }
    }

    #[test]
    fn thresholds_are_where_the_floats_say() {
        for seed in 0..20_000 {
            let (mut plain, mut rewriting) = (Pool::plain(), Pool::new());
            let mut random = Random::new(seed + 1);
            let bits = [8, 16, 32, 64][random.below(4)];
            let old = comparison(&mut plain, &mut Random::new(seed), bits);
            let new = comparison(&mut rewriting, &mut Random::new(seed), bits);
            for _ in 0..12 {
                let value = match random.below(3) {
                    0 => u128::from(random.next()),
                    _ => (random.below(4000) as i128 - 2000).cast_unsigned(),
                };
                let assignment: Assignment = [(Var(0), value & mask(bits))].into_iter().collect();
                assert_eq!(
                    eval(&plain, old, &assignment),
                    eval(&rewriting, new, &assignment),
                    "seed {seed}, {value}"
                );
            }
        }
    }

    #[test]
    fn a_quotient_is_compared_as_an_integer() {
        let mut pool = Pool::new();
        let n = pool.var(Var(0), 64);
        let tenth = pool.apply(Op::SToF, 64, 0, &[n]);
        let ten = pool.constant(64, 10.0_f64.to_bits().into());
        let tenth = pool.bin(Op::FDiv, tenth, ten);
        let wanted = pool.constant(64, 2.5_f64.to_bits().into());
        let equal = pool.cmp(Op::FEq, tenth, wanted);
        let value = |n: u128| eval(&pool, equal, &[(Var(0), n)].into_iter().collect());
        assert_eq!([value(24), value(25), value(26)], [0, 1, 0]);
        assert!(!matches!(pool.op(equal), Some(Op::FEq)));
    }
}
