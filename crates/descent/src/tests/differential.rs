//! Compiled terms against `smt::Evaluator`: random terms of all operations and widths under random values.

use smt::{Assignment, Evaluator, Op, Term, Var};

use crate::rng::Rng;
use crate::{
    Call, External, Kind, Machine, Program, Recorder, Shape, Shapes, Step, StepId, Trace, Variable,
};

const WIDTHS: [u16; 13] = [1, 1, 3, 8, 8, 16, 32, 33, 64, 64, 65, 80, 128];

fn mask(bits: u16) -> u128 {
    u128::MAX >> (128 - u32::from(bits))
}

fn pick(rng: &mut Rng, from: &[u16]) -> u16 {
    rng.pick(from).expect("it is not empty")
}

/// A value of `bits` bits; special ones are common.
pub(super) fn value(rng: &mut Rng, bits: u16) -> u128 {
    let special = match rng.below(9) {
        0 => 0,
        1 => 1,
        2 => u128::MAX,
        3 => 1 << (bits - 1),
        4 => (1 << (bits - 1)) - 1,
        5 => u128::from(rng.next() % 256),
        6 => 1 << rng.below(bits.into()),
        7 if matches!(bits, 32 | 64 | 80) => {
            let small = f64::from(rng.next() as i8);
            let scales = [1.0, 0.5, 1e9, 1e-9, 3e18, 1e300, f64::INFINITY];
            smt::float(bits, small * rng.pick(&scales).expect("scales"))
        }
        _ => rng.wide(),
    };
    special & mask(bits)
}

/// Result's width, extra operand, operands' widths.
fn shape(rng: &mut Rng, op: Op) -> (u16, u8, [u16; 3]) {
    let w = pick(rng, &WIDTHS);
    let float = pick(rng, &[32, 64, 80]);
    match op {
        Op::Ite => (w, 0, [1, w, w]),
        Op::Concat => {
            let (a, b) = (
                pick(rng, &[1, 3, 8, 32, 64]),
                pick(rng, &[1, 8, 16, 33, 64]),
            );
            (a + b, 0, [a, b, 0])
        }
        Op::ZExt | Op::SExt => {
            let to = pick(rng, &WIDTHS);
            (w.max(to), 0, [w.min(to), 0, 0])
        }
        Op::Extract => {
            let bits = 1 + rng.below(w.into()) as u16;
            (bits, rng.below(usize::from(w - bits) + 1) as u8, [w, 0, 0])
        }
        Op::Bswap => {
            let w = pick(rng, &[8, 16, 32, 64, 80, 128]);
            (w, 0, [w, 0, 0])
        }
        Op::FToS | Op::FToU => (
            pick(rng, &[1, 8, 16, 32, 33, 64, 65, 128]),
            0,
            [float, 0, 0],
        ),
        Op::SToF | Op::UToF => (float, 0, [w, 0, 0]),
        Op::FToF => (pick(rng, &[32, 64, 80]), 0, [float, 0, 0]),
        Op::FRound => (float, rng.below(5) as u8, [float, 0, 0]),
        _ if op.takes_floats() => (if op.is_predicate() { 1 } else { float }, 0, [float; 3]),
        _ if op.is_predicate() => (1, 0, [w, w, 0]),
        _ => (w, 0, [w, w, 0]),
    }
}

/// A term of `bits` bits: an old one, a constant, or a cut one.
pub(super) fn operand(recorder: &mut Recorder, terms: &[Term], rng: &mut Rng, bits: u16) -> Term {
    let fitting: Vec<Term> = terms
        .iter()
        .copied()
        .filter(|&t| recorder.pool().width(t) == bits)
        .collect();
    match rng.pick(&fitting) {
        Some(term) if rng.below(8) > 0 => term,
        _ if rng.below(2) == 0 => {
            let value = value(rng, bits);
            recorder.constant(bits, value)
        }
        _ => {
            let term = rng.pick(terms).expect("inputs");
            let width = recorder.pool().width(term);
            let op = if width < bits { Op::SExt } else { Op::Extract };
            recorder.cast(op, bits, term)
        }
    }
}

struct Sample {
    recorder: Recorder,
    inputs: Vec<Variable>,
    terms: Vec<Term>,
}

fn sample(rng: &mut Rng, size: usize) -> Sample {
    let mut recorder = Recorder::new();
    let widths = [1, 3, 8, 8, 16, 32, 33, 64, 64, 65, 80, 128];
    let inputs: Vec<Variable> = (0..)
        .map(Var)
        .zip(widths)
        .map(|(var, width)| Variable {
            var,
            width,
            kind: Kind::Unsigned,
            domain: None,
        })
        .collect();
    let mut terms: Vec<Term> = inputs
        .iter()
        .map(|input| recorder.var(input.var, input.width))
        .collect();
    // The same variable, wider and narrower than it is.
    terms.extend([
        recorder.var(Var(4), 8),
        recorder.var(Var(4), 32),
        recorder.var(Var(11), 32),
    ]);
    for turn in 0..size {
        let term = if turn % 20 == 0 {
            let (bits, index) = (pick(rng, &WIDTHS), pick(rng, &[1, 3, 8, 65]));
            let index = operand(&mut recorder, &terms, rng, index);
            let entries = (0..=rng.below(6)).map(|_| operand(&mut recorder, &terms, rng, bits));
            let entries: Vec<Term> = entries.collect();
            recorder.table(index, entries.into())
        } else {
            let op = Op::ALL[turn % Op::ALL.len()];
            let (bits, aux, widths) = shape(rng, op);
            let operands = widths.map(|w| operand(&mut recorder, &terms, rng, w.max(1)));
            recorder.apply(op, bits, aux, &operands[..op.arity()])
        };
        terms.push(term);
    }
    Sample {
        recorder,
        inputs,
        terms,
    }
}

/// Whether a float operation in the term computes no number: which one is the processor's affair, and the order of operands'.
fn is_settled(recorder: &Recorder, term: Term, evaluator: &mut Evaluator<'_>) -> bool {
    let mut todo = vec![term];
    let mut seen = std::collections::BTreeSet::new();
    while let Some(next) = todo.pop() {
        if !seen.insert(next) {
            continue;
        }
        match recorder.shape(next).expect("it was recorded") {
            Shape::Constant(_) | Shape::Var(_) => {}
            Shape::Table { index, entries } => todo.extend(entries.iter().copied().chain([index])),
            Shape::Op { op, operands, .. } => {
                todo.extend(operands);
                let width = recorder.pool().width(next);
                let value = evaluator.value(next);
                let is_nan = match width {
                    32 => f32::from_bits(value as u32).is_nan(),
                    64 => f64::from_bits(value as u64).is_nan(),
                    80 => x87::is_nan(value),
                    _ => false,
                };
                if (op.takes_floats() || matches!(op, Op::SToF | Op::UToF)) && is_nan {
                    return false;
                }
            }
        }
    }
    true
}

#[test]
fn compiled_terms_have_the_evaluators_values() {
    let mut rng = Rng::new(11);
    let (mut compared, mut seen) = (0, std::collections::BTreeSet::new());
    for _ in 0..40 {
        let Sample {
            recorder,
            inputs,
            terms,
        } = sample(&mut rng, 160);
        let call = Call {
            result: Var(99),
            width: 8,
            function: External::new("see"),
            args: terms.clone(),
        };
        let trace = Trace {
            variables: inputs.clone(),
            steps: vec![Step::Call(call)],
        };
        let program = Program::new(&recorder, &trace).expect("a trace");
        let mut machine = Machine::new(&program);
        for _ in 0..15 {
            let values: Vec<u128> = inputs
                .iter()
                .map(|input| value(&mut rng, input.width))
                .collect();
            let assignment: Assignment = inputs
                .iter()
                .map(|input| input.var)
                .zip(values.iter().copied())
                .collect();
            let mut found = Vec::new();
            machine.evaluate(&values, &mut |_, args| {
                found = args.to_vec();
                Some(0)
            });
            let mut evaluator = Evaluator::new(recorder.pool(), &assignment);
            for (&term, found) in terms.iter().zip(found) {
                if evaluator.value(term) != found && is_settled(&recorder, term, &mut evaluator) {
                    panic!(
                        "{}: {:#x}, not {found:#x} under {assignment:?}",
                        recorder.pool().show(term),
                        evaluator.value(term)
                    );
                }
                if let Some(Shape::Op { op, .. }) = recorder.shape(term) {
                    seen.insert((op, recorder.pool().width(term) > 64));
                }
                compared += 1;
            }
        }
    }
    assert!(compared > 90_000);
    for &op in Op::ALL {
        assert!(
            seen.iter().any(|&(own, _)| own == op),
            "{op:?} was not drawn"
        );
    }
}

#[test]
fn a_distance_is_0_exactly_when_the_condition_holds() {
    let mut rng = Rng::new(12);
    for _ in 0..40 {
        let Sample {
            recorder,
            inputs,
            terms,
        } = sample(&mut rng, 200);
        let conditions: Vec<Term> = terms
            .into_iter()
            .filter(|&term| recorder.pool().width(term) == 1)
            .collect();
        let steps = conditions.iter().map(|&condition| Step::Fit { condition });
        let trace = Trace {
            variables: inputs.clone(),
            steps: steps.collect(),
        };
        let program = Program::new(&recorder, &trace).expect("a trace");
        let mut machine = Machine::new(&program);
        for _ in 0..15 {
            let values: Vec<u128> = inputs
                .iter()
                .map(|input| value(&mut rng, input.width))
                .collect();
            let assignment: Assignment = inputs
                .iter()
                .map(|input| input.var)
                .zip(values.iter().copied())
                .collect();
            let score = machine.evaluate(&values, &mut |_, _| None);
            assert!(score.is_finite());
            let mut evaluator = Evaluator::new(recorder.pool(), &assignment);
            for (step, &condition) in (0..).map(StepId).zip(&conditions) {
                let distance = machine.distance(step);
                assert!(distance.is_finite() && distance >= 0.0, "{distance}");
                if is_settled(&recorder, condition, &mut evaluator) {
                    let holds = evaluator.value(condition) == 1;
                    assert_eq!(
                        distance == 0.0,
                        holds,
                        "{}",
                        recorder.pool().show(condition)
                    );
                }
                // The gauge itself, without the condition's own word in front of it.
                assert_eq!(
                    distance > f64::MIN_POSITIVE,
                    distance != 0.0,
                    "{}",
                    recorder.pool().show(condition)
                );
            }
        }
    }
}
