//! Threads: from the first one on, inline code takes the slow path for every event, where only the first thread records.
#![allow(unsafe_code, reason = "exported symbols")]

use crate::record::marked;
use crate::state::{STATE, recording, set_limit};
use wire::event::mark;

unsafe extern "C" {
    fn pthread_create(thread: u64, attributes: u64, start: u64, argument: u64) -> i32;
}

#[unsafe(no_mangle)]
pub extern "C" fn __bw_libc_pthread_create(
    thread: u64,
    attributes: u64,
    start: u64,
    argument: u64,
) -> i32 {
    if recording() && !STATE.threads.get() {
        STATE.threads.set(true);
        marked(mark::THREADS, 0);
        set_limit(0);
    }
    // SAFETY: the program's own call.
    unsafe { pthread_create(thread, attributes, start, argument) }
}
