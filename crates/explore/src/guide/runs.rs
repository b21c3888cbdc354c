//! The paths of all runs, kept as their ends: four bytes for each run.

use crate::rng::Rng;
use crate::view::NewPath;
use path::{NodeId, Tree};

/// The last node of each run.
#[derive(Debug, Default)]
pub(crate) struct Runs {
    ends: Vec<NodeId>,
}

impl Runs {
    pub(crate) fn add(&mut self, path: &NewPath<'_>) {
        self.ends.extend(path.nodes.last());
    }

    /// The nodes of a path drawn at random, from the root; empty when there was no run.
    pub(crate) fn random_path(&self, tree: &Tree, rng: &mut Rng) -> Vec<NodeId> {
        if self.ends.is_empty() {
            return Vec::new();
        }
        let end = self.ends[rng.below(self.ends.len())];
        let up = |node: &NodeId| tree.parent(*node).map(|parent| parent.node);
        let mut nodes: Vec<NodeId> = std::iter::successors(Some(end), up).collect();
        nodes.reverse();
        nodes
    }

    pub(crate) fn bytes(&self) -> usize {
        self.ends.capacity() * size_of::<NodeId>()
    }
}
