//! The engine's side of the fork server: starts an instrumented program, has it run one input after the other, and
//! watches over it.
//!
//! Must hold: no wait is without a time limit; a server that is stuck, dead or lying costs its run, never the engine.

use std::fmt;
use std::io;
use std::sync::atomic::Ordering::{Acquire, Relaxed, SeqCst};
use std::time::{Duration, Instant};

use wire::segment::{Control, SHUTDOWN, exit, plain, stage};

use crate::futex;
use crate::launch::{Ended, Launch, Process};
use crate::sandbox::Isolation;
use crate::segment::Segment;

/// Time limits of the engine, on top of the server's own limit on one run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Patience {
    /// From the start to the first symbolic input.
    pub start: Duration,
    /// What a run may take beyond the limit that the server enforces.
    pub grace: Duration,
}

impl Default for Patience {
    fn default() -> Self {
        Patience {
            start: Duration::from_secs(10),
            grace: Duration::from_secs(2),
        }
    }
}

/// Why a program did not become a server.
#[derive(Debug, thiserror::Error)]
#[error("{name}: {cause}{}", quote(words))]
pub struct StartError {
    /// What the program is called.
    pub name: String,
    /// What is wrong.
    pub cause: StartCause,
    /// What the program wrote as its errors.
    pub words: String,
}

/// What is wrong with a program that did not become a server.
#[derive(Debug, thiserror::Error)]
pub enum StartCause {
    /// The kernel did not execute it.
    #[error("cannot be started: {0}")]
    Exec(io::Error),
    /// The runtime never attached to the segment.
    #[error(
        "not built by `bothways cc` (it {0} without attaching to the engine); compile and link it with `bothways cc`"
    )]
    NotInstrumented(String),
    /// Its runtime speaks another version.
    #[error("built by another version of `bothways cc`; build it again")]
    Version,
    /// It loads another library than it was linked with; a source of that.
    #[error(
        "was linked with a library that it does not load: nothing of {0} runs, because another library of that name is found first; name the folder of the library in LD_LIBRARY_PATH, or link again"
    )]
    NotLoaded(String),
    /// It ended in order, without asking for an input.
    #[error(
        "has no symbolic input: it ended with exit status {0} before asking for one; mark inputs with `bothways.h`, or declare them: `--stdin N`, `--sym-arg N -- @arg`, `--sym-file NAME:N -- @file`"
    )]
    NoInput(i32),
    /// It was ended by a signal before it asked for an input.
    #[error("crashed before its first input ({0}); no test can reach further than that")]
    Crashed(Signal),
    /// It neither ended nor asked for an input.
    #[error("hangs before its first input (gave up after {} s)", .0.as_secs_f32())]
    Hangs(Duration),
}

impl StartError {
    /// Did the program run, and end or hang before it asked for an input?
    #[must_use]
    pub const fn is_early_end(&self) -> bool {
        matches!(
            self.cause,
            StartCause::NoInput(_) | StartCause::Crashed(_) | StartCause::Hangs(_)
        )
    }

    pub(crate) fn new(name: impl Into<String>, cause: StartCause) -> StartError {
        StartError {
            name: name.into(),
            cause,
            words: String::new(),
        }
    }

    /// The same, with what the program said.
    #[must_use]
    pub(crate) fn saying(self, words: String) -> StartError {
        StartError { words, ..self }
    }
}

fn quote(words: &str) -> String {
    if words.is_empty() {
        String::new()
    } else {
        format!("\nThe program said: {words}")
    }
}

/// A signal; displays as its name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Signal(pub i32);

impl fmt::Display for Signal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = match self.0 {
            libc::SIGHUP => "SIGHUP",
            libc::SIGINT => "SIGINT",
            libc::SIGQUIT => "SIGQUIT",
            libc::SIGILL => "SIGILL",
            libc::SIGTRAP => "SIGTRAP",
            libc::SIGABRT => "SIGABRT",
            libc::SIGBUS => "SIGBUS",
            libc::SIGFPE => "SIGFPE",
            libc::SIGKILL => "SIGKILL",
            libc::SIGSEGV => "SIGSEGV",
            libc::SIGPIPE => "SIGPIPE",
            libc::SIGALRM => "SIGALRM",
            libc::SIGTERM => "SIGTERM",
            libc::SIGXCPU => "SIGXCPU",
            libc::SIGXFSZ => "SIGXFSZ",
            libc::SIGSYS => "SIGSYS",
            number => return write!(f, "signal {number}"),
        };
        f.write_str(name)
    }
}

/// How a run ended, as far as the server could tell.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RunEnd {
    /// The program exited with this status.
    Exited(i32),
    /// A signal ended it.
    Signalled(i32),
    /// Killed at the time limit.
    Timeout,
    /// Killed at the memory limit.
    Memory,
    /// Check mode stopped it; the text is in the segment.
    Check,
    /// The server could not fork (errno).
    NoFork(i32),
    /// The server died during the run: the program killed it, or something else did.
    ServerDied(Ended),
    /// The server did not answer in time and was killed.
    ServerStuck,
}

/// A running server.
#[derive(Debug)]
pub struct Server {
    process: Process,
    /// Number of the last run.
    request: u32,
    /// Number of the last run that the server itself was asked for.
    asked: u32,
    limit: Duration,
}

impl Server {
    /// Starts the program, which messages call `name`, and waits until it is ready. The segment must be fresh, with its streams described.
    ///
    /// # Errors
    /// See [`StartError`].
    pub fn start(
        segment: &Segment,
        launch: Launch<'_>,
        name: &str,
        patience: Patience,
        run_limit: Duration,
    ) -> Result<Server, StartError> {
        let process = match launch.start() {
            Ok(process) => process,
            Err(error) => return Err(StartError::new(name, StartCause::Exec(error))),
        };
        let mut server = Server {
            process,
            request: 0,
            asked: 0,
            limit: run_limit + patience.grace,
        };
        if let Err(cause) = server.wait_ready(segment, patience.start) {
            return Err(StartError::new(name, cause));
        }
        server.asked = segment.control().request.load(Relaxed);
        server.request = server.asked;
        Ok(server)
    }

    fn wait_ready(&mut self, segment: &Segment, limit: Duration) -> Result<(), StartCause> {
        let deadline = Instant::now() + limit;
        let word = &segment.control().stage;
        loop {
            let now = word.load(Acquire);
            match now {
                stage::READY => return Ok(()),
                stage::REFUSED => return Err(StartCause::Version),
                _ => {}
            }
            if let Some(ended) = self.process.ended() {
                // It may have attached between the look and its end.
                return Err(early_end(ended, word.load(Acquire)));
            }
            if Instant::now() >= deadline {
                return Err(match now {
                    stage::ATTACHED => StartCause::Hangs(limit),
                    _ => StartCause::NotInstrumented(format!("ran for {} s", limit.as_secs_f32())),
                });
            }
            futex::wait(word, now, SLICE);
        }
    }

    /// Runs the program once on the input in the segment.
    pub fn run(&mut self, segment: &Segment) -> RunEnd {
        let control = segment.control();
        self.request = self.request.wrapping_add(1);
        if self.request == SHUTDOWN {
            self.request = 1;
        }
        let is_direct =
            control.concrete.load(Relaxed) == plain::ANY && control.repeater.load(Acquire) == 1;
        if is_direct {
            control.direct.store(self.request, SeqCst);
            futex::wake(&control.direct);
        } else {
            self.ask(control);
        }
        let deadline = Instant::now() + self.limit;
        let mut waited = false;
        loop {
            let done = control.done.load(Acquire);
            if done == self.request {
                let direct = control.direct.load(Relaxed);
                if control.request.load(Relaxed) != self.asked || is_direct && direct != done {
                    // The program wrote over the control words: who knows what the server does next.
                    self.process.kill();
                }
                return read_end(control);
            }
            // Most runs end before anybody has to look after the server.
            if waited {
                if let Some(ended) = self.process.ended() {
                    return RunEnd::ServerDied(ended);
                }
                if Instant::now() >= deadline {
                    self.process.kill();
                    return RunEnd::ServerStuck;
                }
                // Nor has the server to look after the repeater.
                if self.asked != self.request {
                    self.ask(control);
                }
            }
            futex::wait(&control.done, done, SLICE);
            waited = true;
        }
    }

    /// Asks the server for the run, or to look after it.
    fn ask(&mut self, control: &Control) {
        self.asked = self.request;
        control.request.store(self.request, SeqCst);
        futex::wake(&control.request);
    }

    /// Is the server still there?
    pub fn is_alive(&mut self) -> bool {
        self.process.ended().is_none()
    }

    /// What isolation the program runs under.
    #[must_use]
    pub fn isolation(&self) -> Isolation {
        self.process.isolation()
    }

    /// Ends the server and all that it started or adopted.
    pub fn shut_down(mut self) {
        self.process.kill();
    }
}

/// How often a waiting engine looks whether the server is still alive, and how long a run may take without it.
const SLICE: Duration = Duration::from_millis(10);

fn early_end(ended: Ended, stage: u32) -> StartCause {
    match (stage, ended) {
        (stage::REFUSED, _) => StartCause::Version,
        (stage::STARTED, Ended::Exited(status)) => {
            StartCause::NotInstrumented(format!("ended with exit status {status}"))
        }
        (stage::STARTED, Ended::Signalled(signal)) => {
            StartCause::NotInstrumented(format!("was ended by {}", Signal(signal)))
        }
        (_, Ended::Exited(status)) => StartCause::NoInput(status),
        (_, Ended::Signalled(signal)) => StartCause::Crashed(Signal(signal)),
    }
}

fn read_end(control: &Control) -> RunEnd {
    let value = control.exit_value.load(Relaxed).cast_signed();
    match control.exit_kind.load(Relaxed) {
        exit::SIGNALLED => RunEnd::Signalled(value),
        exit::TIMEOUT => RunEnd::Timeout,
        exit::MEMORY => RunEnd::Memory,
        exit::CHECK => RunEnd::Check,
        exit::NO_FORK => RunEnd::NoFork(value),
        _ => RunEnd::Exited(value & 0xff),
    }
}
