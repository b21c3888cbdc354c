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
mod branch_residual;
mod carfast;
mod cfg_directed;
mod cgs;
mod dfs;
mod expectation;
mod fitness;
mod generational;
mod md2u;
mod mix;
mod portfolio;
mod pps;
mod random_branch;
mod random_path;
mod rp_md2u;
mod subpath;
mod target;
mod uniform_random;

use program::{EdgeId, Program, SecondaryMap};

use crate::guide::Nearness;
use crate::relevant::Relevant;
use crate::rng::Rng;
use path::{Candidate, NodeId, Outcome, RunId, Tree};

/// What strategies see.
#[derive(Clone, Copy, Debug)]
pub struct View<'a> {
    pub program: &'a Program,
    pub tree: &'a Tree,
    /// How often each edge was taken, over all runs.
    pub edge_hits: &'a SecondaryMap<EdgeId, u64>,
    /// Edges that were taken at all.
    pub edges_taken: usize,
    /// What candidates may still cover, whatever the criterion.
    pub relevant: Option<&'a Relevant>,
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
    /// How near it was to what it did not do.
    pub near: &'a dyn Nearness,
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
    /// It was not tried: nothing that is open can be covered behind it.
    Irrelevant,
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
    /// Names of the values 0, 1, …, where they have some.
    pub words: &'static [&'static str],
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
    /// Makes the strategy with the default of every parameter.
    #[must_use]
    pub fn plain(&self, program: &Program) -> Box<dyn Strategy> {
        let values: Vec<u64> = self.params.iter().map(|param| param.default).collect();
        (self.make)(program, &values)
    }

    /// The manual page, Markdown.
    #[must_use]
    pub fn manual(&self) -> String {
        let lines = self
            .source
            .lines()
            .map_while(|line| line.strip_prefix("//!"));
        lines
            .map(|line| format!("{}\n", line.strip_prefix(' ').unwrap_or(line)))
            .map(|line| line.replace("](super::", "](#"))
            .map(|line| {
                if line.contains("](#") {
                    line.replace('_', "-")
                } else {
                    line
                }
            })
            .collect()
    }
}

/// Every strategy.
pub const STRATEGIES: &[Entry] = &[
    bfs::ENTRY,
    branch_residual::ENTRY,
    carfast::ENTRY,
    cfg_directed::ENTRY,
    cgs::ENTRY,
    dfs::ENTRY,
    expectation::ENTRY,
    fitness::ENTRY,
    generational::ENTRY,
    md2u::ENTRY,
    mix::ENTRY,
    portfolio::ENTRY,
    pps::ENTRY,
    random_branch::ENTRY,
    random_path::ENTRY,
    rp_md2u::ENTRY,
    subpath::ENTRY,
    target::ENTRY,
    uniform_random::ENTRY,
];

/// The strategy that is used unless another is asked for.
pub const DEFAULT: &str = "mix";

/// Draws from a list what is still open. Each candidate leaves the list once, so the cost is constant over time.
pub(crate) fn draw(list: &mut Vec<Candidate>, view: &View<'_>, rng: &mut Rng) -> Option<Candidate> {
    while !list.is_empty() {
        let candidate = list.swap_remove(rng.below(list.len()));
        if view.tree.is_open(candidate) {
            return Some(candidate);
        }
    }
    None
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
            for heading in ["**Cost.**", "**When to choose it.**"] {
                assert!(manual.contains(heading), "{}: {heading}", entry.name);
            }
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

    /// The manual: its introduction is written by hand, the table and the pages come from the registry.
    #[test]
    fn the_manual_has_every_page() {
        let file = expect_test::expect_file!["../../../../docs/strategies.md"];
        let now = file.data();
        let (introduction, _) = now.split_once(PAGES).expect("the line before the pages");
        let (before, behind) = introduction.split_once(TABLE).expect("the table");
        let (_, behind) = behind.split_once(END_OF_TABLE).expect("its end");
        let table = table();
        let mut text = format!("{before}{TABLE}\n\n{table}\n{END_OF_TABLE}{behind}{PAGES}\n");
        for entry in STRATEGIES {
            text += &format!("\n## {}\n\n{}", entry.name, entry.manual());
            for (index, param) in entry.params.iter().enumerate() {
                if index == 0 {
                    text += "\n| option | default | values | meaning |\n|---|---|---|---|\n";
                }
                let values = if param.words.is_empty() {
                    format!("{} to {}", param.min, param.max)
                } else {
                    param.words.join(", ")
                };
                let default = param.show(param.default);
                let (name, summary) = (param.name, param.summary);
                text += &format!("| `{name}` | {default} | {values} | {summary} |\n");
            }
        }
        file.assert_eq(&text);
    }

    fn table() -> String {
        let mut text = "| strategy | what it picks | options |\n|---|---|---|\n".to_owned();
        for entry in STRATEGIES {
            let options: Vec<String> = entry
                .params
                .iter()
                .map(|param| format!("`{}`", param.name))
                .collect();
            let options = match options.len() {
                0 => "–".to_owned(),
                _ => options.join(", "),
            };
            let default = if entry.name == DEFAULT {
                " (default)"
            } else {
                ""
            };
            let (name, summary) = (entry.name, entry.summary);
            text += &format!("| [`{name}`](#{name}){default} | {summary} | {options} |\n");
        }
        text
    }

    const TABLE: &str =
        "<!-- The table is generated from the registry: UPDATE_EXPECT=1 cargo test -p explore -->";
    const END_OF_TABLE: &str = "<!-- end of the table -->";
    const PAGES: &str = "<!-- From here on generated from the doc comments: UPDATE_EXPECT=1 cargo test -p explore -->";
}
