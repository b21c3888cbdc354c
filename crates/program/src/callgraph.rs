//! Who may call whom.
//!
//! A call through a pointer may reach every function whose address is taken and whose type fits the call; when none
//! fits, every function whose address is taken. A function whose address is passed to a function without a body
//! (`qsort`, `atexit`) may be called there.

use std::collections::{BTreeMap, BTreeSet};

use crate::entity::{PrimaryMap, SecondaryMap};
use crate::function::{Function, Target};
use crate::id::{BlockId, ExternId, FuncId, ValueId};
use crate::inst::{Callee, Op};
use crate::model::{Program, RelocationTarget};
use crate::operand::{Const, Operand};
use crate::regions::Regions;
use crate::types::Type;

/// One call instruction.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CallSite {
    pub function: FuncId,
    pub block: BlockId,
    pub inst: ValueId,
    /// Whether the callee is computed.
    pub indirect: bool,
    /// What it may call, in order of ids; empty for inline assembly.
    pub targets: Vec<Target>,
    /// Functions that the callee gets a pointer to and may call back. Only where it has no body.
    pub callbacks: Vec<FuncId>,
    /// It calls nothing but its targets, functions without a body included.
    pub closed: bool,
}

/// What a function without a body can hand back to the program that calls it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct HandsBack {
    /// Its result is used.
    pub result: bool,
    /// It gets a pointer to memory that it could write to.
    pub memory: bool,
}

/// Whether a call passes a pointer to anything but constant memory.
fn takes_memory(program: &Program, caller: &Function, call: ValueId) -> bool {
    let Some(Op::Call { args, .. }) = caller.inst(call).map(|inst| &inst.op) else {
        return false;
    };
    args.iter().any(|arg| match arg {
        Operand::Const(Const::Global { global, .. }) => !program.globals[*global].constant,
        Operand::Const(_) => false,
        Operand::Value(_) => caller.operand_type(arg) == Type::Ptr,
    })
}

/// Which values of a function are operands of something.
fn used_values(function: &Function) -> SecondaryMap<ValueId, bool> {
    let mut used = SecondaryMap::new();
    let mut note = |operand: &Operand| {
        if let Some(value) = operand.value() {
            used[value] = true;
        }
    };
    for block in function.blocks.keys() {
        for (_, inst) in function.insts(block) {
            inst.op.for_each_operand(&mut note);
        }
        function.blocks[block]
            .terminator
            .for_each_operand(&mut note);
    }
    used
}

/// Calls of every function, and callers of every function.
#[derive(Clone, Debug)]
pub struct CallGraph {
    calls: PrimaryMap<FuncId, Vec<CallSite>>,
    callers: PrimaryMap<FuncId, Vec<(FuncId, ValueId)>>,
    address_taken: Vec<FuncId>,
}

impl CallGraph {
    /// The graph of a verified program.
    #[must_use]
    pub fn new(program: &Program) -> CallGraph {
        let address_taken = address_taken(program);
        let calls: PrimaryMap<FuncId, Vec<CallSite>> = program
            .functions
            .keys()
            .map(|function| call_sites(program, function, &address_taken))
            .collect();
        CallGraph {
            callers: callers(&calls),
            calls,
            address_taken,
        }
    }

    /// The graph, where what pointers call is known better.
    #[must_use]
    pub fn with(program: &Program, regions: &Regions) -> CallGraph {
        let mut graph = CallGraph::new(program);
        for site in graph.calls.values_mut().flatten().filter(|it| it.indirect) {
            if let Some(known) = regions.targets(site.function, site.inst) {
                known.clone_into(&mut site.targets);
                site.callbacks = callbacks(program, site);
                site.closed = true;
            }
        }
        graph.callers = callers(&graph.calls);
        graph
    }

    /// Functions without a body that may be called on the way from one of `roots` and can hand something back: in their result,
    /// which is used, or in memory that they get a pointer to. In order, each with what it can do at one of its calls.
    #[must_use]
    pub fn externs_used(&self, program: &Program, roots: &[FuncId]) -> Vec<(ExternId, HandsBack)> {
        let mut found: BTreeMap<ExternId, HandsBack> = BTreeMap::new();
        for id in self.reachable_from(roots) {
            let function = &program.functions[id];
            let used = used_values(function);
            for site in &self.calls[id] {
                let here = HandsBack {
                    result: used[site.inst],
                    memory: takes_memory(program, function, site.inst),
                };
                for callee in site.externs() {
                    let all = found.entry(callee).or_default();
                    all.result |= here.result;
                    all.memory |= here.memory;
                }
            }
        }
        found.retain(|_, hands| hands.result || hands.memory);
        found.into_iter().collect()
    }

    /// The calls in a function, in the order of the text form.
    #[must_use]
    pub fn calls(&self, function: FuncId) -> &[CallSite] {
        &self.calls[function]
    }

    /// Calls that may reach a function: the calling function and the call instruction.
    #[must_use]
    pub fn callers(&self, function: FuncId) -> &[(FuncId, ValueId)] {
        &self.callers[function]
    }

    /// Functions that a pointer may point to, in order.
    #[must_use]
    pub fn address_taken(&self) -> &[FuncId] {
        &self.address_taken
    }

    /// Functions that may run when `root` is called, itself included, in order.
    #[must_use]
    pub fn reachable(&self, root: FuncId) -> Vec<FuncId> {
        self.reachable_from(&[root])
    }

    /// Functions that may run when one of `roots` is called, these included, in order.
    #[must_use]
    pub fn reachable_from(&self, roots: &[FuncId]) -> Vec<FuncId> {
        let mut seen: PrimaryMap<FuncId, bool> = self.calls.keys().map(|_| false).collect();
        let mut stack = roots.to_vec();
        while let Some(function) = stack.pop() {
            if !std::mem::replace(&mut seen[function], true) {
                stack.extend(self.calls[function].iter().flat_map(CallSite::functions));
            }
        }
        seen.iter()
            .filter(|(_, seen)| **seen)
            .map(|(function, _)| function)
            .collect()
    }
}

impl CallSite {
    /// May it go where the graph of calls does not say: to assembly, or through a pointer to a function without a body?
    /// `has_extern_pointers`: a pointer may lead to one ([`extern_pointers`]).
    #[must_use]
    pub fn is_open(&self, has_extern_pointers: bool) -> bool {
        let is_named = self.closed || matches!(self.targets[..], [Target::Extern(_)]);
        self.targets.is_empty() || self.indirect && has_extern_pointers && !is_named
    }

    /// Functions with a body that may run because of this call: targets, then callbacks.
    pub fn functions(&self) -> impl Iterator<Item = FuncId> + '_ {
        let targets = self.targets.iter().filter_map(|target| match target {
            Target::Function(function) => Some(*function),
            Target::Extern(_) => None,
        });
        targets.chain(self.callbacks.iter().copied())
    }

    /// Functions without a body that it may call.
    pub fn externs(&self) -> impl Iterator<Item = ExternId> + '_ {
        self.targets.iter().filter_map(|target| match target {
            Target::Extern(callee) => Some(*callee),
            Target::Function(_) => None,
        })
    }
}

fn call_sites(program: &Program, function: FuncId, address_taken: &[FuncId]) -> Vec<CallSite> {
    let body = &program.functions[function];
    let mut sites = Vec::new();
    for block in body.blocks.keys() {
        for (inst, data) in body.insts(block) {
            let Op::Call { callee, args, .. } = &data.op else {
                continue;
            };
            let targets = match callee {
                Callee::Direct(function) => vec![Target::Function(*function)],
                Callee::Extern(name) => vec![Target::Extern(*name)],
                Callee::Asm(_) => Vec::new(),
                Callee::Indirect(Operand::Const(Const::Function(function))) => {
                    vec![Target::Function(*function)]
                }
                Callee::Indirect(Operand::Const(Const::Extern(name))) => {
                    vec![Target::Extern(*name)]
                }
                Callee::Indirect(_) => {
                    candidates(program, body, &body.values[inst].ty, args, address_taken)
                }
            };
            let mut site = CallSite {
                function,
                block,
                inst,
                indirect: matches!(callee, Callee::Indirect(_)),
                targets,
                callbacks: Vec::new(),
                closed: false,
            };
            site.callbacks = callbacks(program, &site);
            sites.push(site);
        }
    }
    sites
}

/// Who calls each function.
fn callers(
    calls: &PrimaryMap<FuncId, Vec<CallSite>>,
) -> PrimaryMap<FuncId, Vec<(FuncId, ValueId)>> {
    let mut callers: PrimaryMap<FuncId, Vec<(FuncId, ValueId)>> =
        calls.keys().map(|_| Vec::new()).collect();
    for site in calls.values().flatten() {
        for callee in site.functions() {
            callers[callee].push((site.function, site.inst));
        }
    }
    callers
}

/// Functions that a call names to what has no body.
fn callbacks(program: &Program, site: &CallSite) -> Vec<FuncId> {
    let mut found = Vec::new();
    let inst = program.functions[site.function].inst(site.inst);
    if let Some(Op::Call { args, .. }) = inst.map(|inst| &inst.op)
        && site.externs().next().is_some()
    {
        let constants = args.iter().filter_map(Operand::constant);
        constants.for_each(|arg| functions_in(arg, &mut found));
    }
    found.sort_unstable();
    found.dedup();
    found
}

fn candidates(
    program: &Program,
    caller: &Function,
    result: &Type,
    args: &[Operand],
    address_taken: &[FuncId],
) -> Vec<Target> {
    let args: Vec<Type> = args.iter().map(|arg| caller.operand_type(arg)).collect();
    let fitting = address_taken
        .iter()
        .filter(|&&function| fits(&program.functions[function], result, &args));
    let fitting: Vec<_> = fitting
        .map(|&function| Target::Function(function))
        .collect();
    if fitting.is_empty() {
        return address_taken
            .iter()
            .map(|&function| Target::Function(function))
            .collect();
    }
    fitting
}

/// Whether a function can be meant by a call with these arguments and this result. A call may ignore the result, and
/// may pass more arguments than there are parameters.
pub(crate) fn fits(function: &Function, result: &Type, args: &[Type]) -> bool {
    (*result == Type::Void || *result == function.return_type)
        && function.params.len() <= args.len()
        && function
            .param_types()
            .zip(args)
            .all(|(param, arg)| param == arg)
}

/// Functions whose address is used for anything but a direct call.
fn address_taken(program: &Program) -> Vec<FuncId> {
    let mut found = Vec::new();
    for function in program.functions.values() {
        let mut take = |operand: &Operand| {
            if let Operand::Const(constant) = operand {
                functions_in(constant, &mut found);
            }
        };
        for (block, data) in function.blocks.iter() {
            function
                .insts(block)
                .for_each(|(_, inst)| inst.op.for_each_operand(&mut take));
            data.terminator.for_each_operand(&mut take);
        }
    }
    let inits = program
        .globals
        .values()
        .filter_map(|global| global.init.as_ref());
    found.extend(
        inits
            .flat_map(|init| &init.relocations)
            .filter_map(|relocation| match relocation.to {
                RelocationTarget::Function(function) => Some(function),
                _ => None,
            }),
    );
    found.sort_unstable();
    found.dedup();
    found
}

fn functions_in(constant: &Const, found: &mut Vec<FuncId>) {
    constant.for_each_part(&mut |part| {
        if let Const::Function(function) = part {
            found.push(*function);
        }
    });
}

/// Functions without a body whose addresses are values of the program, or in its memory at the start.
#[must_use]
pub fn extern_pointers(program: &Program) -> BTreeSet<ExternId> {
    let mut found = BTreeSet::new();
    let inits = program
        .globals
        .values()
        .filter_map(|global| global.init.as_ref());
    for relocation in inits.flat_map(|init| &init.relocations) {
        if let RelocationTarget::Extern(id) = relocation.to {
            found.insert(id);
        }
    }
    let mut note = |operand: &Operand| {
        if let Operand::Const(constant) = operand {
            constant.for_each_part(&mut |part| {
                if let Const::Extern(id) = part {
                    found.insert(*id);
                }
            });
        }
    };
    for body in program.functions.values() {
        for (block, data) in body.blocks.iter() {
            for (_, inst) in body.insts(block) {
                // What is called by its name is no pointer.
                if let Op::Call {
                    callee: Callee::Indirect(Operand::Const(Const::Extern(_))),
                    args,
                    ..
                } = &inst.op
                {
                    args.iter().for_each(&mut note);
                } else {
                    inst.op.for_each_operand(&mut note);
                }
            }
            data.terminator.for_each_operand(&mut note);
        }
    }
    found
}
