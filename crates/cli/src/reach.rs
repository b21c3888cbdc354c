//! `bothways reach`: an input for each target or a proof that there is none, as text or as JSON, and the exit code.

use anyhow::Result;
use clap::Args;
use report::reach::{self, Verdict};
use session::reach::{Direction, Reached, Request};
use session::{Host, Session};

use crate::exit::{DONE, INTERRUPTED, NOT_MET};
use crate::flags::Common;
use crate::progress::Terminal;
use crate::say;

/// Searches for inputs that reach places of a C program, or for proofs that there are none.
///
/// Targets: FILE:LINE, FILE:LINE:COL:true (a condition), branch:FILE:LINE:true (the first decision of a line), function:NAME,
/// call:NAME, assert, abort. Exit code 0 if each is reached or proved unreachable, 1 otherwise.
#[derive(Args, Clone, Debug)]
pub struct Options {
    #[command(flatten)]
    pub common: Common,

    /// What is to be reached (may be repeated; several targets share one search): parse.c:120, call:abort
    #[arg(long, value_name = "TARGET", help_heading = "Targets")]
    pub at: Vec<String>,

    /// Every line that a change touches is a target: a git revision that the sources are compared with, or the file of a
    /// unified diff that is applied already
    #[arg(long, value_name = "REV|FILE", help_heading = "Targets")]
    pub diff: Option<String>,

    /// Look in one direction only: backward from the targets, or forward from the start of the program; the default is both
    #[arg(long, value_name = "DIRECTION", value_enum, help_heading = "Targets")]
    pub only: Option<Only>,

    /// Search strategy (see `bothways strategies`)
    #[arg(long, short = 's', default_value = STRATEGY, value_name = "NAME")]
    pub strategy: String,
}

/// A direction.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub enum Only {
    /// From the targets backward
    Backward,
    /// From the start of the program, by running it
    Forward,
}

impl Only {
    const fn direction(self) -> Direction {
        match self {
            Only::Backward => Direction::Backward,
            Only::Forward => Direction::Forward,
        }
    }
}

/// The strategy without `--strategy`.
const STRATEGY: &str = explore::strategy::DEFAULT;

/// Runs the command; `command` are its words, which `bothways resume` reads again.
///
/// # Errors
/// Bad input, in words; a fault of ours, marked as such.
pub fn run(options: &Options, command: Vec<String>) -> Result<u8> {
    let common = &options.common;
    common.one_at_a_time()?;
    let request = session::Options {
        strategy: options.strategy.clone(),
        command,
        ..common.request()
    };
    let what = (options.at.as_slice(), options.diff.as_deref());
    let targets = Request::read(&request, what, options.only.map(Only::direction))?;
    let host = Terminal::new(common.quiet);
    let Reached { answers, .. } = Session::for_targets(&request, &host, targets)?.reach()?;
    native::faults::done();
    if common.json {
        say::out(&reach::json(&answers))?;
    } else {
        let here = std::env::current_dir().unwrap_or_default();
        say::out(&reach::text(&answers, &format!("{}/", here.display())))?;
    }
    Ok(match answers.count(Verdict::Unknown) {
        _ if host.is_interrupted() => INTERRUPTED,
        0 => DONE,
        _ => NOT_MET,
    })
}
