//! Generational: every open side of the run that found the most new behaviour, then of the next run.
//!
//! This is SAGE's search (Godefroid, Levin, Molnar, *Automated Whitebox Fuzz Testing*, NDSS 2008; named in
//! `papers/cgs.txt`, 2.3.5). The score of a run is how much it covers that no run before it did. The run with the best score
//! is expanded: *every* decision that is new on its path is negated, not only one.
//!
//! The paper leaves some points open:
//!
//! - *The score* counts edges that no run took before, and edges that no run took about as often, in AFL's classes (1, 2,
//!   3, 4 to 7, 8 to 15, …). So the first run that goes round a loop twice is new, too, and so is the first run in which a
//!   library function gets one character further. Half of the score of the parent run is added, because a step
//!   that shows nothing new may be on the way to one that does.
//! - *The order*: of two runs with the same score the later one comes first. The sides of a run come in random order, one a
//!   pick. Each pick costs the run a little of its score, so that a long path does not hold up the others.
//!
//! **Parameters.** `generation` (default `spread`) is the order above. With `whole` it is the search as SAGE describes it:
//! the score of a run is the number of edges that it took first, nothing is inherited, and once a run is expanded, all of its
//! sides are tried in the order of its path before another run is chosen. Only sides behind the one that made the run are
//! its own, as in SAGE ("bound") and in the CGS authors' code. `restart` (default `known`): with `random` and `whole`, the search
//! begins anew with an input drawn at random when no run is left, as the CGS authors' code; sides that were tried are not
//! tried again.
//!
//! **Cost.** A pick: O(log r). Memory beyond the tree: n candidates, r runs.
//!
//! **When to choose it.** For parsers and protocols, where new behaviour lies behind what was found last, at any depth of
//! the path.

use std::collections::BinaryHeap;

use super::{Entry, NewPath, Param, Pick, RESTART, Sources, Strategy, View, draw};
use crate::counts::{Counts, New};
use crate::guide::position;
use crate::rng::Rng;
use path::hash::{HashedSet, mix};
use path::tree::Kind;
use path::{Candidate, NodeId};

pub(super) const ENTRY: Entry = Entry {
    name: "generational",
    summary: "Generational: every open side of the run that found the most new behaviour, then of the next run.",
    source: include_str!("generational.rs"),
    sources: Sources::Plain,
    params: &[
        Param {
            name: "generation",
            summary: "how a run is expanded: its sides spread among others', or all at once",
            default: 0,
            min: 0,
            max: 1,
            words: &["spread", "whole"],
        },
        RESTART,
    ],
    make: |_, values| {
        Box::new(Generational {
            whole: values[0] == 1,
            draws: values == [1, 1],
            ..Generational::default()
        })
    },
};

/// Score of an edge that was never taken before.
const EDGE: u32 = 256;
/// Score of an edge that was never taken about as often.
const TIMES: u32 = 64;

#[derive(Default)]
struct Generational {
    /// A run is expanded all at once.
    whole: bool,
    /// When no run is left, an input is drawn.
    draws: bool,
    /// The run that is being expanded, with `whole`.
    expanding: Option<u32>,
    /// Score and index of the runs that have sides left.
    queue: BinaryHeap<(u32, u32)>,
    /// Sides of each run; may hold some that are not open any more.
    sides: Vec<Vec<Candidate>>,
    /// What each run was worth when it came.
    scores: Vec<u32>,
    counts: Counts,
    waiting: usize,
    /// Decisions of library functions that were seen, by call and position.
    places: HashedSet,
}

impl Generational {
    fn score(&mut self, view: &View<'_>, path: &NewPath<'_>) -> u32 {
        if self.whole {
            let notes = path.edges.iter();
            let first = notes.filter(|&&(edge, count)| self.counts.note(edge, count) == New::Edge);
            return first.count() as u32;
        }
        let mut score = 0;
        for &(edge, count) in path.edges {
            score += match self.counts.note(edge, count) {
                New::Edge => EDGE,
                New::Count => TIMES,
                New::Nothing => 0,
            };
        }
        for &node in path.new_nodes() {
            if view.tree.kind(node) == Kind::Library && self.places.insert(place(view, node)) {
                score += TIMES;
            }
        }
        let parent = path.known.checked_sub(1).map(|last| path.nodes[last]);
        let inherited = parent.map(|node| self.scores[view.tree.maker(node).index()]);
        score + inherited.unwrap_or(0) / 2
    }
}

impl Generational {
    /// The next open side of the run that is being expanded; then of the best of the others.
    fn next_of_generation(&mut self, view: &View<'_>) -> Option<Candidate> {
        loop {
            let next = || self.queue.pop().map(|(_, run)| run);
            let run = self.expanding.or_else(next)?;
            self.expanding = Some(run);
            let sides = &mut self.sides[run as usize];
            while let Some(side) = sides.pop() {
                self.waiting -= 1;
                if view.tree.is_open(side) {
                    return Some(side);
                }
            }
            *sides = Vec::new();
            self.expanding = None;
        }
    }
}

/// Names a decision of a library call by its call and how many come right before it.
fn place(view: &View<'_>, node: NodeId) -> u64 {
    let spot = view.tree.spot(node).map_or(0, |spot| spot.as_u32());
    mix(u64::from(spot), u64::from(position(view.tree, node)))
}

impl Strategy for Generational {
    fn on_path(&mut self, view: &View<'_>, path: &NewPath<'_>) {
        let score = self.score(view, path);
        let new = path.new_nodes().iter();
        let mut sides: Vec<Candidate> = new.flat_map(|&node| view.tree.candidates(node)).collect();
        if self.whole {
            // They are taken from the end.
            sides.reverse();
        }
        if !sides.is_empty() {
            self.waiting += sides.len();
            self.queue.push((score, self.sides.len() as u32));
        }
        self.sides.push(sides);
        self.scores.push(score);
    }

    fn next(&mut self, view: &View<'_>, rng: &mut Rng) -> Option<Pick> {
        let side = self.pick(view, rng).map(Pick::Side);
        side.or(self.draws.then_some(Pick::Draw))
    }

    fn pick(&mut self, view: &View<'_>, rng: &mut Rng) -> Option<Candidate> {
        if self.whole {
            return self.next_of_generation(view);
        }
        while let Some((score, run)) = self.queue.pop() {
            let sides = &mut self.sides[run as usize];
            let before = sides.len();
            let side = draw(sides, view, rng);
            self.waiting -= before - sides.len();
            if sides.is_empty() {
                *sides = Vec::new();
            } else {
                self.queue.push((score.saturating_sub(1), run));
            }
            if side.is_some() {
                return side;
            }
        }
        None
    }

    fn phase(&self) -> String {
        let best = self.queue.peek().map_or(0, |&(score, _)| score);
        format!("{} runs, best {best}", self.queue.len())
    }

    fn bytes(&self) -> usize {
        // Lists grow by doubling, so on average a quarter of them is empty.
        (self.waiting + self.waiting / 3) * size_of::<Candidate>()
            + self.sides.capacity() * (size_of::<Vec<Candidate>>() + 4)
            + self.queue.capacity() * 8
            + self.places.capacity() * 9
    }
}

#[cfg(test)]
mod tests {
    use expect_test::expect;
    use smt::Op;

    use crate::testing::{Block, Model, below, on, trace};

    #[test]
    fn follows_what_is_new() {
        let mut model = Model::new(
            4,
            vec![
                Block::Branch(below(0, 10), 1, 1),
                Block::Branch(on(1, Op::Eq, 7), 2, 4),
                Block::Branch(on(2, Op::Eq, 8), 3, 4),
                Block::Branch(on(3, Op::Eq, 9), 4, 4),
                Block::Exit,
            ],
        );
        expect![[r#"
            1 runs, best 511: [1] edge3 taken
            1 runs, best 511: [1 3] edge5 taken
            1 runs, best 511: [1 3 5] edge7 taken
            0 runs, best 0: [] edge0 taken
            0 runs, best 0: [0] edge3 taken
            0 runs, best 0: [0 3] edge5 taken
            0 runs, best 0: [0 3 5] edge7 taken
            exhausted, 8 runs, gaps: 
        "#]]
        .assert_eq(&trace(&mut model, "generational", 1));
    }

    #[test]
    fn a_whole_generation_comes_before_the_next() {
        // The second of the first run's children takes a new edge behind it; its own children wait for the third.
        let mut model = Model::new(
            4,
            vec![
                Block::Branch(below(0, 10), 1, 1),
                Block::Branch(on(1, Op::Eq, 7), 2, 3),
                Block::Branch(on(2, Op::Eq, 8), 3, 3),
                Block::Branch(below(3, 10), 4, 4),
                Block::Exit,
            ],
        );
        expect![[r#"
            0 runs, best 0: [] edge0 taken
            1 runs, best 1: [1] edge3 taken
            2 runs, best 2: [1 2] edge6 taken
            1 runs, best 1: [1 3] edge5 taken
            2 runs, best 1: [1 3 4] edge6 taken
            1 runs, best 1: [1 3 5] edge6 taken
            0 runs, best 0: [0] edge3 taken
            1 runs, best 0: [0 2] edge6 taken
            0 runs, best 0: [0 3] edge5 taken
            1 runs, best 0: [0 3 4] edge6 taken
            0 runs, best 0: [0 3 5] edge6 taken
            exhausted, 12 runs, gaps: 
        "#]]
        .assert_eq(&trace(&mut model, "generational:generation=whole", 1));
    }
}
