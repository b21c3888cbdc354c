//! Context-guided search: breadth first, but only decisions that were reached in a new way.
//!
//! The strategy walks the execution tree breadth first and looks at how each branch was reached. The *k-context* of a
//! branch is the branch itself and the k - 1 branches before it on the path that do not dominate it. The strategy selects
//! a branch only if no branch selected so far has the same k-context, and skips it otherwise. After a full traversal k
//! rises by one, and the skipped branches are looked at again (`papers/cgs.txt`, section 3, Algorithm 2; levels in 3.2,
//! dominators in 3.3).
//!
//! The paper leaves some points open:
//!
//! - *Branches in a context* are those of the whole path. This includes branches that nothing symbolic decided and
//!   branches of called functions. Constraints (pins, checks) are not branches, but they count for the depth.
//! - *A switch* has one branch for each side that was not taken, as if it were a chain of conditions.
//! - *Dominance* is strict: an earlier visit of a branch does not remove it from its own context. Otherwise all
//!   rounds of a loop would have one context at every k.
//! - *Old contexts* are those of every branch selected so far, at the present k, also of branches that were selected when
//!   k was smaller. (The text speaks of "the context of previously selected branches". A cache that keeps each context as
//!   long as k was at its time would select one branch again for each context, at each k.)
//! - *The start of the path* ends a context that has fewer than k branches. Such a context differs from longer ones.
//! - *When no context can grow any more* (all that are left reach the start of their paths), a larger k changes nothing.
//!   Then k is infinite for them, which the paper calls the same as breadth first (3.2), and all are selected.
//! - *Branches at a depth that the traversal has passed* wait for the next traversal. A run may add such branches when it
//!   did not go where it was sent.
//!
//! **Parameters.** `fixed-k` (default 0, rising): stay at this k, the paper's ablation in 5.3.1. `no-dominators` (default
//! 0): 1 keeps dominating branches in contexts, the ablation in 5.3.2. `cache` (default `anew`): with `stored`, each context
//! stays in the cache as long as k was when it was selected, as Algorithm 2 can be read as well; k rises from 1 to 5, then
//! the cache is emptied and k is 1 again, on the same execution tree. `published` (default no) is described above.
//!
//!
//! **`published`** is the search as the paper and the authors' code have it (their `DoCGS`, in the public repository of
//! ParaDySE, which extends the authors' CREST), whole:
//!
//! - A *round* begins with a new input drawn at random, an empty tree and an empty cache, and k = 1. Each context stays in the
//!   cache as long as k was when it was selected. After the traversal with k = 5 the next round begins. With `fixed-k`, a
//!   round is one traversal with this k.
//! - In a new tree every side is as if it had never been tried. A side that a run of an earlier round took is solved and run
//!   again, from the input of this round's run, so that what the path condition does not name is new. A side without an
//!   input costs no run: the answer is known.
//! - *Dominators go over calls* (3.3: every path from the entry): a context in a function that is called has the branches of
//!   its callers, unless every way from `main` to the branch takes them. Edges that each activation of a function takes that
//!   has returned already are not told.
//! - *A branch dominates itself* (equation 2): earlier visits of the same side are not in its context, so that the rounds of
//!   a loop have one context, unless something else in them differs.
//! - What stays ours: checks and pins have their lanes, and library functions have decisions.
//!
//! **Cost.** Each branch examined: O(k). Memory beyond the tree: one context for each branch examined.
//!
//! **When to choose it.** Where the same code is reached along many paths; there it pays most. In the paper no other
//! strategy covers more on any subject (Table 2).

mod published;

use program::EdgeId;
use program::dom::{EdgeDominators, edge_dominators};

use super::{Entry, NewPath, Param, Sources, Strategy, View, YES_NO};
use crate::rng::Rng;
use path::Candidate;
use path::hash::{HashedSet, mix};
use path::tree::Cursor;
use published::Published;

pub(super) const ENTRY: Entry = Entry {
    name: "cgs",
    summary: "Context-guided search: breadth first, but only decisions that were reached in a new way.",
    source: include_str!("cgs.rs"),
    sources: Sources::Plain,
    params: &[
        Param {
            name: "fixed-k",
            summary: "stay at this k, 0 = rising",
            default: 0,
            min: 0,
            max: 1 << 20,
            words: &[],
        },
        Param {
            name: "no-dominators",
            summary: "1 = keep dominating branches",
            default: 0,
            min: 0,
            max: 1,
            words: &[],
        },
        Param {
            name: "cache",
            summary: "contexts of selected branches: at the present k, or as they were selected, with k from 1 to 5 in rounds",
            default: 0,
            min: 0,
            max: 1,
            words: &["anew", "stored"],
        },
        Param {
            name: "published",
            summary: "the search of the paper, whole",
            default: 0,
            min: 0,
            max: 1,
            words: YES_NO,
        },
    ],
    make: |program, values| {
        if values[3] == 1 {
            return Box::new(Published::new(program, values[0] as u32, values[1] == 0));
        }
        let dominators = (values[1] == 0).then(|| edge_dominators(program));
        Box::new(Cgs {
            stored: values[2] == 1,
            ..Cgs::new(dominators, values[0] as u32)
        })
    },
};

/// With stored contexts, k after which everything starts over ("from one to five", section 5.3.1, which does not say what comes
/// after five).
const LAST_LEVEL: u32 = 5;

/// A branch, and its context as far as it was looked at.
#[derive(Clone, Copy, Debug)]
struct Item {
    branch: Candidate,
    /// Where the context goes on.
    cursor: Cursor,
    /// Of the context so far.
    hash: u64,
    /// Branches in the context so far, itself included.
    size: u32,
    /// The context reaches the start of the path.
    complete: bool,
}

struct Cgs {
    dominators: Option<EdgeDominators>,
    rising: bool,
    /// Contexts stay as they were when they were selected.
    stored: bool,
    k: u32,
    /// Where the traversal is.
    depth: usize,
    next_depth: usize,
    /// Branches at `depth` that are still to be examined, in random order.
    current: Vec<Item>,
    /// By depth: branches to be examined, and those that were skipped and wait for the next traversal.
    lists: Vec<Vec<Item>>,
    /// Branches in `current` and `lists`.
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

impl Cgs {
    fn new(dominators: Option<EdgeDominators>, fixed_k: u32) -> Cgs {
        Cgs {
            dominators,
            rising: fixed_k == 0,
            stored: false,
            k: fixed_k.max(1),
            depth: 0,
            next_depth: 0,
            current: Vec::new(),
            lists: Vec::new(),
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
        if depth >= self.lists.len() {
            self.lists.resize_with(depth + 1, Vec::new);
        }
        self.lists[depth].push(Item::new(view, branch));
        self.waiting += 1;
    }

    /// Goes to the next depth that has branches; after the last one, to the next traversal. False: there is nothing
    /// to examine.
    fn advance(&mut self, view: &View<'_>, rng: &mut Rng) -> bool {
        loop {
            while self.next_depth < self.lists.len() {
                self.depth = self.next_depth;
                self.next_depth += 1;
                std::mem::swap(&mut self.current, &mut self.lists[self.depth]);
                if !self.current.is_empty() {
                    rng.shuffle(&mut self.current);
                    return true;
                }
            }
            if !self.next_traversal(view) {
                return false;
            }
        }
    }

    fn next_traversal(&mut self, view: &View<'_>) -> bool {
        let all_skipped = self.waiting == self.skipped;
        if self.waiting == 0 || (all_skipped && !self.rising) {
            return false;
        }
        self.unlimited = self.rising && !self.stored && all_skipped && !self.growing;
        if self.rising && self.stored {
            self.next_stored_level(view);
        } else if self.rising && !self.unlimited {
            self.raise(view);
        }
        self.next_depth = 0;
        self.skipped = 0;
        self.growing = false;
        true
    }

    fn raise(&mut self, view: &View<'_>) {
        self.k += 1;
        self.cache.clear();
        for item in &mut self.selected {
            item.grow(view, self.dominators.as_ref(), self.k);
            self.cache.insert(item.hash);
        }
    }

    /// The next k, with the cache as it is; after the last one k = 1 and nothing is known. An empty cache takes the next
    /// branch, so that every round of levels selects something.
    fn next_stored_level(&mut self, view: &View<'_>) {
        if self.k < LAST_LEVEL {
            self.k += 1;
            return;
        }
        self.k = 1;
        self.cache.clear();
        for item in self.lists.iter_mut().flatten() {
            *item = Item::new(view, item.branch);
        }
    }
}

impl Strategy for Cgs {
    fn on_path(&mut self, view: &View<'_>, path: &NewPath<'_>) {
        for &node in path.new_nodes() {
            for branch in view.tree.candidates(node) {
                self.add(view, branch);
            }
        }
    }

    fn pick(&mut self, view: &View<'_>, rng: &mut Rng) -> Option<Candidate> {
        loop {
            let Some(mut item) = self.current.pop() else {
                if !self.advance(view, rng) {
                    return None;
                }
                continue;
            };
            self.waiting -= 1;
            if !view.tree.is_open(item.branch) {
                continue;
            }
            item.grow(view, self.dominators.as_ref(), self.k);
            let new = self.cache.insert(item.hash);
            if new || (self.unlimited && item.complete) {
                if !self.stored {
                    self.selected.push(item);
                }
                return Some(item.branch);
            }
            self.skipped += 1;
            self.growing |= !item.complete;
            self.lists[self.depth].push(item);
            self.waiting += 1;
        }
    }

    fn phase(&self) -> String {
        let k = if self.unlimited {
            "∞".to_owned()
        } else {
            self.k.to_string()
        };
        format!("k = {k}, depth {}, {} skipped", self.depth, self.skipped)
    }

    fn bytes(&self) -> usize {
        // Lists grow by doubling, so on average a quarter of them is empty.
        let items = self.waiting + self.waiting / 3 + self.selected.capacity();
        items * size_of::<Item>()
            + self.lists.capacity() * size_of::<Vec<Item>>()
            + self.cache.capacity() * 9
    }
}

impl Item {
    fn new(view: &View<'_>, branch: Candidate) -> Item {
        let name = match (view.tree.edge(branch), view.tree.spot(branch.node)) {
            (Some(edge), _) => u64::from(edge.as_u32()) << 1,
            (None, spot) => {
                (spot.map_or(0, |spot| u64::from(spot.as_u32())) << 2)
                    | u64::from(branch.side << 1)
                    | 1
            }
        };
        Item {
            branch,
            cursor: view.tree.cursor(branch.node),
            hash: mix(1, name),
            size: 1,
            complete: false,
        }
    }

    /// Makes the context one of `k` branches, or as many as there are.
    fn grow(&mut self, view: &View<'_>, dominators: Option<&EdgeDominators>, k: u32) {
        let dominates = |edge, branch| {
            dominators.is_some_and(|known| edge != branch && known.dominates(edge, branch))
        };
        self.grow_past(view, dominates, k);
    }

    /// The same without the branches that dominate the item's: `dominates` is asked for an edge of the path, then for its.
    fn grow_past(&mut self, view: &View<'_>, dominates: impl Fn(EdgeId, EdgeId) -> bool, k: u32) {
        let branch = view.tree.edge(self.branch);
        while self.size < k && !self.complete {
            let Some(edge) = view.tree.edge_back(&mut self.cursor) else {
                self.complete = true;
                self.hash = mix(self.hash, u64::MAX);
                return;
            };
            if branch.is_some_and(|branch| dominates(edge, branch)) {
                continue;
            }
            self.hash = mix(self.hash, u64::from(edge.as_u32()));
            self.size += 1;
        }
    }
}

#[cfg(test)]
mod tests;
