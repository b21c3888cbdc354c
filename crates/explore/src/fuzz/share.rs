//! How the time is shared between search and fuzzing: in proportion to what each found in the time it got lately.

use std::time::Duration;

/// Seconds after which a find counts half.
const HALF_LIFE: f64 = 20.0;
/// Neither gets less of the time, so that a change is seen.
const LEAST: f64 = 0.1;
/// Most seconds that fuzzing may have to its credit.
const MOST_CREDIT: f64 = 10.0;
/// What each is expected to find in a second before anything is known: the search gets most of the time at first.
const SEARCH_EXPECTED: f64 = 4.0;
const FUZZING_EXPECTED: f64 = 0.4;

/// What one side found, in how many seconds; both fade.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
struct Yield {
    found: f64,
    seconds: f64,
}

impl Yield {
    fn add(&mut self, found: usize, time: Duration) {
        self.found += found as f64;
        self.seconds += time.as_secs_f64();
    }

    fn fade(&mut self, factor: f64) {
        self.found *= factor;
        self.seconds *= factor;
    }

    /// Finds in a second; an expectation weighs as much as one second.
    fn rate(self, expected: f64) -> f64 {
        (self.found + expected) / (self.seconds + 1.0)
    }
}

/// Edges found and time spent, on both sides.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Share {
    search: Yield,
    fuzzing: Yield,
    /// Seconds that fuzzing may take before it has had its share; negative when it has had more.
    credit: f64,
}

impl Share {
    /// The search took this long and found so many edges.
    pub(crate) fn searched(&mut self, found: usize, time: Duration) {
        self.search.add(found, time);
        let part = self.of_fuzzing();
        self.credit += time.as_secs_f64() * part / (1.0 - part);
        self.credit = self.credit.min(MOST_CREDIT);
        self.fade(time);
    }

    /// Fuzzing took this long and found so many edges.
    pub(crate) fn fuzzed(&mut self, found: usize, time: Duration) {
        self.fuzzing.add(found, time);
        self.credit -= time.as_secs_f64();
        self.fade(time);
    }

    /// Whether it is the turn of fuzzing.
    pub(crate) fn is_due(&self) -> bool {
        self.credit > 0.0
    }

    /// The part of the time that fuzzing gets.
    pub(crate) fn of_fuzzing(&self) -> f64 {
        let search = self.search.rate(SEARCH_EXPECTED);
        let fuzzing = self.fuzzing.rate(FUZZING_EXPECTED);
        (fuzzing / (search + fuzzing)).clamp(LEAST, 1.0 - LEAST)
    }

    fn fade(&mut self, time: Duration) {
        let factor = 0.5_f64.powf(time.as_secs_f64() / HALF_LIFE);
        self.search.fade(factor);
        self.fuzzing.fade(factor);
    }
}
