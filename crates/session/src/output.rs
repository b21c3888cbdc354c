//! The folder of a suite: made when there is something to put into it, never over somebody else's files.

use std::collections::BTreeSet;
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use crate::error::{Context, Result, bail};
use report::suite::manifest::FILE_NAME;
use report::suite::{Test, text};
use store::{Lock, Store};

use crate::options::Start;
use crate::stored;

/// Name under which the judge's executable is kept in the suite, for replays.
pub const JUDGE: &str = "judge";

/// Name of the sanitized build in a suite.
pub const SANITIZED: &str = "judge-sanitized";

/// Folder of the certificates in a suite.
pub const CERTIFICATES: &str = "certificates";

/// Folder of the tests in a suite.
const TESTS: &str = "tests";

/// What a suite's folder holds beside the reports; anything else in it is not ours, and stays.
const PARTS: &[&str] = &[
    FILE_NAME,
    report::stored::FILE_NAME,
    JUDGE,
    "harness.c",
    "c-test",
    "corpus",
    "ktest",
    SANITIZED,
    CERTIFICATES,
    TESTS,
    "test-comp",
    "test-comp.zip",
];

/// What is there before a folder is ours, and while it is: says who writes.
const LOCK: &str = store::LOCK_NAME;

/// Whether a folder has a manifest of ours, if only that of a campaign that did not end.
fn is_suite(path: &Path) -> bool {
    let text = fs::read_to_string(path.join(FILE_NAME)).unwrap_or_default();
    let manifest: serde_json::Value = serde_json::from_str(&text).unwrap_or_default();
    let tool = manifest.get("tool").and_then(serde_json::Value::as_str);
    tool.is_some_and(|tool| tool.starts_with("bothways"))
}

/// A suite's folder, and the store of its campaign. Nobody else writes it.
#[derive(Debug)]
pub struct Folder {
    path: PathBuf,
    store: Store,
    _lock: Lock,
}

impl Folder {
    /// Checks that the folder can be used, without changing anything.
    ///
    /// # Errors
    /// It holds something that is not a suite of ours, cannot be written, another campaign is in it, or its store cannot be used.
    pub fn check(path: &Path, start: Start) -> Result<()> {
        let name = path.display();
        if !path.exists() {
            let parent = path
                .parent()
                .filter(|parent| !parent.as_os_str().is_empty())
                .unwrap_or(Path::new("."));
            let existing = parent
                .ancestors()
                .find(|folder| folder.exists())
                .unwrap_or(Path::new("/"));
            tempfile::tempfile_in(existing)
                .with_context(|| format!("output folder {name} cannot be made"))?;
            return Ok(());
        }
        let entries = fs::read_dir(path).with_context(|| format!("output folder {name}"))?;
        let mut others = entries.flatten().filter(|entry| entry.file_name() != LOCK);
        if others.next().is_some() && !is_suite(path) {
            bail!(
                "output folder {name} is not empty and holds no suite of bothways: choose another with --out"
            );
        }
        tempfile::tempfile_in(path)
            .with_context(|| format!("output folder {name} cannot be written"))?;
        if let Some(process) = Lock::holder(path) {
            let folder = path.to_owned();
            return Err(store::Error::InUse { folder, process }.into());
        }
        if start != Start::Fresh && path.join(store::FILE_NAME).exists() {
            store::Reader::open(path)?.last()?;
        }
        Ok(())
    }

    /// Makes the folder, or makes it ready for the next campaign: an earlier suite of ours in it is removed. If `goes_on`, its tests and its
    /// store stay.
    ///
    /// # Errors
    /// It cannot be made, or another campaign is in it.
    pub fn create(path: &Path, start: Start, goes_on: bool) -> Result<Folder> {
        Folder::check(path, start)?;
        let name = path.display();
        fs::create_dir_all(path).with_context(|| format!("output folder {name} cannot be made"))?;
        let lock = Lock::take(path)?;
        // From here on it is ours: an interrupted campaign's folder can be used again.
        if !goes_on {
            write_whole(&path.join(FILE_NAME), b"{\"tool\": \"bothways\"}\n")?;
        }
        let stays = |part: &str| part == FILE_NAME || (goes_on && part == TESTS);
        let reports = report::format::REPORTS.iter();
        let reports = reports.map(|format| format.file_name());
        let parts = PARTS.iter().copied().chain(reports);
        let mut removed: Vec<&str> = parts.filter(|part| !stays(part)).collect();
        if !goes_on {
            removed.extend(store::FILES);
        }
        for entry in removed.iter().map(|part| path.join(part)) {
            if !entry.exists() {
                continue;
            }
            let removed = if entry.is_dir() {
                fs::remove_dir_all(&entry)
            } else {
                fs::remove_file(&entry)
            };
            removed.with_context(|| format!("{}", entry.display()))?;
        }
        let path = std::path::absolute(path)?;
        Ok(Folder {
            store: Store::open(&path)?,
            path,
            _lock: lock,
        })
    }

    /// What the campaign has found.
    pub fn store(&mut self) -> &mut Store {
        &mut self.store
    }

    /// Stores a test, then writes its file.
    ///
    /// # Errors
    /// The disk is full, or the folder is gone.
    pub fn keep_test(&mut self, test: &Test, covers: &[u32]) -> Result<()> {
        let (key, text, outcome) = (
            stored::key(test),
            text::render(test),
            test.outcome.in_words(),
        );
        self.store
            .add(&stored::row(test, (&key, &text, &outcome), covers))?;
        self.write_test(test)
    }

    /// Removes the files of tests that are not of this suite.
    ///
    /// # Errors
    /// One cannot be removed.
    pub fn remove_other_tests(&self, tests: &[Test]) -> Result<()> {
        let own: BTreeSet<String> = tests.iter().map(Test::file_name).collect();
        for entry in fs::read_dir(self.path.join(TESTS))
            .into_iter()
            .flatten()
            .flatten()
        {
            let name = entry.file_name().to_string_lossy().into_owned();
            if name.starts_with("test-") && name.ends_with(".test") && !own.contains(&name) {
                let path = entry.path();
                fs::remove_file(&path).with_context(|| format!("{}", path.display()))?;
            }
        }
        Ok(())
    }

    /// Where it is.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Keeps the judge's executable, for replays; nothing is left of one that does not fit.
    ///
    /// # Errors
    /// The disk is full, or the folder is gone.
    pub fn keep_judge(&self, executable: &Path) -> Result<()> {
        let kept = self.path.join(JUDGE);
        if kept.exists() {
            return Ok(());
        }
        let copied = fs::copy(executable, &kept);
        if copied.is_err() {
            let _ = fs::remove_file(&kept);
        }
        copied.with_context(|| format!("cannot write {}", kept.display()))?;
        Ok(())
    }

    /// The file of a test.
    pub fn test_path(&self, test: &Test) -> PathBuf {
        self.path.join(test.path())
    }

    /// Writes a test; whole or not at all.
    ///
    /// # Errors
    /// The disk is full, or the folder is gone.
    pub fn write_test(&self, test: &Test) -> Result<()> {
        self.write(Path::new(&test.path()), text::render(test).as_bytes())
    }

    /// Writes a file below the folder; whole or not at all.
    ///
    /// # Errors
    /// The disk is full, or the folder is gone.
    pub fn write(&self, name: &Path, content: &[u8]) -> Result<()> {
        write_whole(&self.path.join(name), content)
    }
}

/// Writes a file and the folders above it; whole or not at all.
///
/// # Errors
/// The disk is full, or the folder cannot be made.
pub fn write_whole(path: &Path, content: &[u8]) -> Result<()> {
    use std::io::Write;
    let what = || format!("cannot write {}", path.display());
    let parent = path.parent().filter(|parent| *parent != Path::new(""));
    let parent = parent.unwrap_or(Path::new("."));
    fs::create_dir_all(parent).with_context(what)?;
    let mode = fs::Permissions::from_mode(0o644);
    let mut file = tempfile::Builder::new()
        .permissions(mode)
        .tempfile_in(parent)
        .with_context(what)?;
    file.write_all(content).with_context(what)?;
    file.as_file().sync_data().ok();
    file.persist(path).with_context(what)?;
    Ok(())
}
