//! What a function needs from its unit: the variables that it reads, how it uses its parameters, the undefined functions
//! that never return.

use std::cell::Cell;
use std::collections::{BTreeMap, HashSet};
use std::rc::Rc;

use harness::plan::{Place, Usage};
use harness::types::{Function, Type, TypeId, Types};
use program::callgraph::{CallGraph, CallSite};
use program::indexing::{Derived, Indexing, Pointed, Values};
use program::operand::Operand;
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
) -> Vec<Usage> {
    let Probe { model, calls, .. } = probe;
    let Some(root) = model.function_named(&function.name) else {
        return Vec::new();
    };
    let params = &function.signature.params;
    let by_value = |ty: &TypeId| matches!(types.resolved(*ty), Type::Record { .. });
    let plain = !params.iter().any(by_value) && !by_value(&function.signature.result);
    if !plain || model.functions[root].params.len() != params.len() {
        return assumed(params.len(), function, assumptions);
    }
    let reader = Reader {
        indexing: Indexing::new(model, calls),
        types,
        assumptions,
        left: Cell::new(MOST_MEMBERS),
    };
    let mut uses = assumed(params.len(), function, assumptions);
    let mut pointers = Vec::new();
    for (index, (usage, ty)) in uses.iter_mut().zip(params).enumerate() {
        let Some(values) = reader.indexing.parameter(root, index) else {
            continue;
        };
        pointers.push((index as u64, *ty, values.clone()));
        let found = reader.usage(&values, *ty, DEPTH);
        *usage = match usage.several {
            None => found,
            // The members of several objects are used like those of one.
            several => Usage { several, ..found },
        };
    }
    for (index, place) in reader.places(&pointers) {
        uses[index as usize].place = Some(place);
    }
    uses
}

/// What assumptions say of parameters.
fn assumed(count: usize, function: &Function, assumptions: &[String]) -> Vec<Usage> {
    let name = |index: usize| function.names.get(index).map_or("", String::as_str);
    let of = |index| Usage {
        several: contract::indexes(assumptions, name(index)).then_some(true),
        ..Usage::default()
    };
    (0..count).map(of).collect()
}

/// Pointers behind each other whose members are looked at.
const DEPTH: u32 = 3;
/// Pointers side by side that are compared with each other.
const MOST_POINTERS: usize = 16;
/// Pointers and integers in structs that are looked at, of one function.
const MOST_MEMBERS: u32 = 200;

/// Joins the loads of the model with the offsets of types.
struct Reader<'a> {
    indexing: Indexing<'a>,
    types: &'a Types,
    assumptions: &'a [String],
    left: Cell<u32>,
}

impl Reader<'_> {
    /// How values of a type are used.
    fn usage(&self, values: &Values, ty: TypeId, depth: u32) -> Usage {
        let types = self.types;
        match types
            .pointee(ty)
            .map(|target| (target, types.bytes(target)))
        {
            Some((target, Some(size))) => Usage {
                several: match self.indexing.pointed(values, size) {
                    Pointed::One => Some(false),
                    Pointed::Several => Some(true),
                    Pointed::Unknown => None,
                },
                place: None,
                no_length: false,
                members: Rc::new(self.members(values, (target, size), depth)),
            },
            Some((_, None)) => Usage::default(),
            None => Usage {
                no_length: types.is_count(ty) && !self.indexing.may_count(values),
                ..Usage::default()
            },
        }
    }

    /// How the members of what pointers point to are used, by offset.
    fn members(
        &self,
        values: &Values,
        (target, size): (TypeId, u64),
        depth: u32,
    ) -> BTreeMap<u64, Usage> {
        let types = self.types;
        let members = types.members(target);
        let mut all = BTreeMap::new();
        if depth == 0 || members.is_empty() || values.is_empty() {
            return all;
        }
        let Some(loads) = self.indexing.members(values, size) else {
            return all;
        };
        let mut pointers = Vec::new();
        for (offset, name, ty) in members {
            let is_wanted = types.pointee(ty).is_some() || types.is_count(ty);
            let Some(width) = types.bytes(ty).filter(|_| is_wanted) else {
                continue;
            };
            let Some(left) = self.left.get().checked_sub(1) else {
                return all;
            };
            self.left.set(left);
            if let Some(values) = loads.at(offset, width) {
                pointers.push((offset, ty, values.clone()));
                let mut usage = self.usage(&values, ty, depth - 1);
                if contract::indexes_member(self.assumptions, name) {
                    usage.several = Some(true);
                }
                all.insert(offset, usage);
            }
        }
        for (offset, place) in self.places(&pointers) {
            all.entry(offset).or_default().place = Some(place);
        }
        all
    }

    /// Pointers side by side, by index or offset, that are places in the array of one in front of them.
    fn places(&self, side_by_side: &[(u64, TypeId, Values)]) -> Vec<(u64, Place)> {
        let target = |ty: TypeId| Some(self.types.unqualified(self.types.pointee(ty)?));
        let pointers = side_by_side
            .iter()
            .filter_map(|(at, ty, values)| Some((*at, target(*ty)?, values)));
        let pointers: Vec<_> = pointers
            .take(MOST_POINTERS)
            .map(|(at, ty, values)| (at, ty, self.indexing.derived(values)))
            .collect();
        let mut found: Vec<(u64, Place)> = Vec::new();
        for (index, (at, ty, derived)) in pointers.iter().enumerate() {
            let shares = |(_, other, theirs): &&(u64, TypeId, Derived)| {
                let plain = !matches!(self.types.resolved(*ty), Type::Record { .. });
                self.types.same(*ty, *other) && self.indexing.share_an_array(derived, theirs, plain)
            };
            let Some((first, ..)) = pointers[..index].iter().find(shares) else {
                continue;
            };
            // The array of one that is a place itself is that of the first.
            let known = found.iter().find(|(at, _)| at == first);
            let of = known.map_or(*first, |(_, place)| place.of);
            let is_end = !pointers[index + 1..].iter().any(|other| shares(&other));
            let is_mark = !derived.is_accessed;
            let place = Place {
                of,
                is_end,
                is_mark,
            };
            found.push((*at, place));
        }
        found
    }
}

fn note(operand: &Operand, found: &mut HashSet<GlobalId>) {
    if let Operand::Const(constant) = operand {
        found.extend(constant.globals());
    }
}

/// Whether a global holds something else than 0 at the start.
pub fn is_initialised(model: &Program, global: GlobalId) -> bool {
    model.globals[global].init.as_ref().is_some_and(|init| {
        !init.relocations.is_empty()
            || !init.unknown.is_empty()
            || init.bytes.iter().any(|byte| *byte != 0)
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
