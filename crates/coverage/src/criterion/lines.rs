//! `lines`: the code and the conditions of some lines, and nothing else: `lines:FILE:A-B`.
//!
//! Goals are the regions of code that a line from A to B of FILE stands in (the innermost ones), and both outcomes of every
//! condition and label that starts there. What a macro is expanded to stands where it is used. All other goals count as
//! covered, so paths that cannot come near are not explored.
//!
//! Choose it to test a change: the lines of a patch.
//!
//! Specification: the remark on regression testing in Su et al., *Automated Coverage-Driven Test Data Generation Using
//! Dynamic Symbolic Execution*, section III-B.

use crate::criterion::{Criterion, Source, branch};
use crate::goal::{Evidence, GoalKind};

/// Criterion `lines:FILE:A-B`: the code and the conditions in these lines.
pub struct LinesOf;

/// What the user types.
pub const NAME: &str = "lines";

impl Criterion for LinesOf {
    fn name(&self) -> &'static str {
        NAME
    }

    fn summary(&self) -> &'static str {
        "code and conditions of some lines only: lines:FILE:A-B"
    }

    fn unit(&self) -> &'static str {
        "goals"
    }

    fn wants_entries(&self) -> bool {
        false
    }

    fn goals(&self, source: &Source<'_>, add: &mut dyn FnMut(u32, GoalKind, Evidence)) {
        let code = |region: u32| {
            source
                .lines
                .is_none_or(|lines| lines.has_code(source.record, source.shape, region))
        };
        for (number, region) in source.code().filter(|(number, _)| code(*number)) {
            add(number, GoalKind::Reached, Evidence::Count(region.count));
        }
        let start = |region: u32| {
            source
                .lines
                .is_none_or(|lines| lines.has_start(source.record, source.shape, region))
        };
        for (region, counts) in source.branches().filter(|(region, _)| start(*region)) {
            branch::outcomes(region, counts, add);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sample;

    #[test]
    fn only_what_stands_in_the_lines_counts() {
        assert_eq!(
            sample::goals_in(&LinesOf, 5, 6),
            ["5:1 reached", "6:1 true", "6:1 false"]
        );
    }
}
