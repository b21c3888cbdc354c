//! `csmith`'s random C programs, plain and with symbolic inputs.

use std::path::Path;
use std::process::Command;

/// Flags of the compiler that csmith's programs want.
pub const FLAGS: &[&str] = &["-I/usr/include/csmith", "-w"];

/// csmith's program of this seed.
///
/// # Errors
/// csmith cannot be started, or makes no text.
pub fn csmith(dir: &Path, seed: u32) -> Result<String, String> {
    let seed = seed.to_string();
    let generated = Command::new("csmith")
        .args(["--seed", &seed, "--max-funcs", "6"])
        .args(["--max-block-size", "4", "--no-packed-struct"])
        .current_dir(dir)
        .output()
        .map_err(|error| error.to_string())?;
    String::from_utf8(generated.stdout).map_err(|error| error.to_string())
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

/// The first element of an array that is declared so: `g_5[4][3]` itself is none of its elements.
fn first_element(declared: &str) -> String {
    let mut parts = declared.split('[');
    let name = parts.next().unwrap_or_default();
    name.to_owned() + &"[0]".repeat(parts.count())
}

/// Makes each integer global of a program of csmith's symbolic, with its initial value as the concrete one.
///
/// # Panics
/// The program is not csmith's.
#[must_use]
pub fn symbolic(source: &str) -> String {
    let mut calls = String::new();
    for line in source.lines() {
        let mut words = line.split_whitespace();
        if words.next() == Some("static")
            && words.next().is_some_and(|word| word.ends_with("_t"))
            && let Some(name) = words.next().filter(|name| name.starts_with("g_"))
            && words.next() == Some("=")
        {
            let first = first_element(name);
            calls.push_str(&format!(
                "    masked(&{first}, sizeof {first}, \"{name}\");\n"
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
