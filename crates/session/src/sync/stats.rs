//! `fuzzer_stats`: what `afl-whatsup`, `afl-plot` and the like read of an instance.
//!
//! What must hold: the fields and their form are those of AFL++ 4; `afl_version` says whose folder it is.

use std::fmt::Write as _;
use std::time::{SystemTime, UNIX_EPOCH};

/// In `fuzzer_stats`, by what we know our own folder.
pub(super) const VERSION: &str = concat!("bothways-", env!("CARGO_PKG_VERSION"));

/// Name of the file.
pub(super) const FILE_NAME: &str = "fuzzer_stats";

/// Seconds since 1970.
pub(super) fn now() -> u64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH);
    since.map_or(0, |since| since.as_secs())
}

/// Whether the text of a `fuzzer_stats` is ours.
pub(super) fn is_ours(text: &str) -> bool {
    let is_ours = |line: &str| line.starts_with("afl_version") && line.contains("bothways-");
    text.lines().any(is_ours)
}

/// How an instance is going.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Stats {
    /// Seconds of this campaign.
    pub seconds: u64,
    pub runs: u64,
    pub queue: u32,
    /// Of these, inputs that the search was given.
    pub given: u32,
    /// Inputs of others that were run.
    pub imported: u64,
    pub crashes: u32,
    pub hangs: u32,
    /// Goals, and how many are covered.
    pub goals: u32,
    pub covered: u32,
    /// When something was found last, in seconds since 1970; 0: never.
    pub last_find: u64,
    pub last_crash: u64,
    pub last_hang: u64,
}

impl Stats {
    /// The file of the instance with this name, started by these words.
    pub(super) fn render(&self, name: &str, command: &str) -> String {
        let percent = f64::from(self.covered) * 100.0 / f64::from(self.goals.max(1));
        let per_second = self.runs as f64 / self.seconds.max(1) as f64;
        let fields: [(&str, String); 31] = [
            ("start_time", (now() - self.seconds).to_string()),
            ("last_update", now().to_string()),
            ("run_time", self.seconds.to_string()),
            ("fuzzer_pid", std::process::id().to_string()),
            ("cycles_done", "0".to_owned()),
            ("cycles_wo_finds", "0".to_owned()),
            ("execs_done", self.runs.to_string()),
            ("execs_per_sec", format!("{per_second:.2}")),
            ("corpus_count", self.queue.to_string()),
            ("corpus_favored", self.queue.to_string()),
            ("corpus_found", (self.queue - self.given).to_string()),
            ("corpus_imported", self.imported.to_string()),
            ("corpus_variable", "0".to_owned()),
            ("max_depth", "1".to_owned()),
            ("cur_item", "0".to_owned()),
            ("pending_favs", "0".to_owned()),
            ("pending_total", "0".to_owned()),
            ("stability", "100.00%".to_owned()),
            ("bitmap_cvg", format!("{percent:.2}%")),
            ("saved_crashes", self.crashes.to_string()),
            ("saved_hangs", self.hangs.to_string()),
            ("last_find", self.last_find.to_string()),
            ("last_crash", self.last_crash.to_string()),
            ("last_hang", self.last_hang.to_string()),
            ("exec_timeout", "0".to_owned()),
            ("edges_found", self.covered.to_string()),
            ("total_edges", self.goals.to_string()),
            ("afl_banner", name.to_owned()),
            ("afl_version", VERSION.to_owned()),
            ("target_mode", "concolic".to_owned()),
            ("command_line", command.to_owned()),
        ];
        let mut text = String::new();
        for (name, value) in fields {
            let _ = writeln!(text, "{name:<18}: {value}");
        }
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn our_file_is_known_as_ours() {
        let stats = Stats {
            queue: 7,
            given: 2,
            ..Stats::default()
        };
        let text = stats.render("bw1", "fuzz --sync out");
        assert!(is_ours(&text));
        assert!(text.contains("corpus_found      : 5\n"), "{text}");
        assert!(!is_ours("afl_version        : ++4.04c\n"));
    }
}
