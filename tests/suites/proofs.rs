//! What the code alone forbids is found without a search, is explained, and is never refuted by a test.
//!
//! A program in `tests/proofs` lists its proofs: `// CRITERION: LINE:COL GOAL: REASON`, all of them, for `branch` and `mcdc`.

use std::path::Path;
use std::process::ExitCode;

use e2e::{comment, no_wrong_proof, run, shown, sources_in};
use libtest_mimic::{Arguments, Failed, Trial};
use serde_json::Value;

const CRITERIA: [&str; 2] = ["branch", "mcdc"];

fn main() -> ExitCode {
    let mut trials = Vec::new();
    for (name, path) in sources_in("tests/proofs") {
        for criterion in CRITERIA {
            let path = path.clone();
            let name = format!("{name}_{criterion}");
            trials.push(Trial::test(name, move || proofs(&path, criterion)));
        }
    }
    libtest_mimic::run(&Arguments::from_args(), trials).exit_code()
}

fn answer(path: &Path, criterion: &str, more: &[&str]) -> Result<Value, Failed> {
    let dir = tempfile::tempdir()?;
    let source = path.display().to_string();
    let text = std::fs::read_to_string(path)?;
    let mut args = vec![
        "test",
        &source,
        "--json",
        "--quiet",
        "--criterion",
        criterion,
    ];
    args.extend(more);
    // These may end in the program's own.
    args.extend(comment(&text, "args").unwrap_or("").split_whitespace());
    let output = run(dir.path(), &args);
    if output.status.code() != Some(0) {
        return Err(shown(&output).into());
    }
    let answer = serde_json::from_slice(&output.stdout)?;
    no_wrong_proof(&answer)?;
    Ok(answer)
}

fn proofs(path: &Path, criterion: &str) -> Result<(), Failed> {
    let text = std::fs::read_to_string(path)?;
    let prefix = format!("// {criterion}: ");
    let wanted: Vec<&str> = text
        .lines()
        .filter_map(|line| line.strip_prefix(prefix.as_str()))
        .collect();
    // One run exhausts nothing.
    let one = answer(path, criterion, &["--iterations", "1"])?;
    let rows = one["infeasible"].as_array().cloned().unwrap_or_default();
    let found: Vec<String> = rows
        .iter()
        .map(|row| {
            let word = |key: &str| row[key].as_str().unwrap_or("?").to_owned();
            format!(
                "{}:{} {}: {}",
                row["line"],
                row["col"],
                word("side"),
                word("detail")
            )
        })
        .collect();
    if found != wanted {
        return Err(format!(
            "expected:\n{}\ngot:\n{}",
            wanted.join("\n"),
            found.join("\n")
        )
        .into());
    }
    // Attacked by what a search finds; and what an exhausted search says is proved as well.
    let searched = answer(path, criterion, &["--iterations", "300", "--check"])?;
    let blind = answer(path, criterion, &["--iterations", "300", "--no-proofs"])?;
    let number = |answer: &Value, key: &str| answer["goals"][key].as_u64();
    let (with, without) = (&searched["goals"], &blind["goals"]);
    if number(&searched, "covered") != number(&blind, "covered")
        || number(&searched, "infeasible") < number(&blind, "infeasible")
    {
        return Err(format!("{with} with, {without} without").into());
    }
    Ok(())
}
