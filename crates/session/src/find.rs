//! Errors that the machine looks for on request (`--find`): what C allows a program to do, and its author may not have meant.

use crate::error::{Result, bail};
use crate::options::{Options, Runner};

pub use crate::options::Find;

/// A list of names with commas between them.
///
/// # Errors
/// One that is not known.
pub fn list(text: &str) -> std::result::Result<Find, String> {
    let mut find = Find::default();
    for name in text.split(',') {
        match name {
            "leaks" => find.leaks = true,
            "overflow" => find.overflow = true,
            _ => {
                return Err(format!(
                    "nothing is found by the name `{name}`: use leaks,overflow"
                ));
            }
        }
    }
    Ok(find)
}

/// What is asked for must be possible.
///
/// # Errors
/// Another target, a function by itself, or a program without sources.
pub fn check(options: &Options) -> Result<()> {
    let Find { leaks, overflow } = options.find;
    if options.find.is_any() && options.target != Runner::Machine {
        bail!("--find is for the machine: add --target machine");
    }
    if leaks && (options.function.function.is_some() || options.function.all_functions) {
        bail!(
            "--find leaks is for whole programs: a harness never frees the objects that it makes"
        );
    }
    if overflow && options.check {
        bail!(
            "--find overflow changes the model, and --check compares it with the instrumented program: give one of them"
        );
    }
    Ok(())
}
