//! What the engine knows, for others.

use std::collections::BTreeMap;

use program::parts::Parts;
use program::private::{self, Cell};
use program::{Callee, FuncId, GlobalId, Op, Program, ValueId};

use super::{ContextId, Engine};
use crate::map::Map;
use crate::memory::{Memory, World};
use crate::num::Num;
use crate::object::{Object, ObjectId, Objects};
use crate::picture::{Context, Known, Named, Picture, Spot, joined};
use crate::state::{State, key};
use crate::value::{Pointers, Value};

/// What a picture has at most.
#[derive(Clone, Copy)]
pub struct MostDrawn {
    /// Of the engine.
    pub states: usize,
    /// Of all states of the picture together.
    pub numbers: usize,
}

/// Places of tables that one address is spoken of as leading to.
const PLACES: usize = 16;

/// Widest number of a picture.
const WIDEST: u32 = 64;

impl Engine<'_> {
    /// What is known in all contexts; `None` when there are more states, or numbers of all states together, than `most`.
    pub fn picture(&mut self, most: MostDrawn) -> Option<Picture> {
        let states: usize = self.states.values().map(BTreeMap::len).sum();
        if states > most.states {
            return None;
        }
        let (cells, objects) = self.kept(Parts::of(self.program, self.config.foreign).all());
        let calls = self.calls_of_contexts();
        let mut contexts: Vec<Context> = Vec::new();
        let ids: Vec<ContextId> = self.contexts.keys().collect();
        for (id, calls) in ids.iter().zip(calls) {
            contexts.push(Context {
                function: self.contexts[*id].function,
                calls,
                states: Vec::new(),
                exits: self.exits(*id, &cells, &objects),
            });
        }
        let own = std::mem::take(&mut self.states);
        let mut numbers = 0;
        for ((id, block), entries) in &own {
            let entries = entries.values();
            let known = entries.map(|entry| self.known(&entry.state, &cells, &objects));
            let known = joined(known.collect());
            let in_state = |known: &Known| known.cells.len() + known.values.len();
            numbers += known.iter().map(in_state).sum::<usize>();
            if numbers > most.numbers {
                break;
            }
            let known = known.into_iter().map(|known| (*block, known));
            contexts[id.index()].states.extend(known);
        }
        self.states = own;
        let objects = self.named();
        (numbers <= most.numbers).then_some(Picture {
            cells,
            contexts,
            objects,
        })
    }

    /// The private cells that numbers are kept of, in order, and their objects.
    pub(super) fn private_cells(&mut self) -> (Vec<Cell>, Vec<ObjectId>) {
        self.kept(&private::cells(self.program, self.config.foreign))
    }

    /// Those that numbers are kept of, and their objects.
    fn kept(&mut self, cells: &[Cell]) -> (Vec<Cell>, Vec<ObjectId>) {
        let program = self.program;
        let cells = cells.iter().copied();
        let cells: Vec<Cell> = cells
            .filter(|cell| 8 * cell.size <= u64::from(WIDEST))
            .collect();
        let objects = cells.iter().map(|cell| {
            let size = Some(program.globals[cell.global].size);
            self.objects.id(Object::Global(cell.global), size)
        });
        let objects = objects.collect();
        (cells, objects)
    }

    fn calls_of_contexts(&self) -> Vec<BTreeMap<ValueId, Vec<usize>>> {
        let mut all = vec![BTreeMap::<ValueId, Vec<usize>>::new(); self.contexts.len()];
        for ((function, caller), id) in &self.by_parent {
            let mut add = |from: ContextId, at: ValueId| {
                let known = all[from.index()].entry(at).or_default();
                if !known.contains(&id.index()) {
                    known.push(id.index());
                }
            };
            if let Some((from, at, _)) = caller {
                add(*from, *at);
                continue;
            }
            for item in &self.contexts[*id].callers {
                let from = item.context.0;
                for at in self.calls_to(self.contexts[from].function, *function) {
                    add(from, at);
                }
            }
        }
        all
    }

    fn calls_to(&self, from: FuncId, to: FuncId) -> Vec<ValueId> {
        let body = &self.program.functions[from];
        let insts = body.blocks.keys().flat_map(|block| body.insts(block));
        let is_call = |op: &Op| match op {
            Op::Call { callee, .. } => match callee {
                Callee::Direct(target) => *target == to,
                Callee::Indirect(_) => true,
                Callee::Extern(_) | Callee::Asm(_) => false,
            },
            _ => false,
        };
        insts
            .filter(|(_, inst)| is_call(&inst.op))
            .map(|(value, _)| value)
            .collect()
    }

    fn exits(
        &mut self,
        id: ContextId,
        cells: &[Cell],
        objects: &[ObjectId],
    ) -> Vec<(Known, Option<Value>)> {
        let exits: Vec<(Memory, Option<Value>)> = self.contexts[id]
            .exits
            .values()
            .map(|exit| (exit.memory.clone(), exit.value.clone()))
            .collect();
        let mut all = Vec::new();
        for (memory, value) in exits {
            let known = Known {
                cells: self.known_cells(&memory, cells, objects),
                ..Known::default()
            };
            let value = value
                .as_ref()
                .and_then(|value| number(self.program, value, &self.objects));
            let exit = (known, value);
            if !all.contains(&exit) {
                all.push(exit);
            }
        }
        all
    }

    fn known(&mut self, state: &State, cells: &[Cell], objects: &[ObjectId]) -> Known {
        Known {
            cells: self.known_cells(&state.memory, cells, objects),
            values: scalars(&state.env, |value| {
                number(self.program, value, &self.objects)
            }),
            pairs: pairs(state, cells, objects),
        }
    }

    pub(super) fn known_cells(
        &mut self,
        memory: &Memory,
        cells: &[Cell],
        objects: &[ObjectId],
    ) -> Vec<(usize, Value)> {
        let mut world = World {
            program: self.program,
            objects: &mut self.objects,
        };
        let mut known = Vec::new();
        for (at, (cell, object)) in cells.iter().zip(objects).enumerate() {
            let value = memory.peek(*object, cell.offset, cell.size, &mut world);
            let value = value.and_then(|value| number(world.program, &value, world.objects));
            known.extend(value.map(|number| (at, number)));
        }
        known
    }

    /// The functions and tables that were met.
    pub(super) fn named(&self) -> Named {
        let program = self.program;
        let functions = program.functions.keys().map(Object::Function);
        let tables = program.globals.keys().filter(|id| is_table(program, *id));
        let all = functions.chain(tables.map(Object::Global));
        all.filter_map(|object| Some((self.objects.known_id(object)?, object)))
            .collect()
    }
}

/// How live variables and cells compare.
fn pairs(state: &State, cells: &[Cell], objects: &[ObjectId]) -> Vec<((Spot, Spot), Vec<u8>)> {
    let places = cells.iter().zip(objects);
    let own: Vec<Option<ValueId>> = places
        .map(|(cell, object)| state.relations.cell(&(*object, cell.offset, cell.size)))
        .collect();
    let spots = |value: ValueId| {
        let is_live = state.env.get(key(value)).is_some();
        let held = own.iter().enumerate();
        let held = held.filter(move |(_, cell)| **cell == Some(value));
        let variable = is_live.then_some(Spot::Value(value));
        held.map(|(at, _)| Spot::Cell(at))
            .chain(variable)
            .collect::<Vec<Spot>>()
    };
    let mut pairs = BTreeMap::new();
    for (a, b, orders) in state.relations.known_pairs() {
        for first in spots(a) {
            for second in spots(b) {
                let (pair, orders) = match first < second {
                    true => ((first, second), orders),
                    false => ((second, first), orders.swapped()),
                };
                pairs.insert(pair, orders.codes());
            }
        }
    }
    // A variable that is the cell.
    for (at, value) in own.iter().enumerate() {
        let live = value.filter(|value| state.env.get(key(*value)).is_some());
        if let Some(value) = live {
            pairs.insert((Spot::Cell(at), Spot::Value(value)), vec![0]);
        }
    }
    pairs.into_iter().collect()
}

/// What is known of values, in order; `known`: what is told of one.
pub(super) fn scalars(
    env: &Map<Value>,
    known: impl Fn(&Value) -> Option<Value>,
) -> Vec<(ValueId, Value)> {
    let mut values = Vec::new();
    env.for_each(|key, value| {
        if let (Ok(key), Some(number)) = (u32::try_from(key), known(value)) {
            values.push((ValueId::from_u32(key), number));
        }
    });
    values.sort_by_key(|(value, _)| *value);
    values
}

/// A number of which something is known, or an address of which is known what it leads to.
pub(super) fn number(program: &Program, value: &Value, objects: &Objects) -> Option<Value> {
    let is_known = match value {
        Value::Num(num) => !num.is_any() && num.bits() <= WIDEST,
        Value::Real(real) => !real.is_any(),
        Value::Pointers(pointers) => leads_to_named(program, pointers, objects),
        Value::Tuple(_) | Value::Any => false,
    };
    is_known.then(|| value.clone())
}

/// Whether pointers are addresses of functions and of few places in tables, or one of a few numbers.
fn leads_to_named(program: &Program, pointers: &Pointers, objects: &Objects) -> bool {
    let mut left = PLACES;
    let mut is_named = |(id, offset): (&ObjectId, &Num)| match objects.object(*id) {
        Object::Function(_) => offset.as_constant() == Some(0),
        Object::Global(global) => {
            let count = offset.values().map_or(usize::MAX, <[u128]>::len);
            let fits = count <= left && is_table(program, global);
            left = left.saturating_sub(count);
            fits
        }
        _ => false,
    };
    let numbers = pointers.nums.as_ref();
    pointers.targets.iter().all(&mut is_named)
        && numbers.is_none_or(|numbers| numbers.values().is_some())
}

/// Is a variable a constant table that addresses stand in?
fn is_table(program: &Program, global: GlobalId) -> bool {
    let global = &program.globals[global];
    let mut init = global.init.iter();
    global.constant && init.any(|init| !init.relocations.is_empty())
}
