//! Helpers of the end-to-end tests: where the built command is, and how to run it.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

/// Root of the repository.
#[must_use]
pub fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .parent()
        .expect("tests/ is in the repository")
        .to_owned()
}

/// The command under test: built before the tests run (`make build`), or named by `BOTHWAYS`.
///
/// # Panics
/// When it was not built.
#[must_use]
pub fn bothways() -> PathBuf {
    let path = std::env::var_os("BOTHWAYS")
        .map_or_else(|| root().join("target/release/bothways"), PathBuf::from);
    assert!(
        path.is_file(),
        "{} is not built: run `make build` first",
        path.display()
    );
    path
}

/// Runs `bothways` in `dir`.
///
/// # Panics
/// When it cannot be started.
#[must_use]
pub fn run(dir: &Path, args: &[&str]) -> Output {
    Command::new(bothways())
        .args(args)
        .current_dir(dir)
        .output()
        .expect("bothways starts")
}

/// Standard error and output of a run, for messages.
#[must_use]
pub fn shown(output: &Output) -> String {
    format!(
        "{}\n--- stdout\n{}\n--- stderr\n{}",
        output.status,
        String::from_utf8_lossy(&output.stdout),
        String::from_utf8_lossy(&output.stderr)
    )
}

/// Whether the long variant of a test was asked for (`make test-long`).
#[must_use]
pub fn long() -> bool {
    std::env::var_os("BOTHWAYS_LONG").is_some()
}
