//! `mcdc`: every condition is shown to affect its decision independently (MC/DC).
//!
//! For each condition two tests are wanted that differ in it and in what its decision comes to, and in no other condition that
//! matters: see [`crate::vector`] for the two rules, `--mcdc unique-cause` (what `llvm-cov` counts) and `--mcdc masking`. A
//! pair takes the condition and the decision both ways, so `condition-decision` follows. A decision with one condition wants it
//! true and false. Conditions that the compiler folds to a constant have no goals.
//!
//! Choose it where DO-178C level A or ISO 26262 ASIL D asks for it. The report shows each decision with its vectors, its
//! pairs, and what is missing.
//!
//! Specification: DO-178C, glossary "Modified Condition/Decision Coverage"; CAST-6 (masking); CAST-10 (what a decision is);
//! `MCDCRecordProcessor` in LLVM 19.

use crate::criterion::{Criterion, Source, decision};
use crate::goal::{Evidence, GoalKind};
use crate::vector::Pairing;

/// What the user types.
pub const NAME: &str = "mcdc";

/// Criterion `mcdc`: every condition is shown to affect its decision, by one rule for pairs.
pub struct Mcdc {
    pairing: Pairing,
}

/// Other conditions stay.
pub const UNIQUE_CAUSE: Mcdc = Mcdc {
    pairing: Pairing::UniqueCause,
};

/// Other conditions may change where that does not matter.
pub const MASKING: Mcdc = Mcdc {
    pairing: Pairing::Masking,
};

impl Criterion for Mcdc {
    fn name(&self) -> &'static str {
        NAME
    }

    fn summary(&self) -> &'static str {
        "every condition affects its decision independently (--mcdc unique-cause or masking)"
    }

    fn unit(&self) -> &'static str {
        "conditions"
    }

    fn wants_decisions(&self) -> bool {
        true
    }

    fn pairing(&self) -> Option<Pairing> {
        Some(self.pairing)
    }

    fn goals(&self, source: &Source<'_>, add: &mut dyn FnMut(u32, GoalKind, Evidence)) {
        for (region, counts) in source.single_decisions() {
            add(region, GoalKind::Independent, Evidence::Both(counts));
        }
        for (id, _, problem) in decision::shown(source) {
            let conditions = &source.decisions.get(id).conditions;
            for (condition, known) in (0_u16..).zip(conditions) {
                if known.folded {
                    continue;
                }
                let evidence = match problem {
                    None => Evidence::Pair {
                        decision: id,
                        condition,
                    },
                    Some(_) => Evidence::Nothing,
                };
                add(known.region, GoalKind::Independent, evidence);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sample;

    #[test]
    fn every_condition_is_a_goal() {
        let expected = ["2:1 independent", "3:1 independent", "4:1 independent"];
        assert_eq!(sample::goals_of(&UNIQUE_CAUSE), expected);
        assert_eq!(sample::goals_of(&MASKING), expected);
    }
}
