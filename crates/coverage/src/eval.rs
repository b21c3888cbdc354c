//! `Eval` and `Cov` of the coverage structure (Su et al., *Automated Coverage-Driven Test Data Generation Using Dynamic
//! Symbolic Execution*, section III-B, definition 2), for goals that no single run covers.
//!
//! [`Eval`] holds what was evaluated in the tests kept so far: vectors of decisions, each with the test that showed it first.
//! [`Eval::cov`] says which goals that covers, together with a run that is not in it yet. Goals that a count of one run covers
//! need no `Eval`: see [`crate::Ledger`].

use std::collections::BTreeMap;

use crate::decisions::DecisionId;
use crate::goal::{Evidence, GoalId};
use crate::goals::Goals;
use crate::vector::Vector;

/// What the tests evaluated.
#[derive(Clone, Debug, Default)]
pub struct Eval {
    vectors: BTreeMap<DecisionId, BTreeMap<Vector, u32>>,
    size: usize,
}

/// What one run evaluated, as far as it is new.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct News {
    /// Vectors of decisions with open goals, in order.
    pub vectors: Vec<(DecisionId, Vector)>,
}

impl News {
    /// Did the run evaluate nothing new?
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.vectors.is_empty()
    }
}

impl Eval {
    /// A number that grows with everything that is added.
    #[must_use]
    pub fn size(&self) -> usize {
        self.size
    }

    /// The vectors of a decision, in order, each with the test that showed it first.
    pub fn vectors(&self, decision: DecisionId) -> impl Iterator<Item = (&Vector, u32)> {
        let known = self.vectors.get(&decision).into_iter().flatten();
        known.map(|(vector, test)| (vector, *test))
    }

    /// Was this vector shown?
    #[must_use]
    pub fn knows(&self, decision: DecisionId, vector: &Vector) -> bool {
        self.vectors
            .get(&decision)
            .is_some_and(|known| known.contains_key(vector))
    }

    /// Adds what a test evaluated.
    pub fn add(&mut self, news: &News, test: u32) {
        self.size += news.vectors.len();
        for (decision, vector) in &news.vectors {
            let known = self.vectors.entry(*decision).or_default();
            known.entry(*vector).or_insert(test);
        }
    }

    /// Which of the `open` goals are covered by what is known and what is new, in order.
    #[must_use]
    pub fn cov(&self, goals: &Goals, news: &News, open: &dyn Fn(GoalId) -> bool) -> Vec<GoalId> {
        let mut covered = Vec::new();
        for group in news.vectors.chunk_by(|a, b| a.0 == b.0) {
            let decision = group[0].0;
            for goal in goals.of_decision(decision).filter(|goal| open(*goal)) {
                let Evidence::Pair { condition, .. } = goals.get(goal).evidence else {
                    continue;
                };
                let fresh = || group.iter().map(|(_, vector)| vector);
                let known = self.vectors(decision).map(|(vector, _)| vector);
                let mut partners = known.chain(fresh());
                let pairs =
                    |a: &Vector| fresh().any(|b| goals.is_pair(decision, condition, (a, b)));
                if partners.any(pairs) {
                    covered.push(goal);
                }
            }
        }
        covered.sort_unstable();
        covered.dedup();
        covered
    }
}
