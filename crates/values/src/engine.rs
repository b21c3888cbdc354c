//! The fixpoint: states at the entries of blocks, in contexts, told apart by what variables the program dispatches on.
//!
//! A context is a function with the chain of calls that led to it, and what told states apart there; a function that is in its own
//! chain, or too deep, has one context for all its callers. At the entry of a block there is one state for each
//! combination of values of the *selectors* (trace partitioning, Rival and Mauborgne, TOPLAS 2007).
//!
//! Must hold: when [`Engine::run`] says that it is complete, what every run of the program does is in the states.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use program::callgraph::CallGraph;
use program::{
    BlockId, Callee, EdgeId, FuncId, Function, ICmp, Op, Operand, Program, SecondaryMap, SiteId,
    Target, Terminator, Type, ValueId, entity,
};

use crate::facts::{AllFacts, FunctionFacts};
use crate::memory::{Memory, World};
use crate::num::Num;
use crate::object::{Object, ObjectId, Objects};
use crate::outside::{self, Effect};
use crate::refine::narrow;
use crate::state::{State, anything, key, width};
use crate::step::{Read, Step, Stored};
use crate::value::Value;

entity!(
    /// A function with the calls that led to it.
    ContextId, "context"
);

/// What told states apart: a number for each selector that has one value.
pub type Key = Rc<[Option<u128>]>;

/// A call in a context, and what told states apart there.
type Caller = (ContextId, ValueId, Key);

/// A place in memory that states are told apart by.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Place {
    pub object: Object,
    pub offset: u64,
    pub size: u64,
}

/// What the analysis may spend, and how fine it is.
#[derive(Clone, Debug)]
pub struct Config {
    /// Calls in a chain.
    pub depth: usize,
    /// Contexts in all.
    pub contexts: usize,
    /// States at one block of one context.
    pub states: usize,
    /// States are told apart by selectors.
    pub partition: bool,
    /// Places in memory that states are told apart by, the most telling first.
    pub places: Vec<Place>,
}

struct Context {
    function: FuncId,
    parent: Option<(ContextId, Key)>,
    depth: usize,
    /// It has several callers: what comes in and goes out is widened.
    shared: bool,
    exits: BTreeMap<Key, Exit>,
    callers: BTreeSet<Item>,
}

#[derive(Clone)]
struct Exit {
    memory: Memory,
    value: Option<Value>,
    visits: u32,
}

#[derive(Clone)]
struct Entry {
    state: State,
    visits: u32,
}

/// Where work is to be done: deepest calls first, called before calling functions, then in the order of the function's blocks.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Item {
    depth: Reverse<usize>,
    context: Reverse<ContextId>,
    order: u32,
    key: Key,
}

/// What is known of a place after all runs.
#[derive(Clone, Debug, Default)]
pub struct Use {
    /// Numbers that were stored there, each a list; `None` when anything else was.
    pub stored: Option<BTreeSet<u128>>,
    pub compared: u32,
}

/// The fixed-point computation over the program: states at program points, by function context.
pub struct Engine<'a> {
    program: &'a Program,
    config: Config,
    thresholds: Vec<i128>,
    pub objects: Objects,
    facts: AllFacts,
    calls: &'a CallGraph,
    contexts: program::PrimaryMap<ContextId, Context>,
    by_parent: BTreeMap<(FuncId, Option<Caller>), ContextId>,
    states: BTreeMap<(ContextId, BlockId), BTreeMap<Key, Entry>>,
    /// How many selectors tell states apart where they became too many.
    levels: BTreeMap<(ContextId, BlockId), usize>,
    work: BTreeSet<Item>,
    places: Rc<[(ObjectId, u64, u64)]>,
    pub taken: SecondaryMap<EdgeId, bool>,
    pub entered: BTreeSet<(FuncId, BlockId)>,
    /// What the sides of comparisons were at each site.
    pub seen: BTreeMap<SiteId, Value>,
    pub uses: BTreeMap<(Place, bool), Use>,
}

impl<'a> Engine<'a> {
    pub fn new(
        program: &'a Program,
        calls: &'a CallGraph,
        thresholds: Vec<i128>,
        config: Config,
        mut objects: Objects,
    ) -> Engine<'a> {
        let places = config.places.iter();
        let places = places
            .map(|place| {
                let size = match place.object {
                    Object::Global(global) => Some(program.globals[global].size),
                    _ => None,
                };
                (objects.id(place.object, size), place.offset, place.size)
            })
            .collect();
        Engine {
            program,
            config,
            thresholds,
            objects,
            facts: AllFacts::default(),
            calls,
            contexts: program::PrimaryMap::new(),
            by_parent: BTreeMap::new(),
            states: BTreeMap::new(),
            levels: BTreeMap::new(),
            work: BTreeSet::new(),
            places,
            taken: SecondaryMap::for_map(&program.edges, false),
            entered: BTreeSet::new(),
            seen: BTreeMap::new(),
            uses: BTreeMap::new(),
        }
    }

    /// Follows the program from the entry of a function, in so many steps at most: how many blocks it went through, or `None` when
    /// that was not enough.
    pub fn run(&mut self, root: FuncId, most: u64) -> Option<u64> {
        let mut world = World {
            program: self.program,
            objects: &mut self.objects,
        };
        let memory = Memory::initial(&mut world);
        let mut state = State {
            memory,
            ..State::default()
        };
        let function = &self.program.functions[root];
        for &param in &function.params {
            state.set(param, anything(self.program, &function.values[param].ty));
        }
        let context = self.context(root, None)?;
        self.enter(context, state);
        let mut steps = 0;
        while let Some(item) = self.work.pop_first() {
            if steps == most {
                return None;
            }
            steps += 1;
            self.process(&item);
        }
        Some(steps)
    }

    fn facts(&mut self, function: FuncId) -> Rc<FunctionFacts> {
        self.facts.of(self.program, function)
    }

    /// The context of a function that is called somewhere.
    fn context(&mut self, function: FuncId, from: Option<Caller>) -> Option<ContextId> {
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

    fn is_in_chain(&self, from: ContextId, function: FuncId) -> bool {
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

    fn enter(&mut self, context: ContextId, state: State) {
        self.arrive(context, Function::ENTRY, state);
    }

    /// What tells a state apart at a block.
    fn key(&mut self, context: ContextId, block: BlockId, state: &State) -> Key {
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
            value.as_constant()
        });
        let mut all: Vec<Option<u128>> = in_memory.collect();
        let variables = facts.selectors.iter();
        all.extend(variables.map(|value| state.env.get(key(*value))?.as_constant()));
        for (at, known) in all.iter_mut().enumerate() {
            if at >= level {
                *known = None;
            }
        }
        all.into()
    }

    /// A state comes to the entry of a block.
    fn arrive(&mut self, context: ContextId, block: BlockId, state: State) {
        let name = self.key(context, block, &state);
        let facts = self.facts(self.contexts[context].function);
        let Some(order) = facts.order[block] else {
            return;
        };
        let is_shared = self.contexts[context].shared;
        let widens = facts.heads.contains(&block) || (is_shared && block == Function::ENTRY);
        let thresholds = &self.thresholds;
        let mut world = World {
            program: self.program,
            objects: &mut self.objects,
        };
        let entries = self.states.entry((context, block)).or_default();
        let changed = match entries.get_mut(&name) {
            None => {
                entries.insert(Rc::clone(&name), Entry { state, visits: 0 });
                true
            }
            Some(entry) => {
                let visits = if widens { entry.visits } else { 0 };
                let mut join = joining(visits, thresholds);
                match entry.state.merged(&state, &mut world, &mut join) {
                    None => false,
                    Some(merged) => {
                        entry.state = merged;
                        entry.visits += 1;
                        true
                    }
                }
            }
        };
        if !changed {
            return;
        }
        if entries.len() > self.config.states {
            self.coarsen(context, block, order);
            return;
        }
        self.push(context, order, name);
    }

    fn push(&mut self, context: ContextId, order: u32, key: Key) {
        let depth = Reverse(self.contexts[context].depth);
        self.work.insert(Item {
            depth,
            context: Reverse(context),
            order,
            key,
        });
    }

    /// There are too many states at a block: fewer selectors tell them apart.
    fn coarsen(&mut self, context: ContextId, block: BlockId, order: u32) {
        let entries = self.states.remove(&(context, block)).unwrap_or_default();
        let longest = entries.keys().map(|key| key.len()).max().unwrap_or(0);
        let level = self
            .levels
            .get(&(context, block))
            .copied()
            .unwrap_or(longest);
        self.levels.insert((context, block), level.min(longest) / 2);
        let depth = Reverse(self.contexts[context].depth);
        for (key, entry) in entries {
            self.work.remove(&Item {
                depth,
                context: Reverse(context),
                order,
                key,
            });
            self.arrive(context, block, entry.state);
        }
    }

    fn process(&mut self, item: &Item) {
        let context = item.context.0;
        let id = self.contexts[context].function;
        let function = &self.program.functions[id];
        let facts = self.facts(id);
        let block = facts.blocks[item.order as usize];
        let entries = self.states.get(&(context, block));
        let Some(entry) = entries.and_then(|entries| entries.get(&item.key)) else {
            return;
        };
        self.entered.insert((id, block));
        let mut live = vec![(entry.state.clone(), Vec::new())];
        for (value, inst) in function.insts(block) {
            if matches!(inst.op, Op::Phi { .. }) {
                continue;
            }
            let mut next = Vec::new();
            for (mut state, mut reads) in live {
                if let Op::Call { callee, args, .. } = &inst.op {
                    let after = self.call(item, (id, value), (callee, args), &state);
                    next.extend(after.into_iter().map(|state| (state, Vec::new())));
                    continue;
                }
                if self.instruction((id, value), &inst.op, &mut state, &mut reads) {
                    next.push((state, reads));
                }
            }
            live = self.fewer(context, block, next);
            if live.is_empty() {
                return;
            }
        }
        for (state, reads) in live {
            self.leave(item, block, &state, &reads);
        }
    }

    /// States that nothing tells apart are joined, where there are many.
    fn fewer(
        &mut self,
        context: ContextId,
        block: BlockId,
        states: Vec<(State, Vec<Read>)>,
    ) -> Vec<(State, Vec<Read>)> {
        if states.len() < 2 {
            return states;
        }
        let mut found: BTreeMap<Key, (State, Vec<Read>)> = BTreeMap::new();
        for (state, reads) in states {
            let name = self.key(context, block, &state);
            let mut world = World {
                program: self.program,
                objects: &mut self.objects,
            };
            match found.get_mut(&name) {
                None => {
                    found.insert(name, (state, reads));
                }
                Some((known, own)) => {
                    own.clear();
                    let mut join = |a: &Value, b: &Value, objects: &mut Objects| a.join(b, objects);
                    if let Some(merged) = known.merged(&state, &mut world, &mut join) {
                        *known = merged;
                    }
                }
            }
        }
        found.into_values().collect()
    }

    fn instruction(
        &mut self,
        (id, value): (FuncId, ValueId),
        op: &'a Op,
        state: &mut State,
        reads: &mut Vec<Read>,
    ) -> bool {
        let function = &self.program.functions[id];
        let mut stored: Vec<Stored> = Vec::new();
        let before = reads.len();
        let mut world = World {
            program: self.program,
            objects: &mut self.objects,
        };
        let goes_on = Step {
            id,
            function,
            state,
            world: &mut world,
            reads,
            stored: &mut stored,
        }
        .run(value, op);
        let compared = self.facts(id).compared.contains(&value);
        if let Some(read) = reads.get(before).filter(|_| compared) {
            let place = self.place(read.object, read.offset, read.size);
            self.uses.entry((place, true)).or_default().compared += 1;
        }
        for store in stored {
            let place = self.place(store.object, store.offset, store.size);
            let values = match &store.value {
                Value::Num(num) => num.values().map(<[u128]>::to_vec),
                _ => None,
            };
            let known = self.uses.entry((place, false)).or_insert_with(|| Use {
                stored: Some(BTreeSet::new()),
                compared: 0,
            });
            known.stored = known.stored.take().zip(values).map(|(mut all, values)| {
                all.extend(values);
                all
            });
        }
        goes_on
    }

    fn place(&self, object: ObjectId, offset: u64, size: u64) -> Place {
        Place {
            object: self.objects.object(object),
            offset,
            size,
        }
    }

    /// The states behind a call.
    fn call(
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

    fn indirect(
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
            Value::Pointers(pointers) => {
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
    fn enter_function(
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
        self.enter(context, entry);
        self.contexts[context].callers.insert(item.clone());
        let exits: Vec<Exit> = self.contexts[context].exits.values().cloned().collect();
        let fits = own == callee.return_type;
        exits
            .into_iter()
            .map(|exit| {
                let mut after = State {
                    env: state.env.clone(),
                    memory: exit.memory,
                };
                if own != Type::Void {
                    let known = exit.value.filter(|_| fits);
                    after.set(value, known.unwrap_or_else(|| anything(self.program, &own)));
                }
                after
            })
            .collect()
    }

    fn block_of(&mut self, item: &Item) -> BlockId {
        let function = self.contexts[item.context.0].function;
        self.facts(function).blocks[item.order as usize]
    }

    /// Code that is not followed is called: it may write to what has escaped, and call what has escaped.
    fn unknown(
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
        if *ty != Type::Void {
            after.set(at.1, anything(self.program, ty));
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
    fn outside(
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
        let bits = world.pointer_bits();
        let is_text =
            matches!(name, "printf" | "fprintf" | "dprintf") && prints_only(&values, &world);
        let result = match outside::effect(name) {
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
                for value in &values {
                    if matches!(value, Value::Pointers(_) | Value::Any) {
                        after.memory.forget(value, None, &mut world);
                    }
                }
                result
            }
            Effect::Reads(result) => result,
            Effect::Allocates(zeroed) => {
                let id = world.objects.id(Object::Heap(at.0, at.1), None);
                after.memory.allocate(id, zeroed, &mut world);
                after.set(at.1, Value::address(id, bits, 0).or_null(bits));
                return vec![after];
            }
            Effect::Unknown => return self.unknown(item, at, args, state),
        };
        if *ty != Type::Void {
            let first = values.first().cloned().unwrap_or(Value::Any);
            let anywhere = || match first.plus(&Num::any(bits)) {
                Value::Num(_) => Value::Any,
                other => other,
            };
            let value = match (result, width(self.program, ty)) {
                (outside::Result::Number, Some(width)) => Value::Num(Num::any(width)),
                (outside::Result::Number, None) => Value::Any,
                (outside::Result::First, _) => first,
                (outside::Result::FirstOrNull, _) => first.or_null(bits),
                (outside::Result::Within, _) => anywhere().or_null(bits),
            };
            after.set(at.1, value);
        }
        vec![after]
    }

    /// The ways out of a block.
    fn leave(&mut self, item: &Item, block: BlockId, state: &State, reads: &[Read]) {
        let id = self.contexts[item.context.0].function;
        let function = &self.program.functions[id];
        match &function.blocks[block].terminator {
            Terminator::Br { target } => self.go(item, block, *target, state.clone()),
            Terminator::CondBr {
                cond,
                then,
                els,
                site,
            } => {
                self.note(*site, function, state, cond);
                for (side, target) in [(0, els), (1, then)] {
                    let wanted = (ICmp::Eq, Num::constant(1, side));
                    self.branch(
                        item,
                        (block, *target),
                        state.clone(),
                        reads,
                        (cond, wanted),
                        self.program.edge(*site, side as u32),
                    );
                }
            }
            Terminator::Switch {
                value,
                cases,
                default,
                site,
            } => {
                self.note(*site, function, state, value);
                let bits = width(self.program, &function.operand_type(value)).unwrap_or(32);
                let mut rest = Some(state.clone());
                for (side, (case, target)) in cases.iter().enumerate() {
                    let case = Num::constant(bits, *case);
                    let edge = self.program.edge(*site, side as u32);
                    let Some(left) = &rest else { break };
                    self.branch(
                        item,
                        (block, *target),
                        left.clone(),
                        reads,
                        (value, (ICmp::Eq, case.clone())),
                        edge,
                    );
                    let mut other = left.clone();
                    let mut world = World {
                        program: self.program,
                        objects: &mut self.objects,
                    };
                    let goes_on = narrow(
                        function,
                        &mut other,
                        &mut world,
                        reads,
                        value,
                        &(ICmp::Ne, case),
                    );
                    rest = goes_on.then_some(other);
                }
                if let Some(left) = rest {
                    let edge = self.program.edge(*site, cases.len() as u32);
                    self.taken[edge] = true;
                    self.go(item, block, *default, left);
                }
            }
            Terminator::Ret { value } => {
                let mut world = World {
                    program: self.program,
                    objects: &mut self.objects,
                };
                let value = value
                    .as_ref()
                    .map(|value| state.value(function, value, &mut world));
                self.come_back(item, id, state, value);
            }
            Terminator::Unreachable => {}
            Terminator::IndirectBr { targets, .. } => {
                for target in targets {
                    self.go(item, block, *target, state.clone());
                }
            }
            Terminator::Opaque { args, targets, .. } => {
                for after in self.unknown(item, (id, ValueId::from_u32(0)), args, state) {
                    for target in targets {
                        let mut state = after.clone();
                        state.env = crate::map::Map::default();
                        self.go(item, block, *target, state);
                    }
                }
            }
        }
    }

    fn branch(
        &mut self,
        item: &Item,
        (block, target): (BlockId, BlockId),
        mut state: State,
        reads: &[Read],
        (operand, wanted): (&Operand, (ICmp, Num)),
        edge: EdgeId,
    ) {
        let function = &self.program.functions[self.contexts[item.context.0].function];
        let mut world = World {
            program: self.program,
            objects: &mut self.objects,
        };
        if narrow(function, &mut state, &mut world, reads, operand, &wanted) {
            self.taken[edge] = true;
            self.go(item, block, target, state);
        }
    }

    /// Keeps what was looked at, for the reasons.
    fn note(&mut self, site: SiteId, function: &Function, state: &State, operand: &Operand) {
        let mut world = World {
            program: self.program,
            objects: &mut self.objects,
        };
        let compared = operand
            .value()
            .and_then(|value| match &function.inst(value)?.op {
                Op::ICmp { lhs, rhs, .. } if rhs.constant().is_some() => Some(lhs.clone()),
                Op::ICmp { lhs, rhs, .. } if lhs.constant().is_some() => Some(rhs.clone()),
                _ => None,
            });
        let value = state.value(
            function,
            &compared.unwrap_or_else(|| operand.clone()),
            &mut world,
        );
        match self.seen.get_mut(&site) {
            None => {
                self.seen.insert(site, value);
            }
            Some(known) => *known = known.join(&value, world.objects),
        }
    }

    /// Control goes to another block of the function.
    fn go(&mut self, item: &Item, from: BlockId, to: BlockId, mut state: State) {
        let id = self.contexts[item.context.0].function;
        let function = &self.program.functions[id];
        let mut world = World {
            program: self.program,
            objects: &mut self.objects,
        };
        let mut phis = Vec::new();
        for (value, inst) in function.insts(to) {
            let Op::Phi { incoming } = &inst.op else {
                break;
            };
            let flows = incoming.iter().find(|(block, _)| *block == from);
            let known = match flows {
                Some((_, operand)) => state.value(function, operand, &mut world),
                None => Value::Any,
            };
            phis.push((value, known));
        }
        for (value, known) in phis {
            state.set(value, known);
        }
        let facts = self.facts(id);
        let live = &facts.live[to];
        state.env.retain(|key, _| {
            u32::try_from(key).is_ok_and(|key| live.binary_search(&ValueId::from_u32(key)).is_ok())
        });
        self.arrive(item.context.0, to, state);
    }

    /// A function returns.
    fn come_back(&mut self, item: &Item, id: FuncId, state: &State, value: Option<Value>) {
        let mut state = state.clone();
        let function = &self.program.functions[id];
        for block in function.blocks.keys() {
            for (local, inst) in function.insts(block) {
                if matches!(inst.op, Op::Alloca { .. }) {
                    let object = self.objects.id(Object::Local(id, local), None);
                    state.memory.end(object);
                }
            }
        }
        state.env = crate::map::Map::default();
        let name = self.key(item.context.0, Function::ENTRY, &state);
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
                let changed = memory.is_some() || joined != exit.value;
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

/// How states are joined where control has come so often: as they are, then widened to the program's constants, then to the ends of
/// the width.
fn joining(visits: u32, thresholds: &[i128]) -> impl FnMut(&Value, &Value, &mut Objects) -> Value {
    const EXACT: u32 = 3;
    const CONSTANTS: u32 = 24;
    let thresholds = if visits < CONSTANTS { thresholds } else { &[] };
    move |a, b, objects| match visits < EXACT {
        true => a.join(b, objects),
        false => a.widen(b, objects, thresholds),
    }
}

/// Whether a format writes to none of its arguments.
fn prints_only(values: &[Value], world: &World<'_>) -> bool {
    values.iter().take(3).any(|value| {
        let Value::Pointers(pointers) = value else {
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
        init.is_some_and(|init| {
            !init.bytes.windows(2).any(|two| two == b"%n") && init.bytes.contains(&b'%')
        })
    })
}
