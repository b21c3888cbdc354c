//! Decoded text: inputs for a comparison with text that the program computed, each byte of it from several bytes of the input
//! (hexadecimal digits, `%41`, letters that were folded).
//!
//! The solver flips such a comparison only on the path that led to it, and a decoder takes another for each kind of digit. But what
//! one byte of the input does to a byte of text is a function of 256 values, and runs show it piece by piece: a run's expression, with
//! the conditions on that byte alone, says it for all values of one kind. Where the bytes of input decide different bits, the text that
//! is wanted is put together bit by bit; what has been learned of one place in a group holds, shifted, of the others. Where too little
//! is known for a text, characters of other kinds are tried in its first group, once: `a` says what all letters do there.
//!
//! These inputs are guesses, as all of [`crate::matching`]'s. Must hold: the order depends on nothing but the runs.

use std::collections::BTreeMap;
use std::sync::Arc;

use smt::{Assignment, Pool, Term, Values, Var};

use crate::wishes::Splice;
use path::InputVector;
use path::vars::{input_of, var_of};
use path::{Compared, Run, Step};

/// Bytes of input for one of text, at most.
const MOST_PLACES: u32 = 8;
/// Bytes of one text that are learned from.
const MOST_READ: usize = 32;
/// Texts that wait until enough is known.
const MOST_WAITING: usize = 64;

/// One character of each kind that decoders tell apart: letters within and beyond hexadecimal, digits, and what the alphabets of base
/// 64 end with.
const KINDS: [u8; 10] = *b"aAzZ09+/-_";

/// What a byte at one place of a group does.
#[derive(Debug, Default)]
struct Part {
    /// The byte of text for each value; only the bits of the mask are this place's.
    text: BTreeMap<u8, u8>,
    mask: u8,
    /// Characters of other kinds were tried.
    is_tried: bool,
}

impl Part {
    /// A value that gives these bits.
    fn value_for(&self, wanted: u8) -> Option<u8> {
        let fits = |&(_, text): &(&u8, &u8)| (text ^ wanted) & self.mask == 0;
        self.text.iter().find(fits).map(|(&value, _)| value)
    }

    fn knows(&self, value: u8, text: u8) -> bool {
        let known = self.text.get(&value);
        known.is_some_and(|known| (known ^ text) & self.mask == 0)
    }
}

/// Where the input is that a text was computed from: groups of so many bytes, one behind the other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Layout {
    stream: u32,
    first: u32,
    group: u32,
}

/// A text that is wanted.
#[derive(Clone, Debug)]
struct Wanted {
    input: Arc<InputVector>,
    layout: Layout,
    /// Groups that are there.
    groups: u32,
    /// A byte of text that was computed, for bits that no input decides.
    sample: u8,
    text: Box<[u8]>,
}

/// What bytes of the input do to bytes of decoded text, as runs have shown, and comparisons that wait for more of it.
#[derive(Debug, Default)]
pub(crate) struct Decoding {
    /// By the size of the group, and the place in it.
    parts: BTreeMap<(u32, u32), Part>,
    waiting: Vec<Wanted>,
}

impl Decoding {
    /// A run made this comparison: inputs that are worth a run now, made of the one that is given.
    pub(crate) fn note(
        &mut self,
        pool: &Pool,
        run: &Run,
        input: &Arc<InputVector>,
        compared: &Compared,
        is_new: bool,
    ) -> Vec<(Arc<InputVector>, Splice)> {
        let Some(layout) = layout(pool, &compared.text) else {
            return Vec::new();
        };
        let mut assignment = run.input.assignment();
        let sample = Values::default().value(pool, &assignment, compared.text[0]) as u8;
        let more = self.learn(pool, run, (layout, &compared.text), &mut assignment);
        if !more && !is_new {
            return Vec::new();
        }
        self.share(layout.group);
        let wanted = Wanted {
            input: Arc::clone(input),
            layout,
            groups: compared.text.len() as u32,
            sample,
            text: compared.wanted.clone(),
        };
        let waiting = if more {
            std::mem::take(&mut self.waiting)
        } else {
            Vec::new()
        };
        let mut made = Vec::new();
        for wanted in std::iter::once(wanted).chain(waiting) {
            match self.splice(&wanted) {
                // Nothing is decoded: the text itself is tried anyhow.
                Some(splice) if splice.bytes == wanted.text => {}
                Some(splice) => made.push((wanted.input, splice)),
                None => {
                    self.try_kinds(&wanted, &mut made);
                    if self.waiting.len() < MOST_WAITING {
                        self.waiting.push(wanted);
                    }
                }
            }
        }
        made
    }

    /// Learns from the expressions of a text; true if there was something new.
    fn learn(
        &mut self,
        pool: &Pool,
        run: &Run,
        (layout, text): (Layout, &[Term]),
        assignment: &mut Assignment,
    ) -> bool {
        let mut guards: Option<BTreeMap<Var, Vec<Term>>> = None;
        let mut more = false;
        for (number, &term) in (0..).zip(text.iter().take(MOST_READ)) {
            for var in pool.vars(term) {
                let (_, position) = input_of(var);
                let place = position - layout.first - number * layout.group;
                let part = self.parts.entry((layout.group, place)).or_default();
                let now = assignment.get(var);
                let computed = Values::default().value(pool, assignment, term) as u8;
                if part.knows(now as u8, computed) {
                    continue;
                }
                more = true;
                let guards = guards.get_or_insert_with(|| conditions_by_byte(pool, run));
                let guards = guards.get(&var).map_or(&[][..], Vec::as_slice);
                let kind = |assignment: &Assignment| -> Vec<u128> {
                    let mut values = Values::default();
                    let each = guards.iter();
                    each.map(|&guard| values.value(pool, assignment, guard))
                        .collect()
                };
                let own = kind(assignment);
                for value in 0..=u8::MAX {
                    assignment.set(var, value.into());
                    if kind(assignment) == own {
                        let other = Values::default().value(pool, assignment, term) as u8;
                        part.text.insert(value, other);
                        part.mask |= other ^ computed;
                    }
                }
                assignment.set(var, now);
            }
        }
        more
    }

    /// What is known of one place holds of another if they differ by a shift where both are known.
    fn share(&mut self, group: u32) {
        for from in 0..group {
            for to in (0..group).filter(|&to| to != from) {
                let (Some(source), Some(target)) =
                    (self.parts.get(&(group, from)), self.parts.get(&(group, to)))
                else {
                    continue;
                };
                let Some(by) = shift_between(source, target) else {
                    continue;
                };
                let missing: Vec<(u8, u8)> = source
                    .text
                    .iter()
                    .filter(|(value, _)| !target.text.contains_key(value))
                    .map(|(&value, &text)| (value, shifted(text & source.mask, by)))
                    .collect();
                let mask = shifted(source.mask, by);
                if let Some(target) = self.parts.get_mut(&(group, to)) {
                    target.text.extend(missing);
                    target.mask |= mask;
                }
            }
        }
    }

    /// Other kinds of characters in the first group of a text, in places where they were not tried.
    fn try_kinds(&mut self, wanted: &Wanted, made: &mut Vec<(Arc<InputVector>, Splice)>) {
        let Layout {
            stream,
            first,
            group,
        } = wanted.layout;
        for place in 0..group {
            let Some(part) = self.parts.get_mut(&(group, place)) else {
                continue;
            };
            if std::mem::replace(&mut part.is_tried, true) {
                continue;
            }
            let unknown = KINDS.iter().filter(|kind| !part.text.contains_key(kind));
            made.extend(unknown.map(|&kind| {
                let splice = Splice {
                    stream,
                    first: first + place,
                    length: 1,
                    bytes: [kind].into(),
                };
                (Arc::clone(&wanted.input), splice)
            }));
        }
    }

    /// The bytes of input that give a text, as far as is known.
    fn splice(&self, wanted: &Wanted) -> Option<Splice> {
        let Layout {
            stream,
            first,
            group,
        } = wanted.layout;
        let assignment = wanted.input.assignment();
        let parts: Vec<Option<&Part>> = (0..group)
            .map(|place| self.parts.get(&(group, place)))
            .collect();
        let mut decided = 0_u8;
        for part in parts.iter().flatten() {
            if decided & part.mask != 0 {
                return None;
            }
            decided |= part.mask;
        }
        let mut bytes = Vec::with_capacity(wanted.text.len() * group as usize);
        for &byte in &wanted.text {
            if (byte ^ wanted.sample) & !decided != 0 {
                return None;
            }
            for (place, part) in (0..).zip(&parts) {
                bytes.push(match part {
                    Some(part) => part.value_for(byte)?,
                    None => assignment.get(var_of(stream, first + place)) as u8,
                });
            }
        }
        Some(Splice {
            stream,
            first,
            length: wanted.groups * group,
            bytes: bytes.into(),
        })
    }
}

/// Where the input is that these expressions are of; `None` when they are not of groups one behind the other.
fn layout(pool: &Pool, text: &[Term]) -> Option<Layout> {
    let mut places = Vec::with_capacity(text.len());
    let mut of = None;
    for &term in text {
        let vars: Vec<(u32, u32)> = pool.vars(term).into_iter().map(input_of).collect();
        let (&(stream, low), &(last, high)) = (vars.first()?, vars.last()?);
        if stream != last || *of.get_or_insert(stream) != stream {
            return None;
        }
        places.push((low, high));
    }
    let &(first, end) = places.first()?;
    let group = match places.get(1) {
        Some(&(second, _)) => second.checked_sub(first)?,
        None => end - first + 1,
    };
    let in_order = (0..).zip(&places).all(|(number, &(low, high))| {
        let start = first + number * group;
        low == start && high < start + group
    });
    ((1..=MOST_PLACES).contains(&group) && in_order).then_some(Layout {
        stream: of?,
        first,
        group,
    })
}

/// Conditions of the path that are of one variable each.
fn conditions_by_byte(pool: &Pool, run: &Run) -> BTreeMap<Var, Vec<Term>> {
    let mut by_byte: BTreeMap<Var, Vec<Term>> = BTreeMap::new();
    for step in &run.steps {
        let term = match step {
            Step::Edge {
                cond: Some(cond), ..
            } => cond.term,
            Step::Constraint { term, .. } => *term,
            _ => continue,
        };
        if let [var] = pool.vars(term)[..] {
            let conditions = by_byte.entry(var).or_default();
            if !conditions.contains(&term) {
                conditions.push(term);
            }
        }
    }
    by_byte
}

/// To the left by so many bits, or to the right.
fn shifted(byte: u8, by: i32) -> u8 {
    if by >= 0 {
        ((u32::from(byte)) << by) as u8
    } else {
        byte >> -by
    }
}

/// The shift that makes one part of the other wherever both are known, if they are known to differ in their values.
fn shift_between(source: &Part, target: &Part) -> Option<i32> {
    let both: Vec<(u8, u8)> = source
        .text
        .iter()
        .filter_map(|(value, &from)| {
            let to = target.text.get(value)?;
            Some((from & source.mask, to & target.mask))
        })
        .collect();
    let (&first, rest) = both.split_first()?;
    if rest.iter().all(|&pair| pair == first) {
        return None;
    }
    let fits = |by: &i32| {
        let all = both.iter().all(|&(from, to)| shifted(from, *by) == to);
        all && shifted(shifted(source.mask, *by), -*by) == source.mask
    };
    (-7..=7).find(fits)
}
