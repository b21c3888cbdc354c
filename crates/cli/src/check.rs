//! `bothways check`: the certificates of a suite, derived anew.

use std::fmt::Write as _;
use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::Result;
use clap::Args;
use proof::Checked;
use session::certificates;

use crate::exit::{BAD_INPUT, DONE};
use crate::progress::Terminal;
use crate::say;

/// Checks the certificates of infeasible goals again, from the model of the program, with a fresh solver
#[derive(Args, Clone, Debug)]
pub struct Options {
    /// Folder of a suite, or a file of certificates
    #[arg(value_name = "PATH")]
    pub path: PathBuf,

    /// The program that they must be about: C sources, or a program built by `bothways cc`; without it, the model that is
    /// stored beside the certificates
    #[arg(long, value_name = "FILE", num_args = 1..)]
    pub program: Vec<PathBuf>,
}

/// Runs the command.
///
/// # Errors
/// There are no certificates, they were changed, or they are about another program.
pub fn run(options: &Options) -> Result<ExitCode> {
    let program = session::Options {
        inputs: options.program.clone(),
        ..session::Options::default()
    };
    let program = (!options.program.is_empty()).then_some(&program);
    let verdict = certificates::check(&options.path, program, &Terminal::new(true))?;
    let mut text = String::new();
    let (mut derived, mut not, mut refused) = (0, 0, 0);
    for (goal, result) in &verdict.results {
        let place = format!("{}:{}:{} {}", goal.file, goal.line, goal.col, goal.what);
        match result {
            Checked::Yes => derived += 1,
            Checked::No(why) => {
                not += 1;
                let _ = writeln!(text, "{place}: not checked: {why}");
            }
            Checked::Refused(why) => {
                refused += 1;
                let _ = writeln!(text, "{place}: refused: {why}");
            }
        }
    }
    let _ = writeln!(
        text,
        "{derived} of {} certificates hold, {not} cannot be checked, {refused} are refused ({} queries)",
        verdict.results.len(),
        verdict.queries
    );
    say::out(&text)?;
    Ok(ExitCode::from(if refused == 0 { DONE } else { BAD_INPUT }))
}
