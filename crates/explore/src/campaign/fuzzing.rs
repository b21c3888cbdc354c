//! Fuzzing in between the jobs of a campaign: see [`crate::fuzz`].

use std::time::Duration;

use program::EdgeId;

use super::{Campaign, Doing, Engine};
use crate::approach::Progress;
use crate::wishes::Wishes;
use path::{InputVector, Outcome, TargetError};

/// The search is left alone at first: what it can solve, it solves at once.
const SETTLE: Duration = Duration::from_secs(1);
/// Fuzzing gives way to the engine's other business so often.
const SLICE: Duration = Duration::from_millis(20);

/// What a slice found.
#[derive(Default)]
struct Finds {
    runs: u64,
    edges: usize,
    inputs: Vec<InputVector>,
}

impl Campaign<'_> {
    /// Whether it is the turn of the fuzzer.
    pub(super) fn fuzzing_is_due(&mut self, engine: &Engine<'_>) -> bool {
        let Some(fuzzer) = &self.fuzzer else {
            return false;
        };
        let has_share = fuzzer.share.is_due() && engine.clock.elapsed() >= SETTLE;
        let wished = self.wishes().map(Wishes::is_due).contains(&true);
        (has_share || wished)
            && self.start.is_empty()
            && !self.concluded
            && self.spent(engine.clock).is_none()
    }

    /// Fuzzes for a while. What it finds is run next.
    pub(super) fn fuzz(&mut self, engine: &mut Engine<'_>) -> Result<(), TargetError> {
        let began = engine.clock.elapsed();
        engine.observer.doing(Doing::Fuzz);
        let mut finds = Finds::default();
        while engine.clock.elapsed() < began + SLICE && !engine.interrupted() {
            if !self.fuzz_once(engine, &mut finds)? {
                self.fuzzer = None;
                break;
            }
        }
        let time = engine.clock.elapsed().saturating_sub(began);
        self.stats.times.fuzz += time;
        self.stats.fuzzed += finds.runs;
        if let Some(fuzzer) = &mut self.fuzzer {
            fuzzer.ended(finds.edges, finds.runs, time);
        }
        for input in finds.inputs {
            self.offer(input);
        }
        Ok(())
    }

    /// One run without expressions. False when there is none to be made.
    fn fuzz_once(
        &mut self,
        engine: &mut Engine<'_>,
        finds: &mut Finds,
    ) -> Result<bool, TargetError> {
        let Some(fuzzer) = &mut self.fuzzer else {
            return Ok(false);
        };
        // Tests of the search first: what they show is not new.
        let test = self.tests.get(fuzzer.tests);
        let next = match test {
            Some(test) => {
                fuzzer.tests += 1;
                Some(test.input.clone())
            }
            None => {
                let wanted = self.matching.wishes.next();
                let wanted = wanted.or_else(|| self.pumping.wishes.next());
                wanted.or_else(|| fuzzer.next(&mut self.chance))
            }
        };
        let Some(input) = next else {
            return Ok(false);
        };
        fuzzer.visits.edges.clear();
        fuzzer.visits.near.clear();
        let ran = engine.target.run_concrete(&input, &mut fuzzer.visits)?;
        let Some(outcome) = ran else {
            return Ok(false);
        };
        finds.runs += 1;
        let (seen, fails) = (fuzzer.look(), fuzzer.fails_anew(outcome));
        let progress = self.approach.look(&fuzzer.visits.near);
        if test.is_some() {
            fuzzer.add(input);
            return Ok(true);
        }
        if matches!(outcome, Outcome::AssumeFailed | Outcome::Timeout) {
            return Ok(true);
        }
        let never_taken = |edge: &&EdgeId| self.edge_hits[**edge] == 0;
        let found = seen.edges.iter().filter(never_taken).count();
        finds.edges += found;
        // The search goes on from what comes nearer as well.
        if found > 0 || fails || progress == Progress::Nearer {
            finds.inputs.push(input.clone());
        }
        if seen.is_new() || progress > Progress::None {
            fuzzer.add(input);
        }
        Ok(true)
    }
}
