//! One step of a way: an instruction, or the end of a block.

use std::collections::BTreeMap;
use std::rc::Rc;

use program::getopt;
use program::outside::{Effect, Result as Returns};
use program::{
    BlockId, Callee, EdgeId, FuncId, Function, Intrinsic, MemOp, Op, Operand, Terminator, Type,
    ValueId,
};
use semantics::{Builder, Symbol, Value};

use super::memory::{self, Kind};
use super::{DEPTH, Frame, LEAST, Next, Opening, RECURSION, State};

impl Opening<'_> {
    /// One instruction, or the end of a block.
    pub(super) fn step(&mut self, way: &mut State) -> Next {
        let Some(frame) = way.frames.last() else {
            return Next::End;
        };
        let program = self.program;
        let body = &program.functions[frame.function];
        let Some(data) = body.blocks.get(frame.block) else {
            return Next::Over;
        };
        let Some(value) = data.insts.get(frame.at).copied() else {
            return self.leave(way, &data.terminator);
        };
        let Some(inst) = body.inst(value) else {
            return Next::Over;
        };
        match &inst.op {
            Op::Call { callee, args, .. } => self.call(way, value, (callee, args)),
            Op::Phi { .. } | Op::Count { .. } => Self::on(way),
            op => {
                let next = self.plain(way, value, op);
                let frame = way.frames.last();
                let is_known = frame.is_none_or(|frame| frame.values.contains_key(&value));
                if !is_known && may_hold_address(&body.values[value].ty) {
                    let mut operands = Vec::new();
                    match op {
                        Op::Mem { args, .. } => operands.push(&args[0]),
                        op => op.for_each_operand(|operand| operands.push(operand)),
                    }
                    self.leak(way, operands.into_iter());
                }
                match next {
                    Next::On => Self::on(way),
                    other => other,
                }
            }
        }
    }

    pub(super) fn on(way: &mut State) -> Next {
        if let Some(frame) = way.frames.last_mut() {
            frame.at += 1;
        }
        Next::On
    }

    /// What is known of a value is this.
    pub(super) fn set(way: &mut State, value: ValueId, known: Option<Value>) {
        if let Some(frame) = way.frames.last_mut() {
            match known {
                Some(known) => _ = Rc::make_mut(&mut frame.values).insert(value, known),
                None if frame.values.contains_key(&value) => {
                    Rc::make_mut(&mut frame.values).remove(&value);
                }
                None => {}
            }
        }
    }

    /// An instruction that is no call.
    pub(super) fn plain(&mut self, way: &mut State, value: ValueId, op: &Op) -> Next {
        let Some(frame) = way.frames.last() else {
            return Next::Over;
        };
        let function = frame.function;
        let body = &self.program.functions[function];
        let ty = &body.values[value].ty;
        match op {
            Op::Alloca { size, count, .. } => {
                let count = self.number(way, count);
                let size = count.and_then(|count| size.checked_mul(u64::try_from(count).ok()?));
                let made = self.object(Kind::Stack(size, (function, value)));
                if let Some(frame) = way.frames.last_mut() {
                    frame.objects.push(made);
                }
                let made = self.address(made);
                Self::set(way, value, Some(Value::Scalar(made)));
                Next::On
            }
            Op::Load {
                address, volatile, ..
            } => {
                let size = self.program.layout.store_size(ty);
                let at = self.place(way, address);
                let read = at.zip(size).filter(|_| !volatile);
                let read = read.and_then(|(at, size)| self.read(&way.memory, at, size));
                let layout = self.program.layout;
                let mut builder = Builder::new(&mut self.pool, layout);
                let known = read.and_then(|bytes| builder.read(ty, &bytes).ok());
                Self::set(way, value, known);
                Next::On
            }
            Op::Store {
                address,
                value: stored,
                ..
            } => {
                let ty = body.operand_type(stored);
                let size = self.program.layout.store_size(&ty);
                let known = self.operand(way, stored);
                let layout = self.program.layout;
                let mut builder = Builder::new(&mut self.pool, layout);
                let bytes = known.and_then(|known| builder.written(&ty, &known).ok());
                let (Some(size), at) = (size, self.place(way, address)) else {
                    return Next::Over;
                };
                let bytes = bytes.unwrap_or_else(|| vec![None; size as usize]);
                match at {
                    Some(at) => self.write(&mut way.memory, at, &bytes),
                    None => self.spoil_region(way, Some(address)),
                }
            }
            Op::Mem { op, args, .. } => {
                let [to, from, length] = args;
                self.leak_list(way, args);
                let length = self.number(way, length);
                let to_place = self.place(way, to);
                let bytes = match (op, length.and_then(|it| usize::try_from(it).ok())) {
                    (_, None) => None,
                    (_, Some(length)) if length > memory::MOST => None,
                    (MemOp::Copy | MemOp::Move, Some(length)) => {
                        let from = self.place(way, from);
                        Some(self.bytes(&way.memory, from, length))
                    }
                    (MemOp::Set, Some(length)) => {
                        let byte = self.operand(way, from).and_then(|byte| byte.scalar());
                        Some(vec![byte; length])
                    }
                };
                let result = self.operand(way, to);
                Self::set(way, value, result);
                match (bytes, to_place) {
                    (Some(bytes), Some(place)) => self.write(&mut way.memory, place, &bytes),
                    (_, place) => self.spoil(way, place, Some(to)),
                }
            }
            Op::Intrinsic {
                op: Intrinsic::VaStart | Intrinsic::VaEnd | Intrinsic::VaCopy,
                args,
            } => {
                let list = args.first().and_then(|list| self.place(way, list));
                Self::set(way, value, None);
                self.spoil(way, list, args.first())
            }
            Op::Intrinsic {
                op: Intrinsic::Trap,
                ..
            } => Next::End,
            Op::Select {
                cond,
                then_value,
                else_value,
            } => {
                let cond = self.number(way, cond);
                let known = match cond {
                    Some(0) => self.operand(way, else_value),
                    Some(_) => self.operand(way, then_value),
                    None => None,
                };
                Self::set(way, value, known);
                Next::On
            }
            op if semantics::is_computed(op) => {
                let known = self.computed(way, op, ty);
                Self::set(way, value, known);
                Next::On
            }
            op if semantics::may_write(op) => Next::Over,
            _ => {
                Self::set(way, value, None);
                Next::On
            }
        }
    }

    /// What a block ends in.
    pub(super) fn leave(&mut self, way: &mut State, terminator: &Terminator) -> Next {
        match terminator {
            Terminator::Br { target } => {
                self.go(way, None, *target);
                Next::On
            }
            Terminator::CondBr {
                cond,
                then,
                els,
                site,
            } => {
                let edges = [(0, *els), (1, *then)];
                let edges = edges.map(|(side, to)| (Some(self.program.edge(*site, side)), to));
                match self.number(way, cond) {
                    Some(known) => {
                        let (edge, to) = edges[usize::from(known != 0)];
                        self.go(way, edge, to);
                        Next::On
                    }
                    None => Next::Fork(edges.to_vec()),
                }
            }
            Terminator::Switch {
                value,
                cases,
                default,
                site,
            } => {
                let targets = cases.iter().map(|(_, to)| *to).chain([*default]);
                let edges = self.program.edges_of(*site).map(Some);
                let ways: Vec<_> = edges.zip(targets).collect();
                match self.number(way, value) {
                    Some(known) => {
                        let at = cases.iter().position(|(case, _)| *case == known);
                        let (edge, to) = ways[at.unwrap_or(cases.len())];
                        self.go(way, edge, to);
                        Next::On
                    }
                    None => Next::Fork(ways),
                }
            }
            Terminator::Ret { value } => {
                let known = value.as_ref().and_then(|value| self.operand(way, value));
                self.leave_frame(way);
                let Some(frame) = way.frames.last() else {
                    return Next::End;
                };
                let body = &self.program.functions[frame.function];
                let call = body.blocks[frame.block].insts[frame.at];
                // A call by another type than the function's.
                let fits = known.filter(|_| body.values[call].ty != Type::Void);
                Self::set(way, call, fits);
                Self::on(way)
            }
            Terminator::Unreachable => Next::End,
            Terminator::IndirectBr { .. } | Terminator::Opaque { .. } => Next::Over,
        }
    }

    /// Control goes to a block of the same function.
    pub(super) fn go(&mut self, way: &mut State, edge: Option<EdgeId>, to: BlockId) {
        self.taken.extend(edge);
        let Some(frame) = way.frames.last() else {
            return;
        };
        let (function, from) = (frame.function, frame.block);
        let body = &self.program.functions[function];
        let mut made = Vec::new();
        for (value, inst) in body.insts(to) {
            if !matches!(inst.op, Op::Phi { .. }) {
                break;
            }
            let operand = semantics::incoming(&inst.op, from);
            made.push((
                value,
                operand.and_then(|operand| self.operand(way, operand)),
            ));
        }
        for (value, known) in made {
            Self::set(way, value, known);
        }
        if let Some(frame) = way.frames.last_mut() {
            (frame.block, frame.at) = (to, 0);
        }
    }

    pub(super) fn call(
        &mut self,
        way: &mut State,
        value: ValueId,
        (callee, args): (&Callee, &[Operand]),
    ) -> Next {
        let symbol = match callee {
            Callee::Direct(function) => Symbol::Function(*function),
            Callee::Extern(id) => Symbol::Extern(*id),
            Callee::Asm(_) => return self.over(way, value),
            Callee::Indirect(operand) => {
                let place = self.place(way, operand);
                let object = place.filter(|(_, at)| *at == 0).map(|(object, _)| object);
                match object.map(|object| &self.objects[object as usize]) {
                    Some(Kind::Symbol(symbol)) => *symbol,
                    _ => return self.over(way, value),
                }
            }
        };
        match symbol {
            Symbol::Function(function) if self.is_followed(way, function) => {
                self.enter(way, function, args)
            }
            Symbol::Function(_) => self.over(way, value),
            Symbol::Extern(id) => {
                let name = self.program.externs[id].name.clone();
                let next = self.library(way, value, (&name, args));
                let caller = way.frames.last();
                let ty = caller.map(|it| &self.program.functions[it.function].values[value].ty);
                let is_known = caller.is_none_or(|it| it.values.contains_key(&value));
                let is_other = |result| matches!(result, Returns::Number | Returns::Outside);
                let (gives_other, reads_only) = match self.outside.effect(&name) {
                    Effect::Pure => (true, true),
                    Effect::Writes(result) => (is_other(result), false),
                    Effect::Reads(result) => (is_other(result), true),
                    _ => (false, false),
                };
                if !is_known && !gives_other && ty.is_none_or(may_hold_address) {
                    self.leak(way, args.iter());
                }
                if !reads_only && getopt::family(&name).is_none() {
                    self.leak_list(way, args);
                }
                match next {
                    Next::On => Self::on(way),
                    other => other,
                }
            }
            Symbol::Global(_) => Next::Over,
        }
    }

    /// A call that is not followed.
    fn over(&mut self, way: &mut State, call: ValueId) -> Next {
        match self.pass_over(way, call) {
            Next::On => Self::on(way),
            other => other,
        }
    }

    /// Is a call of a function followed?
    fn is_followed(&self, way: &State, function: FuncId) -> bool {
        let own = way.frames.iter().filter(|it| it.function == function);
        let has_time = way.frames.last().is_some_and(|it| self.steps < it.limit);
        has_time
            && way.frames.len() < DEPTH
            && own.count() < RECURSION
            && !self.program.functions[function].blocks.is_empty()
    }

    fn enter(&mut self, way: &mut State, function: FuncId, args: &[Operand]) -> Next {
        let body = &self.program.functions[function];
        let Some((caller, limit)) = way.frames.last().map(|it| (it.function, it.limit)) else {
            return Next::Over;
        };
        let caller = &self.program.functions[caller];
        let mut values = BTreeMap::new();
        for (param, arg) in body.params.iter().zip(args) {
            let is_same = caller.operand_type(arg) == body.values[*param].ty;
            match self.operand(way, arg) {
                Some(known) if is_same => _ = values.insert(*param, known),
                _ => self.leak(way, [arg].into_iter()),
            }
        }
        // Those behind have no names.
        self.leak(way, args.iter().skip(body.params.len()));
        self.calls += 1;
        self.entered.insert(function);
        let share = limit.saturating_sub(self.steps).max(LEAST) / 2;
        way.frames.push(Frame {
            function,
            block: Function::ENTRY,
            at: 0,
            values: Rc::new(values),
            objects: Vec::new(),
            number: self.calls,
            limit: self.steps + share,
            latest: self.steps + share + share / 2,
        });
        Next::On
    }

    /// A call ends, and what it had on the stack.
    pub(super) fn leave_frame(&mut self, way: &mut State) -> Option<Frame> {
        let frame = way.frames.pop()?;
        for object in &frame.objects {
            way.memory.end(*object);
        }
        Some(frame)
    }
}

/// Is there room for an address?
fn may_hold_address(ty: &Type) -> bool {
    !matches!(ty, Type::Void | Type::F32 | Type::F64 | Type::Int(..=32))
}
