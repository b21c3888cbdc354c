//! What the engine knows whatever the order, for others.

use std::collections::BTreeMap;

use program::FuncId;
use program::private::Cell;

use super::Engine;
use super::picture::{number, numbers};
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
            Some((context.function, number(only.value.as_ref()?)?))
        });
        results.collect()
    }
}
