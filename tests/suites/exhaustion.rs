//! Random programs searched in several ways to the end, where there is one. What one search proves no other may cover, all searches
//! that end by exhaustion say the same, and no loss is reported where there is none.
//!
//! Programs of three makers take turns: nested conditions (`bench::synthesize`), few input bits (`bench::few_bits`), and `csmith`
//! with symbolic globals. 3 programs, or 500 with `BOTHWAYS_LONG`; `BOTHWAYS_SEEDS=FIRST..END` names others. A failing one is
//! reproduced by its number.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;
use std::process::{Command, ExitCode};

use bench::few_bits;
use bench::synthesize::synthesize;
use e2e::random_c::{FLAGS, csmith, symbolic};
use e2e::{long, no_wrong_proof, run, seeds, shown};
use libtest_mimic::{Arguments, Failed, Trial};
use serde_json::Value;

/// The searches of each program. They share no code that decides where to go next; one has no proofs, so that nothing keeps it from
/// going where a proof says that nothing goes.
const SEARCHES: [&str; 4] = [
    "--strategy mix",
    "--strategy dfs",
    "--strategy random-branch --seed 7 --no-path-filter",
    "--strategy mix --seed 3 --no-proofs --no-path-filter",
];

fn main() -> ExitCode {
    let numbers = seeds(if long() { 500 } else { 3 });
    // Those of csmith take longest, and the last number is one of them: no core waits for it.
    let trials = numbers.rev().map(|number| {
        let name = format!("{}_{number:03}", Maker::of(number).name());
        Trial::test(name, move || check(number))
    });
    libtest_mimic::run(&Arguments::from_args(), trials.collect()).exit_code()
}

#[derive(Clone, Copy, PartialEq)]
enum Maker {
    Nested,
    FewBits,
    Csmith,
}

impl Maker {
    fn of(number: u64) -> Maker {
        [Maker::Nested, Maker::FewBits, Maker::Csmith][(number % 3) as usize]
    }

    fn name(self) -> &'static str {
        match self {
            Maker::Nested => "nested",
            Maker::FewBits => "few_bits",
            Maker::Csmith => "csmith",
        }
    }

    fn source(self, dir: &Path, number: u64) -> Result<String, String> {
        Ok(match self {
            Maker::Nested => synthesize(30, number).source,
            Maker::FewBits => few_bits(number, 4, 10).source,
            Maker::Csmith => symbolic(&csmith(dir, number as u32)?),
        })
    }

    /// Runs of each search: csmith's programs have far too many paths.
    fn runs(self) -> &'static str {
        match self {
            Maker::Csmith => "15",
            _ => "3000",
        }
    }
}

fn check(number: u64) -> Result<(), Failed> {
    let maker = Maker::of(number);
    let dir = tempfile::tempdir()?;
    fs::write(dir.path().join("a.c"), maker.source(dir.path(), number)?)?;
    let built = run(
        dir.path(),
        &[&["cc", "-g", "a.c", "-o", "program"], FLAGS].concat(),
    );
    if !built.status.success() {
        return Err(shown(&built).into());
    }
    if maker == Maker::Csmith && !ends(dir.path())? {
        return Ok(()); // csmith does not promise that its programs end
    }
    let answers = SEARCHES.map(|how| (how, search(dir.path(), maker, how)));
    let mut proved: Vec<(&str, String)> = Vec::new();
    let mut reached: Vec<(&str, Uncovered)> = Vec::new();
    for (how, answer) in answers {
        let answer = answer?;
        if maker != Maker::Csmith {
            no_loss(how, &answer)?;
        }
        proved.extend(goals(&answer["infeasible"]).map(|goal| (how, goal)));
        let uncovered = goals(&answer["open"]).chain(goals(&answer["infeasible"]));
        reached.push((how, uncovered.collect()));
    }
    for (by, goal) in &proved {
        if let Some((how, _)) = reached.iter().find(|(_, left)| !left.contains(goal)) {
            return Err(format!("{goal}: proved infeasible by '{by}', covered by '{how}'").into());
        }
    }
    Ok(())
}

/// Whether the program comes to its end soon, with all inputs 0.
fn ends(dir: &Path) -> Result<bool, Failed> {
    let mut run = Command::new("timeout");
    let output = run.args(["5", "./program"]).current_dir(dir).output()?;
    Ok(output.status.success())
}

/// Goals that a search left, in words that are the same for each search.
type Uncovered = BTreeSet<String>;

fn search(dir: &Path, maker: Maker, how: &str) -> Result<Value, Failed> {
    let args = format!(
        "test program --json --quiet --time 20 --timeout 5 --iterations {} {how}",
        maker.runs()
    );
    let output = run(dir, &args.split(' ').collect::<Vec<_>>());
    if output.status.code() != Some(0) {
        return Err(format!("{how}: {}", shown(&output)).into());
    }
    let answer: Value = serde_json::from_slice(&output.stdout)?;
    no_wrong_proof(&answer)?;
    // A run that is cut off at its time limit goes less far in one build than in the other.
    let faults = answer["failures"].as_array().into_iter().flatten();
    let cut_off = faults
        .map(|fault| &fault["outcome"])
        .any(|how| how == "timeout");
    if !cut_off && answer["judge"]["differences"] != Value::Array(Vec::new()) {
        return Err(format!("{how}: {}", answer["judge"]).into());
    }
    Ok(answer)
}

fn goals(list: &Value) -> impl Iterator<Item = String> {
    let list = list.as_array().into_iter().flatten();
    list.map(|goal| {
        let place = ["function", "line", "col", "side"].map(|field| goal[field].to_string());
        place.join(" ")
    })
}

/// A search that ended has looked at everything: nothing is open, and nothing was lost but what a constraint pins.
fn no_loss(how: &str, answer: &Value) -> Result<(), Failed> {
    let places = answer["concretised"].as_array().into_iter().flatten();
    let lost: Vec<&Value> = places.filter(|place| place["pinned"] != true).collect();
    if !lost.is_empty() {
        return Err(format!("{how}: a loss where there is none: {lost:?}").into());
    }
    let ended = matches!(
        answer["stopped_by"].as_str(),
        Some("exhausted" | "all-covered")
    );
    let open = answer["open"].as_array().map_or(0, Vec::len);
    if ended && open > 0 && !how.contains("--no-proofs") {
        return Err(format!("{how}: ended with {open} open goals: {}", answer["notes"]).into());
    }
    Ok(())
}
