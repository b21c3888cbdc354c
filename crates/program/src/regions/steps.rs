//! What each instruction, each call and each function without a body adds to the sets.

use std::collections::BTreeSet;

use super::find::{Finder, Flow};
use super::{HOOK, Object, effect, is_summed_up};
use crate::callgraph::fits;
use crate::function::Function;
use crate::id::{ExternId, FuncId, ValueId};
use crate::inst::{Callee, Op, Terminator};
use crate::op::{BinOp, CastOp, Intrinsic, MemOp};
use crate::operand::{Const, Operand};
use crate::outside::{Effect, Result};
use crate::types::Type;

impl<'a> Finder<'a> {
    /// Control comes to a function.
    pub(super) fn reach(&mut self, function: FuncId) {
        if !self.reached.insert(function) {
            return;
        }
        let body = &self.program.functions[function];
        let first = self.sets.len() as u32;
        for _ in 0..body.values.len() {
            self.node();
        }
        self.values.insert(function, first);
        let result = self.node();
        self.results.insert(function, result);
        for (block, data) in body.blocks.iter() {
            for (value, inst) in body.insts(block) {
                self.inst(function, value, &inst.op);
            }
            match &data.terminator {
                Terminator::Ret { value: Some(value) } => {
                    self.flow_operand(function, value, result);
                }
                Terminator::Opaque { .. } => self.is_refused = true,
                _ => {}
            }
        }
    }

    pub(super) fn inst(&mut self, function: FuncId, value: ValueId, op: &'a Op) {
        let own = self.value(function, value);
        match op {
            Op::Alloca { .. } => {
                let start = self.start(Object::Stack(function, value));
                self.add(own, start);
            }
            Op::Load { address, .. } => {
                let how = match self.is_wide(&self.program.functions[function].values[value].ty) {
                    true => Flow::Joined,
                    false => Flow::Piece,
                };
                if let Some(address) = self.operand(function, address) {
                    self.load(address, (own, how));
                }
            }
            Op::Store {
                address,
                value: stored,
                ..
            } => self.stored(function, stored, address),
            Op::Mem { op, args, .. } => {
                match op {
                    MemOp::Copy | MemOp::Move => self.copied(function, &args[1], &args[0]),
                    MemOp::Set => self.stored(function, &args[1], &args[0]),
                }
                self.flow_operand(function, &args[0], own);
            }
            Op::Select {
                then_value,
                else_value,
                ..
            } => {
                self.flow_operand(function, then_value, own);
                self.flow_operand(function, else_value, own);
            }
            Op::Intrinsic {
                op: Intrinsic::VaStart,
                args,
            } => {
                let rest = self.start(Object::Rest(function));
                let node = self.node();
                self.add(node, rest);
                if let Some(to) = args.first().and_then(|to| self.operand(function, to)) {
                    self.store(node, to);
                }
            }
            Op::Intrinsic {
                op: Intrinsic::VaCopy,
                args,
            } => self.copied(function, &args[1], &args[0]),
            Op::Call { callee, args, .. } => self.call(function, value, (callee, args)),
            Op::Opaque { args, .. } => self.strange(function, value, args),
            op => {
                let body = &self.program.functions[function];
                if let Some(how) = self.flow_of(body, (op, &body.values[value].ty)) {
                    op.for_each_operand(|operand| {
                        if let Some(from) = self.operand(function, operand) {
                            self.flow_as(from, own, how);
                        }
                    });
                }
            }
        }
    }

    /// How what an instruction computes leads where its operands do, if it does: pieces of addresses are moved, shifted and joined, not
    /// counted with.
    pub(super) fn flow_of(&self, body: &Function, (op, ty): (&Op, &Type)) -> Option<Flow> {
        let is_wide = self.is_wide(ty);
        let how = match op {
            Op::FBin { .. } | Op::FNeg { .. } | Op::ICmp { .. } | Op::FCmp { .. } => return None,
            Op::Count { .. } => return None,
            Op::Bin { op, .. } => {
                let joins = matches!(
                    op,
                    BinOp::And
                        | BinOp::Or
                        | BinOp::Xor
                        | BinOp::Shl
                        | BinOp::LShr
                        | BinOp::AShr
                        | BinOp::Mul
                );
                match joins {
                    true => Flow::Mixed,
                    false if is_wide => Flow::Moved(None),
                    false => return None,
                }
            }
            Op::Gep {
                base,
                indices,
                offset,
            } => {
                // In loops it may be any number of times.
                let base = base.value().and_then(|base| body.inst(base));
                let is_moving = base.is_some_and(|inst| matches!(inst.op, Op::Phi { .. }));
                Flow::Moved((!is_moving && indices.is_empty()).then_some(*offset))
            }
            Op::Cast { op, .. } => match op {
                CastOp::FpTrunc
                | CastOp::FpExt
                | CastOp::FpToUi
                | CastOp::FpToSi
                | CastOp::UiToFp
                | CastOp::SiToFp => return None,
                CastOp::ZExt | CastOp::SExt => Flow::Whole,
                _ => Flow::Joined,
            },
            Op::Phi { .. } | Op::Freeze { .. } => Flow::Whole,
            _ => Flow::Joined,
        };
        Some(if is_wide { how } else { Flow::Piece })
    }

    pub(super) fn stored(&mut self, function: FuncId, stored: &Operand, to: &Operand) {
        let (from, to) = (self.operand(function, stored), self.operand(function, to));
        if let (Some(from), Some(to)) = (from, to) {
            self.store(from, to);
        }
    }

    pub(super) fn copied(&mut self, function: FuncId, from: &Operand, to: &Operand) {
        let (from, to) = (self.operand(function, from), self.operand(function, to));
        if let (Some(from), Some(to)) = (from, to) {
            self.copy(from, to);
        }
    }

    /// Others get values, and return one.
    pub(super) fn strange(&mut self, function: FuncId, value: ValueId, args: &[Operand]) {
        let known = self.known();
        for arg in args {
            self.flow_operand(function, arg, known);
        }
        if self.is_wide(&self.program.functions[function].values[value].ty) {
            self.flow(known, self.value(function, value));
        }
    }

    /// Is there room for an address?
    pub(super) fn is_wide(&self, ty: &Type) -> bool {
        match ty {
            // Addresses of programs have 47 bits.
            Type::Int(bits) => *bits > 32,
            Type::F32 | Type::F64 | Type::Void => false,
            _ => true,
        }
    }

    pub(super) fn call(
        &mut self,
        function: FuncId,
        value: ValueId,
        (callee, args): (&'a Callee, &[Operand]),
    ) {
        match callee {
            Callee::Direct(target) => self.enter((function, value), *target, args),
            Callee::Extern(id) => self.leave((function, value), *id, args),
            Callee::Asm(_) => self.strange(function, value, args),
            Callee::Indirect(operand) => {
                let Some(node) = self.operand(function, operand) else {
                    return;
                };
                self.calls.entry(node).or_default().push((function, value));
                for object in self.objects_of(node) {
                    self.through(function, value, object);
                }
            }
        }
    }

    /// A call through a pointer may call something.
    pub(super) fn through(&mut self, function: FuncId, call: ValueId, object: u32) {
        let object = self.spots[object as usize].0;
        if !self
            .called
            .entry((function, call))
            .or_default()
            .insert(object)
        {
            return;
        }
        let body = &self.program.functions[function];
        let Some(Op::Call { args, .. }) = body.inst(call).map(|inst| &inst.op) else {
            return;
        };
        match self.objects[object as usize] {
            Object::Function(target) => self.enter((function, call), target, args),
            Object::Extern(id) => self.leave((function, call), id, args),
            Object::Outside => self.strange(function, call, args),
            _ => {}
        }
    }

    /// Does a call fit what it may call?
    pub(super) fn is_fitting(&self, function: FuncId, call: ValueId, object: u32) -> bool {
        let caller = &self.program.functions[function];
        let Some(Op::Call { args, .. }) = caller.inst(call).map(|inst| &inst.op) else {
            return false;
        };
        let args: Vec<Type> = args.iter().map(|arg| caller.operand_type(arg)).collect();
        let result = &caller.values[call].ty;
        match self.objects[object as usize] {
            Object::Function(target) => fits(&self.program.functions[target], result, &args),
            Object::Extern(id) => {
                let known = &self.program.externs[id];
                (*result == Type::Void || *result == known.return_type)
                    && known.params.len() <= args.len()
                    && known
                        .params
                        .iter()
                        .zip(&args)
                        .all(|(param, arg)| param == arg)
            }
            _ => false,
        }
    }

    /// A call enters a function of the program.
    pub(super) fn enter(
        &mut self,
        (function, call): (FuncId, ValueId),
        target: FuncId,
        args: &[Operand],
    ) {
        self.reach(target);
        let body = &self.program.functions[target];
        for (at, arg) in args.iter().enumerate() {
            match body.params.get(at) {
                Some(param) => self.flow_operand(function, arg, self.value(target, *param)),
                None => {
                    let rest = self.start(Object::Rest(target));
                    self.flow_operand(function, arg, self.content(rest));
                }
            }
        }
        match self.hands_out(target) {
            true => self.allocated((function, call), args),
            false => self.flow(self.results[&target], self.value(function, call)),
        }
    }

    /// A call makes an object, which may hold what its arguments do.
    pub(super) fn allocated(&mut self, (function, call): (FuncId, ValueId), args: &[Operand]) {
        let made = self.start(Object::Heap(function, call));
        let own = self.value(function, call);
        self.add(own, made);
        for arg in args {
            if let Some(from) = self.operand(function, arg) {
                let content = self.content(made);
                self.load(from, (content, Flow::Whole));
            }
        }
    }

    /// A call enters a function without a body.
    pub(super) fn leave(
        &mut self,
        (function, call): (FuncId, ValueId),
        id: ExternId,
        args: &[Operand],
    ) {
        let name = &self.program.externs[id].name;
        let model = self
            .program
            .function_named(&format!("{}{name}", self.models));
        if let Some(model) = model.filter(|_| !is_summed_up(name)) {
            self.enter((function, call), model, args);
        }
        let effect = effect(self.outside, name);
        let result = match effect {
            Effect::Unknown => return self.strange(function, call, args),
            _ if name.starts_with(HOOK) => {
                self.written_among(function, args);
                let own = self.value(function, call);
                for arg in args {
                    if let Some(from) = self.operand(function, arg) {
                        self.flow_as(from, own, Flow::Mixed);
                    }
                }
                return;
            }
            Effect::Writes(result) => {
                self.written_among(function, args);
                result
            }
            Effect::Reads(result) => result,
            Effect::Allocates(_) | Effect::Reallocates => {
                return self.allocated((function, call), args);
            }
            Effect::OwnNumber => {
                let why = self.why();
                let own = self.value(function, call);
                return self.add(own, why);
            }
            Effect::Keeps => {
                self.written_among(function, args);
                return self.strange(function, call, args);
            }
            Effect::Parses => {
                if let [text, to, ..] = args
                    && let Some(text) = self.operand(function, text)
                    && let Some(to) = self.operand(function, to)
                {
                    let within = self.node();
                    self.flow_as(text, within, Flow::Moved(None));
                    self.store(within, to);
                }
                Result::Number
            }
            Effect::NoReturn | Effect::Assume | Effect::Pure => Result::Number,
        };
        let own = self.value(function, call);
        match result {
            Result::Number => {}
            Result::First | Result::FirstOrNull | Result::Within => {
                let from = args.first().and_then(|arg| self.operand(function, arg));
                let how = match result {
                    Result::Within => Flow::Moved(None),
                    _ => Flow::Whole,
                };
                if let Some(from) = from {
                    self.flow_as(from, own, how);
                }
            }
            Result::Outside => self.flow(self.known(), own),
        }
    }

    /// What some arguments lead to is written into the objects of others.
    pub(super) fn written_among(&mut self, function: FuncId, args: &[Operand]) {
        for to in args {
            for from in args {
                self.copied(function, from, to);
            }
        }
    }

    /// Does a function hand out what it allocates, and nothing else, so that nobody else knows that?
    pub(super) fn hands_out(&mut self, function: FuncId) -> bool {
        if let Some(known) = self.handed_out.get(&function) {
            return *known;
        }
        // One that calls itself does not.
        self.handed_out.insert(function, false);
        let found = self.is_allocator(function);
        self.handed_out.insert(function, found);
        found
    }

    pub(super) fn is_allocator(&mut self, function: FuncId) -> bool {
        let body = &self.program.functions[function];
        if body.return_type != Type::Ptr || body.library {
            return false;
        }
        let rets = body
            .blocks
            .values()
            .filter_map(|data| match &data.terminator {
                Terminator::Ret { value } => value.as_ref(),
                _ => None,
            });
        let (mut made, mut passed) = (BTreeSet::new(), BTreeSet::new());
        let mut work: Vec<&Operand> = rets.collect();
        while let Some(operand) = work.pop() {
            let value = match operand {
                Operand::Const(Const::Null) => continue,
                Operand::Const(_) => return false,
                Operand::Value(value) => *value,
            };
            match body.inst(value).map(|inst| &inst.op) {
                Some(op @ (Op::Phi { .. } | Op::Freeze { .. })) => {
                    if passed.insert(value) {
                        op.for_each_operand(|operand| work.push(operand));
                    }
                }
                Some(Op::Call { callee, .. }) => {
                    let is_made = match callee {
                        Callee::Direct(target) => self.hands_out(*target),
                        Callee::Extern(id) => matches!(
                            self.outside.effect(&self.program.externs[*id].name),
                            Effect::Allocates(_) | Effect::Reallocates
                        ),
                        _ => false,
                    };
                    if !is_made {
                        return false;
                    }
                    made.insert(value);
                }
                _ => return false,
            }
        }
        !made.is_empty() && is_kept_in(body, &made, &passed)
    }
}

/// Are new objects compared and returned, and nothing else?
fn is_kept_in(body: &Function, made: &BTreeSet<ValueId>, passed: &BTreeSet<ValueId>) -> bool {
    let is_own = |operand: &Operand| {
        let value = operand.value();
        value.is_some_and(|value| made.contains(&value) || passed.contains(&value))
    };
    let mut blocks = body.blocks.keys();
    blocks.all(|block| {
        body.insts(block).all(|(value, inst)| {
            let mut is_used = false;
            inst.op
                .for_each_operand(|operand| is_used |= is_own(operand));
            match &inst.op {
                _ if !is_used => true,
                Op::ICmp { .. } => true,
                Op::Phi { .. } | Op::Freeze { .. } => passed.contains(&value),
                _ => false,
            }
        })
    })
}
