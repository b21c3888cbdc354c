//! Seeds: inputs that the user has already (`--seeds`), which start the campaign.
//!
//! A seed is a plain file (a corpus of AFL or libFuzzer, a sample document), a test of a suite of ours, or a `.ktest` of KLEE.
//! What must hold: a seed that cannot be used is named with the reason; the order is that of the paths.

mod ktest;
mod place;

use std::fs;
use std::path::{Path, PathBuf};

use crate::error::{Context, Result, bail};
use path::InputVector;

use self::place::Placed;
use super::plan::Plan;

/// The seeds of a campaign.
#[derive(Clone, Debug, Default)]
pub struct Seeds {
    /// With the names of their files, in the order in which they are run.
    pub inputs: Vec<(String, InputVector)>,
    /// The first of them are tests of a store.
    stored: usize,
    /// What the user should know of some of them.
    pub notes: Vec<String>,
}

impl Seeds {
    /// Reads the seeds below these paths.
    ///
    /// # Errors
    /// A path that is not there, or none of the seeds can be used.
    pub fn read(paths: &[PathBuf], plan: &Plan) -> Result<Seeds> {
        let mut seeds = Seeds::default();
        let mut files = Vec::new();
        for path in paths {
            let name = path.display();
            let data = fs::metadata(path).with_context(|| format!("seeds {name}"))?;
            let before = files.len();
            if data.is_dir() {
                collect(path, &mut files).with_context(|| format!("seeds {name}"))?;
            } else {
                files.push(path.clone());
            }
            if files.len() == before {
                bail!("seeds {name}: there is no file in this folder");
            }
        }
        for file in &files {
            let name = file.display().to_string();
            match seed(file, plan) {
                Ok(Placed { input, changes }) => {
                    let notes = changes
                        .iter()
                        .map(|change| format!("seed {name}: {change}"));
                    seeds.notes.extend(notes);
                    seeds.inputs.push((name, input));
                }
                Err(reason) => seeds
                    .notes
                    .push(format!("seed {name} is not used: {reason}")),
            }
        }
        if seeds.inputs.is_empty() && !files.is_empty() {
            bail!("no seed can be used:\n  {}", seeds.notes.join("\n  "));
        }
        Ok(seeds)
    }

    /// Those that the user gave.
    pub fn given(&self) -> &[(String, InputVector)] {
        &self.inputs[self.stored..]
    }

    /// Puts tests of a store in front. Of the tests that do not fit the inputs of this campaign there is a note.
    pub fn add_stored<'t>(
        &mut self,
        tests: impl Iterator<Item = (String, &'t str)>,
        plan: &Plan,
    ) -> Vec<Fit> {
        let (mut fitting, mut others) = (Vec::new(), 0);
        let fits = tests.map(|(name, text)| {
            let test = report::suite::text::parse(text).ok();
            let Some(placed) = test.and_then(|test| place::test(plan, &test).ok()) else {
                others += 1;
                return Fit::Not;
            };
            fitting.push((name, placed.input));
            if placed.changes.is_empty() {
                Fit::Whole
            } else {
                Fit::Changed
            }
        });
        let fits: Vec<Fit> = fits.collect();
        if others > 0 {
            let note = "tests in the store of this folder do not fit the inputs of this campaign";
            self.notes.push(format!("{others} {note}"));
        }
        self.stored += fitting.len();
        self.inputs.splice(0..0, fitting);
        fits
    }
}

/// Whether a test fits the inputs of a campaign.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fit {
    Whole,
    /// A part of it does: another part is not symbolic here, or has another length.
    Changed,
    Not,
}

/// An input of another fuzzer: the content of the program's file, or of its standard input.
///
/// # Errors
/// Nothing takes it.
pub(crate) fn placed(plan: &Plan, content: &[u8]) -> Result<InputVector, String> {
    place::file(plan, content).map(|placed| placed.input)
}

/// Reads one seed.
fn seed(file: &Path, plan: &Plan) -> Result<Placed, String> {
    let content = fs::read(file).map_err(|error| error.to_string())?;
    let header = report::suite::text::HEADER.as_bytes();
    if ktest::is_one(&content) {
        place::objects(plan, &ktest::parse(&content)?)
    } else if content.starts_with(header) {
        let text = String::from_utf8(content).map_err(|error| error.to_string())?;
        let test = report::suite::text::parse(&text).map_err(|error| error.to_string())?;
        place::test(plan, &test)
    } else {
        place::file(plan, &content)
    }
}

/// The seeds in a folder, by what kind of folder it is.
fn collect(folder: &Path, files: &mut Vec<PathBuf>) -> std::io::Result<()> {
    let mut entries: Vec<PathBuf> = fs::read_dir(folder)?
        .map(|entry| entry.map(|entry| entry.path()))
        .collect::<std::io::Result<_>>()?;
    entries.sort();
    let name = |path: &Path| {
        path.file_name()
            .unwrap_or_default()
            .to_string_lossy()
            .into_owned()
    };
    let has = |wanted: &str| entries.iter().any(|path| name(path) == wanted);
    let is_ktest = |path: &Path| {
        path.extension()
            .is_some_and(|extension| extension == "ktest")
    };
    if has("fuzzer_stats") || has("fuzzer_setup") {
        // What AFL has found, and nothing of what it keeps beside.
        entries.retain(|path| ["queue", "crashes", "hangs"].contains(&name(path).as_str()));
    } else if has("manifest.json") && has("tests") {
        entries.retain(|path| name(path) == "tests");
    } else if entries.iter().any(|path| is_ktest(path)) {
        entries.retain(|path| is_ktest(path));
    }
    entries.retain(|path| !name(path).starts_with('.') && name(path) != "README.txt");
    for entry in entries {
        if entry.is_dir() {
            collect(&entry, files)?;
        } else {
            files.push(entry);
        }
    }
    Ok(())
}
