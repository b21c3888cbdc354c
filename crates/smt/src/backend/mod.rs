//! Backends: decision procedures behind one trait.
//!
//! A backend is one file with one line in [`ALL`]. It may say "unknown" whenever it likes; its models are confirmed
//! by our evaluator, its "unsat" is believed. Backends run the shared query corpus.

use std::sync::Arc;

use crate::check::Scoped;
use crate::horn::HornBackend;
use crate::{Assignment, Pool, Term};

/// What one check may cost. The first limit is deterministic, the second a safety net.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Budget {
    /// Resource units of the backend; for Z3, `rlimit`.
    pub units: u32,
    /// Milliseconds.
    pub millis: u32,
}

impl Budget {
    /// One part in so many of either limit.
    #[must_use]
    pub fn part(self, units: u32, millis: u32) -> Budget {
        Budget {
            units: (self.units / units).max(1),
            millis: self.millis.div_ceil(millis),
        }
    }
}

/// A backend's answer, not yet confirmed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RawAnswer {
    /// Values of the constraints' variables.
    Sat(Assignment),
    /// No assignment satisfies the constraints.
    Unsat,
    /// It gave up, and says why.
    Unknown(String),
}

/// Stops a check from another thread.
pub type Hook = Arc<dyn Fn() + Send + Sync>;

/// Bytes that a check may take, if it begins now.
pub type Room = Arc<dyn Fn() -> u64 + Send + Sync>;

/// A decision procedure for conjunctions of width-1 terms.
pub trait Backend {
    /// Its name in the registry.
    fn name(&self) -> &'static str;
    /// Whether all `constraints` can be true at once.
    fn check(&mut self, pool: &Pool, constraints: &[Term], budget: Budget) -> RawAnswer;
    /// A check that needs more than there is room when it begins is given up.
    fn limit_memory(&mut self, _room: Room) {}
    /// Gives back the memory that it can do without.
    fn forget(&mut self) {}
    /// Stops a running check, if it can.
    fn interrupter(&self) -> Option<Hook> {
        None
    }
}

/// Why a backend cannot be made on this machine.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("solver {backend}: {why}")]
pub struct BackendError {
    /// Its name.
    pub backend: &'static str,
    /// What is wrong, and what to do.
    pub why: String,
}

/// A registered backend.
#[derive(Clone, Copy, Debug)]
pub struct Entry {
    /// Its name; the file in this folder has the same.
    pub name: &'static str,
    /// One line for the user.
    pub summary: &'static str,
    /// Makes one, for what the search asks.
    pub new: fn() -> Result<Box<dyn Backend>, BackendError>,
    /// Makes one, for what proofs ask.
    pub checker: fn() -> Result<Box<dyn Scoped>, BackendError>,
    /// Makes one, for Horn clauses.
    pub horn: fn() -> Result<Box<dyn HornBackend>, BackendError>,
    /// Whether it ever answers anything but "unknown".
    pub decides: bool,
}

pub mod none;
pub mod z3;

/// Every backend, the default first.
pub const ALL: &[Entry] = &[z3::ENTRY, none::ENTRY];

/// The default backend.
///
/// # Errors
/// Its library is missing; the message says what to install.
pub fn default() -> Result<Box<dyn Backend>, BackendError> {
    (ALL[0].new)()
}

/// The backend with this name.
#[must_use]
pub fn find(name: &str) -> Option<&'static Entry> {
    ALL.iter().find(|e| e.name == name)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Every backend is one file of this folder, and every file is registered.
    #[test]
    fn the_registry_lists_the_folder() {
        let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/src/backend");
        let mut files: Vec<String> = std::fs::read_dir(folder)
            .expect("the folder is there")
            .filter_map(|entry| entry.ok()?.file_name().into_string().ok())
            .filter_map(|name| name.strip_suffix(".rs").map(str::to_owned))
            .filter(|name| name != "mod")
            .collect();
        files.sort();
        let mut names: Vec<&str> = ALL.iter().map(|entry| entry.name).collect();
        names.sort_unstable();
        assert_eq!(files, names);
        for entry in ALL {
            assert_eq!(
                find(entry.name).map(|found| found.summary),
                Some(entry.summary)
            );
            let backend = (entry.new)().expect("it is installed");
            assert_eq!(backend.name(), entry.name);
        }
    }
}
