//! Plainer inputs: fewer and smaller values, as long as a run shows what it showed.
//!
//! Values stand in the order in which the program asks for them, so a choice that leads elsewhere moves all behind it: then each
//! value goes where its name is. The order is: streams, as [`minimise`] does them; choices; all that is 0 as well; arrays of
//! bytes, shorter and of plain letters; single numbers, nearer to 0.
//!
//! Must hold: the result was run and has the property; it depends on nothing but input, property, wishes and budget.

use std::collections::HashMap;

use path::{InputVector, Value, ValueType};

use crate::minimise::streams;

/// The byte that stands for "any" in an array of bytes.
const PLAIN: u128 = b'a' as u128;
/// A choice may lead to others; after so many runs for one change, it is given up.
const ALIGNMENTS: usize = 3;

/// What a run with an input came to.
pub struct Seen {
    /// The values that were asked for, with their names.
    pub input: InputVector,
    /// Whether it shows what it has to.
    pub holds: bool,
}

/// Who runs inputs, and knows which values are choices.
pub trait Judge {
    /// Runs an input; `None`: it cannot be run any more.
    fn run(&mut self, input: &InputVector) -> Option<Seen>;
    /// The values that a choice had best have, the best first; empty where the value is none.
    fn wishes(&self, value: &Value) -> Vec<u128>;
}

/// The plainest input that was found with at most `budget` runs.
pub fn plainer(input: &InputVector, budget: usize, judge: &mut dyn Judge) -> InputVector {
    let mut search = Search {
        best: input.clone(),
        left: budget,
        judge,
    };
    search.streams();
    search.choices();
    search.zeros();
    search.texts();
    search.numbers();
    search.best
}

struct Search<'a> {
    best: InputVector,
    left: usize,
    judge: &'a mut dyn Judge,
}

impl Search<'_> {
    fn run(&mut self, input: &InputVector) -> Option<Seen> {
        self.left = self.left.checked_sub(1)?;
        let seen = self.judge.run(input);
        if seen.is_none() {
            self.left = 0;
        }
        seen
    }

    /// Tries a change of the best input, and keeps it if the property stays.
    fn attempt(&mut self, change: impl FnOnce(&mut InputVector)) -> bool {
        let mut next = self.best.clone();
        change(&mut next);
        if next == self.best {
            return false;
        }
        let by_name = ByName::of(&next);
        for _ in 0..ALIGNMENTS {
            let Some(seen) = self.run(&next) else {
                return false;
            };
            let aligned = by_name.align(&seen.input);
            if aligned.values.iter().map(|value| value.bits).eq(seen
                .input
                .values
                .iter()
                .map(|value| value.bits))
            {
                if seen.holds {
                    self.best = seen.input;
                }
                return seen.holds;
            }
            next = aligned;
        }
        false
    }

    fn streams(&mut self) {
        let (best, left) = (self.best.clone(), self.left);
        let small = streams(&best, left, &mut |input| {
            self.run(input).is_some_and(|seen| seen.holds)
        });
        self.best = small;
    }

    /// Choices as they are wished.
    fn choices(&mut self) {
        let mut at = 0;
        // A choice may take others away.
        while at < self.best.values.len() && self.left > 0 {
            let value = &self.best.values[at];
            let (bits, wishes) = (value.bits, self.judge.wishes(value));
            for wish in wishes.into_iter().take_while(|wish| *wish != bits) {
                if self.attempt(|input| input.values[at].bits = wish) {
                    break;
                }
            }
            at += 1;
        }
    }

    /// Whether the value is a number of the program's, and not a choice.
    fn is_number(&self, value: &Value) -> bool {
        self.judge.wishes(value).is_empty()
    }

    /// Sets numbers to 0: all, then chunks of them, down to single ones.
    fn zeros(&mut self) {
        let mut chunk = self.best.values.len();
        while chunk > 0 && self.left > 0 {
            let mut from = 0;
            while from < self.best.values.len() && self.left > 0 {
                let end = self.best.values.len().min(from + chunk);
                let numbers: Vec<usize> = (from..end)
                    .filter(|&at| {
                        let value = &self.best.values[at];
                        value.bits != 0 && self.is_number(value)
                    })
                    .collect();
                if !numbers.is_empty() {
                    self.attempt(|input| {
                        for at in numbers {
                            input.values[at].bits = 0;
                        }
                    });
                }
                from += chunk;
            }
            chunk /= 2;
        }
    }

    /// Takes parts of arrays of bytes out, and makes what is left plain.
    fn texts(&mut self) {
        let mut first = 0;
        while first < self.best.values.len() && self.left > 0 {
            let length = text_at(&self.best, first);
            if length > 0 {
                self.shorten(first, length);
                self.letters(first, length);
            }
            first += length.max(1);
        }
    }

    fn shorten(&mut self, first: usize, length: usize) {
        let used = |input: &InputVector| {
            let text = input.values.get(first..first + length).unwrap_or_default();
            text.iter()
                .rposition(|value| value.bits != 0)
                .map_or(0, |last| last + 1)
        };
        let mut chunk = used(&self.best).div_ceil(2);
        while chunk > 0 && self.left > 0 {
            let mut at = 0;
            while at < used(&self.best) && self.left > 0 {
                let taken = self.attempt(|input| {
                    for to in first + at..first + length {
                        let from = to + chunk;
                        let moved = if from < first + length {
                            input.values[from].bits
                        } else {
                            0
                        };
                        input.values[to].bits = moved;
                    }
                });
                at += if taken { 0 } else { chunk };
            }
            chunk = if chunk == 1 { 0 } else { chunk.div_ceil(2) };
        }
    }

    fn letters(&mut self, first: usize, length: usize) {
        for at in first..first + length {
            if self.left == 0 || at >= self.best.values.len() {
                return;
            }
            let bits = self.best.values[at].bits;
            if bits != 0 && bits != PLAIN {
                self.attempt(|input| input.values[at].bits = PLAIN);
            }
        }
    }

    /// Brings single numbers nearer to 0.
    fn numbers(&mut self) {
        let mut at = 0;
        while at < self.best.values.len() && self.left > 0 {
            let value = self.best.values[at].clone();
            if value.bits != 0 && !value.is_text() && self.is_number(&value) {
                match value.kind {
                    ValueType::F32 | ValueType::F64 => self.real(at, &value),
                    ValueType::Bool => {}
                    kind => self.integer(at, kind, &value),
                }
            }
            at += 1;
        }
    }

    /// The smallest magnitude between 0, which does not do, and that of the value: by halves.
    fn integer(&mut self, at: usize, kind: ValueType, value: &Value) {
        let number = if kind.is_signed() {
            kind.sign_extend(value.bits)
        } else {
            value.bits as i128
        };
        let bits = |number: i128| (number as u128) & kind.mask();
        let (sign, mut most) = (number.signum(), number.unsigned_abs());
        let mut least = 0_u128;
        while least + 1 < most && self.left > 0 {
            // What is small is tried first: most code compares with small numbers.
            let middle = if least == 0 {
                1
            } else {
                least + (most - least) / 2
            };
            let wanted = bits(sign * middle as i128);
            match self.attempt(|input| input.values[at].bits = wanted) {
                true => most = middle,
                false => least = middle,
            }
        }
    }

    /// A number that is written with few digits.
    fn real(&mut self, at: usize, value: &Value) {
        const DIGITS: usize = 16;
        let wide = value.kind == ValueType::F64;
        let number = match wide {
            true => f64::from_bits(value.bits as u64),
            false => f32::from_bits(value.bits as u32).into(),
        };
        if !number.is_finite() {
            return;
        }
        let plain = [1.0, -1.0, 2.0, 10.0, 100.0, 1000.0, number.trunc()];
        let rounded = (0..DIGITS).filter_map(|digits| format!("{number:.digits$e}").parse().ok());
        for wanted in plain.into_iter().chain(rounded) {
            if wanted == number || self.left == 0 {
                return;
            }
            let bits = match wide {
                true => wanted.to_bits().into(),
                false => u128::from((wanted as f32).to_bits()),
            };
            if self.attempt(|input| input.values[at].bits = bits) {
                return;
            }
        }
    }
}

/// Elements of an array of bytes from this value on; 0 if it is no first one.
fn text_at(input: &InputVector, first: usize) -> usize {
    let Some(head) = input.values.get(first).filter(|value| value.is_text()) else {
        return 0;
    };
    let rest = input.values[first..].iter();
    rest.take_while(|value| value.is_text() && value.name == head.name && value.kind == head.kind)
        .count()
}

/// The values of an input by their names: one that is asked for more than once has as many.
struct ByName(HashMap<(String, Option<u32>), Vec<u128>>);

impl ByName {
    fn of(input: &InputVector) -> ByName {
        let mut names: HashMap<_, Vec<u128>> = HashMap::new();
        for value in &input.values {
            let key = (value.name.to_string(), value.element);
            names.entry(key).or_default().push(value.bits);
        }
        ByName(names)
    }

    /// The same values, each where it was asked for; 0 where there was none of the name.
    fn align(&self, seen: &InputVector) -> InputVector {
        let mut aligned = seen.clone();
        let mut asked: HashMap<(&str, Option<u32>), usize> = HashMap::new();
        for (value, own) in aligned.values.iter_mut().zip(&seen.values) {
            // What has no name is known by its place.
            if own.name.is_empty() {
                continue;
            }
            let times = asked.entry((&own.name, own.element)).or_default();
            let known = self.0.get(&(own.name.to_string(), own.element));
            value.bits = known
                .and_then(|known| known.get(*times))
                .copied()
                .unwrap_or(0)
                & own.kind.mask();
            *times += 1;
        }
        aligned
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn value(name: &str, element: Option<u32>, kind: ValueType, bits: u128) -> Value {
        Value {
            kind,
            name: name.into(),
            element,
            c_type: "".into(),
            bits,
        }
    }

    fn text(name: &str, bytes: &[u8]) -> Vec<Value> {
        let bytes = (0u32..).zip(bytes);
        bytes
            .map(|(at, byte)| value(name, Some(at), ValueType::I8, (*byte).into()))
            .collect()
    }

    /// A program that asks for a pointer, and where it is there for a string of four, then for a number and a fraction.
    struct Script {
        runs: usize,
        holds: fn(&HashMap<String, Vec<u128>>) -> bool,
    }

    impl Judge for Script {
        fn run(&mut self, input: &InputVector) -> Option<Seen> {
            self.runs += 1;
            let mut given = input.values.iter().map(|value| value.bits);
            let mut values = Vec::new();
            let mut ask = |name: &str, element, kind| {
                let bits = given.next().unwrap_or(0);
                values.push(value(name, element, kind, bits));
                bits
            };
            if ask("p", None, ValueType::U8) == 0 {
                for at in 0..4 {
                    ask("p", Some(at), ValueType::I8);
                }
            }
            ask("n", None, ValueType::I32);
            ask("x", None, ValueType::F64);
            let mut found: HashMap<String, Vec<u128>> = HashMap::new();
            for value in &values {
                found
                    .entry(value.name.to_string())
                    .or_default()
                    .push(value.bits);
            }
            let input = InputVector {
                values,
                ..input.clone()
            };
            Some(Seen {
                holds: (self.holds)(&found),
                input,
            })
        }

        fn wishes(&self, value: &Value) -> Vec<u128> {
            match value.kind {
                ValueType::U8 => vec![1, 0],
                _ => Vec::new(),
            }
        }
    }

    fn check(holds: fn(&HashMap<String, Vec<u128>>) -> bool, expected: &[(&str, u128)]) {
        let mut values = vec![value("p", None, ValueType::U8, 0)];
        values.extend(text("p", b"\x01=\x07z"));
        values.push(value("n", None, ValueType::I32, 0xffff_fc00));
        values.push(value(
            "x",
            None,
            ValueType::F64,
            4.750_000_000_000_001_f64.to_bits().into(),
        ));
        let input = InputVector {
            values,
            streams: Vec::new(),
        };
        let mut script = Script { runs: 0, holds };
        let small = plainer(&input, 300, &mut script);
        let found: Vec<(&str, u128)> = small.values.iter().map(|it| (&*it.name, it.bits)).collect();
        assert_eq!(found, expected);
        assert!(script.runs < 150, "{}", script.runs);
    }

    #[test]
    fn what_is_not_needed_is_not_there() {
        // Without its string, the number and the fraction move to the front.
        check(
            |found| found["n"][0] as i32 <= -100 && f64::from_bits(found["x"][0] as u64) > 4.0,
            &[
                ("p", 1),
                ("n", (-100_i32) as u32 as u128),
                ("x", 10_f64.to_bits() as u128),
            ],
        );
    }

    #[test]
    fn text_is_short_and_of_letters() {
        check(
            |found| {
                found["p"].len() == 5 && found["p"][1] != 0 && found["p"][2] == u128::from(b'=')
            },
            &[
                ("p", 0),
                ("p", PLAIN),
                ("p", b'='.into()),
                ("p", 0),
                ("p", 0),
                ("n", 0),
                ("x", 0),
            ],
        );
    }

    #[test]
    fn the_budget_is_kept() {
        let input = InputVector {
            values: text("p", &[9; 4]),
            streams: Vec::new(),
        };
        let mut script = Script {
            runs: 0,
            holds: |_| false,
        };
        plainer(&input, 2, &mut script);
        assert_eq!(script.runs, 2);
    }
}
