//! Waiting on a word of shared memory.
//!
//! Must hold: the futexes are not private (the other side is another process); a wait always has a time limit.
#![allow(unsafe_code, reason = "system calls that std does not offer")]

use std::sync::atomic::AtomicU32;
use std::time::Duration;

/// Sleeps until somebody wakes `word`, at most `limit`, and not at all when it no longer is `expected`. May return
/// early: the caller looks at the word again.
pub fn wait(word: &AtomicU32, expected: u32, limit: Duration) {
    let limit = libc::timespec {
        tv_sec: limit.as_secs().min(3600) as libc::time_t,
        tv_nsec: libc::c_long::from(limit.subsec_nanos() as i32),
    };
    // SAFETY: the address is that of a live atomic, the time limit lives on our stack.
    unsafe {
        libc::syscall(
            libc::SYS_futex,
            word.as_ptr(),
            libc::FUTEX_WAIT,
            expected,
            &raw const limit,
        )
    };
}

/// Wakes everybody who waits on `word`.
pub fn wake(word: &AtomicU32) {
    // SAFETY: the address is that of a live atomic.
    unsafe { libc::syscall(libc::SYS_futex, word.as_ptr(), libc::FUTEX_WAKE, i32::MAX) };
}
