//! Files by name and by descriptor: opening, closing, places, sizes, names, content as memory.
//!
//! Must hold: what an input file's length decides is recorded as in the native runtime (`runtime::libc_wrappers::file`); whatever leads
//! out of the working folder ends the run, unmodelled.

use path::{LossReason, Outcome};
use smt::Op as TermOp;

use super::stream::END;
use super::{Call, Extern};
use crate::files::{BAD_DESCRIPTOR, Content, ContentId, INVALID, Mode, NOT_FOUND, NoFile, OpenId};
use crate::memory::Kind;
use crate::register::Register;
use crate::state::{End, Made, State};

pub(super) fn find(name: &str) -> Option<Extern> {
    Some(match name {
        "fopen" | "fopen64" => |state, call| {
            let mode = state.file_mode(call, 1)?;
            match state.open_named(call, 0, mode)? {
                Some(descriptor) => state.new_handle(descriptor),
                None => Ok(Register::Word(0)),
            }
        },
        "freopen" | "freopen64" => reopen,
        "fdopen" => |state, call| {
            state.pin(&call.arg(0), LossReason::Value);
            let descriptor = call.word(0) as u32;
            if state.files.of_descriptor(descriptor).is_none() {
                state.set_error(BAD_DESCRIPTOR)?;
                return Ok(Register::Word(0));
            }
            state.new_handle(descriptor)
        },
        "tmpfile" | "tmpfile64" => |state, _| {
            let descriptor = state.files.open_nameless();
            state.new_handle(descriptor)
        },
        "fclose" => |state, call| {
            state.pin(&call.arg(0), LossReason::Address);
            state.flush(call.word(0))?;
            let descriptor = state.handle(call.word(0))?.descriptor;
            state.files.remove_handle(call.word(0));
            let closed = state.files.close(descriptor);
            Ok(Register::Word(if closed { 0 } else { END }))
        },
        "fflush" | "fflush_unlocked" => |state, call| {
            state.pin(&call.arg(0), LossReason::Address);
            match call.word(0) {
                0 => state.files.flush_all(),
                file => state.flush(file)?,
            }
            Ok(Register::Word(0))
        },
        "open" | "open64" | "creat" | "creat64" => open,
        "close" => |state, call| {
            state.pin(&call.arg(0), LossReason::Value);
            match state.files.close(call.word(0) as u32) {
                true => Ok(Register::Word(0)),
                false => state.failed_int(BAD_DESCRIPTOR),
            }
        },
        "dup" => |state, call| duplicate(state, call, None),
        "dup2" => |state, call| {
            state.pin(&call.arg(1), LossReason::Value);
            duplicate(state, call, Some(call.word(1) as u32))
        },
        "fseek" | "fseeko" | "fseeko64" => file_seek,
        "ftell" | "ftello" | "ftello64" => tell,
        "rewind" => |state, call| {
            let file = call.word(0);
            let open = state.open_of(file)?;
            state.flush(file)?;
            state.files.get_mut(open).position = 0;
            let handle = state.handle(file)?;
            (handle.ended, handle.failed) = (false, false);
            (handle.pushed, handle.at_end) = (None, false);
            Ok(Register::Word(0))
        },
        "lseek" | "lseek64" => seek,
        "pread" | "pread64" => read_at,
        "stat" | "stat64" | "lstat" | "lstat64" => |state, call| {
            state.pin(&call.arg(1), LossReason::Address);
            let name = state.file_name(call, 0)?;
            match state.files.named(&name) {
                Ok(Some(content)) => state.fill_status(call.word(1), content),
                Ok(None) => state.failed_int(NOT_FOUND),
                Err(error) => Err(outside(error, &name)),
            }
        },
        "fstat" | "fstat64" => |state, call| {
            state.pin(&call.arg(0), LossReason::Value);
            state.pin(&call.arg(1), LossReason::Address);
            match state.files.of_descriptor(call.word(0) as u32) {
                Some(open) => {
                    let content = state.files.get(open).content;
                    state.fill_status(call.word(1), content)
                }
                None => state.failed_int(BAD_DESCRIPTOR),
            }
        },
        "access" => |state, call| {
            let name = state.file_name(call, 0)?;
            match state.files.named(&name) {
                // Nobody may run what a program or its input wrote.
                Ok(Some(_)) if call.word(1) & 1 == 1 => state.failed_int(NO_ACCESS),
                Ok(Some(_)) => Ok(Register::Word(0)),
                Ok(None) => state.failed_int(NOT_FOUND),
                Err(error) => Err(outside(error, &name)),
            }
        },
        "unlink" | "remove" => |state, call| {
            let name = state.file_name(call, 0)?;
            let done = state.files.unlink(&name);
            state.was_there(done, &name)
        },
        "rename" => |state, call| {
            let (from, to) = (state.file_name(call, 0)?, state.file_name(call, 1)?);
            let done = state.files.rename(&from, &to);
            state.was_there(done, &from)
        },
        "ftruncate" | "ftruncate64" => |state, call| {
            state.pin(&call.arg(1), LossReason::Length);
            let open = state.files.of_descriptor(call.word(0) as u32);
            let open = open.filter(|open| state.files.get(*open).mode.writes);
            let Some(open) = open else {
                return state.failed_int(INVALID);
            };
            let content = state.files.get(open).content;
            match state.files.truncate(content, call.word(1)) {
                true => Ok(Register::Word(0)),
                false => Err(End::Unmodelled("ftruncate of an input".into())),
            }
        },
        "fsync" | "fdatasync" => |_, _| Ok(Register::Word(0)),
        "isatty" => |state, call| {
            state.pin(&call.arg(0), LossReason::Value);
            let known = state.files.of_descriptor(call.word(0) as u32).is_some();
            let error = if known { NO_TERMINAL } else { BAD_DESCRIPTOR };
            state.set_error(error)?;
            Ok(Register::Word(0))
        },
        "mmap" | "mmap64" => map,
        "munmap" => unmap,
        _ => return None,
    })
}

/// `EACCES`, `ENOTTY`.
const NO_ACCESS: u32 = 13;
const NO_TERMINAL: u32 = 25;

/// What the file leads to is not here.
fn outside(error: NoFile, name: &[u8]) -> End {
    let what = match error {
        NoFile::Outside => "of the outside world",
        NoFile::Error(_) => "that cannot be opened",
    };
    End::Unmodelled(format!("a file {what}: {}", String::from_utf8_lossy(name)))
}

impl State<'_> {
    /// Sets `errno`.
    pub(crate) fn set_error(&mut self, error: u32) -> Made {
        let place = self.error_number()?;
        self.memory.set_word(place, 4, error.into())?;
        Ok(())
    }

    /// -1 as an `int`, for this reason.
    pub(super) fn failed_int(&mut self, error: u32) -> Made<Register> {
        self.set_error(error)?;
        Ok(Register::Word(END))
    }

    /// 0 where a file of this name was there, and -1 where none was.
    fn was_there(&mut self, done: Result<bool, NoFile>, name: &[u8]) -> Made<Register> {
        match done {
            Ok(true) => Ok(Register::Word(0)),
            Ok(false) => self.failed_int(NOT_FOUND),
            Err(error) => Err(outside(error, name)),
        }
    }

    /// The text that an argument points to; what is symbolic in it is lost.
    fn file_name(&mut self, call: &Call, index: usize) -> Made<Vec<u8>> {
        self.pin(&call.arg(index), LossReason::Address);
        let start = call.word(index);
        let name = self.string(start, usize::MAX)?;
        for at in 0..=name.len() as u64 {
            if self.memory.byte(start.wrapping_add(at))?.1.is_some() {
                self.lost(LossReason::External);
                break;
            }
        }
        Ok(name)
    }

    /// The mode of `fopen`; an unknown one is an error when it is used.
    fn file_mode(&mut self, call: &Call, index: usize) -> Made<Option<Mode>> {
        let text = self.file_name(call, index)?;
        let both = text.contains(&b'+');
        let is_new = text.contains(&b'x');
        Ok(Some(match text.first() {
            Some(b'r') => Mode {
                reads: true,
                writes: both,
                ..Mode::default()
            },
            Some(b'w') => Mode {
                reads: both,
                writes: true,
                makes: true,
                is_new,
                empties: true,
                ..Mode::default()
            },
            Some(b'a') => Mode {
                reads: both,
                writes: true,
                appends: true,
                makes: true,
                is_new,
                ..Mode::default()
            },
            _ => return Ok(None),
        }))
    }

    /// Opens the file that an argument names; `None`, and `errno` is set, where that fails.
    fn open_named(&mut self, call: &Call, index: usize, mode: Option<Mode>) -> Made<Option<u32>> {
        let name = self.file_name(call, index)?;
        let Some(mode) = mode else {
            self.set_error(INVALID)?;
            return Ok(None);
        };
        match self.files.open(&name, mode) {
            Ok(descriptor) => Ok(Some(descriptor)),
            Err(NoFile::Error(error)) => {
                self.set_error(error)?;
                Ok(None)
            }
            Err(error) => Err(outside(error, &name)),
        }
    }

    fn new_handle(&mut self, descriptor: u32) -> Made<Register> {
        let full = End::Outcome(Outcome::Memory);
        let file = self.memory.add_code(Kind::Global).ok_or(full)?;
        self.files.add_handle(file, descriptor);
        Ok(Register::Word(file))
    }

    /// What was written to a `FILE` is where others see it.
    pub(super) fn flush(&mut self, file: u64) -> Made {
        let open = self.open_of(file)?;
        self.files.get_mut(open).unflushed = false;
        Ok(())
    }

    /// The place that is so far from the start, from here, or from the end of a file, as `lseek` has them; `None` if there is none.
    fn place_in(&self, open: OpenId, offset: i64, whence: u64) -> Option<u64> {
        let from = match whence {
            0 => 0,
            1 => self.files.get(open).position,
            2 => self.size_of_file(open),
            _ => return None,
        };
        match self.files.content(self.files.get(open).content) {
            // A device has one place.
            Content::Null | Content::Output => Some(0),
            _ => from.checked_add_signed(offset).filter(|at| *at >> 62 == 0),
        }
    }

    /// A place that is asked for from the end, as an expression.
    fn place_from_end(&mut self, open: OpenId, offset: i64, at: u64) -> Register {
        let Some(stream) = self.stream_of(open) else {
            return Register::Word(at);
        };
        let bits = self.program.layout.pointer_bits as u16;
        let length = self.size_of(stream);
        let length = self.pool.extract(length, 0, bits);
        let offset = self.pool.constant(bits, offset.cast_unsigned().into());
        let sum = self.pool.bin(TermOp::Add, length, offset);
        self.made_word(at, sum)
    }

    /// An `off_t` argument, which may take two of them where a word has 32 bits.
    fn offset(&self, call: &Call, index: usize) -> i64 {
        crate::concrete::signed(self.program.layout.pointer_bits as u8, call.word(index))
    }
}

fn reopen(state: &mut State<'_>, call: &Call) -> Made<Register> {
    if call.word(0) == 0 {
        return Err(End::Unmodelled("freopen without a name".into()));
    }
    let mode = state.file_mode(call, 1)?;
    let file = call.word(2);
    state.flush(file)?;
    let old = state.handle(file)?.descriptor;
    state.files.close(old);
    let Some(fresh) = state.open_named(call, 0, mode)? else {
        state.files.remove_handle(file);
        return Ok(Register::Word(0));
    };
    if fresh != old {
        state.files.duplicate(fresh, Some(old));
        state.files.close(fresh);
    }
    state.files.add_handle(file, old);
    Ok(Register::Word(file))
}

/// Flags of `open` on Linux.
const WRITE_ONLY: u64 = 1;
const READ_WRITE: u64 = 2;
const CREATE: u64 = 0o100;
const EXCLUSIVE: u64 = 0o200;
const TRUNCATE: u64 = 0o1000;
const APPEND: u64 = 0o2000;
const FOLDER: u64 = 0o200_000;

fn open(state: &mut State<'_>, call: &Call) -> Made<Register> {
    state.pin(&call.arg(1), LossReason::Value);
    let flags = match &*call.name {
        "creat" | "creat64" => WRITE_ONLY | CREATE | TRUNCATE,
        _ => call.word(1),
    };
    let has = |flag: u64| flags & flag == flag;
    if has(FOLDER) {
        return Err(End::Unmodelled("open of a folder".into()));
    }
    let mode = Mode {
        reads: !has(WRITE_ONLY),
        writes: has(WRITE_ONLY) || has(READ_WRITE),
        appends: has(APPEND),
        makes: has(CREATE),
        is_new: has(EXCLUSIVE),
        empties: has(TRUNCATE),
    };
    let opened = state.open_named(call, 0, Some(mode))?;
    Ok(Register::Word(opened.map_or(END, u64::from)))
}

fn duplicate(state: &mut State<'_>, call: &Call, wanted: Option<u32>) -> Made<Register> {
    state.pin(&call.arg(0), LossReason::Value);
    match state.files.duplicate(call.word(0) as u32, wanted) {
        Some(fresh) => Ok(Register::Word(fresh.into())),
        None => state.failed_int(BAD_DESCRIPTOR),
    }
}

fn file_seek(state: &mut State<'_>, call: &Call) -> Made<Register> {
    state.pin(&call.arg(1), LossReason::Address);
    state.pin(&call.arg(2), LossReason::Value);
    let file = call.word(0);
    let open = state.open_of(file)?;
    let (offset, whence) = (state.offset(call, 1), call.word(2));
    let Some(at) = state.place_in(open, offset, whence) else {
        return state.failed_int(INVALID);
    };
    state.flush(file)?;
    state.files.get_mut(open).position = at;
    let handle = state.handle(file)?;
    (handle.ended, handle.pushed) = (false, None);
    handle.at_end = whence == 2 && offset == 0;
    Ok(Register::Word(0))
}

fn tell(state: &mut State<'_>, call: &Call) -> Made<Register> {
    let file = call.word(0);
    let open = state.open_of(file)?;
    let at = state.files.get(open).position;
    if state.handle(file)?.at_end && at == state.size_of_file(open) {
        return Ok(state.place_from_end(open, 0, at));
    }
    Ok(Register::Word(at))
}

fn seek(state: &mut State<'_>, call: &Call) -> Made<Register> {
    state.pin(&call.arg(1), LossReason::Address);
    let Some(open) = state.files.of_descriptor(call.word(0) as u32) else {
        return state.no_descriptor();
    };
    if state.files.get(open).buffered {
        return Err(End::Unmodelled("lseek behind a FILE".into()));
    }
    let (offset, whence) = (state.offset(call, 1), call.word(2));
    let Some(at) = state.place_in(open, offset, whence) else {
        return state.failed(INVALID);
    };
    state.files.get_mut(open).position = at;
    match whence {
        2 => Ok(state.place_from_end(open, offset, at)),
        _ => Ok(Register::Word(at)),
    }
}

fn read_at(state: &mut State<'_>, call: &Call) -> Made<Register> {
    state.pin(&call.arg(1), LossReason::Address);
    state.pin(&call.arg(2), LossReason::Length);
    state.pin(&call.arg(3), LossReason::Address);
    let Some(open) = state.readable(call.word(0) as u32)? else {
        return state.no_descriptor();
    };
    let Ok(at) = u64::try_from(state.offset(call, 3)) else {
        return state.failed(INVALID);
    };
    let got = state.read_file(open, at, call.word(1), call.word(2))?;
    Ok(Register::Word(got))
}

/// A field of `struct stat`: its offset and its bytes where addresses have 64 bits.
type Field = (u64, u32);
const DEVICE: Field = (0, 8);
const NUMBER: Field = (8, 8);
const LINKS: Field = (16, 8);
const KIND: Field = (24, 4);
const KIND_OF_DEVICE: Field = (40, 8);
const SIZE: Field = (48, 8);
const BLOCK: Field = (56, 8);
const BLOCKS: Field = (64, 8);
/// Its bytes.
const STATUS: u64 = 144;
/// Modes of files and devices, and the numbers of `/dev/null` and of `/dev/zero`, where native runs write to.
const FILE: u64 = 0o100_644;
const CHARACTERS: u64 = 0o020_666;
const NULL: u64 = 0x103;
const ZERO: u64 = 0x105;

impl State<'_> {
    /// What `stat` says of a file. Of what the outside decides (owner, times, devices) nothing is an input: a proof that rests on it
    /// is none.
    fn fill_status(&mut self, to: u64, content: ContentId) -> Made<Register> {
        if self.program.layout.pointer_bits != 64 {
            return Err(End::Unmodelled("struct stat of 32 bits".into()));
        }
        if self.files.is_unflushed(content, None) {
            return Err(End::Unmodelled("output that is not flushed".into()));
        }
        let (kind, device, size) = match self.files.content(content) {
            Content::Stream(stream) => (FILE, 0, u64::from(self.supplied(*stream))),
            Content::Bytes(bytes) => (FILE, 0, bytes.len() as u64),
            Content::Null => (CHARACTERS, NULL, 0),
            Content::Output => (CHARACTERS, ZERO, 0),
        };
        let stream = match self.files.content(content) {
            Content::Stream(stream) => Some(*stream),
            _ => None,
        };
        self.memory.fill(to, 0, None, STATUS)?;
        let number = self.files.number(content);
        for ((at, bytes), value) in [
            (DEVICE, 1),
            (NUMBER, number),
            (LINKS, 1),
            (KIND, kind),
            (KIND_OF_DEVICE, device),
            (SIZE, size),
            (BLOCK, 4096),
            (BLOCKS, size.div_ceil(512)),
        ] {
            self.memory.set_word(to + at, bytes, value)?;
        }
        if let Some(stream) = stream {
            let length = self.size_of(stream);
            let length = self.made_word(size, length);
            self.store_word(&Register::Word(to + SIZE.0), 64, &length)?;
        }
        Ok(Register::Word(0))
    }
}

/// Protection and flags of `mmap`.
const MAY_WRITE: u64 = 2;
const SHARED: u64 = 1;
const FIXED: u64 = 0x10;
const ANONYMOUS: u64 = 0x20;
const PAGE: u64 = 4096;

fn map(state: &mut State<'_>, call: &Call) -> Made<Register> {
    for (index, reason) in [
        (0, LossReason::Address),
        (1, LossReason::Length),
        (5, LossReason::Address),
    ] {
        state.pin(&call.arg(index), reason);
    }
    let (bytes, access, flags) = (call.word(1), call.word(2), call.word(3));
    let written = access & MAY_WRITE != 0 && flags & SHARED != 0;
    let is_file = flags & ANONYMOUS == 0;
    if flags & FIXED != 0 || written && is_file {
        return Err(End::Unmodelled("mmap that is fixed or shared".into()));
    }
    if bytes == 0 {
        return state.failed(INVALID);
    }
    let file = match is_file {
        true => match state.readable(call.word(4) as u32)? {
            Some(open) => Some(open),
            None => return state.no_descriptor(),
        },
        false => None,
    };
    let full = End::Outcome(Outcome::Memory);
    let Some(size) = bytes.checked_next_multiple_of(PAGE) else {
        return Err(full);
    };
    if state.memory.used.saturating_add(size) > state.config.limits.memory {
        return Err(full);
    }
    let base = state.memory.add(Kind::Global, size).ok_or(full)?;
    if let Some(open) = file {
        let at = state.offset(call, 5);
        let Ok(at) = u64::try_from(at) else {
            return state.failed(INVALID);
        };
        state.read_file(open, at, base, bytes)?;
    }
    Ok(Register::Word(base))
}

/// The whole of what was mapped goes; a part of it stays.
fn unmap(state: &mut State<'_>, call: &Call) -> Made<Register> {
    state.pin(&call.arg(0), LossReason::Address);
    state.pin(&call.arg(1), LossReason::Length);
    let object = state.memory.object(call.word(0));
    let whole = object.is_some_and(|object| {
        let size = object.bytes.len() as u64;
        let given = call.word(1).checked_next_multiple_of(PAGE);
        object.alive && object.base == call.word(0) && given == Some(size)
    });
    if whole {
        state.memory.remove(call.word(0));
    }
    Ok(Register::Word(0))
}
