//! Inputs by chance: tests that were kept, changed at random (see [`crate::chance`]).
//!
//! Every eighth turn when the search has found nothing new for a while, and when there is nothing else to do.
//!
//! Must hold: runs by chance end when so many in a row found nothing.

use path::InputVector;

use super::{Entry, Proposal, Scene, Setup, Source, Turn};
use crate::chance::Chance;

/// The source's entry in the registry.
pub(crate) const ENTRY: Entry = Entry {
    name: "chance",
    summary: "random changes of tests, while the search is stuck and in the end",
    watches: false,
    is_random: true,
    slices: false,
    looks_back: false,
    make: |setup| Box::new(ByChance::new(setup, true)),
};

/// The same, but only when every path was explored and that proves nothing.
pub(crate) const AT_THE_END: Entry = Entry {
    summary: "random changes of tests when there is nothing else to do",
    make: |setup| Box::new(ByChance::new(setup, false)),
    ..ENTRY
};

/// Runs in a row without anything new after which the search counts as stalled.
const STALLED: u64 = 500;
/// When stalled, every n-th run is by chance.
const EVERY: u64 = 8;
/// Fruitless runs by chance after which an exhausted search gives up.
pub(crate) const PATIENCE: u64 = 5000;
/// Inputs that are made for one that was not run yet.
const TRIES: u32 = 8;

/// Changed tests.
struct ByChance {
    chance: Chance,
    /// Also while the search is stalled.
    when_stalled: bool,
    turns: u64,
    /// Runs in the end since something new was found, and at which run that was.
    fruitless: u64,
    last_new: u64,
}

impl ByChance {
    fn new(setup: &Setup<'_>, when_stalled: bool) -> ByChance {
        ByChance {
            chance: Chance::new(setup.program, setup.seed),
            when_stalled,
            turns: 0,
            fruitless: 0,
            last_new: 0,
        }
    }

    /// Whether the next run is by chance: it is the turn of one, and the search found nothing new for a while.
    fn is_due(&mut self, scene: &Scene<'_>) -> bool {
        if !self.when_stalled || scene.runs.saturating_sub(scene.last_new) < STALLED {
            return false;
        }
        self.turns += 1;
        self.turns.is_multiple_of(EVERY)
    }

    /// Whether there is still hope when nothing else is left to do.
    fn hopes(&mut self, scene: &Scene<'_>) -> bool {
        if self.last_new != scene.last_new {
            self.last_new = scene.last_new;
            self.fruitless = 0;
        }
        self.fruitless += 1;
        self.fruitless <= PATIENCE
    }

    /// A changed test that was not run yet.
    fn input(&mut self, scene: &Scene<'_>) -> Option<InputVector> {
        let tests = scene.tests;
        let mut left = TRIES;
        scene.fresh(|| {
            left = left.checked_sub(1)?;
            self.chance.input(tests.len(), |index| &tests[index].input)
        })
    }
}

impl Source for ByChance {
    fn propose(&mut self, scene: &mut Scene<'_>, turn: Turn) -> Option<Proposal> {
        let wants = !scene.slices
            && match turn {
                Turn::Regular => self.is_due(scene),
                Turn::Last => self.hopes(scene),
                Turn::First | Turn::Spare | Turn::Stuck => false,
            };
        let input = wants.then(|| self.input(scene)).flatten();
        input.map(Proposal::Input)
    }

    fn outlives_tree(&self) -> bool {
        true
    }
}
