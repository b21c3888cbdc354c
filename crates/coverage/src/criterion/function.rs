//! `function`: every function is entered.
//!
//! Choose it for a first look at a large program, or for smoke tests.
//!
//! Specification: `FunctionCoverageInfo` in `llvm-cov` 19; "every point of entry" in DO-178C, table A-7.

use crate::criterion::{Column, Criterion, Source};
use crate::goal::{Evidence, GoalKind};

/// Criterion `function`: every function is entered.
pub struct Function;

impl Criterion for Function {
    fn name(&self) -> &'static str {
        "function"
    }

    fn summary(&self) -> &'static str {
        "every function is entered, as llvm-cov counts functions"
    }

    fn unit(&self) -> &'static str {
        "functions"
    }

    fn column(&self) -> Option<Column> {
        Some(Column::Functions)
    }

    fn wants_entries(&self) -> bool {
        false
    }

    fn goals(&self, source: &Source<'_>, add: &mut dyn FnMut(u32, GoalKind, Evidence)) {
        if let Some(first) = source.record.regions.first() {
            add(0, GoalKind::Reached, Evidence::Count(first.count));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sample;

    #[test]
    fn a_function_is_one_goal() {
        assert_eq!(sample::goals_of(&Function), ["1:1 reached"]);
    }
}
