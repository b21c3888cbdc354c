//! Reading standard input. What its length decides is a decision of the library, byte for byte.

use path::vars::var_of;
use path::{LossReason, Role};
use smt::Op as TermOp;

use super::{Call, Extern};
use crate::register::Register;
use crate::state::{End, Made, State};

pub(super) fn find(name: &str) -> Option<Extern> {
    Some(match name {
        "getchar" | "getchar_unlocked" => |state, _| state.next_character(),
        "getc" | "fgetc" | "getc_unlocked" | "fgetc_unlocked" => |state, call| {
            state.standard_input(call.word(0))?;
            state.next_character()
        },
        "ungetc" => put_back,
        "fgets" | "fgets_unlocked" => line,
        "fread" | "fread_unlocked" => block,
        "read" => descriptor,
        "feof" | "feof_unlocked" => |state, call| {
            state.standard_input(call.word(0))?;
            Ok(Register::Word(u64::from(state.end_seen)))
        },
        "ferror" | "ferror_unlocked" => |_, _| Ok(Register::Word(0)),
        _ => return None,
    })
}

/// `EOF`.
const END: u64 = 0xffff_ffff;

impl State<'_> {
    /// The file must be standard input.
    fn standard_input(&self, file: u64) -> Made {
        if file == self.addresses.stdin() {
            Ok(())
        } else {
            Err(End::Unmodelled("a file that is not standard input".into()))
        }
    }

    /// The next byte, or `None` at the end.
    fn next_byte(&mut self) -> Option<(u8, smt::Term)> {
        let streams = &self.inputs.vector.streams;
        let index = streams
            .iter()
            .position(|stream| stream.role == Role::Stdin)?;
        let at = self.inputs.positions[index];
        let length = streams[index].bytes.len() as u32;
        let inside = at < length;
        let (id, least, most) = (streams[index].id, streams[index].min, streams[index].max);
        if let Some(term) = self.inputs.length(self.pool, index)
            && at >= least
            && at < most
        {
            let place = self.pool.constant(32, at.into());
            let more = self.pool.cmp(TermOp::Ult, place, term);
            self.decide(more, inside);
        }
        let stream = &mut self.inputs.vector.streams[index];
        stream.used = stream.used.max(at + 1);
        if !inside {
            self.end_seen = true;
            return None;
        }
        let byte = stream.bytes[at as usize];
        self.inputs.positions[index] = at + 1;
        Some((byte, self.pool.var(var_of(id, at), 8)))
    }

    fn next_character(&mut self) -> Made<Register> {
        Ok(match self.next_byte() {
            Some((byte, term)) => {
                let term = self.pool.zext(term, 32);
                self.made_word(byte.into(), term)
            }
            None => Register::Word(END),
        })
    }

    /// Reads up to so many bytes to a place; how many there were.
    fn fill(&mut self, to: u64, most: u64) -> Made<u64> {
        let mut count = 0;
        while count < most {
            let Some((byte, term)) = self.next_byte() else {
                break;
            };
            self.memory
                .set_byte(to.wrapping_add(count), byte, Some(term))?;
            count += 1;
        }
        Ok(count)
    }
}

/// Only what was read last can go back.
fn put_back(state: &mut State<'_>, call: &Call) -> Made<Register> {
    state.standard_input(call.word(1))?;
    let streams = &state.inputs.vector.streams;
    let index = streams.iter().position(|stream| stream.role == Role::Stdin);
    let byte = call.word(0);
    let back = index.and_then(|index| {
        let at = state.inputs.positions[index].checked_sub(1)?;
        (u64::from(streams[index].bytes[at as usize]) == byte).then_some((index, at))
    });
    match back {
        Some((index, at)) if byte != END => {
            state.inputs.positions[index] = at;
            state.end_seen = false;
            Ok(call.arg(0))
        }
        _ if byte == END => Ok(Register::Word(END)),
        _ => Err(End::Unmodelled(
            "ungetc of another byte than was read".into(),
        )),
    }
}

fn line(state: &mut State<'_>, call: &Call) -> Made<Register> {
    state.standard_input(call.word(2))?;
    state.pin(&call.arg(0), LossReason::Address);
    state.pin(&call.arg(1), LossReason::Length);
    let (to, room) = (call.word(0), call.word(1) as i32);
    let mut count = 0;
    while i64::from(room) > count + 1 {
        let Some((byte, term)) = state.next_byte() else {
            break;
        };
        let place = to.wrapping_add(count as u64);
        state.memory.set_byte(place, byte, Some(term))?;
        count += 1;
        let newline = state.pool.constant(8, b'\n'.into());
        let ends = state.pool.eq(term, newline);
        if state.decide(ends, byte == b'\n') {
            break;
        }
    }
    if count == 0 && room > 1 {
        return Ok(Register::Word(0));
    }
    state
        .memory
        .set_byte(to.wrapping_add(count as u64), 0, None)?;
    Ok(Register::Word(to))
}

fn block(state: &mut State<'_>, call: &Call) -> Made<Register> {
    state.standard_input(call.word(3))?;
    state.pin(&call.arg(0), LossReason::Address);
    state.pin(&call.arg(1), LossReason::Length);
    state.pin(&call.arg(2), LossReason::Length);
    let (size, wanted) = (call.word(1), call.word(1).saturating_mul(call.word(2)));
    let got = state.fill(call.word(0), wanted)?;
    Ok(Register::Word(got.checked_div(size).unwrap_or(0)))
}

fn descriptor(state: &mut State<'_>, call: &Call) -> Made<Register> {
    if call.word(0) != 0 {
        return Err(End::Unmodelled(
            "a descriptor that is not standard input".into(),
        ));
    }
    state.pin(&call.arg(1), LossReason::Address);
    state.pin(&call.arg(2), LossReason::Length);
    let got = state.fill(call.word(1), call.word(2))?;
    Ok(Register::Word(got))
}
