//! Target: any open side of a run that came up to an uncovered branch.
//!
//! An edge that no run has taken is a *target* when runs have come to its branch and taken another side. Targets take
//! turns; those that were tried less often come first (by powers of two). For the target whose turn it is, the strategy
//! draws one of the runs that came to its branch lately, and of that run's sides one at random, wherever it is on the path.
//! The solver keeps what the path condition leaves open, so the new run is likely to come to the branch as well, with
//! something changed before or behind it.
//!
//! A mutation fuzzer that works on one branch at a time does the same (AFLGo, Böhme et al., CCS 2017), with mutations in
//! place of flips. It needs no chain of conditions from the side to the target. Where a comparison cannot be fulfilled
//! because a *length* is wrong or a table entry is missing, no nearer distance helps, but another path to the same place
//! may. This strategy is our own, not from the papers.
//!
//! **Cost.** A pick: O(log t). Memory beyond the tree: n candidates, 16 runs for each edge.
//!
//! **When to choose it.** For text formats with keywords and with lines that depend on earlier lines. Alone it does not see
//! what lies behind branches that no run came to; [`portfolio`](super::portfolio) has it take turns.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use program::{EdgeId, Program, SecondaryMap};

use super::{Entry, NewPath, Sources, Strategy, View, draw};
use crate::guide::wanted_edges;
use crate::rng::Rng;
use path::{Candidate, RunId};

pub(super) const ENTRY: Entry = Entry {
    name: "target",
    summary: "Target: any open side of a run that came up to an uncovered branch.",
    source: include_str!("target.rs"),
    sources: Sources::Plain,
    params: &[],
    make: |program, _| Box::new(Target::new(program)),
};

/// Runs remembered of each edge.
const RUNS: usize = 16;
/// Targets, and runs of one target, that one pick looks at.
const LOOKS: usize = 8;

struct Target {
    /// May become targets.
    wanted: SecondaryMap<EdgeId, bool>,
    /// Targets that are not in the queue yet.
    fresh: Vec<EdgeId>,
    /// The latest runs that took each edge, in a ring.
    runs: SecondaryMap<EdgeId, Vec<RunId>>,
    /// Sides of the nodes that each run made; may hold some that are not open any more.
    sides: Vec<Vec<Candidate>>,
    /// The run that each run was derived from.
    parents: Vec<Option<RunId>>,
    /// Power of two of the tries, a random number against patterns, target.
    queue: BinaryHeap<Reverse<(u32, u32, EdgeId)>>,
    tries: SecondaryMap<EdgeId, u32>,
    waiting: usize,
}

impl Target {
    fn new(program: &Program) -> Target {
        let mut wanted = SecondaryMap::for_map(&program.edges, false);
        for edge in wanted_edges(program) {
            wanted[edge] = true;
        }
        Target {
            wanted,
            fresh: Vec::new(),
            runs: SecondaryMap::for_map(&program.edges, Vec::new()),
            sides: Vec::new(),
            parents: Vec::new(),
            queue: BinaryHeap::new(),
            tries: SecondaryMap::for_map(&program.edges, 0),
            waiting: 0,
        }
    }

    /// Puts targets into the queue.
    fn enter(&mut self, view: &View<'_>, rng: &mut Rng) {
        for edge in self.fresh.drain(..) {
            if view.edge_hits[edge] == 0 {
                let luck = rng.below(1 << 20) as u32;
                self.queue.push(Reverse((0, luck, edge)));
            }
        }
    }

    /// A side of a run that came to the target's branch.
    fn side_for(&mut self, view: &View<'_>, target: EdgeId, rng: &mut Rng) -> Option<Candidate> {
        for _ in 0..LOOKS {
            let taken = others(view, target).count().max(1);
            let other = others(view, target).nth(rng.below(taken))?;
            let runs = &self.runs[other];
            let mut run = *runs.get(rng.below(runs.len().max(1)))?;
            // What the run shares with others was made by those.
            for _ in 0..LOOKS {
                let sides = self.sides.get_mut(run.index())?;
                let before = sides.len();
                let found = draw(sides, view, rng);
                self.waiting -= before - sides.len();
                if found.is_some() {
                    return found;
                }
                let Some(parent) = self.parents[run.index()] else {
                    break;
                };
                run = parent;
            }
        }
        None
    }
}

/// The other sides of an edge's branch that runs have taken.
fn others<'a>(view: &View<'a>, edge: EdgeId) -> impl Iterator<Item = EdgeId> + use<'a> {
    let hits = view.edge_hits;
    let sides = view.program.edges_of(view.program.edges[edge].site);
    sides.filter(move |&other| hits[other] > 0)
}

impl Strategy for Target {
    fn on_path(&mut self, view: &View<'_>, path: &NewPath<'_>) {
        let number = self.sides.len();
        for &(edge, count) in path.edges {
            if view.edge_hits[edge] == count {
                // Nobody took it before: its branch may be new.
                for side in view.program.edges_of(view.program.edges[edge].site) {
                    if self.wanted[side] && view.edge_hits[side] == 0 {
                        self.wanted[side] = false;
                        self.fresh.push(side);
                    }
                }
            }
            let runs = &mut self.runs[edge];
            if runs.len() < RUNS {
                runs.push(path.run);
            } else {
                runs[number % RUNS] = path.run;
            }
        }
        let new = path.new_nodes().iter();
        let sides: Vec<Candidate> = new.flat_map(|&node| view.tree.candidates(node)).collect();
        self.waiting += sides.len();
        self.sides.push(sides);
        let last = path.known.checked_sub(1).map(|last| path.nodes[last]);
        self.parents.push(last.map(|node| view.tree.maker(node)));
    }

    fn pick(&mut self, view: &View<'_>, rng: &mut Rng) -> Option<Candidate> {
        self.enter(view, rng);
        for _ in 0..LOOKS {
            let Reverse((_, _, target)) = self.queue.pop()?;
            if view.edge_hits[target] > 0 {
                continue;
            }
            self.tries[target] += 1;
            let tries = (self.tries[target] + 1).ilog2();
            let luck = rng.below(1 << 20) as u32;
            self.queue.push(Reverse((tries, luck, target)));
            let found = self.side_for(view, target, rng);
            if found.is_some() {
                return found;
            }
        }
        None
    }

    fn on_dead(&mut self, edges: &[EdgeId]) {
        for &edge in edges {
            self.wanted[edge] = false;
        }
    }

    fn phase(&self) -> String {
        format!("{} targets", self.queue.len())
    }

    fn bytes(&self) -> usize {
        // Lists grow by doubling, so on average a quarter of them is empty.
        (self.waiting + self.waiting / 3) * size_of::<Candidate>()
            + self.sides.capacity() * (size_of::<Vec<Candidate>>() + 8)
            + self.queue.capacity() * 12
    }
}

#[cfg(test)]
mod tests {
    use expect_test::expect;
    use smt::Op;

    use crate::testing::{Block, Model, below, on, trace};

    #[test]
    fn changes_what_came_up_to_the_target() {
        // The third condition is a target only when the second's true side was taken.
        let mut model = Model::new(
            3,
            vec![
                Block::Branch(below(0, 10), 1, 1),
                Block::Branch(on(1, Op::Eq, 7), 2, 3),
                Block::Branch(on(2, Op::Eq, 8), 3, 3),
                Block::Exit,
            ],
        );
        expect![[r#"
            2 targets: [] edge0 taken
            1 targets: [0] edge3 taken
            2 targets: [0 3] edge5 taken
            Oldest: [1] edge3 taken
            Oldest: [1 3] edge5 taken
            exhausted, 6 runs, gaps: 
        "#]]
        .assert_eq(&trace(&mut model, "target", 1));
    }
}
