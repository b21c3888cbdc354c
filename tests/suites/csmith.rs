//! Differential check with `csmith`: random C programs mean the same instrumented and plain, and with their integer
//! globals symbolic no expression differs from its concrete value, in the program or in the engine.
//!
//! One trial a seed: 50, or 500 with `BOTHWAYS_LONG`. A failing seed is reproduced by its number.

use std::fs;
use std::path::Path;
use std::process::{Command, ExitCode, Output};

use e2e::{bothways, long, no_wrong_proof, run, shown};
use libtest_mimic::{Arguments, Failed, Trial};

fn main() -> ExitCode {
    let seeds = if long() { 500 } else { 50 };
    let trials = (0..seeds).map(|seed| Trial::test(format!("seed_{seed:03}"), move || check(seed)));
    libtest_mimic::run(&Arguments::from_args(), trials.collect()).exit_code()
}

fn check(seed: u32) -> Result<(), Failed> {
    let dir = tempfile::tempdir()?;
    let generated = Command::new("csmith")
        .args([
            "--seed",
            &seed.to_string(),
            "--max-funcs",
            "6",
            "--max-block-size",
            "4",
        ])
        .args(["--no-packed-struct"])
        .current_dir(dir.path())
        .output()?;
    let source = String::from_utf8(generated.stdout)?;
    fs::write(dir.path().join("plain.c"), &source)?;
    fs::write(dir.path().join("symbolic.c"), symbolic(&source))?;

    compile(
        dir.path(),
        Command::new("clang-19")
            .arg("-O0")
            .args(CSMITH)
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
            .args(CSMITH)
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

    let flags = CSMITH.join(" ");
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

const CSMITH: &[&str] = &["-I/usr/include/csmith", "-w"];

fn compile(dir: &Path, command: &mut Command) -> Result<Output, Failed> {
    let output = command.current_dir(dir).output()?;
    if output.status.success() {
        Ok(output)
    } else {
        Err(shown(&output).into())
    }
}

/// Makes a value symbolic that keeps its concrete value: inputs are 0 at first.
const MASKED: &str = r#"
#include "bothways.h"
static void masked(void *at, unsigned long bytes, const char *name) {
    unsigned char mask[16], *to = at;
    bw_bytes(mask, bytes, name);
    for (unsigned long i = 0; i < bytes; i++) to[i] ^= mask[i];
}
"#;

/// Makes each integer global symbolic, with its initial value as the concrete one.
fn symbolic(source: &str) -> String {
    let mut calls = String::new();
    for line in source.lines() {
        let mut words = line.split_whitespace();
        if words.next() == Some("static")
            && words.next().is_some_and(|word| word.ends_with("_t"))
            && let Some(name) = words.next().filter(|name| name.starts_with("g_"))
            && words.next() == Some("=")
        {
            calls.push_str(&format!(
                "    masked(&{name}, sizeof {name}, \"{name}\");\n"
            ));
        }
    }
    let marker = "    crc32_gentab();\n";
    let (head, tail) = source
        .split_once(marker)
        .expect("csmith's main has a checksum table");
    // At least one symbolic input, whatever csmith generated.
    format!("{MASKED}{head}{marker}    {{ int bw_any; bw_int(&bw_any, \"any\"); }}\n{calls}{tail}")
}
