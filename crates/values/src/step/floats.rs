//! Instructions on floating-point numbers.
//!
//! Must hold: what is rounded is computed only where rounding is known ([`program::rounding`]); other types than `float` and `double` may be
//! anything.

use program::{BinOp, CastOp, FBinOp, FCmp, Function, Intrinsic, Op, Operand, Type};

use super::Step;
use crate::num::{Num, mask};
use crate::real::{self, Format, Outcomes, Real};
use crate::state::{anything, format, width};
use crate::value::Value;

/// What a number is whose bits an operation takes without the sign, as tests for NaN and infinity do.
pub fn sized(
    function: &Function,
    (op, lhs): (BinOp, &Operand),
    by: Option<u128>,
) -> Option<(Operand, Format)> {
    let Op::Cast {
        op: CastOp::Bitcast,
        value: from,
    } = &function.inst(lhs.value()?)?.op
    else {
        return None;
    };
    let format = format(&function.operand_type(from))?;
    let is_size = op == BinOp::And && by == Some(mask(format.bits()) >> 1);
    is_size.then(|| (from.clone(), format))
}

impl Step<'_, '_, '_> {
    fn real(&mut self, operand: &Operand, format: Format) -> Real {
        self.operand(operand).real(format)
    }

    /// The formats of an operand and of a result.
    fn formats(&self, from: &Operand, ty: &Type) -> (Option<Format>, Option<Format>) {
        (format(&self.function.operand_type(from)), format(ty))
    }

    pub(super) fn float_binary(
        &mut self,
        op: FBinOp,
        lhs: &Operand,
        rhs: &Operand,
        ty: &Type,
    ) -> Value {
        match format(ty) {
            Some(format) if self.floats => {
                let (a, b) = (self.real(lhs, format), self.real(rhs, format));
                Value::Real(real::bin(op, &a, &b))
            }
            _ => anything(self.world.program, ty),
        }
    }

    pub(super) fn float_negated(&mut self, value: &Operand, ty: &Type) -> Value {
        match format(ty) {
            Some(format) => Value::Real(real::negated(&self.real(value, format))),
            None => anything(self.world.program, ty),
        }
    }

    pub(super) fn float_comparison(&mut self, pred: FCmp, lhs: &Operand, rhs: &Operand) -> Value {
        let Some(format) = format(&self.function.operand_type(lhs)) else {
            return Value::Num(Num::any(1));
        };
        let (a, b) = (self.real(lhs, format), self.real(rhs, format));
        let is_same = lhs.value().is_some() && lhs == rhs;
        let may_be = |outcomes: Outcomes| match is_same {
            true => outcomes.with_itself().may_be(&a, &b),
            false => outcomes.may_be(&a, &b),
        };
        let outcomes = Outcomes::of(pred);
        let truth = Num::truth(may_be(outcomes), may_be(outcomes.inverse()));
        Value::Num(truth.unwrap_or(Num::any(1)))
    }

    pub(super) fn float_cast(&mut self, op: CastOp, from: &Operand, ty: &Type) -> Value {
        let source = self.function.operand_type(from);
        let (bits, to_bits) = (
            width(self.world.program, &source),
            width(self.world.program, ty),
        );
        match (op, self.formats(from, ty)) {
            (CastOp::FpExt, (Some(own), Some(to))) => Value::Real(self.real(from, own).resized(to)),
            (CastOp::FpTrunc, (Some(own), Some(to))) if self.floats => {
                Value::Real(self.real(from, own).resized(to))
            }
            (CastOp::FpToSi | CastOp::FpToUi, (Some(own), _)) if to_bits.is_some() => {
                let signed = op == CastOp::FpToSi;
                let num = self.real(from, own).to_int(to_bits.unwrap_or(64), signed);
                Value::Num(num)
            }
            (CastOp::SiToFp | CastOp::UiToFp, (_, Some(to))) if self.floats && bits.is_some() => {
                let value = self.operand(from);
                value.escape(self.world.objects);
                let num = value.num(bits.unwrap_or(64));
                Value::Real(Real::from_int(to, &num, op == CastOp::SiToFp))
            }
            (CastOp::Bitcast, (Some(own), None)) if to_bits == Some(own.bits()) => {
                match self.real(from, own).bits() {
                    Some(num) => Value::Num(num),
                    None => anything(self.world.program, ty),
                }
            }
            (CastOp::Bitcast, (None, Some(to))) if bits == Some(to.bits()) => {
                let value = self.operand(from);
                value.escape(self.world.objects);
                Value::Real(value.real(to))
            }
            _ => {
                let value = self.operand(from);
                value.escape(self.world.objects);
                anything(self.world.program, ty)
            }
        }
    }

    /// The bits of a number without its sign; `None` for other operations.
    pub(super) fn size_bits(&mut self, op: BinOp, lhs: &Operand, rhs: &Operand) -> Option<Num> {
        let (from, format) = sized(self.function, (op, lhs), self.operand(rhs).as_constant())?;
        Some(self.real(&from, format).size_bits())
    }

    /// `None` where it is none of those that are known.
    pub(super) fn float_intrinsic(
        &mut self,
        op: Intrinsic,
        values: &[Value],
        ty: &Type,
    ) -> Option<Value> {
        let format = format(ty)?;
        let rounds = matches!(
            op,
            Intrinsic::Sqrt
                | Intrinsic::Rint
                | Intrinsic::NearbyInt
                | Intrinsic::Fma
                | Intrinsic::FMulAdd
        );
        if rounds && !self.floats {
            return None;
        }
        let reals: Vec<Real> = values.iter().map(|value| value.real(format)).collect();
        real::intrinsic(op, &reals).map(Value::Real)
    }
}
