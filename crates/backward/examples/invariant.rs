//! What the value analysis knows of a stored model (`certificates/model.txt`), as an invariant, and what the checker says.

use coverage::Goals;
use coverage::criterion::branch::Branch;

fn main() {
    let path = std::env::args().nth(1).unwrap_or_default();
    let text = std::fs::read_to_string(&path).unwrap_or_default();
    let Ok(subject) = proof::Subject::parse(&text) else {
        return;
    };
    let (program, foreign) = (&subject.program, subject.foreign);
    let goals = Goals::new(program, &Branch);
    // As for a search whose budget is time.
    let limits = values::Limits {
        steps: 2_000_000,
        small: 20_000,
        ..values::Limits::default()
    };
    let known = values::analyse(program, foreign, limits);
    let Ok(backend) = smt::backend::default() else {
        return;
    };
    let mut solver = smt::Solver::new(backend, smt::Config::default());
    let limits = backward::Limits::default();
    let proofs = backward::prove(program, &goals, foreign, &known, &mut solver, limits);
    let Some(found) = proofs.invariant else {
        println!("nothing is known, or too much");
        return;
    };
    let effects = proof::closed::Effects::new(program, foreign, None);
    let effort = || proof::Effort::questions(100_000);
    let invariant = match proof::induction::weaken(&effects, found, effort()) {
        Ok(invariant) => invariant,
        Err(refusal) => {
            println!("{refusal}");
            return;
        }
    };
    let states = invariant
        .contexts
        .iter()
        .map(|context| context.states.len());
    println!("{} states", states.sum::<usize>());
    for (number, cell) in invariant.cells.iter().enumerate() {
        println!("cell {number}: {cell:?}");
    }
    for (number, context) in invariant.contexts.iter().enumerate() {
        println!(
            "context {number} of fn{}: {:?}",
            context.function, context.calls
        );
        for state in &context.states {
            println!(
                "  block{}: {:?} {:?}",
                state.block, state.cells, state.values
            );
        }
        for exit in &context.exits {
            println!("  exit: {:?} {:?}", exit.cells, exit.result);
        }
    }
    match proof::induction::check(&effects, &invariant, effort()) {
        Ok(proved) => println!("{} facts, {} queries", proved.facts.len(), proved.queries),
        Err(refusal) => println!("{refusal}"),
    }
}
