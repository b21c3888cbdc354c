//! Every function under `tests/functions`: the harness is written by bothways, every branch that an input reaches is
//! covered, the engine's count is the judge's, and each test replays as it was found.
//!
//! Expectations stand in the first comment lines, see `tests/functions/README.md`.

use std::fs;
use std::path::Path;
use std::process::{Command, ExitCode};

use e2e::{check_counts, comment, run, shown, sources_in};
use libtest_mimic::{Arguments, Failed, Trial};

fn main() -> ExitCode {
    let trials = sources_in("tests/functions")
        .into_iter()
        .map(|(name, path)| Trial::test(name, move || check(&path)));
    libtest_mimic::run(&Arguments::from_args(), trials.collect()).exit_code()
}

fn check(path: &Path) -> Result<(), Failed> {
    let dir = tempfile::tempdir()?;
    check_counts(dir.path(), path, &["--time", "300", "--emit", "c-test"])?;
    let replayed = run(dir.path(), &["replay", "bothways-out"]);
    if replayed.status.code() != Some(0) {
        return Err(shown(&replayed).into());
    }
    c_tests(dir.path(), path)
}

/// The tests as C: they compile without a warning, and pass.
fn c_tests(dir: &Path, path: &Path) -> Result<(), Failed> {
    let text = fs::read_to_string(path)?;
    let function = comment(&text, "function").ok_or("no `// function:` line")?;
    let args = comment(&text, "args").unwrap_or("").split_whitespace();
    let source = dir.join(format!("bothways-out/c-test/test_{function}.c"));
    let program = dir.join("c-tests");
    let compiled = Command::new("clang-19")
        .args(args.filter(|word| word.starts_with("-std=")))
        .args(["-Wall", "-Wextra", "-Werror", "-o"])
        .arg(&program)
        .arg(&source)
        .output()?;
    let tests = fs::read_to_string(&source)?;
    if !compiled.status.success() {
        return Err(format!("{}\n{tests}", shown(&compiled)).into());
    }
    let passed = Command::new(&program).output()?;
    if !passed.status.success() || !tests.contains("assert(") {
        return Err(format!("{}\n{tests}", shown(&passed)).into());
    }
    frees_all(&source, &text, &program)
}

/// Under AddressSanitizer they use nothing that is gone, and lose nothing.
fn frees_all(source: &Path, text: &str, program: &Path) -> Result<(), Failed> {
    let args = comment(text, "args").unwrap_or("").split_whitespace();
    let compiled = Command::new("clang-19")
        .args(args.filter(|word| word.starts_with("-std=")))
        .args(["-w", "-g", "-fsanitize=address", "-o"])
        .arg(program)
        .arg(source)
        .output()?;
    let ran = Command::new(program).output()?;
    match compiled.status.success() && ran.status.success() {
        true => Ok(()),
        false => Err(format!(
            "{}\n{}\n{}",
            shown(&compiled),
            shown(&ran),
            fs::read_to_string(source)?
        )
        .into()),
    }
}
