//! What looking for a proof may cost: questions and steps of the solver, which are counted and not timed, and an end that others set.
//!
//! Must hold: whoever runs out is told so by a refusal. What was not asked was not refuted, and nothing is given up for it.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use smt::check::{Check, Checker, Steps, Verdict};
use smt::{BackendError, Interrupt, Pool, Term};

use crate::check::BUDGET;
use crate::kinds::Refusal;

/// What is left.
#[derive(Clone, Debug)]
pub struct Effort {
    questions: u64,
    /// Of all questions together; `None`: any number.
    steps: Option<u64>,
    /// Of one question.
    most: Steps,
    end: End,
}

impl Effort {
    /// So many questions, each of which may cost what the checker spends on one.
    #[must_use]
    pub fn questions(questions: u64) -> Effort {
        Effort {
            questions,
            steps: None,
            most: BUDGET,
            end: End::default(),
        }
    }

    /// At most so many steps together, and so many for one question.
    #[must_use]
    pub fn steps(self, all: u64, one: Steps) -> Effort {
        Effort {
            steps: Some(all),
            most: one,
            ..self
        }
    }

    /// Ends when somebody says so.
    #[must_use]
    pub fn until(self, end: End) -> Effort {
        Effort { end, ..self }
    }

    /// What one more question may cost.
    ///
    /// # Errors
    /// There is nothing left, or nobody waits.
    pub(crate) fn ask(&mut self) -> Result<Steps, Refusal> {
        self.goes_on()?;
        self.questions = self.questions.checked_sub(1).ok_or(Refusal::TooLarge)?;
        let left = self.steps.unwrap_or(u64::MAX);
        match u32::try_from(left).unwrap_or(u32::MAX) {
            0 => Err(Refusal::Spent),
            left => Ok(Steps(left.min(self.most.0))),
        }
    }

    /// A question did cost so much.
    ///
    /// # Errors
    /// Nobody waits: the answer may be none.
    pub(crate) fn spend(&mut self, steps: u64) -> Result<(), Refusal> {
        // A question costs something even where the solver counts nothing.
        if let Some(left) = &mut self.steps {
            *left = left.saturating_sub(steps.max(1));
        }
        self.goes_on()
    }

    /// # Errors
    /// Nobody waits.
    pub(crate) fn goes_on(&self) -> Result<(), Refusal> {
        match self.end.is_over() {
            true => Err(Refusal::Ended),
            false => Ok(()),
        }
    }

    /// Whether anything meets all of some conditions: a question to a fresh solver.
    ///
    /// # Errors
    /// There is nothing left, nobody waits, or there is no solver.
    pub(crate) fn refute(&mut self, pool: &Pool, conditions: &[Term]) -> Result<Verdict, Refusal> {
        let budget = self.ask()?;
        let solver = self.checker();
        let mut solver = solver.map_err(|error| Refusal::NeedsSearch(error.to_string()))?;
        for condition in conditions {
            solver.assert(pool, *condition);
        }
        let asked = Check {
            budget,
            ..Check::new(&[])
        };
        let verdict = solver.check(pool, &asked);
        self.spend(solver.stats().steps)?;
        Ok(verdict)
    }

    /// A solver that ends with this.
    ///
    /// # Errors
    /// There is no solver.
    pub(crate) fn checker(&self) -> Result<Checker, BackendError> {
        let checker = Checker::new((smt::backend::ALL[0].checker)()?);
        self.end.watches(checker.interrupt());
        Ok(checker)
    }
}

/// Ends the work of an [`Effort`], from another thread if need be, in the middle of a question.
#[derive(Clone, Debug, Default)]
pub struct End(Arc<Inner>);

#[derive(Default)]
struct Inner {
    over: AtomicBool,
    /// Of the solver that was made last.
    solver: Mutex<Option<Interrupt>>,
}

impl std::fmt::Debug for Inner {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Inner").field("over", &self.over).finish()
    }
}

impl End {
    /// Nobody waits any longer. May be said again.
    pub fn now(&self) {
        self.0.over.store(true, Ordering::SeqCst);
        let solver = self.0.solver.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(solver) = &*solver {
            solver.stop();
        }
    }

    /// Has somebody said so?
    #[must_use]
    pub fn is_over(&self) -> bool {
        self.0.over.load(Ordering::SeqCst)
    }

    /// Stops this solver, and no longer the one before it, when somebody says so.
    pub fn watches(&self, interrupt: Interrupt) {
        let mut solver = self.0.solver.lock().unwrap_or_else(PoisonError::into_inner);
        // Who said it before this solver was there cannot have stopped it.
        if self.is_over() {
            interrupt.stop();
        }
        *solver = Some(interrupt);
    }
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc::channel;
    use std::time::Duration;

    use super::*;
    use crate::assertion::{Context, Invariant, State};
    use crate::closed::Effects;
    use crate::induction::{Proved, check};

    /// Two numbers whose product is that of two large primes: a solver looks for them for hours.
    const HARD: &str = r#"
        extern @input() -> i32
        fn @main() -> i32 {
        block0:
          v0: i32 = call @input()
          v1: i32 = call @input()
          v2: i64 = zext v0
          v3: i64 = zext v1
          v4: i64 = mul v2, v3
          v5: i1 = icmp eq v4, i64 18446743979220271189
          v6: i1 = icmp ult v0, i32 4294967279
          v7: i1 = icmp ugt v0, i32 1
          br v5, block1, block4
        block1:
          br v6, block2, block4
        block2:
          br v7, block3, block4
        block3:
          ret i32 1
        block4:
          ret i32 0
        }
    "#;

    /// The invariant that says that `block3` is not reached: its only question is the hard one.
    fn look(effort: Effort) -> Result<Proved, Refusal> {
        let program = program::text::sample(HARD);
        let state = |block| State {
            block,
            cells: Vec::new(),
            values: Vec::new(),
            pairs: Vec::new(),
        };
        let invariant = Invariant {
            cells: Vec::new(),
            contexts: vec![Context {
                states: vec![state(0)],
                ..Context::default()
            }],
        };
        check(&Effects::new(&program, false, None), &invariant, effort)
    }

    #[test]
    fn a_hard_question_takes_no_more_than_there_is() {
        let all = |steps| Effort::questions(100).steps(steps, Steps(u32::MAX));
        assert_eq!(look(all(0)), Err(Refusal::Spent));
        let refused = look(all(50)).expect_err("it is too hard");
        assert!(
            matches!(refused, Refusal::NotRefuted { .. } | Refusal::Spent),
            "{refused}"
        );
        let mut effort = all(50);
        assert_eq!(effort.ask(), Ok(Steps(50)));
        effort.spend(49).expect("nobody ends it");
        assert_eq!(effort.ask(), Ok(Steps(1)));
        // A question that the solver counts nothing for costs one all the same.
        effort.spend(0).expect("nobody ends it");
        assert_eq!(effort.ask(), Err(Refusal::Spent));
    }

    #[test]
    fn another_thread_ends_a_hard_question() {
        let end = End::default();
        let effort = Effort::questions(100).steps(u64::MAX, Steps(u32::MAX));
        let (done, finished) = channel::<()>();
        let other = end.clone();
        let thread = std::thread::spawn(move || {
            // Again and again: the solver may not have begun.
            while finished.recv_timeout(Duration::from_millis(50)).is_err() {
                other.now();
            }
        });
        let ended = look(effort.clone().until(end.clone()));
        done.send(()).expect("the thread waits");
        thread.join().expect("the thread ends");
        assert_eq!(ended, Err(Refusal::Ended));
        assert_eq!(look(effort.until(end)), Err(Refusal::Ended));
    }

    /// Whoever says so first, the solver or its end.
    #[test]
    fn a_solver_ends_with_its_effort() {
        let ended = |early: bool| {
            let end = End::default();
            let effort = Effort::questions(1).until(end.clone());
            if early {
                end.now();
            }
            let mut checker = effort.checker().expect("there is a solver");
            if !early {
                end.now();
            }
            let mut pool = smt::Pool::new();
            let (x, y) = (pool.var(smt::Var(0), 8), pool.var(smt::Var(1), 8));
            let same = pool.eq(x, y);
            checker.assert(&pool, same);
            checker.check(&pool, &smt::check::Check::new(&[]))
        };
        for early in [false, true] {
            let found = ended(early);
            let why = smt::Why::Interrupted;
            assert_eq!(found, smt::Verdict::Unknown(why), "{early}");
        }
    }
}
