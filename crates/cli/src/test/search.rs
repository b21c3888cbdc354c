//! The search itself: a campaign on the native target, with its tests written as they are found.

use std::ffi::OsString;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, ensure};
use backward::Proofs;
use coverage::report::Minimised;
use coverage::suite::Test;
use coverage::{GoalId, Goals};
use explore::campaign::Cause;
use explore::chance::Use;
use explore::{
    Budget, Campaign, Config, Engine, InputVector, Outcome, Role, StopReason, Target, TargetError,
};
use harness::plan::Plan as Meanings;
use native::NativeTarget;
use program::callgraph::{CallGraph, HandsBack};
use smt::{Pool, Solver};
use wire::libc::{Treatment, WORLD_FILES, WORLD_VARIABLES};

use super::convert;
use super::options::Options;
use super::output::Folder;
use super::plan::Plan;
use super::program::Program;
use super::progress::{Board, WallClock, watch};
use super::seeds::Seeds;
use super::workers::{Exchange, Figures, Setup};
use crate::errors::Fault;
use crate::units::times;

/// Set by Ctrl-C.
pub static INTERRUPTED: AtomicBool = AtomicBool::new(false);

/// What a search leaves.
pub struct Found<'p> {
    /// Tree, ledger, verdicts.
    pub campaign: Campaign<'p>,
    /// The tests, written to the folder already.
    pub tests: Vec<Test>,
    /// Why each of them ended badly, as the engine saw it.
    pub causes: Vec<Option<Cause>>,
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
    /// Figures of the further campaigns of `--jobs`.
    pub others: Vec<Figures>,
    /// What `--minimise-suite` did.
    pub minimised: Option<Minimised>,
    /// What else the user should know.
    pub notes: Vec<String>,
    /// Standard input is symbolic, and no test shows that the engine saw it read.
    pub is_stdin_unread: bool,
    /// The folder of the suite.
    pub folder: Folder,
}

impl Found<'_> {
    /// Figures of all campaigns together.
    pub fn all_figures(&self) -> Figures {
        let main = Figures::of(&self.campaign.progress(), self.target);
        self.others.iter().fold(main, Figures::and)
    }
}

/// How the native target runs the program.
fn target_config(task: &Task<'_, '_>) -> native::Config {
    let Task {
        options, program, ..
    } = *task;
    let mut config = native::Config::new(&program.path);
    config.name = options.name();
    config.args = task.plan.arguments();
    config.limits.timeout_ms = u32::try_from(options.timeout.as_millis()).unwrap_or(u32::MAX);
    config.limits.memory_bytes = options.memory;
    // What comes before the first input may be slow without being wrong, but not without limit.
    config.patience.start = options.timeout;
    config.check = options.check;
    config.cross_check = options.check;
    config
}

/// Single values that a run may ask for, where the program asks without end.
const CALLS: u32 = 1024;

/// What tells the program, and the replay runtime, after how many values to end.
pub fn calls_variable(calls: u32) -> (OsString, OsString) {
    ("BOTHWAYS_CALLS".into(), calls.to_string().into())
}

/// Whether the program asks for values without end, as reactive programs do: one run with the first input says it.
fn asks_without_end(target: &mut NativeTarget<'_>, initial: &InputVector) -> bool {
    let run = target.run(&mut Pool::new(), initial);
    run.is_ok_and(|run| {
        let cut = run.outcome == Outcome::Timeout || !run.flags.complete();
        cut && run.input.values.len() > CALLS as usize
    })
}

/// What is searched, and how.
#[derive(Clone, Copy)]
pub struct Task<'a, 'p> {
    /// What the user asked for.
    pub options: &'a Options,
    /// What is symbolic.
    pub plan: &'a Plan,
    /// What the values of a function's inputs stand for.
    pub meanings: Option<&'a Meanings>,
    /// What is run first.
    pub seeds: &'a Seeds,
    /// The instrumented program.
    pub program: &'a Program,
    /// Its model.
    pub model: &'p program::Program,
    /// What is to be covered.
    pub goals: &'p Goals,
    /// What the code alone forbids of it.
    pub proofs: &'a Proofs,
}

/// Whether the program asks for inputs anywhere: only then is one that ends before the first of them a result.
fn has_inputs(task: &Task<'_, '_>) -> bool {
    let externs = task.model.externs.values();
    let mut names = externs.map(|known| known.name.as_str());
    task.meanings.is_some() || names.any(|name| wire::libc::INPUT_FUNCTIONS.contains(&name))
}

/// Runs the campaign to its end. The folder is made once the program is known to be testable.
///
/// # Errors
/// The program cannot be tested, the folder cannot be written, or a check failed (our fault).
pub fn search<'p>(task: &Task<'_, 'p>, strategy: Box<dyn explore::Strategy>) -> Result<Found<'p>> {
    let Task {
        options,
        plan,
        meanings,
        seeds,
        model,
        goals,
        proofs,
        program,
    } = *task;
    let backend = smt::backend::default()?;
    let mut solver_config = smt::Config::default();
    solver_config.budget.units = options.solver_budget.saturating_mul(1000);
    let mut solver = Solver::new(backend, solver_config);
    let initial = plan.initial();
    let mut native = target_config(task);
    let mut target = NativeTarget::new(model, native.clone())?;
    let started = target.start(&initial);
    if let Err(error) = started {
        ensure!(error.is_early_end() && has_inputs(task), error);
        // A program that ends before its first input is tested by one test: it has a server before `main`.
        native.early = true;
        target = NativeTarget::new(model, native.clone())?;
        target.start(&initial)?;
    }
    let early = native.early;
    let calls = asks_without_end(&mut target, &initial).then_some(CALLS);
    if let Some(calls) = calls {
        native.env.push(calls_variable(calls));
        target = NativeTarget::new(model, native.clone())?;
        target.start(&initial)?;
    }
    let folder = Folder::create(&options.out)?;

    let outside = outside(model, plan);
    let given = seeds.inputs.iter().map(|(_, input)| input.clone());
    let by_default = options.strategy()? == explore::strategy::DEFAULT;
    let config = Config {
        seed: options.seed,
        initial: [initial].into_iter().chain(given).collect(),
        text: true,
        chance: if by_default {
            Use::Stalled
        } else {
            Use::Exhausted
        },
        // A number of runs is a measure of a search; with it, the same seed gives the same tests.
        fuzz: by_default && options.iterations.is_none() && !options.no_fuzz,
        outside: outside.len() as u64,
        budget: Budget {
            iterations: options.iterations,
            time: Some(options.time),
            coverage: options.until,
            bytes: Some(ENGINE_BYTES),
        },
        keep_all: options.keep_all,
        path_filter: !options.no_path_filter,
        foreign: program.has_foreign_code()?,
        minimise: options.minimise_suite,
        ..Config::default()
    };
    let clock = WallClock(Instant::now());
    let board = Board::default();
    let further = usize::from(options.jobs) - 1;
    let exchange = Exchange::new(further, options.iterations);
    let refuted: Vec<GoalId> = proofs.all.iter().map(|proof| proof.goal).collect();
    let setup = Setup {
        model,
        goals,
        refuted: &refuted,
        dead: &proofs.dead,
        config: Config {
            budget: Budget {
                time: Some(options.time),
                bytes: Some(ENGINE_BYTES),
                ..Budget::default()
            },
            keep_all: false,
            ..config.clone()
        },
        solver: solver_config,
        target: native,
        exchange: &exchange,
        clock: &clock,
    };
    let mut run = Run {
        campaign: Campaign::new(model, goals, strategy, config),
        tests: Vec::new(),
        causes: Vec::new(),
        folder,
        plan,
        meanings,
        model,
        goals,
        notes: Vec::new(),
        exchange: &exchange,
        counted: 0,
    };
    run.campaign.refute(&refuted, proofs.dead.iter().copied());
    exchange.add(solver.interrupt());
    let deadline = options.time + Duration::from_millis(500);
    let stop_long_query = || {
        if clock.0.elapsed() > deadline || INTERRUPTED.load(Ordering::Relaxed) {
            exchange.stop_queries();
        }
    };
    let (stop, others) = std::thread::scope(|scope| {
        let watcher = scope.spawn(|| watch(&board, &clock, options.quiet, stop_long_query));
        let setup = &setup;
        let others: Vec<_> = (1..=further)
            .map(|who| scope.spawn(move || setup.search(who)))
            .collect();
        let stop = run.explore(&mut target, &mut solver, &clock, &board);
        exchange.stop();
        let others = others.into_iter().filter_map(|other| other.join().ok());
        let others: Vec<Figures> = others.collect();
        board.finish();
        watcher.thread().unpark();
        (stop, others)
    });
    let stop = stop?;
    let seconds = clock.0.elapsed().as_secs_f64();
    run.notes.extend(calls.map(|calls| {
        format!("the program asks for values without end: each run ends at the {calls}th")
    }));
    run.add_smaller(&mut target, seconds)?;
    run.note_seeds(seeds);
    let is_stdin_unread = run.note_unread();
    let unread = run.uses_no_input();
    run.note_target(&target, options);
    if stop == (StopReason::Exhausted { proof: false }) && !outside.is_empty() {
        run.notes.push(format!(
            "results from outside the program, which no input decides: {}",
            outside.join(", ")
        ));
    }
    let Run {
        campaign,
        tests,
        causes,
        folder,
        notes,
        ..
    } = run;
    Ok(Found {
        campaign,
        tests,
        causes,
        stop,
        seconds,
        target: target.stats(),
        others,
        calls,
        early: early || unread,
        minimised: None,
        notes,
        is_stdin_unread,
        folder,
    })
}

/// Functions without a body that the program calls, and that hand back what depends on more than their arguments: in a
/// result, or in memory they get a pointer to (`gettimeofday`).
fn outside<'p>(model: &'p program::Program, plan: &Plan) -> Vec<&'p str> {
    let Some(main) = model.function_named("main") else {
        return Vec::new();
    };
    let used = CallGraph::new(model).externs_used(model, main);
    let files = plan.has(|role| role == Role::File);
    let variables = plan.has(|role| role == Role::Variable);
    // What is declared symbolic stands for all that the program finds; the rest is as it is.
    let is_outside = |name: &str, hands: HandsBack| {
        if WORLD_FILES.contains(&name) {
            return !files;
        }
        if WORLD_VARIABLES.contains(&name) {
            return !variables;
        }
        match wire::libc::treatment(name) {
            Some(Treatment::Wrapped | Treatment::Model | Treatment::Pure) => false,
            Some(Treatment::Harmless | Treatment::Output) => hands.result,
            None => true,
        }
    };
    let names = used
        .iter()
        .map(|&(id, hands)| (model.externs[id].name.as_str(), hands));
    names
        .filter(|&(name, hands)| is_outside(name, hands))
        .map(|(name, _)| name)
        .filter(|name| !wire::libc::INPUT_FUNCTIONS.contains(name))
        .filter(|name| !name.starts_with("llvm.") && !name.starts_with("__bw_"))
        .collect()
}

/// The campaign that keeps the tests, among those that share what they find.
const MAIN: usize = 0;

/// Limit on what the engine's tree, strategy and inputs may take.
const ENGINE_BYTES: usize = 8 << 30;

struct Run<'a, 'p> {
    campaign: Campaign<'p>,
    tests: Vec<Test>,
    causes: Vec<Option<Cause>>,
    folder: Folder,
    plan: &'a Plan,
    meanings: Option<&'a Meanings>,
    model: &'p program::Program,
    goals: &'p Goals,
    notes: Vec<String>,
    exchange: &'a Exchange,
    /// Runs of the campaign that the exchange knows of.
    counted: u64,
}

impl Run<'_, '_> {
    fn explore(
        &mut self,
        target: &mut dyn Target,
        solver: &mut Solver,
        clock: &WallClock,
        board: &Board,
    ) -> Result<StopReason> {
        let mut pool = Pool::new();
        let mut engine = Engine {
            target,
            solver,
            pool: &mut pool,
            clock,
            stop: &INTERRUPTED,
            observer: board,
        };
        let mut shown = Instant::now();
        loop {
            // Asked first: what a proof rests on was posted before it.
            let proved = self.exchange.proved();
            for input in self.exchange.take(MAIN) {
                self.campaign.offer(input);
            }
            if proved {
                self.campaign.conclude();
            }
            let runs = self.campaign.runs() as u64;
            let all = self.exchange.count(runs - self.counted);
            self.counted = runs;
            self.campaign.count_elsewhere(all - runs);
            match self.campaign.step(&mut engine) {
                Ok(None) => {}
                Ok(Some(stop)) => return Ok(stop),
                Err(error @ TargetError::Check(_)) => {
                    return Err(anyhow::Error::new(error).context(Fault));
                }
                Err(error) if self.campaign.progress().runs == 0 => return Err(error.into()),
                Err(error) => {
                    self.notes.push(format!("stopped early: {error}"));
                    return Ok(StopReason::Interrupted);
                }
            }
            self.write_new_tests(clock)?;
            if shown.elapsed() > Duration::from_millis(50) {
                board.update(self.campaign.progress());
                shown = Instant::now();
            }
        }
    }

    fn write_new_tests(&mut self, clock: &WallClock) -> Result<()> {
        let kept = &self.campaign.tests()[self.tests.len()..];
        for kept in kept {
            let test = convert::test(
                kept,
                (self.plan, self.meanings),
                self.model,
                self.goals,
                clock.0.elapsed().as_secs_f64(),
            );
            self.folder
                .write_test(&test)
                .context("the suite cannot be written")?;
            self.exchange.post(MAIN, &kept.input);
            self.tests.push(test);
            self.causes.push(kept.cause.clone());
        }
        Ok(())
    }

    /// Adds smaller versions of tests that failed.
    fn add_smaller(&mut self, target: &mut NativeTarget<'_>, seconds: f64) -> Result<()> {
        for (from, mut kept) in super::faults::minimised(target, self.campaign.tests()) {
            kept.number = self.tests.len() as u32;
            kept.covered = self.tests.last().map_or(0, |test| test.covered);
            let mut test = convert::test(
                &kept,
                (self.plan, self.meanings),
                self.model,
                self.goals,
                seconds,
            );
            let from = &self.tests[from as usize];
            test.remarks
                .push(format!("minimised from {}", from.file_name()));
            self.folder
                .write_test(&test)
                .context("the suite cannot be written")?;
            self.tests.push(test);
            self.causes.push(kept.cause);
        }
        Ok(())
    }

    /// Says what became of the seeds that could not be used as they are.
    fn note_seeds(&mut self, seeds: &Seeds) {
        self.notes.extend(seeds.notes.iter().cloned());
        // The first input of the campaign is no seed.
        let rejected = self.campaign.rejected().iter().map(|&index| index - 1);
        let names = rejected.filter_map(|index| seeds.inputs.get(index));
        self.notes.extend(names.map(|(name, _)| {
            format!("seed {name} is rejected by the program: an assumption does not hold")
        }));
    }

    /// Says which symbolic files no test reads: most often their names did not come to the program. Whether the same is true of
    /// standard input: what becomes of it is for the judge to say, since code that is not instrumented may read it.
    fn note_unread(&mut self) -> bool {
        let tests = self.campaign.tests();
        let Some(first) = tests.first() else {
            return false;
        };
        let mut is_stdin_unread = false;
        for (index, stream) in first.input.streams.iter().enumerate() {
            let unread = tests.iter().all(|test| {
                test.input
                    .streams
                    .get(index)
                    .is_none_or(|one| one.used == 0)
            });
            match stream.role {
                Role::File if unread => self.notes.push(format!(
                    "no test reads the symbolic file `{}`: the argument `@file` (`@file:{}`) gives its name to the program",
                    stream.name, stream.name
                )),
                Role::Stdin => is_stdin_unread |= unread,
                _ => {}
            }
        }
        is_stdin_unread
    }

    /// No test uses any input, though there are streams that it could read.
    fn uses_no_input(&self) -> bool {
        let tests = self.campaign.tests();
        let has_streams = tests.iter().any(|test| !test.input.streams.is_empty());
        let uses = |test: &explore::KeptTest| {
            let streams = test.input.streams.iter();
            streams.map(|stream| stream.used).any(|used| used > 0) || !test.input.values.is_empty()
        };
        has_streams && !tests.iter().any(uses)
    }

    fn note_target(&mut self, target: &NativeTarget<'_>, options: &Options) {
        let stats = target.stats();
        if stats.lost_servers > 0 {
            self.notes.push(format!(
                "the program took its fork server with it {}",
                times(stats.lost_servers)
            ));
        }
        if options.check && stats.mismatches > 0 {
            for mismatch in target.mismatches().iter().take(10) {
                self.notes.push(format!("check: {mismatch}"));
            }
        }
        let isolation = target.isolation().notes();
        self.notes.extend(isolation.into_iter().map(str::to_owned));
        for uid in target.unknown_modules() {
            self.notes.push(format!(
                "module {uid:016x} runs, but is not in the program's section"
            ));
        }
    }
}
