//! `mcdc`: every condition is shown to affect its decision independently (MC/DC).
//!
//! DO-178C asks for four things, and each is a goal: every function is entered and left in every way (entries and exits), every decision
//! has come out both ways, every condition has been true and false, and for each condition of a decision with several there are
//! two tests that differ in it and in what the decision comes to, and in no other condition that matters: see [`crate::vector`]
//! for the two rules, `--mcdc unique-cause` (what `llvm-cov` counts) and `--mcdc masking`. A pair takes the condition and the
//! decision both ways, but not the other way round: where conditions hang together there may be no pair, and yet outcomes that
//! tests can show. A decision with one condition has no others to hold still, so its outcomes are all there is to show. The labels of a
//! `switch` are outcomes too. Conditions that the compiler folds to a constant have no goals.
//!
//! Choose it where DO-178C level A or ISO 26262 ASIL D asks for it. The report shows each decision with its vectors, its
//! pairs, and what is missing; entries, exits and pairs have figures of their own, the last one being that of `llvm-cov`.
//!
//! Specification: DO-178C, glossary "Modified Condition/Decision Coverage"; Su et al., *Automated Coverage-Driven Test Data
//! Generation Using Dynamic Symbolic Execution*, definition 3; CAST-6 (masking); CAST-10 (what a decision is);
//! `MCDCRecordProcessor` in LLVM 19.

use std::collections::BTreeSet;

use crate::criterion::{Criterion, Source, branch, decision};
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
        "every condition affects its decision independently (--mcdc unique-cause or masking); outcomes, entries, exits"
    }

    fn unit(&self) -> &'static str {
        "goals"
    }

    fn wants_decisions(&self) -> bool {
        true
    }

    fn wants_exits(&self) -> bool {
        true
    }

    fn pairing(&self) -> Option<Pairing> {
        Some(self.pairing)
    }

    fn goals(&self, source: &Source<'_>, add: &mut dyn FnMut(u32, GoalKind, Evidence)) {
        for (region, counts) in deciding(source) {
            branch::outcomes(region, counts, add);
        }
        decision::combined(source, add);
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

/// The conditions and labels that decide something. Those of a decision that is a constant altogether (`a && 0`) do not, though
/// `llvm-cov` lists them: the compiler keeps them with `-fcoverage-mcdc` only.
fn deciding<'a>(source: &'a Source<'_>) -> impl Iterator<Item = (u32, [program::Counter; 2])> + 'a {
    let among: BTreeSet<u32> = decision::shown(source)
        .flat_map(|(id, ..)| &source.decisions.get(id).conditions)
        .map(|condition| condition.region)
        .collect();
    let single = source.decisions.single(source.number);
    source.branches().filter(move |(region, _)| {
        source.decisions.is_label(source.number, *region)
            || single.binary_search(region).is_ok()
            || among.contains(region)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sample;

    #[test]
    fn outcomes_and_pairs_are_goals() {
        let expected = [
            "2:1 true",
            "2:1 false",
            "3:1 true",
            "3:1 false",
            "4:1 true",
            "4:1 false",
            "6:1 true",
            "6:1 false",
            "3:1 decision true",
            "3:1 decision false",
            "3:1 independent",
            "4:1 independent",
        ];
        assert_eq!(sample::goals_of(&UNIQUE_CAUSE), expected);
        assert_eq!(sample::goals_of(&MASKING), expected);
    }
}
