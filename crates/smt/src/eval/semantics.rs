//! The meaning of each operation on values.
//!
//! Arguments and results are zero-extended values below 2^width. This is the definition that rewrites, backends
//! and the instrumented program are compared with.

use super::bits::{mask, signed};
use crate::Op;

/// What `op` yields: `bits` is the result's width, `width` the first operand's.
#[must_use]
pub(crate) fn compute(op: Op, bits: u16, aux: u8, width: u16, x: [u128; 3]) -> u128 {
    use Op::*;
    let [a, b, c] = x;
    match op {
        Ite => {
            if a == 1 {
                b
            } else {
                c
            }
        }
        ZExt => a,
        SExt => signed(a, width).cast_unsigned() & mask(bits),
        Extract => (a >> aux) & mask(bits),
        Concat => (a << (bits - width)) | b,
        Eq | Ult | Ule | Slt | Sle => u128::from(compare(op, width, a, b)),
        UAddO | SAddO | USubO | SSubO | UMulO | SMulO => u128::from(overflows(op, width, a, b)),
        FAdd | FSub | FMul | FDiv | FRem | FNeg | FAbs | FSqrt | FEq | FLt | FLe | FUno | FToS
        | FToU | FToF | FRound | SToF | UToF => super::float::compute(op, bits, aux, width, a, b),
        _ => integer(op, width, a, b) & mask(bits),
    }
}

fn compare(op: Op, width: u16, a: u128, b: u128) -> bool {
    match op {
        Op::Eq => a == b,
        Op::Ult => a < b,
        Op::Ule => a <= b,
        Op::Slt => signed(a, width) < signed(b, width),
        _ => signed(a, width) <= signed(b, width),
    }
}

fn integer(op: Op, width: u16, a: u128, b: u128) -> u128 {
    use Op::*;
    let w = u128::from(width);
    match op {
        Add => a.wrapping_add(b),
        Sub => a.wrapping_sub(b),
        Mul => a.wrapping_mul(b),
        UDiv => a.checked_div(b).unwrap_or(u128::MAX),
        URem => a.checked_rem(b).unwrap_or(a),
        SDiv => signed_div(a, b, width),
        SRem if b == 0 => a,
        SRem => signed(a, width)
            .wrapping_rem(signed(b, width))
            .cast_unsigned(),
        And => a & b,
        Or => a | b,
        Xor => a ^ b,
        Shl if b >= w => 0,
        Shl => a << b,
        LShr if b >= w => 0,
        LShr => a >> b,
        AShr => (signed(a, width) >> b.min(w - 1)).cast_unsigned(),
        Not => !a,
        Neg => a.wrapping_neg(),
        Popcount => u128::from(a.count_ones()),
        Clz => u128::from(a.leading_zeros()) - (128 - w),
        Ctz => u128::from(a.trailing_zeros()).min(w),
        Bswap => a.swap_bytes() >> (128 - w),
        _ => unreachable!("{op:?} is computed elsewhere"),
    }
}

fn signed_div(a: u128, b: u128, width: u16) -> u128 {
    let (x, y) = (signed(a, width), signed(b, width));
    match y {
        0 if x < 0 => 1,
        0 => u128::MAX,
        _ => x.wrapping_div(y).cast_unsigned(),
    }
}

fn overflows(op: Op, width: u16, a: u128, b: u128) -> bool {
    let (x, y) = (signed(a, width), signed(b, width));
    let outside =
        |v: Option<i128>| v.is_none_or(|v| signed(v.cast_unsigned() & mask(width), width) != v);
    match op {
        Op::UAddO => a.checked_add(b).is_none_or(|s| s > mask(width)),
        Op::USubO => a < b,
        Op::UMulO => a.checked_mul(b).is_none_or(|p| p > mask(width)),
        Op::SAddO => outside(x.checked_add(y)),
        Op::SSubO => outside(x.checked_sub(y)),
        _ => outside(x.checked_mul(y)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn c(op: Op, width: u16, a: u128, b: u128) -> u128 {
        compute(
            op,
            if op.is_predicate() { 1 } else { width },
            0,
            width,
            [a, b, 0],
        )
    }

    #[test]
    fn division_by_zero_follows_smt_lib() {
        assert_eq!(c(Op::UDiv, 8, 7, 0), 0xff);
        assert_eq!(c(Op::URem, 8, 7, 0), 7);
        assert_eq!(c(Op::SDiv, 8, 0xf9, 0), 1);
        assert_eq!(c(Op::SDiv, 8, 7, 0), 0xff);
        assert_eq!(c(Op::SRem, 8, 0xf9, 0), 0xf9);
        assert_eq!(c(Op::SDiv, 8, 0x80, 0xff), 0x80);
        assert_eq!(c(Op::SDiv, 128, 1 << 127, u128::MAX), 1 << 127);
        assert_eq!(c(Op::SRem, 8, 0x80, 0xff), 0);
    }

    #[test]
    fn wide_shifts_empty_the_value() {
        assert_eq!(c(Op::Shl, 8, 1, 8), 0);
        assert_eq!(c(Op::LShr, 8, 0x80, 200), 0);
        assert_eq!(c(Op::AShr, 8, 0x80, 200), 0xff);
        assert_eq!(c(Op::AShr, 128, 1 << 127, 127), u128::MAX);
    }

    #[test]
    fn counting_and_swapping() {
        assert_eq!(c(Op::Clz, 8, 0, 0), 8);
        assert_eq!(c(Op::Ctz, 8, 0, 0), 8);
        assert_eq!(c(Op::Ctz, 8, 0x50, 0), 4);
        assert_eq!(c(Op::Clz, 8, 0x10, 0), 3);
        assert_eq!(c(Op::Bswap, 32, 0x1234_5678, 0), 0x7856_3412);
        assert_eq!(c(Op::Popcount, 8, 0xf1, 0), 5);
    }

    #[test]
    fn overflow_at_every_small_operand() {
        for a in 0..16u128 {
            for b in 0..16u128 {
                let (x, y) = (signed(a, 4), signed(b, 4));
                let s = |v: i128| u128::from(!(-8..=7).contains(&v));
                assert_eq!(c(Op::SAddO, 4, a, b), s(x + y));
                assert_eq!(c(Op::SSubO, 4, a, b), s(x - y));
                assert_eq!(c(Op::SMulO, 4, a, b), s(x * y));
                assert_eq!(c(Op::UAddO, 4, a, b), u128::from(a + b > 15));
                assert_eq!(c(Op::USubO, 4, a, b), u128::from(a < b));
                assert_eq!(c(Op::UMulO, 4, a, b), u128::from(a * b > 15));
            }
        }
        assert_eq!(c(Op::SMulO, 128, 1 << 127, u128::MAX), 1);
        assert_eq!(c(Op::UMulO, 128, 1 << 127, 2), 1);
        assert_eq!(c(Op::SAddO, 128, (1 << 127) - 1, 1), 1);
    }
}
