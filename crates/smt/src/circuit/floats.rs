//! Circuits of the operations on floats of 32 and 64 bits: IEEE 754, to nearest even.
//!
//! Between the operations a float is a sign, an exponent and a significand; [`Gates::round`] makes a pattern of them, whatever the
//! operation. Of a NaN that an operation yields only that it is a quiet one is said: its other bits can be anything, so that nothing is
//! concluded from what the machine's own instruction would put there.

use super::gates::{Bit, Gates};
use super::words::{self, Word};
use crate::Op;

/// Room in exponents for sums of two, and for a significand's width.
const EXPONENT_ROOM: usize = 3;

/// How many bits a format has for what.
#[derive(Clone, Copy)]
struct Format {
    exponent: usize,
    fraction: usize,
}

impl Format {
    /// Of a float of so many bits, if there are circuits for it.
    fn of(bits: usize) -> Option<Format> {
        let (exponent, fraction) = match bits {
            32 => (8, 23),
            64 => (11, 52),
            _ => return None,
        };
        Some(Format { exponent, fraction })
    }

    fn bias(self) -> u128 {
        (1 << (self.exponent - 1)) - 1
    }

    /// Width of exponents between operations.
    fn wide(self) -> usize {
        self.exponent + EXPONENT_ROOM
    }
}

/// The value `significand` · 2^(`exponent` + 1 - width of the significand), negative with `sign`, where no flag says otherwise.
struct Float {
    sign: Bit,
    /// Signed.
    exponent: Word,
    /// Below its highest bit for subnormal numbers and zero.
    significand: Word,
    is_nan: Bit,
    is_infinite: Bit,
    is_zero: Bit,
}

/// How [`Op::FRound`] rounds, by its number.
const NEAREST: usize = 0;
const DOWN: usize = 1;
const UP: usize = 2;
const TOWARDS_ZERO: usize = 3;

impl Gates {
    /// What an operation that takes or yields floats yields, `bits` wide. `None`: there is no circuit for it.
    pub(super) fn float_operation(
        &mut self,
        op: Op,
        bits: usize,
        aux: usize,
        a: &[Bit],
        b: &[Bit],
    ) -> Option<Word> {
        let top = a.len() - 1;
        match op {
            Op::FNeg => return Some([&a[..top], &[!a[top]]].concat()),
            Op::FAbs => return Some([&a[..top], &[Bit::FALSE]].concat()),
            Op::SToF | Op::UToF => {
                let sign = if op == Op::SToF { a[top] } else { Bit::FALSE };
                return Some(self.float_of_integer(sign, a, Format::of(bits)?));
            }
            _ => {}
        }
        let format = Format::of(a.len())?;
        let x = self.unpacked(a, format);
        let word = match op {
            Op::FToS | Op::FToU => self.integer_of_float(op, bits, a, format)?,
            Op::FToF => {
                let to = Format::of(bits)?;
                let finite = self.round(x.sign, &x.exponent, &x.significand, to);
                self.with_specials(finite, x.is_nan, x.is_infinite, x.sign, to)
            }
            Op::FRound => {
                let rounded = self.integral_float(a, &x, aux, format);
                self.quiet(rounded, x.is_nan, format)
            }
            Op::FSqrt | Op::FRem => return None,
            _ => {
                let y = self.unpacked(b, format);
                let unordered = self.or(x.is_nan, y.is_nan);
                match op {
                    Op::FUno => vec![unordered],
                    Op::FEq | Op::FLt | Op::FLe => {
                        let both_zero = self.and(x.is_zero, y.is_zero);
                        let holds = self.compared(op, a, b, both_zero);
                        vec![self.and(holds, !unordered)]
                    }
                    Op::FAdd => self.sum_of_floats(a, b, format),
                    Op::FSub => {
                        let negative = [&b[..top], &[!b[top]]].concat();
                        self.sum_of_floats(a, &negative, format)
                    }
                    Op::FMul => self.product_of_floats(&x, &y, format),
                    Op::FDiv => self.quotient_of_floats(&x, &y, format),
                    _ => return None,
                }
            }
        };
        Some(word)
    }

    fn unpacked(&mut self, a: &[Bit], format: Format) -> Float {
        let (fraction, rest) = a.split_at(format.fraction);
        let (exponent, sign) = rest.split_at(format.exponent);
        let has_fraction = self.any(fraction);
        let is_normal = self.any(exponent);
        let is_special = {
            let complement: Word = exponent.iter().map(|&bit| !bit).collect();
            !self.any(&complement)
        };
        let mut biased = words::resized(exponent, format.wide(), Bit::FALSE);
        // The exponent of subnormal numbers is that of the smallest normal ones.
        biased[0] = self.or(biased[0], !is_normal);
        let bias = words::constant(format.wide() as u16, format.bias());
        Float {
            sign: sign[0],
            exponent: self.sub(&biased, &bias),
            significand: [fraction, &[is_normal]].concat(),
            is_nan: self.and(is_special, has_fraction),
            is_infinite: self.and(is_special, !has_fraction),
            is_zero: !self.or(is_normal, has_fraction),
        }
    }

    /// A comparison of patterns that are no NaN.
    fn compared(&mut self, op: Op, a: &[Bit], b: &[Bit], both_zero: Bit) -> Bit {
        let less = self.less_float(a, b);
        let less = self.and(less, !both_zero);
        if op == Op::FLt {
            return less;
        }
        let same = self.equal(a, b);
        let equal = self.or(same, both_zero);
        match op {
            Op::FLe => self.or(less, equal),
            _ => equal,
        }
    }

    /// `a < b` for patterns that are no NaN and not both zero.
    fn less_float(&mut self, a: &[Bit], b: &[Bit]) -> Bit {
        let top = a.len() - 1;
        let [up, down] = [(a, b), (b, a)].map(|(a, b)| self.less(&a[..top], &b[..top], false));
        let same_sign = self.choice(a[top], down, up);
        let differ = self.xor(a[top], b[top]);
        self.choice(differ, a[top], same_sign)
    }

    /// To the lower bits; the lowest bit says too whether a one was lost.
    fn shift_right_sticky(&mut self, a: &[Bit], by: &[Bit]) -> Word {
        let bits = a.len();
        let (mut word, mut lost) = (a.to_vec(), Bit::FALSE);
        for (stage, &bit) in by.iter().enumerate() {
            let step = 1_usize
                .checked_shl(stage as u32)
                .map_or(bits, |step| step.min(bits));
            let falls = self.any(&word[..step]);
            let falls = self.and(falls, bit);
            lost = self.or(lost, falls);
            let moved = words::resized(&word[step..], bits, Bit::FALSE);
            word = self.choose(bit, &moved, &word);
        }
        word[0] = self.or(word[0], lost);
        word
    }

    /// The same value with the highest bit set, but for zero.
    fn normalised(&mut self, exponent: &[Bit], significand: &[Bit]) -> (Word, Word) {
        let bits = significand.len();
        let (mut exponent, mut word) = (exponent.to_vec(), significand.to_vec());
        let stages = usize::BITS - (bits - 1).leading_zeros();
        for stage in (0..stages).rev() {
            let step = 1 << stage;
            let is_low = !self.any(&word[bits - step..]);
            let moved = [&vec![Bit::FALSE; step], &word[..bits - step]].concat();
            word = self.choose(is_low, &moved, &word);
            let mut by = vec![Bit::FALSE; exponent.len()];
            by[stage as usize] = is_low;
            exponent = self.sub(&exponent, &by);
        }
        (exponent, word)
    }

    /// The pattern of a finite value: `significand` as in [`Float`], its lowest bit says whether there is anything below.
    fn round(&mut self, sign: Bit, exponent: &[Bit], significand: &[Bit], to: Format) -> Word {
        let least = to.fraction + 3;
        let below = least.saturating_sub(significand.len());
        let significand = [&vec![Bit::FALSE; below], significand].concat();
        let wide = exponent.len().max(to.wide());
        let exponent = words::resized(exponent, wide, exponent[exponent.len() - 1]);
        let (exponent, significand) = self.normalised(&exponent, &significand);
        let is_zero = !significand[significand.len() - 1];
        let bias = words::constant(wide as u16, to.bias());
        let biased = self.add(&exponent, &bias);

        let zero = vec![Bit::FALSE; wide];
        let is_subnormal = self.signed_less(&biased, &zero, true);
        let one = words::constant(wide as u16, 1);
        let by = self.sub(&one, &biased);
        let by = self.choose(is_subnormal, &by, &zero);
        let significand = self.shift_right_sticky(&significand, &by);
        let kept = significand.len() - 1 - to.fraction;
        let (rest, kept) = significand.split_at(kept);
        let (half, below) = (rest[rest.len() - 1], &rest[..rest.len() - 1]);
        let is_more = self.any(below);
        let is_more = self.or(is_more, kept[0]);
        let up = self.and(half, is_more);

        let limit = words::constant(wide as u16, (1 << to.exponent) - 1);
        let overflows = self.signed_less(&limit, &biased, true);
        let is_low = self.or(is_subnormal, is_zero);
        let field: Word = (biased[..to.exponent].iter())
            .map(|&bit| self.and(bit, !is_low))
            .collect();
        // A carry out of the fraction is one in the exponent.
        let magnitude = [&kept[..to.fraction], &field].concat();
        let nothing = vec![Bit::FALSE; magnitude.len()];
        let magnitude = self.sum_and(&magnitude, &nothing, up);
        let overflows = self.and(overflows, !is_zero);
        let infinite = infinity(to);
        let magnitude = self.choose(overflows, &infinite, &magnitude);
        [&magnitude[..], &[sign]].concat()
    }

    /// A result, or infinity, or a NaN.
    fn with_specials(
        &mut self,
        finite: Word,
        is_nan: Bit,
        is_infinite: Bit,
        sign: Bit,
        format: Format,
    ) -> Word {
        let infinite = [&infinity(format)[..], &[sign]].concat();
        let word = self.choose(is_infinite, &infinite, &finite);
        self.quiet(word, is_nan, format)
    }

    /// Any quiet NaN where `is_nan`.
    fn quiet(&mut self, word: Word, is_nan: Bit, format: Format) -> Word {
        if is_nan == Bit::FALSE {
            return word;
        }
        let mut nan: Word = (0..word.len()).map(|_| self.input(false)).collect();
        let fields = format.fraction - 1..format.fraction + format.exponent;
        nan[fields].fill(Bit::TRUE);
        self.choose(is_nan, &nan, &word)
    }

    fn sum_of_floats(&mut self, a: &[Bit], b: &[Bit], format: Format) -> Word {
        let top = a.len() - 1;
        // The larger one first.
        let swaps = self.less(&a[..top], &b[..top], false);
        let (large, small) = (self.choose(swaps, b, a), self.choose(swaps, a, b));
        let [x, y] = [large, small].map(|word| self.unpacked(&word, format));
        let by = self.sub(&x.exponent, &y.exponent);
        // A bit for the carry above, three below: what is lost can be one half, and more than nothing.
        let [high, low] = [&x, &y].map(|float| {
            let below = [Bit::FALSE; 3];
            [&below[..], &float.significand, &[Bit::FALSE]].concat()
        });
        let low = self.shift_right_sticky(&low, &by);
        let differ = self.xor(x.sign, y.sign);
        let signed: Word = low.iter().map(|&bit| self.xor(bit, differ)).collect();
        let sum = self.sum_and(&high, &signed, differ);
        let is_zero = !self.any(&sum);
        let both_negative = self.and(x.sign, y.sign);
        let sign = self.choice(is_zero, both_negative, x.sign);
        let one = words::constant(format.wide() as u16, 1);
        let exponent = self.add(&x.exponent, &one);
        let finite = self.round(sign, &exponent, &sum, format);
        let is_nan = self.or(x.is_nan, y.is_nan);
        let both_infinite = self.and(x.is_infinite, y.is_infinite);
        let undefined = self.and(both_infinite, differ);
        let is_nan = self.or(is_nan, undefined);
        // The larger one is infinite if any is.
        self.with_specials(finite, is_nan, x.is_infinite, x.sign, format)
    }

    fn product_of_floats(&mut self, x: &Float, y: &Float, format: Format) -> Word {
        let wide = 2 * (format.fraction + 1);
        let [a, b] = [x, y].map(|float| words::resized(&float.significand, wide, Bit::FALSE));
        let product = self.mul(&a, &b);
        let exponent = self.sum_and(&x.exponent, &y.exponent, Bit::TRUE);
        let sign = self.xor(x.sign, y.sign);
        let finite = self.round(sign, &exponent, &product, format);
        let is_nan = self.or(x.is_nan, y.is_nan);
        let is_infinite = self.or(x.is_infinite, y.is_infinite);
        let is_zero = self.or(x.is_zero, y.is_zero);
        let undefined = self.and(is_infinite, is_zero);
        let is_nan = self.or(is_nan, undefined);
        self.with_specials(finite, is_nan, is_infinite, sign, format)
    }

    fn quotient_of_floats(&mut self, x: &Float, y: &Float, format: Format) -> Word {
        let (up, a) = self.normalised(&x.exponent, &x.significand);
        let (down, b) = self.normalised(&y.exponent, &y.significand);
        let wide = format.fraction + 3;
        let [mut rest, divisor] = [a, b].map(|word| words::resized(&word, wide, Bit::FALSE));
        let mut quotient = vec![Bit::FALSE; wide + 1];
        for at in (1..=wide).rev() {
            let fits = self.less(&divisor, &rest, true);
            quotient[at] = fits;
            let less = self.sub(&rest, &divisor);
            rest = self.choose(fits, &less, &rest);
            rest.rotate_right(1);
            rest[0] = Bit::FALSE;
        }
        quotient[0] = self.any(&rest);
        let exponent = self.sub(&up, &down);
        let sign = self.xor(x.sign, y.sign);
        let finite = self.round(sign, &exponent, &quotient, format);
        let is_infinite = self.or(x.is_infinite, y.is_zero);
        let is_zero = self.or(x.is_zero, y.is_infinite);
        let zero = [&vec![Bit::FALSE; finite.len() - 1][..], &[sign]].concat();
        let finite = self.choose(is_zero, &zero, &finite);
        let is_nan = self.or(x.is_nan, y.is_nan);
        let undefined = self.and(is_infinite, is_zero);
        let is_nan = self.or(is_nan, undefined);
        self.with_specials(finite, is_nan, is_infinite, sign, format)
    }

    fn float_of_integer(&mut self, sign: Bit, a: &[Bit], to: Format) -> Word {
        let negative = self.neg(a);
        let magnitude = self.choose(sign, &negative, a);
        let exponent = words::constant(to.wide() as u16, magnitude.len() as u128 - 1);
        self.round(sign, &exponent, &magnitude, to)
    }

    /// As the code that LLVM emits for x86-64; `None` for 128 bits.
    fn integer_of_float(&mut self, op: Op, bits: usize, a: &[Bit], format: Format) -> Option<Word> {
        let x = self.unpacked(a, format);
        let word = match (op, bits) {
            (_, ..=31) | (Op::FToS, 32) => self.truncated(&x, 32),
            (Op::FToU, 32) | (Op::FToS, 33..=64) | (_, 33..=63) => self.truncated(&x, 64),
            (Op::FToU, 64) => {
                let low = self.truncated(&x, 64);
                let half = words::constant(64, crate::float(64, -9_223_372_036_854_775_808.0));
                let double = match a.len() {
                    64 => a.to_vec(),
                    _ => self.float_operation(Op::FToF, 64, 0, a, a)?,
                };
                let (less, format) = (
                    self.float_operation(Op::FAdd, 64, 0, &double, &half)?,
                    Format::of(64)?,
                );
                let less = self.unpacked(&less, format);
                let high = self.truncated(&less, 64);
                (low.iter().zip(high))
                    .map(|(&bit, high)| {
                        let high = self.and(high, low[63]);
                        self.or(bit, high)
                    })
                    .collect()
            }
            _ => return None,
        };
        Some(word[..bits].to_vec())
    }

    /// The integer towards zero; the smallest number of the register for all that does not fit.
    fn truncated(&mut self, x: &Float, register: usize) -> Word {
        let fraction = x.significand.len() - 1;
        let wide = x.exponent.len() as u16;
        let zero = words::constant(wide, 0);
        let is_small = self.signed_less(&x.exponent, &zero, false);
        let limit = words::constant(wide, register as u128 - 1);
        let is_large = self.signed_less(&limit, &x.exponent, true);
        let point = words::resized(&x.significand, register + fraction, Bit::FALSE);
        let shifted = self.shift_left(&point, &x.exponent);
        let magnitude: Word = (shifted[fraction..].iter())
            .map(|&bit| self.and(bit, !is_small))
            .collect();
        let negative = self.neg(&magnitude);
        let value = self.choose(x.sign, &negative, &magnitude);
        let special = self.or(x.is_nan, x.is_infinite);
        let outside = self.or(special, is_large);
        let indefinite = words::constant(register as u16, 1 << (register - 1));
        self.choose(outside, &indefinite, &value)
    }

    /// The integral float near one that is no NaN.
    fn integral_float(&mut self, a: &[Bit], x: &Float, mode: usize, format: Format) -> Word {
        // The significand with its point below bit 2, where the exponent is that of a float without a fraction.
        let wide = format.wide() as u16;
        let whole = words::constant(wide, format.fraction as u128);
        let is_integral = self.signed_less(&whole, &x.exponent, true);
        let by = self.sub(&whole, &x.exponent);
        let nothing = words::constant(wide, 0);
        let by = self.choose(is_integral, &nothing, &by);
        let point = [&[Bit::FALSE, Bit::FALSE], &x.significand[..]].concat();
        let point = self.shift_right_sticky(&point, &by);
        let (half, below, odd) = (point[1], point[0], point[2]);
        let up = match mode {
            NEAREST => {
                let more = self.or(below, odd);
                self.and(half, more)
            }
            DOWN | UP => {
                let differs = self.or(half, below);
                let away = if mode == DOWN { x.sign } else { !x.sign };
                self.and(differs, away)
            }
            TOWARDS_ZERO => Bit::FALSE,
            _ => half,
        };
        let integer = words::resized(&point[2..], format.fraction + 2, Bit::FALSE);
        let none = vec![Bit::FALSE; integer.len()];
        let integer = self.sum_and(&integer, &none, up);
        let exponent = words::constant(wide, format.fraction as u128 + 1);
        let rounded = self.round(x.sign, &exponent, &integer, format);
        self.choose(is_integral, a, &rounded)
    }
}

/// The bits of infinity below the sign.
fn infinity(format: Format) -> Word {
    let mut word = vec![Bit::FALSE; format.fraction];
    word.resize(format.fraction + format.exponent, Bit::TRUE);
    word
}
