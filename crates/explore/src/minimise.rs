//! Minimising an input: shorter, fewer, simpler, as long as a property stays (the same crash, the same report).
//!
//! Delta debugging (Zeller and Hildebrandt, "Simplifying and isolating failure-inducing input", 2002, section 3) over each
//! stream's bytes, with chunks from half the stream down to single bytes; then what is left is made plain.
//!
//! Must hold: the result has the property, is a possible input of the campaign, and depends on nothing but input, property and budget.

use path::{InputVector, Stream};

/// The byte that stands for "any" in what is left of a file.
const PLAIN: u8 = b'0';

/// The smallest input that was found with at most `budget` questions to `holds`, which is true of `input` itself.
pub fn minimise(
    input: &InputVector,
    budget: usize,
    holds: &mut dyn FnMut(&InputVector) -> bool,
) -> InputVector {
    let mut search = Search::new(input, budget, holds);
    search.shorter();
    search.values();
    search.simpler();
    search.best
}

/// The same for the streams alone.
pub fn streams(
    input: &InputVector,
    budget: usize,
    holds: &mut dyn FnMut(&InputVector) -> bool,
) -> InputVector {
    let mut search = Search::new(input, budget, holds);
    search.shorter();
    search.simpler();
    search.best
}

struct Search<'a> {
    best: InputVector,
    left: usize,
    holds: &'a mut dyn FnMut(&InputVector) -> bool,
}

impl<'a> Search<'a> {
    fn new(
        input: &InputVector,
        budget: usize,
        holds: &'a mut dyn FnMut(&InputVector) -> bool,
    ) -> Search<'a> {
        Search {
            best: input.clone(),
            left: budget,
            holds,
        }
    }

    /// Counts and contents of streams.
    fn shorter(&mut self) {
        for is_count in [true, false] {
            for index in 0..self.best.streams.len() {
                match self.best.streams[index].role.is_count() {
                    role if role != is_count => {}
                    true => self.count(index),
                    false => self.shorten(index),
                }
            }
        }
    }

    /// Plain bytes.
    fn simpler(&mut self) {
        for index in 0..self.best.streams.len() {
            if !self.best.streams[index].role.is_count() {
                self.simplify(index);
            }
        }
    }

    /// Asks about a change of the best input, and keeps it if the property stays.
    fn attempt(&mut self, change: impl FnOnce(&mut InputVector)) -> bool {
        if self.left == 0 {
            return false;
        }
        let mut next = self.best.clone();
        change(&mut next);
        if next == self.best {
            return false;
        }
        self.left -= 1;
        let holds = (self.holds)(&next);
        if holds {
            self.best = next;
        }
        holds
    }

    /// The smallest count, from the least up.
    fn count(&mut self, index: usize) {
        let Stream { min, ref bytes, .. } = self.best.streams[index];
        for count in min as usize..bytes.len() {
            if self.attempt(|input| input.streams[index].bytes.truncate(count)) {
                return;
            }
        }
    }

    /// Takes chunks of bytes out.
    fn shorten(&mut self, index: usize) {
        let mut chunk = used(&self.best.streams[index]).div_ceil(2).max(1);
        // All at once is worth a try: often nothing of a stream matters.
        self.attempt(|input| take_out(&mut input.streams[index], 0, usize::MAX));
        loop {
            let mut at = 0;
            while at < used(&self.best.streams[index]) && self.left > 0 {
                let taken = self.attempt(|input| take_out(&mut input.streams[index], at, chunk));
                at += if taken { 0 } else { chunk };
            }
            if chunk == 1 || self.left == 0 {
                return;
            }
            chunk = chunk.div_ceil(2);
        }
    }

    /// Sets values to 0: all, then chunks of them, down to single ones. A run may have a million.
    fn values(&mut self) {
        let count = self.best.values.len();
        let mut chunk = count;
        while chunk > 0 {
            for from in (0..count).step_by(chunk) {
                let range = from..count.min(from + chunk);
                if self.left == 0 {
                    return;
                }
                if self.best.values[range.clone()]
                    .iter()
                    .any(|value| value.bits != 0)
                {
                    self.attempt(|input| {
                        input.values[range]
                            .iter_mut()
                            .for_each(|value| value.bits = 0);
                    });
                }
            }
            chunk /= 2;
        }
    }

    /// Makes bytes plain.
    fn simplify(&mut self, index: usize) {
        for at in 0..used(&self.best.streams[index]) {
            if self.left > 0 && self.best.streams[index].bytes[at] != PLAIN {
                self.attempt(|input| input.streams[index].bytes[at] = PLAIN);
            }
        }
    }
}

/// Bytes that count: of a string, those before its end.
fn used(stream: &Stream) -> usize {
    let length = stream.bytes.len();
    if !stream.role.is_string() {
        return length;
    }
    let end = stream.bytes.iter().position(|byte| *byte == 0);
    end.unwrap_or(length)
}

/// Takes up to `count` bytes out at a position. What may not get shorter is filled up with zeros.
fn take_out(stream: &mut Stream, at: usize, count: usize) {
    let end = at.saturating_add(count).min(stream.bytes.len());
    stream.bytes.drain(at..end);
    let least = stream.min as usize;
    if stream.bytes.len() < least {
        stream.bytes.resize(least, 0);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use path::{Role, Value, ValueType};

    fn stream(role: Role, bytes: &[u8], (min, max): (u32, u32)) -> Stream {
        Stream {
            id: 1,
            role,
            name: "".into(),
            bytes: bytes.to_vec(),
            min,
            max,
            used: 0,
        }
    }

    fn value(bits: u128) -> Value {
        Value {
            kind: ValueType::I32,
            name: "".into(),
            element: None,
            c_type: "".into(),
            bits,
        }
    }

    #[test]
    fn what_does_not_matter_goes() {
        let input = InputVector {
            values: vec![value(7), value(8)],
            streams: vec![
                stream(Role::Arguments(1), &[0; 3], (0, 4)),
                stream(Role::Argument(1), b"--help\0\0", (8, 8)),
                stream(
                    Role::File,
                    b"some text with a BUG in the middle of it",
                    (4, 64),
                ),
            ],
        };
        let mut asked = 0;
        let mut holds = |input: &InputVector| {
            asked += 1;
            let [count, argument, file] = &input.streams[..] else {
                return false;
            };
            assert!(argument.bytes.len() == 8 && file.bytes.len() >= 4);
            let text = &file.bytes;
            count.bytes.len() >= 2
                && argument.bytes.starts_with(b"-")
                && input.values[1].bits == 8
                && text.windows(3).any(|window| window == b"BUG")
        };
        let small = minimise(&input, 1000, &mut holds);
        assert_eq!(small.streams[0].bytes.len(), 2);
        assert_eq!(small.streams[1].bytes, b"-\0\0\0\0\0\0\0");
        assert_eq!(small.streams[2].bytes.len(), 4);
        assert_eq!(small.values, [value(0), value(8)]);
        assert!(asked < 200, "{asked}");
    }

    /// Copying and comparing a million values for each of them never ended.
    #[test]
    fn a_million_values_end() {
        let mut values = vec![value(0); 1_000_000];
        values[700_000] = value(3);
        for other in values.iter_mut().step_by(9_999) {
            *other = value(5);
        }
        let input = InputVector {
            values,
            streams: Vec::new(),
        };
        let small = minimise(&input, 300, &mut |input| input.values[700_000].bits == 3);
        let left: Vec<usize> = (0..1_000_000)
            .filter(|&at| small.values[at].bits != 0)
            .collect();
        assert_eq!(left, [700_000]);
    }

    #[test]
    fn the_budget_is_kept() {
        let input = InputVector {
            values: Vec::new(),
            streams: vec![stream(Role::Stdin, &[b'x'; 64], (0, 64))],
        };
        let mut asked = 0;
        let small = minimise(&input, 10, &mut |input| {
            asked += 1;
            input.streams[0].bytes.len() >= 33
        });
        assert_eq!(asked, 10);
        assert!((33..64).contains(&small.streams[0].bytes.len()));
    }
}
