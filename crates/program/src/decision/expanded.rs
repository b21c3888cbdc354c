//! Decisions in the text of macros, as the same sources show them once the preprocessor has been over them.
//!
//! In a macro all branches stand where it is expanded, so the control flow does not say what belongs together ([`super::shape`]). In
//! the preprocessor's output each condition has a place of its own. It is the same code: functions are joined by name and
//! hash, conditions by what they count, which is different for each that is evaluated by itself.

use std::collections::BTreeMap;

use super::{Condition, Decision};
use crate::coverage::FunctionCoverage;
use crate::id::ModuleId;
use crate::model::Program;

/// How often a condition is false, is true: over profile counters.
type Counts = [BTreeMap<u32, i64>; 2];

/// The modules that have decisions whose evaluations cannot be followed because they stand in macros.
pub fn wanted(program: &Program) -> impl Iterator<Item = ModuleId> + '_ {
    program.modules.keys().filter(|module| {
        let mut records = program.coverage.iter();
        records
            .any(|record| is_of(program, record, *module) && record.decisions.iter().any(is_open))
    })
}

/// Takes decisions over from `from`, the module's source preprocessed: those of whose conditions none is in a decision that can be
/// followed.
pub fn adopt(program: &mut Program, module: ModuleId, from: &Program) {
    let mut records = std::mem::take(&mut program.coverage);
    for record in &mut records {
        if !is_of(program, record, module) || !record.decisions.iter().any(is_open) {
            continue;
        }
        let name = |program: &Program, record: &FunctionCoverage| {
            let function = record.function?;
            Some(program.functions[function].name.clone())
        };
        let same = from
            .coverage
            .iter()
            .find(|other| other.hash == record.hash && name(from, other) == name(program, record));
        if let Some(same) = same {
            adopt_record(record, same);
        }
    }
    program.coverage = records;
}

fn is_of(program: &Program, record: &FunctionCoverage, module: ModuleId) -> bool {
    let function = record
        .function
        .and_then(|function| program.functions.get(function));
    function.is_some_and(|function| function.module == module && !function.library)
}

fn is_open(decision: &Decision) -> bool {
    decision.problem == Some(super::Problem::Unreadable)
}

fn adopt_record(record: &mut FunctionCoverage, from: &FunctionCoverage) {
    let (ours, theirs) = (by_counts(record), by_counts(from));
    let here: BTreeMap<u32, u32> = theirs
        .into_iter()
        .filter_map(|(counts, region)| Some((region?, (*ours.get(&counts)?)?)))
        .collect();
    for decision in from
        .decisions
        .iter()
        .filter(|known| known.problem.is_none())
    {
        let moved = |condition: &Condition| {
            let region = *here.get(&condition.region)?;
            Some(Condition {
                region,
                ..*condition
            })
        };
        let conditions: Option<Vec<Condition>> = decision.conditions.iter().map(moved).collect();
        let Some(conditions) = conditions else {
            continue;
        };
        let first = &record.regions[conditions[0].region as usize];
        let adopted = Decision {
            file: first.file,
            range: first.range,
            conditions,
            ..decision.clone()
        };
        let shares = |other: &Decision| {
            let mut regions = other.regions();
            regions.any(|region| adopted.regions().any(|own| own == region))
        };
        if record
            .decisions
            .iter()
            .any(|other| other.problem.is_none() && shares(other))
        {
            continue;
        }
        record.decisions.retain(|other| !shares(other));
        record.decisions.push(adopted);
    }
    record
        .decisions
        .sort_by_key(|decision| (decision.file, decision.range));
}

/// The conditions of a record by what they count; `None` where several count the same.
fn by_counts(record: &FunctionCoverage) -> BTreeMap<Counts, Option<u32>> {
    let order = record.evaluation_order().unwrap_or_default();
    let mut found: BTreeMap<Counts, Option<u32>> = BTreeMap::new();
    for region in (0_u32..record.regions.len() as u32).filter(|at| record.is_condition(*at)) {
        let known = &record.regions[region as usize];
        let Some(no) = known.false_count() else {
            continue;
        };
        let counts = [no, known.count].map(|counter| record.summands(&order, counter));
        found
            .entry(counts)
            .and_modify(|region| *region = None)
            .or_insert(Some(region));
    }
    found
}
