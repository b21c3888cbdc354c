//! Branch residual: at each decision, the side with the most untaken branches on the best way to the function's end.
//!
//! The *residual* of a branch is the number of branches that no run has taken on the best way from it to the end of its
//! function. The search begins at the entry of the program. At each decision it selects the side with the highest
//! residual, and runs the program again whenever that is not the side that was run (Dong, Lin, Yu, Zhou, Chen, *Achieving
//! High Branch Coverage with Fewer Paths*, COMPSACW 2011, as `papers/expectation.txt`, I and IV, describes it).
//!
//! The description leaves some points open:
//!
//! - The best way goes once through each round of a loop, and steps over calls.
//! - Sides with the same residual are equally likely.
//! - A side that was run before is not run again; the walk goes down into it, and leaves out what has nothing left to try.
//! - At the end of a path the walk starts again at the root.
//!
//! **Parameters.** `infeasible` (default `stays`): with `zero`, a branch to which the walk's path condition has no input has
//! residual 0 until a run takes it, as with [`expectation`](super::expectation) (`papers/expectation.txt`, III, says so of its own
//! search).
//!
//! **Cost.** A pick: O(1) for each decision passed. Memory beyond the tree: 5 bytes for each node.
//!
//! **When to choose it.** As the competitor of [`expectation`](super::expectation). It needs many runs to build one path.

use super::{Entry, INFEASIBLE, NewPath, Sources, Strategy, Verdict, View};
use crate::guide::{Rule, Walk, Weighing};
use crate::rng::Rng;
use path::Candidate;
use program::EdgeId;

pub(super) const ENTRY: Entry = Entry {
    name: "branch-residual",
    summary: "Branch residual: at each decision, the side with the most untaken branches on the best way to the function's end.",
    source: include_str!("branch_residual.rs"),
    sources: Sources::Plain,
    params: &[INFEASIBLE],
    make: |program, values| {
        Box::new(BranchResidual {
            refutes: values[0] == 1,
            residuals: Weighing::new(program, Rule::Residual),
            walk: Walk::default(),
        })
    },
};

struct BranchResidual {
    residuals: Weighing,
    walk: Walk,
    /// What has no input has no residual.
    refutes: bool,
}

impl Strategy for BranchResidual {
    fn on_path(&mut self, view: &View<'_>, path: &NewPath<'_>) {
        self.residuals
            .take(path.edges.iter().map(|&(edge, _)| edge));
        self.walk.on_path(view, path);
    }

    fn pick(&mut self, view: &View<'_>, rng: &mut Rng) -> Option<Candidate> {
        let residual = |side: &Candidate| {
            let edge = view.tree.edge(*side);
            edge.map_or(0.0, |edge| self.residuals.of(edge))
        };
        let most = |sides: &[Candidate]| {
            let best = sides.iter().map(residual).fold(0.0, f64::max);
            let ties = || (0..sides.len()).filter(|&index| residual(&sides[index]) >= best);
            let luck = rng.below(ties().count().max(1));
            ties().nth(luck).unwrap_or(0)
        };
        self.walk.pick(view, most)
    }

    fn on_result(&mut self, view: &View<'_>, candidate: Candidate, verdict: Verdict) {
        self.walk.on_result(view, candidate, verdict);
        if self.refutes
            && verdict == Verdict::Unsat
            && let Some(edge) = view.tree.edge(candidate)
            && let Some(branch) = self.residuals.first(edge)
        {
            self.residuals.refute(branch);
        }
    }

    fn on_dead(&mut self, edges: &[EdgeId]) {
        self.residuals.on_dead(edges);
    }

    fn phase(&self) -> String {
        self.walk.phase()
    }

    fn bytes(&self) -> usize {
        self.walk.bytes() + self.residuals.bytes()
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
