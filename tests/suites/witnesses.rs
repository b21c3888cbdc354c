//! The expectations of `tests/programs` do not rest on the tool that they test: on a plain clang build, the witnesses of
//! each program cover every branch outcome but those that are marked as unreachable, and `llvm-cov` counts as many
//! outcomes as the first lines say. Needs clang only; see `tests/programs/README.md`.

use std::ffi::OsString;
use std::fmt::Write as _;
use std::fs;
use std::os::unix::ffi::OsStringExt;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode, Output};

use e2e::{root, shown, sources_in};
use libtest_mimic::{Arguments, Failed, Trial};
use serde_json::Value;

fn main() -> ExitCode {
    let trials = sources_in("tests/programs")
        .into_iter()
        .map(|(name, path)| Trial::test(name, move || check(&path)));
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
        let witness_read =
            Witness::read(witness).ok_or(format!("cannot read witness '{witness}'"))?;
        fs::write(&test, &witness_read.file)?;
        let folder = dir.path().join(format!("{number}.run"));
        fs::create_dir(&folder)?;
        for (name, content) in &witness_read.files {
            fs::write(folder.join(name), content)?;
        }
        // The replay runtime writes the profile when it is terminated. The limit is one of processor time, since no load of the machine
        // may end a run before it has come anywhere.
        Command::new("timeout")
            .args(["--signal=TERM", "--kill-after=5", "60"])
            .args(["prlimit", "--cpu=1:5"])
            .arg(dir.path().join("program"))
            .args(&witness_read.args)
            .current_dir(folder)
            .envs(witness_read.env)
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
    let mut objects = vec!["replay"];
    if fs::read_to_string(path)?.contains("LLVMFuzzerTestOneInput") {
        objects.push("fuzz");
    }
    for name in &objects {
        let source = runtime.join(format!("replay/{name}.c"));
        let compile = ["-c", "-o", &format!("{name}.o")].map(str::to_owned);
        succeed(
            Command::new("clang-19")
                .current_dir(dir)
                .args(compile)
                .arg(source),
        )?;
    }
    let objects = objects.iter().map(|name| dir.join(format!("{name}.o")));
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
            .arg(path)
            .args(objects)
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

/// One input: the judge's test file, and how the program is started.
#[derive(Default)]
struct Witness {
    file: String,
    args: Vec<OsString>,
    env: Vec<(String, OsString)>,
    files: Vec<(String, Vec<u8>)>,
}

impl Witness {
    /// `None` if it is not well written.
    fn read(text: &str) -> Option<Witness> {
        let mut witness = Witness {
            file: String::from("bothways-test 1\n"),
            ..Witness::default()
        };
        let mut rest = text.trim_start();
        let mut number = 0;
        while !rest.is_empty() {
            let name = rest.split_once('"').map_or("", |(name, _)| name);
            if !name.contains(' ') && (name.ends_with(':') || rest.starts_with('"')) {
                let (content, after) = bytes(&rest[name.len() + 1..])?;
                witness.add(name, number, content)?;
                rest = after;
            } else {
                let (word, after) = rest.split_once(' ').unwrap_or((rest, ""));
                writeln!(witness.file, "x{number} value {}", value(word)?).ok()?;
                rest = after;
            }
            number += 1;
            rest = rest.trim_start();
        }
        Some(witness)
    }

    /// `stdin:`, `fuzz:`, `arg:`, `env:NAME:`, `file:NAME:` or, without a name, an array of bytes.
    fn add(&mut self, name: &str, number: u32, content: Vec<u8>) -> Option<()> {
        let hex: String = content.iter().map(|byte| format!("{byte:02x}")).collect();
        match name.split(':').collect::<Vec<_>>()[..] {
            [""] => writeln!(self.file, "x{number} bytes {hex}").ok()?,
            ["stdin" | "fuzz", ""] => {
                writeln!(self.file, "{} stream {hex}", name.trim_end_matches(':')).ok()?;
            }
            ["arg", ""] => self.args.push(OsString::from_vec(content)),
            ["env", variable, ""] => self
                .env
                .push((variable.to_owned(), OsString::from_vec(content))),
            ["file", path, ""] => self.files.push((path.to_owned(), content)),
            _ => return None,
        }
        Some(())
    }
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

/// The bytes of a string up to its closing quote, and what follows.
fn bytes(text: &str) -> Option<(Vec<u8>, &str)> {
    let mut content = Vec::new();
    let mut at = 0;
    loop {
        let byte = *text.as_bytes().get(at)?;
        at += 1;
        content.push(match byte {
            b'"' => return Some((content, &text[at..])),
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
        });
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
