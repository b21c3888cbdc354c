//! `branch`: both outcomes of every condition.
//!
//! Each condition of an `if`, a loop, a `?:` and each operand of `&&` and `||` in a condition or in a value is to be
//! true in some test and false in some test. Each `case` label, and the implicit default of a `switch` without one,
//! counts as a condition too ("the switch went here"). Every expansion of a macro has goals of its own. A condition
//! that the compiler folds to a constant has none.
//!
//! Choose it when in doubt: it is what `llvm-cov` calls branch coverage, and the totals are the same as its totals.
//!
//! Specification: `sumBranches` in `llvm-cov` 19.

use program::Counter;

use crate::criterion::{Column, Criterion, Source};
use crate::goal::{Evidence, GoalKind, Side};

/// Criterion `branch`: both outcomes of every condition and of every `switch` label.
pub struct Branch;

impl Criterion for Branch {
    fn name(&self) -> &'static str {
        "branch"
    }

    fn summary(&self) -> &'static str {
        "both outcomes of every condition and every case label, as llvm-cov counts branches"
    }

    fn unit(&self) -> &'static str {
        "branches"
    }

    fn column(&self) -> Option<Column> {
        Some(Column::Branches)
    }

    fn goals(&self, source: &Source<'_>, add: &mut dyn FnMut(u32, GoalKind, Evidence)) {
        for (region, counts) in source.branches() {
            outcomes(region, counts, add);
        }
    }
}

/// The outcomes of a condition as goals, true first.
pub(super) fn outcomes(
    region: u32,
    counts: [Counter; 2],
    add: &mut dyn FnMut(u32, GoalKind, Evidence),
) {
    for side in [Side::True, Side::False] {
        let count = counts[side.number() as usize];
        add(region, GoalKind::Outcome(side), Evidence::Count(count));
    }
}

#[cfg(test)]
mod tests {
    use program::RegionKind;

    use super::*;
    use crate::Goals;
    use crate::sample::{Builder, Own, simple};

    #[test]
    fn folded_conditions_and_library_models_have_no_goals() {
        let mut builder = Builder::new();
        builder.function("main", 1, &["a.c"]);
        builder.region(0, (1, 1), RegionKind::Code, Counter::Counter(0));
        let zero = RegionKind::Branch {
            false_count: Counter::Zero,
        };
        builder.region(0, (2, 1), zero, Counter::Zero);
        builder.region(0, (3, 1), zero, Counter::Counter(0));
        let (strlen, ..) = simple(&mut builder, "strlen", 2, "model.c");
        builder.program.functions[strlen].library = true;
        let goals = Goals::new(&builder.program, &Own(Branch));
        let lines: Vec<u32> = goals
            .iter()
            .map(|(goal, _)| goals.place(goal).range.line)
            .collect();
        assert_eq!(lines, [3, 3]);
    }

    #[test]
    fn true_comes_before_false() {
        let mut builder = Builder::new();
        simple(&mut builder, "main", 1, "a.c");
        let goals = Goals::new(&builder.program, &Own(Branch));
        let sides: Vec<String> = goals
            .iter()
            .map(|(_, goal)| goal.kind.to_string())
            .collect();
        assert_eq!(sides, ["true", "false"]);
    }
}
