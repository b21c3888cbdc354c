//! Variables of the program that nothing but plain reads and writes of the program's own code can touch.
//!
//! A cell is a part of a global that loads and stores name by a constant address, always with the same bounds. Where the
//! global's address is used for nothing else, no pointer to it exists: accesses through pointers, functions without a
//! body, and copies of memory leave it as it is, as long as accesses stay in their objects.
//!
//! Must hold: an access to a global that has a cell either is of exactly one of its cells or of bytes of none.

use std::collections::{BTreeMap, BTreeSet};

use crate::function::Function;
use crate::id::{GlobalId, ValueId};
use crate::inst::{Callee, Op};
use crate::model::{Program, RelocationTarget};
use crate::operand::{Const, Operand};

/// Some bytes of a global.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Cell {
    pub global: GlobalId,
    pub offset: u64,
    /// In bytes.
    pub size: u64,
}

impl Cell {
    /// First byte behind it.
    const fn end(self) -> u64 {
        self.offset.saturating_add(self.size)
    }
}

/// The cells of a program, in order.
#[must_use]
pub fn cells(program: &Program) -> Vec<Cell> {
    let mut found = Uses::of(program);
    let fits = |known: &GlobalUse, cells: &[Cell]| {
        let global = &program.globals[cells[0].global];
        let apart = cells.windows(2).all(|two| two[0].end() <= two[1].offset);
        let inside = cells.iter().all(|cell| cell.end() <= global.size);
        let is_known = global
            .init
            .as_ref()
            .is_some_and(|init| init.unknown.is_empty());
        let own = is_known && !global.thread_local;
        !known.address && own && apart && inside
    };
    let mut all = Vec::new();
    for (id, known) in std::mem::take(&mut found.globals) {
        let cells: Vec<Cell> = known
            .accesses
            .iter()
            .map(|&(offset, size)| Cell {
                global: id,
                offset,
                size,
            })
            .collect();
        let is_named = || {
            let name = &program.globals[id].name;
            let quoted = [format!("@{name}"), format!("@\"{name}\"")];
            let constants = &found.constants;
            constants
                .iter()
                .any(|text| quoted.iter().any(|name| text.contains(name.as_str())))
                || found
                    .assembly
                    .iter()
                    .any(|text| text.contains(name.as_str()))
        };
        if !cells.is_empty() && fits(&known, &cells) && !is_named() {
            all.extend(cells);
        }
    }
    all
}

/// The cell that an access of so many bytes is of.
#[must_use]
pub fn accessed(cells: &[Cell], address: &Operand, size: u64) -> Option<usize> {
    let Operand::Const(Const::Global { global, offset }) = address else {
        return None;
    };
    let cell = Cell {
        global: *global,
        offset: u64::try_from(*offset).ok()?,
        size,
    };
    cells.binary_search(&cell).ok()
}

/// How a global is used.
#[derive(Default)]
struct GlobalUse {
    /// Its address is a value of the program, or it is accessed in a way of its own.
    address: bool,
    /// Offset and size of plain accesses.
    accesses: BTreeSet<(u64, u64)>,
}

#[derive(Default)]
struct Uses<'a> {
    globals: BTreeMap<GlobalId, GlobalUse>,
    /// Constants that are known by their text only.
    constants: Vec<&'a str>,
    assembly: Vec<&'a str>,
}

impl<'a> Uses<'a> {
    fn of(program: &'a Program) -> Uses<'a> {
        let mut uses = Uses::default();
        for global in program.globals.values() {
            for relocation in global.init.iter().flat_map(|init| &init.relocations) {
                if let RelocationTarget::Global(target) = relocation.to {
                    uses.globals.entry(target).or_default().address = true;
                }
            }
        }
        for function in program.functions.values() {
            for (block, data) in function.blocks.iter() {
                for (value, inst) in function.insts(block) {
                    // Models of the C library keep their state to themselves.
                    let plain = (!function.library)
                        .then(|| plain(program, function, value, &inst.op))
                        .flatten();
                    if let Some((global, access)) = plain {
                        uses.globals
                            .entry(global)
                            .or_default()
                            .accesses
                            .insert(access);
                    }
                    let mut skipped = plain.is_none();
                    inst.op.for_each_operand(|operand| {
                        let is_address = |operand: &Operand| match &inst.op {
                            Op::Load { address, .. } | Op::Store { address, .. } => {
                                std::ptr::eq(address, operand)
                            }
                            _ => false,
                        };
                        if !skipped && is_address(operand) {
                            skipped = true;
                        } else {
                            uses.operand(operand);
                        }
                    });
                    if let Op::Call {
                        callee: Callee::Asm(text),
                        ..
                    } = &inst.op
                    {
                        uses.assembly.push(text);
                    }
                }
                data.terminator
                    .for_each_operand(|operand| uses.operand(operand));
            }
        }
        uses
    }

    fn operand(&mut self, operand: &'a Operand) {
        if let Operand::Const(constant) = operand {
            self.constant(constant);
        }
    }

    fn constant(&mut self, constant: &'a Const) {
        match constant {
            Const::Global { global, .. } => self.globals.entry(*global).or_default().address = true,
            Const::Aggregate(aggregate) => {
                aggregate
                    .members
                    .iter()
                    .for_each(|member| self.constant(member));
            }
            Const::Opaque { what, .. } => self.constants.push(what),
            _ => {}
        }
    }
}

/// The global, offset and size of an access by a constant address that is not volatile.
fn plain(
    program: &Program,
    function: &Function,
    value: ValueId,
    op: &Op,
) -> Option<(GlobalId, (u64, u64))> {
    let (address, ty) = match op {
        Op::Load {
            address,
            volatile: false,
            ..
        } => (address, function.values[value].ty.clone()),
        Op::Store {
            address,
            value,
            volatile: false,
            ..
        } => (address, function.operand_type(value)),
        _ => return None,
    };
    let Operand::Const(Const::Global { global, offset }) = address else {
        return None;
    };
    let offset = u64::try_from(*offset).ok()?;
    Some((*global, (offset, program.layout.store_size(&ty)?)))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A program with the body of `main` in between; its cells.
    fn check(body: &str, expected: &str) {
        let text = format!(
            "extern0 @f(ptr)
             global0 @a size 8 align 4 = x\"\"
             global1 @b size 4 align 4 = x\"\"
             fn @main() {{ block0: {body} ret }}"
        );
        let program: Program = text
            .parse()
            .unwrap_or_else(|error| panic!("{error}\n{text}"));
        let words: Vec<String> = cells(&program)
            .into_iter()
            .map(|cell| format!("{}+{}:{}", cell.global, cell.offset, cell.size))
            .collect();
        assert_eq!(words.join(" "), expected, "{body}");
    }

    #[test]
    fn only_what_is_read_and_written_plainly_is_private() {
        check(
            "store i32 1, @a v1: i32 = load @b",
            "global0+0:4 global1+0:4",
        );
        check(
            "store i32 1, @a store i32 2, (@a + 4)",
            "global0+0:4 global0+4:4",
        );
        check("store i32 1, @a store i64 2, @a", "");
        check("store i32 1, (@a + 6)", "");
        check("store i32 1, @a call @f(@a)", "");
        check("store i32 1, @a store @a, @b", "");
        check("store i32 1, @a align 4 volatile", "");
        check("store i32 1, @a v1: ptr = gep @a [i64 1 * 4]", "");
    }
}
