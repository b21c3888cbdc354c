//! One instruction backward: the weakest precondition of a condition.

use std::collections::BTreeSet;
use std::rc::Rc;

use program::callgraph::CallSite;
use program::{Callee, Def, FuncId, Function, Inst, Op, Operand, Target, Type, ValueId};
use semantics::{Access, Builder, Effect, Value, Write};
use smt::{Op as TermOp, Pool, Term, Var};

use crate::atom::{Atom, Constants};
use crate::facts::{Facts, Writes};
use crate::image::{Image, Language};
use crate::memory::{self, Alias};
use crate::state::{Condition, Place, State};

/// What stands in front of an instruction.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Crossed {
    /// The same path, one instruction longer.
    On,
    /// No run comes from there.
    Never,
    /// One of these functions returns there.
    From(Vec<FuncId>),
}

/// What a cell in a block of memory is, by its address, its bytes, and where in the block it begins.
type Inside<'r> = dyn FnMut(&mut Language, (Term, u8), i128) -> Term + 'r;

/// Goes back over instructions.
pub struct Cross<'a, 'p> {
    pub facts: &'a Facts<'p>,
    pub language: &'a mut Language,
    /// Others may write to memory at any time.
    pub shared: bool,
    /// Times that a path goes round a loop; what is before it is then taken for any number of rounds.
    pub rounds: u32,
    /// Somebody keeps the states at the ends of blocks that are jumped over.
    pub keeps: bool,
    /// What holds anyway, since no run takes the other sides, is no condition.
    pub lean: bool,
    /// The calls that wait for the function of the place: its parameters are what they pass.
    pub waiting: Vec<Place>,
}

/// Addresses that are written to and are one of two are followed by each of them, so deep.
const WRITTEN: u32 = 3;
/// Widest number in memory that is one cell, in bytes.
const WIDEST: u64 = 16;
/// Addresses are computed from one another so deep.
const DERIVED: u32 = 16;

impl Cross<'_, '_> {
    /// Goes back over the instruction in front of the state's place, which becomes the state's place.
    pub fn back(&mut self, state: &mut State) -> Crossed {
        self.waiting.clone_from(&state.waiting);
        state.place.at -= 1;
        let function = &self.facts.program.functions[state.place.function];
        let value = function.blocks[state.place.block].insts[state.place.at];
        let Def::Inst(inst) = &function.values[value].def else {
            return Crossed::On;
        };
        match &inst.op {
            Op::Call { callee, args, .. } => self.call(state, value, (callee, args)),
            Op::Alloca { .. } => {
                self.alloca(state, value);
                Crossed::On
            }
            _ => {
                self.plain(state, (function, value, inst));
                Crossed::On
            }
        }
    }

    fn plain(&mut self, state: &mut State, (function, value, inst): (&Function, ValueId, &Inst)) {
        let writes = semantics::may_write(&inst.op) && !semantics::is_computed(&inst.op);
        let ty = &function.values[value].ty;
        if !writes && !self.is_live(state, value) {
            return;
        }
        if writes && !self.has_cells(state) && !self.is_live(state, value) {
            return;
        }
        let operands = self.operands(state, function, &inst.op);
        let effect = operands.map(|operands| {
            let mut types = Vec::new();
            inst.op
                .for_each_operand(|operand| types.push(function.operand_type(operand)));
            if semantics::is_computed(&inst.op) {
                let Language { pool, atoms } = &mut *self.language;
                let mut any = |pool: &mut Pool, bits| atoms.any(pool, bits);
                let mut builder = Builder::new(pool, self.facts.program.layout);
                let made = builder.sure_value(&inst.op, ty, &operands, &mut any);
                return made.map_or_else(Effect::Unknown, Effect::Value);
            }
            let mut builder = Builder::new(&mut self.language.pool, self.facts.program.layout);
            builder.effect(&inst.op, ty, &operands, &types)
        });
        match effect {
            Some(Effect::Value(made)) => self.replace(state, value, &made),
            Some(Effect::Read(access)) => match self.read(state, access, ty) {
                Some(made) => self.replace(state, value, &made),
                None => self.forget_value(state, value),
            },
            Some(Effect::Write(write)) => self.write(state, &write),
            Some(Effect::Copy(block)) => self.copy(state, block),
            Some(Effect::Fill { block, byte }) => self.fill(state, block, byte),
            Some(Effect::Nothing) => {}
            Some(Effect::Unknown(_)) => self.forget_value(state, value),
            _ => {
                self.forget_value(state, value);
                if writes {
                    self.forget_memory(state, &everything());
                }
            }
        }
    }

    /// Whether some condition speaks of a value of the place's function.
    pub fn is_live(&self, state: &mut State, value: ValueId) -> bool {
        let height = state.height();
        self.live(state).iter().any(|var| {
            matches!(
                self.language.atoms.get(*var),
                Some((Atom::Value { height: h, value: v, .. }, _)) if *h == height && *v == value
            )
        })
    }

    fn has_cells(&self, state: &mut State) -> bool {
        let vars = self.live(state);
        vars.iter()
            .any(|var| matches!(self.language.atoms.get(*var), Some((Atom::Cell { .. }, _))))
    }

    /// The variables of the conditions.
    fn live(&self, state: &mut State) -> Rc<BTreeSet<Var>> {
        if let Some(known) = &state.live {
            return Rc::clone(known);
        }
        let made = Rc::new(self.language.atoms_of(state.spoken()));
        state.live = Some(Rc::clone(&made));
        made
    }

    /// The values of operands in front of an instruction of the place's function.
    fn operands(&mut self, state: &State, function: &Function, op: &Op) -> Option<Vec<Value>> {
        let mut operands = Vec::new();
        op.for_each_operand(|operand| operands.push(operand));
        let values = operands.into_iter();
        values
            .map(|operand| self.operand(state.height(), function, operand))
            .collect()
    }

    /// The value of an operand of the active function of a height.
    pub fn operand(
        &mut self,
        height: u32,
        function: &Function,
        operand: &Operand,
    ) -> Option<Value> {
        self.derived(height, function, operand, DERIVED)
    }

    /// The same. An address that is computed from another one is that computation from the first on: two of one object are told apart
    /// before the path comes to where they are computed. (An instruction that dominates a place is dominated by those of its operands,
    /// so none of these was run again since.)
    fn derived(
        &mut self,
        height: u32,
        function: &Function,
        operand: &Operand,
        steps: u32,
    ) -> Option<Value> {
        let inst = operand.value().and_then(|value| function.inst(value));
        let place = inst.filter(|inst| matches!(inst.op, Op::Gep { .. }));
        let ty = function.operand_type(operand);
        let Some(Inst { op, .. }) = place.filter(|_| ty == Type::Ptr && steps > 0) else {
            return self.named(height, function, operand);
        };
        let mut operands = Vec::new();
        op.for_each_operand(|operand| operands.push(operand));
        let known = operands.into_iter();
        let known: Option<Vec<Value>> = known
            .map(|operand| self.derived(height, function, operand, steps - 1))
            .collect();
        let Language { pool, atoms } = &mut *self.language;
        let mut any = |pool: &mut Pool, bits| atoms.any(pool, bits);
        let mut builder = Builder::new(pool, self.facts.program.layout);
        builder.sure_value(op, &ty, &known?, &mut any).ok()
    }

    /// What the call that waits for a function passes for a parameter of it: what is written through one and what is written through the
    /// other is told apart, or the same, before the path comes to the function's entry.
    fn passed(&mut self, height: u32, function: &Function, value: ValueId) -> Option<Value> {
        // Where nothing is told apart, conditions of a function stay what they are for all its callers.
        self.facts.regions.as_ref()?;
        let Def::Param(at) = function.values[value].def else {
            return None;
        };
        let program = self.facts.program;
        let call = *self
            .waiting
            .get(usize::try_from(height.checked_sub(1)?).ok()?)?;
        let caller = &program.functions[call.function];
        let inst = *caller.blocks[call.block].insts.get(call.at)?;
        let Some(Op::Call { args, .. }) = caller.inst(inst).map(|inst| &inst.op) else {
            return None;
        };
        let is_direct = |site: &CallSite| site.callbacks.is_empty();
        let site = self.facts.site(call.function, inst);
        let arg = args.get(at as usize)?;
        let is_same = caller.operand_type(arg) == function.values[value].ty;
        if !is_same || !site.is_some_and(is_direct) {
            return None;
        }
        self.operand(height - 1, caller, arg)
    }

    /// The same, by its name.
    fn named(&mut self, height: u32, function: &Function, operand: &Operand) -> Option<Value> {
        if let Operand::Value(value) = operand
            && let Some(passed) = self.passed(height, function, *value)
        {
            return Some(passed);
        }
        let layout = self.facts.program.layout;
        let Language { pool, atoms } = &mut *self.language;
        match operand {
            Operand::Const(constant) => {
                let mut builder = Builder::new(pool, layout);
                let made = builder.constant(constant, &mut Constants(atoms)).ok();
                made.or_else(|| {
                    let mut any = |pool: &mut Pool, bits| Ok(atoms.any(pool, bits));
                    Value::of_type(pool, &layout, &constant.ty(), &mut any).ok()
                })
            }
            Operand::Value(value) => {
                let mut scalar = 0;
                let mut make = |pool: &mut Pool, bits| {
                    let atom = Atom::Value {
                        height,
                        value: *value,
                        scalar,
                    };
                    scalar += 1;
                    Ok(atoms.term(pool, atom, bits))
                };
                Value::of_type(pool, &layout, &function.values[*value].ty, &mut make).ok()
            }
        }
    }

    /// Applies a rule to all conditions.
    pub fn apply(
        &mut self,
        state: &mut State,
        rule: &mut dyn FnMut(&mut Language, &Atom, u16) -> Option<Term>,
    ) {
        let active = state.active();
        let mut image = Image::new(self.language, (self.facts, &active), rule);
        for condition in state.conditions.iter_mut().chain(&mut state.deferred) {
            let term = image.term(condition.term);
            if term != condition.term {
                condition.term = term;
                state.live = None;
            }
        }
        for carried in &mut state.carried {
            let term = image.term(*carried);
            if term != *carried {
                *carried = term;
                state.live = None;
            }
        }
    }

    /// A value becomes what it is computed from.
    pub fn replace(&mut self, state: &mut State, value: ValueId, made: &Value) {
        let scalars = made.scalars();
        let height = state.height();
        self.apply(state, &mut |_, atom, _| match atom {
            Atom::Value {
                height: h,
                value: v,
                scalar,
            } if *h == height && *v == value => scalars.get(*scalar as usize).copied(),
            _ => None,
        });
    }

    /// Nothing is known of a value.
    pub fn forget_value(&mut self, state: &mut State, value: ValueId) {
        let height = state.height();
        let mut seen = false;
        self.apply(state, &mut |language, atom, bits| match atom {
            Atom::Value {
                height: h,
                value: v,
                ..
            } if *h == height && *v == value => {
                seen = true;
                Some(language.atoms.any(&mut language.pool, bits))
            }
            _ => None,
        });
        state.vague |= seen;
    }

    /// What a read gives in front of it.
    fn read(&mut self, state: &State, access: Access, ty: &Type) -> Option<Value> {
        if access.volatile || self.shared || access.bytes > 256 {
            return None;
        }
        if memory::is_unsteady(self.facts, state, self.language, access.address) {
            return None;
        }
        let mut bytes = Vec::new();
        let mut at = 0;
        while at < access.bytes {
            let size = match access.bytes - at {
                left if left <= WIDEST => left,
                _ => 8,
            };
            let cell = self.cell(state, (access.address, at), size as u8);
            let pool = &mut self.language.pool;
            bytes.extend((0..size as u16).map(|index| pool.extract(cell, index * 8, 8)));
            at += size;
        }
        let mut builder = Builder::new(&mut self.language.pool, self.facts.program.layout);
        builder.read(ty, &bytes).ok()
    }

    /// What memory holds somewhere.
    fn cell(&mut self, state: &State, (address, offset): (Term, u64), bytes: u8) -> Term {
        let pool = &mut self.language.pool;
        let bits = pool.width(address);
        let offset = pool.constant(bits, u128::from(offset));
        let address = pool.bin(TermOp::Add, address, offset);
        self.language.cell(self.facts, state, (address, bytes))
    }

    pub fn write(&mut self, state: &mut State, write: &Write) {
        let facts = self.facts;
        let heights = state.active();
        let access = (write.access.address, write.access.bytes);
        self.apply(state, &mut |language, atom, _| {
            let Atom::Cell { address, bytes } = *atom else {
                return None;
            };
            language.written(
                (facts, &heights),
                (address, bytes),
                (write, access.0),
                WRITTEN,
            )
        });
    }

    fn copy(&mut self, state: &mut State, block: semantics::Block) {
        let (facts, heights) = (self.facts, state.active());
        let any = self.shared || memory::is_unsteady(facts, &heights, self.language, block.from);
        state.vague |= any;
        self.block(state, block, &mut |language, (address, bytes), offset| {
            let pool = &mut language.pool;
            if any {
                return language.atoms.any(pool, u16::from(bytes) * 8);
            }
            let offset = pool.constant(pool.width(address), offset.cast_unsigned());
            let address = pool.bin(TermOp::Add, block.from, offset);
            language.cell(facts, &heights, (address, bytes))
        });
    }

    fn fill(&mut self, state: &mut State, block: semantics::Block, byte: Term) {
        self.block(state, block, &mut |language, (_, bytes), _| {
            let mut whole = byte;
            for _ in 1..bytes {
                whole = language.pool.concat(byte, whole);
            }
            whole
        });
    }

    /// A block of memory is written: `inside` says what a cell in it is. A cell that may be partly in it is not known.
    fn block(&mut self, state: &mut State, block: semantics::Block, inside: &mut Inside<'_>) {
        let facts = self.facts;
        let heights = state.active();
        let mut vague = false;
        self.apply(state, &mut |language, atom, bits| {
            let Atom::Cell { address, bytes } = *atom else {
                return None;
            };
            let (length, is_known) = length_of(language, block.length);
            let place = (address, u64::from(bytes));
            match language.alias(facts, &heights, place, (block.to, length)) {
                Alias::Apart => None,
                Alias::At(offset)
                    if is_known
                        && offset >= 0
                        && offset + i128::from(bytes) <= i128::from(length) =>
                {
                    Some(inside(language, (address, bytes), offset))
                }
                _ => {
                    vague = true;
                    Some(language.atoms.any(&mut language.pool, bits))
                }
            }
        });
        state.vague |= vague;
    }

    /// In front of it, an object is not there: what it holds is not known.
    fn alloca(&mut self, state: &mut State, value: ValueId) {
        let height = state.height();
        let own = |atom: &Atom| matches!(atom, Atom::Value { height: h, value: v, .. } if *h == height && *v == value);
        let vars = self.live(state);
        let is_object = |var: &&Var| {
            self.language
                .atoms
                .get(**var)
                .is_some_and(|(atom, _)| own(atom))
        };
        let Some(object) = vars.iter().find(is_object).copied() else {
            return;
        };
        // The cells first, by their old addresses.
        self.apply(state, &mut |language, atom, bits| match atom {
            Atom::Cell { address, .. } if language.pool.vars(*address).contains(&object) => {
                Some(language.atoms.any(&mut language.pool, bits))
            }
            _ => None,
        });
        self.apply(state, &mut |language, atom, bits| {
            own(atom).then(|| language.atoms.any(&mut language.pool, bits))
        });
    }

    /// A value is one of some numbers, and nobody knows which.
    fn one_of(&mut self, state: &mut State, value: ValueId, numbers: &BTreeSet<i32>) {
        if !self.is_live(state, value) {
            return;
        }
        let Language { pool, atoms } = &mut *self.language;
        let any = atoms.any(pool, 32);
        let mut known = pool.bool(false);
        for number in numbers {
            let number = pool.constant(32, u128::from(number.cast_unsigned()));
            let is_it = pool.eq(any, number);
            known = pool.or(known, is_it);
        }
        self.replace(state, value, &any.into());
        state.conditions.push(Condition {
            term: known,
            edge: None,
        });
        state.live = None;
        state.vague = true;
    }

    /// Cells that something may have written are not known.
    pub fn forget_memory(&mut self, state: &mut State, writes: &Writes) {
        if *writes == Writes::default() {
            return;
        }
        let facts = self.facts;
        let heights = state.active();
        let mut seen = false;
        self.apply(state, &mut |language, atom, bits| match atom {
            Atom::Cell { address, bytes }
                if memory::may_change(
                    facts,
                    &heights,
                    language,
                    (*address, u64::from(*bytes)),
                    writes,
                ) =>
            {
                seen = true;
                Some(language.atoms.any(&mut language.pool, bits))
            }
            _ => None,
        });
        state.vague |= seen;
    }

    fn call(
        &mut self,
        state: &mut State,
        value: ValueId,
        (callee, args): (&Callee, &[Operand]),
    ) -> Crossed {
        let Some(site) = self.facts.site(state.place.function, value) else {
            return Crossed::On;
        };
        let named = match (callee, &site.targets[..]) {
            (Callee::Extern(name), _) => Some(*name),
            (_, [Target::Extern(name)]) if site.closed => Some(*name),
            _ => None,
        };
        if let Some(name) = named {
            let name = &*self.facts.program.externs[name].name;
            if let Some(results) = self.facts.results(state.place.function, value) {
                self.one_of(state, value, results);
                let mut writes = Writes::default();
                for (function, _) in crate::facts::entered(self.facts, site) {
                    writes.add(&self.facts.entered_writes(site, function));
                }
                self.forget_memory(state, &writes);
                return Crossed::On;
            }
            if let Some(crossed) = self.known_extern(state, value, (name, args)) {
                return crossed;
            }
        }
        let mut writes = Writes::default();
        let mut functions = Vec::new();
        let is_open = self.facts.is_open(site);
        let mut is_opaque = is_open;
        for extern_id in site.externs() {
            let name = &*self.facts.program.externs[extern_id].name;
            if self.facts.model(name).is_none() {
                let call = (state.place.function, value);
                writes.add(&self.facts.extern_writes(call, extern_id));
                is_opaque = true;
            }
        }
        writes.pointers |= is_open;
        writes.asks |= is_open;
        for (function, _) in crate::facts::entered(self.facts, site) {
            functions.push(function);
        }
        let live = self.is_live(state, value);
        let vars = self.live(state);
        let touches = |writes: &Writes| {
            vars.iter().any(|var| match self.language.atoms.get(*var) {
                Some((Atom::Cell { address, bytes }, _)) => {
                    let cell = (*address, u64::from(*bytes));
                    memory::may_change(self.facts, state, self.language, cell, writes)
                }
                _ => false,
            })
        };
        let mut own = functions
            .iter()
            .map(|function| self.facts.entered_writes(site, *function));
        let any_matters = own.any(|writes| touches(&writes));
        if is_opaque || !site.callbacks.is_empty() {
            for function in &functions {
                writes.add(&self.facts.entered_writes(site, *function));
            }
            self.forget_value(state, value);
            self.forget_memory(state, &writes);
            return Crossed::On;
        }
        if !live && !any_matters {
            // What does not matter may still ask for inputs, or not come back.
            let asks = functions
                .iter()
                .any(|function| self.facts.writes(*function).asks);
            state.vague |= asks;
            return Crossed::On;
        }
        Crossed::From(functions)
    }
}

/// A length, and whether it is one; where it is not known, one that no object has.
fn length_of(language: &Language, length: Term) -> (u64, bool) {
    const LONG: u64 = 1 << 40;
    match language.pool.as_const(length) {
        Some(length) => (u64::try_from(length).unwrap_or(LONG).min(LONG), true),
        None => (LONG, false),
    }
}

/// Whatever a pointer may point to.
pub fn everything() -> Writes {
    Writes {
        pointers: true,
        ..Writes::default()
    }
}
