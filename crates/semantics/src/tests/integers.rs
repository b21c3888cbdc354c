//! Integer operations, by Rust's own arithmetic or bit by bit.

use super::*;
use crate::{Consequence, Fault};

fn arithmetic(op: BinOp, w: u16, a: u128, b: u128) -> Option<u128> {
    let (x, y) = (signed(a, w), signed(b, w));
    let by = (b % u128::from(w)) as u32;
    Some(match op {
        BinOp::Add => a.wrapping_add(b),
        BinOp::Sub => a.wrapping_sub(b),
        BinOp::Mul => a.wrapping_mul(b),
        BinOp::UDiv => a.checked_div(b)?,
        BinOp::URem => a.checked_rem(b)?,
        BinOp::SDiv if y == 0 => return None,
        BinOp::SDiv => x.wrapping_div(y) as u128,
        BinOp::SRem if y == 0 => return None,
        BinOp::SRem => x.wrapping_rem(y) as u128,
        BinOp::And => a & b,
        BinOp::Or => a | b,
        BinOp::Xor => a ^ b,
        BinOp::Shl => a << by,
        BinOp::LShr => a >> by,
        BinOp::AShr => (x >> by) as u128,
    })
    .map(|value| value & mask(w))
}

#[test]
fn arithmetic_wraps_and_shifts_take_amounts_modulo_the_width() {
    for w in WIDTHS {
        for &op in BinOp::ALL {
            for &a in &values(w) {
                for &b in &values(w) {
                    if let Some(expected) = arithmetic(op, w, a, b) {
                        check(&bin(op), &int(w), &[N(w, a), N(w, b)], &[expected]);
                    }
                }
            }
        }
    }
}

#[test]
fn comparisons() {
    for w in [1, 8, 33, 64, 128] {
        for &pred in ICmp::ALL {
            for &a in &values(w) {
                for &b in &values(w) {
                    let expected = pred.holds(w.into(), a, b);
                    let given = [N(w, a), N(w, b)];
                    check(&icmp(pred), &Type::BOOL, &given, &[u128::from(expected)]);
                }
            }
        }
    }
}

/// A number clamped to the range of a width; `None` as exact value means that it does not fit in 128 bits.
fn clamp(exact: Option<i128>, up: bool, w: u16) -> u128 {
    let (least, most) = (signed(1 << (w - 1), w), (mask(w) >> 1) as i128);
    let exact = exact.unwrap_or(if up { i128::MAX } else { i128::MIN });
    exact.clamp(least, most) as u128 & mask(w)
}

fn of_two(op: Intrinsic, w: u16, a: u128, b: u128) -> u128 {
    use Intrinsic as I;
    let (x, y) = (signed(a, w), signed(b, w));
    match op {
        I::UMin => a.min(b),
        I::UMax => a.max(b),
        I::SMin => x.min(y) as u128 & mask(w),
        I::SMax => x.max(y) as u128 & mask(w),
        I::UAddSat => a.saturating_add(b).min(mask(w)),
        I::USubSat => a.saturating_sub(b),
        I::SAddSat => clamp(x.checked_add(y), x >= 0, w),
        I::SSubSat => clamp(x.checked_sub(y), x >= 0, w),
        _ => unreachable!("{op}"),
    }
}

#[test]
fn intrinsics_of_two_operands() {
    use Intrinsic as I;
    let ops = [
        I::UMin,
        I::UMax,
        I::SMin,
        I::SMax,
        I::UAddSat,
        I::USubSat,
        I::SAddSat,
        I::SSubSat,
    ];
    for w in WIDTHS {
        for op in ops {
            for &a in &values(w) {
                for &b in &values(w) {
                    let expected = of_two(op, w, a, b);
                    check(&intrinsic(op), &int(w), &[N(w, a), N(w, b)], &[expected]);
                }
            }
        }
    }
}

/// The wrapped result, and whether the exact one is another.
fn overflowing(op: Intrinsic, w: u16, a: u128, b: u128) -> (u128, bool) {
    use Intrinsic as I;
    let (x, y) = (signed(a, w), signed(b, w));
    let unsigned = |exact: Option<u128>| exact.is_none_or(|exact| exact > mask(w));
    let outside = |exact: Option<i128>| exact.is_none_or(|e| signed(e as u128 & mask(w), w) != e);
    let (wrapped, overflows) = match op {
        I::UAddO => (a.wrapping_add(b), unsigned(a.checked_add(b))),
        I::USubO => (a.wrapping_sub(b), a < b),
        I::UMulO => (a.wrapping_mul(b), unsigned(a.checked_mul(b))),
        I::SAddO => (a.wrapping_add(b), outside(x.checked_add(y))),
        I::SSubO => (a.wrapping_sub(b), outside(x.checked_sub(y))),
        I::SMulO => (a.wrapping_mul(b), outside(x.checked_mul(y))),
        _ => unreachable!("{op}"),
    };
    (wrapped & mask(w), overflows)
}

const OVERFLOWS: [Intrinsic; 6] = [
    Intrinsic::UAddO,
    Intrinsic::SAddO,
    Intrinsic::USubO,
    Intrinsic::SSubO,
    Intrinsic::UMulO,
    Intrinsic::SMulO,
];

#[test]
fn overflow_intrinsics_give_the_wrapped_value_and_the_bit() {
    for w in WIDTHS {
        for op in OVERFLOWS {
            for &a in &values(w) {
                for &b in &values(w) {
                    let (wrapped, overflows) = overflowing(op, w, a, b);
                    let ty = Type::structure(Vec::new(), 0);
                    let expected = [wrapped, u128::from(overflows)];
                    check(&intrinsic(op), &ty, &[N(w, a), N(w, b)], &expected);
                }
            }
        }
    }
}

/// Bits of a number, the lowest first.
fn bits(value: u128, w: u16) -> Vec<bool> {
    (0..w).map(|bit| value >> bit & 1 == 1).collect()
}

fn number(bits: impl Iterator<Item = bool>) -> u128 {
    let bits = bits.enumerate();
    bits.fold(0, |number, (at, bit)| number | u128::from(bit) << at)
}

#[test]
fn intrinsics_of_one_operand() {
    for w in WIDTHS {
        for &a in &values(w) {
            let list = bits(a, w);
            let ones = list.iter().filter(|bit| **bit).count() as u128;
            let trailing = list.iter().take_while(|bit| !**bit).count() as u128;
            let leading = list.iter().rev().take_while(|bit| !**bit).count() as u128;
            let reversed = number(list.iter().rev().copied());
            let abs = signed(a, w).wrapping_abs() as u128 & mask(w);
            let given = [N(w, a)];
            for (op, expected) in [
                // The counts are cut to the width: an `i1` cannot hold 1 zero and 0 zeros and more.
                (Intrinsic::Ctpop, ones & mask(w)),
                (Intrinsic::Cttz, trailing & mask(w)),
                (Intrinsic::Ctlz, leading & mask(w)),
                (Intrinsic::BitReverse, reversed),
                (Intrinsic::Abs, abs),
            ] {
                check(&intrinsic(op), &int(w), &given, &[expected]);
            }
            if w.is_multiple_of(16) {
                let bytes: Vec<&[bool]> = list.chunks(8).collect();
                let swapped = number(bytes.into_iter().rev().flatten().copied());
                check(&intrinsic(Intrinsic::Bswap), &int(w), &given, &[swapped]);
            }
        }
    }
}

#[test]
fn funnel_shifts() {
    for w in WIDTHS {
        for &a in &values(w) {
            for &b in &values(w).into_iter().step_by(3).collect::<Vec<_>>() {
                for &c in &values(w) {
                    let row: Vec<bool> = bits(b, w).into_iter().chain(bits(a, w)).collect();
                    let (by, w_) = ((c % u128::from(w)) as usize, usize::from(w));
                    let left = number(row[w_ - by..2 * w_ - by].iter().copied());
                    let right = number(row[by..by + w_].iter().copied());
                    let given = [N(w, a), N(w, b), N(w, c)];
                    check(&intrinsic(Intrinsic::FShl), &int(w), &given, &[left]);
                    check(&intrinsic(Intrinsic::FShr), &int(w), &given, &[right]);
                }
            }
        }
    }
}

#[test]
fn conversions_between_integers_and_pointers() {
    for from in WIDTHS {
        for to in WIDTHS {
            for &a in &values(from) {
                let given = [N(from, a)];
                let extended = signed(a, from) as u128 & mask(to);
                if to < from {
                    check(&cast(CastOp::Trunc), &int(to), &given, &[a & mask(to)]);
                } else if to > from {
                    check(&cast(CastOp::ZExt), &int(to), &given, &[a]);
                    check(&cast(CastOp::SExt), &int(to), &given, &[extended]);
                }
                check(&cast(CastOp::PtrToInt), &int(to), &given, &[a & mask(to)]);
            }
            if from < 128 {
                let given = [N(from, mask(from))];
                let expected = mask(from) & mask(64);
                check(&cast(CastOp::IntToPtr), &Type::Ptr, &given, &[expected]);
            }
        }
    }
}

#[test]
fn pointers_are_offset_by_sign_extended_indices() {
    let gep = |scales: &[i64], offset| Op::Gep {
        base: any(),
        indices: scales.iter().map(|scale| (any(), *scale)).collect(),
        offset,
    };
    let base = N(64, 0x1000);
    check(
        &gep(&[12], -4),
        &Type::Ptr,
        &[base.clone(), N(32, u128::from(u32::MAX))],
        &[0x1000 - 12 - 4],
    );
    check(
        &gep(&[100, -1], 7),
        &Type::Ptr,
        &[base.clone(), N(64, 3), N(8, 5)],
        &[0x1000 + 300 - 5 + 7],
    );
    // A wider index is cut to the width of a pointer.
    check(
        &gep(&[8], 0),
        &Type::Ptr,
        &[base.clone(), N(128, 1 << 64 | 2)],
        &[0x1010],
    );
    check(&gep(&[], 0), &Type::Ptr, &[base], &[0x1000]);
}

/// The conditions of an operation that do not hold.
fn faults(op: &Op, ty: &Type, given: &[Given]) -> Vec<(Fault, Consequence)> {
    let mut pool = Pool::new();
    let operands = operands(&mut pool, given, None);
    let mut builder = Builder::new(&mut pool, DataLayout::LP64);
    let conditions = builder.conditions(op, ty, &operands).expect("conditions");
    conditions
        .into_iter()
        .filter(|condition| pool.is_false(condition.holds))
        .map(|condition| (condition.fault, condition.consequence))
        .collect()
}

#[test]
fn overflows_are_conditions() {
    use Intrinsic as I;
    for w in [1, 8, 31, 64, 128] {
        for (op, s, u) in [
            (BinOp::Add, I::SAddO, I::UAddO),
            (BinOp::Sub, I::SSubO, I::USubO),
            (BinOp::Mul, I::SMulO, I::UMulO),
        ] {
            for &a in &values(w) {
                for &b in &values(w) {
                    let mut expected = Vec::new();
                    if overflowing(s, w, a, b).1 {
                        expected.push((Fault::SignedOverflow, Consequence::Wraps));
                    }
                    if overflowing(u, w, a, b).1 {
                        expected.push((Fault::UnsignedOverflow, Consequence::Wraps));
                    }
                    let found = faults(&bin(op), &int(w), &[N(w, a), N(w, b)]);
                    assert_eq!(found, expected, "{op} {w} {a:#x} {b:#x}");
                }
            }
        }
    }
}

#[test]
fn divisions_and_shifts_have_conditions() {
    for w in [1, 8, 16, 17, 31, 32, 64, 128] {
        let least = 1_u128 << (w - 1);
        for &a in &values(w) {
            for &b in &values(w) {
                let given = [N(w, a), N(w, b)];
                let zero = (b == 0).then_some((Fault::DivisionByZero, Consequence::Stops));
                let machine = [8, 16, 32, 64].contains(&w);
                let consequence = if machine {
                    Consequence::Stops
                } else {
                    Consequence::Undefined
                };
                let overflow = a == least && b == mask(w);
                let overflow = overflow.then_some((Fault::DivisionOverflow, consequence));
                let both: Vec<_> = zero.into_iter().chain(overflow).collect();
                for op in [BinOp::UDiv, BinOp::URem] {
                    let expected: Vec<_> = zero.into_iter().collect();
                    assert_eq!(faults(&bin(op), &int(w), &given), expected, "{given:?}");
                }
                for op in [BinOp::SDiv, BinOp::SRem] {
                    assert_eq!(faults(&bin(op), &int(w), &given), both, "{given:?}");
                }
                let far = b >= u128::from(w);
                let far = far.then_some((Fault::ShiftTooFar, Consequence::Wraps));
                let far: Vec<_> = far.into_iter().collect();
                for op in [BinOp::Shl, BinOp::LShr, BinOp::AShr] {
                    assert_eq!(faults(&bin(op), &int(w), &given), far, "{given:?}");
                }
                for op in [BinOp::And, BinOp::Or, BinOp::Xor] {
                    assert_eq!(faults(&bin(op), &int(w), &given), [], "{given:?}");
                }
            }
            let abs = faults(&intrinsic(Intrinsic::Abs), &int(w), &[N(w, a)]);
            let expected = (a == least).then_some((Fault::SignedOverflow, Consequence::Wraps));
            assert_eq!(abs, expected.into_iter().collect::<Vec<_>>());
        }
    }
}

#[test]
fn a_fault_of_one_lane_is_one_of_the_vector() {
    let ty = Type::vector(Type::Int(8), 2);
    let lanes = |a, b| M(vec![N(8, a), N(8, b)]);
    let shift = |b| faults(&bin(BinOp::Shl), &ty, &[lanes(1, 1), b]);
    assert_eq!(shift(lanes(1, 7)), []);
    assert_eq!(
        shift(lanes(1, 8)),
        [(Fault::ShiftTooFar, Consequence::Undefined)]
    );
    assert_eq!(
        shift(lanes(9, 1)),
        [(Fault::ShiftTooFar, Consequence::Undefined)]
    );
    let divide = |b| faults(&bin(BinOp::SDiv), &ty, &[lanes(0x80, 0x80), b]);
    assert_eq!(
        divide(lanes(1, 0xff)),
        [(Fault::DivisionOverflow, Consequence::Stops)]
    );
}
