//! Constraints that compare one term with constants: exact sets of values.
//!
//! A long path over few integers constrains each of them hundreds of times, always against constants. The values that
//! all these leave to the term are a union of ranges, which sorting finds; a local search that attacks one constraint
//! at a time does not, and a decision procedure takes milliseconds for each hundred of them.
//!
//! Must hold: a set contains every value that its term takes under an assignment that satisfies the roots, so an empty
//! one proves that there is none. The value that is proposed satisfies every constraint on its term that was
//! understood, and is the nearest such value to the present one; it is a guess for whatever else the roots say.

use std::collections::BTreeMap;

use super::invert::Wishes;
use crate::eval::{Tape, mask, sign_bit};
use crate::{Op, pool::Tag};

/// What the comparisons with constants leave.
pub(crate) enum Left {
    /// Some term has no value.
    Nothing,
    /// Values to wish for, for the terms that have to change; none when no constraint was understood.
    Wishes(Wishes),
}

/// A range of values, both ends included.
type Range = (u128, u128);

/// Looks at all roots of a tape; `values` are those of its steps under the hint.
pub(crate) fn left(tape: &Tape, values: &[u128]) -> Left {
    let mut excluded: BTreeMap<u32, Vec<Range>> = BTreeMap::new();
    let mut constant = vec![None; tape.steps.len()];
    for &(place, value) in &tape.constants {
        constant[place as usize] = Some(value);
    }
    for &root in &tape.roots {
        if let Some((place, ranges)) = understood(tape, &constant, root) {
            excluded.entry(place).or_default().extend(ranges);
        }
    }
    let mut wishes = Wishes::new();
    for (place, mut ranges) in excluded {
        let now = values[place as usize];
        match nearest(&mut ranges, tape.steps[place as usize].bits, now) {
            None => return Left::Nothing,
            Some(value) if value != now => wishes.push((place, value)),
            Some(_) => {}
        }
    }
    Left::Wishes(wishes)
}

/// The step that a root compares with a constant, and the values that the root forbids it.
fn understood(
    tape: &Tape,
    constant: &[Option<u128>],
    root: u32,
) -> Option<(u32, impl Iterator<Item = Range>)> {
    let (mut at, mut wanted) = (root, true);
    while tape.steps[at as usize].tag == Tag::Op(Op::Not) {
        at = tape.steps[at as usize].a;
        wanted = !wanted;
    }
    let step = tape.steps[at as usize];
    let Tag::Op(op) = step.tag else { return None };
    let (op, place, bound, left) = match op {
        Op::Eq | Op::Ult | Op::Ule | Op::Slt | Op::Sle => {
            match (constant[step.a as usize], constant[step.b as usize]) {
                (None, Some(bound)) => (op, step.a, bound, true),
                (Some(bound), None) => (op, step.b, bound, false),
                _ => return None,
            }
        }
        // How a comparison with the middle is written: the highest bit.
        Op::Extract if step.bits == 1 && u16::from(step.aux) + 1 == step.width => {
            (Op::Ule, step.a, sign_bit(step.width), false)
        }
        _ => return None,
    };
    // The signed order is the unsigned one with the sign flipped.
    let flip = match op {
        Op::Slt | Op::Sle => sign_bit(step.width),
        _ => 0,
    };
    let (bound, top) = (bound ^ flip, mask(step.width));
    let below = || bound.checked_sub(1).map(|high| (0, high));
    let above = || (bound < top).then(|| (bound + 1, top));
    let holds = match (op, left) {
        (Op::Eq, _) => Some((bound, bound)),
        (Op::Ult | Op::Slt, true) => below(),
        (Op::Ult | Op::Slt, false) => above(),
        (_, true) => Some((0, bound)),
        (_, false) => Some((bound, top)),
    };
    let forbidden = if wanted {
        complement(holds, top)
    } else {
        [holds, None]
    };
    let ranges = forbidden.into_iter().flatten();
    Some((place, ranges.flat_map(move |range| unflip(range, flip))))
}

/// What a range leaves of all values up to `top`.
fn complement(range: Option<Range>, top: u128) -> [Option<Range>; 2] {
    let Some((low, high)) = range else {
        return [Some((0, top)), None];
    };
    let below = low.checked_sub(1).map(|end| (0, end));
    [below, (high < top).then(|| (high + 1, top))]
}

/// A range of values with their signs flipped, as at most two ranges of values.
fn unflip((low, high): Range, flip: u128) -> impl Iterator<Item = Range> {
    let parts = if flip == 0 || (low ^ high) & flip == 0 {
        [Some((low ^ flip, high ^ flip)), None]
    } else {
        [
            Some((low ^ flip, (flip - 1) ^ flip)),
            Some((0, high ^ flip)),
        ]
    };
    parts.into_iter().flatten()
}

/// The value that is in none of the ranges and nearest to `now`, the larger of two; `None` when they hold all values of
/// this width.
fn nearest(excluded: &mut [Range], bits: u16, now: u128) -> Option<u128> {
    excluded.sort_unstable();
    let mut best: Option<u128> = None;
    let mut consider = |low: u128, high: u128| {
        let value = now.clamp(low, high);
        if best.is_none_or(|best| value.abs_diff(now) <= best.abs_diff(now)) {
            best = Some(value);
        }
    };
    // The first value behind the ranges so far; none when they reach to the end.
    let mut next = Some(0);
    for &(low, high) in &*excluded {
        let Some(free) = next else { break };
        if free < low {
            consider(free, low - 1);
        }
        next = if high == mask(bits) {
            None
        } else {
            Some(free.max(high + 1))
        };
    }
    if let Some(free) = next {
        consider(free, mask(bits));
    }
    best
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::eval::Scratch;
    use crate::testing::Random;
    use crate::{Assignment, Evaluator, Pool, Term, Var};

    /// Comparisons of `var` with constants near the corners, some negated.
    fn constraint(pool: &mut Pool, random: &mut Random, var: Term) -> Term {
        let bits = pool.width(var);
        let value = random.value(bits);
        let bound = pool.constant(bits, value);
        let op = random.pick(&[Op::Eq, Op::Ult, Op::Ule, Op::Slt, Op::Sle]);
        let term = if random.below(2) == 0 {
            pool.cmp(op, var, bound)
        } else {
            pool.cmp(op, bound, var)
        };
        if random.below(2) == 0 || op == Op::Eq {
            pool.not(term)
        } else {
            term
        }
    }

    /// All values of one byte tried: the proposal is right and nearest, and nothing is left only when there is nothing.
    #[test]
    fn every_value_of_a_byte() {
        let (mut nothing, mut found) = (0, 0);
        for seed in 0..3000 {
            let mut random = Random::new(seed);
            let mut pool = Pool::new();
            let var = pool.var(Var(0), 8);
            let count = 1 + random.below(6);
            let made = (0..count).map(|_| constraint(&mut pool, &mut random, var));
            let mut roots: Vec<Term> = made.collect();
            roots.retain(|&root| pool.is_symbolic(root));
            if roots.is_empty() {
                continue;
            }
            let good: Vec<u128> = (0..256)
                .filter(|&value| {
                    let assignment: Assignment = [(Var(0), value)].into_iter().collect();
                    let mut evaluator = Evaluator::new(&pool, &assignment);
                    roots.iter().all(|&root| evaluator.value(root) == 1)
                })
                .collect();
            let tape = Tape::new(&pool, &roots, &mut Scratch::default());
            let now = random.value(8);
            let mut values = tape.blank();
            tape.run(&mut values, |_| now);
            match left(&tape, &values) {
                Left::Nothing => {
                    nothing += 1;
                    assert_eq!(good, [], "seed {seed}");
                }
                Left::Wishes(wishes) => {
                    found += 1;
                    let value = wishes.first().map_or(now, |wish| wish.1);
                    let distance = good.iter().map(|good| good.abs_diff(now)).min();
                    assert_eq!(Some(value.abs_diff(now)), distance, "seed {seed}");
                    assert!(good.contains(&value), "seed {seed}");
                }
            }
        }
        assert!(nothing > 300 && found > 1000, "{nothing} {found}");
    }
}
