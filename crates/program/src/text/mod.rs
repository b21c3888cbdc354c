//! The text form of the model: readable, deterministic, and complete: `parse(print(program)) == program`.
//!
//! ```text
//! layout 64 little
//! file0 "abs.c"
//! extern0 @puts(ptr) -> i32
//! global0 @limit size 4 align 4 = x"64000000"
//! module0 "abs.c" uid 0x2a
//!
//! fn0 @abs(v0: i32) -> i32 counters {0} at file0:1:5 {
//! block0:
//!   v1: i1 = icmp slt v0, i32 0 at file0:2:9
//!   br v1, block1, block2 [site0 in 2:7..2:12: edge0 false, edge1 true {1}]
//! block1:
//!   v2: i32 = sub i32 0, v0
//!   ret v2
//! block2:
//!   ret v0
//! }
//! ```
//!
//! Line ends mean nothing, `;` is white space, `//` starts a comment. What a person need not write:
//! - the header lines; a function without a module before it gets one;
//! - numbers of functions, sites, edges and spots: they count up in the order of the text;
//! - sites altogether: a branch without one gets the next;
//! - the result type, where the operands give it, and the type of a constant, where another operand gives it;
//! - the number of an instruction without a result: the unnamed ones take the numbers that are left, in order.
//!
//! A condition that does not matter is `undef`.

mod body;
mod cursor;
mod decisions;
mod inst;
mod lex;
mod operand;
mod parse;
mod parser;
mod print;
mod print_op;
mod range;
mod regions;
#[cfg(test)]
mod tests;

use std::fmt;
use std::str::FromStr;

use crate::model::Program;
use crate::verify::{self, VerifyError};

pub use parse::parse;
pub(crate) use print::print_type;
pub use print::{print, print_function};

/// What is wrong with a text, and where.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{line}:{col}: {message}")]
pub struct ParseError {
    /// From 1.
    pub line: u32,
    /// In characters, from 1.
    pub col: u32,
    pub message: String,
}

/// Why a text is no program.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum TextError {
    #[error(transparent)]
    Parse(#[from] ParseError),
    /// Well written, but no valid model.
    #[error(transparent)]
    Verify(#[from] VerifyError),
}

impl FromStr for Program {
    type Err = TextError;

    /// Parses and verifies.
    fn from_str(text: &str) -> Result<Program, TextError> {
        let program = parse(text)?;
        verify::verify(&program)?;
        Ok(program)
    }
}

/// The program that a test has as a text: a good one, or the test ends here.
#[doc(hidden)]
#[must_use]
pub fn sample(text: &str) -> Program {
    text.parse()
        .unwrap_or_else(|error| panic!("{error}\n{text}"))
}

impl fmt::Display for Program {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&print(self))
    }
}
