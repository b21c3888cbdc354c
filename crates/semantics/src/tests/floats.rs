//! Float operations, by Rust's own arithmetic.

use std::cmp::Ordering;

use super::*;
use crate::{Consequence, Fault};

const SAMPLES: [f64; 28] = [
    0.0,
    -0.0,
    1.0,
    -1.0,
    0.5,
    -0.5,
    1.5,
    2.5,
    -2.5,
    3.499_999_9,
    127.0,
    -128.9,
    255.9,
    256.0,
    32_768.0,
    -32_769.0,
    2_147_483_647.5,
    2_147_483_648.0,
    -2_147_483_648.9,
    -2_147_483_649.0,
    9_223_372_036_854_775_808.0,
    -9_223_372_036_854_775_808.0,
    1.9e19,
    1e-310,
    3.4e38,
    f64::INFINITY,
    f64::NEG_INFINITY,
    f64::NAN,
];

fn single(x: f64) -> Given {
    N(32, u128::from((x as f32).to_bits()))
}

fn double(x: f64) -> Given {
    N(64, u128::from(x.to_bits()))
}

/// A float of a width as a double; exact.
fn float(bits: u128, width: u16) -> f64 {
    if width == 32 {
        f64::from(f32::from_bits(bits as u32))
    } else {
        f64::from_bits(bits as u64)
    }
}

/// Runs an operation of floats at both widths and compares; all NaNs are alike.
fn check_floats(op: &Op, xs: &[f64], small: &dyn Fn(&[f32]) -> f32, large: &dyn Fn(&[f64]) -> f64) {
    let alike = |found: f64, expected: f64| {
        found.is_nan() && expected.is_nan() || found.to_bits() == expected.to_bits()
    };
    let given: Vec<Given> = xs.iter().map(|x| single(*x)).collect();
    let floats: Vec<f32> = xs.iter().map(|x| *x as f32).collect();
    let found = float(run(op, &Type::F32, &given).expect("a value")[0], 32);
    let expected = f64::from(small(&floats));
    assert!(alike(found, expected), "{op:?} {xs:?}: {found} {expected}");
    let given: Vec<Given> = xs.iter().map(|x| double(*x)).collect();
    let found = float(run(op, &Type::F64, &given).expect("a value")[0], 64);
    let expected = large(xs);
    assert!(alike(found, expected), "{op:?} {xs:?}: {found} {expected}");
}

#[test]
fn arithmetic() {
    for a in SAMPLES {
        for b in SAMPLES {
            for &op in FBinOp::ALL {
                macro_rules! by {
                    () => {
                        &|x| match op {
                            FBinOp::Add => x[0] + x[1],
                            FBinOp::Sub => x[0] - x[1],
                            FBinOp::Mul => x[0] * x[1],
                            FBinOp::Div => x[0] / x[1],
                            FBinOp::Rem => x[0] % x[1],
                        }
                    };
                }
                check_floats(&float_bin(op), &[a, b], by!(), by!());
            }
            let sign = intrinsic(Intrinsic::CopySign);
            check_floats(&sign, &[a, b], &|x| x[0].copysign(x[1]), &|x| {
                x[0].copysign(x[1])
            });
            macro_rules! extreme {
                ($better:tt) => {
                    &|x| {
                        if x[0].is_nan() || x[1] $better x[0] { x[1] } else { x[0] }
                    }
                };
            }
            check_floats(
                &intrinsic(Intrinsic::MinNum),
                &[a, b],
                extreme!(<),
                extreme!(<),
            );
            check_floats(
                &intrinsic(Intrinsic::MaxNum),
                &[a, b],
                extreme!(>),
                extreme!(>),
            );
        }
    }
}

#[test]
fn operations_of_one_float() {
    use Intrinsic as I;
    for a in SAMPLES {
        check_floats(&Op::FNeg { value: any() }, &[a], &|x| -x[0], &|x| -x[0]);
        macro_rules! same {
            ($op:ident, $method:ident) => {
                check_floats(&intrinsic(I::$op), &[a], &|x| x[0].$method(), &|x| {
                    x[0].$method()
                });
            };
        }
        same!(FAbs, abs);
        same!(Sqrt, sqrt);
        same!(Floor, floor);
        same!(Ceil, ceil);
        same!(Trunc, trunc);
        same!(Round, round);
        same!(RoundEven, round_ties_even);
        same!(Rint, round_ties_even);
        same!(NearbyInt, round_ties_even);
    }
}

#[test]
fn the_sign_is_a_bit_at_every_width() {
    let minus = 1_u128 << 79;
    let number = 0x3fff_8000_0000_0000_0000_u128;
    let long = Type::X86Fp80;
    let negated = Op::FNeg { value: any() };
    check(&negated, &long, &[N(80, number)], &[number | minus]);
    check(&negated, &long, &[N(80, number | minus)], &[number]);
    check(
        &intrinsic(Intrinsic::FAbs),
        &long,
        &[N(80, number | minus)],
        &[number],
    );
    let given = [N(80, number), N(80, minus)];
    check(
        &intrinsic(Intrinsic::CopySign),
        &long,
        &given,
        &[number | minus],
    );
    // A NaN keeps its payload.
    let given = [N(32, 0x7fc0_1234)];
    check(&negated, &Type::F32, &given, &[0xffc0_1234]);
}

#[test]
fn comparisons() {
    for &pred in FCmp::ALL {
        for a in SAMPLES {
            for b in SAMPLES {
                for (ty, given) in [
                    (Type::F32, [single(a), single(b)]),
                    (Type::F64, [double(a), double(b)]),
                ] {
                    let order = match ty {
                        Type::F32 => (a as f32).partial_cmp(&(b as f32)),
                        _ => a.partial_cmp(&b),
                    };
                    let expected = by_name(pred.name(), order);
                    check(&fcmp(pred), &Type::BOOL, &given, &[u128::from(expected)]);
                }
            }
        }
    }
}

/// What a predicate says, read off its name: `o…` needs an order, `u…` is true without one.
fn by_name(name: &str, order: Option<Ordering>) -> bool {
    let relation = |name: &str, order: Ordering| match name {
        "eq" => order == Ordering::Equal,
        "ne" => order != Ordering::Equal,
        "lt" => order == Ordering::Less,
        "le" => order != Ordering::Greater,
        "gt" => order == Ordering::Greater,
        "ge" => order != Ordering::Less,
        _ => unreachable!("{name}"),
    };
    match (name, order) {
        ("false", _) => false,
        ("true", _) => true,
        ("ord", order) => order.is_some(),
        ("uno", order) => order.is_none(),
        (name, Some(order)) => relation(&name[1..], order),
        (name, None) => name.starts_with('u'),
    }
}

#[test]
fn conversions_between_floats_and_integers() {
    for w in [8, 16, 31, 32, 33, 64, 128] {
        for &a in &values(w) {
            let x = signed(a, w);
            for (op, f32, f64) in [
                (CastOp::SiToFp, x as f32, x as f64),
                (CastOp::UiToFp, a as f32, a as f64),
            ] {
                let given = [N(w, a)];
                check(&cast(op), &Type::F32, &given, &[u128::from(f32.to_bits())]);
                check(&cast(op), &Type::F64, &given, &[u128::from(f64.to_bits())]);
            }
        }
        for x in SAMPLES {
            check_to_integer(w, x);
        }
    }
    for x in SAMPLES.into_iter().filter(|x| !x.is_nan()) {
        let (narrow, wide) = (u128::from((x as f32).to_bits()), f64::from(x as f32));
        check(&cast(CastOp::FpTrunc), &Type::F32, &[double(x)], &[narrow]);
        check(
            &cast(CastOp::FpExt),
            &Type::F64,
            &[single(x)],
            &[u128::from(wide.to_bits())],
        );
    }
}

/// A conversion in range is exact; out of range it is a fault.
fn check_to_integer(w: u16, x: f64) {
    let long = N(80, smt::float(80, x));
    for (given, x) in [(single(x), f64::from(x as f32)), (double(x), x), (long, x)] {
        for (op, is_signed) in [(CastOp::FpToSi, true), (CastOp::FpToUi, false)] {
            let power = i32::from(if is_signed { w - 1 } else { w });
            let whole = x.trunc();
            let least = if is_signed { -2_f64.powi(power) } else { 0.0 };
            let fits = whole >= least && whole < 2_f64.powi(power);
            let mut pool = Pool::new();
            let operands = operands(&mut pool, std::slice::from_ref(&given), None);
            let mut builder = Builder::new(&mut pool, DataLayout::LP64);
            let conditions = builder.conditions(&cast(op), &int(w), &operands);
            let [condition] = conditions.expect("conditions").try_into().expect("one");
            assert_eq!(condition.fault, Fault::ConversionOutOfRange);
            assert_eq!(condition.consequence, Consequence::Undefined);
            assert_eq!(pool.is_true(condition.holds), fits, "{op} to i{w}: {x}");
            assert_eq!(pool.is_false(condition.holds), !fits, "{op} to i{w}: {x}");
            if fits {
                let exact = if is_signed {
                    whole as i128 as u128 & mask(w)
                } else {
                    whole as u128
                };
                check(&cast(op), &int(w), std::slice::from_ref(&given), &[exact]);
            }
        }
    }
}

#[test]
fn what_llvm_leaves_open_is_unknown_to_proofs() {
    let mut pool = Pool::new();
    let mut next = 100;
    let mut sure = |pool: &mut Pool, op: &Op, ty: &Type, given: &[Given]| {
        let operands = operands(pool, given, None);
        let before = next;
        let mut any = |pool: &mut Pool, bits| {
            next += 1;
            pool.var(Var(next), bits)
        };
        let mut builder = Builder::new(pool, DataLayout::LP64);
        let value = builder
            .sure_value(op, ty, &operands, &mut any)
            .expect("a value");
        let open = value.scalars().iter().any(|term| pool.is_symbolic(*term));
        assert_eq!(open, next != before);
        open
    };
    let least = intrinsic(Intrinsic::MinNum);
    for (a, b, open) in [
        (0.0, -0.0, true),
        (-0.0, 0.0, true),
        (-0.0, -0.0, false),
        (1.0, 2.0, false),
        (f64::NAN, 0.0, false),
    ] {
        assert_eq!(
            sure(&mut pool, &least, &Type::F64, &[double(a), double(b)]),
            open
        );
    }
    let to_int = cast(CastOp::FpToSi);
    assert!(!sure(&mut pool, &to_int, &Type::Int(8), &[double(127.9)]));
    assert!(sure(&mut pool, &to_int, &Type::Int(8), &[double(128.0)]));
    // Scalar shifts are masked, and overflow wraps: nothing is open there.
    let given = [N(32, 1), N(32, 40)];
    assert!(!sure(&mut pool, &bin(BinOp::Shl), &Type::Int(32), &given));
    let given = [N(8, 0x80), N(8, 0xff)];
    assert!(!sure(&mut pool, &bin(BinOp::Add), &Type::Int(8), &given));
    // This one stops.
    assert!(!sure(&mut pool, &bin(BinOp::SDiv), &Type::Int(8), &given));
}
