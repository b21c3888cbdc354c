//! What facts need of the claims that prove them, as far as the text of the program tells: the others are not asked for, and are not in
//! the document. Nothing here has to be right: what is left is checked.

use std::collections::{BTreeMap, BTreeSet};

use program::{
    BlockId, Callee, EdgeId, FuncId, Function, Op, Operand, Program, Terminator, ValueId,
};

use super::{Claim, Claims, Known, Place};
use crate::certificate::Fact;
use crate::closed::Effects;
use crate::kinds::Refusal;

/// The claims that these facts need. What else is as for [`super::check`].
///
/// # Errors
/// A claim or a fact names something that the program does not have.
pub fn needed(effects: &Effects<'_>, claims: &Claims, facts: &[Fact]) -> Result<Claims, Refusal> {
    let program = effects.program;
    let known = claims.known((program, effects.foreign))?;
    let mut slice = Slice {
        program,
        effects,
        known: &known,
        needed: BTreeSet::new(),
        work: Vec::new(),
        ways: BTreeMap::new(),
        stores: stores(program, &known),
    };
    for fact in facts {
        fact.function(program).ok_or(Refusal::NotThere)?;
        match *fact {
            Fact::Edge { edge } => slice.need_edge(EdgeId::from_u32(edge)),
            Fact::Block { function, block } => {
                slice.need(Claim::Block(
                    FuncId::from_u32(function),
                    BlockId::from_u32(block),
                ));
            }
        }
    }
    while let Some(claim) = slice.work.pop() {
        slice.claim(claim);
    }
    Ok(slice.kept().claims())
}

/// A way into a block: its edge, if something is decided, and the block in front.
type Way = (Option<EdgeId>, BlockId);

struct Slice<'a> {
    program: &'a Program,
    effects: &'a Effects<'a>,
    known: &'a Known,
    needed: BTreeSet<Claim>,
    work: Vec<Claim>,
    /// The ways into the blocks of a function, those from blocks that nothing leads to as well: the checker looks at all.
    ways: BTreeMap<FuncId, BTreeMap<BlockId, Vec<Way>>>,
    /// For each cell and field, what is stored there.
    stores: BTreeMap<Claim, Vec<(Place, &'a Operand)>>,
}

fn stores<'a>(program: &'a Program, known: &Known) -> BTreeMap<Claim, Vec<(Place, &'a Operand)>> {
    let mut all: BTreeMap<Claim, Vec<(Place, &Operand)>> = BTreeMap::new();
    for (function, body) in program.functions.iter() {
        for block in body.blocks.keys() {
            for (_, inst) in body.insts(block) {
                let Op::Store { address, value, .. } = &inst.op else {
                    continue;
                };
                let size = program.layout.store_size(&body.operand_type(value));
                let Some(size) = size else { continue };
                for claim in known.claims_of(function, address, size) {
                    let stored = ((function, block), value);
                    all.entry(claim).or_default().push(stored);
                }
            }
        }
    }
    all
}

impl<'a> Slice<'a> {
    fn need(&mut self, claim: Claim) {
        let known = self.known;
        let is_there = match claim {
            Claim::Cell(cell) => known.sets.get(cell).is_some_and(Option::is_some),
            Claim::Field(field) => known.columns.get(field).is_some_and(Option::is_some),
            Claim::Value(function, block, value) => {
                let there = known.values.get(&(function, block));
                there.is_some_and(|there| there.contains_key(&value))
            }
            Claim::Result(function) => known.results.contains_key(&function),
            Claim::Block(function, block) => known.blocks.contains(&(function, block)),
            Claim::Edge(edge) => known.edges.contains(&edge),
        };
        if is_there && self.needed.insert(claim) {
            self.work.push(claim);
        }
    }

    /// That no run takes an edge: it is not there where its block is not come to.
    fn need_edge(&mut self, edge: EdgeId) {
        let site = &self.program.sites[self.program.edges[edge].site];
        let place = (site.function, site.block);
        match self.known.blocks.contains(&place) {
            true => self.need(Claim::Block(place.0, place.1)),
            false => self.need(Claim::Edge(edge)),
        }
    }

    fn ways(&mut self, (function, block): Place) -> Vec<Way> {
        let (program, effects) = (self.program, self.effects);
        let ways = self.ways.entry(function).or_insert_with(|| {
            let body = &program.functions[function];
            let mut ways: BTreeMap<BlockId, Vec<_>> = BTreeMap::new();
            for from in body.blocks.keys() {
                for (edge, to) in effects.ways_out(body, from) {
                    ways.entry(to).or_default().push((edge, from));
                }
            }
            ways
        });
        ways.get(&block).cloned().unwrap_or_default()
    }

    fn claim(&mut self, claim: Claim) {
        let program = self.program;
        match claim {
            Claim::Edge(edge) => {
                let site = self.program.edges[edge].site;
                let place = (program.sites[site].function, program.sites[site].block);
                let body = &program.functions[place.0];
                let stands = program.inst_of_site(site).and_then(|at| {
                    let value = *body.blocks[place.1].insts.get(at)?;
                    semantics::grows_by(&body.inst(value)?.op)
                });
                let terminator = &body.blocks[place.1].terminator;
                let looked_at = stands.or_else(|| semantics::looked_at(terminator));
                if let Some(operand) = looked_at {
                    self.operand(place, operand);
                }
            }
            Claim::Block(function, Function::ENTRY) => {
                for (caller, block, call) in self.callers(function) {
                    self.need(Claim::Block(caller, block));
                    self.pointer((caller, block), call);
                }
            }
            Claim::Block(function, block) => {
                for (edge, from) in self.ways((function, block)) {
                    let place = (function, from);
                    match edge.filter(|edge| self.known.edges.contains(edge)) {
                        _ if self.known.blocks.contains(&place) => {
                            self.need(Claim::Block(function, from));
                        }
                        Some(edge) => self.need(Claim::Edge(edge)),
                        None => self.decided((function, from)),
                    }
                }
            }
            Claim::Value(function, Function::ENTRY, value) => {
                let params = &program.functions[function].params;
                let at = params.iter().position(|own| *own == value);
                for (caller, block, call) in self.callers(function) {
                    if self.known.blocks.contains(&(caller, block)) {
                        self.need(Claim::Block(caller, block));
                        continue;
                    }
                    self.pointer((caller, block), call);
                    let inst = program.functions[caller].inst(call);
                    if let Some(Op::Call { args, .. }) = inst.map(|inst| &inst.op)
                        && let Some(arg) = at.and_then(|at| args.get(at))
                    {
                        self.operand((caller, block), arg);
                    }
                }
            }
            Claim::Value(function, block, value) => self.value((function, block), value),
            Claim::Cell(_) | Claim::Field(_) => {
                for (place, stored) in self.stores.get(&claim).cloned().unwrap_or_default() {
                    self.operand_or_none(place, stored);
                }
            }
            Claim::Result(function) => {
                for (block, data) in program.functions[function].blocks.iter() {
                    if let Terminator::Ret { value: Some(value) } = &data.terminator {
                        self.operand_or_none((function, block), value);
                    }
                }
            }
        }
    }

    fn callers(&self, function: FuncId) -> Vec<(FuncId, BlockId, ValueId)> {
        let callers = self.effects.callers(function).into_iter();
        let program = self.program;
        callers
            .filter_map(|(caller, call)| {
                let block = program.functions[caller].inst(call)?.block;
                Some((caller, block, call))
            })
            .collect()
    }

    /// What a call through a pointer calls, unless control does not come to it.
    fn pointer(&mut self, place: Place, call: ValueId) {
        let inst = self.program.functions[place.0].inst(call);
        if let Some(Op::Call {
            callee: Callee::Indirect(pointer),
            ..
        }) = inst.map(|inst| &inst.op)
            && !self.known.blocks.contains(&place)
        {
            self.operand(place, pointer);
        }
    }

    /// What a variable is where control comes to a block.
    fn value(&mut self, (function, block): Place, value: ValueId) {
        let body = &self.program.functions[function];
        for (edge, from) in self.ways((function, block)) {
            if self.known.blocks.contains(&(function, from)) {
                self.need(Claim::Block(function, from));
                continue;
            }
            if let Some(edge) = edge
                && self.known.edges.contains(&edge)
            {
                self.need(Claim::Edge(edge));
                continue;
            }
            self.decided((function, from));
            match body.inst(value) {
                Some(inst) if inst.block == block && matches!(inst.op, Op::Phi { .. }) => {
                    if let Some(operand) = semantics::incoming(&inst.op, from) {
                        self.operand((function, from), operand);
                    }
                }
                _ => self.operand((function, from), &Operand::Value(value)),
            }
        }
    }

    /// What decides where control goes from a block.
    fn decided(&mut self, (function, block): Place) {
        let terminator = &self.program.functions[function].blocks[block].terminator;
        if let Some(operand) = semantics::looked_at(terminator) {
            self.operand((function, block), operand);
        }
    }

    /// What an operand is made of at the end of a block, or that control does not come there.
    fn operand_or_none(&mut self, place: Place, operand: &Operand) {
        match self.known.blocks.contains(&place) {
            true => self.need(Claim::Block(place.0, place.1)),
            false => self.operand(place, operand),
        }
    }

    /// What an operand is made of at the end of a block.
    fn operand(&mut self, (function, block): Place, operand: &Operand) {
        let program = self.program;
        let body = &program.functions[function];
        let Operand::Value(value) = operand else {
            return;
        };
        let (mut seen, mut work) = (BTreeSet::from([*value]), vec![*value]);
        while let Some(value) = work.pop() {
            let claimed = self.known.values.get(&(function, block));
            if claimed.is_some_and(|claimed| claimed.contains_key(&value)) {
                self.need(Claim::Value(function, block, value));
                continue;
            }
            let Some(inst) = body.inst(value) else {
                continue;
            };
            match &inst.op {
                Op::Load { address, .. } => {
                    let size = program.layout.store_size(&body.values[value].ty);
                    let known = self.known;
                    if let Some(size) = size.filter(|_| inst.block == block) {
                        for claim in known.claims_of(function, address, size) {
                            self.need(claim);
                        }
                        // Of a table, by an address that something is known of.
                        if let Operand::Value(value) = address
                            && seen.insert(*value)
                        {
                            work.push(*value);
                        }
                    }
                }
                Op::Call {
                    callee: Callee::Direct(target),
                    ..
                } if inst.block == block => self.need(Claim::Result(*target)),
                Op::Phi { .. } | Op::Call { .. } => {}
                op => op.for_each_operand(|operand| {
                    if let Operand::Value(value) = operand
                        && seen.insert(*value)
                    {
                        work.push(*value);
                    }
                }),
            }
        }
    }

    /// The claims that are needed.
    fn kept(&self) -> Known {
        let (known, needed) = (self.known, &self.needed);
        let sets = known.sets.iter().enumerate();
        let sets = sets.map(|(at, set)| set.clone().filter(|_| needed.contains(&Claim::Cell(at))));
        let columns = known.columns.iter().enumerate();
        let columns =
            columns.map(|(at, set)| set.clone().filter(|_| needed.contains(&Claim::Field(at))));
        let values = known.values.iter().map(|(place, values)| {
            let (function, block) = *place;
            let values = values.iter();
            let values = values
                .filter(|(value, _)| needed.contains(&Claim::Value(function, block, **value)))
                .map(|(value, set)| (*value, set.clone()));
            (*place, values.collect())
        });
        let blocks = known.blocks.iter();
        let blocks = blocks.filter(|(f, block)| needed.contains(&Claim::Block(*f, *block)));
        let edges = known.edges.iter();
        let results = known.results.iter();
        Known {
            cells: known.cells.clone(),
            sets: sets.collect(),
            fields: known.fields.clone(),
            columns: columns.collect(),
            blocks: blocks.copied().collect(),
            edges: edges
                .filter(|edge| needed.contains(&Claim::Edge(**edge)))
                .copied()
                .collect(),
            values: values.collect(),
            results: results
                .filter(|(function, _)| needed.contains(&Claim::Result(**function)))
                .map(|(function, set)| (*function, set.clone()))
                .collect(),
        }
    }
}
