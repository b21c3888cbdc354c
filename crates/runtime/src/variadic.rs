//! Labels of variable arguments (System V x86-64 `va_list`).
//!
//! What must hold: the places where the callee will look for arguments never keep labels of an earlier call.
#![allow(unsafe_code, reason = "exported symbols")]

use crate::memory;
use crate::raw::{peek, poke};
use crate::record::loss;
use crate::state::{self, recording};
use core::cell::{Cell, RefCell};
use wire::event::NO_SPOT;
use wire::segment::Loss;

/// Classes of variable arguments.
mod class {
    pub(super) const INTEGER: u32 = 0;
    pub(super) const FLOAT: u32 = 1;
    /// An object in memory: a call says where it is and, in place of a label, its alignment. In a list, a part of one, on the stack.
    pub(super) const OBJECT: u32 = 3;
    /// In a list: the first part of an object that is aligned as two words are.
    pub(super) const WIDE_OBJECT: u32 = 4;
}

/// One variable argument.
#[derive(Clone, Copy)]
#[repr(C)]
struct Argument {
    kind: u16,
    bytes: u16,
    label: u32,
}

/// Variable arguments that keep labels; later ones are concrete. They fit the callee's token of 1 KiB.
const MOST: usize = 120;

/// Bytes of an object without labels that one entry of a list stands for.
const MOST_BYTES: usize = 1 << 15;

struct Pending {
    consumed: Cell<bool>,
    /// The list belongs to the call that was entered last.
    entered: Cell<bool>,
    list: RefCell<([Argument; MOST], usize)>,
}

// SAFETY: the first thread alone passes labels.
unsafe impl Sync for Pending {}

static PENDING: Pending = Pending {
    consumed: Cell::new(true),
    entered: Cell::new(false),
    list: RefCell::new((
        [Argument {
            kind: 0,
            bytes: 0,
            label: 0,
        }; MOST],
        0,
    )),
};

/// A call took its labels, or nobody did: what comes next belongs to another call.
pub(crate) fn consumed() {
    let fresh = !PENDING.consumed.replace(true);
    PENDING.entered.set(fresh);
}

#[unsafe(no_mangle)]
pub extern "C" fn __bw_vararg(kind: u32, bytes: u32, label: u32, value: u64) {
    if !recording() {
        return;
    }
    let mut list = PENDING.list.borrow_mut();
    if state::callee() != 0 || PENDING.consumed.replace(false) {
        state::set_callee(0);
        list.1 = 0;
    }
    if kind == class::OBJECT {
        return object(&mut list, value, bytes, label);
    }
    let argument = Argument {
        kind: kind as u16,
        bytes: bytes.min(65535) as u16,
        label,
    };
    if !put(&mut list, argument) && label != 0 {
        loss(NO_SPOT, Loss::Full);
    }
}

/// False if there is no room.
fn put((list, count): &mut ([Argument; MOST], usize), argument: Argument) -> bool {
    let Some(place) = list.get_mut(*count) else {
        return false;
    };
    *place = argument;
    *count += 1;
    true
}

/// The bytes of an object are copied when the call is made: what is symbolic in them is listed now, a word at a time.
fn object(list: &mut ([Argument; MOST], usize), address: u64, bytes: u32, align: u32) {
    let first = match align > 8 {
        true => class::WIDE_OBJECT,
        false => class::OBJECT,
    };
    let symbolic = memory::any(address, bytes.into());
    let words = bytes.div_ceil(8);
    if !symbolic || list.1 + words as usize > MOST {
        for start in (0..bytes).step_by(MOST_BYTES) {
            let kind = if start == 0 { first } else { class::OBJECT };
            let argument = Argument {
                kind: kind as u16,
                bytes: (bytes - start).min(MOST_BYTES as u32) as u16,
                label: 0,
            };
            put(list, argument);
        }
        if symbolic {
            loss(NO_SPOT, Loss::Full);
        }
        return;
    }
    for word in 0..words {
        let (at, count) = (address + 8 * u64::from(word), (bytes - 8 * word).min(8));
        let mut value = 0_u128;
        for index in (0..count).rev() {
            value = value << 8 | u128::from(peek::<u8>(at + u64::from(index)));
        }
        let kind = if word == 0 { first } else { class::OBJECT };
        let argument = Argument {
            kind: kind as u16,
            bytes: count as u16,
            label: memory::load(at, count, value).label,
        };
        put(list, argument);
    }
}

#[unsafe(no_mangle)]
pub extern "C" fn __bw_va_enter(entered: u32, _gp_fixed: u32, _fp_fixed: u32, token: u64) {
    poke(token, 0_u64);
    poke(token + DIRTY, 0_u64);
    if entered == 0 || !recording() || !PENDING.entered.replace(false) {
        return;
    }
    let list = PENDING.list.borrow();
    poke(token, list.1 as u64);
    for (index, argument) in list.0[..list.1].iter().enumerate() {
        poke(token + 8 + 8 * index as u64, *argument);
    }
}

/// Where in a token it says which bytes of the caller's stack have labels: address, and how many.
const DIRTY: u64 = 8 + 8 * MOST as u64;

/// Bytes of stacks that functions which have not returned gave labels to; later ones are not remembered.
struct Dirty(RefCell<([(u64, u64); MOST_DIRTY], usize)>);

const MOST_DIRTY: usize = 64;

// SAFETY: the first thread alone passes labels.
unsafe impl Sync for Dirty {}

static DIRTY_STACK: Dirty = Dirty(RefCell::new(([(0, 0); MOST_DIRTY], 0)));

fn remember(token: u64, start: u64, bytes: u64) {
    poke(token + DIRTY, start);
    poke(token + DIRTY + 8, bytes);
    let mut dirty = DIRTY_STACK.0.borrow_mut();
    let count = dirty.1;
    if let Some(entry) = dirty.0.get_mut(count) {
        *entry = (start, bytes);
        dirty.1 = count + 1;
    }
}

/// The caller's next call may put other values where this one's arguments were, and say nothing if they are concrete.
#[unsafe(no_mangle)]
pub extern "C" fn __bw_va_leave(token: u64) {
    let start: u64 = peek(token + DIRTY);
    if start == 0 {
        return;
    }
    memory::clear(start, peek(token + DIRTY + 8));
    if recording() {
        let mut dirty = DIRTY_STACK.0.borrow_mut();
        let known = dirty.0[..dirty.1].iter().position(|entry| entry.0 == start);
        dirty.1 = known.unwrap_or(dirty.1);
    }
}

/// Functions between a `longjmp` and where it led to did not leave: their arguments lie below this place in a frame.
pub(crate) fn resumed(frame: u64) {
    /// Further away is another stack.
    const NEAR: u64 = 1 << 23;
    consumed();
    let mut dirty = DIRTY_STACK.0.borrow_mut();
    while let Some(last) = dirty.1.checked_sub(1) {
        let (start, bytes) = dirty.0[last];
        if start > frame || frame - start > NEAR {
            break;
        }
        memory::clear(start, bytes);
        dirty.1 = last;
    }
}

/// Offsets in `va_list`.
const GP_OFFSET: u64 = 0;
const FP_OFFSET: u64 = 4;
const OVERFLOW_AREA: u64 = 8;
const SAVE_AREA: u64 = 16;
/// Ends of the two parts of the register save area.
const GP_END: u64 = 48;
const FP_END: u64 = 176;

#[unsafe(no_mangle)]
pub extern "C" fn __bw_va_start(va_list: u64, token: u64) {
    memory::clear(va_list, 24);
    let (mut gp, mut fp) = (
        u64::from(peek::<u32>(va_list + GP_OFFSET)),
        u64::from(peek::<u32>(va_list + FP_OFFSET)),
    );
    let (mut stack, save) = (
        peek::<u64>(va_list + OVERFLOW_AREA),
        peek::<u64>(va_list + SAVE_AREA),
    );
    if gp > GP_END || fp > FP_END {
        return;
    }
    memory::clear(save + gp, GP_END - gp);
    memory::clear(save + fp, FP_END - fp);
    let count = if recording() {
        peek::<u64>(token).min(MOST as u64)
    } else {
        0
    };
    let overflow = stack;
    for index in 0..count {
        let argument: Argument = peek(token + 8 + 8 * index);
        let bytes = u64::from(argument.bytes);
        let slot = bytes.div_ceil(8) * 8;
        let place = match u32::from(argument.kind) {
            class::INTEGER if gp + slot <= GP_END => {
                gp += slot;
                save + gp - slot
            }
            class::FLOAT if fp + 16 <= FP_END => {
                fp += 16;
                save + fp - 16
            }
            kind => {
                let aligned = match kind {
                    class::OBJECT => false,
                    class::WIDE_OBJECT => true,
                    _ => bytes > 8,
                };
                if aligned {
                    stack = stack.next_multiple_of(16);
                }
                stack += slot;
                stack - slot
            }
        };
        memory::clear(place, slot);
        memory::write_label(place, bytes.min(16) as u32, argument.label);
    }
    if stack != overflow {
        remember(token, overflow, stack - overflow);
    }
}

#[unsafe(no_mangle)]
pub extern "C" fn __bw_va_copy(to: u64, from: u64) {
    memory::move_shadow(to, from, 24);
}
