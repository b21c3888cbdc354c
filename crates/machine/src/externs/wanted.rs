//! Text that the program compared its input with, and that was not there: the search puts it into inputs ([`path::Run::compared`]).
//!
//! Must hold: what is told, and when, is what the native runtime tells (`runtime::libc_wrappers::compare`).

use smt::Term;

use super::Call;
use crate::register::Register;
use crate::state::{Made, State};

/// Longest text that is told.
const LONGEST: u64 = 64;

/// A model read a text from `start` and found at `at` that something is missing there: `length` bytes at `text` would do.
pub(super) fn missing(state: &mut State<'_>, call: &Call) -> Made<Register> {
    let [start, at, text, length] = [0, 1, 2, 3].map(|index| call.word(index));
    let done = Ok(Register::Word(0));
    if length == 0 || length > LONGEST {
        return done;
    }
    // Before the byte that stands there; at the end of the text, behind the last.
    let is_end = state.memory.byte(at)?.0 == 0;
    if is_end && at <= start {
        return done;
    }
    let own = if is_end { at - 1 } else { at };
    let (kept, Some(term)) = state.memory.byte(own)? else {
        return done;
    };
    let places = (0..length).map(|index| text.wrapping_add(index));
    let mut wanted: Vec<u8> = places
        .map(|place| Ok(state.memory.byte(place)?.0))
        .collect::<Made<_>>()?;
    wanted.insert(if is_end { 0 } else { wanted.len() }, kept);
    state.record.wants([term].into(), wanted.into());
    done
}

impl State<'_> {
    /// Two strings differ: one is input as far as it goes, the other depends on none.
    pub(super) fn leave_strings(&mut self, a: u64, b: u64, limit: u64) {
        let (own, other) = match self.memory.byte(a) {
            Ok((_, Some(_))) => (a, b),
            _ => (b, a),
        };
        let (have, want) = (
            self.text_length(own, limit, true),
            self.text_length(other, limit, false),
        );
        if let (Some(have @ 1..), Some(want @ 1..)) = (have, want) {
            self.leave_wanted(own, have, other, want);
        }
    }

    /// Bytes of a text whose bytes all are symbolic, or all are not.
    fn text_length(&self, text: u64, limit: u64, symbolic: bool) -> Option<u64> {
        for index in 0..limit.min(LONGEST) {
            match self.memory.byte(text.wrapping_add(index)) {
                Err(_) | Ok((0, _)) => return Some(index),
                Ok((_, term)) if term.is_some() != symbolic => return None,
                Ok(_) => {}
            }
        }
        (limit <= LONGEST).then_some(limit)
    }

    /// In place of `have` bytes of the input, these are wanted.
    fn leave_wanted(&mut self, own: u64, have: u64, other: u64, want: u64) {
        let bytes = |from: u64, count: u64| {
            let places = (0..count).map(move |index| from.wrapping_add(index));
            places.filter_map(|place| self.memory.byte(place).ok())
        };
        let text: Option<Box<[Term]>> = bytes(own, have).map(|(_, term)| term).collect();
        let wanted: Box<[u8]> = bytes(other, want).map(|(byte, _)| byte).collect();
        let Some(text) = text else { return };
        self.record.wants(text, wanted);
    }
}
