//! The search on one tree: k rises without end, contexts are compared as they are at the present k.
//!
//! Must hold: a branch is picked once; the picks are those of the algorithm without a cache (see the tests).

use program::Program;
use program::dom::{EdgeDominators, edge_dominators};

use super::Item;
use super::depths::Depths;
use crate::rng::Rng;
use crate::view::{NewPath, Strategy, View};
use path::Candidate;
use path::hash::HashedSet;

pub(super) struct Endless {
    dominators: Option<EdgeDominators>,
    rising: bool,
    pub(super) k: u32,
    /// Branches to be examined, and those that were skipped and wait for the next traversal.
    depths: Depths<Item>,
    /// How many these are.
    waiting: usize,
    selected: Vec<Item>,
    /// Contexts of `selected`, at `k`.
    cache: HashedSet,
    /// Complete contexts are not skipped in this traversal: k is infinite for them.
    unlimited: bool,
    /// What the traversal has met.
    skipped: usize,
    growing: bool,
}

impl Endless {
    pub(super) fn new(program: &Program, fixed_k: u32, dominators: bool) -> Endless {
        Endless {
            dominators: dominators.then(|| edge_dominators(program)),
            rising: fixed_k == 0,
            k: fixed_k.max(1),
            depths: Depths::default(),
            waiting: 0,
            selected: Vec::new(),
            cache: HashedSet::default(),
            unlimited: false,
            skipped: 0,
            growing: false,
        }
    }

    fn add(&mut self, view: &View<'_>, branch: Candidate) {
        let depth = view.tree.depth(branch.node) as usize;
        self.depths.add(depth, Item::new(view, branch));
        self.waiting += 1;
    }

    /// Goes to the next depth that has branches; after the last one, to the next traversal. False: there is nothing
    /// to examine.
    fn advance(&mut self, view: &View<'_>, rng: &mut Rng) -> bool {
        while !self.depths.advance(rng) {
            if !self.next_traversal(view) {
                return false;
            }
        }
        true
    }

    fn next_traversal(&mut self, view: &View<'_>) -> bool {
        let all_skipped = self.waiting == self.skipped;
        if self.waiting == 0 || (all_skipped && !self.rising) {
            return false;
        }
        self.unlimited = self.rising && all_skipped && !self.growing;
        if self.rising && !self.unlimited {
            self.raise(view);
        }
        self.depths.rewind();
        self.skipped = 0;
        self.growing = false;
        true
    }

    fn raise(&mut self, view: &View<'_>) {
        self.k += 1;
        self.cache.clear();
        for item in &mut self.selected {
            grow(item, view, self.dominators.as_ref(), self.k);
            self.cache.insert(item.hash);
        }
    }
}

impl Strategy for Endless {
    fn on_path(&mut self, view: &View<'_>, path: &NewPath<'_>) {
        for &node in path.new_nodes() {
            for branch in view.tree.candidates(node) {
                self.add(view, branch);
            }
        }
    }

    fn pick(&mut self, view: &View<'_>, rng: &mut Rng) -> Option<Candidate> {
        loop {
            let Some(mut item) = self.depths.pop() else {
                if !self.advance(view, rng) {
                    return None;
                }
                continue;
            };
            self.waiting -= 1;
            if !view.tree.is_open(item.branch) {
                continue;
            }
            grow(&mut item, view, self.dominators.as_ref(), self.k);
            let new = self.cache.insert(item.hash);
            if new || (self.unlimited && item.complete) {
                self.selected.push(item);
                return Some(item.branch);
            }
            self.skipped += 1;
            self.growing |= !item.complete;
            self.depths.put_back(item);
            self.waiting += 1;
        }
    }

    fn phase(&self) -> String {
        let k = if self.unlimited {
            "∞".to_owned()
        } else {
            self.k.to_string()
        };
        format!(
            "k = {k}, depth {}, {} skipped",
            self.depths.depth(),
            self.skipped
        )
    }

    fn bytes(&self) -> usize {
        // Lists grow by doubling, so on average a quarter of them is empty.
        let items = self.waiting + self.waiting / 3 + self.selected.capacity();
        items * size_of::<Item>()
            + self.depths.lists() * size_of::<Vec<Item>>()
            + self.cache.capacity() * 9
    }
}

/// Makes the context one of `k` branches, or as many as there are, without those that dominate the item's strictly.
pub(super) fn grow(item: &mut Item, view: &View<'_>, dominators: Option<&EdgeDominators>, k: u32) {
    let dominates = |edge, branch| {
        dominators.is_some_and(|known| edge != branch && known.dominates(edge, branch))
    };
    item.grow(view, dominates, k);
}
