//! The vocabulary of runs: what a run is given, what it shows, and the tree of all paths that were run.
//!
//! - [`input`], [`vars`]: the inputs of a run, and which [`smt::Var`] stands for which of them;
//! - [`run`]: a path as steps over terms, its outcome, what was lost; [`Target`], whatever runs programs;
//! - [`tree`]: the execution tree; [`frames`]: the call stack at each of its decisions;
//! - [`script`]: a target that walks a small model, for the tests of whatever works with runs.
//!
//! Invariants:
//! - no search, no strategy, no coverage: nothing here knows why a run was made or what it is good for;
//! - deterministic, no I/O, no clock, no process: programs run behind [`Target`];
//! - of `wire`, only the numbers that inputs have on both sides: value types and streams.

pub mod frames;
pub mod hash;
pub mod input;
pub mod run;
pub mod script;
pub mod tree;
pub mod vars;

pub use frames::{Frames, StackId};
pub use input::{InputVector, Role, Stream, Value};
pub use run::{
    Class, Compared, Cond, LossReason, Near, Outcome, Run, RunFlags, Step, Target, TargetError,
    Visits,
};
pub use tree::{Candidate, NodeId, RunId, Tree};
pub use wire::input::ValueType;
