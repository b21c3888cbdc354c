//! Inputs that say what the program asked for: where a run compared text of its input with other text, the input with that text in
//! its place, longer or shorter as it may be.
//!
//! The solver flips a comparison only along the path that led to it, on which the text has the length that it has; what a
//! parser of keywords wants most often has another. This is the *input-to-state correspondence* of RedQueen (Aschermann et
//! al., NDSS 2019, III-A); labels say which bytes of the input they are, so nothing has to be guessed.
//!
//! These inputs have every other turn while there are new texts, then every fourth; fewer when they find less than the other runs do.
//!
//! Must hold: a comparison is used when its text is new, and again for each run that was new in some other way, once; the order
//! depends on nothing but the runs.

use std::collections::{BTreeSet, HashSet, VecDeque};
use std::sync::Arc;

use crate::input::{InputVector, Stream};
use crate::rate::Rate;
use crate::run::Compared;
use crate::vars::VALUES;

/// Comparisons of one run that are used.
const MOST_OF_RUN: usize = 256;
/// Inputs that wait.
const MOST: usize = 1 << 14;
/// Texts that are told from new ones: a program may compare with what it computes.
const MOST_KNOWN: usize = 1 << 16;
/// Turns are so many times fewer at most than when the inputs pay.
const FEWER: f64 = 16.0;
/// What is known of these inputs, and of others, before they are run.
const UNKNOWN: Rate = Rate::new(1.0, 2.0, 0.98);

/// An input that can be made.
#[derive(Debug)]
struct Wish {
    parent: Arc<InputVector>,
    compared: Compared,
}

/// Inputs that wait to be run.
#[derive(Debug)]
pub(crate) struct Matching {
    /// Of texts that were not compared with before.
    first: VecDeque<Wish>,
    others: VecDeque<Wish>,
    /// Texts that were compared with, each with the length of what was there.
    known: HashSet<(Box<[u8]>, u32)>,
    /// Turns since the last that was used.
    turns: u64,
    /// The input that was made last.
    made: Option<InputVector>,
    own: Rate,
    rest: Rate,
}

impl Default for Matching {
    fn default() -> Matching {
        Matching {
            first: VecDeque::new(),
            others: VecDeque::new(),
            known: HashSet::new(),
            turns: 0,
            made: None,
            own: UNKNOWN,
            rest: UNKNOWN,
        }
    }
}

impl Matching {
    /// A run made these comparisons; `is_new` when it was new in some other way.
    pub(crate) fn note(&mut self, input: &InputVector, compared: &[Compared], is_new: bool) {
        if compared.is_empty() {
            return;
        }
        let parent = Arc::new(input.clone());
        let once: BTreeSet<&Compared> = compared.iter().collect();
        for compared in once.into_iter().take(MOST_OF_RUN) {
            let key = (compared.wanted.clone(), compared.length);
            let queue = if self.known.len() < MOST_KNOWN && self.known.insert(key) {
                &mut self.first
            } else if is_new {
                &mut self.others
            } else {
                continue;
            };
            if queue.len() < MOST {
                queue.push_back(Wish {
                    parent: Arc::clone(&parent),
                    compared: compared.clone(),
                });
            }
        }
    }

    /// The next input.
    pub(crate) fn next(&mut self) -> Option<InputVector> {
        loop {
            let wish = self.first.pop_front().or_else(|| self.others.pop_front())?;
            if let Some(input) = wish.input() {
                self.made = Some(input.clone());
                return Some(input);
            }
        }
    }

    /// An input was run, one of these or not, and found something new or not.
    pub(crate) fn credit(&mut self, input: &InputVector, is_new: bool) {
        match self.made.as_ref() == Some(input) {
            true => self.own.add(is_new),
            false => self.rest.add(is_new),
        }
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.first.is_empty() && self.others.is_empty()
    }

    /// Whether the next turn is one of these.
    pub(crate) fn is_due(&mut self) -> bool {
        self.turns += 1;
        let every = if self.first.is_empty() { 4.0 } else { 2.0 };
        let fewer = (self.rest.get() / self.own.get()).clamp(1.0, FEWER);
        let is_due = !self.is_empty() && self.turns as f64 >= every * fewer;
        if is_due {
            self.turns = 0;
        }
        is_due
    }
}

impl Wish {
    /// `None` when the text does not fit, or is there.
    fn input(&self) -> Option<InputVector> {
        let mut input = (*self.parent).clone();
        if self.compared.stream == VALUES {
            replace_in_array(&mut input, &self.compared)?;
        } else {
            let mut streams = input.streams.iter_mut();
            let stream = streams.find(|stream| stream.id == self.compared.stream)?;
            replace_in_stream(stream, &self.compared)?;
        }
        (input != *self.parent).then_some(input)
    }
}

fn replace_in_stream(stream: &mut Stream, compared: &Compared) -> Option<()> {
    let (first, length) = (compared.first as usize, compared.length as usize);
    let fits = first + compared.wanted.len() <= stream.max as usize;
    if stream.role.is_count() || !fits || first + length > stream.bytes.len() {
        return None;
    }
    let wanted = compared.wanted.iter().copied();
    stream.bytes.splice(first..first + length, wanted);
    stream.fit();
    Some(())
}

/// In the elements of an array of bytes, which keeps its length.
fn replace_in_array(input: &mut InputVector, compared: &Compared) -> Option<()> {
    let (first, length) = (compared.first as usize, compared.length as usize);
    if !input.values.get(first)?.is_text() {
        return None;
    }
    let rest: Vec<_> = input.elements_from(first).collect();
    let mut bytes: Vec<u128> = rest.iter().map(|value| value.bits).collect();
    if length > bytes.len() || compared.wanted.len() > bytes.len() {
        return None;
    }
    let wanted = compared.wanted.iter().map(|&byte| byte.into());
    bytes.splice(0..length, wanted);
    bytes.resize(rest.len(), 0);
    for (value, bits) in rest.into_iter().zip(bytes) {
        value.bits = bits;
    }
    Some(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::input::{Role, Value, ValueKind};

    fn compared(stream: u32, first: u32, length: u32, wanted: &str) -> Compared {
        Compared {
            stream,
            first,
            length,
            wanted: wanted.as_bytes().into(),
        }
    }

    fn text(bytes: &str, min: u32, max: u32) -> InputVector {
        InputVector {
            values: Vec::new(),
            streams: vec![Stream {
                id: 1,
                role: Role::Stdin,
                name: "".into(),
                bytes: bytes.as_bytes().to_vec(),
                min,
                max,
                used: 0,
            }],
        }
    }

    fn all(input: &InputVector, compared: &[Compared]) -> Vec<String> {
        let mut matching = Matching::default();
        matching.note(input, compared, true);
        let made = std::iter::from_fn(|| matching.next());
        let shown = made.map(|input| match input.streams.first() {
            Some(stream) => String::from_utf8_lossy(&stream.bytes).into_owned(),
            None => input
                .values
                .iter()
                .map(|value| char::from(value.bits as u8))
                .collect(),
        });
        shown.collect()
    }

    #[test]
    fn the_rest_moves() {
        let line = text("[x]\nA=B\n", 0, 16);
        let wishes = [compared(1, 1, 1, "main"), compared(1, 4, 1, "level")];
        let made = all(&line, &wishes);
        assert_eq!(made, ["[main]\nA=B\n", "[x]\nlevel=B\n"]);
        // Too long: what stands behind is cut off, the text itself is not.
        assert_eq!(
            all(&line, &[compared(1, 4, 1, "verbosities")]),
            ["[x]\nverbosities="]
        );
        let none: [&str; 0] = [];
        assert_eq!(all(&line, &[compared(1, 6, 1, "verbosities")]), none);
        assert_eq!(all(&line, &[compared(1, 6, 9, "on")]), none);
        assert_eq!(all(&line, &[compared(2, 0, 1, "on")]), none);
        assert_eq!(all(&line, &[compared(1, 4, 1, "A")]), none);
    }

    #[test]
    fn a_stream_of_fixed_length_keeps_it() {
        let name = text("AAAA", 4, 4);
        assert_eq!(all(&name, &[compared(1, 0, 4, "on")]), ["on\0\0"]);
        assert_eq!(all(&name, &[compared(1, 0, 1, "no")]), ["noAA"]);
    }

    #[test]
    fn an_array_keeps_its_length() {
        let value = |(index, byte): (u32, u8)| Value {
            kind: ValueKind::I8,
            name: if index < 6 { "s" } else { "t" }.into(),
            element: Some(index % 6),
            c_type: "char".into(),
            bits: byte.into(),
        };
        let input = InputVector {
            values: (0..).zip(*b"ab\0cde123456").map(value).collect(),
            streams: Vec::new(),
        };
        assert_eq!(all(&input, &[compared(0, 0, 2, "yes")]), ["yes\0cd123456"]);
        assert_eq!(
            all(&input, &[compared(0, 3, 3, "x")]),
            ["ab\0x\x00\x00123456"]
        );
        let none: [&str; 0] = [];
        assert_eq!(all(&input, &[compared(0, 4, 1, "long")]), none);
    }

    /// Turns until the next input, of one text that is new.
    fn turns(matching: &mut Matching) -> usize {
        let fresh = compared(1, 0, 2, &matching.known.len().to_string());
        matching.note(&text("ab", 0, 8), &[fresh], false);
        let turns = (1..).find(|_| matching.is_due()).expect("a turn");
        assert!(matching.next().is_some());
        turns
    }

    #[test]
    fn what_finds_less_has_fewer_turns() {
        let mut matching = Matching::default();
        let other = text("else", 0, 8);
        let own = |matching: &Matching| matching.made.clone().expect("an input");
        assert_eq!(turns(&mut matching), 2);
        for _ in 0..100 {
            matching.credit(&other, true);
            let made = own(&matching);
            matching.credit(&made, false);
        }
        assert_eq!(turns(&mut matching), 32);
        for _ in 0..500 {
            let made = own(&matching);
            matching.credit(&made, true);
        }
        assert_eq!(turns(&mut matching), 2);
    }

    /// What nobody has asked for yet comes first, and nothing twice from one run.
    #[test]
    fn new_texts_come_first() {
        let input = text("ab", 0, 8);
        let mut matching = Matching::default();
        let (one, two) = (compared(1, 0, 2, "one"), compared(1, 0, 2, "two"));
        matching.note(&input, &[one.clone(), one.clone()], false);
        assert!(!matching.is_due() && matching.is_due());
        assert!(matching.next().is_some() && matching.next().is_none());
        matching.note(&input, &[one.clone(), two], true);
        let next = matching.next().expect("an input");
        assert_eq!(next.streams[0].bytes, b"two");
        assert!(matching.next().is_some() && matching.is_empty());
        matching.note(&input, &[one], false);
        assert!(matching.is_empty());
    }
}
