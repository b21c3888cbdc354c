//! What comes from the system: the time, its name, the number of the process. Always the same here: there is no clock.
//!
//! Must hold: what a program gets is no input, and it is said that something was lost.

use path::LossReason;

use super::{Call, Extern};
use crate::register::Register;
use crate::state::{Made, State};

/// Seconds since 1970.
const NOW: u64 = 1_700_000_000;
/// The number of the process.
const PROCESS: u64 = 4321;
/// Room of each name of `struct utsname`.
const NAME: u64 = 65;

pub(super) fn find(name: &str) -> Option<Extern> {
    Some(match name {
        "time" => |state, call| {
            state.pin(&call.arg(0), LossReason::Address);
            state.lost(LossReason::External);
            if call.word(0) != 0 {
                state.system_words(call.word(0), &[NOW])?;
            }
            Ok(Register::Word(NOW))
        },
        "gettimeofday" => |state, call| state.now(call.arg(0)),
        "clock_gettime" => |state, call| state.now(call.arg(1)),
        "clock" => |state, _| {
            state.lost(LossReason::External);
            Ok(Register::Word(0))
        },
        "getpid" => |state, _| {
            state.lost(LossReason::External);
            Ok(Register::Word(PROCESS))
        },
        "uname" => names,
        _ => return None,
    })
}

impl State<'_> {
    /// Writes numbers of the width of a pointer.
    fn system_words(&mut self, place: u64, words: &[u64]) -> Made {
        let bytes = self.program.layout.pointer_bits / 8;
        for (index, word) in (0..).zip(words) {
            let place = place.wrapping_add(index * u64::from(bytes));
            self.memory.set_word(place, bytes, *word)?;
        }
        Ok(())
    }

    fn now(&mut self, place: Register) -> Made<Register> {
        self.pin(&place, LossReason::Address);
        self.lost(LossReason::External);
        if place.word() != 0 {
            self.system_words(place.word(), &[NOW, 0])?;
        }
        Ok(Register::Word(0))
    }
}

/// `uname`: six names.
fn names(state: &mut State<'_>, call: &Call) -> Made<Register> {
    state.pin(&call.arg(0), LossReason::Address);
    state.lost(LossReason::External);
    let names = ["Linux", "machine", "6.0.0", "#1", "x86_64", "(none)"];
    for (index, name) in (0..).zip(names) {
        let place = call.word(0).wrapping_add(index * NAME);
        state.memory.fill(place, 0, None, NAME)?;
        for (at, byte) in (0..).zip(name.bytes()) {
            state.memory.set_byte(place + at, byte, None)?;
        }
    }
    Ok(Register::Word(0))
}
