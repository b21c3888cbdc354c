//! The event stream: branches, switches, calls, constraints, marks and losses.
//!
//! What must hold: an event is written in full before the cursor moves past it; when the area is full and nothing can be
//! folded, nothing more is written and edges are counted in `edge_hits`.
#![allow(unsafe_code, reason = "exported symbols")]

use crate::build::{Sym, equals, operand};
use crate::fixed;
use crate::near;
use crate::raw::{peek, poke, slice_mut, zero};
use crate::state::{self, Phase, STATE, overflowed, recording};
use core::cell::{Cell, RefCell};
use core::sync::atomic::Ordering::Relaxed;
use wire::event::{END, PAYLOAD_MASK, class, kind, mark, parts, word};
use wire::segment::{Loss, LossRecord, overflow};

/// Appends one event. False when the area is full.
fn emit(words: &[u32]) -> bool {
    if state::cursor() >= STATE.events_end.get() && !crate::fold::make_room() {
        overflowed(overflow::EVENTS);
        // What was cut off for good: inline code must not write later events behind a gap.
        STATE.events_end.set(0);
        STATE.events_full.set(0);
        state::set_limit(0);
        return false;
    }
    let cursor = state::cursor();
    for (index, &word) in words.iter().enumerate() {
        poke(cursor + 4 * index as u64, word);
    }
    let end = cursor + 4 * words.len() as u64;
    poke(end, END);
    state::set_cursor(end);
    true
}

/// Address of the count of an edge; functions are counted from the end of the area.
fn count_at(index: u64) -> u64 {
    STATE.edge_hits.get() + 4 * index
}

/// One more.
fn count_one(index: u64) {
    let address = count_at(index);
    poke(address, peek::<u32>(address).saturating_add(1));
}

/// An edge that has no event.
pub(crate) fn count_edge(edge: u32) {
    if u64::from(edge) < STATE.edge_hits_capacity.get() {
        count_one(edge.into());
    }
}

/// A function that was entered without an event.
pub(crate) fn count_function(function: u32) {
    let (function, capacity) = (u64::from(function), STATE.edge_hits_capacity.get());
    if function < capacity {
        count_one(capacity - 1 - function);
    }
}

/// What is left of an event for which there is no room.
fn count(word: u32) {
    match parts(word) {
        (kind::EDGE, edge) => count_edge(edge),
        (kind::CALL, function) => count_function(function),
        _ => {}
    }
}

/// Slow path of inline event writing: the area is full, threads run, or the runtime is not attached.
#[unsafe(no_mangle)]
pub extern "C" fn __bw_event(word: u32) {
    match STATE.phase.get() {
        Phase::Fresh => return crate::attach::attach(),
        Phase::Alone => return crate::attach::rewind_ring(),
        Phase::Prefix | Phase::Running => {}
    }
    if !recording() {
        if !STATE.recording.get() {
            crate::attach::rewind_ring();
        } else {
            // Another thread: the run is not recorded in full, and says so.
            let seen = match parts(word).0 {
                kind::EDGE => overflow::THREADS,
                kind::CALL => overflow::CALLS,
                _ => 0,
            };
            state::control().overflow.fetch_or(seen, Relaxed);
            count(word);
        }
        return;
    }
    if !emit(&[word]) {
        count(word);
    }
}

#[unsafe(no_mangle)]
pub extern "C" fn __bw_branch(edge: u32, lc: u32, c: u32, pred_bits: u32, a: u64, b: u64) {
    if STATE.phase.get() as u32 <= Phase::Alone as u32 || !recording() {
        return __bw_event(word(kind::EDGE, edge));
    }
    let condition = operand(lc, u128::from(c & 1), 1);
    let done = if condition.symbolic() {
        emit(&[word(kind::EDGE_SYM, edge), condition.label])
    } else {
        near::compared(edge & PAYLOAD_MASK, pred_bits, a, b);
        emit(&[word(kind::EDGE, edge)])
    };
    if !done {
        count_edge(edge & PAYLOAD_MASK);
    }
}

#[unsafe(no_mangle)]
pub extern "C" fn __bw_switch(bits: u32, lv: u32, v: u64) {
    if !recording() {
        return;
    }
    let value = operand(lv, v.into(), bits as u16);
    if value.symbolic() {
        emit(&[word(kind::SWITCH, 0), value.label]);
    }
}

/// A condition that is true on this run for a reason outside the source's branches. Concrete ones are not recorded.
pub(crate) fn constraint(class: u32, spot: u32, condition: Sym) {
    if condition.symbolic() && condition.value == 1 {
        emit(&[word(kind::CONSTRAINT, class), spot, condition.label]);
    }
}

/// A decision inside a library function.
pub(crate) fn library(condition: Sym) {
    decision(class::LIBRARY, wire::event::NO_SPOT, condition);
}

/// What must hold or the program traps. When it is about to trap the negation is recorded: without it, the search
/// could not get past the trap.
fn check(spot: u32, condition: Sym) {
    decision(class::CHECK, spot, condition);
}

/// Records a condition, or its negation when that is what holds.
fn decision(class: u32, spot: u32, condition: Sym) {
    let held = if condition.value == 1 {
        condition
    } else {
        crate::build::not(condition)
    };
    constraint(class, spot, held);
}

/// Fixes a value to what it is on this run.
pub(crate) fn pin(spot: u32, value: Sym, reason: Loss) {
    if value.symbolic() && !fixed::is_fixed(value) {
        let base = fixed::base(value);
        constraint(class::PIN, spot, equals(base, base.value));
        fixed::fix(base);
        count_loss(spot, reason);
    }
}

/// A MARK event.
pub(crate) fn marked(code: u32, argument: u32) {
    emit(&[word(kind::MARK, code), argument]);
}

/// An INPUT event.
pub(crate) fn input_created(index: u32) {
    emit(&[word(kind::INPUT, index)]);
}

#[unsafe(no_mangle)]
pub extern "C" fn __bw_divisor(spot: u32, signed_bits: u32, la: u32, a: u64, lb: u32, b: u64) {
    use crate::build::{binary, not};
    use wire::node::Op;
    if !recording() {
        return;
    }
    let (signed, bits) = ((signed_bits & 1) != 0, (signed_bits >> 16) as u16);
    let (a, b) = (operand(la, a.into(), bits), operand(lb, b.into(), bits));
    check(spot, not(equals(b, 0)));
    if signed && bits > 1 {
        let overflow = binary(Op::And, equals(a, 1 << (bits - 1)), equals(b, u128::MAX));
        check(spot, not(overflow));
    }
}

#[unsafe(no_mangle)]
pub extern "C" fn __bw_divide_error() -> ! {
    // SAFETY: raises SIGFPE, as the program's own division would. A handler that returns comes back to it.
    unsafe { core::arch::asm!("xor edx, edx", "xor ecx, ecx", "div ecx", options(noreturn)) }
}

#[unsafe(no_mangle)]
pub extern "C" fn __bw_lost(spot: u32, reason: u32, label: u32) {
    if reason == Loss::External as u32 {
        // Nobody took the arguments: they must not pass for those of the next call.
        crate::variadic::consumed();
    }
    if label == 0 || !recording() {
        return;
    }
    if let Some(reason) = Loss::ALL.iter().find(|loss| **loss as u32 == reason) {
        loss(spot, *reason);
    }
}

#[unsafe(no_mangle)]
pub extern "C" fn __bw_pin(spot: u32, label: u32, value: u64) {
    if recording() {
        pin(spot, operand(label, value.into(), 64), Loss::Address);
    }
}

#[unsafe(no_mangle)]
pub extern "C" fn __bw_resumed(function: u32, frame: u64) {
    if recording() {
        state::set_callee(0);
        state::set_returned(0);
        crate::variadic::resumed(frame);
        marked(mark::RESUME, function);
    }
}

/// Slots of the index over the loss records.
const LOSS_SLOTS: usize = 8192;

struct LossIndex(Cell<u64>);

// SAFETY: the first thread alone records losses.
unsafe impl Sync for LossIndex {}

static LOSS_INDEX: LossIndex = LossIndex(Cell::new(0));

/// Spots of the library models: first, and how many.
struct Models {
    ranges: RefCell<[(u32, u32); MOST_MODELS]>,
    count: Cell<usize>,
}

/// Modules of models; spots of later ones keep their own names.
const MOST_MODELS: usize = 64;

// SAFETY: modules are registered by constructors, losses recorded by the first thread.
unsafe impl Sync for Models {}

static MODELS: Models = Models {
    ranges: RefCell::new([(0, 0); MOST_MODELS]),
    count: Cell::new(0),
};

/// The module with these spots is a model of library functions.
pub(crate) fn add_model(first: u32, spots: u32) {
    let count = MODELS.count.get();
    if count < MOST_MODELS {
        MODELS.ranges.borrow_mut()[count] = (first, spots);
        MODELS.count.set(count + 1);
    }
}

/// What a wrapper or a model loses is lost at the program's call. (A stale label or a full table may have another cause.)
fn program_spot(spot: u32, reason: Loss) -> u32 {
    if matches!(reason, Loss::Stale | Loss::Full | Loss::Thread) {
        return spot;
    }
    let is_model = MODELS.ranges.borrow()[..MODELS.count.get()]
        .iter()
        .any(|&(first, spots)| spot.wrapping_sub(first) < spots);
    if spot == wire::event::NO_SPOT || is_model {
        state::library_call().unwrap_or(spot)
    } else {
        spot
    }
}

/// A symbolic value became concrete for good at a spot: no exhausted tree is a proof any more.
#[cold]
pub(crate) fn loss(spot: u32, reason: Loss) {
    overflowed(overflow::LOST);
    count_loss(spot, reason);
}

/// Counts for the report, which decides nothing: a full table only makes it incomplete.
#[cold]
fn count_loss(spot: u32, reason: Loss) {
    let spot = program_spot(spot, reason);
    if LOSS_INDEX.0.get() == 0 {
        let Some(address) = crate::raw::reserve(LOSS_SLOTS as u64 * 4) else {
            return;
        };
        LOSS_INDEX.0.set(address);
    }
    let slots = slice_mut::<u32>(LOSS_INDEX.0.get(), LOSS_SLOTS);
    let record_address =
        |index: u32| STATE.losses.get() + u64::from(index) * size_of::<LossRecord>() as u64;
    let mut slot = (spot.wrapping_mul(0x9e37_79b1) ^ reason as u32) as usize % LOSS_SLOTS;
    while slots[slot] != 0 {
        let address = record_address(slots[slot] - 1);
        let mut record: LossRecord = peek(address);
        if record.spot == spot && record.reason == reason as u32 {
            record.count = record.count.saturating_add(1);
            poke(address, record);
            return;
        }
        slot = (slot + 1) % LOSS_SLOTS;
    }
    let index = STATE.loss_count.get();
    if index >= STATE.loss_capacity.get().min(LOSS_SLOTS as u32 / 2) {
        overflowed(overflow::LOSSES);
        return;
    }
    poke(
        record_address(index),
        LossRecord {
            spot,
            reason: reason as u32,
            count: 1,
            reserved: 0,
        },
    );
    slots[slot] = index + 1;
    STATE.loss_count.set(index + 1);
    state::control().loss_count.store(index + 1, Relaxed);
}

/// Forgets edge hits of an earlier run.
pub(crate) fn clear_edge_hits() {
    let capacity = STATE.edge_hits_capacity.get();
    let (edges, functions) = crate::attach::registered();
    zero(count_at(0), 4 * u64::from(edges).min(capacity));
    let functions = u64::from(functions).min(capacity);
    zero(count_at(capacity - functions), 4 * functions);
}
