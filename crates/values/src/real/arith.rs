//! Arithmetic of [`Real`]s, rounded to nearest.
//!
//! Must hold: the result includes what the operation gives for every choice of operands. Rounding to nearest is monotone, so that the
//! ends of a result are results of ends; where an end gives NaN, everything is said to be possible.

use program::{FBinOp, Intrinsic};

use super::{Format, Real, Span, least, most};

/// One operation on two numbers of the format.
fn concrete(format: Format, op: FBinOp, x: f64, y: f64) -> f64 {
    match format {
        Format::Double => match op {
            FBinOp::Add => x + y,
            FBinOp::Sub => x - y,
            FBinOp::Mul => x * y,
            FBinOp::Div => x / y,
            FBinOp::Rem => x % y,
        },
        Format::Single => {
            let (x, y) = (x as f32, y as f32);
            f64::from(match op {
                FBinOp::Add => x + y,
                FBinOp::Sub => x - y,
                FBinOp::Mul => x * y,
                FBinOp::Div => x / y,
                FBinOp::Rem => x % y,
            })
        }
    }
}

fn fused(format: Format, x: f64, y: f64, z: f64) -> f64 {
    match format {
        Format::Double => x.mul_add(y, z),
        Format::Single => f64::from((x as f32).mul_add(y as f32, z as f32)),
    }
}

/// The interval of some results, with both zeros; everything where one is NaN.
fn hull(values: impl IntoIterator<Item = f64>) -> Span {
    let mut all: Option<Span> = None;
    for value in values {
        if value.is_nan() {
            return Span::ALL;
        }
        let one = Span {
            lo: value,
            hi: value,
        };
        all = Some(all.map_or(one, |all| all.join(one)));
    }
    all.map_or(Span::ALL, Span::with_zeros)
}

fn corners(x: Span, y: Span) -> [(f64, f64); 4] {
    [(x.lo, y.lo), (x.lo, y.hi), (x.hi, y.lo), (x.hi, y.hi)]
}

/// What an operation may give.
#[must_use]
pub fn bin(op: FBinOp, a: &Real, b: &Real) -> Real {
    let format = a.format;
    let (Some(x), Some(y)) = (a.span, b.span) else {
        return Real::not_a_number(format);
    };
    let nan = a.nan || b.nan;
    if let (Some(p), Some(q)) = (x.only(), y.only()) {
        let exact = Real::constant(format, concrete(format, op, p, q));
        return Real {
            nan: nan || exact.nan,
            ..exact
        };
    }
    let all = |pairs: [(f64, f64); 4]| pairs.map(|(p, q)| concrete(format, op, p, q));
    match op {
        FBinOp::Add => added(format, (x, y), nan),
        FBinOp::Sub => added(format, (x, y.negated()), nan),
        FBinOp::Mul => {
            let nan = nan || x.has_zero() && y.has_infinity() || x.has_infinity() && y.has_zero();
            // Zero times infinity is NaN; what is near it is zero or infinity, which the other corners are.
            let products = all(corners(x, y)).map(|value| if value.is_nan() { 0.0 } else { value });
            Real::of(format, hull(products), nan)
        }
        FBinOp::Div => {
            let nan = nan || x.has_zero() && y.has_zero() || x.has_infinity() && y.has_infinity();
            let span = match y.has_zero() {
                true => Span::ALL,
                false => hull(all(corners(x, y))),
            };
            Real::of(format, span, nan)
        }
        FBinOp::Rem => {
            let nan = nan || y.has_zero() || x.has_infinity();
            let largest = least(x.absolute().hi, y.absolute().hi);
            // The sign is that of the first operand.
            let lo = if x.lo.is_sign_negative() {
                -largest
            } else {
                0.0
            };
            let hi = if x.hi.is_sign_positive() {
                largest
            } else {
                -0.0
            };
            Real::of(format, Span { lo, hi }, nan)
        }
    }
}

fn added(format: Format, (x, y): (Span, Span), nan: bool) -> Real {
    let (up, down) = (f64::INFINITY, f64::NEG_INFINITY);
    let nan = nan || x.hi == up && y.lo == down || x.lo == down && y.hi == up;
    let ends = [(x.lo, y.lo), (x.hi, y.hi)];
    let sums = ends.map(|(p, q)| concrete(format, FBinOp::Add, p, q));
    Real::of(format, hull(sums), nan)
}

/// The numbers with the other sign.
#[must_use]
pub fn negated(a: &Real) -> Real {
    Real {
        span: a.span.map(Span::negated),
        ..*a
    }
}

/// The numbers whose absolute value is one of these.
#[must_use]
pub fn before_absolute(a: &Real) -> Real {
    let span = a.span.map(|span| {
        let largest = most(span.hi, 0.0);
        Span {
            lo: -largest,
            hi: largest,
        }
    });
    Real { span, ..*a }
}

/// What an intrinsic function gives; `None` when it is none of those that are known here.
#[must_use]
pub fn intrinsic(op: Intrinsic, args: &[Real]) -> Option<Real> {
    match (op, args) {
        (Intrinsic::FAbs, [a]) => Some(Real {
            span: a.span.map(Span::absolute),
            ..*a
        }),
        (Intrinsic::Sqrt, [a]) => Some(root(a)),
        (Intrinsic::CopySign, [a, b]) => Some(with_sign(a, b)),
        (Intrinsic::MinNum | Intrinsic::MaxNum, [a, b]) => Some(chosen(op, a, b)),
        (Intrinsic::Floor, [a]) => Some(monotone(a, f64::floor)),
        (Intrinsic::Ceil, [a]) => Some(monotone(a, f64::ceil)),
        (Intrinsic::Trunc, [a]) => Some(monotone(a, f64::trunc)),
        (Intrinsic::Round, [a]) => Some(monotone(a, f64::round)),
        (Intrinsic::RoundEven | Intrinsic::Rint | Intrinsic::NearbyInt, [a]) => {
            Some(monotone(a, f64::round_ties_even))
        }
        (Intrinsic::Fma, [a, b, c]) => Some(multiplied_and_added(a, b, c)),
        (Intrinsic::FMulAdd, [a, b, c]) => {
            let twice = bin(FBinOp::Add, &bin(FBinOp::Mul, a, b), c);
            Some(twice.join(&multiplied_and_added(a, b, c)))
        }
        _ => None,
    }
}

/// A function that never falls, and gives numbers of the format.
fn monotone(a: &Real, function: fn(f64) -> f64) -> Real {
    let span = a.span.map(|span| {
        let ends = Span {
            lo: function(span.lo),
            hi: function(span.hi),
        };
        ends.with_zeros()
    });
    Real { span, ..*a }
}

fn root(a: &Real) -> Real {
    let Some(span) = a.span else { return *a };
    let of = |value: f64| match a.format {
        Format::Double => value.sqrt(),
        Format::Single => f64::from((value as f32).sqrt()),
    };
    let nan = a.nan || span.lo < 0.0;
    let positive = Span::new(most(span.lo, -0.0), span.hi);
    let span = positive.map(|span| {
        let ends = Span {
            lo: of(span.lo),
            hi: of(span.hi),
        };
        ends.with_zeros()
    });
    Real { span, nan, ..*a }
}

fn with_sign(a: &Real, sign: &Real) -> Real {
    let Some(size) = a.span.map(Span::absolute) else {
        return *a;
    };
    let positive = sign.nan || sign.span.is_some_and(|span| span.hi.is_sign_positive());
    let negative = sign.nan || sign.span.is_some_and(|span| span.lo.is_sign_negative());
    let span = match (positive, negative) {
        (true, false) => size,
        (false, _) => size.negated(),
        (true, true) => size.join(size.negated()),
    };
    Real::of(a.format, span, a.nan)
}

fn chosen(op: Intrinsic, a: &Real, b: &Real) -> Real {
    let mut span = match (a.span, b.span) {
        (Some(x), Some(y)) if op == Intrinsic::MinNum => Some(Span {
            lo: least(x.lo, y.lo),
            hi: least(x.hi, y.hi),
        }),
        (Some(x), Some(y)) => Some(Span {
            lo: most(x.lo, y.lo),
            hi: most(x.hi, y.hi),
        }),
        _ => None,
    };
    // Where one is NaN the other is the result, or NaN: a signalling one is not looked through everywhere.
    for (other, is_nan) in [(a, b.nan), (b, a.nan)] {
        if let (Some(own), true) = (other.span, is_nan) {
            span = Some(span.map_or(own, |span| span.join(own)));
        }
    }
    Real {
        span: span.map(Span::with_zeros),
        nan: a.nan || b.nan,
        ..*a
    }
}

/// `a * b + c`, rounded once.
fn multiplied_and_added(a: &Real, b: &Real, c: &Real) -> Real {
    let (Some(x), Some(y), Some(z)) = (a.span, b.span, c.span) else {
        return Real::not_a_number(a.format);
    };
    let nan = [a, b, c].iter().any(|one| one.nan);
    if let (Some(p), Some(q), Some(r)) = (x.only(), y.only(), z.only()) {
        let exact = Real::constant(a.format, fused(a.format, p, q, r));
        return Real {
            nan: nan || exact.nan,
            ..exact
        };
    }
    let ends = corners(x, y)
        .into_iter()
        .flat_map(|(p, q)| [z.lo, z.hi].map(|r| fused(a.format, p, q, r)));
    let nan = nan || [x, y, z].into_iter().any(Span::has_infinity);
    Real::of(a.format, hull(ends), nan)
}
