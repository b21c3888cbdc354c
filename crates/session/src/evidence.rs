//! The evidence of a campaign: for each goal the test that covers it, the certificate that no input does, or why it is open.
//!
//! Must hold: report, JSON, certificates and exit codes follow from this alone, so that they cannot differ.

use coverage::{GoalId, GoalSet, Goals, Ground, Status, Statuses};
use proof::Certificate;
use report::Reason;

use crate::certificates::Maker;
use crate::found::Found;

/// A goal that no input covers.
#[derive(Clone, Debug)]
pub struct Refuted {
    /// Why, for people.
    pub reason: Reason,
    /// Why, for the checker.
    pub certificate: Certificate,
}

/// What is known of all goals after the judge.
pub type Evidence = Statuses<Refuted, Reason>;

/// What evidence is made from.
pub struct Sources<'a> {
    /// The model of the program.
    pub model: &'a program::Program,
    /// What is to be covered.
    pub goals: &'a Goals,
    /// The arguments of the function under test have bounds.
    pub bounded: bool,
    /// Makes the certificates.
    pub maker: &'a Maker<'a>,
}

impl Sources<'_> {
    /// The evidence: the judge says what is covered, the search and its proofs what is infeasible.
    #[must_use]
    pub fn gather(&self, found: &Found, covered: &GoalSet) -> Evidence {
        let ledger = &found.findings.ledger;
        let verdicts = found.findings.verdicts(self.model, self.goals);
        Statuses::new(self.goals, |goal| match ledger.status(goal) {
            Status::Covered { test } if covered.contains(goal) => Status::Covered { test },
            _ if covered.contains(goal) => Status::Covered { test: None },
            Status::Infeasible(ground) => {
                let reason = self.why_never(found, goal, ground);
                let certificate = self.maker.certificate(goal, ground, &reason.detail);
                Status::Infeasible(Refuted {
                    reason,
                    certificate,
                })
            }
            _ => Status::Open(match verdicts.reasons(goal).first() {
                Some(first) => Reason {
                    name: first.name().replace('-', " "),
                    detail: first.to_string(),
                },
                None => Reason::new("not covered under the judge"),
            }),
        })
    }

    /// What counts as covered though no test takes it, in words.
    #[must_use]
    pub fn untaken(&self, found: &Found, covered: &GoalSet) -> Option<String> {
        const SHOWN: usize = 3;
        let untaken = found.findings.ledger.untaken().iter();
        let untaken: Vec<GoalId> = untaken.filter(|goal| covered.contains(*goal)).collect();
        let shown = untaken.iter().take(SHOWN);
        let mut places: Vec<String> = shown
            .map(|goal| report::label(self.model, self.goals, *goal).to_string())
            .collect();
        if untaken.len() > SHOWN {
            places.push(format!("{} more", untaken.len() - SHOWN));
        }
        (!untaken.is_empty()).then(|| {
            format!(
                "no test takes what llvm-cov counts here, because a run ended between two of its counters: {}",
                places.join(", ")
            )
        })
    }

    /// Why no input covers a goal.
    fn why_never(&self, found: &Found, goal: GoalId, ground: Ground) -> Reason {
        if let (Ground::Code, Some(proof)) = (ground, self.maker.proofs.of(goal)) {
            return Reason {
                name: proof.name().to_owned(),
                detail: proof.detail(self.model, self.goals),
            };
        }
        if let (Ground::Words, Some(called)) = (ground, self.maker.called) {
            return Reason {
                name: "excluded by the words of the command line: other words may lead there"
                    .to_owned(),
                detail: called.says(goal, (self.model, self.goals)),
            };
        }
        if let (Ground::Backward, Some(why)) = (ground, found.findings.reasons.get(&goal)) {
            return Reason {
                name: "backward".to_owned(),
                detail: why.to_string(),
            };
        }
        let name = match self.bounded {
            true => {
                "exhausted: every path within the bounds of the arguments was explored and none takes it"
            }
            false => "exhausted: every path was explored and none takes it",
        };
        Reason {
            name: name.to_owned(),
            detail: self.no_pair(found, goal),
        }
    }

    /// Why an exhausted search proves that a condition has no pair: the vectors that occur. Empty for other goals.
    fn no_pair(&self, found: &Found, goal: GoalId) -> String {
        let coverage::Evidence::Pair { decision, .. } = self.goals.get(goal).evidence else {
            return String::new();
        };
        let count = self.goals.decisions().get(decision).conditions.len();
        let tests = found.kept.iter();
        let shown = tests.flat_map(|test| &test.vectors);
        let own = shown.filter(|(shown, _)| *shown == decision);
        let mut vectors: Vec<String> = own.map(|(_, vector)| vector.letters(count)).collect();
        vectors.sort();
        vectors.dedup();
        if vectors.is_empty() {
            return "no input evaluates the decision to its end".to_owned();
        }
        let tied = "the condition is coupled with others: no two of";
        format!(
            "{tied} {}, all that occur, are a pair for it",
            vectors.join(" ")
        )
    }
}
