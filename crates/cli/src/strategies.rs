//! `bothways strategies`: what `--strategy` takes, and the manual page of each.

use std::process::ExitCode;

use anyhow::{Context, Result};
use clap::Args;
use explore::strategy::{Choice, DEFAULT, STRATEGIES};

/// Lists the search strategies
#[derive(Args, Clone, Debug)]
pub struct Options {
    /// Show the manual page of this one
    #[arg(value_name = "NAME")]
    pub name: Option<String>,

    /// One name a line
    #[arg(long)]
    pub plain: bool,
}

/// Prints the list, or one page.
///
/// # Errors
/// No strategy has this name.
pub fn run(options: &Options) -> Result<ExitCode> {
    if let Some(name) = &options.name {
        let choice = Choice::parse(name).with_context(|| format!("strategies {name}"))?;
        print!("{}", choice.entry.manual());
        return Ok(ExitCode::SUCCESS);
    }
    for entry in STRATEGIES {
        if options.plain {
            println!("{}", entry.name);
            continue;
        }
        let default = if entry.name == DEFAULT {
            " (default)"
        } else {
            ""
        };
        println!("{:<16} {}{default}", entry.name, entry.summary);
        for param in entry.params {
            println!(
                "{:<16}   :{}=N  {} (default {})",
                "", param.name, param.summary, param.default
            );
        }
    }
    Ok(ExitCode::SUCCESS)
}
