//! Truth by brute force: programs with few input bits (`bench::few_bits`), all inputs run on a plain clang build. The search must
//! miss no branch that an input takes, refute none of them, and refute nearly all others.
//!
//! 4 programs, or 1,000 with `BOTHWAYS_LONG`; `BOTHWAYS_SEEDS=FIRST..END` names others. A failing seed is reproduced by its number.
//! With `BOTHWAYS_PROOFS_ONLY` each program is run once only, and what is asked is whether a proof that needs no runs is wrong.

use std::fs;
use std::process::ExitCode;

use bench::few_bits;
use e2e::truth::{places, truth};
use e2e::{long, no_wrong_proof, run, seeds, shown};
use libtest_mimic::{Arguments, Failed, Trial};
use serde_json::Value;

/// Programs of one trial: the share that is proved is that of all of them.
const TOGETHER: u64 = 4;
/// Of the branches that no input takes. Each search of the fast variant ends by itself; not all of them could of 12 bits.
const PROVED_PERCENT: u64 = 97;
/// Runs of one search. There are 4,096 inputs at most.
const RUNS: u32 = 6000;
/// Far more than a search of the fast variant takes (half a minute at most): the speed of the machine must not decide.
const TIME: &str = "900s";

fn main() -> ExitCode {
    let std::ops::Range { start: first, end } = seeds(if long() { 1000 } else { 4 });
    let starts = (first..end).step_by(TOGETHER as usize);
    let trials = starts.map(|first| {
        let end = end.min(first + TOGETHER);
        Trial::test(format!("seeds_{first:04}_to_{:04}", end - 1), move || {
            check(first..end)
        })
    });
    libtest_mimic::run(&Arguments::from_args(), trials.collect()).exit_code()
}

fn proofs_only() -> bool {
    std::env::var_os("BOTHWAYS_PROOFS_ONLY").is_some()
}

#[derive(Default)]
struct Figures {
    feasible: u64,
    infeasible: u64,
    proved: u64,
    /// What is wrong, or open though nothing takes it, by seed.
    wrong: Vec<String>,
    open: Vec<String>,
}

fn check(seeds: std::ops::Range<u64>) -> Result<(), Failed> {
    let mut all = Figures::default();
    for seed in seeds {
        one(seed, &mut all)?;
    }
    let Figures {
        feasible,
        infeasible,
        proved,
        wrong,
        open,
    } = all;
    let said = format!(
        "{feasible} feasible, {proved} of {infeasible} infeasible proved\n{}\n{}",
        wrong.join("\n"),
        open.join("\n")
    );
    println!("{said}");
    let too_few = !proofs_only() && 100 * proved < PROVED_PERCENT * infeasible;
    if !wrong.is_empty() || too_few {
        return Err(said.into());
    }
    Ok(())
}

/// Bits of input: in the fast variant few enough for trees that end soon.
fn bits() -> (u32, u32) {
    if long() { (4, 12) } else { (4, 10) }
}

fn one(seed: u64, all: &mut Figures) -> Result<(), Failed> {
    let dir = tempfile::tempdir()?;
    let (least, most) = bits();
    let made = few_bits(seed, least, most);
    fs::write(dir.path().join("a.c"), &made.source)?;
    fs::write(dir.path().join("driver.c"), made.driver())?;
    let truth = truth(dir.path())?;
    let runs = if proofs_only() { 1 } else { RUNS };
    let args = format!("test a.c --json --quiet --time {TIME} --iterations {runs}");
    let args: Vec<&str> = args.split(' ').collect();
    let output = run(dir.path(), &args);
    if output.status.code() != Some(0) {
        return Err(format!("seed {seed}: {}", shown(&output)).into());
    }
    let answer: Value = serde_json::from_slice(&output.stdout)?;
    no_wrong_proof(&answer)?;
    if answer["judge"]["differences"] != serde_json::json!([]) {
        return Err(format!("seed {seed}: {}", answer["judge"]).into());
    }
    // What a search did not come to says nothing of the engine.
    let is_cut = proofs_only() || answer["stopped_by"] == "time";
    let (open, proved) = (places(&answer["open"]), places(&answer["infeasible"]));
    for (&place, &count) in &truth {
        let (line, col, side) = place;
        let said = match (open.contains(&place), proved.contains(&place)) {
            (true, _) => "open",
            (_, true) => "infeasible",
            _ => "covered",
        };
        // A condition that the compiler folded has no sides that count.
        if said == "covered" && count == 0 && truth[&(line, col, !side)] == 0 {
            continue;
        }
        all.feasible += u64::from(count > 0);
        all.infeasible += u64::from(count == 0);
        all.proved += u64::from(count == 0 && said == "infeasible");
        let is_wrong = match is_cut {
            true => (count > 0 && said == "infeasible") || (count == 0 && said == "covered"),
            false => (count > 0) != (said == "covered") && (count > 0 || said == "covered"),
        };
        if is_wrong {
            all.wrong.push(format!(
                "seed {seed}: {line}:{col} {side} is {said}, {count} inputs take it"
            ));
        }
    }
    let left = truth
        .iter()
        .filter(|(place, count)| **count == 0 && open.contains(*place))
        .count();
    if left > 0 {
        all.open.push(format!(
            "seed {seed} ({} bits): {left} open, stopped by {} after {} runs, {:.1} s: {}",
            made.bits(),
            answer["stopped_by"],
            answer["iterations"],
            answer["seconds"].as_f64().unwrap_or(0.0),
            answer["notes"]
        ));
    }
    Ok(())
}
