//! `dead MODEL [STEPS]`: what the value analysis says of a program in the text form of the model, for debugging.

use std::process::ExitCode;
use std::time::Instant;

fn main() -> ExitCode {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let Some(path) = args.first() else {
        eprintln!("usage: dead MODEL [STEPS]");
        return ExitCode::from(2);
    };
    let text = match std::fs::read_to_string(path) {
        Ok(text) => text,
        Err(error) => {
            eprintln!("{path}: {error}");
            return ExitCode::from(2);
        }
    };
    let program: program::Program = match text.parse() {
        Ok(program) => program,
        Err(error) => {
            eprintln!("{path}:{error}");
            return ExitCode::from(2);
        }
    };
    let mut limits = values::Limits::default();
    if let Some(steps) = args.get(1).and_then(|text| text.parse().ok()) {
        limits.steps = steps;
    }
    let began = Instant::now();
    let analysis = values::analyse(&program, false, limits);
    println!(
        "{} of {} edges dead, {} functions not called, {} steps in {:.2?}; states by {:?}",
        analysis.dead.len(),
        program.edges.len(),
        analysis.uncalled.len(),
        analysis.steps,
        began.elapsed(),
        analysis.selectors,
    );
    for blocker in &analysis.blockers {
        println!("{blocker}");
    }
    ExitCode::SUCCESS
}
