//! The node table: hash-consing into the shared segment.
//!
//! What must hold: a node is written in full before its number is published in `Control::node_count`; equal nodes have one
//! label; the hash table starts small and grows, so that a short run touches few pages.
#![allow(
    unsafe_code,
    reason = "one static behind the gate of `state::recording`"
)]

use crate::raw::{peek, poke, reserve, zero};
use crate::state::{STATE, control, overflowed, set_symbolic};
use core::cell::Cell;
use core::sync::atomic::Ordering::Relaxed;
use wire::node::{Label, Node, Op};
use wire::segment::overflow;

struct Table {
    address: Cell<u64>,
    mask: Cell<u32>,
    /// Of all that is reserved.
    bytes: Cell<u64>,
}

// SAFETY: the first thread alone builds nodes.
unsafe impl Sync for Table {}

static TABLE: Table = Table {
    address: Cell::new(0),
    mask: Cell::new(0),
    bytes: Cell::new(0),
};

/// Slots of the first generation.
const FIRST_SLOTS: u32 = 1 << 10;

const SLOT_BYTES: u64 = 8;

/// The node with this label.
#[inline]
pub(crate) fn node(label: Label) -> Node {
    peek(STATE.nodes.get() + u64::from(label) * size_of::<Node>() as u64)
}

/// True for a label that names a node of this run.
#[inline]
pub(crate) fn exists(label: Label) -> bool {
    label != 0 && label < STATE.node_count.get()
}

/// Sets the table up for `capacity` nodes. False when there is no memory.
pub(crate) fn prepare(capacity: u32) -> bool {
    let slots = u64::from(capacity.max(FIRST_SLOTS)).next_power_of_two() * 4;
    let Some(address) = reserve(slots * 2 * SLOT_BYTES) else {
        return false;
    };
    // Here once, in place of a page of zeros in each run, which its first node then copies.
    zero(address, u64::from(FIRST_SLOTS) * SLOT_BYTES);
    TABLE.address.set(address);
    TABLE.mask.set(FIRST_SLOTS - 1);
    TABLE.bytes.set(slots * 2 * SLOT_BYTES);
    true
}

/// First byte of the table's memory and the one behind the last.
pub(crate) fn range() -> (u64, u64) {
    let start = TABLE.address.get();
    (start, start + TABLE.bytes.get())
}

fn hash(node: &Node) -> u32 {
    const MIX: u64 = 0x9e37_79b9_7f4a_7c15;
    /// Both halves of the product: every bit of the input reaches every bit.
    fn fold(a: u64, b: u64) -> u64 {
        let product = u128::from(a) * u128::from(b);
        product as u64 ^ (product >> 64) as u64
    }
    let head = u64::from(node.op)
        | u64::from(node.aux) << 8
        | u64::from(node.bits) << 16
        | u64::from(node.c) << 32;
    let mut h = fold(
        head ^ MIX,
        (u64::from(node.a) | u64::from(node.b) << 32) ^ 0xd6e8_feb8_6659_fd93,
    );
    if node.op == Op::Const as u8 {
        h = fold(h ^ node.value[0], MIX ^ node.value[1]);
    }
    (fold(h, MIX) >> 32) as u32
}

fn same(x: &Node, y: &Node) -> bool {
    x.op == y.op
        && x.aux == y.aux
        && x.bits == y.bits
        && x.a == y.a
        && x.b == y.b
        && x.c == y.c
        && (x.op != Op::Const as u8 || x.value == y.value)
}

/// A slot: the hash above the label; 0 is free.
const fn entry(hash: u32, label: Label) -> u64 {
    (hash as u64) << 32 | label as u64
}

/// The label of this node; 0 when the table is full.
pub(crate) fn intern(wanted: &Node) -> Label {
    let (table, mask) = (TABLE.address.get(), TABLE.mask.get());
    let hash = hash(wanted);
    let mut slot = hash & mask;
    loop {
        let address = table + u64::from(slot) * SLOT_BYTES;
        let found: u64 = peek(address);
        if found == 0 {
            return append(wanted, hash, address);
        }
        if (found >> 32) as u32 == hash && same(&node(found as u32), wanted) {
            return found as u32;
        }
        slot = (slot + 1) & mask;
    }
}

fn append(node: &Node, hash: u32, slot: u64) -> Label {
    let label = STATE.node_count.get();
    if label >= STATE.node_capacity.get() {
        overflowed(overflow::NODES);
        return 0;
    }
    poke(
        STATE.nodes.get() + u64::from(label) * size_of::<Node>() as u64,
        *node,
    );
    if label == 1 {
        set_symbolic(true);
    }
    STATE.node_count.set(label + 1);
    control().node_count.store(label + 1, Relaxed);
    poke(slot, entry(hash, label));
    if label >= TABLE.mask.get() / 4 * 3 {
        grow();
    }
    label
}

/// Twice as many slots, in the memory behind this generation.
#[cold]
fn grow() {
    let slots = u64::from(TABLE.mask.get()) + 1;
    let old = TABLE.address.get();
    let address = old + slots * SLOT_BYTES;
    let mask = (slots * 2 - 1) as u32;
    for index in 0..slots {
        let moved: u64 = peek(old + index * SLOT_BYTES);
        if moved == 0 {
            continue;
        }
        let mut slot = (moved >> 32) as u32 & mask;
        while peek::<u64>(address + u64::from(slot) * SLOT_BYTES) != 0 {
            slot = (slot + 1) & mask;
        }
        poke(address + u64::from(slot) * SLOT_BYTES, moved);
    }
    TABLE.address.set(address);
    TABLE.mask.set(mask);
}
