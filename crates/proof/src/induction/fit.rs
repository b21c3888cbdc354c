//! Which programs an invariant can be checked of: those whose functions run only because the program calls them by name.

use std::collections::BTreeSet;

use program::callgraph::CallGraph;
use program::following;
use program::rounding;
use program::{
    Callee, Const, FuncId, Function, Op, Operand, Program, RelocationTarget, Terminator, Type,
};

use crate::check::is_shared;
use crate::kinds::Refusal;

/// A function that is not looked into: it has no body, or is a model of the C library.
pub(crate) fn is_unknown(body: &Function) -> bool {
    body.blocks.is_empty() || body.library
}

/// Where the program starts.
pub(crate) fn root(program: &Program) -> Option<FuncId> {
    let found = program.function_named("main")?;
    (!is_unknown(&program.functions[found])).then_some(found)
}

/// Refuses a program whose functions may run without a call that is seen.
pub(crate) fn check(program: &Program, foreign: bool) -> Result<(), Refusal> {
    let cannot = |why: &str| Err(Refusal::NeedsSearch(format!("no induction: {why}")));
    if is_shared(program, foreign) {
        return cannot("other code may write to memory at any time");
    }
    if root(program).is_none() {
        return cannot("the program does not start in `main`");
    }
    let mut externs = program.externs.values();
    let twice = externs.any(|known| following::is_returning_twice(&known.name));
    if twice || has_strange_ways(program) || following::is_boundless(program) {
        return cannot("control does not always follow the calls");
    }
    if !rounding::is_to_nearest(program, foreign) && has_floats(program) {
        return cannot("the program may change how floating-point numbers are rounded");
    }
    let graph = CallGraph::new(program);
    let library = program.functions.iter().filter(|(_, body)| body.library);
    let starts = addresses(program)
        .into_iter()
        .chain(library.map(|(id, _)| id));
    let mut reached = starts.flat_map(|start| graph.reachable(start).into_iter().chain([start]));
    match reached.any(|id| !is_unknown(&program.functions[id])) {
        true => cannot("functions are called by their addresses"),
        false => Ok(()),
    }
}

/// Whether a block is left in a way that the model does not follow.
pub(crate) fn has_strange_ways(program: &Program) -> bool {
    program.functions.values().any(is_strange)
}

/// The same of one function.
pub(crate) fn is_strange(body: &Function) -> bool {
    let mut blocks = body.blocks.values();
    blocks.any(|block| {
        matches!(
            block.terminator,
            Terminator::Opaque { .. } | Terminator::IndirectBr { .. }
        )
    })
}

/// Whether floating-point numbers are computed with.
pub(crate) fn has_floats(program: &Program) -> bool {
    let mut values = program
        .functions
        .values()
        .filter(|body| !is_unknown(body))
        .flat_map(|body| body.values.values());
    values.any(|value| matches!(value.ty, Type::F32 | Type::F64 | Type::X86Fp80))
}

/// Functions whose address is a value of the program, or in its memory at the start.
fn addresses(program: &Program) -> BTreeSet<FuncId> {
    let mut found = BTreeSet::new();
    for global in program.globals.values() {
        let relocations = global.init.iter().flat_map(|init| &init.relocations);
        found.extend(relocations.filter_map(|relocation| match relocation.to {
            RelocationTarget::Function(function) => Some(function),
            _ => None,
        }));
    }
    for body in program.functions.values() {
        for (block, data) in body.blocks.iter() {
            let mut note = |operand: &Operand| {
                if let Operand::Const(constant) = operand {
                    functions_in(constant, &mut found);
                }
            };
            for (_, inst) in body.insts(block) {
                inst.op.for_each_operand(&mut note);
                if let Op::Call {
                    callee: Callee::Indirect(pointer),
                    ..
                } = &inst.op
                {
                    note(pointer);
                }
            }
            data.terminator.for_each_operand(&mut note);
        }
    }
    found
}

fn functions_in(constant: &Const, found: &mut BTreeSet<FuncId>) {
    match constant {
        Const::Function(function) => {
            found.insert(*function);
        }
        Const::Aggregate(aggregate) => {
            let members = aggregate.members.iter();
            members.for_each(|member| functions_in(member, found));
        }
        _ => {}
    }
}
