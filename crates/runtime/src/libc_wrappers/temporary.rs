//! Temporary files. The C library makes `tmpfile`'s in `/tmp`, whatever `TMPDIR` says, many programs make theirs there by name, and there
//! the sandbox lets no program write: one that needs such a file would end before it reads any input. The judge's `replay.c` does the
//! same for its build.
#![allow(
    unsafe_code,
    reason = "exported symbols, and system calls on terminated paths"
)]

use core::ffi::{CStr, c_char, c_int};

/// Letters of a template that are replaced.
const PLACES: usize = 6;

unsafe extern "C" {
    fn __real_mkstemp(template: *mut c_char) -> c_int;
    fn __real_mkdtemp(template: *mut c_char) -> *mut c_char;
}

/// Stands for `tmpfile` in instrumented programs (the linker's `--wrap`).
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

/// Stands for `mkstemp`.
///
/// # Safety
/// As the C library's.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn __wrap_mkstemp(template: *mut c_char) -> c_int {
    // SAFETY: the caller promises a template.
    unsafe { make(template, |name| __real_mkstemp(name), |&file| file < 0) }
}

/// The same: there is no other size of files here.
///
/// # Safety
/// As the C library's.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn __wrap_mkstemp64(template: *mut c_char) -> c_int {
    // SAFETY: the caller promises a template.
    unsafe { __wrap_mkstemp(template) }
}

/// Stands for `mkdtemp`.
///
/// # Safety
/// As the C library's.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn __wrap_mkdtemp(template: *mut c_char) -> *mut c_char {
    // SAFETY: the caller promises a template.
    unsafe { make(template, |name| __real_mkdtemp(name), |name| name.is_null()) }
}

/// Makes what the template says, or where that is not permitted the same in the folder in which the program runs. The template
/// says so afterwards, and has room for it: a shorter name.
///
/// # Safety
/// The template is writable and terminated.
unsafe fn make<T>(
    template: *mut c_char,
    real: impl Fn(*mut c_char) -> T,
    failed: impl Fn(&T) -> bool,
) -> T {
    // SAFETY: all that is read and written is within the template.
    unsafe {
        let bytes = CStr::from_ptr(template).to_bytes();
        let length = bytes.len();
        let last = bytes.iter().rposition(|&byte| byte == b'/');
        let made = real(template);
        let is_elsewhere = length >= PLACES && *template == b'/'.cast_signed();
        let refused = failed(&made) && *libc::__errno_location() == libc::EACCES;
        match last {
            Some(last) if last > 0 && last + PLACES < length && is_elsewhere && refused => {
                // A failure may leave letters behind.
                core::ptr::write_bytes(template.add(length - PLACES), b'X', PLACES);
                *template = b'.'.cast_signed();
                core::ptr::copy(template.add(last), template.add(1), length + 1 - last);
                real(template)
            }
            _ => made,
        }
    }
}
