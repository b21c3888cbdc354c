//! The native target: an instrumented program behind `path::Target`.
//!
//! Must hold: whatever the program does, `run` returns in bounded time, and an error only when the program cannot be
//! started any more; the same input gives the same run.

mod deferred;
mod plain;
mod watch;

use std::ffi::OsString;
use std::fs::File;
use std::path::PathBuf;
use std::sync::atomic::Ordering::Relaxed;
use std::time::{Duration, Instant};

use path::{InputVector, LossReason, Outcome, Run, RunFlags, Step, Target, TargetError, Visits};
use program::{EdgeId, FuncId, Program};
use smt::Pool;
use wire::segment::{ModuleRecord, flag, overflow};

use crate::check::{self, Mismatch};
use crate::events::{Counter, Path, Reader};
use crate::inputs::{self, Names};
use crate::launch::{Ended, Launch};
use crate::limit::TimeLimit;
use crate::modules::{self, ModuleMap};
use crate::orphans;
use crate::sandbox::{Isolation, Sandbox};
use crate::scratch::Scratch;
use crate::segment::{RunLimits, Segment, Sizes};
use crate::server::{Patience, RunEnd, Server, Signal, StartCause, StartError};
use crate::terms::Terms;
use plain::Doubt;
use watch::Watch;

/// How to run the program.
#[derive(Clone, Debug)]
pub struct Config {
    /// The instrumented executable.
    pub program: PathBuf,
    /// What messages call it: the user's own file, where `program` is one that we built.
    pub name: String,
    /// The name it is called by (`argv[0]`); `None` is its path.
    pub called: Option<OsString>,
    /// Its arguments.
    pub args: Vec<OsString>,
    /// Variables set on top of the engine's environment.
    pub env: Vec<(OsString, OsString)>,
    /// File given as standard input, where standard input is not symbolic; `None` is the null device.
    pub stdin: Option<PathBuf>,
    /// Sizes of the segment.
    pub sizes: Sizes,
    /// Limits on one run.
    pub limits: RunLimits,
    /// Limits of the engine's patience.
    pub patience: Patience,
    /// Limits on files and processes, isolation; the scratch folder is added to what may be written.
    pub sandbox: Sandbox,
    /// Have the program evaluate every expression as it is built.
    pub check: bool,
    /// Evaluate every term of every run and compare it with the concrete value.
    pub cross_check: bool,
    /// Run through a fork server; otherwise the program is started anew for each run.
    pub fork_server: bool,
    /// Become the fork server before `main`: the program may end before its first input.
    pub early: bool,
    /// Have one process make many runs, where they have no symbolic inputs and it can put back what they changed.
    pub repeat: bool,
    /// Functions whose calls may fail.
    pub failing: wire::fail::Set,
}

impl Config {
    /// Defaults for this executable: 1 s and 2 GiB for a run.
    #[must_use]
    pub fn new(program: impl Into<PathBuf>) -> Config {
        let program = program.into();
        Config {
            name: program.display().to_string(),
            program,
            called: None,
            args: Vec::new(),
            env: Vec::new(),
            stdin: None,
            sizes: Sizes::default(),
            limits: RunLimits {
                timeout_ms: 1000,
                memory_bytes: 2 << 30,
                table_bytes: 4096,
            },
            patience: Patience::default(),
            sandbox: Sandbox::default(),
            check: false,
            cross_check: false,
            fork_server: true,
            early: false,
            repeat: true,
            failing: wire::fail::Set::default(),
        }
    }
}

/// Figures of a target's life.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Stats {
    /// Runs.
    pub runs: u64,
    /// Starts of the program.
    pub starts: u64,
    /// Runs without symbolic inputs that needed no fork.
    pub repeated: u64,
    /// Of these, runs that the server was not asked for.
    pub direct: u64,
    /// Its runs were not the same with and without a fork, so all are forked.
    pub told_apart: bool,
    /// Runs that took their server with them.
    pub lost_servers: u64,
    /// Waiting for the program.
    pub run_time: Duration,
    /// Of that, as the server measured it from the fork to the end.
    pub program_time: Duration,
    /// Reading and translating.
    pub read_time: Duration,
    /// Event words read.
    pub event_words: u64,
    /// Nodes written by the program.
    pub nodes: u64,
    /// Nodes translated.
    pub terms: u64,
    /// Values that differed under `cross_check`.
    pub mismatches: u64,
}

/// An instrumented program that can be run.
pub struct NativeTarget<'p> {
    program: &'p Program,
    config: Config,
    segment: Segment,
    scratch: Scratch,
    server: Option<Server>,
    start: Start,
    terms: Terms,
    names: Names,
    stats: Stats,
    isolation: Isolation,
    mismatches: Vec<Mismatch>,
    watch: Watch,
    doubt: Doubt,
    counter: Counter,
    limit: TimeLimit,
    /// Of runs without expressions, which are faster.
    concrete_limit: TimeLimit,
}

/// Whether inputs are symbolic in a run.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Inputs {
    Symbolic,
    Concrete,
    /// Concrete, and in a process of its own.
    Forked,
}

/// What is the same for every run of one start.
#[derive(Default)]
struct Start {
    /// As they registered before any run could write over them.
    records: Vec<ModuleRecord>,
    modules: ModuleMap,
    prefix: Path,
    /// Event words that `prefix` was read from.
    words: usize,
    /// Edges of the prefix that have no events.
    late_edges: Vec<(EdgeId, u64)>,
    /// Functions that were entered there.
    late_functions: Vec<(FuncId, u64)>,
}

/// Edges and functions, each with how often.
type Counted = (Vec<(EdgeId, u64)>, Vec<(FuncId, u64)>);

/// Where the program's own count of an edge stops.
const MOST_TIMES: u64 = u32::MAX as u64;
/// Most bytes that are kept of what a program says that does not start.
const MOST_WORDS: usize = 2048;
/// Most mismatches that are kept.
const MOST_MISMATCHES: usize = 100;

impl<'p> NativeTarget<'p> {
    /// Prepares a target; the program is started by [`NativeTarget::start`] or the first run.
    ///
    /// # Errors
    /// When there is no memory for the segment or no folder for temporary files.
    pub fn new(program: &'p Program, config: Config) -> Result<NativeTarget<'p>, TargetError> {
        let flags = if config.check { flag::CHECK } else { 0 }
            | if config.fork_server {
                0
            } else {
                flag::NO_SERVER
            }
            | if config.early { flag::EARLY } else { 0 }
            | if config.repeat { 0 } else { flag::FORK };
        let timeout_ms = config.limits.timeout_ms;
        let mut segment = Segment::new(&config.sizes, config.limits, flags)
            .map_err(|error| TargetError::Start(format!("no shared memory: {error}")))?;
        segment.set_failing(config.failing);
        let scratch = Scratch::new()
            .map_err(|error| TargetError::Start(format!("no scratch folder: {error}")))?;
        Ok(NativeTarget {
            program,
            config,
            segment,
            scratch,
            server: None,
            start: Start::default(),
            terms: Terms::default(),
            names: Names::default(),
            stats: Stats::default(),
            isolation: Isolation::default(),
            mismatches: Vec::new(),
            watch: Watch::default(),
            doubt: Doubt::default(),
            counter: Counter::default(),
            limit: TimeLimit::new(Duration::from_millis(timeout_ms.into())),
            concrete_limit: TimeLimit::hasty(Duration::from_millis(timeout_ms.into())),
        })
    }

    /// Starts the program on this input's streams, so that a program that cannot be tested is known early.
    ///
    /// # Errors
    /// See [`StartError`].
    pub fn start(&mut self, input: &InputVector) -> Result<(), StartError> {
        if self.stats.starts > 0 || input.streams.is_empty() {
            self.start_server(input)
        } else {
            self.start_first(input)
        }
    }

    fn start_server(&mut self, input: &InputVector) -> Result<(), StartError> {
        self.stop();
        self.forget_ids();
        let name = self.config.name.clone();
        let exec = |error| StartError::new(name.clone(), StartCause::Exec(error));
        self.scratch.clear(false).map_err(exec)?;
        self.segment.reset(self.config.limits).map_err(exec)?;
        inputs::supply(&self.segment, input);
        self.stats.starts += 1;
        let launch = self.launch().map_err(exec)?;
        let server = match Server::start(
            &self.segment,
            launch,
            &name,
            self.config.patience,
            self.run_limit(),
        ) {
            Ok(server) => server,
            Err(error) => return Err(error.saying(self.last_words())),
        };
        self.isolation = server.isolation();
        self.server = Some(server);
        self.scratch.keep();
        self.start = self.read_start();
        if let Some(module) = modules::missing(self.program, &self.start.records) {
            let cause = StartCause::NotLoaded(module.name.clone());
            self.stop();
            return Err(StartError::new(name, cause));
        }
        Ok(())
    }

    /// Ends the program.
    pub fn stop(&mut self) {
        if let Some(server) = self.server.take() {
            server.shut_down();
        }
    }

    /// Figures so far.
    #[must_use]
    pub fn stats(&self) -> Stats {
        self.stats
    }

    /// What isolation the program runs under; meaningful after the start.
    #[must_use]
    pub fn isolation(&self) -> Isolation {
        self.isolation
    }

    /// Differences that `cross_check` found, oldest first, the first hundred.
    #[must_use]
    pub fn mismatches(&self) -> &[Mismatch] {
        &self.mismatches
    }

    /// Uids of modules that run but are not in the model.
    #[must_use]
    pub fn unknown_modules(&self) -> &[u64] {
        self.start.modules.unknown()
    }

    /// Changes the time limit of runs; counts from the next start of the program.
    pub fn set_timeout(&mut self, timeout_ms: u32) {
        self.config.limits.timeout_ms = timeout_ms;
        self.limit = TimeLimit::new(Duration::from_millis(timeout_ms.into()));
        self.concrete_limit = TimeLimit::hasty(self.limit.full());
        self.stop();
    }

    /// What a program that does not start writes as its errors.
    fn last_words(&mut self) -> String {
        // No words are no reason to hide the error that they were to explain.
        if self.segment.reset(self.config.limits).is_err() {
            return String::new();
        }
        let path = self.scratch.path().join("stderr");
        let say = || -> std::io::Result<String> {
            let mut launch = self.launch()?;
            launch.stderr = Some(File::create(&path)?);
            let mut process = launch.start()?;
            process.wait(self.config.patience.start.min(Duration::from_secs(2)));
            process.kill();
            let text = std::fs::read(&path)?;
            let head = &text[..text.len().min(MOST_WORDS)];
            Ok(String::from_utf8_lossy(head).trim().to_owned())
        };
        say().unwrap_or_default()
    }

    fn run_limit(&self) -> Duration {
        Duration::from_millis(self.config.limits.timeout_ms.into())
    }

    fn launch(&self) -> std::io::Result<Launch<'_>> {
        let fd = self.segment.fd();
        let mut env = self.config.env.clone();
        let number = std::os::fd::AsRawFd::as_raw_fd(&fd).to_string();
        env.push((wire::segment::ENV.into(), number.into()));
        env.push(("TMPDIR".into(), self.scratch.path().into()));
        let mut sandbox = self.config.sandbox.clone();
        sandbox.writable.push(self.scratch.path().to_path_buf());
        Ok(Launch {
            program: self.config.program.clone(),
            called: self.config.called.clone(),
            args: self.config.args.clone(),
            env,
            unset: Vec::new(),
            cwd: self.scratch.path().to_path_buf(),
            stdin: self.config.stdin.as_ref().map(File::open).transpose()?,
            stderr: None,
            inherit: Some(fd),
            sandbox,
        })
    }

    /// Reads what happened before the first input. No input, so no term: steps only.
    fn read_start(&mut self) -> Start {
        self.segment.note_events_start();
        let records = self.segment.modules();
        let modules = ModuleMap::new(self.program, &records);
        let announced = self.segment.control().prefix_events.load(Relaxed) as usize;
        let words = self.segment.events();
        let words = &words[..announced.min(words.len())];
        let mut prefix = Path::default();
        let mut pool = Pool::new();
        self.terms.begin(&pool, 0);
        let mut reader = Reader {
            segment: &self.segment,
            modules: &modules,
            terms: &mut self.terms,
            pool: &mut pool,
        };
        reader.read(words, &mut prefix);
        prefix.steps.shrink_to_fit();
        let words = words.len();
        let (late_edges, late_functions) = self.counted(&modules);
        Start {
            records,
            modules,
            words,
            prefix,
            late_edges,
            late_functions,
        }
    }

    fn ensure_started(&mut self, input: &InputVector) -> Result<(), TargetError> {
        if self.server.as_mut().is_some_and(Server::is_alive) {
            return Ok(());
        }
        let restart = self.stats.runs > 0;
        // A machine that is short of something for a moment gets two more chances.
        let mut attempts = if restart { 3 } else { 1 };
        loop {
            attempts -= 1;
            match self.start(input) {
                Ok(()) => return Ok(()),
                Err(error) if attempts == 0 && restart => {
                    return Err(TargetError::Gone(error.to_string()));
                }
                Err(error) if attempts == 0 => return Err(TargetError::Start(error.to_string())),
                Err(_) => std::thread::sleep(Duration::from_millis(50)),
            }
        }
    }

    /// What detached itself from a server that is gone.
    fn kill_leftovers(&self) {
        orphans::end_marked(self.scratch.path());
    }

    /// One run through the fork server, no longer than is sensible.
    fn serve_in_time(
        &mut self,
        input: &InputVector,
        inputs: Inputs,
    ) -> Result<RunEnd, TargetError> {
        let limit = self.limit_of(inputs).next();
        self.segment.set_timeout(millis(limit));
        let mut end = self.serve(input, inputs)?;
        if matches!(end, RunEnd::Timeout) && self.limit_of(inputs).cut() {
            let limit = self.limit_of(inputs).full();
            self.segment.set_timeout(millis(limit));
            end = self.serve(input, inputs)?;
        }
        if !matches!(end, RunEnd::Timeout | RunEnd::ServerStuck) {
            let nanos = self.segment.control().run_nanos.load(Relaxed);
            self.limit_of(inputs).ended(Duration::from_nanos(nanos));
        }
        Ok(end)
    }

    fn limit_of(&mut self, inputs: Inputs) -> &mut TimeLimit {
        match inputs {
            Inputs::Symbolic => &mut self.limit,
            Inputs::Concrete | Inputs::Forked => &mut self.concrete_limit,
        }
    }

    /// One run through the fork server.
    fn serve(&mut self, input: &InputVector, inputs: Inputs) -> Result<RunEnd, TargetError> {
        for last in [false, true] {
            self.ensure_started(input)?;
            // The last run may have written over it.
            self.segment.write_header();
            inputs::supply(&self.segment, input);
            let concrete = &self.segment.control().concrete;
            concrete.store(inputs.word(), Relaxed);
            self.begin_watch();
            let Some(server) = &mut self.server else {
                break;
            };
            let end = server.run(&self.segment);
            match end {
                RunEnd::NoFork(errno) if last => {
                    let error = std::io::Error::from_raw_os_error(errno);
                    return Err(TargetError::Gone(format!("it cannot fork: {error}")));
                }
                RunEnd::NoFork(_) => self.stop(),
                RunEnd::ServerDied(_) | RunEnd::ServerStuck => {
                    self.stats.lost_servers += 1;
                    self.server = None;
                    self.kill_leftovers();
                    return Ok(end);
                }
                _ => return Ok(end),
            }
        }
        Err(TargetError::Gone("it cannot be started again".to_owned()))
    }

    /// One run in a process of its own.
    fn run_alone(&mut self, input: &InputVector) -> Result<RunEnd, TargetError> {
        let gone = |error: std::io::Error| TargetError::Gone(error.to_string());
        self.scratch.clear(false).map_err(gone)?;
        self.segment.reset(self.config.limits).map_err(gone)?;
        inputs::supply(&self.segment, input);
        let mut process = self.launch().and_then(Launch::start).map_err(|error| {
            TargetError::Start(format!("{}: cannot be started: {error}", self.config.name))
        })?;
        self.stats.starts += 1;
        self.isolation = process.isolation();
        let ended = process.wait(self.run_limit());
        process.kill();
        Ok(match ended {
            None => RunEnd::Timeout,
            Some(Ended::Exited(status)) => RunEnd::Exited(status),
            Some(Ended::Signalled(signal)) => RunEnd::Signalled(signal),
        })
    }

    fn outcome(&self, end: RunEnd) -> Result<Outcome, TargetError> {
        Ok(match end {
            RunEnd::Exited(status) => Outcome::Exited(status),
            RunEnd::Signalled(signal) | RunEnd::ServerDied(Ended::Signalled(signal)) => {
                Outcome::Signalled(signal)
            }
            RunEnd::Timeout | RunEnd::ServerStuck => Outcome::Timeout,
            RunEnd::Memory => Outcome::Memory,
            RunEnd::ServerDied(Ended::Exited(status)) => Outcome::Exited(status),
            RunEnd::Check => {
                let text = self.segment.check_text().filter(|text| !text.is_empty());
                return Err(TargetError::Check(
                    text.unwrap_or_else(|| "(no text)".to_owned()),
                ));
            }
            RunEnd::NoFork(errno) => {
                return Err(TargetError::Gone(format!(
                    "it cannot fork: {}",
                    std::io::Error::from_raw_os_error(errno)
                )));
            }
        })
    }

    /// Reads the segment after a run.
    fn read(
        &mut self,
        pool: &mut Pool,
        supplied: &InputVector,
        end: RunEnd,
    ) -> Result<Run, TargetError> {
        let outcome = self.outcome(end)?;
        self.update_modules();
        let (input, mut flags) = inputs::consumed(&self.segment, &mut self.names, supplied);
        let path = self.read_path(pool);
        flags.insert(path.flags);
        self.read_flags(&mut flags);
        let (mut late_edges, mut late_functions) = self.counted(&self.start.modules);
        late_edges.extend_from_slice(&self.start.late_edges);
        late_functions.extend_from_slice(&self.start.late_functions);
        if late_edges.iter().any(|&(_, times)| times >= MOST_TIMES) {
            flags.insert(RunFlags::UNCOUNTED);
        }
        if self.config.cross_check {
            self.cross_check(pool, &input);
        }
        let outcome = if path.assume_failed {
            Outcome::AssumeFailed
        } else {
            outcome
        };
        let losses = self.losses(&mut flags);
        Ok(Run {
            steps: path.steps,
            outcome,
            input,
            flags,
            losses,
            late_edges,
            late_functions,
            compared: path.compared,
            near: self.end_watch(),
        })
    }

    /// Modules that were loaded during the run come after those of the start.
    fn update_modules(&mut self) {
        let count = self.segment.control().module_count.load(Relaxed) as usize;
        if count == self.start.modules.registered() {
            return;
        }
        let mut records = self.segment.modules();
        let trusted = self.start.records.len();
        records.truncate(count.max(trusted));
        records.splice(
            ..trusted.min(records.len()),
            self.start.records.iter().copied(),
        );
        self.start.modules = ModuleMap::new(self.program, &records);
    }

    fn read_path(&mut self, pool: &mut Pool) -> Path {
        let words = self.segment.events();
        self.stats.event_words += words.len() as u64;
        let nodes = self.segment.node_count();
        self.stats.nodes += u64::from(nodes);
        self.terms.begin(pool, nodes);
        let (mut path, words) = match words.get(self.start.words..) {
            Some(rest) => {
                let mut steps = Vec::with_capacity(self.start.prefix.steps.len() + rest.len());
                steps.extend_from_slice(&self.start.prefix.steps);
                (
                    Path {
                        steps,
                        ..Path {
                            flags: self.start.prefix.flags,
                            ..Path::default()
                        }
                    },
                    rest,
                )
            }
            // The cursor was written over: nothing is known of this run.
            None => (
                Path {
                    flags: RunFlags::EVENTS_TRUNCATED.union(RunFlags::UNCOUNTED),
                    ..Path::default()
                },
                words,
            ),
        };
        let mut reader = Reader {
            segment: &self.segment,
            modules: &self.start.modules,
            terms: &mut self.terms,
            pool,
        };
        reader.read(words, &mut path);
        self.stats.terms += self.terms.translated().len() as u64;
        path
    }

    fn read_flags(&self, flags: &mut RunFlags) {
        let control = self.segment.control();
        let bits = control.overflow.load(Relaxed);
        let all = [
            (overflow::NODES, RunFlags::NODES_TRUNCATED),
            (overflow::EVENTS, RunFlags::EVENTS_TRUNCATED),
            (overflow::INPUTS, RunFlags::INPUTS_TRUNCATED),
            (overflow::TABLES, RunFlags::TABLES_TRUNCATED),
            (overflow::LOSSES, RunFlags::LOSSES_TRUNCATED),
            (overflow::NAMES, RunFlags::NAMES_TRUNCATED),
            (overflow::THREADS, RunFlags::THREADS),
            (overflow::FOLDED, RunFlags::FOLDED),
            (overflow::LOST, RunFlags::LOST),
            (overflow::ROUGH, RunFlags::UNCOUNTED),
        ];
        for (bit, flag) in all {
            if bits & bit != 0 {
                flags.insert(flag);
            }
        }
    }

    /// What a run leaves in the folder must not be seen by the next.
    fn clear_scratch(&mut self) -> Result<(), TargetError> {
        self.scratch
            .clear(true)
            .map_err(|error| TargetError::Gone(format!("scratch folder: {error}")))
    }

    /// Edges and functions that were counted where they had no events; they count again from 0.
    fn counted(&self, modules: &ModuleMap) -> Counted {
        if self.segment.control().overflow.load(Relaxed) & overflow::COUNTED == 0 {
            return Default::default();
        }
        let edges = self.segment.take_edge_hits(modules.edge_limit());
        let edges = edges.into_iter().filter_map(|(id, times)| {
            let info = modules.edge(id)?;
            Some((info.edge, times.into()))
        });
        let functions = self.segment.take_function_hits(modules.function_limit());
        let functions = functions
            .into_iter()
            .filter_map(|(id, times)| Some((modules.function(id)?, times.into())));
        (edges.collect(), functions.collect())
    }

    fn losses(&self, flags: &mut RunFlags) -> Vec<(program::SpotId, LossReason, u32)> {
        let mut losses = Vec::new();
        for record in self.segment.losses() {
            let reason = (record.reason as usize)
                .checked_sub(1)
                .and_then(|index| LossReason::ALL.get(index));
            match (self.start.modules.spot(record.spot), reason) {
                (Some(spot), Some(reason)) => losses.push((spot, *reason, record.count)),
                // Inside a library wrapper there is no instruction to name.
                (None, Some(reason)) if !reason.breaks_proof() => {}
                // A loss that cannot be named: the list says that it is not complete.
                _ => flags.insert(RunFlags::LOSSES_TRUNCATED),
            }
        }
        losses
    }

    fn cross_check(&mut self, pool: &mut Pool, input: &InputVector) {
        let found = check::compare(pool, &self.segment, &mut self.terms, &input.assignment());
        self.stats.mismatches += found.len() as u64;
        let room = MOST_MISMATCHES - self.mismatches.len();
        self.mismatches.extend(found.into_iter().take(room));
    }
}

fn millis(time: Duration) -> u32 {
    u32::try_from(time.as_millis()).unwrap_or(u32::MAX)
}

impl Target for NativeTarget<'_> {
    fn watch(&mut self, edges: &[EdgeId]) {
        self.watch_edges(edges);
    }

    fn run(&mut self, pool: &mut Pool, input: &InputVector) -> Result<Run, TargetError> {
        let begin = Instant::now();
        let end = if self.config.fork_server {
            self.serve_in_time(input, Inputs::Symbolic)?
        } else {
            self.run_alone(input)?
        };
        let middle = Instant::now();
        let run = self.read(pool, input, end)?;
        self.clear_scratch()?;
        self.stats.runs += 1;
        self.stats.run_time += middle - begin;
        self.stats.program_time +=
            Duration::from_nanos(self.segment.control().run_nanos.load(Relaxed));
        self.stats.read_time += middle.elapsed();
        Ok(run)
    }

    fn run_concrete(
        &mut self,
        input: &InputVector,
        visits: &mut Visits,
    ) -> Result<Option<Outcome>, TargetError> {
        self.run_plain(input, visits)
    }
}

impl Drop for NativeTarget<'_> {
    fn drop(&mut self) {
        self.stop();
        if self.stats.lost_servers > 0 || !self.config.fork_server {
            self.kill_leftovers();
        }
    }
}

/// One line for people: how a run ended.
#[must_use]
pub fn describe(outcome: Outcome) -> String {
    match outcome {
        Outcome::Exited(status) => format!("exit status {status}"),
        Outcome::Signalled(signal) => Signal(signal).to_string(),
        Outcome::Timeout => "time limit".to_owned(),
        Outcome::Memory => "memory limit".to_owned(),
        Outcome::AssumeFailed => "assumption failed".to_owned(),
    }
}

/// Is this step one that something symbolic decided?
#[must_use]
pub fn is_symbolic(step: &Step) -> bool {
    matches!(
        step,
        Step::Edge { cond: Some(_), .. } | Step::Constraint { .. }
    )
}
