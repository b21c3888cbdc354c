//! `strtod` and relatives have no expression: the characters that they read are pinned.
#![allow(unsafe_code, reason = "exported symbols")]

use crate::handshake::Call;
use crate::memory;
use crate::raw::peek;
use crate::record::pin;
use core::ffi::c_char;
use wire::event::NO_SPOT;
use wire::segment::Loss;

unsafe extern "C" {
    fn strtod(text: *const c_char, end: *mut u64) -> f64;
    fn strtof(text: *const c_char, end: *mut u64) -> f32;
}

/// Pins what a conversion of the text up to `end` looked at: that, and the character behind it.
fn pinned(call: &Call, text: u64, end: u64) {
    call.pinned(0, text, Loss::Address);
    if !call.live {
        return;
    }
    let mut at = text;
    loop {
        pin(NO_SPOT, memory::byte(at), Loss::External);
        if at >= end && !peek::<u8>(at).is_ascii_whitespace() {
            return;
        }
        at += 1;
    }
}

/// The same for a model.
#[unsafe(no_mangle)]
pub extern "C" fn __bw_hook_pin_text(from: u64, to: u64) {
    let call = Call::enter(__bw_hook_pin_text as *const () as u64);
    call.pinned(1, to, Loss::Address);
    pinned(&call, from, to);
}

/// Pins a value for a model that has no expression for what it computes.
#[unsafe(no_mangle)]
pub extern "C" fn __bw_hook_pin(value: u64) {
    Call::enter(__bw_hook_pin as *const () as u64).pinned(0, value, Loss::External);
}

/// A model had to give memory that may be symbolic to the C library.
#[unsafe(no_mangle)]
pub extern "C" fn __bw_hook_lost() {
    if crate::state::recording() {
        crate::record::loss(NO_SPOT, Loss::External);
    }
}

/// Where a caller wants to know the end.
fn tell(place: u64, end: u64) {
    if place != 0 {
        crate::raw::poke(place, end);
        memory::clear(place, 8);
    }
}

#[unsafe(no_mangle)]
pub extern "C" fn __bw_libc_strtod(text: u64, place: u64) -> f64 {
    let call = Call::enter(__bw_libc_strtod as *const () as u64);
    let mut end = text;
    // SAFETY: the program's own call.
    let value = unsafe { strtod(text as *const c_char, &raw mut end) };
    pinned(&call, text, end);
    tell(place, end);
    value
}

#[unsafe(no_mangle)]
pub extern "C" fn __bw_libc_strtof(text: u64, place: u64) -> f32 {
    let call = Call::enter(__bw_libc_strtof as *const () as u64);
    let mut end = text;
    // SAFETY: the program's own call.
    let value = unsafe { strtof(text as *const c_char, &raw mut end) };
    pinned(&call, text, end);
    tell(place, end);
    value
}

#[unsafe(no_mangle)]
pub extern "C" fn __bw_libc_atof(text: u64) -> f64 {
    let call = Call::enter(__bw_libc_atof as *const () as u64);
    let mut end = text;
    // SAFETY: the program's own call.
    let value = unsafe { strtod(text as *const c_char, &raw mut end) };
    pinned(&call, text, end);
    value
}
