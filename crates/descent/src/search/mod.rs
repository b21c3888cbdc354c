//! The search: two heuristics in turns.
//!
//! Both begin at the start that they are given. A search whose turn made its best state better has the next turn as well, some
//! times in a row. The length of turns grows, so that neither is cut short for ever.

mod alternating;
mod bench;
mod linear;
mod moves;
mod walk;

use smt::Assignment;

use crate::program::Program;
use crate::{BadTrace, Callback, Shapes, StepId, Trace};
use alternating::Alternating;
use bench::{Bench, Stop, Task};
use linear::Linear;
use walk::Walk;

/// Evaluations of the first turn, and of the longest.
const TURN: u64 = 200;
const LONGEST: u64 = 20_000;

/// Turns that one search may have in a row.
const IN_A_ROW: u32 = 4;

/// How much may be tried.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Evaluations of the trace. Work within loops counts as evaluations, too.
    pub evaluations: u64,
    /// Decides all random choices.
    pub seed: u64,
    /// Who searches.
    pub searches: Searches,
}

/// Who searches.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Searches {
    /// Both in turns.
    #[default]
    Both,
    /// Concolic Walk alone.
    Walk,
    /// The alternating-variable method alone.
    Alternating,
}

/// What a search comes to.
#[derive(Clone, Debug, PartialEq)]
pub enum Outcome {
    /// All conditions hold.
    Found(Found),
    /// They do not under any values that were tried. That proves nothing.
    Failed(Failed),
}

/// Values under which all conditions hold, confirmed.
#[derive(Clone, Debug, PartialEq)]
pub struct Found {
    /// A value for each input.
    pub values: Assignment,
    /// What it took.
    pub evaluations: u64,
}

/// A search without a result.
#[derive(Clone, Debug, PartialEq)]
pub struct Failed {
    /// The step that stayed unsatisfied most often where the searches could go no further: a condition, a loop that did not come
    /// to its exit, a call without a result. `None`: nothing could be evaluated, or a function gave other results than before.
    pub blamed: Option<StepId>,
    /// How far the blamed step is from being satisfied in the best state.
    pub distance: f64,
    /// The values that came closest.
    pub best: Assignment,
    /// What it took.
    pub evaluations: u64,
}

/// Looks for inputs under which `trace` goes through, from `start` on.
///
/// # Errors
/// A trace that cannot be compiled.
pub fn search(
    shapes: &dyn Shapes,
    trace: &Trace,
    start: &Assignment,
    limits: Limits,
    callback: &mut Callback<'_>,
) -> Result<Outcome, BadTrace> {
    let program = Program::new(shapes, trace)?;
    let linear = Linear::new(shapes, trace, &program);
    let task = Task {
        program: &program,
        linear: &linear,
        pool: shapes.pool(),
        trace,
        callback,
    };
    let (mut bench, first) = Bench::new(task, start, limits.evaluations, limits.seed);
    let stop = match (first, bench.hopeless()) {
        (Err(stop), _) => stop,
        (Ok(()), Some(_)) => Stop::Limit,
        (Ok(()), None) => in_turns(&mut bench, limits.searches),
    };
    let evaluations = bench.spent;
    let best = bench.assignment(&bench.best.values);
    if stop == Stop::Found {
        return Ok(Outcome::Found(Found {
            values: best,
            evaluations,
        }));
    }
    let blamed = bench.hopeless().or_else(|| bench.blamed());
    Ok(Outcome::Failed(Failed {
        blamed: blamed.map(|step| StepId(step as u32)),
        distance: blamed.map_or(0.0, |step| bench.best.readings[step].distance),
        best,
        evaluations,
    }))
}

fn in_turns(bench: &mut Bench<'_>, searches: Searches) -> Stop {
    let (mut walk, mut alternating) = (Walk::new(&bench.start), Alternating::new(&bench.start));
    let mut walks = searches != Searches::Alternating;
    let (mut length, mut in_a_row) = (TURN, 0);
    loop {
        let before = bench.best.score;
        bench.turn_ends = bench.spent + length;
        let stop = if walks {
            walk.run(bench)
        } else {
            alternating.run(bench)
        };
        if stop != Stop::Turn {
            return stop;
        }
        in_a_row += 1;
        if bench.best.score < before && in_a_row < IN_A_ROW {
            continue;
        }
        in_a_row = 0;
        if searches == Searches::Both {
            walks = !walks;
        }
        length = (length + length / 4).min(LONGEST);
    }
}
