//! `contradiction`: every way to the goal passes what no state of the program does.
//!
//! The body lists facts of the document: edges that are never taken, blocks that are never reached. The checker derives the
//! conditions in front of each and refutes them, and finds that without these edges and blocks control never comes to
//! what covers the goal.

use std::collections::{BTreeMap, BTreeSet};

use coverage::{GoalId, Goals, Relevance, Touch};
use program::flow::{FlowGraph, Node, NodeId};
use program::stops::{Stops, Sure};
use program::{EdgeId, FuncId, Function, Program};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::{Given, Kind, Refusal, read};
use crate::certificate::Fact;
use crate::check::Context;

/// The kind `contradiction`.
pub struct Contradiction;

/// What a certificate of this kind says.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Body {
    /// Indices into the facts of the document, in order, none twice.
    pub facts: Vec<u32>,
}

impl Kind for Contradiction {
    fn name(&self) -> &'static str {
        "contradiction"
    }

    fn summary(&self) -> &'static str {
        "every way to the goal passes what no state of the program does"
    }

    fn check(&self, context: &mut Context<'_>, goal: GoalId, body: &Value) -> Result<(), Refusal> {
        let body: Body = read(body)?;
        let facts = context.facts(&body.facts)?;
        let given = Given {
            program: context.program,
            facts: facts.into_iter().collect(),
        };
        match follows(&given, context.effects(), goal) {
            true => Ok(()),
            false => Err(Refusal::DoesNotFollow),
        }
    }
}

/// What covers goals, and where runs may end.
pub struct Effects<'a> {
    goals: &'a Goals,
    relevance: Relevance,
    stops: Stops<'a>,
}

impl<'a> Effects<'a> {
    /// Of the goals of a program.
    #[must_use]
    pub fn new(program: &'a Program, goals: &'a Goals) -> Effects<'a> {
        // The checker takes nobody's word for where a run cannot end.
        Effects::where_sure(program, goals, Sure::default())
    }

    /// The same for who knows where runs do not end.
    #[must_use]
    pub fn where_sure(program: &'a Program, goals: &'a Goals, sure: Sure) -> Effects<'a> {
        Effects {
            goals,
            relevance: Relevance::new(program, goals),
            stops: Stops::new(program, sure),
        }
    }

    /// What covers a goal.
    #[must_use]
    pub fn touches(&self, goal: GoalId) -> &[Touch] {
        self.relevance.touches(goal)
    }
}

/// Does it follow from these facts that no input covers a goal?
#[must_use]
pub fn follow_from(program: &Program, effects: &Effects<'_>, facts: &[Fact], goal: GoalId) -> bool {
    let near = near(program, effects, goal);
    let own = facts.iter().copied().filter(|fact| {
        let function = fact.function(program);
        function.is_some_and(|function| near.contains(&function))
    });
    let given = Given {
        program,
        facts: own.collect(),
    };
    !given.facts.is_empty() && follows(&given, effects, goal)
}

/// Functions that have to do with a goal.
fn near(program: &Program, effects: &Effects<'_>, goal: GoalId) -> BTreeSet<FuncId> {
    let touches = effects.relevance.touches(goal).iter();
    let mut near: BTreeSet<FuncId> = touches
        .map(|touch| match touch {
            Touch::Edge(edge) => program.sites[program.edges[*edge].site].function,
            Touch::End(function, _) | Touch::Entry(function) => *function,
        })
        .collect();
    near.extend(program.coverage[effects.goals.get(goal).record as usize].function);
    near
}

/// All goals of which it follows from these facts that no input covers them, in order.
#[must_use]
pub fn all_that_follow(program: &Program, effects: &Effects<'_>, facts: &[Fact]) -> Vec<GoalId> {
    let given = Given {
        program,
        facts: facts.iter().copied().collect(),
    };
    let excluded = Excluded::by(&given);
    let uncounted: BTreeSet<GoalId> = excluded.uncounted(effects).collect();
    let goals = effects.goals.iter().map(|(goal, _)| goal);
    goals
        .filter(|goal| uncounted.contains(goal) || excluded.is_out_of_reach(effects, *goal))
        .collect()
}

/// Does control never come to what covers a goal, if nothing happens that the facts rule out?
fn follows(given: &Given<'_>, effects: &Effects<'_>, goal: GoalId) -> bool {
    let excluded = Excluded::by(given);
    excluded.is_out_of_reach(effects, goal)
        || excluded.uncounted(effects).any(|counted| counted == goal)
}

/// Where control never comes if nothing happens that some facts rule out.
struct Excluded<'a> {
    given: &'a Given<'a>,
    edges: BTreeSet<EdgeId>,
    nodes: BTreeMap<FuncId, BTreeSet<NodeId>>,
}

impl<'a> Excluded<'a> {
    fn by(given: &'a Given<'a>) -> Excluded<'a> {
        let mut edges: BTreeSet<EdgeId> = BTreeSet::new();
        let mut nodes: BTreeMap<FuncId, BTreeSet<NodeId>> = BTreeMap::new();
        let facts = given.facts.iter();
        let functions: BTreeSet<FuncId> = facts
            .filter_map(|fact| fact.function(given.program))
            .collect();
        for function in functions {
            let own = unreached(given, function, &mut edges);
            if !own.is_empty() {
                nodes.insert(function, own);
            }
        }
        Excluded {
            given,
            edges,
            nodes,
        }
    }

    /// Does control come to nothing that decides whether the goal is covered?
    fn is_out_of_reach(&self, effects: &Effects<'_>, goal: GoalId) -> bool {
        let touches = effects.relevance.touches(goal);
        let never = |touch: &Touch| match touch {
            Touch::Edge(edge) => self.edges.contains(edge),
            Touch::End(function, node) => {
                let own = self.nodes.get(function);
                own.is_some_and(|own| own.contains(node))
            }
            Touch::Entry(function) => self.given.facts.contains(&Fact::Block {
                function: function.as_u32(),
                block: Function::ENTRY.as_u32(),
            }),
        };
        !touches.is_empty() && touches.iter().all(never)
    }

    /// Goals that count as a difference which is 0 wherever a run may end.
    fn uncounted(&self, effects: &Effects<'_>) -> impl Iterator<Item = GoalId> {
        let never_comes = |function: FuncId| self.nodes.get(&function).cloned();
        let (program, goals) = (self.given.program, effects.goals);
        let found =
            coverage::relevance::never_counted(program, goals, &effects.stops, &never_comes);
        let goals: Vec<GoalId> = found.iter().map(|(goal, _)| *goal).collect();
        goals.into_iter()
    }
}

/// Where control does not come in a function; adds the edges among it to `edges`.
fn unreached(
    given: &Given<'_>,
    function: FuncId,
    edges: &mut BTreeSet<EdgeId>,
) -> BTreeSet<NodeId> {
    let flow = FlowGraph::new(given.program, function);
    let is_refuted = |data: &Node| match data {
        Node::Edge(edge) => given.facts.contains(&Fact::Edge {
            edge: edge.as_u32(),
        }),
        Node::Part { block, first, .. } => {
            *first == 0
                && given.facts.contains(&Fact::Block {
                    function: function.as_u32(),
                    block: block.as_u32(),
                })
        }
    };
    let mut reached = vec![false; flow.nodes.len()];
    let mut work: Vec<NodeId> = flow.nodes.keys().take(1).collect();
    while let Some(node) = work.pop() {
        if reached[node.index()] || is_refuted(&flow.nodes[node]) {
            continue;
        }
        reached[node.index()] = true;
        work.extend(flow.successors(node));
    }
    let mut nodes = BTreeSet::new();
    for (node, data) in flow.nodes.iter().filter(|(node, _)| !reached[node.index()]) {
        nodes.insert(node);
        if let Node::Edge(edge) = data {
            edges.insert(*edge);
        }
    }
    nodes
}

/// Facts, by their indices, from which it follows that no input covers a goal: a single one if that is enough, else all of the
/// functions that have to do with it; `None` if it does not follow from all of them.
#[must_use]
pub fn enough(
    program: &Program,
    facts: &[Fact],
    effects: &Effects<'_>,
    goal: GoalId,
) -> Option<Vec<u32>> {
    let follows_from = |indices: &[u32]| {
        let chosen = indices.iter().map(|at| facts[*at as usize]);
        let given = Given {
            program,
            facts: chosen.collect(),
        };
        follows(&given, effects, goal)
    };
    let near = near(program, effects, goal);
    let own: Vec<u32> = (0u32..)
        .zip(facts)
        .filter(|(_, fact)| {
            let function = fact.function(program);
            function.is_some_and(|function| near.contains(&function))
        })
        .map(|(at, _)| at)
        .collect();
    let single = own.iter().find(|at| follows_from(&[**at]));
    match single {
        Some(at) => Some(vec![*at]),
        None => follows_from(&own).then_some(own),
    }
}
