//! One source to one instrumented object: clang's front end, then our passes.

use std::path::{Path, PathBuf};
use std::process::Command as Process;

use anyhow::{Context, Result};
use llvm::emit::{EmitOptions, Form, Position};
use serde::{Deserialize, Serialize};

use super::args::{Command, Input, Mode, Relocation, parse_level};
use super::{Compiler, run_visibly};

/// How a module was compiled: the JSON that stands in front of its bitcode.
#[derive(Clone, Debug, Serialize, Deserialize, PartialEq, Eq)]
pub struct Meta {
    /// Absolute path of the source.
    pub source: PathBuf,
    /// Folder in which the compiler ran.
    pub directory: PathBuf,
    /// The compiler's flags, without inputs and output.
    pub flags: Vec<String>,
    /// A library model of our own, whose branches are nobody's goal.
    #[serde(default)]
    pub library: bool,
}

/// What the front end always gets. The last definition wins, so these stand behind the user's flags.
const FRONT_END: &[&str] = &[
    // No optimisation before the branches are numbered, but nothing that forbids it afterwards.
    "-O0",
    "-Xclang",
    "-disable-O0-optnone",
    "-Xclang",
    "-disable-llvm-passes",
    "-g",
    // clang's own coverage: our goals, and the judge's count.
    "-fprofile-instr-generate",
    "-fcoverage-mapping",
    "-mllvm",
    "-enable-name-compression=false",
    // The instrumented code is optimised, the judge's is not: overflow and aliasing must mean the same in both.
    "-fwrapv",
    "-fno-strict-aliasing",
    "-fno-delete-null-pointer-checks",
    // Fortified headers want optimisation, and hide the calls that the runtime wraps.
    "-U_FORTIFY_SOURCE",
    "-D__BOTHWAYS__=1",
    "-Wno-unused-command-line-argument",
];

/// Compiles `input` to `output` as `command` says.
///
/// # Errors
/// clang's failure as [`crate::errors::Printed`]; an output that cannot be written; our own pass, named.
pub fn compile(compiler: &Compiler, command: &Command, input: &Input, output: &Path) -> Result<()> {
    if input.is_assembly() {
        return assemble(compiler, command, input, output);
    }
    let bitcode = front_end(compiler, command, input, output)?;
    let meta = Meta {
        source: std::path::absolute(&input.path)?,
        directory: std::env::current_dir()?,
        flags: command.compile_flags.clone(),
        library: false,
    };
    let options = EmitOptions {
        level: level(command)?,
        position: match command.pic {
            Some(Relocation::None) => Position::None,
            Some(Relocation::Pie) => Position::Pie,
            Some(Relocation::Pic) | None => Position::Pic,
        },
        form: if command.mode == Mode::Assemble {
            Form::Assembly
        } else {
            Form::Object
        },
    };
    let object = instrument(&bitcode, &meta, &options)?;
    std::fs::write(output, object).with_context(|| format!("cannot write {}", output.display()))
}

/// Bitcode to instrumented object with its record.
///
/// # Errors
/// Our own pass failed on this source.
pub fn instrument(bitcode: &[u8], meta: &Meta, options: &EmitOptions) -> Result<Vec<u8>> {
    let name = meta.source.display().to_string();
    let failed = || format!("{name}: cannot be instrumented");
    let prepared = llvm::prepare::prepare(bitcode, &name).with_context(failed)?;
    let mut module = llvm::Module::from_bitcode(&prepared.bitcode, &name).with_context(failed)?;
    let numbering = llvm::number::number(&module);
    let instrumentation = llvm::instrument::Options {
        uid: prepared.uid,
        position: options.position,
        library: meta.library,
    };
    llvm::instrument::instrument(&mut module, &numbering, &instrumentation).with_context(failed)?;
    llvm::emit::embed(
        &module,
        prepared.uid,
        &serde_json::to_string(meta)?,
        &prepared.bitcode,
    );
    llvm::emit::emit(&module, options).with_context(failed)
}

/// Runs clang's front end on `input`; the bitcode.
fn front_end(
    compiler: &Compiler,
    command: &Command,
    input: &Input,
    output: &Path,
) -> Result<Vec<u8>> {
    let scratch = tempfile::tempdir().context("cannot make a temporary folder")?;
    let bitcode = scratch.path().join("out.bc");
    let mut clang = compiler.clang();
    front_end_flags(&mut clang, compiler, command);
    if command.names_dependencies {
        clang.arg("-MF").arg(output.with_extension("d"));
    }
    if command
        .compile_flags
        .iter()
        .any(|flag| flag.starts_with("-M") || flag.starts_with("-Wp,-M"))
        && !command.names_target
    {
        clang.arg("-MQ").arg(output);
    }
    if let Some(language) = &input.language {
        clang.arg("-x").arg(language);
    }
    clang
        .args(["-emit-llvm", "-c", "-o"])
        .arg(&bitcode)
        .arg(&input.path);
    run_visibly(&mut clang)?;
    std::fs::read(&bitcode)
        .with_context(|| format!("clang wrote no bitcode for {}", input.path.display()))
}

/// The user's flags and ours.
pub fn front_end_flags(clang: &mut Process, compiler: &Compiler, command: &Command) {
    clang
        .args(&command.compile_flags)
        .args(FRONT_END)
        .arg("-idirafter")
        .arg(&compiler.support.include);
}

fn assemble(compiler: &Compiler, command: &Command, input: &Input, output: &Path) -> Result<()> {
    let mut clang = compiler.clang();
    clang
        .args(&command.compile_flags)
        .arg("-Wno-unused-command-line-argument");
    if let Some(language) = &input.language {
        clang.arg("-x").arg(language);
    }
    let stage = if command.mode == Mode::Assemble {
        "-S"
    } else {
        "-c"
    };
    run_visibly(clang.arg(stage).arg("-o").arg(output).arg(&input.path))
}

/// Optimisation level of the instrumented code: the flag, the environment variable, 2.
fn level(command: &Command) -> Result<u8> {
    match (command.opt_level, std::env::var("BOTHWAYS_OPT")) {
        (Some(level), _) => Ok(level),
        (None, Ok(text)) => parse_level(&text).context("environment variable BOTHWAYS_OPT"),
        (None, Err(_)) => Ok(2),
    }
}
