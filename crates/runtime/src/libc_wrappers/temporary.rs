//! `tmpfile`. The C library makes its file in `/tmp`, whatever `TMPDIR` says, and there the sandbox lets no program write: one that
//! needs such a file would end before it reads any input.
#![allow(
    unsafe_code,
    reason = "exported symbols, and system calls on terminated paths"
)]

use core::ffi::CStr;

/// Stands for `tmpfile` in instrumented programs (the linker's `--wrap`); the judge's `replay.c` does the same.
#[unsafe(no_mangle)]
pub extern "C" fn __wrap_tmpfile() -> *mut libc::FILE {
    // SAFETY: the paths, names and modes are terminated.
    unsafe {
        let folder = libc::getenv(c"TMPDIR".as_ptr());
        let folder = match folder.is_null() {
            true => c"/tmp",
            false => CStr::from_ptr(folder),
        };
        let flags = libc::O_TMPFILE | libc::O_RDWR | libc::O_EXCL;
        let mut file = libc::open(folder.as_ptr(), flags, 0o600);
        if file < 0 {
            file = libc::memfd_create(c"tmpfile".as_ptr(), 0);
        }
        if file < 0 {
            return core::ptr::null_mut();
        }
        libc::fdopen(file, c"w+".as_ptr())
    }
}

/// The same: there is no other size of files here.
#[unsafe(no_mangle)]
pub extern "C" fn __wrap_tmpfile64() -> *mut libc::FILE {
    __wrap_tmpfile()
}
