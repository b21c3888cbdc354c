//! The expectations of `tests/programs` do not rest on the tool that they test: on a plain clang build, the witnesses of
//! each program cover every branch outcome but those that are marked as unreachable, and `llvm-cov` counts as many
//! outcomes as the first lines say. Needs clang only; see `tests/programs/README.md`.

use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode, Output};

use e2e::{root, shown};
use libtest_mimic::{Arguments, Failed, Trial};
use serde_json::Value;

fn main() -> ExitCode {
    let mut programs: Vec<PathBuf> = fs::read_dir(root().join("tests/programs"))
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

fn check(path: &Path) -> Result<(), Failed> {
    let text = fs::read_to_string(path)?;
    let dir = tempfile::tempdir()?;
    build(path, dir.path())?;
    let mut profiles = Vec::new();
    for (number, witness) in text
        .lines()
        .filter_map(|line| line.strip_prefix("// witness:"))
        .enumerate()
    {
        let test = dir.path().join(format!("{number}.test"));
        let profile = dir.path().join(format!("{number}.profraw"));
        fs::write(
            &test,
            test_file(witness).ok_or(format!("cannot read witness '{witness}'"))?,
        )?;
        // The replay runtime writes the profile when it is terminated.
        Command::new("timeout")
            .args(["--signal=TERM", "--kill-after=5", "1"])
            .arg(dir.path().join("program"))
            .env("BOTHWAYS_TEST", test)
            .env("LLVM_PROFILE_FILE", &profile)
            .stdin(std::process::Stdio::null())
            .output()?;
        if !profile.is_file() {
            return Err(format!("no profile for witness '{witness}'").into());
        }
        profiles.push(profile);
    }
    compare(&text, &export(dir.path(), &profiles)?)
}

/// The program with coverage, and the judge's runtime without.
fn build(path: &Path, dir: &Path) -> Result<(), Failed> {
    let runtime = root().join("crates/runtime");
    let object = dir.join("replay.o");
    succeed(
        Command::new("clang-19")
            .arg("-c")
            .arg(runtime.join("replay/replay.c"))
            .arg("-o")
            .arg(&object),
    )?;
    succeed(
        Command::new("clang-19")
            .args([
                "-O0",
                "-Wall",
                "-Wextra",
                "-Werror",
                "-D__BOTHWAYS__",
                "-fwrapv",
                "-fno-strict-aliasing",
            ])
            .args([
                "-fno-delete-null-pointer-checks",
                "-fprofile-instr-generate",
                "-fcoverage-mapping",
            ])
            .args(["-Wl,--wrap=_exit,--wrap=_Exit,--wrap=quick_exit", "-I"])
            .arg(runtime.join("include"))
            .args([path, &object])
            .args(["-lm", "-o"])
            .arg(dir.join("program")),
    )?;
    Ok(())
}

/// What `llvm-cov export` says of all runs together.
fn export(dir: &Path, profiles: &[PathBuf]) -> Result<Value, Failed> {
    let merged = dir.join("profdata");
    succeed(
        Command::new("llvm-profdata-19")
            .args(["merge", "-o"])
            .arg(&merged)
            .args(profiles),
    )?;
    let profile = format!("-instr-profile={}", merged.display());
    let output = succeed(
        Command::new("llvm-cov-19")
            .arg("export")
            .arg(dir.join("program"))
            .arg(profile),
    )?;
    let export: Value = serde_json::from_slice(&output.stdout)?;
    Ok(export["data"][0].clone())
}

/// Totals against the header, uncovered outcomes against the marks in the source.
fn compare(text: &str, export: &Value) -> Result<(), Failed> {
    let marks = marks(text);
    let open = marks.iter().filter(|mark| mark.open).count();
    let (covered, total) = (
        &export["totals"]["branches"]["covered"],
        &export["totals"]["branches"]["count"],
    );
    let mut expect = format!(
        "// expect: branches={covered}/{total} infeasible={}",
        marks.len() - open
    );
    if open > 0 {
        write!(expect, " open={open}")?;
    }
    if !text.lines().any(|line| line == expect) {
        return Err(format!("the witnesses ask for '{expect}'").into());
    }
    let mut uncovered = Vec::new();
    for branch in export["files"]
        .as_array()
        .into_iter()
        .flatten()
        .flat_map(|file| file["branches"].as_array())
        .flatten()
    {
        let line = usize::try_from(branch[0].as_u64().unwrap_or(0))?;
        if text
            .lines()
            .nth(line - 1)
            .is_some_and(|line| line.contains("folded"))
        {
            continue;
        }
        uncovered.extend((branch[4] == 0).then_some((line, true)));
        uncovered.extend((branch[5] == 0).then_some((line, false)));
    }
    uncovered.sort_unstable();
    let mut marked: Vec<_> = marks.iter().map(|mark| (mark.line, mark.side)).collect();
    marked.sort_unstable();
    if uncovered != marked {
        return Err(format!("uncovered (line, side): {uncovered:?}, marked: {marked:?}").into());
    }
    Ok(())
}

/// `never true`, `never false`, `never …, but open`.
struct Mark {
    line: usize,
    side: bool,
    open: bool,
}

fn marks(text: &str) -> Vec<Mark> {
    let mut marks = Vec::new();
    for (number, line) in text.lines().enumerate() {
        for (word, side) in [("never true", true), ("never false", false)] {
            for (at, _) in line.match_indices(word) {
                let open = line[at + word.len()..].starts_with(", but open");
                marks.push(Mark {
                    line: number + 1,
                    side,
                    open,
                });
            }
        }
    }
    marks
}

/// The judge's test file for a witness; `None` if it is not well written.
fn test_file(witness: &str) -> Option<String> {
    let mut file = String::from("bothways-test 1\n");
    let mut rest = witness.trim_start();
    let mut number = 0;
    while !rest.is_empty() {
        let stdin = rest.starts_with("stdin:\"");
        let quoted = if stdin {
            rest.strip_prefix("stdin:\"")
        } else {
            rest.strip_prefix('"')
        };
        if let Some(quoted) = quoted {
            let (hex, after) = bytes(quoted)?;
            let name = if stdin {
                "stdin stream".to_owned()
            } else {
                format!("x{number} bytes")
            };
            writeln!(file, "{name} {hex}").ok()?;
            rest = after;
        } else {
            let (word, after) = rest.split_once(' ').unwrap_or((rest, ""));
            writeln!(file, "x{number} value {}", value(word)?).ok()?;
            rest = after;
        }
        number += 1;
        rest = rest.trim_start();
    }
    Some(file)
}

/// A number as the test file has it: floats by their bits.
fn value(word: &str) -> Option<String> {
    if word.starts_with("0x")
        || word
            .trim_start_matches('-')
            .bytes()
            .all(|byte| byte.is_ascii_digit())
    {
        return Some(word.to_owned());
    }
    match word.strip_suffix('f').filter(|_| !word.ends_with("inf")) {
        Some(single) => single
            .parse::<f32>()
            .ok()
            .map(|value| format!("0x{:x}", value.to_bits())),
        None => word
            .parse::<f64>()
            .ok()
            .map(|value| format!("0x{:x}", value.to_bits())),
    }
}

/// The bytes of a string up to its closing quote, in hexadecimal, and what follows.
fn bytes(text: &str) -> Option<(String, &str)> {
    let mut hex = String::new();
    let mut at = 0;
    loop {
        let byte = *text.as_bytes().get(at)?;
        at += 1;
        let byte = match byte {
            b'"' => return Some((hex, &text[at..])),
            b'\\' => {
                at += 1;
                match text.as_bytes()[at - 1] {
                    b'x' => {
                        at += 2;
                        u8::from_str_radix(text.get(at - 2..at)?, 16).ok()?
                    }
                    b'n' => b'\n',
                    b't' => b'\t',
                    other => other,
                }
            }
            other => other,
        };
        write!(hex, "{byte:02x}").ok()?;
    }
}

fn succeed(command: &mut Command) -> Result<Output, Failed> {
    let output = command.output()?;
    if output.status.success() {
        Ok(output)
    } else {
        Err(shown(&output).into())
    }
}
