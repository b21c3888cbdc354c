//! What the code alone forbids: proofs that no input covers a goal, found without a run.
//!
//! A goal is refuted when no state of the program, whatever came before, lets it happen: the values that a few blocks read are
//! taken for anything, and an SMT solver says that the conditions contradict each other. It is the first step of
//! looking backward from a goal; conditions that need more than the nearest blocks and the decisions in front of them are left open.
//!
//! Charter: deterministic, no I/O. May use the model, its semantics, terms and solver, and the goals; knows nothing of runs.
//!
//! Invariants:
//! - a refuted goal is covered by no input, in machine arithmetic, with functions outside of the program returning anything and
//!   writing anywhere;
//! - what a solver does not decide is possible;
//! - same program and goals, same proofs: no clock decides.

mod assertions;
mod coupling;
mod edges;
pub mod horn;
mod proof;
mod take;
#[cfg(test)]
mod tests;
mod words;

pub use self::proof::{Limits, Proof, Proofs, Why, prove};
pub use ::proof::vc::Cause;
pub use assertions::at_any_time;
pub use coupling::Conflict;
