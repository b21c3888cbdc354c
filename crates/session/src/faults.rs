//! Faults: what the failing tests of a suite have in common, one entry for each cause, and smaller inputs that show the same.
//!
//! What must hold: a minimised test was run and showed the very cause of the test that it comes from.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use explore::KeptTest;
use explore::campaign::Cause;
use explore::minimise::minimise;
use native::judge::Frame;
use path::{Outcome, Target};
use report::Failure;
use report::judge::sanitizer;
use report::suite::{Outcome as Ending, Test, sha256};
use smt::Pool;

use super::function::HARNESS;

/// Runs for one cause.
const RUNS: usize = 300;
/// Runs for one cause where each takes the whole time limit.
const SLOW_RUNS: usize = 6;
/// Causes that are minimised.
const CAUSES: usize = 50;

/// Smaller versions of the tests that failed, with the numbers of these, for as long as `goes_on` says.
pub fn minimised(
    target: &mut dyn Target,
    tests: &[KeptTest],
    goes_on: impl Fn() -> bool,
) -> Vec<(u32, KeptTest)> {
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
        let mut same = |input: &path::InputVector| {
            // A pool of its own for each: nobody needs the terms.
            goes_on()
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
                untaken: Vec::new(),
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
    /// Where the plain build crashed: frames of the program, innermost first.
    pub crash: &'a [Frame],
}

/// The faults, one for each cause, in the order in which they were found.
/// `in_harness`: a harness of ours calls what is tested.
pub fn distinct(
    model: &program::Program,
    evidence: &[Evidence<'_>],
    in_harness: bool,
) -> Vec<Failure> {
    let mut order: Vec<String> = Vec::new();
    let mut groups: BTreeMap<String, Vec<(usize, Failure)>> = BTreeMap::new();
    for one in evidence {
        let Some((key, failure)) = fault(model, one, in_harness) else {
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
fn fault(
    model: &program::Program,
    one: &Evidence<'_>,
    in_harness: bool,
) -> Option<(String, Failure)> {
    let is_own = |file: &str| !(in_harness && is_harness(file));
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
        failure.place = cause
            .edge
            .and_then(|edge| place(model, edge))
            .filter(|(file, ..)| is_own(file))
            .map(|(file, line, col)| format!("{file}:{line}:{col} or after"));
    }
    let frames = one.crash.iter();
    let own: Vec<&Frame> = frames.filter(|frame| is_own(&frame.file)).collect();
    if let (Ending::Signalled(_), Some(frame)) = (one.test.outcome, own.first()) {
        failure.place = Some(at(frame));
        failure.stack = own.iter().map(|frame| frame.function.clone()).collect();
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

/// Where the branch stands that was taken last; `None` in a library model.
fn place(model: &program::Program, edge: program::EdgeId) -> Option<(&str, u32, u32)> {
    let site = &model.sites[model.edges[edge].site];
    if model.functions[site.function].library {
        return None;
    }
    let loc = site.loc?;
    Some((&model.files[loc.file as usize], loc.line, loc.col))
}

/// The file of a harness: its head, and what stands behind the unit that it includes.
fn is_harness(file: &str) -> bool {
    let name = Path::new(file).file_name();
    name.is_some_and(|name| name == HARNESS || name == "harness")
}

fn at(frame: &Frame) -> String {
    let file: PathBuf = Path::new(&frame.file).components().collect();
    let file = file.display();
    match frame.col {
        0 => format!("{file}:{}", frame.line),
        col => format!("{file}:{}:{col}", frame.line),
    }
}
