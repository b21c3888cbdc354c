//! Arithmetic held against the machine: on 8 bits for every value, on other widths for random ones and those where something happens.

use program::{BinOp, CastOp, ICmp, Intrinsic};

use super::*;
use crate::num::{Num, mask, signed};

const BITS: u32 = 8;

fn numbers(seed: u64) -> impl FnMut(u64) -> u64 {
    let mut state = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
    move |below| {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        state % below
    }
}

/// Lists, arcs with all strides, everything.
fn random_num(random: &mut impl FnMut(u64) -> u64, bits: u32) -> Num {
    let top = mask(bits) as u64 + 1;
    match random(6) {
        0 => Num::constant(bits, u128::from(random(top))),
        1 => {
            let count = random(5) + 1;
            Num::list(
                bits,
                (0..count)
                    .map(|_| u128::from(random(top)))
                    .collect::<Vec<_>>(),
            )
        }
        2 => Num::any(bits),
        _ => {
            let (start, span) = (random(top), random(top));
            let stride = [1, 1, 2, 3, 4, 7][random(6) as usize];
            Num::arc(bits, u128::from(start), u128::from(span), stride)
        }
    }
}

fn all(num: &Num) -> Vec<u128> {
    (0..=mask(num.bits()))
        .filter(|value| num.contains(*value))
        .collect()
}

fn check_includes(what: &dyn std::fmt::Debug, result: Option<&Num>, values: &[u128]) {
    for value in values {
        let found = result.is_some_and(|result| result.contains(*value));
        assert!(found, "{what:?} gives {value}, but not in {result:?}");
    }
}

#[test]
fn every_operation_includes_what_the_machine_computes() {
    for seed in 0..1500 {
        let mut random = numbers(seed + 1);
        let (a, b) = (random_num(&mut random, BITS), random_num(&mut random, BITS));
        let (xs, ys) = (all(&a), all(&b));
        for &op in BinOp::ALL {
            let pairs = xs.iter().flat_map(|&x| ys.iter().map(move |&y| (x, y)));
            let values: Vec<u128> = pairs
                .filter_map(|(x, y)| concrete(op, BITS, x, y))
                .collect();
            check_includes(&(op, &a, &b), bin(op, &a, &b).as_ref(), &values);
        }
        for &pred in ICmp::ALL {
            let holds = |x: u128, y: u128| pred.holds(BITS, x, y);
            let values: Vec<u128> = xs
                .iter()
                .copied()
                .filter(|&x| ys.iter().any(|&y| holds(x, y)))
                .collect();
            check_includes(&(pred, &a, &b), refine(pred, &a, &b).as_ref(), &values);
            let is_false = xs.iter().any(|&x| ys.iter().any(|&y| !holds(x, y)));
            let may_not = refine(inverse(pred), &a, &b).is_some();
            assert!(may_not || !is_false, "{pred} of {a} and {b}");
        }
        for (op, to) in [(CastOp::Trunc, 5), (CastOp::ZExt, 12), (CastOp::SExt, 12)] {
            let values: Vec<u128> = xs
                .iter()
                .map(|&x| match op {
                    CastOp::SExt => signed(BITS, x) as u128 & mask(to),
                    _ => x & mask(to),
                })
                .collect();
            check_includes(&(op, &a), Some(&cast(op, &a, to)), &values);
        }
    }
}

#[test]
fn joins_meets_and_widenings_include_what_they_must() {
    for seed in 0..3000 {
        let mut random = numbers(seed + 1);
        let (a, b) = (random_num(&mut random, BITS), random_num(&mut random, BITS));
        let joined = a.join(&b);
        check_includes(&("join", &a, &b), Some(&joined), &all(&a));
        check_includes(&("join", &a, &b), Some(&joined), &all(&b));
        let both: Vec<u128> = all(&a)
            .into_iter()
            .filter(|value| b.contains(*value))
            .collect();
        check_includes(&("meet", &a, &b), a.meet(&b).as_ref(), &both);
        let without = u128::from(random(256));
        let rest: Vec<u128> = all(&a)
            .into_iter()
            .filter(|value| *value != without)
            .collect();
        check_includes(
            &("without", &a, without),
            a.without(without).as_ref(),
            &rest,
        );
        let widened = a.widen(&b, &[-5, 0, 3, 10, 100]);
        check_includes(&("widen", &a, &b), Some(&widened), &all(&joined));
        for op in [
            Intrinsic::SMin,
            Intrinsic::SMax,
            Intrinsic::UMin,
            Intrinsic::UMax,
        ] {
            let value = |x: u128, y: u128| {
                let first = match op {
                    Intrinsic::SMin => signed(BITS, x) < signed(BITS, y),
                    Intrinsic::SMax => signed(BITS, x) > signed(BITS, y),
                    Intrinsic::UMin => x < y,
                    _ => x > y,
                };
                if first { x } else { y }
            };
            let (xs, ys) = (all(&a), all(&b));
            let values: Vec<u128> = xs
                .iter()
                .flat_map(|&x| ys.iter().map(move |&y| value(x, y)))
                .collect();
            check_includes(
                &(op, &a, &b),
                intrinsic(op, &[a.clone(), b.clone()]).as_ref(),
                &values,
            );
        }
        let positive = |x: u128| signed(BITS, x).unsigned_abs() & mask(BITS);
        let values: Vec<u128> = all(&a).into_iter().map(positive).collect();
        check_includes(
            &("abs", &a),
            intrinsic(Intrinsic::Abs, std::slice::from_ref(&a)).as_ref(),
            &values,
        );
    }
}

/// 0, 3, … 255 on 8 bits: a step further is 2, not 0.
#[test]
fn an_arc_that_does_not_come_back_to_its_start_keeps_it() {
    let threes = Num::arc(8, 0, 255, 3);
    let rest = threes.without(30).expect("others are left");
    assert!(rest.contains(0) && rest.contains(33) && rest.contains(255));
    let twos = Num::arc(8, 0, 254, 2);
    let rest = twos.without(30).expect("others are left");
    assert!(rest.contains(0) && rest.contains(254) && !rest.contains(30));
}

/// Of numbers of more than 64 bits only lists are known: a comparison with one says nothing of the others.
#[test]
fn wide_numbers_are_compared_at_their_width() {
    let any = Num::any(128);
    let lowest = mask(128) / 2 + 1;
    for by in [-(1i128 << 63) + 3, (1 << 63) - 4, (1 << 63) + 4, -1, 5] {
        let number = Num::constant(128, by as u128);
        for &pred in ICmp::ALL {
            for x in [
                0,
                1,
                mask(128),
                lowest,
                lowest - 1,
                1 << 64,
                (by as u128).wrapping_add(1),
                (by as u128).wrapping_sub(1),
            ] {
                if pred.holds(128, x, by as u128) {
                    check_includes(&(pred, by), refine(pred, &any, &number).as_ref(), &[x]);
                }
                if pred.holds(128, by as u128, x) {
                    check_includes(
                        &(pred, by),
                        refine(swapped(pred), &any, &number).as_ref(),
                        &[x],
                    );
                }
            }
        }
    }
}

#[test]
fn widening_ends() {
    for seed in 0..300 {
        let mut random = numbers(seed + 1);
        let mut value = random_num(&mut random, 16);
        let mut changes = 0;
        for _ in 0..2000 {
            let next = random_num(&mut random, 16);
            let widened = value.widen(&next, &[-100, 0, 5, 1000]);
            changes += usize::from(widened != value);
            value = widened;
        }
        assert!(changes < 90, "{changes} changes");
    }
}

#[test]
fn what_code_does_most_is_exact() {
    let range = |lo, hi| Num::range(32, lo, hi);
    let shown = |num: Option<Num>| num.map_or("nothing".to_owned(), |num| num.to_string());
    let number = |value: i128| Num::constant(32, value as u128);
    assert_eq!(
        shown(bin(BinOp::Add, &range(0, 100), &number(-1))),
        "[-1, 99]"
    );
    assert_eq!(
        shown(bin(BinOp::Mul, &range(0, 100), &number(4))),
        "[0, 400] step 4"
    );
    assert_eq!(
        shown(bin(BinOp::And, &Num::any(32), &number(5))),
        "{0, 1, 4, 5}"
    );
    assert_eq!(
        shown(bin(BinOp::SRem, &Num::any(32), &number(100))),
        "[-99, 99]"
    );
    assert_eq!(
        shown(bin(BinOp::URem, &Num::any(32), &number(100))),
        "[0, 99]"
    );
    assert_eq!(
        shown(refine(ICmp::Slt, &Num::any(32), &number(10))),
        "[-2147483648, 9]"
    );
    assert_eq!(
        shown(refine(ICmp::Ult, &Num::any(32), &number(3))),
        "{0, 1, 2}"
    );
    assert_eq!(
        shown(refine(ICmp::Eq, &range(0, 100), &number(200))),
        "nothing"
    );
    let byte = cast(CastOp::ZExt, &Num::any(8), 32);
    assert_eq!(byte.to_string(), "[0, 255]");
    assert_eq!(
        cast(CastOp::SExt, &Num::any(8), 32).to_string(),
        "[-128, 127]"
    );
    assert_eq!(range(0, 70).join(&range(80, 200)).to_string(), "[0, 200]");
}

/// What the machine gives, written down once more; `None` where it traps.
pub(crate) fn machine(op: BinOp, bits: u32, a: u128, b: u128) -> Option<u128> {
    let (sa, sb) = (signed(bits, a), signed(bits, b));
    let value = match op {
        BinOp::Add => a.wrapping_add(b),
        BinOp::Sub => a.wrapping_add(!b).wrapping_add(1),
        BinOp::Mul => {
            let high = if bits > 64 {
                (a >> 64).wrapping_mul(b) << 64
            } else {
                0
            };
            high.wrapping_add((a & u128::from(u64::MAX)).wrapping_mul(b))
        }
        BinOp::UDiv | BinOp::URem | BinOp::SDiv | BinOp::SRem if b == 0 => return None,
        BinOp::UDiv => a / b,
        BinOp::URem => a - a / b * b,
        BinOp::SDiv | BinOp::SRem => {
            let size = sa.unsigned_abs() / sb.unsigned_abs();
            let quotient = if (sa < 0) == (sb < 0) {
                size
            } else {
                size.wrapping_neg()
            };
            match op {
                BinOp::SDiv => quotient,
                _ => (sa as u128).wrapping_sub(quotient.wrapping_mul(sb as u128)),
            }
        }
        BinOp::And => !(!a | !b),
        BinOp::Or => !(!a & !b),
        BinOp::Xor => (a | b) & !(a & b),
        BinOp::Shl => (0..b % u128::from(bits)).fold(a, |all, _| all.wrapping_add(all)),
        BinOp::LShr => (0..b % u128::from(bits)).fold(a, |all, _| all / 2),
        BinOp::AShr => (0..b % u128::from(bits)).fold(sa, |all, _| all.div_euclid(2)) as u128,
    };
    Some(value & mask(bits))
}

/// A number where something happens.
fn edge(bits: u32, random: &mut impl FnMut(u64) -> u64) -> u128 {
    let top = mask(bits);
    let wide = u128::from(random(u64::MAX)) << 64 | u128::from(random(u64::MAX));
    let value = match random(8) {
        0 => u128::from(random(9)),
        1 => top - u128::from(random(9)).min(top),
        2 => (top >> 1)
            .wrapping_add(u128::from(random(5)))
            .wrapping_sub(2),
        3 => 1 << random(u64::from(bits)),
        4 => (1u128 << random(u64::from(bits))).wrapping_sub(1),
        5 => u128::from(random(300)),
        6 => wide >> random(127),
        _ => wide,
    };
    value & top
}

/// A set of any width, and some numbers that are in it.
fn sampled(bits: u32, random: &mut impl FnMut(u64) -> u64) -> (Num, Vec<u128>) {
    let start = edge(bits, random);
    let num = match random(8) {
        0 => Num::constant(bits, start),
        1 => Num::any(bits),
        2 | 3 => {
            let count = random(6) + 1;
            Num::list(
                bits,
                (0..count).map(|_| edge(bits, random)).collect::<Vec<_>>(),
            )
        }
        4 => {
            let stride = [1, 2, 3, 8, 256][random(5) as usize];
            Num::arc(bits, start, u128::from(random(100)) * stride, stride)
        }
        _ => {
            let stride = [1, 1, 1, 2, 3, 4, 7, 16, 1000][random(9) as usize];
            Num::arc(bits, start, edge(bits, random), stride)
        }
    };
    let around = num.around();
    let at = |step: u128| around.start.wrapping_add(step.wrapping_mul(around.stride)) & mask(bits);
    let mut found: Vec<u128> = vec![around.start, at(around.steps), at(around.steps / 2), at(1)];
    let ends = [0, 1, mask(bits), mask(bits) >> 1, (mask(bits) >> 1) + 1];
    found.extend(ends.into_iter().map(|end| end & mask(bits)));
    for _ in 0..5 {
        found.push(edge(bits, random));
        let some = u128::from(random(u64::MAX)) << 64 | u128::from(random(u64::MAX));
        found.push(at(some % around.steps.saturating_add(1)));
    }
    found.extend(num.values().into_iter().flatten().take(8));
    found.retain(|value| num.contains(*value));
    (num, found)
}

const WIDTHS: [u32; 9] = [1, 5, 7, 8, 16, 32, 64, 65, 128];

#[test]
fn operations_of_any_width_include_what_the_machine_computes() {
    for seed in 0..9000 {
        let mut random = numbers(seed + 77);
        let bits = WIDTHS[random(9) as usize];
        let ((a, xs), (b, ys)) = (sampled(bits, &mut random), sampled(bits, &mut random));
        let pairs: Vec<(u128, u128)> = xs
            .iter()
            .flat_map(|&x| ys.iter().map(move |&y| (x, y)))
            .collect();
        for &op in BinOp::ALL {
            let values = pairs.iter().filter_map(|&(x, y)| machine(op, bits, x, y));
            let values: Vec<u128> = values.collect();
            check_includes(&(op, bits, &a, &b), bin(op, &a, &b).as_ref(), &values);
        }
        for &pred in ICmp::ALL {
            let (own, other) = (refine(pred, &a, &b), refine(swapped(pred), &b, &a));
            for &(x, y) in &pairs {
                let (holds, what) = (pred.holds(bits, x, y), (pred, bits, &a, &b, x, y));
                if holds {
                    check_includes(&what, own.as_ref(), &[x]);
                    check_includes(&what, other.as_ref(), &[y]);
                } else {
                    check_includes(&what, refine(inverse(pred), &a, &b).as_ref(), &[x]);
                }
            }
        }
        for to in WIDTHS {
            let of = |op: CastOp, x: u128| match op {
                CastOp::SExt => signed(bits, x) as u128 & mask(to),
                _ => x & mask(to),
            };
            let ops = if to > bits {
                &[CastOp::ZExt, CastOp::SExt][..]
            } else {
                &[CastOp::Trunc]
            };
            for &op in ops {
                let values: Vec<u128> = xs.iter().map(|&x| of(op, x)).collect();
                check_includes(&(op, bits, to, &a), Some(&cast(op, &a, to)), &values);
            }
        }
        check_intrinsics(bits, (&a, &xs), (&b, &ys));
    }
}

fn check_intrinsics(bits: u32, (a, xs): (&Num, &[u128]), (b, ys): (&Num, &[u128])) {
    let both = [a.clone(), b.clone()];
    for (op, of) in [
        (Intrinsic::Ctpop, u128::count_ones as fn(u128) -> u32),
        (Intrinsic::Ctlz, u128::leading_zeros),
        (Intrinsic::Cttz, u128::trailing_zeros),
    ] {
        let value = |x: u128| match op {
            Intrinsic::Ctlz => of(x) - (128 - bits),
            _ => of(x).min(bits),
        };
        let values: Vec<u128> = xs
            .iter()
            .map(|&x| u128::from(value(x)) & mask(bits))
            .collect();
        let found = intrinsic(op, &both[..1]).unwrap_or(Num::any(bits));
        check_includes(&(op, bits, a), Some(&found), &values);
    }
    let positive = |x: u128| signed(bits, x).unsigned_abs() & mask(bits);
    let values: Vec<u128> = xs.iter().map(|&x| positive(x)).collect();
    let found = intrinsic(Intrinsic::Abs, &both[..1]).unwrap_or(Num::any(bits));
    check_includes(&("abs", bits, a), Some(&found), &values);
    let found = intrinsic(Intrinsic::Expect, &both).unwrap_or(Num::any(bits));
    check_includes(&("expect", bits, a), Some(&found), xs);
    for (op, pred) in [
        (Intrinsic::SMin, ICmp::Slt),
        (Intrinsic::SMax, ICmp::Sgt),
        (Intrinsic::UMin, ICmp::Ult),
        (Intrinsic::UMax, ICmp::Ugt),
    ] {
        let found = intrinsic(op, &both).unwrap_or(Num::any(bits));
        for (&x, &y) in xs.iter().flat_map(|x| ys.iter().map(move |y| (x, y))) {
            let value = if pred.holds(bits, x, y) { x } else { y };
            check_includes(&(op, bits, a, b), Some(&found), &[value]);
        }
    }
    // Nothing is said of what is not known.
    assert_eq!(intrinsic(Intrinsic::Bswap, &both), None);
}

#[test]
fn sets_of_any_width_include_what_they_must() {
    for seed in 0..9000 {
        let mut random = numbers(seed + 99);
        let bits = WIDTHS[random(9) as usize];
        let ((a, xs), (b, ys)) = (sampled(bits, &mut random), sampled(bits, &mut random));
        let joined = a.join(&b);
        let widened = a.widen(&b, &[-(1 << 40), -5, 0, 3, 10, 100, 1 << 33, 1 << 70]);
        let further = a.widen(&b, &[]);
        for (name, num) in [
            ("join", &joined),
            ("widen", &widened),
            ("further", &further),
        ] {
            check_includes(&(name, bits, &a, &b), Some(num), &xs);
            check_includes(&(name, bits, &a, &b), Some(num), &ys);
        }
        let in_both = |from: &[u128], other: &Num| {
            let kept = from.iter().copied().filter(|value| other.contains(*value));
            kept.collect::<Vec<u128>>()
        };
        for both in [in_both(&xs, &b), in_both(&ys, &a)] {
            check_includes(&("meet", bits, &a, &b), a.meet(&b).as_ref(), &both);
        }
        for &without in xs.iter().take(3) {
            let rest: Vec<u128> = xs.iter().copied().filter(|x| *x != without).collect();
            check_includes(
                &("without", bits, &a, without),
                a.without(without).as_ref(),
                &rest,
            );
        }
        let (least, most) = a.unsigned_bounds();
        let (lo, hi) = a.signed_bounds();
        for &x in &xs {
            let parts = a.unsigned_parts().into_iter();
            let in_part = |part: Part<u128>| {
                part.lo <= x && x <= part.hi && (x - part.lo).is_multiple_of(part.stride)
            };
            assert!(parts.into_iter().any(in_part), "{a:?} {x}");
            let own = signed(bits, x);
            let in_part = |part: Part<i128>| {
                let ahead = own.wrapping_sub(part.lo) as u128;
                part.lo <= own && own <= part.hi && ahead.is_multiple_of(part.stride)
            };
            assert!(a.signed_parts().into_iter().any(in_part), "{a:?} {own}");
            assert!(
                least <= x && x <= most && lo <= own && own <= hi,
                "{a:?} {x}"
            );
            let found = few(&a, 300);
            assert!(found.is_none_or(|found| found.contains(&x)), "{a:?} {x}");
        }
        if a.includes(&b) {
            check_includes(&("includes", bits, &a, &b), Some(&a), &ys);
        }
        assert!(!a.is_any() || a.contains(edge(bits, &mut random)));
    }
}

/// Of all widths, a range has what is between its ends, and they themselves.
#[test]
fn a_range_of_any_width_has_its_ends() {
    for bits in WIDTHS {
        let top = mask(bits);
        let ends = [0, 1, 2, top / 2, top / 2 + 1, top - 1, top].map(|end| end & top);
        for lo in ends {
            for hi in ends.into_iter().filter(|hi| lo <= *hi) {
                let between = [lo, hi, lo + (hi - lo) / 2, lo + (hi - lo) / 3];
                check_includes(&(bits, lo, hi), Some(&Num::range(bits, lo, hi)), &between);
            }
        }
    }
}

/// A set that passes the most positive number is widened downwards by its own steps.
#[test]
fn what_is_widened_across_the_sign_keeps_its_steps() {
    for stride in [2, 4, 8, 16] {
        for down in 1..9 {
            let start = 0x7e02 + 3;
            let old = Num::arc(16, start, 200 * stride, stride);
            let new = Num::arc(16, start - down * stride, 200 * stride, stride);
            let widened = old.widen(&new, &[]);
            check_includes(&(stride, down), Some(&widened), &all(&new));
            check_includes(&(stride, down), Some(&widened), &all(&old));
        }
    }
}
