//! The folder that a program under test runs in: empty at each run but for what its own start left there, gone at
//! the end.

use std::collections::BTreeSet;
use std::ffi::OsString;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

/// A folder of our own; removed when dropped.
#[derive(Debug)]
pub struct Scratch {
    path: PathBuf,
    kept: BTreeSet<OsString>,
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
            && let Ok(scratch) = Scratch::under(Path::new(IN_MEMORY))
        {
            return Ok(scratch);
        }
        Scratch::under(&std::env::temp_dir())
    }

    fn under(base: &Path) -> io::Result<Scratch> {
        loop {
            let number = COUNTER.fetch_add(1, Ordering::Relaxed);
            let path = base.join(format!("bothways-{}-{number}", std::process::id()));
            match fs::create_dir(&path) {
                Ok(()) => {
                    let path = path.canonicalize()?;
                    return Ok(Scratch {
                        path,
                        kept: BTreeSet::new(),
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
    }

    /// Removes everything, but what is kept if `but_kept`. A program may have made it unreadable, or removed it.
    ///
    /// # Errors
    /// When the folder is gone and cannot be made again.
    pub fn clear(&mut self, but_kept: bool) -> io::Result<()> {
        if !but_kept {
            self.kept.clear();
        }
        let entries = match fs::read_dir(&self.path) {
            Ok(entries) => entries,
            Err(_) => return self.restore(),
        };
        for entry in entries
            .flatten()
            .filter(|entry| !self.kept.contains(&entry.file_name()))
        {
            remove(&entry.path());
        }
        Ok(())
    }

    fn restore(&self) -> io::Result<()> {
        if !self.path.is_dir() {
            return fs::create_dir(&self.path);
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
