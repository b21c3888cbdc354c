//! The places in an object that a symbolic address may name: those that are a multiple of its stride away from where it points.
//!
//! Must hold: `address = first + stride * index` is an identity in the arithmetic of addresses, whatever the inputs, as in a native run
//! (`runtime::symbolic_read`); an index below `count` names a place inside of the object, and each such place has one index.

use smt::{Op, Pool, Shape, Term};

use crate::concrete::mask;

/// Places in an object.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Cells {
    /// Address of the first place.
    pub first: u64,
    /// Bytes from one place to the next.
    pub stride: u64,
    pub count: u64,
    /// Which one it is, if it is one.
    pub index: Term,
}

/// `scale * term + constant`, modulo the width of the term.
#[derive(Clone, Copy)]
struct Linear {
    scale: u64,
    term: Term,
    constant: u64,
}

/// Sums and products inside one another that are looked into.
const DEPTH: u32 = 16;

/// The places for `bytes` bytes in the object of so many bytes at `base` that an address may name which is `at` on this run; `None`
/// where it is no such sum.
pub(crate) fn cells(
    pool: &mut Pool,
    (address, at): (Term, u64),
    bytes: u64,
    (base, size): (u64, u64),
) -> Option<Cells> {
    let bits = u8::try_from(pool.width(address)).ok()?;
    let whole = mask(bits);
    let mut form = linear(pool, address, DEPTH);
    if form.scale == 0 || bits > 64 || pool.as_const(form.term).is_some() {
        return None;
    }
    if form.scale >> (bits - 1) & 1 == 1 {
        form.term = pool.un(Op::Neg, form.term);
        form.scale = form.scale.wrapping_neg() & whole;
    }
    let stride = form.scale;
    let before = (at - base) / stride;
    let after = (base + size - bytes - at) / stride;
    let first = at - before * stride;
    // The bits of the index that change nothing in the address go.
    let shift = stride.trailing_zeros() as u8;
    let left = bits - shift;
    let steps = first.wrapping_sub(form.constant) >> shift;
    let start = steps.wrapping_mul(inverse(stride >> shift)).wrapping_neg();
    let index = pool.extract(form.term, 0, left.into());
    let start = pool.constant(left.into(), (start & mask(left)).into());
    let index = pool.bin(Op::Add, index, start);
    Some(Cells {
        first,
        stride,
        count: before + after + 1,
        index,
    })
}

/// The inverse of an odd number, modulo 2^64.
fn inverse(odd: u64) -> u64 {
    // Right in 3 bits; each step doubles them.
    let mut inverse = odd;
    for _ in 0..5 {
        inverse = inverse.wrapping_mul(2_u64.wrapping_sub(odd.wrapping_mul(inverse)));
    }
    inverse
}

fn linear(pool: &mut Pool, term: Term, depth: u32) -> Linear {
    let opaque = Linear {
        scale: 1,
        term,
        constant: 0,
    };
    let bits = pool.width(term);
    let Shape::Op { op, operands, .. } = pool.shape(term) else {
        return opaque;
    };
    let [a, b, _] = operands;
    if depth == 0 {
        return opaque;
    }
    let whole = mask(bits as u8);
    let factor = pool.as_const(b).map(|word| word as u64);
    match (op, factor) {
        (Op::Add, Some(word)) => moved(linear(pool, a, depth - 1), word, whole),
        (Op::Add, None) => {
            let (x, y) = (linear(pool, a, depth - 1), linear(pool, b, depth - 1));
            sum(pool, x, y).unwrap_or(opaque)
        }
        (Op::Sub, None) => {
            let (x, y) = (linear(pool, a, depth - 1), linear(pool, b, depth - 1));
            let y = scaled(y, u64::MAX, whole);
            if let Some(word) = pool.as_const(a) {
                return moved(y, word as u64, whole);
            }
            sum(pool, x, y).unwrap_or(opaque)
        }
        (Op::Neg, _) => scaled(linear(pool, a, depth - 1), u64::MAX, whole),
        (Op::Mul, Some(word)) => scaled(linear(pool, a, depth - 1), word, whole),
        (Op::Shl, Some(by @ 0..64)) => scaled(linear(pool, a, depth - 1), 1 << by, whole),
        // What was scaled by a power of two, and perhaps moved within its gaps.
        (Op::Concat, Some(low)) => {
            let shift = pool.width(b);
            let high = pool.sext(a, bits);
            let high = linear(pool, high, depth - 1);
            moved(scaled(high, 1 << shift, whole), low, whole)
        }
        (Op::ZExt | Op::SExt, _) => {
            let Shape::Op {
                op: Op::Concat,
                operands: [high, low, _],
                ..
            } = pool.shape(a)
            else {
                return opaque;
            };
            let Some(constant) = pool.as_const(low) else {
                return opaque;
            };
            let shift = pool.width(low);
            let high = match op {
                Op::ZExt => pool.zext(high, bits),
                _ => pool.sext(high, bits),
            };
            let high = linear(pool, high, depth - 1);
            moved(scaled(high, 1 << shift, whole), constant as u64, whole)
        }
        _ => opaque,
    }
}

fn moved(form: Linear, constant: u64, whole: u64) -> Linear {
    Linear {
        constant: form.constant.wrapping_add(constant) & whole,
        ..form
    }
}

fn scaled(form: Linear, factor: u64, whole: u64) -> Linear {
    Linear {
        scale: form.scale.wrapping_mul(factor) & whole,
        constant: form.constant.wrapping_mul(factor) & whole,
        ..form
    }
}

/// The sum, in steps that both have in common; `None` if one has none.
fn sum(pool: &mut Pool, x: Linear, y: Linear) -> Option<Linear> {
    let bits = pool.width(x.term);
    let whole = mask(bits as u8);
    // Of a negative scale its size counts.
    let size = |scale: u64| scale.min(scale.wrapping_neg() & whole);
    let step = gcd(size(x.scale), size(y.scale));
    if step == 0 {
        return None;
    }
    let mut part = |form: Linear| {
        let is_negative = size(form.scale) != form.scale;
        let times = pool.constant(bits, (size(form.scale) / step).into());
        let product = pool.bin(Op::Mul, form.term, times);
        match is_negative {
            true => pool.un(Op::Neg, product),
            false => product,
        }
    };
    let (p, q) = (part(x), part(y));
    Some(Linear {
        scale: step,
        term: pool.bin(Op::Add, p, q),
        constant: x.constant.wrapping_add(y.constant) & whole,
    })
}

fn gcd(mut a: u64, mut b: u64) -> u64 {
    while b != 0 {
        (a, b) = (b, a % b);
    }
    a
}

#[cfg(test)]
mod tests {
    use super::*;
    use smt::{Assignment, Var, eval};

    const BASE: u64 = 0x5_0000;

    /// Addresses of many forms, of both widths: stride and count are those that the form has, and each value of the inputs that names a
    /// place names the one that the index says.
    #[test]
    fn an_index_is_the_place() {
        type Form = fn(&mut Pool, u16, Term, Term) -> Term;
        let forms: [(&str, Form, u64, u64); 8] = [
            ("bytes", |pool, bits, x, _| pool.sext(x, bits), 1, 61),
            (
                "words",
                |pool, bits, x, _| {
                    let wide = pool.sext(x, bits);
                    scale(pool, wide, 4)
                },
                4,
                16,
            ),
            (
                "unsigned words",
                |pool, bits, x, _| {
                    let wide = pool.zext(x, bits);
                    scale(pool, wide, 4)
                },
                4,
                16,
            ),
            (
                "records of 12 bytes",
                |pool, bits, x, _| {
                    let wide = pool.sext(x, bits);
                    let by = scale(pool, wide, 12);
                    let eight = pool.constant(bits, 8);
                    pool.bin(Op::Add, by, eight)
                },
                12,
                5,
            ),
            (
                "rows and columns",
                |pool, bits, x, y| {
                    let (x, y) = (pool.sext(x, bits), pool.zext(y, bits));
                    let (x, y) = (scale(pool, x, 16), scale(pool, y, 4));
                    pool.bin(Op::Add, x, y)
                },
                4,
                16,
            ),
            (
                "from the end",
                |pool, bits, x, _| {
                    let wide = pool.zext(x, bits);
                    let end = pool.constant(bits, 60);
                    let by = scale(pool, wide, 4);
                    pool.bin(Op::Sub, end, by)
                },
                4,
                16,
            ),
            (
                "a difference",
                |pool, bits, x, y| {
                    let (x, y) = (pool.zext(x, bits), pool.zext(y, bits));
                    let (x, y) = (scale(pool, x, 8), scale(pool, y, 8));
                    pool.bin(Op::Sub, x, y)
                },
                8,
                8,
            ),
            (
                "a member behind a sum of bytes",
                |pool, bits, x, _| {
                    let two = pool.constant(8, 2);
                    let more = pool.bin(Op::Add, x, two);
                    let wide = pool.zext(more, bits);
                    let by = scale(pool, wide, 16);
                    let four = pool.constant(bits, 4);
                    pool.bin(Op::Add, by, four)
                },
                16,
                4,
            ),
        ];
        for (name, form, stride, count) in forms {
            for bits in [64, 32] {
                let mut pool = Pool::new();
                let (x, y) = (pool.var(Var(0), 8), pool.var(Var(1), 8));
                let offset = form(&mut pool, bits, x, y);
                let start = pool.constant(bits, BASE.into());
                let address = pool.bin(Op::Add, offset, start);
                let under =
                    |x, y| -> Assignment { [(Var(0), x), (Var(1), y)].into_iter().collect() };
                // All that one run may say leads to the same places.
                let object = (BASE, 64);
                let inside = |at: u64| (BASE..=BASE + 60).contains(&at);
                let values = || (0..256).flat_map(|a| [(a, 0), (a, 1), (a, 5)]);
                let of = |(a, b)| eval(&pool, address, &under(a, b)) as u64;
                let runs: Vec<u64> = values().map(of).filter(|at| inside(*at)).collect();
                assert!(runs.len() > 2, "{name}");
                for at in [runs[0], runs[runs.len() / 2], runs[runs.len() - 1]] {
                    let found = cells(&mut pool, (address, at), 4, object).expect(name);
                    assert_eq!(
                        (found.stride, found.count),
                        (stride, count),
                        "{name} {bits}"
                    );
                    for (c, d) in values() {
                        let place = eval(&pool, address, &under(c, d)) as u64;
                        let index = eval(&pool, found.index, &under(c, d)) as u64;
                        let named = inside(place);
                        assert_eq!(index < count, named, "{name} {bits} {c} {d}");
                        if named {
                            assert_eq!(found.first + stride * index, place, "{name} {bits}");
                        }
                    }
                }
            }
        }
    }

    fn scale(pool: &mut Pool, term: Term, by: u128) -> Term {
        let by = pool.constant(pool.width(term), by);
        pool.bin(Op::Mul, term, by)
    }
}
