//! Inversion of floating-point operations.

use super::invert::{Inversion, Wishes};
use crate::eval::{compute, infinity, mask, number, sign_bit};
use crate::{Op, pool::Tag};

/// As [`Inversion::alternatives`].
pub(crate) fn alternatives(this: &Inversion<'_>, op: Op, want: u128) -> Vec<Wishes> {
    let step = this.step;
    let (x, y, width) = (step.a, step.b, step.width);
    let (a, b) = (this.a, this.b);
    let f = |op: Op, v: u128, w: u128| compute(op, width, 0, width, [v, w, 0]);
    let either = |v: u128, w: u128| vec![vec![(x, v)], vec![(y, w)]];
    match op {
        Op::FEq | Op::FLt | Op::FLe | Op::FUno => comparison(this, op, want == 1),
        Op::FMul if x == y => {
            let root = compute(Op::FSqrt, width, 0, width, [want, 0, 0]);
            vec![vec![(x, root)], vec![(x, root ^ sign_bit(width))]]
        }
        Op::FAdd if x == y => vec![vec![(x, f(Op::FDiv, want, number(width, 2.0)))]],
        Op::FAdd => either(f(Op::FSub, want, b), f(Op::FSub, want, a)),
        Op::FSub => either(f(Op::FAdd, want, b), f(Op::FSub, a, want)),
        Op::FMul => either(f(Op::FDiv, want, b), f(Op::FDiv, want, a)),
        Op::FDiv => either(f(Op::FMul, want, b), f(Op::FDiv, a, want)),
        Op::FNeg => vec![vec![(x, want ^ sign_bit(width))]],
        Op::FSqrt => vec![vec![(x, f(Op::FMul, want, want))]],
        Op::FToF => vec![vec![(
            x,
            compute(Op::FToF, width, 0, step.bits, [want, 0, 0]),
        )]],
        Op::FToS | Op::FToU => {
            let back = if op == Op::FToS { Op::SToF } else { Op::UToF };
            vec![vec![(x, compute(back, width, 0, step.bits, [want, 0, 0]))]]
        }
        _ => vec![vec![(x, want)]],
    }
}

fn comparison(this: &Inversion<'_>, op: Op, want: bool) -> Vec<Wishes> {
    let (x, y, width) = (this.step.a, this.step.b, this.step.width);
    let (a, b) = (this.a, this.b);
    let infinity = infinity(width);
    let minus = infinity | sign_bit(width);
    match (op, want) {
        (Op::FUno, true) => vec![vec![(x, infinity + 1)], vec![(y, infinity + 1)]],
        (Op::FUno, false) => vec![vec![(x, 0), (y, 0)], vec![(x, 0)], vec![(y, 0)]],
        (Op::FEq, true) => vec![vec![(x, b)], vec![(y, a)], vec![(x, 0), (y, 0)]],
        (Op::FEq, false) => vec![
            vec![(x, up(b, width))],
            vec![(y, up(a, width))],
            vec![(x, infinity + 1)],
        ],
        (Op::FLt, true) => vec![
            vec![(x, down(b, width))],
            vec![(y, up(a, width))],
            vec![(x, minus)],
            vec![(y, infinity)],
            whole(this, x, b, -1.0),
            whole(this, y, a, 1.0),
        ],
        (Op::FLe, true) => vec![
            vec![(x, b)],
            vec![(y, a)],
            vec![(x, minus)],
            vec![(y, infinity)],
        ],
        (_, true) => Vec::new(),
        _ => vec![
            vec![(x, up(b, width))],
            vec![(x, b)],
            vec![(y, down(a, width))],
            vec![(x, infinity)],
            whole(this, x, b, 1.0),
            vec![(x, infinity + 1)],
        ],
    }
}

/// The value a whole step away, for operands that come from integers.
fn whole(this: &Inversion<'_>, place: u32, from: u128, step: f64) -> Wishes {
    let width = this.step.width;
    let from_integer = matches!(
        this.tape.steps[place as usize].tag,
        Tag::Op(Op::SToF | Op::UToF)
    );
    if !from_integer {
        return Vec::new();
    }
    let step = number(width, step);
    vec![(place, compute(Op::FAdd, width, 0, width, [from, step, 0]))]
}

/// The next larger float.
fn up(value: u128, width: u16) -> u128 {
    neighbour(value, width, true)
}

/// The next smaller float.
fn down(value: u128, width: u16) -> u128 {
    neighbour(value, width, false)
}

fn neighbour(value: u128, width: u16, up: bool) -> u128 {
    if width == x87::BITS {
        // Without the integer bit, patterns are ordered as numbers are.
        return x87::unpacked(neighbour(x87::packed(value), width - 1, up));
    }
    let sign = sign_bit(width);
    let magnitude = value & !sign;
    let negative = value & sign != 0;
    let result = match (magnitude, negative == up) {
        (0, _) => 1 | if up { 0 } else { sign },
        (_, true) => value - 1,
        _ => value + 1,
    };
    result & mask(width)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn neighbours_are_one_step_away() {
        for x in [0.0f64, -0.0, 1.5, -2.0, 1e-300, f64::MAX, -1e300] {
            let bits = u128::from(x.to_bits());
            assert_eq!(f64::from_bits(up(bits, 64) as u64), x.next_up());
            assert_eq!(f64::from_bits(down(bits, 64) as u64), x.next_down());
            let wide = x87::from_f64(x);
            assert_eq!(down(up(wide, 80), 80), if x == 0.0 { 0 } else { wide });
            assert_eq!(x87::compare(wide, up(wide, 80)), x87::Order::Less);
        }
    }
}
