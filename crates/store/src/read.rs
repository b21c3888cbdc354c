//! What is in a store; may be asked while a campaign writes.

use std::path::{Path, PathBuf};
use std::time::Duration;

use rusqlite::{Connection, OptionalExtension, Row};

use crate::campaign::{Figures, Settings, Verdict};
use crate::error::{Error, Result};
use crate::lock::Lock;
use crate::schema;

/// The last campaign of a store.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct State {
    pub settings: Settings,
    pub figures: Figures,
    /// When the last goal was covered, from the start.
    pub last_find: Option<Duration>,
    /// Why it ended; nothing if it did not, or was killed.
    pub stop: Option<String>,
}

/// A test of a store.
#[derive(Clone, Debug, PartialEq)]
pub struct StoredTest {
    /// Counts from 1 in the order in which tests were stored.
    pub id: u64,
    pub key: String,
    /// The file.
    pub text: String,
    /// How it ended, in words.
    pub outcome: String,
    /// It shows something else than coverage: a failure.
    pub fails: bool,
    /// The program that it was last kept for, as [`Settings::program`].
    pub program: String,
    pub run: u64,
    pub seconds: f64,
}

/// What is known of a goal.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Goal {
    pub name: String,
    pub verdict: Verdict,
    /// The test that covers it, if that is known.
    pub test: Option<u64>,
}

enum Db<'a> {
    Own(Connection),
    Other(&'a Connection),
}

/// Reads a store.
pub struct Reader<'a> {
    db: Db<'a>,
    path: PathBuf,
}

impl Reader<'static> {
    /// Opens the store of a folder to read.
    ///
    /// # Errors
    /// There is none, it is damaged, or of a later version.
    pub fn open(folder: &Path) -> Result<Reader<'static>> {
        let (db, path) = schema::open_to_read(folder)?;
        Ok(Reader {
            db: Db::Own(db),
            path,
        })
    }
}

impl<'a> Reader<'a> {
    pub(crate) fn of(db: &'a Connection, path: &Path) -> Reader<'a> {
        Reader {
            db: Db::Other(db),
            path: path.to_owned(),
        }
    }

    fn db(&self) -> &Connection {
        match &self.db {
            Db::Own(db) => db,
            Db::Other(db) => db,
        }
    }

    fn words(&self) -> impl Fn(rusqlite::Error) -> Error + '_ {
        |error| Error::sql(&self.path, error)
    }

    /// The process that writes it at the moment, if there is one; its number where that is known.
    #[must_use]
    pub fn writer(&self) -> Option<Option<u32>> {
        Lock::holder(self.path.parent()?)
    }

    /// The last campaign.
    ///
    /// # Errors
    /// The file is damaged.
    pub fn last(&self) -> Result<Option<State>> {
        let found = self.db().query_row(
            "SELECT subject, program, command, folder, tool, iterations, millis, runs, spent, last_find, stop
             FROM campaign ORDER BY id DESC LIMIT 1",
            [],
            state,
        );
        found.optional().map_err(self.words())
    }

    /// All tests, in the order in which they were stored.
    ///
    /// # Errors
    /// The file is damaged.
    pub fn tests(&self) -> Result<Vec<StoredTest>> {
        let all = self.db().prepare(
            "SELECT id, key, text, outcome, fails, program, run, seconds FROM test ORDER BY id",
        );
        let all = all.and_then(|mut all| all.query_map([], test)?.collect());
        all.map_err(self.words())
    }

    /// All goals of the last campaign.
    ///
    /// # Errors
    /// The file is damaged.
    pub fn goals(&self) -> Result<Vec<Goal>> {
        let all = self
            .db()
            .prepare("SELECT name, verdict, test, reason, certificate FROM goal ORDER BY id");
        let all = all.and_then(|mut all| all.query_map([], goal)?.collect());
        all.map_err(self.words())
    }
}

fn whole(number: i64) -> u64 {
    u64::try_from(number).unwrap_or(0)
}

fn millis(number: i64) -> Duration {
    Duration::from_millis(whole(number))
}

fn state(row: &Row<'_>) -> rusqlite::Result<State> {
    let folder: String = row.get(3)?;
    let command: String = row.get(2)?;
    Ok(State {
        settings: Settings {
            subject: row.get(0)?,
            program: row.get(1)?,
            command: schema::parts(&command),
            folder: folder.into(),
            tool: row.get(4)?,
            iterations: row.get::<_, Option<i64>>(5)?.map(whole),
            time: millis(row.get(6)?),
        },
        figures: Figures {
            runs: whole(row.get(7)?),
            spent: millis(row.get(8)?),
        },
        last_find: row.get::<_, Option<i64>>(9)?.map(millis),
        stop: row.get(10)?,
    })
}

fn test(row: &Row<'_>) -> rusqlite::Result<StoredTest> {
    Ok(StoredTest {
        id: whole(row.get(0)?),
        key: row.get(1)?,
        text: row.get(2)?,
        outcome: row.get(3)?,
        fails: row.get(4)?,
        program: row.get(5)?,
        run: whole(row.get(6)?),
        seconds: row.get(7)?,
    })
}

fn goal(row: &Row<'_>) -> rusqlite::Result<Goal> {
    let verdict: String = row.get(1)?;
    let reason: String = row.get(3)?;
    Ok(Goal {
        name: row.get(0)?,
        verdict: match verdict.as_str() {
            Verdict::COVERED => Verdict::Covered,
            Verdict::INFEASIBLE => Verdict::Infeasible {
                reason,
                certificate: row.get(4)?,
            },
            _ => Verdict::Open { reason },
        },
        test: row.get::<_, Option<i64>>(2)?.map(whole),
    })
}
