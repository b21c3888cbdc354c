//! Uniform random: a coin at each decision, from the root down.
//!
//! The strategy starts at the root and flips a coin at the first decision: follow the path that was run, or take the other
//! side. It picks that side if it was not run before, and goes on behind it in the path that results. At the end of a path
//! it starts again at the root (`papers/cgs.txt`, 2.3.2; CREST's `UniformRandomSearch`).
//!
//! The paper leaves some points open. A side that was run before is not run again: the walk goes down into what is known of
//! it. A decision with more sides than two is a fair die. Sides below which everything was tried are left out, so that
//! every pick is worth a run. When the solver has no input, the walk goes on where it is.
//!
//! **Cost.** A pick: O(1) for each fork passed. Memory beyond the tree: 5 bytes for each node.
//!
//! **When to choose it.** As a baseline. As in breadth-first search shallow decisions are preferred to deep ones, but the
//! picks are spread.

use super::{Entry, NewPath, Sources, Strategy, Verdict, View};
use crate::guide::Walk;
use crate::rng::Rng;
use path::Candidate;

pub(super) const ENTRY: Entry = Entry {
    name: "uniform-random",
    summary: "Uniform random: a coin at each decision, from the root down.",
    source: include_str!("uniform_random.rs"),
    sources: Sources::Plain,
    params: &[],
    make: |_, _| Box::new(UniformRandom::default()),
};

#[derive(Default)]
struct UniformRandom {
    walk: Walk,
}

impl Strategy for UniformRandom {
    fn on_path(&mut self, view: &View<'_>, path: &NewPath<'_>) {
        self.walk.on_path(view, path);
    }

    fn pick(&mut self, view: &View<'_>, rng: &mut Rng) -> Option<Candidate> {
        self.walk.pick(view, |sides| rng.below(sides.len()))
    }

    fn on_result(&mut self, view: &View<'_>, candidate: Candidate, verdict: Verdict) {
        self.walk.on_result(view, candidate, verdict);
    }

    fn phase(&self) -> String {
        self.walk.phase()
    }

    fn bytes(&self) -> usize {
        self.walk.bytes()
    }
}

#[cfg(test)]
mod tests {
    use expect_test::expect;

    use crate::testing::{three_in_a_row, trace};

    #[test]
    fn goes_on_where_it_was() {
        expect![[r#"
            1 walks from the root: [1 3] edge4 taken
            2 walks from the root: [1] edge2 taken
            2 walks from the root: [1 2] edge4 taken
            3 walks from the root: [] edge0 taken
            exhausted, 5 runs, gaps: 
        "#]]
        .assert_eq(&trace(&mut three_in_a_row(), "uniform-random", 1));
    }
}
