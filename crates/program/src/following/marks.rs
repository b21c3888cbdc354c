//! Marks on places, and from which places one can be reached, while they go away.

use super::Following;
use crate::flow::NodeId;
use crate::graph::Graph;

/// From which nodes a mark can be reached, while marks go away.
///
/// Must hold: removing all marks costs as much as one walk over the graph.
#[derive(Clone, Debug)]
pub struct Marks {
    /// Component of each node.
    component: Vec<u32>,
    /// For each component: its marks, and its edges to components from which a mark can be reached.
    hope: Vec<u64>,
    /// Components before each one.
    before: Graph,
}

impl Marks {
    /// So many marks on these nodes.
    #[must_use]
    pub fn new(following: &Following, marks: impl IntoIterator<Item = NodeId>) -> Marks {
        Marks::over(&following.forward, marks)
    }

    /// The same, where no way goes over the closed nodes.
    #[must_use]
    pub fn without(
        following: &Following,
        is_closed: impl Fn(NodeId) -> bool,
        marks: impl IntoIterator<Item = NodeId>,
    ) -> Marks {
        let open = |node: &u32| !is_closed(NodeId::from_u32(*node));
        let edges = following.forward.edges();
        let edges: Vec<(u32, u32)> = edges.filter(|(from, to)| open(from) && open(to)).collect();
        let marks = marks.into_iter().filter(|node| !is_closed(*node));
        Marks::over(&Graph::new(following.icfg().nodes().len(), &edges), marks)
    }

    fn over(graph: &Graph, marks: impl IntoIterator<Item = NodeId>) -> Marks {
        let (component, count) = graph.components();
        let edges = graph.edges();
        let edges = edges.map(|(from, to)| (component[from as usize], component[to as usize]));
        let mut edges: Vec<(u32, u32)> = edges
            .filter(|(from, to)| from != to)
            .map(|(from, to)| (to, from))
            .collect();
        edges.sort_unstable();
        edges.dedup();
        let mut hope = vec![0; count as usize];
        for node in marks {
            hope[component[node.index()] as usize] += 1;
        }
        let before = Graph::new(count as usize, &edges);
        // Components come after those that they lead to.
        for component in 0..count {
            if hope[component as usize] > 0 {
                for &from in before.successors(component) {
                    hope[from as usize] += 1;
                }
            }
        }
        Marks {
            component,
            hope,
            before,
        }
    }

    /// Can a mark be reached from the node (or is there one)?
    #[must_use]
    pub fn reach(&self, node: NodeId) -> bool {
        self.hope[self.component[node.index()] as usize] > 0
    }

    /// Takes a mark away.
    pub fn remove(&mut self, node: NodeId) {
        let mut stack = vec![self.component[node.index()]];
        while let Some(component) = stack.pop() {
            let hope = &mut self.hope[component as usize];
            *hope -= 1;
            if *hope == 0 {
                stack.extend(self.before.successors(component));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::graph::nodes;
    use random::Random;

    #[test]
    fn marks_are_reached_where_a_walk_finds_them() {
        let mut random = Random::new(5);
        for _ in 0..200 {
            let count = 1 + random.below(20);
            let mut any = || random.below(count) as u32;
            let edges: Vec<_> = (0..2 * count).map(|_| (any(), any())).collect();
            let mut left: Vec<u32> = (0..count).map(|_| any()).collect();
            let graph = Graph::new(count, &edges);
            let mut marks = Marks::over(&graph, left.iter().copied().map(NodeId::from_u32));
            loop {
                for from in nodes(count) {
                    let mut seen = vec![false; count];
                    graph.mark(from, &mut seen);
                    let wanted = left.iter().any(|&node| seen[node as usize]);
                    assert_eq!(
                        marks.reach(NodeId::from_u32(from)),
                        wanted,
                        "{edges:?} {left:?}"
                    );
                }
                let Some(node) = left.pop() else { break };
                marks.remove(NodeId::from_u32(node));
            }
        }
    }
}
