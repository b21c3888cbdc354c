//! `clauses`: what holds at the points of a part of the program excludes the goal.
//!
//! The body says of which part, and what holds at its points: formulas over the numbers that decide something there. The checker makes
//! the Horn clauses of the part from the model ([`clauses`](crate::clauses)), and finds that each keeps what holds, that what covers the
//! goal never happens where it does, and that the goal follows.

use coverage::GoalId;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::backward::dead;
use super::contradiction::follow_from;
use super::{Kind, Refusal, read};
use crate::certificate::Fact;
use crate::check::Context;
use crate::clauses::Interpretation;

/// The kind `clauses`.
pub struct Clauses;

/// What a certificate of this kind says.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Body {
    /// The reason, for people.
    pub says: String,
    /// Indices into the facts of the document that it rests on, in order, none twice.
    pub facts: Vec<u32>,
    /// It rests on the invariant of the document.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub invariant: bool,
    /// It rests on the claims of the document about any time.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub standing: bool,
    /// What no run does.
    pub never: Vec<Fact>,
    pub interpretation: Interpretation,
}

impl Kind for Clauses {
    fn name(&self) -> &'static str {
        "clauses"
    }

    fn summary(&self) -> &'static str {
        "what holds at the points of a part of the program excludes the goal"
    }

    fn check(&self, context: &mut Context<'_>, goal: GoalId, body: &Value) -> Result<(), Refusal> {
        let body: Body = read(body)?;
        let mut facts = context.facts(&body.facts)?;
        if body.invariant {
            facts.extend(context.claimed_invariant()?);
        }
        if body.standing {
            facts.extend(context.standing(None)?);
        }
        let dead = dead(context.program, &facts);
        let found = context.clauses(&body.interpretation, &dead, &body.never);
        found.map_err(Refusal::of_claim)?;
        facts.extend(body.never);
        match follow_from(context.program, context.effects(), &facts, goal) {
            true => Ok(()),
            false => Err(Refusal::DoesNotFollow),
        }
    }
}
