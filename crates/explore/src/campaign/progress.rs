//! How a campaign is going, for whoever watches.

use std::time::Duration;

use coverage::Totals;

use crate::discovery::Discovery;
use crate::nearness::OnlyConcrete;

/// Where the time went.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Times {
    /// Choosing a candidate and writing its query.
    pub pick: Duration,
    pub solve: Duration,
    /// Running the program and reading its path.
    pub run: Duration,
    /// Adding the path and counting coverage.
    pub learn: Duration,
    /// Fuzzing, with all that belongs to it.
    pub fuzz: Duration,
}

/// A snapshot.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Progress {
    pub totals: Totals,
    /// Kept.
    pub tests: usize,
    pub runs: u64,
    /// Runs of the fuzzer.
    pub fuzzed: u64,
    /// The run that covered something new last.
    pub last_new: u64,
    /// Queries with an input.
    pub sat: u64,
    pub unsat: u64,
    pub unknown: u64,
    /// Candidates that path filtering dropped.
    pub irrelevant: u64,
    /// Inputs found that had been run before.
    pub duplicates: u64,
    pub assume_failed: u64,
    /// Of the tree.
    pub nodes: usize,
    /// Open.
    pub candidates: u64,
    pub times: Times,
    pub bytes: usize,
    /// How often the search started over, because its memory was full.
    pub started_over: u64,
    /// Where the strategy is.
    pub phase: String,
    /// In how many runs branch sides were seen.
    pub discovery: Discovery,
    /// The source with most of the last finds, how many these are, and of how many.
    pub pays: Option<(&'static str, u32, u32)>,
    /// When nothing new was found for long: what no run makes symbolic.
    pub only_concrete: Option<OnlyConcrete>,
}
