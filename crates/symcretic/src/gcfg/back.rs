//! Conditions a block back: weakest preconditions over the blocks of the graph (algorithm 2).

use program::{Op, ValueId};

use super::{Block, Gcfg, LONGEST, RState, Reach};
use crate::cross::Crossed;
use crate::facts::Way;
use crate::simplify::simplify;
use crate::state::{Place, State};

impl Gcfg<'_> {
    /// A condition at the end of a block, and the same at its begin: one for each way into it. None: nothing comes to the end.
    pub(super) fn starts(&mut self, block: Block, state: &State) -> Vec<State> {
        match block {
            Block::Call(..) | Block::Exit(..) => return vec![state.clone()],
            Block::Entry(_) | Block::Side(_) | Block::Return(..) => {}
        }
        let Some(stretch) = self.blocks.stretch(block).cloned() else {
            return Vec::new();
        };
        let mut state = state.clone();
        for index in (0..stretch.blocks.len()).rev() {
            let first = if index == 0 { stretch.first } else { 0 };
            if !self.over(&mut state, first) {
                return Vec::new();
            }
            if index > 0 {
                let way = Way {
                    from: stretch.blocks[index - 1],
                    edges: Vec::new(),
                    back: false,
                };
                self.search.cross().through(&mut state, &way);
            }
        }
        match block {
            Block::Side(edge) => {
                let from = self.program().sites[self.program().edges[edge].site].block;
                let way = Way {
                    from,
                    edges: vec![edge],
                    back: false,
                };
                self.search.cross().through(&mut state, &way);
                vec![state]
            }
            Block::Return(_, call) => {
                let id = state.place.function;
                let insts = &self.program().functions[id].blocks[state.place.block].insts;
                state.place.at = insts.iter().position(|value| *value == call).unwrap_or(0);
                let site = self.search.facts.site(id, call);
                let functions = site.map(|site| {
                    let entered = crate::facts::entered(&self.search.facts, site);
                    entered.map(|(function, _)| function).collect::<Vec<_>>()
                });
                let functions = functions.unwrap_or_default();
                self.search.cross().before_return(&state, &functions).states
            }
            _ => {
                let root = self.search.root();
                let before = self.search.cross().before_block(&state, root);
                self.cut |= before.unknown;
                before.states
            }
        }
    }

    /// Goes back over the instructions of a block, to the one with this number or to the phis; false: nothing gets through.
    fn over(&mut self, state: &mut State, first: usize) -> bool {
        let function = &self.program().functions[state.place.function];
        let insts = &function.blocks[state.place.block].insts;
        while state.place.at > first {
            let value = insts[state.place.at - 1];
            let inst = function.inst(value);
            if inst.is_some_and(|inst| matches!(inst.op, program::Op::Phi { .. })) {
                break;
            }
            let mut cross = self.search.cross();
            match cross.back(state) {
                Crossed::On => {}
                Crossed::Never => return false,
                Crossed::From(functions) => {
                    // A function that is not looked into.
                    cross.forget_value(state, value);
                    for function in functions {
                        let writes = cross.facts.writes(function);
                        cross.forget_memory(state, &writes);
                    }
                    state.vague = true;
                }
            }
        }
        true
    }

    /// The condition in front of another one, at the end of this block; `None` if it contradicts what the block does.
    pub(super) fn backward(&mut self, to: RState, block: Block, calls: &[Place]) -> Option<RState> {
        let reach = &self.reach[to];
        let (target, length) = (reach.target, reach.length + 1);
        let end = self.blocks.end(block);
        let fits = |state: &&State| Some(state.place) == end && state.waiting == calls;
        let Some(mut state) = reach.starts.iter().find(fits).cloned() else {
            // None at all: nothing comes to its end.
            self.cut |= !reach.starts.is_empty();
            return None;
        };
        if length > LONGEST {
            self.cut = true;
            return None;
        }
        simplify(&mut self.search.language, &mut state);
        if !self.search.may_hold(&mut state) {
            return None;
        }
        self.search.settle(&mut state);
        let mut starts = self.starts(block, &state);
        starts.retain(|start| {
            let mut whole = self.before_decision(start);
            self.search.may_hold(&mut whole)
        });
        let is_first = Some(block) == self.search.root().map(Block::Entry);
        let holds = match is_first {
            true => self.may_begin(&state),
            false => !starts.is_empty(),
        };
        if !holds {
            return None;
        }
        let same = self.reach.iter().find(|(_, known)| {
            let terms = |state: &State| state.terms().collect::<std::collections::BTreeSet<_>>();
            known.is_there
                && known.block == block
                && known.target == target
                && known.state.waiting == state.waiting
                && known.state.deferred.is_empty()
                && terms(&known.state).is_subset(&terms(&state))
        });
        if let Some((same, _)) = same {
            // What leads there leads on from there as well: this one needs no state of its own.
            return Some(same);
        }
        let words = self.words(&state);
        Some(self.reach.push(Reach {
            block,
            state,
            next: Some(to),
            target,
            is_there: true,
            starts,
            words,
            length,
        }))
    }

    /// The same condition in front of what the branch at its place computes for itself.
    pub(super) fn before_decision(&mut self, state: &State) -> State {
        let mut state = state.clone();
        let function = &self.program().functions[state.place.function];
        let insts = &function.blocks[state.place.block].insts;
        let is_plain = |value: ValueId| {
            let op = function.inst(value).map(|inst| &inst.op);
            op.is_some_and(|op| {
                semantics::is_computed(op) && !matches!(op, Op::Phi { .. })
                    || matches!(op, Op::Load { .. })
            })
        };
        while state.place.at > 0 && is_plain(insts[state.place.at - 1]) {
            if self.search.cross().back(&mut state) != Crossed::On {
                break;
            }
        }
        state
    }

    /// Whether a condition at the end of the first block may hold where the program starts.
    fn may_begin(&mut self, state: &State) -> bool {
        let mut first = state.clone();
        let Some(stretch) = self
            .search
            .root()
            .and_then(|root| self.blocks.stretch(Block::Entry(root)).cloned())
        else {
            return true;
        };
        for index in (0..stretch.blocks.len()).rev() {
            if !self.over(&mut first, 0) {
                return false;
            }
            if index > 0 {
                let way = Way {
                    from: stretch.blocks[index - 1],
                    edges: Vec::new(),
                    back: false,
                };
                self.search.cross().through(&mut first, &way);
            }
        }
        self.search.may_start(&first)
    }
}
