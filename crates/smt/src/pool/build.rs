//! Constructors: they check widths, compute constants, rewrite, and intern.

use super::{Node, Pool, Tag};
use crate::{Op, Term, eval::compute};

/// Why operands do not make a term.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum BadTerm {
    /// Too few or too many operands.
    #[error("{op:?} takes {} operands, not {given}", op.arity())]
    Operands {
        /// The operation.
        op: Op,
        /// Number of operands given.
        given: usize,
    },
    /// Widths that do not fit the operation.
    #[error("{op:?} to {bits} bits does not fit operands of {widths:?} bits (aux {aux})")]
    Width {
        /// The operation.
        op: Op,
        /// Width of the result asked for.
        bits: u16,
        /// Extra operand.
        aux: u32,
        /// Widths of the operands, 0 for none.
        widths: [u16; 3],
    },
}

impl Pool {
    /// The term `op` over `operands`. `bits` is the result's width (1 for predicates), `aux` the lowest bit of an
    /// `Extract` and the mode of an `FRound`, otherwise 0.
    ///
    /// # Panics
    /// If the widths do not fit; [`Pool::try_apply`] is for operands from outside.
    pub fn apply(&mut self, op: Op, bits: u16, aux: u32, operands: &[Term]) -> Term {
        match self.try_apply(op, bits, aux, operands) {
            Ok(term) => term,
            Err(bad) => panic!("{bad}"),
        }
    }

    /// [`Pool::apply`], checked.
    ///
    /// # Errors
    /// A wrong number of operands, or widths that do not fit.
    pub fn try_apply(
        &mut self,
        op: Op,
        bits: u16,
        aux: u32,
        operands: &[Term],
    ) -> Result<Term, BadTerm> {
        if operands.len() != op.arity() {
            return Err(BadTerm::Operands {
                op,
                given: operands.len(),
            });
        }
        let mut terms = [Term(0); 3];
        terms[..operands.len()].copy_from_slice(operands);
        let [a, b, c] = terms.map(|term| term.0);
        let asked = Node {
            tag: Tag::Op(op),
            aux: aux as u8,
            bits,
            a,
            b,
            c,
        };
        let is_outermost = self.depth == 0 && u32::from(asked.aux) == aux;
        if is_outermost && let Some(known) = self.memo.get(&asked) {
            return Ok(known);
        }
        let mut widths = [0; 3];
        for (width, &t) in widths.iter_mut().zip(operands) {
            *width = self.width(t);
        }
        if !fits(op, bits, aux, widths) {
            return Err(BadTerm::Width {
                op,
                bits,
                aux,
                widths,
            });
        }
        let built = self.build(op, bits, aux as u8, terms);
        if is_outermost {
            self.memo.put(asked, built);
        }
        Ok(built)
    }

    /// As [`Pool::apply`], widths known to fit.
    pub(crate) fn build(&mut self, op: Op, bits: u16, aux: u8, x: [Term; 3]) -> Term {
        if let Some(value) = self.fold(op, bits, aux, x) {
            return self.constant(bits, value);
        }
        if let Some(simpler) = self.rewrite(op, bits, aux, x) {
            return simpler;
        }
        self.plain_or_sorted(op, bits, aux, x)
    }

    fn fold(&self, op: Op, bits: u16, aux: u8, x: [Term; 3]) -> Option<u128> {
        let mut values = [0; 3];
        for i in 0..op.arity() {
            values[i] = self.as_const(x[i])?;
        }
        Some(compute(op, bits, aux, self.width(x[0]), values))
    }

    /// The node as it is.
    pub(crate) fn raw(&mut self, op: Op, bits: u16, aux: u8, x: [Term; 3]) -> Term {
        let mut words = [0; 3];
        for (word, term) in words.iter_mut().zip(x).take(op.arity()) {
            *word = term.0;
        }
        let [a, b, c] = words;
        self.intern(Node {
            tag: Tag::Op(op),
            aux,
            bits,
            a,
            b,
            c,
        })
    }

    /// A binary operation that is not a cast: `Add`, `Eq`, `FLt`, `UAddO`, `Concat`, …
    pub fn bin(&mut self, op: Op, a: Term, b: Term) -> Term {
        let bits = match op {
            Op::Concat => self.width(a) + self.width(b),
            _ if op.is_predicate() => 1,
            _ => self.width(a),
        };
        self.apply(op, bits, 0, &[a, b])
    }

    /// A unary operation that keeps the width: `Not`, `Neg`, `Popcount`, `FSqrt`, …
    pub fn un(&mut self, op: Op, a: Term) -> Term {
        self.apply(op, self.width(a), 0, &[a])
    }

    /// A comparison: `Eq`, `Ult`, `Ule`, `Slt`, `Sle`, and those of floats.
    pub fn cmp(&mut self, op: Op, a: Term, b: Term) -> Term {
        self.bin(op, a, b)
    }

    /// `a = b`.
    pub fn eq(&mut self, a: Term, b: Term) -> Term {
        self.bin(Op::Eq, a, b)
    }

    /// `a ≠ b`.
    pub fn ne(&mut self, a: Term, b: Term) -> Term {
        let equal = self.eq(a, b);
        self.not(equal)
    }

    /// The complement; for width 1 the negation.
    pub fn not(&mut self, a: Term) -> Term {
        self.un(Op::Not, a)
    }

    /// Whether both say that the same term, of more than one bit, is a constant, each another one. Then neither is the
    /// negation of the other.
    #[must_use]
    pub fn are_values_of_one(&self, a: Term, b: Term) -> bool {
        let value = |term: Term| {
            let [x, y, _] = self.operands(term, Op::Eq)?;
            match (self.as_const(x), self.as_const(y)) {
                (None, Some(_)) => Some(x),
                (Some(_), None) => Some(y),
                _ => None,
            }
        };
        a != b && value(a).is_some_and(|of| self.width(of) > 1 && value(b) == Some(of))
    }

    /// Bitwise and; conjunction.
    pub fn and(&mut self, a: Term, b: Term) -> Term {
        self.bin(Op::And, a, b)
    }

    /// Bitwise or; disjunction.
    pub fn or(&mut self, a: Term, b: Term) -> Term {
        self.bin(Op::Or, a, b)
    }

    /// The truth value.
    pub fn bool(&mut self, value: bool) -> Term {
        self.constant(1, u128::from(value))
    }

    /// `condition` ? `then` : `otherwise`.
    pub fn ite(&mut self, condition: Term, then: Term, otherwise: Term) -> Term {
        self.apply(Op::Ite, self.width(then), 0, &[condition, then, otherwise])
    }

    /// Bits `low .. low + bits`.
    pub fn extract(&mut self, term: Term, low: u16, bits: u16) -> Term {
        self.apply(Op::Extract, bits, u32::from(low), &[term])
    }

    /// `high` above `low`.
    pub fn concat(&mut self, high: Term, low: Term) -> Term {
        self.bin(Op::Concat, high, low)
    }

    /// Zeros above, up to `bits`.
    pub fn zext(&mut self, term: Term, bits: u16) -> Term {
        self.apply(Op::ZExt, bits, 0, &[term])
    }

    /// Copies of the sign above, up to `bits`.
    pub fn sext(&mut self, term: Term, bits: u16) -> Term {
        self.apply(Op::SExt, bits, 0, &[term])
    }
}

/// Whether the widths fit the operation.
fn fits(op: Op, bits: u16, aux: u32, [a, b, c]: [u16; 3]) -> bool {
    use Op::*;
    let float = |w: u16| matches!(w, 32 | 64 | 80);
    let widths = match op {
        Ite => a == 1 && b == bits && c == bits,
        Concat => a + b == bits,
        ZExt | SExt => a <= bits,
        Extract => aux + u32::from(bits) <= u32::from(a),
        SToF | UToF | FToF => float(bits),
        FToS | FToU => true,
        Bswap => a == bits && bits.is_multiple_of(8),
        FRound => a == bits && aux <= 4,
        _ if op.is_predicate() => a == b && bits == 1,
        _ if op.arity() == 2 => a == b && a == bits,
        _ => a == bits,
    };
    widths && (1..=128).contains(&bits) && (!op.takes_floats() || float(a))
}
