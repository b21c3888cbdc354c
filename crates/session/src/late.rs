//! Differences between search and judge that have a reason: a time limit (of two builds the faster one gets further before time is
//! up), or an error, or something not modelled, at which the machine broke a run off.
//!
//! Must hold: a difference in a goal that a run which came to its end in both covers is none of these.

use coverage::{GoalId, GoalSet, Goals};
use native::judge::{Judge, TestEnd, TestRun};
use program::Program;
use report::judge::{Comparison, Difference};
use report::suite::{Outcome, Test};

use crate::error::Result;

/// The differences that have no such reason, in words. How many goals the others are about is noted. `broken_off` says of
/// each test whether the machine broke it off.
///
/// # Errors
/// The judge's tools fail.
pub fn differences(
    comparison: &Comparison<'_>,
    (model, goals): (&Program, &Goals),
    (tests, runs, broken_off): (&[Test], &[TestRun], &[bool]),
    judge: &Judge,
    notes: &mut Vec<String>,
) -> Result<Vec<String>> {
    let is_late = |test: &Test, run: &TestRun| {
        test.outcome == Outcome::Timeout || matches!(run.end, TestEnd::Timeout)
    };
    let (mut late, mut timely) = (Vec::new(), Vec::new());
    let (mut overran, mut survived) = (0, 0);
    for (index, (test, run)) in tests.iter().zip(runs).enumerate() {
        match (is_late(test, run), broken_off.get(index)) {
            (true, _) => overran += 1,
            (_, Some(true)) => survived += 1,
            _ => {
                timely.push(run.clone());
                continue;
            }
        }
        late.push(test);
    }
    let in_words = |found: Vec<Difference>| found.iter().map(ToString::to_string).collect();
    let all = comparison.differences();
    if late.is_empty() || all.is_empty() {
        return Ok(in_words(all));
    }
    let nothing = GoalSet::new(goals);
    let counted = match timely.iter().any(|run| !run.profiles.is_empty()) {
        true => Comparison::new(model, goals, &nothing, &judge.report(&timely)?).covered(),
        false => nothing,
    };
    let is_excused = |goal: GoalId, engine: bool| match engine {
        true => late.iter().any(|test| test.goals.contains(&goal)),
        false => !counted.contains(goal),
    };
    let (rest, excused) = comparison.differences_but(&is_excused);
    if excused > 0 {
        let limited = ended(overran, "a time limit");
        let faulty = ended(survived, "the machine");
        let tests = [limited, faulty].into_iter().flatten();
        let tests: Vec<String> = tests.collect();
        notes.push(format!(
            "{}: covers more in one build than in the other ({excused} goals): the judge's count stands",
            tests.join(", ")
        ));
    }
    Ok(in_words(rest))
}

/// `2 tests that a time limit ends`.
fn ended(tests: usize, by: &str) -> Option<String> {
    match tests {
        0 => None,
        1 => Some(format!("1 test that {by} ends")),
        count => Some(format!("{count} tests that {by} ends")),
    }
}
