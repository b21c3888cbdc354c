//! One stretch of a run, from a place to a later one: values and memory where it starts, and what was done since.
//!
//! Terms speak of the start. What a value is there is a variable; what memory holds there is a variable for each byte, by the term
//! of its address.
//!
//! Values are here, names of what nothing determines in [`names`], memory in [`memory`], what the program starts with in [`start`], and which
//! addresses are apart in [`apart`].
//!
//! Must hold: what is not determined by the start has a name of its own.

mod apart;
mod memory;
mod names;
mod start;

use std::collections::{BTreeMap, HashMap};

use program::{Const, Def, FuncId, Op, Operand, Type, ValueId};
use semantics::{Builder, Open, Symbol, Value};
use smt::{Pool, Term};

use super::effects::{Effects, object_of};
use super::text::Place;
use memory::Done;
use names::Names;

/// The height of a callee's own values at its entry, told apart from those of its callers.
pub const CALLEE: u32 = u32::MAX;
/// Addresses that are one of two are followed by each of them, so deep.
const SPLITS: u32 = 3;
/// Addresses are computed from one another so deep.
const DERIVED: u32 = 16;
/// Bytes that no object has.
const LONG: u64 = 1 << 40;

/// An end of a stretch.
#[derive(Clone, Copy, PartialEq, Eq)]
enum End {
    Start,
    Now,
}

/// A stretch.
pub struct World<'a> {
    pub pool: Pool,
    names: Names<'a>,
    /// The functions that are active at the start, by heights.
    active: BTreeMap<u32, FuncId>,
    /// The calls that wait for them.
    calls: BTreeMap<u32, (FuncId, ValueId)>,
    /// Whose instructions are run: its height.
    own: u32,
    start: BTreeMap<(u32, ValueId), Option<Value>>,
    /// What the stretch computed.
    now: BTreeMap<ValueId, Option<Value>>,
    bytes: BTreeMap<Term, Term>,
    done: Vec<Done>,
    read: HashMap<(Term, u8, usize), Term>,
    /// Numbers that there are, by their names.
    some: BTreeMap<(u32, u16), Term>,
    /// Others may write to memory at any time.
    shared: bool,
    /// What holds.
    pub held: Vec<Term>,
    /// No run goes on here.
    pub is_over: bool,
}

impl<'a> World<'a> {
    pub fn new(
        effects: &'a Effects<'a>,
        shared: bool,
        active: BTreeMap<u32, FuncId>,
        own: u32,
    ) -> World<'a> {
        World {
            pool: Pool::new(),
            names: Names {
                effects,
                next: 0,
                symbols: BTreeMap::new(),
                roots: HashMap::new(),
                derived: HashMap::new(),
                regions: HashMap::new(),
                objects: 0,
            },
            active,
            calls: BTreeMap::new(),
            own,
            start: BTreeMap::new(),
            now: BTreeMap::new(),
            bytes: BTreeMap::new(),
            done: Vec::new(),
            read: HashMap::new(),
            some: BTreeMap::new(),
            shared,
            held: Vec::new(),
            is_over: false,
        }
    }

    /// The functions behind these calls are entered by them: their parameters are what the calls pass.
    pub fn wait(&mut self, waiting: &[Place]) {
        let effects = self.names.effects;
        for (height, place) in (1..).zip(waiting) {
            let body = &effects.program.functions[place.function];
            let value = body.blocks[place.block].insts.get(place.at);
            let site = value.and_then(|value| effects.site(place.function, *value));
            if let Some(site) = site.filter(|site| site.callbacks.is_empty()) {
                self.calls.insert(height, (place.function, site.inst));
            }
        }
    }

    /// What the call that waits for a function passes for a parameter of it.
    fn passed(&mut self, height: u32, value: ValueId) -> Option<Value> {
        let program = self.names.effects.program;
        let (caller, call) = *self.calls.get(&height)?;
        let function = &program.functions[*self.active.get(&height)?];
        let Def::Param(at) = function.values.get(value)?.def else {
            return None;
        };
        let caller = &program.functions[caller];
        let Some(Op::Call { args, .. }) = caller.inst(call).map(|inst| &inst.op) else {
            return None;
        };
        let arg = args.get(at as usize)?;
        if caller.operand_type(arg) != function.values[value].ty {
            return None;
        }
        match arg {
            Operand::Value(value) => self.at_start(height - 1, *value),
            Operand::Const(constant) => self.constant_value(constant),
        }
    }

    /// Is a function active at a height?
    pub fn has(&self, height: u32) -> bool {
        self.active.contains_key(&height)
    }

    pub fn hold(&mut self, term: Term) {
        if !self.pool.is_true(term) {
            self.held.push(term);
        }
    }

    pub fn any(&mut self, bits: u16) -> Term {
        self.names.any(&mut self.pool, bits)
    }

    /// A value of a type of which nothing is known; `None` for what has no terms.
    pub fn unknown(&mut self, ty: &program::Type) -> Option<Value> {
        let layout = self.names.effects.program.layout;
        let World { pool, names, .. } = self;
        let mut any = |pool: &mut Pool, bits| Ok(names.any(pool, bits));
        Value::of_type(pool, &layout, ty, &mut any).ok()
    }

    /// What an instruction computes, or a parameter is, of which nothing is known but where it may lead.
    pub fn result(&mut self, function: FuncId, value: ValueId) -> Option<Value> {
        let data = &self.names.effects.program.functions[function];
        let made = self.unknown(&data.values.get(value)?.ty);
        let World { pool, names, .. } = self;
        names.note(pool, (function, value), made.as_ref());
        made
    }

    /// A number that there is.
    pub fn some(&mut self, name: u32, bits: u16) -> Term {
        if let Some(known) = self.some.get(&(name, bits)) {
            return *known;
        }
        let made = self.any(bits);
        self.some.insert((name, bits), made);
        made
    }

    pub fn symbol(&mut self, symbol: Symbol, bits: u16) -> Option<Term> {
        let World { pool, names, .. } = self;
        let term = names.address(pool, symbol, bits).ok()?;
        (pool.width(term) == bits).then_some(term)
    }

    /// What a value of an active function is at the start.
    pub fn at_start(&mut self, height: u32, value: ValueId) -> Option<Value> {
        self.derived(height, value, End::Start, DERIVED)
    }

    /// What a value of an active function is now.
    pub fn value(&mut self, height: u32, value: ValueId) -> Option<Value> {
        self.derived(height, value, End::Now, DERIVED)
    }

    /// What a value is at one end of the stretch. An address that is computed from another one is what that makes it: where an instruction
    /// uses it, its own instruction was run after those of its operands, and elsewhere this is what its name means at both ends.
    fn derived(&mut self, height: u32, value: ValueId, end: End, steps: u32) -> Option<Value> {
        let program = self.names.effects.program;
        let function = &program.functions[*self.active.get(&height)?];
        let ty = &function.values.get(value)?.ty;
        let op = function.inst(value).map(|inst| &inst.op);
        let Some(op @ Op::Gep { .. }) = op.filter(|_| *ty == Type::Ptr && steps > 0) else {
            return match self.now.get(&value) {
                Some(known) if end == End::Now && height == self.own => known.clone(),
                _ => self.named_at_start(height, value),
            };
        };
        let mut operands = Vec::new();
        op.for_each_operand(|operand| operands.push(operand));
        let known = operands.into_iter().map(|operand| match operand {
            Operand::Value(value) => self.derived(height, *value, end, steps - 1),
            Operand::Const(constant) => self.constant_value(constant),
        });
        let known: Option<Vec<Value>> = known.collect();
        let World { pool, names, .. } = self;
        let mut any = |pool: &mut Pool, bits| names.any(pool, bits);
        let mut builder = Builder::new(pool, program.layout);
        builder.sure_value(op, ty, &known?, &mut any).ok()
    }

    /// What a value of an active function is at the start, by its name.
    fn named_at_start(&mut self, height: u32, value: ValueId) -> Option<Value> {
        if let Some(known) = self.start.get(&(height, value)) {
            return known.clone();
        }
        if let Some(passed) = self.passed(height, value) {
            self.start.insert((height, value), Some(passed.clone()));
            return Some(passed);
        }
        let function = *self.active.get(&height)?;
        let data = self.names.effects.program.functions[function]
            .values
            .get(value)?;
        let is_object =
            matches!(&data.def, Def::Inst(inst) if matches!(inst.op, Op::Alloca { .. }));
        let made = match is_object {
            true => {
                let bits = self.names.effects.program.layout.pointer_bits as u16;
                Some(
                    self.names
                        .object(&mut self.pool, (function, value), bits)
                        .into(),
                )
            }
            false => self.result(function, value),
        };
        if !is_object {
            self.derive(height, value, made.as_ref());
        }
        self.start.insert((height, value), made.clone());
        made
    }

    /// Notes of a value at the start from which object's name it was computed, if it was.
    fn derive(&mut self, height: u32, value: ValueId, made: Option<&Value>) {
        let function = self.active.get(&height);
        let program = self.names.effects.program;
        let object = function.and_then(|id| object_of(&program.functions[*id], value));
        let Some(object) = object else {
            return;
        };
        let object = self.at_start(height, object).and_then(|it| it.scalar());
        let root = object.and_then(|term| self.root(term));
        let vars = made.into_iter().flat_map(Value::scalars);
        for var in vars.filter_map(|term| self.pool.as_var(term)) {
            if let Some(root) = root {
                self.names.derived.insert(var, root);
            }
        }
    }

    pub fn set(&mut self, value: ValueId, made: Option<Value>) {
        self.now.insert(value, made);
    }

    /// A local object is made.
    pub fn make_object(&mut self, value: ValueId) {
        let Some(function) = self.active.get(&self.own).copied() else {
            return;
        };
        let bits = self.names.effects.program.layout.pointer_bits as u16;
        let made = self.names.object(&mut self.pool, (function, value), bits);
        self.now.insert(value, Some(made.into()));
    }

    /// What an operand of an active function is now.
    pub fn operand(&mut self, height: u32, operand: &Operand) -> Option<Value> {
        match operand {
            Operand::Value(value) => self.value(height, *value),
            Operand::Const(constant) => self.constant_value(constant),
        }
    }

    fn constant_value(&mut self, constant: &Const) -> Option<Value> {
        let layout = self.names.effects.program.layout;
        let World { pool, names, .. } = self;
        let made = Builder::new(pool, layout).constant(constant, names).ok();
        made.or_else(|| self.unknown(&constant.ty()))
    }
}
