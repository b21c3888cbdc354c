//! From a part of a program to clauses: each says how a run comes from one point to the next.

use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use program::callgraph::CallGraph;
use program::parts::Parts;
use program::private::Cell;
use program::{
    BlockId, Callee, EdgeId, FuncId, Function, Op, Operand, Program, SiteId, Terminator, Type,
    ValueId,
};
use smt::horn::{Application, Clause, Predicate, System};
use smt::{Pool, Term};

use super::live::Live;
use crate::cells::Cells;
use crate::certificate::Fact;
use crate::closed::Place;
use crate::induction::is_unknown;
use crate::kinds::Refusal;
use crate::vc::{Cause, Frame, Mark, Walk, initial, ways_out};

/// Points of a system.
const POINTS: usize = 500;
/// Clauses of a system.
const CLAUSES: usize = 2_500;
/// Blocks of one clause, one behind the other.
const LONG: usize = 64;

/// A point of a run: in front of an instruction, called by these calls.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Point {
    waiting: Vec<Place>,
    place: Place,
}

/// What clauses are made of.
pub(super) struct Given<'a> {
    pub program: &'a Program,
    pub parts: &'a Parts,
    pub graph: &'a CallGraph,
    /// Whose calls the part begins with, whatever they are given.
    pub function: Option<FuncId>,
    pub followed: &'a BTreeSet<FuncId>,
    /// In order.
    pub cells: Rc<[Cell]>,
    /// Edges that no run takes.
    pub dead: &'a BTreeSet<EdgeId>,
    /// Others may write to memory at any time.
    pub shared: bool,
}

pub(super) struct Builder<'a> {
    given: Given<'a>,
    root: FuncId,
    /// What is to be refuted.
    never: (BTreeSet<EdgeId>, BTreeSet<(FuncId, BlockId)>),
    live: BTreeMap<FuncId, Live<'a>>,
    known: BTreeMap<Point, Predicate>,
    /// Points whose clauses are to be made.
    work: Vec<(Point, Predicate)>,
    system: System,
}

/// A path from a point.
struct Path<'a, 'f, 'w> {
    walk: Walk<'f, 'w>,
    cells: Cells<'a>,
    point: &'f Point,
    /// What waiting functions have, the outermost first.
    waiting: Vec<Vec<Term>>,
    body: Vec<Application>,
    /// Blocks so far.
    long: usize,
}

impl<'a> Builder<'a> {
    pub(super) fn new(given: Given<'a>, root: FuncId, never: &[Fact]) -> Builder<'a> {
        let mut edges = BTreeSet::new();
        let mut blocks = BTreeSet::new();
        for fact in never {
            match *fact {
                Fact::Edge { edge } => {
                    edges.insert(EdgeId::from_u32(edge));
                }
                Fact::Block { function, block } => {
                    blocks.insert((FuncId::from_u32(function), BlockId::from_u32(block)));
                }
            }
        }
        Builder {
            given,
            root,
            never: (edges, blocks),
            live: BTreeMap::new(),
            known: BTreeMap::new(),
            work: Vec::new(),
            system: System::new(),
        }
    }

    /// All clauses.
    pub(super) fn build(mut self, pool: &mut Pool) -> Result<System, Refusal> {
        self.start(pool)?;
        let mut next = 0;
        while let Some((point, predicate)) = self.work.get(next).cloned() {
            next += 1;
            self.clauses(pool, &point, predicate)?;
        }
        Ok(self.system)
    }

    /// Where runs of the part begin.
    fn start(&mut self, pool: &mut Pool) -> Result<(), Refusal> {
        let root = self.root;
        let point = Point {
            waiting: Vec::new(),
            place: entry(root),
        };
        let head = self.predicate(&point)?;
        let mut frame = self.frame(pool, root);
        let mut walk = Walk::new(&mut frame, self.given.shared);
        let mut arguments = Vec::new();
        for value in self.live_at(point.place) {
            arguments.push(number(&mut walk, value)?);
        }
        for at in 0..self.given.cells.len() {
            let known = match self.given.function {
                Some(_) => None,
                None => initial(walk.frame, self.given.cells[at]),
            };
            let bits = 8 * u32::try_from(self.given.cells[at].size).unwrap_or(8);
            let anything = || walk.frame.unknown(&Type::Int(bits))?.scalar();
            arguments.push(known.or_else(anything).ok_or(Refusal::NotThere)?);
        }
        let constraint = pool.bool(true);
        let head = Application {
            predicate: head,
            arguments,
        };
        self.add(pool, (Vec::new(), constraint), Some(head))
    }

    fn frame<'p>(&self, pool: &'p mut Pool, function: FuncId) -> Frame<'p>
    where
        'a: 'p,
    {
        let body = &self.given.program.functions[function];
        Frame::new(self.given.program, body, pool).of_bits_alone()
    }

    fn add(
        &mut self,
        pool: &Pool,
        (body, constraint): (Vec<Application>, Term),
        head: Option<Application>,
    ) -> Result<(), Refusal> {
        if pool.is_false(constraint) {
            return Ok(());
        }
        if self.system.clauses().len() == CLAUSES {
            return Err(Refusal::TooLarge);
        }
        let clause = Clause {
            body,
            constraint,
            head,
        };
        let fits = self.system.add(pool, clause);
        fits.map_err(|bad| Refusal::Body(bad.to_string()))
    }

    fn live(&mut self, function: FuncId) -> &mut Live<'a> {
        let (program, followed) = (self.given.program, self.given.followed);
        let made = || Live::new(program, function, followed);
        self.live.entry(function).or_insert_with(made)
    }

    /// What the active function has at a place that is still asked for.
    fn live_at(&mut self, place: Place) -> Vec<ValueId> {
        let live = self.live(place.function).at(place.block, place.at);
        live.into_iter().collect()
    }

    /// What a function has that waits for a call: without what that returns.
    fn live_behind(&mut self, call: Place) -> Vec<ValueId> {
        let body = &self.given.program.functions[call.function];
        let result = body.blocks[call.block].insts.get(call.at).copied();
        let mut live = self.live_at(behind(call));
        live.retain(|value| Some(*value) != result);
        live
    }

    /// The predicate of a point: what its functions have, the outermost first, and what cells hold.
    fn predicate(&mut self, point: &Point) -> Result<Predicate, Refusal> {
        if let Some(known) = self.known.get(point) {
            return Ok(*known);
        }
        if self.known.len() == POINTS {
            return Err(Refusal::TooLarge);
        }
        let mut widths = Vec::new();
        let mut own = Vec::new();
        for call in &point.waiting {
            let live = self.live_behind(*call);
            own.extend(live.into_iter().map(|value| (call.function, value)));
        }
        let live = self.live_at(point.place);
        own.extend(live.into_iter().map(|value| (point.place.function, value)));
        for (function, value) in own {
            let ty = &self.given.program.functions[function].values[value].ty;
            let bits = semantics::width(&self.given.program.layout, ty);
            widths.push(bits.ok_or(Refusal::NotThere)?);
        }
        for cell in &*self.given.cells {
            widths.push(u16::try_from(8 * cell.size).map_err(|_| Refusal::NotThere)?);
        }
        let predicate = self.system.predicate(widths);
        self.known.insert(point.clone(), predicate);
        self.work.push((point.clone(), predicate));
        Ok(predicate)
    }

    /// The clauses of all ways that lead on from a point.
    fn clauses(
        &mut self,
        pool: &mut Pool,
        point: &Point,
        predicate: Predicate,
    ) -> Result<(), Refusal> {
        let function = point.place.function;
        let mut frame = self.frame(pool, function);
        let mut walk = Walk::new(&mut frame, self.given.shared);
        let mut waiting = Vec::new();
        for call in &point.waiting {
            let mut own = Vec::new();
            for value in self.live_behind(*call) {
                let ty = &self.given.program.functions[call.function].values[value].ty;
                let any = walk.frame.unknown(ty).and_then(|any| any.scalar());
                own.push(any.ok_or(Refusal::NotThere)?);
            }
            waiting.push(own);
        }
        let mut arguments: Vec<Term> = waiting.iter().flatten().copied().collect();
        for value in self.live_at(point.place) {
            let known = number(&mut walk, value)?;
            walk.hold_facts(known);
            arguments.push(known);
        }
        let program = (self.given.program, self.given.parts);
        let mut cells = Cells::new(program, function, Rc::clone(&self.given.cells));
        for at in 0..cells.len() {
            let held = cells.get(&mut walk, at).ok_or(Refusal::NotThere)?;
            arguments.push(held);
        }
        let mut path = Path {
            walk,
            cells,
            point,
            waiting,
            body: vec![Application {
                predicate,
                arguments,
            }],
            long: 0,
        };
        self.block(&mut path, point.place.block, point.place.at)
    }

    /// Goes through a block from an instruction on, and out of it.
    fn block(
        &mut self,
        path: &mut Path<'a, '_, '_>,
        block: BlockId,
        from: usize,
    ) -> Result<(), Refusal> {
        let function = path.point.place.function;
        let body = &self.given.program.functions[function];
        for (at, &value) in body.blocks[block].insts.iter().enumerate().skip(from) {
            let place = Place {
                function,
                block,
                at,
            };
            if !self.instruction(path, place, value)? {
                return Ok(());
            }
        }
        self.leave(path, block)
    }

    /// Does the path go on behind an instruction?
    fn instruction(
        &mut self,
        path: &mut Path<'a, '_, '_>,
        place: Place,
        value: ValueId,
    ) -> Result<bool, Refusal> {
        let body = &self.given.program.functions[place.function];
        let Some(inst) = body.inst(value) else {
            return Ok(true);
        };
        let ty = &body.values[value].ty;
        if let Some(read) = path.cells.access(&mut path.walk, (inst, ty)) {
            path.walk.set(value, read);
            return Ok(true);
        }
        match &inst.op {
            Op::Call { callee, args, .. } => {
                if let Callee::Direct(target) = callee
                    && self.is_followed(path, place.function, *target)
                {
                    self.enter(path, place, (*target, args))?;
                    return Ok(false);
                }
                self.is_unseen(place.function, value)?;
                let is_own = match callee {
                    Callee::Direct(target) => !is_unknown(&self.given.program.functions[*target]),
                    Callee::Extern(_) => false,
                    _ => true,
                };
                if is_own {
                    path.cells.forget();
                }
            }
            Op::Count {
                site: Some(site), ..
            } => self.count(path, *site, &inst.op)?,
            _ => {}
        }
        path.walk.instruction(value);
        Ok(true)
    }

    /// A function that is called already is not called once more: it may do anything to cells.
    fn is_followed(&self, path: &Path<'_, '_, '_>, caller: FuncId, target: FuncId) -> bool {
        let mut waiting = path.point.waiting.iter().map(|call| call.function);
        self.given.followed.contains(&target)
            && !is_unknown(&self.given.program.functions[target])
            && caller != target
            && waiting.all(|other| other != target)
    }

    /// Nothing that is to be refuted may happen in a call that is not followed.
    fn is_unseen(&self, function: FuncId, call: ValueId) -> Result<(), Refusal> {
        // Each call of one function is looked at, whoever makes it.
        if self.given.function.is_some() {
            return Ok(());
        }
        let (edges, blocks) = &self.never;
        let of_edges = edges
            .iter()
            .map(|edge| self.given.program.function_of(*edge));
        let own: BTreeSet<FuncId> = of_edges
            .chain(blocks.iter().map(|(function, _)| *function))
            .collect();
        let mut sites = self.given.graph.calls(function).iter();
        let Some(site) = sites.find(|site| site.inst == call) else {
            return Ok(());
        };
        let starts: Vec<FuncId> = site.functions().collect();
        let reached = self.given.graph.reachable_from(&starts);
        match reached.iter().any(|function| own.contains(function)) {
            true => Err(Refusal::NeedsSearch(
                "a call that is not followed may lead to it".to_owned(),
            )),
            false => Ok(()),
        }
    }

    /// Sides that are counted by an instruction.
    fn count(&mut self, path: &mut Path<'a, '_, '_>, site: SiteId, op: &Op) -> Result<(), Refusal> {
        for edge in self.given.program.edges_of(site) {
            if !self.never.0.contains(&edge) {
                continue;
            }
            let mark = path.walk.mark();
            let step = semantics::grows_by(op).and_then(|step| path.walk.operand(step));
            let step = step.and_then(|step| step.scalar());
            if let Some(taken) = step.and_then(|step| path.walk.frame.taken(edge, step)) {
                path.walk.suppose(Some(Cause::Edge(edge)), taken);
            }
            self.emit(path, None)?;
            path.walk.back_to(&mark);
        }
        Ok(())
    }

    /// A call that is followed.
    fn enter(
        &mut self,
        path: &mut Path<'a, '_, '_>,
        call: Place,
        (target, args): (FuncId, &[Operand]),
    ) -> Result<(), Refusal> {
        if self.never.1.contains(&(target, Function::ENTRY)) {
            return self.emit(path, None);
        }
        let body = &self.given.program.functions[target];
        let mut arguments: Vec<Term> = path.waiting.iter().flatten().copied().collect();
        for value in self.live_behind(call) {
            let known = path.walk.operand(&Operand::Value(value));
            arguments.push(
                known
                    .and_then(|known| known.scalar())
                    .ok_or(Refusal::NotThere)?,
            );
        }
        let point = Point {
            waiting: [path.point.waiting.as_slice(), &[call]].concat(),
            place: entry(target),
        };
        let predicate = self.predicate(&point)?;
        for value in self.live_at(point.place) {
            let ty = &body.values[value].ty;
            let at = body.params.iter().position(|param| *param == value);
            let arg = at.and_then(|at| args.get(at));
            let fits = |arg: &&Operand| path.walk.frame.function.operand_type(arg) == *ty;
            let arg = arg.filter(fits).and_then(|arg| path.walk.operand(arg));
            let arg = arg.or_else(|| path.walk.frame.unknown(ty));
            arguments.push(arg.and_then(|arg| arg.scalar()).ok_or(Refusal::NotThere)?);
        }
        self.to(path, predicate, arguments)
    }

    /// The ways out of a block.
    fn leave(&mut self, path: &mut Path<'a, '_, '_>, block: BlockId) -> Result<(), Refusal> {
        let function = path.point.place.function;
        let body = &self.given.program.functions[function];
        if let Terminator::Ret { value } = &body.blocks[block].terminator {
            return self.go_back(path, value.as_ref());
        }
        for (edge, to) in ways_out(self.given.program, body, block) {
            if edge.is_some_and(|edge| self.given.dead.contains(&edge)) {
                continue;
            }
            let before: (Mark, Cells<'a>, usize) =
                (path.walk.mark(), path.cells.clone(), path.long);
            if let Some(edge) = edge
                && let Some(condition) = path.walk.condition(block, edge)
            {
                path.walk.suppose(Some(Cause::Edge(edge)), condition);
            }
            let is_bad = edge.is_some_and(|edge| self.never.0.contains(&edge))
                || self.never.1.contains(&(function, to));
            match is_bad {
                true => self.emit(path, None)?,
                false => self.come_to(path, block, to)?,
            }
            path.walk.back_to(&before.0);
            (path.cells, path.long) = (before.1, before.2);
        }
        Ok(())
    }

    /// The way from one block to another one.
    fn come_to(
        &mut self,
        path: &mut Path<'a, '_, '_>,
        from: BlockId,
        to: BlockId,
    ) -> Result<(), Refusal> {
        let function = path.point.place.function;
        let body = &self.given.program.functions[function];
        let first = body.phis(to);
        let insts = &body.blocks[to].insts[..first];
        let mut flows = Vec::new();
        for &phi in insts {
            let operand = body
                .inst(phi)
                .and_then(|inst| semantics::incoming(&inst.op, from));
            flows.push((phi, operand.and_then(|operand| path.walk.operand(operand))));
        }
        // Blocks with one way in are gone through at once.
        if self.ways_in(function, to) == 1 && path.long < LONG {
            for (phi, flows) in flows {
                path.walk.set(phi, flows);
            }
            path.long += 1;
            return self.block(path, to, first);
        }
        let point = Point {
            waiting: path.point.waiting.clone(),
            place: Place {
                function,
                block: to,
                at: first,
            },
        };
        let predicate = self.predicate(&point)?;
        let mut arguments: Vec<Term> = path.waiting.iter().flatten().copied().collect();
        for value in self.live_at(point.place) {
            let known = match flows.iter().find(|(phi, _)| *phi == value) {
                Some((_, flows)) => flows.clone(),
                None => path.walk.operand(&Operand::Value(value)),
            };
            let known = known.and_then(|known| known.scalar());
            let known = match known {
                Some(known) => Some(known),
                None => {
                    let ty = &body.values[value].ty;
                    path.walk.frame.unknown(ty).and_then(|any| any.scalar())
                }
            };
            arguments.push(known.ok_or(Refusal::NotThere)?);
        }
        self.to(path, predicate, arguments)
    }

    fn ways_in(&self, function: FuncId, to: BlockId) -> usize {
        let body = &self.given.program.functions[function];
        let into = |block: BlockId| {
            let ways = ways_out(self.given.program, body, block).into_iter();
            ways.filter(|(_, other)| *other == to).count()
        };
        // The entry of a function is come to by calls as well.
        let calls = usize::from(to == Function::ENTRY);
        calls + body.blocks.keys().map(into).sum::<usize>()
    }

    /// A function returns.
    fn go_back(
        &mut self,
        path: &mut Path<'a, '_, '_>,
        value: Option<&Operand>,
    ) -> Result<(), Refusal> {
        let Some((call, outer)) = path.point.waiting.split_last() else {
            return Ok(());
        };
        let point = Point {
            waiting: outer.to_vec(),
            place: behind(*call),
        };
        let predicate = self.predicate(&point)?;
        let (own, others) = path.waiting.split_last().ok_or(Refusal::NotThere)?;
        let mut arguments: Vec<Term> = others.iter().flatten().copied().collect();
        let kept: BTreeMap<ValueId, Term> = self
            .live_behind(*call)
            .into_iter()
            .zip(own.iter().copied())
            .collect();
        let caller = &self.given.program.functions[call.function];
        for known in self.live_at(point.place) {
            let ty = &caller.values[known].ty;
            let found = match kept.get(&known) {
                Some(term) => Some(*term),
                None => {
                    let fits =
                        |value: &&Operand| path.walk.frame.function.operand_type(value) == *ty;
                    let result = value
                        .filter(fits)
                        .and_then(|value| path.walk.operand(value));
                    let result = result.or_else(|| path.walk.frame.unknown(ty));
                    result.and_then(|result| result.scalar())
                }
            };
            arguments.push(found.ok_or(Refusal::NotThere)?);
        }
        self.to(path, predicate, arguments)
    }

    /// What cells hold is behind what functions have.
    fn to(
        &mut self,
        path: &mut Path<'a, '_, '_>,
        predicate: Predicate,
        mut arguments: Vec<Term>,
    ) -> Result<(), Refusal> {
        for at in 0..path.cells.len() {
            let held = path.cells.get(&mut path.walk, at);
            arguments.push(held.ok_or(Refusal::NotThere)?);
        }
        let head = Application {
            predicate,
            arguments,
        };
        self.emit(path, Some(head))
    }

    fn emit(
        &mut self,
        path: &mut Path<'a, '_, '_>,
        head: Option<Application>,
    ) -> Result<(), Refusal> {
        let held = path.walk.held().to_vec();
        let pool = &mut *path.walk.frame.pool;
        let mut constraint = pool.bool(true);
        for term in held {
            constraint = pool.and(constraint, term);
        }
        self.add(pool, (path.body.clone(), constraint), head)
    }
}

/// A value of the active function, computed before.
fn number(walk: &mut Walk<'_, '_>, value: ValueId) -> Result<Term, Refusal> {
    let known = walk.frame.before(value).and_then(|known| known.scalar());
    known.ok_or(Refusal::NotThere)
}

fn entry(function: FuncId) -> Place {
    Place {
        function,
        block: Function::ENTRY,
        at: 0,
    }
}

fn behind(call: Place) -> Place {
    Place {
        at: call.at + 1,
        ..call
    }
}
