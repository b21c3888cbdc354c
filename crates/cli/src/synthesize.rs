//! `bothways synthesize`: a large program with branches that are known to be reachable or infeasible.

use std::process::ExitCode;

use anyhow::Result;
use clap::Args;

use crate::say;

/// Prints a synthetic C program whose reachable branches are known
#[derive(Args, Clone, Debug)]
pub struct Options {
    /// Branch outcomes of the program; odd numbers are rounded up
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(2..=1_000_000))]
    pub branches: u32,

    /// Of the generator
    #[arg(long, default_value_t = 0, value_name = "N")]
    pub seed: u64,
}

/// Prints the program; what is known of it stands in its first line.
///
/// # Errors
/// Standard output cannot be written.
pub fn run(options: &Options) -> Result<ExitCode> {
    say::out(&::bench::synthesize::synthesize(options.branches, options.seed).source)?;
    Ok(ExitCode::SUCCESS)
}
