//! Runs without expressions in between the jobs of a campaign: see [`crate::fuzz`].
//!
//! Must hold: nothing here decides what is covered; what is worth it is run once more, with expressions.

use std::time::Duration;

use path::{InputVector, Outcome, TargetError, Visits};

use super::{Campaign, Doing, Engine, TimeSpent, view_of};
use crate::nearness::Progress;
use crate::source::{Glance, Turn};

/// A slice of random changes gives way to the engine's other business so often.
const SLICE: Duration = Duration::from_millis(20);

/// What a slice found.
#[derive(Default)]
struct Finds {
    runs: u64,
    edges: usize,
    inputs: Vec<InputVector>,
}

impl Campaign<'_> {
    /// Runs inputs without expressions for a while. What they find is run next.
    pub(super) fn slice(
        &mut self,
        engine: &mut Engine<'_>,
        by_chance: bool,
    ) -> Result<(), TargetError> {
        let long = match by_chance {
            true => SLICE,
            false => self.turn().min(SLICE),
        };
        let began = engine.clock.elapsed();
        engine.observer.doing(Doing::Fuzz);
        let mut finds = Finds::default();
        let mut visits = Visits::default();
        loop {
            let Some((input, is_known)) = self.next_glance(by_chance) else {
                self.slices &= !by_chance;
                break;
            };
            if !self.glance(engine, &input, is_known, &mut visits, &mut finds)? {
                self.slices = false;
                break;
            }
            if engine.clock.elapsed() >= began + long || engine.interrupted() {
                break;
            }
        }
        let time = engine.clock.elapsed().saturating_sub(began);
        let stats = &mut self.stats;
        stats.times.fuzz += time;
        stats.fuzzed += finds.runs;
        stats.fruitless = match finds.edges {
            0 => stats.fruitless + finds.runs,
            _ => 0,
        };
        if by_chance {
            self.tell_time(&TimeSpent {
                glances: Some(finds.runs),
                found: finds.edges,
                time,
            });
        }
        for input in finds.inputs {
            self.finds.add_sliced(&input);
            self.offer(input);
        }
        Ok(())
    }

    /// What a run with expressions took so far, with all that belongs to it.
    fn turn(&self) -> Duration {
        let times = &self.stats.times;
        let all = times.pick + times.solve + times.run + times.learn;
        all / u32::try_from(self.stats.runs.max(1)).unwrap_or(u32::MAX)
    }

    /// The next input that is to be run without expressions, and whether it is that of a test.
    fn next_glance(&mut self, by_chance: bool) -> Option<(InputVector, bool)> {
        let (tests, sources) = (&self.tests, &mut self.sources);
        let turns = match by_chance {
            true => &[Turn::First, Turn::Regular, Turn::Spare][..],
            false => &[Turn::Regular],
        };
        turns.iter().find_map(|&turn| {
            let mut inputs = sources.iter_mut();
            let input = inputs.find_map(|source| source.glance(tests, turn))?;
            Some((input, turn == Turn::First))
        })
    }

    /// Tells the sources where time went.
    pub(super) fn tell_time(&mut self, spent: &TimeSpent) {
        for source in &mut self.sources {
            source.on_time(spent);
        }
    }

    /// One run without expressions. False when the target makes none.
    fn glance(
        &mut self,
        engine: &mut Engine<'_>,
        input: &InputVector,
        is_known: bool,
        visits: &mut Visits,
        finds: &mut Finds,
    ) -> Result<bool, TargetError> {
        visits.edges.clear();
        visits.near.clear();
        let began = engine.clock.elapsed();
        let Some(outcome) = engine.target.run_concrete(input, visits)? else {
            return Ok(false);
        };
        let time = engine.clock.elapsed().saturating_sub(began);
        finds.runs += 1;
        let progress = self.watched.look(&visits.near);
        let glance = Glance {
            input,
            visits,
            outcome,
            time,
            progress,
            is_known,
        };
        let view = view_of!(self);
        let (mut edges, mut fails) = (0, false);
        for source in &mut self.sources {
            let worth = source.on_glance(&view, &glance);
            edges = edges.max(worth.edges);
            fails |= worth.fails;
        }
        if is_known || matches!(outcome, Outcome::AssumeFailed | Outcome::Timeout) {
            return Ok(true);
        }
        finds.edges += edges;
        // The search goes on from what comes nearer as well.
        if edges > 0 || fails || progress == Progress::Nearer {
            finds.inputs.push(input.clone());
        }
        Ok(true)
    }
}
