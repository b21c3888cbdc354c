//! Edges that no state of the program takes.
//!
//! Blocks between two joins of the control flow form trees: each block but the root has one way in. A walk through such a tree knows
//! values and memory on each of its paths; before the root, what every path to it has decided.

use std::collections::{BTreeMap, BTreeSet};

use program::flow::{FlowGraph, Node, NodeId};
use program::{BlockId, EdgeId, FuncId, Function, Program};
use smt::Solver;

use proof::vc::{Cause, Closes, Frame, Mark, Places, Walk, entering, ways_out};

use crate::take::{Can, Take as _};

/// Edges of a path behind which the walk begins anew: what is far away matters seldom, and every query looks at the whole path.
const LENGTH: usize = 200;

/// Why something cannot happen: what rules it out, or nothing when it is impossible by itself.
pub type Because = Vec<Cause>;

/// What is impossible in a function, each found by itself; what lies behind it is not listed.
#[derive(Default)]
pub struct Impossible {
    pub edges: BTreeMap<EdgeId, Because>,
    /// Blocks that no way into is possible.
    pub blocks: BTreeMap<BlockId, Because>,
}

impl Impossible {
    pub fn is_empty(&self) -> bool {
        self.edges.is_empty() && self.blocks.is_empty()
    }
}

/// What no state of the program does in a function. `go_on` says whether there is time for more.
pub fn impossible(
    frame: &mut Frame<'_>,
    places: &Places,
    shared: bool,
    solver: &mut Solver,
    go_on: &dyn Fn(&Solver) -> bool,
) -> Impossible {
    let roots = places
        .blocks()
        .filter(|&block| block == Function::ENTRY || places.only_way(block).is_none());
    let roots: Vec<BlockId> = roots.collect();
    let mut found = Impossible::default();
    for root in roots {
        let mut work = vec![root];
        while let Some(root) = work.pop() {
            if !go_on(solver) {
                return found;
            }
            work.extend(tree(frame, places, shared, solver, root, &mut found));
        }
    }
    found
}

/// A way that a walk has yet to go.
struct Ahead {
    mark: Mark,
    from: BlockId,
    edge: Option<EdgeId>,
    to: BlockId,
    length: usize,
}

/// What cannot be entered.
pub enum Closed {
    Edge(EdgeId, Because),
    Block(BlockId, Because),
}

/// Holds what every path to a block has decided; what is closed when that is a contradiction.
pub fn enter(
    walk: &mut Walk<'_, '_>,
    places: &Places,
    solver: &mut Solver,
    block: BlockId,
) -> Option<Closed> {
    for known in entering(walk, places, block) {
        if let Can::Never(because) = walk.take(solver, known.cause, known.condition) {
            return Some(match known.closes {
                Closes::Edge(edge) => Closed::Edge(edge, because),
                Closes::Block(block) => Closed::Block(block, because),
            });
        }
    }
    None
}

/// Walks one tree; returns blocks that are too far down, each the root of another.
fn tree(
    frame: &mut Frame<'_>,
    places: &Places,
    shared: bool,
    solver: &mut Solver,
    root: BlockId,
    found: &mut Impossible,
) -> Vec<BlockId> {
    let (program, function) = (frame.program, frame.function);
    let mut walk = Walk::new(frame, shared);
    match enter(&mut walk, places, solver, root) {
        None => {}
        Some(Closed::Edge(edge, because)) => {
            found.edges.entry(edge).or_insert(because);
            return Vec::new();
        }
        Some(Closed::Block(block, because)) => {
            found.blocks.entry(block).or_insert(because);
            return Vec::new();
        }
    }
    let mut far = Vec::new();
    let mut ahead: Vec<Ahead> = Vec::new();
    let mut next = Some((root, None, 0));
    loop {
        if let Some((block, from, length)) = next.take() {
            walk.block(block, from);
            let mark = walk.mark();
            let ways = ways_out(program, function, block).into_iter();
            ahead.extend(ways.map(|(edge, to)| Ahead {
                mark: mark.clone(),
                from: block,
                edge,
                to,
                length: length + 1,
            }));
        }
        let Some(way) = ahead.pop() else { break };
        walk.back_to(&way.mark);
        if let Some(edge) = way.edge
            && let Some(condition) = walk.condition(way.from, edge)
            && let Can::Never(because) = walk.take(solver, Cause::Edge(edge), condition)
        {
            found.edges.insert(edge, because);
            continue;
        }
        // A join is a root of its own, and so is the entry.
        if places.only_way(way.to).is_none() || way.to == Function::ENTRY {
            continue;
        }
        if way.length > LENGTH {
            far.push(way.to);
            continue;
        }
        next = Some((way.to, Some(way.from), way.length));
    }
    far
}

/// What cannot be reached in a function without these edges.
pub struct Unreached {
    pub edges: BTreeSet<EdgeId>,
    pub nodes: BTreeSet<NodeId>,
}

/// Where control does not come if nothing impossible happens.
pub fn unreached(program: &Program, function: FuncId, impossible: &Impossible) -> Unreached {
    let flow = FlowGraph::new(program, function);
    let mut reached = vec![false; flow.nodes.len()];
    let mut work: Vec<NodeId> = flow.nodes.keys().take(1).collect();
    while let Some(node) = work.pop() {
        let is_dead = match flow.nodes[node] {
            Node::Edge(edge) => impossible.edges.contains_key(&edge),
            Node::Part { block, first, .. } => first == 0 && impossible.blocks.contains_key(&block),
        };
        if is_dead || std::mem::replace(&mut reached[node.index()], true) {
            continue;
        }
        work.extend(flow.successors(node));
    }
    let mut unreached = Unreached {
        edges: BTreeSet::new(),
        nodes: BTreeSet::new(),
    };
    for (node, data) in flow.nodes.iter().filter(|(node, _)| !reached[node.index()]) {
        unreached.nodes.insert(node);
        if let Node::Edge(edge) = data {
            unreached.edges.insert(*edge);
        }
    }
    unreached
}
