//! `bothways doctor`: what is missing on this machine, and the command that installs it.

use std::fmt::Write;
use std::process::ExitCode;

use anyhow::Result;
use clap::Args;
use native::toolchain::{Tool, Toolchain, version};
use session::compiler::support::Support;

use crate::exit::{BAD_INPUT, DONE};
use crate::say;

/// Says what is missing on this machine, and the command that installs it
#[derive(Args, Clone, Debug)]
pub struct Options {}

/// Checks everything and prints a line for each.
///
/// # Errors
/// The output cannot be written; what is missing is no error but the output.
pub fn run(_options: &Options) -> Result<ExitCode> {
    let mut packages: Vec<&str> = Vec::new();
    let mut healthy = true;
    let mut text = String::new();
    for tool in Tool::ALL {
        match tool.find() {
            Ok(path) => {
                let version = version(&path)
                    .map_or_else(String::new, |version| format!(" (version {version})"));
                let _ = writeln!(
                    text,
                    "ok       {:<15} {}{version}",
                    tool.name(),
                    path.display()
                );
            }
            Err(error) => {
                let _ = writeln!(text, "MISSING  {:<15} {error}", tool.name());
                packages.push(tool.package());
            }
        }
    }
    match smt::backend::default() {
        Ok(backend) => {
            let _ = writeln!(text, "ok       {:<15} loaded", backend.name());
        }
        Err(error) => {
            let _ = writeln!(text, "MISSING  {:<15} {error}", "z3");
            packages.push("libz3-4");
        }
    }
    match Toolchain::find()
        .map_err(anyhow::Error::from)
        .and_then(|toolchain| Ok(Support::find(&toolchain)?))
    {
        Ok(support) => {
            let _ = writeln!(
                text,
                "ok       {:<15} {}",
                "runtime",
                support.runtime.display()
            );
        }
        Err(error) => {
            let _ = writeln!(text, "MISSING  {:<15} {error:#}", "runtime");
            healthy = false;
        }
    }
    for (holds, words) in native::permits::doctor() {
        let _ = writeln!(
            text,
            "{:<8} {:<15} {words}",
            if holds { "ok" } else { "none" },
            "containment"
        );
    }
    packages.sort_unstable();
    packages.dedup();
    if !packages.is_empty() {
        let _ = writeln!(
            text,
            "\nInstall what is missing with:\n    apt-get install {} libclang-rt-19-dev",
            packages.join(" ")
        );
        healthy = false;
    }
    say::out(&text)?;
    Ok(ExitCode::from(if healthy { DONE } else { BAD_INPUT }))
}
