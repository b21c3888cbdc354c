//! `strlen`, `strnlen`, `strspn` and `strcspn`: one expression over the symbolic bytes.
#![allow(unsafe_code, reason = "exported symbols")]

use super::copy_string::decided_length;
use super::extent::{Step, extent};
use crate::build::{Sym, binary, equals, ite, not};
use crate::handshake::Call;
use crate::raw::{first_of, slice};
use crate::record::library;
use crate::{bytes, memory};
use wire::node::Op;
use wire::segment::Loss;

/// What ends the part of a string that is measured.
trait End {
    /// The first place in the bytes where it holds.
    fn find(&self, bytes: &[u8]) -> Option<usize>;
    /// Has it labels of its own?
    fn has_labels(&self) -> bool;
    fn expression(&self, byte: Sym) -> Sym;
}

/// The terminator.
struct Zero;

impl End for Zero {
    fn find(&self, bytes: &[u8]) -> Option<usize> {
        bytes::first(0, bytes)
    }

    fn has_labels(&self) -> bool {
        false
    }

    fn expression(&self, byte: Sym) -> Sym {
        equals(byte, 0)
    }
}

/// A byte of a set, or outside it; the terminator always.
struct Set {
    start: u64,
    bytes: u64,
    outside: bool,
}

impl End for Set {
    fn find(&self, bytes: &[u8]) -> Option<usize> {
        let set: &[u8] = slice(self.start, self.bytes as usize);
        let holds = |&byte: &u8| byte == 0 || set.contains(&byte) != self.outside;
        bytes.iter().position(holds)
    }

    fn has_labels(&self) -> bool {
        memory::any(self.start, self.bytes)
    }

    fn expression(&self, byte: Sym) -> Sym {
        let mut found = Sym::concrete(0, 1);
        for index in 0..self.bytes {
            let member = memory::byte(self.start + index);
            found = binary(Op::Or, found, binary(Op::Eq, byte, member));
        }
        if self.outside {
            found = not(found);
        }
        binary(Op::Or, found, equals(byte, 0))
    }
}

fn concrete_length(end: &impl End, string: u64, limit: u64) -> u64 {
    first_of(string, limit, |bytes| end.find(bytes)).unwrap_or(limit)
}

fn length(call: &Call, end: &impl End, string: u64, limit: u64) -> u64 {
    let plain = concrete_length(end, string, limit);
    if !call.involved() || !end.has_labels() && !memory::any(string, (plain + 1).min(limit)) {
        return plain;
    }
    let found = extent(limit, &[string], |index| {
        let byte = memory::byte(string + index);
        let ends = end.expression(byte);
        match (ends.symbolic(), ends.value == 1) {
            (true, true) => Step::Decides,
            (true, false) => Step::Open,
            (false, true) => Step::Final,
            (false, false) => Step::On,
        }
    });
    let mut result = Sym::concrete(limit.min(found.end).into(), 64);
    if found.cut {
        let rest = if found.decided {
            0
        } else {
            concrete_length(end, string + found.end, limit - found.end)
        };
        result = Sym::concrete((found.end + rest).into(), 64);
        found.note_loss();
    }
    let mut decided = Sym::concrete(0, 1);
    for index in (0..found.end).rev() {
        let ends = end.expression(memory::byte(string + index));
        result = ite(ends, Sym::concrete(index.into(), 64), result);
        if found.cut {
            decided = binary(Op::Or, decided, ends);
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
    length(&call, &Zero, string, u64::MAX)
}

#[unsafe(no_mangle)]
pub extern "C" fn __bw_libc_strnlen(string: u64, limit: u64) -> u64 {
    let call = Call::enter(__bw_libc_strnlen as *const () as u64);
    call.pinned_pointers(&[string]);
    call.pinned(1, limit, Loss::Length);
    length(&call, &Zero, string, limit)
}

fn span(call: &Call, string: u64, set: u64, outside: bool) -> u64 {
    call.pinned_pointers(&[string, set]);
    let end = Set {
        start: set,
        bytes: decided_length(call, set, u64::MAX),
        outside,
    };
    length(call, &end, string, u64::MAX)
}

#[unsafe(no_mangle)]
pub extern "C" fn __bw_libc_strspn(string: u64, set: u64) -> u64 {
    let call = Call::enter(__bw_libc_strspn as *const () as u64);
    span(&call, string, set, true)
}

#[unsafe(no_mangle)]
pub extern "C" fn __bw_libc_strcspn(string: u64, set: u64) -> u64 {
    let call = Call::enter(__bw_libc_strcspn as *const () as u64);
    span(&call, string, set, false)
}
