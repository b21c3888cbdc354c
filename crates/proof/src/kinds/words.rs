//! `words`: with the words of the command line, no run comes to the goal.
//!
//! The body has the words. The checker follows runs from their beginning, as far as the words decide them
//! ([`opening`](crate::opening)), and finds that control then never comes to what covers the goal.

use coverage::GoalId;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::contradiction::follow_from;
use super::{Kind, Refusal, read};
use crate::check::Context;

/// The kind `words`.
pub struct Words;

/// What a certificate of this kind says.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Body {
    /// The words behind the program's name; `null`: an input.
    pub words: Vec<Option<String>>,
    /// What variables can be in runs with these words that keeps control away, for people: this is not derived.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub by_values: Option<String>,
}

/// Why such a certificate is not checked.
pub const WHY: &str =
    "it rests on what variables can be with these words, in the order in which they are written";

impl Kind for Words {
    fn name(&self) -> &'static str {
        "words"
    }

    fn summary(&self) -> &'static str {
        "with the words of the command line, no run comes to the goal"
    }

    fn check(&self, context: &mut Context<'_>, goal: GoalId, body: &Value) -> Result<(), Refusal> {
        let body: Body = read(body)?;
        if body.by_values.is_some() {
            return Err(Refusal::NeedsSearch(WHY.to_owned()));
        }
        let facts = context.excluded(&body.words);
        match follow_from(context.program, context.effects(), &facts, goal) {
            true => Ok(()),
            false => Err(Refusal::DoesNotFollow),
        }
    }
}
