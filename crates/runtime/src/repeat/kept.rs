//! What a repeater knows, in a mapping of its own: nothing of it is put back after a run.
//!
//! What must hold: only the repeater's one thread touches it.
#![allow(
    unsafe_code,
    reason = "a structure at an address that was mapped for it"
)]

use super::files::Files;
use super::maps::Maps;
use super::pages::Pages;
use super::signals::Signals;
use crate::gate::Dispatch;
use crate::raw::reserve;
use core::cell::Cell;

/// Bytes of a stack of our own.
const STACK_BYTES: u64 = 1 << 16;

/// The state of a repeater.
#[repr(C)]
pub(super) struct Kept {
    /// Where the program's stack stands in the server's call, its registers below.
    pub(super) stack: Cell<u64>,
    /// [`Dispatch::On`] while the program's system calls are seen; the kernel reads it.
    pub(super) selector: Cell<u8>,
    /// This process is an ordinary child from here on.
    pub(super) left: Cell<bool>,
    /// System calls of this run that were seen.
    pub(super) calls: Cell<u32>,
    pub(super) files: Files,
    pub(super) maps: Maps,
    pub(super) pages: Pages,
    pub(super) signals: Signals,
}

// All zeros is a value of every field, so that a fresh mapping is one of the whole.

struct Place(Cell<u64>);

// SAFETY: set before the first run, by the only thread.
unsafe impl Sync for Place {}

static PLACE: Place = Place(Cell::new(0));

const fn bytes() -> u64 {
    (size_of::<Kept>() as u64).next_multiple_of(4096)
}

/// Maps it. False when there is no memory.
pub(super) fn map() -> bool {
    let place = reserve(bytes() + 2 * STACK_BYTES);
    PLACE.0.set(place.unwrap_or(0));
    place.is_some()
}

/// Is this process a repeater?
pub(super) fn exists() -> bool {
    PLACE.0.get() != 0
}

/// The state. Only where [`exists`].
pub(super) fn kept() -> &'static Kept {
    // SAFETY: mapped for it, zeroed, never given back.
    unsafe { &*(PLACE.0.get() as *const Kept) }
}

/// First byte and the one behind the last of all that is kept.
pub(super) fn range() -> (u64, u64) {
    let start = PLACE.0.get();
    (start, start + bytes() + 2 * STACK_BYTES)
}

/// Top of the stack that the repeater runs on between runs.
pub(super) fn own_stack() -> u64 {
    PLACE.0.get() + bytes() + STACK_BYTES
}

/// Start and length of the stack that system calls are judged on.
pub(super) fn signal_stack() -> (u64, u64) {
    (own_stack(), STACK_BYTES)
}

/// The program's system calls are seen from here on, or no more.
pub(super) fn set_selector(mode: Dispatch) {
    let place = kept().selector.as_ptr();
    // SAFETY: a live byte, which the kernel reads as well.
    unsafe { place.write_volatile(mode as u8) }
}
