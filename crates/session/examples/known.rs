//! `known PROGRAM [STEPS]`: what the value analysis says of a program that `bothways cc` built, with its time and memory; then the names
//! of functions that are never called.

use std::collections::BTreeSet;
use std::path::Path;
use std::process::ExitCode;

fn main() -> ExitCode {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let Some(path) = args.first() else {
        eprintln!("usage: known PROGRAM [STEPS]");
        return ExitCode::from(2);
    };
    let limit = args.get(1).and_then(|text| text.parse().ok());
    match measured(Path::new(path), limit) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("known: {error}");
            ExitCode::from(2)
        }
    }
}

fn measured(path: &Path, steps: Option<u64>) -> session::Result<()> {
    let program = session::load::Program::read(path)?;
    let foreign = program.has_foreign_code()?;
    let model = session::build::model(&program)?;
    let mut limits = values::Limits::default();
    limits.steps = steps.unwrap_or(limits.steps);
    limits.small = limits.steps / 20;
    let (before, began) = (peak(), seconds());
    let known = values::analyse(&model, foreign, limits);
    let elapsed = seconds() - began;
    let own = |edge| !model.functions[model.sites[model.edges[edge].site].function].library;
    let edges = model.edges.iter();
    let edges = edges.filter(|(edge, data)| data.target.is_some() && own(*edge));
    let homes: BTreeSet<_> = known
        .dead
        .keys()
        .map(|edge| model.sites[model.edges[*edge].site].function)
        .collect();
    println!(
        "{} of {} edges dead in {} functions, {} functions never called, {} steps, {:.2} s of processor time, {} MB on top of {} MB",
        known.dead.len(),
        edges.count(),
        homes.len(),
        known.uncalled.len(),
        known.steps,
        elapsed,
        peak().saturating_sub(before),
        before,
    );
    println!("states by {:?}", known.selectors);
    for blocker in &known.blockers {
        println!("{blocker}");
    }
    for function in &known.uncalled {
        println!("never called: {}", model.functions[*function].name);
    }
    Ok(())
}

/// Processor time of the process so far: the clock on the wall tells little where others work too.
fn seconds() -> f64 {
    let stat = std::fs::read_to_string("/proc/self/stat").unwrap_or_default();
    let behind = stat.rsplit(')').next().unwrap_or_default();
    let fields = behind.split_whitespace().skip(11).take(2);
    let ticks: f64 = fields.filter_map(|field| field.parse::<f64>().ok()).sum();
    ticks / 100.0
}

/// Largest resident size so far, in megabytes.
fn peak() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    let number = line.and_then(|line| line.split_whitespace().next()?.parse::<u64>().ok());
    number.unwrap_or(0) / 1024
}
