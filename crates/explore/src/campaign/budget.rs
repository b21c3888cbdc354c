//! When a campaign stops.
//!
//! Must hold: no clock is read here; whoever runs the campaign brings one.

use std::fmt;
use std::time::Duration;

/// Time as the campaign sees it.
pub trait Clock {
    /// Time since the start; never goes back.
    fn elapsed(&self) -> Duration;
}

/// A clock that stands still: for tests, and for campaigns whose budget is not time.
#[derive(Clone, Copy, Debug, Default)]
pub struct NoClock;

impl Clock for NoClock {
    fn elapsed(&self) -> Duration {
        Duration::ZERO
    }
}

/// Limits of a campaign; `None` is no limit.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Budget {
    /// Runs of the program.
    pub iterations: Option<u64>,
    pub time: Option<Duration>,
    /// Covered goals of 100.
    pub coverage: Option<f64>,
    /// Bytes of tree, strategy and inputs.
    pub bytes: Option<usize>,
}

/// The limit that was reached.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Spent {
    Iterations,
    Time,
    Coverage,
    Memory,
}

/// Why a campaign stopped.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum StopReason {
    /// Every goal is covered.
    AllCovered,
    /// Nothing is left to try. With `proof`, every goal that is not covered is infeasible.
    Exhausted {
        proof: bool,
    },
    Budget(Spent),
    /// The stop flag was set.
    Interrupted,
}

impl fmt::Display for StopReason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            StopReason::AllCovered => "all-covered",
            StopReason::Exhausted { .. } => "exhausted",
            StopReason::Budget(Spent::Iterations) => "iterations",
            StopReason::Budget(Spent::Time) => "time",
            StopReason::Budget(Spent::Coverage) => "coverage",
            StopReason::Budget(Spent::Memory) => "memory",
            StopReason::Interrupted => "interrupted",
        })
    }
}
