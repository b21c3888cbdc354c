//! Every operation held against the processor: random sets, edge cases among their ends, random members.

use program::{FBinOp, FCmp, Intrinsic};

use super::arith::{before_absolute, bin, intrinsic, negated};
use super::{Format, Outcomes, Real, Span};
use crate::num::{Num, mask, signed};

const FORMATS: [Format; 2] = [Format::Single, Format::Double];

fn numbers(seed: u64) -> impl FnMut(u64) -> u64 {
    let mut state = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
    move |below| {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        (state >> 11) % below
    }
}

/// Where something happens.
const EDGES: &[f64] = &[
    0.0,
    -0.0,
    1.0,
    -1.0,
    0.5,
    -0.5,
    1.5,
    2.5,
    -2.5,
    0.1,
    3.0,
    127.0,
    255.0,
    -128.0,
    16_777_216.0,
    16_777_217.0,
    2_147_483_647.0,
    -2_147_483_648.0,
    9_007_199_254_740_992.0,
    -9_007_199_254_740_992.0,
    9_223_372_036_854_775_808.0,
    1.8e19,
    1e-310,
    -1e-310,
    1e-40,
    f64::MIN_POSITIVE,
    1.2e-38,
    3.4e38,
    -3.5e38,
    f64::MAX,
    f64::MIN,
    f64::INFINITY,
    f64::NEG_INFINITY,
];

/// A number that is not NaN.
fn number(format: Format, random: &mut impl FnMut(u64) -> u64) -> f64 {
    let value = match random(4) {
        0 => EDGES[random(EDGES.len() as u64) as usize],
        1 => random(2000) as f64 / 8.0 - 120.0,
        2 => (random(40) as f64 - 20.0).exp2() * (random(2000) as f64 - 1000.0),
        _ => match format {
            Format::Double => f64::from_bits(random(1 << 53) << 11 ^ random(1 << 20)),
            Format::Single => f64::from(f32::from_bits(random(1 << 32) as u32)),
        },
    };
    let value = format.round(value);
    if value.is_nan() { 1.0 } else { value }
}

fn set(format: Format, random: &mut impl FnMut(u64) -> u64) -> Real {
    let nan = random(4) == 0;
    let (a, b) = (number(format, random), number(format, random));
    let of = |lo: f64, hi: f64| Real::new(format, Span::new(lo, hi), nan);
    let made = match random(13) {
        10 => of(a, f64::INFINITY),
        11 => of(f64::NEG_INFINITY, a),
        12 => of(f64::NEG_INFINITY, f64::INFINITY),
        0 => Some(Real::any(format)),
        1 => Some(Real::not_a_number(format)),
        2 | 3 => of(a, a),
        4 => of(a, format.above(a)),
        _ => of(a, b).or(of(b, a)),
    };
    made.unwrap_or(Real::constant(format, a))
}

/// The ends of a set, their neighbours, numbers between, and NaN where that is in it.
fn members(real: &Real, random: &mut impl FnMut(u64) -> u64) -> Vec<f64> {
    let mut found = Vec::new();
    if let Some(Span { lo, hi }) = real.span {
        let format = real.format;
        found.extend([lo, hi, format.above(lo), format.below(hi), 0.0, -0.0]);
        found.extend(EDGES.iter().map(|edge| format.round(*edge)));
        found.extend((0..6).map(|_| number(format, random)));
        found.push(format.round(lo / 2.0 + hi / 2.0));
        found.retain(|value| contains(real, *value));
    }
    if real.nan {
        found.push(f64::NAN);
    }
    assert!(!found.is_empty(), "{real:?}");
    found
}

fn contains(real: &Real, value: f64) -> bool {
    if value.is_nan() {
        return real.nan;
    }
    let inside =
        |span: Span| span.lo.total_cmp(&value).is_le() && value.total_cmp(&span.hi).is_le();
    real.format.round(value).to_bits() == value.to_bits() && real.span.is_some_and(inside)
}

fn check(what: &dyn std::fmt::Debug, result: Option<&Real>, value: f64) {
    let found = result.is_some_and(|result| contains(result, value));
    assert!(found, "{what:?} gives {value:?}, but not in {result:?}");
}

/// What compiled code computes.
fn machine(format: Format, double: impl Fn() -> f64, single: impl Fn() -> f32) -> f64 {
    match format {
        Format::Double => double(),
        Format::Single => f64::from(single()),
    }
}

#[test]
fn arithmetic_includes_what_the_processor_computes() {
    for seed in 0..3000 {
        let mut random = numbers(seed + 1);
        let format = FORMATS[random(2) as usize];
        let (a, b) = (set(format, &mut random), set(format, &mut random));
        let (xs, ys) = (members(&a, &mut random), members(&b, &mut random));
        for &op in FBinOp::ALL {
            let result = bin(op, &a, &b);
            for &x in &xs {
                for &y in &ys {
                    let (f, g) = (x as f32, y as f32);
                    let value = machine(
                        format,
                        || match op {
                            FBinOp::Add => x + y,
                            FBinOp::Sub => x - y,
                            FBinOp::Mul => x * y,
                            FBinOp::Div => x / y,
                            FBinOp::Rem => x % y,
                        },
                        || match op {
                            FBinOp::Add => f + g,
                            FBinOp::Sub => f - g,
                            FBinOp::Mul => f * g,
                            FBinOp::Div => f / g,
                            FBinOp::Rem => f % g,
                        },
                    );
                    check(&(op, a, b, x, y), Some(&result), value);
                }
            }
        }
        for x in xs {
            check(&("neg", a, x), Some(&negated(&a)), -x);
            let back = before_absolute(&intrinsic(Intrinsic::FAbs, &[a]).expect("known"));
            check(&("before abs", a, x), Some(&back), x);
            check(&("before abs", a, -x), Some(&back), -x);
        }
    }
}

#[test]
fn intrinsic_functions_include_what_the_library_computes() {
    type Double = fn(f64) -> f64;
    type Single = fn(f32) -> f32;
    const ONE: &[(Intrinsic, Double, Single)] = &[
        (Intrinsic::FAbs, f64::abs, f32::abs),
        (Intrinsic::Sqrt, f64::sqrt, f32::sqrt),
        (Intrinsic::Floor, f64::floor, f32::floor),
        (Intrinsic::Ceil, f64::ceil, f32::ceil),
        (Intrinsic::Trunc, f64::trunc, f32::trunc),
        (Intrinsic::Round, f64::round, f32::round),
        (
            Intrinsic::RoundEven,
            f64::round_ties_even,
            f32::round_ties_even,
        ),
        (Intrinsic::Rint, f64::round_ties_even, f32::round_ties_even),
        (
            Intrinsic::NearbyInt,
            f64::round_ties_even,
            f32::round_ties_even,
        ),
    ];
    for seed in 0..3000 {
        let mut random = numbers(seed + 1);
        let format = FORMATS[random(2) as usize];
        let sets = [0; 3].map(|_| set(format, &mut random));
        let [xs, ys, zs] = sets.map(|set| members(&set, &mut random));
        for &(op, double, single) in ONE {
            let result = intrinsic(op, &sets[..1]);
            for &x in &xs {
                let value = machine(format, || double(x), || single(x as f32));
                check(&(op, sets[0], x), result.as_ref(), value);
            }
        }
        let two = |op| intrinsic(op, &sets[..2]);
        let (sign, min, max) = (
            two(Intrinsic::CopySign),
            two(Intrinsic::MinNum),
            two(Intrinsic::MaxNum),
        );
        let three = |op| intrinsic(op, &sets);
        let (fma, add) = (three(Intrinsic::Fma), three(Intrinsic::FMulAdd));
        for (&x, &y) in xs.iter().flat_map(|x| ys.iter().map(move |y| (x, y))) {
            let (f, g) = (x as f32, y as f32);
            let what = (sets, x, y);
            check(
                &("copysign", what),
                sign.as_ref(),
                machine(format, || x.copysign(y), || f.copysign(g)),
            );
            check(
                &("minnum", what),
                min.as_ref(),
                machine(format, || x.min(y), || f.min(g)),
            );
            check(
                &("maxnum", what),
                max.as_ref(),
                machine(format, || x.max(y), || f.max(g)),
            );
            let z = zs[random(zs.len() as u64) as usize];
            let once = machine(format, || x.mul_add(y, z), || f.mul_add(g, z as f32));
            let twice = machine(format, || x * y + z, || f * g + z as f32);
            check(&("fma", what, z), fma.as_ref(), once);
            check(&("fmuladd", what, z), add.as_ref(), once);
            check(&("fmuladd", what, z), add.as_ref(), twice);
        }
    }
    assert_eq!(
        intrinsic(Intrinsic::Ctpop, &[Real::any(Format::Single)]),
        None
    );
}

fn holds(pred: FCmp, x: f64, y: f64) -> bool {
    let unordered = x.is_nan() || y.is_nan();
    match pred {
        FCmp::False => false,
        FCmp::Oeq => x == y,
        FCmp::Ogt => x > y,
        FCmp::Oge => x >= y,
        FCmp::Olt => x < y,
        FCmp::Ole => x <= y,
        FCmp::One => !unordered && x != y,
        FCmp::Ord => !unordered,
        FCmp::Uno => unordered,
        FCmp::Ueq => unordered || x == y,
        FCmp::Ugt => unordered || x > y,
        FCmp::Uge => unordered || x >= y,
        FCmp::Ult => unordered || x < y,
        FCmp::Ule => unordered || x <= y,
        FCmp::Une => unordered || x != y,
        FCmp::True => true,
    }
}

#[test]
fn comparisons_keep_what_they_are_true_of() {
    for seed in 0..3000 {
        let mut random = numbers(seed + 1);
        let format = FORMATS[random(2) as usize];
        let (a, b) = (set(format, &mut random), set(format, &mut random));
        let (xs, ys) = (members(&a, &mut random), members(&b, &mut random));
        for &pred in FCmp::ALL {
            let outcomes = Outcomes::of(pred);
            for &x in &xs {
                let own = if holds(pred, x, x) {
                    outcomes
                } else {
                    outcomes.inverse()
                };
                check(&(pred, a, x), own.with_itself().refined(&a, &a).as_ref(), x);
            }
            for (wanted, truth) in [(outcomes, true), (outcomes.inverse(), false)] {
                let (own, other) = (wanted.refined(&a, &b), wanted.swapped().refined(&b, &a));
                for (&x, &y) in xs.iter().flat_map(|x| ys.iter().map(move |y| (x, y))) {
                    if holds(pred, x, y) == truth {
                        let what = (pred, truth, a, b, x, y);
                        assert!(wanted.may_be(&a, &b), "{what:?}");
                        check(&what, own.as_ref(), x);
                        check(&what, other.as_ref(), y);
                    }
                }
                // What is kept was there before.
                for kept in own.iter().flat_map(|own| members(own, &mut random)) {
                    check(&(pred, a, b), Some(&a), kept);
                }
            }
        }
    }
}

#[test]
fn conversions_include_what_the_processor_computes() {
    for seed in 0..4000 {
        let mut random = numbers(seed + 1);
        let format = FORMATS[random(2) as usize];
        let a = set(format, &mut random);
        for x in members(&a, &mut random) {
            let sign = mask(format.bits()) >> 1;
            let size = a.size_bits();
            let bits = format.pattern(x) & sign;
            assert!(size.contains(bits), "{a:?} {x} {size}");
            check(&("size", a, x), Some(&Real::of_size_bits(format, &size)), x);
            for num in [
                Num::range(format.bits(), 0, bits),
                Num::range(format.bits(), bits, sign),
            ] {
                check(
                    &("of size", a, x),
                    Some(&Real::of_size_bits(format, &num)),
                    x,
                );
                check(
                    &("of size", a, x),
                    Some(&Real::of_size_bits(format, &num)),
                    -x,
                );
            }
            let other = match format {
                Format::Single => (Format::Double, f64::from(x as f32)),
                Format::Double => (Format::Single, f64::from(x as f32)),
            };
            check(&("resize", a, x), Some(&a.resized(other.0)), other.1);
            for (bits, is_signed) in [
                (8, true),
                (16, false),
                (32, true),
                (32, false),
                (64, true),
                (64, false),
            ] {
                let top = (f64::from(bits) - f64::from(u8::from(is_signed))).exp2();
                let fits = x.trunc() < top && x.trunc() >= if is_signed { -top } else { 0.0 };
                if fits {
                    let value = if is_signed {
                        x as i64 as u128
                    } else {
                        u128::from(x as u64)
                    };
                    let num = a.to_int(bits, is_signed);
                    assert!(
                        num.contains(value & mask(bits)),
                        "{a:?} {x} {bits} {is_signed} {num}"
                    );
                } else {
                    assert!(
                        a.to_int(bits, is_signed).is_any(),
                        "{a:?} {x} {bits} {is_signed}"
                    );
                }
            }
        }
        let bits = [8, 16, 32, 64, 33][random(5) as usize];
        let mut integer = || {
            let edge = [
                0,
                1,
                3,
                mask(bits),
                mask(bits) >> 1,
                (mask(bits) >> 1) + 1,
                1 << 24,
                (1 << 24) + 1,
                1 << 53,
                (1 << 53) + 1,
            ];
            let some = u128::from(random(u64::MAX)) << 11;
            match random(3) {
                0 => edge[random(10) as usize] & mask(bits),
                1 => some & mask(bits),
                _ => u128::from(random(300)).wrapping_sub(100) & mask(bits),
            }
        };
        let values = [integer(), integer(), integer()];
        let (lo, hi) = (values[0].min(values[1]), values[0].max(values[1]));
        for num in [
            Num::list(bits, values),
            Num::range(bits, lo, hi),
            Num::any(bits),
        ] {
            for is_signed in [true, false] {
                let real = Real::from_int(format, &num, is_signed);
                for value in values.into_iter().filter(|value| num.contains(*value)) {
                    let number = if is_signed {
                        signed(bits, value)
                    } else {
                        value as i128
                    };
                    let float = machine(format, || number as f64, || number as f32);
                    check(&(&num, is_signed, value), Some(&real), float);
                    if contains(&a, float) {
                        let back = a.before_conversion(bits, is_signed);
                        assert!(
                            back.is_some_and(|back| back.contains(value)),
                            "{a:?} {value} {bits} {is_signed}"
                        );
                    }
                }
            }
        }
    }
}

#[test]
fn an_extension_goes_back_to_what_was_extended() {
    for seed in 0..4000 {
        let mut random = numbers(seed + 1);
        let wide = set(Format::Double, &mut random);
        let narrow = wide.before_extension(Format::Single);
        for x in members(&Real::any(Format::Single), &mut random) {
            if contains(&wide, x) {
                check(&("before extension", wide), narrow.as_ref(), x);
            }
        }
        for x in narrow
            .iter()
            .flat_map(|narrow| members(narrow, &mut random))
        {
            check(&("extension", wide), Some(&wide), x);
        }
    }
}

#[test]
fn joins_meets_and_widenings_include_what_they_must() {
    for seed in 0..4000 {
        let mut random = numbers(seed + 1);
        let format = FORMATS[random(2) as usize];
        let (a, b) = (set(format, &mut random), set(format, &mut random));
        let thresholds = [-(1 << 70), -5, 0, 3, 100, 16_777_217, 1 << 60, i128::MAX];
        let widened = a.widen(&b, &thresholds);
        for x in members(&a, &mut random)
            .into_iter()
            .chain(members(&b, &mut random))
        {
            check(&("join", a, b), Some(&a.join(&b)), x);
            check(&("widen", a, b), Some(&widened), x);
            if contains(&a, x) && contains(&b, x) {
                check(&("meet", a, b), a.meet(&b).as_ref(), x);
            }
        }
        if let Some(bits) = a.bits() {
            assert_eq!(Real::from_bits(format, bits.as_constant().expect("one")), a);
        }
        let (mut value, mut changes) = (a, 0);
        for _ in 0..200 {
            let next = value.widen(&set(format, &mut random), &thresholds);
            changes += usize::from(next != value);
            value = next;
        }
        assert!(changes < 24, "{changes} changes");
    }
}

#[test]
fn what_code_does_most_is_exact() {
    let double = |value| Real::constant(Format::Double, value);
    let range = |lo, hi| double(lo).join(&double(hi));
    let shown = |real: Option<Real>| real.map_or("nothing".to_owned(), |real| real.to_string());
    let any = Real::any(Format::Double);
    assert_eq!(
        bin(FBinOp::Add, &double(0.5), &double(0.25)).to_string(),
        "0.75"
    );
    assert_eq!(
        bin(FBinOp::Mul, &range(0.0, 4.0), &double(2.5)).to_string(),
        "[-0.0, 10.0]"
    );
    assert_eq!(
        bin(FBinOp::Div, &range(1.0, 4.0), &double(2.0)).to_string(),
        "[0.5, 2.0]"
    );
    assert_eq!(any.to_string(), "anything");
    let less = Outcomes::of(FCmp::Olt);
    assert_eq!(shown(less.refined(&any, &double(0.0))), "[-inf, -5e-324]");
    assert_eq!(
        shown(Outcomes::of(FCmp::Oge).refined(&any, &double(2.0))),
        "[2.0, inf]"
    );
    assert_eq!(
        shown(Outcomes::of(FCmp::Uge).refined(&any, &double(2.0))),
        "[2.0, inf] or NaN"
    );
    assert_eq!(
        shown(Outcomes::of(FCmp::Oeq).refined(&range(0.0, 1.0), &double(2.0))),
        "nothing"
    );
    assert_eq!(
        shown(Outcomes::of(FCmp::Uno).refined(&any, &any)),
        "anything"
    );
    assert_eq!(
        range(1.5, 9.9).to_int(32, true).to_string(),
        "{1, 2, 3, 4, 5, 6, 7, 8, 9}"
    );
    assert_eq!(any.to_int(32, true).to_string(), "anything");
    let bytes = Real::from_int(Format::Double, &Num::range(32, 0, 255), true);
    assert_eq!(bytes.to_string(), "[0.0, 255.0]");
    assert_eq!(
        shown_num(range(-0.5, 3.5).before_conversion(32, true)),
        "{0, 1, 2, 3}"
    );
    let root = intrinsic(Intrinsic::Sqrt, &[range(4.0, 9.0)]);
    assert_eq!(shown(root), "[2.0, 3.0]");
}

fn shown_num(num: Option<Num>) -> String {
    num.map_or("nothing".to_owned(), |num| num.to_string())
}

/// The bits of a set are those of its numbers, and of no others.
#[test]
fn bit_ranges_are_the_bits_of_the_numbers() {
    let numbers = [
        f64::NEG_INFINITY,
        -3.5,
        -1.0,
        -f64::from(f32::MIN_POSITIVE),
        -0.0,
        0.0,
        1.0,
        3.5,
        f64::INFINITY,
    ];
    for format in [Format::Single, Format::Double] {
        let mut sets = vec![Real::any(format), Real::constant(format, f64::NAN)];
        for lo in numbers {
            for hi in numbers.into_iter().filter(|hi| lo.total_cmp(hi).is_le()) {
                let set = Real::constant(format, lo).join(&Real::constant(format, hi));
                sets.extend([set, set.join(&Real::constant(format, f64::NAN))]);
            }
        }
        let ends = numbers.iter().map(|value| format.pattern(*value));
        let nans = [format.pattern(f64::NAN), mask(format.bits())];
        let bits: Vec<u128> = ends
            .chain(nans)
            .flat_map(|bits| {
                [
                    bits.saturating_sub(1),
                    bits,
                    (bits + 1) & mask(format.bits()),
                ]
            })
            .collect();
        for set in sets {
            let ranges = set.bit_ranges();
            for &bits in &bits {
                let is_in = ranges
                    .iter()
                    .any(|(first, last)| (*first..=*last).contains(&bits));
                let has = set.join(&Real::from_bits(format, bits)) == set;
                assert_eq!(is_in, has, "{set:?}, {bits:x}");
            }
        }
    }
}

/// The first integers that are rounded: those behind the last that are not are converted to it, on both sides of zero.
#[test]
fn an_end_that_others_are_rounded_to_goes_back_to_them() {
    for format in FORMATS {
        let exact = format.exact();
        for (at, by) in [(exact, exact + 1), (-exact, -exact - 1)] {
            let end = Real::constant(format, at as f64);
            for set in [
                end,
                end.join(&Real::constant(format, 0.0)),
                end.join(&Real::constant(format, 2.0 * at as f64)),
            ] {
                let back = set.before_conversion(64, true).expect("some are");
                for value in [at, by] {
                    assert!(back.contains(value as u128), "{set:?} {value}");
                }
            }
        }
    }
}

/// Integers of more than 64 bits: nothing is said, or what is true.
#[test]
fn wide_integers_are_converted_both_ways() {
    let values = [
        0,
        1,
        u128::MAX,
        u128::MAX >> 1,
        (u128::MAX >> 1) + 1,
        1 << 64,
        1 << 100,
    ];
    for format in FORMATS {
        for bits in [65, 100, 127, 128] {
            for value in values.map(|value| value & mask(bits)) {
                for is_signed in [true, false] {
                    let float = match is_signed {
                        true => machine(
                            format,
                            || signed(bits, value) as f64,
                            || signed(bits, value) as f32,
                        ),
                        false => machine(format, || value as f64, || value as f32),
                    };
                    let real = Real::constant(format, float);
                    let num = Num::constant(bits, value);
                    check(
                        &(bits, value),
                        Some(&Real::from_int(format, &num, is_signed)),
                        float,
                    );
                    let back = real.before_conversion(bits, is_signed);
                    assert!(
                        back.is_some_and(|back| back.contains(value)),
                        "{bits} {value} {is_signed}"
                    );
                    // What does not fit any more may be anything.
                    let top = (f64::from(bits) - f64::from(u8::from(is_signed))).exp2();
                    let there = real.to_int(bits, is_signed);
                    let known = match is_signed {
                        true => float as i128 as u128,
                        false => float as u128,
                    };
                    assert!(if float < top {
                        there.contains(known & mask(bits))
                    } else {
                        there.is_any()
                    });
                }
            }
        }
    }
}

/// The smaller of a number and NaN is the number, or NaN where that one signals.
#[test]
fn the_smaller_of_a_number_and_nan_is_either() {
    for format in FORMATS {
        let (one, none) = (Real::constant(format, 1.0), Real::not_a_number(format));
        for op in [Intrinsic::MinNum, Intrinsic::MaxNum] {
            for args in [[one, none], [none, one]] {
                let result = intrinsic(op, &args);
                check(&(op, args), result.as_ref(), 1.0);
                check(&(op, args), result.as_ref(), f64::NAN);
            }
        }
    }
}
