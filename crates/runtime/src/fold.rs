//! Long stretches of a run in which nothing is symbolic: their events are folded, edges and entries of functions into
//! `edge_hits`, calls into the calls that are still open.
//!
//! What it is for: an interpreter that reads its library of scripts at each start takes tens of millions of edges before it
//! looks at its input. They would fill the area, and what comes behind them, which is what a run is for, would not be seen.
//!
//! What must hold: no edge and no call is lost or counted twice; symbolic events and all that comes behind the first of them stay as they are, and so do marks. What is folded
//! depends on nothing but the stretch itself: paths with the same start are told by it.
#![allow(unsafe_code, reason = "a cell of one thread")]

use crate::raw::{copy, peek, poke};
use crate::record::{count_edge, count_function};
use crate::state::{self, STATE, control, overflowed};
use core::cell::Cell;
use core::sync::atomic::Ordering::Relaxed;
use wire::event::{END, kind, parts, words};
use wire::segment::overflow;

/// Words of events after which a run folds what is not symbolic.
const SOON: u64 = 1 << 22;
/// The same for a run without expressions, whose events are counted only; few, so that they stay in the cache.
const SOON_CONCRETE: u64 = 1 << 15;
/// Words of events before the first input beyond which they are folded: every run is read with them.
const MOST_AT_START: u64 = 1 << 16;

struct Run {
    /// Where its first event is; 0 when there is nothing to fold.
    start: Cell<u64>,
    soon: Cell<u64>,
}

// SAFETY: the first thread alone writes events.
unsafe impl Sync for Run {}

static RUN: Run = Run {
    start: Cell::new(0),
    soon: Cell::new(0),
};

/// A run, or what comes before all of them, begins at the cursor.
pub(crate) fn begin() {
    let soon = if STATE.concrete.get() {
        SOON_CONCRETE
    } else {
        SOON
    };
    RUN.start.set(state::cursor());
    RUN.soon.set(4 * soon);
    end_at(state::cursor() + 4 * soon);
}

/// Sets the end of the part of the area that is written before [`make_room`] is asked.
fn end_at(end: u64) {
    let end = end.min(STATE.events_full.get());
    STATE.events_end.set(end);
    // 0: threads run, and no inline code may write.
    if state::limit() != 0 {
        state::set_limit(end);
    }
}

/// The part of the area that may be written is full. False when there is no more room.
#[cold]
pub(crate) fn make_room() -> bool {
    let (start, cursor) = (RUN.start.get(), state::cursor());
    if start != 0 && (is_plain() || !is_symbolic(start, cursor)) {
        fold(start, cursor);
        end_at(state::cursor() + RUN.soon.get());
    } else {
        // From here on every event counts.
        RUN.start.set(0);
        end_at(u64::MAX);
    }
    state::cursor() < STATE.events_end.get()
}

/// Address, kind and payload of each event; one is read when its turn comes.
fn events(start: u64, cursor: u64) -> impl Iterator<Item = (u64, u32, u32)> {
    let mut next = start;
    core::iter::from_fn(move || {
        let at = next;
        let (kind, payload) = (at < cursor).then(|| parts(peek(at)))?;
        next += 4 * words(kind) as u64;
        Some((at, kind, payload))
    })
}

/// Whether nothing is symbolic on this run, and nothing will be.
fn is_plain() -> bool {
    STATE.concrete.get() && STATE.node_count.get() == 1
}

fn is_symbolic(start: u64, cursor: u64) -> bool {
    events(start, cursor)
        .any(|(_, kind, _)| matches!(kind, kind::EDGE_SYM | kind::SWITCH | kind::CONSTRAINT))
}

/// The first input is about to be created: a long start is folded.
pub(crate) fn end_start() {
    let (start, cursor) = (RUN.start.get(), state::cursor());
    if start != 0 && cursor - start > 4 * MOST_AT_START {
        fold(start, cursor);
    }
}

/// Folds the events from `start` to the cursor.
fn fold(start: u64, cursor: u64) {
    // A run that is killed in between has events and counts of the same edges.
    control().overflow.fetch_or(overflow::FOLDING, Relaxed);
    let is_plain = is_plain();
    let mut to = start;
    // Calls above are open; what is below is not to be taken back.
    let mut bottom = start;
    for (at, kind, payload) in events(start, cursor) {
        match kind {
            kind::EDGE => count_edge(payload),
            kind::INPUT => {}
            // Nobody asks which calls such a run makes.
            kind::CALL | kind::RETURN if is_plain => {}
            kind::RETURN if to > bottom => {
                // Calls that stay are counted where they stay.
                to -= 4;
                count_function(parts(peek(to)).1);
            }
            _ => {
                let bytes = 4 * words(kind) as u64;
                copy(to, at, bytes);
                to += bytes;
                if kind != kind::CALL {
                    bottom = to;
                }
            }
        }
    }
    poke(to, END);
    state::set_cursor(to);
    overflowed(overflow::FOLDED);
    control().overflow.fetch_and(!overflow::FOLDING, Relaxed);
}
