//! Distances to the edges that no run has taken, kept up while runs take them; or to those where the criterion has something
//! to gain, whether runs took them or not.
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

/// Which ways count.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Reach {
    /// Into calls, and back to any caller.
    Any,
    /// Into calls, and back to the callers that are there.
    Own,
    /// Inside one function; calls are stepped over.
    Inside,
}

/// What is worth reaching.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Aim {
    /// Edges that no run has taken.
    Edges,
    /// Edges at which something is still to be gained for the criterion.
    Goals,
}

impl Aim {
    /// A number that grows when a run covers something that is aimed at.
    pub(crate) fn progress(self, view: &View<'_>) -> u64 {
        match (self, view.relevant) {
            (Aim::Goals, Some(relevant)) => relevant.epoch(),
            _ => view.edges_taken as u64,
        }
    }
}

/// The distance from each edge to the nearest edge that no run has taken.
pub(crate) struct Targets {
    icfg: Icfg,
    distances: Distances,
    /// Distances to the ends of functions, when ways return to the callers that are there.
    returns: Option<Distances>,
    aim: Aim,
    /// With [`Aim::Goals`], the targets that are left, and when they were looked at.
    left: Vec<EdgeId>,
    epoch: Option<u64>,
}

impl Targets {
    /// Every edge that is worth reaching is a target.
    pub(crate) fn new(program: &Program, reach: Reach, aim: Aim) -> Targets {
        let icfg = Icfg::new(program, &CallGraph::new(program));
        let wanted = wanted_edges(program);
        let left = match aim {
            Aim::Edges => Vec::new(),
            Aim::Goals => wanted.clone(),
        };
        let distances = match reach {
            Reach::Own => Distances::before_return(&icfg, wanted),
            Reach::Any => Distances::to(&icfg, wanted),
            Reach::Inside => Distances::inside(&icfg, wanted),
        };
        let returns = (reach == Reach::Own).then(|| Distances::to_return(&icfg));
        Targets {
            icfg,
            distances,
            returns,
            aim,
            left,
            epoch: None,
        }
    }

    /// Do distances depend on the callers that are there?
    pub(crate) fn own_callers(&self) -> bool {
        self.returns.is_some()
    }

    /// What the path took, or left nothing to gain at, is no target any more.
    pub(crate) fn on_path(&mut self, view: &View<'_>, path: &NewPath<'_>) {
        let relevant = view.relevant.filter(|_| self.aim == Aim::Goals);
        let Some(relevant) = relevant else {
            for &(edge, _) in path.edges {
                self.remove(edge);
            }
            return;
        };
        if self.epoch.replace(relevant.epoch()) == Some(relevant.epoch()) {
            return;
        }
        let (icfg, distances) = (&self.icfg, &mut self.distances);
        self.left.retain(|&edge| {
            let stays = relevant.gains_at(edge);
            if !stays {
                distances.remove(icfg, edge);
            }
            stays
        });
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

#[cfg(test)]
mod tests {
    use super::*;

    /// Edges 0 and 1 of `main`; the way over 1 leads to a call of `far`, which has 4 and 5, then to 2 and 3. Over calls the way to 2
    /// goes through `far`, one branch more, or over the call: the graph has both.
    #[test]
    fn inside_a_function_calls_are_stepped_over() {
        let text = "fn @main() {
              block0: br undef, block1, block2
              block1: call @far() br undef, block2, block2
              block2: ret
            }
            fn @far() { block0: br undef, block1, block1 block1: ret }";
        let program = program::text::sample(text);
        let icfg = Icfg::new(&program, &CallGraph::new(&program));
        let of = |distances: &Distances, edge| distances.of_edge(EdgeId::from_u32(edge));
        let edge = |number| [EdgeId::from_u32(number)];
        let (over, inside) = (
            Distances::to(&icfg, edge(4)),
            Distances::inside(&icfg, edge(4)),
        );
        assert_eq!((of(&over, 1), of(&inside, 1)), (Some(1), None));
        let (over, inside) = (
            Distances::to(&icfg, edge(2)),
            Distances::inside(&icfg, edge(2)),
        );
        assert_eq!((of(&over, 1), of(&inside, 1)), (Some(1), Some(1)));
    }
}
