//! Loops cut out of a path: a function from what they read to what they leave, to be executed and not solved (section 3 of the
//! paper, "Data-Dependent Loops").
//!
//! A loop is cut out where the path leaves it: the whole loop, from its entry to this exit, is one step of the trace that phase II
//! evaluates. What the search needs of it are the values that it starts with and those that it reads, which are followed backward like
//! conditions.
//!
//! Must hold: a loop is cut out only if it writes at places that it does not compute, each apart from the others, and calls nothing but
//! functions of the C library that depend on their arguments alone. Such places are variables of the loop.

use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use descent::{Block, BlockId as Number, Call, External, Next, Target};
use program::{BlockId, Callee, FuncId, Function, Op, Operand, Terminator, Type, ValueId};
use semantics::{Builder, Value};
use smt::{Pool, Term, Var};

use crate::atom::Atom;
use crate::cross::Cross;
use crate::facts::Body;
use crate::image::Language;
use crate::memory::Alias;
use crate::state::State;

/// Loops on one path that are cut out.
const LOOPS: usize = 4;
/// Blocks of a loop that is cut out.
const BLOCKS: usize = 200;
/// Turns of a loop, in times of its blocks.
const TURNS: u32 = 200_000;

/// A loop that was cut out.
#[derive(Debug)]
pub struct Extracted {
    /// What changes in it, with widths; the state carries as many terms, what each is at the entry.
    pub state: Vec<(Var, u16)>,
    /// What it reads; the state carries as many terms behind those.
    pub outer: Vec<Var>,
    pub blocks: Vec<Block>,
    pub turns: u32,
}

impl Extracted {
    /// How many terms a state carries for it.
    #[must_use]
    pub fn carried(&self) -> usize {
        self.state.len() + self.outer.len()
    }
}

impl Cross<'_, '_> {
    /// The states in front of the loop that the path has just left, going back: from `behind` into the state's block. One for each
    /// way into the loop; none if it cannot be cut out.
    pub fn extracted(&mut self, state: &State, behind: BlockId) -> Vec<State> {
        let body = self.facts.body(state.place.function);
        let inside = state.place.block;
        let left =
            |members: &BTreeSet<BlockId>| members.contains(&inside) && !members.contains(&behind);
        // The largest: all that the path leaves.
        let left = body.loops.iter().filter(|(_, members)| left(members));
        let Some((&head, members)) = left.max_by_key(|(_, members)| members.len()) else {
            return Vec::new();
        };
        if state.loops.len() >= LOOPS || members.len() > BLOCKS {
            return Vec::new();
        }
        let mut maker = Maker::new(self, state, (head, members));
        let Some((extracted, read)) = maker.make((inside, behind)) else {
            return Vec::new();
        };
        let (values, cells) = (maker.values, maker.cells);
        let changed = Changed { values, cells };
        self.before_loop(state, (&body, head), (&Rc::new(extracted), &read), &changed)
    }

    /// Whether what the conditions read in memory is one of these cells, or apart from all.
    fn are_apart(&self, state: &State, cells: &[(Term, u8, Term)]) -> bool {
        let active = state.active();
        let apart = |(a, a_bytes): (Term, u8), (b, b_bytes): (Term, u8)| {
            let there = ((a, u64::from(a_bytes)), (b, u64::from(b_bytes)));
            let alias = self.language.alias(self.facts, &active, there.0, there.1);
            alias == Alias::Apart || (a, a_bytes) == (b, b_bytes)
        };
        let among = cells.iter().enumerate().all(|(index, (a, a_bytes, _))| {
            let others = cells[..index].iter();
            others
                .into_iter()
                .all(|(b, b_bytes, _)| apart((*a, *a_bytes), (*b, *b_bytes)))
        });
        let vars = self.language.atoms_of(state.spoken());
        among
            && vars
                .into_iter()
                .all(|var| match self.language.atoms.get(var) {
                    Some((Atom::Cell { address, bytes }, _)) => cells
                        .iter()
                        .all(|(own, own_bytes, _)| apart((*address, *bytes), (*own, *own_bytes))),
                    _ => true,
                })
    }

    fn before_loop(
        &mut self,
        state: &State,
        (body, head): (&Body, BlockId),
        (extracted, read): (&Rc<Extracted>, &[Term]),
        changed: &Changed,
    ) -> Vec<State> {
        if !self.are_apart(state, &changed.cells) {
            return Vec::new();
        }
        let function = &self.facts.program.functions[state.place.function];
        let height = state.height();
        let mut states = Vec::new();
        for way in body.ways[head.index()].iter().filter(|way| !way.back) {
            let mut next = state.clone();
            self.apply(&mut next, &mut |_, atom, _| match atom {
                Atom::Value {
                    height: h, value, ..
                } if *h == height => changed.values.get(value).copied(),
                Atom::Cell { address, bytes } => {
                    let mut cells = changed.cells.iter();
                    let own =
                        cells.find(|(own, own_bytes, _)| (own, own_bytes) == (address, bytes));
                    own.map(|(_, _, var)| *var)
                }
                _ => None,
            });
            for value in changed.values.keys() {
                let entry = self.at_entry(state, function, (*value, head, way.from));
                next.carried.push(entry);
            }
            for (address, bytes, _) in &changed.cells {
                let Language { pool, atoms } = &mut *self.language;
                let (address, bytes) = (*address, *bytes);
                let cell = Atom::Cell { address, bytes };
                next.carried
                    .push(atoms.term(pool, cell, u16::from(bytes) * 8));
            }
            next.carried.extend(read);
            next.live = None;
            next.loops.push(Rc::clone(extracted));
            next.vague = true;
            next.place.block = head;
            self.through(&mut next, way);
            states.push(next);
        }
        states
    }

    /// What a value of the loop is at the entry: of a phi, what flows in; of anything else, nothing that is read.
    fn at_entry(
        &mut self,
        state: &State,
        function: &Function,
        (value, head, from): (ValueId, BlockId, BlockId),
    ) -> Term {
        let inst = function.inst(value);
        let flows = inst
            .filter(|inst| inst.block == head)
            .and_then(|inst| semantics::incoming(&inst.op, from));
        let made =
            flows.and_then(|operand| self.operand(state.height(), function, operand)?.scalar());
        let ty = &function.values[value].ty;
        let bits = semantics::width(&self.facts.program.layout, ty).unwrap_or(1);
        made.unwrap_or_else(|| self.language.pool.constant(bits, 0))
    }
}

/// What a loop changes.
struct Changed {
    /// Values that it computes, with their variables.
    values: BTreeMap<ValueId, Term>,
    /// What it reads and writes in memory.
    cells: Vec<(Term, u8, Term)>,
}

/// Makes one loop.
struct Maker<'c, 'a, 'p> {
    cross: &'c mut Cross<'a, 'p>,
    function: FuncId,
    height: u32,
    head: BlockId,
    members: BTreeSet<BlockId>,
    number: u32,
    /// The variable of each value that the loop computes.
    values: BTreeMap<ValueId, Term>,
    read: Vec<Term>,
    outer: BTreeMap<Term, Term>,
    outer_vars: Vec<Var>,
    /// What it reads and writes in memory: address, bytes, its variable.
    cells: Vec<(Term, u8, Term)>,
}

impl<'c, 'a, 'p> Maker<'c, 'a, 'p> {
    fn new(
        cross: &'c mut Cross<'a, 'p>,
        state: &State,
        (head, members): (BlockId, &BTreeSet<BlockId>),
    ) -> Maker<'c, 'a, 'p> {
        let number = cross.language.atoms.extract();
        Maker {
            function: state.place.function,
            height: state.height(),
            head,
            members: members.clone(),
            number,
            values: BTreeMap::new(),
            read: Vec::new(),
            outer: BTreeMap::new(),
            outer_vars: Vec::new(),
            cells: Vec::new(),
            cross,
        }
    }

    fn function(&self) -> &'p Function {
        &self.cross.facts.program.functions[self.function]
    }

    /// The loop, and what it reads; `leaves`: from which block to which the path leaves it.
    fn make(&mut self, leaves: (BlockId, BlockId)) -> Option<(Extracted, Vec<Term>)> {
        let function = self.function();
        let layout = self.cross.facts.program.layout;
        let mut state = Vec::new();
        for block in self.members.clone() {
            for (value, inst) in function.insts(block) {
                let ty = &function.values[value].ty;
                if *ty == Type::Void {
                    continue;
                }
                let bits = semantics::width(&layout, ty)?;
                if matches!(inst.op, Op::Alloca { .. }) {
                    return None;
                }
                let Language { pool, atoms } = &mut *self.cross.language;
                let atom = Atom::Turn {
                    extracted: self.number,
                    value,
                };
                let term = atoms.term(pool, atom, bits);
                self.values.insert(value, term);
            }
        }
        let order: Vec<BlockId> = std::iter::once(self.head)
            .chain(
                self.members
                    .iter()
                    .copied()
                    .filter(|block| *block != self.head),
            )
            .collect();
        let mut blocks = Vec::new();
        for block in &order {
            let made = self.block(*block)?;
            blocks.push(made);
        }
        for (index, block) in order.iter().enumerate() {
            let next = self.next(*block, &order, (leaves, &mut blocks))?;
            blocks[index].next = next;
        }
        let cells = self.cells.iter().map(|(_, _, term)| term);
        for term in self.values.values().chain(cells) {
            let pool = &self.cross.language.pool;
            state.push((pool.as_var(*term)?, pool.width(*term)));
        }
        let extracted = Extracted {
            state,
            outer: std::mem::take(&mut self.outer_vars),
            turns: TURNS,
            blocks,
        };
        Some((extracted, std::mem::take(&mut self.read)))
    }

    /// What a block computes.
    fn block(&mut self, block: BlockId) -> Option<Block> {
        let function = self.function();
        let mut made = Block {
            calls: Vec::new(),
            assign: Vec::new(),
            next: Next::Goto(Target::Exit),
        };
        let mut here: BTreeMap<ValueId, Term> = BTreeMap::new();
        // What the block has written.
        let mut written: BTreeMap<usize, Term> = BTreeMap::new();
        for (value, inst) in function.insts(block) {
            let ty = &function.values[value].ty;
            let term = match &inst.op {
                Op::Phi { .. } | Op::Count { .. } => continue,
                Op::Load { volatile, .. } => {
                    if *volatile || self.cross.shared {
                        return None;
                    }
                    let Op::Load { address, .. } = &inst.op else {
                        return None;
                    };
                    let cell = self.cell(address, ty)?;
                    let whole = written.get(&cell).copied().unwrap_or(self.cells[cell].2);
                    let bits = semantics::width(&self.cross.facts.program.layout, ty)?;
                    self.cross.language.pool.extract(whole, 0, bits)
                }
                Op::Store {
                    address,
                    value,
                    volatile,
                    ..
                } => {
                    if *volatile || self.cross.shared {
                        return None;
                    }
                    let ty = function.operand_type(value);
                    let cell = self.cell(address, &ty)?;
                    let value = self.operand(value, &here)?.scalar()?;
                    let pool = &mut self.cross.language.pool;
                    let bits = pool.width(self.cells[cell].2);
                    written.insert(cell, pool.zext(value, bits));
                    continue;
                }
                Op::Call {
                    callee: Callee::Extern(name),
                    args,
                    ..
                } => {
                    let name = &*self.cross.facts.program.externs[*name].name;
                    let function = External::new(name);
                    if !function.is_known() {
                        return None;
                    }
                    let args = args.iter().map(|arg| self.operand(arg, &here)?.scalar());
                    let args: Option<Vec<Term>> = args.collect();
                    let bits = semantics::width(&self.cross.facts.program.layout, ty)?;
                    let Language { pool, atoms } = &mut *self.cross.language;
                    let result = atoms.any(pool, bits);
                    made.calls.push(Call {
                        result: pool.as_var(result)?,
                        width: bits,
                        function,
                        args: args?,
                    });
                    result
                }
                op if semantics::is_computed(op) => {
                    let mut operands = Vec::new();
                    op.for_each_operand(|operand| operands.push(operand));
                    let operands = operands
                        .into_iter()
                        .map(|operand| self.operand(operand, &here));
                    let operands: Option<Vec<Value>> = operands.collect();
                    let layout = self.cross.facts.program.layout;
                    let mut builder = Builder::new(&mut self.cross.language.pool, layout);
                    builder.value(op, ty, &operands?).ok()?.scalar()?
                }
                _ => return None,
            };
            here.insert(value, term);
        }
        for (value, term) in here {
            let pool = &self.cross.language.pool;
            made.assign.push((pool.as_var(self.values[&value])?, term));
        }
        for (cell, term) in written {
            let pool = &self.cross.language.pool;
            made.assign.push((pool.as_var(self.cells[cell].2)?, term));
        }
        Some(made)
    }

    /// The cell that a read or write of a type touches, if the loop does not compute its address.
    fn cell(&mut self, address: &Operand, ty: &Type) -> Option<usize> {
        if let Operand::Value(value) = address
            && self.values.contains_key(value)
        {
            return None;
        }
        let function = self.function();
        let address = self
            .cross
            .operand(self.height, function, address)?
            .scalar()?;
        let layout = self.cross.facts.program.layout;
        semantics::width(&layout, ty)?;
        let bytes = layout.store_size(ty)?;
        let bytes = u8::try_from(bytes).ok().filter(|bytes| *bytes <= 16)?;
        let mut known = self.cells.iter();
        if let Some(at) =
            known.position(|(own, own_bytes, _)| (*own, *own_bytes) == (address, bytes))
        {
            return Some(at);
        }
        let Language { pool, atoms } = &mut *self.cross.language;
        let var = atoms.any(pool, u16::from(bytes) * 8);
        self.cells.push((address, bytes, var));
        Some(self.cells.len() - 1)
    }

    /// A value that the loop reads and does not change.
    fn reads(&mut self, term: Term) -> Option<Term> {
        if self.cross.language.pool.as_const(term).is_some() {
            return Some(term);
        }
        if let Some(known) = self.outer.get(&term) {
            return Some(*known);
        }
        let Language { pool, atoms } = &mut *self.cross.language;
        let atom = Atom::Outer {
            extracted: self.number,
            index: self.read.len() as u32,
        };
        let bits = pool.width(term);
        let made = atoms.term(pool, atom, bits);
        self.outer_vars.push(pool.as_var(made)?);
        self.read.push(term);
        self.outer.insert(term, made);
        Some(made)
    }

    fn operand(&mut self, operand: &Operand, here: &BTreeMap<ValueId, Term>) -> Option<Value> {
        if let Operand::Value(value) = operand
            && let Some(known) = here.get(value).or_else(|| self.values.get(value))
        {
            return Some((*known).into());
        }
        let function = self.function();
        let made = self.cross.operand(self.height, function, operand)?;
        self.reads(made.scalar()?).map(Value::Scalar)
    }

    /// Where a block goes; edges that bring values to phis have blocks of their own, which are added.
    fn next(
        &mut self,
        from: BlockId,
        order: &[BlockId],
        (leaves, blocks): ((BlockId, BlockId), &mut Vec<Block>),
    ) -> Option<Next> {
        let function = self.function();
        match &function.blocks[from].terminator {
            Terminator::Br { target } => {
                let target = self.target((from, *target), order, (leaves, blocks))?;
                Some(Next::Goto(target))
            }
            Terminator::CondBr {
                cond, then, els, ..
            } => {
                let condition = self.operand(cond, &BTreeMap::new())?.scalar()?;
                let condition = self.as_assigned(blocks, (from, order), condition);
                Some(Next::Branch {
                    condition,
                    then: self.target((from, *then), order, (leaves, blocks))?,
                    otherwise: self.target((from, *els), order, (leaves, blocks))?,
                })
            }
            _ => None,
        }
    }

    /// A condition is read before its block assigns anything: values of the block stand in it as they are computed.
    fn as_assigned(
        &mut self,
        blocks: &[Block],
        (from, order): (BlockId, &[BlockId]),
        condition: Term,
    ) -> Term {
        let Some(at) = order.iter().position(|block| *block == from) else {
            return condition;
        };
        let by: BTreeMap<Var, Term> = blocks[at].assign.iter().copied().collect();
        self.cross.language.pool.substitute(condition, &by)
    }

    fn target(
        &mut self,
        (from, to): (BlockId, BlockId),
        order: &[BlockId],
        (leaves, blocks): ((BlockId, BlockId), &mut Vec<Block>),
    ) -> Option<Target> {
        if (from, to) == leaves {
            return Some(Target::Exit);
        }
        let Some(at) = order.iter().position(|block| *block == to) else {
            return Some(Target::Away);
        };
        let next = Target::Block(Number(at as u32));
        let function = self.function();
        let mut assign = Vec::new();
        for (value, inst) in function.insts(to) {
            if !matches!(inst.op, Op::Phi { .. }) {
                break;
            }
            let flows = semantics::incoming(&inst.op, from)?;
            let term = self.operand(flows, &BTreeMap::new())?.scalar()?;
            let var = self.cross.language.pool.as_var(self.values[&value])?;
            assign.push((var, term));
        }
        if assign.is_empty() {
            return Some(next);
        }
        blocks.push(Block {
            calls: Vec::new(),
            assign,
            next: Next::Goto(next),
        });
        Some(Target::Block(Number(blocks.len() as u32 - 1)))
    }
}

/// Terms with the variables of a loop's reads replaced.
#[must_use]
pub fn with_outer(pool: &mut Pool, extracted: &Extracted, read: &[Term]) -> Vec<Block> {
    let by: BTreeMap<Var, Term> = extracted
        .outer
        .iter()
        .copied()
        .zip(read.iter().copied())
        .collect();
    let mut replaced = |term: &Term| pool.substitute(*term, &by);
    let mut blocks = extracted.blocks.clone();
    for block in &mut blocks {
        for call in &mut block.calls {
            call.args = call.args.iter().map(&mut replaced).collect();
        }
        for (_, term) in &mut block.assign {
            *term = replaced(term);
        }
        if let Next::Branch { condition, .. } = &mut block.next {
            *condition = replaced(condition);
        }
    }
    blocks
}
