//! Copies of strings: `strcpy` and relatives. How long a string is on this run is recorded as decisions of the library.
#![allow(unsafe_code, reason = "exported symbols")]

use crate::build::{equals, not};
use crate::handshake::Call;
use crate::raw::{copy, first_of, poke};
use crate::record::library;
use crate::{bytes, memory, objects};
use wire::segment::Loss;

/// Length of a string of at most `limit` bytes; its symbolic bytes are decided.
pub(super) fn decided_length(call: &Call, string: u64, limit: u64) -> u64 {
    let end = first_of(string, limit, |bytes| bytes::first(0, bytes));
    let length = end.unwrap_or(limit);
    let looked_at = (length + 1).min(limit);
    if call.involved() && memory::any(string, looked_at) {
        for index in 0..looked_at {
            let ends = equals(memory::byte(string + index), 0);
            library(if index == length { ends } else { not(ends) });
        }
    }
    length
}

/// Copies bytes with their labels.
fn copy_labelled(to: u64, from: u64, bytes: u64) {
    copy(to, from, bytes);
    memory::move_shadow(to, from, bytes);
}

fn terminate(at: u64) {
    poke(at, 0_u8);
    memory::clear(at, 1);
}

/// Copies a whole string; returns the address of its terminator.
fn copy_string(call: &Call, to: u64, from: u64, limit: u64) -> u64 {
    let length = decided_length(call, from, limit);
    copy_labelled(to, from, length);
    terminate(to + length);
    to + length
}

#[unsafe(no_mangle)]
pub extern "C" fn __bw_libc_strcpy(to: u64, from: u64) -> u64 {
    let call = Call::enter(__bw_libc_strcpy as *const () as u64);
    call.pinned_pointers(&[to, from]);
    copy_string(&call, to, from, u64::MAX);
    to
}

#[unsafe(no_mangle)]
pub extern "C" fn __bw_libc_stpcpy(to: u64, from: u64) -> u64 {
    let call = Call::enter(__bw_libc_stpcpy as *const () as u64);
    call.pinned_pointers(&[to, from]);
    copy_string(&call, to, from, u64::MAX)
}

#[unsafe(no_mangle)]
pub extern "C" fn __bw_libc_strncpy(to: u64, from: u64, limit: u64) -> u64 {
    let call = Call::enter(__bw_libc_strncpy as *const () as u64);
    call.pinned_pointers(&[to, from]);
    call.pinned(2, limit, Loss::Length);
    padded(&call, to, from, limit);
    to
}

/// A string of at most `limit` bytes, filled up with zeros.
fn padded(call: &Call, to: u64, from: u64, limit: u64) {
    let length = decided_length(call, from, limit);
    copy_labelled(to, from, length);
    crate::raw::zero(to + length, limit - length);
    memory::clear(to + length, limit - length);
}

#[unsafe(no_mangle)]
pub extern "C" fn __bw_libc_strcat(to: u64, from: u64) -> u64 {
    let call = Call::enter(__bw_libc_strcat as *const () as u64);
    call.pinned_pointers(&[to, from]);
    let end = to + decided_length(&call, to, u64::MAX);
    copy_string(&call, end, from, u64::MAX);
    to
}

#[unsafe(no_mangle)]
pub extern "C" fn __bw_libc_strncat(to: u64, from: u64, limit: u64) -> u64 {
    let call = Call::enter(__bw_libc_strncat as *const () as u64);
    call.pinned_pointers(&[to, from]);
    call.pinned(2, limit, Loss::Length);
    let end = to + decided_length(&call, to, u64::MAX);
    copy_string(&call, end, from, limit);
    to
}

fn duplicate(call: &Call, string: u64, limit: u64) -> u64 {
    let length = decided_length(call, string, limit);
    // SAFETY: the program's own allocator, as `strdup` uses it.
    let block = unsafe { libc::malloc(length as usize + 1) } as u64;
    if block != 0 {
        copy_labelled(block, string, length);
        terminate(block + length);
        if call.live {
            objects::allocated(block, length + 1);
        }
    }
    block
}

#[unsafe(no_mangle)]
pub extern "C" fn __bw_libc_strdup(string: u64) -> u64 {
    let call = Call::enter(__bw_libc_strdup as *const () as u64);
    call.pinned_pointers(&[string]);
    duplicate(&call, string, u64::MAX)
}

#[unsafe(no_mangle)]
pub extern "C" fn __bw_libc_strndup(string: u64, limit: u64) -> u64 {
    let call = Call::enter(__bw_libc_strndup as *const () as u64);
    call.pinned_pointers(&[string]);
    call.pinned(1, limit, Loss::Length);
    duplicate(&call, string, limit)
}

/// What `_FORTIFY_SOURCE` makes of them: the room is the compiler's number.
fn fits(bytes: u64, room: u64) {
    if bytes > room {
        // SAFETY: as the C library does where a buffer would overflow.
        unsafe { libc::abort() }
    }
}

macro_rules! checked {
    ($($name:ident append $append:literal end $end:literal ($($limit:ident)?);)*) => { $(
        #[unsafe(no_mangle)]
        pub extern "C" fn $name(to: u64, from: u64 $(, $limit: u64)?, room: u64) -> u64 {
            let call = Call::enter($name as *const () as u64);
            call.pinned_pointers(&[to, from]);
            let most = u64::MAX;
            $(
                call.pinned(2, $limit, Loss::Length);
                let most = $limit.min(most);
            )?
            let start = to + if $append { decided_length(&call, to, u64::MAX) } else { 0 };
            let bytes = decided_length(&call, from, most);
            fits(start - to + bytes + 1, room);
            copy_labelled(start, from, bytes);
            terminate(start + bytes);
            if $end { start + bytes } else { to }
        }
    )* };
}

checked! {
    __bw_libc___strcpy_chk append false end false ();
    __bw_libc___stpcpy_chk append false end true ();
    __bw_libc___strcat_chk append true end false ();
    __bw_libc___strncat_chk append true end false (limit);
}

#[unsafe(no_mangle)]
pub extern "C" fn __bw_libc___strncpy_chk(to: u64, from: u64, limit: u64, room: u64) -> u64 {
    let call = Call::enter(__bw_libc___strncpy_chk as *const () as u64);
    call.pinned_pointers(&[to, from]);
    call.pinned(2, limit, Loss::Length);
    fits(limit, room);
    padded(&call, to, from, limit);
    to
}
