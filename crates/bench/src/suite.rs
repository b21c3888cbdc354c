//! A bench file: subjects, strategies, seeds and a budget, in TOML.
//!
//! Must hold: a key that is not known, a value of the wrong kind and an empty list are refused with line and column.

use std::fmt;

use serde::Deserialize;

/// What a bench file asks for.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Suite {
    /// Stands above the tables.
    pub name: String,
    /// As `--strategy` takes them. Significance is told against the first.
    pub strategies: Vec<String>,
    pub seeds: Seeds,
    /// Runs of the program.
    pub iterations: Option<u64>,
    /// Wall time: `30s`, `5m`.
    pub time: Option<String>,
    /// Iterations at which coverage is told; the last one of the budget if there are none.
    #[serde(default)]
    pub marks: Vec<u64>,
    /// Further flags of `bothways test` in every cell, before a subject's own: `--no-proofs`.
    #[serde(default)]
    pub flags: Vec<String>,
    #[serde(rename = "subject")]
    pub subjects: Vec<Subject>,
}

/// Number of seeds from 0, or the seeds.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(untagged)]
pub enum Seeds {
    Count(u64),
    List(Vec<u64>),
}

/// A program under test.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Subject {
    pub name: String,
    /// C sources, relative to the bench file.
    #[serde(default)]
    pub sources: Vec<String>,
    /// In place of sources, a program that `bothways cc` built, relative to the bench file.
    pub program: Option<String>,
    /// Test this function of the one source, and not a program.
    pub function: Option<String>,
    /// Further flags of `bothways test`: `--sym-arg`, `8`; `{here}` is the bench file's folder.
    #[serde(default)]
    pub flags: Vec<String>,
    /// Compiler flags; `{here}` is the bench file's folder.
    #[serde(default)]
    pub cflags: Vec<String>,
    /// Arguments of the program under test.
    #[serde(default)]
    pub args: Vec<String>,
    /// Symbolic standard input: `64`, `8..64`.
    pub stdin: Option<String>,
    /// Limit on one run.
    pub timeout: Option<String>,
}

/// One run of the experiment.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Cell {
    pub subject: String,
    pub strategy: String,
    pub seed: u64,
}

/// What each run may spend.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Budget<'a> {
    pub iterations: Option<u64>,
    pub time: Option<&'a str>,
}

/// What is wrong with a bench file.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("line {line}, column {column}: {message}")]
pub struct BadSuite {
    /// From 1.
    pub line: usize,
    pub column: usize,
    pub message: String,
}

impl Suite {
    /// Reads a bench file.
    ///
    /// # Errors
    /// Where it is no TOML or not what is asked for.
    pub fn parse(text: &str) -> Result<Suite, BadSuite> {
        let suite: Suite = toml::from_str(text).map_err(|error| {
            let start = error.span().map_or(0, |span| span.start);
            BadSuite::at(text, start, error.message())
        })?;
        suite.check(text)?;
        Ok(suite)
    }

    fn check(&self, text: &str) -> Result<(), BadSuite> {
        let wrong = |key: &str, message: &str| {
            let at = text
                .match_indices(key)
                .map(|(at, _)| at)
                .find(|&at| text[..at].is_empty() || text[..at].ends_with('\n'));
            Err(BadSuite::at(text, at.unwrap_or(0), message))
        };
        if self.strategies.is_empty() {
            return wrong("strategies", "no strategies: name at least one");
        }
        if self.seeds().is_empty() {
            return wrong("seeds", "no seeds: a number of at least 1, or a list");
        }
        if self.subjects.is_empty() {
            return wrong("subject", "no [[subject]]: name at least one program");
        }
        if self.iterations.is_none() && self.time.is_none() {
            return wrong("name", "no budget: give `iterations`, `time`, or both");
        }
        if self.iterations == Some(0) {
            return wrong("iterations", "a budget of 0 iterations runs nothing");
        }
        for (index, subject) in self.subjects.iter().enumerate() {
            let same = |other: &Subject| other.name == subject.name;
            if self.subjects[..index].iter().any(same) {
                let message = format!("there are two subjects named `{}`", subject.name);
                return wrong("[[subject]]", &message);
            }
            let message = match (subject.sources.is_empty(), &subject.program) {
                (true, None) => "has no sources, and no program",
                (false, Some(_)) => "has sources and a program: give one of them",
                (true, Some(_)) if subject.function.is_some() => {
                    "has a function, and a program that is built already"
                }
                (false, None) if subject.function.is_some() && subject.sources.len() > 1 => {
                    "has a function, and more than the source it is in"
                }
                (true, Some(_)) if !subject.cflags.is_empty() => {
                    "has compiler flags, and a program that is built already"
                }
                _ => continue,
            };
            let message = format!("subject `{}` {message}", subject.name);
            return wrong("[[subject]]", &message);
        }
        Ok(())
    }

    #[must_use]
    pub fn seeds(&self) -> Vec<u64> {
        match &self.seeds {
            Seeds::Count(count) => (0..*count).collect(),
            Seeds::List(list) => list.clone(),
        }
    }

    #[must_use]
    pub fn budget(&self) -> Budget<'_> {
        Budget {
            iterations: self.iterations,
            time: self.time.as_deref(),
        }
    }

    /// Every run, seeds outermost: an experiment that is cut short has something of everything.
    #[must_use]
    pub fn cells(&self) -> Vec<Cell> {
        let mut cells = Vec::new();
        for seed in self.seeds() {
            for subject in &self.subjects {
                for strategy in &self.strategies {
                    cells.push(Cell {
                        subject: subject.name.clone(),
                        strategy: strategy.clone(),
                        seed,
                    });
                }
            }
        }
        cells
    }

    /// Iterations at which coverage is told.
    #[must_use]
    pub fn marks(&self) -> Vec<u64> {
        if self.marks.is_empty() {
            vec![self.iterations.unwrap_or(u64::MAX)]
        } else {
            self.marks.clone()
        }
    }
}

impl fmt::Display for Cell {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}, {}, seed {}", self.subject, self.strategy, self.seed)
    }
}

impl BadSuite {
    fn at(text: &str, offset: usize, message: &str) -> BadSuite {
        let before = &text[..offset.min(text.len())];
        let start = before.rfind('\n').map_or(0, |at| at + 1);
        BadSuite {
            line: before.matches('\n').count() + 1,
            column: before[start..].chars().count() + 1,
            message: message.to_owned(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const GOOD: &str = r#"
name = "small"
strategies = ["mix", "cgs"]
seeds = 2
iterations = 100

[[subject]]
name = "tokens"
sources = ["tokens.c"]
stdin = "16"
"#;

    #[test]
    fn cells_go_by_seed() {
        let suite = Suite::parse(GOOD).expect("it is right");
        let cells: Vec<String> = suite.cells().iter().map(ToString::to_string).collect();
        assert_eq!(
            cells,
            [
                "tokens, mix, seed 0",
                "tokens, cgs, seed 0",
                "tokens, mix, seed 1",
                "tokens, cgs, seed 1"
            ]
        );
    }

    #[test]
    fn flags_of_every_cell_are_before_a_subjects_own() {
        let all = "iterations = 100\nflags = [\"--no-proofs\"]";
        let suite = Suite::parse(&GOOD.replace("iterations = 100", all)).expect("it is right");
        assert_eq!(suite.flags, ["--no-proofs"]);
        assert_eq!(Suite::parse(GOOD).map(|suite| suite.flags), Ok(vec![]));
    }

    fn wrong(from: &str, to: &str) -> String {
        let text = GOOD.replace(from, to);
        assert_ne!(text, GOOD);
        Suite::parse(&text).expect_err("it is wrong").to_string()
    }

    #[test]
    fn what_is_wrong_has_a_place() {
        let unknown = wrong("stdin = ", "stdni = ");
        assert!(
            unknown.starts_with("line 10, column 1: unknown field `stdni`"),
            "{unknown}"
        );
        let unknown = wrong("seeds = 2", "seeds = 2\nsseds = 3");
        assert!(
            unknown.starts_with("line 5, column 1: unknown field `sseds`"),
            "{unknown}"
        );
        let kind = wrong("iterations = 100", "iterations = \"many\"");
        assert!(kind.starts_with("line 5, column 14: "), "{kind}");
        assert!(wrong("[\"mix\", \"cgs\"]", "[]").starts_with("line 3, column 1: no strategies"));
        assert!(wrong("iterations = 100", "").starts_with("line 2, column 1: no budget"));
        assert!(wrong("[\"tokens.c\"]", "[]").starts_with("line 7, column 1: subject `tokens`"));
        let both = wrong("stdin = ", "program = \"tokens\"\nstdin = ");
        assert!(
            both.starts_with("line 7, column 1: subject `tokens` has sources and a program"),
            "{both}"
        );
        let sources = [
            ("program = \"tokens\"\ncflags = [\"-O1\"]", "built already"),
            (
                "program = \"tokens\"\nfunction = \"f\"",
                "a function, and a program",
            ),
            (
                "sources = [\"a.c\", \"b.c\"]\nfunction = \"f\"",
                "a function, and more than the source it is in",
            ),
        ];
        for (instead, words) in sources {
            let message = wrong("sources = [\"tokens.c\"]", instead);
            assert!(message.contains(words), "{message}");
        }
    }
}
