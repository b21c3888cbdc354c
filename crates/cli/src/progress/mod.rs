//! What the user sees while a session runs: a screen of some lines on a terminal, a plain line now and then otherwise.

mod canvas;
mod screen;

use std::io::IsTerminal;
use std::path::Path;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use explore::OnlyConcrete;
use session::{Board, Host};

use crate::say;
use crate::{faults, interrupt};
use canvas::Canvas;
use screen::Seen;

/// Shows how a session goes, and passes Ctrl-C on to it.
pub struct Terminal {
    quiet: bool,
    display: Mutex<Display>,
}

/// What is shown.
struct Display {
    /// What is drawn on a terminal.
    canvas: Canvas,
    next_plain: Duration,
    /// Goals that were covered, and when that was first seen.
    covered: (u32, Option<Duration>),
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

    fn stores_in(&self, folder: &Path) {
        faults::stored_in(folder);
    }

    fn is_interrupted(&self) -> bool {
        interrupt::is_set()
    }

    fn tell(&self, line: &str) {
        self.display().canvas.clear();
        say::err(format_args!("{line}"));
    }

    fn searching(&self, board: &Board, elapsed: Duration) {
        if !self.quiet {
            self.display().search(board, elapsed);
        }
    }

    fn finishing(&self, doing: &str, elapsed: Duration) {
        if !self.quiet {
            self.display().say(doing.to_owned(), elapsed);
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
            canvas: Canvas::default(),
            next_plain: PLAIN_EVERY,
            covered: (0, None),
            is_said: quiet,
        }
    }

    fn search(&mut self, board: &Board, elapsed: Duration) {
        if !self.is_said
            && let Some(line) = stuck(board)
        {
            self.is_said = true;
            let line = format!("[{:.0}s] {line}", elapsed.as_secs_f64());
            self.canvas.clear();
            say::err(format_args!("{line}"));
        }
        let Some(progress) = board.snapshot() else {
            return;
        };
        if progress.totals.covered > self.covered.0 {
            self.covered = (progress.totals.covered, Some(elapsed));
        }
        let seen = Seen {
            progress: &progress,
            elapsed,
            budget: board.budget(),
            last_find: self.covered.1,
            doing: board.doing(),
            is_ending: interrupt::is_set(),
        };
        if is_terminal() {
            self.canvas.draw(&seen.screen());
        } else if elapsed >= self.next_plain {
            self.say(seen.line(), elapsed);
        }
    }

    fn say(&mut self, line: String, elapsed: Duration) {
        if is_terminal() {
            self.canvas.draw(&[line]);
        } else if elapsed >= self.next_plain {
            say::err(format_args!("[{:.0}s] {line}", elapsed.as_secs_f64()));
            self.next_plain = elapsed + PLAIN_EVERY;
        }
    }

    /// Takes the screen away.
    fn end(&mut self) {
        self.canvas.clear();
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
