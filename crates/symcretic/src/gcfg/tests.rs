//! Graphs of small models: the invariants hold after each turn, and what is decided is what a search decides.

use crate::Beside;
use std::collections::BTreeSet;

use machine::Machine;
use path::{InputVector, Value};
use program::Program;
use program::text::sample;

use super::{Gcfg, Turn, Verdict};
use crate::search::Given;
use crate::tests::models::MODELS;

/// Turns of one graph.
const TURNS: u64 = 300;

fn graph<'p>(program: &'p Program, numbers: &[i32]) -> Gcfg<'p> {
    let solver = || {
        let backend = (smt::backend::ALL[0].new)().expect("a solver");
        smt::Solver::new(backend, smt::Config::default())
    };
    let given = Given {
        program,
        dead: BTreeSet::new(),
        wild: false,
        beside: Beside::default(),
    };
    let config = machine::Config {
        calls: Some(32),
        ..machine::Config::default()
    };
    let machine = Machine::new(program, config).expect("a program with a main");
    let mut graph = Gcfg::new(given, machine, [solver(), solver()]);
    let values = numbers.iter().map(|number| Value {
        kind: path::ValueType::I32,
        name: "__VERIFIER_nondet_int".into(),
        element: None,
        c_type: "".into(),
        bits: u128::from(number.cast_unsigned()),
    });
    graph.begin(&InputVector {
        values: values.collect(),
        ..InputVector::default()
    });
    graph
}

fn holds(graph: &mut Gcfg<'_>) {
    let wrong = graph.check();
    assert!(wrong.is_empty(), "{wrong:?}\n{}", graph.text());
}

/// Nothing is called infeasible that a search reaches, and most of what a search decides is decided.
#[test]
fn graphs_keep_their_invariants_and_call_nothing_infeasible_that_is_reached() {
    let (mut decided, mut all) = (0, 0);
    for (name, text, expected) in MODELS {
        let program = sample(text);
        let mut graph = graph(&program, &[]);
        holds(&mut graph);
        while graph.turns() < TURNS && graph.turn() != Turn::Done {
            holds(&mut graph);
        }
        for (edge, verdict) in graph.verdicts() {
            let said = expected[edge.index()];
            let is_right = match verdict {
                Verdict::Covered(_) => said != "unreachable",
                Verdict::Infeasible => !said.starts_with("reached"),
                Verdict::Open => true,
            };
            assert!(
                is_right,
                "{name}: {edge} is {verdict:?}, and a search says {said}"
            );
            decided += usize::from(*verdict != Verdict::Open);
            all += usize::from(said == "unreachable" || said.starts_with("reached"));
        }
    }
    assert!(4 * decided >= 3 * all, "{decided} of {all}");
}

/// `tests/programs/valves.c`, a controller of valves after figure 1 of the paper.
const VALVES: &str = include_str!("valves.txt");

/// Lines of the paper's figure 1, by the labels of our text.
const LINES: &[(&str, &str)] = &[
    ("check_valves.call9", "23"),
    ("check_valves.back9", "24"),
    ("check_valves.exit", "36"),
    ("status_of.exit", "14"),
    ("check_valves", "18"),
    ("status_of", "6"),
    ("25t", "20"),
    ("25f", "21"),
    ("28t", "22"),
    ("28f", "30"),
    ("17t", "7"),
    ("17f", "8"),
    ("19t", "9"),
    ("19f", "13"),
    ("29t", "25"),
    ("29f", "28"),
    ("32t", "31"),
    ("32f", "33"),
    ("34t", "34"),
    ("34f", "35"),
];

/// A text with the paper's names of states.
fn by_line(text: &str) -> String {
    let mut text = text.to_owned();
    for (own, line) in LINES {
        for kind in ["S", "R"] {
            text = text.replace(&format!("{kind}{own}"), &format!("{kind}{line}"));
        }
        text = text.replace(&format!("<{own}"), &format!("<{line}"));
        text = text.replace(&format!(" {own}>"), &format!(" {line}>"));
    }
    text
}

/// Figures 2 to 5, state by state: the first run is T1 of the paper (three valves, the first of them out of order).
#[test]
fn the_figures_of_the_paper_are_made_again() {
    let program = sample(VALVES);
    let mut graph = graph(&program, &[3, 1, 1, -1, 0, 0]);
    let mut text = format!("after T1\n{}", by_line(&graph.text()));
    let mut shown = graph.condition_names();
    while graph.turns() < TURNS {
        let turn = graph.turn();
        holds(&mut graph);
        let names = graph.condition_names();
        shown.extend(names.clone());
        let made = match turn {
            Turn::Executed(from, to) => {
                let gone = shown.iter().filter(|(id, _)| !names.contains_key(id));
                let gone: Vec<&str> = gone.map(|(_, name)| name.as_str()).collect();
                let last = graph.inputs().last().map(|input| {
                    let values = input.values.iter();
                    let values = values.map(|value| value.kind.sign_extend(value.bits));
                    values.map(|value| value.to_string()).collect::<Vec<_>>()
                });
                format!(
                    "executed {} to {}: {}; gone: {}",
                    graph.state_names()[&from],
                    shown[&to],
                    last.unwrap_or_default().join(" "),
                    gone.join(" ")
                )
            }
            Turn::Back(made, to) => {
                format!(
                    "back {} to {}: {}",
                    shown[&to],
                    shown[&made],
                    graph.said(made)
                )
            }
            Turn::Contradicted(block, to) => {
                format!("contradicted R{} to {}", graph.label(block), shown[&to])
            }
            Turn::Done => break,
        };
        shown.retain(|id, _| names.contains_key(id));
        text.push_str(&by_line(&format!("{}. {made}\n", graph.turns())));
    }
    text.push_str(&by_line(&format!("in the end\n{}", graph.text())));
    expect_test::expect_file!["figures.txt"].assert_eq(&text);
    let infeasible = graph.verdicts().values();
    let infeasible = infeasible.filter(|verdict| **verdict == Verdict::Infeasible);
    assert_eq!(infeasible.count(), 2);
    let mut all = graph.verdicts().values();
    assert!(all.all(|verdict| *verdict != Verdict::Open));
}
