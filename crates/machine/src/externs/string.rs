//! Strings: each decision on a symbolic byte is one of the library; comparisons are expressions.

use path::LossReason;
use smt::Pool;

use super::extent::Step;
use super::sym::Sym;
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
fn lower(pool: &mut Pool, byte: Sym) -> Sym {
    let (first, letters) = (
        Sym::constant(pool, 8, b'A'.into()),
        Sym::constant(pool, 8, 26),
    );
    let is_capital = byte.sub(pool, first).below(pool, letters);
    let bit = Sym::constant(pool, 8, 0x20);
    let small = byte.or(pool, bit);
    is_capital.ite(pool, small, byte)
}

/// Both strings end here.
fn both_end(pool: &mut Pool, (x, y): (Sym, Sym), equal: Sym) -> Sym {
    let known = if x.is_symbolic(pool) { y } else { x };
    match (known.is_symbolic(pool), known.value) {
        (false, 0) => equal,
        (false, _) => Sym::truth(pool, false),
        (true, _) => {
            let ends = x.is(pool, 0);
            equal.and(pool, ends)
        }
    }
}

impl State<'_> {
    /// Bytes of the string that an argument points to, at most so many.
    fn length(&mut self, call: &Call, index: usize, most: u64) -> Made<u64> {
        self.pin(&call.arg(index), LossReason::Address);
        self.decided_length(call.word(index), most)
    }

    /// The bytes of both strings at a position.
    fn pair(&mut self, call: &Call, index: u64, fold: bool) -> Made<(Sym, Sym)> {
        let x = self.sym_byte(call.word(0).wrapping_add(index))?;
        let y = self.sym_byte(call.word(1).wrapping_add(index))?;
        Ok(match fold {
            true => (lower(self.pool, x), lower(self.pool, y)),
            false => (x, y),
        })
    }

    /// One expression over the bytes up to a place where the strings certainly end or differ, as in the native runtime
    /// (`libc_wrappers::compare`): what this run's own strings are is no decision.
    fn compare_strings(&mut self, call: &Call, most: u64, fold: bool) -> Made<Register> {
        self.pin(&call.arg(0), LossReason::Address);
        self.pin(&call.arg(1), LossReason::Address);
        let starts = [call.word(0), call.word(1)];
        let found = self.extent(most, &starts, |state, index| {
            let (x, y) = state.pair(call, index, fold)?;
            let decides = x.value != y.value || x.value == 0;
            let open = [x, y].map(|byte| byte.is_symbolic(state.pool));
            let ends = |at: usize, byte: Sym| !open[at] && byte.value == 0;
            Ok(match (open[0] || open[1], decides) {
                (false, true) => Step::Final,
                (false, false) => Step::On,
                (true, _) if ends(0, x) || ends(1, y) => Step::Final,
                (true, true) => Step::Decides,
                (true, false) => Step::Open,
            })
        })?;
        let mut result = Sym::constant(self.pool, 32, 0);
        if found.cut {
            if !found.decided {
                result = self.plain_difference(call, found.end, most, fold)?;
            }
            self.note_extent(&found);
        }
        let mut decided = Sym::truth(self.pool, false);
        for index in (0..found.end).rev() {
            let (x, y) = self.pair(call, index, fold)?;
            let pool = &mut *self.pool;
            let equal = x.eq(pool, y);
            let over = both_end(pool, (x, y), equal);
            if found.cut {
                let differs = equal.not(pool);
                let here = differs.or(pool, over);
                decided = decided.or(pool, here);
            }
            let (p, q) = (x.zext(pool, 32), y.zext(pool, 32));
            let difference = p.sub(pool, q);
            let rest = equal.ite(pool, result, difference);
            let nothing = Sym::constant(pool, 32, 0);
            result = over.ite(pool, nothing, rest);
        }
        if found.cut {
            self.decides(decided);
        }
        if result.value != 0 {
            self.leave_strings(call.word(0), call.word(1), most);
        }
        Ok(self.given(result))
    }

    /// What the strings of this run say from a position on.
    fn plain_difference(&mut self, call: &Call, from: u64, most: u64, fold: bool) -> Made<Sym> {
        for index in from..most {
            let (x, y) = self.pair(call, index, fold)?;
            if x.value != y.value {
                let difference = (x.value as u32).wrapping_sub(y.value as u32);
                return Ok(Sym::constant(self.pool, 32, difference.into()));
            }
            if x.value == 0 {
                break;
            }
        }
        Ok(Sym::constant(self.pool, 32, 0))
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
