//! `strlen`, `strnlen`, `strspn` and `strcspn`: one expression over the symbolic bytes, as in the native runtime.

use path::LossReason;

use super::extent::Step;
use super::sym::Sym;
use super::{Call, Extern};
use crate::register::Register;
use crate::state::{Made, State};

pub(super) fn find(name: &str) -> Option<Extern> {
    Some(match name {
        "strlen" => |state, call| {
            state.pin(&call.arg(0), LossReason::Address);
            state.measured(&End::Zero, call.word(0), u64::MAX)
        },
        "strnlen" => |state, call| {
            state.pin(&call.arg(0), LossReason::Address);
            state.pin(&call.arg(1), LossReason::Length);
            state.measured(&End::Zero, call.word(0), call.word(1))
        },
        "strspn" => |state, call| span(state, call, true),
        "strcspn" => |state, call| span(state, call, false),
        _ => return None,
    })
}

/// What ends the part of a string that is measured.
enum End {
    /// The terminator.
    Zero,
    /// A byte of a set, or outside it; the terminator always.
    Set { members: Vec<Sym>, outside: bool },
}

impl End {
    fn at(&self, state: &mut State<'_>, byte: Sym) -> Sym {
        let pool = &mut *state.pool;
        let zero = byte.is(pool, 0);
        let End::Set { members, outside } = self else {
            return zero;
        };
        let mut found = Sym::truth(pool, false);
        for member in members {
            let equal = byte.eq(pool, *member);
            found = found.or(pool, equal);
        }
        if *outside {
            found = found.not(pool);
        }
        found.or(pool, zero)
    }
}

fn span(state: &mut State<'_>, call: &Call, outside: bool) -> Made<Register> {
    for index in 0..2 {
        state.pin(&call.arg(index), LossReason::Address);
    }
    let count = state.decided_length(call.word(1), u64::MAX)?;
    let mut members = Vec::new();
    for index in 0..count {
        members.push(state.sym_byte(call.word(1) + index)?);
    }
    let end = End::Set { members, outside };
    state.measured(&end, call.word(0), u64::MAX)
}

impl State<'_> {
    /// Length of a string of at most so many bytes; its symbolic bytes are decided.
    pub(super) fn decided_length(&mut self, string: u64, limit: u64) -> Made<u64> {
        if let Some(length) = self.memory.concrete_length(string, limit)? {
            return Ok(length);
        }
        let mut length = 0;
        while length < limit {
            let byte = self.sym_byte(string.wrapping_add(length))?;
            let ends = byte.is(self.pool, 0);
            if self.decides(ends) {
                break;
            }
            length += 1;
        }
        Ok(length)
    }

    fn measured(&mut self, end: &End, string: u64, limit: u64) -> Made<Register> {
        if let End::Zero = end
            && let Some(length) = self.memory.concrete_length(string, limit)?
        {
            return Ok(Register::Word(length));
        }
        let bits = self.program.layout.pointer_bits as u16;
        let found = self.extent(limit, &[string], |state, index| {
            let byte = state.sym_byte(string.wrapping_add(index))?;
            let ends = end.at(state, byte);
            Ok(match (ends.is_symbolic(state.pool), ends.holds()) {
                (true, true) => Step::Decides,
                (true, false) => Step::Open,
                (false, true) => Step::Final,
                (false, false) => Step::On,
            })
        })?;
        let mut whole = limit.min(found.end);
        if found.cut {
            whole = found.end;
            while !found.decided && whole < limit {
                let byte = self.sym_byte(string.wrapping_add(whole))?;
                if end.at(self, byte).holds() {
                    break;
                }
                whole += 1;
            }
            self.note_extent(&found);
        }
        let mut result = Sym::constant(self.pool, bits, whole.into());
        let mut decided = Sym::truth(self.pool, false);
        for index in (0..found.end).rev() {
            let byte = self.sym_byte(string.wrapping_add(index))?;
            let ends = end.at(self, byte);
            let here = Sym::constant(self.pool, bits, index.into());
            result = ends.ite(self.pool, here, result);
            if found.cut {
                decided = decided.or(self.pool, ends);
            }
        }
        if found.cut {
            self.decides(decided);
        }
        Ok(self.given(result))
    }
}
