//! Inputs that wait for their turn: an input of an earlier run with a part of it replaced, longer or shorter as it may be.
//! Where there is no room for that, lines at the start of the input make it.
//!
//! Those for something that was not wished for before come first. Wishes of one kind have every n-th turn, and fewer when they
//! find less than the other runs do.
//!
//! Must hold: the order depends on nothing but the runs.

use std::collections::VecDeque;
use std::sync::Arc;

use crate::pace::{Pace, Rule};
use crate::source::{Proposal, Scene, Told, Turn};
use path::vars::VALUES;
use path::{InputVector, Stream, Value};

/// Inputs that wait, of the new and of the others.
const MOST: usize = 1 << 14;
/// Values of an input that is made longer.
const MOST_VALUES: usize = 1 << 16;
/// Other bytes in place of some of an input.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Splice {
    /// Number of the stream, 0 for values.
    pub(crate) stream: u32,
    /// Position of the first byte that goes, or number of the first value.
    pub(crate) first: u32,
    /// Bytes that go.
    pub(crate) length: u32,
    /// What comes in their place.
    pub(crate) bytes: Box<[u8]>,
}

/// Values of the value stream once more, behind themselves; those behind move.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Again {
    /// Number of the first value.
    pub(crate) first: u32,
    /// How many values.
    pub(crate) length: u32,
    /// How often, besides the first time.
    pub(crate) times: u32,
}

/// What is done to an input.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Change {
    Splice(Splice),
    Again(Again),
    /// These values in place of all.
    Values(Box<[Value]>),
}

/// An input that can be made.
#[derive(Debug)]
struct Wish {
    parent: Arc<InputVector>,
    change: Change,
}

/// A queue of inputs to be run, with its share of the turns.
#[derive(Debug)]
pub(crate) struct Wishes {
    first: VecDeque<Wish>,
    others: VecDeque<Wish>,
    /// Turns for one while there are new ones, and when there are none.
    every: [f64; 2],
    pace: Pace,
    /// The input that was made last.
    made: Option<InputVector>,
}

impl Wishes {
    pub(crate) fn new(every: [f64; 2], rule: Rule) -> Wishes {
        Wishes {
            first: VecDeque::new(),
            others: VecDeque::new(),
            every,
            pace: Pace::new(rule),
            made: None,
        }
    }

    /// `is_new`: nothing like it was wished for before.
    pub(crate) fn add(&mut self, parent: &Arc<InputVector>, change: Change, is_new: bool) {
        let queue = if is_new {
            &mut self.first
        } else {
            &mut self.others
        };
        if queue.len() < MOST {
            queue.push_back(Wish {
                parent: Arc::clone(parent),
                change,
            });
        }
    }

    /// One that comes before all others.
    pub(crate) fn add_first(&mut self, parent: &Arc<InputVector>, change: Change) {
        self.first.push_front(Wish {
            parent: Arc::clone(parent),
            change,
        });
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

    /// What a source of these gives to a slice of runs without expressions.
    pub(crate) fn glance(&mut self, turn: Turn) -> Option<InputVector> {
        (turn == Turn::Regular).then(|| self.next()).flatten()
    }

    /// What became of a job, of one of these or not.
    pub(crate) fn told(&mut self, told: &Told<'_>) {
        if let (Some(input), true) = (told.input, told.ran) {
            self.credit(input, told.is_new);
        }
    }

    /// An input was run, one of these or not, and found something new or not.
    fn credit(&mut self, input: &InputVector, is_new: bool) {
        self.pace.credit(self.made.as_ref() == Some(input), is_new);
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.first.is_empty() && self.others.is_empty()
    }

    /// Whether the next turn is one of these.
    pub(crate) fn is_due(&mut self) -> bool {
        let every = self.every[usize::from(self.first.is_empty())];
        self.pace.is_due(every, !self.is_empty())
    }

    /// What a source of these proposes: an input that was not run yet, or a slice in which they are run without expressions.
    pub(crate) fn propose(&mut self, scene: &Scene<'_>, turn: Turn) -> Option<Proposal> {
        let wanted = match turn {
            Turn::Regular => self.is_due(),
            Turn::Last => !self.is_empty(),
            Turn::First | Turn::Spare | Turn::Stuck => false,
        };
        if wanted && scene.slices {
            return Some(Proposal::Slice);
        }
        let input = wanted.then(|| scene.fresh(|| self.next())).flatten();
        input.map(Proposal::Input)
    }
}

impl Wish {
    /// `None` when the bytes do not fit, or are there.
    fn input(&self) -> Option<InputVector> {
        let mut input = (*self.parent).clone();
        match &self.change {
            Change::Again(again) => repeat(&mut input, *again)?,
            Change::Values(values) if values.len() > MOST_VALUES => return None,
            Change::Values(values) => input.values = values.to_vec(),
            Change::Splice(splice) if splice.stream == VALUES => {
                let first = input.values.get(splice.first as usize)?;
                match first.element {
                    Some(_) => replace_in_array(&mut input, splice)?,
                    None => replace_in_values(&mut input, splice)?,
                }
            }
            Change::Splice(splice) => {
                let mut streams = input.streams.iter_mut();
                let stream = streams.find(|stream| stream.id == splice.stream)?;
                replace_in_stream(stream, splice)?;
            }
        }
        (input != *self.parent).then_some(input)
    }
}

fn replace_in_stream(stream: &mut Stream, splice: &Splice) -> Option<()> {
    let (mut first, length) = (splice.first as usize, splice.length as usize);
    if stream.role.is_count() || first + length > stream.bytes.len() {
        return None;
    }
    let excess = (first + splice.bytes.len()).saturating_sub(stream.max as usize);
    if excess > 0 {
        let gone = lines(&stream.bytes[..first], excess)?;
        stream.bytes.drain(..gone);
        first -= gone;
    }
    let wanted = splice.bytes.iter().copied();
    stream.bytes.splice(first..first + length, wanted);
    stream.fit();
    Some(())
}

/// Length of the fewest whole lines at the start of a text that are so many bytes: what is most often of least use for what
/// comes later.
fn lines(text: &[u8], bytes: usize) -> Option<usize> {
    let mut ends = (0..text.len()).filter(|&at| text[at] == b'\n');
    ends.find(|end| end + 1 >= bytes).map(|end| end + 1)
}

/// The program asks for values one by one and gives each its type, so only the bits count.
fn repeat(input: &mut InputVector, again: Again) -> Option<()> {
    let (first, end) = (again.first as usize, (again.first + again.length) as usize);
    let part = input.values.get(first..end)?;
    let times = again.times as usize;
    if part.len() * times + input.values.len() > MOST_VALUES {
        return None;
    }
    let more: Vec<_> = part
        .iter()
        .cycle()
        .take(part.len() * times)
        .cloned()
        .collect();
    input.values.splice(end..end, more);
    Some(())
}

/// In the elements of an array of bytes, which keeps its length.
fn replace_in_array(input: &mut InputVector, splice: &Splice) -> Option<()> {
    let (first, length) = (splice.first as usize, splice.length as usize);
    if !input.values.get(first)?.is_text() {
        return None;
    }
    let rest: Vec<_> = input.elements_from(first).collect();
    let mut bytes: Vec<u128> = rest.iter().map(|value| value.bits).collect();
    if length > bytes.len() || splice.bytes.len() > bytes.len() {
        return None;
    }
    let wanted = splice.bytes.iter().map(|&byte| byte.into());
    bytes.splice(0..length, wanted);
    bytes.resize(rest.len(), 0);
    for (value, bits) in rest.into_iter().zip(bytes) {
        value.bits = bits;
    }
    Some(())
}

/// Among values that the program asks for one by one, a character each; those behind move.
fn replace_in_values(input: &mut InputVector, splice: &Splice) -> Option<()> {
    let (first, end) = (
        splice.first as usize,
        (splice.first + splice.length) as usize,
    );
    let part = input.values.get(first..end)?;
    let model = part.first()?.clone();
    let is_alone = |value: &Value| value.element.is_none() && value.kind == model.kind;
    if !part.iter().all(is_alone) || input.values.len() + splice.bytes.len() > MOST_VALUES {
        return None;
    }
    let wanted = splice.bytes.iter().map(|&byte| Value {
        bits: byte.into(),
        ..model.clone()
    });
    input.values.splice(first..end, wanted);
    Some(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use path::{Role, ValueType};

    fn splice(stream: u32, first: u32, length: u32, bytes: &str) -> Splice {
        Splice {
            stream,
            first,
            length,
            bytes: bytes.as_bytes().into(),
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

    fn wishes() -> Wishes {
        Wishes::new([2.0, 4.0], Rule::USUAL)
    }

    fn all(input: &InputVector, splices: &[Splice]) -> Vec<String> {
        let mut wishes = wishes();
        let parent = Arc::new(input.clone());
        for splice in splices {
            wishes.add(&parent, Change::Splice(splice.clone()), true);
        }
        let made = std::iter::from_fn(|| wishes.next());
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
        let wishes = [splice(1, 1, 1, "main"), splice(1, 4, 1, "level")];
        let made = all(&line, &wishes);
        assert_eq!(made, ["[main]\nA=B\n", "[x]\nlevel=B\n"]);
        assert_eq!(all(&line, &[splice(1, 5, 0, "AA")]), ["[x]\nAAA=B\n"]);
        // Too long: what stands behind is cut off, the text itself is not.
        assert_eq!(
            all(&line, &[splice(1, 4, 1, "verbosities")]),
            ["[x]\nverbosities="]
        );
        // Lines before it make room.
        assert_eq!(
            all(&line, &[splice(1, 6, 1, "verbosities")]),
            ["A=verbosities\n"]
        );
        let none: [&str; 0] = [];
        assert_eq!(all(&line, &[splice(1, 1, 1, "0123456789abcdef")]), none);
        assert_eq!(all(&line, &[splice(1, 6, 9, "on")]), none);
        assert_eq!(all(&line, &[splice(2, 0, 1, "on")]), none);
        assert_eq!(all(&line, &[splice(1, 4, 1, "A")]), none);
    }

    #[test]
    fn a_stream_of_fixed_length_keeps_it() {
        let name = text("AAAA", 4, 4);
        assert_eq!(all(&name, &[splice(1, 0, 4, "on")]), ["on\0\0"]);
        assert_eq!(all(&name, &[splice(1, 0, 1, "no")]), ["noAA"]);
    }

    #[test]
    fn an_array_keeps_its_length() {
        let value = |(index, byte): (u32, u8)| Value {
            kind: ValueType::I8,
            name: if index < 6 { "s" } else { "t" }.into(),
            element: Some(index % 6),
            c_type: "char".into(),
            bits: byte.into(),
        };
        let input = InputVector {
            values: (0..).zip(*b"ab\0cde123456").map(value).collect(),
            streams: Vec::new(),
        };
        assert_eq!(all(&input, &[splice(0, 0, 2, "yes")]), ["yes\0cd123456"]);
        assert_eq!(
            all(&input, &[splice(0, 3, 3, "x")]),
            ["ab\0x\x00\x00123456"]
        );
        let none: [&str; 0] = [];
        assert_eq!(all(&input, &[splice(0, 4, 1, "long")]), none);
    }

    #[test]
    fn values_are_repeated_behind_themselves() {
        let value = |bits: u128| Value {
            kind: ValueType::I32,
            name: "".into(),
            element: None,
            c_type: "int".into(),
            bits,
        };
        let parent = Arc::new(InputVector {
            values: [7, 1, 2, 9].map(value).into(),
            streams: Vec::new(),
        });
        let made = |first, length, times| {
            let mut wishes = wishes();
            let again = Again {
                first,
                length,
                times,
            };
            wishes.add(&parent, Change::Again(again), true);
            let bits = |input: InputVector| input.values.iter().map(|value| value.bits).collect();
            wishes.next().map(bits)
        };
        assert_eq!(made(1, 2, 2), Some(vec![7, 1, 2, 1, 2, 1, 2, 9]));
        assert_eq!(made(3, 2, 1), None);
        assert_eq!(made(0, 4, 1 << 20), None);
    }

    /// Turns until the next input, of one that is new.
    fn turns(wishes: &mut Wishes, text: &InputVector, number: u32) -> usize {
        let fresh = splice(1, 0, 2, &number.to_string());
        wishes.add(&Arc::new(text.clone()), Change::Splice(fresh), true);
        let turns = (1..).find(|_| wishes.is_due()).expect("a turn");
        assert!(wishes.next().is_some());
        turns
    }

    /// `getchar` may be a function of the program that asks for an `int`.
    #[test]
    fn text_goes_among_values_that_are_asked_for_one_by_one() {
        let value = |bits: u8| Value {
            kind: ValueType::I32,
            name: "".into(),
            element: None,
            c_type: "int".into(),
            bits: bits.into(),
        };
        let input = InputVector {
            values: b"ax;".iter().copied().map(value).collect(),
            streams: Vec::new(),
        };
        let splices = [splice(VALUES, 1, 1, "key"), splice(VALUES, 3, 1, "key")];
        assert_eq!(all(&input, &splices), ["akey;"]);
    }

    #[test]
    fn what_finds_less_has_fewer_turns() {
        let mut wishes = wishes();
        let (parent, other) = (text("ab", 0, 8), text("else", 0, 8));
        let own = |wishes: &Wishes| wishes.made.clone().expect("an input");
        assert_eq!(turns(&mut wishes, &parent, 0), 2);
        for _ in 0..100 {
            wishes.credit(&other, true);
            let made = own(&wishes);
            wishes.credit(&made, false);
        }
        assert_eq!(turns(&mut wishes, &parent, 1), 32);
        for _ in 0..500 {
            let made = own(&wishes);
            wishes.credit(&made, true);
        }
        assert_eq!(turns(&mut wishes, &parent, 2), 2);
    }
}
