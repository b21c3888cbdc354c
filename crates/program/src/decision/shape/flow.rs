//! The blocks between the conditions of a decision.

use std::collections::BTreeSet;

use crate::function::Function;
use crate::id::BlockId;

/// A function's blocks, with their predecessors.
pub(super) struct Flow<'a> {
    pub(super) body: &'a Function,
    before: Vec<Vec<BlockId>>,
}

impl<'a> Flow<'a> {
    pub(super) fn new(body: &'a Function) -> Flow<'a> {
        let mut before = vec![Vec::new(); body.blocks.len()];
        for (from, block) in body.blocks.iter() {
            for to in block.terminator.successors() {
                before[to.index()].push(from);
            }
        }
        Flow { body, before }
    }

    pub(super) fn predecessors(&self, block: BlockId) -> &[BlockId] {
        &self.before[block.index()]
    }

    /// The blocks from which one of `to` is reached without passing `from`. Every way to them comes from there, so it is
    /// the inside of the decision that is visited, not the function.
    pub(super) fn between(&self, from: BlockId, to: &[BlockId]) -> BTreeSet<BlockId> {
        let mut inside = BTreeSet::new();
        let mut work: Vec<BlockId> = to.to_vec();
        while let Some(block) = work.pop() {
            if block != from && inside.insert(block) {
                work.extend(self.predecessors(block));
            }
        }
        inside
    }

    /// Which of `conditions` is met first from a block, not counting the first of them: `Some(None)` when none is, `None`
    /// when it may be one or another.
    pub(super) fn first_of(
        &self,
        start: BlockId,
        inside: &BTreeSet<BlockId>,
        conditions: &[BlockId],
    ) -> Option<Option<usize>> {
        let mut found = None;
        let mut seen = BTreeSet::new();
        let mut work = vec![start];
        while let Some(block) = work.pop() {
            if !inside.contains(&block) || !seen.insert(block) {
                continue;
            }
            match conditions.iter().position(|condition| *condition == block) {
                Some(at) if found.is_none_or(|found| found == at) => found = Some(at),
                Some(_) => return None,
                None => work.extend(self.body.blocks[block].terminator.successors()),
            }
        }
        Some(found)
    }
}
