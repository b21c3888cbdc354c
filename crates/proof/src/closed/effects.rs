//! What calls may change, which objects no pointer leads to, and who may call whom: what a step over a call rests on.
//!
//! Must hold: what a call is said not to write, it does not, as long as accesses stay in their objects.

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use program::callgraph::{self, CallGraph, CallSite};
use program::following;
use program::getopt::Word;
use program::outside::{self, Outside};
use program::private::{self, Base, base};
use program::regions::{self, Region, Regions};
use program::{
    BlockId, Callee, EdgeId, ExternId, FuncId, Function, GlobalId, Intrinsic, Op, Operand, Program,
    Target, Type, ValueId,
};
use wire::libc::{self, Treatment};

use crate::check::Sharing;
use crate::opening::Said;
use crate::vc::ways_out;

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

    pub fn is_nothing(&self) -> bool {
        !self.pointers && self.globals.is_empty() && self.through.is_none()
    }
}

/// What a function without a body does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Known {
    /// It does not come back.
    Ends,
    /// It comes back only where its argument is not 0.
    Assumes,
    /// It returns a character, or -1.
    Character,
    /// Its result may be anything, and it writes nothing that the program sees.
    Quiet,
    /// It writes an input to where its first argument points: a number, or as many bytes as its second argument says.
    Gives { bytes: bool },
    /// It writes through pointers.
    Writes,
}

/// What is known of the calls of a program.
pub struct Effects<'a> {
    pub program: &'a Program,
    /// The program is linked with code that is not in the model.
    pub foreign: bool,
    pub graph: CallGraph,
    /// Where addresses may lead, if that is known.
    pub regions: Option<Regions>,
    private: BTreeSet<GlobalId>,
    /// Some text of the program is a format by which output functions write to memory.
    counts_output: bool,
    /// Functions that may be entered at a time that no call shows.
    pub anytime: Vec<FuncId>,
    /// Those, and what functions of which nothing is known may call.
    outside: BTreeSet<FuncId>,
    /// What may be written between any two instructions.
    interrupts: Writes,
    /// Memory that no object of the program is may change at any time.
    is_mapped: bool,
    /// Functions without a body of which nothing is known get pointers.
    is_strange: bool,
    /// Functions without a body that a pointer may lead to.
    extern_pointers: BTreeSet<ExternId>,
    /// What the words of the command line say, where they are known.
    said: Said,
    /// What functions write themselves.
    own: RefCell<BTreeMap<FuncId, Rc<Writes>>>,
    writes: RefCell<BTreeMap<FuncId, Rc<Writes>>>,
    plain: RefCell<BTreeMap<FuncId, Rc<Writes>>>,
    objects: RefCell<BTreeMap<FuncId, Rc<BTreeSet<ValueId>>>>,
}

impl<'a> Effects<'a> {
    /// Of a program; `words`: those of the command line, if the runs are those with these words.
    pub fn new(program: &'a Program, foreign: bool, words: Option<&[Word]>) -> Effects<'a> {
        let cells = private::cells(program, foreign);
        let regions = Regions::of(program, foreign, libc::MODEL_PREFIX);
        let mut effects = Effects {
            program,
            foreign,
            graph: match &regions {
                Some(regions) => CallGraph::with(program, regions),
                None => CallGraph::new(program),
            },
            regions,
            private: cells.iter().map(|cell| cell.global).collect(),
            counts_output: outside::counts_output(program),
            anytime: following::entered_anytime(program, foreign),
            outside: BTreeSet::new(),
            interrupts: Writes::default(),
            is_mapped: Sharing::of(program, foreign).mapped,
            is_strange: false,
            extern_pointers: callgraph::extern_pointers(program),
            said: Said::default(),
            own: RefCell::default(),
            writes: RefCell::default(),
            plain: RefCell::default(),
            objects: RefCell::default(),
        };
        effects.outside = effects.anytime.iter().copied().collect();
        effects.is_strange = effects.has_strange_calls();
        if effects.is_strange {
            let taken = effects.taken();
            effects.outside.extend(taken);
        }
        effects.interrupts = effects.all_writes(following::interrupting(program, foreign), true);
        if let Some(words) = words {
            effects.said = Said::within(&effects, words);
        }
        effects
    }

    /// The numbers that a call returns one of, if the words of the command line say so.
    pub fn results(&self, function: FuncId, call: ValueId) -> Option<&BTreeSet<i32>> {
        self.said.results.get(&(function, call))
    }

    /// Edges that no run takes, as the words of the command line say.
    pub fn never(&self) -> &BTreeSet<EdgeId> {
        &self.said.never
    }

    /// The ways out of a block that runs may take, as far as the words say.
    pub fn ways_out(&self, function: &Function, block: BlockId) -> Vec<(Option<EdgeId>, BlockId)> {
        let mut ways = ways_out(self.program, function, block);
        ways.retain(|(edge, _)| edge.is_none_or(|edge| !self.said.never.contains(&edge)));
        ways
    }

    /// What handlers, and whatever else is entered at any time, may write.
    pub fn interrupts(&self) -> &Writes {
        &self.interrupts
    }

    /// May memory that no object of the program is change at any time?
    pub fn is_mapped(&self) -> bool {
        self.is_mapped
    }

    /// May something outside of the program call a function, at a time that no call shows?
    pub fn is_called_from_outside(&self, function: FuncId) -> bool {
        self.outside.contains(&function)
    }

    /// Functions that others may call, if they get a pointer: those that are ever entered. What models do that are known by their names is
    /// not looked at.
    fn taken(&self) -> Vec<FuncId> {
        let regions = self.regions.as_ref();
        let all = self.graph.address_taken().iter().copied();
        all.filter(|it| regions.is_none_or(|known| known.is_entered(*it)))
            .collect()
    }

    /// Does a function of which nothing is known get a pointer?
    fn has_strange_calls(&self) -> bool {
        let is_known = |id: ExternId| {
            let name = &*self.program.externs[id].name;
            let entry = libc::entry(name);
            let treated = entry.is_some_and(|entry| match entry.treatment {
                Treatment::Model => self.model(name).is_some(),
                _ => name != "fopencookie",
            });
            treated
                || known(name).is_some()
                || libc::INPUT_FUNCTIONS.contains(&name)
                || self.calls_nothing(id)
        };
        let is_strange = |function: FuncId| {
            let body = &self.program.functions[function];
            self.graph.calls(function).iter().any(|site| {
                let Some(Op::Call { args, .. }) = body.inst(site.inst).map(|inst| &inst.op) else {
                    return false;
                };
                let gets = args.iter().any(|arg| body.operand_type(arg) == Type::Ptr);
                gets && site.externs().any(|id| !is_known(id))
            })
        };
        self.program.functions.keys().any(is_strange)
    }

    /// Does a function without a body call nothing of the program while it runs?
    pub fn calls_nothing(&self, id: ExternId) -> bool {
        let name = &*self.program.externs[id].name;
        Outside::of(self.program).calls_nothing(name) || regions::is_hook(name)
    }

    /// Functions without a body that a call may call, also those that the graph of calls does not name.
    pub fn may_leave(&self, site: &CallSite) -> impl Iterator<Item = ExternId> {
        let open = self.is_open(site).then_some(&self.extern_pointers);
        site.externs().chain(open.into_iter().flatten().copied())
    }

    /// The call that stands at an instruction.
    pub fn site(&self, function: FuncId, inst: ValueId) -> Option<&CallSite> {
        let mut sites = self.graph.calls(function).iter();
        sites.find(|site| site.inst == inst)
    }

    /// The C model of a function of the library, if the program has it.
    pub fn model(&self, name: &str) -> Option<FuncId> {
        let entry = libc::entry(name)?;
        let model = format!("{}{name}", libc::MODEL_PREFIX);
        let found = self.program.function_named(&model);
        found.filter(|_| entry.treatment == Treatment::Model)
    }

    /// The functions that a call enters, models included, and whether each gets the call's arguments.
    pub fn entered(&self, site: &CallSite) -> Vec<(FuncId, bool)> {
        let direct = site.targets.iter().filter_map(|target| match target {
            Target::Function(function) => Some(*function),
            Target::Extern(id) => self.model(&self.program.externs[*id].name),
        });
        let called_back = site.callbacks.iter().copied();
        direct
            .map(|function| (function, true))
            .chain(called_back.map(|function| (function, false)))
            .collect()
    }

    /// The functions that control may come to by a call.
    pub fn enters(&self, site: &CallSite) -> impl Iterator<Item = FuncId> {
        let mut all: Vec<FuncId> = self.entered(site).into_iter().map(|(it, _)| it).collect();
        if self.is_open(site) {
            all.extend(self.graph.address_taken());
        }
        all.into_iter()
    }

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
            all.add(&self.all_writes(self.taken(), true));
        }
        all
    }

    /// Functions without a body, and without a model, that a call may call.
    pub fn unmodelled<'s>(&'s self, site: &'s CallSite) -> impl Iterator<Item = ExternId> + 's {
        site.externs()
            .filter(|id| self.model(&self.program.externs[*id].name).is_none())
    }

    /// May a call go to a function without a body that the graph of calls does not name?
    pub fn is_open(&self, site: &CallSite) -> bool {
        site.is_open(!self.extern_pointers.is_empty())
    }

    /// All calls that may enter a function.
    pub fn callers(&self, function: FuncId) -> BTreeSet<(FuncId, ValueId)> {
        let mut all: BTreeSet<_> = self.graph.callers(function).iter().copied().collect();
        let name = &self.program.functions[function].name;
        if let Some(modelled) = name.strip_prefix(libc::MODEL_PREFIX) {
            for caller in self.program.functions.keys() {
                for site in self.graph.calls(caller) {
                    let mut externs = site.externs();
                    if externs.any(|id| self.program.externs[id].name == modelled) {
                        all.insert((caller, site.inst));
                    }
                }
            }
        }
        all
    }

    /// What a function without a body does.
    pub fn known(&self, id: ExternId) -> Known {
        let name = &*self.program.externs[id].name;
        if let Some(known) = known(name) {
            return known;
        }
        let entry = libc::entry(name);
        let quiet = entry.is_some_and(|entry| match entry.treatment {
            Treatment::Harmless | Treatment::Pure => !libc::WRITERS.contains(&name),
            Treatment::Output => !self.counts_output,
            Treatment::Wrapped | Treatment::Model => false,
        });
        match quiet || libc::READERS.contains(&name) {
            true => Known::Quiet,
            false => Known::Writes,
        }
    }

    /// What a call of a function without a body may write.
    pub fn extern_writes(&self, call: (FuncId, ValueId), id: ExternId) -> Writes {
        let mut writes = self.own_writes(call, id);
        if self.known(id) == Known::Writes && self.is_strange && !self.calls_nothing(id) {
            let taken = self.taken();
            writes.add(&self.all_writes(taken, true));
        }
        writes
    }

    /// The same, without what it calls back.
    fn own_writes(&self, call: (FuncId, ValueId), id: ExternId) -> Writes {
        let regions = self.regions.as_ref();
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
        if let Some(known) = self.writes.borrow().get(&function) {
            return Rc::clone(known);
        }
        let made = Rc::new(self.all_writes(vec![function], true));
        self.writes.borrow_mut().insert(function, Rc::clone(&made));
        made
    }

    /// What a function writes that a call enters. What models of some functions write is known by the call.
    pub fn entered_writes(&self, site: &CallSite, function: FuncId) -> Rc<Writes> {
        match self.summed_up(site, function) {
            Some(writes) => Rc::new(writes),
            None => self.writes(function),
        }
    }

    fn summed_up(&self, site: &CallSite, function: FuncId) -> Option<Writes> {
        let regions = self.regions.as_ref()?;
        let through = regions.summed_up(self.program, site, function)?;
        Some(Writes {
            pointers: false,
            through,
            globals: self.plain(function).globals.clone(),
        })
    }

    /// What a function writes, models of all functions that it calls included.
    fn plain(&self, function: FuncId) -> Rc<Writes> {
        if let Some(known) = self.plain.borrow().get(&function) {
            return Rc::clone(known);
        }
        let made = Rc::new(self.all_writes(vec![function], false));
        self.plain.borrow_mut().insert(function, Rc::clone(&made));
        made
    }

    fn all_writes(&self, mut work: Vec<FuncId>, sums_up: bool) -> Writes {
        let (mut all, mut seen) = (Writes::default(), BTreeSet::new());
        // Regions enter no model that is summed up; what such a model names is asked for without summing up.
        let is_entered = |function: FuncId| {
            let regions = self.regions.as_ref().filter(|_| sums_up);
            regions.is_none_or(|known| known.is_entered(function))
        };
        while let Some(function) = work.pop() {
            if !seen.insert(function) || !is_entered(function) {
                continue;
            }
            all.add(&self.in_body(function));
            for site in self.graph.calls(function) {
                for (callee, _) in self.entered(site) {
                    let known = sums_up.then(|| self.summed_up(site, callee)).flatten();
                    match known {
                        Some(writes) => all.add(&writes),
                        None => work.push(callee),
                    }
                }
                if self.is_open(site) {
                    work.extend(self.taken());
                }
                // Asked for here without what address-taken functions write: those are added once.
                let calls_back = |id| self.known(id) == Known::Writes && !self.calls_nothing(id);
                if self.is_strange && self.unmodelled(site).any(calls_back) {
                    work.extend(self.taken());
                }
            }
        }
        all
    }

    /// What a function writes itself, and what it calls that has no body.
    fn in_body(&self, function: FuncId) -> Rc<Writes> {
        if let Some(known) = self.own.borrow().get(&function) {
            return Rc::clone(known);
        }
        let mut all = Writes::default();
        let body = &self.program.functions[function];
        for block in body.blocks.keys() {
            for (_, inst) in body.insts(block) {
                self.note(function, &inst.op, &mut all);
            }
        }
        for site in self.graph.calls(function) {
            if self.is_open(site) {
                all.add(&self.open_writes(site));
            }
            for id in self.unmodelled(site) {
                all.add(&self.own_writes((function, site.inst), id));
            }
        }
        let made = Rc::new(all);
        self.own.borrow_mut().insert(function, Rc::clone(&made));
        made
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

    /// Can no pointer point into a global?
    pub fn is_private(&self, global: GlobalId) -> bool {
        self.private.contains(&global)
    }

    /// Whether a local object's address is used to read and write it, and for nothing else.
    pub fn is_private_object(&self, function: FuncId, value: ValueId) -> bool {
        if let Some(known) = self.objects.borrow().get(&function) {
            return known.contains(&value);
        }
        let made = Rc::new(private::objects(&self.program.functions[function]));
        let is_private = made.contains(&value);
        self.objects.borrow_mut().insert(function, made);
        is_private
    }
}

/// What is known of a function by its name alone.
fn known(name: &str) -> Option<Known> {
    match name {
        "exit" | "_exit" | "_Exit" | "abort" | "__assert_fail" | "__assert" | "quick_exit"
        | "pthread_exit" | "bw_reach_error" | "reach_error" | "__VERIFIER_error" | "longjmp"
        | "siglongjmp" | "_longjmp" | "__longjmp_chk" | "__builtin_longjmp" => Some(Known::Ends),
        "bw_assume" | "__VERIFIER_assume" | "klee_assume" => Some(Known::Assumes),
        "getchar" | "getchar_unlocked" | "getc" | "getc_unlocked" | "fgetc" | "fgetc_unlocked" => {
            Some(Known::Character)
        }
        "klee_int" => Some(Known::Quiet),
        "__VERIFIER_nondet_memory" | "bw_bytes" | "klee_make_symbolic" => {
            Some(Known::Gives { bytes: true })
        }
        _ if name.starts_with("__VERIFIER_nondet_") => Some(Known::Quiet),
        _ if ["bw_", "__Crest", "CREST_"]
            .iter()
            .any(|own| name.starts_with(own))
            && libc::INPUT_FUNCTIONS.contains(&name) =>
        {
            Some(Known::Gives { bytes: false })
        }
        _ => None,
    }
}

/// The local object whose name a value is derived from, if it is one.
pub fn object_of(body: &Function, value: ValueId) -> Option<ValueId> {
    match base(body, &Operand::Value(value)) {
        Base::Object(object) => Some(object),
        _ => None,
    }
}
