//! One step of a way: an instruction, or the end of a block.

use std::collections::BTreeMap;

use program::{
    BlockId, Callee, EdgeId, FuncId, Function, Intrinsic, MemOp, Op, Operand, Terminator, Type,
    ValueId,
};
use semantics::{Builder, Symbol, Value};

use super::memory::{self, Kind};
use super::{DEPTH, Frame, Next, Opening, State};

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
                Some(known) => frame.values.insert(value, known),
                None => frame.values.remove(&value),
            };
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
                let made = self.object(Kind::Stack(size));
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
                self.write(&mut way.memory, at, &bytes)
            }
            Op::Mem { op, args, .. } => {
                let [to, from, length] = args;
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
                match bytes {
                    Some(bytes) => self.write(&mut way.memory, to_place, &bytes),
                    None => self.spoil(&mut way.memory, to_place),
                }
            }
            Op::Intrinsic {
                op: Intrinsic::VaStart | Intrinsic::VaEnd | Intrinsic::VaCopy,
                args,
            } => {
                let list = args.first().and_then(|list| self.place(way, list));
                Self::set(way, value, None);
                self.spoil(&mut way.memory, list)
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
                way.frames.pop();
                let Some(frame) = way.frames.last() else {
                    return Next::End;
                };
                let body = &self.program.functions[frame.function];
                let call = body.blocks[frame.block].insts[frame.at];
                // A call by another type than the function's.
                let is_same = value.as_ref().is_some_and(|_| known.is_some());
                let fits = known.filter(|_| is_same && body.values[call].ty != Type::Void);
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
            Callee::Asm(_) => return Next::Over,
            Callee::Indirect(operand) => {
                let place = self.place(way, operand);
                let object = place.filter(|(_, at)| *at == 0).map(|(object, _)| object);
                match object.map(|object| &self.objects[object as usize]) {
                    Some(Kind::Symbol(symbol)) => *symbol,
                    _ => return Next::Over,
                }
            }
        };
        match symbol {
            Symbol::Function(function) => self.enter(way, function, args),
            Symbol::Extern(id) => {
                let name = self.program.externs[id].name.clone();
                match self.library(way, value, (&name, args)) {
                    Next::On => Self::on(way),
                    other => other,
                }
            }
            Symbol::Global(_) => Next::Over,
        }
    }

    pub(super) fn enter(&mut self, way: &mut State, function: FuncId, args: &[Operand]) -> Next {
        let body = &self.program.functions[function];
        if way.frames.len() >= DEPTH || body.blocks.is_empty() {
            return Next::Over;
        }
        let Some(caller) = way.frames.last().map(|frame| frame.function) else {
            return Next::Over;
        };
        let caller = &self.program.functions[caller];
        let mut values = BTreeMap::new();
        for (param, arg) in body.params.iter().zip(args) {
            let is_same = caller.operand_type(arg) == body.values[*param].ty;
            if let Some(known) = self.operand(way, arg).filter(|_| is_same) {
                values.insert(*param, known);
            }
        }
        way.frames.push(Frame {
            function,
            block: Function::ENTRY,
            at: 0,
            values,
        });
        Next::On
    }
}
