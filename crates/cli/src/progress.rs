//! What the user sees while a session runs: a live line on a terminal, a plain line now and then otherwise.

use std::io::IsTerminal;
use std::path::Path;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use explore::OnlyConcrete;
use indicatif::{ProgressBar, ProgressStyle};
use session::{Board, Host};

use crate::interrupt;
use crate::say;

/// Shows how a session goes, and passes Ctrl-C on to it.
pub struct Terminal {
    quiet: bool,
    display: Mutex<Display>,
}

/// What is shown.
struct Display {
    /// On a terminal.
    bar: Option<ProgressBar>,
    next_plain: Duration,
    /// That the search is stuck was said.
    is_said: bool,
}

/// Time between two plain lines.
const PLAIN_EVERY: Duration = Duration::from_secs(10);

impl Terminal {
    /// `quiet`: nothing is shown but what [`Host::tell`] is given.
    pub fn new(quiet: bool) -> Terminal {
        Terminal {
            quiet,
            display: Mutex::new(Display::new(quiet)),
        }
    }

    fn display(&self) -> MutexGuard<'_, Display> {
        self.display.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Host for Terminal {
    fn works_in(&self, folder: &Path) -> session::Result<()> {
        interrupt::catch(folder)
    }

    fn listens(&self) {
        interrupt::heard();
    }

    fn is_interrupted(&self) -> bool {
        interrupt::is_set()
    }

    fn tell(&self, line: &str) {
        say::err(format_args!("{line}"));
    }

    fn searching(&self, board: &Board, elapsed: Duration) {
        if !self.quiet {
            self.display().search(board, elapsed);
        }
    }

    fn judging(&self, done: usize, tests: usize, elapsed: Duration) {
        if !self.quiet {
            let line = format!("judging: {done} of {tests} tests");
            self.display().say(line, elapsed);
        }
    }

    fn rests(&self) {
        let mut display = self.display();
        display.end();
        *display = Display::new(self.quiet);
    }
}

impl Display {
    fn new(quiet: bool) -> Display {
        Display {
            bar: None,
            next_plain: PLAIN_EVERY,
            is_said: quiet,
        }
    }

    fn search(&mut self, board: &Board, elapsed: Duration) {
        if !self.is_said
            && let Some(line) = stuck(board)
        {
            self.is_said = true;
            let line = format!("[{:.0}s] {line}", elapsed.as_secs_f64());
            match &self.bar {
                Some(bar) => bar.println(line),
                None => say::err(format_args!("{line}")),
            }
        }
        if !is_terminal() && elapsed < self.next_plain {
            return;
        }
        if let Some(line) = line(board, elapsed) {
            self.say(line, elapsed);
        }
    }

    fn say(&mut self, line: String, elapsed: Duration) {
        if is_terminal() {
            let bar = self.bar.get_or_insert_with(|| {
                let style = ProgressStyle::with_template("{spinner} [{elapsed}] {msg}")
                    .expect("the template is well-formed");
                ProgressBar::new_spinner().with_style(style)
            });
            bar.set_message(line);
            bar.tick();
        } else if elapsed >= self.next_plain {
            say::err(format_args!("[{:.0}s] {line}", elapsed.as_secs_f64()));
            self.next_plain = elapsed + PLAIN_EVERY;
        }
    }

    /// Takes the live line away.
    fn end(&mut self) {
        if let Some(bar) = self.bar.take() {
            bar.finish_and_clear();
        }
    }
}

fn is_terminal() -> bool {
    std::io::stderr().is_terminal()
}

/// What is worth a line of its own, once: that the search is stuck on what nothing symbolic decides.
fn stuck(board: &Board) -> Option<String> {
    let OnlyConcrete { open, moved } = board.snapshot()?.only_concrete?;
    (open > 0).then(|| {
        format!(
            "nothing new for long: runs come to {open} branch sides that none takes and none makes symbolic; \
             runs change what {moved} of them compare, and are sent nearer to those"
        )
    })
}

fn line(board: &Board, elapsed: Duration) -> Option<String> {
    let progress = board.snapshot()?;
    let seconds = elapsed.as_secs_f64().max(0.001);
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
        board.doing(),
    ))
}
