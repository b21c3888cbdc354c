//! Instructions on concrete words, without all that others need: where a run spends its time while nothing is symbolic.
//!
//! Must hold: an instruction is run here as [`State::step`] runs it, or is left to it untouched. What may fault, has a term, or ends
//! the run is left.

use std::rc::Rc;

use program::{CastOp, EdgeId, FuncId};

use crate::code::{Callee, Code, Ins, Source, Way};
use crate::concrete;
use crate::memory::Memory;
use crate::record::Record;
use crate::register::Register;
use crate::state::State;
use crate::step::ASKED_EVERY;

/// Why a frame's loop was left.
enum Left {
    /// The next instruction is not for here.
    General,
    /// There have been enough.
    Enough,
    Call(FuncId),
    Return(Option<Source>),
}

impl State<'_> {
    /// Runs instructions as long as they are on concrete words, at most so many, and none at which limits are asked.
    pub fn words(&mut self, most: u64) {
        let mut left = (ASKED_EVERY - (self.steps & ASKED_EVERY)).min(most);
        loop {
            let before = left;
            let why = self.words_of_frame(&mut left);
            self.steps += before - left;
            let goes_on = match why {
                Left::General | Left::Enough => false,
                Left::Call(function) => self.call_plainly(function),
                Left::Return(value) => self.return_plainly(value),
            };
            if !goes_on {
                return;
            }
            self.steps += 1;
            left -= 1;
        }
    }

    /// Instructions of the innermost call. A call or return that it comes to is not made yet.
    fn words_of_frame(&mut self, left: &mut u64) -> Left {
        let pointer_mask = concrete::mask(self.program.layout.pointer_bits as u8);
        let (memory, record) = (&mut self.memory, &mut self.record);
        let Some(frame) = self.frames.last_mut() else {
            return Left::General;
        };
        let code: &Code = &frame.code;
        let mut words = Words {
            registers: &mut frame.registers,
            memory,
            record,
            pointer_mask,
        };
        let mut at = frame.at;
        let why = loop {
            if *left == 0 {
                break Left::Enough;
            }
            match &code.instructions[at] {
                Ins::Go(way) => {
                    words.go(way, code);
                    at = way.to as usize;
                }
                Ins::Branch { cond, first, ways } => {
                    let Some(cond) = words.word(*cond) else {
                        break Left::General;
                    };
                    at = words.branch(cond, *first, ways, code);
                }
                Ins::Compare {
                    pred,
                    bits,
                    a,
                    b,
                    to,
                } => {
                    let (Some(a), Some(b)) = (words.word(*a), words.word(*b)) else {
                        break Left::General;
                    };
                    let holds = concrete::compare(*pred, *bits, a, b).into();
                    words.set(*to, holds);
                    at += 1;
                    // Most comparisons are for the branch behind them.
                    if let Ins::Branch { cond, first, ways } = &code.instructions[at]
                        && matches!(cond, Source::Register(cond) if cond == to)
                        && *left > 1
                    {
                        *left -= 1;
                        at = words.branch(holds, *first, ways, code);
                    }
                }
                Ins::Index {
                    base,
                    offset,
                    indices,
                    to,
                } => {
                    let Some(address) = words.address(*base, *offset, indices) else {
                        break Left::General;
                    };
                    words.set(*to, address);
                    at += 1;
                    // Most addresses are for the load behind them.
                    if let Ins::Load {
                        bits,
                        address: from,
                        to: loaded,
                    } = &code.instructions[at]
                        && matches!(from, Source::Register(from) if from == to)
                        && *left > 1
                        && words.load(*bits, address, *loaded).is_some()
                    {
                        *left -= 1;
                        at += 1;
                    }
                }
                Ins::Call {
                    callee: Callee::Function(function),
                    types,
                    ..
                } if types.is_empty() => break Left::Call(*function),
                Ins::Return(value) => break Left::Return(*value),
                ins => match words.attempt(ins) {
                    Some(()) => at += 1,
                    None => break Left::General,
                },
            }
            *left -= 1;
        };
        frame.at = at;
        why
    }

    /// Makes the call that is the next instruction; false if it is not for here.
    fn call_plainly(&mut self, function: FuncId) -> bool {
        let Some(code) = &self.codes[function] else {
            return false;
        };
        if self.frames.len() >= self.config.limits.depth {
            return false;
        }
        let code = Rc::clone(code);
        let mut registers = self.registers(&code);
        let caller = self.frame();
        let Ins::Call { args, to, .. } = &caller.code.instructions[caller.at] else {
            return false;
        };
        for (param, arg) in code.params.iter().zip(args) {
            registers[*param as usize] = value(&caller.registers, &caller.code, *arg);
        }
        let result = *to;
        caller.at += 1;
        self.push_frame((function, code), registers, Vec::new(), result);
        true
    }

    /// Makes the return that is the next instruction; false if it is not for here.
    fn return_plainly(&mut self, source: Option<Source>) -> bool {
        let [.., caller, frame] = self.frames.as_mut_slice() else {
            return false;
        };
        if let Some(source) = source {
            caller.registers[frame.result as usize] = value(&frame.registers, &frame.code, source);
        }
        self.leave(None).is_ok()
    }
}

#[inline(always)]
fn value(registers: &[Register], code: &Code, source: Source) -> Register {
    match source {
        Source::Word(word) => Register::Word(word),
        Source::Register(register) => match &registers[register as usize] {
            Register::Word(word) => Register::Word(*word),
            other => other.clone(),
        },
        Source::Constant(constant) => code.constants[constant as usize].clone(),
    }
}

/// Writes a word. (A register that is written as a whole is put together elsewhere and then moved: the processor waits for that.)
#[inline(always)]
fn put(register: &mut Register, word: u64) {
    match register {
        Register::Word(held) => *held = word,
        other => *other = Register::Word(word),
    }
}

/// What instructions on words work on.
struct Words<'a> {
    registers: &'a mut [Register],
    memory: &'a mut Memory,
    record: &'a mut Record,
    pointer_mask: u64,
}

impl Words<'_> {
    /// A concrete word; `None` if the operand is none.
    #[inline(always)]
    fn word(&self, source: Source) -> Option<u64> {
        match source {
            Source::Register(register) => match self.registers[register as usize] {
                Register::Word(word) => Some(word),
                Register::Symbolic(..) | Register::Partial(_) | Register::Wide(_) => None,
            },
            Source::Word(word) => Some(word),
            Source::Constant(_) => None,
        }
    }

    #[inline(always)]
    fn set(&mut self, register: u32, word: u64) {
        put(&mut self.registers[register as usize], word);
    }

    #[inline(always)]
    fn go(&mut self, way: &Way, code: &Code) {
        if way.parallel {
            let moves = way.moves.iter();
            let values: Vec<Register> = moves
                .map(|(_, from)| value(self.registers, code, *from))
                .collect();
            for ((to, _), value) in way.moves.iter().zip(values) {
                self.registers[*to as usize] = value;
            }
            return;
        }
        for (to, from) in &way.moves {
            // A register that was just written is read in the parts in which it was written: as a whole that takes longer.
            match self.word(*from) {
                Some(word) => self.set(*to, word),
                None => self.registers[*to as usize] = value(self.registers, code, *from),
            }
        }
    }

    /// Takes a side; where it goes on.
    #[inline(always)]
    fn branch(&mut self, cond: u64, first: EdgeId, ways: &[Way; 2], code: &Code) -> usize {
        let side = (cond & 1) as usize;
        self.record.concrete_edge(first.plus(side as u32));
        self.go(&ways[side], code);
        ways[side].to as usize
    }

    #[inline(always)]
    fn load(&mut self, bits: u8, address: u64, to: u32) -> Option<()> {
        let word = self.memory.plain_word(address, bits.div_ceil(8))?;
        self.set(to, word & concrete::mask(bits));
        Some(())
    }

    #[inline(always)]
    fn address(&self, base: Source, offset: i64, indices: &[(Source, u8, i64)]) -> Option<u64> {
        let mut address = self.word(base)?.wrapping_add_signed(offset);
        for (index, bits, scale) in indices {
            let step = concrete::signed(*bits, self.word(*index)?).wrapping_mul(*scale);
            address = address.wrapping_add_signed(step);
        }
        Some(address & self.pointer_mask)
    }

    /// Runs an instruction that goes on to the next one; `None`, and nothing is done, if it is not for here.
    #[inline(always)]
    fn attempt(&mut self, ins: &Ins) -> Option<()> {
        match ins {
            Ins::Binary { op, bits, a, b, to } => {
                let word = concrete::binary(*op, *bits, self.word(*a)?, self.word(*b)?);
                self.set(*to, word.ok()?);
            }
            Ins::Float {
                op,
                double,
                a,
                b,
                to,
            } => {
                let word = concrete::float(*op, *double, self.word(*a)?, self.word(*b)?);
                self.set(*to, word?);
            }
            Ins::CompareFloats {
                pred,
                double,
                a,
                b,
                to,
            } => {
                let (a, b) = (self.word(*a)?, self.word(*b)?);
                let holds = concrete::compare_floats(*pred, *double, a, b);
                self.set(*to, holds.into());
            }
            Ins::Cast {
                op,
                from,
                bits,
                a,
                to,
            } => {
                let word = self.word(*a)?;
                let word = match op {
                    CastOp::Trunc | CastOp::ZExt => word & concrete::mask(*bits),
                    CastOp::SExt => concrete::signed(*from, word) as u64 & concrete::mask(*bits),
                    op => concrete::cast(*op, *from, *bits, word)?,
                };
                self.set(*to, word);
            }
            Ins::Select {
                cond,
                then,
                otherwise,
                to,
            } => {
                let taken = match self.word(*cond)? & 1 {
                    1 => *then,
                    _ => *otherwise,
                };
                let word = self.word(taken)?;
                self.set(*to, word);
            }
            Ins::Signed {
                value,
                op,
                bits,
                a,
                b,
                to,
            } => {
                if concrete::overflows(*op, *bits, self.word(*a)?, self.word(*b)?) {
                    return None;
                }
                let word = self.word(*value)?;
                self.set(*to, word);
            }
            Ins::Freeze { value, to } => {
                let word = self.word(*value)?;
                self.set(*to, word);
            }
            Ins::Load { bits, address, to } => {
                self.load(*bits, self.word(*address)?, *to)?;
            }
            Ins::Store {
                bits,
                address,
                value,
            } => {
                let (address, value) = (self.word(*address)?, self.word(*value)?);
                let bytes = bits.div_ceil(8);
                self.memory
                    .set_plain_word(address, bytes, value)
                    .then_some(())?;
            }
            Ins::Site { first, step } => {
                let side = match step {
                    Some(step) => (self.word(*step)? & 1) as u32,
                    None => 0,
                };
                self.record.concrete_edge(first.plus(side));
            }
            _ => return None,
        }
        Some(())
    }
}
