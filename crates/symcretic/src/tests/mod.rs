//! Whole searches on small models: what is reached, and after how many runs; what is refuted; what must not be.

pub(crate) mod models;

use crate::Beside;
use std::collections::BTreeSet;

use path::{InputVector, Step};
use program::{EdgeId, Program};

use crate::{Given, Goal, Joint, Limits, Progress, Search};
use models::MODELS;

/// What a search from an edge says.
fn said(program: &Program, edge: EdgeId) -> String {
    let entry = smt::backend::ALL[0];
    let solver = || {
        let backend = (entry.new)().expect("a solver");
        smt::Solver::new(backend, smt::Config::default())
    };
    let given = Given {
        program,
        dead: BTreeSet::new(),
        wild: false,
        beside: Beside::default(),
    };
    let mut search = Search::new(given, solver(), Limits::default());
    search.start(Goal::Edge(edge));
    let config = machine::Config {
        calls: Some(32),
        ..machine::Config::default()
    };
    let machine = machine::Machine::new(program, config).expect("a program with a main");
    let mut joint = Joint::new(machine, solver());
    let mut next = Some(InputVector::default());
    for runs in 0..20 {
        if let Some(input) = next.take() {
            let run = joint.observe(&mut search, &input).expect("a run");
            let takes =
                |step: &Step| matches!(step, Step::Edge { edge: taken, .. } if *taken == edge);
            if run.steps.iter().any(takes) {
                let values = run.input.values.iter();
                let values: Vec<_> = values
                    .map(|value| value.kind.sign_extend(value.bits).to_string())
                    .collect();
                return format!("reached by {} after {}", values.join(" "), runs + 1);
            }
        }
        loop {
            if let Some(found) = joint.candidate(&mut search) {
                next = Some(found.input);
                break;
            }
            match search.step() {
                Progress::Working => {}
                Progress::Unreachable => return "unreachable".to_owned(),
                Progress::Stuck(_) if !joint.is_done(&search) => {}
                Progress::Stuck(why) => {
                    let why: Vec<_> = why.iter().map(|why| format!("{why:?}")).collect();
                    return format!("stuck: {}", why.join(" "));
                }
            }
        }
    }
    "no answer".to_owned()
}

#[test]
fn edges_are_reached_or_refuted() {
    for (name, text, expected) in MODELS {
        let program: Program = text
            .parse()
            .unwrap_or_else(|error| panic!("{name}: {error}"));
        program::verify::verify(&program).unwrap_or_else(|error| panic!("{name}: {error}"));
        let said = program.edges.keys().map(|edge| said(&program, edge));
        let said: Vec<String> = said.collect();
        assert_eq!(said, *expected, "{name}");
    }
}
