//! Invariants of decisions: see [`crate::decision`].

use super::{VerifyError, check};
use crate::coverage::{FunctionCoverage, RegionKind};
use crate::decision::{Decision, MAX_CONDITIONS, Next};

pub(super) fn check_all(
    record: &FunctionCoverage,
    place: &dyn Fn() -> String,
) -> Result<(), VerifyError> {
    let mut taken = vec![false; record.regions.len()];
    for (number, decision) in record.decisions.iter().enumerate() {
        let fails = |holds: bool, message: &str| {
            check(holds, place, || format!("decision {number} {message}"))
        };
        fails(
            (decision.file as usize) < record.files.len(),
            "is in no file",
        )?;
        fails(decision.conditions.len() > 1, "has a single condition")?;
        for region in decision.regions() {
            let kind = record
                .regions
                .get(region as usize)
                .map(|region| region.kind);
            fails(
                kind.is_some_and(RegionKind::is_branch),
                "has a region that is no condition",
            )?;
            fails(
                !std::mem::replace(&mut taken[region as usize], true),
                "has a condition that stands in a decision already",
            )?;
        }
        if decision.problem.is_none() {
            fails(
                decision.conditions.len() <= MAX_CONDITIONS,
                "has too many conditions",
            )?;
            fails(
                goes_on(decision),
                "does not go from condition to later condition",
            )?;
        }
    }
    Ok(())
}

fn goes_on(decision: &Decision) -> bool {
    let count = decision.conditions.len();
    decision
        .conditions
        .iter()
        .enumerate()
        .all(|(at, condition)| {
            condition.next.iter().all(|next| match next {
                Next::End(_) => true,
                Next::Condition(next) => (at + 1..count).contains(&usize::from(*next)),
            })
        })
}
