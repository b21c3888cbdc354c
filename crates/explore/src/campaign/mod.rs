//! The campaign: pick, solve, run, learn, until a budget is spent or nothing is left.
//!
//! It is split into [`Campaign::next_job`] and [`Campaign::complete`], with solving and running between them
//! ([`Engine::perform`]), so that several workers can share one campaign; [`Campaign::step`] is the loop of one.
//!
//! Must hold:
//! - same program, goals, strategy and configuration, same answers of target and solver: same tests, same order;
//! - a test that was kept stays kept, whatever happens later;
//! - an input is not run twice.

mod budget;
mod cause;
mod concretised;
mod engine;
mod gaps;
mod hard;
mod inputs;
#[cfg(test)]
mod outcomes;
mod progress;
#[cfg(test)]
mod scale;
#[cfg(test)]
mod tests;
mod verdict;

use std::cell::OnceCell;
use std::collections::{BTreeSet, VecDeque};

use coverage::{GoalId, Goals, HitCounter, Hits, Ledger, Totals};
use program::{EdgeId, FuncId, Program, SecondaryMap};
use smt::{Assignment, Effort, Pool, Reason, Term};

pub use budget::{Budget, Clock, NoClock, Spent, StopReason};
pub use cause::Cause;
pub use concretised::Concretised;
pub use engine::{Doing, Engine, NoObserver, Observer, Performed};
pub use gaps::Gaps;
pub use progress::{Progress, Times};
pub use verdict::{OpenReason, Verdicts};

use crate::agenda::{Agenda, Lane};
use crate::chance::{Chance, Use};
use crate::guide::MeasuredRun;
use crate::input::InputVector;
use crate::rng::Rng;
use crate::run::{Outcome, Run, RunFlags, Step, TargetError};
use crate::strategy::{NewPath, Strategy, Verdict, View};
use crate::tree::{Candidate, PathCondition, RunId, Side, Tree, condition};
use gaps::Losses;
use hard::Hard;
use inputs::Inputs;
use verdict::{Late, Tally};

/// Crashes of different causes that are kept.
const MAX_CAUSES: usize = 1000;

/// How a campaign is run.
#[derive(Clone, Debug, PartialEq)]
pub struct Config {
    /// Of the random generator.
    pub seed: u64,
    /// Run first, in this order. Usually one vector without values (they are all 0) and with the streams.
    pub initial: Vec<InputVector>,
    /// Run the first input once more with text in its bytes: see [`InputVector::texts`].
    pub text: bool,
    pub budget: Budget,
    /// Keep every run as a test, not only those that cover something new.
    pub keep_all: bool,
    /// Go on when every goal is covered.
    pub past_coverage: bool,
    /// Functions that the program calls and whose results depend on more than their arguments (`time`, `getenv`): with
    /// any, an exhausted tree is no proof.
    pub outside: u64,
    /// When inputs by chance are run.
    pub chance: Use,
    /// Terms in the pool at which what nobody needs any more is thrown away.
    pub compact_at: usize,
}

impl Default for Config {
    fn default() -> Self {
        Config {
            seed: 0,
            initial: vec![InputVector::default()],
            text: false,
            budget: Budget::default(),
            keep_all: false,
            past_coverage: false,
            outside: 0,
            chance: Use::Never,
            compact_at: 8 << 20,
        }
    }
}

/// A test that was kept.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KeptTest {
    /// From 0, in the order in which they were found.
    pub number: u32,
    pub run: RunId,
    pub input: InputVector,
    pub outcome: Outcome,
    /// Goals that no test before it covers.
    pub goals: Vec<GoalId>,
    /// Why it ended badly.
    pub cause: Option<Cause>,
    /// `reach_error` was called.
    pub reach_error: bool,
}

impl KeptTest {
    /// A test that no campaign kept.
    #[must_use]
    pub const fn of(input: InputVector, outcome: Outcome) -> KeptTest {
        KeptTest {
            number: 0,
            run: RunId::from_u32(0),
            input,
            outcome,
            goals: Vec::new(),
            cause: None,
            reach_error: false,
        }
    }
}

/// Something to be run, perhaps to be solved first.
#[derive(Clone, Debug)]
pub enum Job {
    /// Run this.
    Start(InputVector),
    /// Find an input that takes the side, and run it.
    Flip(Flip),
}

/// A side to be taken.
#[derive(Clone, Debug)]
pub struct Flip {
    pub candidate: Candidate,
    pub lane: Lane,
    /// The path condition of the candidate's node.
    pub prefix: Vec<Term>,
    /// What the side says.
    pub goal: Term,
    /// The input that the prefix is true under, with names and types.
    pub parent: InputVector,
    pub hint: Assignment,
    pub effort: Effort,
}

/// What a job gave.
#[derive(Clone, Debug)]
pub enum JobResult {
    /// There is no such input.
    Unsat,
    /// The solver gave up.
    Unknown(Reason),
    /// The input that was found has been run before: its run went elsewhere.
    Duplicate,
    /// It was run.
    Ran {
        supplied: InputVector,
        run: Box<Run>,
    },
    /// The job was given up (interrupted, target gone): the side is open again.
    Lost,
}

/// What to do next.
#[derive(Clone, Debug)]
pub enum Next {
    Job(Box<Job>),
    /// Nothing until a job that is out comes back.
    Wait,
    Stop(StopReason),
}

/// See the module.
pub struct Campaign<'p> {
    program: &'p Program,
    goals: &'p Goals,
    config: Config,
    rng: Rng,
    tree: Tree,
    agenda: Agenda,
    hard: Hard,
    chance: Chance,
    condition: PathCondition,
    inputs: Inputs,
    ledger: Ledger,
    totals: Totals,
    counter: HitCounter,
    edge_hits: SecondaryMap<EdgeId, u64>,
    late: SecondaryMap<EdgeId, Late>,
    edges_taken: usize,
    entered: SecondaryMap<FuncId, u64>,
    tallies: SecondaryMap<EdgeId, Tally>,
    losses: Losses,
    start: VecDeque<InputVector>,
    tests: Vec<KeptTest>,
    causes: BTreeSet<Cause>,
    rejected: Vec<usize>,
    stats: Stats,
    stop: Option<StopReason>,
    concluded: bool,
    compact_at: usize,
}

#[derive(Clone, Copy, Debug, Default)]
struct Stats {
    runs: u64,
    jobs_out: u64,
    sat: u64,
    unsat: u64,
    unknown: u64,
    duplicates: u64,
    assume_failed: u64,
    last_new: u64,
    times: Times,
}

impl<'p> Campaign<'p> {
    #[must_use]
    pub fn new(
        program: &'p Program,
        goals: &'p Goals,
        strategy: Box<dyn Strategy>,
        config: Config,
    ) -> Campaign<'p> {
        let ledger = Ledger::new(goals);
        Campaign {
            program,
            goals,
            rng: Rng::new(config.seed),
            tree: Tree::new(),
            agenda: Agenda::new(strategy),
            hard: Hard::default(),
            chance: Chance::new(config.chance, program, config.seed),
            condition: PathCondition::default(),
            inputs: Inputs::default(),
            totals: ledger.totals(goals),
            ledger,
            counter: HitCounter::new(program),
            edge_hits: SecondaryMap::for_map(&program.edges, 0),
            late: SecondaryMap::for_map(&program.edges, Late::default()),
            edges_taken: 0,
            entered: SecondaryMap::for_map(&program.functions, 0),
            tallies: SecondaryMap::for_map(&program.edges, Tally::default()),
            losses: Losses::default(),
            start: config.initial.iter().cloned().collect(),
            tests: Vec::new(),
            causes: BTreeSet::new(),
            rejected: Vec::new(),
            stats: Stats::default(),
            stop: None,
            concluded: false,
            compact_at: config.compact_at,
            config,
        }
    }

    /// Has an input of another campaign over the same program run next, unless it was run already.
    pub fn offer(&mut self, input: InputVector) {
        if !self.was_run(&input) && !self.start.contains(&input) {
            self.start.push_back(input);
        }
    }

    /// Another campaign over the same program has explored every path and lost nothing on the way: once the inputs that
    /// it offered are run, what is open here is infeasible as well.
    pub fn conclude(&mut self) {
        self.concluded = true;
    }

    /// The next job. Every job must come back through [`Campaign::complete`].
    pub fn next_job(&mut self, pool: &mut Pool, clock: &dyn Clock) -> Next {
        if let Some(reason) = self.stop.or_else(|| self.spent(clock)) {
            self.stop = Some(reason);
            return Next::Stop(reason);
        }
        if let Some(input) = self.start.pop_front() {
            self.stats.jobs_out += 1;
            return Next::Job(Box::new(Job::Start(input)));
        }
        if self.concluded {
            return Next::Stop(self.exhausted());
        }
        if self.chance.due(self.stats.runs, self.stats.last_new)
            && let Some(job) = self.by_chance()
        {
            return job;
        }
        if let Some(candidate) = self.hard.due(&self.tree) {
            return self.give(pool, candidate, (Lane::Hard, Effort::Full));
        }
        let view = View {
            program: self.program,
            tree: &self.tree,
            edge_hits: &self.edge_hits,
            edges_taken: self.edges_taken,
        };
        if let Some((candidate, lane)) = self.agenda.next(&view, &mut self.rng) {
            return self.give(pool, candidate, (lane, Effort::Quick));
        }
        if let Some(candidate) = self.hard.next(&self.tree) {
            return self.give(pool, candidate, (Lane::Hard, Effort::Full));
        }
        if self.stats.jobs_out > 0 {
            return Next::Wait;
        }
        if !self.gaps().is_empty()
            && self.chance.hopes(self.stats.last_new)
            && let Some(job) = self.by_chance()
        {
            return job;
        }
        Next::Stop(self.exhausted())
    }

    /// A changed test that was not run yet.
    fn by_chance(&mut self) -> Option<Next> {
        const TRIES: u32 = 8;
        let tests = &self.tests;
        for _ in 0..TRIES {
            let input = self
                .chance
                .input(tests.len(), |index| &tests[index].input)?;
            if !self.inputs.was_run(&input) {
                self.stats.jobs_out += 1;
                return Some(Next::Job(Box::new(Job::Start(input))));
            }
        }
        None
    }

    fn give(
        &mut self,
        pool: &mut Pool,
        candidate: Candidate,
        (lane, effort): (Lane, Effort),
    ) -> Next {
        self.tree.set(candidate, Side::Selected);
        self.stats.jobs_out += 1;
        let flip = self.flip(pool, candidate, (lane, effort));
        Next::Job(Box::new(Job::Flip(flip)))
    }

    fn flip(
        &mut self,
        pool: &mut Pool,
        candidate: Candidate,
        (lane, effort): (Lane, Effort),
    ) -> Flip {
        let prefix = self
            .condition
            .of(&self.tree, self.program, pool, candidate.node)
            .to_vec();
        let goal = condition(&self.tree, self.program, pool, candidate);
        let parent = self.inputs.get(self.tree.maker(candidate.node));
        let hint = parent.assignment();
        Flip {
            candidate,
            lane,
            prefix,
            goal,
            parent,
            hint,
            effort,
        }
    }

    /// Takes the result of a job.
    pub fn complete(&mut self, pool: &mut Pool, job: &Job, result: JobResult) {
        self.stats.jobs_out -= 1;
        let (candidate, effort) = match job {
            Job::Start(_) => (None, Effort::Full),
            Job::Flip(flip) => (Some(flip.candidate), flip.effort),
        };
        let verdict = match result {
            JobResult::Ran { supplied, run } => {
                self.inputs.mark(&supplied);
                self.learn(pool, *run);
                self.settle(candidate, Side::Diverged)
            }
            JobResult::Unsat => self.settle(candidate, Side::Unsat),
            JobResult::Unknown(_) => self.settle(candidate, Side::Unknown),
            JobResult::Duplicate => {
                self.stats.duplicates += 1;
                self.settle(candidate, Side::Diverged)
            }
            JobResult::Lost => {
                if let Job::Start(input) = job {
                    self.start.push_front(input.clone());
                }
                self.settle(candidate, Side::Open)
            }
        };
        if let Some(candidate) = candidate {
            if (verdict, effort) == (Verdict::Unknown, Effort::Quick) {
                self.hard.push(candidate);
            } else {
                self.tally(candidate, verdict);
            }
            let view = View {
                program: self.program,
                tree: &self.tree,
                edge_hits: &self.edge_hits,
                edges_taken: self.edges_taken,
            };
            self.agenda.on_result(&view, candidate, verdict);
        }
    }

    /// Gives a side its state, unless a run has taken it.
    fn settle(&mut self, candidate: Option<Candidate>, otherwise: Side) -> Verdict {
        let Some(candidate) = candidate else {
            return Verdict::Taken;
        };
        if let Side::Taken(_) = self.tree.side(candidate) {
            return Verdict::Taken;
        }
        self.tree.set(candidate, otherwise);
        match otherwise {
            Side::Unsat => Verdict::Unsat,
            Side::Unknown => Verdict::Unknown,
            Side::Open => Verdict::Lost,
            _ => Verdict::Diverged,
        }
    }

    fn tally(&mut self, candidate: Candidate, verdict: Verdict) {
        match verdict {
            Verdict::Taken => self.stats.sat += 1,
            Verdict::Diverged => self.stats.sat += 1,
            Verdict::Unsat => self.stats.unsat += 1,
            Verdict::Unknown => self.stats.unknown += 1,
            Verdict::Lost => {}
        }
        if let Some(edge) = self.tree.edge(candidate) {
            self.tallies[edge].add(verdict);
        }
    }

    fn learn(&mut self, pool: &mut Pool, run: Run) {
        self.stats.runs += 1;
        if self.config.text && self.stats.runs == 1 {
            for text in run.input.texts() {
                if text != run.input && !self.start.contains(&text) {
                    self.start.push_back(text);
                }
            }
        }
        let added = self.tree.insert(self.program, pool, &run);
        self.inputs.push(&run.input);
        self.inputs.mark(&run.input);
        self.losses.add(&run);
        let hits = self.count(&run);
        let values = OnceCell::new();
        let near = MeasuredRun {
            program: self.program,
            tree: &self.tree,
            pool,
            input: &run.input,
            values: &values,
            evaluator: OnceCell::new(),
        };
        let path = NewPath {
            run: added.run,
            nodes: self.tree.last_path(),
            known: added.known,
            edges: &hits.edges,
            outcome: run.outcome,
            near: &near,
        };
        let view = View {
            program: self.program,
            tree: &self.tree,
            edge_hits: &self.edge_hits,
            edges_taken: self.edges_taken,
        };
        self.agenda.on_path(&view, &path);
        if run.outcome == Outcome::AssumeFailed {
            self.stats.assume_failed += 1;
            let index = self.stats.runs as usize - 1;
            if index > 0 && index < self.config.initial.len() {
                self.rejected.push(index);
            }
            return;
        }
        self.keep(added.run, run, &hits);
    }

    fn count(&mut self, run: &Run) -> Hits {
        for step in &run.steps {
            match *step {
                Step::Edge { edge, .. } => self.counter.edge(edge),
                Step::Call(function) => self.counter.enter(function),
                _ => {}
            }
        }
        // Of a run that was cut as well, nobody knows which thread it was.
        let elsewhere = run.flags.contains(RunFlags::THREADS)
            && !run.flags.contains(RunFlags::EVENTS_TRUNCATED);
        for &edge in &run.late_edges {
            self.counter.late(edge);
            self.late[edge].taken = true;
            self.late[edge].in_thread |= elsewhere;
        }
        let hits = self.counter.take();
        for &(edge, count) in &hits.edges {
            self.edges_taken += usize::from(self.edge_hits[edge] == 0 && count > 0);
            self.edge_hits[edge] += count;
        }
        for &(function, count) in &hits.functions {
            self.entered[function] += count;
        }
        hits
    }

    fn keep(&mut self, id: RunId, run: Run, hits: &Hits) {
        let number = self.tests.len() as u32;
        let goals = self.ledger.record(self.goals, hits, number);
        let cause = Cause::of(&run);
        let new_cause = self.causes.len() < MAX_CAUSES
            && cause
                .as_ref()
                .is_some_and(|cause| self.causes.insert(cause.clone()));
        if !goals.is_empty() {
            self.totals = self.ledger.totals(self.goals);
            self.stats.last_new = self.stats.runs;
        }
        if !goals.is_empty() || new_cause || self.config.keep_all {
            let reach_error = run.steps.contains(&Step::ReachError);
            let Run { input, outcome, .. } = run;
            self.tests.push(KeptTest {
                number,
                run: id,
                input,
                outcome,
                goals,
                cause,
                reach_error,
            });
        }
    }

    fn spent(&self, clock: &dyn Clock) -> Option<StopReason> {
        let Budget {
            iterations,
            time,
            coverage,
            bytes,
        } = self.config.budget;
        let out = self.stats.runs + self.stats.jobs_out;
        if self.stats.runs > 0 && !self.config.past_coverage && self.totals.open() == 0 {
            return Some(StopReason::AllCovered);
        }
        if self.stats.runs > 0 && coverage.is_some_and(|wanted| self.totals.percent() >= wanted) {
            return Some(StopReason::Budget(Spent::Coverage));
        }
        let spent = [
            (
                iterations.is_some_and(|limit| out >= limit),
                Spent::Iterations,
            ),
            (
                time.is_some_and(|limit| clock.elapsed() >= limit),
                Spent::Time,
            ),
            (
                bytes.is_some_and(|limit| self.bytes() >= limit),
                Spent::Memory,
            ),
        ];
        spent
            .iter()
            .find(|(spent, _)| *spent)
            .map(|&(_, what)| StopReason::Budget(what))
    }

    /// Nothing is left: what is open is infeasible, if nothing was hidden.
    fn exhausted(&mut self) -> StopReason {
        let own = self.gaps().is_empty() && self.stats.runs > 0;
        let proof = own || self.concluded;
        if proof {
            let open: Vec<GoalId> = self
                .goals
                .iter()
                .map(|(goal, _)| goal)
                .filter(|&goal| !self.ledger.covered().contains(goal))
                .collect();
            for goal in open {
                self.ledger.mark_infeasible(goal);
            }
            self.totals = self.ledger.totals(self.goals);
        }
        let reason = StopReason::Exhausted { proof };
        self.stop = Some(reason);
        reason
    }

    /// Throws away terms that nobody needs, when the pool has grown enough.
    fn compact(&mut self, pool: &mut Pool) {
        if pool.len() < self.compact_at || self.stats.jobs_out > 0 {
            return;
        }
        let roots: Vec<Term> = self.tree.terms().collect();
        let renamed = pool.compact(&roots);
        self.tree
            .rename_terms(|term| renamed.get(term).expect("the tree's terms are roots"));
        self.condition.clear();
        self.compact_at = self.config.compact_at.max(2 * pool.len());
    }

    /// One round of the loop: pick, solve, run, learn.
    ///
    /// # Errors
    /// When the target cannot go on. The campaign is as before the round; it can go on with another target.
    pub fn step(&mut self, engine: &mut Engine<'_>) -> Result<Option<StopReason>, TargetError> {
        if engine.interrupted() {
            let reason = self.spent(engine.clock);
            return Ok(Some(reason.unwrap_or(StopReason::Interrupted)));
        }
        engine.observer.doing(Doing::Pick);
        let began = engine.clock.elapsed();
        let job = match self.next_job(engine.pool, engine.clock) {
            Next::Stop(reason) => return Ok(Some(reason)),
            // One worker has no job out here.
            Next::Wait => return Ok(Some(self.exhausted())),
            Next::Job(job) => job,
        };
        let picked = engine.clock.elapsed();
        let performed = engine.perform(&job, |input| self.was_run(input));
        let Performed {
            result,
            error,
            solve,
            run,
        } = performed;
        let done = engine.clock.elapsed();
        engine.observer.doing(Doing::Learn);
        self.complete(engine.pool, &job, result);
        self.compact(engine.pool);
        let times = &mut self.stats.times;
        times.pick += picked.saturating_sub(began);
        times.solve += solve;
        times.run += run;
        times.learn += engine.clock.elapsed().saturating_sub(done);
        match error {
            Some(error) => Err(error),
            None => Ok(None),
        }
    }

    /// Runs the loop to its end.
    ///
    /// # Errors
    /// When the target cannot go on.
    pub fn run(&mut self, engine: &mut Engine<'_>) -> Result<StopReason, TargetError> {
        loop {
            if let Some(reason) = self.step(engine)? {
                return Ok(reason);
            }
        }
    }

    /// How many runs there were.
    #[must_use]
    pub fn runs(&self) -> usize {
        self.inputs.len()
    }

    /// The input of a run, counted from 0.
    ///
    /// # Panics
    /// When there was no such run.
    #[must_use]
    pub fn input(&self, run: usize) -> InputVector {
        self.inputs.get(RunId::from_u32(run as u32))
    }

    /// Was an input like this run?
    #[must_use]
    pub fn was_run(&self, input: &InputVector) -> bool {
        self.inputs.was_run(input)
    }

    /// The tests kept so far.
    #[must_use]
    pub fn tests(&self) -> &[KeptTest] {
        &self.tests
    }

    /// Indices in [`Config::initial`], but the first, of inputs that failed an assumption.
    #[must_use]
    pub fn rejected(&self) -> &[usize] {
        &self.rejected
    }

    #[must_use]
    pub fn ledger(&self) -> &Ledger {
        &self.ledger
    }

    #[must_use]
    pub fn totals(&self) -> Totals {
        self.totals
    }

    #[must_use]
    pub fn tree(&self) -> &Tree {
        &self.tree
    }

    /// What keeps the tree, as it is now, from being a proof.
    #[must_use]
    pub fn gaps(&self) -> Gaps {
        self.losses.gaps(&self.tree, self.config.outside)
    }

    /// Where symbolism was lost, why, how often, and which open goals stand behind it.
    #[must_use]
    pub fn concretised(&self) -> Vec<Concretised> {
        concretised::report(&self.facts())
    }

    /// Why the goals that are open are open.
    #[must_use]
    pub fn verdicts(&self) -> Verdicts {
        Verdicts::new(&self.facts())
    }

    fn facts(&self) -> verdict::Facts<'_> {
        verdict::Facts {
            program: self.program,
            goals: self.goals,
            ledger: &self.ledger,
            tree: &self.tree,
            edge_hits: &self.edge_hits,
            late: &self.late,
            entered: &self.entered,
            tallies: &self.tallies,
            losses: &self.losses.by_spot,
            gaps: self.gaps(),
            stopped: !matches!(self.stop, Some(StopReason::Exhausted { .. })),
        }
    }

    /// Bytes of everything that grows.
    #[must_use]
    pub fn bytes(&self) -> usize {
        self.tree.bytes()
            + self.agenda.bytes()
            + self.hard.bytes()
            + self.inputs.bytes()
            + self.condition.bytes()
    }

    /// How it is going.
    #[must_use]
    pub fn progress(&self) -> Progress {
        Progress {
            totals: self.totals,
            tests: self.tests.len(),
            runs: self.stats.runs,
            last_new: self.stats.last_new,
            sat: self.stats.sat,
            unsat: self.stats.unsat,
            unknown: self.stats.unknown,
            duplicates: self.stats.duplicates,
            assume_failed: self.stats.assume_failed,
            nodes: self.tree.len(),
            candidates: self.tree.counts().all_open(),
            times: self.stats.times,
            bytes: self.bytes(),
            phase: self.agenda.phase(),
        }
    }
}
