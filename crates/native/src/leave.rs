//! The end of this process, whatever its threads are busy with.
#![allow(unsafe_code, reason = "system calls that std does not offer")]

use std::io::Write;

/// Ends the process at once. No destructor runs, neither ours nor those of libraries: a thread that was left behind may still
/// be at work in them.
pub fn now(code: u8) -> ! {
    let _ = std::io::stdout().flush();
    // SAFETY: a system call without pointers.
    unsafe { libc::_exit(i32::from(code)) }
}

/// Gives memory that nobody uses back to the system.
pub fn trim_memory() {
    // SAFETY: the allocator looks after itself.
    unsafe { libc::malloc_trim(0) };
}

/// Resident memory of this process, in bytes; 0 where the system does not say.
#[must_use]
pub fn resident_bytes() -> u64 {
    let text = std::fs::read_to_string("/proc/self/statm").unwrap_or_default();
    let pages = text
        .split_whitespace()
        .nth(1)
        .and_then(|pages| pages.parse::<u64>().ok());
    // SAFETY: a question without pointers.
    let page = unsafe { libc::sysconf(libc::_SC_PAGESIZE) };
    pages.unwrap_or(0) * u64::try_from(page).unwrap_or(4096)
}
