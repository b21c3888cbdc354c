//! Whole numbers in text: the value as one expression over the bytes that it may have, whatever number of digits it has on
//! this run. `__bw_hook_<name>`: called by models alone.
//!
//! What must hold: a number that does not end within the window is left to the model's own loop; of a file, what is looked at
//! is certainly there, and nothing is consumed that the C library would not have consumed.
#![allow(unsafe_code, reason = "exported symbols")]

use super::extent::exists;
use super::stdio::position;
use crate::build::{Sym, binary, equals, extract, ite, not, unary, zext};
use crate::handshake::Call;
use crate::memory;
use crate::raw::{peek, poke};
use crate::record::constraint;
use crate::streams::Stream;
use wire::event::{NO_SPOT, class};
use wire::node::Op;
use wire::segment::Loss;

mod c {
    unsafe extern "C" {
        pub(super) safe fn fgetc(file: u64) -> i32;
        pub(super) safe fn ungetc(byte: i32, file: u64) -> i32;
        pub(super) safe fn fseeko(file: u64, offset: i64, whence: i32) -> i32;
    }
}

/// What a model asks for, in one number: the base in the low byte.
#[derive(Clone, Copy)]
struct How {
    base: u32,
    /// A sign may stand first.
    sign: bool,
    /// Width of the value.
    bits: u16,
    /// `from` is a file, not a string.
    file: bool,
}

const SIGN: u32 = 1 << 8;
const NARROW: u32 = 1 << 9;
const FILE: u32 = 1 << 10;

/// Most bytes that one expression looks at.
const MOST: usize = 64;

impl How {
    fn of(how: u32) -> How {
        How {
            base: how & 0xff,
            sign: how & SIGN != 0,
            bits: if how & NARROW != 0 { 32 } else { 64 },
            file: how & FILE != 0,
        }
    }

    /// Bits of a digit, and the largest number that they can be.
    fn digit_bits(self) -> (u16, u64) {
        let bits = match self.base {
            0..=2 => 1,
            3..=4 => 2,
            5..=8 => 3,
            9..=16 => 4,
            _ => 6,
        };
        (bits, (1 << bits) - 1)
    }

    /// Bytes that are looked at, and the widths of the numbers that so many are, whatever the digits: as far as the value is
    /// no negative one.
    fn window(self) -> (usize, [u16; MOST + 1]) {
        let mut widths = [1; MOST + 1];
        let (mut most, mut digits) = (0_u64, 0);
        while digits < MOST
            && let Some(next) = most.checked_mul(self.base.into())
            && let Some(next) = next.checked_add(self.digit_bits().1)
            && next >> (self.bits - 1) == 0
        {
            digits += 1;
            most = next;
            widths[digits] = (64 - most.leading_zeros()) as u16;
        }
        (digits, widths)
    }

    /// Whether a byte is a digit, and its value, right if it is.
    fn digit(self, byte: Sym) -> (Sym, Sym) {
        let known = |value: u8| Sym::concrete(value.into(), 8);
        let below = |value: Sym, bound: u32| binary(Op::Ult, value, known(bound as u8));
        let (bits, _) = self.digit_bits();
        let decimal = binary(Op::Sub, byte, known(b'0'));
        if self.base <= 10 {
            return (below(decimal, self.base), extract(byte, 0, bits));
        }
        let letter = binary(Op::Sub, binary(Op::Or, byte, known(0x20)), known(b'a'));
        let is_decimal = below(decimal, 10);
        let is_digit = binary(Op::Or, is_decimal, below(letter, self.base - 10));
        // The low bits of `a`, in either case, are 1.
        let low = zext(extract(byte, 0, bits.min(5)), bits);
        let value = ite(
            is_decimal,
            zext(extract(byte, 0, 4), bits),
            binary(Op::Add, low, Sym::concrete(9, bits)),
        );
        (is_digit, value)
    }
}

/// A number that was looked at.
struct Number {
    value: Sym,
    /// Characters, the sign included, 64 bits.
    characters: Sym,
    /// There is a digit.
    any: Sym,
    /// It goes on behind the window.
    longer: Sym,
}

/// Looks at the number at the start of some bytes, at most `most` of them. `byte` is told whether the number has ended in this
/// run. The value is what was read so far, or the same with one digit more; each step is as wide as it needs to be, so that
/// solvers know that nothing overflows (`smt` has rules for this form, `pool/numeral.rs`).
fn number(how: How, most: u64, byte: impl Fn(u64, bool) -> Byte) -> Number {
    let none = Sym::concrete(0, 1);
    let mut read = Number {
        value: Sym::concrete(0, 1),
        characters: Sym::concrete(0, 64),
        any: none,
        longer: Sym::concrete(1, 1),
    };
    let mut is_negative = none;
    let (window, widths) = how.window();
    let (mut end, mut is_cut) = (0_usize, false);
    // `longer` says that every byte so far belongs to the number.
    while (end as u64) < most && !read.longer.is(0) {
        let found = match byte(end as u64, read.longer.value == 0) {
            Byte::Is(found) if end < window => found,
            Byte::None => break,
            _ => {
                is_cut = true;
                break;
            }
        };
        let (is_digit, digit) = how.digit(found);
        let mut goes_on = is_digit;
        if end == 0 && how.sign {
            is_negative = equals(found, b'-'.into());
            let is_signed = binary(Op::Or, is_negative, equals(found, b'+'.into()));
            goes_on = binary(Op::Or, is_digit, is_signed);
        }
        let one_more = binary(Op::And, read.longer, is_digit);
        read.longer = binary(Op::And, read.longer, goes_on);
        let wide = zext(read.value, widths[end + 1]);
        let base = Sym::concrete(how.base.into(), wide.bits);
        let value = binary(Op::Add, binary(Op::Mul, wide, base), zext(digit, wide.bits));
        read.value = ite(one_more, value, wide);
        read.any = binary(Op::Or, read.any, one_more);
        end += 1;
        read.characters = ite(read.longer, Sym::concrete(end as u128, 64), read.characters);
    }
    if !is_cut {
        read.longer = none;
    }
    let value = zext(read.value, how.bits);
    read.value = ite(is_negative, unary(Op::Neg, value, 0), value);
    read
}

/// What is known of a byte.
enum Byte {
    Is(Sym),
    /// It does not exist.
    None,
    /// Nobody may look.
    Unknown,
}

/// Results for the model.
#[repr(C)]
struct Out {
    value: u64,
    characters: u64,
}

fn give(out: u64, field: usize, call: &Call, value: Sym) {
    let at = out + field as u64;
    poke(at, value.value as u64);
    if call.live {
        memory::store(at, 8, zext(value, 64));
    } else {
        memory::clear(at, 8);
    }
}

/// Reads the number at the start of a string or a file, of at most `most` characters. 1: there is one, 0: there is none,
/// -1: it is too long for an expression, nothing was read.
#[unsafe(no_mangle)]
pub extern "C" fn __bw_hook_number(from: u64, most: u64, how: u32, out: u64) -> i32 {
    let call = Call::enter(__bw_hook_number as *const () as u64);
    call.pinned_pointers(&[from]);
    call.pinned(1, most, Loss::Length);
    call.pinned_narrow(2, how, Loss::Instruction);
    call.pinned(3, out, Loss::Address);
    let how = How::of(how);
    let source = if how.file {
        let Some((stream, at)) = position(from) else {
            return -1;
        };
        Some(Ahead::new(stream, at, most.min(how.window().0 as u64 + 1)))
    } else {
        None
    };
    let found = match &source {
        Some(ahead) => number(how, most, |index, _| ahead.byte(index)),
        None => number(how, most, |index, ended| {
            if ended && !exists(from, index) {
                Byte::Unknown
            } else if call.live {
                Byte::Is(memory::byte(from + index))
            } else {
                Byte::Is(Sym::concrete(peek::<u8>(from + index).into(), 8))
            }
        }),
    };
    let (none, too_long) = (zext(found.any, 32), Sym::concrete(u128::from(u32::MAX), 32));
    call.give(ite(found.longer, too_long, none));
    if found.longer.value == 1 {
        return -1;
    }
    if let Some(ahead) = &source
        && !ahead.consume(from, found.characters.value as u64, most)
    {
        return -1;
    }
    give(out, core::mem::offset_of!(Out, value), &call, found.value);
    give(
        out,
        core::mem::offset_of!(Out, characters),
        &call,
        found.characters,
    );
    found.any.value as i32
}

/// Fixes where a number ends, for what stands behind it. No loss: every other place is a side that is tried.
#[unsafe(no_mangle)]
pub extern "C" fn __bw_hook_place(characters: u64) -> u64 {
    let call = Call::enter(__bw_hook_place as *const () as u64);
    let characters = call.arg(0, characters, 64);
    constraint(class::PIN, NO_SPOT, equals(characters, characters.value));
    characters.value as u64
}

/// What stands next in a file that reads from a stream.
struct Ahead {
    stream: Stream,
    at: u32,
    bytes: u32,
}

impl Ahead {
    fn new(stream: Stream, at: u32, wanted: u64) -> Ahead {
        let left = u64::from(stream.supplied().saturating_sub(at));
        let bytes = left.min(wanted) as u32;
        stream.reads_from(at);
        stream.had_some(at, bytes, wanted);
        Ahead { stream, at, bytes }
    }

    fn plain(&self, index: u64) -> u8 {
        peek(self.stream.content() + u64::from(self.at) + index)
    }

    fn byte(&self, index: u64) -> Byte {
        if index < self.bytes.into() {
            Byte::Is(self.stream.byte(self.at + index as u32, self.plain(index)))
        } else {
            Byte::None
        }
    }

    /// Takes characters from the file, and looks at the next, as the C library does. False, and nothing taken, if the file has
    /// others.
    fn consume(&self, file: u64, characters: u64, most: u64) -> bool {
        let saved = crate::raw::errno();
        for index in 0..characters {
            if c::fgetc(file) != i32::from(self.plain(index)) {
                c::fseeko(file, self.at.into(), libc::SEEK_SET);
                crate::raw::set_errno(saved);
                return false;
            }
        }
        if characters < most {
            let next = c::fgetc(file);
            if next >= 0 {
                c::ungetc(next, file);
            }
        }
        true
    }
}

/// Skips spaces: how many there are is one decision.
#[unsafe(no_mangle)]
pub extern "C" fn __bw_hook_spaces(string: u64) -> u64 {
    let call = Call::enter(__bw_hook_spaces as *const () as u64);
    call.pinned_pointers(&[string]);
    skipped(|index| {
        Some(if call.live {
            memory::byte(string + index)
        } else {
            Sym::concrete(peek::<u8>(string + index).into(), 8)
        })
    })
}

/// Skips white space at the position of a file, for a model.
#[unsafe(no_mangle)]
pub extern "C" fn __bw_hook_file_spaces(file: u64) -> u64 {
    let call = Call::enter(__bw_hook_file_spaces as *const () as u64);
    call.pinned_pointers(&[file]);
    skipped(|_| next(file))
}

fn skipped(byte: impl Fn(u64) -> Option<Sym>) -> u64 {
    let mut all = Sym::concrete(1, 1);
    let mut count = 0;
    while let Some(byte) = byte(count) {
        let is_space = is_space(byte);
        let goes_on = is_space.value == 1;
        let held = if goes_on { is_space } else { not(is_space) };
        all = binary(Op::And, all, held);
        if !goes_on {
            break;
        }
        count += 1;
    }
    constraint(class::PIN, NO_SPOT, all);
    count
}

/// The next byte of a file; what is no space is left there.
fn next(file: u64) -> Option<Sym> {
    let place = position(file);
    let got = c::fgetc(file);
    if let Some((stream, at)) = place {
        stream.reads_from(at);
        if got < 0 {
            stream.ended(at);
        } else {
            stream.had(at + 1);
        }
    }
    let byte = u8::try_from(got).ok()?;
    let sym = place.map_or(Sym::concrete(byte.into(), 8), |(stream, at)| {
        stream.byte(at, byte)
    });
    if is_space(sym).value == 0 {
        c::ungetc(got, file);
    }
    Some(sym)
}

fn is_space(byte: Sym) -> Sym {
    let offset = binary(Op::Sub, byte, Sym::concrete(b'\t'.into(), 8));
    let control = binary(Op::Ult, offset, Sym::concrete(5, 8));
    binary(Op::Or, control, equals(byte, b' '.into()))
}
