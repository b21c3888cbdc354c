//! Tables: elements chosen by a term.
//!
//! Programs read tables at byte offsets from some base, so an index is often a constant plus a narrow term times a
//! power of two. Then only some of the elements can be read: the others go, and what they depend on.

use super::{Node, Pool, Tag};
use crate::{Op, Term};

/// An index: `base + (narrow << shift)`, without overflow.
struct Affine {
    base: usize,
    shift: u32,
    narrow: Term,
}

impl Pool {
    /// Element `index` of `entries`; an index outside reads the last one.
    ///
    /// # Panics
    /// If there are no entries or their widths differ.
    pub fn table(&mut self, index: Term, entries: Box<[Term]>) -> Term {
        let bits = self.width(*entries.first().expect("a table has entries"));
        assert!(
            entries.iter().all(|&e| self.width(e) == bits),
            "the entries of a table have one width"
        );
        let last = entries.len() - 1;
        if let Some(i) = self.as_const(index) {
            return entries[usize::try_from(i).map_or(last, |i| i.min(last))];
        }
        if self.rewriting {
            if entries.iter().all(|&e| e == entries[0]) {
                return entries[0];
            }
            if let Some((narrow, places)) = self.readable(index, last) {
                let entries = places.map(|place| entries[place]).collect();
                return self.table(narrow, entries);
            }
        }
        self.intern_table(index, entries)
    }

    /// The same table, of which only those entries are made that the index may read.
    ///
    /// # Panics
    /// If there are no entries, or they differ in width.
    pub fn table_of(
        &mut self,
        index: Term,
        count: usize,
        mut entry: impl FnMut(&mut Pool, usize) -> Term,
    ) -> Term {
        let last = count.checked_sub(1).expect("a table has entries");
        if let Some(place) = self.as_const(index) {
            return entry(self, usize::try_from(place).map_or(last, |i| i.min(last)));
        }
        let readable = self.rewriting.then(|| self.readable(index, last));
        match readable.flatten() {
            Some((narrow, places)) => {
                let entries = places.map(|place| entry(self, place)).collect();
                self.table(narrow, entries)
            }
            None => {
                let entries = (0..count).map(|place| entry(self, place)).collect();
                self.table(index, entries)
            }
        }
    }

    /// An index over fewer places, and which places of the table these are; `None` where the index is narrow already.
    fn readable(
        &self,
        index: Term,
        last: usize,
    ) -> Option<(Term, impl Iterator<Item = usize> + use<>)> {
        let affine = self.affine(index)?;
        let reach = 1usize
            .checked_shl(u32::from(self.width(affine.narrow)))
            .unwrap_or(usize::MAX);
        // Those inside, and one more if others are outside.
        let inside = match last.checked_sub(affine.base) {
            Some(rest) => (rest >> affine.shift) + 1,
            None => 0,
        };
        let (base, shift) = (affine.base, affine.shift);
        let places = (0..reach.min(inside))
            .map(move |place| base + (place << shift))
            .chain((reach > inside).then_some(last));
        Some((affine.narrow, places))
    }

    /// How many tables of entries that are no constants stand inside one another in a term, as far as `fuel` terms show it.
    #[must_use]
    pub fn nested_tables(&self, term: Term, fuel: &mut u32) -> u32 {
        if *fuel == 0 || !self.is_symbolic(term) {
            return 0;
        }
        *fuel -= 1;
        let node = self.node(term);
        if node.tag == Tag::Table {
            let entries = self.table_entries(node);
            let own = entries.iter().any(|&entry| self.is_symbolic(entry));
            return u32::from(own) + self.nested_tables(Term(node.a), fuel);
        }
        let mut most = 0;
        self.for_each_operand(node, |operand| {
            most = most.max(self.nested_tables(operand, fuel));
        });
        most
    }

    /// The parts of an index that is not just a narrow term.
    fn affine(&self, index: Term) -> Option<Affine> {
        let width = self.width(index);
        let (base, rest) = match self.operands(index, Op::Add) {
            Some([a, b, _]) => match (self.as_const(a), self.as_const(b)) {
                (Some(base), _) => (base, b),
                (_, Some(base)) => (base, a),
                _ => return None,
            },
            None => (0, index),
        };
        let wide = self.zext_of(rest);
        let inner = wide.unwrap_or(rest);
        let scaled = self.operands(inner, Op::Concat);
        let scaled = scaled.and_then(|x| Some((x[0], x[1], self.as_const(x[1])?)));
        let (narrow, shift, base) = match scaled {
            Some((high, low, offset)) => {
                (high, u32::from(self.width(low)), base.checked_add(offset)?)
            }
            None => (inner, 0, base),
        };
        // Zeros may stand above as well.
        let above = self.operands(narrow, Op::Concat);
        let narrow = match above.filter(|x| self.as_const(x[0]) == Some(0)) {
            Some(x) => x[1],
            None => self.zext_of(narrow).unwrap_or(narrow),
        };
        let reach = u32::from(self.width(narrow));
        if narrow == index || reach + shift >= 64 || width > 64 {
            return None;
        }
        let most = ((1_u128 << reach) - 1) << shift;
        let fits = base.saturating_add(most) < 1_u128 << width;
        Some(Affine {
            base: usize::try_from(base).ok().filter(|_| fits)?,
            shift,
            narrow,
        })
    }

    /// The table as it is.
    pub(super) fn intern_table(&mut self, index: Term, entries: Box<[Term]>) -> Term {
        let bits = self.width(entries[0]);
        let b = if let Some(&known) = self.table_index.get(&entries) {
            known
        } else {
            let next = self.tables.len() as u32;
            self.table_index.insert(entries.clone(), next);
            self.tables.push(entries);
            next
        };
        self.intern(Node {
            tag: Tag::Table,
            aux: 0,
            bits,
            a: index.0,
            b,
            c: 0,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Assignment, Var, eval};

    /// Indices of many forms: every value of the byte reads the element that the index says, the last one outside.
    #[test]
    fn elements_that_cannot_be_read_go() {
        for (base, shift, size, left) in [
            (0_usize, 0, 300_usize, Some(256)),
            (0, 0, 100, Some(101)),
            (327, 0, 584, Some(256)),
            (5, 3, 2053, Some(256)),
            (5, 3, 2000, Some(251)),
            (40, 3, 1000, Some(121)),
            (700, 0, 600, None),
        ] {
            let mut pool = Pool::new();
            let byte = pool.var(Var(0), 8);
            let hidden = pool.var(Var(1), 32);
            let wide = pool.zext(byte, 64);
            let shift_by = pool.constant(64, shift as u128);
            let scaled = pool.bin(Op::Shl, wide, shift_by);
            let from = pool.constant(64, base as u128);
            let index = pool.bin(Op::Add, from, scaled);
            // One that no index reads depends on another variable.
            let place_of = |value: usize| (base + (value << shift)).min(size - 1);
            let unread = (0..size).find(|&place| (0..256).all(|value| place_of(value) != place));
            let entries: Box<[Term]> = (0..size)
                .map(|place| match unread == Some(place) {
                    true => hidden,
                    false => pool.constant(32, place as u128),
                })
                .collect();
            let again = pool.table_of(index, size, |_, place| entries[place]);
            let table = pool.table(index, entries);
            assert_eq!(again, table, "{base} {shift} {size}");
            let node = pool.node(table);
            let found = (node.tag == Tag::Table).then(|| pool.table_entries(node).len());
            assert_eq!(found, left, "{base} {shift} {size}");
            assert!(!pool.vars(table).contains(&Var(1)));
            for value in 0..256 {
                let assignment: Assignment = [(Var(0), value)].into_iter().collect();
                let read = eval(&pool, table, &assignment);
                let place = place_of(value as usize) as u128;
                assert_eq!(read, place, "{base} {shift} {size} {value}");
            }
        }
    }

    /// An index that wraps around stays as it is.
    #[test]
    fn no_overflow_is_overlooked() {
        let mut pool = Pool::new();
        let byte = pool.var(Var(0), 8);
        let wide = pool.zext(byte, 16);
        let from = pool.constant(16, 0xffff);
        let index = pool.bin(Op::Add, from, wide);
        let entries = (0..4).map(|place| pool.constant(8, place + 10)).collect();
        let table = pool.table(index, entries);
        for (value, element) in [(0, 13), (1, 10), (2, 11), (4, 13), (255, 13)] {
            let assignment: Assignment = [(Var(0), value)].into_iter().collect();
            assert_eq!(eval(&pool, table, &assignment), element);
        }
    }
}
