//! From a place in the program backward: which condition must hold here, and before that, and before that, for a run to come to
//! the place (phase I of symcretic execution, Dinges and Agha 2014, section 3).
//!
//! [`Search`] goes back instruction by instruction, through callers and callees, with the meaning that `semantics` gives each
//! instruction; only what the condition depends on is followed. Where a run of the program was at the same place, its state and the
//! condition are joined ([`Search::join`]): one query, whose answer is an input that comes to the goal. When every way backward ends in a
//! contradiction, no input does.
//!
//! Charter: deterministic, no I/O, no clock; uses the model, its semantics, terms and solver, and states of the machine.
//!
//! Invariants:
//! - "unreachable" holds for all inputs of runs whose accesses to memory stay in their objects, in machine arithmetic, with
//!   functions outside of the program returning anything;
//! - what a solver does not decide, and what is not known, never refutes;
//! - an input that is handed out need not come to the goal: whoever asks runs it.

mod atom;
mod closed;
mod cross;
mod execute;
mod externs;
mod extract;
mod facts;
mod gcfg;
mod groups;
mod image;
mod inputs;
mod join;
mod memory;
mod nearness;
mod search;
mod simplify;
mod state;
#[cfg(test)]
mod tests;
mod visits;
mod ways;

pub use closed::Lines;
pub use externs::ALLOCATORS;
pub use facts::Beside;
pub use gcfg::{Block, Gcfg, RState, SState, Turn, Verdict};
pub use join::{Candidate, Joint};
pub use search::{Given, Goal, Hindrance, Limits, Progress, Quest, ROUNDS, Search, Stats};
pub use state::Place;
