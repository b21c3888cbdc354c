//! Part in a campaign of several fuzzers (`bothways fuzz --sync`): what the search finds goes into a queue as AFL++ keeps one, and what
//! others find there comes into the search.
//!
//! What must hold: an input that came from another instance is not given back; a folder that cannot be written stops
//! nothing but the exchange, and is said at the end.

mod folder;

use std::collections::HashSet;
use std::fmt::Write as _;
use std::fs;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use path::{InputVector, Outcome, Role, Stream};

use self::folder::{Folder, Kind, VERSION, entries};
use super::board::Board;
use super::plan::Plan;
use super::seeds;
use super::workers::Exchange;
use crate::error::{Result, bail};

/// Where the campaign of several fuzzers is, and what we are called there.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SyncOptions {
    /// The folder that all share (`-o` of `afl-fuzz`).
    pub folder: PathBuf,
    /// Name of our instance.
    pub name: String,
    /// The words of our command, for others to see.
    pub command: Vec<String>,
}

impl SyncOptions {
    /// Whether we can take part; changes nothing.
    ///
    /// # Errors
    /// The name is none, the folder is no sync folder, or that of the instance is in use or another tool's.
    pub fn check(&self) -> Result<()> {
        folder::check(&self.folder, &self.name)
    }
}

/// How often folders are looked at.
const PERIOD: Duration = Duration::from_secs(1);
/// Inputs that are read at once; the rest waits for the next time.
const AT_ONCE: usize = 500;
/// Longest input of AFL++.
const LONGEST: u64 = 1 << 20;

/// Our instance.
pub struct Member {
    folder: Folder,
    sync: PathBuf,
    name: String,
    plan: Plan,
    exchange: Arc<Exchange>,
    board: Arc<Board>,
    command: String,
    begin: Instant,
    /// Contents that others have, or have from us.
    known: HashSet<u64>,
    imported: u32,
    last_find: u64,
    last_crash: u64,
    last_hang: u64,
    trouble: Option<String>,
}

fn hash(content: &[u8]) -> u64 {
    let mut hasher = DefaultHasher::new();
    content.hash(&mut hasher);
    hasher.finish()
}

/// Seconds since 1970.
fn now() -> u64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH);
    since.map_or(0, |since| since.as_secs())
}

/// The stream that is the content of a fuzzer's file.
fn content(input: &InputVector) -> Option<&Stream> {
    let is_file = |stream: &&Stream| matches!(stream.role, Role::Stdin | Role::File | Role::Fuzz);
    input.streams.iter().find(is_file)
}

impl Member {
    /// Joins a campaign of several fuzzers.
    ///
    /// # Errors
    /// The folder cannot be used; the program has more inputs than a file.
    pub fn join(
        options: &SyncOptions,
        plan: &Plan,
        exchange: Arc<Exchange>,
        board: Arc<Board>,
    ) -> Result<Member> {
        if seeds::placed(plan, &[]).is_err() {
            bail!("--sync: the program has no standard input and no file that is symbolic");
        }
        let folder = Folder::join(&options.folder, &options.name)?;
        let mut known = HashSet::new();
        for kind in Kind::ALL {
            for (_, path) in entries(&folder.of(kind)).unwrap_or_default() {
                known.extend(fs::read(path).ok().map(|content| hash(&content)));
            }
        }
        let mut member = Member {
            folder,
            sync: options.folder.clone(),
            name: options.name.clone(),
            plan: plan.clone(),
            exchange,
            board,
            command: options.command.join(" "),
            begin: Instant::now(),
            known,
            imported: 0,
            last_find: 0,
            last_crash: 0,
            last_hang: 0,
            trouble: None,
        };
        // Others see from the start whose folder this is.
        member.turn();
        match member.trouble.take() {
            Some(trouble) => bail!("{trouble}"),
            None => Ok(member),
        }
    }

    /// Exchanges inputs once, in both directions.
    pub fn turn(&mut self) {
        let done = self
            .import()
            .and_then(|()| self.export())
            .and_then(|()| self.write_stats());
        if let Err(error) = done {
            let place = self.folder.path().display();
            self.trouble = Some(format!("{place}: cannot be written: {error}"));
        }
    }

    /// What went wrong with the folder last.
    pub fn trouble(&self) -> Option<&str> {
        self.trouble.as_deref()
    }

    /// Reads what others have that we have not seen.
    fn import(&mut self) -> io::Result<()> {
        let mut others: Vec<PathBuf> = fs::read_dir(&self.sync)?
            .flatten()
            .map(|entry| entry.path())
            .filter(|path| path.join("queue").is_dir())
            .collect();
        others.sort();
        for path in others {
            let name = path.file_name().and_then(|name| name.to_str());
            match name {
                Some(name) if name != self.name && !name.starts_with('.') => {
                    self.import_from(name, &path.join("queue"))?;
                }
                _ => {}
            }
        }
        Ok(())
    }

    fn import_from(&mut self, other: &str, queue: &Path) -> io::Result<()> {
        let first = self.folder.synced(other);
        let own = format!(",sync:{},", self.name);
        let mut next = first;
        // A folder that just went away is no error of ours.
        let waiting = entries(queue).unwrap_or_default();
        let waiting = waiting.into_iter().filter(|(number, _)| *number >= first);
        for (number, path) in waiting.take(AT_ONCE) {
            let is_own = path.to_string_lossy().contains(&own);
            let fits = fs::metadata(&path).is_ok_and(|data| data.len() <= LONGEST);
            if !is_own
                && fits
                && let Ok(bytes) = fs::read(&path)
            {
                self.offer(&bytes);
            }
            next = number + 1;
        }
        if next != first {
            self.folder.set_synced(other, next)?;
        }
        Ok(())
    }

    /// Shows the search an input of another.
    fn offer(&mut self, bytes: &[u8]) {
        self.known.insert(hash(bytes));
        let Ok(input) = seeds::placed(&self.plan, bytes) else {
            return;
        };
        // It may have been cut.
        if let Some(stream) = content(&input) {
            self.known.insert(hash(&stream.bytes));
        }
        self.imported += 1;
        self.exchange.offer(&input);
    }

    /// Writes what the search has found.
    fn export(&mut self) -> io::Result<()> {
        for (input, outcome) in self.exchange.found() {
            let Some(stream) = content(&input) else {
                continue;
            };
            if !self.known.insert(hash(&stream.bytes)) {
                continue;
            }
            let time = self.begin.elapsed().as_millis();
            let runs = self.exchange.runs();
            let origin = format!("src:000000,time:{time},execs:{runs},op:concolic");
            let (kind, name) = match outcome {
                Outcome::Signalled(signal) => {
                    self.last_crash = now();
                    (Kind::Crashes, format!("sig:{signal:02},{origin}"))
                }
                Outcome::Timeout | Outcome::Memory => {
                    self.last_hang = now();
                    (Kind::Hangs, origin)
                }
                _ => {
                    self.last_find = now();
                    (Kind::Queue, format!("{origin},+cov"))
                }
            };
            self.folder.add(kind, &name, &stream.bytes)?;
        }
        Ok(())
    }

    /// What `afl-whatsup`, `afl-plot` and the like read.
    fn write_stats(&self) -> io::Result<()> {
        let seconds = self.begin.elapsed().as_secs();
        let progress = self.board.snapshot();
        let fuzzed = progress.as_ref().map_or(0, |progress| progress.fuzzed);
        let (covered, goals) = progress.as_ref().map_or((0, 0), |progress| {
            (progress.totals.covered, progress.totals.total)
        });
        let runs = self.exchange.runs() + fuzzed;
        let queue = self.folder.count(Kind::Queue);
        let percent = f64::from(covered) * 100.0 / f64::from(goals.max(1));
        let fields: [(&str, String); 27] = [
            ("start_time", (now() - seconds).to_string()),
            ("last_update", now().to_string()),
            ("run_time", seconds.to_string()),
            ("fuzzer_pid", std::process::id().to_string()),
            ("cycles_done", "0".to_owned()),
            ("cycles_wo_finds", "0".to_owned()),
            ("execs_done", runs.to_string()),
            (
                "execs_per_sec",
                format!("{:.2}", runs as f64 / seconds.max(1) as f64),
            ),
            ("corpus_count", queue.to_string()),
            ("corpus_favored", queue.to_string()),
            ("corpus_found", queue.to_string()),
            ("corpus_imported", self.imported.to_string()),
            ("corpus_variable", "0".to_owned()),
            ("max_depth", "1".to_owned()),
            ("cur_item", "0".to_owned()),
            ("pending_favs", "0".to_owned()),
            ("pending_total", "0".to_owned()),
            ("stability", "100.00%".to_owned()),
            ("bitmap_cvg", format!("{percent:.2}%")),
            (
                "saved_crashes",
                self.folder.count(Kind::Crashes).to_string(),
            ),
            ("saved_hangs", self.folder.count(Kind::Hangs).to_string()),
            ("last_find", self.last_find.to_string()),
            ("last_crash", self.last_crash.to_string()),
            ("last_hang", self.last_hang.to_string()),
            ("exec_timeout", "0".to_owned()),
            ("edges_found", covered.to_string()),
            ("total_edges", goals.to_string()),
        ];
        let mut text = String::new();
        for (name, value) in fields {
            let _ = writeln!(text, "{name:<18}: {value}");
        }
        for (name, value) in [
            ("afl_banner", self.name.as_str()),
            ("afl_version", VERSION),
            ("target_mode", "concolic"),
            ("command_line", self.command.as_str()),
        ] {
            let _ = writeln!(text, "{name:<18}: {value}");
        }
        let place = self.folder.path().join("fuzzer_stats");
        self.folder.replace(&place, text.as_bytes())
    }
}

/// A member that exchanges by itself while the search runs.
pub struct Running {
    member: Arc<Mutex<Member>>,
    stop: Arc<AtomicBool>,
}

impl Running {
    /// Starts to exchange.
    pub fn start(member: Member) -> Running {
        let running = Running {
            member: Arc::new(Mutex::new(member)),
            stop: Arc::default(),
        };
        let (member, stop) = (running.member.clone(), running.stop.clone());
        std::thread::spawn(move || {
            while !stop.load(Ordering::Relaxed) {
                std::thread::sleep(PERIOD);
                member.lock().unwrap_or_else(PoisonError::into_inner).turn();
            }
        });
        running
    }

    /// Exchanges for the last time; what the user should know.
    pub fn end(self) -> Option<String> {
        self.stop.store(true, Ordering::Relaxed);
        let mut member = self.member.lock().unwrap_or_else(PoisonError::into_inner);
        member.turn();
        let count = |kind| member.folder.count(kind);
        Some(match member.trouble() {
            Some(trouble) => format!("the exchange with other fuzzers is not complete: {trouble}"),
            None => format!(
                "{} inputs in the queue {}, {} crashes, {} hangs; {} inputs of other instances read",
                count(Kind::Queue),
                member.folder.of(Kind::Queue).display(),
                count(Kind::Crashes),
                count(Kind::Hangs),
                member.imported
            ),
        })
    }
}
