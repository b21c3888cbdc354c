//! What functions of the C library do with what is known: texts, numbers, options.
//!
//! Must hold: a result is one that every C library gives; what is written elsewhere is not known behind the call.

use program::getopt;
use program::outside::{self, Effect, Result as Returns};
use program::{Operand, Type, ValueId};
use semantics::Value;
use smt::Term;

use super::memory::{Kind, MOST};
use super::{Next, Opening, State};

/// Bytes of the table of classes in front of that of the letter 0.
pub const BEFORE: u64 = 256;

/// Longest text that is looked at.
const LONGEST: usize = 4096;

/// The classes of a character, as the table of `__ctype_b_loc` has them.
pub fn classes(letter: u8) -> u16 {
    let is_space = letter == b' ' || (9..=13).contains(&letter);
    let all = [
        (letter.is_ascii_uppercase(), 0x100),
        (letter.is_ascii_lowercase(), 0x200),
        (letter.is_ascii_alphabetic(), 0x400),
        (letter.is_ascii_digit(), 0x800),
        (letter.is_ascii_hexdigit(), 0x1000),
        (is_space, 0x2000),
        ((32..127).contains(&letter), 0x4000),
        (letter.is_ascii_graphic(), 0x8000),
        (matches!(letter, b' ' | b'\t'), 0x1),
        (letter.is_ascii_control(), 0x2),
        (letter.is_ascii_punctuation(), 0x4),
        (letter.is_ascii_alphanumeric(), 0x8),
    ];
    all.iter().filter(|(is, _)| *is).map(|(_, bit)| bit).sum()
}

impl Opening<'_> {
    /// A function without a body is called; its result is set.
    pub(super) fn library(
        &mut self,
        way: &mut State,
        value: ValueId,
        (name, args): (&str, &[Operand]),
    ) -> Next {
        let known: Vec<Option<Value>> = args.iter().map(|arg| self.operand(way, arg)).collect();
        let known: Vec<Option<Term>> = known
            .into_iter()
            .map(|value| value.and_then(|value| value.scalar()))
            .collect();
        let Some(frame) = way.frames.last() else {
            return Next::Over;
        };
        let body = &self.program.functions[frame.function];
        let bits = semantics::width(&self.program.layout, &body.values[value].ty);
        if let Some(is_long) = getopt::family(name) {
            return self.getopt(way, value, (&known, is_long));
        }
        let result = self.computes(way, name, &known);
        if let Some(result) = result {
            let fits = bits == Some(self.pool.width(result));
            Self::set(way, value, fits.then_some(Value::Scalar(result)));
            return self.copies(way, name, &known);
        }
        let at = |known: Option<Term>| known.map(Value::Scalar);
        let first = known.first().copied().flatten();
        let (result, next) = match self.outside.effect(name) {
            Effect::NoReturn => return Next::End,
            Effect::Assume => return Next::Over,
            Effect::Keeps | Effect::Unknown if self.leaves_alone(name, &known) => (None, Next::On),
            Effect::Keeps | Effect::Unknown => match self.one_written(name) {
                Some(written) => {
                    let all = written.into_iter();
                    (None, self.spoil_args(way, (args, &known), all))
                }
                None => return self.pass_over(way, value),
            },
            Effect::Pure => (None, Next::On),
            Effect::Reads(Returns::First) => (at(first), Next::On),
            Effect::Reads(_) => (None, Next::On),
            Effect::Writes(returns) => {
                let is_pointer = |arg: &Operand| body.operand_type(arg) == Type::Ptr;
                let given = || {
                    (0..args.len())
                        .filter(|at| is_pointer(&args[*at]))
                        .collect()
                };
                let written = self.one_written(name).map(Vec::from_iter);
                let written = written.unwrap_or_else(given).into_iter();
                let next = self.spoil_args(way, (args, &known), written);
                let result = (returns == Returns::First).then(|| at(first)).flatten();
                (result, next)
            }
            Effect::Allocates(zeroed) => {
                let size = match name {
                    "malloc" => first.and_then(|size| self.pool.as_const(size)),
                    _ => None,
                };
                let size = size.and_then(|size| u64::try_from(size).ok());
                let made = self.object(Kind::Heap(size, zeroed));
                way.memory.begin(made);
                (at(Some(self.address(made))), Next::On)
            }
            Effect::Reallocates => {
                let made = self.object(Kind::Heap(None, false));
                (at(Some(self.address(made))), Next::On)
            }
            Effect::OwnNumber => {
                let own = self.only(Kind::Own);
                (at(Some(self.address(own))), Next::On)
            }
            Effect::Parses => {
                let end = known.get(1).copied().flatten();
                let is_null = end.is_some_and(|end| self.pool.as_const(end) == Some(0));
                let end = end.and_then(|end| self.place_of(end));
                let next = match is_null {
                    true => Next::On,
                    false => self.spoil(way, end, args.get(1)),
                };
                (None, next)
            }
        };
        Self::set(way, value, result);
        next
    }

    /// Does a function do nothing with these arguments, whatever it does with others?
    fn leaves_alone(&self, name: &str, known: &[Option<Term>]) -> bool {
        let second = known.get(1).copied().flatten();
        let is_number = second.is_some_and(|term| self.pool.as_const(term).is_some());
        // To ignore a signal, or to leave it as it is; to have no buffer.
        is_number && matches!(name, "signal" | "setvbuf" | "setbuf")
    }

    /// Which argument's object a function writes to, or none, where it writes to no other.
    fn one_written(&self, name: &str) -> Option<Option<usize>> {
        let prints = outside::format(name).is_some();
        let written = self.outside.written(name)?;
        (!(prints && self.counts_output)).then_some(written)
    }

    /// Something is written to the objects of some arguments.
    fn spoil_args(
        &mut self,
        way: &mut State,
        (args, known): (&[Operand], &[Option<Term>]),
        written: impl Iterator<Item = usize>,
    ) -> Next {
        for at in written {
            let place = known.get(at).copied().flatten();
            // Numbers lead nowhere.
            if place.is_some_and(|place| self.pool.as_const(place).is_some()) {
                continue;
            }
            let place = place.and_then(|place| self.place_of(place));
            let next = self.spoil(way, place, args.get(at));
            if !matches!(next, Next::On) {
                return next;
            }
        }
        Next::On
    }

    /// What is written by functions whose arguments are known; others write nothing.
    fn copies(&mut self, way: &mut State, name: &str, known: &[Option<Term>]) -> Next {
        if !matches!(name, "strcpy" | "strcat") {
            return Next::On;
        }
        let at = |index: usize| known.get(index).copied().flatten();
        let to = at(0).and_then(|to| self.place_of(to));
        let text = at(1).and_then(|from| self.text(way, from));
        let (Some((object, offset)), Some(text)) = (to, text) else {
            return Next::Over;
        };
        let before = match name {
            "strcat" => match at(0).and_then(|to| self.text(way, to)) {
                Some(before) => before.len(),
                None => return Next::Over,
            },
            _ => 0,
        };
        let mut bytes = Vec::new();
        for byte in text.into_iter().chain([0]) {
            bytes.push(Some(self.pool.constant(8, u128::from(byte))));
        }
        let place = (object, offset + before as i64);
        self.write(&mut way.memory, place, &bytes)
    }

    /// The text at an address, if it is known.
    pub(super) fn text(&mut self, way: &State, address: Term) -> Option<Vec<u8>> {
        let (object, at) = self.place_of(address)?;
        let mut text = Vec::new();
        while text.len() < LONGEST {
            let place = (object, at.checked_add(text.len() as i64)?);
            let byte = self.read(&way.memory, place, 1)?;
            match self.pool.as_const(byte[0])? {
                0 => return Some(text),
                byte => text.push(byte as u8),
            }
        }
        None
    }

    /// The result of a function that is known by its arguments.
    fn computes(&mut self, way: &State, name: &str, known: &[Option<Term>]) -> Option<Term> {
        let at = |index: usize| known.get(index).copied().flatten();
        let first = at(0);
        match name {
            "__ctype_b_loc" if self.is_plain_locale => {
                let table = self.only(Kind::ClassesAt);
                return Some(self.address(table));
            }
            "strcpy" | "strcat" => {
                self.text(way, at(1)?)?;
                if name == "strcat" {
                    self.text(way, first?)?;
                }
                return first;
            }
            "strlen" => {
                let text = self.text(way, first?)?;
                return Some(self.pool.constant(64, text.len() as u128));
            }
            "strcasecmp" | "strncasecmp" if !self.is_plain_locale => return None,
            "strcmp" | "strcasecmp" => {
                let (a, b) = (self.text(way, first?)?, self.text(way, at(1)?)?);
                return Some(self.order(name, &a, &b));
            }
            "strncmp" | "strncasecmp" => {
                let most = usize::try_from(self.pool.as_const(at(2)?)?).ok()?;
                let (a, b) = (self.text(way, first?)?, self.text(way, at(1)?)?);
                let (a, b) = (&a[..a.len().min(most)], &b[..b.len().min(most)]);
                return Some(self.order(name, a, b));
            }
            "strchr" | "strrchr" => {
                let text = self.text(way, first?)?;
                let letter = self.pool.as_const(at(1)?)? as u8;
                let found = match (name, letter) {
                    (_, 0) => Some(text.len()),
                    ("strchr", _) => text.iter().position(|byte| *byte == letter),
                    _ => text.iter().rposition(|byte| *byte == letter),
                };
                return Some(self.within(first?, found));
            }
            "strstr" => {
                let (text, part) = (self.text(way, first?)?, self.text(way, at(1)?)?);
                let found = match part.is_empty() {
                    true => Some(0),
                    false => text.windows(part.len()).position(|own| *own == part),
                };
                return Some(self.within(first?, found));
            }
            "atoi" | "atol" => {
                let text = self.text(way, first?)?;
                let number = decimal(&text)?;
                let bits = if name == "atoi" { 32 } else { 64 };
                return Some(self.pool.constant(bits, i128::from(number).cast_unsigned()));
            }
            _ => {}
        }
        let letter = u8::try_from(self.pool.as_const(first?)?).ok()?;
        if !self.is_plain_locale || !letter.is_ascii() {
            return None;
        }
        let number = match name {
            "toupper" => u128::from(letter.to_ascii_uppercase()),
            "tolower" => u128::from(letter.to_ascii_lowercase()),
            _ => return None,
        };
        Some(self.pool.constant(32, number))
    }

    /// A place so many bytes behind an address, or null.
    fn within(&mut self, address: Term, at: Option<usize>) -> Term {
        match at {
            Some(at) => {
                let at = self.pool.constant(64, at as u128);
                self.pool.bin(smt::Op::Add, address, at)
            }
            None => self.pool.constant(64, 0),
        }
    }

    /// How two texts compare: by its sign alone where they differ.
    fn order(&mut self, name: &str, a: &[u8], b: &[u8]) -> Term {
        let is_exact = name == "strcmp" || name == "strncmp";
        let folded = |text: &[u8]| match is_exact {
            true => text.to_vec(),
            false => text.to_ascii_lowercase(),
        };
        match folded(a).cmp(&folded(b)) {
            std::cmp::Ordering::Equal => self.pool.constant(32, 0),
            order => {
                // Another number each time.
                let sign = self.object(Kind::Sign(order == std::cmp::Ordering::Less));
                self.address(sign)
            }
        }
    }
}

/// The number that a text begins with, if it has few digits.
fn decimal(text: &[u8]) -> Option<i64> {
    let is_space = |byte: &&u8| **byte == b' ' || (9..=13).contains(*byte);
    let rest = &text[text.iter().take_while(is_space).count()..];
    let (is_negative, rest) = match rest {
        [b'-', rest @ ..] => (true, rest),
        [b'+', rest @ ..] => (false, rest),
        _ => (false, rest),
    };
    let digits = rest.iter().take_while(|byte| byte.is_ascii_digit()).count();
    if digits > 9 {
        return None;
    }
    let number = rest[..digits]
        .iter()
        .fold(0, |number, byte| number * 10 + i64::from(byte - b'0'));
    Some(if is_negative { -number } else { number })
}

/// So that a text is never longer than what may be copied.
const _: () = assert!(LONGEST < MOST);
