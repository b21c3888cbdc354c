//! What memory holds: what was done to it since the start of the stretch, looked at from the last to the first.
//!
//! Must hold: what may have been written is not known, or is what was written.

use semantics::{Block, Write};
use smt::{Op as TermOp, Pool, Shape, Term};

use super::apart::Alias;
use super::{LONG, SPLITS, World};
use crate::closed::writes::Writes;

/// Something that was done to memory since the start.
pub(super) enum Done {
    Written(Write),
    Copied(Block),
    Filled(Block, Term),
    /// So many bytes, or fewer, were written from an address on, and nobody knows what.
    Given(Term, u64),
    /// A call may have written.
    Called(Writes),
}

impl World<'_> {
    pub fn write(&mut self, write: Write) {
        self.done.push(Done::Written(write));
    }

    pub fn copy(&mut self, block: Block) {
        self.done.push(Done::Copied(block));
    }

    pub fn fill(&mut self, block: Block, byte: Term) {
        self.done.push(Done::Filled(block, byte));
    }

    /// At most so many bytes are written from an address on; `None`: any number.
    pub fn give(&mut self, to: Term, most: Option<u64>) {
        self.done
            .push(Done::Given(to, most.unwrap_or(LONG).min(LONG)));
    }

    pub fn call_writes(&mut self, writes: Writes) {
        if !writes.is_nothing() {
            self.done.push(Done::Called(writes));
        }
    }

    /// What memory holds now. The address has the width of one.
    pub fn load(&mut self, address: Term, bytes: u8) -> Term {
        self.cell((address, bytes), self.done.len(), SPLITS)
    }

    /// What memory held at the start.
    pub fn load_at_start(&mut self, address: Term, bytes: u8) -> Term {
        self.cell((address, bytes), 0, SPLITS)
    }

    /// Has a term the width of an address?
    pub fn is_address(&self, term: Term) -> bool {
        u32::from(self.pool.width(term)) == self.names.effects.program.layout.pointer_bits
    }

    /// What memory held after so much was done.
    fn cell(&mut self, (address, bytes): (Term, u8), upto: usize, splits: u32) -> Term {
        let bits = u16::from(bytes) * 8;
        if self.shared || self.is_unsteady(address) {
            return self.held_at(address, bits);
        }
        if let Some(known) = self.read.get(&(address, bytes, upto)) {
            return *known;
        }
        let made = self.find((address, bytes), upto, splits);
        self.read.insert((address, bytes, upto), made);
        made
    }

    fn find(&mut self, (address, bytes): (Term, u8), upto: usize, splits: u32) -> Term {
        if splits > 0
            && let Some([condition, a, b]) = self.choice(address)
        {
            let a = self.cell((a, bytes), upto, splits - 1);
            let b = self.cell((b, bytes), upto, splits - 1);
            return self.pool.ite(condition, a, b);
        }
        if let Some(known) = self.constant(address, bytes) {
            return known;
        }
        let bits = u16::from(bytes) * 8;
        for at in (0..upto).rev() {
            let there = (address, u64::from(bytes));
            match &self.done[at] {
                Done::Written(write) => {
                    let (write, to) = (write.clone(), write.access.address);
                    if let Some(made) = self.after((&write, to), (address, bytes), at, SPLITS) {
                        return made;
                    }
                }
                Done::Copied(block) | Done::Filled(block, _) => {
                    let (block, byte) = (
                        *block,
                        match &self.done[at] {
                            Done::Filled(_, byte) => Some(*byte),
                            _ => None,
                        },
                    );
                    let length = self.pool.as_const(block.length);
                    let length = length.and_then(|length| u64::try_from(length).ok());
                    let most = length.unwrap_or(LONG).min(LONG);
                    match self.alias(there, (block.to, most)) {
                        Alias::Apart => continue,
                        Alias::At(offset)
                            if length.is_some()
                                && offset >= 0
                                && offset + i128::from(bytes) <= i128::from(most) =>
                        {
                            return match byte {
                                Some(byte) => {
                                    (1..bytes).fold(byte, |whole, _| self.pool.concat(byte, whole))
                                }
                                None => {
                                    let bits = self.pool.width(block.from);
                                    let offset = self.pool.constant(bits, offset.cast_unsigned());
                                    let from = self.pool.bin(TermOp::Add, block.from, offset);
                                    self.cell((from, bytes), at, SPLITS)
                                }
                            };
                        }
                        _ => return self.held_at(address, bits),
                    }
                }
                Done::Given(to, most) => match self.alias(there, (*to, *most)) {
                    Alias::Apart => {}
                    Alias::At(_) | Alias::Maybe => return self.held_at(address, bits),
                },
                Done::Called(_) => {
                    if self.may_change(at, there) {
                        return self.held_at(address, bits);
                    }
                }
            }
        }
        self.initially(address, bytes)
    }

    /// What a cell is after a write to an address; `None` if the write is apart from it.
    fn after(
        &mut self,
        (write, to): (&Write, Term),
        (address, bytes): (Term, u8),
        at: usize,
        splits: u32,
    ) -> Option<Term> {
        if splits > 0
            && let Some([condition, a, b]) = self.choice(to)
        {
            let [a, b] = [a, b].map(|to| {
                let made = self.after((write, to), (address, bytes), at, splits - 1);
                made.unwrap_or_else(|| self.cell((address, bytes), at, SPLITS))
            });
            return Some(self.pool.ite(condition, a, b));
        }
        let there = ((address, u64::from(bytes)), (to, write.access.bytes));
        match self.alias(there.0, there.1) {
            Alias::Apart => None,
            Alias::At(offset) => {
                let before = self.cell((address, bytes), at, SPLITS);
                let mut whole: Option<Term> = None;
                for index in 0..u16::from(bytes) {
                    let from = usize::try_from(offset + i128::from(index)).ok();
                    let written = from.and_then(|from| *write.bytes.get(from)?);
                    let byte = written.unwrap_or_else(|| self.pool.extract(before, index * 8, 8));
                    whole = Some(match whole {
                        Some(low) => self.pool.concat(byte, low),
                        None => byte,
                    });
                }
                whole
            }
            Alias::Maybe => {
                let before = self.cell((address, bytes), at, SPLITS);
                let any = self.held_at(address, u16::from(bytes) * 8);
                let pool = &mut self.pool;
                let apart = semantics::apart(pool, there.0, there.1);
                let other = pool.ite(apart, before, any);
                let known: Option<Vec<Term>> = write.bytes.iter().copied().collect();
                let Some(known) = known.filter(|known| known.len() == usize::from(bytes)) else {
                    return Some(other);
                };
                let whole = known
                    .into_iter()
                    .reduce(|low, byte| pool.concat(byte, low))?;
                let here = pool.eq(address, to);
                Some(pool.ite(here, whole, other))
            }
        }
    }

    /// What memory held at the start, byte by byte.
    fn initially(&mut self, address: Term, bytes: u8) -> Term {
        let mut whole: Option<Term> = None;
        for index in 0..bytes {
            let pool = &mut self.pool;
            let offset = pool.constant(pool.width(address), u128::from(index));
            let place = pool.bin(TermOp::Add, address, offset);
            let byte = match self.bytes.get(&place) {
                Some(byte) => *byte,
                None => {
                    let byte = self.held_at(place, 8);
                    self.bytes.insert(place, byte);
                    byte
                }
            };
            whole = Some(match whole {
                Some(low) => self.pool.concat(byte, low),
                None => byte,
            });
        }
        whole.unwrap_or_else(|| self.any(8))
    }

    /// What memory holds at an address, of which nothing is known but where it may lead.
    pub(super) fn held_at(&mut self, address: Term, bits: u16) -> Term {
        let made = self.any(bits);
        if let (Some(regions), Some(region), Some(var)) = (
            &self.names.effects.regions,
            self.region(address),
            self.pool.as_var(made),
        ) {
            let held = regions.contents(&region);
            self.names.regions.insert(var, held);
        }
        made
    }

    /// A term that is one of two, by a condition; also one to which something was added.
    fn choice(&mut self, term: Term) -> Option<[Term; 3]> {
        let is_choice = |pool: &Pool, part: Term| {
            matches!(
                pool.shape(part),
                Shape::Op {
                    op: TermOp::Ite,
                    ..
                }
            )
        };
        let (parts, constant) = self.pool.summands(term);
        let at = parts.iter().position(|part| is_choice(&self.pool, *part))?;
        let Shape::Op {
            operands: [condition, a, b],
            ..
        } = self.pool.shape(parts[at])
        else {
            return None;
        };
        let pool = &mut self.pool;
        let mut rest = pool.constant(pool.width(term), constant);
        for (index, part) in parts.iter().enumerate() {
            if index != at {
                rest = pool.bin(TermOp::Add, rest, *part);
            }
        }
        let (a, b) = (
            pool.bin(TermOp::Add, a, rest),
            pool.bin(TermOp::Add, b, rest),
        );
        Some([condition, a, b])
    }
}
