//! Further campaigns on other cores (`--jobs`): each searches for itself, with another strategy, on a server of the
//! program of its own; all share the inputs that cover something new.
//!
//! Must hold: only the first campaign, the *main* one, keeps tests and decides when to stop; what another finds counts
//! when the main one has run it too. With more than one job the order of things is up to the machine.

use std::collections::VecDeque;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use backward::Proofs;
use coverage::{GoalId, Ground};
use explore::Choice;
use explore::campaign::KeptTest;
use explore::{Campaign, Config, Engine, Progress, StopReason, Strategy};
use path::{InputVector, Outcome};
use program::EdgeId;
use smt::{Interrupt, Pool, Room, Solver};

use super::board::{Board, WallClock};
use super::called::CalledWith;
use super::target::Recipe;

/// Strategies of the further campaigns, in turn: far from each other, so that little is done twice.
const STRATEGIES: &[&str] = &["generational", "md2u", "random-branch", "cgs"];

/// The campaign that keeps the tests, among those that share what they find.
pub const MAIN: usize = 0;

/// What the campaigns share.
#[derive(Default)]
pub struct Exchange {
    /// For each campaign, inputs of the others that it has not run.
    boxes: Vec<Mutex<Vec<InputVector>>>,
    /// What the campaigns found, for other fuzzers; `None` where there are none.
    found: Option<Mutex<Vec<Find>>>,
    /// Inputs of other fuzzers that the main campaign has not run, and how many it has.
    offered: Mutex<VecDeque<InputVector>>,
    offers_run: AtomicU64,
    interrupts: Mutex<Vec<Interrupt>>,
    runs: AtomicU64,
    most_runs: Option<u64>,
    stop: AtomicBool,
    proved: AtomicBool,
    /// How often the campaigns were asked to forget what they can make again.
    forget: AtomicU64,
    /// How often they were asked to start over.
    start_over: AtomicU64,
}

/// How often a campaign knows that it was asked for memory.
#[derive(Clone, Copy, Debug, Default)]
pub struct Heard {
    forget: u64,
    start_over: u64,
}

/// What a campaign found, for other fuzzers.
#[derive(Clone, Debug)]
pub struct Find {
    pub campaign: usize,
    /// Of the test in its campaign.
    pub number: u32,
    /// The test that it was solved from.
    pub from: Option<u32>,
    pub input: InputVector,
    pub outcome: Outcome,
}

/// Figures of a further campaign.
#[derive(Clone, Debug, Default)]
pub struct Figures {
    pub runs: u64,
    /// Queries that the solver answered or gave up.
    pub queries: u64,
    /// Runs of the fuzzer.
    pub fuzzed: u64,
    /// Candidates that path filtering dropped.
    pub dropped: u64,
    /// Times that the search started over.
    pub started_over: u64,
    pub times: explore::campaign::Times,
    pub target: native::Stats,
    pub solver: smt::Stats,
}

impl Figures {
    /// The figures of one campaign.
    #[must_use]
    pub fn of(progress: &Progress, target: native::Stats, solver: smt::Stats) -> Figures {
        Figures {
            runs: progress.runs,
            queries: progress.sat + progress.unsat + progress.unknown,
            fuzzed: progress.fuzzed,
            dropped: progress.irrelevant,
            started_over: progress.started_over,
            times: progress.times,
            target,
            solver,
        }
    }

    /// Adds those of another campaign.
    #[must_use]
    pub fn and(mut self, other: &Figures) -> Figures {
        self.runs += other.runs;
        self.queries += other.queries;
        self.fuzzed += other.fuzzed;
        self.dropped += other.dropped;
        self.started_over += other.started_over;
        self.times.pick += other.times.pick;
        self.times.solve += other.times.solve;
        self.times.run += other.times.run;
        self.times.learn += other.times.learn;
        self.times.fuzz += other.times.fuzz;
        self.target.run_time += other.target.run_time;
        self.target.program_time += other.target.program_time;
        self.target.read_time += other.target.read_time;
        self.target.event_words += other.target.event_words;
        self.target.nodes += other.target.nodes;
        self.target.starts += other.target.starts;
        self.solver.merge(&other.solver);
        self
    }
}

impl Exchange {
    /// For the main campaign and `further` others, which may make so many runs together.
    pub fn new(further: usize, most_runs: Option<u64>, with_fuzzers: bool) -> Exchange {
        Exchange {
            boxes: (0..=further).map(|_| Mutex::default()).collect(),
            found: with_fuzzers.then(Mutex::default),
            most_runs,
            ..Exchange::default()
        }
    }

    /// Inputs that another campaign found, for campaign `who`.
    pub fn take(&self, who: usize) -> Vec<InputVector> {
        std::mem::take(&mut lock(&self.boxes[who]))
    }

    /// Shows the others a test that covers something new.
    pub fn post(&self, who: usize, test: &KeptTest) {
        for (index, other) in self.boxes.iter().enumerate() {
            if index != who {
                lock(other).push(test.input.clone());
            }
        }
        if let Some(found) = &self.found {
            lock(found).push(Find {
                campaign: who,
                number: test.number,
                from: test.from,
                input: test.input.clone(),
                outcome: test.outcome,
            });
        }
    }

    /// Shows the campaigns an input of another fuzzer.
    pub fn offer(&self, input: &InputVector) {
        lock(&self.offered).push_back(input.clone());
        for each in &self.boxes {
            lock(each).push(input.clone());
        }
    }

    /// The main campaign says which inputs it has run: those of other fuzzers are counted, in the order in which they were offered.
    pub fn count_offers(&self, was_run: impl Fn(&InputVector) -> bool) {
        let mut offered = lock(&self.offered);
        while offered.pop_front_if(|input| was_run(input)).is_some() {
            self.offers_run.fetch_add(1, Ordering::Relaxed);
        }
    }

    /// Of the inputs that were offered first, how many the main campaign has run.
    pub fn offers_run(&self) -> u64 {
        self.offers_run.load(Ordering::Relaxed)
    }

    /// What the campaigns found since this was asked last.
    pub fn found(&self) -> Vec<Find> {
        let found = self.found.as_ref();
        found.map_or_else(Vec::new, |found| std::mem::take(&mut lock(found)))
    }

    /// Runs that all have made.
    pub fn runs(&self) -> u64 {
        self.runs.load(Ordering::Relaxed)
    }

    /// Some campaign made runs. How many all have made.
    pub fn count(&self, runs: u64) -> u64 {
        self.runs.fetch_add(runs, Ordering::Relaxed) + runs
    }

    /// Whether all runs that were allowed are made.
    pub fn spent(&self) -> bool {
        let runs = self.runs.load(Ordering::Relaxed);
        self.most_runs.is_some_and(|most| runs >= most)
    }

    /// Whether a further campaign has explored every path, which proves that what is open is infeasible.
    pub fn proved(&self) -> bool {
        self.proved.load(Ordering::Acquire)
    }

    /// Lets somebody else end a query that runs.
    pub fn add(&self, interrupt: Interrupt) {
        lock(&self.interrupts).push(interrupt);
    }

    /// Ends every query that runs.
    pub fn stop_queries(&self) {
        lock(&self.interrupts).iter().for_each(Interrupt::stop);
    }

    /// Asks each campaign to forget what it can make again.
    pub fn ask_to_forget(&self) {
        self.forget.fetch_add(1, Ordering::Relaxed);
    }

    /// Asks each campaign to drop its tree, and all that belongs to it.
    pub fn ask_to_start_over(&self) {
        self.start_over.fetch_add(1, Ordering::Relaxed);
    }

    /// Has a campaign do what was asked for since this was called last; says whether that was anything. One that has no use for another
    /// round forgets what it can.
    pub fn makes_room(
        &self,
        heard: &mut Heard,
        campaign: &mut Campaign<'_>,
        engine: &mut Engine<'_>,
        make: impl FnOnce() -> Box<dyn Strategy>,
    ) -> bool {
        let asked = Heard {
            forget: self.forget.load(Ordering::Relaxed),
            start_over: self.start_over.load(Ordering::Relaxed),
        };
        let before = std::mem::replace(heard, asked);
        let starts_over = asked.start_over != before.start_over;
        if starts_over && campaign.start_over(engine, make) {
            return true;
        }
        let forgets = starts_over || asked.forget != before.forget;
        if forgets {
            campaign.forget(engine);
        }
        forgets
    }

    /// Ends the query that runs, in each campaign, as if its budget were spent.
    pub fn give_up_queries(&self) {
        lock(&self.interrupts).iter().for_each(Interrupt::give_up);
    }

    /// Ends the further campaigns.
    pub fn stop(&self) {
        self.stop.store(true, Ordering::Relaxed);
        self.stop_queries();
    }
}

fn lock<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// What is known before the first run.
#[derive(Clone, Debug, Default)]
pub struct Never {
    /// Goals that no input covers, by what says so.
    pub goals: Vec<(Ground, Vec<GoalId>)>,
    /// Edges that none takes.
    pub dead: Vec<EdgeId>,
}

impl Never {
    /// By the code alone, and by the words of the command line.
    #[must_use]
    pub fn by(proofs: &Proofs, called: Option<&CalledWith>) -> Never {
        let by_code = proofs.all.iter().map(|proof| proof.goal).collect();
        let by_words = called.map(|called| (Ground::Words, called.all.clone()));
        let excluded = called.into_iter().flat_map(CalledWith::dead);
        Never {
            goals: [(Ground::Code, by_code)]
                .into_iter()
                .chain(by_words)
                .collect(),
            dead: proofs.dead.iter().copied().chain(excluded).collect(),
        }
    }

    /// A campaign does nothing for all of these.
    pub fn tell(&self, campaign: &mut Campaign<'_>) {
        for (ground, goals) in &self.goals {
            campaign.refute(*ground, goals, self.dead.iter().copied());
        }
    }
}

/// What every further campaign starts from.
pub struct Setup {
    pub model: Arc<program::Program>,
    pub goals: Arc<coverage::Goals>,
    pub refuted: Never,
    pub config: Config,
    pub solver: smt::Config,
    /// What each solver may take.
    pub room: Room,
    pub target: Recipe,
    pub exchange: Arc<Exchange>,
    pub clock: WallClock,
    /// Set by whoever wants the search to end.
    pub stop: Arc<AtomicBool>,
}

impl Setup {
    /// Searches until the main campaign has ended, or as long as there is something to do. A campaign whose program or
    /// solver fails ends without a word: the main one has the same, and says so.
    pub fn search(&self, who: usize) -> Figures {
        let Ok(backend) = smt::backend::default() else {
            return Figures::default();
        };
        let mut solver = Solver::new(backend, self.solver);
        solver.limit_memory(self.room.clone());
        self.exchange.add(solver.interrupt());
        let Ok(mut target) = self.target.make(&self.model) else {
            return Figures::default();
        };
        if target.start(&self.config.initial[0]).is_err() {
            return Figures::default();
        }
        let name = STRATEGIES[(who - 1) % STRATEGIES.len()];
        let Ok(choice) = Choice::parse(name) else {
            return Figures::default();
        };
        let mut config = self.config.clone();
        config.seed = config.seed.wrapping_add(who as u64);
        let mut campaign =
            Campaign::new(&self.model, &self.goals, choice.make(&self.model), config);
        self.refuted.tell(&mut campaign);
        let (mut pool, board) = (Pool::new(), Board::default());
        let mut engine = Engine {
            target: &mut target,
            solver: &mut solver,
            pool: &mut pool,
            clock: &self.clock,
            stop: &self.stop,
            observer: &board,
        };
        let (mut shown, mut counted, mut heard) = (0, 0, Heard::default());
        while !self.exchange.stop.load(Ordering::Relaxed) && !self.exchange.spent() {
            for input in self.exchange.take(who) {
                campaign.offer(input);
            }
            let make = || choice.make(&self.model);
            self.exchange
                .makes_room(&mut heard, &mut campaign, &mut engine, make);
            let step = campaign.step(&mut engine);
            for test in &campaign.tests()[shown..] {
                self.exchange.post(who, test);
            }
            shown = campaign.tests().len();
            let runs = campaign.runs() as u64;
            self.exchange.count(runs - counted);
            counted = runs;
            match step {
                Ok(None) => {}
                Ok(Some(stop)) => {
                    let proof = stop == StopReason::Exhausted { proof: true };
                    self.exchange.proved.fetch_or(proof, Ordering::Release);
                    break;
                }
                Err(_) => break,
            }
        }
        Figures {
            runs: counted,
            ..Figures::of(&campaign.progress(), target.stats(), solver.stats().clone())
        }
    }
}
