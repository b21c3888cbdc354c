//! `decision`: both outcomes of every decision.
//!
//! A decision is a condition, or several that are combined with `&&`, `||` and `!`, wherever it stands: in an `if`, a loop, a
//! `?:`, an assignment, an argument, a `return`. Each is to be true in some test and false in some test. A decision within a
//! condition of another one (`a && f(b || c)`) has goals of its own. Labels of `switch` are none.
//!
//! Choose it where `&&` and `||` count as one test: `branch` is stronger.
//!
//! Specification: DO-178C, glossary "Decision Coverage"; CAST-10.

use program::decision::Problem;

use crate::criterion::{Criterion, Source};
use crate::decisions::DecisionId;
use crate::goal::{Evidence, GoalKind, Side};

/// Criterion `decision`: both outcomes of every decision.
pub struct Decision;

impl Criterion for Decision {
    fn name(&self) -> &'static str {
        "decision"
    }

    fn summary(&self) -> &'static str {
        "both outcomes of every decision, however many conditions it has"
    }

    fn unit(&self) -> &'static str {
        "decision outcomes"
    }

    fn wants_decisions(&self) -> bool {
        true
    }

    fn goals(&self, source: &Source<'_>, add: &mut dyn FnMut(u32, GoalKind, Evidence)) {
        for (region, counts) in source.single_decisions() {
            for side in [Side::True, Side::False] {
                let count = counts[side.number() as usize];
                add(region, GoalKind::Decision(side), Evidence::Count(count));
            }
        }
        combined(source, add);
    }
}

/// The outcomes of decisions with several conditions.
pub(super) fn combined(source: &Source<'_>, add: &mut dyn FnMut(u32, GoalKind, Evidence)) {
    for (decision, region, problem) in shown(source) {
        for side in [Side::True, Side::False] {
            let evidence = match problem {
                None => Evidence::Decided { decision, side },
                Some(_) => Evidence::Nothing,
            };
            add(region, GoalKind::Decision(side), evidence);
        }
    }
}

/// The decisions of a record that count, with the region of their first condition.
pub(crate) fn shown(
    source: &Source<'_>,
) -> impl Iterator<Item = (DecisionId, u32, Option<Problem>)> {
    source.decisions.of_record(source.number).filter_map(|id| {
        let decision = source.decisions.get(id);
        let first = decision.conditions.get(usize::from(decision.first))?;
        let file = source.record.regions[first.region as usize].file;
        let shown = source.shape.is_shown(file);
        shown.then_some((id, first.region, decision.problem))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sample;

    #[test]
    fn several_conditions_are_one_decision() {
        assert_eq!(sample::goals_of(&Decision), sample::DECISIONS);
    }
}
