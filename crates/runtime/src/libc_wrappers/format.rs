//! What the models of the `printf` family ask of the runtime: what is symbolic, how long strings are, and the C library's own
//! formatting of what has no expression. `__bw_hook_<name>`: called by models alone.
#![allow(unsafe_code, reason = "exported symbols")]

use super::copy_string::decided_length;
use crate::handshake::Call;
use crate::memory;
use crate::record::loss;
use wire::event::NO_SPOT;
use wire::segment::Loss;

unsafe extern "C" {
    fn snprintf(to: u64, room: u64, format: u64, ...) -> i32;
    fn vsnprintf(to: u64, room: u64, format: u64, arguments: u64) -> i32;
    fn vfprintf(file: u64, format: u64, arguments: u64) -> i32;
}

/// 1 if anything may hang on inputs: where not, a model leaves its work to the C library.
#[unsafe(no_mangle)]
pub extern "C" fn __bw_hook_any() -> i32 {
    let call = Call::enter(__bw_hook_any as *const () as u64);
    call.involved().into()
}

/// 1 if the value hangs on inputs.
#[unsafe(no_mangle)]
pub extern "C" fn __bw_hook_symbolic(value: u64) -> i32 {
    let call = Call::enter(__bw_hook_symbolic as *const () as u64);
    call.arg(0, value, 64).symbolic().into()
}

/// The value without its symbols.
#[unsafe(no_mangle)]
pub extern "C" fn __bw_hook_concrete(value: u64) -> u64 {
    let _call = Call::enter(__bw_hook_concrete as *const () as u64);
    value
}

/// Length of a string of at most `limit` bytes, as decisions on its symbolic bytes.
#[unsafe(no_mangle)]
pub extern "C" fn __bw_hook_length(string: u64, limit: u64) -> u64 {
    let call = Call::enter(__bw_hook_length as *const () as u64);
    call.pinned(0, string, Loss::Address);
    call.pinned(1, limit, Loss::Length);
    decided_length(&call, string, limit)
}

/// What was written there is concrete.
fn wrote(to: u64, room: u64, bytes: i32) -> i32 {
    if let Ok(bytes) = u64::try_from(bytes)
        && room > 0
    {
        memory::clear(to, room.min(bytes + 1));
    }
    bytes
}

/// A number with a fraction: `format` has one specification.
#[unsafe(no_mangle)]
pub extern "C" fn __bw_hook_double(to: u64, room: u64, format: u64, value: f64) -> i32 {
    let call = Call::enter(__bw_hook_double as *const () as u64);
    if call.arg(3, value.to_bits(), 64).symbolic() {
        loss(NO_SPOT, Loss::External);
    }
    // SAFETY: the model's buffer and format.
    wrote(to, room, unsafe { snprintf(to, room, format, value) })
}

/// The C library's own formatting; `loses` says that the arguments may be symbolic.
#[unsafe(no_mangle)]
pub extern "C" fn __bw_hook_vsnprintf(
    to: u64,
    room: u64,
    format: u64,
    arguments: u64,
    loses: i32,
) -> i32 {
    let call = Call::enter(__bw_hook_vsnprintf as *const () as u64);
    if loses != 0 && call.live {
        loss(NO_SPOT, Loss::External);
    }
    // SAFETY: the program's own call.
    wrote(to, room, unsafe { vsnprintf(to, room, format, arguments) })
}

/// Output, by the C library.
#[unsafe(no_mangle)]
pub extern "C" fn __bw_hook_vfprintf(file: u64, format: u64, arguments: u64, loses: i32) -> i32 {
    let call = Call::enter(__bw_hook_vfprintf as *const () as u64);
    if loses != 0 && call.live {
        loss(NO_SPOT, Loss::External);
    }
    // SAFETY: the program's own call.
    unsafe { vfprintf(file, format, arguments) }
}
