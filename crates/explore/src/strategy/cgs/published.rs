//! The search of the paper, whole: rounds from a new input each, k from 1 to 5, contexts as they were selected.
//!
//! Must hold: what was tried in an earlier round is as if it had not been; a round that selects nothing is followed by a
//! new draw, or by the end; sides that no context of five branches tells apart are not open for ever.

use program::callgraph::CallGraph;
use program::dom::{EdgeDominators, edge_dominators_across_calls};
use program::{EdgeId, Program, SecondaryMap};

use super::Item;
use super::depths::Depths;
use crate::guide::wish;
use crate::rng::Rng;
use crate::view::{NewPath, Pick, Strategy, View};
use path::hash::{HashedSet, mix};
use path::{Candidate, RunId};

/// k of the last traversal of a round ("from one to five", section 5.3.1).
const LAST_LEVEL: u32 = 5;

pub(super) struct Published {
    dominators: Option<EdgeDominators>,
    /// The site of each edge: the other side of a branch dominates it as the branch itself does.
    sites: SecondaryMap<EdgeId, u32>,
    first_k: u32,
    last_k: u32,
    k: u32,
    depths: Depths<Entry>,
    cache: HashedSet,
    /// Decisions and sides of this round's tree.
    nodes: HashedSet,
    taken: HashedSet,
    /// The next path is the first of a round.
    begins: bool,
    rounds: u64,
    /// Picks of this round for which others have not had one. They have them when it is over, if it was fruitless.
    picks: u64,
    /// No run of this round came to a decision that none had come to.
    is_fruitless: bool,
    skipped: usize,
}

/// A branch of this round, and a run of this round that came to it.
#[derive(Clone, Copy, Debug)]
struct Entry {
    item: Item,
    run: RunId,
}

fn key(side: Candidate) -> u64 {
    mix(u64::from(side.node.as_u32()), u64::from(side.side))
}

impl Published {
    pub(super) fn new(program: &Program, fixed_k: u32, dominators: bool) -> Published {
        let mut sites = SecondaryMap::for_map(&program.edges, 0);
        for (edge, known) in program.edges.iter() {
            sites[edge] = known.site.as_u32();
        }
        let graph = dominators.then(|| CallGraph::new(program));
        let first_k = if fixed_k == 0 { 1 } else { fixed_k };
        Published {
            dominators: graph.map(|calls| edge_dominators_across_calls(program, &calls)),
            sites,
            first_k,
            last_k: if fixed_k == 0 { LAST_LEVEL } else { fixed_k },
            k: first_k,
            depths: Depths::default(),
            cache: HashedSet::default(),
            nodes: HashedSet::default(),
            taken: HashedSet::default(),
            begins: true,
            rounds: 0,
            picks: 0,
            is_fruitless: false,
            skipped: 0,
        }
    }

    /// Nothing is known.
    fn begin(&mut self) {
        self.k = self.first_k;
        self.depths = Depths::default();
        self.cache.clear();
        self.nodes.clear();
        self.taken.clear();
        self.rounds += 1;
        self.skipped = 0;
        self.begins = false;
        self.picks = 0;
        self.is_fruitless = true;
    }

    /// After a round: a draw, which begins the next. A round that brought nothing may be followed by others like it without
    /// end, so the oldest open sides have as many picks as it had.
    fn end(&mut self) -> Option<Pick> {
        if self.is_fruitless && self.picks > 0 {
            self.picks -= 1;
            return None;
        }
        self.begins = true;
        Some(Pick::Draw)
    }

    /// Goes to the next depth that has branches; after the last one, to the next k. False: the round is over.
    fn advance(&mut self, rng: &mut Rng) -> bool {
        while !self.depths.advance(rng) {
            if self.k >= self.last_k {
                return false;
            }
            self.k += 1;
            self.depths.rewind();
            self.skipped = 0;
        }
        true
    }

    /// What is to be done for a branch that is selected; `None`: nothing, it is known to have no input.
    fn want(&self, view: &View<'_>, entry: &Entry) -> Option<Pick> {
        wish(view, entry.item.branch, Some(entry.run))
    }
}

impl Strategy for Published {
    fn on_path(&mut self, view: &View<'_>, path: &NewPath<'_>) {
        if self.begins {
            self.begin();
        }
        self.is_fruitless &= path.new_nodes().is_empty();
        let ends = path.nodes.iter().skip(1);
        for side in ends.filter_map(|&node| view.tree.parent(node)) {
            self.taken.insert(key(side));
        }
        for &node in path.nodes {
            if !view.tree.kind(node).for_strategies()
                || !self.nodes.insert(mix(1, u64::from(node.as_u32())))
            {
                continue;
            }
            let depth = view.tree.depth(node) as usize;
            for side in (0..view.tree.sides(node)).map(|side| Candidate { node, side }) {
                if !self.taken.contains(&key(side)) {
                    let item = Item::new(view, side);
                    self.depths.add(
                        depth,
                        Entry {
                            item,
                            run: path.run,
                        },
                    );
                }
            }
        }
    }

    fn pick(&mut self, view: &View<'_>, rng: &mut Rng) -> Option<Candidate> {
        match self.next(view, rng)? {
            Pick::Side(side) => Some(side),
            Pick::Again { .. } | Pick::Draw => None,
        }
    }

    fn next(&mut self, view: &View<'_>, rng: &mut Rng) -> Option<Pick> {
        loop {
            let Some(mut entry) = self.depths.pop() else {
                if self.begins || !self.advance(rng) {
                    return self.end();
                }
                continue;
            };
            if self.taken.contains(&key(entry.item.branch)) {
                continue;
            }
            let (sites, dominators) = (&self.sites, self.dominators.as_ref());
            let dominates = |edge: EdgeId, branch: EdgeId| {
                dominators.is_some_and(|known| {
                    edge != branch
                        && (sites[edge] == sites[branch] || known.dominates(edge, branch))
                })
            };
            entry.item.grow(view, dominates, self.k);
            if self.cache.insert(entry.item.hash) {
                match self.want(view, &entry) {
                    Some(pick) => {
                        self.picks += 1;
                        return Some(pick);
                    }
                    None => continue,
                }
            }
            self.skipped += 1;
            self.depths.put_back(entry);
        }
    }

    fn phase(&self) -> String {
        let (round, k, depth, skipped) = (self.rounds, self.k, self.depths.depth(), self.skipped);
        format!("round {round}, k = {k}, depth {depth}, {skipped} skipped")
    }

    fn bytes(&self) -> usize {
        self.depths.capacity() * size_of::<Entry>()
            + (self.cache.capacity() + self.nodes.capacity() + self.taken.capacity()) * 9
    }
}
