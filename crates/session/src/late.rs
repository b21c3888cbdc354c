//! Differences between search and judge that a time limit explains: of two builds the faster one gets further before time is up.
//!
//! Must hold: a difference in a goal that a run which came to its end covers is none of these.

use coverage::{GoalId, GoalSet, Goals};
use native::judge::{Judge, TestEnd, TestRun};
use program::Program;
use report::judge::{Comparison, Difference};
use report::suite::{Outcome, Test};

use crate::error::Result;

/// The differences that no time limit explains, in words. How many goals the others are about is noted.
///
/// # Errors
/// The judge's tools fail.
pub fn differences(
    comparison: &Comparison<'_>,
    (model, goals): (&Program, &Goals),
    (tests, runs): (&[Test], &[TestRun]),
    judge: &Judge,
    notes: &mut Vec<String>,
) -> Result<Vec<String>> {
    let is_late = |(test, run): &(&Test, &TestRun)| {
        test.outcome == Outcome::Timeout || matches!(run.end, TestEnd::Timeout)
    };
    let (late, timely): (Vec<_>, Vec<_>) = tests.iter().zip(runs).partition(is_late);
    let in_words = |found: Vec<Difference>| found.iter().map(ToString::to_string).collect();
    let all = comparison.differences();
    if late.is_empty() || all.is_empty() {
        return Ok(in_words(all));
    }
    let timely: Vec<TestRun> = timely.into_iter().map(|(_, run)| run.clone()).collect();
    let nothing = GoalSet::new(goals);
    let counted = match timely.iter().any(|run| !run.profiles.is_empty()) {
        true => Comparison::new(model, goals, &nothing, &judge.report(&timely)?).covered(),
        false => nothing,
    };
    let is_excused = |goal: GoalId, engine: bool| match engine {
        true => late.iter().any(|(test, _)| test.goals.contains(&goal)),
        false => !counted.contains(goal),
    };
    let (rest, excused) = comparison.differences_but(&is_excused);
    if excused > 0 {
        let tests = match late.len() {
            1 => "1 test that a time limit ends covers".to_owned(),
            count => format!("{count} tests that a time limit ends cover"),
        };
        notes.push(format!(
            "{tests} more in one build than in the other ({excused} goals): the judge's count stands"
        ));
    }
    Ok(in_words(rest))
}
