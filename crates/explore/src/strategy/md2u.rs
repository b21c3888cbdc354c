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

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use program::callgraph::CallGraph;
use program::icfg::{Distances, Icfg};
use program::{EdgeId, Program, SecondaryMap};

use super::{Entry, NewPath, Strategy, View, draw};
use crate::hash::{HashTable, mix};
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

/// Open sides of one edge.
#[derive(Debug, Default)]
struct Group {
    /// The edge, or for a library decision the one before it.
    edge: Option<EdgeId>,
    /// May hold some that are not open any more.
    sides: Vec<Candidate>,
    /// Since it last led to something new.
    tries: u32,
    /// In the queue at this price.
    queued: Option<u32>,
}

struct Md2u {
    icfg: Icfg,
    /// Edges that are worth reaching: those of functions with a coverage record.
    wanted: Vec<EdgeId>,
    distances: Option<Distances>,
    /// Edges taken when the distances were computed.
    taken: usize,
    groups: Vec<Group>,
    by_key: HashTable<u32>,
    /// Price, random number against patterns among equals, group.
    queue: BinaryHeap<Reverse<(u32, u32, u32)>>,
    /// Groups that got sides and may not be in the queue.
    grown: Vec<u32>,
    /// Group of the last pick.
    last: Option<u32>,
    waiting: usize,
}

impl Md2u {
    fn new(program: &Program) -> Md2u {
        let icfg = Icfg::new(program, &CallGraph::new(program));
        let mut functions = SecondaryMap::for_map(&program.functions, false);
        for function in program.coverage.iter().filter_map(|record| record.function) {
            functions[function] = true;
        }
        let wanted = program
            .edges
            .keys()
            .filter(|&edge| functions[program.function_of(edge)])
            .collect();
        Md2u {
            icfg,
            wanted,
            distances: None,
            taken: 0,
            groups: Vec::new(),
            by_key: HashTable::default(),
            queue: BinaryHeap::new(),
            grown: Vec::new(),
            last: None,
            waiting: 0,
        }
    }

    fn price(&self, group: &Group) -> u32 {
        let known = group
            .edge
            .zip(self.distances.as_ref())
            .and_then(|(edge, distances)| distances.of_edge(edge));
        let fee = (group.tries + 1).ilog2() * FEE;
        let unknown = if group.edge.is_some() { FAR } else { NEAR };
        known.unwrap_or(unknown).min(FAR) * STEP + fee
    }

    fn add(&mut self, view: &View<'_>, side: Candidate) {
        let (key, edge) = match view.tree.edge(side) {
            Some(edge) => (u64::from(edge.as_u32()), Some(edge)),
            None => {
                let spot = view.tree.spot(side.node).map_or(0, |spot| spot.as_u32());
                let before = view.tree.edge_back(&mut view.tree.cursor(side.node));
                let place = before.map_or(u64::MAX, |edge| u64::from(edge.as_u32()));
                (
                    mix(mix(u64::from(spot), place), u64::from(side.side)),
                    before,
                )
            }
        };
        let next = self.groups.len() as u32;
        let index = *self.by_key.entry(mix(key, 7)).or_insert(next);
        if index == next {
            self.groups.push(Group {
                edge,
                ..Group::default()
            });
        }
        let group = &mut self.groups[index as usize];
        group.sides.push(side);
        self.waiting += 1;
        if group.queued.is_none() {
            self.grown.push(index);
        }
    }

    fn enqueue(&mut self, index: u32, rng: &mut Rng) {
        let price = self.price(&self.groups[index as usize]);
        let group = &mut self.groups[index as usize];
        if group.queued != Some(price) && !group.sides.is_empty() {
            group.queued = Some(price);
            let luck = rng.below(1 << 20) as u32;
            self.queue.push(Reverse((price, luck, index)));
        }
    }

    /// Distances and prices, when an edge was taken for the first time.
    fn refresh(&mut self, view: &View<'_>, rng: &mut Rng) {
        if self.distances.is_some() && self.taken == view.edges_taken {
            return;
        }
        self.taken = view.edges_taken;
        let open = self.wanted.iter().copied();
        let targets = open.filter(|&edge| view.edge_hits[edge] == 0);
        self.distances = Some(Distances::to(&self.icfg, targets));
        self.queue.clear();
        for index in 0..self.groups.len() as u32 {
            self.groups[index as usize].queued = None;
            self.enqueue(index, rng);
        }
    }
}

impl Strategy for Md2u {
    fn on_path(&mut self, view: &View<'_>, path: &NewPath<'_>) {
        for &node in path.new_nodes() {
            for side in view.tree.candidates(node) {
                self.add(view, side);
            }
        }
        if self.taken != view.edges_taken
            && let Some(last) = self.last
        {
            self.groups[last as usize].tries = 0;
        }
    }

    fn pick(&mut self, view: &View<'_>, rng: &mut Rng) -> Option<Candidate> {
        self.refresh(view, rng);
        while let Some(index) = self.grown.pop() {
            self.enqueue(index, rng);
        }
        while let Some(Reverse((price, _, index))) = self.queue.pop() {
            let group = &mut self.groups[index as usize];
            if group.queued != Some(price) {
                continue;
            }
            group.queued = None;
            let before = group.sides.len();
            let side = draw(&mut group.sides, view, rng);
            self.waiting -= before - group.sides.len();
            if side.is_some() {
                group.tries += 1;
                self.last = Some(index);
                self.enqueue(index, rng);
                return side;
            }
        }
        None
    }

    fn phase(&self) -> String {
        let price = self.queue.peek().map_or(0, |Reverse((price, ..))| *price);
        format!("{} places, price {price}", self.groups.len())
    }

    fn bytes(&self) -> usize {
        // Lists grow by doubling, so on average a quarter of them is empty.
        (self.waiting + self.waiting / 3) * size_of::<Candidate>()
            + self.groups.capacity() * size_of::<Group>()
            + self.by_key.capacity() * 13
            + self.queue.capacity() * 12
            + self.wanted.capacity() * size_of::<EdgeId>()
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
            3 places, price 0: [1 3] edge5 taken
            4 places, price 0: [] edge0 taken
            4 places, price 8: [1 3 5] edge7 taken
            4 places, price 320: [0] edge2 taken
            4 places, price 332: [1 2] edge5 taken
            4 places, price 332: [1 2 5] edge7 taken
            4 places, price 332: [0 2] edge5 taken
            4 places, price 332: [0 2 5] edge7 taken
            4 places, price 0: [0 3] edge5 taken
            4 places, price 0: [0 3 5] edge7 taken
            exhausted, 12 runs, gaps: 
        "#]]
        .assert_eq(&trace(&mut model, "md2u", 1));
    }
}
