//! A suite: the tests that a campaign kept, and what they belong to.
//!
//! Invariants: a test is complete (values and streams are all that a run depends on); its text form gives the same
//! test back; no clock: dates and times are given.

pub mod invocation;
pub mod lexeme;
pub mod manifest;
pub mod outcome;
pub mod test;
pub mod text;

pub use invocation::{Invocation, InvocationError};
pub use manifest::{Change, Manifest, ManifestError, ManifestTest, Source, sha256};
pub use outcome::Outcome;
pub use test::{GoalLabel, Stream, Test, Value};
pub use text::ParseError;
pub use wire::input::ValueType;

/// Everything that suite formats render.
#[derive(Clone, Debug, PartialEq)]
pub struct Suite {
    /// What it belongs to; its `tests` are those of `tests`, and [`Suite::new`] fills them in.
    pub manifest: Manifest,
    pub tests: Vec<Test>,
    /// Name of the program, for people and for Test-Comp's `programfile`.
    pub program: String,
}

impl Suite {
    /// A suite of these tests, in this order; the manifest lists them.
    #[must_use]
    pub fn new(mut manifest: Manifest, tests: Vec<Test>, program: impl Into<String>) -> Suite {
        manifest.tests = tests.iter().map(ManifestTest::of).collect();
        Suite {
            manifest,
            tests,
            program: program.into(),
        }
    }
}
