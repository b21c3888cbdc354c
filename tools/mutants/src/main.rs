//! Puts all mutants of some source files into one program, in which a variable chooses one.
//!
//! `mutants FOLDER FILE...` rewrites the files (below `FOLDER`, the `src` of a crate) in place: work on a copy. Each mutant is printed as
//! `ID FILE:LINE:COLUMN: what`, and is active where the environment variable `MUTANT` is its number. Numbers on standard input are left
//! out: those that do not compile. `mutants --which FOLDER FILE...` reads the byte offsets of errors (`FILE OFFSET` a line) and prints
//! the mutants that stand there.
//!
//! The operators are those of `cargo-mutants`: results of functions, binary operators, `!` and `-`, arms of a `match` with a rest, guards.

mod generate;
mod locate;

use std::io::{BufRead, Write};
use std::path::Path;

/// The module that all others ask.
const CHOOSER: &str = r#"
use std::sync::atomic::{AtomicU32, Ordering::Relaxed};

/// Nobody has asked yet.
const OPEN: u32 = u32::MAX;
static ACTIVE: AtomicU32 = AtomicU32::new(OPEN);

/// The active mutant.
pub fn active() -> u32 {
    match ACTIVE.load(Relaxed) {
        OPEN => first(),
        id => id,
    }
}

/// The one that the environment asks for. The first panic then ends the run: one failed test is enough.
#[cold]
fn first() -> u32 {
    let asked = std::env::var("MUTANT").ok().and_then(|text| text.parse().ok());
    let id = asked.unwrap_or(0);
    if id != 0 {
        std::panic::set_hook(Box::new(|_| std::process::exit(101)));
    }
    ACTIVE.store(id, Relaxed);
    id
}

/// Another one, from now on.
#[allow(dead_code)]
pub fn choose(id: u32) {
    ACTIVE.store(id, Relaxed);
}
"#;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut args: Vec<String> = std::env::args().skip(1).collect();
    let lines: Vec<String> = std::io::stdin().lock().lines().collect::<Result<_, _>>()?;
    let mut out = std::io::stdout().lock();
    if args.first().is_some_and(|first| first == "--which") {
        for line in lines {
            let Some((file, offset)) = line.rsplit_once(' ') else {
                continue;
            };
            for id in locate::at(&std::fs::read_to_string(file)?, offset.parse()?)? {
                writeln!(out, "{id}")?;
            }
        }
        return Ok(());
    }
    if args.len() < 2 {
        return Err("usage: mutants FOLDER FILE...".into());
    }
    let folder = args.remove(0);
    let out_of = lines
        .iter()
        .filter_map(|line| line.trim().parse().ok())
        .collect();
    let mut next = 1;
    for name in &args {
        let path = Path::new(&folder).join(name);
        let text = std::fs::read_to_string(&path)?;
        let (text, mutants) = generate::mutated(&text, &mut next, &out_of)?;
        std::fs::write(&path, text)?;
        for mutant in mutants {
            writeln!(
                out,
                "{} {name}:{}:{}: {}",
                mutant.id, mutant.line, mutant.column, mutant.what
            )?;
        }
    }
    std::fs::write(Path::new(&folder).join("mutants_active.rs"), CHOOSER)?;
    let root = Path::new(&folder).join("lib.rs");
    let text = std::fs::read_to_string(&root)?;
    if !text.contains("mod mutants_active;") {
        std::fs::write(&root, format!("{text}\nmod mutants_active;\n"))?;
    }
    Ok(())
}
