//! Runs without expressions in between the jobs of a campaign: see [`crate::fuzz`].
//!
//! Must hold: nothing here decides what is covered; what is worth it is run once more, with expressions.

use std::time::Duration;

use path::{InputVector, Outcome, TargetError, Visits};

use super::{Campaign, Doing, Engine, TimeSpent, view_of};
use crate::nearness::Progress;
use crate::source::{Glance, Turn};

/// A slice gives way to the engine's other business so often.
const SLICE: Duration = Duration::from_millis(20);

/// What a slice found.
#[derive(Default)]
struct Finds {
    runs: u64,
    edges: usize,
    /// Of inputs that waited: runs, edges and time.
    waited: (u64, usize, Duration),
    inputs: Vec<InputVector>,
}

impl Campaign<'_> {
    /// Runs inputs without expressions for a while. What they find is run next.
    pub(super) fn slice(&mut self, engine: &mut Engine<'_>) -> Result<(), TargetError> {
        let began = engine.clock.elapsed();
        engine.observer.doing(Doing::Fuzz);
        let mut finds = Finds::default();
        let mut visits = Visits::default();
        while engine.clock.elapsed() < began + SLICE && !engine.interrupted() {
            if !self.glance(engine, &mut visits, &mut finds)? {
                self.slices = false;
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
        let (runs, edges, taken) = finds.waited;
        self.tell_time(&TimeSpent {
            glances: Some(finds.runs - runs),
            found: finds.edges - edges,
            time: time.saturating_sub(taken),
        });
        for input in finds.inputs {
            self.finds.add_sliced(&input);
            self.offer(input);
        }
        Ok(())
    }

    /// Tells the sources where time went.
    pub(super) fn tell_time(&mut self, spent: &TimeSpent) {
        for source in &mut self.sources {
            source.on_time(spent);
        }
    }

    /// One run without expressions. False when there is none to be made.
    fn glance(
        &mut self,
        engine: &mut Engine<'_>,
        visits: &mut Visits,
        finds: &mut Finds,
    ) -> Result<bool, TargetError> {
        let (tests, sources) = (&self.tests, &mut self.sources);
        let next = [Turn::First, Turn::Regular, Turn::Spare]
            .into_iter()
            .find_map(|turn| {
                let input = sources
                    .iter_mut()
                    .find_map(|source| source.glance(tests, turn));
                input.map(|input| (input, turn))
            });
        let Some((mut input, turn)) = next else {
            return Ok(false);
        };
        let is_known = turn == Turn::First;
        self.room.cut(&mut input);
        visits.clear();
        let began = engine.clock.elapsed();
        let Some(outcome) = engine.target.run_concrete(&input, visits)? else {
            return Ok(false);
        };
        let time = engine.clock.elapsed().saturating_sub(began);
        finds.runs += 1;
        if turn == Turn::Regular {
            finds.waited.0 += 1;
            finds.waited.2 += time;
        }
        let progress = self.watched.look(&visits.near);
        let glance = Glance {
            input: &input,
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
        if turn == Turn::Regular {
            finds.waited.1 += edges;
        }
        // The search goes on from what comes nearer as well.
        if edges > 0 || fails || progress == Progress::Nearer {
            finds.inputs.push(input);
        }
        Ok(true)
    }
}
