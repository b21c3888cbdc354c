//! What is computed, by plain arithmetic.

use super::*;

pub(super) fn masked(bits: u32, value: u128) -> u128 {
    value & (u128::MAX >> (128 - bits))
}

pub(super) fn signed(bits: u32, value: u128) -> i128 {
    ((value << (128 - bits)) as i128) >> (128 - bits)
}

pub(super) fn width(ty: &Type) -> u32 {
    match ty {
        Type::Int(bits) => *bits,
        Type::Ptr | Type::F64 => 64,
        Type::F32 => 32,
        other => panic!("{other:?} has no width here"),
    }
}

/// A floating-point number from its bits, and back.
pub(super) fn float(ty: &Type, bits: u128) -> f64 {
    match ty {
        Type::F32 => f64::from(f32::from_bits(bits as u32)),
        _ => f64::from_bits(bits as u64),
    }
}

pub(super) fn pattern(ty: &Type, value: f64) -> u128 {
    match ty {
        Type::F32 => u128::from((value as f32).to_bits()),
        _ => u128::from(value.to_bits()),
    }
}

/// `None` where it traps.
pub(super) fn binary(op: BinOp, bits: u32, a: u128, b: u128) -> Option<u128> {
    let (s, t) = (signed(bits, a), signed(bits, b));
    let amount = b % u128::from(bits);
    let divides = matches!(op, BinOp::UDiv | BinOp::URem | BinOp::SDiv | BinOp::SRem);
    let overflows =
        matches!(op, BinOp::SDiv | BinOp::SRem) && t == -1 && s == signed(bits, 1 << (bits - 1));
    if divides && (b == 0 || overflows) {
        return None;
    }
    Some(masked(
        bits,
        match op {
            BinOp::Add => a.wrapping_add(b),
            BinOp::Sub => a.wrapping_sub(b),
            BinOp::Mul => a.wrapping_mul(b),
            BinOp::And => a & b,
            BinOp::Or => a | b,
            BinOp::Xor => a ^ b,
            BinOp::URem => a % b,
            BinOp::UDiv => a / b,
            BinOp::SRem => (s % t) as u128,
            BinOp::SDiv => (s / t) as u128,
            BinOp::LShr => a >> amount,
            BinOp::AShr => (s >> amount) as u128,
            BinOp::Shl => a << amount,
        },
    ))
}

/// `None` where C leaves open what it is.
pub(super) fn cast(op: CastOp, from: &Type, to: &Type, value: u128) -> Option<u128> {
    Some(match op {
        CastOp::Trunc => masked(width(to), value),
        CastOp::SExt => masked(width(to), signed(width(from), value) as u128),
        CastOp::ZExt | CastOp::PtrToInt | CastOp::IntToPtr | CastOp::Bitcast => value,
        CastOp::FpTrunc | CastOp::FpExt => pattern(to, float(from, value)),
        CastOp::UiToFp => match to {
            Type::F32 => u128::from((value as f32).to_bits()),
            _ => u128::from((value as f64).to_bits()),
        },
        CastOp::SiToFp => {
            let value = signed(width(from), value);
            match to {
                Type::F32 => u128::from((value as f32).to_bits()),
                _ => u128::from((value as f64).to_bits()),
            }
        }
        CastOp::FpToSi | CastOp::FpToUi => {
            let (value, bits) = (float(from, value).trunc(), width(to));
            let is_signed = op == CastOp::FpToSi;
            let most = 2f64.powi(bits as i32 - i32::from(is_signed));
            let least = if is_signed { -most } else { 0.0 };
            if !(value >= least && value < most) {
                return None;
            }
            masked(bits, value as i128 as u128)
        }
    })
}

pub(super) fn overflow(op: Intrinsic, bits: u32, args: &[u128]) -> Vec<u128> {
    let (a, b) = (args[0], args[1]);
    let (s, t) = (signed(bits, a), signed(bits, b));
    let most = masked(bits, u128::MAX);
    let fits = |value: Option<i128>| {
        value.is_some_and(|value| signed(bits, masked(bits, value as u128)) == value)
    };
    let (number, goes_over) = match op {
        Intrinsic::UAddO => (a + b, a + b > most),
        Intrinsic::USubO => (a.wrapping_sub(b), a < b),
        Intrinsic::UMulO => (
            a.wrapping_mul(b),
            a.checked_mul(b).is_none_or(|all| all > most),
        ),
        Intrinsic::SAddO => (a.wrapping_add(b), !fits(s.checked_add(t))),
        Intrinsic::SSubO => (a.wrapping_sub(b), !fits(s.checked_sub(t))),
        _ => (a.wrapping_mul(b), !fits(s.checked_mul(t))),
    };
    vec![masked(bits, number), goes_over.into()]
}

pub(super) fn intrinsic(op: Intrinsic, bits: u32, args: &[u128]) -> u128 {
    let a = args[0];
    let b = args.get(1).copied().unwrap_or(0);
    let (s, t) = (signed(bits, a), signed(bits, b));
    let most = masked(bits, u128::MAX);
    let half = 1i128 << (bits - 1);
    let bounded = |value: i128| masked(bits, value.clamp(-half, half - 1) as u128);
    match op {
        Intrinsic::UAddSat => (a + b).min(most),
        Intrinsic::USubSat => a.saturating_sub(b),
        Intrinsic::SAddSat => bounded(s + t),
        Intrinsic::SSubSat => bounded(s - t),
        Intrinsic::UMin => a.min(b),
        Intrinsic::UMax => a.max(b),
        Intrinsic::SMin => masked(bits, s.min(t) as u128),
        Intrinsic::SMax => masked(bits, s.max(t) as u128),
        Intrinsic::Abs => masked(bits, s.unsigned_abs()),
        Intrinsic::Ctpop => a.count_ones().into(),
        Intrinsic::Expect => a,
        other => panic!("{other} is not made here"),
    }
}

pub(super) fn float_intrinsic(op: Intrinsic, ty: &Type, args: &[u128]) -> u128 {
    let numbers: Vec<f64> = args.iter().map(|bits| float(ty, *bits)).collect();
    let a = numbers[0];
    let b = numbers.get(1).copied().unwrap_or(0.0);
    pattern(
        ty,
        match op {
            Intrinsic::FAbs => a.abs(),
            Intrinsic::Sqrt => a.sqrt(),
            Intrinsic::MinNum => a.min(b),
            Intrinsic::MaxNum => a.max(b),
            Intrinsic::CopySign => a.copysign(b),
            Intrinsic::Floor => a.floor(),
            Intrinsic::Ceil => a.ceil(),
            Intrinsic::Trunc => a.trunc(),
            other => panic!("{other} is not made here"),
        },
    )
}

pub(super) fn compares(pred: FCmp, a: f64, b: f64) -> bool {
    let name = pred.name();
    let Some(order) = a.partial_cmp(&b) else {
        return name.starts_with('u') || name == "true";
    };
    match name {
        "false" | "uno" => false,
        "true" | "ord" => true,
        name => match &name[1..] {
            "eq" => order.is_eq(),
            "ne" => order.is_ne(),
            "lt" => order.is_lt(),
            "le" => order.is_le(),
            "gt" => order.is_gt(),
            _ => order.is_ge(),
        },
    }
}
