//! One instance's folder in a sync folder, as `afl-fuzz` lays it out (AFL++ 4, `docs/fuzzing_in_depth.md`, "Using multiple cores"):
//! `queue/`, `crashes/`, `hangs/`, `fuzzer_stats`, and `.synced/OTHER`, the number of the next entry of another instance's queue.
//!
//! What must hold: a file that others can see is whole; numbers of a queue have no gaps.

use std::fs::{self, File, TryLockError};
use std::io;
use std::path::{Path, PathBuf};

use super::stats;
use crate::error::{Context, Result, bail};

/// Longest name of an instance.
const LONGEST_NAME: usize = 50;
/// What is written before it is renamed into place.
const DRAFT: &str = ".draft";
/// In the name of an input that was given, not found.
const GIVEN: &str = ",orig:";

/// Where inputs of one kind are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Queue,
    Crashes,
    Hangs,
}

impl Kind {
    pub(super) const ALL: [Kind; 3] = [Kind::Queue, Kind::Crashes, Kind::Hangs];

    const fn folder(self) -> &'static str {
        match self {
            Kind::Queue => "queue",
            Kind::Crashes => "crashes",
            Kind::Hangs => "hangs",
        }
    }
}

/// Our own folder.
#[derive(Debug)]
pub(super) struct Folder {
    path: PathBuf,
    /// Number of the next input, for each kind.
    next: [u32; 3],
    /// Entries of the queue that were given, not found.
    given: u32,
    /// Held as long as the campaign lives, on the folder itself, as `afl-fuzz` does.
    _lock: File,
}

/// The number of an entry, `id:000012,...`.
pub(super) fn number(name: &str) -> Option<u32> {
    let digits = name.strip_prefix("id:")?.split(',').next()?;
    digits.parse().ok()
}

/// Entries of a queue with their numbers, in rising order.
pub(super) fn entries(queue: &Path) -> io::Result<Vec<(u32, PathBuf)>> {
    let mut found = Vec::new();
    for entry in fs::read_dir(queue)? {
        let entry = entry?;
        if let Some(number) = entry.file_name().to_str().and_then(number) {
            found.push((number, entry.path()));
        }
    }
    found.sort();
    Ok(found)
}

/// Whether a name can be that of an instance.
fn check_name(name: &str) -> Result<()> {
    let allowed = |letter: char| letter.is_ascii_alphanumeric() || "_-".contains(letter);
    if name.is_empty() || name.len() > LONGEST_NAME || !name.chars().all(allowed) {
        bail!(
            "--name {name:?}: a name has 1 to {LONGEST_NAME} letters, digits, `_` and `-`, as for afl-fuzz"
        );
    }
    Ok(())
}

/// Whether a folder is one in which instances meet: it has folders of instances, or nothing.
fn check_sync_folder(path: &Path) -> Result<()> {
    let shown = path.display();
    if !path.exists() {
        return Ok(());
    }
    if !path.is_dir() {
        bail!("--sync {shown}: this is a file, not a folder");
    }
    if path.join("queue").is_dir() {
        bail!(
            "--sync {shown}: this is the folder of one instance (it has a queue); the sync folder is the one above it"
        );
    }
    let entries = fs::read_dir(path).with_context(|| format!("--sync {shown}"))?;
    let paths: Vec<PathBuf> = entries.flatten().map(|entry| entry.path()).collect();
    let is_instance = |path: &PathBuf| path.join("queue").is_dir();
    if !paths.is_empty() && !paths.iter().any(is_instance) {
        bail!(
            "--sync {shown}: this is no sync folder: there are files in it, and no folder of an instance (with a queue)"
        );
    }
    Ok(())
}

/// Locks the folder of an instance, as `afl-fuzz` does.
fn lock(path: &Path) -> Result<File> {
    let shown = path.display();
    let lock = File::open(path).with_context(|| shown.to_string())?;
    match lock.try_lock() {
        Ok(()) => Ok(lock),
        Err(TryLockError::WouldBlock) => {
            bail!("{shown}: an instance with this name is running; give another --name")
        }
        Err(TryLockError::Error(error)) => {
            Err(error).with_context(|| format!("{shown}: cannot be locked"))
        }
    }
}

/// Whether we can be an instance of this name in this folder; changes nothing.
///
/// # Errors
/// The name is none, the folder is no sync folder, or that of the instance is in use or another tool's.
pub(super) fn check(sync: &Path, name: &str) -> Result<()> {
    check_name(name)?;
    check_sync_folder(sync)?;
    let path = sync.join(name);
    if !path.exists() {
        return Ok(());
    }
    lock(&path)?;
    let stats = fs::read_to_string(path.join(stats::FILE_NAME)).unwrap_or_default();
    if !stats::is_ours(&stats) && !is_empty(&path) {
        bail!(
            "{}: this is the folder of another fuzzer; give another --name",
            path.display()
        );
    }
    Ok(())
}

impl Folder {
    /// Makes the folder of an instance, or goes on with it where it is ours. A new one gets these first stats before anything else, so
    /// that it is known as ours whenever we are killed.
    ///
    /// # Errors
    /// Those of [`check`]; it cannot be made or written.
    pub(super) fn join(sync: &Path, name: &str, first: &str) -> Result<Folder> {
        check(sync, name)?;
        let path = sync.join(name);
        let shown = path.display().to_string();
        fs::create_dir_all(&path)
            .with_context(|| format!("--sync {shown}: the folder cannot be made"))?;
        let lock = lock(&path)?;
        let mut folder = Folder {
            path,
            next: [0; 3],
            given: 0,
            _lock: lock,
        };
        let stats = folder.path.join(stats::FILE_NAME);
        if !stats.exists() {
            let written = folder.replace(&stats, first.as_bytes());
            written.with_context(|| format!("{shown}: cannot be written"))?;
        }
        for kind in Kind::ALL {
            let place = folder.of(kind);
            fs::create_dir_all(&place).with_context(|| format!("{shown}: cannot be written"))?;
            let last = entries(&place).with_context(|| shown.clone())?;
            folder.next[kind as usize] = last.last().map_or(0, |(number, _)| number + 1);
            if kind == Kind::Queue {
                let is_given = |(_, path): &&(u32, PathBuf)| {
                    let name = path.file_name().unwrap_or_default();
                    name.to_string_lossy().contains(GIVEN)
                };
                folder.given = last.iter().filter(is_given).count() as u32;
            }
        }
        fs::create_dir_all(folder.path.join(".synced"))
            .with_context(|| format!("{shown}: cannot be written"))?;
        Ok(folder)
    }

    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    pub(super) fn of(&self, kind: Kind) -> PathBuf {
        self.path.join(kind.folder())
    }

    /// How many inputs of this kind there are.
    pub(super) fn count(&self, kind: Kind) -> u32 {
        self.next[kind as usize]
    }

    /// How many inputs of the queue were given, not found.
    pub(super) fn given(&self) -> u32 {
        self.given
    }

    /// Adds an input; `origin` follows its number in the name. Its number.
    pub(super) fn add(&mut self, kind: Kind, origin: &str, content: &[u8]) -> io::Result<u32> {
        let next = self.next[kind as usize];
        let name = format!("id:{next:06},{origin}");
        self.replace(&self.of(kind).join(&name), content)?;
        self.next[kind as usize] = next + 1;
        self.given += u32::from(kind == Kind::Queue && name.contains(GIVEN));
        Ok(next)
    }

    /// Writes a file that others read, at once.
    pub(super) fn replace(&self, place: &Path, content: &[u8]) -> io::Result<()> {
        let draft = self.path.join(DRAFT);
        fs::write(&draft, content)?;
        fs::rename(&draft, place)
    }

    fn mark(&self, other: &str) -> PathBuf {
        self.path.join(".synced").join(other)
    }

    /// Number of the next entry of another's queue that is not read yet.
    pub(super) fn synced(&self, other: &str) -> u32 {
        let bytes = fs::read(self.mark(other)).ok();
        let bytes = bytes.and_then(|bytes| bytes.get(..4)?.try_into().ok());
        bytes.map_or(0, u32::from_ne_bytes)
    }

    /// Entries of another's queue before this one are read.
    pub(super) fn set_synced(&self, other: &str, next: u32) -> io::Result<()> {
        self.replace(&self.mark(other), &next.to_ne_bytes())
    }
}

/// Whether there is nothing in a folder but a draft and empty folders: what a kill leaves of one that was just made.
fn is_empty(path: &Path) -> bool {
    let is_nothing = |entry: fs::DirEntry| {
        let mut inside = fs::read_dir(entry.path()).into_iter().flatten();
        let is_folder = entry.file_type().is_ok_and(|kind| kind.is_dir());
        entry.file_name() == DRAFT || (is_folder && inside.next().is_none())
    };
    fs::read_dir(path).is_ok_and(|entries| entries.flatten().all(is_nothing))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn entries_have_numbers() {
        assert_eq!(number("id:000012,src:000003,op:havoc,rep:2,+cov"), Some(12));
        assert_eq!(number("id:000000,time:0,orig:seed"), Some(0));
        for other in [".state", "id:,src", "id-7", "id:x"] {
            assert_eq!(number(other), None, "{other}");
        }
    }

    #[test]
    fn what_a_kill_leaves_of_a_new_folder_is_ours() {
        let sync = tempfile::tempdir().expect("a folder");
        let own = sync.path().join("bw1");
        fs::create_dir_all(own.join("queue")).expect("made");
        fs::write(own.join(DRAFT), "afl_ver").expect("written");
        check(sync.path(), "bw1").expect("it is nobody else's");
        fs::write(own.join("queue/id:000000,orig:a"), "x").expect("written");
        let error = check(sync.path(), "bw1").expect_err("it is another's");
        assert!(error.to_string().contains("another fuzzer"), "{error}");
    }

    #[test]
    fn a_queue_has_no_gaps_and_goes_on() {
        let sync = tempfile::tempdir().expect("a folder");
        for round in 0..2 {
            let first = stats::Stats::default().render("bw1", "");
            let mut folder = Folder::join(sync.path(), "bw1", &first).expect("joins");
            folder
                .add(Kind::Queue, "time:0,orig:a", b"x")
                .expect("written");
            assert_eq!(folder.count(Kind::Queue), round + 1);
            assert_eq!(folder.given(), round + 1);
        }
        let queue = entries(&sync.path().join("bw1/queue")).expect("read");
        let numbers: Vec<u32> = queue.iter().map(|(number, _)| *number).collect();
        assert_eq!(numbers, [0, 1]);
    }
}
