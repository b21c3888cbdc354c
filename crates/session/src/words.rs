//! What tests say on standard error: the messages of assertions, and of programs that end early.
//!
//! What must hold: these runs say nothing about coverage. A program can see where its output goes (`fstat`, `lseek`) and do something
//! else then, so the runs that are judged have the sinks that runs of the search have.

use std::sync::Arc;

use native::judge::{Judge, JudgeConfig, Patience, TestCase, TestEnd, TestRun};
use report::suite::Test;

use super::error::{Context, Result};

/// Bytes that are read of what a test writes to standard error: enough for an assertion.
const MOST: usize = 1 << 14;

/// Runs those tests again whose words are asked for, and adds the words to the runs that were judged.
///
/// # Errors
/// A test cannot be started.
pub fn add(
    config: &JudgeConfig,
    (tests, cases): (&[Test], &[TestCase]),
    runs: &mut [TestRun],
    is_early: bool,
) -> Result<()> {
    let wanted = |index: usize| {
        let (test, run) = (&tests[index], &runs[index]);
        let says = !test.outcome.is_exit() || test.covers_error || (is_early && index == 0);
        says && matches!(run.end, TestEnd::Ended(_))
    };
    let wanted: Vec<usize> = (0..runs.len()).filter(|&index| wanted(index)).collect();
    if wanted.is_empty() {
        return Ok(());
    }
    let judge = Judge::new(JudgeConfig {
        words: MOST,
        observe: None,
        // The progress counts tests that are judged.
        patience: Patience {
            over: Arc::clone(&config.patience.over),
            ..Patience::default()
        },
        ..config.clone()
    })
    .fault()?;
    let cases: Vec<TestCase> = wanted.iter().map(|&index| cases[index].clone()).collect();
    let again = judge.run_all(&cases).fault()?;
    for (index, run) in wanted.into_iter().zip(again) {
        runs[index].words = run.words;
    }
    Ok(())
}
