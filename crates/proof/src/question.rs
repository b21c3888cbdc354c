//! Questions about what holds at a place: may it be that it does not?

use smt::check::{Check, Checker, Verdict};
use smt::{Pool, Term};

use crate::effort::Effort;
use crate::kinds::Refusal;
use crate::vc::Walk;

/// Terms and solver of a few steps. Each step has its own scope of assertions; a solver for each would cost more than what it is
/// asked, and one for all gets slower with every step.
#[derive(Default)]
pub(crate) struct Bench {
    pub(crate) pool: Pool,
    pub(crate) solver: Option<Checker>,
    steps: u32,
}

/// Steps that share a solver.
const SHARED: u32 = 24;

impl Bench {
    /// For one step more.
    pub(crate) fn lend(&mut self) -> (Pool, Option<Checker>) {
        if self.steps.is_multiple_of(SHARED) {
            *self = Bench::default();
        }
        self.steps += 1;
        (std::mem::take(&mut self.pool), self.solver.take())
    }
}

/// Whether no state of a path meets a condition. `solver`: made when it is asked for the first time; `queries`: counts what it is asked.
pub(crate) fn refuted(
    walk: &mut Walk<'_, '_>,
    term: Term,
    solver: &mut Option<Checker>,
    (effort, queries): (&mut Effort, &mut u64),
) -> Result<bool, Refusal> {
    walk.hold_facts(term);
    let pool = &*walk.frame.pool;
    let held = walk.held();
    if pool.is_false(term) || held.iter().any(|held| pool.is_false(*held)) {
        return Ok(true);
    }
    if pool.is_true(term) && held.iter().all(|held| pool.is_true(*held)) {
        return Ok(false);
    }
    let budget = effort.ask()?;
    *queries += 1;
    let solver = match solver {
        Some(solver) => solver,
        none => {
            let checker = effort.checker();
            none.insert(checker.map_err(|error| not_refuted("a step", &error.to_string()))?)
        }
    };
    solver.push();
    for held in held.iter().chain([&term]) {
        solver.assert(pool, *held);
    }
    let asked = Check {
        budget,
        ..Check::new(&[])
    };
    let before = solver.stats().steps;
    let verdict = solver.check(pool, &asked);
    solver.pop();
    effort.spend(solver.stats().steps - before)?;
    Ok(matches!(verdict, Verdict::Unsat(_)))
}

pub(crate) fn not_refuted(what: &str, verdict: &str) -> Refusal {
    Refusal::NotRefuted {
        what: what.to_owned(),
        verdict: verdict.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_solver_is_shared_by_so_many_steps() {
        let mut bench = Bench::default();
        for step in 0..=2 * SHARED {
            let (pool, solver) = bench.lend();
            assert_eq!(solver.is_some(), !step.is_multiple_of(SHARED), "{step}");
            let made = || Checker::new((smt::backend::ALL[0].checker)().expect("a solver"));
            (bench.pool, bench.solver) = (pool, Some(solver.unwrap_or_else(made)));
        }
    }
}
