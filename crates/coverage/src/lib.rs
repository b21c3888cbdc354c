//! What is to be covered, what is covered, and how to tell: criteria, their goals, the hits of runs, and the ledger of a
//! campaign.
//!
//! Invariants:
//! - no search and no solver: this crate depends on `program` alone;
//! - no I/O, no clock, no environment, no process, no texts for people: `report` has those;
//! - a goal is covered exactly where `llvm-cov export` counts it as covered, given the same profile counters;
//! - nothing that can be seen depends on the order of a hash map.

pub mod counts;
pub mod criterion;
pub mod decisions;
mod eval;
mod exits;
pub mod goal;
pub mod goals;
mod goals_by_edge;
pub mod ledger;
pub mod minimal;
pub mod record;
pub mod relevance;
#[doc(hidden)]
pub mod sample;
pub mod scope;
pub mod status;
pub mod target;
mod tracker;
pub mod vector;
mod wiring;

pub use counts::{Counts, HitCounter, Hits};
pub use criterion::{Column, Criterion};
pub use decisions::{DecisionId, Decisions};
pub use eval::{Eval, News};
pub use goal::{Evidence, Goal, GoalId, GoalKind, Side};
pub use goals::{GoalSet, Goals, Place};
pub use ledger::{Figures, Ledger, Totals};
pub use relevance::{Relevance, Touch};
pub use scope::{LineRange, Lines, LinesError, Scope};
pub use status::{Ground, Status, Statuses};
pub use vector::{Pairing, Vector};
