//! Invariants from templates: relations between two numbers, and between a number and a constant of the clauses.
//!
//! Of all that fits the templates, what a clause does not keep is given up, until the rest is kept by every clause (Flanagan and Leino, Houdini,
//! an annotation assistant for ESC/Java, FME 2001): the strongest conjunction of templates that is an invariant. If it excludes what is bad,
//! what that needs of it is the answer. It has no cleverness and few questions, and finds at once what engines of more general kinds
//! generalise to with difficulty on bit-vectors: counters that go side by side, bounds, sums that stay.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex, PoisonError};

use super::{Application, HornBackend, RawHorn, System, instance};
use crate::Shape;
use crate::backend::Hook;
use crate::check::{Check, Checker, Scoped, Steps, Verdict, Why};
use crate::{BackendError, Interrupt, Op, Pool, Term, Var, eval};

/// Templates of one predicate.
const CANDIDATES: usize = 600;
/// What one question about all of them may cost, and one about a single one.
const QUESTION: [Steps; 2] = [Steps(2_000), Steps(200)];
/// Templates whose instances cost a step.
const A_STEP: usize = 64;
/// Constants of one width, and of these, those that are asked for together with another number's.
const CONSTANTS: usize = 8;
const FEW: usize = 4;

/// Looks for conjunctions of templates.
pub struct Templates {
    checker: fn() -> Result<Box<dyn Scoped>, BackendError>,
    /// Of the question that is asked now.
    asked: Arc<Mutex<Option<Interrupt>>>,
}

impl Templates {
    /// `checker` makes the procedure that is asked.
    #[must_use]
    pub fn new(checker: fn() -> Result<Box<dyn Scoped>, BackendError>) -> Templates {
        Templates {
            checker,
            asked: Arc::default(),
        }
    }
}

impl HornBackend for Templates {
    fn solve(&mut self, pool: &mut Pool, system: &System, budget: Steps) -> RawHorn {
        let checker = match (self.checker)() {
            Ok(backend) => Checker::new(backend),
            Err(error) => return RawHorn::Unknown(Why::GaveUp(error.to_string())),
        };
        *self.asked.lock().unwrap_or_else(PoisonError::into_inner) = Some(checker.interrupt());
        let mut looking = Looking::new(pool, system, checker);
        let mut last = Why::Budget;
        for level in 0..LEVELS {
            // All of it for the first level, as much in all for the others, and what one leaves is there for those behind it.
            let parts = if level == 0 { 1 } else { LEVELS - 1 };
            looking.left += u64::from(budget.0 / parts);
            if !looking.begin(level) {
                break;
            }
            match looking.weaken().and_then(|()| looking.needed()) {
                Ok(found) => return found,
                Err(Why::Interrupted) => return RawHorn::Unknown(Why::Interrupted),
                Err(why) => last = why,
            }
        }
        RawHorn::Unknown(last)
    }

    fn interrupter(&self) -> Option<Hook> {
        let asked = Arc::clone(&self.asked);
        Some(Arc::new(move || {
            let asked = asked.lock().unwrap_or_else(PoisonError::into_inner);
            if let Some(interrupt) = &*asked {
                interrupt.stop();
            }
        }))
    }
}

struct Looking<'a> {
    pool: &'a mut Pool,
    system: &'a System,
    checker: Checker,
    constants: BTreeMap<u16, Vec<u128>>,
    /// For each predicate, that nothing bad follows from it at once.
    excluded: Vec<Vec<Term>>,
    /// For each predicate, the clauses whose bodies have it.
    uses: Vec<BTreeSet<usize>>,
    left: u64,
    /// For each predicate, what is still thought to hold, over its parameters.
    candidates: Vec<Vec<Term>>,
}

impl<'a> Looking<'a> {
    fn new(pool: &'a mut Pool, system: &'a System, checker: Checker) -> Looking<'a> {
        Looking {
            constants: constants(pool, system),
            excluded: excluded(pool, system),
            uses: uses(system),
            pool,
            system,
            checker,
            left: 0,
            candidates: Vec::new(),
        }
    }

    /// Everything that fits the templates up to a level; false if that is no more than before.
    fn begin(&mut self, level: u32) -> bool {
        let pool = &mut *self.pool;
        let before: usize = self.candidates.iter().map(Vec::len).sum();
        self.candidates.clear();
        // Predicates of the same widths have the same templates.
        let mut made: BTreeMap<&[u16], Vec<Term>> = BTreeMap::new();
        for (widths, excluded) in self.system.parameters().iter().zip(&self.excluded) {
            let constants = &self.constants;
            let fitting = made
                .entry(widths)
                .or_insert_with(|| fitting(pool, widths, constants, level));
            let mut own = excluded.clone();
            own.extend(fitting.iter().filter(|term| !excluded.contains(term)));
            own.truncate(CANDIDATES);
            self.candidates.push(own);
        }
        let now: usize = self.candidates.iter().map(Vec::len).sum();
        level == 0 || now > before
    }

    /// Gives up what some clause does not keep.
    fn weaken(&mut self) -> Result<(), Why> {
        let clauses = self.system.clauses();
        let mut due: BTreeSet<usize> = (0..clauses.len()).collect();
        while let Some(number) = due.pop_first() {
            let clause = &clauses[number];
            let Some(head) = &clause.head else { continue };
            let mut given: Vec<Term> = vec![clause.constraint];
            for application in &clause.body {
                given.extend(
                    self.instances(application)
                        .into_iter()
                        .map(|(_, term)| term),
                );
            }
            let mut kept = self.instances(head);
            let before = kept.len();
            loop {
                let under = match self.broken(&given, &kept)? {
                    Verdict::Unsat(_) => break,
                    Verdict::Sat(under) => under,
                    Verdict::Unknown(_) => {
                        kept = self.one_by_one(&given, kept)?;
                        break;
                    }
                };
                let (pool, count) = (&*self.pool, kept.len());
                kept.retain(|(_, term)| eval(pool, *term, &under) == 1);
                if kept.len() == count {
                    return Err(Why::GaveUp("a state that breaks nothing".to_owned()));
                }
            }
            if kept.len() < before {
                let at = head.predicate.0 as usize;
                self.candidates[at] = kept.into_iter().map(|(own, _)| own).collect();
                due.extend(&self.uses[at]);
            }
        }
        Ok(())
    }

    /// Each candidate of a predicate, with what it says of some arguments.
    fn instances(&mut self, application: &Application) -> Vec<(Term, Term)> {
        let own = self.candidates[application.predicate.0 as usize].clone();
        self.left = self.left.saturating_sub((own.len() / A_STEP) as u64);
        let pool = &mut *self.pool;
        let made = own.into_iter();
        made.map(|term| (term, instance(pool, term, application)))
            .collect()
    }

    /// Is there a state in which what is given holds, and one of these does not?
    fn broken(&mut self, given: &[Term], kept: &[(Term, Term)]) -> Result<Verdict, Why> {
        let mut all = self.pool.bool(true);
        for (_, term) in kept {
            all = self.pool.and(all, *term);
        }
        let not = self.pool.not(all);
        if self.pool.is_false(not) {
            return Ok(Verdict::Unsat(Vec::new()));
        }
        self.ask(&[given, &[not]].concat(), &[], QUESTION[0])
    }

    /// Those that are known to hold where what is given does: where a question about all is too hard, few of them are.
    fn one_by_one(
        &mut self,
        given: &[Term],
        mut kept: Vec<(Term, Term)>,
    ) -> Result<Vec<(Term, Term)>, Why> {
        let mut known = Vec::new();
        while let Some(one) = kept.pop() {
            let not = self.pool.not(one.1);
            match self.ask(&[given, &[not]].concat(), &[], QUESTION[1])? {
                Verdict::Unsat(_) => known.push(one),
                Verdict::Sat(under) => {
                    let pool = &*self.pool;
                    kept.retain(|(_, term)| eval(pool, *term, &under) == 1);
                }
                Verdict::Unknown(Why::Interrupted) => return Err(Why::Interrupted),
                Verdict::Unknown(_) => {}
            }
        }
        known.reverse();
        Ok(known)
    }

    fn ask(&mut self, held: &[Term], assumptions: &[Term], most: Steps) -> Result<Verdict, Why> {
        let budget = match u32::try_from(self.left).unwrap_or(u32::MAX) {
            0 => return Err(Why::Budget),
            left => Steps(left).min(most),
        };
        self.checker.push();
        for term in held {
            self.checker.assert(self.pool, *term);
        }
        let check = Check {
            budget,
            ..Check::new(assumptions)
        };
        let before = self.checker.stats().steps;
        let verdict = self.checker.check(self.pool, &check);
        self.checker.pop();
        let spent = self.checker.stats().steps - before;
        self.left = self.left.saturating_sub(spent.max(1));
        Ok(verdict)
    }

    /// What is needed of the candidates, so that nothing is bad.
    fn needed(&mut self) -> Result<RawHorn, Why> {
        let clauses = self.system.clauses();
        let mut needed: BTreeMap<usize, BTreeSet<Term>> = BTreeMap::new();
        let mut due: Vec<(usize, Option<Term>)> = Vec::new();
        let bad = clauses.iter().enumerate();
        let bad = bad.filter(|(_, clause)| clause.head.is_none());
        due.extend(bad.map(|(number, _)| (number, None)));
        while let Some((number, wanted)) = due.pop() {
            let clause = &clauses[number];
            let mut held = vec![clause.constraint];
            if let (Some(wanted), Some(head)) = (wanted, &clause.head) {
                let holds = instance(self.pool, wanted, head);
                held.push(self.pool.not(holds));
            }
            let mut own = Vec::new();
            for application in &clause.body {
                let at = application.predicate.0 as usize;
                let all = self.instances(application).into_iter();
                own.extend(all.map(|(term, instance)| (at, term, instance)));
            }
            // What is true anyway is needed by nobody.
            own.retain(|(_, _, instance)| !self.pool.is_true(*instance));
            let assumptions: Vec<Term> = own.iter().map(|(_, _, instance)| *instance).collect();
            let core = match self.ask(&held, &assumptions, QUESTION[0])? {
                Verdict::Unsat(core) => core,
                Verdict::Sat(_) => return Err(Why::GaveUp("templates say too little".to_owned())),
                Verdict::Unknown(why) => return Err(why),
            };
            for at in core {
                let (predicate, term, _) = own[at];
                if needed.entry(predicate).or_default().insert(term) {
                    let leads = clauses.iter().enumerate().filter(|(_, clause)| {
                        let head = clause.head.as_ref();
                        head.is_some_and(|head| head.predicate.0 as usize == predicate)
                    });
                    due.extend(leads.map(|(number, _)| (number, Some(term))));
                }
            }
        }
        let mut invariants = Vec::new();
        for predicate in 0..self.system.parameters().len() {
            let mut all = self.pool.bool(true);
            for term in needed.get(&predicate).into_iter().flatten() {
                all = self.pool.and(all, *term);
            }
            invariants.push(all);
        }
        Ok(RawHorn::Safe(invariants))
    }
}

/// Constants of the clauses, by their widths, those that come first.
fn constants(pool: &Pool, system: &System) -> BTreeMap<u16, Vec<u128>> {
    let mut found: BTreeMap<u16, Vec<u128>> = BTreeMap::new();
    let mut seen = BTreeSet::new();
    for clause in system.clauses() {
        let mut work = vec![clause.constraint];
        let applications = clause.body.iter().chain(&clause.head);
        work.extend(applications.flat_map(|one| one.arguments.iter().copied()));
        while let Some(term) = work.pop() {
            if !seen.insert(term) {
                continue;
            }
            match pool.shape(term) {
                Shape::Constant(value) => {
                    let own = found.entry(pool.width(term)).or_default();
                    if own.len() < CONSTANTS && !own.contains(&value) {
                        own.push(value);
                    }
                }
                Shape::Op { op, operands, .. } => work.extend(&operands[..op.arity()]),
                Shape::Table { index, entries } => {
                    work.push(index);
                    work.extend(entries);
                }
                Shape::Var(_) => {}
            }
        }
    }
    found
}

/// The conditions that all have to hold for one to hold.
fn conjuncts(pool: &Pool, condition: Term) -> Vec<Term> {
    let mut found = Vec::new();
    let mut work = vec![condition];
    while let Some(term) = work.pop() {
        match pool.shape(term) {
            Shape::Op {
                op: Op::And,
                operands,
                ..
            } => work.extend(&operands[..2]),
            _ => found.push(term),
        }
    }
    found
}

/// For each predicate, that nothing bad follows at once from it, as far as that speaks of its parameters alone.
fn excluded(pool: &mut Pool, system: &System) -> Vec<Vec<Term>> {
    let mut found = vec![Vec::new(); system.parameters().len()];
    for clause in system.clauses() {
        let ([own], None) = (clause.body.as_slice(), &clause.head) else {
            continue;
        };
        let predicate = own.predicate.0 as usize;
        let mut by = BTreeMap::new();
        for (&argument, at) in own.arguments.iter().zip(0..) {
            if let Shape::Var(var) = pool.shape(argument) {
                let parameter = pool.var(Var(at), pool.width(argument));
                by.insert(var, parameter);
            }
        }
        // What else decides may go either way.
        let mut own = conjuncts(pool, clause.constraint);
        own.retain(|term| pool.vars(*term).iter().all(|var| by.contains_key(var)));
        let mut bad = pool.bool(true);
        for term in own {
            let term = pool.substitute(term, &by);
            bad = pool.and(bad, term);
        }
        let holds = pool.not(bad);
        if pool.as_const(holds).is_none() && !found[predicate].contains(&holds) {
            found[predicate].push(holds);
        }
    }
    found
}

/// For each predicate, the clauses whose bodies have it.
fn uses(system: &System) -> Vec<BTreeSet<usize>> {
    let mut found = vec![BTreeSet::new(); system.parameters().len()];
    for (number, clause) in system.clauses().iter().enumerate() {
        for application in &clause.body {
            found[application.predicate.0 as usize].insert(number);
        }
    }
    found
}

/// Levels of templates.
const LEVELS: u32 = 3;

/// What fits the templates up to a level, as far as there is room, each once.
fn fitting(
    pool: &mut Pool,
    widths: &[u16],
    constants: &BTreeMap<u16, Vec<u128>>,
    level: u32,
) -> Vec<Term> {
    let (mut found, mut seen) = (Vec::new(), BTreeSet::new());
    for level in 0..=level {
        if found.len() < CANDIDATES {
            found.extend(templates(pool, widths, constants, level));
            found.retain(|term| pool.as_const(*term).is_none());
        }
    }
    found.retain(|term| seen.insert(*term));
    found
}

/// What may hold between numbers of these widths, `Var(0)`, `Var(1)`, …. Level 0: order of two numbers, of a number and a constant; level 1:
/// sums and distances; level 2: what follows from a number being a constant.
fn templates(
    pool: &mut Pool,
    widths: &[u16],
    constants: &BTreeMap<u16, Vec<u128>>,
    level: u32,
) -> Vec<Term> {
    let parameters: Vec<Term> = (widths.iter().zip(0..))
        .map(|(&bits, at)| pool.var(Var(at), bits))
        .collect();
    let of = |pool: &mut Pool, term: Term| -> Vec<Term> {
        let bits = pool.width(term);
        let own = constants.get(&bits).into_iter().flatten();
        own.map(|value| pool.constant(bits, *value)).collect()
    };
    let mut found = Vec::new();
    let mut pairs: Vec<(Term, Term)> = Vec::new();
    for (at, &a) in parameters.iter().enumerate() {
        let others = parameters[at + 1..].iter();
        let same = others.filter(|b| pool.width(**b) == pool.width(a));
        pairs.extend(same.map(|b| (a, *b)));
    }
    match level {
        0 => {
            for &(a, b) in &pairs {
                found.push(pool.eq(a, b));
                order(pool, a, b, &mut found);
            }
            for &a in &parameters {
                for c in of(pool, a) {
                    let equal = pool.eq(a, c);
                    found.extend([equal, pool.not(equal)]);
                    order(pool, a, c, &mut found);
                }
            }
        }
        1 => {
            for &(a, b) in &pairs {
                let sum = pool.bin(Op::Add, a, b);
                let (ahead, behind) = (pool.bin(Op::Sub, a, b), pool.bin(Op::Sub, b, a));
                for c in of(pool, a) {
                    found.extend([pool.eq(sum, c), pool.eq(ahead, c)]);
                    found.extend([ahead, behind].map(|far| pool.cmp(Op::Ule, far, c)));
                }
            }
        }
        _ => {
            for (at, &a) in parameters.iter().enumerate() {
                let others = parameters.iter().enumerate();
                for (_, &b) in others.filter(|(other, _)| *other != at) {
                    for c in of(pool, a).into_iter().take(FEW) {
                        for d in of(pool, b).into_iter().take(FEW) {
                            let (first, second) = (pool.eq(a, c), pool.eq(b, d));
                            let (no, not) = (pool.not(first), pool.not(second));
                            let both = [(no, second), (no, not), (first, second)];
                            found.extend(both.map(|(one, other)| pool.or(one, other)));
                        }
                    }
                }
            }
        }
    }
    found
}

fn order(pool: &mut Pool, a: Term, b: Term, found: &mut Vec<Term>) {
    for op in [Op::Ule, Op::Sle] {
        found.push(pool.cmp(op, a, b));
        found.push(pool.cmp(op, b, a));
    }
}
