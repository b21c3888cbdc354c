//! Blocks of memory: `memcpy`, `memset`, `memcmp`, `memchr`.

use path::{Class, LossReason};
use smt::Term;

use super::{Call, Extern};
use crate::register::Register;
use crate::state::{Made, State};

pub(super) fn find(name: &str) -> Option<Extern> {
    Some(match name {
        "memcpy" | "memmove" | "__memcpy_chk" | "__memmove_chk" => |state, call| {
            state.move_block(call.arg(0), call.arg(1), call.arg(2))?;
            Ok(Register::Word(call.word(0)))
        },
        "mempcpy" | "__mempcpy_chk" => |state, call| {
            state.move_block(call.arg(0), call.arg(1), call.arg(2))?;
            Ok(Register::Word(call.word(0).wrapping_add(call.word(2))))
        },
        "bcopy" => |state, call| {
            state.move_block(call.arg(1), call.arg(0), call.arg(2))?;
            Ok(Register::Word(0))
        },
        "memset" | "__memset_chk" => |state, call| {
            state.fill_block(call.arg(0), &call.arg(1), call.arg(2))?;
            Ok(Register::Word(call.word(0)))
        },
        "bzero" | "explicit_bzero" => |state, call| {
            state.fill_block(call.arg(0), &Register::Word(0), call.arg(1))?;
            Ok(Register::Word(0))
        },
        "memcmp" | "bcmp" => compare,
        _ => return None,
    })
}

impl State<'_> {
    fn move_block(&mut self, to: Register, from: Register, length: Register) -> Made {
        self.pin(&to, LossReason::Address);
        self.pin(&from, LossReason::Address);
        self.pin(&length, LossReason::Length);
        self.memory.copy(to.word(), from.word(), length.word())?;
        Ok(())
    }

    fn fill_block(&mut self, to: Register, byte: &Register, length: Register) -> Made {
        self.pin(&to, LossReason::Address);
        self.pin(&length, LossReason::Length);
        let term = byte.term().map(|term| self.pool.extract(term, 0, 8));
        let term = term.filter(|term| self.pool.is_symbolic(*term));
        self.memory
            .fill(to.word(), byte.word() as u8, term, length.word())?;
        Ok(())
    }

    /// A byte with its term, a constant where it is concrete.
    pub fn byte(&mut self, address: u64) -> Made<(u8, Term)> {
        let (byte, term) = self.memory.byte(address)?;
        let term = term.unwrap_or_else(|| self.pool.constant(8, byte.into()));
        Ok((byte, term))
    }

    /// Whether a condition on inputs holds on this run; that it does, or not, is recorded as a decision of the library.
    pub fn decide(&mut self, condition: Term, holds: bool) -> bool {
        let truth = if holds {
            condition
        } else {
            self.pool.not(condition)
        };
        let spot = self.spot();
        self.record
            .constraint(self.pool, Class::Library, spot, truth);
        holds
    }

    /// A word with its term, if it depends on an input.
    pub fn made_word(&self, word: u64, term: Term) -> Register {
        if self.pool.is_symbolic(term) {
            Register::Symbolic(word, term)
        } else {
            Register::Word(word)
        }
    }
}

/// One expression: the difference at the first place where the blocks differ.
fn compare(state: &mut State<'_>, call: &Call) -> Made<Register> {
    for index in 0..2 {
        state.pin(&call.arg(index), LossReason::Address);
    }
    state.pin(&call.arg(2), LossReason::Length);
    let mut pairs = Vec::new();
    for index in 0..call.word(2) {
        let a = state.byte(call.word(0).wrapping_add(index))?;
        let b = state.byte(call.word(1).wrapping_add(index))?;
        pairs.push((a, b));
        let concrete = !state.pool.is_symbolic(a.1) && !state.pool.is_symbolic(b.1);
        if concrete && a.0 != b.0 {
            break;
        }
    }
    let mut result = state.pool.constant(32, 0);
    let mut word = 0_u32;
    for ((a, x), (b, y)) in pairs.into_iter().rev() {
        let equal = state.pool.eq(x, y);
        let (x, y) = (state.pool.zext(x, 32), state.pool.zext(y, 32));
        let difference = state.pool.bin(smt::Op::Sub, x, y);
        result = state.pool.ite(equal, result, difference);
        if a != b {
            word = u32::from(a).wrapping_sub(b.into());
        }
    }
    Ok(state.made_word(word.into(), result))
}
