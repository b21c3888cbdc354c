//! Which part of a program has goals.

use std::path::{Component, Path, PathBuf};

use program::{FuncId, FunctionCoverage, Program, RegionKind};

use crate::record::Shape;
use crate::target::Pick;

/// What has goals; everything, unless it is said otherwise.
#[derive(Clone, Copy, Debug, Default)]
pub struct Scope<'a> {
    /// These functions.
    pub functions: Option<&'a [FuncId]>,
    /// For the criterion `lines`: these lines.
    pub lines: Option<&'a Lines>,
    /// For targets: these goals.
    pub picks: Option<&'a [Pick]>,
}

/// Some lines of a source file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Lines {
    /// Indices into [`Program::files`]: one path may be spelled in several ways.
    files: Vec<u32>,
    from: u32,
    to: u32,
}

/// `FILE:A-B` or `FILE:A`, as it was typed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LineRange {
    pub file: String,
    pub from: u32,
    pub to: u32,
}

/// The text is no range of lines.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum LinesError {
    /// It has another form.
    #[error("`{0}` is no range of lines: write FILE:A-B, as in parse.c:120-140")]
    Form(String),
    /// It ends before it begins, or begins before line 1.
    #[error(
        "lines {from} to {to} of {file} are no range: lines count from 1, the first one comes first"
    )]
    Order { file: String, from: u32, to: u32 },
    /// The program has no such file.
    #[error("the program has no source file `{file}`; its files: {files}")]
    File { file: String, files: String },
    /// The name fits several files.
    #[error("`{file}` may be any of {files}: write more of the path")]
    Ambiguous { file: String, files: String },
}

impl LineRange {
    /// Reads `FILE:A-B`.
    ///
    /// # Errors
    /// It has another form, or is no range.
    pub fn parse(text: &str) -> Result<LineRange, LinesError> {
        let form = || LinesError::Form(text.to_owned());
        let (file, range) = text.rsplit_once(':').ok_or_else(form)?;
        let (from, to) = range.split_once('-').unwrap_or((range, range));
        let number = |text: &str| text.parse::<u32>().map_err(|_| form());
        let (from, to) = (number(from)?, number(to)?);
        if file.is_empty() {
            return Err(form());
        }
        let file = file.to_owned();
        if from == 0 || to < from {
            return Err(LinesError::Order { file, from, to });
        }
        Ok(LineRange { file, from, to })
    }
}

/// A path as it was typed, without `.`, `x/..` and what leads out of the current folder.
fn plain(typed: &str) -> PathBuf {
    let mut path = PathBuf::new();
    for component in Path::new(typed).components() {
        match component {
            Component::CurDir => {}
            Component::ParentDir => _ = path.pop(),
            other => path.push(other),
        }
    }
    path
}

impl Lines {
    /// Finds the file of a range in a program: by its path or the end of it. Where the program's own paths are relative
    /// (`-ffile-prefix-map=$PWD=.`, as Debian builds) what was typed may be longer.
    ///
    /// # Errors
    /// There is none, or there are several.
    pub fn find(program: &Program, range: &LineRange) -> Result<Lines, LinesError> {
        let with_code = |number: &u32| {
            program.coverage.iter().any(|record| {
                let own = record
                    .function
                    .is_none_or(|function| !program.functions[function].library);
                own && record.files.contains(number)
            })
        };
        let all: Vec<u32> = (0..program.files.len() as u32).filter(with_code).collect();
        let path = |number: &u32| program.files[*number as usize].as_str();
        let wanted = plain(&range.file);
        let exact: Vec<u32> = all
            .iter()
            .copied()
            .filter(|it| path(it) == range.file)
            .collect();
        let fits = |number: &u32| Path::new(path(number)).ends_with(&wanted);
        let is_end = |number: &u32| {
            let own = Path::new(path(number));
            own.is_relative() && wanted.ends_with(own)
        };
        let length = |number: &u32| path(number).len();
        let mut files = exact;
        if files.is_empty() {
            files = all.iter().copied().filter(fits).collect();
        }
        if files.is_empty() {
            files = all.iter().copied().filter(is_end).collect();
            let longest = files.iter().map(length).max();
            files.retain(|number| Some(length(number)) == longest);
        }
        let list = |numbers: &[u32]| {
            let mut paths: Vec<&str> = numbers.iter().map(path).collect();
            paths.sort_unstable();
            paths.dedup();
            paths
        };
        match list(&files).as_slice() {
            [] => Err(LinesError::File {
                file: range.file.clone(),
                files: list(&all).join(", "),
            }),
            [_] => Ok(Lines {
                files,
                from: range.from,
                to: range.to,
            }),
            several => Err(LinesError::Ambiguous {
                file: range.file.clone(),
                files: several.join(", "),
            }),
        }
    }

    /// Path of the file.
    #[must_use]
    pub fn path<'p>(&self, program: &'p Program) -> &'p str {
        &program.files[self.files[0] as usize]
    }

    /// An index of the file into [`Program::files`].
    pub(crate) fn file(&self) -> u32 {
        self.files[0]
    }

    /// Is this index into [`Program::files`] the file's?
    pub(crate) fn is_path(&self, file: u32) -> bool {
        self.files.contains(&file)
    }

    /// Another line of the file.
    pub(crate) fn at(&self, line: u32) -> Lines {
        Lines {
            files: self.files.clone(),
            from: line,
            to: line,
        }
    }

    /// The last line.
    #[must_use]
    pub const fn last(&self) -> u32 {
        self.to
    }

    /// Does a region start in the lines?
    pub(crate) fn has_start(&self, record: &FunctionCoverage, shape: &Shape, region: u32) -> bool {
        let region = &record.regions[region as usize];
        let (file, range) = shape
            .expansions(region.file)
            .last()
            .unwrap_or((region.file, region.range));
        self.is_file(record, file) && (self.from..=self.to).contains(&range.line)
    }

    /// Does some of the lines stand in this region of code, and in no smaller one?
    pub(crate) fn has_code(&self, record: &FunctionCoverage, shape: &Shape, region: u32) -> bool {
        if self.has_start(record, shape, region) {
            return true;
        }
        let own = &record.regions[region as usize];
        if !self.is_file(record, own.file) {
            return false;
        }
        let covers = |other: &program::Region, line: u32| {
            other.kind == RegionKind::Code
                && other.file == own.file
                && other.range.line < line
                && line <= other.range.end_line
        };
        let size = |region: &program::Region| {
            let range = region.range;
            (
                range.end_line - range.line,
                std::cmp::Reverse((range.line, range.col)),
            )
        };
        let first = self.from.max(own.range.line + 1);
        let last = self.to.min(own.range.end_line);
        (first..=last).any(|line| {
            let smallest = record
                .regions
                .iter()
                .filter(|other| covers(other, line))
                .min_by_key(|other| size(other));
            smallest.is_some_and(|smallest| std::ptr::eq(smallest, own))
        })
    }

    /// The smallest region of code around a place of the file, line and column, or that of a macro.
    pub(crate) fn innermost(&self, record: &FunctionCoverage, at: (u32, u32)) -> Option<u32> {
        let holds = |region: &program::Region| {
            let range = region.range;
            matches!(region.kind, RegionKind::Code | RegionKind::Expansion { .. })
                && self.is_file(record, region.file)
                && (range.line, range.col) <= at
                && at < (range.end_line, range.end_col)
        };
        let all = (0u32..).zip(&record.regions);
        let around = all.filter(|(_, region)| holds(region));
        // Of two around one place the smaller starts later, or ends before.
        let order = |region: &program::Region| {
            let range = region.range;
            let end = (range.end_line, range.end_col);
            (std::cmp::Reverse((range.line, range.col)), end)
        };
        around
            .min_by_key(|(_, region)| order(region))
            .map(|(number, _)| number)
    }

    pub(crate) fn is_file(&self, record: &FunctionCoverage, local: u32) -> bool {
        let file = record.files.get(local as usize);
        file.is_some_and(|file| self.files.contains(file))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_are_read() {
        let read = |text: &str| match LineRange::parse(text) {
            Ok(LineRange { file, from, to }) => format!("{file} {from} {to}"),
            Err(error) => error.to_string(),
        };
        assert_eq!(read("a/b.c:3-7"), "a/b.c 3 7");
        assert_eq!(read("C:b.c:3"), "C:b.c 3 3");
        assert_eq!(
            read("b.c:7-3"),
            "lines 7 to 3 of b.c are no range: lines count from 1, the first one comes first"
        );
        for wrong in ["b.c", ":3-4", "b.c:x", "b.c:3-", "b.c:-3", ""] {
            assert!(read(wrong).contains("is no range of lines"), "{wrong}");
        }
    }
}
