//! Loads and stores of words, through concrete and symbolic addresses.
//!
//! A symbolic address reads its whole object, when it is small, as a table of what each place in it holds; else it is pinned, as
//! where such reads would nest. Writes
//! through one that names one of a few cells change each of them under a condition.
//!
//! Must hold: that the address is inside the object is recorded as a constraint before the object is read as a table.

use path::{Class, LossReason};
use smt::{Op as TermOp, Pool, Term};

use crate::concrete::mask;
use crate::fault::Fault;
use crate::memory::Memory;
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
fn entry(memory: &Memory, pool: &mut Pool, address: u64, bytes: u32) -> Result<Term, Fault> {
    let (word, symbolic) = memory.word(address, bytes)?;
    if !symbolic {
        return Ok(pool.constant(8 * bytes as u16, word.into()));
    }
    let (byte, term) = memory.byte(address)?;
    let mut whole = term.unwrap_or_else(|| pool.constant(8, byte.into()));
    for offset in 1..u64::from(bytes) {
        let (byte, term) = memory.byte(address + offset)?;
        let term = term.unwrap_or_else(|| pool.constant(8, byte.into()));
        whole = pool.concat(term, whole);
    }
    Ok(whole)
}

impl State<'_> {
    /// The word of so many bits at an address.
    pub fn load_word(&mut self, address: &Register, bits: u8) -> Made<Register> {
        let bytes = u32::from(bits).div_ceil(8);
        let place = address.word();
        if let Some(term) = address.term()
            && let Some(loaded) = self.load_table(place, term, bits)?
        {
            return Ok(loaded);
        }
        self.pin(address, LossReason::Address);
        let (word, symbolic) = self.memory.word(place, bytes)?;
        let unwritten = self.memory.unwritten(place, bytes) & mask(bits);
        let loaded = if symbolic {
            let term = entry(&self.memory, self.pool, place, bytes)?;
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
        if size > TABLE {
            return Ok(None);
        }
        let nested = self.pool.nested_tables(address, &mut { FUEL });
        if nested >= MOST_NESTED && !object.terms.is_empty() {
            return Ok(None);
        }
        let places = size - u64::from(bytes) + 1;
        let index = self.offset_in(address, base, places);
        let memory = &self.memory;
        let mut fault = None;
        let term = self.pool.table_of(index, places as usize, |pool, offset| {
            let entry = entry(memory, pool, base + offset as u64, bytes);
            entry.unwrap_or_else(|error| {
                fault = Some(error);
                pool.constant(8 * bytes as u16, 0)
            })
        });
        if let Some(fault) = fault {
            return Err(fault.into());
        }
        let (word, _) = self.memory.word(place, bytes)?;
        let unwritten = self.memory.unwritten(place, bytes) & mask(bits);
        Ok(Some(self.word_of(word, term, bits).partial(unwritten)))
    }

    /// The offset of a symbolic address in the object that it points into; that it is below `places` is recorded.
    fn offset_in(&mut self, address: Term, base: u64, places: u64) -> Term {
        let bits = self.pool.width(address);
        let start = self.pool.constant(bits, base.into());
        let offset = self.pool.bin(TermOp::Sub, address, start);
        let end = self.pool.constant(bits, places.into());
        let inside = self.pool.cmp(TermOp::Ult, offset, end);
        let spot = self.spot();
        self.record
            .constraint(self.pool, Class::Check, spot, inside);
        offset
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
        for index in 0..bytes {
            let byte = (value.word() >> (8 * index)) as u8;
            let term = self.pool.extract(whole, (8 * index) as u16, 8);
            let term = Some(term).filter(|term| self.pool.is_symbolic(*term));
            self.memory
                .set_byte(place.wrapping_add(index.into()), byte, term)?;
        }
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
        let (object, at) = self.memory.find(place, bytes.into())?;
        let (base, size) = (object.base, object.bytes.len() as u64);
        let nested = self.pool.nested_tables(address, &mut { FUEL });
        if size > CELLS * u64::from(bytes) || nested >= MOST_NESTED {
            return Ok(false);
        }
        let offset = self.offset_in(address, base, size - u64::from(bytes) + 1);
        let bits = self.pool.width(offset);
        let whole = match value.term() {
            Some(term) => self.pool.zext(term, (8 * bytes) as u16),
            None => self.pool.constant((8 * bytes) as u16, value.word().into()),
        };
        for cell in 0..size {
            let (mut byte, held) = self.memory.byte(base + cell)?;
            let mut term = held.unwrap_or_else(|| self.pool.constant(8, byte.into()));
            for index in 0..u64::from(bytes).min(cell + 1) {
                let start = self.pool.constant(bits, (cell - index).into());
                let here = self.pool.eq(offset, start);
                let part = self.pool.extract(whole, (8 * index) as u16, 8);
                term = self.pool.ite(here, part, term);
                if at as u64 == cell - index {
                    byte = (value.word() >> (8 * index)) as u8;
                }
            }
            let term = Some(term).filter(|term| self.pool.is_symbolic(*term));
            self.memory.set_byte(base + cell, byte, term)?;
        }
        Ok(true)
    }
}
