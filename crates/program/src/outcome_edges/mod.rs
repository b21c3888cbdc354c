//! Outcome edges: which edges make an outcome of a condition count.
//!
//! The coverage mapping says how often a condition was true or false as an expression over profile counters. A search
//! needs edges. Both are counts of the same runs, so they are joined by [`FlowHash`]: an edge is an outcome edge
//! when, on every complete run, it is taken exactly as often as the outcome counts. Where several edges are (a loop
//! body with one condition is entered as often as the condition is true), the source decides: the edge whose site
//! lies in the condition's text, seen through macros and includes.
//!
//! Invariants:
//! - [`OutcomeEdges::AnyOf`] is exact on complete runs: the outcome's count is the number of times one of the edges is taken;
//! - outcomes of conditions that fold to a constant have no outcome edges, because they are no goals;
//! - a condition has at most one site as its place; a `switch` is that of each of its labels.

mod matcher;
mod places;
mod table;

use matcher::{Matcher, Sites};

use crate::id::{EdgeId, SiteId};
use crate::model::Program;
use crate::place::SourceRange;

/// What makes an outcome count.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum OutcomeEdges {
    /// Not determined.
    #[default]
    Unknown,
    /// Taking one of these edges.
    AnyOf(Vec<EdgeId>),
    /// Every complete call of the function.
    Entry,
    /// Nothing: no code that can be reached increments its counters.
    Never,
    /// Complete runs cannot make it count: only one that leaves the function between two counters does.
    EarlyExit,
}

/// The outcome edges of a condition: one branch region.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Condition {
    /// Index into [`Program::coverage`].
    pub function: u32,
    /// Index into [`FunctionCoverage::regions`].
    pub region: u32,
    /// Outcomes false, true.
    pub outcomes: [OutcomeEdges; 2],
    /// The site where it is decided, if it is one.
    pub site: Option<SiteId>,
    /// Where the outermost macro expansion around it stands, or itself: its text in the source that debug information
    /// talks about. `file` indexes [`Program::files`].
    pub file: u32,
    pub range: SourceRange,
}

/// The outcome edges of all conditions of a program, in the order of the coverage mapping.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ConditionOutcomes {
    pub conditions: Vec<Condition>,
    /// First condition of each function of the mapping.
    starts: Vec<usize>,
}

impl ConditionOutcomes {
    /// Computes them.
    #[must_use]
    pub fn new(program: &Program) -> ConditionOutcomes {
        let mut outcomes = ConditionOutcomes::default();
        let sites = Sites::new(program);
        for (index, coverage) in program.coverage.iter().enumerate() {
            outcomes.starts.push(outcomes.conditions.len());
            let number = u32::try_from(index).expect("fewer than 2^32 functions");
            Matcher::new(program, coverage, &sites).conditions(number, &mut outcomes.conditions);
        }
        outcomes
    }

    /// The conditions of a function of the mapping (an index into [`Program::coverage`]).
    #[must_use]
    pub fn of_function(&self, function: usize) -> &[Condition] {
        let start = self
            .starts
            .get(function)
            .copied()
            .unwrap_or(self.conditions.len());
        let end = self
            .starts
            .get(function + 1)
            .copied()
            .unwrap_or(self.conditions.len());
        &self.conditions[start..end]
    }

    /// What makes an outcome of a branch region count; `None` when the region is no goal.
    #[must_use]
    pub fn of(&self, function: usize, region: usize, outcome: bool) -> Option<&OutcomeEdges> {
        let conditions = self.of_function(function);
        let index = conditions
            .binary_search_by_key(&(region as u64), |found| u64::from(found.region))
            .ok()?;
        Some(&conditions[index].outcomes[usize::from(outcome)])
    }
}
