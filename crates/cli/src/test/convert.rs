//! Between the engine's inputs and outcomes and those of suites. Both crates name the same things and may not know
//! each other: the judge must not depend on the search.

use coverage::Goals;
use coverage::report::label;
use coverage::suite::{Outcome, Stream, Test, Value, ValueType};
use explore::{InputVector, KeptTest};
use harness::plan::Plan;
use native::judge::{TestEnd, TestRun};
use native::launch::Ended;
use program::Program;

/// A kept test as the suite writes it. `seconds` is when it was found.
pub fn test(
    kept: &KeptTest,
    program: &Program,
    goals: &Goals,
    seconds: f64,
    plan: Option<&Plan>,
) -> Test {
    let (values, streams) = inputs(&kept.input, plan);
    let mut test = Test::new(kept.number + 1, values, streams);
    test.outcome = outcome(kept.outcome);
    test.covers = kept
        .goals
        .iter()
        .map(|goal| label(program, goals, *goal))
        .collect();
    test.goals.clone_from(&kept.goals);
    test.covers_error = kept.reach_error;
    test.iteration = u64::from(kept.run.as_u32()) + 1;
    test.seconds = seconds;
    test
}

fn inputs(input: &InputVector, plan: Option<&Plan>) -> (Vec<Value>, Vec<Stream>) {
    let values = input.values.iter().map(|value| {
        let kind = ValueType::from_name(value.kind.name())
            .expect("both crates have the wire format's types");
        let number = if kind.is_signed() {
            kind.sign_extend(value.bits)
        } else {
            value.bits as i128
        };
        let meaning = plan.and_then(|plan| plan.meaning(&value.name, number));
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
    let streams = input.streams.iter().map(|stream| Stream {
        name: stream.name.to_string(),
        bytes: stream.bytes.clone(),
    });
    (values.collect(), streams.collect())
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
fn c_type(value: &explore::Value) -> String {
    if value.name.starts_with("__VERIFIER_nondet_") {
        value.c_type.to_string()
    } else {
        String::new()
    }
}

/// The outcome in the suite's terms. A run that failed an assumption is no test.
pub fn outcome(outcome: explore::Outcome) -> Outcome {
    match outcome {
        explore::Outcome::Exited(status) => Outcome::Exited(status),
        explore::Outcome::Signalled(signal) => Outcome::Signalled(signal),
        explore::Outcome::Timeout => Outcome::Timeout,
        explore::Outcome::Memory => Outcome::Memory,
        explore::Outcome::AssumeFailed => Outcome::Exited(0),
    }
}

/// How a test ended under the judge.
pub fn judged(run: &TestRun) -> Outcome {
    match run.end {
        TestEnd::Timeout => Outcome::Timeout,
        TestEnd::Memory => Outcome::Memory,
        TestEnd::Ended(Ended::Exited(status)) => Outcome::Exited(status),
        TestEnd::Ended(Ended::Signalled(signal)) => Outcome::Signalled(signal),
    }
}
