//! `rates RUNS PROGRAM...`: how many runs a second the native program and the machine make, of programs that `bothways cc` built.
//!
//! A short search collects inputs first: breadth first, each decision of each run turned round. Then both targets make all of them in
//! turn, round after round, until each has made so many runs. Only the targets' work is timed. Both have made each run once before
//! the first round; the time of the machine's first run, which compiles, is told apart.

use std::collections::{BTreeSet, VecDeque};
use std::error::Error;
use std::path::Path;
use std::process::ExitCode;
use std::time::{Duration, Instant};

use native::NativeTarget;
use path::{InputVector, Step, Target};
use smt::{Assignment, Effort, Pool, Query, Solver, Term};

/// Inputs that are made.
const INPUTS: usize = 200;

fn main() -> ExitCode {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let [runs, programs @ ..] = &args[..] else {
        eprintln!("usage: rates RUNS PROGRAM...");
        return ExitCode::from(2);
    };
    let runs = runs.parse().unwrap_or(2000);
    println!(
        "| program | inputs | runs of each | native, runs/s | machine, runs/s | times | machine's first run |"
    );
    println!("|---|---:|---:|---:|---:|---:|---:|");
    for program in programs {
        if let Err(error) = measure(Path::new(program), runs) {
            eprintln!("rates: {program}: {error}");
            return ExitCode::from(2);
        }
    }
    ExitCode::SUCCESS
}

fn measure(path: &Path, runs: usize) -> Result<(), Box<dyn Error>> {
    let built = session::load::Program::read(path)?;
    let model = session::build::model(&built)?;
    let mut machine = machine::Machine::new(&model, machine::Config::default())?;
    let mut native = NativeTarget::new(&model, native::Config::new(path))?;
    let began = Instant::now();
    machine.run(&mut Pool::new(), &InputVector::default())?;
    let first = began.elapsed();
    let inputs = inputs(&mut machine)?;
    let rounds = runs.div_ceil(inputs.len());
    let (mut pools, mut least) = ([Pool::new(), Pool::new()], [Duration::MAX; 2]);
    for round in 0..=rounds {
        let targets: [&mut dyn Target; 2] = [&mut native, &mut machine];
        for ((target, pool), least) in targets.into_iter().zip(&mut pools).zip(&mut least) {
            let began = Instant::now();
            for input in &inputs {
                target.run(pool, input)?;
            }
            if round > 0 {
                *least = began.elapsed().min(*least);
            }
        }
    }
    let [of_native, of_machine] = least.map(|time| inputs.len() as f64 / time.as_secs_f64());
    println!(
        "| {} | {} | {} | {of_native:.0} | {of_machine:.0} | {:.1} | {:.2} ms |",
        path.file_name().unwrap_or_default().display(),
        inputs.len(),
        rounds * inputs.len(),
        of_machine / of_native,
        first.as_secs_f64() * 1000.0
    );
    Ok(())
}

/// Inputs with different paths.
fn inputs(target: &mut dyn Target) -> Result<Vec<InputVector>, Box<dyn Error>> {
    let mut pool = Pool::new();
    let backend = smt::backend::default()?;
    let mut solver = Solver::new(backend, smt::Config::default());
    let mut found = Vec::new();
    let mut paths = BTreeSet::new();
    let mut queue = VecDeque::from([InputVector::default()]);
    while let Some(input) = queue.pop_front()
        && found.len() < INPUTS
    {
        let run = target.run(&mut pool, &input)?;
        let hint = run.input.assignment();
        let terms = run.steps.iter().filter_map(decided);
        let conditions: Vec<Term> = terms.map(|term| holds(&mut pool, term, &hint)).collect();
        if !paths.insert(conditions.clone()) {
            continue;
        }
        for (place, &held) in conditions.iter().enumerate().take(INPUTS) {
            let query = Query {
                prefix: &conditions[..place],
                goal: pool.not(held),
                hint: &hint,
                effort: Effort::Quick,
            };
            if queue.len() < 4 * INPUTS
                && let smt::Answer::Sat(model) = solver.solve(&mut pool, &query)
            {
                queue.push_back(run.input.with(&model));
            }
        }
        found.push(run.input);
    }
    Ok(found)
}

/// What is true of a term on the run with these values.
fn holds(pool: &mut Pool, term: Term, hint: &Assignment) -> Term {
    let value = smt::eval(pool, term, hint);
    let value = pool.constant(pool.width(term), value);
    pool.eq(term, value)
}

fn decided(step: &Step) -> Option<Term> {
    match step {
        Step::Edge { cond, .. } => cond.map(|cond| cond.term),
        Step::Constraint { term, .. } => Some(*term),
        _ => None,
    }
}
