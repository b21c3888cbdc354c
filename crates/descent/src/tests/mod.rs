//! Tests over whole traces: systems with planted solutions, systems without, and what callers rely on.
//!
//! `systems.txt` and `failing.txt` are the data; a system is a heading and the text of a trace.

mod differential;
mod loops;

use smt::{Assignment, Op, Var};

use crate::text::{Read, parse};
use crate::{
    BadTrace, BlockId, Failed, Found, Limits, Machine, Outcome, Program, Searches, Shapes, StepId,
    confirms, search,
};

const SYSTEMS: &str = include_str!("systems.txt");
const FAILING: &str = include_str!("failing.txt");

fn systems(text: &'static str) -> impl Iterator<Item = (&'static str, Read)> {
    text.split("== ").skip(1).map(|system| {
        let (name, text) = system.split_once('\n').expect("a heading");
        (name, read(text))
    })
}

fn read(text: &str) -> Read {
    parse(text).unwrap_or_else(|bad| panic!("{bad}\n{text}"))
}

fn limits(evaluations: u64) -> Limits {
    Limits {
        evaluations,
        seed: 1,
        searches: Searches::Both,
    }
}

/// Searches from zeros, without functions but the known ones.
fn from_zeros(read: &Read, limits: Limits) -> Outcome {
    let outcome = search(
        &read.terms,
        &read.trace,
        &Assignment::new(),
        limits,
        &mut |_, _| None,
    );
    outcome.expect("the trace can be compiled")
}

#[test]
fn planted_solutions_are_found() {
    let mut count = 0;
    let mut failed = Vec::new();
    for (name, read) in systems(SYSTEMS) {
        count += 1;
        match from_zeros(&read, limits(200_000)) {
            Outcome::Found(Found { values, .. }) => {
                assert!(
                    confirms(read.terms.pool(), &read.trace, &values, &mut |_, _| None),
                    "{name}"
                );
            }
            Outcome::Failed(Failed {
                blamed, distance, ..
            }) => failed.push((name, blamed, distance)),
        }
    }
    assert!(count >= 60, "{count}");
    assert!(failed.is_empty(), "{failed:#?}");
}

#[test]
fn what_has_no_solution_fails_and_the_right_step_is_blamed() {
    for (heading, read) in systems(FAILING) {
        let (name, step) = heading.split_once(": ").expect("a step");
        let step = StepId(step.parse().expect("a number"));
        match from_zeros(&read, limits(5_000)) {
            Outcome::Found(found) => panic!("{name}: {found:?}"),
            Outcome::Failed(failed) => {
                assert_eq!(failed.blamed, Some(step), "{name}");
                assert!(
                    failed.distance > 0.0 && failed.distance.is_finite(),
                    "{name}"
                );
                assert!(
                    failed.evaluations < 10_000,
                    "{name}: {}",
                    failed.evaluations
                );
            }
        }
    }
}

#[test]
fn the_same_seed_gives_the_same_values() {
    let (_, read) = systems(SYSTEMS)
        .find(|(name, _)| name.contains("quadratic"))
        .expect("a system");
    let values = |seed| {
        from_zeros(
            &read,
            Limits {
                seed,
                ..limits(200_000)
            },
        )
    };
    assert_eq!(values(7), values(7));
    assert_ne!(values(7), values(8));
}

#[test]
fn a_start_that_is_a_solution_stays_as_it_is() {
    let read = read("x: s32\ny: s32\nfit (Eq x 5)");
    let start: Assignment = [(Var(0), 5), (Var(1), 99)].into_iter().collect();
    let outcome = search(&read.terms, &read.trace, &start, limits(1), &mut |_, _| {
        None
    });
    assert_eq!(
        outcome,
        Ok(Outcome::Found(Found {
            values: start,
            evaluations: 1
        }))
    );
}

#[test]
fn inputs_without_influence_and_fixed_ones_do_not_move() {
    let read = read("x: s32\ny: s32\np: p64\nfit (Eq (Mul x x) 169)\nfit (Not (Eq p 0))");
    let start: Assignment = [(Var(1), 42), (Var(2), 0x7fff_0000)].into_iter().collect();
    let outcome = search(
        &read.terms,
        &read.trace,
        &start,
        limits(50_000),
        &mut |_, _| None,
    );
    let Ok(Outcome::Found(Found { values, .. })) = outcome else {
        panic!("{outcome:?}");
    };
    assert_eq!((values.get(Var(1)), values.get(Var(2))), (42, 0x7fff_0000));
}

#[test]
fn inputs_stay_in_their_domains() {
    let read = read("a: u8 in 48..57\nb: s16 in -5..5\nfit (Eq (Add (SExt:32 b) (ZExt:32 a)) 43)");
    let Outcome::Found(Found { values, .. }) = from_zeros(&read, limits(10_000)) else {
        panic!("48 - 5 is 43");
    };
    assert_eq!((values.get(Var(0)), values.get(Var(1))), (48, 0xfffb));
}

#[test]
fn other_functions_are_asked_for_and_their_answers_confirmed() {
    let read = read("x: u32\ny: u32\ncall h:32 = hash x\nfit (Eq h 1000)\nfit (Eq y 7)");
    let mut asked = 0;
    let mut hash = |name: &str, args: &[u128]| {
        assert_eq!((name, args.len()), ("hash", 1));
        asked += 1;
        Some(args[0] * 3 + 1)
    };
    let outcome = search(
        &read.terms,
        &read.trace,
        &Assignment::new(),
        limits(10_000),
        &mut hash,
    );
    let Ok(Outcome::Found(found)) = outcome else {
        panic!("{outcome:?}");
    };
    assert_eq!(
        (found.values.get(Var(0)), found.values.get(Var(1))),
        (333, 7)
    );
    assert!(
        asked <= found.evaluations + 1,
        "a call with the same arguments is not repeated"
    );
}

#[test]
fn functions_without_a_result_or_with_another_one_each_time_end_the_search_without_one() {
    let read = read("x: u32\ny: u32\ncall h:32 = hash x\nfit (Eq h 1000)\nfit (Eq y 7)");
    let mut none = |_: &str, _: &[u128]| None;
    let outcome = search(
        &read.terms,
        &read.trace,
        &Assignment::new(),
        limits(500),
        &mut none,
    );
    assert!(
        matches!(
            outcome,
            Ok(Outcome::Failed(Failed {
                blamed: Some(StepId(0)),
                ..
            }))
        ),
        "{outcome:?}"
    );
    let mut calls = 0;
    let mut fickle = |_: &str, _: &[u128]| {
        calls += 1;
        Some(if calls == 1 { 1000 } else { 7 })
    };
    let outcome = search(
        &read.terms,
        &read.trace,
        &Assignment::new(),
        limits(500),
        &mut fickle,
    );
    if let Ok(Outcome::Found(found)) = outcome {
        panic!("{found:?}");
    }
}

#[test]
fn an_endless_loop_costs_evaluations() {
    let read = read(
        "n: u32\nloop 1000000\n i:32 = 0\n block\n i := (Xor i 1)\n branch (Eq i 2) exit 0\nend\nfit (Eq i n)",
    );
    let Outcome::Failed(failed) = from_zeros(&read, limits(2_000)) else {
        panic!("the loop has no end");
    };
    assert_eq!(failed.blamed, Some(StepId(0)));
    assert!(failed.evaluations < 4_000, "{}", failed.evaluations);
}

#[test]
fn distances_are_those_of_the_conditions() {
    let check = |text: &str, values: &[u128], expected: &[f64]| {
        let read = read(text);
        let program = Program::new(&read.terms, &read.trace).expect("a trace");
        let mut machine = Machine::new(&program);
        machine.evaluate(values, &mut |_, _| None);
        let found: Vec<f64> = (0..expected.len() as u32)
            .map(|step| machine.distance(StepId(step)))
            .collect();
        assert_eq!(found, expected, "{text}");
    };
    check(
        "x: u8\nfit (Eq x 7)\nfit (Ult x 10)\nfit (Ult 9 x)\nfit (Not (Ule x 10))",
        &[10],
        &[3.0, 1.0, 0.0, 1.0],
    );
    check(
        "x: u8\nfit (Eq x 1)\nfit (Slt x 4)\nfit (Not (Eq x 255))",
        &[255],
        &[2.0, 0.0, 1.0],
    );
    check(
        "x: u8\nfit (And (Eq x 7) (Eq x 12))\nfit (Or (Eq x 7) (Eq x 12))",
        &[10],
        &[5.0, 2.0],
    );
    check(
        "x: u8\nfit (Eq (And x 15) 6)\nfit (Eq (Ite (Ult x 5) x 40) 3)",
        &[9],
        &[4.0, 11.0],
    );
    check("x: u8\nfit (Eq (ZExt:32 (Ult x 5)) 1)", &[9], &[5.0]);
    check("x: u128\nfit (Eq x 5)\nfit (Slt x 0)", &[8], &[3.0, 9.0]);
    let nan = f64::NAN.to_bits().into();
    check(
        "u: f64\nfit (FUno u u)\nfit (Not (FLt 1.0 u))",
        &[nan],
        &[0.0, 0.0],
    );
}

#[test]
fn conditions_as_deep_as_programs_are_long_need_no_stack() {
    let deep = 40_000;
    let mut read = read("x: u32\ny: u32");
    let (x, y) = (read.terms.var(Var(0), 32), read.terms.var(Var(1), 32));
    let (mut both, mut chosen, mut sum) = (read.terms.bin(Op::Ult, x, y), x, x);
    for turn in 0..deep {
        let constant = read.terms.constant(32, 77 + turn);
        let below = read.terms.bin(Op::Ult, x, constant);
        both = if turn % 50 == 0 {
            read.terms.bin(Op::Or, below, both)
        } else {
            read.terms.bin(Op::And, both, below)
        };
        chosen = read.terms.ite(below, constant, chosen);
        sum = read.terms.bin(Op::Xor, sum, chosen);
    }
    let equal = read.terms.bin(Op::Eq, chosen, y);
    let other = read.terms.bin(Op::Eq, sum, y);
    for condition in [both, equal, other] {
        read.trace.steps.push(crate::Step::Fit { condition });
    }
    let program = Program::new(&read.terms, &read.trace).expect("a trace");
    let score = Machine::new(&program).evaluate(&[500, 3], &mut |_, _| None);
    assert!(score.is_finite() && score > 0.0);
    assert!(matches!(from_zeros(&read, limits(3)), Outcome::Failed(_)));
}

#[test]
fn a_trace_that_makes_no_sense_is_refused() {
    let error = |change: fn(&mut Read)| {
        let mut read = read(
            "x: u32\nfit (Eq x 5)\nloop 5\n i:32 = x\n block\n i := (Add i 1)\n goto exit\nend\nfit (Eq i 9)",
        );
        change(&mut read);
        Program::new(&read.terms, &read.trace).err()
    };
    assert_eq!(error(|_| {}), None);
    let undefined = BadTrace::Undefined {
        step: StepId(0),
        var: Var(0),
    };
    assert_eq!(error(|read| read.trace.variables.clear()), Some(undefined));
    let twice = |read: &mut Read| read.trace.variables.push(read.trace.variables[0]);
    assert_eq!(error(twice), Some(BadTrace::Redefined { var: Var(0) }));
    let backwards = |read: &mut Read| read.trace.steps.reverse();
    assert_eq!(
        error(backwards),
        Some(BadTrace::Undefined {
            step: StepId(0),
            var: Var(1)
        })
    );
    let no_block = |read: &mut Read| {
        if let crate::Step::Loop(body) = &mut read.trace.steps[1] {
            body.blocks.clear();
        }
    };
    assert_eq!(
        error(no_block),
        Some(BadTrace::NoBlock {
            step: StepId(1),
            block: BlockId(0)
        })
    );
    let wide = |read: &mut Read| {
        let term = read.terms.var(Var(0), 32);
        read.trace.steps.push(crate::Step::Fit { condition: term });
    };
    assert_eq!(
        error(wide),
        Some(BadTrace::Width {
            step: StepId(3),
            given: 32,
            wanted: 1
        })
    );
    let signature = |read: &mut Read| {
        read.trace.steps.insert(
            0,
            parse("x: u32\ncall s:32 = sin x")
                .expect("text")
                .trace
                .steps
                .remove(0),
        )
    };
    assert_eq!(
        error(signature),
        Some(BadTrace::Signature {
            step: StepId(0),
            function: "sin".to_owned()
        })
    );
}

#[test]
fn assignments_of_a_block_happen_at_once() {
    // A rotation: each variable takes what the next one had.
    let read = read(
        "n: u32\nx: u128\nloop 10\n a:128 = x\n b:128 = 2\n c:128 = 3\n i:32 = 0\n block\n a := b\n b := c\n c := a\n i := (Add i 1)\n\
         branch (Ult i n) 0 exit\nend\ncall r:128 = see a b c",
    );
    let program = Program::new(&read.terms, &read.trace).expect("a trace");
    let mut seen = Vec::new();
    Machine::new(&program).evaluate(&[1, 1 << 100], &mut |_, args| {
        seen.push(args.to_vec());
        Some(0)
    });
    // Conditions are those before the assignments: turns at i = 0 and at i = 1.
    assert_eq!(seen, [vec![3, 1 << 100, 2]]);
}

#[test]
fn what_a_loop_does_not_change_is_computed_in_front_of_it() {
    let read = read(
        "n: u32\nloop 10\n i:32 = 0\n block\n i := (Add i 1)\n branch (Ult i (UDiv (Mul n n) 7)) 0 exit\nend\nfit (Eq i 3)",
    );
    let program = Program::new(&read.terms, &read.trace).expect("a trace");
    assert_eq!((program.operations(), program.inner.len()), (3, 2));
    assert!(
        read.terms
            .shape(read.trace.steps.iter().find_map(fit).expect("a condition"))
            .is_some()
    );
}

fn fit(step: &crate::Step) -> Option<smt::Term> {
    match step {
        crate::Step::Fit { condition } => Some(*condition),
        _ => None,
    }
}

#[test]
fn every_operation_has_code() {
    // `differential` draws operations from this list; a new one must be known to the compiled form.
    assert_eq!(Op::ALL.len(), 53);
}
