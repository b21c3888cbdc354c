//! Sides of long paths that are put off.
//!
//! A recursion or a loop over large numbers makes hundreds of thousands of decisions, all of them at a few places. One of
//! its turns is mostly as good as the next, and the later, the dearer: its path condition is as long as the path. So of a long
//! path some sides of each place are offered, the first ones and then fewer and fewer, and the last; what is deep only where no
//! run has taken the edge. The others wait until nothing else is left.
//!
//! Must hold: a path of up to [`LONG`] decisions is offered whole; a side that is put off keeps an exhausted tree from being a
//! proof, and is offered in the end.

use program::{EdgeId, SecondaryMap};

use path::hash::{HashTable, mix};
use path::tree::Side;
use path::{Candidate, NodeId, Tree};

/// Decisions of a path that are all offered.
const LONG: usize = 2048;
/// Decisions of a path before which an edge is offered although runs have taken it.
const DEEP: u32 = 8192;
/// First and last visits of a place that are offered.
const FIRST: u32 = 48;
const LAST: u32 = 16;
/// Of the others, so many in each doubling.
const EACH_DOUBLING: u32 = 4;
/// Sides that are offered at once when nothing else is left.
const WAKE: usize = 256;

/// The list of sides that were put off.
#[derive(Debug, Default)]
pub(super) struct Deferred {
    /// Nodes before this one have none.
    from: usize,
}

impl Deferred {
    /// Sides of the path's nodes behind the first `known` that are to be put off.
    pub(super) fn choose(
        tree: &Tree,
        path: &[NodeId],
        known: usize,
        edge_hits: &SecondaryMap<EdgeId, u64>,
    ) -> Vec<Candidate> {
        if path.len() <= LONG {
            return Vec::new();
        }
        let mut visits: HashTable<(u32, u32)> = HashTable::default();
        for &node in path {
            visits.entry(place(tree, node)).or_default().1 += 1;
        }
        let mut chosen = Vec::new();
        for (at, &node) in path.iter().enumerate() {
            let (number, all) = visits.entry(place(tree, node)).or_default();
            *number += 1;
            if at < known {
                continue;
            }
            let sampled = is_sampled(*number, *all);
            let too_deep = tree.depth(node) > DEEP;
            let is_taken =
                |side: &Candidate| tree.edge(*side).is_some_and(|edge| edge_hits[edge] > 0);
            let sides = tree.open_sides(node);
            chosen.extend(sides.filter(|side| !sampled || (too_deep && is_taken(side))));
        }
        chosen
    }

    /// Some sides that were put off, the oldest first.
    pub(super) fn wake(&mut self, tree: &Tree) -> Vec<Candidate> {
        let mut woken = Vec::new();
        while tree.counts().deferred > woken.len() as u64
            && self.from < tree.len()
            && woken.len() < WAKE
        {
            let node = NodeId::from_u32(self.from as u32);
            let sides = (0..tree.sides(node)).map(|side| Candidate { node, side });
            woken.extend(sides.filter(|&side| tree.side(side) == Side::Deferred));
            self.from += 1;
        }
        woken
    }
}

/// Is the n-th of so many visits offered?
fn is_sampled(number: u32, all: u32) -> bool {
    number <= FIRST || number + LAST > all || {
        let step = (1 << number.ilog2()) / EACH_DOUBLING;
        number.is_multiple_of(step)
    }
}

/// Where a decision is made, whatever is decided.
fn place(tree: &Tree, node: NodeId) -> u64 {
    match (tree.edge(Candidate { node, side: 0 }), tree.spot(node)) {
        (Some(edge), _) => mix(1, u64::from(edge.as_u32())),
        (None, Some(spot)) => mix(mix(2, tree.kind(node) as u64), u64::from(spot.as_u32())),
        (None, None) => 0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_visits_and_the_last_are_offered_and_fewer_and_fewer_between() {
        let offered = |all: u32| (1..=all).filter(|&number| is_sampled(number, all)).count();
        assert_eq!(offered(64), 64);
        assert!((64..100).contains(&offered(1_000)), "{}", offered(1_000));
        assert!(
            (80..140).contains(&offered(1_000_000)),
            "{}",
            offered(1_000_000)
        );
        assert!(is_sampled(1_000_000, 1_000_000) && is_sampled(65_536, 1_000_000));
    }
}
