//! `invariant`: the variables of the program never have the values that lead to the goal.
//!
//! The document says what variables can be at each block that control comes to, and in what states functions return. The
//! checker finds that this holds at the start and is kept by every step of the program ([`induction`](crate::induction)), and
//! that in none of these states control comes to what covers the goal.
//!
//! Where the assertions are not in the document, the certificate says in words what they are, and that it cannot be checked.

use coverage::GoalId;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::contradiction::follow_from;
use super::{Kind, Refusal, read};
use crate::check::Context;

/// The kind `invariant`.
pub struct Invariant;

/// What a certificate of this kind says.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Body {
    /// The reason, for people.
    pub says: String,
    /// Indices into the facts of the document that it rests on beside the invariant, in order, none twice; without them, the
    /// goal does not follow from the invariant.
    pub facts: Option<Vec<u32>>,
    /// Nobody knows whether it follows from anything: what may be spent on certificates was spent before.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub not_made: bool,
}

/// Why such a certificate is not checked.
pub const WHY: &str = "the values of the variables were found by the value analysis, and the document has no assertions from which this follows";

/// Why such a certificate is not checked if it was not made.
pub const NOT_MADE: &str = "what may be spent on certificates was spent before this one was made";

impl Kind for Invariant {
    fn name(&self) -> &'static str {
        "invariant"
    }

    fn summary(&self) -> &'static str {
        "the variables of the program never have the values that lead to the goal"
    }

    fn check(&self, context: &mut Context<'_>, goal: GoalId, body: &Value) -> Result<(), Refusal> {
        let body: Body = read(body)?;
        let Some(numbers) = body.facts.filter(|_| !body.not_made) else {
            let why = if body.not_made { NOT_MADE } else { WHY };
            return Err(Refusal::NeedsSearch(why.to_owned()));
        };
        let own = context.facts(&numbers)?;
        let mut facts = context.claimed_invariant()?;
        facts.extend(own);
        match follow_from(context.program, context.effects(), &facts, goal) {
            true => Ok(()),
            false => Err(Refusal::DoesNotFollow),
        }
    }
}
