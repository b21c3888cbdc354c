//! Where a state has to be one of those that the invariant allows: the entries of blocks and functions, and returns.

use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use program::{BlockId, FuncId, Function, Op, Operand, ValueId};
use smt::Term;

use super::gate::{Gate, Place, What, of_spot};
use super::step::Step;
use crate::assertion::{Pair, Set, order};
use crate::kinds::Refusal;

impl<'a> Step<'_, 'a, '_, '_> {
    fn gate(
        &mut self,
        (context, place): (usize, Place),
        mut number: impl FnMut(&mut Self, What) -> Option<Term>,
    ) -> Gate<'a> {
        self.all.seen.insert((context, place));
        let allowed = self.all.places[context].get(&place);
        let mut gate = Gate {
            context,
            place,
            allowed: allowed.cloned().unwrap_or_default(),
            numbers: BTreeMap::new(),
        };
        for &what in &Rc::clone(&gate.allowed).asked {
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
    pub(super) fn gate_of_function(&mut self, context: usize, args: &[Option<Term>]) -> Gate<'a> {
        let invariant = self.all.invariant;
        let id = FuncId::from_u32(invariant.contexts[context].function);
        let body = &self.all.program.functions[id];
        self.gate((context, Place::Block(Function::ENTRY)), |_, what| {
            let What::Value(value) = what else {
                return None;
            };
            let param = ValueId::from_u32(value);
            let at = body.params.iter().position(|own| *own == param)?;
            args.get(at).copied().flatten()
        })
    }

    /// In front of a block behind this one.
    pub(super) fn gate_of_block(&mut self, to: BlockId) -> Gate<'a> {
        let context = self.context;
        self.gate((context, Place::Block(to)), |step, what| {
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
    pub(super) fn gate_of_exit(&mut self, result: Option<Term>) -> Gate<'a> {
        self.gate((self.context, Place::Exit), |_, _| result)
    }

    /// Whether the state is one that a gate lets through.
    pub(super) fn passes(&mut self, gate: &Gate<'a>) -> Term {
        let mut any = self.walk.frame.pool.bool(false);
        for state in &gate.allowed.states {
            let both = self.in_sets(gate, state);
            any = self.walk.frame.pool.or(any, both);
            // Most numbers are constants, and states many.
            if self.walk.frame.pool.is_true(any) {
                break;
            }
        }
        any
    }

    fn in_sets(&mut self, gate: &Gate<'a>, state: &[(What, &Set)]) -> Term {
        let mut both = self.walk.frame.pool.bool(true);
        for (what, set) in state {
            let has = self.in_set(gate, *what, set);
            both = self.walk.frame.pool.and(both, has);
            if self.walk.frame.pool.is_false(both) {
                break;
            }
        }
        both
    }

    /// A number of which nothing is known is in no set.
    fn in_set(&mut self, gate: &Gate<'a>, what: What, set: &Set) -> Term {
        match gate.numbers.get(&what).copied().flatten() {
            Some(number) => {
                let pool = &mut *self.walk.frame.pool;
                let constant = pool
                    .as_const(number)
                    .and_then(|known| u64::try_from(known).ok());
                if let (Set::OneOf(all), Some(constant)) = (set, constant) {
                    return pool.bool(all.contains(&constant));
                }
                let has = set.has(self.walk.frame, number);
                match self.is_known(has) {
                    true => self.walk.frame.pool.bool(true),
                    false => has,
                }
            }
            None => self.walk.frame.pool.bool(false),
        }
    }

    /// What has to go from the states of gates, so that the state passes: what is in no set of any of them. Nothing, if each
    /// number is in some set, and only no state has them all.
    pub(super) fn in_the_way(&mut self, gates: &[Gate<'a>]) -> Result<BTreeSet<What>, Refusal> {
        let mut found = BTreeSet::new();
        let asked: BTreeSet<What> = gates
            .iter()
            .flat_map(|gate| &gate.allowed.asked)
            .copied()
            .collect();
        for what in asked {
            let mut any = self.walk.frame.pool.bool(false);
            for gate in gates {
                for state in &gate.allowed.states {
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
