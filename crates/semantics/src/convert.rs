//! Conversions.
//!
//! Floats to integers are as x86-64 code makes them, also out of range; there C leaves them undefined, and
//! [`Condition`](crate::Condition) says so.

use program::{CastOp, Type};
use smt::{Op, Term};

use crate::builder::{Builder, Made};
use crate::value::{Gap, Value};

impl Builder<'_> {
    pub(crate) fn cast(&mut self, op: CastOp, value: &Value, ty: &Type) -> Made {
        if op == CastOp::Bitcast {
            return self.bitcast(value, ty);
        }
        let bits = self.lane_width(ty)?;
        Value::map(&[value], &mut |x| self.convert(op, x[0], bits))
    }

    fn convert(&mut self, op: CastOp, value: Term, bits: u16) -> Made<Term> {
        let op = match op {
            CastOp::Trunc | CastOp::ZExt | CastOp::PtrToInt | CastOp::IntToPtr => {
                return Ok(self.resize(value, bits));
            }
            CastOp::SExt => return Ok(self.resize_signed(value, bits)),
            CastOp::FpTrunc | CastOp::FpExt => Op::FToF,
            CastOp::FpToUi => Op::FToU,
            CastOp::FpToSi => Op::FToS,
            CastOp::UiToFp => Op::UToF,
            CastOp::SiToFp => Op::SToF,
            CastOp::Bitcast => return Err(Gap::Operands),
        };
        self.try_apply(op, bits, &[value])
    }

    fn bitcast(&mut self, value: &Value, ty: &Type) -> Made {
        self.recut(value.scalars(), ty)
    }
}
