//! Grey-box fuzzing beside the search, as hybrid fuzzers do (Driller, Stephens et al. 2016; QSYM, Yun et al. 2018): random
//! changes of known inputs, run without expressions. What takes an edge that no run has taken is run once more, with
//! expressions, and the search goes on from there.
//!
//! Feedback is AFL's: how often each edge was taken, in classes. An input with a new class joins the corpus, which says what is
//! changed next ([`corpus`]).
//!
//! Must hold: nothing here decides what is covered; that is up to the run with expressions.

mod corpus;
mod novelty;
mod share;
#[cfg(test)]
mod tests;

use std::collections::BTreeSet;
use std::time::Duration;

use program::{EdgeId, Program};

use crate::chance::Chance;
use crate::rng::Rng;
use path::{InputVector, Outcome, Visits};

use corpus::Corpus;
use novelty::{Novelty, Seen};
use share::Share;

/// Runs without a find after which there is no hope any more.
const PATIENCE: u64 = 5000;
/// The corpus, and what it has seen.
#[derive(Debug)]
pub(crate) struct Fuzzer {
    rng: Rng,
    corpus: Corpus,
    novelty: Novelty,
    /// Who spends the time better.
    pub(crate) share: Share,
    /// Runs since an edge was found that nobody had taken.
    fruitless: u64,
    /// Failures that were seen: how the run ended, and the edge that it took last.
    failures: BTreeSet<(Outcome, Option<EdgeId>)>,
}

impl Fuzzer {
    pub(crate) fn new(program: &Program, seed: u64) -> Fuzzer {
        Fuzzer {
            rng: Rng::new(seed ^ 0x7a3d_1c0f_5b96_e842),
            corpus: Corpus::new(program),
            novelty: Novelty::new(program),
            share: Share::default(),
            fruitless: 0,
            failures: BTreeSet::new(),
        }
    }

    /// A changed input of the corpus. `None` when there is nothing to change.
    pub(crate) fn next(&mut self, chance: &mut Chance) -> Option<InputVector> {
        let (parent, other) = self.corpus.next(&mut self.rng)?;
        chance.changed(parent, other)
    }

    /// The run of a changed input took so long, and showed something new or not.
    pub(crate) fn spent(&mut self, time: Duration, is_new: bool) {
        self.corpus.spent(time, is_new);
    }

    /// A while of fuzzing is over, with so many edges that nobody had taken.
    pub(crate) fn ended(&mut self, found: usize, runs: u64, time: Duration) {
        self.share.fuzzed(found, time);
        self.fruitless = if found > 0 { 0 } else { self.fruitless + runs };
    }

    /// Whether there is still hope when nothing else is left to do.
    pub(crate) fn hopes(&self) -> bool {
        self.fruitless <= PATIENCE
    }

    /// What is new about the edges of the last run.
    pub(crate) fn look(&mut self, visits: &Visits) -> Seen {
        self.novelty.look(visits.edges())
    }

    /// Whether the last run, which ended so, failed in a way that is new.
    pub(crate) fn fails_anew(&mut self, outcome: Outcome, visits: &Visits) -> bool {
        let failed = matches!(outcome, Outcome::Signalled(_) | Outcome::Memory);
        failed && self.failures.insert((outcome, visits.last()))
    }

    /// Adds an input whose run had something new.
    pub(crate) fn add(&mut self, input: &InputVector, visits: &Visits, time: Duration) {
        let edges = visits.edges().map(|(edge, _)| edge);
        self.corpus.add(input, edges, time);
    }
}
