//! Every program under `tests/programs`: `cgs` covers every reachable branch, and the engine's count is the judge's.
//!
//! Expectations stand in the program's first comment lines, see `tests/programs/README.md`.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use e2e::{root, run, shown};
use libtest_mimic::{Arguments, Failed, Trial};

fn main() -> ExitCode {
    let folder = root().join("tests/programs");
    let mut programs: Vec<PathBuf> = fs::read_dir(&folder)
        .expect("tests/programs is there")
        .filter_map(|entry| Some(entry.ok()?.path()))
        .filter(|path| path.extension().is_some_and(|extension| extension == "c"))
        .collect();
    programs.sort();
    let trials = programs.into_iter().map(|path| {
        let name = path
            .file_stem()
            .expect("a file has a name")
            .to_string_lossy()
            .into_owned();
        Trial::test(name, move || check(&path))
    });
    libtest_mimic::run(&Arguments::from_args(), trials.collect()).exit_code()
}

/// What the comments of a program promise.
struct Expectation {
    covered: u64,
    total: u64,
    infeasible: u64,
    args: Vec<String>,
}

fn expectation(text: &str) -> Result<Expectation, Failed> {
    let after = |key: &str| {
        text.lines()
            .find_map(|line| line.strip_prefix(key))
            .map(str::trim)
    };
    let expect = after("// expect:").ok_or("no `// expect:` line")?;
    let field = |name: &str| {
        expect
            .split_whitespace()
            .find_map(|word| word.strip_prefix(name))
            .ok_or(format!("no {name} in '{expect}'"))
    };
    let (covered, total) = field("branches=")?
        .split_once('/')
        .ok_or("branches=COVERED/TOTAL")?;
    Ok(Expectation {
        covered: covered.parse()?,
        total: total.parse()?,
        infeasible: field("infeasible=")?.parse()?,
        args: after("// args:")
            .unwrap_or("")
            .split_whitespace()
            .map(str::to_owned)
            .collect(),
    })
}

fn check(path: &Path) -> Result<(), Failed> {
    let expected = expectation(&fs::read_to_string(path)?)?;
    let dir = tempfile::tempdir()?;
    let source = path.display().to_string();
    let mut args = vec![
        "test",
        &source,
        "--json",
        "--quiet",
        "--time",
        "60",
        "--strategy",
        "cgs",
    ];
    args.extend(expected.args.iter().map(String::as_str));
    let output = run(dir.path(), &args);
    if output.status.code() != Some(0) {
        return Err(shown(&output).into());
    }
    let json: serde_json::Value = serde_json::from_slice(&output.stdout)?;
    let got = |pointer: &str| {
        json.pointer(pointer)
            .and_then(serde_json::Value::as_u64)
            .unwrap_or(u64::MAX)
    };
    let found = (
        got("/goals/covered"),
        got("/goals/total"),
        got("/goals/infeasible"),
    );
    let differences = json
        .pointer("/judge/differences")
        .and_then(serde_json::Value::as_array)
        .map(Vec::len);
    if found != (expected.covered, expected.total, expected.infeasible) || differences != Some(0) {
        let wanted = (expected.covered, expected.total, expected.infeasible);
        return Err(format!(
            "(covered, total, infeasible): expected {wanted:?}, got {found:?}\n{}",
            shown(&output)
        )
        .into());
    }
    Ok(())
}
