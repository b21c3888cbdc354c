//! Reading files. What the length of a symbolic one decides is a decision of the library, as in the native runtime.

use path::LossReason;
use smt::Term;

use super::{Call, Extern};
use crate::fault::Fault;
use crate::files::{BAD_DESCRIPTOR, Content, Handle, OpenId};
use crate::record::StreamId;
use crate::register::Register;
use crate::state::{End, Made, State};

pub(super) fn find(name: &str) -> Option<Extern> {
    Some(match name {
        "getchar" | "getchar_unlocked" => |state, _| {
            let file = state.addresses.standard()[0];
            state.next_character(file)
        },
        "getc" | "fgetc" | "getc_unlocked" | "fgetc_unlocked" => |state, call| {
            state.pin(&call.arg(0), LossReason::Address);
            state.next_character(call.word(0))
        },
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
            let ended = state.handle(call.word(0))?.ended;
            Ok(Register::Word(ended.into()))
        },
        "ferror" | "ferror_unlocked" => |state, call| {
            let failed = state.handle(call.word(0))?.failed;
            Ok(Register::Word(failed.into()))
        },
        "fileno" => |state, call| {
            let descriptor = state.handle(call.word(0))?.descriptor;
            Ok(Register::Word(descriptor.into()))
        },
        "clearerr" | "clearerr_unlocked" => |state, call| {
            let handle = state.handle(call.word(0))?;
            (handle.ended, handle.failed) = (false, false);
            Ok(Register::Word(0))
        },
        _ => return None,
    })
}

/// `EOF`.
pub(super) const END: u64 = 0xffff_ffff;

impl State<'_> {
    /// The `FILE` at an address.
    pub(crate) fn handle(&mut self, file: u64) -> Made<&mut Handle> {
        if file == 0 {
            return Err(Fault::Null.into());
        }
        let closed = || End::Unmodelled("a FILE that is not open".into());
        self.files.handle(file).ok_or_else(closed)
    }

    /// What a `FILE` is open on.
    pub(super) fn open_of(&mut self, file: u64) -> Made<OpenId> {
        let descriptor = self.handle(file)?.descriptor;
        let closed = || End::Unmodelled("a FILE whose descriptor is closed".into());
        self.files.of_descriptor(descriptor).ok_or_else(closed)
    }

    /// What a `FILE` reads from; `None` where it was not opened for that, which it remembers as an error.
    pub(super) fn reading(&mut self, file: u64) -> Made<Option<OpenId>> {
        let open = self.open_of(file)?;
        self.handle(file)?.at_end = false;
        if !self.files.get(open).mode.reads {
            self.handle(file)?.failed = true;
            self.set_error(BAD_DESCRIPTOR)?;
            return Ok(None);
        }
        self.see_written(open, true)?;
        self.files.get_mut(open).buffered = true;
        Ok(Some(open))
    }

    /// What others wrote to a file must be where this one sees it.
    pub(super) fn see_written(&self, open: OpenId, own: bool) -> Made {
        let content = self.files.get(open).content;
        match self.files.is_unflushed(content, own.then_some(open)) {
            true => Err(End::Unmodelled("output that is not flushed".into())),
            false => Ok(()),
        }
    }

    /// The input stream that a file is.
    pub(super) fn stream_of(&self, open: OpenId) -> Option<StreamId> {
        match self.files.content(self.files.get(open).content) {
            Content::Stream(stream) => Some(*stream),
            _ => None,
        }
    }

    /// Bytes of a file.
    pub(super) fn size_of_file(&self, open: OpenId) -> u64 {
        match self.files.content(self.files.get(open).content) {
            Content::Stream(stream) => self.supplied(*stream).into(),
            Content::Bytes(bytes) => bytes.len() as u64,
            Content::Null | Content::Output => 0,
        }
    }

    /// The byte at a position; `None` behind the end. Nothing is decided yet.
    pub(super) fn file_byte(&mut self, open: OpenId, at: u64) -> Option<(u8, Term)> {
        if at >= self.size_of_file(open) {
            return None;
        }
        if let Some(stream) = self.stream_of(open) {
            return Some(self.stream_byte(stream, at as u32));
        }
        match self.files.content(self.files.get(open).content) {
            Content::Bytes(bytes) => {
                let byte = bytes[at as usize];
                Some((byte, self.pool.constant(8, byte.into())))
            }
            _ => None,
        }
    }

    /// It had bytes up to this position.
    pub(super) fn file_had(&mut self, open: OpenId, end: u64) {
        if let Some(stream) = self.stream_of(open) {
            self.had(stream, narrow(end));
        }
    }

    /// It ended here, or before.
    pub(super) fn file_ended(&mut self, open: OpenId, at: u64) {
        if let Some(stream) = self.stream_of(open) {
            self.ended(stream, narrow(at));
        }
    }

    /// The next character of a `FILE`.
    fn next_character(&mut self, file: u64) -> Made<Register> {
        let Some(open) = self.reading(file)? else {
            return Ok(Register::Word(END));
        };
        let at = self.files.get(open).position;
        if let Some(byte) = self.handle(file)?.pushed.take() {
            self.files.get_mut(open).position = at + 1;
            self.file_had(open, at + 1);
            return Ok(Register::Word(byte.into()));
        }
        let Some((byte, term)) = self.file_byte(open, at) else {
            self.handle(file)?.ended = true;
            self.file_ended(open, at);
            return Ok(Register::Word(END));
        };
        self.files.get_mut(open).position = at + 1;
        self.file_had(open, at + 1);
        let term = self.pool.zext(term, 32);
        Ok(self.made_word(byte.into(), term))
    }

    /// Bytes from a position on are read to a place, as many as there are of those that are wanted; how many.
    pub(super) fn read_file(&mut self, open: OpenId, at: u64, to: u64, wanted: u64) -> Made<u64> {
        let got = self.had_of_file(open, at, wanted);
        self.lay_file(open, at, got, to)?;
        Ok(got)
    }

    /// How many of the wanted bytes there are from a position on.
    pub(super) fn had_of_file(&mut self, open: OpenId, at: u64, wanted: u64) -> u64 {
        let got = self.size_of_file(open).saturating_sub(at).min(wanted);
        if let Some(stream) = self.stream_of(open) {
            self.had_some(stream, narrow(at), got as u32, wanted);
        }
        got
    }

    /// Puts bytes of a file into memory.
    fn lay_file(&mut self, open: OpenId, at: u64, count: u64, to: u64) -> Made {
        for index in 0..count {
            if let Some((byte, term)) = self.file_byte(open, at + index) {
                self.set_input(to.wrapping_add(index), byte, term)?;
            }
        }
        Ok(())
    }

    /// No byte that stands elsewhere comes first.
    pub(super) fn nothing_pushed(&mut self, file: u64) -> Made {
        match self.handle(file)?.pushed {
            Some(_) => Err(End::Unmodelled("more than a byte behind ungetc".into())),
            None => Ok(()),
        }
    }

    /// How many bytes a line has that takes at most `most` of them, its delimiter included.
    fn line_length(&self, open: OpenId, at: u64, most: u64, delimiter: u8) -> u64 {
        let bytes: &[u8] = match self.files.content(self.files.get(open).content) {
            Content::Stream(stream) => &self.inputs.stream(*stream).bytes,
            Content::Bytes(bytes) => bytes,
            Content::Null | Content::Output => &[],
        };
        let rest = bytes.get(at as usize..).unwrap_or_default();
        let most = usize::try_from(most).unwrap_or(usize::MAX);
        let rest = &rest[..rest.len().min(most)];
        let end = rest.iter().position(|byte| *byte == delimiter);
        end.map_or(rest.len(), |end| end + 1) as u64
    }

    /// Reads `count` bytes of a line to a place where there is room for `room`, the terminator included.
    fn take_line(
        &mut self,
        (file, open): (u64, OpenId),
        (to, count): (u64, u64),
        room: u64,
        delimiter: u8,
    ) -> Made {
        let at = self.files.get(open).position;
        self.files.get_mut(open).position = at + count;
        self.lay_file(open, at, count, to)?;
        self.memory.set_byte(to + count, 0, None)?;
        for index in 0..count {
            self.file_had(open, at + index + 1);
            if index + 1 == count && count + 1 >= room {
                break;
            }
            let Some((byte, term)) = self.file_byte(open, at + index) else {
                break;
            };
            let constant = self.pool.constant(8, delimiter.into());
            let ends = self.pool.eq(term, constant);
            if !self.decide(ends, byte == delimiter) && index + 1 == count {
                self.handle(file)?.ended = true;
                self.file_ended(open, at + count);
            }
        }
        Ok(())
    }
}

/// A position in an input stream.
fn narrow(at: u64) -> u32 {
    u32::try_from(at).unwrap_or(u32::MAX)
}

/// One byte can go back.
fn put_back(state: &mut State<'_>, call: &Call) -> Made<Register> {
    state.pin(&call.arg(1), LossReason::Address);
    let file = call.word(1);
    let open = state.reading(file)?;
    let byte = call.word(0);
    let (Some(open), false) = (open, byte & END == END) else {
        return Ok(Register::Word(END));
    };
    let at = state.files.get(open).position.checked_sub(1);
    let at = at.filter(|_| matches!(state.handle(file), Ok(handle) if handle.pushed.is_none()));
    let Some(at) = at else {
        return Err(End::Unmodelled("ungetc of more than was read".into()));
    };
    let held = state.file_byte(open, at).map(|(byte, _)| byte);
    state.files.get_mut(open).position = at;
    let handle = state.handle(file)?;
    handle.ended = false;
    handle.pushed = Some(byte as u8).filter(|byte| held != Some(*byte));
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
    let file = call.word(2);
    let open = state.reading(file)?;
    state.pin(&call.arg(0), LossReason::Address);
    state.pin(&call.arg(1), LossReason::Length);
    let (to, room) = (call.word(0), call.word(1) as i32);
    let Some(open) = open else {
        return Ok(Register::Word(0));
    };
    if room <= 1 {
        if room == 1 {
            state.memory.set_byte(to, 0, None)?;
        }
        return Ok(Register::Word(if room == 1 { to } else { 0 }));
    }
    state.nothing_pushed(file)?;
    let at = state.files.get(open).position;
    let room = u64::from(room.cast_unsigned());
    let count = state.line_length(open, at, room - 1, b'\n');
    if count == 0 {
        state.handle(file)?.ended = true;
        state.file_ended(open, at);
        return Ok(Register::Word(0));
    }
    state.take_line((file, open), (to, count), room, b'\n')?;
    Ok(Register::Word(to))
}

/// `getline`: the buffer is the program's, and grows.
fn delimited(state: &mut State<'_>, call: &Call, delimiter: u8, file: usize) -> Made<Register> {
    let file = call.word(file);
    let open = state.reading(file)?;
    let pointer = state.program.layout.pointer_bits as u8;
    let failed = Register::Word(crate::concrete::mask(pointer));
    let (line, room) = (call.arg(0), call.arg(1));
    let Some(open) = open else {
        return Ok(failed);
    };
    state.nothing_pushed(file)?;
    let buffer = state.load_word(&line, pointer)?;
    let size = state.load_word(&room, pointer)?;
    state.pin(&buffer, LossReason::Address);
    state.pin(&size, LossReason::Length);
    let at = state.files.get(open).position;
    let count = state.line_length(open, at, u64::MAX, delimiter);
    if count == 0 {
        state.handle(file)?.ended = true;
        state.file_ended(open, at);
        return Ok(failed);
    }
    let (mut to, wanted) = (buffer.word(), count + 1);
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
    state.take_line((file, open), (to, count), u64::MAX, delimiter)?;
    Ok(Register::Word(count))
}

fn block(state: &mut State<'_>, call: &Call) -> Made<Register> {
    let file = call.word(3);
    let open = state.reading(file)?;
    state.pin(&call.arg(0), LossReason::Address);
    state.pin(&call.arg(1), LossReason::Length);
    state.pin(&call.arg(2), LossReason::Length);
    let (size, wanted) = (call.word(1), call.word(1).saturating_mul(call.word(2)));
    let Some(open) = open else {
        return Ok(Register::Word(0));
    };
    state.nothing_pushed(file)?;
    let at = state.files.get(open).position;
    let got = state.read_file(open, at, call.word(0), wanted)?;
    state.files.get_mut(open).position = at + got;
    state.handle(file)?.ended |= got < wanted;
    Ok(Register::Word(got.checked_div(size).unwrap_or(0)))
}

fn descriptor(state: &mut State<'_>, call: &Call) -> Made<Register> {
    state.pin(&call.arg(0), LossReason::Value);
    state.pin(&call.arg(1), LossReason::Address);
    state.pin(&call.arg(2), LossReason::Length);
    let Some(open) = state.readable(call.word(0) as u32)? else {
        return state.no_descriptor();
    };
    if state.files.get(open).buffered {
        return Err(End::Unmodelled("read behind a FILE".into()));
    }
    let at = state.files.get(open).position;
    let got = state.read_file(open, at, call.word(1), call.word(2))?;
    state.files.get_mut(open).position = at + got;
    Ok(Register::Word(got))
}

impl State<'_> {
    /// What a descriptor reads from; `None` if it is none, or not open for that.
    pub(super) fn readable(&mut self, descriptor: u32) -> Made<Option<OpenId>> {
        let open = self.files.of_descriptor(descriptor);
        let open = open.filter(|open| self.files.get(*open).mode.reads);
        if let Some(open) = open {
            self.see_written(open, false)?;
        }
        Ok(open)
    }

    /// -1, since a descriptor is none.
    pub(super) fn no_descriptor(&mut self) -> Made<Register> {
        self.failed(BAD_DESCRIPTOR)
    }

    /// -1, for this reason.
    pub(super) fn failed(&mut self, error: u32) -> Made<Register> {
        self.set_error(error)?;
        let pointer = self.program.layout.pointer_bits as u8;
        Ok(Register::Word(crate::concrete::mask(pointer)))
    }
}
