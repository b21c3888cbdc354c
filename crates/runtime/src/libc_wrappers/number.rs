//! What has no expression is pinned: the characters of long numbers, values that only the C library knows what to do with.
//! `__bw_hook_<name>`: called by models alone.
#![allow(unsafe_code, reason = "exported symbols")]

use crate::handshake::Call;
use crate::memory;
use crate::raw::peek;
use crate::record::pin;
use wire::event::NO_SPOT;
use wire::segment::Loss;

/// Pins what a conversion of the text up to `end` looked at: that, and the character behind it.
fn pinned(call: &Call, text: u64, end: u64) {
    call.pinned(0, text, Loss::Address);
    if !call.involved() {
        return;
    }
    let mut at = text;
    loop {
        pin(NO_SPOT, memory::byte(at), Loss::Value);
        if at >= end && !peek::<u8>(at).is_ascii_whitespace() {
            return;
        }
        at += 1;
    }
}

/// Pins the text between two addresses, for a model whose result depends on it.
#[unsafe(no_mangle)]
pub extern "C" fn __bw_hook_pin_text(from: u64, to: u64) {
    let call = Call::enter(__bw_hook_pin_text as *const () as u64);
    call.pinned(1, to, Loss::Address);
    pinned(&call, from, to);
}

/// Pins a value for a model that has no expression for what it computes.
#[unsafe(no_mangle)]
pub extern "C" fn __bw_hook_pin(value: u64) {
    Call::enter(__bw_hook_pin as *const () as u64).pinned(0, value, Loss::Value);
}

/// A model had to give memory that may be symbolic to the C library.
#[unsafe(no_mangle)]
pub extern "C" fn __bw_hook_lost() {
    if crate::state::recording() {
        crate::record::loss(NO_SPOT, Loss::External);
    }
}
