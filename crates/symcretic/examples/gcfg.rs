//! `gcfg MODEL [--dot] [--check] [--turns N] [--input NUMBERS]`: the generalised control-flow graph of a program (a model in text form), from
//! its run on an input: after so many turns, or at the end. Says on standard error what became of each side of a branch.

use std::process::ExitCode;

use machine::Machine;
use path::{InputVector, Value, ValueType};
use program::Program;
use symcretic::{Beside, Gcfg, Given, Turn};

fn main() -> ExitCode {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let after = |name: &str| {
        let at = args.iter().position(|arg| arg == name)?;
        args.get(at + 1)
    };
    let text = args.first().map(std::fs::read_to_string);
    let Some(Ok(text)) = text else {
        eprintln!("usage: gcfg MODEL [--dot] [--check] [--turns N] [--input NUMBERS]");
        return ExitCode::from(2);
    };
    let program: Program = match text.parse() {
        Ok(program) => program,
        Err(error) => {
            eprintln!("{}:{error}", args[0]);
            return ExitCode::from(2);
        }
    };
    let turns = after("--turns").and_then(|text| text.parse().ok());
    let numbers = after("--input").map(String::as_str).unwrap_or_default();
    let numbers: Vec<i32> = numbers
        .split_whitespace()
        .filter_map(|number| number.parse().ok())
        .collect();
    let known = values::analyse(&program, false, values::Limits::default());
    let given = Given {
        program: &program,
        dead: std::collections::BTreeSet::new(),
        wild: !known.blockers.is_empty(),
        beside: Beside::default(),
    };
    let mut graph = Gcfg::new(given, machine_for(&program), [solver(), solver()]);
    graph.begin(&input(&numbers));
    let checks = args.iter().any(|arg| arg == "--check");
    while turns.is_none_or(|turns| graph.turns() < turns) {
        if graph.turn() == Turn::Done {
            break;
        }
        let wrong = if checks { graph.check() } else { Vec::new() };
        for wrong in wrong {
            println!("WRONG after turn {}: {wrong}", graph.turns());
        }
    }
    match args.iter().any(|arg| arg == "--dot") {
        true => print!("{}", graph.dot()),
        false => print!("{}", graph.text()),
    }
    eprintln!("{}", graph.summary());
    ExitCode::SUCCESS
}

/// Whole numbers, in the order in which the program asks for them.
fn input(numbers: &[i32]) -> InputVector {
    let values = numbers.iter().map(|number| Value {
        kind: ValueType::I32,
        name: "__VERIFIER_nondet_int".into(),
        element: None,
        c_type: "".into(),
        bits: u128::from(number.cast_unsigned()),
    });
    InputVector {
        values: values.collect(),
        ..InputVector::default()
    }
}

fn machine_for(program: &Program) -> Machine<'_> {
    let config = machine::Config {
        calls: Some(256),
        limits: machine::Limits {
            steps: 300_000,
            path: 20_000,
            ..machine::Limits::default()
        },
        ..machine::Config::default()
    };
    Machine::new(program, config).expect("a program with a main")
}

fn solver() -> smt::Solver {
    smt::Solver::new(
        smt::backend::default().expect("a solver"),
        smt::Config::default(),
    )
}
