//! Arithmetic, conversions and comparisons of [`Num`]s, as the machine does them.
//!
//! Must hold: the result includes what the operation gives for every choice of operands; shifts use their amount modulo the
//! width; a division by zero gives nothing, since the program traps.

#[cfg(test)]
pub(crate) mod tests;

use program::{BinOp, CastOp, ICmp, Intrinsic};

use crate::num::{MOST, Num, Part, mask, signed};

/// Pairs of values that are computed one by one.
const PAIRS: usize = 4096;

/// The result of an operation on one pair; `None` where the program traps.
fn concrete(op: BinOp, bits: u32, a: u128, b: u128) -> Option<u128> {
    let (sa, sb) = (signed(bits, a), signed(bits, b));
    let amount = (b % u128::from(bits)) as u32;
    let value = match op {
        BinOp::Add => a.wrapping_add(b),
        BinOp::Sub => a.wrapping_sub(b),
        BinOp::Mul => a.wrapping_mul(b),
        BinOp::UDiv => a.checked_div(b)?,
        BinOp::URem => a.checked_rem(b)?,
        BinOp::SDiv if b != 0 => sa.wrapping_div(sb) as u128,
        BinOp::SRem if b != 0 => sa.wrapping_rem(sb) as u128,
        BinOp::SDiv | BinOp::SRem => return None,
        BinOp::And => a & b,
        BinOp::Or => a | b,
        BinOp::Xor => a ^ b,
        BinOp::Shl => a << amount,
        BinOp::LShr => a >> amount,
        BinOp::AShr => (sa >> amount) as u128,
    };
    Some(value & mask(bits))
}

/// What an operation may give; `None` when the program traps in any case.
#[must_use]
pub fn bin(op: BinOp, a: &Num, b: &Num) -> Option<Num> {
    let bits = a.bits();
    if let (Some(x), Some(y)) = (a.values(), b.values())
        && x.len() * y.len() <= PAIRS
    {
        let pairs = x.iter().flat_map(|&x| y.iter().map(move |&y| (x, y)));
        let all: Vec<u128> = pairs
            .filter_map(|(x, y)| concrete(op, bits, x, y))
            .collect();
        return (!all.is_empty()).then(|| Num::list(bits, all));
    }
    if bits > 64 {
        return Some(Num::any(bits));
    }
    Some(match op {
        BinOp::Add => add(a, b),
        BinOp::Sub => add(a, &negated(b)),
        BinOp::Mul => multiplied(a, b),
        BinOp::UDiv => return divided_unsigned(a, b),
        BinOp::SDiv => return divided_signed(a, b),
        BinOp::URem => return remainder_unsigned(a, b),
        BinOp::SRem => return remainder_signed(a, b),
        BinOp::And => and(a, b),
        BinOp::Or => complement(&and(&complement(a), &complement(b))),
        BinOp::Xor => xor(a, b),
        BinOp::Shl | BinOp::LShr | BinOp::AShr => shifted(op, a, b),
    })
}

/// Start, span and stride of the smallest arc around a set.
fn arc_of(a: &Num) -> (u128, u128, u128) {
    let around = a.around();
    (
        around.start,
        around.steps * around.stride,
        if around.steps == 0 { 0 } else { around.stride },
    )
}

fn gcd(a: u128, b: u128) -> u128 {
    if b == 0 { a } else { gcd(b, a % b) }
}

fn add(a: &Num, b: &Num) -> Num {
    let ((p, m, s), (q, n, t)) = (arc_of(a), arc_of(b));
    Num::arc(a.bits(), p.wrapping_add(q), m + n, gcd(s, t))
}

fn negated(a: &Num) -> Num {
    let (start, span, stride) = arc_of(a);
    Num::arc(
        a.bits(),
        start.wrapping_add(span).wrapping_neg(),
        span,
        stride,
    )
}

/// `-1 - a`: every bit turned.
fn complement(a: &Num) -> Num {
    let (start, span, stride) = arc_of(a);
    Num::arc(a.bits(), !start.wrapping_add(span), span, stride)
}

/// Trailing zeros that every value has.
fn trailing_zeros(a: &Num) -> u32 {
    let (start, _, stride) = arc_of(a);
    (start | stride).trailing_zeros().min(a.bits())
}

fn multiplied(a: &Num, b: &Num) -> Num {
    let bits = a.bits();
    if let Some(factor) = a.as_constant().or_else(|| b.as_constant()) {
        let other = if a.as_constant().is_some() { b } else { a };
        let by = signed(bits, factor).unsigned_abs();
        let (start, span, stride) = arc_of(other);
        if let Some(span) = span.checked_mul(by).filter(|span| *span <= mask(bits)) {
            let from = if signed(bits, factor) < 0 {
                start.wrapping_add(arc_of(other).1)
            } else {
                start
            };
            return Num::arc(bits, from.wrapping_mul(factor), span, stride * by);
        }
    }
    let mut all: Option<Num> = None;
    let mut widest = 0;
    for x in a.signed_parts() {
        for y in b.signed_parts() {
            let corners = [(x.lo, y.lo), (x.lo, y.hi), (x.hi, y.lo), (x.hi, y.hi)];
            let products: Vec<i128> = corners
                .iter()
                .filter_map(|(x, y)| x.checked_mul(*y))
                .collect();
            let (Some(&lo), Some(&hi)) = (products.iter().min(), products.iter().max()) else {
                return Num::any(bits);
            };
            let span = hi.wrapping_sub(lo) as u128;
            if products.len() < 4 || span > mask(bits) {
                widest = u128::MAX;
                continue;
            }
            let part = Num::wrapped(bits, Part { lo, hi, stride: 1 });
            all = Some(all.map_or_else(|| part.clone(), |known| known.join(&part)));
        }
    }
    let zeros = (trailing_zeros(a) + trailing_zeros(b)).min(bits - 1);
    let multiples = Num::arc(bits, 0, mask(bits), 1 << zeros);
    match all {
        Some(all) if widest == 0 => all.meet(&multiples).unwrap_or(multiples),
        _ => multiples,
    }
}

/// The interval of corner values.
fn corners<const N: usize>(bits: u32, values: [i128; N]) -> Num {
    let (lo, hi) = (values.iter().min(), values.iter().max());
    let (Some(&lo), Some(&hi)) = (lo, hi) else {
        return Num::any(bits);
    };
    Num::wrapped(bits, Part { lo, hi, stride: 1 })
}

fn joined(parts: impl Iterator<Item = Num>) -> Option<Num> {
    parts.reduce(|all, part| all.join(&part))
}

fn divided_unsigned(a: &Num, b: &Num) -> Option<Num> {
    let bits = a.bits();
    let divisors = b.unsigned_parts().into_iter();
    let divisors: Vec<_> = divisors.filter(|part| part.hi > 0).collect();
    let dividends = a.unsigned_parts();
    joined(dividends.iter().flat_map(|x| {
        divisors
            .iter()
            .map(move |y| Num::range(bits, x.lo / y.hi, x.hi / y.lo.max(1)))
    }))
}

/// The parts of signed divisors on either side of zero.
fn sides_of_zero(b: &Num) -> Vec<(i128, i128)> {
    let parts = b.signed_parts().into_iter();
    let sides = parts.flat_map(|part| [(part.lo, part.hi.min(-1)), (part.lo.max(1), part.hi)]);
    sides.filter(|(lo, hi)| lo <= hi).collect()
}

fn divided_signed(a: &Num, b: &Num) -> Option<Num> {
    let bits = a.bits();
    let divisors = sides_of_zero(b);
    let dividends = a.signed_parts();
    joined(dividends.iter().flat_map(|x| {
        divisors
            .iter()
            .map(move |&(lo, hi)| corners(bits, [x.lo / lo, x.lo / hi, x.hi / lo, x.hi / hi]))
    }))
}

fn remainder_unsigned(a: &Num, b: &Num) -> Option<Num> {
    let ((_, most), (least, divisor)) = (a.unsigned_bounds(), b.unsigned_bounds());
    if divisor == 0 {
        return None;
    }
    if most < least {
        return Some(a.clone());
    }
    Some(Num::range(a.bits(), 0, most.min(divisor - 1)))
}

fn remainder_signed(a: &Num, b: &Num) -> Option<Num> {
    let (lo, hi) = a.signed_bounds();
    let largest = sides_of_zero(b)
        .iter()
        .map(|(lo, hi)| lo.unsigned_abs().max(hi.unsigned_abs()))
        .max()?;
    let most = i128::try_from(largest - 1).unwrap_or(i128::MAX);
    let part = Part {
        lo: lo.max(-most).min(0),
        hi: hi.min(most).max(0),
        stride: 1,
    };
    Some(Num::wrapped(a.bits(), part))
}

fn and(a: &Num, b: &Num) -> Num {
    let bits = a.bits();
    let known = b.as_constant().or_else(|| a.as_constant());
    let other = if b.as_constant().is_some() { a } else { b };
    if let Some(constant) = known {
        if constant.count_ones() <= 6 {
            // Low bits that all values share.
            let (low, fixed) = low_bits(other);
            let fits = |value: &u128| (value ^ (fixed & constant)) & low == 0;
            let kept = submasks(constant).into_iter().filter(fits);
            return Num::list(bits, kept);
        }
        // What has only bits of the mask, in a mask without gaps at the bottom.
        let (_, most) = other.unsigned_bounds();
        if (constant + 1).is_power_of_two() && most <= constant {
            return other.clone();
        }
        let stride = 1 << constant.trailing_zeros();
        return Num::arc(bits, 0, most.min(constant), stride);
    }
    let most = a.unsigned_bounds().1.min(b.unsigned_bounds().1);
    Num::range(bits, 0, most)
}

/// A mask of low bits, and what all values have there.
fn low_bits(a: &Num) -> (u128, u128) {
    let (start, _, stride) = arc_of(a);
    let zeros = if stride == 0 {
        a.bits()
    } else {
        stride.trailing_zeros()
    };
    let low = mask(zeros.min(127));
    let low = if zeros == 0 { 0 } else { low };
    (low, start & low)
}

/// Every number that has only bits of a mask.
fn submasks(mask: u128) -> Vec<u128> {
    let mut all = vec![0];
    let mut value: u128 = 0;
    loop {
        value = value.wrapping_sub(mask) & mask;
        if value == 0 {
            return all;
        }
        all.push(value);
    }
}

fn xor(a: &Num, b: &Num) -> Num {
    let bits = a.bits();
    for (constant, other) in [(b.as_constant(), a), (a.as_constant(), b)] {
        match constant {
            Some(all) if all == mask(bits) => return complement(other),
            Some(sign) if sign == 1 << (bits - 1) => return add(other, &Num::constant(bits, sign)),
            _ => {}
        }
    }
    let most = a.unsigned_bounds().1 | b.unsigned_bounds().1;
    let most = most
        .checked_add(1)
        .and_then(u128::checked_next_power_of_two)
        .map_or(mask(bits), |next| next - 1);
    Num::range(bits, 0, most.min(mask(bits)))
}

fn shifted(op: BinOp, a: &Num, amount: &Num) -> Num {
    let bits = a.bits();
    let width = u128::from(bits);
    let amounts: Vec<u128> = match amount.values() {
        Some(values) => {
            let mut all: Vec<u128> = values.iter().map(|value| value % width).collect();
            all.sort_unstable();
            all.dedup();
            all
        }
        None => {
            let (lo, hi) = amount.unsigned_bounds();
            if hi < width {
                (lo..=hi).collect()
            } else {
                (0..width).collect()
            }
        }
    };
    let by = |amount: u128| match op {
        BinOp::Shl => multiplied(a, &Num::constant(bits, 1 << amount)),
        BinOp::LShr => {
            let parts = a.unsigned_parts().into_iter();
            let parts = parts.map(|part| Num::range(bits, part.lo >> amount, part.hi >> amount));
            joined(parts).unwrap_or_else(|| Num::any(bits))
        }
        _ => {
            let parts = a.signed_parts().into_iter();
            let parts = parts.map(|part| corners(bits, [part.lo >> amount, part.hi >> amount]));
            joined(parts).unwrap_or_else(|| Num::any(bits))
        }
    };
    joined(amounts.into_iter().map(by)).unwrap_or_else(|| Num::any(bits))
}

/// An integer of another width.
///
/// # Panics
/// For casts that are none of integers.
#[must_use]
pub fn cast(op: CastOp, a: &Num, to: u32) -> Num {
    let from = a.bits();
    if let Some(values) = a.values() {
        let extended = |value: &u128| match op {
            CastOp::SExt => signed(from, *value) as u128,
            _ => *value,
        };
        return Num::list(to, values.iter().map(extended));
    }
    if from > 64 {
        return Num::any(to);
    }
    let parts = match op {
        CastOp::Trunc => {
            let (start, span, stride) = arc_of(a);
            return Num::arc(to, start, span, stride);
        }
        CastOp::ZExt => joined(
            a.unsigned_parts()
                .into_iter()
                .map(|part| Num::arc(to, part.lo, part.hi - part.lo, part.stride)),
        ),
        CastOp::SExt => joined(
            a.signed_parts()
                .into_iter()
                .map(|part| Num::wrapped(to, part)),
        ),
        _ => unreachable!("only integers are cast here"),
    };
    parts.unwrap_or_else(|| Num::any(to))
}

/// What an intrinsic function of integers gives; `None` when it is none of those that are known here.
#[must_use]
pub fn intrinsic(op: Intrinsic, args: &[Num]) -> Option<Num> {
    let bits = args.first()?.bits();
    let bounds = |part: fn(&Num) -> (i128, i128)| match args {
        [a, b] => Some((part(a), part(b))),
        _ => None,
    };
    let unsigned = |a: &Num| {
        let (lo, hi) = a.unsigned_bounds();
        (
            i128::try_from(lo).unwrap_or(i128::MAX),
            i128::try_from(hi).unwrap_or(i128::MAX),
        )
    };
    if bits > 64 {
        return matches!(op, Intrinsic::Expect).then(|| args[0].clone());
    }
    let range = |lo: i128, hi: i128| Num::wrapped(bits, Part { lo, hi, stride: 1 });
    Some(match op {
        Intrinsic::Expect => args[0].clone(),
        Intrinsic::SMin | Intrinsic::SMax => {
            let ((a, b), (c, d)) = bounds(Num::signed_bounds)?;
            if op == Intrinsic::SMin {
                range(a.min(c), b.min(d))
            } else {
                range(a.max(c), b.max(d))
            }
        }
        Intrinsic::UMin | Intrinsic::UMax => {
            let ((a, b), (c, d)) = bounds(unsigned)?;
            if op == Intrinsic::UMin {
                range(a.min(c), b.min(d))
            } else {
                range(a.max(c), b.max(d))
            }
        }
        Intrinsic::Abs => {
            let (lo, hi) = args[0].signed_bounds();
            let least = if lo <= 0 && hi >= 0 {
                0
            } else {
                lo.abs().min(hi.abs())
            };
            range(least, lo.abs().max(hi.abs()))
        }
        Intrinsic::Ctpop | Intrinsic::Ctlz | Intrinsic::Cttz => range(0, i128::from(bits)),
        _ => return None,
    })
}

/// The predicate that is true where the other is false.
#[must_use]
pub fn inverse(pred: ICmp) -> ICmp {
    match pred {
        ICmp::Eq => ICmp::Ne,
        ICmp::Ne => ICmp::Eq,
        ICmp::Ugt => ICmp::Ule,
        ICmp::Uge => ICmp::Ult,
        ICmp::Ult => ICmp::Uge,
        ICmp::Ule => ICmp::Ugt,
        ICmp::Sgt => ICmp::Sle,
        ICmp::Sge => ICmp::Slt,
        ICmp::Slt => ICmp::Sge,
        ICmp::Sle => ICmp::Sgt,
    }
}

/// The predicate with its sides exchanged.
#[must_use]
pub fn swapped(pred: ICmp) -> ICmp {
    match pred {
        ICmp::Eq | ICmp::Ne => pred,
        ICmp::Ugt => ICmp::Ult,
        ICmp::Uge => ICmp::Ule,
        ICmp::Ult => ICmp::Ugt,
        ICmp::Ule => ICmp::Uge,
        ICmp::Sgt => ICmp::Slt,
        ICmp::Sge => ICmp::Sle,
        ICmp::Slt => ICmp::Sgt,
        ICmp::Sle => ICmp::Sge,
    }
}

/// The values of `a` for which `a pred b` is true for some `b`; `None` when there is none.
#[must_use]
pub fn refine(pred: ICmp, a: &Num, b: &Num) -> Option<Num> {
    let bits = a.bits();
    match pred {
        ICmp::Eq => return a.meet(b),
        ICmp::Ne => {
            return match b.as_constant() {
                Some(value) => a.without(value),
                None => Some(a.clone()),
            };
        }
        _ => {}
    }
    if bits > 64 && (a.values().is_none() || b.values().is_none()) {
        return Some(a.clone());
    }
    let (lo, hi) = b.unsigned_bounds();
    let (least, most) = b.signed_bounds();
    let half = 1i128 << (bits.min(64) - 1);
    let unsigned_fits = |value: u128| match pred {
        ICmp::Ult => value < hi,
        ICmp::Ule => value <= hi,
        ICmp::Ugt => value > lo,
        _ => value >= lo,
    };
    let signed_fits = |value: i128| match pred {
        ICmp::Slt => value < most,
        ICmp::Sle => value <= most,
        ICmp::Sgt => value > least,
        _ => value >= least,
    };
    let is_signed = matches!(pred, ICmp::Slt | ICmp::Sle | ICmp::Sgt | ICmp::Sge);
    if let Some(values) = a.values() {
        let fits = |value: &u128| {
            if is_signed {
                signed_fits(signed(bits, *value))
            } else {
                unsigned_fits(*value)
            }
        };
        let rest: Vec<u128> = values.iter().copied().filter(fits).collect();
        return (!rest.is_empty()).then(|| Num::list(bits, rest));
    }
    let allowed = match pred {
        ICmp::Ult => Num::range(bits, 0, hi.checked_sub(1)?),
        ICmp::Ule => Num::range(bits, 0, hi),
        ICmp::Ugt if lo == mask(bits) => return None,
        ICmp::Ugt => Num::range(bits, lo + 1, mask(bits)),
        ICmp::Uge => Num::range(bits, lo, mask(bits)),
        ICmp::Slt if most == -half => return None,
        ICmp::Slt => Num::wrapped(
            bits,
            Part {
                lo: -half,
                hi: most - 1,
                stride: 1,
            },
        ),
        ICmp::Sle => Num::wrapped(
            bits,
            Part {
                lo: -half,
                hi: most,
                stride: 1,
            },
        ),
        ICmp::Sgt if least == half - 1 => return None,
        ICmp::Sgt => Num::wrapped(
            bits,
            Part {
                lo: least + 1,
                hi: half - 1,
                stride: 1,
            },
        ),
        _ => Num::wrapped(
            bits,
            Part {
                lo: least,
                hi: half - 1,
                stride: 1,
            },
        ),
    };
    a.meet(&allowed)
}

/// Positions of an arc that are looked at one by one.
#[must_use]
pub fn few(a: &Num, most: u128) -> Option<Vec<u128>> {
    if let Some(values) = a.values() {
        return Some(values.to_vec());
    }
    let arc = a.as_arc()?;
    (arc.steps < most.max(MOST as u128)).then(|| {
        let steps = 0..=arc.steps;
        steps
            .map(|step| arc.start.wrapping_add(step * arc.stride) & mask(a.bits()))
            .collect()
    })
}
