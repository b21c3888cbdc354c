//! How the time is shared between search and fuzzing: by what each found in the time it got lately, the better one more than in
//! proportion.
//!
//! Inputs that wait to be tried, and that a slice runs first, count for neither: they come from runs of both, and find much in next
//! to no time.

use std::time::Duration;

/// Seconds after which a find counts half.
const HALF_LIFE: f64 = 20.0;
/// Neither gets less of the time, so that a change is seen.
const LEAST: f64 = 0.1;
/// Most seconds that fuzzing may have to its credit.
const MOST_CREDIT: f64 = 10.0;
/// As if the search had found so much before it began: it gets most of the time at first.
const SEARCH_EXPECTED: f64 = 4.0;
/// Parts of the time are as this power of what is found in a second.
const SHARP: i32 = 2;

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

    /// Finds in a second, and one more in one second more: who had little time is tried again.
    fn rate(self) -> f64 {
        (self.found + 1.0) / (self.seconds + 1.0)
    }
}

/// Edges found and time spent, on both sides.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Share {
    search: Yield,
    fuzzing: Yield,
    /// Seconds that fuzzing may take before it has had its share; negative when it has had more.
    credit: f64,
}

impl Default for Share {
    fn default() -> Share {
        let search = Yield {
            found: SEARCH_EXPECTED,
            seconds: 0.0,
        };
        Share {
            search,
            fuzzing: Yield::default(),
            credit: 0.0,
        }
    }
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
        let search = self.search.rate().powi(SHARP);
        let fuzzing = self.fuzzing.rate().powi(SHARP);
        (fuzzing / (search + fuzzing)).clamp(LEAST, 1.0 - LEAST)
    }

    fn fade(&mut self, time: Duration) {
        let factor = 0.5_f64.powf(time.as_secs_f64() / HALF_LIFE);
        self.search.fade(factor);
        self.fuzzing.fade(factor);
    }
}
