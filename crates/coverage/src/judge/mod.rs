//! The judge: what tools that know nothing of our engine say about a suite, and the comparison with what the engine
//! says.
//!
//! Invariant: nothing here is computed from the engine's own events.

pub mod compare;
pub mod llvm_cov;
pub mod sanitizer;

pub use compare::{Difference, Problem, compare, covered_by_judge, totals_by_judge};
pub use llvm_cov::{JudgeBranch, JudgeError, JudgeFunction, JudgeReport, Tally};
