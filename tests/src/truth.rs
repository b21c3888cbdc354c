//! What is true of a generated program: its driver runs all inputs, or goes through all states, and `llvm-cov` counts.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::process::Command;

use serde_json::Value;

use crate::shown;

/// Why nothing is known.
type Failed = Box<dyn std::error::Error>;

/// Line, column, and which side of the branch there.
pub type Place = (u64, u64, bool);

/// The sides of branches that a list of the JSON object names.
#[must_use]
pub fn places(list: &Value) -> BTreeSet<Place> {
    let list = list.as_array().into_iter().flatten();
    list.filter_map(|goal| {
        let side = goal["side"].as_str()? == "true";
        Some((goal["line"].as_u64()?, goal["col"].as_u64()?, side))
    })
    .collect()
}

/// How often each branch is taken: of the program `a.c` by its driver `driver.c`.
///
/// # Errors
/// Something cannot be built or run.
pub fn truth(dir: &Path) -> Result<BTreeMap<Place, u64>, Failed> {
    let steps: [&[&str]; 5] = [
        &[
            "clang-19",
            "-O0",
            "-w",
            "-c",
            "a.c",
            "-o",
            "a.o",
            "-Dmain=program",
            "-Dexit=leave",
            "-DSTATE=__attribute__((section(\"state\")))",
            "-fprofile-instr-generate",
            "-fcoverage-mapping",
        ],
        &["clang-19", "-O1", "-c", "driver.c", "-o", "driver.o"],
        &[
            "clang-19",
            "-fprofile-instr-generate",
            "a.o",
            "driver.o",
            "-o",
            "truth",
        ],
        &["./truth"],
        &[
            "llvm-profdata-19",
            "merge",
            "-sparse",
            "default.profraw",
            "-o",
            "truth.profdata",
        ],
    ];
    for step in steps {
        command(dir, step)?;
    }
    let text = command(
        dir,
        &[
            "llvm-cov-19",
            "export",
            "-instr-profile",
            "truth.profdata",
            "truth",
        ],
    )?;
    let answer: Value = serde_json::from_slice(&text)?;
    let branches = answer["data"][0]["files"][0]["branches"].as_array();
    let mut truth = BTreeMap::new();
    for branch in branches.ok_or("llvm-cov shows no branches")? {
        let number = |index: usize| branch[index].as_u64().unwrap_or(u64::MAX);
        for (index, side) in [(4, true), (5, false)] {
            *truth.entry((number(0), number(1), side)).or_default() += number(index);
        }
    }
    Ok(truth)
}

fn command(dir: &Path, words: &[&str]) -> Result<Vec<u8>, Failed> {
    let output = Command::new(words[0])
        .args(&words[1..])
        .current_dir(dir)
        .output()?;
    if output.status.success() {
        Ok(output.stdout)
    } else {
        Err(format!("{words:?}: {}", shown(&output)).into())
    }
}
