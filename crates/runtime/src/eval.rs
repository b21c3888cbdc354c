//! The concrete meaning of every operation, on values of up to 128 bits: folds intermediates, and is what check mode
//! compares with.
//!
//! What must hold: results are zero-extended from their width; division and shifts beyond the width follow SMT-LIB.

use crate::float;
use wire::node::Op;

/// All ones of a width.
#[inline]
pub(crate) const fn mask(bits: u16) -> u128 {
    if bits >= 128 {
        u128::MAX
    } else {
        (1 << bits) - 1
    }
}

/// The value with its sign bit copied upwards.
#[inline]
pub(crate) const fn sign_extend(value: u128, bits: u16) -> u128 {
    if bits >= 128 {
        return value;
    }
    let shift = 128 - bits as u32;
    (((value << shift) as i128) >> shift) as u128
}

const fn signed(value: u128, bits: u16) -> i128 {
    sign_extend(value, bits) as i128
}

/// Operations of two operands of `bits` bits each. Comparisons and overflow tests give 0 or 1.
pub(crate) fn binary(op: Op, bits: u16, a: u128, b: u128) -> u128 {
    if bits == x87::BITS
        && let Some(value) = extended(op, a, b)
    {
        return value;
    }
    let top = mask(bits);
    let (sa, sb) = (signed(a, bits), signed(b, bits));
    let shift = u32::try_from(b).unwrap_or(u32::MAX);
    let (a64, b64) = (a as u64, b as u64);
    match op {
        Op::Add => a.wrapping_add(b) & top,
        Op::Sub => a.wrapping_sub(b) & top,
        Op::Mul => a.wrapping_mul(b) & top,
        Op::UDiv => a.checked_div(b).unwrap_or(top),
        Op::URem => a.checked_rem(b).unwrap_or(a),
        Op::SDiv if b == 0 => {
            if sa < 0 {
                1
            } else {
                top
            }
        }
        Op::SDiv => sa.wrapping_div(sb) as u128 & top,
        Op::SRem if b == 0 => a,
        Op::SRem => sa.wrapping_rem(sb) as u128 & top,
        Op::And => a & b,
        Op::Or => a | b,
        Op::Xor => a ^ b,
        Op::Shl if shift >= u32::from(bits) => 0,
        Op::Shl => (a << shift) & top,
        Op::LShr if shift >= u32::from(bits) => 0,
        Op::LShr => a >> shift,
        Op::AShr => (sa >> shift.min(127)) as u128 & top,
        Op::Eq => u128::from(a == b),
        Op::Ult => u128::from(a < b),
        Op::Ule => u128::from(a <= b),
        Op::Slt => u128::from(sa < sb),
        Op::Sle => u128::from(sa <= sb),
        Op::UAddO | Op::SAddO | Op::USubO | Op::SSubO | Op::UMulO | Op::SMulO => {
            u128::from(overflows(op, bits, a, b))
        }
        Op::FAdd | Op::FSub | Op::FMul | Op::FDiv => float::arithmetic(op, a64, b64, bits).into(),
        Op::FRem => float::remainder(a64, b64, bits).into(),
        Op::FEq => u128::from(float::widen(a64, bits) == float::widen(b64, bits)),
        Op::FLt => u128::from(float::widen(a64, bits) < float::widen(b64, bits)),
        Op::FLe => u128::from(float::widen(a64, bits) <= float::widen(b64, bits)),
        Op::FUno => {
            u128::from(float::widen(a64, bits).is_nan() || float::widen(b64, bits).is_nan())
        }
        _ => 0,
    }
}

/// Operations of `long double` on two operands.
fn extended(op: Op, a: u128, b: u128) -> Option<u128> {
    use x87::Order;
    Some(match op {
        Op::FAdd => x87::add(a, b),
        Op::FSub => x87::sub(a, b),
        Op::FMul => x87::mul(a, b),
        Op::FDiv => x87::div(a, b),
        Op::FRem => x87::rem(a, b),
        Op::FEq => u128::from(x87::compare(a, b) == Order::Equal),
        Op::FLt => u128::from(x87::compare(a, b) == Order::Less),
        Op::FLe => u128::from(matches!(x87::compare(a, b), Order::Less | Order::Equal)),
        Op::FUno => u128::from(x87::compare(a, b) == Order::Unordered),
        _ => return None,
    })
}

fn overflows(op: Op, bits: u16, a: u128, b: u128) -> bool {
    let (sa, sb) = (signed(a, bits), signed(b, bits));
    let outside =
        |exact: Option<i128>| exact.is_none_or(|v| signed(v as u128 & mask(bits), bits) != v);
    match op {
        Op::UAddO => a.checked_add(b).is_none_or(|v| v > mask(bits)),
        Op::USubO => a < b,
        Op::UMulO => a.checked_mul(b).is_none_or(|v| v > mask(bits)),
        Op::SAddO => outside(sa.checked_add(sb)),
        Op::SSubO => outside(sa.checked_sub(sb)),
        _ => outside(sa.checked_mul(sb)),
    }
}

/// Operations of one operand of `from` bits with a result of `to` bits; `aux` is the rounding mode, `low` the first bit of
/// an extract.
pub(crate) fn unary(op: Op, from: u16, to: u16, a: u128, aux: u8, low: u32) -> u128 {
    let a64 = a as u64;
    let value = match op {
        Op::Not => !a,
        Op::Neg => a.wrapping_neg(),
        Op::ZExt => a,
        Op::SExt => sign_extend(a, from),
        Op::Extract => a.checked_shr(low).unwrap_or(0),
        Op::Popcount => a.count_ones().into(),
        Op::Clz => (a.leading_zeros() - (128 - u32::from(from))).into(),
        Op::Ctz => a.trailing_zeros().min(from.into()).into(),
        Op::Bswap => a.swap_bytes() >> (128 - from.max(8)),
        Op::FNeg => a ^ 1 << (from - 1),
        Op::FAbs => a & mask(from - 1),
        Op::FSqrt if from == x87::BITS => x87::sqrt(a),
        Op::FRound if from == x87::BITS => x87::round(a, aux),
        Op::FToS if from == x87::BITS => x87::to_signed(a, to).cast_unsigned(),
        Op::FToU if from == x87::BITS => x87::to_unsigned(a, to),
        Op::FSqrt => float::sqrt(a64, from).into(),
        Op::FRound => float::round(a64, from, aux).into(),
        Op::FToS => float::to_signed(a64, from, to),
        Op::FToU => float::to_unsigned(a64, from, to),
        Op::SToF if to == x87::BITS => x87::from_signed(signed(a, from)),
        Op::UToF if to == x87::BITS => x87::from_unsigned(a),
        Op::SToF => float::from_integer(a, from, true, to).into(),
        Op::UToF => float::from_integer(a, from, false, to).into(),
        Op::FToF if from == to => a,
        Op::FToF if from == x87::BITS && to == 32 => x87::to_f32(a).to_bits().into(),
        Op::FToF if from == x87::BITS => x87::to_f64(a).to_bits().into(),
        Op::FToF if to == x87::BITS => x87::from_f64(float::widen(a64, from)),
        Op::FToF => float::narrow(float::widen(a64, from), to).into(),
        _ => 0,
    };
    value & mask(to)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn division_by_zero_is_that_of_smt_lib() {
        let cases = [
            (Op::UDiv, 5, 0xff),
            (Op::URem, 5, 5),
            (Op::SDiv, 5, 0xff),
            (Op::SDiv, 0xfb, 1),
            (Op::SRem, 0xfb, 0xfb),
        ];
        for (op, a, want) in cases {
            assert_eq!(binary(op, 8, a, 0), want, "{op:?} {a}");
        }
        assert_eq!(binary(Op::SDiv, 8, 0x80, 0xff), 0x80);
        assert_eq!(binary(Op::SDiv, 128, 1 << 127, u128::MAX), 1 << 127);
    }

    #[test]
    fn arithmetic_wraps_at_its_width() {
        assert_eq!(binary(Op::Add, 8, 200, 100), 44);
        assert_eq!(binary(Op::Mul, 1, 1, 1), 1);
        assert_eq!(binary(Op::Shl, 8, 1, 8), 0);
        assert_eq!(binary(Op::AShr, 8, 0x80, 200), 0xff);
        assert_eq!(binary(Op::Slt, 8, 0x80, 0x7f), 1);
        assert_eq!(binary(Op::SMulO, 64, 1 << 62, 2), 1);
        assert_eq!(binary(Op::SAddO, 8, 0x7f, 1), 1);
        assert_eq!(binary(Op::SSubO, 8, 0x80, 1), 1);
        assert_eq!(binary(Op::SSubO, 8, 0x81, 1), 0);
    }

    #[test]
    fn unary_operations() {
        assert_eq!(unary(Op::Clz, 8, 8, 1, 0, 0), 7);
        assert_eq!(unary(Op::Ctz, 8, 8, 0, 0, 0), 8);
        assert_eq!(unary(Op::Bswap, 16, 16, 0x1234, 0, 0), 0x3412);
        assert_eq!(unary(Op::SExt, 8, 32, 0x80, 0, 0), 0xffff_ff80);
        assert_eq!(unary(Op::Extract, 32, 8, 0x1234, 0, 8), 0x12);
        assert_eq!(unary(Op::Neg, 8, 8, 1, 0, 0), 0xff);
    }
}
