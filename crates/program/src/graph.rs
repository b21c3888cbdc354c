//! Directed graphs over dense node numbers, and their dominator trees: the one algorithm behind dominators,
//! post-dominators and edge dominators.
//!
//! Nothing here recurses, so deep graphs are no danger to the stack.

/// For each node of a directed graph the number of its strongly connected part, and how many there are. An edge never leads to a part with
/// a higher number.
#[must_use]
pub fn components(nodes: usize, edges: &[(u32, u32)]) -> (Vec<u32>, u32) {
    Graph::new(nodes, edges).components()
}

/// A directed graph; parallel edges are kept, in the order in which they were given.
#[derive(Clone, Debug, Default)]
pub(crate) struct Graph {
    /// Where the successors of each node start in `targets`; one entry more than there are nodes.
    starts: Vec<u32>,
    targets: Vec<u32>,
}

impl Graph {
    /// A graph of `nodes` nodes.
    pub(crate) fn new(nodes: usize, edges: &[(u32, u32)]) -> Graph {
        let mut starts = vec![0u32; nodes + 1];
        for &(from, _) in edges {
            starts[from as usize + 1] += 1;
        }
        for node in 0..nodes {
            starts[node + 1] += starts[node];
        }
        let mut next = starts.clone();
        let mut targets = vec![0; edges.len()];
        for &(from, to) in edges {
            let slot = &mut next[from as usize];
            targets[*slot as usize] = to;
            *slot += 1;
        }
        Graph { starts, targets }
    }

    pub(crate) fn len(&self) -> usize {
        self.starts.len() - 1
    }

    pub(crate) fn successors(&self, node: u32) -> &[u32] {
        let node = node as usize;
        &self.targets[self.starts[node] as usize..self.starts[node + 1] as usize]
    }

    /// All edges, by their source.
    pub(crate) fn edges(&self) -> impl Iterator<Item = (u32, u32)> + '_ {
        nodes(self.len()).flat_map(|from| self.successors(from).iter().map(move |&to| (from, to)))
    }

    /// The same graph with all edges turned round.
    pub(crate) fn reversed(&self) -> Graph {
        let edges: Vec<_> = self.edges().map(|(from, to)| (to, from)).collect();
        Graph::new(self.len(), &edges)
    }

    /// For each node the number of its strongly connected component, and how many there are. An edge never leads to a
    /// component with a higher number. Tarjan's algorithm.
    pub(crate) fn components(&self) -> (Vec<u32>, u32) {
        const NONE: u32 = u32::MAX;
        let count = self.len();
        let (mut number, mut low) = (vec![NONE; count], vec![0; count]);
        let mut component = vec![NONE; count];
        let (mut numbers, mut components) = (0, 0);
        let (mut open, mut stack) = (Vec::new(), Vec::new());
        for root in nodes(count) {
            if number[root as usize] == NONE {
                stack.push((root, 0usize));
            }
            while let Some((node, next)) = stack.last_mut() {
                let at = *node as usize;
                if *next == 0 {
                    (number[at], low[at]) = (numbers, numbers);
                    numbers += 1;
                    open.push(*node);
                }
                let Some(&to) = self.successors(*node).get(*next) else {
                    let node = *node;
                    stack.pop();
                    if low[at] == number[at] {
                        while let Some(member) = open.pop() {
                            component[member as usize] = components;
                            if member == node {
                                break;
                            }
                        }
                        components += 1;
                    }
                    if let Some((above, _)) = stack.last() {
                        let above = *above as usize;
                        low[above] = low[above].min(low[at]);
                    }
                    continue;
                };
                *next += 1;
                if number[to as usize] == NONE {
                    stack.push((to, 0));
                } else if component[to as usize] == NONE {
                    low[at] = low[at].min(number[to as usize]);
                }
            }
        }
        (component, components)
    }

    /// Nodes reachable from `root`, each after all its descendants in the depth-first tree.
    pub(crate) fn postorder(&self, root: u32) -> Vec<u32> {
        let mut seen = vec![false; self.len()];
        let mut order = Vec::new();
        let mut stack = vec![(root, 0usize)];
        seen[root as usize] = true;
        while let Some((node, next)) = stack.last_mut() {
            match self.successors(*node).get(*next) {
                Some(&successor) => {
                    *next += 1;
                    if !std::mem::replace(&mut seen[successor as usize], true) {
                        stack.push((successor, 0));
                    }
                }
                None => {
                    order.push(*node);
                    stack.pop();
                }
            }
        }
        order
    }

    /// Marks everything reachable from `root` and not yet marked.
    pub(crate) fn mark(&self, root: u32, marked: &mut [bool]) {
        let mut stack = vec![root];
        while let Some(node) = stack.pop() {
            if !std::mem::replace(&mut marked[node as usize], true) {
                stack.extend(
                    self.successors(node)
                        .iter()
                        .filter(|&&next| !marked[next as usize]),
                );
            }
        }
    }
}

/// The numbers of `count` nodes.
pub(crate) fn nodes(count: usize) -> std::ops::Range<u32> {
    0..u32::try_from(count).expect("fewer than 2^32 nodes")
}

/// A dominator tree, numbered so that a query takes constant time.
#[derive(Clone, Debug)]
pub(crate) struct DomTree {
    /// Immediate dominator; `None` for the root and for unreachable nodes.
    idom: Vec<Option<u32>>,
    /// Number of the node in a preorder walk of the tree, and the number after the last of its subtree.
    span: Vec<Option<(u32, u32)>>,
}

impl DomTree {
    /// The dominators of `graph` from `root`. Semi-NCA (Georgiadis, 2005), as in LLVM: nearly linear in practice.
    pub(crate) fn new(graph: &Graph, root: u32) -> DomTree {
        let walk = Walk::new(graph, root);
        let idom = walk.semi_nca(&graph.reversed());
        let mut size = vec![1u32; idom.len()];
        for node in (1..idom.len()).rev() {
            size[idom[node] as usize] += size[node];
        }
        let mut first = vec![0u32; idom.len()];
        let mut next = vec![1u32; idom.len()];
        for node in 1..idom.len() {
            let above = idom[node] as usize;
            first[node] = next[above];
            next[above] += size[node];
            next[node] = first[node] + 1;
        }
        let mut tree = DomTree {
            idom: vec![None; graph.len()],
            span: vec![None; graph.len()],
        };
        for (number, &node) in walk.order.iter().enumerate() {
            tree.span[node as usize] = Some((first[number], first[number] + size[number]));
            if number > 0 {
                tree.idom[node as usize] = Some(walk.order[idom[number] as usize]);
            }
        }
        tree
    }

    pub(crate) fn idom(&self, node: u32) -> Option<u32> {
        self.idom[node as usize]
    }

    /// Preorder span of a node, if it is reachable.
    pub(crate) fn span(&self, node: u32) -> Option<(u32, u32)> {
        self.span[node as usize]
    }

    /// Whether every path from the root to `below` passes `above`. False when either is unreachable.
    pub(crate) fn dominates(&self, above: u32, below: u32) -> bool {
        match (self.span(above), self.span(below)) {
            (Some((first, end)), Some((number, _))) => first <= number && number < end,
            _ => false,
        }
    }
}

/// A depth-first walk: the reachable nodes by number, and the parent of each in the tree.
struct Walk {
    /// Node of each number.
    order: Vec<u32>,
    /// Number of each node.
    number: Vec<Option<u32>>,
    /// Number of each number's parent; the root is its own.
    parent: Vec<u32>,
}

impl Walk {
    fn new(graph: &Graph, root: u32) -> Walk {
        let mut walk = Walk {
            order: Vec::new(),
            number: vec![None; graph.len()],
            parent: Vec::new(),
        };
        let mut stack = vec![(root, 0)];
        while let Some((node, parent)) = stack.pop() {
            if walk.number[node as usize].is_some() {
                continue;
            }
            let number = u32::try_from(walk.order.len()).expect("fewer than 2^32 nodes");
            walk.number[node as usize] = Some(number);
            walk.order.push(node);
            walk.parent.push(parent);
            stack.extend(graph.successors(node).iter().map(|&next| (next, number)));
        }
        walk
    }

    /// Immediate dominators by number.
    fn semi_nca(&self, predecessors: &Graph) -> Vec<u32> {
        let count = self.order.len();
        let mut semi: Vec<u32> = nodes(count).collect();
        let mut label = semi.clone();
        let mut ancestor = self.parent.clone();
        let mut path = Vec::new();
        for number in (1..count).rev() {
            let current = u32::try_from(number).expect("fewer than 2^32 nodes");
            let mut best = self.parent[number];
            for &predecessor in predecessors.successors(self.order[number]) {
                let Some(from) = self.number[predecessor as usize] else {
                    continue;
                };
                let lowest = evaluate(from, current, &mut ancestor, &mut label, &semi, &mut path);
                best = best.min(semi[lowest as usize]);
            }
            semi[number] = best;
        }
        let mut idom = self.parent.clone();
        for number in 1..count {
            while idom[number] > semi[number] {
                idom[number] = idom[idom[number] as usize];
            }
        }
        idom
    }
}

/// The node with the smallest semidominator on the path from `node` up to (not including) the first ancestor that
/// is not linked yet, that is, whose number is not above `current`. Compresses the path.
fn evaluate(
    node: u32,
    current: u32,
    ancestor: &mut [u32],
    label: &mut [u32],
    semi: &[u32],
    path: &mut Vec<u32>,
) -> u32 {
    if node <= current {
        return node;
    }
    let mut at = node;
    while ancestor[at as usize] > current {
        path.push(at);
        at = ancestor[at as usize];
    }
    while let Some(below) = path.pop() {
        let above = ancestor[below as usize] as usize;
        if semi[label[above] as usize] < semi[label[below as usize] as usize] {
            label[below as usize] = label[above];
        }
        ancestor[below as usize] = ancestor[above];
    }
    label[node as usize]
}

#[cfg(test)]
mod tests {
    use random::Random;

    use super::*;

    /// Whether `below` is unreachable from `root` without passing `above`: the definition.
    fn dominates_by_definition(graph: &Graph, root: u32, above: u32, below: u32) -> bool {
        let mut marked = vec![false; graph.len()];
        if above != root {
            marked[above as usize] = true;
            graph.mark(root, &mut marked);
            marked[above as usize] = false;
        }
        !marked[below as usize]
    }

    #[test]
    fn the_tree_agrees_with_the_definition_on_random_graphs() {
        let mut random = Random::new(1);
        for round in 0..400 {
            let count = 1 + random.below(14);
            let edges: Vec<_> = (0..random.below(3 * count) + round % 3)
                .map(|_| (random.below(count) as u32, random.below(count) as u32))
                .collect();
            let graph = Graph::new(count, &edges);
            let tree = DomTree::new(&graph, 0);
            let mut reachable = vec![false; count];
            graph.mark(0, &mut reachable);
            for above in nodes(count) {
                assert_eq!(
                    tree.span(above).is_some(),
                    reachable[above as usize],
                    "{edges:?}"
                );
                for below in nodes(count) {
                    let expected = reachable[above as usize]
                        && reachable[below as usize]
                        && dominates_by_definition(&graph, 0, above, below);
                    assert_eq!(
                        tree.dominates(above, below),
                        expected,
                        "{edges:?}: {above} over {below}"
                    );
                }
                if let Some(idom) = tree.idom(above) {
                    assert!(tree.dominates(idom, above) && idom != above);
                    assert!(nodes(count).all(|other| {
                        other == above
                            || !tree.dominates(other, above)
                            || tree.dominates(other, idom)
                    }));
                }
            }
        }
    }

    #[test]
    fn a_deep_graph_needs_no_stack_and_little_time() {
        let count = 200_000u32;
        let mut edges: Vec<_> = (1..count).map(|node| (node - 1, node)).collect();
        edges.extend((1..count).map(|node| (node, node - 1)));
        let graph = Graph::new(count as usize, &edges);
        let tree = DomTree::new(&graph, 0);
        assert!(tree.dominates(count / 2, count - 1));
        assert_eq!(graph.postorder(0).len(), count as usize);
    }

    #[test]
    fn postorder_puts_every_node_after_its_descendants() {
        let graph = Graph::new(4, &[(0, 1), (0, 2), (1, 3), (2, 3)]);
        assert_eq!(graph.postorder(0), [3, 1, 2, 0]);
    }
}
