//! What a function needs from its unit: the variables that it reads, how it uses its parameters, the undefined functions
//! that never return.

use std::collections::HashSet;

use harness::plan::ParamUse;
use harness::types::{Function, Type, Types};
use program::callgraph::{CallGraph, CallSite};
use program::indexing::{self, Pointed};
use program::operand::{Const, Operand};
use program::{Callee, FuncId, GlobalId, Op, Program, Terminator};

use super::contract;
use super::probe::Probe;

/// Globals that a function, or one that it may call, does more with than write to them, in order.
pub fn globals_read(model: &Program, calls: &CallGraph, root: FuncId) -> Vec<GlobalId> {
    let mut found = HashSet::new();
    for function in calls.reachable(root) {
        let body = &model.functions[function];
        for block in body.blocks.keys() {
            for (_, inst) in body.insts(block) {
                if let Op::Store { value, .. } = &inst.op {
                    note(value, &mut found);
                } else {
                    inst.op
                        .for_each_operand(|operand| note(operand, &mut found));
                }
            }
            body.blocks[block]
                .terminator
                .for_each_operand(|operand| note(operand, &mut found));
        }
    }
    let mut found: Vec<GlobalId> = found.into_iter().collect();
    found.sort_unstable();
    found
}

/// How a function uses its parameters; empty where the model passes them otherwise than C does (structs by value).
pub fn uses(
    probe: &Probe,
    function: &Function,
    types: &Types,
    assumptions: &[String],
) -> Vec<ParamUse> {
    let Probe { model, calls, .. } = probe;
    let Some(root) = model.function_named(&function.name) else {
        return Vec::new();
    };
    let params = &function.signature.params;
    let by_value = |ty: &harness::types::TypeId| matches!(types.resolved(*ty), Type::Record { .. });
    let plain = !params.iter().any(by_value) && !by_value(&function.signature.result);
    let same = plain && model.functions[root].params.len() == params.len();
    let used = |(index, ty): (usize, &harness::types::TypeId)| {
        let name = function.names.get(index).map_or("", String::as_str);
        if contract::indexes(assumptions, name) {
            return ParamUse {
                several: Some(true),
                no_length: false,
            };
        }
        match types.pointee(*ty).map(|target| types.bytes(target)) {
            _ if !same => ParamUse::default(),
            Some(Some(size)) => ParamUse {
                several: match indexing::pointed(model, calls, root, index, size) {
                    Pointed::One => Some(false),
                    Pointed::Several => Some(true),
                    Pointed::Unknown => None,
                },
                no_length: false,
            },
            Some(None) => ParamUse::default(),
            None => ParamUse {
                several: None,
                no_length: types.is_count(*ty) && !indexing::may_count(model, calls, root, index),
            },
        }
    };
    params.iter().enumerate().map(used).collect()
}

fn note(operand: &Operand, found: &mut HashSet<GlobalId>) {
    if let Operand::Const(constant) = operand {
        note_constant(constant, found);
    }
}

fn note_constant(constant: &Const, found: &mut HashSet<GlobalId>) {
    match constant {
        Const::Global { global, .. } => _ = found.insert(*global),
        Const::Aggregate(aggregate) => {
            for member in &aggregate.members {
                note_constant(member, found);
            }
        }
        _ => {}
    }
}

/// Whether a global holds something else than 0 at the start.
pub fn is_initialised(model: &Program, global: GlobalId) -> bool {
    model.globals[global].init.as_ref().is_some_and(|init| {
        !init.relocations.is_empty() || init.bytes.iter().any(|byte| *byte != 0)
    })
}

/// Whether a function, or one that it may call, gives memory back: then objects may be gone after the call.
pub fn frees(model: &Program, calls: &CallGraph, name: &str) -> bool {
    const FREE: &[&str] = &[
        "free",
        "realloc",
        "reallocarray",
        "cfree",
        "getline",
        "getdelim",
    ];
    let Some(root) = model.function_named(name) else {
        return true;
    };
    calls.reachable(root).into_iter().any(|function| {
        let mut called = calls.calls(function).iter().flat_map(CallSite::externs);
        called.any(|callee| FREE.contains(&model.externs[callee].name.as_str()))
    })
}

/// Undefined functions that a function, or one that it may call, may call; those that are fewer calls away first, and
/// calls through pointers, of which nobody knows where they go, last.
pub fn externs_called<'p>(model: &'p Program, calls: &CallGraph, name: &str) -> Vec<&'p str> {
    let mut seen = HashSet::new();
    let mut found = Vec::new();
    let mut level: Vec<FuncId> = model.function_named(name).into_iter().collect();
    let mut through_pointers = Vec::new();
    while !level.is_empty() || !through_pointers.is_empty() {
        if level.is_empty() {
            level = std::mem::take(&mut through_pointers);
        }
        for function in std::mem::take(&mut level) {
            if !seen.insert(function) {
                continue;
            }
            for site in calls.calls(function) {
                let next = if site.indirect {
                    &mut through_pointers
                } else {
                    &mut level
                };
                next.extend(site.functions());
                let names = site.externs().map(|callee| &model.externs[callee].name);
                found.extend(names.map(String::as_str));
            }
        }
    }
    let mut known = HashSet::new();
    found.retain(|name| known.insert(*name));
    found
}

/// Whether a function of the C library may write to a stream.
pub fn is_output(name: &str) -> bool {
    let writes = wire::libc::treatment(name) == Some(wire::libc::Treatment::Output);
    writes || matches!(name, "fputs" | "fputs_unlocked" | "fflush")
}

/// Whether every call of an undefined function is the last thing that is done.
pub fn never_returns(model: &Program, name: &str) -> bool {
    let mut calls = 0;
    for body in model.functions.values() {
        for block in body.blocks.keys() {
            let last = body.insts(block).next_back();
            for (id, inst) in body.insts(block) {
                let Op::Call {
                    callee: Callee::Extern(callee),
                    ..
                } = &inst.op
                else {
                    continue;
                };
                if model.externs[*callee].name != name {
                    continue;
                }
                calls += 1;
                let ends = matches!(body.blocks[block].terminator, Terminator::Unreachable)
                    && last.is_some_and(|(last, _)| last == id);
                if !ends {
                    return false;
                }
            }
        }
    }
    calls > 0
}
