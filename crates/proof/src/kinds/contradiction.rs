//! `contradiction`: every way to the goal passes what no state of the program does.
//!
//! The body lists facts of the document: edges that are never taken, blocks that are never reached. The checker derives the
//! conditions in front of each and refutes them, and finds that without these edges and blocks control never comes to
//! what covers the goal.

use std::collections::{BTreeMap, BTreeSet};

use coverage::{GoalId, Goals, Relevance, Touch, relevance};
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
    let uncounted = excluded.uncounted(effects);
    let goals = effects.goals.iter().map(|(goal, _)| goal);
    goals
        .filter(|goal| uncounted.contains(goal) || excluded.is_out_of_reach(effects, *goal))
        .collect()
}

/// Does control never come to what covers a goal, if nothing happens that the facts rule out?
fn follows(given: &Given<'_>, effects: &Effects<'_>, goal: GoalId) -> bool {
    let excluded = Excluded::by(given);
    let record = effects.goals.get(goal).record;
    excluded.is_out_of_reach(effects, goal)
        || !excluded
            .uncounted_of(effects, record, &|asked| asked == goal)
            .is_empty()
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
    fn uncounted(&self, effects: &Effects<'_>) -> BTreeSet<GoalId> {
        let never_comes = |function: FuncId| self.nodes.get(&function).cloned();
        let (program, goals) = (self.given.program, effects.goals);
        let found = relevance::never_counted(program, goals, &effects.stops, &never_comes);
        found.into_iter().map(|(goal, _)| goal).collect()
    }

    /// Those of a record that are asked for.
    fn uncounted_of(
        &self,
        effects: &Effects<'_>,
        record: u32,
        is_asked: &dyn Fn(GoalId) -> bool,
    ) -> BTreeSet<GoalId> {
        let never_comes = |function: FuncId| self.nodes.get(&function).cloned();
        let (program, goals) = (self.given.program, effects.goals);
        let asked = (record, is_asked);
        let found =
            relevance::never_counted_of(program, goals, &effects.stops, &never_comes, asked);
        found.into_iter().map(|(goal, _)| goal).collect()
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

/// What each goal's refutation rests on: of a document's facts, a single one if that is enough.
pub struct Grounds<'a> {
    program: &'a Program,
    facts: &'a [Fact],
    /// Facts by their function, by their indices.
    of_function: BTreeMap<FuncId, Vec<u32>>,
    /// Goals that follow from all facts, in order.
    follow: Vec<GoalId>,
    /// Those of them that have to do with a function.
    near: BTreeMap<FuncId, Vec<GoalId>>,
    /// The first fact that is enough for a goal by itself.
    single: BTreeMap<GoalId, u32>,
    /// Functions whose facts were looked at one by one.
    seen: BTreeSet<FuncId>,
}

impl<'a> Grounds<'a> {
    /// Of these facts.
    #[must_use]
    pub fn new(program: &'a Program, facts: &'a [Fact], effects: &Effects<'_>) -> Grounds<'a> {
        let mut of_function: BTreeMap<FuncId, Vec<u32>> = BTreeMap::new();
        for (at, fact) in (0u32..).zip(facts) {
            if let Some(function) = fact.function(program) {
                of_function.entry(function).or_default().push(at);
            }
        }
        let follow = all_that_follow(program, effects, facts);
        let mut near_functions: BTreeMap<FuncId, Vec<GoalId>> = BTreeMap::new();
        for goal in &follow {
            for function in near(program, effects, *goal) {
                near_functions.entry(function).or_default().push(*goal);
            }
        }
        Grounds {
            program,
            facts,
            of_function,
            follow,
            near: near_functions,
            single: BTreeMap::new(),
            seen: BTreeSet::new(),
        }
    }

    /// Facts, by their indices, from which it follows that no input covers a goal: a single one if that is enough, else all of the
    /// functions that have to do with it; `None` if it does not follow from all of them. `effects`: those that it was made with.
    pub fn enough(&mut self, effects: &Effects<'_>, goal: GoalId) -> Option<Vec<u32>> {
        self.follow.binary_search(&goal).ok()?;
        let near = near(self.program, effects, goal);
        for function in &near {
            if self.seen.insert(*function) {
                self.look_at(effects, *function);
            }
        }
        if let Some(at) = self.single.get(&goal) {
            return Some(vec![*at]);
        }
        let own = near
            .iter()
            .filter_map(|function| self.of_function.get(function));
        let mut own: Vec<u32> = own.flatten().copied().collect();
        own.sort_unstable();
        Some(own)
    }

    /// What follows from each fact of a function by itself. All goals are asked about at once: a function has as many facts as goals.
    fn look_at(&mut self, effects: &Effects<'_>, function: FuncId) {
        let facts = self
            .of_function
            .get(&function)
            .map_or(&[][..], Vec::as_slice);
        let goals = self.near.get(&function).map_or(&[][..], Vec::as_slice);
        let mut left: BTreeSet<GoalId> = goals.iter().copied().collect();
        for at in facts {
            if left.is_empty() {
                return;
            }
            let given = Given {
                program: self.program,
                facts: [self.facts[*at as usize]].into(),
            };
            let excluded = Excluded::by(&given);
            let records: BTreeSet<u32> = left
                .iter()
                .map(|goal| effects.goals.get(*goal).record)
                .collect();
            let asked = |goal: GoalId| left.contains(&goal);
            let uncounted: BTreeSet<GoalId> = records
                .iter()
                .flat_map(|record| excluded.uncounted_of(effects, *record, &asked))
                .collect();
            let follows = |goal: &GoalId| {
                uncounted.contains(goal) || excluded.is_out_of_reach(effects, *goal)
            };
            let found: Vec<GoalId> = left.iter().copied().filter(follows).collect();
            for goal in found {
                left.remove(&goal);
                let first = self.single.entry(goal).or_insert(*at);
                *first = (*first).min(*at);
            }
        }
    }
}
