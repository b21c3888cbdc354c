//! Approach: runs that come nearer to a side that nothing symbolic decides are kept, and changed further.
//!
//! A count, a state or a table of values seen is concrete, so no candidate flips a branch on it. But runs move what is compared, and
//! the *branch distance* (Tracey, Clark, Mander, McDermid 1998) tells which came nearer. For each side that is open and that runs
//! have passed by concretely, the run that came nearest is kept, and the latest that showed operands at a distance that no run had
//! before (a new value of a state is progress even where it is no nearer). Open decisions of these runs are flipped, with the rest of
//! the input as it is; those that led nearer once come first. Pumping and the fuzzer start from the same runs.
//!
//! Must hold: the order depends on nothing but the runs and the seed; each kept run is changed a bounded number of times.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use program::{EdgeId, Program, SecondaryMap, SiteId, SiteKind};

use crate::guide::wanted_edges;
use crate::input::InputVector;
use crate::rate::Rate;
use crate::rng::Rng;
use crate::run::{Near, Run, Step};
use crate::tree::{Candidate, NodeId, Tree};

/// Sides that are watched at a time.
const MOST: usize = 512;
/// Runs in which a site is looked for among those that nothing symbolic decided.
const LOOKS: u8 = 8;
/// Decisions of a path that are flipped, the last ones.
const MOST_NODES: usize = 1 << 12;
/// Flips of one kept run, of the nearest and of one with a new distance.
const FLIPS: [u32; 2] = [256, 32];
/// Decisions of a path that are looked at for one that is open.
const TRIES: usize = 64;
/// Turns for one flip while these lead on; so many times fewer at most, by how much less they find than the other runs do.
const EVERY: f64 = 2.0;
const FEWER: f64 = 16.0;
/// What is known of these runs, and of the others, before there are any.
const UNKNOWN: Rate = Rate::new(1.0, 2.0, 0.98);

/// A run that is changed.
#[derive(Debug)]
struct Path {
    input: Arc<InputVector>,
    nodes: Vec<NodeId>,
}

/// How near runs came, and where.
#[derive(Clone, Copy, Debug)]
struct Record {
    least: u64,
    /// Distances, as on the wire.
    seen: u64,
}

const NOTHING: Record = Record {
    least: u64::MAX,
    seen: 0,
};

impl Record {
    /// Takes note of a run.
    fn add(&mut self, near: &Near) -> Progress {
        let progress = if near.least < self.least {
            Progress::Nearer
        } else if near.seen & !self.seen != 0 {
            Progress::Fresh
        } else {
            Progress::None
        };
        self.least = self.least.min(near.least);
        self.seen |= near.seen;
        progress
    }
}

/// What a run brought for the sides that are watched, the more the greater.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Progress {
    None,
    /// Operands at a new distance.
    Fresh,
    Nearer,
}

/// A side that is watched; of a `switch` its last edge stands for all.
#[derive(Debug)]
struct Goal {
    /// As runs with expressions know it, and all runs.
    records: [Record; 2],
    /// The nearest run, and the latest with a new distance; and how often they are flipped yet.
    paths: [Option<Arc<Path>>; 2],
    left: [u32; 2],
    /// Edges whose flips led nearer.
    helped: Vec<EdgeId>,
}

/// How near runs came to a side that nothing symbolic decides.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Approached {
    /// The least branch distance; `None` for a `switch`.
    pub least: Option<u64>,
    /// Runs differ in what is compared.
    pub moves: bool,
}

/// Sides that are open, that runs pass by, and that nothing symbolic decides.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct OnlyConcrete {
    pub open: u32,
    /// Those of which runs change what is compared.
    pub moved: u32,
}

impl Goal {
    fn approached(&self) -> Option<Approached> {
        let Record { least, seen } = self.records[1];
        (seen != 0).then_some(Approached {
            least: (least != u64::MAX).then_some(least),
            moves: seen.count_ones() > 1,
        })
    }
}

/// A flip that was handed out.
#[derive(Debug)]
struct Out {
    candidate: Candidate,
    edge: Option<EdgeId>,
    of: EdgeId,
}

/// The nearest runs of each watched side, and the flips that are made of them.
#[derive(Debug)]
pub(crate) struct Approach {
    rng: Rng,
    wanted: SecondaryMap<EdgeId, bool>,
    looks: SecondaryMap<SiteId, u8>,
    goals: BTreeMap<EdgeId, Goal>,
    has_changed: bool,
    out: Option<Out>,
    own: Rate,
    rest: Rate,
    turns: u64,
    /// The goal that was served last.
    last: Option<EdgeId>,
}

impl Approach {
    pub(crate) fn new(program: &Program, seed: u64) -> Approach {
        let mut wanted = SecondaryMap::for_map(&program.edges, false);
        for edge in wanted_edges(program) {
            wanted[edge] = true;
        }
        Approach {
            rng: Rng::new(seed ^ 0x3c6e_f372_fe94_f82b),
            wanted,
            looks: SecondaryMap::for_map(&program.sites, LOOKS),
            goals: BTreeMap::new(),
            has_changed: false,
            out: None,
            own: UNKNOWN,
            rest: UNKNOWN,
            turns: 0,
            last: None,
        }
    }

    /// The sides to be watched, when they are others than before.
    pub(crate) fn changed(&mut self) -> Option<Vec<EdgeId>> {
        std::mem::take(&mut self.has_changed).then(|| self.goals.keys().copied().collect())
    }

    /// How near runs came to the open sides of a site, if that was measured.
    pub(crate) fn nearest(&self, program: &Program, site: SiteId) -> Option<Approached> {
        let goals = program
            .edges_of(site)
            .filter_map(|edge| self.goals.get(&edge));
        goals.filter_map(Goal::approached).next()
    }

    /// Of the sides that are watched: how many runs pass by with nothing symbolic, and of how many they change what is compared.
    pub(crate) fn summary(&self) -> OnlyConcrete {
        let known = self.goals.values().filter_map(Goal::approached);
        known.fold(OnlyConcrete::default(), |sum, side| OnlyConcrete {
            open: sum.open + 1,
            moved: sum.moved + u32::from(side.moves),
        })
    }

    /// A run with expressions took these edges and the path of these nodes; `hits` counts it already. Returns the sides that it came
    /// nearer to, with their distance.
    pub(crate) fn note(
        &mut self,
        program: &Program,
        (run, nodes): (&Run, &[NodeId]),
        edges: &[(EdgeId, u64)],
        hits: &SecondaryMap<EdgeId, u64>,
    ) -> Vec<(EdgeId, u64)> {
        self.drop_taken(program, edges, hits);
        self.find(program, run, edges, hits);
        let mut nearer = Vec::new();
        let mut path = None;
        for near in &run.near {
            let Some(goal) = self.goals.get_mut(&near.edge) else {
                continue;
            };
            goal.records[1].add(near);
            let progress = goal.records[0].add(near);
            if progress == Progress::None {
                continue;
            }
            let path = path.get_or_insert_with(|| {
                Arc::new(Path {
                    input: Arc::new(run.input.clone()),
                    nodes: nodes[nodes.len().saturating_sub(MOST_NODES)..].to_vec(),
                })
            });
            let kind = usize::from(progress == Progress::Fresh);
            goal.paths[kind] = Some(Arc::clone(path));
            goal.left[kind] = FLIPS[kind];
            if progress == Progress::Nearer {
                nearer.push((near.edge, near.least));
            }
        }
        nearer
    }

    /// What a run without expressions showed.
    pub(crate) fn look(&mut self, near: &[Near]) -> Progress {
        let goals = &mut self.goals;
        let each = near.iter().filter_map(|near| {
            let goal = goals.get_mut(&near.edge)?;
            Some(goal.records[1].add(near))
        });
        each.max().unwrap_or(Progress::None)
    }

    /// Sides that a run took need no run that comes near.
    fn drop_taken(
        &mut self,
        program: &Program,
        edges: &[(EdgeId, u64)],
        hits: &SecondaryMap<EdgeId, u64>,
    ) {
        for &(edge, count) in edges {
            if hits[edge] > count || self.goals.is_empty() {
                continue;
            }
            let site = program.edges[edge].site;
            let watched = watched_edge(program, site, edge);
            let is_open = |edge: EdgeId| hits[edge] == 0 && self.wanted[edge];
            let stays = watched != edge && program.edges_of(site).any(is_open);
            if !stays && self.goals.remove(&watched).is_some() {
                self.has_changed = true;
            }
        }
    }

    /// Looks for sides to be watched: open ones that this run passed by, with nothing symbolic.
    fn find(
        &mut self,
        program: &Program,
        run: &Run,
        edges: &[(EdgeId, u64)],
        hits: &SecondaryMap<EdgeId, u64>,
    ) {
        let mut open: BTreeMap<SiteId, EdgeId> = BTreeMap::new();
        for &(edge, _) in edges {
            let site = program.edges[edge].site;
            let is_open = |other: &EdgeId| hits[*other] == 0 && self.wanted[*other];
            let Some(other) = program.siblings(edge).find(is_open) else {
                continue;
            };
            let watched = watched_edge(program, site, other);
            if self.looks[site] > 0 && !self.goals.contains_key(&watched) {
                open.insert(site, watched);
            }
        }
        if open.is_empty() || self.goals.len() >= MOST {
            return;
        }
        for &site in open.keys() {
            self.looks[site] -= 1;
        }
        let concrete = run.steps.iter().filter_map(|step| match *step {
            Step::Edge { edge, cond: None } => Some(program.edges[edge].site),
            _ => None,
        });
        let concrete: BTreeSet<SiteId> = concrete.filter(|site| open.contains_key(site)).collect();
        for site in concrete.into_iter().take(MOST - self.goals.len()) {
            self.has_changed = true;
            self.goals.insert(
                open[&site],
                Goal {
                    records: [NOTHING; 2],
                    paths: [None, None],
                    left: [0; 2],
                    helped: Vec::new(),
                },
            );
        }
    }

    /// Whether the next turn is a flip of these.
    pub(crate) fn is_due(&mut self) -> bool {
        self.turns += 1;
        let fewer = (self.rest.get() / self.own.get()).clamp(1.0, FEWER);
        let every = EVERY * fewer;
        if self.goals.is_empty() || (self.turns as f64) < every {
            return false;
        }
        self.turns = 0;
        true
    }

    /// A decision to be flipped, and the input that the rest is taken from.
    pub(crate) fn next(&mut self, tree: &Tree) -> Option<(Candidate, Arc<InputVector>)> {
        // Every goal has its turn, those behind the last one first.
        let (behind, before): (Vec<EdgeId>, Vec<EdgeId>) =
            self.goals.keys().partition(|&&edge| Some(edge) > self.last);
        for edge in behind.into_iter().chain(before) {
            let goal = self.goals.get_mut(&edge)?;
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
                    edge: tree.edge(candidate),
                    of: edge,
                });
                return Some((candidate, Arc::clone(&path.input)));
            }
        }
        None
    }

    /// What became of a flip, one of these or not: the sides that its run came nearer to, and whether it covered something new.
    pub(crate) fn credit(&mut self, flipped: Candidate, nearer: &[(EdgeId, u64)], is_new: bool) {
        let Some(out) = self.out.take_if(|out| out.candidate == flipped) else {
            return self.rest.add(is_new);
        };
        self.own.add(is_new || !nearer.is_empty());
        let Some(goal) = self.goals.get_mut(&out.of) else {
            return;
        };
        if let Some(edge) = out.edge
            && nearer.iter().any(|&(of, _)| of == out.of)
            && !goal.helped.contains(&edge)
        {
            goal.helped.push(edge);
        }
    }
}

/// What is watched for an open edge of a site.
fn watched_edge(program: &Program, site: SiteId, edge: EdgeId) -> EdgeId {
    match program.sites[site].kind {
        SiteKind::Switch { .. } => program.edges_of(site).last().unwrap_or(edge),
        _ => edge,
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
