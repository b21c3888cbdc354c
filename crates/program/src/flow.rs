//! The flow graph of one function at the grain of paths: its edges are nodes of their own, and blocks are cut where
//! something can happen in the middle of them (a call, a probe, a conditional expression).
//!
//! Invariants:
//! - every edge of every site of the function is exactly one node;
//! - the parts of a block are in order; the first starts where the block starts;
//! - a part that ends in a call has one successor, the part behind it.

use crate::entity::PrimaryMap;
use crate::graph::{Graph, nodes};
use crate::id::{BlockId, EdgeId, FuncId, ValueId};
use crate::inst::{Op, Terminator};
use crate::model::Program;

crate::entity!(
    /// A node of a [`FlowGraph`] or of the ICFG.
    NodeId, "node"
);

/// What a node stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Node {
    /// Instructions of a block from number `first` on, up to the next cut.
    Part {
        function: FuncId,
        block: BlockId,
        first: u32,
        /// The call that ends it.
        call: Option<ValueId>,
    },
    /// One side of a site.
    Edge(EdgeId),
}

/// The graph of one function. Node 0 is the entry.
#[derive(Clone, Debug)]
pub struct FlowGraph {
    pub nodes: PrimaryMap<NodeId, Node>,
    pub(crate) forward: Graph,
    /// First part of each block.
    blocks: PrimaryMap<BlockId, NodeId>,
}

impl FlowGraph {
    /// The graph of a function of a verified program.
    #[must_use]
    pub fn new(program: &Program, function: FuncId) -> FlowGraph {
        let mut builder = Builder {
            program,
            function,
            nodes: PrimaryMap::new(),
            edges: Vec::new(),
        };
        let body = &program.functions[function];
        let mut blocks = PrimaryMap::new();
        let mut last = Vec::new();
        for block in body.blocks.keys() {
            let (first, end) = builder.block(block);
            blocks.push(first);
            last.push(end);
        }
        for (block, data) in body.blocks.iter() {
            builder.terminator(last[block.index()], &data.terminator, &blocks);
        }
        let forward = Graph::new(builder.nodes.len(), &builder.edges);
        FlowGraph {
            nodes: builder.nodes,
            forward,
            blocks,
        }
    }

    /// The node where a block starts.
    #[must_use]
    pub fn start_of(&self, block: BlockId) -> NodeId {
        self.blocks[block]
    }

    /// Where the function can be left by no `ret`, if every call returns: one node of each such end or endless loop.
    #[must_use]
    pub fn dead_ends(&self, program: &Program, function: FuncId) -> Vec<NodeId> {
        let (component, count) = self.forward.components();
        let mut leaves = vec![false; count as usize];
        let mut member = vec![None; count as usize];
        for node in nodes(self.nodes.len()).rev() {
            let own = component[node as usize];
            let mut next = self.forward.successors(node).iter();
            let returns = match self.nodes[NodeId::from_u32(node)] {
                Node::Part { block, .. } if next.len() == 0 => {
                    let terminator = &program.functions[function].blocks[block].terminator;
                    matches!(terminator, Terminator::Ret { .. })
                }
                _ => false,
            };
            let goes_on = returns || next.any(|&next| component[next as usize] != own);
            leaves[own as usize] |= goes_on;
            member[own as usize] = Some(NodeId::from_u32(node));
        }
        let ends = member.into_iter().zip(leaves);
        ends.filter(|(_, leaves)| !leaves)
            .filter_map(|(member, _)| member)
            .collect()
    }

    /// The nodes that may come next.
    pub fn successors(
        &self,
        node: NodeId,
    ) -> impl DoubleEndedIterator<Item = NodeId> + ExactSizeIterator + '_ {
        self.forward
            .successors(node.as_u32())
            .iter()
            .map(|&next| NodeId::from_u32(next))
    }
}

struct Builder<'a> {
    program: &'a Program,
    function: FuncId,
    nodes: PrimaryMap<NodeId, Node>,
    edges: Vec<(u32, u32)>,
}

impl Builder<'_> {
    /// Cuts a block into parts; returns the first and the last.
    fn block(&mut self, block: BlockId) -> (NodeId, NodeId) {
        let function = self.function;
        let part = |first: usize| Node::Part {
            function,
            block,
            first: u32::try_from(first).expect("fewer than 2^32 instructions"),
            call: None,
        };
        let start = self.nodes.push(part(0));
        let mut current = start;
        for (index, (value, inst)) in self.program.functions[function].insts(block).enumerate() {
            if let Some(site) = inst.op.site() {
                let next = self.nodes.push(part(index + 1));
                for edge in self.program.edges_of(site) {
                    let node = self.nodes.push(Node::Edge(edge));
                    self.connect(current, node);
                    self.connect(node, next);
                }
                current = next;
            } else if matches!(inst.op, Op::Call { .. }) {
                if let Node::Part { call, .. } = &mut self.nodes[current] {
                    *call = Some(value);
                }
                let next = self.nodes.push(part(index + 1));
                self.connect(current, next);
                current = next;
            }
        }
        (start, current)
    }

    fn terminator(
        &mut self,
        from: NodeId,
        terminator: &Terminator,
        blocks: &PrimaryMap<BlockId, NodeId>,
    ) {
        let Some(site) = terminator.site() else {
            for target in terminator.successors() {
                self.connect(from, blocks[target]);
            }
            return;
        };
        for (edge, target) in self.program.edges_of(site).zip(terminator.successors()) {
            let node = self.nodes.push(Node::Edge(edge));
            self.connect(from, node);
            self.connect(node, blocks[target]);
        }
    }

    fn connect(&mut self, from: NodeId, to: NodeId) {
        self.edges.push((from.as_u32(), to.as_u32()));
    }
}

/// Node of each edge of a graph, by the edge's number.
pub(crate) fn edge_nodes(
    nodes: &PrimaryMap<NodeId, Node>,
) -> impl Iterator<Item = (EdgeId, NodeId)> + '_ {
    nodes.iter().filter_map(|(id, node)| match node {
        Node::Edge(edge) => Some((*edge, id)),
        Node::Part { .. } => None,
    })
}
