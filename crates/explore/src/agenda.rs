//! The agenda: what is tried next, whatever the strategy.
//!
//! Strategies choose among branches, selects, switches and library decisions. The rest has lanes here, so that every
//! strategy finds crashes and gets past assumptions without a thought, and none is starved by them:
//!
//! 1. *Failed assumptions and checks* come first, the latest before others: the run ended there, and what lies behind
//!    is what the strategy wanted when it picked. (The checks that
//!    failed are among the last decisions of a run that crashed.)
//! 2. *Checks and pins* wait aside, in order of how often their context was tried. A context is the spot with the two
//!    edges before it. Every [`FRESH_EVERY`]th pick goes to a context that was never tried, every [`STALE_EVERY`]th to
//!    one that was, checks before pins.
//! 3. The *strategy*.
//! 4. When the strategy has nothing to offer: whatever waits aside, then the *oldest* open candidate of the tree, so
//!    that every strategy exhausts a tree that can be exhausted.
//!
//! A strategy that is [alone](Strategy::is_alone) has no lanes beside it.
//!
//! Must hold: every candidate returned is open; when [`Agenda::next`] returns `None`, nothing in the tree is, unless the
//! strategy is alone.

use std::cmp::Reverse;
use std::collections::{BinaryHeap, VecDeque};

use crate::rng::Rng;
use crate::view::{NewPath, Pick, Strategy, Verdict, View};
use path::hash::{HashTable, mix};
use path::tree::{Kind, Side};
use path::{Candidate, NodeId, Outcome, Tree};
use program::EdgeId;

/// Picks between two of a context that was never tried.
pub const FRESH_EVERY: u64 = 4;
/// Picks between two of a context that was tried before.
pub const STALE_EVERY: u64 = 16;
/// Candidates that are not open which a strategy may name in a row before its answer counts as none.
const PATIENCE: u32 = 1000;

/// Which lane a candidate came from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Lane {
    Failed,
    Aside,
    Strategy,
    Oldest,
}

impl Lane {
    /// Its name in traces.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Lane::Failed => "Failed",
            Lane::Aside => "Aside",
            Lane::Strategy => STRATEGY,
            Lane::Oldest => "Oldest",
        }
    }
}

/// Name of the lane of what the strategy picked.
pub const STRATEGY: &str = "Strategy";

/// Candidates of one context of checks or pins.
#[derive(Debug, Default)]
struct Context {
    waiting: VecDeque<Candidate>,
    tries: u32,
    queued: bool,
}

/// The lanes of candidates, and the strategy among them.
pub struct Agenda {
    strategy: Box<dyn Strategy>,
    failed: Vec<Candidate>,
    contexts: Vec<Context>,
    by_hash: HashTable<u32>,
    /// Contexts with something waiting: tries, then pins after checks, then age.
    queue: BinaryHeap<Reverse<(u32, bool, u32)>>,
    waiting: usize,
    picks: u64,
    /// Nodes before this one have no open side.
    oldest: usize,
}

impl Agenda {
    #[must_use]
    pub fn new(strategy: Box<dyn Strategy>) -> Agenda {
        Agenda {
            strategy,
            failed: Vec::new(),
            contexts: Vec::new(),
            by_hash: HashTable::default(),
            queue: BinaryHeap::new(),
            waiting: 0,
            picks: 0,
            oldest: 0,
        }
    }

    /// A path was added to the tree.
    pub fn on_path(&mut self, view: &View<'_>, path: &NewPath<'_>) {
        let failed = failed_checks(view.tree, path);
        for &node in path.new_nodes() {
            match view.tree.kind(node) {
                Kind::Check if failed.contains(&node) => {
                    self.failed.extend(view.tree.open_sides(node))
                }
                Kind::Assume => self.failed.extend(view.tree.open_sides(node)),
                kind @ (Kind::Check | Kind::Pin) => self.put_aside(view.tree, node, kind),
                _ => {}
            }
        }
        self.strategy.on_path(view, path);
    }

    /// No run takes these edges.
    pub fn on_dead(&mut self, edges: &[EdgeId]) {
        self.strategy.on_dead(edges);
    }

    /// What is next, and where it comes from.
    pub fn next(&mut self, view: &View<'_>, rng: &mut Rng) -> Option<(Pick, Lane)> {
        if self.strategy.is_alone() {
            return Some((self.ask(view, rng)?, Lane::Strategy));
        }
        let side = |lane| move |candidate| (Pick::Side(candidate), lane);
        let found = self.failed(view.tree).map(side(Lane::Failed));
        let found = found.or_else(|| self.due_aside(view.tree).map(side(Lane::Aside)));
        let found = found.or_else(|| self.ask(view, rng).map(|pick| (pick, Lane::Strategy)));
        let found = found.or_else(|| self.rest(view));
        self.picks += u64::from(found.is_some());
        found
    }

    /// What is left when the strategy has nothing to offer.
    pub fn rest(&mut self, view: &View<'_>) -> Option<(Pick, Lane)> {
        if self.strategy.is_alone() {
            return None;
        }
        let side = |lane| move |candidate| (Pick::Side(candidate), lane);
        let aside = self.aside(view.tree).map(side(Lane::Aside));
        aside.or_else(|| self.oldest(view.tree).map(side(Lane::Oldest)))
    }

    /// What became of a candidate.
    pub fn on_result(&mut self, view: &View<'_>, candidate: Candidate, verdict: Verdict) {
        if verdict == Verdict::Lost {
            self.oldest = self.oldest.min(candidate.node.index());
        }
        self.strategy.on_result(view, candidate, verdict);
    }

    /// Where the strategy is.
    #[must_use]
    pub fn phase(&self) -> String {
        self.strategy.phase()
    }

    /// Bytes that agenda and strategy take.
    #[must_use]
    pub fn bytes(&self) -> usize {
        self.strategy.bytes()
            + self.failed.capacity() * size_of::<Candidate>()
            + self.contexts.capacity() * size_of::<Context>()
            + self.waiting * size_of::<Candidate>()
            + self.by_hash.capacity() * 13
            + self.queue.capacity() * 12
    }

    fn ask(&mut self, view: &View<'_>, rng: &mut Rng) -> Option<Pick> {
        if view.tree.counts().open == 0 && !self.strategy.is_alone() {
            return None;
        }
        for _ in 0..PATIENCE {
            let pick = self.strategy.next(view, rng)?;
            let stands = match pick {
                Pick::Side(side) => view.tree.is_open(side),
                Pick::Again { side, .. } => matches!(view.tree.side(side), Side::Taken(_)),
                Pick::Draw => true,
            };
            if stands {
                return Some(pick);
            }
        }
        None
    }

    fn failed(&mut self, tree: &Tree) -> Option<Candidate> {
        std::iter::from_fn(|| self.failed.pop()).find(|&candidate| tree.is_open(candidate))
    }

    fn put_aside(&mut self, tree: &Tree, node: NodeId, kind: Kind) {
        let pin = kind == Kind::Pin;
        let spot = tree.spot(node).map_or(0, |spot| spot.as_u32());
        let mut hash = mix(u64::from(pin), u64::from(spot));
        let mut cursor = tree.cursor(node);
        for _ in 0..2 {
            let edge = tree
                .edge_back(&mut cursor)
                .map_or(u64::MAX, |edge| u64::from(edge.as_u32()));
            hash = mix(hash, edge);
        }
        let next = self.contexts.len() as u32;
        let index = *self.by_hash.entry(hash).or_insert(next);
        if index == next {
            self.contexts.push(Context::default());
        }
        let context = &mut self.contexts[index as usize];
        let before = context.waiting.len();
        context.waiting.extend(tree.open_sides(node));
        self.waiting += context.waiting.len() - before;
        if !context.queued && !context.waiting.is_empty() {
            context.queued = true;
            self.queue.push(Reverse((context.tries, pin, index)));
        }
    }

    fn due_aside(&mut self, tree: &Tree) -> Option<Candidate> {
        let &Reverse((tries, ..)) = self.queue.peek()?;
        let every = if tries == 0 { FRESH_EVERY } else { STALE_EVERY };
        (self.picks % every == every - 1)
            .then(|| self.aside(tree))
            .flatten()
    }

    fn aside(&mut self, tree: &Tree) -> Option<Candidate> {
        while let Some(Reverse((tries, pin, index))) = self.queue.pop() {
            let context = &mut self.contexts[index as usize];
            let before = context.waiting.len();
            let waiting = &mut context.waiting;
            let found = std::iter::from_fn(|| waiting.pop_front())
                .find(|&candidate| tree.is_open(candidate));
            self.waiting -= before - context.waiting.len();
            context.tries = tries + u32::from(found.is_some());
            context.queued = !context.waiting.is_empty();
            if context.queued {
                self.queue.push(Reverse((context.tries, pin, index)));
            }
            if found.is_some() {
                return found;
            }
        }
        None
    }

    fn oldest(&mut self, tree: &Tree) -> Option<Candidate> {
        while tree.counts().all_open() > 0 && self.oldest < tree.len() {
            let node = NodeId::from_u32(self.oldest as u32);
            if let Some(candidate) = tree.open_sides(node).next() {
                return Some(candidate);
            }
            self.oldest += 1;
        }
        None
    }
}

/// The checks right before the end of a run that crashed: one instruction may have two.
fn failed_checks<'a>(tree: &Tree, path: &NewPath<'a>) -> &'a [NodeId] {
    let decisions = path
        .nodes
        .split_last()
        .map_or(path.nodes, |(_, decisions)| decisions);
    let checks = decisions
        .iter()
        .rev()
        .take(2)
        .take_while(|&&node| tree.kind(node) == Kind::Check)
        .count();
    let crashed = matches!(path.outcome, Outcome::Signalled(_));
    &decisions[decisions.len() - if crashed { checks } else { 0 }..]
}
