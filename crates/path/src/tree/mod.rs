//! The execution tree: every path that was run, with their common prefixes shared.
//!
//! A node is a decision: a place on a path where something symbolic chose. What lies between two decisions,
//! concrete edges, calls and returns, is kept in shared segments, because contexts need the whole path. A path ends
//! in a node of kind [`Kind::End`].
//!
//! Must hold:
//! - a node is [`NODE_BYTES`] long, and adding a path costs its new part beyond walking the shared one;
//! - a node's parent is older than the node; the nodes that a run made have consecutive numbers;
//! - the conditions from the root to a node hold under the input of the run that made it;
//! - a side that was taken stays taken; a side that is not open never becomes open again, unless its job was lost or
//!   what dropped it was wrong.
//!
//! Programs need not be deterministic and symbolism can be lost, so one side may lead to several *alternatives*:
//! runs that agree in every decision so far and still differ. They are counted in [`Tree::forks`].

mod condition;
mod insert;
mod node;
mod segment;
#[cfg(test)]
mod tests;
mod walk;

use program::{EdgeId, Program, SiteId, SpotId};
use smt::Term;

pub use condition::{PathCondition, condition};
pub use insert::Inserted;
pub use node::{Kind, NODE_BYTES, Side};
pub use segment::{Concrete, SegmentId};
pub use walk::Cursor;

use crate::hash::HashTable;
use node::{Node, Slot};
use segment::Segments;

program::entity!(
    /// A decision on a path, or a path's end.
    NodeId, "node"
);
program::entity!(
    /// A run that was added to the tree.
    RunId, "run"
);

/// A side of a decision that could be taken next.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Candidate {
    pub node: NodeId,
    pub side: u32,
}

/// How many sides are in which state.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// Open sides of branches, selects, switches and library decisions.
    pub open: u64,
    /// Open sides of pins and checks.
    pub open_aside: u64,
    /// Open sides of assumptions that failed.
    pub open_assume: u64,
    /// Sides that a job is looking into.
    pub selected: u64,
    pub unsat: u64,
    pub unknown: u64,
    pub diverged: u64,
    /// Dropped by path filtering.
    pub irrelevant: u64,
    /// Put off, to be tried when nothing else is left.
    pub deferred: u64,
}

/// The execution tree.
#[derive(Debug, Default)]
pub struct Tree {
    nodes: Vec<Node>,
    /// Sides of switches.
    wide: Vec<Slot>,
    root: Option<NodeId>,
    /// For the first child of a side, its alternatives.
    alternatives: HashTable<Vec<NodeId>>,
    segments: Segments,
    /// First node that each run made.
    starts: Vec<u32>,
    counts: Counts,
    /// For each edge, by number, its open sides; `None` where no node has the edge's site.
    open: Vec<Option<u32>>,
    forks: u64,
    contradictions: u64,
    /// Nodes of the path that was added last.
    path: Vec<NodeId>,
    buffer: Vec<u32>,
}

impl Tree {
    #[must_use]
    pub fn new() -> Tree {
        Tree::default()
    }

    /// Number of nodes, ends of paths included.
    #[must_use]
    pub fn len(&self) -> usize {
        self.nodes.len()
    }

    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.nodes.is_empty()
    }

    /// Number of runs added.
    #[must_use]
    pub fn runs(&self) -> usize {
        self.starts.len()
    }

    #[must_use]
    pub fn counts(&self) -> Counts {
        self.counts
    }

    /// Times that a run left a known path without a decision: the program is not deterministic, or symbolism was lost.
    #[must_use]
    pub fn forks(&self) -> u64 {
        self.forks
    }

    /// Times that a run took a side that the solver had called unsatisfiable: the expressions do not say all.
    #[must_use]
    pub fn contradictions(&self) -> u64 {
        self.contradictions
    }

    /// The nodes of the path that was added last, from the root to its end.
    #[must_use]
    pub fn last_path(&self) -> &[NodeId] {
        &self.path
    }

    #[must_use]
    pub fn kind(&self, node: NodeId) -> Kind {
        self.at(node).kind()
    }

    /// Decisions before this one on its path.
    #[must_use]
    pub fn depth(&self, node: NodeId) -> u32 {
        self.at(node).depth
    }

    /// What decides: see [`crate::Cond`]. Of a constraint, the term that is true on side 1, as it was first recorded. Of an end, `None`.
    #[must_use]
    pub fn term(&self, node: NodeId) -> Option<Term> {
        let this = self.at(node);
        (this.kind() != Kind::End).then_some(this.term)
    }

    /// The decision before and its side that leads here.
    #[must_use]
    pub fn parent(&self, node: NodeId) -> Option<Candidate> {
        let this = self.at(node);
        this.parent().map(|node| Candidate {
            node,
            side: this.parent_side(),
        })
    }

    /// Number of sides; an end has none.
    #[must_use]
    pub fn sides(&self, node: NodeId) -> u32 {
        self.at(node).sides()
    }

    /// State of a side.
    #[must_use]
    pub fn side(&self, candidate: Candidate) -> Side {
        self.slot(candidate).side()
    }

    /// Is the side there to be taken next?
    #[must_use]
    pub fn is_open(&self, candidate: Candidate) -> bool {
        candidate.node.index() < self.nodes.len()
            && candidate.side < self.sides(candidate.node)
            && self.side(candidate) == Side::Open
    }

    /// The open sides of a node.
    pub fn open_sides(&self, node: NodeId) -> impl Iterator<Item = Candidate> + '_ {
        (0..self.sides(node))
            .map(move |side| Candidate { node, side })
            .filter(|&candidate| self.is_open(candidate))
    }

    /// The open sides of a node that strategies choose from: none of a pin, a check or an assumption.
    pub fn candidates(&self, node: NodeId) -> impl Iterator<Item = Candidate> + '_ {
        self.kind(node)
            .for_strategies()
            .then(|| self.open_sides(node))
            .into_iter()
            .flatten()
    }

    /// The edge of a side; constraints and ends have none.
    #[must_use]
    pub fn edge(&self, candidate: Candidate) -> Option<EdgeId> {
        let node = self.at(candidate.node);
        node.kind()
            .is_branch()
            .then(|| EdgeId::from_u32(node.place + candidate.side))
    }

    /// The site of a branch, select or switch.
    #[must_use]
    pub fn site(&self, program: &Program, node: NodeId) -> Option<SiteId> {
        self.edge(Candidate { node, side: 0 })
            .map(|edge| program.edges[edge].site)
    }

    /// Where a constraint was recorded.
    #[must_use]
    pub fn spot(&self, node: NodeId) -> Option<SpotId> {
        let this = self.at(node);
        this.kind()
            .is_constraint()
            .then(|| SpotId::from_u32(this.place))
    }

    /// Open sides of this edge; `None` if something symbolic never decided its site.
    #[must_use]
    pub fn open_of(&self, edge: EdgeId) -> Option<u32> {
        self.open.get(edge.index()).copied().flatten()
    }

    /// The first run whose path has the node: its input satisfies every condition before the node.
    ///
    /// # Panics
    /// When the node is not of this tree.
    #[must_use]
    pub fn maker(&self, node: NodeId) -> RunId {
        let after = self
            .starts
            .partition_point(|&start| start as usize <= node.index());
        RunId::from_u32(u32::try_from(after - 1).expect("fewer than 2^32 runs"))
    }

    /// The nodes that a side leads to: none, one, or several alternatives.
    pub fn children(&self, candidate: Candidate) -> impl Iterator<Item = NodeId> + '_ {
        let first = self.slot(candidate).child();
        first.into_iter().chain(
            first
                .into_iter()
                .flat_map(|first| self.others(first).iter().copied()),
        )
    }

    /// Changes the state of a side that was not taken.
    ///
    /// # Panics
    /// When it has been taken, or `to` is [`Side::Taken`]: only a run takes a side.
    pub fn set(&mut self, candidate: Candidate, to: Side) {
        let from = self.side(candidate);
        assert!(
            !matches!(from, Side::Taken(_)),
            "{} side {} has been taken",
            candidate.node,
            candidate.side
        );
        self.put(candidate, Slot::of(to));
    }

    /// Bytes that the tree takes.
    #[must_use]
    pub fn bytes(&self) -> usize {
        self.nodes.capacity() * size_of::<Node>()
            + self.wide.capacity() * size_of::<Slot>()
            + self.segments.bytes()
            + self.alternatives.capacity() * 40
            + self.open.capacity() * size_of::<Option<u32>>()
            + (self.starts.capacity() + self.path.capacity() + self.buffer.capacity()) * 4
    }

    /// Every term in the tree, to mark what a pool must keep.
    pub fn terms(&self) -> impl Iterator<Item = Term> + '_ {
        self.nodes.iter().map(|node| node.term)
    }

    /// Renames every term, after the pool was compacted.
    pub fn rename_terms(&mut self, mut rename: impl FnMut(Term) -> Term) {
        for node in &mut self.nodes {
            node.term = rename(node.term);
        }
    }

    fn at(&self, node: NodeId) -> &Node {
        &self.nodes[node.index()]
    }

    fn others(&self, first: NodeId) -> &[NodeId] {
        if self.at(first).has_others() {
            self.alternatives
                .get(&u64::from(first.as_u32()))
                .map_or(&[], Vec::as_slice)
        } else {
            &[]
        }
    }

    fn slot(&self, candidate: Candidate) -> Slot {
        let node = self.at(candidate.node);
        assert!(
            candidate.side < node.sides(),
            "{} has no side {}",
            candidate.node,
            candidate.side
        );
        if node.kind() == Kind::Switch {
            self.wide[node.slots[0].raw() as usize + candidate.side as usize]
        } else {
            node.slots[candidate.side as usize]
        }
    }

    fn put(&mut self, candidate: Candidate, slot: Slot) {
        let kind = self.kind(candidate.node);
        let old = self.slot(candidate).side();
        if kind.is_branch() {
            let edge = self.at(candidate.node).place + candidate.side;
            let open = self.open[edge as usize].get_or_insert_default();
            let is_left = |side| matches!(side, Side::Open | Side::Deferred);
            *open -= u32::from(is_left(old));
            *open += u32::from(is_left(slot.side()));
        }
        if let Some(count) = self.counts.of(kind, old) {
            *count -= 1;
        }
        if let Some(count) = self.counts.of(kind, slot.side()) {
            *count += 1;
        }
        if kind == Kind::Switch {
            let first = self.at(candidate.node).slots[0].raw() as usize;
            self.wide[first + candidate.side as usize] = slot;
        } else {
            self.nodes[candidate.node.index()].slots[candidate.side as usize] = slot;
        }
    }
}

impl Counts {
    fn of(&mut self, kind: Kind, side: Side) -> Option<&mut u64> {
        match side {
            Side::Open if kind == Kind::Assume => Some(&mut self.open_assume),
            Side::Open if kind.for_strategies() => Some(&mut self.open),
            Side::Open => Some(&mut self.open_aside),
            Side::Selected => Some(&mut self.selected),
            Side::Unsat => Some(&mut self.unsat),
            Side::Unknown => Some(&mut self.unknown),
            Side::Diverged => Some(&mut self.diverged),
            Side::Irrelevant => Some(&mut self.irrelevant),
            Side::Deferred => Some(&mut self.deferred),
            Side::Closed | Side::Taken(_) => None,
        }
    }

    /// Sides that are open, whatever their kind, and those that are put off.
    #[must_use]
    pub fn all_open(&self) -> u64 {
        self.open + self.open_aside + self.open_assume + self.deferred
    }
}
