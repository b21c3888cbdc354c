//! Fitness-guided: the side whose flip brought runs nearer to a condition that no run has fulfilled.
//!
//! A branch that no run has taken is a target when runs came to its condition. The *fitness* of a run says how near its
//! values came to the target, as a branch distance (for `a == b`: |a - b|). The *fitness gain* of a branch says how much
//! nearer runs came, on average, by taking its other side. The strategy picks the side with the best composite: the fitness
//! of its run less the gain of its branch (Xie, Tillmann, de Halleux, Schulte, *Fitness-Guided Path Exploration in Dynamic
//! Symbolic Execution*, DSN 2009, section 4; `papers/caut-pps.txt`, V-D, names it as a remedy).
//!
//! The paper leaves some points open:
//!
//! - Distances are scaled to d / (d + 1), so that targets can be compared.
//! - A run has the fitness of its nearest target. Up to four targets are kept, for when the nearest is covered. A run
//!   without a target has fitness 1.
//! - A run that no longer came to its parent's target has lost all its fitness.
//! - Sides of one run and branch share a price. Each try of one of them makes the others dearer, which spreads the search
//!   as Pex's frontier does.
//! - The nearest target of a run is looked for in the last 256 decisions of its path that have an open side.
//!
//! **Cost.** A pick: O(log n). Memory beyond the tree: n candidates, r runs.
//!
//! **When to choose it.** For conditions that depend on counting: the number of rounds of a loop, lengths, sums. It works
//! best in turns with another strategy (`fitness+cgs`), because it does not see what has no distance.

use program::{EdgeId, Program, SecondaryMap};

use super::{Entry, NewPath, Sources, Strategy, View};
use crate::guide::{Group, PricedQueue, wanted_edges};
use crate::rng::Rng;
use path::hash::mix;
use path::{Candidate, RunId};

pub(super) const ENTRY: Entry = Entry {
    name: "fitness",
    summary: "Fitness-guided: the side whose flip brought runs nearer to a condition that no run has fulfilled.",
    source: include_str!("fitness.rs"),
    sources: Sources::Plain,
    params: &[],
    make: |program, _| Box::new(Fitness::new(program)),
};

/// Decisions of a path that are measured.
const MEASURED: usize = 256;
/// Targets kept of a run.
const KEPT: usize = 4;
/// Price of a distance of 1, and of doubling the tries.
const FAR: f64 = 1000.0;
const FEE: u64 = 60;

/// How near a run came to targets, the nearest first.
type Nearest = [Option<(EdgeId, f32)>; KEPT];

struct Fitness {
    /// Edges that are worth reaching.
    wanted: SecondaryMap<EdgeId, bool>,
    queue: PricedQueue,
    /// Run and branch of each group.
    groups: Vec<(RunId, Option<EdgeId>)>,
    runs: Vec<Nearest>,
    /// Sum of the gains of each branch, and their number.
    gains: SecondaryMap<EdgeId, (f32, u32)>,
    /// Picks since the groups were last priced.
    picks: usize,
}

impl Fitness {
    fn new(program: &Program) -> Fitness {
        let mut wanted = SecondaryMap::for_map(&program.edges, false);
        for edge in wanted_edges(program) {
            wanted[edge] = true;
        }
        Fitness {
            wanted,
            queue: PricedQueue::default(),
            groups: Vec::new(),
            runs: Vec::new(),
            gains: SecondaryMap::for_map(&program.edges, (0.0, 0)),
            picks: 0,
        }
    }

    fn measure(&self, view: &View<'_>, path: &NewPath<'_>) -> Vec<(EdgeId, f32)> {
        let mut found: Vec<(EdgeId, f32)> = Vec::new();
        let mut measured = 0;
        for &node in path.nodes.iter().rev() {
            for side in (0..view.tree.sides(node)).map(|side| Candidate { node, side }) {
                let Some(edge) = view.tree.edge(side) else {
                    break;
                };
                if view.edge_hits[edge] > 0 || !self.wanted[edge] {
                    continue;
                }
                measured += 1;
                let distance = path.near.distance(side) as f32;
                let distance = distance / (distance + 1.0);
                match found.iter_mut().find(|(known, _)| *known == edge) {
                    Some((_, nearest)) => *nearest = nearest.min(distance),
                    None => found.push((edge, distance)),
                }
            }
            if measured >= MEASURED {
                break;
            }
        }
        found
    }

    /// What taking the branch brought the run nearer to its parent's target.
    fn learn(&mut self, view: &View<'_>, path: &NewPath<'_>, found: &[(EdgeId, f32)]) {
        let Some(last) = path.known.checked_sub(1) else {
            return;
        };
        let parent = view.tree.maker(path.nodes[last]);
        let left = path.nodes.get(path.known);
        let branch = left
            .and_then(|&node| view.tree.parent(node))
            .and_then(|side| view.tree.edge(side));
        let target = self.runs[parent.index()].iter().flatten().next();
        let (Some(branch), Some(&(target, before))) = (branch, target) else {
            return;
        };
        let after = if view.edge_hits[target] > 0 {
            0.0
        } else {
            let now = found.iter().find(|(edge, _)| *edge == target);
            now.map_or(1.0, |(_, distance)| *distance)
        };
        let (sum, count) = &mut self.gains[branch];
        *sum += before - after;
        *count += 1;
    }
}

impl Strategy for Fitness {
    fn on_path(&mut self, view: &View<'_>, path: &NewPath<'_>) {
        let mut found = self.measure(view, path);
        self.learn(view, path, &found);
        found.sort_by(|a, b| a.1.total_cmp(&b.1));
        let mut found = found.into_iter();
        self.runs.push(std::array::from_fn(|_| found.next()));
        for &node in path.new_nodes() {
            for side in view.tree.candidates(node) {
                let edge = view.tree.edge(side);
                let name = match (edge, view.tree.spot(node)) {
                    (Some(edge), _) => u64::from(edge.as_u32()) << 1,
                    (None, spot) => u64::from(spot.map_or(0, |spot| spot.as_u32())) << 1 | 1,
                };
                let key = mix(u64::from(path.run.as_u32()), name);
                let group = self.queue.add(key, edge, side);
                if group == self.groups.len() {
                    self.groups.push((path.run, edge));
                }
            }
        }
    }

    fn pick(&mut self, view: &View<'_>, rng: &mut Rng) -> Option<Candidate> {
        let (runs, gains, groups) = (&self.runs, &self.gains, &self.groups);
        let price = |index: usize, group: &Group| {
            let (run, edge) = groups[index];
            let targets = runs[run.index()].iter().flatten();
            let mut open = targets.filter(|(target, _)| view.edge_hits[*target] == 0);
            let fitness = open.next().map_or(1.0, |(_, distance)| *distance);
            let (sum, count) = edge.map_or((0.0, 0), |edge| gains[edge]);
            let gain = if count == 0 { 0.0 } else { sum / count as f32 };
            let fee = u64::from((group.tries + 1).ilog2()) * FEE;
            (f64::from(fitness - gain + 1.0) * FAR) as u64 + fee
        };
        // Gains make groups cheaper: all are priced again after as many picks as there are groups, so that a pick pays
        // for one.
        self.picks += 1;
        if self.picks > self.groups.len() {
            self.picks = 0;
            self.queue.reprice(rng, price);
        }
        self.queue.pick(view, rng, price).map(|(side, _)| side)
    }

    fn on_dead(&mut self, edges: &[EdgeId]) {
        for &edge in edges {
            self.wanted[edge] = false;
        }
    }

    fn phase(&self) -> String {
        let price = self.queue.cheapest().unwrap_or(0);
        format!("{} groups, best {price}", self.groups.len())
    }

    fn bytes(&self) -> usize {
        self.queue.bytes()
            + self.groups.capacity() * size_of::<(RunId, Option<EdgeId>)>()
            + self.runs.capacity() * size_of::<Nearest>()
    }
}

#[cfg(test)]
mod tests {
    use expect_test::expect;
    use smt::Op;

    use crate::testing::{Block, Model, below, trace};

    #[test]
    fn goes_where_it_gets_warmer() {
        // The sum of two inputs is to be 20, and both are below 10: each of them that is not brings runs nearer, the
        // third input does not.
        let mut model = Model::new(
            3,
            vec![
                Block::Branch(below(0, 10), 1, 1),
                Block::Branch(below(1, 10), 2, 2),
                Block::Branch(below(2, 10), 3, 3),
                Block::Branch(sum_is(20), 4, 4),
                Block::Exit,
            ],
        );
        expect![[r#"
            4 groups, best 1909: [] edge0 taken
            7 groups, best 1909: [0 3] edge4 taken
            8 groups, best 1909: [0 3 5] edge7 taken
            8 groups, best 1909: [0] edge2 taken
            10 groups, best 1909: [0 3 4] edge7 taken
            10 groups, best 1909: [1] edge2 taken
            12 groups, best 1909: [1 2 5] edge7 taken
            12 groups, best 2000: [1 3 5] edge7 unsat
            12 groups, best 2000: [1 2] edge4 taken
            13 groups, best 2000: [1 2 4] edge7 taken
            13 groups, best 2000: [1 3] edge4 taken
            14 groups, best 2000: [1 3 4] edge7 unsat
            14 groups, best 2000: [0 2] edge4 taken
            15 groups, best 2000: [0 2 4] edge6 taken
            15 groups, best 0: [0 2 5] edge6 taken
            exhausted, 14 runs, gaps: 
        "#]]
        .assert_eq(&trace(&mut model, "fitness", 1));
    }

    fn sum_is(value: u8) -> crate::testing::Condition {
        Box::new(move |pool, inputs, _| {
            let sum = pool.apply(Op::Add, 8, 0, &[inputs[0], inputs[1]]);
            let value = pool.constant(8, u128::from(value));
            pool.eq(sum, value)
        })
    }
}
