//! Output: kept for those who compare runs, written nowhere. Results are those of a device that takes everything.

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
        | "perror" | "clearerr" | "clearerr_unlocked" | "syslog" | "warn" | "warnx" => {
            |_, _| Ok(Register::Word(0))
        }
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
        "vprintf" | "vfprintf" | "__vprintf_chk" | "__vfprintf_chk" => unknown,
        _ => return None,
    })
}

/// The format stands at this place among the arguments, its own arguments behind it.
fn print(state: &mut State<'_>, call: &Call, format: usize) -> Made<Register> {
    let args = call.args.get(format + 1..).unwrap_or_default();
    let Some(text) = state.formatted(call.word(format), args)? else {
        return unknown(state, call);
    };
    state.write_output(&text);
    Ok(Register::Word(text.len() as u64))
}

/// How much was written is not known.
fn unknown(state: &mut State<'_>, call: &Call) -> Made<Register> {
    if state.result_is_used() {
        return Err(End::Unmodelled(format!("the result of {}", call.name)));
    }
    Ok(Register::Word(0))
}
