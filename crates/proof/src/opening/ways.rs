//! Ways that runs may take: how they part where nothing is known, and meet again.
//!
//! Ways in one call are followed in the order of its blocks, loops before what comes behind them, so that most have come to a block
//! before any goes on from there. Where a loop has no end that is known, what differs between its turns is not known from the fourth on.

use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use program::callgraph::CallSite;
use program::cfg::Cfg;
use program::dom::Dominators;
use program::regions::Region;
use program::{BlockId, EdgeId, FuncId, Function, GlobalId, Op, Operand, ValueId};
use program::{getopt, outside};
use semantics::{Symbol, Value};

use super::memory::Kind;
use super::{Next, Opening, State};
use crate::closed::writes::Writes;

/// Times that a decision is come to while other ways wait for it, before what differs is forgotten.
const TURNS: u32 = 3;
/// The same where no other way waits: something that is known decides how often it is come to, or the others end.
const ALONE: u32 = 300;

/// What was known where a decision was come to.
#[derive(Default)]
pub struct Seen {
    /// Since when ways wait for one another, and how often it was come to since, and in all.
    since: u64,
    turns: u32,
    all: u32,
    /// And how many objects there were when it was first looked at.
    state: Option<(State, u32)>,
}

/// The blocks of a function.
pub struct Shape {
    /// By blocks: their order, loops before what comes behind them.
    order: Vec<u32>,
    /// Blocks that are come to by several edges.
    joins: BTreeSet<BlockId>,
}

impl Shape {
    fn of(function: &Function) -> Shape {
        let cfg = Cfg::new(function);
        let doms = Dominators::new(&cfg);
        let mut depth = vec![0_u32; cfg.blocks().len()];
        for (from, header) in cfg.back_edges() {
            if !doms.dominates(header, from) {
                continue;
            }
            let (mut inside, mut work) = (BTreeSet::from([header]), vec![from]);
            while let Some(block) = work.pop() {
                if inside.insert(block) {
                    work.extend(cfg.predecessors(block).filter(|it| cfg.is_reachable(*it)));
                }
            }
            for block in inside {
                depth[block.index()] += 1;
            }
        }
        // Depth first, ways out of loops first: what is done last comes first.
        let mut done = Vec::new();
        let mut met = vec![false; depth.len()];
        let ways = |block: BlockId| {
            let mut ways: Vec<BlockId> = cfg.successors(block).collect();
            ways.sort_by_key(|it| std::cmp::Reverse(depth[it.index()]));
            ways
        };
        let mut stack = vec![(Function::ENTRY, ways(Function::ENTRY))];
        met[Function::ENTRY.index()] = true;
        while let Some((block, left)) = stack.last_mut() {
            match left.pop() {
                Some(next) if !met[next.index()] => {
                    met[next.index()] = true;
                    stack.push((next, ways(next)));
                }
                Some(_) => {}
                None => {
                    done.push(*block);
                    stack.pop();
                }
            }
        }
        let mut order = vec![0; depth.len()];
        for (at, block) in done.iter().rev().enumerate() {
            order[block.index()] = at as u32;
        }
        let joins = cfg.blocks().filter(|it| cfg.predecessors(*it).len() > 1);
        Shape {
            order,
            joins: joins.collect(),
        }
    }
}

/// What writes to where nobody knows.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Spoil {
    /// A function, and what it calls.
    Function(FuncId),
    /// What a call calls.
    Call(FuncId, ValueId),
    /// A value of a function is the address.
    Through(FuncId, ValueId),
}

/// What may happen where nobody knows.
pub struct Spoiled {
    writes: Writes,
    /// Variables that may be written.
    variables: Vec<u32>,
    /// Options may be looked for.
    scans: bool,
}

/// Where a way comes to.
pub enum Stop {
    /// Nowhere, or where another way has been that knew less.
    Gone,
    /// To where others may come: the beginning of a block, or behind its call.
    Meets(State),
    /// To a decision of which nothing is known.
    Parts(State, Vec<(Option<EdgeId>, BlockId)>),
}

/// The order of ways that have come back from their call.
const BACK: u32 = u32::MAX;

impl Opening<'_> {
    /// Follows a way until it is where others may meet it, in the call of so many that wait.
    pub(super) fn follow(&mut self, mut way: State, floor: usize) -> Stop {
        loop {
            self.steps += 1;
            let is_late = way.frames.last().is_none_or(|it| self.steps > it.latest);
            let next = match is_late {
                true => Next::Over,
                false => self.step(&mut way),
            };
            match next {
                Next::On => {}
                Next::End => return Stop::Gone,
                Next::Over => {
                    if !self.give_up(&mut way) {
                        return Stop::Gone;
                    }
                }
                Next::Fork(to) if way.frames.len() == floor => return Stop::Parts(way, to),
                Next::Fork(to) => match self.settle(way, to) {
                    Some(settled) => way = settled,
                    None => return Stop::Gone,
                },
            }
            if way.frames.len() < floor || way.frames.len() == floor && self.is_join(&way) {
                return Stop::Meets(way);
            }
        }
    }

    /// Follows all ways on from a decision until one is left.
    fn settle(&mut self, way: State, to: Vec<(Option<EdgeId>, BlockId)>) -> Option<State> {
        let (floor, since) = (way.frames.len(), self.steps);
        let mut waiting = BTreeMap::new();
        self.part(way, to, since, &mut waiting);
        loop {
            let (_, way) = waiting.pop_first()?;
            if waiting.is_empty() {
                return Some(way);
            }
            match self.follow(way, floor) {
                Stop::Gone => {}
                Stop::Meets(way) => self.wait(way, floor, &mut waiting),
                Stop::Parts(way, to) => self.part(way, to, since, &mut waiting),
            }
        }
    }

    /// A way goes on in all of some blocks.
    fn part(
        &mut self,
        mut way: State,
        to: Vec<(Option<EdgeId>, BlockId)>,
        since: u64,
        waiting: &mut BTreeMap<u32, State>,
    ) {
        let Some(frame) = way.frames.last() else {
            return;
        };
        let (place, floor) = ((frame.number, frame.block), way.frames.len());
        let mut seen = self.seen.remove(&place).unwrap_or_default();
        if seen.since != since {
            (seen.since, seen.turns) = (since, 0);
        }
        (seen.turns, seen.all) = (seen.turns + 1, seen.all + 1);
        let mut is_new = true;
        if seen.turns > TURNS || seen.all > ALONE {
            let (known, objects) = match seen.state.take() {
                Some((before, objects)) => {
                    let both = self.join(&before, way, Some(objects));
                    is_new = both != before;
                    (both, objects)
                }
                None => (way, self.objects.len() as u32),
            };
            seen.state = Some((known.clone(), objects));
            way = known;
        }
        self.seen.insert(place, seen);
        if !is_new {
            return;
        }
        for (edge, block) in to {
            let mut other = way.clone();
            self.go(&mut other, edge, block);
            self.wait(other, floor, waiting);
        }
    }

    /// A way waits for the others.
    fn wait(&mut self, way: State, floor: usize, waiting: &mut BTreeMap<u32, State>) {
        let order = match way.frames.last() {
            Some(frame) if way.frames.len() == floor => {
                let (function, block) = (frame.function, frame.block);
                self.shape(function).order[block.index()]
            }
            _ => BACK,
        };
        let way = match waiting.remove(&order) {
            Some(other) => self.join(&other, way, None),
            None => way,
        };
        waiting.insert(order, way);
    }

    fn shape(&mut self, function: FuncId) -> Rc<Shape> {
        let body = &self.program.functions[function];
        let shape = self.shapes.entry(function);
        Rc::clone(shape.or_insert_with(|| Rc::new(Shape::of(body))))
    }

    /// Is a way at the beginning of a block that others may come to?
    fn is_join(&mut self, way: &State) -> bool {
        let Some(frame) = way.frames.last().filter(|frame| frame.at == 0) else {
            return false;
        };
        let (function, block) = (frame.function, frame.block);
        self.shape(function).joins.contains(&block)
    }

    /// The call that runs may do whatever its function does. Is anything known behind it?
    fn give_up(&mut self, way: &mut State) -> bool {
        // Handlers of which nothing is known may be there from now on.
        if way.frames.len() < 2 || self.effects.interrupts().pointers {
            self.hand_over(way);
            return false;
        }
        let Some(frame) = self.leave_frame(way) else {
            return false;
        };
        self.given_up.insert(frame.function);
        let mut values = frame.values.values();
        way.memory.has_leaked |= values.any(|known| self.has_word(known));
        let is_known = self.behind_unknown(way, Spoil::Function(frame.function));
        Self::on(way);
        is_known
    }

    /// A call is not followed: it may do whatever what it calls does. Is anything known behind it?
    pub(super) fn pass_over(&mut self, way: &mut State, call: ValueId) -> Next {
        let effects = self.effects;
        let Some(frame) = way.frames.last() else {
            return Next::Over;
        };
        let site = effects.site(frame.function, call);
        let site = site.filter(|site| !program::following::returns_twice(self.program, site));
        let Some(site) = site.filter(|_| !effects.interrupts().pointers) else {
            return Next::Over;
        };
        self.given_up.extend(effects.enters(site));
        let args = &self.program.functions[site.function];
        if let Some(Op::Call { args, .. }) = args.inst(call).map(|inst| &inst.op) {
            self.leak(way, args.iter());
        }
        match self.behind_unknown(way, Spoil::Call(site.function, call)) {
            true => Next::On,
            false => Next::Over,
        }
    }

    /// Is a word's address in it?
    pub(super) fn has_word(&self, known: &Value) -> bool {
        known.scalars().iter().any(|term| self.is_word(*term))
    }

    /// What comes of some operands is not known.
    pub(super) fn leak<'o>(
        &mut self,
        way: &mut State,
        operands: impl Iterator<Item = &'o Operand>,
    ) {
        for operand in operands {
            let known = self.operand(way, operand);
            way.memory.has_leaked |= known.is_some_and(|known| self.has_word(&known));
        }
    }

    /// What the list of the words holds may be copied.
    pub(super) fn leak_list(&mut self, way: &mut State, operands: &[Operand]) {
        for operand in operands {
            let place = self.place(way, operand);
            let object = place.map(|(object, _)| self.objects[object as usize]);
            way.memory.has_leaked |= object == Some(Kind::List);
        }
    }

    /// Behind a call of which only is known what it may write.
    fn behind_unknown(&mut self, way: &mut State, spoil: Spoil) -> bool {
        self.spoil_all(way, spoil);
        let Some(frame) = way.frames.last() else {
            return false;
        };
        let body = &self.program.functions[frame.function];
        let call = body.blocks[frame.block].insts[frame.at];
        Self::set(way, call, None);
        true
    }

    /// What is written to where an operand leads that is not a place, is not known any more.
    pub(super) fn spoil_region(&mut self, way: &mut State, address: Option<&Operand>) -> Next {
        let Some(frame) = way.frames.last() else {
            return Next::Over;
        };
        let function = frame.function;
        match address.and_then(Operand::value) {
            Some(value) => self.spoil_all(way, Spoil::Through(function, value)),
            None => self.forget_all(&mut way.memory),
        }
        Next::On
    }

    /// What may be written is not known any more.
    fn spoil_all(&mut self, way: &mut State, spoil: Spoil) {
        let known = match self.spoiled.get(&spoil) {
            Some(known) => Rc::clone(known),
            None => {
                let writes = self.writes(spoil);
                let (scans, is_strange) = self.scans(spoil, &writes);
                let mut variables = self.variables(&writes);
                if is_strange {
                    // Code of others finds what it knows the name of.
                    let globals = self.program.globals.iter();
                    let visible = globals.filter(|(_, data)| !data.internal);
                    variables.extend(visible.map(|(global, _)| global));
                }
                let objects = variables.into_iter();
                let objects = objects.map(|it| self.symbols[&Symbol::Global(it)]);
                let made = Rc::new(Spoiled {
                    variables: objects.collect(),
                    scans,
                    writes,
                });
                self.spoiled.insert(spoil, Rc::clone(&made));
                made
            }
        };
        // What is not known may find the words by itself.
        way.memory.scan.is_lost |= known.scans;
        way.memory.has_leaked |= known.scans;
        if known.writes.pointers {
            self.forget_all(&mut way.memory);
            return;
        }
        for object in &known.variables {
            way.memory.forget(*object);
        }
        if let Some(region) = &known.writes.through {
            self.spoil_others(way, region);
        }
    }

    /// May options be looked for, or be set where to look next? And may it be by a function of which nothing is known?
    fn scans(&self, spoil: Spoil, writes: &Writes) -> (bool, bool) {
        let effects = self.effects;
        let mut own = writes.globals.iter();
        let sets = own.any(|it| outside::is_of_getopt(&self.program.globals[*it]));
        if sets || writes.pointers || writes.through.is_some() && !self.keeps_options {
            return (true, true);
        }
        let (mut work, site) = match spoil {
            Spoil::Function(function) => (vec![function], None),
            Spoil::Call(function, call) => (Vec::new(), effects.site(function, call)),
            Spoil::Through(..) => return (false, false),
        };
        let (mut scans, mut is_strange) = (false, false);
        let mut note = |site: &CallSite| {
            let names_nothing = site.targets.is_empty();
            (scans, is_strange) = (scans | names_nothing, is_strange | names_nothing);
            for id in effects.may_leave(site) {
                let name = &*self.program.externs[id].name;
                is_strange |= !effects.calls_nothing(id);
                scans |= getopt::family(name).is_some() || !effects.calls_nothing(id);
            }
        };
        site.into_iter().for_each(&mut note);
        work.extend(site.into_iter().flat_map(|site| effects.enters(site)));
        let mut seen = BTreeSet::new();
        while let Some(function) = work.pop() {
            if !seen.insert(function) {
                continue;
            }
            let sites = effects.graph.calls(function);
            sites.iter().for_each(&mut note);
            work.extend(sites.iter().flat_map(|site| effects.enters(site)));
        }
        (scans, is_strange)
    }

    fn writes(&self, spoil: Spoil) -> Writes {
        let effects = self.effects;
        match spoil {
            Spoil::Function(function) => effects.writes(function).as_ref().clone(),
            Spoil::Call(function, call) => match effects.site(function, call) {
                Some(site) => effects.site_writes(site),
                None => Writes::everything(),
            },
            Spoil::Through(function, value) => {
                let regions = effects.regions.as_deref();
                match regions.and_then(|known| known.value(function, value)) {
                    Some(region) => Writes {
                        through: Some(region.spread()),
                        ..Writes::default()
                    },
                    None => Writes::everything(),
                }
            }
        }
    }

    /// Variables that may be written.
    pub(super) fn variables(&self, writes: &Writes) -> Vec<GlobalId> {
        let own = |global: &GlobalId| self.program.globals[*global].init.is_some();
        let regions = self.effects.regions.as_deref();
        let is_met = |global: &GlobalId| {
            let (Some(known), Some(through)) = (regions, &writes.through) else {
                return writes.through.is_some();
            };
            let whole = known.global(self.program, *global).spread();
            known.meet(&whole, through)
        };
        let all = self.program.globals.keys().filter(own);
        all.filter(|global| writes.pointers || writes.globals.contains(global) || is_met(global))
            .collect()
    }

    /// What is not a variable and may be in a region.
    fn spoil_others(&mut self, way: &mut State, region: &Region) {
        let regions = self.effects.regions.as_deref();
        let outside = regions.is_none_or(|known| known.meet(region, &known.outside()));
        let others: Vec<u32> = way.memory.others.keys().copied().collect();
        for object in others {
            let is_met = match self.objects[object as usize] {
                Kind::Symbol(_) => false,
                Kind::Stack(_, at) => regions.is_none_or(|known| {
                    let whole = known.stack(at.0, at.1);
                    whole.is_none_or(|whole| known.meet(&whole.spread(), region))
                }),
                _ => true,
            };
            if is_met {
                way.memory.forget(object);
            }
        }
        if outside && way.memory.has_leaked {
            let first = [Kind::List, Kind::Name];
            let words = (0..self.words.len()).map(Kind::Word);
            for kind in first.into_iter().chain(words) {
                let object = self.only(kind);
                way.memory.forget(object);
            }
        }
    }
}
