//! How a failure reaches the user: one message on stderr and an exit code.

use std::process::ExitCode;

use crate::exit::{BAD_INPUT, FAULT, INTERRUPTED, Printed};
use crate::say;

/// How the message of a fault of ours begins.
const FAULT_OF_OURS: &str = "this is a fault of bothways, not of your program; please report it";

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
