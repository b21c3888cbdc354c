//! The largest value that an expression can have, as far as a short look tells.
//!
//! What must hold: no input gives a larger value.

use crate::build::Sym;
use crate::cons;
use crate::eval::mask;
use wire::node::Op;

const DEPTH: u32 = 5;

/// An upper bound of the unsigned value.
pub(crate) fn most(a: Sym) -> u128 {
    bound(a, DEPTH)
}

fn bound(a: Sym, depth: u32) -> u128 {
    if !a.symbolic() {
        return a.value;
    }
    let top = mask(a.bits);
    let node = cons::node(a.label);
    let (Some(op), true) = (Op::from_u8(node.op), depth > 0) else {
        return top;
    };
    let first = || bound(Sym::of(node.a), depth - 1);
    let second = || bound(Sym::of(node.b), depth - 1);
    let fits = |value: Option<u128>| value.filter(|value| *value <= top).unwrap_or(top);
    let known = |label: u32| {
        Some(Sym::of(label))
            .filter(|sym| !sym.symbolic())
            .map(|sym| sym.value)
    };
    match op {
        Op::ZExt => first(),
        Op::And => first().min(second()),
        Op::Or | Op::Xor => all_below(first().max(second())),
        Op::Add => fits(first().checked_add(second())),
        Op::Mul => fits(first().checked_mul(second())),
        Op::URem => match known(node.b) {
            Some(divisor) if divisor != 0 => first().min(divisor - 1),
            _ => first(),
        },
        Op::UDiv => match known(node.b) {
            Some(divisor) if divisor != 0 => first() / divisor,
            _ => top,
        },
        Op::LShr => match known(node.b) {
            Some(by) if by < u128::from(a.bits) => first() >> by,
            _ => first(),
        },
        Op::Concat => first() << Sym::of(node.b).bits | second(),
        Op::Ite => second().max(bound(Sym::of(node.c), depth - 1)),
        Op::Popcount | Op::Clz | Op::Ctz => u128::from(a.bits),
        _ => top,
    }
}

/// The smallest all-ones number that is not smaller.
fn all_below(value: u128) -> u128 {
    if value == 0 {
        0
    } else {
        u128::MAX >> value.leading_zeros()
    }
}
