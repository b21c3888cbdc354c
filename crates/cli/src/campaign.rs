//! `bothways resume`, `status` and `merge`: campaigns that are in a folder already.

use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::{Context, Result, bail};
use clap::Args;
use session::campaigns::{self, Asked, Status};
use session::options::Start;

use crate::exit::DONE;
use crate::{Command, faults, parsed, say, units};

/// Goes on with a campaign that was killed or interrupted, with its flags and the rest of its budget
///
/// The tests in the folder are run first, and are not counted. With --time or --iterations, it goes on with that budget, also
/// where it had come to its end.
#[derive(Args, Clone, Debug)]
pub struct Resume {
    /// Folder of the suite
    #[arg(value_name = "DIR", default_value = "bothways-out")]
    pub folder: PathBuf,

    /// Time budget, in place of the rest of its own: 30 (seconds), 500ms, 10m, 2h
    #[arg(long, short = 't', value_name = "DURATION", value_parser = units::duration)]
    pub time: Option<Duration>,

    /// Runs, in place of the rest of its own
    #[arg(long, short = 'n', value_name = "N")]
    pub iterations: Option<u64>,

    /// Print one JSON object on standard output at the end
    #[arg(long)]
    pub json: bool,

    /// No progress and no table; errors and --json are still printed
    #[arg(long, short = 'q')]
    pub quiet: bool,

    /// So many faults of ours ended the campaign until now.
    #[arg(long, hide = true, value_name = "N")]
    pub after_faults: Option<u8>,

    /// Temporary files of the process with the last of them.
    #[arg(long, hide = true, value_name = "DIR")]
    pub left_behind: Option<PathBuf>,
}

/// Says how far the campaign in a folder is, also while it runs
#[derive(Args, Clone, Debug)]
pub struct StatusOptions {
    /// Folder of the suite
    #[arg(value_name = "DIR", default_value = "bothways-out")]
    pub folder: PathBuf,

    /// As one JSON object
    #[arg(long)]
    pub json: bool,
}

/// Makes one suite of several of the same program (parts of a search that was split by --shard, or searches with other seeds)
///
/// All their tests are run and judged once more; nothing is searched.
#[derive(Args, Clone, Debug)]
pub struct Merge {
    /// Folders of suites
    #[arg(value_name = "DIR", required = true, num_args = 2..)]
    pub folders: Vec<PathBuf>,

    /// Folder of the new suite
    #[arg(long, short = 'o', value_name = "DIR")]
    pub out: PathBuf,

    /// Print one JSON object on standard output at the end
    #[arg(long)]
    pub json: bool,

    /// No progress and no table; errors and --json are still printed
    #[arg(long, short = 'q')]
    pub quiet: bool,
}

/// Goes on with a campaign.
///
/// # Errors
/// There is none; what its command says.
pub fn resume(options: &Resume) -> Result<u8> {
    let has_more = options.time.is_some() || options.iterations.is_some();
    let asked = campaigns::asked(&options.folder)?;
    let over = asked.stop.as_deref().filter(|stop| *stop != "interrupted");
    let after_fault = options.after_faults;
    let after_fault =
        after_fault.map(|faults| faults::go_on(faults, options.left_behind.as_deref()));
    if let (Some(stop), false, None) = (over, has_more, after_fault) {
        say::err(format_args!(
            "bothways: the campaign in {} is over (stopped by: {stop}); it goes on with --time or --iterations",
            options.folder.display()
        ));
        return Ok(DONE);
    }
    let start = after_fault.unwrap_or(if has_more { Start::More } else { Start::Rest });
    again(
        (&options.folder, asked),
        (options.json, options.quiet),
        &|common| {
            common.start = Some(start);
            common.time = options.time.unwrap_or(common.time);
            // The other limit is not to end at once what is to go on.
            if has_more {
                common.iterations = options.iterations;
            }
            if options.iterations.is_some() && options.time.is_none() {
                common.time = common.time.max(LONG);
            }
        },
    )
}

/// A budget of runs is to end by runs.
const LONG: Duration = Duration::from_secs(24 * 3600);

/// Makes one suite of several.
///
/// # Errors
/// They are of different programs, or the folder holds something else.
pub fn merge(options: &Merge) -> Result<u8> {
    campaigns::merge(&options.folders, &options.out)?;
    let mut asked = campaigns::asked(&options.out)?;
    asked.command = without_shard(&asked.command);
    let new = (options.out.as_path(), asked);
    again(new, (options.json, options.quiet), &|common| {
        common.start = Some(Start::Replay);
    })
}

/// A command for all parts of what it did a part of.
fn without_shard(command: &[String]) -> Vec<String> {
    const FLAG: &str = "--shard";
    let is_value = |word: &str| {
        word.strip_prefix(FLAG)
            .is_some_and(|rest| rest.starts_with('='))
    };
    let end = command.iter().position(|word| word == "--");
    let (ours, programs) = command.split_at(end.unwrap_or(command.len()));
    let mut words = ours.iter();
    let mut kept = Vec::new();
    while let Some(word) = words.next() {
        if word == FLAG {
            words.next();
        } else if !is_value(word) {
            kept.push(word.clone());
        }
    }
    kept.extend_from_slice(programs);
    kept
}

/// Runs the command of the campaign in a folder once more.
fn again(
    (folder, asked): (&Path, Asked),
    (json, quiet): (bool, bool),
    change: &dyn Fn(&mut crate::flags::Common),
) -> Result<u8> {
    let out = std::path::absolute(folder)?;
    let words: Vec<String> = ["bothways".to_owned()]
        .into_iter()
        .chain(asked.command.iter().cloned())
        .collect();
    let adapt = |common: &mut crate::flags::Common| {
        change(common);
        common.out.clone_from(&out);
        common.fresh = false;
        common.json |= json;
        common.quiet |= quiet;
    };
    let parsed = parsed(words)?;
    std::env::set_current_dir(&asked.folder).with_context(|| {
        format!(
            "the command was typed in {}, which is not there any more",
            asked.folder.display()
        )
    })?;
    match parsed.command {
        Command::Test(mut test) => {
            adapt(&mut test.common);
            crate::generate::run(&test, asked.command)
        }
        Command::Reach(mut reach) => {
            adapt(&mut reach.common);
            crate::reach::run(&reach, asked.command)
        }
        _ => bail!("{}: its command is unknown", folder.display()),
    }
}

/// Says how far a campaign is.
///
/// # Errors
/// There is none, or its store cannot be read.
pub fn status(options: &StatusOptions) -> Result<std::process::ExitCode> {
    let status = campaigns::status(&options.folder)?;
    if options.json {
        say::out(&format!("{}\n", serde_json::to_string_pretty(&status)?))?;
    } else {
        say::out(&text(&status, &options.folder))?;
    }
    Ok(DONE.into())
}

fn text(status: &Status, folder: &Path) -> String {
    let state = match (status.process, &status.stopped_by) {
        (Some(0), _) => "running".to_owned(),
        (Some(process), _) => format!("running (process {process})"),
        (None, Some(stop)) => format!("over, stopped by: {stop}"),
        (None, None) => format!("killed; `bothways resume {}` goes on", folder.display()),
    };
    let most = status
        .iterations
        .map_or_else(String::new, |most| format!(" of {most}"));
    let goals = status.goals;
    let last = status
        .last_find
        .map_or_else(String::new, |at| format!(", last find after {at:.1} s"));
    format!(
        "command  bothways {}\nstate    {state}\nruns     {}{most}\ntime     {:.1} of {:.1} s\n\
         goals    {}: {} covered, {} infeasible, {} open\ntests    {}, {} of them show a failure{last}\n",
        status.command.join(" "),
        status.runs,
        status.seconds,
        status.time,
        goals.total,
        goals.covered,
        goals.infeasible,
        goals.open,
        status.tests,
        status.failing,
    )
}

#[cfg(test)]
mod tests {
    use super::without_shard;

    #[test]
    fn the_command_of_a_part_becomes_that_of_all() {
        let check = |command: &str, expected: &str| {
            let words: Vec<String> = command.split(' ').map(str::to_owned).collect();
            assert_eq!(without_shard(&words).join(" "), expected);
        };
        check("test --shard 1/2 a.c", "test a.c");
        check("test a.c --shard=1/2 -q", "test a.c -q");
        check("test a.c -- --shard 1/2", "test a.c -- --shard 1/2");
        check("test a.c", "test a.c");
    }
}
