//! `states MODEL`: what states on demand cost for the run of a program (a model in text form) on an input of zeros: snapshots, their
//! memory, and the time to go to a place.

use std::process::ExitCode;
use std::time::Instant;

use path::{InputVector, Target};
use random::Random;

/// Places that are asked for.
const ASKED: u32 = 1000;

fn main() -> ExitCode {
    let path = std::env::args().nth(1).unwrap_or_default();
    let text = match std::fs::read_to_string(&path) {
        Ok(text) => text,
        Err(error) => {
            eprintln!("usage: states MODEL ({path}: {error})");
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
    let mut machine = match machine::Machine::new(&program, machine::Config::default()) {
        Ok(machine) => machine,
        Err(error) => {
            eprintln!("{path}: {error}");
            return ExitCode::from(2);
        }
    };
    let (mut pool, input) = (smt::Pool::new(), InputVector::default());
    let mut runs = 0;
    let began = Instant::now();
    while runs < 3 {
        _ = machine.run(&mut pool, &input);
        runs += 1;
    }
    let (run, steps) = (began.elapsed() / runs, machine.steps / u64::from(runs));
    let began = Instant::now();
    let mut states = match machine.states(&mut pool, &input) {
        Ok(states) => states,
        Err(error) => {
            eprintln!("{path}: {error}");
            return ExitCode::FAILURE;
        }
    };
    let made = began.elapsed();
    let (snapshots, distance) = states.snapshots();
    println!(
        "run: {steps} instructions in {run:.2?}; with snapshots {made:.2?}: {snapshots}, every {distance} instructions, {} bytes",
        states.snapshot_bytes()
    );
    let mut random = Random::new(0);
    let began = Instant::now();
    for _ in 0..ASKED {
        let step = random.below(states.steps());
        if states.before(step).is_none() {
            eprintln!("{path}: no state before step {step}");
            return ExitCode::FAILURE;
        }
    }
    println!(
        "{ASKED} of {} places in {:.2?}, {:.2?} each",
        states.steps(),
        began.elapsed(),
        began.elapsed() / ASKED
    );
    ExitCode::SUCCESS
}
