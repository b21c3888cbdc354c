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
//! 0): 1 keeps dominating branches in contexts, the ablation in 5.3.2.
//!
//! **Cost.** Each branch examined: O(k). Memory beyond the tree: one context for each branch examined.
//!
//! **When to choose it.** Where the same code is reached along many paths; there it pays most. In the paper it covers more
//! than every other strategy on all subjects.

use program::dom::{EdgeDominators, edge_dominators};

use super::{Entry, NewPath, Param, Sources, Strategy, View};
use crate::rng::Rng;
use path::Candidate;
use path::hash::{HashedSet, mix};
use path::tree::Cursor;

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
    ],
    make: |program, values| {
        let dominators = (values[1] == 0).then(|| edge_dominators(program));
        Box::new(Cgs::new(dominators, values[0] as u32))
    },
};

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
        self.unlimited = self.rising && all_skipped && !self.growing;
        if self.rising && !self.unlimited {
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
                self.selected.push(item);
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
        let branch = view.tree.edge(self.branch);
        while self.size < k && !self.complete {
            let Some(edge) = view.tree.edge_back(&mut self.cursor) else {
                self.complete = true;
                self.hash = mix(self.hash, u64::MAX);
                return;
            };
            let dominates = |branch| {
                dominators.is_some_and(|known| edge != branch && known.dominates(edge, branch))
            };
            if branch.is_some_and(dominates) {
                continue;
            }
            self.hash = mix(self.hash, u64::from(edge.as_u32()));
            self.size += 1;
        }
    }
}

#[cfg(test)]
mod tests {
    use expect_test::{Expect, expect};
    use smt::Op;

    use super::*;
    use crate::campaign::Config;
    use crate::testing::{Block, Model, below, concrete, on, trace, trace_of};

    fn check(mut model: Model, strategy: &str, expected: &Expect) {
        expected.assert_eq(&trace(&mut model, strategy, 1));
    }

    /// Figure 1: three conditions in a row; the second and the third depend on each other.
    /// Edges: 0 b2, 1 b1; 2 b4, 3 b3 (total >= 100); 4 b6, 5 b5 (total >= 200).
    fn figure_1() -> Model {
        Model::new(
            2,
            vec![
                Block::Branch(on(0, Op::Eq, 7), 1, 2),
                Block::Jump(3),
                Block::Jump(3),
                Block::Branch(not_below(1, 100), 4, 5),
                Block::Jump(6),
                Block::Jump(6),
                Block::Branch(not_below(1, 200), 7, 8),
                Block::Exit,
                Block::Exit,
            ],
        )
    }

    fn not_below(input: usize, value: u8) -> crate::testing::Condition {
        let below = below(input, value);
        Box::new(move |pool, inputs, visit| {
            let below = below(pool, inputs, visit);
            pool.not(below)
        })
    }

    #[test]
    fn figure_1_skips_what_was_reached_in_the_same_way() {
        check(
            figure_1(),
            "cgs",
            &expect![[r#"
            k = 1, depth 0, 0 skipped: [] edge1 taken
            k = 1, depth 1, 0 skipped: [1] edge3 taken
            k = 1, depth 2, 1 skipped: [1 2] edge5 unsat
            k = 2, depth 1, 0 skipped: [0] edge3 taken
            k = 2, depth 2, 1 skipped: [0 3] edge5 taken
            k = 3, depth 2, 0 skipped: [0 2] edge5 unsat
            k = 3, depth 2, 0 skipped: [1 3] edge5 taken
            exhausted, 6 runs, gaps: 
        "#]],
        );
    }

    /// Figure 5: after one free branch (0 b2, 1 b1), conditions nested so deep that all near contexts are the same.
    /// Taken edges 3 b3, 5 b5, 7 b7, 9 b9; 11 is b11.
    fn figure_5() -> Model {
        let nested = |depth: usize| Block::Branch(below(depth, 10), 3 + depth, 8);
        Model::new(
            6,
            vec![
                Block::Branch(on(0, Op::Eq, 7), 1, 2),
                Block::Jump(3),
                Block::Jump(3),
                nested(1),
                nested(2),
                nested(3),
                nested(4),
                Block::Branch(below(5, 10), 8, 8),
                Block::Exit,
            ],
        )
    }

    #[test]
    fn figure_5_needs_two_levels_with_dominators() {
        check(
            figure_5(),
            "cgs",
            &expect![[r#"
            k = 1, depth 0, 0 skipped: [] edge1 taken
            k = 1, depth 1, 0 skipped: [1] edge2 taken
            k = 1, depth 2, 1 skipped: [1 3] edge4 taken
            k = 1, depth 3, 2 skipped: [1 3 5] edge6 taken
            k = 1, depth 4, 3 skipped: [0 3 5 7] edge8 taken
            k = 1, depth 5, 4 skipped: [1 3 5 7 9] edge10 taken
            k = 2, depth 1, 0 skipped: [0] edge2 taken
            k = 2, depth 2, 0 skipped: [0 3] edge4 taken
            k = 2, depth 3, 0 skipped: [0 3 5] edge6 taken
            k = 2, depth 4, 0 skipped: [1 3 5 7] edge8 taken
            k = 2, depth 5, 0 skipped: [0 3 5 7 9] edge10 taken
            exhausted, 12 runs, gaps: 
        "#]],
        );
    }

    #[test]
    fn figure_5_needs_six_levels_without_dominators() {
        check(
            figure_5(),
            "cgs:no-dominators=1",
            &expect![[r#"
            k = 1, depth 0, 0 skipped: [] edge1 taken
            k = 1, depth 1, 0 skipped: [1] edge2 taken
            k = 1, depth 2, 1 skipped: [1 3] edge4 taken
            k = 1, depth 3, 2 skipped: [1 3 5] edge6 taken
            k = 1, depth 4, 3 skipped: [0 3 5 7] edge8 taken
            k = 1, depth 5, 4 skipped: [1 3 5 7 9] edge10 taken
            k = 2, depth 1, 0 skipped: [0] edge2 taken
            k = 3, depth 2, 0 skipped: [0 3] edge4 taken
            k = 4, depth 3, 0 skipped: [0 3 5] edge6 taken
            k = 5, depth 4, 0 skipped: [1 3 5 7] edge8 taken
            k = 6, depth 5, 0 skipped: [0 3 5 7 9] edge10 taken
            exhausted, 12 runs, gaps: 
        "#]],
        );
    }

    #[test]
    fn rounds_of_a_loop_are_told_apart() {
        let model = Model::new(
            1,
            vec![
                Block::Branch(
                    Box::new(|pool, inputs, visit| {
                        let visit = pool.constant(8, u128::from(visit));
                        pool.cmp(Op::Ult, visit, inputs[0])
                    }),
                    1,
                    2,
                ),
                Block::Branch(concrete(|visit| visit < 4), 0, 2),
                Block::Exit,
            ],
        );
        check(
            model,
            "cgs",
            &expect![[r#"
            k = 1, depth 0, 0 skipped: [] edge1 taken
            k = 2, depth 1, 0 skipped: [1 3] edge1 taken
            k = 4, depth 2, 0 skipped: [1 3 1 3] edge1 taken
            k = 6, depth 3, 0 skipped: [1 3 1 3 1 3] edge1 taken
            k = 8, depth 4, 0 skipped: [1 3 1 3 1 3 1 3] edge1 taken
            exhausted, 6 runs, gaps: 
        "#]],
        );
    }

    #[test]
    fn a_fixed_level_hands_over_when_it_has_nothing_new() {
        check(
            figure_1(),
            "cgs:fixed-k=1",
            &expect![[r#"
            k = 1, depth 0, 0 skipped: [] edge1 taken
            k = 1, depth 1, 0 skipped: [1] edge3 taken
            k = 1, depth 2, 1 skipped: [1 2] edge5 unsat
            Oldest: [0] edge3 taken
            Oldest: [0 2] edge5 unsat
            Oldest: [1 3] edge5 taken
            Oldest: [0 3] edge5 taken
            exhausted, 6 runs, gaps: 
        "#]],
        );
    }

    /// The algorithm as it is written: no cache, each context is compared with that of every selected branch.
    struct Plain {
        dominators: Option<EdgeDominators>,
        k: u32,
        depth: usize,
        current: Vec<Item>,
        lists: Vec<Vec<Item>>,
        selected: Vec<Item>,
        unlimited: bool,
        skipped: usize,
        growing: bool,
    }

    impl Plain {
        fn waiting(&self) -> usize {
            self.lists.iter().map(Vec::len).sum()
        }

        fn is_old(&mut self, view: &View<'_>, item: &mut Item) -> bool {
            let dominators = self.dominators.as_ref();
            item.grow(view, dominators, self.k);
            let mut selected = self.selected.iter_mut();
            selected.any(|other| {
                other.grow(view, dominators, self.k);
                other.hash == item.hash
            })
        }
    }

    impl Strategy for Plain {
        fn on_path(&mut self, view: &View<'_>, path: &NewPath<'_>) {
            for &node in path.new_nodes() {
                let depth = view.tree.depth(node) as usize;
                let length = self.lists.len().max(depth + 1);
                self.lists.resize_with(length, Vec::new);
                let branches = view.tree.candidates(node);
                self.lists[depth].extend(branches.map(|branch| Item::new(view, branch)));
            }
        }

        fn pick(&mut self, view: &View<'_>, rng: &mut Rng) -> Option<Candidate> {
            loop {
                while let Some(mut item) = self.current.pop() {
                    if !view.tree.is_open(item.branch) {
                        continue;
                    }
                    let old = self.is_old(view, &mut item);
                    if !old || (self.unlimited && item.complete) {
                        self.selected.push(item);
                        return Some(item.branch);
                    }
                    self.skipped += 1;
                    self.growing |= !item.complete;
                    self.lists[self.depth - 1].push(item);
                }
                if self.depth < self.lists.len() {
                    std::mem::swap(&mut self.current, &mut self.lists[self.depth]);
                    rng.shuffle(&mut self.current);
                    self.depth += 1;
                    continue;
                }
                if self.waiting() == 0 {
                    return None;
                }
                self.unlimited = self.waiting() == self.skipped && !self.growing;
                self.k += u32::from(!self.unlimited);
                (self.depth, self.skipped, self.growing) = (0, 0, false);
            }
        }

        fn bytes(&self) -> usize {
            0
        }
    }

    /// Asks both, and compares.
    struct Both(Cgs, Plain);

    impl Strategy for Both {
        fn on_path(&mut self, view: &View<'_>, path: &NewPath<'_>) {
            self.0.on_path(view, path);
            self.1.on_path(view, path);
        }

        fn pick(&mut self, view: &View<'_>, rng: &mut Rng) -> Option<Candidate> {
            let mut same = rng.clone();
            let picked = self.0.pick(view, rng);
            let plain = self.1.pick(view, &mut same);
            assert_eq!((picked, self.0.k), (plain, self.1.k));
            assert_eq!(*rng, same);
            picked
        }

        fn bytes(&self) -> usize {
            0
        }
    }

    /// Branches on random inputs with random targets, loops among them, one in four decided by nothing symbolic.
    fn random_model(rng: &mut Rng) -> Model {
        const BLOCKS: usize = 9;
        let blocks = (0..BLOCKS).map(|_| {
            let condition = if rng.below(4) == 0 {
                let rounds = rng.below(4) as u32;
                concrete(move |visit| visit < rounds)
            } else {
                below(rng.below(3), rng.below(256) as u8)
            };
            Block::Branch(condition, rng.below(BLOCKS + 1), rng.below(BLOCKS + 1))
        });
        let blocks: Vec<Block> = blocks.chain([Block::Exit]).collect();
        let mut model = Model::new(3, blocks);
        model.fuel = 100;
        model
    }

    #[test]
    fn picks_are_those_of_the_algorithm_as_written() {
        let mut rng = Rng::new(11);
        let mut picks = 0;
        for seed in 0..1000 {
            let mut model = random_model(&mut rng);
            let dominators = || (seed % 2 == 0).then(|| edge_dominators(&model.program));
            let plain = Plain {
                dominators: dominators(),
                k: 1,
                depth: 0,
                current: Vec::new(),
                lists: Vec::new(),
                selected: Vec::new(),
                unlimited: false,
                skipped: 0,
                growing: false,
            };
            let both = Both(Cgs::new(dominators(), 0), plain);
            let config = Config {
                seed,
                past_coverage: true,
                ..Config::default()
            };
            picks += trace_of(&mut model, Box::new(both), config).lines().count();
        }
        assert!(picks > 5000, "{picks}");
    }
}
