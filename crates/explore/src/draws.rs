//! Inputs drawn at random: every bit of every value and every byte is a coin, and so is the length of a stream.
//!
//! This is the papers' "random initial input" (`papers/cgs.txt`, 4.2), and plain random testing.
//!
//! Must hold: nothing is drawn for a program that asks for nothing; the same seed gives the same inputs.

use std::sync::Arc;

use path::{InputVector, Stream, Value, ValueType};

use crate::rng::Rng;

/// Values that are drawn before anybody knows how many the program asks for. A program that asks for more gets zeros.
const VALUES: usize = 1024;

/// Draws inputs of one shape.
#[derive(Clone, Debug)]
pub struct Draws {
    rng: Rng,
    streams: Vec<Stream>,
    /// Values of an input.
    values: usize,
}

impl Draws {
    /// Inputs with the streams of `shape`.
    #[must_use]
    pub fn new(seed: u64, shape: &InputVector) -> Draws {
        Draws {
            // Another stream of numbers than the strategy's, so that it picks the same with and without.
            rng: Rng::new(seed ^ 0x0d72_0a11_5eed_0001),
            streams: shape.streams.clone(),
            values: VALUES,
        }
    }

    /// A run has asked for so many values, the most of all runs.
    pub(crate) fn asked(&mut self, values: usize) {
        // Other paths may ask for more.
        self.values = values * 2;
    }

    /// The next input; `None` when there is nothing to draw.
    pub fn input(&mut self) -> Option<InputVector> {
        let is_fixed = |stream: &Stream| stream.max == 0;
        if self.values == 0 && self.streams.iter().all(is_fixed) {
            return None;
        }
        let (name, rng) = (Arc::<str>::from(""), &mut self.rng);
        let value = |bits| Value {
            kind: ValueType::U128,
            name: name.clone(),
            element: None,
            c_type: name.clone(),
            bits,
        };
        let bits = |rng: &mut Rng| u128::from(rng.bits()) << 64 | u128::from(rng.bits());
        let values = (0..self.values).map(|_| value(bits(rng))).collect();
        let mut streams = self.streams.clone();
        for stream in &mut streams {
            let length = stream.min as usize + rng.below((stream.max - stream.min) as usize + 1);
            stream.bytes = (0..length).map(|_| rng.bits() as u8).collect();
            stream.used = 0;
        }
        Some(InputVector { values, streams })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use path::Role;

    fn shape(min: u32, max: u32) -> InputVector {
        let stream = Stream {
            id: 1,
            role: Role::Stdin,
            name: "stdin".into(),
            bytes: Vec::new(),
            min,
            max,
            used: 0,
        };
        InputVector {
            values: Vec::new(),
            streams: vec![stream],
        }
    }

    #[test]
    fn lengths_and_bytes_are_all_drawn() {
        let mut draws = Draws::new(7, &shape(2, 4));
        let (mut lengths, mut bytes) = ([0; 5], [0; 256]);
        for _ in 0..1000 {
            let input = draws.input().expect("there is something to draw");
            assert_eq!(input.values.len(), VALUES);
            lengths[input.streams[0].bytes.len()] += 1;
            for &byte in &input.streams[0].bytes {
                bytes[usize::from(byte)] += 1;
            }
        }
        assert_eq!(lengths[..2], [0, 0]);
        assert!(lengths[2..].iter().all(|&count| count > 250), "{lengths:?}");
        assert!(bytes.iter().all(|&count| count > 0));
    }

    #[test]
    fn the_seed_decides() {
        let first = |seed| Draws::new(seed, &shape(8, 8)).input();
        assert_eq!(first(1), first(1));
        assert_ne!(first(1), first(2));
    }

    #[test]
    fn nothing_is_drawn_for_a_program_that_asks_for_nothing() {
        let mut draws = Draws::new(1, &InputVector::default());
        assert!(draws.input().is_some(), "nobody knows yet");
        draws.asked(0);
        assert_eq!(draws.input(), None);
        draws.asked(3);
        assert_eq!(draws.input().map(|input| input.values.len()), Some(6));
    }
}
