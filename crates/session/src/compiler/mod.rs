//! The compiler driver: clang, with instrumentation.
//!
//! What must hold: whatever clang would accept is accepted, its diagnostics go to standard error untouched, and its exit
//! code is in the error. In place of another compiler, what clang refuses for a warning's sake is accepted too ([`strict`]). A command that neither compiles nor links (`-E`, `--version`, …) is clang's alone.

pub mod args;
pub mod compile;
pub mod contents;
pub mod link;
pub mod model;
pub mod strict;
pub mod support;
mod weak;
pub mod words;

use native::scratch::Temporary;
use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};
use std::process::Command as Process;

use crate::error::{Context, Error, Result};
use native::toolchain::Toolchain;

use self::args::{Command, Input, Mode};

/// The flag for code of 32 bits.
pub const NARROW: &str = "-m32";

/// The language of a driver: C or C++.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Language {
    /// `clang`.
    C,
    /// `clang++`.
    Cxx,
}

impl Language {
    /// The language of a source file, by the extension of its name.
    pub fn of(source: &Path) -> Language {
        let extension = source.extension().and_then(|extension| extension.to_str());
        match extension {
            Some("cc" | "cpp" | "cxx" | "C") => Language::Cxx,
            _ => Language::C,
        }
    }

    /// clang's driver for it.
    pub fn driver(self, toolchain: &Toolchain) -> PathBuf {
        match self {
            Language::C => toolchain.clang.clone(),
            Language::Cxx => toolchain.clangxx(),
        }
    }
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
        Process::new(self.language.driver(&self.toolchain))
    }

    /// Does what a command line asks. [`Command::note`] says what is left out; what is returned, what was done otherwise.
    ///
    /// # Errors
    /// clang's failure, as [`crate::Error::Compiler`]; ours in words.
    pub fn execute(&self, command: &Command) -> Result<Vec<String>> {
        let mut notes = Vec::new();
        // Objects may be for other worlds than programs under test.
        if command.is_narrow() && matches!(command.mode, Mode::Link) {
            crate::error::bail!(
                "there is no instrumented code of 32 bits (-m32): give the C sources to `bothways test`, which runs their model"
            );
        }
        if command.precompiles() {
            return each(&command.sources, |input| {
                compile::precompile(self, command, input)
            })
            .map(|()| notes);
        }
        match command.mode {
            Mode::PassThrough => unreachable!("clang does it alone"),
            Mode::Assemble | Mode::Compile => each(&command.sources, |input| {
                let path = command
                    .output
                    .clone()
                    .unwrap_or_else(|| default_output(&input.path, command.mode));
                let named = path.clone();
                let output = compile::Output { path, named };
                notes.extend(compile::compile(self, command, input, &output)?);
                Ok(())
            })?,
            Mode::Link => self.compile_and_link(command, &mut notes)?,
        }
        Ok(notes)
    }

    fn compile_and_link(&self, command: &Command, notes: &mut Vec<String>) -> Result<()> {
        let scratch = Temporary::new().context("cannot make a temporary folder")?;
        let mut objects = Vec::new();
        each(&command.sources, |input| {
            let name = input
                .path
                .file_stem()
                .and_then(OsStr::to_str)
                .unwrap_or("input");
            let output = compile::Output {
                path: scratch.path().join(format!("{}-{name}.o", objects.len())),
                named: command
                    .output
                    .clone()
                    .unwrap_or_else(|| default_output(&input.path, command.mode)),
            };
            objects.push(output.path.clone());
            notes.extend(compile::compile(self, command, input, &output)?);
            Ok(())
        })?;
        link::link(self, command, &objects)
    }

    /// Flags with which clang alone preprocesses what we compile.
    pub fn preprocessor_flags(&self) -> Vec<OsString> {
        let mut flags: Vec<OsString> = ["-D__BOTHWAYS__=1", "-U_FORTIFY_SOURCE", "-idirafter"]
            .map(OsString::from)
            .into();
        flags.push(self.support.include.clone().into());
        flags
    }
}

/// As clang does: one source that fails does not keep the others from being compiled.
fn each(sources: &[Input], mut compile: impl FnMut(&Input) -> Result<()>) -> Result<()> {
    let mut failed = None;
    for input in sources {
        match compile(input) {
            Err(Error::Compiler { code, said }) => {
                let (first, mut all) = failed.unwrap_or((code, Vec::new()));
                all.extend(Some(said).filter(|said| !said.is_empty()));
                failed = Some((first, all));
            }
            done => done?,
        }
    }
    match failed {
        None => Ok(()),
        Some((code, said)) => Err(Error::Compiler {
            code,
            said: said.join("\n"),
        }),
    }
}

/// clang's name for the output of a source.
fn default_output(source: &Path, mode: Mode) -> PathBuf {
    let extension = if mode == Mode::Assemble { "s" } else { "o" };
    Path::new(source.file_name().unwrap_or_default()).with_extension(extension)
}

/// Length of a command line above which it goes into a response file.
const LONGEST_LINE: usize = 100_000;

/// Runs a compiler process whose diagnostics go to the user as they are.
///
/// # Errors
/// It could not be started, or it failed and said why itself.
pub fn run_visibly(process: &mut Process) -> Result<()> {
    let mut response = None;
    let status = shortened(process, &mut response)?
        .as_mut()
        .unwrap_or(process)
        .status()
        .with_context(|| format!("cannot run {}", process.get_program().to_string_lossy()))?;
    ended(status, String::new())
}

/// The same, but what it says when it fails is in the error, and nowhere else.
///
/// # Errors
/// As [`run_visibly`].
pub fn run_heard(process: &mut Process) -> Result<()> {
    use std::io::Write;
    let mut response = None;
    let output = shortened(process, &mut response)?
        .as_mut()
        .unwrap_or(process)
        .output()
        .with_context(|| format!("cannot run {}", process.get_program().to_string_lossy()))?;
    if output.status.success() {
        // Warnings are the tool's own.
        std::io::stderr().write_all(&output.stderr)?;
    }
    let said = String::from_utf8_lossy(&output.stderr)
        .trim_end()
        .to_owned();
    ended(output.status, said)
}

fn ended(status: std::process::ExitStatus, said: String) -> Result<()> {
    if status.success() {
        return Ok(());
    }
    let code = status.code().and_then(|code| u8::try_from(code).ok());
    Err(Error::Compiler {
        code: code.unwrap_or(1),
        said,
    })
}

/// The same call through a response file, if the system would not take it as it is.
fn shortened(
    process: &Process,
    response: &mut Option<tempfile::NamedTempFile>,
) -> Result<Option<Process>> {
    let length: usize = process.get_args().map(|arg| arg.len() + 1).sum();
    if length < LONGEST_LINE {
        return Ok(None);
    }
    let words: Vec<String> = process
        .get_args()
        .map(|arg| words::response_word(&arg.to_string_lossy()))
        .collect();
    let file = response.insert(tempfile::NamedTempFile::new()?);
    std::fs::write(file.path(), words.join("\n"))?;
    let mut short = Process::new(process.get_program());
    short.arg(format!("@{}", file.path().display()));
    Ok(Some(short))
}
