//! What the code alone forbids of the goals: asked before the first run.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::time::{Duration, Instant};

use crate::error::{Context, Result};
use backward::{Limits, Proofs, prove};
use coverage::{GoalId, Goals};
use smt::{Budget, Solver};

use super::load::Program;
use super::options::Options;

/// What Z3 may spend on one query, in its units: mostly less than ten milliseconds.
const UNITS: u32 = 200_000;
/// What the value analysis may spend where the budget is a number of runs and the strategy is one that looks for proofs all the time:
/// four times as much as otherwise.
const STEPS_LOOKING_BACK: u64 = 400_000;
/// What it may spend where the budget is time, with steps of the first pass: it is stopped by the clock.
const STEPS_BY_CLOCK: (u64, u64) = (2_000_000, 20_000);
/// One part in so many of the time is its own then, and so much at most.
const PART: u32 = 12;
const MOST: Duration = Duration::from_secs(5);
/// One part in so many of the engine's memory is its own: what it has had may not come back before the search begins.
const PART_OF_MEMORY: u64 = 4;
/// How often both are looked at.
const GLANCE: Duration = Duration::from_millis(20);
/// Nobody waits longer for all of them. They have limits of their own, but a query may ignore them.
const PATIENCE: Duration = Duration::from_secs(60);

/// The proofs, unless the user wants none.
///
/// # Errors
/// There is no solver, or the program cannot be read.
pub fn find(
    options: &Options,
    program: &Program,
    model: &Arc<program::Program>,
    goals: &Arc<Goals>,
) -> Result<Proofs> {
    // Models of 32 bits are younger: nothing holds proofs on them against runs yet.
    if options.no_proofs || model.layout.pointer_bits != 64 {
        return Ok(Proofs::default());
    }
    let config = smt::Config {
        budget: Budget {
            units: UNITS,
            millis: 1000,
        },
        ..smt::Config::default()
    };
    let foreign = program.has_foreign_code()?;
    let spent = spent(options)?;
    let patience = match options.iterations {
        None => (options.time / PART).min(MOST),
        Some(_) => PATIENCE,
    };
    let stop = Arc::new(AtomicBool::new(false));
    let (model, goals, stopped) = (model.clone(), goals.clone(), Arc::clone(&stop));
    let (sender, found) = channel();
    std::thread::Builder::new()
        .name("proofs".to_owned())
        .spawn(move || {
            let proofs = smt::backend::default().map(|backend| {
                let mut solver = Solver::new(backend, config);
                let known = values::analyse_until(&model, foreign, spent, &stopped);
                let limits = Limits::default();
                prove(&model, &goals, foreign, &known, &mut solver, limits)
            });
            // Nobody listens who has lost patience.
            let _ = sender.send(proofs);
        })
        .context("a thread cannot be started")?;
    let cut = Proofs {
        cut: true,
        ..Proofs::default()
    };
    let most = options.engine_memory / PART_OF_MEMORY;
    let begun = Instant::now();
    loop {
        match found.recv_timeout(GLANCE) {
            Ok(proofs) => return Ok(proofs?),
            Err(RecvTimeoutError::Timeout) if begun.elapsed() < PATIENCE => {}
            Err(_) => return Ok(cut),
        }
        if begun.elapsed() >= patience || native::leave::resident_bytes() >= most {
            stop.store(true, Ordering::Relaxed);
        }
    }
}

/// What the value analysis may spend.
fn spent(options: &Options) -> Result<values::Limits> {
    let mut spent = values::Limits::default();
    let looks_back = options.looks_back()?;
    match options.iterations {
        None => (spent.steps, spent.small) = STEPS_BY_CLOCK,
        // Runs are counted so that searches can be repeated: no clock has a say.
        Some(_) if looks_back => {
            (spent.steps, spent.small) = (STEPS_LOOKING_BACK, STEPS_BY_CLOCK.1);
        }
        Some(_) => {}
    }
    Ok(spent)
}

/// Proofs that a test refutes, in words: faults of ours.
pub fn wrong(
    proofs: &Proofs,
    is_taken: &dyn Fn(GoalId) -> bool,
    model: &program::Program,
    goals: &Goals,
) -> Vec<String> {
    let wrong = proofs.all.iter().filter(|proof| is_taken(proof.goal));
    wrong
        .map(|proof| {
            let place = goals.place(proof.goal);
            let file = model.files.get(place.file as usize);
            format!(
                "{WRONG}: {}:{}:{} is covered, although {}",
                file.map_or("?", String::as_str),
                place.range.line,
                place.range.col,
                proof.detail(model, goals)
            )
        })
        .collect()
}

/// How such a note begins.
pub const WRONG: &str = "wrong proof";
