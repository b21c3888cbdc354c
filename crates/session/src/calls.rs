//! After how many single values a run ends, where the program asks without end.

use std::ffi::OsString;

/// Single values that a run may ask for, where the program asks without end.
pub const CALLS: u32 = program::stops::LEAST_ASKED as u32;

/// What tells the program, and the replay runtime, after how many values to end.
pub fn calls_variable(calls: u32) -> (OsString, OsString) {
    ("BOTHWAYS_CALLS".into(), calls.to_string().into())
}
