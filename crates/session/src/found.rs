//! What a search leaves, for who judges and reports it.

use explore::campaign::{Cause, Findings};
use explore::{KeptTest, StopReason};
use path::InputVector;
use report::Minimised;
use report::judge::sanitizer;
use report::suite::Test;

use crate::error::Result;
use crate::output::Folder;
use crate::workers::Figures;

/// What a search leaves.
pub struct Found {
    /// Ledger, verdicts.
    pub findings: Findings,
    /// The tests as the search kept them; of those that came later there are none.
    pub kept: Vec<KeptTest>,
    /// Inputs of some of the runs, if somebody wants them.
    pub inputs: Vec<InputVector>,
    /// The tests, written to the folder already.
    pub tests: Vec<Test>,
    /// Why each of them ended badly, as the engine saw it.
    pub causes: Vec<Option<Cause>>,
    /// The errors that the machine saw in them.
    pub errors: Vec<Option<sanitizer::Report>>,
    /// Whether the machine broke them off where a plain build may go on.
    pub broken_off: Vec<bool>,
    /// Why it ended.
    pub stop: StopReason,
    /// Seconds of the whole search.
    pub seconds: f64,
    /// Single values after which runs are ended, where the program asks without end.
    pub calls: Option<u32>,
    /// The program ends before it uses any input.
    pub early: bool,
    /// Figures of the target.
    pub target: native::Stats,
    /// What the solver of the main campaign answered.
    pub solver: smt::Stats,
    /// Figures of the further campaigns of `--jobs`.
    pub others: Vec<Figures>,
    /// What `--minimise-suite` did.
    pub minimised: Option<Minimised>,
    /// Tests have other inputs than when they were found.
    pub plainer: bool,
    /// What else the user should know.
    pub notes: Vec<String>,
    /// Standard input is symbolic, and no test shows that the engine saw it read.
    pub is_stdin_unread: bool,
    /// The folder of the suite.
    pub folder: Folder,
}

impl Found {
    /// Adds a test that no run of this search has shown; the judge says how it ends.
    ///
    /// # Errors
    /// It cannot be written.
    pub fn adopt(&mut self, mut test: Test, remark: String) -> Result<()> {
        // A minimised suite has gaps in its numbers.
        let last = self.tests.iter().map(|test| test.number).max();
        test.number = last.unwrap_or(0) + 1;
        test.covered = self.tests.last().map_or(0, |test| test.covered);
        test.iteration = 0;
        test.remarks.push(remark);
        self.folder.keep_test(&test, &[])?;
        self.tests.push(test);
        self.causes.push(None);
        self.errors.push(None);
        self.broken_off.push(false);
        Ok(())
    }

    /// Figures of all campaigns together.
    pub fn all_figures(&self) -> Figures {
        let main = Figures::of(&self.findings.progress, self.target, self.solver.clone());
        self.others.iter().fold(main, Figures::and)
    }
}
