//! Differential check with `csmith`: random C programs mean the same instrumented and plain, and with their integer
//! globals symbolic no expression differs from its concrete value, in the program or in the engine.
//!
//! One trial a seed: 3, or 500 with `BOTHWAYS_LONG`. A failing seed is reproduced by its number.

use std::fs;
use std::path::Path;
use std::process::{Command, ExitCode, Output};

use e2e::random_c::{FLAGS, csmith, symbolic};
use e2e::{bothways, long, no_wrong_proof, run, shown};
use libtest_mimic::{Arguments, Failed, Trial};

fn main() -> ExitCode {
    let seeds = if long() { 500 } else { 3 };
    let trials = (0..seeds).map(|seed| Trial::test(format!("seed_{seed:03}"), move || check(seed)));
    libtest_mimic::run(&Arguments::from_args(), trials.collect()).exit_code()
}

fn check(seed: u32) -> Result<(), Failed> {
    let dir = tempfile::tempdir()?;
    let source = csmith(dir.path(), seed)?;
    fs::write(dir.path().join("plain.c"), &source)?;
    fs::write(dir.path().join("symbolic.c"), symbolic(&source))?;

    compile(
        dir.path(),
        Command::new("clang-19")
            .arg("-O0")
            .args(FLAGS)
            .args(["plain.c", "-o", "plain"]),
    )?;
    let plain = Command::new("timeout")
        .args(["5", "./plain"])
        .current_dir(dir.path())
        .output()?;
    if !plain.status.success() {
        return Ok(()); // csmith does not promise that its programs end
    }
    compile(
        dir.path(),
        Command::new(bothways())
            .args(["cc", "-O2"])
            .args(FLAGS)
            .args(["plain.c", "-o", "ours"]),
    )?;
    let ours = Command::new("timeout")
        .args(["60", "./ours"])
        .current_dir(dir.path())
        .output()?;
    if ours.stdout != plain.stdout {
        return Err(format!(
            "checksums differ\nplain {}\nours {}",
            shown(&plain),
            shown(&ours)
        )
        .into());
    }

    let flags = FLAGS.join(" ");
    let args = [
        "test",
        "symbolic.c",
        "--check",
        "--iterations",
        "3",
        "--time",
        "60",
        "--timeout",
        "20",
        "--quiet",
        "--json",
    ];
    let checked = run(dir.path(), &[&args[..], &["--cflags", &flags]].concat());
    if checked.status.code() != Some(0) {
        return Err(format!("check mode: {}", shown(&checked)).into());
    }
    // What is proved is covered by no run.
    no_wrong_proof(&serde_json::from_slice(&checked.stdout)?)?;
    Ok(())
}

fn compile(dir: &Path, command: &mut Command) -> Result<Output, Failed> {
    let output = command.current_dir(dir).output()?;
    if output.status.success() {
        Ok(output)
    } else {
        Err(shown(&output).into())
    }
}
