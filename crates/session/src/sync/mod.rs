//! Part in a campaign of several fuzzers (`bothways fuzz --sync`): what the search finds goes into a queue as AFL++ keeps one, and what
//! others find there comes into the search.
//!
//! What must hold: an input that came from another instance is not given back; a folder that cannot be written stops
//! nothing but the exchange, and is said at the end.

mod folder;
mod others;
mod stats;

use std::collections::{BTreeMap, HashMap, VecDeque};
use std::fs;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use path::{InputVector, Outcome, Role, Stream};

use self::folder::{Folder, Kind, entries};
use self::others::Reading;
use self::stats::{Stats, now};
use super::board::Board;
use super::plan::Plan;
use super::seeds::{self, Seeds};
use super::workers::{Exchange, Find};
use crate::error::{Result, bail};

pub use crate::options::SyncOptions;

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
/// Inputs of others that wait to be run, at most; the rest is read when they are.
const AT_ONCE: u64 = 500;
/// Longest input of AFL++.
const LONGEST: u64 = 1 << 20;
/// Longest name of a seed in the name of an entry.
const LONGEST_SEED: usize = 64;

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
    /// Contents that others have, or have from us: with the number in our queue.
    known: HashMap<u64, Option<u32>>,
    /// Contents that the search was given, with their names.
    given: HashMap<u64, String>,
    others: BTreeMap<String, Reading>,
    /// Inputs of others that were offered to the search.
    offered: u64,
    /// Found, and not written yet.
    unsent: VecDeque<Find>,
    /// For each test of each campaign, the nearest entry of our queue: its own, or the one that it was solved from.
    entries: HashMap<(usize, u32), Option<u32>>,
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

/// The stream that is the content of a fuzzer's file.
fn content(input: &InputVector) -> Option<&Stream> {
    let is_file = |stream: &&Stream| matches!(stream.role, Role::Stdin | Role::File | Role::Fuzz);
    input.streams.iter().find(is_file)
}

/// An entry of another, unless it is longer than AFL++ lets it be, or just went away.
fn read(entry: &Path) -> Option<Vec<u8>> {
    let fits = fs::metadata(entry).is_ok_and(|data| data.len() <= LONGEST);
    fits.then(|| fs::read(entry).ok()).flatten()
}

/// The name of a seed's file, as it can be in the name of an entry.
fn seed_name(path: &str) -> String {
    let name = Path::new(path).file_name().unwrap_or_default();
    let name = name.to_string_lossy();
    // A seed may be an entry of a queue itself.
    let name = name.chars().map(|letter| match letter {
        ',' | ':' => '_',
        letter if letter.is_control() => '_',
        letter => letter,
    });
    name.take(LONGEST_SEED).collect()
}

impl Member {
    /// Joins a campaign of several fuzzers. `seeds` are those that the search starts from.
    ///
    /// # Errors
    /// The folder cannot be used; the program has more inputs than a file.
    pub fn join(
        options: &SyncOptions,
        plan: &Plan,
        seeds: &Seeds,
        (exchange, board): (Arc<Exchange>, Arc<Board>),
    ) -> Result<Member> {
        if seeds::placed(plan, &[]).is_err() {
            bail!("--sync: the program has no standard input and no file that is symbolic");
        }
        let command = options.command.join(" ");
        let first = Stats::default().render(&options.name, &command);
        let mut member = Member {
            folder: Folder::join(&options.folder, &options.name, &first)?,
            sync: options.folder.clone(),
            name: options.name.clone(),
            plan: plan.clone(),
            exchange,
            board,
            command,
            begin: Instant::now(),
            known: HashMap::new(),
            given: HashMap::new(),
            others: BTreeMap::new(),
            offered: 0,
            unsent: VecDeque::new(),
            entries: HashMap::new(),
            last_find: 0,
            last_crash: 0,
            last_hang: 0,
            trouble: None,
        };
        let initial = ("first".to_owned(), plan.initial());
        for (name, input) in seeds.given().iter().chain([&initial]) {
            if let Some(stream) = content(input) {
                let name = seed_name(name);
                member.given.entry(hash(&stream.bytes)).or_insert(name);
            }
        }
        member.remember();
        // Others see from the start how far we are.
        member.turn();
        match member.trouble.take() {
            Some(trouble) => bail!("{trouble}"),
            None => Ok(member),
        }
    }

    /// Remembers what is in our folder and in the queues of others. A campaign before may have run what they have: its tests are in
    /// the store, and are shown again.
    fn remember(&mut self) {
        for kind in Kind::ALL {
            for (number, path) in entries(&self.folder.of(kind)).unwrap_or_default() {
                if let Ok(bytes) = fs::read(path) {
                    let number = (kind == Kind::Queue).then_some(number);
                    self.known.insert(hash(&bytes), number);
                }
            }
        }
        for (_, queue) in self.queues().unwrap_or_default() {
            for (_, path) in entries(&queue).unwrap_or_default() {
                if let Some(bytes) = read(&path) {
                    self.know(&bytes);
                }
            }
        }
    }

    /// Another has this content. The input that we make of it, if it fits.
    fn know(&mut self, bytes: &[u8]) -> Option<InputVector> {
        self.known.entry(hash(bytes)).or_insert(None);
        let input = seeds::placed(&self.plan, bytes).ok()?;
        // It may have been cut.
        if let Some(stream) = content(&input) {
            self.known.entry(hash(&stream.bytes)).or_insert(None);
        }
        Some(input)
    }

    /// Exchanges inputs once, in both directions.
    pub fn turn(&mut self) {
        let done = self.import().and_then(|()| self.settle());
        self.note(done);
    }

    /// Exchanges for the last time: what is read now, nobody would run.
    fn last_turn(&mut self) {
        let done = self.settle();
        self.note(done);
    }

    fn note(&mut self, done: io::Result<()>) {
        if let Err(error) = done {
            let place = self.folder.path().display();
            self.trouble = Some(format!("{place}: cannot be written: {error}"));
        }
    }

    /// Writes what was found, what was run of others, and how we are going.
    fn settle(&mut self) -> io::Result<()> {
        self.mark()?;
        self.export()?;
        self.write_stats()
    }

    /// What went wrong with the folder last.
    pub fn trouble(&self) -> Option<&str> {
        self.trouble.as_deref()
    }

    /// The other instances, with their queues.
    fn queues(&self) -> io::Result<Vec<(String, PathBuf)>> {
        let mut others = Vec::new();
        for entry in fs::read_dir(&self.sync)?.flatten() {
            let queue = entry.path().join("queue");
            match entry.file_name().into_string() {
                Ok(name) if name != self.name && !name.starts_with('.') && queue.is_dir() => {
                    others.push((name, queue));
                }
                _ => {}
            }
        }
        others.sort();
        Ok(others)
    }

    /// Reads what others have that we have not seen.
    fn import(&mut self) -> io::Result<()> {
        for (name, queue) in self.queues()? {
            self.import_from(name, &queue);
        }
        Ok(())
    }

    fn import_from(&mut self, other: String, queue: &Path) {
        let start = || Reading::at(self.folder.synced(&other));
        let mut reading = self.others.remove(&other).unwrap_or_else(start);
        let own = format!(",sync:{},", self.name);
        // A folder that just went away is no error of ours.
        let waiting = entries(queue).unwrap_or_default();
        let first = reading.next;
        for (number, path) in waiting.into_iter().filter(|(number, _)| *number >= first) {
            if self.offered >= self.exchange.offers_run() + AT_ONCE {
                break;
            }
            let is_own = path.to_string_lossy().contains(&own);
            if !is_own
                && let Some(bytes) = read(&path)
                && let Some(input) = self.know(&bytes)
            {
                self.offered += 1;
                self.exchange.offer(&input);
            }
            reading.read(number, self.offered);
        }
        self.others.insert(other, reading);
    }

    /// Marks what was run of what others have.
    fn mark(&mut self) -> io::Result<()> {
        let run = self.exchange.offers_run();
        for (other, reading) in &mut self.others {
            if let Some(next) = reading.ran(run) {
                self.folder.set_synced(other, next)?;
            }
        }
        Ok(())
    }

    /// Writes what the search has found.
    fn export(&mut self) -> io::Result<()> {
        self.unsent.extend(self.exchange.found());
        while let Some(find) = self.unsent.front().cloned() {
            self.send(&find)?;
            self.unsent.pop_front();
        }
        Ok(())
    }

    fn send(&mut self, find: &Find) -> io::Result<()> {
        let Some(stream) = content(&find.input) else {
            return Ok(());
        };
        let from = find.from.and_then(|from| {
            let entry = self.entries.get(&(find.campaign, from));
            entry.copied().flatten()
        });
        let content = hash(&stream.bytes);
        let own = match self.known.get(&content) {
            Some(own) => *own,
            None => {
                let own = self.write(find, &stream.bytes, from)?;
                self.known.insert(content, own);
                own
            }
        };
        self.entries
            .insert((find.campaign, find.number), own.or(from));
        Ok(())
    }

    /// Writes one entry; its number, if it is one of the queue. `from`: the entry that it was solved from.
    fn write(&mut self, find: &Find, bytes: &[u8], from: Option<u32>) -> io::Result<Option<u32>> {
        let time = self.begin.elapsed().as_millis();
        let runs = self.exchange.runs();
        let given = self.given.get(&hash(bytes));
        let origin = match (given, from) {
            (Some(name), _) => format!("time:{time},execs:{runs},orig:{name}"),
            (None, Some(from)) => format!("src:{from:06},time:{time},execs:{runs},op:concolic"),
            (None, None) => format!("time:{time},execs:{runs},op:concolic"),
        };
        let is_given = given.is_some();
        let (kind, name) = match find.outcome {
            Outcome::Signalled(signal) => {
                self.last_crash = now();
                (Kind::Crashes, format!("sig:{signal:02},{origin}"))
            }
            Outcome::Timeout | Outcome::Memory => {
                self.last_hang = now();
                (Kind::Hangs, origin)
            }
            _ if is_given => (Kind::Queue, origin),
            _ => {
                self.last_find = now();
                (Kind::Queue, format!("{origin},+cov"))
            }
        };
        let number = self.folder.add(kind, &name, bytes)?;
        Ok((kind == Kind::Queue).then_some(number))
    }

    fn write_stats(&self) -> io::Result<()> {
        let progress = self.board.snapshot();
        let fuzzed = progress.as_ref().map_or(0, |progress| progress.fuzzed);
        let (covered, goals) = progress.as_ref().map_or((0, 0), |progress| {
            (progress.totals.covered, progress.totals.total)
        });
        let stats = Stats {
            seconds: self.begin.elapsed().as_secs(),
            runs: self.exchange.runs() + fuzzed,
            queue: self.folder.count(Kind::Queue),
            given: self.folder.given(),
            imported: self.exchange.offers_run(),
            crashes: self.folder.count(Kind::Crashes),
            hangs: self.folder.count(Kind::Hangs),
            goals,
            covered,
            last_find: self.last_find,
            last_crash: self.last_crash,
            last_hang: self.last_hang,
        };
        let text = stats.render(&self.name, &self.command);
        let place = self.folder.path().join(stats::FILE_NAME);
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
        member.last_turn();
        let count = |kind| member.folder.count(kind);
        Some(match member.trouble() {
            Some(trouble) => format!("the exchange with other fuzzers is not complete: {trouble}"),
            None => format!(
                "{} inputs in the queue {}, {} crashes, {} hangs; {} inputs of other instances run",
                count(Kind::Queue),
                member.folder.of(Kind::Queue).display(),
                count(Kind::Crashes),
                count(Kind::Hangs),
                member.exchange.offers_run()
            ),
        })
    }
}
