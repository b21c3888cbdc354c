//! `bothways report SUITE`: the report of a stored suite in any format, without a search.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::{Result, bail};
use clap::Args;
use report::Report;
use session::reports::{self, Wanted, Written};

use crate::exit::DONE;
use crate::flags::names;
use crate::say;

/// What is written if nothing is asked for.
const DEFAULT: &str = "html";

/// Writes the report of a suite in other formats, without running the search again
#[derive(Args, Clone, Debug)]
pub struct Options {
    /// Folder of the suite
    #[arg(value_name = "SUITE")]
    pub suite: PathBuf,

    #[arg(long, value_name = "FORMAT[=PATH]", help = format!(
        "The format, and where it goes, `-` for standard output: {} (may be repeated; default: html, into SUITE/html)",
        names::reports()
    ))]
    pub report: Vec<String>,
}

/// Runs the command.
///
/// # Errors
/// No suite there, no such format, or a place that cannot be written.
pub fn run(options: &Options) -> Result<ExitCode> {
    let words = match options.report.as_slice() {
        [] => vec![DEFAULT.to_owned()],
        words => words.to_vec(),
    };
    let wanted = Wanted::all(&words)?;
    let suites = reports::suites(&options.suite)?;
    if suites.len() != 1 && !wanted.iter().all(Wanted::is_in_suite) {
        let name = options.suite.display();
        bail!("{name} holds several suites: name one of them, or leave `=PATH` out");
    }
    for suite in &suites {
        write(&wanted, &reports::read(suite)?, suite, false)?;
    }
    Ok(ExitCode::from(DONE))
}

/// Writes the reports of one suite, and says where.
///
/// # Errors
/// One of them cannot be written.
pub fn write(wanted: &[Wanted<'_>], report: &Report, suite: &Path, quiet: bool) -> Result<()> {
    for one in wanted {
        match one.write(report, suite)? {
            Written::Text(text) => say::out(&text)?,
            Written::File(path) if !quiet => {
                say::err(format_args!("bothways: wrote {}", path.display()));
            }
            Written::File(_) => {}
        }
    }
    Ok(())
}
