//! Counts that stay 0 because of what control never reaches.
//!
//! A goal of `llvm-cov` is covered when an expression over counters is not 0. Along one activation of a function the expression is a
//! sum of what the edges of its path add and subtract; so it stays 0 over all runs if it is 0 wherever an activation may end or be
//! left for good: at each `ret`, in calls that need not come back, where an instruction may trap (`program::stops`). This is exact about
//! runs that end early by themselves.
//!
//! A time limit may end a run anywhere in a loop that nothing bounds: `while (x > 0)` that never ends counts its false side as soon as a
//! run is killed in it. Such a count says nothing of the program. So where the edges that take the goal are all known and no run takes
//! one of them, places where nothing but a time limit ends a run are not looked at; where they are not known, the sum must be 0 there too.

use std::collections::{BTreeMap, BTreeSet};

use program::flow::{FlowGraph, Node, NodeId};
use program::stops::Stops;
use program::{Callee, Counter, EdgeId, FuncId, Op, Program};

use crate::goal::{Evidence, GoalId};
use crate::goals::Goals;

/// A goal whose count stays 0, and the edges that would make it come about: none of them is ever taken.
pub type Never = (GoalId, BTreeSet<EdgeId>);

/// Goals that no run covers. `unreached`: nodes of a function's [flow graph](FlowGraph) that no run comes to, or nothing when there are
/// none; functions without any are left out.
pub fn never_counted(
    program: &Program,
    goals: &Goals,
    stops: &Stops<'_>,
    unreached: &dyn Fn(FuncId) -> Option<BTreeSet<NodeId>>,
) -> Vec<Never> {
    let records = (0_u32..).take(program.coverage.len());
    records
        .flat_map(|record| never_counted_of(program, goals, stops, unreached, (record, &|_| true)))
        .collect()
}

/// The same of one record, among goals that are asked for.
pub fn never_counted_of(
    program: &Program,
    goals: &Goals,
    stops: &Stops<'_>,
    unreached: &dyn Fn(FuncId) -> Option<BTreeSet<NodeId>>,
    (number, is_asked): (u32, &dyn Fn(GoalId) -> bool),
) -> Vec<Never> {
    let mut all = Vec::new();
    let record = &program.coverage[number as usize];
    // Asked first: most functions have nothing that is not reached.
    let Some((function, dead)) = record.function.and_then(|own| Some((own, unreached(own)?)))
    else {
        return all;
    };
    let profile = &goals.wiring.profiles[goals.wiring.profile_of_record[number as usize] as usize];
    let records = profile.records.iter();
    let shared: BTreeSet<FuncId> = records
        .filter_map(|record| program.coverage[*record as usize].function)
        .collect();
    // Functions that share their counters add up.
    if shared.len() != 1 {
        return all;
    }
    let counts: Vec<_> = goals
        .of_record(number)
        .filter(|goal| is_asked(*goal))
        .filter_map(|goal| match goals.get(goal).evidence {
            Evidence::Count(counter) => Some((goal, counter)),
            _ => None,
        })
        .collect();
    if counts.is_empty() {
        return all;
    }
    let paths = Paths::new(program, stops, function, &dead);
    let order = record.evaluation_order().unwrap_or_default();
    let mut makes = makes(goals, &paths);
    let live = paths.live_edges();
    for (goal, counter) in counts {
        // What an edge covers that some run may take and end behind is not asked about: an answer takes a walk through the
        // function.
        let is_passed = makes.get(&goal).is_some_and(|made| made.is_passed);
        if counter == Counter::Zero || is_passed {
            continue;
        }
        let taking = goals.taking(goal);
        let never_taken = !taking.is_empty() && taking.iter().all(|edge| !live.contains(edge));
        if paths.stay_even(&record.summands(&order, counter), never_taken) {
            all.push((goal, makes.remove(&goal).unwrap_or_default().edges));
        }
    }
    all
}

/// The edges that cover a goal.
#[derive(Default)]
struct Makers {
    edges: BTreeSet<EdgeId>,
    /// One of them stands on a way to where an activation may end, by itself or by a time limit.
    is_passed: bool,
}

/// Edges of a function by the goal that they cover.
fn makes(goals: &Goals, paths: &Paths<'_>) -> BTreeMap<GoalId, Makers> {
    let mut makes: BTreeMap<_, Makers> = BTreeMap::new();
    let passed = paths.passed();
    for (id, node) in paths.flow.nodes.iter() {
        let Node::Edge(edge) = *node else { continue };
        for goal in goals.met_by(edge) {
            let made = makes.entry(goal).or_default();
            made.edges.insert(edge);
            made.is_passed |= passed[id.index()];
        }
    }
    makes
}

/// The paths that activations of one function take.
struct Paths<'a> {
    program: &'a Program,
    function: FuncId,
    flow: FlowGraph,
    /// Nodes that some run may come to.
    live: Vec<bool>,
    /// Those where an activation may end by itself.
    ends: Vec<NodeId>,
    /// Those where a time limit may end it.
    lasting: Vec<NodeId>,
}

impl<'a> Paths<'a> {
    fn new(
        program: &'a Program,
        stops: &Stops<'_>,
        function: FuncId,
        dead: &BTreeSet<NodeId>,
    ) -> Paths<'a> {
        let flow = FlowGraph::new(program, function);
        let live: Vec<bool> = flow
            .nodes
            .keys()
            .map(|node| !dead.contains(&node))
            .collect();
        // Where control may come back to a call that it has left behind, it may do so from any other.
        let comes_back = program.functions[function].blocks.keys().any(|block| {
            let mut insts = program.functions[function].insts(block);
            insts.any(|(_, inst)| match &inst.op {
                Op::Call {
                    callee: Callee::Extern(known),
                    ..
                } => program::following::is_returning_twice(&program.externs[*known].name),
                _ => false,
            })
        });
        let is_end =
            |node: &Node| stops.may_stop(node) || comes_back && matches!(node, Node::Part { .. });
        let among = |is_one: &dyn Fn(&Node) -> bool| {
            let nodes = flow.nodes.iter();
            let found = nodes.filter(|(id, node)| live[id.index()] && is_one(node));
            found.map(|(id, _)| id).collect()
        };
        Paths {
            program,
            function,
            ends: among(&is_end),
            lasting: among(&|node| stops.may_last(node)),
            flow,
            live,
        }
    }

    /// Edges of the function that some run may take.
    fn live_edges(&self) -> BTreeSet<EdgeId> {
        let nodes = self.flow.nodes.iter();
        let edges = nodes.filter_map(|(id, node)| match *node {
            Node::Edge(edge) if self.live[id.index()] => Some(edge),
            _ => None,
        });
        edges.collect()
    }

    /// Nodes on a way from the entry to an end.
    fn passed(&self) -> Vec<bool> {
        let count = self.flow.nodes.len();
        let mut before = vec![Vec::new(); count];
        let (mut reached, mut leads) = (vec![false; count], vec![false; count]);
        let mut work = vec![NodeId::from_u32(0)];
        while let Some(node) = work.pop() {
            if self.live[node.index()] && !std::mem::replace(&mut reached[node.index()], true) {
                for next in self.flow.successors(node) {
                    before[next.index()].push(node);
                    work.push(next);
                }
            }
        }
        let ends = self.ends.iter().chain(&self.lasting);
        work.extend(ends.filter(|end| reached[end.index()]));
        while let Some(node) = work.pop() {
            if !std::mem::replace(&mut leads[node.index()], true) {
                work.extend(&before[node.index()]);
            }
        }
        leads
    }

    /// Whether a sum of counters is 0 wherever an activation may end; by itself alone, or by a time limit as well.
    fn stay_even(&self, summands: &BTreeMap<u32, i64>, by_itself: bool) -> bool {
        let sum = |counters: &[u32]| -> i64 {
            let times = counters.iter().filter_map(|counter| summands.get(counter));
            times.fold(0, |sum, times| sum.saturating_add(*times))
        };
        let entry = NodeId::from_u32(0);
        if !self.live[entry.index()] {
            return true;
        }
        let mut values: Vec<Option<i64>> = vec![None; self.flow.nodes.len()];
        let mut stack = vec![(
            entry,
            sum(&self.program.functions[self.function].entry_counters),
        )];
        while let Some((node, value)) = stack.pop() {
            match values[node.index()] {
                Some(known) if known == value => continue,
                // It depends on the way.
                Some(_) => return false,
                None => values[node.index()] = Some(value),
            }
            let next = self.flow.successors(node);
            for next in next.filter(|next| self.live[next.index()]) {
                let gain = match self.flow.nodes[next] {
                    Node::Edge(edge) => sum(&self.program.edges[edge].counters),
                    Node::Part { .. } => 0,
                };
                stack.push((next, value.saturating_add(gain)));
            }
        }
        let lasting = self.lasting.iter().filter(|_| !by_itself);
        let mut ends = self.ends.iter().chain(lasting);
        ends.all(|end| values[end.index()].unwrap_or(0) == 0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::criterion::branch::Branch;
    use crate::sample::{Builder, Own, simple};
    use program::stops::Sure;
    use program::{Extern, Function, Operand, RegionKind, SiteKind, Terminator, Type};

    /// Numbers of the goals that stay uncovered if no run comes to these edges of a function, or to what only they lead to.
    fn check(program: &Program, function: FuncId, dead: &[EdgeId], expected: &[usize]) {
        let goals = Goals::new(program, &Own(Branch));
        let stops = Stops::new(program, Sure::default());
        let flow = FlowGraph::new(program, function);
        let is_dead =
            |node: NodeId| matches!(flow.nodes[node], Node::Edge(edge) if dead.contains(&edge));
        let mut reached = BTreeSet::new();
        let mut work = vec![NodeId::from_u32(0)];
        while let Some(node) = work.pop() {
            if !is_dead(node) && reached.insert(node) {
                work.extend(flow.successors(node));
            }
        }
        let dead: BTreeSet<NodeId> = flow
            .nodes
            .keys()
            .filter(|node| !reached.contains(node))
            .collect();
        let never = never_counted(program, &goals, &stops, &|of| {
            (of == function).then(|| dead.clone())
        });
        let never: Vec<usize> = never.into_iter().map(|(goal, _)| goal.index()).collect();
        assert_eq!(never, expected);
    }

    #[test]
    fn the_side_that_no_run_takes_is_never_counted() {
        let mut builder = Builder::new();
        let (f, no, yes) = simple(&mut builder, "main", 1, "a.c");
        check(&builder.program, f, &[yes], &[0]);
        check(&builder.program, f, &[no], &[1]);
        check(&builder.program, f, &[], &[]);
    }

    /// In a call before the condition the false side is counted already, and a run may end there.
    #[test]
    fn a_call_before_the_condition_may_leave_its_false_side_counted() {
        let mut builder = Builder::new();
        let (f, no, yes) = simple(&mut builder, "main", 1, "a.c");
        let exit = builder.program.externs.push(Extern {
            name: "maybe_exit".to_owned(),
            return_type: Type::Void,
            params: Vec::new(),
            variadic: false,
            weak: false,
        });
        let op = Op::Call {
            callee: Callee::Extern(exit),
            args: Vec::new(),
            variadic: false,
        };
        builder.program.functions[f].append(Function::ENTRY, Type::Void, op, None, None);
        check(&builder.program, f, &[no], &[]);
        check(&builder.program, f, &[yes], &[0]);
    }

    /// `while (c) {}`: entered once more than it is left. Whoever ends a run in it has counted its false side.
    #[test]
    fn an_endless_loop_counts_as_left() {
        let mut builder = Builder::new();
        let f = builder.function("main", 1, &["a.c"]);
        builder.last().counters = 2;
        let kind = RegionKind::Branch {
            false_count: Counter::Counter(0),
        };
        builder.region(0, (2, 7), kind, Counter::Counter(1));
        let edges = [(None, Vec::new()), (None, vec![1])];
        let program = &mut builder.program;
        let body = &mut program.functions[f];
        let cond = Operand::Value(body.add_param(Type::Int(1)));
        let [head, inside, behind] = [(); 3].map(|()| body.add_block());
        let site = program.add_site(SiteKind::Branch, f, head, None, edges);
        let (no, yes) = (program.edge(site, 0), program.edge(site, 1));
        (program.edges[no].target, program.edges[yes].target) = (Some(behind), Some(inside));
        let terminators = [
            (Function::ENTRY, Terminator::Br { target: head }),
            (
                head,
                Terminator::CondBr {
                    cond,
                    then: inside,
                    els: behind,
                    site,
                },
            ),
            (inside, Terminator::Br { target: head }),
            (behind, Terminator::Ret { value: None }),
        ];
        for (block, terminator) in terminators {
            program.functions[f].blocks[block].terminator = terminator;
        }
        check(&builder.program, f, &[no], &[]);
        check(&builder.program, f, &[yes], &[0]);
    }

    /// Control may come back to `setjmp` from anywhere, and then every count may stay as it is.
    #[test]
    fn where_control_comes_back_every_part_is_an_end() {
        for (name, expected) in [("setjmp", &[][..]), ("_setjmp", &[]), ("puts", &[1])] {
            let mut builder = Builder::new();
            let (f, no, _) = simple(&mut builder, "main", 1, "a.c");
            let known = builder.program.externs.push(Extern {
                name: name.to_owned(),
                return_type: Type::Int(32),
                params: Vec::new(),
                variadic: false,
                weak: false,
            });
            let op = Op::Call {
                callee: Callee::Extern(known),
                args: Vec::new(),
                variadic: false,
            };
            // Behind the count of its side: what ends there has counted it.
            let then = program::BlockId::from_u32(1);
            builder.program.functions[f].append(then, Type::Int(32), op, None, None);
            check(&builder.program, f, &[no], expected);
        }
    }

    /// A count that is 0 by what clang wrote is refuted by nothing: the goal is no condition that some value decides.
    #[test]
    fn what_counts_nothing_is_not_refuted() {
        let mut builder = Builder::new();
        let (f, no, _) = simple(&mut builder, "main", 1, "a.c");
        let kind = RegionKind::Branch {
            false_count: Counter::Counter(0),
        };
        builder.region(0, (4, 1), kind, Counter::Zero);
        check(&builder.program, f, &[no], &[1]);
    }
}
