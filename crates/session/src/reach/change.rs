//! The lines that a change touches, as targets: of a diff file, or of what git says of a revision.
//!
//! Must hold: the sources are those after the change; a diff that says otherwise is refused.

use std::collections::BTreeSet;
use std::path::Path;
use std::process::Command;

use coverage::target::{Resolver, Spec};
use coverage::{LineRange, Lines, LinesError};
use program::Program;
use report::reach::Change;

use super::diff::{self, FileChange, Hunk};
use crate::error::{Context, Error, Result, bail, ensure};

/// A change, as it was named.
pub struct Changed {
    name: String,
    files: Vec<FileChange>,
}

impl Changed {
    /// Reads a diff file, or asks git what is different from a revision.
    ///
    /// # Errors
    /// There is neither such a file nor such a revision, or the text is no unified diff.
    pub fn read(name: &str) -> Result<Changed> {
        let path = Path::new(name);
        let text = match path.is_file() {
            true => std::fs::read(path).with_context(|| format!("cannot read {name}"))?,
            false => from_git(name)?,
        };
        let files = diff::parse(&String::from_utf8_lossy(&text));
        let files = files.map_err(|error| Error::Input(format!("--diff {name}: {error}")))?;
        ensure!(!files.is_empty(), "--diff {name}: no file is changed");
        Ok(Changed {
            name: name.to_owned(),
            files,
        })
    }

    /// The lines with code that it adds or changes, and what else it touches.
    ///
    /// # Errors
    /// It does not fit the sources, or touches none of the program's.
    pub fn lines(&self, program: &Program, resolver: &Resolver<'_>) -> Result<(Vec<Spec>, Change)> {
        let mut change = Change {
            name: self.name.clone(),
            ..Change::default()
        };
        let mut specs = Vec::new();
        let mut touched = false;
        for file in &self.files {
            let Some(path) = self.file(program, file)? else {
                change.other_files.push(file.path.clone());
                continue;
            };
            touched = true;
            let added = file.hunks.iter().flat_map(|hunk| hunk.side(true));
            let added = added.filter(|(_, _, both)| !both);
            let added: BTreeSet<u32> = added.map(|(number, ..)| number).collect();
            for line in added {
                change.lines += 1;
                if resolver.has_code(&path, line)? {
                    let file = path.clone();
                    specs.push(Spec::Line { file, line });
                } else {
                    change.without_code += 1;
                }
            }
        }
        ensure!(
            touched,
            "--diff {}: no file that it touches is a source of the program: {}",
            self.name,
            change.other_files.join(", ")
        );
        Ok((specs, change))
    }

    /// The source of the program that is meant, by its path or the end of it; the change must be in it. Where the program has no such
    /// source, leading folders are taken off, as `patch -p` does, as long as the change is in none.
    fn file(&self, program: &Program, file: &FileChange) -> Result<Option<String>> {
        if let Some(path) = source(program, &file.path)? {
            let why = match Side::read(file, &path)? {
                Side::New => return Ok(Some(file.path.clone())),
                Side::Old => {
                    "it is not applied yet: apply it, and build the program again".to_owned()
                }
                Side::Neither(line) => format!(
                    "the hunk in line {line} of the diff does not apply: the file has other lines there"
                ),
            };
            bail!("--diff {}: {path}: {why}", self.name)
        }
        let mut rest = file.path.as_str();
        while let Some((_, shorter)) = rest.split_once('/') {
            rest = shorter;
            if let Some(path) = source(program, rest)?
                && Side::read(file, &path)? == Side::New
            {
                return Ok(Some(rest.to_owned()));
            }
        }
        Ok(None)
    }
}

/// The path of the source that a name means, if there is one.
fn source(program: &Program, name: &str) -> Result<Option<String>> {
    let range = LineRange {
        file: name.to_owned(),
        from: 1,
        to: 1,
    };
    match Lines::find(program, &range) {
        Ok(lines) => Ok(Some(lines.path(program).to_owned())),
        Err(LinesError::File { .. }) => Ok(None),
        Err(error) => Err(error.into()),
    }
}

/// The side of a change that a file has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Side {
    New,
    Old,
    /// Neither; the line of the diff with the first hunk that differs.
    Neither(usize),
}

impl Side {
    /// That of the file at a path.
    fn read(file: &FileChange, path: &str) -> Result<Side> {
        let text = std::fs::read(path).with_context(|| format!("cannot read {path}"))?;
        let text = String::from_utf8_lossy(&text);
        let known: Vec<&str> = text.lines().collect();
        let holds = |hunk: &Hunk, new: bool| {
            hunk.side(new).all(|(number, text, _)| {
                let known = known.get((number as usize).wrapping_sub(1));
                known.is_some_and(|known| known.trim_end() == text.trim_end())
            })
        };
        Ok(match file.hunks.iter().find(|hunk| !holds(hunk, true)) {
            None => Side::New,
            Some(_) if file.hunks.iter().all(|hunk| holds(hunk, false)) => Side::Old,
            Some(wrong) => Side::Neither(wrong.at),
        })
    }
}

/// What git says is different from a revision.
fn from_git(revision: &str) -> Result<Vec<u8>> {
    // A name that begins with a dash would be an option of git's.
    ensure!(
        !revision.starts_with('-') && !revision.is_empty(),
        "--diff {revision}: neither a file nor a git revision"
    );
    let mut git = Command::new("git");
    git.args(["-c", "core.quotePath=false", "diff", "--no-color"]);
    git.args(["--no-ext-diff", "--src-prefix=a/", "--dst-prefix=b/"]);
    let output = git.args([revision, "--"]).output();
    let output = output.with_context(|| {
        format!("--diff {revision}: there is no such file, and git cannot be started")
    })?;
    if !output.status.success() {
        let said = String::from_utf8_lossy(&output.stderr);
        let said = said.lines().next().unwrap_or("it failed").to_owned();
        bail!("--diff {revision}: there is no such file, and git says: {said}");
    }
    Ok(output.stdout)
}
