//! Checks with assumptions: one solver whose scopes are ours.
//!
//! An assumption is a fresh Boolean that implies it, made for the check and gone after it. This is for bit-vectors alone, which go to Z3's
//! incremental SAT solver. As soon as a float comes in, each check is a query of its own, by the tactics that the search uses, because Z3's incremental
//! solver of floats is far slower; its core is all assumptions, and whoever wants a smaller one has to leave some out.

use std::ffi::CStr;
use std::sync::{Arc, Mutex, PoisonError};

use super::ffi::{self, Ast, Context, LoadError, Shared, Verdict, Z3Solver};
use super::translate::Translator;
use super::{MAX_ASTS, MEGABYTES};
use crate::backend::Hook;
use crate::check::{RawVerdict, Scoped, Steps, Why};
use crate::{Assignment, Epoch, Pool, Term};

/// Z3's `rlimit` for one of our steps.
const UNITS: u32 = 1_000;

/// Z3's limit for so many steps.
pub(super) fn units(steps: Steps) -> u32 {
    steps.0.saturating_mul(UNITS).max(1)
}

/// Why Z3 gave up, from its words.
pub(super) fn why(reason: String) -> Why {
    let spent = ["canceled", "resource", "max. memory", "timeout"];
    if spent.iter().any(|word| reason.contains(word)) {
        Why::Budget
    } else {
        Why::GaveUp(reason)
    }
}

/// Z3 with scopes.
pub(super) struct Z3Check {
    api: &'static ffi::Api,
    shared: Arc<Mutex<Shared>>,
    /// What is asserted, scope by scope; the first is the outermost.
    scopes: Vec<Vec<Term>>,
    epoch: Epoch,
    live: Option<Live>,
    /// Of the last check.
    spent: Steps,
}

/// A context with the assertions in it.
struct Live {
    translator: Translator,
    /// `None` once there are floats.
    solver: Option<Z3Solver>,
    /// What the context had spent after the last check: a solver says so only once it was asked.
    units: u32,
}

impl Z3Check {
    pub(super) fn new() -> Result<Z3Check, LoadError> {
        Ok(Z3Check {
            api: ffi::api()?,
            shared: Shared::empty(),
            scopes: vec![Vec::new()],
            epoch: Epoch::default(),
            live: None,
            spent: Steps(0),
        })
    }

    /// A context that has all assertions and can take these terms.
    fn prepare(&mut self, pool: &Pool, terms: &[Term]) -> Result<(&mut Live, Vec<Ast>), Why> {
        let usable = |live: &Live| live.translator.made() <= MAX_ASTS;
        if self.epoch != pool.epoch() || !self.live.as_ref().is_some_and(usable) {
            // The old context goes first: both share the handle for interrupts.
            self.live = None;
            let translator = Translator::new(Context::new(self.api, self.shared.clone()));
            self.epoch = pool.epoch();
            self.fill(pool, translator);
        }
        let live = self.live.as_mut().ok_or(Why::Budget)?;
        let asts: Vec<Ast> = (terms.iter())
            .map(|&term| live.translator.constraint(pool, term))
            .collect();
        if !live.translator.floats.is_empty()
            && let Some(solver) = live.solver.take()
        {
            solver.drop_in(&live.translator.cx);
        }
        let error = (self.live.as_ref()).and_then(|live| live.translator.cx.error());
        if let Some(error) = error {
            self.live = None;
            return Err(why(error));
        }
        Ok((self.live.as_mut().ok_or(Why::Budget)?, asts))
    }

    /// Puts all assertions to a new solver.
    fn fill(&mut self, pool: &Pool, mut translator: Translator) {
        let scopes: Vec<Vec<Ast>> = (self.scopes.iter())
            .map(|scope| {
                let terms = scope.iter();
                terms
                    .map(|&term| translator.constraint(pool, term))
                    .collect()
            })
            .collect();
        if !translator.floats.is_empty() {
            self.live = Some(Live {
                translator,
                solver: None,
                units: 0,
            });
            return;
        }
        let solver = Z3Solver::for_bit_vectors(&translator.cx);
        for (depth, scope) in scopes.into_iter().enumerate() {
            if depth > 0 {
                solver.push(&translator.cx);
            }
            scope
                .into_iter()
                .for_each(|ast| solver.assert(&translator.cx, ast));
        }
        self.live = Some(Live {
            translator,
            solver: Some(solver),
            units: 0,
        });
    }
}

impl Live {
    /// Asks the solver that has the assertions.
    fn with_scopes(
        &mut self,
        pool: &Pool,
        (all, asts): (&[Term], &[Ast]),
        limits: &[(&CStr, u32)],
    ) -> Option<(RawVerdict, Option<u32>)> {
        let (cx, solver) = (&self.translator.cx, self.solver.as_ref()?);
        solver.push(cx);
        let names: Vec<Ast> = (0..asts.len())
            .map(|at| cx.named(&format!("a!{at}"), cx.bool_sort()))
            .collect();
        for (&name, &ast) in names.iter().zip(asts) {
            let other = cx.unary(cx.api.not, name);
            solver.assert(cx, cx.or(other, ast));
        }
        solver.set(cx, limits);
        let before = solver.spent(cx);
        let verdict = solver.check_assumptions(cx, &names);
        let cost = cost(&mut self.units, before, solver.spent(cx));
        let answer = match verdict {
            Verdict::Unsat => RawVerdict::Unsat(solver.core(cx, &names)),
            Verdict::Unknown => RawVerdict::Unknown(why(solver.reason(cx))),
            Verdict::Sat => answered(super::model(&mut self.translator, pool, solver, all)),
        };
        solver.pop(&self.translator.cx, 1);
        Some((answer, cost))
    }

    /// Asks a new solver.
    fn at_once(
        &mut self,
        pool: &Pool,
        (all, assumptions): (&[Term], usize),
        limits: &[(&CStr, u32)],
    ) -> (RawVerdict, Option<u32>) {
        let asts: Vec<Ast> = (all.iter())
            .map(|&term| self.translator.constraint(pool, term))
            .collect();
        let cx = &self.translator.cx;
        let solver = Z3Solver::new(cx, super::tactics(&self.translator));
        solver.set(cx, limits);
        asts.into_iter().for_each(|ast| solver.assert(cx, ast));
        let before = solver.spent(cx);
        let verdict = solver.check(cx).run();
        let cost = cost(&mut self.units, before, solver.spent(cx));
        let answer = match verdict {
            Verdict::Unsat => RawVerdict::Unsat((0..assumptions).collect()),
            Verdict::Unknown => RawVerdict::Unknown(why(solver.reason(cx))),
            Verdict::Sat => answered(super::model(&mut self.translator, pool, &solver, all)),
        };
        solver.drop_in(&self.translator.cx);
        (answer, cost)
    }
}

/// What was spent between two readings of a counter that wraps. `last`: its last reading, which stands in for the one before a solver's
/// first check.
fn cost(last: &mut u32, before: Option<u32>, after: Option<u32>) -> Option<u32> {
    let before = before.unwrap_or(*last);
    *last = after?;
    Some(last.wrapping_sub(before))
}

fn answered(model: Option<Assignment>) -> RawVerdict {
    match model {
        Some(model) => RawVerdict::Sat(model),
        None => RawVerdict::Unknown(Why::GaveUp("no model".to_owned())),
    }
}

impl Scoped for Z3Check {
    fn push(&mut self) {
        self.scopes.push(Vec::new());
        if let Some(Live {
            translator,
            solver: Some(solver),
            ..
        }) = &self.live
        {
            solver.push(&translator.cx);
        }
    }

    fn pop(&mut self) {
        self.scopes.pop();
        if let Some(Live {
            translator,
            solver: Some(solver),
            ..
        }) = &self.live
        {
            solver.pop(&translator.cx, 1);
        }
    }

    fn assert(&mut self, pool: &Pool, term: Term) {
        // Where it cannot be asserted now, the next context gets it with all others.
        if let Ok((
            Live {
                translator,
                solver: Some(solver),
                ..
            },
            asts,
        )) = self.prepare(pool, &[term])
        {
            asts.into_iter()
                .for_each(|ast| solver.assert(&translator.cx, ast));
        }
        if let Some(scope) = self.scopes.last_mut() {
            scope.push(term);
        }
    }

    fn check(&mut self, pool: &Pool, assumptions: &[Term], budget: Steps) -> RawVerdict {
        let mut all: Vec<Term> = self.scopes.iter().flatten().copied().collect();
        all.extend(assumptions);
        let (live, asts) = match self.prepare(pool, assumptions) {
            Ok(prepared) => prepared,
            Err(why) => {
                self.spent = Steps(0);
                return RawVerdict::Unknown(why);
            }
        };
        let limits = [(c"rlimit", units(budget)), (c"max_memory", MEGABYTES)];
        let (answer, cost) = match live.with_scopes(pool, (&all, &asts), &limits) {
            Some(answered) => answered,
            None => live.at_once(pool, (&all, assumptions.len()), &limits),
        };
        if live.translator.cx.error().is_some() {
            self.live = None;
        }
        // Where Z3 does not say what it spent, it was all.
        self.spent = cost.map_or(budget, |units| Steps(units.div_ceil(UNITS)));
        answer
    }

    fn spent(&self) -> Steps {
        self.spent
    }

    fn interrupter(&self) -> Option<Hook> {
        let (shared, api) = (self.shared.clone(), self.api);
        Some(Arc::new(move || {
            let mut shared = shared.lock().unwrap_or_else(PoisonError::into_inner);
            shared.interrupt(api);
        }))
    }
}
