//! `bothways cc` and `bothways c++`: clang, with instrumentation.
//!
//! What must hold: whatever clang would accept is accepted, its diagnostics come through untouched, and its exit
//! code is ours. A command that neither compiles nor links (`-E`, `--version`, …) is clang's alone.

pub mod args;
pub mod compile;
pub mod link;
pub mod support;

use std::ffi::OsStr;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Command as Process, ExitCode};

use anyhow::{Context, Result};
use native::toolchain::Toolchain;

use self::args::{Command, Mode};
use crate::errors::Printed;

/// Which driver.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Language {
    /// `clang`.
    C,
    /// `clang++`.
    Cxx,
}

/// A compiler: clang and what we link with.
pub struct Compiler {
    /// Driver.
    pub language: Language,
    /// clang and its companions.
    pub toolchain: Toolchain,
    /// Headers, runtime, models.
    pub support: support::Support,
}

impl Compiler {
    /// Finds clang and our own parts.
    ///
    /// # Errors
    /// What is missing, and the package that has it.
    pub fn find(language: Language) -> Result<Compiler> {
        let toolchain = Toolchain::find()?;
        let support = support::Support::find(&toolchain)?;
        Ok(Compiler {
            language,
            toolchain,
            support,
        })
    }

    /// A clang process of the right language.
    pub fn clang(&self) -> Process {
        Process::new(match self.language {
            Language::C => self.toolchain.clang.clone(),
            Language::Cxx => self.toolchain.clangxx(),
        })
    }

    /// Does what a command line asks.
    ///
    /// # Errors
    /// clang's failure, as [`Printed`]; ours in words.
    pub fn execute(&self, command: &Command) -> Result<()> {
        match command.mode {
            Mode::PassThrough => unreachable!("handled by run"),
            Mode::Assemble | Mode::Compile => {
                for input in &command.sources {
                    let output = command
                        .output
                        .clone()
                        .unwrap_or_else(|| default_output(&input.path, command.mode));
                    compile::compile(self, command, input, &output)?;
                }
                Ok(())
            }
            Mode::Link => self.compile_and_link(command),
        }
    }

    fn compile_and_link(&self, command: &Command) -> Result<()> {
        let scratch = tempfile::tempdir().context("cannot make a temporary folder")?;
        let mut objects = Vec::new();
        for (index, input) in command.sources.iter().enumerate() {
            let name = input
                .path
                .file_stem()
                .and_then(OsStr::to_str)
                .unwrap_or("input");
            let output = scratch.path().join(format!("{index}-{name}.o"));
            compile::compile(self, command, input, &output)?;
            objects.push(output);
        }
        link::link(self, command, &objects)
    }
}

/// Runs `bothways cc ARGS`.
///
/// # Errors
/// Ours in words; clang's own failures are exit codes.
pub fn run(language: Language, args: &[String]) -> Result<ExitCode> {
    let command = Command::parse(args)?;
    if command.mode == Mode::PassThrough {
        let toolchain = Toolchain::find()?;
        let clang = if language == Language::C {
            toolchain.clang.clone()
        } else {
            toolchain.clangxx()
        };
        let ours = |arg: &&String| !arg.starts_with("-fbothways-");
        let error = Process::new(&clang).args(args.iter().filter(ours)).exec();
        return Err(error).with_context(|| format!("cannot run {}", clang.display()));
    }
    Compiler::find(language)?.execute(&command)?;
    Ok(ExitCode::SUCCESS)
}

/// clang's name for the output of a source.
fn default_output(source: &Path, mode: Mode) -> PathBuf {
    let extension = if mode == Mode::Assemble { "s" } else { "o" };
    Path::new(source.file_name().unwrap_or_default()).with_extension(extension)
}

/// Runs a compiler process whose diagnostics go to the user as they are.
///
/// # Errors
/// It could not be started, or it failed and said why itself.
pub fn run_visibly(process: &mut Process) -> Result<()> {
    let status = process
        .status()
        .with_context(|| format!("cannot run {}", process.get_program().to_string_lossy()))?;
    if status.success() {
        return Ok(());
    }
    Err(Printed(
        status
            .code()
            .and_then(|code| u8::try_from(code).ok())
            .unwrap_or(1),
    )
    .into())
}
