//! Why a store cannot be used, in words.

use std::io;
use std::path::{Path, PathBuf};

use rusqlite::ErrorCode;

/// What every method returns.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// Why a store cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// A later version of bothways wrote it.
    #[error(
        "{} is a campaign store of version {found}, and this bothways reads versions up to {newest}: use the bothways that wrote it",
        path.display()
    )]
    Newer {
        path: PathBuf,
        found: i64,
        newest: i64,
    },
    /// It is no SQLite file, or not a whole one.
    #[error(
        "{} is damaged ({words}): the tests that were written are in {} all the same; `bothways test --fresh` starts anew, \
         with `--seeds` and a copy of that folder from these tests",
        path.display(), tests.display()
    )]
    Damaged {
        path: PathBuf,
        tests: PathBuf,
        words: String,
    },
    /// There is no room.
    #[error(
        "cannot write {}: No space left on device; what was found before is stored: make room, and `bothways resume` goes on",
        path.display()
    )]
    Full { path: PathBuf },
    /// Another process has it.
    #[error("{} is in use by another bothways{}: wait for it, or choose another folder with --out", folder.display(), who(*process))]
    InUse {
        folder: PathBuf,
        process: Option<u32>,
    },
    /// Something holds the file itself for long.
    #[error("{} is locked by another program: close what has it open", path.display())]
    Locked { path: PathBuf },
    /// Neither a store nor a suite.
    #[error("{} holds no campaign: there is no {}", folder.display(), crate::FILE_NAME)]
    Missing { folder: PathBuf },
    #[error("{}: {cause}", path.display())]
    Io { path: PathBuf, cause: io::Error },
    #[error("{}: {cause}", path.display())]
    Sql {
        path: PathBuf,
        cause: rusqlite::Error,
    },
}

fn who(process: Option<u32>) -> String {
    process.map_or_else(String::new, |process| format!(" (process {process})"))
}

impl Error {
    /// Puts the words to an error of SQLite.
    pub(crate) fn sql(path: &Path, source: rusqlite::Error) -> Error {
        let path = path.to_owned();
        match source.sqlite_error_code() {
            Some(ErrorCode::DatabaseCorrupt | ErrorCode::NotADatabase) => {
                Error::damaged(&path, &source.to_string())
            }
            Some(ErrorCode::DiskFull) => Error::Full { path },
            Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked) => Error::Locked { path },
            _ => Error::Sql {
                path,
                cause: source,
            },
        }
    }

    pub(crate) fn damaged(path: &Path, words: &str) -> Error {
        Error::Damaged {
            path: path.to_owned(),
            tests: path.with_file_name("tests"),
            words: words.to_owned(),
        }
    }

    pub(crate) fn io(path: &Path, source: io::Error) -> Error {
        let path = path.to_owned();
        match source.kind() {
            io::ErrorKind::StorageFull => Error::Full { path },
            _ => Error::Io {
                path,
                cause: source,
            },
        }
    }
}
