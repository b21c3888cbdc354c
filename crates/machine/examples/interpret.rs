//! `interpret MODEL`: runs a program in the text form of the model once, with all inputs 0, and prints its output.

use std::process::ExitCode;
use std::time::Instant;

use path::{InputVector, Target};

fn main() -> ExitCode {
    let Some(path) = std::env::args().nth(1) else {
        eprintln!("usage: interpret MODEL");
        return ExitCode::from(2);
    };
    let text = match std::fs::read_to_string(&path) {
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
    let unmodelled = machine::unmodelled(&program);
    if !unmodelled.is_empty() {
        let names: Vec<String> = unmodelled.iter().map(ToString::to_string).collect();
        eprintln!("not modelled: {}", names.join(", "));
    }
    let mut machine = match machine::Machine::new(&program, machine::Config::default()) {
        Ok(machine) => machine,
        Err(error) => {
            eprintln!("{path}: {error}");
            return ExitCode::from(2);
        }
    };
    let began = Instant::now();
    let mut pool = smt::Pool::new();
    match machine.run(&mut pool, &InputVector::default()) {
        Ok(run) => {
            print!("{}", String::from_utf8_lossy(&machine.output));
            eprintln!(
                "{:?}, {} instructions in {:.2?}, {} steps on the path, {} terms; not modelled: {:?}",
                run.outcome,
                machine.steps,
                began.elapsed(),
                run.steps.len(),
                pool.len(),
                machine.unmodelled
            );
            ExitCode::SUCCESS
        }
        Err(error) => {
            eprintln!("{path}: {error}");
            ExitCode::FAILURE
        }
    }
}
