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
    finished: AtomicBool,
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
                "nothing new for long: {open} open sides of branches that runs come to, and that no run makes symbolic; \
                 runs change what {moved} of them compare, and are sent nearer to those"
            )
        })
    }

    /// The search is over.
    pub fn finish(&self) {
        self.finished.store(true, Ordering::Relaxed);
    }

    fn is_finished(&self) -> bool {
        self.finished.load(Ordering::Relaxed)
    }

    fn doing(&self) -> &'static str {
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
            "{}/{} covered, {} tests, {} runs ({:.0}/s), solver {:.0}%, {} candidates left, waiting for the {}",
            progress.totals.covered,
            progress.totals.total,
            progress.tests,
            progress.runs,
            progress.runs as f64 / seconds,
            solver.min(100.0),
            progress.candidates,
            self.doing(),
        ))
    }
}

/// Prints until the board says that the search is over; calls `tick` ten times a second.
pub fn watch(board: &Board, clock: &(dyn Clock + Sync), quiet: bool, tick: impl Fn()) {
    const TICK: Duration = Duration::from_millis(100);
    const PLAIN_EVERY: Duration = Duration::from_secs(10);
    let terminal = std::io::stderr().is_terminal() && !quiet;
    let bar = terminal.then(|| {
        let style = ProgressStyle::with_template("{spinner} [{elapsed}] {msg}")
            .expect("the template is well-formed");
        ProgressBar::new_spinner().with_style(style)
    });
    let mut next_plain = PLAIN_EVERY;
    let mut is_said = quiet;
    while !board.is_finished() {
        std::thread::park_timeout(TICK);
        tick();
        let due = clock.elapsed() >= next_plain;
        if let Some(line) = board.stuck().filter(|_| !is_said) {
            is_said = true;
            let line = format!("[{:.0}s] {line}", clock.elapsed().as_secs_f64());
            match &bar {
                Some(bar) => bar.println(line),
                None => say::err(format_args!("{line}")),
            }
        }
        if quiet || (!terminal && !due) {
            continue;
        }
        let Some(line) = board.line(clock) else {
            continue;
        };
        if let Some(bar) = &bar {
            bar.set_message(line);
            bar.tick();
        } else {
            say::err(format_args!(
                "[{:.0}s] {line}",
                clock.elapsed().as_secs_f64()
            ));
            next_plain += PLAIN_EVERY;
        }
    }
    if let Some(bar) = bar {
        bar.finish_and_clear();
    }
}
