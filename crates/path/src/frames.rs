//! Where a path is in each function on its stack, for every decision of the tree.
//!
//! Must hold: a decision's [`StackId`] over-approximates the positions that its path has when the decision is made.
//! Stacks are shared: there is one for each chain of positions, not one for each node of the tree (4 bytes).

use std::collections::BTreeSet;

use program::flow::NodeId as Position;
use program::following::Following;
use program::{FuncId, Program, SiteKind};

use crate::hash::HashTable;
use crate::run::Step;

program::entity!(
    /// A chain of positions, the innermost first.
    StackId, "stack"
);

impl StackId {
    /// Nothing is known: anything may run.
    pub const UNKNOWN: StackId = StackId::from_u32(0);
    /// There is nothing on the stack.
    pub const EMPTY: StackId = StackId::from_u32(1);
}

/// Stacks deeper than this are not told apart: anything may run.
const DEEPEST: u32 = 10_000;

/// A position and what is below it.
#[derive(Clone, Copy, Debug)]
struct Stack {
    at: Position,
    below: StackId,
    depth: u32,
}

/// A function that is running.
#[derive(Clone, Copy, Debug)]
struct Frame {
    function: FuncId,
    at: Position,
    below: StackId,
}

/// The stacks of positions, shared by all decisions of the tree.
#[derive(Debug, Default)]
pub struct Frames {
    /// From number 2 on.
    stacks: Vec<Stack>,
    known: HashTable<StackId>,
    /// Of each node of the tree: for a branch, what is below the function of its edges; for others, with its position.
    of_node: Vec<StackId>,
    running: Vec<Frame>,
    calling: HashTable<Option<Position>>,
    /// Functions that were entered where no call may enter them.
    unforeseen: BTreeSet<FuncId>,
}

/// Two words as one that no other two give, scattered over its bits.
fn scatter(high: u32, low: u32) -> u64 {
    let word = (u64::from(high) << 32 | u64::from(low)).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    word ^ (word >> 32)
}

impl Frames {
    /// Takes note of a path, whose last `new` nodes the tree did not have before.
    pub fn on_path(
        &mut self,
        program: &Program,
        following: &Following,
        steps: &[Step],
        new: usize,
    ) {
        let decides = |step: &Step| match *step {
            Step::Edge { edge, cond } => {
                cond.is_some() && program.sites[program.edges[edge].site].kind != SiteKind::Probe
            }
            Step::Constraint { .. } => true,
            _ => false,
        };
        let decisions = steps.iter().filter(|step| decides(step)).count();
        // Behind the decisions stands the end.
        let mut known = (decisions + 1).saturating_sub(new);
        let target = self.of_node.len() + new;
        self.running.clear();
        for step in steps {
            if decides(step) {
                if known == 0 {
                    let stack = match step {
                        Step::Edge { edge, .. } => {
                            self.arrive(program.function_of(*edge), following);
                            self.running.last().map(|frame| frame.below)
                        }
                        _ => self.running.last().copied().map(|frame| self.stack(frame)),
                    };
                    self.of_node.push(stack.unwrap_or(StackId::UNKNOWN));
                } else {
                    known -= 1;
                }
            }
            self.step(program, following, *step);
        }
        self.of_node.resize(target, StackId::UNKNOWN);
    }

    fn step(&mut self, program: &Program, following: &Following, step: Step) {
        match step {
            Step::Edge { edge, .. } => {
                self.arrive(program.function_of(edge), following);
                if let Some(top) = self.running.last_mut() {
                    top.at = following.of_edge(edge);
                }
            }
            Step::Call(function) => self.call(program, following, function),
            Step::Return(function) => {
                let is = |frame: &Frame| frame.function == function;
                if let Some(index) = self.running.iter().rposition(is) {
                    self.running.truncate(index);
                }
            }
            Step::Resume(function) => {
                let is = |frame: &Frame| frame.function == function;
                if let Some(index) = self.running.iter().rposition(is) {
                    self.running.truncate(index + 1);
                }
                self.arrive(function, following);
                // Which of its calls returned again is not recorded.
                if let (Some(top), Some(entry)) =
                    (self.running.last_mut(), following.icfg().entry(function))
                {
                    top.at = entry;
                }
            }
            Step::Constraint { .. } | Step::ReachError => {}
        }
    }

    fn call(&mut self, program: &Program, following: &Following, function: FuncId) {
        let Some(entry) = following.icfg().entry(function) else {
            return;
        };
        if let Some(&Frame {
            function: caller,
            at,
            ..
        }) = self.running.last()
        {
            let key = scatter(at.as_u32(), function.as_u32());
            let calling = self
                .calling
                .entry(key)
                .or_insert_with(|| following.calling(at, caller, function));
            match *calling {
                Some(position) => self.set_position(position),
                // What our models of library functions call is in the graph wherever they may be called.
                None if program.functions[function].library => {}
                None => {
                    self.unforeseen.insert(function);
                }
            }
        }
        self.push(function, entry);
    }

    /// A step of a function that is not on top: events are missing. What is below stays.
    fn arrive(&mut self, function: FuncId, following: &Following) {
        if self
            .running
            .last()
            .is_none_or(|top| top.function != function)
            && let Some(entry) = following.icfg().entry(function)
        {
            self.push(function, entry);
        }
    }

    fn set_position(&mut self, position: Position) {
        if let Some(top) = self.running.last_mut() {
            top.at = position;
        }
    }

    fn push(&mut self, function: FuncId, at: Position) {
        let below = match self.running.last().copied() {
            None => StackId::EMPTY,
            Some(frame) => self.stack(frame),
        };
        self.running.push(Frame {
            function,
            at,
            below,
        });
    }

    fn stack(&mut self, frame: Frame) -> StackId {
        let depth = match self.get(frame.below) {
            Some((_, stack)) => stack.depth + 1,
            None => 1,
        };
        if frame.below == StackId::UNKNOWN || depth > DEEPEST {
            return StackId::UNKNOWN;
        }
        let key = scatter(frame.below.as_u32(), frame.at.as_u32());
        let next = StackId::from_u32(self.stacks.len() as u32 + 2);
        let id = *self.known.entry(key).or_insert(next);
        if id == next {
            self.stacks.push(Stack {
                at: frame.at,
                below: frame.below,
                depth,
            });
        }
        id
    }

    fn get(&self, id: StackId) -> Option<(StackId, Stack)> {
        let index = id.index().checked_sub(2)?;
        Some((id, self.stacks[index]))
    }

    /// The innermost position of a stack, and what is below it.
    pub fn top(&self, id: StackId) -> Option<(Position, StackId)> {
        self.get(id).map(|(_, stack)| (stack.at, stack.below))
    }

    /// The stack at a decision of the tree: see the field.
    pub fn of_node(&self, node: usize) -> StackId {
        self.of_node.get(node).copied().unwrap_or(StackId::UNKNOWN)
    }

    /// Functions that were entered where no call may enter them, since the last time.
    pub fn take_unforeseen(&mut self) -> BTreeSet<FuncId> {
        std::mem::take(&mut self.unforeseen)
    }

    pub fn bytes(&self) -> usize {
        self.stacks.capacity() * size_of::<Stack>()
            + self.known.capacity() * 13
            + self.of_node.capacity() * size_of::<StackId>()
            + self.calling.capacity() * 17
    }
}
