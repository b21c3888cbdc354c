//! Strings: each decision on a symbolic byte is one of the library; comparisons are expressions.

use path::LossReason;
use smt::{Op as TermOp, Term};

use super::{Call, Extern};
use crate::register::Register;
use crate::state::{Made, State};

pub(super) fn find(name: &str) -> Option<Extern> {
    Some(match name {
        "strcmp" => |state, call| state.compare_strings(call, u64::MAX, false),
        "strncmp" => |state, call| {
            state.pin(&call.arg(2), LossReason::Length);
            state.compare_strings(call, call.word(2), false)
        },
        "strcasecmp" => |state, call| state.compare_strings(call, u64::MAX, true),
        "strncasecmp" => |state, call| {
            state.pin(&call.arg(2), LossReason::Length);
            state.compare_strings(call, call.word(2), true)
        },
        "strcpy" | "__strcpy_chk" => |state, call| {
            state.copy_string(call, 0)?;
            Ok(Register::Word(call.word(0)))
        },
        "stpcpy" | "__stpcpy_chk" => |state, call| {
            let length = state.copy_string(call, 0)?;
            Ok(Register::Word(call.word(0).wrapping_add(length)))
        },
        "strcat" | "__strcat_chk" => |state, call| {
            let at = state.length(call, 0, u64::MAX)?;
            state.copy_string(call, at)?;
            Ok(Register::Word(call.word(0)))
        },
        "strncpy" | "__strncpy_chk" => copy_bounded,
        "strncat" | "__strncat_chk" => append_bounded,
        "strdup" => |state, call| state.duplicate(call, u64::MAX),
        "strndup" => |state, call| {
            state.pin(&call.arg(1), LossReason::Length);
            state.duplicate(call, call.word(1))
        },
        _ => return None,
    })
}

/// An ASCII letter in lower case.
fn lower(state: &mut State<'_>, term: Term) -> Term {
    let (a, z) = (
        state.pool.constant(8, b'A'.into()),
        state.pool.constant(8, b'Z'.into()),
    );
    let above = state.pool.cmp(TermOp::Ule, a, term);
    let below = state.pool.cmp(TermOp::Ule, term, z);
    let letter = state.pool.and(above, below);
    let bit = state.pool.constant(8, 0x20);
    let small = state.pool.bin(TermOp::Or, term, bit);
    state.pool.ite(letter, small, term)
}

impl State<'_> {
    /// Bytes of the string that an argument points to, at most so many.
    fn length(&mut self, call: &Call, index: usize, most: u64) -> Made<u64> {
        self.pin(&call.arg(index), LossReason::Address);
        self.decided_length(call.word(index), most)
    }

    /// One expression over the bytes up to a place where the strings certainly end or differ; decisions behind it.
    fn compare_strings(&mut self, call: &Call, most: u64, fold: bool) -> Made<Register> {
        self.pin(&call.arg(0), LossReason::Address);
        self.pin(&call.arg(1), LossReason::Address);
        let mut pairs = Vec::new();
        for index in 0..most {
            let (mut a, mut x) = self.byte(call.word(0).wrapping_add(index))?;
            let (mut b, mut y) = self.byte(call.word(1).wrapping_add(index))?;
            if fold {
                (a, b) = (a.to_ascii_lowercase(), b.to_ascii_lowercase());
                (x, y) = (lower(self, x), lower(self, y));
            }
            pairs.push(((a, x), (b, y)));
            let known = |state: &Self, term| state.pool.as_const(term);
            let (p, q) = (known(self, x), known(self, y));
            let ends = p == Some(0) || q == Some(0);
            if ends || (p.is_some() && q.is_some() && p != q) {
                break;
            }
            // Beyond the end of the run's own strings there may be nothing to read.
            if a == 0 || b == 0 {
                let zero = self.pool.constant(8, 0);
                let (first, second) = (self.pool.eq(x, zero), self.pool.eq(y, zero));
                let over = self.pool.or(first, second);
                self.decide(over, true);
                break;
            }
        }
        let mut result = self.pool.constant(32, 0);
        let mut word = 0_u32;
        for ((a, x), (b, y)) in pairs.into_iter().rev() {
            let equal = self.pool.eq(x, y);
            let zero = self.pool.constant(8, 0);
            let end = self.pool.eq(x, zero);
            let nothing = self.pool.constant(32, 0);
            let (p, q) = (self.pool.zext(x, 32), self.pool.zext(y, 32));
            let difference = self.pool.bin(TermOp::Sub, p, q);
            let rest = self.pool.ite(end, nothing, result);
            result = self.pool.ite(equal, rest, difference);
            word = match (a == b, a) {
                (false, _) => u32::from(a).wrapping_sub(b.into()),
                (true, 0) => 0,
                (true, _) => word,
            };
        }
        if word != 0 {
            self.leave_strings(call.word(0), call.word(1), most);
        }
        Ok(self.made_word(word.into(), result))
    }

    /// Copies the second string behind so many bytes of the first; its length.
    fn copy_string(&mut self, call: &Call, at: u64) -> Made<u64> {
        let length = self.length(call, 1, u64::MAX)?;
        self.pin(&call.arg(0), LossReason::Address);
        let to = call.word(0).wrapping_add(at);
        self.memory.copy(to, call.word(1), length)?;
        self.memory.set_byte(to.wrapping_add(length), 0, None)?;
        Ok(length)
    }

    fn duplicate(&mut self, call: &Call, most: u64) -> Made<Register> {
        let length = self.length(call, 0, most)?;
        let Some(to) = self.object(length + 1) else {
            return Ok(Register::Word(0));
        };
        self.memory.copy(to, call.word(0), length)?;
        Ok(Register::Word(to))
    }
}

fn copy_bounded(state: &mut State<'_>, call: &Call) -> Made<Register> {
    state.pin(&call.arg(0), LossReason::Address);
    state.pin(&call.arg(2), LossReason::Length);
    let most = call.word(2);
    let length = state.length(call, 1, most)?;
    state.memory.copy(call.word(0), call.word(1), length)?;
    let rest = call.word(0).wrapping_add(length);
    state.memory.fill(rest, 0, None, most - length)?;
    Ok(Register::Word(call.word(0)))
}

fn append_bounded(state: &mut State<'_>, call: &Call) -> Made<Register> {
    let at = state.length(call, 0, u64::MAX)?;
    state.pin(&call.arg(2), LossReason::Length);
    let length = state.length(call, 1, call.word(2))?;
    let to = call.word(0).wrapping_add(at);
    state.memory.copy(to, call.word(1), length)?;
    state.memory.set_byte(to.wrapping_add(length), 0, None)?;
    Ok(Register::Word(call.word(0)))
}
