//! The store of a campaign: what was found, as soon as it was found, in one SQLite file in the folder of the suite.
//!
//! Charter: texts in, texts out. Nothing here knows a program, a goal or a solver; nobody else knows SQL.
//!
//! Invariants:
//! - what a method has stored is there whatever becomes of the process (`kill -9`); of one call all is stored, or nothing;
//! - a test is never removed but with the whole store, so that no campaign loses what an earlier one found;
//! - there is one writer: a [`Lock`] on the folder says so, and goes with its process;
//! - a store of another version, or a damaged one, is refused in words and left as it is.

mod campaign;
mod error;
mod lock;
mod read;
mod schema;
#[cfg(test)]
mod tests;
mod write;

pub use campaign::{Figures, Settings, Verdict};
pub use error::{Error, Result};
pub use lock::{LOCK_NAME, Lock};
pub use read::{Goal, Reader, State, StoredTest};
pub use schema::{FILE_NAME, FILES, VERSION};
pub use write::{Store, Test};
