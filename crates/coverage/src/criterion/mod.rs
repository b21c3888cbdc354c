//! Criteria: what is to be covered. One file each, one line each in [`CRITERIA`].
//!
//! A criterion only names goals and what shows that they were met; it knows nothing of runs and searches.

pub mod branch;

use program::{FunctionCoverage, Program};

use crate::goal::{Evidence, GoalKind};
use crate::record::Shape;

/// A coverage criterion.
pub trait Criterion: Sync {
    /// What the user types.
    fn name(&self) -> &'static str;

    /// One line for lists of criteria.
    fn summary(&self) -> &'static str;

    /// What a goal is called in tables, in the plural ("branches").
    fn unit(&self) -> &'static str;

    /// Calls `add` with region, kind and evidence of each goal of a function record, in the order of its regions.
    fn goals(
        &self,
        program: &Program,
        record: &FunctionCoverage,
        shape: &Shape,
        add: &mut dyn FnMut(u32, GoalKind, Evidence),
    );
}

/// Every criterion.
pub const CRITERIA: &[&dyn Criterion] = &[&branch::Branch];

/// The criterion of this name.
#[must_use]
pub fn by_name(name: &str) -> Option<&'static dyn Criterion> {
    CRITERIA
        .iter()
        .copied()
        .find(|criterion| criterion.name() == name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_registry_is_the_folder() {
        let registered = CRITERIA.iter().map(|criterion| criterion.name());
        crate::sample::check_folder("src/criterion", registered);
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
