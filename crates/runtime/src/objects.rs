//! Objects whose bounds are known: globals of registered modules, heap blocks, tables of the C library.
//!
//! What must hold: a range that is returned is mapped and readable; blocks that were freed are not returned.
#![allow(
    unsafe_code,
    reason = "one static behind the gate of `state::recording`"
)]

use crate::raw::{peek, reserve, slice, slice_mut};
use crate::state::STATE;
use core::cell::Cell;
use wire::abi::ModuleInfo;

struct Objects {
    /// Addresses of `ModuleInfo`s.
    modules: Cell<u64>,
    module_count: Cell<usize>,
    /// Sorted pairs of address and size; 0 until needed.
    globals: Cell<u64>,
    global_count: Cell<usize>,
    fresh: Cell<bool>,
    /// Pairs of block and size, open addressing by block; key 0 is free, 1 is a grave.
    heap: Cell<u64>,
    heap_slots: Cell<usize>,
    heap_used: Cell<usize>,
    extra: [Cell<(u64, u64)>; 8],
}

// SAFETY: the first thread alone uses it.
unsafe impl Sync for Objects {}

static OBJECTS: Objects = Objects {
    modules: Cell::new(0),
    module_count: Cell::new(0),
    globals: Cell::new(0),
    global_count: Cell::new(0),
    fresh: Cell::new(false),
    heap: Cell::new(0),
    heap_slots: Cell::new(0),
    heap_used: Cell::new(0),
    extra: [const { Cell::new((0, 0)) }; 8],
};

const MOST_MODULES: usize = 1 << 16;

/// Remembers the globals of a module.
pub(crate) fn add_module(info: u64) {
    if OBJECTS.modules.get() == 0 {
        let Some(address) = reserve(MOST_MODULES as u64 * 8) else {
            return;
        };
        OBJECTS.modules.set(address);
    }
    let count = OBJECTS.module_count.get();
    if count < MOST_MODULES {
        slice_mut::<u64>(OBJECTS.modules.get(), MOST_MODULES)[count] = info;
        OBJECTS.module_count.set(count + 1);
        OBJECTS.fresh.set(false);
    }
}

/// Remembers an object that lives for ever.
pub(crate) fn add_extra(address: u64, bytes: u64) {
    for slot in &OBJECTS.extra {
        if slot.get().0 == address {
            return;
        }
        if slot.get().0 == 0 {
            slot.set((address, bytes));
            return;
        }
    }
}

fn collect_globals() {
    let infos = slice::<u64>(OBJECTS.modules.get(), OBJECTS.module_count.get());
    let of = |info: &u64| {
        let info: &ModuleInfo = &slice(*info, 1)[0];
        slice::<[u64; 2]>(info.globals as u64, info.global_count as usize)
    };
    let total: usize = infos.iter().map(|info| of(info).len()).sum();
    OBJECTS.fresh.set(true);
    let Some(address) = reserve((total as u64 * 16).max(4096)) else {
        return;
    };
    let sorted = slice_mut::<[u64; 2]>(address, total);
    for (slot, pair) in sorted.iter_mut().zip(infos.iter().flat_map(of)) {
        *slot = *pair;
    }
    sorted.sort_unstable();
    OBJECTS.globals.set(address);
    OBJECTS.global_count.set(total);
}

fn global_of(address: u64) -> Option<(u64, u64)> {
    if !OBJECTS.fresh.get() {
        collect_globals();
    }
    let sorted = slice::<[u64; 2]>(OBJECTS.globals.get(), OBJECTS.global_count.get());
    let after = sorted.partition_point(|pair| pair[0] <= address);
    let [base, bytes] = *sorted.get(after.checked_sub(1)?)?;
    (address - base < bytes).then_some((base, bytes))
}

/// The known object that holds an address, if it is at most `most` bytes long.
pub(crate) fn object_of(address: u64, most: u64) -> Option<(u64, u64)> {
    let extra = OBJECTS
        .extra
        .iter()
        .map(Cell::get)
        .find(|(base, bytes)| address.wrapping_sub(*base) < *bytes);
    extra
        .or_else(|| global_of(address))
        .or_else(|| block_of(address, most))
        .filter(|(_, bytes)| *bytes <= most)
}

const GRAVE: u64 = 1;
const FIRST_SLOTS: usize = 1 << 10;

fn slot_of(block: u64, slots: usize) -> usize {
    ((block >> 4).wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 20) as usize & (slots - 1)
}

fn find(block: u64) -> Option<usize> {
    let slots = OBJECTS.heap_slots.get();
    if slots == 0 {
        return None;
    }
    let table = slice::<[u64; 2]>(OBJECTS.heap.get(), slots);
    let mut slot = slot_of(block, slots);
    loop {
        match table[slot][0] {
            0 => return None,
            key if key == block => return Some(slot),
            _ => slot = (slot + 1) & (slots - 1),
        }
    }
}

/// A heap block; small ones only, since larger ones are never read whole. None in a run without symbolic inputs, where nobody asks.
pub(crate) fn allocated(block: u64, bytes: u64) {
    let is_asked_for = !STATE.concrete.get() && bytes <= STATE.table_bytes.get();
    if block == 0 || bytes == 0 || !is_asked_for {
        return;
    }
    if (OBJECTS.heap_used.get() + 1) * 2 > OBJECTS.heap_slots.get() && !rebuild() {
        return;
    }
    let slots = OBJECTS.heap_slots.get();
    let table = slice_mut::<[u64; 2]>(OBJECTS.heap.get(), slots);
    let mut slot = slot_of(block, slots);
    let mut grave = None;
    loop {
        match table[slot][0] {
            0 => break,
            key if key == block => {
                table[slot][1] = bytes;
                return;
            }
            GRAVE if grave.is_none() => grave = Some(slot),
            _ => {}
        }
        slot = (slot + 1) & (slots - 1);
    }
    if grave.is_none() {
        OBJECTS.heap_used.set(OBJECTS.heap_used.get() + 1);
    }
    table[grave.unwrap_or(slot)] = [block, bytes];
}

/// The block is gone.
pub(crate) fn freed(block: u64) {
    if block > GRAVE
        && !STATE.concrete.get()
        && let Some(slot) = find(block)
    {
        slice_mut::<[u64; 2]>(OBJECTS.heap.get(), OBJECTS.heap_slots.get())[slot] = [GRAVE, 0];
    }
}

/// A table without graves, at most a quarter full.
fn rebuild() -> bool {
    let old = slice::<[u64; 2]>(OBJECTS.heap.get(), OBJECTS.heap_slots.get());
    let live = old.iter().filter(|pair| pair[0] > GRAVE).count();
    let slots = (4 * (live + 1)).next_power_of_two().max(FIRST_SLOTS);
    let Some(address) = reserve(slots as u64 * 16) else {
        return false;
    };
    let table = slice_mut::<[u64; 2]>(address, slots);
    for pair in old.iter().filter(|pair| pair[0] > GRAVE) {
        let mut slot = slot_of(pair[0], slots);
        while table[slot][0] != 0 {
            slot = (slot + 1) & (slots - 1);
        }
        table[slot] = *pair;
    }
    if !old.is_empty() {
        crate::raw::release(OBJECTS.heap.get(), OBJECTS.heap_slots.get() as u64 * 16);
    }
    OBJECTS.heap.set(address);
    OBJECTS.heap_slots.set(slots);
    OBJECTS.heap_used.set(live);
    true
}

/// Blocks start at multiples of 16: looks back from the address to the start of a small block.
fn block_of(address: u64, most: u64) -> Option<(u64, u64)> {
    let mut block = address & !15;
    let lowest = address.saturating_sub(most);
    while block > GRAVE && block >= lowest {
        if let Some(slot) = find(block) {
            let [base, bytes]: [u64; 2] = peek(OBJECTS.heap.get() + slot as u64 * 16);
            return (address - base < bytes).then_some((base, bytes));
        }
        block -= 16;
    }
    None
}
