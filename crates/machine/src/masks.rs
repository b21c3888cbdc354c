//! Which bits of a result come from bits without a value, by the bits of the operands: the rules of MemorySanitizer.
//!
//! Must hold: a bit that is the same whatever the undefined bits of the operands are may be called undefined only where a correct
//! program does not look at it (the carry of a sum is not followed); copies, shifts and masks are exact.

use program::{BinOp, CastOp, ICmp};

use crate::concrete::{self, mask, signed};

/// An operand: its bits, and those of them that have no value.
pub(crate) type Masked = (u64, u64);

/// Of a binary operation.
pub(crate) fn binary(op: BinOp, bits: u8, (x, mx): Masked, (y, my): Masked) -> u64 {
    let amount = (y % u64::from(bits)) as u32;
    let result = match op {
        BinOp::And => (mx & my) | (mx & y) | (x & my),
        BinOp::Or => (mx & my) | (mx & !y) | (!x & my),
        BinOp::Xor | BinOp::Add | BinOp::Sub | BinOp::Mul => mx | my,
        BinOp::Shl | BinOp::LShr | BinOp::AShr if my != 0 => u64::MAX,
        BinOp::Shl => mx << amount,
        BinOp::LShr => mx >> amount,
        BinOp::AShr => (signed(bits, mx) >> amount) as u64,
        BinOp::UDiv | BinOp::URem | BinOp::SDiv | BinOp::SRem => all(mx | my),
    };
    result & mask(bits)
}

/// All bits if any.
pub(crate) fn all(bits: u64) -> u64 {
    if bits == 0 { 0 } else { u64::MAX }
}

/// Of a comparison: it has no value if it may come out either way.
pub(crate) fn compare(pred: ICmp, bits: u8, (x, mx): Masked, (y, my): Masked) -> u64 {
    let any = mx | my;
    if any == 0 {
        return 0;
    }
    let open = match pred {
        ICmp::Eq | ICmp::Ne => (x ^ y) & !any == 0,
        _ => {
            // The least and the greatest that each may be: of signed numbers the sign bit is the one that lessens.
            let sign = match pred {
                ICmp::Sgt | ICmp::Sge | ICmp::Slt | ICmp::Sle => 1 << (bits - 1),
                _ => 0,
            };
            let least = |x: u64, m: u64| (x & !m) | (m & sign);
            let most = |x: u64, m: u64| (x | m) & !(m & sign);
            let holds = |x, y| concrete::compare(pred, bits, x, y);
            holds(least(x, mx), most(y, my)) != holds(most(x, mx), least(y, my))
        }
    };
    open.into()
}

/// Of a conversion.
pub(crate) fn cast(op: CastOp, from: u8, bits: u8, undefined: u64) -> u64 {
    let result = match op {
        CastOp::Trunc | CastOp::ZExt | CastOp::PtrToInt | CastOp::IntToPtr | CastOp::Bitcast => {
            undefined
        }
        CastOp::SExt => signed(from, undefined) as u64,
        _ => all(undefined),
    };
    result & mask(bits)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// All values that an operand of four bits may have.
    fn values((x, m): Masked) -> impl Iterator<Item = u64> {
        (0..16).filter(move |value| value & !m == x & !m)
    }

    /// A bit that differs between two completions is undefined, for all operands of four bits; exactly those are, of the exact
    /// operations. (Sums are not: their carry is left out.)
    #[test]
    fn masks_are_those_of_all_completions() {
        let exact = [
            BinOp::And,
            BinOp::Or,
            BinOp::Xor,
            BinOp::Shl,
            BinOp::LShr,
            BinOp::AShr,
        ];
        for case in 0..16_u64.pow(4) {
            let part = |at: u32| (case >> (4 * at)) & 15;
            let (a, b) = ((part(0), part(1)), (part(2), part(3)));
            for op in exact {
                let shifts = matches!(op, BinOp::Shl | BinOp::LShr | BinOp::AShr);
                if shifts && (b.1 != 0 || b.0 >= 4) {
                    continue;
                }
                let mut differs = 0;
                let one = concrete::binary(op, 4, a.0, b.0).expect("no division");
                for x in values(a) {
                    for y in values(b) {
                        differs |= one ^ concrete::binary(op, 4, x, y).expect("no division");
                    }
                }
                assert_eq!(binary(op, 4, a, b), differs, "{op:?} {a:?} {b:?}");
            }
            for pred in [
                ICmp::Eq,
                ICmp::Ne,
                ICmp::Ult,
                ICmp::Uge,
                ICmp::Slt,
                ICmp::Sgt,
                ICmp::Sle,
            ] {
                let one = concrete::compare(pred, 4, a.0, b.0);
                let differs =
                    values(a).any(|x| values(b).any(|y| concrete::compare(pred, 4, x, y) != one));
                assert_eq!(
                    compare(pred, 4, a, b),
                    u64::from(differs),
                    "{pred:?} {a:?} {b:?}"
                );
            }
        }
    }
}
