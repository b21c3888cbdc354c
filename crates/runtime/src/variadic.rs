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
    /// Says only where an object in memory is: what is symbolic in it is lost.
    pub(super) const OBJECT: u32 = 3;
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

struct Pending {
    consumed: Cell<bool>,
    list: RefCell<([Argument; MOST], usize)>,
}

// SAFETY: the first thread alone passes labels.
unsafe impl Sync for Pending {}

static PENDING: Pending = Pending {
    consumed: Cell::new(true),
    list: RefCell::new((
        [Argument {
            kind: 0,
            bytes: 0,
            label: 0,
        }; MOST],
        0,
    )),
};

/// A call took its labels: what comes next belongs to another call.
pub(crate) fn consumed() {
    PENDING.consumed.set(true);
}

#[unsafe(no_mangle)]
pub extern "C" fn __bw_vararg(kind: u32, bytes: u32, label: u32, value: u64) {
    if !recording() {
        return;
    }
    if kind == class::OBJECT {
        if memory::any(value, bytes.into()) {
            loss(NO_SPOT, Loss::Instruction);
        }
        return;
    }
    let mut list = PENDING.list.borrow_mut();
    if state::callee() != 0 || PENDING.consumed.replace(false) {
        state::set_callee(0);
        list.1 = 0;
    }
    let count = list.1;
    if count < MOST {
        list.0[count] = Argument {
            kind: kind as u16,
            bytes: bytes.min(65535) as u16,
            label,
        };
        list.1 = count + 1;
    } else if label != 0 {
        loss(NO_SPOT, Loss::Full);
    }
}

#[unsafe(no_mangle)]
pub extern "C" fn __bw_va_enter(entered: u32, _gp_fixed: u32, _fp_fixed: u32, token: u64) {
    poke(token, 0_u64);
    if entered == 0 || !recording() {
        return;
    }
    let list = PENDING.list.borrow();
    poke(token, list.1 as u64);
    for (index, argument) in list.0[..list.1].iter().enumerate() {
        poke(token + 8 + 8 * index as u64, *argument);
    }
    drop(list);
    PENDING.list.borrow_mut().1 = 0;
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
            _ => {
                if bytes > 8 {
                    stack = stack.next_multiple_of(16);
                }
                stack += slot;
                stack - slot
            }
        };
        memory::clear(place, slot);
        memory::write_label(place, bytes.min(16) as u32, argument.label);
    }
}

#[unsafe(no_mangle)]
pub extern "C" fn __bw_va_copy(to: u64, from: u64) {
    memory::move_shadow(to, from, 24);
}
