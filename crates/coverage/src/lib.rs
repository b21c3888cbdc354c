//! What is to be covered, what is covered, and how to tell: criteria and their goals, the ledger of a campaign, the
//! judge's reading of `llvm-cov`, and the formats of suites and reports.
//!
//! Invariants:
//! - no search and no solver: this crate depends on `program` alone; it is the judge;
//! - no I/O, no clock, no environment, no process: texts come in, texts and bytes go out;
//! - a goal is covered exactly where `llvm-cov export` counts it as covered, given the same profile counters;
//! - nothing that can be seen depends on the order of a hash map.

mod aims;
pub mod counts;
pub mod criterion;
pub mod decisions;
mod eval;
mod exits;
pub mod format;
pub mod goal;
pub mod goals;
pub mod judge;
pub mod ledger;
pub mod minimal;
pub mod record;
pub mod relevance;
pub mod report;
#[cfg(test)]
mod sample;
pub mod scope;
pub mod suite;
pub mod table;
mod tracker;
pub mod vector;
mod wiring;
mod zip;

pub use counts::{Counts, HitCounter, Hits};
pub use criterion::Criterion;
pub use decisions::{DecisionId, Decisions};
pub use eval::{Eval, News};
pub use goal::{Evidence, Goal, GoalId, GoalKind, Side};
pub use goals::{GoalSet, Goals, Place};
pub use ledger::{Figures, Ledger, Status, Totals};
pub use relevance::{Relevance, Touch};
pub use report::Report;
pub use scope::{LineRange, Lines, LinesError, Scope};
pub use suite::Suite;
pub use vector::{Pairing, Vector};
