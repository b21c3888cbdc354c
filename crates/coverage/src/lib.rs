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
pub mod format;
pub mod goal;
pub mod goals;
pub mod judge;
pub mod ledger;
pub mod record;
pub mod relevance;
pub mod report;
#[cfg(test)]
mod sample;
pub mod suite;
mod wiring;
mod zip;

pub use counts::{Counts, HitCounter, Hits};
pub use criterion::Criterion;
pub use goal::{Evidence, Goal, GoalId, GoalKind, Side};
pub use goals::{GoalSet, Goals, Place};
pub use ledger::{Ledger, Status, Totals};
pub use relevance::{Relevance, Touch};
pub use report::Report;
pub use suite::Suite;
