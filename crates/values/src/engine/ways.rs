//! The ways out of a block: which edges are taken, and what holds behind them.

use program::{BlockId, CastOp, EdgeId, Function, ICmp, Op, Operand, SiteId, Terminator, ValueId};

use super::{Engine, Item};
use crate::memory::World;
use crate::num::Num;
use crate::refine::narrow;
use crate::relations::{Orders, Relations};
use crate::state::{State, width};
use crate::step::Read;
use crate::value::Value;

impl Engine<'_> {
    /// The ways out of a block.
    pub(super) fn leave(&mut self, item: &Item, block: BlockId, state: &State, reads: &[Read]) {
        let id = self.contexts[item.context.0].function;
        let function = &self.program.functions[id];
        match &function.blocks[block].terminator {
            Terminator::Br { target } => self.go(item, block, *target, state.clone()),
            Terminator::CondBr {
                cond,
                then,
                els,
                site,
            } => {
                self.note(*site, function, state, cond);
                for (side, target) in [(0, els), (1, then)] {
                    let wanted = (ICmp::Eq, Num::constant(1, side));
                    self.branch(
                        item,
                        (block, *target),
                        state.clone(),
                        reads,
                        (cond, wanted),
                        self.program.edge(*site, side as u32),
                    );
                }
            }
            Terminator::Switch {
                value,
                cases,
                default,
                site,
            } => {
                self.note(*site, function, state, value);
                let bits = width(self.program, &function.operand_type(value)).unwrap_or(32);
                let mut rest = Some(state.clone());
                for (side, (case, target)) in cases.iter().enumerate() {
                    let case = Num::constant(bits, *case);
                    let edge = self.program.edge(*site, side as u32);
                    let Some(left) = &rest else { break };
                    self.branch(
                        item,
                        (block, *target),
                        left.clone(),
                        reads,
                        (value, (ICmp::Eq, case.clone())),
                        edge,
                    );
                    let mut other = left.clone();
                    let mut world = World {
                        program: self.program,
                        objects: &mut self.objects,
                    };
                    let goes_on = narrow(
                        function,
                        &mut other,
                        &mut world,
                        reads,
                        value,
                        &(ICmp::Ne, case),
                    );
                    rest = goes_on.then_some(other);
                }
                if let Some(left) = rest {
                    let edge = self.program.edge(*site, cases.len() as u32);
                    if !self.config.told.never.contains(&edge) {
                        self.taken[edge] = true;
                        self.go(item, block, *default, left);
                    }
                }
            }
            Terminator::Ret { value } => {
                let mut world = World {
                    program: self.program,
                    objects: &mut self.objects,
                };
                let value = value
                    .as_ref()
                    .map(|value| state.value(function, value, &mut world));
                self.come_back(item, id, state, value);
            }
            Terminator::Unreachable => {}
            Terminator::IndirectBr { targets, .. } => {
                for target in targets {
                    self.go(item, block, *target, state.clone());
                }
            }
            Terminator::Opaque { args, targets, .. } => {
                for after in self.unknown(item, (id, ValueId::from_u32(0)), args, state) {
                    for target in targets {
                        let mut state = after.clone();
                        state.env = crate::map::Map::default();
                        self.go(item, block, *target, state);
                    }
                }
            }
        }
    }

    /// Edges without a block of their own: those of an expression, by how much its counter grows; one that is passed behind a call.
    pub(super) fn count(
        &mut self,
        site: SiteId,
        function: &Function,
        state: &State,
        step: Option<&Operand>,
    ) {
        let Some(step) = step else {
            self.taken[self.program.edge(site, 0)] = true;
            return;
        };
        self.note(site, function, state, widened(function, step));
        let mut world = World {
            program: self.program,
            objects: &mut self.objects,
        };
        let value = state.value(function, step, &mut world);
        let number = match &value {
            Value::Num(number) => Some(number),
            _ => None,
        };
        for side in 0..2 {
            let may_be = number.is_none_or(|number| number.contains(u128::from(side)));
            let edge = self.program.edge(site, side);
            self.taken[edge] |= may_be;
        }
    }

    pub(super) fn branch(
        &mut self,
        item: &Item,
        (block, target): (BlockId, BlockId),
        mut state: State,
        reads: &[Read],
        (operand, wanted): (&Operand, (ICmp, Num)),
        edge: EdgeId,
    ) {
        let function = &self.program.functions[self.contexts[item.context.0].function];
        let mut world = World {
            program: self.program,
            objects: &mut self.objects,
        };
        let is_never = self.config.told.never.contains(&edge);
        if !is_never && narrow(function, &mut state, &mut world, reads, operand, &wanted) {
            self.taken[edge] = true;
            self.go(item, block, target, state);
        }
    }

    /// Keeps what was looked at, for the reasons.
    pub(super) fn note(
        &mut self,
        site: SiteId,
        function: &Function,
        state: &State,
        operand: &Operand,
    ) {
        let mut world = World {
            program: self.program,
            objects: &mut self.objects,
        };
        let compared = operand
            .value()
            .and_then(|value| match &function.inst(value)?.op {
                Op::ICmp { lhs, rhs, .. } | Op::FCmp { lhs, rhs, .. } => {
                    let sides = [(lhs, rhs), (rhs, lhs)].into_iter();
                    let mut with_constant = sides.filter(|(_, by)| by.constant().is_some());
                    with_constant.next().map(|(own, _)| own.clone())
                }
                _ => None,
            });
        let value = state.value(
            function,
            &compared.unwrap_or_else(|| operand.clone()),
            &mut world,
        );
        match self.seen.get_mut(&site) {
            None => {
                self.seen.insert(site, value);
            }
            Some(known) => *known = known.join(&value, world.objects),
        }
    }

    /// Control goes to another block of the function.
    pub(super) fn go(&mut self, item: &Item, from: BlockId, to: BlockId, mut state: State) {
        let id = self.contexts[item.context.0].function;
        let function = &self.program.functions[id];
        let mut world = World {
            program: self.program,
            objects: &mut self.objects,
        };
        let mut phis = Vec::new();
        for (value, inst) in function.insts(to) {
            let Op::Phi { incoming } = &inst.op else {
                break;
            };
            let flows = incoming.iter().find(|(block, _)| *block == from);
            let known = match flows {
                Some((_, operand)) => state.value(function, operand, &mut world),
                None => Value::Any,
            };
            phis.push((value, known));
        }
        let told = told(function, &state.relations, from, &phis);
        for (value, known) in phis {
            state.set(value, known);
        }
        for (a, b, orders) in told {
            state.relations.learn(a, b, orders);
        }
        let facts = self.facts(id);
        let live = &facts.live[to];
        state.env.retain(|key, _| {
            u32::try_from(key).is_ok_and(|key| live.binary_search(&ValueId::from_u32(key)).is_ok())
        });
        let is_live = |value| live.binary_search(&value).is_ok();
        state.relations.keep(is_live);
        self.arrive(item.context.0, to, state);
    }
}

/// What phis are told of the variables that flow into them.
fn told(
    function: &Function,
    relations: &Relations,
    from: BlockId,
    phis: &[(ValueId, Value)],
) -> Vec<(ValueId, ValueId, Orders)> {
    let source = |phi: ValueId| match &function.inst(phi)?.op {
        Op::Phi { incoming } => {
            let flows = incoming.iter().find(|(block, _)| *block == from);
            flows.and_then(|(_, operand)| operand.value())
        }
        _ => None,
    };
    let flows: Vec<(ValueId, ValueId)> = phis
        .iter()
        .filter_map(|(phi, _)| Some((*phi, source(*phi)?)))
        .collect();
    let is_phi = |value: ValueId| phis.iter().any(|(phi, _)| *phi == value);
    let mut told = Vec::new();
    for (at, &(phi, own)) in flows.iter().enumerate() {
        for &(other, theirs) in &flows[..at] {
            told.push((phi, other, relations.orders(own, theirs)));
        }
        let others = relations.of(own).into_iter();
        told.extend(
            others
                .filter(|(other, _)| !is_phi(*other))
                .map(|(other, orders)| (phi, other, orders)),
        );
        if !is_phi(own) {
            told.push((phi, own, Orders::of(ICmp::Eq)));
        }
    }
    told
}

/// What was made wider to be added to a counter.
fn widened<'f>(function: &'f Function, step: &'f Operand) -> &'f Operand {
    let inst = step.value().and_then(|value| function.inst(value));
    match inst.map(|inst| &inst.op) {
        Some(Op::Cast {
            op: CastOp::ZExt,
            value,
        }) => value,
        _ => step,
    }
}
