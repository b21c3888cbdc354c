//! Circuits of the integer operations, on words: bits, the lowest first.
//!
//! What is constant in an operand makes its circuit smaller: a product with a constant is a sum of as many numbers as it has runs of
//! ones, a remainder by a constant is as narrow as that constant.

use super::gates::{Bit, Gates};

/// Bits, the lowest first.
pub(super) type Word = Vec<Bit>;

/// The word of a value.
pub(super) fn constant(bits: u16, value: u128) -> Word {
    (0..bits)
        .map(|at| Bit::constant(value >> at & 1 == 1))
        .collect()
}

/// The value of at most 128 bits, if all are known.
pub(super) fn known(word: &[Bit]) -> Option<u128> {
    if word.len() > 128 {
        return None;
    }
    let mut value = 0;
    for (at, bit) in word.iter().enumerate() {
        value |= u128::from(bit.known()?) << at;
    }
    Some(value)
}

fn complement(word: &[Bit]) -> Word {
    word.iter().map(|&bit| !bit).collect()
}

/// The word, cut or with `fill` above.
pub(super) fn resized(word: &[Bit], bits: usize, fill: Bit) -> Word {
    let mut word = word.to_vec();
    word.resize(bits, fill);
    word
}

/// Bits that the value needs: all above are known to be 0.
fn used(word: &[Bit]) -> usize {
    word.iter()
        .rposition(|&bit| bit != Bit::FALSE)
        .map_or(0, |top| top + 1)
}

impl Gates {
    /// The sum with a carry into the lowest bit; and the carries into the highest bit and out of it.
    fn sum(&mut self, a: &[Bit], b: &[Bit], carry: Bit) -> (Word, [Bit; 2]) {
        let (mut carry, mut into) = (carry, carry);
        let sum = (a.iter().zip(b))
            .map(|(&a, &b)| {
                into = carry;
                let half = self.xor(a, b);
                carry = self.majority(a, b, into);
                self.xor(half, into)
            })
            .collect();
        (sum, [into, carry])
    }

    pub(super) fn add(&mut self, a: &[Bit], b: &[Bit]) -> Word {
        self.sum(a, b, Bit::FALSE).0
    }

    /// The sum, and one more where `one`.
    pub(super) fn sum_and(&mut self, a: &[Bit], b: &[Bit], one: Bit) -> Word {
        self.sum(a, b, one).0
    }

    pub(super) fn sub(&mut self, a: &[Bit], b: &[Bit]) -> Word {
        self.sum(a, &complement(b), Bit::TRUE).0
    }

    pub(super) fn neg(&mut self, a: &[Bit]) -> Word {
        let zero = vec![Bit::FALSE; a.len()];
        self.sub(&zero, a)
    }

    pub(super) fn unsigned_add_overflows(&mut self, a: &[Bit], b: &[Bit]) -> Bit {
        self.sum(a, b, Bit::FALSE).1[1]
    }

    pub(super) fn signed_add_overflows(&mut self, a: &[Bit], b: &[Bit]) -> Bit {
        let [into, out] = self.sum(a, b, Bit::FALSE).1;
        self.xor(into, out)
    }

    pub(super) fn signed_sub_overflows(&mut self, a: &[Bit], b: &[Bit]) -> Bit {
        let [into, out] = self.sum(a, &complement(b), Bit::TRUE).1;
        self.xor(into, out)
    }

    /// `a < b`, unsigned; `a ≤ b` with `equal`.
    pub(super) fn less(&mut self, a: &[Bit], b: &[Bit], equal: bool) -> Bit {
        (a.iter().zip(b)).fold(Bit::constant(equal), |below, (&a, &b)| {
            self.majority(!a, b, below)
        })
    }

    /// `a < b`, signed; `a ≤ b` with `equal`.
    pub(super) fn signed_less(&mut self, a: &[Bit], b: &[Bit], equal: bool) -> Bit {
        let top = a.len() - 1;
        let below = self.less(&a[..top], &b[..top], equal);
        // With the sign the other way round.
        self.majority(a[top], !b[top], below)
    }

    pub(super) fn equal(&mut self, a: &[Bit], b: &[Bit]) -> Bit {
        (a.iter().zip(b)).fold(Bit::TRUE, |all, (&a, &b)| {
            let differ = self.xor(a, b);
            self.and(all, !differ)
        })
    }

    pub(super) fn any(&mut self, word: &[Bit]) -> Bit {
        word.iter().fold(Bit::FALSE, |any, &bit| self.or(any, bit))
    }

    /// `a` where `s`, else `b`.
    pub(super) fn choose(&mut self, s: Bit, a: &[Bit], b: &[Bit]) -> Word {
        (a.iter().zip(b))
            .map(|(&a, &b)| self.choice(s, a, b))
            .collect()
    }

    pub(super) fn bitwise(
        &mut self,
        a: &[Bit],
        b: &[Bit],
        operation: fn(&mut Gates, Bit, Bit) -> Bit,
    ) -> Word {
        (a.iter().zip(b))
            .map(|(&a, &b)| operation(self, a, b))
            .collect()
    }

    /// The product, as wide as its operands.
    pub(super) fn mul(&mut self, a: &[Bit], b: &[Bit]) -> Word {
        match (known(a), known(b)) {
            (_, Some(factor)) => self.times(a, factor),
            (Some(factor), None) => self.times(b, factor),
            (None, None) if used(a) < used(b) => self.product(b, a),
            (None, None) => self.product(a, b),
        }
    }

    fn product(&mut self, a: &[Bit], b: &[Bit]) -> Word {
        let bits = a.len();
        let mut sum = vec![Bit::FALSE; bits];
        for (at, &factor) in b.iter().enumerate() {
            if factor == Bit::FALSE {
                continue;
            }
            let part: Word = (a[..bits - at].iter())
                .map(|&bit| self.and(bit, factor))
                .collect();
            let (high, _) = self.sum(&sum[at..], &part, Bit::FALSE);
            sum.splice(at.., high);
        }
        sum
    }

    /// The product with a constant: a run of ones is a power of two less a smaller one.
    fn times(&mut self, a: &[Bit], factor: u128) -> Word {
        let bits = a.len();
        let mut sum = vec![Bit::FALSE; bits];
        let (mut left, mut at) = (factor, 0);
        while left != 0 && at < bits {
            let digit = left & 3;
            if digit & 1 == 1 {
                let part = &a[..bits - at];
                let high = match digit == 3 {
                    true => self.sub(&sum[at..], part),
                    false => self.add(&sum[at..], part),
                };
                sum.splice(at.., high);
                // The digit -1 carries.
                left = (left >> 1) + u128::from(digit == 3);
            } else {
                left >>= 1;
            }
            at += 1;
        }
        sum
    }

    pub(super) fn unsigned_mul_overflows(&mut self, a: &[Bit], b: &[Bit]) -> Bit {
        let bits = a.len();
        let wide = used(a) + used(b);
        if wide <= bits {
            return Bit::FALSE;
        }
        let [a, b] = [a, b].map(|word| resized(word, wide.max(bits), Bit::FALSE));
        let product = self.mul(&a, &b);
        self.any(&product[bits..])
    }

    pub(super) fn signed_mul_overflows(&mut self, a: &[Bit], b: &[Bit]) -> Bit {
        let bits = a.len();
        let [a, b] = [a, b].map(|word| resized(word, 2 * bits, word[bits - 1]));
        let product = self.mul(&a, &b);
        let sign = product[bits - 1];
        let differ: Word = (product[bits..].iter())
            .map(|&bit| self.xor(bit, sign))
            .collect();
        self.any(&differ)
    }

    /// Quotient and remainder, unsigned; by zero as SMT-LIB has it: all ones, and the dividend.
    pub(super) fn divide(&mut self, a: &[Bit], b: &[Bit]) -> (Word, Word) {
        let bits = a.len();
        if let Some(divisor) = known(b)
            && divisor.is_power_of_two()
        {
            let shift = divisor.trailing_zeros() as usize;
            let quotient = resized(&a[shift..], bits, Bit::FALSE);
            return (quotient, resized(&a[..shift], bits, Bit::FALSE));
        }
        // A remainder is less than the divisor; one by zero is what was read of the dividend.
        let is_zero = !self.any(b);
        let wide = 1 + match is_zero {
            Bit::FALSE => used(b),
            _ => used(a).max(used(b)),
        };
        let divisor = resized(b, wide, Bit::FALSE);
        let mut rest = vec![Bit::FALSE; wide];
        // The bits of the dividend that are known to be 0 are not read.
        let mut quotient = vec![is_zero; bits];
        for at in (0..used(a)).rev() {
            rest.rotate_right(1);
            rest[0] = a[at];
            let fits = self.less(&divisor, &rest, true);
            quotient[at] = fits;
            let less = self.sub(&rest, &divisor);
            rest = self.choose(fits, &less, &rest);
        }
        (quotient, resized(&rest, bits, Bit::FALSE))
    }

    /// Quotient and remainder, signed.
    pub(super) fn signed_divide(&mut self, a: &[Bit], b: &[Bit]) -> (Word, Word) {
        let top = a.len() - 1;
        let (x, y) = (self.absolute(a), self.absolute(b));
        let (quotient, rest) = self.divide(&x, &y);
        let differ = self.xor(a[top], b[top]);
        let (less, negative) = (self.neg(&quotient), self.neg(&rest));
        let quotient = self.choose(differ, &less, &quotient);
        (quotient, self.choose(a[top], &negative, &rest))
    }

    fn absolute(&mut self, a: &[Bit]) -> Word {
        let sign = a[a.len() - 1];
        let negative = self.neg(a);
        self.choose(sign, &negative, a)
    }

    /// To the higher bits, by a word.
    pub(super) fn shift_left(&mut self, a: &[Bit], by: &[Bit]) -> Word {
        let reversed: Word = a.iter().rev().copied().collect();
        let mut shifted = self.shift_right(&reversed, by, Bit::FALSE);
        shifted.reverse();
        shifted
    }

    /// To the lower bits, by a word; `fill` comes in.
    pub(super) fn shift_right(&mut self, a: &[Bit], by: &[Bit], fill: Bit) -> Word {
        let bits = a.len();
        let mut word = a.to_vec();
        let mut all = Bit::FALSE;
        for (stage, &bit) in by.iter().enumerate() {
            if stage < 16 && 1 << stage < bits {
                let moved = resized(&word[1 << stage..], bits, fill);
                word = self.choose(bit, &moved, &word);
            } else {
                all = self.or(all, bit);
            }
        }
        let nothing = vec![fill; bits];
        self.choose(all, &nothing, &word)
    }

    /// The number of ones, as wide as the word.
    pub(super) fn count_ones(&mut self, a: &[Bit]) -> Word {
        let mut counts: Vec<Word> = a.iter().map(|&bit| vec![bit]).collect();
        while counts.len() > 1 {
            counts = (counts.chunks(2))
                .map(|pair| match pair {
                    [x, y] => {
                        let wide = x.len().max(y.len()) + 1;
                        let [x, y] = [x, y].map(|word| resized(word, wide, Bit::FALSE));
                        self.add(&x, &y)
                    }
                    _ => pair[0].clone(),
                })
                .collect();
        }
        let count = counts.pop().unwrap_or_default();
        resized(&count, a.len(), Bit::FALSE)
    }

    /// The number of zeros below the lowest one, as wide as the word.
    pub(super) fn trailing_zeros(&mut self, a: &[Bit]) -> Word {
        let mut none = Bit::TRUE;
        let zeros: Word = (a.iter())
            .map(|&bit| {
                none = self.and(none, !bit);
                none
            })
            .collect();
        self.count_ones(&zeros)
    }

    /// Element `index` of `entries`, the last one where there are not as many.
    pub(super) fn element(&mut self, index: &[Bit], entries: &[&[Bit]]) -> Word {
        let last = entries[entries.len() - 1];
        let mut row: Vec<Word> = entries.iter().map(|entry| entry.to_vec()).collect();
        let mut bits = index.iter();
        while row.len() > 1 {
            let Some(&bit) = bits.next() else { break };
            row = (row.chunks(2))
                .map(|pair| match pair {
                    [even, odd] => self.choose(bit, odd, even),
                    _ => self.choose(bit, last, &pair[0]),
                })
                .collect();
        }
        let rest: Word = bits.copied().collect();
        let outside = self.any(&rest);
        self.choose(outside, last, &row[0])
    }
}
