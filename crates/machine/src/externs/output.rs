//! Output: what goes to standard output and error is kept for those who compare runs, what goes to files of the program's own can be
//! read again. Results are those of a device that takes everything.

use path::LossReason;

use super::format::Arguments;
use super::stream::END;
use super::{Call, Extern};
use crate::files::{BAD_DESCRIPTOR, Content, OpenId};
use crate::register::Register;
use crate::state::{End, Made, State};

pub(super) fn find(name: &str) -> Option<Extern> {
    Some(match name {
        "putchar" | "putchar_unlocked" => |state, call| {
            let file = state.addresses.standard()[1];
            state.put_character(&call.arg(0), file)
        },
        "putc" | "fputc" | "putc_unlocked" | "fputc_unlocked" => {
            |state, call| state.put_character(&call.arg(0), call.word(1))
        }
        "fwrite" | "fwrite_unlocked" => |state, call| {
            state.pin(&call.arg(0), LossReason::Address);
            let bytes = call.word(1).saturating_mul(call.word(2));
            let text = state.outgoing(call.word(0), bytes, call.word(3))?;
            let written = state.write_file(call.word(3), &text)?;
            Ok(Register::Word(if written { call.word(2) } else { 0 }))
        },
        "write" => |state, call| {
            state.pin(&call.arg(1), LossReason::Address);
            let open = state.files.of_descriptor(call.word(0) as u32);
            let open = open.filter(|open| state.files.get(*open).mode.writes);
            let Some(open) = open else {
                return state.no_descriptor();
            };
            let text = state.bytes_out(call.word(1), call.word(2), open)?;
            state.write_open(open, &text)?;
            Ok(Register::Word(text.len() as u64))
        },
        "setbuf" | "setlinebuf" | "setvbuf" | "perror" | "syslog" | "warn" | "warnx" => {
            |_, _| Ok(Register::Word(0))
        }
        "puts" | "puts_unlocked" => |state, call| {
            let mut text = state.string(call.word(0), usize::MAX)?;
            text.push(b'\n');
            let file = state.addresses.standard()[1];
            state.written(file, &text, text.len() as u64)
        },
        "fputs" | "fputs_unlocked" => |state, call| {
            let length = state.string(call.word(0), usize::MAX)?.len() as u64;
            let text = state.outgoing(call.word(0), length, call.word(1))?;
            state.written(call.word(1), &text, 1)
        },
        "printf" => |state, call| print(state, call, 0),
        "__printf_chk" => |state, call| print(state, call, 1),
        "fprintf" | "dprintf" => |state, call| print(state, call, 1),
        "__fprintf_chk" => |state, call| print(state, call, 2),
        "vprintf" => |state, call| print_list(state, call, 0),
        "__vprintf_chk" | "vfprintf" | "vdprintf" => |state, call| print_list(state, call, 1),
        "__vfprintf_chk" => |state, call| print_list(state, call, 2),
        "__bw_hook_vfprintf" => |state, call| {
            if call.word(3) != 0 {
                state.lost(LossReason::External);
            }
            print_list(state, call, 1)
        },
        "__bw_hook_vsnprintf" => |state, call| {
            if call.word(4) != 0 {
                state.lost(LossReason::External);
            }
            let args = state.list_arguments(call.word(3))?;
            match state.formatted(call.word(2), args)? {
                Some(text) => state.put_text(call.word(0), call.word(1), &text),
                None => Err(End::Unmodelled("a conversion of printf".into())),
            }
        },
        "__bw_hook_double" => |state, call| {
            if call.arg(3).term().is_some() {
                state.lost(LossReason::External);
            }
            let number = [call.arg(3)];
            let args = Arguments::Call(number.iter());
            match state.formatted(call.word(2), args)? {
                Some(text) => state.put_text(call.word(0), call.word(1), &text),
                None => Err(End::Unmodelled("a conversion of printf".into())),
            }
        },
        _ => return None,
    })
}

/// The format stands at this place among the arguments, its own arguments behind it.
fn print(state: &mut State<'_>, call: &Call, format: usize) -> Made<Register> {
    let args = call.args.get(format + 1..).unwrap_or_default();
    let Some(text) = state.formatted(call.word(format), Arguments::Call(args.iter()))? else {
        return unknown(state, call);
    };
    state.print_text(call, &text)
}

/// The same, where a `va_list` follows the format.
fn print_list(state: &mut State<'_>, call: &Call, format: usize) -> Made<Register> {
    let args = state.list_arguments(call.word(format + 1))?;
    let Some(text) = state.formatted(call.word(format), args)? else {
        return unknown(state, call);
    };
    state.print_text(call, &text)
}

impl State<'_> {
    /// Writes what a function of the `printf` family made, to where the function of this name does.
    fn print_text(&mut self, call: &Call, text: &[u8]) -> Made<Register> {
        let count = text.len() as u64;
        match &*call.name {
            "printf" | "vprintf" | "__printf_chk" | "__vprintf_chk" => {
                let file = self.addresses.standard()[1];
                self.written(file, text, count)
            }
            "dprintf" | "vdprintf" => match self.files.of_descriptor(call.word(0) as u32) {
                Some(open) => {
                    self.write_open(open, text)?;
                    Ok(Register::Word(count))
                }
                None => self.failed_int(BAD_DESCRIPTOR),
            },
            _ => self.written(call.word(0), text, count),
        }
    }

    /// Writes to a `FILE`; `result` is what the function returns where that works.
    fn written(&mut self, file: u64, text: &[u8], result: u64) -> Made<Register> {
        let done = self.write_file(file, text)?;
        Ok(Register::Word(if done { result } else { END }))
    }

    fn put_character(&mut self, character: &Register, file: u64) -> Made<Register> {
        let byte = character.word() as u8;
        if character.term().is_some() && self.keeps(file)? {
            self.lost(LossReason::External);
        }
        self.written(file, &[byte], byte.into())
    }

    /// Whether what is written to a `FILE` can be read again.
    fn keeps(&mut self, file: u64) -> Made<bool> {
        let open = self.open_of(file)?;
        let content = self.files.get(open).content;
        Ok(matches!(self.files.content(content), Content::Bytes(_)))
    }

    /// Bytes that go to a `FILE`.
    fn outgoing(&mut self, from: u64, bytes: u64, file: u64) -> Made<Vec<u8>> {
        let open = self.open_of(file)?;
        self.bytes_out(from, bytes, open)
    }

    /// Bytes of memory that go to a file: it keeps no terms.
    fn bytes_out(&mut self, from: u64, bytes: u64, open: OpenId) -> Made<Vec<u8>> {
        if bytes == 0 {
            return Ok(Vec::new());
        }
        let (object, at) = self.memory.find(from, bytes)?;
        let range = at..at + bytes as usize;
        let symbolic = object.terms.has(range.clone());
        let text = object.bytes[range].to_vec();
        let content = self.files.get(open).content;
        if symbolic && matches!(self.files.content(content), Content::Bytes(_)) {
            self.lost(LossReason::External);
        }
        Ok(text)
    }

    /// Writes to a `FILE`; false where it was not opened for that, which it remembers as an error.
    fn write_file(&mut self, file: u64, text: &[u8]) -> Made<bool> {
        let open = self.open_of(file)?;
        if !self.files.get(open).mode.writes {
            self.handle(file)?.failed = true;
            self.set_error(BAD_DESCRIPTOR)?;
            return Ok(false);
        }
        self.write_open(open, text)?;
        self.files.get_mut(open).unflushed |= self.keeps(file)?;
        Ok(true)
    }

    fn write_open(&mut self, open: OpenId, text: &[u8]) -> Made {
        match self.files.content(self.files.get(open).content) {
            Content::Output => self.write_output(text),
            Content::Null => {}
            Content::Bytes(_) => {
                if !self.files.write(open, text) {
                    return Err(End::Unmodelled("a file of this size".into()));
                }
            }
            Content::Stream(_) => return Err(End::Unmodelled("writing into an input".into())),
        }
        Ok(())
    }

    /// What `snprintf` leaves of a text.
    fn put_text(&mut self, to: u64, room: u64, text: &[u8]) -> Made<Register> {
        if let Some(most) = room.checked_sub(1) {
            let shown = text.len().min(usize::try_from(most).unwrap_or(usize::MAX));
            for (index, byte) in (0..).zip(&text[..shown]) {
                self.memory.set_byte(to.wrapping_add(index), *byte, None)?;
            }
            self.memory
                .set_byte(to.wrapping_add(shown as u64), 0, None)?;
        }
        Ok(Register::Word(text.len() as u64))
    }
}

/// How much was written is not known.
fn unknown(state: &mut State<'_>, call: &Call) -> Made<Register> {
    if state.result_is_used() {
        return Err(End::Unmodelled(format!("the result of {}", call.name)));
    }
    Ok(Register::Word(0))
}
