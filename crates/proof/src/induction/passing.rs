//! Where a state has to be one of those that the invariant allows: the entries of blocks and functions, and returns.

use std::collections::{BTreeMap, BTreeSet};

use program::{BlockId, FuncId, Function, Op, Operand, ValueId};
use smt::Term;

use super::gate::{Gate, Place, What, of_exit, of_spot, of_state};
use super::step::Step;
use crate::assertion::{Pair, Set, order};
use crate::kinds::Refusal;

impl Step<'_, '_, '_, '_> {
    fn gate(
        &mut self,
        (context, place): (usize, Place),
        states: Vec<Vec<(What, Set)>>,
        mut number: impl FnMut(&mut Self, What) -> Option<Term>,
    ) -> Gate {
        self.all.seen.insert((context, place));
        let mut gate = Gate {
            context,
            place,
            states,
            numbers: BTreeMap::new(),
        };
        for what in gate.asked() {
            let mut one = |step: &mut Self, what| match what {
                What::Cell(cell) => step.cell(cell as usize),
                _ => number(step, what),
            };
            let found = match what {
                What::Pair(Pair(a, b)) => {
                    let sides = [a, b].map(|spot| one(self, of_spot(spot)));
                    match sides {
                        [Some(a), Some(b)] => order(self.walk.frame.pool, a, b),
                        _ => None,
                    }
                }
                what => one(self, what),
            };
            gate.numbers.insert(what, found);
        }
        gate
    }

    /// In front of a function that is called with these numbers.
    pub(super) fn gate_of_function(&mut self, context: usize, args: &[Option<Term>]) -> Gate {
        let invariant = self.all.invariant;
        let id = FuncId::from_u32(invariant.contexts[context].function);
        let body = &self.all.program.functions[id];
        let states = self.states_at(context, Function::ENTRY);
        self.gate(
            (context, Place::Block(Function::ENTRY)),
            states,
            |_, what| {
                let What::Value(value) = what else {
                    return None;
                };
                let param = ValueId::from_u32(value);
                let at = body.params.iter().position(|own| *own == param)?;
                args.get(at).copied().flatten()
            },
        )
    }

    /// In front of a block behind this one.
    pub(super) fn gate_of_block(&mut self, to: BlockId) -> Gate {
        let context = self.context;
        let states = self.states_at(context, to);
        self.gate((context, Place::Block(to)), states, |step, what| {
            let What::Value(value) = what else {
                return None;
            };
            let value = ValueId::from_u32(value);
            let function = step.walk.frame.function;
            let known = match function.inst(value) {
                Some(inst) if inst.block == to && matches!(inst.op, Op::Phi { .. }) => {
                    let operand = semantics::incoming(&inst.op, step.block)?;
                    step.walk.operand(operand)
                }
                _ => step.walk.operand(&Operand::Value(value)),
            };
            known?.scalar()
        })
    }

    /// Where the function returns.
    pub(super) fn gate_of_exit(&mut self, result: Option<Term>) -> Gate {
        let invariant = self.all.invariant;
        let exits = &invariant.contexts[self.context].exits;
        let states = exits.iter().map(of_exit).collect();
        self.gate((self.context, Place::Exit), states, |_, _| result)
    }

    fn states_at(&self, context: usize, block: BlockId) -> Vec<Vec<(What, Set)>> {
        let states = self.all.blocks[context].get(&block);
        let states = states.into_iter().flatten();
        states.map(|state| of_state(state)).collect()
    }

    /// Whether the state is one that a gate lets through.
    pub(super) fn passes(&mut self, gate: &Gate) -> Term {
        let mut any = self.walk.frame.pool.bool(false);
        for state in &gate.states {
            let mut both = self.walk.frame.pool.bool(true);
            for (what, set) in state {
                let has = self.in_set(gate, *what, set);
                both = self.walk.frame.pool.and(both, has);
            }
            any = self.walk.frame.pool.or(any, both);
        }
        any
    }

    /// A number of which nothing is known is in no set.
    fn in_set(&mut self, gate: &Gate, what: What, set: &Set) -> Term {
        match gate.numbers.get(&what).copied().flatten() {
            Some(number) => set.has(self.walk.frame.pool, number),
            None => self.walk.frame.pool.bool(false),
        }
    }

    /// What has to go from the states of gates, so that the state passes: what is in no set of any of them. Nothing, if each
    /// number is in some set, and only no state has them all.
    pub(super) fn in_the_way(&mut self, gates: &[Gate]) -> Result<BTreeSet<What>, Refusal> {
        let mut found = BTreeSet::new();
        let asked: BTreeSet<What> = gates.iter().flat_map(Gate::asked).collect();
        for what in asked {
            let mut any = self.walk.frame.pool.bool(false);
            for gate in gates {
                for state in &gate.states {
                    let has = match state.iter().find(|(own, _)| *own == what) {
                        Some((_, set)) => self.in_set(gate, what, set),
                        None => self.walk.frame.pool.bool(true),
                    };
                    any = self.walk.frame.pool.or(any, has);
                }
            }
            if !self.holds(any)? {
                found.insert(what);
            }
        }
        Ok(found)
    }
}
