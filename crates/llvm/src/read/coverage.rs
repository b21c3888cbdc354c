//! The coverage mapping of a module, joined with its functions; source ranges of sites.

use program::decision::{self, Decision};
use program::outcome_edges::ConditionOutcomes;
use program::{FuncId, FunctionCoverage, Loc, Program, SiteKind};

use super::{Files, Source};
use crate::Error;
use crate::covmap::{self, Raw, RawHeader, RawRecord};
use crate::ir::Value;
use crate::number;

/// Adds a module's mapping to the program. Records with the name of another one stay, unless they are empty: the linker
/// keeps only the first, but functions with the same name and hash share their counters in the profile.
pub fn read(source: &Source, program: &mut Program, files: &mut Files) -> Result<(), Error> {
    let raw = raw(source);
    let decoded =
        covmap::decode(&raw, &mut |path| files.intern(program, path)).map_err(|error| {
            Error::Coverage {
                module: source.meta.name.clone(),
                detail: error.to_string(),
            }
        })?;
    let profiled = profiled(source);
    for mut function in decoded {
        if let Some((_, id, counters)) = profiled.iter().find(|(name, ..)| *name == function.name) {
            function.function = Some(*id);
            function.counters = function.counters.max(*counters);
        }
        let same = program
            .coverage
            .iter_mut()
            .find(|old| old.name == function.name);
        match same {
            Some(old) if is_empty(old) => *old = function,
            Some(_) if is_empty(&function) => {}
            _ => program.coverage.push(function),
        }
    }
    Ok(())
}

/// A record of a function that was seen but not used: clang writes one region that never ran.
fn is_empty(function: &FunctionCoverage) -> bool {
    function.hash == 0
        && function.regions.len() == 1
        && function.regions[0].count == program::Counter::Zero
}

/// Profile name, id and number of counters of each function that has counters.
fn profiled(source: &Source) -> Vec<(String, FuncId, u32)> {
    let mut list = Vec::new();
    for (index, function) in source.numbering.functions.iter().enumerate() {
        let mut calls = function.instructions();
        let is_counter = |call: &Value| {
            number::counter_of(*call).is_some() || number::select_condition(*call).is_some()
        };
        let Some(call) = calls.find(is_counter) else {
            continue;
        };
        let name = call
            .operand(0)
            .initializer()
            .and_then(text)
            .unwrap_or_default();
        let id = FuncId::from_u32(source.first_function.as_u32() + index as u32);
        let counters = call.operand(2).as_int().unwrap_or(0);
        list.push((
            String::from_utf8_lossy(&name).into_owned(),
            id,
            counters as u32,
        ));
    }
    list
}

/// Takes the bytes of the mapping from the module's globals.
fn raw(source: &Source) -> Raw {
    let mut raw = Raw::default();
    for global in source.module.globals() {
        let Some(value) = global.initializer() else {
            continue;
        };
        let name = global.name();
        if name.starts_with("__llvm_coverage_mapping") {
            raw.headers.extend(header(value));
        } else if name.starts_with("__covrec_") {
            raw.records.extend(record(value));
        } else if name.starts_with("__profn_") {
            raw.names.extend(text(value));
        }
    }
    raw
}

fn header(value: Value) -> Option<RawHeader> {
    let version = value.member(0)?.member(3)?.as_int()?;
    Some(RawHeader {
        version: version as u32,
        filenames: text(value.member(1)?)?,
    })
}

fn record(value: Value) -> Option<RawRecord> {
    let number = |index| value.member(index)?.as_int();
    Some(RawRecord {
        name: number(0)?,
        hash: number(2)?,
        filenames: number(3)?,
        data: text(value.member(4)?)?,
    })
}

/// Bytes of an array of `i8`.
fn text(value: Value) -> Option<Vec<u8>> {
    if value.is_null() {
        return Some(vec![0; usize::try_from(value.ty().len()).ok()?]);
    }
    value.data()
}

/// Finds the decisions, and gives each site the place of its condition in the source; a `switch` keeps its own. Decisions
/// come first: where a branch stands says whether an operator follows.
pub fn conditions(program: &mut Program) {
    let outcomes = ConditionOutcomes::new(program);
    let found: Vec<_> = (0..program.coverage.len())
        .map(|index| decisions(program, index, &outcomes))
        .collect();
    for (record, decisions) in program.coverage.iter_mut().zip(found) {
        record.decisions = decisions;
        let left = decision::shape::unreadable(record);
        record.decisions.extend(left);
    }
    place_sites(program, &outcomes);
}

fn decisions(program: &Program, index: usize, outcomes: &ConditionOutcomes) -> Vec<Decision> {
    let record = &program.coverage[index];
    let mut decisions = decision::clang::decisions(record);
    let branches = |site| program.sites[site].loc;
    let outcomes = outcomes.of_function(index);
    decisions.extend(decision::shape::decisions(
        program, record, outcomes, &decisions, &branches,
    ));
    decisions.sort_by_key(|decision| (decision.file, decision.range));
    decisions
}

fn place_sites(program: &mut Program, outcomes: &ConditionOutcomes) {
    let mut placed = vec![false; program.sites.len()];
    for condition in &outcomes.conditions {
        let Some(site) = condition.site else { continue };
        let data = &mut program.sites[site];
        if data.kind == SiteKind::Probe || matches!(data.kind, SiteKind::Switch { .. }) {
            continue;
        }
        if std::mem::replace(&mut placed[site.index()], true) {
            continue;
        }
        let range = condition.range;
        data.loc = Some(Loc {
            file: condition.file,
            line: range.line,
            col: range.col,
        });
        data.range = Some(range);
    }
}
