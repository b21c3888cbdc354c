//! Labels across calls: see `wire::abi`. Also the form in which the runtime's own functions take part.
//!
//! What must hold: labels of one call are never seen by another; every exit of a wrapper leaves `callee` 0.
#![allow(unsafe_code, reason = "exported symbols")]

use crate::build::{Sym, operand};
use crate::memory;
use crate::raw::{copy, reserve};
use crate::record::pin;
use crate::state::{self, recording};
use core::cell::{Cell, RefCell};
use wire::event::NO_SPOT;
use wire::segment::{ARGS, Loss, RESULTS};

#[unsafe(no_mangle)]
pub extern "C" fn __bw_enter(own: u64) -> u32 {
    if !recording() {
        return 0;
    }
    if state::returned() != 0 {
        // A callback's result, which code that we do not know has read.
        state::set_returned(0);
        crate::record::loss(NO_SPOT, Loss::External);
    }
    let callee = state::callee();
    state::set_callee(0);
    if callee != own {
        // Code that we do not know took the arguments and calls back: what it knows of them is lost.
        if callee != 0 {
            crate::record::loss(NO_SPOT, Loss::External);
        }
        return 0;
    }
    CALL.consumed.set(true);
    crate::variadic::consumed();
    1
}

#[unsafe(no_mangle)]
pub extern "C" fn __bw_result(called: u64) -> u32 {
    if !recording() {
        return 0;
    }
    let returned = state::returned();
    state::set_returned(0);
    if returned != called && returned != 0 {
        // Code that we do not know stands between: it called back, or the function called another in its place.
        crate::record::loss(NO_SPOT, Loss::External);
    }
    (returned == called).into()
}

/// Shadow words of arguments passed by value, between caller and callee.
struct ByValue {
    consumed: Cell<bool>,
    buffer: Cell<u64>,
    used: Cell<u64>,
    /// The first so many are in use.
    entries: RefCell<([Passed; ARGS], usize)>,
}

/// Slot, bytes, offset in the buffer.
type Passed = (u32, u64, u64);

// SAFETY: the first thread alone passes labels.
unsafe impl Sync for ByValue {}

static CALL: ByValue = ByValue {
    consumed: Cell::new(false),
    buffer: Cell::new(0),
    used: Cell::new(0),
    entries: RefCell::new(([(0, 0, 0); ARGS], 0)),
};

/// Bytes of shadow that one call can pass by value.
const BUFFER_BYTES: u64 = 1 << 22;

#[unsafe(no_mangle)]
pub extern "C" fn __bw_byval_out(slot: u32, source: u64, bytes: u64) {
    if !recording() {
        return;
    }
    let mut entries = CALL.entries.borrow_mut();
    let last = entries.1.checked_sub(1).map(|last| entries.0[last].0);
    if CALL.consumed.replace(false) || last.is_some_and(|last| slot <= last) {
        entries.1 = 0;
        CALL.used.set(0);
    }
    if CALL.buffer.get() == 0 {
        let Some(buffer) = reserve(BUFFER_BYTES) else {
            return crate::record::loss(NO_SPOT, Loss::Full);
        };
        CALL.buffer.set(buffer);
    }
    let (count, used) = (entries.1, CALL.used.get());
    if count == ARGS || bytes > (BUFFER_BYTES - used) / 4 {
        crate::record::loss(NO_SPOT, Loss::Full);
        return;
    }
    copy(
        CALL.buffer.get() + used,
        wire::shadow::of(source),
        bytes * 4,
    );
    entries.0[count] = (slot, bytes, used);
    entries.1 = count + 1;
    CALL.used.set(used + bytes * 4);
}

#[unsafe(no_mangle)]
pub extern "C" fn __bw_byval_in(slot: u32, parameter: u64, bytes: u64, entered: u32) {
    memory::clear(parameter, bytes);
    if entered == 0 || !recording() {
        return;
    }
    let entries = CALL.entries.borrow();
    if let Some((_, sent, offset)) = entries.0[..entries.1].iter().find(|entry| entry.0 == slot) {
        copy(
            wire::shadow::of(parameter),
            CALL.buffer.get() + offset,
            bytes.min(*sent) * 4,
        );
    }
}

/// A call of one of the runtime's own functions: its argument labels, and where its result goes.
pub(crate) struct Call {
    own: u64,
    entered: bool,
    /// False on other threads: no labels in, none out.
    pub(crate) live: bool,
}

impl Call {
    /// At entry of the function at `own`, as the caller sees that address.
    #[inline]
    pub(crate) fn enter(own: u64) -> Call {
        let live = recording();
        let entered = live && state::callee() == own;
        if entered {
            state::set_callee(0);
            crate::variadic::consumed();
        }
        Call { own, entered, live }
    }

    /// Whether what the call sees in memory may have labels.
    #[inline]
    pub(crate) fn involved(&self) -> bool {
        self.live && state::is_symbolic()
    }

    /// Argument `index`.
    #[inline]
    pub(crate) fn arg(&self, index: usize, value: u64, bits: u16) -> Sym {
        let label = if self.entered {
            state::argument(index)
        } else {
            0
        };
        operand(label, value.into(), bits)
    }

    /// An argument whose symbolism the function cannot use.
    #[inline]
    pub(crate) fn pinned(&self, index: usize, value: u64, reason: Loss) {
        if self.entered && state::argument(index) != 0 {
            pin(NO_SPOT, self.arg(index, value, 64), reason);
        }
    }

    /// The same for an `int`.
    #[inline]
    pub(crate) fn pinned_narrow(&self, index: usize, value: u32, reason: Loss) {
        if self.entered && state::argument(index) != 0 {
            pin(NO_SPOT, self.arg(index, value.into(), 32), reason);
        }
    }

    /// Several pointers, from argument 0 on.
    #[inline]
    pub(crate) fn pinned_pointers(&self, pointers: &[u64]) {
        for (index, &pointer) in pointers.iter().enumerate() {
            self.pinned(index, pointer, Loss::Address);
        }
    }

    /// Passes the label of the result.
    #[inline]
    pub(crate) fn give(&self, result: Sym) {
        if self.live && result.symbolic() {
            state::set_result(0, result.label);
            for index in 1..RESULTS.min(2) {
                state::set_result(index, 0);
            }
            state::set_returned(self.own);
        }
    }
}
