//! Sets of integers of one width: up to 64 values one by one, beyond that a strided arc of the circle of all values.
//!
//! An arc is `start, start + stride, …`, `steps` times, modulo 2^width: an interval with congruence that may wrap around (Gange et
//! al., "Interval Analysis and Machine Arithmetic", TOPLAS 2015). So signed and unsigned values need no two domains.
//!
//! Must hold:
//! - a [`Num`] is never empty; where an operation may give nothing, its result is an `Option`;
//! - every operation gives a superset of what its operands can give in machine arithmetic;
//! - the form is canonical: up to 64 values are a list, sorted and without repetition; an arc does not meet its own start; only
//!   widths of up to 64 bits have arcs other than the whole circle.

use std::fmt;
use std::sync::Arc as Shared;

/// Values that are kept one by one.
pub const MOST: usize = 64;
/// Widths above have lists and "anything" only.
const WIDEST: u32 = 64;

/// A non-empty set of integers.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Num {
    bits: u32,
    form: Form,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
enum Form {
    List(Shared<[u128]>),
    Arc(Arc),
}

/// `start + i * stride` for `i` in `0..=steps`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Arc {
    pub start: u128,
    pub steps: u128,
    pub stride: u128,
}

impl Arc {
    fn span(self) -> u128 {
        self.steps * self.stride
    }
}

/// An interval in plain numbers, both ends included, with its stride.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Part<T> {
    pub lo: T,
    pub hi: T,
    pub stride: u128,
}

pub fn mask(bits: u32) -> u128 {
    if bits >= 128 {
        u128::MAX
    } else {
        (1 << bits) - 1
    }
}

/// The number that a bit pattern means as a signed one.
pub fn signed(bits: u32, value: u128) -> i128 {
    let unused = 128 - bits.clamp(1, 128);
    ((value << unused) as i128) >> unused
}

fn gcd(mut a: u128, mut b: u128) -> u128 {
    while b != 0 {
        (a, b) = (b, a % b);
    }
    a
}

/// The largest power of two that divides a stride.
fn power_in(stride: u128) -> u128 {
    stride & stride.wrapping_neg()
}

impl Num {
    /// Every value of the width.
    #[must_use]
    pub fn any(bits: u32) -> Num {
        if bits <= 6 {
            return Num::list(bits, 0..=mask(bits));
        }
        let arc = Arc {
            start: 0,
            steps: mask(bits),
            stride: 1,
        };
        Num {
            bits,
            form: Form::Arc(arc),
        }
    }

    /// The set of one value.
    #[must_use]
    pub fn constant(bits: u32, value: u128) -> Num {
        Num {
            bits,
            form: Form::List(Shared::new([value & mask(bits)])),
        }
    }

    /// A truth value that may be what the two say; `None` when it may be neither.
    #[must_use]
    pub fn truth(may_be_true: bool, may_be_false: bool) -> Option<Num> {
        match (may_be_true, may_be_false) {
            (true, true) => Some(Num::any(1)),
            (true, false) => Some(Num::constant(1, 1)),
            (false, true) => Some(Num::constant(1, 0)),
            (false, false) => None,
        }
    }

    /// The hull of some values.
    ///
    /// # Panics
    /// When there is none.
    #[must_use]
    pub fn list(bits: u32, values: impl IntoIterator<Item = u128>) -> Num {
        let mask = mask(bits);
        let mut all: Vec<u128> = values.into_iter().map(|value| value & mask).collect();
        all.sort_unstable();
        all.dedup();
        assert!(!all.is_empty(), "a set of numbers is never empty");
        if all.len() <= MOST {
            return Num {
                bits,
                form: Form::List(all.into()),
            };
        }
        Num::hull(bits, &all)
    }

    /// The smallest arc around sorted values.
    fn hull(bits: u32, all: &[u128]) -> Num {
        if bits > WIDEST {
            return Num::any(bits);
        }
        let modulus = mask(bits) + 1;
        let gap = |at: usize| {
            let next = all[(at + 1) % all.len()];
            (next + modulus - all[at]) % modulus
        };
        // The gap in front of 0 is as good as any other of its size: the arc then does not wrap.
        let widest = (0..all.len()).rev().max_by_key(|&at| {
            let size = gap(at);
            (size, at == all.len() - 1)
        });
        let last = widest.expect("there are values");
        let start = all[(last + 1) % all.len()];
        let span = (all[last] + modulus - start) % modulus;
        let stride = (0..all.len())
            .filter(|&at| at != last)
            .fold(0, |stride, at| gcd(gap(at), stride));
        Num::arc(bits, start, span, stride.max(1))
    }

    /// `start`, `start + stride`, … up to `start + span`.
    #[must_use]
    pub fn arc(bits: u32, start: u128, span: u128, stride: u128) -> Num {
        let (mask, stride) = (mask(bits), stride.max(1));
        let start = start & mask;
        if bits > WIDEST {
            return if span == 0 {
                Num::constant(bits, start)
            } else if span / stride < MOST as u128 {
                Num::list(
                    bits,
                    (0..=span / stride).map(|step| start.wrapping_add(step * stride)),
                )
            } else {
                Num::any(bits)
            };
        }
        if span > mask {
            return Num::multiples(bits, start, power_in(stride));
        }
        let steps = span / stride;
        if steps < MOST as u128 {
            return Num::list(bits, (0..=steps).map(|step| start + step * stride));
        }
        // An arc all around begins anywhere.
        if (steps + 1) * stride > mask && stride.is_power_of_two() {
            return Num::multiples(bits, start, stride);
        }
        Num {
            bits,
            form: Form::Arc(Arc {
                start,
                steps,
                stride,
            }),
        }
    }

    /// All values with the same remainder as `value`, modulo a power of two.
    fn multiples(bits: u32, value: u128, power: u128) -> Num {
        let mask = mask(bits);
        let power = power.min(mask / 2 + 1).max(1);
        let steps = mask / power;
        let start = (value & mask) % power;
        if steps < MOST as u128 {
            return Num::list(bits, (0..=steps).map(|step| start + step * power));
        }
        Num {
            bits,
            form: Form::Arc(Arc {
                start,
                steps,
                stride: power,
            }),
        }
    }

    /// Unsigned numbers from `lo` to `hi`, both included.
    #[must_use]
    pub fn range(bits: u32, lo: u128, hi: u128) -> Num {
        Num::arc(bits, lo, hi - lo, 1)
    }

    /// Numbers from `lo` to `hi`, wrapped to the width; anything where they are too many.
    #[must_use]
    pub fn wrapped(bits: u32, part: Part<i128>) -> Num {
        let span = part.hi.wrapping_sub(part.lo) as u128;
        Num::arc(bits, part.lo as u128, span, part.stride)
    }

    #[must_use]
    pub fn bits(&self) -> u32 {
        self.bits
    }

    /// The only value.
    #[must_use]
    pub fn as_constant(&self) -> Option<u128> {
        match &self.form {
            Form::List(list) if list.len() == 1 => Some(list[0]),
            _ => None,
        }
    }

    /// All values, if they are few.
    #[must_use]
    pub fn values(&self) -> Option<&[u128]> {
        match &self.form {
            Form::List(list) => Some(list),
            Form::Arc(_) => None,
        }
    }

    /// All values, if they are at most so many.
    #[must_use]
    pub fn few(&self, most: usize) -> Option<Vec<u128>> {
        match &self.form {
            Form::List(list) => (list.len() <= most).then(|| list.to_vec()),
            Form::Arc(arc) => (arc.steps < most as u128).then(|| {
                let values = (0..=arc.steps).map(|at| arc.start.wrapping_add(at * arc.stride));
                values.map(|value| value & mask(self.bits)).collect()
            }),
        }
    }

    /// The arc, if the values are many.
    #[must_use]
    pub fn as_arc(&self) -> Option<Arc> {
        match &self.form {
            Form::List(_) => None,
            Form::Arc(arc) => Some(*arc),
        }
    }

    #[must_use]
    pub fn is_any(&self) -> bool {
        match &self.form {
            Form::List(list) => self.bits <= 6 && list.len() as u128 > mask(self.bits),
            Form::Arc(arc) => arc.stride == 1 && arc.steps == mask(self.bits),
        }
    }

    #[must_use]
    pub fn contains(&self, value: u128) -> bool {
        let value = value & mask(self.bits);
        match &self.form {
            Form::List(list) => list.binary_search(&value).is_ok(),
            Form::Arc(arc) => {
                let ahead = value.wrapping_sub(arc.start) & mask(self.bits);
                ahead <= arc.span() && ahead.is_multiple_of(arc.stride)
            }
        }
    }

    /// Whether every value of the other is one of these.
    #[must_use]
    pub fn includes(&self, other: &Num) -> bool {
        if let Some(values) = other.values() {
            return values.iter().all(|value| self.contains(*value));
        }
        &self.join(other) == self
    }

    /// The arc of a list or an arc. The caller deals with lists of one value by themselves where it matters.
    pub(crate) fn around(&self) -> Arc {
        match &self.form {
            Form::Arc(arc) => *arc,
            Form::List(list) => match Num::hull(self.bits, list).form {
                Form::Arc(arc) => arc,
                // A hull of few values is a list again: the first to the last.
                Form::List(_) => around_few(self.bits, list),
            },
        }
    }

    /// As unsigned intervals: two where the arc wraps.
    #[must_use]
    pub fn unsigned_parts(&self) -> Vec<Part<u128>> {
        match &self.form {
            Form::List(list) => {
                let stride = list
                    .windows(2)
                    .fold(0, |all, pair| gcd(pair[1] - pair[0], all));
                vec![Part {
                    lo: list[0],
                    hi: list[list.len() - 1],
                    stride: stride.max(1),
                }]
            }
            Form::Arc(arc) => split(*arc, mask(self.bits)),
        }
    }

    /// As signed intervals: two where the arc passes the most positive number.
    #[must_use]
    pub fn signed_parts(&self) -> Vec<Part<i128>> {
        let bits = self.bits;
        match &self.form {
            Form::List(list) => {
                let mut all: Vec<i128> = list.iter().map(|value| signed(bits, *value)).collect();
                all.sort_unstable();
                let stride = all.windows(2).fold(0, |all, pair| {
                    gcd(pair[1].wrapping_sub(pair[0]) as u128, all)
                });
                vec![Part {
                    lo: all[0],
                    hi: all[all.len() - 1],
                    stride: stride.max(1),
                }]
            }
            Form::Arc(arc) => {
                if bits > WIDEST {
                    return vec![Part {
                        lo: signed(bits, 1 << (bits - 1)),
                        hi: (mask(bits) >> 1) as i128,
                        stride: 1,
                    }];
                }
                // Turned by half a circle, signed order is unsigned order.
                let half = 1u128 << (bits - 1);
                let turned = Arc {
                    start: arc.start.wrapping_add(half) & mask(bits),
                    ..*arc
                };
                let parts = split(turned, mask(bits)).into_iter();
                parts
                    .map(|part| Part {
                        lo: part.lo as i128 - half as i128,
                        hi: part.hi as i128 - half as i128,
                        stride: part.stride,
                    })
                    .collect()
            }
        }
    }

    #[must_use]
    pub fn unsigned_bounds(&self) -> (u128, u128) {
        let parts = self.unsigned_parts();
        let lo = parts.iter().map(|part| part.lo).min();
        let hi = parts.iter().map(|part| part.hi).max();
        (lo.unwrap_or(0), hi.unwrap_or(mask(self.bits)))
    }

    #[must_use]
    pub fn signed_bounds(&self) -> (i128, i128) {
        let parts = self.signed_parts();
        let lo = parts.iter().map(|part| part.lo).min();
        let hi = parts.iter().map(|part| part.hi).max();
        (lo.unwrap_or(i128::MIN), hi.unwrap_or(i128::MAX))
    }

    /// What one or the other may be.
    #[must_use]
    pub fn join(&self, other: &Num) -> Num {
        debug_assert_eq!(self.bits, other.bits);
        if self == other {
            return self.clone();
        }
        if let (Form::List(a), Form::List(b)) = (&self.form, &other.form) {
            return Num::list(self.bits, a.iter().chain(b.iter()).copied());
        }
        if self.bits > WIDEST {
            return Num::any(self.bits);
        }
        let (a, b) = (self.around(), other.around());
        let both = [cover(self.bits, a, b), cover(self.bits, b, a)];
        let joined = both
            .into_iter()
            .flatten()
            .min_by_key(|arc| (arc.span(), arc.start));
        let stride = power_in(gcd(gcd(a.stride, b.stride), a.start.abs_diff(b.start)));
        match joined {
            Some(arc) => Num::arc(self.bits, arc.start, arc.span(), arc.stride),
            None => Num::multiples(self.bits, a.start, stride),
        }
    }

    /// What both may be; `None` when there is nothing.
    #[must_use]
    pub fn meet(&self, other: &Num) -> Option<Num> {
        debug_assert_eq!(self.bits, other.bits);
        let some = |values: Vec<u128>| (!values.is_empty()).then(|| Num::list(self.bits, values));
        match (&self.form, &other.form) {
            (Form::List(list), _) => some(
                list.iter()
                    .copied()
                    .filter(|&value| other.contains(value))
                    .collect(),
            ),
            (_, Form::List(list)) => some(
                list.iter()
                    .copied()
                    .filter(|&value| self.contains(value))
                    .collect(),
            ),
            (Form::Arc(_), Form::Arc(_)) if self.bits > WIDEST => Some(self.clone()),
            (Form::Arc(a), Form::Arc(b)) => meet_arcs(self, *a, other, *b),
        }
    }

    /// All but one value.
    #[must_use]
    pub fn without(&self, value: u128) -> Option<Num> {
        match &self.form {
            Form::List(list) => {
                let rest: Vec<u128> = list.iter().copied().filter(|&own| own != value).collect();
                (!rest.is_empty()).then(|| Num::list(self.bits, rest))
            }
            Form::Arc(arc) if self.bits <= WIDEST => {
                let end = arc.start.wrapping_add(arc.span()) & mask(self.bits);
                let is_closed = arc.span() + arc.stride == mask(self.bits) + 1;
                if arc.start == value || (is_closed && self.contains(value)) {
                    // An arc whose last step comes back to its start may begin behind the value.
                    let start = value.wrapping_add(arc.stride);
                    return Some(Num::arc(
                        self.bits,
                        start,
                        arc.span() - arc.stride,
                        arc.stride,
                    ));
                }
                if end == value {
                    return Some(Num::arc(
                        self.bits,
                        arc.start,
                        arc.span() - arc.stride,
                        arc.stride,
                    ));
                }
                Some(self.clone())
            }
            Form::Arc(_) => Some(self.clone()),
        }
    }

    /// A value that includes both and changes only so often: ends that grow go on to the next of some thresholds (signed order,
    /// sorted), then to the end of the width.
    #[must_use]
    pub fn widen(&self, newer: &Num, thresholds: &[i128]) -> Num {
        let joined = self.join(newer);
        if joined == *self {
            return joined;
        }
        // A list grows by constants of the program as it is.
        if let (Some(old), Some(new)) = (self.values(), joined.values()) {
            let known = |value: &u128| thresholds.binary_search(&signed(self.bits, *value)).is_ok();
            if new.iter().all(|value| old.contains(value) || known(value)) {
                return joined;
            }
        }
        if self.bits > WIDEST {
            return Num::any(self.bits);
        }
        let half = 1i128 << (self.bits - 1);
        let (lowest, highest) = (-half, half - 1);
        let (old, new) = (self.signed_parts(), joined.signed_parts());
        if let ([old], [new]) = (old.as_slice(), new.as_slice()) {
            let lo = match new.lo < old.lo {
                false => new.lo,
                true => below(thresholds, new.lo, lowest),
            };
            let hi = match new.hi > old.hi {
                false => new.hi,
                true => above(thresholds, new.hi, highest),
            };
            return aligned(self.bits, lo, hi, new);
        }
        // Unsigned numbers that pass the most positive signed one.
        let (old, new) = (self.unsigned_parts(), joined.unsigned_parts());
        if let ([old], [new]) = (old.as_slice(), new.as_slice()) {
            let lo = if new.lo < old.lo { 0 } else { new.lo };
            let hi = if new.hi > old.hi {
                mask(self.bits)
            } else {
                new.hi
            };
            let stride = power_in(new.stride);
            let lo = lo + (new.lo - lo) % stride;
            return Num::arc(self.bits, lo, hi - lo, stride);
        }
        Num::multiples(
            self.bits,
            joined.around().start,
            power_in(joined.around().stride),
        )
    }
}

fn around_few(bits: u32, list: &[u128]) -> Arc {
    let modulus = mask(bits) + 1;
    let mut best: Option<Arc> = None;
    for at in 0..list.len() {
        let start = list[at];
        let ahead = |value: &u128| (value + modulus - start) % modulus;
        let span = list.iter().map(ahead).max().unwrap_or(0);
        let stride = list
            .iter()
            .map(ahead)
            .fold(0, |all, ahead| gcd(ahead, all))
            .max(1);
        let arc = Arc {
            start,
            steps: span / stride,
            stride,
        };
        if best.is_none_or(|best| span < best.span()) {
            best = Some(arc);
        }
    }
    best.expect("there are values")
}

/// The numbers from `lo` to `hi` that the newer part's stride allows.
fn aligned(bits: u32, lo: i128, hi: i128, part: &Part<i128>) -> Num {
    // Past an end of the width only powers of two stay a stride.
    let stride = part.stride as i128;
    let lo = part.lo - (part.lo - lo) / stride * stride;
    Num::arc(bits, lo as u128, (hi - lo) as u128, part.stride)
}

fn below(thresholds: &[i128], value: i128, lowest: i128) -> i128 {
    let at = thresholds.partition_point(|known| *known <= value);
    let found = at.checked_sub(1).map(|at| thresholds[at]);
    found.unwrap_or(lowest).max(lowest)
}

fn above(thresholds: &[i128], value: i128, highest: i128) -> i128 {
    let at = thresholds.partition_point(|known| *known < value);
    let found = thresholds.get(at).copied();
    found.unwrap_or(highest).min(highest)
}

/// The part of an arc up to the largest number, and the rest behind it.
fn split(arc: Arc, mask: u128) -> Vec<Part<u128>> {
    let Arc { start, stride, .. } = arc;
    if arc.span() <= mask - start {
        return vec![Part {
            lo: start,
            hi: start + arc.span(),
            stride,
        }];
    }
    let first = (mask - start) / stride;
    let behind = (start + (first + 1) * stride) & mask;
    vec![
        Part {
            lo: start,
            hi: start + first * stride,
            stride,
        },
        Part {
            lo: behind,
            hi: behind + (arc.steps - first - 1) * stride,
            stride,
        },
    ]
}

/// The arc that begins with `a` and goes on until it has all of `b`.
fn cover(bits: u32, a: Arc, b: Arc) -> Option<Arc> {
    let mask = mask(bits);
    let ahead = b.start.wrapping_sub(a.start) & mask;
    let span = a.span().max(ahead + b.span());
    if span > mask {
        return None;
    }
    let of = |arc: Arc| if arc.steps == 0 { 0 } else { arc.stride };
    let stride = gcd(gcd(of(a), of(b)), ahead).max(1);
    Some(Arc {
        start: a.start,
        steps: span / stride,
        stride,
    })
}

fn meet_arcs(whole: &Num, a: Arc, other: &Num, b: Arc) -> Option<Num> {
    let (bits, mask) = (whole.bits, mask(whole.bits));
    let ahead = b.start.wrapping_sub(a.start) & mask;
    let (length, end) = (a.span(), ahead + b.span());
    let wraps = end > mask;
    let (lo, hi) = match (ahead <= length, wraps) {
        (true, false) => (ahead, end.min(length)),
        (false, false) => return None,
        (false, true) => (0, (end - mask - 1).min(length)),
        // Two pieces: the smaller of the two includes both.
        (true, true) if a.steps <= b.steps => return Some(whole.clone()),
        (true, true) => return Some(other.clone()),
    };
    let lo = lo.div_ceil(a.stride) * a.stride;
    let hi = hi / a.stride * a.stride;
    (lo <= hi).then(|| Num::arc(bits, a.start.wrapping_add(lo), hi - lo, a.stride))
}

impl fmt::Display for Num {
    /// `7`, `{1, 2, 5}`, `[-3, 100]`, `[0, 400] step 4`, `anything`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.is_any() && self.bits > 1 {
            return f.write_str("anything");
        }
        match &self.form {
            Form::List(list) => {
                let mut all: Vec<i128> = list
                    .iter()
                    .map(|value| {
                        if self.bits == 1 {
                            *value as i128
                        } else {
                            signed(self.bits, *value)
                        }
                    })
                    .collect();
                all.sort_unstable();
                if let [one] = all.as_slice() {
                    return write!(f, "{one}");
                }
                let words: Vec<String> = all.iter().map(ToString::to_string).collect();
                write!(f, "{{{}}}", words.join(", "))
            }
            Form::Arc(arc) => {
                let signed = self.signed_parts();
                match signed.as_slice() {
                    [part] => write!(f, "[{}, {}]", part.lo, part.hi)?,
                    _ => {
                        let words: Vec<String> = self
                            .unsigned_parts()
                            .iter()
                            .map(|part| format!("[{}, {}]", part.lo, part.hi))
                            .collect();
                        write!(f, "{} unsigned", words.join(" or "))?;
                    }
                }
                if arc.stride > 1 {
                    write!(f, " step {}", arc.stride)?;
                }
                Ok(())
            }
        }
    }
}
