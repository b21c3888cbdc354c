//! What is known of pairs of variables: how they compare, as conditions on the way have said.
//!
//! A pair of numbers has one of five orders, signed and unsigned ones together; what is known is a set of them. A cell of memory is
//! the variable that was last read from it or written to it, so that what holds of a variable holds when it is read again. What a
//! cell held when the function was entered has a name of its own (an *entry value*): what a caller knows comes in by it.
//!
//! Must hold: what is said of a variable is dropped when it is computed anew, what is said of a cell when something may have been written there.

use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use program::{ICmp, ValueId};

use crate::arith;
use crate::num::Num;
use crate::object::ObjectId;

/// Pairs that are kept.
const MOST: usize = 48;
/// The first number of entry values: no function has so many values.
const ENTRY_VALUES: u32 = 1 << 31;

/// What a cell held when the function was entered, by the number of the cell.
#[must_use]
pub fn entry_value(cell: u32) -> ValueId {
    ValueId::from_u32(ENTRY_VALUES + cell)
}

fn is_entry_value(value: ValueId) -> bool {
    value.as_u32() >= ENTRY_VALUES
}

/// A set of the orders that two numbers may have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Orders(u8);

impl Orders {
    const EQUAL: u8 = 1;
    /// Signed less and unsigned less; signed less and unsigned greater; and so on.
    const LESS_LESS: u8 = 2;
    const LESS_GREATER: u8 = 4;
    const GREATER_LESS: u8 = 8;
    const GREATER_GREATER: u8 = 16;
    const ALL: Orders = Orders(31);

    /// Those in which a comparison is true.
    #[must_use]
    pub fn of(pred: ICmp) -> Orders {
        let signed_less = Orders::LESS_LESS | Orders::LESS_GREATER;
        let signed_greater = Orders::GREATER_LESS | Orders::GREATER_GREATER;
        let less = Orders::LESS_LESS | Orders::GREATER_LESS;
        let greater = Orders::LESS_GREATER | Orders::GREATER_GREATER;
        Orders(match pred {
            ICmp::Eq => Orders::EQUAL,
            ICmp::Ne => Orders::ALL.0 & !Orders::EQUAL,
            ICmp::Slt => signed_less,
            ICmp::Sle => signed_less | Orders::EQUAL,
            ICmp::Sgt => signed_greater,
            ICmp::Sge => signed_greater | Orders::EQUAL,
            ICmp::Ult => less,
            ICmp::Ule => less | Orders::EQUAL,
            ICmp::Ugt => greater,
            ICmp::Uge => greater | Orders::EQUAL,
        })
    }

    /// Their numbers: 0 for equal; then less, signed and unsigned; signed less and unsigned greater; signed greater and unsigned
    /// less; greater.
    #[must_use]
    pub fn codes(self) -> Vec<u8> {
        (0..5).filter(|code| self.0 >> code & 1 == 1).collect()
    }

    /// Those that two numbers of these sets may have.
    #[must_use]
    fn between(a: &Num, b: &Num) -> Orders {
        if a.bits() != b.bits() {
            return Orders::ALL;
        }
        let preds = [ICmp::Eq, ICmp::Slt, ICmp::Sgt, ICmp::Ult, ICmp::Ugt];
        let never = preds
            .into_iter()
            .filter(|pred| arith::refine(*pred, a, b).is_none());
        Orders(never.fold(Orders::ALL.0, |all, pred| all & !Orders::of(pred).0))
    }

    /// Those of the numbers the other way round.
    #[must_use]
    pub fn swapped(self) -> Orders {
        let bit = |from: u8, to: u8| if self.0 & from == 0 { 0 } else { to };
        Orders(
            self.0 & Orders::EQUAL
                | bit(Orders::LESS_LESS, Orders::GREATER_GREATER)
                | bit(Orders::GREATER_GREATER, Orders::LESS_LESS)
                | bit(Orders::LESS_GREATER, Orders::GREATER_LESS)
                | bit(Orders::GREATER_LESS, Orders::LESS_GREATER),
        )
    }

    /// Whether two numbers are in one of them.
    #[cfg(test)]
    pub(crate) fn has(self, bits: u32, a: u128, b: u128) -> bool {
        let preds = [ICmp::Eq, ICmp::Slt, ICmp::Sgt, ICmp::Ult, ICmp::Ugt].into_iter();
        let own = preds.filter(|pred| pred.holds(bits, a, b));
        self.0 & own.fold(Orders::ALL.0, |all, pred| all & Orders::of(pred).0) != 0
    }

    /// Whether a comparison is true in one of them.
    #[must_use]
    pub fn may(self, pred: ICmp) -> bool {
        self.0 & Orders::of(pred).0 != 0
    }
}

type Pair = (ValueId, ValueId);
/// A place in memory: object, offset, size.
pub type Place = (ObjectId, u64, u64);

/// The orders that pairs of variables may have, and the variables that cells of memory are. Pairs have the smaller number first.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Relations {
    orders: Rc<BTreeMap<Pair, u8>>,
    cells: Rc<BTreeMap<Place, ValueId>>,
}

impl Relations {
    /// Pairs of which something is known.
    #[cfg(test)]
    pub(crate) fn pairs(&self) -> Vec<(ValueId, ValueId)> {
        self.orders.keys().copied().collect()
    }

    /// Cells that are variables.
    #[cfg(test)]
    pub(crate) fn known_cells(&self) -> Vec<(Place, ValueId)> {
        let cells = self.cells.iter();
        cells.map(|(place, value)| (*place, *value)).collect()
    }

    /// The orders that two variables may have.
    #[must_use]
    pub fn orders(&self, a: ValueId, b: ValueId) -> Orders {
        if a == b {
            return Orders(Orders::EQUAL);
        }
        let known = self.orders.get(&(a.min(b), a.max(b)));
        let known = known.map_or(Orders::ALL, |known| Orders(*known));
        if a < b { known } else { known.swapped() }
    }

    /// Two variables have one of these orders, besides what is known; `false` when they then have none.
    pub fn learn(&mut self, a: ValueId, b: ValueId, orders: Orders) -> bool {
        let known = Orders(self.orders(a, b).0 & orders.0);
        self.put(a, b, known);
        known.0 != 0
    }

    fn put(&mut self, a: ValueId, b: ValueId, orders: Orders) {
        let orders = if a < b { orders } else { orders.swapped() };
        let pair = (a.min(b), a.max(b));
        let old = self.orders.get(&pair).copied();
        let fits = old.is_some() || self.orders.len() < MOST;
        if a != b && orders != Orders::ALL && old != Some(orders.0) && fits {
            Rc::make_mut(&mut self.orders).insert(pair, orders.0);
        }
    }

    /// A variable is computed anew.
    pub fn forget(&mut self, value: ValueId) {
        let is_of = |pair: &Pair| pair.0 == value || pair.1 == value;
        if self.orders.keys().any(is_of) {
            Rc::make_mut(&mut self.orders).retain(|pair, _| !is_of(pair));
        }
        if self.cells.values().any(|own| *own == value) {
            Rc::make_mut(&mut self.cells).retain(|_, own| *own != value);
        }
    }

    /// What is known of a variable, to be told of another.
    #[must_use]
    pub fn of(&self, value: ValueId) -> Vec<(ValueId, Orders)> {
        let pairs = self.orders.iter();
        let own = pairs.filter_map(|(&(a, b), &orders)| {
            let orders = Orders(orders);
            match (a == value, b == value) {
                (true, _) => Some((b, orders)),
                (_, true) => Some((a, orders.swapped())),
                _ => None,
            }
        });
        own.collect()
    }

    /// A variable, which nothing is known of, is the same as another.
    pub fn copy(&mut self, value: ValueId, from: ValueId) {
        for (other, orders) in self.of(from) {
            self.put(value, other, orders);
        }
        self.put(value, from, Orders(Orders::EQUAL));
    }

    /// A variable was read from a cell.
    pub fn loaded(&mut self, place: Place, value: ValueId) {
        if let Some(&known) = self.cells.get(&place) {
            self.copy(value, known);
        }
        Rc::make_mut(&mut self.cells).insert(place, value);
    }

    /// A variable was written to a cell, which nothing is known of.
    pub fn stored(&mut self, place: Place, value: ValueId) {
        Rc::make_mut(&mut self.cells).insert(place, value);
    }

    /// Something may have been written: only these cells stay.
    pub fn keep_cells(&mut self, keep: impl Fn(&Place) -> bool) {
        if !self.cells.keys().all(&keep) {
            Rc::make_mut(&mut self.cells).retain(|place, _| keep(place));
        }
    }

    /// The cells that are variables of which more is known, with these.
    #[must_use]
    pub fn related_cells(&self) -> Vec<(Place, ValueId)> {
        let is_related = |value: ValueId| {
            let mut pairs = self.orders.keys();
            pairs.any(|pair| pair.0 == value || pair.1 == value)
        };
        let cells = self.cells.iter();
        let related = cells.filter(|(_, value)| is_related(**value));
        related.map(|(place, value)| (*place, *value)).collect()
    }

    /// The cells that hold what they held when the function was entered.
    #[must_use]
    pub fn unchanged(&self, number: impl Fn(&Place) -> Option<u32>) -> BTreeSet<Place> {
        let cells = self.cells.iter();
        let same = cells.filter(|(place, value)| {
            let entry = number(place).map(entry_value);
            entry.is_some_and(|entry| self.orders(**value, entry) == Orders(Orders::EQUAL))
        });
        same.map(|(place, _)| *place).collect()
    }

    /// What is known of two variables, of those of which something is known.
    pub fn known_pairs(&self) -> impl Iterator<Item = (ValueId, ValueId, Orders)> {
        let pairs = self.orders.iter();
        pairs.map(|(&(a, b), &orders)| (a, b, Orders(orders)))
    }

    /// The variable that a cell is.
    #[must_use]
    pub fn cell(&self, place: &Place) -> Option<ValueId> {
        self.cells.get(place).copied()
    }

    /// Only what is said of these variables, of entry values, and of cells, stays.
    pub fn keep(&mut self, is_live: impl Fn(ValueId) -> bool) {
        let stays = |value: ValueId| {
            is_live(value) || is_entry_value(value) || self.cells.values().any(|own| *own == value)
        };
        let goes = |pair: &Pair| !(stays(pair.0) && stays(pair.1));
        if self.orders.keys().any(goes) {
            let rest = self.orders.iter().filter(|(pair, _)| !goes(pair));
            self.orders = Rc::new(rest.map(|(pair, orders)| (*pair, *orders)).collect());
        }
    }

    /// What holds in both; `own` and `new` say which numbers variables are in each. Nothing when that is what holds in the first.
    #[must_use]
    pub fn merged(
        &self,
        other: &Relations,
        own: impl Fn(ValueId) -> Option<Num>,
        new: impl Fn(ValueId) -> Option<Num>,
    ) -> Option<Relations> {
        if Rc::ptr_eq(&self.orders, &other.orders) && Rc::ptr_eq(&self.cells, &other.cells) {
            return None;
        }
        let mut orders: BTreeMap<Pair, u8> = BTreeMap::new();
        for &(a, b) in self.orders.keys().chain(other.orders.keys()) {
            let sides = [
                (self.orders(a, b), own(a).zip(own(b))),
                (other.orders(a, b), new(a).zip(new(b))),
            ];
            let known = sides.into_iter().fold(0, |all, (orders, numbers)| {
                let by_numbers = numbers.map_or(Orders::ALL, |(a, b)| Orders::between(&a, &b));
                all | orders.0 & by_numbers.0
            });
            if known != Orders::ALL.0 {
                orders.insert((a, b), known);
            }
        }
        let cells = self.cells.iter();
        let cells = cells.filter(|(place, value)| other.cells.get(place) == Some(value));
        let merged = Relations {
            orders: Rc::new(orders),
            cells: Rc::new(cells.map(|(place, value)| (*place, *value)).collect()),
        };
        (merged != *self).then_some(merged)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_comparison_is_decided_by_others_exactly_where_no_two_numbers_differ() {
        for &first in ICmp::ALL {
            for &second in ICmp::ALL {
                let both = Orders(Orders::of(first).0 & Orders::of(second).0);
                for &asked in ICmp::ALL {
                    let may = (0..64).any(|pair| {
                        let (a, b) = (pair / 8, pair % 8);
                        [first, second, asked]
                            .iter()
                            .all(|pred| pred.holds(3, a, b))
                    });
                    assert_eq!(both.may(asked), may, "{first:?}, {second:?}: {asked:?}");
                    let other = arith::swapped(asked);
                    assert_eq!(
                        both.swapped().may(other),
                        may,
                        "{other:?} the other way round"
                    );
                }
            }
        }
    }

    #[test]
    fn orders_between_sets_include_those_of_all_pairs() {
        for a in 1u32..256 {
            for b in [1u32, 2, 0x18, 0x81, 0x7e, 0xf0] {
                let list = |set: u32| (0..8u32).filter(move |bit| set >> bit & 1 == 1);
                let num = |set: u32| Num::list(3, list(set).map(u128::from));
                let known = Orders::between(&num(a), &num(b));
                for (x, y) in list(a).flat_map(|x| list(b).map(move |y| (x, y))) {
                    let (x, y) = (u128::from(x), u128::from(y));
                    for &pred in ICmp::ALL.iter().filter(|pred| pred.holds(3, x, y)) {
                        assert!(known.may(pred), "{x} {pred:?} {y} of {a:x} and {b:x}");
                    }
                }
            }
        }
    }

    #[test]
    fn what_meets_keeps_what_holds_on_both_ways() {
        let [a, b] = [1, 2].map(ValueId::from_u32);
        let mut less = Relations::default();
        assert!(less.learn(b, a, Orders::of(ICmp::Sgt)));
        assert!(!less.clone().learn(a, b, Orders::of(ICmp::Sge)));
        let mut equal = Relations::default();
        assert!(equal.learn(a, b, Orders::of(ICmp::Eq)));
        let met = less.merged(&equal, |_| None, |_| None).expect("it is less");
        assert!(!met.orders(a, b).may(ICmp::Sgt) && met.orders(a, b).may(ICmp::Eq));
        // Numbers say the same where nobody has compared.
        let numbers = |value| Some(Num::constant(8, if value == a { 1 } else { 3 }));
        let met = less.merged(&Relations::default(), |_| None, numbers);
        assert!(met.is_none());
        let met = less.merged(&Relations::default(), |_| None, |_| None);
        assert!(met.expect("nothing is left").orders(a, b).may(ICmp::Sgt));
    }
}
