//! The bytes that a fuzz target is called with; `models/../replay/fuzz.c` is the `main` that asks for them.
//!
//! What must hold: the buffer is as long as the input and no longer, so that a read beyond it is seen by whoever watches.
#![allow(unsafe_code, reason = "an exported symbol")]

use crate::handshake::Call;
use crate::raw::{copy, poke};
use crate::state::recording;
use crate::{memory, streams};
use wire::input::Role;
use wire::segment::Loss;

/// Gives the bytes of the fuzz target's input and how many they are: `*data` and `*size`.
#[unsafe(no_mangle)]
pub extern "C" fn __bw_fuzz_input(data: u64, size: u64) {
    let call = Call::enter(__bw_fuzz_input as *const () as u64);
    call.pinned(0, data, Loss::Address);
    call.pinned(1, size, Loss::Length);
    memory::clear(data, 8);
    memory::clear(size, 8);
    poke(size, 0_u64);
    if recording() {
        warm_heap();
        crate::server::before_input();
    }
    let stream = streams::of(Role::Fuzz).next().filter(|_| recording());
    let length = stream.map_or(0, |stream| stream.supplied());
    // SAFETY: a plain allocation.
    let buffer = unsafe { libc::malloc(length as usize) } as u64;
    poke(data, buffer);
    let Some(stream) = stream.filter(|_| buffer != 0) else {
        return;
    };
    stream.begin();
    copy(buffer, stream.content(), length.into());
    memory::clear(buffer, length.into());
    stream.label(buffer, 0, length);
    poke(size, u64::from(length));
    memory::store(size, 8, stream.size());
}

/// Has the C library make its heap now. Otherwise each run makes one, and has it taken away: three calls of the system, and new pages
/// that are looked for in all of the process.
fn warm_heap() {
    // The compiler would leave out a pair of which nothing is used.
    // SAFETY: a plain allocation, given back.
    unsafe { libc::free(core::hint::black_box(libc::malloc(1))) };
}
