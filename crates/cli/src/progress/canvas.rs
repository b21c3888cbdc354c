//! Lines that are drawn over each other, at the bottom of a terminal.
//!
//! Must hold: what was printed before stays; when the canvas is cleared, nothing of it is left. Lines are cut to the width of the
//! terminal, since a line that wraps would be counted wrongly.

use std::fmt::Write;
use std::time::{Duration, Instant};

use console::Term;

use crate::say;

/// Least time between two drawings.
const EVERY: Duration = Duration::from_millis(100);

/// The lines that are on the terminal.
#[derive(Default)]
pub struct Canvas {
    /// Lines above the cursor that are ours.
    lines: usize,
    drawn: Option<Instant>,
}

impl Canvas {
    /// Draws these lines in place of those that are there, unless it is too early for that.
    pub fn draw(&mut self, lines: &[String]) {
        if self.drawn.is_some_and(|drawn| drawn.elapsed() < EVERY) {
            return;
        }
        let (rows, columns) = Term::stderr().size();
        // Of a terminal of no size nothing is known.
        let columns = if columns == 0 {
            usize::MAX
        } else {
            usize::from(columns)
        };
        let rows = if rows == 0 {
            usize::MAX
        } else {
            usize::from(rows)
        };
        let fitting = &lines[..lines.len().min(rows.saturating_sub(1))];
        say::screen(&redrawn(self.lines, fitting, columns));
        self.lines = fitting.len();
        self.drawn = Some(Instant::now());
    }

    /// Takes the lines away.
    pub fn clear(&mut self) {
        if self.lines > 0 {
            say::screen(&redrawn(self.lines, &[], 0));
        }
        *self = Canvas::default();
    }
}

/// What draws lines over so many others: up, each line over the old one, and nothing of the old ones below.
fn redrawn(old: usize, lines: &[String], columns: usize) -> String {
    let mut text = String::new();
    if old > 0 {
        let _ = write!(text, "\r\x1b[{old}A");
    }
    for line in lines {
        let cut: String = line.chars().take(columns.saturating_sub(1)).collect();
        let _ = writeln!(text, "\x1b[2K{cut}");
    }
    text.push_str("\x1b[J");
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_drawn_over_each_other_and_taken_away() {
        let lines = ["one".to_owned(), "a long line".to_owned()];
        assert_eq!(redrawn(0, &lines, 7), "\x1b[2Kone\n\x1b[2Ka long\n\x1b[J");
        assert_eq!(redrawn(2, &lines[..1], 80), "\r\x1b[2A\x1b[2Kone\n\x1b[J");
        assert_eq!(redrawn(1, &[], 0), "\r\x1b[1A\x1b[J");
    }
}
