//! Expressions that a recorded constraint fixes to their value on this run: a pointer that was pinned once is not
//! pinned again at each of its uses.
//!
//! What must hold: an expression is in the set only after a constraint that says what its value is.

use crate::build::Sym;
use crate::cons;
use core::cell::Cell;
use wire::node::Op;

const SLOTS: usize = 1024;
/// Slots that are looked at for one label.
const PROBES: usize = 8;

struct Set([Cell<u32>; SLOTS]);

#[allow(
    unsafe_code,
    reason = "one static behind the gate of `state::recording`"
)]
// SAFETY: the first thread alone records.
unsafe impl Sync for Set {}

static SET: Set = Set([const { Cell::new(0) }; SLOTS]);

/// The expression without constants that are added to it: it is fixed when the sum is.
pub(crate) fn base(value: Sym) -> Sym {
    let mut current = value;
    while current.symbolic() {
        let node = cons::node(current.label);
        let is_sum = Op::from_u8(node.op) == Some(Op::Add);
        if !is_sum || Sym::of(node.b).symbolic() {
            break;
        }
        current = Sym::of(node.a);
    }
    current
}

fn slots(label: u32) -> impl Iterator<Item = &'static Cell<u32>> {
    let start = label.wrapping_mul(0x9e37_79b1) as usize;
    (0..PROBES).map(move |step| &SET.0[(start >> 16).wrapping_add(step) % SLOTS])
}

/// Whether a value is known on this run though it is symbolic.
pub(crate) fn is_fixed(value: Sym) -> bool {
    let label = base(value).label;
    label != 0 && slots(label).any(|slot| slot.get() == label)
}

/// Remembers that a constraint fixes the value. Where the set is full it is forgotten, at the cost of another constraint.
pub(crate) fn fix(value: Sym) {
    let label = base(value).label;
    if let Some(slot) = slots(label).find(|slot| slot.get() == 0) {
        slot.set(label);
    }
}
