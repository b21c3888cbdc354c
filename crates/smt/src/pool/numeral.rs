//! Rules for comparisons of numbers in text with constants: `value = 391`, `value < 10`.
//!
//! The value of a text with any number of digits is a chain of choices, `is_digit ? 10 * before + digit : before` (the runtime
//! builds it, `libc_wrappers/digits.rs`). A comparison goes down the chain: `10 * before + digit = 391` is `before = 39` and
//! `digit = 1`. What is left are comparisons of single digits, where a solver would have taken a chain of products apart.
//!
//! What must hold: a step is taken only where nothing overflows, whatever the inputs.

use std::collections::HashMap;

use super::Pool;
use crate::eval::mask;
use crate::{Op, Term};

/// Numbers before the digit that one comparison may leave: more are not worth it.
const MOST_LEFT: u128 = 4;

/// Comparisons and bounds that were made on the way down; without them the chain would be a tree.
#[derive(Default)]
struct Seen {
    compared: HashMap<(Term, bool, u128), Term>,
    bounds: HashMap<Term, u128>,
}

/// `base * before + digit`.
struct Scaled {
    before: Term,
    base: u128,
    digit: Term,
}

impl Pool {
    /// `a = c`, or `a < c` as numbers without a sign.
    pub(super) fn rewrite_numeral(&mut self, op: Op, a: Term, c: u128) -> Option<Term> {
        self.step(a)?;
        Some(self.numeral(op == Op::Eq, a, c, &mut Seen::default()))
    }

    /// The number below a sign: `v` of `p ? -v : v`, and `p`.
    pub(super) fn signed_numeral(&self, a: Term) -> Option<(Term, Term)> {
        let [p, x, y] = self.operands(a, Op::Ite)?;
        let [v, ..] = self.operands(x, Op::Neg)?;
        let inner = self.zext_of(v)?;
        (v == y && self.step(inner).is_some()).then_some((p, v))
    }

    /// `a < c` (`left`) or `c < a` for `a` with a sign; `c` is not the least number.
    pub(super) fn order_signed_numeral(&mut self, a: Term, c: u128, left: bool) -> Option<Term> {
        let (p, v) = self.signed_numeral(a)?;
        let bits = self.width(a);
        let (own, opposite) = (
            self.constant(bits, c),
            self.constant(bits, c.wrapping_neg()),
        );
        let (negative, natural) = if left {
            (self.cmp(Op::Slt, opposite, v), self.cmp(Op::Slt, v, own))
        } else {
            (self.cmp(Op::Slt, v, opposite), self.cmp(Op::Slt, own, v))
        };
        Some(self.ite(p, negative, natural))
    }

    /// The choice of one step, if this is one.
    fn step(&self, term: Term) -> Option<[Term; 3]> {
        let choice @ [_, x, y] = self.operands(term, Op::Ite)?;
        (self.scaled(x).is_some() || self.scaled(y).is_some()).then_some(choice)
    }

    fn scaled(&self, term: Term) -> Option<Scaled> {
        let [x, y, _] = self.operands(term, Op::Add)?;
        [(x, y), (y, x)].into_iter().find_map(|(product, digit)| {
            let digit = self.zext_of(digit)?;
            let (before, base) = self.product(product)?;
            Some(Scaled {
                before: self.zext_of(before)?,
                base,
                digit,
            })
        })
    }

    /// A product with a constant.
    fn product(&self, term: Term) -> Option<(Term, u128)> {
        if let Some([x, y, _]) = self.operands(term, Op::Mul) {
            return match (self.as_const(x), self.as_const(y)) {
                (None, Some(base)) => Some((x, base)),
                (Some(base), None) => Some((y, base)),
                _ => None,
            };
        }
        let [x, by, _] = self.operands(term, Op::Shl)?;
        let by = self.as_const(by).filter(|&by| by < 64)?;
        Some((x, 1 << by))
    }

    /// No value is larger.
    fn bound(&self, term: Term, seen: &mut Seen) -> u128 {
        if let Some(c) = self.as_const(term) {
            return c;
        }
        if let Some(&known) = seen.bounds.get(&term) {
            return known;
        }
        let bound = if let Some(x) = self.zext_of(term) {
            self.bound(x, seen)
        } else if let Some([_, x, y]) = self.step(term) {
            self.bound(x, seen).max(self.bound(y, seen))
        } else if let Some(Scaled {
            before,
            base,
            digit,
        }) = self.scaled(term)
        {
            let sum = self
                .bound(before, seen)
                .checked_mul(base)
                .and_then(|product| product.checked_add(self.bound(digit, seen)));
            let most = mask(self.width(term));
            sum.map_or(most, |sum| sum.min(most))
        } else {
            mask(self.width(term))
        };
        seen.bounds.insert(term, bound);
        bound
    }

    fn numeral(&mut self, equal: bool, term: Term, c: u128, seen: &mut Seen) -> Term {
        if let Some(value) = self.as_const(term) {
            return self.bool(if equal { value == c } else { value < c });
        }
        if c > self.bound(term, seen) {
            return self.bool(!equal);
        }
        let key = (term, equal, c);
        if let Some(&known) = seen.compared.get(&key) {
            return known;
        }
        let result = if let Some(x) = self.zext_of(term) {
            self.numeral(equal, x, c, seen)
        } else if let Some([p, x, y]) = self.step(term) {
            let (x, y) = (
                self.numeral(equal, x, c, seen),
                self.numeral(equal, y, c, seen),
            );
            self.ite(p, x, y)
        } else {
            self.digit_by_digit(equal, term, c, seen)
                .unwrap_or_else(|| {
                    let c = self.constant(self.width(term), c);
                    self.cmp(if equal { Op::Eq } else { Op::Ult }, term, c)
                })
        };
        seen.compared.insert(key, result);
        result
    }

    /// The same for `base * before + digit`.
    fn digit_by_digit(
        &mut self,
        equal: bool,
        term: Term,
        c: u128,
        seen: &mut Seen,
    ) -> Option<Term> {
        let Scaled {
            before,
            base,
            digit,
        } = self.scaled(term)?;
        let largest = self.bound(digit, seen);
        let sum = self.bound(before, seen).checked_mul(base)?;
        if base == 0 || sum.checked_add(largest)? > mask(self.width(term)) {
            return None;
        }
        if c == 0 && !equal {
            return Some(self.bool(false));
        }
        // What may stand before the digit where the digit decides.
        let last = if equal { c } else { c - 1 } / base;
        let first = (c.saturating_sub(largest)).div_ceil(base);
        if last + 1 > first + MOST_LEFT {
            return None;
        }
        // Less than that, and any digit will do.
        let mut any = if equal {
            self.bool(false)
        } else {
            let enough = if c > largest {
                (c - largest - 1) / base + 1
            } else {
                0
            };
            self.numeral(false, before, enough, seen)
        };
        for number in first..=last {
            let same = self.numeral(true, before, number, seen);
            let digit = self.numeral(equal, digit, c - number * base, seen);
            let both = self.and(same, digit);
            any = self.or(any, both);
        }
        Some(any)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::Random;
    use crate::{Assignment, Var, eval};

    const BYTES: u32 = 6;

    /// What the runtime builds, with a sign or without.
    fn number(pool: &mut Pool, base: u128, signed: bool) -> Term {
        let (mut value, mut goes_on) = (pool.constant(1, 0), pool.bool(true));
        let mut is_negative = pool.bool(false);
        for at in 0..BYTES {
            let byte = pool.var(Var(at), 8);
            let zero = pool.constant(8, b'0'.into());
            let limit = pool.constant(8, base);
            let offset = pool.bin(Op::Sub, byte, zero);
            let is_digit = pool.cmp(Op::Ult, offset, limit);
            let mut stays = is_digit;
            if at == 0 && signed {
                let minus = pool.constant(8, b'-'.into());
                is_negative = pool.eq(byte, minus);
                stays = pool.or(is_digit, is_negative);
            }
            let width = 4 * (at as u16 + 1);
            let low = pool.extract(byte, 0, 4);
            let digit = pool.zext(low, width);
            let wide = pool.zext(value, width);
            let times = pool.constant(width, base);
            let product = pool.bin(Op::Mul, wide, times);
            let more = pool.bin(Op::Add, product, digit);
            let one_more = pool.and(goes_on, is_digit);
            goes_on = pool.and(goes_on, stays);
            value = pool.ite(one_more, more, wide);
        }
        let value = pool.zext(value, 32);
        let opposite = pool.un(Op::Neg, value);
        pool.ite(is_negative, opposite, value)
    }

    fn comparison(pool: &mut Pool, random: &mut Random) -> Term {
        let base = [2, 8, 10, 10, 10][random.below(5)];
        let signed = random.below(2) == 0;
        let value = number(pool, base, signed);
        let wanted = match random.below(5) {
            0 => random.below(12) as i64 - 6,
            1 => random.below(2000) as i64 - 1000,
            2 => random.below(2_000_000) as i64 - 1_000_000,
            3 => 1 << random.below(31),
            _ => i64::from(random.next() as i32),
        };
        let wanted = pool.constant(32, i128::from(wanted).cast_unsigned());
        let op = [Op::Eq, Op::Eq, Op::Ult, Op::Ule, Op::Slt, Op::Sle][random.below(6)];
        if random.below(2) == 0 {
            pool.cmp(op, value, wanted)
        } else {
            pool.cmp(op, wanted, value)
        }
    }

    #[test]
    fn comparisons_mean_what_they_meant() {
        for seed in 0..600 {
            let (mut plain, mut rewriting) = (Pool::plain(), Pool::new());
            let old = comparison(&mut plain, &mut Random::new(seed));
            let new = comparison(&mut rewriting, &mut Random::new(seed));
            let mut random = Random::new(seed + 1);
            for _ in 0..40 {
                let text: Assignment = (0..BYTES)
                    .map(|at| {
                        let byte = match random.below(12) {
                            0 => b'-',
                            1 => random.next() as u8,
                            2 | 3 => b'0',
                            _ => b'0' + random.below(10) as u8,
                        };
                        (Var(at), byte.into())
                    })
                    .collect();
                assert_eq!(
                    eval(&plain, old, &text),
                    eval(&rewriting, new, &text),
                    "seed {seed}"
                );
            }
        }
    }

    #[test]
    fn a_number_is_compared_digit_by_digit() {
        let mut pool = Pool::new();
        let value = number(&mut pool, 10, true);
        let wanted = pool.constant(32, 391);
        let shown = |pool: &Pool, term| pool.show(term);
        for op in [Op::Eq, Op::Slt] {
            let compared = pool.cmp(op, value, wanted);
            assert!(
                !shown(&pool, compared).contains("mul"),
                "{}",
                shown(&pool, compared)
            );
        }
    }
}
