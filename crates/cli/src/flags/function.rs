//! What the user typed about functions under test.

use std::path::PathBuf;

use clap::{Args, ValueEnum};

/// Which variables at file scope become inputs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Globals {
    /// Every variable of the file that can be written
    All,
    /// Variables that the function, or a function that it calls, reads
    Read,
    /// No variable: all keep their initial values
    None,
}

/// Options for one function.
#[derive(Args, Clone, Debug)]
#[command(next_help_heading = "One function")]
pub struct FunctionOptions {
    /// Test this function: bothways writes the harness. The function may be `static`, or the file's `main`
    #[arg(long, value_name = "NAME", conflicts_with = "all_functions")]
    pub function: Option<String>,

    /// Test every function of the file, one after the other; they share the time budget by need
    #[arg(long)]
    pub all_functions: bool,

    /// Take the compiler flags from this compilation database, or from `compile_commands.json` in this folder. By default
    /// bothways looks beside the file, above it and in `build` there
    #[arg(short = 'p', long, value_name = "PATH")]
    pub compile_commands: Option<PathBuf>,

    /// Variables at file scope that become inputs
    #[arg(long, value_name = "WHICH", value_enum, default_value_t = Globals::Read)]
    pub globals: Globals,

    /// Use only inputs for which this C condition over the parameters holds: 'n >= 0 && n < 64' (may be repeated)
    #[arg(long, value_name = "CONDITION")]
    pub assume: Vec<String>,

    /// Number of elements of an array behind a pointer that are inputs
    #[arg(long, value_name = "N", default_value_t = 8, value_parser = clap::value_parser!(u32).range(1..=1024))]
    pub max_array: u32,

    /// Number of characters of a string that are inputs
    #[arg(long, value_name = "N", default_value_t = 32, value_parser = clap::value_parser!(u32).range(1..=4096))]
    pub max_string: u32,

    /// Number of pointers in a row: `p->next->next` is 3 deep
    #[arg(long, value_name = "N", default_value_t = 4, value_parser = clap::value_parser!(u32).range(1..=16))]
    pub max_depth: u32,

    /// Number of all objects behind pointers
    #[arg(long, value_name = "N", default_value_t = 24, value_parser = clap::value_parser!(u32).range(1..=1000))]
    pub max_objects: u32,
}

impl FunctionOptions {
    /// The session's part of it.
    pub fn request(&self) -> session::options::FunctionOptions {
        session::options::FunctionOptions {
            function: self.function.clone(),
            all_functions: self.all_functions,
            compile_commands: self.compile_commands.clone(),
            globals: match self.globals {
                Globals::All => session::options::Globals::All,
                Globals::Read => session::options::Globals::Read,
                Globals::None => session::options::Globals::None,
            },
            assume: self.assume.clone(),
            max_array: self.max_array,
            max_string: self.max_string,
            max_depth: self.max_depth,
            max_objects: self.max_objects,
        }
    }
}
