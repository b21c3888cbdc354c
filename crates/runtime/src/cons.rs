//! The node table: hash-consing into the shared segment.
//!
//! What must hold: a node is written in full before its number is published in `Control::node_count`; equal nodes have one
//! label; the hash table starts small and grows, so that a short run touches few pages.
#![allow(
    unsafe_code,
    reason = "one static behind the gate of `state::recording`"
)]

use crate::raw::{peek, poke, reserve};
use crate::state::{STATE, control, overflowed};
use core::cell::Cell;
use core::sync::atomic::Ordering::Relaxed;
use wire::node::{Label, Node, Op};
use wire::segment::overflow;

struct Table {
    address: Cell<u64>,
    mask: Cell<u32>,
}

// SAFETY: the first thread alone builds nodes.
unsafe impl Sync for Table {}

static TABLE: Table = Table {
    address: Cell::new(0),
    mask: Cell::new(0),
};

/// Slots of the first generation.
const FIRST_SLOTS: u32 = 1 << 11;

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
    let slots = u64::from(capacity.max(FIRST_SLOTS)).next_power_of_two() * 8;
    let Some(address) = reserve(slots * 2 * 4) else {
        return false;
    };
    TABLE.address.set(address);
    TABLE.mask.set(FIRST_SLOTS - 1);
    true
}

fn hash(node: &Node) -> u32 {
    const MIX: u64 = 0x9e37_79b9_7f4a_7c15;
    let head = u64::from(node.op)
        | u64::from(node.aux) << 8
        | u64::from(node.bits) << 16
        | u64::from(node.c) << 32;
    let mut h = head.wrapping_mul(MIX);
    h = (h ^ (h >> 32) ^ (u64::from(node.a) | u64::from(node.b) << 32)).wrapping_mul(MIX);
    if node.op == Op::Const as u8 {
        h = (h ^ (h >> 29) ^ node.value[0]).wrapping_mul(MIX);
        h = (h ^ (h >> 29) ^ node.value[1]).wrapping_mul(MIX);
    }
    (h >> 32) as u32
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

/// The label of this node; 0 when the table is full.
pub(crate) fn intern(wanted: &Node) -> Label {
    let (table, mask) = (TABLE.address.get(), TABLE.mask.get());
    let mut slot = hash(wanted) & mask;
    loop {
        let address = table + u64::from(slot) * 4;
        let label: u32 = peek(address);
        if label == 0 {
            return append(wanted, address);
        }
        if same(&node(label), wanted) {
            return label;
        }
        slot = (slot + 1) & mask;
    }
}

fn append(node: &Node, slot: u64) -> Label {
    let label = STATE.node_count.get();
    if label >= STATE.node_capacity.get() {
        overflowed(overflow::NODES);
        return 0;
    }
    poke(
        STATE.nodes.get() + u64::from(label) * size_of::<Node>() as u64,
        *node,
    );
    STATE.node_count.set(label + 1);
    control().node_count.store(label + 1, Relaxed);
    poke(slot, label);
    if label >= TABLE.mask.get() / 2 {
        grow();
    }
    label
}

/// Four times as many slots, in the memory behind this generation.
#[cold]
fn grow() {
    let slots = u64::from(TABLE.mask.get()) + 1;
    let address = TABLE.address.get() + slots * 4;
    let mask = (slots * 4 - 1) as u32;
    for label in 1..STATE.node_count.get() {
        let mut slot = hash(&node(label)) & mask;
        while peek::<u32>(address + u64::from(slot) * 4) != 0 {
            slot = (slot + 1) & mask;
        }
        poke(address + u64::from(slot) * 4, label);
    }
    TABLE.address.set(address);
    TABLE.mask.set(mask);
}
