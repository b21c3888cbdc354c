//! Searches for a byte: `strchr`, `memchr` and relatives. The result is one expression over the places where it may be.

use path::LossReason;

use super::extent::Step;
use super::sym::Sym;
use super::{Call, Extern};
use crate::register::Register;
use crate::state::{Made, State};

pub(super) fn find(name: &str) -> Option<Extern> {
    Some(match name {
        "memchr" => |state, call| run(state, call, BLOCK),
        "memrchr" => |state, call| {
            run(
                state,
                call,
                Rule {
                    last: true,
                    ..BLOCK
                },
            )
        },
        "rawmemchr" => |state, call| {
            run(
                state,
                call,
                Rule {
                    endless: true,
                    ..BLOCK
                },
            )
        },
        "strchr" | "index" => |state, call| run(state, call, STRING),
        "strchrnul" => |state, call| {
            run(
                state,
                call,
                Rule {
                    end_if_absent: true,
                    ..STRING
                },
            )
        },
        "strrchr" | "rindex" => |state, call| {
            run(
                state,
                call,
                Rule {
                    last: true,
                    ..STRING
                },
            )
        },
        _ => return None,
    })
}

/// What a search does.
#[derive(Clone, Copy)]
struct Rule {
    /// Stops at a zero byte.
    string: bool,
    /// The last place instead of the first.
    last: bool,
    /// Points to the end instead of nowhere.
    end_if_absent: bool,
    /// The third argument is no limit.
    endless: bool,
}

const BLOCK: Rule = Rule {
    string: false,
    last: false,
    end_if_absent: false,
    endless: false,
};

const STRING: Rule = Rule {
    string: true,
    endless: true,
    ..BLOCK
};

fn run(state: &mut State<'_>, call: &Call, rule: Rule) -> Made<Register> {
    state.pin(&call.arg(0), LossReason::Address);
    let wanted = state.sym_of(&call.arg(1), 8);
    let mut limit = u64::MAX;
    if !rule.endless {
        state.pin(&call.arg(2), LossReason::Length);
        limit = call.word(2);
    }
    let start = call.word(0);
    let plain = state.plain_search(rule, start, wanted.value as u8, limit)?;
    let found = state.extent(limit, &[start], |state, index| {
        let byte = state.sym_byte(start.wrapping_add(index))?;
        let stop = state.stops(rule, wanted, byte);
        let involved = byte.is_symbolic(state.pool) || wanted.is_symbolic(state.pool) && !rule.last;
        Ok(match (stop.is_symbolic(state.pool), stop.holds()) {
            (false, true) => Step::Final,
            (true, true) => Step::Decides,
            (_, false) if involved => Step::Open,
            (_, false) => Step::On,
        })
    })?;
    if !found.symbolic && !wanted.is_symbolic(state.pool) {
        return Ok(Register::Word(plain));
    }
    let result = state.search_expression(rule, start, wanted, found.end)?;
    let differs = result.value != u128::from(plain);
    if found.cut || differs {
        state.note_extent(&found);
        let mut decided = Sym::truth(state.pool, false);
        for index in 0..found.end {
            let byte = state.sym_byte(start.wrapping_add(index))?;
            let stop = state.stops(rule, wanted, byte);
            decided = decided.or(state.pool, stop);
        }
        state.decides(decided);
        if differs {
            return Ok(Register::Word(plain));
        }
    }
    Ok(state.given(result))
}

impl State<'_> {
    /// The answer of this run.
    fn plain_search(&self, rule: Rule, start: u64, wanted: u8, limit: u64) -> Made<u64> {
        let mut result = 0;
        for index in 0..limit {
            let place = start.wrapping_add(index);
            let (byte, _) = self.memory.byte(place)?;
            if byte == wanted {
                result = place;
                if !rule.last {
                    return Ok(result);
                }
            }
            if rule.string && byte == 0 {
                return Ok(if rule.end_if_absent { place } else { result });
            }
        }
        Ok(result)
    }

    /// Whether the search certainly ends at a byte.
    fn stops(&mut self, rule: Rule, wanted: Sym, byte: Sym) -> Sym {
        let end = match rule.string {
            true => byte.is(self.pool, 0),
            false => Sym::truth(self.pool, false),
        };
        if rule.last {
            return end;
        }
        let equal = byte.eq(self.pool, wanted);
        end.or(self.pool, equal)
    }

    /// Built from the last position to the first.
    fn search_expression(&mut self, rule: Rule, start: u64, wanted: Sym, end: u64) -> Made<Sym> {
        let nowhere = self.pointer_sym(0);
        let mut result = nowhere;
        let mut later = Sym::truth(self.pool, false);
        for index in (0..end).rev() {
            let place = start.wrapping_add(index);
            let byte = self.sym_byte(place)?;
            let here = self.pointer_sym(place);
            let equal = byte.eq(self.pool, wanted);
            if rule.last {
                let end_here = self.stops(rule, wanted, byte).not(self.pool);
                later = later.and(self.pool, end_here);
                let other = equal.ite(self.pool, here, nowhere);
                result = later.ite(self.pool, result, other);
                later = later.or(self.pool, equal);
                continue;
            }
            let stop = self.stops(rule, wanted, byte);
            if rule.end_if_absent {
                result = stop.ite(self.pool, here, result);
            } else {
                let otherwise = stop.ite(self.pool, nowhere, result);
                result = equal.ite(self.pool, here, otherwise);
            }
        }
        Ok(result)
    }
}
