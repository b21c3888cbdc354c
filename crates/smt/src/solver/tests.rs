//! The whole stack against Z3 alone, and its layers one by one.

use super::*;
use crate::testing::{Random, TermMaker, show};
use crate::{Op, RawAnswer, Var, backend};

const BUDGET: Budget = Budget {
    units: 4_000_000,
    millis: 60_000,
};

fn solver(config: Config) -> Solver {
    Solver::new(backend::default().expect("Z3 is installed"), config)
}

/// A path condition that holds under the assignment, and goals.
fn path(
    pool: &mut Pool,
    random: &mut Random,
    maker: &mut TermMaker,
    hint: &Assignment,
    length: usize,
) -> Vec<Term> {
    let ops = [
        Op::Eq,
        Op::Ult,
        Op::Ule,
        Op::Slt,
        Op::Sle,
        Op::And,
        Op::Or,
        Op::FLt,
        Op::UAddO,
    ];
    let grow = [
        Op::Add,
        Op::Sub,
        Op::Xor,
        Op::And,
        Op::Shl,
        Op::Ite,
        Op::Extract,
        Op::Concat,
        Op::ZExt,
        Op::URem,
    ];
    let mut path = Vec::new();
    for _ in 0..length {
        let op = random.pick(&grow);
        maker.operation(pool, random, op);
        let op = random.pick(&ops);
        let mut term = maker.operation(pool, random, op);
        if pool.width(term) != 1 || !pool.is_symbolic(term) {
            continue;
        }
        if eval(pool, term, hint) == 0 {
            term = pool.not(term);
        }
        path.push(term);
    }
    path
}

/// Asks to leave made-up paths of so many conditions, at every one from the `from`th on in steps, and compares each answer with that of Z3
/// alone: how many had a solution, had none, were not decided; and the counters.
fn against_z3(
    seeds: std::ops::Range<u64>,
    length: usize,
    (from, step): (usize, usize),
    config: Config,
) -> ([u32; 3], Stats) {
    let mut z3 = backend::default().expect("Z3 is installed");
    let (mut answers, mut stack) = ([0; 3], solver(config));
    let mut pool = Pool::new();
    for seed in seeds {
        let mut random = Random::new(seed);
        let mut maker = TermMaker::new(&mut pool, &mut random);
        let hint = maker.assignment(&mut random);
        let path = path(&mut pool, &mut random, &mut maker, &hint, length);
        for depth in (from..path.len()).step_by(step) {
            let goal = pool.not(path[depth]);
            let query = Query {
                prefix: &path[..depth],
                goal,
                hint: &hint,
                effort: Effort::Full,
            };
            let answer = stack.solve(&mut pool, &query);
            let mut all = path[..depth].to_vec();
            all.push(goal);
            let raw = z3.check(&pool, &all, config.budget);
            match &answer {
                Answer::Sat(model) => {
                    answers[0] += 1;
                    assert_ne!(raw, RawAnswer::Unsat, "seed {seed} depth {depth}");
                    for &term in &all {
                        assert_eq!(eval(&pool, term, model), 1, "{}", show(&pool, term, model));
                    }
                }
                Answer::Unsat => {
                    answers[1] += 1;
                    assert!(
                        !matches!(raw, RawAnswer::Sat(_)),
                        "seed {seed} depth {depth}: {raw:?}"
                    );
                }
                Answer::Unknown(_) => answers[2] += 1,
            }
        }
        if seed % 4 == 3 {
            pool.compact(&[]);
        }
    }
    (answers, stack.stats().clone())
}

#[test]
fn the_stack_agrees_with_z3_alone() {
    for (circuits, _) in ASKED {
        let config = Config {
            budget: BUDGET,
            circuits,
            ..Config::default()
        };
        let (answers, stats) = against_z3(0..12, 14, (0, 1), config);
        assert_eq!(stats.sat + stats.unsat + stats.unknown, stats.all().count());
        assert!(answers[0] > 60 && answers[1] > 12, "{answers:?}");
        assert!(answers[2] * 5 < answers[0] + answers[1], "{answers:?}");
    }
}

/// What is asked about parts: circuits, or without them the backend.
const ASKED: [(bool, Layer); 2] = [(true, Layer::Circuit), (false, Layer::Part)];

/// A chain of 64 variables that each next one is tied to by a product, and the hint under which it holds.
fn chain(pool: &mut Pool) -> (Vec<Term>, Vec<Term>, Assignment) {
    let hint: Assignment = (0..64)
        .map(|index| (Var(index), u128::from(2 * index + 3)))
        .collect();
    let vars: Vec<Term> = (0..64).map(|index| pool.var(Var(index), 32)).collect();
    let ties = vars.windows(2).map(|pair| {
        let product = pool.bin(Op::Mul, pair[0], pair[1]);
        let value = pool.constant(32, eval(pool, product, &hint));
        pool.eq(product, value)
    });
    let ties = ties.collect();
    (vars, ties, hint)
}

#[test]
fn a_contradiction_of_a_few_conditions_is_found_among_many_and_met_again() {
    let mut pool = Pool::new();
    let (vars, ties, hint) = chain(&mut pool);
    // A factor of an odd product is even.
    let one = pool.constant(32, 1);
    let parity = pool.bin(Op::And, vars[20], one);
    let goal = pool.ne(parity, one);
    for (circuits, layer) in ASKED {
        let mut solver = solver(Config {
            circuits,
            ..Config::default()
        });
        let mut ask = |prefix: &[Term]| {
            let query = Query {
                prefix,
                goal,
                hint: &hint,
                effort: Effort::Full,
            };
            let answer = solver.solve(&mut pool, &query);
            assert_eq!(answer, Answer::Unsat);
            solver.stats().clone()
        };
        let stats = ask(&ties);
        assert_eq!(
            (stats.count(layer), stats.count(Layer::Backend)),
            (1, 0),
            "{stats:?}"
        );
        let stats = ask(&ties[10..40]);
        assert_eq!(
            (stats.count(layer), stats.count(Layer::KnownUnsat)),
            (1, 1),
            "{stats:?}"
        );
    }
}

#[test]
fn a_model_that_breaks_nothing_else_leaves_other_variables_as_they_were() {
    let mut pool = Pool::new();
    let (vars, mut prefix, mut hint) = chain(&mut pool);
    // A number that is tied to the chain as well.
    let x = pool.var(Var(100), 32);
    hint.set(Var(100), 1000);
    let (both, forbidden) = (pool.bin(Op::Xor, x, vars[0]), pool.constant(32, 77));
    prefix.push(pool.ne(both, forbidden));
    let (scrambled, shift) = (pool.bin(Op::Mul, x, x), pool.constant(32, 7));
    let shifted = pool.bin(Op::LShr, scrambled, shift);
    let scrambled = pool.bin(Op::Xor, scrambled, shifted);
    let wanted: Assignment = [(Var(100), 123_456)].into_iter().collect();
    let wanted = pool.constant(32, eval(&pool, scrambled, &wanted));
    let goal = pool.eq(scrambled, wanted);
    for (circuits, layer) in ASKED {
        let mut solver = solver(Config {
            search: SearchLimits {
                steps: 0,
                ..SearchLimits::default()
            },
            circuits,
            ..Config::default()
        });
        let query = Query {
            prefix: &prefix,
            goal,
            hint: &hint,
            effort: Effort::Full,
        };
        let answer = solver.solve(&mut pool, &query);
        let Answer::Sat(model) = answer else {
            panic!("{answer:?}");
        };
        let stats = solver.stats();
        assert_eq!(
            (stats.count(layer), stats.count(Layer::Backend)),
            (1, 0),
            "{stats:?}"
        );
        for index in 0..64 {
            assert_eq!(model.get(Var(index)), hint.get(Var(index)));
        }
    }
}

#[test]
fn long_slices_agree_with_z3_alone() {
    let budget = Budget {
        units: BUDGET.units / 8,
        ..BUDGET
    };
    for (circuits, layer) in ASKED {
        let config = Config {
            budget,
            circuits,
            ..Config::default()
        };
        let (answers, stats) = against_z3(100..106, 60, (18, 3), config);
        assert!(answers[0] > 4 && answers[1] > 4, "{answers:?}");
        assert!(stats.count(layer) > 2, "{stats:?}");
    }
}

#[test]
fn the_same_queries_get_the_same_answers() {
    let run = || {
        let mut pool = Pool::new();
        let mut solver = solver(Config::default());
        let mut random = Random::new(5);
        let mut maker = TermMaker::new(&mut pool, &mut random);
        let mut answers = Vec::new();
        for _ in 0..20 {
            let hint = maker.assignment(&mut random);
            let path = path(&mut pool, &mut random, &mut maker, &hint, 14);
            for depth in 0..path.len() {
                let goal = pool.not(path[depth]);
                answers.push(solver.solve(
                    &mut pool,
                    &Query {
                        prefix: &path[..depth],
                        goal,
                        hint: &hint,
                        effort: Effort::Full,
                    },
                ));
            }
        }
        (answers, Layer::ALL.map(|layer| solver.stats().count(layer)))
    };
    assert_eq!(run(), run());
}

/// Asks for each goal in turn, with the prefix; says how each was answered.
fn layers(pool: &mut Pool, prefix: &[Term], goals: &[Term], hint: &Assignment) -> Stats {
    let mut solver = solver(Config::default());
    for &goal in goals {
        let answer = solver.solve(
            pool,
            &Query {
                prefix,
                goal,
                hint,
                effort: Effort::Full,
            },
        );
        if let Answer::Sat(model) = answer {
            assert!(
                prefix
                    .iter()
                    .chain([&goal])
                    .all(|&t| eval(pool, t, &model) == 1)
            );
        }
    }
    solver.stats().clone()
}

#[test]
fn each_layer_answers_what_it_is_for() {
    let mut pool = Pool::new();
    let bytes: Vec<Term> = (0..8).map(|i| pool.var(Var(i), 8)).collect();
    let word = bytes
        .iter()
        .copied()
        .reduce(|low, high| pool.concat(high, low))
        .expect("bytes");
    let hint = Assignment::new();
    let letter = pool.constant(8, u128::from(b'a'));
    let goal = pool.eq(bytes[0], letter);
    let stats = layers(&mut pool, &[], &[goal, goal], &hint);
    assert_eq!(
        (stats.count(Layer::Enumerated), stats.count(Layer::KnownSat)),
        (1, 1),
        "{stats:?}"
    );

    let magic = pool.constant(64, 0x1122_3344_5566_7788);
    let hash = pool.constant(64, 0x9e37_79b9_7f4a_7c15);
    let product = pool.bin(Op::Mul, word, hash);
    let goal = pool.eq(product, magic);
    let stats = layers(&mut pool, &[], &[goal], &hint);
    assert_eq!(stats.count(Layer::Ranges), 1, "{stats:?}");

    let other = pool.var(Var(8), 64);
    let goal = pool.cmp(Op::Ult, product, other);
    let stats = layers(&mut pool, &[], &[goal], &hint);
    assert_eq!(stats.count(Layer::Searched), 1, "{stats:?}");

    let small = pool.constant(64, 1000);
    let large = pool.constant(64, 2000);
    let prefix = pool.cmp(Op::Ult, word, small);
    let goal = pool.cmp(Op::Ult, large, word);
    let stats = layers(&mut pool, &[prefix], &[goal, goal], &hint);
    assert_eq!(
        (stats.count(Layer::Domains), stats.count(Layer::KnownUnsat)),
        (1, 1),
        "{stats:?}"
    );

    // The hash of a word is in a certain bucket: whatever letter changes, another one must.
    let letters = (0..8).map(|index| (Var(index), u128::from(b'm'))).collect();
    let (factor, buckets) = (pool.constant(64, 33), pool.constant(64, 11));
    let mut hash = pool.constant(64, 5381);
    for &byte in &bytes {
        let wide = pool.zext(byte, 64);
        let scaled = pool.bin(Op::Mul, hash, factor);
        hash = pool.bin(Op::Xor, scaled, wide);
    }
    let bucket = pool.bin(Op::URem, hash, buckets);
    let index = pool.constant(64, eval(&pool, bucket, &letters));
    let mut prefix = vec![pool.eq(bucket, index)];
    let (first, last) = (letter, pool.constant(8, b'z'.into()));
    for &byte in &bytes {
        prefix.extend([
            pool.cmp(Op::Ule, first, byte),
            pool.cmp(Op::Ule, byte, last),
        ]);
    }
    let goals = (b'a'..=b'z').map(|letter| {
        let letter = pool.constant(8, letter.into());
        pool.eq(bytes[2], letter)
    });
    let goals: Vec<Term> = goals.collect();
    let stats = layers(&mut pool, &prefix, &goals, &letters);
    assert!(
        stats.count(Layer::Swept) > 0 && budgeted(&stats) == 0,
        "{stats:?}"
    );

    // A parser by tables: tokens are numbers up to 300, of which each state takes some, and the state is what all of them left.
    let tokens: Vec<Term> = (16..22).map(|var| pool.var(Var(var), 32)).collect();
    let classes: Box<[Term]> = (0..300_u128)
        .map(|token| pool.constant(4, token * token % 13))
        .collect();
    let states: Box<[Term]> = (0..256_u128)
        .map(|place| pool.constant(4, place * 37 % 251 % 16))
        .collect();
    let (end, error) = (pool.constant(32, 300), pool.constant(4, 0));
    let hint = (16..22).map(|var| (Var(var), 258)).collect();
    let mut prefix = Vec::new();
    let mut state = pool.constant(4, 1);
    for &token in &tokens {
        prefix.push(pool.cmp(Op::Ult, token, end));
        let class = pool.table(token, classes.clone());
        let index = pool.concat(state, class);
        state = pool.table(index, states.clone());
        let is_error = pool.eq(state, error);
        let goes_on = pool.not(is_error);
        prefix.push(goes_on);
        assert_eq!(eval(&pool, goes_on, &hint), 1);
    }
    let goals: Vec<Term> = [3, 5, 7, 9]
        .map(|other| {
            let other = pool.constant(4, other);
            pool.eq(state, other)
        })
        .to_vec();
    let stats = layers(&mut pool, &prefix, &goals, &hint);
    assert!(
        stats.count(Layer::Swept) > 0 && budgeted(&stats) == 0,
        "{stats:?}"
    );

    let hint = Assignment::new();
    let square = pool.bin(Op::Mul, word, word);
    let three = pool.constant(64, 3);
    let goal = pool.eq(square, three);
    let stats = layers(&mut pool, &[], &[goal], &hint);
    assert_eq!(
        (stats.count(Layer::Circuit), stats.unsat),
        (1, 1),
        "{stats:?}"
    );
}

/// Queries that went to the layers with a budget.
fn budgeted(stats: &Stats) -> u64 {
    let layers = [Layer::Circuit, Layer::Part, Layer::Backend];
    layers.iter().map(|&layer| stats.count(layer)).sum()
}

#[test]
fn variables_outside_the_slice_keep_their_values() {
    let mut pool = Pool::new();
    let (x, y) = (pool.var(Var(1), 32), pool.var(Var(2), 32));
    let (five, nine) = (pool.constant(32, 5), pool.constant(32, 9));
    let prefix = [pool.eq(y, nine), pool.ne(x, five)];
    let goal = pool.eq(x, nine);
    let hint: Assignment = [(Var(1), 4), (Var(2), 9), (Var(77), 3)]
        .into_iter()
        .collect();
    let answer = solver(Config::default()).solve(
        &mut pool,
        &Query {
            prefix: &prefix,
            goal,
            hint: &hint,
            effort: Effort::Full,
        },
    );
    let expected: Assignment = [(Var(1), 9), (Var(2), 9), (Var(77), 3)]
        .into_iter()
        .collect();
    assert_eq!(answer, Answer::Sat(expected));
}

#[test]
fn an_interrupt_lasts_until_it_is_cleared() {
    let mut pool = Pool::new();
    let x = pool.var(Var(1), 32);
    let five = pool.constant(32, 5);
    let goal = pool.eq(x, five);
    let hint = Assignment::new();
    let query = Query {
        prefix: &[],
        goal,
        hint: &hint,
        effort: Effort::Full,
    };
    let mut solver = solver(Config::default());
    let interrupt = solver.interrupt();
    interrupt.stop();
    assert_eq!(
        solver.solve(&mut pool, &query),
        Answer::Unknown(Reason::Interrupted)
    );
    interrupt.clear();
    assert!(matches!(solver.solve(&mut pool, &query), Answer::Sat(_)));
}

#[test]
fn a_lying_backend_is_caught() {
    struct Liar;
    impl Backend for Liar {
        fn name(&self) -> &'static str {
            "liar"
        }
        fn check(&mut self, _: &Pool, _: &[Term], _: Budget) -> RawAnswer {
            RawAnswer::Sat(Assignment::new())
        }
    }
    let mut pool = Pool::new();
    let (x, y) = (pool.var(Var(1), 64), pool.var(Var(2), 64));
    let one = pool.constant(64, 1);
    let product = pool.bin(Op::Mul, x, y);
    let prime = pool.constant(64, 0xffff_fffb * 0xffff_ffef);
    let goals = [
        pool.eq(product, prime),
        pool.cmp(Op::Ult, one, x),
        pool.cmp(Op::Ult, one, y),
        pool.cmp(Op::Ult, x, y),
    ];
    let goal = goals
        .into_iter()
        .reduce(|a, b| pool.and(a, b))
        .expect("goals");
    let no_search = SearchLimits {
        steps: 0,
        ..SearchLimits::default()
    };
    let mut solver = Solver::new(
        Box::new(Liar),
        Config {
            search: no_search,
            circuits: false,
            ..Config::default()
        },
    );
    let hint = Assignment::new();
    let answer = solver.solve(
        &mut pool,
        &Query {
            prefix: &[],
            goal,
            hint: &hint,
            effort: Effort::Full,
        },
    );
    assert_eq!(answer, Answer::Unknown(Reason::BadModel));
    assert_eq!(solver.stats().bad_models, 1);
}

#[test]
fn a_million_operations_deep() {
    let mut pool = Pool::new();
    let mut sum = pool.var(Var(0), 32);
    let k = pool.constant(32, 31);
    let bytes: Vec<Term> = (0..1000).map(|i| pool.var(Var(i), 8)).collect();
    for i in 0..500_000 {
        let byte = pool.zext(bytes[i % 1000], 32);
        let product = pool.bin(Op::Mul, sum, k);
        sum = pool.bin(Op::Xor, product, byte);
    }
    assert_eq!(pool.vars(sum).len(), 1000);
    let target = pool.constant(32, 0x1234_5678);
    let goal = pool.eq(sum, target);
    let hint = Assignment::new();
    let tiny = Config {
        budget: Budget {
            units: 1000,
            millis: 1000,
        },
        ..Config::default()
    };
    let mut solver = Solver::new(Box::new(backend::none::None), tiny);
    let answer = solver.solve(
        &mut pool,
        &Query {
            prefix: &[],
            goal,
            hint: &hint,
            effort: Effort::Full,
        },
    );
    assert!(!matches!(answer, Answer::Unsat), "{answer:?}");
    assert!(eval(&pool, sum, &hint) <= u128::from(u32::MAX));
    let memory = pool.memory();
    assert!(memory.total() < 250 << 20, "{memory:?}");
    let before = pool.len();
    let remap = pool.compact(&[bytes[3]]);
    assert!(pool.len() == 1 && before > 1_000_000);
    assert_eq!(
        pool.vars(remap.get(bytes[3]).expect("it is a root")),
        vec![Var(3)]
    );
    assert_eq!(remap.get(sum), None);
}

/// One integer, compared with constants a thousand times: answered without the backend, both ways.
#[test]
fn a_long_chain_of_comparisons_needs_no_backend() {
    let mut pool = Pool::new();
    let bytes: Vec<Term> = (0..4).map(|i| pool.var(Var(i), 8)).collect();
    let number = bytes
        .iter()
        .copied()
        .reduce(|low, high| pool.concat(high, low))
        .expect("bytes");
    let hint = Assignment::new();
    let mut path = Vec::new();
    let at = |pool: &mut Pool, value: i32| pool.constant(32, u128::from(value.cast_unsigned()));
    for step in 1..500 {
        let (low, high) = (at(&mut pool, -7 * step), at(&mut pool, 11 * step));
        path.push(pool.cmp(Op::Slt, low, number));
        path.push(pool.cmp(Op::Slt, number, high));
    }
    let goals: Vec<Term> = path.iter().map(|&bound| pool.not(bound)).collect();
    let mut solver = Solver::new(Box::new(backend::none::None), Config::default());
    for (depth, goal) in goals.into_iter().enumerate() {
        let query = Query {
            prefix: &path[..depth],
            goal,
            hint: &hint,
            effort: Effort::Full,
        };
        let answer = solver.solve(&mut pool, &query);
        // Only the first of each kind leaves something: later ones are weaker.
        match answer {
            Answer::Sat(_) => assert!(depth < 2, "{depth}"),
            answer => assert_eq!((answer, depth >= 2), (Answer::Unsat, true), "{depth}"),
        }
    }
    // The other way round, the strongest last: each has a value.
    path.reverse();
    for (depth, &weaker) in path.iter().enumerate() {
        let goal = pool.not(weaker);
        let query = Query {
            prefix: &path[..depth],
            goal,
            hint: &hint,
            effort: Effort::Full,
        };
        let answer = solver.solve(&mut pool, &query);
        assert!(matches!(answer, Answer::Sat(_)), "{depth}: {answer:?}");
    }
    assert_eq!(budgeted(solver.stats()), 0, "{:?}", solver.stats());
}

/// `settings` with seed 1 under the machine: the low half of the number in many digits is compared, and Z3 gave up after seconds.
#[test]
fn the_low_half_of_a_long_number_needs_no_backend() {
    let mut pool = Pool::new();
    let (zero, ten) = (pool.constant(8, b'0'.into()), pool.constant(64, 10));
    let (mut number, mut prefix) = (pool.constant(64, 0), Vec::new());
    let limit = pool.constant(8, 10);
    for at in 0..15 {
        let byte = pool.var(Var(at), 8);
        let digit = pool.bin(Op::Sub, byte, zero);
        prefix.push(pool.cmp(Op::Ult, digit, limit));
        let digit = pool.zext(digit, 64);
        let scaled = pool.bin(Op::Mul, number, ten);
        number = pool.bin(Op::Add, scaled, digit);
    }
    let low = pool.extract(number, 0, 32);
    let (none, port) = (pool.constant(32, 0), pool.constant(32, 0x10000));
    prefix.push(pool.cmp(Op::Slt, none, low));
    let goals = [
        pool.cmp(Op::Slt, low, port),
        pool.eq(low, port),
        pool.eq(number, ten),
    ];
    let hint = (0..15)
        .map(|at| (Var(at), u128::from(b'1') + u128::from(at) % 9))
        .collect();
    let stats = layers(&mut pool, &prefix, &goals, &hint);
    assert_eq!((stats.sat, budgeted(&stats)), (3, 0), "{stats:?}");
}

/// A float that is multiplied by itself, or added to itself.
#[test]
fn squares_and_doubles_of_floats_need_no_backend() {
    for (bits, op, want) in [32, 64, 80]
        .into_iter()
        .flat_map(|bits| [(bits, Op::FMul, 6.25), (bits, Op::FAdd, 7.5)])
    {
        let mut pool = Pool::new();
        let x = pool.var(Var(0), bits);
        let made = pool.bin(op, x, x);
        let want = pool.constant(bits, crate::float(bits, want));
        let goal = pool.cmp(Op::FEq, made, want);
        let query = Query {
            prefix: &[],
            goal,
            hint: &Assignment::new(),
            effort: Effort::Full,
        };
        let mut solver = Solver::new(Box::new(backend::none::None), Config::default());
        let answer = solver.solve(&mut pool, &query);
        assert!(
            matches!(answer, Answer::Sat(_)),
            "{op:?} of {bits} bits: {answer:?}"
        );
    }
}

/// Terms are numbers: those of another pool must not be taken for known ones.
#[test]
fn a_solver_serves_one_pool_after_the_other() {
    let mut solver = solver(Config::default());
    let hint = Assignment::new();
    let mut ask = |below: u128, is: u128| {
        let mut pool = Pool::new();
        let x = pool.var(Var(0), 32);
        let (below, is) = (pool.constant(32, below), pool.constant(32, is));
        let prefix = [pool.cmp(Op::Ult, x, below)];
        let goal = pool.eq(x, is);
        let query = Query {
            prefix: &prefix,
            goal,
            hint: &hint,
            effort: Effort::Full,
        };
        solver.solve(&mut pool, &query)
    };
    assert_eq!(ask(10, 20), Answer::Unsat);
    assert!(matches!(ask(30, 20), Answer::Sat(_)));
    assert_eq!(ask(10, 20), Answer::Unsat);
}

/// Minutes went by before the backend looked at its budget: it is not asked about what is too large.
#[test]
fn a_query_that_is_too_large_is_given_up() {
    let mut pool = Pool::new();
    let mut sum = pool.var(Var(0), 32);
    for number in 0..60_000 {
        let one = pool.constant(32, number);
        let other = pool.bin(Op::Xor, sum, one);
        sum = pool.bin(Op::Add, sum, other);
    }
    // A circuit finds that the lowest bit does not depend on the variable, nor does the next one after it.
    is_too_large(&mut pool, sum, Answer::Unsat);
}

/// Each read of a table is a choice among all its entries.
#[test]
fn many_reads_of_tables_are_too_large() {
    let mut pool = Pool::new();
    let (x, y) = (pool.var(Var(0), 32), pool.var(Var(1), 32));
    let entries: Box<[Term]> = (0..600_u128)
        .map(|entry| pool.constant(32, entry * 0x9e37_79b9 % 0xffff_fffb))
        .collect();
    let mut sum = pool.constant(32, 0);
    for number in 0..60 {
        let number = pool.constant(32, number);
        let shifted = pool.bin(Op::Add, x, number);
        let index = pool.bin(Op::Xor, shifted, y);
        let read = pool.table(index, entries.clone());
        let product = pool.bin(Op::Mul, sum, read);
        sum = pool.bin(Op::Add, product, number);
    }
    let spent = Reason::Backend("the circuit's budget".into());
    is_too_large(&mut pool, sum, Answer::Unknown(spent));
}

/// The backend is not asked quickly for values under which a term is 7; what circuits say.
fn is_too_large(pool: &mut Pool, term: Term, by_circuit: Answer) {
    let wanted = pool.constant(32, 7);
    let goal = pool.eq(term, wanted);
    let hint = Assignment::new();
    let too_large = Answer::Unknown(Reason::Backend("too large".into()));
    for (circuits, expected) in [(true, by_circuit), (false, too_large)] {
        let mut solver = solver(Config {
            circuits,
            ..Config::default()
        });
        let query = Query {
            prefix: &[],
            goal,
            hint: &hint,
            effort: Effort::Quick,
        };
        assert_eq!(solver.solve(pool, &query), expected);
    }
}

/// 100,000 rounds of a linear generator are one product.
#[test]
fn a_chain_of_products_and_sums_is_one_of_each() {
    let mut pool = Pool::new();
    let x = pool.var(Var(0), 32);
    let (factor, offset) = (pool.constant(32, 1_103_515_245), pool.constant(32, 12_345));
    let mut state = x;
    let mut wanted = 99_u32;
    for _ in 0..1000 {
        let product = pool.bin(Op::Mul, state, factor);
        state = pool.bin(Op::Add, product, offset);
        wanted = wanted.wrapping_mul(1_103_515_245).wrapping_add(12_345);
    }
    let end = pool.constant(32, wanted.into());
    let goal = pool.eq(state, end);
    let ninety_nine = pool.constant(32, 99);
    assert_eq!(goal, pool.eq(x, ninety_nine), "{}", pool.show(goal));
}
