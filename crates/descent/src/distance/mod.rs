//! How far a condition is from holding: the branch distance of search-based testing (Korel 1990; Tracey, Clark, Mander and
//! McDermid 1998), compiled.
//!
//! A gauge is a list of marks, operands first: leaves compare two registers, the others are sums (all must hold) and minima
//! (one must). Equality of integers is measured around the circle of their width; of floats by value and by the number of
//! floats between; of what bit operations made by the number of different bits.
//!
//! Must hold: a reading is 0 exactly when the condition is as wanted, finite, and never NaN.

mod compile;

use std::cmp::Ordering;

use crate::program::load;
use crate::program::word::{narrow, wide};

/// The distance of a condition behind a step that was not passed: greater than any that is measured.
pub(crate) const UNREACHED: f64 = 1e290;

/// The greatest distance that is measured: no number where one is wanted, a call without a result.
pub(crate) const LOST: f64 = 1e280;

/// What one condition measures.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Reading {
    pub(crate) distance: f64,
    /// Left side minus right side, of the comparison that counts: what a root finder drives to 0.
    pub(crate) gap: f64,
}

impl Reading {
    pub(crate) const HOLDS: Reading = Reading {
        distance: 0.0,
        gap: 0.0,
    };
    pub(crate) const LOST: Reading = Reading {
        distance: LOST,
        gap: 0.0,
    };
    pub(crate) const UNREACHED: Reading = Reading {
        distance: UNREACHED,
        gap: 0.0,
    };
    /// Wrong, and nothing says how far.
    const OFF: Reading = Reading {
        distance: 1.0,
        gap: 0.0,
    };

    fn new(distance: f64, gap: f64) -> Reading {
        let finite = |x: f64| {
            if x.is_nan() {
                LOST
            } else {
                x.clamp(-LOST, LOST)
            }
        };
        Reading {
            distance: finite(distance),
            gap: finite(gap),
        }
    }
}

/// How much an unsatisfied condition adds to the score that the searches make smaller: about the number of bits that its
/// distance has, so that one far condition does not hide what another gains.
pub(crate) fn weight(distance: f64) -> f64 {
    match distance {
        0.0 => 0.0,
        far => 1.0 + (1.0 + far * 4_294_967_296.0).log2(),
    }
}

#[derive(Clone, Copy, Debug)]
enum Measure {
    /// One register of width 1.
    Truth,
    Equal,
    /// Equality of what bit operations made.
    Bits,
    Unsigned {
        strict: bool,
    },
    Signed {
        strict: bool,
    },
    FloatEqual,
    FloatLess {
        strict: bool,
    },
    Unordered,
}

#[derive(Clone, Copy, Debug)]
enum Mark {
    Leaf {
        measure: Measure,
        wanted: bool,
        a: u32,
        b: u32,
        width: u16,
    },
    Sum {
        from: u32,
        to: u32,
    },
    Least {
        from: u32,
        to: u32,
    },
}

/// A compiled distance; the last mark is the condition's.
#[derive(Clone, Debug, Default)]
pub(crate) struct Gauge {
    marks: Vec<Mark>,
    /// Operands of sums and minima.
    parts: Vec<u32>,
}

impl Gauge {
    /// Room that [`Gauge::read`] needs.
    pub(crate) fn len(&self) -> usize {
        self.marks.len()
    }

    /// The reading under these registers.
    pub(crate) fn read(&self, registers: &[u64], scratch: &mut [Reading]) -> Reading {
        for (i, mark) in self.marks.iter().enumerate() {
            let parts = |from: u32, to: u32| {
                self.parts[from as usize..to as usize]
                    .iter()
                    .map(|&p| p as usize)
            };
            scratch[i] = match *mark {
                Mark::Leaf {
                    measure,
                    wanted,
                    a,
                    b,
                    width,
                } => leaf(measure, wanted, registers, a, b, width),
                Mark::Sum { from, to } => {
                    let mut sum = Reading::HOLDS;
                    let mut worst = 0.0;
                    for part in parts(from, to).map(|p| scratch[p]) {
                        sum.distance = (sum.distance + part.distance).min(LOST);
                        if part.distance > worst {
                            (worst, sum.gap) = (part.distance, part.gap);
                        }
                    }
                    sum
                }
                Mark::Least { from, to } => {
                    parts(from, to)
                        .map(|p| scratch[p])
                        .fold(Reading::LOST, |least, part| {
                            if part.distance < least.distance {
                                part
                            } else {
                                least
                            }
                        })
                }
            };
        }
        scratch[self.marks.len() - 1]
    }
}

fn leaf(measure: Measure, wanted: bool, registers: &[u64], a: u32, b: u32, width: u16) -> Reading {
    match measure {
        Measure::Truth if (registers[a as usize] == 1) == wanted => Reading::HOLDS,
        Measure::Truth => Reading::OFF,
        Measure::FloatEqual | Measure::FloatLess { .. } | Measure::Unordered => floats(
            measure,
            wanted,
            load(registers, a, width),
            load(registers, b, width),
            width,
        ),
        _ if width <= 64 => {
            let (a, b) = (registers[a as usize], registers[b as usize]);
            let (x, y) = (narrow::signed(a, width), narrow::signed(b, width));
            let around = narrow::signed(a.wrapping_sub(b) & narrow::mask(width), width) as f64;
            let unsigned = if a >= b {
                (a - b) as f64
            } else {
                -((b - a) as f64)
            };
            let gap = x.abs_diff(y) as f64;
            let signed = if x >= y { gap } else { -gap };
            integers(
                measure,
                wanted,
                (a ^ b).count_ones(),
                [around, unsigned, signed],
            )
        }
        _ => {
            let (a, b) = (load(registers, a, width), load(registers, b, width));
            let (x, y) = (wide::signed(a, width), wide::signed(b, width));
            let around = wide::signed(a.wrapping_sub(b) & wide::mask(width), width) as f64;
            let unsigned = if a >= b {
                (a - b) as f64
            } else {
                -((b - a) as f64)
            };
            let gap = x.abs_diff(y) as f64;
            let signed = if x >= y { gap } else { -gap };
            integers(
                measure,
                wanted,
                (a ^ b).count_ones(),
                [around, unsigned, signed],
            )
        }
    }
}

/// Integers, by their differences around the circle, as unsigned and as signed numbers.
fn integers(
    measure: Measure,
    wanted: bool,
    different: u32,
    [around, unsigned, signed]: [f64; 3],
) -> Reading {
    let (gap, strict) = match measure {
        Measure::Unsigned { strict } => (unsigned, strict),
        Measure::Signed { strict } => (signed, strict),
        _ => {
            return match (wanted, different) {
                (true, 0) | (false, 1..) => Reading::HOLDS,
                (false, 0) => Reading::OFF,
                _ if matches!(measure, Measure::Bits) => Reading::new(different.into(), around),
                _ => Reading::new(around.abs(), around),
            };
        }
    };
    let holds = if strict { gap < 0.0 } else { gap <= 0.0 };
    match (holds == wanted, strict == wanted) {
        (true, _) => Reading::HOLDS,
        // a < b that fails needs a step beyond equality, and so does a ≤ b that must not hold.
        (false, true) => Reading::new(gap.abs() + 1.0, if wanted { gap + 1.0 } else { gap - 1.0 }),
        (false, false) => Reading::new(gap.abs(), gap),
    }
}

/// Place among the floats of its width, in their order; both zeros are 0.
pub(crate) fn ordinal(value: u128, width: u16) -> i128 {
    let (value, sign) = match width {
        x87::BITS => (x87::packed(value), 78),
        _ => (value, width - 1),
    };
    let magnitude = (value & ((1 << sign) - 1)).cast_signed();
    if value >> sign & 1 == 1 {
        -magnitude
    } else {
        magnitude
    }
}

/// The float at this place.
pub(crate) fn at_ordinal(place: i128, width: u16) -> u128 {
    let sign = if width == x87::BITS { 78 } else { width - 1 };
    let magnitude = place.unsigned_abs() & ((1 << sign) - 1);
    let value = magnitude | u128::from(place < 0) << sign;
    if width == x87::BITS {
        x87::unpacked(value)
    } else {
        value
    }
}

/// The number that a float is, rounded to a double.
pub(crate) fn number(value: u128, width: u16) -> f64 {
    match width {
        32 => f64::from(f32::from_bits(value as u32)),
        64 => f64::from_bits(value as u64),
        _ => x87::to_f64(value),
    }
}

fn order(a: u128, b: u128, width: u16) -> Option<Ordering> {
    if width == x87::BITS {
        return match x87::compare(a, b) {
            x87::Order::Less => Some(Ordering::Less),
            x87::Order::Equal => Some(Ordering::Equal),
            x87::Order::Greater => Some(Ordering::Greater),
            x87::Order::Unordered => None,
        };
    }
    number(a, width).partial_cmp(&number(b, width))
}

fn floats(measure: Measure, wanted: bool, a: u128, b: u128, width: u16) -> Reading {
    let order = order(a, b, width);
    let (holds, strict) = match measure {
        Measure::FloatEqual => (order == Some(Ordering::Equal), false),
        Measure::FloatLess { strict: true } => (order == Some(Ordering::Less), true),
        Measure::FloatLess { strict: false } => (order.is_some_and(Ordering::is_le), false),
        _ => (order.is_none(), false),
    };
    if holds == wanted {
        return Reading::HOLDS;
    }
    if order.is_none() || matches!(measure, Measure::Unordered) {
        return Reading::LOST;
    }
    if matches!(measure, Measure::FloatEqual) && !wanted {
        return Reading::OFF;
    }
    // Beside the difference counts how many floats are between, in parts of all: they tell tiny numbers apart.
    let gap = number(a, width) - number(b, width);
    let gap = if gap.is_nan() { 0.0 } else { gap };
    let between = (ordinal(a, width) - ordinal(b, width)).unsigned_abs() as f64;
    let beyond = f64::from(u8::from(strict == wanted));
    let least = (-f64::from(width)).exp2();
    Reading::new(
        gap.abs() + (between.max(1.0 - beyond) + beyond) * least,
        gap,
    )
}
