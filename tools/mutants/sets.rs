//! Which mutants of sets of numbers (`num`, `arith`, `real`) say less than the code does, the same, or more: every function that others
//! call is asked of the same random sets, with the mutant and without. More is what may be wrong, and is held against numbers.
//!
//! A part of the tests of `values` in the copy that `tools/mutants-at-once.sh` makes. Sets are made, and compared, with no mutant.

use std::panic::{AssertUnwindSafe, catch_unwind};

use program::{BinOp, CastOp, FBinOp, FCmp, ICmp, Intrinsic};

use super::mutants::each;
use crate::arith::{self, tests::machine};
use crate::mutants_active::choose;
use crate::num::{Num, mask, signed};
use crate::real::{self, Format, Outcomes, Real};

/// What a function says.
#[derive(Clone, Debug, PartialEq)]
enum Said {
    Num(Option<Num>),
    Real(Option<Real>),
    /// Intervals with strides.
    Unsigned(Vec<(u128, u128, u128)>),
    Signed(Vec<(i128, i128, u128)>),
    /// All of them, or nothing.
    All(Option<Vec<u128>>),
    /// Something that is said if it is true.
    Truth(bool),
}

impl Said {
    /// Whether the other says nothing that this does not: this is wider, or the same.
    fn includes(&self, other: &Said) -> bool {
        match (self, other) {
            (Said::Num(wide), Said::Num(own)) => own.as_ref().is_none_or(|own| {
                wide.as_ref().is_some_and(|wide| {
                    wide.bits() == own.bits() && probes(own, wide).into_iter().all(|value| wide.contains(value))
                })
            }),
            (Said::Real(wide), Said::Real(own)) => own.as_ref().is_none_or(|own| {
                wide.as_ref().is_some_and(|wide| wide.format() == own.format() && wide.join(own) == *wide)
            }),
            (Said::Unsigned(wide), Said::Unsigned(own)) => {
                let inside = |value: u128| wide.iter().any(|(lo, hi, stride)| *lo <= value && value <= *hi && (value - lo).is_multiple_of(*stride));
                own.iter().all(|(lo, hi, stride)| {
                    let steps = (hi - lo) / stride;
                    near(steps).into_iter().all(|step| inside(lo + step * stride))
                })
            }
            (Said::Signed(wide), Said::Signed(own)) => {
                let inside = |value: i128| {
                    wide.iter().any(|(lo, hi, stride)| {
                        *lo <= value && value <= *hi && (value.wrapping_sub(*lo) as u128).is_multiple_of(*stride)
                    })
                };
                own.iter().all(|(lo, hi, stride)| {
                    let steps = hi.wrapping_sub(*lo) as u128 / stride;
                    near(steps).into_iter().all(|step| inside(lo.wrapping_add((step * stride) as i128)))
                })
            }
            (Said::All(wide), Said::All(own)) => match (wide, own) {
                (None, _) => true,
                (Some(_), None) => false,
                (Some(wide), Some(own)) => own.iter().all(|value| wide.contains(value)),
            },
            (Said::Truth(wide), Said::Truth(own)) => !wide || *own,
            _ => false,
        }
    }
}

/// Some steps of so many: the ends, and what is between.
fn near(steps: u128) -> Vec<u128> {
    if steps < 300 {
        return (0..=steps).collect();
    }
    let mut some: Vec<u128> = (0..8).flat_map(|at| [at, steps - at]).collect();
    some.extend((1..32).map(|part| steps / 32 * part + part).filter(|step| *step <= steps));
    some
}

/// Numbers of a set: all if they are few, else some, and those that are next to the ends of another.
fn probes(own: &Num, wide: &Num) -> Vec<u128> {
    if let Some(values) = own.values() {
        return values.to_vec();
    }
    let arc = own.around();
    let all = mask(own.bits());
    let mut steps = near(arc.steps);
    let other = wide.around();
    let end = other.start.wrapping_add(other.steps.wrapping_mul(other.stride));
    for at in [other.start, end] {
        let step = (at.wrapping_sub(arc.start) & all) / arc.stride;
        steps.extend((step.saturating_sub(3)..step.saturating_add(3)).filter(|step| *step <= arc.steps));
    }
    let value = |step: u128| arc.start.wrapping_add(step.wrapping_mul(arc.stride)) & all;
    steps.into_iter().map(value).collect()
}

fn numbers(seed: u64) -> impl FnMut(u64) -> u64 {
    let mut state = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
    move |below| {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        (state >> 9) % below.max(1)
    }
}

const WIDTHS: [u32; 11] = [1, 5, 6, 7, 8, 8, 16, 32, 64, 65, 128];

fn edge(bits: u32, random: &mut impl FnMut(u64) -> u64) -> u128 {
    let top = mask(bits);
    let wide = u128::from(random(1 << 50)) << 78 | u128::from(random(1 << 50)) << 30 | u128::from(random(1 << 30));
    let value = match random(9) {
        0 => u128::from(random(9)),
        1 => top - u128::from(random(9)).min(top),
        2 => (top >> 1).wrapping_add(u128::from(random(5))).wrapping_sub(2),
        3 => 1 << random(u64::from(bits)),
        4 => (1u128 << random(u64::from(bits))).wrapping_sub(1),
        5 => u128::from(random(300)),
        6 => wide >> random(127),
        _ => wide,
    };
    value & top
}

/// What a set of numbers is made of.
#[derive(Clone, Debug)]
enum Made {
    List(Vec<u128>),
    Arc(u128, u128, u128),
    Range(u128, u128),
}

impl Made {
    fn random(bits: u32, random: &mut impl FnMut(u64) -> u64) -> Made {
        match random(9) {
            0 => Made::List(vec![edge(bits, random)]),
            1 | 2 => Made::List((0..random(6) + 1).map(|_| edge(bits, random)).collect()),
            3 => Made::List((0..60 + random(40)).map(|_| edge(bits, random)).collect()),
            4 => Made::Range(0, mask(bits)),
            5 => {
                let (a, b) = (edge(bits, random), edge(bits, random));
                Made::Range(a.min(b), a.max(b))
            }
            6 => {
                let stride = [1, 2, 3, 8, 256][random(5) as usize];
                Made::Arc(edge(bits, random), u128::from(random(100)) * stride, stride)
            }
            _ => {
                let stride = [1, 1, 1, 2, 3, 4, 7, 16, 1000][random(9) as usize];
                Made::Arc(edge(bits, random), edge(bits, random), stride)
            }
        }
    }

    fn num(&self, bits: u32) -> Num {
        match self {
            Made::List(values) => Num::list(bits, values.iter().copied()),
            Made::Arc(start, span, stride) => Num::arc(bits, *start, *span, *stride),
            Made::Range(lo, hi) => Num::range(bits, *lo, *hi),
        }
    }
}

/// Two sets of one width.
struct Nums {
    bits: u32,
    made: Made,
    a: Num,
    b: Num,
    values: Vec<u128>,
}

impl Nums {
    fn random(seed: u64) -> Nums {
        let mut random = numbers(seed + 1);
        let bits = WIDTHS[random(11) as usize];
        let (made, other) = (Made::random(bits, &mut random), Made::random(bits, &mut random));
        let (a, b) = (made.num(bits), other.num(bits));
        let mut values = probes(&a, &b);
        values.truncate(12);
        values.extend(probes(&b, &a).into_iter().take(12));
        values.extend((0..12).map(|_| edge(bits, &mut random)));
        Nums { bits, made, a, b, values }
    }

    fn said(&self, kind: usize) -> Vec<Said> {
        let (a, b, bits) = (&self.a, &self.b, self.bits);
        let thresholds = [-(1 << 40), -5, 0, 3, 10, 100, 1 << 33, 1 << 70];
        match kind {
            0 => BinOp::ALL.iter().map(|op| Said::Num(arith::bin(*op, a, b))).collect(),
            1 => ICmp::ALL.iter().map(|pred| Said::Num(arith::refine(*pred, a, b))).collect(),
            2 => {
                let mut all = Vec::new();
                for to in [1, 5, 8, 16, 32, 64, 65, 128] {
                    let ops = match to > bits {
                        true => &[CastOp::ZExt, CastOp::SExt][..],
                        false => &[CastOp::Trunc],
                    };
                    all.extend(ops.iter().map(|op| Said::Num(Some(arith::cast(*op, a, to)))));
                }
                all
            }
            3 => {
                let both = [a.clone(), b.clone()];
                // Where nothing is known, anything is said.
                let or_any = |num: Option<Num>| Said::Num(Some(num.unwrap_or_else(|| Num::any(bits))));
                let one = [Intrinsic::Abs, Intrinsic::Ctpop, Intrinsic::Ctlz, Intrinsic::Cttz];
                let two = [Intrinsic::SMin, Intrinsic::SMax, Intrinsic::UMin, Intrinsic::UMax, Intrinsic::Expect];
                let one = one.into_iter().map(|op| or_any(arith::intrinsic(op, &both[..1])));
                one.chain(two.into_iter().map(|op| or_any(arith::intrinsic(op, &both)))).collect()
            }
            4 => vec![
                Said::Num(Some(a.join(b))),
                Said::Num(a.meet(b)),
                Said::Num(Some(a.widen(b, &thresholds))),
                Said::Num(Some(a.widen(b, &[]))),
                Said::Num(Some(self.made.num(bits))),
                Said::Num(Some(Num::any(bits))),
                Said::Num(Some(Num::constant(bits, self.values[0]))),
                Said::Truth(a.includes(b)),
                Said::Truth(a == b),
            ],
            5 => self.values.iter().map(|value| Said::Num(a.without(*value))).collect(),
            6 => {
                let unsigned = |parts: Vec<crate::num::Part<u128>>| parts.into_iter().map(|part| (part.lo, part.hi, part.stride)).collect();
                let signed = |parts: Vec<crate::num::Part<i128>>| parts.into_iter().map(|part| (part.lo, part.hi, part.stride)).collect();
                let ((lo, hi), (least, most)) = (a.unsigned_bounds(), a.signed_bounds());
                let around = a.around();
                let around = Num::arc(bits, around.start, around.steps.saturating_mul(around.stride), around.stride);
                let mut all = vec![
                    Said::Unsigned(unsigned(a.unsigned_parts())),
                    Said::Signed(signed(a.signed_parts())),
                    Said::Unsigned(vec![(lo, hi, 1)]),
                    Said::Signed(vec![(least, most, 1)]),
                    Said::Num(Some(around)),
                    Said::All(a.as_constant().map(|value| vec![value])),
                    Said::All(a.values().map(<[u128]>::to_vec)),
                    Said::All(arith::few(a, 300)),
                ];
                // That a number is not in it is what is said.
                all.extend(self.values.iter().map(|value| Said::Truth(!a.contains(*value))));
                all
            }
            _ => Vec::new(),
        }
    }
}

impl Nums {
    /// Whether what is said of these sets is wrong of some of their numbers.
    fn is_refuted(&self, kind: usize, all: &[Said]) -> bool {
        let (bits, some) = (self.bits, |own: &Num, other: &Num| -> Vec<u128> { probes(own, other).into_iter().take(70).collect() });
        let (xs, ys) = (some(&self.a, &self.b), some(&self.b, &self.a));
        let lacks = |said: &Said, value: u128| match said {
            Said::Num(num) => !num.as_ref().is_some_and(|num| num.contains(value)),
            Said::All(list) => list.as_ref().is_some_and(|list| !list.contains(&value)),
            Said::Unsigned(_) => !said.includes(&Said::Unsigned(vec![(value, value, 1)])),
            Said::Signed(_) => !said.includes(&Said::Signed(vec![(signed(bits, value), signed(bits, value), 1)])),
            _ => false,
        };
        let mut pairs = xs.iter().flat_map(|&x| ys.iter().map(move |&y| (x, y)));
        match kind {
            0 => pairs.any(|(x, y)| {
                let mut ops = BinOp::ALL.iter().zip(all);
                ops.any(|(op, said)| machine(*op, bits, x, y).is_some_and(|value| lacks(said, value)))
            }),
            1 => pairs.any(|(x, y)| ICmp::ALL.iter().zip(all).any(|(pred, said)| pred.holds(bits, x, y) && lacks(said, x))),
            2 => xs.iter().any(|&x| {
                let mut said = all.iter();
                [1, 5, 8, 16, 32, 64, 65, 128].into_iter().any(|to| {
                    let zero = said.next().is_some_and(|said| lacks(said, x & mask(to)));
                    zero || to > bits && said.next().is_some_and(|said| lacks(said, signed(bits, x) as u128 & mask(to)))
                })
            }),
            3 => pairs.any(|(x, y)| {
                let choose = |pred: ICmp| if pred.holds(bits, x, y) { x } else { y };
                let unused = 128 - bits;
                let values = [
                    signed(bits, x).unsigned_abs() & mask(bits),
                    u128::from(x.count_ones()) & mask(bits),
                    u128::from(x.leading_zeros() - unused) & mask(bits),
                    u128::from(x.trailing_zeros().min(bits)) & mask(bits),
                    choose(ICmp::Slt),
                    choose(ICmp::Sgt),
                    choose(ICmp::Ult),
                    choose(ICmp::Ugt),
                    x,
                ];
                values.into_iter().zip(all).any(|(value, said)| lacks(said, value))
            }),
            4 => {
                let both = || xs.iter().chain(&ys);
                let is_any_wrong = self.values.iter().any(|value| lacks(&all[5], *value));
                [0, 2, 3].into_iter().any(|at| both().any(|value| lacks(&all[at], *value)))
                    || both().any(|value| self.a.contains(*value) && self.b.contains(*value) && lacks(&all[1], *value))
                    || xs.iter().any(|value| lacks(&all[4], *value))
                    || is_any_wrong
                    || lacks(&all[6], self.values[0])
                    || all[7] == Said::Truth(true) && ys.iter().any(|value| !self.a.contains(*value))
            }
            5 => self.values.iter().zip(all).any(|(without, said)| xs.iter().any(|x| x != without && lacks(said, *x))),
            6 => {
                xs.iter().any(|x| all[..8].iter().any(|said| lacks(said, *x)))
                    || self.values.iter().zip(&all[8..]).any(|(value, said)| *said == Said::Truth(true) && self.a.contains(*value))
            }
            _ => false,
        }
    }
}

/// Where something happens.
const EDGES: [f64; 36] = [
    0.0, -0.0, 1.0, -1.0, 0.5, -0.5, 1.5, 2.5, -2.5, 0.1, 3.0, 127.0, 255.0, -128.0, 16_777_215.0, 16_777_216.0, 16_777_217.0,
    -16_777_216.0, 2_147_483_647.0, -2_147_483_648.0, 9_007_199_254_740_991.0, 9_007_199_254_740_992.0, -9_007_199_254_740_992.0,
    9_223_372_036_854_775_808.0, 1.8e19, 1e-310, -1e-310, 1e-40, f64::MIN_POSITIVE, 1.2e-38, 3.4e38, -3.5e38, f64::MAX, f64::MIN,
    f64::INFINITY, f64::NEG_INFINITY,
];

fn float(random: &mut impl FnMut(u64) -> u64) -> f64 {
    let value = match random(4) {
        0 | 1 => EDGES[random(36) as usize],
        2 => random(2000) as f64 / 8.0 - 120.0,
        _ => f64::from_bits(random(1 << 54) << 10 ^ random(1 << 20)),
    };
    if value.is_nan() { 1.0 } else { value }
}

struct Reals {
    format: Format,
    sets: [Real; 3],
    num: Num,
    bits: u128,
}

impl Reals {
    fn random(seed: u64) -> Reals {
        let mut random = numbers(seed + 1);
        let format = [Format::Single, Format::Double][random(2) as usize];
        let sets = [0; 3].map(|_| {
            let (a, b) = (Real::constant(format, float(&mut random)), Real::constant(format, float(&mut random)));
            let set = match random(6) {
                0 => a,
                1 => Real::any(format),
                2 => Real::constant(format, f64::NAN),
                3 => a.join(&Real::constant(format, [f64::INFINITY, f64::NEG_INFINITY][random(2) as usize])),
                _ => a.join(&b),
            };
            match random(5) {
                0 => set.join(&Real::constant(format, f64::NAN)),
                _ => set,
            }
        });
        let bits = [8, 16, 32, 64, 33, 65, format.bits(), format.bits()][random(8) as usize];
        let num = Made::random(bits, &mut random).num(bits);
        Reals { format, sets, num, bits: edge(format.bits(), &mut random) }
    }

    fn said(&self, kind: usize) -> Vec<Said> {
        let [a, b, _] = &self.sets;
        let real = |real: Real| Said::Real(Some(real));
        match kind {
            10 => {
                let mut all: Vec<Said> = FBinOp::ALL.iter().map(|op| real(real::bin(*op, a, b))).collect();
                all.extend([real(real::negated(a)), real(real::before_absolute(a))]);
                all
            }
            11 => {
                use Intrinsic::{CopySign, Ceil, FAbs, FMulAdd, Floor, Fma, MaxNum, MinNum, NearbyInt, Rint, Round, RoundEven, Sqrt, Trunc};
                let or_any = |real: Option<Real>| Said::Real(Some(real.unwrap_or(Real::any(self.format))));
                let one = [FAbs, Sqrt, Floor, Ceil, Trunc, Round, RoundEven, Rint, NearbyInt];
                let mut all: Vec<Said> = one.iter().map(|op| or_any(real::intrinsic(*op, &self.sets[..1]))).collect();
                all.extend([CopySign, MinNum, MaxNum].iter().map(|op| or_any(real::intrinsic(*op, &self.sets[..2]))));
                all.extend([Fma, FMulAdd].iter().map(|op| or_any(real::intrinsic(*op, &self.sets))));
                all
            }
            12 => {
                let mut all = Vec::new();
                for pred in FCmp::ALL {
                    let own = Outcomes::of(*pred);
                    for outcomes in [own, own.inverse(), own.swapped(), own.inverse().swapped(), own.with_itself()] {
                        all.extend([Said::Real(outcomes.refined(a, b)), Said::Truth(!outcomes.may_be(a, b))]);
                    }
                }
                all
            }
            13 => {
                let other = [Format::Single, Format::Double][usize::from(self.format == Format::Single)];
                let thresholds = [-(1 << 70), -5, 0, 3, 100, 16_777_217, 1 << 60, i128::MAX];
                let ranges = |real: &Real| real.bit_ranges().into_iter().map(|(lo, hi)| (lo, hi, 1)).collect();
                let mut all = vec![
                    real(a.join(b)),
                    Said::Real(a.meet(b)),
                    real(a.widen(b, &thresholds)),
                    real(a.widen(b, &[])),
                    real(a.resized(other)),
                    Said::Real(if self.format == Format::Double { a.before_extension(Format::Single) } else { None }),
                    Said::Num(Some(a.bits().unwrap_or_else(|| Num::any(self.format.bits())))),
                    Said::Unsigned(ranges(a)),
                    Said::Num(Some(a.size_bits())),
                    real(Real::from_bits(self.format, self.bits)),
                    Said::Truth(a.only().is_some()),
                    Said::Truth(!a.is_any()),
                    Said::Truth(a == b),
                    Said::Truth(Format::of_bits(64) == Some(Format::Double)),
                    Said::Truth(Format::of_bits(32) == Some(Format::Single)),
                    Said::Truth(Format::of_bits(16).is_some()),
                ];
                if self.num.bits() == self.format.bits() {
                    all.push(real(Real::of_size_bits(self.format, &self.num)));
                }
                all
            }
            14 => {
                let mut all = Vec::new();
                for is_signed in [true, false] {
                    all.push(real(Real::from_int(self.format, &self.num, is_signed)));
                    for bits in [1, 8, 16, 32, 33, 63, 64, 65] {
                        all.push(Said::Num(a.before_conversion(bits, is_signed)));
                        all.push(Said::Num(Some(a.to_int(bits, is_signed))));
                    }
                }
                all
            }
            _ => Vec::new(),
        }
    }
}

/// A word for a mutant, as `sort_mutants` has them: what is `smaller` is left to the tests.
#[test]
fn sort_sets() {
    let kinds = (0..7).chain(10..15);
    let asked = |name: &str, other: u64| {
        let text = std::env::var(name).ok();
        text.and_then(|text| text.parse().ok()).unwrap_or(other)
    };
    if std::env::var("MUTANTS").is_err() {
        return;
    }
    let (first, seeds) = (asked("MUTANT_FIRST", 1), asked("MUTANT_SEEDS", 2000));
    let nums: Vec<Nums> = (first..first + seeds).map(Nums::random).collect();
    let reals: Vec<Reals> = (first..first + seeds).map(Reals::random).collect();
    let ask = |kind: usize, at: usize| if kind < 10 { nums[at].said(kind) } else { reals[at].said(kind) };
    let known: Vec<Vec<Vec<Said>>> = kinds.clone().map(|kind| (0..nums.len()).map(|at| ask(kind, at)).collect()).collect();
    each(|id| {
        let (mut is_same, mut suspect) = (true, None);
        for (kind, known) in kinds.clone().zip(&known) {
            for (at, own) in known.iter().enumerate() {
                choose(id);
                let found = catch_unwind(AssertUnwindSafe(|| ask(kind, at)));
                choose(0);
                let Ok(found) = found else {
                    return format!("panics {kind} {at}");
                };
                let mut is_smaller = false;
                for (function, (wide, own)) in found.iter().zip(own).enumerate() {
                    if !wide.includes(own) {
                        suspect.get_or_insert(format!("smaller {kind}.{function} {at}"));
                        is_smaller = true;
                    }
                    is_same &= wide == own;
                }
                if is_smaller && kind < 10 && nums[at].is_refuted(kind, &found) {
                    return format!("caught {kind} {at}");
                }
            }
        }
        match suspect {
            Some(suspect) => suspect,
            None if is_same => "same".to_owned(),
            None => "wider".to_owned(),
        }
    });
}
