//! What the tools are asked: their parameters, each with its description for the agent.
//!
//! Must hold: an unknown parameter is an error, since a misspelt one would change the answer without a word.

use schemars::JsonSchema;
use serde::Deserialize;

/// The suite that is meant if none is named.
pub(crate) const SUITE: &str = "bothways-out";

/// Seconds of a search, if nothing is said.
pub(crate) const SECONDS: f64 = 30.0;

/// Parameters of `uncovered`.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Uncovered {
    /// Folder of the suite (`--out` of `bothways test`); default: bothways-out
    pub suite: Option<String>,
    /// Only goals in this source file: `parse.c`, `src/parse.c`
    pub file: Option<String>,
    /// Only goals in this function
    pub function: Option<String>,
    /// Most goals in the answer; default: 50
    pub limit: Option<u32>,
}

/// Parameters of `why_infeasible`.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct WhyInfeasible {
    /// Folder of the suite; default: bothways-out
    pub suite: Option<String>,
    /// The source file: `parse.c`, `src/parse.c`
    pub file: String,
    /// The line, from 1
    pub line: u32,
    /// The column, from 1; without it, all goals of the line are meant
    pub column: Option<u32>,
    /// The side: `true`, `false`, or as `uncovered` names it; without it, all sides are meant
    pub side: Option<String>,
}

/// Parameters of `generate`.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Generate {
    /// C sources, or one program that was built with `bothways cc`. Without it, the campaign in the suite's folder goes on
    #[serde(default)]
    pub inputs: Vec<String>,
    /// Folder of the suite; default: bothways-out. A campaign of the same program in it is gone on with
    pub suite: Option<String>,
    /// Test this function, with inputs made from its types, in place of the whole program
    pub function: Option<String>,
    /// Bytes of standard input that are symbolic
    pub stdin: Option<u32>,
    /// Seconds of search; default: 30
    pub seconds: Option<f64>,
    /// Further flags of `bothways test`, one word each: `["--criterion", "mcdc", "--cflags=-DX"]`
    #[serde(default)]
    pub flags: Vec<String>,
    /// Arguments of the program; `@arg`, `@file` and `@@` among them are symbolic
    #[serde(default)]
    pub args: Vec<String>,
}

/// Parameters of `reach`.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Reach {
    /// Places: `parse.c:120`, `parse.c:120:9:true`, `branch:parse.c:120:true`, `function:NAME`, `call:NAME`, `assert`, `abort`
    pub targets: Vec<String>,
    /// C sources, or one program that was built with `bothways cc`. Without it, the program of the suite is meant, with the flags
    /// that its command had
    #[serde(default)]
    pub inputs: Vec<String>,
    /// Folder of the suite whose program is meant; default: bothways-out. What is found is written into a folder beside it, with
    /// `-reach` at its end
    pub suite: Option<String>,
    /// Start from this function, with inputs made from its types
    pub function: Option<String>,
    /// Bytes of standard input that are symbolic
    pub stdin: Option<u32>,
    /// Seconds of search; default: 30
    pub seconds: Option<f64>,
    /// Further flags of `bothways reach`, one word each
    #[serde(default)]
    pub flags: Vec<String>,
    /// Arguments of the program; `@arg`, `@file` and `@@` among them are symbolic
    #[serde(default)]
    pub args: Vec<String>,
}

impl Generate {
    /// The words of the command.
    ///
    /// # Errors
    /// The parameters do not fit each other.
    pub(crate) fn words(&self) -> Result<Vec<String>, String> {
        let suite = self.suite.as_deref().unwrap_or(SUITE);
        if self.inputs.is_empty() {
            let named = [
                ("function", self.function.is_some()),
                ("stdin", self.stdin.is_some()),
                ("flags", !self.flags.is_empty()),
                ("args", !self.args.is_empty()),
            ];
            if let Some((name, _)) = named.iter().find(|(_, is_given)| *is_given) {
                return Err(format!(
                    "`{name}` is for a new campaign: name the C sources in `inputs`, or leave it out to go on with the one in {suite}"
                ));
            }
            let words = ["resume".to_owned(), suite.to_owned()];
            return Ok([&words[..], &ends(self.seconds)?].concat());
        }
        let words = command(
            "test",
            &self.inputs,
            (self.function.as_deref(), self.stdin),
            &self.flags,
        )?;
        let own = ["--out".to_owned(), suite.to_owned()];
        Ok([
            &words[..],
            &own,
            &ends(self.seconds)?,
            &arguments(&self.args),
        ]
        .concat())
    }
}

impl Reach {
    /// The folder that is written.
    pub(crate) fn out(&self) -> String {
        let suite = self.suite.as_deref().unwrap_or(SUITE);
        format!("{}-reach", suite.trim_end_matches('/'))
    }

    /// The words of the command for the inputs that are named; nothing where the suite's program is meant.
    ///
    /// # Errors
    /// The parameters do not fit each other.
    pub(crate) fn words(&self) -> Result<Option<Vec<String>>, String> {
        if self.targets.is_empty() {
            return Err("`targets` is empty: name a place, such as `parse.c:120`".to_owned());
        }
        if self.inputs.is_empty() {
            return Ok(None);
        }
        command(
            "reach",
            &self.inputs,
            (self.function.as_deref(), self.stdin),
            &self.flags,
        )
        .map(Some)
    }

    /// What follows in both cases. `words` may have the program's arguments at their end.
    ///
    /// # Errors
    /// `seconds` is no time.
    pub(crate) fn whole(&self, words: &[String], out: &str) -> Result<Vec<String>, String> {
        let split = words.iter().position(|word| word == "--");
        let (own, args) = words.split_at(split.unwrap_or(words.len()));
        let mut all = own.to_vec();
        for target in &self.targets {
            all.extend(["--at".to_owned(), target.clone()]);
        }
        all.extend(["--out".to_owned(), out.to_owned()]);
        all.extend(ends(self.seconds)?);
        all.extend_from_slice(args);
        if !self.args.is_empty() {
            all.extend(arguments(&self.args));
        }
        Ok(all)
    }
}

/// Flags that the server gives itself.
const OWN: &[&str] = &[
    "--out",
    "-o",
    "--json",
    "--quiet",
    "-q",
    "--time",
    "-t",
    "--all-functions",
    "--",
];

fn command(
    name: &str,
    inputs: &[String],
    (function, stdin): (Option<&str>, Option<u32>),
    flags: &[String],
) -> Result<Vec<String>, String> {
    if let Some(input) = inputs.iter().find(|input| input.starts_with('-')) {
        return Err(format!(
            "`inputs` has {input:?}, which is a flag: flags go into `flags`"
        ));
    }
    let is_own = |flag: &&String| {
        let name = flag.split_once('=').map_or(flag.as_str(), |(name, _)| name);
        OWN.contains(&name)
    };
    if let Some(flag) = flags.iter().find(is_own) {
        return Err(format!(
            "`flags` has {flag:?}, which the server gives itself: `suite`, `seconds` and `args` are parameters, and one function \
             is named by `function`"
        ));
    }
    let mut words = vec![name.to_owned()];
    words.extend_from_slice(inputs);
    if let Some(function) = function {
        words.extend(["--function".to_owned(), function.to_owned()]);
    }
    if let Some(stdin) = stdin {
        words.extend(["--stdin".to_owned(), stdin.to_string()]);
    }
    words.extend_from_slice(flags);
    Ok(words)
}

/// Budget and form of the answer.
fn ends(seconds: Option<f64>) -> Result<Vec<String>, String> {
    let seconds = seconds.unwrap_or(SECONDS);
    if !seconds.is_finite() || seconds <= 0.0 {
        return Err(format!("`seconds` is {seconds}: it is a time above 0"));
    }
    let millis = format!("{}ms", (seconds * 1000.0).ceil());
    let words = ["--time", millis.as_str(), "--json", "--quiet"];
    Ok(words.map(str::to_owned).to_vec())
}

fn arguments(args: &[String]) -> Vec<String> {
    match args {
        [] => Vec::new(),
        args => [&["--".to_owned()], args].concat(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(texts: &[&str]) -> Vec<String> {
        texts.iter().map(|text| (*text).to_owned()).collect()
    }

    #[test]
    fn a_new_campaign_is_a_test_and_an_old_one_goes_on() {
        let new = Generate {
            inputs: words(&["a.c"]),
            stdin: Some(8),
            flags: words(&["--criterion", "mcdc"]),
            args: words(&["-x"]),
            seconds: Some(1.5),
            ..Generate::default()
        };
        assert_eq!(
            new.words().expect("fine").join(" "),
            "test a.c --stdin 8 --criterion mcdc --out bothways-out --time 1500ms --json --quiet -- -x"
        );
        let old = Generate {
            suite: Some("x".to_owned()),
            ..Generate::default()
        };
        assert_eq!(
            old.words().expect("fine").join(" "),
            "resume x --time 30000ms --json --quiet"
        );
    }

    #[test]
    fn targets_come_before_the_arguments_of_the_program() {
        let asked = Reach {
            targets: words(&["a.c:3"]),
            suite: Some("x/".to_owned()),
            ..Reach::default()
        };
        assert_eq!(asked.out(), "x-reach");
        let whole = asked.whole(&words(&["reach", "a.c", "--", "-v"]), "x-reach");
        assert_eq!(
            whole.expect("fine").join(" "),
            "reach a.c --at a.c:3 --out x-reach --time 30000ms --json --quiet -- -v"
        );
    }

    #[test]
    fn what_does_not_fit_is_named() {
        let old = Generate {
            stdin: Some(1),
            ..Generate::default()
        };
        assert!(
            old.words()
                .expect_err("no")
                .starts_with("`stdin` is for a new campaign")
        );
        let flags = Generate {
            inputs: words(&["a.c"]),
            flags: words(&["--out=x"]),
            ..Generate::default()
        };
        assert!(
            flags
                .words()
                .expect_err("no")
                .starts_with("`flags` has \"--out=x\"")
        );
        let inputs = Generate {
            inputs: words(&["-DX"]),
            ..Generate::default()
        };
        assert!(
            inputs
                .words()
                .expect_err("no")
                .starts_with("`inputs` has \"-DX\"")
        );
        let seconds = Generate {
            seconds: Some(-1.0),
            ..Generate::default()
        };
        assert!(
            seconds
                .words()
                .expect_err("no")
                .starts_with("`seconds` is -1")
        );
        assert!(
            Reach::default()
                .words()
                .expect_err("no")
                .starts_with("`targets` is empty")
        );
    }
}
