//! When an operation is defined: the conditions under which nothing goes wrong in it.
//!
//! A result says what the compiled program computes. Where it computes nothing (it stops), or where C or LLVM leave the result
//! open, a condition says so, and the reader decides what that means: a crash to be found, a path that ends, an error to be
//! reported on demand.

use program::{BinOp, CastOp, Intrinsic, Op, Type};
use smt::{Op as TermOp, Pool, Term};

use crate::builder::{Builder, Made};
use crate::value::{Gap, Value, lane};

/// What can go wrong.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Fault {
    /// A division or remainder by 0.
    DivisionByZero,
    /// The smallest number divided by -1.
    DivisionOverflow,
    /// A shift by the width or more.
    ShiftTooFar,
    /// A float that no integer of the type is near.
    ConversionOutOfRange,
    /// The smaller or larger one of two zeros with different signs.
    SignOfZero,
    /// A number that no lane has.
    LaneOutOfRange,
    /// A signed sum, difference, product or absolute value that does not fit.
    SignedOverflow,
    /// An unsigned sum, difference or product that does not fit.
    UnsignedOverflow,
}

/// What happens where a condition does not hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Consequence {
    /// The program stops with a signal; there is no result.
    Stops,
    /// LLVM leaves the result open. The term is what plain x86-64 code gives; optimised code may give something else.
    Undefined,
    /// The result is the term: `bothways cc` compiles with `-fwrapv` and masks the amounts of shifts. C may call it an error.
    Wraps,
}

/// A condition of an operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Condition {
    pub fault: Fault,
    pub consequence: Consequence,
    /// Of width 1: true where the fault does not happen.
    pub holds: Term,
}

impl Builder<'_> {
    /// The conditions of an operation, in the order in which the machine meets them. The operands stand as for
    /// [`Builder::value`]; for a vector a condition is that of all lanes together.
    ///
    /// # Errors
    /// Operands that the operation does not take.
    pub fn conditions(&mut self, op: &Op, ty: &Type, operands: &[Value]) -> Made<Vec<Condition>> {
        use Consequence::{Undefined, Wraps};
        let mut list = Vec::new();
        match (op, operands) {
            (Op::Bin { op, .. }, [a, b]) => self.of_binary(*op, a, b, &mut list)?,
            (
                Op::Cast {
                    op: op @ (CastOp::FpToSi | CastOp::FpToUi),
                    ..
                },
                [value],
            ) => {
                let bits = self.lane_width(lane(ty))?;
                let signed = *op == CastOp::FpToSi;
                self.all(
                    &[value],
                    (Fault::ConversionOutOfRange, Undefined),
                    &mut list,
                    |b, x| b.in_range(x[0], bits, signed),
                )?;
            }
            (
                Op::Intrinsic {
                    op: Intrinsic::Abs, ..
                },
                [value],
            ) => {
                self.all(
                    &[value],
                    (Fault::SignedOverflow, Wraps),
                    &mut list,
                    |b, x| {
                        let bits = b.pool.width(x[0]);
                        let least = b.pool.constant(bits, 1 << (bits - 1));
                        Ok(b.pool.ne(x[0], least))
                    },
                )?;
            }
            (
                Op::Intrinsic {
                    op: Intrinsic::MinNum | Intrinsic::MaxNum,
                    ..
                },
                [a, b],
            ) => {
                self.all(
                    &[a, b],
                    (Fault::SignOfZero, Undefined),
                    &mut list,
                    |b, x| {
                        let equal = b.try_apply(TermOp::FEq, 1, x)?;
                        let (unequal, same) = (b.pool.not(equal), b.pool.eq(x[0], x[1]));
                        Ok(b.pool.or(unequal, same))
                    },
                )?;
            }
            (Op::Opaque { what, .. }, [vector, .., index])
                if matches!(&**what, "extractelement" | "insertelement") =>
            {
                let index = index.scalar().ok_or(Gap::Operands)?;
                let holds = self.below(index, vector.members().len() as u128);
                list.push(Condition {
                    fault: Fault::LaneOutOfRange,
                    consequence: Undefined,
                    holds,
                });
            }
            _ => {}
        }
        Ok(list)
    }

    /// The result, unknown where LLVM leaves it open: what a proof may rely on. `undefined` makes an unknown scalar of so
    /// many bits.
    ///
    /// # Errors
    /// As [`Builder::value`].
    pub fn sure_value(
        &mut self,
        op: &Op,
        ty: &Type,
        operands: &[Value],
        undefined: &mut dyn FnMut(&mut Pool, u16) -> Term,
    ) -> Made {
        let mut value = self.value(op, ty, operands)?;
        for condition in self.conditions(op, ty, operands)? {
            if condition.consequence != Consequence::Undefined || self.pool.is_true(condition.holds)
            {
                continue;
            }
            value = Value::map(&[&value], &mut |x| {
                let any = undefined(self.pool, self.pool.width(x[0]));
                Ok(self.pool.ite(condition.holds, x[0], any))
            })?;
        }
        Ok(value)
    }

    fn of_binary(
        &mut self,
        op: BinOp,
        a: &Value,
        b: &Value,
        list: &mut Vec<Condition>,
    ) -> Made<()> {
        use Consequence::{Stops, Undefined, Wraps};
        let overflow = match op {
            BinOp::Add => (TermOp::SAddO, TermOp::UAddO),
            BinOp::Sub => (TermOp::SSubO, TermOp::USubO),
            BinOp::Mul => (TermOp::SMulO, TermOp::UMulO),
            BinOp::UDiv | BinOp::URem | BinOp::SDiv | BinOp::SRem => {
                self.all(&[b], (Fault::DivisionByZero, Stops), list, |b, x| {
                    let zero = b.pool.constant(b.pool.width(x[0]), 0);
                    Ok(b.pool.ne(x[0], zero))
                })?;
                if matches!(op, BinOp::UDiv | BinOp::URem) {
                    return Ok(());
                }
                let bits = b.scalars().first().map(|&term| self.pool.width(term));
                // The machine divides at these widths; any other one is computed at a wider one, or in several steps.
                let consequence = match bits {
                    Some(8 | 16 | 32 | 64) => Stops,
                    _ => Undefined,
                };
                let what = (Fault::DivisionOverflow, consequence);
                return self.all(&[a, b], what, list, |b, x| b.quotient_fits(x[0], x[1]));
            }
            BinOp::Shl | BinOp::LShr | BinOp::AShr => {
                // Amounts of vectors are not masked.
                let consequence = b.scalar().map_or(Undefined, |_| Wraps);
                return self.all(&[b], (Fault::ShiftTooFar, consequence), list, |b, x| {
                    let bits = b.pool.width(x[0]);
                    Ok(b.below(x[0], u128::from(bits)))
                });
            }
            BinOp::And | BinOp::Or | BinOp::Xor => return Ok(()),
        };
        for (fault, op) in [
            (Fault::SignedOverflow, overflow.0),
            (Fault::UnsignedOverflow, overflow.1),
        ] {
            self.all(&[a, b], (fault, Wraps), list, |b, x| {
                let overflows = b.try_apply(op, 1, x)?;
                Ok(b.pool.not(overflows))
            })?;
        }
        Ok(())
    }

    /// Adds the condition that holds where `holds` does in every lane.
    fn all(
        &mut self,
        values: &[&Value],
        (fault, consequence): (Fault, Consequence),
        list: &mut Vec<Condition>,
        mut holds: impl FnMut(&mut Self, &[Term]) -> Made<Term>,
    ) -> Made<()> {
        let lanes = Value::map(values, &mut |x| holds(self, x))?;
        let mut all = self.pool.bool(true);
        for lane in lanes.scalars() {
            all = self.pool.and(all, lane);
        }
        list.push(Condition {
            fault,
            consequence,
            holds: all,
        });
        Ok(())
    }

    /// `term < limit`, also where no number of the term's width is so large.
    fn below(&mut self, term: Term, limit: u128) -> Term {
        let bits = self.pool.width(term);
        if bits < 128 && limit >> bits != 0 {
            return self.pool.bool(true);
        }
        let limit = self.pool.constant(bits, limit);
        self.pool.cmp(TermOp::Ult, term, limit)
    }

    fn quotient_fits(&mut self, a: Term, b: Term) -> Made<Term> {
        self.same_width(a, b)?;
        let bits = self.pool.width(a);
        let least = self.pool.constant(bits, 1 << (bits - 1));
        let minus = self.pool.constant(bits, u128::MAX);
        let (other, not_minus) = (self.pool.ne(a, least), self.pool.ne(b, minus));
        Ok(self.pool.or(other, not_minus))
    }

    /// Whether a float, cut to an integer, fits in so many bits. A NaN does not.
    fn in_range(&mut self, value: Term, bits: u16, signed: bool) -> Made<Term> {
        let width = self.pool.width(value);
        let digits = match width {
            32 => 24,
            64 => 53,
            80 => 64,
            _ => return Err(Gap::Operation),
        };
        let number = |b: &mut Self, number: f64| b.pool.constant(width, smt::float(width, number));
        let magnitude = i32::from(if signed { bits - 1 } else { bits });
        let end = number(self, 2_f64.powi(magnitude));
        let fits = self.pool.cmp(TermOp::FLt, value, end);
        let least = number(self, if signed { -2_f64.powi(magnitude) } else { 0.0 });
        // Everything above `least - 1` is cut to `least`; where floats are too coarse for that number, from `least` on.
        let (op, start) = if signed && magnitude >= digits {
            (TermOp::FLe, least)
        } else {
            let one = number(self, 1.0);
            (TermOp::FLt, self.pool.bin(TermOp::FSub, least, one))
        };
        let above = self.pool.cmp(op, start, value);
        Ok(self.pool.and(above, fits))
    }
}
