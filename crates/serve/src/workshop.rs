//! What the tools need of the outside world.

use std::sync::atomic::AtomicBool;

use report::Report;

/// What a command said.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Said {
    /// Its exit code; nothing where a signal ended it.
    pub code: Option<i32>,
    /// Standard output.
    pub out: String,
    /// The end of standard error.
    pub err: String,
}

/// A certificate of a suite.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Certified {
    pub file: String,
    pub line: u32,
    pub col: u32,
    /// The side of the goal.
    pub side: String,
    pub kind: String,
    /// `yes`, or `no` and why not.
    pub checked: String,
    /// The inputs that it holds for, in words; empty: all.
    pub inputs: Vec<String>,
}

/// A goal of a campaign that has not come to its end.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StoredGoal {
    /// `FILE:LINE:COLUMN SIDE`.
    pub name: String,
    /// `covered`, `infeasible`, `open`.
    pub verdict: &'static str,
    /// Why it is infeasible.
    pub reason: String,
}

/// What the store has of a campaign that has not come to its end.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unfinished {
    pub is_running: bool,
    pub goals: Vec<StoredGoal>,
}

/// Files and processes. Its methods are called from several threads; errors are for people.
pub trait Workshop: Send + Sync + 'static {
    /// The report of a suite; nothing if its campaign has not come to its end.
    ///
    /// # Errors
    /// There is no suite, or it cannot be read.
    fn report(&self, suite: &str) -> Result<Option<Report>, String>;

    /// What the store of a campaign has that has not come to its end.
    ///
    /// # Errors
    /// There is none, or it cannot be read.
    fn unfinished(&self, suite: &str) -> Result<Unfinished, String>;

    /// The certificates of a suite.
    ///
    /// # Errors
    /// They cannot be read.
    fn certificates(&self, suite: &str) -> Result<Vec<Certified>, String>;

    /// The words of a `bothways reach` for the program of a suite, without targets, budget and folder, and the folder that they
    /// are for.
    ///
    /// # Errors
    /// No command is known for the suite.
    fn reach_words(&self, suite: &str) -> Result<(Vec<String>, String), String>;

    /// Runs `bothways` with these words in this folder, or here. It is interrupted once `stop` says so.
    ///
    /// # Errors
    /// It cannot be started.
    fn run(
        &self,
        words: &[String],
        folder: Option<&str>,
        stop: &dyn Fn() -> bool,
    ) -> Result<Said, String>;
}

/// Both flags in one question.
pub(crate) fn either<'a>(one: &'a AtomicBool, other: &'a AtomicBool) -> impl Fn() -> bool + 'a {
    use std::sync::atomic::Ordering::Relaxed;
    || one.load(Relaxed) || other.load(Relaxed)
}
