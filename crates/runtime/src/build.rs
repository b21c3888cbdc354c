//! Values that may be symbolic, and the constructors that fold and simplify before a node is made.
//!
//! What must hold: a [`Sym`] with label 0 is concrete; otherwise its node has its width and its value. Rewrites keep the
//! meaning for all inputs, never only for this run's.

pub(crate) use crate::bits::{concat, extract, sext, zext};
use crate::bounds::most;
use crate::eval::{self, mask};
use crate::state::STATE;
use crate::{cons, state};
use core::sync::atomic::Ordering::Relaxed;
use wire::node::{Label, Node, Op};

/// A value of this run with its expression, if it has one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Sym {
    pub(crate) label: Label,
    pub(crate) bits: u16,
    pub(crate) value: u128,
}

impl Sym {
    /// A concrete value.
    #[inline]
    pub(crate) const fn concrete(value: u128, bits: u16) -> Sym {
        Sym {
            label: 0,
            bits,
            value: value & mask(bits),
        }
    }

    /// The value of an existing node; concrete when it is a constant.
    #[inline]
    pub(crate) fn of(label: Label) -> Sym {
        let node = cons::node(label);
        let label = if node.op == Op::Const as u8 { 0 } else { label };
        Sym {
            label,
            bits: node.bits,
            value: node.concrete(),
        }
    }

    #[inline]
    pub(crate) const fn symbolic(self) -> bool {
        self.label != 0
    }

    /// Concrete and equal to `value`.
    #[inline]
    pub(crate) fn is(self, value: u128) -> bool {
        self.label == 0 && self.value == value & mask(self.bits)
    }
}

/// An operand as instrumented code passes it: a label that does not fit its value is dropped and counted.
#[inline]
pub(crate) fn operand(label: Label, value: u128, bits: u16) -> Sym {
    let value = value & mask(bits);
    if label == 0 {
        return Sym {
            label: 0,
            bits,
            value,
        };
    }
    if !cons::exists(label) {
        return stale(value, bits);
    }
    let node = cons::node(label);
    if node.concrete() == value && node.bits == bits {
        return Sym { label, bits, value };
    }
    refit(
        Sym {
            label,
            bits: node.bits,
            value: node.concrete(),
        },
        value,
        bits,
    )
}

/// A label of another width (a call whose prototype differs from the definition) still serves when the value agrees.
#[cold]
fn refit(found: Sym, value: u128, bits: u16) -> Sym {
    let fitted = if found.bits < bits {
        zext(found, bits)
    } else {
        extract(found, 0, bits)
    };
    if found.bits != bits && fitted.value == value {
        return fitted;
    }
    stale(value, bits)
}

#[cold]
fn stale(value: u128, bits: u16) -> Sym {
    STATE.stale.set(STATE.stale.get().wrapping_add(1));
    state::control().stale.store(STATE.stale.get(), Relaxed);
    crate::record::loss(wire::event::NO_SPOT, wire::segment::Loss::Stale);
    Sym {
        label: 0,
        bits,
        value,
    }
}

fn parts(value: u128) -> [u64; 2] {
    [value as u64, (value >> 64) as u64]
}

/// The label of an operand: a constant gets a node.
pub(crate) fn label_of(operand: Sym) -> Label {
    if operand.label != 0 {
        return operand.label;
    }
    let value = parts(operand.value);
    cons::intern(&Node {
        op: Op::Const as u8,
        aux: 0,
        bits: operand.bits,
        a: 0,
        b: 0,
        c: 0,
        value,
    })
}

/// A node over operand labels; 0 among the first `arity` means that the table was full.
pub(crate) fn node(
    op: Op,
    aux: u8,
    bits: u16,
    operands: [u32; 3],
    arity: usize,
    value: u128,
) -> Sym {
    let concrete = Sym::concrete(value, bits);
    if operands[..arity].contains(&0) {
        return concrete;
    }
    let [a, b, c] = operands;
    Sym {
        label: cons::intern(&Node {
            op: op as u8,
            aux,
            bits,
            a,
            b,
            c,
            value: parts(concrete.value),
        }),
        ..concrete
    }
}

/// The variable `index` of `stream`.
pub(crate) fn input(stream: u32, index: u32, bits: u16, value: u128) -> Sym {
    if STATE.concrete.get() {
        return Sym::concrete(value, bits);
    }
    node(Op::Input, 0, bits, [index, stream, 0], 0, value)
}

/// Element `index` of the table at word `offset`; `nested` is what the node says of itself.
pub(crate) fn table(index: Sym, (offset, nested): (u32, u8), bits: u16, value: u128) -> Sym {
    node(Op::Table, nested, bits, [index.label, offset, 0], 1, value)
}

/// Width of the result of a binary operation.
fn result_bits(op: Op, bits: u16) -> u16 {
    match op {
        Op::Eq | Op::Ult | Op::Ule | Op::Slt | Op::Sle | Op::FEq | Op::FLt | Op::FLe | Op::FUno => {
            1
        }
        Op::UAddO | Op::SAddO | Op::USubO | Op::SSubO | Op::UMulO | Op::SMulO => 1,
        _ => bits,
    }
}

/// A binary operation; the operands have one width.
pub(crate) fn binary(op: Op, a: Sym, b: Sym) -> Sym {
    binary_known(op, a, b, eval::binary(op, a.bits, a.value, b.value))
}

/// Same, when the result's value is known already.
pub(crate) fn binary_known(op: Op, a: Sym, b: Sym, value: u128) -> Sym {
    let bits = result_bits(op, a.bits);
    if !a.symbolic() && !b.symbolic() {
        return Sym::concrete(value, bits);
    }
    let (a, b) = if commutes(op) && !a.symbolic() {
        (b, a)
    } else {
        (a, b)
    };
    if let Some(simple) = simplify(op, a, b) {
        return simple;
    }
    node(op, 0, bits, [label_of(a), label_of(b), 0], 2, value)
}

fn commutes(op: Op) -> bool {
    matches!(op, Op::Add | Op::Mul | Op::And | Op::Or | Op::Xor | Op::Eq)
}

/// Rewrites of a binary operation of which at least one operand is symbolic (the first, if it commutes).
fn simplify(op: Op, a: Sym, b: Sym) -> Option<Sym> {
    let bits = a.bits;
    let same = a.label == b.label;
    let zero = Sym::concrete(0, bits);
    let ones = mask(bits);
    Some(match op {
        Op::Add | Op::Or | Op::Xor | Op::Shl | Op::LShr | Op::AShr | Op::Sub if b.is(0) => a,
        Op::Sub | Op::Xor if same => zero,
        Op::And | Op::Or if same => a,
        Op::And | Op::Mul if b.is(0) => zero,
        Op::And if b.is(ones) => a,
        Op::Or if b.is(ones) => b,
        Op::Xor if b.is(ones) => not(a),
        Op::Mul | Op::UDiv if b.is(1) => a,
        Op::Add if !b.symbolic() => return add_constants(a, b),
        Op::Sub if !b.symbolic() => binary(Op::Add, a, Sym::concrete(b.value.wrapping_neg(), bits)),
        Op::Shl | Op::LShr if !b.symbolic() && b.value >= u128::from(bits) => zero,
        Op::Shl | Op::LShr | Op::AShr if a.is(0) => zero,
        Op::Eq if same => Sym::concrete(1, 1),
        Op::Eq => return equality(a, b),
        Op::Ule | Op::Sle if same => Sym::concrete(1, 1),
        Op::Ult | Op::Slt if same => Sym::concrete(0, 1),
        Op::Ult if b.is(0) => Sym::concrete(0, 1),
        Op::Ule if a.is(0) => Sym::concrete(1, 1),
        Op::Ult | Op::Ule => return unsigned_order(op, a, b),
        Op::Slt | Op::Sle => return signed_order(op, a, b),
        _ => return None,
    })
}

/// `(x + k) + c` is `x + (k + c)`.
fn add_constants(a: Sym, c: Sym) -> Option<Sym> {
    let inner = cons::node(a.label);
    if inner.op != Op::Add as u8 {
        return None;
    }
    let k = cons::node(inner.b);
    (k.op == Op::Const as u8).then(|| {
        binary(
            Op::Add,
            Sym::of(inner.a),
            Sym::concrete(k.concrete().wrapping_add(c.value), a.bits),
        )
    })
}

/// The operand of a zero extension.
pub(crate) fn extended(a: Sym) -> Option<Sym> {
    if !a.symbolic() {
        return None;
    }
    let outer = cons::node(a.label);
    (outer.op == Op::ZExt as u8).then(|| Sym::of(outer.a))
}

fn equality(a: Sym, b: Sym) -> Option<Sym> {
    if b.symbolic() {
        let (x, y) = (extended(a)?, extended(b)?);
        return (x.bits == y.bits).then(|| binary(Op::Eq, x, y));
    }
    if a.bits == 1 {
        return Some(if b.value == 1 { a } else { not(a) });
    }
    if most(a) < b.value {
        return Some(Sym::concrete(0, 1));
    }
    let node = cons::node(a.label);
    if let Some(x) = extended(a) {
        return Some(if b.value > mask(x.bits) {
            Sym::concrete(0, 1)
        } else {
            binary(Op::Eq, x, Sym::concrete(b.value, x.bits))
        });
    }
    if node.op == Op::SExt as u8 {
        let x = Sym::of(node.a);
        let low = b.value & mask(x.bits);
        let fits = eval::sign_extend(low, x.bits) & mask(a.bits) == b.value;
        return Some(if fits {
            binary(Op::Eq, x, Sym::concrete(low, x.bits))
        } else {
            Sym::concrete(0, 1)
        });
    }
    if node.op == Op::Add as u8 {
        let k = cons::node(node.b);
        if k.op == Op::Const as u8 {
            let rest = b.value.wrapping_sub(k.concrete());
            return Some(binary(Op::Eq, Sym::of(node.a), Sym::concrete(rest, a.bits)));
        }
    }
    None
}

/// A signed comparison of which the signs are known is unsigned, or decided.
fn signed_order(op: Op, a: Sym, b: Sym) -> Option<Sym> {
    let sign = 1 << (a.bits - 1);
    let natural = |x: Sym| most(x) < sign;
    let negative = |x: Sym| !x.symbolic() && x.value >= sign;
    match (natural(a), natural(b)) {
        (true, true) => Some(binary(if op == Op::Slt { Op::Ult } else { Op::Ule }, a, b)),
        (true, false) if negative(b) => Some(Sym::concrete(0, 1)),
        (false, true) if negative(a) => Some(Sym::concrete(1, 1)),
        _ => None,
    }
}

fn unsigned_order(op: Op, a: Sym, b: Sym) -> Option<Sym> {
    if !b.symbolic() && (most(a) < b.value || op == Op::Ule && most(a) == b.value) {
        return Some(Sym::concrete(1, 1));
    }
    if !a.symbolic() && (most(b) < a.value || op == Op::Ult && most(b) == a.value) {
        return Some(Sym::concrete(0, 1));
    }
    match (extended(a), extended(b)) {
        (Some(x), Some(y)) if x.bits == y.bits => Some(binary(op, x, y)),
        (Some(x), None) if !b.symbolic() => {
            let above = b.value > mask(x.bits);
            Some(if above {
                Sym::concrete(1, 1)
            } else {
                binary(op, x, Sym::concrete(b.value, x.bits))
            })
        }
        (None, Some(y)) if !a.symbolic() => {
            let above = a.value > mask(y.bits);
            Some(if above {
                Sym::concrete(0, 1)
            } else {
                binary(op, Sym::concrete(a.value, y.bits), y)
            })
        }
        _ => None,
    }
}

/// A unary operation that keeps the width.
pub(crate) fn unary(op: Op, a: Sym, aux: u8) -> Sym {
    if op == Op::Not {
        return not(a);
    }
    cast_known(
        op,
        a,
        a.bits,
        aux,
        eval::unary(op, a.bits, a.bits, a.value, aux, 0),
    )
}

/// A conversion or unary operation with a known result.
pub(crate) fn cast_known(op: Op, a: Sym, to: u16, aux: u8, value: u128) -> Sym {
    match op {
        Op::Not => not(a),
        Op::ZExt => zext(a, to),
        Op::SExt => sext(a, to),
        Op::Extract => extract(a, 0, to),
        _ if !a.symbolic() => Sym::concrete(value, to),
        _ => node(op, aux, to, [a.label, 0, 0], 1, value),
    }
}

/// Complement.
pub(crate) fn not(a: Sym) -> Sym {
    let value = !a.value & mask(a.bits);
    if !a.symbolic() {
        return Sym::concrete(value, a.bits);
    }
    let inner = cons::node(a.label);
    if inner.op == Op::Not as u8 {
        return Sym::of(inner.a);
    }
    node(Op::Not, 0, a.bits, [a.label, 0, 0], 1, value)
}

/// An arm of a choice on `c`, where a further choice on `c` is decided.
fn arm(c: Sym, value: Sym, holds: bool) -> Sym {
    if !value.symbolic() {
        return value;
    }
    let inner = cons::node(value.label);
    if inner.op != Op::Ite as u8 || inner.a != c.label {
        return value;
    }
    Sym::of(if holds { inner.b } else { inner.c })
}

/// `c ? t : f`.
pub(crate) fn ite(c: Sym, t: Sym, f: Sym) -> Sym {
    let taken = if c.value == 1 { t } else { f };
    if !c.symbolic() || t == f {
        return taken;
    }
    if t.bits == 1 {
        match (t, f) {
            _ if t.is(1) && f.is(0) => return c,
            _ if t.is(0) && f.is(1) => return not(c),
            _ if t.is(1) => return binary(Op::Or, c, f),
            _ if f.is(0) => return binary(Op::And, c, t),
            _ if t.is(0) => return binary(Op::And, not(c), f),
            _ if f.is(1) => return binary(Op::Or, not(c), t),
            _ => {}
        }
    }
    let (t, f) = (arm(c, t, true), arm(c, f, false));
    if t == f {
        return t;
    }
    let inner = cons::node(c.label);
    if inner.op == Op::Not as u8 {
        return ite(Sym::of(inner.a), f, t);
    }
    node(
        Op::Ite,
        0,
        t.bits,
        [c.label, label_of(t), label_of(f)],
        3,
        taken.value,
    )
}

/// `a == constant`, the form in which values are pinned.
pub(crate) fn equals(a: Sym, value: u128) -> Sym {
    binary(Op::Eq, a, Sym::concrete(value, a.bits))
}

/// `a + constant`.
pub(crate) fn plus(a: Sym, value: u128) -> Sym {
    binary(Op::Add, a, Sym::concrete(value, a.bits))
}
