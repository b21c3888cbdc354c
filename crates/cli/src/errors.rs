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

/// How the message of a fault of ours begins.
const FAULT_OF_OURS: &str = "this is a fault of bothways, not of your program; please report it";

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
    let fault = match error.downcast_ref::<session::Error>() {
        Some(session::Error::Interrupted) => return INTERRUPTED,
        // Whatever the compiler's own exit code is: for us it is bad input.
        Some(session::Error::Compiler { said, .. }) => {
            if !said.is_empty() {
                say::err(format_args!("{said}"));
            }
            return BAD_INPUT;
        }
        Some(session::Error::Fault(_)) => true,
        _ => false,
    };
    if fault {
        say::err(format_args!("bothways: {FAULT_OF_OURS}: {error:#}"));
        return FAULT;
    }
    say::err(format_args!("bothways: {error:#}"));
    BAD_INPUT
}

/// A panic is a fault of ours: say so, and exit with its code before the runtime aborts.
pub fn install_panic_hook() {
    std::panic::set_hook(Box::new(|info| {
        say::err(format_args!("bothways: {FAULT_OF_OURS}\nbothways: {info}"));
        std::process::exit(i32::from(FAULT));
    }));
}
