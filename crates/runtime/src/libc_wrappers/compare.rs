//! Comparisons: `memcmp`, `strcmp` and relatives, each one expression without a branch.
//!
//! What must hold: the result is the difference of the first pair of bytes that differ, as glibc's is.
#![allow(unsafe_code, reason = "exported symbols")]

use super::extent::{Step, exists, extent};
use crate::build::{Sym, binary, equals, ite, not, zext};
use crate::handshake::Call;
use crate::memory;
use crate::raw::peek;
use crate::record::{library, marked};
use crate::symbolic_read::leave_bytes;
use wire::event::mark;
use wire::node::Op;
use wire::segment::Loss;

/// What is compared, and how.
struct Rule {
    /// Stops behind equal zeros.
    string: bool,
    /// Letters of either case are equal.
    fold: bool,
}

fn lower(byte: Sym) -> Sym {
    let offset = binary(Op::Sub, byte, Sym::concrete(b'A'.into(), 8));
    let upper = binary(Op::Ult, offset, Sym::concrete(26, 8));
    ite(upper, binary(Op::Or, byte, Sym::concrete(0x20, 8)), byte)
}

fn at(rule: &Rule, address: u64) -> Sym {
    let byte = memory::byte(address);
    if rule.fold { lower(byte) } else { byte }
}

/// The difference from position `from` on, and the position behind the last that was looked at for it.
fn concrete_difference(rule: &Rule, a: u64, b: u64, from: u64, limit: u64) -> (Sym, u64) {
    let get = |address: u64| {
        let byte: u8 = peek(address);
        if rule.fold {
            byte.to_ascii_lowercase()
        } else {
            byte
        }
    };
    let mut index = from;
    while index < limit {
        let (x, y) = (get(a + index), get(b + index));
        if x != y {
            let difference = i32::from(x) - i32::from(y);
            return (Sym::concrete(difference as u128, 32), index + 1);
        }
        index += 1;
        if rule.string && x == 0 {
            break;
        }
    }
    (Sym::concrete(0, 32), index)
}

/// Both strings end here.
fn both_end(rule: &Rule, x: Sym, y: Sym, equal: Sym) -> Sym {
    let known = if x.symbolic() { y } else { x };
    if !rule.string || !known.symbolic() && known.value != 0 {
        return Sym::concrete(0, 1);
    }
    if known.is(0) {
        equal
    } else {
        binary(Op::And, equal, equals(x, 0))
    }
}

/// The comparison of at most `limit` bytes.
fn compare(call: &Call, rule: &Rule, a: u64, b: u64, limit: u64) -> i32 {
    let (difference, looked_at) = concrete_difference(rule, a, b, 0, limit);
    if !call.involved() || !memory::any(a, looked_at) && !memory::any(b, looked_at) {
        return difference.value as i32;
    }
    let pair = |index: u64| (at(rule, a + index), at(rule, b + index));
    let found = extent(limit, &[a, b], |index| {
        let (x, y) = pair(index);
        let decides = x.value != y.value || rule.string && x.value == 0;
        if !x.symbolic() && !y.symbolic() {
            return if decides { Step::Final } else { Step::On };
        }
        if rule.string && (x.is(0) || y.is(0)) {
            return Step::Final;
        }
        if decides { Step::Decides } else { Step::Open }
    });
    let mut result = Sym::concrete(0, 32);
    if found.cut {
        result = if found.decided {
            result
        } else {
            concrete_difference(rule, a, b, found.end, limit).0
        };
        found.note_loss();
    }
    let mut decided = Sym::concrete(0, 1);
    for index in (0..found.end).rev() {
        let (x, y) = pair(index);
        let equal = binary(Op::Eq, x, y);
        let difference = binary(Op::Sub, zext(x, 32), zext(y, 32));
        let both_end = both_end(rule, x, y, equal);
        result = ite(
            both_end,
            Sym::concrete(0, 32),
            ite(equal, result, difference),
        );
        if found.cut {
            decided = binary(Op::Or, decided, binary(Op::Or, not(equal), both_end));
        }
    }
    if found.cut {
        library(decided);
    }
    call.give(result);
    if rule.string && result.value != 0 {
        leave(a, b, limit);
    }
    result.value as i32
}

/// Tells the engine which text the input would have to have in place of its own.
fn leave(a: u64, b: u64, limit: u64) {
    const LONGEST: u64 = 64;
    let (own, other) = if memory::byte(a).symbolic() {
        (a, b)
    } else {
        (b, a)
    };
    // One text is symbolic as far as it goes, the other nowhere.
    let length = |text: u64, symbolic: bool| {
        for index in 0..limit.min(LONGEST) {
            if !exists(text, index) || peek::<u8>(text + index) == 0 {
                return Some(index as u32);
            }
            if memory::byte(text + index).symbolic() != symbolic {
                return None;
            }
        }
        (limit <= LONGEST).then_some(limit as u32)
    };
    if let (Some(have), Some(want)) = (length(own, true), length(other, false))
        && have > 0
        && want > 0
    {
        wanted(own, have, want, |index| {
            memory::byte(other + u64::from(index))
        });
    }
}

/// Leaves the mark: `have` bytes of the input at `own`, and the text that is wanted in their place.
fn wanted(own: u64, have: u32, want: u32, byte: impl Fn(u32) -> Sym) {
    let place = leave_bytes(have + want, |index| match index.checked_sub(have) {
        None => memory::byte(own + u64::from(index)),
        Some(index) => byte(index),
    });
    if let Some(place) = place {
        marked(mark::COMPARED, place);
    }
}

/// A model read a text from `start` and found at `at` that something is missing there: `length` bytes at `text` would do.
#[unsafe(no_mangle)]
pub extern "C" fn __bw_hook_wanted(start: u64, at: u64, text: u64, length: u64) {
    const LONGEST: u64 = 64;
    let call = Call::enter(__bw_hook_wanted as *const () as u64);
    if !call.live || length == 0 || length > LONGEST {
        return;
    }
    // Before the byte that stands there; at the end of the text, behind the last.
    let is_end = peek::<u8>(at) == 0;
    if is_end && at <= start {
        return;
    }
    let own = if is_end { at - 1 } else { at };
    if !memory::byte(own).symbolic() {
        return;
    }
    let sample = |index: u32| Sym::concrete(peek::<u8>(text + u64::from(index)).into(), 8);
    let kept = Sym::concrete(peek::<u8>(own).into(), 8);
    let length = length as u32;
    wanted(own, 1, length + 1, |index| match is_end {
        true if index == 0 => kept,
        true => sample(index - 1),
        false if index == length => kept,
        false => sample(index),
    });
}

macro_rules! comparison {
    ($($name:ident($($limit:ident)?) string $string:literal fold $fold:literal;)*) => { $(
        #[unsafe(no_mangle)]
        pub extern "C" fn $name(a: u64, b: u64 $(, $limit: u64)?) -> i32 {
            let call = Call::enter($name as *const () as u64);
            call.pinned_pointers(&[a, b]);
            let limit = u64::MAX;
            $(
                call.pinned(2, $limit, Loss::Length);
                let limit = $limit.min(limit);
            )?
            compare(&call, &Rule { string: $string, fold: $fold }, a, b, limit)
        }
    )* };
}

comparison! {
    __bw_libc_memcmp(n) string false fold false;
    __bw_libc_bcmp(n) string false fold false;
    __bw_libc_strcmp() string true fold false;
    __bw_libc_strncmp(n) string true fold false;
    __bw_libc_strcasecmp() string true fold true;
    __bw_libc_strncasecmp(n) string true fold true;
}
