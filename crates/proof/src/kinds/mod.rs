//! Kinds of certificates: one file each, one line each in [`KINDS`].

pub mod backward;
pub mod clauses;
pub mod contradiction;
pub mod coupling;
pub mod exhaustion;
pub mod invariant;
pub mod standing;
pub mod words;

use std::collections::BTreeSet;

use coverage::GoalId;
use program::Program;
use serde::de::DeserializeOwned;
use serde_json::Value;

use crate::certificate::Fact;
use crate::check::Context;

/// A kind of certificate.
pub trait Kind: Sync {
    /// Its name in documents.
    fn name(&self) -> &'static str;

    /// What it says, for people.
    fn summary(&self) -> &'static str;

    /// Derives from the model that no input covers the goal.
    ///
    /// # Errors
    /// Why that does not follow from the body.
    fn check(&self, context: &mut Context<'_>, goal: GoalId, body: &Value) -> Result<(), Refusal>;
}

/// Every kind.
pub const KINDS: &[&dyn Kind] = &[
    &backward::Backward,
    &clauses::Clauses,
    &contradiction::Contradiction,
    &coupling::Coupling,
    &exhaustion::Exhaustion,
    &invariant::Invariant,
    &standing::Standing,
    &words::Words,
];

/// Why a certificate is not accepted.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Refusal {
    /// The program has no such goal.
    #[error("the program has no such goal")]
    NoGoal,
    /// There is no such kind.
    #[error("there is no kind `{0}` of certificates")]
    NoKind(String),
    /// The body is not that of its kind.
    #[error("its body cannot be read: {0}")]
    Body(String),
    /// A fact names something that the program does not have.
    #[error("it names something that the program does not have")]
    NotThere,
    /// A solver found a state, or did not decide.
    #[error("{what} is not refuted: {verdict}")]
    NotRefuted { what: String, verdict: String },
    /// The goal does not follow from what it rests on.
    #[error("the goal may be covered all the same")]
    DoesNotFollow,
    /// There is too much to look at.
    #[error("there is too much to look at")]
    TooLarge,
    /// The work for it is spent.
    #[error("it takes more work than may be spent on it")]
    Spent,
    /// Somebody ended it.
    #[error("it was ended before it was done")]
    Ended,
    /// It cannot be derived without a search.
    #[error("{0}")]
    NeedsSearch(String),
    /// What it says of itself is not so.
    #[error("what it says of itself is not so: {0}")]
    Claim(String),
}

impl Refusal {
    /// The same where a certificate says that it can be checked.
    pub(crate) fn of_claim(self) -> Refusal {
        match self {
            Refusal::NeedsSearch(why) => Refusal::Claim(why),
            other => other,
        }
    }
}

/// The body of a certificate, as its kind has it.
fn read<B: DeserializeOwned>(body: &Value) -> Result<B, Refusal> {
    B::deserialize(body).map_err(|error| Refusal::Body(error.to_string()))
}

/// What the conclusions of a kind are drawn from.
pub(crate) struct Given<'a> {
    pub program: &'a Program,
    pub facts: BTreeSet<Fact>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_registry_is_the_folder() {
        let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/src/kinds");
        let entries = std::fs::read_dir(folder).expect("the folder of kinds");
        let names = entries.map(|entry| entry.expect("an entry").file_name());
        let files: BTreeSet<String> = names
            .map(|name| name.to_string_lossy().into_owned())
            .filter(|name| name != "mod.rs")
            .map(|name| name.trim_end_matches(".rs").to_owned())
            .collect();
        let registered: BTreeSet<String> =
            KINDS.iter().map(|kind| kind.name().to_owned()).collect();
        assert_eq!(registered, files, "registry and folder differ");
    }
}
