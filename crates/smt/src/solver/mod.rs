//! The solver: a stack of layers in front of a backend.
//!
//! A query asks to change a run: its path condition holds under the hint, and one more condition shall hold. Every
//! layer may answer or pass on; the last two, circuits and the backend, have a budget ([`ask`]). A `Sat` leaves only confirmed by the evaluator; an `Unsat` is believed.

mod ask;
mod cache;
mod domain;
mod few;
mod invert;
mod invert_float;
mod part;
mod partition;
mod pivots;
mod ranges;
mod search;
mod spans;
mod stats;
mod sweep;

use std::sync::{
    Arc,
    atomic::{AtomicBool, Ordering},
};
use std::time::Instant;

use crate::backend::{Hook, Room};
use crate::eval::{Scratch, Tape, eval};
use crate::{Assignment, Backend, Budget, Epoch, Pool, Term};
use cache::Cache;
use few::Found;
use partition::{Partition, Slice, conjuncts};
use ranges::Left;
pub use search::SearchLimits;
pub use stats::{Layer, Spread, Stats};

/// Ways to grant a goal that are followed up by mending another byte.
const MOVES: usize = 6;

/// What is asked: an assignment under which `prefix` and `goal` are true.
#[derive(Clone, Copy, Debug)]
pub struct Query<'a> {
    /// The path condition; each term is true under `hint`.
    pub prefix: &'a [Term],
    /// To be made true.
    pub goal: Term,
    /// The assignment of the run that the path comes from.
    pub hint: &'a Assignment,
    /// What the backend may spend.
    pub effort: Effort,
}

/// How much of its budget the backend may spend on a query.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Effort {
    /// One part in 384, in a sixteenth of the time: most queries need no more, and who asks can come back to the others.
    Quick,
    /// One part in 32, in an eighth of the time.
    Longer,
    /// All of it.
    #[default]
    Full,
}

impl Effort {
    fn of(self, budget: Budget) -> Budget {
        match self {
            Effort::Quick => budget.part(384, 16),
            Effort::Longer => budget.part(32, 8),
            Effort::Full => budget,
        }
    }
}

/// The answer to a [`Query`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Answer {
    /// The hint, with new values for the variables that the goal depends on; confirmed by the evaluator.
    Sat(Assignment),
    /// No assignment satisfies prefix and goal.
    Unsat,
    /// Undecided.
    Unknown(Reason),
}

/// Why a query was not decided.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Reason {
    /// The backend spent its budget, or gave up: its own words.
    Backend(String),
    /// Another thread stopped it.
    Interrupted,
    /// The backend's model does not satisfy the query: a bug, counted in [`Stats`].
    BadModel,
}

/// Limits of the layers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Config {
    /// For each call of the backend.
    pub budget: Budget,
    /// For the local search in front of it.
    pub search: SearchLimits,
    /// Slices with at most this many evaluation steps for all their assignments are decided by trying them all.
    pub enumeration_steps: u32,
    /// Whether answers and models of earlier queries are used.
    pub caches: bool,
    /// Whether domains of values are used: for contradictions, and for values that comparisons with constants leave.
    pub domains: bool,
    /// Whether queries become circuits before the backend is asked.
    pub circuits: bool,
}

impl Default for Config {
    fn default() -> Self {
        Self {
            budget: Budget {
                units: 20_000_000,
                millis: 30_000,
            },
            search: SearchLimits::default(),
            enumeration_steps: 60_000,
            caches: true,
            domains: true,
            circuits: true,
        }
    }
}

/// Stops the solver from another thread: the query at hand ends with `Unknown(Interrupted)`, and so do all later
/// ones until [`Interrupt::clear`].
#[derive(Clone)]
pub struct Interrupt {
    flag: Arc<AtomicBool>,
    hook: Option<Hook>,
}

impl Interrupt {
    pub(crate) fn new(flag: Arc<AtomicBool>, hook: Option<Hook>) -> Interrupt {
        Interrupt { flag, hook }
    }

    /// Stops.
    pub fn stop(&self) {
        self.flag.store(true, Ordering::SeqCst);
        if let Some(hook) = &self.hook {
            hook();
        }
    }

    /// Ends the query at hand as if its budget were spent, if the backend can.
    pub fn give_up(&self) {
        if let Some(hook) = &self.hook {
            hook();
        }
    }

    /// Lets the solver work again.
    pub fn clear(&self) {
        self.flag.store(false, Ordering::SeqCst);
    }
}

/// The layers, and the backend behind them.
pub struct Solver {
    backend: Box<dyn Backend>,
    config: Config,
    stats: Stats,
    stop: Arc<AtomicBool>,
    room: Option<Room>,
    epoch: Epoch,
    partition: Partition,
    cache: Cache,
    scratch: Scratch,
}

/// One query on its way through the layers.
struct Job<'a> {
    goal: Term,
    hint: &'a Assignment,
    effort: Effort,
    /// Sorted.
    slice: Vec<Term>,
    /// The goal's conjuncts, then the slice.
    roots: Vec<Term>,
    tape: Tape,
}

impl Solver {
    /// A solver with empty caches.
    #[must_use]
    pub fn new(backend: Box<dyn Backend>, config: Config) -> Self {
        Self {
            backend,
            config,
            stats: Stats::default(),
            stop: Arc::default(),
            room: None,
            epoch: Epoch::default(),
            partition: Partition::default(),
            cache: Cache::default(),
            scratch: Scratch::default(),
        }
    }

    /// Counters since the start.
    #[must_use]
    pub fn stats(&self) -> &Stats {
        &self.stats
    }

    /// The limits.
    #[must_use]
    pub fn config(&self) -> &Config {
        &self.config
    }

    /// The name of the backend.
    #[must_use]
    pub fn backend_name(&self) -> &'static str {
        self.backend.name()
    }

    /// Circuits and the backend give up a query for which they need more than there is room when they begin.
    pub fn limit_memory(&mut self, room: Room) {
        self.room = Some(room.clone());
        self.backend.limit_memory(room);
    }

    /// Forgets what it has learned: everything can be found again.
    pub fn forget(&mut self) {
        self.cache = Cache::default();
        self.partition = Partition::default();
        self.scratch = Scratch::default();
        self.backend.forget();
    }

    /// A handle for other threads.
    #[must_use]
    pub fn interrupt(&self) -> Interrupt {
        Interrupt {
            flag: self.stop.clone(),
            hook: self.backend.interrupter(),
        }
    }

    /// Answers one query.
    pub fn solve(&mut self, pool: &mut Pool, query: &Query<'_>) -> Answer {
        let began = Instant::now();
        if self.epoch != pool.epoch() {
            self.epoch = pool.epoch();
            self.cache = Cache::default();
        }
        let (answer, layer) = self.layers(pool, query);
        self.stats.add(layer, began.elapsed());
        match &answer {
            Answer::Sat(_) => self.stats.sat += 1,
            Answer::Unsat => self.stats.unsat += 1,
            Answer::Unknown(_) => self.stats.unknown += 1,
        }
        answer
    }

    /// Somebody stopped it, and it was not told to work again.
    #[must_use]
    pub fn is_stopped(&self) -> bool {
        self.stop.load(Ordering::SeqCst)
    }

    fn layers(&mut self, pool: &Pool, query: &Query<'_>) -> (Answer, Layer) {
        let job = match self.prepare(pool, query) {
            Ok(job) => job,
            Err(answer) => return (answer, Layer::Trivial),
        };
        if self.is_stopped() {
            return (Answer::Unknown(Reason::Interrupted), Layer::Interrupted);
        }
        if let Some(remembered) = self.remembered(pool, &job) {
            return remembered;
        }
        let (answer, layer, part) = match self.decided(pool, &job) {
            Some((answer, layer)) => (answer, layer, None),
            None if self.config.caches && self.cache.is_hard(job.goal, job.effort) => {
                match self.swept(pool, &job) {
                    Some(answer) => (answer, Layer::Swept, None),
                    None => {
                        let answer = Answer::Unknown(Reason::Backend("given up before".into()));
                        (answer, Layer::GivenUp, None)
                    }
                }
            }
            None => self.ask(pool, &job),
        };
        if self.config.caches {
            match &answer {
                Answer::Sat(model) => {
                    let values = job
                        .tape
                        .vars
                        .iter()
                        .map(|&(var, _)| (var, model.get(var)))
                        .collect();
                    self.cache.add_model(job.goal, &job.slice, values);
                }
                Answer::Unsat => {
                    let core = part.as_deref().unwrap_or(&job.slice);
                    self.cache.add_unsat(job.goal, core);
                }
                Answer::Unknown(Reason::Backend(_)) if layer != Layer::GivenUp => {
                    self.cache.add_given_up(job.goal, job.effort);
                }
                Answer::Unknown(_) => {}
            }
        }
        (answer, layer)
    }

    /// The slice, compiled; or the answer, if none is needed.
    fn prepare<'a>(&mut self, pool: &Pool, query: &Query<'a>) -> Result<Job<'a>, Answer> {
        let (goal, hint) = (query.goal, query.hint);
        if pool.is_false(goal) {
            return Err(Answer::Unsat);
        }
        let slice = match self.partition.slice(pool, query.prefix, goal) {
            Slice::Contradiction => return Err(Answer::Unsat),
            Slice::Constraints(slice) => slice,
        };
        self.stats.prefix_constraints += query.prefix.len() as u64;
        self.stats.slice_constraints += slice.len() as u64;
        let mut roots = conjuncts(pool, goal);
        roots.extend(&slice);
        let tape = Tape::new(pool, &roots, &mut self.scratch);
        let job = Job {
            goal,
            hint,
            effort: query.effort,
            slice,
            roots,
            tape,
        };
        if job.satisfied_by(hint) {
            Err(Answer::Sat(hint.clone()))
        } else {
            Ok(job)
        }
    }

    /// Answers from earlier queries.
    fn remembered(&mut self, pool: &Pool, job: &Job<'_>) -> Option<(Answer, Layer)> {
        if !self.config.caches {
            return None;
        }
        if self.cache.is_unsat(job.goal, &job.slice) {
            return Some((Answer::Unsat, Layer::KnownUnsat));
        }
        if let Some(model) = self.cache.model(job.goal, &job.slice)
            && let Some(answer) = job.confirm(pool, job.tape.vars.iter().map(|v| model.get(v.0)))
        {
            return Some((answer, Layer::KnownSat));
        }
        // The goal's own conjuncts come first on the tape: most models fail there.
        let steps = job.goal_steps();
        let mut values = job.tape.blank();
        for model in self.cache.recent() {
            let value = |i: u32| {
                let var = job.tape.vars[i as usize].0;
                model.entry(var).unwrap_or_else(|| job.hint.get(var))
            };
            job.tape.run_until(steps, &mut values, value);
            if !job.goal_roots().iter().all(|&r| values[r as usize] == 1) {
                continue;
            }
            let vars = (0..job.tape.vars.len() as u32).map(value);
            if let Some(answer) = job.confirm(pool, vars) {
                return Some((answer, Layer::Reused));
            }
        }
        None
    }

    /// Answers from the layers that decide by themselves.
    fn decided(&self, pool: &Pool, job: &Job<'_>) -> Option<(Answer, Layer)> {
        if self.config.domains && domain::contradiction(&job.tape) {
            return Some((Answer::Unsat, Layer::Domains));
        }
        let bits: u32 = job.tape.vars.iter().map(|v| u32::from(v.1)).sum();
        let steps = job.tape.steps.len() as u64;
        let all = if bits < 32 { steps << bits } else { u64::MAX };
        if all <= u64::from(self.config.enumeration_steps) && job.has_one_width_each() {
            let found = search::enumerate(&job.tape, bits as u16);
            let answer = match found {
                None => Some(Answer::Unsat),
                Some(vars) => job.confirm(pool, vars.into_iter()),
            };
            return answer.map(|answer| (answer, Layer::Enumerated));
        }
        let start = job.start();
        if self.config.domains
            && let Some(answer) = job.within_ranges(pool, &start)
        {
            return Some((answer, Layer::Ranges));
        }
        let found = match few::few(&job.tape, job.goal_roots().len(), &start) {
            Found::Nothing => Some(Answer::Unsat),
            Found::Values(values) => job.confirm(pool, values.into_iter()),
            Found::Open => None,
        };
        if let Some(answer) = found {
            return Some((answer, Layer::Few));
        }
        if let Some(vars) = search::search(&job.tape, &start, self.config.search)
            && let Some(answer) = job.confirm(pool, vars.into_iter())
        {
            return Some((answer, Layer::Searched));
        }
        None
    }

    /// An answer by repair ([`sweep`]).
    fn swept(&self, pool: &Pool, job: &Job<'_>) -> Option<Answer> {
        if self.config.search.steps == 0 {
            return None;
        }
        let (goals, start) = (job.goal_roots().len(), job.start());
        let moves = search::moves_to(&job.tape, goals, &start, MOVES);
        let vars = sweep::sweep(&job.tape, goals, &start, &moves)?;
        job.confirm(pool, vars.into_iter())
    }
}

impl Job<'_> {
    /// The hint's values for the tape's variables.
    fn start(&self) -> Vec<u128> {
        let vars = self.tape.vars.iter();
        vars.map(|&(var, _)| self.hint.get(var)).collect()
    }

    /// A model's values for the tape's variables; those that it says nothing of are as in the hint.
    fn values(&self, model: &Assignment) -> impl Iterator<Item = u128> {
        let vars = self.tape.vars.iter();
        vars.map(|&(var, _)| model.entry(var).unwrap_or_else(|| self.hint.get(var)))
    }

    /// Places of the goal's conjuncts.
    fn goal_roots(&self) -> &[u32] {
        &self.tape.roots[..self.tape.roots.len() - self.slice.len()]
    }

    /// Steps that the goal's conjuncts need.
    fn goal_steps(&self) -> usize {
        self.goal_roots()
            .iter()
            .max()
            .map_or(0, |&r| r as usize + 1)
    }

    /// Whether no variable is read at two widths.
    fn has_one_width_each(&self) -> bool {
        let mut vars: Vec<_> = self.tape.vars.iter().map(|v| v.0).collect();
        vars.sort_unstable();
        vars.windows(2).all(|w| w[0] != w[1])
    }

    /// The answer when comparisons with constants are all that matters.
    fn within_ranges(&self, pool: &Pool, start: &[u128]) -> Option<Answer> {
        let mut values = self.tape.blank();
        self.tape.run(&mut values, |i| start[i as usize]);
        match ranges::left(&self.tape, &values) {
            Left::Nothing => Some(Answer::Unsat),
            // Without a wish the hint would be asked about once more.
            Left::Wishes(wishes) if wishes.is_empty() => None,
            Left::Wishes(wishes) => {
                let vars = search::granted(&self.tape, start, values, wishes)?;
                self.confirm(pool, vars.into_iter())
            }
        }
    }

    fn satisfied_by(&self, assignment: &Assignment) -> bool {
        let mut values = self.tape.blank();
        self.tape.run_until(self.goal_steps(), &mut values, |i| {
            assignment.get(self.tape.vars[i as usize].0)
        });
        if !self.goal_roots().iter().all(|&r| values[r as usize] == 1) {
            return false;
        }
        self.tape.run(&mut values, |i| {
            assignment.get(self.tape.vars[i as usize].0)
        });
        self.tape.roots.iter().all(|&r| values[r as usize] == 1)
    }

    /// The hint with new values for the tape's variables, if it satisfies all roots.
    fn confirm(&self, pool: &Pool, values: impl Iterator<Item = u128>) -> Option<Answer> {
        let mut full = self.hint.clone();
        for (&(var, _), value) in self.tape.vars.iter().zip(values) {
            full.set(var, value);
        }
        let good = self.satisfied_by(&full);
        debug_assert!(!good || self.roots.iter().all(|&r| eval(pool, r, &full) == 1));
        good.then_some(Answer::Sat(full))
    }
}

#[cfg(test)]
mod tests;
