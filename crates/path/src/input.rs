//! Inputs of a run: one vector of named, typed, ordered values, and byte streams.
//!
//! Must hold: an [`InputVector`] says everything that a run depends on; two runs on equal vectors take the same path.

use std::sync::Arc;

use smt::Assignment;
use wire::input::ValueType;

use crate::vars::{LENGTH, VALUES, input_of, var_of};

/// One value that the program asked for.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Value {
    pub kind: ValueType,
    /// Name that the program gave it; empty when it gave none.
    pub name: Arc<str>,
    /// Index in an array of that name, if it is an element of one.
    pub element: Option<u32>,
    /// C spelling of the type (Test-Comp); empty when not known.
    pub c_type: Arc<str>,
    /// The bits, zero-extended.
    pub bits: u128,
}

impl Value {
    /// Is it an element of an array of bytes?
    #[must_use]
    pub fn is_text(&self) -> bool {
        matches!(self.kind, ValueType::I8 | ValueType::U8) && self.element.is_some()
    }
}

/// What a byte stream is to the program. See `wire::input::Role`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Role {
    /// Standard input.
    Stdin,
    /// Argument at this place of `argv`: the bytes up to the first 0.
    Argument(u32),
    /// How many arguments there are of those from this place on: the length alone counts.
    Arguments(u32),
    /// An environment variable: the bytes up to the first 0.
    Variable,
    /// Whether that environment variable is set: the length, 0 or 1, alone counts.
    VariableSet,
    /// A file.
    File,
    /// The bytes that a fuzz target is called with.
    Fuzz,
}

impl Role {
    /// Does the length alone mean something?
    #[must_use]
    pub const fn is_count(self) -> bool {
        matches!(self, Role::Arguments(_) | Role::VariableSet)
    }

    /// Is it a C string, rather than the content of a file?
    #[must_use]
    pub const fn is_string(self) -> bool {
        matches!(self, Role::Argument(_) | Role::Variable)
    }
}

/// The content of a byte stream.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Stream {
    /// Number of the stream, at least 1.
    pub id: u32,
    pub role: Role,
    /// Of the variable or the file.
    pub name: Arc<str>,
    pub bytes: Vec<u8>,
    /// Shortest length allowed, in bytes.
    pub min: u32,
    /// Longest length allowed; equal to `min` when the length is fixed.
    pub max: u32,
    /// Bytes that the program asked for (highest position + 1, end of file included).
    pub used: u32,
}

impl Stream {
    /// Cuts the content off, or adds zeros, so that its length is allowed.
    pub fn fit(&mut self) {
        self.bytes.truncate(self.max as usize);
        if self.bytes.len() < self.min as usize {
            self.bytes.resize(self.min as usize, 0);
        }
    }
}

/// Everything that a run depends on.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct InputVector {
    pub values: Vec<Value>,
    /// In rising order of their numbers.
    pub streams: Vec<Stream>,
}

impl InputVector {
    /// The inputs as an assignment of variables.
    #[must_use]
    pub fn assignment(&self) -> Assignment {
        let values = (0u32..)
            .zip(&self.values)
            .map(|(index, value)| (var_of(VALUES, index), value.bits));
        let streams = self.streams.iter().flat_map(|stream| {
            let bytes = (0u32..).zip(&stream.bytes);
            let length = (stream.min != stream.max).then_some((LENGTH, stream.bytes.len() as u128));
            bytes
                .map(|(index, byte)| (index, u128::from(*byte)))
                .chain(length)
                .map(|(index, bits)| (var_of(stream.id, index), bits))
        });
        values.chain(streams).collect()
    }

    /// The elements of an array, from this value on; none if it is no element of one.
    pub fn elements_from(&mut self, first: usize) -> impl Iterator<Item = &mut Value> {
        let rest = self.values.get_mut(first..).unwrap_or_default();
        let of = rest.first().map(|head| (head.name.clone(), head.kind));
        rest.iter_mut().take_while(move |value| {
            let same = of
                .as_ref()
                .is_some_and(|(name, kind)| value.name == *name && value.kind == *kind);
            same && value.element.is_some()
        })
    }

    /// The same with text in every array of bytes and every stream: one long line, then short lines (in strings, letters
    /// only). Programs that read
    /// text give up on zeros at once; behind letters lie the loops and comparisons that they are made of, and what a
    /// second line does is far from what the first one needs.
    pub fn texts(&self) -> impl Iterator<Item = InputVector> + '_ {
        const LETTER: u8 = b'A';
        const SHORT: usize = 8;
        let filled = |line: usize| {
            let mut text = self.clone();
            for value in &mut text.values {
                if value.is_text() {
                    value.bits = LETTER.into();
                }
            }
            for stream in &mut text.streams {
                if stream.role.is_count() {
                    continue;
                }
                let text = !stream.role.is_string();
                let last = stream.bytes.len().wrapping_sub(1);
                for (index, byte) in stream.bytes.iter_mut().enumerate() {
                    let ends = index == last || index % line == line - 1;
                    *byte = if ends && text { b'\n' } else { LETTER };
                }
            }
            text
        };
        [usize::MAX, SHORT].into_iter().map(filled)
    }

    /// The vector that an assignment describes. Names, types and limits are those of `self`; a value that `self`
    /// does not have cannot be in a path condition of its run and is left out.
    #[must_use]
    pub fn with(&self, assignment: &Assignment) -> InputVector {
        let mut next = self.clone();
        for stream in &mut next.streams {
            if stream.min != stream.max {
                let wanted = assignment.get(var_of(stream.id, LENGTH));
                let length = wanted.clamp(u128::from(stream.min), u128::from(stream.max));
                stream.bytes.resize(length as usize, 0);
            }
        }
        for (var, bits) in assignment.iter() {
            let (stream, index) = input_of(var);
            if stream == VALUES {
                if let Some(value) = next.values.get_mut(index as usize) {
                    value.bits = bits & value.kind.mask();
                }
            } else if let Some(content) =
                next.streams.iter_mut().find(|content| content.id == stream)
                && let Some(byte) = content.bytes.get_mut(index as usize)
            {
                *byte = bits as u8;
            }
        }
        next
    }
}
