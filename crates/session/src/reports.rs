//! Reports in other formats: which are wanted, where each goes, and the stored report of a suite that any of them is made of.
//!
//! Must hold: whatever is wrong with a name or a place is said before a search begins; no folder of somebody else's is written
//! into.

use std::fs;
use std::path::{Path, PathBuf};

use report::Report;
use report::format::{REPORTS, ReportFormat, report_by_name};
use report::stored;
use report::suite::{Manifest, manifest};

use crate::all::FUNCTIONS;
use crate::error::{Context, Error, Result, bail};
use crate::near::near;
use crate::output::write_whole;

/// One report that is wanted.
#[derive(Clone, Copy)]
pub struct Wanted<'a> {
    format: &'static dyn ReportFormat,
    to: To<'a>,
}

/// Where a report goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum To<'a> {
    /// Into the folder of the suite.
    Suite,
    Path(&'a Path),
    Output,
}

impl<'a> Wanted<'a> {
    /// Reads `FORMAT` or `FORMAT=PATH`, where `-` is standard output.
    ///
    /// # Errors
    /// There is no such format; it has several files and cannot be printed; the place cannot be written.
    pub fn parse(word: &'a str) -> Result<Wanted<'a>> {
        let (name, to) = match word.split_once('=') {
            None => (word, To::Suite),
            Some((name, "-")) => (name, To::Output),
            Some((name, "")) => bail!("--report {name}=: say where to write it, or leave `=` out"),
            Some((name, path)) => (name, To::Path(Path::new(path))),
        };
        let Some(format) = report_by_name(name) else {
            let names: Vec<&str> = REPORTS.iter().map(|format| format.name()).collect();
            let meant = near(name, names.iter().copied());
            let meant = match meant.as_slice() {
                [] => String::new(),
                names => format!(" (did you mean `{}`?)", names.join("` or `")),
            };
            bail!(
                "there is no report format `{name}`{meant}; formats: {}",
                names.join(", ")
            );
        };
        let wanted = Wanted { format, to };
        let is_folder = wanted.is_folder();
        match to {
            To::Output if is_folder => bail!(
                "report format `{name}` has several files and cannot go to standard output: --report {name}=FOLDER"
            ),
            To::Path(path) if is_folder => check_folder(path)?,
            To::Path(path) => check_file(path)?,
            _ => {}
        }
        Ok(wanted)
    }

    /// All of them.
    ///
    /// # Errors
    /// As for one; several of them at one place.
    pub fn all(words: &'a [String]) -> Result<Vec<Wanted<'a>>> {
        let mut all: Vec<Wanted<'_>> = Vec::new();
        for word in words {
            let wanted = Wanted::parse(word)?;
            if let Some(other) = all.iter().find(|other| other.place() == wanted.place()) {
                bail!(
                    "--report {} and --report {} go to the same place",
                    other.format.name(),
                    wanted.format.name()
                );
            }
            all.push(wanted);
        }
        Ok(all)
    }

    /// Does it go to standard output?
    #[must_use]
    pub fn is_printed(&self) -> bool {
        self.to == To::Output
    }

    /// Does it go into the folder of its suite, so that each of several suites can have one?
    #[must_use]
    pub fn is_in_suite(&self) -> bool {
        self.to == To::Suite
    }

    fn is_folder(&self) -> bool {
        self.format.folder(&Report::default()).is_some()
    }

    fn place(&self) -> (To<'a>, &'static str) {
        let name = match self.to {
            To::Suite => self.format.file_name(),
            To::Path(_) | To::Output => "",
        };
        (self.to, name)
    }

    /// Writes it, for the suite in this folder. What is to be printed, or the file to open.
    ///
    /// # Errors
    /// It cannot be written.
    pub fn write(&self, report: &Report, suite: &Path) -> Result<Written> {
        let place = match self.to {
            To::Output => return Ok(Written::Text(self.format.render(report))),
            To::Suite => suite.join(self.format.file_name()),
            To::Path(path) => path.to_owned(),
        };
        let Some(files) = self.format.folder(report) else {
            write_whole(&place, self.format.render(report).as_bytes())?;
            return Ok(Written::File(place));
        };
        check_folder(&place)?;
        if place.is_dir() {
            clear(&place)?;
        }
        for file in &files {
            write_whole(&place.join(&file.path), &file.bytes)?;
        }
        let first = files.first().map_or("", |file| file.path.as_str());
        Ok(Written::File(place.join(first)))
    }
}

/// What came of a report.
pub enum Written {
    /// To be printed.
    Text(String),
    /// A file, to be opened.
    File(PathBuf),
}

/// What the first page of a report's folder begins with: by it a folder is known as ours.
fn is_ours(folder: &Path) -> bool {
    let page = fs::read_to_string(folder.join(report::format::html::INDEX)).unwrap_or_default();
    page.contains(report::format::html::MARK)
}

/// A folder may be written into if it is new, empty, or an earlier report.
fn check_folder(path: &Path) -> Result<()> {
    if !path.exists() {
        return check_file(path);
    }
    let name = path.display();
    let mut entries = fs::read_dir(path).with_context(|| format!("report folder {name}"))?;
    if entries.next().is_some() && !is_ours(path) {
        bail!("report folder {name} is not empty and holds no report of bothways: choose another");
    }
    tempfile::tempfile_in(path)
        .with_context(|| format!("report folder {name} cannot be written"))?;
    Ok(())
}

/// A file may be written if its folder can.
fn check_file(path: &Path) -> Result<()> {
    let name = path.display();
    if path.is_dir() {
        bail!("{name} is a folder: name a file in it");
    }
    let above = path.ancestors().skip(1);
    let mut above = above.map(|folder| match folder == Path::new("") {
        true => Path::new("."),
        false => folder,
    });
    let existing = above.find(|folder| folder.exists());
    tempfile::tempfile_in(existing.unwrap_or(Path::new("/")))
        .with_context(|| format!("{name} cannot be written"))?;
    Ok(())
}

/// Removes the pages of an earlier report; anything else stays.
fn clear(folder: &Path) -> Result<()> {
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        let is_page = path.extension().is_some_and(|end| end == "html");
        if is_page && path.is_file() {
            fs::remove_file(&path).with_context(|| format!("{}", path.display()))?;
        }
    }
    Ok(())
}

/// The suites in a folder: itself, or those of `--all-functions`.
///
/// # Errors
/// There is no suite, or its manifest cannot be read.
pub fn suites(folder: &Path) -> Result<Vec<PathBuf>> {
    let path = folder.join(manifest::FILE_NAME);
    let text = fs::read_to_string(&path)
        .with_context(|| format!("{} is no suite: {}", folder.display(), path.display()))?;
    let value: serde_json::Value = serde_json::from_str(&text).unwrap_or_default();
    if let Some(names) = value.get(FUNCTIONS).and_then(serde_json::Value::as_array) {
        let names = names.iter().filter_map(serde_json::Value::as_str);
        // Those that could not be tested have no folder.
        let folders = names.map(|name| folder.join(name));
        return Ok(folders.filter(|folder| folder.is_dir()).collect());
    }
    Manifest::parse(&text).map_err(|error| said(&path, &error))?;
    Ok(vec![folder.to_owned()])
}

/// The stored report of a suite.
///
/// # Errors
/// The campaign did not come to its end, or the file was changed.
pub fn read(suite: &Path) -> Result<Report> {
    let path = suite.join(stored::FILE_NAME);
    let text = fs::read_to_string(&path).with_context(|| {
        format!(
            "{} has no {}: its campaign did not come to its end, or an earlier version of bothways made it; make the suite again",
            suite.display(),
            stored::FILE_NAME
        )
    })?;
    let mut report = stored::parse(&text).map_err(|error| said(&path, &error))?;
    report.campaign.suite = Some(std::path::absolute(suite)?.display().to_string());
    Ok(report)
}

/// Whether the campaign of a suite has come to its end, so that there is a report.
#[must_use]
pub fn is_finished(suite: &Path) -> bool {
    suite.join(stored::FILE_NAME).is_file()
}

fn said(path: &Path, error: &dyn std::fmt::Display) -> Error {
    Error::Input(format!("{}: {error}", path.display()))
}
