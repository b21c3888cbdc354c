//! The file of results: a line for what the runs share, then one for each run, appended as they come.

use std::fs::{File, OpenOptions};
use std::io::Write;
use std::path::{Path, PathBuf};

use ::bench::{Record, Suite};
use anyhow::{Context, Result, bail};

/// The open file of results, and the runs that it has already.
pub struct Results {
    path: PathBuf,
    file: File,
    records: Vec<Record>,
}

impl Results {
    /// Opens the results in a folder, or starts them. Records of strategies, subjects and seeds that the suite does not
    /// have any more are left where they are and not shown.
    ///
    /// # Errors
    /// They are of another budget or version, or cannot be read.
    pub fn open(folder: &Path, suite: &Suite) -> Result<Results> {
        std::fs::create_dir_all(folder)
            .with_context(|| format!("cannot make {}", folder.display()))?;
        let path = folder.join("results.csv");
        let budget = suite.budget();
        let version = env!("CARGO_PKG_VERSION");
        let shared = format!(
            "# bothways {version}, iterations {}, time {}\n{}",
            budget
                .iterations
                .map_or("any".to_owned(), |limit| limit.to_string()),
            budget.time.unwrap_or("any"),
            Record::header()
        );
        let old = match std::fs::read_to_string(&path) {
            Ok(text) => text,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => String::new(),
            Err(error) => return Err(error).with_context(|| format!("{}", path.display())),
        };
        if !old.is_empty() && !old.starts_with(&shared) {
            bail!(
                "{}: these results are of another budget or version; give another --out, or remove the file",
                path.display()
            );
        }
        let mut records = Vec::new();
        let cells = suite.cells();
        // A line that was cut off by an interruption is measured again.
        let whole = old.rfind('\n').map_or("", |end| &old[..=end]);
        for (number, line) in whole.lines().enumerate().skip(shared.lines().count()) {
            let record = Record::parse(line)
                .with_context(|| format!("{}: line {}", path.display(), number + 1))?;
            if cells.contains(&record.cell()) {
                records.push(record);
            }
        }
        if whole.len() < old.len() || old.is_empty() {
            let text = if old.is_empty() { &shared } else { whole };
            std::fs::write(&path, text)
                .with_context(|| format!("cannot write {}", path.display()))?;
        }
        let file = OpenOptions::new()
            .append(true)
            .open(&path)
            .with_context(|| format!("cannot write {}", path.display()))?;
        Ok(Results {
            path,
            file,
            records,
        })
    }

    /// Adds a record, on disk first.
    ///
    /// # Errors
    /// The file cannot be written.
    pub fn add(&mut self, record: Record) -> Result<()> {
        let written = self.file.write_all(record.line().as_bytes());
        written
            .and_then(|()| self.file.flush())
            .with_context(|| format!("cannot write {}", self.path.display()))?;
        self.records.push(record);
        Ok(())
    }

    pub fn records(&self) -> &[Record] {
        &self.records
    }
}
