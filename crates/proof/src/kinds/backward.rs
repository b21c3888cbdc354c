//! `backward`: going backward from what covers the goal, each way ends in conditions that exclude each other.
//!
//! The conditions at each place are not in the document, so the checker cannot derive them without the search, and says so.

use coverage::GoalId;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::{Kind, Refusal, read};
use crate::check::Context;

/// The kind `backward`.
pub struct Backward;

/// What a certificate of this kind says.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Body {
    /// The reason, for people.
    pub says: String,
}

/// Why such a certificate is not checked.
pub const WHY: &str = "the conditions that were followed backward are not in the document, and cannot be derived without the search";

impl Kind for Backward {
    fn name(&self) -> &'static str {
        "backward"
    }

    fn summary(&self) -> &'static str {
        "going backward from what covers the goal, each way ends in conditions that exclude each other"
    }

    fn check(&self, _: &mut Context<'_>, _: GoalId, body: &Value) -> Result<(), Refusal> {
        let _: Body = read(body)?;
        Err(Refusal::NeedsSearch(WHY.to_owned()))
    }
}
