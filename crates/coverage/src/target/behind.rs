//! What tells that control came behind a loop.
//!
//! clang gives the code behind a loop no region of its own: it counts with the code in front. A run that stays in the loop for
//! ever, or ends in a call there, is counted for both. The ways out of the loop tell them apart.
//!
//! Must hold: a run that comes to the block takes one of the ways that are given, and none of them is taken by a run that stays
//! in the loop.

use std::collections::BTreeSet;

use program::cfg::Cfg;
use program::dom::Dominators;
use program::outcome_edges::ConditionOutcomes;
use program::{BlockId, FuncId, Function, Op, Program};

use super::Pick;
use super::place::{goal_at, on_edge};

/// The goals of the ways out of the nearest loops that the first of some blocks of a record's function stand behind, in the same
/// region. `None`: one of them stands behind none, or one of the ways has no goal.
pub(super) fn behind_loops(
    program: &Program,
    outcomes: &ConditionOutcomes,
    (record, function): (u32, FuncId),
    blocks: &BTreeSet<BlockId>,
) -> Option<Vec<Pick>> {
    let cfg = Cfg::new(&program.functions[function]);
    let dominators = Dominators::new(&cfg);
    let is_first = |block: &&BlockId| {
        let mut others = blocks.iter().filter(|other| other != block);
        !others.any(|other| dominators.dominates(*other, **block))
    };
    let behind = Behind {
        program,
        outcomes,
        record,
        function,
        loops: loops(&cfg, &dominators),
        cfg: &cfg,
        dominators: &dominators,
    };
    let ways = blocks
        .iter()
        .filter(is_first)
        .map(|block| behind.ways_to(*block));
    let ways = ways.collect::<Option<Vec<_>>>()?.concat();
    (!ways.is_empty()).then_some(ways)
}

struct Behind<'a> {
    program: &'a Program,
    outcomes: &'a ConditionOutcomes,
    record: u32,
    function: FuncId,
    cfg: &'a Cfg,
    dominators: &'a Dominators,
    loops: Vec<BTreeSet<BlockId>>,
}

impl Behind<'_> {
    fn ways_to(&self, block: BlockId) -> Option<Vec<Pick>> {
        let body = &self.program.functions[self.function];
        if counts(body, block) {
            return None;
        }
        let mut at = block;
        while !counts(body, at) {
            let above = self.dominators.idom(at)?;
            if self.leaves(above, at) {
                let ways = self.cfg.predecessors(at).map(|from| self.way(from, at));
                return ways.collect();
            }
            at = above;
        }
        // Code that is counted and only leaves a loop, such as what ends in `break`.
        let above = self.dominators.idom(at)?;
        let way = (self.leaves(above, at)).then(|| self.goal_at(at))??;
        Some(vec![way])
    }

    /// Does the way from a block to one that it dominates lead out of a loop?
    fn leaves(&self, above: BlockId, at: BlockId) -> bool {
        let leaves = |inside: &BTreeSet<BlockId>| inside.contains(&above) && !inside.contains(&at);
        self.loops.iter().any(leaves)
    }

    /// The goal of coming from one block to another.
    fn way(&self, from: BlockId, to: BlockId) -> Option<Pick> {
        let at = (self.function, from);
        on_edge(self.program, self.outcomes, self.record, at, to).or_else(|| {
            let block = &self.program.functions[self.function].blocks[from];
            let only = block.terminator.successors().count() == 1;
            only.then(|| self.goal_at(from))?
        })
    }

    fn goal_at(&self, block: BlockId) -> Option<Pick> {
        let at = (self.function, block);
        goal_at(self.program, self.outcomes, self.record, at)
    }
}

/// Does a counter grow whenever the block runs?
fn counts(body: &Function, block: BlockId) -> bool {
    let entered = block == Function::ENTRY;
    entered
        || body
            .insts(block)
            .any(|(_, inst)| matches!(inst.op, Op::Count { step: None, .. }))
}

/// The blocks of each loop: those from which the way back to its head needs not leave it.
fn loops(cfg: &Cfg, dominators: &Dominators) -> Vec<BTreeSet<BlockId>> {
    let back = cfg.back_edges();
    let back = back.filter(|(latch, head)| dominators.dominates(*head, *latch));
    back.map(|(latch, head)| {
        let mut inside = BTreeSet::from([head]);
        let mut next = vec![latch];
        while let Some(block) = next.pop() {
            if inside.insert(block) {
                next.extend(cfg.predecessors(block));
            }
        }
        inside
    })
    .collect()
}
