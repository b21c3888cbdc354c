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
mod bidirectional;
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
mod random;
mod random_branch;
mod random_path;
mod rp_md2u;
mod subpath;
mod target;
mod uniform_random;

pub(crate) use mix::LooksBack;
use path::Candidate;
use program::Program;

pub(crate) use crate::view::draw;
pub use crate::view::{NewPath, Pick, Strategy, Verdict, View};

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

/// The values of a parameter that is a switch; its name alone says [`YES`].
pub const YES_NO: &[&str] = &["no", YES];
/// What the name of a parameter alone says.
pub const YES: &str = "yes";

/// Where a search goes on that has nothing left on its path.
pub(crate) const RESTART: Param = Param {
    name: "restart",
    summary: "from what is known, or from a new input drawn at random",
    default: 0,
    min: 0,
    max: 1,
    words: &["known", "random"],
};

/// What distances lead to.
pub(crate) const GOALS: Param = Param {
    name: "goals",
    summary: "edges that no run has taken, or those where the criterion has something to gain",
    default: 0,
    min: 0,
    max: 1,
    words: &["edges", "criterion"],
};

/// What happens to the weight of a branch to which a path condition has no input.
pub(crate) const INFEASIBLE: Param = Param {
    name: "infeasible",
    summary: "a branch without an input keeps its weight, or weighs nothing until a run takes it",
    default: 0,
    min: 0,
    max: 1,
    words: &["stays", "zero"],
};

/// The side that is picked, of a strategy that may want other things.
pub(crate) fn side_of(pick: Pick) -> Option<Candidate> {
    match pick {
        Pick::Side(side) => Some(side),
        Pick::Again { .. } | Pick::Draw => None,
    }
}

/// Which sources a campaign with a strategy asks: see [`crate::source`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sources {
    /// The strategy's own picks, so that strategies can be compared by them; others only when there is nothing else.
    Plain,
    /// The strategy's own picks and nothing else, whatever happens.
    Alone,
    /// Every one that goes from runs to runs, and who looks backward when these find nothing for long.
    Forward,
    /// These, and who looks backward from goals.
    Both,
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
    /// Who proposes inputs and sides beside it.
    pub sources: Sources,
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
    bidirectional::ENTRY,
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
    random::ENTRY,
    random_branch::ENTRY,
    random_path::ENTRY,
    rp_md2u::ENTRY,
    subpath::ENTRY,
    target::ENTRY,
    uniform_random::ENTRY,
];

/// The strategy that is used unless another is asked for.
pub const DEFAULT: &str = "mix";

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
            .filter(|name| name != "mod.rs" && name.ends_with(".rs"))
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
