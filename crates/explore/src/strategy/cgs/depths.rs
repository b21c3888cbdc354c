//! What is to be examined, by its depth in the tree: breadth first, each depth in random order.
//!
//! Must hold: what comes at a depth that was passed waits until all depths are gone through again.

use crate::rng::Rng;

#[derive(Debug)]
pub(super) struct Depths<T> {
    /// Where it is.
    depth: usize,
    next: usize,
    /// What is left at `depth`.
    current: Vec<T>,
    lists: Vec<Vec<T>>,
}

impl<T> Default for Depths<T> {
    fn default() -> Self {
        Depths {
            depth: 0,
            next: 0,
            current: Vec::new(),
            lists: Vec::new(),
        }
    }
}

impl<T> Depths<T> {
    pub(super) fn depth(&self) -> usize {
        self.depth
    }

    pub(super) fn add(&mut self, depth: usize, item: T) {
        if depth >= self.lists.len() {
            self.lists.resize_with(depth + 1, Vec::new);
        }
        self.lists[depth].push(item);
    }

    pub(super) fn pop(&mut self) -> Option<T> {
        self.current.pop()
    }

    /// It waits until this depth comes again.
    pub(super) fn put_back(&mut self, item: T) {
        self.lists[self.depth].push(item);
    }

    /// Goes to the next depth that has something. False: there is none.
    pub(super) fn advance(&mut self, rng: &mut Rng) -> bool {
        while self.next < self.lists.len() {
            self.depth = self.next;
            self.next += 1;
            std::mem::swap(&mut self.current, &mut self.lists[self.depth]);
            if !self.current.is_empty() {
                rng.shuffle(&mut self.current);
                return true;
            }
        }
        false
    }

    /// The first depth comes next.
    pub(super) fn rewind(&mut self) {
        self.next = 0;
    }

    /// Room for so many items is kept.
    pub(super) fn capacity(&self) -> usize {
        self.current.capacity() + self.lists.iter().map(Vec::capacity).sum::<usize>()
    }

    /// Depths that there are lists for.
    pub(super) fn lists(&self) -> usize {
        self.lists.capacity()
    }
}
