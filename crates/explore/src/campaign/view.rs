//! What others may see of a campaign.

use std::ops::Range;

use coverage::{Goals, Ledger, Totals};
use program::{Program, SecondaryMap};

use super::{
    Campaign, Concretised, Config, Findings, Gaps, KeptTest, Progress, StopReason, Verdicts,
};
use crate::strategy::STRATEGIES;
use path::{InputVector, RunId, Tree};

impl<'p> Campaign<'p> {
    /// How many runs there were.
    #[must_use]
    pub fn runs(&self) -> usize {
        self.inputs.kept().end
    }

    /// The runs whose inputs are known, counted from 0: those since the search started over last.
    #[must_use]
    pub fn known_inputs(&self) -> Range<usize> {
        self.inputs.kept()
    }

    /// The input of a run.
    ///
    /// # Panics
    /// When it is not among [`Campaign::known_inputs`].
    #[must_use]
    pub fn input(&self, run: usize) -> InputVector {
        let in_round = run - self.inputs.kept().start;
        self.inputs.get(RunId::from_u32(in_round as u32))
    }

    /// Was an input like this run?
    #[must_use]
    pub fn was_run(&self, input: &InputVector) -> bool {
        self.inputs.was_run(input)
    }

    /// The tests kept so far.
    #[must_use]
    pub fn tests(&self) -> &[KeptTest] {
        &self.tests
    }

    /// Indices in [`Config::initial`], but the first, of inputs that failed an assumption.
    #[must_use]
    pub fn rejected(&self) -> &[usize] {
        &self.rejected
    }

    #[must_use]
    pub fn ledger(&self) -> &Ledger {
        &self.ledger
    }

    #[must_use]
    pub fn totals(&self) -> Totals {
        self.figures.own
    }

    #[must_use]
    pub fn tree(&self) -> &Tree {
        &self.tree
    }

    /// What keeps the tree, as it is now, from being a proof.
    #[must_use]
    pub fn gaps(&self) -> Gaps {
        self.losses.gaps(&self.tree, self.config.outside)
    }

    /// Where symbolism was lost, why, how often, and which open goals stand behind it.
    #[must_use]
    pub fn concretised(&self) -> Vec<Concretised> {
        self.findings().concretised(self.program, self.goals)
    }

    /// Why the goals that are open are open.
    #[must_use]
    pub fn verdicts(&self) -> Verdicts {
        self.findings().verdicts(self.program, self.goals)
    }

    /// What was found so far, for whoever has to do without the campaign. It costs what the program is large, whatever was run.
    #[must_use]
    pub fn findings(&self) -> Findings {
        let mut tallies = self.tallies.clone();
        let mut approached = SecondaryMap::for_map(&self.program.sites, None);
        for site in self.program.sites.keys() {
            approached[site] = self.watched.nearest(self.program, site);
        }
        for edge in self.program.edges.keys() {
            if let Some(open) = self.tree.open_of(edge) {
                tallies[edge].open = u64::from(open);
            }
        }
        Findings {
            ledger: self.ledger.clone(),
            progress: self.progress(),
            gaps: self.gaps(),
            ended: self.losses.ended,
            rejected: self.rejected.clone(),
            reasons: self.reasons.clone(),
            edge_hits: self.edge_hits.clone(),
            late: self.late.clone(),
            entered: self.entered.clone(),
            tallies,
            symbolic: self.rounds.symbolic(self.program, &self.tree),
            approached,
            losses: self.losses.by_spot.clone(),
            stopped: !matches!(self.stop, Some(StopReason::Exhausted { .. })),
        }
    }

    /// Bytes of everything that grows.
    #[must_use]
    pub fn bytes(&self) -> usize {
        self.tree.bytes()
            + (self.sources.iter())
                .map(|source| source.bytes())
                .sum::<usize>()
            + self
                .backward
                .as_ref()
                .map_or(0, |backward| backward.bytes())
            + self.relevant.bytes()
            + self.inputs.bytes()
            + self.lineage.bytes()
            + self.condition.bytes()
    }

    /// Has nothing new been found for long?
    fn is_stalled(&self) -> bool {
        const RUNS: u64 = 500;
        const FUZZED: u64 = 5000;
        self.stats.runs - self.stats.last_new >= RUNS || self.stats.fruitless >= FUZZED
    }

    /// Where the sources are.
    fn phase(&self) -> String {
        let phases = self.sources.iter().map(|source| source.phase());
        let phases: Vec<String> = phases.filter(|phase| !phase.is_empty()).collect();
        phases.join("; ")
    }

    /// How it is going.
    #[must_use]
    pub fn progress(&self) -> Progress {
        Progress {
            totals: self.figures.own,
            tests: self.tests.len(),
            runs: self.stats.runs,
            fuzzed: self.stats.fuzzed,
            last_new: self.stats.last_new,
            sat: self.stats.sat,
            unsat: self.stats.unsat,
            unknown: self.stats.unknown,
            duplicates: self.stats.duplicates,
            irrelevant: self.rounds.irrelevant(&self.tree),
            assume_failed: self.stats.assume_failed,
            nodes: self.tree.len(),
            candidates: self.tree.counts().all_open(),
            times: self.stats.times,
            bytes: self.bytes(),
            started_over: self.rounds.over,
            phase: self.phase(),
            discovery: self.incidence.figures(),
            pays: self.finds.best(),
            only_concrete: self.is_stalled().then(|| self.watched.summary()),
        }
    }
}

impl Findings {
    /// Of a campaign that has not told anything yet.
    #[must_use]
    pub fn nothing(program: &Program, goals: &Goals) -> Findings {
        let strategy = STRATEGIES[0].plain(program);
        Campaign::new(program, goals, strategy, Config::default()).findings()
    }
}
