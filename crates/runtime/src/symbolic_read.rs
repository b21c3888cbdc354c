//! Loads through a symbolic address: the whole object as a table when it is small and known, else the address is pinned.
//!
//! What must hold: `address = first + stride * index` holds as an identity of 64-bit arithmetic, whatever the inputs;
//! `index < elements` is recorded as a constraint before the table is used.

use crate::build::{Sym, binary, plus, table};
use crate::cons;
use crate::fixed;
use crate::memory::load;
use crate::objects::object_of;
use crate::raw::{peek, poke};
use crate::record::{constraint, pin};
use crate::state::{self, STATE, overflowed};
use core::sync::atomic::Ordering::Relaxed;
use wire::event::class;
use wire::node::Op;
use wire::segment::{Loss, overflow};

/// `address = scale * term + constant`, modulo 2^64.
struct Linear {
    scale: u64,
    term: Sym,
    constant: u64,
}

fn linear(value: Sym, depth: u32) -> Linear {
    let opaque = Linear {
        scale: 1,
        term: value,
        constant: 0,
    };
    if !value.symbolic() || depth == 0 {
        return opaque;
    }
    let node = cons::node(value.label);
    let Some(op) = Op::from_u8(node.op) else {
        return opaque;
    };
    if !matches!(op, Op::Add | Op::Mul | Op::Shl) {
        return opaque;
    }
    let (a, b) = (Sym::of(node.a), Sym::of(node.b));
    match op {
        Op::Add if !b.symbolic() => {
            let inner = linear(a, depth - 1);
            Linear {
                constant: inner.constant.wrapping_add(b.value as u64),
                ..inner
            }
        }
        Op::Add => {
            let (x, y) = (linear(a, depth - 1), linear(b, depth - 1));
            let scale = gcd(x.scale, y.scale);
            if scale == 0 {
                return opaque;
            }
            let times = |part: &Linear| {
                binary(
                    Op::Mul,
                    part.term,
                    Sym::concrete((part.scale / scale).into(), 64),
                )
            };
            let term = binary(Op::Add, times(&x), times(&y));
            Linear {
                scale,
                term,
                constant: x.constant.wrapping_add(y.constant),
            }
        }
        Op::Mul if !b.symbolic() => scaled(linear(a, depth - 1), b.value as u64),
        Op::Shl if !b.symbolic() && b.value < 64 => scaled(linear(a, depth - 1), 1 << b.value),
        _ => opaque,
    }
}

fn scaled(inner: Linear, factor: u64) -> Linear {
    Linear {
        scale: inner.scale.wrapping_mul(factor),
        constant: inner.constant.wrapping_mul(factor),
        ..inner
    }
}

fn gcd(mut a: u64, mut b: u64) -> u64 {
    while b != 0 {
        (a, b) = (b, a % b);
    }
    a
}

/// The value of `bytes` bytes at a symbolic address, where memory holds `value`.
pub(crate) fn read(spot: u32, address: Sym, bytes: u32, value: u128, known: (u64, u64)) -> Sym {
    let at = address.value as u64;
    if fixed::is_fixed(address) {
        return load(at, bytes, value);
    }
    if let Some(object) = object_at(at, bytes, known)
        && let Some(result) = read_table(spot, address, bytes, value, object)
    {
        return result;
    }
    pin(spot, address, Loss::Address);
    load(at, bytes, value)
}

/// The places in an object that an address may name: those that are a multiple of its stride away from where it points.
pub(crate) struct Cells {
    /// Of the first place.
    pub(crate) first: u64,
    pub(crate) stride: u64,
    pub(crate) count: u64,
    /// Which one it is, if it is one: 64 bits.
    pub(crate) index: Sym,
}

/// The known object that an access is inside of, if it is small. `given`: what is known without a search.
pub(crate) fn object_at(at: u64, bytes: u32, given: (u64, u64)) -> Option<(u64, u64)> {
    let most = STATE.table_bytes.get();
    let inside = |(base, size): (u64, u64)| {
        at >= base && at - base < size && size - (at - base) >= u64::from(bytes)
    };
    let known = Some(given).filter(|known| inside(*known) && known.1 <= most);
    known.or_else(|| object_of(at, most).filter(|object| inside(*object)))
}

/// The cells of `bytes` bytes in an object that the address may name.
pub(crate) fn cells(address: Sym, bytes: u32, (base, size): (u64, u64)) -> Option<Cells> {
    let at = address.value as u64;
    let mut form = linear(address, 16);
    if (form.scale as i64) < 0 {
        form = Linear {
            scale: form.scale.wrapping_neg(),
            term: crate::build::unary(Op::Neg, form.term, 0),
            ..form
        };
    }
    let stride = form.scale;
    if stride == 0 || !form.term.symbolic() {
        return None;
    }
    let before = (at - base) / stride;
    let after = (base + size - u64::from(bytes) - at) / stride;
    let start = (form.term.value as u64).wrapping_sub(before);
    Some(Cells {
        first: at - before * stride,
        stride,
        count: before + after + 1,
        index: plus(form.term, u128::from(start.wrapping_neg())),
    })
}

/// Records that the address names one of the cells.
pub(crate) fn check_inside(spot: u32, cells: &Cells) {
    let count = Sym::concrete(cells.count.into(), 64);
    constraint(class::CHECK, spot, binary(Op::Ult, cells.index, count));
}

fn read_table(spot: u32, address: Sym, bytes: u32, value: u128, object: (u64, u64)) -> Option<Sym> {
    let at = address.value as u64;
    let cells = cells(address, bytes, object)?;
    let Cells {
        first,
        stride,
        index,
        ..
    } = cells;
    let count = u32::try_from(cells.count).ok()?;
    let nested = nesting(index, &mut { FUEL });
    let written = if count > 1 {
        let written = write_table(first, stride, count, bytes)?;
        if written.symbolic && nested >= MOST_NESTED {
            return None;
        }
        Some(written)
    } else {
        None
    };
    check_inside(spot, &cells);
    let Some(written) = written else {
        return Some(load(at, bytes, value));
    };
    let nested = nested + u8::from(written.symbolic);
    Some(table(
        index,
        (written.offset, nested),
        8 * bytes as u16,
        value,
    ))
}

/// Reads through tables of symbolic elements, each the index of the next, that stay expressions. With two in a row, each
/// query about the last takes the solver seconds (an interpreter whose jumps come from its input is such a program); a
/// pin costs a run for each value of the index, and runs are cheap.
pub(crate) const MOST_NESTED: u8 = 1;

/// Nodes that are looked at for tables in an index.
pub(crate) const FUEL: u32 = 64;

/// How many reads through tables of symbolic elements an expression has inside one another.
pub(crate) fn nesting(value: Sym, fuel: &mut u32) -> u8 {
    if !value.symbolic() || *fuel == 0 {
        return 0;
    }
    *fuel -= 1;
    let node = cons::node(value.label);
    match Op::from_u8(node.op) {
        Some(Op::Table) => node.aux,
        None | Some(Op::Input | Op::Const) => 0,
        Some(Op::Extract) => nesting(Sym::of(node.a), fuel),
        Some(_) => [node.a, node.b, node.c]
            .into_iter()
            .filter(|&label| label != 0)
            .map(|label| nesting(Sym::of(label), fuel))
            .max()
            .unwrap_or(0),
    }
}

/// Leaves bytes for the engine; where, or `None` when they were left before, or there is no room that is not needed.
pub(crate) fn leave_bytes(count: u32, byte: impl Fn(u32) -> Sym) -> Option<u32> {
    let start = STATE.table_words.get();
    if start > STATE.table_capacity.get() / 2 {
        return None;
    }
    let written = write_elements(count, 1, byte)?;
    (written.offset == start).then_some(start)
}

/// A table of this run.
struct Written {
    offset: u32,
    /// Some element is.
    symbolic: bool,
}

/// Words before the elements, and of each element.
const HEAD: u32 = 2;
const EACH: u32 = 3;

/// Tables that are looked at again before a new one is written.
const REMEMBERED: u32 = 16;

/// Writes the table of the elements in memory.
fn write_table(first: u64, stride: u64, count: u32, bytes: u32) -> Option<Written> {
    write_elements(count, bytes, |element| {
        let address = first + stride * u64::from(element);
        load(address, bytes, peek_bytes(address, bytes).into())
    })
}

/// Writes a table, or finds an equal one among the last. `None` when it does not fit.
fn write_elements(count: u32, bytes: u32, element: impl Fn(u32) -> Sym) -> Option<Written> {
    let start = STATE.table_words.get();
    let words = HEAD + EACH.checked_mul(count)?;
    if words > STATE.table_capacity.get() - start || bytes > 8 {
        overflowed(overflow::TABLES);
        return None;
    }
    let at = |word: u32| STATE.tables.get() + 4 * u64::from(word);
    poke(at(start), count);
    poke(at(start + 1), 8 * bytes);
    let mut symbolic = false;
    for index in 0..count {
        let sym = element(index);
        let place = start + HEAD + EACH * index;
        symbolic |= sym.symbolic();
        poke(at(place), sym.label);
        poke(at(place + 1), sym.value as u32);
        poke(at(place + 2), (sym.value >> 32) as u32);
    }
    if let Some(equal) = find_equal(start, words) {
        return Some(Written {
            offset: equal,
            symbolic,
        });
    }
    STATE.table_words.set(start + words);
    state::control().table_words.store(start + words, Relaxed);
    Some(Written {
        offset: start,
        symbolic,
    })
}

/// An earlier table with the same words.
fn find_equal(start: u32, words: u32) -> Option<u32> {
    let area = crate::raw::slice::<u32>(STATE.tables.get(), (start + words) as usize);
    let fresh = &area[start as usize..];
    let mut offset = 0_u32;
    let mut seen = 0;
    while offset < start && seen < REMEMBERED * 64 {
        let length = HEAD + EACH * area[offset as usize];
        let end = (offset + length) as usize;
        if end <= start as usize && length == words && &area[offset as usize..end] == fresh {
            return Some(offset);
        }
        offset += length;
        seen += 1;
    }
    None
}

/// Up to 8 bytes, little-endian.
pub(crate) fn peek_bytes(address: u64, bytes: u32) -> u64 {
    (0..bytes).fold(0, |value, index| {
        value | u64::from(peek::<u8>(address + u64::from(index))) << (8 * index)
    })
}
