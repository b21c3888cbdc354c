//! How near a run came to the edges that the engine asks for: branch distances of comparisons that nothing symbolic decided.
//!
//! What must hold: a run that is not watched pays nothing for it. In a watched one, each branch that compares something comes through
//! the runtime; of most nobody asks for a side, and finding that out must cost next to nothing.
#![allow(unsafe_code, reason = "exported symbols, a cell of one thread")]

use crate::raw::{peek, poke};
use crate::state::{STATE, recording};
use core::cell::Cell;
use wire::abi::{Predicate, SWITCHED};
use wire::event::PAYLOAD_MASK;
use wire::segment::Nearness;

struct Watched(Cell<bool>);

// SAFETY: the first thread alone runs before the first input, and alone records.
unsafe impl Sync for Watched {}

static WATCHED: Watched = Watched(Cell::new(false));

/// The next run is watched, or not. Before [`crate::state::set_limit`], which tells inline code.
pub(crate) fn begin(watched: bool) {
    WATCHED.0.set(watched);
}

/// Is this run watched?
#[inline]
pub(crate) fn is_watched() -> bool {
    WATCHED.0.get()
}

/// Is a side of this edge's branch asked for, or maybe one of its neighbour's?
#[inline]
fn is_asked(edge: u32) -> bool {
    let first = u64::from(edge).saturating_sub(1);
    first < STATE.near_capacity.get()
        && peek::<u32>(STATE.asked.get() + first / 8) >> (first % 8) & 7 != 0
}

#[unsafe(no_mangle)]
pub extern "C" fn __bw_compared(edge: u32, pred_bits: u32, a: u64, b: u64) {
    if is_watched() && is_asked(edge & PAYLOAD_MASK) && recording() {
        measure(edge & PAYLOAD_MASK, pred_bits, a, b);
    }
}

/// A branch was decided by concrete values.
pub(crate) fn compared(edge: u32, pred_bits: u32, a: u64, b: u64) {
    if is_watched() && is_asked(edge) {
        measure(edge, pred_bits, a, b);
    }
}

/// How near it came to its other side.
#[cold]
#[inline(never)]
fn measure(edge: u32, pred_bits: u32, a: u64, b: u64) {
    if pred_bits == 0 {
        return;
    }
    let (predicate, bits) = (pred_bits & 0xffff, pred_bits >> 16);
    if predicate == SWITCHED {
        return note(edge, u64::MAX, a);
    }
    let (a, b) = ordered(predicate, bits, a, b);
    let (holds, distance) = distance(predicate, a, b);
    // The sides of a branch are numbered false, true.
    let other = if holds {
        edge.wrapping_sub(1)
    } else {
        edge.wrapping_add(1)
    };
    note(other, distance, a.wrapping_sub(b) as u64);
}

fn note(edge: u32, distance: u64, apart: u64) {
    let index = u64::from(edge);
    if index >= STATE.near_capacity.get() {
        return;
    }
    let place = STATE.near.get() + index * size_of::<Nearness>() as u64;
    let known: Nearness = peek(place);
    if known.least != 0 {
        let next = Nearness {
            least: known.least.min(distance),
            seen: known.seen | 1 << (apart % 64),
        };
        if next != known {
            poke(place, next);
        }
    }
}

/// Is it a signed comparison of integers, or one of floats?
fn is_signed(predicate: u32) -> bool {
    (Predicate::Sgt as u32..=Predicate::Sle as u32).contains(&predicate)
}

/// Operands as integers in whose order they are compared.
fn ordered(predicate: u32, bits: u32, a: u64, b: u64) -> (i128, i128) {
    let value = |word: u64| {
        let unused = 64 - bits.clamp(1, 64);
        let signed = ((word << unused) as i64) >> unused;
        match predicate {
            // The bits of a float are a magnitude and a sign.
            0..16 if signed < 0 => -i128::from(signed & (i64::MAX >> unused)),
            0..16 => i128::from(signed),
            _ if is_signed(predicate) => i128::from(signed),
            _ => i128::from((word << unused) >> unused),
        }
    };
    (value(a), value(b))
}

/// Whether the comparison holds, and how far it is from the opposite.
fn distance(predicate: u32, a: i128, b: i128) -> (bool, u64) {
    let is = |predicates: &[Predicate]| predicates.iter().any(|p| *p as u32 == predicate);
    // Of a float predicate, bit 0 is equal, bit 1 greater, bit 2 less.
    let (equal, greater, less) = if predicate < 16 {
        (predicate & 1 != 0, predicate & 2 != 0, predicate & 4 != 0)
    } else {
        use Predicate::{Eq, Ne, Sge, Sgt, Sle, Slt, Uge, Ugt, Ule, Ult};
        (
            is(&[Eq, Uge, Ule, Sge, Sle]),
            is(&[Ne, Ugt, Uge, Sgt, Sge]),
            is(&[Ne, Ult, Ule, Slt, Sle]),
        )
    };
    let holds = match a.cmp(&b) {
        core::cmp::Ordering::Equal => equal,
        core::cmp::Ordering::Greater => greater,
        core::cmp::Ordering::Less => less,
    };
    // To be equal the operands must meet, to change their order they must go one further.
    let gap = a.abs_diff(b);
    let distance = if a == b {
        1
    } else if equal != holds {
        gap
    } else {
        gap + 1
    };
    (holds, u64::try_from(distance).unwrap_or(u64::MAX))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn distances() {
        let of = |predicate: Predicate, a: u64, b: u64| {
            let predicate = predicate as u32;
            let (a, b) = ordered(predicate, 32, a, b);
            distance(predicate, a, b)
        };
        assert_eq!(of(Predicate::Eq, 7, 10), (false, 3));
        assert_eq!(of(Predicate::Eq, 7, 7), (true, 1));
        assert_eq!(of(Predicate::Ne, 7, 7), (false, 1));
        assert_eq!(of(Predicate::Ne, 7, 9), (true, 2));
        assert_eq!(of(Predicate::Sgt, 3, 10), (false, 8));
        assert_eq!(of(Predicate::Sge, 3, 10), (false, 7));
        assert_eq!(of(Predicate::Sge, 12, 10), (true, 3));
        assert_eq!(of(Predicate::Slt, u64::from(u32::MAX), 1), (true, 2));
        assert!(!of(Predicate::Ult, u64::from(u32::MAX), 1).0);
    }

    #[test]
    fn floats_are_in_order() {
        let at = |x: f64| ordered(4, 64, x.to_bits(), 0).0;
        let sorted = [-8.0, -0.5, -0.0, 0.25, 3.0];
        assert!(
            sorted
                .windows(2)
                .all(|pair| at(pair[0]) < at(pair[1]) || pair[0] == pair[1])
        );
        let narrow = |x: f32| ordered(4, 32, x.to_bits().into(), 0).0;
        assert!(narrow(-2.0) < narrow(-1.0) && narrow(1.5) > narrow(1.0));
        // a < b, ordered.
        assert!(distance(4, at(1.0), at(2.0)).0);
    }
}
