//! What the C models ask of the engine, `__bw_hook_<name>`: whole numbers in text as one expression, spaces, pins.
//!
//! Must hold: as in the native runtime (`libc_wrappers::digits`), so that the models decide alike on both targets.

use path::LossReason;

use super::sym::Sym;
use super::{Call, Extern};
use crate::register::Register;
use crate::state::{Made, State};

pub(super) fn find(name: &str) -> Option<Extern> {
    Some(match name.strip_prefix("__bw_hook_")? {
        // The model does it whether anything is or not.
        "any" => |_, _| Ok(Register::Word(1)),
        "symbolic" => |_, call| {
            let symbolic = call.arg(0).term().is_some();
            Ok(Register::Word(symbolic.into()))
        },
        "concrete" => |_, call| Ok(Register::Word(call.word(0))),
        "length" => |state, call| {
            state.pin(&call.arg(0), LossReason::Address);
            state.pin(&call.arg(1), LossReason::Length);
            let length = state.decided_length(call.word(0), call.word(1))?;
            Ok(Register::Word(length))
        },
        "pin" => |state, call| {
            state.pin(&call.arg(0), LossReason::Value);
            Ok(Register::Word(0))
        },
        "pin_text" => pin_text,
        "lost" => |state, _| {
            state.lost(LossReason::External);
            Ok(Register::Word(0))
        },
        "place" => |state, call| {
            let bits = state.program.layout.pointer_bits as u16;
            let characters = state.sym_of(&call.arg(0), bits);
            let value = Sym::constant(state.pool, bits, characters.value);
            let equal = characters.eq(state.pool, value);
            state.pins(equal);
            Ok(Register::Word(call.word(0)))
        },
        "spaces" => |state, call| {
            state.pin(&call.arg(0), LossReason::Address);
            let string = call.word(0);
            skipped(state, |state, index| {
                Ok(Some(state.sym_byte(string.wrapping_add(index))?))
            })
        },
        "file_spaces" => |state, call| {
            let file = call.word(0);
            skipped(state, |state, _| state.next_space(file))
        },
        "number" => number,
        // What would have done is told by native runs alone.
        "wanted" => super::wanted::missing,
        _ => return None,
    })
}

/// Pins what a conversion of a text looked at: that, and the character behind it.
fn pin_text(state: &mut State<'_>, call: &Call) -> Made<Register> {
    state.pin(&call.arg(0), LossReason::Address);
    state.pin(&call.arg(1), LossReason::Address);
    let (mut at, end) = (call.word(0), call.word(1));
    loop {
        let byte = state.sym_byte(at)?;
        state.pin_sym(byte, LossReason::Value);
        if at >= end && !(byte.value as u8).is_ascii_whitespace() {
            return Ok(Register::Word(0));
        }
        at += 1;
    }
}

/// Skips spaces: how many there are is one decision.
fn skipped<'a>(
    state: &mut State<'a>,
    mut byte: impl FnMut(&mut State<'a>, u64) -> Made<Option<Sym>>,
) -> Made<Register> {
    let mut all = Sym::truth(state.pool, true);
    let mut count = 0;
    while let Some(next) = byte(state, count)? {
        let space = is_space(state, next);
        let goes_on = space.holds();
        let held = if goes_on {
            space
        } else {
            space.not(state.pool)
        };
        all = all.and(state.pool, held);
        if !goes_on {
            break;
        }
        count += 1;
    }
    state.pins(all);
    Ok(Register::Word(count))
}

fn is_space(state: &mut State<'_>, byte: Sym) -> Sym {
    let pool = &mut *state.pool;
    let (tab, five) = (
        Sym::constant(pool, 8, b'\t'.into()),
        Sym::constant(pool, 8, 5),
    );
    let offset = byte.sub(pool, tab);
    let control = offset.below(pool, five);
    let blank = byte.is(pool, b' ');
    control.or(pool, blank)
}

impl State<'_> {
    /// The next byte of a file; what is no space is left there.
    fn next_space(&mut self, file: u64) -> Made<Option<Sym>> {
        let Some(open) = self.reading(file)? else {
            return Ok(None);
        };
        self.nothing_pushed(file)?;
        let at = self.files.get(open).position;
        let Some((byte, term)) = self.file_byte(open, at) else {
            self.handle(file)?.ended = true;
            self.file_ended(open, at);
            return Ok(None);
        };
        self.file_had(open, at + 1);
        let sym = Sym {
            value: byte.into(),
            term,
        };
        if is_space(self, sym).holds() {
            self.files.get_mut(open).position = at + 1;
        }
        Ok(Some(sym))
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
    /// A file is read, not a string.
    file: bool,
}

const SIGN: u64 = 1 << 8;
const NARROW: u64 = 1 << 9;
const FILE: u64 = 1 << 10;

/// Most bytes that one expression looks at.
const MOST: usize = 64;

impl How {
    fn of(how: u64) -> How {
        How {
            base: (how & 0xff) as u32,
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

    /// Bytes that are looked at, and the widths of the numbers that so many are.
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
    fn digit(self, state: &mut State<'_>, byte: Sym) -> (Sym, Sym) {
        let pool = &mut *state.pool;
        let (bits, _) = self.digit_bits();
        let zero = Sym::constant(pool, 8, b'0'.into());
        let decimal = byte.sub(pool, zero);
        if self.base <= 10 {
            let bound = Sym::constant(pool, 8, self.base.into());
            return (decimal.below(pool, bound), byte.low(pool, bits));
        }
        let (case, a) = (
            Sym::constant(pool, 8, 0x20),
            Sym::constant(pool, 8, b'a'.into()),
        );
        let letter = byte.or(pool, case).sub(pool, a);
        let (ten, rest) = (
            Sym::constant(pool, 8, 10),
            Sym::constant(pool, 8, (self.base - 10).into()),
        );
        let is_decimal = decimal.below(pool, ten);
        let is_letter = letter.below(pool, rest);
        let is_digit = is_decimal.or(pool, is_letter);
        // The low bits of `a`, in either case, are 1.
        let low = byte.low(pool, bits.min(5)).zext(pool, bits);
        let nine = Sym::constant(pool, bits, 9);
        let (small, large) = (byte.low(pool, 4).zext(pool, bits), low.add(pool, nine));
        (is_digit, is_decimal.ite(pool, small, large))
    }
}

/// A number that was looked at.
struct Number {
    value: Sym,
    /// Characters, the sign included.
    characters: Sym,
    /// There is a digit.
    any: Sym,
    /// It goes on behind the window.
    longer: Sym,
}

/// What is known of a byte.
enum Byte {
    Is(Sym),
    /// It does not exist.
    None,
    /// Nobody may look.
    Unknown,
}

/// Looks at the number at the start of some bytes. `byte` is told whether the number has ended in this run.
fn read<'a>(
    state: &mut State<'a>,
    how: How,
    most: u64,
    mut byte: impl FnMut(&mut State<'a>, u64, bool) -> Made<Byte>,
) -> Made<Number> {
    let none = Sym::truth(state.pool, false);
    let mut read = Number {
        value: none,
        characters: Sym::constant(state.pool, 64, 0),
        any: none,
        longer: Sym::truth(state.pool, true),
    };
    let mut is_negative = none;
    let (window, widths) = how.window();
    let (mut end, mut is_cut) = (0_usize, false);
    // `longer` says that every byte so far belongs to the number.
    while (end as u64) < most && !state.pool.is_false(read.longer.term) {
        let found = match byte(state, end as u64, !read.longer.holds())? {
            Byte::Is(found) if end < window => found,
            Byte::None => break,
            _ => {
                is_cut = true;
                break;
            }
        };
        let (is_digit, digit) = how.digit(state, found);
        let pool = &mut *state.pool;
        let mut goes_on = is_digit;
        if end == 0 && how.sign {
            is_negative = found.is(pool, b'-');
            let plus = found.is(pool, b'+');
            let is_signed = is_negative.or(pool, plus);
            goes_on = is_digit.or(pool, is_signed);
        }
        let one_more = read.longer.and(pool, is_digit);
        read.longer = read.longer.and(pool, goes_on);
        let width = widths[end + 1];
        let wide = read.value.zext(pool, width);
        let base = Sym::constant(pool, width, how.base.into());
        let digit = digit.zext(pool, width);
        let value = wide.mul(pool, base).add(pool, digit);
        read.value = one_more.ite(pool, value, wide);
        read.any = read.any.or(pool, one_more);
        end += 1;
        let count = Sym::constant(pool, 64, end as u128);
        read.characters = read.longer.ite(pool, count, read.characters);
    }
    if !is_cut {
        read.longer = none;
    }
    let value = read.value.zext(state.pool, how.bits);
    let negated = value.neg(state.pool);
    read.value = is_negative.ite(state.pool, negated, value);
    Ok(read)
}

/// Reads the number at the start of a string or a file. 1: there is one, 0: there is none, -1: it is too long for an expression,
/// nothing was read.
fn number(state: &mut State<'_>, call: &Call) -> Made<Register> {
    state.pin(&call.arg(0), LossReason::Address);
    state.pin(&call.arg(1), LossReason::Length);
    let (from, most, how) = (call.word(0), call.word(1), How::of(call.word(2)));
    let too_long = Register::Word(u64::from(u32::MAX));
    let mut ahead = None;
    let found = if how.file {
        let Some(open) = state.reading(from)? else {
            return Ok(too_long);
        };
        state.nothing_pushed(from)?;
        let wanted = most.min(how.window().0 as u64 + 1);
        let at = state.files.get(open).position;
        let bytes = state.had_of_file(open, at, wanted);
        ahead = Some((open, at));
        read(state, how, most, |state, index, _| {
            let there = (index < bytes).then(|| state.file_byte(open, at + index));
            let Some((byte, term)) = there.flatten() else {
                return Ok(Byte::None);
            };
            let value = byte.into();
            Ok(Byte::Is(Sym { value, term }))
        })?
    } else {
        read(state, how, most, |state, index, ended| {
            let place = from.wrapping_add(index);
            if ended && state.memory.byte(place).is_err() {
                return Ok(Byte::Unknown);
            }
            Ok(Byte::Is(state.sym_byte(place)?))
        })?
    };
    let any = found.any.zext(state.pool, 32);
    let minus_one = Sym::constant(state.pool, 32, u32::MAX.into());
    let result = found.longer.ite(state.pool, minus_one, any);
    if found.longer.holds() {
        return Ok(state.given(result));
    }
    if let Some((open, at)) = ahead {
        let taken = at + found.characters.value as u64;
        state.files.get_mut(open).position = taken;
        // The C library looks at the next character.
        let left = state.size_of_file(open) > taken;
        state.handle(from)?.ended |= !left && (found.characters.value as u64) < most;
    }
    let bits = state.program.layout.pointer_bits as u8;
    let step = u64::from(bits / 8);
    for (place, sym) in [(0, found.value), (step, found.characters)] {
        let wide = sym.zext(state.pool, 64).low(state.pool, bits.into());
        let value = state.given(wide);
        let at = Register::Word(call.word(3).wrapping_add(place));
        state.store_word(&at, bits, &value)?;
    }
    Ok(state.given(result))
}
