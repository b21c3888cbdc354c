//! Arithmetic of `long double` on x86: the 80-bit extended format, by the instructions that compiled code uses.
//!
//! Charter: one meaning for the runtime, which must not call the program's math library, and for the engine, which evaluates
//! terms. A value is its 80 bits, low in a `u128`: 63 bits of fraction, the integer bit, 15 bits of exponent, the sign.
//!
//! Invariants:
//! - results are those of the instructions under the default control word: 64 bits of precision, to nearest even;
//! - patterns that no computation yields (unnormals, pseudo-denormals) behave as on the processor;
//! - `no_std`, no dependency, no state: the control word is as before after each call.
#![no_std]
#![allow(unsafe_code, reason = "x87 instructions")]

use core::arch::asm;

/// Bits of a value.
pub const BITS: u16 = 80;

/// The integer bit: set in every normal number, infinity and NaN.
pub const INTEGER_BIT: u128 = 1 << 63;

/// Positive infinity.
pub const INFINITY: u128 = 0x7fff << 64 | INTEGER_BIT;

/// The sign bit.
pub const SIGN: u128 = 1 << 79;

const MASK: u128 = (1 << 80) - 1;
const BIAS: i32 = 16383;

/// A value in memory, as `fld` and `fstp` have it.
type Bytes = [u8; 16];

const fn bytes(value: u128) -> Bytes {
    value.to_le_bytes()
}

const fn value(bytes: Bytes) -> u128 {
    u128::from_le_bytes(bytes) & MASK
}

/// One assembly block that leaves the register stack as it found it.
macro_rules! x87 {
    ([$($line:literal),+], $($name:ident = $place:expr),+) => {
        // SAFETY: the instructions read and write the ten bytes (or fewer) at these places and no other memory. Whatever
        // they put onto the register stack they take off again; all of it is declared as overwritten.
        unsafe {
            asm!($($line),+, $($name = in(reg) $place),+,
                out("ax") _, out("st(0)") _, out("st(1)") _, out("st(2)") _, out("st(3)") _,
                out("st(4)") _, out("st(5)") _, out("st(6)") _, out("st(7)") _,
                options(nostack))
        }
    };
}

macro_rules! binary {
    ($(#[$doc:meta])* $name:ident, $instruction:literal) => {
        $(#[$doc])*
        #[must_use]
        pub fn $name(a: u128, b: u128) -> u128 {
            let (a, b, mut r) = (bytes(a), bytes(b), bytes(0));
            x87!(["fld tbyte ptr [{a}]", "fld tbyte ptr [{b}]", $instruction, "fstp tbyte ptr [{r}]"],
                a = a.as_ptr(), b = b.as_ptr(), r = r.as_mut_ptr());
            value(r)
        }
    };
}

binary! {
    /// The sum.
    add, "faddp st(1), st"
}
binary! {
    /// `a` minus `b`.
    sub, "fsubp st(1), st"
}
binary! {
    /// The product.
    mul, "fmulp st(1), st"
}
binary! {
    /// `a` by `b`.
    div, "fdivp st(1), st"
}

/// C's `fmodl`: exact, with the sign of `a`.
#[must_use]
pub fn rem(a: u128, b: u128) -> u128 {
    let (a, b, mut r) = (bytes(a), bytes(b), bytes(0));
    x87!(
        [
            "fld tbyte ptr [{b}]",
            "fld tbyte ptr [{a}]",
            "2: fprem",
            "fnstsw ax",
            "test ax, 0x400",
            "jnz 2b",
            "fstp tbyte ptr [{r}]",
            "fstp st(0)"
        ],
        a = a.as_ptr(),
        b = b.as_ptr(),
        r = r.as_mut_ptr()
    );
    value(r)
}

/// The square root.
#[must_use]
pub fn sqrt(a: u128) -> u128 {
    let (a, mut r) = (bytes(a), bytes(0));
    x87!(
        ["fld tbyte ptr [{a}]", "fsqrt", "fstp tbyte ptr [{r}]"],
        a = a.as_ptr(),
        r = r.as_mut_ptr()
    );
    value(r)
}

/// How two values compare.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Order {
    /// `a < b`.
    Less,
    /// Equal; zeros of both signs are.
    Equal,
    /// `a > b`.
    Greater,
    /// One of them is no number.
    Unordered,
}

/// Compares two values.
#[must_use]
pub fn compare(a: u128, b: u128) -> Order {
    let (a, b, mut r) = (bytes(a), bytes(b), [0_u8; 3]);
    x87!(
        [
            "fld tbyte ptr [{b}]",
            "fld tbyte ptr [{a}]",
            "fucomip st, st(1)",
            "fstp st(0)",
            "setp byte ptr [{r}]",
            "sete byte ptr [{r} + 1]",
            "setb byte ptr [{r} + 2]"
        ],
        a = a.as_ptr(),
        b = b.as_ptr(),
        r = r.as_mut_ptr()
    );
    match r {
        [1, ..] => Order::Unordered,
        [_, 1, _] => Order::Equal,
        [_, _, 1] => Order::Less,
        _ => Order::Greater,
    }
}

/// Whether it is no number; so are the patterns that the processor does not support.
#[must_use]
pub fn is_nan(a: u128) -> bool {
    compare(a, a) == Order::Unordered
}

/// The default control word with another rounding mode (0 nearest even, 1 down, 2 up, 3 towards zero).
const fn control(mode: u8) -> u16 {
    0x37f | (mode as u16 & 3) << 10
}

/// An integral value; `mode`: 0 nearest even, 1 down, 2 up, 3 towards zero, 4 nearest, ties away from zero.
#[must_use]
pub fn round(a: u128, mode: u8) -> u128 {
    if mode > 3 {
        let whole = round(a, 3);
        let rest = sub(a, whole) & !SIGN;
        if matches!(compare(rest, from_f64(0.5)), Order::Equal | Order::Greater) {
            return add(whole, from_f64(1.0) | a & SIGN);
        }
        return whole;
    }
    let (bytes_of_a, mut r, new, mut old) = (bytes(a), bytes(0), control(mode), 0_u16);
    x87!(
        [
            "fnstcw word ptr [{old}]",
            "fldcw word ptr [{new}]",
            "fld tbyte ptr [{a}]",
            "frndint",
            "fstp tbyte ptr [{r}]",
            "fldcw word ptr [{old}]"
        ],
        a = bytes_of_a.as_ptr(),
        r = r.as_mut_ptr(),
        new = &raw const new,
        old = &raw mut old
    );
    value(r)
}

macro_rules! truncate {
    ($name:ident, $store:literal, $int:ty) => {
        fn $name(a: u128) -> $int {
            let (a, mut r, new, mut old): (_, $int, _, _) = (bytes(a), 0, control(3), 0_u16);
            x87!(
                [
                    "fnstcw word ptr [{old}]",
                    "fldcw word ptr [{new}]",
                    "fld tbyte ptr [{a}]",
                    $store,
                    "fldcw word ptr [{old}]"
                ],
                a = a.as_ptr(),
                r = &raw mut r,
                new = &raw const new,
                old = &raw mut old
            );
            r
        }
    };
}

truncate!(to_i16, "fistp word ptr [{r}]", i16);
truncate!(to_i32, "fistp dword ptr [{r}]", i32);
truncate!(to_i64, "fistp qword ptr [{r}]", i64);

/// The register that a conversion to an integer of so many bits goes through, as LLVM chooses it.
#[must_use]
pub const fn register(bits: u16, signed: bool) -> u16 {
    match (bits, signed) {
        (..=16, true) | (..=8, false) => 16,
        (..=32, true) | (..=16, false) => 32,
        _ => 64,
    }
}

/// Truncated to a signed integer of `bits`; what does not fit the instruction's register is its smallest number.
/// More than 64 bits are a library call, which saturates here.
#[must_use]
pub fn to_signed(a: u128, bits: u16) -> i128 {
    if bits > 64 {
        return saturating(a, i128::MIN, i128::MAX);
    }
    match register(bits, true) {
        16 => to_i16(a).into(),
        32 => to_i32(a).into(),
        _ => to_i64(a).into(),
    }
}

/// Truncated to an unsigned integer of `bits`, through a signed register that is larger; 64 bits through a subtraction.
#[must_use]
pub fn to_unsigned(a: u128, bits: u16) -> u128 {
    match bits {
        65.. if a & SIGN != 0 => 0,
        65.. => {
            let half = saturating(a, 0, i128::MAX).cast_unsigned();
            if half == i128::MAX.cast_unsigned() && !is_nan(a) {
                magnitude(a)
            } else {
                half
            }
        }
        64 => {
            let limit = from_unsigned(1 << 63);
            if matches!(compare(a, limit), Order::Less | Order::Unordered) {
                return to_i64(a).cast_unsigned().into();
            }
            (to_i64(sub(a, limit)).cast_unsigned() ^ 1 << 63).into()
        }
        _ => match register(bits, false) {
            16 => i128::from(to_i16(a)).cast_unsigned(),
            32 => i128::from(to_i32(a)).cast_unsigned(),
            _ => i128::from(to_i64(a)).cast_unsigned(),
        },
    }
}

/// The whole part without its sign; the largest number where it does not fit.
fn magnitude(a: u128) -> u128 {
    let exponent = ((a >> 64) & 0x7fff) as i32 - BIAS;
    let significand = a & u128::from(u64::MAX);
    match exponent {
        ..0 => 0,
        0..=63 => significand >> (63 - exponent),
        64..=127 => significand << (exponent - 63),
        _ => u128::MAX,
    }
}

fn saturating(a: u128, least: i128, most: i128) -> i128 {
    if is_nan(a) {
        return 0;
    }
    let whole = i128::try_from(magnitude(a)).unwrap_or(i128::MAX);
    let whole = if a & SIGN == 0 {
        whole
    } else if magnitude(a) > i128::MAX.cast_unsigned() {
        i128::MIN
    } else {
        -whole
    };
    whole.clamp(least, most)
}

/// A signed integer, rounded to nearest even.
#[must_use]
pub fn from_signed(whole: i128) -> u128 {
    from_unsigned(whole.unsigned_abs()) | if whole < 0 { SIGN } else { 0 }
}

/// An unsigned integer, rounded to nearest even.
#[must_use]
pub fn from_unsigned(whole: u128) -> u128 {
    if whole == 0 {
        return 0;
    }
    let top = 127 - whole.leading_zeros() as i32;
    let mut exponent = (BIAS + top) as u128;
    if top <= 63 {
        return exponent << 64 | whole << (63 - top);
    }
    let cut = (top - 63) as u32;
    let (mut significand, rest, half) = (whole >> cut, whole & ((1 << cut) - 1), 1 << (cut - 1));
    if rest > half || rest == half && significand & 1 == 1 {
        significand += 1;
        if significand >> 64 != 0 {
            significand >>= 1;
            exponent += 1;
        }
    }
    exponent << 64 | significand
}

/// A double, exactly.
#[must_use]
pub fn from_f64(a: f64) -> u128 {
    let mut r = bytes(0);
    x87!(
        ["fld qword ptr [{a}]", "fstp tbyte ptr [{r}]"],
        a = &raw const a,
        r = r.as_mut_ptr()
    );
    value(r)
}

/// A float, exactly.
#[must_use]
pub fn from_f32(a: f32) -> u128 {
    let mut r = bytes(0);
    x87!(
        ["fld dword ptr [{a}]", "fstp tbyte ptr [{r}]"],
        a = &raw const a,
        r = r.as_mut_ptr()
    );
    value(r)
}

/// Rounded to a double.
#[must_use]
pub fn to_f64(a: u128) -> f64 {
    let (a, mut r) = (bytes(a), 0_f64);
    x87!(
        ["fld tbyte ptr [{a}]", "fstp qword ptr [{r}]"],
        a = a.as_ptr(),
        r = &raw mut r
    );
    r
}

/// Rounded to a float.
#[must_use]
pub fn to_f32(a: u128) -> f32 {
    let (a, mut r) = (bytes(a), 0_f32);
    x87!(
        ["fld tbyte ptr [{a}]", "fstp dword ptr [{r}]"],
        a = a.as_ptr(),
        r = &raw mut r
    );
    r
}

/// The value without its integer bit, 79 bits: numbers of one sign are ordered as their patterns are.
#[must_use]
pub const fn packed(a: u128) -> u128 {
    (a & (INTEGER_BIT - 1)) | (a >> 1 & !(INTEGER_BIT - 1))
}

/// Back from [`packed`]: the integer bit is what the exponent asks for.
#[must_use]
pub const fn unpacked(packed: u128) -> u128 {
    let high = packed >> 63;
    let integer = if high & 0x7fff == 0 { 0 } else { INTEGER_BIT };
    high << 64 | integer | packed & (INTEGER_BIT - 1)
}

#[cfg(test)]
mod tests;
