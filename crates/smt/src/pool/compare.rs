//! Rules for equality and order.
//!
//! Canonical forms: constants stand right in equalities; an order with a constant is strict; a negated order is the
//! reverse order; comparisons are as narrow as their operands' extensions allow; `x < 0` is a bit.

use super::Pool;
use crate::eval::{mask, sign_bit, signed};
use crate::{Op, Term};

impl Pool {
    pub(super) fn rewrite_eq(&mut self, a: Term, b: Term) -> Option<Term> {
        if a == b {
            return Some(self.bool(true));
        }
        if self.as_const(a).is_some() {
            return Some(self.eq(b, a));
        }
        if let Some(c) = self.as_const(b) {
            return self.rewrite_eq_const(a, c);
        }
        if self.are_different(a, b) {
            return Some(self.bool(false));
        }
        match (self.op(a), self.op(b)) {
            (Some(Op::Not), Some(Op::Not)) | (Some(Op::Neg), Some(Op::Neg)) => {
                let (x, y) = (Term(self.node(a).a), Term(self.node(b).a));
                Some(self.eq(x, y))
            }
            (Some(Op::ZExt), Some(Op::ZExt)) | (Some(Op::SExt), Some(Op::SExt)) => {
                let (x, y) = self.narrowed(a, b)?;
                Some(self.eq(x, y))
            }
            (Some(Op::Concat), Some(Op::Concat)) => {
                let [h, l, _] = self.operands(a, Op::Concat)?;
                let [i, m, _] = self.operands(b, Op::Concat)?;
                if self.width(l) != self.width(m) {
                    return None;
                }
                let (high, low) = (self.eq(h, i), self.eq(l, m));
                Some(self.and(high, low))
            }
            (Some(Op::Add), Some(Op::Add)) => {
                let ((x, c), (y, d)) = (self.with_const(a, Op::Add)?, self.with_const(b, Op::Add)?);
                let difference = self.constant(self.width(a), d.wrapping_sub(c));
                let y = self.bin(Op::Add, y, difference);
                Some(self.eq(x, y))
            }
            _ => None,
        }
    }

    /// `x` and `x + c`, `x` and `~x`.
    fn are_different(&self, a: Term, b: Term) -> bool {
        [(a, b), (b, a)].into_iter().any(|(x, y)| {
            self.with_const(x, Op::Add)
                .is_some_and(|(z, c)| z == y && c != 0)
                || self.operands(x, Op::Not).is_some_and(|z| z[0] == y)
        })
    }

    /// The terms below two extensions of the same kind, brought to one width; `None` if that gains nothing.
    fn narrowed(&mut self, a: Term, b: Term) -> Option<(Term, Term)> {
        let (op, other) = (self.op(a)?, self.op(b)?);
        if op != other {
            return None;
        }
        let ([x, ..], [y, ..]) = (self.operands(a, op)?, self.operands(b, op)?);
        let width = self.width(x).max(self.width(y));
        Some((
            self.apply(op, width, 0, &[x]),
            self.apply(op, width, 0, &[y]),
        ))
    }

    fn rewrite_eq_const(&mut self, a: Term, c: u128) -> Option<Term> {
        let bits = self.width(a);
        if bits == 1 {
            return Some(if c == 1 { a } else { self.not(a) });
        }
        let (x, y) = {
            let node = self.node(a);
            (Term(node.a), Term(node.b))
        };
        let op = self.op(a)?;
        match op {
            Op::ZExt | Op::SExt => {
                let width = self.width(x);
                let back = if op == Op::ZExt {
                    c & mask(width)
                } else {
                    signed(c & mask(width), width).cast_unsigned() & mask(bits)
                };
                if back != c {
                    return Some(self.bool(false));
                }
                Some(self.eq_number(x, c))
            }
            Op::Concat => {
                let low = self.width(y);
                let (high, low) = (self.eq_number(x, c >> low), self.eq_number(y, c));
                Some(self.and(high, low))
            }
            Op::Not => Some(self.eq_number(x, !c)),
            Op::Neg => Some(self.eq_number(x, c.wrapping_neg())),
            Op::Sub if c == 0 => Some(self.eq(x, y)),
            Op::Xor if c == 0 => Some(self.eq(x, y)),
            Op::Sub => {
                let k = self.as_const(x)?;
                Some(self.eq_number(y, k.wrapping_sub(c)))
            }
            Op::Ite => self.rewrite_eq_ite(a, c),
            _ => {
                let k = self.as_const(y)?;
                self.rewrite_eq_op(op, bits, x, k, c)
            }
        }
    }

    /// `x = c`, the number cut to the width.
    fn eq_number(&mut self, x: Term, c: u128) -> Term {
        let c = self.constant(self.width(x), c);
        self.eq(x, c)
    }

    /// `(x op k) = c`.
    fn rewrite_eq_op(&mut self, op: Op, bits: u16, x: Term, k: u128, c: u128) -> Option<Term> {
        match op {
            Op::Add => Some(self.eq_number(x, c.wrapping_sub(k))),
            Op::Xor => Some(self.eq_number(x, c ^ k)),
            Op::Mul if k & 1 == 1 => {
                let inverse = (0..7).fold(k, |i, _| {
                    i.wrapping_mul(2u128.wrapping_sub(k.wrapping_mul(i)))
                });
                Some(self.eq_number(x, c.wrapping_mul(inverse)))
            }
            Op::And if c & !k != 0 => Some(self.bool(false)),
            Op::Or if k & !c != 0 => Some(self.bool(false)),
            Op::And => {
                // One run of bits.
                let low = k.trailing_zeros() as u16;
                let run = (k >> low).trailing_ones() as u16;
                if low + run > bits || k != mask(run) << low {
                    return None;
                }
                let part = self.extract(x, low, run);
                Some(self.eq_number(part, c >> low))
            }
            _ => None,
        }
    }

    /// `(p ? x : y) = c` where an arm is constant, or a number in text is compared.
    fn rewrite_eq_ite(&mut self, a: Term, c: u128) -> Option<Term> {
        if let Some(term) = self.rewrite_numeral(Op::Eq, a, c) {
            return Some(term);
        }
        if let Some((p, v)) = self.signed_numeral(a) {
            let (negative, natural) = (self.eq_number(v, c.wrapping_neg()), self.eq_number(v, c));
            return Some(self.ite(p, negative, natural));
        }
        let [p, x, y] = self.operands(a, Op::Ite)?;
        match (self.as_const(x), self.as_const(y)) {
            (None, None) => None,
            (Some(k), _) => {
                let rest = self.eq_number(y, c);
                if k == c {
                    Some(self.or(p, rest))
                } else {
                    let not = self.not(p);
                    Some(self.and(not, rest))
                }
            }
            (None, Some(k)) => {
                let rest = self.eq_number(x, c);
                if k == c {
                    let not = self.not(p);
                    Some(self.or(not, rest))
                } else {
                    Some(self.and(p, rest))
                }
            }
        }
    }

    pub(super) fn rewrite_order(&mut self, op: Op, a: Term, b: Term) -> Option<Term> {
        let strict = matches!(op, Op::Ult | Op::Slt);
        if a == b {
            return Some(self.bool(!strict));
        }
        let bits = self.width(a);
        if bits == 1 {
            // Unsigned: false < true. Signed: true is -1.
            let (small, large) = if matches!(op, Op::Ult | Op::Ule) {
                (a, b)
            } else {
                (b, a)
            };
            let not = self.not(small);
            return Some(if strict {
                self.and(not, large)
            } else {
                self.or(not, large)
            });
        }
        let unsigned = matches!(op, Op::Ult | Op::Ule);
        if let Some(term) = self.order_with_const(bits, unsigned, strict, a, b) {
            return Some(term);
        }
        // Extensions: of zeros to an unsigned order, of the sign to an order of narrower terms.
        let narrower = match (self.op(a), self.op(b)) {
            (Some(Op::ZExt), Some(Op::ZExt)) => Some(if strict { Op::Ult } else { Op::Ule }),
            (Some(Op::SExt), Some(Op::SExt)) => Some(op),
            _ => None,
        }?;
        let (x, y) = self.narrowed(a, b)?;
        Some(self.cmp(narrower, x, y))
    }

    fn order_with_const(
        &mut self,
        bits: u16,
        unsigned: bool,
        strict: bool,
        a: Term,
        b: Term,
    ) -> Option<Term> {
        // In an order from `least` to `most`.
        let (least, most) = if unsigned {
            (0, mask(bits))
        } else {
            (sign_bit(bits), sign_bit(bits) - 1)
        };
        let op = if unsigned { Op::Ult } else { Op::Slt };
        match (self.as_const(a), self.as_const(b)) {
            (None, Some(c)) => {
                if !strict {
                    if c == most {
                        return Some(self.bool(true));
                    }
                    let next = self.constant(bits, c.wrapping_add(1));
                    return Some(self.cmp(op, a, next));
                }
                if c == least {
                    return Some(self.bool(false));
                }
                if c == most {
                    return Some(self.ne(a, b));
                }
                if c == least.wrapping_add(1) & mask(bits) {
                    return Some(self.eq_number(a, least));
                }
                if let Some(term) = self.order_numeral(unsigned, a, c, true) {
                    return Some(term);
                }
                if !unsigned && c == 0 {
                    return Some(self.extract(a, bits - 1, 1));
                }
                self.order_extended(unsigned, a, c, true)
            }
            (Some(c), None) => {
                if !strict {
                    if c == least {
                        return Some(self.bool(true));
                    }
                    let before = self.constant(bits, c.wrapping_sub(1));
                    return Some(self.cmp(op, before, b));
                }
                if c == most {
                    return Some(self.bool(false));
                }
                if c == least {
                    return Some(self.ne(b, a));
                }
                if c == most.wrapping_sub(1) & mask(bits) {
                    return Some(self.eq_number(b, most));
                }
                if let Some(term) = self.order_numeral(unsigned, b, c, false) {
                    return Some(term);
                }
                if !unsigned && c == mask(bits) {
                    let negative = self.extract(b, bits - 1, 1);
                    return Some(self.not(negative));
                }
                self.order_extended(unsigned, b, c, false)
            }
            _ => None,
        }
    }

    /// `x < c` (`x_left`) or `c < x`, where `x` is a number in text.
    fn order_numeral(&mut self, unsigned: bool, x: Term, c: u128, x_left: bool) -> Option<Term> {
        if !unsigned {
            return self.order_signed_numeral(x, c, x_left);
        }
        if x_left {
            return self.rewrite_numeral(Op::Ult, x, c);
        }
        let up_to = self.rewrite_numeral(Op::Ult, x, c + 1)?;
        Some(self.not(up_to))
    }

    /// `x < c` (`x_left`) or `c < x`, where `x` is an extension.
    fn order_extended(
        &mut self,
        unsigned: bool,
        term: Term,
        c: u128,
        x_left: bool,
    ) -> Option<Term> {
        let bits = self.width(term);
        let negative = !unsigned && c >= sign_bit(bits);
        if let Some(x) = self.zext_of(term) {
            let width = self.width(x);
            if negative {
                return Some(self.bool(!x_left));
            }
            if c > mask(width) {
                return Some(self.bool(x_left));
            }
            let c = self.constant(width, c);
            return Some(if x_left {
                self.cmp(Op::Ult, x, c)
            } else {
                self.cmp(Op::Ult, c, x)
            });
        }
        if unsigned {
            return None;
        }
        let x = self.sext_of(term)?;
        let width = self.width(x);
        let value = signed(c, bits);
        let (least, most) = (
            signed(sign_bit(width), width),
            signed(sign_bit(width) - 1, width),
        );
        if value > most {
            return Some(self.bool(x_left));
        }
        if value < least {
            return Some(self.bool(!x_left));
        }
        let c = self.constant(width, c);
        Some(if x_left {
            self.cmp(Op::Slt, x, c)
        } else {
            self.cmp(Op::Slt, c, x)
        })
    }
}
