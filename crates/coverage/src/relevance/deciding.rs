//! The edges without which a count stays 0.
//!
//! What [touches](super::Relevance::touches) a count is every increment that its expression depends on, because a run may end between
//! two of them. Here the other end of the stick is wanted: the edges that make the outcome come about. Where the counters
//! of a function cancel each other out at every call and every return unless such an edge was taken, a run that takes none of
//! them leaves the count at 0, or ends in a crash between two increments.

use std::collections::{BTreeMap, BTreeSet};

use program::flow::{FlowGraph, Node};
use program::{Counter, EdgeId, Program, Terminator};

use super::in_flight;
use crate::goal::{Evidence, GoalId};
use crate::goals::Goals;

/// For each goal of some functions, edges: it is not covered unless one of them is taken, but for runs that crash between two
/// increments. Goals of which this cannot be said are not there.
pub fn deciding(
    program: &Program,
    goals: &Goals,
    of: &dyn Fn(program::FuncId) -> bool,
) -> Vec<(GoalId, BTreeSet<EdgeId>)> {
    let mut all = Vec::new();
    for (number, record) in (0_u32..).zip(&program.coverage) {
        let Some(function) = record.function.filter(|function| of(*function)) else {
            continue;
        };
        let own = || goals.of_record(number);
        let counted = |goal| match goals.get(goal).evidence {
            Evidence::Count(counter) => Some((goal, counter)),
            _ => None,
        };
        if own().filter_map(counted).next().is_none() {
            continue;
        }
        let flow = FlowGraph::new(program, function);
        let order = record.evaluation_order().unwrap_or_default();
        let mut makes = makes(goals, &flow);
        for (goal, counter) in own().filter_map(counted) {
            let edges = makes.remove(&goal).unwrap_or_default();
            let summands = record.summands(&order, counter);
            let values = in_flight(program, function, &flow, &summands, &edges);
            let even = values.is_some_and(|values| {
                flow.nodes.iter().all(|(node, data)| {
                    let value = values[node.index()].unwrap_or(0);
                    value == 0 || !may_leave(program, data)
                })
            });
            if even && !edges.is_empty() && counter != Counter::Zero {
                all.push((goal, edges));
            }
        }
    }
    all
}

/// Edges of a function by the goal that they cover.
fn makes(goals: &Goals, flow: &FlowGraph) -> BTreeMap<GoalId, BTreeSet<EdgeId>> {
    let mut makes: BTreeMap<_, BTreeSet<EdgeId>> = BTreeMap::new();
    let edges = flow.nodes.values().filter_map(|node| match node {
        Node::Edge(edge) => Some(*edge),
        Node::Part { .. } => None,
    });
    for edge in edges {
        for goal in goals.met_by(edge) {
            makes.entry(goal).or_default().insert(edge);
        }
    }
    makes
}

/// May control leave the function here, for good or for a while?
fn may_leave(program: &Program, node: &Node) -> bool {
    match *node {
        Node::Edge(_) => false,
        Node::Part { call: Some(_), .. } => true,
        Node::Part {
            function,
            block,
            call: None,
            ..
        } => {
            let terminator = &program.functions[function].blocks[block].terminator;
            !matches!(
                terminator,
                Terminator::Br { .. } | Terminator::CondBr { .. } | Terminator::Switch { .. }
            )
        }
    }
}
