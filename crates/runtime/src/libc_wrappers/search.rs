//! Searches for a byte: `strchr`, `memchr` and relatives. The result is one expression over the places where it may be.
#![allow(unsafe_code, reason = "exported symbols")]

use super::extent::{Step, extent};
use crate::build::{Sym, binary, equals, extract, ite, not};
use crate::handshake::Call;
use crate::raw::{c_len, first_of, peek, slice};
use crate::record::library;
use crate::{bytes, memory};
use wire::node::Op;
use wire::segment::Loss;

/// What a search does.
struct Rule {
    /// Stops at a zero byte.
    string: bool,
    /// The last place instead of the first.
    last: bool,
    /// Points to the end instead of nowhere.
    end_if_absent: bool,
}

fn pointer(address: u64) -> Sym {
    Sym::concrete(address.into(), 64)
}

fn last_place(wanted: u8, bytes: &[u8]) -> Option<u64> {
    let place = bytes.iter().rposition(|&byte| byte == wanted)?;
    Some(place as u64)
}

/// The answer where nothing symbolic is involved, and how many bytes were looked at for it.
fn concrete(rule: &Rule, start: u64, wanted: u8, limit: u64) -> (u64, u64) {
    let end = match rule.string {
        true if rule.last => c_len(start) + 1,
        true => {
            first_of(start, limit, |bytes| bytes::first_of_two(0, wanted, bytes)).unwrap_or(limit)
                + 1
        }
        false => limit,
    };
    let place = match rule.last {
        true => last_place(wanted, slice(start, end as usize)),
        false if rule.string => (peek::<u8>(start + end - 1) == wanted).then_some(end - 1),
        false => first_of(start, limit, |bytes| bytes::first(wanted, bytes)),
    };
    let looked_at = match place {
        Some(place) if !rule.last => place + 1,
        _ => end,
    };
    match place {
        Some(place) => (start + place, looked_at),
        None if rule.end_if_absent => (start + end - 1, looked_at),
        None => (0, looked_at),
    }
}

fn search(call: &Call, rule: &Rule, start: u64, wanted: Sym, limit: u64) -> u64 {
    let wanted = extract(wanted, 0, 8);
    let (plain, looked_at) = concrete(rule, start, wanted.value as u8, limit);
    if !call.involved() || !wanted.symbolic() && !memory::any(start, looked_at) {
        return plain;
    }
    let stops = |byte: Sym| {
        let end = if rule.string {
            equals(byte, 0)
        } else {
            Sym::concrete(0, 1)
        };
        if rule.last {
            end
        } else {
            binary(Op::Or, end, binary(Op::Eq, byte, wanted))
        }
    };
    // A backward search in a block has no decisive position: the whole block is looked at.
    let found = extent(limit, &[start], |index| {
        let byte = memory::byte(start + index);
        let stop = stops(byte);
        let involved = byte.symbolic() || wanted.symbolic() && !rule.last;
        match (stop.symbolic(), stop.value == 1) {
            (false, true) => Step::Final,
            (true, true) => Step::Decides,
            (_, false) => {
                if involved {
                    Step::Open
                } else {
                    Step::On
                }
            }
        }
    });
    if !found.symbolic && !wanted.symbolic() {
        return plain;
    }
    let result = expression(rule, start, wanted, found.end, &stops);
    if found.cut || result.value != u128::from(plain) {
        found.note_loss();
        let mut decided = Sym::concrete(0, 1);
        for index in 0..found.end {
            decided = binary(Op::Or, decided, stops(memory::byte(start + index)));
        }
        library(decided);
        if result.value != u128::from(plain) {
            return plain;
        }
    }
    call.give(result);
    plain
}

/// Built from the last position to the first.
fn expression(rule: &Rule, start: u64, wanted: Sym, end: u64, stops: &dyn Fn(Sym) -> Sym) -> Sym {
    let mut result = pointer(0);
    let mut later = Sym::concrete(0, 1);
    for index in (0..end).rev() {
        let byte = memory::byte(start + index);
        let (here, equal) = (pointer(start + index), binary(Op::Eq, byte, wanted));
        if rule.last {
            let end_here = if rule.string {
                equals(byte, 0)
            } else {
                Sym::concrete(0, 1)
            };
            later = binary(Op::And, later, not(end_here));
            result = ite(later, result, ite(equal, here, pointer(0)));
            later = binary(Op::Or, later, equal);
        } else if rule.end_if_absent {
            result = ite(stops(byte), here, result);
        } else {
            result = ite(equal, here, ite(stops(byte), pointer(0), result));
        }
    }
    result
}

macro_rules! searches {
    ($($name:ident($($limit:ident)?) string $string:literal last $last:literal end $end:literal;)*) => { $(
        #[unsafe(no_mangle)]
        pub extern "C" fn $name(start: u64, wanted: u32 $(, $limit: u64)?) -> u64 {
            let call = Call::enter($name as *const () as u64);
            call.pinned_pointers(&[start]);
            let wanted = call.arg(1, wanted.into(), 32);
            let limit = u64::MAX;
            $(
                call.pinned(2, $limit, Loss::Length);
                let limit = $limit.min(limit);
            )?
            search(&call, &Rule { string: $string, last: $last, end_if_absent: $end }, start, wanted, limit)
        }
    )* };
}

searches! {
    __bw_libc_memchr(n) string false last false end false;
    __bw_libc_memrchr(n) string false last true end false;
    __bw_libc_rawmemchr() string false last false end false;
    __bw_libc_strchr() string true last false end false;
    __bw_libc_index() string true last false end false;
    __bw_libc_strchrnul() string true last false end true;
    __bw_libc_strrchr() string true last true end false;
    __bw_libc_rindex() string true last true end false;
}
