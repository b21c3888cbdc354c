//! Dominators and post-dominators of blocks, and dominators of edges.
//!
//! All queries take constant time.

use crate::callgraph::CallGraph;
use crate::cfg::Cfg;
use crate::entity::SecondaryMap;
use crate::flow::{FlowGraph, Node, NodeId, edge_nodes};
use crate::function::Function;
use crate::graph::{DomTree, Graph};
use crate::icfg::{FlowKind, Icfg};
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
    /// `None`: in the tree of the whole program.
    function: Option<FuncId>,
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
                function: Some(function),
                first,
                end,
                above: above[node],
            });
        }
    }
    EdgeDominators { places }
}

/// Dominators over calls: which edges every run that comes to an edge has taken on its way, in the functions that are
/// active then.
///
/// The graph has the calls but not the returns: a way through it is what a stack of active functions can look like. So what
/// dominates in it was taken by every run; edges that every activation of a function takes that has returned already
/// are not told. Ways begin at `main`; where it does not lead, at functions that nobody calls.
#[must_use]
pub fn edge_dominators_across_calls(program: &Program, calls: &CallGraph) -> EdgeDominators {
    let icfg = Icfg::new(program, calls);
    let root = u32::try_from(icfg.nodes().len()).expect("fewer than 2^32 nodes");
    let flows = icfg.flows().filter(|flow| flow.kind != FlowKind::Return);
    let mut pairs: Vec<(u32, u32)> = flows
        .map(|flow| (flow.from.as_u32(), flow.to.as_u32()))
        .collect();
    let graph = Graph::new(icfg.nodes().len() + 1, &pairs);
    let mut seen = vec![false; icfg.nodes().len() + 1];
    let mut called = vec![false; icfg.nodes().len() + 1];
    for flow in icfg.flows().filter(|flow| flow.kind == FlowKind::Call) {
        called[flow.to.index()] = true;
    }
    let main = |function: &FuncId| program.functions[*function].name == "main";
    let first = program.functions.keys().filter(main);
    let uncalled = program.functions.keys().filter(|&function| {
        let entry = icfg.entry(function);
        entry.is_some_and(|entry| !called[entry.index()])
    });
    let roots = first.chain(uncalled).chain(program.functions.keys());
    for entry in roots.filter_map(|function| icfg.entry(function)) {
        if !seen[entry.index()] {
            // What is not reached from the roots before leads nowhere that is.
            pairs.retain(|&(from, to)| !seen[to as usize] || seen[from as usize] || from == root);
            graph.mark(entry.as_u32(), &mut seen);
            pairs.push((root, entry.as_u32()));
        }
    }
    let tree = DomTree::new(&Graph::new(icfg.nodes().len() + 1, &pairs), root);
    let mut places = SecondaryMap::for_map(&program.edges, None);
    for (edge, node) in edge_nodes(icfg.nodes()) {
        places[edge] = tree.span(node.as_u32()).map(|(first, end)| Place {
            function: None,
            first,
            end,
            above: above(&tree, &icfg, node),
        });
    }
    EdgeDominators { places }
}

/// The nearest other edge above a node.
fn above(tree: &DomTree, icfg: &Icfg, node: NodeId) -> Option<EdgeId> {
    let up = |node: &u32| tree.idom(*node);
    let mut above = std::iter::successors(tree.idom(node.as_u32()), up);
    above.find_map(|node| {
        let node = NodeId::from_u32(node);
        match (node.index() < icfg.nodes().len()).then(|| icfg.nodes()[node])? {
            Node::Edge(edge) => Some(edge),
            Node::Part { .. } => None,
        }
    })
}

impl EdgeDominators {
    /// Whether every path from the entry (of the function, or of the program) to edge `y` takes edge `x`; an edge dominates
    /// itself. False for edges of different functions, where each has a tree of its own, and for unreachable ones.
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
