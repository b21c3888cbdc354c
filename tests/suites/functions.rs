//! Every function under `tests/functions`: the harness is written by bothways, every branch that an input reaches is
//! covered, the engine's count is the judge's, and each test replays as it was found.
//!
//! Expectations stand in the first comment lines, see `tests/functions/README.md`.

use std::path::Path;
use std::process::ExitCode;

use e2e::{check_counts, run, shown, sources_in};
use libtest_mimic::{Arguments, Failed, Trial};

fn main() -> ExitCode {
    let trials = sources_in("tests/functions").into_iter().map(|path| {
        let name = path
            .file_stem()
            .expect("a file has a name")
            .to_string_lossy()
            .into_owned();
        Trial::test(name, move || check(&path))
    });
    libtest_mimic::run(&Arguments::from_args(), trials.collect()).exit_code()
}

fn check(path: &Path) -> Result<(), Failed> {
    let dir = tempfile::tempdir()?;
    check_counts(dir.path(), path, &["--time", "60"])?;
    let replayed = run(dir.path(), &["replay", "bothways-out"]);
    if replayed.status.code() != Some(0) {
        return Err(shown(&replayed).into());
    }
    Ok(())
}
