//! Between the engine's inputs and outcomes and those of suites. Both crates name the same things and may not know
//! each other: the judge must not depend on the search.

use std::ffi::OsString;
use std::os::unix::ffi::OsStringExt;
use std::path::PathBuf;

use coverage::Goals;
use explore::KeptTest;
use harness::plan::Plan as Meanings;
use native::judge::{TestCase, TestEnd, TestRun};
use native::launch::Ended;
use path::InputVector;
use program::Program;
use report::label;
use report::suite::{Invocation, InvocationError, Outcome, Test, Value};

use super::plan::Plan;

/// The inputs of a test, and nothing else. `meanings` says what the values of a function's inputs stand for.
pub fn inputs(kept: &KeptTest, (plan, meanings): (&Plan, Option<&Meanings>)) -> Test {
    let (streams, unset) = plan.test(&kept.input);
    let mut test = Test::new(kept.number + 1, values(&kept.input, meanings), streams);
    test.unset = unset;
    test
}

/// A kept test as the suite writes it. `seconds` is when it was found.
pub fn test(
    kept: &KeptTest,
    (plan, meanings): (&Plan, Option<&Meanings>),
    program: &Program,
    goals: &Goals,
    seconds: f64,
) -> Test {
    let mut test = inputs(kept, (plan, meanings));
    test.outcome = outcome(kept.outcome);
    // What only its counts cover, it does not show.
    test.goals = kept.taken();
    test.covers = test
        .goals
        .iter()
        .map(|goal| label(program, goals, *goal))
        .collect();
    test.covered = kept.covered;
    test.covers_error = kept.reach_error;
    test.iteration = u64::from(kept.run.as_u32()) + 1;
    test.seconds = seconds;
    test
}

fn values(input: &InputVector, meanings: Option<&Meanings>) -> Vec<Value> {
    let values = input.values.iter().map(|value| {
        let kind = value.kind;
        let number = if kind.is_signed() {
            kind.sign_extend(value.bits)
        } else {
            value.bits as i128
        };
        let meaning = meanings.and_then(|plan| plan.meaning(&value.name, number));
        let (name, element) = match value.element {
            None => indexed(&value.name),
            element => (&*value.name, element),
        };
        Value {
            name: name.to_owned(),
            kind,
            element,
            c_type: c_type(value),
            meaning: meaning.unwrap_or_default().to_owned(),
            bits: value.bits,
        }
    });
    values.collect()
}

/// `a[3]` is element 3 of `a`, whoever asks for it.
fn indexed(name: &str) -> (&str, Option<u32>) {
    let parts = name
        .strip_suffix(']')
        .and_then(|rest| rest.rsplit_once('['));
    match parts.map(|(name, index)| (name, index.parse())) {
        Some((name, Ok(index))) => (name, Some(index)),
        _ => (name, None),
    }
}

/// The type of an input that a `__VERIFIER_nondet_*` call asked for: Test-Comp wants it. Others have no place there.
fn c_type(value: &path::Value) -> String {
    if value.name.starts_with("__VERIFIER_nondet_") {
        value.c_type.to_string()
    } else {
        String::new()
    }
}

/// The outcome in the suite's terms. A run that failed an assumption is no test.
pub fn outcome(outcome: path::Outcome) -> Outcome {
    match outcome {
        path::Outcome::Exited(status) => Outcome::Exited(status),
        path::Outcome::Signalled(signal) => Outcome::Signalled(signal),
        path::Outcome::Timeout => Outcome::Timeout,
        path::Outcome::Memory => Outcome::Memory,
        path::Outcome::AssumeFailed => Outcome::Exited(0),
    }
}

/// How the judge starts a test.
///
/// # Errors
/// The test was written by hand, and wrongly.
pub fn case(path: PathBuf, test: &Test) -> Result<TestCase, InvocationError> {
    let invocation = Invocation::of(test)?;
    let value = |value: Option<Vec<u8>>| value.map(OsString::from_vec);
    Ok(TestCase {
        path,
        args: invocation
            .args
            .into_iter()
            .map(OsString::from_vec)
            .collect(),
        env: invocation
            .env
            .into_iter()
            .map(|(name, text)| (name.into(), value(text)))
            .collect(),
        files: invocation
            .files
            .into_iter()
            .map(|(name, content)| (name.into(), content))
            .collect(),
    })
}

/// How a test ended under the judge; `None` if nobody waited for it.
pub fn judged(run: &TestRun) -> Option<Outcome> {
    Some(match run.end {
        TestEnd::Timeout => Outcome::Timeout,
        TestEnd::Memory => Outcome::Memory,
        TestEnd::Ended(Ended::Exited(status)) => Outcome::Exited(status),
        TestEnd::Ended(Ended::Signalled(signal)) => Outcome::Signalled(signal),
        TestEnd::Skipped => return None,
    })
}
