//! `--minimise-inputs`: each test gets the fewest and smallest inputs that show the same goals.
//!
//! Must hold: a test that is replaced shows all that it showed, and ends as it ended; the folder has a whole suite at any moment;
//! what takes too long, or fails, leaves tests as they are.

use std::time::{Duration, Instant};

use coverage::Goals;
use coverage::minimal::Shows;
use explore::KeptTest;
use explore::campaign::Cause;
use explore::plainer::{Judge, Seen, plainer};
use explore::shown::Shown;
use harness::plan::Plan as Meanings;
use path::{InputVector, Outcome, Target, Value};
use program::Program;
use smt::Pool;

use crate::convert;
use crate::error::Result;
use crate::found::Found;
use crate::host::Host;
use crate::options::Options;
use crate::plan::Plan;
use crate::target::{Recipe, Running};
use harness::plan::INITIALISED;

/// Runs for one test.
const RUNS: usize = 500;
/// Time for all tests of a suite, unless the search had more.
const LEAST: Duration = Duration::from_secs(5);

/// What a suite is made plainer with.
pub struct Task<'a> {
    /// How programs are run.
    pub options: &'a Options,
    /// Who may interrupt.
    pub host: &'a dyn Host,
    /// What is symbolic.
    pub plan: &'a Plan,
    /// What the values of a function's inputs stand for.
    pub meanings: Option<&'a Meanings>,
    /// The program's model.
    pub model: &'a Program,
    /// What tests show.
    pub goals: &'a Goals,
    /// The instrumented program.
    pub executable: &'a std::path::Path,
    /// The machine runs it.
    pub machine: bool,
}

impl Found {
    /// Replaces tests by plainer ones.
    ///
    /// # Errors
    /// A test cannot be written.
    pub fn make_plainer(&mut self, task: &Task<'_>) -> Result<()> {
        let most = task
            .options
            .judge_time
            .unwrap_or(task.options.time.max(LEAST));
        let until = Instant::now() + most;
        let was_interrupted = task.host.is_interrupted();
        let goes_on = || Instant::now() < until && (was_interrupted || !task.host.is_interrupted());
        if self.early || was_interrupted {
            return Ok(());
        }
        let recipe = Recipe::new(task.options, task.plan, task.executable, task.machine);
        let recipe = recipe.ended_after(self.calls);
        let Ok(mut target) = recipe.make(task.model) else {
            return Ok(());
        };
        if target.start(&task.plan.initial()).is_err() {
            return Ok(());
        }
        let mut shown = Shown::new(task.model, task.goals);
        self.plainer = true;
        for at in 0..self.tests.len() {
            let number = self.tests[at].number;
            let kept = usize::try_from(number)
                .ok()
                .and_then(|number| number.checked_sub(1));
            let Some(kept) = kept.and_then(|index| self.kept.get(index)) else {
                continue;
            };
            if !goes_on() {
                break;
            }
            let mut trial = Trial {
                target: &mut target,
                shown: &mut shown,
                meanings: task.meanings,
                wanted: kept,
                shows: None,
                goes_on: &goes_on,
            };
            if let Some(smaller) = trial.smaller() {
                self.replace(at, smaller, task)?;
            }
        }
        Ok(())
    }

    fn replace(&mut self, at: usize, kept: KeptTest, task: &Task<'_>) -> Result<()> {
        let before = &self.tests[at];
        let means = (task.plan, task.meanings);
        let mut test = convert::test(&kept, means, task.model, task.goals, before.seconds);
        test.remarks.clone_from(&before.remarks);
        let covers: Vec<u32> = test.goals.iter().map(|goal| goal.as_u32()).collect();
        self.folder.keep_test(&test, &covers)?;
        let index = kept.number as usize;
        self.tests[at] = test;
        self.kept[index] = kept;
        Ok(())
    }
}

/// Tries inputs in place of those of a test.
struct Trial<'a, 'p> {
    target: &'a mut Running<'p>,
    shown: &'a mut Shown<'p>,
    meanings: Option<&'a Meanings>,
    wanted: &'a KeptTest,
    /// What the test shows when it is run here.
    shows: Option<Shows>,
    goes_on: &'a dyn Fn() -> bool,
}

impl Trial<'_, '_> {
    /// The test with plainer inputs; `None` if there are none, or it does not end by itself.
    fn smaller(&mut self) -> Option<KeptTest> {
        if !matches!(self.wanted.outcome, Outcome::Exited(_)) {
            return None;
        }
        let known = self.wanted.shows.clone();
        let own = self.shows_of(&self.wanted.input)?.1?;
        if known.is_some_and(|known| !includes(&own, &known)) {
            return None;
        }
        self.shows = Some(own);
        let input = plainer(&self.wanted.input, RUNS, self);
        if input == self.wanted.input {
            return None;
        }
        let (input, shows) = self.shows_of(&input)?;
        let shows = shows?;
        self.shows.as_ref().filter(|own| includes(&shows, own))?;
        Some(KeptTest {
            input,
            vectors: shows.vectors.clone(),
            shows: self.wanted.shows.as_ref().map(|_| shows),
            ..self.wanted.clone()
        })
    }

    /// What a run with these inputs consumes, and what it shows if it ends as the test does.
    fn shows_of(&mut self, input: &InputVector) -> Option<(InputVector, Option<Shows>)> {
        // A pool of its own for each: nobody needs the terms.
        let run = self.target.run(&mut Pool::new(), input).ok()?;
        let same = run.outcome == self.wanted.outcome
            && self.wanted.flags.contains(run.flags)
            && Cause::of(&run) == self.wanted.cause;
        let shows = same.then(|| self.shown.of(&run));
        Some((run.input, shows))
    }
}

impl Judge for Trial<'_, '_> {
    fn run(&mut self, input: &InputVector) -> Option<Seen> {
        if !(self.goes_on)() {
            return None;
        }
        let (input, shows) = self.shows_of(input)?;
        let holds = shows
            .zip(self.shows.as_ref())
            .is_some_and(|(shows, own)| includes(&shows, own));
        Some(Seen { input, holds })
    }

    /// Pointers had best be `NULL`, and else what is most ordinary; variables as they are initialised. Members of unions stay.
    fn wishes(&self, value: &Value) -> Vec<u128> {
        let legend = self.meanings.and_then(|plan| plan.choices_of(&value.name));
        let Some(legend) = legend else {
            return Vec::new();
        };
        let mut wishes: Vec<u128> = legend
            .iter()
            .filter(|(_, meaning)| *meaning == "NULL")
            .filter_map(|(value, _)| u128::try_from(*value).ok())
            .collect();
        if wishes.is_empty() && !value.name.starts_with(INITIALISED) {
            return vec![value.bits];
        }
        if !wishes.contains(&0) {
            wishes.push(0);
        }
        wishes
    }
}

/// Whether a run that shows `one` shows all of `other`.
fn includes(one: &Shows, other: &Shows) -> bool {
    let takes = |goal| one.goals.contains(goal);
    other.goals.iter().all(takes)
        && other
            .untaken
            .iter()
            .all(|goal| takes(goal) || one.untaken.contains(goal))
        && other
            .vectors
            .iter()
            .all(|vector| one.vectors.contains(vector))
}
