//! Instructions run forward, from the start of a stretch to its end.

use std::collections::BTreeMap;

use program::{BlockId, EdgeId, Function, Op, Operand, ValueId};
use semantics::{Builder, Effect, Value};
use smt::{Pool, Term};

use super::effects::{Effects, Known};
use super::world::World;
use super::writes::Writes;

/// Runs instructions of one function.
pub struct Stretch<'w, 'a> {
    pub world: &'w mut World<'a>,
    pub effects: &'a Effects<'a>,
    pub function: program::FuncId,
    pub height: u32,
}

impl<'a> Stretch<'_, 'a> {
    fn body(&self) -> &'a Function {
        &self.effects.program.functions[self.function]
    }

    /// Control goes from the end of a block to another one by one of some edges; by no edge where nothing is decided.
    pub fn take(&mut self, (from, to): (BlockId, BlockId), edges: &[EdgeId]) {
        let body = self.body();
        let looked_at = semantics::looked_at(&body.blocks[from].terminator);
        let looked_at =
            looked_at.and_then(|operand| self.world.operand(self.height, operand)?.scalar());
        if let Some(looked_at) = looked_at
            && let Some(taken) = self.any_taken(edges, looked_at)
        {
            self.world.hold(taken);
        }
        // The phis are one parallel assignment.
        let mut made = Vec::new();
        for (value, inst) in body.insts(to) {
            if !matches!(inst.op, Op::Phi { .. }) {
                break;
            }
            let operand = semantics::incoming(&inst.op, from);
            let known = operand.and_then(|operand| self.world.operand(self.height, operand));
            made.push((
                value,
                known.or_else(|| self.world.result(self.function, value)),
            ));
        }
        for (value, known) in made {
            self.world.set(value, known);
        }
    }

    /// Whether one of some edges of a site is taken; `None` where that is not known.
    fn any_taken(&mut self, edges: &[EdgeId], looked_at: Term) -> Option<Term> {
        let program = self.effects.program;
        let mut any: Option<Term> = None;
        for edge in edges {
            let data = &program.edges[*edge];
            let kind = &program.sites[data.site].kind;
            let mut builder = Builder::new(&mut self.world.pool, program.layout);
            let taken = builder.taken(kind, data.side, looked_at).ok()?;
            any = Some(match any {
                Some(others) => self.world.pool.or(others, taken),
                None => taken,
            });
        }
        any
    }

    /// Control is at the end of a block and takes an edge.
    pub fn leave(&mut self, from: BlockId, edge: EdgeId) {
        let looked_at = semantics::looked_at(&self.body().blocks[from].terminator);
        let looked_at =
            looked_at.and_then(|operand| self.world.operand(self.height, operand)?.scalar());
        if let Some(looked_at) = looked_at
            && let Some(taken) = self.any_taken(&[edge], looked_at)
        {
            self.world.hold(taken);
        }
    }

    /// Control is at a conditional expression without a branch, and takes an edge of it: its counter grows, or does not.
    pub fn grow(&mut self, (block, at): (BlockId, usize), edge: EdgeId) {
        let body = self.body();
        let inst = body.inst(body.blocks[block].insts[at]);
        let step = inst.and_then(|inst| semantics::grows_by(&inst.op));
        let step = step.and_then(|step| self.world.operand(self.height, step)?.scalar());
        if let Some(taken) = step.and_then(|step| self.any_taken(&[edge], step)) {
            self.world.hold(taken);
        }
    }

    /// Instructions of a block, from one number up to another.
    pub fn run(&mut self, block: BlockId, range: std::ops::Range<usize>) {
        let body = self.body();
        for value in &body.blocks[block].insts[range] {
            if self.world.is_over {
                return;
            }
            if let Some(inst) = body.inst(*value) {
                self.inst(*value, &inst.op);
            }
        }
    }

    fn inst(&mut self, value: ValueId, op: &'a Op) {
        let ty = &self.body().values[value].ty;
        match op {
            Op::Phi { .. } | Op::Count { .. } => {}
            Op::Call { .. } => self.call(value),
            Op::Alloca { .. } => self.world.make_object(value),
            _ => {
                let made = self.plain((op, ty));
                let made = made.or_else(|| self.world.result(self.function, value));
                self.world.set(value, made);
            }
        }
    }

    /// The result of an instruction, if it is known; memory changes as it says.
    fn plain(&mut self, (op, ty): (&'a Op, &program::Type)) -> Option<Value> {
        let mut operands: Vec<&Operand> = Vec::new();
        op.for_each_operand(|operand| operands.push(operand));
        let body = self.body();
        let types: Vec<program::Type> = operands.iter().map(|it| body.operand_type(it)).collect();
        let known: Option<Vec<Value>> = operands
            .iter()
            .map(|operand| self.world.operand(self.height, operand))
            .collect();
        let layout = self.effects.program.layout;
        let effect = match &known {
            None if semantics::is_computed(op) => return None,
            None => Effect::Havoc(semantics::Gap::Operands),
            Some(known) if semantics::is_computed(op) => {
                return self.computed((op, ty), known);
            }
            Some(known) => {
                let mut builder = Builder::new(&mut self.world.pool, layout);
                builder.effect(op, ty, known, &types)
            }
        };
        match effect {
            Effect::Value(made) => return Some(made),
            Effect::Read(access) => {
                if access.volatile || access.bytes > 256 {
                    return None;
                }
                return self.read(access.address, access.bytes, ty);
            }
            Effect::Write(write) => self.world.write(write),
            Effect::Copy(block) => self.world.copy(block),
            Effect::Fill { block, byte } => self.world.fill(block, byte),
            Effect::Nothing | Effect::Unknown(_) | Effect::Stop => {}
            _ => {
                if semantics::may_write(op) {
                    self.world.call_writes(Writes::everything());
                }
            }
        }
        None
    }

    fn computed(&mut self, (op, ty): (&Op, &program::Type), known: &[Value]) -> Option<Value> {
        // Numbers that LLVM leaves open are made before: the builder has the terms.
        let mut open = Vec::new();
        let layout = self.effects.program.layout;
        let first = u32::MAX - 4096;
        let mut any = |pool: &mut Pool, bits| {
            // Names of their own, replaced below.
            open.push(bits);
            pool.var(smt::Var(first + open.len() as u32), bits)
        };
        let mut builder = Builder::new(&mut self.world.pool, layout);
        let made = builder.sure_value(op, ty, known, &mut any).ok()?;
        if open.is_empty() {
            return Some(made);
        }
        let mut by = BTreeMap::new();
        for (index, bits) in open.into_iter().enumerate() {
            let var = smt::Var(first + index as u32 + 1);
            by.insert(var, self.world.any(bits));
        }
        Some(replaced(&mut self.world.pool, &made, &by))
    }

    fn read(&mut self, address: Term, size: u64, ty: &program::Type) -> Option<Value> {
        let mut bytes = Vec::new();
        let mut at = 0;
        while at < size {
            let part = match size - at {
                left if left <= 16 => left,
                _ => 8,
            };
            let pool = &mut self.world.pool;
            let offset = pool.constant(pool.width(address), u128::from(at));
            let place = pool.bin(smt::Op::Add, address, offset);
            let whole = self.world.load(place, part as u8);
            let pool = &mut self.world.pool;
            bytes.extend((0..part as u16).map(|index| pool.extract(whole, index * 8, 8)));
            at += part;
        }
        let layout = self.effects.program.layout;
        let mut builder = Builder::new(&mut self.world.pool, layout);
        builder.read(ty, &bytes).ok()
    }

    /// A call that is not looked into: it comes back, and what it may write is not known.
    pub fn call(&mut self, value: ValueId) {
        let body = self.body();
        let made = self.world.result(self.function, value);
        self.world.set(value, made.clone());
        if let Some(made) = made.as_ref().and_then(Value::scalar) {
            self.one_of_results(value, made);
        }
        let Some(Op::Call { args, .. }) = body.inst(value).map(|inst| &inst.op) else {
            return;
        };
        let Some(site) = self.effects.site(self.function, value) else {
            self.world.call_writes(Writes::everything());
            return;
        };
        let mut writes = Writes::default();
        if self.effects.is_open(site) {
            writes.add(&Writes::everything());
        }
        for (function, _) in self.effects.entered(site) {
            writes.add(&self.effects.entered_writes(site, function));
        }
        let unmodelled: Vec<program::ExternId> = self.effects.unmodelled(site).collect();
        let given = self.given(&unmodelled, site, args);
        for id in unmodelled.iter().filter(|_| given.is_none()) {
            writes.add(&self.effects.extern_writes((self.function, value), *id));
        }
        if let Some((to, most)) = given {
            self.world.give(to, most);
        }
        if let ([id], [_]) = (&unmodelled[..], &site.targets[..]) {
            match self.effects.known(*id) {
                Known::Ends => self.world.is_over = true,
                Known::Assumes => {
                    let term = args
                        .first()
                        .and_then(|arg| self.world.operand(self.height, arg)?.scalar());
                    if let Some(term) = term {
                        let pool = &mut self.world.pool;
                        let zero = pool.constant(pool.width(term), 0);
                        let holds = pool.ne(term, zero);
                        self.world.hold(holds);
                    }
                }
                Known::Character => {
                    if let Some(read) = made.and_then(|made| made.scalar()) {
                        let pool = &mut self.world.pool;
                        let bits = pool.width(read);
                        let (end, last) =
                            (pool.constant(bits, u128::MAX), pool.constant(bits, 255));
                        let least = pool.cmp(smt::Op::Sle, end, read);
                        let most = pool.cmp(smt::Op::Sle, read, last);
                        self.world.hold(least);
                        self.world.hold(most);
                    }
                }
                Known::Quiet | Known::Gives { .. } | Known::Writes => {}
            }
        }
        self.world.call_writes(writes);
    }

    /// A call returns one of the numbers that the words of the command line allow.
    fn one_of_results(&mut self, call: ValueId, made: Term) {
        let Some(results) = self.effects.results(self.function, call) else {
            return;
        };
        let pool = &mut self.world.pool;
        let bits = pool.width(made);
        let mut any = pool.bool(false);
        for result in results {
            let result = pool.constant(bits, i128::from(*result).cast_unsigned());
            let is_it = pool.eq(made, result);
            any = pool.or(any, is_it);
        }
        self.world.hold(any);
    }

    /// Where a call of one function that gives an input writes it, and how many bytes at most.
    fn given(
        &mut self,
        unmodelled: &[program::ExternId],
        site: &program::callgraph::CallSite,
        args: &[Operand],
    ) -> Option<(Term, Option<u64>)> {
        let ([id], [_], true) = (unmodelled, &site.targets[..], site.callbacks.is_empty()) else {
            return None;
        };
        let Known::Gives { bytes } = self.effects.known(*id) else {
            return None;
        };
        let to = self.world.operand(self.height, args.first()?)?.scalar()?;
        if !self.world.is_address(to) {
            return None;
        }
        if !bytes {
            // No number has more.
            return Some((to, Some(16)));
        }
        let count = args
            .get(1)
            .and_then(|arg| self.world.operand(self.height, arg)?.scalar());
        let count = count.and_then(|count| self.world.pool.as_const(count));
        Some((to, count.and_then(|count| u64::try_from(count).ok())))
    }
}

fn replaced(pool: &mut Pool, value: &Value, by: &BTreeMap<smt::Var, Term>) -> Value {
    match value {
        Value::Scalar(term) => Value::Scalar(pool.substitute(*term, by)),
        Value::Members(members) => {
            let members: Vec<Value> = members.iter().map(|it| replaced(pool, it, by)).collect();
            members.into()
        }
    }
}
