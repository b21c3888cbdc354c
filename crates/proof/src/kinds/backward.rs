//! `backward`: going backward from what covers the goal, each way ends in conditions that exclude each other.
//!
//! The body has the states that were come to, each with its conditions: a closed set. The checker finds that nothing leads into it
//! and that no run starts in it ([`closed`](crate::closed)), that what covers the goal leads to it, and that the goal follows.
//!
//! Where there is no such set, the certificate says why, and that it cannot be checked.

use std::collections::BTreeSet;

use coverage::GoalId;
use program::getopt::Word;
use program::{EdgeId, Program};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::contradiction::follow_from;
use super::{Kind, Refusal, read};
use crate::certificate::Fact;
use crate::check::Context;
use crate::closed::Closed;

/// The kind `backward`.
pub struct Backward;

/// What a certificate of this kind says.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Body {
    /// The reason, for people.
    pub says: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub followed: Option<Followed>,
    /// Why there is none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub unchecked: Option<String>,
}

/// What was followed backward.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Followed {
    /// Indices into the facts of the document that it rests on, in order, none twice.
    pub facts: Vec<u32>,
    /// It rests on the invariant of the document.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub invariant: bool,
    /// It rests on the claims of the document about any time, those for its words if it has some.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub standing: bool,
    /// The words of the command line that it rests on, those behind the program's name; `null`: an input.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub words: Option<Vec<Option<String>>>,
    /// What no run does.
    pub never: Vec<Fact>,
    pub closed: Closed,
}

/// Why such a certificate is not checked, if it does not say more.
pub const WHY: &str = "the conditions that were followed backward are not in the document, and cannot be derived without the search";

/// The edges that no run takes, by some facts: those that leave a block that no run comes to are among them.
#[must_use]
pub fn dead(program: &Program, facts: &[Fact]) -> BTreeSet<EdgeId> {
    let facts: BTreeSet<Fact> = facts.iter().copied().collect();
    let edges = program.edges.keys().filter(|edge| {
        let site = &program.sites[program.edges[*edge].site];
        let block = Fact::Block {
            function: site.function.as_u32(),
            block: site.block.as_u32(),
        };
        let edge = Fact::Edge {
            edge: edge.as_u32(),
        };
        facts.contains(&edge) || facts.contains(&block)
    });
    edges.collect()
}

/// Words of a document, as the program gets them.
pub(crate) fn words(texts: &[Option<String>]) -> Vec<Word> {
    let words = texts.iter();
    words.map(|word| Some(word.clone()?.into_bytes())).collect()
}

/// Words of a command line, as documents have them; `None` if one is no text.
#[must_use]
pub fn texts(words: &[Word]) -> Option<Vec<Option<String>>> {
    let texts = words.iter().map(|word| match word {
        Some(word) => String::from_utf8(word.clone()).ok().map(Some),
        None => Some(None),
    });
    texts.collect()
}

/// The inputs that a certificate with this body holds for, in words; `None`: all.
#[must_use]
pub fn declared(body: &Value) -> Option<Vec<String>> {
    let words = body.get("followed").unwrap_or(body).get("words")?;
    let words = words.as_array()?.iter();
    let said = words.map(|word| match word.as_str() {
        Some(word) => format!("argument `{word}`"),
        None => "an argument".to_owned(),
    });
    Some(said.collect())
}

impl Kind for Backward {
    fn name(&self) -> &'static str {
        "backward"
    }

    fn summary(&self) -> &'static str {
        "going backward from what covers the goal, each way ends in conditions that exclude each other"
    }

    fn check(&self, context: &mut Context<'_>, goal: GoalId, body: &Value) -> Result<(), Refusal> {
        let body: Body = read(body)?;
        let Some(followed) = body.followed else {
            let why = body.unchecked.unwrap_or_else(|| WHY.to_owned());
            return Err(Refusal::NeedsSearch(why));
        };
        let mut facts = context.facts(&followed.facts)?;
        if followed.invariant {
            facts.extend(context.claimed_invariant()?);
        }
        if followed.standing {
            facts.extend(context.standing(followed.words.as_deref())?);
        }
        let dead = dead(context.program, &facts);
        let given = (&dead, followed.words.as_deref());
        let found = context.closed(&followed.closed, given, &followed.never);
        found.map_err(Refusal::of_claim)?;
        facts.extend(followed.never);
        match follow_from(context.program, context.effects(), &facts, goal) {
            true => Ok(()),
            false => Err(Refusal::DoesNotFollow),
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn words_say_which_inputs_a_certificate_holds_for() {
        let words = [Some(b"-e".to_vec()), None];
        let followed = Followed {
            words: texts(&words),
            ..Followed::default()
        };
        assert_eq!(
            followed.words.as_deref().map(super::words),
            Some(words.to_vec())
        );
        let body = json!({"says": "", "followed": followed});
        let said = declared(&body).expect("there are words");
        assert_eq!(said, ["argument `-e`", "an argument"]);
        let body = json!({"says": "", "followed": Followed::default()});
        assert_eq!(declared(&body), None);
        // What is no text is in no document.
        assert_eq!(texts(&[Some(vec![0xff])]), None);
    }
}
