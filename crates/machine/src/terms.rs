//! The symbolic bytes of an object: by offset, in a row where the object is small, in a tree where it is not.
//!
//! Must hold: an object of which no byte is symbolic takes no room here.

use std::collections::BTreeMap;
use std::ops::Range;

use smt::Term;

/// Bytes of the largest object that has a row.
const ROW: usize = 4096;

/// Terms by offset.
#[derive(Clone, Debug, Default)]
pub(crate) struct Terms {
    /// One for each byte; empty without symbolic ones.
    row: Vec<Option<Term>>,
    tree: BTreeMap<u32, Term>,
    /// How many there are.
    count: usize,
}

impl Terms {
    #[inline(always)]
    pub fn is_empty(&self) -> bool {
        self.count == 0
    }

    pub fn len(&self) -> usize {
        self.count
    }

    #[inline]
    pub fn get(&self, at: usize) -> Option<Term> {
        match self.row.get(at) {
            Some(term) => *term,
            None => self.tree.get(&(at as u32)).copied(),
        }
    }

    /// Whether one of these bytes is symbolic.
    #[inline]
    pub fn has(&self, bytes: Range<usize>) -> bool {
        if self.count == 0 {
            return false;
        }
        match self.row.get(bytes.clone()) {
            Some(row) => row.iter().any(Option::is_some),
            None => {
                let range = bytes.start as u32..bytes.end as u32;
                self.tree.range(range).next().is_some()
            }
        }
    }

    /// A byte of an object of so many bytes is symbolic from now on.
    #[inline]
    pub fn set(&mut self, at: usize, term: Term, size: usize) {
        if size > ROW {
            self.count += usize::from(self.tree.insert(at as u32, term).is_none());
            return;
        }
        if self.row.is_empty() {
            self.row = vec![None; size];
        }
        self.count += usize::from(self.row[at].is_none());
        self.row[at] = Some(term);
    }

    /// These bytes are concrete from now on.
    #[inline]
    pub fn clear(&mut self, bytes: Range<usize>) {
        if self.count == 0 {
            return;
        }
        if let Some(row) = self.row.get_mut(bytes.clone()) {
            self.count -= row.iter().flatten().count();
            row.fill(None);
        } else {
            let range = bytes.start as u32..bytes.end as u32;
            let gone: Vec<u32> = self.tree.range(range).map(|(&at, _)| at).collect();
            for at in gone {
                self.tree.remove(&at);
                self.count -= 1;
            }
        }
        if self.count == 0 {
            self.row = Vec::new();
        }
    }

    /// Those of these bytes, counted from their first.
    pub fn within(&self, bytes: Range<usize>) -> Vec<(usize, Term)> {
        if self.count == 0 {
            return Vec::new();
        }
        match self.row.get(bytes.clone()) {
            Some(row) => {
                let all = row.iter().enumerate();
                all.filter_map(|(at, term)| Some((at, (*term)?))).collect()
            }
            None => {
                let range = bytes.start as u32..bytes.end as u32;
                let all = self.tree.range(range);
                all.map(|(&at, &term)| (at as usize - bytes.start, term))
                    .collect()
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use random::Random;
    use smt::{Pool, Var};

    /// A row and a tree say what a plain list says.
    #[test]
    fn rows_and_trees_are_lists() {
        let mut pool = Pool::new();
        for size in [24, ROW + 24] {
            let mut random = Random::new(size as u64);
            let (mut terms, mut list) = (Terms::default(), vec![None; size]);
            for step in 0..4000 {
                let at = size - 24 + random.below(24);
                let end = at + random.below(size - at + 1);
                match random.below(3) {
                    0 => {
                        let term = pool.var(Var(step), 8);
                        terms.set(at, term, size);
                        list[at] = Some(term);
                    }
                    1 => {
                        terms.clear(at..end);
                        list[at..end].fill(None);
                    }
                    _ => {}
                }
                assert_eq!(terms.get(at), list[at]);
                assert_eq!(
                    terms.has(at..end),
                    list[at..end].iter().any(Option::is_some)
                );
                let within = list[at..end].iter().enumerate();
                let within: Vec<(usize, Term)> = within
                    .filter_map(|(at, term)| Some((at, (*term)?)))
                    .collect();
                assert_eq!(terms.within(at..end), within);
                assert_eq!(terms.len(), list.iter().flatten().count());
                assert_eq!(terms.is_empty(), list.iter().all(Option::is_none));
            }
        }
    }
}
