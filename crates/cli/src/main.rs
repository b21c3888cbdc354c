//! The command `bothways`: flags, progress, messages and exit codes.
//!
//! Charter: this crate reads what the user typed, wires the other crates together, and is the only one that prints
//! or chooses an exit code. Nothing here knows how a search, a solver or an instrumentation works.
//!
//! Exit codes: 0 done, 1 a required coverage was not met, 2 bad input, 3 our own fault, 130 interrupted, 141 nobody reads the output.

#![deny(clippy::print_stdout, clippy::print_stderr)]

mod bench;
mod campaign;
mod cc;
mod check;
mod completions;
mod config;
mod doctor;
mod errors;
mod exit;
mod faults;
mod flags;
mod fuzz;
mod generate;
mod graph;
mod interrupt;
mod progress;
mod reach;
mod replay;
mod report;
mod say;
mod serve;
mod strategies;
mod synthesize;
mod units;
mod values;

use std::process::ExitCode;

use clap::{CommandFactory, Parser, Subcommand};
use session::compiler::Language;

/// Generates tests for C programs: concolic execution, compiled in.
#[derive(Parser)]
#[command(name = "bothways", version, max_term_width = 110)]
struct Cli {
    #[command(subcommand)]
    command: Command,

    /// Do not read `bothways.toml`
    #[arg(long, global = true)]
    no_config: bool,
}

#[derive(Subcommand)]
enum Command {
    Test(Box<flags::Options>),
    Reach(Box<reach::Options>),
    Fuzz(fuzz::Options),
    Resume(campaign::Resume),
    Status(campaign::StatusOptions),
    Merge(campaign::Merge),
    Replay(replay::Options),
    Report(report::Options),
    Check(check::Options),
    Values(values::Options),
    Graph(Box<graph::Options>),
    Strategies(strategies::Options),
    Bench(bench::Options),
    Synthesize(synthesize::Options),
    Doctor(doctor::Options),
    Serve(serve::Options),
    Completions(completions::Completions),
    Man(completions::Man),
    /// Compiles and links like clang, with instrumentation: `CC="bothways cc" ./configure && make`
    #[command(disable_help_flag = true)]
    Cc {
        /// What clang takes
        #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
        args: Vec<String>,
    },
    /// The same for C++
    #[command(name = "c++", disable_help_flag = true)]
    Cxx {
        /// What clang++ takes
        #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
        args: Vec<String>,
    },
}

fn main() -> ExitCode {
    faults::catch();
    let args: Vec<String> = std::env::args_os()
        .map(|arg| arg.to_string_lossy().into_owned())
        .collect();
    // The compiler driver takes its arguments raw: `-h`, `--version` and `@file` are clang's.
    let (driver, rest) = driver(&args);
    let result = match driver {
        Some("cc" | "c++") if !std::env::args_os().all(|arg| arg.to_str().is_some()) => {
            Err(anyhow::anyhow!(
                "an argument of the compiler is not in UTF-8: rename the file or folder"
            ))
        }
        Some("cc") => cc::run(Language::C, rest),
        Some("c++") => cc::run(Language::Cxx, rest),
        _ => dispatch(args),
    };
    result.unwrap_or_else(|error| errors::report(&error))
}

/// The subcommand, and what stands behind it. Under the names `bothways-cc` and `bothways-c++` the program is the compiler
/// driver: one word, for build systems that take no two.
fn driver(args: &[String]) -> (Option<&str>, &[String]) {
    let own = args.first().map(std::path::Path::new);
    let name = own.and_then(|path| path.file_name()?.to_str());
    if let Some(driver @ ("cc" | "c++")) = name.and_then(|name| name.strip_prefix("bothways-")) {
        return (Some(driver), args.get(1..).unwrap_or_default());
    }
    (
        args.get(1).map(String::as_str),
        args.get(2..).unwrap_or_default(),
    )
}

fn dispatch(args: Vec<String>) -> anyhow::Result<ExitCode> {
    let args = with_config(args)?;
    let command = args.get(1..).unwrap_or_default().to_vec();
    match parsed(args)?.command {
        Command::Test(options) => leave(|| generate::run(&options, command)),
        Command::Reach(options) => leave(|| reach::run(&options, command)),
        Command::Fuzz(options) => leave(|| fuzz::run(&options, &command)),
        Command::Resume(options) => leave(|| campaign::resume(&options)),
        Command::Merge(options) => leave(|| campaign::merge(&options)),
        Command::Status(options) => campaign::status(&options),
        Command::Replay(options) => leaving_nothing(|| replay::run(&options)),
        Command::Report(options) => report::run(&options),
        Command::Check(options) => check::run(&options),
        Command::Values(options) => values::run(&options),
        Command::Graph(options) => leaving_nothing(|| graph::run(&options)),
        Command::Strategies(options) => strategies::run(&options),
        Command::Bench(options) => bench::run(&options),
        Command::Synthesize(options) => synthesize::run(&options),
        Command::Doctor(options) => doctor::run(&options),
        Command::Serve(options) => serve::run(&options),
        Command::Completions(options) => completions::completions(&options),
        Command::Man(options) => completions::man(&options),
        Command::Cc { args } => cc::run(Language::C, &args),
        Command::Cxx { args } => cc::run(Language::Cxx, &args),
    }
}

/// What was typed, with what `bothways.toml` adds; says that it does.
fn with_config(args: Vec<String>) -> anyhow::Result<Vec<String>> {
    let here = std::env::current_dir().unwrap_or_default();
    let args = flags::gather_cflags(args, &own_options(), &short_options());
    let applied = config::applied(&Cli::command(), args.map_err(anyhow::Error::msg)?, &here)?;
    if let Some(note) = applied.note {
        say::err(format_args!("{note}"));
    }
    Ok(applied.words)
}

/// What was typed; ends the command where it is wrong.
fn parsed(args: Vec<String>) -> anyhow::Result<Cli> {
    let args = flags::gather_cflags(args, &own_options(), &short_options());
    Ok(Cli::parse_from(args.map_err(anyhow::Error::msg)?))
}

/// Runs a command that may leave threads behind, and ends the process without asking them.
fn leave(run: impl FnOnce() -> anyhow::Result<u8>) -> ! {
    native::orphans::adopt();
    let code = run().unwrap_or_else(|error| errors::code(&error));
    native::orphans::end_all();
    native::leave::now(code)
}

/// Runs a command that runs programs; ends whatever they left behind.
fn leaving_nothing(run: impl FnOnce() -> anyhow::Result<ExitCode>) -> anyhow::Result<ExitCode> {
    native::orphans::adopt();
    let result = run();
    native::orphans::end_all();
    result
}

/// Every short option of `bothways test` with its long form.
fn short_options() -> Vec<(String, String)> {
    let command = Cli::command();
    let test = command
        .find_subcommand("test")
        .expect("the subcommand is in Command");
    let both = |option: &clap::Arg| Some((option.get_short()?, option.get_long()?.to_owned()));
    test.get_arguments()
        .filter_map(both)
        .map(|(short, long)| (format!("-{short}"), format!("--{long}")))
        .collect()
}

/// Every long option of the commands that take compiler flags. Short ones do not end these flags: they may be the compiler's.
fn own_options() -> Vec<String> {
    let mut command = Cli::command();
    command.build();
    let of = |name: &str| {
        let command = command.find_subcommand(name);
        command.expect("the subcommand is in Command").clone()
    };
    let mut names: Vec<String> = Vec::new();
    for command in [of("test"), of("reach"), of("values"), of("graph")] {
        let long = command.get_arguments().filter_map(clap::Arg::get_long);
        names.extend(long.map(|name| format!("--{name}")));
    }
    names.sort();
    names.dedup();
    names
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_command_line_is_well_formed() {
        Cli::command().debug_assert();
    }

    #[test]
    fn the_driver_is_known_by_its_name() {
        let words = |text: &str| text.split(' ').map(str::to_owned).collect::<Vec<_>>();
        let check = |text: &str, expected: Option<&str>, rest: usize| {
            let args = words(text);
            let (driver, behind) = driver(&args);
            assert_eq!((driver, behind.len()), (expected, rest), "{text}");
        };
        check("/usr/bin/bothways-cc -c a.c", Some("cc"), 2);
        check("bothways-c++ a.cc", Some("c++"), 1);
        check("bothways cc -c a.c", Some("cc"), 2);
        check("bothways-19 test a.c", Some("test"), 1);
        check("bothways", None, 0);
    }

    #[test]
    fn options_of_test_end_compiler_flags() {
        let names = own_options();
        assert!(names.contains(&"--time".to_owned()) && names.contains(&"--json".to_owned()));
    }
}
