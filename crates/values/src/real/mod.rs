//! Sets of floating-point numbers of one format: an interval, with or without NaN.
//!
//! Must hold:
//! - a [`Real`] is never empty; where an operation may give nothing, its result is an `Option`;
//! - ends are numbers of the format, in the order in which -0 is below 0 (`total_cmp`), so an interval says whether it has either zero;
//! - NaN is one value here, whatever its bits; so nothing is said of the bits of what may be NaN;
//! - arithmetic rounds to nearest, ties to even. A program that may change that must not be computed with ([`program::rounding`]).

mod arith;
mod compare;
#[cfg(test)]
mod tests;

use std::cmp::Ordering;
use std::fmt;

use crate::num::{Num, Part, mask};

pub use arith::{before_absolute, bin, intrinsic, negated};
pub use compare::Outcomes;

/// Formats that are computed with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    Single,
    Double,
}

/// A non-empty set of floating-point numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Real {
    format: Format,
    span: Option<Span>,
    nan: bool,
}

/// Numbers between two ends, both included.
#[derive(Clone, Copy, Debug)]
struct Span {
    lo: f64,
    hi: f64,
}

impl PartialEq for Span {
    fn eq(&self, other: &Span) -> bool {
        (self.lo.to_bits(), self.hi.to_bits()) == (other.lo.to_bits(), other.hi.to_bits())
    }
}

impl Eq for Span {}

fn least(a: f64, b: f64) -> f64 {
    match a.total_cmp(&b) {
        Ordering::Greater => b,
        _ => a,
    }
}

fn most(a: f64, b: f64) -> f64 {
    match a.total_cmp(&b) {
        Ordering::Less => b,
        _ => a,
    }
}

impl Span {
    const ALL: Span = Span {
        lo: f64::NEG_INFINITY,
        hi: f64::INFINITY,
    };

    /// `None` where nothing is between.
    fn new(lo: f64, hi: f64) -> Option<Span> {
        lo.total_cmp(&hi).is_le().then_some(Span { lo, hi })
    }

    fn join(self, other: Span) -> Span {
        Span {
            lo: least(self.lo, other.lo),
            hi: most(self.hi, other.hi),
        }
    }

    fn meet(self, other: Span) -> Option<Span> {
        Span::new(most(self.lo, other.lo), least(self.hi, other.hi))
    }

    /// With both zeros where it has one at an end.
    fn with_zeros(self) -> Span {
        Span {
            lo: if self.lo == 0.0 { -0.0 } else { self.lo },
            hi: if self.hi == 0.0 { 0.0 } else { self.hi },
        }
    }

    fn has_zero(self) -> bool {
        self.lo <= 0.0 && self.hi >= 0.0
    }

    fn has_infinity(self) -> bool {
        self.lo == f64::NEG_INFINITY || self.hi == f64::INFINITY
    }

    fn only(self) -> Option<f64> {
        (self.lo.to_bits() == self.hi.to_bits()).then_some(self.lo)
    }

    fn negated(self) -> Span {
        Span {
            lo: -self.hi,
            hi: -self.lo,
        }
    }

    /// What the numbers are without their signs.
    fn absolute(self) -> Span {
        if self.lo.is_sign_positive() {
            self
        } else if self.hi.is_sign_negative() {
            self.negated()
        } else {
            Span {
                lo: 0.0,
                hi: most(-self.lo, self.hi),
            }
        }
    }
}

impl Format {
    #[must_use]
    pub fn of_bits(bits: u64) -> Option<Format> {
        match bits {
            32 => Some(Format::Single),
            64 => Some(Format::Double),
            _ => None,
        }
    }

    #[must_use]
    pub fn bits(self) -> u32 {
        match self {
            Format::Single => 32,
            Format::Double => 64,
        }
    }

    /// The nearest number of the format.
    fn round(self, value: f64) -> f64 {
        match self {
            Format::Single => f64::from(value as f32),
            Format::Double => value,
        }
    }

    /// The bits of a number of the format.
    fn pattern(self, value: f64) -> u128 {
        match self {
            Format::Single => u128::from((value as f32).to_bits()),
            Format::Double => u128::from(value.to_bits()),
        }
    }

    fn above(self, value: f64) -> f64 {
        match self {
            Format::Single => f64::from((value as f32).next_up()),
            Format::Double => value.next_up(),
        }
    }

    fn below(self, value: f64) -> f64 {
        match self {
            Format::Single => f64::from((value as f32).next_down()),
            Format::Double => value.next_down(),
        }
    }

    /// Up to here all integers are numbers of the format.
    fn exact(self) -> i128 {
        match self {
            Format::Single => 1 << 24,
            Format::Double => 1 << 53,
        }
    }
}

impl Real {
    fn new(format: Format, span: Option<Span>, nan: bool) -> Option<Real> {
        (span.is_some() || nan).then_some(Real { format, span, nan })
    }

    fn of(format: Format, span: Span, nan: bool) -> Real {
        Real {
            format,
            span: Some(span),
            nan,
        }
    }

    fn not_a_number(format: Format) -> Real {
        Real {
            format,
            span: None,
            nan: true,
        }
    }

    /// Every number of the format, NaN included.
    #[must_use]
    pub fn any(format: Format) -> Real {
        Real::of(format, Span::ALL, true)
    }

    /// One number, rounded to the format.
    #[must_use]
    pub fn constant(format: Format, value: f64) -> Real {
        let value = format.round(value);
        if value.is_nan() {
            return Real::not_a_number(format);
        }
        Real::of(
            format,
            Span {
                lo: value,
                hi: value,
            },
            false,
        )
    }

    /// The number that some bits mean.
    #[must_use]
    pub fn from_bits(format: Format, bits: u128) -> Real {
        let value = match format {
            Format::Single => f64::from(f32::from_bits(bits as u32)),
            Format::Double => f64::from_bits(bits as u64),
        };
        Real::constant(format, value)
    }

    /// The bits of the only number.
    #[must_use]
    pub fn bits(&self) -> Option<Num> {
        let value = self.only()?;
        Some(Num::constant(
            self.format.bits(),
            self.format.pattern(value),
        ))
    }

    /// The bits of all numbers, as ranges with both ends; NaN has many.
    #[must_use]
    pub fn bit_ranges(&self) -> Vec<(u128, u128)> {
        let pattern = |value: f64| self.format.pattern(value);
        let sign = pattern(-0.0);
        let infinity = pattern(f64::INFINITY);
        let mut ranges = Vec::new();
        if let Some(Span { lo, hi }) = self.span {
            if hi.is_sign_positive() {
                ranges.push((pattern(most(lo, 0.0)), pattern(hi)));
            }
            if lo.is_sign_negative() {
                // The larger the bits, the smaller the number.
                ranges.push((pattern(least(hi, -0.0)), pattern(lo)));
            }
        }
        if self.nan {
            ranges.push((infinity + 1, sign - 1));
            ranges.push(((sign | infinity) + 1, mask(self.format.bits())));
        }
        ranges
    }

    /// The bits of the numbers without their signs.
    #[must_use]
    pub fn size_bits(&self) -> Num {
        let bits = self.format.bits();
        let infinity = self.format.pattern(f64::INFINITY);
        let size = self.span.map(Span::absolute);
        let ends = size.map(|size| (self.format.pattern(size.lo), self.format.pattern(size.hi)));
        let (lo, hi) = ends.unwrap_or((infinity + 1, infinity + 1));
        Num::range(bits, lo, if self.nan { mask(bits) >> 1 } else { hi })
    }

    /// The numbers whose bits without the sign are these.
    #[must_use]
    pub fn of_size_bits(format: Format, size: &Num) -> Real {
        let (lo, hi) = size.unsigned_bounds();
        let infinity = format.pattern(f64::INFINITY);
        let largest = Real::from_bits(format, hi.min(infinity)).only();
        let span = largest.filter(|_| lo <= infinity).map(|largest| Span {
            lo: -largest,
            hi: largest,
        });
        Real::new(format, span, hi > infinity).unwrap_or(Real::any(format))
    }

    /// The only number; `None` where there are more, or NaN.
    #[must_use]
    pub fn only(&self) -> Option<f64> {
        self.span.filter(|_| !self.nan).and_then(Span::only)
    }

    #[must_use]
    pub fn format(&self) -> Format {
        self.format
    }

    #[must_use]
    pub fn is_any(&self) -> bool {
        self.nan && self.span == Some(Span::ALL)
    }

    /// What one or the other may be.
    #[must_use]
    pub fn join(&self, other: &Real) -> Real {
        debug_assert_eq!(self.format, other.format);
        let span = match (self.span, other.span) {
            (Some(a), Some(b)) => Some(a.join(b)),
            (a, b) => a.or(b),
        };
        Real {
            span,
            nan: self.nan || other.nan,
            ..*self
        }
    }

    /// What both may be; `None` when there is nothing.
    #[must_use]
    pub fn meet(&self, other: &Real) -> Option<Real> {
        let span = self.span.zip(other.span).and_then(|(a, b)| a.meet(b));
        Real::new(self.format, span, self.nan && other.nan)
    }

    /// A value that includes both and changes only so often: ends that grow go on to the next of some thresholds (sorted), then to
    /// infinity.
    #[must_use]
    pub fn widen(&self, newer: &Real, thresholds: &[i128]) -> Real {
        let joined = self.join(newer);
        let (Some(old), Some(new)) = (self.span, joined.span) else {
            return joined;
        };
        let exact = self.format.exact();
        let near = |at: Option<&i128>| at.filter(|at| at.abs() <= exact).map(|at| *at as f64);
        let mut span = new;
        if new.lo.total_cmp(&old.lo).is_lt() {
            let at = thresholds.partition_point(|known| (*known as f64) <= new.lo);
            let known = at.checked_sub(1).and_then(|at| near(thresholds.get(at)));
            span.lo = known
                .filter(|known| *known <= new.lo)
                .unwrap_or(f64::NEG_INFINITY);
        }
        if new.hi.total_cmp(&old.hi).is_gt() {
            let at = thresholds.partition_point(|known| (*known as f64) < new.hi);
            let known = near(thresholds.get(at));
            span.hi = known
                .filter(|known| *known >= new.hi)
                .unwrap_or(f64::INFINITY);
        }
        Real {
            span: Some(span.with_zeros()),
            ..joined
        }
    }

    /// The numbers in the other format, rounded.
    #[must_use]
    pub fn resized(&self, format: Format) -> Real {
        let span = self.span.map(|span| Span {
            lo: format.round(span.lo),
            hi: format.round(span.hi),
        });
        Real {
            format,
            span,
            nan: self.nan,
        }
    }

    /// The numbers of the narrower format that are these when they are extended; `None` when there are none.
    #[must_use]
    pub fn before_extension(&self, format: Format) -> Option<Real> {
        let span = self.span.and_then(|span| {
            let (lo, hi) = (format.round(span.lo), format.round(span.hi));
            let lo = if lo < span.lo { format.above(lo) } else { lo };
            let hi = if hi > span.hi { format.below(hi) } else { hi };
            Span::new(lo, hi)
        });
        Real::new(format, span, self.nan)
    }

    /// What integers are as floating-point numbers.
    #[must_use]
    pub fn from_int(format: Format, num: &Num, signed: bool) -> Real {
        let (lo, hi) = if signed {
            let (lo, hi) = num.signed_bounds();
            match format {
                Format::Single => (f64::from(lo as f32), f64::from(hi as f32)),
                Format::Double => (lo as f64, hi as f64),
            }
        } else {
            let (lo, hi) = num.unsigned_bounds();
            match format {
                Format::Single => (f64::from(lo as f32), f64::from(hi as f32)),
                Format::Double => (lo as f64, hi as f64),
            }
        };
        Real::of(format, Span { lo, hi }, false)
    }

    /// The integers of the width that are these numbers when they are converted; `None` when there are none. `signed`: as signed ones.
    #[must_use]
    pub fn before_conversion(&self, bits: u32, signed: bool) -> Option<Num> {
        let span = self.span?;
        if bits > 64 {
            return Some(Num::any(bits));
        }
        let (least, most) = match signed {
            true => (-(1i128 << (bits - 1)), (1i128 << (bits - 1)) - 1),
            false => (0, mask(bits) as i128),
        };
        // Below, integers are converted exactly, and no other is converted to less.
        let exact = self.format.exact() as f64;
        let lo = match span.lo.abs() < exact {
            true => (span.lo.ceil() as i128).max(least),
            false if span.lo > 0.0 => (exact as i128).max(least),
            false => least,
        };
        let hi = match span.hi.abs() < exact {
            true => (span.hi.floor() as i128).min(most),
            false if span.hi < 0.0 => (-(exact as i128)).min(most),
            false => most,
        };
        let part = Part { lo, hi, stride: 1 };
        (lo <= hi).then(|| Num::wrapped(bits, part))
    }

    /// What the numbers are as integers of so many bits, without their fractions: anything where one does not fit.
    #[must_use]
    pub fn to_int(&self, bits: u32, signed: bool) -> Num {
        let (Some(span), false) = (self.span, self.nan || bits > 64) else {
            return Num::any(bits);
        };
        let (lo, hi) = (span.lo.trunc(), span.hi.trunc());
        let (least, end) = match signed {
            true => (
                -((1u128 << (bits - 1)) as f64),
                (1u128 << (bits - 1)) as f64,
            ),
            false => (0.0, (1u128 << bits) as f64),
        };
        if lo < least || hi >= end {
            return Num::any(bits);
        }
        let (lo, hi) = (lo as i128, hi as i128);
        Num::wrapped(bits, Part { lo, hi, stride: 1 })
    }
}

impl fmt::Display for Real {
    /// `0.5`, `[0.0, 2.5]`, `[0.0, inf] or NaN`, `anything`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.is_any() {
            return f.write_str("anything");
        }
        match self.span {
            None => return f.write_str("NaN"),
            Some(span) => match span.only() {
                Some(value) => write!(f, "{value:?}")?,
                None => write!(f, "[{:?}, {:?}]", span.lo, span.hi)?,
            },
        }
        if self.nan {
            f.write_str(" or NaN")?;
        }
        Ok(())
    }
}
