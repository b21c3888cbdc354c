//! Breadth first: the shallowest decision of the whole tree.
//!
//! The strategy picks the candidate with the fewest decisions before it, from the whole execution tree. Of several such
//! candidates it picks the one that was found first (`papers/cgs.txt`, 2.3.1). The paper leaves the order within a depth
//! open.
//!
//! **Cost.** A pick: O(log n). Memory beyond the tree: n candidates.
//!
//! **When to choose it.** For programs that reject most inputs early, and as the baseline of the papers. Its queries are
//! the shortest, but it never reaches decisions deep in a path within a budget.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use super::{Entry, NewPath, Sources, Strategy, View};
use crate::rng::Rng;
use path::Candidate;

pub(super) const ENTRY: Entry = Entry {
    name: "bfs",
    summary: "Breadth first: the shallowest decision of the whole tree.",
    source: include_str!("bfs.rs"),
    sources: Sources::Plain,
    params: &[],
    make: |_, _| Box::new(Bfs::default()),
};

#[derive(Default)]
struct Bfs {
    /// Nodes are numbered in the order in which they were found, so depth and candidate are the order wanted.
    waiting: BinaryHeap<Reverse<(u32, Candidate)>>,
}

impl Strategy for Bfs {
    fn on_path(&mut self, view: &View<'_>, path: &NewPath<'_>) {
        let candidates = path
            .new_nodes()
            .iter()
            .flat_map(|&node| view.tree.candidates(node));
        self.waiting.extend(
            candidates.map(|candidate| Reverse((view.tree.depth(candidate.node), candidate))),
        );
    }

    fn pick(&mut self, view: &View<'_>, _rng: &mut Rng) -> Option<Candidate> {
        let next = || self.waiting.pop().map(|Reverse((_, candidate))| candidate);
        std::iter::from_fn(next).find(|&candidate| view.tree.is_open(candidate))
    }

    fn phase(&self) -> String {
        let depth = self.waiting.peek().map_or(0, |Reverse((depth, _))| *depth);
        format!("depth {depth}, {} waiting", self.waiting.len())
    }

    fn bytes(&self) -> usize {
        self.waiting.capacity() * size_of::<(u32, Candidate)>()
    }
}

#[cfg(test)]
mod tests {
    use expect_test::{Expect, expect};

    use crate::testing::{Block, Model, below, trace};

    fn check(strategy: &str, expected: &Expect) {
        // Three conditions in a row, each on an input of its own; the first decides whether the others come.
        let mut model = Model::new(
            3,
            vec![
                Block::Branch(below(0, 10), 1, 3),
                Block::Branch(below(1, 10), 2, 2),
                Block::Branch(below(2, 10), 3, 3),
                Block::Exit,
            ],
        );
        expected.assert_eq(&trace(&mut model, strategy, 1));
    }

    #[test]
    fn by_depth() {
        check(
            "bfs",
            &expect![[r#"
            depth 1, 2 waiting: [] edge0 taken
            depth 2, 1 waiting: [1] edge2 taken
            depth 2, 1 waiting: [1 3] edge4 taken
            depth 0, 0 waiting: [1 2] edge4 taken
            exhausted, 5 runs, gaps: 
        "#]],
        );
    }
}
