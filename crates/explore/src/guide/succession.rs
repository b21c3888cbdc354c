//! What may come after each edge: its immediate subsequent branches over the whole program.
//!
//! Must hold: a branch in a function that is called comes before what lies behind the call; where a function returns
//! to is not known, so what follows its last branches is what lies behind every call of it. ([`super::copies`] has
//! a copy of the function for each call.) Nothing recurses.

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
        let mut whole = vec![Vec::new(); icfg.nodes().len()];
        let mut inside = whole.clone();
        for flow in icfg.flows() {
            let next: &mut Vec<(NodeId, FlowKind)> = &mut whole[flow.from.index()];
            next.push((flow.to, flow.kind));
            if matches!(flow.kind, FlowKind::Step | FlowKind::Over) {
                inside[flow.from.index()].push((flow.to, flow.kind));
            }
        }
        for next in &mut whole {
            // What is called comes first; its returns lead behind the call.
            if next.iter().any(|(_, kind)| *kind == FlowKind::Call) {
                next.retain(|(_, kind)| *kind != FlowKind::Over);
            }
        }
        let (starts, list) = first_edges(program, &icfg, &whole);
        let (inner_starts, inner) = first_edges(program, &icfg, &inside);
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

/// For each edge the first edges behind it, in order of their numbers.
fn first_edges(
    program: &Program,
    icfg: &Icfg,
    next: &[Vec<(NodeId, FlowKind)>],
) -> (Vec<u32>, Vec<EdgeId>) {
    let mut seen = vec![0_u32; next.len()];
    let (mut starts, mut list) = (vec![0], Vec::new());
    for (mark, edge) in (1..).zip(program.edges.keys()) {
        let from = list.len();
        let start = icfg.node_of(edge).into_iter();
        let mut stack: Vec<NodeId> = start.collect();
        while let Some(node) = stack.pop() {
            for &(to, _) in &next[node.index()] {
                if std::mem::replace(&mut seen[to.index()], mark) == mark {
                    continue;
                }
                match icfg.nodes()[to] {
                    Node::Edge(found) => list.push(found),
                    Node::Part { .. } => stack.push(to),
                }
            }
        }
        list[from..].sort_unstable();
        starts.push(u32::try_from(list.len()).expect("fewer than 2^32 successions"));
    }
    (starts, list)
}
