//! Which programs an invariant can be checked of: those whose functions run only because of calls that are seen.

use std::collections::BTreeSet;

use program::following;
use program::rounding;
use program::{
    Callee, Const, FuncId, Function, Op, Operand, Program, RelocationTarget, Terminator, Type,
};

use crate::check::is_shared;
use crate::closed::Effects;
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

fn cannot(why: &str) -> Result<(), Refusal> {
    Err(Refusal::NeedsSearch(format!("no induction: {why}")))
}

/// Refuses a program whose functions may run without a call that is seen.
pub(crate) fn check(effects: &Effects<'_>) -> Result<(), Refusal> {
    let (program, foreign) = (effects.program, effects.foreign);
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
    let graph = &effects.graph;
    let own = |ids: Vec<FuncId>| {
        let mut ids = ids.into_iter();
        ids.any(|id| !is_unknown(&program.functions[id]))
    };
    let library = program.functions.iter().filter(|(_, body)| body.library);
    let library: Vec<FuncId> = library.map(|(id, _)| id).collect();
    if own(graph.reachable_from(&library)) {
        return cannot("the C library calls functions by their addresses");
    }
    let taken = addresses(program).into_iter().collect::<Vec<FuncId>>();
    match own(graph.reachable_from(&taken)) {
        true => are_calls_seen(effects),
        false => Ok(()),
    }
}

/// Does the program call functions of its own by their addresses?
#[must_use]
pub fn calls_by_address(effects: &Effects<'_>) -> bool {
    let own = |id: FuncId| !is_unknown(&effects.program.functions[id]);
    let entered = effects.program.functions.keys().filter(|id| {
        let regions = effects.regions.as_ref();
        regions.is_none_or(|regions| regions.is_entered(*id))
    });
    let mut sites = entered.flat_map(|id| effects.graph.calls(id));
    sites.any(|site| site.indirect && site.functions().any(own))
}

/// Refuses a program whose functions may be called by their addresses from where that is not seen.
fn are_calls_seen(effects: &Effects<'_>) -> Result<(), Refusal> {
    let program = effects.program;
    let Some(regions) = &effects.regions else {
        return cannot("functions are called by their addresses");
    };
    let own = |id: FuncId| !is_unknown(&program.functions[id]);
    for caller in program.functions.keys() {
        if own(caller) && effects.is_called_from_outside(caller) {
            return cannot("other code calls functions by their addresses");
        }
        if !own(caller) || !regions.is_entered(caller) {
            continue;
        }
        for site in effects.graph.calls(caller) {
            if site.indirect && !site.closed {
                return cannot("functions are called by their addresses");
            }
            // What models call was looked at.
            let mut unmodelled = effects.unmodelled(site);
            let gives = effects.gives_addresses(site);
            if site.callbacks.iter().copied().any(own)
                || unmodelled.any(|id| gives && effects.may_call_back(id))
            {
                return cannot("the C library calls functions by their addresses");
            }
        }
    }
    Ok(())
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
