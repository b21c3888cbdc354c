//! Values of steps, for quick contradictions: steps that take few values, and the roots that depend on nothing else.
//!
//! A pointer that a search through an input found, a remainder, a masked value take some dozens of values, whatever the
//! many variables behind them are. Such a step is a *pivot*. A root that is computed from one pivot and constants alone
//! forbids some of its values. What is left of these is for [`super::domain`] to go on from; when nothing is, the roots
//! contradict each other.
//!
//! Must hold: a pivot's list has every value that its step can take. Nothing else is concluded.

use std::collections::BTreeMap;

use crate::Op;
use crate::eval::{Step, Tape, compute};
use crate::pool::Tag;

/// Most values of a pivot: a place in a window of 128 bytes, or none.
const MOST: usize = 130;
/// Most bits that a pivot made of arbitrary bits may have.
const FREE_BITS: u32 = 6;
/// Values computed for one query.
const EFFORT: usize = 400_000;

/// The step can have no value.
pub(crate) struct Empty;

/// What is known of the value of a step.
enum Known {
    Nothing,
    Constant(u128),
    /// For each value of the pivot at this place, the value of the step, if it is known.
    By(u32, Vec<Option<u128>>),
}

impl Known {
    /// Adds all values; `None` when they are not known.
    fn add_to(&self, all: &mut Vec<u128>) -> Option<()> {
        match self {
            Known::Nothing => return None,
            Known::Constant(value) => all.push(*value),
            Known::By(_, values) => {
                for value in values {
                    all.push((*value)?);
                }
            }
        }
        Some(())
    }

    /// The value under the n-th value of a pivot.
    fn under(&self, pivot: u32, index: usize) -> Option<u128> {
        match self {
            Known::Constant(value) => Some(*value),
            Known::By(at, values) if *at == pivot => values[index],
            _ => None,
        }
    }
}

/// A pivot whose values the roots confine.
pub(crate) struct Confined {
    /// Its step.
    pub(crate) place: u32,
    /// Of the values that are left.
    pub(crate) least: u128,
    pub(crate) greatest: u128,
}

/// What pivots say about the tape's roots.
pub(crate) fn confined(tape: &Tape) -> Result<Vec<Confined>, Empty> {
    let Some(known) = all_known(tape) else {
        return Ok(Vec::new());
    };
    let mut possible: BTreeMap<u32, Vec<bool>> = BTreeMap::new();
    for &root in &tape.roots {
        match &known[root as usize] {
            Known::Constant(0) => return Err(Empty),
            Known::Constant(_) | Known::Nothing => {}
            Known::By(pivot, values) => {
                let possible = possible
                    .entry(*pivot)
                    .or_insert_with(|| vec![true; values.len()]);
                for (possible, value) in possible.iter_mut().zip(values) {
                    *possible &= *value != Some(0);
                }
            }
        }
    }
    let left = |(place, possible): (u32, Vec<bool>)| {
        let mut left = Vec::new();
        known[place as usize].add_to(&mut left);
        let mut flags = possible.into_iter();
        left.retain(|_| flags.next() == Some(true));
        Ok(Confined {
            place,
            least: *left.iter().min().ok_or(Empty)?,
            greatest: *left.iter().max().ok_or(Empty)?,
        })
    };
    possible.into_iter().map(left).collect()
}

/// What is known of each step; `None`: the effort is spent.
fn all_known(tape: &Tape) -> Option<Vec<Known>> {
    let mut known: Vec<Known> = Vec::with_capacity(tape.steps.len());
    let mut constants = tape.constants.iter().peekable();
    let mut left = EFFORT;
    for (place, step) in (0_u32..).zip(&tape.steps) {
        let here = match constants.next_if(|(at, _)| *at == place) {
            Some((_, value)) => Known::Constant(*value),
            None => forward(tape, step, place, &known),
        };
        let work = match &here {
            Known::By(_, values) => values.len(),
            _ => 1,
        };
        left = left.checked_sub(work)?;
        known.push(here);
    }
    Some(known)
}

fn forward(tape: &Tape, step: &Step, place: u32, known: &[Known]) -> Known {
    if step.tag == Tag::Var {
        return Known::Nothing;
    }
    if let Some(derived) = derived(tape, step, known) {
        return derived;
    }
    match pivot(tape, step, known) {
        Some(mut values) => {
            values.sort_unstable();
            values.dedup();
            if values.len() > MOST {
                return Known::Nothing;
            }
            Known::By(place, values.into_iter().map(Some).collect())
        }
        None => Known::Nothing,
    }
}

/// The values of a step under each value of the first pivot that one of its operands depends on.
fn derived(tape: &Tape, step: &Step, known: &[Known]) -> Option<Known> {
    let decides = match step.tag {
        // An index or a condition chooses among the other operands, which need not be known.
        Tag::Table | Tag::Op(Op::Ite) => &known[step.a as usize],
        _ => tape
            .operands(step)
            .map(|operand| &known[operand as usize])
            .find(|known| matches!(known, Known::By(..)))
            .unwrap_or(&known[step.a as usize]),
    };
    let (pivot, count) = match decides {
        Known::Nothing => return None,
        Known::Constant(_) => (u32::MAX, 1),
        Known::By(pivot, values) => (*pivot, values.len()),
    };
    let value = |operand: u32, index: usize| known[operand as usize].under(pivot, index);
    let compute = |index: usize| match step.tag {
        Tag::Table => {
            let table = &tape.tables[step.b as usize];
            let last = table.len() - 1;
            let at = usize::try_from(value(step.a, index)?).map_or(last, |at| at.min(last));
            value(table[at], index)
        }
        Tag::Op(Op::Ite) => match value(step.a, index)? {
            1 => value(step.b, index),
            _ => value(step.c, index),
        },
        Tag::Op(op) => {
            let operand = |number: usize, at: u32| match op.arity() > number {
                true => value(at, index),
                false => Some(0),
            };
            let operands = [
                operand(0, step.a)?,
                operand(1, step.b)?,
                operand(2, step.c)?,
            ];
            Some(compute(op, step.bits, step.aux, step.width, operands))
        }
        _ => None,
    };
    let values: Vec<Option<u128>> = (0..count).map(compute).collect();
    match decides {
        Known::Constant(_) => values[0].map(Known::Constant),
        _ if values.iter().all(Option::is_none) => None,
        _ => Some(Known::By(pivot, values)),
    }
}

/// All values of a step that is a pivot of its own; there may be repetitions.
fn pivot(tape: &Tape, step: &Step, known: &[Known]) -> Option<Vec<u128>> {
    let constant = |place: u32| match known[place as usize] {
        Known::Constant(value) => Some(value),
        _ => None,
    };
    let op = match step.tag {
        Tag::Table => return union(&tape.tables[step.b as usize], known),
        Tag::Op(op) => op,
        _ => return None,
    };
    match op {
        Op::Ite => union(&[step.b, step.c], known),
        Op::URem => {
            let count = constant(step.b).filter(|&count| (1..=MOST as u128).contains(&count))?;
            Some((0..count).collect())
        }
        Op::And => {
            let bits = constant(step.a).or_else(|| constant(step.b))?;
            (bits.count_ones() <= FREE_BITS).then(|| subsets(bits))
        }
        Op::Extract if (2..=FREE_BITS).contains(&u32::from(step.bits)) => {
            Some((0..1 << step.bits).collect())
        }
        _ => None,
    }
}

/// The values of several steps together.
fn union(places: &[u32], known: &[Known]) -> Option<Vec<u128>> {
    let mut all = Vec::new();
    for &place in places {
        known[place as usize].add_to(&mut all)?;
        if all.len() > 2 * MOST {
            all.sort_unstable();
            all.dedup();
            if all.len() > MOST {
                return None;
            }
        }
    }
    Some(all)
}

/// All numbers whose bits are among these.
fn subsets(bits: u128) -> Vec<u128> {
    let mut all = vec![0];
    let mut subset = bits;
    while subset != 0 {
        all.push(subset);
        subset = (subset - 1) & bits;
    }
    all
}

#[cfg(test)]
mod tests {
    use super::super::domain;
    use super::*;
    use crate::eval::Scratch;
    use crate::{Pool, Term, Var};

    fn check(pool: &Pool, roots: &[Term]) -> bool {
        domain::contradiction(&Tape::new(pool, roots, &mut Scratch::default()))
    }

    /// A pointer to the first `\` of four bytes, or none.
    #[test]
    fn a_pointer_that_is_not_null_points_into_its_object() {
        let mut pool = Pool::plain();
        let slash = pool.constant(8, 0x5c);
        let mut found = pool.constant(64, 0);
        for index in (0..4).rev() {
            let byte = pool.var(Var(index), 8);
            let here = pool.eq(byte, slash);
            let at = pool.constant(64, 0x1000 + u128::from(index));
            found = pool.ite(here, at, found);
        }
        let (null, base, last) = (
            pool.constant(64, 0),
            pool.constant(64, 0x1000),
            pool.constant(64, 3),
        );
        let none = pool.eq(found, null);
        let some = pool.not(none);
        let offset = pool.bin(Op::Sub, found, base);
        let outside = pool.cmp(Op::Ult, last, offset);
        let first = pool.eq(found, base);
        assert!(check(&pool, &[some, outside]));
        assert!(!check(&pool, &[outside]));
        assert!(!check(&pool, &[some, first]));
        assert!(check(&pool, &[none, first]));
    }

    #[test]
    fn a_remainder_is_one_of_a_few() {
        let mut pool = Pool::plain();
        let (x, y) = (pool.var(Var(0), 32), pool.var(Var(1), 32));
        let product = pool.bin(Op::Mul, x, y);
        let eleven = pool.constant(32, 11);
        let bucket = pool.bin(Op::URem, product, eleven);
        let entries = (0..11).map(|at| pool.constant(8, at % 2)).collect();
        let entry = pool.table(bucket, entries);
        let (zero, odd, ten) = (
            pool.constant(8, 0),
            pool.constant(8, 1),
            pool.constant(32, 9),
        );
        let is_odd = pool.eq(entry, odd);
        let is_zero = pool.eq(entry, zero);
        let is_last = pool.cmp(Op::Ult, ten, bucket);
        assert!(check(&pool, &[is_odd, is_last]));
        assert!(!check(&pool, &[is_zero, is_last]));
        assert!(check(&pool, &[is_odd, is_zero]));
    }
}
