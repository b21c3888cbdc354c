//! What happens beside the calls that one sees: handlers, threads, functions that the C library calls back, memory that it writes.
//! Each program of `tests/beside` reaches `target` for one byte of input, by such a way; no proof may say that it does not.

use std::path::Path;
use std::process::ExitCode;

use e2e::{long, run, shown, sources_in};
use libtest_mimic::{Arguments, Failed, Trial};

fn main() -> ExitCode {
    let programs = sources_in("tests/beside").into_iter();
    let trials = programs.map(|(name, path)| Trial::test(name, move || is_reached(&path)));
    libtest_mimic::run(&Arguments::from_args(), trials.collect()).exit_code()
}

/// By all that there is, which reaches it; in the long variant by looking backward alone, too, with and without the proofs before it.
fn is_reached(program: &Path) -> Result<(), Failed> {
    let dir = tempfile::tempdir()?;
    let program = &*program.to_string_lossy();
    let target = ["reach", program, "--cflags=-w", "--at", "function:target"];
    let all = [
        &[][..],
        &["--only", "backward"],
        &["--only", "backward", "--no-proofs"],
    ];
    for how in all.into_iter().take(if long() { 3 } else { 1 }) {
        let given = ["--stdin", "2", "-t", "8s", "--fresh"];
        let words = [&target[..], how, &given, &["--", "-a"]].concat();
        let said = shown(&run(dir.path(), &words));
        let is_proved = said.contains("unreachable") || said.contains("wrong proof");
        let is_open = how.is_empty() && !said.contains("1 of 1 target reached");
        if is_proved || is_open {
            return Err(format!("{how:?}: {said}").into());
        }
    }
    Ok(())
}
