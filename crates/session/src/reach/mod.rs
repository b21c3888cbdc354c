//! `bothways reach`: an input for each target, a proof that there is none, or what kept the search away.
//!
//! Must hold: `reached` has a test that the judge confirms by itself; `unreachable` has a proof of each goal of the target, or the
//! target has no code at all; whatever is left is `unknown`.

pub mod backward;
mod blocked;
mod change;
pub mod confirm;
mod diff;
mod request;

pub use coverage::target::Target;
pub use request::{Direction, Request, Wanted};

use coverage::Status;
use explore::StopReason;
use proof::Certificate;
use report::reach::{Answer, Answers, Certified, Verdict};
use report::{Reason, Report};

use crate::evidence::{Evidence, Refuted};
use crate::found::Found;
use crate::proofs::WRONG;
use backward::Looked;
use blocked::Blocked;

/// What came of a search for targets.
pub struct Reached {
    /// The answers.
    pub answers: Answers,
    /// Why the search ended.
    pub stop: StopReason,
}

/// What answers are made from.
pub struct Sources<'a> {
    pub model: &'a program::Program,
    pub wanted: &'a [Target],
    pub found: &'a Found,
    pub evidence: &'a Evidence,
    /// For each target the test that the judge confirms.
    pub confirmed: &'a [Option<usize>],
    /// What came of looking backward, for each target; empty if that was not asked for.
    pub backward: &'a [Looked],
    /// For each target the certificates of its goals, if looking backward refuted it.
    pub followed: &'a [Vec<Certificate>],
    pub report: &'a Report,
}

impl Sources<'_> {
    /// The answers to all targets.
    pub fn answers(&self) -> Answers {
        let blocked = Blocked::new(self.model, &self.found.findings);
        let confirmed = self.confirmed.iter().copied();
        let targets = self.wanted.iter().zip(confirmed).enumerate();
        let targets = targets.map(|(index, (target, test))| {
            let followed = self.followed.get(index).map_or(&[][..], Vec::as_slice);
            self.answer(target, (test, self.backward.get(index), followed), &blocked)
        });
        let campaign = &self.report.campaign;
        let mut notes = self.report.notes.clone();
        notes.extend(self.wrong());
        Answers {
            version: self.report.version.clone(),
            program: self.report.program.clone(),
            strategy: campaign.strategy.clone(),
            seed: campaign.seed,
            seconds: self.before() + campaign.seconds,
            iterations: campaign.iterations,
            stopped_by: campaign.stopped_by.clone(),
            suite: campaign.suite.clone(),
            targets: targets.collect(),
            change: None,
            notes,
        }
    }

    /// Seconds that looking backward took.
    fn before(&self) -> f64 {
        self.backward.iter().map(|looked| looked.seconds).sum()
    }

    /// Proofs that a test refutes, in words: faults of ours.
    pub fn wrong(&self) -> Vec<String> {
        let known = self.wanted.iter().zip(self.confirmed).zip(self.backward);
        let wrong = known.filter(|((_, test), looked)| test.is_some() && looked.never.is_some());
        wrong
            .map(|((target, _), _)| {
                format!(
                    "{}: {} is reached, although no way leads to it backward",
                    WRONG, target.text
                )
            })
            .collect()
    }

    fn answer(
        &self,
        target: &Target,
        (test, looked, followed): (Option<usize>, Option<&Looked>, &[Certificate]),
        blocked: &Blocked<'_>,
    ) -> Answer {
        let mut answer = Answer {
            target: target.text.clone(),
            verdict: Verdict::Unknown,
            test: None,
            found: None,
            segments: looked.map(|looked| looked.segments),
            evaluations: looked.map(|looked| looked.evaluations),
            blocked_by: None,
            certificate: None,
            why: Vec::new(),
        };
        if let Some(never) = &target.never {
            answer.verdict = Verdict::Unreachable;
            answer.why.push(never.to_string());
        } else if let Some(test) = test {
            let test = &self.found.tests[test];
            answer.verdict = Verdict::Reached;
            answer.test = Some(test.file_name());
            answer.found = Some((self.before() + test.seconds, test.iteration));
        } else if let Some(refuted) = self.refuted(target)
            && (refuted[0].certificate.checked == "yes" || !is_checked(followed))
        {
            answer.verdict = Verdict::Unreachable;
            answer.why = said(refuted.iter().map(|known| &known.reason));
            answer.certificate = refuted.first().map(|known| certified(&known.certificate));
        } else if let Some(why) = looked.and_then(|it| it.never.as_ref()) {
            answer.verdict = Verdict::Unreachable;
            answer.why.clone_from(why);
            answer.certificate = Some(of_target(target, (followed, looked)));
        } else {
            answer.why = self.open(target);
            let stuck = looked.and_then(|looked| looked.stuck.as_ref());
            answer
                .why
                .extend(stuck.map(|stuck| format!("backward: {stuck}")));
            answer.blocked_by = blocked.nearest(target);
        }
        answer
    }

    /// The proofs of all goals of a target.
    fn refuted(&self, target: &Target) -> Option<Vec<&Refuted>> {
        let proofs = target
            .goals
            .iter()
            .map(|goal| match self.evidence.get(*goal) {
                Status::Infeasible(known) => Some(known),
                Status::Covered { .. } | Status::Open(_) => None,
            });
        let proofs: Option<Vec<_>> = proofs.collect();
        proofs.filter(|proofs| !proofs.is_empty())
    }

    /// Why a target is neither reached nor refuted.
    fn open(&self, target: &Target) -> Vec<String> {
        let status = |goal: &coverage::GoalId| self.evidence.get(*goal);
        if target.goals.iter().any(|goal| status(goal).is_covered()) {
            return vec!["no single test reaches it under the judge".to_owned()];
        }
        said(target.goals.iter().filter_map(|goal| match status(goal) {
            Status::Open(reason) => Some(reason),
            _ => None,
        }))
    }
}

/// Reasons in words, none twice.
fn said<'r>(reasons: impl Iterator<Item = &'r Reason>) -> Vec<String> {
    let mut all: Vec<String> = Vec::new();
    for reason in reasons {
        let words = match (reason.name.as_str(), reason.detail.as_str()) {
            (name, "") => name.to_owned(),
            // The name is the kind of the proof, or what the detail says in full.
            (_, detail) => detail.to_owned(),
        };
        if !all.contains(&words) {
            all.push(words);
        }
    }
    all
}

fn certified(certificate: &Certificate) -> Certified {
    Certified {
        kind: certificate.kind.clone(),
        checked: certificate.checked.clone(),
        all_inputs: certificate.inputs == proof::Inputs::All,
    }
}

/// Are there certificates, and can all be checked?
fn is_checked(certificates: &[Certificate]) -> bool {
    !certificates.is_empty() && certificates.iter().all(|one| one.checked == "yes")
}

/// What is said of the certificates of a target's goals: the first that cannot be checked, if there is one.
fn of_target(
    target: &Target,
    (certificates, looked): (&[Certificate], Option<&Looked>),
) -> Certified {
    let as_called = looked.is_some_and(|looked| looked.as_called);
    let unchecked = certificates.iter().find(|one| one.checked != "yes");
    match unchecked.or(certificates.first()) {
        Some(one) if unchecked.is_some() || certificates.len() == target.goals.len() => {
            let said = certified(one);
            Certified {
                all_inputs: said.all_inputs && (said.checked == "yes" || !as_called),
                ..said
            }
        }
        _ => Certified {
            kind: "backward".to_owned(),
            checked: "no: llvm-cov counts it where its place is not come to".to_owned(),
            all_inputs: !as_called,
        },
    }
}
