//! How the run of a test ended.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

/// How a run ended. Its text: `exited 0`, `signal 11`, `timeout`, `memory`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(into = "String", try_from = "String")]
pub enum Outcome {
    /// `exit` with this status.
    Exited(i32),
    /// Ended by this signal.
    Signalled(i32),
    /// Killed at the time limit.
    Timeout,
    /// Killed at the memory limit.
    Memory,
}

impl Outcome {
    /// Did the program end by itself, without a crash?
    #[must_use]
    pub const fn is_exit(self) -> bool {
        matches!(self, Outcome::Exited(_))
    }

    /// Its text, with the name of a signal: `signal 11 (SIGSEGV)`.
    #[must_use]
    pub fn in_words(self) -> String {
        match self.signal_name() {
            Some(name) => format!("{self} ({name})"),
            None => self.to_string(),
        }
    }

    /// Name of the signal (Linux), if a signal that has one ended the run.
    #[must_use]
    pub const fn signal_name(self) -> Option<&'static str> {
        let Outcome::Signalled(number) = self else {
            return None;
        };
        Some(match number {
            1 => "SIGHUP",
            2 => "SIGINT",
            3 => "SIGQUIT",
            4 => "SIGILL",
            5 => "SIGTRAP",
            6 => "SIGABRT",
            7 => "SIGBUS",
            8 => "SIGFPE",
            9 => "SIGKILL",
            10 => "SIGUSR1",
            11 => "SIGSEGV",
            12 => "SIGUSR2",
            13 => "SIGPIPE",
            14 => "SIGALRM",
            15 => "SIGTERM",
            24 => "SIGXCPU",
            25 => "SIGXFSZ",
            31 => "SIGSYS",
            _ => return None,
        })
    }
}

impl fmt::Display for Outcome {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Outcome::Exited(status) => write!(f, "exited {status}"),
            Outcome::Signalled(number) => write!(f, "signal {number}"),
            Outcome::Timeout => f.write_str("timeout"),
            Outcome::Memory => f.write_str("memory"),
        }
    }
}

/// The text is no outcome.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is no outcome (`exited 0`, `signal 11`, `timeout`, `memory`)")]
pub struct OutcomeError(String);

impl FromStr for Outcome {
    type Err = OutcomeError;

    fn from_str(text: &str) -> Result<Outcome, OutcomeError> {
        let number = |text: &str| text.parse().ok();
        match text.split_once(' ') {
            Some(("exited", status)) => number(status).map(Outcome::Exited),
            Some(("signal", signal)) => number(signal).map(Outcome::Signalled),
            None if text == "timeout" => Some(Outcome::Timeout),
            None if text == "memory" => Some(Outcome::Memory),
            _ => None,
        }
        .ok_or_else(|| OutcomeError(text.to_owned()))
    }
}

impl From<Outcome> for String {
    fn from(outcome: Outcome) -> String {
        outcome.to_string()
    }
}

impl TryFrom<String> for Outcome {
    type Error = OutcomeError;

    fn try_from(text: String) -> Result<Outcome, OutcomeError> {
        text.parse()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn signals_are_named_for_people() {
        assert_eq!(Outcome::Signalled(8).in_words(), "signal 8 (SIGFPE)");
        assert_eq!(Outcome::Signalled(64).in_words(), "signal 64");
        assert_eq!(Outcome::Exited(3).in_words(), "exited 3");
    }

    #[test]
    fn the_text_form_gives_the_outcome_back() {
        for outcome in [
            Outcome::Exited(0),
            Outcome::Exited(-1),
            Outcome::Signalled(11),
            Outcome::Timeout,
            Outcome::Memory,
        ] {
            assert_eq!(outcome.to_string().parse(), Ok(outcome));
        }
        for text in ["", "exited", "exited x", "signal", "time-out", "timeout 3"] {
            assert!(text.parse::<Outcome>().is_err(), "{text}");
        }
    }
}
