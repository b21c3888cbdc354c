//! Open sides in groups with prices: the cheapest group is picked, and in it a side at random.
//!
//! Must hold: a group's price may rise at any time without notice (a stale entry of the queue is found when it comes
//! up); before a price may have fallen, [`PricedQueue::reconsider`] or [`PricedQueue::reprice`] is called. Then a pick costs O(log g), amortised, g being
//! the number of groups.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use program::EdgeId;

use crate::rng::Rng;
use crate::view::{View, draw};
use path::hash::{HashTable, mix};
use path::tree::Kind;
use path::{Candidate, NodeId, Tree};

/// Decisions of one library call that are told apart.
const POSITIONS: u32 = 32;

/// How many decisions of the same library call come right before this one: the place in the string where it looks.
pub(crate) fn position(tree: &Tree, node: NodeId) -> u32 {
    let spot = tree.spot(node);
    let up = |&node: &NodeId| tree.parent(node).map(|parent| parent.node);
    let before = std::iter::successors(up(&node), up);
    let same = |&node: &NodeId| tree.kind(node) == Kind::Library && tree.spot(node) == spot;
    before.take(POSITIONS as usize).take_while(same).count() as u32
}

/// Open sides that are worth the same.
#[derive(Debug, Default)]
pub(crate) struct Group {
    /// The edge of its sides; of a library decision, the edge before it.
    pub(crate) edge: Option<EdgeId>,
    /// Picks from it; the strategy may set it back.
    pub(crate) tries: u32,
    /// May hold some that are not open any more.
    sides: Vec<Candidate>,
    /// In the queue at this price.
    queued: Option<u64>,
}

/// A priority queue of groups of open sides.
#[derive(Debug, Default)]
pub(crate) struct PricedQueue {
    groups: Vec<Group>,
    by_key: HashTable<u32>,
    /// Price, random number against patterns among equals, group.
    queue: BinaryHeap<Reverse<(u64, u32, u32)>>,
    /// Groups that got sides and may not be in the queue.
    grown: Vec<u32>,
    waiting: usize,
}

impl PricedQueue {
    /// Adds a side to the group of its static branch, in a context (0: any), and returns the group's number.
    pub(crate) fn add_by_edge(&mut self, view: &View<'_>, side: Candidate, context: u64) -> usize {
        let salt = mix(context, 7);
        match view.tree.edge(side) {
            Some(edge) => {
                let key = mix(u64::from(edge.as_u32()), salt);
                self.add(key, Some(edge), side)
            }
            None => {
                let spot = view.tree.spot(side.node).map_or(0, |spot| spot.as_u32());
                let before = view.tree.edge_back(&mut view.tree.cursor(side.node));
                let place = before.map_or(u64::MAX, |edge| u64::from(edge.as_u32()));
                let key = mix(mix(u64::from(spot), place), u64::from(side.side));
                let key = mix(key, u64::from(position(view.tree, side.node)));
                self.add(mix(key, salt), before, side)
            }
        }
    }

    /// Adds a side to the group of this key, and returns the group's number; the first side of a group says what its
    /// edge is.
    pub(crate) fn add(&mut self, key: u64, edge: Option<EdgeId>, side: Candidate) -> usize {
        let next = self.groups.len() as u32;
        let index = *self.by_key.entry(key).or_insert(next);
        if index == next {
            let group = Group {
                edge,
                ..Group::default()
            };
            self.groups.push(group);
        }
        let group = &mut self.groups[index as usize];
        group.sides.push(side);
        self.waiting += 1;
        if group.queued.is_none() {
            self.grown.push(index);
        }
        index as usize
    }

    /// Enters every group at its price of now.
    pub(crate) fn reprice(&mut self, rng: &mut Rng, price: impl Fn(usize, &Group) -> u64) {
        self.queue.clear();
        for index in 0..self.groups.len() as u32 {
            self.groups[index as usize].queued = None;
            self.enqueue(index, rng, &price);
        }
    }

    /// A side of the cheapest group, each as likely as the other, and the group.
    pub(crate) fn pick(
        &mut self,
        view: &View<'_>,
        rng: &mut Rng,
        price: impl Fn(usize, &Group) -> u64,
    ) -> Option<(Candidate, usize)> {
        while let Some(index) = self.grown.pop() {
            self.enqueue(index, rng, &price);
        }
        while let Some(Reverse((asked, _, index))) = self.queue.pop() {
            let group = &mut self.groups[index as usize];
            if group.queued != Some(asked) {
                continue;
            }
            group.queued = None;
            if price(index as usize, group) > asked {
                self.enqueue(index, rng, &price);
                continue;
            }
            let before = group.sides.len();
            let side = draw(&mut group.sides, view, rng);
            self.waiting -= before - group.sides.len();
            if let Some(side) = side {
                group.tries += 1;
                self.enqueue(index, rng, &price);
                return Some((side, index as usize));
            }
        }
        None
    }

    /// The tries of a group count for nothing any more: it is cheaper.
    pub(crate) fn forget_tries(&mut self, index: usize) {
        self.groups[index].tries = 0;
        self.reconsider(index);
    }

    /// The price of a group may have fallen.
    pub(crate) fn reconsider(&mut self, index: usize) {
        self.grown.push(index as u32);
    }

    pub(crate) fn group(&self, index: usize) -> &Group {
        &self.groups[index]
    }

    pub(crate) fn group_mut(&mut self, index: usize) -> &mut Group {
        &mut self.groups[index]
    }

    /// Number of groups.
    pub(crate) fn len(&self) -> usize {
        self.groups.len()
    }

    /// The lowest price asked.
    pub(crate) fn cheapest(&self) -> Option<u64> {
        self.queue.peek().map(|Reverse((price, ..))| *price)
    }

    pub(crate) fn bytes(&self) -> usize {
        // Lists grow by doubling, so on average a quarter of them is empty.
        (self.waiting + self.waiting / 3) * size_of::<Candidate>()
            + self.groups.capacity() * size_of::<Group>()
            + self.by_key.capacity() * 13
            + self.queue.capacity() * size_of::<(u64, u32, u32)>()
    }

    fn enqueue(&mut self, index: u32, rng: &mut Rng, price: impl Fn(usize, &Group) -> u64) {
        let group = &mut self.groups[index as usize];
        let asked = price(index as usize, group);
        if group.queued != Some(asked) && !group.sides.is_empty() {
            group.queued = Some(asked);
            let luck = rng.below(1 << 20) as u32;
            self.queue.push(Reverse((asked, luck, index)));
        }
    }
}
