//! The states that the invariant allows at one place, and the numbers that a step brings there.

use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use program::BlockId;
use smt::Term;

use crate::assertion::{Exit, Pair, Set, Spot, State};

/// Something that a state says a set of.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum What {
    Cell(u32),
    Value(u32),
    /// How two of them compare.
    Pair(Pair),
    /// What a function returns.
    Result,
}

/// Which states.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Place {
    Block(BlockId),
    Exit,
}

/// The states of one place in one context.
#[derive(Default)]
pub(super) struct Allowed<'a> {
    /// For each state, its sets.
    pub(super) states: Vec<Vec<(What, &'a Set)>>,
    /// All that they speak of.
    pub(super) asked: BTreeSet<What>,
}

impl<'a> Allowed<'a> {
    pub(super) fn add(&mut self, state: Vec<(What, &'a Set)>) {
        self.asked.extend(state.iter().map(|(what, _)| *what));
        self.states.push(state);
    }
}

/// The states of one place in one context, and the numbers that a step brings there.
pub(super) struct Gate<'a> {
    pub(super) context: usize,
    pub(super) place: Place,
    pub(super) allowed: Rc<Allowed<'a>>,
    pub(super) numbers: BTreeMap<What, Option<Term>>,
}

pub(super) fn of_state(state: &State) -> Vec<(What, &Set)> {
    let cells = state.cells.iter();
    let cells = cells.map(|(cell, set)| (What::Cell(*cell), set));
    let values = state.values.iter();
    let values = values.map(|(value, set)| (What::Value(*value), set));
    let pairs = state.pairs.iter();
    let pairs = pairs.map(|(pair, set)| (What::Pair(*pair), set));
    cells.chain(values).chain(pairs).collect()
}

pub(super) fn of_spot(spot: Spot) -> What {
    match spot {
        Spot::Cell(cell) => What::Cell(cell),
        Spot::Value(value) => What::Value(value),
    }
}

pub(super) fn of_exit(exit: &Exit) -> Vec<(What, &Set)> {
    let cells = exit.cells.iter();
    let cells = cells.map(|(cell, set)| (What::Cell(*cell), set));
    let result = exit.result.iter().map(|set| (What::Result, set));
    cells.chain(result).collect()
}
