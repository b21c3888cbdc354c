//! Looking backward, as the campaign sees it: somebody who follows conditions from open goals backward, joins them with the runs of
//! tests, and comes back with inputs and proofs (bidirectional analysis, *BiTe*, sections 4 to 6).
//!
//! The campaign neither makes nor knows one: whoever makes the campaign hands it in ([`Campaign::look_backward`]). Source
//! `bidirectional` says when it has its turn.
//!
//! Must hold: what it says depends on nothing but what it was told; a proof holds for all inputs.
//!
//! [`Campaign::look_backward`]: crate::Campaign::look_backward

use std::sync::Arc;

use coverage::GoalId;
use path::InputVector;
use program::{EdgeId, SecondaryMap};

/// Looks backward from goals.
pub trait Backward {
    /// The campaign has kept a test with this input.
    fn learn(&mut self, input: &InputVector);

    /// Goes on for a moment: some milliseconds as a rule.
    fn go_on(&mut self, wanted: &Wanted<'_>) -> Looked;

    /// Bytes that it takes, about.
    fn bytes(&self) -> usize;
}

/// What is wanted.
pub struct Wanted<'a> {
    /// Is something to be gained by covering a goal?
    pub is_open: &'a dyn Fn(GoalId) -> bool,
    /// How often runs took each edge.
    pub hits: &'a SecondaryMap<EdgeId, u64>,
}

/// What came of a moment.
#[derive(Clone, Debug)]
pub enum Looked {
    /// There is more to follow.
    Working,
    /// An input that may cover an open goal.
    Input(InputVector),
    /// No input covers these goals; none takes these edges.
    Never {
        goals: Vec<GoalId>,
        edges: Vec<EdgeId>,
        /// Why, for people.
        why: Arc<str>,
    },
    /// There is nothing to do until another test is kept.
    Idle,
}
