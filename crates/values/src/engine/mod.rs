//! The fixpoint: states at the entries of blocks, in contexts, told apart by what variables the program dispatches on.
//!
//! A context is a function with the chain of calls that led to it, and what told states apart there; a function that is in its own
//! chain, or too deep, has one context for all its callers. At the entry of a block there is one state for each
//! combination of values of the *selectors* (trace partitioning, Rival and Mauborgne, TOPLAS 2007).
//!
//! Must hold: when [`Engine::run`] says that it is complete, what every run of the program does is in the states.

mod calls;
mod contexts;
mod flat;
#[cfg(test)]
mod inspect;
mod picture;
mod standing;
mod watch;
mod ways;

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use program::callgraph::CallGraph;
use program::{
    BlockId, Callee, EdgeId, FuncId, Function, Op, Program, SecondaryMap, SiteId, ValueId, entity,
};

use crate::choose;
use crate::facts::{AllFacts, FunctionFacts};
use crate::memory::{Memory, World};
use crate::object::{Object, ObjectId, Objects};
use crate::relations;
use crate::state::{State, anything};
use crate::step::{Read, Step, Stored};
use crate::value::Value;
use crate::{Told, Watched};
pub use picture::MostDrawn;
use program::outside::{Effect, Outside};

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
    /// There is one memory for the whole program.
    pub flat: bool,
    /// Functions that run without a call that is followed, with anything.
    pub anytime: Vec<FuncId>,
    /// Code that is not followed runs from the start, and knows the program's variables.
    pub foreign: bool,
    /// Floating-point arithmetic is followed.
    pub floats: bool,
    /// What is known of the world.
    pub told: Rc<Told>,
    /// Somebody has lost patience: no pass comes to its end any more.
    pub stop: Arc<AtomicBool>,
    /// States are told apart by selectors.
    pub partition: bool,
    /// Places in memory that states are told apart by, the most telling first.
    pub places: Vec<Place>,
    /// The first so many of them are switched over: they tell states apart before a function's own variables do, the others after.
    pub dispatched: usize,
}

impl Config {
    /// Each function once for all its callers, and nothing told apart.
    #[must_use]
    pub fn coarsest() -> Config {
        Config {
            depth: 0,
            contexts: 0,
            states: 1,
            flat: false,
            anytime: Vec::new(),
            foreign: false,
            floats: false,
            told: Rc::default(),
            stop: Arc::default(),
            partition: false,
            places: Vec::new(),
            dispatched: 0,
        }
    }
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
    /// Cells that hold what they held when the function was entered.
    unchanged: BTreeSet<relations::Place>,
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
    /// It is switched over.
    pub switched: bool,
}

/// The fixed-point computation over the program: states at program points, by function context.
pub struct Engine<'a> {
    program: &'a Program,
    outside: Outside,
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
    /// Numbers of cells whose contents at the entry of functions are spoken of.
    cells: BTreeMap<relations::Place, u32>,
    flat: flat::Flat,
    pub taken: SecondaryMap<EdgeId, bool>,
    pub entered: BTreeSet<(FuncId, BlockId)>,
    /// What the sides of comparisons were at each site.
    pub seen: BTreeMap<SiteId, Value>,
    pub uses: BTreeMap<(Place, bool), Use>,
    /// Instructions that may trap, and calls of functions without a body that need not come back.
    pub risky: BTreeSet<(FuncId, ValueId)>,
    /// What variables are where they are looked at.
    pub watched: BTreeMap<String, Watched>,
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
            outside: Outside::of(program),
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
            cells: BTreeMap::new(),
            flat: flat::Flat::default(),
            taken: SecondaryMap::for_map(&program.edges, false),
            entered: BTreeSet::new(),
            seen: BTreeMap::new(),
            uses: BTreeMap::new(),
            risky: BTreeSet::new(),
            watched: BTreeMap::new(),
        }
    }

    /// Follows the program from the entry of a function, in so many steps at most: how many blocks it went through, or `None` when
    /// that was not enough.
    pub fn run(&mut self, root: FuncId, most: u64) -> Option<u64> {
        self.begin(root)?;
        self.go_on(most)
    }

    /// Enters the program; `None` where it cannot be entered.
    pub fn begin(&mut self, root: FuncId) -> Option<()> {
        if self.config.flat {
            self.objects.be_flat();
        }
        let mut world = World {
            program: self.program,
            objects: &mut self.objects,
        };
        let memory = Memory::initial(&mut world);
        self.flat.ground = memory.clone();
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
        self.enter_outside();
        Some(())
    }

    /// Follows what was entered, in so many further steps at most. After `None` it can go on where it was.
    pub fn go_on(&mut self, most: u64) -> Option<u64> {
        let mut steps = 0;
        while steps < most && !self.config.stop.load(Ordering::Relaxed) {
            let Some(item) = self.work.pop_first() else {
                return Some(steps);
            };
            steps += 1;
            self.process(&item);
        }
        self.work.is_empty().then_some(steps)
    }

    fn facts(&mut self, function: FuncId) -> Rc<FunctionFacts> {
        self.facts.of(self.program, function)
    }

    fn enter(&mut self, context: ContextId, state: State) {
        self.arrive(context, Function::ENTRY, state);
    }

    /// A state comes to the entry of a block.
    fn arrive(&mut self, context: ContextId, block: BlockId, mut state: State) {
        if self.config.flat {
            state.memory = Memory::default();
        }
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
        let level = coarser(entries.keys(), level.min(longest), self.config.states / 2);
        self.levels.insert((context, block), level);
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
        if self.config.flat {
            live[0].0.memory = self.flat.ground.clone();
        }
        for (value, inst) in function.insts(block) {
            if matches!(inst.op, Op::Phi { .. }) {
                continue;
            }
            let mut next = Vec::new();
            for (mut state, mut reads) in live {
                if let Op::Call { callee, args, .. } = &inst.op {
                    let is_known = self.is_known_outside(callee);
                    let is_followed = matches!(callee, Callee::Direct(_));
                    for mut after in self.call(item, (id, value), (callee, args), &state) {
                        let keeps = |id| is_known && state.memory.has_same(&after.memory, id);
                        // A function that is followed says itself which cells it leaves as they are.
                        after
                            .relations
                            .keep_cells(|(id, ..)| is_followed || keeps(*id));
                        next.push((after, Vec::new()));
                    }
                    continue;
                }
                let before = state.memory.clone();
                if self.instruction((id, value), &inst.op, &mut state, &mut reads) {
                    if !matches!(inst.op, Op::Store { .. }) && !before.is_same(&state.memory) {
                        let memory = &state.memory;
                        let relations = &mut state.relations;
                        relations.keep_cells(|(id, ..)| before.has_same(memory, *id));
                    }
                    next.push((state, reads));
                }
            }
            if self.config.flat && has_effects(&inst.op) {
                for (state, _) in &mut next {
                    self.absorb(item, state);
                }
            }
            live = self.fewer(context, block, next);
            if live.is_empty() {
                self.settle(item);
                return;
            }
        }
        for (state, reads) in &mut live {
            if self.config.flat {
                reads.clear();
                self.absorb(item, state);
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
        if let Op::Count {
            step,
            site: Some(site),
            ..
        } = op
        {
            self.count(*site, function, state, step.as_ref());
        }
        let mut stored: Vec<Stored> = Vec::new();
        let before = reads.len();
        let mut risky = false;
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
            risky: &mut risky,
            floats: self.config.floats,
        }
        .run(value, op);
        if risky {
            self.risky.insert((id, value));
        }
        let facts = self.facts(id);
        let compared = facts.compared.contains(&value);
        if let Some(read) = reads.get(before).filter(|_| compared) {
            let place = self.place(read.object, read.offset, read.size);
            let known = self.uses.entry((place, true)).or_default();
            known.compared += 1;
            known.switched |= facts.switched.contains(&value);
        }
        for store in stored {
            let place = self.place(store.object, store.offset, store.size);
            let values = store.value.codes(choose::MOST_NUMBERS);
            let known = self.uses.entry((place, false)).or_insert_with(|| Use {
                stored: Some(BTreeSet::new()),
                ..Use::default()
            });
            known.stored = known.stored.take().zip(values).map(|(mut all, values)| {
                all.extend(values);
                all
            });
        }
        goes_on
    }

    /// Whether a call runs no code of the program: what it writes is seen in the memory behind it. (Where paths meet, memory may be as it
    /// was before although some of them wrote.)
    fn is_known_outside(&self, callee: &Callee) -> bool {
        match callee {
            Callee::Extern(known) => {
                let effect = self.outside.effect(&self.program.externs[*known].name);
                !matches!(effect, Effect::Keeps | Effect::Unknown)
            }
            Callee::Direct(_) | Callee::Indirect(_) | Callee::Asm(_) => false,
        }
    }

    fn place(&self, object: ObjectId, offset: u64, size: u64) -> Place {
        Place {
            object: self.objects.object(object),
            offset,
            size,
        }
    }
}

/// Whether an instruction may write to memory, or let objects escape that are then written to.
fn has_effects(op: &Op) -> bool {
    matches!(
        op,
        Op::Store { .. }
            | Op::Mem { .. }
            | Op::Call { .. }
            | Op::Alloca { .. }
            | Op::Opaque { .. }
            | Op::Intrinsic { .. }
    )
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

/// The most selectors, fewer than so many, that tell no more than `most` states apart.
fn coarser<'k>(keys: impl Iterator<Item = &'k Key> + Clone, level: usize, most: usize) -> usize {
    let states = |level: usize| {
        let kept = keys.clone().map(|key| &key[..level.min(key.len())]);
        kept.collect::<BTreeSet<_>>().len()
    };
    let fewer = (0..level).rev();
    fewer
        .into_iter()
        .find(|level| states(*level) <= most)
        .unwrap_or(0)
}
