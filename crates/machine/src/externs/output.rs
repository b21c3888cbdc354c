//! Output: kept for those who compare runs, written nowhere. Results are those of a device that takes everything.

use path::LossReason;

use super::format::Arguments;
use super::{Call, Extern};
use crate::register::Register;
use crate::state::{End, Made, State};

pub(super) fn find(name: &str) -> Option<Extern> {
    Some(match name {
        "putchar" | "putc" | "fputc" | "putchar_unlocked" | "putc_unlocked" | "fputc_unlocked" => {
            |state, call| {
                let byte = call.word(0) as u8;
                state.write_output(&[byte]);
                Ok(Register::Word(byte.into()))
            }
        }
        "fwrite" | "fwrite_unlocked" | "write" => |_, call| Ok(Register::Word(call.word(2))),
        "fflush" | "fclose" | "fflush_unlocked" | "setbuf" | "setlinebuf" | "setvbuf"
        | "perror" | "syslog" | "warn" | "warnx" => |_, _| Ok(Register::Word(0)),
        "puts" | "puts_unlocked" => |state, call| {
            let mut text = state.string(call.word(0), usize::MAX)?;
            text.push(b'\n');
            state.write_output(&text);
            Ok(Register::Word(text.len() as u64))
        },
        "fputs" | "fputs_unlocked" => |state, call| {
            let text = state.string(call.word(0), usize::MAX)?;
            state.write_output(&text);
            Ok(Register::Word(1))
        },
        "printf" => |state, call| print(state, call, 0),
        "fprintf" | "dprintf" | "__printf_chk" => |state, call| print(state, call, 1),
        "__fprintf_chk" => |state, call| print(state, call, 2),
        "vprintf" => |state, call| print_list(state, call, 0),
        "vfprintf" | "__vprintf_chk" => |state, call| print_list(state, call, 1),
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
    state.write_output(&text);
    Ok(Register::Word(text.len() as u64))
}

/// The same, where a `va_list` follows the format.
fn print_list(state: &mut State<'_>, call: &Call, format: usize) -> Made<Register> {
    let args = state.list_arguments(call.word(format + 1))?;
    let Some(text) = state.formatted(call.word(format), args)? else {
        return unknown(state, call);
    };
    state.write_output(&text);
    Ok(Register::Word(text.len() as u64))
}

impl State<'_> {
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
