//! Float arithmetic, and the intrinsics of floats: IEEE 754, rounding to nearest even.
//!
//! Which NaN an operation yields is not specified; no predicate tells NaNs apart.

use program::{FBinOp, Intrinsic};
use smt::{Op, Term};

use crate::builder::{Builder, Made};
use crate::value::{Gap, Value};

impl Builder<'_> {
    pub(crate) fn float_binary(&mut self, op: FBinOp, a: Term, b: Term) -> Made<Term> {
        let op = match op {
            FBinOp::Add => Op::FAdd,
            FBinOp::Sub => Op::FSub,
            FBinOp::Mul => Op::FMul,
            FBinOp::Div => Op::FDiv,
            FBinOp::Rem => Op::FRem,
        };
        let bits = self.pool.width(a);
        self.try_apply(op, bits, &[a, b])
    }

    pub(crate) fn negate_float(&mut self, value: Term) -> Made<Term> {
        self.try_apply(Op::FNeg, self.pool.width(value), &[value])
    }

    pub(crate) fn float_intrinsic(&mut self, op: Intrinsic, operands: &[Value]) -> Made {
        use Intrinsic as I;
        match (op, operands) {
            (
                I::FAbs
                | I::Sqrt
                | I::Floor
                | I::Ceil
                | I::Trunc
                | I::Round
                | I::RoundEven
                | I::Rint
                | I::NearbyInt,
                [value],
            ) => Value::map(&[value], &mut |x| self.float_unary(op, x[0])),
            (I::CopySign, [a, b]) => Value::map(&[a, b], &mut |x| Ok(self.copy_sign(x[0], x[1]))),
            (I::MinNum | I::MaxNum, [a, b]) => {
                Value::map(&[a, b], &mut |x| self.extreme(op == I::MinNum, x[0], x[1]))
            }
            // `fmuladd` is still here only where the target may fuse it (`prepare` splits the others); nobody knows
            // whether it then rounds once or twice.
            (I::Fma | I::FMulAdd, [_, _, _]) => Err(Gap::Operation),
            _ => Err(Gap::Operands),
        }
    }

    fn float_unary(&mut self, op: Intrinsic, value: Term) -> Made<Term> {
        use Intrinsic as I;
        let bits = self.pool.width(value);
        let mode = match op {
            I::FAbs => return self.try_apply(Op::FAbs, bits, &[value]),
            I::Sqrt => return self.try_apply(Op::FSqrt, bits, &[value]),
            // The program's rounding mode is the default one.
            I::RoundEven | I::Rint | I::NearbyInt => 0,
            I::Floor => 1,
            I::Ceil => 2,
            I::Trunc => 3,
            I::Round => 4,
            _ => return Err(Gap::Operands),
        };
        self.try_mode(Op::FRound, bits, mode, &[value])
    }

    fn copy_sign(&mut self, value: Term, sign: Term) -> Term {
        let bits = self.pool.width(value);
        let mask = self.pool.constant(bits, (1 << (bits - 1)) - 1);
        let magnitude = self.pool.and(value, mask);
        let only = self.pool.constant(bits, 1 << (bits - 1));
        let sign = self.pool.and(sign, only);
        self.pool.or(magnitude, sign)
    }

    /// `fmin` and `fmax`: a NaN is left out. Of two zeros it is the first, as in the C library and in
    /// plain x86-64 code; LLVM leaves that open, and a [`Condition`](crate::Condition) says so.
    fn extreme(&mut self, least: bool, a: Term, b: Term) -> Made<Term> {
        let bits = self.pool.width(a);
        let (first, second) = if least { (b, a) } else { (a, b) };
        let better = self.try_apply(Op::FLt, 1, &[first, second])?;
        let number = self.try_apply(Op::Ite, bits, &[better, b, a])?;
        let nan = self.try_apply(Op::FUno, 1, &[a, a])?;
        self.try_apply(Op::Ite, bits, &[nan, b, number])
    }
}
