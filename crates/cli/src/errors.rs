//! How a failure reaches the user: one message on stderr and an exit code.

use std::process::ExitCode;

use crate::exit::{BAD_INPUT, FAULT, INTERRUPTED, Printed};
use crate::faults::OF_OURS;
use crate::say;

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
        say::err(format_args!("bothways: {OF_OURS}: {error:#}"));
        return FAULT;
    }
    say::err(format_args!("bothways: {error:#}"));
    BAD_INPUT
}
