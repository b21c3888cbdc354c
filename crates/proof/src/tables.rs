//! What is read from constant tables, by addresses of which is known that they are of one of some places.
//!
//! Must hold: nothing writes to a constant variable.

use program::private::Cell;
use program::{GlobalId, Operand, ValueId};
use smt::{Op, Term};

use crate::assertion::Set;
use crate::vc::{Frame, Walk, initial};

/// Numbers that are one of some addresses.
#[derive(Clone, Debug, Default)]
pub(crate) struct Leads(Vec<(Term, Vec<(GlobalId, u64)>)>);

impl Leads {
    /// A number is in a set.
    pub(crate) fn note(&mut self, number: Term, set: &Set) {
        if let Set::Addresses(addresses) = set {
            let places = addresses.places.iter();
            let places: Vec<_> = places
                .map(|(global, offset)| (GlobalId::from_u32(*global), *offset))
                .collect();
            if !places.is_empty() {
                self.0.push((number, places));
            }
        }
    }

    /// A value was read on a path: supposes what is known of it, if that was from a constant table.
    pub(crate) fn read(&self, walk: &mut Walk<'_, '_>, address: &Operand, value: ValueId) {
        let mut term = |operand: &Operand| walk.operand(operand)?.scalar();
        if let (Some(address), Some(read)) = (term(address), term(&Operand::Value(value)))
            && let Some(holds) = self.holds(walk.frame, address, read)
        {
            walk.suppose(None, holds);
        }
    }

    /// What holds of a number that was read from an address; `None`: nothing is known.
    fn holds(&self, frame: &mut Frame<'_>, address: Term, read: Term) -> Option<Term> {
        let size = u64::from(frame.pool.width(read)) / 8;
        if let Some((global, offset)) = frame.place_of(address) {
            return held(frame, (global, offset, size), read);
        }
        for (number, places) in &self.0 {
            if frame.pool.width(*number) != frame.pool.width(address) {
                continue;
            }
            let distance = frame.pool.bin(Op::Sub, address, *number);
            let distance = frame.pool.as_const(distance);
            let Some(distance) = distance.and_then(|distance| u64::try_from(distance).ok()) else {
                continue;
            };
            let mut all = frame.pool.bool(true);
            for (global, offset) in places {
                let Some(place) = frame.place(*global, *offset) else {
                    continue;
                };
                let cell = (*global, offset.wrapping_add(distance), size);
                if let Some(holds) = held(frame, cell, read) {
                    let is_there = frame.is_same(*number, place);
                    let elsewhere = frame.pool.not(is_there);
                    let either = frame.pool.or(elsewhere, holds);
                    all = frame.pool.and(all, either);
                }
            }
            return Some(all);
        }
        None
    }
}

/// That a number is what bytes of a constant table hold.
fn held(
    frame: &mut Frame<'_>,
    (global, offset, size): (GlobalId, u64, u64),
    number: Term,
) -> Option<Term> {
    let table = frame.program.globals.get(global)?;
    let is_inside = offset
        .checked_add(size)
        .is_some_and(|end| end <= table.size);
    if !table.constant || size == 0 || !is_inside {
        return None;
    }
    let cell = Cell {
        global,
        offset,
        size,
    };
    let held = initial(frame, cell)?;
    Some(frame.is_same(number, held))
}
