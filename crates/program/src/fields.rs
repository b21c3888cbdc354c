//! Fields of tables: variables whose address goes into nothing but addresses of plain reads and writes, computed ones included.
//!
//! A table is a global of equal records. A field is what stands at the same offset of each record; it is read and written as a whole, in
//! whichever record. No other pointer to the table exists, as for [private cells](crate::private).
//!
//! Must hold: an access that [`Fields::accessed`] knows is of one of the fields that it names, in some record, as long as pointers stay in
//! their objects; nothing else accesses the table.

use std::collections::{BTreeMap, BTreeSet};

use crate::function::Function;
use crate::id::{FuncId, GlobalId, ValueId};
use crate::inst::Op;
use crate::model::Program;
use crate::operand::{Const, Operand};
use crate::private::{self, Cell};

/// A part of all records of a table.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Field {
    pub table: GlobalId,
    /// In bytes, in the first record.
    pub offset: u64,
    /// In bytes.
    pub size: u64,
    /// Bytes of a record.
    pub record: u64,
}

impl Field {
    /// The bytes that are it in each record, in order.
    pub fn cells(self, program: &Program) -> impl Iterator<Item = Cell> + use<> {
        let records = program.globals[self.table].size / self.record;
        (0..records).map(move |at| Cell {
            global: self.table,
            offset: self.offset + at * self.record,
            size: self.size,
        })
    }
}

/// The fields of a program.
#[derive(Clone, Debug, Default)]
pub struct Fields {
    /// In order.
    all: Vec<Field>,
    /// The bytes of records.
    records: BTreeMap<GlobalId, u64>,
    /// Values that are addresses in tables, and the offset in the record of each table.
    addresses: BTreeMap<(FuncId, ValueId), BTreeMap<GlobalId, u64>>,
}

impl Fields {
    /// Of a program; `foreign`: it is linked with code that is not in the model.
    #[must_use]
    pub fn of(program: &Program, foreign: bool) -> Fields {
        let mut search = Search {
            program,
            tables: private::unknown_to_others(program, foreign)
                .into_iter()
                .map(|global| (global, program.globals[global].size))
                .filter(|(_, size)| *size > 0)
                .collect(),
            addresses: BTreeMap::new(),
            accesses: BTreeMap::new(),
        };
        search.follow();
        search.look();
        search.found()
    }

    /// All of them, in order.
    #[must_use]
    pub fn all(&self) -> &[Field] {
        &self.all
    }

    /// The fields, by index, that an access of so many bytes is of one of; none if that is not known.
    #[must_use]
    pub fn accessed(&self, function: FuncId, address: &Operand, size: u64) -> Vec<usize> {
        match address {
            Operand::Value(value) => {
                let tables = self.addresses.get(&(function, *value));
                let places = tables.into_iter().flatten();
                let found = places.map(|(table, at)| self.find(*table, *at, size));
                found.collect::<Option<Vec<usize>>>().unwrap_or_default()
            }
            Operand::Const(Const::Global { global, offset }) => {
                let record = self.records.get(global);
                let at = record.map(|record| within(*offset, *record));
                let found = at.and_then(|at| self.find(*global, at, size));
                found.into_iter().collect()
            }
            Operand::Const(_) => Vec::new(),
        }
    }

    fn find(&self, table: GlobalId, offset: u64, size: u64) -> Option<usize> {
        let field = Field {
            table,
            offset,
            size,
            record: *self.records.get(&table)?,
        };
        self.all.binary_search(&field).ok()
    }
}

/// An offset in a table, in its record.
fn within(offset: i64, record: u64) -> u64 {
    let record = i64::try_from(record).unwrap_or(i64::MAX);
    u64::try_from(offset.rem_euclid(record)).unwrap_or(0)
}

struct Search<'a> {
    program: &'a Program,
    /// Variables of which nothing else was found yet, and the bytes of a record.
    tables: BTreeMap<GlobalId, u64>,
    /// With any offset that the value has in a record.
    addresses: BTreeMap<(FuncId, ValueId), BTreeMap<GlobalId, u64>>,
    /// Offset and size of what is read and written.
    accesses: BTreeMap<GlobalId, BTreeSet<(u64, u64)>>,
}

const fn gcd(a: u64, b: u64) -> u64 {
    match b {
        0 => a,
        b => gcd(b, a % b),
    }
}

impl Search<'_> {
    /// The tables that an operand is an address in one of, with the offsets.
    fn address(&self, function: FuncId, operand: &Operand) -> Vec<(GlobalId, i64)> {
        match operand {
            Operand::Value(value) => {
                let tables = self.addresses.get(&(function, *value));
                let tables = tables.into_iter().flatten();
                tables
                    .map(|(table, at)| (*table, i64::try_from(*at).unwrap_or(0)))
                    .collect()
            }
            Operand::Const(Const::Global { global, offset }) => {
                let is_table = self.tables.contains_key(global);
                is_table.then_some((*global, *offset)).into_iter().collect()
            }
            Operand::Const(_) => Vec::new(),
        }
    }

    /// What an instruction makes an address of, with an offset and what that may be off by.
    fn made(&self, function: FuncId, op: &Op) -> Vec<(GlobalId, i64, u64)> {
        let mut all = Vec::new();
        match op {
            Op::Gep {
                base,
                indices,
                offset,
            } => {
                let steps = indices.iter().map(|(_, scale)| scale.unsigned_abs());
                let step = steps.fold(0, gcd);
                let known = self.address(function, base).into_iter();
                all.extend(known.map(|(table, at)| (table, at.wrapping_add(*offset), step)));
            }
            Op::Phi { .. } | Op::Select { .. } => op.for_each_operand(|operand| {
                let known = self.address(function, operand).into_iter();
                all.extend(known.map(|(table, at)| (table, at, 0)));
            }),
            _ => {}
        }
        all
    }

    /// Finds the values that are addresses in tables, and how long records are at most.
    fn follow(&mut self) {
        loop {
            let mut changed = false;
            for (id, body) in self.program.functions.iter() {
                for (value, inst) in body.blocks.keys().flat_map(|block| body.insts(block)) {
                    for (table, at, step) in self.made(id, &inst.op) {
                        changed |= self.is_at((id, value), (table, at), step);
                    }
                }
            }
            if !changed {
                return;
            }
        }
    }

    /// A value is an address in a table, at some offset, give or take steps. Whether that is new.
    fn is_at(&mut self, value: (FuncId, ValueId), (table, at): (GlobalId, i64), step: u64) -> bool {
        let Some(&record) = self.tables.get(&table) else {
            return false;
        };
        let own = self.addresses.entry(value).or_default();
        let known = own.get(&table).copied();
        let off_by = known.map_or(0, |known| known.abs_diff(within(at, record)));
        let fits = gcd(gcd(record, step), off_by);
        let old = own.insert(table, within(at, fits));
        if fits < record {
            self.tables.insert(table, fits);
            // What was at different offsets of a longer record is not.
            for places in self.addresses.values_mut() {
                if let Some(at) = places.get_mut(&table) {
                    *at %= fits;
                }
            }
        }
        fits < record || old != Some(within(at, fits))
    }

    /// Looks at all that is done with the tables and addresses in them.
    fn look(&mut self) {
        for (id, body) in self.program.functions.iter() {
            for block in body.blocks.keys() {
                for (value, inst) in body.insts(block) {
                    self.instruction((id, body), value, &inst.op);
                }
                let terminator = &body.blocks[block].terminator;
                let mut left = Vec::new();
                terminator.for_each_operand(|operand| left.push(operand.clone()));
                left.iter().for_each(|operand| self.leaves(id, operand));
            }
        }
    }

    fn instruction(&mut self, (id, body): (FuncId, &Function), value: ValueId, op: &Op) {
        let mut operands = Vec::new();
        op.for_each_operand(|operand| operands.push(operand));
        // Models of the C library keep their state to themselves.
        let allowed = match op {
            _ if body.library => 0..0,
            Op::Load {
                volatile: false, ..
            }
            | Op::Gep { .. } => 0..1,
            Op::ICmp { .. } => 0..2,
            Op::Store {
                address,
                value: stored,
                volatile: false,
                ..
            } => {
                self.leaves(id, stored);
                self.access(id, address, &body.operand_type(stored));
                return;
            }
            Op::Phi { .. } | Op::Select { .. } => {
                // What a selection looks at is no address.
                let first = usize::from(matches!(op, Op::Select { .. }));
                let is_followed = |operand: &&Operand| {
                    matches!(operand, Operand::Const(Const::Null))
                        || !self.address(id, operand).is_empty()
                };
                match operands[first..].iter().all(is_followed) {
                    true => 0..operands.len(),
                    false => 0..0,
                }
            }
            _ => 0..0,
        };
        for (at, operand) in operands.iter().enumerate() {
            if !allowed.contains(&at) {
                self.leaves(id, operand);
            }
        }
        if let Op::Load { address, .. } = op {
            self.access(id, address, &body.values[value].ty);
        }
    }

    /// An operand goes where it is not followed.
    fn leaves(&mut self, function: FuncId, operand: &Operand) {
        if let Operand::Const(constant) = operand {
            for global in constant.globals() {
                self.tables.remove(&global);
            }
        } else {
            for (table, _) in self.address(function, operand) {
                self.tables.remove(&table);
            }
        }
    }

    fn access(&mut self, function: FuncId, address: &Operand, ty: &crate::types::Type) {
        let tables = self.address(function, address);
        let Some(size) = self.program.layout.store_size(ty) else {
            return self.leaves(function, address);
        };
        if tables.is_empty() {
            return self.leaves(function, address);
        }
        for (table, at) in tables {
            if let Some(&record) = self.tables.get(&table) {
                let access = (within(at, record), size);
                self.accesses.entry(table).or_default().insert(access);
            }
        }
    }

    fn found(mut self) -> Fields {
        for (table, accesses) in &self.accesses {
            let Some(&record) = self.tables.get(table) else {
                continue;
            };
            let fields: Vec<(u64, u64)> = accesses.iter().copied().collect();
            let inside = fields.iter().all(|(at, size)| at + size <= record);
            let apart = fields.windows(2).all(|two| two[0].0 + two[0].1 <= two[1].0);
            if !inside || !apart {
                self.tables.remove(table);
            }
        }
        // An address in a table or in something else says nothing of the table.
        loop {
            let before = self.tables.len();
            for places in self.addresses.values() {
                if places.keys().any(|table| !self.tables.contains_key(table)) {
                    self.tables.retain(|table, _| !places.contains_key(table));
                }
            }
            if self.tables.len() == before {
                break;
            }
        }
        let tables = self.tables;
        let accesses = self.accesses.into_iter();
        let accesses = accesses.filter_map(|(table, own)| Some((table, *tables.get(&table)?, own)));
        let all = accesses.flat_map(|(table, record, own)| {
            own.into_iter().map(move |(offset, size)| Field {
                table,
                offset,
                size,
                record,
            })
        });
        let all = all.collect();
        let mut addresses = self.addresses;
        addresses.retain(|_, places| places.keys().all(|table| tables.contains_key(table)));
        Fields {
            all,
            records: tables,
            addresses,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A program with the body of `main` in between; its fields, each with a name.
    fn check(body: &str, expected: &str) {
        let text = format!(
            "extern0 @f(ptr)
             global0 @a size 24 align 4 = x\"\"
             global1 @b size 8 align 8 = x\"\"
             fn @main(v0: i64, v1: i1) {{ block0: {body} }}"
        );
        let program = crate::text::sample(&text);
        let found = Fields::of(&program, false);
        let words = found.all().iter().map(|field| {
            let (table, record) = (&program.globals[field.table].name, field.record);
            format!("{table}+{}:{} in {record}", field.offset, field.size)
        });
        assert_eq!(words.collect::<Vec<_>>().join(" "), expected, "{body}");
    }

    #[test]
    fn records_are_as_long_as_steps_allow() {
        let element = "v2: ptr = gep @a [v0 * 8] v3: i32 = load v2 ret";
        check(element, "a+0:4 in 8");
        check(
            "v2: ptr = gep @a [v0 * 8] v3: ptr = gep v2 + 4 store i32 1, v3 v4: i32 = load (@a + 16) ret",
            "a+0:4 in 8 a+4:4 in 8",
        );
        // Twelve and eight bytes: four.
        check(
            "v2: ptr = gep @a [v0 * 8] v3: ptr = gep v2 [v0 * 12] store i32 1, v3 ret",
            "a+0:4 in 4",
        );
        check("store i32 1, (@a + 4) ret", "a+4:4 in 24");
        // A pointer that goes on, and one of two.
        check(
            "br block1 block1: v2: ptr = phi [block0: @a, block1: v3] v3: ptr = gep v2 + 8 v4: i32 = load v2
             v5: i1 = icmp ne v3, null br v5, block1, block2 block2: ret",
            "a+0:4 in 8",
        );
        check(
            "v2: ptr = select v1, @a, (@a + 12) v3: i32 = load v2 ret",
            "a+0:4 in 12",
        );
        check(
            "v2: ptr = select v1, @a, @b v3: ptr = gep v2 [v0 * 8] v4: i32 = load v3 ret",
            "a+0:4 in 8 b+0:4 in 8",
        );
    }

    #[test]
    fn a_table_whose_address_goes_elsewhere_has_no_fields() {
        for more in [
            "call @f(v2)",
            "call @f(@a)",
            "call @f((@a + 8))",
            "store v2, @b",
            "v4: i64 = ptrtoint v2",
            "v4: i64 = load v2 volatile",
            "v4: i64 = load v2",
            "v4: ptr = load @b v5: ptr = select v1, v2, v4 store i32 1, v5",
        ] {
            let text = format!("v2: ptr = gep @a [v0 * 8] v3: i32 = load v2 {more} ret");
            let expected = match more {
                "v4: i64 = load v2" => "",
                _ if more.contains("load @b") => "b+0:8 in 8",
                _ if more.starts_with("store v2, @b") => "b+0:8 in 8",
                _ => "",
            };
            check(&text, expected);
        }
    }
}
