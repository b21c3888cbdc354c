//! How near a run was to taking a side that it did not take.
//!
//! Must hold: nothing is evaluated before a strategy asks; strategies see numbers, no terms.

use std::cell::{OnceCell, RefCell};
use std::fmt;

use program::{Program, SiteKind};
use smt::{Assignment, Evaluator, Pool};

use path::tree::Kind;
use path::{Candidate, InputVector, Tree};

/// Measures sides of decisions on the path of one run.
pub trait Nearness: fmt::Debug {
    /// Branch distance of the run's values from taking the side; 0: they would take it.
    fn distance(&self, side: Candidate) -> u64;
}

/// The path of a run in the tree, with the input that took it.
pub(crate) struct MeasuredRun<'a> {
    pub(crate) program: &'a Program,
    pub(crate) tree: &'a Tree,
    pub(crate) pool: &'a Pool,
    pub(crate) input: &'a InputVector,
    pub(crate) values: &'a OnceCell<Assignment>,
    pub(crate) evaluator: OnceCell<RefCell<Evaluator<'a>>>,
}

impl fmt::Debug for MeasuredRun<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("MeasuredRun").finish_non_exhaustive()
    }
}

impl Nearness for MeasuredRun<'_> {
    fn distance(&self, side: Candidate) -> u64 {
        let Some(term) = self.tree.term(side.node) else {
            return 1;
        };
        let evaluator = self.evaluator.get_or_init(|| {
            let values = self.values.get_or_init(|| self.input.assignment());
            RefCell::new(Evaluator::new(self.pool, values))
        });
        let mut evaluator = evaluator.borrow_mut();
        if self.tree.kind(side.node) != Kind::Switch {
            return evaluator.distance(term, side.side == 1);
        }
        let site = self.tree.site(self.program, side.node);
        let case = site.and_then(|site| match &self.program.sites[site].kind {
            SiteKind::Switch { cases, .. } => cases.get(side.side as usize),
            _ => None,
        });
        let gap = |&case: &u128| evaluator.value(term).abs_diff(case);
        case.map_or(1, gap).try_into().unwrap_or(u64::MAX)
    }
}
