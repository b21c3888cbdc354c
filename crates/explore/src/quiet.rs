//! The share of a source that costs much and is wanted only where the others find nothing for long.
//!
//! It is quiet when nothing new has come in so many runs and, if there is a clock, in such a part of the time. Then the source has a share
//! of what goes on. With each find the share doubles, up to a half, and less quiet is asked for; where it finds nothing for long, the share
//! halves.
//!
//! Must hold: with a budget of runs, turns depend on the runs alone; as long as others find something it has no turn.

use std::time::Duration;

/// The share is one part in `2^level`: at most, at first, at least.
const LEVELS: [u32; 3] = [1, 3, 5];
/// Runs without anything new that make it quiet, at level 0.
const RUNS: u64 = 25;
/// Quiet is asked for so many parts of the time, for each level above the first.
const TIMES: u32 = 64;
/// Quiet for one part in so many of the search is long: nobody else loses anything, and the share is the most.
const LONG: u32 = 4;
/// Moments without a find, or time, after which the share halves.
const FRUITLESS: (u64, Duration) = (512, Duration::from_secs(2));
/// Where nobody else has anything to do and no clock says what it takes: moments in any case, and runs for one more.
const ALONE: (u64, u64) = (16, 256);

/// What is known of the search when the source is asked.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Now {
    pub(crate) runs: u64,
    /// The last run that brought something new.
    pub(crate) last_new: u64,
    /// The clock, if it has a say.
    pub(crate) clock: Option<Duration>,
}

/// Turns and finds of the source.
#[derive(Debug)]
pub(crate) struct Quiet {
    level: u32,
    /// The last run that brought something new, and when that was.
    last_new: u64,
    since: Duration,
    /// What it had since then, and in all.
    had: (u64, Duration),
    all: (u64, Duration),
    /// What it had since its last find.
    fruitless: (u64, Duration),
}

impl Quiet {
    pub(crate) const fn new() -> Quiet {
        Quiet {
            level: LEVELS[1],
            last_new: 0,
            since: Duration::ZERO,
            had: (0, Duration::ZERO),
            all: (0, Duration::ZERO),
            fruitless: (0, Duration::ZERO),
        }
    }

    /// Whether it has the next turn. To be asked each turn. `alone`: nobody else has anything to do.
    pub(crate) fn is_due(&mut self, now: Now, alone: bool) -> bool {
        if self.last_new != now.last_new {
            self.last_new = now.last_new;
            self.since = now.clock.unwrap_or_default();
            self.had = (0, Duration::ZERO);
        }
        let idle = now.runs.saturating_sub(now.last_new);
        let is_long = idle >= RUNS << LEVELS[1]
            && match now.clock {
                Some(clock) => clock.saturating_sub(self.since) >= clock / LONG,
                // A moment may take as long as many runs.
                None => false,
            };
        let level = if is_long { LEVELS[0] } else { self.level };
        match (now.clock, alone) {
            (Some(clock), true) => self.all.1 * 2 <= clock,
            (None, true) => self.all.0 <= ALONE.0 + now.runs / ALONE.1,
            _ if idle < RUNS << level => false,
            (Some(clock), false) => {
                let quiet = clock.saturating_sub(self.since);
                let asked = clock / TIMES * (level - LEVELS[0]);
                quiet >= asked && self.had.1 * (1 << level) <= quiet
            }
            (None, false) => self.had.0 <= idle >> (level + 1),
        }
    }

    /// It had so many moments, in so much time.
    pub(crate) fn spend(&mut self, moments: u64, time: Duration) {
        for had in [&mut self.had, &mut self.all, &mut self.fruitless] {
            had.0 += moments;
            had.1 += time;
        }
        if self.fruitless.0 >= FRUITLESS.0 || self.fruitless.1 >= FRUITLESS.1 {
            self.fruitless = (0, Duration::ZERO);
            self.level = (self.level + 1).min(LEVELS[2]);
        }
    }

    /// It found something.
    pub(crate) fn found(&mut self) {
        self.fruitless = (0, Duration::ZERO);
        self.level = (self.level - 1).max(LEVELS[0]);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const fn at(runs: u64, last_new: u64, millis: Option<u64>) -> Now {
        Now {
            runs,
            last_new,
            clock: match millis {
                Some(millis) => Some(Duration::from_millis(millis)),
                None => None,
            },
        }
    }

    #[test]
    fn while_others_find_something_it_has_no_turn() {
        let mut quiet = Quiet::new();
        for runs in 0..10_000 {
            assert!(!quiet.is_due(at(runs, runs - runs % 200, None), false));
            assert!(!quiet.is_due(at(runs, runs - runs % 200, Some(10 * runs)), false));
        }
    }

    #[test]
    fn quiet_is_a_matter_of_runs_and_of_time() {
        let mut quiet = Quiet::new();
        assert!(
            !quiet.is_due(at(0, 100, Some(64_000)), false),
            "when the last came"
        );
        assert!(!quiet.is_due(at(299, 100, Some(90_000)), false));
        assert!(!quiet.is_due(at(900, 100, Some(65_000)), false));
        assert!(quiet.is_due(at(900, 100, Some(67_000)), false));
    }

    /// Turns in so many runs, or milliseconds, without anything new.
    fn turns(quiet: &mut Quiet, count: u64, has_clock: bool) -> u64 {
        let mut turns = 0;
        for run in 0..count {
            let now = 10_000 + run;
            if quiet.is_due(at(now, 10_000, has_clock.then_some(now)), false) {
                quiet.spend(1, Duration::from_millis(1));
                turns += 1;
            }
        }
        turns
    }

    #[test]
    fn its_share_grows_where_it_pays_and_shrinks_where_it_does_not() {
        for has_clock in [false, true] {
            let mut first = Quiet::new();
            let at_first = turns(&mut first, 1_000, has_clock);
            let mut paying = Quiet::new();
            paying.found();
            paying.found();
            let when_it_pays = turns(&mut paying, 1_000, has_clock);
            let mut idle = Quiet::new();
            for _ in 0..3 {
                idle.spend(0, FRUITLESS.1);
            }
            idle.had = (0, Duration::ZERO);
            let when_not = turns(&mut idle, 1_000, has_clock);
            assert!(
                when_not * 2 < at_first && at_first * 2 < when_it_pays,
                "{when_not}, {at_first}, {when_it_pays}"
            );
            assert!(when_it_pays <= 1_000 && when_not > 0);
        }
    }

    #[test]
    fn alone_it_has_as_much_as_all_others_had() {
        let mut quiet = Quiet::new();
        let now = at(10, 9, Some(100));
        while quiet.is_due(now, true) {
            quiet.spend(1, Duration::from_millis(10));
        }
        assert_eq!(quiet.all.1, Duration::from_millis(60));
    }
}
