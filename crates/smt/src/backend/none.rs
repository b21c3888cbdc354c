//! No decision procedure at all.
//!
//! When to choose it: to see what the layers in front of a backend do alone, or on a machine without Z3.

use super::{Backend, Budget, Entry, RawAnswer};
use crate::check::{RawVerdict, Scoped, Steps, Why};
use crate::horn::{HornBackend, RawHorn, System};
use crate::{Pool, Term};

const WHY: &str = "no backend";

/// The registry's entry.
pub const ENTRY: Entry = Entry {
    name: "none",
    summary: "no decision procedure",
    new: || Ok(Box::new(None)),
    checker: || Ok(Box::new(None)),
    horn: || Ok(Box::new(None)),
    decides: false,
};

/// Answers "unknown".
#[derive(Debug)]
pub struct None;

impl Backend for None {
    fn name(&self) -> &'static str {
        ENTRY.name
    }

    fn check(&mut self, _: &Pool, _: &[Term], _: Budget) -> RawAnswer {
        RawAnswer::Unknown(WHY.to_owned())
    }
}

impl Scoped for None {
    fn push(&mut self) {}

    fn pop(&mut self) {}

    fn assert(&mut self, _: &Pool, _: Term) {}

    fn check(&mut self, _: &Pool, _: &[Term], _: Steps) -> RawVerdict {
        RawVerdict::Unknown(Why::GaveUp(WHY.to_owned()))
    }

    fn spent(&self) -> Steps {
        Steps(0)
    }
}

impl HornBackend for None {
    fn solve(&mut self, _: &mut Pool, _: &System, _: Steps) -> RawHorn {
        RawHorn::Unknown(Why::GaveUp(WHY.to_owned()))
    }
}
