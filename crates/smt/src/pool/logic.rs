//! Rules for bitwise operations, choices and floats.

use super::Pool;
use crate::eval::is_nan;
use crate::eval::mask;
use crate::{Op, Term};

impl Pool {
    pub(super) fn rewrite_logic(&mut self, op: Op, bits: u16, a: Term, b: Term) -> Option<Term> {
        if op == Op::Not {
            return self.rewrite_not(bits, a);
        }
        if self.as_const(a).is_some() {
            return Some(self.bin(op, b, a));
        }
        if a == b {
            return Some(if op == Op::Xor { self.zero(bits) } else { a });
        }
        if self.are_complements(a, b) {
            return Some(if op == Op::And {
                self.zero(bits)
            } else {
                self.ones(bits)
            });
        }
        if let Some(c) = self.as_const(b) {
            return self.rewrite_logic_const(op, bits, a, b, c);
        }
        // x op (x op y)
        if op != Op::Xor {
            for (x, y) in [(a, b), (b, a)] {
                if let Some([p, q, _]) = self.operands(y, op)
                    && (p == x || q == x)
                {
                    return Some(y);
                }
            }
        }
        if op == Op::Xor
            && let (Some([x, ..]), Some([y, ..])) =
                (self.operands(a, Op::Not), self.operands(b, Op::Not))
        {
            return Some(self.bin(op, x, y));
        }
        if let (Some(x), Some(y)) = (self.zext_of(a), self.zext_of(b)) {
            let width = self.width(x).max(self.width(y));
            if width < bits {
                let (x, y) = (self.zext(x, width), self.zext(y, width));
                let narrow = self.bin(op, x, y);
                return Some(self.zext(narrow, bits));
            }
        }
        if op != Op::And {
            self.disjoint_parts(bits, a, b)
        } else {
            None
        }
    }

    fn are_complements(&self, a: Term, b: Term) -> bool {
        let not = |t: Term| self.operands(t, Op::Not).map(|x| x[0]);
        if not(a) == Some(b) || not(b) == Some(a) {
            return true;
        }
        // The negation of an order is the reverse order.
        let pair = |x: Term, y: Term, strict: Op, other: Op| match (
            self.operands(x, strict),
            self.operands(y, other),
        ) {
            (Some([p, q, _]), Some([r, s, _])) => p == s && q == r,
            _ => false,
        };
        pair(a, b, Op::Ult, Op::Ule)
            || pair(b, a, Op::Ult, Op::Ule)
            || pair(a, b, Op::Slt, Op::Sle)
            || pair(b, a, Op::Slt, Op::Sle)
    }

    fn rewrite_not(&mut self, bits: u16, a: Term) -> Option<Term> {
        if let Some([x, ..]) = self.operands(a, Op::Not) {
            return Some(x);
        }
        if let Some((x, c)) = self.with_const(a, Op::Xor) {
            let flipped = self.constant(bits, !c);
            return Some(self.bin(Op::Xor, x, flipped));
        }
        if bits == 1 {
            let reverse = match self.op(a)? {
                Op::Ult => Op::Ule,
                Op::Ule => Op::Ult,
                Op::Slt => Op::Sle,
                Op::Sle => Op::Slt,
                _ => return None,
            };
            let node = self.node(a);
            // Straight to the node where a rule would turn it back.
            let (x, y) = (Term(node.b), Term(node.a));
            return Some(self.cmp(reverse, x, y));
        }
        let [p, x, y] = self.operands(a, Op::Ite)?;
        let (c, d) = (self.as_const(x)?, self.as_const(y)?);
        let (c, d) = (self.constant(bits, !c), self.constant(bits, !d));
        Some(self.ite(p, c, d))
    }

    fn rewrite_logic_const(
        &mut self,
        op: Op,
        bits: u16,
        a: Term,
        b: Term,
        c: u128,
    ) -> Option<Term> {
        let all = mask(bits);
        match (op, c) {
            (Op::And, 0) => return Some(b),
            (Op::Or | Op::Xor, 0) => return Some(a),
            (Op::And, c) if c == all => return Some(a),
            (Op::Or, c) if c == all => return Some(b),
            (Op::Xor, c) if c == all => return Some(self.not(a)),
            _ => {}
        }
        if let Some((x, d)) = self.with_const(a, op) {
            let both = match op {
                Op::And => c & d,
                Op::Or => c | d,
                _ => c ^ d,
            };
            let both = self.constant(bits, both);
            return Some(self.bin(op, x, both));
        }
        if op == Op::And && c.wrapping_add(1).is_power_of_two() {
            let low = self.extract(a, 0, c.trailing_ones() as u16);
            return Some(self.zext(low, bits));
        }
        if op == Op::Xor
            && let Some([x, ..]) = self.operands(a, Op::Not)
        {
            let flipped = self.constant(bits, !c);
            return Some(self.bin(op, x, flipped));
        }
        // Part by part, where the term is made of parts.
        if let Some(x) = self.zext_of(a) {
            let width = self.width(x);
            if op != Op::And && c > mask(width) {
                let low = self.constant(width, c);
                let low = self.bin(op, x, low);
                let high = self.constant(bits - width, c >> width);
                return Some(self.concat(high, low));
            }
            let low = self.constant(width, c);
            let low = self.bin(op, x, low);
            return Some(self.zext(low, bits));
        }
        let [high, low, _] = self.operands(a, Op::Concat)?;
        let (top, rest) = (self.width(high), self.width(low));
        let (c_high, c_low) = (self.constant(top, c >> rest), self.constant(rest, c));
        let (high, low) = (self.bin(op, high, c_high), self.bin(op, low, c_low));
        Some(self.concat(high, low))
    }

    /// `a + b`, `a | b` or `a ^ b` where one has only zeros below a place and the other only zeros from there on:
    /// their concatenation.
    pub(super) fn disjoint_parts(&mut self, bits: u16, a: Term, b: Term) -> Option<Term> {
        for (x, y) in [(a, b), (b, a)] {
            let Some([high, low, _]) = self.parts(x) else {
                continue;
            };
            if self.as_const(low) != Some(0) {
                continue;
            }
            let place = self.width(low);
            let fits = match (self.as_const(y), self.zext_of(y)) {
                (Some(c), _) => c <= mask(place),
                (_, Some(z)) => self.width(z) <= place,
                _ => false,
            };
            if fits {
                let low = self.extract(y, 0, place);
                let joined = self.concat(high, low);
                return Some(self.zext(joined, bits));
            }
        }
        None
    }

    /// The parts of a concatenation, also below a zero extension.
    fn parts(&self, term: Term) -> Option<[Term; 3]> {
        self.operands(self.zext_of(term).unwrap_or(term), Op::Concat)
            .and_then(|[high, low, c]| {
                // The lowest part, if there are more than two, is inside `low`.
                (self.op(low) != Some(Op::Concat)).then_some([high, low, c])
            })
    }

    pub(super) fn rewrite_ite(&mut self, bits: u16, p: Term, x: Term, y: Term) -> Option<Term> {
        if x == y {
            return Some(x);
        }
        if let Some(c) = self.as_const(p) {
            return Some(if c == 1 { x } else { y });
        }
        if let Some([q, ..]) = self.operands(p, Op::Not) {
            return Some(self.ite(q, y, x));
        }
        match (self.as_const(x), self.as_const(y)) {
            (Some(1), Some(0)) => return Some(self.zext(p, bits)),
            (Some(c), Some(0)) if c == mask(bits) => return Some(self.sext(p, bits)),
            (Some(0), Some(d)) if d == 1 || d == mask(bits) => {
                let not = self.not(p);
                return Some(if d == 1 {
                    self.zext(not, bits)
                } else {
                    self.sext(not, bits)
                });
            }
            (Some(c), None) if bits == 1 => {
                let side = if c == 1 { p } else { self.not(p) };
                return Some(if c == 1 {
                    self.or(side, y)
                } else {
                    self.and(side, y)
                });
            }
            (None, Some(d)) if bits == 1 => {
                let side = if d == 1 { self.not(p) } else { p };
                return Some(if d == 1 {
                    self.or(side, x)
                } else {
                    self.and(side, x)
                });
            }
            _ => {}
        }
        if let Some([q, z, _]) = self.operands(x, Op::Ite)
            && q == p
        {
            return Some(self.ite(p, z, y));
        }
        if let Some([q, _, z]) = self.operands(y, Op::Ite)
            && q == p
        {
            return Some(self.ite(p, x, z));
        }
        // p = (z = k) ? k : z
        let [z, k, _] = self.operands(p, Op::Eq)?;
        ((x, y) == (k, z) || (x, y) == (z, k)).then_some(y)
    }

    pub(super) fn rewrite_float(&mut self, op: Op, bits: u16, a: Term, b: Term) -> Option<Term> {
        match op {
            Op::FNeg => self.operands(a, Op::FNeg).map(|x| x[0]),
            Op::FAbs => match self.op(a)? {
                Op::FAbs => Some(a),
                Op::FNeg => {
                    let [x, ..] = self.operands(a, Op::FNeg)?;
                    Some(self.un(Op::FAbs, x))
                }
                _ => None,
            },
            Op::FToF if self.width(a) == bits => Some(a),
            Op::FEq | Op::FLt | Op::FLe => self.rewrite_monotone(op, a, b),
            Op::FUno if self.as_const(a).is_some() => Some(self.cmp(op, b, a)),
            Op::FUno => {
                let c = self.as_const(b)?;
                Some(if is_nan(c, self.width(a)) {
                    self.bool(true)
                } else {
                    self.cmp(op, a, a)
                })
            }
            _ => None,
        }
    }
}
