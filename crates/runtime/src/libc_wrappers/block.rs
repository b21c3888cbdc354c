//! Copies and fills of blocks.
#![allow(unsafe_code, reason = "exported symbols")]

use crate::build::{Sym, extract};
use crate::handshake::Call;
use crate::memory;
use crate::raw::copy;
use wire::segment::Loss;

fn moved(call: &Call, to: u64, from: u64, bytes: u64) {
    call.pinned_pointers(&[to, from]);
    call.pinned(2, bytes, Loss::Length);
    copy(to, from, bytes);
    memory::move_shadow(to, from, bytes);
}

#[unsafe(no_mangle)]
pub extern "C" fn __bw_libc_memcpy(to: u64, from: u64, bytes: u64) -> u64 {
    moved(
        &Call::enter(__bw_libc_memcpy as *const () as u64),
        to,
        from,
        bytes,
    );
    to
}

#[unsafe(no_mangle)]
pub extern "C" fn __bw_libc_memmove(to: u64, from: u64, bytes: u64) -> u64 {
    moved(
        &Call::enter(__bw_libc_memmove as *const () as u64),
        to,
        from,
        bytes,
    );
    to
}

#[unsafe(no_mangle)]
pub extern "C" fn __bw_libc_mempcpy(to: u64, from: u64, bytes: u64) -> u64 {
    moved(
        &Call::enter(__bw_libc_mempcpy as *const () as u64),
        to,
        from,
        bytes,
    );
    to + bytes
}

#[unsafe(no_mangle)]
pub extern "C" fn __bw_libc_bcopy(from: u64, to: u64, bytes: u64) {
    moved(
        &Call::enter(__bw_libc_bcopy as *const () as u64),
        to,
        from,
        bytes,
    );
}

fn filled(address: u64, value: Sym, bytes: u64) {
    let byte = (value.value & 0xff) as u8;
    crate::raw::slice_mut::<u8>(address, bytes as usize).fill(byte);
    memory::fill(address, extract(value, 0, 8), bytes);
}

#[unsafe(no_mangle)]
pub extern "C" fn __bw_libc_memset(address: u64, value: u32, bytes: u64) -> u64 {
    let call = Call::enter(__bw_libc_memset as *const () as u64);
    call.pinned_pointers(&[address]);
    call.pinned(2, bytes, Loss::Length);
    filled(address, call.arg(1, value.into(), 32), bytes);
    address
}

#[unsafe(no_mangle)]
pub extern "C" fn __bw_libc_bzero(address: u64, bytes: u64) {
    let call = Call::enter(__bw_libc_bzero as *const () as u64);
    call.pinned_pointers(&[address]);
    call.pinned(1, bytes, Loss::Length);
    filled(address, Sym::concrete(0, 32), bytes);
}

#[unsafe(no_mangle)]
pub extern "C" fn __bw_libc_explicit_bzero(address: u64, bytes: u64) {
    let call = Call::enter(__bw_libc_explicit_bzero as *const () as u64);
    call.pinned_pointers(&[address]);
    call.pinned(1, bytes, Loss::Length);
    filled(address, Sym::concrete(0, 32), bytes);
}

macro_rules! checked {
    ($($name:ident, $real:ident;)*) => { $(
        /// What `_FORTIFY_SOURCE` makes of it; the room is the compiler's number.
        #[unsafe(no_mangle)]
        pub extern "C" fn $name(to: u64, from: u64, bytes: u64, room: u64) -> u64 {
            let call = Call::enter($name as *const () as u64);
            if bytes > room {
                // SAFETY: as the C library does where a buffer would overflow.
                unsafe { libc::abort() }
            }
            moved(&call, to, from, bytes);
            $real(to, bytes)
        }
    )* };
}

fn start(to: u64, _bytes: u64) -> u64 {
    to
}

fn end(to: u64, bytes: u64) -> u64 {
    to + bytes
}

checked! {
    __bw_libc___memcpy_chk, start;
    __bw_libc___memmove_chk, start;
    __bw_libc___mempcpy_chk, end;
}

#[unsafe(no_mangle)]
pub extern "C" fn __bw_libc___memset_chk(address: u64, value: u32, bytes: u64, room: u64) -> u64 {
    let call = Call::enter(__bw_libc___memset_chk as *const () as u64);
    if bytes > room {
        // SAFETY: as the C library does where a buffer would overflow.
        unsafe { libc::abort() }
    }
    call.pinned_pointers(&[address]);
    call.pinned(2, bytes, Loss::Length);
    filled(address, call.arg(1, value.into(), 32), bytes);
    address
}
