//! What the code alone, and the words of the command line, forbid of the goals: asked before the first run.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::time::{Duration, Instant};

use crate::error::{Context, Result};
use backward::{Limits, Proofs, prove};
use coverage::{GoalId, Goals};
use smt::{Budget, Solver};
use values::Told;

use super::called::{CalledWith, told};
use super::load::Program;
use super::options::Options;
use super::plan::Plan;

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
/// One part in so many is that of what the words say, where somebody looks backward.
const PART_TO_LOOK: u32 = 6;
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
    if !are_wanted(options, model) {
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
    let (model, goals) = (model.clone(), goals.clone());
    let found = patiently(options, PATIENCE, move |stop| {
        smt::backend::default().map(|backend| {
            let mut solver = Solver::new(backend, config);
            let known = values::analyse_until(&model, foreign, Told::default(), (spent, stop));
            let limits = Limits::default();
            prove(&model, &goals, foreign, &known, &mut solver, limits)
        })
    })?;
    match found {
        Some(proofs) => Ok(proofs?),
        None => Ok(Proofs {
            cut: true,
            ..Proofs::default()
        }),
    }
}

/// What the words of the command line say, and exclude, unless the user wants no proofs; `looks_backward`: somebody who does asks for what
/// they say in any case. `notes`: what is to be said of it.
///
/// # Errors
/// The program cannot be read.
pub fn by_words(
    options: &Options,
    plan: &Plan,
    program: &Program,
    (model, goals): (&Arc<program::Program>, &Arc<Goals>),
    (looks_backward, notes): (bool, &mut Vec<String>),
) -> Result<Option<CalledWith>> {
    let is_asked = looks_backward || are_wanted(options, model);
    let Some(words) = plan.words().filter(|_| is_asked) else {
        return Ok(None);
    };
    let foreign = program.has_foreign_code()?;
    let late = "what the words of the command line exclude was not worked out: it would have taken too long";
    let found = {
        let (model, goals) = (model.clone(), goals.clone());
        let most = match looks_backward {
            true => share(options).max(options.time / PART_TO_LOOK),
            false => share(options),
        };
        patiently(options, most, move |_| {
            CalledWith::by(words, (&model, foreign), &goals)
        })?
    };
    if found.is_none() {
        notes.push(late.to_owned());
    }
    let Some(called) = found.flatten() else {
        return Ok(None);
    };
    if !are_wanted(options, model) {
        return Ok(Some(called.without_goals()));
    }
    let spent = spent(options)?;
    let (model, goals, said) = (model.clone(), goals.clone(), called.said.clone());
    let by_values = patiently(options, PATIENCE, move |stop| {
        let known = values::analyse_until(&model, foreign, told(&said, false), (spent, stop));
        smt::backend::default().map(|backend| {
            // What solvers say is known without the words.
            let limits = Limits {
                checks: 0,
                ..Limits::default()
            };
            let mut solver = Solver::new(backend, smt::Config::default());
            let proofs = prove(&model, &goals, foreign, &known, &mut solver, limits);
            (proofs, looks_backward.then(|| Arc::new(known)))
        })
    })?;
    let Some(by_values) = by_values.transpose()? else {
        notes.push(late.to_owned());
        return Ok(Some(called));
    };
    Ok(Some(called.and(by_values)))
}

/// Models of 32 bits are younger: nothing holds proofs on them against runs yet.
fn are_wanted(options: &Options, model: &program::Program) -> bool {
    !options.no_proofs && model.layout.pointer_bits == 64
}

/// How long may be spent on each before the search.
fn share(options: &Options) -> Duration {
    match options.iterations {
        None => (options.time / PART).min(MOST),
        Some(_) => PATIENCE,
    }
}

/// What something comes to that is done in a thread of its own, and told when it has had its share of time or memory; `None` if it goes on
/// for longer than `most` all the same.
fn patiently<T: Send + 'static>(
    options: &Options,
    most: Duration,
    work: impl FnOnce(&Arc<AtomicBool>) -> T + Send + 'static,
) -> Result<Option<T>> {
    let stop = Arc::new(AtomicBool::new(false));
    let stopped = Arc::clone(&stop);
    let (sender, found) = channel();
    std::thread::Builder::new()
        .name("proofs".to_owned())
        .spawn(move || {
            // Nobody listens who has lost patience.
            let _ = sender.send(work(&stopped));
        })
        .context("a thread cannot be started")?;
    let (share, memory) = (share(options), options.engine_memory / PART_OF_MEMORY);
    let begun = Instant::now();
    loop {
        match found.recv_timeout(GLANCE) {
            Ok(found) => return Ok(Some(found)),
            Err(RecvTimeoutError::Timeout) if begun.elapsed() < most => {}
            Err(_) => return Ok(None),
        }
        if begun.elapsed() >= share || native::leave::resident_bytes() >= memory {
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
    (proofs, called): (&Proofs, Option<&CalledWith>),
    is_taken: &dyn Fn(GoalId) -> bool,
    model: &program::Program,
    goals: &Goals,
) -> Vec<String> {
    let wrong = proofs.all.iter().filter(|proof| is_taken(proof.goal));
    let by_code = wrong.map(|proof| (proof.goal, proof.detail(model, goals)));
    let by_words = called.into_iter().flat_map(|called| {
        let goals_of_words = called.all.iter().filter(|goal| proofs.of(**goal).is_none());
        let wrong = goals_of_words.filter(|goal| is_taken(**goal));
        wrong.map(|goal| (*goal, called.says(*goal, (model, goals))))
    });
    by_code
        .chain(by_words)
        .map(|(goal, why)| {
            let place = goals.place(goal);
            let file = model.files.get(place.file as usize);
            format!(
                "{WRONG}: {}:{}:{} is covered, although {why}",
                file.map_or("?", String::as_str),
                place.range.line,
                place.range.col,
            )
        })
        .collect()
}

/// How such a note begins.
pub const WRONG: &str = "wrong proof";
