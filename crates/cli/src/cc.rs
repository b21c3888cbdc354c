//! `bothways cc` and `bothways c++`: clang, with instrumentation.
//!
//! What must hold: whatever clang would accept is accepted, its diagnostics come through untouched, and its exit
//! code is ours. What it refuses for a warning's sake alone, other than in a check, is accepted and said. A command that neither compiles nor links (`-E`, `--version`, …) is clang's alone.

use std::ffi::OsString;
use std::os::unix::process::CommandExt;
use std::process::{Command as Process, ExitCode};

use anyhow::{Context, Result};
use native::toolchain::Toolchain;
use session::Error;
use session::compiler::args::{Command, Mode};
use session::compiler::{Compiler, Language};

use crate::say;

/// Runs `bothways cc ARGS`.
///
/// # Errors
/// Ours in words; clang's own failures are exit codes.
pub fn run(language: Language, args: &[String]) -> Result<ExitCode> {
    let parsed = Command::parse(args);
    let is_clangs = match &parsed {
        Ok(command) => command.mode == Mode::PassThrough,
        Err(error) => matches!(error, Error::MissingValue(_)),
    };
    if !is_clangs {
        let mut command = parsed?;
        command.lenient = true;
        return execute(&Compiler::find(language)?, &command);
    }
    if parsed.is_ok_and(|command| command.preprocesses) {
        let compiler = Compiler::find(language)?;
        return clang_itself(compiler.clang(), args, &compiler.preprocessor_flags());
    }
    let toolchain = Toolchain::find()?;
    clang_itself(Process::new(language.driver(&toolchain)), args, &[])
}

/// Compiles and links; clang's exit code is ours.
fn execute(compiler: &Compiler, command: &Command) -> Result<ExitCode> {
    if let Some(note) = command.note() {
        say::err(format_args!("{note}"));
    }
    match compiler.execute(command) {
        Ok(notes) => {
            for note in notes {
                say::err(format_args!("{note}"));
            }
            Ok(ExitCode::SUCCESS)
        }
        Err(Error::Compiler { code, said }) => {
            if !said.is_empty() {
                say::err(format_args!("{said}"));
            }
            Ok(ExitCode::from(code))
        }
        Err(error) => Err(error.into()),
    }
}

/// Becomes clang.
fn clang_itself(mut clang: Process, args: &[String], more: &[OsString]) -> Result<ExitCode> {
    let ours = |arg: &&String| !arg.starts_with("-fbothways-");
    let error = clang.args(args.iter().filter(ours)).args(more).exec();
    Err(error).with_context(|| format!("cannot run {}", clang.get_program().to_string_lossy()))
}
