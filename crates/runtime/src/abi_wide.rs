//! The builders for values of 65 to 128 bits: two words each, low word first.
#![allow(unsafe_code, reason = "exported symbols")]

use crate::abi::{binary_by_number, cast, compare, compare_floats, unary_by_number};
use crate::build::{ite, operand};
use crate::intrinsic::intrinsic_by_number;
use crate::state::recording;

const fn wide(low: u64, high: u64) -> u128 {
    low as u128 | (high as u128) << 64
}

#[allow(clippy::too_many_arguments, reason = "the interface")]
#[unsafe(no_mangle)]
pub extern "C" fn __bw_bin_wide(
    op_bits: u32,
    la: u32,
    a0: u64,
    a1: u64,
    lb: u32,
    b0: u64,
    b1: u64,
    r0: u64,
    r1: u64,
) -> u32 {
    if !recording() {
        return 0;
    }
    binary_by_number(op_bits, la, wide(a0, a1), lb, wide(b0, b1), wide(r0, r1))
}

#[allow(clippy::too_many_arguments, reason = "the interface")]
#[unsafe(no_mangle)]
pub extern "C" fn __bw_icmp_wide(
    pred_bits: u32,
    la: u32,
    a0: u64,
    a1: u64,
    lb: u32,
    b0: u64,
    b1: u64,
    r: u32,
) -> u32 {
    if !recording() {
        return 0;
    }
    compare(pred_bits, la, wide(a0, a1), lb, wide(b0, b1), r)
}

#[allow(clippy::too_many_arguments, reason = "the interface")]
#[unsafe(no_mangle)]
pub extern "C" fn __bw_fcmp_wide(
    pred_bits: u32,
    la: u32,
    a0: u64,
    a1: u64,
    lb: u32,
    b0: u64,
    b1: u64,
    r: u32,
) -> u32 {
    if !recording() {
        return 0;
    }
    compare_floats(pred_bits, la, wide(a0, a1), lb, wide(b0, b1), r)
}

#[unsafe(no_mangle)]
pub extern "C" fn __bw_un_wide(op_bits: u32, la: u32, a0: u64, a1: u64, r0: u64, r1: u64) -> u32 {
    if !recording() {
        return 0;
    }
    unary_by_number(op_bits, la, wide(a0, a1), wide(r0, r1))
}

#[allow(clippy::too_many_arguments, reason = "the interface")]
#[unsafe(no_mangle)]
pub extern "C" fn __bw_intrinsic_wide(
    kind_bits: u32,
    la: u32,
    a0: u64,
    a1: u64,
    lb: u32,
    b0: u64,
    b1: u64,
    r0: u64,
    r1: u64,
) -> u32 {
    if !recording() {
        return 0;
    }
    let operands = (wide(a0, a1), wide(b0, b1), 0);
    intrinsic_by_number(kind_bits, [la, lb, 0], operands, wide(r0, r1))
}

#[unsafe(no_mangle)]
pub extern "C" fn __bw_cast_wide(
    op: u32,
    widths: u32,
    la: u32,
    a0: u64,
    a1: u64,
    r0: u64,
    r1: u64,
) -> u32 {
    if !recording() {
        return 0;
    }
    cast(op, widths, la, wide(a0, a1), wide(r0, r1))
}

#[allow(clippy::too_many_arguments, reason = "the interface")]
#[unsafe(no_mangle)]
pub extern "C" fn __bw_select_wide(
    bits: u32,
    lc: u32,
    c: u32,
    lt: u32,
    t0: u64,
    t1: u64,
    lf: u32,
    f0: u64,
    f1: u64,
) -> u32 {
    if !recording() {
        return 0;
    }
    let bits = bits as u16;
    let condition = operand(lc, (c & 1).into(), 1);
    ite(
        condition,
        operand(lt, wide(t0, t1), bits),
        operand(lf, wide(f0, f1), bits),
    )
    .label
}
