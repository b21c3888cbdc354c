//! `bothways strategies`: what `--strategy` takes, and the manual page of each.

use std::fmt::Write;
use std::process::ExitCode;

use anyhow::{Context, Result};
use clap::Args;
use explore::Choice;
use explore::strategy::{DEFAULT, STRATEGIES};

use crate::say;

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
        let pages: Vec<String> = choice
            .parts
            .iter()
            .map(|part| part.entry.manual())
            .collect();
        say::out(&pages.join("\n"))?;
        return Ok(ExitCode::SUCCESS);
    }
    let mut text = String::new();
    for entry in STRATEGIES {
        if options.plain {
            let _ = writeln!(text, "{}", entry.name);
            continue;
        }
        let default = if entry.name == DEFAULT {
            " (default)"
        } else {
            ""
        };
        let _ = writeln!(text, "{:<16} {}{default}", entry.name, entry.summary);
        for param in entry.params {
            let _ = writeln!(
                text,
                "{:<16}   :{}={}  {} (default {})",
                "",
                param.name,
                if param.words.is_empty() {
                    "N".to_owned()
                } else {
                    param.words.join("|")
                },
                param.summary,
                param.show(param.default)
            );
        }
    }
    say::out(&text)?;
    Ok(ExitCode::SUCCESS)
}
