//! Z3, by its C interface.
//!
//! What it does: bit-vectors by bit-blasting to Z3's SAT solver, floats by Z3's translation to bit-vectors. When to
//! choose it: always, unless it is missing. Debian's `libz3-4` (4.8.12) is the version it is tested with; the
//! library is loaded when the first [`Z3`] is made.
//!
//! What must hold: an error inside Z3 is an "unknown" with Z3's words, never an abort; the context is replaced when
//! it has grown large or the pool was compacted; the effort is bounded by Z3's `rlimit`, which does not depend on
//! the machine's speed. Some of Z3's steps hear no interrupt; a check that goes on a second after it was asked to end is
//! left behind, on its thread, and the next one has a new context.

mod aside;
mod check;
mod ffi;
mod float;
mod horn;
mod read_back;
mod translate;

use std::sync::{Arc, Mutex, PoisonError};

use super::{Backend, BackendError, Budget, Entry, Hook, RawAnswer, Room};
use crate::{Assignment, Epoch, Pool, Term, Var, pool::Tag};
use aside::{Aside, Outcome};
pub use ffi::LoadError;
use ffi::{Ast, Context, Shared, Verdict, Z3Solver};
use translate::Translator;

/// The registry's entry.
pub const ENTRY: Entry = Entry {
    name: "z3",
    summary: "Z3 (bit-vectors and floats)",
    new: || Ok(Box::new(Z3::new().map_err(missing)?)),
    checker: || Ok(Box::new(check::Z3Check::new().map_err(missing)?)),
    horn: || Ok(Box::new(horn::Spacer::new().map_err(missing)?)),
    decides: true,
};

fn missing(error: LoadError) -> BackendError {
    BackendError {
        backend: "z3",
        why: error.to_string(),
    }
}

/// ASTs after which a context is replaced: some hundred megabytes.
const MAX_ASTS: usize = 2_000_000;
/// Memory for which a query is given up, unless somebody says otherwise: a few hundred chained tables blow
/// up when bits are split.
const MEGABYTES: u32 = 2_048;

/// The version of the Z3 library on this machine.
///
/// # Errors
/// There is none, or not one that we can use.
pub fn version() -> Result<[u32; 3], LoadError> {
    ffi::version()
}

/// How a check is put to Z3.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[doc(hidden)]
pub enum Mode {
    /// A chain of tactics on a new solver for each check.
    Tactics,
    /// A new core solver for each check.
    Fresh,
    /// One core solver, constraints pushed and popped.
    Incremental,
}

/// The Z3 backend: one context.
pub struct Z3 {
    translator: Option<Translator>,
    epoch: Epoch,
    shared: Arc<Mutex<Shared>>,
    api: &'static ffi::Api,
    mode: Mode,
    room: Room,
    incremental: Option<(Z3Solver, Vec<Term>)>,
    aside: Aside<Verdict>,
    /// Of checks that were left behind; given back when all of these have ended.
    left: Vec<Translator>,
}

impl Z3 {
    /// Loads the library, if need be.
    ///
    /// # Errors
    /// It is missing, or lacks a function.
    pub fn new() -> Result<Self, LoadError> {
        Ok(Self {
            translator: None,
            epoch: Epoch::default(),
            shared: Shared::empty(),
            api: ffi::api()?,
            mode: Mode::Tactics,
            room: Arc::new(|| u64::from(MEGABYTES) << 20),
            incremental: None,
            aside: Aside::default(),
            left: Vec::new(),
        })
    }

    /// As [`Z3::new`], for measurements.
    ///
    /// # Errors
    /// As [`Z3::new`].
    #[doc(hidden)]
    pub fn with_mode(mode: Mode) -> Result<Self, LoadError> {
        let mut z3 = Self::new()?;
        z3.mode = mode;
        Ok(z3)
    }

    /// The context belongs to a check that goes on: it stays, and is not used again.
    fn leave_behind(&mut self) -> RawAnswer {
        let shared = self.shared.lock();
        shared
            .unwrap_or_else(PoisonError::into_inner)
            .leave_behind();
        self.incremental = None;
        self.left.extend(self.translator.take());
        RawAnswer::Unknown("the solver did not end when it was asked to".to_owned())
    }

    /// Replaces the context when its terms mean nothing any more, or it is too large.
    fn prepare(&mut self, pool: &Pool) {
        let stale = self.epoch != pool.epoch()
            || self.translator.as_ref().is_none_or(|t| t.made() > MAX_ASTS);
        if stale {
            self.incremental = None;
            self.translator = None;
            self.translator = Some(Translator::new(Context::new(self.api, self.shared.clone())));
            self.epoch = pool.epoch();
        }
    }
}

impl Drop for Z3 {
    fn drop(&mut self) {
        if !self.aside.is_free() || !self.aside.is_idle() {
            // Their checks go on: they stay.
            self.left.drain(..).for_each(std::mem::forget);
        }
    }
}

impl Backend for Z3 {
    fn name(&self) -> &'static str {
        ENTRY.name
    }

    fn check(&mut self, pool: &Pool, constraints: &[Term], budget: Budget) -> RawAnswer {
        if !self.aside.is_free() {
            return RawAnswer::Unknown(BUSY.to_owned());
        }
        if self.aside.is_idle() {
            self.left.clear();
        }
        self.prepare(pool);
        let Some(translator) = &mut self.translator else {
            return RawAnswer::Unknown("no context".to_owned());
        };
        let asts: Vec<Ast> = constraints
            .iter()
            .map(|&c| translator.constraint(pool, c))
            .collect();
        if let Some(error) = translator.cx.error() {
            self.translator = None;
            return RawAnswer::Unknown(error);
        }
        // Time is ours to watch: Z3 would start a thread for each check, and not every step would hear of it.
        // The library counts all that it has, for whatever context.
        let most = translator.cx.allocated().saturating_add((self.room)()) >> 20;
        let megabytes = u32::try_from(most).unwrap_or(u32::MAX).max(1);
        let limits = &[(c"rlimit", budget.units), (c"max_memory", megabytes)];
        if self.mode == Mode::Incremental {
            let (solver, stack) = self
                .incremental
                .get_or_insert_with(|| (Z3Solver::new(&translator.cx, &[]), Vec::new()));
            let same = stack
                .iter()
                .zip(constraints)
                .take_while(|(a, b)| a == b)
                .count();
            solver.pop(&translator.cx, (stack.len() - same) as u32);
            stack.truncate(same);
            for (&term, &ast) in constraints.iter().zip(&asts).skip(same) {
                solver.push(&translator.cx);
                solver.assert(&translator.cx, ast);
                stack.push(term);
            }
            solver.set(&translator.cx, limits);
            let check = solver.check(&translator.cx);
            let verdict = watched(&mut self.aside, (&self.shared, self.api), check, budget);
            if let Ok(verdict) = verdict {
                return answer(verdict, translator, pool, solver, constraints);
            }
            return self.leave_behind();
        }
        let solver = match self.mode {
            Mode::Tactics => Z3Solver::new(&translator.cx, tactics(translator)),
            _ => Z3Solver::new(&translator.cx, &[]),
        };
        solver.set(&translator.cx, limits);
        asts.iter()
            .for_each(|&ast| solver.assert(&translator.cx, ast));
        let check = solver.check(&translator.cx);
        match watched(&mut self.aside, (&self.shared, self.api), check, budget) {
            Ok(verdict) => {
                let answer = answer(verdict, translator, pool, &solver, constraints);
                solver.drop_in(&translator.cx);
                answer
            }
            Err(LeftBehind) => self.leave_behind(),
        }
    }

    fn limit_memory(&mut self, room: Room) {
        self.room = room;
    }

    fn forget(&mut self) {
        self.incremental = None;
        self.translator = None;
    }

    fn interrupter(&self) -> Option<Hook> {
        let (shared, api) = (self.shared.clone(), self.api);
        Some(Arc::new(move || {
            shared
                .lock()
                .unwrap_or_else(PoisonError::into_inner)
                .interrupt(api)
        }))
    }
}

/// The chain that bit-vector queries go through.
fn tactics(translator: &Translator) -> ffi::Tactics {
    if translator.floats.is_empty() {
        &[
            c"simplify",
            c"propagate-values",
            c"solve-eqs",
            c"elim-uncnstr",
            c"simplify",
            c"bit-blast",
            c"sat",
        ]
    } else {
        &[
            c"simplify",
            c"fpa2bv",
            c"propagate-values",
            c"solve-eqs",
            c"simplify",
            c"bit-blast",
            c"simplify",
            c"sat",
        ]
    }
}

/// Why nothing is asked.
const BUSY: &str = "checks that were left behind still go on";

/// A check goes on, and nobody waits for it.
struct LeftBehind;

/// Runs a check as long as its budget lasts.
fn watched(
    aside: &mut Aside<Verdict>,
    (shared, api): (&Mutex<Shared>, &'static ffi::Api),
    check: ffi::Check,
    budget: Budget,
) -> Result<Verdict, LeftBehind> {
    let shared = || shared.lock().unwrap_or_else(PoisonError::into_inner);
    shared().begin();
    let work = Box::new(move || check.run());
    let interrupt = || shared().interrupt(api);
    match aside.run(work, budget.millis, &interrupt, &|| shared().is_asked()) {
        Outcome::Done(verdict) => Ok(verdict),
        Outcome::Refused => Ok(Verdict::Unknown),
        Outcome::LeftBehind => Err(LeftBehind),
    }
}

fn answer(
    verdict: Verdict,
    translator: &mut Translator,
    pool: &Pool,
    solver: &Z3Solver,
    constraints: &[Term],
) -> RawAnswer {
    match verdict {
        Verdict::Unsat => RawAnswer::Unsat,
        Verdict::Sat => match model(translator, pool, solver, constraints) {
            Some(model) => RawAnswer::Sat(model),
            None => RawAnswer::Unknown("no model".to_owned()),
        },
        Verdict::Unknown => {
            let reason = solver.reason(&translator.cx);
            RawAnswer::Unknown(translator.cx.error().unwrap_or(reason))
        }
    }
}

/// The values of the constraints' variables; those that may have any value are left out.
fn model(
    translator: &mut Translator,
    pool: &Pool,
    solver: &Z3Solver,
    constraints: &[Term],
) -> Option<Assignment> {
    let mut asked: Vec<(Var, u16)> = Vec::new();
    let mut asts = Vec::new();
    let order = translator.scratch.topological(pool, constraints);
    for term in order.into_iter().filter(|&t| pool.node(t).tag == Tag::Var) {
        let (node, bits) = (pool.node(term), pool.width(term));
        let vector = translator.bits_of(pool, term);
        for low in (0..bits).step_by(64) {
            asked.push((Var(node.a), low));
            asts.push(if bits <= 64 {
                vector
            } else {
                translator.cx.extract(vector, low, (bits - low).min(64))
            });
        }
    }
    let values = solver.values(&translator.cx, &asts)?;
    let mut parts: Vec<(Var, u128)> = Vec::new();
    for ((var, low), value) in asked.into_iter().zip(values) {
        let Some(value) = value else { continue };
        match parts.last_mut() {
            Some((last, known)) if *last == var && low > 0 => *known |= u128::from(value) << low,
            _ => parts.push((var, u128::from(value) << low)),
        }
    }
    Some(parts.into_iter().collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{Random, TermMaker};
    use crate::{Op, eval::eval};

    const BUDGET: Budget = Budget {
        units: 50_000_000,
        millis: 60_000,
    };

    /// Under fixed values of its variables, every operation has the value that the evaluator says, and no other.
    #[test]
    fn z3_and_the_evaluator_agree_on_every_operation() {
        let mut random = Random::new(7);
        let mut z3 = Z3::new().expect("Z3 is installed");
        let mut pool = Pool::plain();
        let mut maker = TermMaker::new(&mut pool, &mut random);
        for op in Op::ALL.iter().copied().filter(|&op| op != Op::FRem) {
            for _ in 0..6 {
                let term = maker.operation(&mut pool, &mut random, op);
                let assignment = maker.assignment(&mut random);
                agree(&mut z3, &mut pool, term, &assignment);
            }
        }
    }

    fn agree(z3: &mut Z3, pool: &mut Pool, term: Term, assignment: &Assignment) {
        let value = eval(pool, term, assignment);
        let mut constraints = crate::testing::fix(pool, term, assignment);
        let fixed = constraints.len();
        let value_term = pool.constant(pool.width(term), value);
        let equal = pool.eq(term, value_term);
        constraints.push(equal);
        let answer = z3.check(pool, &constraints, BUDGET);
        let what = || crate::testing::show(pool, term, assignment);
        assert!(
            matches!(answer, RawAnswer::Sat(_)),
            "{answer:?} for {} = {value:#x}",
            what()
        );
        if crate::testing::computes_nan(pool, term, assignment) {
            return; // Z3 may choose another NaN
        }
        constraints.truncate(fixed);
        let different = pool.not(equal);
        constraints.push(different);
        let answer = z3.check(pool, &constraints, BUDGET);
        assert_eq!(
            answer,
            RawAnswer::Unsat,
            "{} is not only {value:#x}",
            crate::testing::show(pool, term, assignment)
        );
    }

    #[test]
    fn small_tables_of_every_size() {
        let mut z3 = Z3::new().expect("Z3 is installed");
        let mut pool = Pool::new();
        for size in 1..=9u128 {
            let index = pool.var(Var(0), 4);
            let entries = (0..size).map(|i| pool.constant(8, 100 + i * i)).collect();
            let table = pool.table(index, entries);
            for i in 0..16 {
                let assignment = [(Var(0), i)].into_iter().collect();
                agree(&mut z3, &mut pool, table, &assignment);
            }
        }
    }

    #[test]
    fn a_spent_budget_is_unknown_and_the_next_query_works() {
        let mut z3 = Z3::new().expect("Z3 is installed");
        let mut pool = Pool::new();
        let (a, b) = (pool.var(Var(0), 64), pool.var(Var(1), 64));
        let product = pool.bin(Op::Mul, a, b);
        let target = pool.constant(64, 0xdead_beef_1234_5677);
        let one = pool.constant(64, 1);
        let hard = [
            pool.eq(product, target),
            pool.cmp(Op::Ult, one, a),
            pool.cmp(Op::Ult, a, b),
        ];
        let answer = z3.check(
            &pool,
            &hard,
            Budget {
                units: 20_000,
                millis: 60_000,
            },
        );
        assert!(matches!(answer, RawAnswer::Unknown(_)), "{answer:?}");
        let easy = [pool.eq(a, target)];
        assert_eq!(
            z3.check(&pool, &easy, BUDGET),
            RawAnswer::Sat([(Var(0), 0xdead_beef_1234_5677)].into_iter().collect())
        );
    }

    #[test]
    fn another_thread_interrupts_a_check() {
        let mut z3 = Z3::new().expect("Z3 is installed");
        let mut pool = Pool::new();
        let terms: Vec<Term> = (0..4).map(|i| pool.var(Var(i), 128)).collect();
        let squares: Vec<Term> = terms.iter().map(|&t| pool.bin(Op::Mul, t, t)).collect();
        let left = pool.bin(Op::Mul, squares[0], squares[1]);
        let right = pool.bin(Op::Mul, squares[2], terms[3]);
        let third = pool.constant(128, 0x1234_5678_9abc_def1_1111_2222_3333_4445);
        let hard = [pool.eq(left, right), pool.eq(right, third)];
        let hook = z3.interrupter().expect("Z3 can be interrupted");
        let (done, finished) = std::sync::mpsc::channel::<()>();
        let thread = std::thread::spawn(move || {
            while finished
                .recv_timeout(std::time::Duration::from_millis(50))
                .is_err()
            {
                hook();
            }
        });
        let answer = z3.check(
            &pool,
            &hard,
            Budget {
                units: u32::MAX,
                millis: u32::MAX,
            },
        );
        done.send(()).expect("the thread waits");
        thread.join().expect("the thread ends");
        assert!(matches!(answer, RawAnswer::Unknown(_)), "{answer:?}");
    }

    /// Z3 takes minutes for this if it has to find out by itself in which order the terms may go.
    #[test]
    fn a_context_with_a_deep_term_is_deleted_at_once() {
        let mut z3 = Z3::new().expect("Z3 is installed");
        let mut pool = Pool::plain();
        let (x, y) = (pool.var(Var(0), 32), pool.var(Var(1), 32));
        let mut deep = x;
        for _ in 0..100_000 {
            let product = pool.bin(Op::Xor, deep, y);
            deep = pool.bin(Op::Add, product, x);
        }
        let goal = pool.eq(deep, y);
        let spent = Budget {
            units: 1,
            millis: 0,
        };
        z3.check(&pool, &[goal], spent);
        let began = std::time::Instant::now();
        drop(z3);
        assert!(began.elapsed().as_secs() < 10, "{:?}", began.elapsed());
    }

    #[test]
    fn the_library_says_its_version() {
        assert!(version().expect("Z3 is installed")[0] >= 4);
    }
}
