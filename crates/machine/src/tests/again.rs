//! A run is what it is, whatever the machine ran before: what runs leave to the next ones (terms, the world, registers) changes nothing.

use path::{InputVector, Step, Target, Value, ValueType};
use random::Random;
use smt::Pool;

use crate::{Config, Machine};

const MODEL: &str = include_str!("weigh.model");

#[test]
fn a_run_after_others_is_the_run_of_a_new_machine() {
    let program = program::text::sample(MODEL);
    let machine = || Machine::new(&program, Config::default()).expect("there is a main");
    let (mut used, mut pool, mut random) = (machine(), Pool::new(), Random::new(1));
    let mut symbolic = 0;
    for round in 0..40_u64 {
        let value = |index| Value {
            kind: ValueType::U8,
            name: "block".into(),
            element: Some(index),
            c_type: "unsigned char".into(),
            bits: u128::from(random.next() % 256),
        };
        let input = InputVector {
            values: (0..8).map(value).collect(),
            streams: Vec::new(),
        };
        let again = used.run(&mut pool, &input).expect("it runs");
        let new = machine().run(&mut pool, &input).expect("it runs");
        assert_eq!(again.steps, new.steps, "round {round}");
        assert_eq!(
            (again.outcome, again.flags, again.losses, again.input),
            (new.outcome, new.flags, new.losses, new.input)
        );
        let is_symbolic = |step: &&Step| matches!(step, Step::Edge { cond: Some(_), .. });
        symbolic += new.steps.iter().filter(is_symbolic).count();
        // The numbers of terms mean others from then on.
        if round % 8 == 7 {
            pool.compact(&[]);
        }
        if round % 16 == 15 {
            pool = Pool::new();
        }
    }
    assert!(symbolic > 0, "something symbolic was recorded");
}
