//! The judge: what tools that know nothing of our engine say about a suite, and the comparison with what the engine
//! says.
//!
//! Invariant: nothing here is computed from the engine's own events.

pub mod compare;
mod counts;
pub mod lines;
pub mod llvm_cov;
mod problem;
pub mod sanitizer;

pub use compare::{Comparison, Difference};
pub use llvm_cov::{
    JudgeBranch, JudgeCode, JudgeDecision, JudgeError, JudgeFunction, JudgeReport, Summary, Tally,
};
pub use problem::Problem;
