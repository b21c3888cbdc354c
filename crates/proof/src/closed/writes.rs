//! What calls may write, with what they lead to: summed up over the graph of calls, once for functions that call one another.
//!
//! Must hold: what a call is said not to write, it does not, as long as accesses stay in their objects.

use std::cell::{OnceCell, RefCell};
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use program::callgraph::CallSite;
use program::private::{Base, base};
use program::regions::{self, Region};
use program::{Callee, ExternId, FuncId, GlobalId, Intrinsic, Op, ValueId, graph};

use super::effects::{Effects, Known};

/// What a call may write that its caller can see.
#[derive(Clone, Debug, Default)]
pub struct Writes {
    /// Whatever a pointer may point to.
    pub pointers: bool,
    /// What is in a region.
    pub through: Option<Region>,
    pub globals: BTreeSet<GlobalId>,
}

impl Writes {
    /// Whatever a pointer may point to.
    pub fn everything() -> Writes {
        Writes {
            pointers: true,
            ..Writes::default()
        }
    }

    pub fn add(&mut self, other: &Writes) {
        self.pointers |= other.pointers;
        self.globals.extend(&other.globals);
        self.reach(other.through.clone());
    }

    /// And what is in a region.
    fn reach(&mut self, region: Option<Region>) {
        if let Some(region) = region {
            // What is there grows: it is not copied.
            self.through = Some(match self.through.take() {
                Some(own) => own.and(Some(region)),
                None => region,
            });
        }
    }

    /// How much it is, about.
    fn size(&self) -> usize {
        self.globals.len() + self.through.as_ref().map_or(0, Region::size)
    }

    pub fn is_nothing(&self) -> bool {
        !self.pointers && self.globals.is_empty() && self.through.is_none()
    }
}

/// What functions may write, as far as that was asked for.
#[derive(Default)]
pub(super) struct Sums {
    parts: OnceCell<Parts>,
    /// By parts.
    sums: RefCell<BTreeMap<u32, Rc<Writes>>>,
    /// Variables that models write by their names.
    named: RefCell<BTreeMap<FuncId, Rc<BTreeSet<GlobalId>>>>,
}

/// The strongly connected parts of the graph of calls.
struct Parts {
    /// By nodes.
    of: Vec<u32>,
    all: Vec<Part>,
}

#[derive(Clone, Default)]
struct Part {
    members: Vec<FuncId>,
    /// Other parts, all with lower numbers.
    leads: BTreeSet<u32>,
}

impl Effects<'_> {
    /// What a call may write, whatever it calls.
    pub fn site_writes(&self, site: &CallSite) -> Writes {
        let mut all = Writes::default();
        for (callee, _) in self.entered(site) {
            all.add(&self.entered_writes(site, callee));
        }
        for id in self.unmodelled(site) {
            all.add(&self.extern_writes((site.function, site.inst), id));
        }
        if self.is_open(site) {
            all.add(&self.open_writes(site));
            all.add(&self.by_others());
        }
        all
    }

    /// What a call of a function without a body may write.
    pub fn extern_writes(&self, call: (FuncId, ValueId), id: ExternId) -> Writes {
        let mut writes = self.own_writes(call, id);
        if self.known(id) == Known::Writes && self.is_strange && !self.calls_nothing(id) {
            writes.add(&self.by_others());
        }
        writes
    }

    /// The same, without what it calls back.
    fn own_writes(&self, call: (FuncId, ValueId), id: ExternId) -> Writes {
        let regions = self.regions.as_deref();
        let through = match self.known(id) {
            Known::Ends | Known::Assumes => Some(None),
            Known::Character | Known::Quiet => {
                let name = &self.program.externs[id].name;
                regions::kept_by_library(regions, self.program, name)
            }
            Known::Gives { .. } | Known::Writes => {
                regions.and_then(|known| known.written(self.program, call, id))
            }
        };
        match through {
            Some(through) => Writes {
                through,
                ..Writes::default()
            },
            None => Writes::everything(),
        }
    }

    /// What a call of a function may write.
    pub fn writes(&self, function: FuncId) -> Rc<Writes> {
        self.summed(function.as_u32())
    }

    /// What these functions may write, with what they lead to.
    pub(super) fn all_writes(&self, functions: &[FuncId]) -> Writes {
        let mut all = Writes::default();
        for function in functions {
            all.add(&self.writes(*function));
        }
        all
    }

    /// What functions may write that others call, if they get a pointer.
    fn by_others(&self) -> Rc<Writes> {
        self.summed(self.program.functions.len() as u32)
    }

    /// What a node of the graph of calls may write, with what it leads to.
    fn summed(&self, node: u32) -> Rc<Writes> {
        let parts = self.sums.parts.get_or_init(|| self.parts());
        let mut sums = self.sums.sums.borrow_mut();
        // What a part leads to has lower numbers.
        let asked = parts.of[node as usize];
        let (mut due, mut work) = (BTreeSet::new(), vec![asked]);
        while let Some(part) = work.pop() {
            if !sums.contains_key(&part) && due.insert(part) {
                work.extend(&parts.all[part as usize].leads);
            }
        }
        for part in due {
            let Part { members, leads } = &parts.all[part as usize];
            let known = leads.iter().filter_map(|part| sums.get(part));
            let mut all = known
                .clone()
                .max_by_key(|writes| writes.size())
                .map_or_else(Writes::default, |writes| Writes::clone(writes));
            for writes in known {
                all.add(writes);
            }
            for function in members {
                all.add(&self.in_body(*function));
            }
            sums.insert(part, Rc::new(all));
        }
        sums.get(&asked).map(Rc::clone).unwrap_or_default()
    }

    /// May a call enter functions that it does not name?
    fn calls_others(&self, site: &CallSite) -> bool {
        let calls_back = |id| self.known(id) == Known::Writes && !self.calls_nothing(id);
        self.is_open(site) || self.is_strange && self.unmodelled(site).any(calls_back)
    }

    /// The parts of the graph of calls: behind its functions comes the node of those that others call.
    fn parts(&self) -> Parts {
        let others = self.program.functions.len() as u32;
        let regions = self.regions.as_deref();
        // Regions enter no model that is summed up.
        let is_entered =
            |function: &FuncId| regions.is_none_or(|known| known.is_entered(*function));
        let functions = || self.program.functions.keys().filter(is_entered);
        let mut edges: Vec<(u32, u32)> = Vec::new();
        for function in functions() {
            let from = function.as_u32();
            for site in self.graph.calls(function) {
                let entered = self.entered(site).into_iter().map(|(callee, _)| callee);
                let entered = entered.filter(|callee| self.summed_up(site, *callee).is_none());
                edges.extend(entered.map(|callee| (from, callee.as_u32())));
                if self.calls_others(site) {
                    edges.push((from, others));
                }
            }
        }
        let taken = self.taken().into_iter();
        edges.extend(taken.map(|function| (others, function.as_u32())));
        let (of, count) = graph::components(others as usize + 1, &edges);
        let mut all = vec![Part::default(); count as usize];
        for function in functions() {
            let part = of[function.index()];
            all[part as usize].members.push(function);
        }
        for (from, to) in edges {
            let (from, to) = (of[from as usize], of[to as usize]);
            if from != to {
                all[from as usize].leads.insert(to);
            }
        }
        Parts { of, all }
    }

    /// What a function writes that a call enters. What models of some functions write is known by the call.
    pub fn entered_writes(&self, site: &CallSite, function: FuncId) -> Rc<Writes> {
        match self.summed_up(site, function) {
            Some(writes) => Rc::new(writes),
            None => self.writes(function),
        }
    }

    fn summed_up(&self, site: &CallSite, function: FuncId) -> Option<Writes> {
        let regions = self.regions.as_deref()?;
        let through = regions.summed_up(self.program, site, function)?;
        Some(Writes {
            pointers: false,
            through,
            globals: self.named(function).as_ref().clone(),
        })
    }

    /// The variables that a model writes by their names, with what it calls.
    fn named(&self, model: FuncId) -> Rc<BTreeSet<GlobalId>> {
        if let Some(known) = self.sums.named.borrow().get(&model) {
            return Rc::clone(known);
        }
        let (mut all, mut seen, mut work) = (BTreeSet::new(), BTreeSet::new(), vec![model]);
        while let Some(function) = work.pop() {
            if !seen.insert(function) {
                continue;
            }
            let mut own = Writes::default();
            self.note_all(function, &mut own);
            all.extend(own.globals);
            for site in self.graph.calls(function) {
                work.extend(self.enters(site));
                if self.calls_others(site) {
                    work.extend(self.graph.address_taken());
                }
            }
        }
        let made = Rc::new(all);
        self.sums.named.borrow_mut().insert(model, Rc::clone(&made));
        made
    }

    /// What a function writes itself, and what it calls that is not entered.
    fn in_body(&self, function: FuncId) -> Writes {
        let mut all = Writes::default();
        self.note_all(function, &mut all);
        for site in self.graph.calls(function) {
            if self.is_open(site) {
                all.add(&self.open_writes(site));
            }
            for (callee, _) in self.entered(site) {
                if let Some(writes) = self.summed_up(site, callee) {
                    all.add(&writes);
                }
            }
            for id in self.unmodelled(site) {
                all.add(&self.own_writes((function, site.inst), id));
            }
        }
        all
    }

    /// What the instructions of a function write that are no calls.
    fn note_all(&self, function: FuncId, writes: &mut Writes) {
        let body = &self.program.functions[function];
        for block in body.blocks.keys() {
            for (_, inst) in body.insts(block) {
                self.note(function, &inst.op, writes);
            }
        }
    }

    /// What a function writes that nobody names: it may reach what its arguments lead to, and what others know.
    fn open_writes(&self, site: &CallSite) -> Writes {
        let body = &self.program.functions[site.function];
        let args = match body.inst(site.inst).map(|inst| &inst.op) {
            Some(Op::Call { args, callee, .. }) if !matches!(callee, Callee::Asm(_)) => args,
            _ => return Writes::everything(),
        };
        let Some(regions) = &self.regions else {
            return Writes::everything();
        };
        let mut all = Writes::default();
        all.reach(Some(regions.outside()));
        for arg in args {
            let region = regions.operand(self.program, site.function, arg);
            all.reach(region.map(Region::spread));
        }
        all
    }

    /// What one instruction that is no call writes.
    fn note(&self, function: FuncId, op: &Op, writes: &mut Writes) {
        let (address, size) = match op {
            Op::Store { address, value, .. } => {
                let ty = self.program.functions[function].operand_type(value);
                (address, self.program.layout.store_size(&ty))
            }
            Op::Mem { args, .. } => (&args[0], regions::length(&args[2])),
            Op::Call { .. } => return,
            Op::Intrinsic {
                op: Intrinsic::VaStart | Intrinsic::VaEnd | Intrinsic::VaCopy,
                args,
            } => (&args[0], None),
            op => {
                writes.pointers |= semantics::may_write(op) && !semantics::is_computed(op);
                return;
            }
        };
        match base(&self.program.functions[function], address) {
            Base::Global(global) => _ = writes.globals.insert(global),
            Base::Object(_) => {}
            Base::Unknown => {
                let Some(regions) = &self.regions else {
                    writes.pointers = true;
                    return;
                };
                // An address that leads nowhere is not written to.
                let region = regions.operand(self.program, function, address);
                writes.reach(region.map(|region| region.sized(size.unwrap_or(u64::MAX))));
            }
        }
    }
}
