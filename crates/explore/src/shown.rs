//! What single runs show of the goals, outside of a campaign.
//!
//! Must hold: the same run shows the same here as in a campaign.

use coverage::minimal::Shows;
use coverage::{Goals, HitCounter, Hits, Ledger};
use path::{Outcome, Run, RunFlags, Step};
use program::Program;

/// Says what runs show.
pub struct Shown<'a> {
    goals: &'a Goals,
    counter: HitCounter,
    ledger: Ledger,
}

impl<'a> Shown<'a> {
    /// Of these goals.
    #[must_use]
    pub fn new(program: &Program, goals: &'a Goals) -> Shown<'a> {
        Shown {
            goals,
            counter: HitCounter::of(program, goals),
            ledger: Ledger::new(goals),
        }
    }

    /// All that a run shows.
    pub fn of(&mut self, run: &Run) -> Shows {
        let hits = hits(&mut self.counter, run);
        self.ledger.shows(self.goals, &hits)
    }
}

/// Signals of instructions that crash: SIGILL, SIGBUS, SIGFPE, SIGSEGV.
const CRASHES: [i32; 4] = [4, 7, 8, 11];

/// What a run counts.
pub(crate) fn hits(counter: &mut HitCounter, run: &Run) -> Hits {
    for step in &run.steps {
        match *step {
            Step::Edge { edge, .. } => counter.edge(edge),
            Step::Call(function) => counter.enter(function),
            Step::Return(function) => counter.leave(function),
            Step::Resume(function) => counter.resume(function),
            _ => {}
        }
    }
    for &(edge, times) in &run.late_edges {
        counter.edge_times(edge, times);
    }
    for &(function, times) in &run.late_functions {
        counter.enter_times(function, times);
    }
    if run.flags.contains(RunFlags::EVENTS_TRUNCATED) {
        counter.set_cut();
    }
    if let Outcome::Signalled(signal) = run.outcome
        && CRASHES.contains(&signal)
    {
        counter.set_crashed();
    }
    if run.flags.contains(RunFlags::UNCOUNTED) {
        counter.set_rough();
    }
    counter.take()
}
