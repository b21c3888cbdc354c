//! What is known of a function before anything is computed: live values, loop heads, constants, variables to tell states apart by.

use std::collections::{BTreeMap, BTreeSet};

use program::cfg::Cfg;
use program::entity::SecondaryMap;
use program::{
    BinOp, BlockId, Callee, CastOp, Const, Function, Op, Operand, Program, Terminator, Type,
    ValueId,
};

use crate::num::signed;

/// Facts about one function.
#[derive(Debug)]
pub struct FunctionFacts {
    /// Position in the reverse postorder; blocks that are not reachable have none.
    pub order: SecondaryMap<BlockId, Option<u32>>,
    pub blocks: Vec<BlockId>,
    /// Where loops are entered: widening happens there.
    pub heads: BTreeSet<BlockId>,
    /// Values that are used in the block or behind it, and were computed before it; phis of the block included.
    pub live: SecondaryMap<BlockId, Vec<ValueId>>,
    /// Phis that only constants flow into, truth values that are branched on, and positions in what is switched on: states are told
    /// apart by them.
    pub selectors: BTreeSet<ValueId>,
    /// It returns nothing but constants, and what functions that it calls return: states that it returns in are told apart by it.
    pub returns_codes: bool,
    /// Loaded values that are compared with constants, as they are or after a constant was added, or that are called.
    pub compared: BTreeSet<ValueId>,
    /// Those of them that are switched over.
    pub switched: BTreeSet<ValueId>,
}

impl FunctionFacts {
    #[must_use]
    pub fn new(program: &Program, function: &Function) -> FunctionFacts {
        let cfg = Cfg::new(function);
        let blocks: Vec<BlockId> = cfg.reverse_postorder().collect();
        let mut order = SecondaryMap::for_map(&function.blocks, None);
        for (index, block) in blocks.iter().enumerate() {
            order[*block] = Some(u32::try_from(index).expect("fewer than 2^32 blocks"));
        }
        FunctionFacts {
            order,
            heads: cfg.back_edges().map(|(_, to)| to).collect(),
            live: live(function, &cfg, &blocks),
            returns_codes: returns_codes(program, function),
            selectors: selectors(program, function),
            compared: compared(function),
            switched: switched(function),
            blocks,
        }
    }
}

fn live(function: &Function, cfg: &Cfg, blocks: &[BlockId]) -> SecondaryMap<BlockId, Vec<ValueId>> {
    let mut live: SecondaryMap<BlockId, BTreeSet<ValueId>> =
        SecondaryMap::for_map(&function.blocks, BTreeSet::new());
    let mut changed = true;
    while changed {
        changed = false;
        for &block in blocks.iter().rev() {
            let mut now: BTreeSet<ValueId> = BTreeSet::new();
            for next in cfg.successors(block) {
                for &value in &live[next] {
                    let is_phi = function.inst(value).is_some_and(|inst| {
                        inst.block == next && matches!(inst.op, Op::Phi { .. })
                    });
                    if !is_phi {
                        now.insert(value);
                    }
                }
                for (_, inst) in function.insts(next) {
                    let Op::Phi { incoming } = &inst.op else {
                        break;
                    };
                    let flows = incoming.iter().filter(|(from, _)| *from == block);
                    now.extend(flows.filter_map(|(_, operand)| operand.value()));
                }
            }
            let mut phis = Vec::new();
            {
                let mut note = |operand: &Operand| now.extend(operand.value());
                function.blocks[block]
                    .terminator
                    .for_each_operand(&mut note);
            }
            for (value, inst) in function.insts(block).rev() {
                if matches!(inst.op, Op::Phi { .. }) {
                    phis.push(value);
                    continue;
                }
                now.remove(&value);
                inst.op
                    .for_each_operand(|operand| now.extend(operand.value()));
            }
            // A phi that nobody uses is computed all the same.
            now.extend(phis);
            if now != live[block] {
                live[block] = now;
                changed = true;
            }
        }
    }
    let mut lists = SecondaryMap::for_map(&function.blocks, Vec::new());
    for &block in blocks {
        lists[block] = live[block].iter().copied().collect();
    }
    lists
}

fn selectors(program: &Program, function: &Function) -> BTreeSet<ValueId> {
    let phis = phis(function);
    let flags: BTreeSet<ValueId> = function
        .blocks
        .values()
        .filter_map(|block| match &block.terminator {
            Terminator::CondBr { cond, .. } => cond.value(),
            _ => None,
        })
        .filter(|value| phis.contains(value))
        .collect();
    let positions = positions(function, &phis);
    let mut found = codes(program, function, phis);
    found.extend(flags);
    found.extend(positions);
    found.extend(asked(function));
    found.extend(counters(function));
    found
}

/// Rounds of a loop that are told apart.
const MOST_ROUNDS: u128 = 80;

/// Phis that count the few rounds of a loop that calls nothing, and in which each round writes to another place: elements of an array
/// that is cleared are told apart by them.
fn counters(function: &Function) -> BTreeSet<ValueId> {
    let written = written_indices(function);
    let is_small =
        |constant: &Const| matches!(constant, Const::Int { value, .. } if *value <= MOST_ROUNDS);
    // The loop is left at its head, when the count is high enough.
    let is_bounded = |phi: ValueId, head: BlockId| {
        let Terminator::CondBr { cond, .. } = &function.blocks[head].terminator else {
            return false;
        };
        let compared = cond.value().and_then(|cond| function.inst(cond));
        match compared.map(|inst| &inst.op) {
            Some(Op::ICmp {
                lhs,
                rhs: Operand::Const(bound),
                ..
            }) => is_small(bound) && root(function, lhs) == Some(phi),
            _ => false,
        }
    };
    let mut found = BTreeSet::new();
    if written.is_empty() {
        return found;
    }
    let cfg = Cfg::new(function);
    for phi in phis(function)
        .into_iter()
        .filter(|phi| written.contains(phi))
    {
        let Some(inst) = function.inst(phi) else {
            continue;
        };
        let Op::Phi { incoming } = &inst.op else {
            continue;
        };
        let mut starts = incoming.iter().filter_map(|(_, from)| from.constant());
        let rounds: Vec<&(BlockId, Operand)> = incoming
            .iter()
            .filter(|(_, from)| from.value().is_some())
            .collect();
        let [(latch, next)] = rounds.as_slice() else {
            continue;
        };
        let counts = next.value() != Some(phi) && root(function, next) == Some(phi);
        if counts
            && starts.all(is_small)
            && is_bounded(phi, inst.block)
            && calls_nothing(function, &cfg, (inst.block, *latch))
        {
            found.insert(phi);
        }
    }
    found
}

/// Whether no block of a loop calls anything.
fn calls_nothing(function: &Function, cfg: &Cfg, (head, latch): (BlockId, BlockId)) -> bool {
    let (mut seen, mut work) = (BTreeSet::from([head]), vec![latch]);
    while let Some(block) = work.pop() {
        if seen.insert(block) {
            work.extend(cfg.predecessors(block));
        }
    }
    let mut insts = seen.iter().flat_map(|block| function.insts(*block));
    !insts.any(|(_, inst)| matches!(inst.op, Op::Call { .. }))
}

/// What the indices of addresses that are written to were made of.
fn written_indices(function: &Function) -> BTreeSet<ValueId> {
    let mut found = BTreeSet::new();
    for block in function.blocks.keys() {
        for (_, inst) in function.insts(block) {
            let Op::Store { address, .. } = &inst.op else {
                continue;
            };
            let mut from = address.value();
            while let Some(Op::Gep { base, indices, .. }) = from
                .and_then(|address| function.inst(address))
                .map(|inst| &inst.op)
            {
                let indices = indices.iter();
                found.extend(indices.filter_map(|(index, _)| root(function, index)));
                from = base.value();
            }
        }
    }
    found
}

/// Results of calls that are compared with constants or switched on, or are part of what is: codes that say what else a function did.
fn asked(function: &Function) -> BTreeSet<ValueId> {
    let mut found = BTreeSet::new();
    let mut note = |operand: &Operand| {
        let mut work: Vec<ValueId> = operand.value().into_iter().collect();
        let mut seen = BTreeSet::new();
        while let Some(value) = work.pop() {
            if !seen.insert(value) {
                continue;
            }
            if is_call(function, value) {
                found.insert(value);
            } else if let Some(Op::Phi { incoming }) = function.inst(value).map(|inst| &inst.op) {
                work.extend(incoming.iter().filter_map(|(_, from)| from.value()));
            }
        }
    };
    for (block, data) in function.blocks.iter() {
        for (_, inst) in function.insts(block) {
            if let Op::ICmp { lhs, rhs, .. } = &inst.op {
                let pairs = [(lhs, rhs), (rhs, lhs)];
                let with_constant = pairs
                    .into_iter()
                    .filter(|(_, other)| other.constant().is_some());
                with_constant.for_each(|(own, _)| note(own));
            }
        }
        if let Terminator::Switch { value, .. } = &data.terminator {
            note(value);
        }
    }
    found
}

/// A call of a function of the program that returns a number.
fn is_call(function: &Function, value: ValueId) -> bool {
    let op = function.inst(value).map(|inst| &inst.op);
    let is_own = matches!(
        op,
        Some(Op::Call {
            callee: Callee::Direct(_) | Callee::Indirect(_),
            ..
        })
    );
    is_own && function.values[value].ty.is_int()
}

/// Whether a function returns numbers that say what it did.
fn returns_codes(program: &Program, function: &Function) -> bool {
    let codes = codes(program, function, phis(function));
    let returned = function
        .blocks
        .values()
        .filter_map(|block| match &block.terminator {
            Terminator::Ret { value } => Some(value.as_ref()),
            _ => None,
        });
    returned.into_iter().all(|value| match value {
        Some(Operand::Value(value)) => codes.contains(value) || is_call(function, *value),
        Some(Operand::Const(constant)) => matches!(constant, Const::Int { .. }),
        None => false,
    })
}

/// Phis of numbers.
fn phis(function: &Function) -> BTreeSet<ValueId> {
    let mut found: BTreeSet<ValueId> = BTreeSet::new();
    for block in function.blocks.keys() {
        for (value, inst) in function.insts(block) {
            if matches!(inst.op, Op::Phi { .. }) && function.values[value].ty.is_int() {
                found.insert(value);
            }
        }
    }
    found
}

/// Those phis that only constants and results of calls flow into.
fn codes(
    program: &Program,
    function: &Function,
    mut found: BTreeSet<ValueId>,
) -> BTreeSet<ValueId> {
    loop {
        let fits = |operand: &Operand| match operand {
            Operand::Const(Const::Int { .. }) => true,
            Operand::Const(_) => false,
            Operand::Value(value) => {
                found.contains(value)
                    || is_constant(program, function, *value)
                    || is_call(function, *value)
            }
        };
        let keep: BTreeSet<ValueId> = found
            .iter()
            .copied()
            .filter(|value| match function.inst(*value).map(|inst| &inst.op) {
                Some(Op::Phi { incoming }) => incoming.iter().all(|(_, operand)| fits(operand)),
                _ => false,
            })
            .collect();
        if keep.len() == found.len() {
            break;
        }
        found = keep;
    }
    found
}

/// Phis that say where in an array that is stands which is switched on: the program counters of interpreters.
fn positions(function: &Function, phis: &BTreeSet<ValueId>) -> BTreeSet<ValueId> {
    let switched = function
        .blocks
        .values()
        .filter_map(|block| match &block.terminator {
            Terminator::Switch { value, .. } => loaded(function, value),
            _ => None,
        });
    let mut found = BTreeSet::new();
    let mut work = Vec::new();
    for load in switched {
        let Some(Op::Load { address, .. }) = function.inst(load).map(|inst| &inst.op) else {
            continue;
        };
        // A member of an element: one address is made of another.
        let mut from = address.value();
        while let Some(Op::Gep { base, indices, .. }) = from
            .and_then(|address| function.inst(address))
            .map(|inst| &inst.op)
        {
            work.extend(
                indices
                    .iter()
                    .filter_map(|(index, _)| root(function, index)),
            );
            from = base.value();
        }
    }
    // And what flows into them, so that two positions that meet in front of a loop's head stay apart.
    while let Some(value) = work.pop() {
        if !phis.contains(&value) || !found.insert(value) {
            continue;
        }
        if let Some(Op::Phi { incoming }) = function.inst(value).map(|inst| &inst.op) {
            work.extend(incoming.iter().filter_map(|(_, from)| root(function, from)));
        }
    }
    found
}

/// Whether a value is read from a constant of the program, as the members of a local struct at its start are.
fn is_constant(program: &Program, function: &Function, value: ValueId) -> bool {
    match function.inst(value).map(|inst| &inst.op) {
        Some(Op::Load {
            address: Operand::Const(Const::Global { global, .. }),
            volatile: false,
            ..
        }) => program.globals[*global].constant,
        _ => false,
    }
}

/// What a value was made of by conversions and by adding constants.
fn root(function: &Function, operand: &Operand) -> Option<ValueId> {
    let mut value = operand.value()?;
    loop {
        match function.inst(value).map(|inst| &inst.op) {
            Some(
                Op::Cast {
                    op: CastOp::ZExt | CastOp::SExt | CastOp::Trunc,
                    value: from,
                }
                | Op::Freeze { value: from }
                | Op::Bin {
                    op: BinOp::Add | BinOp::Sub,
                    lhs: from,
                    rhs: Operand::Const(_),
                },
            ) => value = from.value()?,
            _ => return Some(value),
        }
    }
}

/// The load that a value is, or that it was made of.
fn loaded(function: &Function, operand: &Operand) -> Option<ValueId> {
    let value = root(function, operand)?;
    matches!(function.inst(value)?.op, Op::Load { .. }).then_some(value)
}

fn switched(function: &Function) -> BTreeSet<ValueId> {
    let terminators = function.blocks.values().map(|block| &block.terminator);
    let switched = terminators.filter_map(|terminator| match terminator {
        Terminator::Switch { value, .. } => loaded(function, value),
        _ => None,
    });
    switched.collect()
}

fn compared(function: &Function) -> BTreeSet<ValueId> {
    let mut found = BTreeSet::new();
    for (block, data) in function.blocks.iter() {
        for (_, inst) in function.insts(block) {
            if let Op::Call {
                callee: Callee::Indirect(pointer),
                ..
            } = &inst.op
            {
                found.extend(loaded(function, pointer));
            }
            if let Op::ICmp { lhs, rhs, .. } = &inst.op {
                let pairs = [(lhs, rhs), (rhs, lhs)];
                let with_constant = pairs
                    .into_iter()
                    .filter(|(_, other)| other.constant().is_some());
                found.extend(with_constant.filter_map(|(own, _)| loaded(function, own)));
            }
        }
        if let Terminator::Switch { value, .. } = &data.terminator {
            found.extend(loaded(function, value));
        }
    }
    found
}

/// Constants that the program compares and computes with, and their neighbours: where widening stops. Sorted.
#[must_use]
pub fn thresholds(program: &Program) -> Vec<i128> {
    let mut found: BTreeSet<i128> = BTreeSet::from([0]);
    let mut note = |operand: &Operand| {
        if let Operand::Const(Const::Int { bits, value }) = operand {
            let value = signed(*bits, *value);
            found.extend([value - 1, value, value + 1]);
        }
    };
    for function in program.functions.values() {
        for (block, data) in function.blocks.iter() {
            for (_, inst) in function.insts(block) {
                inst.op.for_each_operand(&mut note);
            }
            data.terminator.for_each_operand(&mut note);
        }
    }
    for function in program.functions.values() {
        for data in function.blocks.values() {
            if let Terminator::Switch { value, cases, .. } = &data.terminator {
                let bits = match function.operand_type(value) {
                    Type::Int(bits) => bits,
                    _ => 64,
                };
                found.extend(cases.iter().map(|(case, _)| signed(bits, *case)));
            }
        }
    }
    for global in program.globals.values() {
        if let Some(init) = &global.init
            && init.bytes.len() <= 16
        {
            let number = init
                .bytes
                .iter()
                .rev()
                .fold(0u128, |all, byte| all << 8 | u128::from(*byte));
            found.insert(number as i128);
        }
    }
    found.into_iter().collect()
}

/// All functions' facts, made when they are asked for.
#[derive(Debug, Default)]
pub struct AllFacts(BTreeMap<program::FuncId, std::rc::Rc<FunctionFacts>>);

impl AllFacts {
    pub fn of(
        &mut self,
        program: &Program,
        function: program::FuncId,
    ) -> std::rc::Rc<FunctionFacts> {
        let made = || std::rc::Rc::new(FunctionFacts::new(program, &program.functions[function]));
        std::rc::Rc::clone(self.0.entry(function).or_insert_with(made))
    }
}
