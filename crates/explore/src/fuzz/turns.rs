//! When the search has nothing left to try: slices of runs without expressions, and single runs with expressions.

use std::time::Duration;

/// What one side may be ahead by.
const MOST: Duration = Duration::from_secs(1);

/// Slices and runs with expressions take turns by their time.
#[derive(Debug, Default)]
pub(crate) struct Turns {
    /// How much longer the slices took.
    slices: Duration,
    /// The runs with expressions took longer by this.
    runs: Duration,
    /// When the last run with expressions was proposed.
    began: Option<Duration>,
}

impl Turns {
    /// A slice took so long.
    pub(crate) fn sliced(&mut self, time: Duration) {
        let paid = time.min(self.runs);
        self.runs -= paid;
        self.slices = (self.slices + time - paid).min(MOST);
    }

    /// A run with expressions is over, if one was.
    pub(crate) fn ran(&mut self, now: Duration) {
        if let Some(began) = self.began.take() {
            let time = now.saturating_sub(began);
            let paid = time.min(self.slices);
            self.slices -= paid;
            self.runs = (self.runs + time - paid).min(MOST);
        }
    }

    /// A run with expressions is proposed.
    pub(crate) fn begins(&mut self, now: Duration) {
        self.began = Some(now);
    }

    /// Whether it is the turn of a slice.
    pub(crate) fn is_slice(&self) -> bool {
        self.slices.is_zero()
    }
}
