//! Operations that were built before, by what they were asked with: a run makes the terms of the run before it again, and most of
//! the time of a constructor goes into rules that find what they found then.
//!
//! Must hold: an entry is what the constructor would make now, so only the outermost constructor remembers (rules stop at a depth)
//! and nothing is remembered beyond a compaction. One place for each hash: a newer entry takes it.

use super::Node;
use crate::Term;

/// What was asked for, as the node that it would be without rules, and what it became.
#[derive(Clone, Debug, Default)]
pub(super) struct Memo(Vec<Option<(Node, Term)>>);

/// Entries of the smallest and of the largest memo.
const LEAST: usize = 1 << 11;
const MOST: usize = 1 << 16;

impl Memo {
    pub fn get(&self, asked: &Node) -> Option<Term> {
        let place = self.place(asked)?;
        self.0[place]
            .as_ref()
            .filter(|(known, _)| known == asked)
            .map(|(_, term)| *term)
    }

    pub fn put(&mut self, asked: Node, term: Term) {
        if let Some(place) = self.place(&asked) {
            self.0[place] = Some((asked, term));
        }
    }

    /// The pool has room for so many terms now. (A small pool, as of one question, has no memo.)
    pub fn grow(&mut self, terms: usize) {
        if terms >= LEAST && self.0.len() < terms.min(MOST) {
            self.0 = vec![None; terms.min(MOST)];
        }
    }

    pub fn bytes(&self) -> usize {
        self.0.capacity() * size_of::<Option<(Node, Term)>>()
    }

    fn place(&self, asked: &Node) -> Option<usize> {
        // The length is a power of two, or 0.
        let last = self.0.len().checked_sub(1)?;
        Some(asked.hash() as usize & last)
    }
}
