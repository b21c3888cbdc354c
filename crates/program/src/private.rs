//! Variables of the program that nothing but plain reads and writes of the program's own code can touch.
//!
//! A cell is a part of a global that loads and stores name by a constant address, always with the same bounds. Where the
//! global's address is used for nothing else, no pointer to it exists: accesses through pointers, functions without a
//! body, and copies of memory leave it as it is, as long as accesses stay in their objects. A global that code outside of the
//! model may find by its name has none.
//!
//! And local objects of which the same holds.
//!
//! Must hold: an access to a global that has a cell either is of exactly one of its cells or of bytes of none.

use std::collections::{BTreeMap, BTreeSet};

use crate::function::Function;
use crate::id::{GlobalId, ValueId};
use crate::inst::{Callee, Op};
use crate::model::{Program, RelocationTarget};
use crate::operand::{Const, Operand};
use crate::outside;

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

/// The cells of a program, in order. `foreign`: it is linked with code that is not in the model.
#[must_use]
pub fn cells(program: &Program, foreign: bool) -> Vec<Cell> {
    let own = unknown_to_others(program, foreign);
    let fits = |known: &GlobalUse, cells: &[Cell]| {
        let global = &program.globals[cells[0].global];
        let apart = cells.windows(2).all(|two| two[0].end() <= two[1].offset);
        let inside = cells.iter().all(|cell| cell.end() <= global.size);
        !known.address && apart && inside
    };
    let mut all = Vec::new();
    for (id, known) in Uses::of(program).globals {
        let cells: Vec<Cell> = known
            .accesses
            .iter()
            .map(|&(offset, size)| Cell {
                global: id,
                offset,
                size,
            })
            .collect();
        if !cells.is_empty() && own.contains(&id) && fits(&known, &cells) {
            all.extend(cells);
        }
    }
    all
}

/// Variables of the program that it knows the contents of, and whose addresses are nowhere but in the instructions of its functions.
pub(crate) fn unknown_to_others(program: &Program, foreign: bool) -> BTreeSet<GlobalId> {
    let names = outside::finds_names(program, foreign);
    let mut known: BTreeSet<GlobalId> = program
        .globals
        .iter()
        .filter(|(_, global)| {
            let init = global.init.as_ref();
            let is_known = init.is_some_and(|init| init.unknown.is_empty());
            let is_own = global.internal || !(names || outside::is_of_library(global));
            is_known && !global.thread_local && is_own
        })
        .map(|(id, _)| id)
        .collect();
    let inits = program.globals.values();
    for init in inits.filter_map(|global| global.init.as_ref()) {
        for relocation in &init.relocations {
            if let RelocationTarget::Global(target) = relocation.to {
                known.remove(&target);
            }
        }
    }
    let texts = Texts::of(program);
    known.retain(|id| !texts.name(&program.globals[*id].name));
    known
}

/// What the model has of the program by its text only.
#[derive(Default)]
struct Texts<'a> {
    constants: Vec<&'a str>,
    assembly: Vec<&'a str>,
}

impl<'a> Texts<'a> {
    fn of(program: &'a Program) -> Texts<'a> {
        let mut texts = Texts::default();
        for function in program.functions.values() {
            for (block, data) in function.blocks.iter() {
                for (_, inst) in function.insts(block) {
                    inst.op.for_each_operand(|operand| texts.operand(operand));
                    if let Op::Call {
                        callee: Callee::Asm(text),
                        ..
                    } = &inst.op
                    {
                        texts.assembly.push(text);
                    }
                }
                data.terminator
                    .for_each_operand(|operand| texts.operand(operand));
            }
        }
        texts
    }

    fn operand(&mut self, operand: &'a Operand) {
        if let Operand::Const(constant) = operand {
            constant.for_each_part(&mut |part| {
                if let Const::Opaque { what, .. } = part {
                    self.constants.push(what);
                }
            });
        }
    }

    /// Does one of them name a variable?
    fn name(&self, name: &str) -> bool {
        let quoted = [format!("@{name}"), format!("@\"{name}\"")];
        let is_named = |text: &&str| quoted.iter().any(|name| text.contains(name.as_str()));
        self.constants.iter().any(is_named) || self.assembly.iter().any(|text| text.contains(name))
    }
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
struct Uses {
    globals: BTreeMap<GlobalId, GlobalUse>,
}

impl Uses {
    fn of(program: &Program) -> Uses {
        let mut uses = Uses::default();
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
                }
                data.terminator
                    .for_each_operand(|operand| uses.operand(operand));
            }
        }
        uses
    }

    fn operand(&mut self, operand: &Operand) {
        if let Operand::Const(constant) = operand {
            for global in constant.globals() {
                self.globals.entry(global).or_default().address = true;
            }
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

/// What an address is derived from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Base {
    Global(GlobalId),
    Object(ValueId),
    Unknown,
}

/// The variable or local object that an address is derived from.
#[must_use]
pub fn base(body: &Function, address: &Operand) -> Base {
    let mut at = address;
    loop {
        match at {
            Operand::Const(Const::Global { global, .. }) => return Base::Global(*global),
            Operand::Const(_) => return Base::Unknown,
            Operand::Value(value) => match body.inst(*value).map(|inst| &inst.op) {
                Some(Op::Alloca { .. }) => return Base::Object(*value),
                Some(Op::Gep { base, .. }) => at = base,
                Some(Op::Freeze { value }) => at = value,
                _ => return Base::Unknown,
            },
        }
    }
}

/// Local objects of a function whose addresses are used to read and write them, and for nothing else.
#[must_use]
pub fn objects(body: &Function) -> BTreeSet<ValueId> {
    let (mut objects, mut kept) = (BTreeSet::new(), BTreeSet::new());
    for (block, data) in body.blocks.iter() {
        let mut keep = |operand: &Operand| {
            if let Base::Object(object) = base(body, operand) {
                kept.insert(object);
            }
        };
        for (value, inst) in body.insts(block) {
            match &inst.op {
                Op::Alloca { count, .. } => {
                    objects.insert(value);
                    keep(count);
                }
                Op::Load { .. } | Op::Gep { .. } | Op::Freeze { .. } | Op::Mem { .. } => {}
                Op::Store { value, .. } => keep(value),
                op => op.for_each_operand(&mut keep),
            }
        }
        data.terminator.for_each_operand(&mut keep);
    }
    objects.retain(|object| !kept.contains(object));
    objects
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
        let program = crate::text::sample(&text);
        assert_eq!(words(&program, false), expected, "{body}");
    }

    fn words(program: &Program, foreign: bool) -> String {
        let words = cells(program, foreign).into_iter();
        let words = words.map(|cell| format!("{}+{}:{}", cell.global, cell.offset, cell.size));
        words.collect::<Vec<String>>().join(" ")
    }

    #[test]
    fn what_others_find_by_its_name_is_not_private() {
        let text = "extern0 @input() -> i32
             global0 @a size 4 align 4 = x\"\"
             global1 @b internal size 4 align 4 = x\"\"
             fn @main() { block0: store i32 1, @a store i32 1, @b ret }";
        let parse = |text: &str| text.parse::<Program>().expect("a program");
        let program = parse(text);
        assert_eq!(words(&program, false), "global0+0:4 global1+0:4");
        assert_eq!(words(&program, true), "global1+0:4");
        for name in outside::FINDS_NAMES {
            let program = parse(&text.replace("input", name));
            assert_eq!(words(&program, false), "global1+0:4", "{name}");
        }
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
