//! `backward`: going backward from what covers the goal, each way ends in conditions that exclude each other.
//!
//! The body has the states that were come to, each with its conditions: a closed set. The checker finds that nothing leads into it
//! and that no run starts in it ([`closed`](crate::closed)), that what covers the goal leads to it, and that the goal follows.
//!
//! Where there is no such set, the certificate says why, and that it cannot be checked.

use std::collections::BTreeSet;

use coverage::GoalId;
use program::EdgeId;
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
    /// What no run does.
    pub never: Vec<Fact>,
    pub closed: Closed,
}

/// Why such a certificate is not checked, if it does not say more.
pub const WHY: &str = "the conditions that were followed backward are not in the document, and cannot be derived without the search";

/// The edges among facts.
pub fn dead(facts: &[Fact]) -> BTreeSet<EdgeId> {
    let edge = |fact: &Fact| match fact {
        Fact::Edge { edge } => Some(EdgeId::from_u32(*edge)),
        Fact::Block { .. } => None,
    };
    facts.iter().filter_map(edge).collect()
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
        let found = context.closed(&followed.closed, &dead(&facts), &followed.never);
        found.map_err(|refusal| match refusal {
            Refusal::NeedsSearch(why) => Refusal::Claim(why),
            other => other,
        })?;
        facts.extend(followed.never);
        match follow_from(context.program, context.effects(), &facts, goal) {
            true => Ok(()),
            false => Err(Refusal::DoesNotFollow),
        }
    }
}
