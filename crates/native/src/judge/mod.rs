//! The judge: every test on a plain clang build, counted by `llvm-cov`.
//!
//! Must hold: nothing here looks at what the engine recorded; a test that crashes, aborts or runs out of time counts
//! for what it reached.

pub mod build;
pub mod facts;
pub mod profile;
mod run;

use std::io;

pub use build::{Build, Replay, Unit, build};
pub use facts::{Facts, Frame};
pub use run::{Judge, JudgeConfig, Patience, TestCase, TestEnd, TestRun, write_files};

use crate::toolchain::ToolError;

/// The judge could not do its work. (A test that fails is no error.)
#[derive(Debug, thiserror::Error)]
pub enum JudgeFault {
    /// A tool is missing.
    #[error(transparent)]
    Tool(#[from] ToolError),
    /// A tool failed.
    #[error("{tool} failed ({status}){}{text}", if text.is_empty() { "" } else { ":\n" })]
    Failed {
        /// Which.
        tool: String,
        /// How.
        status: String,
        /// What it said.
        text: String,
    },
    /// A file or a process that could not be made.
    #[error("{what}: {error}")]
    Io {
        /// What was tried.
        what: String,
        /// The system's answer.
        error: io::Error,
    },
    /// No test left a profile.
    #[error(
        "none of the {tests} tests wrote a profile: the program overwrites or kills what writes it"
    )]
    NoProfile {
        /// How many tests were run.
        tests: usize,
    },
    /// `llvm-cov` said something that we cannot read.
    #[error(transparent)]
    Export(#[from] report::judge::JudgeError),
}

impl JudgeFault {
    fn io(what: impl Into<String>) -> impl FnOnce(io::Error) -> JudgeFault {
        let what = what.into();
        move |error| JudgeFault::Io { what, error }
    }

    fn path(verb: &str, path: &std::path::Path) -> impl FnOnce(io::Error) -> JudgeFault + use<> {
        JudgeFault::io(format!("cannot {verb} {}", path.display()))
    }
}

/// Runs a tool; its standard output.
fn call(
    tool: &std::path::Path,
    command: &mut std::process::Command,
) -> Result<Vec<u8>, JudgeFault> {
    let output = command
        .stdin(std::process::Stdio::null())
        .output()
        .map_err(JudgeFault::path("start", tool))?;
    if output.status.success() {
        return Ok(output.stdout);
    }
    Err(JudgeFault::Failed {
        tool: tool
            .file_name()
            .unwrap_or(tool.as_os_str())
            .to_string_lossy()
            .into_owned(),
        status: output.status.to_string(),
        text: String::from_utf8_lossy(&output.stderr)
            .trim_end()
            .to_owned(),
    })
}
