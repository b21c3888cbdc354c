//! `bothways serve --mcp`: the tools of crate `serve` over folders and commands of this machine.
//!
//! Must hold: nothing here prints to standard output, which is the protocol's.

use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;

use anyhow::{Context, Result, bail};
use clap::{Args, Command as Clap, CommandFactory};
use serve::{Certified, Said, StoredGoal, Unfinished, Workshop};
use session::{campaigns, certificates, children, reports};

use crate::exit::DONE;
use crate::{Cli, flags, own_options, short_options};

/// Answers coding agents and editors over the Model Context Protocol, on standard input and output
///
/// Tools: `uncovered`, `generate`, `why_infeasible`, `reach`. An agent starts the server by itself; the manual has what to put into its
/// configuration.
#[derive(Args, Clone, Debug)]
pub struct Options {
    /// Speak the Model Context Protocol; there is no other
    #[arg(long, required = true)]
    pub mcp: bool,

    /// The folder that paths are relative to; default: the current one
    #[arg(long, value_name = "DIR")]
    pub dir: Option<PathBuf>,
}

/// Runs the command.
///
/// # Errors
/// The folder is not there; the other side does not speak the protocol.
pub fn run(options: &Options) -> Result<ExitCode> {
    if let Some(dir) = &options.dir {
        std::env::set_current_dir(dir).with_context(|| format!("--dir {}", dir.display()))?;
    }
    if let Err(words) = serve::serve(Arc::new(Here)) {
        bail!("the connection ended: {words}");
    }
    Ok(ExitCode::from(DONE))
}

/// The current folder.
struct Here;

impl Workshop for Here {
    fn report(&self, suite: &str) -> Result<Option<report::Report>, String> {
        let suite = Path::new(suite);
        let folders = match reports::suites(suite) {
            Ok(folders) => folders,
            // Before its first test, a campaign has no manifest.
            Err(_) if suite.join("campaign.db").is_file() => return Ok(None),
            Err(error) => return Err(error.to_string()),
        };
        match folders.as_slice() {
            [one] if !reports::is_finished(one) => Ok(None),
            [one] => reports::read(one)
                .map(Some)
                .map_err(|error| error.to_string()),
            several => {
                let names: Vec<String> = several
                    .iter()
                    .map(|one| one.display().to_string())
                    .collect();
                Err(format!(
                    "{} holds several suites: name one of them as `suite`: {}",
                    suite.display(),
                    names.join(", ")
                ))
            }
        }
    }

    fn unfinished(&self, suite: &str) -> Result<Unfinished, String> {
        let suite = Path::new(suite);
        let words = |error: session::Error| error.to_string();
        let goals = campaigns::goals(suite).map_err(words)?;
        let goals = goals.into_iter().map(|goal| StoredGoal {
            name: goal.name,
            verdict: goal.verdict,
            reason: goal.reason,
        });
        Ok(Unfinished {
            is_running: campaigns::status(suite).map_err(words)?.process.is_some(),
            goals: goals.collect(),
        })
    }

    fn certificates(&self, suite: &str) -> Result<Vec<Certified>, String> {
        let all = certificates::of_suite(Path::new(suite)).map_err(|error| error.to_string())?;
        let all = all.into_iter().map(|one| Certified {
            file: one.goal.file,
            line: one.goal.line,
            col: one.goal.col,
            side: one.goal.what,
            kind: one.kind,
            checked: one.checked,
            inputs: match one.inputs {
                proof::Inputs::All => Vec::new(),
                proof::Inputs::Declared(inputs) => inputs,
            },
        });
        Ok(all.collect())
    }

    fn reach_words(&self, suite: &str) -> Result<(Vec<String>, String), String> {
        let asked = campaigns::asked(Path::new(suite)).map_err(|error| error.to_string())?;
        let words = reach_words(&asked.command)?;
        Ok((words, asked.folder.display().to_string()))
    }

    fn run(
        &self,
        words: &[String],
        folder: Option<&str>,
        stop: &dyn Fn() -> bool,
    ) -> Result<Said, String> {
        let said = children::run(words, folder.map(Path::new), stop);
        let said = said.map_err(|error| error.to_string())?;
        Ok(Said {
            code: said.code,
            out: said.out,
            err: said.err,
        })
    }
}

/// Flags of a campaign that are not for another one.
const NOT_TAKEN: &[&str] = &[
    "out",
    "time",
    "json",
    "quiet",
    "fresh",
    "at",
    "shard",
    "iterations",
];

/// The words of a `bothways reach` for the program of a campaign: what both commands know of its flags.
fn reach_words(command: &[String]) -> Result<Vec<String>, String> {
    let mut cli = Cli::command();
    cli.build();
    let named = command.first().map_or("", String::as_str);
    let Some(own) = cli
        .find_subcommand(named)
        .filter(|_| ["test", "reach"].contains(&named))
    else {
        return Err(format!(
            "the suite was made by `bothways {named}`: name the C sources in `inputs`"
        ));
    };
    let reach = cli.find_subcommand("reach").ok_or("no reach")?;
    let all = [&["bothways".to_owned()], command].concat();
    let gathered = flags::gather_cflags(all, &own_options(), &short_options())?;
    let end = gathered.iter().position(|word| word == "--");
    let (flags, args) = gathered.split_at(end.unwrap_or(gathered.len()));
    let mut words = vec!["reach".to_owned()];
    let mut rest = flags.iter().skip(2);
    while let Some(word) = rest.next() {
        let Some(arg) = flag(own, word) else {
            words.push(word.clone());
            continue;
        };
        let name = arg.get_long().unwrap_or_default();
        let is_taken = flag(reach, &format!("--{name}")).is_some() && !NOT_TAKEN.contains(&name);
        let has_value = arg.get_action().takes_values() && !word.contains('=') && is_alone(word);
        let value = if has_value { rest.next() } else { None };
        if is_taken {
            words.push(word.clone());
            words.extend(value.cloned());
        }
    }
    words.extend_from_slice(args);
    Ok(words)
}

/// The flag that a word is.
fn flag<'c>(command: &'c Clap, word: &str) -> Option<&'c clap::Arg> {
    let name = word.split('=').next().unwrap_or_default();
    let long = name.strip_prefix("--");
    let short = name.strip_prefix('-').and_then(|rest| rest.chars().next());
    command.get_arguments().find(|arg| match long {
        Some(long) => arg.get_long() == Some(long),
        None => short.is_some() && arg.get_short() == short,
    })
}

/// A short flag may have its value in the same word: `-t5`.
fn is_alone(word: &str) -> bool {
    word.starts_with("--") || word.len() == 2
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_campaign_is_asked_for_places_with_the_flags_that_fit() {
        let check = |command: &str, expected: &str| {
            let words: Vec<String> = command.split(' ').map(str::to_owned).collect();
            assert_eq!(
                reach_words(&words).expect("words").join(" "),
                expected,
                "{command}"
            );
        };
        check(
            "test a.c --stdin 8 -t 5 --criterion mcdc --json -o x",
            "reach a.c --stdin 8",
        );
        check(
            "test a.c -t5 --require=50% --seed 3 -- -v --time",
            "reach a.c --seed 3 -- -v --time",
        );
        check(
            "test a.c --cflags -DA -Ix --stdin 4",
            "reach a.c --cflags=-DA --cflags=-Ix --stdin 4",
        );
        check("reach a.c --at a.c:3 --stdin 4", "reach a.c --stdin 4");
        assert!(reach_words(&["merge".to_owned()]).is_err());
    }
}
