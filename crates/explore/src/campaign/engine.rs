//! What a campaign runs on: target, solver, terms, clock, the flag that stops it, and who watches.

use std::borrow::Cow;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use smt::{Answer, Pool, Query, Reason, Solver};

use super::budget::Clock;
use super::job::{Flip, Job, JobResult, Task};
use path::{InputVector, Target, TargetError};

/// What a worker is busy with.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Doing {
    Pick,
    Solve,
    Run,
    Learn,
    Fuzz,
}

impl Doing {
    pub const ALL: [Doing; 5] = [
        Doing::Pick,
        Doing::Solve,
        Doing::Run,
        Doing::Learn,
        Doing::Fuzz,
    ];

    /// Name in the progress line.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Doing::Pick => "picking",
            Doing::Solve => "solver",
            Doing::Run => "program",
            Doing::Learn => "engine",
            Doing::Fuzz => "fuzzer",
        }
    }
}

/// Is told what a worker is about to do.
pub trait Observer {
    fn doing(&self, what: Doing);
}

/// Watches nothing.
#[derive(Clone, Copy, Debug, Default)]
pub struct NoObserver;

impl Observer for NoObserver {
    fn doing(&self, _what: Doing) {}
}

/// What a worker has.
pub struct Engine<'a> {
    pub target: &'a mut dyn Target,
    pub solver: &'a mut Solver,
    pub pool: &'a mut Pool,
    pub clock: &'a dyn Clock,
    /// Set by whoever wants the campaign to stop (with [`Solver::interrupt`], if a query may be long).
    pub stop: &'a AtomicBool,
    pub observer: &'a dyn Observer,
}

/// What performing a job gave, and where the time went.
#[derive(Clone, Debug)]
pub struct Performed {
    pub result: JobResult,
    /// The target cannot go on; `result` is [`JobResult::Lost`].
    pub error: Option<TargetError>,
    pub solve: Duration,
    pub run: Duration,
}

impl Engine<'_> {
    /// Is the campaign to stop?
    #[must_use]
    pub fn interrupted(&self) -> bool {
        self.stop.load(Ordering::Relaxed)
    }

    /// Solves and runs a job. `was_run` says which inputs need not be run, `fit` how many values an input gives.
    pub fn perform(
        &mut self,
        job: &Job,
        was_run: impl Fn(&InputVector) -> bool,
        fit: impl for<'v> Fn(&'v InputVector) -> Cow<'v, InputVector>,
    ) -> Performed {
        let began = self.clock.elapsed();
        let solved = match &job.task {
            Task::Run(input) => Ok(input.clone()),
            Task::Flip(flip) => self.solve(flip).and_then(|input| {
                if was_run(&input) {
                    Err(JobResult::Duplicate)
                } else {
                    Ok(input)
                }
            }),
        };
        let after = self.clock.elapsed();
        let solve = after.saturating_sub(began);
        let supplied = match solved {
            Ok(input) => input,
            Err(result) => {
                return Performed {
                    result,
                    error: None,
                    solve,
                    run: Duration::ZERO,
                };
            }
        };
        self.observer.doing(Doing::Run);
        let ran = self.target.run(self.pool, &fit(&supplied));
        let run = self.clock.elapsed().saturating_sub(after);
        match ran {
            Ok(path) => Performed {
                result: JobResult::Ran {
                    supplied,
                    run: Box::new(path),
                },
                error: None,
                solve,
                run,
            },
            Err(error) => Performed {
                result: JobResult::Lost,
                error: Some(error),
                solve,
                run,
            },
        }
    }

    fn solve(&mut self, flip: &Flip) -> Result<InputVector, JobResult> {
        self.observer.doing(Doing::Solve);
        let query = Query {
            prefix: &flip.prefix,
            goal: flip.goal,
            hint: &flip.hint,
            effort: flip.effort,
        };
        match self.solver.solve(self.pool, &query) {
            Answer::Sat(assignment) => Ok(flip.parent.with(&assignment)),
            Answer::Unsat => Err(JobResult::Unsat),
            Answer::Unknown(Reason::Interrupted) => Err(JobResult::Lost),
            Answer::Unknown(reason) => Err(JobResult::Unknown(reason)),
        }
    }
}
