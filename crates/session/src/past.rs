//! What earlier campaigns left in the folder of the suite, and what a new one takes of it: tests to start from, the rest of a budget.
//!
//! Must hold: tests are inputs, and are run again, so that an edit of the program cannot make them lie; no proof is taken over: what the code
//! rules out is proved anew from the code that is there. Runs that only repeat stored tests are not counted when a campaign goes on.

use std::collections::BTreeSet;
use std::time::Duration;

use coverage::Goals;
use explore::StopReason;
use report::suite::manifest::sha256;
use report::suite::text;
use serde_json::json;
use store::{Figures, Reader, Settings, State, StoredTest};

use crate::error::Result;
use crate::found::Found;
use crate::function::Under;
use crate::load::Program;
use crate::options::{Options, Start};
use crate::plan::Plan;
use crate::seeds::{Fit, Seeds};
use crate::stored::key;

/// A campaign that goes on has at least so long.
const LEAST: Duration = Duration::from_secs(1);
/// First runs of every campaign: the first input, and the same as text, twice.
const FIRST: u64 = 3;

/// What the store is told of a campaign. `function`: the one under test.
pub fn settings(options: &Options, program: &str, kind: &str, function: Option<&str>) -> Settings {
    let absolute = |path: &std::path::PathBuf| {
        let path = path.canonicalize().unwrap_or_else(|_| path.clone());
        path.display().to_string()
    };
    let inputs: Vec<String> = options.inputs.iter().map(absolute).collect();
    Settings {
        subject: json!([kind, inputs, options.args, function]).to_string(),
        program: program.to_owned(),
        command: options.command.clone(),
        folder: std::env::current_dir().unwrap_or_default(),
        tool: format!("bothways {}", env!("CARGO_PKG_VERSION")),
        iterations: options.iterations,
        time: options.time,
    }
}

/// What stands for the code of a program and for its goals.
pub fn identity(program: &Program, goals: &Goals, options: &Options) -> String {
    let mut parts: Vec<String> = program
        .modules
        .iter()
        .map(|module| sha256(&module.bitcode))
        .collect();
    parts.push(format!(
        "{} {} {}",
        options.criterion,
        options.mcdc,
        goals.len()
    ));
    sha256(parts.join("\n").as_bytes())
}

/// What a function under test is called in a store.
pub fn function_of(under: Option<&Under>) -> Option<&str> {
    under.map(|under| under.name.as_str())
}

/// What is in a folder of the same program or function.
#[derive(Default)]
pub struct Past {
    tests: Vec<StoredTest>,
    /// For each of these, whether it fits.
    fits: Vec<Fit>,
    state: Option<State>,
    /// Runs that repeat what earlier ones did, if a campaign goes on.
    again: u64,
    /// What stands for the program as it is now.
    program: String,
}

impl Past {
    /// Reads what is there and may be used. A suite of another program is none.
    ///
    /// # Errors
    /// The store is damaged, or of a later version.
    pub fn read(options: &Options, settings: &Settings) -> Result<Past> {
        let none = Past::default();
        if options.start == Start::Fresh || !options.out.join(store::FILE_NAME).exists() {
            return Ok(none);
        }
        let reader = Reader::open(&options.out)?;
        let state = reader.last()?;
        let Some(state) = state.filter(|state| state.settings.subject == settings.subject) else {
            return Ok(none);
        };
        Ok(Past {
            tests: reader.tests()?,
            fits: Vec::new(),
            again: 0,
            state: Some(state),
            program: settings.program.clone(),
        })
    }

    /// Is there anything?
    pub const fn is_some(&self) -> bool {
        self.state.is_some()
    }

    /// Is there a campaign of another program than this one?
    pub fn is_of_another(&self) -> bool {
        let state = self.state.as_ref();
        state.is_none_or(|state| state.settings.program != self.program)
    }

    /// Did it end because its budget was spent? One that ended by itself proves something when it is run again, and is as short.
    pub fn is_spent(&self) -> bool {
        let state = self.state.as_ref();
        let stop = state.and_then(|state| state.stop.as_deref());
        stop.is_some_and(|stop| ["time", "iterations"].contains(&stop))
    }

    /// How long it searched.
    pub fn spent(&self) -> Duration {
        let state = self.state.as_ref();
        state.map_or(Duration::ZERO, |state| state.figures.spent)
    }

    /// How far the campaign was that goes on.
    pub fn figures(&self, options: &Options) -> Figures {
        let rest = self.state.as_ref();
        let rest = rest.filter(|_| matches!(options.start, Start::Rest | Start::Replay));
        rest.map_or_else(Figures::default, |state| state.figures)
    }

    /// Puts the stored tests in front of the seeds, and leaves of the budget what was not used.
    pub fn start(&mut self, options: &mut Options, seeds: &mut Seeds, plan: &Plan) {
        let given = seeds.inputs.len() as u64;
        let tests = self.tests.iter();
        let texts = tests.map(|test| (format!("{} of the store", test.id), test.text.as_str()));
        self.fits = seeds.add_stored(texts, plan);
        let Some(state) = &self.state else {
            if options.start == Start::Replay {
                options.iterations = Some(FIRST);
            }
            return;
        };
        let again = (FIRST + given).min(state.figures.runs) + self.fit() as u64;
        if !matches!(options.start, Start::Tests | Start::Fresh) {
            self.again = again;
        }
        let is_over = |stop: &String| stop != &StopReason::Interrupted.to_string();
        match options.start {
            Start::Tests | Start::Fresh => {}
            Start::More => {
                options.iterations = options.iterations.map(|most| most.saturating_add(again));
            }
            Start::Rest if !state.stop.as_ref().is_some_and(is_over) => {
                let used = state.figures;
                let rest = |most: u64| most.saturating_sub(used.runs).saturating_add(again);
                options.iterations = options.iterations.map(rest);
                // Of several functions, each has its share of what is left already.
                if !options.function.all_functions {
                    options.time = options.time.saturating_sub(used.spent).max(LEAST);
                }
            }
            Start::Rest | Start::Replay => options.iterations = Some(again.max(1)),
        }
    }

    /// How many of the tests fit, at least in part.
    fn fit(&self) -> usize {
        self.fits.iter().filter(|fit| **fit != Fit::Not).count()
    }

    /// Runs that repeat what earlier ones did, and are not counted once more.
    pub const fn again(&self) -> u64 {
        self.again
    }

    /// Takes over what the search did not keep again, though it is the same program, and what failed once: nothing that was found goes.
    /// Says what else there is.
    ///
    /// # Errors
    /// A test cannot be written.
    pub fn keep(&self, found: &mut Found) -> Result<()> {
        if self.fit() == 0 {
            return Ok(());
        }
        found.notes.push(format!(
            "started from {} in the store of this folder (--fresh starts anew)",
            tests(self.fit())
        ));
        let runs = found.findings.progress.runs;
        let all = usize::try_from(runs.saturating_sub(1)).unwrap_or(usize::MAX);
        let settled = matches!(found.stop, StopReason::AllCovered);
        let kept: BTreeSet<String> = found.tests.iter().map(key).collect();
        // What was there before is there in another form.
        let minimised = found.minimised.is_some() || found.plainer;
        let stored = self.tests.iter().zip(&self.fits);
        for (stored, fit) in stored.take(if settled { usize::MAX } else { all }) {
            // What was run of a test with other inputs is another test.
            let wanted = *fit == Fit::Whole
                && (stored.fails || (stored.program == self.program && !minimised));
            if !wanted || kept.contains(&stored.key) {
                continue;
            }
            let Ok(test) = text::parse(&stored.text) else {
                continue;
            };
            found.adopt(test, "kept from a campaign before".to_owned())?;
        }
        let changed = self.fits.iter().filter(|fit| **fit == Fit::Changed).count();
        if changed > 0 {
            found.notes.push(format!(
                "{} of the store have inputs that this campaign does not have: what is left of them was run; they stay there",
                tests(changed)
            ));
        }
        if !settled && self.fit() > all {
            found.notes.push(format!(
                "the budget ended before {} of the store were run: they stay there, and are not in this suite",
                tests(self.fit() - all)
            ));
        }
        Ok(())
    }
}

fn tests(count: usize) -> String {
    match count {
        1 => "1 test".to_owned(),
        count => format!("{count} tests"),
    }
}
