//! The numbering rule: which function, site, edge and spot ids a prepared module has.
//!
//! Instrumentation and model reader both call [`number`] on the same prepared bitcode and get the same numbers:
//! ids depend only on the order of functions, blocks and instructions.
//!
//! A *stretch* is what runs from an edge (or a function's entry) until the next site or return: it follows
//! unconditional branches only, so the counters on it are known. A counter that some stretch reaches only after
//! something that may end the run (a call, a memory access that may fault, a division) is a *probe* and has a
//! site of its own; the others are listed at the edges and the entry whose stretch increments them.

use crate::ir::{Block, Module, Opcode, Value};
use crate::prepare::assembly;
use std::collections::{HashMap, HashSet};

/// What a site decides.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SiteKind {
    /// Conditional `br`: edge 0 = false, edge 1 = true.
    Branch,
    /// `switch`: one edge for each case in IR order, then the default.
    Switch {
        /// Width of the value.
        bits: u32,
        /// Value of each case.
        cases: Vec<u128>,
    },
    /// `instrprof.increment.step` by a condition: edge 0 = false, edge 1 = true.
    Select,
    /// A counter that has an event of its own: one edge.
    Probe,
}

/// A site.
#[derive(Clone, Debug)]
pub struct Site {
    /// What it decides.
    pub kind: SiteKind,
    /// Local function id.
    pub function: u32,
    /// First local edge id.
    pub first_edge: u32,
    /// Number of edges.
    pub edges: u32,
    pub(crate) instruction: Value,
}

/// The numbers of a module. All ids are local to it.
#[derive(Clone, Debug, Default)]
pub struct Numbering {
    /// Sites in order; the index is the site id.
    pub sites: Vec<Site>,
    /// Profile counters that the stretch after an edge increments, for each edge id.
    pub edge_counters: Vec<Vec<u32>>,
    /// Profile counters that the stretch after the entry increments, for each function id.
    pub entry_counters: Vec<Vec<u32>>,
    /// Defined functions; the index is the function id.
    pub(crate) functions: Vec<Value>,
    /// Instructions that may lose symbolism or record a constraint; the index is the spot id.
    pub(crate) spots: Vec<Value>,
    site_of: HashMap<Value, u32>,
    spot_of: HashMap<Value, u32>,
}

impl Numbering {
    /// Number of edges.
    #[must_use]
    pub fn edges(&self) -> u32 {
        self.edge_counters.len() as u32
    }

    /// Number of functions.
    #[must_use]
    pub fn function_count(&self) -> u32 {
        self.functions.len() as u32
    }

    /// Name of a function.
    #[must_use]
    pub fn function_name(&self, id: u32) -> String {
        self.functions
            .get(id as usize)
            .map(|function| function.name())
            .unwrap_or_default()
    }

    /// Number of spots.
    #[must_use]
    pub fn spot_count(&self) -> u32 {
        self.spots.len() as u32
    }

    /// Site of a `br`, `switch` or `instrprof` call.
    pub(crate) fn site_of(&self, instruction: Value) -> Option<(u32, &Site)> {
        let id = *self.site_of.get(&instruction)?;
        Some((id, &self.sites[id as usize]))
    }

    /// Spot of an instruction.
    pub(crate) fn spot_of(&self, instruction: Value) -> Option<u32> {
        self.spot_of.get(&instruction).copied()
    }

    fn add_site(&mut self, kind: SiteKind, function: u32, edges: u32, instruction: Value) {
        let (id, first_edge) = (self.sites.len() as u32, self.edges());
        self.sites.push(Site {
            kind,
            function,
            first_edge,
            edges,
            instruction,
        });
        self.site_of.insert(instruction, id);
        self.edge_counters
            .resize(self.edge_counters.len() + edges as usize, Vec::new());
    }
}

/// Numbers a prepared module.
#[must_use]
pub fn number(module: &Module) -> Numbering {
    let mut numbering = Numbering::default();
    for function in module.functions() {
        if function.is_declaration() || function.is_available_externally() {
            continue;
        }
        let id = numbering.functions.len() as u32;
        numbering.functions.push(function);
        number_function(&mut numbering, id, function);
    }
    numbering
}

fn number_function(numbering: &mut Numbering, id: u32, function: Value) {
    let blocks = function.blocks();
    let stretches = Stretches::new(&blocks);
    let first_site = numbering.sites.len();
    for &block in &blocks {
        let mut ended = stretches.may_have_ended(block);
        for instruction in block.instructions() {
            if let Some((kind, edges)) = site_kind(instruction, ended) {
                numbering.add_site(kind, id, edges, instruction);
            }
            if is_spot(instruction) {
                numbering
                    .spot_of
                    .insert(instruction, numbering.spots.len() as u32);
                numbering.spots.push(instruction);
            }
            ended |= may_end(instruction);
        }
    }
    let entry = blocks
        .first()
        .map(|&block| stretch_counters(numbering, block))
        .unwrap_or_default();
    numbering.entry_counters.push(entry);
    for site in first_site..numbering.sites.len() {
        for (edge, counters) in site_counters(numbering, site) {
            numbering.edge_counters[edge as usize] = counters;
        }
    }
}

fn site_kind(instruction: Value, ended: bool) -> Option<(SiteKind, u32)> {
    if instruction.is_conditional() {
        return Some((SiteKind::Branch, 2));
    }
    if instruction.is_opcode(Opcode::LLVMSwitch) {
        let cases = switch_cases(instruction);
        let bits = instruction.condition().ty().int_bits().unwrap_or(0);
        let edges = cases.len() as u32 + 1;
        return Some((SiteKind::Switch { bits, cases }, edges));
    }
    if select_condition(instruction).is_some() {
        return Some((SiteKind::Select, 2));
    }
    (ended && counter_of(instruction).is_some()).then_some((SiteKind::Probe, 1))
}

/// Values of the cases of a `switch`, in IR order.
fn switch_cases(switch: Value) -> Vec<u128> {
    (1..switch.successors().len() as u32)
        .map(|case| constant(switch.operand(2 * case)))
        .collect()
}

/// An integer constant of up to 128 bits.
pub(crate) fn constant(value: Value) -> u128 {
    if let Some(small) = value.as_int() {
        return u128::from(small);
    }
    // LLVM's C API has no access to wide constants but their text: `i128 -5`.
    let text = value.text();
    let digits = text.rsplit(' ').next().unwrap_or("");
    let number = digits
        .parse::<i128>()
        .map(|n| n as u128)
        .or_else(|_| digits.parse::<u128>())
        .unwrap_or(0);
    match value.ty().int_bits() {
        Some(bits) if bits < 128 => number & ((1 << bits) - 1),
        _ => number,
    }
}

/// The profile counter that an `instrprof.increment` or a constant `.step` increments.
pub(crate) fn counter_of(instruction: Value) -> Option<u32> {
    match instruction.intrinsic_name()?.as_str() {
        "llvm.instrprof.increment" => {}
        // What is added is a condition that the compiler has folded to 0 or 1.
        "llvm.instrprof.increment.step"
            if select_condition(instruction).is_none()
                && instruction.operand(4).as_int() != Some(0) => {}
        _ => return None,
    }
    Some(instruction.operand(3).as_int()? as u32)
}

/// The condition of a select site.
pub(crate) fn select_condition(instruction: Value) -> Option<Value> {
    if instruction.intrinsic_name()? != "llvm.instrprof.increment.step" {
        return None;
    }
    let step = instruction.operand(4);
    if !step.is_opcode(Opcode::LLVMZExt) {
        return None;
    }
    let condition = step.operand(0);
    (condition.ty().int_bits() == Some(1) && !condition.is_constant()).then_some(condition)
}

/// Whether an instruction only marks something: it has no effect and no spot, and the model leaves it out.
pub(crate) fn is_mark(instruction: Value) -> bool {
    match instruction.intrinsic_name() {
        Some(name) => is_marker(&name),
        None => assembly::is_barrier(instruction),
    }
}

/// Intrinsics that only mark something.
pub(crate) fn is_marker(name: &str) -> bool {
    [
        "llvm.dbg.",
        "llvm.lifetime.",
        "llvm.instrprof.",
        "llvm.assume",
        "llvm.donothing",
        "llvm.prefetch",
    ]
    .iter()
    .any(|prefix| name.starts_with(prefix))
}

fn is_spot(instruction: Value) -> bool {
    use Opcode::*;
    match instruction.opcode() {
        LLVMLoad | LLVMStore | LLVMAtomicRMW | LLVMAtomicCmpXchg | LLVMUDiv | LLVMSDiv
        | LLVMURem | LLVMSRem | LLVMVAArg | LLVMExtractElement | LLVMInsertElement
        | LLVMShuffleVector | LLVMIndirectBr | LLVMInvoke | LLVMCallBr => true,
        LLVMAlloca => !instruction.operand(0).is_constant(),
        LLVMGetElementPtr
            if !(1..instruction.operand_count())
                .all(|index| crate::types::is_index(instruction.operand(index).ty())) =>
        {
            true
        }
        LLVMCall => !is_mark(instruction),
        // Nothing is lost at the other ends of blocks, and the model has no instruction there for a spot to stand at.
        _ if instruction.is_terminator() => false,
        _ => {
            !crate::types::is_plain(instruction.ty())
                || instruction
                    .operands()
                    .iter()
                    .any(|operand| !crate::types::is_plain(operand.ty()))
        }
    }
}

/// The C name of an intrinsic that leaves frames, or may return twice: the model has it as a call of a function without a body.
#[must_use]
pub fn jump(name: &str) -> Option<&'static str> {
    match name {
        "llvm.eh.sjlj.setjmp" => Some("__builtin_setjmp"),
        "llvm.eh.sjlj.longjmp" => Some("__builtin_longjmp"),
        _ => None,
    }
}

/// Whether the run may end in this instruction (or leave the function without an edge).
fn may_end(instruction: Value) -> bool {
    use Opcode::*;
    match instruction.opcode() {
        LLVMLoad => !is_own_memory(instruction.operand(0)),
        LLVMStore => !is_own_memory(instruction.operand(1)),
        LLVMUDiv | LLVMSDiv | LLVMURem | LLVMSRem => !instruction.operand(1).is_constant(),
        LLVMCall => match instruction.intrinsic_name() {
            Some(name) => [
                "llvm.mem",
                "llvm.trap",
                "llvm.debugtrap",
                "llvm.ubsantrap",
                "llvm.eh.",
            ]
            .iter()
            .any(|prefix| name.starts_with(prefix)),
            None => !assembly::is_barrier(instruction),
        },
        LLVMInvoke | LLVMCallBr | LLVMAtomicRMW | LLVMAtomicCmpXchg | LLVMVAArg => true,
        _ => false,
    }
}

/// Whether an address is inside a local or global variable whatever happens.
fn is_own_memory(address: Value) -> bool {
    if address.is_opcode(Opcode::LLVMAlloca) || address.is_global_variable() {
        return true;
    }
    let step = address.is_opcode(Opcode::LLVMGetElementPtr)
        || (address.is_constant_expression()
            && address.constant_opcode() == Opcode::LLVMGetElementPtr);
    step && (1..address.operand_count()).all(|index| address.operand(index).is_constant())
        && is_own_memory(address.operand(0))
}

/// Which blocks a stretch may enter after something that may end the run.
struct Stretches {
    ended: HashSet<Block>,
}

impl Stretches {
    fn new(blocks: &[Block]) -> Stretches {
        let mut ended = HashSet::new();
        let mut work = Vec::new();
        for &block in blocks {
            let Some(terminator) = block.terminator() else {
                continue;
            };
            let jumps = terminator.is_opcode(Opcode::LLVMBr) && !terminator.is_conditional();
            let counted = terminator.is_conditional() || terminator.is_opcode(Opcode::LLVMSwitch);
            let calls = block.instructions().into_iter().any(may_end);
            if (jumps && (calls || in_cycle(block))) || !(jumps || counted) {
                work.extend(block.successors());
            }
        }
        while let Some(block) = work.pop() {
            if ended.insert(block)
                && let Some(next) = only_successor(block)
            {
                work.push(next);
            }
        }
        Stretches { ended }
    }

    fn may_have_ended(&self, block: Block) -> bool {
        self.ended.contains(&block)
    }
}

/// Where an unconditional branch goes.
fn only_successor(block: Block) -> Option<Block> {
    let terminator = block.terminator()?;
    let jumps = terminator.is_opcode(Opcode::LLVMBr) && !terminator.is_conditional();
    jumps.then(|| terminator.successors()[0])
}

/// Whether unconditional branches alone lead from the block back to it.
fn in_cycle(block: Block) -> bool {
    let mut seen = HashSet::new();
    let mut next = only_successor(block);
    while let Some(current) = next {
        if current == block {
            return true;
        }
        if !seen.insert(current) {
            return false;
        }
        next = only_successor(current);
    }
    false
}

/// Counters without a site on the stretch that starts at a block.
fn stretch_counters(numbering: &Numbering, start: Block) -> Vec<u32> {
    let mut counters = Vec::new();
    let mut seen = HashSet::new();
    let mut next = Some(start);
    while let Some(block) = next {
        if !seen.insert(block) {
            break;
        }
        for instruction in block.instructions() {
            if let Some(counter) = counter_of(instruction)
                && numbering.site_of(instruction).is_none()
            {
                counters.push(counter);
            }
        }
        next = only_successor(block);
    }
    counters
}

/// The counters of each edge of a site.
fn site_counters(numbering: &Numbering, site: usize) -> Vec<(u32, Vec<u32>)> {
    let site = &numbering.sites[site];
    let own = || {
        site.instruction
            .operand(3)
            .as_int()
            .map(|counter| counter as u32)
            .into_iter()
            .collect()
    };
    let first = site.first_edge;
    let successors = site.instruction.successors();
    match site.kind {
        SiteKind::Probe => vec![(first, own())],
        SiteKind::Select => vec![(first + 1, own())],
        SiteKind::Branch => vec![
            (first, stretch_counters(numbering, successors[1])),
            (first + 1, stretch_counters(numbering, successors[0])),
        ],
        SiteKind::Switch { .. } => {
            // LLVM's successor 0 is the default.
            let cases = successors.len() - 1;
            (0..=cases)
                .map(|edge| {
                    let target = successors[if edge == cases { 0 } else { edge + 1 }];
                    (first + edge as u32, stretch_counters(numbering, target))
                })
                .collect()
        }
    }
}
