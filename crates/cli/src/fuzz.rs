//! `bothways fuzz`: the search of `bothways test` as one instance of a fuzzing campaign of AFL++.
//!
//! Must hold: its flags mean what they mean for `bothways test`, whose words it makes.

use std::path::PathBuf;
use std::time::Duration;

use anyhow::{Result, bail};
use clap::Args;
use session::sync::SyncOptions;

use crate::{Command, generate, parsed, units};

/// Takes part in a fuzzing campaign of AFL++: gives it what the search finds, and searches on from what others find
///
/// The program is one built by `bothways cc`; the others fuzz their own builds of it. As for afl-fuzz, `@@` stands for the input's
/// file, and without it the program reads standard input: `bothways fuzz --sync out --name bw1 -- ./program @@` beside
/// `afl-fuzz -M main -i seeds -o out -- ./program.afl @@`.
#[derive(Args, Clone, Debug)]
pub struct Options {
    /// The folder that all instances share, `-o` of afl-fuzz
    #[arg(long, value_name = "DIR")]
    pub sync: PathBuf,

    /// Name of this instance, as -M and -S of afl-fuzz give one
    #[arg(long, default_value = "bothways", value_name = "NAME")]
    pub name: String,

    /// Longest input in bytes; what others find is cut to it
    #[arg(long, default_value_t = 1024, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=1 << 20))]
    pub max_len: u32,

    /// Time budget: 30 (seconds), 10m, 2h; the search ends earlier when nothing is left to do
    #[arg(long, short = 't', default_value = "24h", value_name = "DURATION", value_parser = units::duration)]
    pub time: Duration,

    /// Start from these inputs as well: plain files, folders of AFL, libFuzzer or KLEE (may be repeated)
    #[arg(long, value_name = "PATH")]
    pub seeds: Vec<PathBuf>,

    /// Folder of the suite; the default is `suite` in the folder of the instance
    #[arg(long, short = 'o', value_name = "DIR")]
    pub out: Option<PathBuf>,

    /// Number of searches at once, each on its own core
    #[arg(long, short = 'j', default_value_t = 1, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=256))]
    pub jobs: u16,

    /// Limit on one run of the program: 500ms, 10s
    #[arg(long, default_value = "1s", value_name = "DURATION", value_parser = units::duration)]
    pub timeout: Duration,

    /// Seed of every random choice of the search
    #[arg(long, default_value_t = 0, value_name = "N")]
    pub seed: u64,

    /// No progress and no table
    #[arg(long, short = 'q')]
    pub quiet: bool,

    /// The program and its arguments
    #[arg(last = true, required = true, value_name = "PROGRAM")]
    pub program: Vec<String>,
}

/// Name of the input's file, in the folder that the program runs in.
const FILE: &str = "input";

impl Options {
    /// The same as words of `bothways test`.
    fn words(&self) -> Vec<String> {
        let (program, args) = self.program.split_first().expect("clap wants one");
        let takes_file = args.iter().any(|arg| arg.contains("@@"));
        let inputs = match takes_file {
            true => ["--sym-file".to_owned(), format!("{FILE}:{}", self.max_len)],
            false => ["--stdin".to_owned(), self.max_len.to_string()],
        };
        let out = match &self.out {
            Some(out) => out.clone(),
            None => self.sync.join(&self.name).join("suite"),
        };
        let path = |path: &PathBuf| path.to_string_lossy().into_owned();
        let millis = |time: Duration| format!("{}ms", time.as_millis());
        let mut words: Vec<String> = vec!["bothways".into(), "test".into(), program.clone()];
        words.extend(inputs);
        for (flag, value) in [
            ("--time", millis(self.time)),
            ("--timeout", millis(self.timeout)),
            ("--seed", self.seed.to_string()),
            ("--jobs", self.jobs.to_string()),
            ("--out", path(&out)),
        ] {
            words.extend([flag.to_owned(), value]);
        }
        for seeds in &self.seeds {
            words.extend(["--seeds".to_owned(), path(seeds)]);
        }
        words.extend(self.quiet.then(|| "--quiet".to_owned()));
        words.push("--".into());
        words.extend(args.iter().cloned());
        words
    }
}

/// Runs the command; `command` are its words.
///
/// # Errors
/// Those of `bothways test`; the sync folder cannot be used.
pub fn run(options: &Options, command: &[String]) -> Result<u8> {
    let words = options.words();
    let Command::Test(test) = parsed(words)?.command else {
        bail!("`bothways fuzz` did not make a `bothways test`");
    };
    let sync = SyncOptions {
        folder: options.sync.clone(),
        name: options.name.clone(),
        command: command.to_vec(),
    };
    // Before anything is made below it.
    sync.check()?;
    generate::run_beside(&test, Some(sync))
}
