//! What the engine and the judge may disagree on.

use program::SourceRange;

use crate::judge::llvm_cov::Tally;
use coverage::goal::{GoalId, GoalKind};
use coverage::ledger::Totals;

/// What they disagree on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Problem {
    /// Whether an outcome is covered.
    Covered {
        goal: GoalId,
        file: String,
        /// Index of the file in the record: tells expansions of one macro apart.
        file_index: u32,
        range: SourceRange,
        kind: GoalKind,
        engine: bool,
        /// How often the judge saw it.
        judge: u64,
    },
    /// The record has other conditions, or other regions of code.
    Conditions {
        engine: Vec<(u32, SourceRange)>,
        judge: Vec<(u32, SourceRange)>,
    },
    /// Only the engine has this record, with goals in it.
    NotInJudge,
    /// Only the judge has this record, with conditions in it.
    NotInEngine,
    /// The totals, though all outcomes may agree.
    Totals { engine: Totals, judge: Tally },
}
