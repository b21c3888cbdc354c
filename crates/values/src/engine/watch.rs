//! Where variables are looked at for people: calls of [`program::WATCH`].

use program::GlobalId;

use super::Engine;
use crate::memory::World;
use crate::object::Object;
use crate::state::State;
use crate::value::Value;
use crate::{WIDEST_GLOBAL, Watched};

impl Engine<'_> {
    /// Keeps what the arguments and the program's variables are in a state that comes to such a call. Changes nothing else:
    /// no address escapes.
    pub(super) fn watch(&mut self, name: &str, arguments: Vec<Value>, state: &State) {
        let program = self.program;
        let globals = program.globals.iter().filter(|(_, global)| {
            !global.constant && global.init.is_some() && global.size <= WIDEST_GLOBAL
        });
        let mut seen: Vec<(GlobalId, Value)> = Vec::new();
        for (id, global) in globals {
            let object = self.objects.id(Object::Global(id), Some(global.size));
            let mut world = World {
                program,
                objects: &mut self.objects,
            };
            let value = state.memory.peek(object, 0, global.size, &mut world);
            seen.push((id, value.unwrap_or(Value::Any)));
        }
        let now = Watched {
            arguments,
            globals: seen,
        };
        // A copy: what is joined for people lets nothing escape.
        let mut objects = self.objects.clone();
        match self.watched.get_mut(name) {
            None => {
                self.watched.insert(name.to_owned(), now);
            }
            Some(known) => {
                for (own, new) in known.arguments.iter_mut().zip(&now.arguments) {
                    *own = own.join(new, &mut objects);
                }
                for ((_, own), (_, new)) in known.globals.iter_mut().zip(&now.globals) {
                    *own = own.join(new, &mut objects);
                }
            }
        }
    }
}
