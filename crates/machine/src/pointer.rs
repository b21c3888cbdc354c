//! Loads and stores of words, through concrete and symbolic addresses.
//!
//! A symbolic address reads its whole object, when it is small, as a table of what each place in it holds that the address may name;
//! else it is pinned, as where such reads would nest. Writes through one that names one of a few cells change each of them under a
//! condition. An address that is pinned names one place from then on.
//!
//! Must hold: that the address is inside the object is recorded as a constraint before the object is read as a table.

use path::{Class, LossReason};
use smt::{Op as TermOp, Pool, Term};

use crate::cells::{Cells, cells};
use crate::concrete::mask;
use crate::fault::Fault;
use crate::memo::{Bytes, Memo, Table};
use crate::memory::{Kind, Memory};
use crate::register::Register;
use crate::state::{Made, State};

/// Bytes of the largest object that is read as a table.
const TABLE: u64 = 4096;
/// Cells of the largest object in which a write may change any: as in a native run.
const CELLS: u64 = 16;

/// Reads through tables of symbolic elements, each in the index of the next, that stay expressions: as in a native run.
const MOST_NESTED: u32 = 1;
/// Terms that are looked at for tables in an address.
const FUEL: u32 = 64;

/// The bytes at an address as one number.
fn entry(
    memory: &Memory,
    (pool, memo): (&mut Pool, &mut Memo),
    address: u64,
    bytes: u32,
) -> Result<Term, Fault> {
    let (word, symbolic) = memory.word(address, bytes)?;
    if !symbolic {
        return Ok(pool.constant(8 * bytes as u16, word.into()));
    }
    let mut key = Bytes {
        values: 0,
        terms: [0; 8],
        count: bytes,
    };
    let (object, at) = memory.find(address, bytes.into())?;
    for (offset, number) in key.terms.iter_mut().enumerate().take(bytes as usize) {
        match object.terms.get(at + offset) {
            Some(term) => *number = term.index() as u32 + 1,
            None => key.values |= u64::from(object.bytes[at + offset]) << (8 * offset),
        }
    }
    if let Some(known) = memo.bytes.get(&key) {
        return Ok(known);
    }
    let mut whole = None;
    for offset in 0..bytes as usize {
        let byte = object.bytes[at + offset];
        let term = object.terms.get(at + offset);
        let term = term.unwrap_or_else(|| pool.constant(8, byte.into()));
        whole = Some(match whole {
            Some(low) => pool.concat(term, low),
            None => term,
        });
    }
    let whole = whole.unwrap_or_else(|| pool.constant(8, 0));
    memo.bytes.put(key, whole);
    Ok(whole)
}

impl State<'_> {
    /// The word of so many bits at an address.
    pub fn load_word(&mut self, address: &Register, bits: u8) -> Made<Register> {
        let place = address.word();
        if let Some(term) = address.term()
            && let Some(loaded) = self.load_table(place, term, bits)?
        {
            return Ok(loaded);
        }
        self.pin(address, LossReason::Address);
        self.load_place(place, bits)
    }

    fn load_place(&mut self, place: u64, bits: u8) -> Made<Register> {
        let bytes = u32::from(bits).div_ceil(8);
        let (word, symbolic) = self.memory.word(place, bytes)?;
        let unwritten = self.memory.unwritten(place, bytes) & mask(bits);
        let loaded = if symbolic {
            let term = entry(&self.memory, (self.pool, self.memo), place, bytes)?;
            self.word_of(word, term, bits)
        } else {
            Register::Word(word & mask(bits))
        };
        Ok(loaded.partial(unwritten))
    }

    fn word_of(&mut self, word: u64, term: Term, bits: u8) -> Register {
        let term = self.pool.extract(term, 0, bits.into());
        let word = word & mask(bits);
        if self.pool.is_symbolic(term) {
            Register::Symbolic(word, term)
        } else {
            Register::Word(word)
        }
    }

    /// The object as a table; `None` when it is too large. An address outside of it is a fault of this run.
    fn load_table(&mut self, place: u64, address: Term, bits: u8) -> Made<Option<Register>> {
        let bytes = u32::from(bits).div_ceil(8);
        let (object, _) = self.memory.find(place, bytes.into())?;
        let (base, size) = (object.base, object.bytes.len() as u64);
        let (concrete, pristine) = (object.terms.is_empty(), object.pristine);
        if size > TABLE || self.fixed.has(self.pool, address) {
            return Ok(None);
        }
        let key = Table {
            address,
            place,
            bytes,
        };
        if pristine && let Some((named, term)) = self.memo.tables.get(&key) {
            self.check_inside(&named);
            let (word, _) = self.memory.word(place, bytes)?;
            return Ok(Some(self.word_of(word, term, bits)));
        }
        let named = cells(self.pool, (address, place), bytes.into(), (base, size));
        let Some(named) = named else {
            return Ok(None);
        };
        let nested = self.pool.nested_tables(named.index, &mut { FUEL });
        if nested >= MOST_NESTED && !concrete && named.count > 1 {
            return Ok(None);
        }
        self.check_inside(&named);
        if named.count == 1 {
            return self.load_place(place, bits).map(Some);
        }
        let (memory, memo) = (&self.memory, &mut *self.memo);
        let mut fault = None;
        let term = self
            .pool
            .table_of(named.index, named.count as usize, |pool, cell| {
                let at = named.first + named.stride * cell as u64;
                let entry = entry(memory, (pool, memo), at, bytes);
                entry.unwrap_or_else(|error| {
                    fault = Some(error);
                    pool.constant(8 * bytes as u16, 0)
                })
            });
        if let Some(fault) = fault {
            return Err(fault.into());
        }
        if pristine {
            self.memo.tables.put(key, (named, term));
        }
        let (word, _) = self.memory.word(place, bytes)?;
        let unwritten = self.memory.unwritten(place, bytes) & mask(bits);
        Ok(Some(self.word_of(word, term, bits).partial(unwritten)))
    }

    /// Records that an address names one of the cells.
    fn check_inside(&mut self, cells: &Cells) {
        let bits = self.pool.width(cells.index);
        let count = self.pool.constant(bits, cells.count.into());
        let inside = self.pool.cmp(TermOp::Ult, cells.index, count);
        let spot = self.spot();
        self.record
            .constraint(self.pool, Class::Check, spot, inside);
    }

    /// Writes the word of so many bits to an address.
    pub fn store_word(&mut self, address: &Register, bits: u8, value: &Register) -> Made {
        let bytes = u32::from(bits).div_ceil(8);
        if let Some(term) = address.term()
            && self.store_cells(address.word(), term, bytes, value)?
        {
            return Ok(());
        }
        self.pin(address, LossReason::Address);
        let place = address.word();
        let Some(term) = value.term() else {
            self.memory.set_word(place, bytes, value.word())?;
            return self.leave_unwritten(place, bytes, value.mask());
        };
        let whole = self.pool.zext(term, (8 * bytes) as u16);
        self.put_word(place, bytes, value.word(), whole)?;
        self.leave_unwritten(place, bytes, value.mask())
    }

    /// Of a word that was just written some bits have no value.
    fn leave_unwritten(&mut self, place: u64, bytes: u32, mask: u64) -> Made {
        if mask != 0 {
            self.memory.set_unwritten(place, bytes, mask)?;
        }
        Ok(())
    }

    /// Writes to one of a few places; false when they are too many.
    fn store_cells(
        &mut self,
        place: u64,
        address: Term,
        bytes: u32,
        value: &Register,
    ) -> Made<bool> {
        let (object, _) = self.memory.find(place, bytes.into())?;
        let (base, size) = (object.base, object.bytes.len() as u64);
        if object.kind == Kind::Constant {
            return Err(Fault::Constant.into());
        }
        if self.fixed.has(self.pool, address) {
            return Ok(false);
        }
        let named = cells(self.pool, (address, place), bytes.into(), (base, size));
        let few = |named: &Cells| named.count <= CELLS && named.stride >= bytes.into();
        let Some(named) = named.filter(few) else {
            return Ok(false);
        };
        if self.pool.nested_tables(named.index, &mut { FUEL }) >= MOST_NESTED {
            return Ok(false);
        }
        self.check_inside(&named);
        let width = self.pool.width(named.index);
        let (whole, left) = ((8 * bytes) as u16, value.mask());
        let term = match value.term() {
            Some(term) => self.pool.zext(term, whole),
            None => self.pool.constant(whole, value.word().into()),
        };
        for cell in 0..named.count {
            let at = named.first + named.stride * cell;
            let before = entry(&self.memory, (self.pool, self.memo), at, bytes)?;
            let number = self.pool.constant(width, cell.into());
            let here = self.pool.eq(named.index, number);
            let after = self.pool.ite(here, term, before);
            let word = match at == place {
                true => value.word(),
                false => self.memory.word(at, bytes)?.0,
            };
            let kept = match at == place {
                true => left,
                false => self.memory.unwritten(at, bytes),
            };
            self.put_word(at, bytes, word, after)?;
            self.leave_unwritten(at, bytes, kept)?;
        }
        Ok(true)
    }

    /// Writes a word with its term, byte for byte.
    fn put_word(&mut self, at: u64, bytes: u32, word: u64, whole: Term) -> Made {
        for index in 0..bytes {
            let byte = (word >> (8 * index)) as u8;
            let term = self.pool.extract(whole, (8 * index) as u16, 8);
            let term = Some(term).filter(|term| self.pool.is_symbolic(*term));
            self.memory
                .set_byte(at.wrapping_add(index.into()), byte, term)?;
        }
        Ok(())
    }
}
