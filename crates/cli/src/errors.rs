//! How a failure reaches the user: one message on stderr and an exit code.

use std::fmt;
use std::process::ExitCode;

use crate::say;

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

/// Marks an error as our own fault: `error.context(Fault)`.
#[derive(Debug)]
pub struct Fault;

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("this is a fault of bothways, not of your program; please report it")
    }
}

impl std::error::Error for Fault {}

/// A message was printed already (clang's own diagnostics), or none is due; only the exit code is left to give.
#[derive(Debug)]
pub struct Printed(pub u8);

impl fmt::Display for Printed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "exit code {}", self.0)
    }
}

impl std::error::Error for Printed {}

/// Prints the error, unless clang did, and chooses the exit code.
pub fn report(error: &anyhow::Error) -> ExitCode {
    ExitCode::from(code(error))
}

/// Prints the error, unless clang did; the exit code.
pub fn code(error: &anyhow::Error) -> u8 {
    if let Some(Printed(code)) = error.downcast_ref::<Printed>() {
        return *code;
    }
    say::err(format_args!("bothways: {error:#}"));
    match error.downcast_ref::<Fault>() {
        Some(_) => FAULT,
        None => BAD_INPUT,
    }
}

/// A panic is a fault of ours: say so, and exit with its code before the runtime aborts.
pub fn install_panic_hook() {
    std::panic::set_hook(Box::new(|info| {
        say::err(format_args!("bothways: {Fault}\nbothways: {info}"));
        std::process::exit(i32::from(FAULT));
    }));
}
