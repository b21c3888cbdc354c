//! Dominators and post-dominators of blocks, and dominators of edges.
//!
//! All queries take constant time.

use crate::cfg::Cfg;
use crate::entity::SecondaryMap;
use crate::flow::{FlowGraph, Node, NodeId, edge_nodes};
use crate::function::Function;
use crate::graph::{DomTree, Graph};
use crate::id::{BlockId, EdgeId, FuncId};
use crate::model::Program;

/// Which blocks every path from the entry to a block passes.
#[derive(Clone, Debug)]
pub struct Dominators {
    /// `None` for a function without blocks.
    tree: Option<DomTree>,
}

impl Dominators {
    #[must_use]
    pub fn new(cfg: &Cfg) -> Dominators {
        let tree =
            (cfg.forward.len() > 0).then(|| DomTree::new(&cfg.forward, Function::ENTRY.as_u32()));
        Dominators { tree }
    }

    /// The nearest block, other than itself, that dominates the block. `None` for the entry and unreachable blocks.
    #[must_use]
    pub fn idom(&self, block: BlockId) -> Option<BlockId> {
        self.tree
            .as_ref()?
            .idom(block.as_u32())
            .map(BlockId::from_u32)
    }

    /// Whether every path from the entry to `below` passes `above`; a block dominates itself. False when one of them
    /// is unreachable.
    #[must_use]
    pub fn dominates(&self, above: BlockId, below: BlockId) -> bool {
        self.tree
            .as_ref()
            .is_some_and(|tree| tree.dominates(above.as_u32(), below.as_u32()))
    }
}

/// Which blocks every path from a block to the end of the function passes.
///
/// Ends are `ret`, `unreachable` and other blocks without successors. Where nothing but an endless loop follows, one
/// block of that loop counts as an end too: the one deepest in the depth-first walk from the entry.
#[derive(Clone, Debug)]
pub struct PostDominators {
    tree: DomTree,
    /// Number of the virtual node behind all ends.
    exit: u32,
}

impl PostDominators {
    #[must_use]
    pub fn new(cfg: &Cfg) -> PostDominators {
        let count = cfg.forward.len();
        let exit = u32::try_from(count).expect("fewer than 2^32 blocks");
        let mut ends = vec![false; count];
        for block in cfg
            .blocks()
            .filter(|&block| cfg.successors(block).len() == 0)
        {
            cfg.backward.mark(block.as_u32(), &mut ends);
        }
        let mut edges: Vec<_> = cfg.backward.edges().collect();
        edges.extend(
            cfg.blocks()
                .filter(|&block| cfg.successors(block).len() == 0)
                .map(|block| (exit, block.as_u32())),
        );
        let unreachable = cfg.blocks().filter(|&block| !cfg.is_reachable(block));
        for block in cfg.reverse_postorder().rev().chain(unreachable) {
            if !ends[block.index()] {
                edges.push((exit, block.as_u32()));
                cfg.backward.mark(block.as_u32(), &mut ends);
            }
        }
        PostDominators {
            tree: DomTree::new(&Graph::new(count + 1, &edges), exit),
            exit,
        }
    }

    /// The nearest block, other than itself, that post-dominates the block; `None` if that is only the end itself.
    #[must_use]
    pub fn ipdom(&self, block: BlockId) -> Option<BlockId> {
        self.tree
            .idom(block.as_u32())
            .filter(|&node| node != self.exit)
            .map(BlockId::from_u32)
    }

    /// Whether every path from `before` to the end passes `after`; a block post-dominates itself.
    #[must_use]
    pub fn dominates(&self, after: BlockId, before: BlockId) -> bool {
        self.tree.dominates(after.as_u32(), before.as_u32())
    }
}

/// Which edges every path from a function's entry to an edge takes.
#[derive(Clone, Debug)]
pub struct EdgeDominators {
    /// For each edge that can be reached in its function: place in the function's dominator tree.
    places: SecondaryMap<EdgeId, Option<Place>>,
}

#[derive(Clone, Copy, Debug)]
struct Place {
    function: FuncId,
    first: u32,
    end: u32,
    /// The nearest other edge that dominates it.
    above: Option<EdgeId>,
}

/// The edge dominators of every function.
#[must_use]
pub fn edge_dominators(program: &Program) -> EdgeDominators {
    let mut places = SecondaryMap::for_map(&program.edges, None);
    for function in program.functions.keys() {
        let flow = FlowGraph::new(program, function);
        if flow.nodes.is_empty() {
            continue;
        }
        let tree = DomTree::new(&flow.forward, 0);
        let mut above: SecondaryMap<NodeId, Option<EdgeId>> =
            SecondaryMap::for_map(&flow.nodes, None);
        let mut by_depth: Vec<_> = flow
            .nodes
            .keys()
            .filter_map(|node| Some((tree.span(node.as_u32())?, node)))
            .collect();
        by_depth.sort_unstable();
        for (_, node) in by_depth {
            let Some(idom) = tree.idom(node.as_u32()).map(NodeId::from_u32) else {
                continue;
            };
            above[node] = match flow.nodes[idom] {
                Node::Edge(edge) => Some(edge),
                Node::Part { .. } => above[idom],
            };
        }
        for (edge, node) in edge_nodes(&flow.nodes) {
            places[edge] = tree.span(node.as_u32()).map(|(first, end)| Place {
                function,
                first,
                end,
                above: above[node],
            });
        }
    }
    EdgeDominators { places }
}

impl EdgeDominators {
    /// Whether every path from the function's entry to edge `y` takes edge `x`; an edge dominates itself. False for
    /// edges of different functions, and when one of them is unreachable in its function.
    #[must_use]
    pub fn dominates(&self, x: EdgeId, y: EdgeId) -> bool {
        match (self.places[x], self.places[y]) {
            (Some(x), Some(y)) => x.function == y.function && x.first <= y.first && y.first < x.end,
            _ => x == y,
        }
    }

    /// The nearest other edge that dominates this one.
    #[must_use]
    pub fn idom(&self, edge: EdgeId) -> Option<EdgeId> {
        self.places[edge]?.above
    }
}
