//! LLVM intrinsics of several steps, expanded into nodes.
//!
//! What must hold: the expansion's value is the intrinsic's; where it is not (a NaN's payload), the result is concrete.
#![allow(unsafe_code, reason = "exported symbols")]

use crate::abi::checked;
use crate::build::{Sym, binary, concat, extract, ite, not, operand, unary};
use crate::eval::mask;
use crate::state::{STATE, recording};
use wire::abi::Intrinsic;
use wire::node::Op;

#[allow(clippy::too_many_arguments, reason = "the interface")]
#[unsafe(no_mangle)]
pub extern "C" fn __bw_intrinsic(
    kind_bits: u32,
    la: u32,
    a: u64,
    lb: u32,
    b: u64,
    lc: u32,
    c: u64,
    r: u64,
) -> u32 {
    if !recording() {
        return 0;
    }
    intrinsic_by_number(kind_bits, [la, lb, lc], (a.into(), b.into(), c), r.into())
}

/// An intrinsic by number.
pub(crate) fn intrinsic_by_number(
    kind_bits: u32,
    [la, lb, lc]: [u32; 3],
    (a, b, c): (u128, u128, u64),
    r: u128,
) -> u32 {
    let (kind, bits) = (kind_bits & 0xffff, (kind_bits >> 16) as u16);
    let (a, b) = (operand(la, a, bits), operand(lb, b, bits));
    let Some(result) = expand(kind, a, b, lc, c) else {
        return 0;
    };
    let float = (Intrinsic::FMulAdd as u32..=Intrinsic::FMax as u32).contains(&kind);
    if result.value != r & mask(result.bits) && (float || !STATE.check.get()) {
        return 0;
    }
    checked(result, r, kind_bits | 1 << 14, &[a, b])
}

fn expand(kind: u32, a: Sym, b: Sym, lc: u32, c: u64) -> Option<Sym> {
    let is = |k: Intrinsic| kind == k as u32;
    let bits = a.bits;
    let pick = |op: Op, x: Sym, y: Sym| ite(binary(op, x, y), a, b);
    Some(if is(Intrinsic::UMin) {
        pick(Op::Ult, a, b)
    } else if is(Intrinsic::UMax) {
        pick(Op::Ult, b, a)
    } else if is(Intrinsic::SMin) {
        pick(Op::Slt, a, b)
    } else if is(Intrinsic::SMax) {
        pick(Op::Slt, b, a)
    } else if is(Intrinsic::Abs) {
        ite(
            binary(Op::Slt, a, Sym::concrete(0, bits)),
            unary(Op::Neg, a, 0),
            a,
        )
    } else if is(Intrinsic::FshL) || is(Intrinsic::FshR) {
        funnel(is(Intrinsic::FshL), a, b, operand(lc, c.into(), bits))
    } else if is(Intrinsic::FMulAdd) {
        binary(
            Op::FAdd,
            binary(Op::FMul, a, b),
            operand(lc, c.into(), bits),
        )
    } else if is(Intrinsic::FMin) || is(Intrinsic::FMax) {
        let (x, y) = if is(Intrinsic::FMin) { (a, b) } else { (b, a) };
        let nan = |v: Sym| binary(Op::FUno, v, v);
        ite(nan(a), b, ite(nan(b), a, pick(Op::FLt, x, y)))
    } else if is(Intrinsic::FCopySign) {
        let sign = Sym::concrete(1 << (bits - 1), bits);
        let magnitude = Sym::concrete(mask(bits - 1), bits);
        binary(
            Op::Or,
            binary(Op::And, a, magnitude),
            binary(Op::And, b, sign),
        )
    } else if is(Intrinsic::UCmp) || is(Intrinsic::SCmp) {
        let (less, width) = (
            if is(Intrinsic::UCmp) {
                Op::Ult
            } else {
                Op::Slt
            },
            c as u16,
        );
        let (one, zero) = (Sym::concrete(1, width), Sym::concrete(0, width));
        let minus = Sym::concrete(u128::MAX, width);
        ite(
            binary(less, a, b),
            minus,
            ite(binary(less, b, a), one, zero),
        )
    } else {
        return saturating(kind, a, b);
    })
}

/// `fshl`/`fshr`: the double-width value shifted, its high or low half.
fn funnel(left: bool, a: Sym, b: Sym, amount: Sym) -> Sym {
    let bits = a.bits;
    let width = Sym::concrete(bits.into(), bits);
    let shift = if bits.is_power_of_two() {
        binary(Op::And, amount, Sym::concrete(u128::from(bits) - 1, bits))
    } else {
        binary(Op::URem, amount, width)
    };
    if bits <= 64 {
        let both = concat(a, b);
        let shift = crate::build::zext(shift, 2 * bits);
        return if left {
            extract(binary(Op::Shl, both, shift), bits, bits)
        } else {
            extract(binary(Op::LShr, both, shift), 0, bits)
        };
    }
    let back = binary(Op::Sub, width, shift);
    let (x, y) = if left { (shift, back) } else { (back, shift) };
    binary(Op::Or, binary(Op::Shl, a, x), binary(Op::LShr, b, y))
}

fn saturating(kind: u32, a: Sym, b: Sym) -> Option<Sym> {
    let is = |k: Intrinsic| kind == k as u32;
    let bits = a.bits;
    let zero = Sym::concrete(0, bits);
    let ones = Sym::concrete(u128::MAX, bits);
    let lowest = Sym::concrete(1 << (bits - 1), bits);
    let highest = Sym::concrete(mask(bits - 1), bits);
    let bound = || ite(binary(Op::Slt, a, zero), lowest, highest);
    let shifted = || binary(Op::Shl, a, b);
    Some(if is(Intrinsic::UAddSat) {
        ite(binary(Op::UAddO, a, b), ones, binary(Op::Add, a, b))
    } else if is(Intrinsic::USubSat) {
        ite(binary(Op::USubO, a, b), zero, binary(Op::Sub, a, b))
    } else if is(Intrinsic::SAddSat) {
        ite(binary(Op::SAddO, a, b), bound(), binary(Op::Add, a, b))
    } else if is(Intrinsic::SSubSat) {
        ite(binary(Op::SSubO, a, b), bound(), binary(Op::Sub, a, b))
    } else if is(Intrinsic::UShlSat) {
        ite(
            not(binary(Op::Eq, binary(Op::LShr, shifted(), b), a)),
            ones,
            shifted(),
        )
    } else if is(Intrinsic::SShlSat) {
        ite(
            not(binary(Op::Eq, binary(Op::AShr, shifted(), b), a)),
            bound(),
            shifted(),
        )
    } else {
        return None;
    })
}
