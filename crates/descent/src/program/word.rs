//! What each operation yields, on machine words: values of up to 64 bits in a `u64`, wider ones in a `u128`.
//!
//! The meaning is [`smt::Evaluator`]'s; tests compare all operations at all widths with it. It is written again because the
//! evaluator's is on 128-bit words, which cost about twice as much where values are narrow (decision 0177).
//!
//! Must hold: arguments and results are zero-extended values below 2^width.

use smt::Op;
use x87::Order;

macro_rules! integers {
    ($module:ident, $word:ty, $signed:ty, $size:literal) => {
        /// Operations on integers in one word.
        pub(crate) mod $module {
            use smt::Op;

            #[inline(always)]
            pub(crate) fn mask(bits: u16) -> $word {
                <$word>::MAX >> ($size - u32::from(bits))
            }

            #[inline(always)]
            pub(crate) fn signed(value: $word, bits: u16) -> $signed {
                let unused = $size - u32::from(bits);
                (value << unused).cast_signed() >> unused
            }

            /// What an operation on integers yields; `bits` is the result's width, `width` the first operand's.
            #[inline(always)]
            pub(crate) fn compute(
                op: Op,
                bits: u16,
                aux: u8,
                width: u16,
                a: $word,
                b: $word,
                c: $word,
            ) -> $word {
                use Op::*;
                let w = <$word>::from(width);
                let (x, y) = (|| signed(a, width), || signed(b, width));
                let outside = |v: Option<$signed>| {
                    v.is_none_or(|v| signed(v.cast_unsigned() & mask(width), width) != v)
                };
                let value = match op {
                    Add => a.wrapping_add(b),
                    Sub => a.wrapping_sub(b),
                    Mul => a.wrapping_mul(b),
                    UDiv => a.checked_div(b).unwrap_or(<$word>::MAX),
                    URem => a.checked_rem(b).unwrap_or(a),
                    SDiv if b == 0 => {
                        if x() < 0 {
                            1
                        } else {
                            <$word>::MAX
                        }
                    }
                    SDiv => x().wrapping_div(y()).cast_unsigned(),
                    SRem if b == 0 => a,
                    SRem => x().wrapping_rem(y()).cast_unsigned(),
                    And => a & b,
                    Or => a | b,
                    Xor => a ^ b,
                    Shl => {
                        if b >= w {
                            0
                        } else {
                            a << b
                        }
                    }
                    LShr => {
                        if b >= w {
                            0
                        } else {
                            a >> b
                        }
                    }
                    AShr => (x() >> b.min(w - 1)).cast_unsigned(),
                    Not => !a,
                    Neg => a.wrapping_neg(),
                    Eq => <$word>::from(a == b),
                    Ult => <$word>::from(a < b),
                    Ule => <$word>::from(a <= b),
                    Slt => <$word>::from(x() < y()),
                    Sle => <$word>::from(x() <= y()),
                    ZExt => a,
                    SExt => x().cast_unsigned(),
                    Extract => a >> aux,
                    Concat => (a << (bits - width)) | b,
                    Ite => {
                        if a == 1 {
                            b
                        } else {
                            c
                        }
                    }
                    Popcount => <$word>::from(a.count_ones()),
                    Clz => <$word>::from(a.leading_zeros()) - ($size - w),
                    Ctz => <$word>::from(a.trailing_zeros()).min(w),
                    Bswap => a.swap_bytes() >> ($size - w),
                    UAddO => <$word>::from(a.checked_add(b).is_none_or(|s| s > mask(width))),
                    USubO => <$word>::from(a < b),
                    UMulO => <$word>::from(a.checked_mul(b).is_none_or(|p| p > mask(width))),
                    SAddO => <$word>::from(outside(x().checked_add(y()))),
                    SSubO => <$word>::from(outside(x().checked_sub(y()))),
                    SMulO => <$word>::from(outside(x().checked_mul(y()))),
                    _ => unreachable!("{op:?} is computed with floats"),
                };
                value & mask(bits)
            }
        }
    };
}

integers!(narrow, u64, i64, 64);
integers!(wide, u128, i128, 128);

/// Whether the operation is on floats, or makes one.
pub(crate) fn is_float(op: Op) -> bool {
    op.takes_floats() || matches!(op, Op::SToF | Op::UToF)
}

macro_rules! arithmetic {
    ($name:ident, $float:ty) => {
        #[inline(always)]
        fn $name(op: Op, aux: u8, a: $float, b: $float) -> u64 {
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
                Op::FEq => return u64::from(a == b),
                Op::FLt => return u64::from(a < b),
                Op::FLe => return u64::from(a <= b),
                Op::FUno => return u64::from(a.is_nan() || b.is_nan()),
                _ => unreachable!("{op:?} is computed elsewhere"),
            };
            u64::from(value.to_bits())
        }
    };
}

arithmetic!(single, f32);
arithmetic!(double, f64);

fn f32(value: u64) -> f32 {
    f32::from_bits(value as u32)
}

/// The number that a float of 32 or 64 bits is.
#[inline(always)]
fn to_f64(value: u64, width: u16) -> f64 {
    match width {
        32 => f64::from(f32(value)),
        _ => f64::from_bits(value),
    }
}

/// An operation on floats of 32 or 64 bits and integers of up to 64.
#[inline(always)]
pub(crate) fn narrow_float(op: Op, bits: u16, aux: u8, width: u16, a: u64, b: u64) -> u64 {
    match op {
        Op::SToF if bits == 32 => u64::from((narrow::signed(a, width) as f32).to_bits()),
        Op::SToF => (narrow::signed(a, width) as f64).to_bits(),
        Op::UToF if bits == 32 => u64::from((a as f32).to_bits()),
        Op::UToF => (a as f64).to_bits(),
        Op::FNeg => a ^ 1 << (width - 1),
        Op::FAbs => a & !(1 << (width - 1)),
        Op::FToS | Op::FToU => to_integer(op, to_f64(a, width), bits),
        Op::FToF if width == bits => a,
        Op::FToF if bits == 32 => u64::from((f64::from_bits(a) as f32).to_bits()),
        Op::FToF => f64::from(f32(a)).to_bits(),
        _ if width == 32 => single(op, aux, f32(a), f32(b)),
        _ => double(op, aux, f64::from_bits(a), f64::from_bits(b)),
    }
}

/// `cvttsd2si` to a register of 32 or 64 bits: the smallest number for all that does not fit.
fn convert(x: f64, register: u16) -> i64 {
    let limit = (1_u64 << (register - 1)) as f64;
    let t = x.trunc();
    if t >= -limit && t < limit {
        t as i64
    } else {
        -1 << (register - 1)
    }
}

/// As the code that LLVM emits for x86-64.
fn to_integer(op: Op, x: f64, bits: u16) -> u64 {
    let value = match (op, bits) {
        (_, ..=31) | (Op::FToS, 32) => convert(x, 32),
        (Op::FToU, 64) => {
            let low = convert(x, 64);
            low | (convert(x - (1_u64 << 63) as f64, 64) & (low >> 63))
        }
        _ => convert(x, 64),
    };
    value.cast_unsigned() & narrow::mask(bits)
}

/// An operation on floats where a value is wider than 64 bits.
#[cold]
pub(crate) fn wide_float(op: Op, bits: u16, aux: u8, width: u16, a: u128, b: u128) -> u128 {
    match op {
        Op::SToF => from_signed(wide::signed(a, width), bits),
        Op::UToF => from_unsigned(a, bits),
        Op::FNeg => a ^ 1 << (width - 1),
        Op::FAbs => a & !(1 << (width - 1)),
        _ if width == x87::BITS => extended(op, bits, aux, a, b),
        Op::FToS => (to_f64(a as u64, width) as i128).cast_unsigned() & wide::mask(bits),
        Op::FToU => to_f64(a as u64, width) as u128 & wide::mask(bits),
        Op::FToF if width == 32 => x87::from_f32(f32(a as u64)),
        _ => x87::from_f64(f64::from_bits(a as u64)),
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
        Op::FToS => x87::to_signed(a, bits).cast_unsigned() & wide::mask(bits),
        Op::FToU => x87::to_unsigned(a, bits) & wide::mask(bits),
        Op::FToF => match bits {
            32 => u128::from(x87::to_f32(a).to_bits()),
            64 => u128::from(x87::to_f64(a).to_bits()),
            _ => a,
        },
        _ => unreachable!("{op:?} is computed elsewhere"),
    }
}
