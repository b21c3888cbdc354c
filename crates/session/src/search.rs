//! The search, seen by who waits for it: hands the work to a thread ([`super::searcher`]), writes what it finds, shows how it
//! goes, and ends it.
//!
//! Must hold: the search is over two seconds after its budget at most, and after Ctrl-C, whatever its thread is busy with;
//! the folder is a complete suite of the tests found so far, but for the last moments.

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::time::{Duration, Instant};

use crate::error::{Context, Error, Result, bail};
use crate::host::Host;
use backward::Proofs;
use coverage::Goals;
use explore::campaign::{Cause, Findings};
use explore::{Budget, Choice, Clock, Config, Draws, KeptTest, Spent, StopReason};
use harness::plan::Plan as Meanings;
use path::RunFlags;
use report::judge::sanitizer;
use report::suite::Test;

use super::bidirectional;
use super::board::{Board, WallClock};
use super::called::CalledWith;
use super::convert;
use super::found::Found;
use super::inputs_read::{self, unread, uses_no_input};
use super::load::Program;
use super::memory::{self, Memory, Wish};
use super::options::{First, Options};
use super::output::Folder;
use super::outside::outside;
use super::past::Past;
use super::plan::Plan;
use super::searcher::{Leftovers, News, Searcher, Start, State};
use super::seeds::Seeds;
use super::suite::Frame;
use super::sync::{self, Member};
use super::target::{self, Explainer, Recipe};
use super::workers::{Exchange, Figures, Never, Setup};

/// What is searched, and how.
#[derive(Clone, Copy)]
pub struct Task<'a> {
    /// What the user asked for.
    pub options: &'a Options,
    /// Who is told how it goes.
    pub host: &'a dyn Host,
    /// What is symbolic.
    pub plan: &'a Plan,
    /// What the values of a function's inputs stand for.
    pub meanings: Option<&'a Meanings>,
    /// What is run first.
    pub seeds: &'a Seeds,
    /// The instrumented program.
    pub program: &'a Program,
    /// Its model.
    pub model: &'a Arc<program::Program>,
    /// What is to be covered.
    pub goals: &'a Arc<Goals>,
    /// The machine runs it.
    pub machine: bool,
    /// What the code alone forbids of it.
    pub proofs: &'a Proofs,
    /// What the words of the command line exclude of it, if that is something.
    pub called: Option<&'a CalledWith>,
    /// The judge's executable.
    pub judge: &'a Path,
    /// The suite without its tests.
    pub frame: &'a Frame<'a>,
    /// What was there before.
    pub past: &'a Past,
    /// What the store is told.
    pub settings: &'a store::Settings,
}

/// Whether the program asks for inputs anywhere: only then is one that ends before the first of them a result.
fn has_inputs(task: &Task<'_>) -> bool {
    let externs = task.model.externs.values();
    let mut names = externs.map(|known| known.name.as_str());
    task.meanings.is_some() || names.any(|name| wire::libc::INPUT_FUNCTIONS.contains(&name))
}

/// Nothing that the search waits for may take longer once its budget is spent, or after Ctrl-C.
const PATIENCE: Duration = Duration::from_millis(1500);
/// The search has so long to notice by itself that its budget is spent before its query is interrupted.
const NOTICE: Duration = Duration::from_millis(300);
/// How often the clock is looked at.
const TICK: Duration = Duration::from_millis(100);
/// How often the manifest is written anew while tests are found.
const MANIFEST_EVERY: Duration = Duration::from_secs(1);
/// How often the store is told how far the search is.
const PROGRESS_EVERY: Duration = Duration::from_millis(500);

/// A query takes at most one part in so many of the time, but for this.
const QUERY_PART: u32 = 2;
const LEAST_QUERY: Duration = Duration::from_secs(1);

/// How the campaign is run.
fn campaign_config(task: &Task<'_>, outside: usize) -> Result<Config> {
    let Task {
        options,
        plan,
        seeds,
        program,
        ..
    } = *task;
    let first = match options.first {
        First::Zeros => None,
        First::Random => Draws::new(options.seed, &plan.initial()).input(),
    };
    let given = seeds.inputs.iter().map(|(_, input)| input.clone());
    Ok(Config {
        seed: options.seed,
        initial: [first.unwrap_or_else(|| plan.initial())]
            .into_iter()
            .chain(given)
            .collect(),
        text: options.first == First::Zeros,
        sources: options.sources()?,
        outside: outside as u64,
        budget: Budget {
            iterations: options.iterations,
            time: Some(options.time),
            coverage: options.until,
            bytes: usize::try_from(options.engine_memory).ok(),
        },
        keep_all: options.keep_all,
        // Who looks for errors is not done when all is covered.
        past_coverage: options.find.is_any(),
        path_filter: !options.no_path_filter,
        foreign: program.has_foreign_code()?,
        ..Config::default()
    })
}

/// What looking backward stands on, where it and proofs are wanted.
fn backward(task: &Task<'_>) -> Result<Option<bidirectional::Setup>> {
    if !task.options.looks_back()? || task.options.no_proofs || task.model.layout.pointer_bits != 64
    {
        return Ok(None);
    }
    let foreign = task.program.has_foreign_code()?;
    let machine = target::machine_for_states(task.options, task.model, task.plan);
    let known = (task.proofs, task.called);
    let setup = bidirectional::Setup::of((task.model, foreign), known, machine);
    Ok(Some(setup))
}

/// Runs the campaign to its end. The folder is made once the program is known to be testable.
///
/// # Errors
/// The program cannot be tested, the folder cannot be written, or a check failed (our fault).
pub fn search(task: &Task<'_>, choice: &Choice) -> Result<Found> {
    let outside = outside(task.model, task.plan);
    let config = campaign_config(task, outside.len())?;
    let further = usize::from(task.options.jobs) - 1;
    let sync = task.options.sync.as_ref();
    let exchange = Exchange::new(further, task.options.iterations, sync.is_some());
    let exchange = Arc::new(exchange);
    let board = Board::within(Some(task.options.time), task.options.iterations);
    let board = Arc::new(board);
    let member = sync.map(|sync| {
        let shared = (exchange.clone(), board.clone());
        Member::join(sync, task.plan, task.seeds, shared)
    });
    let member = member.transpose()?;
    let (sender, news) = channel();
    let mut solver = smt::Config::default();
    solver.budget.units = task.options.solver_budget.saturating_mul(1000);
    // One query is not worth the whole budget, whatever it does.
    let most = (task.options.time / QUERY_PART).max(LEAST_QUERY);
    let most = u32::try_from(most.as_millis()).unwrap_or(u32::MAX);
    solver.budget.millis = solver.budget.millis.min(most);
    let searcher = Searcher {
        model: task.model.clone(),
        goals: task.goals.clone(),
        choice: choice.clone(),
        config,
        solver,
        room: memory::room(task.options.engine_memory, task.options.jobs),
        target: Recipe::new(task.options, task.plan, &task.program.path, task.machine),
        has_inputs: has_inputs(task),
        refuted: Never::by(task.proofs, task.called),
        backward: backward(task)?,
        exchange,
        board,
        clock: WallClock(Instant::now()),
        stop: Arc::default(),
        inputs: match task.options.sanitize {
            Some(_) => super::sanitize::MORE_RUNS,
            None => 0,
        },
        news: sender.clone(),
    };
    task.host.listens();
    let mut waiting = Waiting::new(task, &searcher, news);
    let others = Others {
        setup: searcher.setup(),
        further,
        news: sender,
    };
    std::thread::Builder::new()
        .name("search".to_owned())
        .spawn(move || searcher.work())
        .context("a thread cannot be started")?;
    let start = waiting.start()?;
    waiting.begin(start, others)?;
    let member = member.map(sync::Running::start);
    let stop = waiting.wait()?;
    let exchanged = member.and_then(sync::Running::end);
    let mut found = waiting.found(stop)?;
    found.notes.extend(exchanged);
    if stop == (StopReason::Exhausted { proof: false }) && !outside.is_empty() {
        found.notes.push(format!(
            "results from outside the program, which no input decides: {}",
            outside.join(", ")
        ));
    }
    Ok(found)
}

/// The further campaigns, before they are started.
struct Others {
    setup: Setup,
    further: usize,
    news: Sender<News>,
}

impl Others {
    fn start(self, start: Start) {
        let mut setup = self.setup;
        setup.clock = start.clock;
        setup.target.native.early = start.early;
        let setup = Arc::new(setup);
        for who in 1..=self.further {
            let (setup, news) = (setup.clone(), self.news.clone());
            std::thread::spawn(move || {
                let figures = setup.search(who);
                let _ = news.send(News::Other(Box::new(figures)));
            });
        }
    }
}

/// Who waits for the search.
struct Waiting<'a> {
    task: &'a Task<'a>,
    news: Receiver<News>,
    exchange: Arc<Exchange>,
    board: Arc<Board>,
    stop: Arc<AtomicBool>,
    memory: Memory,
    clock: WallClock,
    /// When nobody waits any longer.
    leave: Option<Instant>,
    target: Recipe,
    early: bool,
    folder: Option<Folder>,
    state: Option<Box<State>>,
    kept: Vec<KeptTest>,
    /// Tests that the findings do not know of are behind these.
    known: usize,
    tests: Vec<Test>,
    causes: Vec<Option<Cause>>,
    explainer: Explainer<'a>,
    errors: Vec<Option<sanitizer::Report>>,
    broken_off: Vec<bool>,
    others: Vec<Figures>,
    waits_for: usize,
    stopped: Option<(StopReason, f64)>,
    leftovers: Option<Leftovers>,
    /// Tests in the manifest, and when it was written.
    listed: (usize, Instant),
    /// When the store was told how far the search is.
    noted: Instant,
}

impl<'a> Waiting<'a> {
    fn new(task: &'a Task<'a>, searcher: &Searcher, news: Receiver<News>) -> Waiting<'a> {
        Waiting {
            task,
            news,
            exchange: searcher.exchange.clone(),
            board: searcher.board.clone(),
            stop: searcher.stop.clone(),
            memory: Memory::new(task.options.engine_memory),
            clock: searcher.clock,
            leave: None,
            target: searcher.target.clone(),
            early: false,
            folder: None,
            state: None,
            kept: Vec::new(),
            known: 0,
            tests: Vec::new(),
            causes: Vec::new(),
            explainer: Explainer::new(&searcher.target, task.model),
            errors: Vec::new(),
            broken_off: Vec::new(),
            others: Vec::new(),
            waits_for: usize::from(task.options.jobs) - 1,
            stopped: None,
            leftovers: None,
            listed: (0, Instant::now()),
            noted: Instant::now(),
        }
    }

    /// Waits until the program is known to be testable.
    fn start(&mut self) -> Result<Start> {
        loop {
            match self.news.recv_timeout(TICK) {
                Ok(News::Started(start)) => {
                    self.clock = start.clock;
                    return Ok(start);
                }
                Ok(News::Failed(error)) => return Err(error),
                Err(RecvTimeoutError::Disconnected) => bail!("the search ended without a result"),
                Ok(_) | Err(RecvTimeoutError::Timeout) => {}
            }
            if self.task.host.is_interrupted() {
                return Err(Error::Interrupted);
            }
        }
    }

    /// The program can be tested: makes the folder, and starts the further campaigns.
    fn begin(&mut self, start: Start, others: Others) -> Result<()> {
        self.early = start.early;
        let options = self.task.options;
        let folder = Folder::create(&options.out, options.start, self.task.past.is_some());
        let folder = folder.and_then(|mut folder| {
            self.begin_store(&mut folder)?;
            Ok(folder)
        });
        let folder = folder.inspect_err(|_| self.stop.store(true, Ordering::Relaxed))?;
        // So that the suite can be replayed whatever becomes of the search. Where it fails, it is told at the end.
        let _ = folder.keep_judge(self.task.judge);
        self.task.frame.write(&folder, None, &[])?;
        self.folder = Some(folder);
        others.start(start);
        Ok(())
    }

    /// Tells the store what is searched, and what the code alone rules out.
    fn begin_store(&self, folder: &mut Folder) -> Result<()> {
        let Task {
            options,
            host,
            model,
            goals,
            proofs,
            past,
            settings,
            ..
        } = *self.task;
        let mut goals = goals.iter().map(|(goal, _)| {
            let verdict = match proofs.of(goal) {
                Some(proof) => store::Verdict::Infeasible {
                    reason: format!("{}: {}", proof.name(), proof.detail(model, goals)),
                    certificate: None,
                },
                None => store::Verdict::Open {
                    reason: String::new(),
                },
            };
            (report::label(model, goals, goal).to_string(), verdict)
        });
        let figures = past.figures(options);
        folder.store().begin(settings, figures, &mut goals)?;
        if !options.command.is_empty() {
            host.stores_in(&options.out);
        }
        Ok(())
    }

    /// Tells the store how far the search is.
    fn note_progress(&mut self) -> Result<()> {
        if self.noted.elapsed() < PROGRESS_EVERY {
            return Ok(());
        }
        self.noted = Instant::now();
        let runs = self.board.snapshot().map_or(0, |progress| progress.runs);
        self.store_progress(runs, self.clock.elapsed())
    }

    fn store_progress(&mut self, runs: u64, spent: Duration) -> Result<()> {
        let figures = self.task.past.figures(self.task.options);
        let again = self.task.past.again();
        let folder = self.folder.as_mut().expect("it was made at the beginning");
        folder.store().progress(store::Figures {
            runs: figures.runs + runs.saturating_sub(again),
            spent: figures.spent + spent,
        })?;
        Ok(())
    }

    /// Takes news until the search has ended, or has to be left behind. Why it ended.
    fn wait(&mut self) -> Result<StopReason> {
        loop {
            let news = match self.news.recv_timeout(TICK) {
                Ok(news) => Some(news),
                Err(RecvTimeoutError::Timeout) => None,
                Err(RecvTimeoutError::Disconnected) => break,
            };
            if let Some(news) = news {
                self.take(news)?;
            }
            if self.leftovers.is_some() && self.others.len() >= self.waits_for {
                break;
            }
            self.list(MANIFEST_EVERY)?;
            self.note_progress()?;
            self.task.host.searching(&self.board, self.clock.elapsed());
            self.watch_memory();
            self.end_what_is_late();
            if self.leave.is_some_and(|leave| Instant::now() >= leave) {
                break;
            }
        }
        self.task.host.rests();
        self.stop.store(true, Ordering::Relaxed);
        self.exchange.stop();
        let why = match (self.task.host.is_interrupted(), self.memory.is_over()) {
            (true, _) => StopReason::Interrupted,
            (false, true) => StopReason::Budget(Spent::Memory),
            (false, false) => StopReason::Budget(Spent::Time),
        };
        // A search that was told to stop does not know why.
        let own = self.stopped.map(|stopped| stopped.0);
        Ok(own
            .filter(|&stop| stop != StopReason::Interrupted || !self.memory.is_over())
            .unwrap_or(why))
    }

    /// Asks a search to end whose time is over, and says when nobody waits for it any longer.
    fn end_what_is_late(&mut self) {
        let interrupted = self.task.host.is_interrupted();
        let over = self.clock.elapsed() >= self.task.options.time + NOTICE;
        if !interrupted && !over && !self.memory.is_over() {
            return;
        }
        self.stop.store(true, Ordering::Relaxed);
        self.exchange.stop_queries();
        let patience = PATIENCE - if over { NOTICE } else { Duration::ZERO };
        self.leave.get_or_insert(Instant::now() + patience);
    }

    /// Has the search forget what it can make again when memory becomes short, or start over.
    fn watch_memory(&mut self) {
        match self.memory.look(&self.board) {
            Wish::Nothing => {}
            Wish::Forget => self.exchange.ask_to_forget(),
            Wish::StartOver => self.exchange.ask_to_start_over(),
            Wish::GiveUpQuery => {
                self.exchange.ask_to_forget();
                self.exchange.give_up_queries();
            }
        }
    }

    fn take(&mut self, news: News) -> Result<()> {
        match news {
            News::Started(_) => {}
            News::Kept(test) => self.keep(*test)?,
            News::State(state) => {
                self.state = Some(state);
                self.known = self.kept.len();
            }
            News::Stopped(stop) => {
                self.stopped = Some((stop, self.clock.elapsed().as_secs_f64()));
            }
            News::Smaller(from, test) => self.keep_smaller(from, *test)?,
            News::Ended(leftovers) => self.leftovers = Some(*leftovers),
            News::Failed(error) => return Err(error),
            News::Other(figures) => self.others.push(*figures),
        }
        Ok(())
    }

    fn folder(&self) -> &Folder {
        self.folder.as_ref().expect("it was made at the beginning")
    }

    fn keep(&mut self, kept: KeptTest) -> Result<()> {
        let test = self.converted(&kept);
        self.write(test, &kept)?;
        self.kept.push(kept);
        Ok(())
    }

    /// Adds a smaller version of a test that failed.
    fn keep_smaller(&mut self, from: u32, mut kept: KeptTest) -> Result<()> {
        kept.number = self.tests.len() as u32;
        kept.covered = self.tests.last().map_or(0, |test| test.covered);
        let mut test = self.converted(&kept);
        let from = &self.tests[from as usize];
        test.remarks
            .push(format!("minimised from {}", from.file_name()));
        self.write(test, &kept)
    }

    fn converted(&self, kept: &KeptTest) -> Test {
        let Task {
            plan,
            meanings,
            model,
            goals,
            ..
        } = *self.task;
        let seconds = self.clock.elapsed().as_secs_f64();
        convert::test(kept, (plan, meanings), model, goals, seconds)
    }

    fn write(&mut self, test: Test, kept: &KeptTest) -> Result<()> {
        let covers: Vec<u32> = test.goals.iter().map(|goal| goal.as_u32()).collect();
        let folder = self.folder.as_mut().expect("it was made at the beginning");
        folder
            .keep_test(&test, &covers)
            .context("the suite cannot be written")?;
        self.tests.push(test);
        self.causes.push(kept.cause.clone());
        self.errors.push(self.explainer.error(kept));
        let broken_off = kept.flags.contains(RunFlags::BROKEN_OFF);
        self.broken_off.push(broken_off);
        Ok(())
    }

    /// Lists the tests in the manifest, if there are more and the last time is long enough ago.
    fn list(&mut self, every: Duration) -> Result<()> {
        if self.listed.0 < self.tests.len() && self.listed.1.elapsed() >= every {
            self.task
                .frame
                .write(self.folder(), self.target.calls(), &self.tests)?;
            self.listed = (self.tests.len(), Instant::now());
        }
        Ok(())
    }

    /// What there is at the end.
    fn found(mut self, stop: StopReason) -> Result<Found> {
        self.list(Duration::ZERO)?;
        let seconds = match self.stopped {
            Some((_, seconds)) => seconds,
            None => self.clock.elapsed().as_secs_f64(),
        };
        let (mut findings, target, solver) = match self.state.take() {
            Some(state) => (state.findings, state.target, state.solver),
            None => {
                let nothing = Findings::nothing(self.task.model, self.task.goals);
                (nothing, native::Stats::default(), smt::Stats::default())
            }
        };
        self.store_progress(findings.progress.runs, Duration::from_secs_f64(seconds))?;
        let mut notes: Vec<String> = Vec::new();
        if self.leftovers.is_none() {
            for test in &self.kept[self.known..] {
                findings.keep(self.task.goals, test);
            }
            let doing = self.board.doing();
            notes.push(format!(
                "the search was left behind while it waited for the {doing}, because the time to wait for it was over"
            ));
        }
        let Leftovers { notes: own, inputs } = self.leftovers.take().unwrap_or_default();
        notes.extend(own);
        notes.extend(self.target.calls().map(|calls| {
            format!(
                "the program may ask for values without end: each run ends at the {calls}th, or behind the last that its test gives"
            )
        }));
        notes.extend(seeds_notes(self.task.seeds, &findings));
        notes.extend(inputs_read::elsewhere(self.task.plan));
        let is_stdin_unread = unread(&self.kept, &mut notes);
        if !matches!(stop, StopReason::AllCovered) {
            notes.extend(inputs_read::too_short(&self.kept));
        }
        let early = self.early || uses_no_input(&self.kept);
        Ok(Found {
            findings,
            kept: self.kept,
            inputs,
            tests: self.tests,
            causes: self.causes,
            errors: self.errors,
            broken_off: self.broken_off,
            stop,
            seconds,
            calls: self.target.calls(),
            early,
            target,
            solver,
            others: self.others,
            minimised: None,
            plainer: false,
            notes,
            is_stdin_unread,
            folder: self.folder.take().expect("it was made at the beginning"),
        })
    }
}

/// Says what became of the seeds that could not be used as they are.
fn seeds_notes(seeds: &Seeds, findings: &Findings) -> Vec<String> {
    // The first input of the campaign is no seed.
    let rejected = findings.rejected.iter().map(|&index| index - 1);
    let names = rejected.filter_map(|index| seeds.inputs.get(index));
    let said = names.map(|(name, _)| {
        format!("seed {name} is rejected by the program: an assumption does not hold")
    });
    seeds.notes.iter().cloned().chain(said).collect()
}
