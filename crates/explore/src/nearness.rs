//! How near runs come to sides that nothing symbolic decides.
//!
//! A count, a state or a table of values seen is concrete, so no candidate flips a branch on it. But runs move what is compared, and
//! the *branch distance* (Tracey, Clark, Mander, McDermid 1998) tells which came nearer. Sides are *watched* while they are open and
//! runs pass them by concretely.
//!
//! Must hold: which sides are watched depends on nothing but the runs.

use std::collections::{BTreeMap, BTreeSet};

use path::{Near, Run, Step};
use program::{EdgeId, Program, SecondaryMap, SiteId, SiteKind};

use crate::guide::wanted_edges;

/// Sides that are watched at a time.
const MOST: usize = 512;
/// Runs in which a site is looked for among those that nothing symbolic decided.
const LOOKS: u8 = 8;

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

/// What a run with expressions brought for one side.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Came {
    pub(crate) edge: EdgeId,
    /// The least branch distance of this run.
    pub(crate) least: u64,
    /// Never [`Progress::None`].
    pub(crate) progress: Progress,
}

/// Sides that a run came nearer to, with their distance.
pub(crate) fn nearer(came: &[Came]) -> impl Iterator<Item = (EdgeId, u64)> + Clone + '_ {
    let nearer = came.iter().filter(|came| came.progress == Progress::Nearer);
    nearer.map(|came| (came.edge, came.least))
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

/// The sides that are watched, with what runs with expressions know of them, and all runs. Of a `switch` the last edge stands for all.
#[derive(Debug)]
pub(crate) struct Watched {
    /// Nobody asks: nothing is watched.
    off: bool,
    wanted: SecondaryMap<EdgeId, bool>,
    looks: SecondaryMap<SiteId, u8>,
    sides: BTreeMap<EdgeId, [Record; 2]>,
    has_changed: bool,
}

impl Watched {
    pub(crate) fn new(program: &Program, on: bool) -> Watched {
        let mut wanted = SecondaryMap::for_map(&program.edges, false);
        for edge in wanted_edges(program) {
            wanted[edge] = true;
        }
        Watched {
            off: !on,
            wanted,
            looks: SecondaryMap::for_map(&program.sites, LOOKS),
            sides: BTreeMap::new(),
            has_changed: false,
        }
    }

    /// The search starts over: who keeps the nearest runs finds them again.
    pub(crate) fn start_over(&mut self) {
        for [own, _] in self.sides.values_mut() {
            *own = NOTHING;
        }
    }

    /// No run takes these edges: nobody watches them.
    pub(crate) fn on_dead(&mut self, edges: &[EdgeId]) {
        for edge in edges {
            self.wanted[*edge] = false;
        }
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.sides.is_empty()
    }

    pub(crate) fn has(&self, edge: EdgeId) -> bool {
        self.sides.contains_key(&edge)
    }

    /// The sides to be watched, when they are others than before.
    pub(crate) fn changed(&mut self) -> Option<Vec<EdgeId>> {
        std::mem::take(&mut self.has_changed).then(|| self.sides.keys().copied().collect())
    }

    /// How near runs came to the open sides of a site, if that was measured.
    pub(crate) fn nearest(&self, program: &Program, site: SiteId) -> Option<Approached> {
        let sides = program
            .edges_of(site)
            .filter_map(|edge| self.sides.get(&edge));
        sides.filter_map(approached).next()
    }

    /// Of the sides that are watched: how many runs pass by with nothing symbolic, and of how many they change what is compared.
    pub(crate) fn summary(&self) -> OnlyConcrete {
        let known = self.sides.values().filter_map(approached);
        known.fold(OnlyConcrete::default(), |sum, side| OnlyConcrete {
            open: sum.open + 1,
            moved: sum.moved + u32::from(side.moves),
        })
    }

    /// A run with expressions took these edges; `hits` counts it already. Says what it brought.
    pub(crate) fn note(
        &mut self,
        program: &Program,
        run: &Run,
        edges: &[(EdgeId, u64)],
        hits: &SecondaryMap<EdgeId, u64>,
    ) -> Vec<Came> {
        if self.off {
            return Vec::new();
        }
        self.drop_taken(program, edges, hits);
        self.find(program, run, edges, hits);
        let mut came = Vec::new();
        for near in &run.near {
            let Some([own, all]) = self.sides.get_mut(&near.edge) else {
                continue;
            };
            all.add(near);
            let progress = own.add(near);
            if progress != Progress::None {
                came.push(Came {
                    edge: near.edge,
                    least: near.least,
                    progress,
                });
            }
        }
        came
    }

    /// What a run without expressions showed.
    pub(crate) fn look(&mut self, near: &[Near]) -> Progress {
        let sides = &mut self.sides;
        let each = near.iter().filter_map(|near| {
            let [_, all] = sides.get_mut(&near.edge)?;
            Some(all.add(near))
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
            if hits[edge] > count || self.sides.is_empty() {
                continue;
            }
            let site = program.edges[edge].site;
            let watched = watched_edge(program, site, edge);
            let is_open = |edge: EdgeId| hits[edge] == 0 && self.wanted[edge];
            let stays = watched != edge && program.edges_of(site).any(is_open);
            if !stays && self.sides.remove(&watched).is_some() {
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
            if self.looks[site] > 0 && !self.sides.contains_key(&watched) {
                open.insert(site, watched);
            }
        }
        if open.is_empty() || self.sides.len() >= MOST {
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
        for site in concrete.into_iter().take(MOST - self.sides.len()) {
            self.has_changed = true;
            self.sides.insert(open[&site], [NOTHING; 2]);
        }
    }
}

fn approached([_, all]: &[Record; 2]) -> Option<Approached> {
    let Record { least, seen } = *all;
    (seen != 0).then_some(Approached {
        least: (least != u64::MAX).then_some(least),
        moves: seen.count_ones() > 1,
    })
}

/// What is watched for an open edge of a site.
fn watched_edge(program: &Program, site: SiteId, edge: EdgeId) -> EdgeId {
    match program.sites[site].kind {
        SiteKind::Switch { .. } => program.edges_of(site).last().unwrap_or(edge),
        _ => edge,
    }
}
