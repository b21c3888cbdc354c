//! IEEE operations on bit patterns that `core` alone does not give: remainder, square root, rounding, conversions as on x86-64.
//!
//! What must hold: no call into the math library; the program may not be linked with it.
#![allow(unsafe_code, reason = "SSE2 square root; SSE2 is part of x86-64")]

/// Layout of a binary float in the low bits of a number.
#[derive(Clone, Copy)]
struct Format {
    mantissa: u32,
    exponent: u32,
}

const SINGLE: Format = Format {
    mantissa: 23,
    exponent: 8,
};
const DOUBLE: Format = Format {
    mantissa: 52,
    exponent: 11,
};

const fn format(bits: u16) -> Format {
    if bits == 32 { SINGLE } else { DOUBLE }
}

/// As a double, exactly (a single widens).
pub(crate) fn widen(value: u64, bits: u16) -> f64 {
    if bits == 32 {
        f64::from(f32::from_bits(value as u32))
    } else {
        f64::from_bits(value)
    }
}

/// Bit pattern of a double, rounded to `bits`.
pub(crate) fn narrow(value: f64, bits: u16) -> u64 {
    if bits == 32 {
        u64::from((value as f32).to_bits())
    } else {
        value.to_bits()
    }
}

/// `+ - * /` at the operands' own width.
pub(crate) fn arithmetic(op: wire::node::Op, a: u64, b: u64, bits: u16) -> u64 {
    use wire::node::Op;
    if bits == 32 {
        let (x, y) = (f32::from_bits(a as u32), f32::from_bits(b as u32));
        let r = match op {
            Op::FAdd => x + y,
            Op::FSub => x - y,
            Op::FMul => x * y,
            _ => x / y,
        };
        return u64::from(r.to_bits());
    }
    let (x, y) = (f64::from_bits(a), f64::from_bits(b));
    let r = match op {
        Op::FAdd => x + y,
        Op::FSub => x - y,
        Op::FMul => x * y,
        _ => x / y,
    };
    r.to_bits()
}

/// C's `fmod`, exact, by shift and subtract (the algorithm of musl).
pub(crate) fn remainder(a: u64, b: u64, bits: u16) -> u64 {
    let f = format(bits);
    let sign_bit = 1_u64 << (f.mantissa + f.exponent);
    let exponent_mask = (1_u64 << f.exponent) - 1;
    let mantissa_mask = (1_u64 << f.mantissa) - 1;
    let sign = a & sign_bit;
    let mut ex = (a >> f.mantissa & exponent_mask) as i64;
    let mut ey = (b >> f.mantissa & exponent_mask) as i64;
    let (mut x, y) = (a & !sign_bit, b & !sign_bit);
    let infinity = exponent_mask << f.mantissa;
    if y == 0 || y > infinity || ex == exponent_mask as i64 {
        // As x * y / (x * y): a NaN, the operand's own if it is one.
        let product = arithmetic(wire::node::Op::FMul, a, b, bits);
        return arithmetic(wire::node::Op::FDiv, product, product, bits);
    }
    if x <= y {
        return if x == y { sign } else { a };
    }
    let significand = |value: u64, e: &mut i64| {
        if *e == 0 {
            let mut v = value & mantissa_mask;
            *e = 1;
            while v >> f.mantissa == 0 {
                v <<= 1;
                *e -= 1;
            }
            v
        } else {
            (value & mantissa_mask) | (1 << f.mantissa)
        }
    };
    x = significand(x, &mut ex);
    let y = significand(y, &mut ey);
    while ex > ey {
        if x >= y {
            x -= y;
            if x == 0 {
                return sign;
            }
        }
        x <<= 1;
        ex -= 1;
    }
    if x >= y {
        x -= y;
        if x == 0 {
            return sign;
        }
    }
    while x >> f.mantissa == 0 {
        x <<= 1;
        ex -= 1;
    }
    let magnitude = if ex > 0 {
        (x & mantissa_mask) | (ex as u64) << f.mantissa
    } else {
        x >> (1 - ex)
    };
    sign | magnitude
}

/// Square root.
pub(crate) fn sqrt(a: u64, bits: u16) -> u64 {
    use core::arch::x86_64::{
        _mm_cvtsd_f64, _mm_cvtss_f32, _mm_set_sd, _mm_set_ss, _mm_sqrt_pd, _mm_sqrt_ss,
    };
    // SAFETY: SSE2 is part of x86-64.
    #[allow(unused_unsafe, reason = "safe on newer compilers")]
    unsafe {
        if bits == 32 {
            u64::from(_mm_cvtss_f32(_mm_sqrt_ss(_mm_set_ss(f32::from_bits(a as u32)))).to_bits())
        } else {
            _mm_cvtsd_f64(_mm_sqrt_pd(_mm_set_sd(f64::from_bits(a)))).to_bits()
        }
    }
}

/// Rounds to an integral float; `mode` as in `Op::FRound`.
pub(crate) fn round(a: u64, bits: u16, mode: u8) -> u64 {
    let f = format(bits);
    let bias = (1_i64 << (f.exponent - 1)) - 1;
    let sign_bit = 1_u64 << (f.mantissa + f.exponent);
    let (sign, magnitude) = (a & sign_bit, a & !sign_bit);
    let exponent = (magnitude >> f.mantissa) as i64 - bias;
    if exponent >= i64::from(f.mantissa) {
        // Integral already, infinite, or NaN (made quiet).
        let infinity = ((1_u64 << f.exponent) - 1) << f.mantissa;
        return if magnitude > infinity {
            a | 1 << (f.mantissa - 1)
        } else {
            a
        };
    }
    let one = (bias as u64) << f.mantissa;
    let negative = sign != 0;
    if exponent < 0 {
        let half = ((bias - 1) as u64) << f.mantissa;
        let up = match mode {
            0 => magnitude > half,
            1 => negative && magnitude != 0,
            2 => !negative && magnitude != 0,
            3 => false,
            _ => magnitude >= half,
        };
        return sign | if up { one } else { 0 };
    }
    let fraction_bits = f.mantissa - exponent as u32;
    let unit = 1_u64 << fraction_bits;
    let fraction = magnitude & (unit - 1);
    let low = magnitude - fraction;
    let half = unit >> 1;
    let odd = if exponent == 0 { true } else { low & unit != 0 };
    let up = match mode {
        0 => fraction > half || fraction == half && odd,
        1 => negative && fraction != 0,
        2 => !negative && fraction != 0,
        3 => false,
        _ => fraction >= half,
    };
    sign | if up { low + unit } else { low }
}

/// `cvttsd2si` to 32 bits.
fn to_i32(x: f64) -> i32 {
    if x > -2_147_483_649.0 && x < 2_147_483_648.0 {
        x as i32
    } else {
        i32::MIN
    }
}

/// `cvttsd2si` to 64 bits.
fn to_i64(x: f64) -> i64 {
    if (-9_223_372_036_854_775_808.0..9_223_372_036_854_775_808.0).contains(&x) {
        x as i64
    } else {
        i64::MIN
    }
}

/// Float to signed integer of `to` bits, out of range as on x86-64.
pub(crate) fn to_signed(a: u64, from: u16, to: u16) -> u128 {
    let x = widen(a, from);
    match to {
        0..=32 => to_i32(x) as i128 as u128,
        33..=64 => to_i64(x) as i128 as u128,
        _ => x as i128 as u128,
    }
}

/// Float to unsigned integer of `to` bits, out of range as on x86-64.
pub(crate) fn to_unsigned(a: u64, from: u16, to: u16) -> u128 {
    let x = widen(a, from);
    match to {
        0..=31 => to_i32(x) as u32 as u128,
        32..=63 => to_i64(x) as u64 as u128,
        64 => {
            let direct = to_i64(x);
            let shifted = if from == 32 {
                to_i64(f64::from(x as f32 - 9_223_372_036_854_775_808.0_f32))
            } else {
                to_i64(x - 9_223_372_036_854_775_808.0)
            };
            (direct | shifted & (direct >> 63)) as u64 as u128
        }
        _ => x as u128,
    }
}

/// Integer to float.
pub(crate) fn from_integer(value: u128, from: u16, signed: bool, to: u16) -> u64 {
    if signed {
        let v = super::eval::sign_extend(value, from) as i128;
        if to == 32 {
            u64::from((v as f32).to_bits())
        } else {
            (v as f64).to_bits()
        }
    } else if to == 32 {
        u64::from((value as f32).to_bits())
    } else {
        (value as f64).to_bits()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SAMPLES: &[f64] = &[
        0.0,
        -0.0,
        0.4,
        0.5,
        0.6,
        1.0,
        1.5,
        2.5,
        -0.5,
        -1.5,
        -2.5,
        3.7,
        1e300,
        -1e-310,
        5e-324,
        4503599627370495.5,
        9007199254740993.0,
        f64::INFINITY,
        f64::NEG_INFINITY,
        123456.789,
        -7.25,
    ];

    #[test]
    fn rounding_is_that_of_the_library() {
        for &x in SAMPLES {
            for (mode, want) in [
                (0, x.round_ties_even()),
                (1, x.floor()),
                (2, x.ceil()),
                (3, x.trunc()),
                (4, x.round()),
            ] {
                assert_eq!(
                    round(x.to_bits(), 64, mode),
                    want.to_bits(),
                    "{x} mode {mode}"
                );
            }
            let y = x as f32;
            for (mode, want) in [
                (0, y.round_ties_even()),
                (1, y.floor()),
                (2, y.ceil()),
                (3, y.trunc()),
                (4, y.round()),
            ] {
                assert_eq!(
                    round(u64::from(y.to_bits()), 32, mode),
                    u64::from(want.to_bits()),
                    "{y} mode {mode}"
                );
            }
        }
    }

    #[test]
    fn remainder_and_square_root_are_those_of_the_library() {
        for &x in SAMPLES {
            assert_eq!(widen(sqrt(x.to_bits(), 64), 64).is_nan(), x.sqrt().is_nan());
            if !x.sqrt().is_nan() {
                assert_eq!(sqrt(x.to_bits(), 64), x.sqrt().to_bits());
            }
            for &y in SAMPLES {
                let (got, want) = (
                    f64::from_bits(remainder(x.to_bits(), y.to_bits(), 64)),
                    x % y,
                );
                assert!(
                    got.to_bits() == want.to_bits() || got.is_nan() && want.is_nan(),
                    "{x} % {y}: {got} {want}"
                );
                let (x, y) = (x as f32, y as f32);
                let got = remainder(u64::from(x.to_bits()), u64::from(y.to_bits()), 32);
                let got = f32::from_bits(got as u32);
                assert!(got.to_bits() == (x % y).to_bits() || got.is_nan() && (x % y).is_nan());
            }
        }
    }

    #[test]
    fn conversions_out_of_range_are_those_of_the_machine() {
        let bits = |x: f64| x.to_bits();
        assert_eq!(to_signed(bits(3e9), 64, 32) as u32, 0x8000_0000);
        assert_eq!(
            to_signed(bits(-2_147_483_648.5), 64, 32) as u32,
            0x8000_0000
        );
        assert_eq!(to_signed(bits(f64::NAN), 64, 64) as u64, 1 << 63);
        assert_eq!(to_unsigned(bits(3e9), 64, 32) as u32, 3_000_000_000);
        assert_eq!(
            to_unsigned(bits(1e19), 64, 64) as u64,
            10_000_000_000_000_000_000
        );
        assert_eq!(to_unsigned(bits(-1.0), 64, 64) as u64, u64::MAX);
        assert_eq!(from_integer(0xff, 8, true, 64), (-1.0_f64).to_bits());
    }
}
