//! A run with nothing symbolic takes the same edges as the run with expressions, as often, and says the same of its end.

use std::collections::BTreeMap;

use path::{InputVector, Step, Target, Value, ValueType, Visits};
use program::EdgeId;
use smt::Pool;

use crate::{Config, Limits, Machine};

const MODEL: &str = include_str!("weigh.model");

fn counted(edges: impl IntoIterator<Item = EdgeId>) -> BTreeMap<EdgeId, u64> {
    let mut counts = BTreeMap::new();
    for edge in edges {
        *counts.entry(edge).or_default() += 1;
    }
    counts
}

#[test]
fn the_same_edges_without_expressions() {
    let program = program::text::sample(MODEL);
    for (first, path) in [(0_u32, 1 << 20), (7, 1 << 20), (255, 1 << 20), (200, 64)] {
        let limits = Limits {
            path,
            ..Limits::default()
        };
        let config = Config {
            limits,
            ..Config::default()
        };
        let mut machine = Machine::new(&program, config).expect("there is a main");
        let value = |element| Value {
            kind: ValueType::U8,
            name: "block".into(),
            element: Some(element),
            c_type: "unsigned char".into(),
            bits: u128::from((first + element) & 0xff),
        };
        let input = InputVector {
            values: (0..8).map(value).collect(),
            streams: Vec::new(),
        };
        let run = machine.run(&mut Pool::new(), &input).expect("it runs");
        let mut visits = Visits::default();
        let outcome = machine.run_concrete(&input, &mut visits).expect("it runs");
        assert_eq!(outcome, Some(run.outcome));
        let edges = run.steps.iter().filter_map(|step| match step {
            Step::Edge { edge, .. } => Some(*edge),
            _ => None,
        });
        let mut wanted = counted(edges);
        for (edge, count) in run.late_edges {
            *wanted.entry(edge).or_default() += count;
        }
        let seen = visits.edges().map(|(edge, times)| (edge, times.into()));
        assert_eq!(seen.collect::<BTreeMap<EdgeId, u64>>(), wanted);
    }
}
