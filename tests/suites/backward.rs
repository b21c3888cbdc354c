//! What looking backward says of programs whose truth is known: `bothways reach --only backward` on each side of each condition of
//! programs with few input bits (`bench::few_bits`), all inputs of which are run on a plain clang build. No side that an input takes may
//! be called unreachable, none that no input takes may be reached, and the checker must believe most of the proofs.
//!
//! One program, or 200 with `BOTHWAYS_LONG`; `BOTHWAYS_SEEDS=FIRST..END` names others.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::process::ExitCode;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU32, Ordering};

use bench::few_bits;
use e2e::truth::{Place, truth};
use e2e::{long, run, seeds, shown};
use libtest_mimic::{Arguments, Failed, Trial};
use serde_json::Value;

/// Bits of input.
const BITS: (u32, u32) = (4, 8);
/// For all sides of a program together: most programs take a small part of it.
const TIME: &str = "10s";
/// What a count says that is computed from two others, where a run ended between them: the path knows better.
const NOT_COME_TO: &str = "llvm-cov counts it where its place is not come to";

fn main() -> ExitCode {
    let seeds = seeds(if long() { 200 } else { 1 });
    let trials = seeds.map(|seed| Trial::test(format!("seed_{seed:03}"), move || check(seed)));
    let done = libtest_mimic::run(&Arguments::from_args(), trials.collect());
    let [sides, reached, dead, proved, checked] =
        [&SIDES, &REACHED, &DEAD, &PROVED, &CHECKED].map(|count| count.load(Ordering::Relaxed));
    // Nothing was run where the trials are listed.
    if sides + dead > 0 {
        println!(
            "{sides} sides that inputs take, {reached} reached; {dead} that none takes, {proved} proved, {checked} of these proofs checked\n"
        );
        for (why, count) in WHY.lock().expect("nobody panics with it").iter() {
            println!("{count:4} {why}");
        }
    }
    done.exit_code()
}

/// Of this process.
static SIDES: AtomicU32 = AtomicU32::new(0);
static REACHED: AtomicU32 = AtomicU32::new(0);
static DEAD: AtomicU32 = AtomicU32::new(0);
static PROVED: AtomicU32 = AtomicU32::new(0);
static CHECKED: AtomicU32 = AtomicU32::new(0);
/// Why sides stay unknown, and proofs are not checked: how often.
static WHY: Mutex<BTreeMap<String, u32>> = Mutex::new(BTreeMap::new());

fn check(seed: u64) -> Result<(), Failed> {
    let dir = tempfile::tempdir()?;
    let made = few_bits(seed, BITS.0, BITS.1);
    fs::write(dir.path().join("a.c"), &made.source)?;
    fs::write(dir.path().join("driver.c"), made.driver())?;
    let truth = truth(dir.path())?;
    // A condition of which no side is taken may be one that the compiler folded.
    let known = |place: &&Place| {
        let (line, col, side) = **place;
        truth[*place] + truth[&(line, col, !side)] > 0
    };
    let places: Vec<Place> = truth.keys().filter(known).copied().collect();
    let answers = answers(dir.path(), &places)?;
    let mut wrong = Vec::new();
    for (place, answer) in places.iter().zip(&answers) {
        let is_taken = truth[place] > 0;
        let verdict = answer["verdict"].as_str().unwrap_or_default();
        let checked = answer["certificate"]["checked"]
            .as_str()
            .unwrap_or_default();
        if checked.contains(NOT_COME_TO) {
            continue;
        }
        let count = |of: &AtomicU32, is: bool| of.fetch_add(u32::from(is), Ordering::Relaxed);
        count(&SIDES, is_taken);
        count(&DEAD, !is_taken);
        count(&REACHED, verdict == "reached");
        count(&PROVED, verdict == "unreachable");
        count(&CHECKED, checked.starts_with("yes"));
        let why = match verdict {
            "unreachable" => (!checked.starts_with("yes")).then(|| checked.to_owned()),
            "unknown" => {
                let whys = answer["why"].as_array().and_then(|whys| whys.last());
                let taken = if is_taken { "taken" } else { "dead" };
                Some(format!("{taken}: {}", whys.unwrap_or(&Value::Null)))
            }
            _ => None,
        };
        if let Some(why) = why {
            *WHY.lock()
                .expect("nobody panics with it")
                .entry(why)
                .or_default() += 1;
        }
        if is_taken && verdict == "unreachable" || !is_taken && verdict == "reached" {
            wrong.push(format!(
                "{place:?} is {verdict}, {} inputs take it: {answer}",
                truth[place]
            ));
        }
    }
    match wrong.is_empty() {
        true => Ok(()),
        false => Err(format!("seed {seed}: {}", wrong.join("\n")).into()),
    }
}

/// The answers for places, in their order.
fn answers(dir: &Path, places: &[Place]) -> Result<Vec<Value>, Failed> {
    let targets: Vec<String> = places
        .iter()
        .map(|(line, col, side)| format!("a.c:{line}:{col}:{side}"))
        .collect();
    let asked = targets.iter().flat_map(|target| ["--at", target.as_str()]);
    let args = "reach a.c --only backward --no-proofs --json --quiet --time".split(' ');
    let args: Vec<&str> = args.chain([TIME]).chain(asked).collect();
    let output = run(dir, &args);
    if output.status.code().is_none_or(|code| code > 1) {
        return Err(shown(&output).into());
    }
    let answer: Value = serde_json::from_slice(&output.stdout)?;
    let list = answer["targets"].as_array().cloned().unwrap_or_default();
    if list.len() != places.len() {
        return Err(format!("{} answers for {} targets", list.len(), places.len()).into());
    }
    Ok(list)
}
