//! One instruction after the other.

use std::rc::Rc;

use path::{Class, LossReason, Outcome};
use program::{EdgeId, FuncId, MemOp, Type};
use smt::Op as TermOp;

use crate::code::{Callee, Code, Ins, Source, Way};
use crate::concrete;
use crate::fault::Fault;
use crate::general::divides;
use crate::masks;
use crate::memory::Kind;
use crate::register::Register;
use crate::state::{End, Made, State};
use crate::variadic::Variable;

/// Limits on time are looked at once in so many steps, less one.
pub(crate) const ASKED_EVERY: u64 = 0xfff;

impl State<'_> {
    /// Runs the next instruction.
    #[inline]
    pub fn step(&mut self) -> Made {
        self.steps += 1;
        if self.steps & ASKED_EVERY == 0 && !self.may_go_on() {
            return Err(End::Outcome(Outcome::Timeout));
        }
        let frame = self.frame();
        let at = frame.at;
        frame.at += 1;
        let code: Rc<Code> = Rc::clone(&frame.code);
        self.instruction(&code.instructions[at])
    }

    /// Whether the run is within its limits of time.
    #[cold]
    fn may_go_on(&self) -> bool {
        let config = self.config;
        self.steps < config.limits.steps && config.goes_on.as_ref().is_none_or(|goes_on| goes_on())
    }

    fn instruction(&mut self, ins: &Ins) -> Made {
        match ins {
            Ins::Binary { op, bits, a, b, to } => {
                let ((x, mx), (y, my)) = (self.get(*a).split(), self.get(*b).split());
                if divides(*op) {
                    self.rules(my);
                }
                if let (Register::Word(x), Register::Word(y)) = (&x, &y) {
                    let word = concrete::binary(*op, *bits, *x, *y)?;
                    self.set(*to, Register::Word(word));
                } else {
                    self.check_defined()?;
                    let word = concrete::binary(*op, *bits, x.word(), y.word())?;
                    self.symbolic(*to, word)?;
                }
                if mx | my != 0 {
                    let (x, y) = ((x.word(), mx), (y.word(), my));
                    self.blur(*to, masks::binary(*op, *bits, x, y));
                }
                Ok(())
            }
            Ins::Compare {
                pred,
                bits,
                a,
                b,
                to,
            } => {
                let ((x, mx), (y, my)) = (self.get(*a).split(), self.get(*b).split());
                let word = concrete::compare(*pred, *bits, x.word(), y.word());
                self.computed(&[&x, &y], *to, u64::from(word))?;
                let (x, y) = ((x.word(), mx), (y.word(), my));
                self.blur(*to, masks::compare(*pred, *bits, x, y));
                Ok(())
            }
            Ins::Float {
                op,
                double,
                a,
                b,
                to,
            } => {
                let ((x, mx), (y, my)) = (self.get(*a).split(), self.get(*b).split());
                match concrete::float(*op, *double, x.word(), y.word()) {
                    Some(word) => self.computed(&[&x, &y], *to, word)?,
                    None => self.general(*to)?,
                }
                let width = if *double { 64 } else { 32 };
                self.blur(*to, masks::all(mx | my) & concrete::mask(width));
                Ok(())
            }
            Ins::CompareFloats {
                pred,
                double,
                a,
                b,
                to,
            } => {
                let ((x, mx), (y, my)) = (self.get(*a).split(), self.get(*b).split());
                let word = concrete::compare_floats(*pred, *double, x.word(), y.word());
                self.computed(&[&x, &y], *to, u64::from(word))?;
                self.blur(*to, masks::all(mx | my) & 1);
                Ok(())
            }
            Ins::Cast {
                op,
                from,
                bits,
                a,
                to,
            } => {
                let (x, undefined) = self.get(*a).split();
                match concrete::cast(*op, *from, *bits, x.word()) {
                    Some(word) => self.computed(&[&x], *to, word)?,
                    None => self.general(*to)?,
                }
                if undefined != 0 {
                    self.blur(*to, masks::cast(*op, *from, *bits, undefined));
                }
                Ok(())
            }
            Ins::Select {
                cond,
                then,
                otherwise,
                to,
            } => self.select(*cond, *then, *otherwise, *to),
            Ins::Index {
                base,
                offset,
                indices,
                to,
            } => self.index(*base, *offset, indices, *to),
            Ins::Load { bits, address, to } => {
                let (address, undefined) = self.get(*address).split();
                self.rules(undefined);
                let value = self.load_word(&address, *bits)?;
                self.set(*to, value);
                Ok(())
            }
            Ins::Store {
                bits,
                address,
                value,
            } => {
                let (address, undefined) = self.get(*address).split();
                self.rules(undefined);
                let value = self.get(*value);
                self.store_word(&address, *bits, &value)
            }
            Ins::Signed {
                value,
                op,
                bits,
                a,
                b,
                to,
            } => {
                let (x, y) = (self.get(*a), self.get(*b));
                let overflows = concrete::overflows(*op, *bits, x.word(), y.word());
                self.check_sign(*op, (&x, &y), *bits, overflows);
                if overflows {
                    return Err(Fault::SignedOverflow.into());
                }
                let value = self.get(*value);
                self.set(*to, value);
                Ok(())
            }
            Ins::Freeze { value, to } => {
                let (value, _) = self.get(*value).split();
                self.set(*to, value);
                Ok(())
            }
            Ins::General { to } => self.general(*to),
            Ins::Alloca { size, count, to } => self.alloca(*size, *count, *to),
            Ins::Memory { op, args } => self.block(*op, args),
            Ins::Site { first, step } => self.site(*first, *step),
            Ins::Call {
                callee,
                args,
                types,
                to,
            } => self.call(*callee, args, types, *to),
            Ins::Start { list } => self.start_list(*list),
            Ins::CopyList { to, from } => self.copy_list(*to, *from),
            Ins::Go(way) => {
                self.go(way);
                Ok(())
            }
            Ins::Branch { cond, first, ways } => {
                let (cond, undefined) = self.get(*cond).split();
                self.rules(undefined);
                let side = (cond.word() & 1) as u32;
                self.edge(first.plus(side), cond.term());
                self.go(&ways[side as usize]);
                Ok(())
            }
            Ins::Switch {
                value,
                first,
                cases,
                ways,
            } => {
                let (value, undefined) = self.get(*value).split();
                self.rules(undefined);
                let word = u128::from(value.word());
                let side = cases.iter().position(|case| *case == word);
                let side = side.unwrap_or(cases.len());
                self.edge(first.plus(side as u32), value.term());
                self.go(&ways[side]);
                Ok(())
            }
            Ins::Return(value) => {
                let value = value.map(|value| self.get(value));
                self.leave(value)
            }
            Ins::Trap => Err(Fault::Trap.into()),
            Ins::Unreachable => Err(Fault::Unreachable.into()),
            Ins::Unknown(what) => Err(End::Unmodelled(what.to_string())),
        }
    }

    /// Some of these bits have no value, and decide what the program does.
    #[inline]
    pub fn rules(&mut self, undefined: u64) {
        self.undecided |= undefined != 0;
    }

    /// Some bits of a result have no value.
    #[inline]
    fn blur(&mut self, to: u32, undefined: u64) {
        if undefined != 0 {
            let registers = &mut self.frame().registers;
            let plain = std::mem::replace(&mut registers[to as usize], Register::Word(0));
            registers[to as usize] = plain.partial(undefined);
        }
    }

    /// Sets the result of a computation: with a term where an operand has one.
    #[inline]
    fn computed(&mut self, operands: &[&Register], to: u32, word: u64) -> Made {
        if operands.iter().all(|x| x.term().is_none()) {
            self.set(to, Register::Word(word));
            return Ok(());
        }
        self.symbolic(to, word)
    }

    fn go(&mut self, way: &Way) {
        if way.parallel {
            let moves = way.moves.iter();
            let values: Vec<Register> = moves.map(|(_, from)| self.get(*from)).collect();
            for ((to, _), value) in way.moves.iter().zip(values) {
                self.set(*to, value);
            }
        } else {
            for (to, from) in &way.moves {
                let value = self.get(*from);
                self.set(*to, value);
            }
        }
        self.frame().at = way.to as usize;
    }

    fn select(&mut self, cond: Source, then: Source, otherwise: Source, to: u32) -> Made {
        let (cond, undefined) = self.get(cond).split();
        if matches!(cond, Register::Wide(_)) {
            return self.general(to);
        }
        let others = match undefined {
            0 => 0,
            _ => masks::all(self.get(then).word() ^ self.get(otherwise).word()),
        };
        let taken = if cond.word() & 1 == 1 {
            then
        } else {
            otherwise
        };
        if cond.term().is_none() {
            let value = self.get(taken);
            self.set(to, value);
        } else {
            let (value, mask) = self.get(taken).split();
            self.symbolic(to, value.word())?;
            self.blur(to, mask);
        }
        if others != 0 {
            self.blur(to, others & self.width_mask());
        }
        Ok(())
    }

    fn index(&mut self, base: Source, offset: i64, indices: &[(Source, u8, i64)], to: u32) -> Made {
        let (start, mut undefined) = self.get(base).split();
        let mut symbolic = start.term().is_some();
        let mut address = start.word().wrapping_add_signed(offset);
        for (index, bits, scale) in indices {
            let (index, mask) = self.get(*index).split();
            undefined |= mask;
            symbolic |= index.term().is_some();
            let step = concrete::signed(*bits, index.word()).wrapping_mul(*scale);
            address = address.wrapping_add_signed(step);
        }
        let whole = concrete::mask(self.program.layout.pointer_bits as u8);
        let word = address & whole;
        if symbolic {
            self.symbolic(to, word)?;
        } else {
            self.set(to, Register::Word(word));
        }
        self.blur(to, masks::all(undefined) & whole);
        Ok(())
    }

    fn alloca(&mut self, size: u64, count: Source, to: u32) -> Made {
        let count = self.get(count);
        self.pin(&count, LossReason::Length);
        let base = size
            .checked_mul(count.word())
            .filter(|bytes| self.memory.used.saturating_add(*bytes) <= self.config.limits.memory)
            .and_then(|bytes| self.memory.add(Kind::Stack, bytes));
        let base = base.ok_or(Fault::StackOverflow)?;
        if self.config.finds.uninitialised {
            self.memory.empty(base, 0);
        }
        self.frame().objects.push(base);
        self.set(to, Register::Word(base));
        Ok(())
    }

    fn block(&mut self, op: MemOp, args: &[Source; 3]) -> Made {
        let [to, second, length] = args.map(|arg| self.get(arg));
        self.pin(&length, LossReason::Length);
        self.pin(&to, LossReason::Address);
        let bytes = length.word();
        match op {
            MemOp::Copy | MemOp::Move => {
                self.pin(&second, LossReason::Address);
                self.memory.copy(to.word(), second.word(), bytes)?;
            }
            MemOp::Set => {
                let (byte, term) = (second.word() as u8, second.term());
                self.memory.fill(to.word(), byte, term, bytes)?;
            }
        }
        Ok(())
    }

    /// Records that a symbolic word has the value that it has.
    pub fn pin(&mut self, value: &Register, reason: LossReason) {
        self.rules(value.mask());
        let Some(term) = value.term() else { return };
        if self.fixed.has(self.pool, term) {
            return;
        }
        let spot = self.spot();
        let bits = self.pool.width(term);
        let word = self.pool.constant(bits, value.word().into());
        let equal = self.pool.cmp(TermOp::Eq, term, word);
        if !self.pool.is_true(equal) {
            self.record.constraint(self.pool, Class::Pin, spot, equal);
            self.record.lost(spot, reason);
            self.fixed.add(self.pool, term);
        }
    }

    fn site(&mut self, first: EdgeId, step: Option<Source>) -> Made {
        let Some(step) = step else {
            self.edge(first, None);
            return Ok(());
        };
        let (value, undefined) = self.get(step).split();
        self.rules(undefined);
        let side = (value.word() & 1) as u32;
        let term = value.term().map(|term| self.pool.extract(term, 0, 1));
        self.edge(first.plus(side), term);
        Ok(())
    }

    fn call(&mut self, callee: Callee, args: &[Source], types: &[(Type, u64)], to: u32) -> Made {
        let kind = match callee {
            Callee::Function(function) => Kind::Function(function),
            Callee::Extern(function) => Kind::Extern(function),
            Callee::Pointer(pointer) => {
                let pointer = self.get(pointer);
                self.pin(&pointer, LossReason::Address);
                let object = self.memory.object(pointer.word());
                object.map_or(Kind::Heap, |object| object.kind)
            }
        };
        let args: Vec<Register> = args.iter().map(|arg| self.get(*arg)).collect();
        match kind {
            Kind::Function(function) => self.call_function(function, args, types, to),
            Kind::Extern(function) => self.call_extern(function, args, types, to),
            _ => Err(Fault::BadCall.into()),
        }
    }

    /// Calls a function of the program.
    pub fn call_function(
        &mut self,
        function: FuncId,
        args: Vec<Register>,
        types: &[(Type, u64)],
        to: u32,
    ) -> Made {
        let body = &self.program.functions[function];
        let mut variable = Vec::new();
        if body.variadic {
            let pairs = args.iter().zip(types).skip(body.params.len());
            variable.extend(pairs.map(|(value, (ty, size))| Variable {
                value: value.clone(),
                ty: ty.clone(),
                size: *size,
            }));
        }
        self.enter(function, args, variable, to)
    }
}
