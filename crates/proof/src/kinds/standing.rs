//! `standing`: whatever the program does before, its variables never have the values that lead to the goal.
//!
//! The document has claims that hold at any time of any run. The checker finds that every step of the program keeps them
//! ([`standing`](crate::standing)), and that the goal follows from what they say no run does. Such claims may rest on the words of the
//! command line.

use coverage::GoalId;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::contradiction::follow_from;
use super::{Kind, Refusal, read};
use crate::check::Context;

/// The kind `standing`.
pub struct Standing;

/// What a certificate of this kind says.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Body {
    /// The reason, for people.
    pub says: String,
    /// The words of the command line that it rests on, those behind the program's name; `null`: an input.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub words: Option<Vec<Option<String>>>,
}

impl Kind for Standing {
    fn name(&self) -> &'static str {
        "standing"
    }

    fn summary(&self) -> &'static str {
        "whatever happened before, the variables of the program never have the values that lead to the goal"
    }

    fn check(&self, context: &mut Context<'_>, goal: GoalId, body: &Value) -> Result<(), Refusal> {
        let body: Body = read(body)?;
        let facts = context.standing(body.words.as_deref())?;
        match follow_from(context.program, context.effects(), &facts, goal) {
            true => Ok(()),
            false => Err(Refusal::DoesNotFollow),
        }
    }
}
