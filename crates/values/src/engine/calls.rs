//! Calls: states go into functions in their contexts, and come out of them; what is not followed may do what it can reach.

use std::rc::Rc;

use program::{BlockId, Callee, Const, FuncId, Function, ICmp, Op, Operand, Target, Type, ValueId};

use super::{Engine, Exit, Item, joining};
use crate::memory::{Memory, World};
use crate::num::Num;
use crate::object::{Object, Objects};
use crate::outside::comes_back;
use crate::refine::narrow;
use crate::relations::{Place, entry_value};
use crate::state::{State, anything, width};
use crate::value::Value;
use program::outside::{self, Effect};

impl Engine<'_> {
    /// The states behind a call.
    pub(super) fn call(
        &mut self,
        item: &Item,
        (id, value): (FuncId, ValueId),
        (callee, args): (&Callee, &[Operand]),
        state: &State,
    ) -> Vec<State> {
        match callee {
            Callee::Direct(target) => {
                self.enter_function(item, (id, value), *target, Some(args), state)
            }
            Callee::Extern(known) => {
                let name = self.program.externs[*known].name.clone();
                self.outside(item, (id, value), &name, args, state)
            }
            Callee::Asm(_) => self.unknown(item, (id, value), args, state),
            Callee::Indirect(pointer) => self.indirect(item, (id, value), pointer, args, state),
        }
    }

    pub(super) fn indirect(
        &mut self,
        item: &Item,
        at: (FuncId, ValueId),
        pointer: &Operand,
        args: &[Operand],
        state: &State,
    ) -> Vec<State> {
        let function = &self.program.functions[at.0];
        let mut world = World {
            program: self.program,
            objects: &mut self.objects,
        };
        let address = state.value(function, pointer, &mut world);
        let known: Option<Vec<Object>> = match &address {
            Value::Pointers(pointers) if !pointers.may_be_elsewhere() => {
                let ids = pointers.targets.keys().map(|id| world.objects.object(*id));
                Some(ids.collect())
            }
            _ => None,
        };
        let Some(known) = known else {
            let mut after = self.unknown(item, at, args, state);
            let sites = self.calls.calls(at.0).iter();
            let site = sites
                .filter(|site| site.inst == at.1)
                .flat_map(|site| site.targets.clone());
            for target in site {
                if let Target::Function(target) = target {
                    after.extend(self.enter_function(item, at, target, Some(args), state));
                }
            }
            return after;
        };
        let mut after = Vec::new();
        for object in known {
            match object {
                Object::Function(target) => {
                    after.extend(self.enter_function(item, at, target, Some(args), state));
                }
                Object::Extern(target) => {
                    let name = self.program.externs[target].name.clone();
                    after.extend(self.outside(item, at, &name, args, state));
                }
                _ => after.extend(self.unknown(item, at, args, state)),
            }
        }
        after
    }

    /// A function is called: its states go in, and come out as far as they are known. Without `args` they may be anything.
    pub(super) fn enter_function(
        &mut self,
        item: &Item,
        (id, value): (FuncId, ValueId),
        target: FuncId,
        args: Option<&[Operand]>,
        state: &State,
    ) -> Vec<State> {
        let own = self.program.functions[id].values[value].ty.clone();
        let block = self.block_of(item);
        let name = self.key(item.context.0, block, state);
        let Some(context) = self.context(target, Some((item.context.0, value, name))) else {
            return self.unknown(item, (id, value), args.unwrap_or(&[]), state);
        };
        let callee = &self.program.functions[target];
        let mut entry = State {
            memory: state.memory.clone(),
            ..State::default()
        };
        let mut world = World {
            program: self.program,
            objects: &mut self.objects,
        };
        let caller = &self.program.functions[id];
        for (at, &param) in callee.params.iter().enumerate() {
            let ty = &callee.values[param].ty;
            let known = match args.and_then(|args| args.get(at)) {
                Some(arg) => {
                    let known = state.value(caller, arg, &mut world);
                    let fits = caller.operand_type(arg) == *ty;
                    if fits {
                        known
                    } else {
                        known.escape(world.objects);
                        anything(world.program, ty)
                    }
                }
                None => anything(world.program, ty),
            };
            entry.set(param, known);
        }
        let extra = args.unwrap_or(&[]).iter().skip(callee.params.len());
        for arg in extra {
            state.value(caller, arg, &mut world).escape(world.objects);
        }
        self.relate(&mut entry, state, (id, target), args.unwrap_or(&[]));
        self.enter(context, entry);
        self.contexts[context].callers.insert(item.clone());
        let exits: Vec<Exit> = self.contexts[context].exits.values().cloned().collect();
        let fits = own == callee.return_type;
        exits
            .into_iter()
            .map(|exit| {
                let memory = match self.config.flat {
                    true => state.memory.clone(),
                    false => {
                        let mut memory = exit.memory;
                        memory.end_new(&state.memory, self.objects.locals());
                        memory
                    }
                };
                let mut after = State {
                    env: state.env.clone(),
                    memory,
                    relations: state.relations.clone(),
                };
                after
                    .relations
                    .keep_cells(|place| exit.unchanged.contains(place));
                if own != Type::Void {
                    let known = match exit.value {
                        Some(value) if !fits => {
                            value.escape(&mut self.objects);
                            None
                        }
                        known => known,
                    };
                    after.set(value, known.unwrap_or_else(|| anything(self.program, &own)));
                }
                after
            })
            .collect()
    }

    /// What is known of arguments, and of cells, is known of parameters and of what the cells hold when the function is entered.
    fn relate(
        &mut self,
        entry: &mut State,
        state: &State,
        (caller, callee): (FuncId, FuncId),
        args: &[Operand],
    ) {
        let (from, to) = (
            &self.program.functions[caller],
            &self.program.functions[callee],
        );
        let passed = to.params.iter().zip(args).filter_map(|(&param, arg)| {
            let fits = from.operand_type(arg) == to.values[param].ty;
            Some((param, arg.value().filter(|_| fits)?))
        });
        let mut flows: Vec<(ValueId, ValueId)> = passed.collect();
        for (place, value) in state.relations.related_cells() {
            let inside = entry_value(self.cell_number(place));
            entry.relations.stored(place, inside);
            flows.push((inside, value));
        }
        for (at, &(a, own)) in flows.iter().enumerate() {
            for &(b, other) in &flows[..at] {
                entry
                    .relations
                    .learn(a, b, state.relations.orders(own, other));
            }
        }
    }

    /// The number of a cell.
    fn cell_number(&mut self, place: Place) -> u32 {
        let next = u32::try_from(self.cells.len()).expect("fewer than 2^31 cells");
        *self.cells.entry(place).or_insert(next)
    }

    pub(super) fn block_of(&mut self, item: &Item) -> BlockId {
        let function = self.contexts[item.context.0].function;
        self.facts(function).blocks[item.order as usize]
    }

    /// Code that is not followed is called: it may write to what has escaped, and call what has escaped.
    pub(super) fn unknown(
        &mut self,
        item: &Item,
        at: (FuncId, ValueId),
        args: &[Operand],
        state: &State,
    ) -> Vec<State> {
        let mut after = state.clone();
        let function = &self.program.functions[at.0];
        let ty = &function.values[at.1].ty;
        let mut world = World {
            program: self.program,
            objects: &mut self.objects,
        };
        for arg in args {
            let value = state.value(function, arg, &mut world);
            value.escape(world.objects);
        }
        after.memory.havoc(&mut world);
        after.relations.keep_cells(|_| false);
        if *ty != Type::Void {
            after.set(at.1, anything(self.program, ty));
        }
        if self.config.flat {
            self.call_outside();
            return vec![after];
        }
        let escaped = self.objects.escaped().into_iter();
        let callable: Vec<FuncId> = escaped
            .filter_map(|id| match self.objects.object(id) {
                Object::Function(function) => Some(function),
                _ => None,
            })
            .collect();
        // Any of them may run any number of times.
        loop {
            let mut grown = None;
            for &target in &callable {
                for mut called in self.enter_function(item, at, target, None, &after) {
                    if *ty != Type::Void {
                        called.set(at.1, anything(self.program, ty));
                    }
                    let mut world = World {
                        program: self.program,
                        objects: &mut self.objects,
                    };
                    called.memory.havoc(&mut world);
                    let thresholds = &self.thresholds;
                    let mut join = |a: &Value, b: &Value, objects: &mut Objects| {
                        a.widen(b, objects, thresholds)
                    };
                    let known: &State = grown.as_ref().unwrap_or(&after);
                    if let Some(merged) = known.merged(&called, &mut world, &mut join) {
                        grown = Some(merged);
                    }
                }
            }
            match grown {
                None => return vec![after],
                Some(grown) => after = grown,
            }
        }
    }

    /// A function without a body is called.
    pub(super) fn outside(
        &mut self,
        item: &Item,
        at: (FuncId, ValueId),
        name: &str,
        args: &[Operand],
        state: &State,
    ) -> Vec<State> {
        let function = &self.program.functions[at.0];
        let ty = &function.values[at.1].ty;
        let mut after = state.clone();
        let mut world = World {
            program: self.program,
            objects: &mut self.objects,
        };
        let values: Vec<Value> = args
            .iter()
            .map(|arg| state.value(function, arg, &mut world))
            .collect();
        if outside::COMES_BACK.contains(&name) {
            let mut all = self.unknown(item, at, args, state);
            for after in &mut all {
                self.comes_back_twice(at.1, after);
            }
            return all;
        }
        if name.starts_with(program::WATCH) {
            self.watch(name, values, state);
            return vec![after];
        }
        if outside::writes_variables(name) {
            forget_variables(function, &mut after, &mut world);
        }
        if let Some(results) = self.config.told.results.get(&at) {
            // The place of a long option's number, behind the table.
            if let Some(place) = values.get(4) {
                after.memory.forget(place, None, &mut world);
            }
            let results = results
                .iter()
                .map(|result| u128::from(result.cast_unsigned()));
            after.set(at.1, Value::Num(Num::list(32, results)));
            return vec![after];
        }
        let bits = world.pointer_bits();
        let effect = self.outside.effect(name);
        let is_text =
            matches!(name, "printf" | "fprintf" | "dprintf") && prints_only(name, &values, &world);
        if !comes_back((name, effect), &values, &after.memory, &world) {
            self.risky.insert(at);
        }
        let result = match effect {
            Effect::NoReturn => return Vec::new(),
            Effect::Assume => {
                if let Some(arg) = args.first() {
                    let width = width(self.program, &function.operand_type(arg)).unwrap_or(32);
                    let wanted = (ICmp::Ne, Num::constant(width, 0));
                    if !narrow(function, &mut after, &mut world, &[], arg, &wanted) {
                        return Vec::new();
                    }
                }
                outside::Result::Number
            }
            Effect::Pure => outside::Result::Number,
            Effect::Writes(_) if is_text => outside::Result::Number,
            Effect::Writes(result) => {
                for (arg, value) in args.iter().zip(&values) {
                    let may_point = match value {
                        Value::Pointers(_) | Value::Any => true,
                        Value::Num(_) => function.operand_type(arg) == Type::Ptr,
                        Value::Real(_) | Value::Tuple(_) => false,
                    };
                    if may_point {
                        after.memory.forget(value, None, &mut world);
                    }
                }
                result
            }
            Effect::Reads(result) => result,
            Effect::Allocates(zeroed) => {
                let id = world.objects.id(Object::Heap(at.0, at.1), None);
                after.memory.allocate(id, zeroed, &mut world);
                let address = Value::address(id, bits, 0);
                after.set(at.1, self.made(address, bits));
                return vec![after];
            }
            Effect::Reallocates => {
                let id = world.objects.id(Object::Heap(at.0, at.1), None);
                // What the old one points to, the new one may point to.
                match values.first() {
                    Some(Value::Pointers(old)) => {
                        for &old in old.targets.keys() {
                            after.memory.escape_content(old, &mut world);
                        }
                    }
                    Some(Value::Num(num)) if !crate::value::may_be_address(num) => {}
                    _ => after.memory.havoc(&mut world),
                }
                after.memory.allocate(id, false, &mut world);
                let address = Value::address(id, bits, 0);
                after.memory.forget(&address, None, &mut world);
                after.set(at.1, self.made(address, bits));
                return vec![after];
            }
            Effect::OwnNumber => {
                // Functions are never written to: all calls return one object, of which nothing is known.
                let named = self.program.externs.iter();
                let own = named.into_iter().find(|(_, known)| known.name == name);
                let Some((own, _)) = own else {
                    return self.unknown(item, at, args, state);
                };
                let id = world.objects.id(Object::Extern(own), None);
                world.objects.escape(id);
                after.set(at.1, Value::address(id, bits, 0));
                return vec![after];
            }
            Effect::Parses => {
                if let Some(text) = values.first() {
                    text.escape(world.objects);
                }
                if let Some(end) = values.get(1) {
                    after.memory.forget(end, None, &mut world);
                }
                outside::Result::Number
            }
            Effect::Keeps | Effect::Unknown => return self.unknown(item, at, args, state),
        };
        if *ty != Type::Void {
            let first = values.first().cloned().unwrap_or(Value::Any);
            let anywhere = || match first.plus(&Num::any(bits)) {
                Value::Num(_) => Value::Any,
                other => other,
            };
            let value = match (result, width(self.program, ty)) {
                (outside::Result::Number, Some(width)) => Value::Num(Num::any(width)),
                (outside::Result::Number, None) => anything(self.program, ty),
                (outside::Result::First, _) => first,
                (outside::Result::FirstOrNull, _) => first.or_null(bits),
                (outside::Result::Within, _) => anywhere().or_null(bits),
                (outside::Result::Outside, _) => Value::Any,
            };
            after.set(at.1, value);
        }
        vec![after]
    }

    /// The address that an allocation returns.
    fn made(&self, address: Value, bits: u32) -> Value {
        match self.config.told.lucky {
            true => address,
            false => address.or_null(bits),
        }
    }

    /// A function returns.
    pub(super) fn come_back(
        &mut self,
        item: &Item,
        id: FuncId,
        state: &State,
        value: Option<Value>,
    ) {
        let mut state = state.clone();
        let unchanged = state
            .relations
            .unchanged(|place| self.cells.get(place).copied());
        let function = &self.program.functions[id];
        // A local object that was there when the function was entered is that of an outer call of it.
        let entries = self.states.get(&(item.context.0, Function::ENTRY));
        let blocks = function.blocks.keys().filter(|_| !self.config.flat);
        for block in blocks {
            for (local, inst) in function.insts(block) {
                if matches!(inst.op, Op::Alloca { .. }) {
                    let object = self.objects.id(Object::Local(id, local), None);
                    let mut entries = entries.into_iter().flat_map(|entries| entries.values());
                    if !entries.any(|entry| entry.state.memory.is_made(object)) {
                        state.memory.end(object);
                    }
                }
            }
        }
        state.env = crate::map::Map::default();
        if self.config.flat {
            state.memory = Memory::default();
        }
        let name = self.key(item.context.0, Function::ENTRY, &state);
        let name = match self.config.partition && self.facts(id).returns_codes {
            true => name
                .iter()
                .copied()
                .chain([value.as_ref().and_then(Value::as_constant)])
                .collect(),
            false => name,
        };
        let name = match self.contexts[item.context.0].exits.len() < self.config.states {
            true => name,
            // One exit for all that come too late.
            false if self.contexts[item.context.0].exits.contains_key(&name) => name,
            false => Rc::default(),
        };
        let thresholds = &self.thresholds;
        let mut world = World {
            program: self.program,
            objects: &mut self.objects,
        };
        let context = &mut self.contexts[item.context.0];
        let changed = match context.exits.get_mut(&name) {
            None => {
                context.exits.insert(
                    name,
                    Exit {
                        memory: state.memory,
                        value,
                        unchanged,
                        visits: 0,
                    },
                );
                true
            }
            Some(exit) => {
                let visits = if context.shared { exit.visits } else { 0 };
                let mut join = joining(visits, thresholds);
                let memory = exit.memory.merged(&state.memory, &mut world, &mut join);
                let joined = match (&exit.value, &value) {
                    (Some(a), Some(b)) => Some(join(a, b, world.objects)),
                    _ => None,
                };
                let both = &exit.unchanged & &unchanged;
                let changed = memory.is_some() || joined != exit.value || both != exit.unchanged;
                exit.unchanged = both;
                if let Some(memory) = memory {
                    exit.memory = memory;
                }
                exit.value = joined;
                exit.visits += u32::from(changed);
                changed
            }
        };
        if changed {
            let callers = context.callers.iter().cloned();
            self.work.extend(callers.collect::<Vec<_>>());
        }
    }
}

/// Variables of the C library may be written by their names.
fn forget_variables(function: &Function, after: &mut State, world: &mut World<'_>) {
    for (global, data) in world.program.globals.iter() {
        if outside::is_of_library(data) {
            let own = Operand::Const(Const::Global { global, offset: 0 });
            let own = after.value(function, &own, world);
            after.memory.forget(&own, None, world);
        }
    }
}

/// Whether a function prints by a format that writes to none of its arguments.
fn prints_only(name: &str, values: &[Value], world: &World<'_>) -> bool {
    let format = outside::format(name).and_then(|at| values.get(at));
    let Some(Value::Pointers(pointers)) = format else {
        return false;
    };
    let Some((id, 0)) = pointers.only() else {
        return false;
    };
    let Object::Global(global) = world.objects.object(id) else {
        return false;
    };
    let known = &world.program.globals[global];
    let init = known.init.as_ref().filter(|_| known.constant);
    init.is_some_and(|init| init.unknown.is_empty() && !outside::counts(&init.bytes))
}
