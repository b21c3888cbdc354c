//! Which edges and counters of a function always run equally often: a random circulation.
//!
//! Whatever a complete run of a function does, as many edges enter a block as leave it. Every such *circulation* is a
//! combination of cycles of the control flow graph, closed by an edge from the end to the entry. Here every edge gets
//! the flow of one random circulation, in arithmetic modulo 2^64. A linear relation between counts ("this counter minus
//! that one is how often this edge is taken") that holds for all runs holds for these numbers, and one that does not
//! holds for them with probability 2^-60: so counts are compared by comparing numbers.
//!
//! Invariants: deterministic (the random numbers depend on the function's shape alone); edges that cannot be reached
//! from the entry have flow 0; a block from which no end can be reached has an edge to the end as well.

use crate::function::Function;
use crate::id::{BlockId, EdgeId, SiteId};
use crate::inst::SiteKind;
use crate::inst::{Op, Terminator};
use crate::model::Program;

/// The random circulation of one function.
#[derive(Clone, Debug)]
pub struct FlowHash {
    /// Flow through each block; 0 for blocks that cannot be reached.
    blocks: Vec<u64>,
    /// Flow of the edges of branch, switch and select sites.
    edges: Vec<(EdgeId, u64)>,
    /// Sum of the flows where each profile counter is incremented; `None` where nothing reachable does.
    counters: Vec<Option<u64>>,
}

/// An edge of the graph that is made circular: block number, block number, edge of a site.
struct Arc {
    from: usize,
    to: usize,
    edge: Option<EdgeId>,
    /// From the end back to the entry.
    is_return: bool,
}

impl FlowHash {
    /// Computes it. With `traps` false, runs that end in `unreachable` are not looked at.
    #[must_use]
    pub fn new(program: &Program, function: &Function, traps: bool) -> FlowHash {
        let arcs = arcs(program, function, traps);
        let flows = circulate(function.blocks.len() + 1, &arcs);
        let mut blocks = vec![0_u64; function.blocks.len()];
        let mut edges = Vec::new();
        for (arc, &flow) in arcs.iter().zip(&flows) {
            if let Some(block) = blocks.get_mut(arc.to) {
                *block = block.wrapping_add(flow);
            }
            edges.extend(arc.edge.map(|edge| (edge, flow)));
        }
        let mut hash = FlowHash {
            blocks,
            edges,
            counters: Vec::new(),
        };
        hash.count(program, function);
        hash.edges.sort_unstable_by_key(|&(edge, _)| edge);
        hash
    }

    /// Flow of an edge; 0 for edges that cannot be taken, and for probes.
    #[must_use]
    pub fn edge(&self, edge: EdgeId) -> u64 {
        self.edges
            .binary_search_by_key(&edge, |&(edge, _)| edge)
            .map_or(0, |index| self.edges[index].1)
    }

    /// Flow through a block.
    #[must_use]
    pub fn block(&self, block: BlockId) -> u64 {
        self.blocks.get(block.index()).copied().unwrap_or(0)
    }

    /// Flow into the function.
    #[must_use]
    pub fn entry(&self) -> u64 {
        self.blocks.first().copied().unwrap_or(0)
    }

    /// Flow at a profile counter; `None` when nothing that can be reached increments it.
    #[must_use]
    pub fn counter(&self, counter: u32) -> Option<u64> {
        self.counters.get(counter as usize).copied().flatten()
    }

    /// Counters, and the edges of select sites: each is a fork of its own in the middle of a block.
    fn count(&mut self, program: &Program, function: &Function) {
        let reachable = reachable(function);
        for block in function.blocks.keys() {
            if !reachable[block.index()] {
                continue;
            }
            for (_, inst) in function.insts(block) {
                let Op::Count { counter, site, .. } = inst.op else {
                    continue;
                };
                let flow = self.flow_at(program, block, site);
                let index = counter as usize;
                if self.counters.len() <= index {
                    self.counters.resize(index + 1, None);
                }
                self.counters[index] = Some(self.counters[index].unwrap_or(0).wrapping_add(flow));
            }
        }
    }

    fn flow_at(&mut self, program: &Program, block: BlockId, site: Option<SiteId>) -> u64 {
        let flow = self.blocks[block.index()];
        let select = site.filter(|&site| program.sites[site].kind == SiteKind::Select);
        let Some(site) = select else { return flow };
        let first = program.sites[site].first_edge;
        let taken = random(0x5e1e_c700_0000_0000 | u64::from(site.as_u32()));
        self.edges.push((first, flow.wrapping_sub(taken)));
        self.edges.push((first.plus(1), taken));
        taken
    }
}

/// Blocks that can be reached from the entry.
fn reachable(function: &Function) -> Vec<bool> {
    let mut seen = vec![false; function.blocks.len()];
    let mut work: Vec<BlockId> = function.blocks.keys().take(1).collect();
    while let Some(block) = work.pop() {
        if !std::mem::replace(&mut seen[block.index()], true) {
            work.extend(function.blocks[block].terminator.successors());
        }
    }
    seen
}

/// The arcs between blocks that can be reached, from ends to the node behind the last block, and from there to the entry.
fn arcs(program: &Program, function: &Function, traps: bool) -> Vec<Arc> {
    let end = function.blocks.len();
    let reachable = reachable(function);
    let mut arcs = Vec::new();
    if end > 0 {
        arcs.push(Arc {
            from: end,
            to: 0,
            edge: None,
            is_return: true,
        });
    }
    for (block, data) in function.blocks.iter() {
        if !reachable[block.index()] {
            continue;
        }
        let from = block.index();
        let site = data.terminator.site();
        for (side, target) in data.terminator.successors().enumerate() {
            let edge = site.map(|site| program.sites[site].first_edge.plus(side as u32));
            arcs.push(Arc {
                from,
                to: target.index(),
                edge,
                is_return: false,
            });
        }
        match data.terminator {
            Terminator::Ret { .. } => arcs.push(Arc {
                from,
                to: end,
                edge: None,
                is_return: false,
            }),
            Terminator::Unreachable if traps => arcs.push(Arc {
                from,
                to: end,
                edge: None,
                is_return: false,
            }),
            _ => {}
        }
    }
    close(end, &mut arcs, &reachable);
    if !traps {
        keep_complete(end, &mut arcs, function);
    }
    arcs
}

/// Gives blocks without a way to the end one: the first block of each group gets an arc.
fn close(end: usize, arcs: &mut Vec<Arc>, reachable: &[bool]) {
    loop {
        let finite = reaching(end, end + 1, arcs);
        let Some(stuck) = (0..end).find(|&block| reachable[block] && !finite[block]) else {
            return;
        };
        let bottom = bottom(stuck, end, arcs);
        arcs.push(Arc {
            from: bottom,
            to: end,
            edge: None,
            is_return: false,
        });
    }
}

/// The first block of a group that `start` leads to, that is strongly connected, and that nothing leaves.
fn bottom(start: usize, end: usize, arcs: &[Arc]) -> usize {
    let mut at = start;
    loop {
        let group = reached_from(at, end, arcs);
        let back = reaching(at, end + 1, arcs);
        match group.iter().rev().find(|&&block| !back[block]) {
            Some(&further) => at = further,
            None => return group.into_iter().min().unwrap_or(at),
        }
    }
}

/// Drops blocks that end in `unreachable` and what only leads there.
fn keep_complete(end: usize, arcs: &mut Vec<Arc>, function: &Function) {
    let finite = reaching(end, end + 1, arcs);
    let keep = |node: usize| node == end || node < function.blocks.len() && finite[node];
    arcs.retain(|arc| keep(arc.from) && keep(arc.to));
}

/// Nodes from which `goal` can be reached; the arc from the end to the entry does not count.
fn reaching(goal: usize, nodes: usize, arcs: &[Arc]) -> Vec<bool> {
    let mut into = vec![Vec::new(); nodes];
    for arc in arcs.iter().filter(|arc| !arc.is_return) {
        into[arc.to].push(arc.from);
    }
    let mut seen = vec![false; nodes];
    let mut work = vec![goal];
    while let Some(node) = work.pop() {
        if !std::mem::replace(&mut seen[node], true) {
            work.extend(&into[node]);
        }
    }
    seen
}

/// Nodes that can be reached from a block, without passing the end.
fn reached_from(start: usize, end: usize, arcs: &[Arc]) -> Vec<usize> {
    let mut out = vec![Vec::new(); end + 1];
    for arc in arcs.iter().filter(|arc| !arc.is_return) {
        out[arc.from].push(arc.to);
    }
    let mut seen = vec![false; end + 1];
    let mut order = Vec::new();
    let mut work = vec![start];
    while let Some(node) = work.pop() {
        if !std::mem::replace(&mut seen[node], true) {
            order.push(node);
            work.extend(&out[node]);
        }
    }
    order
}

/// Flow of each arc: random outside a spanning tree, on the tree what the balance of the nodes asks for.
fn circulate(nodes: usize, arcs: &[Arc]) -> Vec<u64> {
    let mut at = vec![Vec::new(); nodes];
    for (index, arc) in arcs.iter().enumerate() {
        at[arc.from].push(index);
        at[arc.to].push(index);
    }
    let mut order = Vec::with_capacity(nodes);
    let mut parent: Vec<Option<usize>> = vec![None; nodes];
    let mut seen = vec![false; nodes];
    for root in (0..nodes).rev() {
        if std::mem::replace(&mut seen[root], true) {
            continue;
        }
        let mut next = order.len();
        order.push(root);
        while let Some(&node) = order.get(next) {
            next += 1;
            for &index in &at[node] {
                let other = if arcs[index].from == node {
                    arcs[index].to
                } else {
                    arcs[index].from
                };
                if !std::mem::replace(&mut seen[other], true) {
                    parent[other] = Some(index);
                    order.push(other);
                }
            }
        }
    }
    let mut flows: Vec<u64> = (0..arcs.len() as u64).map(random).collect();
    for &index in parent.iter().flatten() {
        flows[index] = 0;
    }
    let mut surplus = vec![0_u64; nodes];
    for (arc, &flow) in arcs.iter().zip(&flows) {
        surplus[arc.to] = surplus[arc.to].wrapping_add(flow);
        surplus[arc.from] = surplus[arc.from].wrapping_sub(flow);
    }
    for &node in order.iter().rev() {
        let Some(index) = parent[node] else { continue };
        let arc = &arcs[index];
        let flow = if arc.from == node {
            surplus[node]
        } else {
            surplus[node].wrapping_neg()
        };
        flows[index] = flow;
        surplus[arc.to] = surplus[arc.to].wrapping_add(flow);
        surplus[arc.from] = surplus[arc.from].wrapping_sub(flow);
    }
    flows
}

/// A number that looks random (SplitMix64).
fn random(seed: u64) -> u64 {
    let mut value = seed.wrapping_add(1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    value = (value ^ (value >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    value = (value ^ (value >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    value ^ (value >> 31)
}
