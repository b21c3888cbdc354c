//! The heap: blocks are remembered so that reads through symbolic addresses know their bounds.
#![allow(unsafe_code, reason = "exported symbols")]

use crate::handshake::Call;
use crate::raw::copy;
use crate::{memory, objects};
use core::ffi::c_void;
use wire::segment::Loss;

/// Blocks up to this size lose old labels when they are handed out again.
const CLEARED_BYTES: u64 = 1 << 16;

fn born(call: &Call, block: u64, bytes: u64) -> u64 {
    if block != 0 && call.live {
        if bytes <= CLEARED_BYTES {
            memory::clear(block, bytes);
        }
        objects::allocated(block, bytes);
    }
    block
}

#[unsafe(no_mangle)]
pub extern "C" fn __bw_libc_malloc(bytes: u64) -> u64 {
    let call = Call::enter(__bw_libc_malloc as *const () as u64);
    call.pinned(0, bytes, Loss::Length);
    // SAFETY: the program's own call.
    let block = unsafe { libc::malloc(bytes as usize) } as u64;
    born(&call, block, bytes)
}

#[unsafe(no_mangle)]
pub extern "C" fn __bw_libc_calloc(count: u64, bytes: u64) -> u64 {
    let call = Call::enter(__bw_libc_calloc as *const () as u64);
    call.pinned(0, count, Loss::Length);
    call.pinned(1, bytes, Loss::Length);
    // SAFETY: the program's own call.
    let block = unsafe { libc::calloc(count as usize, bytes as usize) } as u64;
    if block != 0 {
        memory::clear(block, count * bytes);
    }
    born(&call, block, count.wrapping_mul(bytes))
}

/// Bytes of the old block that a resized one keeps.
fn usable(block: u64) -> u64 {
    // SAFETY: a live block of the program's allocator, or null.
    unsafe { libc::malloc_usable_size(block as *mut c_void) as u64 }
}

fn resized(call: &Call, old: u64, bytes: u64, resize: impl FnOnce() -> u64) -> u64 {
    let kept = if call.live && old != 0 {
        usable(old).min(bytes)
    } else {
        0
    };
    let labelled = kept != 0 && memory::any(old, kept);
    let saved = if labelled {
        crate::raw::reserve(kept * 4)
    } else {
        None
    };
    if let Some(saved) = saved {
        copy(saved, wire::shadow::of(old), kept * 4);
    }
    let block = resize();
    if call.live && (block != 0 || bytes == 0) {
        objects::freed(old);
        if block != old {
            born(call, block, bytes);
        } else if block != 0 {
            objects::allocated(block, bytes);
        }
    }
    if let Some(saved) = saved {
        if block != 0 {
            copy(wire::shadow::of(block), saved, kept * 4);
        }
        crate::raw::release(saved, kept * 4);
    }
    block
}

#[unsafe(no_mangle)]
pub extern "C" fn __bw_libc_realloc(old: u64, bytes: u64) -> u64 {
    let call = Call::enter(__bw_libc_realloc as *const () as u64);
    call.pinned(0, old, Loss::Address);
    call.pinned(1, bytes, Loss::Length);
    // SAFETY: the program's own call.
    resized(
        &call,
        old,
        bytes,
        || unsafe { libc::realloc(old as *mut c_void, bytes as usize) } as u64,
    )
}

#[unsafe(no_mangle)]
pub extern "C" fn __bw_libc_reallocarray(old: u64, count: u64, bytes: u64) -> u64 {
    let call = Call::enter(__bw_libc_reallocarray as *const () as u64);
    call.pinned(0, old, Loss::Address);
    call.pinned(1, count, Loss::Length);
    call.pinned(2, bytes, Loss::Length);
    let Some(total) = count.checked_mul(bytes) else {
        crate::raw::set_errno(libc::ENOMEM);
        return 0;
    };
    // SAFETY: the program's own call, with the product checked.
    resized(
        &call,
        old,
        total,
        || unsafe { libc::realloc(old as *mut c_void, total as usize) } as u64,
    )
}

#[unsafe(no_mangle)]
pub extern "C" fn __bw_libc_free(block: u64) {
    let call = Call::enter(__bw_libc_free as *const () as u64);
    call.pinned(0, block, Loss::Address);
    if call.live {
        objects::freed(block);
    }
    // SAFETY: the program's own call.
    unsafe { libc::free(block as *mut c_void) }
}

#[unsafe(no_mangle)]
pub extern "C" fn __bw_libc_posix_memalign(place: u64, alignment: u64, bytes: u64) -> i32 {
    let call = Call::enter(__bw_libc_posix_memalign as *const () as u64);
    call.pinned(0, place, Loss::Address);
    call.pinned(1, alignment, Loss::Length);
    call.pinned(2, bytes, Loss::Length);
    // SAFETY: the program's own call.
    let error = unsafe {
        libc::posix_memalign(
            place as *mut *mut c_void,
            alignment as usize,
            bytes as usize,
        )
    };
    if error == 0 {
        memory::clear(place, 8);
        born(&call, crate::raw::peek(place), bytes);
    }
    error
}

macro_rules! aligned {
    ($($name:ident, $real:ident;)*) => { $(
        #[unsafe(no_mangle)]
        pub extern "C" fn $name(alignment: u64, bytes: u64) -> u64 {
            let call = Call::enter($name as *const () as u64);
            call.pinned(0, alignment, Loss::Length);
            call.pinned(1, bytes, Loss::Length);
            // SAFETY: the program's own call.
            let block = unsafe { libc::$real(alignment as usize, bytes as usize) } as u64;
            born(&call, block, bytes)
        }
    )* };
}

aligned! {
    __bw_libc_aligned_alloc, aligned_alloc;
    __bw_libc_memalign, memalign;
}
