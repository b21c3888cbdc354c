//! How far every node of the ICFG is from the nearest of some target edges, while targets disappear.
//!
//! Each node but the targets knows the next node of a shortest way. When a target disappears, only the nodes whose ways
//! lead there are looked at: they lose their distance and get the best that their successors have, nearest first.
//!
//! Edges can be closed as well: no way goes over them any more.
//!
//! Must hold: after any removals the distances are those that [`Distances::to`] computes for the targets that are left, in the graph
//! without what was closed.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use crate::entity::SecondaryMap;
use crate::flow::{Node, NodeId};
use crate::graph::Graph;
use crate::icfg::{FlowKind, Icfg};
use crate::id::EdgeId;

/// How far every node is from the nearest of some target edges.
///
/// The distance is the number of edges of sites that have to be taken, the target included: 0 at a target, 1 at the
/// part whose terminator can take it.
#[derive(Clone, Debug)]
pub struct Distances {
    nodes: SecondaryMap<NodeId, Option<Way>>,
    edges: SecondaryMap<EdgeId, Option<NodeId>>,
    /// No way goes over them.
    closed: SecondaryMap<NodeId, bool>,
    forward: Graph,
    backward: Graph,
}

/// A shortest way to a target.
#[derive(Clone, Copy, Debug)]
struct Way {
    distance: u32,
    /// `None` at the target.
    next: Option<NodeId>,
}

/// Ways to be entered, the nearest first: distance, node, next.
type Queue = BinaryHeap<Reverse<(u32, NodeId, Option<NodeId>)>>;

impl Distances {
    /// Distances to the nearest of `targets`. A path may return to another caller than it came from.
    #[must_use]
    pub fn to(icfg: &Icfg, targets: impl IntoIterator<Item = EdgeId>) -> Distances {
        let nodes = targets.into_iter().filter_map(|edge| icfg.node_of(edge));
        Distances::over(icfg, icfg.forward.clone(), nodes)
    }

    /// Distances to the nearest of `targets` that is reached before the function returns: in it, or in what it calls.
    #[must_use]
    pub fn before_return(icfg: &Icfg, targets: impl IntoIterator<Item = EdgeId>) -> Distances {
        let nodes = targets.into_iter().filter_map(|edge| icfg.node_of(edge));
        let forward = graph(icfg, |kind| kind != FlowKind::Return);
        Distances::over(icfg, forward, nodes)
    }

    /// Distances to the nearest of `targets` in the same function; calls are stepped over.
    #[must_use]
    pub fn inside(icfg: &Icfg, targets: impl IntoIterator<Item = EdgeId>) -> Distances {
        let nodes = targets.into_iter().filter_map(|edge| icfg.node_of(edge));
        let forward = graph(icfg, |kind| matches!(kind, FlowKind::Step | FlowKind::Over));
        Distances::over(icfg, forward, nodes)
    }

    /// Distances to where the function of a node returns.
    #[must_use]
    pub fn to_return(icfg: &Icfg) -> Distances {
        let returns = icfg.flows().filter(|flow| flow.kind == FlowKind::Return);
        let forward = graph(icfg, |kind| matches!(kind, FlowKind::Step | FlowKind::Over));
        Distances::over(icfg, forward, returns.map(|flow| flow.from))
    }

    fn over(icfg: &Icfg, forward: Graph, ends: impl Iterator<Item = NodeId>) -> Distances {
        let mut distances = Distances {
            nodes: SecondaryMap::for_map(icfg.nodes(), None),
            edges: icfg.edges.clone(),
            closed: SecondaryMap::for_map(icfg.nodes(), false),
            backward: forward.reversed(),
            forward,
        };
        let mut queue: Queue = ends.map(|node| Reverse((0, node, None))).collect();
        distances.spread(icfg, &mut queue);
        distances
    }

    /// Distance of a node; `None` when no path leads from it to a target.
    #[must_use]
    pub fn of(&self, node: NodeId) -> Option<u32> {
        Some(self.nodes[node]?.distance)
    }

    /// The target that a shortest way from a node leads to.
    #[must_use]
    pub fn target_of(&self, node: NodeId) -> Option<NodeId> {
        let mut at = node;
        while let Some(next) = self.nodes[at]?.next {
            at = next;
        }
        Some(at)
    }

    /// Distance after an edge has been taken: 0 for a target.
    #[must_use]
    pub fn of_edge(&self, edge: EdgeId) -> Option<u32> {
        self.of(self.edges[edge]?)
    }

    /// The edge is no target any more. False: it was none.
    pub fn remove(&mut self, icfg: &Icfg, edge: EdgeId) -> bool {
        let Some(target) = self.edges[edge] else {
            return false;
        };
        if self.nodes[target].is_none_or(|way| way.next.is_some()) {
            return false;
        }
        self.nodes[target] = None;
        self.lose(icfg, vec![target]);
        true
    }

    /// No run takes these edges: they are no targets, and no way goes over them.
    pub fn close(&mut self, icfg: &Icfg, edges: &[EdgeId]) {
        let nodes = edges.iter().filter_map(|edge| self.edges[*edge]);
        let nodes: Vec<NodeId> = nodes.collect();
        for &node in &nodes {
            self.closed[node] = true;
            self.nodes[node] = None;
        }
        self.lose(icfg, nodes);
    }

    /// Ways over these nodes, which have none any more, are looked for anew.
    fn lose(&mut self, icfg: &Icfg, mut lost: Vec<NodeId>) {
        let mut done = 0;
        while let Some(&node) = lost.get(done) {
            done += 1;
            for &before in self.backward.successors(node.as_u32()) {
                let before = NodeId::from_u32(before);
                if self.nodes[before].is_some_and(|way| way.next == Some(node)) {
                    self.nodes[before] = None;
                    lost.push(before);
                }
            }
        }
        let mut queue = Queue::new();
        for node in lost.into_iter().filter(|node| !self.closed[*node]) {
            for &next in self.forward.successors(node.as_u32()) {
                let next = NodeId::from_u32(next);
                if let Some(way) = self.nodes[next] {
                    let distance = way.distance + cost(icfg, next);
                    queue.push(Reverse((distance, node, Some(next))));
                }
            }
        }
        self.spread(icfg, &mut queue);
    }

    /// Enters the ways of the queue and those that lead to them, at nodes that have none.
    fn spread(&mut self, icfg: &Icfg, queue: &mut Queue) {
        while let Some(Reverse((distance, node, next))) = queue.pop() {
            if self.nodes[node].is_some() || self.closed[node] {
                continue;
            }
            self.nodes[node] = Some(Way { distance, next });
            for &before in self.backward.successors(node.as_u32()) {
                let before = NodeId::from_u32(before);
                if self.nodes[before].is_none() {
                    let distance = distance + cost(icfg, node);
                    queue.push(Reverse((distance, before, Some(node))));
                }
            }
        }
    }
}

/// The flows of these kinds.
fn graph(icfg: &Icfg, is_in: impl Fn(FlowKind) -> bool) -> Graph {
    let flows = icfg.flows().filter(|flow| is_in(flow.kind));
    let pairs: Vec<_> = flows
        .map(|flow| (flow.from.as_u32(), flow.to.as_u32()))
        .collect();
    Graph::new(icfg.nodes().len(), &pairs)
}

/// Steps into an edge of a site cost 1, all others nothing.
fn cost(icfg: &Icfg, into: NodeId) -> u32 {
    u32::from(matches!(icfg.nodes()[into], Node::Edge(_)))
}
