//! What a session is asked to do: a program or a function, what is symbolic, what is to be covered, and limits.
//!
//! Must hold: the defaults are those of the command line, which a test of the command compares.

use std::path::PathBuf;
use std::time::Duration;

use crate::compiler::args::Input;
use crate::compiler::words::split_words;
use crate::error::Result;
use crate::shard::Shard;

/// What a session is asked to do.
#[derive(Clone, Debug, PartialEq)]
pub struct Options {
    /// C sources, or one program built by `bothways cc`.
    pub inputs: Vec<PathBuf>,
    /// Arguments of the program under test.
    pub args: Vec<String>,
    /// Search strategy, with its parameters.
    pub strategy: String,
    /// What runs the program.
    pub target: Runner,
    /// What is to be covered.
    pub criterion: String,
    /// Which pairs of tests count for `mcdc`.
    pub mcdc: String,
    /// Time budget of the search.
    pub time: Duration,
    /// Most runs of the program.
    pub iterations: Option<u64>,
    /// The search stops when so many of 100 goals are covered.
    pub until: Option<f64>,
    /// Seed of every random choice of the search.
    pub seed: u64,
    /// Folder of the suite.
    pub out: PathBuf,
    /// Limit on one run of the program.
    pub timeout: Duration,
    /// Limit on the resident memory of one run, in bytes.
    pub memory: u64,
    /// Limit on the engine's own memory, in bytes.
    pub engine_memory: u64,
    /// Time for judging the tests.
    pub judge_time: Option<Duration>,
    /// Searches at once.
    pub jobs: u16,
    /// Shortest and longest symbolic standard input.
    pub stdin: Option<(u32, u32)>,
    /// Inputs to start from.
    pub seeds: Vec<PathBuf>,
    /// Other symbolic inputs.
    pub symbolic: Symbolic,
    /// Compiler flags for the sources, as they were typed.
    pub cflags: Vec<String>,
    /// For functions under test.
    pub function: FunctionOptions,
    /// Further formats of the suite.
    pub emit: Vec<String>,
    /// Sanitizers that watch the tests, with commas between them.
    pub sanitize: Option<String>,
    /// Errors that the machine looks for on request.
    pub find: Find,
    /// Every run is kept as a test.
    pub keep_all: bool,
    /// What can cover no open goal is tried as well.
    pub no_path_filter: bool,
    /// No proofs before the search.
    pub no_proofs: bool,
    /// No fuzzer beside the search.
    pub no_fuzz: bool,
    /// No random changes of inputs at all.
    pub no_chance: bool,
    /// The first input of the search.
    pub first: First,
    /// Redundant tests are removed at the end.
    pub minimise_suite: bool,
    /// Each test gets the fewest and smallest inputs that show the same.
    pub minimise_inputs: bool,
    /// Every expression is checked against its concrete value.
    pub check: bool,
    /// Budget of one query, in thousands of the solver's own units.
    pub solver_budget: u32,
    /// Which part of the functions or targets; none: all of them.
    pub shard: Option<Shard>,
    /// What becomes of an earlier campaign in the folder.
    pub start: Start,
    /// Other fuzzers that take part.
    pub sync: Option<SyncOptions>,
    /// The words of the command, which `resume` reads again; empty where there is none.
    pub command: Vec<String>,
}

/// What becomes of an earlier campaign of the same program in the folder.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Start {
    /// Its tests are the first inputs of a new one.
    #[default]
    Tests,
    /// It is removed.
    Fresh,
    /// It goes on with the rest of its budget.
    Rest,
    /// It goes on with the budget of the options.
    More,
    /// Its tests are run, and nothing is searched.
    Replay,
}

impl Default for Options {
    fn default() -> Options {
        Options {
            inputs: Vec::new(),
            args: Vec::new(),
            strategy: explore::strategy::DEFAULT.to_owned(),
            target: Runner::Native,
            criterion: "branch".to_owned(),
            mcdc: "unique-cause".to_owned(),
            time: Duration::from_secs(60),
            iterations: None,
            until: None,
            seed: 0,
            out: "bothways-out".into(),
            timeout: Duration::from_secs(2),
            memory: 1 << 30,
            engine_memory: 2 << 30,
            judge_time: None,
            jobs: 1,
            stdin: None,
            seeds: Vec::new(),
            symbolic: Symbolic::default(),
            cflags: Vec::new(),
            function: FunctionOptions::default(),
            emit: Vec::new(),
            sanitize: None,
            find: Find::default(),
            keep_all: false,
            no_path_filter: false,
            no_proofs: false,
            no_fuzz: false,
            no_chance: false,
            first: First::default(),
            minimise_suite: false,
            minimise_inputs: false,
            check: false,
            solver_budget: 20_000,
            shard: None,
            start: Start::Tests,
            sync: None,
            command: Vec::new(),
        }
    }
}

impl Options {
    /// The sources that the search asks.
    ///
    /// # Errors
    /// There is no such strategy.
    pub fn sources(&self) -> Result<Vec<explore::source::Entry>> {
        // A number of runs is a measure of a search; with it, the same seed gives the same tests.
        let by_clock = self.iterations.is_none() && !self.no_fuzz;
        let mut sources = explore::Choice::parse(&self.strategy)?.sources(by_clock);
        sources.retain(|source| by_clock || !source.slices);
        sources.retain(|source| !self.no_chance || !source.is_random);
        Ok(sources)
    }

    /// Does somebody look backward in the search?
    ///
    /// # Errors
    /// There is no such strategy.
    pub fn looks_back(&self) -> Result<bool> {
        Ok(self.sources()?.iter().any(|source| source.looks_back))
    }

    /// What messages call the program under test: its sources, or the program that was given.
    pub fn name(&self) -> String {
        let names: Vec<String> = self
            .inputs
            .iter()
            .map(|path| path.display().to_string())
            .collect();
        names.join(" ")
    }

    /// What the program under test is called by (`argv[0]`), in every build of it: its file's name, without the
    /// extension of a source. Programs look at it (`uncompress` is `compress`) and print it.
    pub fn called(&self) -> String {
        let first = self.inputs.first();
        let name = first.and_then(|path| match Input::named(path).is_source() {
            true => path.file_stem(),
            false => path.file_name(),
        });
        name.map_or_else(String::new, |name| name.to_string_lossy().into_owned())
    }

    /// Compiler flags, one word each.
    pub fn compiler_flags(&self) -> Vec<String> {
        self.cflags
            .iter()
            .flat_map(|flags| split_words(flags))
            .collect()
    }
}

/// The first input of a search.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum First {
    /// All zeros at the greatest length; then the same with text.
    #[default]
    Zeros,
    /// Drawn at random by the seed.
    Random,
}

/// What runs the program.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Runner {
    /// The instrumented program, in processes.
    #[default]
    Native,
    /// The model runs itself.
    Machine,
    /// The machine where it models all that the program needs, else the native program.
    Auto,
}

/// Symbolic inputs from outside the program, besides standard input.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Symbolic {
    /// Bytes of single arguments.
    pub sym_arg: Vec<u32>,
    /// Groups of arguments.
    pub sym_args: Vec<Group>,
    /// Files.
    pub sym_file: Vec<File>,
    /// Environment variables.
    pub sym_env: Vec<Variable>,
    /// Shortest and longest input of a fuzz target.
    pub fuzz_input: Option<(u32, u32)>,
    /// Functions whose calls may fail.
    pub failing: crate::failing::Set,
}

/// A group of arguments.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Group {
    /// How few there may be.
    pub min: u32,
    /// How many there may be.
    pub max: u32,
    /// Bytes of each.
    pub length: u32,
}

/// A file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct File {
    /// Relative path.
    pub name: String,
    /// Shortest and longest content.
    pub lengths: (u32, u32),
}

/// An environment variable.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Variable {
    pub name: String,
    pub length: u32,
}

/// Which variables at file scope become inputs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Globals {
    /// Every variable of the file that can be written.
    All,
    /// Those that the function, or a function that it calls, reads.
    Read,
    /// None: they keep their initial values.
    None,
}

/// Options for functions under test.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FunctionOptions {
    /// The function.
    pub function: Option<String>,
    /// Every function of the file in turn.
    pub all_functions: bool,
    /// Compilation database, or the folder that it is in.
    pub compile_commands: Option<PathBuf>,
    /// Variables at file scope that become inputs.
    pub globals: Globals,
    /// C conditions over the parameters that hold for every input.
    pub assume: Vec<String>,
    /// Elements of an array behind a pointer that are inputs.
    pub max_array: u32,
    /// Characters of a string that are inputs.
    pub max_string: u32,
    /// Pointers in a row.
    pub max_depth: u32,
    /// Objects behind pointers in all.
    pub max_objects: u32,
}

impl Default for FunctionOptions {
    fn default() -> FunctionOptions {
        FunctionOptions {
            function: None,
            all_functions: false,
            compile_commands: None,
            globals: Globals::Read,
            assume: Vec::new(),
            max_array: 8,
            max_string: 32,
            max_depth: 4,
            max_objects: 24,
        }
    }
}

impl FunctionOptions {
    /// Whether a function, and not a program, is to be tested.
    pub fn is_used(&self) -> bool {
        self.function.is_some() || self.all_functions
    }

    /// How much is built.
    pub fn bounds(&self) -> harness::plan::Bounds {
        harness::plan::Bounds {
            array: self.max_array,
            text: self.max_string,
            depth: self.max_depth,
            objects: self.max_objects,
        }
    }
}

/// What is looked for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Find {
    /// Memory that is not freed, and that nothing points to when the program ends.
    pub leaks: bool,
    /// Results of signed arithmetic that their type does not have.
    pub overflow: bool,
}

impl Find {
    /// Whether anything is looked for.
    #[must_use]
    pub const fn is_any(self) -> bool {
        self.leaks || self.overflow
    }
}

/// Where the campaign of several fuzzers is, and what we are called there.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SyncOptions {
    /// The folder that all share (`-o` of `afl-fuzz`).
    pub folder: PathBuf,
    /// Name of our instance.
    pub name: String,
    /// The words of our command, for others to see.
    pub command: Vec<String>,
}
