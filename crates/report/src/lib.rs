//! What is said about a campaign: suites and their files, the report and its formats, and the judge's reading of
//! `llvm-cov`.
//!
//! Invariants:
//! - no search and no solver: this crate depends on `program` and `coverage` alone;
//! - no I/O, no clock, no environment, no process: texts come in, texts and bytes go out;
//! - every format renders the same [`Suite`] or the same [`Report`];
//! - nothing that can be seen depends on the order of a hash map.

mod annex;
mod branches;
mod document;
pub mod format;
mod html;
pub mod judge;
mod names;
pub mod reach;
pub mod readable;
#[cfg(test)]
mod sample;
pub mod stored;
pub mod suite;
pub mod table;
mod xml;
mod zip;

pub use annex::{FunctionCount, SourceFile, Span, TestRow};
pub use document::{
    Concretised, Facts, Failure, FunctionRow, GoalRow, Known, Latency, Minimised, Reason, Report,
    SolverLayer, Solving, Times, Verdict, Work, label,
};
pub use suite::Suite;
