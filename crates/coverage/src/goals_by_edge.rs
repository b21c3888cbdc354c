//! What a run covers when its counts are not complete: goals by the edges that make them count.
//!
//! Must hold: what is called covered here is covered in the complete run; something that it covers may be missed.

use program::outcome_edges::{ConditionOutcomes, OutcomeEdges};
use program::{Counter, EdgeId, FuncId, PrimaryMap, Program};

use crate::counts::Hits;
use crate::decisions::Decisions;
use crate::goal::{Evidence, Goal, GoalId, GoalKind, Side};

/// Goals by edge, sorted.
#[derive(Clone, Debug, Default)]
pub struct GoalsByEdge {
    edges: Vec<(EdgeId, GoalId)>,
    /// Goals that are covered when a function is entered, sorted.
    entries: Vec<(FuncId, GoalId)>,
}

impl GoalsByEdge {
    pub fn new(
        program: &Program,
        goals: &PrimaryMap<GoalId, Goal>,
        decisions: &Decisions,
        outcomes: &ConditionOutcomes,
    ) -> GoalsByEdge {
        let mut edges = Vec::new();
        let mut entries = Vec::new();
        for (id, goal) in goals.iter() {
            let record = goal.record as usize;
            if let Evidence::Count(Counter::Counter(count)) = goal.evidence
                && let Some(function) = program.coverage[record].function
                && program.functions[function].entry_counters.contains(&count)
            {
                entries.push((function, id));
            }
            let edges_of =
                |region: u32, side: bool| match outcomes.of(record, region as usize, side) {
                    Some(OutcomeEdges::AnyOf(edges)) => Some(edges.iter().map(|edge| (*edge, id))),
                    _ => None,
                };
            match (goal.kind, goal.evidence) {
                (GoalKind::Outcome(side) | GoalKind::Decision(side), Evidence::Count(count)) => {
                    match edges_of(goal.region, side == Side::True) {
                        Some(found) => edges.extend(found),
                        None => {
                            edges.extend(incrementing(program, record, count).map(|it| (it, id)));
                        }
                    }
                }
                (_, Evidence::Count(count @ Counter::Expr(_))) => {
                    let same = same_outcome(program, outcomes, record, count);
                    edges.extend(same.map(|edge| (edge, id)));
                }
                (_, Evidence::Count(count)) => {
                    edges.extend(incrementing(program, record, count).map(|edge| (edge, id)));
                }
                (_, Evidence::Decided { decision, side }) => {
                    let decision = decisions.get(decision);
                    for (condition, value) in decision.ends(side) {
                        let region = decision.conditions[condition].region;
                        edges.extend(edges_of(region, value).into_iter().flatten());
                    }
                }
                (_, Evidence::Pair { .. } | Evidence::Nothing) => {}
            }
        }
        edges.sort_unstable();
        edges.dedup();
        entries.sort_unstable();
        GoalsByEdge { edges, entries }
    }

    /// The goals that a run covers at least, in order.
    pub fn covered(&self, hits: &Hits) -> Vec<GoalId> {
        let taken = hits.edges.iter().map(|(edge, _)| *edge);
        let mut covered: Vec<GoalId> = taken.flat_map(|edge| self.of_edge(edge)).collect();
        let entered = hits.functions.iter().map(|(function, _)| *function);
        covered.extend(entered.flat_map(|function| self.of_entry(function)));
        covered.sort_unstable();
        covered.dedup();
        covered
    }

    /// The goals that entering a function covers.
    fn of_entry(&self, function: FuncId) -> impl Iterator<Item = GoalId> {
        let start = self.entries.partition_point(|(other, _)| *other < function);
        let own = self.entries[start..].iter();
        own.take_while(move |(other, _)| *other == function)
            .map(|(_, goal)| *goal)
    }

    /// The goals that taking an edge covers.
    pub fn of_edge(&self, edge: EdgeId) -> impl Iterator<Item = GoalId> {
        let start = self.edges.partition_point(|(other, _)| *other < edge);
        let len = self.edges[start..].partition_point(|(other, _)| *other == edge);
        self.edges[start..start + len].iter().map(|(_, goal)| *goal)
    }
}

/// The edges of an outcome that counts as often as this, if there is one: what follows `if (x) return;` runs as often as `x` is
/// false.
fn same_outcome<'a>(
    program: &'a Program,
    outcomes: &'a ConditionOutcomes,
    record: usize,
    count: Counter,
) -> impl Iterator<Item = EdgeId> + 'a {
    let conditions = outcomes.of_function(record).iter();
    let found = conditions.flat_map(move |condition| {
        let region = &program.coverage[record].regions[condition.region as usize];
        let counts = [region.false_count(), Some(region.count)];
        let same = (0..2).filter(move |side| counts[*side] == Some(count));
        same.map(|side| &condition.outcomes[side])
    });
    let edges = found.filter_map(|edges| match edges {
        OutcomeEdges::AnyOf(edges) => Some(edges.as_slice()),
        _ => None,
    });
    edges.take(1).flatten().copied()
}

/// The edges that increment a count of a record, if that is a plain counter.
fn incrementing(program: &Program, record: usize, count: Counter) -> impl Iterator<Item = EdgeId> {
    let function = program.coverage[record].function;
    let edges = program.edges.iter().filter(move |(_, edge)| {
        let here = function == Some(program.sites[edge.site].function);
        here && edge
            .counters
            .iter()
            .any(|counter| Counter::Counter(*counter) == count)
    });
    edges.map(|(edge, _)| edge)
}
