//! `bothways graph FILE...`: the generalised control-flow graph, as text, for Graphviz, or drawn.

use std::process::ExitCode;

use anyhow::{Result, ensure};
use clap::{Args, ValueEnum};
use session::Session;
use session::graph::Form;

use crate::exit::DONE;
use crate::flags::Common;
use crate::progress::Terminal;
use crate::say;

/// Draws what running and looking backward know of a program together: its generalised control-flow graph.
///
/// States of runs (circles), conditions that lead to sides of branches no run has taken (boxes), and the frontier between them. A turn
/// executes an edge of the frontier, or takes its condition a block back.
#[derive(Args, Clone, Debug)]
pub struct Options {
    #[command(flatten)]
    pub common: Common,

    /// Turns that are taken; the default is as many as there are, or as `--time` allows
    #[arg(long, value_name = "N", help_heading = "Graph")]
    pub turns: Option<u64>,

    /// How it is printed
    #[arg(long, value_name = "FORMAT", value_enum, default_value_t = Format::Text, help_heading = "Graph")]
    pub format: Format,
}

/// How a graph is printed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Format {
    /// Runs, states, conditions with what they say, the frontier
    Text,
    /// For Graphviz
    Dot,
    /// Drawn
    Svg,
}

impl Format {
    const fn form(self) -> Form {
        match self {
            Format::Text => Form::Text,
            Format::Dot => Form::Dot,
            Format::Svg => Form::Svg,
        }
    }
}

/// Runs the command.
///
/// # Errors
/// Bad input, in words; a program whose states are not known, or a graph that is too large to be drawn.
pub fn run(options: &Options) -> Result<ExitCode> {
    let common = &options.common;
    ensure!(
        !common.json,
        "a graph has no JSON form: leave out --json, or take --format dot"
    );
    common.one_at_a_time()?;
    let request = common.request();
    let host = Terminal::new(common.quiet);
    let session = Session::new(&request, &host)?;
    let graph = session.graph(options.turns, options.format.form())?;
    say::out(&graph.text)?;
    if !common.quiet {
        say::err(format_args!("{}", graph.summary));
    }
    Ok(ExitCode::from(DONE))
}
