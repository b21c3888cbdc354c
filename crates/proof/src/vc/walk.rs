//! Straight ahead: what holds on one path through a few blocks, whatever was before them.
//!
//! Within the path memory is known as far as the path itself reads and writes it: reading the same place twice without anything
//! between that may write gives the same value, unless others may write at any time. Every other read gives an unknown value.

use std::collections::HashMap;
use std::rc::Rc;

use program::{BlockId, EdgeId, Op, Operand, SiteId, Type, ValueId};
use semantics::{Access, Effect, Value};
use smt::{Assignment, Pool, Term};

use super::frame::Frame;
use super::places::{Path, Places};

/// Places in memory that are kept in mind; the oldest is forgotten first.
const CELLS: usize = 64;
/// Phis of a block that are looked at.
const PHIS: usize = 6;

/// What memory holds somewhere.
#[derive(Clone)]
struct Cell {
    address: Term,
    bytes: u64,
    ty: Type,
    value: Value,
}

/// The path so far. Going back to a [`Mark`] takes its end away again.
pub struct Walk<'f, 'a> {
    pub frame: &'f mut Frame<'a>,
    /// Values of the blocks on the path.
    values: HashMap<ValueId, Option<Value>>,
    /// Their order; a value that is computed again has its old value with it.
    computed: Vec<(ValueId, Option<Option<Value>>)>,
    memory: Rc<Vec<Cell>>,
    /// Conditions of the path, all true under `hint`.
    held: Vec<Term>,
    /// The edges that they are of; facts about variables are of none.
    origins: Vec<Option<Cause>>,
    hint: Assignment,
    /// Others may write to memory at any time.
    shared: bool,
}

/// A point of a path.
#[derive(Clone)]
pub struct Mark {
    computed: usize,
    memory: Rc<Vec<Cell>>,
    held: usize,
    hint: Assignment,
}

/// Where a path decides something.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Cause {
    Edge(EdgeId),
    /// It takes one of several ways from there.
    Ways(SiteId),
}

/// What cannot be entered if a condition cannot hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Closes {
    Edge(EdgeId),
    Block(BlockId),
}

/// Something that every path to a block has decided.
#[derive(Clone, Copy, Debug)]
pub struct Known {
    pub closes: Closes,
    pub cause: Cause,
    pub condition: Term,
}

/// What every path to a block has decided, in order.
pub fn entering(walk: &mut Walk<'_, '_>, places: &Places, block: BlockId) -> Vec<Known> {
    let function = walk.frame.function;
    let mut all = Vec::new();
    for pair in places.before(block).windows(2) {
        let &[from, to] = pair else { continue };
        let Some(paths) = places.between(from, to) else {
            continue;
        };
        if let [path] = paths.as_slice() {
            for (from, way) in path.blocks.iter().zip(&path.ways) {
                if let Some(edge) = way.edge
                    && let Some(condition) = walk.condition(*from, edge)
                {
                    all.push(Known {
                        closes: Closes::Edge(edge),
                        cause: Cause::Edge(edge),
                        condition,
                    });
                }
            }
        }
        let Some(site) = function.blocks[from].terminator.site() else {
            continue;
        };
        let enters_once = !places.is_loop(to);
        if paths.len() < 2 && !enters_once {
            continue;
        }
        let mut any = walk.frame.pool.bool(false);
        for path in &paths {
            let condition = walk.condition_of(path, enters_once);
            any = walk.frame.pool.or(any, condition);
        }
        all.push(Known {
            closes: Closes::Block(to),
            cause: Cause::Ways(site),
            condition: any,
        });
    }
    all
}

impl<'f, 'a> Walk<'f, 'a> {
    pub fn new(frame: &'f mut Frame<'a>, shared: bool) -> Walk<'f, 'a> {
        Walk {
            frame,
            values: HashMap::new(),
            computed: Vec::new(),
            memory: Rc::default(),
            held: Vec::new(),
            origins: Vec::new(),
            hint: Assignment::new(),
            shared,
        }
    }

    /// The path begins here: of what was before nothing is known.
    pub fn restart(&mut self) {
        self.values.clear();
        self.computed.clear();
        self.held.clear();
        self.origins.clear();
        self.hint = Assignment::new();
        self.forget();
    }

    pub fn mark(&self) -> Mark {
        Mark {
            computed: self.computed.len(),
            memory: Rc::clone(&self.memory),
            held: self.held.len(),
            hint: self.hint.clone(),
        }
    }

    pub fn back_to(&mut self, mark: &Mark) {
        for (value, old) in self.computed.drain(mark.computed..).rev() {
            match old {
                Some(old) => self.values.insert(value, old),
                None => self.values.remove(&value),
            };
        }
        self.memory = Rc::clone(&mark.memory);
        self.held.truncate(mark.held);
        self.origins.truncate(mark.held);
        self.hint = mark.hint.clone();
    }

    /// The value of an operand at the end of the path; `None` for what has no terms.
    pub fn operand(&mut self, operand: &Operand) -> Option<Value> {
        match operand {
            Operand::Const(constant) => self.frame.constant(constant),
            Operand::Value(value) => match self.values.get(value) {
                Some(known) => known.clone(),
                None => self.frame.before(*value),
            },
        }
    }

    /// The path goes on through a block; `from`: the block before it, if the path comes from one.
    pub fn block(&mut self, block: BlockId, from: Option<BlockId>) {
        let function = self.frame.function;
        let insts = &function.blocks[block].insts;
        let (phis, rest) = insts.split_at(function.phis(block));
        // The phis of a block are one parallel assignment.
        let phis = phis.iter().map(|&value| (value, self.phi(value, from)));
        for (value, term) in phis.collect::<Vec<_>>() {
            self.set(value, term);
        }
        for &value in rest {
            self.instruction(value);
        }
    }

    fn phi(&mut self, value: ValueId, from: Option<BlockId>) -> Option<Value> {
        let Some(from) = from else {
            return self.frame.before(value);
        };
        let function = self.frame.function;
        let operand = semantics::incoming(&function.inst(value)?.op, from)?;
        self.operand(operand)
    }

    /// A value of the path is this from now on.
    pub fn set(&mut self, value: ValueId, made: Option<Value>) {
        let old = self.values.insert(value, made);
        self.computed.push((value, old));
    }

    /// The path goes on through one instruction that is no phi.
    pub fn instruction(&mut self, value: ValueId) {
        let function = self.frame.function;
        let Some(inst) = function.inst(value) else {
            return;
        };
        let ty = &function.values[value].ty;
        let made = self.run(value, &inst.op, ty);
        if *ty != Type::Void {
            self.set(value, made);
        }
    }

    /// The result of an instruction; memory changes as it says.
    fn run(&mut self, value: ValueId, op: &Op, ty: &Type) -> Option<Value> {
        if matches!(op, Op::Alloca { .. }) {
            return self.frame.before(value);
        }
        let mut operands = Vec::new();
        op.for_each_operand(|operand| operands.push(operand));
        let known: Option<Vec<Value>> = operands
            .iter()
            .map(|operand| self.operand(operand))
            .collect();
        let Some(known) = known else {
            if semantics::may_write(op) {
                self.forget();
            }
            return self.frame.unknown(ty);
        };
        if semantics::is_computed(op)
            && let Some(made) = self.frame.result((op, ty), &known)
        {
            return Some(made);
        }
        match (self.frame.effect((op, ty), &known), op) {
            (Effect::Read(access), _) => return self.load(access, ty),
            (Effect::Write(write), Op::Store { value, .. }) => {
                let ty = self.frame.function.operand_type(value);
                self.store(write.access, &ty, &known[0]);
            }
            (Effect::Nothing | Effect::Unknown(_), _) => {}
            _ => self.forget(),
        }
        self.frame.unknown(ty)
    }

    fn load(&mut self, access: Access, ty: &Type) -> Option<Value> {
        if access.volatile || self.shared {
            return self.frame.unknown(ty);
        }
        let known = self.memory.iter().rev().find(|cell| {
            cell.address == access.address && cell.bytes == access.bytes && self.alike(&cell.ty, ty)
        });
        if let Some(cell) = known {
            return Some(cell.value.clone());
        }
        let value = self.frame.unknown(ty)?;
        self.remember(Cell {
            address: access.address,
            bytes: access.bytes,
            ty: ty.clone(),
            value: value.clone(),
        });
        Some(value)
    }

    /// Are values of two types the same bits, cut in the same way?
    fn alike(&self, a: &Type, b: &Type) -> bool {
        let width = |ty| semantics::width(&self.frame.program.layout, ty);
        a == b || width(a).is_some() && width(a) == width(b)
    }

    fn store(&mut self, access: Access, ty: &Type, value: &Value) {
        let mut memory = std::mem::take(&mut self.memory);
        Rc::make_mut(&mut memory).retain(|cell| self.apart(cell, access));
        self.memory = memory;
        if !access.volatile && !self.shared {
            self.remember(Cell {
                address: access.address,
                bytes: access.bytes,
                ty: ty.clone(),
                value: value.clone(),
            });
        }
    }

    /// Can a write not change a cell?
    fn apart(&mut self, cell: &Cell, access: Access) -> bool {
        let pool = &mut *self.frame.pool;
        let (write, cell) = ((access.address, access.bytes), (cell.address, cell.bytes));
        let apart = semantics::apart(pool, write, cell);
        pool.is_true(apart)
    }

    fn remember(&mut self, cell: Cell) {
        let memory = Rc::make_mut(&mut self.memory);
        if memory.len() == CELLS {
            memory.remove(0);
        }
        memory.push(cell);
    }

    /// Nothing is known of memory any more.
    pub fn forget(&mut self) {
        self.memory = Rc::default();
    }

    /// What holds on a path that ends where this walk begins: its edges, and what flows into the phis behind them. Only what is
    /// known before the walk's own blocks is asked.
    pub fn condition_of(&mut self, path: &Path, phis_of_last: bool) -> Term {
        let function = self.frame.function;
        let mut all = self.frame.pool.bool(true);
        let blocks = path.blocks.windows(2).zip(&path.ways);
        let last = path.blocks.last().copied();
        for (pair, way) in blocks {
            let &[from, to] = pair else { continue };
            if let Some(edge) = way.edge
                && let Some(condition) = self.condition(from, edge)
            {
                all = self.frame.pool.and(all, condition);
            }
            if Some(to) == last && !phis_of_last {
                continue;
            }
            for (phi, inst) in function.insts(to).take(PHIS) {
                let Op::Phi { incoming } = &inst.op else {
                    break;
                };
                let flows = incoming.iter().find(|(block, _)| *block == from);
                let value = flows.and_then(|(_, value)| self.operand(value));
                let value = value.and_then(|value| value.scalar());
                let phi = self.frame.before(phi).and_then(|phi| phi.scalar());
                if let (Some(value), Some(phi)) = (value, phi) {
                    let equal = self.frame.pool.eq(phi, value);
                    all = self.frame.pool.and(all, equal);
                }
            }
        }
        all
    }

    /// The condition of an edge that leaves the last block of the path; `None` when nothing is known of it.
    pub fn condition(&mut self, block: BlockId, edge: EdgeId) -> Option<Term> {
        let function = self.frame.function;
        let operand = semantics::looked_at(&function.blocks[block].terminator)?;
        let looked_at = self.operand(operand)?.scalar()?;
        self.frame.taken(edge, looked_at)
    }

    /// The path goes on where a condition holds, whether it can or not.
    pub fn suppose(&mut self, cause: Option<Cause>, condition: Term) {
        self.hold_facts(condition);
        self.hold(condition, cause);
    }

    /// Holds what is known of the variables of a condition.
    pub fn hold_facts(&mut self, condition: Term) {
        let mut hint = self.hint.clone();
        for fact in self.frame.facts(condition, &mut hint) {
            if !self.held.contains(&fact) {
                self.hold(fact, None);
            }
        }
        self.hint = hint;
    }

    /// The conditions of the path.
    #[must_use]
    pub fn held(&self) -> &[Term] {
        &self.held
    }

    /// What each of them is of; facts about variables are of nothing.
    #[must_use]
    pub fn origins(&self) -> &[Option<Cause>] {
        &self.origins
    }

    /// For who asks a solver: its terms, the conditions, and values that meet those, if [`Walk::set_hint`] was kept up.
    pub fn parts(&mut self) -> (&mut Pool, &[Term], &Assignment) {
        (&mut *self.frame.pool, &self.held, &self.hint)
    }

    /// Values that meet all conditions.
    pub fn set_hint(&mut self, hint: Assignment) {
        self.hint = hint;
    }

    /// Holds a condition.
    pub fn hold(&mut self, condition: Term, origin: Option<Cause>) {
        self.held.push(condition);
        self.origins.push(origin);
    }
}
