//! Constrained Horn clauses: is there a way to a bad state, or an invariant that rules it out?
//!
//! A [`System`] has predicates over bit-vectors (what may hold at a point of a program) and [`Clause`]s: if these predicates hold of
//! these terms and the constraint is true, then that predicate holds of those terms; or, without a head, something bad happens.
//! A clause holds for all values of its variables.
//!
//! What must hold: neither answer is believed. Invariants are [`Horn::Safe`] only when a fresh [`Checker`](crate::Checker) has shown each clause to
//! keep them; a derivation is [`Horn::Unsafe`] only when each of its facts follows from earlier ones by a clause, with values that
//! the evaluator has confirmed.

mod confirm;
mod templates;

use std::collections::BTreeMap;
use std::sync::{
    Arc,
    atomic::{AtomicBool, Ordering},
};

use crate::backend::Hook;
use crate::check::{Scoped, Steps, Why};
use crate::{Assignment, Pool, Term, Var};

pub use templates::Templates;

/// A predicate of a [`System`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Predicate(pub u32);

impl std::fmt::Display for Predicate {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "p{}", self.0)
    }
}

/// A predicate of some terms.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Application {
    pub predicate: Predicate,
    /// As many as the predicate has parameters, of their widths.
    pub arguments: Vec<Term>,
}

/// `body` and `constraint` imply `head`; without a head they must not hold together.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Clause {
    pub body: Vec<Application>,
    /// Of width 1.
    pub constraint: Term,
    pub head: Option<Application>,
}

/// Clauses over predicates.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct System {
    /// Widths of each predicate's parameters.
    parameters: Vec<Vec<u16>>,
    clauses: Vec<Clause>,
}

/// Why something is no clause of a system.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum BadClause {
    /// The predicate is not of this system.
    #[error("{0} is no predicate of the system")]
    Predicate(Predicate),
    /// The arguments' number or widths are others.
    #[error("the arguments of {0} do not fit its parameters")]
    Arguments(Predicate),
    /// The constraint has not width 1.
    #[error("a constraint has {0} bits, not 1")]
    Constraint(u16),
}

impl System {
    /// No predicates and no clauses.
    #[must_use]
    pub fn new() -> System {
        System::default()
    }

    /// A new predicate with parameters of these widths.
    pub fn predicate(&mut self, parameters: Vec<u16>) -> Predicate {
        self.parameters.push(parameters);
        Predicate(self.parameters.len() as u32 - 1)
    }

    /// Adds a clause.
    ///
    /// # Errors
    /// It does not fit the predicates.
    pub fn add(&mut self, pool: &Pool, clause: Clause) -> Result<(), BadClause> {
        for Application {
            predicate,
            arguments,
        } in clause.body.iter().chain(&clause.head)
        {
            let parameters = self.parameters.get(predicate.0 as usize);
            let parameters = parameters.ok_or(BadClause::Predicate(*predicate))?;
            let widths = arguments.iter().map(|&term| pool.width(term));
            if !widths.eq(parameters.iter().copied()) {
                return Err(BadClause::Arguments(*predicate));
            }
        }
        match pool.width(clause.constraint) {
            1 => self.clauses.push(clause),
            bits => return Err(BadClause::Constraint(bits)),
        }
        Ok(())
    }

    /// The clauses, in the order in which they were added.
    #[must_use]
    pub fn clauses(&self) -> &[Clause] {
        &self.clauses
    }

    /// The widths of each predicate's parameters.
    #[must_use]
    pub fn parameters(&self) -> &[Vec<u16>] {
        &self.parameters
    }

    /// Is there a formula for each predicate, over no more than its parameters?
    #[must_use]
    pub fn fits(&self, pool: &Pool, invariants: &[Term]) -> bool {
        invariants.len() == self.parameters.len()
            && invariants.iter().zip(&self.parameters).all(|(&term, own)| {
                let mut vars = pool.vars(term).into_iter();
                pool.width(term) == 1 && vars.all(|var| (var.0 as usize) < own.len())
            })
    }

    /// The conditions under which formulas for the predicates, over `Var(0)`, `Var(1)`, …, are not kept by a clause: nothing may meet all of
    /// them.
    pub fn broken(&self, pool: &mut Pool, invariants: &[Term], clause: usize) -> Vec<Term> {
        let clause = &self.clauses[clause];
        let mut all = vec![clause.constraint];
        for application in &clause.body {
            let own = invariants[application.predicate.0 as usize];
            all.push(instance(pool, own, application));
        }
        if let Some(head) = &clause.head {
            let own = invariants[head.predicate.0 as usize];
            let holds = instance(pool, own, head);
            all.push(pool.not(holds));
        }
        all
    }
}

/// A formula over a predicate's parameters, of these arguments.
fn instance(pool: &mut Pool, formula: Term, application: &Application) -> Term {
    let arguments = application.arguments.iter().zip(0..);
    let by: BTreeMap<Var, Term> = arguments.map(|(&term, at)| (Var(at), term)).collect();
    pool.substitute(formula, &by)
}

/// A predicate that holds of these values, and why.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fact {
    /// `None`: the bad thing itself.
    pub predicate: Option<Predicate>,
    pub values: Vec<u128>,
    /// The clause that it follows by.
    pub clause: usize,
    /// The facts that the clause's body is true of: places in the derivation, all before this one.
    pub from: Vec<usize>,
    /// Values of the clause's variables.
    pub under: Assignment,
}

/// What is known of a system.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Horn {
    /// Nothing bad can be derived. For each predicate a term over the variables `Var(0)`, `Var(1)`, … (its parameters, in order) that
    /// holds wherever the predicate does.
    Safe(Vec<Term>),
    /// Something bad can be derived: the last fact.
    Unsafe(Vec<Fact>),
    /// Undecided.
    Unknown(Why),
}

/// A backend's answer, not yet confirmed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RawHorn {
    /// An invariant for each predicate, as in [`Horn::Safe`].
    Safe(Vec<Term>),
    /// Facts, each following from earlier ones; the bad thing is not among them.
    Unsafe(Vec<(Predicate, Vec<u128>)>),
    /// It ended without an answer.
    Unknown(Why),
}

/// A procedure for Horn clauses.
pub trait HornBackend {
    /// Whether something bad can be derived. Terms of invariants are made in the pool.
    fn solve(&mut self, pool: &mut Pool, system: &System, budget: Steps) -> RawHorn;
    /// Stops it from another thread, if it can.
    fn interrupter(&self) -> Option<Hook> {
        None
    }
}

/// A procedure for Horn clauses, and one that confirms what it says.
pub struct HornSolver {
    backend: Box<dyn HornBackend>,
    checker: fn() -> Result<Box<dyn Scoped>, crate::BackendError>,
    stop: Arc<AtomicBool>,
}

impl HornSolver {
    /// `checker` makes the procedure that confirms answers.
    #[must_use]
    pub fn new(
        backend: Box<dyn HornBackend>,
        checker: fn() -> Result<Box<dyn Scoped>, crate::BackendError>,
    ) -> HornSolver {
        HornSolver {
            backend,
            checker,
            stop: Arc::default(),
        }
    }

    /// A handle for other threads.
    #[must_use]
    pub fn interrupt(&self) -> crate::Interrupt {
        crate::Interrupt::new(self.stop.clone(), self.backend.interrupter())
    }

    /// Decides about a system. The budget is for the backend, and once more for each check that confirms its answer.
    pub fn solve(&mut self, pool: &mut Pool, system: &System, budget: Steps) -> Horn {
        if self.stop.load(Ordering::SeqCst) {
            return Horn::Unknown(Why::Interrupted);
        }
        let checker = match (self.checker)() {
            Ok(backend) => crate::Checker::new(backend),
            Err(error) => return Horn::Unknown(Why::GaveUp(error.to_string())),
        };
        let confirmed = match self.backend.solve(pool, system, budget) {
            RawHorn::Safe(invariants) => {
                confirm::invariants(checker, pool, system, &invariants, budget)
                    .map(|()| Horn::Safe(invariants))
            }
            RawHorn::Unsafe(facts) => {
                confirm::derivation(checker, pool, system, facts, budget).map(Horn::Unsafe)
            }
            RawHorn::Unknown(why) => Err(why),
        };
        // What a backend says while it is stopped may be cut short, and is not confirmed then.
        confirmed.unwrap_or_else(|why| match self.stop.load(Ordering::SeqCst) {
            true => Horn::Unknown(Why::Interrupted),
            false => Horn::Unknown(why),
        })
    }
}

#[cfg(test)]
mod tests;
