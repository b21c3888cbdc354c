//! What strategies see, and what they are asked: the vocabulary of [`crate::strategy`] and of its parts in [`crate::guide`].

use path::{Candidate, NodeId, Outcome, RunId, Tree};
use program::{EdgeId, Program, SecondaryMap};

use crate::guide::distance::Nearness;
use crate::relevant::Relevant;
use crate::rng::Rng;

/// What strategies see.
#[derive(Clone, Copy, Debug)]
pub struct View<'a> {
    pub program: &'a Program,
    pub tree: &'a Tree,
    /// How often each edge was taken, over all runs.
    pub edge_hits: &'a SecondaryMap<EdgeId, u64>,
    /// Edges that were taken at all.
    pub edges_taken: usize,
    /// What candidates may still cover, whatever the criterion.
    pub relevant: Option<&'a Relevant>,
}

/// A path that was added to the tree.
#[derive(Clone, Copy, Debug)]
pub struct NewPath<'a> {
    pub run: RunId,
    /// Its nodes, from the root to its end.
    pub nodes: &'a [NodeId],
    /// How many of them were there before.
    pub known: usize,
    /// How often it took each edge; every edge once.
    pub edges: &'a [(EdgeId, u64)],
    /// How the run ended.
    pub outcome: Outcome,
    /// How near it was to what it did not do.
    pub near: &'a dyn Nearness,
}

impl<'a> NewPath<'a> {
    /// The nodes that it added.
    #[must_use]
    pub fn new_nodes(&self) -> &'a [NodeId] {
        &self.nodes[self.known..]
    }
}

/// What became of a pick.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Verdict {
    /// The run took the side.
    Taken,
    /// No input takes it.
    Unsat,
    /// The solver gave up.
    Unknown,
    /// The run went elsewhere.
    Diverged,
    /// The job was lost; the side is open again.
    Lost,
    /// It was not tried: nothing that is open can be covered behind it.
    Irrelevant,
}

/// What a strategy wants done next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Pick {
    /// Find an input that takes an open side, and run it.
    Side(Candidate),
    /// Find an input that takes a side that was taken before, from the input of this run, and run it.
    Again { side: Candidate, run: RunId },
    /// Run an input that is drawn at random.
    Draw,
}

/// Chooses what to try next.
pub trait Strategy: Send {
    /// A path was added; its new nodes may have candidates. Comes before [`Strategy::on_result`] of the same job.
    fn on_path(&mut self, view: &View<'_>, path: &NewPath<'_>);

    /// The next candidate: one that is open. `None`: nothing to offer now.
    fn pick(&mut self, view: &View<'_>, rng: &mut Rng) -> Option<Candidate>;

    /// What it wants done next; a side, unless it draws inputs.
    fn next(&mut self, view: &View<'_>, rng: &mut Rng) -> Option<Pick> {
        self.pick(view, rng).map(Pick::Side)
    }

    /// Is nothing to be tried but what it wants? No checks, no pins, and not the rest of the tree when it has nothing left.
    fn is_alone(&self) -> bool {
        false
    }

    /// What became of a candidate, whoever picked it.
    fn on_result(&mut self, _view: &View<'_>, _candidate: Candidate, _verdict: Verdict) {}

    /// No run takes these edges: there are proofs.
    fn on_dead(&mut self, _edges: &[EdgeId]) {}

    /// Where it is, for the progress line.
    fn phase(&self) -> String {
        String::new()
    }

    /// Bytes that it takes.
    fn bytes(&self) -> usize;
}

/// Draws from a list what is still open. Each candidate leaves the list once, so the cost is constant over time.
pub(crate) fn draw(list: &mut Vec<Candidate>, view: &View<'_>, rng: &mut Rng) -> Option<Candidate> {
    while !list.is_empty() {
        let candidate = list.swap_remove(rng.below(list.len()));
        if view.tree.is_open(candidate) {
            return Some(candidate);
        }
    }
    None
}
