//! The blocks of the generalised control-flow graph: the sides of branches with what follows up to the next one, calls and returns.
//!
//! Must hold: from the begin of a block to its end there is one way; where it goes on, other blocks begin.

use std::collections::{BTreeMap, BTreeSet};

use program::{BlockId, EdgeId, FuncId, Function, Op, Program, Target, Terminator, ValueId};

use crate::facts::Facts;
use crate::state::Place;

/// A block of the graph (the boxes of the paper's figures).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Block {
    /// A function, from its entry on.
    Entry(FuncId),
    /// A side of a branch.
    Side(EdgeId),
    /// A call of functions of the program is made.
    Call(FuncId, ValueId),
    /// It has come back.
    Return(FuncId, ValueId),
    /// A function returns.
    Exit(FuncId, BlockId),
}

/// The one way through a block of the graph.
#[derive(Clone, Debug)]
pub(super) struct Stretch {
    /// The blocks of the program on the way.
    pub blocks: Vec<BlockId>,
    /// The number of the first instruction in the first of them.
    pub first: usize,
    /// In front of what ends it; `None`: nothing ends it.
    pub end: Option<Place>,
}

/// All blocks of a program.
pub(super) struct Blocks {
    stretches: BTreeMap<Block, Stretch>,
    /// The blocks that end in front of a place.
    ending: BTreeMap<Place, Vec<Block>>,
    /// The blocks that come before one.
    before: BTreeMap<Block, BTreeSet<Block>>,
    after: BTreeMap<Block, BTreeSet<Block>>,
}

impl Blocks {
    pub(super) fn new(facts: &Facts<'_>) -> Blocks {
        let program = facts.program;
        let mut blocks = Blocks {
            stretches: BTreeMap::new(),
            ending: BTreeMap::new(),
            before: BTreeMap::new(),
            after: BTreeMap::new(),
        };
        let own = program.functions.iter();
        for (id, function) in own.filter(|(_, function)| is_own(function)) {
            blocks.add_function(facts, id, function);
        }
        let all: Vec<Block> = blocks.stretches.keys().copied().collect();
        for block in all {
            for next in blocks.behind(facts, block) {
                blocks.before.entry(next).or_default().insert(block);
                blocks.after.entry(block).or_default().insert(next);
            }
        }
        blocks
    }

    fn add_function(&mut self, facts: &Facts<'_>, id: FuncId, function: &Function) {
        let program = facts.program;
        self.add(facts, Block::Entry(id), (Function::ENTRY, 0));
        for (at, data) in function.blocks.iter() {
            if let Some(site) = data.terminator.site() {
                for edge in program.edges_of(site) {
                    if let Some(target) = program.edges[edge].target {
                        self.add(facts, Block::Side(edge), (target, 0));
                    }
                }
            }
            for (index, value) in data.insts.iter().enumerate() {
                if !called(facts, id, *value).is_empty() {
                    let place = place(id, at, index);
                    self.put(Block::Call(id, *value), vec![at], index, Some(place));
                    self.add(facts, Block::Return(id, *value), (at, index + 1));
                }
            }
            if matches!(data.terminator, Terminator::Ret { .. }) {
                let end = data.insts.len();
                self.put(Block::Exit(id, at), vec![at], end, Some(place(id, at, end)));
            }
        }
    }

    fn put(&mut self, block: Block, blocks: Vec<BlockId>, first: usize, end: Option<Place>) {
        // A call and a return end where they begin: what comes before them ends there too.
        if let Some(end) = end
            && !matches!(block, Block::Call(..) | Block::Exit(..))
        {
            self.ending.entry(end).or_default().push(block);
        }
        let stretch = Stretch { blocks, first, end };
        self.stretches.insert(block, stretch);
    }

    /// Adds the block that begins in front of an instruction.
    fn add(&mut self, facts: &Facts<'_>, block: Block, (from, first): (BlockId, usize)) {
        let id = function_of(facts.program, block);
        let function = &facts.program.functions[id];
        let (mut at, mut skip, mut way) = (from, first, Vec::new());
        let end = loop {
            if way.contains(&at) {
                break None;
            }
            way.push(at);
            let insts = function.blocks[at].insts.iter().enumerate().skip(skip);
            let mut calls = insts.filter(|(_, value)| !called(facts, id, **value).is_empty());
            if let Some((index, _)) = calls.next() {
                break Some(place(id, at, index));
            }
            match &function.blocks[at].terminator {
                Terminator::Br { target } => at = *target,
                _ => break Some(place(id, at, function.blocks[at].insts.len())),
            }
            skip = 0;
        };
        self.put(block, way, first, end);
    }

    /// Where control goes from a block.
    fn behind(&self, facts: &Facts<'_>, block: Block) -> Vec<Block> {
        let program = facts.program;
        match block {
            Block::Call(id, value) => {
                let callees = called(facts, id, value).into_iter();
                return callees.map(Block::Entry).collect();
            }
            Block::Exit(callee, _) => {
                let callers = self.stretches.keys().filter_map(|other| match other {
                    Block::Call(id, value) if called(facts, *id, *value).contains(&callee) => {
                        Some(Block::Return(*id, *value))
                    }
                    _ => None,
                });
                return callers.collect();
            }
            _ => {}
        }
        let Some(end) = self.stretches[&block].end else {
            return Vec::new();
        };
        let data = &program.functions[end.function].blocks[end.block];
        if let Some(value) = data.insts.get(end.at) {
            return vec![Block::Call(end.function, *value)];
        }
        if matches!(data.terminator, Terminator::Ret { .. }) {
            return vec![Block::Exit(end.function, end.block)];
        }
        let site = data.terminator.site().into_iter();
        let edges = site.flat_map(|site| program.edges_of(site));
        let there = edges
            .filter(|edge| !facts.dead.contains(edge))
            .map(Block::Side);
        there
            .filter(|next| self.stretches.contains_key(next))
            .collect()
    }

    pub(super) fn stretch(&self, block: Block) -> Option<&Stretch> {
        self.stretches.get(&block)
    }

    /// Where a block ends.
    pub(super) fn end(&self, block: Block) -> Option<Place> {
        self.stretches.get(&block)?.end
    }

    pub(super) fn before(&self, block: Block) -> impl Iterator<Item = Block> + '_ {
        self.before.get(&block).into_iter().flatten().copied()
    }

    pub(super) fn after(&self, block: Block) -> impl Iterator<Item = Block> + '_ {
        self.after.get(&block).into_iter().flatten().copied()
    }

    /// The sides of branches, in order.
    pub(super) fn sides(&self) -> impl Iterator<Item = EdgeId> + '_ {
        self.stretches.keys().filter_map(|block| match block {
            Block::Side(edge) => Some(*edge),
            _ => None,
        })
    }
}

fn is_own(function: &Function) -> bool {
    !function.library && !function.blocks.is_empty()
}

pub(super) fn function_of(program: &Program, block: Block) -> FuncId {
    match block {
        Block::Entry(id) | Block::Call(id, _) | Block::Return(id, _) | Block::Exit(id, _) => id,
        Block::Side(edge) => program.function_of(edge),
    }
}

fn place(function: FuncId, block: BlockId, at: usize) -> Place {
    Place {
        function,
        block,
        at,
    }
}

/// The functions of the program that a call enters; none if it may enter anything else.
fn called(facts: &Facts<'_>, id: FuncId, value: ValueId) -> Vec<FuncId> {
    let inst = facts.program.functions[id].inst(value);
    if !inst.is_some_and(|inst| matches!(inst.op, Op::Call { .. })) {
        return Vec::new();
    }
    let Some(site) = facts
        .site(id, value)
        .filter(|site| site.callbacks.is_empty())
    else {
        return Vec::new();
    };
    let own = site.targets.iter().map(|target| match target {
        Target::Function(function) => {
            is_own(&facts.program.functions[*function]).then_some(*function)
        }
        Target::Extern(_) => None,
    });
    own.collect::<Option<Vec<_>>>().unwrap_or_default()
}
