//! Instructions that the model keeps by LLVM's name: those of single lanes, and a few rare intrinsics.

use program::Type;
use smt::{Op, Term};

use crate::builder::{Builder, Made};
use crate::value::{Gap, Value, lane, width};

impl Builder<'_> {
    pub(crate) fn named(&mut self, what: &str, ty: &Type, operands: &[Value]) -> Made {
        match (what, operands) {
            ("select", [cond, a, b]) => self.select(cond, a, b),
            ("extractelement", [vector, index]) => self.lane_at(vector, index),
            ("insertelement", [vector, value, index]) => self.set_lane(vector, value, index),
            ("ushl.sat", [a, b]) => Value::map(&[a, b], &mut |x| self.shift_sat(false, x[0], x[1])),
            ("sshl.sat", [a, b]) => Value::map(&[a, b], &mut |x| self.shift_sat(true, x[0], x[1])),
            ("ucmp" | "scmp", [a, b]) => {
                let less = if what == "ucmp" { Op::Ult } else { Op::Slt };
                let bits = width(&self.layout, lane(ty)).ok_or(Gap::Type)?;
                Value::map(&[a, b], &mut |x| self.three_way(less, x[0], x[1], bits))
            }
            // An address is its number, and the mask has as many bits.
            ("ptrmask", [pointer, mask]) => Value::map(&[pointer, mask], &mut |x| {
                self.same_width(x[0], x[1])?;
                Ok(self.pool.bin(Op::And, x[0], x[1]))
            }),
            _ => Err(Gap::Unmodelled),
        }
    }

    /// The lane of a vector; a number that no lane has gives the last lane, and a [`Condition`](crate::Condition) says so.
    fn lane_at(&mut self, vector: &Value, index: &Value) -> Made {
        let index = index.scalar().ok_or(Gap::Operands)?;
        let (last, others) = vector.members().split_last().ok_or(Gap::Operands)?;
        let mut chosen = last.clone();
        for (number, lane) in others.iter().enumerate().rev() {
            let is_it = self.is_number(index, number);
            chosen = self.select(&is_it.into(), lane, &chosen)?;
        }
        Ok(chosen)
    }

    fn set_lane(&mut self, vector: &Value, value: &Value, index: &Value) -> Made {
        let index = index.scalar().ok_or(Gap::Operands)?;
        let mut lanes = Vec::new();
        for (number, lane) in vector.members().iter().enumerate() {
            let is_it = self.is_number(index, number);
            lanes.push(self.select(&is_it.into(), value, lane)?);
        }
        Ok(lanes.into())
    }

    fn is_number(&mut self, index: Term, number: usize) -> Term {
        let bits = self.pool.width(index);
        if bits < 64 && number as u64 >> bits != 0 {
            return self.pool.bool(false);
        }
        let number = self.pool.constant(bits, number as u128);
        self.pool.eq(index, number)
    }

    /// A left shift that stops at the bounds.
    fn shift_sat(&mut self, signed: bool, value: Term, by: Term) -> Made<Term> {
        self.same_width(value, by)?;
        let bits = self.pool.width(value);
        let shifted = self.pool.bin(Op::Shl, value, by);
        let (back, bound) = if signed {
            (Op::AShr, self.bound(value))
        } else {
            (Op::LShr, self.pool.constant(bits, u128::MAX))
        };
        let back = self.pool.bin(back, shifted, by);
        let fits = self.pool.eq(back, value);
        Ok(self.pool.ite(fits, shifted, bound))
    }

    /// -1, 0 or 1.
    fn three_way(&mut self, less: Op, a: Term, b: Term, bits: u16) -> Made<Term> {
        let below = self.try_apply(less, 1, &[a, b])?;
        let above = self.try_apply(less, 1, &[b, a])?;
        let minus = self.pool.constant(bits, u128::MAX);
        let one = self.pool.constant(bits, 1);
        let zero = self.pool.constant(bits, 0);
        let rest = self.pool.ite(above, one, zero);
        Ok(self.pool.ite(below, minus, rest))
    }
}
