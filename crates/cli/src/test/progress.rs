//! What the user sees while the search runs: a live line on a terminal, a plain line now and then otherwise.

use std::io::IsTerminal;
use std::sync::atomic::{AtomicBool, AtomicU8, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use explore::campaign::{Doing, Observer};
use explore::{Clock, OnlyConcrete, Progress};
use indicatif::{ProgressBar, ProgressStyle};

use crate::say;

/// Real time since the start of the search.
#[derive(Clone, Copy, Debug)]
pub struct WallClock(pub Instant);

impl Clock for WallClock {
    fn elapsed(&self) -> Duration {
        self.0.elapsed()
    }
}

/// What the search tells the thread that prints.
#[derive(Debug, Default)]
pub struct Board {
    doing: AtomicU8,
    snapshot: Mutex<Option<Progress>>,
    forgotten: AtomicBool,
}

impl Observer for Board {
    fn doing(&self, what: Doing) {
        self.doing.store(what as u8, Ordering::Relaxed);
    }
}

impl Board {
    /// Puts up a new snapshot.
    pub fn update(&self, progress: Progress) {
        *self.snapshot.lock().unwrap_or_else(PoisonError::into_inner) = Some(progress);
    }

    /// What is worth a line of its own, once: that the search is stuck on what nothing symbolic decides.
    fn stuck(&self) -> Option<String> {
        let snapshot = self.snapshot.lock().unwrap_or_else(PoisonError::into_inner);
        let OnlyConcrete { open, moved } = snapshot.as_ref()?.only_concrete?;
        (open > 0).then(|| {
            format!(
                "nothing new for long: runs come to {open} branch sides that none takes and none makes symbolic; \
                 runs change what {moved} of them compare, and are sent nearer to those"
            )
        })
    }

    /// The search has forgotten what it can make again.
    pub fn forgot(&self) {
        self.forgotten.store(true, Ordering::Relaxed);
    }

    /// Has it, since this was asked last?
    pub fn has_forgotten(&self) -> bool {
        self.forgotten.swap(false, Ordering::Relaxed)
    }

    /// What the search is busy with.
    pub fn doing(&self) -> &'static str {
        let number = self.doing.load(Ordering::Relaxed);
        Doing::ALL
            .iter()
            .find(|doing| **doing as u8 == number)
            .map_or("", |doing| doing.name())
    }

    fn line(&self, clock: &dyn Clock) -> Option<String> {
        let snapshot = self.snapshot.lock().unwrap_or_else(PoisonError::into_inner);
        let progress = snapshot.as_ref()?;
        let seconds = clock.elapsed().as_secs_f64().max(0.001);
        let solver = 100.0 * progress.times.solve.as_secs_f64() / seconds;
        Some(format!(
            "{}/{} covered, {} open, {} tests, {} runs ({:.0}/s), solver {:.0}%, {} candidates left, waiting for the {}",
            progress.totals.covered,
            progress.totals.total,
            progress.totals.open(),
            progress.tests,
            progress.runs,
            progress.runs as f64 / seconds,
            solver.min(100.0),
            progress.candidates,
            self.doing(),
        ))
    }
}

/// Shows how the search goes.
pub struct Display {
    /// On a terminal.
    bar: Option<ProgressBar>,
    quiet: bool,
    next_plain: Duration,
    /// That the search is stuck was said.
    is_said: bool,
}

/// Time between two plain lines.
const PLAIN_EVERY: Duration = Duration::from_secs(10);

impl Display {
    pub fn new(quiet: bool) -> Display {
        let terminal = std::io::stderr().is_terminal() && !quiet;
        let bar = terminal.then(|| {
            let style = ProgressStyle::with_template("{spinner} [{elapsed}] {msg}")
                .expect("the template is well-formed");
            ProgressBar::new_spinner().with_style(style)
        });
        Display {
            bar,
            quiet,
            next_plain: PLAIN_EVERY,
            is_said: quiet,
        }
    }

    /// To be called some times a second.
    pub fn show(&mut self, board: &Board, clock: &dyn Clock) {
        if let Some(line) = board.stuck().filter(|_| !self.is_said) {
            self.is_said = true;
            let line = format!("[{:.0}s] {line}", clock.elapsed().as_secs_f64());
            match &self.bar {
                Some(bar) => bar.println(line),
                None => say::err(format_args!("{line}")),
            }
        }
        let due = clock.elapsed() >= self.next_plain;
        if self.quiet || (self.bar.is_none() && !due) {
            return;
        }
        let Some(line) = board.line(clock) else {
            return;
        };
        self.say(line, clock.elapsed());
    }

    /// Shows a line of another kind, as often as the others.
    pub fn say(&mut self, line: String, elapsed: Duration) {
        if let Some(bar) = &self.bar {
            bar.set_message(line);
            bar.tick();
        } else if !self.quiet && elapsed >= self.next_plain {
            say::err(format_args!("[{:.0}s] {line}", elapsed.as_secs_f64()));
            self.next_plain = elapsed + PLAIN_EVERY;
        }
    }

    /// Takes the live line away.
    pub fn end(&mut self) {
        if let Some(bar) = self.bar.take() {
            bar.finish_and_clear();
        }
    }
}
