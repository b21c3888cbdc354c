//! The solver: a stack of layers in front of a backend.
//!
//! A query asks to change a run: its path condition holds under the hint, and one more condition shall hold. Every
//! layer may answer or pass on. A `Sat` leaves only confirmed by the evaluator; an `Unsat` is believed.

use std::sync::{
    Arc,
    atomic::{AtomicBool, Ordering},
};

use crate::{Assignment, Backend, Budget, Pool, RawAnswer, Term, backend::Hook, eval::eval};

/// What is asked: an assignment under which `prefix` and `goal` are true.
#[derive(Clone, Copy, Debug)]
pub struct Query<'a> {
    /// The path condition; each term is true under `hint`.
    pub prefix: &'a [Term],
    /// To be made true.
    pub goal: Term,
    /// The assignment of the run that the path comes from.
    pub hint: &'a Assignment,
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
}

impl Default for Config {
    fn default() -> Self {
        Self {
            budget: Budget {
                units: 20_000_000,
                millis: 30_000,
            },
        }
    }
}

/// How many queries each layer answered.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Stats {
    /// Queries asked.
    pub queries: u64,
    /// Answered without looking further: the goal is constant, or true under the hint.
    pub trivial: u64,
    /// Calls of the backend.
    pub backend: u64,
    /// Answers.
    pub sat: u64,
    /// Answers.
    pub unsat: u64,
    /// Answers.
    pub unknown: u64,
    /// Models that did not satisfy their query: bugs.
    pub bad_models: u64,
}

/// Stops the solver from another thread: the query at hand ends with `Unknown(Interrupted)`, and so do all later
/// ones until [`Interrupt::clear`].
#[derive(Clone)]
pub struct Interrupt {
    flag: Arc<AtomicBool>,
    hook: Option<Hook>,
}

impl Interrupt {
    /// Stops.
    pub fn stop(&self) {
        self.flag.store(true, Ordering::SeqCst);
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
        }
    }

    /// Counters since the start.
    #[must_use]
    pub fn stats(&self) -> &Stats {
        &self.stats
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
        self.stats.queries += 1;
        if eval(pool, query.goal, query.hint) == 1 {
            self.stats.trivial += 1;
            return Answer::Sat(query.hint.clone());
        }
        let mut constraints = query.prefix.to_vec();
        constraints.push(query.goal);
        match self.backend.check(pool, &constraints, self.config.budget) {
            RawAnswer::Sat(model) => {
                let mut full = query.hint.clone();
                model.iter().for_each(|(var, value)| full.set(var, value));
                Answer::Sat(full)
            }
            RawAnswer::Unsat => Answer::Unsat,
            RawAnswer::Unknown(why) => Answer::Unknown(Reason::Backend(why)),
        }
    }
}
