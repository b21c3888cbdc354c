//! Context-guided search: breadth first, but only decisions that were reached in a new way.
//!
//! The strategy walks the execution tree breadth first and looks at how each branch was reached. The *k-context* of a
//! branch is the branch itself and the k - 1 branches before it on the path that do not dominate it. The strategy selects
//! a branch only if its k-context is new, and skips it otherwise. After a full traversal k rises by one, and the skipped
//! branches are looked at again (`papers/cgs.txt`, section 3, Algorithm 2; levels in 3.2, dominators in 3.3).
//!
//! This is the search as the paper and the authors' code have it (their `DoCGS`, in the public repository of ParaDySE, which
//! extends the authors' CREST), whole:
//!
//! - A *round* begins with a new input drawn at random (the first: with the search's first input), an empty tree, an empty
//!   cache, and k = 1. Each context stays in the cache as long as k was when it was selected. After the traversal with k = 5
//!   (section 5.3.1) the next round begins.
//! - In a new tree every side is as if it had never been tried. A side that a run of an earlier round took is solved and run
//!   again, from the input of this round's run, so that what the path condition does not name is new. A side without an
//!   input costs no run: the answer is known.
//! - *Dominators go over calls* (3.3: every path from the entry): a context in a function that is called has the branches of
//!   its callers, unless every way from `main` to the branch takes them. Edges that each activation of a function takes that
//!   has returned already are not told.
//! - *A branch dominates itself* (equation 2): earlier visits of the same side are not in its context, so that the rounds of
//!   a loop have one context, unless something else in them differs.
//! - *Branches in a context* are those of the whole path. This includes branches that nothing symbolic decided and
//!   branches of called functions. Constraints (pins, checks) are not branches, but they count for the depth.
//! - *A switch* has one branch for each side that was not taken, as if it were a chain of conditions.
//! - *The start of the path* ends a context that has fewer than k branches. Such a context differs from longer ones.
//! - What stays ours: checks and pins have their lanes, and library functions have decisions. The search ends when no side of
//!   any path is open. Contexts of five branches leave some sides open for ever, so after a round in which no run came to a new
//!   decision, as many of the oldest open sides are tried as the round had picks.
//!
//! **`endless`** is another reading, which goes through one tree to its end:
//!
//! - There is one round, and k rises without end.
//! - *Old contexts* are those of every branch selected so far, at the present k, also of branches that were selected when
//!   k was smaller. (The text speaks of "the context of previously selected branches". A cache that keeps each context as
//!   long as k was at its time selects one branch again for each context, at each k.)
//! - *Dominance* is strict, and ends at calls: an earlier visit of a branch does not remove it from its own context. Otherwise
//!   all rounds of a loop would have one context at every k.
//! - *When no context can grow any more* (all that are left reach the start of their paths), a larger k changes nothing.
//!   Then k is infinite for them, which the paper calls the same as breadth first (3.2), and all are selected.
//! - *Branches at a depth that the traversal has passed* wait for the next traversal. A run may add such branches when it
//!   did not go where it was sent.
//!
//! The published search covers more after 500 runs, on 60,000 branches after 1,500 too; with `endless` more is covered in the
//! first hundreds of runs on some programs, and no side is solved twice, so that it proves sooner that nothing is left
//! ([figures](../bench/results/papers.md)). [`mix`](super::mix) and [`portfolio`](super::portfolio) have it beside others.
//!
//! **Parameters.** `fixed-k` (default 0, rising): stay at this k, the paper's ablation in 5.3.1; a round is one traversal then.
//! `no-dominators` (default 0): 1 keeps dominating branches in contexts, the ablation in 5.3.2. `endless` (default no) is
//! described above.
//!
//! **Cost.** Each branch examined: O(k). Memory beyond the tree: one context for each branch examined.
//!
//! **When to choose it.** Where the same code is reached along many paths; there it pays most. In the paper no other
//! strategy covers more on any subject (Table 2).

mod depths;
mod endless;
mod published;

use program::EdgeId;

use super::{Entry, Param, Sources, View, YES_NO};
use endless::Endless;
use path::Candidate;
use path::hash::mix;
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
            name: "endless",
            summary: "one tree and k without end, contexts compared at the present k",
            default: 0,
            min: 0,
            max: 1,
            words: YES_NO,
        },
    ],
    make: |program, values| {
        let (fixed_k, dominators) = (values[0] as u32, values[1] == 0);
        match values[2] {
            0 => Box::new(Published::new(program, fixed_k, dominators)),
            _ => Box::new(Endless::new(program, fixed_k, dominators)),
        }
    },
};

/// Options with which it shares the picks with others: no side is tried twice, and nothing is drawn.
pub(super) const BESIDE_OTHERS: &[u64] = &[0, 0, 1];

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

    /// Makes the context one of `k` branches, or as many as there are, without the branches that dominate the item's:
    /// `dominates` is asked for an edge of the path, then for its.
    fn grow(&mut self, view: &View<'_>, dominates: impl Fn(EdgeId, EdgeId) -> bool, k: u32) {
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
