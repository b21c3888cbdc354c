//! What may come after each edge: its immediate subsequent branches over the whole program.
//!
//! Must hold: a branch in a function that is called comes before what lies behind the call, which comes next where the function may
//! return without one. Where the function of the edge itself returns to is not known: behind every call of it. ([`super::copies`] has
//! a copy of the function for each call.) Nothing recurses.

use std::collections::BTreeSet;

use program::callgraph::CallGraph;
use program::flow::{Node, NodeId};
use program::icfg::{FlowKind, Icfg};
use program::{EdgeId, Program};

/// The immediate subsequent branches of every edge.
#[derive(Debug)]
pub(crate) struct Succession {
    /// Immediate subsequent branches of edge `i`: `list[starts[i]..starts[i + 1]]`.
    starts: Vec<u32>,
    list: Vec<EdgeId>,
    /// The same inside one function, calls passed over.
    inner_starts: Vec<u32>,
    inner: Vec<EdgeId>,
}

impl Succession {
    pub(crate) fn new(program: &Program) -> Succession {
        let icfg = Icfg::new(program, &CallGraph::new(program));
        let (starts, list) = Ways::new(program, &icfg, |_| true).first_edges(program);
        let is_inside = |kind: FlowKind| matches!(kind, FlowKind::Step | FlowKind::Over);
        let (inner_starts, inner) = Ways::new(program, &icfg, is_inside).first_edges(program);
        Succession {
            starts,
            list,
            inner_starts,
            inner,
        }
    }

    /// The branches that may come right after an edge.
    pub(crate) fn after(&self, edge: EdgeId) -> &[EdgeId] {
        slice(&self.starts, &self.list, edge)
    }

    /// The same in the edge's own function.
    pub(crate) fn after_inside(&self, edge: EdgeId) -> &[EdgeId] {
        slice(&self.inner_starts, &self.inner, edge)
    }
}

fn slice<'a>(starts: &[u32], list: &'a [EdgeId], edge: EdgeId) -> &'a [EdgeId] {
    let index = edge.index();
    &list[starts[index] as usize..starts[index + 1] as usize]
}

/// How control goes on.
struct Ways<'a> {
    icfg: &'a Icfg,
    next: Vec<Vec<(NodeId, FlowKind)>>,
    /// Of a node that ends in a call: what is called may return without a branch.
    passes: Vec<bool>,
}

impl<'a> Ways<'a> {
    /// `is_in`: what is followed. Where no call is, all return at once.
    fn new(program: &Program, icfg: &'a Icfg, is_in: impl Fn(FlowKind) -> bool) -> Ways<'a> {
        let mut next = vec![Vec::new(); icfg.nodes().len()];
        for flow in icfg.flows().filter(|flow| is_in(flow.kind)) {
            next[flow.from.index()].push((flow.to, flow.kind));
        }
        let is_call = |ways: &Vec<(NodeId, FlowKind)>| {
            let mut kinds = ways.iter();
            kinds.any(|(_, kind)| *kind == FlowKind::Call)
        };
        let passes = next.iter().map(|ways| !is_call(ways)).collect();
        let mut ways = Ways { icfg, next, passes };
        ways.find_passes(program);
        ways
    }

    /// The least fixed point: calls of functions that return without a branch, some of which such functions make.
    fn find_passes(&mut self, program: &Program) {
        let mut callers: Vec<Vec<NodeId>> = vec![Vec::new(); self.next.len()];
        for (node, ways) in self.icfg.nodes().keys().zip(&self.next) {
            for (to, _) in ways.iter().filter(|(_, kind)| *kind == FlowKind::Call) {
                callers[to.index()].push(node);
            }
        }
        let functions = program.functions.keys();
        let entries = functions.filter_map(|function| self.icfg.entry(function));
        let mut left: Vec<NodeId> = entries
            .filter(|entry| !callers[entry.index()].is_empty())
            .collect();
        loop {
            let count = left.len();
            left.retain(|&entry| {
                let returns = self.returns_at_once(entry);
                if returns {
                    for call in &callers[entry.index()] {
                        self.passes[call.index()] = true;
                    }
                }
                !returns
            });
            if left.len() == count {
                return;
            }
        }
    }

    /// Does a function return without a branch, as far as is known of what it calls?
    fn returns_at_once(&self, entry: NodeId) -> bool {
        let (mut seen, mut stack) = (BTreeSet::from([entry]), vec![entry]);
        while let Some(node) = stack.pop() {
            for &(to, kind) in &self.next[node.index()] {
                let goes_on = match kind {
                    FlowKind::Return => return true,
                    FlowKind::Step => true,
                    FlowKind::Over => self.passes[node.index()],
                    FlowKind::Call => false,
                };
                let is_part = matches!(self.icfg.nodes()[to], Node::Part { .. });
                if goes_on && is_part && seen.insert(to) {
                    stack.push(to);
                }
            }
        }
        false
    }

    /// For each edge the first edges behind it, in order of their numbers.
    fn first_edges(&self, program: &Program) -> (Vec<u32>, Vec<EdgeId>) {
        // In the edge's own function, or one that it returned to; and in what these call.
        let mut seen = [vec![0_u32; self.next.len()], vec![0_u32; self.next.len()]];
        let (mut starts, mut list) = (vec![0], Vec::new());
        for (mark, edge) in (1..).zip(program.edges.keys()) {
            let from = list.len();
            let start = self.icfg.node_of(edge).into_iter();
            let mut stack: Vec<(NodeId, bool)> = start.map(|node| (node, false)).collect();
            while let Some((node, is_called)) = stack.pop() {
                for &(to, kind) in &self.next[node.index()] {
                    let is_called = match kind {
                        FlowKind::Step => is_called,
                        FlowKind::Over if self.passes[node.index()] => is_called,
                        FlowKind::Call => true,
                        FlowKind::Return if !is_called => false,
                        FlowKind::Over | FlowKind::Return => continue,
                    };
                    let is_part = matches!(self.icfg.nodes()[to], Node::Part { .. });
                    // An edge is the same, from wherever it is met.
                    let seen = &mut seen[usize::from(is_called && is_part)][to.index()];
                    if std::mem::replace(seen, mark) == mark {
                        continue;
                    }
                    match self.icfg.nodes()[to] {
                        Node::Edge(found) => list.push(found),
                        Node::Part { .. } => stack.push((to, is_called)),
                    }
                }
            }
            list[from..].sort_unstable();
            starts.push(u32::try_from(list.len()).expect("fewer than 2^32 successions"));
        }
        (starts, list)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What may come after each edge, by function, block and side.
    fn succession(text: &str) -> Vec<String> {
        let program = program::text::sample(text);
        let found = Succession::new(&program);
        let name = |edge: &EdgeId| {
            let data = &program.edges[*edge];
            let site = &program.sites[data.site];
            let function = &program.functions[site.function].name;
            format!("{function} {} {}", site.block, data.side)
        };
        let edges = program.edges.keys();
        let line = |edge: EdgeId| {
            let after: Vec<String> = found.after(edge).iter().map(name).collect();
            format!("{}: {}", name(&edge), after.join(", "))
        };
        edges.map(line).collect()
    }

    /// A call of a function without a branch leads behind that call, not behind another one; through one with a branch, that comes first.
    #[test]
    fn a_function_without_a_branch_returns_to_its_call() {
        let text = "extern @input() -> i32
            fn @plain() { block0: ret }
            fn @calls() { block0: call @plain() ret }
            fn @asks() -> i32 {
            block0:
              v0: i32 = call @input()
              v1: i1 = icmp eq v0, i32 0
              br v1, block1, block2
            block1:
              ret i32 1
            block2:
              ret i32 0
            }
            fn @main() -> i32 {
            block0:
              v0: i32 = call @input()
              v1: i1 = icmp eq v0, i32 0
              br v1, block1, block2
            block1:
              call @calls()
              v2: i1 = icmp eq v0, i32 1
              br v2, block3, block4
            block2:
              call @calls()
              v3: i1 = icmp eq v0, i32 2
              br v3, block3, block4
            block3:
              v4: i32 = call @asks()
              v5: i1 = icmp eq v4, i32 0
              br v5, block4, block5
            block4:
              ret i32 1
            block5:
              ret i32 0
            }";
        let expected = [
            "asks block0 0: main block3 0, main block3 1",
            "asks block0 1: main block3 0, main block3 1",
            "main block0 0: main block2 0, main block2 1",
            "main block0 1: main block1 0, main block1 1",
            "main block1 0: ",
            "main block1 1: asks block0 0, asks block0 1",
            "main block2 0: ",
            "main block2 1: asks block0 0, asks block0 1",
            "main block3 0: ",
            "main block3 1: ",
        ];
        assert_eq!(succession(text), expected);
    }
}
