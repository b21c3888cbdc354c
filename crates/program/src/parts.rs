//! Parts of variables that can be spoken of one by one: [private cells](crate::private), and what the records of small tables have in
//! their [fields](crate::fields).
//!
//! Must hold: an access that [`Parts::accessed`] knows is of one of the parts that it names, as long as pointers stay in their objects;
//! nothing else accesses a part.

use std::collections::BTreeSet;

use crate::fields::Fields;
use crate::id::{FuncId, GlobalId};
use crate::model::Program;
use crate::operand::{Const, Operand};
use crate::private::{self, Cell};

/// Records of a table that are told apart.
const RECORDS: usize = 128;

/// The parts of a program.
#[derive(Clone, Debug, Default)]
pub struct Parts {
    /// In order.
    all: Vec<Cell>,
    fields: Fields,
}

impl Parts {
    /// Of a program; `foreign`: it is linked with code that is not in the model.
    #[must_use]
    pub fn of(program: &Program, foreign: bool) -> Parts {
        let mut all = private::cells(program, foreign);
        let fields = Fields::of(program, foreign);
        let with_cells: BTreeSet<GlobalId> = all.iter().map(|cell| cell.global).collect();
        let of_tables = fields.all().iter().filter_map(|field| {
            let records: Vec<Cell> = field.cells(program).take(RECORDS + 1).collect();
            (!with_cells.contains(&field.table) && records.len() <= RECORDS).then_some(records)
        });
        all.extend(of_tables.flatten());
        all.sort_unstable();
        Parts { all, fields }
    }

    /// All of them, in order.
    #[must_use]
    pub fn all(&self) -> &[Cell] {
        &self.all
    }

    /// The parts that an access of so many bytes is of one of; none if that is not known, or it is of what is not told apart.
    #[must_use]
    pub fn accessed(
        &self,
        program: &Program,
        function: FuncId,
        (address, size): (&Operand, u64),
    ) -> Vec<Cell> {
        if let Operand::Const(Const::Global { .. }) = address {
            let found = private::accessed(&self.all, address, size);
            return found.map(|at| self.all[at]).into_iter().collect();
        }
        let fields = self.fields.accessed(function, address, size).into_iter();
        let fields = fields.map(|field| self.fields.all()[field]);
        let cells = fields.flat_map(|field| field.cells(program));
        cells.filter(|cell| self.has(cell)).collect()
    }

    fn has(&self, cell: &Cell) -> bool {
        self.all.binary_search(cell).is_ok()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::inst::Op;

    /// A program with the body of `main` in between: its parts, and those of each access, in order.
    fn check(body: &str, expected: &str, accessed: &[&str]) {
        let text = format!(
            "extern0 @f(ptr)
             global0 @a size 8 align 4 = x\"\"
             global1 @b size 8 align 4 = x\"\"
             global2 @large size 1024 align 4 = x\"\"
             fn @main(v0: i64, v1: i1) {{ block0: {body} ret }}"
        );
        let program = crate::text::sample(&text);
        let parts = Parts::of(&program, false);
        let words = |cells: &[Cell]| {
            let words = cells.iter().map(|cell| {
                let name = &program.globals[cell.global].name;
                format!("{name}+{}:{}", cell.offset, cell.size)
            });
            words.collect::<Vec<_>>().join(" ")
        };
        assert_eq!(words(parts.all()), expected, "{body}");
        let (function, main) = program.functions.iter().next().expect("main");
        let insts = main.blocks.keys().flat_map(|block| main.insts(block));
        let found = insts.filter_map(|(_, inst)| match &inst.op {
            Op::Load { address, .. } | Op::Store { address, .. } => {
                Some(words(&parts.accessed(&program, function, (address, 4))))
            }
            _ => None,
        });
        assert_eq!(found.collect::<Vec<_>>(), accessed, "{body}");
    }

    #[test]
    fn elements_of_small_tables_are_parts() {
        check(
            "v2: ptr = gep @a [v0 * 4] v3: i32 = load v2 store i32 1, (@a + 4) store i32 2, @b",
            "a+0:4 a+4:4 b+0:4",
            &["a+0:4 a+4:4", "a+4:4", "b+0:4"],
        );
        // In the first table or in the second.
        check(
            "v2: ptr = select v1, @a, @b v3: ptr = gep v2 [v0 * 4] v4: i32 = load v3",
            "a+0:4 a+4:4 b+0:4 b+4:4",
            &["a+0:4 a+4:4 b+0:4 b+4:4"],
        );
    }

    #[test]
    fn what_is_not_told_apart_has_no_parts() {
        check(
            "v2: ptr = gep @large [v0 * 4] v3: i32 = load v2 store i32 1, (@large + 4)",
            "",
            &["", ""],
        );
        check(
            "v2: ptr = gep @a [v0 * 4] v3: i32 = load v2 call @f(v2)",
            "",
            &[""],
        );
        // Behind the table, and between two elements.
        check(
            "v2: ptr = gep @a [v0 * 4] v3: i32 = load v2 store i32 1, (@a + 8)",
            "a+0:4 a+4:4",
            &["a+0:4 a+4:4", ""],
        );
        check(
            "v2: ptr = gep @a [v0 * 4] v3: i32 = load v2 store i32 1, (@a + 2)",
            "",
            &["", ""],
        );
    }
}
