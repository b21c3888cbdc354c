//! Every program under `tests/programs`: `cgs:endless` covers every reachable branch, and the engine's count is the judge's.
//!
//! Expectations stand in the program's first comment lines, see `tests/programs/README.md`.

use std::path::Path;
use std::process::ExitCode;

use e2e::{check_counts, sources_in};
use libtest_mimic::{Arguments, Failed, Trial};

fn main() -> ExitCode {
    let trials = sources_in("tests/programs")
        .into_iter()
        .map(|(name, path)| Trial::test(name, move || check(&path)));
    libtest_mimic::run(&Arguments::from_args(), trials.collect()).exit_code()
}

fn check(path: &Path) -> Result<(), Failed> {
    let dir = tempfile::tempdir()?;
    check_counts(
        dir.path(),
        path,
        &["--time", "300", "--strategy", "cgs:endless"],
    )?;
    Ok(())
}
