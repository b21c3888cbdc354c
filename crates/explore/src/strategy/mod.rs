//! Strategies: which side of which decision to try next. One file each, one line each in [`STRATEGIES`].
//!
//! A strategy sees the execution tree, the static model and how often each edge was taken, and draws from a seeded
//! generator. It knows neither criterion nor solver. It chooses among the *candidates* of the tree, the open sides
//! of branches, selects, switches and library decisions; checks, pins and failed assumptions have lanes of their own
//! (see [`crate::agenda`]), so that no strategy need think of them. When it has nothing to offer the campaign goes
//! on without it until the tree is exhausted, and asks again after each run.
//!
//! Must hold: picking is amortised logarithmic in the number of candidates; the same calls with the same generator
//! give the same picks.

mod bfs;
mod cgs;
mod dfs;
mod generational;
mod md2u;
mod mix;
mod random_branch;

use program::{EdgeId, Program, SecondaryMap};

use crate::rng::Rng;
use crate::run::Outcome;
use crate::tree::{Candidate, NodeId, RunId, Tree};

/// What strategies see.
#[derive(Clone, Copy, Debug)]
pub struct View<'a> {
    pub program: &'a Program,
    pub tree: &'a Tree,
    /// How often each edge was taken, over all runs.
    pub edge_hits: &'a SecondaryMap<EdgeId, u64>,
    /// Edges that were taken at all.
    pub edges_taken: usize,
}

/// A path that was added to the tree.
#[derive(Clone, Copy, Debug)]
pub struct NewPath<'a> {
    pub run: RunId,
    /// Its nodes, from the root to its end.
    pub nodes: &'a [NodeId],
    /// How many of them were there before.
    pub known: usize,
    /// How often it took each edge; every edge once.
    pub edges: &'a [(EdgeId, u64)],
    /// How the run ended.
    pub outcome: Outcome,
}

impl<'a> NewPath<'a> {
    /// The nodes that it added.
    #[must_use]
    pub fn new_nodes(&self) -> &'a [NodeId] {
        &self.nodes[self.known..]
    }
}

/// What became of a pick.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Verdict {
    /// The run took the side.
    Taken,
    /// No input takes it.
    Unsat,
    /// The solver gave up.
    Unknown,
    /// The run went elsewhere.
    Diverged,
    /// The job was lost; the side is open again.
    Lost,
}

/// Chooses what to try next.
pub trait Strategy: Send {
    /// A path was added; its new nodes may have candidates. Comes before [`Strategy::on_result`] of the same job.
    fn on_path(&mut self, view: &View<'_>, path: &NewPath<'_>);

    /// The next candidate: one that is open. `None`: nothing to offer now.
    fn pick(&mut self, view: &View<'_>, rng: &mut Rng) -> Option<Candidate>;

    /// What became of a candidate, whoever picked it.
    fn on_result(&mut self, _view: &View<'_>, _candidate: Candidate, _verdict: Verdict) {}

    /// Where it is, for the progress line.
    fn phase(&self) -> String {
        String::new()
    }

    /// Bytes that it takes.
    fn bytes(&self) -> usize;
}

/// A number that a strategy takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Param {
    pub name: &'static str,
    pub summary: &'static str,
    pub default: u64,
    pub min: u64,
    pub max: u64,
}

/// What the registry knows of a strategy.
#[derive(Clone, Copy, Debug)]
pub struct Entry {
    /// What the user types.
    pub name: &'static str,
    /// One line for lists.
    pub summary: &'static str,
    /// Its file; the doc comment at its start is the manual page.
    source: &'static str,
    pub params: &'static [Param],
    /// Makes one, given a value for each of `params` in their order.
    pub make: fn(&Program, &[u64]) -> Box<dyn Strategy>,
}

impl Entry {
    /// The manual page, Markdown.
    #[must_use]
    pub fn manual(&self) -> String {
        let lines = self
            .source
            .lines()
            .map_while(|line| line.strip_prefix("//!"));
        lines
            .map(|line| format!("{}\n", line.strip_prefix(' ').unwrap_or(line)))
            .collect()
    }
}

/// Every strategy.
pub const STRATEGIES: &[Entry] = &[
    bfs::ENTRY,
    cgs::ENTRY,
    dfs::ENTRY,
    generational::ENTRY,
    md2u::ENTRY,
    mix::ENTRY,
    random_branch::ENTRY,
];

/// The strategy that is used unless another is asked for.
pub const DEFAULT: &str = "mix";

/// A strategy and its parameters' values.
#[derive(Clone, Debug)]
pub struct Choice {
    pub entry: &'static Entry,
    pub values: Vec<u64>,
}

/// What is wrong with the text that names a strategy.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum BadChoice {
    #[error("there is no strategy `{name}`; did you mean `{nearest}`? Strategies: {all}")]
    Unknown {
        name: String,
        nearest: &'static str,
        all: String,
    },
    #[error("strategy `{strategy}` has no parameter `{name}`; it has: {all}")]
    Parameter {
        strategy: &'static str,
        name: String,
        all: String,
    },
    #[error(
        "`{text}` is no value for `{name}` of strategy `{strategy}`: a whole number from {min} to {max}"
    )]
    Value {
        strategy: &'static str,
        name: &'static str,
        text: String,
        min: u64,
        max: u64,
    },
}

impl Choice {
    /// Reads `NAME` or `NAME:PARAMETER=VALUE,…`.
    ///
    /// # Errors
    /// When there is no such strategy or parameter, or a value is out of range.
    pub fn parse(text: &str) -> Result<Choice, BadChoice> {
        let (name, params) = text.split_once(':').unwrap_or((text, ""));
        let entry = STRATEGIES
            .iter()
            .find(|entry| entry.name == name)
            .ok_or_else(|| unknown(name))?;
        let mut values: Vec<u64> = entry.params.iter().map(|param| param.default).collect();
        for setting in params.split(',').filter(|setting| !setting.is_empty()) {
            let (name, value) = setting.split_once('=').unwrap_or((setting, ""));
            let index = entry
                .params
                .iter()
                .position(|param| param.name == name)
                .ok_or_else(|| {
                    let all = listed(entry.params.iter().map(|param| param.name));
                    BadChoice::Parameter {
                        strategy: entry.name,
                        name: name.to_owned(),
                        all,
                    }
                })?;
            let Param { name, min, max, .. } = entry.params[index];
            let number = value
                .parse()
                .ok()
                .filter(|number| (min..=max).contains(number));
            values[index] = number.ok_or_else(|| BadChoice::Value {
                strategy: entry.name,
                name,
                text: value.to_owned(),
                min,
                max,
            })?;
        }
        Ok(Choice { entry, values })
    }

    /// Makes the strategy.
    #[must_use]
    pub fn make(&self, program: &Program) -> Box<dyn Strategy> {
        (self.entry.make)(program, &self.values)
    }
}

impl std::fmt::Display for Choice {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}", self.entry.name)?;
        let mut separator = ':';
        for (param, value) in self.entry.params.iter().zip(&self.values) {
            if *value != param.default {
                write!(f, "{separator}{}={value}", param.name)?;
                separator = ',';
            }
        }
        Ok(())
    }
}

/// Draws from a list what is still open. Each candidate leaves the list once, so the cost is constant over time.
fn draw(list: &mut Vec<Candidate>, view: &View<'_>, rng: &mut Rng) -> Option<Candidate> {
    while !list.is_empty() {
        let candidate = list.swap_remove(rng.below(list.len()));
        if view.tree.is_open(candidate) {
            return Some(candidate);
        }
    }
    None
}

fn unknown(name: &str) -> BadChoice {
    let nearest = STRATEGIES
        .iter()
        .map(|entry| entry.name)
        .min_by_key(|known| distance(known, name));
    BadChoice::Unknown {
        name: name.to_owned(),
        nearest: nearest.unwrap_or(DEFAULT),
        all: listed(STRATEGIES.iter().map(|entry| entry.name)),
    }
}

fn listed<'a>(names: impl Iterator<Item = &'a str>) -> String {
    let names: Vec<&str> = names.collect();
    if names.is_empty() {
        "none".to_owned()
    } else {
        names.join(", ")
    }
}

/// Edit distance (Levenshtein).
fn distance(a: &str, b: &str) -> usize {
    let mut row: Vec<usize> = (0..=b.chars().count()).collect();
    for (i, from) in a.chars().enumerate() {
        let mut diagonal = std::mem::replace(&mut row[0], i + 1);
        for (j, to) in b.chars().enumerate() {
            let change = diagonal + usize::from(from != to);
            diagonal = row[j + 1];
            row[j + 1] = change.min(row[j] + 1).min(diagonal + 1);
        }
    }
    row[b.chars().count()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_registry_is_the_folder() {
        let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("src/strategy");
        let mut files: Vec<String> = std::fs::read_dir(folder)
            .expect("the folder is there")
            .map(|entry| {
                entry
                    .expect("it can be read")
                    .file_name()
                    .into_string()
                    .expect("names are text")
            })
            .filter(|name| name != "mod.rs")
            .map(|name| name.trim_end_matches(".rs").replace('_', "-"))
            .collect();
        files.sort();
        let names: Vec<&str> = STRATEGIES.iter().map(|entry| entry.name).collect();
        assert_eq!(names, files);
        assert!(names.contains(&DEFAULT));
    }

    #[test]
    fn manuals_are_pages() {
        for entry in STRATEGIES {
            let manual = entry.manual();
            assert!(
                manual.starts_with(entry.summary),
                "{}: its page starts with its summary",
                entry.name
            );
            assert!(manual.contains("When to choose it"), "{}", entry.name);
            for param in entry.params {
                assert!(
                    manual.contains(param.name),
                    "{}: {}",
                    entry.name,
                    param.name
                );
                assert!((param.min..=param.max).contains(&param.default));
            }
        }
    }

    #[test]
    fn choices_are_read_and_written() {
        for text in ["cgs", "bfs", "random-branch", "dfs", "dfs:bound=50"] {
            assert_eq!(
                Choice::parse(text).map(|choice| choice.to_string()),
                Ok(text.to_owned())
            );
        }
        let says = |text: &str| {
            Choice::parse(text)
                .map_err(|error| error.to_string())
                .unwrap_err()
        };
        assert!(says("cqs").contains("did you mean `cgs`"));
        assert!(says("dfs:limit=1").contains("it has: bound"));
        assert!(says("bfs:limit=1").contains("it has: none"));
        assert!(says("dfs:bound=many").contains("a whole number from 0 to"));
    }
}
