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
    f64::NAN,
    123456.789,
    -7.25,
    3e9,
    -32769.0,
    1e19,
    255.9,
];

/// A double with as much more precision as the format has would round the same: sums of doubles that need fewer than 64 bits.
#[test]
fn arithmetic_on_small_numbers_is_that_of_doubles() {
    let same = |got: u128, want: f64| {
        let got = to_f64(got);
        assert!(
            got.to_bits() == want.to_bits() || got.is_nan() && want.is_nan(),
            "{got} {want}"
        );
    };
    for a in -40..40_i32 {
        for b in -40..40_i32 {
            let (x, y) = (f64::from(a) / 8.0, f64::from(b) / 4.0);
            let (p, q) = (from_f64(x), from_f64(y));
            same(add(p, q), x + y);
            same(sub(p, q), x - y);
            same(mul(p, q), x * y);
            same(rem(p, q), x % y);
            same(mul(div(p, q), q), if b == 0 { f64::NAN } else { x });
        }
    }
    assert_eq!(
        div(from_f64(1.0), from_f64(3.0)),
        0x3ffd_aaaa_aaaa_aaaa_aaab
    );
    assert_eq!(sqrt(from_f64(2.0)), 0x3fff_b504_f333_f9de_6484);
}

#[test]
fn comparisons_and_rounding_are_those_of_doubles() {
    for &x in SAMPLES {
        let p = from_f64(x);
        assert_eq!(is_nan(p), x.is_nan());
        for &y in SAMPLES {
            let want = match x.partial_cmp(&y) {
                None => Order::Unordered,
                Some(core::cmp::Ordering::Less) => Order::Less,
                Some(core::cmp::Ordering::Equal) => Order::Equal,
                Some(core::cmp::Ordering::Greater) => Order::Greater,
            };
            assert_eq!(compare(p, from_f64(y)), want, "{x} {y}");
        }
        let modes = [
            x.round_ties_even(),
            x.floor(),
            x.ceil(),
            x.trunc(),
            x.round(),
        ];
        for (mode, want) in (0..).zip(modes) {
            let got = to_f64(round(p, mode));
            assert!(
                got.to_bits() == want.to_bits() || x.is_nan(),
                "{x} {mode}: {got}"
            );
        }
        assert!(
            x.is_nan() || to_f32(p).to_bits() == (x as f32).to_bits(),
            "{x}"
        );
        assert!(
            x.is_nan() || from_f32(x as f32) == from_f64(f64::from(x as f32)),
            "{x}"
        );
        assert_eq!(unpacked(packed(p)), p, "{x}");
    }
}

#[test]
fn conversions_out_of_range_are_those_of_the_instructions() {
    let p = from_f64;
    assert_eq!(to_signed(p(40000.0), 16), -32768);
    assert_eq!(to_signed(p(300.0), 8) as u8, 44);
    assert_eq!(to_signed(p(3e9), 32), i128::from(i32::MIN));
    assert_eq!(to_signed(p(3e9), 64), 3_000_000_000);
    assert_eq!(to_signed(p(f64::NAN), 64), i128::from(i64::MIN));
    assert_eq!(to_signed(p(-1e30), 128), -1e30 as i128);
    assert_eq!(to_unsigned(p(3e9), 32), 3_000_000_000);
    assert_eq!(to_unsigned(p(1.8e19), 64), 18_000_000_000_000_000_000);
    assert_eq!(to_unsigned(p(3e38), 128), 3e38 as u128);
    assert_eq!(to_unsigned(p(-1.0), 128), 0);
}

#[test]
fn integers_are_rounded_to_nearest_even() {
    for whole in [
        0,
        1,
        2,
        3,
        1 << 52,
        (1 << 53) + 1,
        u64::MAX.into(),
        1 << 64,
        (1 << 65) + 1,
        (1 << 65) + 2,
        (1 << 65) + 6,
        u128::MAX,
    ] {
        // In two exact halves, added by the processor.
        let (high, low) = ((whole >> 64) as u64, whole as u64);
        let half = |x: u64| {
            let (top, rest) = (
                from_f64((x >> 32) as f64),
                from_f64((x & 0xffff_ffff) as f64),
            );
            add(mul(top, from_f64(4_294_967_296.0)), rest)
        };
        let want = add(
            mul(half(high), from_f64(18_446_744_073_709_551_616.0)),
            half(low),
        );
        assert_eq!(from_unsigned(whole), want, "{whole:#x}");
        if let Ok(signed) = i128::try_from(whole) {
            assert_eq!(
                from_signed(-signed),
                if signed == 0 { 0 } else { want | SIGN }
            );
        }
    }
}

#[test]
fn patterns_that_nobody_computes_are_no_numbers() {
    // Exponent, but no integer bit.
    let unnormal = 0x4000 << 64 | 5;
    assert!(is_nan(unnormal) && is_nan(add(unnormal, from_f64(1.0))));
    // Integer bit, but no exponent: as with exponent 1.
    assert_eq!(
        compare(INTEGER_BIT | 7, 1 << 64 | INTEGER_BIT | 7),
        Order::Equal
    );
}
