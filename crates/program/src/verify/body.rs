//! Invariants of blocks and values.

use std::collections::BTreeMap;

use super::{VerifyError, check, place};
use crate::cfg::Cfg;
use crate::dom::Dominators;
use crate::entity::SecondaryMap;
use crate::function::{Def, Function};
use crate::id::{BlockId, FuncId, ValueId};
use crate::inst::{Callee, Inst, Op};
use crate::model::Program;
use crate::operand::{Const, Operand};

/// Blocks, values and ids.
pub(super) fn structure(program: &Program, function: FuncId) -> Result<(), VerifyError> {
    let body = &program.functions[function];
    let whole = || place(program, function, "body", body.loc);
    check(!body.blocks.is_empty(), whole, || {
        "it has no blocks".to_owned()
    })?;
    let mut listed: SecondaryMap<ValueId, bool> = SecondaryMap::for_map(&body.values, false);
    for (number, &param) in (0..).zip(&body.params) {
        let here = || place(program, function, param, body.loc);
        let good = body
            .values
            .get(param)
            .is_some_and(|value| value.def == Def::Param(number));
        check(good && !listed[param], here, || {
            format!("it is listed as parameter {number}, but is not that")
        })?;
        listed[param] = true;
    }
    for (block, data) in body.blocks.iter() {
        for &value in &data.insts {
            let here = || place(program, function, value, None);
            check(body.values.contains(value), here, || {
                format!("{block} lists it, but there is no such value")
            })?;
            let inst = body
                .inst(value)
                .filter(|inst| inst.block == block && !listed[value]);
            let Some(inst) = inst else {
                return check(false, here, || {
                    format!("{block} lists it, but it is not an instruction from there")
                });
            };
            listed[value] = true;
            operation_ids(program, body, inst).or_else(|what| {
                check(
                    false,
                    || place(program, function, value, inst.loc),
                    || format!("there is no {what}"),
                )
            })?;
        }
        let here = || place(program, function, block, data.loc);
        for target in data.terminator.successors() {
            check(body.blocks.contains(target), here, || {
                format!("there is no {target}")
            })?;
            check(target != Function::ENTRY, here, || {
                "it leads to the entry".to_owned()
            })?;
        }
        let mut missing = None;
        data.terminator.for_each_operand(|operand| {
            missing = missing.take().or(operand_ids(program, body, operand))
        });
        check(missing.is_none(), here, || {
            format!("there is no {}", missing.clone().unwrap_or_default())
        })?;
    }
    let lost = body.values.keys().find(|&value| !listed[value]);
    let lost_place = || {
        lost.map(|value| place(program, function, value, None))
            .unwrap_or_default()
    };
    check(lost.is_none(), lost_place, || {
        "neither a block nor the parameters list it".to_owned()
    })
}

/// Phis stand first and fit their predecessors; definitions dominate uses.
pub(super) fn dominance(program: &Program, function: FuncId) -> Result<(), VerifyError> {
    let body = &program.functions[function];
    let cfg = Cfg::new(body);
    let dominators = Dominators::new(&cfg);
    let mut position: SecondaryMap<ValueId, usize> = SecondaryMap::for_map(&body.values, 0);
    for block in body.blocks.values() {
        for (index, &value) in block.insts.iter().enumerate() {
            position[value] = index;
        }
    }
    // Whether `value` is there before instruction number `index` of `block`.
    let available = |value: ValueId, block: BlockId, index: usize| match body.inst(value) {
        None => true,
        Some(inst) if inst.block == block => position[value] < index,
        Some(inst) => dominators.dominates(inst.block, block),
    };
    for (block, data) in body
        .blocks
        .iter()
        .filter(|(block, _)| cfg.is_reachable(*block))
    {
        let mut phis_over = false;
        for (index, (value, inst)) in body.insts(block).enumerate() {
            let here = || place(program, function, value, inst.loc);
            if let Op::Phi { incoming } = &inst.op {
                check(!phis_over, here, || {
                    "a phi behind another instruction".to_owned()
                })?;
                phi(&cfg, block, incoming).or_else(|message| check(false, here, || message))?;
                for (from, operand) in incoming {
                    let Some(used) = operand.value() else {
                        continue;
                    };
                    let good = !cfg.is_reachable(*from) || available(used, *from, usize::MAX);
                    check(good, here, || {
                        format!("{used} is not defined at the end of {from}")
                    })?;
                }
                continue;
            }
            phis_over = true;
            let used = first_unavailable(
                |visit| inst.op.for_each_operand(visit),
                |used| available(used, block, index),
            );
            check(used.is_none(), here, || not_defined(used))?;
        }
        let used = first_unavailable(
            |visit| data.terminator.for_each_operand(visit),
            |used| available(used, block, usize::MAX),
        );
        check(
            used.is_none(),
            || place(program, function, block, data.loc),
            || not_defined(used),
        )?;
    }
    Ok(())
}

fn not_defined(used: Option<ValueId>) -> String {
    used.map(|used| format!("{used} is not defined on every path that leads here"))
        .unwrap_or_default()
}

fn first_unavailable(
    visit_all: impl FnOnce(&mut dyn FnMut(&Operand)),
    available: impl Fn(ValueId) -> bool,
) -> Option<ValueId> {
    let mut found = None;
    visit_all(&mut |operand| {
        if let Operand::Value(used) = operand
            && found.is_none()
            && !available(*used)
        {
            found = Some(*used);
        }
    });
    found
}

/// Each predecessor has a value. An edge that is there several times may be listed several times, with one value.
fn phi(cfg: &Cfg, block: BlockId, incoming: &[(BlockId, Operand)]) -> Result<(), String> {
    let mut values: BTreeMap<BlockId, &Operand> = BTreeMap::new();
    for (from, operand) in incoming {
        if values
            .insert(*from, operand)
            .is_some_and(|other| other != operand)
        {
            return Err(format!("it has two values for {from}"));
        }
    }
    for from in cfg.predecessors(block) {
        if !values.contains_key(&from) {
            return Err(format!("it has no value for {from}"));
        }
    }
    match values
        .keys()
        .find(|from| !cfg.predecessors(block).any(|other| other == **from))
    {
        Some(from) => Err(format!(
            "it has a value for {from}, which does not lead here"
        )),
        None => Ok(()),
    }
}

/// Names the first id in an instruction that stands for nothing.
fn operation_ids(program: &Program, body: &Function, inst: &Inst) -> Result<(), String> {
    let mut missing = None;
    inst.op.for_each_operand(|operand| {
        missing = missing.take().or(operand_ids(program, body, operand))
    });
    match &inst.op {
        Op::Phi { incoming } => {
            let unknown = incoming
                .iter()
                .find(|(block, _)| !body.blocks.contains(*block));
            missing = missing.or(unknown.map(|(block, _)| block.to_string()));
        }
        Op::Call {
            callee: Callee::Direct(id),
            ..
        } if !program.functions.contains(*id) => {
            missing = Some(id.to_string());
        }
        Op::Call {
            callee: Callee::Extern(id),
            ..
        } if !program.externs.contains(*id) => {
            missing = Some(id.to_string());
        }
        _ => {}
    }
    missing.map_or(Ok(()), Err)
}

fn operand_ids(program: &Program, body: &Function, operand: &Operand) -> Option<String> {
    match operand {
        Operand::Value(value) => (!body.values.contains(*value)).then(|| value.to_string()),
        Operand::Const(constant) => constant_ids(program, constant),
    }
}

fn constant_ids(program: &Program, constant: &Const) -> Option<String> {
    match constant {
        Const::Global { global, .. } => {
            (!program.globals.contains(*global)).then(|| global.to_string())
        }
        Const::Function(id) => (!program.functions.contains(*id)).then(|| id.to_string()),
        Const::Extern(id) => (!program.externs.contains(*id)).then(|| id.to_string()),
        Const::Aggregate(aggregate) => aggregate
            .members
            .iter()
            .find_map(|member| constant_ids(program, member)),
        _ => None,
    }
}
