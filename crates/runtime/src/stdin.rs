//! Symbolic standard input: stream 1. The child's descriptor 0 becomes a fresh file with the content, so that functions that
//! are not wrapped read the same bytes; the wrapped ones label what they read by its position.
//!
//! What must hold: a byte is labelled only if it is the stream's byte at that position.
#![allow(unsafe_code, reason = "descriptors; a constructor")]

use crate::build::{Sym, binary, input, not};
use crate::memory;
use crate::raw::{peek, poke};
use crate::record::library;
use crate::state::{Phase, STATE, recording};
use core::cell::Cell;
use wire::input::{LENGTH, STDIN, StreamRecord};
use wire::node::Op;

struct Known {
    live: Cell<bool>,
    /// Bounds of the length that recorded constraints imply.
    least: Cell<u32>,
    most: Cell<u32>,
    /// Positions before this one were read by wrapped functions, or counted as lost.
    seen: Cell<u32>,
}

// SAFETY: the first thread alone reads symbolic input.
unsafe impl Sync for Known {}

static KNOWN: Known = Known {
    live: Cell::new(false),
    least: Cell::new(0),
    most: Cell::new(u32::MAX),
    seen: Cell::new(0),
};

/// Runs behind the program's own constructors that have a priority, before `main`.
extern "C" fn constructor() {
    if STATE.phase.get() == Phase::Prefix
        && recording()
        && record().is_some_and(|record| record.active != 0)
    {
        crate::server::before_input();
        replace_descriptor();
    }
}

#[used]
#[unsafe(link_section = ".init_array")]
static CONSTRUCTOR: extern "C" fn() = constructor;

fn record_address() -> u64 {
    STATE.streams.get() + u64::from(STDIN) * size_of::<StreamRecord>() as u64
}

fn record() -> Option<StreamRecord> {
    (STATE.stream_capacity.get() > STDIN).then(|| peek(record_address()))
}

/// Puts the content behind descriptor 0.
fn replace_descriptor() {
    let Some(record) = record() else { return };
    let supplied = record.supplied.min(record.capacity);
    let saved = crate::raw::errno();
    // SAFETY: plain system calls on our own descriptor and the segment's bytes.
    unsafe {
        let file = libc::syscall(libc::SYS_memfd_create, c"stdin".as_ptr(), 0) as i32;
        if file < 0 {
            return;
        }
        let mut written = 0;
        while written < supplied {
            let from = STATE.segment.get() + record.offset + u64::from(written);
            let got = libc::syscall(libc::SYS_write, file, from, u64::from(supplied - written));
            if got <= 0 {
                break;
            }
            written += got as u32;
        }
        libc::syscall(libc::SYS_lseek, file, 0, libc::SEEK_SET);
        if file != 0 {
            libc::syscall(libc::SYS_dup2, file, 0);
            libc::syscall(libc::SYS_close, file);
        }
    }
    KNOWN.live.set(true);
    KNOWN.least.set(record.min_len);
    KNOWN.most.set(record.max_len);
    crate::raw::set_errno(saved);
}

/// True when this call reads symbolic input.
pub(crate) fn live() -> bool {
    KNOWN.live.get() && recording()
}

/// Position of descriptor 0.
pub(crate) fn position() -> Option<u32> {
    // SAFETY: a plain query.
    let at = unsafe { libc::lseek(0, 0, libc::SEEK_CUR) };
    u32::try_from(at).ok()
}

fn length(record: &StreamRecord) -> Sym {
    let supplied = record.supplied.min(record.capacity);
    if record.min_len == record.max_len {
        return Sym::concrete(supplied.into(), 32);
    }
    input(STDIN, LENGTH, 32, supplied.into())
}

fn used(positions: u32) {
    if let Some(mut record) = record()
        && record.used < positions
    {
        record.used = positions;
        poke(record_address(), record);
    }
}

/// A wrapped function reads from here: what others read before it is lost.
pub(crate) fn reads_from(position: u32) {
    if position > KNOWN.seen.get() {
        KNOWN.seen.set(position);
        crate::record::loss(wire::event::NO_SPOT, wire::segment::Loss::External);
    }
}

/// The stream had at least `bytes` bytes.
pub(crate) fn had(bytes: u32) {
    used(bytes);
    KNOWN.seen.set(KNOWN.seen.get().max(bytes));
    at_least(bytes);
}

/// The stream ended at `position`.
pub(crate) fn ended(position: u32) {
    used(position.saturating_add(1));
    at_most(position);
}

fn at_least(bytes: u32) {
    let Some(record) = record() else { return };
    if bytes > KNOWN.least.get() {
        KNOWN.least.set(bytes);
        let last = Sym::concrete(u128::from(bytes) - 1, 32);
        library(binary(Op::Ult, last, length(&record)));
    }
}

fn at_most(bytes: u32) {
    let Some(record) = record() else { return };
    if bytes < KNOWN.most.get() {
        KNOWN.most.set(bytes);
        let next = Sym::concrete(bytes.into(), 32);
        library(not(binary(Op::Ult, next, length(&record))));
    }
}

/// `got` of up to `wanted` bytes were read from a position on. The length is found as a program would that knows
/// nothing of it: everything or less, then by halves. So which decision comes next depends on the decisions before it
/// and not on the length, and runs part only where they decide differently.
pub(crate) fn had_some(at: u32, got: u32, wanted: u64) {
    let end = at.saturating_add(got);
    used(end.saturating_add(u32::from(u64::from(got) < wanted)));
    KNOWN.seen.set(KNOWN.seen.get().max(end));
    let all = u32::try_from(u64::from(at).saturating_add(wanted)).unwrap_or(u32::MAX);
    let mut most = KNOWN.most.get().min(all);
    let mut tried = most;
    while KNOWN.least.get().max(at) < most {
        if end >= tried {
            at_least(tried);
        } else {
            most = tried - 1;
            at_most(most);
        }
        let least = KNOWN.least.get().max(at);
        tried = least + most.saturating_sub(least).div_ceil(2);
    }
}

/// The byte at a position, if it is what was read.
pub(crate) fn byte(position: u32, read: u8) -> Sym {
    let concrete = Sym::concrete(read.into(), 8);
    let Some(record) = record() else {
        return concrete;
    };
    if position >= record.supplied.min(record.capacity) {
        return concrete;
    }
    let content: u8 = peek(STATE.segment.get() + record.offset + u64::from(position));
    if content == read {
        input(STDIN, position, 8, read.into())
    } else {
        concrete
    }
}

/// `count` bytes were read to memory from a position on.
pub(crate) fn label(address: u64, position: u32, count: u32) {
    for index in 0..count {
        let at = address + u64::from(index);
        memory::store(at, 1, byte(position + index, peek(at)));
    }
}
