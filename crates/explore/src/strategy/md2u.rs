//! Minimum distance to uncovered: the side from which the fewest branches lead to one that no run has taken.
//!
//! Open sides are kept in groups, one for each edge (and one for each place of a library decision). The price of a group is
//! its distance plus a fee. The distance is the number of branches that have to be taken from there to reach an edge that
//! no run has taken (0 when its own edge is such a one). The fee grows with the logarithm of how often the group was tried
//! since it last led to something new. The strategy picks the cheapest group, and in it a side at random: sides of one edge
//! differ in the path before it, and the distance does not show which of them is the right one.
//!
//! The distance is KLEE's (`md2u`; the competitor RP-MD2U in `papers/caut-pps.txt`, V-A), counted in branches instead of instructions,
//! over calls and returns. KLEE draws states at random, weighted by the inverse square of the distance. Here the fee
//! spreads the search: an uncovered branch that nothing reaches costs `log n` of the picks of the others.
//!
//! **Parameters.** `callers` (default `any`) says where a function returns to. With `own`, as in KLEE, it returns to the
//! callers that the path has, and sides of one edge that were called from different places are different groups. With `any`
//! it returns to every possible caller, so that a helper that everything calls seems near to everything. `patience`
//! (default 0, endless): after so many picks that went for an edge because it was nearest, and did not take it, the edge is
//! no target any more. Some edges are taken by no input (`malloc` does not fail), and would draw everything near them for
//! ever. `goals` (default `edges`): with `criterion`, targets are the edges where an open goal of `--criterion` is to be
//! gained, taken or not ("uncovered goals" in `papers/caut-pps.txt`, V-A).
//!
//! **Cost.** A pick: O(log g). Memory beyond the tree: n candidates, g places.
//!
//! **When to choose it.** When there is code that the other strategies do not reach. Alone it may insist on one place for
//! long; [`mix`](super::mix) gives it a share of the picks, with `callers=own:patience=16`.

use program::{EdgeId, Program, SecondaryMap};

use super::{Entry, GOALS, NewPath, Param, Sources, Strategy, Verdict, View};
use crate::guide::{Aim, Group, PricedQueue, Reach, Targets};
use crate::rng::Rng;
use path::{Candidate, StackId};

pub(super) const ENTRY: Entry = Entry {
    name: "md2u",
    summary: "Minimum distance to uncovered: the side from which the fewest branches lead to one that no run has taken.",
    source: include_str!("md2u.rs"),
    sources: Sources::Plain,
    params: &[
        Param {
            name: "callers",
            summary: "to which callers a way may return",
            default: 0,
            min: 0,
            max: 1,
            words: &["any", "own"],
        },
        Param {
            name: "patience",
            summary: "picks after which an edge is given up, 0: never",
            default: 0,
            min: 0,
            max: 1_000_000,
            words: &[],
        },
        GOALS,
    ],
    make: |program, values| Box::new(Md2u::new(program, values)),
};

/// Values of the parameters that pay beside other strategies.
pub(super) const BESIDE_OTHERS: &[u64] = &[1, 16, 0];

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
    goals: Aim,
    patience: u64,
    /// Picks that went for an edge and did not take it.
    vain: SecondaryMap<EdgeId, u64>,
    /// How far coverage was when the last path came.
    taken: u64,
    queue: PricedQueue,
    /// Of each group, below which functions its first side was.
    stacks: Vec<Option<StackId>>,
    /// Group of the last pick.
    last: Option<usize>,
    /// The last pick and the edge that it goes for.
    aim: Option<(Candidate, EdgeId)>,
}

impl Md2u {
    fn new(program: &Program, values: &[u64]) -> Md2u {
        let reach = [Reach::Any, Reach::Own][values[0] as usize];
        let aim = [Aim::Edges, Aim::Goals][values[2] as usize];
        Md2u {
            targets: Targets::new(program, reach, aim),
            goals: aim,
            patience: values[1],
            vain: SecondaryMap::for_map(&program.edges, 0),
            taken: 0,
            queue: PricedQueue::default(),
            stacks: Vec::new(),
            last: None,
            aim: None,
        }
    }

    fn add(&mut self, view: &View<'_>, side: Candidate) {
        let relevant = view.relevant.filter(|_| self.targets.own_callers());
        let stack = relevant.map(|relevant| relevant.stack(side.node));
        let caller = relevant.zip(stack).and_then(|(all, stack)| all.top(stack));
        let context = caller.map_or(0, |(at, _)| u64::from(at.as_u32()) + 1);
        let group = self.queue.add_by_edge(view, side, context);
        if group == self.stacks.len() {
            self.stacks.push(stack);
        }
    }
}

fn price(targets: &Targets, view: &View<'_>, stack: Option<StackId>, group: &Group) -> u64 {
    let distance = |edge| targets.distance(view, edge, stack);
    let known = group.edge.and_then(distance);
    let fee = (group.tries + 1).ilog2() * FEE;
    let unknown = if group.edge.is_some() { FAR } else { NEAR };
    u64::from(known.unwrap_or(unknown).min(FAR) * STEP + fee)
}

impl Strategy for Md2u {
    fn on_path(&mut self, view: &View<'_>, path: &NewPath<'_>) {
        self.targets.on_path(view, path);
        for &node in path.new_nodes() {
            for side in view.tree.candidates(node) {
                self.add(view, side);
            }
        }
        let taken = self.goals.progress(view);
        if self.taken != taken
            && let Some(last) = self.last
        {
            self.queue.forget_tries(last);
        }
        self.taken = taken;
    }

    fn pick(&mut self, view: &View<'_>, rng: &mut Rng) -> Option<Candidate> {
        let (targets, stacks) = (&self.targets, &self.stacks);
        // Distances only grow, so what the queue asks is never too much.
        let price = |index: usize, group: &Group| price(targets, view, stacks[index], group);
        let (side, group) = self.queue.pick(view, rng, price)?;
        self.last = Some(group);
        let edge = self.queue.group(group).edge;
        let edge = edge.filter(|_| self.patience > 0);
        let aim = edge.and_then(|edge| self.targets.nearest(view, edge, self.stacks[group]));
        self.aim = aim.map(|aim| (side, aim));
        Some(side)
    }

    fn on_result(&mut self, view: &View<'_>, side: Candidate, verdict: Verdict) {
        let Some((_, aim)) = self.aim.take_if(|(picked, _)| *picked == side) else {
            return;
        };
        if view.edge_hits[aim] == 0 && verdict != Verdict::Lost {
            self.vain[aim] += 1;
            if self.vain[aim] == self.patience {
                self.targets.remove(aim);
            }
        }
    }

    fn on_dead(&mut self, edges: &[EdgeId]) {
        self.targets.on_dead(edges);
    }

    fn phase(&self) -> String {
        let price = self.queue.cheapest().unwrap_or(0);
        format!("{} places, price {price}", self.queue.len())
    }

    fn bytes(&self) -> usize {
        self.queue.bytes() + self.stacks.capacity() * size_of::<Option<StackId>>()
    }
}

#[cfg(test)]
mod tests {
    use expect_test::expect;
    use smt::{Op, Pool, Term};

    use crate::testing::{Block, Model, below, concrete, on, trace, trace_without};

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

    /// Three rounds, each on an input of its own, past a branch whose other side nothing takes.
    fn with_a_dead_end() -> Model {
        let round = |pool: &mut Pool, inputs: &[Term], visit: u32| {
            let ten = pool.constant(8, 10);
            pool.cmp(Op::Ult, inputs[visit as usize], ten)
        };
        Model::new(
            3,
            vec![
                Block::Branch(Box::new(round), 1, 1),
                Block::Branch(concrete(|_| false), 3, 2),
                Block::Branch(concrete(|visit| visit < 2), 0, 3),
                Block::Exit,
            ],
        )
    }

    #[test]
    fn gives_up_what_nothing_takes() {
        expect![[r#"
            1 places, price 12: [1 2 5] edge0 taken
            1 places, price 12: [1 2 5 0 2 5] edge0 taken
            1 places, price 20: [] edge0 taken
            1 places, price 32: [0 2 5 1 2 5] edge0 taken
            1 places, price 32: [0 2 5] edge0 taken
            1 places, price 32: [0 2 5 0 2 5] edge0 taken
            1 places, price 0: [1 2 5 1 2 5] edge0 taken
            exhausted, 8 runs, gaps: 
        "#]]
        .assert_eq(&trace(&mut with_a_dead_end(), "md2u", 1));
        expect![[r#"
            1 places, price 12: [1 2 5] edge0 taken
            1 places, price 12: [1 2 5 0 2 5] edge0 taken
            1 places, price 332: [] edge0 taken
            1 places, price 344: [0 2 5] edge0 taken
            1 places, price 344: [0 2 5 0 2 5] edge0 taken
            1 places, price 344: [0 2 5 1 2 5] edge0 taken
            1 places, price 0: [1 2 5 1 2 5] edge0 taken
            exhausted, 8 runs, gaps: 
        "#]]
        .assert_eq(&trace(&mut with_a_dead_end(), "md2u:patience=1", 1));
    }

    /// Nobody goes for what no run takes: as soon as all else is taken, nothing is near.
    #[test]
    fn does_not_go_for_what_is_dead() {
        let is_far = |dead: &[u32]| {
            let mut model = with_a_dead_end();
            let choice = crate::choice::Choice::parse("md2u").expect("it is known");
            let strategy = choice.make(&model.program);
            let config = crate::campaign::Config {
                seed: 1,
                past_coverage: true,
                ..crate::campaign::Config::default()
            };
            let trace = trace_without(&mut model, strategy, config, dead);
            let near = ["price 20", "price 32:", "price 8:"];
            !near.iter().any(|price| trace.contains(price))
        };
        assert!(is_far(&[3]));
        assert!(!is_far(&[]));
    }
}
