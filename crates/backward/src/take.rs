//! A walk that asks a solver at each step whether it can go on.

use proof::vc::{Cause, Walk};
use smt::{Answer, Assignment, Effort, Pool, Query, Solver, Term};

/// Whether a condition can hold on the path.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Can {
    /// It can, or nobody knows.
    Maybe,
    /// No state lets it, because of what the path decides there; for no such cause, when it is false by itself.
    Never(Vec<Cause>),
}

/// Steps of a walk that are tried.
pub trait Take {
    /// The path goes on where a condition holds, if it can. What is not decided is taken for possible, and the
    /// path then goes on without the condition.
    fn take(&mut self, solver: &mut Solver, cause: Cause, condition: Term) -> Can;
}

impl Take for Walk<'_, '_> {
    fn take(&mut self, solver: &mut Solver, cause: Cause, condition: Term) -> Can {
        if self.frame.pool.is_true(condition) || self.held().contains(&condition) {
            return Can::Maybe;
        }
        if self.frame.pool.is_false(condition) {
            return Can::Never(Vec::new());
        }
        self.hold_facts(condition);
        let (pool, held, hint) = self.parts();
        match ask(solver, pool, (held, hint), condition) {
            Answer::Sat(model) => {
                self.hold(condition, Some(cause));
                self.set_hint(model);
                Can::Maybe
            }
            Answer::Unsat => Can::Never(core(self, solver, condition)),
            Answer::Unknown(_) => Can::Maybe,
        }
    }
}

/// Causes on the path that are enough to rule a condition out, none of them to spare.
fn core(walk: &mut Walk<'_, '_>, solver: &mut Solver, condition: Term) -> Vec<Cause> {
    let origins = walk.origins().iter().copied();
    let mut kept: Vec<(Term, Option<Cause>)> = walk.held().iter().copied().zip(origins).collect();
    // The near ones make the better explanation: the far ones go first.
    let mut at = 0;
    while at < kept.len() {
        let others = kept.iter().enumerate().filter(|(other, _)| *other != at);
        let without: Vec<Term> = others.map(|(_, (term, _))| *term).collect();
        // What is known of variables explains nothing by itself, and is not counted.
        let (pool, _, hint) = walk.parts();
        let is_spare = kept[at].1.is_some()
            && matches!(
                ask(solver, pool, (&without, hint), condition),
                Answer::Unsat
            );
        if is_spare {
            kept.remove(at);
        } else {
            at += 1;
        }
    }
    kept.into_iter().filter_map(|(_, origin)| origin).collect()
}

/// Can a condition hold beside others, all of which are true under the hint?
fn ask(
    solver: &mut Solver,
    pool: &mut Pool,
    (prefix, hint): (&[Term], &Assignment),
    goal: Term,
) -> Answer {
    let query = Query {
        prefix,
        goal,
        hint,
        effort: Effort::Full,
    };
    solver.solve(pool, &query)
}
