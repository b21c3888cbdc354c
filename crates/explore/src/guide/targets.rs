//! Distances to the edges that no run has taken, kept up while runs take them.
//!
//! Must hold: [`Targets::on_path`] is told of every path; a run costs its edges and what lay nearest to those that it
//! took first. Distances never fall.

use program::callgraph::CallGraph;
use program::flow::{Node, NodeId as Position};
use program::icfg::{Distances, Icfg};
use program::{EdgeId, Program};

use super::wanted::wanted_edges;
use crate::view::{NewPath, View};
use path::StackId;

/// Callers that are looked at.
const CALLERS: usize = 64;

/// The distance from each edge to the nearest edge that no run has taken.
pub(crate) struct Targets {
    icfg: Icfg,
    distances: Distances,
    /// Distances to the ends of functions, when ways return to the callers that are there.
    returns: Option<Distances>,
}

impl Targets {
    /// Every edge that is worth reaching is a target. Ways return to the callers that are there, or to any.
    pub(crate) fn new(program: &Program, own_callers: bool) -> Targets {
        let icfg = Icfg::new(program, &CallGraph::new(program));
        let wanted = wanted_edges(program);
        let distances = match own_callers {
            true => Distances::before_return(&icfg, wanted),
            false => Distances::to(&icfg, wanted),
        };
        let returns = own_callers.then(|| Distances::to_return(&icfg));
        Targets {
            icfg,
            distances,
            returns,
        }
    }

    /// Do distances depend on the callers that are there?
    pub(crate) fn own_callers(&self) -> bool {
        self.returns.is_some()
    }

    /// What the path took is no target any more.
    pub(crate) fn on_path(&mut self, path: &NewPath<'_>) {
        for &(edge, _) in path.edges {
            self.remove(edge);
        }
    }

    /// The edge is no target any more.
    pub(crate) fn remove(&mut self, edge: EdgeId) {
        self.distances.remove(&self.icfg, edge);
    }

    /// No run takes these edges: they are no targets, and no way goes over them.
    pub(crate) fn on_dead(&mut self, edges: &[EdgeId]) {
        self.distances.close(&self.icfg, edges);
        if let Some(returns) = &mut self.returns {
            returns.close(&self.icfg, edges);
        }
    }

    /// Branches to be taken from an edge on to one that no run has taken; `None` when there is none. The functions on the
    /// stack are those below that of the edge.
    pub(crate) fn distance(
        &self,
        view: &View<'_>,
        edge: EdgeId,
        stack: Option<StackId>,
    ) -> Option<u32> {
        let (distance, _) = self.way(view, edge, stack)?;
        Some(distance)
    }

    /// The edge to which that distance is.
    pub(crate) fn nearest(
        &self,
        view: &View<'_>,
        edge: EdgeId,
        stack: Option<StackId>,
    ) -> Option<EdgeId> {
        let (_, from) = self.way(view, edge, stack)?;
        let target = self.distances.target_of(from)?;
        match self.icfg.nodes()[target] {
            Node::Edge(edge) => Some(edge),
            Node::Part { .. } => None,
        }
    }

    /// The distance, and the position from which no function returns any more.
    fn way(
        &self,
        view: &View<'_>,
        edge: EdgeId,
        mut stack: Option<StackId>,
    ) -> Option<(u32, Position)> {
        let mut at = self.icfg.node_of(edge)?;
        let mut best = self.distances.of(at).map(|distance| (distance, at));
        let (Some(returns), Some(relevant)) = (&self.returns, view.relevant) else {
            return best;
        };
        let mut passed = 0;
        for _ in 0..CALLERS {
            let back = returns.of(at);
            let caller = stack.and_then(|stack| relevant.top(stack));
            let (Some(back), Some((position, below))) = (back, caller) else {
                break;
            };
            passed += back;
            (at, stack) = (position, Some(below));
            if let Some(distance) = self.distances.of(at)
                && best.is_none_or(|(least, _)| passed + distance < least)
            {
                best = Some((passed + distance, at));
            }
        }
        best
    }
}
