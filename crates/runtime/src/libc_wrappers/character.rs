//! The tables behind `isalpha` and relatives: known objects, so that a symbolic index reads them as tables.
#![allow(unsafe_code, reason = "exported symbols")]

use crate::objects::add_extra;
use crate::raw::peek;
use crate::state::recording;

unsafe extern "C" {
    fn __ctype_b_loc() -> u64;
    fn __ctype_tolower_loc() -> u64;
    fn __ctype_toupper_loc() -> u64;
}

/// Entries before index 0 and in all.
const BEFORE: u64 = 128;
const ENTRIES: u64 = 384;

fn known(location: u64, entry: u64) -> u64 {
    if recording() {
        add_extra(peek::<u64>(location) - BEFORE * entry, ENTRIES * entry);
    }
    location
}

#[unsafe(no_mangle)]
pub extern "C" fn __bw_libc___ctype_b_loc() -> u64 {
    // SAFETY: the program's own call.
    known(unsafe { __ctype_b_loc() }, 2)
}

#[unsafe(no_mangle)]
pub extern "C" fn __bw_libc___ctype_tolower_loc() -> u64 {
    // SAFETY: the program's own call.
    known(unsafe { __ctype_tolower_loc() }, 4)
}

#[unsafe(no_mangle)]
pub extern "C" fn __bw_libc___ctype_toupper_loc() -> u64 {
    // SAFETY: the program's own call.
    known(unsafe { __ctype_toupper_loc() }, 4)
}
