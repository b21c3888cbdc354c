//! Circuits against the evaluator: under the hint, and by what the SAT solver says.

use super::*;
use crate::eval::{Scratch, eval, mask};
use crate::testing::{Random, TermMaker, computes_nan, show};
use crate::{Assignment, Pool, Term, Var};

const LIMITS: Limits = Limits {
    gates: 400_000,
    conflicts: 2_000,
};

/// Operations that have a circuit at the widths that [`TermMaker`] gives them.
fn ops() -> Vec<Op> {
    let none = [Op::FRem, Op::FSqrt];
    Op::ALL
        .iter()
        .copied()
        .filter(|op| !none.contains(op))
        .collect()
}

fn start(tape: &Tape, hint: &Assignment) -> Vec<u128> {
    tape.vars.iter().map(|&(var, _)| hint.get(var)).collect()
}

/// Compares the word of each step under the hint with its value.
fn compare(pool: &Pool, term: Term, hint: &Assignment, scratch: &mut Scratch) -> bool {
    let tape = Tape::new(pool, &[term], scratch);
    let start = start(&tape, hint);
    let circuit = match Circuit::new(&tape, &start, usize::MAX) {
        Ok(circuit) if !computes_nan(pool, term, hint) => circuit,
        // Which NaN it is is not said.
        Ok(_) | Err(Outcome::Unfit) => return false,
        Err(outcome) => panic!("{outcome:?}"),
    };
    let mut values = tape.blank();
    tape.run(&mut values, |var| start[var as usize]);
    for (word, (step, value)) in circuit.words.iter().zip(tape.steps.iter().zip(values)) {
        assert_eq!(word.len(), usize::from(step.bits), "{step:?}");
        for (at, &bit) in word.iter().enumerate() {
            let expected = value >> at & 1 == 1;
            assert_eq!(
                circuit.gates.value(bit),
                expected,
                "bit {at}:\n{}",
                show(pool, term, hint)
            );
        }
    }
    true
}

#[test]
fn words_are_the_values_of_their_steps() {
    let (ops, mut compared) = (ops(), 0);
    for seed in 0..300 {
        let (mut pool, mut random) = (Pool::new(), Random::new(seed));
        let mut maker = TermMaker::new(&mut pool, &mut random);
        let hint = maker.assignment(&mut random);
        let mut scratch = Scratch::default();
        for round in 0..40 {
            let term = match round % 8 {
                0 => maker.table(&mut pool, &mut random),
                _ => {
                    let op = random.pick(&ops);
                    maker.operation(&mut pool, &mut random, op)
                }
            };
            compared += u32::from(compare(&pool, term, &hint, &mut scratch));
        }
    }
    assert!(compared > 5_000, "{compared}");
}

/// Floats at which something changes.
fn edges(bits: u16) -> Vec<u128> {
    let (fraction, exponent) = if bits == 32 { (23, 8) } else { (52, 11) };
    let at = |exponent: u128, fraction_bits: u128| exponent << fraction | fraction_bits;
    let (bias, most) = ((1 << (exponent - 1)) - 1, (1 << exponent) - 1);
    let full = (1 << fraction) - 1;
    let mut edges = vec![
        at(0, 0),
        at(0, 1),
        at(0, 2),
        at(0, 3),
        at(0, full),
        at(0, full / 2 + 1),
        at(1, 0),
        at(1, 1),
        at(2, 0),
        at(most, 0),
        at(most, 1),
        at(most - 1, full),
        at(most - 1, 0),
        at(bias - 2, full),
        at(bias - 1, 0),
        at(bias - 1, 1),
        at(bias - 1, full),
        at(bias, 0),
        at(bias, 1),
        at(bias, full),
        at(bias, full / 2 + 1),
        at(bias + 1, full / 2 + 1),
        at(bias + 1, 1),
        at(bias + 1, full / 4 + 1),
        at(bias / 2, 0),
        at(bias / 2, full),
        at(bias + bias / 2, full),
    ];
    for power in [7, 8, 15, 22, 23, 24, 30, 31, 32, 51, 52, 53, 62, 63, 64, 65] {
        edges.extend([
            at(bias + power, 0),
            at(bias + power, 1),
            at(bias + power - 1, full),
        ]);
    }
    let negative = edges.clone();
    edges.extend(negative.into_iter().map(|value| value | 1 << (bits - 1)));
    edges
}

#[test]
fn every_operation_on_floats_at_which_something_changes() {
    let integers = [1, 8, 16, 31, 32, 33, 63, 64];
    for bits in [32, 64] {
        let mut pool = Pool::new();
        let (x, y) = (pool.var(Var(0), bits), pool.var(Var(1), bits));
        let binary = [
            Op::FAdd,
            Op::FSub,
            Op::FMul,
            Op::FDiv,
            Op::FEq,
            Op::FLt,
            Op::FLe,
            Op::FUno,
        ];
        let of_two: Vec<Term> = binary
            .iter()
            .map(|&op| pool.apply(op, if op.is_predicate() { 1 } else { bits }, 0, &[x, y]))
            .collect();
        let mut of_one = [Op::FNeg, Op::FAbs]
            .map(|op| pool.apply(op, bits, 0, &[x]))
            .to_vec();
        of_one.extend((0..5).map(|mode| pool.apply(Op::FRound, bits, mode, &[x])));
        of_one.push(pool.apply(Op::FToF, 96 - bits, 0, &[x]));
        for to in integers {
            of_one.extend([Op::FToS, Op::FToU].map(|op| pool.apply(op, to, 0, &[x])));
        }
        for from in integers.into_iter().chain([128]) {
            let integer = pool.var(Var(1000 + u32::from(from)), from);
            of_one.extend([Op::SToF, Op::UToF].map(|op| pool.apply(op, bits, 0, &[integer])));
        }
        let edges = edges(bits);
        let mut random = Random::new(u64::from(bits));
        let mut compared = 0;
        for (place, &a) in edges.iter().enumerate() {
            let mut compare_all = |terms: &[Term], hint: &Assignment| {
                for &term in terms {
                    compared += u32::from(compare(&pool, term, hint, &mut Scratch::default()));
                }
            };
            for &b in edges.iter().skip(place % 7).step_by(7) {
                compare_all(&of_two, &[(Var(0), a), (Var(1), b)].into_iter().collect());
            }
            for _ in 0..2 {
                let mut hint: Assignment = [(Var(0), a)].into_iter().collect();
                for from in integers.into_iter().chain([128]) {
                    hint.set(Var(1000 + u32::from(from)), random.value(from));
                }
                compare_all(&of_one, &hint);
            }
        }
        assert!(compared > 25_000, "{compared}");
    }
}

/// Every operation on all operands of three bits, each of them a variable or a constant.
#[test]
fn every_operation_on_all_small_operands() {
    let three = |op: &Op| op.arity() == 2 && *op != Op::Concat && !op.takes_floats();
    for op in ops().into_iter().filter(three) {
        for operands in 0..64_u128 {
            let (a, b) = (operands >> 3, operands & 7);
            let hint: Assignment = [(Var(0), a), (Var(1), b)].into_iter().collect();
            for constants in 0..3 {
                let mut pool = Pool::new();
                let (mut x, mut y) = (pool.var(Var(0), 3), pool.var(Var(1), 3));
                match constants {
                    1 => x = pool.constant(3, a),
                    2 => y = pool.constant(3, b),
                    _ => {}
                }
                let bits = if op.is_predicate() { 1 } else { 3 };
                let term = pool.apply(op, bits, 0, &[x, y]);
                assert!(compare(&pool, term, &hint, &mut Scratch::default()));
            }
        }
    }
}

/// A term of `op` can be what it is under a hint, whatever the search begins with; and each answer is right.
#[test]
fn answers_are_right() {
    let ops = ops();
    let (mut solved, mut refuted) = (0, 0);
    for seed in 0..150 {
        let (mut pool, mut random) = (Pool::new(), Random::new(seed));
        let mut maker = TermMaker::new(&mut pool, &mut random);
        let (hint, other) = (maker.assignment(&mut random), maker.assignment(&mut random));
        let mut scratch = Scratch::default();
        for _ in 0..12 {
            let op = random.pick(&ops);
            let term = maker.operation(&mut pool, &mut random, op);
            let bits = pool.width(term);
            let any = random.value(bits);
            for value in [eval(&pool, term, &hint), any & mask(bits)] {
                let value = pool.constant(bits, value);
                let goal = pool.eq(term, value);
                let tape = Tape::new(&pool, &[goal], &mut scratch);
                let outcome = decide(&tape, &start(&tape, &other), LIMITS, &|| false);
                match outcome {
                    Outcome::Values(found) => {
                        solved += 1;
                        let model: Assignment =
                            tape.vars.iter().map(|var| var.0).zip(found).collect();
                        let holds = eval(&pool, goal, &model) == 1;
                        assert!(
                            holds || computes_nan(&pool, goal, &model),
                            "{}",
                            show(&pool, goal, &model)
                        );
                    }
                    Outcome::Nothing => {
                        refuted += 1;
                        for witness in [&hint, &other] {
                            assert_eq!(
                                eval(&pool, goal, witness),
                                0,
                                "{}",
                                show(&pool, goal, witness)
                            );
                        }
                    }
                    Outcome::Spent | Outcome::Unfit => {}
                }
            }
        }
    }
    assert!(solved > 1_500 && refuted > 100, "{solved}, {refuted}");
}

#[test]
fn a_factor_is_found_and_a_prime_has_none() {
    let mut pool = Pool::new();
    let (x, y) = (pool.var(Var(0), 32), pool.var(Var(1), 32));
    let product = pool.bin(Op::Mul, x, y);
    for (number, is_prime) in [(3_599, false), (3_593, true)] {
        let number = pool.constant(32, number);
        let limit = pool.constant(32, 3_592);
        let two = pool.constant(32, 2);
        let roots = [
            pool.eq(product, number),
            pool.bin(Op::Ule, two, x),
            pool.bin(Op::Ule, two, y),
            pool.bin(Op::Ule, x, limit),
            pool.bin(Op::Ule, y, limit),
        ];
        let tape = Tape::new(&pool, &roots, &mut Scratch::default());
        let outcome = decide(
            &tape,
            &[0, 0],
            Limits {
                gates: 100_000,
                conflicts: 1_000_000,
            },
            &|| false,
        );
        match outcome {
            Outcome::Values(values) => {
                assert!(!is_prime, "{values:?}");
                assert_eq!(values[0] * values[1], 3_599);
            }
            outcome => assert!(is_prime && outcome == Outcome::Nothing, "{outcome:?}"),
        }
    }
}

/// One byte is enough: the others stay as they are under the hint.
#[test]
fn no_more_changes_than_must() {
    let mut pool = Pool::new();
    let bytes: Vec<Term> = (0..10).map(|at| pool.var(Var(at), 8)).collect();
    let all = bytes[1..].iter().fold(bytes[0], |all, &byte| {
        let three = pool.constant(8, 3);
        let all = pool.bin(Op::Mul, all, three);
        pool.bin(Op::Xor, all, byte)
    });
    for wanted in 1..=255 {
        let value = pool.constant(8, wanted);
        let goal = pool.eq(all, value);
        let tape = Tape::new(&pool, &[goal], &mut Scratch::default());
        let Outcome::Values(found) = decide(&tape, &[0; 10], LIMITS, &|| false) else {
            panic!("{wanted}")
        };
        let changed = found.iter().filter(|&&value| value != 0).count();
        assert_eq!(changed, 1, "{wanted}: {found:?}");
    }
}

#[test]
fn limits_end_it() {
    let mut pool = Pool::new();
    let (x, y) = (pool.var(Var(0), 64), pool.var(Var(1), 64));
    let product = pool.bin(Op::Mul, x, y);
    let hard = pool.constant(64, 0x7fff_ffe7_0000_005b);
    let goal = pool.eq(product, hard);
    let one = pool.constant(64, 1 << 32);
    let roots = [goal, pool.bin(Op::Ult, x, one), pool.bin(Op::Ult, y, one)];
    let tape = Tape::new(&pool, &roots, &mut Scratch::default());
    let limits = |gates, conflicts| Limits { gates, conflicts };
    let decide = |limits, stopped: &dyn Fn() -> bool| decide(&tape, &[0, 0], limits, stopped);
    assert_eq!(decide(limits(100, 1_000), &|| false), Outcome::Spent);
    assert_eq!(decide(limits(100_000, 50), &|| false), Outcome::Spent);
    assert_eq!(decide(limits(100_000, u64::MAX), &|| true), Outcome::Spent);
}

#[test]
fn there_is_no_circuit_for_remainders_of_floats() {
    let mut pool = Pool::new();
    let (x, y) = (pool.var(Var(0), 64), pool.var(Var(1), 64));
    let left = pool.bin(Op::FRem, x, y);
    let goal = pool.cmp(Op::FLt, y, left);
    let tape = Tape::new(&pool, &[goal], &mut Scratch::default());
    assert_eq!(decide(&tape, &[0, 0], LIMITS, &|| false), Outcome::Unfit);
}

/// A byte of a variable that is read as a word too is the same byte.
#[test]
fn a_variable_has_one_value_at_all_widths() {
    let mut pool = Pool::new();
    for widths in [[8, 32], [32, 8]] {
        let [first, second] = widths.map(|bits| pool.var(Var(0), bits));
        let [small, large] = widths.map(|bits| pool.constant(bits, 0x1234_5678 & mask(bits)));
        let roots = [pool.eq(first, small), pool.eq(second, large)];
        let tape = Tape::new(&pool, &roots, &mut Scratch::default());
        let found = decide(&tape, &[0, 0], LIMITS, &|| false);
        assert_eq!(found, Outcome::Values(vec![0x1234_5678; 2]));
        let other = pool.constant(8, 0x79);
        let byte = if widths[0] == 8 { first } else { second };
        let roots = [roots[0], roots[1], pool.eq(byte, other)];
        let tape = Tape::new(&pool, &roots, &mut Scratch::default());
        assert_eq!(decide(&tape, &[0, 0], LIMITS, &|| false), Outcome::Nothing);
    }
}
