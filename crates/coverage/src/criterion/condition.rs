//! `condition`: both values of every condition.
//!
//! Each condition of an `if`, a loop, a `?:` and each operand of `&&` and `||` is to be true in some test and false in some
//! test. It is `branch` without the labels of `switch`, which are no conditions. A condition that the compiler folds to a
//! constant has no goals.
//!
//! Choose it together with `decision`, as `condition-decision`: by itself it does not ask that an `if` goes both ways
//! (`a && b` is covered by *true, false* and *false, true*).
//!
//! Specification: "condition coverage" in Myers, *The Art of Software Testing*, chapter 4; CAST-10, section 2.

use crate::criterion::{Criterion, Source, branch};
use crate::goal::{Evidence, GoalKind};

/// Criterion `condition`: both values of every condition.
pub struct Condition;

impl Criterion for Condition {
    fn name(&self) -> &'static str {
        "condition"
    }

    fn summary(&self) -> &'static str {
        "both values of every condition; labels of a switch do not count"
    }

    fn unit(&self) -> &'static str {
        "condition values"
    }

    fn goals(&self, source: &Source<'_>, add: &mut dyn FnMut(u32, GoalKind, Evidence)) {
        for (region, counts) in source.conditions() {
            branch::outcomes(region, counts, add);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sample;

    #[test]
    fn labels_are_no_conditions() {
        assert_eq!(sample::goals_of(&Condition), sample::CONDITIONS);
    }
}
