//! Which addresses may be the same, and what a write leaves in a cell.
//!
//! An access stays in the object that its address is derived from.

use program::private::{Base, base};
use program::regions::Region;
use program::{FuncId, GlobalId, Operand, RelocationTarget, ValueId};
use semantics::{Symbol, Write};
use smt::{Op as TermOp, Term, Var};

use crate::atom::Atom;
use crate::facts::{Facts, Writes};
use crate::image::Language;

/// So many bytes are no more than an access may have.
const ANY: u64 = 1 << 40;
/// Most elements of a table of constants.
const ELEMENTS: u64 = 512;

/// The object that an address is derived from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Root {
    Symbol(Symbol),
    /// A local object of the active function of this height.
    Object {
        height: u32,
        value: ValueId,
    },
}

/// How two accesses stand to each other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Alias {
    /// They have no byte in common.
    Apart,
    /// The first begins so many bytes behind the second.
    At(i128),
    /// Nobody knows.
    Maybe,
}

/// The functions that are active, by their heights.
pub trait Heights {
    fn function(&self, height: u32) -> Option<FuncId>;
}

impl Language {
    /// The object that an address is derived from, if it is one that has a name.
    pub fn root(&self, facts: &Facts<'_>, heights: &dyn Heights, address: Term) -> Option<Root> {
        let (parts, _) = self.pool.summands(address);
        let root = |var: Var| {
            match self.atoms.get(var)? {
                // What the program does not define may be a part of something else.
                (Atom::Symbol(Symbol::Global(global)), _)
                    if facts.program.globals[*global].init.is_none() =>
                {
                    None
                }
                (Atom::Symbol(symbol), _) => Some(Root::Symbol(*symbol)),
                (Atom::Value { height, value, .. }, _) => {
                    let function = &facts.program.functions[heights.function(*height)?];
                    // A value that is computed from an object's name stands for itself until the path comes to where that is done.
                    match base(function, &Operand::Value(*value)) {
                        Base::Object(object) => Some(Root::Object {
                            height: *height,
                            value: object,
                        }),
                        _ => None,
                    }
                }
                _ => None,
            }
        };
        let mut found = None;
        for part in parts {
            // A difference of addresses may lead from one object into another.
            let own = self.pool.as_var(part).and_then(root);
            let named = match own {
                Some(_) => 1,
                None => self.pool.vars(part).into_iter().filter_map(root).count(),
            };
            match (own, found) {
                (Some(_), None) => found = own,
                _ if named > 0 => return None,
                _ => {}
            }
        }
        found
    }

    /// How the first access stands to the second.
    pub fn alias(
        &self,
        facts: &Facts<'_>,
        heights: &dyn Heights,
        (a, a_bytes): (Term, u64),
        (b, b_bytes): (Term, u64),
    ) -> Alias {
        let ((mut left, a_constant), (mut right, b_constant)) =
            (self.pool.summands(a), self.pool.summands(b));
        left.retain(|part| match right.iter().position(|other| other == part) {
            Some(at) => {
                right.remove(at);
                false
            }
            None => true,
        });
        if left.is_empty() && right.is_empty() {
            let bits = self.pool.width(a);
            let unused = 128 - u32::from(bits);
            let offset = (a_constant.wrapping_sub(b_constant) << unused).cast_signed() >> unused;
            let apart = offset >= i128::from(b_bytes) || -offset >= i128::from(a_bytes);
            return if apart {
                Alias::Apart
            } else {
                Alias::At(offset)
            };
        }
        match (self.root(facts, heights, a), self.root(facts, heights, b)) {
            (Some(a), Some(b)) if a != b => Alias::Apart,
            (Some(root), None) if is_hidden(facts, heights, root) && !self.is_lost(b) => {
                Alias::Apart
            }
            (None, Some(root)) if is_hidden(facts, heights, root) && !self.is_lost(a) => {
                Alias::Apart
            }
            _ => match (
                self.region(facts, heights, a).map(|a| a.sized(a_bytes)),
                self.region(facts, heights, b).map(|b| b.sized(b_bytes)),
                &facts.regions,
            ) {
                (Some(a), Some(b), Some(regions)) if !regions.meet(&a, &b) => Alias::Apart,
                _ => Alias::Maybe,
            },
        }
    }

    /// Where an address may lead, if that is known.
    pub fn region(
        &self,
        facts: &Facts<'_>,
        heights: &dyn Heights,
        address: Term,
    ) -> Option<Region> {
        let regions = facts.regions.as_ref()?;
        let mut all: Option<Region> = None;
        let wide = facts.program.layout.pointer_bits as u16;
        for var in semantics::bases(&self.pool, address) {
            let found = match self.atoms.get(var) {
                // It may be a part of an address.
                Some((Atom::Value { .. }, bits)) if *bits < wide => return None,
                Some((Atom::Value { height, value, .. }, _)) => {
                    regions.value(heights.function(*height)?, *value)
                }
                Some((Atom::Symbol(Symbol::Global(global)), _)) => {
                    Some(regions.global(facts.program, *global))
                }
                Some((Atom::Cell { address, .. }, _)) => {
                    regions.contents(&self.region(facts, heights, *address)?)
                }
                // It may have been made of any address.
                Some((Atom::Any(_) | Atom::Turn { .. } | Atom::Outer { .. }, _)) => return None,
                _ => None,
            };
            if let Some(found) = found {
                all = Some(found.and(all));
            }
        }
        let by = semantics::moved_by(&self.pool, address);
        all.map(|region| match by {
            Some(by) => region.moved(by),
            None => region.spread(),
        })
    }

    /// Was something forgotten that an address is made of? It may be derived from any object's own name.
    pub fn is_lost(&self, address: Term) -> bool {
        let is_lost = |var: Var| {
            matches!(
                self.atoms.get(var),
                Some((Atom::Any(_) | Atom::Turn { .. } | Atom::Outer { .. }, _))
            )
        };
        self.pool.vars(address).into_iter().any(is_lost)
    }

    /// The number that a cell is after a write to an address.
    pub fn written(
        &mut self,
        (facts, heights): (&Facts<'_>, &dyn Heights),
        (address, bytes): (Term, u8),
        (write, to): (&Write, Term),
        splits: u32,
    ) -> Option<Term> {
        if splits > 0
            && let Some([condition, a, b]) = self.choice(to)
        {
            let after = |language: &mut Self, to| {
                let made =
                    language.written((facts, heights), (address, bytes), (write, to), splits - 1);
                made.unwrap_or_else(|| language.cell(facts, heights, (address, bytes)))
            };
            let (a, b) = (after(self, a), after(self, b));
            return Some(self.pool.ite(condition, a, b));
        }
        let mut write = write.clone();
        write.access.address = to;
        let place = (address, u64::from(bytes));
        let alias = self.alias(facts, heights, place, (to, write.access.bytes));
        self.after(alias, (address, bytes), &write)
    }

    /// The number that a cell is after a write, given what the cell is before it.
    pub fn after(
        &mut self,
        alias: Alias,
        (address, bytes): (Term, u8),
        write: &Write,
    ) -> Option<Term> {
        let Language { pool, atoms } = self;
        let size = u64::from(bytes);
        let bits = u16::from(bytes) * 8;
        let written = |offset: i128| {
            usize::try_from(offset)
                .ok()
                .filter(|at| *at < write.bytes.len())
        };
        let cell = Atom::Cell { address, bytes };
        match alias {
            Alias::Apart => None,
            Alias::At(offset) => {
                let before = atoms.term(pool, cell, bits);
                let mut whole: Option<Term> = None;
                for index in 0..u16::from(bytes) {
                    let byte = written(offset + i128::from(index)).and_then(|at| write.bytes[at]);
                    let byte = byte.unwrap_or_else(|| pool.extract(before, index * 8, 8));
                    whole = Some(match whole {
                        Some(low) => pool.concat(byte, low),
                        None => byte,
                    });
                }
                whole
            }
            Alias::Maybe
                if size == write.access.bytes && write.bytes.iter().all(Option::is_some) =>
            {
                let mut whole: Option<Term> = None;
                for byte in write.bytes.iter().flatten() {
                    whole = Some(match whole {
                        Some(low) => pool.concat(*byte, low),
                        None => *byte,
                    });
                }
                let here = pool.eq(address, write.access.address);
                let before = atoms.term(pool, cell, bits);
                let apart = semantics::apart(pool, (address, size), (write.access.address, size));
                // They may have some bytes in common.
                let any = atoms.any(pool, bits);
                let other = pool.ite(apart, before, any);
                Some(pool.ite(here, whole?, other))
            }
            Alias::Maybe => {
                let before = atoms.term(pool, cell, bits);
                let any = atoms.any(pool, bits);
                let there = (write.access.address, write.access.bytes);
                let apart = semantics::apart(pool, (address, size), there);
                Some(pool.ite(apart, before, any))
            }
        }
    }
}

/// Can no pointer that is not derived from the object's own name point into it?
pub fn is_hidden(facts: &Facts<'_>, heights: &dyn Heights, root: Root) -> bool {
    match root {
        Root::Symbol(Symbol::Global(global)) => facts.is_private(global),
        Root::Symbol(_) => true,
        Root::Object { height, value } => {
            let function = heights.function(height);
            function.is_some_and(|function| facts.body(function).private.contains(&value))
        }
    }
}

/// May what a call writes change a cell?
pub fn may_change(
    facts: &Facts<'_>,
    heights: &dyn Heights,
    language: &Language,
    (address, bytes): (Term, u64),
    writes: &Writes,
) -> bool {
    let region = || {
        language
            .region(facts, heights, address)
            .map(|it| it.sized(bytes))
    };
    match language.root(facts, heights, address) {
        Some(Root::Symbol(Symbol::Global(global))) => {
            let is_constant = facts.program.globals[global].constant;
            let named = writes.globals.contains(&global);
            !is_constant && (named || !facts.is_private(global) && through(facts, writes, region))
        }
        Some(root @ Root::Object { .. }) => {
            !is_hidden(facts, heights, root) && through(facts, writes, region)
        }
        Some(Root::Symbol(_)) => false,
        None => {
            through(facts, writes, region) || may_name((facts, heights), language, address, writes)
        }
    }
}

/// May what is written through pointers be in a region?
fn through(facts: &Facts<'_>, writes: &Writes, region: impl FnOnce() -> Option<Region>) -> bool {
    let (Some(regions), Some(through)) = (&facts.regions, &writes.through) else {
        return writes.pointers;
    };
    writes.pointers || region().is_none_or(|region| regions.meet(through, &region))
}

/// May an address of which no object is known be one of these globals? Of those that no pointer points into, it would have to name one.
fn may_name(
    (facts, heights): (&Facts<'_>, &dyn Heights),
    language: &Language,
    address: Term,
    writes: &Writes,
) -> bool {
    let mut globals = writes.globals.iter();
    let region = language.region(facts, heights, address);
    if let (Some(region), Some(regions)) = (region, &facts.regions) {
        let region = region.spread();
        return globals.any(|it| regions.meet(&region, &regions.global(facts.program, *it)));
    }
    if globals.any(|global| !facts.is_private(*global)) {
        return true;
    }
    let vars = language.atoms_of(std::iter::once(address));
    !writes.globals.is_empty()
        && vars.iter().any(|var| match language.atoms.get(*var) {
            Some((Atom::Symbol(Symbol::Global(global)), _)) => writes.globals.contains(global),
            _ => false,
        })
}

/// May a cell change at any time, whatever the path does?
pub fn is_unsteady(
    facts: &Facts<'_>,
    heights: &dyn Heights,
    language: &Language,
    address: Term,
) -> bool {
    let unnamed = facts.is_mapped() && language.root(facts, heights, address).is_none();
    unnamed || may_change(facts, heights, language, (address, ANY), facts.interrupts())
}

/// What a global holds at the start, as a number; `None` where that is a part of an address, or not the program's.
pub fn initial(
    facts: &Facts<'_>,
    language: &mut Language,
    (global, offset): (GlobalId, u128),
    bytes: u8,
) -> Option<Term> {
    let data = &facts.program.globals[global];
    let init = data.init.as_ref()?;
    let offset = u64::try_from(offset).ok()?;
    let size = u64::from(bytes);
    let end = offset.checked_add(size).filter(|end| *end <= data.size)?;
    if !init.is_known(offset, end) {
        return None;
    }
    let pointer = u64::from(facts.program.layout.pointer_bits / 8);
    let mut inside = init
        .relocations
        .iter()
        .filter(|relocation| relocation.offset < end && offset < relocation.offset + pointer);
    let Language { pool, atoms } = language;
    if let Some(relocation) = inside.next() {
        if relocation.offset != offset || size != pointer {
            return None;
        }
        let symbol = match relocation.to {
            RelocationTarget::Global(global) => Symbol::Global(global),
            RelocationTarget::Function(function) => Symbol::Function(function),
            RelocationTarget::Extern(function) => Symbol::Extern(function),
        };
        let bits = (pointer * 8) as u16;
        let base = atoms.term(pool, Atom::Symbol(symbol), bits);
        let addend = pool.constant(bits, i128::from(relocation.addend).cast_unsigned());
        return Some(pool.bin(TermOp::Add, base, addend));
    }
    let mut value = 0;
    for at in (offset..end).rev() {
        let byte = init.bytes.get(at as usize).copied().unwrap_or(0);
        value = value << 8 | u128::from(byte);
    }
    Some(pool.constant(u16::from(bytes) * 8, value))
}

/// What a constant holds at an address.
pub fn constant(
    facts: &Facts<'_>,
    heights: &dyn Heights,
    language: &mut Language,
    (address, bytes): (Term, u8),
) -> Option<Term> {
    let Root::Symbol(Symbol::Global(global)) = language.root(facts, heights, address)? else {
        return None;
    };
    if !facts.program.globals[global].constant {
        return None;
    }
    let (parts, offset) = language.pool.summands(address);
    if parts.len() == 1 {
        return initial(facts, language, (global, offset), bytes);
    }
    element(facts, language, global, (address, bytes))
}

/// What a table of constants holds at an address that is computed; not known where no element begins.
fn element(
    facts: &Facts<'_>,
    language: &mut Language,
    global: GlobalId,
    (address, bytes): (Term, u8),
) -> Option<Term> {
    let count = facts.program.globals[global].size / u64::from(bytes);
    if !bytes.is_power_of_two() || count == 0 || count > ELEMENTS {
        return None;
    }
    let mut entries = Vec::new();
    for index in 0..count {
        let offset = u128::from(index * u64::from(bytes));
        entries.push(initial(facts, language, (global, offset), bytes)?);
    }
    let Language { pool, atoms } = language;
    let bits = pool.width(address);
    let base = atoms.term(pool, Atom::Symbol(Symbol::Global(global)), bits);
    let offset = pool.bin(TermOp::Sub, address, base);
    let shift = pool.constant(bits, u128::from(bytes.trailing_zeros()));
    let index = pool.bin(TermOp::LShr, offset, shift);
    let begin = pool.bin(TermOp::Shl, index, shift);
    let is_element = pool.eq(begin, offset);
    let end = pool.constant(bits, u128::from(count));
    let is_inside = pool.cmp(TermOp::Ult, index, end);
    let known = pool.and(is_element, is_inside);
    let found = pool.table(index, entries.into());
    let any = atoms.any(pool, u16::from(bytes) * 8);
    Some(pool.ite(known, found, any))
}
