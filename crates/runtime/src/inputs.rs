//! Symbolic inputs: values that the program asks for one by one, assumptions, and the error location.
//!
//! What must hold: each value of stream 0 has one record, one INPUT event and one variable, numbered in the order of the calls;
//! beyond what the engine supplied, and without engine, values are 0.
#![allow(unsafe_code, reason = "exported symbols")]

use crate::build::{Sym, binary, equals, input, not, zext};
use crate::handshake::Call;
use crate::memory;
use crate::raw::{c_len, exit_now, peek, poke};
use crate::record::{self, constraint, input_created, marked};
use crate::state::{STATE, control, overflowed, recording};
use core::cell::Cell;
use core::sync::atomic::Ordering::Relaxed;
use wire::event::{NO_SPOT, class, mark};
use wire::input::{InputRecord, SCALAR, VALUES, ValueType};
use wire::node::Op;
use wire::segment::{Loss, overflow};

/// Names looked at again before a new one is written.
const RECENT: usize = 16;

struct Names([Cell<(u32, u16)>; RECENT], Cell<usize>);

// SAFETY: the first thread alone creates inputs.
unsafe impl Sync for Names {}

static NAMES: Names = Names([const { Cell::new((0, 0)) }; RECENT], Cell::new(0));

/// Place of a C string in the name area.
fn intern_name(text: u64) -> (u32, u16) {
    if text == 0 {
        return (0, 0);
    }
    let length = c_len(text).min(u16::MAX.into()) as u16;
    let wanted = crate::raw::slice::<u8>(text, length.into());
    for recent in NAMES.0.iter().map(Cell::get) {
        let known =
            crate::raw::slice::<u8>(STATE.names.get() + u64::from(recent.0), recent.1.into());
        if recent.1 != 0 && known == wanted {
            return recent;
        }
    }
    let offset = STATE.name_bytes.get();
    if u32::from(length) > STATE.name_capacity.get() - offset {
        overflowed(overflow::NAMES);
        return (0, 0);
    }
    crate::raw::copy(STATE.names.get() + u64::from(offset), text, length.into());
    STATE.name_bytes.set(offset + u32::from(length));
    control()
        .name_bytes
        .store(offset + u32::from(length), Relaxed);
    let slot = NAMES.1.get();
    NAMES.0[slot].set((offset, length));
    NAMES.1.set((slot + 1) % RECENT);
    (offset, length)
}

/// The next value of stream 0.
fn create(kind: ValueType, c_type: u8, name: (u32, u16), element: u32) -> Sym {
    let bits = kind.bits();
    let index = STATE.input_count.get();
    if index >= STATE.input_capacity.get() {
        overflowed(overflow::INPUTS);
        return Sym::concrete(0, bits);
    }
    let address = STATE.inputs.get() + u64::from(index) * size_of::<InputRecord>() as u64;
    let supplied = index < control().supplied.load(Relaxed);
    let value = if supplied {
        peek::<[u64; 2]>(address)
    } else {
        [0; 2]
    };
    let value = Sym::concrete(u128::from(value[0]) | u128::from(value[1]) << 64, bits).value;
    let record = InputRecord {
        value: [value as u64, (value >> 64) as u64],
        name: name.0,
        name_len: name.1,
        kind: kind as u8,
        c_type,
        element,
        reserved: 0,
    };
    poke(address, record);
    STATE.input_count.set(index + 1);
    control().input_count.store(index + 1, Relaxed);
    input_created(index);
    input(VALUES, index, bits, value)
}

/// A named or unnamed scalar; concrete 0 when nothing is recorded.
fn scalar(kind: u32, c_type: u32, name: u64) -> Sym {
    let kind = ValueType::from_u8(kind as u8).unwrap_or(ValueType::I32);
    if !recording() {
        return Sym::concrete(0, kind.bits());
    }
    crate::server::before_input();
    let (calls, most) = (STATE.calls.get(), STATE.most_calls.get());
    let is_given = STATE.input_count.get() < control().supplied.load(Relaxed);
    if most != 0 && calls >= most && !is_given {
        // A program that asks without end is ended where its input ends; that it would have gone on is said.
        overflowed(overflow::INPUTS);
        exit_now(0);
    }
    STATE.calls.set(calls + 1);
    create(kind, c_type as u8, intern_name(name), SCALAR)
}

/// Whether a call fails: a value that nobody asks for by name. It is none of the calls after which a run is ended.
pub(crate) fn failure(kind: ValueType, name: u64) -> Sym {
    create(kind, 0, intern_name(name), SCALAR)
}

/// Writes a value and its label to memory.
fn place(address: u64, value: Sym) {
    let value = if value.bits < 8 {
        zext(value, 8)
    } else {
        value
    };
    let bytes = u32::from(value.bits / 8);
    for index in 0..bytes {
        poke(
            address + u64::from(index),
            (value.value >> (8 * index)) as u8,
        );
    }
    memory::store(address, bytes, value);
}

/// `bw_int(&x, "x")` and the like; called through `input_symbols`.
#[unsafe(no_mangle)]
pub extern "C" fn __bw_input_at(address: u64, name: u64, kind: u32, c_type: u32, own: u64) {
    let call = Call::enter(own);
    call.pinned(0, address, Loss::Address);
    place(address, scalar(kind, c_type, name));
}

/// As the C caller expects a narrow result: extended to the whole register.
fn returned(value: Sym, kind: u32) -> u128 {
    let signed = [ValueType::I8, ValueType::I16, ValueType::I32]
        .iter()
        .any(|narrow| *narrow as u32 == kind);
    if signed {
        crate::eval::sign_extend(value.value, value.bits)
    } else {
        value.value
    }
}

/// `__VERIFIER_nondet_int()` and the like.
#[unsafe(no_mangle)]
pub extern "C" fn __bw_input_value(own: u64, kind: u32, c_type: u32, name: u64) -> u128 {
    let call = Call::enter(own);
    let value = scalar(kind, c_type, name);
    call.give(value);
    returned(value, kind)
}

/// Same for `float`.
#[unsafe(no_mangle)]
pub extern "C" fn __bw_input_f32(own: u64, kind: u32, c_type: u32, name: u64) -> f32 {
    f32::from_bits(__bw_input_value(own, kind, c_type, name) as u32)
}

/// Same for `double`.
#[unsafe(no_mangle)]
pub extern "C" fn __bw_input_f64(own: u64, kind: u32, c_type: u32, name: u64) -> f64 {
    f64::from_bits(__bw_input_value(own, kind, c_type, name) as u64)
}

/// `bw_bytes(buffer, n, "name")`: each byte is an input.
#[unsafe(no_mangle)]
pub extern "C" fn __bw_input_bytes(address: u64, bytes: u64, name: u64, own: u64) {
    let call = Call::enter(own);
    call.pinned(0, address, Loss::Address);
    call.pinned(1, bytes, Loss::Length);
    if !recording() {
        for index in 0..bytes {
            poke(address + index, 0_u8);
        }
        return memory::clear(address, bytes);
    }
    crate::server::before_input();
    let name = intern_name(name);
    let unsigned_char = 4;
    for index in 0..bytes {
        place(
            address + index,
            create(ValueType::U8, unsigned_char, name, index as u32),
        );
    }
}

/// `bw_assume(c)`: `bits` is the width of `c`.
#[unsafe(no_mangle)]
pub extern "C" fn __bw_input_assume(condition: u64, bits: u32, own: u64) {
    let call = Call::enter(own);
    let bits = bits as u16;
    let false_value = condition as u128 & crate::eval::mask(bits) == 0;
    if call.live {
        assume(not(equals(call.arg(0, condition, bits), 0)));
    }
    if false_value {
        exit_now(0);
    }
}

/// Records an assumption; ends the run when it does not hold.
fn assume(condition: Sym) {
    if condition.value == 1 {
        return constraint(class::ASSUME, NO_SPOT, condition);
    }
    constraint(class::ASSUME, NO_SPOT, not(condition));
    marked(mark::ASSUME_FAILED, 0);
    exit_now(0)
}

/// `klee_range(low, high, "name")`: an `int` with `low <= x < high`.
#[unsafe(no_mangle)]
pub extern "C" fn __bw_input_range(low: u32, high: u32, name: u64, own: u64) -> i32 {
    let call = Call::enter(own);
    let (low_arg, high_arg) = (call.arg(0, low.into(), 32), call.arg(1, high.into(), 32));
    let int = 7;
    let value = scalar(ValueType::I32 as u32, int, name);
    if !recording() {
        return low as i32;
    }
    let (above, below) = (
        binary(Op::Sle, low_arg, value),
        binary(Op::Slt, value, high_arg),
    );
    assume(binary(Op::And, above, below));
    call.give(value);
    value.value as i32
}

/// `klee_int("name")`.
#[unsafe(no_mangle)]
pub extern "C" fn __bw_input_named_int(name: u64, own: u64) -> i32 {
    let int = 7;
    __bw_input_value(own, ValueType::I32 as u32, int, name) as i32
}

/// `reach_error()`.
#[unsafe(no_mangle)]
pub extern "C" fn __bw_input_reach() -> ! {
    if recording() {
        record::marked(mark::REACH_ERROR, 0);
    }
    // SAFETY: ends the process.
    unsafe { libc::abort() }
}
