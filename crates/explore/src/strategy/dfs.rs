//! Depth first: from each new path, the first decision that the path added.
//!
//! The strategy tries the other side of the first decision that a new path added, then does the same with the path that
//! results. When a path has nothing left it goes back to the one before. This is the search of DART and CREST
//! (`papers/cgs.txt`, 2.3.1; CREST's `BoundedDepthFirstSearch`): branches of one path are selected "in the increasing
//! order of depth".
//!
//! **Parameters.** `bound` (default 0, none): decisions deeper than this are put off until nothing else is left. The paper
//! does not say what is counted; this implementation counts the decisions on the path, constraints included.
//! `deepest-first` (default 0): 1 tries the last decision of a new path first, the order of the original DART.
//!
//! **Cost.** A pick: O(1). Memory beyond the tree: n candidates.
//!
//! **When to choose it.** For small programs, to exhaust them: its memory is small and its queries share long prefixes. It
//! unrolls loops that depend on input for ever; then give a bound, or choose `cgs`.

use super::{Entry, NewPath, Param, Sources, Strategy, View};
use crate::rng::Rng;
use path::Candidate;

pub(super) const ENTRY: Entry = Entry {
    name: "dfs",
    summary: "Depth first: from each new path, the first decision that the path added.",
    source: include_str!("dfs.rs"),
    sources: Sources::Plain,
    params: &[
        Param {
            name: "bound",
            summary: "deepest decision tried, 0 = no bound",
            default: 0,
            min: 0,
            max: u32::MAX as u64,
            words: &[],
        },
        Param {
            name: "deepest-first",
            summary: "1 = a path's last decision first",
            default: 0,
            min: 0,
            max: 1,
            words: &[],
        },
    ],
    make: |_, values| {
        let bound = if values[0] == 0 {
            u32::MAX
        } else {
            values[0] as u32
        };
        Box::new(Dfs {
            bound,
            deepest_first: values[1] == 1,
            stack: Vec::new(),
        })
    },
};

struct Dfs {
    bound: u32,
    deepest_first: bool,
    /// The next candidate is on top.
    stack: Vec<Candidate>,
}

impl Strategy for Dfs {
    fn on_path(&mut self, view: &View<'_>, path: &NewPath<'_>) {
        let start = self.stack.len();
        let within = path
            .new_nodes()
            .iter()
            .take_while(|&&node| view.tree.depth(node) < self.bound);
        self.stack
            .extend(within.flat_map(|&node| view.tree.candidates(node)));
        if !self.deepest_first {
            self.stack[start..].reverse();
        }
    }

    fn pick(&mut self, view: &View<'_>, _rng: &mut Rng) -> Option<Candidate> {
        std::iter::from_fn(|| self.stack.pop()).find(|&candidate| view.tree.is_open(candidate))
    }

    fn phase(&self) -> String {
        format!("{} waiting", self.stack.len())
    }

    fn bytes(&self) -> usize {
        self.stack.capacity() * size_of::<Candidate>()
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
    fn shallow_first() {
        check(
            "dfs",
            &expect![[r#"
            2 waiting: [] edge0 taken
            1 waiting: [1] edge2 taken
            1 waiting: [1 2] edge4 taken
            0 waiting: [1 3] edge4 taken
            exhausted, 5 runs, gaps: 
        "#]],
        );
    }

    #[test]
    fn deep_first() {
        check(
            "dfs:deepest-first=1",
            &expect![[r#"
            2 waiting: [1 3] edge4 taken
            1 waiting: [1] edge2 taken
            1 waiting: [1 2] edge4 taken
            0 waiting: [] edge0 taken
            exhausted, 5 runs, gaps: 
        "#]],
        );
    }

    #[test]
    fn deeper_than_the_bound_comes_last() {
        check(
            "dfs:bound=2",
            &expect![[r#"
            1 waiting: [] edge0 taken
            0 waiting: [1] edge2 taken
            Oldest: [1 3] edge4 taken
            Oldest: [1 2] edge4 taken
            exhausted, 5 runs, gaps: 
        "#]],
        );
    }
}
