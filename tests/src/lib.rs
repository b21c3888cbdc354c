//! Helpers of the end-to-end tests: where the built command is, how to run it, and what the comments of a C file promise.

pub mod pages;
pub mod random_c;
pub mod signatures;
pub mod truth;

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
    let output = Command::new(bothways())
        .args(args)
        .current_dir(dir)
        .output()
        .expect("bothways starts");
    // A campaign goes on behind a fault of ours: no test may miss it.
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(!said.contains("(fault 1 of"), "{}", shown(&output));
    output
}

/// Runs `bothways` with these arguments, `--json` among them, beside a file `a.c` with this source: covered goals, and all. The
/// judge must agree with the engine.
///
/// # Panics
/// When the run fails, or the judge differs.
#[must_use]
pub fn covered(source: &str, args: &str) -> (u64, u64) {
    let dir = tempfile::tempdir().expect("a temporary folder");
    std::fs::write(dir.path().join("a.c"), source).expect("writes");
    let args: Vec<&str> = args.split_whitespace().collect();
    let output = run(dir.path(), &args);
    assert_eq!(output.status.code(), Some(0), "{}", shown(&output));
    let report: serde_json::Value = serde_json::from_slice(&output.stdout).expect("JSON");
    let differences = &report["judge"]["differences"];
    assert_eq!(*differences, serde_json::json!([]), "{report}");
    let number = |name: &str| report["goals"][name].as_u64().expect("a number");
    (number("covered"), number("total"))
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

/// The JSON object that a command printed.
///
/// # Panics
/// It printed something else.
#[must_use]
pub fn json(output: &Output) -> serde_json::Value {
    serde_json::from_slice(&output.stdout).unwrap_or_else(|_| panic!("{}", shown(output)))
}

/// Whether the long variant of a test was asked for (`make test-long`).
#[must_use]
pub fn long() -> bool {
    std::env::var_os("BOTHWAYS_LONG").is_some()
}

/// Seeds of generated programs: `BOTHWAYS_SEEDS=FIRST..END`, or so many from 0.
#[must_use]
pub fn seeds(count: u64) -> std::ops::Range<u64> {
    let named = std::env::var("BOTHWAYS_SEEDS").ok().and_then(|text| {
        let (first, end) = text.split_once("..")?;
        Some(first.parse().ok()?..end.parse().ok()?)
    });
    named.unwrap_or(0..count)
}

/// The C files of a folder in the order of their names, with the names that their tests have.
///
/// # Panics
/// When the folder cannot be read.
#[must_use]
pub fn sources_in(folder: &str) -> Vec<(String, PathBuf)> {
    let entries =
        std::fs::read_dir(root().join(folder)).unwrap_or_else(|error| panic!("{folder}: {error}"));
    let mut sources: Vec<(String, PathBuf)> = entries
        .filter_map(|entry| Some(entry.ok()?.path()))
        .filter(|path| path.extension().is_some_and(|extension| extension == "c"))
        .filter_map(|path| Some((path.file_stem()?.to_string_lossy().into_owned(), path)))
        .collect();
    sources.sort();
    sources
}

/// What stands behind `// KEY:` in a C file.
#[must_use]
pub fn comment<'a>(text: &'a str, key: &str) -> Option<&'a str> {
    let prefix = format!("// {key}:");
    text.lines()
        .find_map(|line| line.strip_prefix(prefix.as_str()))
        .map(str::trim)
}

/// What an answer says of proofs that a test refutes: nothing.
///
/// # Errors
/// It says something.
pub fn no_wrong_proof(answer: &serde_json::Value) -> Result<(), String> {
    let notes = answer["notes"].as_array().into_iter().flatten();
    let mut wrong = notes.filter(|note| {
        note.as_str()
            .is_some_and(|note| note.starts_with("wrong proof"))
    });
    wrong.next().map_or(Ok(()), |note| Err(note.to_string()))
}

/// Runs `bothways test` on a C file as its comments say, and compares covered, total and infeasible goals, and the
/// engine's count with the judge's. Its answer.
///
/// # Errors
/// What is not as promised.
pub fn check_counts(dir: &Path, path: &Path, more: &[&str]) -> Result<serde_json::Value, String> {
    let text = std::fs::read_to_string(path).map_err(|error| error.to_string())?;
    let expect = comment(&text, "expect").ok_or("no `// expect:` line")?;
    let field = |name: &str| {
        expect
            .split_whitespace()
            .find_map(|word| word.strip_prefix(name))
            .ok_or(format!("no {name} in '{expect}'"))
    };
    let number = |text: &str| {
        text.parse::<u64>()
            .map_err(|error| format!("{text}: {error}"))
    };
    let (covered, total) = field("branches=")?
        .split_once('/')
        .ok_or("branches=COVERED/TOTAL")?;
    let wanted = (
        number(covered)?,
        number(total)?,
        number(field("infeasible=")?)?,
    );
    let source = path.display().to_string();
    let mut args = vec!["test", &source, "--json", "--quiet"];
    args.extend(more);
    if let Some(function) = comment(&text, "function") {
        args.extend(["--function", function]);
    }
    args.extend(comment(&text, "args").unwrap_or("").split_whitespace());
    let output = run(dir, &args);
    if output.status.code() != Some(0) {
        return Err(shown(&output));
    }
    let json: serde_json::Value =
        serde_json::from_slice(&output.stdout).map_err(|error| error.to_string())?;
    no_wrong_proof(&json)?;
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
    if found != wanted || differences != Some(0) {
        return Err(format!(
            "(covered, total, infeasible): expected {wanted:?}, got {found:?}\n{}",
            shown(&output)
        ));
    }
    Ok(json)
}

/// Is this one of the `1 / part` of all names that the fast variant of a suite takes? Its own name decides, so that a new program
/// changes nothing for the others.
#[must_use]
pub fn one_in(part: u32, name: &str) -> bool {
    // FNV-1a: no hasher of the standard library promises to stay the same.
    let hash = name.bytes().fold(0x811c_9dc5_u32, |hash, byte| {
        (hash ^ u32::from(byte)).wrapping_mul(0x0100_0193)
    });
    (hash >> 8).is_multiple_of(part)
}
