//! Distances to the edges that no run has taken, kept up while runs take them.
//!
//! Must hold: [`Targets::on_path`] is told of every path; a run costs its edges and what lay nearest to those that it
//! took first. Distances never fall.

use program::callgraph::CallGraph;
use program::icfg::{Distances, Icfg};
use program::{EdgeId, Program};

use super::wanted_edges;
use crate::strategy::NewPath;

/// See the module.
pub(crate) struct Targets {
    icfg: Icfg,
    distances: Distances,
}

impl Targets {
    /// Every edge that is worth reaching is a target.
    pub(crate) fn new(program: &Program) -> Targets {
        let icfg = Icfg::new(program, &CallGraph::new(program));
        let distances = Distances::to(&icfg, wanted_edges(program));
        Targets { icfg, distances }
    }

    /// What the path took is no target any more.
    pub(crate) fn on_path(&mut self, path: &NewPath<'_>) {
        for &(edge, _) in path.edges {
            self.distances.remove(&self.icfg, edge);
        }
    }

    /// Branches to be taken from an edge on to one that no run has taken; `None` when there is none.
    pub(crate) fn distance(&self, edge: EdgeId) -> Option<u32> {
        self.distances.of_edge(edge)
    }
}
