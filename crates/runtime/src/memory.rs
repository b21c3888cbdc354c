//! Shadow memory: labels of loads, stores and block operations.
//!
//! What must hold: a shadow word names a byte of a node; a label leaves memory only after its bytes were compared with
//! what the memory holds now.
#![allow(unsafe_code, reason = "exported symbols")]

use crate::build::{Sym, concat, extract, operand};
use crate::raw::{copy, discard, peek, poke, zero};
use crate::record::{loss, pin};
use crate::state::{STATE, recording};
use crate::{cons, state, symbolic_read};
use core::sync::atomic::Ordering::Relaxed;
use wire::event::NO_SPOT;
use wire::node::{shadow_parts, shadow_word};
use wire::segment::Loss;
use wire::shadow;

/// Shadow ranges from this size on are given back to the system instead of written.
const DISCARD_BYTES: u64 = 1 << 18;

#[inline]
fn word_at(address: u64) -> u32 {
    peek(shadow::of(address))
}

/// True when some byte of the range has a label. Tests eight bytes of memory at a time.
pub(crate) fn any(address: u64, bytes: u64) -> bool {
    state::is_symbolic() && has_labels(address, bytes)
}

fn has_labels(address: u64, bytes: u64) -> bool {
    (0..bytes / 8).any(|block| peek::<[u64; 4]>(shadow::of(address + 8 * block)) != [0; 4])
        || (bytes & !7..bytes).any(|index| word_at(address + index) != 0)
}

/// Makes a range concrete. Writes only where labels are.
pub(crate) fn clear(address: u64, bytes: u64) {
    let is_alone = STATE.phase.get() as u32 <= state::Phase::Alone as u32;
    if bytes == 0 || is_alone || !state::is_symbolic() {
        return;
    }
    let (start, length) = (shadow::of(address), bytes * 4);
    if length >= DISCARD_BYTES {
        let (first, last) = (start.next_multiple_of(4096), (start + length) & !4095);
        zero(start, first - start);
        discard(first, last - first);
        zero(last, start + length - last);
    } else if any(address, bytes) {
        zero(start, length);
    }
}

/// Moves labels as `memmove` moves bytes.
pub(crate) fn move_shadow(to: u64, from: u64, bytes: u64) {
    if STATE.phase.get() as u32 <= state::Phase::Alone as u32 {
        return;
    }
    if any(from, bytes) {
        copy(shadow::of(to), shadow::of(from), bytes * 4);
    } else {
        clear(to, bytes);
    }
}

/// The byte at an address, with its expression.
pub(crate) fn byte(address: u64) -> Sym {
    let value: u8 = peek(address);
    match word_at(address) {
        0 => Sym::concrete(value.into(), 8),
        word => whole_piece(word, 1, value.into())
            .unwrap_or_else(|| byte_by_byte(word, 1, value.into())),
    }
}

/// `count` consecutive bytes of a node, from the one that `word` names, if they are what memory holds.
fn whole_piece(word: u32, count: u16, value: u128) -> Option<Sym> {
    let (label, index) = shadow_parts(word);
    if !cons::exists(label) {
        return None;
    }
    let (whole, low, bits) = (Sym::of(label), 8 * index as u16, 8 * count);
    let fits = low + bits <= whole.bits && (whole.value >> low) & crate::eval::mask(bits) == value;
    fits.then(|| extract(whole, low, bits))
}

/// The same when some byte was changed behind the instrumentation's back: that byte is concrete.
#[cold]
fn byte_by_byte(word: u32, count: u16, value: u128) -> Sym {
    let (label, first) = shadow_parts(word);
    STATE.stale.set(STATE.stale.get().wrapping_add(1));
    state::control().stale.store(STATE.stale.get(), Relaxed);
    loss(NO_SPOT, Loss::Stale);
    let one = |index: u16| {
        let byte = (value >> (8 * index)) & 0xff;
        let word = shadow_word(label, first + u32::from(index));
        whole_piece(word, 1, byte).unwrap_or(Sym::concrete(byte, 8))
    };
    (1..count).fold(one(0), |low, index| concat(one(index), low))
}

/// The value of `bytes` bytes of memory that hold `value`, little-endian.
pub(crate) fn load(address: u64, bytes: u32, value: u128) -> Sym {
    let mut result: Option<Sym> = None;
    let mut at = 0_u32;
    while at < bytes {
        let word = word_at(address + u64::from(at));
        let mut end = at + 1;
        while end < bytes && continues(word, end - at, word_at(address + u64::from(end))) {
            end += 1;
        }
        let count = (end - at) as u16;
        let part = (value >> (8 * at)) & crate::eval::mask(8 * count);
        let sym = match word {
            0 => Sym::concrete(part, 8 * count),
            _ => whole_piece(word, count, part).unwrap_or_else(|| byte_by_byte(word, count, part)),
        };
        result = Some(result.map_or(sym, |low| concat(sym, low)));
        at = end;
    }
    result.unwrap_or(Sym::concrete(0, 8))
}

/// True when `next` is the byte `distance` after `first` of the same node, or both are concrete.
fn continues(first: u32, distance: u32, next: u32) -> bool {
    if first == 0 {
        return next == 0;
    }
    let ((label, index), (other, position)) = (shadow_parts(first), shadow_parts(next));
    label == other && position == index + distance
}

/// Sets the shadow of `bytes` bytes that hold a value.
pub(crate) fn store(address: u64, bytes: u32, value: Sym) {
    if !value.symbolic() {
        return clear(address, bytes.into());
    }
    if bytes <= 8 {
        return write_label(address, bytes, value.label);
    }
    write_label(address, 8, extract(value, 0, 64).label);
    let rest = bytes - 8;
    write_label(address + 8, rest, extract(value, 64, 8 * rest as u16).label);
}

/// Writes the shadow words of one label of `bytes` bytes; more than 8 are split as [`store`] does.
pub(crate) fn write_label(address: u64, bytes: u32, label: u32) {
    if bytes > 8 && label != 0 {
        if cons::exists(label) && u32::from(cons::node(label).bits) == 8 * bytes {
            return store(address, bytes, Sym::of(label));
        }
        // A label of another width: what it says of these bytes nobody knows.
        crate::record::loss(wire::event::NO_SPOT, wire::segment::Loss::Stale);
        return clear(address, bytes.into());
    }
    for index in 0..bytes {
        poke(
            shadow::of(address + u64::from(index)),
            shadow_word(label, index),
        );
    }
}

const fn wide(low: u64, high: u64) -> u128 {
    low as u128 | (high as u128) << 64
}

#[unsafe(no_mangle)]
pub extern "C" fn __bw_load(
    spot: u32,
    la: u32,
    address: u64,
    bytes: u32,
    v0: u64,
    v1: u64,
    base: u64,
    base_bytes: u64,
) -> u32 {
    if bytes == 0 || bytes > 16 || !recording() {
        return 0;
    }
    let value = wide(v0, v1) & crate::eval::mask(8 * bytes as u16);
    if la != 0 {
        let address = operand(la, address.into(), 64);
        if address.symbolic() {
            return symbolic_read::read(spot, address, bytes, value, (base, base_bytes)).label;
        }
    }
    let first = word_at(address);
    if bytes <= 8 && first != 0 {
        let (label, index) = shadow_parts(first);
        let whole = (1..bytes).all(|i| word_at(address + u64::from(i)) == shadow_word(label, i));
        if index == 0 && whole && cons::exists(label) {
            let node = cons::node(label);
            if u32::from(node.bits) == 8 * bytes && node.concrete() == value {
                return label;
            }
        }
    }
    load(address, bytes, value).label
}

#[unsafe(no_mangle)]
pub extern "C" fn __bw_store(
    spot: u32,
    la: u32,
    address: u64,
    bytes: u32,
    lv: u32,
    v0: u64,
    v1: u64,
) {
    if bytes == 0 || bytes > 16 || !recording() {
        return clear(address, bytes.into());
    }
    pin(spot, operand(la, address.into(), 64), Loss::Address);
    store(address, bytes, operand(lv, wide(v0, v1), 8 * bytes as u16));
}

#[unsafe(no_mangle)]
pub extern "C" fn __bw_memmove(spot: u32, ld: u32, d: u64, ls: u32, s: u64, ln: u32, n: u64) {
    if recording() {
        pin(spot, operand(ld, d.into(), 64), Loss::Address);
        pin(spot, operand(ls, s.into(), 64), Loss::Address);
        pin(spot, operand(ln, n.into(), 64), Loss::Length);
    }
    move_shadow(d, s, n);
}

#[unsafe(no_mangle)]
pub extern "C" fn __bw_memset(spot: u32, ld: u32, d: u64, lv: u32, v: u32, ln: u32, n: u64) {
    if !recording() {
        return clear(d, n);
    }
    pin(spot, operand(ld, d.into(), 64), Loss::Address);
    pin(spot, operand(ln, n.into(), 64), Loss::Length);
    let value = if lv != 0 && cons::exists(lv) {
        operand(lv, v.into(), cons::node(lv).bits)
    } else {
        Sym::concrete(0, 8)
    };
    fill(d, value, n);
}

/// Sets every byte of a range to the low byte of a value.
pub(crate) fn fill(address: u64, value: Sym, bytes: u64) {
    let low = if value.bits > 8 {
        extract(value, 0, 8)
    } else {
        value
    };
    if !low.symbolic() {
        return clear(address, bytes);
    }
    for index in 0..bytes {
        poke(shadow::of(address + index), shadow_word(low.label, 0));
    }
}

#[unsafe(no_mangle)]
pub extern "C" fn __bw_clear(d: u64, n: u64) {
    clear(d, n);
}
