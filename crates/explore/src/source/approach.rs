//! Approach: runs that come nearer to a side that nothing symbolic decides are kept, and changed further.
//!
//! [`crate::nearness`] says which runs came nearer. For each side that is watched, the run that came nearest is kept, and the latest
//! that showed operands at a distance that no run had before (a new value of a state is progress even where it is no nearer). Open
//! decisions of these runs are flipped, with the rest of the input as it is; those that led nearer once come first. Pumping and the
//! fuzzer start from the same runs.
//!
//! Often it takes two steps: one round more of a loop, which counts nothing yet, then the input that is counted. So a flip whose run is
//! as near as the nearest is followed by flips of the decisions behind it, the first ones first.
//!
//! Must hold: the order depends on nothing but the runs and the seed; each kept run is changed a bounded number of times.

use std::collections::{BTreeMap, VecDeque};
use std::sync::Arc;

use path::{Candidate, InputVector, NodeId, Tree};
use program::EdgeId;
use smt::Effort;

use super::{Entry, Flip, News, Proposal, Scene, Source, Told, Turn};
use crate::nearness::{Progress, nearer};
use crate::pace::{Pace, Rule};
use crate::rng::Rng;
use crate::view::View;

/// The source's entry in the registry.
pub(crate) const ENTRY: Entry = Entry {
    name: "approach",
    summary: "changes of runs that came near a side that nothing symbolic decides",
    watches: true,
    is_random: false,
    slices: false,
    looks_back: false,
    make: |setup| Box::new(Approach::new(setup.seed)),
};

/// Decisions of a path that are flipped, the last ones.
const MOST_NODES: usize = 1 << 12;
/// Flips of one kept run, of the nearest and of one with a new distance.
const FLIPS: [u32; 2] = [256, 32];
/// Decisions of a path that are looked at for one that is open.
const TRIES: usize = 64;
/// Runs as near as the nearest that wait to be changed, flips of each, and steps from the nearest to one of them.
const LEVEL: usize = 16;
const LEVEL_FLIPS: u32 = 4;
const MOST_STEPS: usize = 3;
/// Turns for one flip while these lead on, and shortly after one did.
const EVERY: [f64; 2] = [6.0, 2.0];
/// Flips that are shortly after one that led nearer.
const SHORTLY: u32 = 16;

/// A run that is changed.
#[derive(Debug)]
struct Path {
    input: Arc<InputVector>,
    nodes: Vec<NodeId>,
}

/// Runs for one side that is watched.
#[derive(Debug, Default)]
struct Goal {
    /// The nearest run, and the latest with a new distance; and how often they are flipped yet.
    paths: [Option<Arc<Path>>; 2],
    left: [u32; 2],
    /// How near the nearest is.
    least: Option<u64>,
    /// Runs as near as that, which flips of it led to.
    level: VecDeque<Level>,
    /// Edges whose flips led nearer.
    helped: Vec<EdgeId>,
}

/// A run as near as the nearest.
#[derive(Debug)]
struct Level {
    /// With the nodes behind the flip.
    path: Arc<Path>,
    /// The edges of the flips that led to it.
    edges: Vec<EdgeId>,
    left: u32,
}

/// A flip that was handed out.
#[derive(Debug)]
struct Out {
    candidate: Candidate,
    /// The edges of the flips since the nearest run, this one's last.
    edges: Vec<EdgeId>,
    of: EdgeId,
}

/// The nearest runs of each watched side, and the flips that are made of them.
#[derive(Debug)]
struct Approach {
    rng: Rng,
    goals: BTreeMap<EdgeId, Goal>,
    out: Option<Out>,
    pace: Pace,
    /// The goal that was served last.
    last: Option<EdgeId>,
    /// Flips that are still shortly after one that led nearer.
    shortly: u32,
}

impl Approach {
    fn new(seed: u64) -> Approach {
        Approach {
            rng: Rng::new(seed ^ 0x3c6e_f372_fe94_f82b),
            goals: BTreeMap::new(),
            out: None,
            pace: Pace::new(Rule::USUAL),
            last: None,
            shortly: 0,
        }
    }

    /// A decision to be flipped, and the input that the rest is taken from.
    fn next(&mut self, tree: &Tree) -> Option<(Candidate, Arc<InputVector>)> {
        // Every goal has its turn, those behind the last one first.
        let (behind, before): (Vec<EdgeId>, Vec<EdgeId>) =
            self.goals.keys().partition(|&&edge| Some(edge) > self.last);
        for edge in behind.into_iter().chain(before) {
            let goal = self.goals.get_mut(&edge)?;
            if let Some((candidate, path, mut edges)) = goal.next_level(tree) {
                self.last = Some(edge);
                edges.extend(tree.edge(candidate));
                self.out = Some(Out {
                    candidate,
                    edges,
                    of: edge,
                });
                return Some((candidate, Arc::clone(&path.input)));
            }
            for kind in 0..goal.paths.len() {
                let path = goal.paths[kind].clone().filter(|_| goal.left[kind] > 0);
                let Some(path) = path else { continue };
                goal.left[kind] -= 1;
                let candidate = pick(&mut self.rng, tree, &path.nodes, &goal.helped);
                let Some(candidate) = candidate else {
                    goal.left[kind] = 0;
                    continue;
                };
                self.last = Some(edge);
                self.out = Some(Out {
                    candidate,
                    edges: tree.edge(candidate).into_iter().collect(),
                    of: edge,
                });
                return Some((candidate, Arc::clone(&path.input)));
            }
        }
        None
    }

    /// Keeps a run that a flip led to, if it is as near as the nearest.
    fn note_level(&mut self, news: &News<'_>) {
        let nodes = news.path.nodes;
        let Some(out) = &self.out else { return };
        let Some(goal) = self.goals.get_mut(&out.of) else {
            return;
        };
        let mut near = news.run.near.iter();
        let is_level = near.any(|near| near.edge == out.of && goal.least == Some(near.least));
        let flipped = nodes.iter().rposition(|node| *node == out.candidate.node);
        let Some(at) = flipped.filter(|_| is_level && out.edges.len() < MOST_STEPS) else {
            return;
        };
        let behind = &nodes[at + 1..];
        if goal.level.len() < LEVEL && !behind.is_empty() {
            goal.level.push_back(Level {
                path: Arc::new(Path {
                    input: Arc::new(news.run.input.clone()),
                    nodes: behind[..behind.len().min(MOST_NODES)].to_vec(),
                }),
                edges: out.edges.clone(),
                left: LEVEL_FLIPS,
            });
        }
    }
}

impl Goal {
    /// The first open decision behind the flip that led to a run as near as the nearest.
    fn next_level(&mut self, tree: &Tree) -> Option<(Candidate, Arc<Path>, Vec<EdgeId>)> {
        while let Some(level) = self.level.front_mut() {
            let nodes = level.path.nodes.iter().take(TRIES);
            let open = nodes.flat_map(|node| tree.open_sides(*node)).next();
            if let Some(found) = open.filter(|_| level.left > 0) {
                level.left -= 1;
                return Some((found, Arc::clone(&level.path), level.edges.clone()));
            }
            self.level.pop_front();
        }
        None
    }
}

impl Source for Approach {
    fn propose(&mut self, scene: &mut Scene<'_>, turn: Turn) -> Option<Proposal> {
        let every = EVERY[usize::from(self.shortly > 0)];
        let is_due = turn == Turn::Regular && self.pace.is_due(every, !scene.watched.is_empty());
        if !is_due {
            return None;
        }
        self.shortly = self.shortly.saturating_sub(1);
        self.goals.retain(|&edge, _| scene.watched.has(edge));
        let (side, input) = self.next(scene.tree)?;
        Some(Proposal::Flip(Flip {
            parent: Some(input),
            ..Flip::plain(side, Effort::Quick, "Near")
        }))
    }

    fn on_run(&mut self, _view: &View<'_>, news: &News<'_>) {
        self.note_level(news);
        let mut path = None;
        let nodes = news.path.nodes;
        for came in news.came {
            let path = path.get_or_insert_with(|| {
                Arc::new(Path {
                    input: Arc::new(news.run.input.clone()),
                    nodes: nodes[nodes.len().saturating_sub(MOST_NODES)..].to_vec(),
                })
            });
            let goal = self.goals.entry(came.edge).or_default();
            if came.progress == Progress::Nearer {
                goal.least = Some(came.least);
                goal.level.clear();
            }
            let kind = usize::from(came.progress == Progress::Fresh);
            goal.paths[kind] = Some(Arc::clone(path));
            goal.left[kind] = FLIPS[kind];
        }
    }

    fn on_result(&mut self, _view: &View<'_>, told: &Told<'_>) {
        let Some((flipped, ..)) = told.side else {
            return;
        };
        let Some(out) = self.out.take_if(|out| out.candidate == flipped) else {
            return self.pace.credit(false, told.is_new);
        };
        let came_nearer_to_it = nearer(told.came).any(|(of, _)| of == out.of);
        self.pace.credit(true, told.is_new);
        let goal = self.goals.get_mut(&out.of);
        let Some(goal) = goal.filter(|_| came_nearer_to_it) else {
            return;
        };
        self.shortly = SHORTLY;
        for edge in out.edges {
            if !goal.helped.contains(&edge) {
                goal.helped.push(edge);
            }
        }
    }

    /// The nearest runs: most are no tests.
    fn goes_on_from(&self) -> Vec<InputVector> {
        let nearest = self
            .goals
            .values()
            .filter_map(|goal| goal.paths[0].as_ref());
        nearest.map(|path| (*path.input).clone()).collect()
    }
}

/// An open decision of a path: every other time one of an edge that helped before, if there is one.
fn pick(rng: &mut Rng, tree: &Tree, nodes: &[NodeId], helped: &[EdgeId]) -> Option<Candidate> {
    if nodes.is_empty() {
        return None;
    }
    if !helped.is_empty() && rng.below(4) > 0 {
        let start = rng.below(nodes.len());
        let around = nodes[start..].iter().chain(&nodes[..start]);
        let mut open = around.flat_map(|&node| tree.open_sides(node));
        let helps = |side: &Candidate| tree.edge(*side).is_some_and(|edge| helped.contains(&edge));
        if let Some(found) = open.find(helps) {
            return Some(found);
        }
    }
    for _ in 0..TRIES {
        let node = nodes[rng.below(nodes.len())];
        let sides: Vec<Candidate> = tree.open_sides(node).collect();
        if !sides.is_empty() {
            return Some(sides[rng.below(sides.len())]);
        }
    }
    None
}
