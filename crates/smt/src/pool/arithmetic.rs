//! Rules for addition, multiplication, division and overflow tests.

use super::Pool;
use crate::eval::mask;
use crate::{Op, Term};

impl Pool {
    pub(super) fn rewrite_arithmetic(
        &mut self,
        op: Op,
        bits: u16,
        a: Term,
        b: Term,
    ) -> Option<Term> {
        if bits == 1 {
            return match op {
                Op::Add | Op::Sub => Some(self.bin(Op::Xor, a, b)),
                Op::Mul => Some(self.and(a, b)),
                Op::Neg => Some(a),
                _ => None,
            };
        }
        match op {
            Op::Neg => self.rewrite_neg(a),
            Op::Add if self.as_const(a).is_some() => Some(self.bin(op, b, a)),
            Op::Mul if self.as_const(a).is_some() => Some(self.bin(op, b, a)),
            Op::Add => self.rewrite_add(bits, a, b),
            Op::Sub => self.rewrite_sub(bits, a, b),
            Op::Mul => self.rewrite_mul(bits, a, b),
            _ => self.rewrite_division(op, bits, a, b),
        }
    }

    fn rewrite_neg(&mut self, a: Term) -> Option<Term> {
        if let Some([x, ..]) = self.operands(a, Op::Neg) {
            return Some(x);
        }
        let [x, y, _] = self.operands(a, Op::Sub)?;
        Some(self.bin(Op::Sub, y, x))
    }

    fn rewrite_add(&mut self, bits: u16, a: Term, b: Term) -> Option<Term> {
        if let Some(c) = self.as_const(b) {
            if c == 0 {
                return Some(a);
            }
            if let Some((x, d)) = self.with_const(a, Op::Add) {
                let sum = self.constant(bits, c.wrapping_add(d));
                return Some(self.bin(Op::Add, x, sum));
            }
            if let Some([x, ..]) = self.operands(a, Op::Not)
                && c == 1
            {
                return Some(self.un(Op::Neg, x));
            }
            if let Some([x, y, _]) = self.operands(a, Op::Sub)
                && let Some(d) = self.as_const(x)
            {
                let sum = self.constant(bits, c.wrapping_add(d));
                return Some(self.bin(Op::Sub, sum, y));
            }
        }
        for (x, y) in [(a, b), (b, a)] {
            if let Some([z, ..]) = self.operands(y, Op::Neg) {
                return Some(self.bin(Op::Sub, x, z));
            }
            if let Some([z, w, _]) = self.operands(x, Op::Sub)
                && w == y
            {
                return Some(z);
            }
        }
        self.disjoint_parts(bits, a, b)
    }

    fn rewrite_sub(&mut self, bits: u16, a: Term, b: Term) -> Option<Term> {
        if a == b {
            return Some(self.zero(bits));
        }
        if let Some(c) = self.as_const(b) {
            let negated = self.constant(bits, c.wrapping_neg());
            return Some(self.bin(Op::Add, a, negated));
        }
        if self.as_const(a) == Some(0) {
            return Some(self.un(Op::Neg, b));
        }
        if let Some([x, ..]) = self.operands(b, Op::Neg) {
            return Some(self.bin(Op::Add, a, x));
        }
        if let Some([x, y, _]) = self.operands(a, Op::Add) {
            if x == b {
                return Some(y);
            }
            if y == b {
                return Some(x);
            }
        }
        // (x + c) - (x + d)
        let parts = |pool: &Self, t: Term| pool.with_const(t, Op::Add).unwrap_or((t, 0));
        let ((x, c), (y, d)) = (parts(self, a), parts(self, b));
        (x == y).then(|| self.constant(bits, c.wrapping_sub(d)))
    }

    fn rewrite_mul(&mut self, bits: u16, a: Term, b: Term) -> Option<Term> {
        let c = self.as_const(b)?;
        if c == 0 {
            return Some(b);
        }
        if c == 1 {
            return Some(a);
        }
        if c == mask(bits) {
            return Some(self.un(Op::Neg, a));
        }
        if c.is_power_of_two() {
            let by = self.constant(bits, u128::from(c.trailing_zeros()));
            return Some(self.bin(Op::Shl, a, by));
        }
        if let Some((x, d)) = self.with_const(a, Op::Mul) {
            let product = self.constant(bits, c.wrapping_mul(d));
            return Some(self.bin(Op::Mul, x, product));
        }
        // A chain of x * c + d, as random numbers and hashes of one value are, stays one product and one sum.
        let (x, d) = self.with_const(a, Op::Add)?;
        let (x, e) = self.with_const(x, Op::Mul)?;
        let factor = self.constant(bits, c.wrapping_mul(e));
        let offset = self.constant(bits, c.wrapping_mul(d));
        let product = self.bin(Op::Mul, x, factor);
        Some(self.bin(Op::Add, product, offset))
    }

    fn rewrite_division(&mut self, op: Op, bits: u16, a: Term, b: Term) -> Option<Term> {
        let c = self.as_const(b)?;
        match op {
            Op::UDiv | Op::SDiv if c == 1 => Some(a),
            Op::URem | Op::SRem if c == 1 => Some(self.zero(bits)),
            Op::UDiv if c.is_power_of_two() => {
                let by = self.constant(bits, u128::from(c.trailing_zeros()));
                Some(self.bin(Op::LShr, a, by))
            }
            Op::URem if c.is_power_of_two() => {
                let low = self.extract(a, 0, c.trailing_zeros() as u16);
                Some(self.zext(low, bits))
            }
            // Signed division of a number that cannot be negative.
            Op::SDiv | Op::SRem if self.zext_of(a).is_some() && c >> (bits - 1) == 0 => {
                let unsigned = if op == Op::SDiv { Op::UDiv } else { Op::URem };
                Some(self.bin(unsigned, a, b))
            }
            Op::UDiv | Op::URem => {
                let x = self.zext_of(a)?;
                let width = self.width(x);
                if c > mask(width) {
                    return Some(if op == Op::UDiv { self.zero(bits) } else { a });
                }
                if c == 0 {
                    return None;
                }
                let narrow = self.constant(width, c);
                let result = self.bin(op, x, narrow);
                Some(self.zext(result, bits))
            }
            _ => None,
        }
    }

    pub(super) fn rewrite_overflow(&mut self, op: Op, a: Term, b: Term) -> Option<Term> {
        if op == Op::USubO {
            return Some(self.cmp(Op::Ult, a, b));
        }
        if op.is_commutative() && self.as_const(a).is_some() {
            return Some(self.bin(op, b, a));
        }
        let width = self.width(a);
        if width > 2 && self.cannot_overflow(op, width, a, b) {
            return Some(self.bool(false));
        }
        let c = self.as_const(b)?;
        match op {
            Op::UAddO => {
                let limit = self.constant(width, !c);
                Some(self.cmp(Op::Ult, limit, a))
            }
            Op::SAddO | Op::SSubO if c == 0 => Some(self.bool(false)),
            Op::UMulO if c == 0 => Some(self.bool(false)),
            Op::UMulO => {
                let limit = self.constant(width, mask(width) / c);
                Some(self.cmp(Op::Ult, limit, a))
            }
            Op::SMulO if c == 0 || (c == 1 && width > 1) => Some(self.bool(false)),
            _ => None,
        }
    }

    fn cannot_overflow(&self, op: Op, width: u16, a: Term, b: Term) -> bool {
        match op {
            Op::UAddO => self.unsigned_bits(a).max(self.unsigned_bits(b)) < width,
            Op::UMulO => self.unsigned_bits(a) + self.unsigned_bits(b) <= width,
            Op::SAddO | Op::SSubO => self.signed_bits(a).max(self.signed_bits(b)) < width,
            _ => self.signed_bits(a) + self.signed_bits(b) <= width,
        }
    }

    /// Bits that the value needs as an unsigned number, at most.
    fn unsigned_bits(&self, term: Term) -> u16 {
        match (self.as_const(term), self.zext_of(term)) {
            (Some(c), _) => 128 - c.leading_zeros() as u16,
            (_, Some(x)) => self.width(x),
            _ => self.width(term),
        }
    }

    /// Bits that the value needs as a signed number, at most.
    fn signed_bits(&self, term: Term) -> u16 {
        let width = self.width(term);
        if let Some(c) = self.as_const(term) {
            let value = crate::eval::signed(c, width);
            let magnitude = if value < 0 { !value } else { value };
            return 129 - magnitude.leading_zeros() as u16;
        }
        match (self.zext_of(term), self.sext_of(term)) {
            (Some(x), _) => self.width(x) + 1,
            (_, Some(x)) => self.width(x),
            _ => width,
        }
    }
}
