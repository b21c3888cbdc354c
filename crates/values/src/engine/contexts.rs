//! Contexts of functions, and what tells states apart in them.

use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use program::{BlockId, FuncId};

use super::{Caller, Context, ContextId, Engine, Key};
use crate::memory::World;
use crate::state::{State, key};

impl Engine<'_> {
    /// The context of a function that is called somewhere.
    pub(super) fn context(&mut self, function: FuncId, from: Option<Caller>) -> Option<ContextId> {
        let own = from.filter(|(parent, ..)| {
            self.contexts.len() < self.config.contexts
                && self.contexts[*parent].depth < self.config.depth
                && !self.is_in_chain(*parent, function)
        });
        let name = (function, own);
        if let Some(&known) = self.by_parent.get(&name) {
            return Some(known);
        }
        if self.program.functions[function].blocks.is_empty() {
            return None;
        }
        let parent = name
            .1
            .as_ref()
            .map(|(parent, _, key)| (*parent, Rc::clone(key)));
        let depth = parent
            .as_ref()
            .map_or(0, |(parent, _)| self.contexts[*parent].depth + 1);
        let context = self.contexts.push(Context {
            function,
            shared: parent.is_none() && !self.contexts.is_empty(),
            depth: if parent.is_none() && !self.contexts.is_empty() {
                self.config.depth + 1
            } else {
                depth
            },
            parent,
            exits: BTreeMap::new(),
            callers: BTreeSet::new(),
        });
        self.by_parent.insert(name, context);
        Some(context)
    }

    pub(super) fn is_in_chain(&self, from: ContextId, function: FuncId) -> bool {
        let mut at = Some(from);
        while let Some(context) = at {
            if self.contexts[context].function == function {
                return true;
            }
            at = self.contexts[context]
                .parent
                .as_ref()
                .map(|(parent, _)| *parent);
        }
        false
    }

    /// What tells a state apart at a block.
    pub(super) fn key(&mut self, context: ContextId, block: BlockId, state: &State) -> Key {
        if !self.config.partition {
            return Rc::default();
        }
        let facts = self.facts(self.contexts[context].function);
        let level = self
            .levels
            .get(&(context, block))
            .copied()
            .unwrap_or(usize::MAX);
        let places = Rc::clone(&self.places);
        let mut world = World {
            program: self.program,
            objects: &mut self.objects,
        };
        let in_memory = places.iter().map(|(object, offset, size)| {
            let value = state.memory.peek(*object, *offset, *size, &mut world)?;
            value.code()
        });
        let mut all: Vec<Option<u128>> = in_memory.collect();
        let rest = all.split_off(self.config.dispatched);
        let variables = facts.selectors.iter();
        all.extend(variables.map(|value| state.env.get(key(*value))?.as_constant()));
        all.extend(rest);
        for (at, known) in all.iter_mut().enumerate() {
            if at >= level {
                *known = None;
            }
        }
        all.into()
    }
}
