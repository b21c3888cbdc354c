//! `condition-decision`: both values of every condition, and both outcomes of every decision.
//!
//! What `condition` and `decision` ask for, together; a decision with one condition counts once.
//!
//! Choose it where a standard asks for C/DC, or as a step on the way to `mcdc`.
//!
//! Specification: DO-178C, glossary "Condition/Decision Coverage"; CAST-10.

use crate::criterion::{Criterion, Source, branch, decision};
use crate::goal::{Evidence, GoalKind};

/// Criterion `condition-decision`: `condition` and `decision` together.
pub struct ConditionDecision;

impl Criterion for ConditionDecision {
    fn name(&self) -> &'static str {
        "condition-decision"
    }

    fn summary(&self) -> &'static str {
        "both values of every condition and both outcomes of every decision"
    }

    fn unit(&self) -> &'static str {
        "outcomes"
    }

    fn wants_decisions(&self) -> bool {
        true
    }

    fn goals(&self, source: &Source<'_>, add: &mut dyn FnMut(u32, GoalKind, Evidence)) {
        for (region, counts) in source.conditions() {
            branch::outcomes(region, counts, add);
        }
        decision::combined(source, add);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sample;

    #[test]
    fn single_conditions_count_once() {
        let expected = [sample::CONDITIONS, &sample::DECISIONS[2..]].concat();
        assert_eq!(sample::goals_of(&ConditionDecision), expected);
    }
}
