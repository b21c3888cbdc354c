//! The thread that searches: program, solver, terms and campaign are its own, and what it finds it sends away at once.
//!
//! Any step of it may take longer than anybody waits: a query that ignores its interrupt, the clean-up of a solver, a path
//! of a million decisions. So nobody ever joins it. Who has waited long enough leaves it behind (see [`super::search`]) and
//! goes on with the findings that it has sent.
//!
//! Must hold: a kept test is sent before the next job begins; nothing of the thread's is needed once it has been left.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::Sender;
use std::time::{Duration, Instant};

use crate::error::{Error, Result};
use coverage::Goals;
use explore::campaign::Findings;
use explore::{Budget, Campaign, Choice, Clock, Config, Engine, KeptTest, StopReason};
use path::{InputVector, TargetError};
use smt::{Pool, Room, Solver};

use super::bidirectional::{self, WhenAsked};
use super::board::{Board, WallClock};
use super::faults;
use super::inputs_read;
use super::target::{Recipe, Running};
use super::workers::{Exchange, Figures, Heard, MAIN, Never, Setup};

/// What the thread tells, in this order; tests and states in between.
pub enum News {
    /// The program can be tested, and the search begins.
    Started(Start),
    /// A test.
    Kept(Box<KeptTest>),
    /// What was found so far.
    State(Box<State>),
    /// The search is over; what follows is worked out after it.
    Stopped(StopReason),
    /// A smaller version of the test with this number.
    Smaller(u32, Box<KeptTest>),
    /// The thread has no more to say.
    Ended(Box<Leftovers>),
    /// The program cannot be tested, or a check failed.
    Failed(Error),
    /// A further campaign is over.
    Other(Box<Figures>),
}

/// How the program runs.
#[derive(Clone, Copy)]
pub struct Start {
    /// It ends before it uses any input.
    pub early: bool,
    /// When the search began.
    pub clock: WallClock,
}

/// What was found so far, and what it took.
pub struct State {
    pub findings: Findings,
    pub target: native::Stats,
    pub solver: smt::Stats,
}

/// What is known at the end only.
#[derive(Default)]
pub struct Leftovers {
    pub notes: Vec<String>,
    /// Inputs of the runs, as many as were asked for.
    pub inputs: Vec<InputVector>,
}

/// What the thread needs.
pub struct Searcher {
    pub model: Arc<program::Program>,
    pub goals: Arc<Goals>,
    /// What makes the strategy.
    pub choice: Choice,
    pub config: Config,
    pub solver: smt::Config,
    /// What the solver may take.
    pub room: Room,
    pub target: Recipe,
    /// The program asks for inputs somewhere: only then is one that ends before the first of them a result.
    pub has_inputs: bool,
    pub refuted: Never,
    /// What looking backward stands on; `None`: nobody does.
    pub backward: Option<bidirectional::Setup>,
    pub exchange: Arc<Exchange>,
    pub board: Arc<Board>,
    pub clock: WallClock,
    /// Set by whoever wants the search to end.
    pub stop: Arc<AtomicBool>,
    /// Inputs of runs that are wanted at the end.
    pub inputs: usize,
    pub news: Sender<News>,
}

/// At most one part in so many of the time goes into publishing what was found.
const PUBLISH_SHARE: u32 = 50;
/// Findings are not published more often.
const PUBLISH_EVERY: Duration = Duration::from_millis(100);
/// Least time for smaller versions of tests that failed, and most.
const SMALLER: [Duration; 2] = [Duration::from_secs(1), Duration::from_secs(20)];

impl Searcher {
    /// Searches, and tells what it finds.
    pub fn work(self) {
        let news = self.news.clone();
        let told = match self.search() {
            Ok(leftovers) => News::Ended(Box::new(leftovers)),
            Err(error) => News::Failed(error),
        };
        // Nobody listens where the search was left behind.
        let _ = news.send(told);
    }

    /// What further campaigns start from.
    pub fn setup(&self) -> Setup {
        Setup {
            model: self.model.clone(),
            goals: self.goals.clone(),
            refuted: self.refuted.clone(),
            config: Config {
                budget: Budget {
                    time: self.config.budget.time,
                    bytes: self.config.budget.bytes,
                    ..Budget::default()
                },
                keep_all: false,
                ..self.config.clone()
            },
            solver: self.solver,
            room: self.room.clone(),
            target: self.target.clone(),
            exchange: self.exchange.clone(),
            clock: self.clock,
            stop: self.stop.clone(),
        }
    }

    fn tell(&self, news: News) {
        let _ = self.news.send(news);
    }

    fn search(mut self) -> Result<Leftovers> {
        let model = self.model.clone();
        let goals = self.goals.clone();
        let initial = self.config.initial[0].clone();
        let mut target = self.target.make(&model)?;
        if let Err(error) = target.start(&initial) {
            if !error.is_early_end() || !self.has_inputs {
                let hint = inputs_read::file_hint(&self.target.native.args);
                let hint = hint.filter(|_| error.is_early_end());
                let error = Error::from(error);
                return Err(match hint {
                    Some(hint) => Error::Input(format!("{error}\n{hint}")),
                    None => error,
                });
            }
            // A program that ends before its first input is tested by one test: it has a server before `main`.
            self.target.native.early = true;
            // No change of its inputs changes what it does.
            (self.config.sources).retain(|source| !source.is_random);
            self.config.text = false;
            target = self.target.make(&model)?;
            target.start(&initial)?;
        }
        let mut solver = Solver::new(smt::backend::default()?, self.solver);
        solver.limit_memory(self.room.clone());
        self.exchange.add(solver.interrupt());
        let strategy = self.choice.make(&model);
        let mut campaign = Campaign::new(&model, &goals, strategy, self.config.clone());
        self.refuted.tell(&mut campaign);
        if let Some(setup) = self.backward.take() {
            campaign.look_backward(Box::new(WhenAsked::new(setup, &model, &goals)));
        }
        self.clock = WallClock(Instant::now());
        self.tell(News::Started(Start {
            early: self.target.native.early,
            clock: self.clock,
        }));
        let mut notes = Vec::new();
        let stop = self.explore(&mut campaign, &mut target, &mut solver, &mut notes);
        let stop = stop?;
        self.publish(&campaign, target.stats(), &solver);
        self.tell(News::Stopped(stop));
        self.exchange.stop();
        self.smaller(&mut target, &campaign);
        self.publish(&campaign, target.stats(), &solver);
        notes.extend(target.notes(self.target.native.check));
        Ok(Leftovers {
            notes,
            inputs: self.sample(&campaign),
        })
    }

    fn explore(
        &self,
        campaign: &mut Campaign<'_>,
        target: &mut Running<'_>,
        solver: &mut Solver,
        notes: &mut Vec<String>,
    ) -> Result<StopReason> {
        let mut pool = Pool::new();
        let (mut kept, mut counted, mut heard) = (0, 0, Heard::default());
        let mut shown = Instant::now();
        let mut publish = Instant::now();
        loop {
            // Asked first: what a proof rests on was posted before it.
            let proved = self.exchange.proved();
            for input in self.exchange.take(MAIN) {
                campaign.offer(input);
            }
            if proved {
                campaign.conclude();
            }
            let runs = campaign.runs() as u64;
            let all = self.exchange.count(runs - counted);
            counted = runs;
            campaign.count_elsewhere(all - runs);
            let mut engine = Engine {
                target: &mut *target,
                solver: &mut *solver,
                pool: &mut pool,
                clock: &self.clock,
                stop: &self.stop,
                observer: &*self.board,
            };
            let make = || self.choice.make(&self.model);
            if self
                .exchange
                .makes_room(&mut heard, campaign, &mut engine, make)
            {
                self.board.forgot();
            }
            match campaign.step(&mut engine) {
                Ok(None) => {}
                Ok(Some(stop)) => return Ok(stop),
                Err(error @ TargetError::Check(_)) => {
                    return Err(Error::from(error).into_fault());
                }
                Err(error) if campaign.progress().runs == 0 => return Err(error.into()),
                Err(error) => {
                    notes.push(format!("stopped early: {error}"));
                    return Ok(StopReason::Interrupted);
                }
            }
            for test in &campaign.tests()[kept..] {
                self.exchange.post(MAIN, test);
                self.tell(News::Kept(Box::new(test.clone())));
            }
            kept = campaign.tests().len();
            self.exchange.count_offers(|input| campaign.was_run(input));
            if shown.elapsed() > Duration::from_millis(50) {
                self.board.update(campaign.progress());
                shown = Instant::now();
            }
            if Instant::now() >= publish {
                let began = Instant::now();
                self.publish(campaign, target.stats(), solver);
                publish = Instant::now() + (began.elapsed() * PUBLISH_SHARE).max(PUBLISH_EVERY);
            }
        }
    }

    fn publish(&self, campaign: &Campaign<'_>, target: native::Stats, solver: &Solver) {
        self.tell(News::State(Box::new(State {
            findings: campaign.findings(),
            target,
            solver: solver.stats().clone(),
        })));
    }

    /// Sends smaller versions of tests that failed, as long as the budget lasts.
    fn smaller(&self, target: &mut Running<'_>, campaign: &Campaign<'_>) {
        let now = self.clock.elapsed();
        let budget = self.config.budget.time.unwrap_or(Duration::MAX);
        let left = budget.saturating_sub(now).clamp(SMALLER[0], SMALLER[1]);
        let until = Instant::now() + left;
        let goes_on = || Instant::now() < until && !self.stop.load(Ordering::Relaxed);
        for (from, test) in faults::minimised(target, campaign.tests(), goes_on) {
            self.tell(News::Smaller(from, Box::new(test)));
        }
    }

    fn sample(&self, campaign: &Campaign<'_>) -> Vec<InputVector> {
        if self.inputs == 0 {
            return Vec::new();
        }
        let known = campaign.known_inputs();
        let step = known.len().div_ceil(self.inputs).max(1);
        let sampled = known.step_by(step);
        sampled.map(|run| campaign.input(run)).collect()
    }
}
