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
mod config;
mod deferred;
mod engine;
mod filter;
mod findings;
mod fuzzing;
mod gaps;
mod hard;
mod inputs;
mod job;
mod learn;
mod loose;
#[cfg(test)]
mod outcomes;
mod progress;
#[cfg(test)]
mod scale;
#[cfg(test)]
mod tests;
mod verdict;
mod view;

use std::collections::{BTreeSet, VecDeque};

use coverage::{Figures, GoalId, Goals, HitCounter, Ledger};
use program::{EdgeId, FuncId, Program, SecondaryMap};
use smt::{Effort, Pool, Term};

pub use budget::{Budget, Clock, NoClock, Spent, StopReason};
pub use cause::Cause;
pub use concretised::Concretised;
pub use config::Config;
pub use engine::{Doing, Engine, NoObserver, Observer, Performed};
pub use findings::Findings;
pub use gaps::Gaps;
pub use job::{Flip, Job, JobResult, KeptTest, Next};
pub use progress::{Progress, Times};
pub use verdict::{OpenReason, Verdicts};

use crate::agenda::{Agenda, Lane};
use crate::approach::Approach;
use crate::chance::Chance;
use crate::fuzz::Fuzzer;
use crate::input::InputVector;
use crate::matching::Matching;
use crate::pumping::Pumping;
use crate::relevant::Relevant;
use crate::rng::Rng;
use crate::run::TargetError;
use crate::strategy::{Strategy, Verdict};
use crate::tree::{Candidate, PathCondition, Side, Tree, condition};
use crate::wishes::Wishes;
use deferred::Deferred;
use gaps::Losses;
use hard::Hard;
use inputs::Inputs;
use loose::Loose;
use verdict::{Late, Tally};

/// What strategies see of a campaign. No method: the agenda, another field, is borrowed for writing at the same time.
macro_rules! view_of {
    ($campaign:ident) => {
        $crate::strategy::View {
            program: $campaign.program,
            tree: &$campaign.tree,
            edge_hits: &$campaign.edge_hits,
            edges_taken: $campaign.edges_taken,
            relevant: Some(&$campaign.relevant),
        }
    };
}
use view_of;

/// One search over one program: tree, terms, ledger, strategy and budget.
pub struct Campaign<'p> {
    program: &'p Program,
    goals: &'p Goals,
    config: Config,
    rng: Rng,
    tree: Tree,
    agenda: Agenda,
    relevant: Relevant,
    hard: Hard,
    loose: Loose,
    deferred: Deferred,
    chance: Chance,
    matching: Matching,
    pumping: Pumping,
    approach: Approach,
    /// Sides that the last run came nearer to.
    nearer: Vec<(EdgeId, u64)>,
    fuzzer: Option<Fuzzer>,
    condition: PathCondition,
    inputs: Inputs,
    ledger: Ledger,
    figures: Figures,
    counter: HitCounter,
    edge_hits: SecondaryMap<EdgeId, u64>,
    late: SecondaryMap<EdgeId, Late>,
    edges_taken: usize,
    /// No run takes them: there is a proof.
    dead: SecondaryMap<EdgeId, bool>,
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
    /// Runs of other campaigns on the same budget.
    elsewhere: u64,
    compact_at: usize,
}

#[derive(Clone, Copy, Debug, Default)]
struct Stats {
    runs: u64,
    fuzzed: u64,
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
            relevant: Relevant::new(program, goals, config.foreign),
            hard: Hard::new(),
            loose: Loose::new(program),
            deferred: Deferred::default(),
            chance: Chance::new(config.chance, program, config.seed),
            matching: Matching::default(),
            pumping: Pumping::new(program),
            approach: Approach::new(program, config.seed),
            nearer: Vec::new(),
            fuzzer: config.fuzz.then(|| Fuzzer::new(program, config.seed)),
            condition: PathCondition::default(),
            inputs: Inputs::default(),
            figures: ledger.figures(goals),
            ledger,
            counter: HitCounter::of(program, goals),
            edge_hits: SecondaryMap::for_map(&program.edges, 0),
            late: SecondaryMap::for_map(&program.edges, Late::default()),
            edges_taken: 0,
            dead: SecondaryMap::for_map(&program.edges, false),
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
            elsewhere: 0,
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

    /// These goals are known to be covered by no input, and these edges to be taken by none: nothing is done for them.
    pub fn refute(&mut self, goals: &[GoalId], dead: impl IntoIterator<Item = EdgeId>) {
        for edge in dead {
            self.dead[edge] = true;
        }
        for &goal in goals {
            self.ledger.mark_infeasible(goal);
        }
        self.relevant.on_covered(self.goals, &self.ledger, goals);
        self.figures = self.ledger.figures(self.goals);
    }

    /// Other campaigns on the same budget have made so many runs.
    pub fn count_elsewhere(&mut self, runs: u64) {
        self.elsewhere = runs;
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
            return self.run_next(input);
        }
        if self.concluded {
            return Next::Stop(self.exhausted());
        }
        if self.fuzzer.is_none()
            && let Some(job) = self.next_wish()
        {
            return job;
        }
        if self.fuzzer.is_none()
            && self.chance.due(self.stats.runs, self.stats.last_new)
            && let Some(job) = self.by_chance()
        {
            return job;
        }
        if let Some(job) = self.next_loose(pool) {
            return job;
        }
        if self.approach.is_due()
            && let Some(job) = self.next_near(pool)
        {
            return job;
        }
        if self.hard.is_due()
            && let Some(candidate) = self.next_hard(true)
        {
            return self.give(pool, candidate, (Lane::Hard, Effort::Full));
        }
        if let Some((candidate, lane)) = self.next_relevant() {
            return self.give(pool, candidate, (lane, Effort::Quick));
        }
        if let Some(candidate) = self.next_hard(false) {
            return self.give(pool, candidate, (Lane::Hard, Effort::Full));
        }
        if self.wake_deferred() {
            return self.next_job(pool, clock);
        }
        if self.stats.jobs_out > 0 {
            return Next::Wait;
        }
        if !self.gaps().is_empty() {
            if let Some(fuzzer) = &self.fuzzer
                && (fuzzer.hopes() || self.wishes().iter().any(|wishes| !wishes.is_empty()))
            {
                return Next::Fuzz;
            }
            if self.fuzzer.is_none() {
                if let Some(job) = self.any_wish() {
                    return job;
                }
                if self.chance.hopes(self.stats.last_new)
                    && let Some(job) = self.by_chance()
                {
                    return job;
                }
            }
        }
        Next::Stop(self.exhausted())
    }

    /// Inputs that are made without the solver, by what runs have shown.
    fn wishes(&mut self) -> [&mut Wishes; 2] {
        [&mut self.matching.wishes, &mut self.pumping.wishes]
    }

    /// One of them, if it is its turn, that was not run yet.
    fn next_wish(&mut self) -> Option<Next> {
        (0..self.wishes().len()).find_map(|kind| {
            let is_due = self.wishes()[kind].is_due();
            is_due.then(|| self.wish(kind)).flatten()
        })
    }

    /// One of them that was not run yet.
    fn any_wish(&mut self) -> Option<Next> {
        (0..self.wishes().len()).find_map(|kind| self.wish(kind))
    }

    fn wish(&mut self, kind: usize) -> Option<Next> {
        loop {
            let input = self.wishes()[kind].next()?;
            if !self.was_run(&input) {
                return Some(self.run_next(input));
            }
        }
    }

    /// A side that may be forbidden by pins only, to be taken without them.
    fn next_loose(&mut self, pool: &mut Pool) -> Option<Next> {
        loop {
            let candidate = self.loose.next(&self.tree, &self.edge_hits)?;
            self.condition
                .of(&self.tree, self.program, pool, candidate.node);
            let Some(prefix) = self.condition.without_pins(&self.tree) else {
                continue;
            };
            let edge = self.tree.edge(candidate).expect("it was asked for");
            self.loose.tried(edge);
            self.stats.jobs_out += 1;
            let flip = self.flip(pool, candidate, (Lane::Loose, Effort::Quick));
            let flip = Flip { prefix, ..flip };
            return Some(Next::Job(Box::new(Job::Flip(flip))));
        }
    }

    /// A decision of a run that came near a side that nothing symbolic decides, flipped; the rest of its input stays.
    fn next_near(&mut self, pool: &mut Pool) -> Option<Next> {
        let (candidate, input) = self.approach.next(&self.tree)?;
        self.tree.set(candidate, Side::Selected);
        self.stats.jobs_out += 1;
        let flip = self.flip(pool, candidate, (Lane::Near, Effort::Quick));
        let flip = Flip {
            hint: input.assignment(),
            parent: (*input).clone(),
            ..flip
        };
        Some(Next::Job(Box::new(Job::Flip(flip))))
    }

    /// A changed test that was not run yet.
    fn by_chance(&mut self) -> Option<Next> {
        const TRIES: u32 = 8;
        let tests = &self.tests;
        for _ in 0..TRIES {
            let input = self
                .chance
                .input(tests.len(), |index| &tests[index].input)?;
            if !self.was_run(&input) {
                return Some(self.run_next(input));
            }
        }
        None
    }

    fn run_next(&mut self, input: InputVector) -> Next {
        self.stats.jobs_out += 1;
        Next::Job(Box::new(Job::Start(input)))
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
            Job::Flip(flip) if flip.lane == Lane::Loose => {
                if let JobResult::Ran { supplied, run } = result {
                    self.inputs.mark(&supplied);
                    self.learn(pool, *run);
                }
                return;
            }
            Job::Flip(flip) => (Some(flip.candidate), flip.effort),
        };
        self.nearer.clear();
        let news = self.stats.last_new;
        let verdict = match result {
            JobResult::Ran { supplied, run } => {
                self.inputs.mark(&supplied);
                self.learn(pool, *run);
                let is_new = self.stats.last_new == self.stats.runs;
                for wishes in self.wishes() {
                    wishes.credit(&supplied, is_new);
                }
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
            if self.config.chance.helps() && matches!(verdict, Verdict::Unsat | Verdict::Unknown) {
                self.loose.push(candidate);
            }
            let is_new = self.stats.last_new > news;
            self.approach.credit(candidate, &self.nearer, is_new);
            if matches!(job, Job::Flip(flip) if flip.lane == Lane::Hard) {
                self.hard.tell(verdict);
            }
            if (verdict, effort) == (Verdict::Unknown, Effort::Quick) {
                self.hard.push(candidate);
            } else {
                self.tally(candidate, verdict);
            }
            self.tell(candidate, verdict);
        }
    }

    /// Tells the strategies what became of a candidate.
    fn tell(&mut self, candidate: Candidate, verdict: Verdict) {
        self.agenda.on_result(&view_of!(self), candidate, verdict);
    }

    fn spent(&self, clock: &dyn Clock) -> Option<StopReason> {
        let Budget {
            iterations,
            time,
            coverage,
            bytes,
        } = self.config.budget;
        let out = self.stats.runs + self.stats.jobs_out + self.elsewhere;
        if self.stats.runs > 0 && !self.config.past_coverage && self.figures.open() == 0 {
            return Some(StopReason::AllCovered);
        }
        if self.stats.runs > 0 && coverage.is_some_and(|wanted| self.figures.percent() >= wanted) {
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
                // Of the others, filtering drops paths without a thought.
                .filter(|&goal| !self.config.path_filter || self.ledger.is_wanted(self.goals, goal))
                // What no run can show, no run can refute.
                .filter(|&goal| self.goals.problem(goal).is_none())
                .collect();
            for goal in open {
                self.ledger.mark_infeasible(goal);
            }
            self.figures = self.ledger.figures(self.goals);
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

    /// Forgets what can be made again, to save memory: terms that the tree does not need, and all that the solver has learned.
    pub fn forget(&mut self, engine: &mut Engine<'_>) {
        engine.solver.forget();
        self.compact_at = 0;
        self.compact(engine.pool);
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
        if self.fuzzing_is_due(engine) {
            self.fuzz(engine)?;
            return Ok(None);
        }
        let taken = self.edges_taken;
        engine.observer.doing(Doing::Pick);
        let began = engine.clock.elapsed();
        let job = match self.next_job(engine.pool, engine.clock) {
            Next::Stop(reason) => return Ok(Some(reason)),
            // One worker has no job out here.
            Next::Wait => return Ok(Some(self.exhausted())),
            Next::Fuzz => {
                self.fuzz(engine)?;
                return Ok(None);
            }
            Next::Job(job) => job,
        };
        let picked = engine.clock.elapsed();
        if let Some(edges) = self.approach.changed() {
            engine.target.watch(&edges);
        }
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
        let end = engine.clock.elapsed();
        times.learn += end.saturating_sub(done);
        // What the fuzzer found is no find of the search.
        if let (Some(fuzzer), Job::Flip(_)) = (&mut self.fuzzer, &*job) {
            let found = self.edges_taken - taken;
            fuzzer.share.searched(found, end.saturating_sub(began));
        }
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
}
