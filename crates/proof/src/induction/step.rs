//! One step: from a state at the entry of a block to all that follow it.

use program::callgraph::CallSite;
use program::{BlockId, Callee, FuncId, Function, Op, Operand, SiteId, Terminator, Type, ValueId};
use semantics::Value;
use smallvec::smallvec;
use smt::check::Checker;
use smt::{Pool, Term};

use super::gate::{Gate, Place};

use super::weaken::Join;
use super::{Induction, fit};
use crate::assertion::{Exit, Pair, Set, Spot, State, order};
use crate::cells::Cells;
use crate::kinds::Refusal;
use crate::question::{self, not_refuted};
use crate::tables::Leads;
use crate::vc::{Cause, Frame, Mark, Walk, initial, ways_out};

/// Ways that calls of one block may go on.
const FORKS: usize = 4096;

/// A point of a path through a block, to go back to.
struct Path<'a> {
    mark: Mark,
    cells: Cells<'a>,
}

/// The step that is checked.
pub(super) struct Step<'i, 'a, 'f, 'w> {
    pub(super) all: &'i mut Induction<'a>,
    pub(super) walk: Walk<'f, 'w>,
    pub(super) context: usize,
    pub(super) block: BlockId,
    cells: Cells<'a>,
    /// What numbers are addresses of.
    leads: Leads,
    /// What the state says of cells.
    said: Vec<(u32, Set)>,
    /// Times that calls have come back.
    forks: usize,
    /// Made when it is asked for the first time.
    solver: Option<Checker>,
}

impl<'a> Induction<'a> {
    /// The state at the program's start is one that the first context allows.
    pub(super) fn start(&mut self) -> Result<(), Refusal> {
        let root = fit::root(self.program).ok_or(Refusal::NotThere)?;
        let first = self.invariant.contexts.first().ok_or(Refusal::NotThere)?;
        if first.function != root.as_u32() {
            return Err(Refusal::NotThere);
        }
        let mut pool = Pool::new();
        let body = &self.program.functions[root];
        let mut frame = Frame::new(self.program, body, &mut pool).cheap();
        let mut step = Step::new(self, Walk::new(&mut frame, false), 0, Function::ENTRY);
        for at in 0..step.cells.len() {
            let held = initial(step.walk.frame, step.cells.cell(at));
            step.cells.set(at, held);
        }
        let gate = step.gate_of_function(0, &[]);
        step.must(&[gate], "the start")
    }

    /// All that follows a state is allowed.
    pub(super) fn step(&mut self, context: usize, state: &State) -> Result<(), Refusal> {
        self.effort.goes_on()?;
        let function = FuncId::from_u32(self.invariant.contexts[context].function);
        let body = &self.program.functions[function];
        let block = BlockId::from_u32(state.block);
        let (mut pool, solver) = self.bench.lend();
        let mut frame = Frame::new(self.program, body, &mut pool).cheap();
        let mut step = Step::new(self, Walk::new(&mut frame, false), context, block);
        step.solver = solver;
        step.said.clone_from(&state.cells);
        step.suppose_cells(&state.cells)?;
        for (value, set) in &state.values {
            step.suppose_value(ValueId::from_u32(*value), set)?;
        }
        for (pair, set) in &state.pairs {
            step.suppose_pair(*pair, set)?;
        }
        step.run()?;
        let solver = step.solver.take();
        (self.bench.pool, self.bench.solver) = (pool, solver);
        Ok(())
    }
}

impl<'i, 'a, 'f, 'w> Step<'i, 'a, 'f, 'w> {
    fn new(
        all: &'i mut Induction<'a>,
        walk: Walk<'f, 'w>,
        context: usize,
        block: BlockId,
    ) -> Step<'i, 'a, 'f, 'w> {
        let function = FuncId::from_u32(all.invariant.contexts[context].function);
        let cells = Cells::new((all.program, all.parts), function, all.cells.clone());
        Step {
            all,
            walk,
            context,
            block,
            cells,
            leads: Leads::default(),
            said: Vec::new(),
            forks: 0,
            solver: None,
        }
    }

    pub(super) fn cell(&mut self, cell: usize) -> Option<Term> {
        self.cells.get(&mut self.walk, cell)
    }

    fn suppose_cells(&mut self, sets: &[(u32, Set)]) -> Result<(), Refusal> {
        for (cell, set) in sets {
            let cell = *cell as usize;
            let bits = u16::try_from(self.cells.bits(cell)).map_err(|_| Refusal::NotThere)?;
            if let Some(only) = set.only_term(self.walk.frame, bits) {
                self.leads.note(only, set);
                self.cells.set(cell, Some(only));
                continue;
            }
            let number = self.cell(cell).ok_or(Refusal::NotThere)?;
            self.leads.note(number, set);
            let has = set.has(self.walk.frame, number);
            self.walk.suppose(None, has);
        }
        Ok(())
    }

    fn suppose_value(&mut self, value: ValueId, set: &Set) -> Result<(), Refusal> {
        let known = self.walk.frame.before(value);
        let number = known.and_then(|known| known.scalar());
        let number = number.ok_or(Refusal::NotThere)?;
        self.leads.note(number, set);
        let has = set.has(self.walk.frame, number);
        self.walk.suppose(None, has);
        let bits = self.walk.frame.pool.width(number);
        if let Some(only) = set.only_term(self.walk.frame, bits) {
            self.walk.set(value, Some(only.into()));
        }
        Ok(())
    }

    fn suppose_pair(&mut self, pair: Pair, set: &Set) -> Result<(), Refusal> {
        let sides = [pair.0, pair.1].map(|spot| match spot {
            Spot::Cell(cell) => self.cell(cell as usize),
            Spot::Value(value) => self
                .walk
                .frame
                .before(ValueId::from_u32(value))
                .and_then(|known| known.scalar()),
        });
        let [Some(a), Some(b)] = sides else {
            return Err(Refusal::NotThere);
        };
        let order = order(self.walk.frame.pool, a, b).ok_or(Refusal::NotThere)?;
        let has = set.has(self.walk.frame, order);
        self.walk.suppose(None, has);
        Ok(())
    }

    /// Goes through the block, and its calls.
    fn run(&mut self) -> Result<(), Refusal> {
        let function = self.walk.frame.function;
        let insts = &function.blocks[self.block].insts;
        self.run_from(insts, function.phis(self.block))
    }

    /// Goes on with the instruction of this index; a call goes on with each way that it comes back.
    fn run_from(&mut self, insts: &[ValueId], first: usize) -> Result<(), Refusal> {
        self.forks += 1;
        if self.forks > FORKS {
            return Err(Refusal::TooLarge);
        }
        for (at, &value) in insts.iter().enumerate().skip(first) {
            let Next::Exits(exits) = self.instruction(value)? else {
                continue;
            };
            for exit in exits {
                let before = self.path();
                self.come_back(value, &exit)?;
                self.run_from(insts, at + 1)?;
                self.back_to(before);
            }
            return Ok(());
        }
        self.leave()
    }

    fn path(&self) -> Path<'a> {
        Path {
            mark: self.walk.mark(),
            cells: self.cells.clone(),
        }
    }

    fn back_to(&mut self, path: Path<'a>) {
        self.walk.back_to(&path.mark);
        self.cells = path.cells;
    }

    fn instruction(&mut self, value: ValueId) -> Result<Next, Refusal> {
        let function = self.walk.frame.function;
        let Some(inst) = function.inst(value) else {
            return Ok(Next::On);
        };
        let ty = &function.values[value].ty;
        if let Some(read) = self.cells.access(&mut self.walk, (inst, ty)) {
            self.walk.set(value, read);
            return Ok(Next::On);
        }
        // What the walk itself knows of memory goes by its own rules.
        match &inst.op {
            Op::Call { callee, args, .. } => {
                if let Some(ways) = self.call(value, callee, args)? {
                    return Ok(Next::Exits(ways));
                }
            }
            Op::Count {
                site: Some(site), ..
            } => self.count(*site, &inst.op)?,
            _ => {}
        }
        self.walk.instruction(value);
        if let Op::Load { address, .. } = &inst.op {
            self.leads.read(&mut self.walk, address, value);
        }
        Ok(Next::On)
    }

    /// Which edges without a block of their own are taken here.
    fn count(&mut self, site: SiteId, op: &Op) -> Result<(), Refusal> {
        for edge in self.all.program.edges_of(site) {
            if self.all.taken.contains(&edge) {
                continue;
            }
            let before = self.path();
            let step = semantics::grows_by(op).and_then(|step| self.walk.operand(step));
            let step = step.and_then(|step| step.scalar());
            if let Some(taken) = step.and_then(|step| self.walk.frame.taken(edge, step)) {
                self.walk.suppose(Some(Cause::Edge(edge)), taken);
            }
            if !self.is_impossible()? {
                self.all.taken.insert(edge);
            }
            self.back_to(before);
        }
        Ok(())
    }

    /// The ways that a call may come back; `None`: it goes into nothing that is looked into.
    fn call(
        &mut self,
        at: ValueId,
        callee: &Callee,
        args: &[Operand],
    ) -> Result<Option<Vec<Way>>, Refusal> {
        let program = self.all.program;
        match callee {
            Callee::Direct(target) if !fit::is_unknown(&program.functions[*target]) => {
                self.enter(at, *target, args).map(Some)
            }
            Callee::Indirect(pointer) => {
                let function = self.all.invariant.contexts[self.context].function;
                match self.all.effects.site(FuncId::from_u32(function), at) {
                    Some(site) => self.call_through(pointer, site, args),
                    None => Ok(None),
                }
            }
            _ => Ok(None),
        }
    }

    /// The same of a call through a pointer.
    fn call_through(
        &mut self,
        pointer: &Operand,
        site: &CallSite,
        args: &[Operand],
    ) -> Result<Option<Vec<Way>>, Refusal> {
        let program = self.all.program;
        let is_own = |id: &FuncId| !fit::is_unknown(&program.functions[*id]);
        let (own, others): (Vec<FuncId>, Vec<FuncId>) = site.functions().partition(is_own);
        if own.is_empty() {
            return Ok(None);
        }
        if !site.closed {
            // In a function that is never entered.
            return match self.is_impossible()? {
                true => Ok(Some(Vec::new())),
                false => Err(Refusal::NotThere),
            };
        }
        let pointer = self.walk.operand(pointer).and_then(|known| known.scalar());
        let mut ways = Vec::new();
        for target in &own {
            let before = self.path();
            let is_it = pointer.and_then(|it| self.walk.frame.leads_to(it, *target, &own));
            let is_it = is_it.unwrap_or_else(|| self.walk.frame.pool.bool(true));
            self.walk.suppose(None, is_it);
            if own.len() == 1 && others.is_empty() || !self.is_impossible()? {
                for way in self.enter(site.inst, *target, args)? {
                    let entry = self.walk.frame.pool.and(is_it, way.entry);
                    ways.push(Way { entry, ..way });
                }
            }
            self.back_to(before);
        }
        if !others.is_empty() || site.externs().next().is_some() {
            let entry = self.walk.frame.pool.bool(true);
            ways.push(Way { entry, exit: None });
        }
        Ok(Some(ways))
    }

    /// A function is called: the exits of the contexts that it may be in.
    fn enter(
        &mut self,
        at: ValueId,
        target: FuncId,
        args: &[Operand],
    ) -> Result<Vec<Way>, Refusal> {
        let (invariant, program) = (self.all.invariant, self.all.program);
        let is_of =
            |context: &&u32| invariant.contexts[**context as usize].function == target.as_u32();
        let own = invariant.contexts[self.context].calls.iter();
        let own = own.filter(|call| call.at == at.as_u32());
        let known: Vec<u32> = own
            .flat_map(|call| &call.to)
            .filter(is_of)
            .copied()
            .collect();
        if known.is_empty() {
            if self.is_impossible()? {
                return Ok(Vec::new());
            }
            let changes = self.all.changes.as_mut().ok_or(Refusal::NotThere)?;
            changes.call.insert((self.context, at.as_u32(), target));
            return Ok(Vec::new());
        }
        let returns =
            self.walk.frame.function.values[at].ty == program.functions[target].return_type;
        let body = &program.functions[target];
        let mut passed = Vec::new();
        for (at, param) in body.params.iter().enumerate() {
            let arg = args.get(at);
            let fits = arg.is_some_and(|arg| {
                self.walk.frame.function.operand_type(arg) == body.values[*param].ty
            });
            let value = arg.filter(|_| fits).and_then(|arg| self.walk.operand(arg));
            passed.push(value.and_then(|value| value.scalar()));
        }
        let mut ways = Vec::new();
        let mut gates = Vec::new();
        for context in known {
            let context = context as usize;
            let there = &invariant.contexts[context];
            self.all.seen.insert((context, Place::Exit));
            let gate = self.gate_of_function(context, &passed);
            let entry = self.passes(&gate);
            gates.push(gate);
            if self.walk.frame.pool.is_false(entry) {
                continue;
            }
            let goes = there_ways(&there.exits, entry, returns);
            // One context that takes all is enough.
            if self.holds(entry)? {
                return Ok(goes);
            }
            ways.extend(goes);
        }
        self.must(&gates, "the entry of a function")?;
        Ok(ways)
    }

    /// A call comes back.
    fn come_back(&mut self, value: ValueId, way: &Way) -> Result<(), Refusal> {
        self.walk.suppose(None, way.entry);
        let Some(exit) = &way.exit else {
            self.walk.instruction(value);
            return Ok(());
        };
        self.walk.forget();
        self.cells.forget();
        self.suppose_cells(&exit.cells)?;
        let ty = &self.walk.frame.function.values[value].ty;
        if *ty == Type::Void {
            return Ok(());
        }
        let result = self.walk.frame.unknown(ty);
        if let (Some(set), Some(number)) = (&exit.result, result.as_ref().and_then(Value::scalar)) {
            self.leads.note(number, set);
            let has = set.has(self.walk.frame, number);
            self.walk.suppose(None, has);
        }
        self.walk.set(value, result);
        Ok(())
    }

    /// The ways out of the block.
    fn leave(&mut self) -> Result<(), Refusal> {
        let function = self.walk.frame.function;
        if let Terminator::Ret { value } = &function.blocks[self.block].terminator {
            return self.go_back(value.as_ref());
        }
        for (edge, to) in ways_out(self.all.program, function, self.block) {
            let before = self.path();
            let gate = self.gate_of_block(to);
            if let Some(edge) = edge {
                // Whatever comes this way is allowed, and it is known that something does.
                if self.all.taken.contains(&edge) {
                    let passes = self.passes(&gate);
                    if self.walk.frame.pool.is_true(passes) {
                        self.back_to(before);
                        continue;
                    }
                }
                if let Some(condition) = self.walk.condition(self.block, edge) {
                    self.walk.suppose(Some(Cause::Edge(edge)), condition);
                }
                if self.is_impossible()? {
                    self.back_to(before);
                    continue;
                }
                self.all.taken.insert(edge);
            }
            self.must(&[gate], &format!("the way to {to}"))?;
            self.back_to(before);
        }
        Ok(())
    }

    fn go_back(&mut self, value: Option<&Operand>) -> Result<(), Refusal> {
        let result = value.and_then(|value| self.walk.operand(value));
        let result = result.and_then(|value| value.scalar());
        let gate = self.gate_of_exit(result);
        self.must(&[gate], "a return")
    }

    /// The state passes one of these gates.
    fn must(&mut self, gates: &[Gate<'a>], what: &str) -> Result<(), Refusal> {
        let mut any = self.walk.frame.pool.bool(false);
        for gate in gates {
            let passes = self.passes(gate);
            any = self.walk.frame.pool.or(any, passes);
        }
        if self.holds(any)? {
            return Ok(());
        }
        if self.all.changes.is_some() {
            let found = self.in_the_way(gates)?;
            let known = self.known_cells()?;
            let mut places = gates.iter().map(|gate| (gate.context, gate.place));
            let changes = self.all.changes.get_or_insert_default();
            if found.is_empty() {
                // Behind the first gate as well as behind any other.
                if let Some(place) = places.next() {
                    let join = changes.join.entry(place).or_insert_with(|| Join {
                        first: known,
                        ..Join::default()
                    });
                    join.others.extend(places.map(|(context, _)| context));
                }
            } else {
                let drops = places.flat_map(|(context, place)| {
                    found.iter().map(move |what| (context, place, *what))
                });
                changes.drop.extend(drops);
            }
            return Ok(());
        }
        let function = &self.walk.frame.function.name;
        let what = format!("{what} behind {} of {function}", self.block);
        Err(not_refuted(&what, "the invariant does not allow it"))
    }

    /// What cells are for sure: constants, and what the state of the step says where that still holds.
    fn known_cells(&mut self) -> Result<Vec<(u32, Set)>, Refusal> {
        let mut known = Vec::new();
        for at in 0..self.cells.len() {
            let Some(number) = self.cells.known(at) else {
                continue;
            };
            let cell = u32::try_from(at).map_err(|_| Refusal::TooLarge)?;
            let constant = self.walk.frame.pool.as_const(number);
            if let Some(constant) = constant.and_then(|number| u64::try_from(number).ok()) {
                known.push((cell, Set::OneOf(smallvec![constant])));
                continue;
            }
            let said = self.said.iter().find(|(own, _)| *own == cell).cloned();
            if let Some((_, set)) = said {
                let has = set.has(self.walk.frame, number);
                if self.holds(has)? {
                    known.push((cell, set));
                }
            }
        }
        Ok(known)
    }

    /// Whether a condition holds in every state of the path.
    pub(super) fn holds(&mut self, term: Term) -> Result<bool, Refusal> {
        if self.is_known(term) {
            return Ok(true);
        }
        let not = self.walk.frame.pool.not(term);
        self.refuted(not)
    }

    /// Whether a condition holds, as far as one sees without a solver.
    pub(super) fn is_known(&self, term: Term) -> bool {
        self.walk.frame.pool.is_true(term) || self.walk.held().contains(&term)
    }

    fn is_impossible(&mut self) -> Result<bool, Refusal> {
        let all = self.walk.frame.pool.bool(true);
        self.refuted(all)
    }

    /// Whether no state of the path meets a condition.
    fn refuted(&mut self, term: Term) -> Result<bool, Refusal> {
        let cost = (&mut self.all.effort, &mut self.all.queries);
        question::refuted(&mut self.walk, term, &mut self.solver, cost)
    }
}

/// What comes behind an instruction.
enum Next {
    /// The next one.
    On,
    /// What a call comes back with.
    Exits(Vec<Way>),
}

/// One way for a call to come back.
struct Way {
    /// Holds where the caller's state is in the context's entry.
    entry: Term,
    /// `None`: from what is not looked into, which changes no cell.
    exit: Option<Exit>,
}

/// `returns`: with a result of the call's type.
fn there_ways(exits: &[Exit], entry: Term, returns: bool) -> Vec<Way> {
    let exits = exits.iter().cloned().map(|exit| Exit {
        result: exit.result.filter(|_| returns),
        ..exit
    });
    exits
        .map(|exit| Way {
            entry,
            exit: Some(exit),
        })
        .collect()
}
