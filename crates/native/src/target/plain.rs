//! Runs without symbolic inputs: what they took, and now and then the same once more with a fork, when the last was made without.
//!
//! Must hold: where two forks agree with each other and not with the run without one, all runs are forked from then on. So a
//! program that tells the difference (by its processor time, say) costs speed.

use std::sync::atomic::Ordering::Relaxed;

use path::{InputVector, Outcome, TargetError, Visits};
use wire::segment::{flag, plain};

use super::{Inputs, NativeTarget};

/// Of the runs without a fork, every n-th is checked.
const EVERY: u32 = 256;

/// When the next run without a fork is checked.
pub(super) struct Doubt {
    rest: u32,
}

impl Default for Doubt {
    /// Earlier for the first time: what adds up in a process shows soon.
    fn default() -> Doubt {
        Doubt { rest: EVERY / 8 }
    }
}

impl Inputs {
    /// For the control block.
    pub(super) const fn word(self) -> u32 {
        match self {
            Inputs::Symbolic => plain::SYMBOLIC,
            Inputs::Concrete => plain::ANY,
            Inputs::Forked => plain::FORKED,
        }
    }
}

impl NativeTarget<'_> {
    /// One run. `None` when the program is started anew for each.
    pub(super) fn run_plain(
        &mut self,
        input: &InputVector,
        visits: &mut Visits,
    ) -> Result<Option<Outcome>, TargetError> {
        if !self.config.fork_server {
            return Ok(None);
        }
        let outcome = self.plain_once(input, Inputs::Concrete, visits)?;
        let control = self.segment.control();
        if control.repeated.load(Relaxed) == 1 {
            let direct = control.direct.load(Relaxed);
            self.stats.direct += u64::from(control.request.load(Relaxed) != direct);
            self.stats.repeated += 1;
            if self.doubt.rest == 0 {
                self.doubt.rest = EVERY;
                return self.checked(input, outcome, visits).map(Some);
            }
            self.doubt.rest -= 1;
        }
        Ok(Some(outcome))
    }

    pub(super) fn plain_once(
        &mut self,
        input: &InputVector,
        inputs: Inputs,
        visits: &mut Visits,
    ) -> Result<Outcome, TargetError> {
        let end = self.serve_in_time(input, inputs)?;
        let outcome = self.outcome(end)?;
        self.update_modules();
        // Before the events: those that were counted came earlier.
        let (counted, _) = self.counted(&self.start.modules);
        for (edge, times) in counted {
            visits.add(edge, times);
        }
        let words = self.segment.events();
        let words = words.get(self.start.words..).unwrap_or_default();
        let assume_failed = self.counter.count(words, &self.start.modules, visits);
        visits.near = self.end_watch();
        self.clear_scratch()?;
        Ok(if assume_failed {
            Outcome::AssumeFailed
        } else {
            outcome
        })
    }

    /// The run that counts, where this one was made without a fork.
    fn checked(
        &mut self,
        input: &InputVector,
        outcome: Outcome,
        visits: &mut Visits,
    ) -> Result<Outcome, TargetError> {
        // How far a run comes in its time is chance.
        if matches!(outcome, Outcome::Timeout | Outcome::Memory) {
            return Ok(outcome);
        }
        let sorted = |visits: &Visits| {
            let mut edges: Vec<_> = visits.edges().collect();
            edges.sort_unstable();
            edges
        };
        let mut forked = || -> Result<(Outcome, Visits), TargetError> {
            let mut visits = Visits::default();
            let outcome = self.plain_once(input, Inputs::Forked, &mut visits)?;
            Ok((outcome, visits))
        };
        let (first, seen) = forked()?;
        if first == outcome && sorted(&seen) == sorted(visits) {
            return Ok(outcome);
        }
        let (second, again) = forked()?;
        if first == second && sorted(&seen) == sorted(&again) {
            self.config.repeat = false;
            self.stats.told_apart = true;
            let flags = self.segment.header().flags;
            self.segment.set_flags(flags | flag::FORK);
            self.stop();
        }
        *visits = again;
        Ok(second)
    }
}
