//! The target of a search: what runs the program. It is made here and nowhere else.
//!
//! Must hold: the search sees a [`path::Target`], whichever it is; what the machine does not model is said before the first run;
//! under `--check`, every run of the machine is made by the native program as well, and a difference is a fault of ours; a run of a
//! program that asks for values without end is cut where it asks, not where time is up: proofs count on that.

use std::ffi::OsString;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{Duration, Instant};

use explore::KeptTest;
use machine::{Fault, Machine, Unmodelled};
use native::server::StartError;
use native::{NativeTarget, Stats};
use path::{InputVector, Outcome, Run, Target, TargetError, Visits};
use program::stops::MOST_ASKED;
use program::{EdgeId, Program};
use report::judge::sanitizer::Report;
use smt::Pool;

use crate::calls::CALLS;
use crate::compare::difference;
use crate::error::{Result, bail};
use crate::find;
use crate::options::{Options, Runner};
use crate::plan::Plan;
use path::Role;

/// Instructions that the machine makes in a millisecond, at least: its limit on steps stands for the time limit of a run.
const STEPS_PER_MILLI: u64 = 20_000;
/// Instructions of a run whose states are asked for, and values that it may ask for: it is made again for each place.
const STEPS_OF_STATES: u64 = 2_000_000;
const CALLS_OF_STATES: u32 = 64;
/// Differences that are told.
const MOST_DIFFERENCES: usize = 20;

/// How the program is run.
#[derive(Clone)]
pub struct Recipe {
    pub native: native::Config,
    machine: Option<machine::Config>,
    /// Runs of the machine are compared with native ones.
    compares: bool,
    /// Single values after which runs are ended, 0 if they are not. One for all targets that are made from this recipe.
    calls: Arc<AtomicU32>,
}

/// Which target runs the program, and what there is to say about it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Chosen {
    pub machine: bool,
    pub note: Option<String>,
}

/// Chooses the target.
///
/// # Errors
/// The machine is asked for, and the program needs what it does not model.
pub fn choose(options: &Options, model: &Program) -> Result<Chosen> {
    find::check(options)?;
    let native = |note| {
        Ok(Chosen {
            machine: false,
            note,
        })
    };
    let narrow = model.layout.pointer_bits < 64;
    let target = match narrow {
        true => Runner::Machine,
        false => options.target,
    };
    if target == Runner::Native {
        return native(None);
    }
    if narrow && options.check {
        bail!(
            "--check compares with the instrumented program, and there is none of 32 bits (-m32)"
        );
    }
    let missing: Vec<String> = machine::unmodelled(model)
        .iter()
        .map(Unmodelled::to_string)
        .collect();
    match (target, missing.is_empty()) {
        (_, true) => Ok(Chosen {
            machine: true,
            note: match (narrow, target) {
                (true, _) => Some("the machine runs the program: it has 32 bits".to_owned()),
                (_, Runner::Auto) => Some(
                    "the machine runs the program: everything that it needs is modelled".to_owned(),
                ),
                _ => None,
            },
        }),
        (Runner::Machine, false) => bail!(
            "{} needs what the machine does not model: {}{}",
            options.name(),
            missing.join(", "),
            if narrow { "" } else { "; use --target native" }
        ),
        _ => native(Some(format!(
            "the native program is run: the machine does not model {}",
            missing.join(", ")
        ))),
    }
}

impl Recipe {
    /// How to run a program as the options say.
    pub fn new(
        options: &Options,
        plan: &Plan,
        executable: &std::path::Path,
        machine: bool,
    ) -> Recipe {
        let mut native = native::Config::new(executable);
        native.name = options.name();
        native.called = Some(options.called().into());
        native.args = plan.arguments();
        native.limits.timeout_ms = u32::try_from(options.timeout.as_millis()).unwrap_or(u32::MAX);
        native.limits.memory_bytes = options.memory;
        // What comes before the first input may be slow without being wrong, but not without limit.
        native.patience.start = options.timeout;
        native.check = options.check;
        native.cross_check = options.check;
        native.failing = options.symbolic.failing;
        Recipe {
            machine: machine.then(|| machine_config(options, plan)),
            compares: machine && options.check,
            calls: Arc::default(),
            native,
        }
    }

    /// Single values after which runs are ended, where the program asks without end.
    pub fn calls(&self) -> Option<u32> {
        let calls = self.calls.load(Ordering::Relaxed);
        (calls > 0).then_some(calls)
    }

    /// The same where it is known after how many single values runs end.
    pub fn ended_after(self, calls: Option<u32>) -> Recipe {
        if let Some(calls) = calls {
            self.end_after(calls);
        }
        self
    }

    /// Runs end after so many single values, unless they do already.
    fn end_after(&self, calls: u32) {
        let (new, old) = (Ordering::Relaxed, Ordering::Relaxed);
        // Whoever came first has said it for all.
        let _ = self.calls.compare_exchange(0, calls, new, old);
    }

    /// Makes the target.
    ///
    /// # Errors
    /// No memory, no folder, or a program without `main`.
    pub fn make<'p>(&self, program: &'p Program) -> Result<Running<'p>, TargetError> {
        let runs_native = self.machine.is_none() || self.compares;
        let calls = self.calls();
        let mut native = self.native.clone();
        native.env.extend(calls.map(super::calls::calls_variable));
        let native = runs_native
            .then(|| NativeTarget::new(program, native))
            .transpose()?;
        let machine = self
            .machine
            .clone()
            .map(|config| machine::Config { calls, ..config });
        let machine = machine
            .map(|config| Machine::new(program, config))
            .transpose()?;
        Ok(Running {
            program,
            recipe: self.clone(),
            calls,
            longest: 0,
            native,
            machine,
            stats: Stats::default(),
            timeout: Duration::from_millis(self.native.limits.timeout_ms.into()),
            differences: Vec::new(),
            compared: 0,
        })
    }
}

fn machine_config(options: &Options, plan: &Plan) -> machine::Config {
    use std::os::unix::ffi::OsStringExt;
    let bytes = |text: OsString| text.into_vec();
    let millis = u64::try_from(options.timeout.as_millis()).unwrap_or(u64::MAX);
    machine::Config {
        limits: machine::Limits {
            steps: millis.saturating_mul(STEPS_PER_MILLI),
            memory: options.memory,
            ..machine::Limits::default()
        },
        args: plan.arguments().into_iter().map(bytes).collect(),
        variables: variables()
            .map(|(name, value)| (bytes(name), bytes(value)))
            .collect(),
        goes_on: None,
        calls: None,
        cuts: false,
        failing: options.symbolic.failing,
        finds: machine::Finds {
            // Whoever lets `bothways` choose wants what the native program does.
            uninitialised: options.target == Runner::Machine,
            leaks: options.find.leaks,
            overflow: options.find.overflow,
        },
    }
}

/// How the machine runs a program whose states are asked for; `None` where it does not model all that the program needs.
#[must_use]
pub fn machine_for_states(
    options: &Options,
    model: &Program,
    plan: &Plan,
) -> Option<machine::Config> {
    let missing = machine::unmodelled(model);
    if !missing.is_empty() || plan.has(|role| role == Role::File) {
        return None;
    }
    let mut config = machine_config(options, plan);
    config.finds = machine::Finds::default();
    config.limits.steps = config.limits.steps.min(STEPS_OF_STATES);
    config.calls = Some(CALLS_OF_STATES);
    config.cuts = true;
    Some(config)
}

/// The environment that a native run has: one variable more than ours.
fn variables() -> impl Iterator<Item = (OsString, OsString)> {
    let own = std::env::vars_os().filter(|(name, _)| name != "TMPDIR");
    own.chain([("TMPDIR".into(), std::env::temp_dir().into_os_string())])
}

/// Says of tests why they fail, as the machine sees it.
pub struct Explainer<'p>(Option<Machine<'p>>);

impl<'p> Explainer<'p> {
    /// One that runs tests as the recipe says; without a machine there, it knows nothing.
    pub fn new(recipe: &Recipe, program: &'p Program) -> Explainer<'p> {
        let config = recipe.machine.clone();
        Explainer(config.and_then(|config| Machine::new(program, config).ok()))
    }

    /// The error that ends a test, if the program made one that is not its own decision (`abort`, an assertion).
    pub fn error(&mut self, test: &KeptTest) -> Option<Report> {
        let machine = self.0.as_mut()?;
        if !matches!(test.outcome, Outcome::Signalled(_)) {
            return None;
        }
        machine.run(&mut Pool::new(), &test.input).ok()?;
        let error = machine.error.take()?;
        if matches!(error.fault, Fault::Abort | Fault::Trap) {
            return None;
        }
        let place = error.place;
        Some(Report {
            tool: "machine",
            message: error.fault.to_string(),
            place: place.map(|(file, line, column)| format!("{file}:{line}:{column}")),
            stack: error.stack,
        })
    }
}

/// A program that can be run: natively, by the machine, or by both.
pub struct Running<'p> {
    program: &'p Program,
    recipe: Recipe,
    /// What the recipe said when these were made.
    calls: Option<u32>,
    /// Most values that a run which was not cut asked for.
    longest: usize,
    native: Option<NativeTarget<'p>>,
    machine: Option<Machine<'p>>,
    /// Of the machine.
    stats: Stats,
    /// Time limit of a run.
    timeout: Duration,
    differences: Vec<String>,
    compared: u64,
}

/// How much longer than a native run one of the machine may take.
const PATIENCE: u32 = 2;

/// True until the time for a run is over.
fn until(timeout: Duration) -> Arc<dyn Fn() -> bool + Send + Sync> {
    let end = Instant::now() + timeout * PATIENCE;
    Arc::new(move || Instant::now() < end)
}

impl Running<'_> {
    /// Starts the program, so that one that cannot be tested is known early. The machine has nothing to start, but ends a
    /// program that asks for no input in the same words.
    ///
    /// # Errors
    /// See [`StartError`].
    pub fn start(&mut self, input: &InputVector) -> Result<(), StartError> {
        match &mut self.native {
            Some(native) => native.start(input),
            None => Ok(()),
        }
    }

    /// Figures so far.
    pub fn stats(&self) -> Stats {
        match (&self.machine, &self.native) {
            (None, Some(native)) => native.stats(),
            _ => self.stats,
        }
    }

    /// What the user should know at the end.
    pub fn notes(&self, check: bool) -> Vec<String> {
        let mut notes = Vec::new();
        if let Some(native) = &self.native {
            note_native(native, check, &mut notes);
        }
        if let Some(machine) = &self.machine {
            for (what, count) in &machine.unmodelled {
                let runs = if *count == 1 { "run" } else { "runs" };
                notes.push(format!(
                    "{count} {runs} ended at what the machine does not model: {what}"
                ));
            }
        }
        let differences = self.differences.iter();
        notes.extend(differences.map(|difference| format!("check: {difference}")));
        if self.compared > 0 {
            notes.push(format!("{} runs made by both targets", self.compared));
        }
        notes
    }

    /// One run on whichever target there is.
    fn run_once(&mut self, pool: &mut Pool, input: &InputVector) -> Result<Run, TargetError> {
        match (&self.machine, &mut self.native) {
            (None, Some(native)) => native.run(pool, input),
            _ => self.run_machine(pool, input),
        }
    }

    /// Made anew if a run, here or of another campaign, showed that the program asks for values without end.
    fn follow_recipe(&mut self) -> Result<(), TargetError> {
        if self.recipe.calls() != self.calls {
            let fresh = self.recipe.make(self.program)?;
            (self.native, self.machine) = (fresh.native, fresh.machine);
            self.calls = fresh.calls;
        }
        Ok(())
    }

    /// The run of the machine, and, where runs are compared, what differs from the native one.
    fn run_machine(&mut self, pool: &mut Pool, input: &InputVector) -> Result<Run, TargetError> {
        let Some(machine) = &mut self.machine else {
            return Err(TargetError::Start("there is no target".to_owned()));
        };
        let begin = Instant::now();
        machine.end_unless(until(self.timeout));
        let run = machine.run(pool, input)?;
        let time = begin.elapsed();
        self.stats.runs += 1;
        self.stats.run_time += time;
        self.stats.program_time += time;
        if let Some(native) = &mut self.native {
            let mut others = Pool::new();
            let other = native.run(&mut others, input)?;
            self.compared += 1;
            let differs = difference(self.program, (pool, &run), (&mut others, &other));
            if let Some(difference) = differs
                && self.differences.len() < MOST_DIFFERENCES
            {
                self.differences.push(difference);
            }
        }
        Ok(run)
    }
}

fn note_native(target: &NativeTarget<'_>, check: bool, notes: &mut Vec<String>) {
    let stats = target.stats();
    if stats.lost_servers > 0 {
        notes.push(format!(
            "the program took its fork server with it {}",
            match stats.lost_servers {
                1 => "once".to_owned(),
                many => format!("{many} times"),
            }
        ));
    }
    if stats.told_apart {
        notes.push(
            "the program tells whether one process makes many runs (by its processor time, say): each is a fork from there on"
                .to_owned(),
        );
    }
    if check && stats.mismatches > 0 {
        for mismatch in target.mismatches().iter().take(10) {
            notes.push(format!("check: {mismatch}"));
        }
    }
    let isolation = target.isolation().notes();
    notes.extend(isolation.into_iter().map(str::to_owned));
    for uid in target.unknown_modules() {
        notes.push(format!(
            "module {uid:016x} runs, but is not in the program's section"
        ));
    }
}

impl Target for Running<'_> {
    fn run(&mut self, pool: &mut Pool, input: &InputVector) -> Result<Run, TargetError> {
        self.follow_recipe()?;
        let run = self.run_once(pool, input)?;
        let values = run.input.values.len();
        if run.outcome != Outcome::Timeout && run.flags.complete() {
            self.longest = self.longest.max(values);
            return Ok(run);
        }
        if self.calls.is_some() || values <= CALLS as usize {
            return Ok(run);
        }
        // As reactive programs do. Runs that came to an end by themselves still do.
        let longest = self.longest.max(CALLS as usize);
        // More would deny proofs: they count on it that no time limit ends a run that asked for so many.
        let most = longest.min(MOST_ASKED as usize);
        self.recipe
            .end_after(u32::try_from(most).unwrap_or(u32::MAX));
        self.follow_recipe()?;
        self.run_once(pool, input)
    }

    fn watch(&mut self, edges: &[EdgeId]) {
        if let (None, Some(native)) = (&self.machine, &mut self.native) {
            native.watch(edges);
        }
    }

    fn run_concrete(
        &mut self,
        input: &InputVector,
        visits: &mut Visits,
    ) -> Result<Option<Outcome>, TargetError> {
        match (&mut self.machine, &mut self.native) {
            (Some(machine), _) => {
                machine.end_unless(until(self.timeout));
                machine.run_concrete(input, visits)
            }
            (None, Some(native)) => native.run_concrete(input, visits),
            (None, None) => Ok(None),
        }
    }
}
