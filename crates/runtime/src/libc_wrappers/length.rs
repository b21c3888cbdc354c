//! `strlen` and `strnlen`: one expression over the symbolic bytes.
#![allow(unsafe_code, reason = "exported symbols")]

use super::extent::{Step, extent};
use crate::build::{Sym, binary, equals, ite};
use crate::handshake::Call;
use crate::memory;
use crate::raw::{c_len, peek};
use crate::record::library;
use wire::node::Op;
use wire::segment::Loss;

fn concrete_length(string: u64, limit: u64) -> u64 {
    let mut length = 0;
    while length < limit && peek::<u8>(string + length) != 0 {
        length += 1;
    }
    length
}

fn length(call: &Call, string: u64, limit: u64) -> u64 {
    if !call.live {
        return concrete_length(string, limit);
    }
    let found = extent(limit, &[string], |index| {
        match memory::byte(string + index) {
            byte if byte.symbolic() => {
                if byte.value == 0 {
                    Step::Decides
                } else {
                    Step::Open
                }
            }
            byte => {
                if byte.value == 0 {
                    Step::Final
                } else {
                    Step::On
                }
            }
        }
    });
    let mut result = Sym::concrete(limit.min(found.end).into(), 64);
    if found.cut {
        let rest = if found.decided {
            0
        } else {
            concrete_length(string + found.end, limit - found.end)
        };
        result = Sym::concrete((found.end + rest).into(), 64);
        crate::record::loss(wire::event::NO_SPOT, Loss::Length);
    }
    let mut decided = Sym::concrete(0, 1);
    for index in (0..found.end).rev() {
        let end = equals(memory::byte(string + index), 0);
        result = ite(end, Sym::concrete(index.into(), 64), result);
        if found.cut {
            decided = binary(Op::Or, decided, end);
        }
    }
    if found.cut {
        library(decided);
    }
    call.give(result);
    result.value as u64
}

#[unsafe(no_mangle)]
pub extern "C" fn __bw_libc_strlen(string: u64) -> u64 {
    let call = Call::enter(__bw_libc_strlen as *const () as u64);
    call.pinned_pointers(&[string]);
    if !call.live {
        return c_len(string);
    }
    length(&call, string, u64::MAX)
}

#[unsafe(no_mangle)]
pub extern "C" fn __bw_libc_strnlen(string: u64, limit: u64) -> u64 {
    let call = Call::enter(__bw_libc_strnlen as *const () as u64);
    call.pinned_pointers(&[string]);
    call.pinned(1, limit, Loss::Length);
    length(&call, string, limit)
}
