//! What a campaign has found so far, apart from the campaign: enough for the report.
//!
//! Whoever has to end a campaign that does not answer (a query, or a step of our own, that goes on and on) has the findings
//! that it published last, and the tests that it kept since.
//!
//! Must hold: findings are as large as the program, however much was run; with [`Findings::keep`] for each test that was kept
//! since, no goal is open that a test covers.

use std::collections::BTreeMap;
use std::sync::Arc;

use coverage::{GoalId, Goals, Ledger};
use program::{EdgeId, FuncId, Program, SecondaryMap, SiteId, SpotId};

use super::concretised::{self, Concretised};
use super::gaps::Gaps;
use super::job::KeptTest;
use super::progress::Progress;
use super::verdict::{Facts, Late, OpenReason, Tally, Verdicts};
use crate::nearness::Approached;
use path::LossReason;

/// What is known of each goal, and what was run so far.
#[derive(Clone, Debug)]
pub struct Findings {
    pub ledger: Ledger,
    pub progress: Progress,
    /// What keeps the tree from being a proof.
    pub gaps: Gaps,
    /// Indices in [`Config::initial`](super::Config::initial), but the first, of inputs that failed an assumption.
    pub rejected: Vec<usize>,
    /// Why goals were refuted while the search went on, for people.
    pub reasons: BTreeMap<GoalId, Arc<str>>,
    pub(super) edge_hits: SecondaryMap<EdgeId, u64>,
    pub(super) late: SecondaryMap<EdgeId, Late>,
    pub(super) entered: SecondaryMap<FuncId, u64>,
    pub(super) tallies: SecondaryMap<EdgeId, Tally>,
    pub(super) symbolic: SecondaryMap<SiteId, bool>,
    pub(super) approached: SecondaryMap<SiteId, Option<Approached>>,
    pub(super) losses: BTreeMap<(SpotId, LossReason), u64>,
    pub(super) stopped: bool,
    /// Some run was seen to its own end.
    pub(super) ended: bool,
}

impl Findings {
    /// Takes note of a test that was kept after these findings were published.
    pub fn keep(&mut self, goals: &Goals, test: &KeptTest) {
        self.ledger.mark(goals, &test.taken(), test.number);
        self.ledger.mark_untaken(&test.untaken, test.number);
        self.progress.totals = self.ledger.totals(goals);
    }

    /// Where symbolism was lost, why, how often, and which open goals stand behind it.
    #[must_use]
    pub fn concretised(&self, program: &Program, goals: &Goals) -> Vec<Concretised> {
        concretised::report(&self.facts(program, goals))
    }

    /// Why the goals that are open are open.
    #[must_use]
    pub fn verdicts(&self, program: &Program, goals: &Goals) -> Verdicts {
        Verdicts::new(&self.facts(program, goals))
    }

    /// How often an edge was taken.
    #[must_use]
    pub fn taken(&self, edge: EdgeId) -> u64 {
        self.edge_hits[edge] + u64::from(self.late[edge].taken)
    }

    /// How often a function was entered.
    #[must_use]
    pub fn entered(&self, function: FuncId) -> u64 {
        self.entered[function]
    }

    /// What became of an edge that no run took, though runs came to its decision.
    #[must_use]
    pub fn tried(&self, program: &Program, edge: EdgeId) -> Vec<OpenReason> {
        let site = program.edges[edge].site;
        let mut reasons = Vec::new();
        if !self.symbolic[site] {
            reasons.push(OpenReason::OnlyConcrete(self.approached[site]));
        }
        self.tallies[edge].reasons(self.stopped, &mut reasons);
        reasons
    }

    fn facts<'a>(&'a self, program: &'a Program, goals: &'a Goals) -> Facts<'a> {
        Facts {
            program,
            goals,
            ledger: &self.ledger,
            edge_hits: &self.edge_hits,
            late: &self.late,
            entered: &self.entered,
            tallies: &self.tallies,
            symbolic: &self.symbolic,
            approached: &self.approached,
            losses: &self.losses,
            gaps: self.gaps,
            ended: self.ended,
            stopped: self.stopped,
        }
    }
}
