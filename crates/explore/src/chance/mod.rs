//! Inputs by chance: random changes of tests that were kept.
//!
//! What the solver cannot reach, chance sometimes can: conditions on what a library function without a model returns, on
//! what another thread computes, or beyond the solver's budget. The changes are those of a grey-box fuzzer (AFL's *havoc*),
//! with the constants and strings of the program itself as words.
//!
//! Must hold: an input by chance has the shape of its parent; the same seed gives the same inputs.

mod dictionary;
mod scanner;
#[cfg(test)]
mod tests;
mod texts;
mod values;

use program::Program;

use crate::rng::Rng;
use dictionary::Dictionary;
use path::InputVector;

/// Most changes of one input beside the first; each further one is half as likely.
const MOST_MORE: usize = 5;

/// Makes inputs.
#[derive(Debug)]
pub(crate) struct Chance {
    rng: Rng,
    words: Dictionary,
}

impl Chance {
    pub(crate) fn new(program: &Program, seed: u64) -> Chance {
        Chance {
            // Another stream of numbers than the strategy's, so that it picks the same with and without.
            rng: Rng::new(seed ^ 0x5bd1_e995_c3a5_c85c),
            words: Dictionary::of(program),
        }
    }

    /// A changed copy of one of `count` parents; later ones, which got further, more often. `None` when there is nothing to
    /// change.
    pub(crate) fn input<'a>(
        &mut self,
        count: usize,
        parent: impl Fn(usize) -> &'a InputVector,
    ) -> Option<InputVector> {
        if count == 0 {
            return None;
        }
        let pick = |rng: &mut Rng| rng.below(count).max(rng.below(count));
        let chosen = pick(&mut self.rng);
        let other = pick(&mut self.rng);
        self.changed(parent(chosen), parent(other))
    }

    /// A changed copy of an input, with parts of another. `None` when there is nothing to change.
    pub(crate) fn changed(
        &mut self,
        parent: &InputVector,
        other: &InputVector,
    ) -> Option<InputVector> {
        let mut input = parent.clone();
        if input.values.is_empty() && input.streams.iter().all(|stream| stream.max == 0) {
            return None;
        }
        let limit = texts::limit(&mut self.rng);
        let more = self.rng.bits().trailing_ones() as usize;
        for _ in 0..=more.min(MOST_MORE) {
            self.change(&mut input, other);
        }
        for (stream, old) in input.streams.iter_mut().zip(&parent.streams) {
            stream.bytes.truncate(limit.max(old.bytes.len()));
            stream.fit();
        }
        Some(input)
    }

    /// A run compared its input with this text.
    pub(crate) fn asked(&mut self, text: &[u8]) {
        self.words.add_asked(text);
    }

    fn change(&mut self, input: &mut InputVector, other: &InputVector) {
        let streams: Vec<usize> = (0..input.streams.len())
            .filter(|&index| input.streams[index].max > 0)
            .collect();
        let slots = input.values.len().min(16) + 8 * streams.len();
        if slots == 0 {
            return;
        }
        let slot = self.rng.below(slots);
        if slot < 8 * streams.len() {
            let index = streams[slot / 8];
            let other = other.streams.get(index);
            let other = other.map_or(&[][..], |stream| &stream.bytes);
            let stream = &mut input.streams[index];
            texts::change(&mut self.rng, &self.words, &mut stream.bytes, other);
            stream.fit();
            return;
        }
        let index = self.rng.below(input.values.len());
        if input.values[index].is_text() && self.rng.below(3) == 0 {
            self.write_text(input, index);
            return;
        }
        let donor = other.values.get(index).map(|value| value.bits);
        let value = &mut input.values[index];
        value.bits = values::change(
            &mut self.rng,
            &self.words,
            (value.kind, value.bits),
            donor.filter(|_| other.values[index].kind == value.kind),
        );
    }

    /// Writes a string of the program over the elements of an array of bytes, from one on.
    fn write_text(&mut self, input: &mut InputVector, first: usize) {
        let Some(text) = self.words.text(&mut self.rng) else {
            return;
        };
        for (value, &byte) in input.elements_from(first).zip(text) {
            value.bits = byte.into();
        }
    }
}
