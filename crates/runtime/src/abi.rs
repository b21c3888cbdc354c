//! The builders that instrumented code calls, for values of up to 64 bits.
//!
//! What must hold: each returns 0 unless the result's node has the value `r`.
#![allow(unsafe_code, reason = "exported symbols")]

use crate::build::{Sym, binary, binary_known, cast_known, ite, operand, plus, sext};
use crate::eval::{self, mask};
use crate::state::{STATE, recording};
use wire::abi::{BITREVERSE, Predicate};
use wire::node::Op;

/// Check mode: the expression's value must be what the program computed. Otherwise the label of the result.
#[inline]
pub(crate) fn checked(result: Sym, want: u128, op: u32, operands: &[Sym]) -> u32 {
    if STATE.check.get() && result.symbolic() && result.value != want & mask(result.bits) {
        crate::attach::check_failed(op, operands, want & mask(result.bits), result);
    }
    result.label
}

/// Value to give a new node: what the program computed, or our own evaluation in check mode.
#[inline]
pub(crate) fn value_of(r: u128, own: impl FnOnce() -> u128) -> u128 {
    if STATE.check.get() { own() } else { r }
}

/// A binary operation by number.
pub(crate) fn binary_by_number(op_bits: u32, la: u32, a: u128, lb: u32, b: u128, r: u128) -> u32 {
    let (Some(op), bits) = (Op::from_u8(op_bits as u8), (op_bits >> 16) as u16) else {
        return 0;
    };
    let (a, b) = (operand(la, a, bits), operand(lb, b, bits));
    if !a.symbolic() && !b.symbolic() {
        return 0;
    }
    let value = value_of(r, || eval::binary(op, bits, a.value, b.value));
    checked(binary_known(op, a, b, value), r, op_bits, &[a, b])
}

#[unsafe(no_mangle)]
pub extern "C" fn __bw_bin(op_bits: u32, la: u32, a: u64, lb: u32, b: u64, r: u64) -> u32 {
    if !recording() {
        return 0;
    }
    binary_by_number(op_bits, la, a.into(), lb, b.into(), r.into())
}

#[unsafe(no_mangle)]
pub extern "C" fn __bw_un(op_bits: u32, la: u32, a: u64, r: u64) -> u32 {
    if !recording() {
        return 0;
    }
    unary_by_number(op_bits, la, a.into(), r.into())
}

/// An operation of one operand by number.
pub(crate) fn unary_by_number(op_bits: u32, la: u32, a: u128, r: u128) -> u32 {
    let (number, aux, bits) = (op_bits & 0xff, (op_bits >> 8) as u8, (op_bits >> 16) as u16);
    let a = operand(la, a, bits);
    if !a.symbolic() {
        return 0;
    }
    if number == BITREVERSE {
        return checked(reverse(a), r, op_bits, &[a]);
    }
    let Some(op) = Op::from_u8(number as u8) else {
        return 0;
    };
    let value = value_of(r, || eval::unary(op, bits, bits, a.value, aux, 0));
    checked(cast_known(op, a, bits, aux, value), r, op_bits, &[a])
}

/// Bits in reverse order, by halves.
pub(crate) fn reverse(a: Sym) -> Sym {
    use crate::build::{concat, extract};
    let mut result = extract(a, 0, 1);
    for bit in 1..a.bits {
        result = concat(result, extract(a, bit, 1));
    }
    result
}

/// An integer comparison by LLVM's predicate number.
pub(crate) fn compare(pred_bits: u32, la: u32, a: u128, lb: u32, b: u128, r: u32) -> u32 {
    let bits = (pred_bits >> 16) as u16;
    let (a, b) = (operand(la, a, bits), operand(lb, b, bits));
    if !a.symbolic() && !b.symbolic() {
        return 0;
    }
    let predicate = pred_bits & 0xffff;
    let is = |p: Predicate| predicate == p as u32;
    let result = if is(Predicate::Eq) {
        binary(Op::Eq, a, b)
    } else if is(Predicate::Ne) {
        crate::build::not(binary(Op::Eq, a, b))
    } else if is(Predicate::Ugt) {
        binary(Op::Ult, b, a)
    } else if is(Predicate::Uge) {
        binary(Op::Ule, b, a)
    } else if is(Predicate::Ult) {
        binary(Op::Ult, a, b)
    } else if is(Predicate::Ule) {
        binary(Op::Ule, a, b)
    } else if is(Predicate::Sgt) {
        binary(Op::Slt, b, a)
    } else if is(Predicate::Sge) {
        binary(Op::Sle, b, a)
    } else if is(Predicate::Slt) {
        binary(Op::Slt, a, b)
    } else {
        binary(Op::Sle, a, b)
    };
    if !STATE.check.get() && result.value != u128::from(r & 1) {
        return 0;
    }
    checked(result, (r & 1).into(), pred_bits, &[a, b])
}

#[unsafe(no_mangle)]
pub extern "C" fn __bw_icmp(pred_bits: u32, la: u32, a: u64, lb: u32, b: u64, r: u32) -> u32 {
    if !recording() {
        return 0;
    }
    compare(pred_bits, la, a.into(), lb, b.into(), r)
}

/// The expression of LLVM's float predicate: bit 0 equal, bit 1 greater, bit 2 less, bit 3 unordered.
pub(crate) fn float_compare(predicate: u32, a: Sym, b: Sym) -> Sym {
    use crate::build::not;
    let any = |x: Sym, y: Sym| binary(Op::Or, x, y);
    let unordered = || binary(Op::FUno, a, b);
    match predicate & 15 {
        0 => Sym::concrete(0, 1),
        1 => binary(Op::FEq, a, b),
        2 => binary(Op::FLt, b, a),
        3 => binary(Op::FLe, b, a),
        4 => binary(Op::FLt, a, b),
        5 => binary(Op::FLe, a, b),
        6 => any(binary(Op::FLt, a, b), binary(Op::FLt, b, a)),
        7 => not(unordered()),
        8 => unordered(),
        9 => any(unordered(), binary(Op::FEq, a, b)),
        10 => not(binary(Op::FLe, a, b)),
        11 => not(binary(Op::FLt, a, b)),
        12 => not(binary(Op::FLe, b, a)),
        13 => not(binary(Op::FLt, b, a)),
        14 => not(binary(Op::FEq, a, b)),
        _ => Sym::concrete(1, 1),
    }
}

#[unsafe(no_mangle)]
pub extern "C" fn __bw_fcmp(pred_bits: u32, la: u32, a: u64, lb: u32, b: u64, r: u32) -> u32 {
    if !recording() {
        return 0;
    }
    compare_floats(pred_bits, la, a.into(), lb, b.into(), r)
}

/// A float comparison by LLVM's predicate number.
pub(crate) fn compare_floats(pred_bits: u32, la: u32, a: u128, lb: u32, b: u128, r: u32) -> u32 {
    let bits = (pred_bits >> 16) as u16;
    let (a, b) = (operand(la, a, bits), operand(lb, b, bits));
    checked(
        float_compare(pred_bits, a, b),
        (r & 1).into(),
        pred_bits | 1 << 15,
        &[a, b],
    )
}

/// A conversion by number.
pub(crate) fn cast(op: u32, widths: u32, la: u32, a: u128, r: u128) -> u32 {
    let (from, to) = ((widths & 0xffff) as u16, (widths >> 16) as u16);
    let a = operand(la, a, from);
    let Some(kind) = Op::from_u8(op as u8) else {
        return 0;
    };
    if !a.symbolic() {
        return 0;
    }
    let value = value_of(r, || eval::unary(kind, from, to, a.value, 0, 0));
    checked(cast_known(kind, a, to, 0, value), r, op, &[a])
}

#[unsafe(no_mangle)]
pub extern "C" fn __bw_cast(op: u32, widths: u32, la: u32, a: u64, r: u64) -> u32 {
    if !recording() {
        return 0;
    }
    cast(op, widths, la, a.into(), r.into())
}

#[unsafe(no_mangle)]
pub extern "C" fn __bw_select(bits: u32, lc: u32, c: u32, lt: u32, t: u64, lf: u32, f: u64) -> u32 {
    if !recording() {
        return 0;
    }
    let bits = bits as u16;
    let condition = operand(lc, (c & 1).into(), 1);
    ite(
        condition,
        operand(lt, t.into(), bits),
        operand(lf, f.into(), bits),
    )
    .label
}

#[unsafe(no_mangle)]
pub extern "C" fn __bw_index(
    bits: u32,
    lp: u32,
    p: u64,
    li: u32,
    i: u64,
    scale: u64,
    r: u64,
) -> u32 {
    if !recording() {
        return 0;
    }
    let (p, i) = (
        operand(lp, p.into(), 64),
        operand(li, i.into(), bits as u16),
    );
    let wide = sext(i, 64);
    let offset = binary(Op::Mul, wide, Sym::concrete(scale.into(), 64));
    let result = if p.symbolic() {
        binary(Op::Add, p, offset)
    } else {
        plus(offset, p.value)
    };
    checked(result, r.into(), Op::Add as u32 | 64 << 16, &[p, i])
}
