//! One writer: a lock on a file in the folder, which the system takes away with the process that has it.

use std::fs::{File, OpenOptions, TryLockError};
use std::io::{Read, Seek, Write};
use std::path::Path;

use crate::error::{Error, Result};

/// Name of the file. It stays when the lock goes: to remove it would let two have it.
pub const LOCK_NAME: &str = "campaign.lock";

/// The lock on a folder; released when dropped.
#[derive(Debug)]
pub struct Lock {
    _file: File,
}

impl Lock {
    /// Takes it.
    ///
    /// # Errors
    /// Somebody else has it, or the folder cannot be written.
    pub fn take(folder: &Path) -> Result<Lock> {
        let path = folder.join(LOCK_NAME);
        let mut options = OpenOptions::new();
        let file = options.read(true).write(true).create(true).truncate(false);
        let mut file = file.open(&path).map_err(|error| Error::io(&path, error))?;
        match file.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => {
                let mut text = String::new();
                let _ = file.read_to_string(&mut text);
                return Err(Error::InUse {
                    folder: folder.to_owned(),
                    process: text.trim().parse().ok(),
                });
            }
            Err(TryLockError::Error(error)) => return Err(Error::io(&path, error)),
        }
        // For messages only: the lock counts, also where there is no room for the number.
        let _ = file.set_len(0).and_then(|()| file.rewind());
        let _ = write!(file, "{}", std::process::id());
        Ok(Lock { _file: file })
    }

    /// Who has it at the moment: nothing, or the number of the process, if that is known.
    #[must_use]
    pub fn holder(folder: &Path) -> Option<Option<u32>> {
        let mut file = File::open(folder.join(LOCK_NAME)).ok()?;
        match file.try_lock_shared() {
            Err(TryLockError::WouldBlock) => {
                let mut text = String::new();
                let _ = file.read_to_string(&mut text);
                Some(text.trim().parse().ok())
            }
            _ => None,
        }
    }
}
