//! What a decision is made to be on each way out of it.
//!
//! The last condition decides on both its sides; every other way out comes to the same as one of these. In an `if`, a loop or a
//! `?:` the ways out lead to two blocks, one for true and one for false. As a value, all of them lead to one block, where a
//! phi of one bit has the value: variables are bytes at least, so no assignment looks like it.

use std::collections::BTreeMap;

use super::flow::Flow;
use crate::coverage::{Counter, FunctionCoverage, Region, RegionKind};
use crate::id::{BlockId, EdgeId, ValueId};
use crate::inst::{Op, Terminator};
use crate::model::Program;
use crate::op::BinOp;
use crate::operand::{Const, Operand};
use crate::types::Type;

/// A way out.
#[derive(Clone, Copy, Debug)]
pub(super) struct Exit {
    /// Number of the condition.
    pub(super) condition: usize,
    pub(super) side: bool,
    pub(super) edge: EdgeId,
}

/// The value of the decision on each way out; `None` when it cannot be told. `then` is the count of what runs when it is
/// true, if there is such a thing.
pub(super) fn values(
    program: &Program,
    flow: &Flow<'_>,
    exits: &[Exit],
    last: usize,
    conditions: &[Region],
    then: Option<Counter>,
) -> Option<Vec<bool>> {
    let of_last = |side: bool| {
        exits
            .iter()
            .position(|exit| exit.condition == last && exit.side == side)
    };
    let (no, yes) = (of_last(false)?, of_last(true)?);
    let to: Vec<BlockId> = exits
        .iter()
        .map(|exit| destination(program, flow, exit, &conditions[exit.condition]))
        .collect::<Option<_>>()?;
    if to[no] == to[yes] {
        return as_value(program, flow, exits, (no, yes));
    }
    let side = |to_here: &BlockId| match to_here {
        here if *here == to[yes] => Some(true),
        here if *here == to[no] => Some(false),
        _ => None,
    };
    let values: Vec<bool> = to.iter().map(side).collect::<Option<_>>()?;
    // Without `!` each way out makes the decision what its condition is. With one, the counts say which way is true; where
    // they do not, the last condition stands under none.
    let plain = values
        .iter()
        .zip(exits)
        .all(|(value, exit)| *value == exit.side);
    if plain {
        return Some(values);
    }
    let counts = |block: BlockId| match then {
        Some(Counter::Counter(counter)) => has_counter(flow, block, counter),
        _ => false,
    };
    let turned = counts(to[no]) && !counts(to[yes]);
    Some(values.into_iter().map(|value| value != turned).collect())
}

/// The count of the region behind a decision: what runs when it is true. `region` is its last condition.
pub(super) fn then_count(
    record: &FunctionCoverage,
    region: u32,
    end: (u32, u32),
) -> Option<Counter> {
    let file = record.regions[region as usize].file;
    let behind = record.regions.iter().filter(|other| {
        other.file == file
            && other.kind == RegionKind::Gap
            && (other.range.line, other.range.col) >= end
    });
    behind
        .min_by_key(|other| (other.range.line, other.range.col))
        .map(|other| other.count)
}

/// Where a way out leads, the block that only counts the condition's outcome left out.
fn destination(
    program: &Program,
    flow: &Flow<'_>,
    exit: &Exit,
    condition: &Region,
) -> Option<BlockId> {
    let target = program.edges[exit.edge].target?;
    let count = if exit.side {
        Some(condition.count)
    } else {
        condition.false_count()
    };
    let Some(Counter::Counter(own)) = count else {
        return Some(target);
    };
    let only_counts = |(_, inst): (ValueId, &crate::inst::Inst)| matches!(inst.op, Op::Count { counter, .. } if counter == own);
    let block = &flow.body.blocks[target];
    let passes = flow.predecessors(target).len() == 1
        && !block.insts.is_empty()
        && flow.body.insts(target).all(only_counts);
    match block.terminator {
        Terminator::Br { target: next } if passes => Some(next),
        _ => Some(target),
    }
}

fn has_counter(flow: &Flow<'_>, block: BlockId, wanted: u32) -> bool {
    flow.body
        .insts(block)
        .any(|(_, inst)| matches!(inst.op, Op::Count { counter, .. } if counter == wanted))
}

/// Values of the first phi that tells the last condition's sides apart, in the first block that all ways out come to.
fn as_value(
    program: &Program,
    flow: &Flow<'_>,
    exits: &[Exit],
    (no, yes): (usize, usize),
) -> Option<Vec<bool>> {
    let walks: Vec<Walk> = exits
        .iter()
        .map(|exit| Walk::from(program, flow, exit))
        .collect();
    for block in &walks[yes].blocks {
        if !walks.iter().all(|walk| walk.blocks.contains(block)) {
            continue;
        }
        for (value, inst) in flow.body.insts(*block) {
            if !matches!(inst.op, Op::Phi { .. }) {
                break;
            }
            let values: Option<Vec<bool>> = walks
                .iter()
                .map(|walk| walk.known.get(&value).copied())
                .collect();
            if let Some(values) = values
                && values[no] != values[yes]
            {
                return Some(values);
            }
        }
    }
    None
}

/// The blocks behind a way out as far as there is only one way on, and the truth values known there.
struct Walk {
    blocks: Vec<BlockId>,
    known: BTreeMap<ValueId, bool>,
}

impl Walk {
    fn from(program: &Program, flow: &Flow<'_>, exit: &Exit) -> Walk {
        const LONGEST: usize = 64;
        let mut walk = Walk {
            blocks: Vec::new(),
            known: BTreeMap::new(),
        };
        let edge = &program.edges[exit.edge];
        let mut before = program.sites[edge.site].block;
        if let Terminator::CondBr { cond, .. } = &flow.body.blocks[before].terminator
            && let Some(value) = cond.value()
        {
            walk.known.insert(value, edge.side == 1);
        }
        let mut next = edge.target;
        while let Some(block) = next
            && walk.blocks.len() < LONGEST
        {
            walk.enter(flow, before, block);
            before = block;
            next = match flow.body.blocks[block].terminator {
                Terminator::Br { target } => Some(target),
                _ => None,
            };
        }
        walk
    }

    fn enter(&mut self, flow: &Flow<'_>, before: BlockId, block: BlockId) {
        self.blocks.push(block);
        for (value, inst) in flow.body.insts(block) {
            if flow.body.values[value].ty != Type::Int(1) {
                continue;
            }
            let known = match &inst.op {
                Op::Phi { incoming } => incoming
                    .iter()
                    .find(|(from, _)| *from == before)
                    .and_then(|(_, operand)| self.value(operand)),
                Op::Bin {
                    op: BinOp::Xor,
                    lhs,
                    rhs,
                } => self
                    .value(lhs)
                    .zip(self.value(rhs))
                    .map(|(lhs, rhs)| lhs != rhs),
                _ => None,
            };
            if let Some(known) = known {
                self.known.insert(value, known);
            }
        }
    }

    fn value(&self, operand: &Operand) -> Option<bool> {
        match operand {
            Operand::Value(value) => self.known.get(value).copied(),
            Operand::Const(Const::Int { bits: 1, value }) => Some(*value == 1),
            Operand::Const(_) => None,
        }
    }
}
