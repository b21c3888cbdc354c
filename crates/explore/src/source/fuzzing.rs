//! Slices of grey-box fuzzing in between: see [`crate::fuzz`].
//!
//! Search and fuzzing share the time by what each found in the time it got lately.

use std::time::Duration;

use path::{InputVector, Outcome};
use program::EdgeId;

use super::{Entry, Glance, News, Proposal, Scene, Setup, Source, Spent, Turn, Worth};
use crate::campaign::job::KeptTest;
use crate::chance::Chance;
use crate::fuzz::Fuzzer;
use crate::nearness::Progress;
use crate::view::View;

/// The source's entry in the registry.
pub(crate) const ENTRY: Entry = Entry {
    name: "fuzzing",
    summary: "random changes of inputs, run without expressions",
    watches: false,
    is_random: true,
    slices: true,
    looks_back: false,
    make: |setup| Box::new(Fuzzing::new(setup)),
};

/// The search is left alone at first: what it can solve, it solves at once.
const SETTLE: Duration = Duration::from_secs(1);

/// The fuzzer and what it changes inputs with.
struct Fuzzing {
    fuzzer: Fuzzer,
    chance: Chance,
    /// Tests of the campaign that were looked at.
    tests: usize,
}

impl Fuzzing {
    fn new(setup: &Setup<'_>) -> Fuzzing {
        Fuzzing {
            fuzzer: Fuzzer::new(setup.program, setup.seed),
            chance: Chance::new(setup.program, setup.seed),
            tests: 0,
        }
    }
}

impl Source for Fuzzing {
    fn propose(&mut self, scene: &mut Scene<'_>, turn: Turn) -> Option<Proposal> {
        let wants = scene.slices
            && match turn {
                Turn::Regular => self.fuzzer.share.is_due() && scene.clock.elapsed() >= SETTLE,
                Turn::Last => self.fuzzer.hopes(),
                Turn::First | Turn::Spare | Turn::Stuck => false,
            };
        wants.then_some(Proposal::Slice)
    }

    /// Tests of the search first: what they show is not new.
    fn glance(&mut self, tests: &[KeptTest], turn: Turn) -> Option<InputVector> {
        match turn {
            Turn::First => {
                let test = tests.get(self.tests)?;
                self.tests += 1;
                Some(test.input.clone())
            }
            Turn::Spare => self.fuzzer.next(&mut self.chance),
            Turn::Regular | Turn::Stuck | Turn::Last => None,
        }
    }

    fn on_run(&mut self, _view: &View<'_>, news: &News<'_>) {
        for compared in &news.run.compared {
            self.chance.asked(&compared.wanted);
        }
    }

    fn on_glance(&mut self, view: &View<'_>, glance: &Glance<'_>) -> Worth {
        let seen = self.fuzzer.look(glance.visits);
        let fails = self.fuzzer.fails_anew(glance.outcome, glance.visits);
        if glance.is_known {
            self.fuzzer.add(glance.input, glance.visits, glance.time);
            return Worth::default();
        }
        let counts = !matches!(glance.outcome, Outcome::AssumeFailed | Outcome::Timeout);
        let is_new = counts && (seen.is_new() || glance.progress > Progress::None);
        self.fuzzer.spent(glance.time, is_new);
        if !counts {
            return Worth::default();
        }
        if is_new {
            self.fuzzer.add(glance.input, glance.visits, glance.time);
        }
        let never_taken = |edge: &&EdgeId| view.edge_hits[**edge] == 0;
        Worth {
            edges: seen.edges.iter().filter(never_taken).count(),
            fails,
        }
    }

    fn on_time(&mut self, spent: &Spent) {
        match spent.glances {
            Some(runs) => self.fuzzer.ended(spent.found, runs, spent.time),
            None => self.fuzzer.share.searched(spent.found, spent.time),
        }
    }

    fn outlives_tree(&self) -> bool {
        true
    }
}
