//! What is shown of a search: some lines on a terminal, one line otherwise.
//!
//! Must hold: texts only, made of what is given; a line is no longer than [`WIDTH`], so that it fits most terminals.

use std::time::Duration;

use explore::Progress;

/// Longest line of the screen.
pub const WIDTH: usize = 80;
/// Characters of the bar.
const BAR: usize = 24;

/// A search at a moment.
pub struct Seen<'a> {
    pub progress: &'a Progress,
    pub elapsed: Duration,
    /// Most time, and most runs.
    pub budget: (Option<Duration>, Option<u64>),
    /// When a goal was covered last.
    pub last_find: Option<Duration>,
    /// What the search waits for.
    pub doing: &'static str,
    /// It was asked to end.
    pub is_ending: bool,
}

impl Seen<'_> {
    /// The lines of the screen.
    pub fn screen(&self) -> Vec<String> {
        let progress = self.progress;
        let totals = progress.totals;
        let settled =
            f64::from(totals.covered + totals.infeasible) / f64::from(totals.total.max(1));
        let filled = ((settled * BAR as f64) as usize).min(BAR);
        let bar = "#".repeat(filled) + &".".repeat(BAR - filled);
        let lines = [
            format!(
                "goals      [{bar}] {} covered, {} infeasible, {} open of {}",
                totals.covered,
                totals.infeasible,
                totals.open(),
                totals.total
            ),
            format!("time       {}; waits for the {}", self.time(), self.doing),
            format!("work       {}", self.work()),
            format!("last find  {}", self.finds()),
            format!("more       {}", self.more()),
            match self.is_ending {
                true => "ending with what there is; Ctrl-C again ends at once, without a report"
                    .to_owned(),
                false => "Ctrl-C ends the search and reports what there is".to_owned(),
            },
        ];
        lines.map(|line| cut(&line)).to_vec()
    }

    /// The same on one line.
    pub fn line(&self) -> String {
        let (progress, totals) = (self.progress, self.progress.totals);
        format!(
            "{}/{} covered, {} infeasible, {} open, {} tests, {} runs ({:.0}/s){}, solver {:.0}%, waiting for the {}; {}; last find {}; {}",
            totals.covered,
            totals.total,
            totals.infeasible,
            totals.open(),
            progress.tests,
            progress.runs,
            progress.runs as f64 / self.seconds(),
            self.started_over(),
            self.solver(),
            self.doing,
            self.left().unwrap_or_else(|| "no limit".to_owned()),
            self.finds(),
            self.more(),
        )
    }

    fn seconds(&self) -> f64 {
        self.elapsed.as_secs_f64().max(0.001)
    }

    fn solver(&self) -> f64 {
        let part = self.progress.times.solve.as_secs_f64() / self.seconds();
        (100.0 * part).min(100.0)
    }

    fn time(&self) -> String {
        let elapsed = duration(self.elapsed);
        match self.left() {
            Some(left) => format!("{elapsed}, {left}"),
            None => elapsed,
        }
    }

    /// What is left of the budget.
    fn left(&self) -> Option<String> {
        let (time, runs) = self.budget;
        let time = time.map(|time| duration(time.saturating_sub(self.elapsed)));
        let runs = runs.map(|most| format!("{} runs", most.saturating_sub(self.progress.runs)));
        match (runs, time) {
            (Some(runs), Some(time)) => Some(format!("{runs} or {time} left")),
            (one, other) => one.or(other).map(|left| format!("{left} left")),
        }
    }

    fn work(&self) -> String {
        let progress = self.progress;
        let fuzzed = match progress.fuzzed {
            0 => String::new(),
            runs => format!(" and {} without expressions", short(runs)),
        };
        format!(
            "{} tests of {} runs ({:.0}/s){fuzzed}{}, solver {:.0}% of the time",
            progress.tests,
            short(progress.runs),
            progress.runs as f64 / self.seconds(),
            self.started_over(),
            self.solver()
        )
    }

    fn started_over(&self) -> String {
        match self.progress.started_over {
            0 => String::new(),
            times => format!(", started over {times}×"),
        }
    }

    /// When something was found, and who finds most at the moment.
    fn finds(&self) -> String {
        let ago = self
            .last_find
            .map(|at| duration(self.elapsed.saturating_sub(at)));
        let ago = ago.map_or_else(|| "none yet".to_owned(), |ago| format!("{ago} ago"));
        match self.progress.pays {
            Some((source, finds, of)) => {
                format!("{ago}; {source} pays, with {finds} of the last {of} finds")
            }
            None => ago,
        }
    }

    /// What as many runs again would bring.
    fn more(&self) -> String {
        let found = self.progress.discovery;
        if found.runs < LEAST_RUNS {
            return "no estimate yet".to_owned();
        }
        let expected = found.expected(found.runs);
        let sides = match expected.round() as u64 {
            0 => "no new branch side".to_owned(),
            1 => "1 new branch side".to_owned(),
            sides => format!("{} new branch sides", short(sides)),
        };
        format!("as many runs again: about {sides} (Chao2 estimate)")
    }
}

/// An estimate from fewer runs says nothing.
const LEAST_RUNS: u64 = 20;

/// A time as people say it.
fn duration(time: Duration) -> String {
    let seconds = time.as_secs();
    match seconds {
        0..=119 => format!("{seconds}s"),
        120..=7199 => format!("{}m{:02}s", seconds / 60, seconds % 60),
        _ => format!("{}h{:02}m", seconds / 3600, seconds / 60 % 60),
    }
}

/// A number that does not change its width all the time.
fn short(number: u64) -> String {
    match number {
        0..=99_999 => number.to_string(),
        100_000..=99_999_999 => format!("{}k", number / 1000),
        _ => format!("{}M", number / 1_000_000),
    }
}

fn cut(line: &str) -> String {
    if line.chars().count() <= WIDTH {
        return line.to_owned();
    }
    let start: String = line.chars().take(WIDTH - 3).collect();
    format!("{start}...")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn seen(progress: &Progress) -> Seen<'_> {
        Seen {
            progress,
            elapsed: Duration::from_secs(75),
            budget: (Some(Duration::from_secs(3600)), None),
            last_find: Some(Duration::from_secs(70)),
            doing: "solver",
            is_ending: false,
        }
    }

    #[test]
    fn the_screen_says_what_there_is() {
        let mut progress = Progress::default();
        progress.totals.total = 180;
        progress.totals.covered = 120;
        progress.totals.infeasible = 15;
        progress.tests = 57;
        progress.runs = 1500;
        progress.fuzzed = 2_345_678;
        progress.times.solve = Duration::from_secs(30);
        progress.pays = Some(("matching", 9, 16));
        progress.discovery = explore::Discovery {
            runs: 1500,
            once: 12,
            twice: 6,
        };
        let mut seen = seen(&progress);
        assert_eq!(
            seen.screen().join("\n"),
            "goals      [##################......] 120 covered, 15 infeasible, 45 open of 180\n\
             time       75s, 58m45s left; waits for the solver\n\
             work       57 tests of 1500 runs (20/s) and 2345k without expressions, solver...\n\
             last find  5s ago; matching pays, with 9 of the last 16 finds\n\
             more       as many runs again: about 8 new branch sides (Chao2 estimate)\n\
             Ctrl-C ends the search and reports what there is"
        );
        seen.is_ending = true;
        let last = seen.screen().pop().unwrap_or_default();
        assert!(last.starts_with("ending with what there is"), "{last}");
        let line = seen.line();
        assert!(
            line.starts_with("120/180 covered, 15 infeasible, 45 open, 57 tests"),
            "{line}"
        );
        assert!(
            line.contains("58m45s left; last find 5s ago; matching pays"),
            "{line}"
        );
    }

    #[test]
    fn at_the_beginning_nothing_is_made_up() {
        let progress = Progress::default();
        let mut seen = seen(&progress);
        seen.last_find = None;
        seen.budget = (Some(Duration::from_secs(200)), Some(40));
        let screen = seen.screen().join("\n");
        for said in [
            "0 covered, 0 infeasible, 0 open of 0",
            "none yet",
            "no estimate yet",
            "40 runs or 2m05s left",
        ] {
            assert!(screen.contains(said), "{said}: {screen}");
        }
        assert!(
            seen.screen()
                .iter()
                .all(|line| line.chars().count() <= WIDTH)
        );
    }
}
