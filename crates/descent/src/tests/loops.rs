//! Compiled loops against their definition (`confirms`): random graphs of blocks with calls, over state of all widths.

use smt::{Assignment, Op, Term, Var};

use super::differential::{operand, value};
use crate::rng::Rng;
use crate::{
    Block, BlockId, Call, External, Kind, Loop, Machine, Next, Program, Recorder, Shapes, State,
    Step, StepId, Target, Trace, Variable, confirms,
};

const WIDTHS: [u16; 6] = [1, 8, 32, 64, 65, 128];

fn term(recorder: &mut Recorder, known: &[Term], rng: &mut Rng, bits: u16) -> Term {
    let ops = [
        Op::Add,
        Op::Sub,
        Op::Xor,
        Op::Mul,
        Op::And,
        Op::LShr,
        Op::Neg,
        Op::URem,
    ];
    let op = rng.pick(&ops).expect("operations");
    let operands = [0; 2].map(|_| operand(recorder, known, rng, bits));
    recorder.apply(op, bits, 0, &operands[..op.arity()])
}

fn condition(recorder: &mut Recorder, known: &[Term], rng: &mut Rng) -> Term {
    let width = rng.pick(&WIDTHS).expect("widths");
    let op = rng.pick(&[Op::Ult, Op::Slt, Op::Eq]).expect("operations");
    let operands = [0; 2].map(|_| operand(recorder, known, rng, width));
    recorder.apply(op, 1, 0, &operands)
}

fn target(rng: &mut Rng, blocks: usize) -> Target {
    match rng.below(6) {
        0 | 1 => Target::Exit,
        2 if rng.below(3) == 0 => Target::Away,
        _ => Target::Block(BlockId(rng.below(blocks) as u32)),
    }
}

/// A trace with a loop, and a call that sees the state behind it.
fn sample(rng: &mut Rng) -> (Recorder, Trace) {
    let mut recorder = Recorder::new();
    let variable = |(number, width)| Variable {
        var: Var(number),
        width,
        kind: Kind::Unsigned,
        domain: None,
    };
    let inputs: Vec<Variable> = (0..).zip(WIDTHS).map(variable).collect();
    let outside: Vec<Term> = inputs
        .iter()
        .map(|input| recorder.var(input.var, input.width))
        .collect();
    let mut state = Vec::new();
    for number in 0..2 + rng.below(4) {
        let (var, width) = (Var(100 + number as u32), rng.pick(&WIDTHS).expect("widths"));
        let entry = term(&mut recorder, &outside, rng, width);
        state.push(State { var, width, entry });
    }
    let own: Vec<Term> = state
        .iter()
        .map(|state| recorder.var(state.var, state.width))
        .collect();
    let mut known = [outside.clone(), own.clone(), own.clone()].concat();
    let count = 1 + rng.below(4);
    let mut blocks = Vec::new();
    for number in 0..count {
        let mut calls = Vec::new();
        if rng.below(3) == 0 {
            let args = vec![term(&mut recorder, &known, rng, 64)];
            let result = Var(200 + number as u32);
            calls.push(Call {
                result,
                width: 64,
                function: External::new("next"),
                args,
            });
            known.push(recorder.var(result, 64));
        }
        let mut assign = Vec::new();
        for state in &state {
            match rng.below(4) {
                0 => {}
                // Another variable as it is: assignments happen at once.
                1 => assign.push((state.var, operand(&mut recorder, &own, rng, state.width))),
                _ => assign.push((state.var, term(&mut recorder, &known, rng, state.width))),
            }
        }
        let next = Next::Branch {
            condition: condition(&mut recorder, &known, rng),
            then: target(rng, count),
            otherwise: target(rng, count),
        };
        if !calls.is_empty() {
            known.pop();
        }
        blocks.push(Block {
            calls,
            assign,
            next,
        });
    }
    let see = Call {
        result: Var(99),
        width: 8,
        function: External::new("see"),
        args: own,
    };
    let steps = vec![
        Step::Loop(Loop {
            state,
            blocks,
            turns: 20,
        }),
        Step::Call(see),
    ];
    (
        recorder,
        Trace {
            variables: inputs,
            steps,
        },
    )
}

#[test]
fn compiled_loops_do_what_their_definition_says() {
    let mut rng = Rng::new(13);
    let (mut exits, mut cuts) = (0, 0);
    for _ in 0..300 {
        let (recorder, trace) = sample(&mut rng);
        let program = Program::new(&recorder, &trace).expect("a trace");
        let mut machine = Machine::new(&program);
        for _ in 0..6 {
            let values: Vec<u128> = trace
                .variables
                .iter()
                .map(|input| value(&mut rng, input.width))
                .collect();
            let inputs = trace.variables.iter().map(|input| input.var);
            let assignment: Assignment = inputs.zip(values.iter().copied()).collect();
            let mut seen = [Vec::new(), Vec::new()];
            let [compiled, defined] = &mut seen;
            let call = |name: &str, args: &[u128], seen: &mut Vec<u128>| {
                if name == "see" {
                    *seen = args.to_vec();
                }
                Some(args[0].wrapping_mul(0x9e37_79b9) >> 3)
            };
            machine.forget();
            let score = machine.evaluate(&values, &mut |name, args| call(name, args, compiled));
            let ends = confirms(recorder.pool(), &trace, &assignment, &mut |name, args| {
                call(name, args, defined)
            });
            assert_eq!(score == 0.0, ends, "{trace:#?} {assignment:?}");
            assert_eq!(machine.distance(StepId(0)) == 0.0, ends);
            if ends {
                assert_eq!(seen[0], seen[1], "{trace:#?} {assignment:?}");
            }
            *(if ends { &mut exits } else { &mut cuts }) += 1;
        }
    }
    assert!(exits > 300 && cuts > 100, "{exits} {cuts}");
}
