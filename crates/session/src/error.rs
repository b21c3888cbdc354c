//! Why a session failed: whose fault it is, and words that say what was wrong, where, and what to do.
//!
//! Must hold: an error of another crate keeps its words and those of its causes; nothing here knows an exit code.

use std::fmt::{self, Display};

/// Why a session failed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Error {
    /// The input or the environment is wrong.
    Input(String),
    /// A fault of ours.
    Fault(String),
    /// The last option of a compiler's command line has no value: clang itself says it best.
    MissingValue(String),
    /// A compiler failed with this exit code, and said why itself; `said` is what it left for others to say, mostly empty.
    Compiler { code: u8, said: String },
    /// Interrupted before there was anything that is worth keeping.
    Interrupted,
}

/// What most functions of this crate return.
pub type Result<T, E = Error> = std::result::Result<T, E>;

impl Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Error::Input(words) | Error::Fault(words) => f.write_str(words),
            Error::MissingValue(option) => write!(f, "argument to '{option}' is missing"),
            Error::Compiler { code, .. } => write!(f, "the compiler failed with exit code {code}"),
            Error::Interrupted => f.write_str("interrupted"),
        }
    }
}

impl std::error::Error for Error {}

impl Error {
    /// The same, as a fault of ours.
    #[must_use]
    pub fn into_fault(self) -> Error {
        match self {
            Error::Input(words) => Error::Fault(words),
            other => other,
        }
    }

    /// The same, with words in front of it.
    fn behind(self, words: &dyn Display) -> Error {
        match self {
            Error::Input(cause) => Error::Input(format!("{words}: {cause}")),
            Error::Fault(cause) => Error::Fault(format!("{words}: {cause}")),
            other => other,
        }
    }

    /// An error of another crate, with its causes.
    fn of(error: &dyn std::error::Error) -> Error {
        let mut words = error.to_string();
        let mut cause = error.source();
        while let Some(next) = cause {
            words.push_str(&format!(": {next}"));
            cause = next.source();
        }
        Error::Input(words)
    }
}

macro_rules! from {
    ($($foreign:ty),* $(,)?) => {
        $(impl From<$foreign> for Error {
            fn from(error: $foreign) -> Error {
                Error::of(&error)
            }
        })*
    };
}

from!(
    std::io::Error,
    serde_json::Error,
    tempfile::PersistError,
    tempfile::PathPersistError,
    std::num::TryFromIntError,
    coverage::LinesError,
    path::TargetError,
    explore::choice::BadChoice,
    harness::dwarf::DwarfError,
    llvm::Error,
    native::judge::JudgeFault,
    native::server::StartError,
    native::toolchain::ToolError,
    object::Error,
    report::suite::InvocationError,
    smt::BackendError,
    store::Error,
);

/// Words in front of an error.
pub(crate) trait Context<T>: Sized {
    /// These words.
    fn context(self, words: impl Display) -> Result<T> {
        self.with_context(|| words)
    }

    /// These words, made where they are needed.
    fn with_context<D: Display>(self, words: impl FnOnce() -> D) -> Result<T>;

    /// It is a fault of ours.
    fn fault(self) -> Result<T>;
}

impl<T, E: Into<Error>> Context<T> for Result<T, E> {
    fn with_context<D: Display>(self, words: impl FnOnce() -> D) -> Result<T> {
        self.map_err(|error| error.into().behind(&words()))
    }

    fn fault(self) -> Result<T> {
        self.map_err(|error| error.into().into_fault())
    }
}

impl<T> Context<T> for Option<T> {
    fn with_context<D: Display>(self, words: impl FnOnce() -> D) -> Result<T> {
        self.ok_or_else(|| Error::Input(words().to_string()))
    }

    fn fault(self) -> Result<T> {
        self.ok_or_else(|| Error::Fault("something that must be there is not".to_owned()))
    }
}

/// Returns [`Error::Input`] with these words.
macro_rules! bail {
    ($($words:tt)*) => {
        return Err($crate::Error::Input(format!($($words)*)))
    };
}

/// Returns [`Error::Input`] with these words unless a condition holds.
macro_rules! ensure {
    ($condition:expr, $($words:tt)*) => {
        if !$condition {
            $crate::error::bail!($($words)*)
        }
    };
}

pub(crate) use {bail, ensure};
