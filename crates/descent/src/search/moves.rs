//! Steps of one input: how integers and floats are moved.
//!
//! Must hold: a moved value has the input's width and lies in its domain.

use smt::float;

use crate::distance::{at_ordinal, number, ordinal};
use crate::program::word::wide::{mask, signed};
use crate::rng::Rng;
use crate::{Kind, Variable};

/// A step.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Move {
    /// Added, modulo 2^width.
    Add(u128),
    Flip(u16),
    Set(u128),
    /// So many floats further.
    Floats(i128),
    /// Added as a number.
    Number(f64),
}

impl Move {
    /// The same direction, twice as far; `None` where that means nothing.
    pub(super) fn doubled(self) -> Option<Move> {
        match self {
            Move::Add(step) => Some(step << 1).filter(|&step| step != 0).map(Move::Add),
            Move::Floats(step) => step.checked_mul(2).map(Move::Floats),
            Move::Number(step) => Some(step * 2.0)
                .filter(|step| step.is_finite())
                .map(Move::Number),
            Move::Flip(_) | Move::Set(_) => None,
        }
    }

    /// The value after the step; `None` if that is outside of the domain, or the same.
    pub(super) fn of(self, variable: &Variable, value: u128) -> Option<u128> {
        let width = variable.width;
        let moved = match self {
            Move::Add(step) => value.wrapping_add(step) & mask(width),
            Move::Flip(bit) => value ^ 1 << bit,
            Move::Set(value) => value & mask(width),
            Move::Floats(step) => {
                let most = ordinal(float(width, f64::INFINITY), width);
                let place = ordinal(value, width).checked_add(step)?;
                (place.abs() <= most).then(|| at_ordinal(place, width))?
            }
            Move::Number(step) => {
                let sum = number(value, width) + step;
                (!sum.is_nan()).then(|| float(width, sum))?
            }
        };
        (moved != value && is_inside(variable, moved)).then_some(moved)
    }
}

/// The value's place in the order of its kind.
fn place(variable: &Variable, value: u128) -> (i128, u128) {
    match variable.kind {
        Kind::Signed => (signed(value, variable.width), 0),
        Kind::Float => (ordinal(value, variable.width), 0),
        Kind::Unsigned | Kind::Fixed => (0, value),
    }
}

pub(super) fn is_inside(variable: &Variable, value: u128) -> bool {
    variable.domain.is_none_or(|domain| {
        let at = place(variable, value);
        at >= place(variable, domain.low) && at <= place(variable, domain.high)
    })
}

/// The value, or the end of the domain that it is behind.
pub(super) fn clamped(variable: &Variable, value: u128) -> u128 {
    let value = value & mask(variable.width);
    match variable.domain {
        Some(domain) if place(variable, value) < place(variable, domain.low) => domain.low,
        Some(domain) if place(variable, value) > place(variable, domain.high) => domain.high,
        _ => value,
    }
}

/// The steps that are tried from a value, near ones first.
pub(super) fn steps(variable: &Variable, value: u128, constants: &[(u16, u128)]) -> Vec<Move> {
    let width = variable.width;
    let mut steps = Vec::new();
    if variable.kind == Kind::Float {
        for exponent in std::iter::once(0).chain((-12..0).rev()).chain(1..24) {
            let step = f64::from(exponent).exp2();
            steps.extend([Move::Number(step), Move::Number(-step)]);
            if exponent == 0 {
                steps.extend([Move::Floats(1), Move::Floats(-1)]);
            }
        }
        for bit in 1..width.min(79) - 1 {
            steps.extend([Move::Floats(1 << bit), Move::Floats(-(1 << bit))]);
        }
        let here = number(value, width);
        let special = [
            -here,
            here.round(),
            0.0,
            1.0,
            -1.0,
            f64::INFINITY,
            f64::NEG_INFINITY,
            f64::NAN,
        ];
        steps.extend(special.map(|x| Move::Set(float(width, x))));
    } else {
        let minus = |step: u128| Move::Add(step.wrapping_neg() & mask(width));
        for bit in 0..width {
            steps.extend([Move::Add(1 << bit), minus(1 << bit)]);
        }
        steps.extend((0..width).map(Move::Flip));
        let top = 1 << (width - 1);
        steps.extend([0, mask(width), top, top - 1].map(Move::Set));
    }
    for &(of, constant) in constants {
        steps.extend(as_value(variable, of, constant).map(Move::Set));
    }
    steps
}

/// A constant of the trace as a value of this input.
fn as_value(variable: &Variable, of: u16, constant: u128) -> Option<u128> {
    match variable.kind {
        Kind::Float if of == variable.width => Some(constant),
        Kind::Float => Some(float(variable.width, signed(constant, of) as f64)),
        _ if of > 1
            && signed(constant, of)
                == signed(constant & mask(variable.width), variable.width.min(of)) =>
        {
            Some(constant & mask(variable.width))
        }
        _ if of > 1 && constant <= mask(variable.width) => Some(constant),
        _ => None,
    }
}

/// Any value; those that programs look for are common.
pub(super) fn random(variable: &Variable, rng: &mut Rng, constants: &[(u16, u128)]) -> u128 {
    let width = variable.width;
    let small = rng.next() as i8;
    let constant = rng
        .pick(constants)
        .and_then(|(of, constant)| as_value(variable, of, constant));
    if let (Some(domain), true) = (variable.domain, rng.below(2) == 0)
        && variable.kind != Kind::Float
    {
        let span = domain.high.wrapping_sub(domain.low) & mask(width);
        let at = rng.wide() % span.saturating_add(1).max(1);
        return domain.low.wrapping_add(at) & mask(width);
    }
    let value = if variable.kind == Kind::Float {
        let unit = (rng.next() >> 11) as f64 / 9_007_199_254_740_992.0 * 2.0 - 1.0;
        match (rng.below(6), constant) {
            (0, Some(constant)) => constant,
            (0 | 1, _) => float(width, f64::from(small)),
            (2, _) => float(width, unit * 10.0),
            (3, _) => float(width, unit * 1e4),
            (4, _) => float(width, unit * (rng.below(120) as f64 - 60.0).exp2()),
            _ => float(width, unit * (rng.below(2000) as f64 - 1000.0).exp2()),
        }
    } else {
        match (rng.below(6), constant) {
            (0, Some(constant)) => constant.wrapping_add_signed(rng.below(3) as i128 - 1),
            (0 | 1, _) => i128::from(small).cast_unsigned(),
            (2, _) => 1_u128 << rng.below(width.into()),
            (3, _) => rng.wide(),
            _ => rng.wide() & mask(1 + rng.below(width.into()) as u16),
        }
    };
    clamped(variable, value)
}
