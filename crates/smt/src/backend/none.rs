//! No decision procedure at all.
//!
//! When to choose it: to see what the layers in front of a backend do alone, or on a machine without Z3.

use super::{Backend, Budget, Entry, RawAnswer};
use crate::{Pool, Term};

/// The registry's entry.
pub const ENTRY: Entry = Entry {
    name: "none",
    summary: "no decision procedure",
    new: || Ok(Box::new(None)),
};

/// Answers "unknown".
#[derive(Debug)]
pub struct None;

impl Backend for None {
    fn name(&self) -> &'static str {
        ENTRY.name
    }

    fn check(&mut self, _: &Pool, _: &[Term], _: Budget) -> RawAnswer {
        RawAnswer::Unknown("no backend".to_owned())
    }
}
