//! What runs before `main` and behind it.

use path::{InputVector, Outcome, Step, Target};
use smt::Pool;

use crate::{Config, Machine};

/// Two constructors and two destructors; those that stand first have the priority that runs last.
const MODEL: &str = include_str!("starts.model");

#[test]
fn constructors_and_destructors_run_by_priority() {
    let program = program::text::sample(MODEL);
    let mut machine = Machine::new(&program, Config::default()).expect("there is a main");
    // The second run begins with what the first one left.
    for _ in 0..2 {
        let run = machine.run(&mut Pool::new(), &InputVector::default());
        let run = run.expect("it runs");
        let called: Vec<&str> = { run.steps.iter() }
            .filter_map(|step| match step {
                Step::Call(function) => Some(&*program.functions[*function].name),
                _ => None,
            })
            .collect();
        assert_eq!(called, ["second", "third", "main", "before", "last"]);
        assert_eq!(run.outcome, Outcome::Exited(23));
    }
}
