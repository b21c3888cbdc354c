//! The verifier: whatever else works on a program may rely on this.
//!
//! Tables ([`tables`]):
//! - every id names something; every alignment is a power of two; every place names a file of the program;
//! - functions, edges and spots of a module are consecutive, the modules follow each other and leave nothing out;
//! - sites are numbered in the order of functions, blocks and instructions (a terminator comes last), and edges in
//!   the order of sites and sides; each site stands at exactly one instruction or terminator, in the function and
//!   block that it names, and has as many edges as its kind asks for;
//! - an edge names its site and side, and the successor that the terminator has there;
//! - spots are numbered like sites, each stands at one instruction of the function that it names, at the same place;
//! - a global's bytes and relocations stay inside it, relocations in order and without overlap;
//! - counters, expressions and files of a coverage record exist, no expression contains itself, and the counters
//!   that its function, edges and instructions use are below its count;
//! - decisions are as [`crate::decision`] says.
//!
//! Functions ([`body`]):
//! - there is an entry block, and no edge leads to it;
//! - each value is a parameter, listed once and numbered, or an instruction, listed once, in the block it names;
//! - phis come first in a block, and have one value for each block that leads there;
//! - a definition dominates its uses (a phi's: the end of the block that it comes from), in reachable blocks.
//!
//! Types ([`typing`]):
//! - operands and results have the types that the operation asks for, and `void` is never an operand;
//! - the cases of a `switch` are different and fit its width; `ret` gives what the function returns;
//! - a call may differ from the type of what it calls, as old C allows.

mod body;
mod decision;
mod tables;
#[cfg(test)]
mod tests;
mod typing;

use std::fmt::Display;

use crate::id::FuncId;
use crate::model::Program;
use crate::place::Loc;

/// What is wrong, with what, and where.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{place}: {message}")]
pub struct VerifyError {
    /// The entity, the function it is in, and the place in the source as far as it is known.
    pub place: String,
    pub message: String,
}

/// Checks all invariants, and reports the first that does not hold.
///
/// # Errors
/// The entity and the invariant.
pub fn verify(program: &Program) -> Result<(), VerifyError> {
    tables::modules(program)?;
    for function in program.functions.keys() {
        body::structure(program, function)?;
    }
    tables::verify(program)?;
    for function in program.functions.keys() {
        typing::verify(program, function)?;
        body::dominance(program, function)?;
    }
    Ok(())
}

/// Fails with `message` unless `holds`.
fn check(
    holds: bool,
    place: impl FnOnce() -> String,
    message: impl FnOnce() -> String,
) -> Result<(), VerifyError> {
    if holds {
        Ok(())
    } else {
        Err(VerifyError {
            place: place(),
            message: message(),
        })
    }
}

/// An entity of the program.
fn global_place(program: &Program, entity: impl Display, loc: Option<Loc>) -> String {
    format!("{entity}{}", source(program, loc))
}

/// An entity of a function.
fn place(program: &Program, function: FuncId, entity: impl Display, loc: Option<Loc>) -> String {
    let body = &program.functions[function];
    format!(
        "{function} @{}, {entity}{}",
        body.name,
        source(program, loc)
    )
}

fn source(program: &Program, loc: Option<Loc>) -> String {
    let file = |loc: Loc| {
        program
            .files
            .get(loc.file as usize)
            .map_or("unknown file", String::as_str)
    };
    loc.map(|loc| format!(" ({}:{}:{})", file(loc), loc.line, loc.col))
        .unwrap_or_default()
}
