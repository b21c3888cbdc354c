//! One memory for the whole program, in which writes only add: for programs that are too large for more, and for those in
//! which functions run at any time (threads, signal handlers) or control comes back to where it had left (`setjmp`).
//!
//! An object holds whatever is ever written to it, so that the order of writes does not matter. Values of variables in registers
//! are followed as elsewhere.
//!
//! Must hold: what was read is read again when it has changed; what code that is not followed can reach holds anything as soon
//! as any such code runs.

use std::collections::{BTreeMap, BTreeSet};

use program::outside;
use program::{FuncId, ValueId};

use super::{Engine, Item, joining};
use crate::memory::{Memory, World};
use crate::object::{Object, ObjectId};
use crate::state::{State, anything};

/// Changes of an object before what it holds is widened, each counted so many times less than joins at a loop's head: an object
/// has many members.
const CHANGES: u32 = 8;

/// The one memory, and who depends on it.
#[derive(Debug, Default)]
pub(super) struct Flat {
    pub(super) ground: Memory,
    readers: BTreeMap<ObjectId, BTreeSet<Item>>,
    changes: BTreeMap<ObjectId, u32>,
    /// Functions that were entered with anything.
    entered: BTreeSet<FuncId>,
    /// Functions that have escaped and were not entered so.
    callable: Vec<FuncId>,
    /// Code that is not followed is called somewhere.
    is_called_outside: bool,
    /// Escaped objects that were dealt with.
    settled: usize,
}

impl Engine<'_> {
    /// Functions that run without a call that is followed: each once, with anything.
    pub(super) fn enter_anytime(&mut self, functions: &[FuncId]) {
        for &function in functions {
            if !self.flat.entered.insert(function) {
                continue;
            }
            let Some(context) = self.context(function, None) else {
                continue;
            };
            let body = &self.program.functions[function];
            let mut state = State::default();
            for &param in &body.params {
                state.set(param, anything(self.program, &body.values[param].ty));
            }
            self.enter(context, state);
        }
    }

    /// What runs without being called by the program.
    pub(super) fn enter_outside(&mut self) {
        let anytime = std::mem::take(&mut self.config.anytime);
        self.enter_anytime(&anytime);
        if outside::finds_names(self.program, self.config.foreign) {
            let globals = self.program.globals.iter();
            for (global, _) in globals.filter(|(_, global)| !global.internal) {
                let id = self.objects.global(self.program, global);
                self.objects.escape(id);
            }
            self.call_outside();
            self.settle_escaped();
        }
    }

    /// Code that is not followed is called.
    pub(super) fn call_outside(&mut self) {
        self.flat.is_called_outside = true;
        self.objects.reach();
    }

    /// Keeps what a state has written; those who read it read it again.
    pub(super) fn absorb(&mut self, item: &Item, state: &mut State) {
        self.note_reads(item);
        if !state.memory.is_same(&self.flat.ground) {
            let mut changed = BTreeSet::new();
            let (changes, thresholds) = (&mut self.flat.changes, &self.thresholds);
            let mut world = World {
                program: self.program,
                objects: &mut self.objects,
            };
            let each = |id: ObjectId| {
                changed.insert(id);
                let count = changes.entry(id).or_insert(0);
                *count += 1;
                *count / CHANGES
            };
            let joins = |visits| joining(visits, thresholds);
            let ground = &self.flat.ground;
            self.flat.ground = ground.grown(&state.memory, &mut world, each, joins);
            self.read_again(&changed);
            state.memory = self.flat.ground.clone();
        }
        self.settle_escaped();
        state.memory = self.flat.ground.clone();
    }

    /// Whose work depends on what.
    fn note_reads(&mut self, item: &Item) {
        for id in self.objects.take_read() {
            self.flat
                .readers
                .entry(id)
                .or_default()
                .insert(item.clone());
        }
    }

    fn read_again(&mut self, changed: &BTreeSet<ObjectId>) {
        for id in changed {
            let readers = self.flat.readers.get(id).into_iter().flatten();
            self.work.extend(readers.cloned());
        }
    }

    /// After an instruction that nothing comes behind.
    pub(super) fn settle(&mut self, item: &Item) {
        if self.config.flat {
            self.note_reads(item);
            self.settle_escaped();
        }
    }

    /// What has escaped holds anything where code that is not followed runs, and functions that have escaped may be called by it.
    fn settle_escaped(&mut self) {
        if !self.objects.is_reached() {
            return;
        }
        loop {
            let new: Vec<ObjectId> = self.objects.escaped_since(&mut self.flat.settled);
            if new.is_empty() {
                break;
            }
            let mut changed = BTreeSet::new();
            let mut functions = Vec::new();
            let mut world = World {
                program: self.program,
                objects: &mut self.objects,
            };
            for id in new {
                if self.flat.ground.forget_object(id, &mut world) {
                    changed.insert(id);
                }
                if let Object::Function(function) = world.objects.object(id) {
                    functions.push(function);
                }
            }
            self.flat.callable.extend(functions);
            self.read_again(&changed);
        }
        if self.flat.is_called_outside {
            let callable = std::mem::take(&mut self.flat.callable);
            self.enter_anytime(&callable);
        }
    }

    /// Control may come back to a call: of what was computed before it nothing is known.
    pub(super) fn comes_back_twice(&mut self, value: ValueId, state: &mut State) {
        state
            .env
            .for_each(|_, value| value.escape(&mut self.objects));
        state.env = crate::map::Map::default();
        state.set(value, crate::value::Value::Any);
    }
}
