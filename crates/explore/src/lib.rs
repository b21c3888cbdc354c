//! Search: the execution tree, the strategies, and the campaign that runs them.
//!
//! Invariants:
//! - deterministic: the same program, seed, strategy and iteration budget give the same tests in the same order;
//! - no I/O, no clock (time comes through [`Clock`]), no environment, no process: programs run behind [`Target`];
//! - a strategy is one file and knows neither the criterion nor the solver;
//! - nothing grows without bound but the execution tree, and that says how many bytes it has.

pub mod input;
pub mod run;
pub mod vars;

pub use input::{InputVector, Stream, Value, ValueKind};
pub use run::{Class, Cond, LossReason, Outcome, Run, RunFlags, Step, Target, TargetError};
