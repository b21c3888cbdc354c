//! The second entrance: what a proof asks.
//!
//! The search asks to change a run ([`Query`](crate::Query)): a path condition that holds under a hint, and one condition more. A proof
//! asks whether assertions can hold together with assumptions ([`Check`]): it has no run, it wants to know which of the assumptions
//! contradict each other, and it asks again with a few assertions more or fewer ([`Checker::push`], [`Checker::pop`]).
//!
//! What must hold: a model is returned only confirmed by the evaluator; an unsatisfiable core is a contradiction together
//! with the assertions, because the backend refuted just that set; what is not decided is [`Verdict::Unknown`], never "unsat".

use std::sync::{
    Arc,
    atomic::{AtomicBool, Ordering},
};

use crate::backend::Hook;
use crate::{Assignment, Epoch, Evaluator, Pool, Term};

/// How much a check may cost, in units of our own.
///
/// A step is a fixed amount of a backend's work, counted and not timed: the same check with the same budget ends in the same way on every
/// machine. A backend says what it takes a step for; for Z3 it is 1,000 units of its `rlimit`, some tenths of a millisecond.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Steps(pub u32);

impl Default for Steps {
    /// Some seconds.
    fn default() -> Steps {
        Steps(20_000)
    }
}

/// What is asked: can all assertions and all `assumptions` hold?
#[derive(Clone, Copy, Debug)]
pub struct Check<'a> {
    /// Terms of width 1 that hold for this check only.
    pub assumptions: &'a [Term],
    /// For the check, and once more for each assumption that is tried to be left out of a core.
    pub budget: Steps,
    /// Which core is wanted.
    pub core: CoreKind,
}

/// How much is done for a small core.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum CoreKind {
    /// As the backend gives it.
    #[default]
    Any,
    /// No assumption of it can be left out, as far as the budget lets this be found out. The first ones are left out first.
    Minimal,
}

impl<'a> Check<'a> {
    /// A check with the default budget.
    #[must_use]
    pub fn new(assumptions: &'a [Term]) -> Check<'a> {
        Check {
            assumptions,
            budget: Steps::default(),
            core: CoreKind::Any,
        }
    }
}

/// The answer to a [`Check`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// Values under which everything holds; confirmed by the evaluator.
    Sat(Assignment),
    /// Nothing satisfies the assertions together with these assumptions: their places in [`Check::assumptions`], in order. No
    /// places: the assertions alone contradict each other.
    Unsat(Vec<usize>),
    /// Undecided.
    Unknown(Why),
}

/// Why a check was not decided.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Why {
    /// Its steps are spent.
    #[error("the budget is spent")]
    Budget,
    /// Another thread stopped it.
    #[error("interrupted")]
    Interrupted,
    /// The backend gave up: its own words.
    #[error("the solver gave up: {0}")]
    GaveUp(String),
    /// The backend's model, invariant or derivation is none: a bug in the backend or in the translation.
    #[error("the solver's answer was not confirmed: {0}")]
    NotConfirmed(String),
    /// The assertions are terms of another pool, or of this one before it was compacted.
    #[error("the assertions are terms of another pool")]
    OtherPool,
}

/// A backend's answer, not yet confirmed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RawVerdict {
    /// Values of the variables.
    Sat(Assignment),
    /// Places of assumptions that are enough.
    Unsat(Vec<usize>),
    /// It ended without an answer.
    Unknown(Why),
}

/// A decision procedure with scopes. What is asserted in a scope goes with it.
pub trait Scoped {
    /// Opens a scope.
    fn push(&mut self);
    /// Closes the last scope.
    fn pop(&mut self);
    /// Holds from now on, in this scope. The pool is the same for all terms between the first assertion and the end.
    fn assert(&mut self, pool: &Pool, term: Term);
    /// Whether the assertions and the assumptions can hold.
    fn check(&mut self, pool: &Pool, assumptions: &[Term], budget: Steps) -> RawVerdict;
    /// What the last check took of its budget.
    fn spent(&self) -> Steps;
    /// Stops a running check from another thread, if it can.
    fn interrupter(&self) -> Option<Hook> {
        None
    }
}

/// Counters of a [`Checker`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct CheckStats {
    /// Checks asked.
    pub checks: u64,
    /// Checks of the backend, those for smaller cores included.
    pub backend: u64,
    /// Answers.
    pub sat: u64,
    /// Answers.
    pub unsat: u64,
    /// Answers.
    pub unknown: u64,
    /// Steps of all checks.
    pub steps: u64,
    /// Models that did not satisfy their check: bugs (answered as unknown).
    pub bad_models: u64,
}

/// Assertions in scopes, and a backend that decides about them.
pub struct Checker {
    backend: Box<dyn Scoped>,
    asserted: Vec<Term>,
    /// How many assertions there were when each scope was opened.
    scopes: Vec<usize>,
    epoch: Option<Epoch>,
    stop: Arc<AtomicBool>,
    stats: CheckStats,
}

impl Checker {
    /// No assertions yet.
    #[must_use]
    pub fn new(backend: Box<dyn Scoped>) -> Checker {
        Checker {
            backend,
            asserted: Vec::new(),
            scopes: Vec::new(),
            epoch: None,
            stop: Arc::default(),
            stats: CheckStats::default(),
        }
    }

    /// Counters since the start.
    #[must_use]
    pub fn stats(&self) -> &CheckStats {
        &self.stats
    }

    /// Number of open scopes.
    #[must_use]
    pub fn depth(&self) -> usize {
        self.scopes.len()
    }

    /// A handle for other threads.
    #[must_use]
    pub fn interrupt(&self) -> crate::Interrupt {
        crate::Interrupt::new(self.stop.clone(), self.backend.interrupter())
    }

    /// Opens a scope.
    pub fn push(&mut self) {
        self.scopes.push(self.asserted.len());
        self.backend.push();
    }

    /// Closes the last scope: its assertions are gone.
    ///
    /// # Panics
    /// When no scope is open.
    pub fn pop(&mut self) {
        let before = self.scopes.pop().expect("a scope is open");
        self.asserted.truncate(before);
        self.backend.pop();
        if self.asserted.is_empty() {
            self.epoch = None;
        }
    }

    /// `term`, of width 1, holds from now on, until its scope is closed.
    pub fn assert(&mut self, pool: &Pool, term: Term) {
        self.epoch.get_or_insert_with(|| pool.epoch());
        self.asserted.push(term);
        if self.epoch == Some(pool.epoch()) {
            self.backend.assert(pool, term);
        }
    }

    /// Whether assertions and assumptions can hold.
    pub fn check(&mut self, pool: &Pool, check: &Check<'_>) -> Verdict {
        self.stats.checks += 1;
        let verdict = self.decide(pool, check);
        match &verdict {
            Verdict::Sat(_) => self.stats.sat += 1,
            Verdict::Unsat(_) => self.stats.unsat += 1,
            Verdict::Unknown(_) => self.stats.unknown += 1,
        }
        verdict
    }

    fn decide(&mut self, pool: &Pool, check: &Check<'_>) -> Verdict {
        if self.epoch.is_some_and(|epoch| epoch != pool.epoch()) {
            return Verdict::Unknown(Why::OtherPool);
        }
        if self.asserted.iter().any(|&term| pool.is_false(term)) {
            return Verdict::Unsat(Vec::new());
        }
        let false_one = check
            .assumptions
            .iter()
            .position(|&term| pool.is_false(term));
        if let Some(place) = false_one {
            return Verdict::Unsat(vec![place]);
        }
        let all: Vec<usize> = (0..check.assumptions.len()).collect();
        match self.ask(pool, check, &all) {
            RawVerdict::Unsat(core) => Verdict::Unsat(self.smaller(pool, check, core)),
            RawVerdict::Sat(model) => Verdict::Sat(model),
            RawVerdict::Unknown(why) => Verdict::Unknown(why),
        }
    }

    /// Asks the backend about some of the assumptions; places and model are those of the whole check.
    fn ask(&mut self, pool: &Pool, check: &Check<'_>, places: &[usize]) -> RawVerdict {
        if self.stop.load(Ordering::SeqCst) {
            return RawVerdict::Unknown(Why::Interrupted);
        }
        self.stats.backend += 1;
        let terms: Vec<Term> = places
            .iter()
            .map(|&place| check.assumptions[place])
            .collect();
        let answer = self.backend.check(pool, &terms, check.budget);
        self.stats.steps += u64::from(self.backend.spent().0);
        match answer {
            RawVerdict::Sat(model) => {
                let mut values = Evaluator::new(pool, &model);
                let holds = |&term: &Term| values.value(term) == 1;
                if self.asserted.iter().chain(&terms).all(holds) {
                    return RawVerdict::Sat(model);
                }
                self.stats.bad_models += 1;
                RawVerdict::Unknown(Why::NotConfirmed("a model".to_owned()))
            }
            RawVerdict::Unsat(core) => {
                let mut core: Vec<usize> = core.into_iter().map(|at| places[at]).collect();
                core.sort_unstable();
                core.dedup();
                RawVerdict::Unsat(core)
            }
            RawVerdict::Unknown(_) if self.stop.load(Ordering::SeqCst) => {
                RawVerdict::Unknown(Why::Interrupted)
            }
            unknown => unknown,
        }
    }

    /// The core without assumptions that it does not need, if that is asked for.
    fn smaller(&mut self, pool: &Pool, check: &Check<'_>, mut core: Vec<usize>) -> Vec<usize> {
        if check.core == CoreKind::Any {
            return core;
        }
        // Those before this place are needed.
        let mut at = 0;
        while at < core.len() {
            let mut without = core.clone();
            let left_out = without.remove(at);
            match self.ask(pool, check, &without) {
                // Of those before `left_out` none goes: each is needed in every larger set, so in this one.
                RawVerdict::Unsat(fewer) => {
                    core = fewer;
                    at = core.partition_point(|&place| place < left_out);
                }
                RawVerdict::Sat(_) => at += 1,
                RawVerdict::Unknown(Why::Interrupted) => break,
                RawVerdict::Unknown(_) => at += 1,
            }
        }
        core
    }
}

#[cfg(test)]
mod tests;
