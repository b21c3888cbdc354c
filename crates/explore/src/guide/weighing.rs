//! Weights of edges from those of the edges behind, kept up while runs take edges.
//!
//! Weights are computed in the order in which a depth-first search from the edges, in the order of their numbers, leaves
//! them; an edge that is asked for earlier than it is left is waiting, which happens on cycles. The order does not
//! depend on what was taken. So when an edge is taken, its weight is computed again, then those of the edges before it
//! whose parts changed, in the same order.
//!
//! An edge that no run takes weighs nothing, and nothing is expected behind it.
//!
//! Must hold: the weights are those that are computed from scratch. Nothing recurses.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use program::{EdgeId, Program, SecondaryMap};

use super::branches::{Branches, Occurrence};

/// What weights mean.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Rule {
    /// The approximate expectation of branches that no run has taken, from the edge on (`papers/expectation.txt`, II and
    /// Figure 1); a waiting edge counts as itself.
    Expectation { alpha: f64 },
    /// The most branches that no run has taken on one way from the edge to the end of its function, itself included, each
    /// round of a loop once.
    Residual,
}

/// The weight of every branch under one rule.
pub(crate) struct Weighing {
    rule: Rule,
    branches: Branches,
    /// Occurrences of each edge.
    occurrences: SecondaryMap<EdgeId, Vec<Occurrence>>,
    /// Branches right before each, as it is weighed.
    before: SecondaryMap<Occurrence, Vec<Occurrence>>,
    /// Place of each branch in the order.
    place: SecondaryMap<Occurrence, u32>,
    order: Vec<Occurrence>,
    taken: SecondaryMap<EdgeId, bool>,
    dead: SecondaryMap<EdgeId, bool>,
    /// No input was found for it: it weighs nothing until a run takes it.
    refuted: SecondaryMap<Occurrence, bool>,
    any_refuted: SecondaryMap<EdgeId, bool>,
    weights: SecondaryMap<Occurrence, f64>,
    /// Places of branches to be weighed again, each once.
    queue: BinaryHeap<Reverse<u32>>,
    queued: SecondaryMap<Occurrence, bool>,
    /// For the weights behind a branch.
    values: Vec<f64>,
}

impl Weighing {
    /// The weights while nothing is taken; each edge is one branch.
    pub(crate) fn new(program: &Program, rule: Rule) -> Weighing {
        let branches = match rule {
            Rule::Expectation { .. } => Branches::over_calls(program),
            Rule::Residual => Branches::inside(program),
        };
        Weighing::over(program, rule, branches)
    }

    /// The same over a graph in which edges may stand several times.
    pub(crate) fn over(program: &Program, rule: Rule, branches: Branches) -> Weighing {
        let all = branches.edges();
        let mut weighing = Weighing {
            rule,
            occurrences: SecondaryMap::for_map(&program.edges, Vec::new()),
            before: SecondaryMap::for_map(all, Vec::new()),
            place: SecondaryMap::for_map(all, 0),
            order: order(&branches),
            taken: SecondaryMap::for_map(&program.edges, false),
            dead: SecondaryMap::for_map(&program.edges, false),
            refuted: SecondaryMap::for_map(all, false),
            any_refuted: SecondaryMap::for_map(&program.edges, false),
            weights: SecondaryMap::for_map(all, 0.0),
            queue: BinaryHeap::new(),
            queued: SecondaryMap::for_map(all, false),
            values: Vec::new(),
            branches,
        };
        for (branch, &edge) in weighing.branches.edges().iter() {
            weighing.occurrences[edge].push(branch);
        }
        for (place, &branch) in (0..).zip(&weighing.order) {
            weighing.place[branch] = place;
            for &behind in weighing.branches.after(branch) {
                weighing.before[behind].push(branch);
            }
        }
        weighing.compute_all();
        weighing
    }

    /// The weight of an edge that is one branch; of the first where it is several.
    pub(crate) fn of(&self, edge: EdgeId) -> f64 {
        let first = self.occurrences[edge].first();
        first.map_or(0.0, |first| self.weights[*first])
    }

    /// The weight of a branch.
    pub(crate) fn at(&self, branch: Occurrence) -> f64 {
        self.weights[branch]
    }

    /// The first occurrence of an edge.
    pub(crate) fn first(&self, edge: EdgeId) -> Option<Occurrence> {
        self.occurrences[edge].first().copied()
    }

    /// Runs have taken these edges; says whose weights changed.
    pub(crate) fn take(&mut self, edges: impl IntoIterator<Item = EdgeId>) -> Vec<EdgeId> {
        for edge in edges {
            let refuted = std::mem::replace(&mut self.any_refuted[edge], false);
            if std::mem::replace(&mut self.taken[edge], true) && !refuted {
                continue;
            }
            for index in 0..self.occurrences[edge].len() {
                let branch = self.occurrences[edge][index];
                self.refuted[branch] = false;
                self.enqueue(branch);
                // Those for which it is waiting see that it is taken.
                for index in 0..self.before[branch].len() {
                    let user = self.before[branch][index];
                    if refuted || self.place[user] <= self.place[branch] {
                        self.enqueue(user);
                    }
                }
            }
        }
        self.weigh_again()
    }

    /// No run takes these edges; says whose weights changed.
    pub(crate) fn on_dead(&mut self, edges: &[EdgeId]) -> Vec<EdgeId> {
        for &edge in edges {
            if std::mem::replace(&mut self.dead[edge], true) {
                continue;
            }
            for index in 0..self.occurrences[edge].len() {
                let branch = self.occurrences[edge][index];
                self.enqueue(branch);
                for index in 0..self.before[branch].len() {
                    self.enqueue(self.before[branch][index]);
                }
            }
        }
        self.weigh_again()
    }

    /// A path condition to this branch has no input: it weighs nothing, wherever it counts, until a run takes its edge. Says
    /// whose weights changed.
    pub(crate) fn refute(&mut self, branch: Occurrence) -> Vec<EdgeId> {
        self.any_refuted[self.branches.edges()[branch]] = true;
        self.refuted[branch] = true;
        self.enqueue(branch);
        for index in 0..self.before[branch].len() {
            self.enqueue(self.before[branch][index]);
        }
        self.weigh_again()
    }

    fn weigh_again(&mut self) -> Vec<EdgeId> {
        let mut changed = Vec::new();
        while let Some(Reverse(place)) = self.queue.pop() {
            let branch = self.order[place as usize];
            self.queued[branch] = false;
            let weight = self.weigh(branch);
            if weight.to_bits() == self.weights[branch].to_bits() {
                continue;
            }
            self.weights[branch] = weight;
            changed.push(self.branches.edges()[branch]);
            for index in 0..self.before[branch].len() {
                let user = self.before[branch][index];
                if self.place[user] > place {
                    self.enqueue(user);
                }
            }
        }
        changed
    }

    pub(crate) fn bytes(&self) -> usize {
        let branches = self.order.len();
        let links: usize = branches * size_of::<Vec<Occurrence>>();
        self.branches.bytes() * 2 + links + branches * 22
    }

    fn enqueue(&mut self, branch: Occurrence) {
        if !std::mem::replace(&mut self.queued[branch], true) {
            self.queue.push(Reverse(self.place[branch]));
        }
    }

    fn compute_all(&mut self) {
        for place in 0..self.order.len() {
            let branch = self.order[place];
            self.weights[branch] = self.weigh(branch);
        }
    }

    /// The weight of a branch, from those of the branches behind it.
    fn weigh(&mut self, branch: Occurrence) -> f64 {
        let edges = self.branches.edges();
        if self.dead[edges[branch]] || self.refuted[branch] {
            return 0.0;
        }
        let refuted = &self.refuted;
        let own = |branch: Occurrence| {
            f64::from(u8::from(!self.taken[edges[branch]] && !refuted[branch]))
        };
        let values = &mut self.values;
        values.clear();
        let living = self.branches.after(branch).iter();
        for &behind in living.filter(|behind| !self.dead[edges[**behind]]) {
            values.push(match self.rule {
                _ if self.place[behind] < self.place[branch] => self.weights[behind],
                Rule::Expectation { .. } => own(behind),
                Rule::Residual => 0.0,
            });
        }
        match self.rule {
            Rule::Residual => own(branch) + values.iter().copied().fold(0.0, f64::max),
            Rule::Expectation { alpha } => {
                let Some(first) = values.first() else {
                    return own(branch);
                };
                let average = values.iter().sum::<f64>() / values.len() as f64;
                let same = values.iter().all(|weight| weight == first);
                match (self.taken[edges[branch]], same) {
                    (false, _) => average + 1.0,
                    (true, true) => alpha * average,
                    (true, false) => average,
                }
            }
        }
    }
}

/// The order in which a depth-first search leaves the branches.
fn order(branches: &Branches) -> Vec<Occurrence> {
    let mut entered = SecondaryMap::for_map(branches.edges(), false);
    let mut order = Vec::with_capacity(branches.edges().len());
    for root in branches.edges().keys() {
        if std::mem::replace(&mut entered[root], true) {
            continue;
        }
        let mut stack = vec![(root, 0)];
        while let Some((branch, next)) = stack.pop() {
            let behind = branches.after(branch);
            let fresh = (next..behind.len()).find(|&index| !entered[behind[index]]);
            match fresh {
                Some(index) => {
                    entered[behind[index]] = true;
                    stack.extend([(branch, index + 1), (behind[index], 0)]);
                }
                None => order.push(branch),
            }
        }
    }
    order
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rng::Rng;
    use crate::testing::{Block, Model, below};

    /// Random graphs with cycles: after each edge that is taken, or known to be taken by no run, the weights are those from scratch.
    #[test]
    fn weights_follow_what_is_taken() {
        let mut rng = Rng::new(3);
        let (mut steps, mut unchanged) = (0, 0);
        for _ in 0..40 {
            let blocks = 3 + rng.below(20);
            let mut list: Vec<Block> = (0..blocks)
                .map(|_| {
                    let (one, other) = (1 + rng.below(blocks), 1 + rng.below(blocks));
                    Block::Branch(below(0, 10), one, other)
                })
                .collect();
            list.push(Block::Exit);
            let program = Model::new(1, list).program;
            for rule in [Rule::Expectation { alpha: 0.75 }, Rule::Residual] {
                let mut kept = Weighing::new(&program, rule);
                let mut left: Vec<EdgeId> = program.edges.keys().collect();
                while !left.is_empty() {
                    let edge = left.swap_remove(rng.below(left.len()));
                    let other = program.edges.keys().nth(rng.below(program.edges.len()));
                    let refuted = other.and_then(|edge| kept.first(edge));
                    if let Some(branch) = refuted.filter(|_| rng.below(3) == 0) {
                        kept.refute(branch);
                        assert_eq!(kept.at(branch), 0.0);
                    }
                    let before: Vec<f64> = program.edges.keys().map(|edge| kept.of(edge)).collect();
                    let changed = if rng.below(4) == 0 {
                        let changed = kept.on_dead(&[edge]);
                        assert_eq!(kept.on_dead(&[edge]), []);
                        assert_eq!(kept.of(edge), 0.0);
                        changed
                    } else {
                        let changed = kept.take([edge]);
                        assert_eq!(kept.take([edge]), []);
                        changed
                    };
                    let mut scratch = Weighing::new(&program, rule);
                    scratch.taken = kept.taken.clone();
                    scratch.dead = kept.dead.clone();
                    scratch.refuted = kept.refuted.clone();
                    scratch.compute_all();
                    for (edge, before) in program.edges.keys().zip(before) {
                        assert_eq!(
                            kept.of(edge).to_bits(),
                            scratch.of(edge).to_bits(),
                            "{edge}"
                        );
                        assert_eq!(changed.contains(&edge), before != kept.of(edge), "{edge}");
                    }
                    steps += 1;
                    unchanged += program.edges.len() - changed.len();
                }
            }
        }
        assert!(steps > 500 && unchanged > 1000, "{steps} {unchanged}");
    }
}
