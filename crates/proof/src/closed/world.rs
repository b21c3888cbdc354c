//! One stretch of a run, from a place to a later one: values and memory where it starts, and what was done since.
//!
//! Terms speak of the start. What a value is there is a variable; what memory holds there is a variable for each byte, by the term
//! of its address.
//!
//! Must hold: two addresses are apart only if they are derived from different objects, or from one by constants.

use std::collections::{BTreeMap, HashMap};

use program::regions::Region;
use program::{Const, Def, FuncId, GlobalId, Op, Operand, RelocationTarget, Type, ValueId};
use semantics::{Block, Builder, Gap, Open, Symbol, Value, Write};
use smt::{Op as TermOp, Pool, Shape, Term, Var};

use super::effects::{Effects, Writes, object_of};
use super::text::Place;

/// The height of a callee's own values at its entry, told apart from those of its callers.
pub const CALLEE: u32 = u32::MAX;
/// Addresses that are one of two are followed by each of them, so deep.
const SPLITS: u32 = 3;
/// Addresses are computed from one another so deep.
const DERIVED: u32 = 16;
/// Bytes that no object has.
const LONG: u64 = 1 << 40;
/// Most elements of a table of constants.
const ELEMENTS: u64 = 512;

/// The object that an address is derived from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Root {
    Symbol(Symbol),
    /// A local object; each time that it is made is another one.
    Object {
        function: FuncId,
        value: ValueId,
        number: u32,
    },
}

/// Something that was done to memory since the start.
enum Done {
    Written(Write),
    Copied(Block),
    Filled(Block, Term),
    /// So many bytes, or fewer, were written from an address on, and nobody knows what.
    Given(Term, u64),
    /// A call may have written.
    Called(Writes),
}

/// An end of a stretch.
#[derive(Clone, Copy, PartialEq, Eq)]
enum End {
    Start,
    Now,
}

enum Alias {
    Apart,
    /// The first begins so many bytes behind the second.
    At(i128),
    Maybe,
}

/// Names of what nothing determines.
struct Names<'a> {
    effects: &'a Effects<'a>,
    next: u32,
    symbols: BTreeMap<Symbol, Term>,
    roots: HashMap<Var, Root>,
    /// The object from whose name a value was computed in front of the stretch.
    derived: HashMap<Var, Root>,
    /// Where addresses lead that are made of a number: nowhere, or into a region. Of others nothing is known.
    regions: HashMap<Var, Option<Region>>,
    objects: u32,
}

impl Names<'_> {
    fn any(&mut self, pool: &mut Pool, bits: u16) -> Term {
        self.next += 1;
        pool.var(Var(self.next), bits)
    }

    fn object(&mut self, pool: &mut Pool, (function, value): (FuncId, ValueId), bits: u16) -> Term {
        let term = self.any(pool, bits);
        self.objects += 1;
        let root = Root::Object {
            function,
            value,
            number: self.objects,
        };
        self.roots.insert(Var(self.next), root);
        let regions = self.effects.regions.as_ref();
        if let Some(region) = regions.and_then(|known| known.stack(function, value)) {
            self.regions.insert(Var(self.next), Some(region));
        }
        term
    }

    /// What a value of a function may be, as far as that is known.
    fn note(&mut self, pool: &Pool, (function, value): (FuncId, ValueId), made: Option<&Value>) {
        let regions = self.effects.regions.as_ref();
        let Some(known) = regions.filter(|known| known.is_entered(function)) else {
            return;
        };
        let region = known.value(function, value);
        let wide = self.effects.program.layout.pointer_bits;
        for term in made.into_iter().flat_map(Value::scalars) {
            // A narrow one may be a part of an address.
            let var = pool.as_var(term);
            if let Some(var) = var.filter(|_| u32::from(pool.width(term)) >= wide) {
                self.regions.insert(var, region.clone());
            }
        }
    }
}

impl Open for Names<'_> {
    fn address(&mut self, pool: &mut Pool, symbol: Symbol, bits: u16) -> Result<Term, Gap> {
        if let Some(known) = self.symbols.get(&symbol) {
            return Ok(*known);
        }
        let term = self.any(pool, bits);
        self.symbols.insert(symbol, term);
        if let Some(regions) = &self.effects.regions {
            let region = match symbol {
                Symbol::Global(global) => Some(regions.global(self.effects.program, global)),
                Symbol::Function(_) | Symbol::Extern(_) => None,
            };
            self.regions.insert(Var(self.next), region);
        }
        // What the program does not define may be a part of something else, and missing.
        let is_defined = match symbol {
            Symbol::Global(global) => self.effects.program.globals[global].init.is_some(),
            Symbol::Function(_) => true,
            Symbol::Extern(_) => false,
        };
        if is_defined {
            self.roots.insert(Var(self.next), Root::Symbol(symbol));
        }
        Ok(term)
    }

    fn undefined(&mut self, pool: &mut Pool, bits: u16) -> Result<Term, Gap> {
        Ok(self.any(pool, bits))
    }
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

    /// What memory holds at an address, of which nothing is known but where it may lead.
    fn held_at(&mut self, address: Term, bits: u16) -> Term {
        let made = self.any(bits);
        if let (Some(regions), Some(region), Some(var)) = (
            &self.names.effects.regions,
            self.region(address),
            self.pool.as_var(made),
        ) {
            let held = regions.contents(&region);
            self.names.regions.insert(var, held);
        }
        made
    }

    /// Where an address may lead, if that is known.
    fn region(&self, address: Term) -> Option<Region> {
        let mut all: Option<Region> = None;
        for var in semantics::bases(&self.pool, address) {
            if let Some(found) = self.names.regions.get(&var)?.clone() {
                all = Some(found.and(all));
            }
        }
        let by = semantics::moved_by(&self.pool, address);
        all.map(|region| match by {
            Some(by) => region.moved(by),
            None => region.spread(),
        })
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

    pub fn write(&mut self, write: Write) {
        self.done.push(Done::Written(write));
    }

    pub fn copy(&mut self, block: Block) {
        self.done.push(Done::Copied(block));
    }

    pub fn fill(&mut self, block: Block, byte: Term) {
        self.done.push(Done::Filled(block, byte));
    }

    /// At most so many bytes are written from an address on; `None`: any number.
    pub fn give(&mut self, to: Term, most: Option<u64>) {
        self.done
            .push(Done::Given(to, most.unwrap_or(LONG).min(LONG)));
    }

    pub fn call_writes(&mut self, writes: Writes) {
        if !writes.is_nothing() {
            self.done.push(Done::Called(writes));
        }
    }

    /// What memory holds now. The address has the width of one.
    pub fn load(&mut self, address: Term, bytes: u8) -> Term {
        self.cell((address, bytes), self.done.len(), SPLITS)
    }

    /// What memory held at the start.
    pub fn load_at_start(&mut self, address: Term, bytes: u8) -> Term {
        self.cell((address, bytes), 0, SPLITS)
    }

    /// Has a term the width of an address?
    pub fn is_address(&self, term: Term) -> bool {
        u32::from(self.pool.width(term)) == self.names.effects.program.layout.pointer_bits
    }

    /// What memory held after so much was done.
    fn cell(&mut self, (address, bytes): (Term, u8), upto: usize, splits: u32) -> Term {
        let bits = u16::from(bytes) * 8;
        if self.shared || self.is_unsteady(address) {
            return self.held_at(address, bits);
        }
        if let Some(known) = self.read.get(&(address, bytes, upto)) {
            return *known;
        }
        let made = self.find((address, bytes), upto, splits);
        self.read.insert((address, bytes, upto), made);
        made
    }

    fn find(&mut self, (address, bytes): (Term, u8), upto: usize, splits: u32) -> Term {
        if splits > 0
            && let Some([condition, a, b]) = self.choice(address)
        {
            let a = self.cell((a, bytes), upto, splits - 1);
            let b = self.cell((b, bytes), upto, splits - 1);
            return self.pool.ite(condition, a, b);
        }
        if let Some(known) = self.constant(address, bytes) {
            return known;
        }
        let bits = u16::from(bytes) * 8;
        for at in (0..upto).rev() {
            let there = (address, u64::from(bytes));
            match &self.done[at] {
                Done::Written(write) => {
                    let (write, to) = (write.clone(), write.access.address);
                    if let Some(made) = self.after((&write, to), (address, bytes), at, SPLITS) {
                        return made;
                    }
                }
                Done::Copied(block) | Done::Filled(block, _) => {
                    let (block, byte) = (
                        *block,
                        match &self.done[at] {
                            Done::Filled(_, byte) => Some(*byte),
                            _ => None,
                        },
                    );
                    let length = self.pool.as_const(block.length);
                    let length = length.and_then(|length| u64::try_from(length).ok());
                    let most = length.unwrap_or(LONG).min(LONG);
                    match self.alias(there, (block.to, most)) {
                        Alias::Apart => continue,
                        Alias::At(offset)
                            if length.is_some()
                                && offset >= 0
                                && offset + i128::from(bytes) <= i128::from(most) =>
                        {
                            return match byte {
                                Some(byte) => {
                                    (1..bytes).fold(byte, |whole, _| self.pool.concat(byte, whole))
                                }
                                None => {
                                    let bits = self.pool.width(block.from);
                                    let offset = self.pool.constant(bits, offset.cast_unsigned());
                                    let from = self.pool.bin(TermOp::Add, block.from, offset);
                                    self.cell((from, bytes), at, SPLITS)
                                }
                            };
                        }
                        _ => return self.held_at(address, bits),
                    }
                }
                Done::Given(to, most) => match self.alias(there, (*to, *most)) {
                    Alias::Apart => {}
                    Alias::At(_) | Alias::Maybe => return self.held_at(address, bits),
                },
                Done::Called(_) => {
                    if self.may_change(at, there) {
                        return self.held_at(address, bits);
                    }
                }
            }
        }
        self.initially(address, bytes)
    }

    /// What a cell is after a write to an address; `None` if the write is apart from it.
    fn after(
        &mut self,
        (write, to): (&Write, Term),
        (address, bytes): (Term, u8),
        at: usize,
        splits: u32,
    ) -> Option<Term> {
        if splits > 0
            && let Some([condition, a, b]) = self.choice(to)
        {
            let [a, b] = [a, b].map(|to| {
                let made = self.after((write, to), (address, bytes), at, splits - 1);
                made.unwrap_or_else(|| self.cell((address, bytes), at, SPLITS))
            });
            return Some(self.pool.ite(condition, a, b));
        }
        let there = ((address, u64::from(bytes)), (to, write.access.bytes));
        match self.alias(there.0, there.1) {
            Alias::Apart => None,
            Alias::At(offset) => {
                let before = self.cell((address, bytes), at, SPLITS);
                let mut whole: Option<Term> = None;
                for index in 0..u16::from(bytes) {
                    let from = usize::try_from(offset + i128::from(index)).ok();
                    let written = from.and_then(|from| *write.bytes.get(from)?);
                    let byte = written.unwrap_or_else(|| self.pool.extract(before, index * 8, 8));
                    whole = Some(match whole {
                        Some(low) => self.pool.concat(byte, low),
                        None => byte,
                    });
                }
                whole
            }
            Alias::Maybe => {
                let before = self.cell((address, bytes), at, SPLITS);
                let any = self.held_at(address, u16::from(bytes) * 8);
                let pool = &mut self.pool;
                let apart = semantics::apart(pool, there.0, there.1);
                let other = pool.ite(apart, before, any);
                let known: Option<Vec<Term>> = write.bytes.iter().copied().collect();
                let Some(known) = known.filter(|known| known.len() == usize::from(bytes)) else {
                    return Some(other);
                };
                let whole = known
                    .into_iter()
                    .reduce(|low, byte| pool.concat(byte, low))?;
                let here = pool.eq(address, to);
                Some(pool.ite(here, whole, other))
            }
        }
    }

    /// What memory held at the start, byte by byte.
    fn initially(&mut self, address: Term, bytes: u8) -> Term {
        let mut whole: Option<Term> = None;
        for index in 0..bytes {
            let pool = &mut self.pool;
            let offset = pool.constant(pool.width(address), u128::from(index));
            let place = pool.bin(TermOp::Add, address, offset);
            let byte = match self.bytes.get(&place) {
                Some(byte) => *byte,
                None => {
                    let byte = self.held_at(place, 8);
                    self.bytes.insert(place, byte);
                    byte
                }
            };
            whole = Some(match whole {
                Some(low) => self.pool.concat(byte, low),
                None => byte,
            });
        }
        whole.unwrap_or_else(|| self.any(8))
    }

    /// The program starts where the stretch does: globals have their initial values.
    pub fn starts(&mut self) {
        let bytes: Vec<(Term, Term)> = self.bytes.iter().map(|(at, byte)| (*at, *byte)).collect();
        for (address, byte) in bytes {
            let (parts, offset) = self.pool.summands(address);
            let Some(Root::Symbol(Symbol::Global(global))) = self.root(address) else {
                continue;
            };
            let Some(offset) = u64::try_from(offset).ok().filter(|_| parts.len() == 1) else {
                continue;
            };
            if let Some(known) = self.number((global, offset), 1) {
                let equal = self.pool.eq(byte, known);
                self.hold(equal);
            }
            // An address that was written there, where all of it is looked at.
            let data = &self.names.effects.program.globals[global];
            let is_here = |known: &&program::Relocation| known.offset == offset;
            let relocation = data
                .init
                .as_ref()
                .and_then(|init| init.relocations.iter().find(is_here));
            let size = self.names.effects.program.layout.pointer_bits / 8;
            if relocation.is_none() {
                continue;
            }
            let width = self.pool.width(address);
            let places = (0..size).map(|index| {
                let index = self.pool.constant(width, u128::from(index));
                let place = self.pool.bin(TermOp::Add, address, index);
                self.bytes.get(&place).copied()
            });
            let places: Option<Vec<Term>> = places.collect();
            let whole = places.and_then(|bytes| {
                bytes
                    .into_iter()
                    .reduce(|low, byte| self.pool.concat(byte, low))
            });
            let size = size as u8;
            if let (Some(whole), Some(known)) = (whole, self.number((global, offset), size)) {
                let equal = self.pool.eq(whole, known);
                self.hold(equal);
            }
        }
    }

    /// What a global holds at the start, as a number; `None` where that is a part of an address, or not known.
    fn number(&mut self, (global, offset): (GlobalId, u64), bytes: u8) -> Option<Term> {
        let program = self.names.effects.program;
        let data = &program.globals[global];
        let init = data.init.as_ref()?;
        let size = u64::from(bytes);
        let end = offset.checked_add(size).filter(|end| *end <= data.size)?;
        if !init.is_known(offset, end) {
            return None;
        }
        let pointer = u64::from(program.layout.pointer_bits / 8);
        let mut inside = init
            .relocations
            .iter()
            .filter(|known| known.offset < end && offset < known.offset + pointer);
        if let Some(relocation) = inside.next() {
            if relocation.offset != offset || size != pointer {
                return None;
            }
            let symbol = match relocation.to {
                RelocationTarget::Global(global) => Symbol::Global(global),
                RelocationTarget::Function(function) => Symbol::Function(function),
                RelocationTarget::Extern(function) => Symbol::Extern(function),
            };
            let bits = program.layout.pointer_bits as u16;
            let base = self.symbol(symbol, bits)?;
            let addend = i128::from(relocation.addend).cast_unsigned();
            let addend = self.pool.constant(bits, addend);
            return Some(self.pool.bin(TermOp::Add, base, addend));
        }
        let at = |at: u64| init.bytes.get(usize::try_from(at).ok()?).copied();
        let digits = (offset..end).rev();
        let value = digits.fold(0u128, |all, place| {
            all << 8 | u128::from(at(place).unwrap_or(0))
        });
        Some(self.pool.constant(u16::from(bytes) * 8, value))
    }

    /// What a constant of the program holds at an address.
    fn constant(&mut self, address: Term, bytes: u8) -> Option<Term> {
        let Root::Symbol(Symbol::Global(global)) = self.root(address)? else {
            return None;
        };
        let data = &self.names.effects.program.globals[global];
        if !data.constant {
            return None;
        }
        let (parts, offset) = self.pool.summands(address);
        if parts.len() == 1 {
            return self.number((global, u64::try_from(offset).ok()?), bytes);
        }
        let count = data.size / u64::from(bytes);
        if !bytes.is_power_of_two() || count == 0 || count > ELEMENTS {
            return None;
        }
        let mut entries = Vec::new();
        for index in 0..count {
            entries.push(self.number((global, index * u64::from(bytes)), bytes)?);
        }
        let bits = self.pool.width(address);
        let base = self.symbol(Symbol::Global(global), bits)?;
        let any = self.any(u16::from(bytes) * 8);
        let pool = &mut self.pool;
        let offset = pool.bin(TermOp::Sub, address, base);
        let shift = pool.constant(bits, u128::from(bytes.trailing_zeros()));
        let index = pool.bin(TermOp::LShr, offset, shift);
        let begin = pool.bin(TermOp::Shl, index, shift);
        let is_element = pool.eq(begin, offset);
        let end = pool.constant(bits, u128::from(count));
        let is_inside = pool.cmp(TermOp::Ult, index, end);
        let is_known = pool.and(is_element, is_inside);
        let found = pool.table(index, entries.into());
        Some(pool.ite(is_known, found, any))
    }

    /// The object that an address is derived from, if it is one that has a name.
    fn root(&self, address: Term) -> Option<Root> {
        let (parts, _) = self.pool.summands(address);
        let Names { roots, derived, .. } = &self.names;
        let known = |var: Var| roots.get(&var).or_else(|| derived.get(&var)).copied();
        let mut found = None;
        for part in parts {
            // A difference of addresses may lead from one object into another.
            let own = self.pool.as_var(part).and_then(known);
            let named = match own {
                Some(_) => 1,
                None => self.pool.vars(part).into_iter().filter_map(known).count(),
            };
            match (own, found) {
                (Some(_), None) => found = own,
                _ if named > 0 => return None,
                _ => {}
            }
        }
        found
    }

    /// Can no pointer that is not derived from the object's own name point into it?
    fn is_hidden(&self, root: Root) -> bool {
        let effects = self.names.effects;
        match root {
            Root::Symbol(Symbol::Global(global)) => effects.is_private(global),
            Root::Symbol(_) => true,
            Root::Object {
                function, value, ..
            } => effects.is_private_object(function, value),
        }
    }

    fn alias(&self, (a, a_bytes): (Term, u64), (b, b_bytes): (Term, u64)) -> Alias {
        let ((mut left, a_constant), (mut right, b_constant)) =
            (self.pool.summands(a), self.pool.summands(b));
        left.retain(|part| match right.iter().position(|other| other == part) {
            Some(at) => {
                right.remove(at);
                false
            }
            None => true,
        });
        if left.is_empty() && right.is_empty() {
            let unused = 128 - u32::from(self.pool.width(a));
            let offset = (a_constant.wrapping_sub(b_constant) << unused).cast_signed() >> unused;
            let apart = offset >= i128::from(b_bytes) || -offset >= i128::from(a_bytes);
            return match apart {
                true => Alias::Apart,
                false => Alias::At(offset),
            };
        }
        match (self.root(a), self.root(b)) {
            (Some(a), Some(b)) if a != b => Alias::Apart,
            (Some(root), None) if self.is_hidden(root) && !self.is_lost(b) => Alias::Apart,
            (None, Some(root)) if self.is_hidden(root) && !self.is_lost(a) => Alias::Apart,
            _ => match (
                self.region(a).map(|a| a.sized(a_bytes)),
                self.region(b).map(|b| b.sized(b_bytes)),
                &self.names.effects.regions,
            ) {
                (Some(a), Some(b), Some(regions)) if !regions.meet(&a, &b) => Alias::Apart,
                _ => Alias::Maybe,
            },
        }
    }

    /// Is an address made of a number that there is? That may be derived from any object's own name.
    fn is_lost(&self, address: Term) -> bool {
        let mut some = self.some.values();
        let vars = self.pool.vars(address);
        some.any(|term| {
            let var = self.pool.as_var(*term);
            var.is_some_and(|var| vars.contains(&var))
        })
    }

    /// May memory at an address change at any time, whatever the stretch does?
    fn is_unsteady(&self, address: Term) -> bool {
        let effects = self.names.effects;
        effects.is_mapped() && self.root(address).is_none()
            || self.is_written(effects.interrupts(), (address, LONG))
    }

    /// May a call have changed what memory holds at an address?
    fn may_change(&self, at: usize, cell: (Term, u64)) -> bool {
        match &self.done[at] {
            Done::Called(writes) => self.is_written(writes, cell),
            _ => true,
        }
    }

    fn is_written(&self, writes: &Writes, (address, bytes): (Term, u64)) -> bool {
        match self.root(address) {
            Some(Root::Symbol(Symbol::Global(global))) => {
                let is_constant = self.names.effects.program.globals[global].constant;
                let named = writes.globals.contains(&global);
                let pointed = || self.is_through(writes, (address, bytes));
                !is_constant && (named || !self.names.effects.is_private(global) && pointed())
            }
            Some(root @ Root::Object { .. }) => {
                !self.is_hidden(root) && self.is_through(writes, (address, bytes))
            }
            Some(Root::Symbol(_)) => false,
            None => self.is_through(writes, (address, bytes)) || self.may_name(address, writes),
        }
    }

    /// May what is written through pointers be in a region?
    fn is_through(&self, writes: &Writes, (address, bytes): (Term, u64)) -> bool {
        let (Some(regions), Some(through)) = (&self.names.effects.regions, &writes.through) else {
            return writes.pointers;
        };
        let region = self.region(address).map(|region| region.sized(bytes));
        writes.pointers || region.is_none_or(|region| regions.meet(through, &region))
    }

    /// May an address of which no object is known be one of these globals? No pointer leads to some of them: it would have to name one.
    fn may_name(&self, address: Term, writes: &Writes) -> bool {
        let is_named = |global: &GlobalId| {
            let mut vars = self.pool.vars(address).into_iter();
            vars.any(|var| {
                let root = self.names.roots.get(&var);
                matches!(root, Some(Root::Symbol(Symbol::Global(known))) if known == global)
            })
        };
        let mut globals = writes.globals.iter();
        let effects = self.names.effects;
        if let (Some(region), Some(regions)) = (self.region(address), &effects.regions) {
            let region = region.spread();
            return globals.any(|it| regions.meet(&region, &regions.global(effects.program, *it)));
        }
        globals.any(|global| !self.names.effects.is_private(*global) || is_named(global))
    }

    /// A term that is one of two, by a condition; also one to which something was added.
    fn choice(&mut self, term: Term) -> Option<[Term; 3]> {
        let is_choice = |pool: &Pool, part: Term| {
            matches!(
                pool.shape(part),
                Shape::Op {
                    op: TermOp::Ite,
                    ..
                }
            )
        };
        let (parts, constant) = self.pool.summands(term);
        let at = parts.iter().position(|part| is_choice(&self.pool, *part))?;
        let Shape::Op {
            operands: [condition, a, b],
            ..
        } = self.pool.shape(parts[at])
        else {
            return None;
        };
        let pool = &mut self.pool;
        let mut rest = pool.constant(pool.width(term), constant);
        for (index, part) in parts.iter().enumerate() {
            if index != at {
                rest = pool.bin(TermOp::Add, rest, *part);
            }
        }
        let (a, b) = (
            pool.bin(TermOp::Add, a, rest),
            pool.bin(TermOp::Add, b, rest),
        );
        Some([condition, a, b])
    }

    /// What holds of the addresses of objects: they are behind the first page, in the lower half, and apart.
    pub fn known_of_objects(&mut self) -> Vec<Term> {
        let mut objects: Vec<(Var, Root)> = self
            .names
            .roots
            .iter()
            .map(|(var, root)| (*var, *root))
            .collect();
        objects.sort_by_key(|(var, _)| *var);
        let program = self.names.effects.program;
        let bits = program.layout.pointer_bits as u16;
        let size = |root: Root| match root {
            // Linkers merge constants.
            Root::Symbol(Symbol::Global(global)) => match program.globals[global].constant {
                true => 0,
                false => program.globals[global].size,
            },
            Root::Symbol(_) => 1,
            Root::Object {
                function, value, ..
            } => match program.functions[function].inst(value).map(|inst| &inst.op) {
                Some(Op::Alloca { size, count, .. }) => match count.constant() {
                    Some(program::Const::Int { value, .. }) => {
                        let count = u64::try_from(*value).unwrap_or(u64::MAX);
                        size.saturating_mul(count).min(1 << 32)
                    }
                    _ => 0,
                },
                _ => 0,
            },
        };
        let mut known = Vec::new();
        for (index, (var, root)) in objects.iter().enumerate() {
            let pool = &mut self.pool;
            let object = pool.var(*var, bits);
            let low = pool.constant(bits, 4096);
            known.push(pool.cmp(TermOp::Ule, low, object));
            if bits == 64 {
                let high = pool.constant(bits, 1 << 47);
                known.push(pool.cmp(TermOp::Ult, object, high));
            }
            for (other, other_root) in &objects[index.saturating_sub(16)..index] {
                let sizes = (size(*root), size(*other_root));
                if sizes.0 > 0 && sizes.1 > 0 {
                    let other = pool.var(*other, bits);
                    known.push(semantics::apart(pool, (object, sizes.0), (other, sizes.1)));
                }
            }
        }
        known
    }
}
