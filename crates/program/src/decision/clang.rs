//! Decisions as clang's mapping gives them (`-fcoverage-mcdc`).
//!
//! A decision region has a range and a number of conditions; its conditions are the branch regions with a number that
//! stand in it, or are expanded into it (`MCDCDecisionRecorder` in LLVM 19's `CoverageMapping.cpp`). Where a condition is the
//! last one the decision is what it is: clang takes no decision with `!` around an operator.

use super::{Condition, Decision, MAX_CONDITIONS, Next, Origin, Problem};
use crate::coverage::{FunctionCoverage, Region, RegionKind};
use crate::model::Program;
use crate::place::SourceRange;

/// The decisions of a record.
#[must_use]
pub fn decisions(record: &FunctionCoverage) -> Vec<Decision> {
    let mut found = Vec::new();
    let mut taken = vec![false; record.regions.len()];
    for region in &record.regions {
        if let RegionKind::McdcDecision { conditions, .. } = region.kind {
            found.extend(decision(record, region, conditions, &mut taken));
        }
    }
    found
}

/// Takes clang's decisions over from the same sources compiled with `-fcoverage-mcdc`: records are joined by name, hash and
/// files. They come before what the control flow shows of the same conditions. Returns the names of records that `from` does not
/// have as they are here: their sources have changed.
pub fn adopt(program: &mut Program, from: &Program) -> Vec<String> {
    let mut changed = Vec::new();
    let files = program.files.clone();
    for record in &mut program.coverage {
        let paths = |files: &[String], numbers: &[u32]| {
            let path = |number: &u32| files.get(*number as usize).cloned();
            numbers.iter().map(path).collect::<Vec<_>>()
        };
        let same = from.coverage.iter().find(|other| {
            (&other.name, other.hash) == (&record.name, record.hash)
                && paths(&from.files, &other.files) == paths(&files, &record.files)
        });
        let Some(same) = same.filter(|same| places(same) == places(record)) else {
            let own = record
                .function
                .is_some_and(|function| !program.functions[function].library);
            if own {
                changed.push(record.name.clone());
            }
            continue;
        };
        let (ours, theirs) = (branches(record), branches(same));
        let here = |region: u32| {
            let at = theirs.iter().position(|other| *other == region);
            at.map_or(region, |at| ours[at])
        };
        for mut decision in decisions(same) {
            for condition in &mut decision.conditions {
                condition.region = here(condition.region);
            }
            let shared = |other: &Decision| {
                other
                    .regions()
                    .any(|region| decision.regions().any(|own| own == region))
            };
            record.decisions.retain(|other| !shared(other));
            record.decisions.push(decision);
        }
        let left = super::shape::unreadable(record);
        record.decisions.extend(left);
        record
            .decisions
            .sort_by_key(|decision| (decision.file, decision.range));
    }
    changed
}

/// Numbers of the branch regions of a record.
fn branches(record: &FunctionCoverage) -> Vec<u32> {
    let regions = (0u32..).zip(&record.regions);
    let branches = regions.filter(|(_, region)| region.kind.is_branch());
    branches.map(|(number, _)| number).collect()
}

/// Their places.
fn places(record: &FunctionCoverage) -> Vec<(u32, SourceRange)> {
    let place = |number: u32| {
        let region = &record.regions[number as usize];
        (region.file, region.range)
    };
    branches(record).into_iter().map(place).collect()
}

fn decision(
    record: &FunctionCoverage,
    decision: &Region,
    count: u16,
    taken: &mut [bool],
) -> Option<Decision> {
    let mut members: Vec<Option<Condition>> = vec![None; usize::from(count)];
    let mut regions = Vec::new();
    for (index, region) in record.regions.iter().enumerate() {
        let RegionKind::McdcBranch {
            id,
            true_next,
            false_next,
            ..
        } = region.kind
        else {
            continue;
        };
        let Some(slot) = members.get_mut(usize::from(id)) else {
            continue;
        };
        if taken[index] || slot.is_some() || !stands_in(record, region, decision) {
            continue;
        }
        taken[index] = true;
        let next = |next: Option<u16>, value| next.map_or(Next::End(value), Next::Condition);
        let condition = Condition {
            region: u32::try_from(index).ok()?,
            next: [next(false_next, false), next(true_next, true)],
        };
        *slot = Some(condition);
        regions.push(condition);
    }
    let by_id: Vec<Condition> = members.into_iter().collect::<Option<_>>()?;
    let place = (decision.file, decision.range);
    let mut order: Vec<u32> = by_id.iter().map(|condition| condition.region).collect();
    if by_id.len() > MAX_CONDITIONS {
        order.sort_unstable();
        let problem = Problem::TooManyConditions;
        return Some(Decision::with_problem(problem, Origin::Clang, place, order));
    }
    Some(Decision {
        origin: Origin::Clang,
        problem: None,
        file: place.0,
        range: place.1,
        conditions: in_order(&by_id)?,
    })
}

/// clang numbers conditions by operators; evaluation goes from 0 on. Renumbers them so that each comes before those that
/// may follow it, as they stand in the source.
fn in_order(by_id: &[Condition]) -> Option<Vec<Condition>> {
    // In a short circuit one outcome of each condition but the last leads to its neighbour, so the longest chain from the
    // first condition visits all that stand before.
    let mut depth = vec![0_usize; by_id.len()];
    for _ in by_id {
        for (id, condition) in by_id.iter().enumerate() {
            for next in condition.next {
                if let Next::Condition(next) = next {
                    let deep = depth[id] + 1;
                    let slot = depth.get_mut(usize::from(next))?;
                    *slot = (*slot).max(deep);
                }
            }
        }
    }
    let mut order: Vec<usize> = (0..by_id.len()).collect();
    order.sort_by_key(|id| (depth[*id], by_id[*id].region));
    let mut place = vec![0_u16; by_id.len()];
    for (number, id) in (0_u16..).zip(&order) {
        place[*id] = number;
    }
    let renumbered = |id: &usize| {
        let next = by_id[*id].next.map(|next| match next {
            Next::Condition(next) => Next::Condition(place[usize::from(next)]),
            end => end,
        });
        Condition { next, ..by_id[*id] }
    };
    Some(order.iter().map(renumbered).collect())
}

/// Does a region stand in a decision's range, or is it expanded into it?
fn stands_in(record: &FunctionCoverage, region: &Region, decision: &Region) -> bool {
    let (mut file, mut range) = (region.file, region.range);
    for _ in 0..=record.files.len() {
        if file == decision.file {
            return contains(decision.range, range);
        }
        let outer = record
            .regions
            .iter()
            .find(|outer| outer.kind == RegionKind::Expansion { file });
        let Some(outer) = outer else { return false };
        (file, range) = (outer.file, outer.range);
    }
    false
}

/// Is a range within another?
fn contains(outer: SourceRange, inner: SourceRange) -> bool {
    (outer.line, outer.col) <= (inner.line, inner.col)
        && (inner.end_line, inner.end_col) <= (outer.end_line, outer.end_col)
}
