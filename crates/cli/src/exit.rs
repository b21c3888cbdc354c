//! Exit codes, and a failure of which nothing but its code is left to tell.

use std::fmt;

/// Everything was done.
pub const DONE: u8 = 0;
/// A required coverage was not met.
pub const NOT_MET: u8 = 1;
/// The input or the environment was wrong.
pub const BAD_INPUT: u8 = 2;
/// A bug of ours.
pub const FAULT: u8 = 3;
/// Ctrl-C.
pub const INTERRUPTED: u8 = 130;

/// Nobody reads standard output any more: 128 + SIGPIPE, as a shell says it of other tools.
pub const PIPE_CLOSED: u8 = 141;

/// A message was printed already (clang's own diagnostics), or none is due; only the exit code is left to give.
#[derive(Debug)]
pub struct Printed(pub u8);

impl fmt::Display for Printed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "exit code {}", self.0)
    }
}

impl std::error::Error for Printed {}
