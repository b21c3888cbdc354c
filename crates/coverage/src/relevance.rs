//! Which goals a path that was not run yet may cover: what path filtering and predictive search ask, whatever the
//! criterion.
//!
//! A candidate is a partial path: a prefix of a path that was run, with its last decision taken the other way. After
//! Su et al., *Automated Coverage-Driven Test Data Generation Using Dynamic Symbolic Execution* (`papers/caut-pps.txt`,
//! Algorithm 2), it is
//!
//! - *must-relevant* when what it evaluates covers something: `Cov(C, getEval(P) ∪ Eval) ≠ ∅`, lines 12 to 16. The prefix
//!   was run, so `Eval` has its evaluations, and only the last one counts: [`Relevance::covers`];
//! - *may-relevant* when what may follow it can change whether a goal is covered: some [`Touch`] of an open goal can be
//!   reached from it;
//! - *irrelevant* otherwise.
//!
//! Must hold: a run that touches none of a goal's [touches](Relevance::touches) after some point of its path covers the
//! goal only if every run with the same beginning does. Whoever adds a kind of [`Evidence`] says here what touches it.
//!
//! A pair of vectors is touched by every edge of its decision. A path is must-relevant when the evaluation that its last step is
//! part of, or may become, would complete a pair with one that a test has shown.
//!
//! For counts this is meant literally. A goal of `llvm-cov` is covered when an expression over counters is not 0, and a
//! run that ends in the middle (`exit`, a crash) covers the false side of an `if` that it came to and never decided. So
//! what touches a goal is every increment of a counter that its expression depends on, not only the edge of its outcome.
//! And where a function can only end in the middle (a call that never returns, an endless loop), coming there touches the
//! goals that are *in flight*: a difference is not 0 although no edge of the outcome was taken.

mod deciding;
mod pairs;

use std::collections::{BTreeMap, BTreeSet};

use program::callgraph::CallGraph;
use program::flow::{FlowGraph, Node, NodeId};
use program::{Counter, EdgeId, FuncId, Program};

use crate::goal::{Evidence, GoalId};
use crate::goals::Goals;
use crate::ledger::Ledger;
use crate::wiring::Lists;
pub use deciding::{Never, never_counted, never_counted_of};
use pairs::Pairs;

/// What covering a goal is [worth](Relevance::gain).
pub const WHOLE: u32 = 2;

/// Where something happens that decides whether a goal is covered.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Touch {
    /// The edge is taken.
    Edge(EdgeId),
    /// The function is entered.
    Entry(FuncId),
    /// Control comes to this node of the function's [flow graph](program::flow::FlowGraph) and never returns from there.
    End(FuncId, NodeId),
}

/// A step of a path, for those who look back.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Back {
    /// An edge was taken.
    Edge(EdgeId),
    /// A function was entered.
    Call(FuncId),
    /// It returned.
    Return(FuncId),
    /// `setjmp` returned in it: frames above it are gone.
    Resume(FuncId),
}

/// Says what a path may still cover. It knows which goals are open as of the last [`update`](Relevance::update).
#[derive(Clone, Debug)]
pub struct Relevance {
    touches: Lists<Touch>,
    /// Goals that taking an edge covers, whatever came before.
    covered: Lists<GoalId>,
    pairs: Pairs,
    open: Vec<bool>,
    left: usize,
    /// What [`Eval`](crate::eval::Eval) had at the last update.
    evaluated: usize,
    /// See [`Relevance::rises`].
    rises: u64,
}

impl Relevance {
    /// Of the goals of a program, all of them open.
    #[must_use]
    pub fn new(program: &Program, goals: &Goals) -> Relevance {
        let mut counted = Counted::new(program, goals);
        let mut touches: Vec<Vec<Touch>> = vec![Vec::new(); goals.len()];
        let mut covered: Vec<Vec<GoalId>> = vec![Vec::new(); program.edges.len()];
        for edge in program.edges.keys() {
            for goal in goals.met_by(edge) {
                touches[goal.index()].push(Touch::Edge(edge));
                covered[edge.index()].push(goal);
            }
        }
        let mut relevance = Relevance {
            touches: Lists::default(),
            covered: Lists::default(),
            pairs: Pairs::new(program, goals),
            evaluated: 0,
            rises: 0,
            open: vec![true; goals.len()],
            left: goals.len(),
        };
        let mut calls = None;
        let mut within: BTreeMap<FuncId, Vec<Touch>> = BTreeMap::new();
        for (id, goal) in goals.iter() {
            let touches = &mut touches[id.index()];
            // Of a goal with several counts, no edge is that of one of them: more ends then touch it than have to.
            let met = match goal.evidence {
                Evidence::Count(_) => covers(touches),
                _ => BTreeSet::new(),
            };
            let known = match goal.evidence {
                Evidence::Decided { decision, side } => goals.decisions().has_edges(decision, side),
                _ => !met.is_empty(),
            };
            for counter in goals.counters(id) {
                counted.touches(program, goal.record, counter, (&met, known), touches);
            }
            // A new vector needs all of its decision to be evaluated.
            if let Evidence::Pair { decision, .. } = goal.evidence {
                let steps = goals.decisions().steps_of(decision);
                touches.extend(steps.map(|step| Touch::Edge(step.edge)));
            }
            // Whether calls come back is decided in them, and in what they call.
            if let Some(function) = goals.calls_in_front(id) {
                let reachable = within.entry(function).or_insert_with(|| {
                    let graph = calls.get_or_insert_with(|| CallGraph::new(program));
                    let functions: BTreeSet<FuncId> =
                        graph.reachable(function).into_iter().collect();
                    let edges = program.edges.iter();
                    let own = edges
                        .filter(|(_, edge)| functions.contains(&program.sites[edge.site].function));
                    own.map(|(edge, _)| Touch::Edge(edge)).collect::<Vec<_>>()
                });
                touches.extend_from_slice(reachable);
            }
            touches.sort_unstable();
            touches.dedup();
            relevance.touches.push(touches.iter().copied());
        }
        for covered in covered {
            relevance.covered.push(covered);
        }
        relevance
    }

    /// What decides whether a goal is covered, in order.
    #[must_use]
    pub fn touches(&self, goal: GoalId) -> &[Touch] {
        self.touches.get(goal.index())
    }

    /// Is there something to be gained by covering the goal?
    #[must_use]
    pub fn is_open(&self, goal: GoalId) -> bool {
        self.open.get(goal.index()).copied().unwrap_or(false)
    }

    /// Number of open goals.
    #[must_use]
    pub fn left(&self) -> usize {
        self.left
    }

    /// Would taking the edge, with these steps before it (the latest first), cover something at once: is a path with
    /// this end must-relevant?
    pub fn covers(&self, edge: EdgeId, before: &mut dyn Iterator<Item = Back>) -> bool {
        self.counted(edge) > 0 || self.pairs.covers(edge, before)
    }

    /// What tells apart paths to the same edge for which [`covers`](Relevance::covers) may differ. Nothing, where goals
    /// are counts.
    pub fn signature(&self, edge: EdgeId, before: &mut dyn Iterator<Item = Back>) -> u64 {
        self.pairs.signature(edge, before)
    }

    /// What taking the edge is worth, in halves of goals: [`WHOLE`] for each open goal that it covers, by itself or as the missing
    /// half of a pair; half as much for each that it may be the first half of.
    #[must_use]
    pub fn gain(&self, edge: EdgeId) -> usize {
        WHOLE as usize * self.counted(edge) + self.pairs.gain(edge)
    }

    /// Number of open goals that the edge covers, whatever other runs do.
    fn counted(&self, edge: EdgeId) -> usize {
        let goals = self.covered.get(edge.index()).iter();
        goals.filter(|goal| self.is_open(**goal)).count()
    }

    /// A number that grows when something new was evaluated.
    #[must_use]
    pub fn evaluated(&self) -> usize {
        self.evaluated
    }

    /// A number that grows when some edge [gains](Relevance::gain) more than before: half of a pair was shown. Then all that leads
    /// there promises more, also where it has no [signature](Relevance::signature) itself.
    #[must_use]
    pub fn rises(&self) -> u64 {
        self.rises
    }

    /// Takes note of what was covered. `fresh`: the goals covered since the last time. Returns the goals that are not
    /// open any more: these, and those of other instantiations of a function that is complete now.
    pub fn update(&mut self, goals: &Goals, ledger: &Ledger, fresh: &[GoalId]) -> Vec<GoalId> {
        let mut groups: Vec<u32> = fresh.iter().map(|goal| goals.group_of(*goal)).collect();
        groups.sort_unstable();
        groups.dedup();
        let records = groups
            .into_iter()
            .flat_map(|group| &goals.groups()[group as usize]);
        let mut closed = Vec::new();
        for goal in records.flat_map(|&record| goals.of_record(record)) {
            let open = &mut self.open[goal.index()];
            if *open && !ledger.is_wanted(goals, goal) {
                *open = false;
                closed.push(goal);
            }
        }
        self.left -= closed.len();
        let evaluated = ledger.eval().size();
        if evaluated != std::mem::replace(&mut self.evaluated, evaluated) || !closed.is_empty() {
            let rises = self.pairs.update(goals, ledger.eval(), &self.open);
            self.rises += u64::from(rises);
        }
        closed
    }
}

/// The edges among touches.
fn covers(touches: &[Touch]) -> BTreeSet<EdgeId> {
    let edges = touches.iter().filter_map(|touch| match touch {
        Touch::Edge(edge) => Some(*edge),
        _ => None,
    });
    edges.collect()
}

/// A record that is being looked at.
struct Current {
    number: u32,
    /// Its expressions, operands first.
    order: Vec<usize>,
    /// The graph of its function and where that cannot be left; none where it always can.
    dead_ends: Option<(FuncId, FlowGraph, Vec<NodeId>)>,
}

impl Current {
    fn new(program: &Program, number: u32) -> Current {
        let coverage = &program.coverage[number as usize];
        let dead_ends = coverage.function.and_then(|function| {
            let flow = FlowGraph::new(program, function);
            let ends = flow.dead_ends(program, function);
            (!ends.is_empty()).then_some((function, flow, ends))
        });
        Current {
            number,
            order: coverage.evaluation_order().unwrap_or_default(),
            dead_ends,
        }
    }
}

/// Which edges and entries increment which counters.
struct Counted<'a> {
    goals: &'a Goals,
    /// By profile and counter.
    by_counter: BTreeMap<(u32, u32), Vec<Touch>>,
    current: Option<Current>,
}

impl<'a> Counted<'a> {
    fn new(program: &Program, goals: &'a Goals) -> Counted<'a> {
        let mut by_counter: BTreeMap<(u32, u32), Vec<Touch>> = BTreeMap::new();
        let mut add = |profile: Option<u32>, counters: &[u32], touch| {
            let Some(profile) = profile else { return };
            for &counter in counters {
                by_counter
                    .entry((profile, counter))
                    .or_default()
                    .push(touch);
            }
        };
        for (id, edge) in program.edges.iter() {
            let profile = goals.wiring.profile_of_edge(id);
            add(profile, &edge.counters, Touch::Edge(id));
        }
        for (id, function) in program.functions.iter() {
            let profile = goals.wiring.profile_of_function(id);
            add(profile, &function.entry_counters, Touch::Entry(id));
        }
        Counted {
            goals,
            by_counter,
            current: None,
        }
    }

    /// Adds the touches of a count; `met`: the edges of its outcome, `known`: all that make it count are among the touches.
    fn touches(
        &mut self,
        program: &Program,
        record: u32,
        counter: Counter,
        (met, known): (&BTreeSet<EdgeId>, bool),
        touches: &mut Vec<Touch>,
    ) {
        let last = self.current.take();
        let current = last
            .filter(|current| current.number == record)
            .unwrap_or_else(|| Current::new(program, record));
        let coverage = &program.coverage[record as usize];
        let summands = coverage.summands(&current.order, counter);
        let profile = self.goals.wiring.profile_of_record[record as usize];
        for &counter in summands.keys() {
            let here = self.by_counter.get(&(profile, counter));
            touches.extend(here.into_iter().flatten());
        }
        let differs = summands.values().any(|times| times.is_negative());
        // A difference is not 0 where an increment is left out. Any edge of the function may do that, unless it is known which
        // ones make it count.
        if !known && differs {
            let function = coverage.function;
            let own = program
                .sites
                .values()
                .filter(|site| Some(site.function) == function);
            let edges = own.flat_map(|site| (0..site.edges).map(|side| site.first_edge.plus(side)));
            touches.extend(edges.map(Touch::Edge));
        }
        // A sum without differences is not 0 as soon as a summand is.
        if differs && let Some((function, flow, ends)) = &current.dead_ends {
            let values = in_flight(program, *function, flow, &summands, met);
            let stuck = ends.iter().filter(|end| {
                let value = values.as_ref().map(|values| values[end.index()]);
                // Where it hangs on the way, anything may be in flight.
                value.is_none_or(|value| value.is_some_and(|value| value != 0))
            });
            touches.extend(stuck.map(|end| Touch::End(*function, *end)));
        }
        self.current = Some(current);
    }
}

/// For each node of a function, what a difference of counters has counted there beyond the times that its outcome came
/// about. `None` where that is not the same on all ways to some node; in it, `None` for nodes to which there is no way.
fn in_flight(
    program: &Program,
    function: FuncId,
    flow: &FlowGraph,
    summands: &BTreeMap<u32, i64>,
    met: &BTreeSet<EdgeId>,
) -> Option<Vec<Option<i64>>> {
    let sum = |counters: &[u32]| -> i64 {
        let times = counters.iter().filter_map(|counter| summands.get(counter));
        times.sum()
    };
    let entry = sum(&program.functions[function].entry_counters);
    let mut values = vec![None; flow.nodes.len()];
    let mut stack = vec![(NodeId::from_u32(0), entry)];
    while let Some((node, value)) = stack.pop() {
        match values[node.index()] {
            Some(known) if known == value => continue,
            Some(_) => return None,
            None => values[node.index()] = Some(value),
        }
        for next in flow.successors(node) {
            let gain = match flow.nodes[next] {
                Node::Edge(edge) => {
                    sum(&program.edges[edge].counters) - i64::from(met.contains(&edge))
                }
                Node::Part { .. } => 0,
            };
            stack.push((next, value + gain));
        }
    }
    Some(values)
}

#[cfg(test)]
mod tests;
