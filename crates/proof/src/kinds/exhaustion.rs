//! `exhaustion`: every path within the declared inputs was explored, and none covers the goal.
//!
//! The sides of the tree were refuted over terms that runs made, which are not in the document: the checker cannot derive them
//! from the model alone, so such a certificate is never accepted as checked, and says so.

use coverage::GoalId;
use serde_json::Value;

use super::{Kind, Refusal};
use crate::check::Context;

/// The kind `exhaustion`.
pub struct Exhaustion;

/// Why such a certificate is not checked.
pub const WHY: &str = "the refuted sides of the tree are conditions of runs, which cannot be derived without the search";

impl Kind for Exhaustion {
    fn name(&self) -> &'static str {
        "exhaustion"
    }

    fn summary(&self) -> &'static str {
        "every path within the declared inputs was explored, and none covers the goal"
    }

    fn check(&self, _: &mut Context<'_>, _: GoalId, _: &Value) -> Result<(), Refusal> {
        Err(Refusal::NeedsSearch(WHY.to_owned()))
    }
}
