//! Where control comes from: the states in front of a block, of a function, of a call's return.

use std::collections::BTreeSet;

use program::{BlockId, Def, FuncId, Function, Op, Operand, Terminator, ValueId};
use semantics::{Builder, Symbol};
use smt::Term;

use crate::atom::Atom;
use crate::cross::Cross;
use crate::facts::{Changes, Way, entered};
use crate::image::Language;
use crate::memory::Root;
use crate::nearness::nearness;
use crate::state::{Condition, Place, Round, State};

/// Calls that a path knows to wait.
pub const DEPTH: usize = 24;
/// Calls of one function among them.
const RECURSION: usize = 3;

/// Where control comes from.
pub struct Before {
    pub states: Vec<State>,
    /// The state at the ends of blocks that do not matter to it: they were jumped over.
    pub between: Vec<State>,
    /// The program may start there.
    pub start: bool,
    /// Something may come from where nobody looks.
    pub unknown: bool,
}

impl Before {
    const NOTHING: Before = Before {
        states: Vec::new(),
        between: Vec::new(),
        start: false,
        unknown: false,
    };
}

impl Cross<'_, '_> {
    /// The states in front of the state's block.
    pub fn before_block(&mut self, state: &State, root: Option<FuncId>) -> Before {
        let body = self.facts.body(state.place.function);
        let block = state.place.block;
        if block == Function::ENTRY {
            return self.before_function(state, root);
        }
        let key = (state.waiting.len(), state.place.function, block);
        let round = state.rounds.get(&key).copied().unwrap_or_default();
        let mut before = Before::NOTHING;
        let ways = &body.ways[block.index()];
        if let Some((top, blocks)) = body.between.get(&block)
            && !self.is_changed(state, (block, blocks))
        {
            let function = &self.facts.program.functions[state.place.function];
            let mut next = state.clone();
            next.place.block = *top;
            next.place.at = function.blocks[*top].insts.len();
            next.length += 1;
            before.states.push(next);
            before.between = self.at_ends(state, blocks);
            return before;
        }
        let members = body.loops.get(&block);
        let stays = members.is_some_and(|members| !self.is_changed(state, (block, members)));
        if let Some(members) = members.filter(|_| stays) {
            before.between = self.at_ends(state, members);
        }
        let mut around = false;
        let is_looked_at = members.is_some() && !stays;
        let now = is_looked_at.then(|| nearness(self.facts, self.language, state));
        let comes_nearer = now.is_some_and(|now| round.nearness.is_some_and(|last| now < last));
        for way in ways {
            if way.back && stays {
                continue;
            }
            let is_often = way.back && round.count >= self.rounds;
            around |= is_often && !state.spare;
            if is_often && !comes_nearer && round.aimless >= self.rounds {
                continue;
            }
            let mut next = state.clone();
            if way.back {
                next.spare |= is_often;
                let round = Round {
                    count: round.count + 1,
                    aimless: round.aimless + u32::from(!comes_nearer),
                    nearness: now,
                };
                next.rounds.insert(key, round);
            } else {
                next.rounds.remove(&key);
            }
            self.through(&mut next, way);
            before.states.extend(self.extracted(&next, block));
            before.states.push(next);
        }
        if around {
            let (states, between) = self.around(state, ways);
            before.states.extend(states);
            before.between.extend(between);
        }
        before
    }

    /// A state at the ends of blocks of its function that do not matter to it; none if nobody keeps them.
    fn at_ends(&self, state: &State, blocks: &BTreeSet<BlockId>) -> Vec<State> {
        if !self.keeps {
            return Vec::new();
        }
        let function = &self.facts.program.functions[state.place.function];
        let at_end = |block: &BlockId| {
            let mut other = state.clone();
            other.place.block = *block;
            other.place.at = function.blocks[*block].insts.len();
            other
        };
        blocks.iter().map(at_end).collect()
    }

    /// Does it matter to a state which way control takes through some blocks in front of it, told apart by `at`? They change something
    /// that its conditions speak of, or ask for inputs, which are counted.
    fn is_changed(&mut self, state: &State, (at, blocks): (BlockId, &BTreeSet<BlockId>)) -> bool {
        let id = state.place.function;
        let changes = self.facts.changes((id, at), blocks);
        let Changes { writes, objects } = &*changes;
        if writes.asks || self.shared {
            return true;
        }
        let function = &self.facts.program.functions[id];
        let (own, active) = (state.height(), state.active());
        let vars = self.language.atoms_of(state.spoken());
        let language = &*self.language;
        vars.iter().any(|var| match language.atoms.get(*var) {
            Some((Atom::Value { height, value, .. }, _)) if *height == own => {
                match &function.values[*value].def {
                    Def::Inst(inst) => inst.block == at || blocks.contains(&inst.block),
                    Def::Param(_) => false,
                }
            }
            Some((Atom::Cell { address, bytes }, _)) => {
                let root = language.root(self.facts, &active, *address);
                let cell = (*address, u64::from(*bytes));
                is_written(language, (*address, root), (own, objects))
                    || crate::memory::may_change(self.facts, &active, language, cell, writes)
            }
            _ => false,
        })
    }

    /// In front of an edge, from behind the site that it leaves. The state is at the site.
    pub fn take_edge(&mut self, state: &mut State, edge: program::EdgeId) {
        let function = &self.facts.program.functions[state.place.function];
        let insts = &function.blocks[state.place.block].insts;
        if let Some(value) = insts.get(state.place.at) {
            let step = function
                .inst(*value)
                .and_then(|inst| semantics::grows_by(&inst.op));
            if let Some(step) = step {
                self.grown(state, (step, edge));
            }
            return;
        }
        let way = Way {
            from: state.place.block,
            edges: vec![edge],
            back: false,
        };
        self.decided(state, &way);
    }

    /// What holds where a conditional expression without a branch takes an edge: its counter grows, or does not.
    fn grown(&mut self, state: &mut State, (step, edge): (&Operand, program::EdgeId)) {
        self.waiting.clone_from(&state.waiting);
        let program = self.facts.program;
        let function = &program.functions[state.place.function];
        let step = self.operand(state.height(), function, step);
        let Some(step) = step.and_then(|value| value.scalar()) else {
            return;
        };
        let data = &program.edges[edge];
        let kind = &program.sites[data.site].kind;
        let pool = &mut self.language.pool;
        let taken = Builder::new(pool, program.layout).taken(kind, data.side, step);
        let Ok(term) = taken else { return };
        state.live = None;
        state.conditions.push(Condition {
            term,
            edge: Some(edge),
        });
    }

    /// Takes a way into the state's block.
    pub fn through(&mut self, state: &mut State, way: &Way) {
        let function = &self.facts.program.functions[state.place.function];
        self.phis(state, way.from);
        state.place.block = way.from;
        state.place.at = function.blocks[way.from].insts.len();
        state.length += 1;
        self.decided(state, way);
    }

    /// What holds where control takes a way.
    fn decided(&mut self, state: &mut State, way: &Way) {
        self.waiting.clone_from(&state.waiting);
        let function = &self.facts.program.functions[state.place.function];
        let Some((&first, _)) = way.edges.split_first() else {
            return;
        };
        if self.lean && self.holds_anyway(way, first) {
            return;
        }
        let terminator = &function.blocks[way.from].terminator;
        let looked_at = semantics::looked_at(terminator);
        let looked_at =
            looked_at.and_then(|operand| self.operand(state.height(), function, operand));
        let Some(looked_at) = looked_at.and_then(|value| value.scalar()) else {
            return;
        };
        let program = self.facts.program;
        let Language { pool, .. } = &mut *self.language;
        let mut any: Option<Term> = None;
        for edge in &way.edges {
            let data = &program.edges[*edge];
            let kind = &program.sites[data.site].kind;
            let taken = Builder::new(pool, program.layout).taken(kind, data.side, looked_at);
            let Ok(taken) = taken else { return };
            any = Some(match any {
                Some(others) => pool.or(others, taken),
                None => taken,
            });
        }
        if let Some(term) = any.filter(|term| !pool.is_true(*term)) {
            state.live = None;
            state.conditions.push(Condition {
                term,
                edge: Some(first),
            });
        }
    }

    /// Is there no other way than this one on any run?
    fn holds_anyway(&self, way: &Way, first: program::EdgeId) -> bool {
        let program = self.facts.program;
        let mut all = program.edges_of(program.edges[first].site);
        all.all(|edge| way.edges.contains(&edge) || self.facts.dead.contains(&edge))
    }

    /// The phis of the state's block are what comes from this one: one parallel assignment.
    fn phis(&mut self, state: &mut State, from: BlockId) {
        self.waiting.clone_from(&state.waiting);
        let function = &self.facts.program.functions[state.place.function];
        let height = state.height();
        let mut values = Vec::new();
        for (value, inst) in function.insts(state.place.block) {
            if !matches!(inst.op, Op::Phi { .. }) {
                break;
            }
            let operand = semantics::incoming(&inst.op, from);
            let made = operand.and_then(|operand| self.operand(height, function, operand));
            values.push((value, made.map(|made| made.scalars())));
        }
        if values.is_empty() {
            return;
        }
        let mut seen = false;
        self.apply(state, &mut |language, atom, bits| {
            let Atom::Value {
                height: h,
                value,
                scalar,
            } = atom
            else {
                return None;
            };
            let (_, made) = values
                .iter()
                .find(|(phi, _)| h == &height && phi == value)?;
            match made {
                Some(scalars) => scalars.get(*scalar as usize).copied(),
                None => {
                    seen = true;
                    Some(language.atoms.any(&mut language.pool, bits))
                }
            }
        });
        state.vague |= seen;
    }

    /// In front of a loop that the path went round often enough: any number of rounds more, of which nothing is known. What its
    /// blocks compute and write is not known.
    /// Also the state that comes of it, at the end of each block of the loop.
    fn around(&mut self, state: &State, ways: &[Way]) -> (Vec<State>, Vec<State>) {
        let body = self.facts.body(state.place.function);
        let function = &self.facts.program.functions[state.place.function];
        let Some(members) = body.loops.get(&state.place.block) else {
            return (Vec::new(), Vec::new());
        };
        let mut state = state.clone();
        let height = state.height();
        let changes = self
            .facts
            .changes((state.place.function, state.place.block), members);
        let Changes { writes, objects } = &*changes;
        self.forget_memory(&mut state, writes);
        let (facts, active) = (self.facts, state.active());
        self.apply(&mut state, &mut |language, atom, bits| {
            let Atom::Cell { address, .. } = atom else {
                return None;
            };
            let root = language.root(facts, &active, *address);
            let written = is_written(language, (*address, root), (height, objects));
            written.then(|| language.atoms.any(&mut language.pool, bits))
        });
        let is_inside = |value: &ValueId| match &function.values[*value].def {
            Def::Inst(inst) => members.contains(&inst.block),
            Def::Param(_) => false,
        };
        let mut seen = false;
        self.apply(&mut state, &mut |language, atom, bits| match atom {
            Atom::Value {
                height: h, value, ..
            } if *h == height && is_inside(value) => {
                seen = true;
                Some(language.atoms.any(&mut language.pool, bits))
            }
            _ => None,
        });
        state.vague = true;
        let mut states = Vec::new();
        for way in ways.iter().filter(|way| !way.back) {
            let mut next = state.clone();
            self.through(&mut next, way);
            states.push(next);
        }
        (states, self.at_ends(&state, members))
    }

    /// The states in front of the state's function: at its calls.
    fn before_function(&mut self, state: &State, root: Option<FuncId>) -> Before {
        let callee = state.place.function;
        let mut before = Before::NOTHING;
        let own = state.height();
        if let Some((call, rest)) = state.waiting.split_last() {
            let mut next = state.clone();
            next.waiting = rest.to_vec();
            next.place = *call;
            if self.pass_arguments(&mut next, (callee, own), false) {
                before.states.push(next);
            }
            return before;
        }
        before.start = Some(callee) == root;
        before.unknown = root.is_none() || self.facts.is_entered_unseen(callee);
        let callers: Vec<(FuncId, ValueId)> = self.facts.calls.callers(callee).to_vec();
        for (caller, call) in self.callers_of(callee, callers) {
            let Some(place) = self.place_of(caller, call) else {
                before.unknown = true;
                continue;
            };
            let called_back = self.is_called_back(caller, call, callee);
            let mut next = state.clone();
            next.place = place;
            next.length += 1;
            next.rounds.clear();
            if self.pass_arguments(&mut next, (callee, own), called_back) {
                before.states.push(next);
            }
        }
        before
    }

    /// Calls of a function, those of the library function that it is the model of included.
    fn callers_of(
        &self,
        callee: FuncId,
        mut callers: Vec<(FuncId, ValueId)>,
    ) -> Vec<(FuncId, ValueId)> {
        let name = &self.facts.program.functions[callee].name;
        if let Some(modelled) = name.strip_prefix(wire::libc::MODEL_PREFIX) {
            for function in self.facts.program.functions.keys() {
                for site in self.facts.calls.calls(function) {
                    let mut externs = site.externs();
                    if externs.any(|id| self.facts.program.externs[id].name == modelled) {
                        callers.push((function, site.inst));
                    }
                }
            }
        }
        callers.sort_unstable();
        callers.dedup();
        callers
    }

    fn is_called_back(&self, caller: FuncId, call: ValueId, callee: FuncId) -> bool {
        let site = self.facts.site(caller, call);
        site.is_some_and(|site| {
            let mut targets = entered(self.facts, site);
            !targets.any(|(function, back)| function == callee && !back)
        })
    }

    /// In front of an instruction.
    fn place_of(&self, function: FuncId, inst: ValueId) -> Option<Place> {
        let body = &self.facts.program.functions[function];
        let block = body.inst(inst)?.block;
        let at = body.blocks[block]
            .insts
            .iter()
            .position(|value| *value == inst)?;
        Some(Place {
            function,
            block,
            at,
        })
    }

    /// Parameters of the function that the call at the place enters are what it passes; `own`: the height that they had. False: there
    /// is no call.
    fn pass_arguments(
        &mut self,
        state: &mut State,
        (callee, own): (FuncId, u32),
        called_back: bool,
    ) -> bool {
        self.waiting.clone_from(&state.waiting);
        let program = self.facts.program;
        let caller = &program.functions[state.place.function];
        let call = caller.blocks[state.place.block].insts[state.place.at];
        let Some(Op::Call {
            callee: target,
            args,
            ..
        }) = caller.inst(call).map(|inst| &inst.op)
        else {
            return false;
        };
        let height = state.height();
        let params = &program.functions[callee].params;
        let mut passed = Vec::new();
        for (param, arg) in params.iter().zip(args) {
            let made = match called_back {
                true => None,
                false => self.operand(height, caller, arg),
            };
            passed.push((*param, made.map(|made| made.scalars())));
        }
        let mut seen = false;
        self.apply(state, &mut |language, atom, bits| {
            let Atom::Value {
                height: h,
                value,
                scalar,
            } = atom
            else {
                return None;
            };
            if *h != own {
                return None;
            }
            let known = passed.iter().find(|(param, _)| param == value);
            let known = known.and_then(|(_, made)| made.as_ref()?.get(*scalar as usize).copied());
            Some(known.unwrap_or_else(|| {
                seen = true;
                language.atoms.any(&mut language.pool, bits)
            }))
        });
        state.vague |= seen;
        if let program::Callee::Indirect(operand) = target
            && !called_back
        {
            let Some(address) = self
                .operand(height, caller, operand)
                .and_then(|value| value.scalar())
            else {
                return true;
            };
            let Language { pool, atoms } = &mut *self.language;
            let bits = pool.width(address);
            let wanted = atoms.term(pool, Atom::Symbol(Symbol::Function(callee)), bits);
            let term = pool.eq(address, wanted);
            state.live = None;
            state.conditions.push(Condition { term, edge: None });
        }
        true
    }

    /// The states in front of the return of these functions to the call in front of which the state is.
    pub fn before_return(&mut self, state: &State, functions: &[FuncId]) -> Before {
        let mut before = Before::NOTHING;
        let call = state.place;
        let caller = &self.facts.program.functions[call.function];
        let value = caller.blocks[call.block].insts[call.at];
        for function in functions {
            let same = state
                .waiting
                .iter()
                .filter(|place| place.function == *function);
            if state.waiting.len() >= DEPTH || same.count() >= RECURSION {
                let mut next = state.clone();
                let writes = self.facts.writes(*function);
                self.forget_value(&mut next, value);
                self.forget_memory(&mut next, &writes);
                next.vague = true;
                before.states.push(next);
                continue;
            }
            let body = self.facts.body(*function);
            for block in &body.returns {
                before
                    .states
                    .push(self.into(state, *function, *block, value));
            }
        }
        before
    }

    fn into(&mut self, state: &State, callee: FuncId, block: BlockId, call: ValueId) -> State {
        let function = &self.facts.program.functions[callee];
        let mut next = state.clone();
        let height = next.height();
        self.waiting.clone_from(&state.waiting);
        self.waiting.push(state.place);
        let Terminator::Ret { value } = &function.blocks[block].terminator else {
            return next;
        };
        let returned = value.as_ref();
        let returned =
            returned.and_then(|operand: &Operand| self.operand(height + 1, function, operand));
        match returned {
            Some(made) => self.replace(&mut next, call, &made),
            None => self.forget_value(&mut next, call),
        }
        next.waiting.push(state.place);
        next.place = Place {
            function: callee,
            block,
            at: function.blocks[block].insts.len(),
        };
        next.length += 1;
        next.rounds
            .retain(|(height, ..), _| *height < next.waiting.len());
        next
    }
}

/// May memory at an address be a part of one of these local objects of the active function of a height?
fn is_written(
    language: &Language,
    (address, root): (Term, Option<Root>),
    (own, objects): (u32, &BTreeSet<ValueId>),
) -> bool {
    match root {
        Some(Root::Object { height, value }) => height == own && objects.contains(&value),
        Some(Root::Symbol(_)) => false,
        None => !objects.is_empty() && language.is_lost(address),
    }
}
