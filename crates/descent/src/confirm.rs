//! Confirmation: the trace by the definition of its terms, without anything that the compiler made.
//!
//! Must hold: nothing here uses a compiled program; each function is called anew.

use smt::{Assignment, Evaluator, Pool, Term};

use crate::{Block, Call, Callback, Loop, Next, Step, Target, Trace};

/// Whether all conditions of `trace` hold under `values` (a missing input is 0). A loop that does not end within its limit,
/// leaves by a wrong exit, or a call without a result is no confirmation.
pub fn confirms(
    pool: &Pool,
    trace: &Trace,
    values: &Assignment,
    callback: &mut Callback<'_>,
) -> bool {
    let mut known = Assignment::new();
    for input in &trace.variables {
        known.set(input.var, cut(values.get(input.var), input.width));
    }
    trace.steps.iter().all(|step| match step {
        Step::Call(call) => called(pool, &mut known, call, callback),
        Step::Loop(body) => left(pool, &mut known, body, callback),
        &Step::Fit { condition } => value(pool, &known, condition) == 1,
    })
}

fn cut(value: u128, width: u16) -> u128 {
    value & (u128::MAX >> (128 - u32::from(width)))
}

fn value(pool: &Pool, known: &Assignment, term: Term) -> u128 {
    smt::eval(pool, term, known)
}

fn called(pool: &Pool, known: &mut Assignment, call: &Call, callback: &mut Callback<'_>) -> bool {
    let args: Vec<u128> = call
        .args
        .iter()
        .map(|&arg| value(pool, known, arg))
        .collect();
    let result = call.function.call(&args, callback);
    if let Some(result) = result {
        known.set(call.result, cut(result, call.width));
    }
    result.is_some()
}

/// Whether the loop came to its exit.
fn left(pool: &Pool, known: &mut Assignment, body: &Loop, callback: &mut Callback<'_>) -> bool {
    let entry: Vec<u128> = body
        .state
        .iter()
        .map(|state| value(pool, known, state.entry))
        .collect();
    for (state, entry) in body.state.iter().zip(entry) {
        known.set(state.var, entry);
    }
    let mut at = 0;
    for _ in 0..u64::from(body.turns) * body.blocks.len() as u64 {
        let block: &Block = &body.blocks[at];
        if !block
            .calls
            .iter()
            .all(|call| called(pool, known, call, callback))
        {
            return false;
        }
        let mut evaluator = Evaluator::new(pool, known);
        let target = match block.next {
            Next::Goto(target) => target,
            Next::Branch {
                condition, then, ..
            } if evaluator.value(condition) == 1 => then,
            Next::Branch { otherwise, .. } => otherwise,
        };
        let assigned: Vec<u128> = block
            .assign
            .iter()
            .map(|&(_, term)| evaluator.value(term))
            .collect();
        for (&(var, _), value) in block.assign.iter().zip(assigned) {
            known.set(var, value);
        }
        match target {
            Target::Block(next) => at = next.0 as usize,
            Target::Exit => return true,
            Target::Away => return false,
        }
    }
    false
}
