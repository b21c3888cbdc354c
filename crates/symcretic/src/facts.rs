//! What is known of the program before a condition is followed: ways into blocks, loops, who calls whom, what calls may change.
//!
//! Must hold: a way that is left out is taken by no run whose accesses to memory stay in their objects; what a call is said not to
//! write, it does not.

use std::cell::{OnceCell, RefCell};
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;
use std::sync::Arc;

use program::callgraph::{self, CallGraph, CallSite};
use program::cfg::Cfg;
use program::dom::Dominators;
use program::getopt::Results;
use program::outside;
use program::private::{self, Base, base};
use program::regions::{self, Region, Regions};
use program::{
    BlockId, Callee, EdgeId, ExternId, FuncId, Function, GlobalId, Op, Operand, Program, Target,
    Terminator, Type, ValueId,
};
use wire::libc::{READERS, TABLE, Treatment, WRITERS};

use crate::inputs;

/// A way into a block: from another one, by these edges of its site, or by none if nothing is decided there.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Way {
    pub from: BlockId,
    pub edges: Vec<EdgeId>,
    /// It closes a loop.
    pub back: bool,
}

/// One function.
#[derive(Debug)]
pub struct Body {
    /// For each block.
    pub ways: Vec<Vec<Way>>,
    /// The blocks of each loop, by its head.
    pub loops: BTreeMap<BlockId, BTreeSet<BlockId>>,
    /// For blocks where ways come together: where all of them come from, and the blocks between. No way leads out of these but to the
    /// block itself.
    pub between: BTreeMap<BlockId, (BlockId, BTreeSet<BlockId>)>,
    /// Blocks that return.
    pub returns: Vec<BlockId>,
    /// Distance of each block from the entry, in blocks.
    pub distance: Vec<u32>,
    /// Objects of the function that no pointer is kept to.
    pub private: BTreeSet<ValueId>,
}

/// What a call may write that its caller can see, and whether it may ask for inputs.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Writes {
    /// Through pointers: anything that one may point to.
    pub pointers: bool,
    /// Through pointers of which more is known.
    pub through: Option<Region>,
    pub globals: BTreeSet<GlobalId>,
    pub asks: bool,
}

impl Writes {
    /// And what something else writes.
    pub fn add(&mut self, other: &Writes) {
        self.pointers |= other.pointers;
        self.asks |= other.asks;
        self.globals.extend(&other.globals);
        self.reach(other.through.clone());
    }

    /// And through pointers into a region.
    fn reach(&mut self, region: Option<Region>) {
        if let Some(region) = region {
            // What is there grows: it is not copied.
            self.through = Some(match self.through.take() {
                Some(own) => own.and(Some(region)),
                None => region,
            });
        }
    }
}

/// What some blocks of a function change.
#[derive(Debug, Default)]
pub struct Changes {
    pub writes: Writes,
    /// Local objects that are written by their names.
    pub objects: BTreeSet<ValueId>,
}

/// What goes on beside the calls that a program makes.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Beside {
    /// Functions that are entered at any time, one in another (handlers), or before the start or behind the end of `main`.
    pub anytime: Vec<FuncId>,
    /// Memory may change at any time.
    pub shared: bool,
    /// Memory that no object of the program is may change at any time.
    pub mapped: bool,
    /// What calls of `getopt` return, where the words of the command line are known.
    pub results: Results,
    /// Allocations succeed.
    pub lucky: bool,
    /// The program is linked with code that is not in the model.
    pub foreign: bool,
    /// Where addresses may lead, if that is known.
    pub regions: Option<Arc<Regions>>,
}

/// What is known of a program.
pub struct Facts<'p> {
    pub program: &'p Program,
    pub calls: CallGraph,
    /// Where addresses may lead, if that is known.
    pub regions: Option<Arc<Regions>>,
    /// Edges that no run takes.
    pub dead: BTreeSet<EdgeId>,
    /// Globals that only plain reads and writes of their own bytes touch.
    private: BTreeSet<GlobalId>,
    /// A pointer may lead to a function without a body.
    has_extern_pointers: bool,
    /// Some text of the program is a format by which output functions write to memory (`%n`).
    counts_output: bool,
    /// What functions may write that something outside of the program calls, where it gets a pointer to them.
    called_back: Writes,
    /// Functions that run at any time, or before the program starts.
    anytime: BTreeSet<FuncId>,
    /// What these may write.
    interrupts: Writes,
    /// Memory that no object of the program is may change at any time.
    mapped: bool,
    results: Results,
    /// Allocations succeed.
    pub lucky: bool,
    /// Code outside of the program may call functions that it got a pointer to in a way that no call shows.
    pub calls_back: bool,
    bodies: RefCell<BTreeMap<FuncId, Rc<Body>>>,
    /// What the blocks between the ways into a block change, or those of a loop by its head.
    changes: RefCell<BTreeMap<(FuncId, BlockId), Rc<Changes>>>,
    writes: RefCell<BTreeMap<FuncId, Rc<Writes>>>,
    plain: RefCell<BTreeMap<FuncId, Rc<Writes>>>,
    /// Globals that rounds of loops change, once they were asked for.
    moving: OnceCell<BTreeSet<GlobalId>>,
}

impl<'p> Facts<'p> {
    /// Of a program, of which these edges are dead.
    #[must_use]
    pub fn new(program: &'p Program, dead: BTreeSet<EdgeId>, beside: Beside) -> Facts<'p> {
        let cells = private::cells(program, beside.foreign);
        let mut facts = Facts {
            program,
            calls: match &beside.regions {
                Some(regions) => CallGraph::with(program, regions),
                None => CallGraph::new(program),
            },
            regions: beside.regions,
            dead,
            private: cells.iter().map(|cell| cell.global).collect(),
            has_extern_pointers: !callgraph::extern_pointers(program).is_empty(),
            counts_output: outside::counts_output(program),
            called_back: Writes::default(),
            anytime: beside.anytime.into_iter().collect(),
            interrupts: Writes::default(),
            mapped: beside.mapped,
            results: beside.results,
            lucky: beside.lucky,
            calls_back: false,
            bodies: RefCell::default(),
            changes: RefCell::default(),
            writes: RefCell::default(),
            plain: RefCell::default(),
            moving: OnceCell::new(),
        };
        facts.calls_back = facts.may_be_called_back();
        if facts.calls_back {
            let taken = facts.calls.address_taken().iter().copied();
            let taken = taken.filter(|it| facts.is_entered(*it)).collect();
            facts.called_back = facts.all_writes(taken, true);
        }
        facts.interrupts = facts.all_writes(facts.anytime.iter().copied().collect(), true);
        facts
    }

    /// Is a function ever entered, as far as that is known? Others call none that is not; what models do that are known by their names is
    /// not looked at.
    fn is_entered(&self, function: FuncId) -> bool {
        let regions = self.regions.as_ref();
        regions.is_none_or(|known| known.is_entered(function))
    }

    /// Globals that rounds of loops change.
    pub fn moving(&self) -> &BTreeSet<GlobalId> {
        self.moving.get_or_init(|| crate::nearness::moving(self))
    }

    /// Whether some function without a body, of which nothing is known, gets a pointer.
    fn may_be_called_back(&self) -> bool {
        let is_strange = |function: &FuncId| {
            let body = &self.program.functions[*function];
            self.calls.calls(*function).iter().any(|site| {
                let mut externs = site.externs();
                let is_known = |name: &str| {
                    let listed = TABLE.iter().any(|entry| entry.name == name);
                    let known = listed || inputs::single(name).is_some() || READERS.contains(&name);
                    known && name != "fopencookie" || is_assumption(name) || is_end(name)
                };
                let strange = externs.any(|id| !is_known(&self.program.externs[id].name));
                let Some(Op::Call { args, .. }) = body.inst(site.inst).map(|inst| &inst.op) else {
                    return false;
                };
                strange && args.iter().any(|arg| body.operand_type(arg) == Type::Ptr)
            })
        };
        self.program
            .functions
            .keys()
            .any(|function| is_strange(&function))
    }

    /// One function.
    pub fn body(&self, function: FuncId) -> Rc<Body> {
        if let Some(known) = self.bodies.borrow().get(&function) {
            return Rc::clone(known);
        }
        let made = Rc::new(self.read(function));
        self.bodies.borrow_mut().insert(function, Rc::clone(&made));
        made
    }

    /// An edge is dead now: what was read of its function said otherwise.
    pub fn forget(&self, edge: EdgeId) {
        let function = self.program.function_of(edge);
        self.bodies.borrow_mut().remove(&function);
        self.changes
            .borrow_mut()
            .retain(|(other, _), _| *other != function);
    }

    /// What some blocks of a function change; they are told apart by `at`.
    pub fn changes(&self, (id, at): (FuncId, BlockId), blocks: &BTreeSet<BlockId>) -> Rc<Changes> {
        if let Some(known) = self.changes.borrow().get(&(id, at)) {
            return Rc::clone(known);
        }
        let function = &self.program.functions[id];
        let mut changes = Changes::default();
        for block in blocks {
            for (value, inst) in function.insts(*block) {
                self.note(id, value, &inst.op, &mut changes.writes);
                changes.objects.extend(written_object(function, &inst.op));
                if let Some(site) = self.site(id, value) {
                    for (callee, _) in entered(self, site) {
                        changes.writes.add(&self.entered_writes(site, callee));
                    }
                }
            }
        }
        let made = Rc::new(changes);
        self.changes.borrow_mut().insert((id, at), Rc::clone(&made));
        made
    }

    fn read(&self, id: FuncId) -> Body {
        let function = &self.program.functions[id];
        let cfg = Cfg::new(function);
        let dominators = Dominators::new(&cfg);
        let mut body = Body {
            ways: vec![Vec::new(); function.blocks.len()],
            loops: BTreeMap::new(),
            between: BTreeMap::new(),
            returns: Vec::new(),
            distance: vec![u32::MAX; function.blocks.len()],
            private: private::objects(function),
        };
        for (from, block) in function.blocks.iter() {
            if !cfg.is_reachable(from) {
                continue;
            }
            if matches!(block.terminator, Terminator::Ret { .. }) {
                body.returns.push(from);
            }
            let mut to_edges: BTreeMap<BlockId, Vec<EdgeId>> = BTreeMap::new();
            match block.terminator.site() {
                Some(site) => {
                    let edges = self
                        .program
                        .edges_of(site)
                        .zip(block.terminator.successors());
                    for (edge, to) in edges.filter(|(edge, _)| !self.dead.contains(edge)) {
                        to_edges.entry(to).or_default().push(edge);
                    }
                }
                None => {
                    to_edges.extend(block.terminator.successors().map(|to| (to, Vec::new())));
                }
            }
            for (to, edges) in to_edges {
                let back = dominators.dominates(to, from);
                body.ways[to.index()].push(Way { from, edges, back });
            }
        }
        body.loops = loops(&body.ways);
        body.between = between(function, &body.ways, &dominators);
        let mut work = std::collections::VecDeque::from([(Function::ENTRY, 0)]);
        while let Some((block, far)) = work.pop_front() {
            let known = &mut body.distance[block.index()];
            if *known != u32::MAX {
                continue;
            }
            *known = far;
            work.extend(cfg.successors(block).map(|to| (to, far + 1)));
        }
        body
    }

    /// May a call go where the graph of calls does not say: to assembly, or through a pointer to a function without a body?
    #[must_use]
    pub fn is_open(&self, site: &CallSite) -> bool {
        site.is_open(self.has_extern_pointers)
    }

    /// The call that stands at an instruction.
    pub fn site(&self, function: FuncId, inst: ValueId) -> Option<&CallSite> {
        self.calls
            .calls(function)
            .iter()
            .find(|site| site.inst == inst)
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
            ..(*self.plain(function)).clone()
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

    /// What these functions and all that they may call write.
    fn all_writes(&self, mut work: Vec<FuncId>, sums_up: bool) -> Writes {
        let (mut all, mut seen) = (Writes::default(), BTreeSet::new());
        while let Some(function) = work.pop() {
            if !seen.insert(function) {
                continue;
            }
            all.add(&self.own_writes(function));
            for site in self.calls.calls(function) {
                for (callee, _) in entered(self, site) {
                    let known = sums_up.then(|| self.summed_up(site, callee)).flatten();
                    match known {
                        Some(writes) => all.add(&writes),
                        None => work.push(callee),
                    }
                }
            }
        }
        all
    }

    /// What the instructions of a function write, and functions without a body that it calls.
    fn own_writes(&self, id: FuncId) -> Writes {
        let function = &self.program.functions[id];
        let mut writes = Writes::default();
        for block in function.blocks.keys() {
            for (value, inst) in function.insts(block) {
                self.note(id, value, &inst.op, &mut writes);
            }
        }
        writes
    }

    /// What one instruction writes; of a call, what functions without a body do.
    pub fn note(&self, id: FuncId, value: ValueId, op: &Op, writes: &mut Writes) {
        match op {
            Op::Store { address, value, .. } => {
                let ty = self.program.functions[id].operand_type(value);
                let size = self.program.layout.store_size(&ty);
                self.note_address(id, (address, size), writes);
            }
            Op::Mem { args, .. } => {
                let size = regions::length(&args[2]);
                self.note_address(id, (&args[0], size), writes);
            }
            Op::Call { callee, .. } => {
                let site = self.site(id, value);
                writes.pointers |= matches!(callee, Callee::Asm(_));
                if site.is_some_and(|site| self.is_open(site)) {
                    writes.pointers = true;
                    writes.asks = true;
                }
                for callee in self.site(id, value).into_iter().flat_map(CallSite::externs) {
                    writes.add(&self.extern_writes((id, value), callee));
                }
            }
            op => writes.pointers |= semantics::may_write(op) && !semantics::is_computed(op),
        }
    }

    /// So many bytes are written from an address on; `None`: nobody knows how many.
    fn note_address(
        &self,
        id: FuncId,
        (address, size): (&Operand, Option<u64>),
        writes: &mut Writes,
    ) {
        match base(&self.program.functions[id], address) {
            Base::Global(global) => _ = writes.globals.insert(global),
            Base::Object(_) => {}
            Base::Unknown => {
                let regions = self.regions.as_ref();
                match regions.and_then(|known| known.operand(self.program, id, address)) {
                    Some(region) => writes.reach(Some(region.sized(size.unwrap_or(u64::MAX)))),
                    None => writes.pointers = true,
                }
            }
        }
    }

    /// What a call of a function without a body writes.
    #[must_use]
    pub fn extern_writes(&self, call: (FuncId, ValueId), callee: ExternId) -> Writes {
        let name = &*self.program.externs[callee].name;
        let mut writes = Writes::default();
        if self.model(name).is_some() {
            // It is called like any other function.
            return writes;
        }
        let treatment = TABLE.iter().find(|entry| entry.name == name);
        let quiet = treatment.is_some_and(|entry| match entry.treatment {
            Treatment::Harmless | Treatment::Pure => !WRITERS.contains(&name),
            Treatment::Output => !self.counts_output,
            Treatment::Wrapped | Treatment::Model => false,
        });
        if is_assumption(name) || is_end(name) {
            return writes;
        }
        let value = inputs::single(name);
        let is_character = inputs::is_character(name);
        let returned = matches!(value, Some(inputs::Given::Result(_)));
        let is_quiet = quiet || READERS.contains(&name);
        if is_quiet || returned || is_character {
            writes.add(&self.kept_by_library(name));
        } else {
            let regions = self.regions.as_ref();
            match regions.and_then(|known| known.written(self.program, call, callee)) {
                Some(region) => writes.reach(region),
                None => writes.pointers = true,
            }
        }
        if !is_quiet {
            writes.asks = inputs::asks(name);
            if value.is_none() && !is_character {
                writes.add(&self.called_back);
            }
        }
        writes
    }

    /// What a function writes that writes to nothing but what the C library keeps.
    pub fn kept_by_library(&self, name: &str) -> Writes {
        let through = regions::kept_by_library(self.regions.as_deref(), self.program, name);
        Writes {
            pointers: through.is_none(),
            through: through.flatten(),
            ..Writes::default()
        }
    }

    /// The C model of a function of the library, if the program has it. Models of output say what happens when all is written, which
    /// nobody knows.
    #[must_use]
    pub fn model(&self, name: &str) -> Option<FuncId> {
        let treatment = TABLE.iter().find(|entry| entry.name == name);
        if treatment.is_none_or(|entry| entry.treatment != Treatment::Model) {
            return None;
        }
        let model = format!("{}{name}", wire::libc::MODEL_PREFIX);
        self.program.function_named(&model)
    }

    /// May something enter a function that no call shows?
    #[must_use]
    pub fn is_entered_unseen(&self, function: FuncId) -> bool {
        self.anytime.contains(&function)
            || self.calls_back && self.calls.address_taken().contains(&function)
    }

    /// What a call of `getopt` returns, if that is known.
    #[must_use]
    pub fn results(&self, function: FuncId, call: ValueId) -> Option<&BTreeSet<i32>> {
        self.results.get(&(function, call))
    }

    /// What may be written between any two instructions.
    #[must_use]
    pub fn interrupts(&self) -> &Writes {
        &self.interrupts
    }

    /// May memory that no object of the program is change at any time?
    #[must_use]
    pub fn is_mapped(&self) -> bool {
        self.mapped
    }

    /// Can no pointer point into a global?
    #[must_use]
    pub fn is_private(&self, global: GlobalId) -> bool {
        self.private.contains(&global)
    }
}

/// Does a function end the run, or leave its caller for good?
#[must_use]
pub fn is_end(name: &str) -> bool {
    matches!(
        name,
        "exit"
            | "_exit"
            | "_Exit"
            | "abort"
            | "__assert_fail"
            | "__assert"
            | "quick_exit"
            | "pthread_exit"
            | "bw_reach_error"
            | "reach_error"
            | "__VERIFIER_error"
            | "longjmp"
            | "siglongjmp"
            | "_longjmp"
            | "__longjmp_chk"
            | "__builtin_longjmp"
    )
}

/// Does a function let the run go on only where its argument is not 0?
#[must_use]
pub fn is_assumption(name: &str) -> bool {
    matches!(name, "bw_assume" | "__VERIFIER_assume" | "klee_assume")
}

/// The loops of a function: for each head the blocks from which it is reached again without leaving it.
fn loops(ways: &[Vec<Way>]) -> BTreeMap<BlockId, BTreeSet<BlockId>> {
    let mut loops: BTreeMap<BlockId, BTreeSet<BlockId>> = BTreeMap::new();
    for (head, into) in ways.iter().enumerate() {
        let head = BlockId::from_u32(head as u32);
        let mut work: Vec<BlockId> = into
            .iter()
            .filter(|way| way.back)
            .map(|way| way.from)
            .collect();
        if work.is_empty() {
            continue;
        }
        let members = loops.entry(head).or_default();
        members.insert(head);
        while let Some(block) = work.pop() {
            if members.insert(block) {
                work.extend(ways[block.index()].iter().map(|way| way.from));
            }
        }
    }
    loops
}

/// The functions with a body that a call may enter, and whether each is called back, with arguments that nobody knows.
pub fn entered<'a>(
    facts: &'a Facts<'_>,
    site: &'a CallSite,
) -> impl Iterator<Item = (FuncId, bool)> + 'a {
    let direct = site.targets.iter().filter_map(|target| match target {
        Target::Function(function) => Some(*function),
        Target::Extern(name) => facts.model(&facts.program.externs[*name].name),
    });
    let called_back = site.callbacks.iter().copied();
    direct
        .map(|function| (function, false))
        .chain(called_back.map(|function| (function, true)))
}

/// The local object that an instruction writes to by its name.
fn written_object(function: &Function, op: &Op) -> Option<ValueId> {
    let address = match op {
        Op::Store { address, .. } => address,
        Op::Mem { args, .. } => &args[0],
        _ => return None,
    };
    match base(function, address) {
        Base::Object(object) => Some(object),
        _ => None,
    }
}

/// For each block where ways come together and that is no head of a loop: the block that dominates it, and those between.
fn between(
    function: &Function,
    ways: &[Vec<Way>],
    dominators: &Dominators,
) -> BTreeMap<BlockId, (BlockId, BTreeSet<BlockId>)> {
    let mut found = BTreeMap::new();
    for (block, _) in function.blocks.iter() {
        let own = &ways[block.index()];
        if own.len() < 2 || own.iter().any(|way| way.back) {
            continue;
        }
        let Some(top) = dominators.idom(block) else {
            continue;
        };
        let mut inside = BTreeSet::new();
        let mut work: Vec<BlockId> = own.iter().map(|way| way.from).collect();
        while let Some(next) = work.pop() {
            if next != top && inside.insert(next) {
                work.extend(ways[next.index()].iter().map(|way| way.from));
            }
        }
        let leads_back = |from: BlockId| {
            let mut to = function.blocks[from].terminator.successors();
            to.all(|to| {
                let is_dead = !ways[to.index()].iter().any(|way| way.from == from);
                is_dead || to == block || inside.contains(&to)
            })
        };
        let returns = |block: &BlockId| {
            function.blocks[*block]
                .terminator
                .successors()
                .next()
                .is_none()
        };
        if leads_back(top)
            && inside.iter().all(|block| leads_back(*block))
            && !inside.iter().any(returns)
        {
            found.insert(block, (top, inside));
        }
    }
    found
}
