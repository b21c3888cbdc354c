//! States on demand, on the model of a real program (`weigh.c`; the model is what `bothways cc` and the example `bwdump` make of it).

use path::{InputVector, Run, Step, Target, Value, ValueType};
use program::{Program, ValueId};
use random::Random;
use semantics::Symbol;
use smt::{Pool, Term, eval};

use crate::{Config, MOST_SNAPSHOTS, Machine, NoStates, Number, States};

const MODEL: &str = include_str!("weigh.model");

fn program() -> Program {
    program::text::sample(MODEL)
}

/// An input: eight bytes.
fn input(bytes: [u8; 8]) -> InputVector {
    let value = |(index, byte): (u32, u8)| Value {
        kind: ValueType::U8,
        name: "block".into(),
        element: Some(index),
        c_type: "unsigned char".into(),
        bits: byte.into(),
    };
    InputVector {
        values: (0..).zip(bytes).map(value).collect(),
        streams: Vec::new(),
    }
}

const INPUT: [u8; 8] = [200, 0, 9, 77, 0, 255, 18, 60];

/// Calls `test` with the run and its states, of one pool.
fn check(test: impl FnOnce(&Program, &Run, States<'_, '_>)) {
    let program = program();
    let mut machine = Machine::new(&program, Config::default()).expect("there is a main");
    let mut pool = Pool::new();
    let run = machine.run(&mut pool, &input(INPUT)).expect("it runs");
    let states = machine.states(&mut pool, &run.input);
    test(&program, &run, states.expect("it runs again"));
}

/// Steps that something symbolic decided, and their conditions.
fn decisions(run: &Run) -> Vec<(usize, Term)> {
    let steps = run.steps.iter().enumerate();
    steps
        .filter_map(|(index, step)| match step {
            Step::Edge {
                cond: Some(cond), ..
            } => Some((index, cond.term)),
            _ => None,
        })
        .collect()
}

#[test]
fn the_condition_of_a_step_is_what_the_run_decided() {
    check(|_, run, mut states| {
        assert_eq!(
            (states.steps(), states.outcome()),
            (run.steps.len(), run.outcome)
        );
        let decisions = decisions(run);
        assert_eq!(decisions.len(), 8);
        for (step, term) in decisions {
            let mut view = states.before(step).expect("on the path");
            let condition = view.condition().expect("a branch");
            assert_eq!(condition.term, term);
            let value = eval(view.pool(), term, &input(INPUT).assignment());
            assert_eq!(value, condition.value);
        }
        assert!(states.before(run.steps.len()).is_none());
    });
}

/// A run that is gone through once shows each step as going back to it does; a step that it has not ends the walk.
#[test]
fn steps_in_a_row_are_seen_as_each_by_itself() {
    check(|_, run, mut states| {
        let mut steps: Vec<usize> = decisions(run).into_iter().map(|(step, _)| step).collect();
        let one_by_one = |step: &usize| {
            let mut view = states.before(*step).expect("on the path");
            (*step, view.condition())
        };
        let expected: Vec<_> = steps.iter().map(one_by_one).collect();
        let mut seen = Vec::new();
        steps.push(run.steps.len());
        states.each(&steps, |step, view| seen.push((step, view.condition())));
        assert_eq!(seen, expected);
    });
}

/// Every register of every active call, as numbers.
fn registers(states: &mut States<'_, '_>, step: usize) -> Vec<(usize, u32, Number)> {
    let mut view = states.before(step).expect("on the path");
    let assignment = input(INPUT).assignment();
    let mut all = Vec::new();
    for call in 0..view.depth() {
        for index in 0..200 {
            let Some(number) = view.number(call, ValueId::from_u32(index)) else {
                continue;
            };
            assert_eq!(eval(view.pool(), number.term, &assignment), number.value);
            all.push((call, index, number));
        }
    }
    all
}

#[test]
fn the_order_of_questions_does_not_matter() {
    check(|_, run, mut states| {
        let steps: Vec<usize> = (0..run.steps.len()).step_by(997).collect();
        let forward: Vec<_> = steps
            .iter()
            .map(|step| registers(&mut states, *step))
            .collect();
        let mut random = Random::new(1);
        for _ in 0..2 * steps.len() {
            let index = random.below(steps.len());
            assert_eq!(registers(&mut states, steps[index]), forward[index]);
        }
        let (snapshots, distance) = states.snapshots();
        assert!(
            snapshots > MOST_SNAPSHOTS / 4 && snapshots <= MOST_SNAPSHOTS,
            "{snapshots}"
        );
        assert!(distance > 1024, "{distance}");
        // Most of memory is shared.
        let one = states.snapshot_bytes() / snapshots;
        assert!(one < 4000, "{one}");
    });
}

#[test]
fn memory_has_values_and_terms() {
    check(|program, run, mut states| {
        let decisions = decisions(run);
        let edge = |step: &Step| matches!(step, Step::Edge { .. });
        let last = run.steps.iter().rposition(edge).expect("there are edges");
        let first = decisions[0].0;
        let assignment = input(INPUT).assignment();
        let total = program
            .globals
            .iter()
            .find(|(_, global)| global.name == "total");
        let total = Symbol::Global(total.expect("a global").0);
        let mut view = states.before(first).expect("on the path");
        let address = view.address(total);
        let early = view.load(address, 4).expect("a global");
        // The block: what `malloc` returned.
        let block = view
            .number(0, ValueId::from_u32(3))
            .expect("a pointer")
            .value as u64;
        let bytes = view.bytes(block, 8).expect("it is alive");
        let values: Vec<u8> = bytes.iter().map(|(byte, _)| *byte).collect();
        assert_eq!(values, INPUT);
        assert!(bytes.iter().all(|(_, term)| term.is_some()));
        assert!(view.bytes(block, 9).is_err());
        let mut view = states.before(last).expect("on the path");
        let late = view.load(address, 4).expect("a global");
        assert!(late.value > early.value);
        let extent = view.object(block).expect("it is known");
        assert_eq!(
            (extent.base, extent.alive),
            (block, false),
            "it was given back"
        );
        assert!(view.load(block, 8).is_err());
        let mut view = states.before(decisions[7].0).expect("on the path");
        let whole = view.load(block, 8).expect("it is alive");
        assert_eq!(eval(view.pool(), whole.term, &assignment), whole.value);
        assert_ne!(whole.value as u64, u64::from_le_bytes(INPUT));
    });
}

#[test]
fn a_path_that_is_cut_has_no_states() {
    let program = program();
    let mut config = Config::default();
    config.limits.path = 100;
    let mut machine = Machine::new(&program, config).expect("there is a main");
    let mut pool = Pool::new();
    let states = machine.states(&mut pool, &input(INPUT));
    assert!(matches!(states.map(|_| ()), Err(NoStates::Cut)));
}
