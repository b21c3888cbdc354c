//! One step: from a state at the entry of a block, as far as claims speak of it, to all that follow it.

use program::callgraph::CallSite;
use program::{
    BlockId, Callee, FuncId, Function, Op, Operand, SiteId, Target, Terminator, Type, ValueId,
};
use semantics::Value;
use smt::Term;
use smt::check::Checker;

use super::{Claim, Place, Standing};
use crate::assertion::Set;
use crate::kinds::Refusal;
use crate::question;
use crate::tables::Leads;
use crate::vc::{Cause, Frame, Walk};

/// The step that is checked.
struct Step<'i, 'a, 'f, 'w> {
    all: &'i mut Standing<'a>,
    walk: Walk<'f, 'w>,
    place: Place,
    /// What each cell holds, where that was looked at since something else may have written to it.
    cells: Vec<Option<Term>>,
    /// What numbers are addresses of.
    leads: Leads,
    solver: Option<Checker>,
}

impl<'a> Standing<'a> {
    /// All that a block does is as the claims have it.
    pub(super) fn block(&mut self, place: Place) -> Result<(), Refusal> {
        self.effort.goes_on()?;
        let program = self.program;
        let body = &program.functions[place.0];
        let (mut pool, solver) = self.bench.lend();
        let mut frame = Frame::new(program, body, &mut pool).cheap();
        if self.twice.contains_key(&place.0) {
            frame = frame.of_many_times();
        }
        if self.rounds_anyhow {
            frame = frame.without_floats();
        }
        let walk = Walk::new(&mut frame, self.shared);
        let cells = vec![None; self.known.cells.len()];
        let mut step = Step {
            all: self,
            walk,
            place,
            cells,
            leads: Leads::default(),
            solver,
        };
        step.suppose_state()?;
        step.run()?;
        let solver = step.solver.take();
        (self.bench.pool, self.bench.solver) = (pool, solver);
        Ok(())
    }
}

impl Step<'_, '_, '_, '_> {
    fn body(&self) -> &'_ Function {
        self.walk.frame.function
    }

    fn suppose_state(&mut self) -> Result<(), Refusal> {
        let known = self.all.known.values.get(&self.place).cloned();
        let (function, block) = self.place;
        for (value, set) in known.into_iter().flatten() {
            self.all.seen.insert(Claim::Value(function, block, value));
            let number = self.walk.frame.before(value);
            let number = number.and_then(|known| known.scalar());
            let number = number.ok_or(Refusal::NotThere)?;
            self.suppose(number, &set);
            let bits = self.walk.frame.pool.width(number);
            if let Some(only) = set.only_term(self.walk.frame, bits) {
                self.walk.set(value, Some(only.into()));
            }
        }
        Ok(())
    }

    fn suppose(&mut self, number: Term, set: &Set) {
        self.leads.note(number, set);
        let has = set.has(self.walk.frame, number);
        self.walk.suppose(None, has);
    }

    fn run(&mut self) -> Result<(), Refusal> {
        let function = self.walk.frame.function;
        for &value in &function.blocks[self.place.1].insts {
            let Some(inst) = function.inst(value) else {
                continue;
            };
            if !matches!(inst.op, Op::Phi { .. }) {
                self.instruction(value, &inst.op)?;
            }
        }
        self.leave()
    }

    fn instruction(&mut self, value: ValueId, op: &Op) -> Result<(), Refusal> {
        let function = self.walk.frame.function;
        let layout = &self.all.program.layout;
        match op {
            Op::Load { address, .. } => {
                let ty = &function.values[value].ty;
                let size = layout.store_size(ty);
                if let Some(cell) = size.and_then(|size| self.all.known.cell(address, size)) {
                    let known = self.read(cell, ty);
                    self.walk.set(value, known);
                    return Ok(());
                }
                self.walk.instruction(value);
                self.leads.read(&mut self.walk, address, value);
                if let Some(size) = size {
                    self.read_field((address, size), value);
                }
                return Ok(());
            }
            Op::Store {
                address,
                value: stored,
                ..
            } => {
                let size = layout.store_size(&function.operand_type(stored));
                let known = &self.all.known;
                let claims = size.map(|size| known.claims_of(self.place.0, address, size));
                for claim in claims.into_iter().flatten().collect::<Vec<Claim>>() {
                    self.write(claim, stored)?;
                }
            }
            Op::Call { callee, args, .. } => return self.call(value, callee, args),
            Op::Count {
                site: Some(site), ..
            } => self.count(*site, op)?,
            _ => {}
        }
        self.walk.instruction(value);
        if let Op::Gep { base, .. } = op {
            self.stays_in_its_object(base, value);
        }
        Ok(())
    }

    /// What is computed from the address of an object is in the object, or at its end: it is not null.
    fn stays_in_its_object(&mut self, base: &Operand, made: ValueId) {
        let mut term = |operand| self.walk.operand(operand)?.scalar();
        let (Some(base), Some(made)) = (term(base), term(&Operand::Value(made))) else {
            return;
        };
        let pool = &mut *self.walk.frame.pool;
        let null = pool.constant(pool.width(base), 0);
        let (is_null, is_there) = (pool.eq(base, null), pool.ne(made, null));
        let holds = pool.or(is_null, is_there);
        if !pool.is_true(holds) {
            self.walk.suppose(None, holds);
        }
    }

    fn bits(&self, cell: usize) -> u32 {
        8 * u32::try_from(self.all.known.cells[cell].size).unwrap_or(8)
    }

    /// What a cell holds, as a value of this type.
    fn read(&mut self, cell: usize, ty: &Type) -> Option<Value> {
        let bits = semantics::width(&self.all.program.layout, ty);
        let whole = bits.map(u32::from) == Some(self.bits(cell));
        if !whole || !matches!(ty, Type::Int(_) | Type::Ptr | Type::F32 | Type::F64) {
            return self.walk.frame.unknown(ty);
        }
        if self.cells[cell].is_none() || self.all.shared {
            let set = self.all.known.sets[cell].clone()?;
            self.all.seen.insert(Claim::Cell(cell));
            let bits = u16::try_from(self.bits(cell)).ok()?;
            let number = match set.only_term(self.walk.frame, bits) {
                Some(only) => only,
                None => {
                    let number = self.walk.frame.unknown(&Type::Int(self.bits(cell)))?;
                    let number = number.scalar()?;
                    self.suppose(number, &set);
                    number
                }
            };
            self.cells[cell] = Some(number);
        }
        self.cells[cell].map(Value::from)
    }

    /// A value was read, of a field perhaps.
    fn read_field(&mut self, (address, size): (&Operand, u64), value: ValueId) {
        let known = &self.all.known;
        let fields = known.fields.accessed(self.place.0, address, size);
        let sets = fields.iter().map(|field| known.columns[*field].clone());
        let Some(sets) = sets
            .collect::<Option<Vec<Set>>>()
            .filter(|sets| !sets.is_empty())
        else {
            return;
        };
        let number = self.walk.operand(&Operand::Value(value));
        let number = number.and_then(|number| number.scalar());
        let whole = |term: &Term| u64::from(self.walk.frame.pool.width(*term)) == 8 * size;
        if let Some(number) = number.filter(whole) {
            self.all.seen.extend(fields.into_iter().map(Claim::Field));
            let mut any = self.walk.frame.pool.bool(false);
            for set in sets {
                let has = set.has(self.walk.frame, number);
                any = self.walk.frame.pool.or(any, has);
            }
            self.walk.suppose(None, any);
        }
    }

    /// Something is stored where something is claimed.
    fn write(&mut self, claim: Claim, stored: &Operand) -> Result<(), Refusal> {
        let number = self.walk.operand(stored).and_then(|value| value.scalar());
        let Claim::Cell(cell) = claim else {
            return self.must(claim, number, "behind a write");
        };
        let bits = self.bits(cell);
        let number = number.filter(|term| u32::from(self.walk.frame.pool.width(*term)) == bits);
        self.must(claim, number, "behind a write")?;
        self.cells[cell] = number;
        Ok(())
    }

    /// A number is what is claimed of it.
    fn must(&mut self, claim: Claim, number: Option<Term>, whence: &str) -> Result<(), Refusal> {
        let known = &self.all.known;
        let set = match claim {
            Claim::Cell(cell) => known.sets[cell].clone(),
            Claim::Field(field) => known.columns[field].clone(),
            Claim::Value(function, block, value) => {
                let there = known.values.get(&(function, block));
                there.and_then(|there| there.get(&value)).cloned()
            }
            Claim::Result(function) => known.results.get(&function).cloned(),
            Claim::Block(..) | Claim::Edge(_) => None,
        };
        let Some(set) = set else { return Ok(()) };
        self.all.seen.insert(claim);
        if let Some(number) = number {
            let has = set.has(self.walk.frame, number);
            let not = self.walk.frame.pool.not(has);
            if self.walk.held().contains(&has) || self.refuted(not)? {
                return Ok(());
            }
        } else if self.is_impossible()? {
            return Ok(());
        }
        let constant = number.and_then(|number| self.walk.frame.pool.as_const(number));
        let constant = constant.and_then(|number| u64::try_from(number).ok());
        self.all.fails(claim, constant, whence)
    }

    /// Control does not come here.
    fn must_not(&mut self, claim: Claim, whence: &str) -> Result<(), Refusal> {
        self.all.seen.insert(claim);
        match self.is_impossible()? {
            true => Ok(()),
            false => self.all.fails(claim, None, whence),
        }
    }

    /// A function is called, or something that may call others.
    fn call(&mut self, value: ValueId, callee: &Callee, args: &[Operand]) -> Result<(), Refusal> {
        let function = self.place.0;
        let effects = self.all.effects;
        let site = effects.site(function, value);
        let entered = site.map(|site| effects.entered(site)).unwrap_or_default();
        for (target, gets_args) in &entered {
            let before = self.walk.mark();
            if let (Callee::Indirect(pointer), Some(site)) = (callee, site) {
                self.leads_to(pointer, *target, site);
            }
            self.enter(*target, gets_args.then_some(args))?;
            self.walk.back_to(&before);
        }
        self.walk.instruction(value);
        // Whoever is called may write to every cell.
        self.cells.fill(None);
        let twice = self.all.twice.get(&function);
        if twice.is_some_and(|twice| twice.contains(&value)) {
            self.walk.restart();
        }
        let ty = &self.body().values[value].ty;
        if *ty == Type::Void {
            return Ok(());
        }
        if let (Callee::Direct(target), [(only, true)]) = (callee, entered.as_slice())
            && target == only
            && self.all.program.functions[*target].return_type == *ty
            && let Some(set) = self.all.known.results.get(target).cloned()
        {
            self.all.seen.insert(Claim::Result(*target));
            let number = self.walk.operand(&Operand::Value(value));
            if let Some(number) = number.and_then(|number| number.scalar()) {
                self.suppose(number, &set);
            }
        }
        if let Some(results) = effects.results(function, value) {
            let number = self.walk.operand(&Operand::Value(value));
            if let Some(number) = number.and_then(|number| number.scalar()) {
                let bits = self.walk.frame.pool.width(number);
                let most = (1u128 << bits) - 1;
                let results = results.iter().map(|one| (*one as u128 & most) as u64);
                self.suppose(number, &Set::OneOf(results.collect()));
            }
        }
        Ok(())
    }

    /// Supposes that a pointer is the address of one of the functions that a call may go to, if it goes to that by its address: a model is
    /// entered where the pointer is the address of what it is a model of.
    fn leads_to(&mut self, pointer: &Operand, target: FuncId, site: &CallSite) {
        let all: Vec<FuncId> = site.functions().collect();
        let is_named = site.targets.contains(&Target::Function(target));
        if !is_named || all.len() < 2 || self.all.of_entry(target).is_empty() {
            return;
        }
        let pointer = self.walk.operand(pointer).and_then(|known| known.scalar());
        if let Some(is_it) = pointer.and_then(|it| self.walk.frame.leads_to(it, target, &all)) {
            self.walk.suppose(None, is_it);
        }
    }

    /// A function is entered, with these arguments; `None`: with any.
    fn enter(&mut self, callee: FuncId, args: Option<&[Operand]>) -> Result<(), Refusal> {
        let program = self.all.program;
        for claim in self.all.of_entry(callee) {
            let Claim::Value(.., param) = claim else {
                self.must_not(claim, "where it is called")?;
                continue;
            };
            let body = &program.functions[callee];
            let at = body.params.iter().position(|own| *own == param);
            let arg = args.and_then(|args| args.get(at?));
            let arg = arg.filter(|arg| self.body().operand_type(arg) == body.values[param].ty);
            let number = arg.and_then(|arg| self.walk.operand(arg));
            let number = number.and_then(|number| number.scalar());
            self.must(claim, number, "where its function is called")?;
        }
        Ok(())
    }

    /// Edges without a block of their own.
    fn count(&mut self, site: SiteId, op: &Op) -> Result<(), Refusal> {
        for edge in self.all.program.edges_of(site) {
            if !self.all.known.edges.contains(&edge) {
                continue;
            }
            let before = self.walk.mark();
            let step = semantics::grows_by(op).and_then(|step| self.walk.operand(step));
            let step = step.and_then(|step| step.scalar());
            if let Some(taken) = step.and_then(|step| self.walk.frame.taken(edge, step)) {
                self.walk.suppose(Some(Cause::Edge(edge)), taken);
            }
            self.must_not(Claim::Edge(edge), "where it stands")?;
            self.walk.back_to(&before);
        }
        Ok(())
    }

    /// The ways out of the block.
    fn leave(&mut self) -> Result<(), Refusal> {
        let (id, block) = self.place;
        let function = self.walk.frame.function;
        if let Terminator::Ret { value } = &function.blocks[block].terminator {
            let result = value.as_ref().and_then(|value| self.walk.operand(value));
            let result = result.and_then(|value| value.scalar());
            return self.must(Claim::Result(id), result, "at a return");
        }
        for (edge, to) in self.all.effects.ways_out(function, block) {
            let before = self.walk.mark();
            if let Some(edge) = edge
                && let Some(condition) = self.walk.condition(block, edge)
            {
                self.walk.suppose(Some(Cause::Edge(edge)), condition);
            }
            let dead = edge.filter(|edge| self.all.known.edges.contains(edge));
            match dead {
                Some(edge) => self.must_not(Claim::Edge(edge), "where it is decided")?,
                None => self.come_to(to)?,
            }
            self.walk.back_to(&before);
        }
        Ok(())
    }

    fn come_to(&mut self, to: BlockId) -> Result<(), Refusal> {
        let (id, block) = self.place;
        if self.all.known.blocks.contains(&(id, to)) {
            return self.must_not(Claim::Block(id, to), "on a way to it");
        }
        let claimed = self.all.known.values.get(&(id, to));
        let claimed: Vec<ValueId> = claimed.into_iter().flatten().map(|(v, _)| *v).collect();
        for value in claimed {
            let function = self.walk.frame.function;
            let known = match function.inst(value) {
                Some(inst) if inst.block == to && matches!(inst.op, Op::Phi { .. }) => {
                    let operand = semantics::incoming(&inst.op, block);
                    operand.and_then(|operand| self.walk.operand(operand))
                }
                _ => self.walk.operand(&Operand::Value(value)),
            };
            let number = known.and_then(|known| known.scalar());
            self.must(Claim::Value(id, to, value), number, "on a way to it")?;
        }
        Ok(())
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
