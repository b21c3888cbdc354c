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

use program::{Counter, FunctionCoverage, Program, RegionKind};

use crate::criterion::Criterion;
use crate::goal::{Evidence, GoalKind, Side};
use crate::record::Shape;

/// See the module.
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

    fn goals(
        &self,
        _program: &Program,
        record: &FunctionCoverage,
        shape: &Shape,
        add: &mut dyn FnMut(u32, GoalKind, Evidence),
    ) {
        for (number, region) in (0u32..).zip(&record.regions) {
            let (RegionKind::Branch { false_count } | RegionKind::McdcBranch { false_count, .. }) =
                region.kind
            else {
                continue;
            };
            let folded = region.count == Counter::Zero && false_count == Counter::Zero;
            if folded || !shape.is_shown(region.file) {
                continue;
            }
            for (side, count) in [(Side::True, region.count), (Side::False, false_count)] {
                add(number, GoalKind::Outcome(side), Evidence::Count(count));
            }
        }
    }
}
