//! Small systems with invariants and with derivations; answers that are wrong.

use std::time::{Duration, Instant};

use super::*;
use crate::{BackendError, Op, Var, backend, eval};

fn solver() -> HornSolver {
    let entry = &backend::ALL[0];
    HornSolver::new((entry.horn)().expect("Z3 is installed"), entry.checker)
}

fn of(predicate: Predicate, arguments: &[Term]) -> Application {
    Application {
        predicate,
        arguments: arguments.to_vec(),
    }
}

fn clause(body: &[Application], constraint: Term, head: Option<Application>) -> Clause {
    Clause {
        body: body.to_vec(),
        constraint,
        head,
    }
}

/// `for (x = 0; x < n; x++);`, and what is bad behind or in it.
fn counter(pool: &mut Pool, bits: u16, bad: impl Fn(&mut Pool, Term, Term) -> Term) -> System {
    counters(pool, (bits, 1), bad)
}

/// So many of these loops, one after the other, and what is bad behind or in the last.
fn counters(
    pool: &mut Pool,
    (bits, loops): (u16, usize),
    bad: impl Fn(&mut Pool, Term, Term) -> Term,
) -> System {
    let mut system = System::new();
    let at: Vec<Predicate> = (0..loops)
        .map(|_| system.predicate(vec![bits, bits]))
        .collect();
    let (x, n) = (pool.var(Var(0), bits), pool.var(Var(1), bits));
    let (zero, one) = (pool.constant(bits, 0), pool.constant(bits, 1));
    let (start, less) = (pool.eq(x, zero), pool.cmp(Op::Ult, x, n));
    let (end, next) = (pool.eq(x, n), pool.bin(Op::Add, x, one));
    let bad = bad(pool, x, n);
    let here = |at: Predicate| of(at, &[x, n]);
    let mut clauses = vec![clause(&[], start, Some(here(at[0])))];
    clauses.extend((at.iter()).map(|&at| clause(&[here(at)], less, Some(of(at, &[next, n])))));
    clauses.extend(
        at.windows(2)
            .map(|both| clause(&[here(both[0])], end, Some(of(both[1], &[zero, n])))),
    );
    clauses.push(clause(&[here(at[loops - 1])], bad, None));
    for clause in clauses {
        system.add(pool, clause).expect("a good clause");
    }
    system
}

#[test]
fn a_counter_never_passes_its_bound() {
    for bits in [8, 32, 64] {
        let mut pool = Pool::new();
        let system = counter(&mut pool, bits, |pool, x, n| pool.cmp(Op::Ult, n, x));
        let found = solver().solve(&mut pool, &system, Steps::default());
        let Horn::Safe(invariants) = found else {
            panic!("{bits}: {found:?}");
        };
        // What the loop does is inside the invariant, and what is bad is not.
        for (x, n, inside) in [(0, 0, true), (3, 5, true), (5, 5, true), (6, 5, false)] {
            let known = [(Var(0), x), (Var(1), n)].into_iter().collect();
            assert_eq!(eval(&pool, invariants[0], &known) == 1, inside, "{x} {n}");
        }
    }
}

#[test]
fn a_bad_state_comes_with_its_derivation() {
    let mut pool = Pool::new();
    let system = counter(&mut pool, 32, |pool, x, n| {
        let (three, nine) = (pool.constant(32, 3), pool.constant(32, 9));
        let (at, of) = (pool.eq(x, three), pool.eq(n, nine));
        pool.and(at, of)
    });
    let found = solver().solve(&mut pool, &system, Steps::default());
    let Horn::Unsafe(facts) = found else {
        panic!("{found:?}");
    };
    let steps: Vec<(usize, Vec<u128>)> = facts
        .iter()
        .map(|fact| (fact.clause, fact.values.clone()))
        .collect();
    let loop_ = |x| vec![x, 9];
    let expected = [
        (0, loop_(0)),
        (1, loop_(1)),
        (1, loop_(2)),
        (1, loop_(3)),
        (2, vec![]),
    ];
    assert_eq!(steps, expected);
    assert_eq!(facts[4].from, [3]);
    assert_eq!(facts[4].predicate, None);
}

/// Two states that take turns, each with its own counter: they never differ by more than one.
#[test]
fn a_machine_of_two_states() {
    for (allowed, safe) in [(1, true), (0, false)] {
        let mut pool = Pool::new();
        let mut system = System::new();
        let (idle, busy) = (
            system.predicate(vec![16, 16]),
            system.predicate(vec![16, 16]),
        );
        let (a, b) = (pool.var(Var(0), 16), pool.var(Var(1), 16));
        let (zero, one) = (pool.constant(16, 0), pool.constant(16, 1));
        let (a0, b0) = (pool.eq(a, zero), pool.eq(b, zero));
        let start = pool.and(a0, b0);
        let yes = pool.bool(true);
        let (a1, b1) = (pool.bin(Op::Add, a, one), pool.bin(Op::Add, b, one));
        let difference = pool.bin(Op::Sub, a, b);
        let limit = pool.constant(16, allowed);
        let bad = pool.cmp(Op::Ult, limit, difference);
        for clause in [
            clause(&[], start, Some(of(idle, &[a, b]))),
            clause(&[of(idle, &[a, b])], yes, Some(of(busy, &[a1, b]))),
            clause(&[of(busy, &[a, b])], yes, Some(of(idle, &[a, b1]))),
            clause(&[of(idle, &[a, b])], bad, None),
            clause(&[of(busy, &[a, b])], bad, None),
        ] {
            system.add(&pool, clause).expect("a good clause");
        }
        let found = solver().solve(&mut pool, &system, Steps::default());
        match found {
            Horn::Safe(invariants) => assert!(safe && invariants.len() == 2),
            Horn::Unsafe(facts) => assert!(!safe && facts.len() == 3, "{facts:?}"),
            Horn::Unknown(why) => panic!("{allowed}: {why}"),
        }
    }
}

/// Two facts make a third: the derivation is a tree.
#[test]
fn bodies_of_several_facts() {
    let mut pool = Pool::new();
    let mut system = System::new();
    let holds = system.predicate(vec![8]);
    let done = system.predicate(vec![]);
    let (a, b) = (pool.var(Var(0), 8), pool.var(Var(1), 8));
    let sum = pool.bin(Op::Add, a, b);
    let yes = pool.bool(true);
    let (three, eleven) = (pool.constant(8, 3), pool.constant(8, 11));
    let five = pool.constant(8, 5);
    let is_three = pool.eq(a, three);
    let is_five = pool.eq(a, five);
    let end = pool.eq(a, eleven);
    for clause in [
        clause(&[], is_three, Some(of(holds, &[a]))),
        clause(&[], is_five, Some(of(holds, &[a]))),
        clause(
            &[of(holds, &[a]), of(holds, &[b])],
            yes,
            Some(of(holds, &[sum])),
        ),
        clause(&[of(holds, &[a])], end, Some(of(done, &[]))),
        clause(&[of(done, &[])], yes, None),
    ] {
        system.add(&pool, clause).expect("a good clause");
    }
    let found = solver().solve(&mut pool, &system, Steps::default());
    let Horn::Unsafe(facts) = found else {
        panic!("{found:?}");
    };
    let joined = facts.iter().filter(|fact| fact.clause == 2);
    assert!(joined.clone().count() >= 2);
    for fact in joined {
        let sum: u128 = fact.from.iter().map(|&at| facts[at].values[0]).sum();
        assert_eq!(fact.values, [sum & 0xff]);
    }
}

#[test]
fn a_spent_budget_is_unknown() {
    let mut pool = Pool::new();
    // Spacer has no invariant of products within such a budget.
    let system = counter(&mut pool, 64, |pool, x, n| {
        let (square, other) = (pool.bin(Op::Mul, x, x), pool.bin(Op::Mul, n, x));
        let seven = pool.constant(64, 0x1234_5677);
        let sum = pool.bin(Op::Add, square, other);
        pool.eq(sum, seven)
    });
    let found = solver().solve(&mut pool, &system, Steps(50));
    assert_eq!(found, Horn::Unknown(Why::Budget));
}

#[test]
fn another_thread_stops_it() {
    let mut pool = Pool::new();
    let system = counter(&mut pool, 64, |pool, x, n| {
        let square = pool.bin(Op::Mul, x, n);
        let seven = pool.constant(64, 0x1234_5678_1234_5677);
        pool.eq(square, seven)
    });
    let mut solver = solver();
    let interrupt = solver.interrupt();
    let (done, finished) = std::sync::mpsc::channel::<()>();
    let thread = std::thread::spawn(move || {
        let pause = std::time::Duration::from_millis(50);
        while finished.recv_timeout(pause).is_err() {
            interrupt.stop();
        }
    });
    let found = solver.solve(&mut pool, &system, Steps(u32::MAX));
    done.send(()).expect("the thread waits");
    thread.join().expect("the thread ends");
    assert_eq!(found, Horn::Unknown(Why::Interrupted));
}

/// Z3 ended the process where it was interrupted while it gave its engine back: one time in fifty of these.
#[test]
fn an_interrupt_at_any_moment_is_an_answer() {
    let run = |wait: Option<Duration>| {
        let mut pool = Pool::new();
        let system = counters(&mut pool, (32, 6), |pool, x, n| pool.cmp(Op::Ult, n, x));
        let mut solver = solver();
        let interrupt = solver.interrupt();
        let start = Instant::now();
        let thread = wait.map(|wait| {
            std::thread::spawn(move || {
                std::thread::sleep(wait);
                interrupt.stop();
            })
        });
        let found = solver.solve(&mut pool, &system, Steps(1_000));
        let took = start.elapsed();
        if let Some(thread) = thread {
            thread.join().expect("the thread ends");
        }
        assert!(
            matches!(
                found,
                Horn::Safe(_) | Horn::Unknown(Why::Budget | Why::Interrupted)
            ),
            "{found:?}"
        );
        took
    };
    let whole = run(None).min(run(None));
    for round in 0..150 {
        run(Some(whole * (round % 50) / 45));
    }
}

#[test]
fn clauses_that_do_not_fit_are_refused() {
    let mut pool = Pool::new();
    let mut system = System::new();
    let at = system.predicate(vec![8]);
    let (x, wide, yes) = (pool.var(Var(0), 8), pool.var(Var(1), 9), pool.bool(true));
    let other = Predicate(7);
    for (bad, expected) in [
        (
            clause(&[of(other, &[x])], yes, None),
            BadClause::Predicate(other),
        ),
        (
            clause(&[of(at, &[wide])], yes, None),
            BadClause::Arguments(at),
        ),
        (
            clause(&[], yes, Some(of(at, &[]))),
            BadClause::Arguments(at),
        ),
        (clause(&[], x, None), BadClause::Constraint(8)),
    ] {
        assert_eq!(system.add(&pool, bad), Err(expected));
    }
    assert!(system.clauses().is_empty());
}

/// A backend that says what it is told to.
struct Says(fn(&mut Pool) -> RawHorn);

impl HornBackend for Says {
    fn solve(&mut self, pool: &mut Pool, _: &System, _: Steps) -> RawHorn {
        (self.0)(pool)
    }
}

#[test]
fn wrong_answers_are_not_believed() {
    let answers: [fn(&mut Pool) -> RawHorn; 6] = [
        // Not inductive, too weak, and not even one for each predicate.
        |pool| {
            let (x, five) = (pool.var(Var(0), 32), pool.constant(32, 5));
            RawHorn::Safe(vec![pool.cmp(Op::Ult, x, five)])
        },
        |pool| RawHorn::Safe(vec![pool.bool(true)]),
        |_| RawHorn::Safe(Vec::new()),
        // A step is left out, the end does not follow, a fact of no predicate.
        |_| RawHorn::Unsafe(vec![(Predicate(0), vec![0, 9]), (Predicate(0), vec![2, 9])]),
        |_| RawHorn::Unsafe(vec![(Predicate(0), vec![0, 9])]),
        |_| RawHorn::Unsafe(vec![(Predicate(3), vec![0])]),
    ];
    for (number, answer) in answers.into_iter().enumerate() {
        let mut pool = Pool::new();
        let system = counter(&mut pool, 32, |pool, x, n| pool.cmp(Op::Ult, n, x));
        let mut solver = HornSolver::new(Box::new(Says(answer)), backend::ALL[0].checker);
        let found = solver.solve(&mut pool, &system, Steps::default());
        let refused = matches!(found, Horn::Unknown(Why::NotConfirmed(_)));
        assert!(refused, "{number}: {found:?}");
    }
    let none = backend::find("none").expect("it is registered");
    let mut pool = Pool::new();
    let system = counter(&mut pool, 32, |pool, x, n| pool.cmp(Op::Ult, n, x));
    let missing: fn() -> Result<Box<dyn Scoped>, BackendError> = none.checker;
    let mut solver = HornSolver::new((none.horn)().expect("it needs nothing"), missing);
    let found = solver.solve(&mut pool, &system, Steps::default());
    assert_eq!(found, Horn::Unknown(Why::GaveUp("no backend".to_owned())));
}

/// Two counters that go side by side up to a bound that is given: Spacer finds no invariant within such a budget.
#[test]
fn templates_relate_what_grows_together() {
    for (step, safe) in [(1, true), (2, false)] {
        let mut pool = Pool::new();
        let mut system = System::new();
        let at = system.predicate(vec![32, 32, 32]);
        let [n, x, y] = [0, 1, 2].map(|var| pool.var(Var(var), 32));
        let (zero, one) = (pool.constant(32, 0), pool.constant(32, 1));
        let step = pool.constant(32, step);
        let less = pool.cmp(Op::Ult, x, n);
        let (x1, y1) = (pool.bin(Op::Add, x, one), pool.bin(Op::Add, y, step));
        let (over, differ) = (pool.not(less), pool.ne(y, n));
        // Something else decides as well.
        let other = pool.var(Var(7), 1);
        let bad = pool.and(over, differ);
        let bad = pool.and(bad, other);
        let yes = pool.bool(true);
        let before = of(at, &[n, x, y]);
        for clause in [
            clause(&[], yes, Some(of(at, &[n, zero, zero]))),
            clause(
                std::slice::from_ref(&before),
                less,
                Some(of(at, &[n, x1, y1])),
            ),
            clause(&[before], bad, None),
        ] {
            system.add(&pool, clause).expect("a good clause");
        }
        let checker = backend::ALL[0].checker;
        let mut solver = HornSolver::new(Box::new(Templates::new(checker)), checker);
        match solver.solve(&mut pool, &system, Steps::default()) {
            Horn::Safe(invariants) => {
                assert!(safe);
                for (n, x, y, inside) in [(5, 3, 3, true), (5, 5, 5, true), (5, 3, 2, false)] {
                    let known = [(Var(0), n), (Var(1), x), (Var(2), y)];
                    let known = known.into_iter().collect();
                    assert_eq!(eval(&pool, invariants[0], &known) == 1, inside, "{x} {y}");
                }
            }
            found => assert!(!safe && matches!(found, Horn::Unknown(_)), "{found:?}"),
        }
        let spent = solver.solve(&mut pool, &system, Steps(1));
        assert_eq!(spent, Horn::Unknown(Why::Budget));
    }
}
