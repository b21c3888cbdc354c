//! The meaning of the floating-point operations: IEEE 754, round to nearest even, as x86-64 code computes them.
//!
//! Floats have 32, 64 or 80 bits; those of 80 are `long double` ([`x87`]).
//! A NaN is a NaN: which one an operation yields is what the machine's own instruction yields.

use super::bits::{mask, sign_bit, signed};
use crate::Op;
use x87::Order;

/// What a floating-point `op` yields; `width` is the operands' width, `bits` the result's.
#[must_use]
pub(crate) fn compute(op: Op, bits: u16, aux: u8, width: u16, a: u128, b: u128) -> u128 {
    match op {
        Op::SToF => from_signed(signed(a, width), bits),
        Op::UToF => from_unsigned(a, bits),
        Op::FNeg => a ^ sign_bit(width),
        Op::FAbs => a & !sign_bit(width),
        _ if width == x87::BITS && op.takes_floats() => extended(op, bits, aux, a, b),
        Op::FToS | Op::FToU => to_integer(op, to_f64(a, width), bits),
        Op::FToF => match (width, bits) {
            (64, 32) => u128::from((f64(a) as f32).to_bits()),
            (32, 64) => u128::from(f64::from(f32(a)).to_bits()),
            (32, x87::BITS) => x87::from_f32(f32(a)),
            (64, x87::BITS) => x87::from_f64(f64(a)),
            _ => a,
        },
        _ if width == 32 => single(op, aux, f32(a), f32(b)),
        _ => double(op, aux, f64(a), f64(b)),
    }
}

macro_rules! arithmetic {
    ($name:ident, $float:ty) => {
        fn $name(op: Op, aux: u8, a: $float, b: $float) -> u128 {
            let value = match op {
                Op::FAdd => a + b,
                Op::FSub => a - b,
                Op::FMul => a * b,
                Op::FDiv => a / b,
                Op::FRem => a % b,
                Op::FSqrt => a.sqrt(),
                Op::FRound => match aux {
                    0 => a.round_ties_even(),
                    1 => a.floor(),
                    2 => a.ceil(),
                    3 => a.trunc(),
                    _ => a.round(),
                },
                Op::FEq => return u128::from(a == b),
                Op::FLt => return u128::from(a < b),
                Op::FLe => return u128::from(a <= b),
                Op::FUno => return u128::from(a.is_nan() || b.is_nan()),
                _ => unreachable!("{op:?} is computed elsewhere"),
            };
            u128::from(value.to_bits())
        }
    };
}

arithmetic!(single, f32);
arithmetic!(double, f64);

/// The low 32 bits as a float.
fn f32(value: u128) -> f32 {
    f32::from_bits(value as u32)
}

/// The low 64 bits as a double.
fn f64(value: u128) -> f64 {
    f64::from_bits(value as u64)
}

fn to_f64(value: u128, width: u16) -> f64 {
    if width == 32 {
        f64::from(f32(value))
    } else {
        f64(value)
    }
}

fn from_signed(value: i128, bits: u16) -> u128 {
    match bits {
        32 => u128::from((value as f32).to_bits()),
        64 => u128::from((value as f64).to_bits()),
        _ => x87::from_signed(value),
    }
}

fn from_unsigned(value: u128, bits: u16) -> u128 {
    match bits {
        32 => u128::from((value as f32).to_bits()),
        64 => u128::from((value as f64).to_bits()),
        _ => x87::from_unsigned(value),
    }
}

/// Operations of `long double`.
fn extended(op: Op, bits: u16, aux: u8, a: u128, b: u128) -> u128 {
    let order = || x87::compare(a, b);
    match op {
        Op::FAdd => x87::add(a, b),
        Op::FSub => x87::sub(a, b),
        Op::FMul => x87::mul(a, b),
        Op::FDiv => x87::div(a, b),
        Op::FRem => x87::rem(a, b),
        Op::FSqrt => x87::sqrt(a),
        Op::FRound => x87::round(a, aux),
        Op::FEq => u128::from(order() == Order::Equal),
        Op::FLt => u128::from(order() == Order::Less),
        Op::FLe => u128::from(matches!(order(), Order::Less | Order::Equal)),
        Op::FUno => u128::from(order() == Order::Unordered),
        Op::FToS => x87::to_signed(a, bits).cast_unsigned() & mask(bits),
        Op::FToU => x87::to_unsigned(a, bits) & mask(bits),
        Op::FToF => match bits {
            32 => u128::from(x87::to_f32(a).to_bits()),
            64 => u128::from(x87::to_f64(a).to_bits()),
            _ => a,
        },
        _ => unreachable!("{op:?} is computed elsewhere"),
    }
}

/// Positive infinity of this width.
#[must_use]
pub(crate) fn infinity(width: u16) -> u128 {
    number(width, f64::INFINITY)
}

/// Whether the pattern is no number.
#[must_use]
pub(crate) fn is_nan(value: u128, width: u16) -> bool {
    compute(Op::FUno, 1, 0, width, value, value) == 1
}

/// Whether it is a number, and no infinity.
#[must_use]
pub(crate) fn is_finite(value: u128, width: u16) -> bool {
    !is_nan(value, width) && value & !sign_bit(width) != infinity(width)
}

/// The pattern of a number, rounded to the width.
#[must_use]
pub fn number(width: u16, value: f64) -> u128 {
    match width {
        32 => u128::from((value as f32).to_bits()),
        64 => u128::from(value.to_bits()),
        _ => x87::from_f64(value),
    }
}

/// `cvttsd2si` to a register of 32 or 64 bits: the smallest number for all that does not fit.
fn convert(x: f64, register: u16) -> i128 {
    let limit = (1u128 << (register - 1)) as f64;
    let t = x.trunc();
    if t >= -limit && t < limit {
        t as i128
    } else {
        -(1i128 << (register - 1))
    }
}

/// As the code that LLVM emits for x86-64: signed narrow results come from a 32-bit conversion, unsigned ones of 32 bits
/// from a 64-bit conversion, unsigned 64-bit ones from two. 128-bit conversions are library calls; they saturate.
fn to_integer(op: Op, x: f64, bits: u16) -> u128 {
    let value = match (op, bits) {
        (_, ..=31) | (Op::FToS, 32) => convert(x, 32),
        (Op::FToU, 32) | (Op::FToS, 33..=64) | (_, 33..=63) => convert(x, 64),
        (Op::FToU, 64) => {
            let low = convert(x, 64);
            let high = convert(x - (1u128 << 63) as f64, 64);
            low | (high & (low >> 63))
        }
        (Op::FToS, _) => x as i128,
        _ => (x as u128).cast_signed(),
    };
    value.cast_unsigned() & mask(bits)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn d(x: f64) -> u128 {
        u128::from(x.to_bits())
    }

    #[test]
    fn conversions_out_of_range_are_indefinite() {
        let s = |x: f64, bits| compute(Op::FToS, bits, 0, 64, d(x), 0);
        let u = |x: f64, bits| compute(Op::FToU, bits, 0, 64, d(x), 0);
        assert_eq!(s(1e10, 32), 0x8000_0000);
        assert_eq!(s(f64::NAN, 64), 1 << 63);
        assert_eq!(s(-1.9, 32), 0xffff_ffff);
        assert_eq!(s(-2_147_483_648.9, 32), 0x8000_0000);
        assert_eq!(s(300.0, 8), 44);
        assert_eq!(u(4e9, 32), 4_000_000_000);
        assert_eq!(u(-1.0, 32), 0xffff_ffff);
        assert_eq!(u(1.5e19, 64), 15_000_000_000_000_000_000);
        assert_eq!(u(1e30, 64), 1 << 63);
        assert_eq!(u(-1.0, 64), u128::from(u64::MAX));
    }

    #[test]
    fn not_a_number_compares_false() {
        let nan = d(f64::NAN);
        for op in [Op::FEq, Op::FLt, Op::FLe] {
            assert_eq!(compute(op, 1, 0, 64, nan, nan), 0);
        }
        assert_eq!(compute(Op::FUno, 1, 0, 64, nan, 0), 1);
        assert_eq!(compute(Op::FEq, 1, 0, 64, d(-0.0), 0), 1);
    }

    #[test]
    fn rounding_and_remainders() {
        let round = |x: f64, aux| f64::from_bits(compute(Op::FRound, 64, aux, 64, d(x), 0) as u64);
        assert_eq!(
            [0, 1, 2, 3, 4].map(|m| round(2.5, m)),
            [2.0, 2.0, 3.0, 2.0, 3.0]
        );
        assert_eq!(
            [0, 1, 2, 3, 4].map(|m| round(-2.5, m)),
            [-2.0, -3.0, -2.0, -2.0, -3.0]
        );
        assert_eq!(compute(Op::FRem, 64, 0, 64, d(-5.5), d(2.0)), d(-1.5));
    }
}
