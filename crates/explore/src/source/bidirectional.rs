//! Goals looked at from behind: conditions that lead to them, joined with the states of tests, and proofs that there is no way.
//!
//! Forward search sees what its runs touched: where nothing symbolic decides a branch it can only wander, and what an earlier round
//! of an endless loop forbids it never learns. [`crate::backward`] goes the other way. Here is when: now and then while the other
//! sources find something, more often when they do not, and alone when they have nothing to offer.
//!
//! With a strategy that is not about this, only when the others find nothing for long ([`crate::quiet`]).
//!
//! Must hold: with a budget of runs, its turns depend on the runs alone; it takes no more than its part of the time, or as many
//! moments as the runs allow it, so that a search that has nothing else to do ends soon.

use std::time::Duration;

use super::{Entry, Proposal, Scene, Source, Told, Turn};
use crate::backward::{Looked, Wanted};
use crate::pace::{Pace, Rule};
use crate::quiet::{Now, Quiet};
use crate::view::View;

/// The source's entry in the registry.
pub(crate) const ENTRY: Entry = Entry {
    name: "bidirectional",
    summary: "conditions followed backward from open goals, joined with the states of tests; proofs that there is no way",
    watches: false,
    is_random: false,
    slices: false,
    looks_back: true,
    make: |_| Box::new(Bidirectional::new()),
};

/// The same, when the others find nothing for long.
pub(crate) const WHEN_STUCK: Entry = Entry {
    summary: "conditions followed backward from open goals, while the search is stuck",
    make: |_| {
        Box::new(Bidirectional {
            quiet: Some(Quiet::new()),
            ..Bidirectional::new()
        })
    },
    ..ENTRY
};

/// Turns for one of its own, while it pays as well as the others do.
const EVERY: f64 = 4.0;
/// Moments of a turn: as a rule, and when nobody else has anything, or finds anything.
const MOMENTS: [u32; 2] = [4, 32];
/// Where no clock says what it takes: moments that it has in any case, and runs for one more, and those of them that found nothing.
const AT_LEAST: u64 = 128;
const RUNS: u64 = 8;
const LATE_RUNS: u64 = 2;
/// Runs without anything new after which the others are taken to be at their end.
const LATE: u64 = 200;
/// One part in so many of the time is its own: while the others find something, and when they do not.
const PARTS: [u32; 2] = [6, 2];

/// Where it is wanted only while others find nothing: time of a turn, and tests that it is told of in one where no clock says what it takes.
const TURN: Duration = Duration::from_millis(20);
const TESTS: u64 = 1;

struct Bidirectional {
    pace: Pace,
    /// Its share, where it is wanted only while the others find nothing.
    quiet: Option<Quiet>,
    /// Tests that it was told of.
    known: usize,
    spent: Duration,
    /// Moments so far.
    moments: u64,
    /// There is nothing to do until another test is kept.
    idle: bool,
}

impl Bidirectional {
    fn new() -> Bidirectional {
        Bidirectional {
            pace: Pace::new(Rule::USUAL),
            quiet: None,
            known: 0,
            spent: Duration::ZERO,
            moments: 0,
            idle: false,
        }
    }

    /// Whether its part is spent; `late`: nobody else has anything, or finds anything.
    fn is_spent(&self, scene: &Scene<'_>, late: bool) -> bool {
        if !scene.slices {
            let idle = scene.runs - scene.last_new;
            return self.moments > AT_LEAST + scene.runs / RUNS + idle / LATE_RUNS;
        }
        self.spent * PARTS[usize::from(late)] > scene.clock.elapsed()
    }

    /// The turn of one that is wanted only while the others find nothing.
    fn when_stuck(&mut self, scene: &mut Scene<'_>, turn: Turn) -> Option<Proposal> {
        let alone = turn == Turn::Stuck;
        let (now, clock) = (Now::of(scene), scene.clock);
        let quiet = self.quiet.as_mut()?;
        let has_more = !self.idle || self.known < scene.tests.len();
        if !(alone || turn == Turn::Regular) || !quiet.is_due(now, alone) || !has_more {
            return None;
        }
        let (began, before) = (clock.elapsed(), self.moments);
        let is_over = || is_over(now, clock.elapsed().saturating_sub(began));
        let mut told = 0;
        while let Some(test) = scene.tests.get(self.known) {
            if is_over() || now.clock.is_none() && told == TESTS {
                break;
            }
            scene.backward.as_mut()?.learn(&test.input);
            (self.known, told) = (self.known + 1, told + 1);
            self.idle = false;
        }
        let mut found = None;
        let most = self.moments + u64::from(MOMENTS[1]);
        while found.is_none() && !self.idle && self.moments < most && !is_over() {
            found = self.look(scene, 1);
        }
        let quiet = self.quiet.as_mut()?;
        let time = clock.elapsed().saturating_sub(began);
        quiet.spend(told + self.moments - before, time);
        if let Some(Proposal::Proof { .. }) = found {
            quiet.found();
        }
        found.or_else(|| alone.then_some(Proposal::Busy))
    }

    fn look(&mut self, scene: &mut Scene<'_>, count: u32) -> Option<Proposal> {
        let began = scene.clock.elapsed();
        let backward = scene.backward.as_mut()?;
        let wanted = Wanted {
            is_open: scene.is_open,
            hits: scene.edge_hits,
        };
        let mut found = None;
        for _ in 0..count {
            self.moments += 1;
            match backward.go_on(&wanted) {
                Looked::Working => {}
                Looked::Idle => {
                    self.idle = true;
                    break;
                }
                Looked::Input(input) if (scene.was_run)(&input) => {}
                Looked::Input(input) => {
                    found = Some(Proposal::Input(input));
                    break;
                }
                Looked::Never { goals, edges, why } => {
                    self.pace.credit(true, true);
                    found = Some(Proposal::Proof {
                        goals,
                        dead: edges,
                        why,
                    });
                    break;
                }
            }
        }
        self.spent += scene.clock.elapsed().saturating_sub(began);
        found
    }
}

/// Whether a turn that took so long is over.
fn is_over(now: Now, time: Duration) -> bool {
    now.clock.is_some() && time >= TURN
}

impl Now {
    fn of(scene: &Scene<'_>) -> Now {
        Now {
            runs: scene.runs,
            last_new: scene.last_new,
            clock: scene.slices.then(|| scene.clock.elapsed()),
        }
    }
}

impl Source for Bidirectional {
    fn propose(&mut self, scene: &mut Scene<'_>, turn: Turn) -> Option<Proposal> {
        if scene.backward.is_none() || turn == Turn::First || scene.runs == 0 {
            return None;
        }
        if self.quiet.is_some() {
            return self.when_stuck(scene, turn);
        }
        if turn == Turn::Stuck {
            return None;
        }
        let alone = turn != Turn::Regular;
        let late = alone || scene.runs - scene.last_new > LATE;
        let is_due = self.pace.is_due(EVERY, true);
        if !(is_due || late) || self.is_spent(scene, late) {
            return None;
        }
        if let Some(test) = scene.tests.get(self.known) {
            scene.backward.as_mut()?.learn(&test.input);
            self.known += 1;
            self.idle = false;
        }
        if self.idle {
            return None;
        }
        let found = self.look(scene, MOMENTS[usize::from(late)]);
        if found.is_none() && !self.idle {
            self.pace.credit(true, false);
        }
        let goes_on = alone && (!self.idle || self.known < scene.tests.len());
        found.or_else(|| goes_on.then_some(Proposal::Busy))
    }

    fn on_result(&mut self, _view: &View<'_>, told: &Told<'_>) {
        self.pace.credit(told.own, told.is_new);
        if let Some(quiet) = &mut self.quiet
            && told.own
            && told.is_new
        {
            quiet.found();
        }
    }

    fn outlives_tree(&self) -> bool {
        true
    }
}
