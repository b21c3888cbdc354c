//! What a campaign stores as it goes.

use std::path::{Path, PathBuf};
use std::time::Duration;

use rusqlite::{Connection, OptionalExtension, TransactionBehavior, params};

use crate::campaign::{Figures, Settings, Verdict};
use crate::error::{Error, Result};
use crate::read::Reader;
use crate::schema;

/// A test, as it is stored.
#[derive(Clone, Debug, PartialEq)]
pub struct Test<'a> {
    /// Stands for its inputs: a second test with the same one is not stored.
    pub key: &'a str,
    /// The file.
    pub text: &'a str,
    /// How it ended, in words.
    pub outcome: &'a str,
    /// It shows something else than coverage: a failure.
    pub fails: bool,
    /// The run of its campaign.
    pub run: u64,
    /// When, in seconds from the start of its campaign.
    pub seconds: f64,
    /// Goals that it covers.
    pub covers: &'a [u32],
}

/// The store of a folder, to write. Whoever has it has the folder's [`Lock`](crate::Lock).
#[derive(Debug)]
pub struct Store {
    db: Connection,
    path: PathBuf,
    /// Of the campaign that is on.
    campaign: i64,
}

impl Store {
    /// Opens the store of a folder; makes it where there is none.
    ///
    /// # Errors
    /// It is damaged, of a later version, or cannot be written.
    pub fn open(folder: &Path) -> Result<Store> {
        Ok(Store {
            db: schema::open(folder)?,
            path: folder.join(schema::FILE_NAME),
            campaign: 0,
        })
    }

    /// What is in it.
    #[must_use]
    pub fn reader(&self) -> Reader<'_> {
        Reader::of(&self.db, &self.path)
    }

    /// A campaign begins, or goes on with these figures; `goals` are the names of its goals, and what is known of them before the
    /// first run. Tests of earlier ones stay; what was known of the goals stays where the program is the same.
    ///
    /// # Errors
    /// The disk is full, or the file is damaged.
    pub fn begin(
        &mut self,
        settings: &Settings,
        figures: Figures,
        goals: &mut dyn Iterator<Item = (String, Verdict)>,
    ) -> Result<()> {
        let last = self.reader().last()?.map(|last| last.settings.program);
        let same = last.is_some_and(|program| program == settings.program);
        let command = schema::list(&settings.command);
        self.whole(|db| {
            db.execute(
                "INSERT INTO campaign (subject, program, command, folder, tool, iterations, millis, runs, spent)
                 VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
                params![
                    settings.subject,
                    settings.program,
                    command,
                    settings.folder.to_string_lossy(),
                    settings.tool,
                    settings.iterations.map(number),
                    millis(settings.time),
                    number(figures.runs),
                    millis(figures.spent),
                ],
            )?;
            let campaign = db.last_insert_rowid();
            if !same {
                db.execute("DELETE FROM goal", [])?;
            }
            let mut insert = db.prepare(
                "INSERT INTO goal (id, name, verdict, reason, certificate) VALUES (?, ?, ?, ?, ?)
                 ON CONFLICT (id) DO NOTHING",
            )?;
            for (id, (name, verdict)) in goals.enumerate() {
                let (reason, certificate) = verdict.reason();
                insert.execute(params![
                    number(id as u64),
                    name,
                    verdict.name(),
                    reason,
                    certificate
                ])?;
            }
            Ok(campaign)
        })
        .map(|campaign| self.campaign = campaign)
    }

    /// Stores a test, unless one with the same inputs is there, and what it covers. Whether it is new.
    ///
    /// # Errors
    /// The disk is full, or the file is damaged.
    pub fn add(&mut self, test: &Test<'_>) -> Result<bool> {
        let campaign = self.campaign;
        self.whole(|db| {
            let program: Option<String> = db
                .query_row(
                    "SELECT program FROM campaign WHERE id = ?",
                    [campaign],
                    |row| row.get(0),
                )
                .optional()?;
            let added = db.execute(
                "INSERT INTO test (key, text, outcome, fails, program, run, seconds) VALUES (?, ?, ?, ?, ?, ?, ?)
                 ON CONFLICT (key) DO UPDATE SET program = excluded.program
                 WHERE program <> excluded.program",
                params![
                    test.key,
                    test.text,
                    test.outcome,
                    test.fails,
                    program.unwrap_or_default(),
                    number(test.run),
                    test.seconds
                ],
            )?;
            let id: i64 =
                db.query_row("SELECT id FROM test WHERE key = ?", [test.key], |row| {
                    row.get(0)
                })?;
            let mut covered = db.prepare_cached(
                "UPDATE goal SET verdict = ?, test = ?, reason = '', certificate = NULL WHERE id = ?",
            )?;
            for goal in test.covers {
                covered.execute(params![Verdict::COVERED, id, goal])?;
            }
            if !test.covers.is_empty() {
                db.execute(
                    "UPDATE campaign SET last_find = ? WHERE id = ?",
                    params![number((test.seconds * 1000.0) as u64), campaign],
                )?;
            }
            Ok(added > 0)
        })
    }

    /// Stores how far the campaign is.
    ///
    /// # Errors
    /// The disk is full, or the file is damaged.
    pub fn progress(&mut self, figures: Figures) -> Result<()> {
        self.set(
            "UPDATE campaign SET runs = ?2, spent = ?3 WHERE id = ?1",
            &[&number(figures.runs), &millis(figures.spent)],
        )
    }

    /// The campaign is over: what is known of the goals, in the order of [`Store::begin`], and why it ended.
    ///
    /// # Errors
    /// The disk is full, or the file is damaged.
    pub fn end(&mut self, verdicts: &mut dyn Iterator<Item = Verdict>, stop: &str) -> Result<()> {
        let campaign = self.campaign;
        self.whole(|db| {
            let mut update = db.prepare(
                "UPDATE goal SET verdict = ?2, reason = ?3, certificate = ?4,
                 test = CASE WHEN ?2 = 'covered' THEN test END WHERE id = ?1",
            )?;
            for (id, verdict) in verdicts.enumerate() {
                let (reason, certificate) = verdict.reason();
                update.execute(params![
                    number(id as u64),
                    verdict.name(),
                    reason,
                    certificate
                ])?;
            }
            db.execute(
                "UPDATE campaign SET stop = ? WHERE id = ?",
                params![stop, campaign],
            )?;
            Ok(())
        })
    }

    fn set(&mut self, sql: &str, more: &[&dyn rusqlite::ToSql]) -> Result<()> {
        let mut all: Vec<&dyn rusqlite::ToSql> = vec![&self.campaign];
        all.extend(more);
        let done = self.db.prepare_cached(sql);
        let done = done.and_then(|mut set| set.execute(all.as_slice()));
        done.map(drop)
            .map_err(|error| Error::sql(&self.path, error))
    }

    /// All of it, or nothing.
    fn whole<T>(&mut self, work: impl FnOnce(&Connection) -> rusqlite::Result<T>) -> Result<T> {
        let path = &self.path;
        let db = &mut self.db;
        let done = db
            .transaction_with_behavior(TransactionBehavior::Immediate)
            .and_then(|transaction| {
                let done = work(&transaction)?;
                transaction.commit()?;
                Ok(done)
            });
        done.map_err(|error| Error::sql(path, error))
    }
}

/// SQLite's integers have a sign.
fn number(number: u64) -> i64 {
    i64::try_from(number).unwrap_or(i64::MAX)
}

fn millis(time: Duration) -> i64 {
    i64::try_from(time.as_millis()).unwrap_or(i64::MAX)
}
