//! Checks: the shared corpus, scopes, cores, budgets, interrupts; for every backend that can.

use super::*;
use crate::testing::{Random, TermMaker, fix};
use crate::{Op, Var, backend, eval};

fn checkers() -> Vec<Checker> {
    let entries = backend::ALL.iter().filter(|entry| entry.decides);
    entries
        .map(|entry| Checker::new((entry.checker)().expect("it is installed")))
        .collect()
}

/// Every kind of term with its variables fixed: the value that the evaluator says is possible, and no other.
#[test]
fn the_corpus_of_operations_is_decided_as_the_evaluator_says() {
    for mut checker in checkers() {
        let mut random = Random::new(11);
        let mut pool = Pool::new();
        let mut maker = TermMaker::new(&mut pool, &mut random);
        for op in Op::ALL.iter().copied().filter(|&op| op != Op::FRem) {
            let term = maker.operation(&mut pool, &mut random, op);
            let assignment = maker.assignment(&mut random);
            let value = eval(&pool, term, &assignment);
            let value = pool.constant(pool.width(term), value);
            let equal = pool.eq(term, value);
            let different = pool.not(equal);
            checker.push();
            for fixed in fix(&mut pool, term, &assignment) {
                checker.assert(&pool, fixed);
            }
            let verdict = checker.check(&pool, &Check::new(&[equal]));
            assert!(matches!(verdict, Verdict::Sat(_)), "{op:?} {verdict:?}");
            if !crate::testing::computes_nan(&pool, term, &assignment) {
                let verdict = checker.check(&pool, &Check::new(&[different]));
                assert!(matches!(verdict, Verdict::Unsat(_)), "{op:?} {verdict:?}");
            }
            checker.pop();
        }
        assert_eq!(checker.stats().bad_models, 0);
    }
}

#[test]
fn what_is_asserted_in_a_scope_goes_with_it() {
    for mut checker in checkers() {
        let mut pool = Pool::new();
        let x = pool.var(Var(0), 32);
        let numbers: Vec<Term> = (0..4).map(|value| pool.constant(32, value)).collect();
        let less: Vec<Term> = numbers.iter().map(|&n| pool.cmp(Op::Ult, x, n)).collect();
        checker.assert(&pool, less[3]);
        checker.push();
        let not_less = pool.not(less[2]);
        checker.assert(&pool, not_less);
        let two = [(Var(0), 2)].into_iter().collect();
        assert_eq!(checker.check(&pool, &Check::new(&[])), Verdict::Sat(two));
        checker.push();
        checker.assert(&pool, less[1]);
        assert_eq!(checker.depth(), 2);
        assert_eq!(
            checker.check(&pool, &Check::new(&[])),
            Verdict::Unsat(vec![])
        );
        checker.pop();
        let verdict = checker.check(&pool, &Check::new(&[less[1]]));
        assert_eq!(verdict, Verdict::Unsat(vec![0]));
        checker.pop();
        let zero = [(Var(0), 0)].into_iter().collect();
        let verdict = checker.check(&pool, &Check::new(&[less[1]]));
        assert_eq!(verdict, Verdict::Sat(zero));
    }
}

/// Random sets of bounds: a core is refuted again by a fresh checker, and no member of a minimal one can go.
#[test]
fn cores_are_contradictions_and_minimal_ones_have_nothing_to_spare() {
    let mut refuted = 0;
    for mut checker in checkers() {
        let mut random = Random::new(5);
        let mut pool = Pool::new();
        let vars: Vec<Term> = (0..3).map(|var| pool.var(Var(var), 16)).collect();
        for _ in 0..40 {
            let assumptions: Vec<Term> = (0..12)
                .map(|_| {
                    let (a, b) = (random.pick(&vars), random.pick(&vars));
                    let by = random.value(16);
                    let by = pool.constant(16, by);
                    let sum = pool.bin(Op::Add, b, by);
                    let op = random.pick(&[Op::Ult, Op::Slt, Op::Eq, Op::Ule]);
                    pool.cmp(op, a, sum)
                })
                .collect();
            let check = Check {
                core: CoreKind::Minimal,
                ..Check::new(&assumptions)
            };
            let Verdict::Unsat(core) = checker.check(&pool, &check) else {
                continue;
            };
            refuted += 1;
            assert!(core.is_sorted());
            let members: Vec<Term> = core.iter().map(|&at| assumptions[at]).collect();
            let mut fresh = Checker::new((backend::ALL[0].checker)().expect("Z3 is installed"));
            let again = fresh.check(&pool, &Check::new(&members));
            assert!(matches!(again, Verdict::Unsat(_)), "{again:?}");
            for at in 0..members.len() {
                let mut without = members.clone();
                without.remove(at);
                let verdict = fresh.check(&pool, &Check::new(&without));
                assert!(matches!(verdict, Verdict::Sat(_)), "{verdict:?}");
            }
        }
    }
    assert!(refuted > 10, "{refuted}");
}

/// `a * b = c * d` with more bits than anybody multiplies out.
fn hard(pool: &mut Pool) -> Vec<Term> {
    let vars: Vec<Term> = (0..4).map(|var| pool.var(Var(var), 96)).collect();
    let left = pool.bin(Op::Mul, vars[0], vars[1]);
    let left = pool.bin(Op::Mul, left, vars[0]);
    let right = pool.bin(Op::Mul, vars[2], vars[3]);
    let third = pool.constant(96, 0x1234_5678_9abc_def1_1111_2223);
    let one = pool.constant(96, 1);
    let mut all = vec![pool.eq(left, right), pool.eq(right, third)];
    all.extend(vars.iter().map(|&var| pool.cmp(Op::Ult, one, var)));
    all.push(pool.cmp(Op::Ult, vars[0], vars[1]));
    all
}

/// Z3 says nothing of what was spent before a solver's first check: that was taken for the whole budget.
#[test]
fn a_first_check_costs_what_it_takes() {
    for mut checker in checkers() {
        let mut pool = Pool::new();
        let easy = hard(&mut pool).split_off(3);
        let float = pool.var(Var(9), 32);
        let one = pool.constant(32, u128::from(1f32.to_bits()));
        let less = pool.cmp(Op::FLt, float, one);
        for asked in [easy, vec![less], vec![pool.not(less)]] {
            let before = checker.stats().steps;
            let verdict = checker.check(&pool, &Check::new(&asked));
            assert!(matches!(verdict, Verdict::Sat(_)), "{verdict:?}");
            let spent = checker.stats().steps - before;
            assert!(spent < 50, "{spent} steps");
        }
    }
}

#[test]
fn a_spent_budget_is_unknown_and_the_next_check_works() {
    for mut checker in checkers() {
        let mut pool = Pool::new();
        let hard = hard(&mut pool);
        let check = Check {
            budget: Steps(20),
            ..Check::new(&hard)
        };
        assert_eq!(checker.check(&pool, &check), Verdict::Unknown(Why::Budget));
        // What was spent is known, and hardly more than the budget.
        let spent = checker.stats().steps;
        assert!((20..100).contains(&spent), "{spent} steps");
        let no = pool.bool(false);
        let verdict = checker.check(&pool, &Check::new(&[hard[2], no]));
        assert_eq!(verdict, Verdict::Unsat(vec![1]));
        let verdict = checker.check(&pool, &Check::new(&hard[2..]));
        assert!(matches!(verdict, Verdict::Sat(_)), "{verdict:?}");
    }
}

#[test]
fn another_thread_stops_a_check() {
    for mut checker in checkers() {
        let mut pool = Pool::new();
        let hard = hard(&mut pool);
        let interrupt = checker.interrupt();
        let (done, finished) = std::sync::mpsc::channel::<()>();
        let other = interrupt.clone();
        let thread = std::thread::spawn(move || {
            let pause = std::time::Duration::from_millis(50);
            while finished.recv_timeout(pause).is_err() {
                other.stop();
            }
        });
        let check = Check {
            budget: Steps(u32::MAX),
            ..Check::new(&hard)
        };
        assert_eq!(
            checker.check(&pool, &check),
            Verdict::Unknown(Why::Interrupted)
        );
        done.send(()).expect("the thread waits");
        thread.join().expect("the thread ends");
        let verdict = checker.check(&pool, &Check::new(&[]));
        assert_eq!(verdict, Verdict::Unknown(Why::Interrupted));
        interrupt.clear();
        let verdict = checker.check(&pool, &Check::new(&[]));
        assert!(matches!(verdict, Verdict::Sat(_)), "{verdict:?}");
    }
}

#[test]
fn assertions_of_another_pool_are_refused() {
    for mut checker in checkers() {
        let mut pool = Pool::new();
        let term = pool.var(Var(0), 1);
        checker.push();
        checker.assert(&pool, term);
        pool.compact(&[term]);
        let verdict = checker.check(&pool, &Check::new(&[]));
        assert_eq!(verdict, Verdict::Unknown(Why::OtherPool));
        checker.pop();
        let term = pool.var(Var(1), 1);
        checker.assert(&pool, term);
        let verdict = checker.check(&pool, &Check::new(&[]));
        assert!(matches!(verdict, Verdict::Sat(_)), "{verdict:?}");
    }
}

#[test]
fn floats_may_come_after_bit_vectors() {
    for mut checker in checkers() {
        let mut pool = Pool::new();
        let x = pool.var(Var(0), 32);
        let (one, big) = (pool.constant(32, 0x3f80_0000), pool.constant(32, 7));
        let bits = pool.cmp(Op::Ult, big, x);
        checker.assert(&pool, bits);
        checker.push();
        assert!(matches!(
            checker.check(&pool, &Check::new(&[])),
            Verdict::Sat(_)
        ));
        let less = pool.cmp(Op::FLt, x, one);
        let more = pool.cmp(Op::FLt, one, x);
        checker.assert(&pool, less);
        assert!(matches!(
            checker.check(&pool, &Check::new(&[])),
            Verdict::Sat(_)
        ));
        let both = [bits, more];
        let check = Check {
            core: CoreKind::Minimal,
            ..Check::new(&both)
        };
        assert_eq!(checker.check(&pool, &check), Verdict::Unsat(vec![1]));
        checker.pop();
        assert!(matches!(
            checker.check(&pool, &Check::new(&[more])),
            Verdict::Sat(_)
        ));
    }
}

/// A backend that lies: its model satisfies nothing.
struct Liar;

impl Scoped for Liar {
    fn push(&mut self) {}
    fn pop(&mut self) {}
    fn assert(&mut self, _: &Pool, _: Term) {}
    fn check(&mut self, _: &Pool, _: &[Term], _: Steps) -> RawVerdict {
        RawVerdict::Sat([(Var(0), 1)].into_iter().collect())
    }
    fn spent(&self) -> Steps {
        Steps(1)
    }
}

#[test]
fn a_model_that_satisfies_nothing_is_no_answer() {
    let mut pool = Pool::new();
    let (x, five) = (pool.var(Var(0), 8), pool.constant(8, 5));
    let equal = pool.eq(x, five);
    let mut checker = Checker::new(Box::new(Liar));
    let unknown = Verdict::Unknown(Why::NotConfirmed("a model".to_owned()));
    assert_eq!(checker.check(&pool, &Check::new(&[equal])), unknown);
    checker.assert(&pool, equal);
    assert_eq!(checker.check(&pool, &Check::new(&[])), unknown);
    assert_eq!(checker.stats().bad_models, 2);
}

#[test]
fn a_backend_that_decides_nothing_says_so() {
    let entry = backend::find("none").expect("it is registered");
    let mut checker = Checker::new((entry.checker)().expect("it needs nothing"));
    let pool = Pool::new();
    let verdict = checker.check(&pool, &Check::new(&[]));
    assert_eq!(
        verdict,
        Verdict::Unknown(Why::GaveUp("no backend".to_owned()))
    );
}
