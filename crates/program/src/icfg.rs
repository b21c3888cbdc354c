//! The interprocedural control-flow graph: the flow graphs of all functions, joined by calls and returns.
//!
//! Invariant: node ids of one function are consecutive, and its first one is its entry.

use std::collections::VecDeque;

use crate::callgraph::CallGraph;
pub use crate::distance::Distances;
use crate::entity::{PrimaryMap, SecondaryMap};
use crate::flow::{FlowGraph, Node, NodeId, edge_nodes};
use crate::function::Target;
use crate::graph::{Graph, nodes};
use crate::id::{EdgeId, FuncId};
use crate::inst::Terminator;
use crate::model::Program;

/// How control goes from one node to another.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum FlowKind {
    /// Inside a function, from one node to the next.
    Step,
    /// Over a call, from the part that it ends to the part behind it: the callee returned. Not there when nothing
    /// that is called can return.
    Over,
    /// From the part that ends in the call to the entry of the callee.
    Call,
    /// From a part that ends in `ret` to the part behind the call.
    Return,
}

/// One edge of the ICFG.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Flow {
    pub from: NodeId,
    pub to: NodeId,
    pub kind: FlowKind,
}

/// The graph of a program.
#[derive(Clone, Debug)]
pub struct Icfg {
    nodes: PrimaryMap<NodeId, Node>,
    pub(crate) forward: Graph,
    kinds: Vec<FlowKind>,
    entries: PrimaryMap<FuncId, Option<NodeId>>,
    pub(crate) edges: SecondaryMap<EdgeId, Option<NodeId>>,
    /// For parts that end in a call, the part behind it.
    behind: SecondaryMap<NodeId, Option<NodeId>>,
}

impl Icfg {
    /// The graph of a verified program.
    #[must_use]
    pub fn new(program: &Program, calls: &CallGraph) -> Icfg {
        let mut builder = Builder::new(program);
        let returning = builder.returning(program, calls);
        builder.join(calls, &returning);
        let Builder {
            nodes,
            entries,
            mut flows,
            calls,
            ..
        } = builder;
        let mut behind = SecondaryMap::for_map(&nodes, None);
        for &(call, part) in calls.values().flatten() {
            behind[call] = Some(part);
        }
        flows.sort_by_key(|flow| flow.from);
        let pairs: Vec<_> = flows
            .iter()
            .map(|flow| (flow.from.as_u32(), flow.to.as_u32()))
            .collect();
        let mut edges = SecondaryMap::for_map(&program.edges, None);
        for (edge, node) in edge_nodes(&nodes) {
            edges[edge] = Some(node);
        }
        let forward = Graph::new(nodes.len(), &pairs);
        Icfg {
            nodes,
            forward,
            kinds: flows.into_iter().map(|flow| flow.kind).collect(),
            entries,
            edges,
            behind,
        }
    }

    /// All nodes.
    #[must_use]
    pub fn nodes(&self) -> &PrimaryMap<NodeId, Node> {
        &self.nodes
    }

    /// Where a function starts.
    #[must_use]
    pub fn entry(&self, function: FuncId) -> Option<NodeId> {
        self.entries[function]
    }

    /// The node of an edge of a site.
    #[must_use]
    pub fn node_of(&self, edge: EdgeId) -> Option<NodeId> {
        self.edges[edge]
    }

    /// The part behind the call that ends this one, whether or not the callee can return.
    #[must_use]
    pub fn behind(&self, call: NodeId) -> Option<NodeId> {
        self.behind[call]
    }

    /// All edges, by their source.
    pub fn flows(&self) -> impl Iterator<Item = Flow> + '_ {
        self.forward
            .edges()
            .zip(&self.kinds)
            .map(|((from, to), &kind)| Flow {
                from: NodeId::from_u32(from),
                to: NodeId::from_u32(to),
                kind,
            })
    }

    /// The nodes that may come next.
    pub fn successors(&self, node: NodeId) -> impl Iterator<Item = NodeId> + '_ {
        self.forward
            .successors(node.as_u32())
            .iter()
            .map(|&next| NodeId::from_u32(next))
    }
}

struct Builder {
    nodes: PrimaryMap<NodeId, Node>,
    entries: PrimaryMap<FuncId, Option<NodeId>>,
    flows: Vec<Flow>,
    /// Nodes that end in `ret`, by function.
    returns: PrimaryMap<FuncId, Vec<NodeId>>,
    /// Parts that end in a call, by function and in the order of calls, with the part behind.
    calls: PrimaryMap<FuncId, Vec<(NodeId, NodeId)>>,
}

impl Builder {
    fn new(program: &Program) -> Builder {
        let mut builder = Builder {
            nodes: PrimaryMap::new(),
            entries: PrimaryMap::new(),
            flows: Vec::new(),
            returns: PrimaryMap::new(),
            calls: PrimaryMap::new(),
        };
        for function in program.functions.keys() {
            builder.function(program, function);
        }
        builder
    }

    fn function(&mut self, program: &Program, function: FuncId) {
        let flow = FlowGraph::new(program, function);
        let base = self.nodes.next_key();
        let global = |node: u32| base.plus(node);
        self.entries.push((!flow.nodes.is_empty()).then_some(base));
        let (mut returns, mut calls) = (Vec::new(), Vec::new());
        for node in nodes(flow.nodes.len()) {
            let next = flow.forward.successors(node);
            match flow.nodes[NodeId::from_u32(node)] {
                Node::Part { call: Some(_), .. } => calls.push((global(node), global(next[0]))),
                Node::Part { block, .. } if next.is_empty() => {
                    let terminator = &program.functions[function].blocks[block].terminator;
                    if matches!(terminator, Terminator::Ret { .. }) {
                        returns.push(global(node));
                    }
                }
                _ => {}
            }
            let call = matches!(
                flow.nodes[NodeId::from_u32(node)],
                Node::Part { call: Some(_), .. }
            );
            if !call {
                let steps = next.iter().map(|&to| Flow {
                    from: global(node),
                    to: global(to),
                    kind: FlowKind::Step,
                });
                self.flows.extend(steps);
            }
        }
        for node in flow.nodes.values() {
            self.nodes.push(*node);
        }
        self.returns.push(returns);
        self.calls.push(calls);
    }

    /// Which functions can reach a `ret`, given that others can: the least fixed point.
    fn returning(&self, program: &Program, calls: &CallGraph) -> PrimaryMap<FuncId, bool> {
        let mut returning: PrimaryMap<FuncId, bool> =
            program.functions.keys().map(|_| false).collect();
        let mut work: VecDeque<FuncId> = program.functions.keys().collect();
        let starts: PrimaryMap<FuncId, usize> = self
            .entries
            .values()
            .map(|entry| entry.map_or(0, NodeId::index))
            .collect();
        let mut steps = vec![Vec::new(); self.nodes.len()];
        for flow in &self.flows {
            steps[flow.from.index()].push(flow.to);
        }
        while let Some(function) = work.pop_front() {
            if returning[function] || self.entries[function].is_none() {
                continue;
            }
            let over: Vec<_> = (calls.calls(function).iter().zip(&self.calls[function]))
                .filter(|(site, _)| may_return(site, &returning))
                .map(|(_, &pair)| pair)
                .collect();
            let mut seen = vec![false; self.size_of(function)];
            let mut stack = vec![NodeId::from_u32(
                u32::try_from(starts[function]).expect("node number"),
            )];
            while let Some(node) = stack.pop() {
                if std::mem::replace(&mut seen[node.index() - starts[function]], true) {
                    continue;
                }
                stack.extend(&steps[node.index()]);
                stack.extend(
                    over.binary_search_by_key(&node, |pair| pair.0)
                        .map(|found| over[found].1),
                );
            }
            if self.returns[function]
                .iter()
                .any(|node| seen[node.index() - starts[function]])
            {
                returning[function] = true;
                work.extend(calls.callers(function).iter().map(|(caller, _)| *caller));
            }
        }
        returning
    }

    fn size_of(&self, function: FuncId) -> usize {
        let start = self.entries[function].map_or(0, NodeId::index);
        let later = self
            .entries
            .iter()
            .skip(function.index() + 1)
            .find_map(|(_, entry)| *entry);
        later.map_or(self.nodes.len(), NodeId::index) - start
    }

    /// Adds the edges between functions.
    fn join(&mut self, calls: &CallGraph, returning: &PrimaryMap<FuncId, bool>) {
        for function in self.calls.keys() {
            for (site, &(from, behind)) in calls.calls(function).iter().zip(&self.calls[function]) {
                if may_return(site, returning) {
                    self.flows.push(Flow {
                        from,
                        to: behind,
                        kind: FlowKind::Over,
                    });
                }
                for callee in site.functions() {
                    let Some(entry) = self.entries[callee] else {
                        continue;
                    };
                    self.flows.push(Flow {
                        from,
                        to: entry,
                        kind: FlowKind::Call,
                    });
                    let returns = self.returns[callee].iter();
                    self.flows.extend(returns.map(|&ret| Flow {
                        from: ret,
                        to: behind,
                        kind: FlowKind::Return,
                    }));
                }
            }
        }
    }
}

/// Whether something that the call may reach can return. Functions without a body can, as far as we know.
fn may_return(site: &crate::callgraph::CallSite, returning: &PrimaryMap<FuncId, bool>) -> bool {
    site.targets.is_empty()
        || site.targets.iter().any(|target| match target {
            Target::Function(function) => returning[*function],
            Target::Extern(_) => true,
        })
}
