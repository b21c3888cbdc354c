//! Which subtrees of the execution tree still have candidates, for strategies that walk it from the root.
//!
//! Must hold: a node is alive when it has a candidate or leads to a node that is; a step of [`Living::walk`] is a
//! choice between at least two sides that are alive, or the end of the walk. Chains of nodes with one such side are
//! remembered and skipped, so that walks do not get slower as the tree fills up. Five bytes for each node.

use crate::view::{NewPath, View};
use path::tree::Side;
use path::{Candidate, NodeId, Tree};

/// For each node of the tree: whether a candidate is left in its subtree.
#[derive(Debug, Default)]
pub(crate) struct Living {
    dead: Vec<bool>,
    /// A node further down that every walk through this one comes to, or the node itself.
    skip: Vec<u32>,
}

impl Living {
    pub(crate) fn on_path(&mut self, view: &View<'_>, path: &NewPath<'_>) {
        let known = self.skip.len() as u32;
        self.dead.resize(view.tree.len(), false);
        self.skip.extend(known..view.tree.len() as u32);
        for &node in path.new_nodes().iter().rev() {
            self.dead[node.index()] = !self.has_living_side(view.tree, node);
        }
        let first = path.new_nodes().first();
        if first.is_some_and(|first| !self.dead[first.index()]) {
            // What was thought to be dead may have got a new branch, where a run went astray.
            let mut above = path.nodes[..path.known].iter().rev();
            while let Some(&node) = above.next()
                && (self.dead[node.index()] || self.skip[node.index()] != node.as_u32())
            {
                self.dead[node.index()] = false;
                self.skip[node.index()] = node.as_u32();
            }
        }
    }

    /// A candidate is not open any more, or open again.
    pub(crate) fn on_result(&mut self, tree: &Tree, candidate: Candidate) {
        let mut at = Some(candidate.node);
        while let Some(node) = at
            && node.index() < self.dead.len()
        {
            let dead = !self.has_living_side(tree, node);
            if dead == self.dead[node.index()] && (dead || node != candidate.node) {
                return;
            }
            if !dead {
                self.skip[node.index()] = node.as_u32();
            }
            self.dead[node.index()] = dead;
            at = tree.parent(node).map(|parent| parent.node);
        }
    }

    /// Walks down from a node, asking `choose` for the index of one of at least two sides that are alive, to a
    /// candidate. `None`: nothing below is alive.
    pub(crate) fn walk(
        &mut self,
        tree: &Tree,
        from: NodeId,
        mut choose: impl FnMut(&[Candidate]) -> usize,
    ) -> Option<Candidate> {
        let mut at = from;
        let mut sides = Vec::new();
        let mut chain = Vec::new();
        loop {
            at = NodeId::from_u32(self.skip[at.index()]);
            sides.clear();
            sides.extend(self.living_sides(tree, at));
            let side = match sides.len() {
                0 => return None,
                1 => sides[0],
                _ => {
                    self.compress(&mut chain, at);
                    sides[choose(&sides)]
                }
            };
            if tree.is_open(side) {
                self.compress(&mut chain, at);
                return Some(side);
            }
            if sides.len() == 1 {
                chain.push(at);
            }
            at = self.living_child(tree, side)?;
        }
    }

    pub(crate) fn bytes(&self) -> usize {
        self.dead.capacity() + self.skip.capacity() * 4
    }

    fn compress(&mut self, chain: &mut Vec<NodeId>, to: NodeId) {
        for node in chain.drain(..) {
            self.skip[node.index()] = to.as_u32();
        }
    }

    fn living_sides<'a>(
        &'a self,
        tree: &'a Tree,
        node: NodeId,
    ) -> impl Iterator<Item = Candidate> + 'a {
        (0..tree.sides(node))
            .map(move |side| Candidate { node, side })
            .filter(move |&side| self.is_living(tree, side))
    }

    fn has_living_side(&self, tree: &Tree, node: NodeId) -> bool {
        self.living_sides(tree, node).next().is_some()
    }

    fn is_living(&self, tree: &Tree, side: Candidate) -> bool {
        match tree.side(side) {
            Side::Open => tree.kind(side.node).for_strategies(),
            Side::Taken(_) => self.living_child(tree, side).is_some(),
            _ => false,
        }
    }

    fn living_child(&self, tree: &Tree, side: Candidate) -> Option<NodeId> {
        tree.children(side)
            .find(|child| self.dead.get(child.index()) == Some(&false))
    }
}
