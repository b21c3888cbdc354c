//! What is stored of a campaign: what it was asked to do, how far it is, what it knows of goals.

use std::path::PathBuf;
use std::time::Duration;

/// What a campaign was asked to do.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Settings {
    /// What is tested: campaigns with the same subject go on where the last one ended.
    pub subject: String,
    /// What stands for the code of the program and for its goals: where it is equal, the goals have the same numbers.
    pub program: String,
    /// The words of the command, behind its name; empty where there was none.
    pub command: Vec<String>,
    /// Where it was typed.
    pub folder: PathBuf,
    /// Version of bothways.
    pub tool: String,
    /// Most runs.
    pub iterations: Option<u64>,
    /// Most time.
    pub time: Duration,
}

/// How far a campaign is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Figures {
    /// Runs of the program.
    pub runs: u64,
    /// Time of the search.
    pub spent: Duration,
}

/// What is known of a goal.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Verdict {
    Covered,
    /// Why, and the certificate if there is one yet.
    Infeasible {
        reason: String,
        certificate: Option<String>,
    },
    /// Why, as far as that is known.
    Open {
        reason: String,
    },
}

impl Verdict {
    pub(crate) const COVERED: &'static str = "covered";
    pub(crate) const INFEASIBLE: &'static str = "infeasible";
    pub(crate) const OPEN: &'static str = "open";

    pub(crate) const fn name(&self) -> &'static str {
        match self {
            Verdict::Covered => Verdict::COVERED,
            Verdict::Infeasible { .. } => Verdict::INFEASIBLE,
            Verdict::Open { .. } => Verdict::OPEN,
        }
    }

    pub(crate) fn reason(&self) -> (&str, Option<&str>) {
        match self {
            Verdict::Covered => ("", None),
            Verdict::Infeasible {
                reason,
                certificate,
            } => (reason, certificate.as_deref()),
            Verdict::Open { reason } => (reason, None),
        }
    }
}
