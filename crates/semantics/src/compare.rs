//! Comparisons of integers, pointers and floats.

use program::{FCmp, ICmp};
use smt::{Op, Term};

use crate::builder::{Builder, Made};

impl Builder<'_> {
    /// A pointer is compared as the number that it is.
    pub(crate) fn compare(&mut self, pred: ICmp, a: Term, b: Term) -> Made<Term> {
        let (op, a, b) = match pred {
            ICmp::Eq | ICmp::Ne => (Op::Eq, a, b),
            ICmp::Ult => (Op::Ult, a, b),
            ICmp::Ule => (Op::Ule, a, b),
            ICmp::Ugt => (Op::Ult, b, a),
            ICmp::Uge => (Op::Ule, b, a),
            ICmp::Slt => (Op::Slt, a, b),
            ICmp::Sle => (Op::Sle, a, b),
            ICmp::Sgt => (Op::Slt, b, a),
            ICmp::Sge => (Op::Sle, b, a),
        };
        self.same_width(a, b)?;
        let holds = self.try_apply(op, 1, &[a, b])?;
        Ok(if pred == ICmp::Ne {
            self.pool.not(holds)
        } else {
            holds
        })
    }

    /// An unordered predicate is the negation of the opposite ordered one.
    pub(crate) fn compare_floats(&mut self, pred: FCmp, a: Term, b: Term) -> Made<Term> {
        let (op, a, b, negated) = match pred {
            FCmp::False => return Ok(self.pool.bool(false)),
            FCmp::True => return Ok(self.pool.bool(true)),
            FCmp::Oeq => (Op::FEq, a, b, false),
            FCmp::Olt => (Op::FLt, a, b, false),
            FCmp::Ole => (Op::FLe, a, b, false),
            FCmp::Ogt => (Op::FLt, b, a, false),
            FCmp::Oge => (Op::FLe, b, a, false),
            FCmp::Uno => (Op::FUno, a, b, false),
            FCmp::Ord => (Op::FUno, a, b, true),
            FCmp::Une => (Op::FEq, a, b, true),
            FCmp::Uge => (Op::FLt, a, b, true),
            FCmp::Ugt => (Op::FLe, a, b, true),
            FCmp::Ule => (Op::FLt, b, a, true),
            FCmp::Ult => (Op::FLe, b, a, true),
            FCmp::One | FCmp::Ueq => {
                let equal = self.try_apply(Op::FEq, 1, &[a, b])?;
                let unordered = self.try_apply(Op::FUno, 1, &[a, b])?;
                let either = self.pool.or(equal, unordered);
                return Ok(if pred == FCmp::Ueq {
                    either
                } else {
                    self.pool.not(either)
                });
            }
        };
        let holds = self.try_apply(op, 1, &[a, b])?;
        Ok(if negated { self.pool.not(holds) } else { holds })
    }
}
