//! Inversion: what operands would give an operation a wanted value, the others kept.
//!
//! Each alternative is a list of wishes (place on the tape, value). They are guesses: whoever uses them evaluates.

use crate::eval::{Step, Tape, compute, mask, sign_bit, signed};
use crate::{Op, pool::Tag};

/// Wishes to be granted together.
pub(crate) type Wishes = Vec<(u32, u128)>;

/// One step as seen by an inversion.
pub(crate) struct Inversion<'a> {
    pub(crate) tape: &'a Tape,
    pub(crate) step: Step,
    /// Current values of the operands.
    pub(crate) a: u128,
    pub(crate) b: u128,
    pub(crate) values: &'a [u128],
}

impl Inversion<'_> {
    /// Alternatives that might give the step the value `want`, likely ones first.
    pub(crate) fn alternatives(&self, want: u128) -> Vec<Wishes> {
        let step = self.step;
        let (pa, pb) = (step.a, step.b);
        let only = |value: u128| vec![vec![(pa, value)]];
        let Tag::Op(op) = step.tag else {
            return self.table(want);
        };
        match op {
            Op::Not => only(!want & mask(step.bits)),
            Op::Neg => only(want.wrapping_neg() & mask(step.bits)),
            Op::ZExt | Op::SExt => {
                let cut = want & mask(step.width);
                let back = compute(op, step.bits, 0, step.width, [cut, 0, 0]);
                if back == want { only(cut) } else { Vec::new() }
            }
            Op::Extract => {
                let hole = mask(step.bits) << step.aux;
                only((self.a & !hole) | want << step.aux)
            }
            Op::Concat => {
                let low = step.bits - step.width;
                vec![vec![(pa, want >> low), (pb, want & mask(low))]]
            }
            Op::Ite => {
                let taken = if self.a == 1 {
                    (step.b, step.c)
                } else {
                    (step.c, step.b)
                };
                vec![
                    vec![(taken.0, want)],
                    vec![(pa, self.a ^ 1), (taken.1, want)],
                ]
            }
            Op::Eq | Op::Ult | Op::Ule | Op::Slt | Op::Sle => self.comparison(op, want == 1),
            Op::UAddO | Op::SAddO | Op::USubO | Op::SSubO | Op::UMulO | Op::SMulO => {
                self.overflow(want == 1)
            }
            Op::Popcount | Op::Clz | Op::Ctz | Op::Bswap => {
                self.counting(op, want).map(only).unwrap_or_default()
            }
            Op::SToF | Op::UToF => self.to_float(op, want),
            _ if op.takes_floats() => super::invert_float::alternatives(self, op, want),
            _ => self.arithmetic(op, want),
        }
    }

    fn table(&self, want: u128) -> Vec<Wishes> {
        let step = self.step;
        let table = &self.tape.tables[step.b as usize];
        let width = self.tape.steps[step.a as usize].bits;
        let mut out: Vec<Wishes> = (0u128..)
            .zip(table.iter())
            .filter(|(i, entry)| *i <= mask(width) && self.values[**entry as usize] == want)
            .take(6)
            .map(|(i, _)| vec![(step.a, i)])
            .collect();
        let last = table.len() - 1;
        let current = table[usize::try_from(self.a).map_or(last, |i| i.min(last))];
        out.push(vec![(current, want)]);
        out
    }

    fn comparison(&self, op: Op, want: bool) -> Vec<Wishes> {
        let (x, y) = (self.step.a, self.step.b);
        let width = self.step.width;
        let (all, top) = (mask(width), sign_bit(width));
        match (op, want) {
            (Op::Eq, true) => vec![vec![(x, self.b)], vec![(y, self.a)]],
            (Op::Eq, false) => [1, all, top]
                .into_iter()
                .flat_map(|d| {
                    [
                        vec![(x, self.b.wrapping_add(d) & all)],
                        vec![(y, self.a.wrapping_add(d) & all)],
                    ]
                })
                .collect(),
            (Op::Ult, true) => self.less(x, y, 0, all),
            (Op::Ult, false) => self.at_most(y, x, self.b, self.a, 0, all),
            (Op::Ule, true) => self.at_most(x, y, self.a, self.b, 0, all),
            (Op::Ule, false) => self.swapped().less(y, x, 0, all),
            (Op::Slt, true) => self.less(x, y, top, top - 1),
            (Op::Slt, false) => self.at_most(y, x, self.b, self.a, top, top - 1),
            (_, true) => self.at_most(x, y, self.a, self.b, top, top - 1),
            (_, false) => self.swapped().less(y, x, top, top - 1),
        }
    }

    fn swapped(&self) -> Self {
        Inversion {
            tape: self.tape,
            step: self.step,
            a: self.b,
            b: self.a,
            values: self.values,
        }
    }

    /// `x < y` in an order from `least` to `most`; `a` and `b` are their values.
    fn less(&self, x: u32, y: u32, least: u128, most: u128) -> Vec<Wishes> {
        let all = mask(self.step.width);
        let mut out = Vec::new();
        if self.b != least {
            out.extend([vec![(x, self.b.wrapping_sub(1) & all)], vec![(x, least)]]);
        }
        if self.a != most {
            out.extend([vec![(y, self.a.wrapping_add(1) & all)], vec![(y, most)]]);
        }
        out.push(vec![(x, least), (y, most)]);
        out
    }

    /// `x ≤ y`.
    fn at_most(&self, x: u32, y: u32, a: u128, b: u128, least: u128, most: u128) -> Vec<Wishes> {
        vec![
            vec![(x, b)],
            vec![(y, a)],
            vec![(x, least)],
            vec![(y, most)],
        ]
    }

    fn overflow(&self, want: bool) -> Vec<Wishes> {
        let (x, y, width) = (self.step.a, self.step.b, self.step.width);
        let (all, top) = (mask(width), sign_bit(width));
        let special = if want {
            [all, top, top - 1, 0]
        } else {
            [0, 1, 0, 1]
        };
        let mut out: Vec<Wishes> = special
            .iter()
            .flat_map(|&v| [vec![(x, v)], vec![(y, v)]])
            .collect();
        out.extend(
            [(all, all), (top, top), (0, all), (top - 1, top - 1)]
                .map(|(v, w)| vec![(x, v), (y, w)]),
        );
        out
    }

    fn counting(&self, op: Op, want: u128) -> Option<u128> {
        let width = u128::from(self.step.width);
        match op {
            Op::Bswap => Some(want.swap_bytes() >> (128 - width)),
            _ if want > width => None,
            Op::Popcount => Some(mask(want as u16)),
            _ if want == width => Some(0),
            Op::Clz => Some(1 << (width - 1 - want)),
            _ => Some(1 << want),
        }
    }

    fn to_float(&self, op: Op, want: u128) -> Vec<Wishes> {
        let back = if op == Op::SToF { Op::FToS } else { Op::FToU };
        if self.step.width < 8 {
            return Vec::new();
        }
        let whole = compute(
            back,
            self.step.width.max(32),
            0,
            self.step.bits,
            [want, 0, 0],
        );
        vec![vec![(self.step.a, whole & mask(self.step.width))]]
    }

    fn arithmetic(&self, op: Op, want: u128) -> Vec<Wishes> {
        let (x, y, width) = (self.step.a, self.step.b, self.step.width);
        let all = mask(width);
        let (a, b) = (self.a, self.b);
        let either = |va: u128, vb: u128| vec![vec![(x, va & all)], vec![(y, vb & all)]];
        match op {
            Op::Add => {
                let mut out: Vec<Wishes> = self.numeral(want).into_iter().collect();
                out.extend(either(want.wrapping_sub(b), want.wrapping_sub(a)));
                out
            }
            Op::Sub => either(want.wrapping_add(b), a.wrapping_sub(want)),
            Op::Xor => either(want ^ b, want ^ a),
            Op::And => {
                let mut out = Vec::new();
                if want & !b == 0 {
                    out.push(vec![(x, (a & !b) | want)]);
                }
                if want & !a == 0 {
                    out.push(vec![(y, (b & !a) | want)]);
                }
                out.push(vec![(x, want), (y, want)]);
                out
            }
            Op::Or => {
                let mut out = Vec::new();
                if b & !want == 0 {
                    out.push(vec![(x, want & !(b & !a))]);
                }
                if a & !want == 0 {
                    out.push(vec![(y, want & !(a & !b))]);
                }
                out.push(vec![(x, want), (y, want)]);
                out
            }
            Op::Mul => {
                let mut out = Vec::new();
                out.extend(factor(want, b, width).map(|v| vec![(x, v)]));
                out.extend(factor(want, a, width).map(|v| vec![(y, v)]));
                out
            }
            Op::Shl | Op::LShr | Op::AShr => self.shift(op, want),
            _ => self.division(op, want),
        }
    }

    /// `base * before + digit` becomes `want` as people write it: its last digit, and what stands before that.
    fn numeral(&self, want: u128) -> Option<Wishes> {
        let steps = &self.tape.steps;
        let (x, y) = (self.step.a, self.step.b);
        [(x, y), (y, x)].into_iter().find_map(|(product, digit)| {
            let step = steps[product as usize];
            let constant = |place: u32| {
                let known = matches!(steps[place as usize].tag, Tag::Const | Tag::Wide);
                known.then(|| self.values[place as usize])
            };
            let base = match step.tag {
                Tag::Op(Op::Mul) => constant(step.b).or_else(|| constant(step.a))?,
                Tag::Op(Op::Shl) => 1 << constant(step.b).filter(|&by| by <= LARGEST_SHIFT)?,
                _ => return None,
            };
            let last = want.checked_rem(base).filter(|_| base > 1)?;
            Some(vec![(product, want - last), (digit, last)])
        })
    }

    fn shift(&self, op: Op, want: u128) -> Vec<Wishes> {
        let (x, y, width) = (self.step.a, self.step.b, self.step.width);
        let mut out = Vec::new();
        if self.b < u128::from(width) {
            let k = self.b as u16;
            let value = match op {
                Op::Shl => want >> k | (self.a & !mask(width - k)),
                _ => (want << k & mask(width)) | (self.a & mask(k)),
            };
            if compute(op, width, 0, width, [value, self.b, 0]) == want {
                out.push(vec![(x, value)]);
            }
        }
        let fits =
            (0..u128::from(width)).find(|&k| compute(op, width, 0, width, [self.a, k, 0]) == want);
        out.extend(fits.map(|k| vec![(y, k)]));
        out
    }

    fn division(&self, op: Op, want: u128) -> Vec<Wishes> {
        let (x, y, width) = (self.step.a, self.step.b, self.step.width);
        let all = mask(width);
        let (a, b) = (self.a, self.b);
        let mut out = Vec::new();
        let mut guess = |place: u32, value: u128| {
            let operands = if place == x {
                [value, b, 0]
            } else {
                [a, value, 0]
            };
            if compute(op, width, 0, width, operands) == want {
                out.push(vec![(place, value)]);
            }
        };
        match op {
            Op::UDiv => {
                let low = want.wrapping_mul(b) & all;
                guess(x, low.wrapping_add(a.checked_rem(b).unwrap_or(0)) & all);
                guess(x, low);
                guess(y, a.checked_div(want).unwrap_or(all));
            }
            Op::SDiv => {
                guess(x, want.wrapping_mul(b) & all);
                let (n, d) = (signed(a, width), signed(want, width));
                guess(
                    y,
                    if d == 0 {
                        all
                    } else {
                        n.wrapping_div(d).cast_unsigned() & all
                    },
                );
            }
            Op::URem => {
                guess(
                    x,
                    a.wrapping_sub(a.checked_rem(b).unwrap_or(0))
                        .wrapping_add(want)
                        & all,
                );
                guess(x, want);
                guess(y, a.wrapping_sub(want) & all);
            }
            _ => {
                guess(x, want);
                guess(x, want.wrapping_add(b) & all);
                guess(y, a.wrapping_sub(want) & all);
            }
        }
        out
    }
}

/// Of a number's base that is a power of two: 32.
const LARGEST_SHIFT: u128 = 5;

/// A value whose product with `by` is `want`, modulo 2^width.
fn factor(want: u128, by: u128, width: u16) -> Option<u128> {
    if by == 0 {
        return None;
    }
    let twos = by.trailing_zeros();
    if want != 0 && want.trailing_zeros() < twos {
        return None;
    }
    Some((want >> twos).wrapping_mul(inverse(by >> twos)) & mask(width - twos as u16))
}

/// The inverse of an odd number modulo 2^128 (Newton: each step doubles the correct bits).
fn inverse(odd: u128) -> u128 {
    (0..7).fold(odd, |x, _| {
        x.wrapping_mul(2u128.wrapping_sub(odd.wrapping_mul(x)))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn factors_multiply_back() {
        for width in [8u16, 16, 32, 64, 128] {
            for by in [1u128, 3, 6, 10, 24, 255, 65521] {
                for value in [0u128, 1, 7, 200, 123_456_789] {
                    let by = by & mask(width);
                    let want = value.wrapping_mul(by) & mask(width);
                    let found = factor(want, by, width).expect("it is a multiple");
                    assert_eq!(
                        found.wrapping_mul(by) & mask(width),
                        want,
                        "{want} / {by} in {width}"
                    );
                }
            }
        }
        assert_eq!(factor(3, 2, 8), None);
    }
}
