//! What calls may change, which objects no pointer leads to, and who may call whom: what a step over a call rests on.
//!
//! Must hold: what a call is said not to write, it does not, as long as accesses stay in their objects.

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;
use std::sync::Arc;

use program::callgraph::{self, CallGraph, CallSite};
use program::following;
use program::getopt::Word;
use program::outside::{self, Outside};
use program::private::{self, Base, base};
use program::regions::{self, Regions};
use program::{
    BlockId, EdgeId, ExternId, FuncId, Function, GlobalId, Op, Operand, Program, Target, Type,
    ValueId,
};
use wire::libc::{self, Treatment};

use super::writes::{Sums, Writes};
use crate::check::Sharing;
use crate::opening::Said;
use crate::vc::ways_out;

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
    pub regions: Option<Arc<Regions>>,
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
    pub(super) is_strange: bool,
    /// Functions without a body that a pointer may lead to.
    extern_pointers: BTreeSet<ExternId>,
    /// What the words of the command line say, where they are known.
    said: Said,
    pub(super) sums: Sums,
    objects: RefCell<BTreeMap<FuncId, Rc<BTreeSet<ValueId>>>>,
}

impl<'a> Effects<'a> {
    /// Of a program; `words`: those of the command line, if the runs are those with these words.
    pub fn new(program: &'a Program, foreign: bool, words: Option<&[Word]>) -> Effects<'a> {
        let regions = Regions::of(program, foreign, libc::MODEL_PREFIX).map(Arc::new);
        let mut effects = Effects::with(program, foreign, regions);
        if let Some(words) = words {
            effects.said = Said::within(&effects, words);
        }
        effects
    }

    /// Of all runs of a program, where it is known already where addresses may lead, or that this is not known.
    #[must_use]
    pub fn with(program: &'a Program, foreign: bool, regions: Option<Arc<Regions>>) -> Effects<'a> {
        let cells = private::cells(program, foreign);
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
            sums: Sums::default(),
            objects: RefCell::default(),
        };
        effects.outside = effects.anytime.iter().copied().collect();
        effects.is_strange = effects.has_strange_calls();
        if effects.is_strange {
            let taken = effects.taken();
            effects.outside.extend(taken);
        }
        effects.interrupts = effects.all_writes(&following::interrupting(program, foreign));
        effects
    }

    /// The same for who knows what the words say. The checker finds that out by itself.
    #[must_use]
    pub fn told(self, said: Said) -> Effects<'a> {
        Effects { said, ..self }
    }

    /// What the words of the command line say, where they are known.
    #[must_use]
    pub fn said(&self) -> &Said {
        &self.said
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
    pub(super) fn taken(&self) -> Vec<FuncId> {
        let regions = self.regions.as_deref();
        let all = self.graph.address_taken().iter().copied();
        all.filter(|it| regions.is_none_or(|known| known.is_entered(*it)))
            .collect()
    }

    /// Does a function of which nothing is known get a pointer?
    fn has_strange_calls(&self) -> bool {
        let is_followed = |id: ExternId| {
            let name = &*self.program.externs[id].name;
            let entry = libc::entry(name);
            let treated = entry.is_some_and(|entry| match entry.treatment {
                Treatment::Model => self.model(name).is_some(),
                _ => name != "fopencookie",
            });
            treated || is_known(name) || self.calls_nothing(id)
        };
        let is_strange = |function: FuncId| {
            let mut sites = self.graph.calls(function).iter();
            sites
                .any(|site| self.gives_addresses(site) && site.externs().any(|id| !is_followed(id)))
        };
        self.program.functions.keys().any(is_strange)
    }

    /// May a call pass an address?
    pub fn gives_addresses(&self, site: &CallSite) -> bool {
        let body = &self.program.functions[site.function];
        let inst = body.inst(site.inst);
        let Some(Op::Call { args, .. }) = inst.map(|inst| &inst.op) else {
            return false;
        };
        args.iter().any(|arg| match body.operand_type(arg) {
            Type::F32 | Type::F64 | Type::X86Fp80 => false,
            // What is passed by value may be passed as a number.
            Type::Int(bits) => match &self.regions {
                Some(regions) => regions.operand(self.program, site.function, arg).is_some(),
                None => bits >= 64 && arg.value().is_some(),
            },
            _ => true,
        })
    }

    /// May a function without a body call a function of the program that it is given, or that memory which it is given leads to?
    pub fn may_call_back(&self, id: ExternId) -> bool {
        let name = &*self.program.externs[id].name;
        let is_quiet = is_known(name) || self.calls_nothing(id);
        !is_quiet || outside::calls_what_it_is_given(name)
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

/// Is a function of the kind that ends runs, or gives inputs?
fn is_known(name: &str) -> bool {
    known(name).is_some() || libc::INPUT_FUNCTIONS.contains(&name)
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
