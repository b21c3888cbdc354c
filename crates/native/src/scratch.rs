//! The folder that a program under test runs in: empty at each run but for what its own start left there, gone at
//! the end, or, where the engine was killed, at the start of the next one.
//!
//! Must hold:
//! - a folder is swept only when its owner is gone: nobody holds the lock on it, and no process has its number;
//! - a folder is taken for clean without a look inside only when nothing has changed in it since the last look.

use std::collections::BTreeSet;
use std::ffi::OsString;
use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, SystemTime};

/// A folder of our own; removed when dropped.
#[derive(Debug)]
pub struct Scratch {
    path: PathBuf,
    kept: BTreeSet<OsString>,
    /// As it was when there was nothing in it to be removed.
    clean: Option<Stamp>,
    /// It is in memory, where each change of the folder shows in its stamp.
    in_memory: bool,
    /// Says that there is an owner.
    lock: Option<File>,
}

/// Which folder it is, and when it changed last. Unlike the time of modification, no program can set this back.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Stamp {
    device: u64,
    inode: u64,
    changed: (i64, i64),
}

impl Stamp {
    fn of(path: &Path) -> Option<Stamp> {
        use std::os::unix::fs::MetadataExt;
        let data = fs::symlink_metadata(path).ok()?;
        Some(Stamp {
            device: data.dev(),
            inode: data.ino(),
            changed: (data.ctime(), data.ctime_nsec()),
        })
    }

    /// Does another change, from now on, have another stamp? The clock of the stamps ticks a hundred times a second or more.
    fn is_settled(&self) -> bool {
        const TICKS: Duration = Duration::from_millis(100);
        let (seconds, nanos) = self.changed;
        let changed = u64::try_from(seconds).ok().zip(u32::try_from(nanos).ok());
        changed.is_some_and(|(seconds, nanos)| {
            let changed = SystemTime::UNIX_EPOCH + Duration::new(seconds, nanos);
            let age = SystemTime::now().duration_since(changed);
            age.is_ok_and(|age| age > TICKS)
        })
    }
}

/// A file system in memory. Every run makes its files anew, which takes ext4 longer than a short run takes.
const IN_MEMORY: &str = "/dev/shm";

static COUNTER: AtomicU64 = AtomicU64::new(0);

impl Scratch {
    /// Makes one in memory, where the system has a folder for that, or else in its folder for temporary files.
    ///
    /// # Errors
    /// When that folder cannot be written.
    pub fn new() -> io::Result<Scratch> {
        // Who sets the variable wants them there.
        if std::env::var_os("TMPDIR").is_none()
            && let Ok(mut scratch) = Scratch::under(Path::new(IN_MEMORY))
        {
            scratch.in_memory = true;
            return Ok(scratch);
        }
        Scratch::under(&std::env::temp_dir())
    }

    fn under(base: &Path) -> io::Result<Scratch> {
        loop {
            let number = COUNTER.fetch_add(1, Ordering::Relaxed);
            if number == 0 {
                sweep(base);
            }
            let path = base.join(format!("{PREFIX}{}-{number}", std::process::id()));
            match fs::create_dir(&path) {
                Ok(()) => {
                    let path = path.canonicalize()?;
                    return Ok(Scratch {
                        lock: locked(&path),
                        path,
                        kept: BTreeSet::new(),
                        clean: None,
                        in_memory: false,
                    });
                }
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
                Err(error) => return Err(error),
            }
        }
    }

    /// Where it is.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// What is there now stays at each [`Scratch::clear`].
    pub fn keep(&mut self) {
        let names = fs::read_dir(&self.path).into_iter().flatten().flatten();
        self.kept = names.map(|entry| entry.file_name()).collect();
        self.clean = None;
    }

    /// Removes everything, but what is kept if `but_kept`. A program may have made it unreadable, or removed it.
    ///
    /// # Errors
    /// When the folder is gone and cannot be made again.
    pub fn clear(&mut self, but_kept: bool) -> io::Result<()> {
        if !but_kept {
            self.kept.clear();
            self.clean = None;
        }
        let stamp = Stamp::of(&self.path).filter(|_| self.in_memory);
        if stamp.is_some() && stamp == self.clean {
            return Ok(());
        }
        self.clean = None;
        let entries = match fs::read_dir(&self.path) {
            Ok(entries) => entries,
            Err(_) => return self.restore(),
        };
        let mut was_clean = true;
        for entry in entries
            .flatten()
            .filter(|entry| !self.kept.contains(&entry.file_name()))
        {
            was_clean = false;
            remove(&entry.path());
        }
        if was_clean {
            self.clean = stamp.filter(Stamp::is_settled);
        }
        Ok(())
    }

    fn restore(&mut self) -> io::Result<()> {
        if !self.path.is_dir() {
            fs::create_dir(&self.path)?;
            self.lock = locked(&self.path);
            return Ok(());
        }
        make_accessible(&self.path);
        for entry in fs::read_dir(&self.path)?.flatten() {
            remove(&entry.path());
        }
        Ok(())
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        make_accessible(&self.path);
        let _ = self.clear(false);
        let _ = fs::remove_dir(&self.path);
    }
}

/// A folder for temporary files with the owner's lock on it; removed when dropped, or, where the owner was killed, by the next [`sweep_temporary`].
#[derive(Debug)]
pub struct Temporary {
    folder: tempfile::TempDir,
    _lock: Option<File>,
}

impl Temporary {
    /// Makes one in the system's folder for temporary files.
    ///
    /// # Errors
    /// When that folder cannot be written.
    pub fn new() -> io::Result<Temporary> {
        let prefix = format!("{PREFIX}{}-", std::process::id());
        let folder = tempfile::Builder::new().prefix(&prefix).tempdir()?;
        Ok(Temporary {
            _lock: locked(folder.path()),
            folder,
        })
    }

    /// Where it is.
    #[must_use]
    pub fn path(&self) -> &Path {
        self.folder.path()
    }
}

/// Removes what processes that were killed left in the folder for temporary files.
pub fn sweep_temporary() {
    sweep(&std::env::temp_dir());
}

/// Removes what the program left that this process was before it became another. To be called before there is a [`Scratch`].
pub fn sweep_own() {
    for base in [Path::new(IN_MEMORY), &std::env::temp_dir()] {
        sweep_owned(base, |owner| owner == std::process::id());
    }
}

/// Begins the names of our folders; the owner's number follows.
const PREFIX: &str = "bothways-";

/// A folder with the owner's lock on it; `None` where the file system has no locks, or somebody else has it.
fn locked(path: &Path) -> Option<File> {
    let folder = File::open(path).ok()?;
    folder.try_lock().ok().map(|()| folder)
}

/// Removes the folders whose owners are gone.
fn sweep(base: &Path) {
    sweep_owned(base, |owner| {
        !Path::new("/proc").join(owner.to_string()).exists()
    });
}

fn sweep_owned(base: &Path, is_gone: impl Fn(u32) -> bool) {
    for entry in fs::read_dir(base).into_iter().flatten().flatten() {
        let name = entry.file_name();
        let number = |name: &str| name.strip_prefix(PREFIX)?.split_once('-')?.0.parse().ok();
        let Some(owner) = name.to_str().and_then(number) else {
            continue;
        };
        let is_folder = entry.file_type().is_ok_and(|kind| kind.is_dir());
        if is_gone(owner)
            && is_folder
            && let Some(_lock) = locked(&entry.path())
        {
            remove(&entry.path());
        }
    }
}

fn make_accessible(path: &Path) {
    use std::os::unix::fs::PermissionsExt;
    let _ = fs::set_permissions(path, fs::Permissions::from_mode(0o700));
}

/// Removes a file or a tree; what cannot be removed stays.
fn remove(path: &Path) {
    let is_folder = fs::symlink_metadata(path).is_ok_and(|data| data.is_dir());
    if !is_folder {
        let _ = fs::remove_file(path);
        return;
    }
    if fs::remove_dir_all(path).is_ok() {
        return;
    }
    make_accessible(path);
    for entry in fs::read_dir(path).into_iter().flatten().flatten() {
        remove(&entry.path());
    }
    let _ = fs::remove_dir(path);
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A number that no process has.
    const NOBODY: u32 = 0x7fff_fff0;

    #[test]
    fn a_clean_folder_is_looked_into_again_after_each_change() {
        let Ok(mut scratch) = Scratch::under(Path::new(IN_MEMORY)) else {
            return;
        };
        scratch.in_memory = true;
        let path = scratch.path().to_owned();
        let names = || fs::read_dir(&path).map_or(0, Iterator::count);
        fs::write(path.join("kept"), "").expect("written");
        scratch.keep();
        let mut cleared = 0;
        for round in 0..400 {
            // Now and then at once, now and then when the stamp has settled.
            if round % 80 == 79 {
                std::thread::sleep(Duration::from_millis(120));
                scratch.clear(true).expect("there");
                assert!(scratch.clean.is_some());
                cleared += 1;
            }
            fs::write(path.join("left"), "").expect("written");
            scratch.clear(true).expect("there");
            assert_eq!(names(), 1, "in round {round}");
            scratch.clear(true).expect("there");
        }
        assert_eq!(cleared, 5);
        std::thread::sleep(Duration::from_millis(120));
        scratch.clear(true).expect("there");
        fs::remove_dir_all(&path).expect("removed");
        scratch.clear(true).expect("there");
        assert!(path.is_dir());
        scratch.clear(false).expect("there");
        assert!(scratch.clean.is_none());
    }

    #[test]
    fn folders_of_the_killed_go_and_those_of_the_living_stay() {
        let base = Scratch::new().expect("a folder");
        let folder = |name: String| {
            let path = base.path().join(name);
            fs::create_dir_all(path.join("deep")).expect("made");
            path
        };
        let left = folder(format!("{PREFIX}{NOBODY}-3"));
        let locked_by_somebody = folder(format!("{PREFIX}{NOBODY}-4"));
        let _lock = locked(&locked_by_somebody).expect("a lock");
        let own = folder(format!("{PREFIX}{}-5", std::process::id()));
        let foreign = folder("bothways-notes".to_owned());
        sweep(base.path());
        assert!(!left.exists());
        assert!(locked_by_somebody.exists() && own.exists() && foreign.exists());
    }

    #[test]
    fn a_temporary_folder_is_known_as_ours_and_locked() {
        let folder = Temporary::new().expect("a folder");
        let name = folder.path().file_name().expect("a name").to_string_lossy();
        assert!(name.starts_with(&format!("{PREFIX}{}-", std::process::id())));
        assert!(locked(folder.path()).is_none());
        let path = folder.path().to_owned();
        drop(folder);
        assert!(!path.exists());
    }
}
