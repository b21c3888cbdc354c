//! The builder: from an operation and the values of its operands to its result.

use program::{DataLayout, Op, Type};
use smt::{Op as TermOp, Pool, Term};

use crate::computed::is_computed;
use crate::value::{Gap, Value, lane, width};

/// Builds the terms of operations in a pool, for one data layout.
#[derive(Debug)]
pub struct Builder<'p> {
    pub(crate) pool: &'p mut Pool,
    pub(crate) layout: DataLayout,
}

/// A result, or why there is none.
pub(crate) type Made<T = Value> = Result<T, Gap>;

impl<'p> Builder<'p> {
    /// A builder of terms of this pool.
    pub fn new(pool: &'p mut Pool, layout: DataLayout) -> Builder<'p> {
        Builder { pool, layout }
    }

    /// The result of an operation of type `ty` that neither reads nor writes memory. The operands stand in the order of
    /// [`Op::for_each_operand`].
    ///
    /// # Errors
    /// Why nothing is known of the result; [`Gap::Unmodelled`] also for loads, calls and phis, which [`Builder::effect`]
    /// tells apart.
    pub fn value(&mut self, op: &Op, ty: &Type, operands: &[Value]) -> Made {
        match (op, operands) {
            (Op::Bin { op, .. }, [a, b]) => {
                Value::map(&[a, b], &mut |x| self.binary(*op, x[0], x[1]))
            }
            (Op::FBin { op, .. }, [a, b]) => {
                Value::map(&[a, b], &mut |x| self.float_binary(*op, x[0], x[1]))
            }
            (Op::FNeg { .. }, [value]) => Value::map(&[value], &mut |x| self.negate_float(x[0])),
            (Op::ICmp { pred, .. }, [a, b]) => {
                Value::map(&[a, b], &mut |x| self.compare(*pred, x[0], x[1]))
            }
            (Op::FCmp { pred, .. }, [a, b]) => {
                Value::map(&[a, b], &mut |x| self.compare_floats(*pred, x[0], x[1]))
            }
            (Op::Cast { op, .. }, [value]) => self.cast(*op, value, ty),
            (Op::Select { .. }, [cond, a, b]) => self.select(cond, a, b),
            (Op::Freeze { .. }, [value]) => Ok(value.clone()),
            (
                Op::Gep {
                    indices, offset, ..
                },
                [base, rest @ ..],
            ) => self.address(base, indices.iter().map(|(_, scale)| *scale), rest, *offset),
            (op, _) if !is_computed(op) => Err(Gap::Unmodelled),
            (Op::Intrinsic { op, .. }, operands) => self.intrinsic(*op, operands),
            (Op::ExtractValue { path, .. }, [aggregate]) => {
                aggregate.at(path).cloned().ok_or(Gap::Operands)
            }
            (Op::InsertValue { path, .. }, [aggregate, value]) => {
                // The order of the operands is the text form's: the aggregate first.
                aggregate.with(path, value).ok_or(Gap::Operands)
            }
            (Op::Opaque { what, .. }, operands) => self.named(what, ty, operands),
            _ => Err(Gap::Operands),
        }
    }

    /// One of two values of one shape; the condition may have a lane for each of theirs.
    pub(crate) fn select(&mut self, cond: &Value, a: &Value, b: &Value) -> Made {
        if cond.scalar().is_none() {
            return Value::map(&[cond, a, b], &mut |x| self.choose(x[0], x[1], x[2]));
        }
        let Some(cond) = cond.scalar() else {
            return Err(Gap::Operands);
        };
        Value::map(&[a, b], &mut |x| self.choose(cond, x[0], x[1]))
    }

    fn choose(&mut self, cond: Term, a: Term, b: Term) -> Made<Term> {
        let bits = self.pool.width(a);
        self.try_apply(TermOp::Ite, bits, &[cond, a, b])
    }

    /// `base + Σ index · scale + offset`.
    fn address(
        &mut self,
        base: &Value,
        scales: impl Iterator<Item = i64>,
        indices: &[Value],
        offset: i64,
    ) -> Made {
        let mut address = base.scalar().ok_or(Gap::Operands)?;
        let bits = self.pool.width(address);
        for (index, scale) in indices.iter().zip(scales) {
            let index = index.scalar().ok_or(Gap::Operands)?;
            let index = self.resize_signed(index, bits);
            let scale = self.signed(bits, i128::from(scale));
            let step = self.pool.bin(TermOp::Mul, index, scale);
            address = self.pool.bin(TermOp::Add, address, step);
        }
        let offset = self.signed(bits, i128::from(offset));
        Ok(self.pool.bin(TermOp::Add, address, offset).into())
    }

    /// A constant from a signed number.
    pub(crate) fn signed(&mut self, bits: u16, value: i128) -> Term {
        self.pool.constant(bits, value.cast_unsigned())
    }

    /// A wider integer by its sign, or a narrower one.
    pub(crate) fn resize_signed(&mut self, term: Term, bits: u16) -> Term {
        if self.pool.width(term) < bits {
            self.pool.sext(term, bits)
        } else {
            self.pool.extract(term, 0, bits)
        }
    }

    /// A wider integer by zeros, or a narrower one.
    pub(crate) fn resize(&mut self, term: Term, bits: u16) -> Term {
        if self.pool.width(term) < bits {
            self.pool.zext(term, bits)
        } else {
            self.pool.extract(term, 0, bits)
        }
    }

    /// The term, if the operation exists at these widths.
    pub(crate) fn try_apply(&mut self, op: TermOp, bits: u16, operands: &[Term]) -> Made<Term> {
        self.try_mode(op, bits, 0, operands)
    }

    /// As [`Builder::try_apply`], with the operation's extra operand.
    pub(crate) fn try_mode(
        &mut self,
        op: TermOp,
        bits: u16,
        aux: u32,
        operands: &[Term],
    ) -> Made<Term> {
        let made = self.pool.try_apply(op, bits, aux, operands);
        made.map_err(|_| Gap::Operation)
    }

    /// Width of the scalars of a type, lanes of vectors included.
    pub(crate) fn lane_width(&self, ty: &Type) -> Made<u16> {
        width(&self.layout, lane(ty)).ok_or(Gap::Type)
    }
}
