//! What `bothways test` and `bothways reach` have in common: the program, its inputs, and limits.
//!
//! Must hold: a flag means the same for both.

use std::path::PathBuf;
use std::time::Duration;

use anyhow::{Result, ensure};
use clap::builder::ArgPredicate;
use clap::{Args, ValueEnum};
use session::options::Start;
use session::shard::Shard;

use super::function::FunctionOptions;
use super::symbolic::Symbolic;
use crate::units;

/// The program under test, what is symbolic, and limits.
#[derive(Args, Clone, Debug)]
pub struct Common {
    /// C sources, or one program built by `bothways cc`
    #[arg(required = true, value_name = "FILE")]
    pub inputs: Vec<PathBuf>,

    /// Arguments of the program under test
    #[arg(last = true, value_name = "ARGS")]
    pub args: Vec<String>,

    /// What runs the program: native (instrumented, in processes), machine (the model runs itself: memory errors that a native run
    /// hides, 32-bit programs), or auto (machine where it models all that the program needs)
    #[arg(long, value_name = "NAME", value_enum, default_value_t = Runner::Native)]
    pub target: Runner,

    /// Time budget of the search: 30 (seconds), 500ms, 10m, 2h
    #[arg(long, short = 't', default_value = "60s", value_name = "DURATION", value_parser = units::duration)]
    pub time: Duration,

    /// Stop after this many runs of the program
    #[arg(long, short = 'n', value_name = "N")]
    pub iterations: Option<u64>,

    /// Seed of every random choice of the search
    #[arg(long, default_value_t = 0, value_name = "N")]
    pub seed: u64,

    /// Folder of the suite; the tests of an earlier campaign of the same program in it are run first, another suite in it is replaced
    #[arg(long, short = 'o', default_value = "bothways-out", value_name = "DIR")]
    pub out: PathBuf,

    /// Remove an earlier campaign in the folder, and start from nothing
    #[arg(long)]
    pub fresh: bool,

    /// What `bothways resume` and `bothways merge` want of the campaign in the folder.
    #[arg(skip)]
    pub start: Option<Start>,

    /// Limit on one run of the program, and on the time to its first input: 500ms, 10s; the default for functions is 500ms
    #[arg(
        long,
        default_value = "2s",
        default_value_ifs = [
            ("function", ArgPredicate::IsPresent, Some("500ms")),
            ("all_functions", ArgPredicate::Equals("true".into()), Some("500ms")),
        ],
        value_name = "DURATION",
        value_parser = units::duration
    )]
    pub timeout: Duration,

    /// Limit on the resident memory of one run: 512M, 2G; a bare number is mebibytes
    #[arg(long, default_value = "1G", value_name = "SIZE", value_parser = units::memory)]
    pub memory: u64,

    /// Limit on the engine's own memory: near it, the search discards what it can compute again; if that does not help, it ends
    #[arg(long, default_value = "2G", value_name = "SIZE", value_parser = units::memory)]
    pub engine_memory: u64,

    /// Limit on the time for judging all tests; the default is the time of the search, at least a minute
    #[arg(long, value_name = "DURATION", value_parser = units::duration)]
    pub judge_time: Option<Duration>,

    /// Number of searches at once, each on its own core; further ones use other strategies, and all share what they find
    #[arg(long, short = 'j', default_value_t = 1, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=256))]
    pub jobs: u16,

    /// Do only part I of N, of the functions of `--all-functions` or of the targets of `reach`; `bothways merge` puts the parts
    /// together: 2/8
    #[arg(long, value_name = "I/N", value_parser = Shard::parse)]
    pub shard: Option<Shard>,

    /// Make standard input symbolic: up to N bytes (64), or A to B bytes (8..64)
    #[arg(long, value_name = "LENGTH", value_parser = units::lengths)]
    pub stdin: Option<(u32, u32)>,

    /// Start from these inputs: plain files, tests of a suite, .ktest files, folders of AFL, libFuzzer or KLEE (may be
    /// repeated): `--seeds corpus/ --seeds klee-last`
    #[arg(long, value_name = "PATH", help_heading = "Symbolic inputs")]
    pub seeds: Vec<PathBuf>,

    #[command(flatten)]
    pub symbolic: Symbolic,

    /// Compiler flags for the sources: all words up to the next long option of bothways (`--cflags -Iinc -DX --time 5m`),
    /// or one quoted string
    #[arg(long = "cflags", value_name = "FLAGS", allow_hyphen_values = true)]
    pub cflags: Vec<String>,

    #[command(flatten)]
    pub function: FunctionOptions,

    /// Also try paths that can cover no open goal
    #[arg(long)]
    pub no_path_filter: bool,

    /// Before the search, do not look for goals that the code alone rules out
    #[arg(long)]
    pub no_proofs: bool,

    /// Do not fuzz. With the default strategy and without `--iterations`, a part of the time goes into random changes of
    /// inputs, in proportion to what they find
    #[arg(long)]
    pub no_fuzz: bool,

    /// No random changes of inputs, not even when nothing else is left to try: for experiments
    #[arg(long)]
    pub no_chance: bool,

    /// First input of the search
    #[arg(long, value_enum, default_value_t = First::Zeros, value_name = "INPUT")]
    pub first: First,

    /// Print one JSON object on standard output at the end
    #[arg(long)]
    pub json: bool,

    /// No progress and no table; errors and --json are still printed
    #[arg(long, short = 'q')]
    pub quiet: bool,

    /// Check every expression against its concrete value, in the program and in the engine (slow)
    #[arg(long)]
    pub check: bool,

    /// Budget of one query, in thousands of the solver's own resource units; more for hard conditions: 100000
    #[arg(long, default_value_t = 20_000, value_name = "N")]
    pub solver_budget: u32,
}

/// The first input of a search.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum First {
    /// All zeros, at the greatest length, then the same with text
    Zeros,
    /// Drawn at random by the seed
    Random,
}

impl First {
    const fn session(self) -> session::options::First {
        match self {
            First::Zeros => session::options::First::Zeros,
            First::Random => session::options::First::Random,
        }
    }
}

/// What runs the program.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Runner {
    /// The instrumented program, in processes
    Native,
    /// The model runs itself
    Machine,
    /// The machine where it models all that the program needs, else the native program
    Auto,
}

impl Runner {
    const fn session(self) -> session::options::Runner {
        match self {
            Runner::Native => session::options::Runner::Native,
            Runner::Machine => session::options::Runner::Machine,
            Runner::Auto => session::options::Runner::Auto,
        }
    }
}

impl Common {
    /// For commands that are about one program or function.
    ///
    /// # Errors
    /// All functions are asked for.
    pub fn one_at_a_time(&self) -> Result<()> {
        ensure!(
            !self.function.all_functions,
            "--all-functions is for `bothways test`: name one function with --function"
        );
        Ok(())
    }

    /// The session's options; what is to be covered, and how, is the command's.
    pub fn request(&self) -> session::Options {
        session::Options {
            target: self.target.session(),
            inputs: self.inputs.clone(),
            args: self.args.clone(),
            time: self.time,
            iterations: self.iterations,
            seed: self.seed,
            out: self.out.clone(),
            timeout: self.timeout,
            memory: self.memory,
            engine_memory: self.engine_memory,
            judge_time: self.judge_time,
            jobs: self.jobs,
            shard: self.shard,
            stdin: self.stdin,
            seeds: self.seeds.clone(),
            symbolic: self.symbolic.request(),
            cflags: self.cflags.clone(),
            function: self.function.request(),
            no_path_filter: self.no_path_filter,
            no_proofs: self.no_proofs,
            no_fuzz: self.no_fuzz,
            no_chance: self.no_chance,
            first: self.first.session(),
            check: self.check,
            solver_budget: self.solver_budget,
            start: match self.fresh {
                true => Start::Fresh,
                false => self.start.unwrap_or_default(),
            },
            ..session::Options::default()
        }
    }
}
