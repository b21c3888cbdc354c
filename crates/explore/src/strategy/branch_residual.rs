//! Branch residual: at each decision towards the side with most branches that no run has taken.
//!
//! The *residual* of a branch is the number of branches that no run has taken on the best way from it to the end of its
//! function. The search begins at the entry of the program and selects, decision by decision, the side with the highest
//! residual, running the program again whenever that is not the side that was run (Dong, Lin, Yu, Zhou, Chen,
//! *Achieving High Branch Coverage with Fewer Paths*, COMPSACW 2011, as `papers/expectation.txt`, I and IV, describes it).
//!
//! What the description leaves open: the best way goes through each round of a loop once and over calls. Sides with the
//! same residual are equally likely. What was run before is not run again; the walk goes down into it, and leaves out
//! what has nothing left to try. At the end of a path it starts again at the root.
//!
//! **When to choose it.** As the competitor of [`expectation`](super::expectation); it needs many runs to build one path.

use program::{EdgeId, SecondaryMap};

use super::{Entry, NewPath, Strategy, Verdict, View};
use crate::guide::{Living, Succession};
use crate::rng::Rng;
use crate::tree::{Candidate, NodeId};

pub(super) const ENTRY: Entry = Entry {
    name: "branch-residual",
    summary: "Branch residual: at each decision towards the side with most branches that no run has taken.",
    source: include_str!("branch_residual.rs"),
    params: &[],
    make: |program, _| {
        Box::new(BranchResidual {
            succession: Succession::new(program),
            residuals: SecondaryMap::default(),
            computed: None,
            living: Living::default(),
            root: None,
            at: None,
            picked: None,
            walks: 0,
        })
    },
};

struct BranchResidual {
    succession: Succession,
    residuals: SecondaryMap<EdgeId, f64>,
    /// Edges taken when the residuals were computed.
    computed: Option<usize>,
    living: Living,
    root: Option<NodeId>,
    /// Where the walk goes on.
    at: Option<NodeId>,
    picked: Option<Candidate>,
    /// Walks that started at the root.
    walks: u64,
}

impl Strategy for BranchResidual {
    fn on_path(&mut self, view: &View<'_>, path: &NewPath<'_>) {
        self.living.on_path(view, path);
        self.root = self.root.or(path.nodes.first().copied());
        if let Some(picked) = self.picked.take() {
            let behind = view.tree.depth(picked.node) as usize + 1;
            self.at = path.nodes.get(behind).copied();
        }
    }

    fn pick(&mut self, view: &View<'_>, rng: &mut Rng) -> Option<Candidate> {
        if self.computed != Some(view.edges_taken) {
            self.residuals = self.succession.residual(view);
            self.computed = Some(view.edges_taken);
        }
        let residual = |side: &Candidate| {
            let edge = view.tree.edge(*side);
            edge.map_or(0.0, |edge| self.residuals[edge])
        };
        let mut most = |sides: &[Candidate]| {
            let best = sides.iter().map(residual).fold(0.0, f64::max);
            let ties = || (0..sides.len()).filter(|&index| residual(&sides[index]) >= best);
            let luck = rng.below(ties().count().max(1));
            ties().nth(luck).unwrap_or(0)
        };
        let here = self.at.take();
        let from_here = here.and_then(|at| self.living.walk(view.tree, at, &mut most));
        let found = from_here.or_else(|| {
            self.walks += 1;
            self.living.walk(view.tree, self.root?, &mut most)
        });
        self.picked = found;
        found
    }

    fn on_result(&mut self, view: &View<'_>, candidate: Candidate, verdict: Verdict) {
        self.living.on_result(view.tree, candidate);
        if verdict != Verdict::Taken && self.picked == Some(candidate) {
            self.picked = None;
            self.at = Some(candidate.node);
        }
    }

    fn phase(&self) -> String {
        format!("{} walks from the root", self.walks)
    }

    fn bytes(&self) -> usize {
        self.living.bytes() + self.succession.bytes()
    }
}

#[cfg(test)]
mod tests {
    use expect_test::expect;
    use smt::Op;

    use crate::testing::{Block, Model, below, on, trace};

    #[test]
    fn towards_the_residual() {
        // The first condition leads to two more, or past them; zeros go past them.
        let mut model = Model::new(
            4,
            vec![
                Block::Branch(on(0, Op::Eq, 7), 1, 3),
                Block::Branch(below(1, 10), 2, 2),
                Block::Branch(below(2, 10), 3, 3),
                Block::Branch(below(3, 10), 4, 4),
                Block::Exit,
            ],
        );
        expect![[r#"
            1 walks from the root: [] edge1 taken
            1 walks from the root: [1] edge2 taken
            1 walks from the root: [1 2] edge4 taken
            1 walks from the root: [1 2 4] edge6 taken
            2 walks from the root: [0] edge6 taken
            3 walks from the root: [1 3] edge4 taken
            3 walks from the root: [1 3 4] edge6 taken
            4 walks from the root: [1 2 5] edge6 taken
            5 walks from the root: [1 3 5] edge6 taken
            exhausted, 10 runs, gaps: 
        "#]]
        .assert_eq(&trace(&mut model, "branch-residual", 1));
    }
}
