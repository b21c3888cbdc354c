//! Minimum distance to uncovered: the side from which the fewest branches lead to one that no run has taken.
//!
//! Open sides are kept in groups, one for each edge (and one for each place of a library decision). A group's price is
//! its distance, the number of branches that have to be taken from there to reach an edge that no run has taken (0
//! when its own edge is such a one), plus a fee that grows with the logarithm of how often the group was tried since
//! it last led to something new. The cheapest group is picked, and in it a side at random, since what tells two sides
//! of one edge apart is the path before it, and which of them is the right one cannot be seen from the distance.
//!
//! The distance is KLEE's (`md2u`, as described in `papers/cgs.txt`, 2.3), counted in branches instead of
//! instructions, over calls and returns. KLEE draws states at random, weighted by the inverse square of the distance;
//! here the fee does the spreading: an uncovered branch that nothing reaches costs `log n` of the picks of the others.
//!
//! **When to choose it.** When there is code that the other strategies do not get to: it goes for it. Alone it may
//! insist on one place for long; [`mix`](super::mix) has it take turns.

use program::Program;

use super::{Entry, NewPath, Strategy, View};
use crate::guide::{Frontier, Group, Targets};
use crate::rng::Rng;
use crate::tree::Candidate;

pub(super) const ENTRY: Entry = Entry {
    name: "md2u",
    summary: "Minimum distance to uncovered: the side from which the fewest branches lead to one that no run has taken.",
    source: include_str!("md2u.rs"),
    params: &[],
    make: |program, _| Box::new(Md2u::new(program)),
};

/// Price of one branch of distance.
const STEP: u32 = 8;
/// Price of doubling the tries.
const FEE: u32 = 12;
/// Distance of what comes before every edge.
const NEAR: u32 = 8;
/// Distance of what leads nowhere new.
const FAR: u32 = 40;

struct Md2u {
    targets: Targets,
    /// Edges that were taken when the last path came.
    taken: usize,
    frontier: Frontier,
    /// Group of the last pick.
    last: Option<usize>,
}

impl Md2u {
    fn new(program: &Program) -> Md2u {
        Md2u {
            targets: Targets::new(program),
            taken: 0,
            frontier: Frontier::default(),
            last: None,
        }
    }
}

fn price(targets: &Targets, group: &Group) -> u64 {
    let known = group.edge.and_then(|edge| targets.distance(edge));
    let fee = (group.tries + 1).ilog2() * FEE;
    let unknown = if group.edge.is_some() { FAR } else { NEAR };
    u64::from(known.unwrap_or(unknown).min(FAR) * STEP + fee)
}

impl Strategy for Md2u {
    fn on_path(&mut self, view: &View<'_>, path: &NewPath<'_>) {
        self.targets.on_path(path);
        for &node in path.new_nodes() {
            for side in view.tree.candidates(node) {
                self.frontier.add_by_edge(view, side);
            }
        }
        if self.taken != view.edges_taken
            && let Some(last) = self.last
        {
            self.frontier.forget_tries(last);
        }
        self.taken = view.edges_taken;
    }

    fn pick(&mut self, view: &View<'_>, rng: &mut Rng) -> Option<Candidate> {
        let targets = &self.targets;
        // Distances only grow, so what the queue asks is never too much.
        let picked = self
            .frontier
            .pick(view, rng, |_, group| price(targets, group));
        let (side, group) = picked?;
        self.last = Some(group);
        Some(side)
    }

    fn phase(&self) -> String {
        let price = self.frontier.cheapest().unwrap_or(0);
        format!("{} places, price {price}", self.frontier.len())
    }

    fn bytes(&self) -> usize {
        self.frontier.bytes()
    }
}

#[cfg(test)]
mod tests {
    use expect_test::expect;
    use smt::Op;

    use crate::testing::{Block, Model, below, on, trace};

    #[test]
    fn goes_for_what_is_near() {
        // Two conditions that lead nowhere new, then a chain of two into the last block.
        let mut model = Model::new(
            4,
            vec![
                Block::Branch(below(0, 10), 1, 1),
                Block::Branch(below(1, 10), 2, 2),
                Block::Branch(on(2, Op::Eq, 7), 3, 5),
                Block::Branch(on(3, Op::Eq, 9), 4, 5),
                Block::Exit,
                Block::Exit,
            ],
        );
        expect![[r#"
            3 places, price 0: [1] edge2 taken
            3 places, price 0: [] edge0 taken
            3 places, price 8: [1 3] edge5 taken
            4 places, price 8: [1 3 5] edge7 taken
            4 places, price 320: [1 2] edge5 taken
            4 places, price 320: [1 2 5] edge7 taken
            4 places, price 332: [0] edge2 taken
            4 places, price 332: [0 3] edge5 taken
            4 places, price 332: [0 2] edge5 taken
            4 places, price 332: [0 2 5] edge7 taken
            4 places, price 0: [0 3 5] edge7 taken
            exhausted, 12 runs, gaps: 
        "#]]
        .assert_eq(&trace(&mut model, "md2u", 1));
    }
}
