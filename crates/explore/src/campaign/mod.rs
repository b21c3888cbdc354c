//! The campaign: pick, solve, run, learn, until a budget is spent or nothing is left.
//!
//! It is split into [`Campaign::next_job`] and [`Campaign::complete`], with solving and running between them
//! ([`Engine::perform`]), so that several workers can share one campaign; [`Campaign::step`] is the loop of one.
//!
//! Must hold:
//! - same program, goals, strategy and configuration, same answers of target and solver: same tests, same order;
//! - a test that was kept stays kept, whatever happens later;
//! - an input is not run twice, unless the search starts over in between: see [`rounds`].

pub(crate) mod budget;
mod cause;
mod concretised;
mod config;
mod deferred;
mod engine;
mod filter;
mod findings;
mod finds;
mod gaps;
mod inputs;
pub(crate) mod job;
mod learn;
mod lineage;
#[cfg(test)]
mod outcomes;
mod progress;
mod propose;
mod room;
mod rounds;
#[cfg(test)]
mod scale;
mod slice;
#[cfg(test)]
mod starts_over;
#[cfg(test)]
mod tests;
mod verdict;
mod view;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use coverage::{Figures, GoalId, Goals, Ground, HitCounter, Ledger};
use program::{EdgeId, FuncId, Program, SecondaryMap};
use smt::{Effort, Pool, Term};

pub use budget::{Budget, Clock, NoClock, Spent, StopReason};
pub use cause::Cause;
pub use concretised::Concretised;
pub use config::Config;
pub use engine::{Doing, Engine, NoObserver, Observer, Performed};
pub use findings::Findings;
pub use gaps::Gaps;
pub use job::{Flip, Job, JobResult, KeptTest, Next, Task};
pub use progress::{Progress, Times};
pub use verdict::{OpenReason, Verdicts};

use crate::backward::Backward;
use crate::discovery::Incidence;
use crate::nearness::{Came, Watched};
use crate::relevant::Relevant;
use crate::source::{Setup, Source, Spent as TimeSpent, Told};
use crate::view::{Strategy, Verdict};
use deferred::Deferred;
use finds::Finds;
use gaps::Losses;
use inputs::Inputs;
use lineage::Lineage;
use path::tree::{PathCondition, Side};
use path::{Candidate, InputVector, NodeId, TargetError, Tree};
use room::Room;
use rounds::Rounds;
use verdict::{Late, Tally};

/// Runs without anything new, in addition to four times those before, after which a search is over that has all its goals, but some
/// without a run that takes them.
const PATIENCE: u64 = 1000;

/// What strategies see of a campaign. No method: the sources, another field, are borrowed for writing at the same time.
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

/// The loop with its ledger and its budget, and what all sources share.
pub struct Campaign<'p> {
    program: &'p Program,
    goals: &'p Goals,
    config: Config,
    tree: Tree,
    sources: Vec<Box<dyn Source>>,
    /// Who looks backward from goals, if somebody does.
    backward: Option<Box<dyn Backward + 'p>>,
    /// Why goals were refuted while the search went on.
    reasons: BTreeMap<GoalId, Arc<str>>,
    /// Inputs are run without expressions in between.
    slices: bool,
    relevant: Relevant,
    deferred: Deferred,
    watched: Watched,
    /// What the last run brought for the sides that are watched.
    came: Vec<Came>,
    condition: PathCondition,
    inputs: Inputs,
    room: Room,
    lineage: Lineage,
    ledger: Ledger,
    figures: Figures,
    /// Nothing is open, and nothing waits for a run that takes it.
    complete: bool,
    counter: HitCounter,
    edge_hits: SecondaryMap<EdgeId, u64>,
    late: SecondaryMap<EdgeId, Late>,
    edges_taken: usize,
    incidence: Incidence,
    finds: Finds,
    /// No run takes them: there is a proof.
    dead: SecondaryMap<EdgeId, bool>,
    entered: SecondaryMap<FuncId, u64>,
    tallies: SecondaryMap<EdgeId, Tally>,
    losses: Losses,
    tests: Vec<KeptTest>,
    causes: BTreeSet<Cause>,
    rejected: Vec<usize>,
    stats: Stats,
    rounds: Rounds,
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
    /// Runs without expressions since one of them took an edge that no run had taken.
    fruitless: u64,
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
        let mut setup = Setup {
            program,
            seed: config.seed,
            initial: &config.initial,
            text: config.text,
            strategy: Some(strategy),
        };
        let sources = config.sources.iter();
        let sources = sources.map(|source| (source.make)(&mut setup)).collect();
        let watches = config.sources.iter().any(|source| source.watches);
        let mut room = Room::default();
        config.initial.iter().for_each(|input| room.give(input));
        Campaign {
            program,
            goals,
            tree: Tree::new(),
            sources,
            backward: None,
            reasons: BTreeMap::new(),
            slices: config.sources.iter().any(|source| source.slices),
            relevant: Relevant::new(program, goals, config.foreign),
            deferred: Deferred::default(),
            watched: Watched::new(program, watches),
            came: Vec::new(),
            condition: PathCondition::default(),
            inputs: Inputs::default(),
            room,
            lineage: Lineage::default(),
            figures: ledger.figures(goals),
            complete: ledger.is_complete(goals),
            ledger,
            counter: HitCounter::of(program, goals),
            edge_hits: SecondaryMap::for_map(&program.edges, 0),
            late: SecondaryMap::for_map(&program.edges, Late::default()),
            edges_taken: 0,
            incidence: Incidence::new(program),
            finds: Finds::default(),
            dead: SecondaryMap::for_map(&program.edges, false),
            entered: SecondaryMap::for_map(&program.functions, 0),
            tallies: SecondaryMap::for_map(&program.edges, Tally::default()),
            losses: Losses::default(),
            tests: Vec::new(),
            causes: BTreeSet::new(),
            rejected: Vec::new(),
            stats: Stats::default(),
            rounds: Rounds::new(program),
            stop: None,
            concluded: false,
            elsewhere: 0,
            compact_at: config.compact_at,
            config,
        }
    }

    /// Somebody looks backward from the goals: source [`bidirectional`](crate::source) says when.
    pub fn look_backward(&mut self, backward: Box<dyn Backward + 'p>) {
        self.backward = Some(backward);
    }

    /// Has an input of another campaign over the same program run next, unless it was run already.
    pub fn offer(&mut self, input: InputVector) {
        if !self.was_run(&input) {
            self.room.give(&input);
            for source in &mut self.sources {
                source.on_offer(&input);
            }
        }
    }

    /// These goals are known to be covered by no input, and these edges to be taken by none: nothing is done for them.
    pub fn refute(
        &mut self,
        ground: Ground,
        goals: &[GoalId],
        dead: impl IntoIterator<Item = EdgeId>,
    ) {
        let dead: Vec<EdgeId> = dead.into_iter().filter(|edge| !self.dead[*edge]).collect();
        for &edge in &dead {
            self.dead[edge] = true;
        }
        for source in &mut self.sources {
            source.on_dead(&dead);
        }
        self.watched.on_dead(&dead);
        let nodes = (0..self.tree.len() as u32).map(NodeId::from_u32);
        self.drop_dead(nodes);
        for &goal in goals {
            self.ledger.mark_infeasible(goal, ground);
        }
        self.relevant.on_covered(self.goals, &self.ledger, goals);
        // Proofs before the first run come once and many, others one by one.
        if ground != Ground::Backward {
            self.relevant.on_dead(&self.dead, self.goals);
        }
        self.figures = self.ledger.figures(self.goals);
        self.complete = self.ledger.is_complete(self.goals);
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

    /// Takes the result of a job.
    pub fn complete(&mut self, pool: &mut Pool, job: &Job, result: JobResult) {
        self.stats.jobs_out -= 1;
        let flip = match &job.task {
            Task::Run(_) => None,
            Task::Flip(flip) => Some(flip),
        };
        let parent = flip.map(|flip| self.tree.maker(flip.candidate.node));
        let news = self.stats.last_new;
        if flip.is_some_and(|flip| flip.is_probe) {
            if let JobResult::Ran { supplied, run } = result {
                self.learn(pool, *run, &supplied, parent);
                self.credit(news, job.source, &supplied);
            }
            return;
        }
        let candidate = flip.map(|flip| flip.candidate);
        self.came.clear();
        let (mut input, mut ran) = (None, false);
        let verdict = match result {
            JobResult::Ran { supplied, run } => {
                self.learn(pool, *run, &supplied, parent);
                self.credit(news, job.source, &supplied);
                (input, ran) = (Some(supplied), true);
                self.settle(candidate, Side::Diverged)
            }
            JobResult::Unsat => self.settle(candidate, Side::Unsat),
            JobResult::Unknown(_) => self.settle(candidate, Side::Unknown),
            JobResult::Duplicate => {
                self.stats.duplicates += 1;
                self.settle(candidate, Side::Diverged)
            }
            JobResult::Lost => {
                if let Task::Run(lost) = &job.task {
                    input = Some(lost.clone());
                }
                self.settle(candidate, Side::Open)
            }
        };
        let side = flip.map(|flip| (flip.candidate, flip.effort, verdict));
        // What is left open with less than all of the solver's budget may be tried again.
        if let Some((candidate, effort, verdict)) = side
            && (verdict != Verdict::Unknown || effort == Effort::Full)
        {
            self.tally(candidate, verdict);
        }
        let told = Told {
            side,
            own: false,
            input: input.as_ref(),
            ran,
            is_new: self.stats.last_new > news,
            came: &self.came,
        };
        let view = view_of!(self);
        for (index, source) in self.sources.iter_mut().enumerate() {
            let own = index == job.source;
            source.on_result(&view, &Told { own, ..told });
        }
    }

    /// Tells the sources that a side is open which was put off or dropped.
    fn reopened(&mut self, side: Candidate) {
        for source in &mut self.sources {
            source.on_open(&view_of!(self), side);
        }
    }

    fn spent(&self, clock: &dyn Clock) -> Option<StopReason> {
        let Budget {
            iterations,
            time,
            coverage,
            bytes,
        } = self.config.budget;
        let out = self.stats.runs + self.stats.jobs_out + self.elsewhere;
        let settled = || {
            self.complete || self.ledger.settles_alternatives(self.goals) || self.waits_in_vain()
        };
        if self.stats.runs > 0 && !self.config.past_coverage && settled() {
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

    /// Is everything covered or infeasible, but some of it without a run that takes it, and has nothing new come for long? Such
    /// a side may be one on which every run ends.
    fn waits_in_vain(&self) -> bool {
        let since = self.stats.runs.saturating_sub(self.stats.last_new);
        self.figures.open() == 0 && since > PATIENCE + 4 * self.stats.last_new
    }

    /// Nothing is left: what is open is infeasible, if nothing was hidden.
    fn exhausted(&mut self) -> StopReason {
        let own = self.gaps().is_empty() && self.tree.runs() > 0;
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
                self.ledger.mark_infeasible(goal, Ground::Exhausted);
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
        let taken = self.edges_taken;
        engine.observer.doing(Doing::Pick);
        let began = engine.clock.elapsed();
        let job = match self.next_job(engine.pool, engine.clock) {
            Next::Stop(reason) => return Ok(Some(reason)),
            // One worker has no job out here.
            Next::Wait => return Ok(Some(self.exhausted())),
            Next::Busy => return Ok(None),
            Next::Slice => {
                self.slice(engine)?;
                return Ok(None);
            }
            Next::Job(job) => job,
        };
        let picked = engine.clock.elapsed();
        if let Some(edges) = self.watched.changed() {
            engine.target.watch(&edges);
        }
        let performed = engine.perform(
            &job,
            |input| self.inputs.is_in_round(input),
            |input| self.room.fit(input),
        );
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
        if let Task::Flip(_) = job.task {
            self.tell_time(&TimeSpent {
                glances: None,
                found: self.edges_taken - taken,
                time: end.saturating_sub(began),
            });
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
