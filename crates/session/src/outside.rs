//! What no input decides: results of functions outside of the model, and addresses as numbers. An exhausted tree proves nothing
//! where there are any.
//!
//! Must hold: what is left out here returns the same in every run with the same inputs.

use path::Role;
use program::Program;
use program::callgraph::{CallGraph, HandsBack};
use wire::libc::{Treatment, WORLD_FILES, WORLD_VARIABLES};

use crate::plan::Plan;

/// Functions without a body that the program calls, and that hand back what depends on more than their arguments: in a
/// result, or in memory they get a pointer to (`gettimeofday`).
///
/// And what is no function: the numbers that addresses are, if they decide anything.
#[must_use]
pub fn outside(model: &Program, plan: &Plan) -> Vec<String> {
    let Some(main) = model.function_named("main") else {
        return Vec::new();
    };
    let calls = CallGraph::new(model);
    let roots = model.starts(main);
    let used = calls.externs_used(model, &roots);
    let files = plan.has(|role| role == Role::File);
    let variables = plan.has(|role| role == Role::Variable);
    // What is declared symbolic stands for all that the program finds; the rest is as it is.
    let is_outside = |name: &str, hands: HandsBack| {
        if WORLD_FILES.contains(&name) {
            return !files;
        }
        if WORLD_VARIABLES.contains(&name) {
            return !variables;
        }
        match wire::libc::treatment(name) {
            Some(Treatment::Wrapped | Treatment::Model | Treatment::Pure) => false,
            Some(Treatment::Harmless | Treatment::Output) => hands.result,
            None => true,
        }
    };
    let deciding = program::addresses::deciding(model, &calls, &roots);
    let names = used
        .iter()
        .map(|&(id, hands)| (model.externs[id].name.as_str(), hands));
    names
        .filter(|&(name, hands)| is_outside(name, hands))
        .map(|(name, _)| name)
        .filter(|name| !wire::libc::INPUT_FUNCTIONS.contains(name))
        .filter(|name| !name.starts_with("llvm.") && !name.starts_with("__bw_"))
        .map(str::to_owned)
        .chain(deciding.map(|id| format!("addresses as numbers (in {})", model.functions[id].name)))
        .collect()
}
