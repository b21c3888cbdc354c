//! Reading standard input. What its length decides is a decision of the library, as in the native runtime.

use path::{LossReason, Role};
use smt::Term;

use super::{Call, Extern};
use crate::record::StreamId;
use crate::register::Register;
use crate::state::{End, Made, State};

pub(super) fn find(name: &str) -> Option<Extern> {
    Some(match name {
        "getchar" | "getchar_unlocked" => |state, _| {
            let file = state.addresses.stdin();
            state.next_character(file)
        },
        "getc" | "fgetc" | "getc_unlocked" | "fgetc_unlocked" => {
            |state, call| state.next_character(call.word(0))
        }
        "ungetc" => put_back,
        "fgets" | "fgets_unlocked" => line,
        "getline" => |state, call| delimited(state, call, b'\n', 2),
        "getdelim" => |state, call| {
            state.pin(&call.arg(2), LossReason::Value);
            delimited(state, call, call.word(2) as u8, 3)
        },
        "fread" | "fread_unlocked" => block,
        "read" => descriptor,
        "feof" | "feof_unlocked" => |state, call| {
            state.standard_input(call.word(0))?;
            Ok(Register::Word(u64::from(state.end_seen)))
        },
        "ferror" | "ferror_unlocked" => |state, call| {
            let is_set = state.file_errors.contains(&call.word(0));
            Ok(Register::Word(is_set.into()))
        },
        "fileno" => |state, call| {
            state.standard_input(call.word(0))?;
            Ok(Register::Word(0))
        },
        "clearerr" | "clearerr_unlocked" => |state, call| {
            state.file_errors.remove(&call.word(0));
            if call.word(0) == state.addresses.stdin() {
                state.end_seen = false;
            }
            Ok(Register::Word(0))
        },
        _ => return None,
    })
}

/// `EOF`.
const END: u64 = 0xffff_ffff;

impl State<'_> {
    /// The file must be standard input: its stream, if it is symbolic. What is not is empty.
    pub(super) fn standard_input(&self, file: u64) -> Made<Option<StreamId>> {
        if file != self.addresses.stdin() {
            return Err(End::Unmodelled("a file that is not standard input".into()));
        }
        Ok(self.stream(Role::Stdin, None))
    }

    /// The next byte, or `None` at the end; nothing is decided yet.
    fn peek_byte(&mut self, stream: StreamId) -> Option<(u8, Term)> {
        let at = self.inputs.known(stream).position;
        (at < self.supplied(stream)).then(|| self.stream_byte(stream, at))
    }

    fn next_character(&mut self, file: u64) -> Made<Register> {
        let Some(stream) = self.standard_input(file)? else {
            self.end_seen = true;
            return Ok(Register::Word(END));
        };
        let at = self.inputs.known(stream).position;
        let Some((byte, term)) = self.peek_byte(stream) else {
            self.end_seen = true;
            self.ended(stream, at);
            return Ok(Register::Word(END));
        };
        self.inputs.known(stream).position = at + 1;
        self.had(stream, at + 1);
        let term = self.pool.zext(term, 32);
        Ok(self.made_word(byte.into(), term))
    }

    /// Reads up to so many bytes to a place; how many there were.
    fn fill(&mut self, stream: Option<StreamId>, to: u64, wanted: u64) -> Made<u64> {
        let Some(stream) = stream else {
            self.end_seen |= wanted > 0;
            return Ok(0);
        };
        let at = self.inputs.known(stream).position;
        let left = self.supplied(stream).saturating_sub(at);
        let got = u64::from(left).min(wanted) as u32;
        self.inputs.known(stream).position = at + got;
        self.end_seen |= u64::from(got) < wanted;
        self.had_some(stream, at, got, wanted);
        self.lay(stream, at, got, to)?;
        Ok(got.into())
    }

    /// How many bytes a line has that takes at most `most` of them, its delimiter included.
    fn line_length(&self, stream: StreamId, at: u32, most: u32, delimiter: u8) -> u32 {
        let bytes = &self.inputs.stream(stream).bytes;
        let rest = bytes.get(at as usize..).unwrap_or_default();
        let rest = &rest[..rest.len().min(most as usize)];
        let end = rest.iter().position(|byte| *byte == delimiter);
        end.map_or(rest.len(), |end| end + 1) as u32
    }

    /// Reads `count` bytes of a line to a place where there is room for `room`, the terminator included.
    fn take_line(
        &mut self,
        stream: StreamId,
        to: u64,
        count: u32,
        room: u32,
        delimiter: u8,
    ) -> Made {
        let at = self.inputs.known(stream).position;
        self.inputs.known(stream).position = at + count;
        self.lay(stream, at, count, to)?;
        self.memory.set_byte(to + u64::from(count), 0, None)?;
        for index in 0..count {
            self.had(stream, at + index + 1);
            if index + 1 == count && count + 1 >= room {
                break;
            }
            let (byte, term) = self.stream_byte(stream, at + index);
            let constant = self.pool.constant(8, delimiter.into());
            let ends = self.pool.eq(term, constant);
            if !self.decide(ends, byte == delimiter) && index + 1 == count {
                self.end_seen = true;
                self.ended(stream, at + count);
            }
        }
        Ok(())
    }
}

/// Only what was read last can go back.
fn put_back(state: &mut State<'_>, call: &Call) -> Made<Register> {
    let stream = state.standard_input(call.word(1))?;
    let byte = call.word(0);
    if byte == END {
        return Ok(Register::Word(END));
    }
    let back = stream.and_then(|stream| {
        let at = state.inputs.known(stream).position.checked_sub(1)?;
        let same = u64::from(state.inputs.stream(stream).bytes[at as usize]) == byte & 0xff;
        same.then_some((stream, at))
    });
    let Some((stream, at)) = back else {
        return Err(End::Unmodelled(
            "ungetc of another byte than was read".into(),
        ));
    };
    state.inputs.known(stream).position = at;
    state.end_seen = false;
    Ok(match call.arg(0) {
        Register::Symbolic(word, term) => {
            let low = state.pool.extract(term, 0, 8);
            let whole = state.pool.zext(low, 32);
            state.made_word(word & 0xff, whole)
        }
        _ => Register::Word(byte & 0xff),
    })
}

fn line(state: &mut State<'_>, call: &Call) -> Made<Register> {
    let stream = state.standard_input(call.word(2))?;
    state.pin(&call.arg(0), LossReason::Address);
    state.pin(&call.arg(1), LossReason::Length);
    let (to, room) = (call.word(0), call.word(1) as i32);
    if room <= 1 {
        if room == 1 {
            state.memory.set_byte(to, 0, None)?;
        }
        return Ok(Register::Word(if room == 1 { to } else { 0 }));
    }
    let Some(stream) = stream else {
        state.end_seen = true;
        return Ok(Register::Word(0));
    };
    let at = state.inputs.known(stream).position;
    let count = state.line_length(stream, at, room.cast_unsigned() - 1, b'\n');
    if count == 0 {
        state.end_seen = true;
        state.ended(stream, at);
        return Ok(Register::Word(0));
    }
    state.take_line(stream, to, count, room.cast_unsigned(), b'\n')?;
    Ok(Register::Word(to))
}

/// `getline`: the buffer is the program's, and grows.
fn delimited(state: &mut State<'_>, call: &Call, delimiter: u8, file: usize) -> Made<Register> {
    let stream = state.standard_input(call.word(file))?;
    let pointer = state.program.layout.pointer_bits as u8;
    let failed = concrete_minus_one(pointer);
    let (line, room) = (call.arg(0), call.arg(1));
    let Some(stream) = stream else {
        state.end_seen = true;
        return Ok(Register::Word(failed));
    };
    let buffer = state.load_word(&line, pointer)?;
    let size = state.load_word(&room, pointer)?;
    state.pin(&buffer, LossReason::Address);
    state.pin(&size, LossReason::Length);
    let at = state.inputs.known(stream).position;
    let count = state.line_length(stream, at, u32::MAX, delimiter);
    if count == 0 {
        state.end_seen = true;
        state.ended(stream, at);
        return Ok(Register::Word(failed));
    }
    let (mut to, wanted) = (buffer.word(), u64::from(count) + 1);
    if to == 0 || size.word() < wanted {
        let grown = wanted.max(2 * size.word()).max(120);
        let fresh = state.object(grown);
        let fresh = fresh.ok_or(End::Outcome(path::Outcome::Memory))?;
        if to != 0 {
            state.end_object(to)?;
        }
        to = fresh;
        state.store_word(&line, pointer, &Register::Word(to))?;
        state.store_word(&room, pointer, &Register::Word(grown))?;
    }
    state.take_line(stream, to, count, u32::MAX, delimiter)?;
    Ok(Register::Word(count.into()))
}

fn concrete_minus_one(bits: u8) -> u64 {
    crate::concrete::mask(bits)
}

fn block(state: &mut State<'_>, call: &Call) -> Made<Register> {
    let stream = state.standard_input(call.word(3))?;
    state.pin(&call.arg(0), LossReason::Address);
    state.pin(&call.arg(1), LossReason::Length);
    state.pin(&call.arg(2), LossReason::Length);
    let (size, wanted) = (call.word(1), call.word(1).saturating_mul(call.word(2)));
    let got = state.fill(stream, call.word(0), wanted)?;
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
    let stream = state.stream(Role::Stdin, None);
    let got = state.fill(stream, call.word(1), call.word(2))?;
    Ok(Register::Word(got))
}
