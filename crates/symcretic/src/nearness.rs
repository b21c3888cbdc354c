//! How far a condition is from what loops start with: the branch distance under the first values of their variables.
//!
//! A way back that goes round a loop and makes `count + 3 > 25` of `count + 2 > 25` leads somewhere: the loop starts with `count == 0`.
//!
//! Must hold: it says what is followed first, and never what is true.

use std::collections::{BTreeMap, BTreeSet};

use program::{BinOp, Const, Def, FuncId, GlobalId, Op, Operand, Type, ValueId};
use semantics::Symbol;
use smt::{Assignment, Evaluator, Var};

use crate::atom::Atom;
use crate::facts::Facts;
use crate::image::Language;
use crate::memory::{Heights, Root, initial};
use crate::state::{Active, State};

/// Instructions from a value to the head of its loop.
const DEPTH: u32 = 8;
/// Calls from the place where the program starts.
const CALLS: u32 = 8;

/// The sum of the distances of those conditions of a state that speak of nothing but variables whose first value is a number.
pub fn nearness(facts: &Facts<'_>, language: &mut Language, state: &State) -> u64 {
    let active = state.active();
    let mut first = Assignment::new();
    let mut known = BTreeMap::new();
    let mut judged = Vec::new();
    for term in state.terms() {
        let vars = language.pool.vars(term);
        let mut is_known = !vars.is_empty();
        for var in vars {
            let value = *known
                .entry(var)
                .or_insert_with(|| first_value(facts, language, &active, var));
            match value {
                Some(value) => first.set(var, value),
                None => is_known = false,
            }
        }
        if is_known {
            judged.push(term);
        }
    }
    let mut values = Evaluator::new(&language.pool, &first);
    let distances = judged.iter().map(|term| values.distance(*term, true));
    distances.fold(0, u64::saturating_add)
}

/// What a variable is when its loop begins, or a cell of a global when the program does.
fn first_value(
    facts: &Facts<'_>,
    language: &mut Language,
    active: &Active,
    var: Var,
) -> Option<u128> {
    match language.atoms.get(var)?.0.clone() {
        Atom::Value {
            height,
            value,
            scalar: 0,
        } => first_of(facts, active.function(height)?, value, DEPTH),
        Atom::Cell { address, bytes } => {
            let Some(Root::Symbol(Symbol::Global(global))) = language.root(facts, active, address)
            else {
                return None;
            };
            let (parts, offset) = language.pool.summands(address);
            if parts.len() != 1 || !facts.moving().contains(&global) {
                return None;
            }
            let made = initial(facts, language, (global, offset), bytes)?;
            language.pool.as_const(made)
        }
        _ => None,
    }
}

/// A value when the loop begins whose rounds change it, if that is a number.
fn first_of(facts: &Facts<'_>, function: FuncId, value: ValueId, depth: u32) -> Option<u128> {
    let data = &facts.program.functions[function].values[value];
    let (Def::Inst(inst), Type::Int(bits @ 1..=128)) = (&data.def, &data.ty) else {
        return None;
    };
    let mask = u128::MAX >> (128 - bits);
    let deeper = depth.checked_sub(1)?;
    let of_operand = |operand: &Operand| match operand {
        Operand::Value(value) => first_of(facts, function, *value, deeper),
        Operand::Const(_) => None,
    };
    match &inst.op {
        Op::Phi { .. } => {
            let body = facts.body(function);
            let is_head = body.loops.contains_key(&inst.block);
            let mut ways = body.ways[inst.block.index()].iter();
            ways.find_map(|way| {
                let operand = semantics::incoming(&inst.op, way.from)?;
                match is_head {
                    true => number(operand).filter(|_| !way.back),
                    false => of_operand(operand),
                }
            })
        }
        Op::Bin { op, lhs, rhs } => {
            let (a, b) = (of_operand(lhs)?, number(rhs)?);
            match op {
                BinOp::Add => Some(a.wrapping_add(b) & mask),
                BinOp::Sub => Some(a.wrapping_sub(b) & mask),
                _ => None,
            }
        }
        _ => None,
    }
}

fn number(operand: &Operand) -> Option<u128> {
    match operand.constant()? {
        Const::Int { value, .. } => Some(*value),
        _ => None,
    }
}

/// Globals that are written more than once, as far as calls and loops show it: what rounds of loops change.
pub fn moving(facts: &Facts<'_>) -> BTreeSet<GlobalId> {
    let program = facts.program;
    let root = program.function_named("main");
    let is_in_loop = |function: FuncId, value: ValueId| {
        let inst = program.functions[function].inst(value);
        let block = inst.map(|inst| inst.block);
        let body = facts.body(function);
        let mut loops = body.loops.values();
        block.is_some_and(|block| loops.any(|members| members.contains(&block)))
    };
    // Is a function called once at most?
    let is_once = |mut function: FuncId| {
        for _ in 0..CALLS {
            if Some(function) == root {
                return true;
            }
            let [(caller, call)] = facts.calls.callers(function)[..] else {
                return false;
            };
            if is_in_loop(caller, call) {
                return false;
            }
            function = caller;
        }
        false
    };
    let mut found = BTreeSet::new();
    for (id, function) in program.functions.iter() {
        let once = is_once(id);
        for block in function.blocks.keys() {
            for (value, inst) in function.insts(block) {
                if let Op::Store { address, .. } = &inst.op
                    && let Some(Const::Global { global, .. }) = address.constant()
                    && (!once || is_in_loop(id, value))
                {
                    found.insert(*global);
                }
            }
        }
    }
    found
}
