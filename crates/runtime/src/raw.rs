//! Raw memory and system calls: the few places where an address becomes an access.
//!
//! What must hold: callers pass addresses that lie in the segment (geometry checked at attach), in the shadow region (mapped
//! whole at attach), or in memory that the program itself has accessed or passed to a C function.
#![allow(unsafe_code, reason = "the runtime lives in another program's memory")]

use crate::bytes;
use crate::gate::gate;
use core::ffi::c_void;

/// Reads a plain number.
#[inline]
pub(crate) fn peek<T: Copy>(address: u64) -> T {
    // SAFETY: see the module comment; unaligned reads are allowed for.
    unsafe { (address as *const T).read_unaligned() }
}

/// Writes a plain number.
#[inline]
pub(crate) fn poke<T: Copy>(address: u64, value: T) {
    // SAFETY: see the module comment; unaligned writes are allowed for.
    unsafe { (address as *mut T).write_unaligned(value) }
}

/// Whether eight bytes can be read there: asked of the kernel, which reads them before it finds that the call is wrong.
pub(crate) fn is_readable(address: u64) -> bool {
    const NO_SUCH_WAY: u64 = i32::MAX as u64;
    let arguments = [NO_SUCH_WAY, address, 0, size_of::<u64>() as u64, 0, 0];
    gate(libc::SYS_rt_sigprocmask, arguments) == -i64::from(libc::EINVAL)
}

/// `memmove`, by `rep movsb`-free copying through the C library.
#[inline]
pub(crate) fn copy(to: u64, from: u64, bytes: u64) {
    // SAFETY: see the module comment; overlap is allowed.
    unsafe { core::ptr::copy(from as *const u8, to as *mut u8, bytes as usize) }
}

/// Fills with zeros.
#[inline]
pub(crate) fn zero(to: u64, bytes: u64) {
    // SAFETY: see the module comment.
    unsafe { core::ptr::write_bytes(to as *mut u8, 0, bytes as usize) }
}

/// A slice over memory that outlives the use.
#[inline]
pub(crate) fn slice<T>(address: u64, count: usize) -> &'static [T] {
    if count == 0 {
        return &[];
    }
    // SAFETY: see the module comment; callers keep no slice over memory that they write.
    unsafe { core::slice::from_raw_parts(address as *const T, count) }
}

/// A mutable slice over the runtime's own private memory.
#[inline]
pub(crate) fn slice_mut<T: Copy>(address: u64, count: usize) -> &'static mut [T] {
    if count == 0 {
        return &mut [];
    }
    // SAFETY: only used for memory that the runtime mapped for itself, one user at a time.
    unsafe { core::slice::from_raw_parts_mut(address as *mut T, count) }
}

/// Private anonymous memory, lazily touched. `None` when the system has none.
pub(crate) fn reserve(bytes: u64) -> Option<u64> {
    // SAFETY: a fresh mapping, wherever the system likes.
    let address = unsafe {
        libc::mmap(
            core::ptr::null_mut(),
            bytes as usize,
            libc::PROT_READ | libc::PROT_WRITE,
            libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_NORESERVE,
            -1,
            0,
        )
    };
    (address != libc::MAP_FAILED).then_some(address as u64)
}

/// Gives private pages back; they read as zero afterwards.
pub(crate) fn discard(address: u64, bytes: u64) {
    // SAFETY: the range lies in private anonymous memory of the runtime (the shadow).
    unsafe { libc::madvise(address as *mut c_void, bytes as usize, libc::MADV_DONTNEED) };
}

/// `errno` of the calling thread.
pub(crate) fn errno() -> i32 {
    // SAFETY: the C library's own accessor.
    unsafe { *libc::__errno_location() }
}

/// Sets `errno` of the calling thread.
pub(crate) fn set_errno(value: i32) {
    // SAFETY: the C library's own accessor.
    unsafe { *libc::__errno_location() = value }
}

/// The thread pointer: distinct for each live thread.
#[inline]
pub(crate) fn thread_pointer() -> u64 {
    let pointer: u64;
    // SAFETY: the x86-64 ABI keeps the thread pointer's own address at fs:0.
    unsafe {
        core::arch::asm!("mov {}, fs:0", out(reg) pointer, options(nostack, preserves_flags, readonly))
    };
    pointer
}

/// Ends the process at once, whatever the program did to `_exit`.
pub(crate) fn exit_now(status: i32) -> ! {
    loop {
        // SAFETY: does not return.
        unsafe { libc::syscall(libc::SYS_exit_group, status) };
    }
}

/// Writes text to standard error, as well as it can.
pub(crate) fn complain(text: &[u8]) {
    // SAFETY: a plain write of our own bytes.
    unsafe { libc::syscall(libc::SYS_write, 2, text.as_ptr(), text.len()) };
}

/// Length of a C string.
pub(crate) fn c_len(string: u64) -> u64 {
    first_of(string, u64::MAX, |bytes| bytes::first(0, bytes))
        .expect("a string ends before memory does")
}

/// The first place that `find` sees in so many bytes, of which none behind that place need be there: what is on the page of one that
/// is.
pub(crate) fn first_of(
    start: u64,
    bytes: u64,
    find: impl Fn(&[u8]) -> Option<usize>,
) -> Option<u64> {
    const PAGE: u64 = 4096;
    let mut done = 0;
    while done < bytes {
        let at = start + done;
        let count = (PAGE - at % PAGE).min(bytes - done);
        if let Some(place) = find(slice(at, count as usize)) {
            return Some(done + place as u64);
        }
        done += count;
    }
    None
}

/// Gives a mapping of [`reserve`] back.
pub(crate) fn release(address: u64, bytes: u64) {
    // SAFETY: the caller mapped it and keeps no reference.
    unsafe { libc::munmap(address as *mut c_void, bytes as usize) };
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_protected_is_not_readable() {
        let page = reserve(4096).expect("memory");
        assert!(is_readable(page) && is_readable(page + 4088));
        // SAFETY: a mapping of this test.
        unsafe { libc::mprotect(page as *mut c_void, 4096, libc::PROT_NONE) };
        assert!(!is_readable(page));
        release(page, 4096);
    }
}
