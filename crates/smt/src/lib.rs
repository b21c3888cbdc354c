//! Terms and their satisfiability: everything the engine asks about path conditions.
//!
//! Charter: hash-consed bit-vector terms with rewriting constructors ([`Pool`]), their meaning ([`eval`](eval()),
//! [`Evaluator`]), and two entrances. The search asks a [`Solver`] to flip a condition ([`Query`]), which answers most queries without a
//! decision procedure: rewriting, independence slicing, re-use of models, caches and a local search stand in front of a SAT solver that
//! gets the query as a circuit, and that one in front of a [`Backend`].
//! A proof asks a [`Checker`] whether assumptions contradict each other ([`Check`]), in scopes and with unsatisfiable
//! cores, and a [`HornSolver`](horn::HornSolver) for invariants.
//!
//! Invariants:
//! - every term is a bit-vector of 1 to 128 bits; a truth value has width 1; a float is its IEEE bit pattern;
//! - the meaning of a term is what the evaluator says; rewrites and backends are tested against it;
//! - [`Answer::Sat`] and [`Verdict::Sat`] are returned only with an assignment that the evaluator has confirmed, invariants and
//!   derivations only when each of their steps was checked by another solver;
//! - the same queries in the same order give the same answers: no clock decides unless a budget's safety net does;
//! - nothing here recurses over terms: a term may be a million operations deep;
//! - this crate knows no program, no input stream and no file; the only foreign code is in `backend/z3/ffi.rs` and the
//!   module below it.

mod assignment;
pub mod backend;
pub mod check;
mod circuit;
mod eval;
pub mod horn;
mod op;
mod pool;
mod solver;
mod term;
#[cfg(test)]
mod testing;

pub use assignment::Assignment;
pub use backend::{Backend, BackendError, Budget, RawAnswer, Room};
pub use check::{Check, Checker, Steps, Verdict, Why};
pub use eval::{Evaluator, Values, eval, number as float};
pub use op::Op;
pub use pool::hash::mix;
pub use pool::{BadTerm, Epoch, Memory, Pool, Remap, Shape};
pub use solver::{
    Answer, Config, Effort, Interrupt, Layer, Query, Reason, SearchLimits, Solver, Spread, Stats,
};
pub use term::{Term, Var};
