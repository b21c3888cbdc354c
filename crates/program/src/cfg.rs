//! The control-flow graph of one function: blocks and their successors.

use crate::function::Function;
use crate::graph::{Graph, nodes};
use crate::id::BlockId;

/// Successors and predecessors of each block.
///
/// A block that several edges lead to (both sides of a branch, several cases) is listed several times.
#[derive(Clone, Debug)]
pub struct Cfg {
    pub(crate) forward: Graph,
    pub(crate) backward: Graph,
    postorder: Vec<BlockId>,
    reachable: Vec<bool>,
}

impl Cfg {
    /// The graph of a function. A function without blocks has an empty one.
    #[must_use]
    pub fn new(function: &Function) -> Cfg {
        let edges: Vec<_> = function
            .blocks
            .iter()
            .flat_map(|(from, block)| {
                block
                    .terminator
                    .successors()
                    .map(move |to| (from.as_u32(), to.as_u32()))
            })
            .collect();
        let forward = Graph::new(function.blocks.len(), &edges);
        let mut reachable = vec![false; forward.len()];
        let mut postorder = Vec::new();
        if !reachable.is_empty() {
            postorder = forward
                .postorder(0)
                .into_iter()
                .map(BlockId::from_u32)
                .collect();
        }
        for block in &postorder {
            reachable[block.index()] = true;
        }
        let backward = forward.reversed();
        Cfg {
            forward,
            backward,
            postorder,
            reachable,
        }
    }

    /// All blocks.
    pub fn blocks(&self) -> impl DoubleEndedIterator<Item = BlockId> + ExactSizeIterator + use<> {
        nodes(self.forward.len()).map(BlockId::from_u32)
    }

    /// The blocks that may run next, in edge order.
    pub fn successors(
        &self,
        block: BlockId,
    ) -> impl DoubleEndedIterator<Item = BlockId> + ExactSizeIterator + '_ {
        self.forward
            .successors(block.as_u32())
            .iter()
            .map(|&next| BlockId::from_u32(next))
    }

    /// The blocks that may have run before.
    pub fn predecessors(
        &self,
        block: BlockId,
    ) -> impl DoubleEndedIterator<Item = BlockId> + ExactSizeIterator + '_ {
        self.backward
            .successors(block.as_u32())
            .iter()
            .map(|&from| BlockId::from_u32(from))
    }

    /// Whether a path leads from the entry to the block.
    #[must_use]
    pub fn is_reachable(&self, block: BlockId) -> bool {
        self.reachable[block.index()]
    }

    /// Reachable blocks, each before its successors but for loops.
    pub fn reverse_postorder(
        &self,
    ) -> impl DoubleEndedIterator<Item = BlockId> + ExactSizeIterator + '_ {
        self.postorder.iter().rev().copied()
    }

    /// Edges that lead back to a block that dominates their source would be loops in a reducible graph; this gives
    /// the sources and targets of all edges that go backwards in the reverse postorder.
    pub fn back_edges(&self) -> impl Iterator<Item = (BlockId, BlockId)> + '_ {
        let mut position = vec![usize::MAX; self.forward.len()];
        for (index, block) in self.reverse_postorder().enumerate() {
            position[block.index()] = index;
        }
        self.reverse_postorder().flat_map(move |from| {
            let here = position[from.index()];
            let back: Vec<_> = self
                .successors(from)
                .filter(|to| position[to.index()] <= here)
                .collect();
            back.into_iter().map(move |to| (from, to))
        })
    }
}
