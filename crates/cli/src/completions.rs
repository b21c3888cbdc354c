//! `bothways completions` and `bothways man`: what shells and `man` want to know, made from the flags.

use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::{Context, Result};
use clap::{Args, CommandFactory, ValueEnum};
use clap_complete::Shell;

use crate::exit::DONE;
use crate::{Cli, say};

/// Prints the completions of a shell: `bothways completions bash > ~/.local/share/bash-completion/completions/bothways`
#[derive(Args, Clone, Debug)]
pub struct Completions {
    /// The shell
    #[arg(value_name = "SHELL", value_enum)]
    pub shell: Known,
}

/// A shell that completions are made for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Known {
    /// GNU bash
    Bash,
    /// zsh
    Zsh,
    /// fish
    Fish,
}

/// Writes the man pages, one for each command: `bothways man man1`, then `man -l man1/bothways-test.1`
#[derive(Args, Clone, Debug)]
pub struct Man {
    /// Folder that they are written to
    #[arg(value_name = "DIR")]
    pub folder: PathBuf,
}

/// Prints completions.
///
/// # Errors
/// Standard output cannot be written.
pub fn completions(options: &Completions) -> Result<ExitCode> {
    let shell = match options.shell {
        Known::Bash => Shell::Bash,
        Known::Zsh => Shell::Zsh,
        Known::Fish => Shell::Fish,
    };
    let mut text = Vec::new();
    clap_complete::generate(shell, &mut Cli::command(), "bothways", &mut text);
    say::out(&String::from_utf8_lossy(&text))?;
    Ok(ExitCode::from(DONE))
}

/// Writes man pages.
///
/// # Errors
/// The folder cannot be written.
pub fn man(options: &Man) -> Result<ExitCode> {
    let folder = &options.folder;
    let written = std::fs::create_dir_all(folder)
        .and_then(|()| clap_mangen::generate_to(Cli::command(), folder));
    written.with_context(|| format!("cannot write man pages to {}", folder.display()))?;
    Ok(ExitCode::from(DONE))
}
