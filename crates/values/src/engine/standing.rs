//! What the engine knows whatever the order, for others.

use std::collections::BTreeMap;

use program::private::{self, Cell};
use program::{FuncId, ValueId};

use super::Engine;
use super::picture::{WIDEST, number};
use crate::map::Map;
use crate::memory::World;
use crate::object::Object;
use crate::picture::Standing;
use crate::value::Value;

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
            states.map(move |entry| (place, numbers(&entry.state.env)))
        });
        Some(Standing {
            states: states.collect(),
            results: self.standing_results(),
            cells: self.standing_cells(),
        })
    }

    fn standing_cells(&mut self) -> Vec<(Cell, Value)> {
        let mut known = Vec::new();
        for cell in private::cells(self.program) {
            if 8 * cell.size > u64::from(WIDEST) {
                continue;
            }
            let size = Some(self.program.globals[cell.global].size);
            let object = self.objects.id(Object::Global(cell.global), size);
            let mut world = World {
                program: self.program,
                objects: &mut self.objects,
            };
            let ground = &self.flat.ground;
            let value = ground.peek(object, cell.offset, cell.size, &mut world);
            known.extend(value.as_ref().and_then(number).map(|number| (cell, number)));
        }
        known
    }

    /// What functions return.
    fn standing_results(&self) -> BTreeMap<FuncId, Value> {
        let contexts = self.contexts.values();
        let results = contexts.filter_map(|context| {
            let mut exits = context.exits.values();
            let (Some(only), None) = (exits.next(), exits.next()) else {
                return None;
            };
            Some((context.function, number(only.value.as_ref()?)?))
        });
        results.collect()
    }
}

fn numbers(env: &Map<Value>) -> Vec<(ValueId, Value)> {
    let mut values = Vec::new();
    env.for_each(|key, value| {
        if let (Ok(key), Some(number)) = (u32::try_from(key), number(value)) {
            values.push((ValueId::from_u32(key), number));
        }
    });
    values.sort_by_key(|(value, _)| *value);
    values
}
