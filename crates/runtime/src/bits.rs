//! Constructors that move bits: extensions, extracts, concatenations.
//!
//! What must hold: as in `build`, rewrites keep the meaning for all inputs.

use crate::build::{Sym, binary, extended, label_of, node};
use crate::cons;
use crate::eval::{self, mask};
use wire::node::{Node, Op};

/// How deep a look for constant bits goes.
const DEPTH: u32 = 6;

/// The bits `low .. low + bits`, when they are the same for all inputs.
fn constant(a: Sym, low: u16, bits: u16, depth: u32) -> Option<u128> {
    if !a.symbolic() {
        return Some((a.value >> low) & mask(bits));
    }
    if depth == 0 {
        return None;
    }
    let n = cons::node(a.label);
    let part = |x: Sym| constant(x, low, bits, depth - 1);
    match Op::from_u8(n.op)? {
        Op::ZExt if low >= Sym::of(n.a).bits => Some(0),
        Op::Shl => {
            let by = Sym::of(n.b);
            (!by.symbolic() && by.value >= u128::from(low + bits)).then_some(0)
        }
        Op::LShr => {
            let by = Sym::of(n.b);
            (!by.symbolic() && by.value >= u128::from(a.bits - low)).then_some(0)
        }
        Op::And => match (part(Sym::of(n.a)), part(Sym::of(n.b))) {
            (Some(0), _) | (_, Some(0)) => Some(0),
            (Some(x), Some(y)) => Some(x & y),
            _ => None,
        },
        Op::Or => Some(part(Sym::of(n.a))? | part(Sym::of(n.b))?),
        Op::Xor => Some(part(Sym::of(n.a))? ^ part(Sym::of(n.b))?),
        Op::Concat => {
            let below = Sym::of(n.b);
            if low >= below.bits {
                constant(Sym::of(n.a), low - below.bits, bits, depth - 1)
            } else if low + bits <= below.bits {
                constant(below, low, bits, depth - 1)
            } else {
                None
            }
        }
        _ => None,
    }
}

/// An extract taken through a bitwise operation or a shift, where that leaves less to compute.
fn through(n: &Node, low: u16, bits: u16) -> Option<Sym> {
    let op = Op::from_u8(n.op)?;
    match op {
        Op::And | Op::Or | Op::Xor => {
            let (a, b) = (Sym::of(n.a), Sym::of(n.b));
            let (x, y) = (constant(a, low, bits, DEPTH), constant(b, low, bits, DEPTH));
            if x.is_none() && y.is_none() {
                return None;
            }
            let part = |known: Option<u128>, s: Sym| {
                known.map_or_else(|| extract(s, low, bits), |value| Sym::concrete(value, bits))
            };
            Some(binary(op, part(x, a), part(y, b)))
        }
        Op::Shl | Op::LShr => {
            let (a, by) = (Sym::of(n.a), Sym::of(n.b));
            if by.symbolic() || by.value >= u128::from(n.bits) {
                return None;
            }
            let by = by.value as u16;
            if op == Op::Shl {
                if low + bits <= by {
                    return Some(Sym::concrete(0, bits));
                }
                return (low >= by).then(|| extract(a, low - by, bits));
            }
            (low + by + bits <= n.bits).then(|| extract(a, low + by, bits))
        }
        _ => None,
    }
}

/// Zero extension (or the value itself).
pub(crate) fn zext(a: Sym, bits: u16) -> Sym {
    if a.bits >= bits {
        return if a.bits == bits {
            a
        } else {
            extract(a, 0, bits)
        };
    }
    if !a.symbolic() {
        return Sym::concrete(a.value, bits);
    }
    let source = extended(a).map_or(a.label, |inner| inner.label);
    node(Op::ZExt, 0, bits, [source, 0, 0], 1, a.value)
}

/// Sign extension (or the value itself).
pub(crate) fn sext(a: Sym, bits: u16) -> Sym {
    if a.bits >= bits {
        return if a.bits == bits {
            a
        } else {
            extract(a, 0, bits)
        };
    }
    let value = eval::sign_extend(a.value, a.bits) & mask(bits);
    if !a.symbolic() {
        return Sym::concrete(value, bits);
    }
    let inner = cons::node(a.label);
    if inner.op == Op::ZExt as u8 {
        return zext(Sym::of(inner.a), bits);
    }
    let source = if inner.op == Op::SExt as u8 {
        inner.a
    } else {
        a.label
    };
    node(Op::SExt, 0, bits, [source, 0, 0], 1, value)
}

/// Bits `low .. low + bits`.
pub(crate) fn extract(a: Sym, low: u16, bits: u16) -> Sym {
    if low == 0 && bits == a.bits {
        return a;
    }
    let value = (a.value >> low) & mask(bits);
    if !a.symbolic() {
        return Sym::concrete(value, bits);
    }
    let inner = cons::node(a.label);
    match Op::from_u8(inner.op) {
        Some(Op::Extract) => return extract(Sym::of(inner.a), low + inner.b as u16, bits),
        Some(Op::Concat) => {
            let (high, below) = (Sym::of(inner.a), Sym::of(inner.b));
            if low >= below.bits {
                return extract(high, low - below.bits, bits);
            }
            if low + bits <= below.bits {
                return extract(below, low, bits);
            }
        }
        Some(Op::ZExt) => {
            let x = Sym::of(inner.a);
            if low >= x.bits {
                return Sym::concrete(0, bits);
            }
            return if low + bits <= x.bits {
                extract(x, low, bits)
            } else {
                zext(extract(x, low, x.bits - low), bits)
            };
        }
        Some(Op::SExt) => {
            let x = Sym::of(inner.a);
            if low + bits <= x.bits {
                return extract(x, low, bits);
            }
            if low == 0 {
                return sext(x, bits);
            }
        }
        _ => {}
    }
    if let Some(simple) = through(&inner, low, bits) {
        return simple;
    }
    node(Op::Extract, 0, bits, [a.label, u32::from(low), 0], 1, value)
}

/// `high` above `low`.
pub(crate) fn concat(high: Sym, low: Sym) -> Sym {
    let bits = high.bits + low.bits;
    let value = (high.value << low.bits) | low.value;
    if !high.symbolic() && !low.symbolic() {
        return Sym::concrete(value, bits);
    }
    if high.is(0) {
        return zext(low, bits);
    }
    if high.symbolic() && low.symbolic() {
        let (h, l) = (cons::node(high.label), cons::node(low.label));
        let source = |n: &Node, s: Sym| {
            if n.op == Op::Extract as u8 {
                (n.a, n.b)
            } else {
                (s.label, 0)
            }
        };
        let ((high_of, from), (low_of, start)) = (source(&h, high), source(&l, low));
        if h.op == Op::Extract as u8 && high_of == low_of && start + u32::from(low.bits) == from {
            return extract(Sym::of(low_of), start as u16, bits);
        }
    }
    node(
        Op::Concat,
        0,
        bits,
        [label_of(high), label_of(low), 0],
        2,
        value,
    )
}
