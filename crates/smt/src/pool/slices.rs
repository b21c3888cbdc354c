//! Rules for shifts, extensions, extractions and concatenations.
//!
//! Shifts by constants become slices. A concatenation leans right: its first operand is no concatenation.

use super::Pool;
use crate::{Op, Term};

impl Pool {
    pub(super) fn rewrite_slices(
        &mut self,
        op: Op,
        bits: u16,
        aux: u8,
        a: Term,
        b: Term,
    ) -> Option<Term> {
        match op {
            Op::Shl | Op::LShr | Op::AShr => self.rewrite_shift(op, bits, a, b),
            Op::ZExt => self.rewrite_zext(bits, a),
            Op::SExt => self.rewrite_sext(bits, a),
            Op::Extract => self.rewrite_extract(u16::from(aux), bits, a),
            Op::Concat => self.rewrite_concat(bits, a, b),
            _ => {
                let mut out = self.extract(a, 0, 8);
                for low in (8..bits).step_by(8) {
                    let byte = self.extract(a, low, 8);
                    out = self.concat(out, byte);
                }
                Some(out)
            }
        }
    }

    fn rewrite_shift(&mut self, op: Op, bits: u16, a: Term, b: Term) -> Option<Term> {
        if self.as_const(a) == Some(0) {
            return Some(a);
        }
        let by = self.as_const(b)?;
        if by == 0 {
            return Some(a);
        }
        if by >= u128::from(bits) {
            if op == Op::AShr {
                let sign = self.extract(a, bits - 1, 1);
                return Some(self.sext(sign, bits));
            }
            return Some(self.zero(bits));
        }
        let by = by as u16;
        match op {
            Op::Shl => {
                let (high, low) = (self.extract(a, 0, bits - by), self.zero(by));
                Some(self.concat(high, low))
            }
            _ => {
                let high = self.extract(a, by, bits - by);
                Some(if op == Op::LShr {
                    self.zext(high, bits)
                } else {
                    self.sext(high, bits)
                })
            }
        }
    }

    fn rewrite_zext(&mut self, bits: u16, a: Term) -> Option<Term> {
        if self.width(a) == bits {
            return Some(a);
        }
        let x = self.zext_of(a)?;
        Some(self.zext(x, bits))
    }

    fn rewrite_sext(&mut self, bits: u16, a: Term) -> Option<Term> {
        if self.width(a) == bits {
            return Some(a);
        }
        if let Some(x) = self.sext_of(a) {
            return Some(self.sext(x, bits));
        }
        let x = self.zext_of(a)?;
        Some(self.zext(x, bits))
    }

    fn rewrite_extract(&mut self, low: u16, bits: u16, a: Term) -> Option<Term> {
        let width = self.width(a);
        if bits == width {
            return Some(a);
        }
        if bits == 1
            && let Some(bit) = self.bit_of_set(low, a)
        {
            return Some(bit);
        }
        match self.op(a)? {
            Op::Extract => {
                let node = self.extract_of(a)?;
                Some(self.extract(Term(node.a), u16::from(node.aux) + low, bits))
            }
            Op::Concat => {
                let [high, rest, _] = self.operands(a, Op::Concat)?;
                let place = self.width(rest);
                Some(if low >= place {
                    self.extract(high, low - place, bits)
                } else if low + bits <= place {
                    self.extract(rest, low, bits)
                } else {
                    let upper = self.extract(high, 0, low + bits - place);
                    let lower = self.extract(rest, low, place - low);
                    self.concat(upper, lower)
                })
            }
            op @ (Op::ZExt | Op::SExt) => {
                let [x, ..] = self.operands(a, op)?;
                let inner = self.width(x);
                if low + bits <= inner {
                    return Some(self.extract(x, low, bits));
                }
                Some(match (op, low >= inner) {
                    (Op::ZExt, true) => self.zero(bits),
                    (Op::ZExt, false) => {
                        let part = self.extract(x, low, inner - low);
                        self.zext(part, bits)
                    }
                    (_, beyond) => {
                        let from = if beyond { inner - 1 } else { low };
                        let part = self.extract(x, from, inner - from);
                        self.sext(part, bits)
                    }
                })
            }
            Op::Ite => {
                let [p, x, y] = self.operands(a, Op::Ite)?;
                self.as_const(x).or(self.as_const(y))?;
                if self.as_const(x).is_none() && !self.is_made_of_parts(x)
                    || self.as_const(y).is_none() && !self.is_made_of_parts(y)
                {
                    return None;
                }
                let (x, y) = (self.extract(x, low, bits), self.extract(y, low, bits));
                Some(self.ite(p, x, y))
            }
            Op::Not => {
                let [x, ..] = self.operands(a, Op::Not)?;
                if !self.is_made_of_parts(x) {
                    return None;
                }
                let part = self.extract(x, low, bits);
                Some(self.not(part))
            }
            op @ (Op::And | Op::Or | Op::Xor) => self.extract_through(op, low, bits, a),
            op @ (Op::Add | Op::Sub | Op::Mul) if low == 0 => {
                self.extract_through(op, low, bits, a)
            }
            _ => None,
        }
    }

    /// An operation of parts, where the parts get simpler.
    fn extract_through(&mut self, op: Op, low: u16, bits: u16, a: Term) -> Option<Term> {
        let [x, y, _] = self.operands(a, op)?;
        if !self.is_made_of_parts(x) || !self.is_made_of_parts(y) {
            return None;
        }
        let (x, y) = (self.extract(x, low, bits), self.extract(y, low, bits));
        Some(self.bin(op, x, y))
    }

    /// A bit of a set that is built of single bits, `s | 1 << i` or `s & ~(1 << i)`: whether it is the one at `i`.
    fn bit_of_set(&mut self, low: u16, a: Term) -> Option<Term> {
        const LONGEST: usize = 512;
        let mut chain = Vec::new();
        let mut rest = a;
        while !self.is_part_of_set(rest) {
            let op = self.op(rest)?;
            let (part, other) = match op {
                Op::Not => (None, self.operands(rest, op)?[0]),
                Op::And | Op::Or | Op::Xor => {
                    let [x, y, _] = self.operands(rest, op)?;
                    if self.is_part_of_set(x) {
                        (Some(x), y)
                    } else if self.is_part_of_set(y) {
                        (Some(y), x)
                    } else {
                        return None;
                    }
                }
                _ => return None,
            };
            if chain.len() == LONGEST {
                return None;
            }
            chain.push((op, part));
            rest = other;
        }
        if chain.is_empty() && self.shift_of_one(rest).is_none() {
            return None;
        }
        let mut bit = self.bit_of_part(low, rest);
        for (op, part) in chain.into_iter().rev() {
            bit = match part {
                Some(leaf) => {
                    let other = self.bit_of_part(low, leaf);
                    self.bin(op, bit, other)
                }
                None => self.not(bit),
            };
        }
        Some(bit)
    }

    fn is_part_of_set(&self, term: Term) -> bool {
        let inner = self.operands(term, Op::Not).map_or(term, |[x, ..]| x);
        self.is_made_of_parts(inner) || self.shift_of_one(inner).is_some()
    }

    fn bit_of_part(&mut self, low: u16, part: Term) -> Term {
        let negated = self.operands(part, Op::Not).map(|[x, ..]| x);
        let inner = negated.unwrap_or(part);
        let bit = match self.shift_of_one(inner) {
            Some(by) => {
                let place = self.constant(self.width(by), u128::from(low));
                self.eq(by, place)
            }
            None => self.extract(inner, low, 1),
        };
        if negated.is_some() {
            self.not(bit)
        } else {
            bit
        }
    }

    /// By how much 1 is shifted.
    fn shift_of_one(&self, term: Term) -> Option<Term> {
        let [one, by, _] = self.operands(term, Op::Shl)?;
        (self.as_const(one) == Some(1)).then_some(by)
    }

    /// Whether extractions from the term are no new work.
    fn is_made_of_parts(&self, term: Term) -> bool {
        self.as_const(term).is_some()
            || matches!(
                self.op(term),
                Some(Op::ZExt | Op::SExt | Op::Concat | Op::Extract)
            )
    }

    fn rewrite_concat(&mut self, bits: u16, high: Term, low: Term) -> Option<Term> {
        if self.as_const(high) == Some(0) {
            return Some(self.zext(low, bits));
        }
        if let Some(x) = self.zext_of(high) {
            let joined = self.concat(x, low);
            return Some(self.zext(joined, bits));
        }
        if let Some([a, b, _]) = self.operands(high, Op::Concat) {
            let rest = self.concat(b, low);
            return Some(self.concat(a, rest));
        }
        if let Some(joined) = self.join(high, low) {
            return Some(joined);
        }
        let [a, b, _] = self.operands(low, Op::Concat)?;
        let joined = self.join(high, a)?;
        Some(self.concat(joined, b))
    }

    /// Two neighbours as one term: constants, or neighbouring bits of one term.
    fn join(&mut self, high: Term, low: Term) -> Option<Term> {
        let width = self.width(low);
        if let (Some(c), Some(d)) = (self.as_const(high), self.as_const(low)) {
            return Some(self.constant(self.width(high) + width, c << width | d));
        }
        let upper = self.extract_of(high)?;
        let source = Term(upper.a);
        let start = match self.extract_of(low) {
            Some(lower) if lower.a == upper.a => u16::from(lower.aux),
            _ if source == low => 0,
            _ => return None,
        };
        if start + width != u16::from(upper.aux) {
            return None;
        }
        Some(self.extract(source, start, width + upper.bits))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Var, eval};

    /// Bits are put into a set and taken out of it; whether one is in it needs no shift.
    #[test]
    fn a_bit_of_a_set_is_a_comparison() {
        let mut pool = Pool::new();
        let one = pool.constant(8, 1);
        let mut set = pool.constant(8, 0b1001_0000);
        for (index, put) in [(0, true), (1, true), (2, false)] {
            let number = pool.var(Var(index), 3);
            let by = pool.zext(number, 8);
            let bit = pool.bin(Op::Shl, one, by);
            set = if put {
                pool.bin(Op::Or, set, bit)
            } else {
                let others = pool.not(bit);
                pool.bin(Op::And, others, set)
            };
        }
        for place in 0..8 {
            let bit = pool.extract(set, place, 1);
            assert!(!pool.show(bit).contains("Shl"), "{}", pool.show(bit));
            for number in 0..512 {
                let values = (0..3).map(|index| (Var(index), number >> (3 * index) & 7));
                let values = values.collect();
                let expected = eval(&pool, set, &values) >> place & 1;
                assert_eq!(eval(&pool, bit, &values), expected, "{place} {number:o}");
            }
        }
    }
}
