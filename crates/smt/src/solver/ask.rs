//! The layers that have a budget: circuits, then the backend. Either is asked about parts of a query first.

use std::time::{Duration, Instant};

use super::part::Part;
use super::{Answer, Effort, Job, Layer, Reason, Solver};
use crate::circuit::{self, Limits, Outcome};
use crate::eval::Tape;
use crate::pool::Tag;
use crate::{Assignment, Pool, RawAnswer, Term};

/// Size of the largest queries that the backend is asked about, at first and later. It counts no work
/// before it searches, and a sum of 100,000 terms took it minutes while other queries waited.
const MOST_STEPS: [usize; 2] = [1 << 15, 1 << 17];
/// So many steps is an operation on floats worth, which becomes a circuit of thousands of gates.
const FLOAT_STEPS: usize = 16;

/// So many of a budget's units is a conflict of the SAT solver worth.
const CONFLICT: u32 = 400;
/// Gates of the largest circuit of each effort.
const MOST_GATES: [usize; 3] = [1 << 15, 1 << 17, 1 << 19];
/// Bytes that a gate takes, with what the SAT solver knows of it.
const GATE_BYTES: u64 = 256;

/// Slices with so many constraints are asked about in parts first, at most so often.
const PARTED: usize = 8;
const MOST_PARTS: u32 = 4;

/// Whom a query is asked of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Asked {
    Circuit,
    Backend,
}

/// What it says of some terms.
enum Said {
    Sat(Assignment),
    Unsat,
    Unknown(String),
    /// There are operations that it does not know.
    Unfit,
}

/// An answer, and the part of the slice that is enough for an [`Answer::Unsat`], if it is not all of it.
type Answered = (Answer, Option<Vec<Term>>);

impl Solver {
    /// The answer, its model confirmed; with it the part of the slice that is enough for an [`Answer::Unsat`].
    pub(super) fn ask(&mut self, pool: &Pool, job: &Job<'_>) -> (Answer, Layer, Option<Vec<Term>>) {
        // A small circuit costs less than repair, and says more often that there is nothing.
        let mut efforts = vec![Effort::Quick];
        if job.effort != Effort::Quick {
            efforts.push(job.effort);
        }
        let mut has_circuit = self.config.circuits;
        for effort in efforts {
            let asked = has_circuit.then(|| self.asked(pool, job, Asked::Circuit, effort));
            match asked.flatten() {
                Some((Answer::Unknown(_), _)) if !self.is_stopped() => {}
                Some((answer, part)) => return (answer, Layer::Circuit, part),
                None => has_circuit = false,
            }
            if effort == Effort::Quick
                && let Some(answer) = self.swept(pool, job)
            {
                return (answer, Layer::Swept, None);
            }
        }
        let open = |why: &str| Answer::Unknown(Reason::Backend(why.into()));
        // What a circuit gives up, the backend gives up too, and takes longer.
        if has_circuit && job.effort != Effort::Full {
            return (open("the circuit's budget"), Layer::Circuit, None);
        }
        let most = MOST_STEPS[usize::from(job.effort != Effort::Quick)];
        if job.size() > most {
            return (open("too large"), Layer::Backend, None);
        }
        match self.asked(pool, job, Asked::Backend, job.effort) {
            Some((answer, None)) => (answer, Layer::Backend, None),
            Some((answer, part)) => (answer, Layer::Part, part),
            None => (open("unfit"), Layer::Backend, None),
        }
    }

    /// `None`: it does not know an operation.
    fn asked(
        &mut self,
        pool: &Pool,
        job: &Job<'_>,
        who: Asked,
        effort: Effort,
    ) -> Option<Answered> {
        if job.slice.len() >= PARTED
            && let Some(answered) = self.asked_in_parts(pool, job, who, effort)
        {
            return Some(answered);
        }
        if self.is_stopped() {
            return Some((Answer::Unknown(Reason::Interrupted), None));
        }
        let answer = match self.check(pool, job, &job.roots, effort, who) {
            Said::Unfit => return None,
            Said::Unsat => Answer::Unsat,
            Said::Sat(model) => job.confirm(pool, job.values(&model)).unwrap_or_else(|| {
                self.stats.bad_models += 1;
                Answer::Unknown(Reason::BadModel)
            }),
            Said::Unknown(_) if self.is_stopped() => Answer::Unknown(Reason::Interrupted),
            Said::Unknown(why) => Answer::Unknown(Reason::Backend(why)),
        };
        Some((answer, None))
    }

    /// The answer to a part of the slice, where that is one to the whole; with the part. A part that is half of the
    /// slice is not asked about: all of it costs no more.
    fn asked_in_parts(
        &mut self,
        pool: &Pool,
        job: &Job<'_>,
        who: Asked,
        effort: Effort,
    ) -> Option<Answered> {
        let goals = job.goal_roots().len();
        let hint = job.start();
        let mut part = Part::of_goals(&job.tape, goals)?;
        for _ in 0..MOST_PARTS {
            if 2 * part.len() > job.roots.len() || self.is_stopped() {
                return None;
            }
            match self.check(
                pool,
                job,
                &part.of(&job.roots),
                effort.min(Effort::Longer),
                who,
            ) {
                // Who asked can come back, and all of it is seldom easier: both would cost twice as much.
                Said::Unknown(why) if effort != Effort::Full && !self.is_stopped() => {
                    return Some((Answer::Unknown(Reason::Backend(why)), Some(Vec::new())));
                }
                Said::Unknown(_) | Said::Unfit => return None,
                Said::Unsat => {
                    let core = part.of(&job.roots).split_off(goals);
                    return Some((Answer::Unsat, Some(core)));
                }
                Said::Sat(model) => {
                    let mut values: Vec<u128> = job.values(&model).collect();
                    if !part.grow(&job.tape, &mut values, &hint) {
                        let answer = job.confirm(pool, values.into_iter())?;
                        return Some((answer, Some(Vec::new())));
                    }
                }
            }
        }
        None
    }

    fn check(
        &mut self,
        pool: &Pool,
        job: &Job<'_>,
        terms: &[Term],
        effort: Effort,
        who: Asked,
    ) -> Said {
        match who {
            Asked::Circuit if terms.len() == job.roots.len() => {
                self.by_circuit(&job.tape, job, effort)
            }
            Asked::Circuit => {
                let tape = Tape::new(pool, terms, &mut self.scratch);
                self.by_circuit(&tape, job, effort)
            }
            Asked::Backend => {
                let budget = effort.of(self.config.budget);
                match self.backend.check(pool, terms, budget) {
                    RawAnswer::Sat(model) => Said::Sat(model),
                    RawAnswer::Unsat => Said::Unsat,
                    RawAnswer::Unknown(why) => Said::Unknown(why),
                }
            }
        }
    }

    fn by_circuit(&self, tape: &Tape, job: &Job<'_>, effort: Effort) -> Said {
        let budget = effort.of(self.config.budget);
        let room = self.room.as_ref().map_or(u64::MAX, |room| room());
        let room = usize::try_from(room / GATE_BYTES).unwrap_or(usize::MAX);
        let limits = Limits {
            gates: MOST_GATES[effort as usize].min(room),
            conflicts: u64::from(budget.units / CONFLICT),
        };
        let start: Vec<u128> = (tape.vars.iter())
            .map(|&(var, _)| job.hint.get(var))
            .collect();
        let (began, most) = (Instant::now(), Duration::from_millis(budget.millis.into()));
        let is_over = || self.is_stopped() || began.elapsed() > most;
        match circuit::decide(tape, &start, limits, &is_over) {
            // It was thought that a NaN has bits that it has not: the backend may know better.
            Outcome::Values(values) if tape.has_floats() && !tape.holds(&values) => Said::Unfit,
            Outcome::Values(values) => {
                Said::Sat(tape.vars.iter().map(|var| var.0).zip(values).collect())
            }
            Outcome::Nothing => Said::Unsat,
            Outcome::Spent => Said::Unknown("the circuit's budget".into()),
            Outcome::Unfit => Said::Unfit,
        }
    }
}

impl Job<'_> {
    /// Steps, as far as the backend is concerned: each read of a table is a choice among all its entries.
    fn size(&self) -> usize {
        let steps = self.tape.steps.iter();
        steps
            .map(|step| match step.tag {
                Tag::Op(op) if op.takes_floats() => FLOAT_STEPS,
                Tag::Table => self.tape.tables[step.b as usize].len(),
                _ => 1,
            })
            .sum()
    }
}
