//! Horn clauses, by Spacer.
//!
//! Predicates are `p0`, `p1`, …; the bad thing is `bad`. Answers come back as Z3's text, which [`read_back`](super::read_back) turns into terms and
//! facts: what it cannot read is an "unknown".

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};

use super::check::{units, why};
use super::ffi::{self, Ast, Context, LoadError, Shared, Verdict, proofs::Fixedpoint};
use super::read_back;
use super::translate::Translator;
use crate::backend::Hook;
use crate::check::{Steps, Why};
use crate::horn::{Application, Clause, HornBackend, RawHorn, System};
use crate::pool::Tag;
use crate::{Pool, Term};

/// Spacer; each system has a context of its own.
pub(super) struct Spacer {
    api: &'static ffi::Api,
    shared: Arc<Mutex<Shared>>,
}

impl Spacer {
    pub(super) fn new() -> Result<Spacer, LoadError> {
        Ok(Spacer {
            api: ffi::api()?,
            shared: Shared::empty(),
        })
    }
}

impl HornBackend for Spacer {
    fn solve(&mut self, pool: &mut Pool, system: &System, budget: Steps) -> RawHorn {
        let mut translator = Translator::new(Context::new(self.api, self.shared.clone()));
        let engine = Fixedpoint::new(&translator.cx, units(budget));
        let predicates: Vec<Ast> = (system.parameters().iter().enumerate())
            .map(|(number, widths)| {
                let cx = &translator.cx;
                let sorts: Vec<Ast> = widths.iter().map(|&bits| cx.bv_sort(bits)).collect();
                cx.predicate(&format!("p{number}"), &sorts)
            })
            .collect();
        let bad = translator.cx.predicate("bad", &[]);
        for &predicate in predicates.iter().chain([&bad]) {
            engine.register(&translator.cx, predicate);
        }
        for clause in system.clauses() {
            let rule = rule(&mut translator, pool, clause, (&predicates, bad));
            engine.add_rule(&translator.cx, rule);
        }
        if !translator.floats.is_empty() {
            engine.drop_in(&translator.cx);
            return RawHorn::Unknown(Why::GaveUp("clauses with floats".to_owned()));
        }
        let goal = translator.cx.application(bad, &[]);
        let verdict = engine.query(&translator.cx, goal);
        let answer = match verdict {
            Verdict::Sat => facts(&translator, &engine),
            Verdict::Unsat => invariants(&translator, &engine, pool, system, &predicates),
            Verdict::Unknown => {
                let error = translator.cx.error();
                RawHorn::Unknown(why(error.unwrap_or_else(|| engine.reason(&translator.cx))))
            }
        };
        engine.drop_in(&translator.cx);
        answer
    }

    fn interrupter(&self) -> Option<Hook> {
        let (shared, api) = (self.shared.clone(), self.api);
        Some(Arc::new(move || {
            let mut shared = shared.lock().unwrap_or_else(PoisonError::into_inner);
            shared.interrupt(api);
        }))
    }
}

/// A clause as a rule of Z3: for all values of its variables.
fn rule(
    translator: &mut Translator,
    pool: &Pool,
    clause: &Clause,
    (predicates, bad): (&[Ast], Ast),
) -> Ast {
    let of = |translator: &mut Translator, application: &Application| {
        let arguments: Vec<Ast> = (application.arguments.iter())
            .map(|&term| translator.bits_of(pool, term))
            .collect();
        let predicate = predicates[application.predicate.0 as usize];
        translator.cx.application(predicate, &arguments)
    };
    let mut body = translator.constraint(pool, clause.constraint);
    for application in &clause.body {
        let holds = of(translator, application);
        body = translator.cx.and(body, holds);
    }
    let head = match &clause.head {
        Some(head) => of(translator, head),
        None => translator.cx.application(bad, &[]),
    };
    let implies = translator.cx.binary(translator.cx.api.implies, body, head);
    let mut roots: Vec<Term> = vec![clause.constraint];
    for application in clause.body.iter().chain(&clause.head) {
        roots.extend(&application.arguments);
    }
    let order = translator.scratch.topological(pool, &roots);
    let vars = order
        .into_iter()
        .filter(|&term| pool.node(term).tag == Tag::Var);
    let bound: Vec<Ast> = vars.map(|term| translator.variable(pool, term)).collect();
    translator.cx.for_all(&bound, implies)
}

fn facts(translator: &Translator, engine: &Fixedpoint) -> RawHorn {
    let answer = engine.answer(&translator.cx);
    match read_back::facts(&translator.cx.show(answer)) {
        Some(facts) => RawHorn::Unsafe(facts),
        None => RawHorn::Unknown(Why::GaveUp("its derivation cannot be read".to_owned())),
    }
}

fn invariants(
    translator: &Translator,
    engine: &Fixedpoint,
    pool: &mut Pool,
    system: &System,
    predicates: &[Ast],
) -> RawHorn {
    let mut list = Vec::new();
    for (&predicate, widths) in predicates.iter().zip(system.parameters()) {
        let text = translator.cx.show(engine.cover(&translator.cx, predicate));
        let parameters: BTreeMap<u32, Term> = (widths.iter().zip(0..))
            .map(|(&bits, at)| (at, pool.var(crate::Var(at), bits)))
            .collect();
        match read_back::term(pool, &parameters, &text) {
            Some(term) => list.push(term),
            None => {
                let what = format!("its invariant cannot be read: {text}");
                return RawHorn::Unknown(Why::GaveUp(what));
            }
        }
    }
    RawHorn::Safe(list)
}
