//! Terms that runs made before, by what they were made of: most of a run's symbolic work is that of the run before it.
//!
//! Must hold: an entry is what would be made now. So a key says everything that the term depends on but the program and its addresses,
//! which a machine has once, and all entries go when the pool is another one or was compacted. One place for each hash: a newer
//! entry takes it.

use program::{FuncId, ValueId};
use smt::{Epoch, Pool, Term};

use crate::cells::Cells;

/// Operands of an instruction that are remembered: constants are no operands here.
const OPERANDS: usize = 3;

/// The computation of a word.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Computed {
    function: u32,
    value: u32,
    /// Which operands are terms; the others are words.
    terms: u32,
    count: u32,
    operands: [u64; OPERANDS],
}

impl Computed {
    pub fn new(function: FuncId, value: ValueId) -> Computed {
        Computed {
            function: function.as_u32(),
            value: value.as_u32(),
            ..Computed::default()
        }
    }

    /// The next operand; false if there is no room.
    pub fn push(&mut self, word: u64, term: Option<Term>) -> bool {
        let Some(place) = self.operands.get_mut(self.count as usize) else {
            return false;
        };
        *place = term.map_or(word, |term| term.index() as u64);
        self.terms |= u32::from(term.is_some()) << self.count;
        self.count += 1;
        true
    }
}

/// Up to 8 bytes of memory, each a term or a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Bytes {
    pub values: u64,
    /// Numbers of terms, one above; 0 for none.
    pub terms: [u32; 8],
    pub count: u32,
}

/// A read of what an object held at the start, through a symbolic address.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Table {
    pub address: Term,
    pub place: u64,
    pub bytes: u32,
}

/// What is remembered.
#[derive(Debug, Default)]
pub(crate) struct Memo {
    epoch: Epoch,
    pub computed: Places<Computed, Term>,
    pub bytes: Places<Bytes, Term>,
    pub tables: Places<Table, (Cells, Term)>,
}

impl Memo {
    /// Terms are of this pool from now on.
    pub fn of(&mut self, pool: &Pool) {
        if self.epoch != pool.epoch() {
            *self = Memo {
                epoch: pool.epoch(),
                ..Memo::default()
            };
        }
    }
}

/// What a hash is made of.
pub(crate) trait Key: Copy + PartialEq {
    fn mix(&self, mix: impl FnMut(u64));
}

impl Key for Computed {
    fn mix(&self, mut mix: impl FnMut(u64)) {
        mix(u64::from(self.function) << 32 | u64::from(self.value));
        mix(u64::from(self.terms));
        self.operands.into_iter().for_each(mix);
    }
}

impl Key for Bytes {
    fn mix(&self, mut mix: impl FnMut(u64)) {
        mix(self.values);
        for pair in self.terms.chunks_exact(2) {
            mix(u64::from(pair[0]) << 32 | u64::from(pair[1]));
        }
    }
}

impl Key for Table {
    fn mix(&self, mut mix: impl FnMut(u64)) {
        mix((self.address.index() as u64) << 8 | u64::from(self.bytes));
        mix(self.place);
    }
}

/// Values by key, one for each hash.
#[derive(Debug)]
pub(crate) struct Places<K, V>(Vec<Option<(K, V)>>);

impl<K, V> Default for Places<K, V> {
    fn default() -> Places<K, V> {
        Places(Vec::new())
    }
}

/// Places; a power of two.
const PLACES: usize = 1 << 13;

impl<K: Key, V: Copy> Places<K, V> {
    #[inline]
    pub fn get(&self, key: &K) -> Option<V> {
        let (known, value) = self.0.get(place(key))?.as_ref()?;
        (known == key).then_some(*value)
    }

    pub fn put(&mut self, key: K, value: V) {
        if self.0.is_empty() {
            self.0 = vec![None; PLACES];
        }
        self.0[place(&key)] = Some((key, value));
    }
}

#[inline]
fn place(key: &impl Key) -> usize {
    let mut hash = 0_u64;
    key.mix(|word| hash = smt::mix(hash, word));
    (hash ^ hash >> 32) as usize & (PLACES - 1)
}

#[cfg(test)]
mod tests {
    use super::*;
    use smt::Var;

    #[test]
    fn another_pool_knows_nothing() {
        let (mut one, mut memo) = (Pool::new(), Memo::default());
        let x = one.var(Var(0), 8);
        let mut key = Computed::new(FuncId::from_u32(1), ValueId::from_u32(2));
        assert!(key.push(7, None));
        assert!(key.push(9, Some(x)));
        memo.of(&one);
        memo.computed.put(key, x);
        memo.of(&one);
        assert_eq!(memo.computed.get(&key), Some(x));
        let mut words = Computed::new(FuncId::from_u32(1), ValueId::from_u32(2));
        words.push(7, None);
        words.push(x.index() as u64, None);
        assert_eq!(memo.computed.get(&words), None);
        one.compact(&[]);
        memo.of(&one);
        assert_eq!(memo.computed.get(&key), None);
        memo.computed.put(key, x);
        memo.of(&Pool::new());
        assert_eq!(memo.computed.get(&key), None);
    }
}
