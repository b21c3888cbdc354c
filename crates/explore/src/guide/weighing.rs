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

use super::succession::Succession;

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

/// The weight of every edge under one rule.
pub(crate) struct Weighing {
    rule: Rule,
    succession: Succession,
    /// Edges right before each edge, as it is weighed.
    before: SecondaryMap<EdgeId, Vec<EdgeId>>,
    /// Place of each edge in the order.
    place: SecondaryMap<EdgeId, u32>,
    order: Vec<EdgeId>,
    taken: SecondaryMap<EdgeId, bool>,
    dead: SecondaryMap<EdgeId, bool>,
    weights: SecondaryMap<EdgeId, f64>,
    /// Places of edges to be weighed again, each once.
    queue: BinaryHeap<Reverse<u32>>,
    queued: SecondaryMap<EdgeId, bool>,
    /// For the weights behind an edge.
    values: Vec<f64>,
}

impl Weighing {
    /// The weights while nothing is taken.
    pub(crate) fn new(program: &Program, rule: Rule) -> Weighing {
        let succession = Succession::new(program);
        let mut weighing = Weighing {
            rule,
            before: SecondaryMap::for_map(&program.edges, Vec::new()),
            place: SecondaryMap::for_map(&program.edges, 0),
            order: order(program, &succession, rule),
            taken: SecondaryMap::for_map(&program.edges, false),
            dead: SecondaryMap::for_map(&program.edges, false),
            weights: SecondaryMap::for_map(&program.edges, 0.0),
            queue: BinaryHeap::new(),
            queued: SecondaryMap::for_map(&program.edges, false),
            values: Vec::new(),
            succession,
        };
        for (place, &edge) in (0..).zip(&weighing.order) {
            weighing.place[edge] = place;
            for &behind in rule.behind(&weighing.succession, edge) {
                weighing.before[behind].push(edge);
            }
        }
        weighing.compute_all();
        weighing
    }

    /// The weight of an edge.
    pub(crate) fn of(&self, edge: EdgeId) -> f64 {
        self.weights[edge]
    }

    /// Runs have taken these edges; says which weights changed.
    pub(crate) fn take(&mut self, edges: impl IntoIterator<Item = EdgeId>) -> Vec<EdgeId> {
        for edge in edges {
            if std::mem::replace(&mut self.taken[edge], true) {
                continue;
            }
            self.enqueue(edge);
            // Those for which it is waiting see that it is taken.
            for index in 0..self.before[edge].len() {
                let user = self.before[edge][index];
                if self.place[user] <= self.place[edge] {
                    self.enqueue(user);
                }
            }
        }
        self.weigh_again()
    }

    /// No run takes these edges; says which weights changed.
    pub(crate) fn on_dead(&mut self, edges: &[EdgeId]) -> Vec<EdgeId> {
        for &edge in edges {
            if std::mem::replace(&mut self.dead[edge], true) {
                continue;
            }
            self.enqueue(edge);
            for index in 0..self.before[edge].len() {
                self.enqueue(self.before[edge][index]);
            }
        }
        self.weigh_again()
    }

    fn weigh_again(&mut self) -> Vec<EdgeId> {
        let mut changed = Vec::new();
        while let Some(Reverse(place)) = self.queue.pop() {
            let edge = self.order[place as usize];
            self.queued[edge] = false;
            let weight = self.weigh(edge);
            if weight.to_bits() == self.weights[edge].to_bits() {
                continue;
            }
            self.weights[edge] = weight;
            changed.push(edge);
            for index in 0..self.before[edge].len() {
                let user = self.before[edge][index];
                if self.place[user] > place {
                    self.enqueue(user);
                }
            }
        }
        changed
    }

    pub(crate) fn bytes(&self) -> usize {
        let edges = self.order.len();
        let links: usize = edges * size_of::<Vec<EdgeId>>();
        self.succession.bytes() * 2 + links + edges * 21
    }

    fn enqueue(&mut self, edge: EdgeId) {
        if !std::mem::replace(&mut self.queued[edge], true) {
            self.queue.push(Reverse(self.place[edge]));
        }
    }

    fn compute_all(&mut self) {
        for place in 0..self.order.len() {
            let edge = self.order[place];
            self.weights[edge] = self.weigh(edge);
        }
    }

    /// The weight of an edge, from those of the edges behind it.
    fn weigh(&mut self, edge: EdgeId) -> f64 {
        if self.dead[edge] {
            return 0.0;
        }
        let own = |edge: EdgeId| f64::from(u8::from(!self.taken[edge]));
        let values = &mut self.values;
        values.clear();
        let living = self.rule.behind(&self.succession, edge).iter();
        for &behind in living.filter(|behind| !self.dead[**behind]) {
            values.push(match self.rule {
                _ if self.place[behind] < self.place[edge] => self.weights[behind],
                Rule::Expectation { .. } => own(behind),
                Rule::Residual => 0.0,
            });
        }
        match self.rule {
            Rule::Residual => own(edge) + values.iter().copied().fold(0.0, f64::max),
            Rule::Expectation { alpha } => {
                let Some(first) = values.first() else {
                    return own(edge);
                };
                let average = values.iter().sum::<f64>() / values.len() as f64;
                let same = values.iter().all(|weight| weight == first);
                match (self.taken[edge], same) {
                    (false, _) => average + 1.0,
                    (true, true) => alpha * average,
                    (true, false) => average,
                }
            }
        }
    }
}

impl Rule {
    fn behind(self, succession: &Succession, edge: EdgeId) -> &[EdgeId] {
        match self {
            Rule::Expectation { .. } => succession.after(edge),
            Rule::Residual => succession.after_inside(edge),
        }
    }
}

/// The order in which a depth-first search leaves the edges.
fn order(program: &Program, succession: &Succession, rule: Rule) -> Vec<EdgeId> {
    let mut entered = SecondaryMap::for_map(&program.edges, false);
    let mut order = Vec::with_capacity(program.edges.len());
    for root in program.edges.keys() {
        if std::mem::replace(&mut entered[root], true) {
            continue;
        }
        let mut stack = vec![(root, 0)];
        while let Some((edge, next)) = stack.pop() {
            let behind = rule.behind(succession, edge);
            let fresh = (next..behind.len()).find(|&index| !entered[behind[index]]);
            match fresh {
                Some(index) => {
                    entered[behind[index]] = true;
                    stack.extend([(edge, index + 1), (behind[index], 0)]);
                }
                None => order.push(edge),
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
