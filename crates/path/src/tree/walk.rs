//! Walking a path backwards from a node, step by step: what contexts are made of.
//!
//! Must hold: the steps are those of every path through the node, latest first; each costs constant time (the logarithm of
//! a long segment's parts in one, and one more look-up for each constraint passed).

use program::EdgeId;

use super::segment::Concrete;
use super::{Candidate, NodeId, Tree};

/// A place on the path to a node.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Cursor {
    node: NodeId,
    /// Steps of the node's segment that are still before the cursor.
    left: u32,
}

impl Tree {
    /// The place right before a decision.
    #[must_use]
    pub fn cursor(&self, node: NodeId) -> Cursor {
        Cursor {
            node,
            left: self.segments.len_of(self.at(node).segment),
        }
    }

    /// The step before the cursor, decided edges included; moves the cursor before it. `None` at the path's start.
    pub fn back(&self, cursor: &mut Cursor) -> Option<Concrete> {
        loop {
            if cursor.left > 0 {
                cursor.left -= 1;
                let segment = self.at(cursor.node).segment;
                return Some(self.segments.word(segment, cursor.left).unpack());
            }
            let edge = self.leave(cursor)?;
            if let Some(edge) = edge {
                return Some(Concrete::Edge(edge));
            }
        }
    }

    /// The edge before the cursor, whatever lies between; moves the cursor before it.
    pub fn edge_back(&self, cursor: &mut Cursor) -> Option<EdgeId> {
        loop {
            let segment = self.at(cursor.node).segment;
            if let Some((left, edge)) = self.segments.edge_before(segment, cursor.left) {
                cursor.left = left;
                return Some(edge);
            }
            if let Some(edge) = self.leave(cursor)? {
                return Some(edge);
            }
        }
    }

    /// Moves before the parent's decision: its edge, or `None` if it is a constraint.
    fn leave(&self, cursor: &mut Cursor) -> Option<Option<EdgeId>> {
        let this = self.at(cursor.node);
        let parent = this.parent()?;
        let edge = self.edge(Candidate {
            node: parent,
            side: this.parent_side(),
        });
        *cursor = self.cursor(parent);
        Some(edge)
    }
}
