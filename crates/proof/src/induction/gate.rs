//! The states that the invariant allows at one place, and the numbers that a step brings there.

use std::collections::{BTreeMap, BTreeSet};

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

/// The states of one place in one context, and the numbers that a step brings there.
pub(super) struct Gate {
    pub(super) context: usize,
    pub(super) place: Place,
    /// For each allowed state, its sets.
    pub(super) states: Vec<Vec<(What, Set)>>,
    pub(super) numbers: BTreeMap<What, Option<Term>>,
}

pub(super) fn of_state(state: &State) -> Vec<(What, Set)> {
    let cells = state.cells.iter();
    let cells = cells.map(|(cell, set)| (What::Cell(*cell), set.clone()));
    let values = state.values.iter();
    let values = values.map(|(value, set)| (What::Value(*value), set.clone()));
    let pairs = state.pairs.iter();
    let pairs = pairs.map(|(pair, set)| (What::Pair(*pair), set.clone()));
    cells.chain(values).chain(pairs).collect()
}

pub(super) fn of_spot(spot: Spot) -> What {
    match spot {
        Spot::Cell(cell) => What::Cell(cell),
        Spot::Value(value) => What::Value(value),
    }
}

pub(super) fn of_exit(exit: &Exit) -> Vec<(What, Set)> {
    let cells = exit.cells.iter();
    let cells = cells.map(|(cell, set)| (What::Cell(*cell), set.clone()));
    let result = exit.result.iter().map(|set| (What::Result, set.clone()));
    cells.chain(result).collect()
}

impl Gate {
    pub(super) fn asked(&self) -> BTreeSet<What> {
        let sets = self.states.iter().flatten();
        sets.map(|(what, _)| *what).collect()
    }
}
