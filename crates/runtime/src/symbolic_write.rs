//! Stores through a symbolic address: each of the few cells that it may name becomes an expression, else the address is pinned.
//!
//! What must hold: the cells do not overlap; memory holds what the program wrote, and nothing that it wrote later; `index <
//! cells` is recorded as a constraint before the cells change.
#![allow(unsafe_code, reason = "exported symbols")]

use crate::build::{Sym, equals, ite, operand};
use crate::fixed;
use crate::memory::{load, store};
use crate::record::pin;
use crate::state::recording;
use crate::symbolic_read::{
    Cells, FUEL, MOST_NESTED, cells, check_inside, nesting, object_at, peek_bytes,
};
use wire::segment::Loss;

/// Cells that one store may change. Each is an expression more, and what reads them later is a choice among them; above that
/// a pin, which costs a run for each cell that inputs reach, is cheaper.
const MOST_CELLS: u64 = 16;

#[unsafe(no_mangle)]
pub extern "C" fn __bw_store_at(
    spot: u32,
    la: u32,
    address: u64,
    bytes: u32,
    lv: u32,
    value: u64,
    old: u64,
    base: u64,
    base_bytes: u64,
) {
    if bytes == 0 || bytes > 8 || !recording() {
        return crate::memory::clear(address, bytes.into());
    }
    let place = operand(la, address.into(), 64);
    let value = operand(lv, value.into(), 8 * bytes as u16);
    if !place.symbolic() || fixed::is_fixed(place) {
        return store(address, bytes, value);
    }
    match few_cells(place, bytes, (base, base_bytes)) {
        Some(cells) => {
            check_inside(spot, &cells);
            write(&cells, address, bytes, value, old);
        }
        None => {
            pin(spot, place, Loss::Address);
            store(address, bytes, value);
        }
    }
}

fn few_cells(address: Sym, bytes: u32, given: (u64, u64)) -> Option<Cells> {
    let object = object_at(address.value as u64, bytes, given)?;
    let cells = cells(address, bytes, object)?;
    let fits = cells.count <= MOST_CELLS
        && cells.stride >= bytes.into()
        && nesting(cells.index, &mut { FUEL }) < MOST_NESTED;
    fits.then_some(cells)
}

/// Each cell holds the value if it is the one that the address names, else what it held.
fn write(cells: &Cells, address: u64, bytes: u32, value: Sym, old: u64) {
    for number in 0..cells.count {
        let at = cells.first + cells.stride * number;
        let held = if at == address {
            old
        } else {
            peek_bytes(at, bytes)
        };
        let before = load(at, bytes, held.into());
        let named = equals(cells.index, number.into());
        store(at, bytes, ite(named, value, before));
    }
}
