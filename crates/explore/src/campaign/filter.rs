//! Path filtering: candidates that can cover nothing new are not offered. See [`crate::relevant`].
//!
//! Must hold: what is dropped is not open in the tree, so that no source sees it; a candidate is asked about
//! when it is new and when it is picked, and dropped at most once.

use super::Campaign;
use super::deferred::Deferred;
use crate::relevant::{droppable, dropped, may_be_dropped};
use path::tree::Side;
use path::{Candidate, NodeId};

impl Campaign<'_> {
    /// Puts off most of what a long path brought. Comes before anybody sees the path.
    pub(super) fn put_off(&mut self, known: usize) {
        let path = self.tree.last_path();
        for side in Deferred::choose(&self.tree, path, known, &self.edge_hits) {
            self.tree.set(side, Side::Deferred);
        }
    }

    /// Offers some of what was put off; says whether there was any that may cover something.
    pub(super) fn wake_deferred(&mut self) -> bool {
        loop {
            let woken = self.deferred.wake(&self.tree);
            if woken.is_empty() {
                return false;
            }
            let mut any = false;
            for side in woken {
                let offered = self.is_offered(side);
                let state = if offered {
                    Side::Open
                } else {
                    Side::Irrelevant
                };
                self.tree.set(side, state);
                if offered {
                    any = true;
                    self.reopened(side);
                }
            }
            if any {
                return true;
            }
        }
    }

    /// Drops what a path brought that no input takes, or that can cover nothing. Comes before anybody sees the path.
    pub(super) fn filter_new(&mut self, nodes: &[NodeId]) {
        self.drop_dead(nodes.iter().copied());
        if !self.config.path_filter {
            return;
        }
        let sides = nodes.iter().flat_map(|&node| droppable(&self.tree, node));
        let irrelevant: Vec<Candidate> = sides
            .filter(|&side| !self.relevant.is_relevant(&self.tree, side))
            .collect();
        for side in irrelevant {
            self.tree.set(side, Side::Irrelevant);
        }
    }

    /// Drops open sides that no input takes.
    pub(super) fn drop_dead(&mut self, nodes: impl Iterator<Item = NodeId>) {
        let open = nodes.flat_map(|node| self.tree.open_sides(node));
        let is_dead = |side: &Candidate| self.tree.edge(*side).is_some_and(|edge| self.dead[edge]);
        let dead: Vec<Candidate> = open.filter(is_dead).collect();
        for side in dead {
            self.tree.set(side, Side::Unsat);
        }
    }

    /// What was dropped may be relevant after all: it is open again.
    pub(super) fn reopen_dropped(&mut self) {
        for side in dropped(&self.tree) {
            self.tree.set(side, Side::Open);
            self.reopened(side);
        }
    }

    fn is_offered(&self, candidate: Candidate) -> bool {
        !self.config.path_filter
            || !may_be_dropped(self.tree.kind(candidate.node))
            || self.relevant.is_relevant(&self.tree, candidate)
    }
}
