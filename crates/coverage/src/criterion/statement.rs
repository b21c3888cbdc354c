//! `statement`: all code runs.
//!
//! Goals are the regions of code of clang's coverage mapping: stretches of source that run equally often, so that a statement
//! is covered exactly when the region that it stands in is. Code that no counter belongs to (behind a `return`) has a goal that
//! nothing covers: it is dead.
//!
//! Choose it where a standard asks for statement coverage; `branch` covers it as well, except for code that is dead.
//!
//! Specification: `RegionCoverageInfo` in `llvm-cov` 19; DO-178C, glossary "Statement Coverage".

use crate::criterion::{Column, Criterion, Source};
use crate::goal::{Evidence, GoalKind};

/// Criterion `statement`: every region of code runs.
pub struct Statement;

impl Criterion for Statement {
    fn name(&self) -> &'static str {
        "statement"
    }

    fn summary(&self) -> &'static str {
        "all code runs, as llvm-cov counts regions"
    }

    fn unit(&self) -> &'static str {
        "regions"
    }

    fn column(&self) -> Option<Column> {
        Some(Column::Regions)
    }

    fn goals(&self, source: &Source<'_>, add: &mut dyn FnMut(u32, GoalKind, Evidence)) {
        for (number, region) in source.code() {
            add(number, GoalKind::Reached, Evidence::Count(region.count));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sample;

    #[test]
    fn regions_of_code_are_goals() {
        assert_eq!(sample::goals_of(&Statement), ["1:1 reached", "5:1 reached"]);
    }
}
