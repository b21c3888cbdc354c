//! Which values of a function are asked for behind a place, as far as they decide where control goes and what is written to cells.
//!
//! What is computed is not asked for: what it is computed from is. So these are parameters, phis, results of calls, and what memory held.

use std::collections::{BTreeMap, BTreeSet};

use program::{
    BlockId, Callee, Const, Def, FuncId, Function, Op, Operand, Program, Terminator, ValueId,
};

use crate::vc::ways_out;

/// Bits of a value that is kept.
const BITS: u16 = 64;

/// What is asked for in one function.
pub(super) struct Live<'a> {
    program: &'a Program,
    body: &'a Function,
    followed: &'a BTreeSet<FuncId>,
    /// What each value is computed from.
    from: BTreeMap<ValueId, BTreeSet<ValueId>>,
    /// At the end of each block.
    out: Vec<BTreeSet<ValueId>>,
}

impl<'a> Live<'a> {
    /// Of a function; calls of the followed ones ask for what they are given.
    pub(super) fn new(
        program: &'a Program,
        function: FuncId,
        followed: &'a BTreeSet<FuncId>,
    ) -> Live<'a> {
        let body = &program.functions[function];
        let mut live = Live {
            program,
            body,
            followed,
            from: BTreeMap::new(),
            out: vec![BTreeSet::new(); body.blocks.len()],
        };
        let blocks: Vec<BlockId> = body.blocks.keys().collect();
        let mut goes_on = true;
        while goes_on {
            goes_on = false;
            for &block in blocks.iter().rev() {
                let out = live.behind(block);
                goes_on |= out.len() > live.out[block.index()].len();
                live.out[block.index()] = out;
            }
        }
        live
    }

    /// In front of the instruction with this index, in order.
    pub(super) fn at(&mut self, block: BlockId, at: usize) -> BTreeSet<ValueId> {
        let mut live = self.out[block.index()].clone();
        let body = self.body;
        self.demand(of_terminator(&body.blocks[block].terminator), &mut live);
        let insts = &body.blocks[block].insts;
        for &value in insts.iter().skip(at).rev() {
            live.remove(&value);
            if let Some(inst) = body.inst(value) {
                for operand in self.of_inst(&inst.op) {
                    self.demand(Some(operand), &mut live);
                }
            }
        }
        live
    }

    /// What the blocks behind a block ask for.
    fn behind(&mut self, block: BlockId) -> BTreeSet<ValueId> {
        let mut out = BTreeSet::new();
        let (program, body) = (self.program, self.body);
        for (_, to) in ways_out(program, body, block) {
            let phis = body.phis(to);
            let insts = &body.blocks[to].insts;
            for value in self.at(to, phis) {
                let phi = insts[..phis].contains(&value).then(|| body.inst(value));
                match phi.flatten() {
                    Some(inst) => self.demand(semantics::incoming(&inst.op, block), &mut out),
                    None => {
                        out.insert(value);
                    }
                }
            }
        }
        out
    }

    /// What decides something in an instruction.
    fn of_inst(&self, op: &'a Op) -> Vec<&'a Operand> {
        match op {
            Op::Store { address, value, .. } if is_told_apart(address) => vec![address, value],
            Op::Load { address, .. } if is_told_apart(address) => vec![address],
            Op::Call {
                callee: Callee::Direct(target),
                args,
                ..
            } if self.followed.contains(target) => args.iter().collect(),
            Op::Count { .. } => semantics::grows_by(op).into_iter().collect(),
            _ => Vec::new(),
        }
    }

    fn demand(&mut self, operand: Option<&Operand>, live: &mut BTreeSet<ValueId>) {
        if let Some(Operand::Value(value)) = operand {
            live.extend(self.from(*value));
        }
    }

    fn from(&mut self, value: ValueId) -> BTreeSet<ValueId> {
        if let Some(known) = self.from.get(&value) {
            return known.clone();
        }
        let mut found = BTreeSet::new();
        let mut seen = BTreeSet::new();
        let mut work = vec![value];
        while let Some(next) = work.pop() {
            if !seen.insert(next) {
                continue;
            }
            let op = match &self.body.values[next].def {
                Def::Inst(inst) => Some(&inst.op),
                Def::Param(_) => None,
            };
            match op {
                Some(op) if semantics::is_computed(op) => op.for_each_operand(|operand| {
                    if let Operand::Value(value) = operand {
                        work.push(*value);
                    }
                }),
                Some(Op::Alloca { .. }) => {}
                _ if self.is_kept(next) => {
                    found.insert(next);
                }
                _ => {}
            }
        }
        self.from.insert(value, found.clone());
        found
    }

    fn is_kept(&self, value: ValueId) -> bool {
        let ty = &self.body.values[value].ty;
        let bits = semantics::width(&self.program.layout, ty);
        matches!(ty, program::Type::Int(_) | program::Type::Ptr)
            && bits.is_some_and(|bits| bits <= BITS)
    }
}

/// May an access by this address be of a cell? A pointer to what is on the stack is not.
fn is_told_apart(address: &Operand) -> bool {
    matches!(
        address,
        Operand::Value(_) | Operand::Const(Const::Global { .. })
    )
}

fn of_terminator(terminator: &Terminator) -> Option<&Operand> {
    match terminator {
        Terminator::Ret { value } => value.as_ref(),
        other => semantics::looked_at(other),
    }
}
