//! The answers as one JSON object on one line.
//!
//! Must hold: fields are added, never renamed or removed; every field is always there.

use serde::Serialize;

use super::{Answer, Answers, Blocker, Certified, Change, Verdict};

/// Version of the schema.
pub const SCHEMA: u32 = 1;

#[derive(Serialize)]
struct Object<'a> {
    schema: u32,
    version: &'a str,
    program: &'a str,
    strategy: &'a str,
    seed: u64,
    seconds: f64,
    iterations: u64,
    stopped_by: &'a str,
    suite: Option<&'a str>,
    counts: Counts,
    targets: Vec<Target<'a>>,
    change: Option<&'a Change>,
    notes: &'a [String],
}

#[derive(Serialize)]
struct Counts {
    reached: usize,
    unreachable: usize,
    unknown: usize,
}

#[derive(Serialize)]
struct Target<'a> {
    target: &'a str,
    verdict: &'a str,
    test: Option<&'a str>,
    seconds: Option<f64>,
    run: Option<u64>,
    segments: Option<u64>,
    evaluations: Option<u64>,
    blocked_by: Option<&'a Blocker>,
    certificate: Option<&'a Certified>,
    why: &'a [String],
}

impl<'a> Target<'a> {
    fn of(answer: &'a Answer) -> Target<'a> {
        Target {
            target: &answer.target,
            verdict: answer.verdict.name(),
            test: answer.test.as_deref(),
            seconds: answer.found.map(|(seconds, _)| seconds),
            run: answer.found.map(|(_, run)| run),
            segments: answer.segments,
            evaluations: answer.evaluations,
            blocked_by: answer.blocked_by.as_ref(),
            certificate: answer.certificate.as_ref(),
            why: &answer.why,
        }
    }
}

/// The object, and a line feed.
///
/// # Panics
/// Never: all keys are strings.
#[must_use]
pub fn render(answers: &Answers) -> String {
    let object = Object {
        schema: SCHEMA,
        version: &answers.version,
        program: &answers.program,
        strategy: &answers.strategy,
        seed: answers.seed,
        seconds: answers.seconds,
        iterations: answers.iterations,
        stopped_by: &answers.stopped_by,
        suite: answers.suite.as_deref(),
        counts: Counts {
            reached: answers.count(Verdict::Reached),
            unreachable: answers.count(Verdict::Unreachable),
            unknown: answers.count(Verdict::Unknown),
        },
        targets: answers.targets.iter().map(Target::of).collect(),
        change: answers.change.as_ref(),
        notes: &answers.notes,
    };
    serde_json::to_string(&object).expect("the answers have only string keys") + "\n"
}
