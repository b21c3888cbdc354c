//! Subpath: the side behind the branches that were taken least often in this order.
//!
//! The *length-n subpath* of a side is the side and the n - 1 branches before it. The strategy counts how often each
//! subpath was executed, and picks the side with the lowest count, among equals one at random (Li, Su, Wang, Li, *Steering
//! Symbolic Execution to Less Traveled Paths*, OOPSLA 2013, section 3).
//!
//! The paper leaves some points open. Runs that share a prefix execute it once, as states that were forked behind it do. A
//! pick counts as an execution of the side's subpath even where the solver has no input for it, so that the search does not
//! insist on a subpath. Branches are those of the whole path, concrete ones included.
//!
//! **Parameters.** `n` (default 4): length of the subpaths. The paper tries 1, 2, 4 and 8, and finds that no length is best
//! everywhere; 1 counts branches.
//!
//! **Cost.** A pick: O(log s). Memory beyond the tree: n candidates, s subpaths.
//!
//! **When to choose it.** For programs with many similar paths (loops over records, state machines), where rare paths are
//! new ones.

use super::{Entry, NewPath, Param, Sources, Strategy, View};
use crate::guide::{Group, PricedQueue};
use crate::rng::Rng;
use path::hash::{HashTable, mix};
use path::{Candidate, NodeId};

pub(super) const ENTRY: Entry = Entry {
    name: "subpath",
    summary: "Subpath: the side behind the branches that were taken least often in this order.",
    source: include_str!("subpath.rs"),
    sources: Sources::Plain,
    params: &[Param {
        name: "n",
        summary: "branches in a subpath",
        default: 4,
        min: 1,
        max: 1024,
        words: &[],
    }],
    make: |_, values| {
        Box::new(Subpath {
            n: values[0] as usize,
            queue: PricedQueue::default(),
            slots: HashTable::default(),
            counts: Vec::new(),
            groups: Vec::new(),
            last: Vec::new(),
        })
    },
};

struct Subpath {
    n: usize,
    queue: PricedQueue,
    /// Place in `counts` of each subpath, by its hash.
    slots: HashTable<u32>,
    counts: Vec<u32>,
    /// Place in `counts` of each group of the queue.
    groups: Vec<u32>,
    /// Scratch: the branches before a node, latest first.
    last: Vec<u64>,
}

impl Subpath {
    /// Hash of the subpath that ends in this side.
    fn hash(&self, view: &View<'_>, node: NodeId, side: u32) -> u64 {
        let own = match view.tree.edge(Candidate { node, side }) {
            Some(edge) => u64::from(edge.as_u32()) << 1,
            None => {
                let spot = view.tree.spot(node).map_or(0, |spot| spot.as_u32());
                (u64::from(spot) << 2) | u64::from(side << 1) | 1
            }
        };
        self.last
            .iter()
            .fold(mix(1, own), |hash, &edge| mix(hash, edge))
    }

    fn slot(&mut self, hash: u64) -> u32 {
        let next = self.counts.len() as u32;
        let slot = *self.slots.entry(hash).or_insert(next);
        if slot == next {
            self.counts.push(0);
        }
        slot
    }
}

impl Strategy for Subpath {
    fn on_path(&mut self, view: &View<'_>, path: &NewPath<'_>) {
        // The side through which the path left what was known was executed as well.
        for (index, &node) in path
            .nodes
            .iter()
            .enumerate()
            .skip(path.known.saturating_sub(1))
        {
            if !view.tree.kind(node).for_strategies() {
                continue;
            }
            let mut cursor = view.tree.cursor(node);
            let back = std::iter::from_fn(|| view.tree.edge_back(&mut cursor));
            self.last.clear();
            self.last
                .extend(back.take(self.n - 1).map(|edge| u64::from(edge.as_u32())));
            let taken = path
                .nodes
                .get(index + 1)
                .and_then(|&next| view.tree.parent(next));
            if let Some(taken) = taken {
                let hash = self.hash(view, node, taken.side);
                let slot = self.slot(hash);
                self.counts[slot as usize] += 1;
            }
            if index < path.known {
                continue;
            }
            for side in view.tree.candidates(node) {
                let hash = self.hash(view, node, side.side);
                let slot = self.slot(hash);
                let group = self.queue.add(u64::from(slot), None, side);
                if group == self.groups.len() {
                    self.groups.push(slot);
                }
            }
        }
    }

    fn pick(&mut self, view: &View<'_>, rng: &mut Rng) -> Option<Candidate> {
        let (counts, groups) = (&self.counts, &self.groups);
        let price = |index: usize, group: &Group| {
            u64::from(counts[groups[index] as usize]) + u64::from(group.tries)
        };
        let found = self.queue.pick(view, rng, price);
        found.map(|(side, _)| side)
    }

    fn phase(&self) -> String {
        let lowest = self.queue.cheapest().unwrap_or(0);
        format!("{} subpaths, lowest {lowest}", self.counts.len())
    }

    fn bytes(&self) -> usize {
        self.queue.bytes()
            + self.slots.capacity() * 13
            + (self.counts.capacity() + self.groups.capacity()) * 4
    }
}

#[cfg(test)]
mod tests {
    use expect_test::expect;

    use crate::testing::{Block, Model, below, concrete, trace};

    #[test]
    fn the_rare_comes_first() {
        // A loop of four rounds with a condition in each, another each time, and one condition behind it.
        let round: crate::testing::Condition = Box::new(|pool, inputs, visit| {
            let bound = pool.constant(8, 10 - u128::from(visit));
            pool.cmp(smt::Op::Ult, inputs[0], bound)
        });
        let mut model = Model::new(
            2,
            vec![
                Block::Branch(concrete(|visit| visit < 4), 1, 2),
                Block::Branch(round, 0, 0),
                Block::Branch(below(1, 10), 3, 3),
                Block::Exit,
            ],
        );
        expect![[r#"
            4 subpaths, lowest 0: [1 3 1 3 1] edge2 taken
            4 subpaths, lowest 1: [1 3 1 3 1 3 1 3 0] edge4 taken
            4 subpaths, lowest 3: [1 3 1 3 1 2 1 2 0] edge4 taken
            4 subpaths, lowest 4: [1 3 1 3 1 3 1] edge2 taken
            4 subpaths, lowest 4: [1 3 1 3 1 2 1] edge3 unsat
            4 subpaths, lowest 4: [1 3 1 3 1 3 1 2 0] edge4 taken
            4 subpaths, lowest 6: [1] edge2 taken
            4 subpaths, lowest 6: [1 2 1 2 1] edge3 unsat
            4 subpaths, lowest 6: [1 2 1 2 1 2 1 2 0] edge4 taken
            4 subpaths, lowest 7: [1 2 1] edge3 unsat
            4 subpaths, lowest 10: [1 2 1 2 1 2 1] edge3 unsat
            4 subpaths, lowest 0: [1 3 1] edge2 taken
            4 subpaths, lowest 8: [1 3 1 2 1 2 1 2 0] edge4 taken
            4 subpaths, lowest 9: [1 3 1 2 1 2 1] edge3 unsat
            4 subpaths, lowest 0: [1 3 1 2 1] edge3 unsat
            exhausted, 10 runs, gaps: 
        "#]]
        .assert_eq(&trace(&mut model, "subpath:n=1", 1));
    }

    #[test]
    fn order_counts() {
        expect![[r#"
            6 subpaths, lowest 0: [1] edge2 taken
            8 subpaths, lowest 0: [] edge0 taken
            8 subpaths, lowest 0: [1 2] edge4 taken
            8 subpaths, lowest 0: [1 3] edge4 taken
            exhausted, 5 runs, gaps: 
        "#]]
        .assert_eq(&trace(
            &mut crate::testing::three_in_a_row(),
            "subpath:n=2",
            1,
        ));
    }
}
