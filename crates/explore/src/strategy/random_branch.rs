//! Random branch: a random decision of the last path, then of the path that results, and so on.
//!
//! After each run the strategy draws a decision from the new path; all are equally likely (`papers/cgs.txt`, 2.3.2;
//! CREST's `RandomSearch`). When the solver has no input for it, another is drawn from the same path.
//!
//! The paper leaves some points open. CREST also draws decisions whose other side was run before, and runs it again. CREST
//! restarts after 10,000 runs without anything new as well; this implementation does not.
//!
//! **Parameters.** `restart` (default `known`): only open sides are drawn, because a known run teaches nothing, and when none is
//! left on the path, one from the whole tree. With `random` it is CREST's search: sides that were taken before are drawn as
//! well, and when the path has none left, the search goes on with a new input drawn at random.
//!
//! **Cost.** A pick: O(1). Memory beyond the tree: 2n candidates.
//!
//! **When to choose it.** As the baseline that is hard to beat: it has no parameter and no bias, and its picks are spread
//! over the whole depth of the path.

use super::{Entry, NewPath, Pick, RESTART, Sources, Strategy, View, draw, side_of};
use crate::guide::{sides_of_path, wish};
use crate::rng::Rng;
use path::{Candidate, RunId};

pub(super) const ENTRY: Entry = Entry {
    name: "random-branch",
    summary: "Random branch: a random decision of the last path, then of the path that results, and so on.",
    source: include_str!("random_branch.rs"),
    sources: Sources::Plain,
    params: &[RESTART],
    make: |_, values| {
        Box::new(RandomBranch {
            draws: values[0] == 1,
            ..RandomBranch::default()
        })
    },
};

#[derive(Default)]
struct RandomBranch {
    /// Restarts with an input that is drawn.
    draws: bool,
    /// Of the last path, and its run.
    path: Vec<Candidate>,
    run: Option<RunId>,
    /// Of the whole tree; may hold some that are not open any more.
    all: Vec<Candidate>,
}

impl Strategy for RandomBranch {
    fn on_path(&mut self, view: &View<'_>, path: &NewPath<'_>) {
        self.path = sides_of_path(view, path.nodes, self.draws);
        self.run = Some(path.run);
        self.all.extend(
            path.new_nodes()
                .iter()
                .flat_map(|&node| view.tree.candidates(node)),
        );
    }

    fn pick(&mut self, view: &View<'_>, rng: &mut Rng) -> Option<Candidate> {
        side_of(self.next(view, rng)?)
    }

    fn next(&mut self, view: &View<'_>, rng: &mut Rng) -> Option<Pick> {
        if self.draws {
            while !self.path.is_empty() {
                let side = self.path.swap_remove(rng.below(self.path.len()));
                let wish = wish(view, side, self.run);
                if wish.is_some() {
                    return wish;
                }
            }
            return Some(Pick::Draw);
        }
        match draw(&mut self.path, view, rng) {
            None => draw(&mut self.all, view, rng).map(Pick::Side),
            found => found.map(Pick::Side),
        }
    }

    fn phase(&self) -> String {
        format!(
            "{} on the path, {} in the tree",
            self.path.len(),
            self.all.len()
        )
    }

    fn bytes(&self) -> usize {
        (self.path.capacity() + self.all.capacity()) * size_of::<Candidate>()
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
    fn stays_on_the_last_path() {
        check(
            "random-branch",
            &expect![[r#"
            2 on the path, 3 in the tree: [1 3] edge4 taken
            1 on the path, 3 in the tree: [1] edge2 taken
            1 on the path, 4 in the tree: [1 2] edge4 taken
            0 on the path, 4 in the tree: [] edge0 taken
            exhausted, 5 runs, gaps: 
        "#]],
        );
    }
}
