//! The tables, their version, and how the file is opened.
//!
//! Must hold: a file under the store's name is whole: it is made under another name, and renamed when its tables are there.

use std::path::{Path, PathBuf};
use std::time::Duration;

use rusqlite::{Connection, OpenFlags};

use crate::error::{Error, Result};

/// Name of the store in the folder of a suite.
pub const FILE_NAME: &str = "campaign.db";
/// The files of a store; the last two are SQLite's own, and belong to the first.
pub const FILES: &[&str] = &[FILE_NAME, "campaign.db-wal", "campaign.db-shm"];
/// Version of the tables.
pub const VERSION: i64 = 1;

/// How long a writer waits for one that reads.
const PATIENCE: Duration = Duration::from_secs(5);

/// `campaign`: one row for each command. `test`: what was found; `key` stands for its inputs. `goal`: what is known of the goals of the
/// program of the last campaign. `meta`: names and values.
const TABLES: &str = "
    CREATE TABLE campaign (
        id INTEGER PRIMARY KEY,
        subject TEXT NOT NULL, program TEXT NOT NULL, command TEXT NOT NULL, folder TEXT NOT NULL, tool TEXT NOT NULL,
        iterations INTEGER, millis INTEGER NOT NULL,
        runs INTEGER NOT NULL DEFAULT 0, spent INTEGER NOT NULL DEFAULT 0, last_find INTEGER,
        stop TEXT
    ) STRICT;
    CREATE TABLE test (
        id INTEGER PRIMARY KEY,
        key TEXT NOT NULL UNIQUE,
        text TEXT NOT NULL, outcome TEXT NOT NULL, fails INTEGER NOT NULL,
        program TEXT NOT NULL, run INTEGER NOT NULL, seconds REAL NOT NULL
    ) STRICT;
    CREATE TABLE goal (
        id INTEGER PRIMARY KEY,
        name TEXT NOT NULL, verdict TEXT NOT NULL,
        test INTEGER REFERENCES test (id), reason TEXT NOT NULL DEFAULT '', certificate TEXT
    ) STRICT;
";

/// Opens the file of a folder to write, and makes it where there is none.
pub(crate) fn open(folder: &Path) -> Result<Connection> {
    let path = folder.join(FILE_NAME);
    if !path.exists() {
        make(&path)?;
    }
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let db = connect(&path, flags)?;
    let with_words = |error| Error::sql(&path, error);
    // The file is whole after `kill -9` and after a loss of power; what was stored in the last moments before that loss
    // of power may be gone.
    db.execute_batch("PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL;")
        .map_err(with_words)?;
    let check: String = db
        .query_row("PRAGMA quick_check(1)", [], |row| row.get(0))
        .map_err(with_words)?;
    if check != "ok" {
        return Err(Error::damaged(&path, &check));
    }
    Ok(db)
}

/// Opens the file of a folder to read, also while somebody writes.
pub(crate) fn open_to_read(folder: &Path) -> Result<(Connection, PathBuf)> {
    let path = folder.join(FILE_NAME);
    if !path.exists() {
        return Err(Error::Missing {
            folder: folder.to_owned(),
        });
    }
    let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    Ok((connect(&path, flags)?, path))
}

fn connect(path: &Path, flags: OpenFlags) -> Result<Connection> {
    let with_words = |error| Error::sql(path, error);
    let length = std::fs::metadata(path).map_err(|error| Error::io(path, error))?;
    if length.len() == 0 {
        return Err(Error::damaged(path, "it is empty"));
    }
    let db = Connection::open_with_flags(path, flags).map_err(with_words)?;
    db.busy_timeout(PATIENCE).map_err(with_words)?;
    let found: i64 = db
        .query_row("PRAGMA user_version", [], |row| row.get(0))
        .map_err(with_words)?;
    match found {
        VERSION => Ok(db),
        newer if newer > VERSION => Err(Error::Newer {
            path: path.to_owned(),
            found: newer,
            newest: VERSION,
        }),
        _ => Err(Error::damaged(path, "it is no campaign store")),
    }
}

/// Makes an empty store.
fn make(path: &Path) -> Result<()> {
    let fresh = path.with_extension("new");
    let _ = std::fs::remove_file(&fresh);
    let made = Connection::open(&fresh).and_then(|db| {
        db.execute_batch(&format!(
            "PRAGMA journal_mode = OFF; {TABLES} PRAGMA user_version = {VERSION};"
        ))
    });
    let made = made.map_err(|error| Error::sql(path, error));
    let made =
        made.and_then(|()| std::fs::rename(&fresh, path).map_err(|error| Error::io(path, error)));
    if made.is_err() {
        let _ = std::fs::remove_file(&fresh);
    }
    made
}

/// Words in one text: none of them holds this character, since they come from a command line.
const BETWEEN: char = '\0';

pub(crate) fn list(words: &[String]) -> String {
    let ends = words.iter().map(|word| format!("{word}{BETWEEN}"));
    ends.collect()
}

pub(crate) fn parts(text: &str) -> Vec<String> {
    text.split_terminator(BETWEEN).map(str::to_owned).collect()
}
