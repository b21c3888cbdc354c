//! Runs tests on the judge's build and collects their profiles.
//!
//! Must hold: a test that does not end is asked to write its profile before it is killed; the profiles of all
//! processes of a test count.

use std::ffi::OsString;
use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use report::judge::JudgeReport;

use super::{Facts, JudgeFault, profile};
use crate::launch::{Ended, Launch, Process};
use crate::orphans;
use crate::sandbox::{Isolation, Sandbox};
use crate::scratch::Scratch;

/// Name of the file for what the replay runtime notes.
const FACTS: &str = "facts";
const OBSERVED: &str = "observed";
const WORDS: &str = "words";

/// How often the memory of a test is looked at.
const MEMORY_PERIOD: Duration = Duration::from_millis(20);

/// Who waits for the judge, and for how long.
#[derive(Clone, Debug, Default)]
pub struct Patience {
    /// Set when nobody waits any longer: tests that have not ended are [`TestEnd::Skipped`].
    pub over: Arc<AtomicBool>,
    /// Tests that have ended.
    pub done: Arc<AtomicUsize>,
}

impl Patience {
    fn is_over(&self) -> bool {
        self.over.load(Ordering::Relaxed)
    }
}

/// How tests are run.
#[derive(Clone, Debug)]
pub struct JudgeConfig {
    /// The judge's build.
    pub executable: PathBuf,
    /// The name it is called by (`argv[0]`): the program's; `None` is its path.
    pub called: Option<OsString>,
    /// Arguments of the program.
    pub args: Vec<OsString>,
    /// Variables set on top of the engine's environment.
    pub env: Vec<(OsString, OsString)>,
    /// File given as standard input, where a test does not describe it; `None` is the null device.
    pub stdin: Option<PathBuf>,
    /// Time for one test.
    pub timeout: Duration,
    /// Resident memory that one test may have, in bytes; looked at as often as the fork server does.
    pub memory_bytes: u64,
    /// Limits and isolation; the scratch folder is added to what may be written.
    pub sandbox: Sandbox,
    /// Tests at a time.
    pub jobs: usize,
    /// Keep so many bytes of what the tests write to standard error. It is a file then, and a program can see that: such runs do
    /// not say what a test covers.
    pub words: usize,
    /// The variable that names a file to which the judge's build writes what it observes, and how many bytes of it are kept.
    pub observe: Option<(OsString, usize)>,
    /// Who waits.
    pub patience: Patience,
}

impl JudgeConfig {
    /// Defaults for this executable: one test at a time, 5 s, 2 GiB.
    #[must_use]
    pub fn new(executable: impl Into<PathBuf>) -> JudgeConfig {
        JudgeConfig {
            executable: executable.into(),
            called: None,
            args: Vec::new(),
            env: Vec::new(),
            stdin: None,
            timeout: Duration::from_secs(5),
            memory_bytes: 2 << 30,
            sandbox: Sandbox::default(),
            jobs: 1,
            words: 0,
            observe: None,
            patience: Patience::default(),
        }
    }
}

/// A test, and how it is started.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TestCase {
    /// The test file.
    pub path: PathBuf,
    /// Arguments behind those of [`JudgeConfig::args`].
    pub args: Vec<OsString>,
    /// Variables of its own; `None` is not set.
    pub env: Vec<(OsString, Option<OsString>)>,
    /// Files in the folder that it runs in: relative path, content.
    pub files: Vec<(PathBuf, Vec<u8>)>,
}

impl From<PathBuf> for TestCase {
    fn from(path: PathBuf) -> TestCase {
        TestCase {
            path,
            ..TestCase::default()
        }
    }
}

/// How a test ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TestEnd {
    /// By itself.
    Ended(Ended),
    /// Stopped at the time limit.
    Timeout,
    /// Stopped at the memory limit.
    Memory,
    /// Not run, or not to its end, because nobody waited any longer.
    Skipped,
}

impl TestRun {
    /// A test that was not run.
    fn skipped() -> TestRun {
        TestRun {
            end: TestEnd::Skipped,
            time: Duration::ZERO,
            isolation: Isolation::default(),
            profiles: Vec::new(),
            facts: Facts::default(),
            observed: Vec::new(),
            words: Vec::new(),
        }
    }
}

/// One test on the judge's build.
#[derive(Clone, Debug)]
pub struct TestRun {
    /// How it ended.
    pub end: TestEnd,
    /// How long it took.
    pub time: Duration,
    /// What isolation it ran under.
    pub isolation: Isolation,
    /// Raw profiles, one for each process that wrote one. They live as long as the judge.
    pub profiles: Vec<PathBuf>,
    /// What the replay runtime noted.
    pub facts: Facts,
    /// What the judge's build observed, as [`JudgeConfig::observe`] asks.
    pub observed: Vec<u8>,
    /// What it wrote to standard error, as [`JudgeConfig::words`] asks.
    pub words: Vec<u8>,
}

/// Runs tests, keeps their profiles.
#[derive(Debug)]
pub struct Judge {
    config: JudgeConfig,
    /// Profiles and outputs.
    store: Scratch,
    next: AtomicUsize,
}

impl Judge {
    /// A judge with a folder of its own.
    ///
    /// # Errors
    /// When the folder cannot be made.
    pub fn new(config: JudgeConfig) -> Result<Judge, JudgeFault> {
        let store = Scratch::new().map_err(JudgeFault::io("cannot make a temporary folder"))?;
        Ok(Judge {
            config,
            store,
            next: AtomicUsize::new(0),
        })
    }

    /// Runs one test file.
    ///
    /// # Errors
    /// When the process or its files cannot be made.
    pub fn run(&self, test: &TestCase) -> Result<TestRun, JudgeFault> {
        let mut scratch =
            Scratch::new().map_err(JudgeFault::io("cannot make a temporary folder"))?;
        self.run_in(test, &mut scratch)
    }

    /// Runs all test files, `jobs` at a time; the results are in the order of the tests.
    ///
    /// # Errors
    /// The first failure to run a test at all.
    pub fn run_all(&self, tests: &[TestCase]) -> Result<Vec<TestRun>, JudgeFault> {
        let next = AtomicUsize::new(0);
        let results = Mutex::new(Vec::new());
        let work = || -> Result<(), JudgeFault> {
            let mut scratch =
                Scratch::new().map_err(JudgeFault::io("cannot make a temporary folder"))?;
            loop {
                let index = next.fetch_add(1, Ordering::Relaxed);
                let Some(test) = tests.get(index) else {
                    return Ok(());
                };
                let run = match self.config.patience.is_over() {
                    true => TestRun::skipped(),
                    false => self.run_in(test, &mut scratch)?,
                };
                self.config.patience.done.fetch_add(1, Ordering::Relaxed);
                results
                    .lock()
                    .unwrap_or_else(std::sync::PoisonError::into_inner)
                    .push((index, run));
            }
        };
        let jobs = self.config.jobs.clamp(1, tests.len().max(1));
        std::thread::scope(|scope| {
            let workers: Vec<_> = (0..jobs).map(|_| scope.spawn(work)).collect();
            workers.into_iter().try_for_each(|worker| {
                worker.join().unwrap_or_else(|_| {
                    Err(JudgeFault::io("a worker")(std::io::ErrorKind::Other.into()))
                })
            })
        })?;
        let mut results = results
            .into_inner()
            .unwrap_or_else(std::sync::PoisonError::into_inner);
        results.sort_by_key(|(index, _)| *index);
        Ok(results.into_iter().map(|(_, run)| run).collect())
    }

    /// What these tests cover together.
    ///
    /// # Errors
    /// When no test wrote a profile, or a tool fails.
    pub fn report(&self, runs: &[TestRun]) -> Result<JudgeReport, JudgeFault> {
        let raw: Vec<PathBuf> = runs
            .iter()
            .flat_map(|run| run.profiles.iter().cloned())
            .collect();
        if raw.is_empty() {
            return Err(JudgeFault::NoProfile { tests: runs.len() });
        }
        let merged = self.merge(&raw)?;
        let report = profile::report(&self.config.executable, &merged);
        let _ = fs::remove_file(merged);
        report
    }

    /// What no test at all covers: every goal that `llvm-cov` knows, with counts of 0.
    ///
    /// # Errors
    /// When a tool fails.
    pub fn empty_report(&self) -> Result<JudgeReport, JudgeFault> {
        let merged = self.store.path().join("empty.profdata");
        let text = self.store.path().join("empty.proftext");
        fs::write(&text, ":ir\n").map_err(JudgeFault::path("write", &text))?;
        profile::merge(&[text], &merged)?;
        profile::report(&self.config.executable, &merged)
    }

    /// Drops the raw profiles of a run.
    pub fn forget(&self, run: &TestRun) {
        for path in &run.profiles {
            let _ = fs::remove_file(path);
        }
    }

    fn merge(&self, raw: &[PathBuf]) -> Result<PathBuf, JudgeFault> {
        let number = self.next.fetch_add(1, Ordering::Relaxed);
        let merged = self.store.path().join(format!("merged-{number}.profdata"));
        profile::merge(raw, &merged)?;
        Ok(merged)
    }

    fn run_in(&self, test: &TestCase, scratch: &mut Scratch) -> Result<TestRun, JudgeFault> {
        scratch
            .clear(false)
            .map_err(JudgeFault::path("clear", scratch.path()))?;
        write_files(&test.files, scratch.path())?;
        let number = self.next.fetch_add(1, Ordering::Relaxed);
        let folder = self.store.path().join(number.to_string());
        fs::create_dir(&folder).map_err(JudgeFault::path("make", &folder))?;
        let launch = self.launch(test, scratch, &folder)?;
        let begin = Instant::now();
        let mut process = launch
            .start()
            .map_err(JudgeFault::path("start", &self.config.executable))?;
        let end = self.watch(&mut process);
        process.kill();
        // The program has ended, and with it what would have adopted its orphans before us.
        orphans::end_marked(scratch.path());
        let time = begin.elapsed();
        let observed = self.config.observe.as_ref().map_or(0, |(_, most)| *most);
        Ok(TestRun {
            end,
            time,
            isolation: process.isolation(),
            profiles: profiles(&folder),
            facts: Facts::read(&folder.join(FACTS)),
            observed: head(&folder.join(OBSERVED), observed),
            words: head(&folder.join(WORDS), self.config.words),
        })
    }

    /// Waits for the end, or for a limit.
    fn watch(&self, process: &mut Process) -> TestEnd {
        let deadline = Instant::now() + self.config.timeout;
        loop {
            let left = deadline.saturating_duration_since(Instant::now());
            if let Some(ended) = process.wait(left.min(MEMORY_PERIOD)) {
                return TestEnd::Ended(ended);
            }
            if self.config.patience.is_over() {
                return TestEnd::Skipped;
            }
            let end = if process.resident_bytes() > self.config.memory_bytes {
                TestEnd::Memory
            } else if left.is_zero() {
                TestEnd::Timeout
            } else {
                continue;
            };
            self.stop(process);
            return end;
        }
    }

    /// Sends the signals whose handlers in the replay runtime write the profile, politest first; the caller kills
    /// what is left.
    fn stop(&self, process: &mut Process) {
        for signal in [libc::SIGALRM, libc::SIGTERM] {
            process.signal(signal);
            // One that stopped itself gets it only when it goes on.
            process.signal(libc::SIGCONT);
            let deadline = Instant::now() + Duration::from_millis(500);
            while Instant::now() < deadline {
                // One that ignores the signal and goes on filling its memory must not fill the machine's.
                let greedy = process.resident_bytes() / 2 > self.config.memory_bytes;
                if greedy || process.wait(MEMORY_PERIOD).is_some() {
                    return;
                }
            }
        }
    }

    fn launch<'a>(
        &'a self,
        test: &TestCase,
        scratch: &Scratch,
        folder: &Path,
    ) -> Result<Launch<'a>, JudgeFault> {
        let path = std::path::absolute(&test.path).map_err(JudgeFault::path("find", &test.path))?;
        let mut env = self.config.env.clone();
        let mut unset = Vec::new();
        for (name, value) in &test.env {
            match value {
                Some(value) => env.push((name.clone(), value.clone())),
                None => unset.push(name.clone()),
            }
        }
        env.push(("BOTHWAYS_TEST".into(), path.into()));
        // One file for each process, should the program fork.
        env.push(("LLVM_PROFILE_FILE".into(), folder.join("%p.profraw").into()));
        env.push(("BOTHWAYS_FACTS".into(), folder.join(FACTS).into()));
        env.push(("TMPDIR".into(), scratch.path().into()));
        let mut sandbox = self.config.sandbox.clone();
        sandbox
            .writable
            .extend([scratch.path().to_path_buf(), folder.to_path_buf()]);
        if let Some((variable, _)) = &self.config.observe {
            env.push((variable.clone(), folder.join(OBSERVED).into()));
        }
        let words = folder.join(WORDS);
        let words = (self.config.words > 0)
            .then(|| File::create(&words).map_err(JudgeFault::path("write", &words)))
            .transpose()?;
        let stdin = self.config.stdin.as_ref();
        Ok(Launch {
            program: self.config.executable.clone(),
            called: self.config.called.clone(),
            args: [self.config.args.as_slice(), &test.args].concat(),
            env,
            unset,
            cwd: scratch.path().to_path_buf(),
            stdin: stdin
                .map(|path| File::open(path).map_err(JudgeFault::path("read", path)))
                .transpose()?,
            stderr: words,
            inherit: None,
            sandbox,
        })
    }
}

/// At most so many bytes of a file.
fn head(path: &Path, most: usize) -> Vec<u8> {
    use std::io::Read;
    let mut text = Vec::new();
    if most > 0
        && let Ok(file) = File::open(path)
    {
        // What cannot be read is missing from the text; the verdict does not hang on it.
        let _ = file.take(most as u64).read_to_end(&mut text);
    }
    text
}

/// Writes the files of a test to the folder that it runs in.
///
/// # Errors
/// A file cannot be written.
pub fn write_files(files: &[(PathBuf, Vec<u8>)], folder: &Path) -> Result<(), JudgeFault> {
    for (name, content) in files {
        let path = folder.join(name);
        if let Some(parent) = path.parent() {
            fs::create_dir_all(parent).map_err(JudgeFault::path("make", parent))?;
        }
        fs::write(&path, content).map_err(JudgeFault::path("write", &path))?;
    }
    Ok(())
}

fn profiles(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    let mut found: Vec<PathBuf> = entries
        .filter(|entry| entry.metadata().is_ok_and(|data| data.len() > 0))
        .map(|entry| entry.path())
        .filter(|path| {
            path.extension()
                .is_some_and(|extension| extension == "profraw")
        })
        .collect();
    found.sort();
    found
}
