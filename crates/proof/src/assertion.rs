//! What variables can be at points of the program: the assertions of an invariant, as documents have them.
//!
//! An invariant follows the program in *contexts*: a function with some of its calls. In each it says which states control
//! comes to a block in, and which it returns in. A state gives a set to some of the values and cells (private ones, and elements of
//! small tables); the others may be anything.

use program::{FuncId, GlobalId, Program, private};
use serde::{Deserialize, Serialize};
use smallvec::SmallVec;
use smt::{Op, Pool, Term};

use crate::kinds::Refusal;
use crate::vc::Frame;

/// The assertions that certificates of kind `invariant` rest on.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Invariant {
    /// The cells that states speak of, in order; each is a [part](program::parts) of a variable.
    pub cells: Vec<Cell>,
    /// The first is the program's start.
    pub contexts: Vec<Context>,
}

/// Some bytes of a global.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Cell {
    pub global: u32,
    pub offset: u64,
    pub size: u64,
}

impl Cell {
    /// As documents have it.
    #[must_use]
    pub fn of(cell: private::Cell) -> Cell {
        Cell {
            global: cell.global.as_u32(),
            offset: cell.offset,
            size: cell.size,
        }
    }
}

/// The cells of a document, if they are in order, of up to 8 bytes, and what a program has (`own`, in order).
pub(crate) fn cells<'c>(
    own: &[private::Cell],
    cells: impl Iterator<Item = &'c Cell>,
) -> Result<Vec<private::Cell>, Refusal> {
    let cells: Vec<private::Cell> = cells
        .map(|cell| private::Cell {
            global: GlobalId::from_u32(cell.global),
            offset: cell.offset,
            size: cell.size,
        })
        .collect();
    let is_own = |cell: &private::Cell| own.binary_search(cell).is_ok() && cell.size <= 8;
    match cells.is_sorted_by(|a, b| a < b) && cells.iter().all(is_own) {
        true => Ok(cells),
        false => Err(Refusal::NotThere),
    }
}

/// A function, as it is called from some places.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Context {
    pub function: u32,
    /// In which contexts its calls go on.
    pub calls: Vec<Call>,
    /// All states that control comes to the entry of a block in, behind its phis. A block without a state is not reached.
    pub states: Vec<State>,
    /// All states that it returns in.
    pub exits: Vec<Exit>,
}

/// A call of a function with a body.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Call {
    /// The value of the instruction.
    pub at: u32,
    /// Numbers of contexts: one of them for each state.
    pub to: Vec<u32>,
}

/// A state at the entry of a block.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct State {
    pub block: u32,
    /// By index of the cell.
    pub cells: Vec<(u32, Set)>,
    /// By number of the value.
    pub values: Vec<(u32, Set)>,
    /// How two of them compare: the orders that they may have, by number ([`order`]).
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub pairs: Vec<(Pair, Set)>,
}

/// Two numbers of the same width; the smaller spot stands first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Pair(pub Spot, pub Spot);

/// Something that a state speaks of.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub enum Spot {
    /// By index of the cell.
    Cell(u32),
    /// By number of the value.
    Value(u32),
}

/// How two numbers compare, as a number of 8 bits. 0: they are equal; 1: the first is less, signed and unsigned; 2: signed less and
/// unsigned greater; 3: signed greater and unsigned less; 4: greater. `None` where their widths differ.
pub fn order(pool: &mut Pool, a: Term, b: Term) -> Option<Term> {
    if pool.width(a) != pool.width(b) {
        return None;
    }
    let [zero, one, two, three, four] = [0, 1, 2, 3, 4].map(|code| pool.constant(8, code));
    let equal = pool.eq(a, b);
    let signed = pool.cmp(Op::Slt, a, b);
    let unsigned = pool.cmp(Op::Ult, a, b);
    let less = pool.ite(unsigned, one, two);
    let more = pool.ite(unsigned, three, four);
    let differ = pool.ite(signed, less, more);
    Some(pool.ite(equal, zero, differ))
}

/// A state that a function returns in.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Exit {
    /// By index of the cell.
    pub cells: Vec<(u32, Set)>,
    pub result: Option<Set>,
}

/// Numbers of up to 64 bits.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub enum Set {
    /// One of these; mostly it is one.
    OneOf(SmallVec<[u64; 2]>),
    /// `start + k * stride` for some `k` up to `steps`, in the arithmetic of the width.
    Range { start: u64, steps: u64, stride: u64 },
    /// In one of these, from the first number to the last, as numbers without a sign: the bits of floating-point numbers.
    Ranges(Vec<(u64, u64)>),
    /// One of some addresses, or of some numbers.
    Addresses(Addresses),
}

/// Addresses of functions, and of places in constant tables.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Addresses {
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub functions: Vec<u32>,
    /// Variables, each with an offset in bytes.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub places: Vec<(u32, u64)>,
    /// Null, as a rule.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub numbers: Vec<u64>,
}

impl Addresses {
    /// All of them, as terms, without the numbers.
    fn terms(&self, frame: &mut Frame<'_>) -> Vec<Term> {
        let mut all = Vec::new();
        for function in &self.functions {
            all.extend(frame.address_of(FuncId::from_u32(*function)));
        }
        for (global, offset) in &self.places {
            all.extend(frame.place(GlobalId::from_u32(*global), *offset));
        }
        all
    }

    /// Does a program have them all, in constant tables?
    fn fits(&self, program: &Program) -> bool {
        let mut functions = self.functions.iter();
        let mut places = self.places.iter();
        functions.all(|id| program.functions.get(FuncId::from_u32(*id)).is_some())
            && places.all(|(global, _)| {
                let global = program.globals.get(GlobalId::from_u32(*global));
                global.is_some_and(|global| global.constant && global.init.is_some())
            })
    }
}

impl Set {
    /// Whether a number is in the set.
    pub fn has(&self, frame: &mut Frame<'_>, number: Term) -> Term {
        let pool = &mut *frame.pool;
        match self {
            Set::OneOf(all) => is_one_of(pool, number, all),
            Set::Range {
                start,
                steps,
                stride,
            } => is_ahead(pool, number, (*start, *steps, *stride)),
            Set::Ranges(all) => is_within(pool, number, all),
            Set::Addresses(addresses) => {
                let mut any = is_one_of(pool, number, &addresses.numbers);
                for address in addresses.terms(frame) {
                    let equal = frame.is_same(number, address);
                    any = frame.pool.or(any, equal);
                }
                any
            }
        }
    }

    /// The only thing that is in it, as a term of so many bits.
    pub fn only_term(&self, frame: &mut Frame<'_>, bits: u16) -> Option<Term> {
        if let Set::Addresses(addresses) = self {
            let terms = addresses.terms(frame);
            let [only] = terms.as_slice() else {
                return None;
            };
            let fits = addresses.numbers.is_empty() && frame.pool.width(*only) == bits;
            return fits.then_some(*only);
        }
        let only = self.only()?;
        Some(frame.pool.constant(bits, u128::from(only)))
    }

    /// All addresses but null.
    pub(crate) fn not_null() -> Set {
        Set::Range {
            start: 1,
            steps: u64::MAX - 1,
            stride: 1,
        }
    }

    /// The only number in it.
    #[must_use]
    pub fn only(&self) -> Option<u64> {
        match self {
            Set::OneOf(all) => match all.as_slice() {
                [one] => Some(*one),
                _ => None,
            },
            Set::Ranges(all) => match all.as_slice() {
                [(first, last)] if first == last => Some(*first),
                _ => None,
            },
            Set::Range { .. } | Set::Addresses(_) => None,
        }
    }

    /// Does a program have what it speaks of?
    pub(crate) fn fits(&self, program: &Program) -> bool {
        match self {
            Set::Addresses(addresses) => addresses.fits(program),
            Set::OneOf(_) | Set::Range { .. } | Set::Ranges(_) => true,
        }
    }
}

fn is_one_of(pool: &mut Pool, number: Term, all: &[u64]) -> Term {
    let bits = pool.width(number);
    let mut any = pool.bool(false);
    for one in all {
        let one = pool.constant(bits, u128::from(*one));
        let equal = pool.eq(number, one);
        any = pool.or(any, equal);
    }
    any
}

/// Is a number so many strides, or less, ahead of another?
fn is_ahead(pool: &mut Pool, number: Term, (start, steps, stride): (u64, u64, u64)) -> Term {
    let bits = pool.width(number);
    // A stride that passes the end of the width would come round again: nothing is in such a set.
    let span = u128::from(steps).checked_mul(u128::from(stride));
    let most = 1u128
        .checked_shl(u32::from(bits))
        .map_or(u128::MAX, |all| all - 1);
    let Some(span) = span.filter(|span| *span <= most && stride > 0) else {
        return pool.bool(false);
    };
    let start = pool.constant(bits, u128::from(start));
    let ahead = pool.bin(Op::Sub, number, start);
    let span = pool.constant(bits, span);
    let within = pool.cmp(Op::Ule, ahead, span);
    if stride == 1 {
        return within;
    }
    let stride = pool.constant(bits, u128::from(stride));
    let rest = pool.bin(Op::URem, ahead, stride);
    let zero = pool.constant(bits, 0);
    let fits = pool.eq(rest, zero);
    pool.and(within, fits)
}

/// Is a number in one of these intervals?
fn is_within(pool: &mut Pool, number: Term, all: &[(u64, u64)]) -> Term {
    let bits = pool.width(number);
    let mut any = pool.bool(false);
    for (first, last) in all {
        let [first, last] = [first, last].map(|end| pool.constant(bits, u128::from(*end)));
        let above = pool.cmp(Op::Ule, first, number);
        let below = pool.cmp(Op::Ule, number, last);
        let within = pool.and(above, below);
        any = pool.or(any, within);
    }
    any
}

#[cfg(test)]
mod tests {
    use program::text::sample;
    use smallvec::smallvec;

    use super::*;

    #[test]
    fn a_set_has_its_numbers_and_no_others() {
        let range = |start, steps, stride| Set::Range {
            start,
            steps,
            stride,
        };
        for (set, expected) in [
            (Set::OneOf(smallvec![1, 250]), vec![1, 250]),
            (
                range(250, 9, 1),
                vec![0, 1, 2, 3, 250, 251, 252, 253, 254, 255],
            ),
            (range(250, 3, 4), vec![2, 6, 250, 254]),
            (range(3, 2, 5), vec![3, 8, 13]),
            (range(0, 0, 1), vec![0]),
            (range(0, 1, 0), vec![]),
            (range(0, 100, 100), vec![]),
            // Round once, and come back to the start.
            (range(7, 128, 2), vec![]),
            (range(7, 255, 1), (0..=255).collect()),
            (range(7, 256, 1), vec![]),
            (Set::Ranges(vec![]), vec![]),
            (Set::Ranges(vec![(5, 4)]), vec![]),
            (
                Set::Ranges(vec![(254, 255), (0, 1), (7, 7)]),
                vec![0, 1, 7, 254, 255],
            ),
        ] {
            let program = sample("fn @main() { block0: ret }");
            let body = program.functions.values().next().expect("main");
            let mut pool = Pool::new();
            let mut frame = Frame::new(&program, body, &mut pool);
            let inside = (0..=255u128).filter(|number| {
                let number = frame.pool.constant(8, *number);
                let has = set.has(&mut frame, number);
                frame.pool.is_true(has)
            });
            assert_eq!(inside.collect::<Vec<_>>(), expected, "{set:?}");
        }
        for (set, only) in [
            (Set::OneOf(smallvec![]), None),
            (Set::OneOf(smallvec![7]), Some(7)),
            (Set::OneOf(smallvec![7, 8]), None),
            (range(7, 0, 1), None),
            (Set::Ranges(vec![(7, 7)]), Some(7)),
            (Set::Ranges(vec![(7, 8)]), None),
            (Set::Ranges(vec![(7, 7), (9, 9)]), None),
        ] {
            assert_eq!(set.only(), only, "{set:?}");
        }
    }
}
