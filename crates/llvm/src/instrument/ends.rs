//! Ends of segments: terminators, select sites, divisions, memory intrinsics.

use super::events::Compared;
use super::function::{End, Fx};
use super::intrinsics::{self, Handling};
use crate::ir::{Opcode, Value};
use crate::number::SiteKind;
use crate::types::bits;
use wire::abi::name;

/// `memcpy` and `memset` of at most this many bytes look at the shadow inline.
const INLINE_BYTES: u64 = 32;

impl Fx<'_, '_> {
    pub(super) fn terminator(&mut self, terminator: Value) {
        match terminator.opcode() {
            Opcode::LLVMBr if terminator.is_conditional() => self.branch(terminator),
            Opcode::LLVMBr => {
                self.cut();
                self.jump(terminator);
            }
            Opcode::LLVMSwitch => self.switch(terminator),
            Opcode::LLVMRet => self.leave(terminator),
            Opcode::LLVMIndirectBr => {
                let target = terminator.operand(0);
                let ends = self.end(&End::Labels(vec![target]));
                if ends.slow.is_some() {
                    let (spot, label) = (self.spot(terminator), self.label(target, 0));
                    self.guarded(label, |abi| {
                        abi.call(name::__bw_pin, &[spot, label, abi.bits(target)]);
                    });
                }
                self.join(&ends);
                self.jump(terminator);
            }
            Opcode::LLVMInvoke => self.invoke(terminator),
            Opcode::LLVMResume => {
                self.cut();
                self.flush();
                self.jump(terminator);
            }
            _ => {
                // `unreachable`; `callbr` and what C and C++ do not have stay as they are.
                self.cut();
                self.jump(terminator);
            }
        }
    }

    /// Inserts a terminator whose edges stay where they were.
    fn jump(&mut self, terminator: Value) {
        self.abi.b.insert(terminator);
        for to in terminator.successors() {
            self.add_edge(to);
        }
    }

    /// The current block now ends with a jump to an original block.
    pub(super) fn add_edge(&mut self, to: crate::ir::Block) {
        if let Some(from) = self.origin {
            let last = self.abi.b.position();
            self.edges.push(super::function::Edge { from, to, last });
        }
    }

    fn branch(&mut self, terminator: Value) {
        let abi = self.abi;
        let condition = terminator.condition();
        let first = self.site_of(terminator).map_or(0, |site| site.first_edge);
        let targets = terminator.successors();
        let ends = self.end(&End::Labels(vec![condition]));
        if ends.slow.is_some() {
            self.record_branch(condition, first);
            self.reload();
            let sides = [self.block("then"), self.block("else")];
            abi.b.cond_br(condition, sides[0], sides[1]);
            for (side, &target) in sides.into_iter().zip(&targets) {
                abi.b.at_end(side);
                abi.b.br(target);
                self.add_edge(target);
            }
            self.local.clear();
        }
        abi.b.at_end(ends.fast);
        let sides = [self.block("then"), self.block("else")];
        abi.b.insert(terminator);
        for (index, (side, &target)) in sides.into_iter().zip(&targets).enumerate() {
            terminator.set_successor(index as u32, side);
            abi.b.at_end(side);
            let word = self.edge_word(first + 1 - index as u32);
            self.event_of(word, Compared::by(condition));
            abi.b.br(target);
            self.add_edge(target);
        }
    }

    /// `__bw_branch` for a two-way site. Slow path.
    fn record_branch(&mut self, condition: Value, first: u32) {
        let abi = self.abi;
        let side = abi.b.resize(condition, abi.i32);
        let edge = abi.b.add(self.edge_word(first), side);
        let [pred_bits, a, b] = Compared::arguments(Compared::by(condition), abi);
        let label = self.label(condition, 0);
        abi.call(name::__bw_branch, &[edge, label, side, pred_bits, a, b]);
    }

    pub(super) fn select_site(&mut self, condition: Value, first: u32) {
        let abi = self.abi;
        let ends = self.end(&End::Labels(vec![condition]));
        let next = self.block("next");
        if ends.slow.is_some() {
            self.record_branch(condition, first);
            self.leave_slow(next);
        }
        abi.b.at_end(ends.fast);
        let word = abi
            .b
            .add(self.edge_word(first), abi.b.resize(condition, abi.i32));
        self.event_of(word, Compared::by(condition));
        abi.b.br(next);
        abi.b.at_end(next);
    }

    fn switch(&mut self, terminator: Value) {
        let abi = self.abi;
        let value = terminator.condition();
        let ends = self.end(&End::Labels(vec![value]));
        if ends.slow.is_some() {
            let label = self.label(value, 0);
            self.guarded(label, |abi| {
                abi.call(
                    name::__bw_switch,
                    &[abi.u32(bits(value.ty())), label, abi.bits(value)],
                );
            });
        }
        self.join(&ends);
        let first = self.site_of(terminator).map_or(0, |site| {
            debug_assert!(matches!(site.kind, SiteKind::Switch { .. }));
            site.first_edge
        });
        let targets = terminator.successors();
        let cases = targets.len() as u32 - 1;
        abi.b.insert(terminator);
        for (index, target) in targets.into_iter().enumerate() {
            // LLVM's successor 0 is the default, which is the last edge.
            let edge = if index == 0 { cases } else { index as u32 - 1 };
            let side = self.block("case");
            terminator.set_successor(index as u32, side);
            abi.b.at_end(side);
            let word = self.edge_word(first + edge);
            self.event_of(word, Compared::switched(value));
            abi.b.br(target);
            self.add_edge(target);
        }
    }

    fn leave(&mut self, terminator: Value) {
        let result = terminator.operands();
        if self.returned_before() {
            self.abi.b.insert(terminator);
            return;
        }
        let ends = self.end(&End::Labels(result.clone()));
        if ends.slow.is_some() {
            self.send_results(&result);
        }
        self.join(&ends);
        if let Some(token) = self.token {
            self.abi.call(name::__bw_va_leave, &[token]);
        }
        self.returned_event();
        self.flush();
        self.abi.b.insert(terminator);
    }

    pub(super) fn check_divisor(&mut self, division: Value) {
        let (a, b) = (division.operand(0), division.operand(1));
        let signed = matches!(division.opcode(), Opcode::LLVMSDiv | Opcode::LLVMSRem);
        if !(self.sym.may_any(b) || (signed && self.sym.may_any(a))) {
            // The division itself is part of the next segment.
            self.cut();
            self.guard_division(division);
            return;
        }
        let ends = self.end(&End::Labels(vec![a, b]));
        if ends.slow.is_some() {
            let abi = self.abi;
            let signed_bits = abi.u32(u32::from(signed) | bits(a.ty()) << 16);
            let (la, lb) = (self.label(a, 0), self.label(b, 0));
            let spot = self.spot(division);
            let relevant = if signed { self.or_all(&[la, lb]) } else { lb };
            self.guarded(relevant, |abi| {
                let operands = [spot, signed_bits, la, abi.bits(a), lb, abi.bits(b)];
                abi.call(name::__bw_divisor, &operands);
            });
        }
        self.join(&ends);
        self.guard_division(division);
    }

    /// To LLVM a division that traps is undefined, and what depends on it may go. To us it is a crash to be found, as in
    /// the judge's build: the trap gets a branch of its own.
    fn guard_division(&self, division: Value) {
        let abi = self.abi;
        let (a, b) = (division.operand(0), division.operand(1));
        let mut traps = abi.b.equal(b, b.ty().zero());
        if matches!(division.opcode(), Opcode::LLVMSDiv | Opcode::LLVMSRem) {
            let least = b.ty().constant(1 << (bits(b.ty()) - 1));
            let overflows = abi
                .b
                .and(abi.b.equal(a, least), abi.b.equal(b, b.ty().ones()));
            traps = abi.b.or(traps, overflows);
        }
        let (trap, divide) = (self.block("trap"), self.block("divide"));
        abi.unlikely(traps, trap, divide);
        abi.b.at_end(trap);
        self.flush();
        abi.call(name::__bw_divide_error, &[]);
        abi.b.unreachable();
        abi.b.at_end(divide);
    }

    /// A call that is no part of a segment.
    pub(super) fn barrier(&mut self, call: Value) {
        let abi = self.abi;
        match intrinsics::handling(call) {
            Some(Handling::Move | Handling::Set) => self.memory_intrinsic(call),
            Some(Handling::VaStart) => {
                self.cut();
                abi.b.insert(call);
                if let Some(token) = self.token {
                    abi.call(name::__bw_va_start, &[call.operand(0), token]);
                }
            }
            Some(Handling::VaCopy) => {
                self.cut();
                abi.b.insert(call);
                abi.call(name::__bw_va_copy, &[call.operand(0), call.operand(1)]);
            }
            _ => self.call(call),
        }
    }

    fn memory_intrinsic(&mut self, call: Value) {
        let abi = self.abi;
        self.cut();
        abi.b.set_location(call.debug_location());
        abi.b.insert(call);
        if self.concrete() {
            return;
        }
        let moves = intrinsics::handling(call) == Some(Handling::Move);
        let (to, from, size) = (call.operand(0), call.operand(1), call.operand(2));
        let small = size.as_int().filter(|&bytes| bytes <= INLINE_BYTES);
        if let Some(bytes) = small {
            let word = abi.shadow_word(to, bytes);
            self.add_shadow(word);
            if moves && !super::class::constant_memory(from) {
                let word = abi.shadow_word(from, bytes);
                self.add_shadow(word);
            }
        }
        let ends = self.end(&End::Labels(vec![to, from, size]));
        let next = self.block("next");
        if ends.slow.is_some() {
            let labels = [self.label(to, 0), self.label(from, 0), self.label(size, 0)];
            self.shadow_call(call, moves, labels);
            self.leave_slow(next);
        }
        abi.b.at_end(ends.fast);
        if small.is_none() {
            self.shadow_call(call, moves, [abi.zero(); 3]);
        }
        abi.b.br(next);
        abi.b.at_end(next);
    }

    fn shadow_call(&self, call: Value, moves: bool, labels: [Value; 3]) {
        let abi = self.abi;
        let (to, from, size) = (call.operand(0), call.operand(1), call.operand(2));
        let size = abi.bits(size);
        let spot = self.spot(call);
        if moves {
            abi.call(
                name::__bw_memmove,
                &[spot, labels[0], to, labels[1], from, labels[2], size],
            );
        } else {
            let byte = abi.b.resize(from, abi.i32);
            abi.call(
                name::__bw_memset,
                &[spot, labels[0], to, labels[1], byte, labels[2], size],
            );
        }
    }
}
