//! Where control comes from: the ways into each block, and which edges every path to a block takes.

use program::cfg::Cfg;
use program::dom::Dominators;
use program::{BlockId, EdgeId, FuncId, Function, Program};

/// A way into a block.
#[derive(Clone, Copy, Debug)]
pub struct Way {
    pub from: BlockId,
    /// `None`: nothing is decided there.
    pub edge: Option<EdgeId>,
}

/// Most blocks that [`Places::before`] lists.
const FAR: usize = 24;
/// Most blocks of a path, and most paths, of [`Places::between`].
const LONG: usize = 12;
const MANY: usize = 8;

/// A path from one block to another.
#[derive(Clone, Debug)]
pub struct Path {
    /// From each block but the last to the next.
    pub ways: Vec<Way>,
    pub blocks: Vec<BlockId>,
}

/// The ways out of a block: the edge, if something is decided, and the block behind it.
pub fn ways_out(
    program: &Program,
    function: &Function,
    block: BlockId,
) -> Vec<(Option<EdgeId>, BlockId)> {
    let terminator = &function.blocks[block].terminator;
    let ways = terminator.successors();
    match terminator.site() {
        Some(site) => program.edges_of(site).map(Some).zip(ways).collect(),
        None => ways.map(|to| (None, to)).collect(),
    }
}

/// The ways into each block of one function, and the edges that every path to a block takes.
pub struct Places {
    cfg: Cfg,
    dominators: Dominators,
    /// For each block.
    ways: Vec<Vec<Way>>,
}

impl Places {
    pub fn new(program: &Program, function: FuncId) -> Places {
        let body = &program.functions[function];
        let cfg = Cfg::new(body);
        let mut ways = vec![Vec::new(); body.blocks.len()];
        for from in body.blocks.keys().filter(|&block| cfg.is_reachable(block)) {
            for (edge, to) in ways_out(program, body, from) {
                ways[to.index()].push(Way { from, edge });
            }
        }
        Places {
            dominators: Dominators::new(&cfg),
            cfg,
            ways,
        }
    }

    /// Blocks that can be reached, if every edge can be taken.
    pub fn blocks(&self) -> impl Iterator<Item = BlockId> + '_ {
        self.cfg
            .blocks()
            .filter(|&block| self.cfg.is_reachable(block))
    }

    /// The one way into a block, if there is no other.
    pub fn only_way(&self, block: BlockId) -> Option<Way> {
        match self.ways[block.index()].as_slice() {
            [way] => Some(*way),
            _ => None,
        }
    }

    /// The blocks that every path to a block passes, itself included, the nearest last; of many, the nearest.
    pub fn before(&self, block: BlockId) -> Vec<BlockId> {
        let next = |at: &BlockId| self.dominators.idom(*at);
        let chain = std::iter::successors(Some(block), next);
        let mut chain: Vec<BlockId> = chain.take(FAR).collect();
        chain.reverse();
        chain
    }

    /// The ways from a block that every path to `to` passes to `to`, if they are few and no loop is among them. Where a loop leads
    /// back to `to`, the ways that come from behind it do not count: before them it was entered by the others.
    pub fn between(&self, from: BlockId, to: BlockId) -> Option<Vec<Path>> {
        let mut paths = Vec::new();
        let mut work = vec![vec![to]];
        // Paths are followed backwards, with the edges that were taken.
        let mut taken: Vec<Vec<Way>> = vec![Vec::new()];
        while let (Some(blocks), Some(edges)) = (work.pop(), taken.pop()) {
            let at = *blocks.last()?;
            if at == from && blocks.len() > 1 {
                paths.push(Path {
                    ways: edges.into_iter().rev().collect(),
                    blocks: blocks.into_iter().rev().collect(),
                });
                continue;
            }
            for &way in &self.ways[at.index()] {
                if at == to && self.dominators.dominates(to, way.from) {
                    continue;
                }
                if blocks.contains(&way.from) || blocks.len() > LONG || work.len() > MANY {
                    return None;
                }
                work.push([blocks.as_slice(), &[way.from]].concat());
                taken.push([edges.as_slice(), &[way]].concat());
            }
        }
        (paths.len() <= MANY).then_some(paths)
    }

    /// Does a loop lead back to a block?
    pub fn is_loop(&self, block: BlockId) -> bool {
        let mut ways = self.ways[block.index()].iter();
        ways.any(|way| self.dominators.dominates(block, way.from))
    }
}
