//! Files that a start made before its first touch of an input, such as the output that a compiler opens first.
//!
//! What must hold: each run makes them again for itself, for the folder is cleared behind each run, and what the server has
//! open it shares with all of them. So nothing may have been written to them.
#![allow(unsafe_code, reason = "system calls, cells of one thread")]

use crate::deferred::{is_readable, take_place};
use crate::gate::gate;
use crate::raw::{c_len, copy, slice};
use core::cell::{Cell, UnsafeCell};

/// Files that a start may make.
const MOST: usize = 8;
const PATH_BYTES: usize = 256;

struct File {
    descriptor: Cell<u64>,
    flags: Cell<u64>,
    mode: Cell<u64>,
    path: UnsafeCell<[u8; PATH_BYTES]>,
}

struct Made {
    files: [File; MOST],
    count: Cell<usize>,
}

// SAFETY: only while the process has one thread.
unsafe impl Sync for Made {}

static MADE: Made = Made {
    files: [const {
        File {
            descriptor: Cell::new(0),
            flags: Cell::new(0),
            mode: Cell::new(0),
            path: UnsafeCell::new([0; PATH_BYTES]),
        }
    }; MOST],
    count: Cell::new(0),
};

fn files() -> &'static [File] {
    &MADE.files[..MADE.count.get()]
}

/// Makes a file that is missing, or opens `/dev/null`. `how`: path, flags, mode.
pub(crate) fn make(number: i64, arguments: [u64; 6], how: [u64; 3]) -> Option<i64> {
    let [path, flags, mode] = how;
    let (count, length) = (MADE.count.get(), c_len(path) as usize);
    if count == MOST || length >= PATH_BYTES {
        return None;
    }
    let result = gate(number, arguments);
    let Ok(descriptor) = u64::try_from(result) else {
        return Some(result);
    };
    let file = &MADE.files[count];
    file.descriptor.set(descriptor);
    file.flags.set(flags);
    file.mode.set(mode);
    copy(file.path.get() as u64, path, length as u64);
    MADE.count.set(count + 1);
    Some(result)
}

/// It is `/dev/null`: there is nothing that one run could leave to another.
pub(crate) fn is_nothing(path: u64) -> bool {
    is_readable(path) && slice::<u8>(path, c_len(path) as usize) == b"/dev/null"
}

pub(crate) fn is_missing(path: u64) -> bool {
    // SAFETY: all zeros is a value of it.
    let mut status: libc::stat = unsafe { core::mem::zeroed() };
    let at = &raw mut status as u64;
    let result = gate(libc::SYS_lstat, [path, at, 0, 0, 0, 0]);
    result == -i64::from(libc::ENOENT)
}

/// The start made what this descriptor stands for.
pub(crate) fn is_one(descriptor: u64) -> bool {
    files()
        .iter()
        .any(|file| file.descriptor.get() == descriptor)
}

/// Before a run: makes them again. Before the first run they are there still, even if the program insisted on new ones.
pub(crate) fn make_again() {
    for file in files() {
        let flags = file.flags.get() & !(libc::O_EXCL as u64);
        let arguments = [file.path.get() as u64, flags, file.mode.get(), 0, 0, 0];
        if let Ok(own) = u64::try_from(gate(libc::SYS_open, arguments)) {
            take_place(own, file.descriptor.get());
        }
    }
}
