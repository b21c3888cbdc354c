//! Arithmetic on words: what `semantics` says, for operands that are numbers. The tests hold the two against each other.

use std::ops::{Add, Div, Mul, Sub};

use program::{BinOp, CastOp, FBinOp, FCmp, ICmp};

use crate::fault::Fault;

/// All ones in so many bits.
#[inline]
pub(crate) fn mask(bits: u8) -> u64 {
    if bits >= 64 {
        u64::MAX
    } else {
        (1 << bits) - 1
    }
}

/// The number as a signed one.
#[inline]
pub(crate) fn signed(bits: u8, word: u64) -> i64 {
    let shift = 64 - u32::from(bits.clamp(1, 64));
    ((word << shift) as i64) >> shift
}

/// A binary operation.
#[inline(always)]
pub(crate) fn binary(op: BinOp, bits: u8, a: u64, b: u64) -> Result<u64, Fault> {
    // A division takes longer than all else here.
    let amount = || match b < u64::from(bits) {
        true => b as u32,
        false => (b % u64::from(bits)) as u32,
    };
    let result = match op {
        BinOp::Add => a.wrapping_add(b),
        BinOp::Sub => a.wrapping_sub(b),
        BinOp::Mul => a.wrapping_mul(b),
        BinOp::And => a & b,
        BinOp::Or => a | b,
        BinOp::Xor => a ^ b,
        BinOp::Shl => a << amount(),
        BinOp::LShr => a >> amount(),
        BinOp::AShr => (signed(bits, a) >> amount()) as u64,
        BinOp::UDiv => a.checked_div(b).ok_or(Fault::Division)?,
        BinOp::URem => a.checked_rem(b).ok_or(Fault::Division)?,
        BinOp::SDiv | BinOp::SRem => {
            let (x, y) = (signed(bits, a), signed(bits, b));
            let least = signed(bits, 1 << (bits - 1));
            if y == 0 || (x == least && y == -1) {
                return Err(Fault::Division);
            }
            (if op == BinOp::SDiv { x / y } else { x % y }) as u64
        }
    };
    Ok(result & mask(bits))
}

/// Whether a signed result is one that its type does not have.
#[inline]
pub(crate) fn overflows(op: BinOp, bits: u8, a: u64, b: u64) -> bool {
    let (x, y) = (i128::from(signed(bits, a)), i128::from(signed(bits, b)));
    let exact = match op {
        BinOp::Add => x + y,
        BinOp::Sub => x - y,
        BinOp::Mul => x * y,
        _ => return false,
    };
    let most = (1_i128 << (bits - 1)) - 1;
    exact > most || exact < -most - 1
}

/// A comparison of integers or pointers.
#[inline(always)]
pub(crate) fn compare(pred: ICmp, bits: u8, a: u64, b: u64) -> bool {
    let (x, y) = (signed(bits, a), signed(bits, b));
    match pred {
        ICmp::Eq => a == b,
        ICmp::Ne => a != b,
        ICmp::Ugt => a > b,
        ICmp::Uge => a >= b,
        ICmp::Ult => a < b,
        ICmp::Ule => a <= b,
        ICmp::Sgt => x > y,
        ICmp::Sge => x >= y,
        ICmp::Slt => x < y,
        ICmp::Sle => x <= y,
    }
}

fn floats(double: bool, a: u64, b: u64) -> (f64, f64) {
    if double {
        (f64::from_bits(a), f64::from_bits(b))
    } else {
        let single = |word: u64| f64::from(f32::from_bits(word as u32));
        (single(a), single(b))
    }
}

/// Arithmetic of floats; `None` where a NaN comes in or out, whose bits the general way says.
#[inline]
pub(crate) fn float(op: FBinOp, double: bool, a: u64, b: u64) -> Option<u64> {
    if double {
        let result = arithmetic(op, f64::from_bits(a), f64::from_bits(b))?;
        (!result.is_nan()).then(|| result.to_bits())
    } else {
        let result = arithmetic(op, f32::from_bits(a as u32), f32::from_bits(b as u32))?;
        (!result.is_nan()).then(|| u64::from(result.to_bits()))
    }
}

/// `None` for what the processor has no instruction for.
#[inline]
fn arithmetic<T>(op: FBinOp, x: T, y: T) -> Option<T>
where
    T: Add<Output = T> + Sub<Output = T> + Mul<Output = T> + Div<Output = T>,
{
    Some(match op {
        FBinOp::Add => x + y,
        FBinOp::Sub => x - y,
        FBinOp::Mul => x * y,
        FBinOp::Div => x / y,
        FBinOp::Rem => return None,
    })
}

/// A comparison of floats.
#[inline]
pub(crate) fn compare_floats(pred: FCmp, double: bool, a: u64, b: u64) -> bool {
    let (x, y) = floats(double, a, b);
    let unordered = x.is_nan() || y.is_nan();
    match pred {
        FCmp::False => false,
        FCmp::True => true,
        FCmp::Oeq => x == y,
        FCmp::Ogt => x > y,
        FCmp::Oge => x >= y,
        FCmp::Olt => x < y,
        FCmp::Ole => x <= y,
        FCmp::One => !unordered && x != y,
        FCmp::Ord => !unordered,
        FCmp::Ueq => unordered || x == y,
        FCmp::Ugt => unordered || x > y,
        FCmp::Uge => unordered || x >= y,
        FCmp::Ult => unordered || x < y,
        FCmp::Ule => unordered || x <= y,
        FCmp::Une => x != y,
        FCmp::Uno => unordered,
    }
}

/// A conversion; `None` where the general way says what comes out.
#[inline]
pub(crate) fn cast(op: CastOp, from: u8, bits: u8, a: u64) -> Option<u64> {
    match op {
        CastOp::Trunc | CastOp::ZExt | CastOp::PtrToInt | CastOp::IntToPtr | CastOp::Bitcast => {
            Some(a & mask(bits))
        }
        CastOp::SExt => Some(signed(from, a) as u64 & mask(bits)),
        CastOp::SiToFp if bits == 64 => Some((signed(from, a) as f64).to_bits()),
        CastOp::UiToFp if bits == 64 => Some((a as f64).to_bits()),
        CastOp::SiToFp => Some(u64::from((signed(from, a) as f32).to_bits())),
        CastOp::UiToFp => Some(u64::from((a as f32).to_bits())),
        CastOp::FpExt => {
            let value = f32::from_bits(a as u32);
            (!value.is_nan()).then(|| f64::from(value).to_bits())
        }
        CastOp::FpTrunc => {
            let value = f64::from_bits(a);
            (!value.is_nan()).then(|| u64::from((value as f32).to_bits()))
        }
        CastOp::FpToSi | CastOp::FpToUi => {
            let value = floats(from == 64, a, 0).0.trunc();
            let (least, end) = if op == CastOp::FpToSi {
                (
                    -(2f64.powi(i32::from(bits) - 1)),
                    2f64.powi(i32::from(bits) - 1),
                )
            } else {
                (0.0, 2f64.powi(i32::from(bits)))
            };
            if !(value >= least && value < end) {
                return None;
            }
            let number = if op == CastOp::FpToSi {
                value as i64 as u64
            } else {
                value as u64
            };
            Some(number & mask(bits))
        }
    }
}
