//! What the user typed for `bothways test`, and what it means: the session's options, and what only the command needs.

mod common;
mod function;
pub mod names;
mod symbolic;

use anyhow::{Result, bail};
use clap::Args;

pub use self::common::Common;
use crate::units;

/// Generates tests for a C program.
///
/// Give C sources, or a program that was built with `bothways cc`. Sources are compiled twice: with instrumentation, and
/// plain for the judge. The program's own arguments go after `--`; `@arg`, `@args`, `@file` and `@@` among them are symbolic:
/// `bothways test ./grep --sym-arg 8 --sym-file input:64 -- -e @arg @file`.
#[derive(Args, Clone, Debug)]
pub struct Options {
    #[command(flatten)]
    pub common: Common,

    /// Search strategy, with its options: dfs:bound=50, or several in turns: cgs+fitness (see `bothways strategies`)
    #[arg(long, short = 's', default_value = explore::strategy::DEFAULT, value_name = "NAME")]
    pub strategy: String,

    /// Context-guided search at this k only, the same as `--strategy cgs:fixed-k=K`
    #[arg(long, value_name = "K")]
    pub cgs_fixed_k: Option<u64>,

    /// Context-guided search without dominators, the same as `--strategy cgs:no-dominators=1`
    #[arg(long)]
    pub cgs_no_dominators: bool,

    #[arg(long, default_value = "branch", value_name = "NAME", help = names::criteria())]
    pub criterion: String,

    /// Which pairs of tests count for `--criterion mcdc`: unique-cause (as llvm-cov counts) or masking
    #[arg(long, default_value = "unique-cause", value_name = "RULE")]
    pub mcdc: String,

    /// Stop when this much is covered: 90%
    #[arg(long, value_name = "PERCENT", value_parser = units::percent)]
    pub until: Option<f64>,

    /// Exit with code 1 unless this much of all goals is covered: 100%
    #[arg(long, value_name = "PERCENT", value_parser = units::percent)]
    pub require: Option<f64>,

    #[arg(long, value_name = "FORMAT", help = names::suites())]
    pub emit: Vec<String>,

    #[arg(long, value_name = "FORMAT[=PATH]", help = format!(
        "Write the report in one more format, and where, `-` for standard output: {} (may be repeated; default place: the suite's folder)",
        names::reports()
    ))]
    pub report: Vec<String>,

    /// Run the tests also on a build with sanitizers, and report what they find: address,undefined
    #[arg(long, value_name = "LIST", value_parser = session::sanitize::list)]
    pub sanitize: Option<String>,

    /// Errors that the machine looks for beside those of memory, with commas between them: leaks (memory that is not freed, and that
    /// nothing points to at the end), overflow (of signed arithmetic)
    #[arg(long, value_name = "LIST", value_parser = session::find::list)]
    pub find: Option<session::find::Find>,

    /// Keep every run as a test, not only those that cover something new or fail in a new place
    #[arg(long)]
    pub keep_all: bool,

    /// Remove redundant tests; tests that show a failure stay
    #[arg(long, conflicts_with = "keep_all")]
    pub minimise_suite: bool,

    /// Give each test the fewest and smallest inputs that show the same goals; `--emit c-test` does so in any case
    #[arg(long)]
    pub minimise_inputs: bool,
}

impl Options {
    /// The session's options.
    ///
    /// # Errors
    /// Flags that do not fit each other.
    pub fn request(&self) -> Result<session::Options> {
        Ok(session::Options {
            strategy: self.strategy()?,
            criterion: self.criterion.clone(),
            mcdc: self.mcdc.clone(),
            until: self.until,
            emit: self.emit.clone(),
            sanitize: self.sanitize.clone(),
            find: self.find.unwrap_or_default(),
            keep_all: self.keep_all,
            minimise_suite: self.minimise_suite,
            minimise_inputs: self.minimise_inputs,
            ..self.common.request()
        })
    }

    /// The strategy, with what the flags of context-guided search add.
    ///
    /// # Errors
    /// They are given with another strategy.
    pub fn strategy(&self) -> Result<String> {
        let fixed = self.cgs_fixed_k.map(|k| format!("fixed-k={k}"));
        let plain = self.cgs_no_dominators.then(|| "no-dominators=1".to_owned());
        let added: Vec<String> = fixed.into_iter().chain(plain).collect();
        if added.is_empty() {
            return Ok(self.strategy.clone());
        }
        // The default gives way.
        let strategy = match self.strategy.as_str() {
            explore::strategy::DEFAULT => "cgs",
            named => named,
        };
        let is_cgs = |part: &str| part == "cgs" || part.starts_with("cgs:");
        if !strategy.split('+').any(is_cgs) {
            bail!(
                "--cgs-fixed-k and --cgs-no-dominators are for strategy `cgs`, not for `{strategy}`"
            );
        }
        let parts = strategy.split('+').map(|part| {
            let separator = if part.contains(':') { ',' } else { ':' };
            match is_cgs(part) {
                true => format!("{part}{separator}{}", added.join(",")),
                false => part.to_owned(),
            }
        });
        Ok(parts.collect::<Vec<_>>().join("+"))
    }
}

/// Options of `bothways` that end the list behind `--cflags`; kept next to [`Options`], and tested against it.
fn is_ours(word: &str, names: &[String]) -> bool {
    let name = word.split_once('=').map_or(word, |(name, _)| name);
    names.iter().any(|ours| ours == name)
}

/// Rewrites `--cflags A B C --ours` to `--cflags=A --cflags=B --cflags=C --ours`: the compiler's flags begin with
/// dashes too, and would otherwise be read as ours. `shorts`: our short options, which end nothing.
///
/// # Errors
/// A short option of ours is among the compiler's flags: nobody can tell whom it is for.
pub fn gather_cflags(
    args: Vec<String>,
    names: &[String],
    shorts: &[(String, String)],
) -> Result<Vec<String>, String> {
    let mut gathered = Vec::with_capacity(args.len());
    let mut inside = false;
    let mut ended = false;
    for arg in args {
        if ended {
            gathered.push(arg);
        } else if arg == "--" {
            ended = true;
            gathered.push(arg);
        } else if arg == "--cflags" {
            inside = true;
        } else if inside && let Some((short, long)) = shorts.iter().find(|(short, _)| *short == arg)
        {
            return Err(format!(
                "`{short}` stands behind --cflags, which takes all up to the next long option: write {long} in its place, \
                 or put it before --cflags (for the compiler: --cflags={short})"
            ));
        } else if inside && !is_ours(&arg, names) {
            gathered.push(format!("--cflags={arg}"));
        } else {
            inside = false;
            gathered.push(arg);
        }
    }
    Ok(gathered)
}

#[cfg(test)]
mod tests {
    use clap::FromArgMatches as _;

    use super::*;

    fn parsed(args: &[&str]) -> Options {
        let command = Options::augment_args(clap::Command::new("test"));
        let words = ["test", "a.c"].iter().chain(args);
        let matches = command.try_get_matches_from(words).expect("a command line");
        Options::from_arg_matches(&matches).expect("it is whole")
    }

    #[test]
    fn without_flags_a_session_has_its_own_defaults() {
        let expected = session::Options {
            inputs: vec!["a.c".into()],
            ..session::Options::default()
        };
        assert_eq!(parsed(&[]).request().expect("well formed"), expected);
    }

    #[test]
    fn flags_of_context_guided_search() {
        let strategy = |args: &[&str]| parsed(args).strategy().map_err(|error| error.to_string());
        let ok = |text: &str| Ok(text.to_owned());
        assert_eq!(strategy(&[]), ok(explore::strategy::DEFAULT));
        assert_eq!(strategy(&["--cgs-fixed-k", "3"]), ok("cgs:fixed-k=3"));
        assert_eq!(
            strategy(&["-s", "cgs:fixed-k=2+md2u", "--cgs-no-dominators"]),
            ok("cgs:fixed-k=2,no-dominators=1+md2u")
        );
        let other = strategy(&["-s", "dfs", "--cgs-fixed-k", "3"]);
        assert!(other.is_err_and(|error| error.ends_with("not for `dfs`")));
    }

    #[test]
    fn compiler_flags_end_at_our_own() {
        let names = ["--time".to_owned(), "--json".to_owned()];
        let shorts = [("-o".to_owned(), "--out".to_owned())];
        let words = |text: &str| text.split(' ').map(str::to_owned).collect::<Vec<_>>();
        let gathered = |text: &str| gather_cflags(words(text), &names, &shorts);
        assert_eq!(
            gathered("test a.c --cflags -DX -I inc --time=3 b.c -- --cflags x"),
            Ok(words(
                "test a.c --cflags=-DX --cflags=-I --cflags=inc --time=3 b.c -- --cflags x"
            ))
        );
        assert!(gathered("test a.c --cflags -DX -o results").is_err());
        let whole = "test a.c -o results --cflags=-o";
        assert_eq!(gathered(whole), Ok(words(whole)));
    }
}
