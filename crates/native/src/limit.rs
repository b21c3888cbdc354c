//! The time limit of runs, as short as the program allows: a search meets the same endless loop many times, and each run that
//! waits for the user's whole limit costs as much as thousands of others.
//!
//! Must hold: the limit is never longer than the user's; the first runs have all of it; a run that the short limit cut is
//! run again with all of it at the 1st, 4th, 16th … time, and the limit grows when that shows it to be too short.

use std::time::Duration;

/// Runs that end before the limit is shortened.
const FIRST: u32 = 4;
/// The short limit in terms of the slowest run that ended, and its least.
const TIMES: u32 = 20;
const LEAST: Duration = Duration::from_millis(100);
/// Its least where a run that is cut too early costs nothing but that run, and the limit in terms of a fast run there.
const LEAST_HASTY: Duration = Duration::from_millis(20);
const TIMES_HASTY: u32 = 8;
/// A run is fast that only a quarter of so many last runs are faster than.
const LAST: usize = 64;
/// After so many runs it is looked at anew.
const ANEW: u32 = 16;

/// Keeps the limit.
#[derive(Clone, Copy, Debug)]
pub struct TimeLimit {
    full: Duration,
    least: Duration,
    is_hasty: bool,
    runs: u32,
    slowest: Duration,
    /// The last runs, in a ring, and a fast one of them.
    last: [Duration; LAST],
    fast: Duration,
    cut: u32,
}

impl TimeLimit {
    /// The user's limit; 0 is none.
    #[must_use]
    pub fn new(full: Duration) -> TimeLimit {
        TimeLimit {
            full,
            least: LEAST,
            is_hasty: false,
            runs: 0,
            slowest: Duration::ZERO,
            last: [Duration::ZERO; LAST],
            fast: Duration::ZERO,
            cut: 0,
        }
    }

    /// A limit for runs of which many follow, such as fuzzed ones: it follows fast runs, and a run that it cuts is not made again.
    /// One slow run must not make all endless ones slow; and where many are slow, many of the others fit into one of them.
    #[must_use]
    pub fn hasty(full: Duration) -> TimeLimit {
        TimeLimit {
            least: LEAST_HASTY,
            is_hasty: true,
            ..TimeLimit::new(full)
        }
    }

    /// The user's limit.
    #[must_use]
    pub fn full(&self) -> Duration {
        self.full
    }

    /// The limit of the next run.
    #[must_use]
    pub fn next(&self) -> Duration {
        if self.runs < FIRST || self.full.is_zero() {
            return self.full;
        }
        let usual = match self.is_hasty {
            true => self.fast * TIMES_HASTY,
            false => self.slowest * TIMES,
        };
        usual.max(self.least).min(self.full)
    }

    /// A run ended by itself after this time.
    pub fn ended(&mut self, after: Duration) {
        self.runs = self.runs.saturating_add(1);
        self.slowest = self.slowest.max(after);
        if self.is_hasty {
            self.last[self.runs as usize % LAST] = after;
            if self.runs <= FIRST || self.runs.is_multiple_of(ANEW) {
                self.fast = self.fast_run();
            }
        }
    }

    fn fast_run(&self) -> Duration {
        let known = (self.runs as usize).min(LAST);
        // The ring begins at 1.
        let mut last = self.last;
        last.rotate_left(1);
        let place = known / 4;
        *last[..known].select_nth_unstable(place).1
    }

    /// A run was cut off. Whether it is to be run again with the whole limit.
    pub fn cut(&mut self) -> bool {
        let short = self.next() < self.full;
        self.cut += u32::from(short);
        let power_of_four =
            self.cut.is_power_of_two() && self.cut.trailing_zeros().is_multiple_of(2);
        short && power_of_four && !self.is_hasty
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const FULL: Duration = Duration::from_secs(2);

    fn after(runs: u32, each: Duration) -> TimeLimit {
        let mut limit = TimeLimit::new(FULL);
        (0..runs).for_each(|_| limit.ended(each));
        limit
    }

    #[test]
    fn the_first_runs_have_all_of_it() {
        assert_eq!(after(FIRST - 1, Duration::ZERO).next(), FULL);
        assert_eq!(after(FIRST, Duration::ZERO).next(), LEAST);
    }

    #[test]
    fn it_follows_the_slowest_run() {
        let limit = after(FIRST, Duration::from_millis(30));
        assert_eq!(limit.next(), Duration::from_millis(600));
        assert_eq!(after(FIRST, Duration::from_millis(500)).next(), FULL);
    }

    #[test]
    fn one_slow_run_does_not_make_hasty_ones_slow() {
        let mut limit = TimeLimit::hasty(FULL);
        let mut make = |runs, millis| {
            (0..runs).for_each(|_| limit.ended(Duration::from_millis(millis)));
            limit.next().as_millis()
        };
        assert_eq!(make(FIRST, 90), 720);
        assert_eq!(make(60, 3), 24);
        assert_eq!(make(40, 600), 24);
        assert_eq!(make(60, 600), 2000);
        assert_eq!(make(60, 0), 20);
        assert!(!limit.cut());
    }

    #[test]
    fn some_of_what_it_cuts_is_run_again() {
        let mut limit = after(FIRST, Duration::from_millis(1));
        let again: Vec<bool> = (0..9).map(|_| limit.cut()).collect();
        let expected = [true, false, false, true, false, false, false, false, false];
        assert_eq!(again, expected);
        // One of them ended after all.
        limit.ended(Duration::from_millis(90));
        assert_eq!(limit.next(), Duration::from_millis(1800));
    }

    #[test]
    fn without_a_limit_there_is_none() {
        let mut limit = TimeLimit::new(Duration::ZERO);
        (0..100).for_each(|_| limit.ended(Duration::ZERO));
        assert_eq!(limit.next(), Duration::ZERO);
        assert!(!limit.cut());
    }
}
