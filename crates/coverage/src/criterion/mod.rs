//! Criteria: what is to be covered. One file each, one line each in [`CRITERIA`].
//!
//! A criterion only names goals and what shows that they were met; it knows nothing of runs and searches.

pub mod branch;
pub mod condition;
pub mod condition_decision;
pub mod decision;
pub mod function;
pub mod lines;
pub mod mcdc;
pub mod statement;

use program::{FunctionCoverage, Program, RegionKind};

use crate::decisions::Decisions;
use crate::goal::{Evidence, GoalKind};
use crate::record::Shape;
use crate::scope::Lines;
use crate::target::Pick;
use crate::vector::Pairing;

/// A coverage criterion.
pub trait Criterion: Sync {
    /// What the user types.
    fn name(&self) -> &'static str;

    /// One line for lists of criteria.
    fn summary(&self) -> &'static str;

    /// What a goal is called in tables, in the plural ("branches").
    fn unit(&self) -> &'static str;

    /// Calls `add` with region, kind and evidence of each goal of a function record.
    fn goals(&self, source: &Source<'_>, add: &mut dyn FnMut(u32, GoalKind, Evidence));

    /// Its column in the summary of `llvm-cov`, if that has one.
    fn column(&self) -> Option<Column> {
        None
    }

    /// If it asks for pairs of vectors: by which rule.
    fn pairing(&self) -> Option<Pairing> {
        None
    }

    /// Is the entry of each function a goal as well, counted apart from its own? Not where entries are what it counts, or
    /// where it asks for a part of the program only.
    fn wants_entries(&self) -> bool {
        true
    }

    /// Does it ask for the exits of functions?
    fn wants_exits(&self) -> bool {
        false
    }

    /// Does it ask what decisions there are, so that clang's own mapping of them is wanted?
    fn wants_decisions(&self) -> bool {
        false
    }
}

/// A column in the summary of `llvm-cov`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Column {
    Branches,
    Functions,
    Regions,
}

/// What goals are made of: a function record.
pub struct Source<'a> {
    pub program: &'a Program,
    /// Its number in [`Program::coverage`].
    pub number: u32,
    pub record: &'a FunctionCoverage,
    pub shape: &'a Shape,
    pub decisions: &'a Decisions,
    /// For the criterion `lines`: which.
    pub lines: Option<&'a Lines>,
    /// For targets: which goals.
    pub picks: Option<&'a [Pick]>,
}

impl Source<'_> {
    /// The conditions and labels that `llvm-cov` counts, in its order: region, counts false and true.
    pub(crate) fn branches(&self) -> impl Iterator<Item = (u32, [program::Counter; 2])> {
        let regions = (0u32..).zip(&self.record.regions);
        regions.filter_map(|(number, region)| {
            let counts = [region.false_count()?, region.count];
            let shown = self.record.is_condition(number) && self.shape.is_shown(region.file);
            shown.then_some((number, counts))
        })
    }

    /// The conditions among them.
    pub(crate) fn conditions(&self) -> impl Iterator<Item = (u32, [program::Counter; 2])> {
        self.branches()
            .filter(|(region, _)| !self.decisions.is_label(self.number, *region))
    }

    /// Conditions that are decisions by themselves.
    pub(crate) fn single_decisions(&self) -> impl Iterator<Item = (u32, [program::Counter; 2])> {
        let single = self.decisions.single(self.number);
        self.conditions()
            .filter(|(region, _)| single.binary_search(region).is_ok())
    }

    /// The regions of code that `llvm-cov` counts, in its order.
    pub(crate) fn code(&self) -> impl Iterator<Item = (u32, &program::Region)> {
        let regions = (0u32..).zip(&self.record.regions);
        regions.filter(|(_, region)| region.kind == RegionKind::Code)
    }
}

/// Every criterion.
pub const CRITERIA: &[&dyn Criterion] = &[
    &branch::Branch,
    &condition::Condition,
    &condition_decision::ConditionDecision,
    &decision::Decision,
    &function::Function,
    &lines::LinesOf,
    &mcdc::UNIQUE_CAUSE,
    &statement::Statement,
];

/// The criterion of this name.
#[must_use]
pub fn by_name(name: &str) -> Option<&'static dyn Criterion> {
    CRITERIA
        .iter()
        .copied()
        .find(|criterion| criterion.name() == name)
}

/// The criterion of this name, with this rule for pairs if it is `mcdc`.
#[must_use]
pub fn with_pairing(name: &str, pairing: Pairing) -> Option<&'static dyn Criterion> {
    match (name, pairing) {
        (mcdc::NAME, Pairing::Masking) => Some(&mcdc::MASKING),
        _ => by_name(name),
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn the_registry_is_the_folder() {
        let registered = CRITERIA.iter().map(|criterion| criterion.name());
        let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/src/criterion");
        let entries = std::fs::read_dir(folder).expect("the folder of criteria");
        let names = entries.map(|entry| entry.expect("an entry").file_name());
        let names = names.map(|name| name.into_string().expect("a name"));
        let files: BTreeSet<String> = names
            .filter(|name| name != "mod.rs")
            .map(|name| name.trim_end_matches(".rs").replace('_', "-"))
            .collect();
        let registered: BTreeSet<String> = registered.map(str::to_owned).collect();
        assert_eq!(registered, files, "registry and folder differ");
    }

    #[test]
    fn criteria_are_found_by_name() {
        for criterion in CRITERIA {
            assert_eq!(
                by_name(criterion.name()).map(Criterion::name),
                Some(criterion.name())
            );
        }
        assert!(by_name("brunch").is_none());
    }
}
