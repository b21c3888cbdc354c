//! One test: the values that the program asks for, in order, and the content of its streams.

use serde::{Deserialize, Serialize};
use wire::input::ValueType;

use crate::suite::Outcome;
use coverage::goal::GoalId;

/// One value.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Value {
    /// Name that the program gave it; empty when it gave none.
    pub name: String,
    pub kind: ValueType,
    /// Index in the array of that name, if it is an element of one.
    pub element: Option<u32>,
    /// C spelling of its type, for values of `__VERIFIER_nondet_*`; else empty.
    pub c_type: String,
    /// What the value means, for readers: `a new struct node`, the name of an enumerator; mostly empty.
    pub meaning: String,
    /// The bits, zero-extended.
    pub bits: u128,
}

impl Value {
    /// The value in C: integers decimal, floats in the shortest decimal form that reads back the same.
    #[must_use]
    pub fn decimal(&self) -> String {
        match self.kind {
            ValueType::F32 => format!("{:?}", f32::from_bits(self.bits as u32)).to_lowercase(),
            ValueType::F64 => format!("{:?}", f64::from_bits(self.bits as u64)).to_lowercase(),
            kind if kind.is_signed() => kind.sign_extend(self.bits).to_string(),
            kind => (self.bits & kind.mask()).to_string(),
        }
    }
}

/// A byte stream: standard input, an argument, a variable, a file.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Stream {
    /// Name of the stream; `stdin` is standard input, see [`crate::suite::invocation`] for the others.
    pub name: String,
    pub bytes: Vec<u8>,
}

/// A goal, as people and the manifest name it.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct GoalLabel {
    /// Path of the source file, as the compiler wrote it.
    pub file: String,
    pub line: u32,
    pub col: u32,
    /// `true` or `false`, or what else the criterion wants.
    pub side: String,
}

impl std::fmt::Display for GoalLabel {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}:{}:{} {}", self.file, self.line, self.col, self.side)
    }
}

/// One test.
#[derive(Clone, Debug, PartialEq)]
pub struct Test {
    /// Counts from 1.
    pub number: u32,
    /// In the order of the calls.
    pub values: Vec<Value>,
    pub streams: Vec<Stream>,
    /// Environment variables that must not be set, as `env:NAME`.
    pub unset: Vec<String>,
    pub outcome: Outcome,
    /// Goals that it covers and no test before it does.
    pub goals: Vec<GoalId>,
    /// The same, as they are printed. Same length and order as `goals`, where these are known.
    pub covers: Vec<GoalLabel>,
    /// How many goals it and the tests before it cover, counted as in the report.
    pub covered: u32,
    /// The fault that it shows, and the test that it was minimised from, for people.
    pub remarks: Vec<String>,
    /// Was `reach_error` called?
    pub covers_error: bool,
    /// The iteration of the campaign that found it, from 1.
    pub iteration: u64,
    /// When, in seconds from the start.
    pub seconds: f64,
}

impl Test {
    /// A test with these inputs about which nothing else is known (it was read from a file).
    #[must_use]
    pub const fn new(number: u32, values: Vec<Value>, streams: Vec<Stream>) -> Test {
        Test {
            number,
            values,
            streams,
            unset: Vec::new(),
            outcome: Outcome::Exited(0),
            goals: Vec::new(),
            covers: Vec::new(),
            covered: 0,
            remarks: Vec::new(),
            covers_error: false,
            iteration: 0,
            seconds: 0.0,
        }
    }

    /// Name of its file.
    #[must_use]
    pub fn file_name(&self) -> String {
        format!("test-{:04}.test", self.number)
    }

    /// Path of its file in a suite, relative to the manifest.
    #[must_use]
    pub fn path(&self) -> String {
        format!("tests/{}", self.file_name())
    }
}
