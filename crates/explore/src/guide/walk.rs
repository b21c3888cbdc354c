//! A walk through the execution tree that a run at a time makes longer, for strategies that decide side by side.
//!
//! It goes down from the root. Where the side that was chosen was never run, it is picked; when its run is there, the walk
//! goes on behind it in the new path, and starts again at the root when that ends. A side for which there is no input
//! leaves the walk where it is.
//!
//! Must hold: what is picked is open; sides below which everything was tried are never offered.

use super::living::Living;
use crate::view::{NewPath, Verdict, View};
use path::{Candidate, NodeId};

/// The position of a walk through the tree.
#[derive(Debug, Default)]
pub(crate) struct Walk {
    living: Living,
    root: Option<NodeId>,
    /// Where it goes on.
    at: Option<NodeId>,
    picked: Option<Candidate>,
    /// Times that it started at the root.
    starts: u64,
}

impl Walk {
    pub(crate) fn on_path(&mut self, view: &View<'_>, path: &NewPath<'_>) {
        self.living.on_path(view, path);
        self.root = self.root.or(path.nodes.first().copied());
        if let Some(picked) = self.picked.take() {
            let behind = view.tree.depth(picked.node) as usize + 1;
            self.at = path.nodes.get(behind).copied();
        }
    }

    /// The next candidate; `choose` gives the index of one of at least two sides.
    pub(crate) fn pick(
        &mut self,
        view: &View<'_>,
        mut choose: impl FnMut(&[Candidate]) -> usize,
    ) -> Option<Candidate> {
        let here = self.at.take();
        let from_here = here.and_then(|at| self.living.walk(view.tree, at, &mut choose));
        let found = from_here.or_else(|| {
            self.starts += 1;
            self.living.walk(view.tree, self.root?, &mut choose)
        });
        self.picked = found;
        found
    }

    pub(crate) fn on_result(&mut self, view: &View<'_>, candidate: Candidate, verdict: Verdict) {
        self.living.on_result(view.tree, candidate);
        if verdict != Verdict::Taken && self.picked == Some(candidate) {
            self.picked = None;
            self.at = Some(candidate.node);
        }
    }

    pub(crate) fn phase(&self) -> String {
        format!("{} walks from the root", self.starts)
    }

    pub(crate) fn bytes(&self) -> usize {
        self.living.bytes()
    }
}
