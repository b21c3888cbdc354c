//! What the engine knows whatever the order, for others.

use std::collections::BTreeMap;

use program::fields::{Field, Fields};
use program::private::Cell;
use program::{FuncId, Program};

use super::Engine;
use super::picture::{number, scalars};
use crate::memory::{Memory, World};
use crate::num::{Num, mask};
use crate::object::{Object, Objects};
use crate::picture::Standing;
use crate::value::{Pointers, Value};

/// Records of a table that is looked at.
const RECORDS: u64 = 1024;

impl Engine<'_> {
    /// What is known at any time, where there is one memory for the whole program; `None` when there are more states than `most`.
    pub fn standing(&mut self, most: usize) -> Option<Standing> {
        let states: usize = self.states.values().map(BTreeMap::len).sum();
        if !self.config.flat || states > most {
            return None;
        }
        // Each function has one context, and each block one state in it.
        let states = self.states.iter().flat_map(|((context, block), entries)| {
            let place = (self.contexts[*context].function, *block);
            let states = entries.values();
            let of = |value: &Value| scalar(self.program, value, &self.objects);
            states.map(move |entry| (place, scalars(&entry.state.env, of)))
        });
        let states = states.collect();
        Some(Standing {
            states,
            objects: self.named(),
            results: self.standing_results(),
            cells: self.standing_cells(),
            fields: self.standing_fields(),
        })
    }

    /// What fields hold that are no private cells.
    fn standing_fields(&mut self) -> Vec<(Field, Value)> {
        let program = self.program;
        let fields = Fields::of(program, self.config.foreign);
        let (cells, _) = self.private_cells();
        let is_cell = |field: &Field| {
            let first = field.cells(program).next();
            first.is_some_and(|cell| cells.binary_search(&cell).is_ok())
        };
        let fields = fields.all().iter().copied();
        let fields = fields.filter(|field| field.size <= 8 && !is_cell(field));
        let ground = self.flat.ground.clone();
        fields
            .filter_map(|field| Some((field, self.standing_field(field, &ground)?)))
            .collect()
    }

    /// What a field holds in all records.
    fn standing_field(&mut self, field: Field, ground: &Memory) -> Option<Value> {
        let size = self.program.globals[field.table].size;
        if size / field.record > RECORDS {
            return None;
        }
        let id = self.objects.id(Object::Global(field.table), Some(size));
        let mut all: Option<Value> = None;
        for cell in field.cells(self.program) {
            let mut world = World {
                program: self.program,
                objects: &mut self.objects,
            };
            let own = ground.peek(id, cell.offset, cell.size, &mut world)?;
            all = Some(match all {
                Some(all) => all.join(&own, &mut self.objects),
                None => own,
            });
        }
        scalar(self.program, &all?, &self.objects)
    }

    fn standing_cells(&mut self) -> Vec<(Cell, Value)> {
        let (cells, objects) = self.private_cells();
        let ground = self.flat.ground.clone();
        let known = self.known_cells(&ground, &cells, &objects).into_iter();
        known.map(|(at, number)| (cells[at], number)).collect()
    }

    /// What functions return.
    fn standing_results(&self) -> BTreeMap<FuncId, Value> {
        let contexts = self.contexts.values();
        let results = contexts.filter_map(|context| {
            let mut exits = context.exits.values();
            let (Some(only), None) = (exits.next(), exits.next()) else {
                return None;
            };
            Some((
                context.function,
                scalar(self.program, only.value.as_ref()?, &self.objects)?,
            ))
        });
        results.collect()
    }
}

/// A number of which something is known, an address of which is known what it leads to, or another of which is known that it is not null.
fn scalar(program: &Program, value: &Value, objects: &Objects) -> Option<Value> {
    if let Some(number) = number(program, value, objects) {
        return Some(number);
    }
    match value {
        Value::Pointers(Pointers { nums, targets }) => {
            let bits = targets.values().next()?.bits();
            let may_be_null = nums.as_ref().is_some_and(|nums| nums.contains(0));
            (!may_be_null).then(|| Value::Num(Num::range(bits, 1, mask(bits))))
        }
        _ => None,
    }
}
