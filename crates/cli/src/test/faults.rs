//! Faults: what the failing tests of a suite have in common, one entry for each cause, and smaller inputs that show the same.
//!
//! What must hold: a minimised test was run and showed the very cause of the test that it comes from.

use std::collections::BTreeMap;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use coverage::judge::sanitizer;
use coverage::report::Failure;
use coverage::suite::{Test, sha256};
use explore::campaign::Cause;
use explore::minimise::minimise;
use explore::{KeptTest, Outcome, Target};
use native::NativeTarget;
use smt::Pool;

use super::search::INTERRUPTED;

/// Runs for one cause.
const RUNS: usize = 300;
/// Runs for one cause where each takes the whole time limit.
const SLOW_RUNS: usize = 6;
/// Causes that are minimised.
const CAUSES: usize = 50;
/// Time for all causes; it only matters where runs are slow.
const LIMIT: Duration = Duration::from_secs(20);

/// Smaller versions of the tests that failed, with the numbers of these.
pub fn minimised(target: &mut NativeTarget<'_>, tests: &[KeptTest]) -> Vec<(u32, KeptTest)> {
    let began = Instant::now();
    let mut smaller = Vec::new();
    let mut seen = Vec::new();
    for test in tests {
        let Some(cause) = &test.cause else { continue };
        if seen.contains(cause) || seen.len() >= CAUSES {
            continue;
        }
        seen.push(cause.clone());
        let slow = matches!(test.outcome, Outcome::Timeout | Outcome::Memory);
        let budget = if slow { SLOW_RUNS } else { RUNS };
        let mut same = |input: &explore::InputVector| {
            // A pool of its own for each: nobody needs the terms.
            began.elapsed() < LIMIT
                && !INTERRUPTED.load(Ordering::Relaxed)
                && target
                    .run(&mut Pool::new(), input)
                    .is_ok_and(|run| Cause::of(&run).as_ref() == Some(cause))
        };
        let input = minimise(&test.input, budget, &mut same);
        if input != test.input {
            let kept = KeptTest {
                number: 0,
                input,
                goals: Vec::new(),
                ..test.clone()
            };
            smaller.push((test.number, kept));
        }
    }
    smaller
}

/// What is known of one test.
pub struct Evidence<'a> {
    pub test: &'a Test,
    /// What the engine saw.
    pub cause: Option<&'a Cause>,
    /// What the program wrote to standard error on the plain build.
    pub said: Option<sanitizer::Report>,
    /// What the sanitized build reported.
    pub sanitized: Option<sanitizer::Report>,
}

/// The faults, one for each cause, in the order in which they were found.
pub fn distinct(model: &program::Program, evidence: &[Evidence<'_>]) -> Vec<Failure> {
    let mut order: Vec<String> = Vec::new();
    let mut groups: BTreeMap<String, Vec<(usize, Failure)>> = BTreeMap::new();
    for one in evidence {
        let Some((key, failure)) = fault(model, one) else {
            continue;
        };
        let size = one
            .test
            .streams
            .iter()
            .map(|stream| stream.bytes.len())
            .sum::<usize>()
            + one
                .test
                .values
                .iter()
                .filter(|value| value.bits != 0)
                .count();
        if !groups.contains_key(&key) {
            order.push(key.clone());
        }
        groups.entry(key).or_default().push((size, failure));
    }
    order
        .iter()
        .filter_map(|key| {
            let mut group = groups.remove(key)?;
            // The first of the smallest.
            let best = (0..group.len()).min_by_key(|&index| group[index].0)?;
            let (_, mut failure) = group.remove(best);
            failure.also = group.into_iter().map(|(_, other)| other.test).collect();
            failure.hash = sha256(key.as_bytes())[..8].to_owned();
            Some(failure)
        })
        .collect()
}

/// The fault of a test, and what tells it from others.
fn fault(model: &program::Program, one: &Evidence<'_>) -> Option<(String, Failure)> {
    let mut failure = Failure {
        test: one.test.file_name(),
        outcome: one.test.outcome.in_words(),
        ..Failure::default()
    };
    if let Some(report) = &one.sanitized {
        failure.cause = format!("{}: {}", report.tool, report.message);
        failure.place.clone_from(&report.place);
        failure.stack.clone_from(&report.stack);
        return Some((report.key(), failure));
    }
    if one.test.outcome.is_exit() && !one.test.covers_error {
        return None;
    }
    if let Some(cause) = one.cause {
        let name = |function: &program::FuncId| model.functions[*function].name.clone();
        failure.stack = cause.stack.iter().map(name).collect();
        failure.place = cause.edge.and_then(|edge| place(model, edge));
    }
    if let Some(said) = &one.said {
        failure.cause = format!("{}: {}", said.tool, said.message);
        if said.place.is_some() {
            failure.place.clone_from(&said.place);
        }
    }
    if one.test.covers_error && failure.cause.is_empty() {
        failure.cause = "reach_error was called".to_owned();
    }
    let key = format!(
        "{} {} {} {}",
        failure.outcome,
        failure.cause,
        failure.place.as_deref().unwrap_or_default(),
        failure.stack.join(" ")
    );
    Some((key, failure))
}

/// Where the branch stands that was taken last.
fn place(model: &program::Program, edge: program::EdgeId) -> Option<String> {
    let loc = model.sites[model.edges[edge].site].loc?;
    let file = &model.files[loc.file as usize];
    Some(format!("{file}:{}:{} or after", loc.line, loc.col))
}
