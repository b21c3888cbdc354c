//! What the program's variables hold where it starts, and its constants at any time.

use program::{GlobalId, RelocationTarget};
use semantics::Symbol;
use smt::{Op as TermOp, Term};

use super::World;
use super::names::Root;

/// Most elements of a table of constants.
const ELEMENTS: u64 = 512;

impl World<'_> {
    /// The program starts where the stretch does: globals have their initial values.
    pub fn starts(&mut self) {
        let bytes: Vec<(Term, Term)> = self.bytes.iter().map(|(at, byte)| (*at, *byte)).collect();
        for (address, byte) in bytes {
            let (parts, offset) = self.pool.summands(address);
            let Some(Root::Symbol(Symbol::Global(global))) = self.root(address) else {
                continue;
            };
            let Some(offset) = u64::try_from(offset).ok().filter(|_| parts.len() == 1) else {
                continue;
            };
            if let Some(known) = self.number((global, offset), 1) {
                let equal = self.pool.eq(byte, known);
                self.hold(equal);
            }
            // An address that was written there, where all of it is looked at.
            let data = &self.names.effects.program.globals[global];
            let is_here = |known: &&program::Relocation| known.offset == offset;
            let relocation = data
                .init
                .as_ref()
                .and_then(|init| init.relocations.iter().find(is_here));
            let size = self.names.effects.program.layout.pointer_bits / 8;
            if relocation.is_none() {
                continue;
            }
            let width = self.pool.width(address);
            let places = (0..size).map(|index| {
                let index = self.pool.constant(width, u128::from(index));
                let place = self.pool.bin(TermOp::Add, address, index);
                self.bytes.get(&place).copied()
            });
            let places: Option<Vec<Term>> = places.collect();
            let whole = places.and_then(|bytes| {
                bytes
                    .into_iter()
                    .reduce(|low, byte| self.pool.concat(byte, low))
            });
            let size = size as u8;
            if let (Some(whole), Some(known)) = (whole, self.number((global, offset), size)) {
                let equal = self.pool.eq(whole, known);
                self.hold(equal);
            }
        }
    }

    /// What a global holds at the start, as a number; `None` where that is a part of an address, or not known.
    pub(super) fn number(&mut self, (global, offset): (GlobalId, u64), bytes: u8) -> Option<Term> {
        let program = self.names.effects.program;
        let data = &program.globals[global];
        let init = data.init.as_ref()?;
        let size = u64::from(bytes);
        let end = offset.checked_add(size).filter(|end| *end <= data.size)?;
        if !init.is_known(offset, end) {
            return None;
        }
        let pointer = u64::from(program.layout.pointer_bits / 8);
        let mut inside = init
            .relocations
            .iter()
            .filter(|known| known.offset < end && offset < known.offset + pointer);
        if let Some(relocation) = inside.next() {
            if relocation.offset != offset || size != pointer {
                return None;
            }
            let symbol = match relocation.to {
                RelocationTarget::Global(global) => Symbol::Global(global),
                RelocationTarget::Function(function) => Symbol::Function(function),
                RelocationTarget::Extern(function) => Symbol::Extern(function),
            };
            let bits = program.layout.pointer_bits as u16;
            let base = self.symbol(symbol, bits)?;
            let addend = i128::from(relocation.addend).cast_unsigned();
            let addend = self.pool.constant(bits, addend);
            return Some(self.pool.bin(TermOp::Add, base, addend));
        }
        let at = |at: u64| init.bytes.get(usize::try_from(at).ok()?).copied();
        let digits = (offset..end).rev();
        let value = digits.fold(0u128, |all, place| {
            all << 8 | u128::from(at(place).unwrap_or(0))
        });
        Some(self.pool.constant(u16::from(bytes) * 8, value))
    }

    /// What a constant of the program holds at an address.
    pub(super) fn constant(&mut self, address: Term, bytes: u8) -> Option<Term> {
        let Root::Symbol(Symbol::Global(global)) = self.root(address)? else {
            return None;
        };
        let data = &self.names.effects.program.globals[global];
        if !data.constant {
            return None;
        }
        let (parts, offset) = self.pool.summands(address);
        if parts.len() == 1 {
            return self.number((global, u64::try_from(offset).ok()?), bytes);
        }
        let count = data.size / u64::from(bytes);
        if !bytes.is_power_of_two() || count == 0 || count > ELEMENTS {
            return None;
        }
        let mut entries = Vec::new();
        for index in 0..count {
            entries.push(self.number((global, index * u64::from(bytes)), bytes)?);
        }
        let bits = self.pool.width(address);
        let base = self.symbol(Symbol::Global(global), bits)?;
        let any = self.any(u16::from(bytes) * 8);
        let pool = &mut self.pool;
        let offset = pool.bin(TermOp::Sub, address, base);
        let shift = pool.constant(bits, u128::from(bytes.trailing_zeros()));
        let index = pool.bin(TermOp::LShr, offset, shift);
        let begin = pool.bin(TermOp::Shl, index, shift);
        let is_element = pool.eq(begin, offset);
        let end = pool.constant(bits, u128::from(count));
        let is_inside = pool.cmp(TermOp::Ult, index, end);
        let is_known = pool.and(is_element, is_inside);
        let found = pool.table(index, entries.into());
        Some(pool.ite(is_known, found, any))
    }
}
