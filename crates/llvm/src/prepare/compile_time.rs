//! What the compiler knows: `llvm.is.constant` and `llvm.objectsize` (`__builtin_constant_p`, `__builtin_object_size`).
//!
//! An optimised build knows more than a plain one. What must hold: the answers are those of the judge's build at `-O0`, so the pass of its
//! code generation runs on the same code, before anything is promoted; and it folds no branch.

use crate::Error;
use crate::ir::{Builder, Module, Value};

/// Replaces the calls by their answers.
///
/// # Errors
/// LLVM refuses the pass.
pub(super) fn settle(module: &Module) -> Result<(), Error> {
    let functions = module.functions().into_iter();
    let calls =
        functions.flat_map(|function| function.instructions().filter(asks).collect::<Vec<_>>());
    let calls: Vec<Value> = calls.collect();
    if calls.is_empty() {
        return Ok(());
    }
    for call in calls {
        keep_apart(module, call);
    }
    module.run("function(lower-constant-intrinsics)", None)
}

fn asks(instruction: &Value) -> bool {
    instruction.intrinsic_name().is_some_and(|name| {
        name.starts_with("llvm.is.constant.") || name.starts_with("llvm.objectsize.")
    })
}

/// Puts a variable between the answer and those who use it: the pass folds what it sees them decide.
fn keep_apart(module: &Module, call: Value) {
    let blocks = call.block().function().blocks();
    let first = blocks
        .first()
        .and_then(|entry| entry.instructions().first().copied());
    let instructions = call.block().instructions();
    let place = instructions.iter().position(|other| *other == call);
    let next = place.and_then(|place| instructions.get(place + 1));
    let (Some(first), Some(next)) = (first, next) else {
        return;
    };
    let builder = Builder::new(module);
    builder.before(first);
    let variable = builder.alloca(call.ty(), 8);
    builder.before(*next);
    builder.set_location(call.debug_location());
    let answer = builder.load(call.ty(), variable, 1);
    call.replace_uses(answer);
    builder.before(answer);
    builder.store(call, variable, 1);
}
