//! Random path: a walk from the root for each pick, with a fair choice at each fork.
//!
//! The walk goes from the root of the execution tree down to a side that was not tried. At each fork, every side below
//! which something is left to try is equally likely (KLEE's `random-path`, Cadar, Dunbar, Engler, OSDI 2008, section 3.4;
//! described in `papers/caut-pps.txt`, V-A, as "a probabilistic version of breadth-first search, which weighs a path
//! candidate of length l by 2^-l").
//!
//! **Cost.** A pick: O(1) for each fork passed. Memory beyond the tree: 5 bytes for each node.
//!
//! **When to choose it.** Where loops make many paths: they do not hold it up, because a subtree counts once, however many
//! sides it has. It works best in turns with a strategy that has a target: [`rp-md2u`](super::rp_md2u).

use super::{Entry, NewPath, Sources, Strategy, Verdict, View};
use crate::guide::Living;
use crate::rng::Rng;
use path::{Candidate, NodeId};

pub(super) const ENTRY: Entry = Entry {
    name: "random-path",
    summary: "Random path: a walk from the root for each pick, with a fair choice at each fork.",
    source: include_str!("random_path.rs"),
    sources: Sources::Plain,
    params: &[],
    make: |_, _| Box::new(RandomPath::default()),
};

#[derive(Default)]
struct RandomPath {
    living: Living,
    root: Option<NodeId>,
    /// Forks that the last walk came to.
    forks: usize,
}

impl Strategy for RandomPath {
    fn on_path(&mut self, view: &View<'_>, path: &NewPath<'_>) {
        self.living.on_path(view, path);
        self.root = self.root.or(path.nodes.first().copied());
    }

    fn pick(&mut self, view: &View<'_>, rng: &mut Rng) -> Option<Candidate> {
        let mut forks = 0;
        let fair = |sides: &[Candidate]| {
            forks += 1;
            rng.below(sides.len())
        };
        let found = self.living.walk(view.tree, self.root?, fair);
        self.forks = forks;
        found
    }

    fn on_result(&mut self, view: &View<'_>, candidate: Candidate, _verdict: Verdict) {
        self.living.on_result(view.tree, candidate);
    }

    fn phase(&self) -> String {
        format!("{} forks", self.forks)
    }

    fn bytes(&self) -> usize {
        self.living.bytes()
    }
}

#[cfg(test)]
mod tests {
    use expect_test::expect;

    use crate::testing::{three_in_a_row, trace};

    #[test]
    fn walks_from_the_root() {
        expect![[r#"
            2 forks: [1 3] edge4 taken
            1 forks: [1] edge2 taken
            1 forks: [] edge0 taken
            0 forks: [1 2] edge4 taken
            exhausted, 5 runs, gaps: 
        "#]]
        .assert_eq(&trace(&mut three_in_a_row(), "random-path", 1));
    }
}
