//! Intervals of floats, beside the domains of [`super::domain`].
//!
//! Numbers that people write are digits, multiplied and added up as floats: what a comparison with a constant, a conversion or an exponent
//! says of them is often decided by the digits' range, and takes a decision procedure seconds. Rounding to nearest is monotone, so the
//! ends of a result's interval are results at ends of the operands' intervals.
//!
//! Floats of 32 and 64 bits; of others nothing is known. An interval holds no NaN, and infinities only at its ends.

use super::domain::Domain;
use super::pivots::Empty;
use crate::eval::{Step, Tape, compute, infinity, mask, sign_bit};
use crate::{Op, pool::Tag};

/// From `low` to `high` in the order of [`key`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Span {
    low: i128,
    high: i128,
}

/// Orders the patterns of floats as their numbers, −0 just below +0.
fn key(pattern: u128, bits: u16) -> i128 {
    let magnitude = (pattern & !sign_bit(bits)).cast_signed();
    match pattern & sign_bit(bits) {
        0 => magnitude,
        _ => -magnitude - 1,
    }
}

/// The pattern with this key.
fn pattern(key: i128, bits: u16) -> u128 {
    match u128::try_from(key) {
        Ok(magnitude) => magnitude,
        Err(_) => (-key - 1).cast_unsigned() | sign_bit(bits),
    }
}

const PLUS_ZERO: i128 = 0;
const MINUS_ZERO: i128 = -1;

impl Span {
    fn all(bits: u16) -> Span {
        let high = infinity(bits).cast_signed();
        Span {
            low: -high - 1,
            high,
        }
    }

    /// The interval between the least and the greatest of some patterns; `None` if one is a NaN.
    fn of(patterns: &[u128], bits: u16) -> Option<Span> {
        let keys = || patterns.iter().map(|&pattern| key(pattern, bits));
        let span = Span {
            low: keys().min()?,
            high: keys().max()?,
        };
        span.is_within(Span::all(bits)).then_some(span)
    }

    fn is_within(self, other: Span) -> bool {
        self.low >= other.low && self.high <= other.high
    }

    fn is_finite(self, bits: u16) -> bool {
        let all = Span::all(bits);
        self.low > all.low && self.high < all.high
    }

    fn meet(self, other: Span) -> Result<Span, Empty> {
        let both = Span {
            low: self.low.max(other.low),
            high: self.high.min(other.high),
        };
        (both.low <= both.high).then_some(both).ok_or(Empty)
    }

    /// Both zeros where one is at an end.
    fn with_zeros(self) -> Span {
        Span {
            low: match self.low {
                PLUS_ZERO => MINUS_ZERO,
                low => low,
            },
            high: match self.high {
                MINUS_ZERO => PLUS_ZERO,
                high => high,
            },
        }
    }

    /// The sign of all its numbers: whether they are negative, −0 included.
    fn sign(self) -> Option<bool> {
        ((self.low < 0) == (self.high < 0)).then_some(self.low < 0)
    }

    fn ends(self, bits: u16) -> [u128; 2] {
        [pattern(self.low, bits), pattern(self.high, bits)]
    }

    /// What a domain says, if it leaves no NaN.
    fn of_domain(domain: Domain, bits: u16) -> Option<Span> {
        let (low, high) = domain.bounds();
        let is_of_one_sign = (low ^ high) & sign_bit(bits) == 0;
        is_of_one_sign.then(|| Span::of(&[low, high], bits))?
    }

    /// The same as a domain of patterns.
    fn domain(self, bits: u16) -> Option<Domain> {
        let negative = self.sign()?;
        let [low, high] = self.ends(bits);
        Some(match negative {
            false => Domain::range(bits, low, high),
            true => Domain::range(bits, high, low),
        })
    }
}

/// What is known of the steps of a tape as floats.
pub(super) struct Spans(Vec<Option<Span>>);

impl Spans {
    /// Of a tape without floats there is nothing to be known.
    pub(super) fn new(tape: &Tape) -> Spans {
        let has_floats = tape.steps.iter().any(|step| match step.tag {
            Tag::Op(op) => op.takes_floats(),
            _ => false,
        });
        Spans(match has_floats {
            true => vec![None; tape.steps.len()],
            false => Vec::new(),
        })
    }

    /// What is known of an operand of this width.
    fn at(&self, place: u32, bits: u16, domains: &[Domain]) -> Option<Span> {
        let own = self.0[place as usize];
        let other = Span::of_domain(domains[place as usize], bits);
        match (own, other) {
            (Some(own), Some(other)) => own.meet(other).ok(),
            _ => own.or(other),
        }
    }

    /// Adds what the operands of a step say of it.
    pub(super) fn forward(
        &mut self,
        tape: &Tape,
        place: u32,
        domains: &mut [Domain],
    ) -> Result<(), Empty> {
        let step = tape.steps[place as usize];
        let Tag::Op(op) = step.tag else { return Ok(()) };
        if self.0.is_empty() {
            return Ok(());
        }
        if matches!(op, Op::SToF | Op::UToF) && is_known(step.bits) {
            let span = from_integer(op, &step, domains[step.a as usize]);
            return span.map_or(Ok(()), |span| self.note(place, step.bits, span, domains));
        }
        if !op.takes_floats() || !is_known(step.width) {
            return Ok(());
        }
        let Some(a) = self.at(step.a, step.width, domains) else {
            return Ok(());
        };
        let b = match op.arity() {
            1 => a,
            _ => match self.at(step.b, step.width, domains) {
                Some(b) => b,
                None => return Ok(()),
            },
        };
        let known = match op {
            Op::FEq | Op::FLt | Op::FLe | Op::FUno => compare(op, a.with_zeros(), b.with_zeros())
                .map(|truth| Domain::constant(truth.into())),
            Op::FToS | Op::FToU => to_integer(op, &step, a),
            _ => {
                let span = arithmetic(op, &step, a, b).filter(|_| is_known(step.bits));
                return span.map_or(Ok(()), |span| self.note(place, step.bits, span, domains));
            }
        };
        if let Some(known) = known {
            domains[place as usize] = domains[place as usize].meet(known)?;
        }
        Ok(())
    }

    /// Adds what a comparison that is decided says of its operands.
    pub(super) fn backward(
        &mut self,
        tape: &Tape,
        place: u32,
        domains: &mut [Domain],
    ) -> Result<(), Empty> {
        let step = tape.steps[place as usize];
        let Tag::Op(op @ (Op::FEq | Op::FLt | Op::FLe)) = step.tag else {
            return Ok(());
        };
        let bits = step.width;
        let Some(truth) = domains[place as usize].single().filter(|_| is_known(bits)) else {
            return Ok(());
        };
        let (a, b) = (
            self.at(step.a, bits, domains),
            self.at(step.b, bits, domains),
        );
        // Where a comparison is true there is no NaN; where it is false there may be.
        if truth == 0 && (a.is_none() || b.is_none()) {
            return Ok(());
        }
        let all = Span::all(bits);
        let side = |place: u32, span: Option<Span>| (place, span.unwrap_or(all).with_zeros());
        let (a, b) = (side(step.a, a), side(step.b, b));
        let (small, large, strict) = match (op, truth) {
            (Op::FEq, 1) => {
                self.note(a.0, bits, b.1, domains)?;
                return self.note(b.0, bits, a.1, domains);
            }
            (Op::FEq, _) => return Ok(()),
            (_, 1) => (a, b, op == Op::FLt),
            _ => (b, a, op == Op::FLe),
        };
        let (least, most) = (small.1.low, large.1.high);
        // −0 and +0 are one number.
        let (least, most) = match strict {
            false => (least, most),
            true => (
                if least == MINUS_ZERO { 1 } else { least + 1 },
                if most == PLUS_ZERO { -2 } else { most - 1 },
            ),
        };
        let (below, above) = (Span { high: most, ..all }, Span { low: least, ..all });
        if below.low > below.high || above.low > above.high {
            return Err(Empty);
        }
        self.note(small.0, bits, below, domains)?;
        self.note(large.0, bits, above, domains)
    }

    /// A step is within an interval.
    fn note(
        &mut self,
        place: u32,
        bits: u16,
        span: Span,
        domains: &mut [Domain],
    ) -> Result<(), Empty> {
        let slot = &mut self.0[place as usize];
        let both = slot.map_or(Ok(span), |old| old.meet(span))?;
        *slot = Some(both);
        if let Some(domain) = both.domain(bits) {
            domains[place as usize] = domains[place as usize].meet(domain)?;
        }
        Ok(())
    }
}

fn is_known(bits: u16) -> bool {
    matches!(bits, 32 | 64)
}

/// Conversions are monotone, and never yield −0.
fn from_integer(op: Op, step: &Step, domain: Domain) -> Option<Span> {
    let width = step.width;
    let (low, high) = domain.bounds();
    let top = sign_bit(width);
    let (low, high) = match op {
        // The order of signed numbers is that of unsigned ones on either side of zero.
        Op::SToF if (low ^ high) & top != 0 => (top, top - 1),
        _ => (low, high),
    };
    Span::of(
        &[low, high].map(|end| compute(op, step.bits, 0, width, [end, 0, 0])),
        step.bits,
    )
}

/// Truncation is monotone as long as the result has room.
fn to_integer(op: Op, step: &Step, a: Span) -> Option<Domain> {
    let bits = step.bits;
    if bits > 64 {
        return None;
    }
    let [low, high] = a.ends(step.width).map(|end| {
        let wide = compute(Op::FToF, 64, 0, step.width, [end, 0, 0]);
        f64::from_bits(wide as u64)
    });
    let half = 2_f64.powi(i32::from(bits) - 1);
    let fits = match op {
        Op::FToS => low >= -half && high < half,
        _ => low >= 0.0 && high < 2.0 * half,
    };
    if !fits {
        return None;
    }
    let [low, high] = a
        .ends(step.width)
        .map(|end| compute(op, bits, 0, step.width, [end, 0, 0]) & mask(bits));
    // The order of signed numbers is that of unsigned ones on either side of zero.
    let is_interval = op == Op::FToU || (low ^ high) & sign_bit(bits) == 0;
    is_interval.then(|| Domain::range(bits, low, high))
}

/// The interval of a result that is a float. Each operation is monotone in each operand, zeros by their signs included.
fn arithmetic(op: Op, step: &Step, a: Span, b: Span) -> Option<Span> {
    let (width, bits) = (step.width, step.bits);
    let at = |x: u128, y: u128| compute(op, bits, step.aux, width, [x, y, 0]);
    let [a_low, a_high] = a.ends(width);
    let [b_low, b_high] = b.ends(width);
    let monotone = || Span::of(&[at(a_low, 0), at(a_high, 0)], bits);
    match op {
        Op::FNeg | Op::FToF | Op::FRound => return monotone(),
        Op::FAbs if a.sign().is_some() => return monotone(),
        Op::FAbs => return Span::of(&[0, at(a_low, 0), at(a_high, 0)], bits),
        Op::FSqrt => return (a.low >= 0).then(monotone)?,
        _ => {}
    }
    // Infinities among the operands may make a NaN.
    if !a.is_finite(width) || !b.is_finite(width) {
        return None;
    }
    match op {
        Op::FAdd => Span::of(&[at(a_low, b_low), at(a_high, b_high)], bits),
        Op::FSub => Span::of(&[at(a_low, b_high), at(a_high, b_low)], bits),
        Op::FDiv if b.with_zeros().sign().is_none() => None,
        Op::FMul | Op::FDiv => {
            let corners = [
                at(a_low, b_low),
                at(a_low, b_high),
                at(a_high, b_low),
                at(a_high, b_high),
            ];
            Span::of(&corners, bits)
        }
        _ => None,
    }
}

/// The result of a comparison, where the intervals decide it; they hold both zeros or none.
fn compare(op: Op, a: Span, b: Span) -> Option<bool> {
    let numbers_apart = a.high < b.low || b.high < a.low;
    match op {
        Op::FUno => Some(false),
        Op::FEq => numbers_apart.then_some(false),
        Op::FLt if a.high < b.low => Some(true),
        Op::FLt if b.high <= a.low => Some(false),
        Op::FLe if a.high <= b.low => Some(true),
        Op::FLe if b.high < a.low => Some(false),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Each interval between these, and all of them that lie in it.
    const NUMBERS: [f64; 12] = [
        f64::NEG_INFINITY,
        f64::MIN,
        -1.5,
        -1.0,
        -f64::MIN_POSITIVE,
        -0.0,
        0.0,
        f64::MIN_POSITIVE,
        1.0,
        2.5,
        f64::MAX,
        f64::INFINITY,
    ];

    #[test]
    fn every_result_is_in_the_interval_of_results() {
        let keys = NUMBERS.map(|number| key(number.to_bits().into(), 64));
        assert!(keys.is_sorted());
        let ends =
            || (0..keys.len()).flat_map(|low| (low..keys.len()).map(move |high| (low, high)));
        let mut known = 0;
        for op in [
            Op::FAdd,
            Op::FSub,
            Op::FMul,
            Op::FDiv,
            Op::FNeg,
            Op::FAbs,
            Op::FSqrt,
            Op::FRound,
        ] {
            for ((a_low, a_high), (b_low, b_high)) in
                ends().flat_map(|a| ends().map(move |b| (a, b)))
            {
                let step = Step {
                    tag: Tag::Op(op),
                    bits: 64,
                    width: 64,
                    aux: 0,
                    a: 0,
                    b: 0,
                    c: 0,
                };
                let span = |low: usize, high: usize| Span {
                    low: keys[low],
                    high: keys[high],
                };
                let Some(found) = arithmetic(op, &step, span(a_low, a_high), span(b_low, b_high))
                else {
                    continue;
                };
                known += 1;
                for (x, y) in (a_low..=a_high).flat_map(|x| (b_low..=b_high).map(move |y| (x, y))) {
                    let patterns = [x, y].map(|at| u128::from(NUMBERS[at].to_bits()));
                    let result = compute(op, 64, 0, 64, [patterns[0], patterns[1], 0]);
                    let one = Span::of(&[result], 64);
                    assert!(
                        one.is_some_and(|one| one.is_within(found)),
                        "{op:?} {} {}: {result:#x} is not in {found:?}",
                        NUMBERS[x],
                        NUMBERS[y]
                    );
                }
            }
        }
        assert!(known > 20_000, "{known}");
    }
}
