//! Which candidates can still cover something: path filtering (Su et al., `papers/caut-pps.txt`, Algorithm 2), and what
//! predictive search asks.
//!
//! A candidate is *irrelevant*, and nobody is offered it, when no open goal is touched by what may run after its side was
//! taken: [`coverage::Relevance`] says what touches a goal, [`program::following`] what may run. A candidate that is
//! irrelevant stays so, because coverage only grows; one that was not is looked at again when it comes up (not the whole
//! pool after each run that covers something: each candidate is dropped once, so this is paid for).
//!
//! Where this differs from the paper, and why. Lines 17 to 20 of Algorithm 2 call a path irrelevant when *some* node on
//! it is "covered, and its successors are". With successors as neighbours that loses goals that are two decisions away; with
//! successors as all that can be reached it is right (the node lies before the flipped side, so it reaches whatever the side
//! does), but weak, since nodes near the entry reach everything. What can be reached *from the flipped side on* is all
//! that matters, and it is less. The evaluations on the prefix were made by the run that the candidate comes from, so
//! they cover nothing new. The paper finds reachability over one graph of the unit; ours goes by the stack of the path
//! (returns go to the callers that are there), and also counts what may run at any time: handlers, threads, functions
//! that foreign code calls, and jumps back by `longjmp`.
//!
//! Must hold: path filtering never loses a goal. If a run enters a function where the graph has no call, the function is
//! taken for one that may run at any time, and what was dropped before is open again.

mod potential;

use coverage::relevance::Back;
use coverage::{GoalId, Goals, Ledger, Relevance, Touch};
use program::flow::{Node, NodeId as Position};
use program::following::{Following, Marks};
use program::{EdgeId, FuncId, Program, SecondaryMap};

use path::tree::{Concrete, Kind, Side};
use path::{Candidate, Frames, NodeId, StackId, Step, Tree};

/// Tells for a candidate whether it can still cover an open goal.
#[derive(Debug)]
pub struct Relevant {
    goals: Relevance,
    following: Following,
    marks: Marks,
    frames: Frames,
    /// No run passes there; they have no marks.
    closed: SecondaryMap<Position, bool>,
    anytime: Vec<FuncId>,
    /// An open goal may be touched whatever the path.
    always: bool,
    /// Changes whenever something may have become more or less relevant.
    epoch: u64,
}

impl Relevant {
    /// Every goal is open. `foreign`: see [`Following::new`].
    #[must_use]
    pub fn new(program: &Program, goals: &Goals, foreign: bool) -> Relevant {
        let following = Following::new(program, foreign);
        let relevance = Relevance::new(program, goals);
        let touches = goals.iter().flat_map(|(goal, _)| relevance.touches(goal));
        let marks = touches.filter_map(|touch| position(&following, *touch));
        let marks = Marks::new(&following, marks);
        let anytime = following.anytime().to_vec();
        let closed = SecondaryMap::for_map(following.icfg().nodes(), false);
        let mut relevant = Relevant {
            goals: relevance,
            following,
            marks,
            frames: Frames::default(),
            closed,
            anytime,
            always: true,
            epoch: 0,
        };
        relevant.look_at_anytime();
        relevant
    }

    fn look_at_anytime(&mut self) {
        let entries = self.anytime.iter();
        let mut entries = entries.filter_map(|&function| self.following.icfg().entry(function));
        self.always = self.following.is_boundless() || entries.any(|entry| self.marks.reach(entry));
    }

    /// Takes note of a path, whose last `new` nodes the tree did not have before. Says whether something that was irrelevant
    /// may be relevant.
    pub(crate) fn on_path(&mut self, program: &Program, steps: &[Step], new: usize) -> bool {
        self.frames.on_path(program, &self.following, steps, new);
        let mut unforeseen = self.frames.take_unforeseen();
        unforeseen.retain(|function| !self.anytime.contains(function));
        self.anytime.extend(&unforeseen);
        let before = self.always;
        self.look_at_anytime();
        !before && self.always
    }

    /// The search starts over, with an empty tree.
    pub(crate) fn start_over(&mut self) {
        self.frames = Frames::default();
    }

    /// These goals were covered.
    pub(crate) fn on_covered(&mut self, goals: &Goals, ledger: &Ledger, fresh: &[GoalId]) {
        let before = self.goals.evaluated();
        let closed = self.goals.update(goals, ledger, fresh);
        if closed.is_empty() {
            self.epoch += u64::from(self.goals.evaluated() != before);
            return;
        }
        for goal in closed {
            for touch in self.goals.touches(goal) {
                if let Some(node) = position(&self.following, *touch)
                    && !self.closed[node]
                {
                    self.marks.remove(node);
                }
            }
        }
        self.epoch += 1;
        self.look_at_anytime();
    }

    /// No run takes these edges: nothing is reached over them.
    pub(crate) fn on_dead(&mut self, dead: &SecondaryMap<EdgeId, bool>, goals: &Goals) {
        let icfg = self.following.icfg();
        self.closed = SecondaryMap::for_map(icfg.nodes(), false);
        for (node, what) in icfg.nodes().iter() {
            self.closed[node] = matches!(what, Node::Edge(edge) if dead[*edge]);
        }
        let open = goals
            .iter()
            .map(|(goal, _)| goal)
            .filter(|goal| self.goals.is_open(*goal));
        let touches = open.flat_map(|goal| self.goals.touches(goal));
        let marks = touches.filter_map(|touch| position(&self.following, *touch));
        self.marks = Marks::without(&self.following, |node| self.closed[node], marks);
        self.epoch += 1;
        self.look_at_anytime();
    }

    /// May a run that takes the side cover something: is it must-relevant or may-relevant?
    #[must_use]
    pub fn is_relevant(&self, tree: &Tree, candidate: Candidate) -> bool {
        if self.always {
            return true;
        }
        let stack = self.frames.of_node(candidate.node.index());
        let here = tree.edge(candidate);
        here.is_some_and(|edge| self.marks.reach(self.following.of_edge(edge)))
            || self.stack_reaches(stack)
    }

    fn stack_reaches(&self, mut stack: StackId) -> bool {
        if stack == StackId::UNKNOWN {
            return true;
        }
        while let Some((position, below)) = self.frames.top(stack) {
            if self.marks.reach(position) {
                return true;
            }
            stack = below;
        }
        false
    }

    /// Does taking the side cover something at once: is it must-relevant?
    #[must_use]
    pub fn is_must(&self, tree: &Tree, candidate: Candidate) -> bool {
        let edge = tree.edge(candidate);
        edge.is_some_and(|edge| self.goals.covers(edge, &mut before(tree, candidate.node)))
    }

    /// Is something to be gained by taking the edge, after whatever path?
    pub(crate) fn gains_at(&self, edge: EdgeId) -> bool {
        self.goals.gain(edge) > 0
    }

    /// What two candidates have in common of which one is must-relevant if and only if the other is, and that have the same
    /// [potential](Relevant::potential).
    #[must_use]
    pub fn class(&self, tree: &Tree, candidate: Candidate) -> Class {
        let edge = tree.edge(candidate);
        let signature = |edge| {
            let mut before = before(tree, candidate.node);
            self.goals.signature(edge, &mut before)
        };
        Class {
            edge,
            stack: self.frames.of_node(candidate.node.index()),
            signature: edge.map_or(0, signature),
        }
    }

    /// Where the path of a decision is in the functions below that of its edges; of a library decision, in its own too.
    #[must_use]
    pub(crate) fn stack(&self, node: NodeId) -> StackId {
        self.frames.of_node(node.index())
    }

    /// The innermost position of a stack, and what is below it. A caller's is behind its call, if that is known.
    pub(crate) fn top(&self, stack: StackId) -> Option<(Position, StackId)> {
        self.frames.top(stack)
    }

    /// A number that changes when classes may have got another potential.
    #[must_use]
    pub fn epoch(&self) -> u64 {
        self.epoch
    }

    /// A number that changes when classes without a signature may have become must-relevant, or got more potential.
    #[must_use]
    pub fn rises(&self) -> u64 {
        self.goals.rises()
    }

    pub(crate) fn bytes(&self) -> usize {
        self.frames.bytes()
    }
}

/// How far a walk goes down from a side.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Levels {
    pub most: u64,
    /// Every node that it comes to is a level, not only decisions.
    pub nodes: bool,
}

/// What candidates have in common that promise the same goals: see [`Relevant::class`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Class {
    /// The edge of the side; a library decision has none.
    pub edge: Option<EdgeId>,
    stack: StackId,
    signature: u64,
}

impl Class {
    /// May its candidates become must-relevant whenever something else is covered? Not where goals are counts; others rise when
    /// [`Relevant::rises`] says so.
    #[must_use]
    pub fn may_rise(&self) -> bool {
        self.signature != 0
    }
}

/// Sides that path filtering may drop: checks are left, because crashes are results too, and failed assumptions, because
/// what lies behind them was picked already.
pub(crate) fn may_be_dropped(kind: Kind) -> bool {
    kind.for_strategies() || kind == Kind::Pin
}

/// The open sides of a node that may be dropped.
pub(crate) fn droppable(tree: &Tree, node: NodeId) -> impl Iterator<Item = Candidate> + '_ {
    may_be_dropped(tree.kind(node))
        .then(|| tree.open_sides(node))
        .into_iter()
        .flatten()
}

/// The sides that were dropped.
pub(crate) fn dropped(tree: &Tree) -> Vec<Candidate> {
    let nodes = (0..tree.len() as u32).map(NodeId::from_u32);
    let sides =
        nodes.flat_map(|node| (0..tree.sides(node)).map(move |side| Candidate { node, side }));
    sides
        .filter(|&side| tree.side(side) == Side::Irrelevant)
        .collect()
}

fn position(following: &Following, touch: Touch) -> Option<Position> {
    match touch {
        Touch::Edge(edge) => Some(following.of_edge(edge)),
        Touch::Entry(function) => following.icfg().entry(function),
        Touch::End(function, node) => {
            let entry = following.icfg().entry(function)?;
            Some(entry.plus(node.as_u32()))
        }
    }
}

/// The steps before a decision, the latest first.
fn before(tree: &Tree, node: NodeId) -> impl Iterator<Item = Back> + '_ {
    let mut cursor = tree.cursor(node);
    std::iter::from_fn(move || tree.back(&mut cursor)).map(|step| match step {
        Concrete::Edge(edge) => Back::Edge(edge),
        Concrete::Call(function) => Back::Call(function),
        Concrete::Return(function) => Back::Return(function),
        Concrete::Resume(function) => Back::Resume(function),
    })
}
