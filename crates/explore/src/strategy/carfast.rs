//! CarFast: of the sides whose branch no run has taken, the one with the most code behind it.
//!
//! The strategy is greedy. Among the sides whose branch no run has taken, it picks the one with the highest number of
//! statements that are transitively control-dependent on it. This number is what the side can cover at best
//! (`papers/cgs.txt`, 2.3.3; Park, Hossain, Hussain, Csallner, Grechanik, Taneja, Fu, Xie, *CarFast: Achieving Higher
//! Statement Coverage Faster*, FSE 2012).
//!
//! The paper leaves some points open:
//!
//! - *Statements* are instructions of the model that do not end a block. The statements of a called function count once
//!   for each call, as long as the calls are not recursive.
//! - *When the branch of every side was taken*, CarFast has no target. What it does then is a parameter.
//! - Of sides with the same score, sides of branches that were tried less often come first.
//!
//! **Parameters.** `fallback` (default `random`): a side is drawn at random from all of them when there is no target. With `none`
//! the search ends there, as in `papers/cgs.txt` (2.3.3: it "always selects a branch whose opposite branch is not yet
//! covered"; Table 2, where it stays at one number from 1,000 to 4,000 runs on the three drivers. On `grep`, `replace` and
//! `expat` it gains 3 to 11 % in these runs, and the paper does not say from what). Then nothing else is tried either, no
//! checks and no pins; `--no-chance` keeps random changes of tests away as well.
//!
//! **Cost.** A pick: O(log g). Memory beyond the tree: n candidates, g places.
//!
//! **When to choose it.** For large programs and short budgets, where whole functions wait behind one branch. It does not
//! see how a branch was reached.

use program::callgraph::CallGraph;
use program::{EdgeId, Program, SecondaryMap};

use super::{Entry, NewPath, Param, Sources, Strategy, View, draw};
use crate::guide::{Group, PricedQueue, weights};
use crate::rng::Rng;
use path::Candidate;

pub(super) const ENTRY: Entry = Entry {
    name: "carfast",
    summary: "CarFast: of the sides whose branch no run has taken, the one with the most code behind it.",
    source: include_str!("carfast.rs"),
    sources: Sources::Plain,
    params: &[Param {
        name: "fallback",
        summary: "what is tried when there is no target",
        default: 0,
        min: 0,
        max: 1,
        words: &["random", "none"],
    }],
    make: |program, values| {
        Box::new(CarFast {
            saturates: values[0] == 1,
            ..CarFast::new(program)
        })
    },
};

struct CarFast {
    /// Statements behind each edge.
    scores: SecondaryMap<EdgeId, u64>,
    edges: usize,
    queue: PricedQueue,
    rest: Vec<Candidate>,
    /// Without a target nothing is picked.
    saturates: bool,
}

impl CarFast {
    fn new(program: &Program) -> CarFast {
        CarFast {
            scores: weights::statements(program, &CallGraph::new(program)),
            edges: program.edges.len(),
            queue: PricedQueue::default(),
            rest: Vec::new(),
            saturates: false,
        }
    }
}

impl Strategy for CarFast {
    fn on_path(&mut self, view: &View<'_>, path: &NewPath<'_>) {
        for &node in path.new_nodes() {
            for side in view.tree.candidates(node) {
                match view.tree.edge(side) {
                    Some(edge) if view.edge_hits[edge] == 0 => {
                        self.queue.add_by_edge(view, side, 0);
                    }
                    _ => self.rest.push(side),
                }
            }
        }
    }

    fn pick(&mut self, view: &View<'_>, rng: &mut Rng) -> Option<Candidate> {
        let scores = &self.scores;
        // Covered sides go to the back of the queue when they come up, which is when their price is looked at again.
        let price = |_: usize, group: &Group| match group.edge {
            Some(edge) if view.edge_hits[edge] == 0 => {
                ((u64::from(u32::MAX) - scores[edge].min(u64::from(u32::MAX))) << 20)
                    + u64::from(group.tries.min(1 << 19))
            }
            _ => u64::MAX,
        };
        loop {
            let Some((side, group)) = self.queue.pick(view, rng, price) else {
                if self.saturates {
                    return None;
                }
                return draw(&mut self.rest, view, rng);
            };
            let edge = self.queue.group_mut(group).edge;
            if edge.is_some_and(|edge| view.edge_hits[edge] == 0) {
                return Some(side);
            }
            self.rest.push(side);
        }
    }

    fn is_alone(&self) -> bool {
        self.saturates
    }

    fn phase(&self) -> String {
        format!(
            "{} branches, {} other sides",
            self.queue.len(),
            self.rest.len()
        )
    }

    fn bytes(&self) -> usize {
        self.queue.bytes()
            + self.rest.capacity() * size_of::<Candidate>()
            + self.edges * size_of::<u64>()
    }
}

#[cfg(test)]
mod tests {
    use expect_test::expect;
    use smt::Op;

    use crate::testing::{Block, Model, below, on, trace};

    #[test]
    fn much_code_first() {
        // Behind the second condition lie two more; behind the others nothing.
        let mut model = Model::new(
            4,
            vec![
                Block::Branch(below(0, 10), 1, 1),
                Block::Branch(on(1, Op::Eq, 7), 2, 4),
                Block::Branch(below(2, 10), 3, 3),
                Block::Branch(below(3, 10), 4, 4),
                Block::Exit,
            ],
        );
        expect![[r#"
            2 branches, 0 other sides: [1] edge3 taken
            4 branches, 0 other sides: [1 3 5] edge6 taken
            4 branches, 0 other sides: [] edge0 taken
            4 branches, 1 other sides: [1 3] edge4 taken
            4 branches, 1 other sides: [1 3 4] edge6 taken
            4 branches, 0 other sides: [0] edge3 taken
            4 branches, 1 other sides: [0 3 5] edge6 taken
            4 branches, 0 other sides: [0 3] edge4 taken
            4 branches, 0 other sides: [0 3 4] edge6 taken
            exhausted, 10 runs, gaps: 
        "#]]
        .assert_eq(&trace(&mut model, "carfast", 1));
    }

    /// All sides are covered by four runs: the first, and one for each condition but those behind the second's true side, which
    /// bring two with them.
    #[test]
    fn saturates_without_a_fall_back() {
        let mut model = Model::new(
            2,
            vec![
                Block::Branch(below(0, 10), 1, 1),
                Block::Branch(on(1, Op::Eq, 7), 2, 2),
                Block::Exit,
            ],
        );
        expect![[r#"
            2 branches, 0 other sides: [] edge0 taken
            2 branches, 0 other sides: [1] edge3 taken
            exhausted, 3 runs, gaps: 1 candidate not tried
        "#]]
        .assert_eq(&trace(&mut model, "carfast:fallback=none", 1));
    }
}
