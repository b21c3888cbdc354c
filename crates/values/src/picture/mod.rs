//! What an analysis knows at the points of a program, without the analysis: what certificates are made of.
//!
//! Only numbers are in it, floating-point ones included, and addresses of functions and of places in constant tables of addresses: of
//! values, of private cells and of the elements of small tables, and how pairs of them compare. Other addresses and other memory are left
//! out.

mod joined;

use std::collections::BTreeMap;

use program::fields::Field;
use program::private::Cell;
use program::{BlockId, FuncId, ValueId};

use crate::object::{Object, ObjectId};
use crate::value::Value;
pub(crate) use joined::joined;

/// What is known in all contexts; the first is the start.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Picture {
    /// The [parts](program::parts) of variables, in order.
    pub cells: Vec<Cell>,
    pub contexts: Vec<Context>,
    pub objects: Named,
}

/// The functions and tables that values are addresses of ([`Value::Pointers`]).
pub type Named = BTreeMap<ObjectId, Object>;

/// A function, with the calls that led to it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Context {
    pub function: FuncId,
    /// For each call of a function with a body, the contexts that it may lead to, by index.
    pub calls: BTreeMap<ValueId, Vec<usize>>,
    /// States at the entries of blocks, behind the phis; a block without one is not reached.
    pub states: Vec<(BlockId, Known)>,
    /// States in which it returns, with the result.
    pub exits: Vec<(Known, Option<Value>)>,
}

/// Numbers in one state, each a [`Value::Num`], a [`Value::Real`] or [`Value::Pointers`] that lead to places in
/// [`Named`] objects, or are one of a few numbers; what is not listed may be anything.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Known {
    /// By index of the cell, in order.
    pub cells: Vec<(usize, Value)>,
    /// In order.
    pub values: Vec<(ValueId, Value)>,
    /// How two of them compare, in order: the orders that they may have, by number (0: equal; less, signed and unsigned; signed less
    /// and unsigned greater; signed greater and unsigned less; 4: greater).
    pub pairs: Vec<((Spot, Spot), Vec<u8>)>,
}

/// What a pair is made of.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Spot {
    /// By index of the cell.
    Cell(usize),
    Value(ValueId),
}

/// What is known at any time, whatever happened before: each function once for all its callers, and memory that only gains numbers.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Standing {
    /// What private cells ever hold, in order.
    pub cells: Vec<(Cell, Value)>,
    /// What fields ever hold, in whichever record, in order.
    pub fields: Vec<(Field, Value)>,
    /// Numbers at the entries of the blocks that control comes to, behind the phis.
    pub states: BTreeMap<(FuncId, BlockId), Vec<(ValueId, Value)>>,
    /// What functions return.
    pub results: BTreeMap<FuncId, Value>,
    pub objects: Named,
}
