//! Calls that may fail (`--sym-fail`): `__bw_fail_<name>` stands between the program and `<name>`, or our wrapper of it, in programs
//! that were built for it. The list is `wire::fail`.
//!
//! What must hold: each call that is decided takes one value of stream 0 and records one decision, or two where it may also move less;
//! the value 0, which is what a run has without being told, is success; a call that works is made as the program made it, its
//! labels included.
#![allow(unsafe_code, reason = "exported symbols")]

use crate::build::{equals, operand};
use crate::handshake::Call;
use crate::inputs::failure;
use crate::raw::{peek, poke, set_errno};
use crate::record::{self, library, pin};
use crate::state::{self, STATE, recording};
use core::cell::Cell;
use wire::event::NO_SPOT;
use wire::fail::{Failing, MOST, Outcome, Set, TABLE, place, shortened};
use wire::input::ValueType;
use wire::segment::Loss;

/// Arguments that are passed on: as many as go in registers, which is enough for every function of the table.
type Args = [u64; 6];

/// Calls so far: of each function, and decided in all.
struct Asked([Cell<u32>; TABLE.len()], Cell<u32>);

// SAFETY: the first thread alone asks for inputs.
unsafe impl Sync for Asked {}

static ASKED: Asked = Asked([const { Cell::new(0) }; TABLE.len()], Cell::new(0));

/// glibc's `_IO_ERR_SEEN`, in the first word of a `FILE`.
const ERROR_SEEN: u32 = 0x20;

/// What becomes of this call.
fn decide(place: usize, failing: &Failing) -> Outcome {
    if !Set(STATE.failing.get()).has(place) || !recording() {
        return Outcome::Works;
    }
    crate::server::before_input();
    let asked = &ASKED.0[place];
    asked.set(asked.get() + 1);
    if ASKED.1.get() == MOST {
        record::loss(NO_SPOT, Loss::Full);
        return Outcome::Works;
    }
    ASKED.1.set(ASKED.1.get() + 1);
    let kind = match failing.short {
        Some(_) => ValueType::U8,
        None => ValueType::Bool,
    };
    let mut text = [0; 64];
    let value = failure(kind, name(&mut text, failing.name, asked.get()));
    let works = equals(value, 0);
    library(works);
    let outcome = failing.outcome(value.value);
    if works.value == 0 && failing.short.is_some() {
        library(equals(value, 1));
    }
    outcome
}

/// `fail malloc 3`, terminated.
fn name(text: &mut [u8; 64], function: &str, number: u32) -> u64 {
    let mut digits = [0; 10];
    let (mut first, mut rest) = (digits.len(), number);
    while rest > 0 {
        first -= 1;
        digits[first] = b'0' + (rest % 10) as u8;
        rest /= 10;
    }
    let parts = [b"fail ", function.as_bytes(), b" ", &digits[first..]];
    let bytes = parts.into_iter().flatten();
    let last = text.len() - 1;
    for (to, byte) in text[..last].iter_mut().zip(bytes) {
        *to = *byte;
    }
    text.as_ptr() as u64
}

/// The argument becomes smaller: what is symbolic about it is fixed.
fn shorten(own: u64, args: &mut Args, place: usize) {
    if state::callee() == own && state::argument(place) != 0 {
        let amount = operand(state::argument(place), args[place].into(), 64);
        pin(NO_SPOT, amount, Loss::Length);
        state::set_argument(place, 0);
    }
    args[place] = shortened(args[place]);
}

/// Makes the call, or fails. `wrapper` is where labels are taken, if they are.
fn call(
    place: usize,
    own: u64,
    wrapper: Option<u64>,
    mut args: Args,
    target: impl FnOnce(&Args) -> u64,
) -> u64 {
    let failing = &TABLE[place];
    let outcome = decide(place, failing);
    if outcome == Outcome::Fails {
        // That it fails does not depend on its arguments.
        let _ = Call::enter(own);
        if failing.done {
            target(&args);
        }
        if let Some(file) = failing.file.map(|file| args[file])
            && file != 0
        {
            poke(file, peek::<u32>(file) | ERROR_SEEN);
        }
        if failing.errno != 0 {
            set_errno(failing.errno);
        }
        return failing.result.cast_unsigned();
    }
    if let (Outcome::Short, Some(short)) = (outcome, failing.short) {
        shorten(own, &mut args, short);
    }
    let Some(wrapper) = wrapper.filter(|_| recording()) else {
        return target(&args);
    };
    if state::callee() == own {
        state::set_callee(wrapper);
    }
    let result = target(&args);
    if state::returned() == wrapper {
        state::set_returned(own);
    }
    result
}

/// The functions that the program calls. Each passes on what is in the registers for arguments, whatever its type: none takes
/// floats, or more than six arguments.
macro_rules! trampolines {
    (wrapped: $($wrapped:ident)*; plain: $($plain:ident)*;) => {
        $(trampoline!($wrapped, concat!("__bw_libc_", stringify!($wrapped)), true);)*
        $(trampoline!($plain, stringify!($plain), false);)*
    };
}

macro_rules! trampoline {
    ($name:ident, $target:expr, $wrapped:literal) => {
        const _: () = {
            #[unsafe(export_name = concat!("__bw_fail_", stringify!($name)))]
            extern "C" fn own(a: u64, b: u64, c: u64, d: u64, e: u64, f: u64) -> u64 {
                #[allow(clashing_extern_declarations, reason = "whatever its type")]
                unsafe extern "C" {
                    #[link_name = $target]
                    fn target(a: u64, b: u64, c: u64, d: u64, e: u64, f: u64) -> u64;
                }
                const PLACE: usize = place(stringify!($name));
                let wrapper = $wrapped.then_some(target as *const () as u64);
                let args = [a, b, c, d, e, f];
                call(PLACE, own as *const () as u64, wrapper, args, |args| {
                    let &[a, b, c, d, e, f] = args;
                    // SAFETY: the program's own call.
                    unsafe { target(a, b, c, d, e, f) }
                })
            }
        };
    };
}

wire::failing_functions!(trampolines);
